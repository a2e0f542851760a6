"""A search for pairs of hypotheses that are not equally good, on all small references."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal, get_args

import numpy as np

from fencepost.checks import Ints
from fencepost.metrics.base import Recipe, Values
from fencepost.pairs import Pairs
from fencepost.probing.base import column_of, text_of
from fencepost.segmentation import Segmentation

Kind = Literal["constant-cost", "cross-boundary", "vanishing"]
KINDS: tuple[Kind, ...] = get_args(Kind)

# Moving a cut gives two segments new sizes; soft keeps more than half of both, hard of neither.
Softness = Literal["soft", "hard", ""]


@dataclass(frozen=True)
class Move:
    """A cut of the reference moved by some units, and how much of its two segments that leaves."""

    cut: int
    step: int
    softness: Softness


@dataclass(frozen=True)
class Found:
    """How many references have such a pair of hypotheses, and the smallest of them."""

    references: int
    affected: int
    example: tuple[Segmentation, Segmentation, Segmentation] | None


def moves(masses: tuple[int, ...]) -> list[Move]:
    """All moves of one cut that stay between its neighbours."""
    found = []
    ends = np.cumsum(masses).tolist()
    for cut, left, right in zip(ends[:-1], masses[:-1], masses[1:], strict=True):
        steps = (step for step in range(1 - left, right) if step)
        found += [Move(cut, step, _softness(left, right, step)) for step in steps]
    return found


def _softness(left: int, right: int, step: int) -> Softness:
    """Whether both Jaccards, of the left and of the right segment, are above or below 1/2."""
    if step < 0:
        (a, b), (c, d) = (left + step, left), (right, right - step)
    else:
        (a, b), (c, d) = (left, left + step), (right - step, right)
    if 2 * a > b and 2 * c > d:
        return "soft"
    return "hard" if 2 * a < b and 2 * c < d else ""


def crossings(masses: tuple[int, ...]) -> list[Move]:
    """Cuts taken over a whole segment: the left cut to the right, the right cut to the left."""
    found = []
    ends = np.cumsum(masses).tolist()
    for number, size in enumerate(masses):
        if 0 < number < len(masses) - 1:
            start, end = ends[number - 1], ends[number]
            found += [Move(start, size + c, "") for c in range(1, masses[number + 1])]
            found += [Move(end, -size - c, "") for c in range(1, masses[number - 1])]
    return found


def pairs_of(kind: Kind, own: list[Move], crossing: list[Move]) -> Iterator[tuple[Move, Move]]:
    """Pairs of moves, the better one first, that a metric should not score equal."""
    if kind == "constant-cost":
        for soft in own:
            for hard in own:
                alike = abs(soft.step) == abs(hard.step)
                if alike and soft.softness == "soft" and hard.softness == "hard":
                    yield soft, hard
    elif kind == "cross-boundary":
        for over in crossing:
            for soft in own:
                if soft.softness == "soft" and abs(soft.step) == abs(over.step):
                    yield soft, over
    else:
        for less in own:
            for more in own:
                further = less.cut == more.cut and abs(less.step) < abs(more.step)
                if further and less.softness == "soft":
                    yield less, more


def search(recipe: Recipe, kind: Kind, largest: int = 10) -> Found:
    """Look at all references of 3 to ``largest`` units with a cut, and a place without one.

    All pairs of hypotheses of so many units are scored in one batch.
    """
    references = affected = 0
    example = None
    for units in range(3, largest + 1):
        ref, better, worse = _rivals(kind, units)
        values = [_values(recipe, units, ref, hyp) for hyp in (better, worse)]
        # Values are made from exact counts, so equal fractions come out equal.
        tied = np.abs(values[0] - values[1]) <= 1e-12
        references += (1 << (units - 1)) - 2
        affected += len(np.unique(ref[tied]))
        if tied.any() and example is None:
            cuts = ((ref[tied, None] >> np.arange(units)) & 1).sum(axis=1)
            at = np.flatnonzero(tied)[np.argmin(cuts)]
            one, two, three = (text_of(int(codes[at]), units) for codes in (ref, better, worse))
            example = one, two, three
    return Found(references, affected, example)


@cache
def _rivals(kind: Kind, units: int) -> tuple[Ints, Ints, Ints]:
    """References of so many units with a better and a worse hypothesis, as numbers of texts."""
    found = []
    for code in range(1, (1 << (units - 1)) - 1):
        masses = text_of(code, units).masses
        for better, worse in pairs_of(kind, moves(masses), crossings(masses)):
            found.append((code, _moved(code, better), _moved(code, worse)))
    table = np.array(found, dtype=np.int64).reshape(-1, 3)
    return table[:, 0], table[:, 1], table[:, 2]


def _moved(code: int, move: Move) -> int:
    """The text of this number with one cut elsewhere."""
    return code ^ (1 << (move.cut - 1)) ^ (1 << (move.cut + move.step - 1))


def _values(recipe: Recipe, units: int, ref: Ints, hyp: Ints) -> Values:
    """The values of these pairs; what stands there several times is scored once."""
    pairs, where = np.unique((ref << 32) | hyp, return_inverse=True)
    columns = [column_of(codes, units) for codes in (pairs >> 32, pairs & (2**32 - 1))]
    scored = Pairs(columns[0], columns[1], np.full(len(pairs), units))
    return np.asarray(recipe.value(recipe.count(scored))[where])
