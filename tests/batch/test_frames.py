"""Frames in, frames of the same library out, with the numbers of fp.score."""

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import fencepost as fp
from strategies import random_pairs

PAIRS = list(random_pairs(9, 20, (2, 30)))
COLUMNS = {
    "id": [f"d{i}" for i in range(20)],
    "gold": [list(ref.masses) for ref, _ in PAIRS],
    "a": [list(hyp.masses) for _, hyp in PAIRS],
    "b": [list(ref.masses) for ref, _ in PAIRS],
}
FRAMES = {
    "pandas": (pd.DataFrame, pd.DataFrame),
    "polars": (pl.DataFrame, pl.DataFrame),
    "pyarrow": (pa.table, pa.Table),
    "duckdb": (lambda columns: duckdb.from_arrow(pa.table(columns)), duckdb.DuckDBPyRelation),
}
every_library = pytest.mark.parametrize("library", FRAMES)


def rows(frame):
    if isinstance(frame, duckdb.DuckDBPyRelation):
        frame = frame.to_arrow_table()
    if isinstance(frame, pa.Table):
        return frame.to_pylist()
    return frame.to_dicts() if isinstance(frame, pl.DataFrame) else frame.to_dict("records")


@every_library
def test_the_summary_is_that_of_score(library):
    make, kind = FRAMES[library]
    found = fp.score_frame(
        make(COLUMNS), "gold", ["a", "b"], metrics=["pk", "B"], encoding="masses", text="id"
    )
    assert isinstance(found, kind)
    sides = [dict(zip(COLUMNS["id"], COLUMNS[name], strict=True)) for name in ("gold", "a", "b")]
    wanted = fp.score(
        sides[0], {"a": sides[1], "b": sides[2]}, metrics=["pk", "B"], baselines=False
    )
    for row, other in zip(rows(found), wanted, strict=True):
        assert row["system"] == other["system"] and row["signature"] == other["signature"]
        assert row["value"] == other["value"] and row["n"] == other["n"]
        if other["low"] is not None:
            assert (row["low"], row["high"]) == (other["low"], other["high"])


@every_library
def test_values_by_text_stand_beside_the_columns(library):
    make, kind = FRAMES[library]
    found = fp.score_frame(
        make(COLUMNS), "gold", ["a", "b"], metrics=["windowdiff", "B"], encoding="masses",
        by_text=True,
    )  # fmt: skip
    assert isinstance(found, kind)
    for row, (ref, hyp) in zip(rows(found), PAIRS, strict=True):
        assert row["a.boundary_similarity"] == float(fp.boundary_similarity(ref, hyp))
        assert row["b.boundary_similarity"] == 1
        assert row["id"]


def test_the_index_of_a_pandas_frame_stays():
    frame = pd.DataFrame(COLUMNS, index=[f"row{i}" for i in range(20)])
    found = fp.score_frame(frame, "gold", "a", metrics="B", encoding="masses", by_text=True)
    assert found.index.tolist() == frame.index.tolist()
    assert found["a.boundary_similarity"].notna().all()


def test_undefined_values_and_nulls_are_null():
    frame = pl.DataFrame({"gold": [[1], [2, 2], None], "a": [[1], [2, 2], [3]]})
    found = fp.score_frame(frame, "gold", "a", metrics="pk", encoding="masses", by_text=True)
    assert found["a.pk"].to_list() == [None, 0.0, None]


def test_a_lazy_frame_is_refused():
    with pytest.raises(fp.FencepostError, match="collect"):
        fp.score_frame(pl.DataFrame(COLUMNS).lazy(), "gold", "a", metrics="pk", encoding="masses")


@every_library
def test_a_frame_without_a_column_or_rows_is_told(library):
    make, _ = FRAMES[library]
    with pytest.raises(fp.FencepostError, match="no column c in this frame; there are id, gold"):
        fp.score_frame(make(COLUMNS), "gold", "c", metrics="pk", encoding="masses")
    empty = pa.table(COLUMNS).slice(0, 0)
    frame = {"pandas": empty.to_pandas, "polars": lambda: pl.from_arrow(empty)}.get(
        library, lambda: make(empty) if library == "duckdb" else empty
    )()
    with pytest.raises(fp.FencepostError, match="the frame has no texts"):
        fp.score_frame(frame, "gold", "a", metrics="pk", encoding="masses")
    found = fp.score_frame(frame, "gold", "a", metrics="pk", encoding="masses", by_text=True)
    assert not rows(found) and "a.pk" in list(getattr(found, "column_names", found.columns))


def test_columns_that_a_frame_has_twice_or_would_lose_are_refused():
    frame = pd.DataFrame(COLUMNS)
    for twice in (
        pd.concat([frame, frame[["a"]]], axis=1),
        pa.Table.from_arrays(
            [pa.array(COLUMNS[n]) for n in ("gold", "a", "a")], ["gold", "a", "a"]
        ),
    ):
        with pytest.raises(fp.FencepostError, match="a: the name of two columns of this frame"):
            fp.score_frame(twice, "gold", "a", metrics="B", encoding="masses")
    taken = frame.assign(**{"a.boundary_similarity": 9})
    with pytest.raises(fp.FencepostError, match=r"column a\.boundary_similarity already"):
        fp.score_frame(taken, "gold", "a", metrics="B", encoding="masses", by_text=True)
    assert len(fp.score_frame(taken, "gold", "a", metrics="B", encoding="masses")) == 1


@pytest.mark.parametrize("column", [[[5], "x"], [[[5]], 5]])
def test_a_column_of_several_kinds_is_one_sentence(column):
    frame = pd.DataFrame({"gold": [[5], [5]], "a": column})
    with pytest.raises(fp.FencepostError, match=r"cannot be read as Arrow columns: .*column a"):
        fp.score_frame(frame, "gold", "a", metrics="B", encoding="masses")


@every_library
def test_the_summary_has_the_number_of_rows_with_a_null(library):
    make, _ = FRAMES[library]
    holes = COLUMNS | {"a": [None, *COLUMNS["a"][1:]], "gold": [*COLUMNS["gold"][:-1], None]}
    table = make(pa.table(holes).to_pydict()) if library == "duckdb" else make(holes)
    found = rows(fp.score_frame(table, "gold", ["a", "b"], metrics="B", encoding="masses"))
    assert [(row["nulls"], row["n"] + row["undefined"]) for row in found] == [(2, 18)] * 2
    whole = fp.score_frame(make(COLUMNS), "gold", "a", metrics="B", encoding="masses")
    assert [row["nulls"] for row in rows(whole)] == [0]


def test_a_connection_is_no_frame():
    with pytest.raises(fp.FencepostError, match="found DuckDBPyConnection"):
        fp.score_frame(duckdb.connect(), "gold", "a", metrics="B", encoding="masses")
