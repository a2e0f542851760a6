"""A (Diaz & Ouyang 2022): segments as sets of units, every segment compared with every other."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

from oracle.boundary import jaccard
from oracle.text import Pair, Texts, decimal, segments


def similar(how: Any, p: range, q: range) -> Fraction:
    """How alike p is to q, by name or by a function of the two."""
    if callable(how):
        return Fraction(how(range(p.start - 1, p.stop - 1), range(q.start - 1, q.stop - 1)))
    common = len(set(p) & set(q))
    named = {
        "jaccard": lambda: jaccard(p, q),
        "dice": lambda: Fraction(2 * common, len(p) + len(q)),
        "overlap": lambda: Fraction(common, min(len(p), len(q))),
        "rand": lambda: rand_index(p, q),
        "intersect": lambda: Fraction(common, len(p)),
    }
    return named[how]()


def target(p: range, others: list[range], closeness: Any, ties: str) -> int:
    """The overlapping segment closest to p: |p and q|/|p|, then Jaccard, then the left-most."""

    def key(number: int) -> tuple[Fraction, Fraction, int]:
        q = others[number]
        by_jaccard = jaccard(p, q) if ties.startswith("jaccard") else Fraction(0)
        return similar(closeness, p, q), by_jaccard, number if ties.endswith("right") else -number

    return max((n for n, q in enumerate(others) if set(p) & set(q)), key=key)


@dataclass(frozen=True)
class DirectedEdge:
    """An edge as it was found: by a segment of which side."""

    ref: int
    hyp: int
    by: str


def directed_edges(
    pair: Pair, closeness: Any = "intersect", ties: str = "jaccard"
) -> list[DirectedEdge]:
    """One edge from every segment of either side."""
    ref, hyp = (segments(side) for side in pair)
    return [
        *(DirectedEdge(i, target(p, hyp, closeness, ties), "ref") for i, p in enumerate(ref)),
        *(DirectedEdge(target(q, ref, closeness, ties), j, "hyp") for j, q in enumerate(hyp)),
    ]


def edges_once(
    pair: Pair, closeness: Any = "intersect", ties: str = "jaccard"
) -> list[tuple[int, int]]:
    """The edges without direction, each once, from left to right."""
    return sorted({(edge.ref, edge.hyp) for edge in directed_edges(pair, closeness, ties)})


def global_edges(pair: Pair, weight: Any, threshold: float | None) -> list[tuple[int, int]]:
    """Of all sets of overlaps that reach every segment, the largest mean weight, by trying all.

    Then the fewest edges, then the left-most: the first set in the order of its edges.
    """
    ref, hyp = (segments(side) for side in pair)
    overlaps = [(i, j) for i, p in enumerate(ref) for j, q in enumerate(hyp) if set(p) & set(q)]
    weights = {(i, j): weigh(weight, ref[i], hyp[j], threshold) for i, j in overlaps}
    found = []
    for size in range(max(len(ref), len(hyp)), len(overlaps) + 1):
        for chosen in combinations(overlaps, size):
            if len({i for i, _ in chosen}) == len(ref) and len({j for _, j in chosen}) == len(hyp):
                mean = Fraction(sum(weights[edge] for edge in chosen), size)
                found.append((-mean, size, [overlaps.index(edge) for edge in chosen], chosen))
    return list(min(found)[3])


def rand_index(p: range, q: range) -> Fraction:
    """Share of unit pairs in p or q that both tell apart, or both put together.

    A segment tells two units apart if it holds one of them.
    """
    units = sorted(set(p) | set(q))
    pairs = list(combinations(units, 2))
    agree = [((u in p) == (v in p)) == ((u in q) == (v in q)) for u, v in pairs]
    return Fraction(sum(agree), len(agree)) if agree else Fraction(1)


def weigh(weight: Any, p: range, q: range, threshold: float | None) -> Fraction:
    """The weight of the edge from p to q; a light one is a hard mistake and counts 0."""
    found = similar(weight, p, q)
    return Fraction(0) if threshold is not None and found < decimal(threshold) else found


def labels(pair: Pair, once: list[tuple[int, int]]) -> dict[tuple[int, int], str]:
    """What each edge says, from the shape of everything it hangs together with."""
    ref, hyp = (segments(side) for side in pair)
    edges = set(once)
    found: dict[tuple[int, int], str] = {}
    while edges:
        together = {edges.pop()}
        grown = True
        while grown:
            more = {e for e in edges if any(e[0] == o[0] or e[1] == o[1] for o in together)}
            grown, edges, together = bool(more), edges - more, together | more
        refs, hyps = {r for r, _ in together}, {h for _, h in together}
        if len(refs) == len(hyps) == 1:
            same = ref[min(refs)] == hyp[min(hyps)]
            label = "match" if same else "shift"
        elif len(refs) == 1:
            label = "split"
        else:
            label = "merge" if len(hyps) == 1 else "mixed"
        found |= dict.fromkeys(together, label)
    return found


def weights_and_divisors(
    pair: Pair,
    weight: Any,
    edges: str,
    threshold: float | None,
    scoring: str,
    closeness: Any = "intersect",
    ties: str = "jaccard",
    alignment: str = "closest",
) -> Iterator[tuple[Fraction, int]]:
    """What each edge, or segment, adds to the two sums whose quotient is A."""
    ref, hyp = (segments(side) for side in pair)
    if edges == "directed":
        for edge in directed_edges(pair, closeness, ties):
            p, q = ref[edge.ref], hyp[edge.hyp]
            source, goal = (p, q) if edge.by == "ref" else (q, p)
            yield weigh(weight, source, goal, threshold), 1
        return
    closest = alignment == "closest"
    aligned = (
        edges_once(pair, closeness, ties) if closest else global_edges(pair, weight, threshold)
    )
    once = {(i, j): weigh(weight, ref[i], hyp[j], threshold) for i, j in aligned}
    if scoring == "mean":
        yield from ((w, 1) for w in once.values())
    elif scoring == "best":
        for i in range(len(ref)):
            yield max(w for (r, _), w in once.items() if r == i), 1
        for j in range(len(hyp)):
            yield max(w for (_, h), w in once.items() if h == j), 1
    else:
        ref_degree, hyp_degree = Counter(i for i, _ in once), Counter(j for _, j in once)
        for (i, j), w in once.items():
            yield w, 2 ** (max(ref_degree[i], hyp_degree[j]) - 1)


def alignment_similarity(
    texts: Texts,
    *,
    weight: Any = "jaccard",
    edges: str = "once",
    threshold: float | None = None,
    scoring: str = "mean",
    **alignment: Any,
) -> Fraction:
    """The mean weight of the edges, or one of its relatives."""
    parts = [
        part
        for pair in texts
        for part in weights_and_divisors(pair, weight, edges, threshold, scoring, **alignment)
    ]
    return Fraction(sum(w for w, _ in parts), sum(d for _, d in parts))
