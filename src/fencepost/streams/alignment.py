"""Finds the boundaries of word streams that fit segmented references best (matusov2005)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from fencepost import _core
from fencepost.model.checks import Ints, offsets_of
from fencepost.streams.documents import StreamError

WordIds = npt.NDArray[np.int32]
Flags = npt.NDArray[np.uint8]
Ties = Literal["rwth", "earliest", "latest"]
Engine = Literal["auto", "integers", "plain"]

TIES: tuple[Ties, ...] = ("rwth", "earliest", "latest")
OPERATIONS = ("match", "substitution", "insertion", "deletion")
MAX_COST = 10_000
MEMORY = 32 * 2**20
NO_FLAGS: Flags = np.empty(0, dtype=np.uint8)


@dataclass(frozen=True, eq=False)
class Streams:
    """Many documents laid flat: a hypothesis each, and segments with one reference or more.

    ``words[reference_offsets[r]:reference_offsets[r + 1]]`` are the words of reference r,
    ``segment_offsets`` says which references belong to a segment and ``document_offsets`` which
    segments to a document. Words are numbers from 0 up, the same for hypothesis and references.

    ``breaks`` and ``forbidden`` hold a flag for each position of a boundary, 0 to the number of
    words, document after document: where the hypothesis itself breaks, and where no boundary may
    stand. The start and the end of a document are always allowed. ``marks`` holds a flag for each
    word number: whether that word is a punctuation mark.
    """

    hyp: WordIds
    hyp_offsets: Ints
    words: WordIds
    reference_offsets: Ints
    segment_offsets: Ints
    document_offsets: Ints
    breaks: Flags | None = None
    forbidden: Flags | None = None
    marks: Flags | None = None

    def __post_init__(self) -> None:
        """Check the columns; afterwards the kernel trusts them."""
        for name in ("hyp", "words"):
            object.__setattr__(self, name, _word_ids(getattr(self, name), name))
        for name in ("hyp_offsets", "reference_offsets", "segment_offsets", "document_offsets"):
            column = np.ascontiguousarray(getattr(self, name), dtype=np.int64)
            object.__setattr__(self, name, column)
        documents = len(self.document_offsets) - 1
        references = len(self.reference_offsets) - 1
        segments = len(self.segment_offsets) - 1
        _check_offsets(self.hyp_offsets, len(self.hyp), "hyp_offsets", 0)
        _check_offsets(self.reference_offsets, len(self.words), "reference_offsets", 0)
        _check_offsets(self.segment_offsets, references, "segment_offsets", 1)
        _check_offsets(self.document_offsets, segments, "document_offsets", 1)
        if len(self.hyp_offsets) - 1 != documents:
            raise StreamError(
                f"each document needs a hypothesis, found {documents} documents and "
                f"{len(self.hyp_offsets) - 1} hypotheses"
            )
        for name in ("breaks", "forbidden"):
            flags = getattr(self, name)
            if flags is not None:
                object.__setattr__(self, name, self._flags(flags, name))
        if self.marks is not None:
            object.__setattr__(self, "marks", self._mark_flags(self.marks))

    def __len__(self) -> int:
        """The number of documents."""
        return len(self.document_offsets) - 1

    def _flags(self, flags: Any, name: str) -> Flags:
        column: Flags = np.ascontiguousarray(np.asarray(flags) != 0, dtype=np.uint8)
        wanted = len(self.hyp) + len(self)
        if column.ndim != 1 or len(column) != wanted:
            raise StreamError(
                f"{name} needs a flag for each position, one more than words in each document: "
                f"{wanted} in all, found {column.size}"
            )
        return column

    def _mark_flags(self, flags: Any) -> Flags:
        column: Flags = np.ascontiguousarray(np.asarray(flags) != 0, dtype=np.uint8)
        largest = _largest(self)
        if column.ndim != 1 or len(column) <= largest:
            raise StreamError(
                f"marks needs a flag for each word number, 0 to {largest}, found {column.size}"
            )
        return column


@dataclass(frozen=True, eq=False)
class StreamAlignment:
    """The best boundaries of many documents, flat by segment and by document.

    Positions count words of the document's own hypothesis from its start.
    """

    document_offsets: Ints
    #: By segment: where it ends, which of its references it was compared with, and the edits.
    ends: Ints
    chosen: Ints
    substitutions: Ints
    insertions: Ints
    deletions: Ints
    #: By document: dL at the given costs, and N^, the words of the chosen references.
    distance: Ints
    words: Ints
    #: By document: what ``like="mwersegmenter"`` adds to dL for leading empty segments.
    charged: Ints
    #: By document, with ``ambiguity``: the range of N^ over all optima.
    fewest_words: Ints | None = None
    most_words: Ints | None = None
    #: By segment, with ``ambiguity``: all places where it can end in an optimum, as runs
    #: ``runs[run_offsets[s]:run_offsets[s + 1]]`` of (first, last).
    run_offsets: Ints | None = None
    runs: Ints | None = None
    #: By segment, with ``alignment``: rows (operation, word of the hypothesis, word of the
    #: reference), the operation as an index into OPERATIONS, -1 where there is no word.
    step_offsets: Ints | None = None
    steps: Ints | None = None

    @property
    def starts(self) -> Ints:
        """Where each segment begins."""
        starts = np.zeros_like(self.ends)
        starts[1:] = self.ends[:-1]
        starts[self.document_offsets[:-1]] = 0
        return starts

    @property
    def place_counts(self) -> Ints:
        """By segment, the number of places where it can end in an optimum."""
        if self.runs is None or self.run_offsets is None:
            raise StreamError("positions were not asked for; align with ambiguity=True")
        lengths = offsets_of(self.runs[:, 1] - self.runs[:, 0] + 1)
        counts: Ints = np.diff(lengths[self.run_offsets])
        return counts

    def places(self, segment: int) -> Ints:
        """All places where this segment (of all documents) can end in an optimum."""
        if self.runs is None or self.run_offsets is None:
            raise StreamError("positions were not asked for; align with ambiguity=True")
        first, last = self.run_offsets[segment : segment + 2]
        runs = [np.arange(low, high + 1) for low, high in self.runs[first:last]]
        return np.concatenate(runs)

    def operations(self, segment: int) -> list[tuple[str, int, int]]:
        """The alignment of one segment (of all documents): operation and the two word numbers."""
        if self.steps is None or self.step_offsets is None:
            raise StreamError("the alignment was not asked for; align with alignment=True")
        first, last = self.step_offsets[segment : segment + 2]
        return [(OPERATIONS[op], int(hyp), int(ref)) for op, hyp, ref in self.steps[first:last]]


def align(
    streams: Streams,
    *,
    ties: Ties = "rwth",
    prefer: Literal["breaks"] | None = None,
    costs: tuple[int, int, int] = (1, 1, 1),
    like: Literal["mwersegmenter"] | None = None,
    ambiguity: bool = False,
    alignment: bool = False,
    memory: int = MEMORY,
    engine: Engine = "auto",
) -> StreamAlignment:
    """Cut each hypothesis so that it is nearest to its references, segment by segment.

    The sum over segments of the edit distance to the nearest reference is the least there is.
    Among equals, in this order:

    - ``streams.marks``, if given: the fewest substitutions of a word for a punctuation mark or of
      a mark for a word.
    - ``prefer="breaks"``: the most boundaries at ``streams.breaks``.
    - the tie rule:

      - ``ties="rwth"``: back from the end, at each cell a deletion if it is no worse than the
        other two, else an insertion if it is no worse than a substitution, else match or
        substitution; the first of equal references; a segment begins as late as it may.
      - ``"earliest"``, ``"latest"``: the last boundary at its earliest (latest) place, then the
        one before it given that one, and so on; then the first reference. With one reference for
        each segment every boundary is at the earliest (latest) place it has in any optimum.

    ``costs`` are those of a substitution, an insertion and a deletion, whole numbers.
    ``like="mwersegmenter"`` charges leading empty segments as the RWTH tool does, so the
    boundaries may be above the optimum; ``distance`` is what they really cost, and ``charged``
    what that tool adds to it. That tool does not know marks, so they do not count there.
    ``ambiguity`` adds all optimal places of each boundary and the range of N^ over all optima (of
    the cost alone: marks and ``prefer`` have no say in it), ``alignment`` the operations.

    ``memory`` is about how many bytes may go into columns; with less, some are computed twice.
    The result does not depend on it, nor on ``engine`` (``"integers"`` in place of bit
    vectors, ``"plain"`` integers without the special instructions of the processor).
    """
    _check_settings(streams, ties, prefer, costs, like, engine)
    breaks = streams.breaks if prefer else None
    hyp, words, marks, vocabulary = _vocabulary(streams)
    segments, documents, run_counts, runs, step_counts, steps = _core.resegment(
        hyp,
        streams.hyp_offsets,
        words,
        streams.reference_offsets,
        streams.segment_offsets,
        streams.document_offsets,
        NO_FLAGS if breaks is None else breaks,
        NO_FLAGS if streams.forbidden is None else streams.forbidden,
        NO_FLAGS if marks is None else marks,
        vocabulary=vocabulary,
        ties=TIES.index(ties),
        costs=costs,
        peer_row=like is not None,
        integers=engine != "auto",
        plain=engine == "plain",
        ambiguity=ambiguity,
        alignment=alignment,
        memory=max(0, memory),
    )
    ends, chosen, substitutions, insertions, deletions = _columns(segments)
    return StreamAlignment(
        streams.document_offsets,
        ends,
        chosen,
        substitutions,
        insertions,
        deletions,
        distance=documents[:, 0].copy(),
        words=documents[:, 1].copy(),
        charged=_charged(streams, ends, chosen) if like else np.zeros_like(documents[:, 0]),
        fewest_words=documents[:, 2].copy() if ambiguity else None,
        most_words=documents[:, 3].copy() if ambiguity else None,
        run_offsets=offsets_of(run_counts) if ambiguity else None,
        runs=runs if ambiguity else None,
        step_offsets=offsets_of(step_counts) if alignment else None,
        steps=steps if alignment else None,
    )


def _charged(streams: Streams, ends: Ints, chosen: Ints) -> Ints:
    """What the RWTH tool counts on top: its row 0 has one more for each segment, and padding.

    An empty hypothesis is not charged: all of its reference words are missing, no more.
    """
    charged = np.zeros(len(streams), dtype=np.int64)
    sizes = np.diff(streams.reference_offsets)
    for document, (first, last) in enumerate(pairwise(streams.document_offsets.tolist())):
        leading = first + int(np.searchsorted(ends[first:last], 0, side="right"))
        for segment in range(first, leading if leading < last else first):
            own = sizes[streams.segment_offsets[segment] : streams.segment_offsets[segment + 1]]
            charged[document] += own.max() + 1 - own[chosen[segment]]
    return charged


def _columns(matrix: Ints) -> list[Ints]:
    return [np.ascontiguousarray(column) for column in matrix.T]


def _largest(streams: Streams) -> int:
    """The largest word number, or -1 if there are no words."""
    return max(int(column.max(initial=-1)) for column in (streams.hyp, streams.words))


def _vocabulary(streams: Streams) -> tuple[WordIds, WordIds, Flags | None, int]:
    """Words numbered without large gaps, their marks and how many: the kernel keeps tables."""
    hyp, words, marks = streams.hyp, streams.words, streams.marks
    size = _largest(streams) + 1
    if size <= 4 * (len(hyp) + len(words)) + 1024:
        return hyp, words, None if marks is None else marks[:size], size
    numbers, dense = np.unique(np.concatenate([hyp, words]), return_inverse=True)
    column = dense.astype(np.int32)
    marks = None if marks is None else marks[numbers]
    return column[: len(hyp)].copy(), column[len(hyp) :].copy(), marks, len(numbers)


def _word_ids(values: Any, name: str) -> WordIds:
    array = np.asarray(values)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise StreamError(f"{name} must be one flat column of word numbers")
    if array.size and (array.min() < 0 or array.max() >= 2**31):
        raise StreamError(f"{name} must be word numbers from 0 to 2^31 - 1")
    return np.ascontiguousarray(array, dtype=np.int32)


def _check_offsets(offsets: Ints, end: int, name: str, least: int) -> None:
    if offsets.ndim != 1 or not len(offsets) or offsets[0] != 0 or offsets[-1] != end:
        raise StreamError(f"{name} must run from 0 to {end}")
    sizes = np.diff(offsets)
    if (sizes < least).any():
        at = int(np.argmax(sizes < least))
        what = {
            "segment_offsets": f"segment {at} has no reference; an empty one is a reference too",
            "document_offsets": f"document {at} has no segment; it needs at least one",
        }
        raise StreamError(what.get(name, f"{name} must not go down, see number {at + 1}"))


def _check_settings(
    streams: Streams,
    ties: str,
    prefer: str | None,
    costs: tuple[int, int, int],
    like: str | None,
    engine: str,
) -> None:
    for name, value, known in (
        ("ties", ties, TIES),
        ("prefer", prefer, (None, "breaks")),
        ("like", like, (None, "mwersegmenter")),
        ("engine", engine, ("auto", "integers", "plain")),
    ):
        if value not in known:
            options = ", ".join(repr(one) for one in known)
            raise StreamError(f"{name} must be one of {options}, found {value!r}")
    if prefer and streams.breaks is None:
        raise StreamError("prefer='breaks' needs to know where the hypothesis breaks: give breaks")
    if len(costs) != 3 or not all(
        isinstance(cost, int) and not isinstance(cost, bool) and 1 <= cost <= MAX_COST
        for cost in costs
    ):
        raise StreamError(
            f"costs must be three whole numbers from 1 to {MAX_COST:,} "
            f"(substitution, insertion, deletion), found {costs!r}"
        )
    if like and (costs != (1, 1, 1) or prefer):
        raise StreamError("like='mwersegmenter' knows unit costs and no preference")
