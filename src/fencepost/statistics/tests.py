"""Whether two systems differ at all: swaps, paired resamples, and families of p-values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fencepost.blocks import map_blocks
from fencepost.metrics.registry import Values
from fencepost.model.checks import Ints
from fencepost.options import RESAMPLES, Adjustment
from fencepost.statistics.intervals import spread
from fencepost.statistics.resampling import (
    ESTIMATES_AT_ONCE,
    ROUNDING,
    Estimate,
    ExactColumns,
    Weights,
    batches,
    chosen_of,
    resampled,
    tosses,
)
from fencepost.statistics.student import two_sided, upper_tail

SWAPS_AT_ONCE = 500  # of a family of comparisons
MAX_TEXTS_FOR_ALL_SWAPS = 14  # whose swaps are all tried: 2^14 of them


@dataclass(frozen=True)
class Test:
    """A two-sided p, by how many swaps or resamples, and whether these are all there are."""

    p: float
    count: int
    exact: bool
    freedom: float | None = None  # of Student's t, where the test is over runs too


def randomization(
    estimates: Sequence[Estimate],
    pairs: Sequence[tuple[int, int]],
    *,
    seed: int = 12345,
    count: int = RESAMPLES,
) -> list[Test]:
    """Swap the two systems' rows in every text or not: how often is the difference as large?

    If it makes no difference which system did a text, every swap is as likely as what was found.
    All swaps are tried where at most 14 texts differ; else p = (c + 1) / (R + 1) of R random ones.
    For macro averages a swap is a flipped sign of the text's difference.
    """
    return swap(estimates, pairs, seed=seed, count=count).tests()


def swap(
    estimates: Sequence[Estimate],
    pairs: Sequence[tuple[int, int]],
    *,
    seed: int = 12345,
    count: int = RESAMPLES,
) -> Swaps:
    """Return what swaps reach in all pairs; each swap is of the same texts in every pair."""
    moves = [_Moves(estimates[i], estimates[j]) for i, j in pairs]
    at = np.unique(np.concatenate([one.at for one in moves])) if moves else np.empty(0, np.int64)
    tests: list[Test] = []
    counted: list[Ints] = []
    for first in range(0, len(moves), ESTIMATES_AT_ONCE):
        block = moves[first : first + ESTIMATES_AT_ONCE]
        if len(at) <= MAX_TEXTS_FOR_ALL_SWAPS:
            reached = _reached(block, at, _every(len(at)))
        else:
            reached = _drawn(block, int(at[-1]) + 1, seed, count)
        tests += [_test(one, own) for one, own in zip(block, reached.T, strict=True)]
        counted.append(_as_large(reached))
    exact = len(at) <= MAX_TEXTS_FOR_ALL_SWAPS
    every = np.concatenate(counted, axis=1) if counted else np.empty((1, 0), np.int64)
    return Swaps(tests, every, exact)


def _drawn(moves: Sequence[_Moves], texts: int, seed: int, count: int) -> Values:
    """Return the differences without any swap, then after random ones."""
    found = np.array([[one.differences()[0] for one in moves]])
    columns = _side_by_side(moves, np.arange(texts))

    def reached(batch: tuple[int, int]) -> Values:
        return _reached_by(moves, columns.added(tosses(seed, texts, batch[1], batch[0])))

    return np.concatenate([found, *map_blocks(reached, batches(texts, count))])


def _side_by_side(moves: Sequence[_Moves], at: Ints) -> ExactColumns:
    """Return what all pairs move, one row per place; nothing where the two do not differ."""
    columns = np.zeros((len(at), sum(one.change.shape[1] for one in moves)))
    start = 0
    for one in moves:
        stop = start + one.change.shape[1]
        columns[np.searchsorted(at, one.at), start:stop] = one.change
        start = stop
    return ExactColumns(columns)


def _reached(moves: Sequence[_Moves], at: Ints, swaps: Weights) -> Values:
    return _reached_by(moves, _side_by_side(moves, at).added(swaps))


def _reached_by(moves: Sequence[_Moves], moved: Values) -> Values:
    """Return the differences of all pairs, a column each, after these amounts were moved."""
    found = np.empty((len(moved), len(moves)))
    start = 0
    for k, one in enumerate(moves):
        stop = start + one.change.shape[1]
        found[:, k] = one.differences(moved[:, start:stop])
        start = stop
    return found


def _test(move: _Moves, own: Values) -> Test:
    """Return the test of a pair; by all its swaps, where few of its texts differ."""
    exact = len(move.at) <= MAX_TEXTS_FOR_ALL_SWAPS
    if exact:
        own = _reached([move], move.at, _every(len(move.at)))[:, 0]
    p = float((own >= _least(own[0])).mean())
    return Test(p, len(own) if exact else len(own) - 1, exact)


def _as_large(reached: Values) -> Ints:
    """Return for each pair and swap how many swaps reach a difference as large."""
    rows = len(reached)
    found = np.empty(reached.shape, np.uint16 if rows < 2**16 else np.int64)
    for k, own in enumerate(reached.T):
        found[:, k] = rows - np.searchsorted(np.sort(own), _least(own), side="left")
    return found


@dataclass(frozen=True, eq=False)
class Swaps:
    """The test of each pair, and how many swaps reach as much as each: the first is no swap."""

    each: Sequence[Test]
    as_large: Ints  # a row per swap, a column per pair
    exact: bool  # these are all swaps there are

    def tests(self) -> list[Test]:
        """Return the test of every pair."""
        return list(self.each)

    def step_down(self) -> tuple[list[float], float]:
        """Return p of the family by step-down min-p (Westfall and Young 1993), and the least.

        What comparisons have in common counts once, since every swap is of the same texts in all
        of them. A p is the share of swaps in which the smallest p of this comparison and of those
        with larger p is as small; it is never below the p of a comparison before it.
        """
        rows = len(self.as_large)
        p = self.as_large[0] / rows
        order = np.argsort(p, kind="stable")
        most = p[order] * (1 + ROUNDING)
        small = np.zeros(len(order))
        first = np.empty(rows)
        for start in range(0, rows, SWAPS_AT_ONCE):
            part = self.as_large[start : start + SWAPS_AT_ONCE, order[::-1]]
            smallest = np.minimum.accumulate(part, axis=1)[:, ::-1] / rows
            small += (smallest <= most).sum(axis=0)
            first[start : start + len(part)] = smallest[:, 0]
        result = np.empty(len(order))
        result[order] = np.maximum.accumulate(small / rows)
        return list(map(float, result)), float((first <= first.min() * (1 + ROUNDING)).mean())


def _least(found: Any) -> Any:
    """The least difference that counts as large as one that was found."""
    return found - ROUNDING * np.maximum(1.0, found)


class _Moves:
    """What a swap moves from one system to the other in every text where they differ."""

    def __init__(self, one: Estimate, other: Estimate) -> None:
        self.functions = one.function, other.function
        a, b = one.one_row(), other.one_row()
        self.sums = a.sum(axis=0), b.sum(axis=0)
        differs = a != b
        texts = np.flatnonzero(differs.any(axis=1))
        self.at = texts if one.places is None else one.places[texts]
        self.moving = np.flatnonzero(differs.any(axis=0))  # columns that a swap can change
        self.change = (b - a)[np.ix_(texts, self.moving)]

    def differences(self, moved: Values | None = None) -> Values:
        """Return the absolute difference after each of these amounts was moved."""
        moved = np.zeros((1, len(self.moving))) if moved is None else moved
        left, right = (np.tile(total, (len(moved), 1)) for total in self.sums)
        left[:, self.moving] += moved
        right[:, self.moving] -= moved
        one, other = self.functions
        return np.abs(one(left) - other(right))


def _every(texts: int) -> Weights:
    """Return all swaps of a few texts, none of them first."""
    return ((np.arange(2**texts)[:, None] >> np.arange(texts)) & 1).astype(np.float64)


def over_runs(one: Estimate, other: Estimate) -> Test | None:
    """Return Student's t over texts and runs; None where no text and no run differs from another.

    The variance between runs is a part of it, with Satterthwaite's degrees of freedom.
    """
    both = spread(one.influence - other.influence, (one, other))
    found = one.value - other.value
    if not both.error > ROUNDING * max(1.0, abs(found)):
        return None
    return Test(two_sided(found / both.error, both.freedom), 0, False, both.freedom)


def equivalence(one: Estimate, other: Estimate, margin: float, with_runs: bool = True) -> float:
    """Return p of two one-sided tests: is the difference within the margin (Schuirmann 1987)?

    Where all texts have the same difference, p is the chance of such texts if a share of others,
    at the end of the range, were as large as the margin needs; NaN without a range.
    """
    influence = one.influence - other.influence
    found = one.value - other.value
    both = spread(influence, (one, other) if with_runs else ())
    if both.error > ROUNDING * max(1.0, abs(found)):
        return upper_tail((margin - abs(found)) / both.error, both.freedom)
    width = max(one.bounds[1], other.bounds[1]) - min(one.bounds[0], other.bounds[0])
    if abs(found) >= margin:
        return 1.0
    share = (margin - abs(found)) / (width - abs(found))
    return (1 - share) ** len(influence) if math.isfinite(width) else math.nan


def paired_bootstrap(
    estimates: Sequence[Estimate],
    pairs: Sequence[tuple[int, int]],
    *,
    seed: int = 12345,
    count: int = RESAMPLES,
) -> list[Test]:
    """Return how often a resampled difference is as far from the found one as that is from 0.

    Anti-conservative with few texts: at a level of .05 it rejects .10 at 10 texts, .07 at 20.
    """
    tests = []
    for first in range(0, len(pairs), ESTIMATES_AT_ONCE):
        numbers = range(first, min(first + ESTIMATES_AT_ONCE, len(pairs)))
        used, inside = chosen_of(estimates, pairs, (), numbers)
        samples = resampled(used, inside, seed, count)[len(used) :]
        for (i, j), sample in zip(inside, samples, strict=True):
            found = used[i].value - used[j].value
            own = sample[~np.isnan(sample)]
            far = np.abs(own - found) >= abs(found) - ROUNDING * max(1.0, abs(found))
            tests.append(Test((int(far.sum()) + 1) / (len(own) + 1), len(own), False))
    return tests


def adjusted(p: Sequence[float], how: Adjustment) -> list[float]:
    """Return the p-values of one family: Holm (1979), or Benjamini and Hochberg (1995).

    >>> adjusted([0.01, 0.04, 0.03], "holm")
    [0.03, 0.06, 0.06]
    >>> adjusted([0.01, 0.04, 0.03], "bh")
    [0.03, 0.04, 0.04]
    """
    values = np.asarray(p, dtype=np.float64)
    m = len(values)
    if how == "none" or m == 0:
        return [float(v) for v in values]
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    if how == "holm":
        raised = np.maximum.accumulate(ordered * np.arange(m, 0, -1))
    else:
        raised = np.minimum.accumulate((ordered * m / np.arange(1, m + 1))[::-1])[::-1]
    result = np.empty(m)
    result[order] = np.minimum(raised, 1.0)
    return [float(v) for v in result]
