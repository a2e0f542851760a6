"""Segments of words beside their references, as columns: what metrics of words count."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count, pairwise
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from fencepost import _core
from fencepost.model.checks import Ints, MetricError, offsets_of

WordIds: TypeAlias = npt.NDArray[np.int32]
# How a stream is cut: as the alignment found, in its own lines, not at all, or in proportion to
# the references' lengths.
SegmentsBy = Literal["found", "given", "document", "chopped", "chopped-mean"]
# The texts of all segments, and of their references; None where a reference lacks the segment.
Texts: TypeAlias = tuple[Sequence[str], Sequence[Sequence[str | None]]]

NO_KINDS, NO_WEIGHTS = np.empty(0, dtype=np.int32), np.empty(0)


class Words(Protocol):
    """A stream of words and its references: what a metric of words is given."""

    def under(self, segments: SegmentsBy) -> WordSegments:
        """Return the segments that the stream is cut into in this way."""

    def regrouped(self) -> WordSegments:
        """Return the segments that were found, with the stream's own lines as references."""

    def aligned_edits(self) -> Ints | None:
        """Return substitutions, insertions, deletions, cost and reference words of each segment.

        None where nothing was aligned: the segments are as they were given.
        """


@dataclass(frozen=True, eq=False)
class WordSegments:
    """Segments of words, each with one reference or more, laid flat.

    The words of segment s are ``hyp[hyp_offsets[s]:hyp_offsets[s + 1]]``, numbered as those of the
    references. Reference r has ``words[reference_offsets[r]:reference_offsets[r + 1]]``; segment s
    has the references ``segment_offsets[s]:segment_offsets[s + 1]``; ``which`` says the number of
    each in its segment, ``rooms`` how many a segment would have if none was missing. ``rows`` names
    the segment of the whole test set whose counts these are: for documents, the first of each.
    """

    hyp: WordIds
    hyp_offsets: Ints
    words: WordIds
    reference_offsets: Ints
    segment_offsets: Ints
    which: Ints
    rooms: Ints
    document_offsets: Ints
    rows: Ints
    make_texts: Callable[[], Texts] | None = None

    @classmethod
    def from_words(cls, references: Any, hypotheses: Any) -> WordSegments:
        """Lay out lists of words; ``references`` has a list of them (or None) for each segment."""
        check_segments(references, hypotheses)
        flat = [words for own in references for words in own if words is not None]
        columns = number([*hypotheses, *flat])
        own, others = columns[: len(hypotheses)], columns[len(hypotheses) :]
        return cls._of(references, *end_to_end(own), *end_to_end(others), None)

    @classmethod
    def from_texts(cls, references: Any, hypotheses: Any) -> WordSegments:
        """Hold the texts of segments, for metrics that find words by themselves."""
        check_segments(references, hypotheses, texts=True)
        size = len(hypotheses)
        present = sum(text is not None for own in references for text in own)
        empty, texts = np.empty(0, np.int32), (hypotheses, references)
        nothing, none = np.zeros(size + 1, np.int64), np.zeros(present + 1, np.int64)
        return cls._of(references, empty, nothing, empty, none, lambda: texts)

    @classmethod
    def _of(
        cls,
        references: Sequence[Sequence[Any]],
        hyp: WordIds,
        hyp_offsets: Ints,
        words: WordIds,
        reference_offsets: Ints,
        make_texts: Callable[[], Texts] | None,
    ) -> WordSegments:
        which = [[i for i, one in enumerate(own) if one is not None] for own in references]
        size = len(references)
        return cls(
            hyp,
            hyp_offsets,
            words,
            reference_offsets,
            offsets_of([len(own) for own in which]),
            np.array([i for own in which for i in own], dtype=np.int64),
            np.array([len(own) for own in references]),
            np.array([0, size]),
            np.arange(size),
            make_texts,
        )

    def __len__(self) -> int:
        return len(self.hyp_offsets) - 1

    @cached_property
    def lengths(self) -> Ints:
        """The words of each segment."""
        return np.diff(self.hyp_offsets)

    @cached_property
    def reference_lengths(self) -> Ints:
        """The words of each reference."""
        return np.diff(self.reference_offsets)

    @cached_property
    def owners(self) -> Ints:
        """The segment of each reference."""
        return np.repeat(np.arange(len(self)), np.diff(self.segment_offsets))

    @property
    def texts(self) -> Texts:
        """The texts of the segments and of their references."""
        if self.make_texts is None:
            raise MetricError(
                "this metric reads texts and finds words by itself; found lists of words: give "
                "each segment as one text"
            )
        return self.make_texts()

    def reference_counts(self) -> str:
        """How many references segments have, as signatures write it: "2", or "1-4"."""
        sizes = np.diff(self.segment_offsets)
        least, most = int(sizes.min()), int(sizes.max())
        return str(most) if least == most else f"{least}-{most}"

    # As what metrics are given: segments that are as they should be.

    def under(self, segments: SegmentsBy) -> WordSegments:
        """Return the segments as they are, or every document as one segment."""
        if segments == "found":
            return self
        if segments == "document":
            return self.documents()
        raise MetricError(
            f"segments={segments!r} is about a stream of words that was divided: "
            "fp.score_streams has it"
        )

    def regrouped(self) -> WordSegments:
        """Return the same, after a check that both sides have the same words in order."""
        if len(self.words) != len(self.hyp) or (self.words != self.hyp).any():
            shared = min(len(self.hyp), len(self.words))
            parted = np.flatnonzero(self.hyp[:shared] != self.words[:shared])
            place = int(parted[0]) if len(parted) else shared
            raise MetricError(
                "the segmentation error rate compares two segmentations of the same words; they "
                f"part at word {place + 1}"
            )
        return self

    def aligned_edits(self) -> None:
        """Return None: the segments were given, not found."""

    def documents(self) -> WordSegments:
        """Return each document's segments put together, as if it were one segment.

        Document r of the references has the r-th reference of each segment, or the first one
        where there is no r-th: the paper lets the same translation stand in several references.
        """
        bounds = self.document_offsets
        rooms = np.maximum.reduceat(self.rooms, bounds[:-1])
        picked, sizes, which = [], [], []
        for (first, last), room in zip(pairwise(bounds.tolist()), rooms.tolist(), strict=True):
            table = self._reference_table(first, last, room)
            picked.append(table.T.ravel())
            sizes.append(np.full(table.shape[1], table.shape[0]))
            which.append(np.arange(table.shape[1]))
        words, offsets = take(self.words, self.reference_offsets, np.concatenate(picked))
        ends = offsets_of(np.concatenate(sizes))
        make_texts = None if self.make_texts is None else self._document_texts
        return replace(
            self,
            hyp_offsets=self.hyp_offsets[bounds],
            words=words,
            reference_offsets=offsets[ends],
            segment_offsets=offsets_of([len(own) for own in which]),
            which=np.concatenate(which),
            rooms=rooms,
            document_offsets=np.arange(len(bounds)),
            rows=self.rows[bounds[:-1]],
            make_texts=make_texts,
        )

    def _reference_table(self, first: int, last: int, room: int) -> Ints:
        """The references of some segments: a row for each segment, a column for each number."""
        starts = self.segment_offsets[first:last]
        own = slice(int(starts[0]), int(self.segment_offsets[last]))
        which, segment = self.which[own], self.owners[own] - first
        table = np.repeat(starts[:, None], room, axis=1)
        table[segment, which] = np.arange(own.start, own.stop)
        return table

    def _document_texts(self) -> Texts:
        hypotheses, references = self.texts
        bounds = self.document_offsets.tolist()
        owned = [(hypotheses[a:b], references[a:b]) for a, b in pairwise(bounds)]
        joined = [[_joined(refs, r) for r in range(max(map(len, refs)))] for _, refs in owned]
        return [" ".join(own) for own, _ in owned], joined


def _joined(references: Sequence[Sequence[str | None]], r: int) -> str:
    """The r-th references of all segments as one text; the first where there is no r-th."""
    texts = []
    for own in references:
        text = own[r] if r < len(own) else None
        texts.append(next(one for one in own if one is not None) if text is None else text)
    return " ".join(texts)


# Columns.


def number(lists: Iterable[Sequence[Hashable]]) -> list[WordIds]:
    """Return each list of words as a column of numbers, by first appearance.

    >>> [column.tolist() for column in number([["a", "b", "a"], ["b", "c"]])]
    [[0, 1, 0], [1, 2]]
    """
    ids: defaultdict[Hashable, int] = defaultdict(count().__next__)
    return [
        np.fromiter(map(ids.__getitem__, words), dtype=np.int32, count=len(words))
        for words in lists
    ]


def end_to_end(columns: Sequence[WordIds]) -> tuple[WordIds, Ints]:
    """Return columns as one, and where each begins in it."""
    sizes = [len(column) for column in columns]
    return np.concatenate([np.empty(0, dtype=np.int32), *columns]), offsets_of(sizes)


def take(values: WordIds, offsets: Ints, rows: Ints) -> tuple[WordIds, Ints]:
    """Return the rows of a column in the given order, with their offsets."""
    index = np.asarray(rows, dtype=np.int64)
    found, ends, *_ = _core.take_rows(values, offsets, NO_KINDS, NO_WEIGHTS, index)
    return found, ends


# The check of what people hand over.


def check_segments(references: Any, hypotheses: Any, *, texts: bool = False) -> None:
    """Raise MetricError for what is not one hypothesis and some reference for each segment."""
    _check_list("the references", references)
    _check_list("the hypotheses", hypotheses)
    if len(hypotheses) != len(references):
        raise MetricError(
            f"{len(hypotheses)} hypothesis segments need as many reference segments, "
            f"found {len(references)}; if their boundaries differ, use fencepost resegment"
        )
    if not len(hypotheses):
        raise MetricError("there is no segment to measure")
    for place, (hypothesis, own) in enumerate(zip(hypotheses, references, strict=True), start=1):
        _check_segment(f"hypothesis of segment {place}", hypothesis, texts)
        _check_list(f"references of segment {place}", own)
        if all(reference is None for reference in own):
            raise MetricError(f"segment {place} has no reference; an empty one is written as such")
        for reference in own:
            if reference is not None:
                _check_segment(f"reference of segment {place}", reference, texts)


def _check_list(what: str, given: Any) -> None:
    if isinstance(given, (str, bytes)) or not hasattr(given, "__len__"):
        raise MetricError(f"{what}: expected a list, found {type(given).__name__} {given!r:.60}")


def _check_segment(what: str, given: Any, texts: bool) -> None:
    found = f"found {type(given).__name__} {given!r:.60}"
    if texts and not isinstance(given, str):
        raise MetricError(f"{what}: expected its text, {found}")
    if not texts and (isinstance(given, (str, bytes)) or not hasattr(given, "__len__")):
        raise MetricError(f"{what}: expected a list of words, {found}; make tokens of it first")
