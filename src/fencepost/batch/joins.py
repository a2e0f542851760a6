"""Tables joined by the names of texts: which rows of others a row group of the reference meets.

A row group is joined in memory, so no table is ever held whole. What it can meet is known before
anything is read: row groups with other names by their statistics, or, in tables with the same
order, the rows with the same numbers.
"""

from __future__ import annotations

import os
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

from fencepost.batch.columns import check_text
from fencepost.batch.plan import Plan
from fencepost.batch.shards import Shard, files_of, row_group, shards_of
from fencepost.model.checks import FencepostError, SegmentationError
from fencepost.wording import listed, needs, plural

Files = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
SORT = (
    "sort both tables by their names of texts and write them with several row groups, as DuckDB's "
    "COPY (FROM 'hyp/*.parquet' ORDER BY id) TO 'sorted.parquet' does"
)

TYPES_OF_ONE_TABLE = (
    "boundary types are read from one table that has both sides: write the joined table, as "
    "DuckDB's COPY (FROM 'ref/*.parquet' JOIN 'hyp/*.parquet' USING (id)) TO 'both.parquet' does"
)


@dataclass(frozen=True)
class Hypotheses:
    """A table of hypotheses beside the reference's: its files, and which columns are what.

    ``columns`` gives each system its column; without it every hypothesis column of the plan is in
    this table. ``text`` is the column of the texts' names, if it is not called as in the plan.
    """

    files: Files
    columns: Mapping[str, str] | None = None
    text: str | None = None
    name: str = ""


class Met(NamedTuple):
    """The rows of another table that a row group of the reference can meet."""

    name: str
    text: str
    columns: tuple[tuple[str, str], ...]  # system and column
    pieces: tuple[tuple[Shard, int, int], ...]  # row groups, from which row and to which
    by_order: bool  # whether they are the rows with the same numbers


class Others(NamedTuple):
    """Another table: its row groups, and what is read of it."""

    name: str
    text: str
    columns: tuple[tuple[str, str], ...]
    groups: list[Shard]

    @property
    def rows(self) -> int:
        """The number of rows."""
        return sum(group.size for group in self.groups)


def others_of(
    given: Any, plan: Plan, without: str | os.PathLike[str] | None = None
) -> list[Others]:
    """Return the tables of hypotheses; every system of the plan is in one of them.

    ``without`` is the folder of results, which has no inputs.
    """
    if plan.text is None:
        raise FencepostError(
            "tables are joined by the names of texts: say which column has them "
            "(--columns text=NAME, text= in the plan)"
        )
    for name in {plan.text, plan.units} & {*plan.systems}:
        raise FencepostError(f"{name} is a column of the reference; give the system another name")
    if plan.kinds:
        raise FencepostError(TYPES_OF_ONE_TABLE)
    made = []
    for one in _tables(given):
        columns = dict(one.columns or {system: system for system in plan.systems})
        text = one.text or plan.text
        groups: list[Shard] = []
        for number, path in enumerate(files_of(one.files, without)):
            groups += shards_of(path, [text, *columns.values()], number, text)
        name = one.name or os.fspath(one.files if isinstance(one.files, (str, os.PathLike))
                                     else one.files[0])  # fmt: skip
        made.append(Others(name, text, tuple(columns.items()), groups))
    found = [system for one in made for system, _ in one.columns]
    if sorted(found) != sorted(plan.systems):
        raise FencepostError(
            f"the tables have hypotheses of {listed(found, 9)}, the plan of "
            f"{listed(plan.systems, 9)}: each system is in one table"
        )
    return made


def _tables(given: Any) -> list[Hypotheses]:
    """Return what was given as tables; paths without columns are the files of one table."""
    if isinstance(given, Hypotheses):
        return [given]
    if isinstance(given, (str, os.PathLike)):
        return [Hypotheses(given)]
    tables = [one for one in given if isinstance(one, Hypotheses)]
    return tables if len(tables) == len(given) else [Hypotheses(given)]


def joined(shards: list[Shard], others: Sequence[Others], plan: Plan) -> list[Shard]:
    """Return the shards of the reference with the rows of other tables that they can meet."""
    for other in others:
        _check_rows(shards, other, plan)
        ordered = _disjoint(shards) and _disjoint(other.groups)
        if not ordered and sum(s.size for s in shards) != other.rows:
            raise FencepostError(
                f"{other.name} has {plural(other.rows, 'row')} and the reference "
                f"{sum(s.size for s in shards)}, and row groups share ranges of names: {SORT}"
            )
        find = _by_names if ordered else _by_order
        shards = [
            shard._replace(meets=(*shard.meets, met))
            for shard, met in zip(shards, find(shards, other), strict=True)
        ]
    return shards


def skipped_notes(shards: Sequence[Shard], others: Sequence[Others], plan: Plan) -> list[str]:
    """Return the sentence about texts without a partner, where they are skipped."""
    if not others or plan.missing == "error":
        return []
    rows = listed([f"{other.name} {other.rows}" for other in others], 9, " and ")
    own = sum(shard.size for shard in shards)
    return [f"texts without a partner are skipped: the reference has {plural(own, 'row')}, {rows}"]


def _check_rows(shards: list[Shard], other: Others, plan: Plan) -> None:
    """Refuse at once what cannot have a partner for every text."""
    rows = sum(shard.size for shard in shards)
    if plan.missing == "error" and rows != other.rows:
        raise SegmentationError(
            f"{other.name} has {plural(other.rows, 'row')} and the reference {rows}, so texts lack "
            "a partner. Skip them with --missing skip (missing='skip')"
        )


def _disjoint(groups: Sequence[Shard]) -> bool:
    """Whether no two row groups can have a name in common."""
    ranges = [group.names for group in groups if group.size]
    if len(ranges) == 1:
        return True
    if not all(ranges) or len({type(one[0]) for one in ranges if one}) > 1:
        return False
    known: list[Any] = sorted(one for one in ranges if one)
    return all(a[1] < b[0] for a, b in pairwise(known))


def _by_names(shards: Sequence[Shard], other: Others) -> Iterator[Met]:
    groups: list[Any] = [group for group in other.groups if group.size]
    if len(groups) > 1:
        groups.sort(key=lambda group: group.names)
    for shard in shards:
        near = groups
        if shard.names is not None and len(groups) > 1:
            if type(shard.names[0]) is not type(groups[0].names[0]):
                raise _other_kind(other, shard.names[0], groups[0].names[0])
            first = bisect_left(groups, shard.names[0], key=lambda group: group.names[1])
            last = bisect_right(groups, shard.names[1], key=lambda group: group.names[0])
            near = groups[first:last]
        pieces = tuple((group, 0, group.size) for group in near)
        yield Met(other.name, other.text, other.columns, pieces, False)


def _by_order(shards: Sequence[Shard], other: Others) -> Iterator[Met]:
    begin, groups = 0, other.groups
    starts = [0]
    for group in groups:
        starts.append(starts[-1] + group.size)
    for shard in shards:
        end = begin + shard.size
        near = range(bisect_right(starts, begin) - 1, bisect_left(starts, end))
        pieces = tuple(
            (groups[i], max(begin - starts[i], 0), min(end - starts[i], groups[i].size))
            for i in near
        )
        yield Met(other.name, other.text, other.columns, pieces, True)
        begin = end


def _other_kind(other: Any, ours: Any, theirs: Any) -> SegmentationError:
    return SegmentationError(
        f"names of texts are alike: {ours!r} in the reference, {theirs!r} in {other.name}; "
        "write one of them as the other"
    )


# What workers do.


def joined_batches(shard: Shard, plan: Plan) -> Iterator[Any]:
    """Read a row group of the reference with what it meets, as batches of one table."""
    arrow, compute = needs("pyarrow"), needs("pyarrow.compute")
    assert plan.text is not None  # others_of requires it
    names = _names(arrow, list(row_group(shard, [plan.text])), plan.text)
    _check_names(names, shard.path, compute)
    sides = [_Side(met, names, plan) for met in shard.meets]
    at = 0
    own = plan.reference_columns()
    for batch in row_group(shard, own, sum(side.bytes_per_row for side in sides)):
        columns = {name: batch.column(name) for name in own}
        for side in sides:
            columns |= side.rows(at, len(batch), batch.column(plan.ref).type)
        yield arrow.record_batch({name: columns[name] for name in plan.columns()})
        at += len(batch)


class _Side:
    """The rows of another table that a row group of the reference has met."""

    def __init__(self, met: Met, names: Any, plan: Plan) -> None:
        arrow, compute = needs("pyarrow"), needs("pyarrow.compute")
        columns = list(dict.fromkeys([met.text, *(column for _, column in met.columns)]))
        found = []
        for group, start, stop in met.pieces:
            before = 0
            for batch in row_group(group, columns):
                first, last = (min(max(at - before, 0), len(batch)) for at in (start, stop))
                own = batch.slice(first, last - first)
                before += len(batch)
                if not len(own):
                    continue
                theirs = _names(arrow, [own], met.text)
                if theirs.type != names.type:
                    raise _other_kind(met, names[0].as_py(), theirs[0].as_py())
                found.append(own.filter(compute.is_in(theirs, value_set=names)))
        self.met, self.table = met, None
        self.index = arrow.nulls(len(names), arrow.int32())
        if found:
            self.table = arrow.Table.from_batches(found).combine_chunks()
            theirs = _names(arrow, found, met.text)
            _check_names(theirs, met.name, compute)
            self.index = compute.index_in(names, value_set=theirs)
        self._refuse_missing(names, plan)

    @property
    def bytes_per_row(self) -> int:
        """How large a row is."""
        return 0 if self.table is None else self.table.nbytes // max(self.table.num_rows, 1)

    def _refuse_missing(self, names: Any, plan: Plan) -> None:
        lacking = self.index.null_count
        if not lacking or (plan.missing == "skip" and not self.met.by_order):
            return
        some = names.filter(self.index.is_null())[:5].to_pylist()
        if self.met.by_order:
            raise SegmentationError(
                f"{self.met.name} has its texts in another order than the reference (see "
                f"{some[0]}), and row groups share ranges of names: {SORT}"
            )
        raise SegmentationError(
            f"{self.met.name} lacks {plural(lacking, 'text')} of the reference "
            f"({listed(some) if lacking <= 5 else listed([*some, '...'], 6)}). Skip them with "
            "--missing skip (missing='skip')"
        )

    def rows(self, start: int, size: int, kind: Any) -> dict[str, Any]:
        """Return the columns of hypotheses beside these rows; null where there is no partner."""
        index = self.index.slice(start, size)
        if self.table is None:
            nulls = needs("pyarrow").nulls(size, kind)
            return {system: nulls for system, _ in self.met.columns}
        made = {}
        for system, column in self.met.columns:
            taken = self.table.column(column).take(index)
            made[system] = taken.chunk(0) if taken.num_chunks == 1 else taken.combine_chunks()
        return made


def _names(arrow: Any, batches: Sequence[Any], text: str) -> Any:
    """Return the names of texts in batches as one column, of texts or of whole numbers."""
    parts = []
    for batch in batches:
        one = batch.column(text)
        one = one.dictionary_decode() if hasattr(one, "dictionary_decode") else one
        whole = arrow.types.is_integer(one.type)
        parts.append(one.cast(arrow.int64() if whole else arrow.large_string()))
    return arrow.concat_arrays(parts)


def _check_names(names: Any, path: str, compute: Any) -> None:
    """Refuse a name that is null, no text or given twice."""
    check_text(names, lambda row: f"{path}: row {row + 1}", "the name of the text")
    if names.null_count:
        raise SegmentationError(f"{path}: a text has no name, so it cannot be joined")
    if compute.count_distinct(names).as_py() == len(names):
        return
    counted = names.value_counts()
    twice = counted.field(0).filter(compute.greater(counted.field(1), 1))
    raise SegmentationError(f"{path}: {twice[0].as_py()} is the name of two rows; each names one")
