"""Reading: every format, what a column of values means, and files that are broken."""

import csv
import json
import re
from pathlib import Path

import pytest

import fencepost as fp
from fencepost.formats import FORMATS, FormatError, read_text
from fencepost.model.corpus import Key


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
    assert corpus.source.choices == {"flags": "last"}
    starts = '{"id": "a", "ref": [1, 0, 1, 0, 0]}\n{"id": "b", "ref": [1, 0, 1]}'
    corpus = read_text(starts, "x.jsonl")
    assert masses(corpus) == {"a": (2, 3), "b": (2, 1)}
    assert corpus.source.choices == {"flags": "first"}


@pytest.mark.parametrize("flags", ["[0, 1, 0]", "[1, 0, 1]"])
def test_flags_that_prove_nothing_are_refused_with_the_way_out(flags):
    with pytest.raises(FormatError, match=r'line 1: "preds" has 3 marks .*--flags last'):
        read_text(f'{{"id": "a", "preds": {flags}}}', "bert.jsonl")
    given = read_text(f'{{"id": "a", "preds": {flags}}}', "bert.jsonl", flags="first")
    assert given.source.choices == {"flags": "first"}


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
    with pytest.raises(FormatError, match=r'no field "hyp"; there are .*"gold".*--columns hyp='):
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


@pytest.mark.parametrize("format", [one for one in FORMATS.values() if not one.read_bytes])
def test_the_example_of_each_format_can_be_read(format, tmp_path):
    (tmp_path / "example").write_text(format.example, encoding="utf-8")
    if "segmentations" in format.gives:
        assert len(read_text(format.example, "example", format.name, **format.choices)) > 0
    if "references" in format.gives and format.name != "tsv":  # whose example has sizes
        assert len(fp.read_references(tmp_path / "example", format=format.name).segments) == 2
    if "streams" in format.gives and format.name != "tsv":
        found = fp.read_streams(tmp_path / "example", format=format.name)
        assert len(found) == 1 and found.streams[0].text


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("x.ctm", "t 1 0 1 a\n", "x.ctm: files of the format ctm give streams, not segmentations; "
         "fencepost resegment reads them"),
        ("x.out", "<refset>", "x.out: files of the format set give references and streams, "),
        ("x.sgm", "<refset>", "x.sgm: files of the format set give references and streams, not "),
    ],
)  # fmt: skip
def test_files_of_words_are_told_where_they_belong(name, text, message):
    with pytest.raises(FormatError, match=f"^{re.escape(message)}"):
        read_text(text, name)


@pytest.mark.parametrize(
    ("name", "text", "format"),
    [
        ("x.srt", "1\n00:00:01,000 --> 00:00:02,500\nSo we went\n", "srt"),
        ("x.TextGrid", FORMATS["textgrid"].example, "textgrid"),
    ],
)
def test_files_of_segmentations_are_no_words(tmp_path, name, text, format):
    (tmp_path / name).write_text(text, encoding="utf-8")
    for read, wanted in ((fp.read_references, "references"), (fp.read_streams, "streams")):
        message = (
            f"{name}: files of the format {format} give segmentations, not {wanted}; fencepost "
            "score reads them; "
        )
        with pytest.raises(FormatError, match=f"^{re.escape(message)}"):
            read(tmp_path / name)


def test_what_a_file_is_follows_from_what_is_wanted(tmp_path):
    (tmp_path / "x.txt").write_text("a b\nc\n\nd\n")
    assert fp.read(tmp_path / "x.txt").entries["x", "", "1"].masses == (2, 1)
    assert len(fp.read_references(tmp_path / "x.txt").segments) == 4
    (tmp_path / "x.tsv").write_text("text\tstart\nso\t0.5\nwe\t1\n")
    (stream,) = fp.read_streams(tmp_path / "x.tsv")
    assert (stream.text, [word.start for word in stream.words]) == ("so we", [0.5, 1])
    (tmp_path / "x.tok").write_text("plain text , as tokenizers write it\n")
    assert len(fp.read_references(tmp_path / "x.tok").segments) == 1


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("x.json", "", "x.json is empty"),
        ("x.json", "{", r"x.json, line 1: not JSON: .*column 2"),
        ("x.json", '{"d": [3, 3], "d": [6]}', 'x.json, line 1: "d" is given twice'),
        ("x.json", '{"d": [3.5, 2]}', "x.json, line 1, d: segment lengths must be .*, found 3.5"),
        ("x.json", '{"d": [0.1, 0.9]}', "look like probabilities"),
        ("x.json", '{"d": [3, null]}', "must hold whole numbers, found null$"),
        ("x.json", '{"d": [3, -1]}', "line 1, d: segment sizes must be at least 1; number 2 is -1"),
        ("x.json", '{"d": []}', "x.json, line 1, d: \"masses\" is an empty list"),
        ("x.json", '{"d": [], "e": [3]}', 'x.json, line 1, d: "masses" is an empty list'),
        ("x.json", '{"d": 5}', "must be a list or a string of 0 and 1, found the number 5"),
        ("x.json", '{"d": "abc"}', 'must be 0 and 1, found "a"'),
        ("x.json", '{"d": [0, 0, 1, 2]}', '"masses" starts at 0 and rises .*--encoding labels'),
        ("x.json", '{"d": [0, 1, 2, 2]}', '"masses" starts at 0 and rises .*--encoding labels'),
        ("x.json", '{"d": [1, 1, 2, 2]}', '"masses" starts at 1 and rises .*--encoding labels'),
        ("x.json", '{"d": [2, 0, 1]}', "d: segment sizes must be at least 1; number 2 is 0"),
        ("x.json", "{}", "x.json, line 1: no texts"),
        ("x.json", "3", "expected"),
        ("x.json", '{"d": [1000000000000000000000]}', "is too large"),
        ("x.json", "[" * 100000, "nested too deeply|not JSON"),
        ("x.jsonl", '{"id": "a", "ref": [5]}\n{bad', "x.jsonl, line 2: not JSON"),
        ("x.jsonl", '{"id": "a", "ref": [5]}\n' * 2, "line 2: the text a is given twice"),
        ("x.jsonl", "[1, 2]\n[3]", "expected an object"),
        ("x.jsonl", '{"id": "a", "ref": [5, 5], "units": 11}', "has 10 units, the text has 11"),
        ("x.jsonl", '{"id": "a", "ref": [3, 6], "units": 12}', "--encoding positions"),
        ("x.jsonl", '{"id": "a", "ref": [0, 1], "units": 5}', "has 2 marks for a text of 5 units"),
        ("x.tsv", "d1\t5\t3.5\n", "line 1: segment lengths must be .*, found '3.5' in column 3"),
        ("x.tsv", "d1\t5\td\n", "found 'd' in column 3"),
        ("x.tsv", "d1\t5\nd1\t5\n", "line 2: the text d1 is given twice"),
        ("x.tsv", "name\tsizes\n", "a header starts with text or coder"),
        ("x.tsv", "name\tsizes\nd1\t5\n", "sizes: whole numbers.*header text, masses"),
        ("x.tsv", "d1\t\n", "line 1: no sizes after 'd1'; tabs .or commas. are between columns"),
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


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.txt", "The cat | the dog.\nIt slept.\n\nDogs bark.\n"),  # segments, and one bar
        ("x.txt", "a | b\n\nc | d\n"),  # empty lines and bars
        ("x.txt", "a|b\nc|d\n"),
        ("x.txt", "a | b\nc\nd\n"),
        ("x.dat", "a | b\nc\nd\n"),
        ("x.ref", "a | b\r\nc\r\n\r\nd\r\n"),
    ],
)
def test_a_bar_in_prose_is_not_guessed(name, text):
    with pytest.raises(FormatError, match=r"line 1: \| may .* --from lines .* --from separated"):
        read_text(text, name)
    assert read_text(text, name, "separated").texts == ["x"]
    assert read_text(text, name, "lines").unit == "word"


def test_a_bar_in_prose_with_separators_is_prose():
    assert masses(read_text("a | b\nc\n=====\nd\n", "x.txt")) == {"x": (2, 1)}


def test_words_with_bars_are_guessed_where_most_lines_have_them():
    corpus = read_text("a b | c\nd | e\nf\n\n", "x.txt")
    assert masses(corpus) == {"1": (2, 1), "2": (1, 1), "3": (1,)}
    # A size a segment and a number of it for each unit are the same here: bars are always sizes.
    assert masses(read_text("a | b | c d | e f | g h i | j k l", "x.txt")) == {
        "1": (1, 1, 2, 2, 3, 3)
    }
    with pytest.raises(FormatError, match="line 1: expected 0/1 marks"):
        read_text("a | b", "x.txt", encoding="bits")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("5 5\n4 4.5\n3 3\n", "line 2: expected .*, found '4.5'"),
        ("5 5\n4 four\n", "line 2: expected .*, found 'four'"),
        ("d1\t5 5\nd2\t4 x\n", "line 2: expected .*, found 'x'"),
        ("d1: 5 5\nd2: 4 4\n", "line 1: .*found 'd1:'; the name of a text is before a tab"),
        ("d1 5 5\nd2 4 4\n", "line 1: .*found 'd1'; the name of a text is before a tab"),
        ("d1\tan1\t5\t5\n", "line 1: .*found 'an1'; tables .* --from tsv"),
        ("5 5\n4 | 4\n3 3\n", r"line 2: .*found '\|'"),
        ("5 5\n---\n3 3\n", "numbers and separator lines: say --from"),
        ("5\t5\n3\t3\n", "line 1: only whole numbers with tabs .* --from tsv"),
        ("1\n0\n1\n", "every line is one number, .* --encoding bits"),
        ("5\n10\n1\n", "every line is one number, .* --encoding masses"),
        ("5 5\n0101\n", "line 2: segment sizes do not start with 0, found '0101'"),
        ("d1\t5 5\n4 4\n", "line 2: no name before a tab"),
        ("\t5 5\n", "line 1: no name before a tab"),
        ("5 5\n4 " + "9" * 5000, "line 2: a number of 5000 digits is too large"),
    ],
)
@pytest.mark.parametrize("name", ["x.txt", "x.dat"])
def test_numbers_with_a_mistake_do_not_become_prose(name, text, message):
    with pytest.raises(FormatError, match=message):
        read_text(text, name)


def test_lines_that_only_end_in_a_number_are_prose():
    assert masses(read_text("sentence 1\nsentence 2\n\nsentence 3\n", "x.txt")) == {"x": (2, 1)}


def test_sizes_of_one_segment_stand_among_others():
    assert masses(read_text("5 5\n10\n", "x.txt")) == {"1": (5, 5), "2": (10,)}
    assert masses(read_text("1\t0110\n2\t0011\n", "x.txt")) == {"1": (2, 1, 2), "2": (3, 1, 1)}


@pytest.mark.parametrize("rule", ["---", "***", "_____", "~~~", "===", " ---- "])
def test_other_rules_divide_like_equal_signs(rule):
    assert masses(read_text(f"a\n\nb\n{rule}\nc\n", "x.txt")) == {"x": (2, 1)}
    mixed = f"a\n=====\nb\n{rule}\nc\n"  # equal signs go first
    assert read_text(mixed, "x.txt").texts == ["x"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.json", '{"a": "001001", "b": "0001"}'),
        ("x.jsonl", '{"id": "a", "ref": "001001"}\n{"id": "b", "ref": "0001", "units": 4}'),
        ("x.txt", "a\t001001\nb\t0001\n"),
        ("x.tsv", "a\t001001\nb\t0001\n"),
    ],
)
def test_flags_make_strings_one_mark_a_unit(name, text):
    corpus = read_text(text, name, flags="last")
    assert masses(corpus) == {"a": (3, 3), "b": (4,)}
    assert corpus.source.choices == {"flags": "last"}


def test_flags_against_the_units_are_refused():
    text = '{"id": "a", "ref": "0010", "units": 5}'
    assert masses(read_text(text, "x.jsonl")) == {"a": (3, 2)}
    with pytest.raises(FormatError, match=r"4 marks for a text of 5 units.*without --flags"):
        read_text(text, "x.jsonl", flags="last")
    with pytest.raises(FormatError, match="flags must be last or first, found 'end'"):
        read_text(text, "x.jsonl", flags="end")


@pytest.mark.parametrize("sign", ["\u2028", "\x85", "\x0c", "\x1d"])
def test_only_line_ends_end_a_line(sign):
    assert read_text(f"a{sign}b\nc\n", "x.txt").tokens["x", ""] == [f"a{sign}b", "c"]
    assert read_text(f"a{sign}b | c\n", "x.txt").texts == ["1"]
    line = (
        f'{{"id": "a{sign}b", "ref": [5]}}' if sign in "\u2028\x85" else '{"id": "a", "ref": [5]}'
    )
    assert len(read_text(line + "\n", "x.jsonl")) == 1
    assert read_text(f"token,an\na{sign}b,.\n", "x.csv").tokens["x", ""] == [f"a{sign}b"]
    assert read_text(f"a{sign}b\t5\n", "x.tsv").texts == [f"a{sign}b"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_all_line_ends_are_the_same(end):
    for name, lines in {
        "g.txt": ["d1\t5 5 1 3", "", "d2\t7 7"],
        "g.tsv": ["d1\t5\t5\t1\t3", "d2\t7\t7\t\t"],
        "g.csv": ["\ufefftext,masses,,,", '"d1","5",5,1,3', "d2,7,7,,"],
        "h.csv": ["text;coder;masses", "d1;a;5 5 1 3", "d2;a;7 7"],
        "g.jsonl": ['{"id": "d1", "ref": [5, 5, 1, 3]}', '{"id": "d2", "ref": [7, 7]}'],
        "g.json": ['{"d1": [5, 5, 1, 3],', '"d2": [7, 7]}'],
    }.items():
        assert masses(read_text(end.join(lines).lstrip("\ufeff") + end, name)) == GOLD
    assert masses(read_text(end.join(["a", "", "b", "c", ""]), "x.txt")) == {"x": (1, 2)}


def test_tables_tell_bits_from_sizes():
    bits = {"a": (2, 2, 1), "b": (1, 4)}
    assert masses(read_text("a\t0101\nb\t1000\n", "x.tsv")) == bits
    assert masses(read_text("text\tbits\na\t0101\nb\t1000\n", "x.tsv")) == bits
    assert masses(read_text("a\tan1\t0101\nb\tan1\t1000\n", "x.tsv")) == bits
    assert masses(read_text("a\t0\t1\t0\t1\nb\t1000\n", "x.tsv", encoding="bits")) == bits
    assert masses(read_text("text\tmasses\na\t10\nb\t11\n", "x.tsv")) == {"a": (10,), "b": (11,)}
    assert masses(read_text("a\tx x y\n", "x.tsv", encoding="labels")) == {"a": (2, 1)}
    assert masses(read_text("d1\t5 5 1 3\nd2\t7 7\n", "x.tsv")) == GOLD


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\t0101\nb\t5\t5\n", "line 1: segment lengths do not start with 0, found '0101' in"),
        ("Coder\tMasses\n", "x.tsv has no rows under its header"),
        ("coder\n", "x.tsv has no rows under its header"),
        ("\t5\t5\n", "line 1: column 1 is empty, where the name of a text"),
        ("text\tcoder\tmasses\na\t\t5\n", "line 2: column 2 is empty, .* a coder"),
        ("a\t5\t\t5\n", "line 1: column 3 is empty between sizes"),
        (
            "text\tan1\tan2\nd1\t5 5\t4 6\n",
            r"the names of the columns do not .*an1, an2: several numbers.*\s.*--coders an1 an2",
        ),
        ("id\t0\t1\t2\nd1\t5\t5\t1\n", "line 1: this may be a header with numbered columns"),
        ("a\t" + "9" * 5000, "line 1: a number of 5000 digits is too large"),
        ('a\t"5\nb\t5\n', "line 1: a quotation mark opens here and does not close"),
        ('a\t5\nb\t"5', "line 2: a quotation mark opens here and does not close"),
    ],
)
def test_broken_tables_of_sizes_say_what_and_where(text, message):
    with pytest.raises(FormatError, match=message):
        read_text(text, "x.tsv")


def test_numbers_in_quotation_marks_are_not_labels():
    with pytest.raises(FormatError, match=r"numbers in quotation marks .*--encoding labels"):
        read_text('{"d": ["5", "5", "1", "3"]}', "x.json")
    quoted = read_text('{"d": ["5", "5", "1", "3"]}', "x.json", encoding="labels")
    assert masses(quoted) == {"d": (2, 1, 1)}


def test_numbers_of_segments_are_not_taken_for_sizes():
    text = '{"d": [1, 1, 1, 2], "e": [1, 2, 2, 3]}'
    for name, same in (("x.json", text), ("x.txt", "1 1 1 2\n1 2 2 3\n")):
        with pytest.raises(FormatError, match=r"--encoding labels if .*, --encoding masses if"):
            read_text(same, name)
    assert masses(read_text(text, "x.json", encoding="labels")) == {"d": (3, 1), "e": (1, 2, 1)}
    sizes = {"d": (1, 1, 1, 2), "e": (1, 2, 2, 3)}
    assert masses(read_text(text, "x.json", encoding="masses")) == sizes
    # Whatever says that they are sizes is believed: a header, segeval's layout, the units.
    table = "text\tmasses\nd\t1 1 1 2\ne\t1 2 2 3\n"
    assert masses(read_text(table, "x.tsv")) == sizes
    items = f'{{"segmentation_type": "linear", "items": {text}}}'
    assert masses(read_text(items, "x.json")) == sizes
    units = '{"id": "d", "ref": [1, 1, 1, 2, 2, 3], "units": 10}'
    assert masses(read_text(units, "x.jsonl")) == {"d": (1, 1, 1, 2, 2, 3)}
    for other in ("[1, 2]", "[1, 1, 1, 1, 1, 1]", "[1, 3, 3, 3, 3, 3]", "[1, 2, 1, 2, 1, 2]"):
        assert len(read_text(f'{{"d": {other}}}', "x.json")) == 1


def test_segeval_tables_are_read_as_segeval_too():
    text = "Coder\tMasses\n1\t2\t3\n2\t5\n"
    assert read_text(text, "x.tsv", "segeval").entries == read_text(text, "x.tsv").entries
    for empty in ("Coder\tMasses\n", "coder\n"):
        with pytest.raises(FormatError, match=r"x.tsv has no rows under its header"):
            read_text(empty, "x.tsv", "segeval")
    with pytest.raises(FormatError, match="start with Coder and Masses; found 'd1'"):
        read_text("d1\t5\n", "x.tsv", "segeval")


def test_one_object_may_be_one_record():
    record = '{"id": "a", "ref": [5, 5], "hyp": [4, 6]}'
    assert masses(read_text(record, "x.json")) == {"a": (5, 5)}
    assert masses(read_text(record, "x.json", field="hyp")) == {"a": (4, 6)}
    assert masses(read_text(record, "x.json", default_field="hyp")) == {"a": (4, 6)}
    assert masses(read_text('{"units": 5, "ref": "0100"}', "x.json")) == {"1": (2, 3)}
    assert masses(read_text('{"ref": [5, 5], "hyp": [4, 6]}', "x.json")) == {
        "ref": (5, 5),
        "hyp": (4, 6),
    }


@pytest.mark.parametrize(
    ("name", "text", "choices", "message"),
    [
        ("x.json", '{"d": [3, true]}', {}, 'd: "masses" must hold whole numbers, found true$'),
        ("x.json", '{"d": null}', {}, "found null$"),
        ("x.json", "null", {}, "found null$"),
        ("x.json", '{"d": [NaN]}', {}, "found NaN in"),
        (
            "x.json",
            '{"d": [5, 5]}',
            {"encoding": "bits"},
            "found 5; .*segment sizes: --encoding masses$",
        ),
        ("x.json", '{"d": [true]}', {"encoding": "masses"}, "number 1 is true$"),
        ("x.json", '{"d": ["5"]}', {"encoding": "masses"}, "without quotation marks$"),
        ("x.json", '{"d": "01"}', {"encoding": "labels"}, 'must be a list, found the text "01"$'),
        ("x.json", '{"d": [[0, null]]}', {}, r"number 1 is a list \[0, null"),
        ("x.json", '{"d": []}', {"encoding": "flags"}, "is an empty list"),
        ("x.json", f'{{"d": [{"9" * 5000}]}}', {}, "x.json, line 1: .* 5000 digits .* large$"),
        ("x.jsonl", f'\n{{"ref": [{"9" * 5000}]}}', {}, "line 2: a number of 5000 digits is too"),
        ("x.jsonl", '{"ref": [5]}\n{"ref": }', {}, r"line 2: not JSON: .* \(column 9\)$"),
        ("x.jsonl", '{"ref": [5], "ref": [6]}', {}, 'line 1: "ref" is given twice'),
        ("x.jsonl", '{"id": "", "ref": [5]}', {}, 'line 1: "id" must be a name'),
        ("x.jsonl", '{"id": true, "ref": [5]}', {}, 'line 1: "id" must be .*, found true$'),
        ("x.jsonl", '{"id": 1, "ref": [5]}\n{"ref": [5]}', {}, "line 2: no name of the text in a"),
        ("x.jsonl", '{"a": 1, "ref": [5]}', {"id_field": "b"}, "no column 'b'.*there are a, ref"),
        ("x.jsonl", '{"ref": [5], "units": "5"}', {}, 'line 1: "units" must be a list of'),
        ("x.jsonl", '{"ref": [5], "units": []}', {}, 'line 1: "units" must be a list of'),
        ("x.jsonl", '{"ref": [5, 3], "units": 9}', {"encoding": "positions"}, "line 1: positions"),
        ("x.json", '{"d": [0, 10]}', {}, "segment sizes must be at least 1; number 1 is 0$"),
        ("x.json", '{"d": ""}', {}, "is empty; .*--encoding bits"),
        ("x.json", '{"d": {}, "e": [3]}', {}, "x.json, line 1, d: no coder and no segmentation"),
        ("x.json", '{"": [3]}', {}, '"" is no name'),
        ("x.json", "[5, 5, 1]", {}, "found the number 5; texts without fields are"),
        ("x.txt", "a\t001\nb\t\n", {}, "line 2: nothing follows the name"),
        ("x.jsonl", '{"ref": [5]}', {"fields": "x"}, "'fields' is no option of reading; the"),
    ],
)  # fmt: skip
def test_errors_speak_of_files_not_of_python(name, text, choices, message):
    with pytest.raises(FormatError, match=message) as caught:
        read_text(text, name, **choices)
    assert "from_" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_paths_that_are_none_and_places_that_cannot_be_written(tmp_path):
    corpus = fp.Corpus.from_dict({"a": [3]})
    for path in ("", 3, None, "a\0b"):
        with pytest.raises(FormatError, match=r"given by its path|can have this name"):
            fp.read(path)
        with pytest.raises(FormatError, match=r"given by its path|can have this name"):
            fp.write(corpus, path)
    with pytest.raises(FormatError, match=r"x\.json cannot be written: \S"):
        fp.write(corpus, tmp_path / "none" / "x.json")
    with pytest.raises(FormatError, match=r"cannot be written: \S"):
        fp.write(corpus, tmp_path, "json")
    with pytest.raises(FormatError, match="the ending names no format; give one of json"):
        fp.write(corpus, tmp_path / "x.dat")
    for wrong in (3, {"a": [3]}):
        with pytest.raises(FormatError, match="only a Corpus can be written, found"):
            fp.write(wrong, tmp_path / "x.json")


@pytest.mark.parametrize(
    ("given", "name", "message"),
    [
        ({"a\nb": [3]}, "x.tsv", "the text .* jsonl can hold it"),
        ({" a": [3]}, "x.csv", "the text .* jsonl can hold it"),
        ({"\ud800": [3]}, "x.json", "does not exist in UTF-8"),
        ({("a", "s"): [3]}, "x.json", "cannot hold the speaker 's'"),
        ({("a", "s"): [3]}, "x.masses", "cannot hold the speaker 's'"),
    ],
)
def test_what_a_format_cannot_hold_is_not_written(tmp_path, given, name, message):
    with pytest.raises(FormatError, match=message):
        fp.write(fp.Corpus.from_dict(given), tmp_path / name)
    assert not (tmp_path / name).exists()


def test_a_text_named_by_its_file_has_no_name_of_its_own(tmp_path):
    for name, text, own in [
        ("x.txt", "a\nb\n\nc\n", True),
        ("x.tsv", "Coder\tMasses\n1\t2\t3\n", True),
        ("x.csv", "token,an\na,.\n", True),
        ("x.csv", "text,token,an\nt,a,.\n", False),
        ("x.tsv", "d1\t5\t5\n", False),
        ("x.json", '{"d1": [5, 5]}', False),
        ("x.txt", "5 5\n3 3\n", False),
    ]:
        assert (read_text(text, name).source.naming == "file") is own
    (tmp_path / "a.txt").write_text("x\ny\n")
    assert fp.read(tmp_path).source.is_named


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
    with pytest.raises(FormatError, match="textgrid cannot be written"):
        fp.write(fp.Corpus.from_dict({"a": [3]}), tmp_path / "x.TextGrid")


def test_json_output_of_moonstone_shape_round_trips(tmp_path):
    data = {f"ch{i}": {f"an{j}": [i + j, 3] for j in range(1, 4)} for i in range(1, 6)}
    (tmp_path / "m.json").write_text(json.dumps(data))
    corpus = fp.read(tmp_path / "m.json")
    assert len(corpus) == 15
    assert corpus.coders == ["an1", "an2", "an3"]


def test_csv_of_sizes_is_rectangular_and_ragged_files_are_still_read(tmp_path):
    entries = {("d1", "a"): [3, 1, 3], ("d1", "b"): [7], ("d2", "a"): [1, 10], ("d3", "a"): [11]}
    corpus = fp.Corpus.from_entries(
        {Key(t, "", c): fp.Segmentation.from_masses(sizes) for (t, c), sizes in entries.items()}
    )
    fp.write(corpus, tmp_path / "x.csv")
    content = (tmp_path / "x.csv").read_text(encoding="utf-8")
    table = list(csv.reader(content.splitlines()))
    assert table[:2] == [["text", "coder", "masses"], ["d1", "a", "3 1 3"]]
    assert {len(row) for row in table} == {3}
    assert fp.read(tmp_path / "x.csv").entries == corpus.entries
    rows = [f"{text},{coder},{','.join(map(str, s))}" for (text, coder), s in entries.items()]
    (tmp_path / "old.csv").write_text("\n".join(["text,coder,masses", *rows]), encoding="utf-8")
    assert fp.read(tmp_path / "old.csv").entries == corpus.entries
    fp.write(corpus, tmp_path / "x.tsv")
    assert "d1\ta\t3\t1\t3\n" in (tmp_path / "x.tsv").read_text(encoding="utf-8")


def test_a_text_that_is_there_twice_is_said_with_both_lines():
    row = '{"id": "%s", "hyp": [%s]}\n'
    twice = row % ("a", "0, 1, 0") + row % ("b", "0, 1") + row % ("a", "1, 1")
    with pytest.raises(FormatError) as error:
        read_text(twice, "x.jsonl", columns={"hyp": "hyp"})
    said = str(error.value)
    assert "x.jsonl, line 3: the text a is given twice (id), first in x.jsonl, line 1" in said
    assert said.endswith("remove or rename one of the two")
    assert "--columns" not in said
    # Another column may tell them apart.
    told = twice.replace('"a", "hyp": [0', '"a", "who": "x", "hyp": [0').replace(
        '"a", "hyp": [1', '"a", "who": "y", "hyp": [1'
    )
    with pytest.raises(FormatError, match="--columns"):
        read_text(told, "x.jsonl", columns={"hyp": "hyp"})


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("x.jsonl", '{"id": "a", "hyp": [0, 1, 0]}\n', "--columns ref=hyp$"),
        ("x.jsonl", '{"id": "a", "ref": "0 0 1 0"}\n', r'marks are a string without spaces, "001"'),
        (
            "x.csv",
            "0\n0\n1\n0\n1\n",
            "no sizes after '0'.* a name in the first line and add --from units",
        ),
        ("x.csv", "marks\n0\n0\n1\n0\n1\n", "no sizes after 'marks'.*--from units"),
    ],
)
def test_messages_name_what_would_be_read(name, content, said):
    with pytest.raises(FormatError, match=said):
        read_text(content, name)
    if name == "x.csv":
        named = content if content.startswith("marks") else f"marks\n{content}"
        assert len(read_text(named, name, "units")) == 1


def test_a_folder_of_tables_names_the_pattern(tmp_path):
    rows = '{"id": "a", "ref": [3, 3]}\n{"id": "b", "ref": [2, 4]}\n'
    (tmp_path / "a.jsonl").write_text(rows, encoding="utf-8")
    with pytest.raises(FormatError, match=r"a.jsonl has 2 texts; .*'FOLDER/\*\.jsonl' --columns"):
        fp.read(tmp_path)


def test_a_threshold_file_that_does_not_exist_is_named():
    with pytest.raises(FormatError, match=r"there is no file t\.json"):
        read_text('{"id": "a", "ref": [3, 3]}', "x.jsonl", threshold="t.json")
    with pytest.raises(FormatError, match=r"4/text, found '0/100'"):
        read_text('{"id": "a", "ref": [3, 3]}', "x.jsonl", threshold="0/100")
