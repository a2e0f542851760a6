"""Columns of boundary types: what single typed files give, from the command line and from plans."""

import json
import re

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fencepost as fp
from fencepost.options import read_names
from strategies import random_pairs
from support import run

MARKS = (",", ".", "?")
COLUMNS = "ref=gold,hyp=a,hyp=b,ref_types=gt,hyp_types=at,hyp_types=bt,units=n,text=id"
RUN = ("--encoding", "positions", "--columns", COLUMNS)


def sides(names, count=30):
    """Return the texts of a reference and two systems."""
    drawn = [list(random_pairs(seed, count, (2, 40), names)) for seed in (5, 6)]
    gold, a, b = {}, {}, {}
    for i, ((ref, hyp), (other, _)) in enumerate(zip(*drawn, strict=True)):
        seg = other if other.units == ref.units else hyp
        gold[f"t{i}"], a[f"t{i}"], b[f"t{i}"] = map(one_per_position, (ref, hyp, seg))
    return {"gold": gold, "a": a, "b": b}


def one_per_position(seg):
    """Return the first boundary of each position: Sf takes no more."""
    cuts, first = np.unique(seg.cuts, return_index=True)
    return fp.Segmentation(seg.units, cuts, seg.kinds[first], seg.kind_names)


def types_of(seg):
    return [seg.kind_names[kind - 1] for kind in seg.kinds]


def table_of(found):
    columns = {"id": list(found["gold"]), "n": [seg.units for seg in found["gold"].values()]}
    for (side, texts), types in zip(found.items(), ("gt", "at", "bt"), strict=True):
        columns[side] = [seg.cuts.tolist() for seg in texts.values()]
        columns[types] = [types_of(seg) for seg in texts.values()]
    return pa.table(columns)


def written(folder, found):
    """Write the columns as Parquet and JSON lines, and each side as a typed file of its own."""
    table = table_of(found)
    pq.write_table(table, folder / "both.parquet", row_group_size=7)
    rows = "".join(json.dumps(row) + "\n" for row in table.to_pylist())
    (folder / "both.jsonl").write_text(rows)
    for side, texts in found.items():
        records = [
            {"id": name, "units": seg.units, "ref": {"cuts": seg.cuts.tolist(),
                                                    "kinds": types_of(seg)}}
            for name, seg in texts.items()
        ]  # fmt: skip
        (folder / f"{side}.jsonl").write_text("".join(json.dumps(r) + "\n" for r in records))


def results(folder, *command):
    done = run("score", *command, "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    rows = [
        {**row, "reference": "", "signature": re.sub(r"\|type-names:[^|]*", "", row["signature"])}
        for row in found["rows"]
    ]
    return rows, found.get("notes"), found["facts"]["settings"], found["facts"]["fingerprints"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("names", "asked"),
    [
        (MARKS, ("--type-names", *MARKS, "-m", "B", "S", "S:weights=te", "F", "Sf", "pk")),
        (MARKS, ("--types", ",<.<?", "-m", "B", "S", "T", "L")),
        (("1", "2", "10"), ("--type-names", "10", "1", "2", "-m", "B", "S", "T", "L", "WDL")),
        (("x",), ("--type-names", "x", "-m", "B", "S", "Sf")),
    ],
)
def test_a_run_over_typed_columns_is_the_score_of_typed_files(tmp_path, names, asked):
    written(tmp_path, sides(names))
    single = [one for one in asked if one != "--type-names" and (one not in names)]
    one_by_one = ("gold.jsonl", "-i", "a=a.jsonl", "b=b.jsonl", "--no-baselines")
    alone = results(tmp_path, *one_by_one, *single)
    assert results(tmp_path, "both.parquet", *RUN, *asked) == alone
    assert results(tmp_path, "both.jsonl", *RUN, *asked) == alone


def test_types_that_json_lines_have_as_numbers_are_names(tmp_path):
    found = sides(("1", "2", "3"), 8)
    written(tmp_path, found)
    rows = [
        {**row, **{types: [*map(int, row[types])] for types in ("gt", "at", "bt")}}
        for row in table_of(found).to_pylist()
    ]
    asked = (*RUN, "--type-names", "1", "2", "3", "-m", "B", "T")
    texts = results(tmp_path, "both.jsonl", *asked)
    (tmp_path / "both.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert results(tmp_path, "both.jsonl", *asked) == texts


def test_a_saved_run_of_typed_columns_resumes(tmp_path):
    written(tmp_path, sides(MARKS))
    asked = ("*.parquet", *RUN, "--type-names", *MARKS, "-m", "B", "S", "--save", "counts")
    first = results(tmp_path, *asked)
    assert results(tmp_path, *asked, "--resume") == first


def test_signatures_name_the_types_from_which_prices_follow(tmp_path):
    names = ("1", "2", "10")
    written(tmp_path, sides(names))

    def scored(*types, metrics=("-m", "B")):
        given = ("--type-names", *types) if types else ()
        done = run("score", "both.parquet", *RUN, *given, *metrics, "--json", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        (row, _) = json.loads(done.stdout)["rows"]
        return row["value"], row["signature"]

    own, wider = scored(*names), scored("100", *names)
    assert "|type-names:1,2,10|" in own[1] and "|type-names:1,2,10,100|" in wider[1]
    assert own[0] < wider[0]  # of numbers up to 100, those up to 10 are near each other
    assert scored("10", "2", "1") == own
    for value, signature in (own, wider):
        assert scored(metrics=("--signature", signature)) == (value, signature)
    with_comma = fp.Plan("gold", "a", encoding="positions", units="n", metrics="B",
                         kinds={"gold": "gt", "a": "at"}, kind_names=["a,b", "%"])  # fmt: skip
    (signature,) = with_comma.signatures()
    assert sorted(read_names(signature.fields["type-names"])) == ["%", "a,b"]


def test_the_reading_line_names_columns_of_types(tmp_path):
    written(tmp_path, sides(MARKS, 8))
    done = run("score", "both.parquet", *RUN, "--type-names", *MARKS, "-m", "B", cwd=tmp_path)
    assert "boundary types in gt, at, bt" in " ".join(done.stdout.split())


COMMAND = ("both.parquet", "--encoding", "positions", "--columns")


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ((*COMMAND, COLUMNS), "need their names, as a batch may not have all: --type-names"),
        (
            (*COMMAND, "ref=gold,hyp=a,hyp=b,units=n,ref_types=gt,hyp_types=at", "--type-names",
             *MARKS),
            "for gold and for each of a, b: --columns ref_types=NAME,hyp_types=NAME,hyp_types=NAME",
        ),
        (
            (*COMMAND, "ref=gold,hyp=a,units=n,hyp_types=at", "--type-names", *MARKS),
            "a column for gold and for each of a: --columns ref_types=NAME,hyp_types=NAME",
        ),
        (
            (*COMMAND, "ref=gold,hyp=a,units=n", "--type-names", *MARKS),
            "no column of types is: --columns ref_types=NAME,hyp_types=NAME",
        ),
        ((*COMMAND, COLUMNS, "--type-names", ",", "."), "the boundary type '?' is not among"),
        (
            ("both.parquet", "--encoding", "masses", "--columns", COLUMNS, "--type-names", *MARKS),
            "boundary types are lists beside positions: --encoding positions",
        ),
        (
            ("both.parquet", "-i", "b=both.parquet:hyp=b,hyp_types=bt", "--encoding", "positions",
             "--columns", "ref=gold,ref_types=gt,units=n,text=id", "--type-names", *MARKS),
            "boundary types are read from one table that has both sides",
        ),
        (("--counts", "c.csv", "--type-names", "a"), "--type-names needs files"),
    ],
)  # fmt: skip
def test_types_that_are_declared_by_half_are_refused(tmp_path, command, message):
    written(tmp_path, sides(MARKS, 30))
    done = run("score", *command, "-m", "B", cwd=tmp_path)
    assert done.returncode in (1, 2) and not done.stdout
    assert message in " ".join(done.stderr.split()).replace(" fencepost: ", " ")


def test_a_plan_takes_the_types_of_their_order():
    kinds = {"gold": "gt", "a": "at"}
    for types in (",<.<?", list(MARKS)):
        plan = fp.Plan(
            "gold", "a", encoding="positions", units="n", metrics="B", kinds=kinds, types=types
        )
        assert plan.kind_names == MARKS and fp.Plan.from_json(plan.to_json()) == plan


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"gt": [[{"a": 1}, {"a": 1}]]}, "texts or whole numbers, found lists of struct<a: int64>"),
        ({"gt": [[1.0, 2.0]]}, "texts or whole numbers, found lists of double"),
        ({"gt": [["p"]]}, "row 1, g: gt needs one type for each position"),
        ({"gt": [["p", None]]}, "row 1: gt has a null inside its list"),
        ({"gt": ["p"]}, "column gt must have lists, found string"),
        ({"g": [[2, 1]]}, r"found 1 after 2; if these are segment sizes: --encoding masses \(enc"),
        ({"g": [[2, 2]], "gt": [["p", "p"]]}, "the boundary after unit 2 is given twice"),
    ],
)
def test_lists_that_are_no_types_are_refused(changed, message):
    columns = {"g": [[1, 2]], "h": [[1]], "n": [4], "gt": [["p", "q"]], "ht": [["q"]]}
    plan = fp.Plan("g", "h", encoding="positions", units="n", metrics="B", types="p<q",
                   kinds={"g": "gt", "h": "ht"})  # fmt: skip
    with pytest.raises(fp.SegmentationError, match=message):
        list(fp.score_batches(pa.table({**columns, **changed}), plan))
