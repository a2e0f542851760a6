"""SegLST (MeetEval, CHiME): a JSON list of segments with session, speaker, times and words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fencepost.formats.catalogue import endings_of
from fencepost.formats.fields import as_name, as_span, as_text
from fencepost.formats.json_objects import first_fields, json_objects
from fencepost.formats.line_numbers import LineNumbers, with_lines
from fencepost.formats.options import FormatError, Reading
from fencepost.formats.records import load_json
from fencepost.formats.registry import Format
from fencepost.formats.segment_rows import rows_to_streams
from fencepost.formats.values import shown
from fencepost.model.documents import SegmentRow, SegmentRows, StreamSet


def read_seglst(text: str, reading: Reading) -> SegmentRows:
    """A list of objects, or one object per line; ``words`` must be there, the rest may be missing.

    A session is a document; segments go in the order of their times.
    """
    if not text.lstrip().startswith("["):
        rows = [_row(item, n, reading.at(n)) for n, item in json_objects(text, reading)]
        return SegmentRows(tuple(rows))
    items = load_json(text, reading)

    def read_items(lines: LineNumbers) -> SegmentRows:
        numbered = enumerate(items, start=1)
        return SegmentRows(
            tuple(_row(item, n, lines.at(n - 1, said=f"segment {n}")) for n, item in numbered)
        )

    return with_lines(read_items, text, reading.name)


def read_seglst_streams(text: str, reading: Reading) -> StreamSet:
    """The ends of segments are breaks of a stream of words."""
    return rows_to_streams(read_seglst(text, reading), reading.name)


def _row(item: Any, number: int, where: str) -> SegmentRow:
    if not isinstance(item, dict) or "words" not in item:
        raise FormatError(
            f'{where}: a segment of SegLST is an object with "words", found {shown(item)}'
        )
    words = item["words"]
    if isinstance(words, list):
        words = " ".join(as_text(word, where, '"words"') for word in words)
    start = end = None
    if item.get("start_time") is not None and item.get("end_time") is not None:
        start, end = as_span(item["start_time"], item["end_time"], where)
    session = name_or_none(item, "session_id", where)
    return SegmentRow(
        (as_text(words, where, '"words"'),),
        number,
        session,
        name_or_none(item, "segment_id", where),
        start,
        end,
        name_or_none(item, "speaker", where),
        recording=session,
    )


def name_or_none(item: Mapping[str, Any], key: str, where: str) -> str | None:
    """Return the name in this field; None where there is none."""
    return None if item.get(key) is None else as_name(item[key], where, f'"{key}"')


SEGLST = Format(
    "seglst",
    endings_of("seglst"),
    "SegLST, JSON with session_id, speaker, start_time, end_time, words",
    '[{"session_id": "talk", "speaker": "anna", "start_time": 0.0, "end_time": 1.2,\n'
    '  "words": "so we went"},\n'
    ' {"session_id": "talk", "speaker": "ben", "start_time": 1.2, "end_time": 2.5,\n'
    '  "words": "and then"}]',
    looks_like=lambda text: "words" in (first_fields(text) or ()),
    sure=True,
    references=read_seglst,
    streams=read_seglst_streams,
)
