"""Corpus to file to Corpus, for every format that can be written.

A file gives back exactly what its format says that it keeps (``Format.keeps``), or is not written:
first with corpora of every form, which a format may refuse, then with those it must hold.
"""

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fencepost as fp
from fencepost import Corpus, Segmentation
from fencepost.formats import FORMATS, FormatError, read_bytes, read_text
from fencepost.formats.registry import KEEPS
from fencepost.model.corpus import Key
from strategies import cuts
from support import csv_rows, ok, put

NAMES = st.text(st.sampled_from("abcXYZ019 _-éß漢"), min_size=1, max_size=6).filter(
    lambda name: name == name.strip()
)
WORDS = st.text(st.sampled_from("abcdeéß漢'9"), min_size=1, max_size=5).filter(
    lambda word: word.strip("'") != ""
)
# Names, words and kinds that mean something in one format or another.
ODD_NAMES = st.sampled_from([
    "1", "2", "text", "Text", "speaker", "token", "unit", "coder", "id", "ref", "items", "hyp",
    "content", "a\tb", "a,b", "a;b", 'a"b', " a", "a ", "a\nb", "a:b", "a|b", "none", "a", "A",
])  # fmt: skip
ODD_WORDS = st.sampled_from([
    "", " ", "---", "###", "==========", "========,2,x.", "a b", " a", "a\nb", "a\tb", "F:", ".",
    "<eob>", "|", "1", '["x"', "\u2028", '"', "a,b", "¦", "# newdoc id = x",
])  # fmt: skip
ODD_KINDS = st.sampled_from(
    ["¦", "none", "None", " ", ".", ",", "?!", "1", "2", "eob", "eol", "a b"]
)

# A name of a file for each way in which a format is written, and what its reader must be told.
FILES = [
    ("json", "x.json", {"encoding": "masses"}),  # 1 1 2 may be sizes or numbers of segments
    ("jsonl", "x.jsonl", {}),
    ("segeval", "x.json", {}),
    ("segeval", "x.tsv", {}),
    ("segeval", "x.csv", {}),
    ("tsv", "x.tsv", {}),
    ("tsv", "x.csv", {}),
    ("lines", "x.bits", {}),
    ("lines", "x.masses", {}),
    ("separated", "x.txt", {}),
    ("wiki", "x.txt", {}),
    ("table", "x.csv", {"encoding": "masses"}),
    ("table", "x.tsv", {"encoding": "masses"}),
    ("parquet", "x.parquet", {}),
    ("units", "x.csv", {}),
    ("units", "x.tsv", {}),
    ("tokens", "x.csv", {}),
    ("tokens", "x.tsv", {}),
    ("boundary-strings", "x.csv", {}),
    ("boundary-strings", "x.tsv", {}),
    ("punctuated", "x.txt", {}),
    ("conllu", "x.conllu", {}),
    ("chunks", "x.json", {}),
    ("sentences", "x.sents", {}),
    ("tagged", "x.txt", {}),
]
IDS = [f"{format} {name}" for format, name, _ in FILES]
UNSURE = {"punctuated", "tagged"}  # without many marks these look like plain text
WAY_OUT = re.compile(r"\b(jsonl?|tokens|tsv|masses)\b")  # a refusal names what can hold it


def test_every_format_that_can_be_written_is_tried_here():
    assert {format for format, *_ in FILES} == {o.name for o in FORMATS.values() if o.writable}
    for one in FORMATS.values():
        assert one.writable == (one.keeps is not None)
        assert set(one.keeps or ()) <= set(KEEPS)
        tried = {name.removeprefix("x") for format, name, _ in FILES if format == one.name}
        assert set(one.write_as) <= tried


@st.composite
def plain(draw, coders=3, texts=3, words=False, names=NAMES, least=1):
    """Texts by coders, without kinds; not every coder has every text."""
    who = draw(st.lists(names, min_size=1, max_size=coders, unique_by=str.lower))
    entries, tokens = {}, {}
    for text in draw(st.lists(names, min_size=1, max_size=texts, unique=True)):
        units = draw(st.integers(least, 9))
        own = draw(st.lists(st.sampled_from(who), min_size=1, unique=True))
        for coder in own:
            entries[Key(text, "", coder)] = Segmentation(units, draw(cuts(units)))
        if words:
            tokens[text, ""] = draw(st.lists(WORDS, min_size=units, max_size=units))
    return Corpus.from_entries(entries, tokens=tokens)


@st.composite
def typed(draw, kinds, streams=("",), texts=3, coders=3, at_end=True, missing=False):
    """Texts by coders with kinds, one at a place."""
    entries, tokens = {}, {}
    who = draw(st.lists(NAMES, min_size=1, max_size=coders, unique_by=str.lower))
    for title in draw(st.lists(NAMES, min_size=1, max_size=texts, unique=True)):
        own = draw(st.lists(st.sampled_from(who), min_size=1, unique=True)) if missing else who
        for stream in streams:
            units = draw(st.integers(1, 8))
            tokens[title, stream] = draw(st.lists(WORDS, min_size=units, max_size=units))
            for coder in own:
                mark = st.sampled_from(["", *kinds])
                marks = draw(st.lists(mark, min_size=units, max_size=units))
                if not at_end:
                    marks[-1] = ""
                entries[Key(title, stream, coder)] = Segmentation.from_marks(marks, kinds)
    return Corpus.from_entries(entries, tokens=tokens)


@st.composite
def segmentations(draw, units, kinds):
    """With kinds or without; several boundaries may share a place, and the end may have some."""
    if kinds is None:
        return Segmentation(units, draw(cuts(units)))
    place = st.tuples(st.integers(1, units), st.integers(1, len(kinds)))
    found = sorted(draw(st.sets(place, max_size=6)))
    return Segmentation(units, [p for p, _ in found], [k for _, k in found], kinds)


@st.composite
def every(draw, names=NAMES | ODD_NAMES, words=WORDS | ODD_WORDS, kinds=ODD_KINDS):
    """Kinds by coders by missing annotations by speakers by words by units by texts."""
    who = draw(st.lists(names, min_size=1, max_size=3, unique=True))
    vocabulary = draw(st.lists(kinds, min_size=1, max_size=3, unique=True))
    forms = draw(st.sampled_from([[None], [vocabulary], [None, vocabulary]]))
    known = draw(st.sampled_from(["all", "none", "some"]))
    uneven = draw(st.booleans())  # coders may have cut different versions of a text
    entries, tokens = {}, {}
    for text in draw(st.lists(names, min_size=1, max_size=3, unique=True)):
        for stream in draw(st.sampled_from([[""], ["A"], ["A", "b c"]])):
            units = draw(st.integers(1, 6))
            for coder in draw(st.lists(st.sampled_from(who), min_size=1, unique=True)):
                size = draw(st.integers(1, 6)) if uneven else units
                form = draw(st.sampled_from(forms))
                entries[Key(text, stream, coder)] = draw(segmentations(size, form))
            if known == "all" or (known == "some" and draw(st.booleans())):
                tokens[text, stream] = draw(st.lists(words, min_size=units, max_size=units))
    return Corpus.from_entries(
        entries,
        tokens=tokens,
        unit=draw(st.sampled_from(["unit", "word", "sentence", "character"])),
        choices=draw(
            st.sampled_from([{}, {"flags": "last"}, {"threshold": "0.5", "gaps": "join"}])
        ),
    )


def content(seg, exact):
    """Names of kinds that do not occur are kept by jsonl alone."""
    return seg if exact or seg.kinds is None else seg.marks


def promised(corpus, one, name):
    """What a file of this name gives back, if it can be written."""
    keeps = one.kept(name)
    text = (lambda t: t) if "texts" in keeps or len(corpus.texts) > 1 else (lambda t: "x")
    coder = (lambda c: c) if "coders" in keeps else (lambda c: "1")
    entries = {
        Key(text(key.text), key.stream, coder(key.coder)): content(seg, one.name == "jsonl")
        for key, seg in corpus.entries.items()
    }
    tokens = {}
    for key, seg in corpus.entries.items():
        words = corpus.tokens.get((key.text, key.stream))
        if words is None and one.numbered:
            words = [str(n) for n in range(1, seg.units + 1)]
        if words is not None and "words" in keeps:
            tokens[text(key.text), key.stream] = list(words)
    return entries, tokens


def check(corpus, format, name, choices, told=True):
    one = FORMATS[format]
    found = read_bytes(one.written(corpus, name), name, format if told else None, **choices)
    exact = format == "jsonl"
    entries, tokens = promised(corpus, one, name)
    assert {key: content(seg, exact) for key, seg in found.entries.items()} == entries
    assert {item: list(words) for item, words in found.tokens.items()} == tokens
    if "choices" in one.kept(name):
        assert (dict(found.source.choices), found.unit) == (
            dict(corpus.source.choices),
            corpus.unit,
        )
    if told and format not in UNSURE:
        check(corpus, format, name, choices, told=False)


@pytest.mark.slow
@pytest.mark.parametrize(("format", "name", "choices"), FILES, ids=IDS)
@settings(max_examples=settings().max_examples // 2)
@given(corpus=every())
def test_what_is_written_is_read_again_or_is_not_written(format, name, choices, corpus):
    why = None
    try:
        FORMATS[format].written(corpus, name)
    except FormatError as error:
        why = str(error)
    if why is None:
        check(corpus, format, name, choices)
    else:
        assert WAY_OUT.search(why) or "without a name" in why


@pytest.mark.slow
@given(corpus=every(names=NAMES))
def test_jsonl_holds_every_corpus(corpus):
    check(corpus, "jsonl", "x.jsonl", {})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("format", "name", "choices"),
    [one for one in FILES if one[0] in ("json", "segeval", "tsv", "table", "parquet")],
)
@given(corpus=plain(words=True))
def test_sizes_by_text_and_coder(format, name, choices, corpus):
    if "texts" not in FORMATS[format].kept(name):
        corpus = corpus.where(corpus.texts[:1])
    check(corpus, format, name, choices)


# Names that a rule about names, a cell, a line or a number could lose or change.
HOSTILE_NAMES = [
    "chapter\none", "a" * 101, "b" * 300, "007", "null", "NA", "nan", "true", "1.0", "1e5", "=1+1",
    " a", "a ", "a\tb", "a,b", "a;b", 'a"b', '"q"', "a\rb", "a\r\nb", "\u2028", "\x1c", "a\x00b",
    "\ufeffz", "\ufeff", "#c", "text", "id", "ref", "hyp", "coder", "units", "masses", "items",
    "[1,2]", "{}", "5 5", "0011", "x: y", "---", "漢", "\x85", "\u200b", "-", "1", "2",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("format", "name", "choices"), FILES, ids=IDS)
def test_hostile_names_come_back_or_are_not_written(format, name, choices):
    """Alone, before and behind a plain name: texts must never be numbered instead."""
    unit = "character" if format == "chunks" else "word"
    for odd in HOSTILE_NAMES:
        for texts in ([odd], [odd, "x2"], ["x2", odd]):
            for coders in (["1"], ["anna", "ben"]):
                entries = {
                    Key(text, "", coder): Segmentation(9, [2 + n, 6 + len(coder) % 2])
                    for n, text in enumerate(texts)
                    for coder in coders
                }
                words = {(text, ""): [*"abcdefghi"] for text in texts}
                corpus = Corpus.from_entries(entries, words, unit=unit)
                try:
                    FORMATS[format].written(corpus, name)
                except FormatError:
                    continue
                check(corpus, format, name, choices)


def test_texts_with_long_names_are_matched_by_them_after_a_conversion(tmp_path):
    pytest.importorskip("pyarrow")
    texts = {"chapter\none": [2, 8], "n" * 201: [5, 5], "x": [3, 7]}
    for side, names in (("a", list(texts)), ("b", list(texts)[::-1])):
        put(tmp_path, f"{side}.json", json.dumps({name: texts[name] for name in names}))
        for ending in ("parquet", "jsonl"):
            ok("convert", f"{side}.json", f"{side}.{ending}", cwd=tmp_path)
    for ending in ("json", "parquet", "jsonl"):
        (row,) = csv_rows(ok("score", f"a.{ending}", "-i", f"b.{ending}", "-m", "pk", "--csv", "-q",
                             "--no-baselines", "--no-intervals", cwd=tmp_path))  # fmt: skip
        assert float(row["value"]) == 0, ending


LETTERS = st.text(st.sampled_from("abcé "), min_size=1, max_size=5).map(lambda s: f"t{s}".strip())


@pytest.mark.slow
@given(corpus=plain(coders=1, names=LETTERS, least=2))
def test_lines_of_bits_and_of_sizes(corpus):
    check(corpus, "lines", "x.bits", {})
    check(corpus, "lines", "x.masses", {})


@given(corpus=plain(coders=1, names=st.just("1")))
def test_texts_that_are_only_numbered_are_lines_without_names(corpus):
    check(corpus, "lines", "x.masses", {})
    assert "\t" not in FORMATS["lines"].written(corpus, "x.masses").decode()


@pytest.mark.parametrize("name", ["x.csv", "x.tsv"])
@given(corpus=plain(words=True))
def test_a_table_of_units_keeps_words_and_who_did_not_annotate(name, corpus):
    check(corpus, "units", name, {})


@given(corpus=plain(coders=1, texts=1, words=True))
def test_separated_text_and_sentences(corpus):
    check(corpus, "separated", "x.txt", {})
    check(corpus, "sentences", "x.sents", {})


@given(corpus=plain(coders=1, words=True))
def test_conllu_keeps_words_and_documents(corpus):
    check(corpus, "conllu", "x.conllu", {})


@given(corpus=plain(coders=1))
def test_chunks_of_characters(corpus):
    tokens = {(key.text, ""): ["x"] * seg.units for key, seg in corpus.entries.items()}
    check(Corpus.from_entries(corpus.entries, unit="character"), "chunks", "x.json", {})
    check(Corpus.from_entries(corpus.entries, tokens, unit="character"), "chunks", "x.json", {})


@given(corpus=typed(["1", "2", "3"], texts=1, coders=1, at_end=False))
def test_headings_keep_their_levels(corpus):
    check(corpus, "wiki", "x.txt", {})


def test_no_heading_is_written_that_is_not_needed():
    text = "========,1,preface.\nCats.\n========,3,-.\nFood.\n========,2,-.\nPlay.\n"
    assert FORMATS["wiki"].written(read_text(text, "x.txt"), "x.txt").decode() == text


@pytest.mark.slow
@pytest.mark.parametrize("name", ["x.csv", "x.tsv"])
@given(corpus=typed([".", ",", "?!", "a b", '"', ";"], streams=("A", "Frau B")) | plain(coders=1))
def test_tokens_keep_kinds_coders_speakers_and_words(name, corpus):
    check(corpus, "tokens", name, {})


@given(corpus=typed([".", ",", ";", '"'], streams=("A", ""), missing=True) | plain())
def test_boundary_strings_keep_kinds_and_who_did_not_annotate(corpus):
    check(corpus, "boundary-strings", "x.csv", {})


@given(corpus=typed([".", ",", "?!"], streams=("A", "Frau B"), texts=1, coders=1))
def test_punctuated_transcripts_keep_kinds_speakers_and_words(corpus):
    check(corpus, "punctuated", "x.txt", {})


@given(corpus=typed(["eob", "eol"], texts=1, coders=1))
def test_tagged_captions(corpus):
    check(corpus, "tagged", "x.txt", {})


@pytest.mark.parametrize("ending", ["", ".gz", ".zst"])
def test_files_are_written_compressed(tmp_path, ending):
    corpus = Corpus.from_dict({"a": {"x": [3, 2], "y": [5]}, "b": {"x": [1, 1]}})
    path = tmp_path / f"c.json{ending}"
    fp.write(corpus, path)
    before = path.read_bytes()
    assert dict(fp.read(path).entries) == dict(corpus.entries)
    fp.write(corpus, path)
    assert path.read_bytes() == before
    assert before.startswith({"": b"{", ".gz": b"\x1f\x8b", ".zst": b"\x28\xb5"}[ending])


COMMA = Segmentation.from_marks(["", ",", ""], [","])
CUT = Segmentation(3, [2])


@pytest.mark.parametrize(
    ("format", "corpus", "said"),
    [
        (
            "separated",
            {"a": [3], "b": [2]},
            "one text per file, and there are 2 .*jsonl",
        ),
        ("wiki", {"a": [3]}, "levels 1 to 99 .*, and this text has none; tokens and jsonl"),
        ("wiki", {"a": COMMA}, "levels 1 to 99 .*, and this text has ','"),
        ("sentences", {"a": [3]}, "needs the words"),
        ("conllu", {"a": [3]}, "needs the words"),
        ("punctuated", {"a": [3]}, "needs the words"),
        ("tagged", {"a": [3]}, "needs the words"),
        ("units", {"a": {"text": [3]}}, "cannot be a column"),
        ("chunks", {"a": [3]}, "chunks count characters, and these units are units; jsonl"),
        ("lines", {"a": [3], "b": [1]}, "b: a text of one unit .* name the file .masses"),
        ("lines", {"a": {"x": [3], "y": [2]}}, "one coder per file, and there are 2 .*jsonl"),
        ("segeval", {"a": COMMA}, "^a: segeval cannot hold boundary types; tokens and jsonl can"),
        # A table of tokens: names, lengths, kinds, missing annotations.
        ("tokens", {"a": {"x": [3], "y": [5]}}, "text a: coders have 3 and 5 units.* jsonl"),
        ("tokens", {"a": {"speaker": [3]}}, "the coder 'speaker' cannot be a column.* jsonl"),
        ("tokens", {"a": {"token": [3]}}, "the coder 'token' cannot be a column"),
        ("tokens", {"a": {"a": [3], "A": [3]}}, "the coder 'a' cannot be a column .* case"),
        ("tokens", {"a": {"x": COMMA, "y": CUT}}, "some .* have boundary types and others.*jsonl"),
        ("tokens", {"a": Segmentation.from_marks([" ", ""])}, "boundary type ' ' would not"),
        ("tokens", {"a": Segmentation.from_marks(["¦", ""])}, "boundary type '¦' would not"),
        (
            "tokens",
            {"a": Segmentation.from_marks(["none", ""])},
            "boundary type 'none' would not",
        ),
        ("tokens", {"a": {"x": [3], "y": [3]}, "b": {"x": [2]}}, "y did not annotate text b"),
        ("boundary-strings", {"a": Segmentation.from_marks(["?!"])}, "more than the one character"),
        # Files with times, and one that is only read.
        *[
            (timed, {"a": [3]}, f"^{timed} cannot be written: a corpus holds no times; json")
            for timed in ("textgrid", "elan", "srt", "vtt", "stm")
        ],
        ("labelstudio", {"a": [3]}, "labelstudio cannot be written: fencepost only reads it"),
        ("json", {}, "an empty corpus cannot be written"),
    ],
)
def test_what_a_format_cannot_hold_is_said(tmp_path, format, corpus, said):
    with pytest.raises(FormatError, match=said):
        fp.write(Corpus.from_dict(corpus), tmp_path / "x", format)
    assert not (tmp_path / "x").exists()


def test_a_token_of_two_lines_is_refused(tmp_path):
    corpus = Corpus.from_entries(
        {Key("a", "", "x"): CUT}, {("a", ""): ["one", "two\nlines", "three"]}
    )
    with pytest.raises(FormatError, match=r"a: the word 'two\\nlines' .* jsonl can hold it"):
        fp.write(corpus, tmp_path / "x.csv", "tokens")


def test_jsonl_says_everything_in_fields_that_people_can_read(tmp_path):
    both = Segmentation(3, [2, 2, 3], [1, 2, 1], (".", "?"))
    corpus = Corpus.from_entries(
        {Key("t", "A", "anna"): both, Key("t", "A", "björn"): CUT},
        {("t", "A"): ["so", "we", "went"]},
        choices={"flags": "last"},
        unit="word",
    )
    path = tmp_path / "x.jsonl"
    fp.write(corpus, path)
    more = '"unit": "word", "reading": {"flags": "last"}}\n'
    assert path.read_text(encoding="utf-8") == (
        '{"id": "t", "coder": "anna", "ref": {"cuts": [2, 2, 3], "kinds": [".", "?", "."], '
        '"kind_names": [".", "?"]}, "speaker": "A", "units": ["so", "we", "went"], ' + more +
        '{"id": "t", "coder": "björn", "ref": {"cuts": [2]}, "speaker": "A", "units": 3, ' + more
    )  # fmt: skip
    found = fp.read(path)
    assert (found.entries, found.tokens) == (corpus.entries, corpus.tokens)
    fp.write(Corpus.from_dict({"t": [2, 1]}), path)
    assert path.read_text() == '{"id": "t", "ref": [2, 1], "units": 3}\n'


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"id": "a", "ref": [3]}', 'line 2: "ref" must be an object with "cuts"'),
        ('{"id": "a", "ref": {"cuts": 3}, "units": 3}', 'line 2: "ref" must be an object'),
        ('{"id": "t", "ref": {"cuts": [1]}, "units": 3}', "line 2: the text t by 1 is given twice"),
        ('{"id": "a", "ref": {"cuts": [1]}}', 'line 2: "units" must be the words'),
        ('{"id": "a", "ref": {"cuts": [9]}, "units": 3}', "line 2: .*9"),
        ('{"id": "a", "ref": {"cuts": ["x"]}, "units": 3}', "line 2: cuts"),
        ('{"id": "a", "ref": {"cuts": [1]}, "units": "x"}', "line 2: units"),
        ('{"id": "a", "ref": {"cuts": [1], "kind": ["."]}, "units": 3}', 'line 2: .*found "kind"'),
        ('{"id": "a", "ref": {"cuts": [1], "kinds": [1]}, "units": 3}', 'line 2: "kinds" must be'),
        ('{"id": "a", "ref": {"cuts": [1], "kinds": []}, "units": 3}', "line 2: .*kinds"),
        ('{"id": "a", "ref": {"cuts": [1], "kinds": ["."], "kind_names": []}, "units": 3}',
         'line 2: the boundary type "." is not among'),
        ('{"id": "a", "coder": [], "ref": {"cuts": [1]}, "units": 3}', 'line 2: "coder" must be'),
        ('{"id": "a", "reading": 3, "ref": {"cuts": [1]}, "units": 3}', 'line 2: "reading" must'),
        ('{"id": "t", "coder": "b", "ref": {"cuts": [1]}, "units": ["y", "x", "x"]}',
         "line 2: the words of t differ from a line above"),
    ],
)  # fmt: skip
def test_objects_that_say_nothing_clear_are_refused(line, said):
    first = '{"id": "t", "ref": {"cuts": [2]}, "units": ["x", "x", "x"]}\n'
    with pytest.raises(FormatError, match=said):
        read_bytes((first + line).encode(), "x.jsonl")
