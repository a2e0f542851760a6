"""How often 95% intervals hold the truth, and tests their level: python -m bench.coverage.

Prints the tables of docs/statistics.md, by the code as it is: coverage of intervals (a cell is the
share of simulated experiments whose interval holds the true value, in brackets without samples
whose texts all have one value), --widths how wide they are beside Student's t, --tests the level
of tests where there is nothing to find, --runs with several runs of a system, --families with
several comparisons of which some are true. Experiments of a block share their resamples, which
makes no difference to the share.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np

from bench.table import show
from fencepost.statistics.intervals import CONSTANT, Method, intervals
from fencepost.statistics.resampling import Estimate, ratio
from fencepost.statistics.tests import adjusted, over_runs, paired_bootstrap, swap

Draw = Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]
TEXTS = (10, 20, 50)
SHOWN: tuple[Method, ...] = ("t", "normal", "bca", "percentile")
BLOCK = 40  # experiments at a time
TRUTH_DRAWS = 4_000_000  # values whose mean stands for the truth where no formula is at hand


@dataclass(frozen=True)
class Case:
    """Values of texts, or counts of texts; and what the values can be."""

    name: str
    draw: Draw  # experiments x texts; counts are complex numbers: wrong + positions * i
    bounds: tuple[float, float] = (-math.inf, math.inf)


@cache
def truth_of(case: Case) -> float:
    """The mean, or the ratio of sums."""
    drawn = case.draw(np.random.default_rng(99), (TRUTH_DRAWS,))
    pooled = np.iscomplexobj(drawn)
    return float(drawn.real.sum() / drawn.imag.sum() if pooled else drawn.mean())


def mixed(share: float, usual: float, draw: Draw) -> Draw:
    """The same with a share of texts that have the usual value."""
    return lambda rng, size: np.where(rng.random(size) < share, usual, draw(rng, size))


def beta(a: float, b: float) -> Draw:
    """Values between 0 and 1."""
    return lambda rng, size: rng.beta(a, b, size)


def perfect(share: float, a: float, b: float) -> Draw:
    """Similarities: 1 in a share of texts, else 1 - Beta(a, b)."""
    return mixed(share, 1.0, lambda rng, size: 1 - rng.beta(a, b, size))


def log_normal(sigma: float) -> Draw:
    """Values whose logarithm is normal: a few texts are far worse than all others."""
    return lambda rng, size: rng.lognormal(0.0, sigma, size)


def normal(mean: float, sigma: float) -> Draw:
    """Normal values."""
    return lambda rng, size: rng.normal(mean, sigma, size)


def rarely(rng: np.random.Generator, size: tuple[int, ...]) -> np.ndarray:
    """Differences of which one in six is large, and all others are small and of the other sign."""
    return np.where(rng.random(size) < 1 / 6, rng.beta(4, 4, size), -rng.beta(2, 18, size))


def pooled(sigma: float, harder: float = 0.0, perfect_share: float = 0.0) -> Draw:
    """Wrong positions among all positions of texts of log-normal sizes, at a rate of Beta(2, 6).

    ``harder`` is the power of its size that a text's rate grows with.
    """

    def draw(rng: np.random.Generator, size: tuple[int, ...]) -> np.ndarray:
        z = rng.normal(0.0, 1.0, size)
        positions = np.ceil(100 * np.exp(sigma * z)).astype(np.int64)
        rate = np.clip(rng.beta(2, 6, size) * np.exp(sigma * harder * z), 0, 1)
        rate *= rng.random(size) >= perfect_share
        return np.asarray(rng.binomial(positions, rate) + 1j * positions)

    return draw


UNIT, APART = (0.0, 1.0), (-1.0, 1.0)
CASES = (
    Case("normal", normal(0.4, 0.1)),
    Case("Beta(1, 9)", beta(1, 9), UNIT),
    Case("exponential", lambda rng, size: rng.exponential(1.0, size)),
    Case("log-normal, sigma .8", log_normal(0.8)),
    Case("log-normal, sigma 1", log_normal(1.0)),
    Case("30% zeros, else uniform", mixed(0.3, 0.0, beta(1, 1)), UNIT),
    Case("60% perfect, else 1 - Beta(2, 5)", perfect(0.6, 2, 5), UNIT),
    Case("60% perfect, else 1 - Beta(1, 3)", perfect(0.6, 1, 3), UNIT),
    Case("70% perfect, else 1 - Beta(2, 5)", perfect(0.7, 2, 5), UNIT),
    Case("70% perfect, else 1 - Beta(1, 9)", perfect(0.7, 1, 9), UNIT),
    Case("90% perfect, else 1 - Beta(2, 5)", perfect(0.9, 2, 5), UNIT),
    Case("90% perfect, else 1 - Beta(1, 3)", perfect(0.9, 1, 3), UNIT),
    Case("difference: 70% ties, else normal, mean 0", mixed(0.7, 0.0, normal(0, 0.2)), APART),
    Case("difference: 70% ties, else normal, mean .1", mixed(0.7, 0.0, normal(0.1, 0.15)), APART),
    Case("difference: 70% ties, else Beta(2, 5)", mixed(0.7, 0.0, beta(2, 5)), APART),
    Case("difference: 70% ties, 25% slightly worse, 5% far better", mixed(0.7, 0.0, rarely), APART),
    Case("pooled, text sizes within 1:3", pooled(0.25), UNIT),
    Case("pooled, log-normal sizes, sigma .5, long texts harder", pooled(0.5, 0.5), UNIT),
    Case("pooled, log-normal sizes, sigma .5, 70% perfect", pooled(0.5, 0.0, 0.7), UNIT),
    Case("pooled, log-normal sizes, sigma 1", pooled(1.0), UNIT),
    Case("pooled, log-normal sizes, sigma 1, long texts harder", pooled(1.0, 0.3), UNIT),
)


def estimate(values: np.ndarray, bounds: tuple[float, float] = (-math.inf, math.inf)) -> Estimate:
    """One experiment: a mean of values, or a ratio of counts."""
    if not np.iscomplexobj(values):
        return Estimate(np.column_stack((values, np.ones(len(values)))), ratio, bounds)
    rows = np.column_stack((values.real, values.imag))
    return Estimate(rows, lambda sums: sums[:, 0] / sums[:, 1], bounds, sizes=values.imag)


@dataclass(frozen=True)
class Covered:
    """Shares of intervals that hold the truth, and how wide they are beside Student's t."""

    every: float
    varied: float  # without samples whose texts all have one value
    wide: float


def coverage(case: Case, texts: int, method: Method, times: int, resamples: int) -> Covered:
    """Simulate experiments of one kind."""
    truth = truth_of(case)
    drawn = case.draw(np.random.default_rng(texts), (times, texts))
    held, constant, held_constant, widths = 0, 0, 0, []
    for seed, first in enumerate(range(0, times, BLOCK)):
        block = [estimate(values, case.bounds) for values in drawn[first : first + BLOCK]]
        found = intervals(block, method=method, seed=seed, count=resamples)
        student = intervals(block, method="normal")
        for one, other in zip(found, student, strict=True):
            holds = one.low is not None and one.high is not None and one.low <= truth <= one.high
            held += holds
            constant += one.why == CONSTANT
            held_constant += holds and one.why == CONSTANT
            if one.why is None and one.low is not None and other.low is not None:
                widths.append((one.high - one.low) / (other.high - other.low))
    varied = (held - held_constant) / max(times - constant, 1)
    return Covered(held / times, varied, float(np.mean(widths)))


def show_coverage(args: argparse.Namespace) -> None:
    """A row a case; for each method the coverage at 10, 20 and 50 texts."""
    rows = []
    for case in CASES:
        if args.only not in case.name:
            continue
        cells = [case.name]
        for method in args.methods:
            found = [coverage(case, n, method, args.times, args.resamples) for n in args.texts]
            said = " ".join(f"{one.every:.3f}".lstrip("0") for one in found)
            if any(f"{one.every:.3f}" != f"{one.varied:.3f}" for one in found):
                said += f" ({' '.join(f'{one.varied:.3f}'.lstrip('0') for one in found)})"
            if args.widths:
                said += f" x{' x'.join(f'{one.wide:.2f}' for one in found)}"
            cells.append(said)
        rows.append(cells)
        print(" | ".join(cells), flush=True)
    print()
    at = ", ".join(str(n) for n in args.texts)
    show(("values of texts", *(f"{method} at {at}" for method in args.methods)), rows)
    print(f"{args.times:,} experiments of {args.resamples:,} resamples a cell")


# Tests where there is nothing to find.

DIFFERENCES: dict[str, Draw] = {
    "normal": normal(0.0, 1.0),
    "Laplace": lambda rng, size: rng.laplace(0.0, 1.0, size),
    "30% ties, else normal": mixed(0.3, 0.0, normal(0.0, 1.0)),
    "skewed: exponential - 1": lambda rng, size: rng.exponential(1.0, size) - 1,
    "skewed: log-normal, sigma 1": lambda rng, size: rng.lognormal(0, 1, size) - math.exp(0.5),
}


def blocks(drawn: np.ndarray) -> Iterator[tuple[int, list[Estimate]]]:
    """Experiments in blocks, each with a seed, and behind them a system with 0 everywhere."""
    for seed, first in enumerate(range(0, len(drawn), BLOCK)):
        own = [estimate(values) for values in drawn[first : first + BLOCK]]
        yield seed, [*own, estimate(np.zeros(drawn.shape[1]))]


def show_tests(args: argparse.Namespace) -> None:
    """A row for each distribution of differences with mean 0: how often p <= .05."""
    rows = []
    for name, draw in DIFFERENCES.items():
        cells = [name]
        for test in ("randomization", "bootstrap"):
            shares = []
            for n in args.texts:
                found = 0
                for seed, both in blocks(draw(np.random.default_rng(n), (args.times, n))):
                    pairs = [(i, len(both) - 1) for i in range(len(both) - 1)]
                    settings = {"seed": seed, "count": args.resamples}
                    done = (
                        swap(both, pairs, **settings).tests()
                        if test == "randomization"
                        else paired_bootstrap(both, pairs, **settings)
                    )
                    found += sum(one.p <= 0.05 for one in done)
                shares.append(f"{found / args.times:.3f}".lstrip("0"))
            cells.append(" ".join(shares))
        rows.append(cells)
    at = ", ".join(map(str, args.texts))
    show(("differences with mean 0", f"randomization at {at}", "paired bootstrap"), rows)


def runs_of(rng: np.random.Generator, texts: int, runs: int, spread: float) -> Estimate:
    """A system with several runs: a run moves all texts, and a text of a run has its own noise."""
    values = rng.normal(0, spread, runs) + rng.normal(0, 0.03, (texts, 1))
    values += rng.normal(0, 0.05, (texts, runs))
    rows = np.stack((values, np.ones_like(values)), axis=2).reshape(texts, -1)
    return Estimate(rows, ratio, runs=runs)


def show_runs(args: argparse.Namespace) -> None:
    """Two systems with equal means over seeds: how often p <= .05, and how often 0 is inside."""
    rows = []
    for runs in (3, 5):
        for spread in (0.0, 0.005, 0.02, 0.05):
            cells = [f"{runs} + {runs} runs, sd between runs {spread:g}"]
            for n in args.texts:
                rng = np.random.default_rng(runs * n)
                level = old = held = 0
                for _ in range(args.times):
                    text = np.tile(rng.normal(0.5, 0.1, (n, 1)) * [1.0, 0.0], (1, runs))
                    both = [runs_of(rng, n, runs, spread) for _ in range(2)]
                    both = [Estimate(one.rows + text, ratio, runs=runs) for one in both]
                    test = over_runs(*both)
                    level += test is not None and test.p <= 0.05
                    same = intervals(both, [(0, 1)], method="normal", over_runs=False)[2]
                    other = intervals(both, [(0, 1)], method="normal")[2]
                    old += same.low > 0 or same.high < 0
                    held += other.low <= 0 <= other.high
                shares = (level, old, held)
                cells.append(" ".join(f"{x / args.times:.3f}".lstrip("0") for x in shares))
            rows.append(cells)
    print("p <= .05 over texts and runs; texts alone; 0 inside the interval over both")
    show(("two systems with equal means", *(f"{n} texts" for n in args.texts)), rows)


def show_families(args: argparse.Namespace) -> None:
    """Six comparisons, of which some are true: any false one at .05, and true ones that are found.

    Comparisons are of three systems by two metrics with the same baseline, so they have much in
    common. Null differences are symmetric, or skewed with mean 0, for which no swap test is exact.
    """
    rows = []
    skewed = DIFFERENCES["skewed: exponential - 1"]
    for name, draw in (("normal", normal(0.0, 1.0)), ("skewed", skewed)):
        for true in (0, 2, 4):
            cells = [f"{name}, {true} of 6 differ"]
            for n in args.texts:
                rng = np.random.default_rng(n + true)
                wrong, right = (
                    dict.fromkeys(("minp", "holm"), 0),
                    dict.fromkeys(("minp", "holm"), 0),
                )
                for seed in range(args.times):
                    shared, own = draw(rng, (n, 1)), draw(rng, (n, 3))
                    systems = (shared + own) / math.sqrt(2)
                    noise = normal(0.0, 0.3)(rng, (n, 3))
                    values = np.column_stack((systems, systems + noise))
                    values[:, :true] += 0.9
                    both = [*(estimate(v) for v in values.T), estimate(np.zeros(n))]
                    swaps = swap(both, [(k, 6) for k in range(6)], seed=seed, count=args.resamples)
                    plain = [one.p for one in swaps.tests()]
                    for how, p in (
                        ("minp", swaps.step_down()[0]),
                        ("holm", adjusted(plain, "holm")),
                    ):
                        wrong[how] += min([*p[true:], 1.0]) <= 0.05
                        right[how] += sum(x <= 0.05 for x in p[:true])
                shares = [wrong[how] / args.times for how in wrong]
                shares += [right[how] / args.times / max(true, 1) for how in right]
                cells.append(" ".join(f"{x:.3f}".lstrip("0") for x in shares))
            rows.append(cells)
    print("any false finding: min-p, Holm; share of true ones found: min-p, Holm")
    show(("six comparisons", *(f"{n} texts" for n in args.texts)), rows)


def main() -> None:
    """Print one of the tables."""
    parser = argparse.ArgumentParser(prog="python -m bench.coverage", description=__doc__)
    parser.add_argument("--times", type=int, default=4_000, help="experiments a cell")
    parser.add_argument("--resamples", type=int, default=599)
    parser.add_argument("--texts", type=int, nargs="+", default=TEXTS)
    parser.add_argument("--methods", nargs="+", default=SHOWN)
    parser.add_argument("--only", default="", help="cases whose name has this in it")
    parser.add_argument("--widths", action="store_true", help="mean width beside Student's t, too")
    for name in ("tests", "runs", "families"):
        parser.add_argument(f"--{name}", action="store_true")
    args = parser.parse_args()
    wanted = [show_tests] * args.tests + [show_runs] * args.runs + [show_families] * args.families
    for table in wanted or [show_coverage]:
        table(args)


if __name__ == "__main__":
    main()
