"""The quick reader of JSON lines says what the general reader says, or leaves it to that one."""

import json
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fencepost as fp
from fencepost.formats import FormatError, read_text
from fencepost.formats import scan as columns
from fencepost.formats.options import Reading

VALUES = st.one_of(
    st.integers(-1, 30),
    st.text(st.sampled_from('ab é"\\ 1'), max_size=4),
    st.lists(st.integers(0, 9), max_size=4),
    st.none(),
    st.floats(0, 3),
)
SIZES = st.lists(st.integers(1, 30), min_size=1, max_size=6)


@st.composite
def records(draw):
    """Mostly plain records, some with anything anywhere."""
    found = []
    for number in range(draw(st.integers(1, 5))):
        record = {"id": f"d{number}", "ref": draw(SIZES)}
        for name in draw(st.lists(st.sampled_from(["id", "ref", "hyp", "units", "é"]), max_size=2)):
            record[name] = draw(VALUES)
        if draw(st.integers(0, 5)) == 0:
            del record["id"]
        found.append(record)
    return found


def outcome(read):
    try:
        corpus = read()
    except FormatError as error:
        return str(error)
    return (
        dict(corpus.entries),
        dict(corpus.sources),
        dict(corpus.tokens),
        corpus.source,
    )


@given(given=records(), ends=st.sampled_from(["\n", "\r\n", "\n\n"]), bom=st.booleans())
def test_the_quick_reader_agrees_with_the_general_one(tmp_path_factory, given, ends, bom):
    text = "".join(json.dumps(one, ensure_ascii=False) + ends for one in given)
    path = tmp_path_factory.mktemp("quick") / "x.jsonl"
    path.write_bytes((b"\xef\xbb\xbf" if bom else b"") + text.encode("utf-8"))
    assert outcome(lambda: fp.read(path)) == outcome(lambda: read_text(text, "x.jsonl"))


def quick(tmp_path, text, **choices):
    path = tmp_path / "x.jsonl"
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    with path.open("rb") as stream:
        return columns.read_plain(stream, Reading("x.jsonl", **choices), "jsonl")


PLAIN = '{"id": "a", "ref": [5, 1]}\n{"id": "b", "ref": [2], "hyp": [3, 4], "n": 7}\n'


def test_plain_lines_are_read_quickly(tmp_path):
    corpus = quick(tmp_path, PLAIN)
    assert {key.text: seg.masses for key, seg in corpus.entries.items()} == {"a": (5, 1), "b": (2,)}
    assert corpus.sources["b", "", "1"] == "x.jsonl, line 2"
    # One cut of 32 bits; three offsets, two numbers of units and two of texts.
    assert corpus.nbytes == 4 * 1 + 8 * (3 + 2 + 2)
    assert ("c", "", "1") not in corpus.entries and ("a", "x", "1") not in corpus.entries
    unnamed = quick(tmp_path, '{"ref": [5, 1]}\n\n{"ref": [2, 7]}\n')
    assert unnamed.texts == ["1", "2"] and unnamed.sources["2", "", "1"] == "x.jsonl, line 3"
    assert quick(tmp_path, '{"id": "é", "ref": [2]}\n{"id": 7, "ref": [3]}').texts == ["é", "7"]


@pytest.mark.parametrize(
    "text",
    [
        '{"id": "a", "ref": [5, 1]}\n{"id": "a", "ref": [5, 1]}\n',  # twice
        '{"id": "a", "id": "b", "ref": [5, 1]}\n',
        '{"id": "a", "ref": [5, 0]}\n',
        '{"id": "a", "ref": [5, 01]}\n',
        '{"id": "a", "ref": [5, 1.0]}\n',
        '{"id": "a", "ref": [5, 1e2]}\n',
        '{"id": "a", "ref": [5, -1]}\n',
        '{"id": "a", "ref": [5, 1,]}\n',
        '{"id": "a", "ref": []}\n',
        '{"id": "a", "ref": [9999999999999999999]}\n',
        '{"id": "a", "ref": [1099511627776, 1]}\n',
        '{"id": "a", "ref": [5, 1]} x\n',
        '{"id": "a", "ref": [5, 1]\n',
        '{"id": "a\\n", "ref": [5, 1]}\n',
        '{"id": "a", "ref": [5, 1], "units": 7}\n',
        '{"id": "a", "ref": [5, 1], "units": ["x"]}\n',
        '{"id": "a", "ref": [1, 1, 2, 2, 3, 3]}\n',  # numbers of segments?
        '{"id": " ", "ref": [5, 1]}\n',
        '{"id": null, "ref": [5, 1]}\n',
        '{"id": "a", "ref": [5, 1]}\n{"ref": [5, 1]}\n',
        '{"id": "a", "ref": [5, 1], "text": "\\u00e9"}\n',
        '{"id": "a", "ref": [5, 1]}\r{"id": "b", "ref": [5, 1]}\n',
        b'{"id": "\xff", "ref": [5, 1]}\n',
        b'{"id": "\xc3", "ref": [5, 1]}\n{"id": "\xa9", "ref": [5, 1]}\n',
        b'{"id": "a", "ref": [5, 1], "x": "\xff"}\n',
        "",
    ],
)
def test_anything_else_is_left_to_the_general_reader(tmp_path, text):
    assert quick(tmp_path, text) is None


@pytest.mark.parametrize(
    "choices", [{"flags": "last"}, {"encoding": "labels"}, {"threshold": 0.5}, {"units": "words:w"}]
)
def test_choices_about_other_encodings_are_left_to_it_too(tmp_path, choices):
    assert quick(tmp_path, PLAIN, **choices) is None


@pytest.mark.parametrize("piece", [7, 30, 1000])
def test_pieces_of_any_size_make_the_same_corpus(tmp_path, monkeypatch, piece):
    text = "".join(f'{{"id": "t{i}", "ref": [{i + 1}, 3, {2 * i + 1}]}}\n' for i in range(50))
    monkeypatch.setattr(columns, "PIECE", piece)
    corpus = quick(tmp_path, text)
    assert dict(corpus.entries) == dict(read_text(text, "x.jsonl").entries)
    assert corpus.sources["t41", "", "1"] == "x.jsonl, line 42"


@pytest.mark.slow
def test_scores_are_the_same_and_memory_is_that_of_the_columns(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text(
        "".join(
            f'{{"id": "t{i}", "ref": [{", ".join(str(1 + (i * j) % 40) for j in range(1, 60))}]}}\n'
            for i in range(4000)
        )
    )
    slow = read_text(path.read_text(), "x.jsonl")
    fp.read(path)
    tracemalloc.start()
    corpus = fp.read(path)
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept < 1.5 * corpus.nbytes
    assert corpus.fingerprint() == slow.fingerprint()
    small = corpus.where(["t1", "t2"])
    table = fp.score(small, small, metrics=["pk"], baselines=False)
    assert [row["value"] for row in table] == [0.0]
