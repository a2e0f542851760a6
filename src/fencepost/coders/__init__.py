"""Agreement between annotators: observed similarity, what chance would give, and coefficients."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, Literal

import numpy as np

from fencepost.annotations import Annotations
from fencepost.checks import MetricError
from fencepost.coders.cautions import cautions
from fencepost.coders.chance import SIMULATED, Null, last_places, nulls
from fencepost.coders.coefficients import (
    Alpha,
    Bias,
    Counting,
    Decisions,
    Estimate,
    Formula,
    ItemWeighted,
    Known,
    Majority,
    Pooling,
    Rates,
    Simulation,
    Sums,
    Weighting,
    beyond_chance,
)
from fencepost.corpus import Corpus
from fencepost.metrics.base import Recipe, as_recipe
from fencepost.result import Signature, Table
from fencepost.statistics import bootstrap, jackknife_interval, percentile_interval

Chance = Literal["shuffle", "bernoulli", "uniform", "uniform-kinds", "fournier2012", "two-category"]
CHANCES: tuple[Chance, ...] = (*SIMULATED, "fournier2012", "two-category")
COUNTINGS: tuple[Counting, ...] = ("cuts", "segments")
POOLINGS: tuple[Pooling, ...] = ("pooled", "mean-of-rates")
WEIGHTINGS: tuple[Weighting, ...] = ("places", "mass", "printed")
COEFFICIENTS = ("kappa", "pi", "bennett", "modified bennett", "pi*", "kappa*", "bias", "alpha",
                "majority")  # fmt: skip
EXACT_PLACES = "boundary_agreement"  # the metric of alpha, majority and two categories
PRESETS: dict[str, dict[str, Any]] = {
    "fournier2012": {"metric": "S", "chance": "fournier2012", "counting": "segments"},
    "segeval": {"metric": "B", "chance": "fournier2012", "pooling": "mean-of-rates"},
}

COLUMNS = (
    "coefficient",
    "metric",
    "value",
    "low",
    "high",
    "observed",
    "expected",
    "standard_error",
    "chance",
    "signature",
)
DRAWS = 400
RESAMPLES = 1000
DRAWN_PAIRS = 4_000_000  # fewer draws where there are so many pairs that a few say as much


def agreement(
    corpus: Any,
    *,
    metric: Any = None,
    chance: Chance | Sequence[Chance] | None = None,
    coefficient: str | Sequence[str] | None = None,
    counting: Counting = "cuts",
    pooling: Pooling = "pooled",
    weighting: Weighting = "places",
    like: str | None = None,
    draws: int | None = None,
    seed: int = 12345,
    exact: bool = False,
    resamples: int = RESAMPLES,
    interval: Literal["texts", "coders"] = "texts",
    headline: bool = False,
    everything: bool = False,
) -> Table:
    """Similarity of annotators beyond what they would have by chance.

    Every coefficient is (observed - expected) / (1 - expected). Observed is the value of the
    counts of all pairs of coders over all texts together, so coders may be missing on some texts.

    Without ``metric`` and ``chance`` there are three rows: kappa of B, whose chance is coders who
    put their own numbers of cuts at random places; Krippendorff's alpha on exact places; and, for
    comparison with the literature, pi* of S by the formula of fournier2012, which is far from 0
    for random coders (``facts["random_pi"]`` says how far). ``headline`` gives these three with
    another metric in B's place, ``everything`` adds all others.

    ``chance``: "shuffle" (numbers of cuts kept) and "bernoulli" (rates of cuts kept) are simulated
    ``draws`` times (400; fewer where there are millions of pairs), seeded, with the standard error
    of the expected value; kappa keeps each coder's own numbers and pi those of all together.
    "uniform" and "uniform-kinds" are Bennett's S and its form in lai2023. "fournier2012" is the
    paper's formula (pi*, kappa*, bias) with its switches: ``counting`` cuts or segments,
    ``pooling`` of rates over all places or as a mean of rates, ``weighting`` of texts by places,
    by mass (equation 6) or as printed (equation 12). "two-category" is the classical chance for
    exact places, p^2 + (1 - p)^2. ``like`` is "fournier2012" or "segeval".

    ``low`` and ``high`` are the 95% interval of a bootstrap over texts, or with
    ``interval="coders"`` of a jackknife over coders. ``part()`` has more: "texts", "coders",
    "matrix", "without", "kinds", "ceiling" and "places".

    >>> import fencepost as fp
    >>> texts = {"a": {"x": [5, 5, 4], "y": [5, 4, 5]}, "b": {"x": [6, 6], "y": [6, 6]}}
    >>> for row in fp.agreement(fp.Corpus.from_dict(texts)):
    ...     print(f"{row['coefficient']:6} {row['metric']:24} {row['observed']:.3f}")
    kappa  boundary_similarity      0.833
    alpha  boundary_agreement       0.917
    pi*    segmentation_similarity  0.958
    """
    if like is not None:
        preset = _preset(like)
        metric, chance = metric or preset["metric"], chance or preset["chance"]
        counting = preset.get("counting", counting) if counting == "cuts" else counting
        pooling = preset.get("pooling", pooling) if pooling == "pooled" else pooling
    _check_choice("counting", counting, COUNTINGS)
    _check_choice("pooling", pooling, POOLINGS)
    _check_choice("weighting", weighting, WEIGHTINGS)
    _check_choice("interval", interval, ("texts", "coders"))
    _check_number("draws", DRAWS if draws is None else draws, 2)
    _check_number("resamples", resamples, 0)
    annotations = Annotations.of(Corpus.from_given(corpus, "corpus"))
    wanted = _as_list(coefficient)
    for one in wanted or ():
        _check_choice("coefficient", one, COEFFICIENTS)
    study = Study(
        annotations, as_recipe("B" if metric is None else metric, None), draws, seed, exact,
        counting, pooling, weighting, resamples, interval,
    )  # fmt: skip
    if everything:
        return study.table(list(study.everything()), random_pi=True)
    if headline or (metric is None and chance is None and wanted is None):
        return study.table(list(study.headline()), random_pi=True)
    chances = _as_list(chance) or ["shuffle"]
    for one in chances:
        _check_choice("chance", one, CHANCES)
    return study.table(list(study.rows(chances, wanted)))


@dataclass(frozen=True)
class Row:
    """One coefficient: its name, what it is made of, and how it was made."""

    coefficient: str
    recipe: Recipe
    chance: str
    estimate: Estimate
    made: Mapping[str, str] = field(default_factory=dict)  # what the signature tells besides
    standard_error: float | None = None

    def signature(self, more: Mapping[str, str]) -> Signature:
        """Everything that changes the number."""
        return self.recipe.signature(**{**self.made, "coefficient": self.coefficient, **more})


@dataclass(frozen=True)
class Study:
    """One corpus under one way of measuring agreement."""

    annotations: Annotations
    recipe: Recipe
    asked_draws: int | None = None
    seed: int = 12345
    exact: bool = False
    counting: Counting = "cuts"
    pooling: Pooling = "pooled"
    weighting: Weighting = "places"
    resamples: int = RESAMPLES
    interval: Literal["texts", "coders"] = "texts"

    def __post_init__(self) -> None:
        if not self.recipe.metric.symmetric or self.recipe.metric.better != "higher":
            raise MetricError(
                "agreement needs a symmetric similarity such as B, S, A, F or Sf; "
                f"{self.recipe.name} is not"
            )

    @property
    def draws(self) -> int:
        """As many as asked for, or 400 as long as that is quick."""
        if self.asked_draws is not None:
            return self.asked_draws
        return int(np.clip(DRAWN_PAIRS // len(self.annotations.first), 4, DRAWS))

    def on(self, metric: Any) -> Study:
        """The same with another metric."""
        return replace(self, recipe=as_recipe(metric, None))

    def on_annotations(self, annotations: Annotations) -> Study:
        """The same with other annotations."""
        return replace(self, annotations=annotations)

    @cached_property
    def seen(self) -> Annotations:
        """The annotations as the metric sees them."""
        return self.annotations.view(self.recipe.metric.sees)

    @cached_property
    def found(self) -> Sums:
        """The counts of all pairs."""
        return Sums.observed(self.seen, self.recipe)

    # Which rows.

    def headline(self) -> Iterator[Row]:
        """The three rows people should look at first."""
        yield from self.rows(["shuffle"], ["kappa"])
        yield from self.rows([], ["alpha"])
        yield from self.on("S").rows(["fournier2012"], ["pi*"])

    def everything(self) -> Iterator[Row]:
        """All coefficients of this metric, of S by the formula, and of exact places."""
        yield from self.headline()
        yield from self.rows(["shuffle"], ["pi"])
        yield from self.rows(["bernoulli"])
        if self.recipe.name != "segmentation_similarity":
            yield from self.rows(["fournier2012"])
        yield from self.on("S").rows(["fournier2012"], ["kappa*", "bias"])
        yield from self.on(EXACT_PLACES).rows(["two-category"])
        yield from self.rows([], ["majority"])

    def rows(self, chances: Sequence[str], wanted: Sequence[str] | None = None) -> Iterator[Row]:
        """The rows of these chances; ``wanted`` names coefficients to keep, or to add."""
        simulated = [c for c in chances if c in SIMULATED]
        for null in nulls(self.seen, self.recipe.metric.sees, simulated):
            if wanted is None or null.coefficient in wanted:
                yield self._exact(null) if self.exact else self._simulated(null)
        for chance in chances:
            if chance not in SIMULATED:
                for row in self._formulas(chance):
                    if wanted is None or row.coefficient in wanted:
                        yield row
        places = as_recipe(EXACT_PLACES, None)
        if wanted and "alpha" in wanted:
            made = {"chance": "krippendorff"}
            yield Row("alpha", places, "krippendorff", Alpha(self._decisions), made)
        if wanted and "majority" in wanted:
            yield Row("majority", places, "none", Majority(self._decisions))

    @cached_property
    def _decisions(self) -> Decisions:
        return Decisions.of(self.annotations)

    def _simulated(self, null: Null) -> Row:
        drawn = Sums.drawn(self.seen, self.recipe, null, self.draws, self.seed)
        estimate = Simulation(self.recipe, self.found, drawn)
        made = {"chance": f"{null.chance},{self.draws}", "seed": str(self.seed)}
        error = estimate.standard_error()
        return Row(null.coefficient, self.recipe, null.chance, estimate, made, error)

    def _exact(self, null: Null) -> Row:
        from fencepost.coders.exact import expected_similarity

        known = expected_similarity(self.recipe, self.seen, null)
        estimate = Known(self.recipe, self.found, known)
        made = {"chance": f"{null.chance},exact"}
        return Row(null.coefficient, self.recipe, null.chance, estimate, made, 0.0)

    def _formulas(self, chance: str) -> Iterator[Row]:
        both = chance == "two-category"
        if both and self.recipe.name != EXACT_PLACES:
            raise MetricError(
                "two categories, cut or no cut, are for exact places: "
                f"metric={EXACT_PLACES}, or another chance for {self.recipe.name}"
            )
        places = last_places(self.seen, self.recipe.metric.sees)
        rates = Rates.of(self.seen, self.counting, places)
        kappa = Formula(self.recipe, self.found, rates, "kappa*", self.pooling, both)
        pi = replace(kappa, coefficient="pi*")
        made = {"chance": chance, "counting": self.counting, "pooling": self.pooling}
        made |= {"weighting": self.weighting}
        for name, formula in (("pi*", pi), ("kappa*", kappa)):
            estimate: Estimate = formula
            if self.weighting != "places":
                estimate = ItemWeighted.of(formula, self.seen, self.weighting)
            yield Row(name, self.recipe, chance, estimate, made)
        if not both:
            yield Row("bias", self.recipe, chance, Bias(pi, kappa), made)

    # What becomes of them.

    def table(self, rows: Sequence[Row], random_pi: bool = False) -> Table:
        """The coefficients with intervals, notes, and finer tables behind them."""
        made = [self._cells(row) for row in rows]
        facts = self.annotations.facts() | {"draws": self.draws, "seed": self.seed}
        if random_pi:
            facts["random_pi"] = self._random_pi(rows)
        from fencepost.coders import parts

        makers: dict[str, Callable[[], Table]] = {
            "texts": partial(parts.texts, self, rows),
            "coders": partial(parts.coders, self),
            "matrix": partial(parts.matrix, self),
            "without": partial(parts.without, self, rows),
            "kinds": partial(parts.kinds, self, rows),
            "ceiling": partial(parts.ceiling, self),
            "places": partial(parts.places, self.annotations),
        }
        notes = cautions(self.annotations, made, self.recipe, self.interval)
        return Table(COLUMNS, tuple(made), name="agreement", notes=notes, facts=facts, parts=makers)

    def _cells(self, row: Row) -> dict[str, Any]:
        one = np.ones((1, len(self.annotations.texts)))
        value = _number(row.estimate.value(one))
        low, high = self.interval_of(row, value)
        more = dict(self.annotations.corpus.reading)
        if low is not None:
            more["interval"] = f"texts,{self.resamples}" if self.interval == "texts" else "coders"
        cells = (
            row.coefficient, row.recipe.name, value, low, high,
            _number(row.estimate.observed(one)), _number(row.estimate.expected(one)),
            row.standard_error, row.chance, row.signature(more),
        )  # fmt: skip
        return dict(zip(COLUMNS, cells, strict=True))

    def interval_of(self, row: Row, value: float) -> tuple[float | None, float | None]:
        """95%: a bootstrap over texts, or a jackknife over coders."""
        if math.isnan(value):
            return None, None
        if self.interval == "coders":
            from fencepost.coders.parts import values_without

            bounds = jackknife_interval(value, values_without(self, row))
        else:
            texts = len(self.annotations.texts)
            if texts < 2 or self.resamples == 0:
                return None, None
            found = bootstrap(row.estimate.value, texts, seed=self.seed, count=self.resamples)
            bounds = percentile_interval(found)
        return (None, None) if math.isnan(bounds[0]) else bounds

    def _random_pi(self, rows: Sequence[Row]) -> float | None:
        """What pi* would be if the cuts of these coders stood at random places."""
        row = next((r for r in rows if r.coefficient == "pi*" and r.chance == "fournier2012"), None)
        if row is None or not isinstance(row.estimate, Formula):
            return None
        study = self.on(row.recipe)
        few = max(2, self.draws // 8)  # for one sentence with three digits
        drawn = Sums.drawn(study.seen, row.recipe, Null("shuffle", "kappa"), few, self.seed)
        one = np.ones((1, len(self.annotations.texts)))
        reached = Simulation(row.recipe, study.found, drawn).expected(one)
        return _number(beyond_chance(reached, row.estimate.expected(one)))


def _number(values: Any) -> float:
    return float(values[0])


def _as_list(given: Any) -> list[Any] | None:
    return given if given is None else [given] if isinstance(given, str) else list(given)


def _preset(like: str) -> dict[str, Any]:
    if like not in PRESETS:
        raise MetricError(f"agreement has no preset {like!r}; it has: {', '.join(PRESETS)}")
    return PRESETS[like]


def _check_choice(name: str, value: Any, choices: Sequence[str]) -> None:
    if value not in choices:
        raise MetricError(f"{name} must be one of {', '.join(choices)}, found {value!r}")


def _check_number(name: str, value: Any, low: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < low:
        raise MetricError(f"{name} must be a whole number from {low} up, found {value!r}")


__all__ = ["CHANCES", "COLUMNS", "Annotations", "Chance", "Row", "Study", "agreement"]
