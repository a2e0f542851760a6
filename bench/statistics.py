"""Intervals of a large comparison, against scipy's bootstrap on the same values and counts."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import Any

import numpy as np
from scipy import stats

import fencepost as fp
from bench.table import Results, show
from bench.timing import shown
from fencepost.statistics.intervals import intervals
from fencepost.statistics.resampling import Estimate

TEXTS, SYSTEMS, RESAMPLES = 10_000, 5, 10_000
METRICS = ("pk", "windowdiff", "boundary_f", "boundary_similarity", "segmentation_similarity")
SECONDS = 20.0  # the target
PEER_RESAMPLES = 100  # scipy's time grows in proportion; scaled up


LARGE_SECONDS, LARGE_MEGABYTES = 15, 500
# Scoring, intervals and tests; making up the texts is not measured, their memory is.
LARGE = """
import resource, time
import fencepost as fp
texts = fp.simulate.references(100_000, sizes="geometric:6", segments=6, seed=1)
pairs = [fp.simulate.errors(texts, "FNP2", p=0.1 + 0.02 * k, seed=k) for k in range(5)]
units, names = pairs[0].units.tolist(), [f"t{i}" for i in range(100_000)]

def corpus(column):
    values, ends = column.values.tolist(), column.offsets.tolist()
    cuts = (values[a:b] for a, b in zip(ends, ends[1:]))
    return fp.Corpus.from_dict({t: fp.Segmentation(n, c) for t, n, c in zip(names, units, cuts)})

gold = corpus(pairs[0].ref)
systems = {f"s{k}": corpus(one.hyp) for k, one in enumerate(pairs)}
start = time.process_time()
fp.score(gold, systems, paired="randomization").part("comparisons")
print(time.process_time() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def run(results: Results) -> None:
    """Macro and micro, five systems by five metrics, 10^4 texts, 10^4 resamples."""
    numbers = _estimates()
    start = time.process_time()
    found = intervals(numbers, method="percentile", count=RESAMPLES)
    ours = time.process_time() - start
    peer, theirs = _scipy(numbers)
    for one, other in zip(found, theirs, strict=True):
        width = other[1] - other[0]
        if one.low is None or abs(one.low - other[0]) > width:  # two bootstraps, roughly
            results.missed.append(f"intervals differ from scipy's: {one} and {other}")
    size = f"{TEXTS:,} texts"
    results.add("50 intervals, 10^4 resamples", size, peer, ours, 20)
    results.show()
    verdict = "met" if ours <= SECONDS else "MISSED"
    if verdict == "MISSED":
        results.missed.append(f"intervals: {ours:.1f} s, target {SECONDS:g} s")
    show(("what", "time", "target", ""), [["all of it", shown(ours), f"{SECONDS:g} s", verdict]])
    _large(results)


def _large(results: Results) -> None:
    """A whole table with tests in a process of its own: processor time and memory."""
    done = subprocess.run(
        [sys.executable, "-c", LARGE], capture_output=True, encoding="utf-8", check=True
    )
    seconds, megabytes = map(float, done.stdout.split())
    fits = seconds <= LARGE_SECONDS and megabytes <= LARGE_MEGABYTES
    if not fits:
        results.missed.append(f"10^5 texts: {seconds:.1f} s and {megabytes:.0f} MB")
    found = [f"{seconds:.1f} s", f"{megabytes:.0f} MB"]
    target = f"{LARGE_SECONDS} s, {LARGE_MEGABYTES} MB"
    what = "10^5 texts x 5 systems x 4 metrics with tests"
    show(("what", "processor time", "memory", "target", ""),
         [[what, *found, target, "met" if fits else "MISSED"]])  # fmt: skip


def _estimates() -> list[Estimate]:
    """Counts of noisy systems on artificial texts, and their values."""
    rng = np.random.default_rng(8)
    refs = [_cuts(rng, 60, 0.15) for _ in range(TEXTS)]
    made = []
    for system in range(SYSTEMS):
        hyps = [_noisy(rng, cuts, 60, 0.05 * (system + 1)) for cuts in refs]
        pairs = fp.Pairs.from_segmentations(
            [fp.Segmentation(60, cuts) for cuts in refs],
            [fp.Segmentation(60, cuts) for cuts in hyps],
        )
        for name in METRICS:
            recipe = fp.parse(name)
            counts = recipe.count(pairs).astype(np.float64)
            values = recipe.value(counts)
            made.append(Estimate(np.column_stack((values, np.ones(TEXTS))), _ratio))
            made.append(Estimate(counts, recipe.value))
    return made


def _cuts(rng: np.random.Generator, units: int, rate: float) -> list[int]:
    return (np.flatnonzero(rng.random(units - 1) < rate) + 1).tolist() or [units // 2]


def _noisy(rng: np.random.Generator, cuts: list[int], units: int, rate: float) -> list[int]:
    kept = {c for c in cuts if rng.random() > rate}
    return sorted(kept | set(_cuts(rng, units, rate / 5))) or [1]


def _ratio(sums: np.ndarray) -> np.ndarray:
    return sums[:, 0] / sums[:, 1]


def _scipy(numbers: list[Estimate]) -> tuple[float, list[tuple[float, float]]]:
    """Every number by scipy's percentile bootstrap, vectorized: means of values, paired counts."""
    start = time.process_time()
    found = []
    for number in numbers:
        settings: dict[str, Any] = {
            "n_resamples": PEER_RESAMPLES,
            "batch": 20,
            "method": "percentile",
            "vectorized": True,
            "rng": np.random.default_rng(1),
        }
        if number.function is _ratio:
            done = stats.bootstrap((number.rows[:, 0],), np.mean, **settings)
        else:

            def value(*counts: np.ndarray, axis: int = -1, own: Estimate = number) -> np.ndarray:
                sums = np.stack([one.sum(axis=axis) for one in counts], axis=-1)
                values = own.function(sums.reshape(-1, len(counts)))
                return values.reshape(sums.shape[:-1])

            done = stats.bootstrap(tuple(number.rows.T), value, paired=True, **settings)
        interval = done.confidence_interval
        found.append((float(interval.low), float(interval.high)))
    return (time.process_time() - start) * RESAMPLES / PEER_RESAMPLES, found
