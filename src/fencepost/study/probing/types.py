"""Boundary types: whether a metric sees them, and what they change."""

from __future__ import annotations

import math

from fencepost.model.segmentation import Segmentation
from fencepost.study.probing.base import EQUAL, Measured, Subject, measures

SIZE, SEGMENTS = 20, 10
MIDDLE = SEGMENTS // 2 - 1  # the boundary that is wrong


def _text(kinds: list[int]) -> Segmentation:
    """Segments of 20 units whose boundaries have these types; 0 is a missing boundary."""
    there = [(SIZE * at, kind) for at, kind in enumerate(kinds, 1) if kind]
    places, own = zip(*there, strict=True)
    return Segmentation(SIZE * SEGMENTS, places, own, ("a", "b"))


def _costs(subject: Subject, types: int) -> tuple[float, float]:
    """What one boundary costs if it has the wrong type, and if it is missing."""
    right = [1 + at % types for at in range(SEGMENTS - 1)]
    wrong, missing = ([*right[:MIDDLE], kind, *right[MIDDLE + 1 :]]
                      for kind in (3 - right[MIDDLE], 0))  # fmt: skip
    losses = subject.losses([_text(right)] * 2, [_text(wrong), _text(missing)])
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
        Segmentation(SIZE * SEGMENTS, own, [1] * len(own), ("a",))
        for own in (places, places[:MIDDLE] + places[MIDDLE + 1 :])
    )
    return float(subject.losses([full], [less])[0])
