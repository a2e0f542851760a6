"""Corpus to file to Corpus, for every format that can be written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fencepost as fp
from fencepost import Corpus, Segmentation
from fencepost.corpus import Key
from fencepost.formats import FORMATS, FormatError, read_bytes
from strategies import cuts

NAMES = st.text(st.sampled_from("abcXYZ019 _-éß漢"), min_size=1, max_size=6).filter(
    lambda name: name == name.strip()
)
WORDS = st.text(st.sampled_from("abcdeéß漢'9"), min_size=1, max_size=5).filter(
    lambda word: word.strip("'") != ""
)


@st.composite
def plain(draw, coders=3, texts=3, words=False):
    """Texts by coders, without kinds; not every coder has every text."""
    who = draw(st.lists(NAMES, min_size=1, max_size=coders, unique_by=str.lower))
    entries, tokens = {}, {}
    for text in draw(st.lists(NAMES, min_size=1, max_size=texts, unique=True)):
        units = draw(st.integers(1, 9))
        own = draw(st.lists(st.sampled_from(who), min_size=1, unique=True))
        for coder in own:
            entries[Key(text, "", coder)] = Segmentation(units, draw(cuts(units)))
        if words:
            tokens[text, ""] = draw(st.lists(WORDS, min_size=units, max_size=units))
    return Corpus(entries, tokens=tokens)


@st.composite
def typed(draw, names, streams=("",), texts=1, text=NAMES, at_end=True):
    """One coder's texts with kinds, one at a place."""
    entries, tokens = {}, {}
    for title in draw(st.lists(text, min_size=1, max_size=texts, unique=True)):
        for stream in streams:
            units = draw(st.integers(1, 8))
            marks = draw(st.lists(st.sampled_from(["", *names]), min_size=units, max_size=units))
            if not at_end:
                marks[-1] = ""
            entries[Key(title, stream, "1")] = Segmentation.from_marks(marks, names)
            tokens[title, stream] = draw(st.lists(WORDS, min_size=units, max_size=units))
    return Corpus(entries, tokens=tokens)


def again(corpus, format, name, **choices):
    one = FORMATS[format]
    data = one.write_bytes(corpus) if one.write_bytes else one.write(corpus).encode("utf-8")
    return read_bytes(data, name, format, **choices)


def same(found, corpus, tokens=True):
    assert dict(found.entries) == dict(corpus.entries)
    if tokens:
        known = {item: list(words) for item, words in found.tokens.items()}
        assert known == {item: list(words) for item, words in corpus.tokens.items()}


@pytest.mark.parametrize("format", ["json", "segeval", "tsv", "parquet", "table"])
@given(corpus=plain())
def test_sizes_by_text_and_coder(format, corpus):
    # 1 1 2 might be numbers of segments, which is asked about: here they are sizes.
    found = again(corpus, format, "x", encoding="masses")
    if format == "json" and len(corpus.coders) == 1:
        corpus = corpus.rename_coders({(None, corpus.coders[0]): "1"})
    same(found, corpus, tokens=False)


@given(corpus=plain(coders=1, words=True))
def test_jsonl_keeps_the_units(corpus):
    found = again(corpus, "jsonl", "x.jsonl", flags="last")
    same(found, corpus.rename_coders({(None, corpus.coders[0]): "1"}))


@given(corpus=plain(words=True))
def test_a_table_of_units_keeps_words_and_who_did_not_annotate(corpus):
    known = {"paragraph", "sentence", "unit", "line", "text", "token", "id", "coder"}
    if {name.lower() for name in corpus.coders} & known:
        return
    same(again(corpus, "units", "x.csv"), corpus)


@given(corpus=plain(coders=1, texts=1, words=True))
def test_separated_text_and_sentences(corpus):
    only = corpus.renamed("x").rename_coders({("x", corpus.coders[0]): "1"})
    same(again(only, "separated", "x.txt"), only)
    same(again(only, "sentences", "x.sents"), only)


@given(corpus=typed(["1", "2", "3"], at_end=False))
def test_headings_keep_their_levels(corpus):
    same(again(corpus.renamed("x"), "wiki", "x.txt"), corpus.renamed("x"))


@given(corpus=typed([".", ",", "?!"], streams=("A", "Frau B")))
def test_tokens_and_punctuated_transcripts_keep_kinds_and_speakers(corpus):
    only = corpus.renamed("x")
    found = again(only, "punctuated", "x.txt")
    assert dict(found.tokens) == dict(only.tokens)
    for key, seg in only.entries.items():
        assert (
            found.entries[key].marks == seg.marks
        )  # the names of kinds that do not occur are lost
    found = again(only, "tokens", "x.csv")
    if any(len(seg.cuts) for seg in only.entries.values()):
        assert {k: s.marks for k, s in found.entries.items()} == {
            k: s.marks for k, s in only.entries.items()
        }


@given(corpus=typed(["eob", "eol"], texts=1))
def test_tagged_captions(corpus):
    same(again(corpus.renamed("x"), "tagged", "x"), corpus.renamed("x"))


def test_every_format_that_can_be_written_is_tried_here():
    tried = {"json", "segeval", "tsv", "parquet", "table", "jsonl", "units", "separated",
             "sentences", "wiki", "punctuated", "tokens", "tagged"}  # fmt: skip
    assert tried == {one.name for one in FORMATS.values() if one.writable}


@pytest.mark.parametrize("ending", ["", ".gz", ".zst"])
def test_files_are_written_compressed(tmp_path, ending):
    corpus = Corpus.from_dict({"a": {"x": [3, 2], "y": [5]}, "b": {"x": [1, 1]}})
    path = tmp_path / f"c.json{ending}"
    fp.write(corpus, path)
    before = path.read_bytes()
    same(fp.read(path), corpus)
    fp.write(corpus, path)
    assert path.read_bytes() == before
    assert before.startswith({"": b"{", ".gz": b"\x1f\x8b", ".zst": b"\x28\xb5"}[ending])


@pytest.mark.parametrize(
    ("format", "corpus", "said"),
    [
        ("separated", {"a": [3], "b": [2]}, "one text by one coder"),
        ("wiki", {"a": [3]}, "levels 1, 2"),
        ("sentences", {"a": [3]}, "need the words"),
        ("punctuated", {"a": [3]}, "needs the words"),
        ("tagged", {"a": [3]}, "need the words"),
        ("units", {"a": {"text": [3]}}, "cannot be a column"),
        ("textgrid", {"a": [3]}, "cannot be written"),
    ],
)
def test_what_a_format_cannot_hold_is_said(tmp_path, format, corpus, said):
    with pytest.raises(FormatError, match=said):
        fp.write(Corpus.from_dict(corpus), tmp_path / "x", format)
