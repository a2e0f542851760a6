"""WindowDiff and Pk of one long text, beside NLTK."""

from __future__ import annotations

from nltk.metrics import segmentation as nltk_segmentation

import fencepost as fp
from bench.data import text
from bench.table import Results
from bench.timing import best


def run(results: Results) -> None:
    """One pair of 10^6 units, mean segment 25, at the same k."""
    k = 13
    for apart in (False, True):
        ref, hyp = text(40_000, 25, apart=apart)
        bits = ref.bits, hyp.bits
        for metric, peer, target in (
            (fp.windowdiff, nltk_segmentation.windowdiff, 500),
            (fp.pk, nltk_segmentation.pk, 300),
        ):
            theirs, expected = best(lambda peer=peer, bits=bits: peer(*bits, k), seconds=0.1)
            ours, score = best(lambda m=metric, ref=ref, hyp=hyp: m(ref, hyp, k=k))
            assert abs(score - expected) < 1e-12, (metric, score, expected)
            cuts = "few cuts shared" if apart else "half the cuts shared"
            results.add(f"{metric.name}, {cuts} / NLTK", "10^6 units", theirs, ours, target)
    results.show()
