"""What is read before words are re-segmented and what comes out of it, as plain records."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from fencepost.model.checks import FencepostError
from fencepost.wording import listed, plural


class StreamError(FencepostError):
    """References or a stream of words that cannot be read or do not belong together."""


@dataclass(frozen=True, slots=True)
class Segment:
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
        """The timed words that have a character in [start, end)."""
        if start >= end:
            return ()
        first = bisect_right(self.words, start, key=lambda word: word.last)
        last = bisect_left(self.words, end, key=lambda word: word.first)
        return self.words[first:last]

    def trimmed(self, start: int, end: int) -> tuple[int, int]:
        """[start, end) without the spaces at its ends, so that text[start:end] is a piece."""
        inner = self.text[start:end]
        left = start + len(inner) - len(inner.lstrip())
        return left, max(left, start + len(inner.rstrip()))


@dataclass(frozen=True, slots=True)
class Piece:
    """The words of a stream that belong to one segment of the references.

    ``text`` is characters [start, end) of the stream, tokens [first_token, last_token) of it.
    ``number`` counts the segments of the document and ``chosen`` the references, both from 1.
    """

    document: str | None
    number: int
    segment: Segment
    text: str
    start: int
    end: int
    first_token: int
    last_token: int
    chosen: int
    reference: str
    substitutions: int
    insertions: int
    deletions: int
    words: tuple[TimedWord, ...] = ()

    def __post_init__(self) -> None:
        if len(self.text) != self.end - self.start:
            raise StreamError(
                f"segment {self.number}: the text of a piece is what stands at its characters, "
                f"found {len(self.text)} of them for [{self.start}, {self.end})"
            )

    @property
    def edits(self) -> int:
        """All errors of the segment."""
        return self.substitutions + self.insertions + self.deletions


@dataclass(frozen=True)
class ReferenceSet:
    """The documents of the references, and what a reader should know about how they were read."""

    documents: tuple[ReferenceDocument, ...]
    name: str = "the references"
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.documents)

    def __iter__(self) -> Iterator[ReferenceDocument]:
        return iter(self.documents)

    @property
    def segments(self) -> list[Segment]:
        """All segments in the order of the files."""
        return sorted((s for one in self.documents for s in one.segments), key=lambda s: s.place)

    @property
    def references(self) -> int:
        """The largest number of references that a segment has room for."""
        return max((len(segment.references) for segment in self.segments), default=0)


@dataclass(frozen=True)
class StreamSet:
    """The streams of one system, and what a reader should know about how they were read."""

    streams: tuple[Stream, ...]
    name: str = "the hypothesis"
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.streams)

    def __iter__(self) -> Iterator[Stream]:
        return iter(self.streams)


class Pair(NamedTuple):
    """A document of the references and the stream that belongs to it."""

    document: ReferenceDocument
    stream: Stream


Unpaired = Literal["refuse", "empty"]


def pair(references: ReferenceSet, streams: StreamSet, missing: Unpaired = "refuse") -> list[Pair]:
    """Each document with its stream, in the order of the references.

    Documents go by id, in any order. ``talks/ted_1.wav`` and ``ted_1`` are the same id if no other
    one on their side is. Streams without ids go by their order, if there are as many as documents;
    one document and one stream belong together if either has no id. With ``missing="empty"`` a
    document that no stream has gets an empty one: some formats cannot say that nothing was said.

    >>> one = ReferenceSet((ReferenceDocument("a", ()), ReferenceDocument("b", ())))
    >>> two = StreamSet((Stream("b.wav", "yes"), Stream("a.wav", "no")))
    >>> [(p.document.id, p.stream.text) for p in pair(one, two)]
    [('a', 'no'), ('b', 'yes')]
    """
    if missing not in ("refuse", "empty"):
        raise StreamError(f"missing documents are refuse or empty, found {missing!r}")
    documents = references.documents
    by_order = all(stream.id is None for stream in streams)
    alone = len(documents) == len(streams) == 1
    if alone and (by_order or documents[0].id is None):
        return [Pair(documents[0], streams.streams[0])]
    if any(document.id is None for document in documents):
        raise StreamError(
            f"{references.name} does not say which segments belong to which document, and "
            f"{streams.name} has {plural(len(streams), 'document')}"
            f"{_named([s.id for s in streams])}. Say it with --docids or --segments."
        )
    if by_order:
        return _by_order(references, streams)
    if any(stream.id is None for stream in streams):
        raise StreamError(f"{streams.name}: some documents have an id and some have none")
    return _by_id(references, streams, missing)


def _by_order(references: ReferenceSet, streams: StreamSet) -> list[Pair]:
    if len(references) != len(streams):
        raise StreamError(
            f"{streams.name} has {plural(len(streams), 'stream')} without ids, {references.name} "
            f"has {plural(len(references), 'document')}{_named([d.id for d in references])}. "
            "Without ids there must be one for each document, in their order."
        )
    return [Pair(d, s) for d, s in zip(references, streams, strict=True)]


_AUDIO = re.compile(r"\.(wav|flac|mp3|m4a|ogg|opus|sph|aac|mp4|webm)$", re.IGNORECASE)


def _last_name(name: str) -> str:
    return re.split(r"[/\\]", name)[-1]


# The same recording, as more and more tools write it.
_SPELLINGS: tuple[Callable[[str], str], ...] = (
    str,
    _last_name,
    lambda name: _AUDIO.sub("", _last_name(name)),
)


def _by_id(references: ReferenceSet, streams: StreamSet, missing: Unpaired) -> list[Pair]:
    for spelling in _SPELLINGS:
        ours = {spelling(document.id or ""): document for document in references}
        theirs = {spelling(stream.id or ""): stream for stream in streams}
        unique = len(ours) == len(references) and len(theirs) == len(streams)
        complete = missing == "empty" or ours.keys() <= theirs.keys()
        if unique and complete and theirs.keys() <= ours.keys():
            return [
                Pair(document, theirs.get(key) or Stream(document.id, ""))
                for key, document in ours.items()
            ]
    raise StreamError(_unmatched(references, streams))


def _unmatched(references: ReferenceSet, streams: StreamSet) -> str:
    """The ids that stand on one side only, in their most lenient spelling that is unique."""
    spelling = _SPELLINGS[0]
    for one in _SPELLINGS:
        if all(
            len({one(each.id or "") for each in side}) == len(side)
            for side in (references, streams)
        ):
            spelling = one
    ours = {spelling(document.id or "") for document in references}
    theirs = {spelling(stream.id or "") for stream in streams}
    lacking = [d.id for d in references if spelling(d.id or "") not in theirs]
    extra = [s.id for s in streams if spelling(s.id or "") not in ours]
    parts = []
    if lacking:
        parts.append(
            f"lacks {len(lacking)} of the {plural(len(references), 'document')} of "
            f"{references.name}{_named(lacking)}"
        )
    if extra:
        parts.append(
            f"has {plural(len(extra), 'document')} that {references.name} lacks{_named(extra)}"
        )
    if not parts:
        return f"{references.name} or {streams.name} has an id twice"
    way_out = (
        "If the system said nothing there, count it as empty with --missing empty."
        if not extra
        else "Ids must be the same on both sides."
    )
    return f"{streams.name} {' and '.join(parts)}. {way_out}"


def _named(ids: Sequence[str | None]) -> str:
    names = [name for name in ids if name is not None]
    if not names:
        return ""
    return f" ({listed(names, 5)})"
