"""95% intervals of numbers that texts add up to, and of statistics of weighted texts."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from fencepost.blocks import map_blocks
from fencepost.metrics.registry import Values
from fencepost.options import RESAMPLES, Method
from fencepost.statistics.resampling import (
    BATCH_RESAMPLES,
    MAX_TEXTS_FOR_DISTINCT,
    ROUNDING,
    Estimate,
    ExactColumns,
    Weights,
    batches,
    blocks_of,
    bootstrap,
    chosen_of,
    distinct_resamples,
    ratio,
    resampled,
    resamples,
)
from fencepost.statistics.student import quantile

MIN_TEXTS_FOR_INTERVAL = 5
ROUGH_BELOW_TEXTS = 10  # below so many texts an interval comes with a warning
ROUGH_BELOW_GROUPS = 20
PERCENTILES_FROM_TEXTS = 100  # of agreement, whose bootstrap-t takes too long from here on
NORMAL_ABOVE_TEXTS = 10_000  # where resampling only repeats the standard error
TAIL = 0.025  # the share of resamples outside a 95% interval on either side
MAX_UNDEFINED_SHARE = 0.01  # of resamples
FLOOR_TEXTS = 0.5  # texts with the sample's variance that every resample's variance is mixed with
BATCH_ROWS = 2_000  # resamples times texts at a time when every text of a resample is moved
COUNT_STEP = 2.0**-10  # of derivatives, as a share; a power of two, so that sums stay exact
WEIGHT_STEP = 2.0**-6  # of derivatives by the weight of a text


class Interval(NamedTuple):
    """The bounds of 95%, and by which method; or why there are none."""

    low: float | None
    high: float | None
    method: Method | None = None
    why: str | None = None  # there are none; CONSTANT beside bounds: they follow from n and range

    @classmethod
    def none(cls, why: str) -> Interval:
        """Return no interval, and the reason."""
        return cls(None, None, None, why)


# Why there is no interval.
CONSTANT = "constant"
TOO_FEW = "few"
UNDEFINED = "undefined"


def method_for(texts: int, asked: Method | None = None) -> Method:
    """Return the bootstrap-t up to 10,000 texts, then the standard error."""
    return asked or ("t" if texts <= NORMAL_ABOVE_TEXTS else "normal")


class Spread(NamedTuple):
    """A standard error with its degrees of freedom."""

    error: float
    freedom: float

    @property
    def margin(self) -> float:
        """Half of the width of a 95% interval."""
        return t_975(self.freedom) * self.error


def spread(influence: Values, runs: Sequence[Estimate] = ()) -> Spread:
    """Return the standard error over texts, and over the runs of systems that have several.

    Over texts it is the jackknife's. Its degrees of freedom are n - 1 where the influences of
    texts are spread like normal values, and fewer where a few texts have most of the influence:
    the variance of a variance grows with the kurtosis. Runs are crossed with texts: the variance
    between the runs' values is added, less what texts and runs have in common, which the texts'
    part has already; the degrees of freedom of the sum are Satterthwaite's (1946).
    """
    n = len(influence)
    away = influence - influence.mean()
    squares = float((away**2).sum())
    fourth = float((away**4).sum())
    variance = squares / (n * (n - 1))
    freedom = min(n - 1.0, max(1.0, 3 * squares**2 / fourth - 1)) if fourth > 0 else n - 1.0
    if not any(one.runs > 1 for one in runs) or n < 2:
        return Spread(math.sqrt(variance), freedom)
    between, shared = 0.0, 0.0
    uncertain = 0.0  # of the variance: the sum of squared parts over their degrees of freedom
    for one in runs:
        if one.runs > 1:
            own, common = _run_variances(one)
            between, shared = between + own, shared + common
            uncertain += own**2 / (one.runs - 1) + common**2 / ((n - 1) * (one.runs - 1))
    more = between - shared
    if not more > 0:
        return Spread(math.sqrt(variance), freedom)
    total = variance + more
    uncertain += variance**2 / freedom
    return Spread(math.sqrt(total), max(1.0, total**2 / uncertain))


def _run_variances(one: Estimate) -> tuple[float, float]:
    """Return the variance of the mean over runs, and the part that texts and runs share."""
    values, influence = one.by_run()
    n, runs = len(one.rows), one.runs
    apart = influence - influence.mean(axis=1, keepdims=True)
    apart -= apart.mean(axis=0)
    shared = float((apart**2).sum()) / ((n - 1) * (runs - 1)) / (n * runs)
    return float(values.var(ddof=1)) / runs, shared


def intervals(
    estimates: Sequence[Estimate],
    pairs: Sequence[tuple[int, int]] = (),
    *,
    method: Method | None = None,
    seed: int = 12345,
    count: int = RESAMPLES,
    over_runs: bool = True,
) -> list[Interval]:
    """Return an interval for each estimate, then for the difference (first - second) of each pair.

    All estimates are about the same texts, and every resample is the same for all of them.
    Intervals of systems with several runs are about other runs too; without ``over_runs`` they
    are about these very runs.
    """
    if not estimates:
        return []
    n = len(estimates[0].rows)
    if n < MIN_TEXTS_FOR_INTERVAL:
        return [Interval.none(TOO_FEW)] * (len(estimates) + len(pairs))
    chosen = method_for(n, method)
    alone: dict[int, Interval] = {}
    differences: dict[int, Interval] = {}
    for own, theirs in blocks_of(len(estimates), pairs):
        used, inside = chosen_of(estimates, pairs, own, theirs)
        made = _intervals(used, inside, len(own), chosen, seed, count, over_runs)
        alone |= zip(own, made[: len(own)], strict=True)
        differences |= zip(theirs, made[len(own) :], strict=True)
    each = range(len(estimates)), range(len(pairs))
    return [alone[i] for i in each[0]] + [differences[k] for k in each[1]]


def _intervals(
    estimates: Sequence[Estimate],
    pairs: Sequence[tuple[int, int]],
    asked: int,
    chosen: Method,
    seed: int,
    count: int,
    over_runs: bool,
) -> list[Interval]:
    """Return the intervals of the first ``asked`` estimates, and of all pairs."""
    samples: Sequence[Values | None] = [None] * (len(estimates) + len(pairs))
    errors = samples
    if chosen == "t":
        samples, errors = _studentized(estimates, pairs, seed, count)
    elif chosen != "normal":
        samples = list(resampled(estimates, pairs, seed, count))
    found = []
    wanted = [*((i, (i,)) for i in range(asked)), *enumerate(pairs, start=len(estimates))]
    for k, of in wanted:
        own = [estimates[i] for i in of]
        stretch = own[0].stretch if chosen == "t" else 1.0
        one = _Sample(
            own[0].value - sum(other.value for other in own[1:]),
            stretch * (own[0].influence - sum(other.influence for other in own[1:])),
            _bounds(own),
            all(other.function is ratio for other in own),
            own if over_runs else (),
        )
        found.append(_interval(chosen, one, samples[k], errors[k]))
    return found


def _bounds(own: Sequence[Estimate]) -> tuple[float, float]:
    """Return what a number can be; a difference, as far as two numbers can be apart."""
    if len(own) == 1:
        return own[0].bounds
    width = max(one.bounds[1] for one in own) - min(one.bounds[0] for one in own)
    return -width, width


# The standard error of every resample. A value of sums is nearly linear in the rows, so a text's
# part in it is its row times the gradient, and the variance of the sum of parts is a quadratic
# form of the gradient with the resample's sums of products: again columns times weights.


class _Products:
    """Sums of products of centred columns, of one estimate or of two."""

    def __init__(self, one: Values, other: Values, start: int) -> None:
        first, second = (np.flatnonzero(np.ptp(rows, axis=0) > 0) for rows in (one, other))
        self.first, self.second = np.repeat(first, len(second)), np.tile(second, len(first))
        self.at = slice(start, start + len(self.first))

    def columns(self, one: Values, other: Values) -> Values:
        """Return the products, one row per text."""
        left, right = one - one.mean(axis=0), other - other.mean(axis=0)
        return np.asarray(left[:, self.first] * right[:, self.second])

    def form(self, slope: Values, other: Values, sums: Values) -> Values:
        """Return the quadratic form for each resample."""
        product = slope[:, self.first] * other[:, self.second]
        product *= sums[:, self.at]
        return np.asarray(product.sum(axis=1))


def _studentized(
    estimates: Sequence[Estimate], pairs: Sequence[tuple[int, int]], seed: int, count: int
) -> tuple[list[Values], list[Values]]:
    """Return the values of all resamples and their standard errors; last, those of the data."""
    n = len(estimates[0].rows)
    rows = [one.added for one in estimates]
    starts = np.cumsum([0, *(own.shape[1] for own in rows)])
    width = int(starts[-1])
    products: list[_Products] = []
    crossed: list[Values] = []
    for i, j in [*((i, i) for i in range(len(rows))), *pairs]:
        products.append(_Products(rows[i], rows[j], width))
        crossed.append(products[-1].columns(rows[i], rows[j]))
        width = products[-1].at.stop
    columns = ExactColumns(np.column_stack([*rows, *crossed]))
    functions = [one.function for one in estimates]
    usual = [np.abs(own).mean(axis=0) for own in rows]
    middle = [n * own.mean(axis=0) for own in rows]

    def of_sums(sums: Values) -> Values:
        """Return values and squared errors: a layer for each estimate, then for each pair."""
        found, slopes, shifts = [], [], []
        for i, function in enumerate(functions):
            part = sums[:, starts[i] : starts[i + 1]]
            slopes.append(_gradient(function, part, usual[i]))
            shifts.append((slopes[i] * (part - middle[i])).sum(axis=1))
            squares = products[i].form(slopes[i], slopes[i], sums) - shifts[i] ** 2 / n
            found.append((function(part), squares))
        for k, (i, j) in enumerate(pairs, start=len(functions)):
            both = products[k].form(slopes[i], slopes[j], sums) - shifts[i] * shifts[j] / n
            (one, errors), (other, others) = found[i], found[j]
            found.append((one - other, errors + others - 2 * both))
        return np.array(found)

    def of_batch(batch: tuple[int, int]) -> Values:
        return of_sums(columns.added(resamples(seed, n, batch[1], batch[0])))

    data = of_sums(columns.added(np.ones((1, n))))
    if n <= MAX_TEXTS_FOR_DISTINCT:
        weights, which = distinct_resamples(seed, n, count)
        each = np.concatenate([of_sums(columns.added(weights)), data], axis=2)
        every: Any = np.append(which, len(weights))
    else:
        each = np.concatenate([*map_blocks(of_batch, batches(n, count)), data], axis=2)
        every = slice(None)
    squares = np.maximum(np.nan_to_num(each[:, 1]), 0.0)
    errors = np.sqrt(squares * n / (n - 1))
    return list(each[:, 0, every]), list(errors[:, every])


def _gradient(function: Callable[[Values], Values], sums: Values, usual: Values) -> Values:
    """Return how much the value of each row of sums changes with each column."""
    slope = np.empty_like(sums)
    for k in range(sums.shape[1]):
        step = COUNT_STEP * np.where(sums[:, k] != 0, np.abs(sums[:, k]), usual[k])
        above, below = sums.copy(), sums.copy()
        above[:, k] += step
        below[:, k] -= np.where(sums[:, k] != 0, step, 0.0)  # counts are never negative
        width = above[:, k] - below[:, k]
        with np.errstate(divide="ignore", invalid="ignore"):
            slope[:, k] = np.where(width > 0, (function(above) - function(below)) / width, 0.0)
    return slope


class _Sample(NamedTuple):
    """What an interval is about: the number, each text's part, and what the number can be."""

    value: float
    influence: Values
    bounds: tuple[float, float] = (-math.inf, math.inf)
    is_mean: bool = False
    runs: Sequence[Estimate] = ()


def _interval(
    method: Method, of: _Sample, samples: Values | None, errors: Values | None
) -> Interval:
    """Return the interval; without ``samples``, by the standard error and Student's t."""
    value, influence = of.value, of.influence
    defined = np.ones(1, dtype=bool) if samples is None else ~np.isnan(samples)
    if math.isnan(value) or np.isnan(influence).any() or defined.mean() < 1 - MAX_UNDEFINED_SHARE:
        return Interval.none(UNDEFINED)
    over_texts = spread(influence)
    if over_texts.error <= ROUNDING * max(1.0, abs(value)):
        return _bound(of, method)
    both = spread(influence, of.runs)
    if method == "normal" and both == over_texts:
        both = Spread(both.error, len(influence) - 1.0)
    margin = both.margin
    low, high = value - margin, value + margin
    if samples is not None and errors is not None:
        ends = _bootstrap_t(of, over_texts.error, samples[defined], errors[defined])
        low, high = min(low, ends[0]), max(high, ends[1])
    elif samples is not None and method == "bca":
        low, high = bca_interval(value, influence, samples[defined])
    elif samples is not None:
        low, high = percentile_interval(samples[defined])
    return _clipped(value, low, high, of.bounds, method)


def _clipped(
    value: float, low: float, high: float, bounds: tuple[float, float], method: Method
) -> Interval:
    """Return the interval within the metric's range, which is no reason to exclude the value."""
    return Interval(min(value, max(low, bounds[0])), max(value, min(high, bounds[1])), method)


def _bound(of: _Sample, method: Method) -> Interval:
    """Return how far a mean can be from what all n texts have, if its values have a range.

    If a share q of all texts had other values, n texts without one would have the chance
    (1 - q)^n; it is 2.5% at the q used here, and those texts are at the ends of the range.
    """
    if method != "t" or not of.is_mean or not all(map(math.isfinite, of.bounds)):
        return Interval.none(CONSTANT)
    low, high = of.bounds
    share = 1 - TAIL ** (1 / len(of.influence))
    value = min(max(of.value, low), high)
    ends = value - share * (value - low), value + share * (high - value)
    return Interval(*ends, method, CONSTANT)


def normal_interval(
    value: float,
    n: int,
    sums: Values,
    products: Values,
    function: Callable[[Values], Values] | None,
    bounds: tuple[float, float],
) -> Interval:
    """Return the interval by the standard error, from sums over n texts and sums of products.

    ``function`` is that of added counts; None for the mean of one column. A mean has the interval
    that the texts themselves give. A function is taken as linear near the sums, so its interval
    differs from that of the jackknife by a share of about 1/n.
    """
    if n < MIN_TEXTS_FOR_INTERVAL:
        return Interval.none(TOO_FEW)
    slope = np.full(1, 1 / n)
    if function is not None:
        slope = _gradient(function, sums[None, :], np.abs(sums) / n)[0]
    if math.isnan(value) or np.isnan(slope).any():
        return Interval.none(UNDEFINED)
    mean = float(slope @ sums) / n
    spread = float(slope @ products @ slope) - n * mean * mean
    error = math.sqrt(max(spread, 0.0) * n / (n - 1))
    if error <= ROUNDING * max(1.0, abs(value)):
        return Interval.none(CONSTANT)
    margin = t_975(n - 1) * error
    return _clipped(value, value - margin, value + margin, bounds, "normal")


def _bootstrap_t(of: _Sample, error: float, samples: Values, errors: Values) -> tuple[float, float]:
    """Quantiles of t, (resampled value - value) / its standard error (Efron 1981).

    Variances of resamples are mixed with half a text's worth of the sample's variance: a
    resample without spread would be infinitely far, and with few texts, or a few that differ
    among many that do not, such resamples would decide. Last are the data's own.
    """
    n = len(of.influence)
    floor = FLOOR_TEXTS * errors[-1] ** 2
    mixed = np.sqrt(((n - 1) * errors[:-1] ** 2 + floor) / (n - 1 + FLOOR_TEXTS))
    away = samples[:-1] - of.value
    away[np.abs(away) <= ROUNDING * error] = 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(away == 0, 0.0, away / mixed)
    low, high = np.quantile(t, [TAIL, 1 - TAIL], method="weibull")
    return of.value - float(high) * error, of.value - float(low) * error


def percentile_interval(values: Values) -> tuple[float, float]:
    """Return the middle 95% of resampled values."""
    if len(values) < 2:
        return math.nan, math.nan
    low, high = np.quantile(values, [0.025, 0.975])
    return float(low), float(high)


def bca_interval(value: float, influence: Values, samples: Values) -> tuple[float, float]:
    """Return percentiles moved for bias and acceleration (Efron 1987)."""
    from statistics import NormalDist  # slow to import, and only bca needs it

    normal = NormalDist()
    centred = influence - influence.mean()
    acceleration = float((centred**3).sum()) / (6 * float((centred**2).sum()) ** 1.5)
    tiny = ROUNDING * max(1.0, abs(value))
    below = (samples < value - tiny).mean() + (np.abs(samples - value) <= tiny).mean() / 2
    bias = normal.inv_cdf(float(np.clip(below, 1 / (len(samples) + 1), 1 - 1 / (len(samples) + 1))))
    levels = []
    for level in (0.025, 0.975):
        z = bias + normal.inv_cdf(level)
        levels.append(normal.cdf(bias + z / (1 - acceleration * z)))
    low, high = np.quantile(samples, levels)
    return float(low), float(high)


def weighted_interval(
    statistic: Callable[[Weights], Values],
    texts: int,
    *,
    seed: int,
    count: int,
    method: Method | None = None,
    rough: Callable[[Weights], Values] | None = None,
) -> Interval:
    """Return an interval of any statistic of weighted texts, by the same methods.

    ``rough`` may stand for the statistic in the standard errors of resamples, where it is asked
    for once for every text of every resample.
    """
    if texts < MIN_TEXTS_FOR_INTERVAL:
        return Interval.none(TOO_FEW)
    chosen = method or method_for(texts)
    if method is None and PERCENTILES_FROM_TEXTS <= texts <= NORMAL_ABOVE_TEXTS:
        chosen = "percentile"
    value = float(statistic(np.ones((1, texts)))[0])
    left_out = np.ones((texts, texts)) - np.eye(texts)
    without = np.concatenate(
        [statistic(left_out[i : i + BATCH_RESAMPLES]) for i in range(0, texts, BATCH_RESAMPLES)]
    )
    influence = (texts - 1) * (value - without)
    if chosen == "normal":
        return _interval(chosen, _Sample(value, influence), None, None)
    samples = bootstrap(statistic, texts, seed=seed, count=count)
    errors = None
    if chosen == "t" and not np.isnan(influence).any():
        own = rough or statistic
        errors = bootstrap(
            lambda weights: _weighted_errors(own, weights),
            texts,
            seed=seed,
            count=count,
            at_once=max(1, BATCH_ROWS // texts),
        )
        errors = np.append(errors, _weighted_errors(own, np.ones((1, texts))))
        samples = np.append(samples, value)
    return _interval(chosen, _Sample(value, influence), samples, errors)


def _weighted_errors(statistic: Callable[[Weights], Values], weights: Weights) -> Values:
    """Return the standard error at each row of weights, from the slope of every text.

    Texts that a resample does not hold have no part in it.
    """
    slopes = np.zeros(weights.shape)
    row, text = np.nonzero(weights)
    each = np.arange(len(row))
    above, below = weights[row], weights[row]
    above[each, text] += WEIGHT_STEP
    below[each, text] -= WEIGHT_STEP
    slopes[row, text] = (statistic(above) - statistic(below)) / (2 * WEIGHT_STEP)
    mean = (slopes * weights).sum(axis=1, keepdims=True) / weights.shape[1]
    squares = (weights * (slopes - mean) ** 2).sum(axis=1)
    return np.asarray(np.sqrt(squares * (weights.shape[1] / (weights.shape[1] - 1))))


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


def share_interval(share: float, n: int) -> tuple[float, float]:
    """Return the score interval of a share of n (Wilson 1927).

    >>> [round(end, 3) for end in share_interval(0.5, 10)]
    [0.237, 0.763]
    """
    z = 1.959963985
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(share * (1 - share) / n + (z / (2 * n)) ** 2) / (1 + z * z / n)
    return max(0.0, middle - half), min(1.0, middle + half)


def t_975(freedom: float) -> float:
    """Return the 97.5% quantile of Student's t."""
    return quantile(freedom, TAIL)
