"""A refusal names every reading that is possible, the likely one first, and each of them works."""

import json
import re
import shlex

import pytest

import fencepost as fp
from fencepost.formats import read_text
from fencepost.formats.options import FormatError
from support import ok, put, refused

MARKS = '{"id": "a", "ref": [0, 1, 0, 0, 1, 0, 0]}\n{"id": "b", "ref": [0, 0, 1, 0, 0]}\n'
PROBABILITIES = (
    '{"id": "a", "p": [0.1, 0.9, 0.2, 0.3, 0.6, 0.2, 0.1]}\n'
    '{"id": "b", "p": [0.1, 0.2, 0.7, 0.3, 0.6]}\n'
)
SCORE = ("score", "g.jsonl", "-i", "p.jsonl:hyp=p", "--probabilities", "-m", "brier")


def test_marks_beside_probabilities_may_be_per_unit_or_per_position(tmp_path):
    put(tmp_path, "g.jsonl", MARKS)
    put(tmp_path, "p.jsonl", PROBABILITIES)
    said = refused(1, *SCORE, cwd=tmp_path)
    assert said == (
        'g.jsonl, line 1, text a: "ref" has 7 marks (0/1), but not what a 1 marks: --flags last '
        "(it ends a segment) or --flags first (it starts one) with one per unit, or --encoding "
        "bits with one per position between two units"
    )
    units = {"--flags last": 12, "--flags first": 12, "--encoding bits": 14}
    for way, count in units.items():
        out = ok(*SCORE, *way.split(), cwd=tmp_path)
        assert f"2 texts, {count} units" in out


def test_marks_of_several_annotators_may_be_per_position_too():
    rows = (
        '{"id": "a", "coder": "x", "ref": [0, 1, 0]}\n{"id": "a", "coder": "y", "ref": [1, 0, 0]}'
    )
    with pytest.raises(FormatError, match=r"--flags first .*, or --encoding bits with one per pos"):
        read_text(rows, "a.jsonl")
    assert read_text(rows, "a.jsonl", encoding="bits")["a", "x"].masses == (2, 2)


def test_as_many_marks_as_known_units_are_of_units():
    row = '{"id": "a", "ref": [0, 1, 0], "units": ["x", "y", "z"]}'
    with pytest.raises(FormatError) as caught:
        read_text(row, "a.jsonl")
    assert "bits" not in str(caught.value)


LEVELS = "text,sentence,gold\nd,s1,0\nd,s2,2\nd,s3,1\nd,s4,0\nd,s5,2\nd,s6,1\n"


@pytest.mark.parametrize("columns", [(), ("--columns", "ref=gold")])
def test_cells_that_may_be_levels_or_labels_lead_to_both_with_what_they_give(tmp_path, columns):
    put(tmp_path, "e.csv", LEVELS)
    said = refused(1, "look", "e.csv", *columns, cwd=tmp_path)
    assert said.index("--levels kinds") < said.index("--encoding labels")
    assert (
        "--levels kinds with --flags if numbers are levels of boundaries (0 for none, 1 the "
        in (said)
    )
    assert "4 of 6 units have a boundary; or --encoding labels" in said
    assert "each is the label of a unit: 6 segments" in said
    both = ("--columns", "ref=gold")
    levels = ok("look", "e.csv", *both, "--levels", "kinds", "--flags", "first", cwd=tmp_path)
    assert "4 boundaries" in levels
    labels = ok("look", "e.csv", *both, "--encoding", "labels", cwd=tmp_path)
    assert "5 boundaries" in labels


def test_numbers_without_a_zero_are_no_levels_of_boundaries(tmp_path):
    put(tmp_path, "e.csv", LEVELS.replace(",0\n", ",7\n"))
    assert "--levels" not in refused(1, "look", "e.csv", "--columns", "ref=gold", cwd=tmp_path)


@pytest.mark.parametrize("text", ["text", "doc"])
def test_parquet_with_a_row_per_unit_is_read_as_the_hint_says(tmp_path, text):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    table = {text: list("aaaaabbbb"), "gold": [0, 1, 0, 0, 1, 0, 0, 1, 1],
             "p": [0.1, 0.9, 0.2, 0.3, 0.6, 0.2, 0.1, 0.7, 0.8]}  # fmt: skip
    parquet.write_table(arrow.table(table), tmp_path / "u.parquet")
    said = refused(1, "look", "u.parquet", cwd=tmp_path)
    hint = re.search(r"fencepost (look u\.parquet --from units .*)$", said)[1]
    out = ok(*shlex.split(hint), cwd=tmp_path)
    assert "2 texts, 9 units" in out
    command = shlex.split(hint.replace("look", "score").replace(" --coders gold", ""))
    scored = ok(*command, "--columns", "ref=gold,hyp=p", "--flags", "last", "--probabilities", "-m",
                "AP", cwd=tmp_path)  # fmt: skip
    csv = "\n".join(",".join(map(str, row)) for row in zip(*table.values(), strict=True))
    put(tmp_path, "u.csv", f"{','.join(table)}\n{csv}\n")
    again = ok(*[word.replace(".parquet", ".csv") for word in command], "--columns",
               "ref=gold,hyp=p", "--flags", "last", "--probabilities", "-m", "AP",
               cwd=tmp_path)  # fmt: skip
    assert scored.replace(".parquet", ".csv").splitlines()[-4:] == again.splitlines()[-4:]
    with pytest.raises(FormatError, match="is empty"):
        fp.read(put(tmp_path, "x.parquet", b""), "units")


# Numbers above 1 where probabilities are declared.

PERCENT = '{"id": "a", "p": [10, 90, 20, 30]}\n{"id": "b", "p": [10, 20, 70]}\n'
IS = "p.jsonl, line 1, text a: --probabilities is for probabilities from 0 to 1; number 1 of "
SIZES = (
    'probabilities, which are from 0 to 1: number 1 of "p" is 10 (p.jsonl, line 1, text a); if '
    "these are percentages, divide them by 100"
)


@pytest.mark.parametrize("more", [(), ("--encoding", "bits"), ("--flags", "last")])
def test_percentages_are_no_probabilities(tmp_path, more):
    put(tmp_path, "g.json", {"a": [2, 3], "b": [4]})
    put(tmp_path, "p.jsonl", PERCENT)
    way = '"p" is the number 10; if these are percentages, divide them by 100'
    score = ("score", "g.json", "-i", "p.jsonl:hyp=p", "--probabilities", "-m", "brier", *more)
    look = ("look", "p.jsonl", "--columns", "ref=p", "--probabilities", *more)
    for command in (score, look):
        said = refused(2, *command, cwd=tmp_path)
        assert said.startswith(f"--probabilities does not apply: no file holds {SIZES}; remove it")
    with pytest.raises(FormatError, match="does not apply: the file holds no probabilities, which"):
        fp.read(tmp_path / "p.jsonl", columns={"ref": "p"}, probabilities=True)
    tuned = refused(2, "tune", "g.json", "-i", "p.jsonl:hyp=p", "-m", "B", *more, cwd=tmp_path)
    assert tuned.startswith(f"no file holds {SIZES}. fencepost tune finds their threshold")
    said = refused(2, *score[:4], "--threshold", "0.5", "-m", "B", *more, cwd=tmp_path)
    assert said.startswith(f"--threshold does not apply: no file holds {SIZES}; remove it")
    # A 0 among them is no segment size, and neither is 12.5.
    put(tmp_path, "p.jsonl", PERCENT.replace("[10, 90", "[12.5, 90"))
    said = refused(1, *score, cwd=tmp_path)
    assert said == IS + way.replace("10;", "12.5;")
    put(tmp_path, "p.jsonl", PERCENT.replace("[10, 90", "[0, 90"))
    said = refused(1, *score, cwd=tmp_path)
    assert said == IS.replace("number 1 of", "number 2 of") + way.replace("10;", "90;")


def test_percentages_of_a_sheet_have_their_unit(tmp_path):
    rows = "text,sentence,gold,prob\na,It,0,10\na,was,1,90\na,dark,0,20\nb,x,0,70\nb,z,1,30\n"
    put(tmp_path, "s.csv", rows)
    said = refused(1, "score", "s.csv", "--columns", "ref=gold,hyp=prob", "--flags", "last",
                   "--probabilities", "-m", "brier", cwd=tmp_path)  # fmt: skip
    assert said == (
        "s.csv, line 2: prob holds 10 (unit 1 of a), and probabilities are from 0 to 1; if these "
        "are percentages, divide them by 100"
    )


def test_sizes_beside_probabilities_are_still_sizes(tmp_path):
    put(tmp_path, "g.json", {"a": [2, 2], "b": [1, 3]})
    put(tmp_path, "p.json", {"a": [0.1, 0.5, 0.3], "b": [0.1, 0.2, 0.9]})
    ok("score", "g.json", "-i", "p.json", "--probabilities", "--encoding", "bits", "-m", "brier",
       cwd=tmp_path)  # fmt: skip


def test_a_list_without_a_name_is_not_called_masses(tmp_path):
    put(tmp_path, "g.json", {"a": [2, 2], "b": [1, 2]})
    put(tmp_path, "p.json", {"a": [0.1, 0.5, 0.3], "b": [0.1, 2]})
    said = refused(1, "score", "g.json", "-i", "p.json", "--probabilities", "-m", "brier",
                   cwd=tmp_path)  # fmt: skip
    assert said == (
        "p.json, line 1, b: --probabilities is for probabilities from 0 to 1; number 2 of its list "
        "is the number 2"
    )
    assert json.loads((tmp_path / "p.json").read_text())["b"][1] == 2
