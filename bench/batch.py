"""A million short texts in one table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import segeval
from nltk.metrics import segmentation as nltk

import fencepost as fp
from bench.data import many
from bench.table import Results, show
from bench.timing import best

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
    _run_every_metric(pairs)


def _run_every_metric(pairs: fp.Pairs) -> None:
    """The cost of a pair by each metric of the registry: columns to counts, counts to values."""
    rows = []
    for name, metric in fp.METRICS.items():
        if metric.input != "pairs":
            continue
        recipe = metric.recipe()
        counting, counts = best(lambda recipe=recipe: recipe.count(pairs))
        valuing, _ = best(lambda recipe=recipe, counts=counts: recipe.value(counts))
        rows.append([name, f"{counting / PAIRS * 1e9:.0f}", f"{valuing / PAIRS * 1e9:.0f}"])
    print("Each metric by its defaults, 10^6 pairs of 60 units and 6 segments, ns a pair:")
    show(("metric", "counts", "value"), rows)


def _both(pairs: fp.Pairs, row: int) -> tuple[fp.Segmentation, fp.Segmentation]:
    return pairs.segmentation(row, "ref"), pairs.segmentation(row, "hyp")


def _plain_f(ref: set[int], hyp: set[int]) -> float:
    both = len(ref & hyp)
    return 2 * both / (len(ref) + len(hyp)) if ref or hyp else 1.0
