"""Counting takes memory in proportion to the cuts, whatever the units and the reach are."""

import pytest

from support import PAIR_METRICS, PEAK, python

resource = pytest.importorskip("resource", reason="only some systems tell how much a process took")

CUTS = 400_000
MEGABYTE = 2**20

# Prints the growth of the largest resident size over one call. The two texts share no cut, and
# the same call on a small text has loaded everything before.
PROGRAM = """
import numpy as np
import fencepost as fp
from fencepost import Segmentation

def pair(cuts):
    return [Segmentation(3 * cuts + 3, np.arange(first, 3 * cuts + first, 3)) for first in (1, 2)]

small, large = pair(1000), pair({cuts})
metric = fp.METRICS[{name!r}]
metric(*small, **{settings!r})
before = peak()
metric(*large, **{settings!r})
print(peak() - before)
"""


def growth(name: str, cuts: int, **settings: object) -> int:
    program = PROGRAM.format(name=name, cuts=cuts, settings=settings)
    return int(python(PEAK + program, timeout=120))


@pytest.mark.slow
@pytest.mark.parametrize("name", PAIR_METRICS)
def test_a_metric_takes_no_more_than_a_few_words_for_each_cut(name):
    # 100 bytes for each of 800,000 cuts; a table of pairs of cuts would be a thousand times that.
    assert growth(name, CUTS) < 100 * 2 * CUTS


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("boundary_similarity", {"n_t": 1000}),
        ("boundary_similarity", {"n_t": 1000, "matching": "greedy"}),
        ("b_f", {"n_t": 1000}),
        ("segmentation_similarity", {"n_t": 1000}),
        ("segmentation_similarity", {"n_t": 1000, "weights": "scaled"}),
        ("segmentation_similarity", {"n_t": 1000, "weights": "unit"}),
        ("generalized_hamming", {"insert": 500.0, "delete": 500.0}),
    ],
)
def test_the_reach_of_near_misses_costs_no_memory(name, settings):
    # Kept rows of the table would be 40,000 times 600 cells, 400 megabytes and more.
    assert growth(name, 40_000, **settings) < 50 * MEGABYTE


@pytest.mark.slow
def test_the_length_of_a_text_costs_nothing():
    program = """
import fencepost as fp
from fencepost import Segmentation
# The true negatives of WinPR are windows times units, which 64 bits still hold here.
texts = [Segmentation(2**32, [2**31 + i, 2**31 + 10]) for i in (0, 1)]
# Expected windows keep probabilities of counts by position, and refuse so long a text.
for name, metric in fp.METRICS.items():
    if metric.input == 'pairs' and name not in ('expected_pk', 'expected_windowdiff'):
        metric(*texts)
print(peak())
"""
    assert int(python(PEAK + program, timeout=120)) < 500 * MEGABYTE


@pytest.mark.slow
@pytest.mark.parametrize("choices", [{}, {"paired": "randomization"}])
def test_intervals_of_many_systems_take_memory_for_a_block_of_them(choices):
    """Resamples of 400 systems by three metrics would be 400 MB, those of differences as many."""
    program = f"""
import random
import fencepost as fp

rng = random.Random(1)
def sizes():
    cuts = sorted(rng.sample(range(1, 40), rng.randint(1, 8)))
    return [b - a for a, b in zip([0, *cuts], [*cuts, 40])]

def scored(systems):
    gold = {{f"t{{i}}": sizes() for i in range(9)}}
    texts = {{f"s{{j}}": {{t: sizes() for t in gold}} for j in range(systems)}}
    return fp.score(gold, texts, metrics=["WD", "F", "B"], **{choices!r})

scored(3)
before = peak()
table = scored(400)
assert table[0]["low"] is not None
print(peak() - before)
"""
    assert int(python(PEAK + program, timeout=300)) < 120 * MEGABYTE
