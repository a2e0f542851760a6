"""From rows of counts to tables of averages, with intervals and what belongs to them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from fencepost.metrics.registry import Counts, Recipe, Values, add_counts
from fencepost.metrics.signature import Context
from fencepost.model.checks import Ints, MetricError
from fencepost.model.join import BASELINES, HUMAN_CEILING, RANDOM_BOUNDARIES
from fencepost.options import RESAMPLES, SEED, Adjustment, Average, Method, Paired, Resample
from fencepost.scoring.advice import (
    about_intervals,
    about_runs,
    about_tests,
    about_undefined,
    about_winners,
)
from fencepost.scoring.comparisons import (
    Pair,
    compare,
    goodness,
    pairs_to_compare,
    rankings,
    run_tests,
)
from fencepost.scoring.counts import CountRows, Rows, to_table
from fencepost.scoring.tables import Table
from fencepost.statistics.intervals import Interval, intervals
from fencepost.statistics.resampling import Estimate, ranks_of_names, ratio

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
MEAN_OF_REFERENCES = "mean of references"
DRAWS = 20  # of random boundaries for each text

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Choices:
    """How counts become averages, intervals and tests."""

    average: Average = "macro"
    intervals: bool = True
    method: Method | None = None  # None leaves it to the number of texts
    resamples: int = RESAMPLES
    seed: int = SEED
    paired: Paired | None = None
    baseline: str | None = None  # the first system
    all_pairs: bool = False
    adjust: Adjustment | None = None  # holm, which is not asked for without comparisons
    resample: Resample = "texts+runs"
    margin: float | None = None  # differences up to this do not matter

    def __post_init__(self) -> None:
        """A baseline is there to be compared with."""
        asked = self.baseline is not None or self.all_pairs or self.margin is not None
        if self.paired is None and asked:
            object.__setattr__(self, "paired", "randomization")

    @property
    def averages(self) -> tuple[str, ...]:
        """One average, or both."""
        return ("macro", "micro") if self.average == "both" else (self.average,)


@dataclass(frozen=True, eq=False)
class Number:
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


def summarize(counts: CountRows, choices: Choices, by: Sequence[str] | None = None) -> Table:
    """The table of scores, with finer tables behind it; ``by`` names a part of the texts each."""
    table = Summary(counts, choices).table()
    by = by or counts.groups
    if counts.of_words or by is None:
        return table
    return replace(table, parts={**table.parts, "by-group": partial(_by, counts, choices, by)})


class Summary:
    """Every cell of the table: averages, what they are made of, and how they were made."""

    def __init__(self, counts: CountRows, choices: Choices) -> None:
        self.counts = counts
        self.choices = choices
        # By recipe: systems without a value on a text on which others have one.
        self.lacking: dict[int, list[str]] = {}
        self.numbers = [n for r in range(len(counts.recipes)) for n in self._numbers(r)]
        self._check()

    def _check(self) -> None:
        choices, systems = self.choices, self.compared(with_baseline=True)
        if choices.baseline is not None and choices.baseline not in systems:
            raise MetricError(
                f"no system {choices.baseline!r} to compare with; there are {', '.join(systems)}: "
                "name one with --baseline (baseline=)"
            )
        runs = any(len(own) > 1 for own in self.counts.systems.values())
        if runs and choices.resample == "texts+runs" and choices.method in ("percentile", "bca"):
            raise MetricError(
                f"{choices.method} intervals are about other texts with these runs: add --resample "
                "texts (resample='texts'), or take the default method, which is about other runs "
                "too"
            )
        if choices.paired and len(systems) < 2:
            raise MetricError("a paired test compares systems, and there is only one")

    def compared(self, with_baseline: bool = False) -> list[str]:
        """The systems, without simple baselines; with the one that others are compared with."""
        kept = self.choices.baseline if with_baseline else None
        return [name for name in self.counts.systems if name not in BASELINES or name == kept]

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
        if any(recipe.metric.bins is not None for recipe in self.counts.recipes):
            parts["reliability"] = partial(_reliability, self.counts, self.compared())
        if self.counts.of_words:
            parts["by-group"] = partial(by_group_table, self.counts)
        facts = self.counts.facts()
        notes: list[str] = []
        if self.choices.paired:
            tests = run_tests(self)
            compared = compare(self, tests, self._differences)
            facts["comparison"] = compared.facts
            parts["comparisons"] = partial(_itself, compared)
            notes += about_tests(self, tests)
        if len(self.compared()) > 1 and len(self.counts.recipes) > 1:
            good = goodness(self)
            ranked = rankings(self.counts.recipes, good)
            parts["rankings"] = partial(_itself, ranked)
            notes += about_winners(self, good, ranked)
        notes += about_intervals(self, found, self._differences)
        notes += [*about_undefined(self), *about_runs(self), *self.counts.notes]
        if self.counts.groups:
            facts["groups"] = len(set(self.counts.groups))
        unique = tuple(dict.fromkeys(notes))
        return Table(COLUMNS, tuple(rows), notes=unique, facts=facts, parts=parts)

    # Averages.

    def _numbers(self, recipe: int) -> Iterator[Number]:
        counts = self.counts
        systems = counts.systems_of(recipe)
        values = {
            (run, ref): counts.value(recipe, run, ref)
            for runs in systems.values()
            for run in runs
            for ref in counts.references
        }
        defined = self._defined(recipe, values)
        together = [[*counts.references]] * (len(counts.references) > 1)
        each = [[ref] for ref in counts.references]
        if together and counts.context.refs == "mean":  # the rule asks for nothing else
            each = []
        for system, runs in systems.items():
            for refs in [*each, *together]:
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
        Segments of words are only ever added up, so that each of them counts.
        """
        counts = self.counts
        if counts.of_words:
            every = np.ones(len(counts.texts), dtype=bool)
            return {(s, ref): every for s in counts.systems for ref in counts.references}
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
        systems = self.compared(True)
        shared, some = (
            {
                ref: reduce_all([own[system, ref] for system in systems], axis=0)
                for ref in counts.references
            }
            for reduce_all in (np.all, np.any)
        )
        self.lacking[recipe] = [
            system
            for system in systems
            if any((some[ref] & ~own[system, ref]).any() for ref in counts.references)
        ]
        return {
            (system, ref): shared[ref] & mask if system in BASELINES else shared[ref]
            for (system, ref), mask in own.items()
        }

    def _averages(
        self,
        recipe: int,
        system: str,
        reference: str,
        runs: int,
        chosen: Sequence[tuple[Rows, Values, Mask]],
    ) -> Iterator[Number]:
        texts = np.concatenate([rows.texts for rows, _, _ in chosen])
        use = np.concatenate([mask[rows.texts] for rows, _, mask in chosen])
        values = np.concatenate([own for _, own, _ in chosen])[use]
        counts = np.concatenate([rows.counts for rows, _, _ in chosen])[use]
        kept = _distinct(texts[use])
        undefined = len(_distinct(texts)) - len(kept)
        for average in self.choices.averages:
            if average == "micro":
                value = _micro(self.counts.recipes[recipe], counts)
            elif reference == MEAN_OF_REFERENCES or system == HUMAN_CEILING:
                value = _macro(_mean_by(texts[use], values))
            else:
                value = _macro(values)
            number = Number(recipe, system, reference, average, value, len(kept), undefined)
            asked = self.choices.intervals or self.choices.paired
            if asked and system in (*self.compared(True), HUMAN_CEILING) and len(kept):
                run_of = np.repeat(np.arange(runs), _sizes(chosen, runs))[use]
                number = self._with_estimate(number, kept, texts[use], run_of, runs, values, counts)
            yield number

    def _with_estimate(
        self,
        number: Number,
        kept: Ints,
        texts: Ints,
        run_of: Ints,
        runs: int,
        values: Values,
        counts: Counts,
    ) -> Number:
        """The same with its rows: one for each text, or for each group of texts."""
        at = np.searchsorted(kept, texts)
        n = len(kept)
        times = np.bincount(at * runs + run_of, minlength=n * runs).astype(np.float64)
        summed = np.bincount(at * runs + run_of, weights=values, minlength=n * runs)
        by_run = (summed / times).reshape(n, runs)
        recipe = self.counts.recipes[number.recipe]
        function: Callable[[Values], Values] = ratio
        sizes = self.counts.units[kept].astype(np.float64)
        if number.average == "macro":
            rows = np.stack((by_run, np.ones_like(by_run)), axis=2).reshape(n, -1)
        else:
            wide = np.zeros((n * runs, counts.shape[1]))
            np.add.at(wide, at * runs + run_of, counts)
            if number.system == RANDOM_BOUNDARIES:  # whose draws of a text count as one text
                wide /= int(self.counts.drawn.get("draws", 1))
            elif number.system == HUMAN_CEILING:  # and so do the others
                wide /= self._others(number.recipe)
            rows = wide.reshape(n, -1)
            function = recipe.shown
        by_text = by_run.mean(axis=1)
        places = kept
        if self.counts.groups:
            groups = self._group_codes[kept]
            places, of = np.unique(groups, return_inverse=True)
            rows = _by_group(rows, of)
            sizes = _by_group(sizes[:, None], of)[:, 0]
            if self.counts.of_words:  # wins and losses are of documents, whose counts are pooled
                by_text = function(rows)
        elif self._order is not None:
            order = self._order[kept].argsort(kind="stable")
            rows, by_text, places = rows[order], by_text[order], self._order[kept[order]]
        pooled = sizes if number.average == "micro" else None  # in any order
        estimate = Estimate(rows, function, recipe.range, runs, places, pooled)
        return replace(number, estimate=estimate, by_text=by_text, use=kept.tobytes())

    def _others(self, recipe: int) -> int:
        """How many rows of the human ceiling a text has for one row of a system."""
        references = self.counts.references
        if len(references) > 1:
            return len(references) - 1
        ceiling = self.counts.rows[recipe, HUMAN_CEILING, references[0]]
        return int(np.bincount(ceiling.texts).max())

    def _row(self, number: Number, interval: Interval | None) -> dict[str, Any]:
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
            recipe.signature(self.context(number, interval)),
        )
        return dict(zip(COLUMNS, cells, strict=True))

    def context(
        self, number: Number, interval: Interval | None, other: Number | None = None
    ) -> Context:
        """How a cell was made, besides its recipe; ``other`` is compared with."""
        runs = [len(self.counts.systems[one.system]) for one in (number, other) if one]
        context = self.counts.context._replace(
            group="",  # which matters where something was resampled
            avg="" if self.counts.of_words else number.average,
            refs="mean" if number.reference == MEAN_OF_REFERENCES else self.counts.context.refs,
            runs=",".join(dict.fromkeys(str(n) for n in runs if n > 1)),
        )
        if interval and interval.method:
            context = self._resampled(context, interval.method, any(n > 1 for n in runs))
        return self.counts.drawn_by(number.system, context)

    def _resampled(self, context: Context, method: Method, several_runs: bool) -> Context:
        over = ",texts" if several_runs and self.choices.resample == "texts" else ""
        context = context._replace(bs=method + over, group=self.counts.context.group)
        if method == "normal":
            return context
        made = f"{method},{self.choices.resamples}{over}"
        return context._replace(bs=made, seed=str(self.choices.seed))

    # Intervals.

    def _intervals(self) -> dict[int, Interval]:
        """The interval of each cell; those of differences are kept for the comparisons."""
        self._differences: dict[tuple[int, int], Interval] = {}
        if not self.choices.intervals:
            return {}
        found: dict[int, Interval] = {}
        for own in self.same_texts():
            estimates = [self.estimate(i) for i in own]
            place = {i: k for k, i in enumerate(own)}
            pairs = [(i, j) for i, j in self.pairs if i in place]
            made = intervals(
                estimates,
                [(place[i], place[j]) for i, j in pairs],
                method=self.choices.method,
                seed=self.choices.seed,
                count=self.choices.resamples,
                over_runs=self.choices.resample == "texts+runs",
            )
            # A simple baseline has a row for its difference alone.
            each = zip(own, made, strict=False)
            drawn = {*BASELINES} - {HUMAN_CEILING}
            found |= {i: one for i, one in each if self.numbers[i].system not in drawn}
            self._differences |= dict(zip(pairs, made[len(own) :], strict=True))
        return found

    def estimate(self, number: int) -> Estimate:
        """What a cell of a system is made of."""
        estimate = self.numbers[number].estimate
        assert estimate is not None  # only systems are compared
        return estimate

    def same_texts(self) -> list[list[int]]:
        """Cells by the texts they are made of: these are resampled together."""
        groups: dict[bytes, list[int]] = {}
        for i, number in enumerate(self.numbers):
            if number.estimate is not None:
                groups.setdefault(number.use, []).append(i)
        return list(groups.values())

    @cached_property
    def _order(self) -> Ints | None:
        """The rank of each text by its name. Segments of words have their own order."""
        return None if self.counts.of_words else ranks_of_names(list(self.counts.texts))

    @cached_property
    def _group_codes(self) -> Ints:
        """The group of each text, numbered by the alphabet."""
        return np.unique(np.array(self.counts.groups), return_inverse=True)[1]

    @cached_property
    def pairs(self) -> list[Pair]:
        """Cells to compare."""
        return pairs_to_compare(self)

    @property
    def headline(self) -> str:
        """The reference whose rows stand first: the mean, where there are several."""
        several = len(self.counts.references) > 1
        return MEAN_OF_REFERENCES if several else self.counts.references[0]


def _itself(table: Table) -> Table:
    """A finer table that is there already (a table with a lambda could not be pickled)."""
    return table


def _sizes(chosen: Sequence[tuple[Rows, Values, Mask]], runs: int) -> list[int]:
    """Rows of each run; the references of a run follow each other."""
    each = len(chosen) // runs
    return [
        sum(len(rows.texts) for rows, _, _ in chosen[r * each : (r + 1) * each])
        for r in range(runs)
    ]


def _by_group(rows: Values, of: Ints) -> Values:
    summed = np.zeros((int(of.max()) + 1, rows.shape[1]))
    np.add.at(summed, of, rows)
    return summed


def _bad(rows: Rows, values: Values, texts: int) -> Mask:
    """Which texts have no value."""
    bad = np.ones(texts, dtype=bool)
    bad[rows.texts] = False
    bad[rows.texts[np.isnan(values)]] = True
    return bad


def _macro(values: Values) -> float:
    if not len(values):
        return math.nan
    try:
        return math.fsum(values.tolist()) / len(values)
    except OverflowError:  # scores of a function may be near the largest float
        return math.fsum((values / len(values)).tolist())


def _micro(recipe: Recipe, counts: Counts) -> float:
    return float(recipe.shown(add_counts(counts)[None, :])[0]) if len(counts) else math.nan


def _distinct(texts: Ints) -> Ints:
    """The different numbers in order; np.unique would sort, or hash, as many as a table has."""
    present = np.zeros(int(texts.max(initial=-1)) + 1, dtype=bool)
    present[texts] = True
    return np.flatnonzero(present)


def _mean_by(groups: Ints, values: Values) -> Values:
    """The mean of each group's values."""
    times = np.bincount(groups)
    kept = times > 0
    return np.bincount(groups, weights=values)[kept] / times[kept]


def _per_text(counts: CountRows) -> Table:
    columns = ("text", "system", "reference", "metric", "value", "signature")
    rows = [
        dict(
            zip(columns, (counts.texts[text], run, ref, recipe.name, value, signature), strict=True)
        )
        for number, recipe in enumerate(counts.recipes)
        for signature in [recipe.signature()]
        for system, runs in counts.systems_of(number).items()
        if system not in BASELINES
        for run in runs
        for ref in counts.references
        for text, value in zip(
            counts.rows[number, run, ref].texts.tolist(),
            counts.value(number, run, ref).tolist(),
            strict=True,
        )
    ]
    return Table(columns, tuple(rows), name="per-text")


def _by(counts: CountRows, choices: Choices, by: Sequence[str]) -> Table:
    """The scores of each part of the texts alone, with intervals over its texts or its groups."""
    alone = alone_choices(choices)
    names, of = np.unique(np.array(by), return_inverse=True)
    tables = {}
    for number, name in enumerate(names.tolist()):
        own = counts.only(of == number)
        if own.groups and len(set(own.groups)) == 1:  # its texts are what can be resampled
            own = replace(own, groups=None, context=own.context._replace(group=""))
        tables[name] = Summary(own, alone).table()
    return by_parts(tables)


def alone_choices(choices: Choices) -> Choices:
    """How scores of a part of the texts are made: without comparisons."""
    return replace(choices, paired=None, baseline=None, all_pairs=False, margin=None, adjust=None)


TOTAL = "total"  # the row of the whole below its levels
ABOUT_LEVELS = (
    "a level has its own boundaries and all of coarser levels, without types; total is the whole "
    "hierarchy"
)


def by_parts(tables: Mapping[str, Table]) -> Table:
    """The tables of all parts in one, with the name of each part in front."""
    rows = [{"group": name, **row} for name, table in tables.items() for row in table.rows]
    return Table(("group", *COLUMNS), tuple(rows), name="by-group")


def by_group_table(counts: CountRows) -> Table:
    """The scores of each group of segments of words: its counts, pooled."""
    columns = ("group", "system", "reference", "metric", "value", "n", "average", "signature")
    groups = counts.groups or ("",) * len(counts.texts)
    names = {name: place for place, name in enumerate(dict.fromkeys(groups))}
    group_of = np.array([names[group] for group in groups])
    context = counts.context._replace(group="", avg="")
    found: list[dict[str, Any]] = []
    for number, recipe in enumerate(counts.recipes):
        every = (run for runs in counts.systems_of(number).values() for run in runs)
        for run, ref in product(every, counts.references):
            own = counts.rows[number, run, ref]
            for name, place in names.items():
                at = group_of[own.texts] == place
                value, n = _micro(recipe, own.counts[at]), int(at.sum())
                signature = recipe.signature(context)
                cells = (name, run, ref, recipe.name, value, n, "micro", signature)
                found.append(dict(zip(columns, cells, strict=True)))
    found.sort(key=lambda row: names[row["group"]])
    return Table(columns, tuple(found), name="by-group")


RELIABILITY_COLUMNS = ("metric", "system", "reference", "low", "high", "positions",
                       "mean_probability", "share_of_boundaries")  # fmt: skip


def _reliability(counts: CountRows, systems: Sequence[str]) -> Table:
    """Return the bins of probabilities over all texts: how often there was a boundary in each."""
    found: list[dict[str, Any]] = []
    for (number, system, reference), rows in counts.rows.items():
        recipe = counts.recipes[number]
        if recipe.metric.bins is None or system not in systems:
            continue
        edges = recipe.metric.bins(**recipe.settings)
        sums = add_counts(rows.counts).reshape(-1, 3)
        for low, high, (positions, expected, boundaries) in zip(
            edges[:-1], edges[1:], sums.tolist(), strict=True
        ):
            filled = positions > 0
            own = (
                str(recipe), system, reference, low, high, int(positions),
                expected / positions if filled else None,
                boundaries / positions if filled else None,
            )  # fmt: skip
            found.append(dict(zip(RELIABILITY_COLUMNS, own, strict=True)))
    return Table(RELIABILITY_COLUMNS, tuple(found), name="reliability")
