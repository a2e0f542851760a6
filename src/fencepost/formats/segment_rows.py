"""From rows of segments or timed words to documents and streams."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from fencepost.formats.options import FormatError
from fencepost.model.documents import SegmentRow, SegmentRows, Stream, StreamSet, TimedWord
from fencepost.wording import plural


def rows_by_document(rows: Iterable[SegmentRow]) -> dict[str | None, list[SegmentRow]]:
    """Return the rows of each document, in the order in which documents come first."""
    found: dict[str | None, list[SegmentRow]] = {}
    for row in rows:
        found.setdefault(row.document, []).append(row)
    return found


def rows_in_time(rows: Sequence[SegmentRow]) -> list[SegmentRow]:
    """Return the rows in the order of speaking, if all of them have a time."""
    if any(row.start is None for row in rows):
        return list(rows)
    return sorted(rows, key=lambda row: row.start or 0.0)


def count_moved(rows: Sequence[SegmentRow], ordered: Sequence[SegmentRow]) -> int:
    """Count the rows that stand elsewhere after they were put in order."""
    return sum(a is not b for a, b in zip(rows, ordered, strict=True))


def check_documents(rows: Sequence[SegmentRow], name: str) -> None:
    """Raise FormatError where some rows name their document and others do not."""
    unnamed = sum(row.document is None for row in rows)
    if 0 < unnamed < len(rows):
        line = next(row.line for row in rows if row.document is None)
        raise FormatError(
            f"{name}: {unnamed} of {len(rows)} segments have no document (the first: line {line})"
        )


def name_channels(rows: Iterable[tuple[SegmentRow, str]]) -> tuple[SegmentRow, ...]:
    """Name documents: the recording, or recording/channel where a recording has several channels.

    Rows come with their channel.
    """
    given = list(rows)
    recordings = Counter(name for name, _ in {(row.recording, channel) for row, channel in given})
    return tuple(
        replace(
            row,
            document=f"{row.recording}/{channel}"
            if recordings[row.recording] > 1
            else row.recording,
        )
        for row, channel in given
    )


def rows_to_streams(found: SegmentRows, name: str, glue: str = "\n") -> StreamSet:
    """Return one stream per document, its rows in the order of time with ``glue`` between them.

    With a line end between them, the ends of rows are breaks.
    """
    check_documents(found.rows, name)
    streams = []
    moved = 0
    for document, rows in rows_by_document(found.rows).items():
        ordered = rows_in_time(rows)
        moved += count_moved(rows, ordered)
        streams.append(join_rows(ordered, document, glue))
    order = (f"{name}: {plural(moved, 'line')} were put into the order of their times",)
    return StreamSet(tuple(streams), notes=found.notes + (order if moved else ()))


def join_rows(rows: Sequence[SegmentRow], document: str | None, glue: str = "\n") -> Stream:
    """Return the rows of one document as one stream."""
    place = 0
    breaks: list[int] = []
    words: list[TimedWord] = []
    for number, row in enumerate(rows):
        end = place + len(row.text)
        if row.text:
            words.append(
                TimedWord(place, end, row.start, row.end, row.delay, row.elapsed, row.speaker)
            )
        if number + 1 < len(rows):  # an empty row is a segment too
            breaks.append(end)
        place = end + len(glue)
    known = any(
        value is not None
        for word in words
        for value in (word.start, word.delay, word.elapsed, word.speaker)
    )
    return Stream(
        document,
        glue.join(row.text for row in rows),
        tuple(breaks) if glue == "\n" else (),
        tuple(words) if known else (),
    )
