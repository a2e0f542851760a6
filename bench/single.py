"""One pair of short texts, every metric: at most 5 us from lists, and beside NLTK and segeval."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import segeval
from nltk.metrics import segmentation as nltk_segmentation

import fencepost as fp
from bench.data import text
from bench.table import Results
from bench.timing import best_of_calls

LIMIT = 5e-6  # seconds for one call, whatever the metric


def run(results: Results) -> None:
    """Texts of 12, 30 and 100 units as lists of sizes; peers get the same texts, and the same k."""
    for segments, mean in ((3, 4), (6, 5), (20, 5)):
        pair = text(segments, mean)
        units = segments * mean
        sizes = [list(seg.masses) for seg in pair]
        for metric in (one for one in fp.METRICS.values() if one.input == "pairs"):
            ours = best_of_calls(lambda metric=metric, sizes=sizes: metric(*sizes))
            results.add(f"{metric.name} / limit", f"{units} units", LIMIT, ours, 1)
        for what, peer, own in _peers(*pair):
            assert abs(float(peer()) - own()) < 1e-9, (what, units, peer(), own())
            theirs, ours = best_of_calls(peer, calls=50), best_of_calls(own)
            results.add(what, f"{units} units", theirs, ours, 1)
    results.show()


def _peers(
    ref: fp.Segmentation, hyp: fp.Segmentation
) -> Iterator[tuple[str, Callable[[], float], Callable[[], float]]]:
    """What is compared, the peer's call, and ours with the same result."""
    bits, sizes = (ref.bits, hyp.bits), (list(ref.masses), list(hyp.masses))
    k = 2
    for ours, nltk in (
        (fp.windowdiff, nltk_segmentation.windowdiff),
        (fp.pk, nltk_segmentation.pk),
    ):
        yield (
            f"{ours.name} / NLTK",
            lambda nltk=nltk: nltk(*bits, k),
            lambda ours=ours: ours(*sizes, k=k),
        )
    yield (
        "generalized_hamming / NLTK",
        lambda: nltk_segmentation.ghd(*bits),
        lambda: fp.generalized_hamming(*sizes),
    )
    # segeval takes the hypothesis first.
    for ours, theirs in (
        (fp.windowdiff, segeval.window_diff),
        (fp.pk, segeval.pk),
        (fp.segmentation_similarity, segeval.segmentation_similarity),
        (fp.boundary_similarity, segeval.boundary_similarity),
    ):
        yield (
            f"{ours.name} / segeval",
            lambda theirs=theirs: theirs(hyp.masses, ref.masses),
            lambda ours=ours: ours(*sizes, like="segeval"),
        )
