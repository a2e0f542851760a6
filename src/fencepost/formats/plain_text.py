"""Plain text: one segment per line."""

from __future__ import annotations

from fencepost.formats.catalogue import endings_of
from fencepost.formats.options import Reading, split_lines
from fencepost.formats.registry import Format
from fencepost.formats.segment_rows import join_rows
from fencepost.model.documents import SegmentRow, SegmentRows, Stream, StreamSet


def read_line_segments(text: str, reading: Reading) -> SegmentRows:
    """References have one segment per line; the same line of several files is one segment.

    A line that is empty in some of the files is no reference there, one that is empty in all is an
    empty segment. ``--docids`` or ``--segments`` say which lines belong to which document. A line
    of nothing but spaces, no-break spaces among them, is empty.
    """
    lines = enumerate(split_lines(text), start=1)
    return SegmentRows(tuple(SegmentRow((line,), number) for number, line in lines))


def read_line_streams(text: str, reading: Reading) -> StreamSet:
    """A stream of words is the file, and line ends are breaks; or one document per line (--lines).

    An ending that no format has (``.de``, ``.hyp``) is read so by ``resegment``.
    """
    rows = read_line_segments(text, reading).rows
    if reading.lines == "documents":
        return StreamSet(tuple(Stream(None, row.text) for row in rows))
    return StreamSet((join_rows(rows, None),))


TEXT = Format(
    "text",
    endings_of("text"),
    "plain text, one segment per line",
    "so we went\nand then",
    references=read_line_segments,
    streams=read_line_streams,
)
