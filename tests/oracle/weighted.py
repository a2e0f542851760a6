"""A hypothesis against boundaries that have weights, every pairing tried.

The definition is fencepost's: a boundary of weight w is one for w of the annotators and none for
the others. TP is the largest sum of weights that one-to-one pairs within the tolerance can have.
In B boundaries at one position match first; the others pair at the least cost, and do not cross.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

Weights = dict[int, Fraction]
Pairing = list[tuple[int, int]]


def shares(annotators: Sequence[Sequence[int]]) -> Weights:
    """The share of annotators who set each boundary."""
    every = sorted({cut for own in annotators for cut in own})
    size = len(annotators)
    return {cut: Fraction(sum(cut in own for own in annotators), size) for cut in every}


def pairings(ref: Sequence[int], hyp: Sequence[int], reach: int) -> Iterator[Pairing]:
    """Every way to pair boundaries one to one, up to ``reach`` apart."""
    if not ref:
        yield []
        return
    first, *rest = ref
    yield from pairings(rest, hyp, reach)
    for cut in hyp:
        if abs(first - cut) <= reach:
            others = [one for one in hyp if one != cut]
            for more in pairings(rest, others, reach):
                yield [(first, cut), *more]


def matches(
    ref: Weights, hyp: Sequence[int], tolerance: int
) -> tuple[Fraction, Fraction, Fraction]:
    """TP, FP and FN."""
    tp = max(sum((ref[r] for r, _ in one), Fraction(0)) for one in pairings([*ref], hyp, tolerance))
    return tp, len(hyp) - tp, sum(ref.values(), Fraction(0)) - tp


def share(part: Fraction, whole: Fraction, nothing: bool) -> Fraction:
    """1 where neither side has anything, 0 where one side has nothing."""
    return Fraction(1) if nothing else part / whole if whole else Fraction(0)


def precision_recall_f(
    ref: Weights, hyp: Sequence[int], tolerance: int
) -> tuple[Fraction, Fraction, Fraction]:
    """TP over the hypothesis' boundaries, over the sum of weights, and their harmonic mean."""
    tp, fp, fn = matches(ref, hyp, tolerance)
    nothing = not ref and not hyp
    return (
        share(tp, tp + fp, nothing), share(tp, tp + fn, nothing),
        share(2 * tp, 2 * tp + fp + fn, nothing),
    )  # fmt: skip


def boundary_similarity(ref: Weights, hyp: Sequence[int], n_t: int) -> set[Fraction]:
    """B of every pairing that costs least; of those with as little, the ones with most pairs."""
    shared = [cut for cut in ref if cut in hyp]
    left, right = [c for c in ref if c not in hyp], [c for c in hyp if c not in ref]
    found = []
    for one in pairings(left, right, n_t - 1):
        if [h for _, h in one] != sorted(h for _, h in one):
            continue  # pairs that cross
        paired = {r for r, _ in one}
        missing = sum((ref[r] for r in left if r not in paired), Fraction(0))
        # A partner is extra for the annotators who did not set the boundary.
        extra = len(right) - len(one) + sum((1 - ref[r] for r in [*shared, *paired]), Fraction(0))
        near = sum((ref[r] * Fraction(abs(r - h), n_t) for r, h in one), Fraction(0))
        cost, whole = missing + extra + near, len(hyp) + missing
        found.append((cost, -len(one), 1 - cost / whole if whole else Fraction(1)))
    best = min(one[:2] for one in found)
    return {value for *bill, value in found if tuple(bill) == best}
