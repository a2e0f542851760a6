"""Reading: every format, what a column of values means, and files that are broken."""

import json
from pathlib import Path

import pytest

import fencepost as fp
from fencepost.formats import FORMATS, FormatError, read_text


def masses(corpus):
    return {key.text: seg.masses for key, seg in corpus.entries.items()}


GOLD = {"d1": (5, 5, 1, 3), "d2": (7, 7)}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("gold.json", '{"d1": [5, 5, 1, 3], "d2": [7, 7]}'),
        ("gold.json", '{"d1": "0000100001100", "d2": "0000001000000"}'),
        ("gold.json", '[{"id": "d1", "ref": [5, 5, 1, 3]}, {"id": "d2", "ref": [7, 7]}]'),
        ("gold.jsonl", '{"id": "d1", "ref": [5, 5, 1, 3]}\n\n{"id": "d2", "ref": [7, 7]}\n'),
        ("gold.json", '{"id": "d1", "ref": [5, 5, 1, 3]}\n{"id": "d2", "ref": [7, 7]}\n'),
        ("gold", '{"d1": [5, 5, 1, 3], "d2": [7, 7]}'),
        ("gold.tsv", "d1\t5\t5\t1\t3\nd2\t7\t7\n"),
        ("gold.tsv", "text\tmasses\nd1\t5 5 1 3\nd2\t7 7\n"),
        ("gold.tsv", "d1\tan1\t5\t5\t1\t3\nd2\tan1\t7\t7\n"),
        ("gold.csv", "text,coder,masses\nd1,an1,5,5,1,3\nd2,an1,7,7\n"),
        ("gold.txt", "d1\t0000100001100\nd2\t0000001000000\n"),
        ("gold.bits", "d1\t0000100001100\nd2\t0000001000000\n"),
        ("gold.txt", "d1\t5 5 1 3\nd2\t7 7\n"),
        ("gold.json", '\ufeff{"d1": [5, 5, 1, 3], "d2": [7, 7]}'),
    ],
)
def test_masses_and_bits_are_read_from_every_form(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    assert masses(fp.read(path)) == GOLD


def test_coders_are_kept():
    corpus = read_text('{"d1": {"an1": [5, 5], "an2": [4, 6]}}', "x.json")
    assert corpus.coders == ["an1", "an2"]
    assert corpus["d1", "an2"].masses == (4, 6)


def test_segeval_json_is_read():
    text = '{"segmentation_type": "linear", "items": {"stargazer": {"1": [2, 3], "2": [5]}}}'
    for format in (None, "segeval"):
        corpus = read_text(text, "hearst.json", format)
        assert corpus["stargazer", "1"].masses == (2, 3)


def test_segeval_tsv_is_one_text_named_by_the_file():
    corpus = read_text("Coder\tMasses\n1\t2\t3\t3\n2\t2\t6\n", "hearst1997.tsv")
    assert corpus.texts == ["hearst1997"]
    assert corpus["hearst1997", "2"].masses == (2, 6)


def test_segevals_own_files_are_read_as_segeval_reads_them():
    import segeval

    folder = Path(segeval.__file__).parent / "data"
    for name in ("hearst1997.json", "hearst1997.tsv"):
        corpus = fp.read(folder / name)
        for coder, expected in segeval.HEARST_1997_STARGAZER["stargazer"].items():
            assert corpus[corpus.texts[0], str(coder)].masses == tuple(expected)


def test_flags_are_understood_where_the_data_prove_them():
    ends = '{"id": "a", "ref": [0, 0, 1, 0, 1]}\n{"id": "b", "ref": [1, 0, 1]}'
    corpus = read_text(ends, "x.jsonl")
    assert masses(corpus) == {"a": (3, 2), "b": (1, 2)}
    assert corpus.reading == {"flags": "last"}
    starts = '{"id": "a", "ref": [1, 0, 1, 0, 0]}\n{"id": "b", "ref": [1, 0, 1]}'
    corpus = read_text(starts, "x.jsonl")
    assert masses(corpus) == {"a": (2, 3), "b": (2, 1)}
    assert corpus.reading == {"flags": "first"}


@pytest.mark.parametrize("flags", ["[0, 1, 0]", "[1, 0, 1]"])
def test_flags_that_prove_nothing_are_refused_with_the_way_out(flags):
    with pytest.raises(FormatError, match=r'line 1: "preds" has 0/1 for each of 3 .*--flags last'):
        read_text(f'{{"id": "a", "preds": {flags}}}', "bert.jsonl")
    given = read_text(f'{{"id": "a", "preds": {flags}}}', "bert.jsonl", flags="first")
    assert given.reading == {"flags": "first"}


def test_units_tell_flags_from_bits():
    flags = '{"id": "a", "ref": [0, 0, 1, 0, 1], "units": ["a", "b", "c", "d", "e"]}'
    corpus = read_text(flags, "x.jsonl")
    assert masses(corpus) == {"a": (3, 2)}
    assert corpus.tokens["a", ""] == ["a", "b", "c", "d", "e"]
    bits = '{"id": "a", "ref": [0, 0, 1, 0], "units": 5}'
    assert masses(read_text(bits, "x.jsonl")) == {"a": (3, 2)}
    text = '{"id": "a", "ref": "00101", "units": 5}'
    assert masses(read_text(text, "x.jsonl", flags="last")) == {"a": (3, 2)}


def test_labels_positions_and_spans():
    assert masses(read_text('{"d": ["a", "a", "b"]}', "x.json")) == {"d": (2, 1)}
    assert masses(read_text('{"d": [0, 0, 1, 2]}', "x.json", encoding="labels")) == {"d": (2, 1, 1)}
    positions = '{"id": "d", "ref": [5, 10], "units": 14}'
    assert masses(read_text(positions, "x.jsonl", encoding="positions")) == {"d": (5, 5, 4)}
    assert masses(read_text('{"d": [[0, 5], [5, 14]]}', "x.json")) == {"d": (5, 9)}
    assert masses(read_text("d\ta a b", "x.masses", encoding="labels")) == {"d": (2, 1)}


def test_text_with_separators():
    choi = "==========\nThe cat sat.\nIt slept.\n==========\n\nDogs bark.\n==========\n"
    corpus = read_text(choi, "choi.txt")
    assert masses(corpus) == {"choi": (2, 1)}
    assert corpus.tokens["choi", ""] == ["The cat sat.", "It slept.", "Dogs bark."]
    blank = "The cat sat.\nIt slept.\n\n\nDogs bark.\n"
    assert masses(read_text(blank, "blank.txt")) == {"blank": (2, 1)}
    bars = read_text("the cat | sat down\nno bar\n", "bars.txt")
    assert masses(bars) == {"1": (2, 2), "2": (2,)}
    assert bars.tokens["1", ""] == ["the", "cat", "sat", "down"]


def test_a_folder_is_a_corpus_of_its_files(tmp_path):
    (tmp_path / "a.txt").write_text("x\ny\n==========\nz\n")
    (tmp_path / "b.txt").write_text("x\n")
    assert masses(fp.read(tmp_path)) == {"a": (2, 1), "b": (1,)}


def test_fields_are_found_named_or_asked_for():
    one = '{"id": "a", "preds": [5, 5]}'
    assert masses(read_text(one, "x.jsonl", default_field="hyp")) == {"a": (5, 5)}
    two = '{"id": "a", "gold": [5, 5], "preds": [4, 6], "n": 3}'
    with pytest.raises(FormatError, match=r'no field "hyp"; there are .*"gold".*--hyp-field'):
        read_text(two, "x.jsonl", default_field="hyp")
    assert masses(read_text(two, "x.jsonl", field="preds")) == {"a": (4, 6)}
    with pytest.raises(FormatError, match='no field "nope"'):
        read_text(two, "x.jsonl", field="nope")


@pytest.mark.parametrize("name", ["x.json", "x.jsonl", "x.tsv"])
def test_what_is_written_is_read_back(tmp_path, name):
    corpus = fp.Corpus.from_dict({"d1": [5, 5, 1, 3], "d2": [7, 7], "d3": [4]})
    fp.write(corpus, tmp_path / name)
    assert masses(fp.read(tmp_path / name)) == {"d1": (5, 5, 1, 3), "d2": (7, 7), "d3": (4,)}


@pytest.mark.parametrize(
    ("name", "format"), [("x.json", None), ("x.json", "segeval"), ("x.tsv", None)]
)
def test_coders_are_written_and_read_back(tmp_path, name, format):
    corpus = fp.Corpus.from_dict({"d1": {"an1": [5, 5], "an2": [4, 6]}, "d2": {"an1": [3]}})
    fp.write(corpus, tmp_path / name, format)
    assert fp.read(tmp_path / name).entries == corpus.entries


@pytest.mark.parametrize(("format"), list(FORMATS))
def test_the_example_of_each_format_can_be_read(format):
    assert len(read_text(FORMATS[format].example, "example", format)) > 0


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("x.json", "", "x.json is empty"),
        ("x.json", "{", r"x.json: not JSON: .*line 1, column 2"),
        ("x.json", '{"d": [3, 3], "d": [6]}', "x.json: 'd' is given twice"),
        ("x.json", '{"d": [3.5, 2]}', "x.json, d: segment lengths must be .*, found 3.5"),
        ("x.json", '{"d": [0.1, 0.9]}', "look like probabilities"),
        ("x.json", '{"d": [3, null]}', "found null None"),
        ("x.json", '{"d": [3, -1]}', "x.json, d: segment sizes must be at least 1; number 2 is -1"),
        ("x.json", '{"d": []}', "x.json, d: \"masses\" is an empty list"),
        ("x.json", '{"d": [], "e": [3]}', "x.json, d: masses are empty"),
        ("x.json", '{"d": 5}', "must be a list or a string of 0 and 1, found the number 5"),
        ("x.json", '{"d": "abc"}', "must be 0 and 1, found 'a'"),
        ("x.json", '{"d": [0, 0, 1, 2]}', "--as labels"),
        ("x.json", '{"d": [2, 0, 1]}', "no segment sizes"),
        ("x.json", "{}", "x.json has no texts"),
        ("x.json", "3", "expected"),
        ("x.json", '{"d": [1000000000000000000000]}', "is too large"),
        ("x.json", "[" * 100000, "nested too deeply|not JSON"),
        ("x.jsonl", '{"id": "a", "ref": [5]}\n{bad', "x.jsonl, line 2: not JSON"),
        ("x.jsonl", '{"id": "a", "ref": [5]}\n' * 2, "line 2: the text a is given twice"),
        ("x.jsonl", "[1, 2]\n[3]", "expected an object"),
        ("x.jsonl", '{"id": "a", "ref": [5, 5], "units": 11}', "has 10 units, the text has 11"),
        ("x.jsonl", '{"id": "a", "ref": [3, 6], "units": 12}', "--as positions"),
        ("x.jsonl", '{"id": "a", "ref": [0, 1], "units": 5}', "has 2 marks for a text of 5 units"),
        ("x.tsv", "d1\t5\t3.5\n", "line 1: segment lengths must be .*, found '3.5' in column 3"),
        ("x.tsv", "d1\t5\td\n", "found 'd' in column 3"),
        ("x.tsv", "d1\t5\nd1\t5\n", "line 2: d1 by 1 is given twice"),
        ("x.tsv", "name\tsizes\nd1\t5\n", "a header starts with text or coder"),
        ("x.tsv", "d1\t\n", "line 1: \"masses\" is an empty list"),
        ("x.txt", "a | | b\n", "line 1: segment 2 of 3 has no words"),
        ("x.txt", "==========\n", "x.txt has no text"),
        ("x.bits", "01\n02x\n", "line 2: expected 0/1 marks"),
        ("x.bits", "a\t01\na\t01\n", "line 2: the text a is given twice"),
        ("x.dat", "just words", "say it with --from"),
    ],
)  # fmt: skip
def test_broken_files_say_what_and_where(name, text, message):
    with pytest.raises(fp.FencepostError, match=message):
        read_text(text, name)


def test_files_that_are_not_there_or_not_text(tmp_path):
    with pytest.raises(FormatError, match="cannot be read"):
        fp.read(tmp_path / "none.json")
    (tmp_path / "bad.json").write_bytes(b'{"a":\n "\xff"}')
    with pytest.raises(FormatError, match=r"bad.json, line 2: not UTF-8"):
        fp.read(tmp_path / "bad.json")
    with pytest.raises(FormatError, match="no format 'xml'"):
        fp.read(tmp_path / "bad.json", "xml")
    (tmp_path / "empty").mkdir()
    with pytest.raises(FormatError, match="has no files"):
        fp.read(tmp_path / "empty")
    with pytest.raises(FormatError, match="separated cannot be written"):
        fp.write(fp.Corpus.from_dict({"a": [3]}), tmp_path / "x.txt")


def test_json_output_of_moonstone_shape_round_trips(tmp_path):
    data = {f"ch{i}": {f"an{j}": [i + j, 3] for j in range(1, 4)} for i in range(1, 6)}
    (tmp_path / "m.json").write_text(json.dumps(data))
    corpus = fp.read(tmp_path / "m.json")
    assert len(corpus) == 15
    assert corpus.coders == ["an1", "an2", "an3"]
