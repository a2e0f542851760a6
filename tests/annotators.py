"""Corpora of annotators for the tests of agreement."""

import warnings
from itertools import pairwise

import numpy as np
from hypothesis import strategies as st

import fencepost as fp
from strategies import cuts

with warnings.catch_warnings():
    # Old escapes in old docstrings; newer Pythons warn when they compile them.
    warnings.simplefilter("ignore", category=SyntaxWarning)
    warnings.simplefilter("ignore", category=DeprecationWarning)
    from segeval.data import samples

STARGAZERS = {coder: list(m) for coder, m in samples.HEARST_1997_STARGAZER["stargazer"].items()}


def masses(units, places):
    ends = [0, *places, units]
    return [b - a for a, b in pairwise(ends)]


@st.composite
def corpora(draw, missing=True, least=2, most=5, max_texts=3, max_units=9):
    """A few small texts; not every coder did every one."""
    coders = "abcde"[: draw(st.integers(least, most))]
    corpus = {}
    for number in range(draw(st.integers(1, max_texts))):
        units = draw(st.integers(2, max_units))
        who = st.sets(st.sampled_from(coders), min_size=1 if number else least)
        chosen = sorted(draw(who)) if missing else coders
        corpus[f"t{number}"] = {coder: masses(units, draw(cuts(units))) for coder in chosen}
    return corpus


def random_corpus(seed, texts=6, units=30, rate=0.15, coders=4, missing=0.0, moved=False):
    """Coders who cut by chance, or (``moved``) who move or forget the cuts of one of them."""
    rng = np.random.default_rng(seed)
    corpus = {}
    for i in range(texts):
        gold = np.flatnonzero(rng.random(units - 1) < rate) + 1
        own = {}
        for j in range(coders):
            if missing and i and rng.random() < missing:
                continue
            if moved:
                kept = gold[rng.random(len(gold)) < 0.8] + rng.integers(-1, 2)
                places = np.unique(np.clip(kept, 1, units - 1)).tolist()
            else:
                places = (np.flatnonzero(rng.random(units - 1) < rate) + 1).tolist()
            own[f"c{j}"] = masses(units, places)
        corpus[f"t{i}"] = own
    return {text: own for text, own in corpus.items() if own}


def rows(corpus, **settings):
    """Rows by coefficient, without intervals unless asked for."""
    table = fp.agreement(corpus, **{"intervals": "resamples" in settings, **settings})
    return {row["coefficient"]: row for row in table}


def only(corpus, names):
    """These coders alone."""
    reduced = {t: {c: m for c, m in own.items() if c in names} for t, own in corpus.items()}
    return {t: own for t, own in reduced.items() if own}
