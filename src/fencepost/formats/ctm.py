"""CTM (NIST's sclite): one word per line, with its times."""

from __future__ import annotations

from fencepost.formats.catalogue import endings_of
from fencepost.formats.fields import as_number, as_span, filled_lines
from fencepost.formats.options import FormatError, Reading
from fencepost.formats.registry import Format
from fencepost.formats.segment_rows import name_channels, rows_to_streams
from fencepost.formats.stm import FIELD_SPACE
from fencepost.formats.values import shown
from fencepost.model.documents import SegmentRow, SegmentRows, StreamSet
from fencepost.wording import plural


def read_ctm(text: str, reading: Reading) -> StreamSet:
    """``file channel start duration word [confidence [type [speaker]]]``; ;; begins a comment.

    A stream of words is a recording, or a channel of it where it has several, and has no breaks.
    Of alternatives between <ALT_BEGIN>, <ALT> and <ALT_END> the first is read, and a note says how
    many there were.
    """
    rows = []
    choices = 0
    option = 0  # of the alternatives we are in; 0 is outside of them
    begun = 0
    for number, line in filled_lines(text, comment=";;"):
        parts = FIELD_SPACE.split(line.strip())
        _check_fields(parts, line, reading.at(number))
        mark = parts[4].upper()
        if mark == "<ALT_BEGIN>" and not option:
            option, begun, choices = 1, number, choices + 1
        elif mark == "<ALT>" and option:
            option += 1
        elif mark == "<ALT_END>" and option:
            option = 0
        elif option <= 1 and not (option and mark == "@"):
            rows.append((_timed_word(parts, number, reading), parts[1]))
    if option:
        raise FormatError(f"{reading.at(begun)}: <ALT_BEGIN> has no <ALT_END>")
    note = f"{reading.name}: the first of several words was read at {plural(choices, 'position')}"
    found = SegmentRows(name_channels(rows), (note,) if choices else ())
    return rows_to_streams(found, reading.name, glue=" ")


def _check_fields(parts: list[str], line: str, where: str) -> None:
    if len(parts) < 5:
        raise FormatError(
            f"{where}: CTM has file, channel, start, duration and word, found {shown(line)}"
        )
    if len(parts) > 5 and parts[5].upper() != "NA":
        # A word with a space in it would lose its second half.
        as_number(parts[5], where, "the confidence after the word (field 6)")


def _timed_word(parts: list[str], number: int, reading: Reading) -> SegmentRow:
    where = reading.at(number)
    start = as_number(parts[2], where, "the start")
    length = as_number(parts[3], where, "the duration")
    first, last = as_span(start, start + length, where)
    speaker = parts[7] if len(parts) > 7 else None
    return SegmentRow(
        (parts[4],), number, start=first, end=last, speaker=speaker, recording=parts[0]
    )


CTM = Format(
    "ctm",
    endings_of("ctm"),
    "NIST's CTM, one word per line: file, channel, start, duration, word",
    "talk 1 0.00 0.30 so 0.98\ntalk 1 0.35 0.20 we\ntalk 1 0.60 0.40 went",
    streams=read_ctm,
)
