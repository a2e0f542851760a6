"""How many texts it takes to see a difference between two systems."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from fencepost.checks import MetricError
from fencepost.metrics.base import Values
from fencepost.result import Table
from fencepost.statistics import Estimate, randomization, t_975

FEWEST_DIFFERENCES = 5
Simulate = Callable[[int, int], Any]  # texts, seed -> paired differences of as many texts


@dataclass(frozen=True)
class Power:
    """Texts needed to see a difference, and the range that the variance leaves open."""

    texts: int
    low: int
    high: int
    difference: float
    deviation: float  # of the differences of single texts
    power: float
    alpha: float
    pilot: int  # texts that the deviation was estimated from

    def __str__(self) -> str:
        return (
            f"{self.texts} texts (from {self.low} to {self.high}) to see a difference of "
            f"{self.difference:g} with a power of {self.power:g} at {self.alpha:g}; the "
            f"differences of {self.pilot} texts have a deviation of {self.deviation:.3g}"
        )


def power(
    given: Any = None,
    *,
    difference: float,
    metric: str | None = None,
    systems: tuple[str, str] | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
    simulate: Simulate | None = None,
    texts: Sequence[int] = (10, 20, 50, 100, 200),
    times: int = 500,
    seed: int = 12345,
) -> Power | Table:
    """Texts needed to see a mean difference of this size between two systems.

    ``given`` is a table of ``fp.score`` with two systems (name the ``metric`` and, of more than
    two, the ``systems``), or the paired differences themselves. Only their variance is used: the
    ``difference`` is the one that would matter to you. The difference that was found says nothing
    here; power at the observed effect is p in other words (Hoenig and Heisey 2001). ``low`` and
    ``high`` come from the 95% interval of the variance (jackknife of its logarithm).

    n is that of the normal approximation, (z + z')^2 s^2 / d^2, and z^2/2 more for Student's t.

    With ``simulate``, a function of a number of texts and a seed that gives paired differences
    (two noisy segmenters on artificial texts, say), the answer is a table instead: for each of
    ``texts`` the share of ``times`` simulated experiments in which the randomization test finds
    something.

    >>> import fencepost as fp
    >>> found = fp.power([0.1, -0.05, 0.2, 0.0, 0.1, 0.15, -0.1, 0.05], difference=0.05)
    >>> found.texts, found.low, found.high
    (35, 13, 97)
    """
    _check_share("power", power)
    _check_share("alpha", alpha)
    if isinstance(difference, bool) or not isinstance(difference, (int, float)):
        raise MetricError(f"difference must be a number, found {difference!r}")
    if simulate is not None:
        if given is not None:
            raise MetricError("give differences of texts or a simulation, not both")
        return _simulated(simulate, difference, alpha, texts, times, seed)
    if not math.isfinite(difference) or difference == 0:
        raise MetricError(f"difference must be a number other than 0, found {difference!r}")
    values = _differences(given, metric, systems)
    n = len(values)
    variance = float(values.var(ddof=1))
    if variance <= 1e-20:
        raise MetricError("the differences are the same in all texts: they tell no variance")
    low, high = _variance_interval(values)
    return Power(
        _texts_for(variance, difference, power, alpha),
        _texts_for(low, difference, power, alpha),
        _texts_for(high, difference, power, alpha),
        abs(float(difference)),
        math.sqrt(variance),
        power,
        alpha,
        n,
    )


def _check_share(name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < 1:
        raise MetricError(f"{name} must be a number between 0 and 1, found {value!r}")


def _texts_for(variance: float, difference: float, power: float, alpha: float) -> int:
    normal = NormalDist()
    z = normal.inv_cdf(1 - alpha / 2)
    n = (z + normal.inv_cdf(power)) ** 2 * variance / difference**2 + z**2 / 2
    return math.ceil(n)


def _variance_interval(values: Values) -> tuple[float, float]:
    """95% of the variance: a jackknife of its logarithm, which asks for no normal distribution."""
    n = len(values)
    left = (values.sum() - values) / (n - 1)
    squares = ((values**2).sum() - values**2) - (n - 1) * left**2
    without = np.log(np.maximum(squares / (n - 2), 1e-300))
    error = math.sqrt((n - 1) / n * float(((without - without.mean()) ** 2).sum()))
    margin = t_975(n - 1) * error
    variance = float(values.var(ddof=1))
    return variance * math.exp(-margin), variance * math.exp(min(margin, 50))


def _differences(given: Any, metric: str | None, systems: tuple[str, str] | None) -> Values:
    if isinstance(given, Table):
        return _from_table(given, metric, systems)
    try:
        values = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.empty((0, 0))
    if values.ndim != 1:
        raise MetricError("give a table of fp.score, or a list of paired differences")
    if not np.isfinite(values).all():
        raise MetricError("a difference is not a number: leave undefined texts out")
    if len(values) < FEWEST_DIFFERENCES:
        raise MetricError(
            f"{len(values)} texts tell too little about the variance: give at least "
            f"{FEWEST_DIFFERENCES}"
        )
    return values


def _from_table(table: Table, metric: str | None, systems: tuple[str, str] | None) -> Values:
    part = table.part("per-text")
    metrics = list(dict.fromkeys(part.column("metric")))
    if metric is None and len(metrics) > 1:
        raise MetricError(f"say which metric: {', '.join(metrics)}")
    if metric is not None and metric not in metrics:
        raise MetricError(f"the table has no metric {metric!r}; it has {', '.join(metrics)}")
    names = list(dict.fromkeys(part.column("system")))
    if systems is None and len(names) != 2:
        raise MetricError(f"say which two systems: {', '.join(names)}")
    pair = tuple(names) if systems is None else tuple(systems)
    if len(pair) != 2 or not set(pair) <= set(names):
        raise MetricError(f"systems are two of {', '.join(names)}, found {pair}")
    found: dict[str, dict[str, list[float]]] = {name: {} for name in pair}
    for row in part.rows:
        if row["metric"] == (metric or metrics[0]) and row["system"] in found:
            found[row["system"]].setdefault(row["text"], []).append(row["value"])
    one, other = (
        {text: math.fsum(own) / len(own) for text, own in found[name].items()} for name in pair
    )
    away = [one[text] - other[text] for text in one]
    return _differences([d for d in away if not math.isnan(d)], None, None)


def _simulated(
    simulate: Simulate,
    difference: float,
    alpha: float,
    texts: Sequence[int],
    times: int,
    seed: int,
) -> Table:
    """How often the randomization test finds a simulated difference, and how large that was."""
    rows = []
    for n in texts:
        draws = [np.asarray(simulate(n, seed + k), dtype=np.float64) for k in range(times)]
        for own in draws:
            if own.shape != (n,) or not np.isfinite(own).all():
                raise MetricError(f"the simulation of {n} texts must give {n} differences")
        found = sum(_p(own, seed) <= alpha for own in draws)
        share = found / times
        error = math.sqrt(share * (1 - share) / times)
        mean = float(np.mean([own.mean() for own in draws]))
        rows.append(
            {
                "texts": n,
                "power": share,
                "standard_error": error,
                "difference": mean,
                "enough": abs(mean) >= abs(difference),
            }
        )
    columns = ("texts", "power", "standard_error", "difference", "enough")
    return Table(columns, tuple(rows), name="power")


def _p(differences: Values, seed: int) -> float:
    one, none = (
        Estimate(np.column_stack((own, np.ones(len(own)))), _mean)
        for own in (differences, np.zeros(len(differences)))
    )
    return randomization([one, none], [(0, 1)], seed=seed, count=999)[0].p


def _mean(sums: Values) -> Values:
    return np.asarray(sums[:, 0] / sums[:, 1])
