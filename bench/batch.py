"""A million short texts in one table, and single small calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import segeval
from nltk.metrics import segmentation as nltk

import fencepost as fp
from bench.data import many
from bench.table import Results, show
from bench.timing import best, best_of_calls, shown

PAIRS = 1_000_000

# What is compared, our recipe, the peer for one pair, and a sample of pairs as it wants them.
Case: TypeAlias = tuple[str, Any, Callable[..., Any], list[tuple[Any, ...]]]


def run(results: Results) -> None:
    """10^6 pairs of 60 units and 6 segments, in columns; peers in a loop."""
    pairs = many(PAIRS)
    bits = [tuple(s.bits for s in _both(pairs, row)) for row in range(10_000)]
    sets = [tuple(set(s.cuts.tolist()) for s in _both(pairs, row)) for row in range(10_000)]
    masses = [tuple(s.masses for s in _both(pairs, row)) for row in range(200)]
    k = 5
    cases: list[Case] = [
        (
            "windowdiff / NLTK",
            fp.windowdiff.recipe(k=k),
            lambda r, h: nltk.windowdiff(r, h, k),
            bits,
        ),
        ("pk / NLTK", fp.pk.recipe(k=k), lambda r, h: nltk.pk(r, h, k), bits),
        ("generalized_hamming / NLTK", fp.generalized_hamming.recipe(), nltk.ghd, bits[:1000]),
        ("boundary_f / plain sets", fp.boundary_f.recipe(), _plain_f, sets),
        ("S / segeval", fp.parse("S:like=segeval"), segeval.segmentation_similarity, masses),
        ("B / segeval", fp.parse("B:like=segeval"), segeval.boundary_similarity, masses),
    ]
    for what, recipe, peer, sample in cases:
        ours, values = best(lambda recipe=recipe: recipe.value(recipe.count(pairs)), seconds=1.0)
        theirs, expected = best(
            lambda peer=peer, sample=sample: [peer(ref, hyp) for ref, hyp in sample], seconds=0.1
        )
        assert abs(values[: len(sample)] - [float(one) for one in expected]).max() < 1e-9, what
        target = 100 if what == "windowdiff / NLTK" else 0
        results.add(what, "10^6 pairs", theirs * PAIRS / len(sample), ours, target)
    results.show()
    _run_single()
    _run_every_metric(pairs)


def _run_every_metric(pairs: fp.Pairs) -> None:
    """The cost of a pair by each metric of the registry: columns to counts, counts to values."""
    rows = []
    for name, metric in fp.METRICS.items():
        recipe = metric.recipe()
        counting, counts = best(lambda recipe=recipe: recipe.count(pairs))
        valuing, _ = best(lambda recipe=recipe, counts=counts: recipe.value(counts))
        rows.append([name, f"{counting / PAIRS * 1e9:.0f}", f"{valuing / PAIRS * 1e9:.0f}"])
    print("Each metric by its defaults, 10^6 pairs of 60 units and 6 segments, ns a pair:")
    show(("metric", "counts", "value"), rows)


def _run_single() -> None:
    """One call on two short lists of masses."""
    ref, hyp = [5, 5, 1, 3], [5, 4, 1, 4]
    ref_bits, hyp_bits = (fp.Segmentation.from_masses(masses).bits for masses in (ref, hyp))
    cases = [
        (
            "windowdiff / NLTK",
            lambda: nltk.windowdiff(ref_bits, hyp_bits, 2),
            lambda: fp.windowdiff(ref, hyp, k=2),
        ),
        (
            "windowdiff / segeval",
            lambda: segeval.window_diff(tuple(hyp), tuple(ref)),
            lambda: fp.windowdiff(ref, hyp),
        ),
        (
            "boundary_similarity / segeval",
            lambda: segeval.boundary_similarity(tuple(hyp), tuple(ref)),
            lambda: fp.boundary_similarity(ref, hyp),
        ),
    ]
    rows = [
        [what, shown(best_of_calls(theirs)), shown(best_of_calls(ours))]
        for what, theirs, ours in cases
    ]
    print("One call on two lists of 4 masses; ours checks them and keeps counts and signature:")
    show(("what", "peer", "ours"), rows)


def _both(pairs: fp.Pairs, row: int) -> tuple[fp.Segmentation, fp.Segmentation]:
    return pairs.segmentation(row, "ref"), pairs.segmentation(row, "hyp")


def _plain_f(ref: set[int], hyp: set[int]) -> float:
    both = len(ref & hyp)
    return 2 * both / (len(ref) + len(hyp)) if ref or hyp else 1.0
