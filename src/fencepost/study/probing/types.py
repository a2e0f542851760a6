"""Boundary types and levels: whether a metric sees them, and what they change."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from fencepost.metrics.registry import Values
from fencepost.model.segmentation import Segmentation
from fencepost.study.probing.base import EQUAL, Curve, Measured, Subject, measures

SIZE, SEGMENTS = 20, 10
MIDDLE = SEGMENTS // 2 - 1  # the boundary that is wrong


def _text(kinds: Sequence[int], names: Sequence[str]) -> Segmentation:
    """Segments of 20 units whose boundaries have these types; 0 is a missing boundary."""
    there = [(SIZE * at, kind) for at, kind in enumerate(kinds, 1) if kind]
    places, own = zip(*there, strict=True)
    return Segmentation(SIZE * (len(kinds) + 1), places, own, names)


def _names(subject: Subject) -> tuple[str, str]:
    """Types without an order, or levels or declared types where the metric takes nothing else."""
    order = subject.recipe.order(("a", "b"))
    if isinstance(order, bool):
        return "a", "b"
    if order is None:
        return "1", "2"
    first, second, *_ = order.split("<") if isinstance(order, str) else order
    return first, second


def _costs(subject: Subject, types: int) -> tuple[float, float]:
    """What one boundary costs if it has the wrong type, and if it is missing."""
    right = [1 + at % types for at in range(SEGMENTS - 1)]
    wrong, missing = ([*right[:MIDDLE], kind, *right[MIDDLE + 1 :]]
                      for kind in (3 - right[MIDDLE], 0))  # fmt: skip
    text, *others = (_text(own, _names(subject)) for own in (right, wrong, missing))
    losses = subject.losses([text] * 2, others)
    return float(losses[0]), float(losses[1])


def _ratio(x: float, y: float) -> float:
    """x / y; infinite where only y is 0, undefined where both are."""
    return x / y if y > EQUAL else math.inf * x


def _said(wrong: float, missing: float) -> str:
    return f"wrong type {wrong:.3g}, missing {missing:.3g}"


@measures("sees boundary types")
def sees_types(subject: Subject) -> Measured:
    """One of nine boundaries has the other one of two types."""
    wrong, missing = _costs(subject, 2)
    return Measured(0.0 if wrong <= EQUAL else _ratio(wrong, missing), _said(wrong, missing))


@measures("a wrong type costs less")
def wrong_type(subject: Subject) -> Measured:
    """The same boundary, where types are seen at all."""
    wrong, missing = _costs(subject, 2)
    if wrong <= EQUAL:
        return Measured(math.nan, "it does not see boundary types")
    return Measured(_ratio(wrong, missing), _said(wrong, missing))


@measures("types change no other cost")
def other_costs(subject: Subject) -> Measured:
    """A missing boundary among nine of two types, and among nine of one type."""
    two, one = _costs(subject, 2)[1], _missing_of_one_type(subject)
    return Measured(_ratio(two, one), f"two types {two:.3g}, one {one:.3g}")


def _missing_of_one_type(subject: Subject) -> float:
    places = [SIZE * at for at in range(1, SEGMENTS)]
    full, less = (
        Segmentation(SIZE * SEGMENTS, own, [1] * len(own), _names(subject)[:1])
        for own in (places, places[:MIDDLE] + places[MIDDLE + 1 :])
    )
    return float(subject.losses([full], [less])[0])


# Levels: the middle boundary is of level 1, those between it and the ends of level 2, and so on.

LEVELS = ("1", "2", "3", "4")
RULER = (4, 3, 4, 2, 4, 3, 4, 1, 4, 3, 4, 2, 4, 3, 4)


def _losses_at(subject: Subject, boundary: int, kinds: Sequence[int]) -> Values:
    """What it costs to give one boundary of the ruler other levels; 0 is a missing one."""
    hyps = [_text([*RULER[:boundary], k, *RULER[boundary + 1 :]], LEVELS) for k in kinds]
    return subject.losses([_text(RULER, LEVELS)] * len(kinds), hyps)


@measures("a wrong level costs less")
def wrong_level(subject: Subject) -> Measured:
    """The middle boundary, of level 1, is of level 2 or missing."""
    wrong, missing = _losses_at(subject, RULER.index(1), (2, 0)).tolist()
    if wrong <= EQUAL:
        return Measured(math.nan, "it does not see levels")
    said = f"one level off {wrong:.3g}, missing {missing:.3g}"
    return Measured(_ratio(wrong, missing), said)


@measures("the further the level the worse")
def level_distance(subject: Subject) -> Measured:
    """The middle boundary, of level 1, is of level 2, 3 and 4."""
    losses = _losses_at(subject, RULER.index(1), (1, 2, 3, 4))
    if not (losses > EQUAL).any():
        return Measured(math.nan, "it does not see levels")
    steps = np.diff(losses[1:])
    figure = float(((steps > EQUAL).sum() - (steps < -EQUAL).sum()) / len(steps))
    x, y = tuple(map(float, range(len(losses)))), tuple(losses.tolist())
    curve = Curve("wrong levels", "levels off (of four)", x, y)
    costs = ", ".join(f"{loss:.3g}" for loss in losses[1:])
    return Measured(figure, f"1, 2, 3 levels off: {costs}", curves=(curve,))


@measures("a coarse boundary weighs more")
def coarse_boundary(subject: Subject) -> Measured:
    """The middle boundary, of level 1, or one beside it, of level 4, is missing."""
    middle = RULER.index(1)
    coarse, fine = (float(_losses_at(subject, at, (0,))[0]) for at in (middle, middle + 1))
    return Measured(_ratio(coarse, fine), f"coarsest {coarse:.3g}, finest {fine:.3g}")
