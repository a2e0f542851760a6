"""What a reader of a table of scores should know: notes on intervals, tests and texts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from fencepost.model.join import BASELINES, HUMAN_CEILING, RANDOM_BOUNDARIES
from fencepost.options import Method
from fencepost.scoring.comparisons import SAME, Goodness, Pair, lowest_tau, names, winners
from fencepost.scoring.tables import Table
from fencepost.statistics.intervals import (
    CONSTANT,
    MIN_TEXTS_FOR_INTERVAL,
    PERCENTILES_FROM_TEXTS,
    ROUGH_BELOW_GROUPS,
    ROUGH_BELOW_TEXTS,
    TOO_FEW,
    Interval,
)
from fencepost.wording import listed, plural

if TYPE_CHECKING:
    from fencepost.scoring.comparisons import Tests
    from fencepost.scoring.summary import Summary

MOST_NAMED = 3  # metrics or systems in a note

# Shares of 95% intervals of means that hold the truth, at 10 and at 50 texts (bench/coverage.py).
COVERED = {
    "percentile": ".90 at 10 and .94 at 50 where values are normal, .80 and .90 where skewed",
    "bca": ".89 at 10 and .94 at 50 where values are normal, .81 and .90 where skewed",
}
# What the paired bootstrap rejects at .05 under the null (docs/statistics.md).
REJECTED = ".10 at 10, .07 at 20 and .06 at 50"


def method_note(method: Method | None, n: int, what: str = "texts") -> str | None:
    """What a reader of intervals by this method should know, if anything."""
    if method not in COVERED or n >= PERCENTILES_FROM_TEXTS:
        return None
    return (
        f"{method} intervals promise too much with few {what}: the share they cover is not .95 "
        f"but {COVERED[method]}; the bootstrap-t, the default, comes nearer"
    )


def about_tests(summary: Summary, family: Tests) -> Iterator[str]:
    """What the test promises with so few texts."""
    what, tests = summary.counts.resampled, family.each
    units = min((len(summary.estimate(i).rows) for i, _ in tests), default=PERCENTILES_FROM_TEXTS)
    if summary.choices.paired == "bootstrap" and units < PERCENTILES_FROM_TEXTS:
        yield (
            f"the paired bootstrap finds too much with few {what}s: at a level of .05 it "
            f"rejects {REJECTED} where there is nothing to find; --paired randomization "
            "keeps the level"
        )
    least = max((2 / t.count for t in tests.values() if t.exact and t.count > 1), default=0)
    if least > 0.05:
        n = round(math.log2(2 / least))
        yield f"where the systems differ in {plural(n, what)} no p can be below {least:.3g}"
    if tests and all(t.exact and t.count == 1 for t in tests.values()):
        yield f"the systems do not differ in any {what}, so no p can be below 1"
        return
    lowest = family.least
    if family.adjust == "holm":
        lowest = len(tests) * min((2 / t.count for t in tests.values() if t.exact and t.count > 1),
                                  default=0)  # fmt: skip
    if least <= 0.05 < lowest:
        yield (
            f"no adjusted p can be below {min(lowest, 1):.3g} with so few {what}s and "
            f"{plural(len(tests), 'comparison')}: compare fewer systems or metrics"
        )


def about_winners(summary: Summary, good: Goodness, rankings: Table) -> Iterator[str]:
    """Metrics that call different systems the best."""
    for average in summary.choices.averages:
        best = winners(summary, good, average)
        if len(best) < 2:
            continue
        said = ", ".join(f"{system} by {' and '.join(own)}" for system, own in best.items())
        where = f" ({average})" if len(summary.choices.averages) > 1 else ""
        yield (
            f"the metrics disagree about the best system{where}: {said}; "
            f"Kendall's tau of their rankings is as low as {lowest_tau(rankings, average):.2f}"
        )


def about_intervals(
    summary: Summary, found: Mapping[int, Interval], differences: Mapping[Pair, Interval]
) -> Iterator[str]:
    """What the method asks a reader to keep in mind, then cells that have another or none."""
    counts, choices = summary.counts, summary.choices
    what = f"{counts.resampled}s"
    sizes = {len(summary.estimate(i).rows) for i in found}
    # Documents are groups that nobody asked for.
    if not found and counts.resampled == "group" and not choices.paired:
        yield (
            "groups are resampled for intervals and swapped for tests, and there are neither "
            "in this table: they change nothing"
        )
    yield from _about_method(summary, sorted(n for n in sizes if n >= MIN_TEXTS_FOR_INTERVAL), what)
    for n in sorted(n for n in sizes if n < MIN_TEXTS_FOR_INTERVAL):
        which = {1: f"one {what[:-1]}"}.get(n, f"{n} {what}")
        yield f"{which}: too few for an interval, which takes {MIN_TEXTS_FOR_INTERVAL}"
    kinds: dict[str, _Where] = {}
    for i, interval in found.items():
        kind = _odd_interval(interval, what)
        if kind:
            _add_where(kinds, kind, summary.numbers[i].system, _name(summary, i))
    for (i, j), interval in differences.items():
        one, other = summary.numbers[i], summary.numbers[j]
        step = abs(one.value - other.value) > SAME
        kind = _odd_difference(interval, what, step)
        if kind:
            _add_where(kinds, kind, f"{one.system} and {other.system}", _name(summary, i))
    for kind, where in kinds.items():
        yield f"{kind}: {_said_where(where)}"


def _about_method(summary: Summary, sizes: Sequence[int], what: str) -> Iterator[str]:
    """What the method, the number of texts or groups, and the runs are to a reader."""
    if not sizes:
        return
    choices, n = summary.choices, sizes[0]
    few = ROUGH_BELOW_GROUPS if summary.counts.groups else ROUGH_BELOW_TEXTS
    if n < few:
        yield f"{n} {what} are few to resample: take the intervals as rough"
    note = method_note(choices.method, n, what)
    if note:
        yield note


def _name(summary: Summary, number: int) -> str:
    """The metric of a cell, with its average where both are there."""
    own = summary.numbers[number]
    name = names(summary.counts.recipes)[own.recipe]
    return f"{name} ({own.average})" if len(summary.choices.averages) > 1 else name


# Said of intervals of samples without any spread.
BOUND = "the interval is a bound from their number and the metric's range"


def _odd_interval(interval: Interval, what: str) -> str | None:
    if interval.why == CONSTANT:
        if interval.low is not None:
            return f"all {what} have the same value, so {BOUND}"
        return f"no interval where all {what} have the same value"
    if interval.why and interval.why != TOO_FEW:
        return "no interval where many resamples are undefined"
    return None


def _odd_difference(interval: Interval, what: str, step: bool) -> str | None:
    if interval.why == CONSTANT:
        if interval.low is not None:
            return f"the difference is the same{' step' * step} in all {what}, so {BOUND}"
        return f"no interval where the difference is the same{' step' * step} in all {what}"
    if interval.why and interval.why != TOO_FEW:
        return "no interval where many resamples of the difference are undefined"
    return None


class Undefined(NamedTuple):
    """Texts on which a metric is undefined."""

    texts: int
    lacking: Sequence[str]  # systems that are undefined where others are not
    why: str = ""


def said_undefined(found: Mapping[str, Undefined]) -> Iterator[str]:
    """Texts that were ignored for all systems, by the name of each metric."""
    said: dict[str, list[str]] = {}
    for name, one in found.items():
        if not one.texts:
            continue
        why = f" ({one.why})" * bool(one.why)
        sentence = f"undefined on {plural(one.texts, 'text')}{why}, ignored for all systems"
        if one.lacking:
            sentence += f" because of {listed(one.lacking, MOST_NAMED, ' and ')}"
        said.setdefault(sentence, []).append(name)
    for sentence, own in said.items():
        yield f"{_several(own)} {_is(own)} {sentence}"


def about_undefined(summary: Summary) -> Iterator[str]:
    """Texts that were left out, and for whom."""
    for_all: dict[str, Undefined] = {}
    for_one: dict[str, list[str]] = {}
    for number, name in enumerate(names(summary.counts.recipes)):
        worst: dict[str, int] = {}
        for one in summary.numbers:
            if one.recipe == number:
                worst[one.system] = max(worst.get(one.system, 0), one.undefined)
        shared = max(worst.get(system, 0) for system in summary.compared())
        recipe = summary.counts.recipes[number]
        alone = summary.choices.baseline == HUMAN_CEILING  # a text may have one annotator
        why = recipe.no_value if recipe.metric.additive and not alone else ""
        for_all[name] = Undefined(shared, summary.lacking.get(number) or (), why)
        for system in BASELINES:
            if worst.get(system, 0) > shared:
                what = plural(worst[system], "text")
                if system == RANDOM_BOUNDARIES:
                    what = f"one draw or more of {what}"
                reason = f" ({why})" * bool(why)
                said = f"undefined on {what}{reason}, ignored for it"
                for_one.setdefault(f"of {system!r} {{is_}} {said} alone", []).append(name)
    yield from said_undefined(for_all)
    for said, own in for_one.items():
        yield f"{_several(own)} {said.format(is_=_is(own))}"


def about_runs(summary: Summary) -> Iterator[str]:
    """Systems that are the mean of several runs."""
    for system, runs in summary.counts.systems.items():
        if len(runs) > 1:
            yield f"{system} is the mean of {len(runs)} runs: {', '.join(runs)}"
    systems = {name: summary.counts.systems[name] for name in summary.compared()}
    once = [name for name, runs in systems.items() if len(runs) == 1]
    over_runs = summary.choices.paired and summary.choices.resample == "texts+runs"
    if over_runs and 0 < len(once) < len(systems):
        yield (
            f"{listed(once, MOST_NAMED)} ran once, so comparisons are with this trained model: "
            "how much other runs of it would differ is unknown"
        )


_Where = dict[str, dict[str, None]]  # of systems, or pairs of them: the metrics


def _add_where(kinds: dict[str, _Where], kind: str, system: str, metric: str) -> None:
    kinds.setdefault(kind, {}).setdefault(system, {})[metric] = None


def _said_where(where: _Where) -> str:
    """Cells of a table in few words: pk, windowdiff and 2 more of a; pk of b."""
    by_metrics: dict[tuple[str, ...], list[str]] = {}
    for system, metrics in where.items():
        by_metrics.setdefault(tuple(metrics), []).append(system)
    return "; ".join(
        f"{_several(metrics)} of {listed(systems, MOST_NAMED)}"
        for metrics, systems in by_metrics.items()
    )


def _several(names: Sequence[str]) -> str:
    return listed(names, MOST_NAMED, " and ")


def _is(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"
