"""What a property is: a question, a stated threshold, and a function that measures a figure."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.resources import files
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from fencepost.metrics.registry import Recipe, Values
from fencepost.model.checks import FencepostError, Ints, MetricError, offsets_of
from fencepost.model.pairs import Column, Pairs
from fencepost.model.segmentation import Segmentation
from fencepost.study.simulate.randomness import key_of

Verdict = Literal["yes", "no", "undefined"]
Family = Literal[
    "laws", "errors", "types", "levels", "probabilities", "settings", "texts", "chance",
    "diaz2022", "people",
]  # fmt: skip
Bools = npt.NDArray[np.bool_]

# Values are made from exact counts in a dozen floating-point steps; what is closer is equal.
EQUAL = 1e-9
MAX_UNITS_OF_LAWS = 10  # all pairs of such texts are 262,144


class ProbeError(FencepostError):
    """A property that is not there, or a study that cannot be made."""


@dataclass(frozen=True)
class Threshold:
    """The figures that mean yes, as they are written: ``<= 0.1``, ``> 1.1``, ``0.9 to 1.1``.

    >>> Threshold("<= 0.1").verdict(0.1), Threshold("0.9 to 1.1").verdict(1.2)
    ('yes', 'no')
    """

    said: str

    def holds(self, figure: float) -> bool:
        """Whether the figure means yes; rounding errors do not decide."""
        if " to " in self.said:
            low, high = map(float, self.said.split(" to "))
            return low - EQUAL <= figure <= high + EQUAL
        sign, _, limit = self.said.partition(" ")
        more = figure - float(limit)
        return {"<=": more <= EQUAL, "<": more < -EQUAL, ">=": more >= -EQUAL, ">": more > EQUAL}[
            sign
        ]

    def verdict(self, figure: float) -> Verdict:
        """Yes, no, or undefined where there is no figure."""
        if math.isnan(figure):
            return "undefined"
        return "yes" if self.holds(figure) else "no"


@dataclass(frozen=True)
class Shown:
    """Two texts to be drawn over each other, with their names and what the metric says."""

    ref: Segmentation
    hyp: Segmentation
    value: float
    names: tuple[str, str] = ("reference", "hypothesis")


Example = tuple[Shown, ...]


@dataclass(frozen=True)
class Curve:
    """How the penalty moves with something: the loss, 0 for a perfect score."""

    name: str
    x_label: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    labels: tuple[str, ...] = ()  # names of the places, where they are no scale
    half: tuple[float, ...] = ()  # of the 95% interval, where points are means over drawn texts

    @property
    def band(self) -> tuple[tuple[float, ...], tuple[float, ...]] | None:
        """Both ends of the interval of each point; None where nothing was drawn."""
        if not self.half:
            return None
        both = list(zip(self.y, self.half, strict=True))
        return tuple(y - half for y, half in both), tuple(y + half for y, half in both)


@dataclass(frozen=True)
class Measured:
    """What a measurement gives: a figure (NaN where undefined), and what shows it."""

    figure: float
    detail: str = ""
    example: Example = ()
    curves: tuple[Curve, ...] = ()
    applies: bool = True  # whether the property is one of such metrics


@dataclass(frozen=True)
class Property:
    """One thing that a metric does or does not do; its name is a claim that a verdict answers."""

    name: str
    family: Family
    asks: str
    figure: str
    threshold: Threshold

    def answer(self, subject: Subject) -> Answer:
        """Measure; a metric that fails on these texts has no figure, and the reason is kept."""
        try:
            measured = MEASURES[self.name](subject)
        except MetricError as error:
            return Answer(self, Measured(math.nan, str(error)), "undefined", failed=error)
        return Answer(self, measured, self.threshold.verdict(measured.figure))

    def __reduce__(self) -> tuple[Any, ...]:
        return _property_named, (self.name,)  # one object for each, in other processes too


def _property_named(name: str) -> Property:
    return next(one for one in PROPERTIES if one.name == name)


@dataclass(frozen=True)
class Answer:
    """A property of one metric: the figure, the verdict, and what shows it."""

    asked: Property
    measured: Measured
    verdict: Verdict
    failed: MetricError | None = field(default=None, compare=False)

    @property
    def figure(self) -> float:
        """The number the verdict rests on."""
        return self.measured.figure

    @property
    def example(self) -> Example:
        """The smallest counter-example, where the answer is no and one can be drawn."""
        return self.measured.example if self.verdict == "no" else ()


# What each property asks, measures, and needs to hold, in the order of the card.
_LISTED = json.loads((files(__package__) / "properties.json").read_text(encoding="utf-8"))
PROPERTIES = tuple(Property(**row | {"threshold": Threshold(row["threshold"])}) for row in _LISTED)
Measure = Callable[["Subject"], Measured]
MEASURES: dict[str, Measure] = {}


def measures(name: str) -> Callable[[Measure], Measure]:
    """Declare a function that measures the property of this name in properties.json."""

    def declared(measure: Measure) -> Measure:
        MEASURES[name] = measure
        return measure

    return declared


@dataclass(frozen=True)
class Preference:
    """People found one of two hypotheses better."""

    name: str
    reference: Segmentation
    first: Segmentation
    second: Segmentation
    preferred: Literal["first", "second"]


@dataclass(frozen=True)
class Scope:
    """How a probe runs: its seed, how far exhaustive searches go, and whose preferences count."""

    seed: int = 12345
    largest: int = 10
    preferences: tuple[Preference, ...] = ()


@dataclass(frozen=True, eq=False)
class Subject:
    """The metric under study, as a loss: 0 where it is perfect, more where it is worse."""

    recipe: Recipe
    study: Scope = Scope()

    @property
    def plain(self) -> bool:
        """A plain Python function, which declares no facts."""
        return not self.recipe.metric.additive

    @property
    def label(self) -> str:
        """The metric as the command line takes it, without what is the default anyway."""
        metric, settings = self.recipe.metric, self.recipe.settings
        own = {
            key: metric.params[key].show(value)
            for key, value in settings.items()
            if value != metric.params[key].check(key, metric.defaults[key])
        }
        return metric.written + (":" + ",".join(f"{k}={v}" for k, v in own.items()) if own else "")

    @property
    def better(self) -> Literal["lower", "higher"]:
        """The better end: declared, or for a plain function the end where equal texts are."""
        return self.recipe.metric.better

    @cached_property
    def range(self) -> tuple[float, float]:
        """Declared, or 0 to 1."""
        low, high = self.recipe.limits
        return (low, high) if math.isfinite(low) or math.isfinite(high) else (0.0, 1.0)

    @cached_property
    def best(self) -> float:
        """The perfect score: the better end of the range, or what most equal texts get."""
        if not self.plain:
            return self.range[1] if self.better == "higher" else self.range[0]
        same = np.diag(self.table(5))
        values, counts = np.unique(same[~np.isnan(same)], return_counts=True)
        return float(values[np.argmax(counts)]) if len(values) else math.nan

    @property
    def span(self) -> float:
        """From the worst score to the best; infinite where there is no worst."""
        found = self.table(5)
        if self.plain and bool(((found < 0) | (found > 1)).any()):
            return math.inf  # a plain function has no declared range
        worst = self.range[0] if self.better == "higher" else self.range[1]
        return abs(self.best - worst)

    def values(self, pairs: Pairs) -> Values:
        """The metric's own values; NaN where it has none, or where a plain function fails."""
        try:
            values = self.recipe.value(self.recipe.count(pairs))
        except (FencepostError, SystemExit) as error:
            if not self.plain:
                raise as_failure(self.label, error) from error
            self.failures.append(as_failure(self.label, error))
            values = np.array([self._one(pairs, row) for row in range(len(pairs))])
        except Exception as error:  # a metric from a file may fail in any way
            raise MetricError(f"{self.label} failed: {type(error).__name__}: {error}") from error
        return np.where(np.isfinite(values), values, math.nan)

    def _one(self, pairs: Pairs, row: int) -> float:
        """What a plain function says of one pair; NaN where it fails, which is known by now."""
        try:
            ref, hyp = pairs.segmentation(row, "ref"), pairs.segmentation(row, "hyp")
            return float(self.recipe.metric.wraps(ref, hyp))
        except (Exception, SystemExit):
            return math.nan

    @cached_property
    def failures(self) -> list[FencepostError]:
        """What a plain function raised first, in each list of pairs."""
        return []

    def loss(self, values: Values) -> Values:
        """Values as distances from the perfect score."""
        return self.best - values if self.better == "higher" else values - self.best

    def pair_losses(self, pairs: Pairs) -> Values:
        """The loss of each pair."""
        return self.loss(self.values(pairs))

    def losses(self, refs: Sequence[Segmentation], hyps: Sequence[Segmentation]) -> Values:
        """The loss of each pair of two lists."""
        return self.pair_losses(Pairs.from_segmentations(refs, hyps))

    @cached_property
    def _tables(self) -> dict[int, Values]:
        return {}

    def table(self, units: int) -> Values:
        """The values of all pairs of texts with so many units; see :func:`text_of`."""
        if units not in self._tables:
            codes = np.arange(1 << (units - 1))
            ref = column_of(np.repeat(codes, len(codes)), units)
            hyp = column_of(np.tile(codes, len(codes)), units)
            pairs = Pairs(ref, hyp, np.full(len(ref), units))
            self._tables[units] = self.values(pairs).reshape(len(codes), len(codes))
        return self._tables[units]

    def sizes(self, most: int = MAX_UNITS_OF_LAWS) -> Sequence[int]:
        """The numbers of units for which all pairs of texts are looked at."""
        return range(2, min(most, self.study.largest) + 1)

    def seed(self, what: str) -> int:
        """A seed of its own for each purpose."""
        return int(key_of(self.study.seed, what))


def as_failure(label: str, error: FencepostError | SystemExit) -> FencepostError:
    """A function that ends the program has failed, as one that raises has."""
    if isinstance(error, FencepostError):
        return error
    return MetricError(f"{label} failed: it ended the program (SystemExit: {error.code})")


def mean(values: Values) -> float:
    """The mean of what is defined; NaN where nothing is."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else math.nan


def standard_error(values: Values) -> float:
    """The standard error of the mean over texts; NaN below two texts."""
    known = values[~np.isnan(values)]
    return float(known.std(ddof=1)) / math.sqrt(len(known)) if len(known) > 1 else math.nan


def half_of_interval(values: Values) -> float:
    """Half of the 95% interval of the mean over texts; NaN below two texts."""
    return 1.96 * standard_error(values)


def column_of(codes: Ints, units: int) -> Column:
    """Texts from numbers: bit p - 1 of a number is a boundary after unit p."""
    octets = np.ascontiguousarray(codes, dtype="<u4").view(np.uint8).reshape(-1, 4)
    bits = np.unpackbits(octets, axis=1, count=units - 1, bitorder="little")
    places = np.flatnonzero(bits) % (units - 1) + 1
    return Column.own(places, offsets_of(bits.sum(axis=1)))


def text_of(code: int, units: int) -> Segmentation:
    """One text from its number.

    >>> text_of(0b0101, 5).masses
    (1, 2, 2)
    """
    return Segmentation(units, [p + 1 for p in range(units - 1) if code >> p & 1])


def shown(subject: Subject, *pairs: tuple[Segmentation, Segmentation, str, str]) -> Example:
    """A counter-example from pairs of texts and their names."""
    values = subject.values(
        Pairs.from_segmentations([pair[0] for pair in pairs], [pair[1] for pair in pairs])
    )
    return tuple(
        Shown(ref, hyp, float(value), (one, other))
        for (ref, hyp, one, other), value in zip(pairs, values, strict=True)
    )
