"""What a value means: each column is judged alone, and what is not certain is refused.

Every case gives the right segmentation, or a refusal whose suggested option gives it.
"""

import json
import random
import re
from pathlib import Path

import pytest

import fencepost as fp
from fencepost.formats import FormatError, read_text
from fencepost.formats.values import as_whole
from fencepost.model.reading_lines import FileRead, reading_lines
from support import put, refused, run

SAMPLES = Path(__file__).parents[1] / "samples"

SHEET = (SAMPLES / "sheet_marks.csv").read_text(encoding="utf-8")
CLEAN = "\n".join(",".join(line.split(",")[:4]) for line in SHEET.splitlines()) + "\n"
RIGHT = {
    ("harbour", "anna"): (2, 2),
    ("harbour", "ben"): (3, 1),
    ("market", "anna"): (2,),
    ("market", "ben"): (1, 1),
}
TOKENS = "text,token,anna,ben\nt,so,0,0\nt,we,1,0\nt,went,0,1\nt,far,0,0\nt,home,1,1\n"
TOKENS_RIGHT = {("t", "anna"): (2, 3), ("t", "ben"): (3, 2)}


def sizes(corpus):
    return {(key.text, key.coder): seg.masses for key, seg in corpus.entries.items()}


def with_column(name, cells, table=CLEAN):
    """The table with one more column at its end."""
    lines = table.splitlines()
    return "".join(f"{a},{b}\n" for a, b in zip(lines, [name, *cells], strict=True))


def with_marks(zero, one, table=CLEAN):
    return re.sub(r",([01])(?=,|$)", lambda m: "," + (zero, one)[int(m[1])], table, flags=re.M)


def suggested(text, name, wanted, **choices):
    """The sentence of a refusal, after its option ``wanted`` has been found in it."""
    with pytest.raises(FormatError) as caught:
        read_text(text, name, **choices)
    assert wanted in str(caught.value)
    return str(caught.value)


# Sheets with one row per unit.


MARKS = [("0", "1"), ("0.0", "1.0"), ("FALSE", "TRUE"), ("false", "true"), ("n", "y"),
         ("no", "yes"), ("", "x"), ("-", "x"), ("-", "X")]  # fmt: skip


@pytest.mark.parametrize(("zero", "one"), MARKS)
def test_marks_of_a_sheet(zero, one):
    corpus = read_text(with_marks(zero, one), "s.csv")
    assert sizes(corpus) == RIGHT
    assert corpus.source.choices == {"flags": "last"} and corpus.source.ignored == ()


def test_marks_of_a_sheet_with_semicolons_and_decimal_commas():
    text = with_marks("0.0", "1.0").replace(",", ";").replace("0.0", "0,0").replace("1.0", "1,0")
    assert sizes(read_text(text, "s.csv")) == RIGHT


@pytest.mark.parametrize(
    ("zero", "one", "said"),
    [
        ("0.0", "1.0", "0/1 per sentence, 1 = last"),
        ("false", "TRUE", "true/false per sentence, true = last"),
        ("", "x", "x/empty per sentence, x = last"),
        ("n", "y", "y/n per sentence, y = last"),
    ],
)
def test_the_reading_line_names_the_marks_that_the_file_has(zero, one, said):
    (line,) = reading_lines([FileRead.of(read_text(with_marks(zero, one), "s.csv"))])
    assert f"({said} sentence of a segment)" in line and line.count(" = ") == 1
    rows = [{"id": "a", "labels": [zero, one]}, {"id": "b", "labels": [one, zero, one]}]
    corpus = read_text("\n".join(map(json.dumps, rows)), "s.jsonl")
    (line,) = reading_lines([FileRead.of(corpus)])
    assert f"{said.replace('sentence', 'unit')} unit of a segment" in line
    assert line.count(" = ") == 1


def test_b_and_i_start_segments():
    text = "unit,anna,ben\n1,B,B\n2,I,B\n3,B,I\n4,I,I\n"
    corpus = read_text(text, "s.csv")
    assert sizes(corpus) == {("s", "anna"): (2, 2), ("s", "ben"): (1, 3)}
    assert corpus.source.choices == {"flags": "first"}
    ends = "unit,anna\n1,I\n2,B\n3,I\n4,B\n"
    suggested(ends, "s.csv", "--flags last")
    assert sizes(read_text(ends, "s.csv", flags="last")) == {("s", "anna"): (2, 2)}
    both = "unit,anna\n1,B\n2,I\n3,B\n"  # nobody means that B ends a segment
    assert "--flags last" not in suggested(both, "s.csv", "--flags first")
    lists = '{"id": "a", "ref": ["B", "I", "B"]}'
    assert "--flags last" not in suggested(lists, "s.jsonl", "--flags first")


@pytest.mark.parametrize(
    ("column", "cells"),
    [
        ("n_words", "422323"),
        ("length", "422323"),
        ("length", ["4.5", "2.25", "2", "3", "2", "3"]),
        ("year", ["2024"] * 3 + ["2019", "2020", "2021"]),
        ("date", ["1 May"] * 6),
        ("recorded", ["2024-03-01"] * 5 + ["2024-03-02"]),
        ("speaker", "AABBAA"),
        ("who", "AABBAA"),
        ("notes", ["", "unsure", "", "", "x", ""]),
        ("remark", ["", "unsure", "", "", "unsure", ""]),
        ("gloss", ["one", "two", "three", "four", "five", "six"]),
        ("nothing", [""] * 6),
        ("nothing", ["NA"] * 6),
    ],
)
def test_extra_columns_are_ignored_and_named(column, cells):
    for text in (CLEAN, with_marks("", "x")):
        corpus = read_text(with_column(column, cells, text), "s.csv")
        assert sizes(corpus) == RIGHT
        assert corpus.source.ignored == (column,)


def test_extra_columns_beside_labels():
    table = "text,sentence,anna\nt,a,rain\nt,b,rain\nt,c,sun\n"
    for column, cells in (
        ("n_words", "423"),
        ("notes", ["", "?", "?"]),
        ("recorded", ["2024-03-01", "2024-03-01", "2024-03-02"]),
        ("comment", ["ok", "ok", "no"]),
        ("gloss", ["one two", "three", "four"]),
    ):
        corpus = read_text(with_column(column, cells, table), "s.csv")
        assert sizes(corpus) == {("t", "anna"): (2, 1)}
        assert corpus.source.ignored == (column,)


@pytest.mark.parametrize("odd", ["O", "2", "o", "l", "x", "0.5.", "?"])
def test_an_odd_cell_among_marks_is_refused_with_its_line(odd):
    text = CLEAN.replace("It rained.,0", f"It rained.,{odd}")
    said = suggested(text, "s.csv", f"line 4: anna has marks (0/1), but '{odd}' here; correct it")
    assert "--encoding" not in said  # which would be a wrong number
    assert sizes(read_text(text, "s.csv", field="ben", flags="last")).keys() == {
        ("harbour", "ben"), ("market", "ben")}  # fmt: skip


def test_an_empty_cell_among_0_and_1_is_refused_with_its_line():
    text = CLEAN.replace("It rained.,0", "It rained.,")
    suggested(text, "s.csv", "line 4: anna has no value here, but others in harbour")


def test_a_text_is_annotated_or_not():
    text = CLEAN.replace("opened.,0", "opened.,NA").replace("sold.,1", "sold.,NA")
    right = {key: value for key, value in RIGHT.items() if key != ("market", "anna")}
    for missing in ("NA", "NaN", "null", "<NA>"):
        assert sizes(read_text(text.replace("NA", missing), "s.csv")) == right
    half = CLEAN.replace("opened.,0", "opened.,NA")
    suggested(half, "s.csv", "line 6: anna has NA here, but others in market")


def test_a_text_without_an_x_may_be_one_segment_or_not_annotated():
    table = with_marks("", "x").replace("opened.,,X", "opened.,,").replace("sold.,x", "sold.,")
    suggested(table, "s.csv", "line 6: anna has no x in market. Write - ")
    one = table.replace("opened.,", "opened.,-").replace("sold.,", "sold.,-")
    assert sizes(read_text(one, "s.csv", flags="last"))["market", "anna"] == (2,)
    none = table.replace("opened.,", "opened.,NA").replace("sold.,", "sold.,NA")
    assert ("market", "anna") not in sizes(read_text(none, "s.csv", flags="last"))


def test_flags_are_asked_for_where_columns_prove_nothing_or_differ():
    open_ = CLEAN.replace("home.,1", "home.,0")
    suggested(open_, "s.csv", "s.csv, line 2: anna has marks (0/1)")
    assert sizes(read_text(open_, "s.csv", flags="last")) == RIGHT
    differ = "unit,anna,ben\n1,0,1\n2,1,0\n3,0,1\n4,1,0\n"
    said = suggested(differ, "s.csv", "every text of anna ends with a mark and every text of ben")
    assert "--flags last" in said and "--flags first" in said
    assert sizes(read_text(differ, "s.csv", flags="first")) == {
        ("s", "anna"): (1, 2, 1), ("s", "ben"): (2, 2)}  # fmt: skip


def test_flags_always_apply_or_are_refused():
    text = with_column("n_words", "422323")
    first = {("harbour", "anna"): (1, 2, 1), ("harbour", "ben"): (2, 1, 1),
             ("market", "anna"): (1, 1), ("market", "ben"): (1, 1)}  # fmt: skip
    assert sizes(read_text(text, "s.csv", flags="first")) == first
    labels = "unit,anna\n1,1\n2,1\n3,2\n"
    suggested(labels, "s.csv", "--flags does not apply: the file holds no marks", flags="last")
    suggested('{"d": [3, 2]}', "s.json", "--flags does not apply", flags="last")
    suggested('{"d": [3, 2]}', "s.json", "--threshold does not apply", threshold=0.5)
    suggested("token,a\nx,.\ny,\n", "s.csv", "--flags does not apply", flags="last")


def test_an_option_for_one_of_two_files_is_no_mistake(tmp_path):
    put(tmp_path, "gold.json", {"d": [3, 2]})
    put(tmp_path, "ours.json", {"d": [0, 1, 1, 0, 0]})
    done = run("score", "gold.json", "-i", "ours.json", "--flags", "last", cwd=tmp_path)
    assert done.returncode == 0
    said = refused(2, "score", "gold.json", "-i", "gold.json", "--flags", "last", cwd=tmp_path)
    assert "--flags does not apply" in said


def test_segment_numbers_and_marks_are_not_mixed():
    text = with_column("page", "111223")
    suggested(text, "s.csv", "page holds segment numbers, but anna holds marks")
    assert sizes(read_text(text, "s.csv", field="anna"))["harbour", "anna"] == (2, 2)


def test_probabilities_ask_for_a_threshold_and_take_it():
    text = "unit,anna\n1,0.1\n2,0.9\n3,0\n4,0.7\n"
    suggested(text, "s.csv", "--threshold 0.5")
    corpus = read_text(text, "s.csv", threshold=0.5)
    assert sizes(corpus) == {("s", "anna"): (2, 2)}
    assert corpus.source.choices == {"flags": "last", "threshold": "0.5"}


def test_numbers_that_come_back_are_declared_labels():
    text = "unit,anna\n1,3\n2,3\n3,7\n4,7\n5,3\n6,3\n"
    suggested(text, "s.csv", "--encoding labels")
    assert sizes(read_text(text, "s.csv", encoding="labels")) == {("s", "anna"): (2, 2, 2)}


def test_two_words_that_come_and_go_are_no_labels():
    text = "unit,anna\n1,nein\n2,nein\n3,ja\n4,nein\n5,ja\n"
    suggested(text, "s.csv", "write 1 and 0 for them")
    suggested('{"d": ["nein", "nein", "ja", "nein", "ja"]}', "s.json", "write 1 and 0 for them")
    plain = text.replace("nein", "0").replace("ja", "1")
    assert sizes(read_text(plain, "s.csv")) == {("s", "anna"): (3, 2)}


def test_a_column_that_counts_the_rows_is_no_annotator():
    lines = CLEAN.splitlines()
    numbers = ["", *map(str, range(1, 7))]
    for name in ("", '""', "Unnamed: 0"):
        text = "\n".join(f"{a or name},{b}" for a, b in zip(numbers, lines, strict=True))
        corpus = read_text(text, "s.csv")
        assert sizes(corpus) == RIGHT and corpus.source.ignored == ("row names",)
    index = "nr,sentence,anna\n1,a,1\n2,b,1\n3,c,2\n"
    corpus = read_text(index, "s.csv")
    assert sizes(corpus) == {("s", "anna"): (2, 1)} and corpus.source.ignored == ("nr",)


def test_a_wrong_cell_drops_no_annotator():
    moved = "text,sentence,anna,ben\nt,a,1,2\nt,b,1,1\nt,c,2,1\nu,d,1,1\nu,e,2,2\n"
    suggested(moved, "s.csv", "line 2: ben holds numbers that are neither 0/1 nor")
    odd = with_marks("", "x").replace("cried.,x", "cried.,2")
    suggested(odd, "s.csv", "line 3: anna has marks (x/empty), but '2' here")


def test_a_column_before_the_units_may_name_texts():
    suggested(CLEAN.replace("text", "chapter", 1), "s.csv", "line 1: chapter stands before the un")


# Tables of tokens.


@pytest.mark.parametrize(("zero", "one"), [*MARKS, ("I", "B")])
def test_marks_of_tokens(zero, one):
    flags = {"flags": "last"} if one == "B" else {}
    corpus = read_text(with_marks(zero, one, TOKENS), "t.csv", **flags)
    assert sizes(corpus) == TOKENS_RIGHT and corpus.kind_names is None
    assert corpus.source.choices == {"flags": "last"}


def test_marks_of_tokens_that_start_segments():
    text = TOKENS.replace("so,0,0", "so,1,1").replace("home,1,1", "home,0,0")
    corpus = read_text(text, "t.csv")
    assert sizes(corpus) == {("t", "anna"): (1, 4), ("t", "ben"): (2, 3)}
    assert corpus.source.choices == {"flags": "first"}
    kept = read_text(text, "t.csv", ignore_tokens="^went$")  # ben's segment starts with it
    assert sizes(kept) == {("t", "anna"): (1, 3), ("t", "ben"): (2, 2)}


@pytest.mark.parametrize("odd", ["O", "2", ".", ""])
def test_an_odd_cell_among_marks_of_tokens(odd):
    suggested(TOKENS.replace("far,0", f"far,{odd}"), "t.csv", "line 5: anna has marks (0/1), but ")


def test_na_of_r_means_not_annotated():
    table = '"","text","token","anna"\n"1","t","so",NA\n"2","t","we","."\n"3","t","go",NA\n'
    said = suggested(table, "t.csv", "line 2: anna has NA here, which means not annotated")
    assert 'write.csv(..., na = "")' in said
    corpus = read_text(table.replace("NA", ""), "t.csv")
    assert corpus["t", "anna"].marks == ["", ".", ""]
    assert corpus.source.ignored == ("row names",)


def test_no_boundary_among_types_is_empty_or_a_hyphen():
    for none in ("", "-"):
        corpus = read_text(f'token,a\nso,{none}\nwe,\nwent,"ok,"\nhome,.\n', "t.csv")
        assert corpus["t", "a"].marks == ["", "", "ok,", "."]
    dashes = fp.Segmentation(3, [1], [1], ("-",))
    with pytest.raises(FormatError, match="'-' would not be read as one"):
        fp.write(fp.Corpus.from_dict({"t": {"a": dashes}}), "t.csv")


@pytest.mark.parametrize(
    ("column", "cells"),
    [
        ("start", ["0.1", "0.5", "0.9", "1.4", "2.0"]),
        ("onset", ["0.1", "0.5", "0.9", "1.4", "2.0"]),
        ("nr", "12345"),
        ("day", ["2024-03-01"] * 5),
        ("notes", ["", "?", "", "", ""]),
    ],
)
def test_extra_columns_of_tokens_are_ignored_and_named(column, cells):
    typed = with_marks("", ".", TOKENS)
    for table in (TOKENS, typed):
        corpus = read_text(with_column(column, cells, table), "t.csv")
        assert sizes(corpus) == TOKENS_RIGHT
        assert corpus.source.ignored == (column,)
    tagged = read_text(with_column("tag", ["ADV", "PRON", "VERB", "ADV", "ADV"], TOKENS), "t.csv")
    assert sizes(tagged) == TOKENS_RIGHT and tagged.source.ignored == ("tag",)


def test_boundary_types_beside_marks_are_refused():
    text = with_column("carl", ["", ".", "", "", "."], TOKENS)
    suggested(text, "t.csv", "line 3: carl holds boundary types (.), but anna holds marks")
    assert sizes(read_text(text, "t.csv", field="anna")) == {("t", "anna"): (2, 3)}


def test_texts_of_tokens_may_be_called_documents():
    for name in ("doc", "id", "item"):
        assert sizes(read_text(TOKENS.replace("text", name, 1), "t.csv")) == TOKENS_RIGHT


def test_strings_of_marks_are_no_types():
    text = "text,annotator,speaker,boundaries\nt,anna,,01001\nt,ben,,00101\n"
    corpus = read_text(text, "t.csv")
    assert sizes(corpus) == TOKENS_RIGHT and corpus.source.choices == {"flags": "last"}


# Lists and strings in records.


@pytest.fixture(scope="module")
def documents():
    """Marks of the last units of ten texts, with 99 boundaries inside them."""
    draw = random.Random(16)
    places = [(text, unit) for text in range(10) for unit in range(39)]
    marks = [[0] * 39 + [1] for _ in range(10)]
    for text, unit in draw.sample(places, 99):
        marks[text][unit] = 1
    marks[0][0] = 0
    inside = sum(map(sum, marks)) - 10
    while inside < 99:
        text, unit = draw.choice(places[1:])
        inside += 1 - marks[text][unit]
        marks[text][unit] = 1
    return marks


def boundaries(marks, write, **choices):
    lines = [json.dumps({"id": f"d{n}", "ref": write(own)}) for n, own in enumerate(marks)]
    corpus = read_text("\n".join(lines), "x.jsonl", **choices)
    assert sum(seg.units for seg in corpus.entries.values()) == 400 or "bits" in choices.values()
    return sum(len(seg.cuts) for seg in corpus.entries.values())


def starts(marks):
    """The same segments by their first units."""
    return [1, *marks[:-1]]


@pytest.mark.parametrize(
    "write",
    [
        list,
        lambda own: [str(one) for one in own],
        lambda own: [float(one) for one in own],
        lambda own: [bool(one) for one in own],
        lambda own: ["ny"[one] for one in own],
        lambda own: ["-x"[one] for one in own],
        lambda own: ["x" if one else "" for one in own],
        lambda own: ["IB"[one] for one in starts(own)],
        lambda own: "".join("IB"[one] for one in starts(own)),
        lambda own: "".join("-x"[one] for one in own),
        starts,
    ],
)
def test_labels_in_json_give_the_same_boundaries(documents, write):
    assert boundaries(documents, write) == 99


def test_strings_are_read_as_lists_are_or_refused(documents):
    def text(own):
        return "".join(map(str, own))

    for write, flags in ((text, "last"), (lambda own: text(starts(own)), "first")):
        with pytest.raises(FormatError, match=f"--flags {flags} .*--encoding bits"):
            boundaries(documents, write)
        assert boundaries(documents, write, flags=flags) == 99
    # Of strings between units, the last sign is no boundary in every text.
    assert boundaries(documents, lambda own: text(own[:-1]), encoding="bits") == 99


def test_marks_of_b_i_and_o_are_declared():
    text = '{"id": "d", "ref": ["B-x", "I-x", "O", "B-y", "I-y"]}'
    suggested(text, "x.jsonl", "--flags first")
    assert sizes(read_text(text, "x.jsonl", flags="first")) == {("d", "1"): (3, 2)}


@pytest.mark.parametrize("odd", ['"O"', "2", '"2"', "0.5"])
def test_an_odd_element_is_refused_with_its_line(odd):
    text = f'{{"id": "a", "ref": [0, 1, 1]}}\n{{"id": "b", "ref": [0, 0, {odd}, 0, 1]}}'
    with pytest.raises(FormatError, match="line 2"):
        read_text(text, "x.jsonl")


def test_elements_that_are_not_annotated():
    text = '{"id": "a", "hyp": [0, 1, 1]}\n{"id": "b", "hyp": [0, null, 1]}'
    for missing in ("null", "NaN", '"NA"'):
        with pytest.raises(FormatError, match=r"line 2: unit 2 .* means not annotated"):
            read_text(text.replace("null", missing), "x.jsonl", default_field="hyp")
    whole = text.replace("[0, null, 1]", "[null, null, null]")
    assert sizes(read_text(whole, "x.jsonl", default_field="hyp")) == {("a", "1"): (2, 1)}
    table = "text,coder,ref\na,anna,0110\na,ben,NA\nb,anna,0100\nb,ben,0010\n"
    assert ("a", "ben") not in sizes(read_text(table, "x.csv"))
    by_coder = '{"a": {"anna": [2, 1], "ben": null}, "b": {"anna": [3], "ben": [1, 2]}}'
    assert sizes(read_text(by_coder, "x.json")) == {
        ("a", "anna"): (2, 1), ("b", "anna"): (3,), ("b", "ben"): (1, 2)}  # fmt: skip


def test_segment_numbers_are_labels_where_the_units_prove_it():
    text = '{"id": "d", "ref": [1, 1, 2, 2], "units": ["a", "b", "c", "d"]}'
    assert sizes(read_text(text, "x.jsonl")) == {("d", "1"): (2, 2)}
    alone = '{"id": "d", "ref": [1, 1, 2, 2]}'
    suggested(alone, "x.jsonl", "--encoding labels")
    assert sizes(read_text(alone, "x.jsonl", encoding="labels")) == {("d", "1"): (2, 2)}


@pytest.mark.parametrize("count", range(3, 9))
@pytest.mark.parametrize("texts", [1, 2])
def test_six_rising_numbers_are_refused_as_numbers_of_segments(tmp_path, count, texts):
    # 1 2 3 4 5 may be sizes; so may two texts with 1 2 and 1 2 3.
    path = tmp_path / "x.json"
    parts = [count] if texts == 1 else [count // 2, count - count // 2]
    if min(parts) < 2:
        return
    path.write_text(json.dumps({f"t{i}": list(range(1, n + 1)) for i, n in enumerate(parts)}))
    if count < 6:
        assert [len(one.masses) for one in fp.read(path).entries.values()] == parts
    else:
        with pytest.raises(FormatError, match="like numbers of segments"):
            fp.read(path)


@pytest.mark.parametrize("marks", [[0, 1, 2, 0], [0, 1, 0.5], [0, 0, "x"]])
def test_the_first_mark_that_is_none_is_shown(tmp_path, marks):
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps({"id": "a", "bits": marks}))
    wrong = next(json.dumps(mark) for mark in marks if mark not in (0, 1))
    with pytest.raises(FormatError, match=f'"bits" must be 0 and 1, found {wrong}'):
        fp.read(path, encoding="bits")


def test_numbers_of_segments_are_compared_exactly(tmp_path):
    """Above 2^53 neighbours are the same float."""
    first, second = 9007199254740992, 9007199254740993
    for numbers in ((first, second, second), (f"{first}.0", f"{second},0", second)):
        rows = [f"a;{n};{number}" for n, number in enumerate(numbers, start=1)]
        path = tmp_path / "x.csv"
        path.write_text("\n".join(["text;unit;anna", *rows, ""]), encoding="utf-8")
        assert fp.read(path)["a", "anna"].masses == (1, 2)


def test_a_number_has_at_most_18_digits():
    assert as_whole("9" * 18, "line 1") == 10**18 - 1
    for word in ("1" + "0" * 18, "9" * 19, "0" * 19, "9" * 5000):
        with pytest.raises(FormatError, match=f"line 1: a number of {len(word)} digits is too"):
            as_whole(word, "line 1")


@pytest.mark.parametrize("empty", [[0, 0], [1, 1], [3, 3], [6, 6], [4, 3]])
def test_a_span_without_a_unit_is_refused(tmp_path, empty):
    record = {"id": "t", "units": list("abcdef"), "spans": [[0, 3], [3, 6]]}
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps(record) + "\n", encoding="utf-8")
    made = fp.read(path, encoding="spans")
    assert [[*one.masses] for one in made.entries.values()] == [[3, 3]]
    path.write_text(json.dumps({**record, "spans": [*record["spans"], empty]}) + "\n")
    with pytest.raises(FormatError, match="line 1: span 3 is no interval"):
        fp.read(path, encoding="spans")
