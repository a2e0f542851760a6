"""The three misbehaviours of diaz2022: two hypotheses that a metric cannot tell apart, but should.

A cut that moves takes units from the segment on one side to that on the other. The move is soft if
both segments keep a Jaccard index above 1/2 with what they were, and hard if both fall below 1/2.

* constant-cost: a soft move and a hard one over the same distance.
* cross-boundary: a soft move, and a cut taken over the same distance across another one.
* vanishing: a soft move, and the same cut taken further.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Literal, NamedTuple, get_args

import numpy as np

from fencepost.metrics.registry import Recipe, Values
from fencepost.model.checks import MetricError
from fencepost.model.pairs import Column, Pairs
from fencepost.model.segmentation import Segmentation
from fencepost.study.probing.base import (
    Measured,
    Property,
    Subject,
    as_failure,
    at_most,
    column_of,
    declare,
    shown,
)

Kind = Literal["constant-cost", "cross-boundary", "vanishing"]
KINDS: tuple[Kind, ...] = get_args(Kind)
Masses = tuple[int, ...]

# Scores of texts of at most 12 units are fractions with small denominators: two that differ are
# further apart than this, and two that are equal but for rounding are nearer.
EQUAL = 1e-12
MAX_UNITS = 12


class Move(NamedTuple):
    """A reference with one cut moved."""

    cut: int  # which, from 0
    distance: int
    hypothesis: tuple[int, ...]  # its cuts
    soft: bool = False
    hard: bool = False
    crosses: bool = False


@dataclass(frozen=True)
class Example:
    """Two hypotheses with the same score, the better one first."""

    reference: Masses
    h1: Masses
    h2: Masses
    value: float


@dataclass(frozen=True)
class Finding:
    """For how many references there are such hypotheses, and the smallest example."""

    kind: Kind
    largest: int
    references: int  # of 3 to `largest` units and 2 or more segments, not all of one unit
    possible: int  # those that allow two such hypotheses, whatever the metric
    affected: int
    example: Example | None

    @property
    def share(self) -> float:
        """Affected references among all."""
        return self.affected / self.references


def search(recipe: Recipe, kind: Kind, largest: int = 10) -> Finding:
    """Look at every reference of up to ``largest`` units for hypotheses the metric scores equal.

    The first example has the fewest units, then the fewest segments. Below 9, 10 and 5 units there
    are no two hypotheses to compare for the three kinds, so a smaller ``largest`` finds nothing.

    >>> import fencepost as fp
    >>> found = search(fp.boundary_similarity.recipe(), "constant-cost")
    >>> found.example
    Example(reference=(1, 3, 5), h1=(1, 5, 3), h2=(3, 1, 5), value=0.3333333333333333)
    >>> search(fp.alignment_similarity.recipe(), "constant-cost").example is None
    True
    """
    _check(kind, largest)
    references = possible = affected = 0
    example = None
    for units in range(3, largest + 1):
        texts = list(_references(units))
        moved = [moves(cuts, units) for cuts in texts]
        values = iter(_score(recipe, units, texts, moved).tolist())
        references += len(texts)
        for cuts, own in zip(texts, moved, strict=True):
            scored = [(move, next(values)) for move in own]
            pairs = list(_pairs(kind, scored))
            equal = [(h1, h2, value) for h1, h2, value, other in pairs if _same(value, other)]
            possible += bool(pairs)
            affected += bool(equal)
            if equal and example is None:
                h1, h2, value = equal[0]
                example = Example(
                    _masses(cuts, units),
                    _masses(h1.hypothesis, units),
                    _masses(h2.hypothesis, units),
                    value,
                )
    return Finding(kind, largest, references, possible, affected, example)


def moves(cuts: tuple[int, ...], units: int) -> list[Move]:
    """Every way to move one cut, within its two segments or across the next cut."""
    made = []
    ends = (0, *cuts, units)
    for i, cut in enumerate(cuts):
        before, after = ends[i], ends[i + 2]
        left, right = cut - before, after - cut
        beyond_left = ends[i - 1] if i else before
        beyond_right = ends[i + 3] if i + 3 < len(ends) else after
        for place in range(beyond_left + 1, beyond_right):
            if place in (cut, before, after):
                continue
            step = abs(place - cut)
            hypothesis = tuple(sorted({*cuts, place} - {cut}))
            crosses = not before < place < after
            shrinks, grows = (left, right) if place < cut else (right, left)
            soft = not crosses and 2 * step < shrinks and grows > step
            hard = not crosses and 2 * step > shrinks and grows < step
            made.append(Move(i, step, hypothesis, soft, hard, crosses))
    return made


def _pairs(
    kind: Kind, scored: list[tuple[Move, float]]
) -> Iterator[tuple[Move, Move, float, float]]:
    """The pairs of hypotheses that a metric should tell apart, the better one first."""
    for h1, value in scored:
        if not h1.soft:
            continue
        for h2, other in scored:
            if kind == "constant-cost":
                wanted = h2.hard and h1.distance == h2.distance
            elif kind == "cross-boundary":
                wanted = h2.crosses and h1.distance == h2.distance
            else:
                wanted = not h2.crosses and h1.cut == h2.cut and h1.distance < h2.distance
            if wanted:
                yield h1, h2, value, other


def _references(units: int) -> Iterator[tuple[int, ...]]:
    """The cuts of all references of 2 to ``units - 1`` segments, the fewest segments first."""
    for cuts in range(1, units - 1):
        yield from combinations(range(1, units), cuts)


def _score(
    recipe: Recipe, units: int, texts: list[tuple[int, ...]], moved: list[list[Move]]
) -> Values:
    refs = [cuts for cuts, own in zip(texts, moved, strict=True) for _ in own]
    hyps = [move.hypothesis for own in moved for move in own]
    sizes = np.full(len(refs), units, dtype=np.int64)
    return recipe.value(recipe.count(Pairs(_column(refs, units), _column(hyps, units), sizes)))


def _column(texts: list[tuple[int, ...]], units: int) -> Column:
    return column_of(np.array([sum(1 << (p - 1) for p in cuts) for cuts in texts]), units)


def _same(a: float, b: float) -> bool:
    return abs(a - b) <= EQUAL * max(1.0, abs(a), abs(b))  # an undefined score equals none


def _masses(cuts: tuple[int, ...], units: int) -> Masses:
    return tuple(b - a for a, b in pairwise((0, *cuts, units)))


def _check(kind: Kind, largest: int) -> None:
    if kind not in KINDS:
        raise MetricError(f"no misbehaviour {kind!r}; there are {', '.join(KINDS)}")
    whole = isinstance(largest, int) and not isinstance(largest, bool)
    if not whole or not 3 <= largest <= MAX_UNITS:
        raise MetricError(f"largest must be from 3 to {MAX_UNITS} units, found {largest!r}")


# On the report card.


def _measure(subject: Subject, kind: Kind) -> Measured:
    if np.isnan(subject.table(6)).all():
        return Measured(math.nan, "no value is defined")
    try:
        found = search(subject.recipe, kind, subject.study.largest)
    except SystemExit as error:
        raise as_failure(subject.label, error) from error
    said = f"{found.affected} of {found.references} references"
    if found.example is None:
        return Measured(found.affected / found.references, said)
    masses = found.example.reference, found.example.h1, found.example.h2
    ref, better, worse = (Segmentation.from_masses(sizes) for sizes in masses)
    example = shown(
        subject, (ref, better, "reference", "better"), (ref, worse, "reference", "worse")
    )
    return Measured(found.affected / found.references, said, example)


def _declared(name: str, kind: Kind, asks: str) -> Property:
    figure = "share of all references of 3 units up that have such a pair, scored exactly equal"
    return declare(name, "diaz2022", asks, figure, at_most(0))(lambda own: _measure(own, kind))


PROPERTIES: tuple[Property, ...] = (
    _declared(
        "no constant cost",
        "constant-cost",
        "Is a move that keeps most of both segments never scored as one that keeps little?",
    ),
    _declared(
        "no crossing for free",
        "cross-boundary",
        "Is a cut moved over a whole segment never scored as a soft move of the same length?",
    ),
    _declared(
        "no vanishing cuts",
        "vanishing",
        "Is a cut moved softly never scored as the same cut moved further?",
    ),
)
