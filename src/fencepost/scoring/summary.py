"""From rows of counts to tables: averages with intervals, comparisons, and who ranks where."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from fencepost.metrics.registry import Counts, Recipe, Values
from fencepost.model.checks import Ints, MetricError
from fencepost.model.join import BASELINES, RANDOM_PLACES
from fencepost.scoring.counts import CountRows, Rows, to_table
from fencepost.scoring.tables import Table
from fencepost.statistics.intervals import (
    CONSTANT,
    MIN_TEXTS_FOR_INTERVAL,
    PERCENTILES_FROM_TEXTS,
    ROUGH_BELOW_GROUPS,
    ROUGH_BELOW_TEXTS,
    TOO_FEW,
    Interval,
    Method,
    intervals,
    method_for,
)
from fencepost.statistics.ranks import kendall
from fencepost.statistics.resampling import RESAMPLES, Estimate
from fencepost.statistics.tests import Adjustment, Test, adjusted, paired_bootstrap, randomization

COLUMNS = (
    "system",
    "reference",
    "metric",
    "value",
    "low",
    "high",
    "n",
    "undefined",
    "average",
    "signature",
)
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
MEAN_OF_REFERENCES = "mean of references"
DRAWS = 20  # of random places for each text
FEWEST_RESAMPLES, MOST_RESAMPLES = 100, 10_000_000
MOST_NAMED = 3  # metrics or systems in a note
SAME = 1e-12  # values of texts that differ by less are tied

Average = Literal["macro", "micro", "both"]
Paired = Literal["randomization", "bootstrap"]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Choices:
    """How counts become averages, intervals and tests."""

    average: Average = "macro"
    intervals: Method | bool = True
    resamples: int = RESAMPLES
    seed: int = 12345
    paired: Paired | None = None
    baseline: str | None = None  # the first system
    all_pairs: bool = False
    adjust: Adjustment = "holm"
    resample: Literal["texts", "texts+runs"] = "texts"

    def __post_init__(self) -> None:
        """A baseline is there to be compared with."""
        if self.paired is None and (self.baseline is not None or self.all_pairs):
            object.__setattr__(self, "paired", "randomization")

    @property
    def averages(self) -> tuple[str, ...]:
        """One average, or both."""
        return ("macro", "micro") if self.average == "both" else (self.average,)

    @property
    def method(self) -> Method | None:
        """The method asked for; None leaves it to the number of texts."""
        return None if isinstance(self.intervals, bool) else self.intervals


@dataclass(frozen=True, eq=False)
class _Number:
    """One cell of the table: where it stands, and what it is made of."""

    recipe: int
    system: str
    reference: str
    average: str
    value: float
    n: int
    undefined: int
    estimate: Estimate | None = None  # none for simple baselines
    by_text: Values = field(default_factory=lambda: np.empty(0))
    use: bytes = b""  # which texts it is made of


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


def summarize(counts: CountRows, choices: Choices) -> Table:
    """The table of scores, with finer tables behind it."""
    return _Summary(counts, choices).table()


class _Summary:
    def __init__(self, counts: CountRows, choices: Choices) -> None:
        self.counts = counts
        self.choices = choices
        self.numbers = [n for r in range(len(counts.recipes)) for n in self._numbers(r)]
        self.notes: dict[str, None] = {}
        self._check()

    def _check(self) -> None:
        choices, systems = self.choices, self._compared()
        if choices.baseline is not None and choices.baseline not in systems:
            raise MetricError(
                f"no system {choices.baseline!r} to compare with; there are {', '.join(systems)}: "
                "name one with --baseline (baseline=)"
            )
        if choices.resample != "texts" and all(len(r) == 1 for r in self.counts.systems.values()):
            raise MetricError(
                "no system has several runs to resample: name them with --runs bert=bert1,bert2 "
                "(runs={'bert': ['bert1', 'bert2']})"
            )
        if choices.paired and len(systems) < 2:
            raise MetricError("a paired test compares systems, and there is only one")

    def _compared(self) -> list[str]:
        return [system for system in self.counts.systems if system not in BASELINES]

    def table(self) -> Table:
        """All cells, a row each."""
        found = self._intervals()
        order = {system: i for i, system in enumerate(self.counts.systems)}
        rows = [self._row(number, found.get(i)) for i, number in enumerate(self.numbers)]
        rows.sort(key=lambda row: order[row["system"]])
        parts: dict[str, Any] = {
            "per-text": partial(_per_text, self.counts),
            "counts": partial(to_table, self.counts),
        }
        facts = self.counts.facts()
        if self.choices.paired:
            compared = self._comparisons(self._pair_intervals)
            facts["comparison"] = compared.facts
            parts["comparisons"] = partial(_itself, compared)
        self._note_disagreement(parts)
        self._note_intervals(found)
        self._note_undefined()
        self._note_runs()
        self.notes |= dict.fromkeys(self.counts.notes)
        if self.counts.groups:
            facts["groups"] = len(set(self.counts.groups))
        return Table(COLUMNS, tuple(rows), notes=tuple(self.notes), facts=facts, parts=parts)

    # Averages.

    def _numbers(self, recipe: int) -> Iterator[_Number]:
        counts = self.counts
        values = {
            (run, ref): counts.value(recipe, run, ref)
            for _, run in counts.runs
            for ref in counts.references
        }
        defined = self._defined(recipe, values)
        several = len(counts.references) > 1
        for system, runs in counts.systems.items():
            for refs in [
                *([ref] for ref in counts.references),
                *([[*counts.references]] * several),
            ]:
                chosen = [
                    (counts.rows[recipe, run, ref], values[run, ref], defined[system, ref])
                    for run in runs
                    for ref in refs
                ]
                name = refs[0] if len(refs) == 1 else MEAN_OF_REFERENCES
                yield from self._averages(recipe, system, name, len(runs), chosen)

    def _defined(
        self, recipe: int, values: Mapping[tuple[str, str], Values]
    ) -> dict[tuple[str, str], Mask]:
        """The texts that count for each system and reference: those no system is undefined on.

        A simple baseline has no say in that; it counts where the systems do and it has a value.
        """
        counts = self.counts
        own = {
            (system, ref): ~np.any(
                [
                    _bad(counts.rows[recipe, run, ref], values[run, ref], len(counts.texts))
                    for run in runs
                ],
                axis=0,
            )
            for system, runs in counts.systems.items()
            for ref in counts.references
        }
        shared = {
            ref: np.all([own[system, ref] for system in self._compared()], axis=0)
            for ref in counts.references
        }
        return {
            (system, ref): shared[ref] & mask if system in BASELINES else shared[ref]
            for (system, ref), mask in own.items()
        }

    def _note_undefined(self) -> None:
        """Texts that were left out, and for whom."""
        for_all: dict[str, list[str]] = {}
        for_one: dict[str, list[str]] = {}
        for recipe, name in enumerate(_names(self.counts.recipes)):
            worst: dict[str, int] = {}
            for number in self.numbers:
                if number.recipe == recipe:
                    worst[number.system] = max(worst.get(number.system, 0), number.undefined)
            shared = max(worst[system] for system in self._compared())
            additive = self.counts.recipes[recipe].metric.additive
            why = " (one unit, or no window fits)" if additive else ""
            if shared:
                said = f"undefined on {_count(shared, 'text')}{why}, left out for all systems"
                for_all.setdefault(said, []).append(name)
            for system in BASELINES:
                if worst.get(system, 0) > shared:
                    said = f"undefined on {_count(worst[system], 'text')}{why}, left out for it"
                    for_one.setdefault(f"of {system!r} {{is_}} {said} alone", []).append(name)
        for said, names in for_all.items():
            self._note(f"{_listed(names)} {_is(names)} {said}")
        for said, names in for_one.items():
            self._note(f"{_listed(names)} {said.format(is_=_is(names))}")

    def _note_runs(self) -> None:
        for system, runs in self.counts.systems.items():
            if len(runs) > 1:
                self._note(f"{system} is the mean of {len(runs)} runs: {', '.join(runs)}")

    def _averages(
        self,
        recipe: int,
        system: str,
        reference: str,
        runs: int,
        chosen: Sequence[tuple[Rows, Values, Mask]],
    ) -> Iterator[_Number]:
        texts = np.concatenate([rows.texts for rows, _, _ in chosen])
        use = np.concatenate([mask[rows.texts] for rows, _, mask in chosen])
        values = np.concatenate([own for _, own, _ in chosen])[use]
        counts = np.concatenate([rows.counts for rows, _, _ in chosen])[use]
        kept = np.unique(texts[use])
        undefined = len(np.unique(texts)) - len(kept)
        for average in self.choices.averages:
            if average == "micro":
                value = _micro(self.counts.recipes[recipe], counts)
            elif reference == MEAN_OF_REFERENCES:
                value = _macro(_mean_by(texts[use], values))
            else:
                value = _macro(values)
            number = _Number(recipe, system, reference, average, value, len(kept), undefined)
            asked = self.choices.intervals or self.choices.paired
            if asked and system not in BASELINES and len(kept):
                run_of = np.repeat(np.arange(runs), _sizes(chosen, runs))[use]
                number = self._with_estimate(number, kept, texts[use], run_of, runs, values, counts)
            yield number

    def _with_estimate(
        self,
        number: _Number,
        kept: Ints,
        texts: Ints,
        run_of: Ints,
        runs: int,
        values: Values,
        counts: Counts,
    ) -> _Number:
        """The same with its rows: one for each text, or for each group of texts."""
        at = np.searchsorted(kept, texts)
        n = len(kept)
        times = np.bincount(at * runs + run_of, minlength=n * runs).astype(np.float64)
        summed = np.bincount(at * runs + run_of, weights=values, minlength=n * runs)
        by_run = (summed / times).reshape(n, runs)
        recipe = self.counts.recipes[number.recipe]
        function: Callable[[Values], Values] = _ratio
        if number.average == "macro":
            rows = np.stack((by_run, np.ones_like(by_run)), axis=2).reshape(n, -1)
        else:
            wide = np.zeros((n * runs, counts.shape[1]))
            np.add.at(wide, at * runs + run_of, counts)
            rows = wide.reshape(n, -1)
            function = recipe.value
        if self.counts.groups:
            rows = _by_group(rows, [self.counts.groups[text] for text in kept])
        estimate = Estimate(rows, function, recipe.metric.range, runs, _seed_of(number.system))
        return replace(number, estimate=estimate, by_text=by_run.mean(axis=1), use=kept.tobytes())

    def _row(self, number: _Number, interval: Interval | None) -> dict[str, Any]:
        recipe = self.counts.recipes[number.recipe]
        low, high = (interval.low, interval.high) if interval else (None, None)
        cells = (
            number.system,
            number.reference,
            recipe.name,
            number.value,
            low,
            high,
            number.n,
            number.undefined,
            number.average,
            recipe.signature(**self._made(number, interval)),
        )
        return dict(zip(COLUMNS, cells, strict=True))

    def _made(
        self, number: _Number, interval: Interval | None, other: _Number | None = None
    ) -> dict[str, str]:
        """What the signature tells besides the metric's settings; ``other`` is compared with."""
        more = {k: v for k, v in self.counts.context.items() if k != "group"}
        more["avg"] = number.average
        if number.reference == MEAN_OF_REFERENCES:
            more["refs"] = "mean"
        runs = [len(self.counts.systems[one.system]) for one in (number, other) if one]
        several = dict.fromkeys(str(n) for n in runs if n > 1)
        if several:
            more["runs"] = ",".join(several)
        if interval and interval.method:
            more |= self._resampling(interval)
        if number.system == RANDOM_PLACES:
            more |= self.counts.drawn  # whose seed need not be that of intervals and tests
        return more

    def _resampling(self, interval: Interval) -> dict[str, str]:
        made = {"group": self.counts.context["group"]} if self.counts.groups else {}
        if interval.method == "normal":
            return {"bs": "normal", **made}
        over = ",texts+runs" if self.choices.resample == "texts+runs" else ""
        said = f"{interval.method},{self.choices.resamples}{over}"
        return {"bs": said, **made, "seed": str(self.choices.seed)}

    # Intervals.

    def _intervals(self) -> dict[int, Interval]:
        """The interval of each cell; those of differences are kept for the comparisons."""
        self._pair_intervals: dict[tuple[int, int], Interval] = {}
        if not self.choices.intervals:
            return {}
        found: dict[int, Interval] = {}
        for own in self._same_texts():
            estimates = [self._estimate(i) for i in own]
            place = {i: k for k, i in enumerate(own)}
            pairs = [(i, j) for i, j in self._pairs if i in place]
            made = intervals(
                estimates,
                [(place[i], place[j]) for i, j in pairs],
                method=self.choices.method,
                seed=self.choices.seed,
                count=self.choices.resamples,
                resample_runs=self.choices.resample == "texts+runs",
            )
            found |= dict(zip(own, made, strict=False))
            self._pair_intervals |= dict(zip(pairs, made[len(own) :], strict=True))
        return found

    def _estimate(self, number: int) -> Estimate:
        estimate = self.numbers[number].estimate
        assert estimate is not None  # only systems are compared
        return estimate

    def _same_texts(self) -> list[list[int]]:
        """Cells by the texts they are made of: these are resampled together."""
        groups: dict[bytes, list[int]] = {}
        for i, number in enumerate(self.numbers):
            if number.estimate is not None:
                groups.setdefault(number.use, []).append(i)
        return list(groups.values())

    def _note_intervals(self, found: Mapping[int, Interval]) -> None:
        """What the method asks a reader to keep in mind, then cells that have another or none."""
        what = "groups" if self.counts.groups else "texts"
        sizes = {len(self._estimate(i).rows) for i in found}
        if not found and self.counts.groups and not self.choices.paired:
            self._note(
                "groups are resampled for intervals and swapped for tests, and there are neither "
                "in this table: they change nothing"
            )
        self._note_method(sorted(n for n in sizes if n >= MIN_TEXTS_FOR_INTERVAL), what)
        for n in sorted(n for n in sizes if n < MIN_TEXTS_FOR_INTERVAL):
            which = {1: f"one {what[:-1]}"}.get(n, f"{n} {what}")
            self._note(f"{which}: too few for an interval, which takes {MIN_TEXTS_FOR_INTERVAL}")
        kinds: dict[str, _Where] = {}
        for i, interval in found.items():
            kind = self._odd_interval(interval, len(self._estimate(i).rows), what)
            if kind:
                _add_where(kinds, kind, self.numbers[i].system, self._name(i))
        for (i, j), interval in self._pair_intervals.items():
            one, other = self.numbers[i], self.numbers[j]
            step = abs(one.value - other.value) > SAME
            kind = self._odd_difference(interval, len(self._estimate(i).rows), what, step)
            if kind:
                _add_where(kinds, kind, f"{one.system} and {other.system}", self._name(i))
        for kind, where in kinds.items():
            self._note(f"{kind}: {_said_where(where)}")

    def _name(self, number: int) -> str:
        """The metric of a cell, with its average where both are there."""
        own = self.numbers[number]
        name = _names(self.counts.recipes)[own.recipe]
        return f"{name} ({own.average})" if len(self.choices.averages) > 1 else name

    def _odd_interval(self, interval: Interval, n: int, what: str) -> str | None:
        if interval.why == CONSTANT:
            return f"no interval where all {what} have the same value"
        if interval.why and interval.why != TOO_FEW:
            return "no interval where many resamples are undefined"
        if self._fell_back(interval, n):
            return f"intervals of percentiles, and rough, where few {what} differ from the others"
        return None

    def _odd_difference(self, interval: Interval, n: int, what: str, step: bool) -> str | None:
        if interval.why == CONSTANT:
            return f"no interval where the difference is the same{' step' * step} in all {what}"
        if interval.why and interval.why != TOO_FEW:
            return "no interval where many resamples of the difference are undefined"
        if self._fell_back(interval, n):
            return f"intervals of percentiles, and rough, where a difference is of a few {what}"
        return None

    def _note_method(self, sizes: Sequence[int], what: str) -> None:
        """What the method, the number of texts or groups, and the runs are to a reader."""
        if not sizes:
            return
        choices, n = self.choices, sizes[0]
        few = ROUGH_BELOW_GROUPS if self.counts.groups else ROUGH_BELOW_TEXTS
        if n < few:
            self._note(f"{n} {what} are few to resample: take the intervals as rough")
        if choices.resample == "texts":
            note = method_note(choices.method, n, what)
            if note:
                self._note(note)
            return
        if n < PERCENTILES_FROM_TEXTS:
            self._note(
                f"where runs are resampled, intervals are of percentiles, which promise too much "
                f"with few {what}: the share they cover is not .95 but {COVERED['percentile']}"
            )
        runs = min((len(r) for r in self.counts.systems.values() if len(r) > 1), default=0)
        if 0 < runs < 10:
            self._note(
                f"{runs} runs are few to resample: they look less different than they are "
                f"by a factor of about {math.sqrt((runs - 1) / runs):.2f}"
            )
        if choices.paired:
            self._note(
                "p is about other texts, with these runs; the intervals are about both, so "
                "there are no marks"
            )

    def _fell_back(self, interval: Interval, n: int) -> bool:
        """Whether percentiles stand where the bootstrap-t could not."""
        wanted = method_for(n, self.choices.method) == "t"
        return wanted and self.choices.resample == "texts" and interval.method == "percentile"

    def _note(self, sentence: str) -> None:
        self.notes.setdefault(sentence)

    # Comparisons.

    @cached_property
    def _pairs(self) -> list[tuple[int, int]]:
        """Cells to compare: (system, the one it is compared with), in the headline's reference."""
        if not self.choices.paired:
            return []
        systems = self._compared()
        baseline = self.choices.baseline or systems[0]
        if self.choices.all_pairs:
            wanted = [(b, a) for k, a in enumerate(systems) for b in systems[k + 1 :]]
        else:
            wanted = [(system, baseline) for system in systems if system != baseline]
        cells = {
            (n.recipe, n.average, n.system): i
            for i, n in enumerate(self.numbers)
            if n.estimate is not None and n.reference == self._headline
        }
        return [
            (cells[recipe, average, one], cells[recipe, average, other])
            for recipe in range(len(self.counts.recipes))
            for average in self.choices.averages
            for one, other in wanted
            if (recipe, average, one) in cells
        ]

    @property
    def _headline(self) -> str:
        several = len(self.counts.references) > 1
        return MEAN_OF_REFERENCES if several else self.counts.references[0]

    def _comparisons(self, bounds: Mapping[tuple[int, int], Interval]) -> Table:
        choices = self.choices
        test = randomization if choices.paired == "randomization" else paired_bootstrap
        tests: dict[tuple[int, int], Test] = {}
        for own in self._same_texts():
            place = {i: k for k, i in enumerate(own)}
            pairs = [(i, j) for i, j in self._pairs if i in place]
            if pairs:
                done = test(
                    [self._estimate(i) for i in own],
                    [(place[i], place[j]) for i, j in pairs],
                    seed=choices.seed,
                    count=choices.resamples,
                )
                tests |= dict(zip(pairs, done, strict=True))
        raised = adjusted([tests[pair].p for pair in self._pairs], choices.adjust)
        family = len(self._pairs)
        rows = [
            self._comparison(pair, tests[pair], p, bounds.get(pair), family)
            for pair, p in zip(self._pairs, raised, strict=True)
        ]
        self._note_tests(tests)
        facts = {
            "test": choices.paired,
            "exact": sum(one.exact for one in tests.values()),  # comparisons with all swaps
            "resamples": choices.resamples,
            "seed": choices.seed,
            "over": choices.resample,
            "adjust": choices.adjust,
            "family": family,
            "all_pairs": choices.all_pairs,
            "against": None if choices.all_pairs else choices.baseline or self._compared()[0],
        }
        return Table(COMPARISON, tuple(rows), name="comparisons", facts=facts)

    def _comparison(
        self,
        pair: tuple[int, int],
        test: Test,
        raised: float,
        interval: Interval | None,
        family: int,
    ) -> dict[str, Any]:
        one, other = (self.numbers[i] for i in pair)
        recipe = self.counts.recipes[one.recipe]
        away = one.by_text - other.by_text
        above, below = int((away > SAME).sum()), int((away < -SAME).sum())
        wins, losses = (below, above) if recipe.metric.better == "lower" else (above, below)
        made = self._made(one, interval, other)
        how = "exact" if test.exact else str(self.choices.resamples)
        made["test"] = f"{self.choices.paired},{how}"
        made |= {"pairs": "all"} if self.choices.all_pairs else {"against": other.system}
        made["adjust"] = f"{self.choices.adjust},{family}"
        if self.counts.groups:
            made["group"] = self.counts.context["group"]
        made["seed"] = str(self.choices.seed)
        cells = (
            recipe.name, one.average, one.system, other.system, one.value - other.value,
            interval.low if interval else None, interval.high if interval else None,
            test.p, raised, wins, len(away) - wins - losses, losses, one.n,
            recipe.signature(**made),
        )  # fmt: skip
        return dict(zip(COMPARISON, cells, strict=True))

    def _note_tests(self, tests: Mapping[tuple[int, int], Test]) -> None:
        what = "group" if self.counts.groups else "text"
        units = min((len(self._estimate(i).rows) for i, _ in tests), default=PERCENTILES_FROM_TEXTS)
        if self.choices.paired == "bootstrap" and units < PERCENTILES_FROM_TEXTS:
            self._note(
                f"the paired bootstrap finds too much with few {what}s: at a level of .05 it "
                f"rejects {REJECTED} where there is nothing to find; --paired randomization "
                "keeps the level"
            )
        least = max((2 / t.count for t in tests.values() if t.exact and t.count > 1), default=0)
        if least > 0.05:
            n = round(math.log2(2 / least))
            self._note(
                f"where the systems differ in {n} {what}{'s' * (n != 1)} no p can be below "
                f"{least:.3g}"
            )

    # Which system is best?

    def _note_disagreement(self, parts: dict[str, Any]) -> None:
        systems = self._compared()
        if len(systems) < 2 or len(self.counts.recipes) < 2:
            return
        good: dict[tuple[int, str], list[float]] = {}
        for number in self.numbers:
            if number.reference == self._headline and number.system in systems:
                sign = -1 if self.counts.recipes[number.recipe].metric.better == "lower" else 1
                good.setdefault((number.recipe, number.average), []).append(sign * number.value)
        good = {key: own for key, own in good.items() if np.isfinite(own).all()}
        rows = _rankings(self.counts.recipes, good)
        parts["rankings"] = partial(Table, RANKINGS, tuple(rows), name="rankings")
        for average in self.choices.averages:
            self._note_winners(average, systems, good, rows)

    def _note_winners(
        self,
        average: str,
        systems: Sequence[str],
        good: Mapping[tuple[int, str], Sequence[float]],
        rows: Sequence[Mapping[str, Any]],
    ) -> None:
        winners: dict[str, list[str]] = {}
        for (recipe, own), values in good.items():
            best = [s for s, v in zip(systems, values, strict=True) if v >= max(values) - SAME]
            if own == average and len(best) == 1:
                winners.setdefault(best[0], []).append(self.counts.recipes[recipe].name)
        if len(winners) < 2:
            return
        taus = [row["tau"] for row in rows if row["average"] == average]
        lowest = min((t for t in taus if not math.isnan(t)), default=math.nan)
        said = ", ".join(f"{system} by {' and '.join(own)}" for system, own in winners.items())
        where = f" ({average})" if len(self.choices.averages) > 1 else ""
        self._note(
            f"the metrics disagree about the best system{where}: {said}; "
            f"Kendall's tau of their rankings is as low as {lowest:.2f}"
        )


def _itself(table: Table) -> Table:
    """A finer table that is there already (a table with a lambda could not be pickled)."""
    return table


RANKINGS = ("average", "metric", "other", "tau")


def _rankings(
    recipes: Sequence[Recipe], good: Mapping[tuple[int, str], Sequence[float]]
) -> list[dict[str, Any]]:
    """Kendall's tau between the rankings of systems that every two metrics give."""
    titles = _names(recipes)
    keys = list(good)
    return [
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


def _names(recipes: Sequence[Recipe]) -> list[str]:
    """What metrics are called; with their settings where one stands twice."""
    names = [recipe.name for recipe in recipes]
    return [
        str(recipe.signature()) if names.count(recipe.name) > 1 else recipe.name
        for recipe in recipes
    ]


_Where = dict[str, dict[str, None]]  # of systems, or pairs of them: the metrics


def _add_where(kinds: dict[str, _Where], kind: str, system: str, metric: str) -> None:
    kinds.setdefault(kind, {}).setdefault(system, {})[metric] = None


def _said_where(where: _Where) -> str:
    """Cells of a table in few words: pk, windowdiff and 2 more of a; pk of b."""
    by_metrics: dict[tuple[str, ...], list[str]] = {}
    for system, metrics in where.items():
        by_metrics.setdefault(tuple(metrics), []).append(system)
    return "; ".join(
        f"{_listed(metrics)} of {_listed(systems, ', ')}" for metrics, systems in by_metrics.items()
    )


def _listed(names: Sequence[str], last: str = " and ") -> str:
    """Three names at most, and how many more."""
    if len(names) > MOST_NAMED:
        return f"{', '.join(names[: MOST_NAMED - 1])} and {len(names) - MOST_NAMED + 1} more"
    return ", ".join(names[:-1]) + last * (len(names) > 1) + names[-1]


def _is(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _count(n: int, what: str) -> str:
    return f"{n} {what}{'s' * (n != 1)}"


def _ratio(sums: Values) -> Values:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(sums[:, 0] / sums[:, 1])


def _sizes(chosen: Sequence[tuple[Rows, Values, Mask]], runs: int) -> list[int]:
    """Rows of each run; the references of a run follow each other."""
    each = len(chosen) // runs
    return [
        sum(len(rows.texts) for rows, _, _ in chosen[r * each : (r + 1) * each])
        for r in range(runs)
    ]


def _by_group(rows: Values, groups: Sequence[str]) -> Values:
    _, of = np.unique(np.array(groups), return_inverse=True)
    summed = np.zeros((int(of.max()) + 1, rows.shape[1]))
    np.add.at(summed, of, rows)
    return summed


def _seed_of(system: str) -> int:
    digest = hashlib.blake2b(repr(system).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def _bad(rows: Rows, values: Values, texts: int) -> Mask:
    """Which texts have no value."""
    bad = np.zeros(texts, dtype=bool)
    bad[rows.texts[np.isnan(values)]] = True
    return bad


def _macro(values: Values) -> float:
    return math.fsum(values.tolist()) / len(values) if len(values) else math.nan


def _micro(recipe: Recipe, counts: Counts) -> float:
    return float(recipe.value(add_counts(counts)[None, :])[0]) if len(counts) else math.nan


def add_counts(counts: Counts) -> Counts:
    """The sum of count rows: exact, whatever their order."""
    if counts.dtype.kind == "i":
        return np.asarray(counts.sum(axis=0))
    return np.array([math.fsum(column.tolist()) for column in counts.T])


def _mean_by(groups: Ints, values: Values) -> Values:
    """The mean of each group's values."""
    order = np.argsort(groups, kind="stable")
    _, starts = np.unique(groups[order], return_index=True)
    return np.array([_macro(part) for part in np.split(values[order], starts[1:])])


def _per_text(counts: CountRows) -> Table:
    columns = ("text", "system", "reference", "metric", "value", "signature")
    rows = [
        dict(
            zip(columns, (counts.texts[text], run, ref, recipe.name, value, signature), strict=True)
        )
        for number, recipe in enumerate(counts.recipes)
        for signature in [recipe.signature()]
        for system, run in counts.runs
        if system not in BASELINES
        for ref in counts.references
        for text, value in zip(
            counts.rows[number, run, ref].texts.tolist(),
            counts.value(number, run, ref).tolist(),
            strict=True,
        )
    ]
    return Table(columns, tuple(rows), name="per-text")


__all__ = [
    "COLUMNS",
    "COMPARISON",
    "DRAWS",
    "MEAN_OF_REFERENCES",
    "Average",
    "Choices",
    "Paired",
    "add_counts",
    "method_note",
    "summarize",
]
