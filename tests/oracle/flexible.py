"""Flexible similarity (Lai et al. 2023) by trying every pairing of a block's boundaries."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise

from fencepost import Costs, Segmentation
from oracle.text import Pair, Texts

Marks = dict[int, str]  # the kind of the boundary after each unit that has one
Pairing = tuple[tuple[int, int], ...]
NONE = "none"


def marks(seg: Segmentation) -> Marks:
    """Place and kind of every boundary, the end of the text included; cuts without kinds are 1."""
    if seg.kinds is None or seg.kind_names is None:
        return dict.fromkeys(seg.cuts.tolist(), "1")
    names = [seg.kind_names[number - 1] for number in seg.kinds.tolist()]
    return dict(zip(seg.cuts.tolist(), names, strict=True))


def meant(number: float) -> Fraction:
    """The fraction a person means: 0.1 is a tenth, 0.3333333333333333 a third."""
    return Fraction(float(number)).limit_denominator(10**6)


@dataclass(frozen=True)
class Prices:
    """What substituting, deleting, inserting and moving costs."""

    costs: Costs
    symmetric: bool

    def change(self, a: str, b: str) -> Fraction:
        """1 - M[a][b]; "none" is no boundary, so this is deleting and inserting too."""
        if self.costs.kinds is None:
            like = a == b or (self.costs.name == "positions" and NONE not in (a, b))
            return Fraction(0 if like else 1)
        order = [*self.costs.kinds, NONE]
        return 1 - meant(self.costs.similarity[order.index(a)][order.index(b)])

    def step(self, kind: str) -> Fraction:
        """c_t: moving a kind by one unit."""
        if self.costs.kinds is None:
            return Fraction(1, 2)
        return meant(self.costs.moving[self.costs.kinds.index(kind)])

    def pair(self, p: int, a: str, q: int, b: str) -> Fraction:
        """Move a from p to q and make it b: c is the mean of both kinds', or the second's."""
        c = (self.step(a) + self.step(b)) / 2 if self.symmetric else self.step(b)
        return c * abs(p - q) + self.change(a, b)


@dataclass(frozen=True)
class Step:
    """One edit or match, with its places and kinds; None where a side has no boundary."""

    what: str
    ref: int | None
    hyp: int | None
    ref_kind: str | None
    hyp_kind: str | None
    cost: Fraction


def pairings(a: list[int], b: list[int]) -> Iterator[Pairing]:
    """Every way to pair some of a with some of b so that no two pairs cross."""
    for size in range(min(len(a), len(b)) + 1):
        for chosen in combinations(a, size):
            for partners in combinations(b, size):
                yield tuple(zip(chosen, partners, strict=True))


def moved(p: int, q: int, kind: str, other: str, prices: Prices) -> Step:
    """A boundary that stands elsewhere and may be of another type: one edit."""
    what = "move" if kind == other else "move+substitution"
    return Step(what, p, q, kind, other, prices.pair(p, kind, q, other))


def steps_of(pairing: Pairing, a: Marks, b: Marks, prices: Prices) -> list[Step]:
    """The pairs are moved (and substituted), the rest is deleted or inserted."""
    moved_a, moved_b = {p for p, _ in pairing}, {q for _, q in pairing}
    return [
        *(moved(p, q, a[p], b[q], prices) for p, q in pairing),
        *(
            Step("deletion", p, None, a[p], None, prices.change(a[p], NONE))
            for p in a.keys() - moved_a
        ),
        *(
            Step("insertion", None, q, None, b[q], prices.change(NONE, b[q]))
            for q in b.keys() - moved_b
        ),
    ]


def block(a: Marks, b: Marks, prices: Prices) -> list[Step]:
    """Least cost; among equals the most edits; among equals the left-most pairs."""

    def key(pairing: Pairing) -> tuple[Fraction, int, list[tuple[int, int]]]:
        steps = steps_of(pairing, a, b, prices)
        left_first = [(min(pair), max(pair)) for pair in pairing]
        return sum((s.cost for s in steps), Fraction(0)), -len(steps), left_first

    return steps_of(min(pairings(sorted(a), sorted(b)), key=key), a, b, prices)


def blocks(a: Marks, b: Marks) -> Iterator[tuple[Marks, Marks]]:
    """What lies between places that both have."""
    both = sorted(set(a) & set(b))
    for left, right in pairwise([0, *both, max([0, *a, *b]) + 1]):
        within = range(left + 1, right)
        yield {p: a[p] for p in within if p in a}, {q: b[q] for q in within if q in b}


def align(pair: Pair, prices: Prices) -> list[Step]:
    """Places that both have are pairs; they cut the text into blocks."""
    a, b = (marks(side) for side in pair)
    together = [
        Step(
            what="match" if a[p] == b[p] else "substitution",
            ref=p,
            hyp=p,
            ref_kind=a[p],
            hyp_kind=b[p],
            cost=prices.change(a[p], b[p]),
        )
        for p in sorted(set(a) & set(b))
    ]
    return [*together, *(step for own in blocks(a, b) for step in block(*own, prices))]


def recursion(pair: Pair, prices: Prices) -> tuple[Fraction, int, int]:
    """Cost, edits and matches by D[i, j] of each block, for texts too long to try everything."""
    a, b = (marks(side) for side in pair)
    both = set(a) & set(b)
    matches = sum(a[p] == b[p] for p in both)
    cost, edits = sum((prices.change(a[p], b[p]) for p in both), Fraction(0)), len(both) - matches
    for own, theirs in blocks(a, b):
        row = [(Fraction(0), 0)]  # of cost and -edits, so that the least has the most edits
        for q in sorted(theirs):
            row.append((row[-1][0] + prices.change(NONE, b[q]), row[-1][1] - 1))
        for p in sorted(own):
            above, row = row, [(row[0][0] + prices.change(a[p], NONE), row[0][1] - 1)]
            for j, q in enumerate(sorted(theirs)):
                ways = (
                    (above[j + 1], prices.change(a[p], NONE)),
                    (row[j], prices.change(NONE, b[q])),
                    (above[j], prices.pair(p, a[p], q, b[q])),
                )
                row.append(min((paid + more, count - 1) for (paid, count), more in ways))
        cost, edits = cost + row[-1][0], edits - row[-1][1]
    return cost, edits, matches


def totals(texts: Texts, costs: Costs, symmetric: bool) -> tuple[Fraction, int, int, int]:
    """Cost, edits, matches and units of all texts together."""
    prices = Prices(costs, symmetric)
    steps = [step for pair in texts for step in align(pair, prices)]
    matches = sum(step.what == "match" for step in steps)
    cost = sum((step.cost for step in steps), Fraction(0))
    return cost, len(steps) - matches, matches, sum(ref.units for ref, _ in texts)


def flexible_similarity(
    texts: Texts, *, costs: Costs, norm: str = "units", symmetric: bool = True
) -> Fraction:
    """S_f = 1 - C/N, or S_f^B = 1 - C/(E + M)."""
    cost, edits, matches, units = totals(texts, costs, symmetric)
    whole = units if norm == "units" else edits + matches
    return 1 - cost / whole if whole else Fraction(1)
