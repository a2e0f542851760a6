"""What kappa and pi give coders who know nothing of each other: python -m bench.zero.

Every row is a way to set boundaries without looking at the text, every column a model of chance;
a cell is the mean coefficient of B over simulated studies, which should be 0. ``pi, with itself``
lets coders take over the numbers of any coder, themselves included, as it was before. The last
columns: the share of studies whose default is ``sizes``, the share of annotations that permuted
sizes leave as they are, and two standard errors of the mean by ``shuffle``.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from unittest.mock import patch

import numpy as np

import fencepost as fp
from bench.table import show
from fencepost.coders import chance
from fencepost.coders.annotations import Annotations
from fencepost.statistics.randomness import mix

Rng = np.random.Generator
Setter = Callable[[Rng, int], list[int]]  # random numbers and units -> boundaries
UNITS, TEXTS, CODERS = 60, 20, 5


def uniform(rate: float) -> Setter:
    """Every position alike."""
    return lambda rng, units: (np.flatnonzero(rng.random(units - 1) < rate) + 1).tolist()


def smallest(least: int, mean: float) -> Setter:
    """No segment is shorter than ``least``; what is beyond is geometric."""

    def draw(rng: Rng, units: int) -> list[int]:
        sizes = least + rng.geometric(1 / (mean - least + 1), units) - 1
        ends = np.cumsum(sizes)
        return ends[ends <= units - least].tolist()

    return draw


def clumped(rng: Rng, units: int) -> list[int]:
    """Clumps of one to four boundaries, each within three units of the one before."""
    found: set[int] = set()
    for centre in np.flatnonzero(rng.random(units - 1) < 0.05) + 1:
        steps = rng.integers(1, 4, rng.integers(0, 4))
        found.update((centre + np.concatenate(([0], np.cumsum(steps)))).tolist())
    return sorted(place for place in found if place < units)


def middle(rng: Rng, units: int) -> list[int]:
    """Boundaries in the middle 60% of a text only."""
    low, high = units // 5, units - units // 5
    places = np.arange(low, high)
    return places[rng.random(len(places)) < 0.16].tolist()


def permuted(sizes: list[list[int]]) -> Iterator[Setter]:
    """One setter per coder: the coder's own sizes in random order."""
    for own in sizes:
        yield lambda rng, _, own=own: np.cumsum(rng.permutation(own))[:-1].tolist()


STARGAZERS = [  # segment sizes of the seven judges of Hearst (1997), as in the README
    [2, 3, 3, 1, 3, 6, 3], [2, 8, 2, 4, 2, 3], [2, 1, 2, 3, 1, 3, 1, 3, 2, 2, 1],
    [2, 1, 4, 1, 1, 3, 1, 4, 3, 1], [3, 2, 4, 3, 5, 4], [2, 3, 4, 2, 2, 5, 3],
    [2, 3, 2, 2, 3, 1, 3, 2, 3],
]  # fmt: skip
RATES = [0.05, 0.08, 0.12, 0.18, 0.25]
CASES: dict[str, tuple[list[Setter], int, int]] = {  # setters of coders, texts, units
    "uniform, rate .1": ([uniform(0.1)] * CODERS, TEXTS, UNITS),
    "uniform, 2 coders": ([uniform(0.1)] * 2, TEXTS, UNITS),
    "uniform, 10 coders": ([uniform(0.1)] * 10, TEXTS, UNITS),
    "uniform, rates .05 to .25": ([uniform(rate) for rate in RATES], TEXTS, UNITS),
    "segments of 4 units or more": ([smallest(4, 9.0)] * CODERS, TEXTS, UNITS),
    "clumps": ([clumped] * CODERS, TEXTS, UNITS),
    "own sizes permuted (Hearst's judges)": (list(permuted(STARGAZERS)), 1, 21),
    "uniform, 20 units, rate .1": ([uniform(0.1)] * CODERS, TEXTS, 20),
    "middle 60% of a text, 20 texts": ([middle] * CODERS, 20, UNITS),
    "middle 60% of a text, 50 texts": ([middle] * CODERS, 50, UNITS),
    "uniform, a third missing": ([uniform(0.1)] * 6, TEXTS, UNITS),
}
CHANCES = ("shuffle", "sizes", "inner-sizes", "positions")


def study(rng: Rng, name: str, typed: bool = False) -> fp.Corpus:
    """One simulated study."""
    setters, texts, units = CASES[name]
    made: dict[str, dict[str, fp.Segmentation]] = {}
    for text in range(texts):
        own = made[f"t{text}"] = {}
        for coder, setter in enumerate(setters):
            if name.endswith("missing") and coder > 1 and rng.random() < 0.5:
                continue
            cuts = setter(rng, units)
            kinds = rng.choice(["minor", "major"], len(cuts)).tolist() if typed else None
            own[f"c{coder}"] = fp.Segmentation(units, cuts, kinds)
    return fp.Corpus.from_dict(made)


def with_itself(annotations: Annotations, whose: chance.Keys, steps: chance.Keys) -> chance.Ints:
    """Return any coder's annotation for each row, as donors were drawn before."""
    order = np.lexsort((whose, annotations.item))
    sizes = np.bincount(annotations.item)
    starts = np.concatenate(([0], np.cumsum(sizes)))
    item = np.tile(annotations.item, len(steps))
    drawn = mix((whose[None, :] ^ steps).ravel()) >> np.uint64(33)
    return order[starts[item] + (drawn % sizes[item].astype(np.uint64)).astype(np.int64)]


def everywhere(annotations: Annotations) -> chance.SizeChance:
    """Return permuted sizes, also where another chance stands for them."""
    sizes = chance.SegmentSizes.of(annotations.column, annotations.units).unchanged()
    return chance.SizeChance("sizes", float(sizes[annotations.column.counts > 0].mean()))


def measured(name: str, times: int, typed: bool) -> list[str]:
    """Return a row of the table."""
    rng = np.random.default_rng(sum(name.encode()))
    found: dict[str, list[float]] = {}
    for _ in range(times):
        corpus = study(rng, name, typed)
        ways = [one for one in CHANCES if one != "positions" or len(corpus.texts) >= 20]
        settings = {"metric": "B", "draws": 40, "intervals": False}
        with patch("fencepost.coders.study.size_chance", everywhere):
            table = fp.agreement(corpus, chance=ways, **settings)
        default = fp.agreement(corpus, coefficient="kappa", **settings)
        found.setdefault("default", []).append(default[0]["value"])
        found.setdefault("sizes", []).append(default[0]["chance"] == "sizes")
        for row in table:
            found.setdefault(f"{row['coefficient']}, {row['chance']}", []).append(row["value"])
        with patch("fencepost.coders.chance._donors", with_itself):
            before = fp.agreement(corpus, chance="shuffle", coefficient="pi", **settings)
        found.setdefault("pi, with itself", []).append(before[0]["value"])
        found.setdefault("unchanged", []).append(table.facts["unchanged"])
    means = {key: float(np.nanmean(values)) for key, values in found.items()}
    error = float(np.nanstd(found["kappa, shuffle"])) / times**0.5
    shown = [f"{means[key]:+.3f}" if key in means else "" for key in COLUMNS]
    return [name, *shown, f"{means['sizes']:.2f}", f"{means['unchanged']:.2f}", f"{2 * error:.3f}"]


COLUMNS = ("default", "kappa, shuffle", "kappa, sizes", "kappa, inner-sizes", "kappa, positions",
           "pi, with itself", "pi, shuffle", "pi, sizes")  # fmt: skip


def main() -> None:
    """Print a row per way to set boundaries."""
    parser = argparse.ArgumentParser(prog="python -m bench.zero", description=__doc__)
    parser.add_argument("--times", type=int, default=200, help="simulated studies per row")
    parser.add_argument("--typed", action="store_true", help="boundaries of two random types")
    parser.add_argument("--only", default="", help="cases whose name has this in it")
    args = parser.parse_args()
    fp.set_threads(1)
    rows = [measured(name, args.times, args.typed) for name in CASES if args.only in name]
    show(("coders", *COLUMNS, "by sizes", "unchanged", "± 2 errors"), rows)


if __name__ == "__main__":
    main()
