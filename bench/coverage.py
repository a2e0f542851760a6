"""How often 95% intervals cover the truth, by the code as it is: python -m bench.coverage.

Prints the table of docs/statistics.md; --texts 5 8 the one of fewer texts, --widths how wide the
intervals are beside it, --tests how often the paired bootstrap finds what is not there. Every cell
is the share of simulated experiments whose interval holds the true value. Experiments of a block
share their resamples, which makes no difference to the share.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bench.table import show
from fencepost.statistics.intervals import Method, intervals
from fencepost.statistics.resampling import Estimate
from fencepost.statistics.tests import paired_bootstrap

Draw = Callable[[np.random.Generator, tuple[int, int]], np.ndarray]
TEXTS = (10, 20, 50)
SHOWN: tuple[Method, ...] = ("t", "percentile")
BLOCK = 40  # experiments at a time


@dataclass(frozen=True)
class Case:
    """Values of texts with a known mean, or counts of texts with a known ratio."""

    name: str
    draw: Draw  # experiments x texts; counts are complex numbers: wrong + places * i
    truth: float


def zeros(draw: Draw) -> Draw:
    """The same with 30% zeros."""
    return lambda rng, size: draw(rng, size) * (rng.random(size) >= 0.3)


def beta(a: float, b: float) -> Draw:
    """Values between 0 and 1."""
    return lambda rng, size: rng.beta(a, b, size)


def log_normal(sigma: float) -> Draw:
    """Values whose logarithm is normal: a few texts are far worse than all others."""
    return lambda rng, size: rng.lognormal(0.0, sigma, size)


def pooled(sigma: float) -> Draw:
    """Wrong places among all places of texts of log-normal sizes, at a rate of Beta(2, 6)."""

    def draw(rng: np.random.Generator, size: tuple[int, int]) -> np.ndarray:
        places = np.ceil(100 * rng.lognormal(0.0, sigma, size)).astype(np.int64)
        return np.asarray(rng.binomial(places, rng.beta(2, 6, size)) + 1j * places)

    return draw


CASES = (
    Case("normal", lambda rng, size: rng.normal(0.4, 0.1, size), 0.4),
    Case("Beta(1, 9)", beta(1, 9), 0.1),
    Case("exponential", lambda rng, size: rng.exponential(1.0, size), 1.0),
    Case("log-normal, sigma .5", log_normal(0.5), math.exp(0.125)),
    Case("log-normal, sigma .8", log_normal(0.8), math.exp(0.32)),
    Case("log-normal, sigma 1", log_normal(1.0), math.exp(0.5)),
    Case("30% zeros, else Beta(1, 9)", zeros(beta(1, 9)), 0.07),
    Case("30% zeros, else Beta(2, 5)", zeros(beta(2, 5)), 0.2),
    Case("30% zeros, else uniform", zeros(beta(1, 1)), 0.35),
    Case("30% zeros, else log-normal, sigma 1", zeros(log_normal(1.0)), 0.7 * math.exp(0.5)),
    Case("pooled counts, text sizes within 1:3", pooled(0.25), 0.25),
    Case("pooled counts, log-normal sizes, sigma 1", pooled(1.0), 0.25),
)


def estimate(values: np.ndarray) -> Estimate:
    """One experiment: a mean of values, or a ratio of counts."""
    counts = (values.real, values.imag) if np.iscomplexobj(values) else (values, values * 0 + 1)
    return Estimate(np.column_stack(counts), lambda sums: sums[:, 0] / sums[:, 1])


def coverage(
    case: Case, texts: int, method: Method | None, times: int, resamples: int
) -> tuple[float, float]:
    """The share of intervals that hold the truth, and the width that one in ten exceeds."""
    drawn = case.draw(np.random.default_rng(texts), (times, texts))
    covered, widths = 0, []
    for seed, first in enumerate(range(0, times, BLOCK)):
        block = drawn[first : first + BLOCK]
        for own in intervals(
            [estimate(values) for values in block], method=method, seed=seed, count=resamples
        ):
            if own.low is not None and own.high is not None:
                covered += own.low <= case.truth <= own.high
                widths.append(own.high - own.low)
    return covered / times, float(np.quantile(widths, 0.9))


DIFFERENCES: dict[str, Draw] = {
    "normal": lambda rng, size: rng.normal(0.0, 1.0, size),
    "Laplace": lambda rng, size: rng.laplace(0.0, 1.0, size),
    "30% ties, else normal": zeros(lambda rng, size: rng.normal(0.0, 1.0, size)),
}


def rejected(draw: Draw, texts: int, times: int, resamples: int) -> float:
    """How often the paired bootstrap has p <= .05 where the mean difference is 0."""
    drawn = draw(np.random.default_rng(texts), (times, texts))
    found = 0
    for seed, first in enumerate(range(0, times, BLOCK)):
        block = [estimate(values) for values in drawn[first : first + BLOCK]]
        pairs = [(i, len(block)) for i in range(len(block))]
        both = [*block, estimate(np.zeros(texts))]
        done = paired_bootstrap(both, pairs, seed=seed, count=resamples)
        found += sum(test.p <= 0.05 for test in done)
    return found / times


def show_tests(texts: tuple[int, ...], times: int, resamples: int) -> None:
    """A row for each distribution of differences."""
    rows = []
    for name, draw in DIFFERENCES.items():
        found = [rejected(draw, n, times, resamples) for n in texts]
        rows.append([name, " ".join(f"{share:.3f}"[1:] for share in found)])
    show(("differences", f"rejected at .05 at {', '.join(map(str, texts))}"), rows)


def main() -> None:
    """A row a case; for each method the coverage at 10, 20 and 50 texts."""
    parser = argparse.ArgumentParser(prog="python -m bench.coverage", description=__doc__)
    parser.add_argument("--times", type=int, default=4_000, help="experiments a cell")
    parser.add_argument("--resamples", type=int, default=599)
    parser.add_argument("--texts", type=int, nargs="+", default=TEXTS)
    parser.add_argument("--methods", nargs="+", default=SHOWN)
    parser.add_argument("--only", default="", help="cases whose name has this in it")
    parser.add_argument(
        "--widths", action="store_true", help="the width that one interval in ten exceeds, too"
    )
    parser.add_argument("--tests", action="store_true", help="the paired bootstrap, not intervals")
    args = parser.parse_args()
    if args.tests:
        show_tests(tuple(args.texts), args.times, args.resamples)
        return
    at = ", ".join(str(n) for n in args.texts)
    rows = []
    for case in CASES:
        if args.only not in case.name:
            continue
        cells = [case.name]
        for method in args.methods:
            found = [coverage(case, n, method, args.times, args.resamples) for n in args.texts]
            said = " ".join(f"{share:.3f}"[1:] for share, _ in found)
            if args.widths:
                said += f" ({' '.join(f'{width:.2f}' for _, width in found)})"
            cells.append(said)
        rows.append(cells)
        print(" | ".join(cells), flush=True)
    print()
    show(("values of texts", *(f"{method} at {at}" for method in args.methods)), rows)
    print(f"{args.times:,} experiments of {args.resamples:,} resamples a cell")


if __name__ == "__main__":
    main()
