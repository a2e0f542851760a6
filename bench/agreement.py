"""Multi-pi of many coders beside segeval, the default table, and a hundred coders."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import segeval

import fencepost as fp
from bench.table import Results, show
from bench.timing import best, shown

CODERS, ITEMS, UNITS = 27, 20, 60
LONGEST = 20.0  # seconds that segeval may take; beyond that it gets fewer items, scaled up


def positions(
    coders: int, items: int, units: int = UNITS, seed: int = 1
) -> Iterator[tuple[str, str, list[int], int]]:
    """Coders who keep most cuts of one text, move some by a place, and add their own.

    Yields text, coder, cuts and units.
    """
    rng = np.random.default_rng(seed)
    for item in range(items):
        gold = rng.random(units - 1) < 0.12
        for coder in range(coders):
            kept = gold & (rng.random(units - 1) < 0.7)
            off = np.roll(kept & (rng.random(units - 1) < 0.3), 1)
            places = np.flatnonzero(np.where(off, True, kept) | (rng.random(units - 1) < 0.02)) + 1
            yield f"t{item}", f"c{coder}", places.tolist() or [units // 2], units


def coded(coders: int, items: int, units: int = UNITS, seed: int = 1) -> fp.Corpus:
    """The annotations of ``positions`` as a corpus."""
    texts: dict[str, dict[str, fp.Segmentation]] = {}
    for text, coder, places, _ in positions(coders, items, units, seed):
        texts.setdefault(text, {})[coder] = fp.Segmentation(units, places)
    return fp.Corpus.from_dict(texts)


def masses(corpus: fp.Corpus, items: int) -> Any:
    """The first items as segeval wants them."""
    found: dict[str, dict[str, tuple[int, ...]]] = {text: {} for text in corpus.texts[:items]}
    for key, seg in corpus.entries.items():
        if key.text in found:
            found[key.text][key.coder] = tuple(seg.masses)
    return segeval.data.Dataset(found)


def pi(corpus: fp.Corpus) -> float:
    """Observed and formula-expected multi-pi over B, with segeval's settings."""
    table = fp.agreement(corpus, like="segeval", coefficient="pi*", intervals=False)
    return float(table[0]["value"])


def run(results: Results) -> None:
    """27 coders of 20 items beside segeval; then two sizes by themselves."""
    corpus = coded(CODERS, ITEMS)
    items, theirs = _segeval(corpus)
    ours, value = best(lambda: pi(corpus))
    few = corpus.where(corpus.texts[: items[0]])
    assert abs(pi(few) - items[1]) < 1e-9, (pi(few), items[1])
    scaled = "" if items[0] == ITEMS else f", segeval on {items[0]} items, scaled"
    size = f"{CODERS} coders x {ITEMS} items of {UNITS}{scaled}"
    results.add("multi-pi of B, the same number / segeval", size, theirs, ours, 500)
    results.show()
    assert 0 < value < 1
    rows = [
        _timed("default table, 400 draws, intervals over both", f"{CODERS} coders x {ITEMS} items",
               lambda: fp.agreement(corpus), 1.0, results),
        _timed("alpha_U", f"{CODERS} coders x {ITEMS} items",
               lambda: fp.agreement(corpus, coefficient="alpha_U", intervals=False), 0.1, results),
        _timed("gamma, 30 draws", f"{CODERS} coders x {ITEMS} items",
               lambda: fp.agreement(corpus, coefficient="gamma", intervals=False), None, results),
    ]  # fmt: skip
    many = coded(100, 1000)
    rows.append(_timed("default table", "100 coders x 1,000 items", lambda: fp.agreement(many),
                       None, results))  # fmt: skip
    rows.append(_timed("multi-pi of B, observed and expected", "100 coders x 1,000 items",
                       lambda: pi(many), None, results))  # fmt: skip
    show(("what", "size", "time", "target", ""), rows)


def _segeval(corpus: fp.Corpus) -> tuple[tuple[int, float], float]:
    """How many items it got and what it found, and its time for all of them."""
    start = time.process_time()
    segeval.fleiss_pi_linear(masses(corpus, 1))
    one = time.process_time() - start
    items = int(np.clip(LONGEST / one, 1, ITEMS))
    dataset = masses(corpus, items)
    start = time.process_time()
    value = float(segeval.fleiss_pi_linear(dataset))
    return (items, value), (time.process_time() - start) * ITEMS / items


def _timed(what: str, size: str, call: Any, target: float | None, results: Results) -> list[str]:
    """One row; a target is the most seconds it may take."""
    start = time.process_time()
    call()
    first = time.process_time() - start
    took = first if first > 2 else min(first, best(call, runs=2)[0])
    if target is None:
        return [what, size, shown(took), "", ""]
    if took > target:
        results.missed.append(f"{what}, {size}: {shown(took)}, target {target:g} s")
    return [what, size, shown(took), f"{target:g} s", "met" if took <= target else "MISSED"]
