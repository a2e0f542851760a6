"""What several annotators of a text agree on: by similarity to all of them, or by majority."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fencepost.metrics.registry import Recipe, Values
from fencepost.model.checks import Ints, Kinds, Positions
from fencepost.model.pairs import Column, Pairs

MAX_BOUNDARIES_FOR_ALL_SETS = 15  # whose sets are all tried: 32,768
MAX_POSITIONS_TO_SEARCH = 1000  # with more, trying every change takes too long


def majority(column: Column, rows: Ints, group: Ints, groups: int) -> Column:
    """Return the boundaries that more than half of each group's rows have, one row per group.

    ``rows`` are those of all groups, ``group`` is the group of each. A boundary has the type that
    most of them chose (the first of equals).
    """
    every = shares(column, rows, group, groups)
    chosen = every.keep(every.row_weights > 0.5)
    if column.kinds is None:
        return Column.own(chosen.values, chosen.offsets)
    taken = column.take(rows)
    width = int(taken.values.max(initial=0)) + 1
    cell = np.repeat(group, taken.counts) * width + taken.values
    wanted = np.repeat(np.arange(groups), chosen.counts) * width + chosen.values
    kinds = _most_frequent(cell, taken.kinds, wanted) if taken.kinds is not None else None
    return Column.own(chosen.values, chosen.offsets, kinds)


def shares(column: Column, rows: Ints, group: Ints, groups: int) -> Column:
    """Return the boundaries of any of each group's rows, weighted by the share of rows with them.

    Boundary types do not count.
    """
    taken = column.take(rows)
    width = int(taken.values.max(initial=0)) + 1
    row = np.repeat(np.arange(len(rows)), taken.counts)
    first = (np.diff(taken.values, prepend=-1) != 0) | (np.diff(row, prepend=-1) != 0)
    cells, votes = np.unique((group[row] * width + taken.values)[first], return_counts=True)
    whose = cells // width
    offsets = np.concatenate(([0], np.cumsum(np.bincount(whose, minlength=groups))))
    weights = votes / np.bincount(group, minlength=groups)[whose]
    return Column.own(np.asarray(cells % width, dtype=np.int64), offsets, None, weights)


def _most_frequent(cell: Ints, kinds: Kinds, wanted: Ints) -> Kinds:
    """Return the type that was chosen most often in each of the cells that are wanted."""
    width = int(kinds.max(initial=0)) + 1
    typed, votes = np.unique(cell * width + kinds, return_counts=True)
    order = np.lexsort((typed, -votes, typed // width))
    best = order[np.flatnonzero(np.diff(typed[order] // width, prepend=-1))]
    at = np.searchsorted(typed[best] // width, wanted)
    return np.asarray(typed[best][at] % width, dtype=np.int32)


@dataclass(frozen=True)
class Annotators:
    """The annotators of one text, and the metric by which a candidate is judged."""

    recipe: Recipe
    coders: Column  # a row for each of them
    units: int
    vocabulary: tuple[str, ...] | None

    def agreed(self) -> tuple[Column, int | None, bool]:
        """Return the best candidate; who it started from unless it is exact; if it is better."""
        places, kinds = self._marks()
        groups = self._clusters(places)
        if max((len(group) for group in groups), default=0) <= MAX_BOUNDARIES_FOR_ALL_SETS:
            chosen = [self._best_subset(places[group], kinds[group]) for group in groups]
            return _joined(chosen, self.coders.kinds is not None), None, False
        coders = self.coders
        best = self._first_best(coders)
        start = coders.take(np.array([best]))
        found = self._climb(start, *_distinct(coders.values, _kinds(coders)))
        return (start, best, False) if found is None else (found, best, True)

    def _climb(self, start: Column, places: Ints, kinds: Kinds) -> Column | None:
        """Return the best that can be reached by single changes, each better than the last."""
        if len(places) > MAX_POSITIONS_TO_SEARCH:
            return None
        marks = np.column_stack((places, kinds)).tolist()
        taken = np.column_stack((start.values, _kinds(start))).tolist()
        chosen = np.array([mark in taken for mark in marks])
        value, better = float(np.nanmean(self.values(start))), None
        while True:
            sets = self._allowed(_neighbours(chosen, places), places)
            column = _column_of(sets, places, kinds, start.kinds is not None)
            means = np.nanmean(self.values(column), axis=1)
            best = int(np.argmax(means))
            if not means[best] > value + 1e-12:
                return better
            value, chosen = float(means[best]), sets[best]
            better = column.take(np.array([best]))

    def _marks(self) -> tuple[Ints, Kinds]:
        """Return every position and type that can be part of a consensus, sorted.

        For S and B a cut out of reach of all coders' cuts is a miss for everybody.
        """
        column = self.coders
        kinds = _kinds(column)
        end = self.units - (0 if self.recipe.metric.sees == "kinds+end" else 1)
        reach = self.recipe.reach
        if reach is not None:
            steps = np.arange(-reach, reach + 1)
            places = (column.values[:, None] + steps).ravel()
            kinds = np.repeat(kinds, len(steps))
        else:
            used = np.unique(kinds) if len(kinds) else np.zeros(1, np.int32)
            places = np.repeat(np.arange(1, end + 1), len(used))
            kinds = np.tile(used, end)
        inside = (places >= 1) & (places <= end)
        return _distinct(places[inside], kinds[inside])

    def _clusters(self, places: Ints) -> list[npt.NDArray[np.int64]]:
        """Return marks that must be decided together."""
        if not self.recipe.separable or not len(places):
            return [np.arange(len(places))]
        reach = self.recipe.reach
        return np.split(np.arange(len(places)), np.flatnonzero(np.diff(places) > reach) + 1)

    def _best_subset(self, places: Ints, kinds: Kinds) -> tuple[Ints, Kinds]:
        """Return the best set of these marks, judged by the coders' cuts among them."""
        numbers = np.arange(2 ** len(places))[:, None]
        sets = self._allowed(((numbers >> np.arange(len(places))) & 1) == 1, places)
        # Fewest boundaries first, then the left-most: the first best one is the one to take.
        left = sets @ (0.5 ** np.arange(1, len(places) + 1))
        sets = sets[np.lexsort((-left, sets.sum(axis=1)))]
        made = _column_of(sets, places, kinds, self.coders.kinds is not None)
        own = sets[self._first_best(made, places)]
        return places[own], kinds[own]

    def _allowed(self, sets: npt.NDArray[np.bool_], places: Ints) -> npt.NDArray[np.bool_]:
        """Return sets without two types at one position, unless a coder has such."""
        column = self.coders
        row = np.repeat(np.arange(len(column)), column.counts)
        if ((np.diff(column.values) == 0) & (np.diff(row) == 0)).any():
            return sets
        together = np.zeros(len(sets), dtype=bool)
        for place in np.unique(places[1:][np.diff(places) == 0]).tolist():
            together |= sets[:, places == place].sum(axis=1) > 1
        return sets[~together]

    def _first_best(self, candidates: Column, places: Ints | None = None) -> int:
        means = np.nanmean(self.values(candidates, places), axis=1)
        return int(np.argmax(means > means.max() - 1e-12))

    def values(self, candidates: Column, places: Ints | None = None) -> Values:
        """Return candidates by coders; ``places`` leaves other cuts of the coders out."""
        coders = self.coders if places is None else _within(self.coders, places)
        count, size = len(candidates), len(coders)
        ref = coders.take(np.tile(np.arange(size), count))
        hyp = candidates.take(np.repeat(np.arange(count), size))
        units = np.full(count * size, self.units, dtype=np.int64)
        pairs = Pairs._trusted(ref, hyp, units, self.vocabulary)
        return self.recipe.value(self.recipe.count(pairs)).reshape(count, size)


def _kinds(column: Column) -> Kinds:
    """Return the types of all boundaries; where there are none, all are of the first."""
    return np.zeros(len(column.values), np.int32) if column.kinds is None else column.kinds


def _distinct(places: Positions, kinds: Kinds) -> tuple[Ints, Kinds]:
    """Return positions with their types, sorted and each once."""
    both = np.unique(np.column_stack((places, kinds)), axis=0).reshape(-1, 2)
    return both[:, 0].astype(np.int64), both[:, 1].astype(np.int32)


def _neighbours(chosen: npt.NDArray[np.bool_], places: Ints) -> npt.NDArray[np.bool_]:
    """Return all sets with one mark more or less, or one moved or of another type."""
    toggled = chosen ^ np.eye(len(chosen), dtype=bool)
    number = np.cumsum(np.concatenate(([0], np.diff(places) > 0)))
    near = np.abs(number[:, None] - number[None, :]) <= 1
    old, new = np.nonzero(near & chosen[:, None] & ~chosen[None, :])
    moved = np.tile(chosen, (len(old), 1))
    rows = np.arange(len(old))
    moved[rows, old], moved[rows, new] = False, True
    return np.concatenate((toggled, moved))


def _column_of(sets: npt.NDArray[np.bool_], places: Ints, kinds: Kinds, typed: bool) -> Column:
    """Return sets of marks as candidates, one per row."""
    mark = np.nonzero(sets)[1]
    offsets = np.concatenate(([0], np.cumsum(sets.sum(axis=1))))
    return Column.own(places[mark], offsets, kinds[mark] if typed else None)


def _within(column: Column, places: Ints) -> Column:
    """Return only the boundaries from the first of these positions to the last."""
    if not len(places):
        return column.take(np.arange(len(column)))
    row = np.repeat(np.arange(len(column)), column.counts)
    kept = (column.values >= places.min()) & (column.values <= places.max())
    offsets = np.concatenate(([0], np.cumsum(np.bincount(row[kept], minlength=len(column)))))
    kinds = None if column.kinds is None else column.kinds[kept]
    return Column.own(column.values[kept], offsets, kinds)


def _joined(parts: list[tuple[Ints, Kinds]], typed: bool) -> Column:
    values = np.concatenate([places for places, _ in parts])
    kinds = np.concatenate([kinds for _, kinds in parts]).astype(np.int32)
    return Column.own(values, np.array([0, len(values)]), kinds if typed else None)
