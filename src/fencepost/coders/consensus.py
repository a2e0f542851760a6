"""One segmentation for several coders: the one with the highest mean similarity to all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from fencepost.coders.annotations import Annotations
from fencepost.metrics.registry import Recipe, Values, as_recipe
from fencepost.model.checks import Ints, Kinds, Positions
from fencepost.model.corpus import Corpus, Key
from fencepost.model.pairs import Column, Pairs
from fencepost.model.segmentation import Segmentation
from fencepost.options import ConsensusBy
from fencepost.scoring.tables import Table, rows_to_table

CONSENSUS = "consensus"
MAX_BOUNDARIES_FOR_ALL_SETS = 15  # whose sets are all tried: 32,768
MAX_POSITIONS_TO_SEARCH = 1000  # with more, trying every change takes too long


@dataclass(frozen=True)
class Consensus:
    """The agreed segmentations as a corpus, and how each was found."""

    corpus: Corpus
    table: Table  # text, stream, how, coders, boundaries, mean, lowest, highest


def consensus(corpus: Any, *, metric: Any = "B", by: ConsensusBy = "similarity") -> Consensus:
    """Return the segmentation of every text with the highest mean similarity to its coders.

    ``by="majority"`` has a boundary where more than half of the coders have one, of the type that
    most of them chose (the first of equals).

    Exact where that is cheap: for S and exact places at any length where cuts stand in small
    groups, for other metrics where few places come into question. Elsewhere it starts from the
    coder who is most similar to all and adds, drops or moves single boundaries as long as that
    helps; ``how`` says which. Among equals it is the one with the fewest boundaries, then the
    left-most.

    >>> import fencepost as fp
    >>> three = {"a": {"x": [3, 4, 3], "y": [3, 7], "z": [4, 3, 3]}}
    >>> agreed = fp.consensus(three)
    >>> agreed.corpus["a", "consensus"], agreed.table[0]["how"]
    (Segmentation(units=10, cuts=[3, 7]), 'exact')
    """
    recipe = as_recipe(metric, None)
    seen = Annotations.of(Corpus.from_given(corpus, "corpus")).view(recipe.metric.sees)
    entries: dict[Key, Segmentation] = {}
    rows = []
    for own in seen.items():
        text = _Text(recipe, seen, own)
        agreed, how = text.agreed() if by == "similarity" else (text.majority(), by)
        key = seen.key(own[0])._replace(coder=CONSENSUS)
        entries[key] = text.segmentation(agreed)
        values = text.values(agreed)[0]
        rows.append(
            {
                "text": key.text,
                "stream": key.stream,
                "how": how,
                "coders": len(own),
                "boundaries": len(entries[key].cuts),
                "metric": recipe.name,
                "mean": float(np.nanmean(values)),
                "lowest": float(np.nanmin(values)),
                "highest": float(np.nanmax(values)),
            }
        )
    tokens = {(key.text, key.stream) for key in entries}
    made = Corpus.from_entries(
        entries,
        {item: words for item, words in seen.corpus.tokens.items() if item in tokens},
        name=CONSENSUS,
        unit=seen.corpus.unit,
    )
    return Consensus(made, rows_to_table(rows, name="consensus"))


@dataclass(frozen=True)
class _Text:
    """The coders of one text."""

    recipe: Recipe
    seen: Annotations
    rows: range

    @property
    def coders(self) -> Column:
        return self.seen.column.take(np.array(self.rows))

    @property
    def units(self) -> int:
        return int(self.seen.units[self.rows[0]])

    def agreed(self) -> tuple[Column, str]:
        """Return the best candidate, and how it was found."""
        places, kinds = self._marks()
        groups = self._clusters(places)
        if max((len(group) for group in groups), default=0) <= MAX_BOUNDARIES_FOR_ALL_SETS:
            chosen = [self._best_subset(places[group], kinds[group]) for group in groups]
            return _joined(chosen, self.coders.kinds is not None), "exact"
        coders = self.coders
        best = self._first_best(coders)
        name = self.seen.key(self.rows[best]).coder
        start = coders.take(np.array([best]))
        found = self._climb(start, *_distinct(coders.values, _kinds(coders)))
        return (start, name) if found is None else (found, f"search from {name}")

    def majority(self) -> Column:
        """Return the boundaries that more than half of the coders set."""
        column = self.coders
        kinds = _kinds(column)
        row = np.repeat(np.arange(len(column)), column.counts)
        cells, votes = np.unique(
            np.column_stack((column.values, kinds)), axis=0, return_counts=True
        )
        who = np.unique(np.column_stack((row, column.values)), axis=0)[:, 1]
        places, people = np.unique(who, return_counts=True)
        places = places[2 * people > len(column)].astype(np.int64)
        chosen = [
            cells[own][np.argmax(votes[own]), 1] for own in (cells[:, 0] == p for p in places)
        ]
        typed = np.array(chosen, dtype=np.int32) if column.kinds is not None else None
        return Column.own(places, np.array([0, len(places)]), typed)

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
        pairs = Pairs._trusted(ref, hyp, units, self.seen.vocabulary)
        return self.recipe.value(self.recipe.count(pairs)).reshape(count, size)

    def segmentation(self, agreed: Column) -> Segmentation:
        """Return one candidate as a person holds it."""
        kinds = None if agreed.kinds is None else agreed.kinds + np.int32(1)
        return Segmentation._trusted(
            self.units, agreed.values.astype(np.int64), kinds, self.seen.vocabulary
        )


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
