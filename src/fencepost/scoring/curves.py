"""A metric at every threshold: counts of each text at each step, and what they add up to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from fencepost import _core
from fencepost.metrics.registry import Counts, Recipe, Values
from fencepost.model.checks import Ints
from fencepost.model.pairs import Column, Pairs
from fencepost.model.steps import Steps
from fencepost.scoring.walk import add_rows

MAX_QUANTILES = 200  # thresholds at which metrics without a sweep of their own are counted

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Curve:
    """Counts of texts at their steps, ordered by text, then by key; keys are those of ``Steps``."""

    recipe: Recipe
    texts: Ints  # of each step
    keys: Values
    counts: Counts
    size: int  # how many texts there are

    @classmethod
    def of(cls, recipe: Recipe, pairs: Pairs, steps: Steps, texts: Ints, size: int) -> Curve:
        """Count pairs whose hypotheses are added by ``steps``; ``texts`` are those of the rows.

        The rows of a text, its speakers, are added up.
        """
        recipe.check_input("pairs")
        if recipe.metric.sweep is None:
            return cls._at_quantiles(recipe, pairs, steps, texts, size)
        seen = pairs.view("positions")
        counts = np.asarray(recipe.metric.sweep(seen, steps, **recipe.settings))
        if len(texts) == size and (texts == np.arange(size)).all():
            return cls(recipe, steps.rows, steps.keys, counts, size)
        return cls(recipe, *_added(texts[steps.rows], steps, counts), size)

    @classmethod
    def _at_quantiles(
        cls, recipe: Recipe, pairs: Pairs, steps: Steps, texts: Ints, size: int
    ) -> Curve:
        """Count as for any boundaries, at no more than 200 thresholds."""
        keys = np.append(-np.inf, quantiles(steps.distinct, MAX_QUANTILES))
        each = []
        for key in keys:
            kept = pairs.hyp.keep(steps.cut_keys <= key)
            each.append(add_rows(recipe.count(with_hyp(pairs, kept)), texts, size))
        order = np.argsort(np.concatenate([rows.texts for rows in each]), kind="stable")
        at = np.repeat(keys, [len(rows.texts) for rows in each])
        counts = np.concatenate([rows.counts for rows in each])
        of = np.concatenate([rows.texts for rows in each])
        return cls(recipe, of[order], at[order], counts[order], size)

    @cached_property
    def values(self) -> Values:
        """The value of each text at each of its steps; NaN where it is undefined."""
        return self.recipe.shown(self.counts)

    @cached_property
    def first(self) -> Mask:
        """Which steps are the first of their text."""
        first = np.ones(len(self.texts), dtype=bool)
        first[1:] = self.texts[1:] != self.texts[:-1]
        return first

    @cached_property
    def _order(self) -> tuple[Ints, Values, Ints]:
        """Steps by key; the distinct keys; and after how many steps each of them is reached."""
        order = np.argsort(self.keys, kind="stable")
        keys = self.keys[order]
        last = np.append(np.flatnonzero(keys[1:] != keys[:-1]), len(keys) - 1)
        return order, keys[last], last + 1

    @property
    def distinct(self) -> Values:
        """The distinct keys, rising; the first is -inf, without boundaries."""
        return self._order[1]

    def only(self, use: Mask, keys: Values) -> Curve | None:
        """Return the curve of these texts, whose boundaries are added at these keys alone.

        None where it has to be counted anew: other texts decided what was counted.
        """
        params = self.recipe.metric.params
        if any(params[name].needs_all_texts(value) for name, value in self.recipe.settings.items()):
            return None
        wanted = keys if self.recipe.metric.sweep is not None else quantiles(keys, MAX_QUANTILES)
        if not np.isin(wanted, self.distinct).all():
            return None
        kept = use[self.texts] & (np.isin(self.keys, wanted) | ~np.isfinite(self.keys))
        return Curve(self.recipe, self.texts[kept], self.keys[kept], self.counts[kept], self.size)

    def at_each(self, average: str) -> Values:
        """Return the average at every distinct key; NaN where it is undefined."""
        order, _, ends = self._order
        if average == "macro":
            values = self.values
            sums, texts = _core.running_sums(self._before(values, np.nan), values, order, ends)
            with np.errstate(invalid="ignore", divide="ignore"):
                return np.asarray(sums / texts)
        return np.asarray(self.recipe.shown(self._pooled()))

    def _pooled(self) -> Counts:
        """Return the added counts of the texts that have a value, at every distinct key."""
        order, _, ends = self._order
        use = ~np.isnan(self.values)
        counts = np.where(use[:, None], self.counts, 0)
        if counts.dtype.kind == "i":
            changes = counts - self._before(counts, 0)
            return np.cumsum(changes[order], axis=0)[ends - 1]
        columns = [np.ascontiguousarray(own) for own in counts.T]
        return np.column_stack(
            [_core.running_sums(self._before(own, 0.0), own, order, ends)[0] for own in columns]
        )

    def _before(self, values: Any, none: float) -> Any:
        """Return the value of each text before each of its steps."""
        before = np.empty_like(values)
        before[1:] = values[:-1]
        before[self.first] = none
        return before

    def rows_at(self, keys: Values) -> Ints:
        """Return the step that each text has reached at each key, texts x keys; -1 for none."""
        distinct = self.distinct
        ranks = np.searchsorted(distinct, self.keys)
        wanted = np.searchsorted(distinct, keys, side="right") - 1
        width = len(distinct)
        each = np.arange(self.size)[:, None] * width + wanted[None, :]
        at = np.searchsorted(self.texts.astype(np.int64) * width + ranks, each, side="right") - 1
        at[self.texts[at] != np.arange(self.size)[:, None]] = -1
        return at


def _added(texts: Ints, steps: Steps, counts: Counts) -> tuple[Ints, Values, Counts]:
    """Return the steps of texts that have several rows, with the counts of rows added."""
    first = np.zeros(len(counts), dtype=bool)
    first[steps.bounds[:-1]] = True
    changes = np.diff(counts, axis=0, prepend=np.zeros((1, counts.shape[1]), counts.dtype))
    changes[first] = counts[first]
    order = np.lexsort((steps.keys, texts))
    of, keys = texts[order], steps.keys[order]
    new = np.ones(len(of), dtype=bool)
    new[1:] = (of[1:] != of[:-1]) | (keys[1:] != keys[:-1])
    starts = np.flatnonzero(new)
    of, keys = of[starts], keys[starts]
    total = np.cumsum(np.add.reduceat(changes[order], starts, axis=0), axis=0)
    begin = np.flatnonzero(np.append(True, of[1:] != of[:-1]))
    before = np.zeros((len(begin), counts.shape[1]), counts.dtype)
    before[1:] = total[begin[1:] - 1]
    return of, keys, total - np.repeat(before, np.diff(np.append(begin, len(of))), axis=0)


def quantiles(keys: Values, count: int) -> Values:
    """Return at most ``count`` of these keys, equally far apart by rank, both ends among them."""
    if len(keys) <= count:
        return keys
    return keys[np.unique(np.rint(np.linspace(0, len(keys) - 1, count)).astype(np.int64))]


def certain(pairs: Pairs) -> Pairs:
    """Return the pairs with every position that has a probability as a boundary."""
    seen = pairs.view("weights")
    return with_hyp(seen, Column.own(seen.hyp.values, seen.hyp.offsets, seen.hyp.kinds))


def with_hyp(pairs: Pairs, hyp: Column) -> Pairs:
    """Return the same references beside other boundaries."""
    return Pairs._trusted(pairs.ref, hyp, pairs.units, pairs.vocabulary, pairs.keys, pairs.mixed)


def best_of(values: Values, better: str, among: Sequence[int] | Ints | None = None) -> int:
    """Return the index of the best value, the first of equals; -1 where there is none."""
    own = values if among is None else values[np.asarray(among)]
    known = np.flatnonzero(~np.isnan(own))
    if not len(known):
        return -1
    at = known[np.argmin(own[known]) if better == "lower" else np.argmax(own[known])]
    return int(at if among is None else np.asarray(among)[at])
