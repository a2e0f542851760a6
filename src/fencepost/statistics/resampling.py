"""How much a number can be trusted: resampling of count rows, never of texts.

Every number here is a function of added rows, one row for each text (or for each cluster of
texts): a micro average is the metric's value of added counts, a macro average is the sum of the
texts' values over their number. So a resample is a row of weights times the rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

import numpy as np
import numpy.typing as npt

from fencepost import _core
from fencepost.metrics.registry import Counts, Values

Weights = npt.NDArray[np.float64]  # a row a resample: how often it holds each text
Method = Literal["hall", "t", "percentile", "bca", "normal"]
METHODS: tuple[Method, ...] = ("hall", "t", "percentile", "bca", "normal")
Adjustment = Literal["holm", "bh", "none"]
ADJUSTMENTS: tuple[Adjustment, ...] = ("holm", "bh", "none")

BATCH = 64  # resamples of agreement at a time
BATCH_ROWS = 2_000  # of them when every text of a resample is moved
BATCH_NUMBERS = 2_000_000  # weights at a time: 16 MB
RESAMPLES = 10_000
FEWEST_TEXTS = 5  # below that no interval holds
FEW_CLUSTERS = 20
ROUGH_BELOW = 10  # texts whose intervals come with a warning
T_BELOW = 100  # texts from which the percentile interval covers as it should
LEVEL = 0.025  # on either side of 95%
MOST_SKEWED = 1.5  # what Hall's cubic takes away; few texts cannot tell more
LEAST_SLOPE = 0.4  # of Hall's cubic, which would be flat at one point
NORMAL_ABOVE = 10_000  # texts from which resampling only repeats the standard error
MOST_EXACT = 14  # texts whose swaps are all tried: 2^14 of them
LOST = 0.01  # share of resamples that may be undefined
_TINY = 1e-10  # differences of values below this are rounding
_TINY_SPREAD = 1e-6  # standard errors below this, too: they are roots of differences
_STEP = 2.0**-10  # of derivatives, as a share; a power of two, so that sums stay exact
_WEIGHT_STEP = 2.0**-6  # of derivatives by the weight of a text

# Quantiles of Student's t, 97.5%, for 1, 2, 3, ... degrees of freedom (any table of it).
T_975 = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
    2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
    2.052, 2.048, 2.045, 2.042,
)  # fmt: skip


# Weights of resamples.


def resamples(seed: int, texts: int, count: int, first: int = 0) -> Weights:
    """How often each of ``count`` resamples with replacement holds each text.

    Row r is the same for any number of rows, machine and thread: every row has a stream of its
    own, keyed by the seed and its number.
    """
    return np.asarray(_core.resamples(_key(seed), first, count, texts))


def tosses(seed: int, texts: int, count: int, first: int = 0) -> Weights:
    """Coins for each text: 1 where a resample swaps the two systems."""
    return np.asarray(_core.tosses(_key(seed), first, count, texts))


def _key(seed: int) -> int:
    return seed & (2**64 - 1)


def _batches(texts: int, count: int) -> Iterator[tuple[int, int]]:
    """First number and length of each batch of resamples."""
    step = int(np.clip(BATCH_NUMBERS // max(texts, 1), 16, 4096))
    for first in range(0, count, step):
        yield first, min(step, count - first)


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

    def added(self, weights: Weights) -> Values:
        """The weighted sums of all columns, a row for each row of weights."""
        return np.asarray((weights @ self.whole) / self.scale)


# Numbers that are functions of sums.


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
    run_seed: int = 0  # the same for all metrics of a system

    def of_sums(self, sums: Values, times: Values | None = None) -> Values:
        """The values of sums; ``times`` says how often each resample holds each run."""
        if self.runs > 1:
            by_run = sums.reshape(len(sums), self.runs, -1)
            sums = by_run.sum(axis=1) if times is None else (by_run * times[:, :, None]).sum(axis=1)
        return self.function(sums)

    def one_row(self) -> Values:
        """The rows with their runs averaged."""
        if self.runs == 1:
            return self.rows
        return np.asarray(self.rows.reshape(len(self.rows), self.runs, -1).mean(axis=1))

    @property
    def value(self) -> float:
        """The number itself."""
        return float(self.of_sums(self.rows.sum(axis=0, keepdims=True))[0])

    def without(self) -> Values:
        """The number without each text (jackknife)."""
        return self.of_sums(self.rows.sum(axis=0, keepdims=True) - self.rows)


@dataclass(frozen=True)
class Interval:
    """The bounds of 95%, and by which method; or why there are none."""

    low: float | None
    high: float | None
    method: Method | None = None
    why: str | None = None

    @classmethod
    def none(cls, why: str) -> Interval:
        """No interval, and the reason."""
        return cls(None, None, None, why)


CONSTANT = "constant"
FEW = "few"
UNDEFINED = "undefined"


def method_for(texts: int, asked: Method | None = None) -> Method:
    """The bootstrap-t below 100 texts, percentiles from there, then the standard error."""
    if asked is not None:
        return asked
    if texts < T_BELOW:
        return "t"
    return "percentile" if texts <= NORMAL_ABOVE else "normal"


def intervals(
    estimates: Sequence[Estimate],
    pairs: Sequence[tuple[int, int]] = (),
    *,
    method: Method | None = None,
    seed: int = 12345,
    count: int = RESAMPLES,
    resample_runs: bool = False,
) -> list[Interval]:
    """An interval for each estimate, then for the difference (first - second) of each pair.

    All estimates are about the same texts, and every resample is the same for all of them.
    """
    if not estimates:
        return []
    n = len(estimates[0].rows)
    if n < FEWEST_TEXTS:
        return [Interval.none(FEW)] * (len(estimates) + len(pairs))
    chosen: Method = "percentile" if resample_runs else method_for(n, method)
    values = [one.value for one in estimates]
    influence = [(n - 1) * (one.value - one.without()) for one in estimates]
    bounds = [one.bounds for one in estimates]
    for i, j in pairs:
        values.append(values[i] - values[j])
        influence.append(influence[i] - influence[j])
        width = max(bounds[i][1], bounds[j][1]) - min(bounds[i][0], bounds[j][0])
        bounds.append((-width, width))
    if chosen == "normal":
        found = [_normal(v, u) for v, u in zip(values, influence, strict=True)]
    else:
        samples = _resampled(estimates, pairs, seed, count, resample_runs)
        spreads = None
        if chosen in ("hall", "t"):
            spreads = _resampled_spreads(estimates, pairs, seed, count)
        found = [
            _interval(chosen, values[i], influence[i], samples[i], spreads[i] if spreads else None)
            for i in range(len(values))
        ]
    return [_clipped(one, *ends) for one, ends in zip(found, bounds, strict=True)]


def _resampled(
    estimates: Sequence[Estimate],
    pairs: Sequence[tuple[int, int]],
    seed: int,
    count: int,
    resample_runs: bool = False,
) -> Values:
    """The values of all resamples: a row for each estimate, then for each difference."""
    n = len(estimates[0].rows)
    starts = np.cumsum([0, *(one.rows.shape[1] for one in estimates)])
    columns = ExactColumns(np.column_stack([one.rows for one in estimates]))
    samples = np.empty((len(estimates) + len(pairs), count))
    for start, size in _batches(n, count):
        at = slice(start, start + size)
        sums = columns.added(resamples(seed, n, size, start))
        for i, one in enumerate(estimates):
            times = None
            if resample_runs and one.runs > 1:
                times = resamples(seed ^ one.run_seed, one.runs, size, start)
            samples[i, at] = one.of_sums(sums[:, starts[i] : starts[i + 1]], times)
    for k, (i, j) in enumerate(pairs, start=len(estimates)):
        samples[k] = samples[i] - samples[j]
    return samples


# The standard error of every resample. A value of sums is nearly linear in the rows, so a text's
# part in it is its row times the gradient, and the standard error is that of the sum of parts.


@dataclass(frozen=True, eq=False)
class Spread:
    """Of every resample the standard error and the skewness of its parts; last, of the data."""

    error: Values
    skewness: Values


def _resampled_spreads(
    estimates: Sequence[Estimate], pairs: Sequence[tuple[int, int]], seed: int, count: int
) -> list[Spread]:
    """The spread of every resample, and behind the last one that of the data."""
    n = len(estimates[0].rows)
    rows = [one.one_row() for one in estimates]
    columns = [ExactColumns(own) for own in rows]
    errors, skewness = np.empty((2, len(estimates) + len(pairs), count + 1))

    def fill(at: slice, weights: Weights) -> None:
        parts = []
        for one, own, exact in zip(estimates, rows, columns, strict=True):
            slope = _gradient(one.function, exact.added(weights), np.abs(own).mean(axis=0))
            parts.append(np.einsum("rk,nk->rn", slope, own))
        parts += [parts[i] - parts[j] for i, j in pairs]
        for k, part in enumerate(parts):
            errors[k, at], skewness[k, at] = _spread(part, weights)

    for start, size in _batches(n * (len(estimates) + len(pairs)), count):
        fill(slice(start, start + size), resamples(seed, n, size, start))
    fill(slice(count, count + 1), np.ones((1, n)))
    return [Spread(*own) for own in zip(errors, skewness, strict=True)]


def _gradient(function: Callable[[Values], Values], sums: Values, usual: Values) -> Values:
    """How much the value of each row of sums changes with each column."""
    slope = np.empty_like(sums)
    for k in range(sums.shape[1]):
        step = _STEP * np.where(sums[:, k] != 0, np.abs(sums[:, k]), usual[k])
        above, below = sums.copy(), sums.copy()
        above[:, k] += step
        below[:, k] -= np.where(sums[:, k] != 0, step, 0.0)  # counts are never negative
        width = above[:, k] - below[:, k]
        with np.errstate(divide="ignore", invalid="ignore"):
            slope[:, k] = np.where(width > 0, (function(above) - function(below)) / width, 0.0)
    return slope


def _spread(parts: Values, weights: Weights) -> tuple[Values, Values]:
    """The standard error of the sum of parts and their skewness, a row of weights each."""
    n = weights.shape[1]
    mean = np.einsum("rn,rn->r", parts, weights) / n
    away = parts - mean[:, None]
    second = away * away
    second *= weights
    squares, cubes = second.sum(axis=1), np.einsum("rn,rn->r", second, away)
    with np.errstate(divide="ignore", invalid="ignore"):
        skewness = np.where(squares > 0, math.sqrt(n) * cubes / squares**1.5, 0.0)
    return np.sqrt(squares * (n / (n - 1))), skewness


def _interval(
    method: Method, value: float, influence: Values, samples: Values, spread: Spread | None
) -> Interval:
    defined = ~np.isnan(samples)
    if math.isnan(value) or np.isnan(influence).any() or defined.mean() < 1 - LOST:
        return Interval.none(UNDEFINED)
    if _standard_error(influence) <= _TINY * max(1.0, abs(value)):
        return Interval.none(CONSTANT)
    samples = samples[defined]
    if spread is not None:
        of_data = float(spread.error[-1]), float(spread.skewness[-1])
        resampled = Spread(spread.error[:-1][defined], spread.skewness[:-1][defined])
        found = _bootstrap_t(method, value, of_data, samples, resampled, len(influence))
        if found is not None:
            return found
    if method == "bca":
        return Interval(*bca_interval(value, influence, samples), method)
    return Interval(*percentile_interval(samples), "percentile")


def _standard_error(influence: Values) -> float:
    """By the jackknife: the standard error of a mean, if that is what the number is."""
    n = len(influence)
    return math.sqrt(float(((influence - influence.mean()) ** 2).sum()) / (n * (n - 1)))


def _bootstrap_t(
    method: Method,
    value: float,
    of_data: tuple[float, float],
    samples: Values,
    resampled: Spread,
    n: int,
) -> Interval | None:
    """Quantiles of t, (resampled value - value) / its standard error (Efron 1981).

    Hall's method takes the quantiles of a function of t that has no skewness, with the skewness
    of the resample, and goes back to t with that of the data. A resample without spread is
    infinitely far. None if that decides the quantiles: a few texts that differ among many that
    do not.
    """
    error, skewness = of_data
    if not error > 0:
        return None
    away = np.where(np.abs(samples - value) <= _TINY * error, 0.0, samples - value)
    flat = ~(resampled.error > _TINY_SPREAD * error)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(away == 0, 0.0, away / np.where(flat, 0.0, resampled.error))
    if method == "hall":
        t = np.where(flat, t, unskewed(np.where(flat, 0.0, t), resampled.skewness, n))
    level = hall_level(n) if method == "hall" else LEVEL
    with np.errstate(invalid="ignore"):  # between infinite ones
        low, high = np.quantile(t, [level, 1 - level], method="weibull")
    if not (math.isfinite(low) and math.isfinite(high)):
        return None
    if method == "hall":
        low, high = (skewed(float(end), skewness, n) for end in (low, high))
    return Interval(value - float(high) * error, value - float(low) * error, method)


# The transformation of Hall (1992): a cubic of t that rises everywhere, so that it can be undone.


def unskewed(t: Values, skewness: Values, n: int) -> Values:
    """t without the skewness that it has from that of n values, to the order of 1/n.

    With w = t / sqrt(n) and k a third of the skewness, w + k w^2 + k^2 w^3 / 3 and a constant.
    Its slope is (1 + k w)^2. Where that falls below LEAST_SLOPE the function goes on as a line:
    the cubic is flat at w = -1/k, and would send a quantile that comes near it anywhere. Skewness
    beyond MOST_SKEWED stays in t: in few values it is that of one or two of them.
    """
    skewness = np.clip(skewness, -MOST_SKEWED, MOST_SKEWED)
    w, k = t / math.sqrt(n), skewness / 3
    root = math.sqrt(LEAST_SLOPE)
    bent = 1 + k * w < root
    safe = np.where(bent, k, 1.0)  # never 0 where it is bent
    line = (root**3 - 1) / (3 * safe) + LEAST_SLOPE * (w - (root - 1) / safe)
    cubic = w + k * w**2 + k**2 * w**3 / 3
    return np.asarray(math.sqrt(n) * (np.where(bent, line, cubic) + skewness / (6 * n)))


def skewed(x: float, skewness: float, n: int) -> float:
    """The t whose :func:`unskewed` is x."""
    skewness = min(max(skewness, -MOST_SKEWED), MOST_SKEWED)
    y, k = x / math.sqrt(n) - skewness / (6 * n), skewness / 3
    if abs(k) < _TINY:
        return math.sqrt(n) * y
    root = math.sqrt(LEAST_SLOPE)
    cube = 1 + 3 * k * y
    if cube >= root**3:
        w = (math.exp(math.log(cube) / 3) - 1) / k
    else:
        w = (root - 1) / k + (y - (root**3 - 1) / (3 * k)) / LEAST_SLOPE
    return math.sqrt(n) * w


def hall_level(n: int) -> float:
    """The level of quantiles, below 2.5%: n values have shorter tails than what they come from.

    The level at which a normal distribution has the quantile of Student's t, as Hesterberg (2015)
    widens percentiles; at most halved, for the last resamples of very few texts say little.

    >>> [round(hall_level(n), 4) for n in (5, 10, 20, 50)]
    [0.0125, 0.0125, 0.0182, 0.0222]
    """
    return max(NormalDist().cdf(-t_975(n - 1)), LEVEL / 2)


def percentile_interval(values: Values) -> tuple[float, float]:
    """The middle 95% of resampled values."""
    if len(values) < 2:
        return math.nan, math.nan
    low, high = np.quantile(values, [0.025, 0.975])
    return float(low), float(high)


def bca_interval(value: float, influence: Values, samples: Values) -> tuple[float, float]:
    """Percentiles moved for bias and acceleration (Efron 1987)."""
    normal = NormalDist()
    centred = influence - influence.mean()
    acceleration = float((centred**3).sum()) / (6 * float((centred**2).sum()) ** 1.5)
    tiny = _TINY * max(1.0, abs(value))
    below = (samples < value - tiny).mean() + (np.abs(samples - value) <= tiny).mean() / 2
    bias = normal.inv_cdf(float(np.clip(below, 1 / (len(samples) + 1), 1 - 1 / (len(samples) + 1))))
    levels = []
    for level in (0.025, 0.975):
        z = bias + normal.inv_cdf(level)
        levels.append(normal.cdf(bias + z / (1 - acceleration * z)))
    low, high = np.quantile(samples, levels)
    return float(low), float(high)


def _normal(value: float, influence: Values) -> Interval:
    """The standard error and Student's t: with many texts all methods say the same."""
    if math.isnan(value) or np.isnan(influence).any():
        return Interval.none(UNDEFINED)
    error = _standard_error(influence)
    if error <= _TINY * max(1.0, abs(value)):
        return Interval.none(CONSTANT)
    margin = t_975(len(influence) - 1) * error
    return Interval(value - margin, value + margin, "normal")


def _clipped(interval: Interval, low: float, high: float) -> Interval:
    """Within what the metric can be."""
    if interval.low is None or interval.high is None:
        return interval
    return Interval(max(interval.low, low), min(interval.high, high), interval.method)


# Is there a difference at all?


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
        if differing.sum() <= MOST_EXACT:
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
    """Absolute differences after swaps, and the least that counts as that of the data."""
    left, right = a.sum(axis=0), b.sum(axis=0)
    reached = np.abs(one.function(left + moved) - other.function(right - moved))
    found = abs(float((one.function(left[None]) - other.function(right[None]))[0]))
    return reached, found - _TINY * max(1.0, found)


def _random_swaps(
    estimates: Sequence[Estimate], pairs: Sequence[tuple[int, int]], seed: int, count: int
) -> list[Test]:
    n = len(estimates[0].rows)
    rows = [one.one_row() for one in estimates]
    starts = np.cumsum([0, *(rows[i].shape[1] for i, _ in pairs)])
    columns = ExactColumns(np.column_stack([rows[j] - rows[i] for i, j in pairs]))
    extreme = np.zeros(len(pairs), dtype=np.int64)
    for start, size in _batches(n, count):
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
    """How often a resampled difference is as far from the found one as that is from 0.

    Anti-conservative with few texts: at a level of .05 it rejects .10 at 10 texts, .07 at 20.
    """
    samples = _resampled(estimates, pairs, seed, count)
    tests = []
    for k, (i, j) in enumerate(pairs, start=len(estimates)):
        found = estimates[i].value - estimates[j].value
        own = samples[k][~np.isnan(samples[k])]
        far = np.abs(own - found) >= abs(found) - _TINY * max(1.0, abs(found))
        tests.append(Test((int(far.sum()) + 1) / (len(own) + 1), len(own), False))
    return tests


def adjusted(p: Sequence[float], how: Adjustment) -> list[float]:
    """The p-values of one family: Holm (1979), or Benjamini and Hochberg (1995).

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


def kendall_tau(x: Sequence[float], y: Sequence[float]) -> float:
    """Kendall's tau-b of two rankings; NaN where one side has only ties.

    >>> kendall_tau([1, 2, 3], [1, 3, 2])
    0.3333333333333333
    """
    a, b = (np.sign(np.subtract.outer(np.asarray(v), np.asarray(v))) for v in (x, y))
    both = float(np.abs(a).sum()) * float(np.abs(b).sum())
    return float((a * b).sum()) / math.sqrt(both) if both else math.nan


# Numbers that are functions of weights: agreement.


def bootstrap(
    statistic: Callable[[Weights], Values], texts: int, *, seed: int, count: int
) -> Values:
    """The statistic of every resample of the texts; NaN where it is undefined."""
    return np.concatenate(
        [
            statistic(resamples(seed, texts, min(BATCH, count - first), first))
            for first in range(0, count, BATCH)
        ]
    )


def weighted_interval(
    statistic: Callable[[Weights], Values],
    texts: int,
    *,
    seed: int,
    count: int,
    method: Method | None = None,
    rough: Callable[[Weights], Values] | None = None,
) -> Interval:
    """An interval of any statistic of weighted texts, by the same methods.

    ``rough`` may stand for the statistic in the standard errors of resamples, where it is asked
    for once for every text of every resample.
    """
    if texts < FEWEST_TEXTS:
        return Interval.none(FEW)
    chosen = method_for(texts, method)
    value = float(statistic(np.ones((1, texts)))[0])
    left_out = np.ones((texts, texts)) - np.eye(texts)
    without = np.concatenate([statistic(left_out[i : i + BATCH]) for i in range(0, texts, BATCH)])
    influence = (texts - 1) * (value - without)
    if chosen == "normal":
        return _normal(value, influence)
    samples = bootstrap(statistic, texts, seed=seed, count=count)
    spread = None
    if chosen in ("hall", "t") and not np.isnan(influence).any():
        own = rough or statistic
        step = max(1, BATCH_ROWS // texts)
        found = [
            _weighted_spread(own, resamples(seed, texts, min(step, count - first), first))
            for first in range(0, count, step)
        ]
        found.append(_weighted_spread(own, np.ones((1, texts))))
        spread = Spread(*(np.concatenate(both) for both in zip(*found, strict=True)))
    return _interval(chosen, value, influence, samples, spread)


def _weighted_spread(
    statistic: Callable[[Weights], Values], weights: Weights
) -> tuple[Values, Values]:
    """Standard error and skewness at each row of weights, from the slope towards every text."""
    rows, texts = weights.shape
    moved = np.eye(texts) * _WEIGHT_STEP
    above = statistic((weights[:, None, :] + moved).reshape(-1, texts))
    below = statistic((weights[:, None, :] - moved).reshape(-1, texts))
    slopes = ((above - below) / (2 * _WEIGHT_STEP)).reshape(rows, texts)
    return _spread(np.where(weights > 0, slopes, 0.0), weights)


def jackknife_interval(value: float, without: Values) -> tuple[float, float]:
    """95% by leaving out one coder at a time (Tukey 1958), with Student's t.

    A bootstrap would pair a coder with itself, which is agreement of 1 that nobody reached.
    """
    known = without[~np.isnan(without)]
    n = len(known)
    if n < 3:
        return math.nan, math.nan
    error = math.sqrt((n - 1) / n * float(((known - known.mean()) ** 2).sum()))
    margin = t_975(n - 1) * error
    return value - margin, value + margin


def t_975(freedom: int) -> float:
    """The 97.5% quantile of Student's t."""
    if freedom <= len(T_975):
        return T_975[freedom - 1]
    z, n = 1.959963985, freedom  # its expansion (Fisher 1926), right to six digits from here on
    return (
        z
        + (z**3 + z) / (4 * n)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * n**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * n**3)
    )
