"""The function at the waist of every batch run: Arrow batches in, batches of count rows out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from fencepost.batch.columns import batches_of, read_batch
from fencepost.batch.plan import Plan, as_plan
from fencepost.batch.shards import divided
from fencepost.batch.totals import Counted, count
from fencepost.model.checks import FencepostError
from fencepost.wording import needs

PLAN = b"fencepost"  # the key of the plan in the metadata of a schema


def score_batches(batches: Any, plan: Plan | str) -> Iterator[Any]:
    """Count every metric of the plan in every row, batch by batch.

    ``batches`` are Arrow record batches, or anything with the Arrow stream interface: a table or
    reader of pyarrow, a frame of pandas or polars, a relation of DuckDB. Lists of positions are
    not copied. Each batch that comes out has a row for each row that went in: ``text`` (if the
    plan names that column), ``units``, ``cuts`` (boundaries of the reference), and a column
    SYSTEM.METRIC.COUNT for each count. Where a list is null, so are the counts. A batch of more
    than 32 MB comes out as several. The schema carries the plan.

    >>> import fencepost as fp, pyarrow as pa
    >>> table = pa.table({"gold": [[5, 5], [3, 4]], "c256": [[4, 6], [3, 4]]})
    >>> plan = fp.Plan("gold", "c256", encoding="masses", metrics="windowdiff")
    >>> [batch.to_pylist()[0] for batch in fp.score_batches(table, plan)]
    [{'units': 10, 'cuts': 1, 'c256.windowdiff.differing': 2, 'c256.windowdiff.windows': 7}]
    """
    made = as_plan(plan)
    return (to_batch(one, made) for one in count_batches(batches_of(batches), made))


def count_batches(batches: Any, plan: Plan, first: int = 0) -> Iterator[Counted]:
    """Count batch by batch; errors name rows by their number, behind ``first`` others."""
    for whole in batches_of(batches):
        for batch in divided(whole):
            yield count(read_batch(batch, plan, first), plan)
            first += len(batch)


def count_columns(plan: Plan) -> list[list[list[str]]]:
    """Return the names of the columns of counts, by recipe and system."""
    return [
        [[f"{system}.{label}.{name}" for name in recipe.counts] for system in plan.systems]
        for recipe, label in zip(plan.recipes, plan.labels(), strict=True)
    ]


def to_batch(counted: Counted, plan: Plan) -> Any:
    """Return the counts of a batch as an Arrow batch."""
    arrow = needs("pyarrow")
    columns: dict[str, Any] = {} if counted.names is None else {"text": counted.names}
    present = np.logical_or.reduce(counted.valid)
    for name in ("units", "cuts"):
        columns[name] = _column(arrow, getattr(counted, name)[present], present)
    for names, own in zip(count_columns(plan), counted.counts, strict=True):
        for labels, counts, valid in zip(names, own, counted.valid, strict=True):
            columns |= {
                label: _column(arrow, numbers, valid)
                for label, numbers in zip(labels, counts.T, strict=True)
            }
    made = arrow.record_batch(columns)
    return made.replace_schema_metadata({PLAN: plan.to_json().encode()})


def _column(arrow: Any, numbers: Any, valid: Any) -> Any:
    if valid.all():
        return arrow.array(np.ascontiguousarray(numbers))
    full = np.zeros(len(valid), dtype=numbers.dtype)
    full[valid] = numbers
    return arrow.array(full, mask=~valid)


def from_batch(batch: Any, plan: Plan) -> Counted:
    """Return the counts that :func:`to_batch` has written."""
    names = batch.column("text") if "text" in batch.schema.names else None

    def numbers(name: str) -> Any:
        return batch.column(name).to_numpy(zero_copy_only=False)

    counts, masks = [], []
    for by_system in count_columns(plan):
        own = []
        for labels in by_system:
            columns = [batch.column(label) for label in labels]
            valid = ~np.asarray(columns[0].is_null())
            masks.append(valid)
            own.append(np.column_stack([one.drop_null().to_numpy() for one in columns]))
        counts.append(own)
    none = [0] * (1 + len(plan.systems))
    units, cuts = (np.nan_to_num(numbers(name)).astype(np.int64) for name in ("units", "cuts"))
    return Counted(
        len(batch), names, units, cuts, counts, masks[: len(plan.systems)], none, {}, [], []
    )


def plan_of(schema: Any) -> Plan:
    """Return the plan that the schema of counts carries."""
    found = (schema.metadata or {}).get(PLAN)
    if found is None:
        raise FencepostError("these columns carry no plan: they are not from fp.score_batches")
    return Plan.from_json(found.decode())
