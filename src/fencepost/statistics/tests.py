"""Whether two systems differ at all: swaps, paired resamples, and families of p-values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fencepost.metrics.registry import Values
from fencepost.options import RESAMPLES, Adjustment
from fencepost.statistics.resampling import (
    ROUNDING,
    Estimate,
    ExactColumns,
    batches,
    resampled,
    tosses,
)

MAX_TEXTS_FOR_ALL_SWAPS = 14  # whose swaps are all tried: 2^14 of them


@dataclass(frozen=True)
class Test:
    """A two-sided p, by how many swaps or resamples, and whether these are all there are."""

    p: float
    count: int
    exact: bool


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
    found: dict[int, Test] = {}
    random: list[int] = []
    for k, (i, j) in enumerate(pairs):
        differing = (estimates[i].one_row() != estimates[j].one_row()).any(axis=1)
        if differing.sum() <= MAX_TEXTS_FOR_ALL_SWAPS:
            found[k] = _all_swaps(estimates[i], estimates[j], differing)
        else:
            random.append(k)
    if random:
        tests = _random_swaps(estimates, [pairs[k] for k in random], seed, count)
        found |= dict(zip(random, tests, strict=True))
    return [found[k] for k in range(len(pairs))]


def _all_swaps(one: Estimate, other: Estimate, differing: npt.NDArray[np.bool_]) -> Test:
    size = int(differing.sum())
    numbers = np.arange(2**size)
    swaps = ((numbers[:, None] >> np.arange(size)) & 1).astype(np.float64)
    a, b = one.one_row(), other.one_row()
    moved = ExactColumns((b - a)[differing]).added(swaps)
    reached, as_found = _swapped(one, other, a, b, moved)
    return Test(float((reached >= as_found).mean()), 2**size, True)


def _swapped(
    one: Estimate, other: Estimate, a: Values, b: Values, moved: Values
) -> tuple[Values, float]:
    """Return absolute differences after swaps, and the least that is as large as the data's."""
    left, right = a.sum(axis=0), b.sum(axis=0)
    reached = np.abs(one.function(left + moved) - other.function(right - moved))
    found = abs(float((one.function(left[None]) - other.function(right[None]))[0]))
    return reached, found - ROUNDING * max(1.0, found)


def _random_swaps(
    estimates: Sequence[Estimate], pairs: Sequence[tuple[int, int]], seed: int, count: int
) -> list[Test]:
    n = len(estimates[0].rows)
    rows = [one.one_row() for one in estimates]
    starts = np.cumsum([0, *(rows[i].shape[1] for i, _ in pairs)])
    columns = ExactColumns(np.column_stack([rows[j] - rows[i] for i, j in pairs]))
    extreme = np.zeros(len(pairs), dtype=np.int64)
    for start, size in batches(n, count):
        moved = columns.added(tosses(seed, n, size, start))
        for k, (i, j) in enumerate(pairs):
            own = moved[:, starts[k] : starts[k + 1]]
            reached, found = _swapped(estimates[i], estimates[j], rows[i], rows[j], own)
            extreme[k] += int((reached >= found).sum())
    return [Test((int(c) + 1) / (count + 1), count, False) for c in extreme]


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
    samples = resampled(estimates, pairs, seed, count)
    tests = []
    for k, (i, j) in enumerate(pairs, start=len(estimates)):
        found = estimates[i].value - estimates[j].value
        own = samples[k][~np.isnan(samples[k])]
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
