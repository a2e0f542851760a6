"""How much a number can be trusted: resampling of count rows, never of texts."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from fencepost.metrics.base import Values

Weights = npt.NDArray[np.float64]  # a row a resample: how often it holds each text
BATCH = 64  # resamples at a time

# Quantiles of Student's t, 97.5%, for 1, 2, 3, ... degrees of freedom (any table of it).
T_975 = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
    2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
    2.052, 2.048, 2.045, 2.042,
)  # fmt: skip


def resamples(seed: int, texts: int, count: int) -> Weights:
    """How often each of ``count`` resamples with replacement holds each text.

    Row r is the same for any number of rows, machine and thread: the generator counts (Philox).
    """
    raw = np.random.Philox(key=seed & (2**64 - 1)).random_raw(texts * count)
    drawn = ((raw >> np.uint64(32)) * np.uint64(texts)) >> np.uint64(32)
    rows = np.repeat(np.arange(count), texts)
    found = np.bincount(rows * texts + drawn.astype(np.int64), minlength=count * texts)
    return found.reshape(count, texts).astype(np.float64)


def bootstrap(
    statistic: Callable[[Weights], Values], texts: int, *, seed: int, count: int
) -> Values:
    """The statistic of every resample of the texts; those where it is undefined are left out."""
    weights = resamples(seed, texts, count)
    parts = [statistic(weights[at : at + BATCH]) for at in range(0, count, BATCH)]
    values = np.concatenate(parts)
    return values[~np.isnan(values)]


def percentile_interval(values: Values) -> tuple[float, float]:
    """The middle 95% of resampled values."""
    if len(values) < 2:
        return math.nan, math.nan
    low, high = np.quantile(values, [0.025, 0.975])
    return float(low), float(high)


def jackknife_interval(value: float, without: Values) -> tuple[float, float]:
    """95% by leaving out one coder at a time (Tukey 1958), with Student's t.

    A bootstrap would pair a coder with itself, which is agreement of 1 that nobody reached.
    """
    known = without[~np.isnan(without)]
    n = len(known)
    if n < 3:
        return math.nan, math.nan
    error = math.sqrt((n - 1) / n * float(((known - known.mean()) ** 2).sum()))
    margin = _t_975(n - 1) * error
    return value - margin, value + margin


def _t_975(freedom: int) -> float:
    if freedom <= len(T_975):
        return T_975[freedom - 1]
    z, n = 1.959963985, freedom  # its expansion (Fisher 1926), right to six digits from here on
    return (
        z
        + (z**3 + z) / (4 * n)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * n**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * n**3)
    )
