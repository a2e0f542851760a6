"""The drop-ins beside the tools they stand for: the same call, the same number."""

from __future__ import annotations

import importlib
from typing import Any

import segeval

from bench.data import text
from bench.table import Results
from bench.timing import best_of_calls
from fencepost.compat import nltk as our_nltk
from fencepost.compat import segeval as our_segeval

THEIR_NLTK = importlib.import_module("nltk.metrics.segmentation")


def run(results: Results) -> None:
    """Texts of 12, 100 and 10,000 units; never slower than the tool itself."""
    for segments, mean in ((3, 4), (20, 5), (1000, 10)):
        ref, hyp = text(segments, mean)
        units = segments * mean
        calls: list[tuple[str, Any, Any, tuple[Any, ...]]] = [
            (f"compat.nltk.{name}", THEIR_NLTK, our_nltk, (ref.bits, hyp.bits, *k))
            for name, k in (("windowdiff", (5,)), ("pk", ()), ("ghd", ()))
            if units <= 1000 or name != "ghd"  # quadratic, with a limit, in NLTK
        ]
        calls += [
            (f"compat.segeval.{name}", segeval, our_segeval, (tuple(hyp.masses), tuple(ref.masses)))
            for name in ("pk", "window_diff", "boundary_similarity", "segmentation_similarity")
        ]
        for what, peer, own, args in calls:
            name = what.split(".")[-1]
            theirs, ours = getattr(peer, name), getattr(own, name)
            assert theirs(*args) == ours(*args), (what, units)
            often = max(1, 2000 // units)
            times = [best_of_calls(lambda f=f, a=args: f(*a), calls=often) for f in (theirs, ours)]
            results.add(f"{what} / its model", f"{units} units", *times, 1)
    results.show()
