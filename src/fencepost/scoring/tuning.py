"""The best threshold, or the best number of positions, on a development set."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from fencepost.metrics.edit import with_types
from fencepost.metrics.registry import Metric, Recipe, Values
from fencepost.metrics.signature import Context, Signature, in_order
from fencepost.model.checks import Ints, MetricError
from fencepost.model.corpus import Corpus
from fencepost.model.hashing import blake2b
from fencepost.model.join import Join, how_read, join, named_systems
from fencepost.model.pairs import Pairs
from fencepost.model.steps import Steps
from fencepost.options import (
    FOLDS,
    RESAMPLES_OF_TUNING,
    SEED,
    BestPositions,
    Missing,
    TunedAverage,
    complaints,
)
from fencepost.scoring.count import recipes_of, score_counts_with, with_groups
from fencepost.scoring.counts import CountRows
from fencepost.scoring.curves import (
    MAX_QUANTILES,
    Curve,
    Mask,
    best_of,
    certain,
    quantiles,
    with_hyp,
)
from fencepost.scoring.facts import SettingFacts
from fencepost.scoring.sides import check_comparable, check_orders
from fencepost.scoring.summary import Choices
from fencepost.scoring.tables import Table
from fencepost.scoring.threshold import SIGNED, Per, Threshold, steps_per
from fencepost.scoring.walk import Walk, add_rows
from fencepost.statistics.intervals import MIN_TEXTS_FOR_INTERVAL
from fencepost.statistics.resampling import ExactColumns, batches, ratio, resamples
from fencepost.wording import listed, plural

COLUMNS = (
    "system", "metric", "threshold", "threshold_low", "threshold_high", "value",
    "low", "high", "cross_validated", "cross_low", "cross_high", "folds", "no_boundaries", "n",
    "undefined", "average", "signature", "cross_signature",
)  # fmt: skip
PER: Mapping[str | None, Per] = {None: "", "per-100": "100", "per-text": "text"}
MAX_POINTS = 300  # of a curve that is drawn
BATCH_NUMBERS = 4_000_000  # of columns that are resampled at a time


def tune(
    refs: Any,
    hyps: Any,
    *,
    metrics: Iterable[str | Metric[Any] | Recipe | Callable[..., float]] | str | None = None,
    types: str | Sequence[str] | None = None,
    average: TunedAverage = "macro",
    missing: Missing = "error",
    best_positions: BestPositions | None = None,
    folds: int = FOLDS,
    group: Mapping[str, Any] | None = None,
    intervals: bool = True,
    seed: int = SEED,
    resamples: int = RESAMPLES_OF_TUNING,
    write: str | Path | None = None,
) -> Table:
    """Find the threshold of each system that is best on these texts, by each metric.

    ``refs`` and ``hyps`` are what :func:`score` takes; the hypotheses have probabilities
    (``fp.read(path, probabilities=True)``). A position is a boundary if its probability is at
    least the threshold. F, precision, recall, Pk, P'k, WindowDiff and C_seg are counted at every
    distinct probability, other metrics at 200 of them. Of equally good ones the fewest boundaries
    are taken, and of the thresholds that set them the one with the fewest digits.
    ``best_positions`` tunes how many of the most probable positions are boundaries: "per-100"
    units, or "per-text".

    ``threshold_low`` and ``threshold_high`` are the middle 95% of what is best in resampled texts.
    ``value`` is what :func:`score` gives at the threshold, which was chosen for these texts;
    ``cross_validated`` scores every text with the threshold of the other ``folds``, tuned as if it
    were not there. So it says what to expect of new texts. ``group`` keeps texts together.
    ``write`` names the file for ``fp.read(path, threshold=FILE)``. ``part("curve")`` has the value
    at every threshold, ``part("folds")`` the threshold of each fold.

    >>> import fencepost as fp
    >>> dev = {"a": [2, 2], "b": [1, 3], "c": [3, 1]}
    >>> probs = {"a": [.1, .7, .2], "b": [.6, .3, .1], "c": [.2, .4, .9]}
    >>> probs = {k: fp.Segmentation.from_probabilities(p) for k, p in probs.items()}
    >>> table = fp.tune(dev, probs, metrics="F")
    >>> [(row["threshold"], row["value"]) for row in table]
    [(0.5, 1.0)]
    """
    given = {
        "average": average, "missing": missing, "best_positions": best_positions, "folds": folds,
        "intervals": intervals, "seed": seed, "resamples": resamples,
    }  # fmt: skip
    for wrong in complaints("tune", given):
        raise MetricError(wrong)
    recipes = with_types(recipes_of(metrics, None), types, required=True)
    reference = Corpus.from_given(refs, "references")
    systems = named_systems(hyps)
    _check(reference, systems, recipes, average)
    check_orders(recipes, (reference, *systems.values()))
    check_comparable(recipes, reference, systems.values())
    joined = join(reference, systems, missing)
    choices = Choices(average, intervals, seed=seed)
    if write is not None and len(systems) * len(recipes) > 1:
        raise MetricError(
            f"a file holds one threshold, and there are {plural(len(systems), 'system')} and "
            f"{plural(len(recipes), 'metric')}: name one system and one metric, such as "
            f"-m {recipes[0].name} (metrics={recipes[0].name!r})"
        )
    per: Per = PER[best_positions]
    own = Tuner(joined, recipes, choices, missing, group, per, folds, resamples)
    tunings = [one for name in joined.systems for one in own.system(name)]
    table = _table(tunings, own)
    if write is not None:
        tunings[0].tuned.save(write)
    return table


def _check(
    reference: Corpus, systems: Mapping[str, Corpus], recipes: Sequence[Recipe], average: str
) -> None:
    """Raise MetricError for what cannot be tuned."""
    if len(reference.coder_names) > 1:
        raise MetricError(
            f"{reference.name} has {len(reference.coder_names)} annotators "
            f"({listed(reference.coders)}), and a threshold is tuned on one reference: choose one "
            "with --coders NAME, or make their consensus with fencepost agree FILE --consensus OUT"
        )
    for name, corpus in systems.items():
        if corpus.column.weights is None and "probabilities" in corpus.source.choices:
            raise MetricError(
                f"every probability of {name} is 0 or 1, so all thresholds give the same "
                "boundaries and there is none to tune: score it with --threshold 1 (threshold=1)"
            )
        if corpus.column.weights is None:
            raise MetricError(
                f"{name} has no probabilities, so there is no threshold to tune: give a file with "
                "a probability for each position or unit, read with --probabilities "
                "(probabilities=True)"
            )
    for recipe in recipes:
        recipe.check_input("pairs")
        if recipe.metric.sees == "weights":
            raise MetricError(
                f"{recipe.name} needs no threshold: fencepost score REF -i HYP --probabilities "
                f"-m {recipe.name}"
            )
        if average != "macro" and not recipe.metric.additive:
            raise MetricError(
                f"{recipe.name} is a plain function without counts: it can be averaged over texts "
                "(macro), not pooled (micro)"
            )


class Fold(NamedTuple):
    """A part of the texts, and what is best for all the others."""

    texts: Ints
    threshold: Threshold | None  # none has a value
    value: float  # of the others at this threshold


class Added(NamedTuple):
    """One system: every position as a boundary, and at which step each is added."""

    pairs: Pairs
    weights: Values  # of each boundary of the hypotheses
    steps: Steps
    texts: Ints  # of each row

    @classmethod
    def of(cls, pairs: Pairs, weights: Values, texts: Ints, per: Per) -> Added:
        """Return pairs whose hypotheses have every position that has a probability."""
        steps = steps_per(per, weights, pairs.hyp.offsets, pairs.units)
        return cls(pairs, weights, steps, texts)

    def only(self, texts: Mask, per: Per) -> Added:
        """Return the rows of these texts alone."""
        rows = np.flatnonzero(texts[self.texts])
        own = self.pairs.hyp
        kept = np.repeat(texts[self.texts], own.counts)
        pairs = Pairs._trusted(
            self.pairs.ref.take(rows), own.take(rows), self.pairs.units[rows],
            self.pairs.vocabulary, None, self.pairs.mixed,
        )  # fmt: skip
        return Added.of(pairs, self.weights[kept], self.texts[rows], per)


@dataclass(frozen=True, eq=False)
class Tuning:
    """What is best for one system by one metric."""

    system: str
    tuned: Threshold
    curve: Curve
    averages: Values  # at every distinct key of the curve
    boundaries: Ints  # how many are set there
    folds: tuple[Fold, ...]
    row: dict[str, Any]


class Tuner:
    """All systems and metrics on the same texts."""

    def __init__(
        self,
        joined: Join,
        recipes: list[Recipe],
        choices: Choices,
        missing: str,
        group: Mapping[str, Any] | None,
        per: Per,
        folds: int,
        count: int,
    ) -> None:
        self.joined, self.recipes, self.choices, self.per = joined, recipes, choices, per
        self.missing = "" if missing == "error" else missing
        self.group, self.count = group, count
        (self.coder,) = joined.coders
        self.notes: dict[str, None] = dict.fromkeys(joined.notes)
        self.about: dict[str, Any] = {}
        self.facts = SettingFacts()
        nothing = CountRows(joined.texts, (), {}, (), {}, np.zeros(len(joined.texts), int), {})
        self.groups = with_groups(nothing, group).groups
        self.folds = self._folds(folds)

    # Parts of the texts.

    @property
    def clusters(self) -> Ints:
        """The number of each text's group; its own number where texts are not grouped."""
        if self.groups is None:
            return np.arange(len(self.joined.texts))
        return np.unique(np.array(self.groups), return_inverse=True)[1]

    def _folds(self, count: int) -> list[Ints]:
        """Return the texts of each fold: by name and seed, so that no order of a file matters."""
        names = list(self.groups or map(self.joined.reference.title, self.joined.texts))
        distinct = list(dict.fromkeys(names))
        if len(distinct) < 2:
            what = "text" if self.groups is None else "group of texts"
            self.notes[
                f"no cross-validation and no intervals: there is one {what}, so nothing is left to "
                "check the threshold on"
            ] = None
            return []
        distinct.sort(key=lambda name: (_hash(name, self.choices.seed), name))
        fold = {name: at % min(count, len(distinct)) for at, name in enumerate(distinct)}
        of = np.array([fold[name] for name in names])
        return [np.flatnonzero(of == number) for number in range(int(of.max()) + 1)]

    # Counting.

    def _walk(self, name: str, recipes: Sequence[Recipe], corpus: Corpus | None) -> Walk:
        joined = self.joined
        if corpus is not None:
            joined = Join(joined.reference, {name: corpus}, {name: joined.rows[name]}, joined.notes)
        read = [joined.reference] if corpus is None else [joined.reference, corpus]
        context = Context(reading=in_order(how_read(read)), missing=self.missing)
        return Walk(joined, list(recipes), False, self.choices.seed, context)

    def system(self, name: str) -> list[Tuning]:
        """Tune one system by every metric."""
        walk = self._walk(name, self.recipes, None)
        batch = walk.batch(name, self.coder)
        weights = batch.pairs.view("weights").hyp.weights
        pairs = certain(batch.pairs)
        if weights is None or not len(weights):
            raise MetricError(
                f"{name} has no probability above 0 in any text, so there is no threshold to tune"
            )
        walk.facts = self.facts  # of all systems
        walk.look(name, self.coder, pairs)
        self.notes |= walk.notes
        added = Added.of(pairs, weights, batch.groups, self.per)
        return [self._tuning(name, recipe, added) for recipe in self.recipes]

    def _tuning(self, name: str, recipe: Recipe, added: Added) -> Tuning:
        pairs, _, steps, texts = added
        curve = Curve.of(recipe, pairs, steps, texts, len(self.joined.texts))
        average = self.choices.average
        keys, averages = curve.distinct, curve.at_each(average)
        best = best_of(averages[1:], recipe.metric.better) + 1
        if best == 0:
            raise MetricError(
                f"{recipe.name} has no value at any threshold of {name}" + self._why(recipe, name)
            )
        tuned = self._tuned(recipe, keys[best], steps.distinct)
        counts = self._scored(name, recipe, tuned)
        fitted = self._fitted(counts)
        folds = [self._fold(curve, added, own) for own in self.folds]
        cross = self._cross_validated(recipe, added, folds, counts)
        row = dict.fromkeys(COLUMNS) | fitted | cross
        row["no_boundaries"] = float(averages[0])
        low, high = self._threshold_interval(curve, best)
        if low is not None and high is not None:  # ends are probabilities; what was tuned is near
            low, high = min(low, tuned.number), max(high, tuned.number)
        row |= {
            "system": name, "metric": recipe.name, "threshold": tuned.number,
            "threshold_low": low, "threshold_high": high, "folds": len(self.folds) or None,
        }  # fmt: skip
        self._note_no_boundaries(name, recipe, averages[0], averages[best])
        tuned = replace(tuned, about=self._about(name, row))
        boundaries = _numbers_at(steps, keys)
        return Tuning(name, tuned, curve, averages, boundaries, tuple(folds), row)

    def _about(self, name: str, row: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the file says beside the threshold itself."""
        told = {key: row[key] for key in COLUMNS if key != "threshold"}
        data = {
            "reference": self.joined.reference.name,
            "reference_fingerprint": self.joined.reference.fingerprint(),
            "system_fingerprint": self.joined.systems[name].fingerprint(),
            "texts": len(self.joined.texts),
        }
        return {key: _plain(value) for key, value in (told | data).items()}

    def _why(self, recipe: Recipe, name: str) -> str:
        reason = ""
        if recipe.metric.undefined is not None:
            pairs = certain(self._walk(name, [recipe], None).batch(name, self.coder).pairs)
            reason = recipe.metric.undefined(pairs.view(recipe.metric.sees), **recipe.settings)
        return f" ({reason})" if reason else ": it is undefined for all of these texts"

    def _note_no_boundaries(self, name: str, recipe: Recipe, none: float, best: float) -> None:
        worse = none <= best if recipe.metric.better == "lower" else none >= best
        if worse:
            self.notes[
                f"{name}: no threshold is better by {recipe.title} than no boundaries at all "
                f"({none:.3f})"
            ] = None

    def _tuned(self, recipe: Recipe, key: float, keys: Values) -> Threshold:
        """Return the setting with the fewest digits that keeps the same boundaries."""
        at = int(np.searchsorted(keys, key))
        beyond = float(keys[at + 1]) if at + 1 < len(keys) else None
        if not self.per:
            number = shortest(0.0 if beyond is None else -beyond, -key)
        else:
            number = -shortest(-(key + 1 if beyond is None else beyond), -key)
        return Threshold(
            float(number), self.per, f"{recipe.name}@{self.joined.reference.fingerprint()}"
        )

    def _scored(self, name: str, recipe: Recipe, tuned: Threshold) -> CountRows:
        """Return the counts that ``score`` has at this threshold."""
        corpus = tuned.apply(self.joined.systems[name])
        return with_groups(self._walk(name, [recipe], corpus).counts(), self.group)

    def _fitted(self, counts: CountRows) -> dict[str, Any]:
        """Return the row that ``score`` makes of them."""
        table = score_counts_with(counts, self.choices)
        self.about = dict(table.facts)
        self.notes |= dict.fromkeys(table.notes)
        (row,) = table.rows
        taken = ("value", "low", "high", "n", "undefined", "average", "signature")
        return {key: row[key] for key in taken}

    # What other texts would give.

    def _fold(self, curve: Curve, added: Added, texts: Ints) -> Fold:
        """Return what is best without these texts, which have no say in what can be chosen."""
        use = np.ones(curve.size, dtype=bool)
        use[texts] = False
        others = added.only(use, self.per)
        own = curve.only(use, others.steps.distinct)
        if own is None:
            own = Curve.of(curve.recipe, others.pairs, others.steps, others.texts, curve.size)
        averages = own.at_each(self.choices.average)
        best = best_of(averages[1:], curve.recipe.metric.better) + 1
        if best == 0:
            return Fold(texts, None, math.nan)
        threshold = self._tuned(curve.recipe, own.distinct[best], others.steps.distinct)
        return Fold(texts, threshold, float(averages[best]))

    def _cross_validated(
        self, recipe: Recipe, added: Added, folds: Sequence[Fold], fitted: CountRows
    ) -> dict[str, Any]:
        """Return the score of texts at the thresholds of folds that do not hold them."""
        if not folds or any(fold.threshold is None for fold in folds):
            return {}
        pairs, _, steps, texts = added
        keys = np.empty(len(self.joined.texts))
        for fold in folds:
            keys[fold.texts] = fold.threshold.key  # type: ignore[union-attr]
        kept = steps.cut_keys <= np.repeat(keys[texts], pairs.hyp.counts)
        counted = recipe.count(with_hyp(pairs, pairs.hyp.keep(kept)))
        (key,) = fitted.rows
        reading = tuple(one for one in fitted.context.reading if one[0] != "threshold")
        context = fitted.context._replace(
            reading=reading, folds=str(len(folds)), seed=str(self.choices.seed)
        )
        rows = {key: add_rows(counted, texts, len(keys))}
        counts = replace(fitted, rows=rows, context=context)
        (row,) = score_counts_with(counts, self.choices).rows
        cells = {"cross_validated": "value", "cross_low": "low", "cross_high": "high",
                 "cross_signature": "signature"}  # fmt: skip
        return {own: row[cell] for own, cell in cells.items()}

    def _threshold_interval(self, curve: Curve, best: int) -> tuple[float | None, float | None]:
        """Return the middle 95% of the best settings of resampled texts, or of groups of them.

        Resamples choose among at most 200 settings, the best of all texts among them.
        """
        clusters = self.clusters
        n = int(clusters.max()) + 1
        if n < MIN_TEXTS_FOR_INTERVAL or not self.choices.intervals:
            return None, None
        keys = np.unique(np.append(quantiles(curve.distinct[1:], MAX_QUANTILES - 1),
                                   curve.distinct[best]))  # fmt: skip
        values = self._resampled(curve, keys, clusters, n)
        chosen = [best_of(own, curve.recipe.metric.better) for own in values]
        found = keys[[at for at in chosen if at >= 0]]
        if not len(found):
            return None, None
        ends = np.quantile(found, [0.025, 0.975], method="inverted_cdf")
        low, high = sorted(abs(float(end)) for end in ends)
        return low, high

    def _resampled(self, curve: Curve, keys: Values, clusters: Ints, n: int) -> Values:
        """Return the value of every resample at each key."""
        macro = self.choices.average == "macro"
        width = 2 if macro else curve.counts.shape[1]
        step = max(1, BATCH_NUMBERS // (n * width))
        function = ratio if macro else curve.recipe.shown
        made = np.empty((self.count, len(keys)))
        for first in range(0, len(keys), step):
            own = slice(first, first + step)
            at = curve.rows_at(keys[own])
            defined = (at >= 0) & ~np.isnan(curve.values[at])
            if macro:
                cells = np.stack([np.where(defined, curve.values[at], 0.0), defined], axis=2)
            else:
                cells = np.where(defined[:, :, None], curve.counts[at], 0).astype(np.float64)
            rows = np.zeros((n, cells.shape[1] * width))
            np.add.at(rows, clusters, cells.reshape(len(cells), -1))
            columns = ExactColumns(rows)
            for start, count in batches(n, self.count):
                sums = columns.added(resamples(self.choices.seed, n, count, start))
                values = function(sums.reshape(-1, width))
                made[start : start + count, own] = values.reshape(count, -1)
        return made


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _hash(name: str, seed: int) -> bytes:
    return bytes(blake2b(repr((name, seed)).encode(), digest_size=8).digest())


def shortest(low: float, high: float) -> float:
    """Return the number above ``low``, at most ``high``, with the fewest digits behind the point.

    >>> shortest(0.4, 0.62), shortest(0.31, 0.33), shortest(0.25, 0.25000001)
    (0.5, 0.32, 0.25000001)
    """
    middle = low + (high - low) / 2
    for digits in range(17):
        for number in (round(middle, digits), round(middle + 10**-digits / 2, digits)):
            if low < number <= high:
                return number
    return high


def _numbers_at(steps: Steps, keys: Values) -> Ints:
    """Return how many boundaries are set at each key."""
    return np.searchsorted(np.sort(steps.cut_keys), keys, side="right")


# Tables.


def _table(tunings: Sequence[Tuning], tuner: Tuner) -> Table:
    facts = {
        **tuner.about, "settings": tuner.facts.sentences(), "folds": len(tuner.folds),
        "per": tuner.per, "resamples": tuner.count, "seed": tuner.choices.seed,
        "fingerprints": {n: one.fingerprint() for n, one in tuner.joined.systems.items()},
    }  # fmt: skip
    parts = {"curve": partial(_curves, tunings), "points": partial(_curves, tunings, MAX_POINTS),
             "folds": partial(_folds, tunings, tuner)}  # fmt: skip
    rows = tuple(one.row for one in tunings)
    return Table(COLUMNS, rows, "tune", tuple(tuner.notes), facts, parts)


def _curves(tunings: Sequence[Tuning], most: int | None = None) -> Table:
    """Every threshold with its value; of more than ``most`` only so many, the best among them."""
    columns = ("system", "metric", "threshold", "boundaries", "value", "signature")
    rows = []
    for one in tunings:
        keys = one.curve.distinct
        at = np.arange(1, len(keys))
        if most is not None and len(at) > most:
            at = np.unique(np.rint(np.linspace(1, len(keys) - 1, most)).astype(np.int64))
            at = np.union1d(at, [best_of(one.averages[1:], one.curve.recipe.metric.better) + 1])
        signature = _curve_signature(one)
        each = zip(np.abs(keys[at]).tolist(), one.boundaries[at].tolist(),
                   one.averages[at].tolist(), strict=True)  # fmt: skip
        rows += [
            dict(zip(columns, (one.system, one.curve.recipe.name, *cells, signature), strict=True))
            for cells in each
        ]
    return Table(columns, tuple(rows), "curve")


def _curve_signature(one: Tuning) -> Signature:
    """Return the signature of a whole curve: without a threshold."""
    made: Signature = one.row["signature"]
    context = made.context
    reading = tuple((key, value) for key, value in context.reading if key not in SIGNED)
    recipe = one.curve.recipe
    return recipe.signature(context._replace(reading=reading, bs="", group="", seed=""))


def _folds(tunings: Sequence[Tuning], tuner: Tuner) -> Table:
    """The best setting without each fold, its value there, and the texts of the fold."""
    columns = ("system", "metric", "fold", "threshold", "value", "texts")
    names = list(tuner.joined.texts)
    rows = []
    for one in tunings:
        for number, fold in enumerate(one.folds, start=1):
            best = fold.threshold and fold.threshold.number
            texts = [names[text] for text in fold.texts]
            cells = (one.system, one.curve.recipe.name, number, best, fold.value, texts)
            rows.append(dict(zip(columns, cells, strict=True)))
    return Table(columns, tuple(rows), "folds")
