"""Drawn texts: whether they change the cost of the same errors, and what knowing nothing gets."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from fencepost.metrics.registry import Values
from fencepost.model.checks import offsets_of
from fencepost.model.corpus import Corpus
from fencepost.model.pairs import Column, Pairs
from fencepost.study import simulate
from fencepost.study.probing.base import (
    Curve,
    Measured,
    Subject,
    half_of_interval,
    mean,
    measures,
    standard_error,
)
from fencepost.study.simulate.noise import Model, spoil
from fencepost.study.simulate.texts import flat, made_corpus

A_QUARTER_WRONG = Model("FNP1", 0.25, exact=True)
NAMES = ("none", "all", "equal", "random")

Drawn = tuple[int, int, int, int]  # texts, segments of each, smallest and largest segment


def draw(subject: Subject, what: str, drawn: Drawn) -> Corpus:
    """Texts of their own for each purpose, from the seed alone."""
    texts, segments, low, high = drawn
    sizes = simulate.uniform(low, high)
    return simulate.references(texts, sizes=sizes, segments=segments, seed=subject.seed(what))


def _spread(
    subject: Subject, name: str, x_label: str, x: Sequence[int], of: Callable[[int], Drawn]
) -> Measured:
    """The largest less the smallest mean loss of a quarter of errors, by their mean.

    All points have the same random numbers, so that they differ by what is varied alone.
    """
    losses = []
    for value in x:
        texts = draw(subject, name, of(value))
        pairs = spoil(texts, A_QUARTER_WRONG, seed=subject.seed(name))
        losses.append(subject.pair_losses(pairs))
    return _measured(name, x_label, x, losses)


def _measured(name: str, x_label: str, x: Sequence[int], losses: Sequence[Values]) -> Measured:
    """The spread of the mean losses, and their curve."""
    means, halves = [mean(own) for own in losses], [half_of_interval(own) for own in losses]
    curve = Curve(name, x_label, tuple(map(float, x)), tuple(means), half=tuple(halves))
    middle = float(np.mean(means))
    figure = (max(means) - min(means)) / middle if middle > 0 else math.nan
    said = f"{x[0]}: {means[0]:.3g}, {x[-1]}: {means[-1]:.3g}"
    return Measured(figure, said, curves=(curve,))


@measures("sizes may vary")
def variance(subject: Subject) -> Measured:
    """Sizes of 20-30, 15-35, 10-40 and 5-45 units, as pevzner2002 has them."""
    return _spread(subject, "variance", "sizes vary by (mean 25)", [5, 10, 15, 20],
                   lambda half: (40, 129, 25 - half, 25 + half))  # fmt: skip


@measures("length does not matter")
def length(subject: Subject) -> Measured:
    """Segments of 10 to 30 units, 16 to 256 boundaries per text."""
    return _spread(subject, "length", "boundaries in the text", [16, 32, 64, 128, 256],
                   lambda cuts: (4096 // cuts, cuts + 1, 10, 30))  # fmt: skip


@measures("density does not matter")
def density(subject: Subject) -> Measured:
    """32 boundaries per text, mean sizes from 4 to 64."""
    return _spread(subject, "density", "mean segment size", [4, 8, 16, 32, 64],
                   lambda size: (160, 33, size // 2, size + size // 2))  # fmt: skip


# Widths and limits of near misses.

MEAN_SIZE = 20
MOVED_AND_MISSED = (Model("NM", 0.5, distance=5, exact=True), Model("FN", 0.25, exact=True))


@measures("width or limit hardly matters")
def settings(subject: Subject) -> Measured:
    """Half of the boundaries moved by up to 5 units and a quarter missing, at each value."""
    recipe = subject.recipe
    ranges = ((name, p.sensible(MEAN_SIZE)) for name, p in recipe.metric.params.items())
    name, values = next(((name, own) for name, own in ranges if own), ("", ()))
    if not values:
        return Measured(math.nan, "it has neither a window width nor a limit of near misses")
    texts = draw(subject, "settings", (40, 33, MEAN_SIZE // 2, 3 * MEAN_SIZE // 2))
    made = texts
    for model in MOVED_AND_MISSED:  # each with its own seed, or the moved ones would be missing
        made = made_corpus(spoil(made, model, seed=subject.seed(model.name)).hyp, texts.units)
    pairs = Pairs(texts.column, made.column, texts.units)
    losses = [replace(subject, recipe=recipe.metric.recipe(**{**recipe.settings, name: value}))
              .pair_losses(pairs) for value in values]  # fmt: skip
    return _measured(f"by {name}", f"{name} (mean segment 20)", values, losses)


# Systems that know nothing.


def know_nothing(texts: Corpus, seed: int) -> dict[str, Column]:
    """Cut nowhere, everywhere, into equal segments, or at random, the right number of times."""
    offsets, units = texts.column.offsets, texts.units
    row, number = flat(offsets)
    everywhere = offsets_of(units - 1)
    equal = (number + 1) * units[row] // (texts.column.counts[row] + 1)
    return {
        "none": Column.own(row[:0], np.zeros_like(offsets)),
        "all": Column.own(flat(everywhere)[1] + 1, everywhere),
        "equal": Column.own(equal, offsets),
        "random": simulate.shuffled(texts, seed=seed).column,
    }


def _ignorant(subject: Subject) -> dict[str, Values]:
    """The losses of all four over drawn texts of 20 segments with 5 to 35 units."""
    texts = draw(subject, "chance", (200, 20, 5, 35))
    hyps = know_nothing(texts, subject.seed("chance"))
    return {
        name: subject.pair_losses(Pairs(texts.column, hyp, texts.units))
        for name, hyp in hyps.items()
    }


def _said(subject: Subject, losses: Mapping[str, Values]) -> str:
    sign = -1 if subject.better == "higher" else 1
    values = {name: subject.best + sign * mean(own) for name, own in losses.items()}
    return ", ".join(f"{name} {value:.2g}" for name, value in values.items())


@measures("no easy way out")
def degenerate(subject: Subject) -> Measured:
    """No cut and all cuts against random boundaries, text by text."""
    losses = _ignorant(subject)
    scores = [_standard(losses["random"] - losses[name]) for name in ("none", "all")]
    known = [score for score in scores if not math.isnan(score)]
    return Measured(max(0.0, *known), _said(subject, losses)) if known else Measured(math.nan)


def _standard(gain: Values) -> float:
    """The mean in standard errors; a gain that is the same everywhere is sure."""
    center, error = mean(gain), standard_error(gain)
    if error == 0:
        return math.copysign(math.inf, center) if center else 0.0
    return center / error


@measures("chance is near the bottom")
def chance(subject: Subject) -> Measured:
    """The mean score of random boundaries, on a scale from the worst to the best."""
    losses = _ignorant(subject)
    x = tuple(map(float, range(len(NAMES))))
    y, halves = (tuple(f(losses[name]) for name in NAMES) for f in (mean, half_of_interval))
    curve = Curve("systems that know nothing", ", ".join(NAMES), x, y, NAMES, halves)
    if not math.isfinite(subject.span) or subject.span == 0:
        return Measured(math.nan, "the worst score has no limit", curves=(curve,))
    error = standard_error(losses["random"]) / subject.span
    if math.isnan(error):
        return Measured(math.nan, curves=(curve,))
    figure = 1 - mean(losses["random"]) / subject.span
    return Measured(figure, f"standard error {error:.2g}", curves=(curve,))
