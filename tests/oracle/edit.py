"""Boundary edit distance (Fournier & Inkpen 2012; Fournier 2013) by trying every pairing."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from typing import Any

from oracle.boundary import rate, weighted_harmonic_mean
from oracle.text import Pair, Texts, boundaries, decimal, is_number, kinds_of_task

Costs = str | Mapping[tuple[str, str], float]
Price = Callable[[str, str], Fraction]
Pairing = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Alignment:
    """What became of every cut of one pair: places by kind."""

    matches: list[tuple[int, str]]
    transpositions: list[tuple[int, int, str]]
    substitutions: list[tuple[int, str, str]]
    missing: list[tuple[int, str]]
    extra: list[tuple[int, str]]
    windows: list[tuple[int, int]] | None = None  # size and boundaries, where windows are used

    @property
    def distances(self) -> list[int]:
        """How far each transposed cut moved, or how far apart the ends of a window are."""
        if self.windows is not None:
            return [size - 1 for size, _ in self.windows]
        return [abs(a - b) for a, b, _ in self.transpositions]

    @property
    def moved(self) -> list[tuple[int, int]]:
        """The n and b of every transposition."""
        return self.windows or [(d + 1, 2) for d in self.distances]


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


def te(n: int, b: int) -> Fraction:
    """Equation 3 of fournier2012."""
    return b - Fraction(1, b) ** (n - 2)


Window = tuple[int, int]  # the first and the last position


def mirrored_windows(a: set[int], b: set[int], last: int, n_t: int) -> list[Window]:
    """All windows of 2 to n_t positions in which the sides differ and mirror each other."""
    found = []
    for start in range(1, last + 1):
        for stop in range(start + 1, min(start + n_t - 1, last) + 1):
            here = range(start, stop + 1)
            of_a, of_b = [p in a for p in here], [p in b for p in here]
            if of_a == of_b[::-1] and of_a != of_b:
                found.append((start, stop))
    return found


def chosen_windows(a: set[int], b: set[int], last: int, n_t: int) -> tuple[Window, ...]:
    """The most boundaries; the least sum of te; the fewest windows; the left-most."""
    windows = mirrored_windows(a, b, last, n_t)

    def disjoint(after: int) -> Iterator[tuple[Window, ...]]:
        yield ()
        for window in windows:
            if window[0] > after:
                for more in disjoint(window[1]):
                    yield (window, *more)

    def key(chosen: tuple[Window, ...]) -> tuple[int, Fraction, int, tuple[Window, ...]]:
        sizes = [(stop - start + 1, len(inside(a ^ b, start, stop))) for start, stop in chosen]
        total = sum((te(n, count) for n, count in sizes), Fraction(0))
        return -sum(count for _, count in sizes), total, len(chosen), chosen

    return min(disjoint(0), key=key)


def inside(places: set[int], start: int, stop: int) -> list[int]:
    """The places of a window."""
    return sorted(p for p in places if start <= p <= stop)


def pricing(kinds: list[str], substitution: Costs = "auto", types: str | None = None) -> Price:
    """Cost of substituting one type by another: given, nominal (1/2), or ordinal.

    Ordinal is |a - b| / (max - min + 1) over the types of the task: the ranks of the declared
    types, else the values of the numbers that types are called by.
    """
    if not isinstance(substitution, str):
        given = substitution
        return lambda a, b: decimal(given[a, b] if (a, b) in given else given[b, a])
    if substitution == "auto":
        substitution = "ordinal" if types or all(map(is_number, kinds)) else "nominal"
    if substitution == "nominal":
        return lambda a, b: Fraction(1, 2)
    if types is not None:
        value = {name: Fraction(rank) for rank, name in enumerate(types.split("<"), start=1)}
    else:
        value = {name: Fraction(name) for name in kinds}
    span = max(value.values()) - min(value.values()) + 1
    return lambda a, b: abs(value[a] - value[b]) / span


def substitute(a: list[str], b: list[str], price: Price) -> list[tuple[str, str]]:
    """The cheapest way to pair as many as possible of the kinds left over at one place."""
    if len(a) > len(b):
        return [(x, y) for y, x in substitute(b, a, lambda y, x: price(x, y))]
    ways = [list(zip(a, chosen, strict=True)) for chosen in permutations(b, len(a))]
    return min(ways, key=lambda way: sum(price(x, y) for x, y in way))


def align(pair: Pair, n_t: int, matching: str, price: Price) -> Alignment:
    """Matches first, then transpositions kind by kind, then substitutions, then the rest."""
    ref, hyp = (boundaries(side) for side in pair)
    matches = sorted(ref & hyp)
    missing, extra = sorted(ref - hyp), sorted(hyp - ref)
    transpositions = []
    windows: list[tuple[int, int]] | None = [] if matching == "fournier2012" else None
    for kind in sorted({kind for _, kind in missing}):
        a = [place for place, k in missing if k == kind]
        b = [place for place, k in extra if k == kind]
        if windows is not None:
            of_ref, of_hyp = ({place for place, k in side if k == kind} for side in (ref, hyp))
            pairs: list[tuple[int, int]] = []
            for start, stop in chosen_windows(of_ref, of_hyp, pair[0].units, n_t):
                own = list(
                    zip(inside(set(a), start, stop), inside(set(b), start, stop), strict=True)
                )
                windows.append((stop - start + 1, 2 * len(own)))
                pairs += own
        else:
            pairs = list((optimal if matching == "optimal" else greedy)(a, b, n_t))
        for x, y in pairs:
            transpositions.append((x, y, kind))
            missing.remove((x, kind))
            extra.remove((y, kind))
    substitutions = []
    for place in sorted({p for p, _ in missing} & {p for p, _ in extra}):
        here_a = [kind for p, kind in missing if p == place]
        here_b = [kind for p, kind in extra if p == place]
        for was, now in substitute(here_a, here_b, price):
            substitutions.append((place, was, now))
            missing.remove((place, was))
            extra.remove((place, now))
    return Alignment(matches, transpositions, substitutions, missing, extra, windows)


@dataclass(frozen=True)
class Totals:
    """The alignments of all texts, with the prices of what they hold."""

    alignments: list[Alignment]
    n_t: int
    kinds: list[str]
    price: Price

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
    def moved(self) -> list[tuple[int, int]]:
        """The n and b of each transposition."""
        return [two for one in self.alignments for two in one.moved]

    @property
    def prices(self) -> list[Fraction]:
        """The price of each substitution."""
        return [self.price(a, b) for one in self.alignments for _, a, b in one.substitutions]

    @property
    def credit(self) -> Fraction:
        """M + sum(1 - d/n_t) + sum(1 - s)."""
        near = sum((1 - Fraction(d, self.n_t) for d in self.distances), Fraction(0))
        return self.matches + near + sum(1 - s for s in self.prices)


def totals(texts: Texts, n_t: int, matching: str, **prices: Any) -> Totals:
    """Align every text; the prices are those of ``pricing``."""
    kinds = kinds_of_task(texts)
    price = pricing(kinds, **prices)
    aligned = [align(pair, n_t, matching, price) for pair in texts]
    return Totals(aligned, n_t, kinds, price)


def segmentation_similarity(
    texts: Texts,
    *,
    n_t: int = 2,
    weights: str = "te",
    w_sub: float = 1.0,
    w_trp: float = 1.0,
    matching: str = "optimal",
    **prices: Any,
) -> Fraction | None:
    """S = 1 - cost / (t (N - 1))."""
    sums = totals(texts, n_t, matching, **prices)
    places = len(sums.kinds) * sum(ref.units - 1 for ref, _ in texts)
    if places == 0:
        return None

    def transposition(n: int, b: int) -> Fraction:
        if weights == "te":
            return te(n, b)
        return Fraction(1) if weights == "unit" else Fraction(n - 1, n_t)

    changed = sum(sums.prices) if weights == "scaled" else len(sums.prices)
    near = sum((transposition(n, b) for n, b in sums.moved), Fraction(0))
    cost = decimal(w_sub) * (sums.missing + sums.extra + changed) + decimal(w_trp) * near
    return 1 - cost / places


def boundary_similarity(
    texts: Texts, *, n_t: int = 2, matching: str = "optimal", **prices: Any
) -> Fraction:
    """B = 1 - (A + sum d/n_t + sum s) / (A + T + S + M)."""
    sums = totals(texts, n_t, matching, **prices)
    additions = sums.missing + sums.extra
    whole = additions + len(sums.distances) + len(sums.prices) + sums.matches
    if whole == 0:
        return Fraction(1)
    cost = additions + sum(Fraction(d, n_t) for d in sums.distances) + sum(sums.prices)
    return 1 - cost / Fraction(whole)


def b_precision(
    texts: Texts, *, n_t: int = 2, matching: str = "optimal", **prices: Any
) -> Fraction:
    """Credit for each cut of the hypothesis."""
    sums = totals(texts, n_t, matching, **prices)
    found = sum(len(boundaries(hyp)) for _, hyp in texts)
    nothing = found + sum(len(boundaries(ref)) for ref, _ in texts) == 0
    return sums.credit / found if found else rate(0, 0, nothing)


def b_recall(texts: Texts, *, n_t: int = 2, matching: str = "optimal", **prices: Any) -> Fraction:
    """Credit for each cut of the reference."""
    sums = totals(texts, n_t, matching, **prices)
    wanted = sum(len(boundaries(ref)) for ref, _ in texts)
    nothing = wanted + sum(len(boundaries(hyp)) for _, hyp in texts) == 0
    return sums.credit / wanted if wanted else rate(0, 0, nothing)


def b_f(
    texts: Texts,
    *,
    n_t: int = 2,
    beta: float = 1.0,
    matching: str = "optimal",
    **prices: Any,
) -> Fraction:
    """F_beta of the two."""
    precision = b_precision(texts, n_t=n_t, matching=matching, **prices)
    recall = b_recall(texts, n_t=n_t, matching=matching, **prices)
    return weighted_harmonic_mean(precision, recall, beta)
