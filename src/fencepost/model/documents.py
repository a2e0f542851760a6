"""Words and segments of documents: references, streams of words, and rows of files with either."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from fencepost.model.source import Source


@dataclass(frozen=True, slots=True)
class SegmentRow:
    """One segment (or timed word) as a file has it, before documents are put together.

    ``texts`` has one text per reference, None where a reference lacks the segment. Times are in
    seconds; None is what the file does not say.
    """

    texts: tuple[str | None, ...]
    line: int
    document: str | None = None
    id: str | None = None
    start: float | None = None
    end: float | None = None
    speaker: str | None = None
    source: str | None = None
    delay: float | None = None
    elapsed: float | None = None
    recording: str | None = None

    @property
    def text(self) -> str:
        """The first text."""
        return self.texts[0] or ""


@dataclass(frozen=True, slots=True)
class SegmentRows:
    """The rows of one file in its order, and what a reader should know about how it was read."""

    rows: tuple[SegmentRow, ...]
    notes: tuple[str, ...] = ()


class Segment(NamedTuple):  # a test set has thousands, and a NamedTuple is quick to make
    """One segment of the references; times are seconds in the recording.

    ``references`` has a text for each reference, None where a reference lacks this segment; an
    empty segment has empty texts. ``place`` counts the segments of all documents from 0, in the
    order of the files: what is written goes by it.
    """

    references: tuple[str | None, ...]
    id: str | None = None
    start: float | None = None
    end: float | None = None
    speaker: str | None = None
    source: str | None = None
    place: int = 0


@dataclass(frozen=True, slots=True)
class ReferenceDocument:
    """The segments of one document in the order of speaking; ``recording`` is its audio file."""

    id: str | None
    segments: tuple[Segment, ...]
    recording: str | None = None


@dataclass(frozen=True)
class ReferenceSet:
    """The documents of the references, and what a reader should know about how they were read."""

    documents: tuple[ReferenceDocument, ...]
    name: str = "the references"
    notes: tuple[str, ...] = ()
    sources: tuple[Source, ...] = field(default=(), compare=False)  # one per file

    def __len__(self) -> int:
        return len(self.documents)

    def __iter__(self) -> Iterator[ReferenceDocument]:
        return iter(self.documents)

    @property
    def segments(self) -> list[Segment]:
        """All segments in the order of the files."""
        return sorted((s for one in self.documents for s in one.segments), key=lambda s: s.place)


@dataclass(frozen=True, slots=True)
class TimedWord:
    """What is known of the characters [first, last) of a stream; times are in seconds.

    ``start`` and ``end`` say when it was spoken. ``delay`` is how much of the source had been
    heard when it came out, ``elapsed`` the same with the time of computing. A format that times
    no single words has one of these for each of its lines.
    """

    first: int
    last: int
    start: float | None = None
    end: float | None = None
    delay: float | None = None
    elapsed: float | None = None
    speaker: str | None = None


@dataclass(frozen=True, slots=True)
class Stream:
    """A hypothesis as one text, spacing as it was given.

    ``breaks`` are the characters at which the file itself ended a line or a segment, without the
    end of the text. ``words`` are in the order of the text and do not overlap.
    """

    id: str | None
    text: str
    breaks: tuple[int, ...] = ()
    words: tuple[TimedWord, ...] = ()

    def inside(self, start: int, end: int) -> tuple[TimedWord, ...]:
        """Return the timed words that have a character in [start, end)."""
        if start >= end:
            return ()
        first = bisect_right(self.words, start, key=lambda word: word.last)
        last = bisect_left(self.words, end, key=lambda word: word.first)
        return self.words[first:last]

    def trimmed(self, start: int, end: int) -> tuple[int, int]:
        """Return [start, end) without the spaces at its ends, so that text[start:end] is a piece.

        A no-break space is a space here, as it is for tokenizers.
        """
        inner = self.text[start:end]
        left = start + len(inner) - len(inner.lstrip())
        return left, max(left, start + len(inner.rstrip()))


@dataclass(frozen=True)
class StreamSet:
    """The streams of one system, and what a reader should know about how they were read."""

    streams: tuple[Stream, ...]
    name: str = "the hypothesis"
    notes: tuple[str, ...] = ()
    sources: tuple[Source, ...] = field(default=(), compare=False)  # the file, if there is one

    def __len__(self) -> int:
        return len(self.streams)

    def __iter__(self) -> Iterator[Stream]:
        return iter(self.streams)
