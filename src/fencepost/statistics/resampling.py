"""Resamples of texts, and numbers that are functions of added rows of counts.

Every number here is a function of added rows, one row for each text (or for each cluster of
texts): a micro average is the metric's value of added counts, a macro average is the sum of the
texts' values over their number. So a resample is a row of weights times the rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from fencepost import _core
from fencepost.blocks import map_blocks
from fencepost.metrics.registry import Counts, Values
from fencepost.model.checks import Ints

Weights = npt.NDArray[np.float64]  # one row per resample: how often it holds each text

BATCH_NUMBERS = 2_000_000  # weights in memory at a time: 16 MB
ESTIMATES_AT_ONCE = 100  # or pairs of them: 10,000 resamples of each in memory are 8 MB
MAX_TEXTS_FOR_DISTINCT = 8  # whose resamples are often the same: 126 different ones of five texts
BATCH_RESAMPLES = 1_000  # resamples of agreement at a time
ROUNDING = 1e-10  # differences of values below this are rounding


# Weights of resamples.


def resamples(seed: int, texts: int, count: int, first: int = 0) -> Weights:
    """Return how often each of ``count`` resamples with replacement holds each text.

    Row r is the same for any number of rows, machine and thread: every row has a stream of its
    own, keyed by the seed and its number.
    """
    return np.asarray(_core.resamples(_key(seed), first, count, texts))


def distinct_resamples(seed: int, texts: int, count: int) -> tuple[Weights, Ints]:
    """Return the different ones of ``count`` resamples, and which of them each resample is."""
    weights = resamples(seed, texts, count)
    codes = weights.astype(np.int64) @ (texts + 1) ** np.arange(texts)
    _, first, which = np.unique(codes, return_index=True, return_inverse=True)
    return weights[first], which


def tosses(seed: int, texts: int, count: int, first: int = 0) -> Weights:
    """Return coins for each text: 1 where a resample swaps the two systems."""
    return np.asarray(_core.tosses(_key(seed), first, count, texts))


def ranks_of_names(names: Sequence[str]) -> Ints:
    """Return the rank of each text by its name: the order of a file must not change an interval.

    Short names come first, so that d2 is before d10.
    """
    ranks = np.empty(len(names), dtype=np.int64)
    ranks[sorted(range(len(names)), key=lambda i: (len(names[i]), names[i]))] = np.arange(
        len(names)
    )
    return ranks


def _key(seed: int) -> int:
    return seed & (2**64 - 1)


def batches(texts: int, count: int, step: int | None = None) -> list[tuple[int, int]]:
    """Return the first number and the length of each batch of resamples."""
    step = step or int(np.clip(BATCH_NUMBERS // max(texts, 1), 16, 4096))
    return [(first, min(step, count - first)) for first in range(0, count, step)]


class ExactColumns:
    """Columns as whole numbers of a power of two, so small that no sum of them is rounded.

    So a product with weights does not depend on the order in which it is added: it is the same
    for any number of threads and on any machine. Counts are whole numbers already; values keep
    53 bits less the logarithm of the number of texts.
    """

    def __init__(self, columns: Counts) -> None:
        columns = np.asarray(columns, dtype=np.float64)
        largest = np.abs(columns).max(axis=0, initial=0.0) * max(len(columns), 1)
        with np.errstate(divide="ignore"):
            bits = np.where(largest > 0, 52 - np.ceil(np.log2(largest)), 0)
        self.scale = np.exp2(np.minimum(bits, 1000))
        self.whole = np.rint(columns * self.scale)

    @property
    def rounded(self) -> Values:
        """The columns with the digits that are kept: they can be added in any order."""
        return np.asarray(self.whole / self.scale)

    def added(self, weights: Weights) -> Values:
        """Return the weighted sums of all columns, a row for each row of weights."""
        return np.asarray((weights @ self.whole) / self.scale)


# Numbers that are functions of sums.


def ratio(sums: Values) -> Values:
    """Return the first column over the second: a mean, where the second counts texts."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(sums[:, 0] / sums[:, 1])


@dataclass(frozen=True, eq=False)
class Estimate:
    """A number made of added rows; ``rows`` has one for each text or cluster.

    Where a system ran several times, the columns of its runs stand side by side, and are added
    before the function sees them.
    """

    rows: Values  # texts x (runs * columns)
    function: Callable[[Values], Values]  # sums, a row each, to values
    bounds: tuple[float, float] = (-math.inf, math.inf)
    runs: int = 1
    places: Ints | None = None  # of the rows among all texts: swaps are drawn for these
    sizes: Values | None = None  # of texts whose counts are pooled; None for means

    @cached_property
    def stretch(self) -> float:
        """How much wider a default interval of pooled counts is for uneven texts; 1 for even ones.

        A sample often misses the long texts that decide, and then seems to vary little. Nothing
        but the sizes tells: of m effective texts (Kish 1965) among n, the variance grows by
        2 (n / m - 1) / sqrt(m), a form chosen in simulations (docs/statistics.md).
        """
        if self.sizes is None or not self.sizes.any():
            return 1.0
        effective = float(self.sizes.sum() ** 2 / (self.sizes**2).sum())
        return math.sqrt(1 + 2 * (len(self.sizes) / effective - 1) / math.sqrt(effective))

    @cached_property
    def added(self) -> Values:
        """The rows with their runs added."""
        if self.runs == 1:
            return self.rows
        return np.asarray(self.rows.reshape(len(self.rows), self.runs, -1).sum(axis=1))

    def one_row(self) -> Values:
        """Return the rows with their runs averaged."""
        return self.added / self.runs

    @cached_property
    def value(self) -> float:
        """The number itself."""
        return float(self.function(self.added.sum(axis=0, keepdims=True))[0])

    @cached_property
    def influence(self) -> Values:
        """What each text adds to the number: that of all, less that without it (jackknife)."""
        return self._influence(self.added)

    def by_run(self) -> tuple[Values, Values]:
        """Return the number by each run alone, and each text's influence on it (runs x texts)."""
        each = self.rows.reshape(len(self.rows), self.runs, -1)
        values = self.function(each.sum(axis=0))
        return values, np.array([self._influence(each[:, run]) for run in range(self.runs)])

    def _influence(self, rows: Values) -> Values:
        total = rows.sum(axis=0, keepdims=True)
        return np.asarray((len(rows) - 1) * (self.function(total) - self.function(total - rows)))


def blocks_of(
    count: int, pairs: Sequence[tuple[int, int]]
) -> Iterator[tuple[Sequence[int], list[int]]]:
    """Yield numbers of estimates and of pairs, in blocks that bound what is in memory at a time.

    A number is the same in any block: resamples are drawn anew, and no sum is rounded.
    """
    led: dict[int, list[int]] = {}  # pairs by the block of their first estimate
    for k, (i, _) in enumerate(pairs):
        led.setdefault(i // ESTIMATES_AT_ONCE, []).append(k)
    for block in range(math.ceil(count / ESTIMATES_AT_ONCE)):
        first = block * ESTIMATES_AT_ONCE
        own: Sequence[int] = range(first, min(first + ESTIMATES_AT_ONCE, count))
        theirs = led.get(block, [])
        for start in range(0, max(len(theirs), 1), ESTIMATES_AT_ONCE):
            yield (() if start else own), theirs[start : start + ESTIMATES_AT_ONCE]


def chosen_of(
    estimates: Sequence[Estimate],
    pairs: Sequence[tuple[int, int]],
    own: Sequence[int],
    theirs: Sequence[int],
) -> tuple[list[Estimate], list[tuple[int, int]]]:
    """Return the estimates of a block, its own first, and its pairs by their place among these."""
    at = {i: k for k, i in enumerate(dict.fromkeys([*own, *(i for k in theirs for i in pairs[k])]))}
    return [estimates[i] for i in at], [(at[pairs[k][0]], at[pairs[k][1]]) for k in theirs]


def resampled(
    estimates: Sequence[Estimate], pairs: Sequence[tuple[int, int]], seed: int, count: int
) -> Values:
    """Return the values of all resamples: a row for each estimate, then for each difference."""
    n = len(estimates[0].rows)
    starts = np.cumsum([0, *(one.added.shape[1] for one in estimates)])
    columns = ExactColumns(np.column_stack([one.added for one in estimates]))
    functions = [one.function for one in estimates]

    def values_of(weights: Weights) -> Values:
        sums = columns.added(weights)
        own = [of(sums[:, starts[i] : starts[i + 1]]) for i, of in enumerate(functions)]
        return np.array([*own, *(own[i] - own[j] for i, j in pairs)])

    def values(batch: tuple[int, int]) -> Values:
        return values_of(resamples(seed, n, batch[1], batch[0]))

    if n <= MAX_TEXTS_FOR_DISTINCT:
        weights, which = distinct_resamples(seed, n, count)
        return np.asarray(values_of(weights)[:, which])
    return np.concatenate(list(map_blocks(values, batches(n, count))), axis=1)


def bootstrap(
    statistic: Callable[[Weights], Values],
    texts: int,
    *,
    seed: int,
    count: int,
    at_once: int = BATCH_RESAMPLES,
) -> Values:
    """Return the statistic of every resample of the texts; NaN where it is undefined."""

    def values(batch: tuple[int, int]) -> Values:
        return statistic(resamples(seed, texts, batch[1], batch[0]))

    return np.concatenate(list(map_blocks(values, batches(texts, count, at_once))))
