"""Documents in another order: streams that fit the references of another document better."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from fencepost.metrics.registry import Values
from fencepost.model.checks import Ints
from fencepost.model.words import WordIds

MAX_COMPARISONS = 200_000_000  # words times documents; beyond that the look would take seconds
MIN_SHARE = 0.2  # of the telling words of a stream that another document's references have
TIMES_BETTER = 2.0  # how much better another document must fit before a reader is told


def misplaced(
    names: Sequence[str | None],
    hyp: WordIds,
    hyp_offsets: Ints,
    words: WordIds,
    word_offsets: Ints,
    vocabulary: int,
) -> Iterator[str]:
    """Yield a sentence for each stream that has far more words of another document's references.

    ``word_offsets`` say which reference words belong to each document.
    """
    documents = len(names)
    if documents < 2 or documents * len(hyp) > MAX_COMPARISONS:
        return
    fits = _shared_words(hyp, hyp_offsets, words, word_offsets, vocabulary)
    own = fits.diagonal()
    best = fits.argmax(axis=1)
    value = fits[np.arange(documents), best]
    odd = np.flatnonzero((value >= MIN_SHARE) & (value > TIMES_BETTER * own))
    for d in odd.tolist():
        here, there = names[d] or d + 1, names[best[d]] or best[d] + 1
        yield (
            f"the hypothesis of document {here} has more words of document {there} "
            f"({100 * value[d]:.0f}% of its rare words) than of its own ({100 * own[d]:.0f}%): "
            "are the documents in another order?"
        )


def _shared_words(
    hyp: WordIds, hyp_offsets: Ints, words: WordIds, word_offsets: Ints, vocabulary: int
) -> Values:
    """How much of each stream (rows) each document's references (columns) have.

    A word counts by how few documents have it: a word that all of them have tells nothing.
    """
    documents = len(hyp_offsets) - 1
    fits = np.zeros((documents, documents))
    found_in = np.zeros(vocabulary)
    for d in range(documents):
        found_in[np.unique(words[word_offsets[d] : word_offsets[d + 1]])] += 1
    with np.errstate(divide="ignore"):
        weights = np.where(found_in > 0, np.log(documents / found_in), np.log(documents))
    weighed = weights[hyp]
    totals = np.maximum(np.add.reduceat(np.append(weighed, 0.0), hyp_offsets[:-1]), 1e-12)
    has = np.zeros(vocabulary, dtype=bool)
    for d in range(documents):
        own = words[word_offsets[d] : word_offsets[d + 1]]
        has[own] = True
        shared = np.add.reduceat(np.append(weighed * has[hyp], 0.0), hyp_offsets[:-1])
        fits[:, d] = np.where(np.diff(hyp_offsets) > 0, shared, 0.0) / totals
        has[own] = False
    return fits
