"""The three misbehaviours of diaz2022: two hypotheses that a metric cannot tell apart, but should.

A cut that moves takes units from the segment on one side to that on the other. The move is soft if
both segments keep a Jaccard index above 1/2 with what they were, and hard if both fall below 1/2.

* constant-cost: a soft move and a hard one over the same distance.
* cross-boundary: a soft move, and a cut taken over the same distance across another one.
* vanishing: a soft move, and the same cut taken further.

References are numbers: bit p - 1 is a boundary after unit p.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, combinations
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from fencepost.metrics.registry import Recipe, Values
from fencepost.model.checks import Ints, MetricError, offsets_of
from fencepost.model.pairs import Pairs
from fencepost.model.segmentation import Segmentation
from fencepost.study.probing.base import EQUAL as LOSSES_EQUAL
from fencepost.study.probing.base import (
    Bools,
    Measured,
    Subject,
    as_failure,
    column_of,
    measures,
    shown,
    text_of,
)
from fencepost.study.probing.base import Example as Shows
from fencepost.study.simulate.texts import flat

Kind = Literal["constant-cost", "cross-boundary", "vanishing"]
KINDS: tuple[Kind, ...] = get_args(Kind)

# Scores of texts of at most 20 units are fractions with small denominators: two that differ are
# further apart than this (A has the largest, lcm(1..20) times at most 21 edges: 1e-11 apart), and
# two that are equal but for rounding are nearer.
EQUAL = 1e-12
MAX_UNITS = 12  # of a search with any metric: every further unit doubles the references
REFERENCES_PER_BLOCK = 2**13  # so that what is computed stays in the cache


class Moves(NamedTuple):
    """References with one cut moved, by reference, cut and new position."""

    row: Ints  # the reference's index
    cut: Ints
    distance: Ints
    hypothesis: Ints
    soft: Bools
    hard: Bools
    crosses: Bools


def moves(references: Ints, units: int) -> Moves:
    """Every way to move one cut, within its two segments or across the next cut."""
    every = [(p, q) for p in range(1, units) for q in range(1, units) if p != q]
    cut, place = _narrow(every).reshape(-1, 2).T
    distance = np.abs(place - cut)
    low, high = np.minimum(cut, place), np.maximum(cut, place)
    ends = references << 1 | 1 | 1 << units  # with the ends of the text, bits 0 and units
    between = ends[:, None] & _bits(low + 1, high - 1, units)
    moves_it = (ends[:, None] & (1 << cut | 1 << place)) == 1 << cut
    row, way = np.divmod(np.flatnonzero(moves_it & (between & (between - 1) == 0)), len(every))
    across, own = between[row, way] != 0, ends[row]
    # The segment towards the new position shrinks, the other one grows. A Jaccard index is above
    # 1/2 if 2 * distance < shrinks, and if distance < grows: no end is so near on that side.
    right = place > cut
    ahead, behind = np.where(right, 1, -1), np.where(right, -1, 1)

    def has_end(side: Ints, reach: Ints) -> Bools:
        far = cut + side * reach
        near = _bits(np.minimum(cut + side, far), np.maximum(cut + side, far), units)
        return np.asarray((own & np.where(reach > 0, near, 0)[way]) != 0)

    soft = ~has_end(ahead, 2 * distance) & ~has_end(behind, distance)
    hard = has_end(ahead, 2 * distance - 1) & has_end(behind, distance - 1)
    hypothesis = references[row] ^ (1 << (cut - 1) | 1 << (place - 1))[way]
    return Moves(row, cut[way], distance[way], hypothesis, soft & ~across, hard & ~across, across)


def _narrow(numbers: Any) -> Ints:
    """References fit into 32 bits, which are twice as fast as 64."""
    return np.array(numbers, dtype=np.int32)


def _bits(first: Ints, last: Ints, units: int) -> Ints:
    """Numbers with the bits from ``first`` to ``last``, as far as they are in 0 to ``units``."""
    first, last = np.maximum(first, 0), np.minimum(last, units)
    return np.where(first <= last, (1 << (last + 1)) - (1 << first), 0)


def _pairs(kind: Kind, made: Moves, units: int) -> tuple[Ints, Ints]:
    """The pairs of moves that a metric should tell apart, as indexes, the better move first."""
    which = {
        "constant-cost": made.hard,
        "cross-boundary": made.crosses,
        "vanishing": ~made.crosses,
    }
    better, worse = np.flatnonzero(made.soft), np.flatnonzero(which[kind])
    same = made.cut if kind == "vanishing" else made.distance
    key = made.row * units + same  # both moves are in one reference, at one cut or distance
    worse = worse[np.isin(key[worse], key[better])]
    worse = worse[np.argsort(key[worse], kind="stable")]
    first, end = (np.searchsorted(key[worse], key[better], side) for side in ("left", "right"))
    at, number = flat(offsets_of(end - first))
    h1, h2 = better[at], worse[first[at] + number]
    if kind != "vanishing":
        return h1, h2
    further = made.distance[h1] < made.distance[h2]
    return h1[further], h2[further]


class Told(NamedTuple):
    """One kind of pairs in some references, and which of them each metric scores equal."""

    row: Ints  # the reference of each pair
    h1: Ints
    h2: Ints
    values: Values  # of h1, one row per metric
    equal: Bools  # one row per metric

    def affected(self, references: int) -> Bools:
        """For each metric and reference, whether there is a pair with equal scores."""
        found = np.zeros((len(self.equal), references), dtype=bool)
        for own, equal in zip(found, self.equal, strict=True):
            own[self.row[equal]] = True
        return found


def compare(
    recipes: Sequence[Recipe], kinds: Sequence[Kind], references: Ints, units: int
) -> dict[Kind, Told]:
    """Score the pairs of hypotheses of these references that each metric should tell apart."""
    made = moves(references, units)
    pairs = {kind: _pairs(kind, made, units) for kind in kinds}
    used = np.unique(np.concatenate([*pairs.values()], axis=1))
    texts = [
        column_of(codes, units) for codes in (references[made.row[used]], made.hypothesis[used])
    ]
    scored = Pairs(texts[0], texts[1], np.full(len(used), units))
    values = np.array([recipe.value(recipe.count(scored)) for recipe in recipes])
    found = {}
    for kind, (h1, h2) in pairs.items():
        first, second = (values[:, np.searchsorted(used, side)] for side in (h1, h2))
        sides = made.hypothesis[h1], made.hypothesis[h2]
        found[kind] = Told(made.row[h1], *sides, first, _equal(first, second))
    return found


def _equal(a: Values, b: Values) -> Bools:
    size = np.maximum(1.0, np.maximum(np.abs(a), np.abs(b)))
    with np.errstate(invalid="ignore"):  # an undefined score equals none
        return np.asarray(np.abs(a - b) <= EQUAL * size)


def references_of(units: int, segments: int) -> Iterator[Ints]:
    """All references of so many units and segments, some at a time, in the order of their cuts."""
    every = chain.from_iterable(combinations(range(units - 1), segments - 1))
    bits = np.fromiter(every, dtype=np.int32).reshape(-1, segments - 1)
    codes = (1 << bits).sum(axis=1, dtype=np.int32)
    for first in range(0, len(codes), REFERENCES_PER_BLOCK):
        yield codes[first : first + REFERENCES_PER_BLOCK]


@dataclass(frozen=True)
class Example:
    """Two hypotheses with the same score, the better one first."""

    reference: tuple[int, ...]
    h1: tuple[int, ...]
    h2: tuple[int, ...]
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
        for segments in range(2, units):
            for codes in references_of(units, segments):
                told = compare([recipe], [kind], codes, units)[kind]
                references += len(codes)
                possible += len(np.unique(told.row))
                affected += int(told.affected(len(codes)).sum())
                if told.equal.any() and example is None:
                    pair = int(np.argmax(told.equal[0]))
                    texts = codes[told.row[pair]], told.h1[pair], told.h2[pair]
                    ref, h1, h2 = (text_of(int(code), units).masses for code in texts)
                    example = Example(ref, h1, h2, float(told.values[0, pair]))
    return Finding(kind, largest, references, possible, affected, example)


def _check(kind: Kind, largest: int) -> None:
    if kind not in KINDS:
        raise MetricError(f"no misbehaviour {kind!r}; there are {', '.join(KINDS)}")
    whole = isinstance(largest, int) and not isinstance(largest, bool)
    if not whole or not 3 <= largest <= MAX_UNITS:
        raise MetricError(f"largest must be from 3 to {MAX_UNITS} units, found {largest!r}")


# On the report card.


@measures("moved is never worse than missing")
def moved_or_missing(subject: Subject) -> Measured:
    """Every boundary of every small text moved within its two segments, or left out."""
    total = worse = 0
    example: Shows = ()
    for units in subject.sizes():
        loss = subject.loss(subject.table(units))
        references = _narrow(range(len(loss)))
        made = moves(references, units)
        missing = references[made.row] & ~(1 << (made.cut - 1))
        moved, none = loss[made.row, made.hypothesis], loss[made.row, missing]
        there = ~made.crosses & ~np.isnan(moved) & ~np.isnan(none)
        wrong = there & (moved > none + LOSSES_EQUAL)
        total, worse = total + int(there.sum()), worse + int(wrong.sum())
        if wrong.any() and not example:
            at = min(np.flatnonzero(wrong).tolist(), key=lambda i: int(made.row[i]).bit_count())
            ref, hyp, less = (text_of(int(code[at]), units)
                              for code in (made.row, made.hypothesis, missing))  # fmt: skip
            example = shown(subject, (ref, hyp, "reference", "moved"),
                            (ref, less, "reference", "missing"))  # fmt: skip
    if not total:
        return Measured(math.nan, "no value is defined")
    return Measured(worse / total, f"{worse} of {total} moves", example)


def _measure(subject: Subject, kind: Kind) -> Measured:
    if np.isnan(subject.table(6)).all():
        return Measured(math.nan, "no value is defined")
    try:
        found = search(subject.recipe, kind, subject.study.largest)
    except SystemExit as error:
        raise as_failure(subject.label, error) from error
    said = f"{found.affected} of {found.references} references"
    if found.example is None:
        return Measured(found.share, said)
    masses = found.example.reference, found.example.h1, found.example.h2
    ref, better, worse = (Segmentation.from_masses(sizes) for sizes in masses)
    example = shown(
        subject, (ref, better, "reference", "better"), (ref, worse, "reference", "worse")
    )
    return Measured(found.share, said, example)


for _name, _kind in (
    ("no constant cost", KINDS[0]),
    ("no crossing for free", KINDS[1]),
    ("no vanishing boundaries", KINDS[2]),
):
    measures(_name)(partial(_measure, kind=_kind))
