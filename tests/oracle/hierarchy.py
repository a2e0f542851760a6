"""Hierarchical segmentations: every triple of units, and every level, written out."""

from collections.abc import Iterator
from fractions import Fraction

from fencepost import Segmentation
from oracle.text import Texts, boundaries, decimal, kinds_of_task
from oracle.window import width, windows_of


def levels(texts: Texts, types: str | None) -> list[str]:
    """The levels of the task, the coarsest first."""
    names = kinds_of_task(texts)
    return types.split("<")[::-1] if types and names != [""] else names


def at(seg: Segmentation, order: list[str], level: int) -> Segmentation:
    """The flat segmentation of a level, counted from 0."""
    kept = {place for place, name in boundaries(seg) if order.index(name) <= level}
    return Segmentation(seg.units, sorted(kept))


def layers(seg: Segmentation, order: list[str]) -> list[set[int]]:
    """The boundaries of each level of this text; a level that adds none is no level of it."""
    found: list[set[int]] = [set()]
    for level in range(len(order)):
        own = set(at(seg, order, level).cuts.tolist())
        if own != found[-1]:
            found.append(own)
    return found


def nearness(seg: Segmentation, order: list[str]) -> list[list[int]]:
    """For every two units, the number of levels at which they are in one segment."""
    flat = layers(seg, order)
    units = range(1, seg.units + 1)
    return [
        [sum(not any(min(q, i) <= p < max(q, i) for p in cuts) for cuts in flat) for i in units]
        for q in units
    ]


def shares(
    wanted: Segmentation,
    other: Segmentation,
    order: list[str],
    transitive: bool,
    window: int | None,
) -> Iterator[Fraction]:
    """For each unit, the share of the wanted ranked pairs that the other side ranks alike."""
    a, b = nearness(wanted, order), nearness(other, order)
    for q in range(wanted.units):
        reach = wanted.units if window is None else window
        seen = [i for i in range(max(0, q - reach), min(wanted.units, q + reach)) if i != q]
        ranked = [
            (i, j)
            for i in seen
            for j in seen
            if (a[q][i] > a[q][j] if transitive else a[q][i] == a[q][j] + 1)
        ]
        if ranked:
            yield Fraction(sum(b[q][i] > b[q][j] for i, j in ranked), len(ranked))


def mean_share(
    texts: Texts, side: int, transitive: bool, window: int | None, types: str | None
) -> Fraction | None:
    """The mean over all units of all texts; recall wants side 0, precision side 1."""
    order = levels(texts, types)
    found = [
        share
        for pair in texts
        for share in shares(pair[side], pair[1 - side], order, transitive, window)
    ]
    return Fraction(sum(found), len(found)) if found else None


def t_recall(
    texts: Texts, transitive: bool, window: int | None, types: str | None
) -> Fraction | None:
    return mean_share(texts, 0, transitive, window, types)


def t_precision(
    texts: Texts, transitive: bool, window: int | None, types: str | None
) -> Fraction | None:
    return mean_share(texts, 1, transitive, window, types)


def t_f(
    texts: Texts, beta: float, transitive: bool, window: int | None, types: str | None
) -> Fraction | None:
    both = [mean_share(texts, side, transitive, window, types) for side in (0, 1)]
    if 0 in both:
        return Fraction(0)
    recall, precision = both
    if recall is None or precision is None:
        return None
    b2 = decimal(beta) ** 2
    return (1 + b2) * precision * recall / (b2 * precision + recall)


def l_recall(texts: Texts, types: str | None) -> Fraction | None:
    return t_recall(texts, True, None, types)


def l_precision(texts: Texts, types: str | None) -> Fraction | None:
    return t_precision(texts, True, None, types)


def l_f(texts: Texts, beta: float, types: str | None) -> Fraction | None:
    return t_f(texts, beta, True, None, types)


def level_windowdiff(texts: Texts, k: int | str, pad: str, types: str | None) -> Fraction | None:
    """The mean over levels of each text, and of texts by their windows."""
    order = levels(texts, types)
    weighted, total = Fraction(0), 0
    flat = [[(at(r, order, n), at(h, order, n)) for r, h in texts] for n in range(len(order))]
    for number in range(len(texts)):
        own = []
        for level in flat:
            ref, hyp = level[number]
            k_here = width(ref, k, [one for one, _ in level])
            seen = windows_of(ref, hyp, k_here, pad, "boundaries")
            if seen:
                own.append((sum(w.r != w.h for w in seen), len(seen)))
        if own:
            windows = sum(n for _, n in own)
            weighted += windows * sum((Fraction(d, n) for d, n in own), Fraction(0)) / len(own)
            total += windows
    return weighted / total if total else None
