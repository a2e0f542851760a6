"""References and streams of words from files: the formats, and how documents are put together."""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import Any, Literal, TypeAlias

from fencepost.compression import unpack, unpacked
from fencepost.streams.documents import (
    ReferenceDocument,
    ReferenceSet,
    Segment,
    Stream,
    StreamError,
    StreamSet,
)
from fencepost.streams.fields import (
    File,
    Row,
    as_segment,
    as_text,
    decode,
    group,
    in_time,
    is_blank,
    join,
    parse_json,
    short,
    split_lines,
)
from fencepost.streams.mteval import read_set_hypothesis, read_set_references
from fencepost.streams.simultaneous import read_simuleval, read_simulstream
from fencepost.streams.transcripts import (
    read_ctm,
    read_seglst,
    read_segments,
    read_stm,
    read_stm_references,
    read_tsv,
)

PathLike: TypeAlias = str | os.PathLike[str]
Ids: TypeAlias = PathLike | Sequence[str]  # a file, or a list with an id for each line
Lines = Literal["breaks", "documents"]


@dataclass(frozen=True)
class StreamFormat:
    """A family of files that hold references, streams, or both."""

    name: str
    endings: tuple[str, ...]
    help: str
    references: Callable[[File], list[Row]] | None = None
    rows: Callable[[File], list[Row]] | None = None  # of a hypothesis
    streams: Callable[[File], list[Stream]] | None = None  # of one that is whole already
    glue: Callable[[Sequence[Row]], str] = lambda rows: "\n"


def _read_lines(file: File) -> list[Row]:
    return [Row((line,), number) for number, line in enumerate(file.lines(), start=1)]


def _glue_of_tables(rows: Sequence[Row]) -> str:
    """A table with a word a row has no breaks of its own."""
    return " " if all(len(row.text.split()) <= 1 for row in rows) else "\n"


STREAM_FORMATS: Mapping[str, StreamFormat] = {
    one.name: one
    for one in (
        StreamFormat("text", (".txt",), "one segment a line", _read_lines, _read_lines),
        StreamFormat(
            "stm",
            (".stm",),
            "file channel speaker start end [<label>] text",
            read_stm_references,
            read_stm,
        ),
        StreamFormat(
            "ctm",
            (".ctm",),
            "file channel start duration word [confidence]",
            rows=read_ctm,
            glue=lambda rows: " ",
        ),
        StreamFormat(
            "seglst",
            (),
            "JSON: session_id, speaker, start_time, end_time, words",
            read_seglst,
            read_seglst,
        ),
        StreamFormat(
            "tsv",
            (".tsv",),
            "a table with a header: text, and document, start, end, speaker if known",
            read_tsv,
            read_tsv,
            glue=_glue_of_tables,
        ),
        StreamFormat(
            "simuleval",
            (),
            "JSON lines: prediction, delays, elapsed, source",
            streams=read_simuleval,
        ),
        StreamFormat(
            "simulstream",
            (),
            "JSON lines: generated_tokens, deleted_tokens, total_audio_processed",
            streams=read_simulstream,
        ),
        StreamFormat(
            "set",
            (".sgm", ".sgml", ".xml"),
            "mteval's SGML or XML and WMT's XML: sets of documents with <seg>",
            read_set_references,
            read_set_hypothesis,
        ),
    )
}


# References.


def read_references(
    paths: PathLike | Sequence[PathLike],
    *,
    format: str | None = None,
    docids: Ids | None = None,
    segments: PathLike | None = None,
    source: PathLike | None = None,
) -> ReferenceSet:
    """Read the references of a test set: one file, or several side by side.

    What is empty in some files is no reference there; what is empty in all is an empty segment.
    ``docids`` gives the document of each line, ``segments`` the recording and the times of each
    line (IWSLT's YAML), ``source`` the sentence that was translated. Segments of a document that
    have times go in their order.
    """
    files = [_open(path) for path in _as_paths(paths)]
    parts = [_reference_rows(file, format) for file in files]
    rows = _side_by_side(parts, files)
    name = ", ".join(file.name for file in files)
    if docids is not None and segments is not None:
        raise StreamError("documents come from docids or from segments; give one of them")
    if docids is not None:
        rows = _with_ids(rows, docids, name)
    if segments is not None:
        rows = _with_segments(rows, _open(segments), name)
    if source is not None:
        rows = _with_sources(rows, _open(source), name)
    notes = [note for file in files for note in file.notes]
    return _as_references(rows, name, notes)


def _as_paths(paths: PathLike | Sequence[PathLike]) -> list[PathLike]:
    given = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    if not given:
        raise StreamError("no reference was given; re-segmentation needs at least one file")
    return given


def _open(path: PathLike) -> File:
    if not isinstance(path, (str, os.PathLike)):
        raise StreamError(f"a file is given by its path, found {short(path)}")
    if not os.fspath(path) or "\0" in os.fspath(path):
        raise StreamError(f"no file can have the name {short(os.fspath(path))}")
    place = Path(path)
    if os.fspath(path) == "-":
        return File("stdin", decode(unpack(sys.stdin.buffer.read(), "stdin"), "stdin"))
    try:
        data = place.read_bytes()
    except OSError as error:
        raise StreamError(f"{path} cannot be read: {error.strerror}") from None
    return File(unpacked(place.name), decode(unpack(data, place.name), place.name))


def _reference_rows(file: File, format: str | None) -> list[Row]:
    chosen = _choose(file, format)
    if chosen.references is None:
        able = ", ".join(one.name for one in STREAM_FORMATS.values() if one.references)
        raise StreamError(
            f"{file.name}: {chosen.name} has no segments, so it cannot be a reference; {able} can"
        )
    rows = chosen.references(file) if file.text else []
    if not rows:
        raise StreamError(f"{file.name} is empty: it has no segments")
    return rows


def _side_by_side(parts: Sequence[Sequence[Row]], files: Sequence[File]) -> list[Row]:
    """The rows of several files as one: by document and segment id, or by their order."""
    if len(parts) == 1:
        return list(parts[0])
    keyed = all(row.id is not None for rows in parts for row in rows)
    if not keyed:
        _check_lengths(parts, files)
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
        _check_same(rows, files)
        found.append(replace(first, texts=tuple(texts)))
    return found


def _check_lengths(parts: Sequence[Sequence[Row]], files: Sequence[File]) -> None:
    for rows, file in zip(parts[1:], files[1:], strict=True):
        if len(rows) == len(parts[0]):
            continue
        short_one, long_one = sorted((0, files.index(file)), key=lambda i: len(parts[i]))
        extra = parts[long_one][len(parts[short_one])]
        raise StreamError(
            f"{files[0].name} has {len(parts[0])} segments, {file.name} {len(rows)}; "
            f'{files[long_one].at(extra.line)}: "{extra.text.strip():.40}" is the first without a '
            "partner. References stand side by side, an empty line where one has nothing."
        )


def _check_same(rows: Sequence[Row | None], files: Sequence[File]) -> None:
    """Segments beside each other are the same segment if what is known of them agrees."""
    known = [(row, file) for row, file in zip(rows, files, strict=True) if row is not None]
    (first, one), others = known[0], known[1:]
    for row, file in others:
        for what in ("document", "start", "end"):
            ours, theirs = getattr(first, what), getattr(row, what)
            if ours is not None and theirs is not None and ours != theirs:
                raise StreamError(
                    f"{one.at(first.line)} and {file.at(row.line)} stand side by side, but their "
                    f"{what} differs: {ours} and {theirs}"
                )


def _with_ids(rows: Sequence[Row], ids: Ids, name: str) -> list[Row]:
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
    """One id a line; the ``docid=0,segid=3`` of OmniSTEval is understood."""
    if isinstance(ids, (str, os.PathLike)):
        file = _open(ids)
        given, where = file.lines(), file.name
    else:
        given, where = list(ids), "the list of ids"
    names = []
    for number, line in enumerate(given, start=1):
        name = as_text(line, f"{where}, line {number}", "an id").strip()
        if not name:
            raise StreamError(f"{where}, line {number}: an id is missing")
        names.append(name)
    known = [_OMNISTEVAL.fullmatch(name) for name in names]
    if all(known):
        names = [found[1] for found in known if found]
    return names, where


def _refuse_own_documents(rows: Sequence[Row], name: str, where: str) -> None:
    if any(row.document is not None for row in rows):
        raise StreamError(
            f"{name} names its documents itself; {where} is for plain text, so leave it out"
        )


def _with_segments(rows: Sequence[Row], file: File, name: str) -> list[Row]:
    _refuse_own_documents(rows, name, file.name)
    times = read_segments(file)
    if len(times) != len(rows):
        raise StreamError(
            f"{file.name} has {len(times)} segments, {name} {len(rows)} lines: there must be one "
            "for each line"
        )
    return [
        replace(time, texts=row.texts, line=row.line, id=row.id, source=row.source)
        for row, time in zip(rows, times, strict=True)
    ]


def _with_sources(rows: Sequence[Row], file: File, name: str) -> list[Row]:
    lines = file.lines()
    if len(lines) != len(rows):
        raise StreamError(
            f"{file.name} has {len(lines)} lines, {name} {len(rows)} segments: there must be one "
            "source for each segment"
        )
    return [replace(row, source=line) for row, line in zip(rows, lines, strict=True)]


def _as_references(rows: Sequence[Row], name: str, notes: list[str]) -> ReferenceSet:
    size = max(len(row.texts) for row in rows)
    # Every segment has room for every reference.
    padded = [replace(row, texts=row.texts + (None,) * (size - len(row.texts))) for row in rows]
    unnamed = sum(row.document is None for row in padded)
    if 0 < unnamed < len(padded):
        raise StreamError(f"{name}: {unnamed} of {len(padded)} segments have no document")
    places = {id(row): place for place, row in enumerate(padded)}
    documents = []
    moved = 0
    for document, own in group(padded, lambda row: row.document).items():
        ordered = in_time(own)
        moved += sum(a is not b for a, b in zip(own, ordered, strict=True))
        segments = tuple(as_segment(row, places[id(row)]) for row in ordered)
        documents.append(ReferenceDocument(document, segments, own[0].recording))
    if moved:
        notes.append(f"{name}: {moved} segments were put into the order of their times")
    notes += _counts([s for one in documents for s in one.segments])
    return ReferenceSet(tuple(documents), name, tuple(notes))


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
) -> StreamSet:
    """Read the hypothesis of one system.

    Lines of plain text are breaks in one document, or a document each (``lines``); ``docids`` gives
    the document of each line. If neither is said, they are documents where the references have
    several. ``tokens`` says how tokens of a simulstream log make a text (spm, bytes, words,
    pieces), ``system`` which system of a set to read.
    """
    file = replace(_open(path), tokens=tokens, system=system)
    chosen = _choose(file, format)
    if lines not in (None, "breaks", "documents"):
        raise StreamError(f"lines are breaks or documents, found {short(lines)}")
    if docids is not None and lines is not None:
        raise StreamError("the document of each line comes from docids or from lines; give one")
    if is_blank(file.text):
        file.notes.append(f"{file.name} is empty: 0 words")
    if chosen.streams is not None:
        streams = chosen.streams(file)
        _refuse_lines(docids, lines, file, chosen)
    elif chosen.rows is not None:
        rows = chosen.rows(file) if file.text else []
        if chosen.name == "text":
            streams = _from_lines(rows, file, docids, lines, references)
        else:
            _refuse_lines(docids, lines, file, chosen)
            streams = _from_rows(rows, file, chosen)
    else:
        raise StreamError(f"{file.name}: {chosen.name} cannot be a hypothesis")
    return StreamSet(tuple(streams) or (Stream(None, ""),), file.name, tuple(file.notes))


def _refuse_lines(ids: Ids | None, lines: str | None, file: File, chosen: StreamFormat) -> None:
    if ids is not None or lines is not None:
        raise StreamError(
            f"{file.name} is {chosen.name} and names its documents itself; docids and lines are "
            "for plain text"
        )


def _from_lines(
    rows: Sequence[Row],
    file: File,
    ids: Ids | None,
    lines: Lines | None,
    references: ReferenceSet | None,
) -> list[Stream]:
    if ids is not None:
        named = _with_ids(rows, ids, file.name)
        return [join(own, name, "\n") for name, own in group(named, lambda r: r.document).items()]
    if lines == "documents" or (lines is None and references is not None and len(references) > 1):
        if references is not None and len(rows) != len(references):
            raise StreamError(
                f"{file.name} has {len(rows)} lines, {references.name} {len(references)} "
                "documents. Without ids there must be one line for each document, in their order; "
                "or give the id of each line (--hyp-docids FILE)."
            )
        if lines is None:
            file.notes.append(
                f"each line of {file.name} was taken as a document, in the order of the references"
            )
        return [Stream(None, row.text) for row in rows]
    return [join(rows, None, "\n")]


def _from_rows(rows: Sequence[Row], file: File, chosen: StreamFormat) -> list[Stream]:
    unnamed = sum(row.document is None for row in rows)
    if 0 < unnamed < len(rows):
        raise StreamError(f"{file.name}: {unnamed} of {len(rows)} segments have no document")
    streams = []
    moved = 0
    glue = chosen.glue(rows)
    for document, own in group(rows, lambda row: row.document).items():
        ordered = in_time(own)
        moved += sum(a is not b for a, b in zip(own, ordered, strict=True))
        streams.append(join(ordered, document, glue))
    if moved:
        file.notes.append(f"{file.name}: {moved} lines were put into the order of their times")
    return streams


# Which format.


def find_stream_format(name: str) -> StreamFormat:
    """The format of this name."""
    if name not in STREAM_FORMATS:
        raise StreamError(f"no format {name!r} of streams; there are {', '.join(STREAM_FORMATS)}")
    return STREAM_FORMATS[name]


def _choose(file: File, format: str | None) -> StreamFormat:
    if format is not None:
        return find_stream_format(format)
    ending = Path(file.name).suffix.lower()
    for one in STREAM_FORMATS.values():
        if ending in one.endings:
            return one
    if ending in (".json", ".jsonl", ".ndjson", ".log"):
        return _choose_json(file, ending)
    if ending in (".yaml", ".yml"):
        raise StreamError(
            f"{file.name} has times but no texts; it goes with the references: --segments "
            f"{file.name}"
        )
    if ending == ".csv":
        raise StreamError(f"{file.name}: tables are read with tabs between their cells (.tsv)")
    # Any other ending (.de, .hyp) is plain text, whatever it looks like, but for what nobody says.
    if re.match(r"\s*(<\?xml|<!DOCTYPE|<(ref|tst|src)set\b|<mteval\b|<dataset\b)", file.text):
        return STREAM_FORMATS["set"]
    return STREAM_FORMATS["text"]


# Fields by which JSON is known, the surest first.
_FIELDS = (
    ("generated_tokens", "simulstream"),
    ("metadata", "simulstream"),
    ("model_loading_time", "simulstream"),
    ("prediction", "simuleval"),
    ("words", "seglst"),
)


def _choose_json(file: File, ending: str) -> StreamFormat:
    keys = _first_keys(file)
    if keys is None:
        if ending == ".log" or is_blank(file.text):
            return STREAM_FORMATS["text"]
        return STREAM_FORMATS["seglst"]  # which says what is wrong
    for key, name in _FIELDS:
        if key in keys:
            return STREAM_FORMATS[name]
    known = {name: key for key, name in reversed(_FIELDS)}
    raise StreamError(
        f"{file.name}: JSON with {', '.join(sorted(keys)) or 'no fields'} is no format that is "
        f"known here: {', '.join(f'{name} has {key}' for name, key in reversed(known.items()))}"
    )


def _first_keys(file: File) -> set[str] | None:
    """The fields of the first JSON object, if the file begins with one."""
    found = re.match(r"\s*(\[)?\s*\{", file.text)
    if not found:
        return None
    if found[1]:
        value: Any = parse_json(file.text, file.name)
        value = value[0] if isinstance(value, list) and value else None
    else:
        line = next(line for line in split_lines(file.text) if line.strip())
        value = parse_json(line, f"{file.name}, line 1")
    return set(map(str, value)) if isinstance(value, dict) else None


def describe(references: ReferenceSet) -> str:
    """What was read, in a few words: ``2 documents, 10 segments, 1 to 2 references``.

    >>> one = ReferenceDocument(None, (Segment(("a", "b")), Segment(("c", None))))
    >>> describe(ReferenceSet((one,)))
    '1 document, 2 segments, 1 to 2 references'
    """
    segments = references.segments
    sizes = Counter(sum(text is not None for text in segment.references) for segment in segments)
    least, most = min(sizes, default=0), max(sizes, default=0)
    counted = f"{least} to {most}" if least != most else str(most)
    return (
        f"{len(references)} document{'s'[: len(references) != 1]}, "
        f"{len(segments)} segment{'s'[: len(segments) != 1]}, "
        f"{counted} reference{'s'[: most != 1]}"
    )
