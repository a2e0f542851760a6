"""Agreement on segments as units of a continuum, as printed: segments in, fractions out.

alpha_U is Krippendorff's (1995, Sociological Methodology 25; 2004, Content Analysis, section 11.6).
Gamma's disorder is that of Mathet, Widlöcher & Métivier (2015), Computational Linguistics 41(3),
with positions alone; alignments come in one order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations, product

Unit = tuple[int, int, str]  # start, end, category
Section = tuple[int, int, bool]  # start, length, whether it is a unit
Span = tuple[int, int]


def units(masses: Sequence[int], categories: Sequence[str] | None = None) -> list[Unit]:
    """The segments of one annotator."""
    found, start = [], 0
    for i, size in enumerate(masses):
        found.append((start, start + size, categories[i] if categories else ""))
        start += size
    return found


def sections(own: Sequence[Unit], category: str) -> list[Section]:
    """Units of one category and the gaps between them, unit by unit of the continuum."""
    kept = [(start, end) for start, end, name in own if name == category]
    found, at = [], 0
    for start, end in [*kept, (own[-1][1], own[-1][1])]:
        if start > at:
            found.append((at, start - at, False))
        if end > start:
            found.append((start, end - start, True))
        at = end
    return found


def difference(g: Section, h: Section) -> int:
    """The squared difference of two sections."""
    (b, length, v), (c, other, w) = g, h
    if v and w and -length < b - c < other:
        return (b - c) ** 2 + (b + length - c - other) ** 2
    if v and not w and other - length >= b - c >= 0:
        return length**2
    if w and not v and other - length <= b - c <= 0:
        return other**2
    return 0


def disagreements(coders: Sequence[Sequence[Unit]], category: str) -> tuple[Fraction, Fraction]:
    """D_o and D_e of one category."""
    m, length = len(coders), coders[0][-1][1]
    rows = [sections(own, category) for own in coders]
    found = sum(difference(g, h) for a, b in permutations(rows, 2) for g in a for h in b)
    observed = Fraction(found, m * (m - 1) * length**2)
    every = [one for row in rows for one in row]
    own = [size for _, size, is_unit in every if is_unit]
    total = Fraction(0)
    for size in own:
        total += Fraction(len(own) - 1, 3) * (2 * size**3 - 3 * size**2 + size)
        gaps = [gap for _, gap, is_unit in every if not is_unit and gap >= size]
        total += size**2 * sum(gap - size + 1 for gap in gaps)
    below = m * length * (m * length - 1) - sum(size * (size - 1) for size in own)
    return observed, Fraction(2, length) * total / below


def placed(coders: Sequence[Sequence[Unit]]) -> Fraction:
    """D_e of segments without gaps, by moving every two of them past each other."""
    m, length = len(coders), coders[0][-1][1]
    sizes = [end - start for own in coders for start, end, _ in own]
    found = sum(
        difference((b, one, True), (0, other, True))
        for i, one in enumerate(sizes)
        for j, other in enumerate(sizes)
        if i != j
        for b in range(-one + 1, other)
    )
    below = m * length * (m * length - 1) - sum(size * (size - 1) for size in sizes)
    return Fraction(found, length) / below


def sums(coders: Sequence[Sequence[Unit]]) -> tuple[Fraction, Fraction]:
    """Both disagreements over all categories, times annotators and squared length."""
    names = sorted({name for own in coders for _, _, name in own})
    both = [disagreements(coders, name) for name in names]
    weight = len(coders) * coders[0][-1][1] ** 2
    return weight * sum((o for o, _ in both), Fraction(0)), weight * sum(
        (e for _, e in both), Fraction(0)
    )


def alpha_u(texts: Sequence[Sequence[Sequence[Unit]]]) -> Fraction | None:
    """1 - D_o / D_e of texts, which are added as the differences themselves are."""
    both = [sums(coders) for coders in texts]
    expected = sum(e for _, e in both)
    return 1 - sum(o for o, _ in both) / Fraction(expected) if expected else None


# Gamma.


def dissimilarity(u: Span, v: Span) -> Fraction:
    """Of two segments by their positions."""
    return Fraction(abs(u[0] - v[0]) + abs(u[1] - v[1]), u[1] - u[0] + v[1] - v[0]) ** 2


def unitary(some: Sequence[Span | None]) -> Fraction:
    """The disorder of one unitary alignment: the mean over pairs; 1 where one is missing."""
    pairs = list(combinations(some, 2))
    each = (Fraction(1) if u is None or v is None else dissimilarity(u, v) for u, v in pairs)
    return sum(each, Fraction(0)) / len(pairs)


def ordered_disorder(coders: Sequence[Sequence[Span]]) -> Fraction:
    """The least disorder of alignments whose unitary alignments come in one order."""

    @cache
    def least(at: tuple[int, ...]) -> Fraction:
        if not any(at):
            return Fraction(0)
        return min(
            unitary(
                [own[i - 1] if one else None for own, i, one in zip(coders, at, taken, strict=True)]
            )
            + least(tuple(i - one for i, one in zip(at, taken, strict=True)))
            for taken in product((0, 1), repeat=len(at))
            if any(taken) and all(i >= one for i, one in zip(at, taken, strict=True))
        )

    return least(tuple(map(len, coders)))


def partitions(left: Sequence[frozenset[Span]]) -> Iterator[list[tuple[Span | None, ...]]]:
    """Every alignment at all, crossing ones too: slow, for two or three short annotators."""
    if not any(left):
        yield []
        return
    first = next(i for i, own in enumerate(left) if own)
    one = min(left[first])
    others: list[list[Span | None]] = [
        [None, *sorted(own)] if i > first else [None] for i, own in enumerate(left)
    ]
    others[first] = [one]
    for made in product(*others):
        rest = [own - {unit} for own, unit in zip(left, made, strict=True)]
        for more in partitions(rest):
            yield [made, *more]


def disorder(coders: Sequence[Sequence[Span]]) -> Fraction:
    """The least disorder of all alignments."""
    sets = [frozenset(own) for own in coders]
    return min(sum(map(unitary, made), Fraction(0)) for made in partitions(sets))
