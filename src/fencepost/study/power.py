"""How many texts it takes to see a difference between two systems."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from statistics import NormalDist
from typing import Any, Literal, overload

import numpy as np

from fencepost.metrics.registry import Recipe, Values, as_recipe, meant
from fencepost.model.checks import MetricError
from fencepost.model.corpus import Corpus
from fencepost.model.join import BASELINES
from fencepost.options import RESAMPLES
from fencepost.scoring.counts import CountRows, from_rows
from fencepost.scoring.summary import Choices, Summary
from fencepost.scoring.tables import Table
from fencepost.statistics.intervals import t_975
from fencepost.statistics.resampling import Estimate
from fencepost.statistics.tests import MAX_TEXTS_FOR_ALL_SWAPS, randomization
from fencepost.study import simulate as made_up
from fencepost.study.simulate.randomness import Draws, below, key_of
from fencepost.study.simulate.texts import made_corpus, one_each

MIN_DIFFERENCES = 5
USELESS_RANGE_FACTOR = 100  # a range of needed texts by such a factor says nothing
TRIALS = 2000  # of the exact test, where there are few texts
SWAPS = 999  # of each simulated experiment
EXPERIMENTS_PER_BLOCK = 20  # simulated experiments that share their swaps

Average = Literal["macro", "micro"]
Simulate = Callable[[int, int], Any]  # texts, seed -> paired differences of as many texts
Settings = Mapping[str, Mapping[str, Any]]  # two systems and how they err
COLUMNS = ("texts", "power", "standard_error", "difference", "enough")


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
    what: str = "text"  # or "group", where whole groups are resampled
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return ". ".join(
            (
                f"{self.texts} {self.what}s (from {self.low} to {self.high}) to see a difference "
                f"of {self.difference:g} with a power of {self.power:g} at {self.alpha:g}; the "
                f"differences of {self.pilot} {self.what}s have a deviation of "
                f"{self.deviation:.3g}",
                *self.notes,
            )
        )


@overload
def power(
    given: Any = None,
    *,
    difference: float,
    metric: Any = None,
    systems: tuple[str, str] | None = None,
    average: Average = "macro",
    power: float = 0.8,
    alpha: float = 0.05,
    simulate: None = None,
    texts: Sequence[int] | int = (10, 20, 50, 100, 200),
    times: int = 500,
    seed: int = 12345,
) -> Power: ...
@overload
def power(
    given: Any = None,
    *,
    difference: None = None,
    metric: Any = None,
    systems: tuple[str, str] | None = None,
    average: Average = "macro",
    power: float = 0.8,
    alpha: float = 0.05,
    simulate: Simulate | Settings,
    texts: Sequence[int] | int = (10, 20, 50, 100, 200),
    times: int = 500,
    seed: int = 12345,
) -> Table: ...
def power(
    given: Any = None,
    *,
    difference: float | None = None,
    metric: Any = None,
    systems: tuple[str, str] | None = None,
    average: Average = "macro",
    power: float = 0.8,
    alpha: float = 0.05,
    simulate: Simulate | Settings | None = None,
    texts: Sequence[int] | int = (10, 20, 50, 100, 200),
    times: int = 500,
    seed: int = 12345,
) -> Power | Table:
    """Texts needed to see a mean difference of this size between two systems.

    ``given`` is a table of ``fp.score`` with two systems (name the ``metric`` as there and, of more
    than two, the ``systems``), or the paired differences themselves. Only their variance is used:
    the ``difference`` is the one that would matter to you. The difference that was found does not
    matter here; power at the observed effect is p in other words (Hoenig and Heisey 2001). ``low``
    and ``high`` come from the 95% interval of the variance (jackknife of its logarithm). Runs of a
    system are averaged as in the table; where the table has groups, the answer is a number of
    groups. ``average="micro"`` asks about pooled counts.

    n is from the normal approximation, (z + z')^2 s^2 / d^2, and z^2/2 more for Student's t. Where
    that is 14 or less, the randomization test is tried on normal differences, and n grows until it
    finds as many as it should: with 5 texts it can find nothing at a level of .05.

    With ``simulate`` the answer is a table: for each number of ``texts`` the power, the share of
    ``times`` simulated experiments in which the randomization test finds something, and whether
    that is ``enough`` (at least ``power``). ``simulate`` names two systems and how they err, with
    the settings of ``simulate.errors`` (or ``simulate.typed``, for boundaries with types); they
    segment texts drawn with replacement from the reference ``given``. Or it is a function of a
    number of texts and a seed that gives as many paired differences.

    >>> import fencepost as fp
    >>> found = fp.power([0.1, -0.05, 0.2, 0.0, 0.1, 0.15, -0.1, 0.05], difference=0.05)
    >>> found.texts, found.low, found.high
    (35, 14, 97)
    >>> gold = fp.simulate.references(40, sizes="uniform:5-15", segments=10, seed=1)
    >>> settings = {"a": {"model": "FNP1", "p": 0.2}, "b": {"model": "FNP1", "p": 0.3}}
    >>> table = fp.power(gold, simulate=settings, metric="pk", texts=(10, 40), times=100)
    >>> [(row["texts"], round(row["power"], 2), row["enough"]) for row in table]
    [(10, 0.38, False), (40, 0.98, True)]
    """
    _check_share("power", power)
    _check_share("alpha", alpha)
    if average not in ("macro", "micro"):
        raise MetricError(f"average must be macro or micro, found {average!r}")
    if simulate is not None:
        if difference is not None:
            raise MetricError(
                "a simulation makes its difference itself, and the table shows how large it is: "
                "remove difference"
            )
        plan = _Plan(power, alpha, _numbers(texts), _whole("times", times, 1), _whole("seed", seed))
        return _simulated(plan, _experiments(given, simulate, metric, average, plan))
    if isinstance(difference, bool) or not isinstance(difference, (int, float)):
        raise MetricError(f"difference must be a number, found {difference!r}")
    if not math.isfinite(difference) or difference == 0:
        raise MetricError(f"difference must be a number other than 0, found {difference!r}")
    if isinstance(given, Table):
        values, what = _from_table(given, metric, systems, average)
    else:
        values, what = _plain(given), "text"
        if average == "micro":
            raise MetricError("differences of texts have no counts: micro needs a table")
    return _needed(_enough(values, what), what, abs(float(difference)), power, alpha)


def _check_share(name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < 1:
        raise MetricError(f"{name} must be a number between 0 and 1, found {value!r}")


def _whole(name: str, value: Any, least: int | None = None) -> int:
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not whole or (least is not None and value < least):
        more = "" if least is None else f" from {least} up"
        raise MetricError(f"{name} must be a whole number{more}, found {value!r}")
    return int(value)


def _numbers(texts: Any) -> tuple[int, ...]:
    given = [texts] if isinstance(texts, (int, np.integer)) else texts
    if isinstance(given, (str, bytes)) or not isinstance(given, (Sequence, np.ndarray)):
        raise MetricError(f"texts must be a list of whole numbers, found {texts!r}")
    if not len(given):
        raise MetricError("texts is an empty list; give numbers of texts, such as (10, 20, 50)")
    return tuple(_whole("a number of texts", n, 1) for n in given)


# From the variance of a pilot.


def _needed(values: Values, what: str, difference: float, power: float, alpha: float) -> Power:
    variance = float(values.var(ddof=1))
    low, high = _variance_interval(values)
    needed, fewest, most = (_texts_for(v, difference, power, alpha) for v in (variance, low, high))
    notes = []
    # Ties with the most frequent difference, usually 0: texts in which the systems do the same.
    _, alike = np.unique(np.round(values, 12), return_counts=True)
    differing = len(values) - int(alike.max())
    if differing < MIN_DIFFERENCES:
        notes.append(f"Only {differing} of the {len(values)} {what}s differ from the others")
    if most > USELESS_RANGE_FACTOR * fewest or differing < MIN_DIFFERENCES:
        notes.append("The pilot says too little about the variance: take it as a guess")
    if alpha < 1 / (RESAMPLES + 1):
        notes.append(
            f"A test at {alpha:g} takes more than {RESAMPLES:,} resamples: at least "
            f"{math.ceil(1 / alpha):,}"
        )
    deviation = math.sqrt(variance)
    return Power(
        needed, fewest, most, difference, deviation, power, alpha, len(values), what, tuple(notes)
    )


def _texts_for(variance: float, difference: float, power: float, alpha: float) -> int:
    normal = NormalDist()
    z = normal.inv_cdf(1 - alpha / 2)
    n = (z + normal.inv_cdf(power)) ** 2 * variance / difference**2 + z**2 / 2
    n = max(math.ceil(n), fewest_texts(alpha))
    effect = difference / math.sqrt(variance)
    while n <= MAX_TEXTS_FOR_ALL_SWAPS and exact_power(n, effect, alpha) < power:
        n += 1
    return n


def fewest_texts(alpha: float) -> int:
    """Below so many texts no swap test reaches this level: all their swaps are too few.

    >>> fewest_texts(0.05), fewest_texts(0.01)
    (6, 8)
    """
    return 1 + math.ceil(math.log2(1 / alpha) - 1e-9)


@lru_cache(maxsize=256)
def exact_power(n: int, effect: float, alpha: float) -> float:
    """How often all swaps of n normal differences find a mean of ``effect`` deviations."""
    drawn = np.random.default_rng(n).normal(min(effect, 1e6), 1.0, (TRIALS, n))
    half = np.arange(2 ** (n - 1))  # the other half has the same absolute sums
    signs = 1.0 - 2.0 * ((half[:, None] >> np.arange(n)) & 1)
    found = 0
    for block in np.split(drawn, TRIALS // 100):
        sums = np.abs(block @ signs.T)
        p = (sums >= sums[:, :1] * (1 - 1e-10)).mean(axis=1)
        found += int((p <= alpha).sum())
    return found / TRIALS


def _variance_interval(values: Values) -> tuple[float, float]:
    """95% of the variance: a jackknife of its logarithm, which asks for no normal distribution."""
    n = len(values)
    left = (values.sum() - values) / (n - 1)
    squares = ((values**2).sum() - values**2) - (n - 1) * left**2
    variance = float(values.var(ddof=1))
    if (squares <= 1e-9 * variance).any():
        raise MetricError(
            "all the difference between the systems comes from one text: that tells too little "
            "about the variance; give more texts"
        )
    without = np.log(squares / (n - 2))
    error = math.sqrt((n - 1) / n * float(((without - without.mean()) ** 2).sum()))
    margin = t_975(n - 1) * error
    return variance * math.exp(-margin), variance * math.exp(margin)


def _plain(given: Any) -> Values:
    try:
        values = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.empty((0, 0))
    if values.ndim != 1:
        raise MetricError("give a table of fp.score, or a list of paired differences")
    if not np.isfinite(values).all():
        raise MetricError("a difference is not a number: remove texts whose score is undefined")
    return values


def _enough(values: Values, what: str) -> Values:
    if len(values) < MIN_DIFFERENCES:
        raise MetricError(
            f"{len(values)} {what}s tell too little about the variance: give at least "
            f"{MIN_DIFFERENCES}"
        )
    if float(values.var(ddof=1)) <= 1e-20:
        raise MetricError(f"the differences are the same in all {what}s: they tell no variance")
    return values


# From the counts behind a table.


def _from_table(
    table: Table, metric: Any, systems: tuple[str, str] | None, average: Average
) -> tuple[Values, str]:
    """The parts that texts (or groups) have in the difference, and what they are."""
    if "counts" not in table.parts:
        raise MetricError("give a table of fp.score, or a list of paired differences")
    counts = from_rows(table.part("counts").rows, "the table")
    number = _chosen(counts.recipes, metric)
    recipe = counts.recipes[number]
    if average == "micro" and not recipe.metric.additive:
        raise MetricError(f"{recipe.name} is a plain function without counts: it has no micro")
    pair = _pair(counts, systems)
    two = replace(counts, systems={name: counts.systems[name] for name in pair})
    summary = Summary(two, Choices(average=average))
    cells = {
        cell.system: cell
        for cell in summary.numbers
        if cell.recipe == number and cell.reference == summary.headline
    }
    one, other = (cells[name] for name in pair)
    what = "group" if counts.groups else "text"
    if average == "macro" and not counts.groups:
        return one.by_text - other.by_text, what
    if one.estimate is None or other.estimate is None:
        return np.empty(0), what  # no text has a value
    parts = one.estimate.influence - other.estimate.influence
    if not np.isfinite(parts).all():
        raise MetricError(f"{recipe.name} is undefined without one of the texts")
    return parts, what


def _chosen(recipes: Sequence[Recipe], metric: Any) -> int:
    """The number of the recipe that is meant, read as fp.score reads it."""
    known = [str(recipe) for recipe in recipes]
    if metric is None:
        if len(recipes) > 1:
            raise MetricError(f"say which metric: {', '.join(known)}")
        return 0
    named = meant(metric, recipes)
    if len(named) == 1:
        return recipes.index(named[0])
    if named:
        choices = ", ".join(map(str, named))
        raise MetricError(f"the table has several of {named[0].name}: say which of {choices}")
    said = metric if isinstance(metric, str) else as_recipe(metric, None)
    raise MetricError(f"the table has no metric {said}; it has {', '.join(known)}")


def _pair(counts: CountRows, systems: Any) -> tuple[str, str]:
    names = [system for system in counts.systems if system not in BASELINES]
    if systems is None and len(names) != 2:
        raise MetricError(f"say which two systems: {', '.join(names)}")
    pair = names if systems is None else systems
    whole = isinstance(pair, (list, tuple)) and len(pair) == 2
    if not whole or pair[0] == pair[1] or any(name not in names for name in pair):
        raise MetricError(f"systems are two of {', '.join(names)}, found {systems!r}")
    return pair[0], pair[1]


# By simulation.


@dataclass(frozen=True)
class _Plan:
    power: float
    alpha: float
    texts: tuple[int, ...]
    times: int
    seed: int

    def blocks(self, n: int) -> Iterator[tuple[int, int]]:
        """The first experiment of each block, and how many there are; memory stays the same."""
        size = max(1, min(EXPERIMENTS_PER_BLOCK, 20_000 // n))
        edges = [*range(0, self.times, size), self.times]
        return ((first, last - first) for first, last in pairwise(edges))


Block = list[tuple[Estimate, Estimate]]  # the two systems of each experiment
Experiments = Callable[[int, int, int], Block]  # texts, first experiment, experiments


def _simulated(plan: _Plan, experiments: Experiments) -> Table:
    """How often the randomization test finds a simulated difference, and how large that was."""
    rows = []
    for n in plan.texts:
        found, away = 0, []
        for first, size in plan.blocks(n):
            block = experiments(n, first, size)
            estimates = [system for pair in block for system in pair]
            pairs = [(2 * k, 2 * k + 1) for k in range(len(block))]
            seed = int(key_of(plan.seed, "swaps", n, first))
            tests = randomization(estimates, pairs, seed=seed, count=SWAPS)
            for (one, other), test in zip(block, tests, strict=True):
                difference = one.value - other.value
                away.append(difference)
                found += not math.isnan(difference) and test.p <= plan.alpha
        share = found / plan.times
        known = [d for d in away if not math.isnan(d)]
        cells = (
            n,
            share,
            math.sqrt(share * (1 - share) / plan.times),
            math.fsum(known) / len(known) if known else math.nan,
            share >= plan.power,
        )
        rows.append(dict(zip(COLUMNS, cells, strict=True)))
    facts = {"power": plan.power, "alpha": plan.alpha, "times": plan.times, "seed": plan.seed}
    return Table(COLUMNS, tuple(rows), name="power", facts=facts)


def _experiments(
    given: Any, simulate: Any, metric: Any, average: Average, plan: _Plan
) -> Experiments:
    if callable(simulate):
        if given is not None or metric is not None or average != "macro":
            raise MetricError(
                "a function that gives differences needs no texts, metric or average: give "
                "differences of texts or a simulation, not both"
            )
        return _of_function(simulate, plan.seed)
    if not isinstance(simulate, Mapping) or len(simulate) != 2:
        raise MetricError(
            "simulate is a function, or two systems with their settings: "
            "{'a': {'model': 'FNP1', 'p': 0.1}, 'b': {'model': 'FNP1', 'p': 0.2}}"
        )
    if given is None:
        raise MetricError("give the reference that the two systems segment")
    if metric is None:
        raise MetricError("say which metric the two systems are scored by")
    recipe = as_recipe(metric, None)
    if average == "micro" and not recipe.metric.additive:
        raise MetricError(f"{recipe.name} is a plain function without counts: it has no micro")
    reference = one_each(given)
    systems = {str(name): _checked(name, own, reference) for name, own in simulate.items()}
    return _of_systems(reference, systems, recipe, average, plan.seed)


def _checked(name: Any, settings: Any, reference: Corpus) -> dict[str, Any]:
    typed = reference.vocabulary is not None
    known = ["model", "p", "spread", "distance"]
    if typed:
        known = ["substitute", "move", "delete", "insert", "distance"]
    unknown = [key for key in settings if key not in known] if isinstance(settings, Mapping) else []
    if not isinstance(settings, Mapping) or unknown:
        maker = "typed" if typed else "errors"
        raise MetricError(
            f"the settings of {name} belong to simulate.{maker} ({', '.join(known)}), "
            f"found {unknown[0] if unknown else settings!r}"
        )
    return dict(settings)


def _of_function(function: Simulate, seed: int) -> Experiments:
    """Experiments of a user's function of a number of texts and a seed."""

    def one(n: int, seed: int) -> tuple[Estimate, Estimate]:
        try:
            own = np.asarray(function(n, seed), dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise MetricError(f"the simulation of {n} texts failed: {error}") from error
        if own.shape != (n,) or not np.isfinite(own).all():
            raise MetricError(f"the simulation of {n} texts must give {n} differences")
        return Estimate(_with_ones(own), _mean), Estimate(_with_ones(0 * own), _mean)

    return lambda n, first, size: [one(n, seed + k) for k in range(first, first + size)]


def _with_ones(values: Values) -> Values:
    return np.column_stack((values, np.ones(len(values))))


def _mean(sums: Values) -> Values:
    """The mean from the sums of :func:`_with_ones`."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(sums[:, 0] / sums[:, 1])


def _of_systems(
    reference: Corpus, systems: Settings, recipe: Recipe, average: Average, seed: int
) -> Experiments:
    """Experiments of two systems that err at random, independently of each other."""
    make = made_up.errors if reference.vocabulary is None else made_up.typed

    def block(n: int, first: int, size: int) -> Block:
        # The texts of all experiments are drawn with replacement.
        draws = Draws.of(int(key_of(seed, "texts", n, first)), "power", size * n)
        drawn = draws.uniform("text", np.arange(size * n), np.zeros(size * n, dtype=np.int64))
        rows = below(drawn, len(reference))
        column, units = reference.column.take(rows), reference.units[rows]
        texts = made_corpus(column, units, reference.vocabulary)
        counts = []
        for name, settings in systems.items():
            made = make(texts, **settings, seed=int(key_of(seed, "errors", name, n, first)))
            counts.append(np.asarray(recipe.count(made), dtype=np.float64))
        values = [recipe.value(own) for own in counts]
        undefined = np.isnan(values[0] + values[1])
        macro = average == "macro"
        added, function = (map(_with_ones, values), _mean) if macro else (counts, recipe.value)
        # Texts that are undefined for one system are left out for both, as in tables.
        kept = (np.where(undefined[:, None], 0.0, own) for own in added)
        one, other = (own.reshape(size, n, -1) for own in kept)
        return [
            (Estimate(a, function), Estimate(b, function)) for a, b in zip(one, other, strict=True)
        ]

    return block
