"""Re-segmented words as text, as JSON lines, as OmniSTEval scores them, and as a table."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

from fencepost.files import write_whole
from fencepost.model.documents import TimedWord
from fencepost.scoring.tables import Table, rows_to_table
from fencepost.streams.documents import Piece, StreamError
from fencepost.wording import plural

Unit = Literal["word", "char"]


def to_text(pieces: Iterable[Piece]) -> str:
    """One line per segment, in the order of the references; line ends inside become spaces."""
    return "".join(f"{one_line(piece.text)}\n" for piece in in_order(pieces))


def to_jsonl(pieces: Iterable[Piece]) -> str:
    """One JSON object per segment: offsets in the stream, errors, times and timed words."""
    return _lines(_record(piece) for piece in in_order(pieces))


def to_omnisteval(pieces: Iterable[Piece], unit: Unit | None = None) -> str:
    """What ``omnisteval longform --resegmented_hypothesis FILE --word_level`` scores.

    ``delays`` and ``elapsed`` (milliseconds after the start of the segment) have one value for
    each word between spaces, or with ``unit="char"`` (``--char_level``) for each character that
    is no space. It follows from what is timed if it is not given (:func:`timed_unit`). Segments
    need their times for this; without delays only quality can be scored.
    """
    if unit not in (None, "word", "char"):
        raise StreamError(f"a unit is word or char, found {unit!r}")
    ordered = in_order(pieces)
    unit = unit or timed_unit(ordered)
    keys = [
        key
        for key in ("delay", "elapsed")
        if any(getattr(word, key) is not None for piece in ordered for word in piece.words)
    ]
    ends = _recording_ends(ordered)
    return _lines(
        _instance(piece, index, keys, ends[piece.document], unit)
        for index, piece in enumerate(ordered)
    )


def describe_late_words(pieces: Iterable[Piece]) -> list[str]:
    """Return a note if words came out after the end of their recording; OmniSTEval differs there.

    Its own reading of a log counts no such word, and its reading of segments counts all of them.
    """
    ordered = list(pieces)
    ends = _recording_ends(ordered)
    late = sum(
        max(word.delay or 0.0, word.elapsed or 0.0) >= ends[piece.document] > 0
        for piece in ordered
        for word in piece.words
    )
    return [
        f"{plural(late, 'word')} came out at the end of the recording or after it: omnisteval "
        "counts such words in segments, but not where it reads the log itself, so its latencies "
        "differ a little"
    ] * (late > 0)


def _recording_ends(pieces: Iterable[Piece]) -> dict[str | None, float]:
    """Return the end of the last segment of each document; 0 where no segment has times."""
    ends: dict[str | None, float] = {}
    for piece in pieces:
        ends[piece.document] = max(ends.get(piece.document, 0.0), piece.segment.end or 0.0)
    return ends


def timed_unit(pieces: Iterable[Piece]) -> Unit:
    """What the log has times of: characters, where most words between spaces have several."""
    timed = spaced = 0
    for piece in pieces:
        timed += sum(word.delay is not None for word in piece.words)
        spaced += len(piece.text.split())
    return "char" if timed > 2 * spaced else "word"


def to_table(pieces: Iterable[Piece]) -> Table:
    """One row per segment, with plain values only; ``line`` counts the lines of the references."""
    named = ("edits", "substitutions", "insertions", "deletions", "first_token", "last_token",
             "start", "end", "chosen")  # fmt: skip
    rows = [
        {
            "line": piece.segment.place + 1,
            "document": piece.document,
            "segment": piece.number,
            **{name: getattr(piece, name) for name in named},
            "hypothesis": piece.text,
            "reference": piece.reference,
        }
        for piece in in_order(pieces)
    ]
    return rows_to_table(rows, name="segments")


WRITERS: dict[str, Callable[[Iterable[Piece]], str]] = {
    "text": to_text,
    "jsonl": to_jsonl,
    "omnisteval": to_omnisteval,
}


def write_pieces(
    pieces: Iterable[Piece],
    path: str | os.PathLike[str],
    format: str | None = None,
    *,
    unit: Unit | None = None,
) -> int:
    """Write a file and return its number of lines; .jsonl is JSON lines, all else is text.

    ``unit`` is that of :func:`to_omnisteval`.
    """
    place = Path(path)
    chosen = format or ("jsonl" if place.suffix.lower() in (".jsonl", ".ndjson") else "text")
    if chosen not in WRITERS:
        raise StreamError(f"{chosen!r} cannot be written; {', '.join(WRITERS)} can")
    text = to_omnisteval(pieces, unit) if chosen == "omnisteval" else WRITERS[chosen](pieces)
    try:
        write_whole(place, text.encode("utf-8"), StreamError)
    except UnicodeEncodeError as error:
        raise StreamError(
            f"{path} cannot be written: {error.object[error.start]!r} does not exist in UTF-8"
        ) from None
    return text.count("\n")


def in_order(pieces: Iterable[Piece]) -> list[Piece]:
    """Pieces in the order in which the files of the references have their segments."""
    return sorted(pieces, key=lambda piece: piece.segment.place)


def one_line(text: str) -> str:
    """A text without line ends.

    >>> one_line("a  b\\r\\nc")
    'a  b c'
    """
    return re.sub(r"\r\n|\n|\r", " ", text)


def _lines(records: Iterable[dict[str, Any]]) -> str:
    return "".join(
        json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n" for record in records
    )


def _record(piece: Piece) -> dict[str, Any]:
    segment = piece.segment
    named = ("text", "reference", "chosen", "start", "end", "first_token", "last_token",
             "substitutions", "insertions", "deletions")  # fmt: skip
    record = {
        "document": piece.document,
        "segment": piece.number,
        "id": segment.id,
        **{name: getattr(piece, name) for name in named},
        "start_time": segment.start,
        "end_time": segment.end,
        "speaker": segment.speaker,
        "source": segment.source,
        "words": [_word(word, piece) for word in piece.words] or None,
    }
    always = ("document", "text", "reference")
    return {key: value for key, value in record.items() if value is not None or key in always}


def _word(word: TimedWord, piece: Piece) -> dict[str, Any]:
    """A timed word, as far as it lies in the piece; offsets are those of the stream."""
    first, last = max(word.first, piece.start), min(word.last, piece.end)
    record = {
        "text": piece.text[first - piece.start : last - piece.start],
        "start": first,
        "end": last,
        "start_time": word.start,
        "end_time": word.end,
        "delay": word.delay,
        "elapsed": word.elapsed,
        "speaker": word.speaker,
    }
    return {key: value for key, value in record.items() if value is not None}


def _instance(
    piece: Piece, index: int, keys: Sequence[str], recording_end: float, unit: Unit
) -> dict[str, Any]:
    segment = piece.segment
    # OmniSTEval counts words between single spaces, and refuses files with an empty reference.
    glue = " " if unit == "word" else ""
    record: dict[str, Any] = {
        "index": index,
        "docid": piece.document,
        "segid": piece.number,
        "prediction": glue.join(piece.text.split()),
        "reference": glue.join(piece.reference.split()) or " ",
    }
    if segment.start is None or segment.end is None:
        if keys:
            raise StreamError(
                f"{_where(piece)} has no times, and delays count from its start: give the times of "
                "the segments with --segments"
            )
        return record
    units = _units(piece, unit)
    if keys and units and segment.end <= segment.start:
        raise StreamError(
            f"{_where(piece)} has words but lasts no time ({segment.start:g} to {segment.end:g}), "
            "so its latency cannot be scored"
        )
    record["source_length"] = _milliseconds(segment.end - segment.start)
    for key in keys:
        name = {"delay": "delays"}.get(key, key)
        record[name] = [_milliseconds(time - segment.start) for time in _times(piece, units, key)]
    if keys:
        record["time_to_recording_end"] = _milliseconds(recording_end - segment.start)
    return record


def _where(piece: Piece) -> str:
    document = "" if piece.document is None else f" of {piece.document}"
    return f"segment {piece.number}{document}"


def _units(piece: Piece, unit: Unit) -> list[tuple[int, int]]:
    pattern = r"\S+" if unit == "word" else r"\S"
    return [
        (piece.start + match.start(), piece.start + match.end())
        for match in re.finditer(pattern, piece.text)
    ]


def _times(piece: Piece, units: Sequence[tuple[int, int]], key: str) -> list[float]:
    """When each unit was complete: the latest time of the timed words that it has a part of."""
    found = []
    place = 0
    for first, last in units:
        while place < len(piece.words) and piece.words[place].last <= first:
            place += 1
        times = []
        number = place
        while number < len(piece.words) and piece.words[number].first < last:
            times.append(getattr(piece.words[number], key))
            number += 1
        if not times or None in times:
            word = piece.text[first - piece.start : last - piece.start]
            raise StreamError(
                f'{_where(piece)}: the word "{word:.40}" has no {key}, but others have one'
            )
        found.append(max(times))
    return found


def _milliseconds(seconds: float) -> float:
    # Times came as decimal numbers; what floats add below a nanosecond is not theirs.
    return round(seconds * 1000, 6)
