"""Boundary metrics: cuts compared one by one, every possible pairing tried."""

from fractions import Fraction
from functools import cache

from fencepost import Segmentation
from oracle.text import Texts, decimal, mean_segment, places, segments


def reach(ref: Segmentation, tolerance: int | str) -> Fraction:
    """How far apart two cuts may be; a share is of the mean reference segment."""
    if isinstance(tolerance, int):
        return Fraction(tolerance)
    return Fraction(tolerance.removesuffix("%")) / 100 * mean_segment(ref)


def largest_matching(left: list[int], right: list[int], tau: Fraction) -> int:
    """The most one-to-one pairs at most tau apart: for each cut, every free partner or none."""

    @cache
    def most(i: int, free: frozenset[int]) -> int:
        if i == len(left):
            return 0
        near = [p for p in free if abs(left[i] - p) <= tau]
        return max([most(i + 1, free), *(1 + most(i + 1, free - {p}) for p in near)])

    return most(0, frozenset(right))


def matched(texts: Texts, tolerance: int | str, ends: str) -> tuple[int, int, int]:
    """True positives, false positives and false negatives over all texts."""
    tp = fp = fn = 0
    for ref, hyp in texts:
        r, h = places(ref), places(hyp)
        if ends == "include":
            r, h = [*r, ref.units], [*h, hyp.units]
        found = largest_matching(r, h, reach(ref, tolerance))
        tp, fp, fn = tp + found, fp + len(h) - found, fn + len(r) - found
    return tp, fp, fn


def rate(part: int, whole: int, nothing: bool) -> Fraction:
    """1 where neither side has a cut, 0 where only one has."""
    if nothing:
        return Fraction(1)
    return Fraction(part, whole) if whole else Fraction(0)


def boundary_precision(
    texts: Texts, *, tolerance: int | str = 0, ends: str = "exclude"
) -> Fraction:
    """TP / (TP + FP)."""
    tp, fp, fn = matched(texts, tolerance, ends)
    return rate(tp, tp + fp, tp + fp + fn == 0)


def boundary_recall(texts: Texts, *, tolerance: int | str = 0, ends: str = "exclude") -> Fraction:
    """TP / (TP + FN)."""
    tp, fp, fn = matched(texts, tolerance, ends)
    return rate(tp, tp + fn, tp + fp + fn == 0)


def weighted_harmonic_mean(precision: Fraction, recall: Fraction, beta: float) -> Fraction:
    """F_beta of precision and recall."""
    b2 = decimal(beta) ** 2
    below = b2 * precision + recall
    return (1 + b2) * precision * recall / below if below else Fraction(0)


def boundary_f(
    texts: Texts, *, tolerance: int | str = 0, beta: float = 1.0, ends: str = "exclude"
) -> Fraction:
    """(1 + b2) P R / (b2 P + R)."""
    precision = boundary_precision(texts, tolerance=tolerance, ends=ends)
    recall = boundary_recall(texts, tolerance=tolerance, ends=ends)
    return weighted_harmonic_mean(precision, recall, beta)


def boundary_agreement(texts: Texts) -> Fraction | None:
    """Share of places on which both sides agree: cut or no cut."""
    agree = [
        (place in places(ref)) == (place in places(hyp))
        for ref, hyp in texts
        for place in range(1, ref.units)
    ]
    return Fraction(sum(agree), len(agree)) if agree else None


def generalized_hamming(
    texts: Texts, *, insert: float = 2.0, delete: float = 2.0, shift: float = 1.0
) -> Fraction:
    """Bookstein, Kulyukin & Raita (2002): the full table of edit costs, the mean over texts."""
    put_in, take_out, move = decimal(insert), decimal(delete), decimal(shift)
    total = Fraction(0)
    for ref, hyp in texts:
        r, h = places(ref), places(hyp)
        cost = [[Fraction(0)] * (len(h) + 1) for _ in range(len(r) + 1)]
        for i in range(len(r) + 1):
            for j in range(len(h) + 1):
                ways = []
                if i:
                    ways.append(cost[i - 1][j] + put_in)
                if j:
                    ways.append(cost[i][j - 1] + take_out)
                if i and j:
                    ways.append(cost[i - 1][j - 1] + move * abs(r[i - 1] - h[j - 1]))
                cost[i][j] = min(ways, default=Fraction(0))
        total += cost[-1][-1]
    return total / len(texts)


def jaccard(p: range, q: range) -> Fraction:
    """|p and q| / |p or q|."""
    return Fraction(len(set(p) & set(q)), len(set(p) | set(q)))


def covering(texts: Texts) -> Fraction:
    """Mean over reference units of the best Jaccard index of their segment."""
    covered = sum(
        len(r) * max(jaccard(r, h) for h in segments(hyp))
        for ref, hyp in texts
        for r in segments(ref)
    )
    return Fraction(covered) / sum(ref.units for ref, _ in texts)


def is_cut(section: range, hyp: Segmentation, tau: Fraction) -> bool:
    """Whether two pieces of a section, each larger than tau, are in different segments."""
    pieces = [(h - (section[0] - 1), section[-1] - h) for h in places(hyp)]
    return any(left > tau and right > tau for left, right in pieces)


def is_joined(section: range, ref: Segmentation, hyp: Segmentation, tau: Fraction) -> bool:
    """Whether an end of a section, other than the ends of the text, has no cut within tau."""
    ends = {section[0] - 1, section[-1]} - {0, ref.units}
    return any(all(abs(h - end) > tau for h in places(hyp)) for end in ends)


def sections_cut(texts: Texts, *, tolerance: int | str = 0) -> Fraction:
    """Share of the reference's segments that the hypothesis cuts through."""
    cut = [is_cut(s, hyp, reach(ref, tolerance)) for ref, hyp in texts for s in segments(ref)]
    return Fraction(sum(cut), len(cut))


def sections_joined(texts: Texts, *, tolerance: int | str = 0) -> Fraction:
    """Share of the reference's segments that the hypothesis joins with a neighbour."""
    joined = [
        is_joined(s, ref, hyp, reach(ref, tolerance)) for ref, hyp in texts for s in segments(ref)
    ]
    return Fraction(sum(joined), len(joined))
