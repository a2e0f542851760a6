"""S_f of a conversation, its chance by simulation, and one large block.

The R package segsimflex 0.1.3 cannot run here; its figures (2 s for the similarity, 10 s for a
simulation of a text of this size, a stack overflow at 1,280 positions) are quoted, not measured.
"""

from __future__ import annotations

import random

import fencepost as fp
from bench.table import Results, show
from bench.timing import best, best_of_calls, shown
from fencepost.coders.annotations import Annotations

KINDS = (".", ",", "?", "+", ";")
R_SIMILARITY, R_SIMULATION = 2.0, 10.0  # seconds, quoted
DRAWS = 200


def conversation(tokens: int = 5600, speakers: int = 2, rate: float = 0.22) -> fp.Corpus:
    """Two annotators who agree on most places and on half of the kinds."""
    rng = random.Random(1)
    streams = {}
    for speaker in range(speakers):
        first = [
            rng.choice(KINDS) if rng.random() < rate else "" for _ in range(tokens // speakers)
        ]
        second = [_heard(mark, rng) for mark in first]
        both = {"x": first, "y": second}
        streams["talk", f"S{speaker}"] = {
            coder: fp.Segmentation.from_marks(marks, KINDS) for coder, marks in both.items()
        }
    return fp.Corpus.from_dict(streams)


def _heard(mark: str, rng: random.Random) -> str:
    chance = rng.random()
    if chance < 0.05:
        return "" if mark else rng.choice(KINDS)
    return rng.choice(KINDS) if mark and chance < 0.5 else mark


def run(results: Results) -> None:
    """A text of 5,600 tokens, 5 kinds, 2 speakers; then one block of 10^4 boundaries a side."""
    corpus = conversation()
    pairs = Annotations.of(corpus).pairs()
    recipe = fp.parse("Sf")
    ours = best_of_calls(lambda: recipe.value(recipe.count(pairs)))
    results.add("Sf / segsimflex as quoted", "5,600 tokens", R_SIMILARITY, ours, 2000)
    took, _ = best(
        lambda: fp.agreement(corpus, metric=recipe, chance="bernoulli", draws=DRAWS), runs=2
    )
    each = took / DRAWS / 2  # kappa and pi
    results.add("a simulation of its kappa / as quoted", "5,600 tokens", R_SIMULATION, each, 1000)
    results.show()
    rows = []
    for size in (1_250, 2_500, 5_000, 10_000):
        one_sided = [fp.Segmentation(4 * size, range(start, 4 * size, 4)) for start in (1, 3)]
        block = fp.Pairs.from_segmentations([one_sided[0]], [one_sided[1]])
        rows.append([f"{size:,}", shown(best_of_calls(lambda block=block: recipe.count(block)))])
    print("Sf, one block with as many boundaries on each side:")
    show(("boundaries", "time"), rows)
