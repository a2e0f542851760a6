"""Files as people have them: the right numbers, or a refusal whose command gives them."""

from __future__ import annotations

import csv
import json
import re
import zipfile

import pytest

import fencepost as fp
from fencepost.formats.options import FormatError
from support import SAMPLES, ok, put, refused, run_apart


def masses(path, *words):
    """Return what ``convert`` makes of a file, as sizes by text."""
    return json.loads(ok("convert", path, "-", "--to", "json", *words, notes=True))


def values(*words):
    """Return the first system's values by metric."""
    plain = ("--json", "--no-baselines", "--no-intervals")
    given = json.loads(ok("score", *words, *plain, notes=True))
    return {row["metric"]: row["value"] for row in given["rows"]}


@pytest.mark.slow
def test_a_short_program_that_reads_parquet_does_not_abort():
    """A thread that pyarrow leaves behind aborts some of the programs: code -6 (134 in a shell)."""
    pytest.importorskip("pyarrow")
    codes = [
        run_apart("convert", SAMPLES / "masses.parquet", "-", "--to", "json").returncode
        for _ in range(20)
    ]
    assert codes == [0] * 20


def test_precision_and_recall_are_those_of_boundaries(tmp_path):
    ref = put(tmp_path, "r.json", {"a": [3, 4, 5]})
    hyp = put(tmp_path, "h.json", {"a": [3, 2, 7]})
    found = values(ref, "-i", hyp, "-m", "precision", "recall", "f1")
    assert found == {"boundary_precision": 0.5, "boundary_recall": 0.5, "boundary_f": 0.5}
    assert fp.score({"a": [3, 4, 5]}, {"a": [3, 2, 7]}, metrics=["precision"]).rows


@pytest.mark.parametrize("sign", ["\t", " ", ","])
@pytest.mark.parametrize("names", [("1", "2"), ("101", "110"), ("2020", "7")])
def test_bit_strings_may_have_numbers_as_names(tmp_path, sign, names):
    one, two = names
    path = put(tmp_path, "x.bits", f"{one}{sign}00100\n{two}{sign}0110\n")
    assert masses(path) == {one: [3, 3], two: [2, 1, 2]}


def test_two_numbers_that_may_be_sizes_are_no_name_and_bit_string(tmp_path):
    assert masses(put(tmp_path, "x.bits", "12 10\n5 11\n")) == {"1": [12, 10], "2": [5, 11]}


def test_a_text_of_two_units_has_one_bit_also_beside_a_number(tmp_path):
    path = put(tmp_path, "x.bits", "1\t00100\n2\t1\n")
    assert masses(path) == {"1": [3, 3], "2": [1, 1]}
    fp.write(fp.Corpus.from_dict({"7": [1, 1]}), tmp_path / "y.bits")
    assert masses(tmp_path / "y.bits") == {"7": [1, 1]}
    with pytest.raises(FormatError, match=r"would not be clear .*; json is"):
        fp.write(fp.Corpus.from_dict({"7": [5]}), tmp_path / "y.masses")
    path = put(tmp_path, "x.txt", "1\t00100\n2\t1\n")
    assert "only whole numbers with tabs" in refused(1, "convert", path, "-", "--to", "json")


def test_costs_of_two_directions_need_a_metric_with_a_direction(tmp_path):
    costs = put(tmp_path, "costs.csv", "type,p,q,none\np,1,0.5,0\nq,0.25,1,0\nnone,0,0,1\n")
    table = put(tmp_path, "t.csv", "token,ref,hyp\na,,\nb,p,q\nc,,\n")
    fields = "--ref-field", "ref", "--hyp-field", "hyp"
    said = refused(2, "score", table, *fields, "-m", "Sf", "--costs", costs)
    assert "If that is meant: -m Sf:symmetric=no --costs FILE" in said
    asked = fp.Costs.read(costs, symmetric=False)
    ref, hyp = (fp.Segmentation(3, [2], [kind], ["p", "q"]) for kind in (1, 2))
    assert fp.flexible_similarity(ref, hyp, costs=asked).value == 1 - 0.5 / 3
    assert fp.flexible_similarity(hyp, ref, costs=asked).value == 1 - 0.75 / 3


HIERARCHY = "==== 1 ====\na.\nb.\n==== 2 ====\nc.\n==== 3 ====\nd.\n==== 1 ====\ne.\n"


@pytest.mark.parametrize("name", ["x.txt", "x.ref", "x.choi"])
def test_headings_with_numbers_need_levels(tmp_path, name):
    path = put(tmp_path, name, HIERARCHY)
    said = refused(1, "convert", path, "-", "--to", "json")
    assert "line 1: '==== 1 ====' has a number" in said
    assert masses(path, *re.search("--levels all", said)[0].split()) == {"x": [2, 1, 1, 1]}
    assert masses(path, *re.search("--levels 2", said)[0].split()) == {"x": [2, 2, 1]}
    seg = fp.read(path, levels="kinds")["x"]
    assert seg.marks == ["", "2", "3", "1", ""]
    for levels, said in (("kinds", "levels or labels were"), ("all", "of all levels counted")):
        out = ok("score", path, "-i", path, "-m", "B", "--levels", levels, notes=True)
        assert "headings ==== 2 ==== between segments" in out and said in " ".join(out.split())
        signature = re.search(r"boundary_similarity\S+", out)[0]
        told = ok("metrics", signature).strip().rpartition("\n\n")[2]
        assert f"--levels {levels}" in told, told


def test_a_numbered_heading_beside_another_rule_is_refused(tmp_path):
    path = put(tmp_path, "x.txt", "a.\n==========\nb.\n==== 3 ====\nc.\n")
    assert "line 4: '==== 3 ====' may be a heading" in refused(
        1, "convert", path, "-", "--to", "json"
    )
    assert masses(path, "--separator", "==========") == {"x": [1, 3]}


def test_a_part_of_a_path_may_be_repeated_and_must_agree(tmp_path):
    for text in ("t1", "t2"):
        (tmp_path / text).mkdir()
        for coder in ("ann", "bob"):
            put(tmp_path / text, f"{text}-{coder}.masses", "3 4\n")
    pattern = "{text}/{text}-{coder}.masses"
    corpus = fp.read(tmp_path, path_pattern=pattern)
    assert (corpus.texts, corpus.coders) == (["t1", "t2"], ["ann", "bob"])
    put(tmp_path / "t2", "t1-eve.masses", "3 4\n")
    said = refused(1, "agree", tmp_path, "--path-pattern", pattern)
    assert "t2/t1-eve.masses does not have a path like" in said


RAW = "It rained all day.\n\nWe left.\n\nThe end came soon."
PIECES = RAW.split("\n\n")


def langchain(**start):
    """Return chunks without the white space between them, as LangChain's splitters write them."""
    return [
        {"page_content": piece, "metadata": {"start_index": start.get(piece[:2], RAW.find(piece))}}
        for piece in PIECES
    ]


def test_the_hint_for_chunks_without_their_white_space_gives_the_right_number(tmp_path):
    raw, path = put(tmp_path, "raw.txt", RAW), put(tmp_path, "c.json", langchain())
    said = refused(1, "convert", path, "-", "--to", "json")
    assert said.index("--raw FILE") < said.index("--snap") < said.index("--gaps")
    said = refused(1, "convert", path, "-", "--to", "json", "--raw", raw)
    assert "this is white space: --snap" in said and "--units words" in said
    assert masses(path, "--raw", raw, "--snap") == {"c": [20, 10, 18]}
    assert masses(path, "--raw", raw, "--units", "words") == {"c": [4, 2, 4]}


def test_a_chunk_that_was_not_found_starts_at_minus_one(tmp_path):
    raw, path = put(tmp_path, "raw.txt", RAW), put(tmp_path, "c.json", langchain(We=-1))
    said = refused(1, "convert", path, "-", "--to", "json")
    assert "chunk 2: this chunk has no position: its start is -1" in said and "--raw FILE" in said
    assert masses(path, "--raw", raw, "--snap") == {"c": [20, 10, 18]}


def chunk_rows(start="start_index", end="end_index", **more):
    """Return a table of chunks with all their white space, one row per chunk."""
    ends = [20, 30, len(RAW)]
    return [
        {**more, start: a, end: b, "text": RAW[a:b]} for a, b in zip([0, *ends], ends, strict=False)
    ]


@pytest.mark.parametrize(
    ("rows", "words", "name"),
    [
        (chunk_rows(), (), "c"),
        (chunk_rows(doc_id="042"), (), "042"),
        (chunk_rows("start", "end", source="d"), (), "d"),
        (chunk_rows("start_char_idx", "end_char_idx"), (), "c"),
        (chunk_rows("metadata.start_index", "metadata.end_index"), (), "c"),
        (chunk_rows("start", "end"), ("--from", "chunks"), "c"),
    ],
)
@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet"])
def test_tables_of_chunks_have_a_row_per_chunk(tmp_path, rows, words, name, ending):
    path = tmp_path / f"c.{ending}"
    if ending == "parquet":
        pa, pq = (pytest.importorskip(n) for n in ("pyarrow", "pyarrow.parquet"))
        pq.write_table(pa.Table.from_pylist(rows), path)
    else:
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, rows[0], delimiter="\t" if ending == "tsv" else ",")
            writer.writeheader()
            writer.writerows(rows)
    assert masses(path, *words) == {name: [20, 10, 18]}


def test_a_table_of_start_and_end_alone_is_asked_about(tmp_path):
    for header in ("start,end", "start_char,end_char", "start_pos,end_pos"):
        path = put(tmp_path, "c.csv", f"{header}\n0,3\n3,8\n")
        said = refused(1, "convert", path, "-", "--to", "json")
        assert masses(path, *re.search("--from chunks", said)[0].split()) == {"c": [3, 5]}
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "c.parquet"
    parquet.write_table(arrow.table({"start": [0, 3], "end": [3, 8]}), path)
    said = refused(1, "convert", path, "-", "--to", "json")
    assert masses(path, *re.search("--from chunks", said)[0].split()) == {"c": [3, 5]}


def test_a_table_of_texts_may_have_columns_of_positions(tmp_path):
    path = put(tmp_path, "t.csv", "id,ref,start_index,end_index\na,3 4,0,7\nb,2 2,7,11\n")
    assert fp.read(path)["a"].masses == (3, 4)


def test_a_table_of_chunks_with_an_open_quotation_mark_is_refused(tmp_path):
    path = put(tmp_path, "c.csv", 'start_index,end_index,text\n0,3,"ab\n3,8,cd\n')
    assert "c.csv, line 3: not a table" in refused(1, "convert", path, "-", "--to", "json")
    path = put(tmp_path, "c.csv", "start_index,end_index,text\n0,3\n")
    assert "c.csv, line 2: 2 cells" in refused(1, "convert", path, "-", "--to", "json")


def textgrid(*tiers):
    """Return a TextGrid of 4 seconds: tiers of (end, label), or of points (time, label)."""
    lines = ['File type = "ooTextFile"', 'Object class = "TextGrid"', "", "0", "4", "<exists>"]
    lines.append(str(len(tiers)))
    for kind, name, own in tiers:
        lines += [f'"{kind}"', f'"{name}"', "0", "4", str(len(own))]
        starts = [0, *(end for end, _ in own)]
        for start, (end, label) in zip(starts, own, strict=False):
            lines += [str(start)] * (kind == "IntervalTier") + [str(end), f'"{label}"']
    return "\n".join(lines) + "\n"


FALLING = [(1, "falling"), (3, "rising"), (4, "falling")]
RISING = [(1, "rising"), (3, "rising"), (4, "falling")]


@pytest.mark.parametrize("kind", ["IntervalTier", "TextTier"])
def test_labels_of_a_textgrid_are_boundary_types_where_asked_for(tmp_path, kind):
    ref = put(tmp_path, "r.TextGrid", textgrid((kind, "a", FALLING)))
    hyp = put(tmp_path, "h.TextGrid", textgrid((kind, "a", RISING)))
    words = ref, "-i", hyp, "--units", "seconds:1", "-m", "Sf"
    assert values(*words) == {"flexible_similarity": 1.0}
    assert values(*words, "--levels", "kinds") == {"flexible_similarity": 1 - 1 / 4}
    read = fp.read(ref, units="seconds:1", levels="kinds")
    assert read["r"].marks == ["falling", "", "rising", "falling"]
    assert read.source.choices["levels"] == "kinds"


def test_labels_of_elan_are_boundary_types_where_asked_for(tmp_path):
    text = (SAMPLES / "talk.eaf").read_text(encoding="utf-8")
    path = put(tmp_path, "talk.eaf", text)
    how = {"units": "seconds:0.1", "tiers": "coders except words", "gaps": "join"}
    plain, typed = fp.read(path, **how), fp.read(path, **how, levels="kinds")
    for key, seg in plain.entries.items():
        own = typed.entries[key]
        assert own.cuts.tolist() == [*seg.cuts.tolist(), seg.units]
        assert own.kind_names == tuple(sorted(own.kind_names))


def test_types_do_not_depend_on_the_order_of_tiers_and_every_segment_needs_a_label(tmp_path):
    tiers = ("IntervalTier", "a", FALLING), ("IntervalTier", "b", [(2, "10"), (4, "9")])
    how = {"units": "seconds:1", "tiers": "coders", "levels": "kinds"}
    names = [
        fp.read(put(tmp_path, "x.TextGrid", textgrid(*own)), **how).kind_names
        for own in (tiers, tiers[::-1])
    ]
    assert names[0] == names[1]
    numbers = put(tmp_path, "n.TextGrid", textgrid(tiers[1]))
    assert fp.read(numbers, units="seconds:1", levels="kinds").kind_names == ("9", "10")
    bare = put(tmp_path, "u.TextGrid", textgrid(("TextTier", "a", [(1, "x"), (3, "")])))
    said = refused(1, "convert", bare, "-", "--to", "jsonl", "--units", "seconds:1",
                   "--levels", "kinds")  # fmt: skip
    assert "no label, which --levels kinds needs" in said
    for wrong, why in (("2", "labels have no levels"), ("all", "labels have no levels")):
        with pytest.raises(FormatError, match=why):
            fp.read(numbers, units="seconds:1", levels=wrong)
    with pytest.raises(FormatError, match="--units text takes labels as words"):
        fp.read(numbers, units="text", levels="kinds")


def test_a_gap_has_no_label(tmp_path):
    rows = [(1, "a"), (2, ""), (4, "b")]
    path = put(tmp_path, "x.TextGrid", textgrid(("IntervalTier", "t", rows)))
    how = {"units": "seconds:1", "levels": "kinds"}
    with pytest.raises(FormatError, match="--gaps join makes it part"):
        fp.read(path, gaps="segment", **how)
    assert fp.read(path, gaps="join", **how)["x"].marks == ["", "a", "", "b"]


STORY = "Ships came in. Gulls cried. It rained."  # sentences end at 14, 27 and 38


def region(number, start, end, *labels):
    """Return one region of a text in Label Studio's export."""
    value = {"start": start, "end": end, "text": STORY[start:end], "labels": list(labels)}
    return {"id": f"r{number}", "type": "labels", "value": value}


def task(*annotations, predictions=(), text=STORY):
    """Return one task: annotations and predictions are lists of (start, end, label...)."""

    def results(spans):
        return [region(number, *span) for number, span in enumerate(spans)]

    made = {"id": 7, "data": {"text": text}}
    if annotations:
        made["annotations"] = [
            {"id": n, "completed_by": n, "result": results(spans)}
            for n, spans in enumerate(annotations, start=1)
        ]
    if predictions:
        made["predictions"] = [
            {"id": n, "model_version": version, "result": results(spans)}
            for n, (version, spans) in enumerate(predictions, start=1)
        ]
    return made


def test_the_first_hint_for_regions_with_spaces_between_them_is_snap(tmp_path):
    path = put(tmp_path, "ls.json", [task([(0, 14, "S"), (15, 27, "S"), (28, 38, "S")])])
    said = refused(1, "convert", path, "-", "--to", "json")
    assert "this is white space: --snap" in said and "--gaps" not in said
    assert masses(path, "--snap") == {"7": [15, 13, 10]}
    assert masses(path, "--units", "words") == {"7": [3, 2, 2]}


@pytest.mark.parametrize(
    ("spans", "flags"),
    [
        ([(14, 14, "B"), (27, 27, "B")], "last"),  # of no length
        ([(13, 14, "B"), (26, 27, "B")], "last"),  # the full stop
        ([(14, 15, "B"), (27, 28, "B")], "last"),  # the space after it
        ([(15, 16, "B"), (28, 29, "B")], "first"),  # the first letter
        ([(13, 14, "B"), (26, 27, "B"), (37, 38, "B")], "last"),  # the end of the text, too
    ],
)
def test_regions_that_mark_boundaries_are_read_as_asked(tmp_path, spans, flags):
    path = put(tmp_path, "ls.json", [task(spans)])
    for words in ((), ("--snap",), ("--units", "words"), ("--units", "words", "--gaps", "join")):
        said = refused(1, "convert", path, "-", "--to", "json", *words)
        assert "--flags last" in said and "--flags first" in said
    assert masses(path, "--flags", flags, "--units", "words") == {"7": [3, 2, 2]}
    assert masses(path, "--flags", flags, "--snap") == {"7": [15, 13, 10]}


def test_marks_may_have_types_and_an_annotation_without_marks_has_no_boundaries(tmp_path):
    path = put(tmp_path, "ls.json", [task([(13, 14, "weak"), (26, 27, "strong")], [])])
    read = fp.read(path, flags="last", units="words", levels="kinds")
    assert read["7", "1"].marks == ["", "", "weak", "", "strong", "", ""]
    assert read["7", "2"].masses == (7,)
    assert read.source.choices == {"units": "words", "flags": "last", "levels": "kinds"}
    path = put(tmp_path, "ls.json", [task([(13, 14, "weak"), (14, 14, "strong")])])
    with pytest.raises(FormatError, match="two regions mark the boundary after unit 3"):
        fp.read(path, flags="last", units="words")


def test_labels_of_regions_are_boundary_types_where_asked_for(tmp_path):
    spans = [(0, 14, "topic"), (15, 27, "aside"), (28, 38, "topic")]
    path = put(tmp_path, "ls.json", [task(spans, [(0, 27, "aside"), (28, 38, "topic")])])
    read = fp.read(path, units="words", levels="kinds")
    assert read["7", "1"].marks == ["", "", "topic", "", "aside", "", "topic"]
    assert read["7", "2"].marks == ["", "", "", "", "aside", "", "topic"]
    path = put(tmp_path, "ls.json", [task([(0, 14, "a", "b"), (15, 38, "a")])])
    with pytest.raises(FormatError, match="the labels a, b, and a boundary has one type"):
        fp.read(path, units="words", levels="kinds")
    path = put(tmp_path, "ls.json", [task([(0, 14), (15, 38, "a")])])
    with pytest.raises(FormatError, match="region r0: no label"):
        fp.read(path, units="words", levels="kinds")


def test_predictions_are_a_system(tmp_path):
    gold, found = [(0, 14, "S"), (15, 38, "S")], [(0, 14, "S"), (15, 27, "S"), (28, 38, "S")]
    path = put(tmp_path, "ls.json", [task(gold, predictions=[("v2", found)])])
    assert masses(path, "--units", "words") == {"7": [3, 4]}
    for name in ("predictions", "v2"):
        words = "--units", "words", "-m", "precision", "recall"
        assert values(path, "--hyp-field", name, *words) == {
            "boundary_precision": 0.5, "boundary_recall": 1.0,
        }  # fmt: skip
    alone = put(tmp_path, "alone.json", [task(predictions=[("v2", found)])])
    assert masses(alone, "--units", "words") == {"7": [3, 2, 2]}
    both = put(tmp_path, "both.json", [task(gold, predictions=[("v1", gold), ("v2", found)])])
    words = "--units", "words", "-m", "precision"
    assert values(both, "--hyp-field", "v1", *words) == {"boundary_precision": 1.0}
    assert values(both, "--hyp-field", "v2", *words) == {"boundary_precision": 0.5}


@pytest.mark.parametrize("name", ["sheet.xlsx", "sheet.ods", "sheet"])
def test_a_spreadsheet_is_to_be_saved_as_csv(tmp_path, name):
    path = tmp_path / name
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("xl/workbook.xml", "<workbook/>")
    said = refused(1, "convert", path, "-", "--to", "json")
    assert said == f"{name} is a spreadsheet: save its sheet as CSV (UTF-8) and give that"
    old = put(tmp_path, "old.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
    assert "old.xls is a spreadsheet" in refused(1, "convert", old, "-", "--to", "json")


def test_metrics_that_ignore_boundary_types_are_named(tmp_path):
    table = put(tmp_path, "t.csv", "token,ref,hyp\na,,\nb,p,q\nc,,\nd,q,q\ne,,\n")
    words = "--ref-field", "ref", "--hyp-field", "hyp", "--no-baselines", "--json"
    notes = json.loads(ok("score", table, *words, "-m", "pk:k=1", "F", "B", notes=True))["notes"]
    (said,) = (note for note in notes if "boundary types" in note)
    assert said.startswith("pk and boundary_f ignore the boundary types (p, q); ")
    notes = json.loads(ok("score", table, *words, "-m", "B", notes=True)).get("notes", [])
    assert not any("boundary types" in note for note in notes)


def test_texts_that_count_as_unsegmented_are_named_also_beside_surplus_texts(tmp_path):
    gold = put(tmp_path, "gold.json", {"a": [3, 4], "b": [2, 2], "c": [5, 1]})
    ours = put(tmp_path, "ours.json", {"a": [3, 4], "z": [1, 1]})
    words = "score", gold, "-i", ours, "-m", "F", "--no-baselines", "--json"
    table = json.loads(ok(*words, "--missing", "whole", notes=True))
    assert table["rows"][0]["value"] == pytest.approx(1 / 3)
    notes = " / ".join(table["notes"])
    assert "2 texts (b, c) counted as unsegmented: not in ours" in notes
    assert "1 text (z) of ours ignored" in notes
    other = put(tmp_path, "other.json", {"y": [3, 4], "z": [1, 1]})
    said = refused(1, "score", gold, "-i", other, "--missing", "whole")
    assert "has none of the 3 texts of gold" in said


@pytest.mark.parametrize(
    ("overlap", "marks"),
    [("start", ["", "", "a", "", "", "", "b"]), ("end", ["", "", "", "", "a", "", "b"])],
)
def test_a_boundary_has_the_label_of_the_segment_that_ends_there(tmp_path, overlap, marks):
    path = put(tmp_path, "ls.json", [task([(0, 27, "a"), (15, 38, "b")])])
    read = fp.read(path, units="words", levels="kinds", overlap=overlap)
    assert read["7"].marks == marks


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("format", ["separated", "markdown", "html", "sentences", "tagged", "text"])
def test_wide_letters_without_a_mark_are_refused(format, encoding, tmp_path):
    """They are UTF-8, too, with a zero beside every letter: one long line of odd words."""
    text = "# A\n\nIt rained.\n\n# B\n\nWe left.\n"
    path = put(tmp_path, "x.txt", text.encode(encoding))
    command = ["look", path] if format != "text" else ["resegment", path, "-i", path]
    assert "looks like UTF-16" in refused(1, *command, "--from", format)


@pytest.mark.parametrize("name", ["x.csv", "x.tsv", "x.masses", "x.txt"])
def test_digits_of_other_scripts_are_no_numbers(name, tmp_path):
    """Marks in wide digits were read as the size of one segment: 0010 as 10."""
    text = {"x.csv": "text,ref\nd1,0010\nd2,0001\n", "x.tsv": "text\tmasses\nd1\t0010\n"}
    text |= {"x.masses": "12 10\n", "x.txt": "d1: 0010 1\n"}
    wide = text[name].translate({ord(str(i)): 0xFF10 + i for i in range(10)})
    path = put(tmp_path, name, wide)
    refused(1, "look", path, "--from", "table" if name == "x.csv" else "tsv" if name == "x.tsv"
            else "lines")  # fmt: skip
