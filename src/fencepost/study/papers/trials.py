"""Random experiments as both Pevzner & Hearst (2002) and Fournier & Inkpen (2012) made them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from fencepost.metrics.registry import Recipe, Values
from fencepost.study import simulate
from fencepost.study.papers.base import Run
from fencepost.study.simulate.randomness import key_of

RANGES = ((20, 30), (15, 35), (10, 40), (5, 45))  # of segment sizes
TRIALS, COPIES, SEGMENTS = 10, 100, 1000


def experiment(
    recipes: Sequence[Recipe],
    model: str,
    p: float,
    sizes: simulate.Sizes,
    *,
    seed: int,
    copies: int,
    distance: int = 1,
) -> Values:
    """Ten trials: a reference of 1,000 segments each, and so many copies with errors.

    Return the value of each metric, trial and copy.
    """
    gold = simulate.references(TRIALS, sizes=sizes, segments=SEGMENTS, seed=seed)
    pairs = simulate.errors(gold, model, p, copies=copies, distance=distance, seed=seed)
    values = [recipe.value(recipe.count(pairs)) for recipe in recipes]
    return np.array(values).reshape(len(recipes), TRIALS, copies)


def seed_of(*what: object) -> int:
    """A seed of its own for an experiment, so that it has its own references."""
    return int(key_of(*what) >> np.uint64(1))


def copies_of(run: Run, fast: int) -> int:
    """Copies of each reference."""
    return fast if run.fast else COPIES


# One trial's mean varies mostly with its reference. Two means of ten trials differ by less than 4
# standard errors with probability .997 (Student's t with 9 degrees of freedom).
def bound(deviation: float, rounding: float) -> float:
    """How far two means of ten trials, rounded as printed, may be apart."""
    return 4 * deviation * math.sqrt(2 / TRIALS) + rounding


def bound_note(rounding: str) -> str:
    """How the bound was derived."""
    return (
        f"4 s sqrt(2/10) + {rounding}: s is the deviation of our 10 trial means, {rounding} the "
        "rounding"
    )
