"""Systems compared with each other: differences with intervals and p, and rankings by metric."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fencepost.metrics.registry import Recipe
from fencepost.scoring.tables import Table
from fencepost.statistics.intervals import Interval

if TYPE_CHECKING:
    from fencepost.scoring.summary import Summary
    from fencepost.statistics.tests import Test

COMPARISON = (
    "metric",
    "average",
    "system",
    "against",
    "difference",
    "low",
    "high",
    "p",
    "p_adjusted",
    "wins",
    "ties",
    "losses",
    "n",
    "signature",
)
RANKINGS = ("average", "metric", "other", "tau")
SAME = 1e-12  # values of texts that differ by less are tied

Pair = tuple[int, int]  # numbers of two cells: a system, and the one it is compared with


def pairs_to_compare(summary: Summary) -> list[Pair]:
    """Cells to compare: (system, the one it is compared with), in the headline's reference."""
    choices = summary.choices
    if not choices.paired:
        return []
    systems = summary.compared()
    baseline = choices.baseline or systems[0]
    if choices.all_pairs:
        wanted = [(b, a) for k, a in enumerate(systems) for b in systems[k + 1 :]]
    else:
        wanted = [(system, baseline) for system in systems if system != baseline]
    cells = {
        (n.recipe, n.average, n.system): i
        for i, n in enumerate(summary.numbers)
        if n.estimate is not None and n.reference == summary.headline
    }
    return [
        (cells[recipe, average, one], cells[recipe, average, other])
        for recipe in range(len(summary.counts.recipes))
        for average in choices.averages
        for one, other in wanted
        if (recipe, average, one) in cells and (recipe, average, other) in cells
    ]


def run_tests(summary: Summary) -> dict[Pair, Test]:
    """The test of every pair of cells."""
    from fencepost.statistics.tests import paired_bootstrap, randomization

    choices = summary.choices
    test = randomization if choices.paired == "randomization" else paired_bootstrap
    tests: dict[Pair, Test] = {}
    for own in summary.same_texts():
        place = {i: k for k, i in enumerate(own)}
        pairs = [(i, j) for i, j in summary.pairs if i in place]
        if pairs:
            done = test(
                [summary.estimate(i) for i in own],
                [(place[i], place[j]) for i, j in pairs],
                seed=choices.seed,
                count=choices.resamples,
            )
            tests |= dict(zip(pairs, done, strict=True))
    return tests


def compare(summary: Summary, tests: Mapping[Pair, Test], bounds: Mapping[Pair, Interval]) -> Table:
    """The table of differences, p adjusted over all of them."""
    from fencepost.statistics.tests import adjusted

    choices, pairs = summary.choices, summary.pairs
    raised = adjusted([tests[pair].p for pair in pairs], choices.adjust or "holm")
    rows = [
        _comparison(summary, pair, tests[pair], p, bounds.get(pair))
        for pair, p in zip(pairs, raised, strict=True)
    ]
    facts = {
        "test": choices.paired,
        "exact": sum(one.exact for one in tests.values()),  # comparisons with all swaps
        "resamples": choices.resamples,
        "seed": choices.seed,
        "over": choices.resample,
        "adjust": choices.adjust or "holm",
        "family": len(pairs),
        "all_pairs": choices.all_pairs,
        "against": None if choices.all_pairs else choices.baseline or summary.compared()[0],
    }
    return Table(COMPARISON, tuple(rows), name="comparisons", facts=facts)


def _comparison(
    summary: Summary, pair: Pair, test: Test, raised: float, interval: Interval | None
) -> dict[str, Any]:
    choices = summary.choices
    one, other = (summary.numbers[i] for i in pair)
    recipe = summary.counts.recipes[one.recipe]
    away = one.by_text - other.by_text
    above, below = int((away > SAME).sum()), int((away < -SAME).sum())
    wins, losses = (below, above) if recipe.metric.better == "lower" else (above, below)
    how = "exact" if test.exact else str(choices.resamples)
    context = summary.context(one, interval, other)._replace(
        test=f"{choices.paired},{how}",
        against="" if choices.all_pairs else other.system,
        pairs="all" if choices.all_pairs else "",
        adjust=f"{choices.adjust or 'holm'},{len(summary.pairs)}",
        group=summary.counts.context.group,
        seed=str(choices.seed),
    )
    cells = (
        recipe.name, one.average, one.system, other.system, one.value - other.value,
        interval.low if interval else None, interval.high if interval else None,
        test.p, raised, wins, len(away) - wins - losses, losses, one.n,
        recipe.signature(context),
    )  # fmt: skip
    return dict(zip(COMPARISON, cells, strict=True))


# Which system is best?


Goodness = Mapping[tuple[int, str], Sequence[float]]  # of each system, by recipe and average


def goodness(summary: Summary) -> Goodness:
    """How good systems are by every metric, higher is better; without what is undefined."""
    good: dict[tuple[int, str], list[float]] = {}
    systems = summary.compared()
    for number in summary.numbers:
        if number.reference == summary.headline and number.system in systems:
            better = summary.counts.recipes[number.recipe].metric.better
            sign = -1 if better == "lower" else 1
            good.setdefault((number.recipe, number.average), []).append(sign * number.value)
    return {
        key: own for key, own in good.items() if np.isfinite(own).all() and len(own) == len(systems)
    }


def rankings(recipes: Sequence[Recipe], good: Goodness) -> Table:
    """Kendall's tau between the rankings of systems that every two metrics give."""
    from fencepost.statistics.ranks import kendall

    titles = names(recipes)
    keys = list(good)
    rows = [
        {
            "average": one[1],
            "metric": titles[one[0]],
            "other": titles[other[0]],
            "tau": kendall(good[one], good[other]),
        }
        for k, one in enumerate(keys)
        for other in keys[k + 1 :]
        if one[1] == other[1]
    ]
    return Table(RANKINGS, tuple(rows), name="rankings")


def winners(
    recipes: Sequence[Recipe], systems: Sequence[str], good: Goodness, average: str
) -> dict[str, list[str]]:
    """Systems that are best alone by some metric, and by which."""
    found: dict[str, list[str]] = {}
    for (recipe, own), values in good.items():
        best = [s for s, v in zip(systems, values, strict=True) if v >= max(values) - SAME]
        if own == average and len(best) == 1:
            found.setdefault(best[0], []).append(recipes[recipe].name)
    return found


def lowest_tau(table: Table, average: str) -> float:
    """The lowest tau between two rankings; NaN where none is defined."""
    taus = [row["tau"] for row in table.rows if row["average"] == average]
    return min((t for t in taus if not math.isnan(t)), default=math.nan)


def names(recipes: Sequence[Recipe]) -> list[str]:
    """What metrics are called; with their settings where one stands twice."""
    # What a title adds to the metric's own: which segments of words were measured.
    plain = [recipe.name + recipe.title.removeprefix(recipe.metric.title) for recipe in recipes]
    return [
        str(recipe.signature()) if plain.count(name) > 1 else name
        for recipe, name in zip(recipes, plain, strict=True)
    ]
