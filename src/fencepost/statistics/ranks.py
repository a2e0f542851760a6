"""Whether two lists of numbers go together: Pearson's r, Kendall's tau-b, and their intervals."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from fencepost.metrics.registry import Values
from fencepost.model.checks import MetricError

BATCH_CELLS = 1 << 22  # pairs of systems, over all draws, in memory at a time


def pearson(x: Any, y: Any) -> float:
    """Pearson's r; NaN where one side does not vary.

    >>> round(pearson([1, 2, 3, 4], [1, 3, 2, 4]), 12)
    0.8
    """
    a, b = paired_columns(x, y)
    # A column of equal numbers may have a mean beside them, so this is asked first.
    if (a == a[0]).all() or (b == b[0]).all():
        return math.nan
    a, b = a - a.mean(), b - b.mean()
    # Scaled first: squares of very small or large numbers would leave the range.
    a, b = a / np.abs(a).max(), b / np.abs(b).max()
    r = float(a @ b) / math.sqrt(float(a @ a) * float(b @ b))
    return max(-1.0, min(1.0, r))


def pearson_interval(x: Any, y: Any, level: float = 0.95) -> tuple[float, float]:
    """Fisher's interval: normal in artanh r, with standard error 1/sqrt(n - 3).

    NaN for fewer than four systems.
    """
    _check_level(level)
    r, n = pearson(x, y), len(x)
    if math.isnan(r) or n < 4:
        return math.nan, math.nan
    if abs(r) == 1.0:
        return r, r
    from statistics import NormalDist  # slow to import

    half = NormalDist().inv_cdf((1 + level) / 2) / math.sqrt(n - 3)
    return math.tanh(math.atanh(r) - half), math.tanh(math.atanh(r) + half)


def kendall(x: Any, y: Any) -> float:
    """Kendall's tau-b, which allows for ties; NaN where one side does not vary.

    (concordant - discordant pairs) / sqrt(pairs not tied in x * pairs not tied in y).

    >>> kendall([1, 2, 3, 4], [1, 3, 2, 4])  # doctest: +ELLIPSIS
    0.666...
    """
    a, b = paired_columns(x, y)
    everyone = np.arange(len(a))[None, :]
    return float(_kendall(_signs(a), _signs(b), everyone)[0])


def kendall_interval(
    x: Any, y: Any, level: float = 0.95, draws: int = 2000, seed: int = 12345
) -> tuple[float, float]:
    """Return percentiles of tau-b when systems are drawn with replacement.

    Draws in which one side does not vary have no tau and are left out. NaN for fewer than four
    systems. With few systems it is rough, as is everything that can be said then.
    """
    _check_level(level)
    if isinstance(draws, bool) or not isinstance(draws, (int, np.integer)) or draws < 2:
        raise MetricError(f"draws must be a whole number from 2 up, found {draws!r}")
    a, b = paired_columns(x, y)
    n = len(a)
    signs = _signs(a), _signs(b)
    if n < 4 or math.isnan(kendall(a, b)):
        return math.nan, math.nan
    rng = np.random.default_rng(seed)
    step = max(1, BATCH_CELLS // (n * n))
    taus = np.concatenate(
        [
            _kendall(*signs, rng.integers(n, size=(min(step, draws - first), n)))
            for first in range(0, draws, step)
        ]
    )
    tail = (1 - level) / 2
    low, high = np.nanquantile(taus, [tail, 1 - tail])
    return float(low), float(high)


Signs = npt.NDArray[np.int8]


def _signs(a: Values) -> Signs:
    """Return which of each two systems is ahead."""
    return (np.sign(a[:, None] - a[None, :])).astype(np.int8)


def _kendall(a: Signs, b: Signs, rows: npt.NDArray[np.int64]) -> Values:
    """Tau-b of the systems in each row. Each pair stands twice in all sums, so it cancels."""
    first, second = rows[:, :, None], rows[:, None, :]
    x, y = a[first, second], b[first, second]
    agreement = np.einsum("kij,kij->k", x, y, dtype=np.int64)
    varied = np.count_nonzero(x, axis=(1, 2)) * np.count_nonzero(y, axis=(1, 2))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(varied > 0, agreement / np.sqrt(varied.astype(np.float64)), math.nan)


def paired_columns(x: Any, y: Any) -> tuple[Values, Values]:
    """Return two lists of finite numbers as arrays of the same length, or raise MetricError."""
    try:
        a, b = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    except (TypeError, ValueError):
        raise MetricError("a correlation needs two lists of numbers") from None
    if a.ndim != 1 or b.ndim != 1 or len(a) != len(b):
        raise MetricError(
            f"a correlation needs two lists of the same length, found {a.shape} and {b.shape}"
        )
    if len(a) < 2:
        raise MetricError(f"a correlation needs at least two systems, found {len(a)}")
    for name, column in (("first", a), ("second", b)):
        if not np.isfinite(column).all():
            place = int(np.argmin(np.isfinite(column)))
            raise MetricError(
                f"number {place + 1} of the {name} list is {column[place]}; remove systems "
                "without a score"
            )
    return a, b


def _check_level(level: Any) -> None:
    if isinstance(level, bool) or not isinstance(level, (int, float)) or not 0 < level < 1:
        raise MetricError(f"level must be a number between 0 and 1, found {level!r}")
