"""How often 95% intervals of agreement cover the truth for new coders: python -m bench.both.

Coders are drawn from a population (how many boundaries they see, how many they move by one unit,
how many they add) and so are texts (how many boundaries there are, how clear they are); the truth
is the coefficient of very many of both. A cell is the share of simulated studies whose interval
holds the truth: over texts and coders, and over texts alone, as it was before. ``width`` is the
median width of the first, ``texts`` and ``coders`` are the parts of its standard error.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

import fencepost as fp
from bench.table import show

UNITS, DRAWS = 40, 60
SIZES = ((3, 10), (3, 30), (3, 100), (4, 20), (5, 10), (5, 30), (5, 100), (10, 10), (10, 100))
ALIKE = {"coders alike": 0.1, "coders who differ": 1.0}  # spread of the population of coders
COEFFICIENTS = ("kappa", "alpha", "pi*")


def study(rng: np.random.Generator, coders: int, texts: int, spread: float) -> fp.Corpus:
    """One simulated study."""
    seen = rng.beta(8 / spread, 3 / spread, coders)
    added = rng.gamma(1.5 / spread, 0.02 * spread, coders)
    moved = rng.beta(2 / spread, 5 / spread, coders)
    made: dict[str, dict[str, fp.Segmentation]] = {}
    for text in range(texts):
        gold = rng.random(UNITS - 1) < rng.beta(6, 40)
        clear = 0.5 + 0.5 * rng.beta(5, 2)
        made[f"t{text}"] = own = {}
        for coder in range(coders):
            kept = gold & (rng.random(UNITS - 1) < seen[coder] * clear)
            off = kept & (rng.random(UNITS - 1) < moved[coder])
            cuts = kept & ~off | np.roll(off, rng.choice([-1, 1]))
            cuts |= rng.random(UNITS - 1) < added[coder]
            own[f"c{coder}"] = fp.Segmentation(UNITS, (np.flatnonzero(cuts) + 1).tolist())
    return fp.Corpus.from_dict(made)


def table(corpus: fp.Corpus, **settings: Any) -> dict[str, dict[str, Any]]:
    """Rows by coefficient; one chance for all, so that every study has the same truth."""
    asked = {"metric": "B", "chance": "shuffle", "coefficient": ["kappa", "alpha"]}
    rows = [*fp.agreement(corpus, draws=DRAWS, **asked, **settings)]
    rows += fp.agreement(corpus, metric="S", chance="fournier2012", coefficient="pi*", **settings)
    return {row["coefficient"]: dict(row) for row in rows}


def truth(spread: float, times: int) -> dict[str, float]:
    """The mean over large studies."""
    rng = np.random.default_rng(1)
    found = [table(study(rng, 60, 60, spread), intervals=False) for _ in range(times)]
    return {name: float(np.mean([one[name]["value"] for one in found])) for name in COEFFICIENTS}


def covered(
    size: tuple[int, int], spread: float, wanted: dict[str, float], times: int
) -> list[str]:
    """Cells of one size: coverage of the three coefficients, before and now, and the width."""
    rng = np.random.default_rng(size[0] * 1000 + size[1])
    hits = {over: dict.fromkeys(COEFFICIENTS, 0) for over in ("both", "texts")}
    kappas = []
    for _ in range(times):
        corpus = study(rng, *size, spread)
        for over, found in hits.items():
            # Resamples of the bootstrap are the slow part.
            rows = table(corpus, interval=over, resamples=200)
            kappas += [rows["kappa"]] if over == "both" else []
            for name, row in rows.items():
                low, high = row["low"], row["high"]
                found[name] += low is not None and low <= wanted[name] <= high
    cells = [" ".join(f"{n / times:.3f}".lstrip("0") for n in hits[over].values()) for over in hits]
    width = np.median([row["high"] - row["low"] for row in kappas])
    parts = [np.median([row[key] for row in kappas]) for key in ("texts_error", "coders_error")]
    return [*cells, f"{width:.2f}", *(f"{part:.3f}" for part in parts)]


def main() -> None:
    """Print a row per population and size."""
    parser = argparse.ArgumentParser(prog="python -m bench.both", description=__doc__)
    parser.add_argument("--times", type=int, default=300, help="simulated studies per row")
    parser.add_argument("--large", type=int, default=30, help="large studies for the truth")
    args = parser.parse_args()
    fp.set_threads(1)
    rows = []
    for name, spread in ALIKE.items():
        wanted = truth(spread, args.large)
        for size in SIZES:
            cells = covered(size, spread, wanted, args.times)
            rows.append([name, f"{size[0]} x {size[1]}", *cells])
            print(*rows[-1], flush=True)
    print(f"\n{args.times} studies a row; coverage of {', '.join(COEFFICIENTS)}")
    show(("population", "coders x texts", "both", "texts only", "width", "texts", "coders"), rows)


if __name__ == "__main__":
    main()
