"""Segmenters that know nothing: no cut, a cut everywhere, equal segments, random boundaries."""

from __future__ import annotations

import math

import numpy as np

from fencepost.metrics.registry import Values
from fencepost.model.segmentation import Segmentation
from fencepost.study.probing.base import (
    Curve,
    Measured,
    Property,
    Subject,
    at_most,
    declare,
    half_of_interval,
    mean,
)
from fencepost.study.simulate.counted import draw, even, scatter

NAMES = ("none", "all", "equal", "random")


def _ignorant(subject: Subject) -> dict[str, Values]:
    """The losses of all four over drawn texts of 20 segments with 5 to 35 units."""
    rng = subject.rng("chance")
    refs = [draw(rng, 20, 5, 35) for _ in range(20 if subject.plain else 200)]
    hyps = {
        "none": [Segmentation(ref.units, []) for ref in refs],
        "all": [Segmentation(ref.units, range(1, ref.units)) for ref in refs],
        "equal": [even(ref) for ref in refs],
        "random": [scatter(rng, ref) for ref in refs],
    }
    return {name: subject.losses(refs, own) for name, own in hyps.items()}


def _said(subject: Subject, losses: dict[str, Values]) -> str:
    sign = -1 if subject.better == "higher" else 1
    values = {name: subject.best + sign * mean(own) for name, own in losses.items()}
    return ", ".join(f"{name} {value:.2g}" for name, value in values.items())


@declare(
    "no easy way out",
    "chance",
    "Is cutting nowhere, or everywhere, no better than the right number of random boundaries?",
    "how much better, in standard errors of the mean over texts",
    at_most(3),
)
def degenerate(subject: Subject) -> Measured:
    """No cut and all cuts against random boundaries, text by text."""
    losses = _ignorant(subject)
    gains = [losses["random"] - losses[name] for name in ("none", "all")]
    scores = [_standard(gain[~np.isnan(gain)]) for gain in gains]
    if all(math.isnan(score) for score in scores):
        return Measured(math.nan)
    figure = max(0.0, *(score for score in scores if not math.isnan(score)))
    return Measured(figure, _said(subject, losses))


def _standard(gain: Values) -> float:
    """The mean in standard errors; a gain that is the same everywhere is sure."""
    if len(gain) < 2:
        return math.nan
    center, error = float(gain.mean()), float(gain.std(ddof=1)) / math.sqrt(len(gain))
    if error == 0:
        return math.copysign(math.inf, center) if center else 0.0
    return center / error


@declare(
    "chance is near the bottom",
    "chance",
    "Do random boundaries (the right number of them) reach at most a tenth of the way to perfect?",
    "mean under chance, 0 the worst score and 1 the best",
    at_most(0.1),
)
def chance(subject: Subject) -> Measured:
    """The mean score of random boundaries, on a scale from the worst to the best."""
    losses = _ignorant(subject)
    x = tuple(map(float, range(len(NAMES))))
    y = tuple(mean(losses[name]) for name in NAMES)
    halves = tuple(half_of_interval(losses[name]) for name in NAMES)
    curve = Curve("segmenters that know nothing", ", ".join(NAMES), x, y, tuple(NAMES), halves)
    if not math.isfinite(subject.span) or subject.span == 0:
        return Measured(math.nan, "the worst score has no limit", curves=(curve,))
    random = losses["random"][~np.isnan(losses["random"])]
    if len(random) < 2:
        return Measured(math.nan, curves=(curve,))
    error = float(random.std(ddof=1)) / math.sqrt(len(random)) / subject.span
    figure = 1 - float(random.mean()) / subject.span
    return Measured(figure, f"standard error {error:.2g}", curves=(curve,))


PROPERTIES: tuple[Property, ...] = (degenerate, chance)
