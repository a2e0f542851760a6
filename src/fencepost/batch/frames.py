"""Scores of the rows of a data frame, as a frame of the same library."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from fencepost.batch.arrow import count_batches
from fencepost.batch.plan import Plan
from fencepost.batch.totals import Totals
from fencepost.metrics.registry import Metric, Recipe
from fencepost.model.checks import FencepostError
from fencepost.options import Average, Encoding, Flags, Gaps, Overlap
from fencepost.scoring.tables import Table
from fencepost.wording import listed, needs


def score_frame(
    df: Any,
    ref: str,
    hyp: str | Sequence[str],
    *,
    encoding: Encoding,
    metrics: str | Sequence[str | Metric[Any] | Recipe | Callable[..., float]] | None = None,
    like: str | None = None,
    types: str | Sequence[str] | None = None,
    average: Average | None = None,
    text: str | None = None,
    units: str | None = None,
    flags: Flags | None = None,
    gaps: Gaps | None = None,
    overlap: Overlap | None = None,
    kinds: Mapping[str, str] | None = None,
    kind_names: Sequence[str] = (),
    by_text: bool = False,
) -> Any:
    """Score the hypothesis columns of a frame; return a frame of the same library.

    ``df`` is of pandas, polars or pyarrow, or a relation of DuckDB; the result is of the same
    library (a relation of DuckDB belongs to its default connection). Every row is a text; the other
    arguments are as in :class:`Plan`. The result has a row for each system and metric, as
    ``fp.score`` without baselines. Its column ``nulls`` is the number of rows that have no score
    because of a null in a column. With ``by_text=True`` the result is the frame with a further
    column of values, SYSTEM.METRIC, for each system and metric (null where undefined).

    >>> import fencepost as fp, pandas as pd
    >>> df = pd.DataFrame({"gold": [[5, 5], [3, 4]], "c256": [[4, 6], [3, 4]]})
    >>> scores = fp.score_frame(df, "gold", "c256", encoding="masses", metrics="B", by_text=True)
    >>> scores["c256.boundary_similarity"].tolist()
    [0.5, 1.0]
    """
    plan = Plan(
        ref, hyp, encoding=encoding, metrics=metrics, like=like, types=types, average=average,
        text=text, units=units, flags=flags, gaps=gaps, overlap=overlap, kinds=kinds or {},
        kind_names=kind_names,
    )  # fmt: skip
    narwhals, arrow = needs("narwhals", "score_frame"), needs("pyarrow", "score_frame")
    relation = type(df).__module__.partition(".")[0] in ("duckdb", "_duckdb")
    given = _frame(narwhals, arrow, df, relation)
    lacking = [name for name in plan.columns() if name not in given.columns]
    if lacking:
        raise FencepostError(
            f"no column {listed(lacking, 5)} in this frame; there are {listed(given.columns, 12)}"
        )
    try:
        table = given.select(plan.columns()).to_arrow()
    except arrow.ArrowException as error:  # a column of pandas holds several kinds
        why = "; ".join(map(str, error.args))
        raise FencepostError(f"this frame cannot be read as Arrow columns: {why}") from None
    if by_text:
        names = [f"{s}.{label}" for s in plan.systems for label in plan.labels()]
        taken = [name for name in names if name in given.columns]
        if taken:
            raise FencepostError(
                f"this frame has a column {listed(taken, 5)} already, which by_text=True would "
                "replace; drop it, or give it another name"
            )
        values = _values(arrow, table, plan)
        new = [narwhals.new_series(name, values[name].to_pylist(), narwhals.Float64,
                                   backend=given.implementation) for name in names]  # fmt: skip
        return _related(given.with_columns(*new).to_native(), relation)
    totals = Totals.for_plan(plan)
    for counted in count_batches(table, plan):
        totals.add(counted)
    table = totals.table(plan, "the frame")
    made = _native(narwhals, table, totals.skipped, given.implementation)
    return _related(made, relation)


def _related(table: Any, relation: bool) -> Any:
    """Return a table as a relation of DuckDB, if the frame was one."""
    return needs("duckdb").from_arrow(table) if relation else table


def _frame(narwhals: Any, arrow: Any, df: Any, relation: bool) -> Any:
    """Return the frame as narwhals has it; a relation of DuckDB as a table of pyarrow."""
    if relation:
        if not hasattr(df, "__arrow_c_stream__"):
            raise _no_frame(df)
        try:
            df = arrow.RecordBatchReader.from_stream(df).read_all()
        except TypeError as error:
            raise FencepostError(
                f"relations are read from DuckDB 1.3 on ({str(error).partition(':')[0]})"
            ) from None
    try:
        made = narwhals.from_native(df, eager_only=True)
    except TypeError:
        raise _no_frame(df) from None
    except narwhals.exceptions.DuplicateError:
        made = None
    names = [*(df.column_names if hasattr(df, "column_names") else df.columns)]
    twice = [str(name) for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice:
        raise FencepostError(
            f"{listed(twice, 5)}: the name of two columns of this frame; give one another name"
        )
    return made


def _no_frame(df: Any) -> FencepostError:
    return FencepostError(
        "a frame is a DataFrame of pandas or polars, a table of pyarrow or a relation of DuckDB, "
        f"found {type(df).__name__}; collect() makes a frame of a lazy one"
    )


def _values(arrow: Any, table: Any, plan: Plan) -> dict[str, Any]:
    """The value of each row by system and metric; null where it is undefined."""
    parts: dict[str, list[Any]] = {f"{s}.{m}": [] for s in plan.systems for m in plan.labels()}
    for counted in count_batches(table, plan):
        for recipe, label, own in zip(plan.recipes, plan.labels(), counted.counts, strict=True):
            for system, counts, valid in zip(plan.systems, own, counted.valid, strict=True):
                values = np.full(counted.rows, np.nan)
                values[valid] = recipe.shown(counts)
                made = arrow.array(values, mask=np.isnan(values))
                parts[f"{system}.{label}"].append(made)
    return {name: arrow.chunked_array(own, arrow.float64()) for name, own in parts.items()}


def _native(narwhals: Any, table: Table, nulls: int, library: Any) -> Any:
    """The table as a frame of this library, with the number of rows that have no score."""
    columns = {}
    for name in table.columns:
        columns[name] = table.column(name)
        if name == "undefined":
            columns["nulls"] = [nulls] * len(table)
    columns["signature"] = [str(one) for one in columns["signature"]]
    kinds = {str: narwhals.String, int: narwhals.Int64}
    schema = {
        name: kinds.get(type(values[0]), narwhals.Float64) for name, values in columns.items()
    }
    return narwhals.from_dict(columns, schema, backend=library).to_native()
