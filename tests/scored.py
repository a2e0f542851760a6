"""Systems with scores for the tests of statistics."""

import random
from itertools import pairwise

import numpy as np

import fencepost as fp
import support
from fencepost.statistics.resampling import Estimate


def masses(cuts, units):
    ends = [0, *sorted(cuts), units]
    return [b - a for a, b in pairwise(ends)]


def corpus(texts, seed, errors=(0.1, 0.4, 0.35)):
    """Texts with cuts, and systems that lose, move and add some."""
    rng = random.Random(seed)
    gold, systems = {}, {name: {} for name in "abc"[: len(errors)]}
    for i in range(texts):
        units = rng.randrange(15, 40)
        cuts = rng.sample(range(1, units), rng.randrange(2, 6))
        gold[f"d{i}"] = masses(cuts, units)
        for own, error in zip(systems.values(), errors, strict=True):
            kept = {
                min(units - 1, c + (rng.random() < error)) for c in cuts if rng.random() > error
            }
            kept |= {rng.randrange(1, units)} if rng.random() < error else set()
            own[f"d{i}"] = masses(kept, units)
    return gold, systems


GOLD, SYSTEMS = corpus(24, 1)


GROUPS = {text: f"g{i // 3}" for i, text in enumerate(GOLD)}


FAST = {"baselines": False, "resamples": 1000}


def per_text(table, system, metric):
    return np.array(table.part("per-text").where(system=system, metric=metric).column("value"))


def mean_of(values):
    return Estimate(np.column_stack((values, np.ones(len(values)))), lambda s: s[:, 0] / s[:, 1])


def of_counts(system, metric, texts=GOLD):
    recipe = fp.parse(metric)
    pairs = fp.Pairs.from_segmentations(
        [fp.Segmentation.from_masses(GOLD[t]) for t in texts],
        [fp.Segmentation.from_masses(SYSTEMS[system][t]) for t in texts],
    )
    sizes = np.array([sum(GOLD[t]) for t in texts], dtype=float)
    return Estimate(recipe.count(pairs).astype(float), recipe.value, sizes=sizes)


def bounds(row):
    return row["low"], row["high"]


def run(folder, *words):
    return support.run("score", *words, cwd=folder)


def ok(folder, *words):
    return support.ok("score", *words, cwd=folder, notes=True)


THREE = ("gold.json", "-i", "a.json", "b.json", "c.json")
