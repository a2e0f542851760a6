"""Levenshtein distance between pairs of segments, split into its three kinds of edits."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from fencepost.model.checks import Ints
from fencepost.streams.alignment import Streams, align
from fencepost.streams.tokens import Column, number

Edits = tuple[int, int, int]


def edit_counts(hypothesis: Sequence[Hashable], reference: Sequence[Hashable]) -> Edits:
    """Substitutions, insertions and deletions of a hypothesis against a reference.

    An insertion is a word that only the hypothesis has, a deletion one that it lacks. Their sum
    is the least possible; where it can be split in several ways, each cell of the alignment
    prefers a deletion to an insertion, and that to a match or substitution.

    >>> edit_counts("the cat sat down".split(), "a cat sat".split())
    (1, 1, 0)
    """
    columns, _ = number([hypothesis, reference])
    substitutions, insertions, deletions = edit_columns(columns[:1], columns[1:])[0]
    return int(substitutions), int(insertions), int(deletions)


def edit_columns(hypotheses: Sequence[Column], references: Sequence[Column]) -> Ints:
    """A row of substitutions, insertions and deletions for each pair of numbered segments.

    A pair is a document of one segment with one reference: the same kernel aligns it.
    """
    if not len(references):
        return np.zeros((0, 3), dtype=np.int64)
    each = np.arange(len(references) + 1, dtype=np.int64)
    found = align(
        Streams(
            np.concatenate(hypotheses),
            _offsets(hypotheses),
            np.concatenate(references),
            _offsets(references),
            each,
            each,
        )
    )
    return np.column_stack((found.substitutions, found.insertions, found.deletions))


def _offsets(columns: Sequence[Column]) -> Ints:
    return np.concatenate(([0], np.cumsum([len(one) for one in columns], dtype=np.int64)))
