"""References and streams of words from files: how documents are put together."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Literal, TypeAlias

from fencepost.formats import FORMATS, WordsFile, open_words
from fencepost.formats.fields import as_text
from fencepost.formats.files import read_decoded
from fencepost.formats.options import FormatError, Reading, split_lines
from fencepost.formats.segment_rows import (
    check_documents,
    count_moved,
    join_rows,
    rows_by_document,
    rows_in_time,
)
from fencepost.formats.speech_segments import read_speech_segments
from fencepost.model.documents import (
    ReferenceDocument,
    ReferenceSet,
    Segment,
    SegmentRow,
    SegmentRows,
    Stream,
    StreamSet,
)
from fencepost.model.source import Source
from fencepost.options import UNPACK_LIMIT, find_option
from fencepost.streams.documents import StreamError
from fencepost.wording import plural

PathLike: TypeAlias = str | os.PathLike[str]
Ids: TypeAlias = PathLike | Sequence[str]  # a file, or a list with an id for each line
Lines = Literal["breaks", "documents"]


# References.


def read_references(
    paths: PathLike | Sequence[PathLike],
    *,
    format: str | None = None,
    docids: Ids | None = None,
    segments: PathLike | None = None,
    source: PathLike | None = None,
    unpack_limit: int = UNPACK_LIMIT,
) -> ReferenceSet:
    """Read the references of a test set: one file, or several side by side.

    What is empty in some files is no reference there; what is empty in all is an empty segment.
    ``docids`` gives the document of each line, ``segments`` the recording and the times of each
    line (IWSLT's YAML), ``source`` the sentence that was translated. Segments of a document that
    have times go in their order.
    """
    files = [open_words(path, "references", format, unpack_limit=unpack_limit)
             for path in _as_paths(paths)]  # fmt: skip
    parts = [_reference_rows(file) for file in files]
    rows = _side_by_side([part.rows for part in parts], files)
    name = ", ".join(file.name for file in files)
    if docids is not None and segments is not None:
        raise StreamError("documents come from docids or from segments; give one of them")
    if docids is not None:
        rows = _with_ids(rows, docids, name)
    if segments is not None:
        rows = _with_segments(rows, segments, name)
    if source is not None:
        rows = _with_sources(rows, source, name)
    notes = [note for part in parts for note in part.notes]
    found = _as_references(rows, name, notes)
    return replace(found, sources=tuple(_source(file) for file in files))


def _source(file: WordsFile, shape: str = "") -> Source:
    """Return what a line says of a file of words: its format, unless ``shape`` says more."""
    said = shape or file.format.help
    return Source(file.name, file.name, file.format.name, naming="file", shape=said)


def _as_paths(paths: PathLike | Sequence[PathLike]) -> list[PathLike]:
    given = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    if not given:
        raise StreamError("no reference was given; re-segmentation needs at least one file")
    return given


def _reference_rows(file: WordsFile) -> SegmentRows:
    found = file.references()
    if not found.rows:
        raise FormatError(f"{file.name} is empty: it has no segments")
    return found


def _side_by_side(
    parts: Sequence[Sequence[SegmentRow]], files: Sequence[WordsFile]
) -> list[SegmentRow]:
    """Return the rows of several files as one: by document and segment id, or by their order."""
    if len(parts) == 1:
        return list(parts[0])
    readings = [file.reading for file in files]
    keyed = all(row.id is not None for rows in parts for row in rows)
    if not keyed:
        _check_lengths(parts, readings)
    width = [max(len(row.texts) for row in rows) for rows in parts]
    tables = [
        {(row.document, row.id) if keyed else place: row for place, row in enumerate(rows)}
        for rows in parts
    ]
    keys = dict.fromkeys(key for table in tables for key in table)
    found = []
    for key in keys:
        rows = [table.get(key) for table in tables]
        first = next(row for row in rows if row is not None)
        texts = [
            text
            for row, size in zip(rows, width, strict=True)
            for _, text in zip_longest(range(size), row.texts if row else ())
        ]
        _check_same(rows, readings)
        found.append(replace(first, texts=tuple(texts)))
    return found


def _check_lengths(parts: Sequence[Sequence[SegmentRow]], readings: Sequence[Reading]) -> None:
    for number, rows in enumerate(parts):
        if len(rows) == len(parts[0]):
            continue
        short, long = sorted((0, number), key=lambda i: len(parts[i]))
        extra = parts[long][len(parts[short])]
        raise StreamError(
            f"{readings[0].name} has {len(parts[0])} segments, {readings[number].name} "
            f'{len(rows)}; {readings[long].at(extra.line)}: "{extra.text.strip():.40}" is the '
            "first without a partner. References stand side by side, an empty line where one has "
            "nothing."
        )


def _check_same(rows: Sequence[SegmentRow | None], readings: Sequence[Reading]) -> None:
    """Refuse segments beside each other whose document or times differ."""
    known = [(row, one) for row, one in zip(rows, readings, strict=True) if row is not None]
    (first, ours), others = known[0], known[1:]
    for row, theirs in others:
        for what in ("document", "start", "end"):
            one, other = getattr(first, what), getattr(row, what)
            if one is not None and other is not None and one != other:
                raise StreamError(
                    f"{ours.at(first.line)} and {theirs.at(row.line)} stand side by side, but "
                    f"their {what} differs: {one} and {other}"
                )


def _with_ids(rows: Sequence[SegmentRow], ids: Ids, name: str) -> list[SegmentRow]:
    names, where = _read_ids(ids)
    _refuse_own_documents(rows, name, where)
    if len(names) != len(rows):
        raise StreamError(
            f"{where} has {len(names)} lines, {name} {len(rows)}: each line needs the id of its "
            "document"
        )
    return [replace(row, document=one) for row, one in zip(rows, names, strict=True)]


_OMNISTEVAL = re.compile(r"docid=(.+),segid=\d+")


def _read_ids(ids: Ids) -> tuple[list[str], str]:
    """Read one id per line; the ``docid=0,segid=3`` of OmniSTEval is understood."""
    if isinstance(ids, (str, os.PathLike)):
        where, text = read_decoded(ids)
        given = split_lines(text)
    else:
        given, where = list(ids), "the list of ids"
    names = []
    for number, line in enumerate(given, start=1):
        name = as_text(line, f"{where}, line {number}", "an id").strip()
        if not name:
            raise FormatError(f"{where}, line {number}: an id is missing")
        names.append(name)
    known = [_OMNISTEVAL.fullmatch(name) for name in names]
    if all(known):
        names = [found[1] for found in known if found]
    return names, where


def _refuse_own_documents(rows: Sequence[SegmentRow], name: str, where: str) -> None:
    if any(row.document is not None for row in rows):
        raise StreamError(
            f"{name} names its documents itself; {where} is for plain text, so remove it"
        )


def _with_segments(rows: Sequence[SegmentRow], path: PathLike, name: str) -> list[SegmentRow]:
    own, text = read_decoded(path)
    _refuse_own_documents(rows, name, own)
    times = read_speech_segments(text, Reading(own))
    if len(times) != len(rows):
        raise StreamError(
            f"{own} has {len(times)} segments, {name} {len(rows)} lines: there must be "
            "one for each line"
        )
    return [
        replace(time, texts=row.texts, line=row.line, id=row.id, source=row.source)
        for row, time in zip(rows, times, strict=True)
    ]


def _with_sources(rows: Sequence[SegmentRow], path: PathLike, name: str) -> list[SegmentRow]:
    own, text = read_decoded(path)
    lines = split_lines(text)
    if len(lines) != len(rows):
        raise StreamError(
            f"{own} has {len(lines)} lines, {name} {len(rows)} segments: there must be "
            "one source for each segment"
        )
    return [replace(row, source=line) for row, line in zip(rows, lines, strict=True)]


def _as_references(rows: Sequence[SegmentRow], name: str, notes: list[str]) -> ReferenceSet:
    check_documents(rows, name)
    size = max(len(row.texts) for row in rows)
    # Every segment has room for every reference.
    padded = [replace(row, texts=row.texts + (None,) * (size - len(row.texts))) for row in rows]
    places = {id(row): place for place, row in enumerate(padded)}
    documents = []
    moved = 0
    for document, own in rows_by_document(padded).items():
        ordered = rows_in_time(own)
        moved += count_moved(own, ordered)
        segments = tuple(_as_segment(row, places[id(row)]) for row in ordered)
        documents.append(ReferenceDocument(document, segments, own[0].recording))
    if moved:
        notes.append(f"{name}: {moved} segments were put into the order of their times")
    notes += _counts([s for one in documents for s in one.segments])
    return ReferenceSet(tuple(documents), name, tuple(notes))


def _as_segment(row: SegmentRow, place: int) -> Segment:
    """Return a segment of the references; what is empty in all of them is an empty segment."""
    texts = [text if text and text.strip() else None for text in row.texts]
    empty = not any(texts)
    return Segment(
        tuple("" if empty else text for text in texts),
        row.id,
        row.start,
        row.end,
        row.speaker,
        row.source,
        place,
    )


def _counts(segments: Sequence[Segment]) -> list[str]:
    lacking = sum(None in segment.references for segment in segments)
    empty = sum(all(text == "" for text in segment.references) for segment in segments)
    notes = []
    if lacking:
        notes.append(f"{lacking} of {len(segments)} segments lack some reference")
    if empty:
        notes.append(f"{empty} of {len(segments)} segments are empty in all references")
    return notes


# Streams.


def read_streams(
    path: PathLike,
    *,
    format: str | None = None,
    docids: Ids | None = None,
    lines: Lines | None = None,
    references: ReferenceSet | None = None,
    tokens: str | None = None,
    system: str | None = None,
    unpack_limit: int = UNPACK_LIMIT,
) -> StreamSet:
    """Read the hypothesis of one system.

    Lines of plain text are breaks in one document, or a document each (``lines``); ``docids`` gives
    the document of each line. If neither is given, they are documents where the references have
    several. ``tokens`` says how tokens of a simulstream log make a text (spm, bytes, words,
    pieces), ``system`` which system of a set to read; ``unpack_limit`` is the most that a
    compressed file may hold, in MB.
    """
    file = open_words(
        path, "streams", format, lines=lines, tokens=tokens, system=system,
        unpack_limit=unpack_limit,
    )  # fmt: skip
    name = file.name
    if docids is not None and lines is not None:
        raise StreamError("the document of each line comes from docids or from lines; give one")
    notes = [] if file.text.strip() else [f"{name} is empty: 0 words"]
    notes += [
        f"{find_option(option, 'read_streams').flag} does not apply to {name}, a file of the "
        f"format {file.format.name}"
        for option, given in (("tokens", tokens), ("system", system))
        if given is not None and option not in (file.format.takes or ())
    ]
    if file.format is not FORMATS["text"]:
        if docids is not None or lines is not None:
            raise StreamError(
                f"{name} is {file.format.name} and names its documents itself; docids and lines "
                "are for plain text"
            )
    elif docids is not None:
        rows = _with_ids(file.references().rows, docids, name)
        streams = [join_rows(own, id) for id, own in rows_by_document(rows).items()]
        source = _source(file, "plain text, documents by ids of lines")
        return _as_stream_set(streams, name, notes, source)
    elif lines is None and references is not None and len(references) > 1:
        file = file._replace(reading=file.reading.replace(lines="documents"))
        notes.append(f"each line of {name} was taken as a document, in the order of the references")
    if file.reading.lines == "documents" and references is not None:
        _check_line_count(file, references)
    found = file.streams()
    return _as_stream_set(found.streams, name, [*notes, *found.notes], _stream_source(file))


def _stream_source(file: WordsFile) -> Source:
    if file.format is not FORMATS["text"]:
        return _source(file)
    by_line = file.reading.lines == "documents"
    return _source(file, f"plain text, one {'document per line' if by_line else 'stream of words'}")


def _as_stream_set(
    streams: Sequence[Stream], name: str, notes: Sequence[str], source: Source
) -> StreamSet:
    return StreamSet(tuple(streams) or (Stream(None, ""),), name, tuple(notes), (source,))


def _check_line_count(file: WordsFile, references: ReferenceSet) -> None:
    lines = len(split_lines(file.text))
    if lines != len(references):
        raise StreamError(
            f"{file.name} has {plural(lines, 'line')}, {references.name} "
            f"{plural(len(references), 'document')}. Without ids there must be one line for each "
            "document, in their order; or give the id of each line (--hyp-docids FILE)."
        )


def describe(references: ReferenceSet) -> str:
    """What was read, in a few words: ``2 documents, 10 segments, 1 to 2 references``.

    >>> one = ReferenceDocument(None, (Segment(("a", "b")), Segment(("c", None))))
    >>> describe(ReferenceSet((one,)))
    '1 document, 2 segments, 1 to 2 references'
    """
    segments = references.segments
    sizes = Counter(sum(text is not None for text in segment.references) for segment in segments)
    least, most = min(sizes, default=0), max(sizes, default=0)
    several = plural(most, "reference")
    counted = f"{least} to {several}" if least != most else several
    return f"{plural(len(references), 'document')}, {plural(len(segments), 'segment')}, {counted}"
