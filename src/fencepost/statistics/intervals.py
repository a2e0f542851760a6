"""95% intervals of numbers that texts add up to, and of statistics of weighted texts."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from fencepost.metrics.registry import Values
from fencepost.options import RESAMPLES, Method
from fencepost.statistics.resampling import (
    BATCH_RESAMPLES,
    ROUNDING,
    Estimate,
    ExactColumns,
    Weights,
    batches,
    bootstrap,
    resampled,
    resamples,
)

MIN_TEXTS_FOR_INTERVAL = 5
ROUGH_BELOW_TEXTS = 10  # below so many texts an interval comes with a warning
ROUGH_BELOW_GROUPS = 20
PERCENTILES_FROM_TEXTS = 100  # where the percentile interval covers as it should
NORMAL_ABOVE_TEXTS = 10_000  # where resampling only repeats the standard error
TAIL = 0.025  # the share of resamples outside a 95% interval on either side
MAX_UNDEFINED_SHARE = 0.01  # of resamples
SPREAD_ROUNDING = 1e-6  # standard errors below this are rounding: roots of differences
BATCH_ROWS = 2_000  # resamples times texts at a time when every text of a resample is moved
COUNT_STEP = 2.0**-10  # of derivatives, as a share; a power of two, so that sums stay exact
WEIGHT_STEP = 2.0**-6  # of derivatives by the weight of a text

# Quantiles of Student's t, 97.5%, for 1, 2, 3, ... degrees of freedom (any table of it).
T_975 = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
    2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
    2.052, 2.048, 2.045, 2.042,
)  # fmt: skip


class Interval(NamedTuple):
    """The bounds of 95%, and by which method; or why there are none."""

    low: float | None
    high: float | None
    method: Method | None = None
    why: str | None = None

    @classmethod
    def none(cls, why: str) -> Interval:
        """Return no interval, and the reason."""
        return cls(None, None, None, why)


# Why there is no interval.
CONSTANT = "constant"
TOO_FEW = "few"
UNDEFINED = "undefined"


def method_for(texts: int, asked: Method | None = None) -> Method:
    """Return the bootstrap-t below 100 texts, percentiles from there, then the standard error."""
    if asked is not None:
        return asked
    if texts < PERCENTILES_FROM_TEXTS:
        return "t"
    return "percentile" if texts <= NORMAL_ABOVE_TEXTS else "normal"


def intervals(
    estimates: Sequence[Estimate],
    pairs: Sequence[tuple[int, int]] = (),
    *,
    method: Method | None = None,
    seed: int = 12345,
    count: int = RESAMPLES,
    resample_runs: bool = False,
) -> list[Interval]:
    """Return an interval for each estimate, then for the difference (first - second) of each pair.

    All estimates are about the same texts, and every resample is the same for all of them.
    """
    if not estimates:
        return []
    n = len(estimates[0].rows)
    if n < MIN_TEXTS_FOR_INTERVAL:
        return [Interval.none(TOO_FEW)] * (len(estimates) + len(pairs))
    chosen: Method = "percentile" if resample_runs else method_for(n, method)
    values = [one.value for one in estimates]
    influence = [(n - 1) * (one.value - one.without()) for one in estimates]
    bounds = [one.bounds for one in estimates]
    for i, j in pairs:
        values.append(values[i] - values[j])
        influence.append(influence[i] - influence[j])
        width = max(bounds[i][1], bounds[j][1]) - min(bounds[i][0], bounds[j][0])
        bounds.append((-width, width))
    none: Sequence[Values | None] = [None] * len(values)
    resampling = chosen != "normal"
    samples = resampled(estimates, pairs, seed, count, resample_runs) if resampling else none
    errors = _resampled_errors(estimates, pairs, seed, count) if chosen == "t" else none
    each = zip(values, influence, samples, errors, strict=True)
    found = [_interval(chosen, *one) for one in each]
    return [_clipped(one, *ends) for one, ends in zip(found, bounds, strict=True)]


# The standard error of every resample. A value of sums is nearly linear in the rows, so a text's
# part in it is its row times the gradient, and the standard error is that of the sum of parts.


def _resampled_errors(
    estimates: Sequence[Estimate], pairs: Sequence[tuple[int, int]], seed: int, count: int
) -> Values:
    """Return the standard error of every resample, and behind the last, of the data."""
    n = len(estimates[0].rows)
    rows = [one.one_row() for one in estimates]
    columns = [ExactColumns(own) for own in rows]
    errors = np.empty((len(estimates) + len(pairs), count + 1))

    def fill(at: slice, weights: Weights) -> None:
        parts = []
        for one, own, exact in zip(estimates, rows, columns, strict=True):
            slope = _gradient(one.function, exact.added(weights), np.abs(own).mean(axis=0))
            parts.append(np.einsum("rk,nk->rn", slope, own))
        parts += [parts[i] - parts[j] for i, j in pairs]
        for k, part in enumerate(parts):
            errors[k, at] = _errors(part, weights)

    for start, size in batches(n * (len(estimates) + len(pairs)), count):
        fill(slice(start, start + size), resamples(seed, n, size, start))
    fill(slice(count, count + 1), np.ones((1, n)))
    return errors


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


def _errors(parts: Values, weights: Weights) -> Values:
    """Return the standard error of the sum of parts, for each row of weights."""
    n = weights.shape[1]
    mean = np.einsum("rn,rn->r", parts, weights) / n
    away = parts - mean[:, None]
    squares = away * away
    squares *= weights
    return np.asarray(np.sqrt(squares.sum(axis=1) * (n / (n - 1))))


def _interval(
    method: Method,
    value: float,
    influence: Values,
    samples: Values | None,
    errors: Values | None,
) -> Interval:
    """Return the interval; without ``samples``, by the standard error and Student's t."""
    defined = np.ones(1, dtype=bool) if samples is None else ~np.isnan(samples)
    if math.isnan(value) or np.isnan(influence).any() or defined.mean() < 1 - MAX_UNDEFINED_SHARE:
        return Interval.none(UNDEFINED)
    error = _standard_error(influence)
    if error <= ROUNDING * max(1.0, abs(value)):
        return Interval.none(CONSTANT)
    if samples is None:
        margin = t_975(len(influence) - 1) * error
        return Interval(value - margin, value + margin, "normal")
    samples = samples[defined]
    if errors is not None:
        found = _bootstrap_t(value, float(errors[-1]), samples, errors[:-1][defined])
        if found is not None:
            return found
    if method == "bca":
        return Interval(*bca_interval(value, influence, samples), method)
    return Interval(*percentile_interval(samples), "percentile")


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
    return _clipped(Interval(value - margin, value + margin, "normal"), *bounds)


def _standard_error(influence: Values) -> float:
    """Return the standard error by the jackknife: of a mean, if the number is one."""
    n = len(influence)
    return math.sqrt(float(((influence - influence.mean()) ** 2).sum()) / (n * (n - 1)))


def _bootstrap_t(value: float, error: float, samples: Values, errors: Values) -> Interval | None:
    """Quantiles of t, (resampled value - value) / its standard error (Efron 1981).

    A resample without spread is infinitely far. None if that decides the quantiles: a few texts
    that differ among many that do not.
    """
    if not error > 0:
        return None
    away = np.where(np.abs(samples - value) <= ROUNDING * error, 0.0, samples - value)
    flat = ~(errors > SPREAD_ROUNDING * error)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(away == 0, 0.0, away / np.where(flat, 0.0, errors))
    with np.errstate(invalid="ignore"):  # between infinite ones
        low, high = np.quantile(t, [TAIL, 1 - TAIL], method="weibull")
    if not (math.isfinite(low) and math.isfinite(high)):
        return None
    return Interval(value - float(high) * error, value - float(low) * error, "t")


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


def _clipped(interval: Interval, low: float, high: float) -> Interval:
    """Within what the metric can be."""
    if interval.low is None or interval.high is None:
        return interval
    return Interval(max(interval.low, low), min(interval.high, high), interval.method)


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
    chosen = method_for(texts, method)
    value = float(statistic(np.ones((1, texts)))[0])
    left_out = np.ones((texts, texts)) - np.eye(texts)
    without = np.concatenate(
        [statistic(left_out[i : i + BATCH_RESAMPLES]) for i in range(0, texts, BATCH_RESAMPLES)]
    )
    influence = (texts - 1) * (value - without)
    if chosen == "normal":
        return _interval(chosen, value, influence, None, None)
    samples = bootstrap(statistic, texts, seed=seed, count=count)
    errors = None
    if chosen == "t" and not np.isnan(influence).any():
        own = rough or statistic
        step = max(1, BATCH_ROWS // texts)
        found = [
            _weighted_errors(own, resamples(seed, texts, min(step, count - first), first))
            for first in range(0, count, step)
        ]
        errors = np.concatenate([*found, _weighted_errors(own, np.ones((1, texts)))])
    return _interval(chosen, value, influence, samples, errors)


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
    return _errors(slopes, weights)


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
    """Return the 97.5% quantile of Student's t."""
    if freedom <= len(T_975):
        return T_975[freedom - 1]
    z, n = 1.959963985, freedom  # its expansion (Fisher 1926), right to six digits from here on
    return (
        z
        + (z**3 + z) / (4 * n)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * n**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * n**3)
    )
