"""Signatures of batches say how lists were read as those of single files do."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fencepost as fp
from support import run

SETTINGS = {"flags": {"flags": "last"}, "spans": {"gaps": "join", "overlap": "start"}}
CALLS = {"flags": ["--flags", "last"], "spans": ["--gaps", "join", "--overlap", "start"]}


@st.composite
def columns(draw):
    """An encoding and lists of it for a reference and a system; small values are frequent."""
    encoding = draw(st.sampled_from(("masses", "positions", "bits", "flags", "spans")))
    size = st.integers(1, draw(st.sampled_from((1, 2, 3))))
    lists = {"gold": [], "sys": [], "n": []}
    for _ in range(draw(st.integers(1, 4))):
        units = draw(st.integers(1, 8))
        for side in ("gold", "sys"):
            if encoding in ("bits", "flags"):
                least = units - (encoding == "bits")
                ones = st.integers(draw(st.sampled_from((0, 1))), 1)
                made = draw(st.lists(ones, min_size=least, max_size=least))
            elif encoding == "positions":
                made = sorted(draw(st.sets(st.integers(1, units), max_size=units)) - {units})
            else:
                made, left = [], units
                while left:
                    made.append(min(left, draw(size)))
                    left -= made[-1]
                ends = [sum(made[: i + 1]) for i in range(len(made))]
                if encoding == "spans":
                    made = [list(pair) for pair in zip([0, *ends[:-1]], ends, strict=True)]
            lists[side].append(made)
        lists["n"].append(units)
    return encoding, lists


@given(columns(), st.booleans())
def test_the_signature_is_the_one_of_a_single_file(tmp_path_factory, drawn, with_units):
    encoding, lists = drawn
    with_units = with_units or encoding == "positions"
    kind = pa.list_(pa.int64()) if encoding == "spans" else pa.int64()
    table = pa.table(
        {
            "id": [f"d{i}" for i in range(len(lists["n"]))],
            "n": lists["n"],
            **{side: pa.array(lists[side], pa.list_(kind)) for side in ("gold", "sys")},
        }
    )
    path = str(tmp_path_factory.mktemp("one") / "t.parquet")
    pq.write_table(table, path)
    roles = {"text": "id", **({"units": "n"} if with_units else {})}
    own = SETTINGS.get(encoding, {})
    sides = []
    for side in ("gold", "sys"):
        asked = {"encoding": encoding, "columns": {**roles, "ref": side}, **own}
        try:
            sides.append(fp.read(path, **asked))
        except fp.FencepostError as error:  # one mark in every row is for no single file
            if "every row has one mark" not in str(error):
                raise
            return
    alone = fp.score(*sides, metrics=["B"], baselines=False)
    units = {"units": "n"} if with_units else {}
    frame = fp.score_frame(
        table, "gold", "sys", encoding=encoding, metrics=["B"], text="id", **units, **own
    )
    assert frame["signature"].to_pylist() == [str(row["signature"]) for row in alone]
    plan = fp.Plan("gold", "sys", encoding=encoding, metrics=["B"], text="id", **units, **own)
    done = fp.score_files(path, plan)
    assert [row["signature"] for row in done] == [row["signature"] for row in alone]
    assert done.facts["fingerprint"] == alone.facts["fingerprint"]


@pytest.mark.parametrize(
    ("encoding", "units", "named"),
    [
        ("masses", None, False),
        ("positions", "n", True),
        ("bits", None, True),
        ("bits", "n", False),
        ("flags", None, False),
        ("spans", None, False),
    ],
)
def test_a_plan_knows_which_encoding_no_list_tells(encoding, units, named):
    own = {"flags": "first"} if encoding == "flags" else {}
    plan = fp.Plan("gold", "sys", encoding=encoding, units=units, metrics="B", **own)
    assert ("|encoding:" in plan.signatures()[0]) == named


def test_a_text_that_tells_may_be_in_another_batch_or_part(tmp_path):
    rows = [{"gold": [1, 2, 3], "sys": [1, 2, 3]}] * 3 + [{"gold": [5, 1], "sys": [3, 3]}]
    plan = fp.Plan("gold", "sys", encoding="masses", metrics="B")

    def signature(chosen, size, **settings):
        pq.write_table(pa.Table.from_pylist(chosen), tmp_path / "t.parquet", row_group_size=size)
        return fp.score_files(tmp_path / "t.parquet", plan, **settings).rows[0]["signature"]

    named = [signature(rows[:3], size) for size in (1, 2, 3)]
    assert all("|encoding:masses|" in one for one in named)
    told = [signature(rows, size) for size in (1, 2, 4)]
    assert not any("encoding" in one for one in told)
    saved = tmp_path / "saved"
    assert signature(rows[:3], 2, save=saved) == named[0]
    assert fp.score_files(tmp_path / "t.parquet", plan, save=saved, resume=True).rows[0][
        "signature"
    ] == named[0]  # fmt: skip


def test_two_encodings_of_the_same_lists_have_two_signatures():
    table = pa.table({"n": [12] * 6, "gold": [[2, 4, 6]] * 6, "sys": [[1, 5, 6]] * 6})
    settings = {"units": "n", "metrics": "windowdiff"}
    frames = [
        fp.score_frame(table, "gold", "sys", encoding=encoding, **settings).to_pylist()[0]
        for encoding in ("masses", "positions")
    ]
    assert frames[0]["value"] != frames[1]["value"]
    assert "encoding" not in frames[0]["signature"]
    assert "|encoding:positions|" in frames[1]["signature"]


def test_diff_calls_the_same_reading_the_same(tmp_path):
    rows = [{"id": str(i), "gold": [0, 1, 0, i % 2], "sys": [0, 1, 1, 0]} for i in range(6)]
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    asked = ("--columns", "ref=gold,hyp=sys,text=id", "--encoding", "bits", "-m", "windowdiff")
    for name, more in (("alone", ["--no-baselines"]), ("run", ["--strict"])):
        done = run("score", "t.jsonl", *asked, *more, "--save", f"{name}.csv", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    done = run("diff", "alone.csv", "run.csv", cwd=tmp_path)
    assert done.stdout == "all numbers are the same\n"


@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
def test_a_column_of_units_is_used_as_in_single_files(tmp_path, ending):
    rows = [
        {"id": f"d{i}", "units": 20, "gold": [[0, 5], [5, 12]], "sys": [[0, 4 + i % 2], [6, 12]]}
        for i in range(6)
    ]
    if ending == "jsonl":
        (tmp_path / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        pq.write_table(pa.Table.from_pylist(rows), tmp_path / "t.parquet")
    asked = ("--columns", "ref=gold,hyp=sys,text=id", "--encoding", "spans", "--gaps", "join")
    command = ("score", f"t.{ending}", *asked, "-m", "windowdiff", "--json")
    alone = json.loads(run(*command, "--no-baselines", cwd=tmp_path).stdout)
    done = json.loads(run(*command, "--strict", cwd=tmp_path).stdout)
    assert done["rows"] == alone["rows"] and done["facts"]["units"] == 120
    assert "one row per text, units in units" in done["facts"]["reading_lines"][0]


def test_a_column_called_units_without_numbers_is_not_used(tmp_path):
    rows = [{"id": f"d{i}", "units": "chars", "gold": [5, 5], "sys": [4, 6]} for i in range(3)]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "t.parquet")
    asked = ("--columns", "ref=gold,hyp=sys,text=id", "--encoding", "masses", "--strict")
    done = run("score", "t.parquet", *asked, "-m", "B", cwd=tmp_path)
    assert done.returncode == 0 and "units in" not in done.stdout
    (tmp_path / "t.parquet").write_bytes(b"PAR1")
    done = run("score", "t.parquet", *asked, "-m", "B", cwd=tmp_path)
    assert done.returncode == 1 and "t.parquet cannot be read" in done.stderr
