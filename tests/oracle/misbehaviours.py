"""Section 5 of Diaz & Ouyang (2022) in fractions: every move of every cut, every pair of moves."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise

from fencepost import Segmentation
from oracle.alignment import alignment_similarity
from oracle.edit import boundary_similarity
from oracle.window import windowdiff

KINDS = ("constant-cost", "cross-boundary", "vanishing")
HALF = Fraction(1, 2)


@dataclass(frozen=True)
class Moved:
    """A hypothesis: which cut went how far; the Jaccard indexes of its two segments."""

    cut: int
    by: int
    masses: list[int]
    jaccards: tuple[Fraction, Fraction]

    @property
    def soft(self) -> bool:
        """Both segments are still more like what they were than not."""
        return min(self.jaccards) > HALF

    @property
    def hard(self) -> bool:
        """Neither is."""
        return max(self.jaccards) < HALF


def references(units: int) -> Iterator[list[int]]:
    """The masses of all references of 2 to units - 1 segments."""
    for count in range(1, units - 1):
        for cuts in combinations(range(1, units), count):
            ends = [0, *cuts, units]
            yield [b - a for a, b in pairwise(ends)]


def within(masses: list[int]) -> list[Moved]:
    """Every move of a cut inside its two segments."""
    made = []
    for cut in range(len(masses) - 1):
        left, right = masses[cut], masses[cut + 1]
        for s in range(1 - left, right):
            if s == 0:
                continue
            if s < 0:
                jaccards = Fraction(left + s, left), Fraction(right, right - s)
            else:
                jaccards = Fraction(left, left + s), Fraction(right - s, right)
            moved = [*masses[:cut], left + s, right - s, *masses[cut + 2 :]]
            made.append(Moved(cut, s, moved, jaccards))
    return made


def across(masses: list[int]) -> list[Moved]:
    """Every cut taken over the whole of a neighbouring segment, to the right and to the left."""
    made = []
    nothing = Fraction(0), Fraction(1)
    for i in range(1, len(masses) - 1):
        before, size, after = masses[i - 1 : i + 2]
        rest = masses[: i - 1], masses[i + 2 :]
        for c in range(1, after):
            moved = [*rest[0], before + size, c, after - c, *rest[1]]
            made.append(Moved(i - 1, size + c, moved, nothing))
        for c in range(1, before):
            moved = [*rest[0], before - c, c, size + after, *rest[1]]
            made.append(Moved(i, -size - c, moved, nothing))
    return made


def scores(ref: list[int], hyp: list[int]) -> tuple[Fraction | None, ...]:
    """WindowDiff padded, B and A."""
    pair = Segmentation.from_masses(ref), Segmentation.from_masses(hyp)
    k = max(1, round(Fraction(sum(ref), 2 * len(ref))))  # round() takes a half to the even number
    return (
        windowdiff([pair], k=k, pad="lamprier"),
        boundary_similarity([pair]),
        alignment_similarity([pair]),
    )


def equal_pairs(ref: list[int]) -> dict[str, tuple[bool, bool, bool]]:
    """For each kind, whether each metric scores two such hypotheses equal."""
    moves, crossings = within(ref), across(ref)
    value = {tuple(h.masses): scores(ref, h.masses) for h in (*moves, *crossings)}
    pairs = {
        "constant-cost": [
            (h1, h2) for h1 in moves for h2 in moves if h2.hard and abs(h1.by) == abs(h2.by)
        ],
        "cross-boundary": [
            (h1, h2) for h1 in moves for h2 in crossings if abs(h1.by) == abs(h2.by)
        ],
        "vanishing": [
            (h1, h2) for h1 in moves for h2 in moves if h1.cut == h2.cut and abs(h1.by) < abs(h2.by)
        ],
    }
    found = {}
    for kind, both in pairs.items():
        soft = [(value[tuple(h1.masses)], value[tuple(h2.masses)]) for h1, h2 in both if h1.soft]
        wd, b, a = (any(v[i] == w[i] for v, w in soft) for i in range(3))
        found[kind] = wd, b, a
    return found
