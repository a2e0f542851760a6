"""What a run has counted so far: sums that add up over batches, shards and machines.

Sums are exact, so that neither the order of batches nor the number of workers shows. Besides the
sums there are those of products, from which intervals follow, and up to 10,000 texts the rows
themselves: so few texts get the intervals of ``fp.score``, which resamples them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from fencepost import _core
from fencepost.batch.columns import Batch, decoded
from fencepost.batch.plan import Plan
from fencepost.batch.telling import Telling, is_named
from fencepost.metrics.registry import Counts, Recipe, Values
from fencepost.metrics.signature import Context
from fencepost.metrics.tally import Tally
from fencepost.model.checks import FencepostError, Ints, SegmentationError
from fencepost.model.hashing import blake2b, mix, row_hashes
from fencepost.model.pairs import Column, Pairs
from fencepost.model.strings import Strings
from fencepost.scoring.advice import Undefined, said_undefined
from fencepost.scoring.comparisons import names
from fencepost.scoring.count import about_like, about_types, check_like
from fencepost.scoring.counts import CountRows, Rows
from fencepost.scoring.facts import SettingFacts
from fencepost.scoring.summary import COLUMNS, Choices, summarize
from fencepost.scoring.tables import Table
from fencepost.statistics.intervals import NORMAL_ABOVE_TEXTS, Interval, normal_interval
from fencepost.wording import plural

STEPS = 2**80  # of fixed-point sums; the native module has the same
Sum = int | Fraction
Mask = npt.NDArray[np.bool_]


class Counted(NamedTuple):
    """The counts of one batch: for each recipe and system a row for each text that is not null."""

    rows: int
    names: Any  # an Arrow column, or None
    units: Ints
    cuts: Ints  # of the reference in each row of the batch
    counts: list[list[Counts]]  # by recipe and system
    valid: list[Mask]  # of each system: the rows of the batch that its counts have
    hashes: list[int]  # of the reference and of each system; they add up to fingerprints
    used: dict[str, str]  # rules for gaps and overlaps that were needed
    telling: list[Telling]  # of the reference and of each system
    tallies: list[Tally]  # of each recipe


def count(batch: Batch, plan: Plan) -> Counted:
    """Count every metric for every system."""
    if plan.like is not None:
        for system, pairs in zip(plan.systems, batch.pairs, strict=True):
            check_like(plan.recipes, plan.like, pairs, partial(_first_row, pairs, system))
    counts = [[recipe.count(pairs) for pairs in batch.pairs] for recipe in plan.recipes]
    cuts = np.zeros(batch.rows, dtype=np.int64)
    for pairs, valid in zip(batch.pairs, batch.valid, strict=True):
        cuts[valid] = pairs.view("positions").ref.counts
    names, shared = _name_hashes(batch.names), np.logical_and.reduce(batch.valid)
    if names is not None:
        _check_names(batch, names, plan)
    hashes: list[int] = []
    for pairs, valid in zip(batch.pairs, batch.valid, strict=True):
        own: Any = np.uint64(0) if names is None else names[valid]
        texts = mix(own + mix(_NO_STREAM + mix(pairs.units.astype(np.uint64))))
        sides = (pairs.hyp,) if hashes else (pairs.ref, pairs.hyp)
        hashes += [_hash(texts, side, pairs.vocabulary, shared[valid]) for side in sides]
    return Counted(
        batch.rows, batch.names, batch.units, cuts, counts, batch.valid, hashes, batch.used,
        batch.telling, _tallies(batch.pairs[0], shared[batch.valid[0]], plan),
    )  # fmt: skip


def _tallies(pairs: Pairs, shared: Mask, plan: Plan) -> list[Tally]:
    """What notes of each metric are made of: the texts that all systems have."""
    if not shared.all():
        rows = np.flatnonzero(shared)
        sides = pairs.ref.take(rows), pairs.hyp.take(rows)
        pairs = Pairs._trusted(*sides, pairs.units[rows], pairs.vocabulary)
    return [recipe.tally(pairs) if recipe.tells else Tally() for recipe in plan.recipes]


def _first_row(pairs: Pairs, system: str, rows: Ints) -> str:
    assert pairs.keys is not None  # rows of a batch have names
    return f"{system}, {pairs.keys[int(rows[0])]}"


def _name_hashes(names: Any) -> Any:
    """The hash of each name, as a corpus of these texts has it; 0 where texts have no names."""
    if names is None:
        return None
    import pyarrow as arrow

    if arrow.types.is_dictionary(names.type) and not names.null_count:
        return _name_hashes(names.dictionary)[names.indices.to_numpy()]
    plain = _plain_names(names)
    _, offsets, data = plain.buffers()
    bounds = np.frombuffer(offsets, np.int64)[plain.offset : plain.offset + len(plain) + 1]
    flat = np.frombuffer(data, np.uint8) if data else np.empty(0, np.uint8)
    return _core.row_hashes(flat[bounds[0] : bounds[-1]], bounds - bounds[0])


OTHER_NAMES = (
    "Each text needs a name of its own: choose another column with --columns text=NAME (text= in "
    "Python), or remove text= to number the texts"
)


def _check_names(batch: Batch, hashes: Any, plan: Plan) -> None:
    """Refuse texts without a name and, in this batch, names of two texts: by their hashes."""
    rows = np.flatnonzero(np.logical_or.reduce(batch.valid))
    own = hashes[rows]
    if (own == _NO_NAME).any():
        row = int(rows[np.argmax(own == _NO_NAME)])
        raise SegmentationError(
            f"{batch.row_name(row)}: the text has no name (column {plan.text}). {OTHER_NAMES}"
        )
    ordered = np.sort(own)
    twice = np.flatnonzero(ordered[1:] == ordered[:-1])
    if len(twice):
        first, second = (int(row) for row in rows[np.flatnonzero(own == ordered[twice[0]])][:2])
        raise SegmentationError(
            f"{batch.row_name(second)}: {batch.row_name(first)} has this name too (column "
            f"{plan.text}). {OTHER_NAMES}"
        )


def _plain_names(names: Any) -> Any:
    """Return names as texts, empty where there is none."""
    import pyarrow as arrow

    try:
        return decoded(arrow, names).cast(arrow.large_string()).fill_null("")
    except arrow.ArrowException:
        raise SegmentationError(
            f"names of texts are texts or whole numbers, found {names.type}; choose another column "
            "(--columns text=NAME, text= in the plan)"
        ) from None


_NO_NAME = _NO_STREAM = Strings.of([""]).hashes[0]


def _hash(texts: Any, column: Column, names: Sequence[str] | None, shared: Mask) -> int:
    """The sum of the hashes of the rows that all systems have, as in ``Corpus.fingerprint``."""
    values: Any = np.ascontiguousarray(column.values)
    offsets = np.ascontiguousarray(column.offsets)
    rows: Any = mix(texts + _core.row_hashes(values, offsets))
    if column.kinds is not None and names is not None:
        rows = mix(rows + row_hashes(Strings.of(names).hashes[column.kinds], offsets))
    return int(rows[shared].sum(dtype=np.uint64))


@dataclass
class Cell:
    """The sums of one metric over the texts on which no system is undefined."""

    n: int
    undefined: int
    lacking: list[int]  # of each system: texts without a value that another system has one of
    values: list[Sum]  # of each system
    counts: list[list[Sum]]  # of each system
    products: Values  # of the columns that intervals of these averages need, every two of them

    @classmethod
    def of(cls, recipe: Recipe, counts: Sequence[Counts], average: str = "") -> Cell:
        """Add up the counts of all systems; their rows are the same texts.

        Products are of the values of all systems for macro averages, of the counts for micro.
        """
        values = [recipe.shown(own) for own in counts]
        known: Mask = np.isfinite(np.array(values))
        defined: Mask = np.asarray(known.all(axis=0))
        n = int(defined.sum())
        lacking = [0] * len(values)
        if n < len(defined):
            lacking = (known.any(axis=0) & ~known).sum(axis=1).tolist()
            values, counts = [v[defined] for v in values], [c[defined] for c in counts]
        columns = [*(values if average in ("macro", "both") else ())]
        columns += counts if average in ("micro", "both") else ()
        products = np.empty((0, 0))
        if columns:
            stacked = np.column_stack(columns).astype(np.float64, copy=False)
            products = _core.products(np.ascontiguousarray(stacked))
        return cls(
            n,
            len(defined) - n,
            lacking,
            [_exact_sum(own) for own in values],
            [_exact_sums(own) for own in counts],
            products,
        )

    def add(self, other: Cell) -> None:
        """Add the sums of other texts."""
        self.n += other.n
        self.undefined += other.undefined
        self.lacking = [a + b for a, b in zip(self.lacking, other.lacking, strict=True)]
        self.values = [a + b for a, b in zip(self.values, other.values, strict=True)]
        self.counts = [
            [a + b for a, b in zip(x, y, strict=True)]
            for x, y in zip(self.counts, other.counts, strict=True)
        ]
        self.products = self.products + other.products

    def plain(self) -> list[Any]:
        """Return what JSON can hold."""
        sums = [[_plain(one) for one in own] for own in (self.values, *self.counts)]
        return [self.n, self.undefined, self.lacking, sums, self.products.tolist()]

    @classmethod
    def from_plain(cls, given: Sequence[Any]) -> Cell:
        """Return what :meth:`plain` has written."""
        n, undefined, lacking, (values, *counts), products = given
        return cls(
            n,
            undefined,
            list(lacking),
            [_from_plain(one) for one in values],
            [[_from_plain(one) for one in own] for own in counts],
            np.array(products),
        )

    # Averages and their intervals.

    def value(self, recipe: Recipe, system: int, average: str) -> float:
        """Return the mean of values, or the value of all counts; NaN over no texts."""
        if not self.n:
            return math.nan
        if average == "macro":
            return float(self.values[system]) / self.n
        return float(recipe.shown(self.sums(system)[None, :])[0])

    def sums(self, system: int) -> Counts:
        """Return the added counts of a system: whole where all of them are."""
        own = self.counts[system]
        whole = all(isinstance(one, int) for one in own)
        return np.array(own if whole else [float(one) for one in own])

    def interval(self, recipe: Recipe, system: int, average: str, first: int = 0) -> Interval:
        """Return the 95% interval by the standard error, from the sums of products.

        ``first`` is the first column of the products that is about this average.
        """
        if average == "macro":
            at = slice(system, system + 1)
            sums = np.array([float(self.values[system])])
            function = None
        else:
            width = len(self.counts[system])
            first += system * width
            at = slice(first, first + width)
            sums = np.array([float(one) for one in self.counts[system]])
            function = recipe.shown
        value = self.value(recipe, system, average)
        return normal_interval(value, self.n, sums, self.products[at, at], function, recipe.range)


def _exact_sums(counts: Counts) -> list[Sum]:
    if counts.dtype.kind in "iu":
        return [*map(int, counts.sum(axis=0))]
    return [_exact_sum(column) for column in counts.T]


def _exact_sum(column: npt.NDArray[Any]) -> Sum:
    try:
        high, low = _core.fixed_sum(np.ascontiguousarray(column))
    except ValueError:  # numbers of a user's function may be of any size
        return sum(map(Fraction, column.tolist()), Fraction())
    return Fraction((high << 64) | low, STEPS)


def _plain(number: Sum) -> Any:
    return number if isinstance(number, int) else str(number)


def _from_plain(given: Any) -> Sum:
    return given if isinstance(given, int) else Fraction(given)


@dataclass
class Totals:
    """The sums of a run; ``add`` takes a batch, ``merge`` the totals of other texts."""

    recipes: tuple[Recipe, ...]
    systems: tuple[str, ...]
    average: str
    texts: int = 0
    skipped: int = 0  # rows with a null
    units: int = 0
    cuts: int = 0
    uncut: int = 0  # texts without a reference boundary
    hashes: list[int] = field(default_factory=list)
    used: dict[str, str] = field(default_factory=dict)
    telling: list[Telling] = field(default_factory=list)
    tallies: list[Tally] = field(default_factory=list)
    cells: list[Cell] = field(default_factory=list)
    kept: list[Counted] | None = field(default_factory=list)  # None above 10,000 texts

    def add(self, counted: Counted) -> None:
        """Add a batch; a text that one system lacks counts for none."""
        rows, counted = counted.rows, whole_rows(counted)
        new = Totals(self.recipes, self.systems, self.average, counted.rows, rows - counted.rows)
        new.units, new.cuts = int(counted.units.sum()), int(counted.cuts.sum())
        new.uncut = int((counted.cuts == 0).sum())
        new.hashes, new.used, new.telling = counted.hashes, counted.used, counted.telling
        new.tallies = counted.tallies
        new.cells = [
            Cell.of(*one, self.average) for one in zip(self.recipes, counted.counts, strict=True)
        ]
        new.kept = [counted]
        self.merge(new)

    def merge(self, other: Totals) -> None:
        """Add the totals of other texts."""
        if other.recipes != self.recipes or other.systems != self.systems:
            raise FencepostError(
                "only totals of the same metrics and columns can be added, found "
                f"{[str(one) for one in self.recipes]} and {[str(one) for one in other.recipes]}"
            )
        for name in ("texts", "skipped", "units", "cuts", "uncut"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.used |= other.used
        if not self.cells:
            self.cells = [Cell.from_plain(one.plain()) for one in other.cells]
            self.hashes, self.telling = list(other.hashes), list(other.telling)
            self.tallies = list(other.tallies)
        elif other.cells:
            for mine, theirs in zip(self.cells, other.cells, strict=True):
                mine.add(theirs)
            pairs = zip(self.hashes, other.hashes, strict=True)
            self.hashes = [(a + b) % 2**64 for a, b in pairs]
            both = zip(self.telling, other.telling, strict=True)
            self.telling = [one.plus(more) for one, more in both]
            seen = zip(self.tallies, other.tallies, strict=True)
            self.tallies = [one.plus(more) for one, more in seen]
        few = self.kept is not None and other.kept is not None and self.texts <= NORMAL_ABOVE_TEXTS
        self.kept = [*(self.kept or ()), *(other.kept or ())] if few else None

    def plain(self) -> dict[str, Any]:
        """Return what JSON can hold: all but the rows."""
        names = (
            "texts", "skipped", "units", "cuts", "uncut", "hashes", "used", "telling", "tallies"
        )  # fmt: skip
        own = {name: getattr(self, name) for name in names}
        return {**own, "cells": [cell.plain() for cell in self.cells]}

    @classmethod
    def from_plain(cls, plan: Plan, plain: Mapping[str, Any]) -> Totals:
        """Return what :meth:`plain` has written; it has no rows."""
        made = cls.for_plan(plan)
        for name, value in plain.items():
            setattr(made, name, value)
        made.telling = [Telling(*one) for one in plain["telling"]]
        made.tallies = [Tally(*one) for one in plain["tallies"]]
        made.cells = [Cell.from_plain(one) for one in plain["cells"]]
        made.kept = None
        return made

    @classmethod
    def for_plan(cls, plan: Plan) -> Totals:
        """Return the totals of no texts."""
        return cls(plan.recipes, plan.systems, plan.averaging)

    # The table.

    def table(
        self,
        plan: Plan,
        name: str = "",
        notes: Sequence[str] = (),
        choices: Choices | None = None,
    ) -> Table:
        """Return the table of ``fp.score`` without simple baselines.

        ``choices`` are how intervals are made of up to 10,000 texts, and whether there are any.
        """
        choices = choices or Choices(plan.averaging)
        if not self.texts:
            raise FencepostError(f"{name or 'the input'} has no texts without nulls to score")
        lines = [*dict.fromkeys([*notes, *self._notes(plan)])]
        if self.kept is not None:
            counts = self._rows(plan, name, tuple(lines))
            return summarize(counts, choices)
        rows = [
            self._row(plan, recipe, cell, system, average, choices.intervals)
            for system in range(len(self.systems))
            for recipe, cell in zip(self.recipes, self.cells, strict=True)
            for average in choices.averages
        ]
        facts = {
            "texts": self.texts, "units": self.units, "unit": "unit", "references": 1,
            "reference_cuts": self.cuts, "texts_without_cuts": self.uncut,
            "reference": plan.ref, "fingerprint": self._fingerprint(0),
            "fingerprints": self._fingerprints(), "reading": dict(self._context(plan, "").reading),
            "settings": self._facts(), "resampled": "text",
        }  # fmt: skip
        lines = [*said_undefined(self._undefined()), *lines]
        return Table(COLUMNS, tuple(rows), notes=tuple(lines), facts=facts)

    def _undefined(self) -> dict[str, Undefined]:
        """Texts without a value, by the name of each metric."""
        found = {}
        for name, recipe, cell in zip(names(self.recipes), self.recipes, self.cells, strict=True):
            lacking = [s for s, texts in zip(self.systems, cell.lacking, strict=True) if texts]
            why = recipe.no_value if recipe.metric.additive else ""
            found[name] = Undefined(cell.undefined, lacking, why)
        return found

    def _facts(self) -> list[str]:
        """What the line about the data says of settings."""
        found = SettingFacts()
        for recipe, tally in zip(self.recipes, self.tallies, strict=True):
            found.add(recipe.facts(tally), recipe.metric.title, "", "")
        return found.sentences()

    def _notes(self, plan: Plan) -> list[str]:
        """What ``fp.score`` notes about these texts, and how many rows have no score."""
        seen = zip(self.recipes, self.tallies, strict=True)
        said = [note for recipe, tally in seen for note in recipe.notes(tally)]
        said += about_types(plan.kind_names, self.recipes)
        return [*self._about_nulls(plan), *said, *about_like(self.recipes, plan.like)]

    def _about_nulls(self, plan: Plan) -> list[str]:
        if not self.skipped:
            return []
        what = f"{plural(self.skipped, 'row')} of {self.texts + self.skipped}"
        verb = "has" if self.skipped == 1 else "have"
        why = "a null" if plan.missing == "error" else "a null or no partner"
        return [f"{what} {verb} {why} and {verb} no score"]

    def _fingerprint(self, side: int) -> str:
        return blake2b(self.hashes[side].to_bytes(8, "little"), digest_size=4).hexdigest()

    def _fingerprints(self) -> dict[str, str]:
        return {name: self._fingerprint(i) for i, name in enumerate(self.systems, start=1)}

    def _context(self, plan: Plan, average: str, bs: str = "") -> Context:
        """How texts were read, with the choices that were needed."""
        is_said = any(is_named(plan, column) for column in self.telling)
        return plan.context(average, {*self.used, *(["encoding"] if is_said else ())}, bs=bs)

    def _row(
        self, plan: Plan, recipe: Recipe, cell: Cell, system: int, average: str, bounded: bool
    ) -> dict[str, Any]:
        first = len(self.systems) if (plan.average, average) == ("both", "micro") else 0
        interval = (
            cell.interval(recipe, system, average, first) if bounded else Interval(None, None)
        )
        context = self._context(plan, average, interval.method or "")
        cells = (
            self.systems[system], plan.ref, recipe.name, cell.value(recipe, system, average),
            interval.low, interval.high, cell.n, cell.undefined, average,
            recipe.signature(context),
        )  # fmt: skip
        return dict(zip(COLUMNS, cells, strict=True))

    def _rows(self, plan: Plan, name: str, notes: tuple[str, ...]) -> CountRows:
        """The rows of all batches together."""
        kept = self.kept or []
        texts: list[str] = []
        for one in kept:
            named = one.names is not None
            texts += _plain_names(one.names).to_pylist() if named else [""] * len(one.units)
        if plan.text is None:
            texts = [str(number + 1) for number in range(len(texts))]
        name, often = Counter(texts).most_common(1)[0]
        if often > 1:
            raise FencepostError(
                f"{name} is the name of {often} texts (column {plan.text}). {OTHER_NAMES}"
            )
        every = np.arange(len(texts), dtype=np.int64)
        rows = {
            (r, system, plan.ref): Rows(np.concatenate([one.counts[r][s] for one in kept]), every)
            for r in range(len(self.recipes))
            for s, system in enumerate(self.systems)
        }
        about = {
            "unit": "unit", "reference": plan.ref, "fingerprint": self._fingerprint(0),
            "fingerprints": self._fingerprints(), "settings": self._facts(),
            "types": len(plan.kind_names),
        }  # fmt: skip
        return CountRows(
            texts,
            (plan.ref,),
            {system: (system,) for system in self.systems},
            self.recipes,
            rows,
            np.concatenate([one.units for one in kept]),
            {plan.ref: np.concatenate([one.cuts for one in kept])},
            self._context(plan, ""),
            None,
            about,
            notes,
        )


def whole_rows(counted: Counted) -> Counted:
    """Return the rows that every system has."""
    shared = np.logical_and.reduce(counted.valid)
    if shared.all():
        return counted
    chosen = [shared[valid] for valid in counted.valid]
    counts = [
        [own[mask] for own, mask in zip(each, chosen, strict=True)] for each in counted.counts
    ]
    names = None if counted.names is None else counted.names.filter(_arrow_mask(shared))
    every = np.ones(int(shared.sum()), dtype=bool)
    return counted._replace(
        rows=len(every), names=names, units=counted.units[shared], cuts=counted.cuts[shared],
        counts=counts, valid=[every] * len(counted.valid),
    )  # fmt: skip


def _arrow_mask(mask: Mask) -> Any:
    import pyarrow

    return pyarrow.array(mask)
