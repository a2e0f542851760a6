"""How well measures agree with people's judgements of systems: Pearson's r and Kendall's tau."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import partial
from itertools import product
from typing import Any

from fencepost.metrics import METRICS
from fencepost.metrics.registry import Values
from fencepost.metrics.signature import Signature
from fencepost.model.checks import MetricError
from fencepost.scoring.tables import Table
from fencepost.statistics.ranks import (
    kendall,
    kendall_interval,
    paired_columns,
    pearson,
    pearson_interval,
)

COLUMNS = (
    "measure",
    "judgement",
    "coefficient",
    "systems",
    "value",
    "low",
    "high",
    "better",
    "signature",
)

_Value = Callable[[Any, Any], float]
_Interval = Callable[[Any, Any], tuple[float, float]]


def correlation(
    scores: Mapping[str, Mapping[str, float]],
    judgements: Mapping[str, Mapping[str, float]],
    *,
    lower: Collection[str] | None = None,
    level: float = 0.95,
    draws: int = 2000,
    seed: int = 12345,
) -> Table:
    """Correlate every measure with every judgement over systems (Figures 1 to 3 of the paper).

    ``scores`` are values by measure and system, ``judgements`` by question and system, higher
    being better. ``lower`` names the measures whose low end is good (those of METRICS are known);
    their sign is turned, so that 1 is perfect for all. Pearson's interval is Fisher's, Kendall's
    is a seeded bootstrap over systems.

    >>> scores = {"wer": {"A": .37, "B": .40, "C": .41, "D": .48}}
    >>> people = {"adequacy": {"A": 3.5, "B": 3.1, "C": 3.2, "D": 2.4}}
    >>> for row in correlation(scores, people):
    ...     print(row["coefficient"], round(row["value"], 3))
    pearson 0.985
    kendall 0.667
    """
    if not scores or not judgements:
        raise MetricError("a correlation needs scores and judgements; one of them is empty")
    known = _error_rates() if lower is None else frozenset(lower)
    fisher = {"interval": "fisher-z"}
    bootstrap = {"tau": "b", "interval": "bootstrap", "draws": str(draws), "seed": str(seed)}
    of_tau = partial(kendall_interval, level=level, draws=draws, seed=seed)
    tests: tuple[tuple[str, _Value, _Interval, dict[str, str]], ...] = (
        ("pearson", pearson, partial(pearson_interval, level=level), fisher),
        ("kendall", kendall, of_tau, bootstrap),
    )
    rows = []
    for (measure, values), (question, people) in product(scores.items(), judgements.items()):
        better = "lower" if known & {measure, measure.lower().replace("-", "_")} else "higher"
        x, y = _by_system(measure, values, question, people)
        x = -x if better == "lower" else x
        for name, coefficient, interval, more in tests:
            fields = {"measure": measure, **more, "level": f"{level:g}"}
            found = (len(x), coefficient(x, y), *interval(x, y), better)
            cells = (measure, question, name, *found, Signature.build(name, fields))
            rows.append(dict(zip(COLUMNS, cells, strict=True)))
    return Table(COLUMNS, tuple(rows), name="correlation")


def _error_rates() -> frozenset[str]:
    """Return the names of metrics whose low end is good; CER is WER of characters."""
    metrics = [one for one in METRICS.values() if one.better == "lower"]
    names = (name for one in metrics for name in (one.name, *one.aliases))
    return frozenset({*names, "cer", "as_cer"})


def _by_system(
    measure: str, values: Mapping[str, float], question: str, people: Mapping[str, float]
) -> tuple[Values, Values]:
    """Both columns in the same order of systems."""
    for side, own, other in ((measure, values, people), (question, people, values)):
        alone = [name for name in own if name not in other]
        if alone:
            raise MetricError(
                f"{measure} and {question} must be of the same systems; only {side} has "
                f"{', '.join(alone)}"
            )
    return paired_columns([values[name] for name in values], [people[name] for name in values])
