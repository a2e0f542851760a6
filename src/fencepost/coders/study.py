"""One corpus under one way of measuring agreement: its rows, intervals and finer tables."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from typing import Any, TypeVar, cast

import numpy as np

from fencepost.coders import breakdowns as parts
from fencepost.coders.annotations import Annotations
from fencepost.coders.cautions import cautions
from fencepost.coders.chance import (
    MIN_TEXTS_FOR_POSITIONS,
    SIMULATED,
    Null,
    Simulated,
    SizeChance,
    keys_of,
    last_places,
    nulls,
    size_chance,
)
from fencepost.coders.coefficients import (
    Alpha,
    Bias,
    Coefficient,
    Decisions,
    Formula,
    ItemWeighted,
    Known,
    Majority,
    Rates,
    Simulation,
    Sums,
    WithMajority,
    beyond_chance,
)
from fencepost.coders.expected import expected_similarity
from fencepost.coders.intervals import APPROXIMATE_BELOW_CODERS, MIN_CODERS, Spread
from fencepost.coders.unitizing import GAMMA_DRAWS, AlphaU, Gamma, left_out
from fencepost.metrics.edit import segmentation_similarity
from fencepost.metrics.registry import Recipe, Values, as_recipe, find
from fencepost.metrics.signature import Context, Signature, in_order
from fencepost.model.checks import MetricError
from fencepost.model.corpus import Corpus
from fencepost.model.levels import Order
from fencepost.model.pairs import Pairs
from fencepost.model.segmentation import Segmentation
from fencepost.options import RESAMPLES_OF_AGREEMENT, Counting, Method, Pooling, Weighting
from fencepost.options import Interval as Over
from fencepost.scoring.advice import method_note
from fencepost.scoring.facts import facts_of_types
from fencepost.scoring.tables import Facts, Table
from fencepost.statistics.intervals import (
    CONSTANT,
    MIN_TEXTS_FOR_INTERVAL,
    PERCENTILES_FROM_TEXTS,
    ROUGH_BELOW_TEXTS,
    TOO_FEW,
    UNDEFINED,
    Interval,
    jackknife_interval,
    weighted_interval,
)
from fencepost.statistics.resampling import ROUNDING
from fencepost.wording import plural

KEEP_SEGMENTS = ("sizes", "inner-sizes", "shuffle")  # chances that gamma can take
MAX_POSITIONS_DRAWN = 2**34  # one by one, beyond which it must be asked for
UNITIZING = "krippendorff1995"  # the chance of alpha_U
EXACT_POSITIONS = "boundary_agreement"  # the metric of alpha, majority and two categories
COLUMNS = (
    "coefficient",
    "metric",
    "value",
    "low",
    "high",
    "over",
    "error",
    "texts_error",
    "coders_error",
    "freedom",
    "observed",
    "expected",
    "standard_error",
    "chance",
    "signature",
)
DRAWS = 400
ROUGH_DRAWS = 20  # for the influence of each text of each resample
DRAWN_PAIRS = 4_000_000  # fewer draws where there are so many pairs that a few say as much

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class AgreementRow:
    """One coefficient: its name, what it is made of, and how it was made."""

    coefficient: str
    recipe: Recipe
    chance: str
    estimate: Coefficient
    made: Mapping[str, str] = field(default_factory=dict)  # fields of the context
    standard_error: float | None = None

    def signature(self, corpus: Corpus, more: Mapping[str, str] | None = None) -> Signature:
        """Return everything that changes the number."""
        fields = {**self.made, "coefficient": self.coefficient, **(more or {})}
        return self.recipe.signature(Context(reading=in_order(corpus.source.choices), **fields))


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
    weighting: Weighting = "positions"
    resamples: int = RESAMPLES_OF_AGREEMENT
    interval: Over = "both"
    method: Method | None = None
    types: Order = None  # the declared order of boundary types
    # What was computed from these annotations, for this metric and others.
    _known: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.recipe.metric.symmetric or self.recipe.metric.better != "higher":
            raise MetricError(
                "agreement needs a symmetric similarity such as B, S, A, F or Sf, or T or L of "
                f"hierarchies; {self.recipe.name} is not"
            )
        if self.method is not None and self.over != "texts":
            raise MetricError(
                f"method={self.method} is a bootstrap over texts, and intervals are over "
                + ("annotators" if self.over == "coders" else "texts and annotators")
                + ": add interval=texts (--interval texts), or remove the method"
            )

    def check_symmetry(self) -> None:
        """Raise MetricError if the data show that settings make it one-sided (F:beta=2)."""
        samples = [self.seen.pairs(slice(0, 64))]
        if self.recipe.metric.sees == "positions":
            segs = [Segmentation(9, cuts) for cuts in ([3], [3, 6], [2, 3, 7], [4, 5])]
            samples.append(Pairs.from_segmentations(segs, segs[1:] + segs[:1]))
        if not all(_turns(self.recipe, pairs) for pairs in samples):
            settings = ", ".join(f"{k}={v}" for k, v in self.recipe.written().items())
            raise MetricError(
                f"agreement needs a symmetric similarity; the value of {self.recipe.name} with "
                f"{settings} depends on which of two annotators comes first"
            )

    @property
    def draws(self) -> int:
        """The number of simulated annotations: as asked for, or 400 where that is quick."""
        if self.asked_draws is not None:
            return self.asked_draws
        return int(np.clip(DRAWN_PAIRS // len(self.annotations.first), 4, DRAWS))

    def on(self, metric: Any) -> Study:
        """Return the same study with another metric; both share what does not depend on it."""
        return replace(self, recipe=as_recipe(metric, None))

    def on_annotations(self, annotations: Annotations) -> Study:
        """Return the same study with other annotations."""
        return replace(self, annotations=annotations, _known={})

    def _once(self, *what: Any, make: Callable[[], T]) -> T:
        """Return what is known under this name, computed at the first call."""
        if what not in self._known:
            self._known[what] = make()
        known: T = self._known[what]
        return known

    @property
    def seen(self) -> Annotations:
        """The annotations as the metric sees them."""
        sees = self.recipe.metric.sees
        return self._once("seen", sees, make=lambda: self.annotations.view(sees))

    @cached_property
    def _signature(self) -> str:
        return str(self.recipe.signature())

    @property
    def found(self) -> Sums:
        """The counts of all pairs."""
        seen = self.seen
        return self._once(
            "found", self._signature, make=lambda: Sums.of(seen, self.recipe, seen.column)
        )

    def drawn(self, null: Null, draws: int) -> Sums:
        """Return the counts of all pairs of annotators who annotate at random."""
        seen, sees = self.seen, self.recipe.metric.sees
        keys = self._once("keys", sees, self.seed, make=lambda: keys_of(seen, self.seed))
        return self._once(
            "drawn", self._signature, null.chance, null.coefficient, draws,
            make=lambda: Sums.drawn(seen, self.recipe, null, draws, keys),
        )  # fmt: skip

    def drawn_by_sizes(self) -> Sums:
        """Return the counts of annotators at random, by the chance that stands for sizes."""
        return self.drawn(Null(self.size_chance.chance, "kappa"), self.draws)

    # Which rows.

    def headline(self) -> Iterator[AgreementRow]:
        """Yield the three rows people should look at first."""
        yield from self.rows(["sizes"], ["kappa"])
        yield from self.rows([], ["alpha"])
        yield from self.on("S").rows(["fournier2012"], ["pi*"])

    def everything(self) -> Iterator[AgreementRow]:
        """Yield all coefficients of this metric, of S by the formula, and of exact positions."""
        yield from self.headline()
        yield from self.rows(["sizes"], ["pi"])
        if self.size_chance.chance != "shuffle":
            yield from self.rows(["shuffle"])
        if len(self.annotations.texts) >= MIN_TEXTS_FOR_POSITIONS:
            yield from self.rows(["positions"])
        if "bernoulli" not in self._left_out:
            yield from self.rows(["bernoulli"])
        if self.recipe.metric is not segmentation_similarity:
            yield from self.rows(["fournier2012"])
        yield from self.on("S").rows(["fournier2012"], ["kappa*", "bias"])
        yield from self.on(EXACT_POSITIONS).rows(["two-category"])
        both = [one for one in ("alpha_U", "gamma") if one not in self._left_out]
        yield from self.rows([], ["majority", "hearst", *both])

    def rows(
        self, chances: Sequence[str], wanted: Sequence[str] | None = None
    ) -> Iterator[AgreementRow]:
        """Yield the rows of these chances; ``wanted`` names coefficients to keep, or to add."""
        usual = self.size_chance.chance if "sizes" in chances else ""
        chances = list(dict.fromkeys(usual if one == "sizes" else one for one in chances))
        simulated = [c for c in SIMULATED if c in chances]
        for null in nulls(self.seen, self.recipe.metric.sees, simulated):
            if wanted is None or null.coefficient in wanted:
                yield self._exact(null) if self.exact else self._simulated(null)
        for chance in chances:
            if chance not in SIMULATED:
                for row in self._formulas(chance):
                    if wanted is None or row.coefficient in wanted:
                        yield row
        places = as_recipe(EXACT_POSITIONS, None)
        if wanted and "alpha" in wanted:
            made = {"chance": "krippendorff"}
            yield AgreementRow("alpha", places, "krippendorff", Alpha(self._decisions), made)
        if wanted and "majority" in wanted:
            yield AgreementRow("majority", places, "none", Majority(self._decisions))
        if wanted and "hearst" in wanted:
            made = {"chance": "majority"}
            yield AgreementRow(
                "hearst", places, "majority", WithMajority.of(self.annotations), made
            )
        if wanted and "alpha_U" in wanted:
            made, own = {"chance": UNITIZING}, find("alpha_U").recipe()
            yield AgreementRow("alpha_U", own, UNITIZING, AlphaU.of(self.annotations), made)
        if wanted and "gamma" in wanted:
            known = next((one for one in chances if one in KEEP_SEGMENTS), None)
            yield self.on(EXACT_POSITIONS)._gamma(known)

    def _gamma(self, chance: str | None) -> AgreementRow:
        """Return gamma by a chance that keeps numbers of segments; None is that of sizes."""
        null = Null(cast(Simulated, chance or self.size_chance.chance), "kappa")
        draws = self.asked_draws or GAMMA_DRAWS
        estimate = Gamma.of(self.seen, null, draws, self.seed)
        made = {"chance": f"{null.chance},{draws}", "seed": str(self.seed)}
        error = estimate.standard_error()
        own = find("gamma").recipe()
        return AgreementRow("gamma", own, null.chance, estimate, made, error)

    @property
    def size_chance(self) -> SizeChance:
        """The chance that stands for sizes in these data."""
        sees = self.recipe.metric.sees
        return self._once("sizes", sees, make=lambda: size_chance(self.seen))

    @property
    def rates(self) -> Rates:
        """How often the annotators set boundaries."""
        seen, sees = self.seen, self.recipe.metric.sees
        return self._once(
            "rates", sees, make=lambda: Rates.of(seen, self.counting, last_places(seen, sees))
        )

    @property
    def _decisions(self) -> Decisions:
        return self._once("decisions", make=lambda: Decisions.of(self.annotations))

    def _simulated(self, null: Null) -> AgreementRow:
        estimate = Simulation(self.recipe, self.found, self.drawn(null, self.draws))
        made = {"chance": f"{null.chance},{self.draws}", "seed": str(self.seed)}
        error = estimate.standard_error()
        return AgreementRow(null.coefficient, self.recipe, null.chance, estimate, made, error)

    def _exact(self, null: Null) -> AgreementRow:
        known = expected_similarity(self.recipe, self.seen, null)
        estimate = Known(self.recipe, self.found, known)
        made = {"chance": f"{null.chance},exact"}
        return AgreementRow(null.coefficient, self.recipe, null.chance, estimate, made, 0.0)

    def _formulas(self, chance: str) -> Iterator[AgreementRow]:
        both = chance == "two-category"
        if both and not self.recipe.two_categories:
            raise MetricError(
                f"the chance two-category does not apply to {self.recipe.name}: it is for exact "
                f"positions. Use the metric {EXACT_POSITIONS}, or another chance"
            )
        kappa = Formula(self.recipe, self.found, self.rates, "kappa*", self.pooling, both)
        pi = replace(kappa, coefficient="pi*")
        made = {"chance": chance, "counting": self.counting, "pooling": self.pooling}
        made |= {"weighting": self.weighting}
        for name, formula in (("pi*", pi), ("kappa*", kappa)):
            estimate: Coefficient = formula
            if self.weighting != "positions":
                estimate = ItemWeighted.of(formula, self.seen, self.weighting)
            yield AgreementRow(name, self.recipe, chance, estimate, made)
        if not both:
            yield AgreementRow("bias", self.recipe, chance, Bias(pi, kappa), made)

    def again(self, row: AgreementRow) -> AgreementRow:
        """Return the coefficient of a row of another study, made from these annotations."""
        own = ("krippendorff", "none", "majority", UNITIZING)
        chances = [] if row.chance in own else [row.chance]
        return next(iter(self.on(row.recipe).rows(chances, [row.coefficient])))

    # What becomes of them.

    def table(self, rows: Sequence[AgreementRow]) -> Table:
        """Return the coefficients with intervals, notes, and finer tables behind them."""
        found = self.cells(rows)
        made = [cells for cells, _ in found]
        makers = {
            "texts": partial(parts.texts, self, rows),
            "coders": partial(parts.coders, self),
            "matrix": partial(parts.matrix, self),
            "without": partial(parts.without, self, rows),
            "influence": partial(parts.without, self, rows[:1]),
            "types": partial(parts.types, self, rows),
            "types without intervals": partial(parts.types, self, rows, intervals=False),
            "levels": partial(parts.levels, self, rows),
            "speakers": partial(parts.speakers, self, rows),
            "ceiling": partial(parts.ceiling, self),
            "differences": partial(parts.differences, self.annotations),
        }
        notes = (
            *self.annotations.corpus.source.notes,
            *cautions(self.seen, made, self.recipe, self.found, self.over),
            *self._about_sizes(made),
            *self._about_alignments(rows),
            *self._about_intervals(found),
        )
        facts = Facts(partial(self.facts, rows))
        once = {name: cache(make) for name, make in makers.items()}
        return Table(COLUMNS, tuple(made), name="agreement", notes=notes, facts=facts, parts=once)

    def facts(self, rows: Sequence[AgreementRow]) -> dict[str, Any]:
        """Return the data in numbers, and what random annotators reach by the published formula."""
        facts = self.annotations.facts() | {"draws": self.draws, "seed": self.seed}
        facts["boundaries"] = len(self.seen.column.values)
        recipes = dict.fromkeys(row.recipe for row in rows)
        facts["settings"] = facts_of_types(recipes, self.annotations.vocabulary)
        facts["unchanged"] = self.size_chance.unchanged
        random = self._random_pi(rows)
        if random is not None and not math.isnan(random):
            facts["random_pi"] = random
        if any(isinstance(row.estimate, AlphaU) for row in rows):
            null = Null(self.on(EXACT_POSITIONS).size_chance.chance, "kappa")
            random = AlphaU.drawn(self.annotations, null, self.seed)
            facts |= {} if math.isnan(random) else {"random_alpha_u": random}
        return facts

    def cells(self, rows: Sequence[AgreementRow]) -> list[tuple[dict[str, Any], Interval]]:
        """Return the coefficients as rows of the table, and their intervals."""
        without: Sequence[Values | None] = [None] * len(rows)
        if self.over == "coders" and self.resamples:
            without = list(self.values_without(rows))
        return [self._cells(row, left) for row, left in zip(rows, without, strict=True)]

    @property
    def over(self) -> Over:
        """What intervals are over: as asked for, but two annotators cannot be left out."""
        few = len(self.annotations.coders) < MIN_CODERS
        return "texts" if self.interval == "both" and few else self.interval

    def _cells(self, row: AgreementRow, without: Values | None) -> tuple[dict[str, Any], Interval]:
        one = np.ones((1, len(self.annotations.texts)))
        value, observed, expected = (
            _number(of(one))
            for of in (row.estimate.value, row.estimate.observed, row.estimate.expected)
        )
        spread = self.spread(row) if self.over == "both" and self.resamples else None
        interval = self._interval_of(row, value, without, spread)
        if interval.low is not None and interval.high is not None:
            least, most = row.estimate.limits(expected)
            # Equation 12 as it is printed can exceed 1.
            low, high = max(interval.low, min(least, value)), min(interval.high, max(most, value))
            interval = interval._replace(low=low, high=high)
        over = None if interval.low is None else self.over
        parts = (spread.error, spread.of_texts, spread.of_coders, spread.freedom) if spread else ()
        cells = (
            row.coefficient, row.recipe.name, value, interval.low, interval.high, over,
            *(parts or (None,) * 4), observed, expected, row.standard_error, row.chance,
            row.signature(self.annotations.corpus, self._made(interval)),
        )  # fmt: skip
        return dict(zip(COLUMNS, cells, strict=True)), interval

    def spread(self, row: AgreementRow) -> Spread | None:
        """Return the standard error over texts and annotators; None where it is not defined."""
        texts = len(self.annotations.texts)
        if texts < MIN_TEXTS_FOR_INTERVAL or len(self.annotations.coders) < MIN_CODERS:
            return None
        others = parts.coefficients_without(self, row)
        return Spread.of(row.estimate, others, self.annotations.ranks)

    def values_without(self, rows: Sequence[AgreementRow]) -> Values:
        """Return each coefficient (a row) without each annotator in turn (a column)."""
        what = tuple((row.coefficient, row.chance, str(row.recipe.signature())) for row in rows)
        return self._once("without", what, make=lambda: parts.values_without(self, rows))

    def _interval_of(
        self, row: AgreementRow, value: float, without: Values | None, spread: Spread | None
    ) -> Interval:
        """Return the 95% of a jackknife over texts and annotators, or over one of the two."""
        if math.isnan(value):
            return Interval.none(UNDEFINED)
        if without is not None:
            low, high = jackknife_interval(value, without)
            return Interval.none(TOO_FEW) if math.isnan(low) else Interval(low, high)
        if self.over == "both" and self.resamples:
            few = len(self.annotations.texts) < MIN_TEXTS_FOR_INTERVAL
            if spread is None:
                return Interval.none(TOO_FEW if few else UNDEFINED)
            if spread.error <= ROUNDING:
                return Interval.none(CONSTANT)
            return Interval(value - spread.margin, value + spread.margin)
        if self.resamples == 0:
            return Interval(None, None)
        rough, ranks = row.estimate.rough(ROUGH_DRAWS), self.annotations.ranks
        return weighted_interval(
            lambda weights: row.estimate.value(weights[:, ranks]),
            len(ranks),
            seed=self.seed,
            count=self.resamples,
            method=self.method,
            rough=lambda weights: rough.value(weights[:, ranks]),
        )

    def _made(self, interval: Interval) -> dict[str, str]:
        """Return what the signature has of an interval: all that moves its ends."""
        if interval.low is None:
            return {}
        if self.over != "texts":
            return {"interval": self.over}
        if interval.method == "normal":
            return {"interval": "texts,normal"}
        return {"interval": f"texts,{interval.method},{self.resamples}", "seed": str(self.seed)}

    def _about_sizes(self, made: Sequence[Mapping[str, Any]]) -> Iterator[str]:
        """Yield why another chance stands for permuted sizes."""
        found = self.size_chance
        if found.why is not None and any(row["chance"] == found.chance for row in made):
            yield found.why

    @property
    def _left_out(self) -> dict[str, str]:
        """Coefficients and chances that a table of everything does not have, and why."""
        return self._once("left out", make=self._find_left_out)

    def _find_left_out(self) -> dict[str, str]:
        found = left_out(self.annotations)
        drawn = self.draws * float(last_places(self.annotations, "positions").sum(dtype=np.float64))
        if drawn > MAX_POSITIONS_DRAWN:
            found["bernoulli"] = (
                "chance bernoulli is skipped: drawing each position of such long texts takes "
                'long; in Python fp.agreement(corpus, chance="bernoulli"), or --chance bernoulli'
            )
        return found

    def _about_alignments(self, rows: Sequence[AgreementRow]) -> Iterator[str]:
        """Yield what gamma could be at most where its alignments are not known to be the best."""
        if any(row.coefficient == "hearst" for row in rows):  # everything was asked for
            there = {name for row in rows for name in (row.coefficient, row.chance)}
            yield from (why for name, why in self._left_out.items() if name not in there)
        for row in rows:
            highest = row.estimate.highest if isinstance(row.estimate, Gamma) else None
            if highest is not None:
                yield (
                    "gamma takes the best alignments that a search finds; with better ones it "
                    f"would be {highest:.3f} at most"
                )

    def _about_intervals(self, made: Sequence[tuple[dict[str, Any], Interval]]) -> Iterator[str]:
        """Yield notes on missing intervals, and on others than were asked for."""
        texts = len(self.annotations.texts)
        if any(interval.low is not None for _, interval in made):
            yield from self._about_few()
        if self.over == "coders" or self.resamples == 0 or texts < MIN_TEXTS_FOR_INTERVAL:
            return
        if self.over != self.interval:
            yield "two annotators: the intervals are for other texts and these two annotators"
        known = [one for one in made if not math.isnan(one[0]["value"])]
        constant = [row for row, interval in known if interval.why == CONSTANT]
        undefined = [row for row, interval in known if interval.why == UNDEFINED]
        rough = [row for row, interval in known if interval.method == "percentile"]
        if constant:
            yield f"no interval where the value is the same in all texts: {_coefficients(constant)}"
        if self.over == "both":
            if undefined:
                which = _coefficients(undefined)
                yield f"no interval where a text or an annotator decides alone: {which}"
            return
        if undefined:
            yield f"no interval where many resamples are undefined: {_coefficients(undefined)}"
        asked = self.method or ("t" if texts < PERCENTILES_FROM_TEXTS else None)
        if rough and asked == "t":
            yield f"rough percentile interval where only a few texts differ: {_coefficients(rough)}"
        note = method_note(self.method, texts)
        if note and any(interval.low is not None for _, interval in known):
            yield note

    def _about_few(self) -> Iterator[str]:
        """Yield a note on intervals from few texts or few annotators."""
        texts, coders = len(self.annotations.texts), len(self.annotations.coders)
        few = []
        if self.over != "coders" and texts < ROUGH_BELOW_TEXTS:
            few.append(plural(texts, "text"))
        if self.over != "texts" and coders < APPROXIMATE_BELOW_CODERS:
            few.append(plural(coders, "annotator"))
        if few:
            yield f"{' and '.join(few)} are few: the intervals are approximate"

    def _random_pi(self, rows: Sequence[AgreementRow]) -> float | None:
        """Return pi* of S for as many boundaries at random positions; None without pi*."""
        published = ("pi*", "fournier2012", segmentation_similarity)
        known = {(row.coefficient, row.chance, row.recipe.metric): row for row in rows}
        row = known.get(published)
        if row is None:
            return None
        study = self.on(row.recipe)
        few = max(2, self.draws // 8)  # for one sentence with three digits
        drawn = study.drawn(Null("shuffle", "kappa"), few)
        one = np.ones((1, len(self.annotations.texts)))
        reached = Simulation(row.recipe, study.found, drawn).expected(one)
        return _number(beyond_chance(reached, row.estimate.expected(one)))


def _turns(recipe: Recipe, pairs: Pairs) -> bool:
    """Return whether the values stay the same when the two sides are exchanged."""
    turned = Pairs._trusted(
        pairs.hyp, pairs.ref, pairs.units, pairs.vocabulary, pairs.keys, pairs.mixed
    )
    one, other = (recipe.value(recipe.count(each)) for each in (pairs, turned))
    return np.allclose(one, other, rtol=0, atol=1e-12, equal_nan=True)


def _coefficients(rows: Sequence[Mapping[str, Any]]) -> str:
    return ", ".join(dict.fromkeys(f"{row['coefficient']} of {row['metric']}" for row in rows))


def _number(values: Any) -> float:
    return float(values[0])
