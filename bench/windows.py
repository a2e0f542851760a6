"""WindowDiff and Pk of one long text, beside NLTK."""

from __future__ import annotations

from nltk.metrics import segmentation as nltk_segmentation

import fencepost as fp
from bench.data import text
from bench.table import Results
from bench.timing import best


def run(results: Results) -> None:
    """One pair of 10^6 units, mean segment 25, at the same k."""
    ref, hyp = text(40_000, 25)
    ref_bits, hyp_bits = ref.bits, hyp.bits
    k = 13
    for metric, peer, target in (
        (fp.windowdiff, nltk_segmentation.windowdiff, 500),
        (fp.pk, nltk_segmentation.pk, 300),
    ):
        theirs, expected = best(lambda peer=peer: peer(ref_bits, hyp_bits, k), seconds=0.1)
        ours, score = best(lambda metric=metric: metric(ref, hyp, k=k))
        assert abs(score - expected) < 1e-12, (metric, score, expected)
        results.add(f"{metric.name} / NLTK", "10^6 units", theirs, ours, target)
    results.show()
