"""Documents with their streams, and the pieces that re-segmentation makes of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from fencepost.model.checks import FencepostError
from fencepost.model.documents import (
    ReferenceDocument,
    ReferenceSet,
    Segment,
    Stream,
    StreamSet,
    TimedWord,
)
from fencepost.options import Missing, complaints
from fencepost.wording import listed, plural


class StreamError(FencepostError):
    """References and streams of words that do not belong together, or cannot be compared."""


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


class Pair(NamedTuple):
    """A document of the references and the stream that belongs to it."""

    document: ReferenceDocument
    stream: Stream


def pair(references: ReferenceSet, streams: StreamSet, missing: Missing = "error") -> list[Pair]:
    """Return each document with its stream, in the order of the references.

    Documents go by id, in any order. ``talks/ted_1.wav`` and ``ted_1`` are the same id if no other
    one on their side is. Streams without ids go by their order, if there are as many as documents;
    one document and one stream belong together if either has no id.

    ``missing`` is for documents that one side lacks: ``"error"`` refuses them, ``"skip"`` ignores
    them (:func:`skip_unshared` names them), and ``"whole"`` counts a document without a stream
    as an empty hypothesis, since some formats cannot say that nothing was said.

    >>> one = ReferenceSet((ReferenceDocument("a", ()), ReferenceDocument("b", ())))
    >>> two = StreamSet((Stream("b.wav", "yes"), Stream("a.wav", "no")))
    >>> [(p.document.id, p.stream.text) for p in pair(one, two)]
    [('a', 'no'), ('b', 'yes')]
    """
    for wrong in complaints("resegment", {"missing": missing}):
        raise StreamError(wrong)
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
        return _by_order(references, streams, missing)
    if any(stream.id is None for stream in streams):
        raise StreamError(f"{streams.name}: some documents have an id and some have none")
    return _by_id(references, streams, missing)


class Shared(NamedTuple):
    """References and streams of the same documents, and notes about the others."""

    references: ReferenceSet
    systems: dict[str, StreamSet]
    notes: list[str]


def skip_unshared(references: ReferenceSet, systems: Mapping[str, StreamSet]) -> Shared:
    """Return references and systems without the documents that some of them lack.

    Systems are compared on the same documents, so one that lacks a document removes it for all.
    """
    met = {name: pair(references, streams, "skip") for name, streams in systems.items()}
    notes = [
        note
        for name, streams in systems.items()
        for note in _skipped(references, streams, met[name])
    ]
    found = [{one.document.id for one in pairs} for pairs in met.values()]
    kept = tuple(one for one in references if all(one.id in ids for ids in found))
    if not kept:
        raise StreamError(f"no document of {references.name} is in every hypothesis")
    left = {one.id for one in kept}
    shared = {
        name: replace(
            systems[name],
            # They may have been paired by order, so they take the ids of their documents.
            streams=tuple(replace(s, id=d.id) for d, s in pairs if d.id in left),
        )
        for name, pairs in met.items()
    }
    return Shared(replace(references, documents=kept), shared, notes)


def counted_as_empty(references: ReferenceSet, streams: StreamSet) -> list[str]:
    """Return a note on the documents that a system lacks, if any: they count as empty."""
    known = set(streams)
    lacking = [
        one.document.id for one in pair(references, streams, "whole") if one.stream not in known
    ]
    if not lacking:
        return []
    count = f"{len(lacking)} of {plural(len(references), 'document')}"
    return [f"{count} counted as empty, since {streams.name} lacks them{_named(lacking)}"]


def _skipped(references: ReferenceSet, streams: StreamSet, pairs: Sequence[Pair]) -> list[str]:
    documents = {one.document.id for one in pairs}
    paired = {one.stream.id for one in pairs}
    lacking = [one.id for one in references if one.id not in documents]
    extra = [one.id for one in streams if one.id not in paired]
    notes = []
    if lacking:
        count = f"{len(lacking)} of {plural(len(references), 'document')}"
        notes.append(f"skipped {count} that {streams.name} lacks{_named(lacking)}")
    if extra:
        count = f"{plural(len(extra), 'document')} of {streams.name}"
        notes.append(f"skipped {count} that {references.name} lacks{_named(extra)}")
    return notes


def _by_order(references: ReferenceSet, streams: StreamSet, missing: Missing) -> list[Pair]:
    nothing = len(streams) == 1 and not streams.streams[0].text.strip()
    if nothing and missing == "whole":  # an empty file names no documents
        return [Pair(document, Stream(document.id, "")) for document in references]
    if nothing:
        raise StreamError(
            f"{streams.name} has no words for the {len(references)} documents of {references.name}"
            f"{_named([d.id for d in references])}. Count them as empty with --missing whole"
        )
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


def _by_id(references: ReferenceSet, streams: StreamSet, missing: Missing) -> list[Pair]:
    best: list[Pair] = []
    for spelling in _SPELLINGS:
        ours = {spelling(document.id or ""): document for document in references}
        theirs = {spelling(stream.id or ""): stream for stream in streams}
        if len(ours) < len(references) or len(theirs) < len(streams):
            continue  # two ids would become one
        shared = ours.keys() & theirs.keys()
        found = [Pair(ours[key], theirs[key]) for key in ours if key in shared]
        if missing == "whole" and len(shared) == len(theirs):
            return [
                Pair(document, theirs.get(key) or Stream(document.id, ""))
                for key, document in ours.items()
            ]
        if len(shared) == len(ours) == len(theirs):
            return found
        best = max(best, found, key=len)  # of equals the first: the strictest spelling
    if missing == "skip" and best:
        return best
    raise StreamError(_unmatched(references, streams, missing))


def _unmatched(references: ReferenceSet, streams: StreamSet, missing: Missing) -> str:
    """Name the ids that one side lacks, in their most lenient spelling that is unique."""
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
    if missing == "skip" or len(lacking) == len(references):
        way_out = "Ids must be the same on both sides"  # nothing would be left
    elif extra:
        way_out = "Ids must be the same on both sides, or ignore these with --missing skip"
    else:
        way_out = "Skip them with --missing skip, or count them as empty with --missing whole"
    return f"{streams.name} {' and '.join(parts)}. {way_out}"


def _named(ids: Sequence[str | None]) -> str:
    names = [name for name in ids if name is not None]
    if not names:
        return ""
    return f" ({listed(names, 5)})"
