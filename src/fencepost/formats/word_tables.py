"""Tables of words or segments with named columns: text, and document, times, speaker if known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fencepost.formats.fields import as_number, as_span, filled_lines
from fencepost.formats.options import FormatError, Reading
from fencepost.formats.registry import ending_of

if TYPE_CHECKING:  # a score of sizes in a table needs no documents
    from fencepost.model.documents import SegmentRow, SegmentRows, StreamSet

COLUMNS = {
    "text": ("text", "words", "word", "transcript", "transcription", "sentence", "reference",
             "hypothesis", "prediction"),
    "document": ("document", "doc", "doc_id", "docid", "session", "session_id", "recording", "wav",
                 "audio", "file"),
    "id": ("id", "segment", "segment_id", "utterance", "utterance_id", "utt_id"),
    "start": ("start", "start_time", "begin", "offset"),
    "end": ("end", "end_time", "stop"),
    "duration": ("duration", "dur"),
    "speaker": ("speaker", "speaker_id"),
    "source": ("source", "src"),
    "delay": ("delay",),
    "elapsed": ("elapsed",),
}  # fmt: skip


def read_table_segments(text: str, reading: Reading) -> SegmentRows:
    """A table of segments or words has cells between tabs, as they stand, under a header.

    ``text`` must be there; ``document, id, start, end`` (or ``duration``), ``speaker``,
    ``source``, ``delay`` and ``elapsed`` may be; times are seconds. Some other names of columns
    are known, such as ``word``, ``sentence``, ``wav`` or ``offset``.
    """
    from fencepost.model.documents import SegmentRows

    lines = filled_lines(text)
    number, header = next(lines, (1, ""))
    if ending_of(reading.name) == ".csv" and "\t" not in header:
        raise FormatError(f"{reading.at(number)}: words are read from tables with tabs (.tsv)")
    columns = _columns(header.split("\t"), reading.at(number))
    width = len(header.split("\t"))
    rows = []
    for number, line in lines:
        cells = line.split("\t")
        if len(cells) != width:
            raise FormatError(
                f"{reading.at(number)}: {len(cells)} cells under a header of {width}; a cell has "
                "no tab inside"
            )
        given = {role: cells[at] for role, at in columns.items()}
        rows.append(_row(given, number, reading.at(number)))
    return SegmentRows(tuple(rows))


def read_table_streams(text: str, reading: Reading) -> StreamSet:
    """In a stream of words, rows end with a break, unless every row is one word."""
    from fencepost.formats.segment_rows import rows_to_streams

    found = read_table_segments(text, reading)
    single = all(len(row.text.split()) <= 1 for row in found.rows)
    return rows_to_streams(found, reading.name, glue=" " if single else "\n")


def _columns(header: list[str], where: str) -> dict[str, int]:
    names = [name.strip().casefold() for name in header]
    found: dict[str, int] = {}
    for role, known in COLUMNS.items():
        places = [place for place, name in enumerate(names) if name in known]
        if len(places) > 1:
            raise FormatError(
                f"{where}: {' and '.join(header[place].strip() for place in places)} could both be "
                f"the {role}; rename one of them"
            )
        if places:
            found[role] = places[0]
    if "text" not in found:
        raise FormatError(
            f"{where}: no column of the header is called text (or {', '.join(COLUMNS['text'][1:])})"
            f", found {', '.join(names)}"
        )
    return found


def _row(cells: dict[str, str], number: int, where: str) -> SegmentRow:
    from fencepost.model.documents import SegmentRow

    given = {role: cell.strip() for role, cell in cells.items() if cell.strip()}
    start = end = None
    if "start" in given:
        start = as_number(given["start"], where, "the start")
        end = start
        if "end" in given:
            end = as_number(given["end"], where, "the end")
        elif "duration" in given:
            end = start + as_number(given["duration"], where, "the duration")
        start, end = as_span(start, end, where)
        if "end" not in given and "duration" not in given:
            end = None
    delay, elapsed = (
        as_number(given[role], where, f"the {role}") if role in given else None
        for role in ("delay", "elapsed")
    )
    document = given.get("document")
    return SegmentRow(
        (cells["text"],),
        number,
        document,
        given.get("id"),
        start,
        end,
        given.get("speaker"),
        given.get("source"),
        delay,
        elapsed,
        document,
    )
