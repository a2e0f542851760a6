"""Probabilities of boundaries: what a score makes of their order, their size and their certainty.

Hypotheses are drawn for drawn references: a position that is no boundary has the probability u^3,
a boundary 1 - u^3, where u is uniform. Most are near the truth, and some are sure and wrong.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps

import numpy as np

from fencepost.metrics.registry import Recipe, Values, find
from fencepost.model.checks import Ints, offsets_of
from fencepost.model.pairs import Column, Pairs
from fencepost.model.segmentation import Segmentation
from fencepost.study.probing.base import (
    EQUAL,
    Curve,
    Measure,
    Measured,
    Subject,
    column_of,
    mean,
    measures,
)
from fencepost.study.probing.errors import EVEN, FAR_OFF, SIZE
from fencepost.study.probing.texts import draw
from fencepost.study.simulate.randomness import Draws
from fencepost.study.simulate.texts import flat

DRAWN = (40, 10, 5, 35)  # texts, segments of each, smallest and largest segment
SURE, UNSURE = 1.0, 0.6  # of a wrong call
RIGHT, WRONG = 0.8, 0.05  # of boundaries and of other positions beside that call
NEARBY = 0.9  # of the only boundary, and WRONG elsewhere
SMALL = 7  # units of texts whose references are all tried
VECTORS = 40  # of probabilities for such texts
MAX_SIZE_OF_EQUALS = 7  # units of texts that are compared with the metric of boundaries


def _asks(name: str) -> Callable[[Measure], Measure]:
    """Declare a measure that applies to scores that read probabilities alone."""

    def declared(measure: Measure) -> Measure:
        @wraps(measure)
        def answer(subject: Subject) -> Measured:
            if subject.recipe.metric.sees != "weights":
                return Measured(math.nan, "it reads no probabilities", applies=False)
            return measure(subject)

        return measures(name)(answer)

    return declared


def _uncertain(ref: Column, units: Ints, weights: Values) -> Pairs:
    """Return references beside a probability for each position, text after text."""
    offsets = offsets_of(units - 1)
    every = Column.own(flat(offsets)[1] + 1, offsets, weights=weights.copy())
    return Pairs._trusted(ref, every.keep(weights > 0), units)


def _truth(ref: Column, units: Ints) -> Values:
    """Return 1 at positions with a boundary and 0 elsewhere, text after text."""
    offsets = offsets_of(units - 1)
    found = np.zeros(int(offsets[-1]))
    found[np.repeat(offsets[:-1], ref.counts) + ref.values - 1] = 1
    return found


def _drawn(subject: Subject) -> tuple[Column, Ints, Values]:
    """Return drawn references and probabilities for all of their positions."""
    texts = draw(subject, "probabilities", DRAWN)
    row, number = flat(offsets_of(texts.units - 1))
    draws = Draws.of(subject.seed("probabilities"), "u", len(texts.units))
    off = draws.uniform("u", row, number) ** 3
    truth = _truth(texts.column, texts.units)
    return texts.column, texts.units, np.where(truth > 0, 1 - off, off)


@_asks("order of probabilities suffices")
def order(subject: Subject) -> Measured:
    """All probabilities squared, which keeps their order."""
    ref, units, given = _drawn(subject)
    before, after = (
        subject.pair_losses(_uncertain(ref, units, weights)) for weights in (given, given**2)
    )
    known = ~np.isnan(before) & ~np.isnan(after)
    changed = known & (np.abs(before - after) > EQUAL)
    if not known.any():
        return Measured(math.nan, "no text has a value")
    said = f"loss {mean(before):.3g}, squared {mean(after):.3g}"
    return Measured(int(changed.sum()) / int(known.sum()), said)


# Expected losses of honest probabilities and of others, over all references of a small text.


def _odds(given: Values, power: float) -> Values:
    """Return probabilities whose odds have this power: sharper above 1, flatter below."""
    return given**power / (given**power + (1 - given) ** power)


DISHONEST: dict[str, Callable[[Values], Values]] = {
    "pushed to 0 and 1": lambda p: (p >= 0.5).astype(np.float64),
    "sharpened": lambda p: _odds(p, 2.0),
    "flattened": lambda p: _odds(p, 0.5),
    "raised": lambda p: np.sqrt(p),
    "lowered": lambda p: p**2,
    "their mean everywhere": lambda p: np.broadcast_to(p.mean(axis=1, keepdims=True), p.shape),
}


@_asks("honest probabilities are best")
def honest(subject: Subject) -> Measured:
    """References of 7 units are drawn from p, and hypotheses are p or something else."""
    places = SMALL - 1
    number = np.arange(VECTORS * places)
    draws = Draws.of(subject.seed("honest probabilities"), "p", 1)
    p = draws.uniform("p", np.zeros_like(number), number).reshape(VECTORS, places)
    codes = np.arange(1 << places)
    bits = codes[:, None] >> np.arange(places) & 1
    chance = np.prod(np.where(bits[None] == 1, p[:, None, :], 1 - p[:, None, :]), axis=2)
    losses = {"honest": _expected(subject, codes, chance, p)}
    losses |= {name: _expected(subject, codes, chance, of(p)) for name, of in DISHONEST.items()}
    said = ", ".join(f"{name} {loss:.3g}" for name, loss in losses.items())
    least = min((loss for name, loss in losses.items() if name != "honest"), default=math.nan)
    if not losses["honest"] > EQUAL:
        return Measured(math.nan, said)
    return Measured((losses["honest"] - least) / losses["honest"], said)


def _expected(subject: Subject, codes: Ints, chance: Values, given: Values) -> float:
    """Return the mean over vectors of the expected loss, over references that have a value."""
    refs = column_of(np.tile(codes, len(given)), SMALL)
    weights = np.repeat(given, len(codes), axis=0).ravel()
    units: Ints = np.full(len(refs), SMALL)
    losses = subject.pair_losses(_uncertain(refs, units, weights)).reshape(chance.shape)
    known = ~np.isnan(losses)
    total = np.where(known, chance * np.where(known, losses, 0), 0).sum(axis=1)
    return mean(total / np.where(known, chance, 0).sum(axis=1))


STEPS = (0.0, 0.25, 0.5, 0.75, 1.0)  # of the way to the truth


@_asks("nearer the truth is never worse")
def towards_the_truth(subject: Subject) -> Measured:
    """All probabilities of a text on their way to 0 and 1 as they should be."""
    ref, units, given = _drawn(subject)
    truth = _truth(ref, units)
    ways = [_uncertain(ref, units, given + step * (truth - given)) for step in STEPS]
    losses = np.array([subject.pair_losses(pairs) for pairs in ways])
    rises = np.diff(losses, axis=0) - _noise(subject, ways)
    worse, steps = int((rises > EQUAL).sum()), int((~np.isnan(rises)).sum())
    means = tuple(mean(own) for own in losses)
    curve = Curve("towards the truth", "share of the way to the truth", STEPS, means)
    said = f"{worse} of {steps} steps; loss {means[0]:.3g} to {means[-1]:.3g}"
    return Measured(worse / steps if steps else math.nan, said, curves=(curve,))


def _noise(subject: Subject, ways: list[Pairs]) -> Values | float:
    """Return how far draws can move a step, where the score is simulated: four standard errors."""
    error = subject.recipe.metric.error
    if error is None:
        return 0.0
    own = np.array([error(*subject.recipe.count(pairs).T) for pairs in ways])
    return np.asarray(4 * np.sqrt(own[1:] ** 2 + own[:-1] ** 2))


@_asks("a sure mistake costs more")
def overconfidence(subject: Subject) -> Measured:
    """One extra and one missing boundary, sure (100%) or hesitant (60%)."""
    units: Ints = np.array([EVEN.units])
    ref = Column.own(EVEN.cuts.copy(), np.array([0, len(EVEN.cuts)]))
    usual = np.where(_truth(ref, units) > 0, RIGHT, WRONG)
    missing, extra = EVEN.units // 2 - 1, EVEN.units // 2 - 1 + FAR_OFF
    losses = []
    for confidence in (None, UNSURE, SURE):
        own = usual.copy()
        if confidence is not None:
            own[missing], own[extra] = 1 - confidence, confidence
        losses.append(float(subject.pair_losses(_uncertain(ref, units, own))[0]))
    none, unsure, sure = losses
    ratio = (sure - none) / (unsure - none) if unsure - none > EQUAL else math.nan
    return Measured(ratio, f"60%: {unsure - none:.3g}, 100%: {sure - none:.3g}")


@_asks("a constant is not perfect")
def constant(subject: Subject) -> Measured:
    """Every position has the share of boundaries of its text."""
    ref, units, _ = _drawn(subject)
    shares = ref.counts / (units - 1)
    pairs = _uncertain(ref, units, np.repeat(shares, units - 1))
    if not math.isfinite(subject.span):
        return Measured(math.nan, "the worst score has no limit")
    figure = 1 - mean(subject.pair_losses(pairs)) / subject.span
    return Measured(figure, f"{len(units)} texts")


@_asks("a near probability costs less")
def nearby(subject: Subject) -> Measured:
    """The only boundary of two segments of 20 units has 90%, at 0 to 10 units from its position."""
    text = Segmentation.from_masses([SIZE, SIZE])
    refs, hyps = [], []
    for off in range(FAR_OFF + 1):
        weights = np.full(text.units - 1, WRONG)
        weights[SIZE - 1 + off] = NEARBY
        refs.append(text)
        hyps.append(Segmentation.from_probabilities(weights))
    losses = subject.losses(refs, hyps)
    curve = Curve("probability off its position", "units off (segments of 20)",
                  tuple(map(float, range(FAR_OFF + 1))), tuple(losses.tolist()))  # fmt: skip
    near, far = losses[1] - losses[0], losses[FAR_OFF] - losses[0]
    ratio = near / far if far > EQUAL else math.nan
    return Measured(float(ratio), f"1 off {near:.3g}, 10 off {far:.3g}", curves=(curve,))


@_asks("0 and 1 score as boundaries")
def certain_boundaries(subject: Subject) -> Measured:
    """All pairs of small texts, by this score and by the metric of boundaries that it is of."""
    other = _metric_of_boundaries(subject.recipe)
    if other is None:
        return Measured(math.nan, "no metric of boundaries is declared to be the same")
    largest = 0.0
    for units in subject.sizes(MAX_SIZE_OF_EQUALS):
        own, theirs = subject.table(units), Subject(other, subject.study).table(units)
        largest = max(largest, float(np.nanmax(np.abs(own - theirs), initial=0.0)))
        if (np.isnan(own) != np.isnan(theirs)).any():
            return Measured(math.inf, f"beside {other.name}: undefined for other texts")
    return Measured(largest, f"beside {other.name}")


def _metric_of_boundaries(recipe: Recipe) -> Recipe | None:
    """Return the declared metric with the settings that both have."""
    if not recipe.metric.certain:
        return None
    other = find(recipe.metric.certain)
    return other.recipe(**{k: v for k, v in recipe.settings.items() if k in other.params})
