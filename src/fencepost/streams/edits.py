"""Levenshtein distance between pairs of segments, split into its three kinds of edits."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from fencepost.checks import Ints, MetricError
from fencepost.streams.tokens import Column, number

BATCH_CELLS = 1 << 17  # cells of one row of all pairs of a batch: they stay in the cache
_BITS = 21  # for a place, and for a number of deletions: segments of up to 2 million words
_MASK = (1 << _BITS) - 1


def edit_counts(hypothesis: Sequence[Hashable], reference: Sequence[Hashable]) -> Edits:
    """Substitutions, insertions and deletions of a hypothesis against a reference.

    An insertion is a word that only the hypothesis has, a deletion one that it lacks. Their sum
    is the least possible; where it can be split in several ways, each cell of the alignment
    prefers a deletion to an insertion, and that to a match or substitution.

    >>> edit_counts("the cat sat down".split(), "a cat sat".split())
    (1, 1, 0)
    """
    substitutions, insertions, deletions = edit_columns(*_numbered([hypothesis], [reference]))[0]
    return int(substitutions), int(insertions), int(deletions)


Edits = tuple[int, int, int]


def _numbered(
    hypotheses: Sequence[Sequence[Hashable]], references: Sequence[Sequence[Hashable]]
) -> tuple[list[Column], list[Column]]:
    columns, _ = number([*hypotheses, *references])
    return columns[: len(hypotheses)], columns[len(hypotheses) :]


def edit_columns(hypotheses: Sequence[Column], references: Sequence[Column]) -> Ints:
    """A row of substitutions, insertions and deletions for each pair of numbered segments."""
    sizes = np.array(
        [(len(h), len(r)) for h, r in zip(hypotheses, references, strict=True)], dtype=np.int64
    ).reshape(-1, 2)
    if sizes.max(initial=0) > _MASK:
        raise MetricError(
            f"a segment of {sizes.max()} words is too long; edits are counted up to {_MASK}"
        )
    counts = np.zeros((len(sizes), 3), dtype=np.int64)
    for rows in _batches(sizes):
        own = sizes[rows]
        cost, deletions = _distances(
            _padded([hypotheses[row] for row in rows], -1),
            _padded([references[row] for row in rows], -2),
            own,
        )
        insertions = deletions + own[:, 0] - own[:, 1]
        counts[rows] = np.column_stack((cost - insertions - deletions, insertions, deletions))
    return counts


def _batches(sizes: Ints) -> Iterator[Ints]:
    """Rows of like sizes together, as many as fit."""
    order = np.lexsort((sizes[:, 1], sizes[:, 0]))
    first = 0
    while first < len(order):
        widths = np.maximum.accumulate(sizes[order[first:], 1] + 1)
        cells = widths * np.arange(1, len(widths) + 1)
        last = first + max(1, int(np.searchsorted(cells, BATCH_CELLS, side="right")))
        yield order[first:last]
        first = last


def _padded(columns: list[Column], filler: int) -> npt.NDArray[np.int32]:
    width = max(map(len, columns), default=0)
    out = np.full((len(columns), width), filler, dtype=np.int32)
    for row, column in enumerate(columns):
        out[row, : len(column)] = column
    return out


def _distances(
    hypotheses: npt.NDArray[np.int32], references: npt.NDArray[np.int32], sizes: Ints
) -> tuple[Ints, Ints]:
    """The distance of each pair, and the deletions on the path that the cell rule prefers.

    A row of the table at a time, all pairs at once. Deletions run along the row: the cost there
    is a running minimum of what comes from the row above, and the first place where it is
    reached is where the run began. Cost, place and deletions travel in one number.
    """
    places = np.arange(references.shape[1] + 1, dtype=np.int64)
    cost = np.broadcast_to(places, (len(references), len(places))).copy()
    deletions = cost.copy()
    best = cost[np.arange(len(sizes)), sizes[:, 1]].copy()
    deleted = best.copy()
    above, before = np.empty_like(cost), np.empty_like(cost)
    for row in range(1, hypotheses.shape[1] + 1):
        match = cost[:, :-1] + (references != hypotheses[:, row - 1 : row])
        insertion = cost[:, 1:] + 1
        above[:, 0], before[:, 0] = row, 0
        above[:, 1:] = np.minimum(insertion, match)
        before[:, 1:] = np.where(insertion <= match, deletions[:, 1:], deletions[:, :-1])
        packed = ((above - places) << (2 * _BITS)) | (places << _BITS) | before
        np.minimum.accumulate(packed, axis=1, out=packed)
        cost = (packed >> (2 * _BITS)) + places
        deletions = (packed & _MASK) + places - ((packed >> _BITS) & _MASK)
        done = np.flatnonzero(sizes[:, 0] == row)
        best[done] = cost[done, sizes[done, 1]]
        deleted[done] = deletions[done, sizes[done, 1]]
    return best, deleted
