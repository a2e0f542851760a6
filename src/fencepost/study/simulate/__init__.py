"""Made-up texts with known errors: references, noisy copies, random coders and word streams.

Every number drawn is a function of the seed, what it is for, the text and its position in the text.
So a text does not change when more texts are made, and nothing depends on threads.

>>> from fencepost import simulate, parse
>>> gold = simulate.references(10, sizes="uniform:15-35", segments=100, seed=1)
>>> pairs = simulate.errors(gold, "FN", p=0.5, copies=20, seed=1)
>>> recipe = parse("windowdiff:k=12")
>>> round(float(recipe.value(recipe.count(pairs)).mean()), 2)
0.24
"""

from fencepost.study.simulate.coders import coders, shuffled, shuffled_corpus
from fencepost.study.simulate.noise import MODELS, errors, typed
from fencepost.study.simulate.randomness import SEED, SimulationError
from fencepost.study.simulate.sizes import Sizes, fixed, geometric, given, sizes_of, uniform
from fencepost.study.simulate.texts import references
from fencepost.study.simulate.words import WordStreams, streams

__all__ = [
    "MODELS",
    "SEED",
    "SimulationError",
    "Sizes",
    "WordStreams",
    "coders",
    "errors",
    "fixed",
    "geometric",
    "given",
    "references",
    "shuffled",
    "shuffled_corpus",
    "sizes_of",
    "streams",
    "typed",
    "uniform",
]
