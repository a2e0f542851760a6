"""Plain files read into columns are what the general readers make of them, or are left to these."""

import gzip
import io
import json

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import fencepost as fp
from fencepost import formats
from fencepost.formats import FormatError, read_bytes, read_text
from fencepost.formats import scan as columns
from fencepost.formats.files import decode_bytes
from fencepost.formats.options import Reading

NAMES = st.one_of(
    st.sampled_from(["a", "d1", "7", "007", "d 2", "é", "第一章", "\u3000x", "y\u00a0", "\u200b",
                     "10", "id", "ref", "items", "token", "==== x", "=====", "start_index", "text",
                     "a|b", "a,b", "x;y", '"q"', "e", "1.5", "[a]", "\x85z", "<eob>", "coder"]),
    st.text(st.sampled_from("abé字 -_7.\u2028"), min_size=1, max_size=4),
)  # fmt: skip
SIZES = st.lists(st.integers(1, 60), min_size=1, max_size=8)
MARKS = st.lists(st.integers(0, 1), min_size=1, max_size=20)
ODD = st.sampled_from([0, 1, -1, 10, 11, 2**40, 2**40 - 1, 10**17, 10**18, 2**63, "01", "1.0", ""])
ENDS = st.sampled_from(["\n", "\r\n", "\n\n", " \n", "\r", "\n \t\n", ",\n", "\t\n"])
CHOICES = st.sampled_from(
    [{}, {}, {}, {}, {"encoding": "masses"}, {"encoding": "bits"}, {"encoding": "flags"},
     {"flags": "last"}, {"flags": "first"}, {"encoding": "labels"}, {"threshold": 0.5}]
)  # fmt: skip


@st.composite
def texts(draw, coders=True):
    """Names, coders and values: all of one form, most of them plain."""
    form = draw(st.sampled_from(["sizes", "sizes", "marks", "last", "bits"]))
    rows = []
    for number in range(draw(st.integers(1, 5))):
        plain = draw(st.integers(0, 9)) > 0
        name = f"t{number}" if plain else draw(NAMES)
        by = draw(st.sampled_from(["an1", "an2", "é", "字"])) if coders else ""
        values = draw(SIZES if form == "sizes" else MARKS)
        if form == "last":
            values = [0, *values, 1]
        if draw(st.integers(0, 14)) == 0:
            values = [*values, draw(ODD)]
        rows.append((name, by, values))
    if draw(st.integers(0, 9)) == 0:
        rows.append(rows[0])
    return rows, form == "bits"


@st.composite
def joined(draw, lines):
    """Lines with ends of any kind, as a file's bytes."""
    ends = [draw(ENDS)] * len(lines) if draw(st.booleans()) else [draw(ENDS) for _ in lines]
    text = "".join(line + end for line, end in zip(lines, ends, strict=True))
    if draw(st.booleans()):
        text = text.rstrip("\r\n")
    if draw(st.integers(0, 9)) == 0:
        text = "\n \n" + text
    bom = b"\xef\xbb\xbf" * draw(st.sampled_from([0, 0, 0, 1, 2]))
    return bom + text.encode("utf-8", "surrogatepass")


def outcome(read):
    try:
        corpus = read()
    except FormatError as error:
        return str(error)
    return (
        dict(corpus.entries), list(corpus.entries), dict(corpus.sources), dict(corpus.tokens),
        dict(corpus.source.choices), corpus.source, corpus.source.shape, corpus.source.ignored,
        corpus.source.id_field,
    )  # fmt: skip


def is_quick(data, name):
    """Whether a file is read by a scanner."""
    return formats._read_quickly(io.BytesIO(data), None, Reading(name), None) is not None


def agree(data, name, format=None, **choices):
    """Both ways give the same corpus, or the same sentence."""

    def general():
        return read_text(decode_bytes(data, name), name, format, **choices)

    assert outcome(lambda: read_bytes(data, name, format, **choices)) == outcome(general)


def written(values, bits, between):
    words = list(map(str, values))
    return "".join(words) if bits else between.join(words)


@st.composite
def tables_of_sizes(draw):
    rows, bits = draw(texts())
    mark = draw(st.sampled_from(["\t", "\t", ",", ";"]))
    space = draw(st.sampled_from(["", "", " ", "  "]))
    between = draw(st.sampled_from([mark, mark, " ", mark + " "]))
    layout = draw(st.sampled_from(["text", "text coder", "coder"]))
    header = draw(st.sampled_from([None, "masses", "Masses", "sizes", "", "positions", "x"]))
    lines = [] if header is None else [mark.join([*layout.title().split(), header]).rstrip(mark)]
    for name, by, values in rows:
        names = {"text": [name], "text coder": [name, by], "coder": [by]}[layout]
        cells = [*(space + one + space for one in names), written(values, bits, between)]
        lines.append(mark.join(cells) + draw(st.sampled_from(["", "", mark, mark + " "])))
    return draw(joined(lines))


FULL = settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.slow
@FULL
@given(data=tables_of_sizes(), choices=CHOICES, ending=st.sampled_from([".tsv", ".csv"]))
@example(b"a\t1\t1,\nb\t2\n", {}, ".tsv")
@example(b"text,masses\ra,5,5\nb,5,5\n", {}, ".csv")
@example(b"1" + b"\t5" * 9 + b"\n", {}, ".tsv")  # ten columns may be CoNLL-U
@example(b"d1\t0 1 0 11 0 1\n", {}, ".tsv")  # 11 is no mark, and not two of them
def test_tables_of_sizes(data, choices, ending):
    agree(data, "x" + ending, **choices)
    agree(data, "x", "tsv", **choices)
    agree(data, "x", "segeval", **choices)


@st.composite
def number_lines(draw):
    rows, bits = draw(texts(coders=False))
    between = draw(st.sampled_from([" ", " ", ",", ", ", "  ", "\t", " , "]))
    named = draw(st.booleans())
    space = draw(st.sampled_from(["", "", " ", "\t", ","]))
    lines = []
    for name, _, values in rows:
        own = space + written(values, bits, between) + space
        lines.append(f"{name}\t{own}" if named else own)
    return draw(joined(lines))


@pytest.mark.slow
@FULL
@given(data=number_lines(), choices=CHOICES, ending=st.sampled_from([".bits", ".masses"]))
@example(b"11\n5 5\n", {}, ".masses")
@example(b"d1\t10\nd2\t11\n", {}, ".masses")
@example(b"0\n1\n", {}, ".bits")
@example(b"1\t5\t5\n", {}, ".masses")
@example(b"5\t9\n", {}, ".masses")  # a text named 5, or two numbers?
def test_number_lines(data, choices, ending):
    agree(data, "x" + ending, **choices)
    agree(data, "x", "lines", **choices)


@st.composite
def named_tables(draw):
    rows, bits = draw(texts())
    mark = draw(st.sampled_from([",", "\t", ";"]))
    between = draw(st.sampled_from([" ", " ", ", ", ","]))
    brackets = draw(st.booleans()) and not bits
    names = draw(st.permutations(["id", "coder", "ref", "hyp", "units", "note"]))
    names = [n for n in names if n in ("id", "ref") or draw(st.booleans())]
    other = {"id": draw(st.sampled_from(["id", "text", "Doc"])), "coder": "Annotator"}
    lines = [mark.join(other.get(name, name) for name in names)]
    for name, by, values in rows:
        own = written(values, bits, between)
        own = f"[{own}]" if brackets else own
        whole = all(isinstance(v, int) for v in values)
        units = sum(values) if whole and draw(st.integers(0, 9)) else draw(st.integers(0, 99))
        note = draw(
            st.sampled_from(["", "good", "ok e", "1 2", "[1]", "[x", "1e5 2", "0.5", " [a]"])
        )
        cells = {"id": name, "coder": by, "ref": own, "hyp": own, "units": str(units), "note": note}
        lines.append(
            mark.join(f'"{c}"' if mark in c or draw(st.integers(0, 5)) == 0 else c
                      for c in map(cells.__getitem__, names))
        )  # fmt: skip
    return draw(joined(lines))


@pytest.mark.slow
@FULL
@given(data=named_tables(), choices=CHOICES)
@example(b"id,ref,units\na,5 5,10\nb,5 6,11\n", {})
@example(b"id,ref,note\na,5 5,1.2.3 4\n", {})
@example(b"id,ref,units\na,101100100,10\n", {})  # 10 is a number, no string of marks
@example(b'id,ref\na,"[5, 5 ;]"\nb,"[5, 5;"\n', {})
def test_named_tables(data, choices):
    agree(data, "x.csv", **choices)
    agree(data, "x", "table", **choices)


@st.composite
def json_texts(draw):
    rows, bits = draw(texts())
    nested = draw(st.sampled_from(["none", "all", "some"]))
    data = {}
    for name, by, values in rows:
        own = "".join(map(str, values)) if bits else values
        deep = nested == "all" or (nested == "some" and draw(st.booleans()))
        if deep and isinstance(data.get(name, {}), dict):
            data.setdefault(name, {})[by] = own
        else:
            data[name] = own
    form = draw(st.sampled_from(["texts", "texts", "items", "both"]))
    if form != "texts":
        data = {"items": data}
        if form == "both":
            data = {"segmentation_type": draw(st.sampled_from(["linear", "tree"])), **data, "id": 7}
        data = dict(draw(st.permutations(list(data.items()))))
    text = json.dumps(
        data, indent=draw(st.sampled_from([None, 1])), ensure_ascii=draw(st.booleans()),
        separators=draw(st.sampled_from([(",", ":"), (", ", " : ")])),
    )  # fmt: skip
    return draw(joined([draw(st.sampled_from(["", " ", "\n"])) + text]))


@pytest.mark.slow
@FULL
@given(data=json_texts(), choices=CHOICES)
@example(b'{"a": {"x": [5]}, "a": {"y": [5]}}', {})
@example(b'{"a": {"x": [5], "x": [5]}}', {})
@example(b'{"a": {}}', {})
@example(b'{"items": {"a": [5, 5]}, "items": {"b": [5, 5]}}', {})
@example(b'{"start_index": [5], "end_index": [3]}', {})
@example(b'{"a": [5, 5]} {"b": [5]}', {})
def test_json(data, choices):
    agree(data, "x.json", **choices)
    agree(data, "x", "json", **choices)
    agree(data, "x", "segeval", **choices)


WORDS = st.lists(st.sampled_from(["a", "b c", "é", '"', "\\", "\n", "字", ""]), max_size=5)
EXTRA = st.one_of(
    WORDS, st.integers(-3, 10**20), st.floats(allow_nan=True), st.none(), st.booleans(),
    st.dictionaries(st.sampled_from(["a", "é", '"']), st.integers(0, 3), max_size=2),
)  # fmt: skip


@st.composite
def json_lines(draw):
    rows, bits = draw(texts(coders=False))
    named = draw(st.integers(0, 4)) > 0
    units = draw(st.sampled_from(["no", "number", "words", "some"]))
    lines = []
    for name, _, values in rows:
        record = {"id": name} if named else {}
        record["ref"] = "".join(map(str, values)) if bits else values
        size = len(values) if {*values} <= {0, 1} else sum(v for v in values if isinstance(v, int))
        size += draw(st.sampled_from([0, 0, 0, 0, 1]))
        if units == "number" or (units == "some" and draw(st.booleans())):
            record["units"] = size
        elif units == "words" and size < 500:
            record["units"] = (draw(WORDS) * size + ["w"] * size)[:size]
        if draw(st.integers(0, 3)) == 0:
            record[draw(st.sampled_from(["hyp", "x", "text", "duration", "é"]))] = draw(EXTRA)
        lines.append(json.dumps(record, ensure_ascii=draw(st.booleans())))
    return draw(joined(lines))


@pytest.mark.slow
@FULL
@given(data=json_lines(), choices=CHOICES)
@example(b'{"id": "a", "ref": [0, 1], "units": 3}\n{"id": "b", "ref": [0, 1, 0]}\n', {})
@example(b'{"id": "a", "ref": [5, 5], "start_index": 0, "end_index": 10}\n', {})
def test_json_lines(data, choices):
    agree(data, "x.jsonl", **choices)
    agree(data, "x.json", **choices)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.tsv", "text\tcoder\tmasses\nd1\tan1\t5\t5\nd1\tan2\t4\t6\nd2\tan1\t3\n"),
        ("x.tsv", "d1\t5 5\r\n\r\nd2\t3 4 \r\n"),
        ("x.csv", "text,masses\né,5,5,\n 字 , 3 , 4\n"),
        ("x.csv", "d1;an1;5;5\nd2;an2;3;4"),
        ("x.tsv", "Coder\tMasses\nan1\t5\t5\nan2\t4\t6\n"),
        ("x.tsv", "d1\t0101\nd2\t00\n"),
        ("x.tsv", "d1\t0\t1\t1\nd2\t0\t0\t1\n"),
        ("x.csv", 'id,ref,hyp,units\nd1,5 5 1 3,"[5, 9]",14\nd2,7 7,"[14]",14\n'),
        ("x.csv", 'text,annotator,masses,ref,note\nd1,a,9,"[5, 4]",fine\nd1,b,9,"[9]",\n'),
        ("x.csv", "id,ref\nd1,0101\nd2,00\n"),
        ("x.masses", "5 5\n3, 4\n14\n"),
        ("x.masses", "d1\t5 5\nd2\t3,4\n"),
        ("x.bits", "00100\n0010\n"),
        ("x.bits", "d1\t00100\nd2\t01\n"),
        ("x.bits", "d1\t0 0 1\nd2\t0 1\n"),
        ("x.json", '{"d1": [5, 5], "d2": [3]}'),
        ("x.json", '{"d1": {"an1": [5, 5], "an2": [4, 6]},\n "d2": {"an1": [3]}}\n'),
        ("x.json", '{"d1": "0010", "d2": "01"}'),
        ("x.json", '{"d1": [0, 1, 1], "d2": [0, 1]}'),
        ("x.json", '{"items": {"d1": {"a": [1, 2]}}, "segmentation_type": "linear", "id": 3}'),
        ("x.jsonl", '{"id": "a", "ref": [0, 0, 1]}\n{"id": "b", "ref": [1, 1]}\n'),
        ("x.jsonl", '{"id": "a", "ref": "0010"}\n{"id": "b", "ref": "1", "units": 2}\n'),
        ("x.jsonl", '{"id": "a", "ref": [2, 1], "units": ["a b", "\\"", "é"], "x": {"y": [1]}}\n'),
        ("x.json", '{"id": "a", "ref": [2, 1]}\n{"id": "b", "ref": [3]}\n'),
    ],
)  # fmt: skip
def test_what_is_plain_is_read_into_columns(tmp_path, name, text):
    (tmp_path / name).write_bytes(text.encode("utf-8"))
    corpus = fp.read(tmp_path / name)
    assert is_quick(text.encode("utf-8"), name)
    assert outcome(lambda: corpus) == outcome(lambda: read_text(text, name))
    packed = gzip.compress(text.encode("utf-8"))
    assert is_quick(packed, name) and read_bytes(packed, name) == corpus


@pytest.mark.slow
@pytest.mark.parametrize("piece", [11, 30, 1000])
@pytest.mark.parametrize("format", ["tsv", "lines", "table", "json"])
def test_pieces_of_any_size_make_the_same_corpus(monkeypatch, piece, format):
    rows = [(f"t{i}", f"an{i % 3}", [i + 1, 3, 2 * i + 1]) for i in range(50)]
    text = {
        "tsv": "text\tcoder\tmasses\n" + "".join(
            "\t".join([t, c, *map(str, m)]) + "\n" for t, c, m in rows),
        "lines": "".join(f"{t}\t{' '.join(map(str, m))}\n" for t, _, m in rows),
        "table": "id,coder,ref\n" + "".join(f'{t},{c},"{m}"\n' for t, c, m in rows),
        "json": json.dumps({t: {c: m} for t, c, m in rows}),
    }[format]  # fmt: skip
    monkeypatch.setattr(columns, "PIECE", piece)
    monkeypatch.setattr(columns, "JSON_CUTS", piece)
    corpus = columns.read_plain(io.BytesIO(text.encode()), Reading("x"), format)
    assert outcome(lambda: corpus) == outcome(lambda: read_text(text, "x", format))
    assert len(corpus.entries) == 50 and ("t1", "", "x") not in corpus.entries


def test_cells_that_python_refuses_are_left_to_it():
    long = "01" * 70_000
    agree(f"d1\t{long}\nd2\t{long}\n".encode(), "x.tsv")
    agree(f'id,ref\nd1,"{"5 " * 70_000}"\n'.encode(), "x.csv")
    agree(f"d1\t{long}\nd2\t{long}\n".encode(), "x.bits")


def test_bytes_that_are_no_text_are_left_to_the_general_reader():
    for name, data in [
        ("x.tsv", b"\xff\t5 5\n"),
        ("x.masses", b"\xc3\t5 5\n\xa9\t5 5\n"),
        ("x.json", b'{"\xc3": [5], "\xa9": [5]}'),
        ("x.jsonl", b'{"id": "a", "ref": [5], "x": "\xed\xa0\x80"}\n'),
        ("x.csv", b"id,ref,x\na,5 5,\xffb\n"),
    ]:
        agree(data, name)
        assert "not UTF-8" in outcome(lambda d=data, n=name: read_bytes(d, n))
