"""For contrast: a stream cut by length alone; and a corpus in numbers, as in Table 1."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from typing import Literal, TypeAlias

import numpy as np

from fencepost.model.checks import Ints, MetricError
from fencepost.model.words import check_segments
from fencepost.scoring.tables import Table

Words: TypeAlias = Sequence[Hashable]  # one segment
# The references of each segment; None where a reference lacks the segment.
References: TypeAlias = Sequence[Sequence[Words | None]]


def chop(words: int, references: References, *, by: Literal["segment", "mean"] = "segment") -> Ints:
    """Return boundaries of a stream cut in proportion to the references' lengths.

    ``by="segment"`` gives each segment the share that the mean length of its references has;
    ``by="mean"`` gives all segments the same share. From 0 to ``words``; halves are rounded up.

    >>> chop(6, [[["a", "b"]], [["c"], ["c", "d", "e"]], [[]]]).tolist()
    [0, 3, 6, 6]
    """
    if by not in ("segment", "mean"):
        raise MetricError(f"by must be segment or mean, found {by!r}")
    if isinstance(words, bool) or not isinstance(words, (int, np.integer)) or words < 0:
        raise MetricError(f"words must be a whole number from 0 up, found {words!r}")
    check_segments(references, [[]] * len(references))
    shares = [_mean_length(own) for own in references]
    if by == "mean" or not any(shares):
        shares = [Fraction(1)] * len(references)
    total = sum(shares)
    ends, reached = [0], Fraction(0)
    for share in shares:
        reached += share
        ends.append(math.floor(int(words) * reached / total + Fraction(1, 2)))
    return np.array(ends, dtype=np.int64)


def _present(references: Sequence[Words | None]) -> list[Words]:
    return [reference for reference in references if reference is not None]


def _mean_length(references: Sequence[Words | None]) -> Fraction:
    lengths = list(map(len, _present(references)))
    return Fraction(sum(lengths), len(lengths))


def corpus_statistics(
    references: References, systems: Mapping[str, Sequence[Words]] | None = None
) -> Table:
    """Return what Table 1 of the paper says of a corpus.

    Segments; systems and their running words, as a mean over systems; references for each
    segment; all words of all references, and the mean length of a reference segment.

    >>> row = corpus_statistics([[["a", "b"], ["c"]], [["d"], None]])[0]
    >>> row["segments"], row["references"], row["reference_words"]
    (2, '1-2', 4)
    """
    check_segments(references, [[]] * len(references))
    lengths = [len(reference) for own in references for reference in _present(own)]
    running = [sum(map(len, segments)) for segments in (systems or {}).values()]
    counts = {len(_present(own)) for own in references}
    row = {
        "segments": len(references),
        "systems": len(running),
        "running_words": sum(running) / len(running) if running else math.nan,
        "references": "-".join(map(str, sorted({min(counts), max(counts)}))),
        "reference_words": sum(lengths),
        "mean_length": sum(lengths) / len(lengths),
        "empty_segments": sum(not any(map(len, _present(own))) for own in references),
    }
    return Table(tuple(row), (row,), name="corpus statistics")
