"""Systems compared with each other: differences with intervals and p, and rankings by metric."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fencepost.metrics.registry import Recipe
from fencepost.model.checks import MetricError
from fencepost.options import Adjustment
from fencepost.scoring.tables import Table
from fencepost.statistics.intervals import Interval, share_interval, spread

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
    "won",  # the share of texts won, ties by half
    "won_low",
    "won_high",
    "standardized",  # the difference in standard deviations of the texts' differences
    "n",
    "signature",
)
EQUIVALENCE = ("margin", "p_equivalent", "verdict")
RANKINGS = ("average", "metric", "other", "tau")
OVER_RUNS = "satterthwaite"  # the test over texts and runs, in signatures
LEVEL = 0.05  # of tests whose verdict is put in a word
SAME = 1e-12  # values of texts that differ by less are tied

Pair = tuple[int, int]  # numbers of two cells: a system, and the one it is compared with


def pairs_to_compare(summary: Summary) -> list[Pair]:
    """Cells to compare: (system, the one it is compared with), in the headline's reference."""
    choices = summary.choices
    if not choices.paired:
        return []
    systems = summary.compared(with_baseline=True)
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


class Tests(NamedTuple):
    """The test of every pair of cells, and p for the family of them."""

    each: Mapping[Pair, Test]
    adjusted: Mapping[Pair, float]
    adjust: Adjustment
    least: float  # the smallest p that min-p can give these texts; 0 for other adjustments


def run_tests(summary: Summary) -> Tests:
    """Test every pair of cells, by swaps, resamples, or Student's t where systems have runs."""
    from fencepost.statistics.tests import adjusted, over_runs, paired_bootstrap, swap

    choices, pairs = summary.choices, summary.pairs
    settings = {"seed": choices.seed, "count": choices.resamples}
    estimates = {i: summary.estimate(i) for pair in pairs for i in pair}
    at = {i: k for k, i in enumerate(estimates)}
    given = list(estimates.values())
    numbered = [(at[i], at[j]) for i, j in pairs]
    least, by_swaps = 0.0, None
    if choices.paired == "randomization":
        swaps = swap(given, numbered, **settings)
        tests = dict(zip(pairs, swaps.tests(), strict=True))
        by_swaps = swaps.step_down if pairs else None
    else:
        tests = {}
        for own in summary.same_texts():
            among = [(i, j) for i, j in pairs if i in own]
            inside = [(at[i], at[j]) for i, j in among]
            done = paired_bootstrap(given, inside, **settings)
            tests |= dict(zip(among, done, strict=True))
    if choices.resample == "texts+runs":
        for i, j in pairs:
            several = max(estimates[i].runs, estimates[j].runs) > 1
            found = over_runs(estimates[i], estimates[j]) if several else None
            if found is not None:
                tests[i, j], by_swaps = found, None
    adjust = choices.adjust or ("holm" if by_swaps is None else "minp")
    if adjust == "minp":
        if by_swaps is None:
            raise MetricError(
                "--adjust minp needs swaps in all comparisons: --adjust holm also takes other tests"
            )
        raised, least = by_swaps()
    else:
        raised = adjusted([tests[pair].p for pair in pairs], adjust)
    return Tests(tests, dict(zip(pairs, raised, strict=True)), adjust, least)


def compare(summary: Summary, tests: Tests, bounds: Mapping[Pair, Interval]) -> Table:
    """The table of differences, p adjusted over all of them."""
    choices, pairs = summary.choices, summary.pairs
    rows = [_comparison(summary, pair, tests, bounds.get(pair)) for pair in pairs]
    columns: tuple[str, ...] = COMPARISON
    if choices.margin is not None:
        columns = (*COMPARISON[:-1], *EQUIVALENCE, COMPARISON[-1])
        _judge(summary, rows)
    facts = {
        "test": choices.paired,
        "exact": sum(one.exact for one in tests.each.values()),  # comparisons with all swaps
        "over_runs": sum(one.freedom is not None for one in tests.each.values()),
        "several_runs": any(len(runs) > 1 for runs in summary.counts.systems.values()),
        "resamples": choices.resamples,
        "seed": choices.seed,
        "adjust": tests.adjust,
        "least": tests.least,
        "margin": choices.margin,
        "intervals": choices.intervals,
        "family": len(pairs),
        "all_pairs": choices.all_pairs,
        "against": None if choices.all_pairs else choices.baseline or summary.compared()[0],
    }
    return Table(columns, tuple(rows), name="comparisons", facts=facts)


def _judge(summary: Summary, rows: Sequence[dict[str, Any]]) -> None:
    """Add to each comparison whether it is equivalent within the margin, better, or undecided.

    p of equivalence is adjusted by Holm's method over all comparisons. A difference that is
    found and one that is within the margin can be the same: then it is too small to matter.
    """
    from fencepost.statistics.tests import adjusted, equivalence

    margin = summary.choices.margin
    assert margin is not None
    runs = summary.choices.resample == "texts+runs"
    p = [
        equivalence(summary.estimate(i), summary.estimate(j), margin, runs)
        for i, j in summary.pairs
    ]
    raised = adjusted([1.0 if math.isnan(one) else one for one in p], "holm")
    for row, found, (i, _) in zip(rows, raised, summary.pairs, strict=True):
        recipe = summary.counts.recipes[summary.numbers[i].recipe]
        better = (row["difference"] < 0) == (recipe.metric.better == "lower")
        verdict = "undecided"
        if found <= LEVEL:
            verdict = "equivalent"
        elif row["p_adjusted"] <= LEVEL:
            verdict = "better" if better else "worse"
        row |= {"margin": margin, "p_equivalent": found, "verdict": verdict}
        row["signature"] = row.pop("signature")  # stays last


def _comparison(
    summary: Summary, pair: Pair, tests: Tests, interval: Interval | None
) -> dict[str, Any]:
    choices, test = summary.choices, tests.each[pair]
    one, other = (summary.numbers[i] for i in pair)
    recipe = summary.counts.recipes[one.recipe]
    away = one.by_text - other.by_text
    above, below = int((away > SAME).sum()), int((away < -SAME).sum())
    wins, losses = (below, above) if recipe.metric.better == "lower" else (above, below)
    won = (wins + (len(away) - wins - losses) / 2) / len(away)
    parts = summary.estimate(pair[0]).influence - summary.estimate(pair[1]).influence
    deviation = float(parts.std(ddof=1)) if len(parts) > 1 else 0.0
    step = one.value - other.value
    standardized = step / deviation if deviation > SAME else math.nan if step else 0.0
    how = f"{choices.paired},{'exact' if test.exact else choices.resamples}"
    context = summary.context(one, interval, other)._replace(
        test=how if test.freedom is None else OVER_RUNS,
        against="" if choices.all_pairs else other.system,
        pairs="all" if choices.all_pairs else "",
        adjust=f"{tests.adjust},{len(summary.pairs)}",
        group=summary.counts.context.group,
        seed=str(choices.seed),
    )
    cells = (
        recipe.name, one.average, one.system, other.system, one.value - other.value,
        interval.low if interval else None, interval.high if interval else None,
        test.p, tests.adjusted[pair], wins, len(away) - wins - losses, losses,
        won, *share_interval(won, len(away)), standardized, one.n,
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


def winners(summary: Summary, good: Goodness, average: str) -> dict[str, list[str]]:
    """Systems that are best by some metric, and by which, if metrics disagree about them.

    Two metrics disagree where the best system of either is better than the other's by more than
    a 95% interval of their difference: equal systems often have different winners by chance.
    """
    systems = summary.compared()
    best = {
        recipe: max(zip(systems, values, strict=True), key=lambda one: one[1])[0]
        for (recipe, own), values in good.items()
        if own == average
    }
    found: dict[str, list[str]] = {}
    for recipe, system in best.items():
        if any(
            other != system
            and _is_supported(summary, recipe, average, system, other)
            and _is_supported(summary, against, average, other, system)
            for against, other in best.items()
        ):
            found.setdefault(system, []).append(summary.counts.recipes[recipe].name)
    return found


def _is_supported(summary: Summary, recipe: int, average: str, system: str, other: str) -> bool:
    """Whether two systems differ by more than half of the width of a 95% interval."""
    cells = {
        number.system: number.estimate
        for number in summary.numbers
        if (number.recipe, number.average) == (recipe, average)
        and number.reference == summary.headline
    }
    one, two = cells[system], cells[other]
    if one is None or two is None or len(one.rows) < 2 or len(one.rows) != len(two.rows):
        return False
    runs = (one, two) if summary.choices.resample == "texts+runs" else ()
    return abs(one.value - two.value) > spread(one.influence - two.influence, runs).margin


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
