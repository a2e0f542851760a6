"""Boundary edit distance (Fournier & Inkpen 2012; Fournier 2013) by trying every pairing."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations

from oracle.boundary import rate, weighted_harmonic_mean
from oracle.text import Pair, Texts, boundaries, decimal, kinds_of_task

Costs = str | Mapping[tuple[str, str], float]
Pairing = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Alignment:
    """What became of every cut of one pair: places by kind."""

    matches: list[tuple[int, str]]
    transpositions: list[tuple[int, int, str]]
    substitutions: list[tuple[int, str, str]]
    missing: list[tuple[int, str]]
    extra: list[tuple[int, str]]

    @property
    def distances(self) -> list[int]:
        """How far each transposed cut moved."""
        return [abs(a - b) for a, b, _ in self.transpositions]


def pairings(a: list[int], b: list[int], n_t: int) -> Iterator[Pairing]:
    """Every way to pair some of a with some of b, 1 to n_t - 1 apart."""
    if not a:
        yield ()
        return
    first, rest = a[0], a[1:]
    yield from pairings(rest, b, n_t)
    for partner in b:
        if 1 <= abs(first - partner) <= n_t - 1:
            for more in pairings(rest, [p for p in b if p != partner], n_t):
                yield ((first, partner), *more)


def optimal(a: list[int], b: list[int], n_t: int) -> Pairing:
    """Least cost with d/n_t a pair and 1 a cut left over; fewest edits; left-most pairs."""

    def key(pairing: Pairing) -> tuple[Fraction, int, list[tuple[int, int]]]:
        alone = len(a) + len(b) - 2 * len(pairing)
        cost = sum((Fraction(abs(x - y), n_t) for x, y in pairing), Fraction(alone))
        return cost, alone + len(pairing), sorted((min(p), max(p)) for p in pairing)

    return min(pairings(a, b, n_t), key=key)


def greedy(a: list[int], b: list[int], n_t: int) -> Pairing:
    """By distance, then from left to right, whoever is still free."""
    free_a, free_b, chosen = set(a), set(b), []
    near = [(abs(x - y), min(x, y), x, y) for x in a for y in b if 1 <= abs(x - y) <= n_t - 1]
    for _, _, x, y in sorted(near):
        if x in free_a and y in free_b:
            free_a.remove(x)
            free_b.remove(y)
            chosen.append((x, y))
    return tuple(chosen)


def price(a: str, b: str, kinds: list[str], substitution: Costs) -> Fraction:
    """Cost of substituting one kind by another: by their order, or as given."""
    if isinstance(substitution, str):
        numbers = range(1, len(kinds) + 1)
        distance = abs(kinds.index(a) - kinds.index(b))
        return Fraction(distance, max(numbers) - min(numbers) + 1)
    return decimal(substitution[a, b] if (a, b) in substitution else substitution[b, a])


def substitute(
    a: list[str], b: list[str], kinds: list[str], substitution: Costs
) -> list[tuple[str, str]]:
    """The cheapest way to pair as many as possible of the kinds left over at one place."""
    if len(a) > len(b):
        return [(x, y) for y, x in substitute(b, a, kinds, substitution)]
    ways = [list(zip(a, chosen, strict=True)) for chosen in permutations(b, len(a))]
    return min(ways, key=lambda way: sum(price(x, y, kinds, substitution) for x, y in way))


def align(pair: Pair, n_t: int, matching: str, kinds: list[str], substitution: Costs) -> Alignment:
    """Matches first, then transpositions kind by kind, then substitutions, then the rest."""
    ref, hyp = (boundaries(side) for side in pair)
    matches = sorted(ref & hyp)
    missing, extra = sorted(ref - hyp), sorted(hyp - ref)
    transpositions = []
    for kind in sorted({kind for _, kind in missing}):
        a = [place for place, k in missing if k == kind]
        b = [place for place, k in extra if k == kind]
        for x, y in (optimal if matching == "optimal" else greedy)(a, b, n_t):
            transpositions.append((x, y, kind))
            missing.remove((x, kind))
            extra.remove((y, kind))
    substitutions = []
    for place in sorted({p for p, _ in missing} & {p for p, _ in extra}):
        here_a = [kind for p, kind in missing if p == place]
        here_b = [kind for p, kind in extra if p == place]
        for was, now in substitute(here_a, here_b, kinds, substitution):
            substitutions.append((place, was, now))
            missing.remove((place, was))
            extra.remove((place, now))
    return Alignment(matches, transpositions, substitutions, missing, extra)


@dataclass(frozen=True)
class Totals:
    """The alignments of all texts, with the prices of what they hold."""

    alignments: list[Alignment]
    n_t: int
    kinds: list[str]
    substitution: Costs

    @property
    def matches(self) -> int:
        """M."""
        return sum(len(one.matches) for one in self.alignments)

    @property
    def missing(self) -> int:
        """Additions that only the reference has."""
        return sum(len(one.missing) for one in self.alignments)

    @property
    def extra(self) -> int:
        """Additions that only the hypothesis has."""
        return sum(len(one.extra) for one in self.alignments)

    @property
    def distances(self) -> list[int]:
        """The distance of each transposition."""
        return [d for one in self.alignments for d in one.distances]

    @property
    def prices(self) -> list[Fraction]:
        """The price of each substitution."""
        return [
            price(a, b, self.kinds, self.substitution)
            for one in self.alignments
            for _, a, b in one.substitutions
        ]

    @property
    def credit(self) -> Fraction:
        """M + sum(1 - d/n_t) + sum(1 - s)."""
        near = sum((1 - Fraction(d, self.n_t) for d in self.distances), Fraction(0))
        return self.matches + near + sum(1 - s for s in self.prices)


def totals(texts: Texts, n_t: int, matching: str, substitution: Costs) -> Totals:
    """Align every text."""
    kinds = kinds_of_task(texts)
    aligned = [align(pair, n_t, matching, kinds, substitution) for pair in texts]
    return Totals(aligned, n_t, kinds, substitution)


def segmentation_similarity(
    texts: Texts,
    *,
    n_t: int = 2,
    weights: str = "te",
    w_sub: float = 1.0,
    w_trp: float = 1.0,
    matching: str = "optimal",
    substitution: Costs = "ordinal",
) -> Fraction | None:
    """S = 1 - cost / (t (N - 1))."""
    sums = totals(texts, n_t, matching, substitution)
    places = len(sums.kinds) * sum(ref.units - 1 for ref, _ in texts)
    if places == 0:
        return None

    def transposition(d: int) -> Fraction:
        if weights == "te":
            n, b = d + 1, 2
            return b - Fraction(1, b) ** (n - 2)
        return Fraction(1) if weights == "unit" else Fraction(d, n_t)

    changed = sum(sums.prices) if weights == "scaled" else len(sums.prices)
    near = sum((transposition(d) for d in sums.distances), Fraction(0))
    cost = decimal(w_sub) * (sums.missing + sums.extra + changed) + decimal(w_trp) * near
    return 1 - cost / places


def boundary_similarity(
    texts: Texts, *, n_t: int = 2, matching: str = "optimal", substitution: Costs = "ordinal"
) -> Fraction:
    """B = 1 - (A + sum d/n_t + sum s) / (A + T + S + M)."""
    sums = totals(texts, n_t, matching, substitution)
    additions = sums.missing + sums.extra
    whole = additions + len(sums.distances) + len(sums.prices) + sums.matches
    if whole == 0:
        return Fraction(1)
    cost = additions + sum(Fraction(d, n_t) for d in sums.distances) + sum(sums.prices)
    return 1 - cost / Fraction(whole)


def b_precision(
    texts: Texts, *, n_t: int = 2, matching: str = "optimal", substitution: Costs = "ordinal"
) -> Fraction:
    """Credit for each cut of the hypothesis."""
    sums = totals(texts, n_t, matching, substitution)
    found = sum(len(boundaries(hyp)) for _, hyp in texts)
    nothing = found + sum(len(boundaries(ref)) for ref, _ in texts) == 0
    return sums.credit / found if found else rate(0, 0, nothing)


def b_recall(
    texts: Texts, *, n_t: int = 2, matching: str = "optimal", substitution: Costs = "ordinal"
) -> Fraction:
    """Credit for each cut of the reference."""
    sums = totals(texts, n_t, matching, substitution)
    wanted = sum(len(boundaries(ref)) for ref, _ in texts)
    nothing = wanted + sum(len(boundaries(hyp)) for _, hyp in texts) == 0
    return sums.credit / wanted if wanted else rate(0, 0, nothing)


def b_f(
    texts: Texts,
    *,
    n_t: int = 2,
    beta: float = 1.0,
    matching: str = "optimal",
    substitution: Costs = "ordinal",
) -> Fraction:
    """F_beta of the two."""
    precision = b_precision(texts, n_t=n_t, matching=matching, substitution=substitution)
    recall = b_recall(texts, n_t=n_t, matching=matching, substitution=substitution)
    return weighted_harmonic_mean(precision, recall, beta)
