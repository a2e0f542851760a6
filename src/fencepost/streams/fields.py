"""What all readers of references and streams share: text, lines, rows and numbers."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from fencepost.streams.documents import Segment, Stream, StreamError, TimedWord

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Row:
    """One segment (or timed word) as a file has it, before documents are put together."""

    texts: tuple[str | None, ...]
    line: int
    document: str | None = None
    id: str | None = None
    start: float | None = None
    end: float | None = None
    speaker: str | None = None
    source: str | None = None
    delay: float | None = None
    elapsed: float | None = None
    recording: str | None = None

    @property
    def text(self) -> str:
        """The first text."""
        return self.texts[0] or ""


@dataclass(frozen=True)
class File:
    """The content of a file and the choices a person made about it."""

    name: str
    text: str
    tokens: str | None = None  # how the tokens of a simulstream log make a text
    system: str | None = None  # of a set with several systems
    notes: list[str] = field(default_factory=list)

    def at(self, line: int) -> str:
        """Where: the file and the line."""
        return f"{self.name}, line {line}"

    def lines(self) -> list[str]:
        """The lines of the file."""
        return split_lines(self.text)

    def filled(self, comment: str | None = None) -> Iterator[tuple[int, str]]:
        """The lines that are not empty, with their numbers; comments are left out."""
        for number, line in enumerate(self.lines(), start=1):
            if line.strip() and not (comment and line.lstrip().startswith(comment)):
                yield number, line


def split_lines(text: str) -> list[str]:
    """Lines end with \\n, \\r\\n or \\r; other signs that break a line on paper are text."""
    lines = re.split(r"\r\n|\n|\r", text)
    return lines if lines[-1] else lines[:-1]


def decode(data: bytes, name: str) -> str:
    """UTF-8, with or without a byte order mark."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = len(split_lines(data[: error.start].decode("utf-8-sig") + "."))
        utf16 = data[:2] in (b"\xff\xfe", b"\xfe\xff")
        raise StreamError(
            f"{name}, line {line}: byte {data[error.start]:#04x} is not UTF-8"
            f"{' (this looks like UTF-16)' if utf16 else ''}. Save the file as UTF-8."
        ) from None


def as_number(value: Any, where: str, what: str) -> float:
    """A finite number of a file; text that is one is taken for it."""
    try:
        number = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise StreamError(f"{where}: {what} must be a number, found {short(value)}")
    return number


def as_span(start: Any, end: Any, where: str) -> tuple[float, float]:
    """Start and end in seconds, in this order."""
    first, last = as_number(start, where, "the start"), as_number(end, where, "the end")
    if first < 0 or last < first:
        raise StreamError(
            f"{where}: a segment ends after it starts, at 0 or later; found {first:g} to {last:g}"
        )
    return first, last


def as_text(value: Any, where: str, what: str) -> str:
    """A text that can be written again."""
    if not isinstance(value, str):
        raise StreamError(f"{where}: {what} must be a text, found {short(value)}")
    if not value.isascii():
        try:
            value.encode("utf-8")
        except UnicodeEncodeError as error:
            raise StreamError(
                f"{where}: {value[error.start]!r} in {what} is half a character (a lone surrogate)"
            ) from None
    return value


def as_name(value: Any, where: str, what: str) -> str:
    """An id: a text or a whole number."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    name = as_text(value, where, what).strip()
    if not name:
        raise StreamError(f"{where}: {what} is empty")
    return name


def as_list(value: Any, where: str, what: str) -> list[Any]:
    """A JSON list."""
    if not isinstance(value, list):
        raise StreamError(f"{where}: {what} must be a list, found {short(value)}")
    return value


def short(value: Any) -> str:
    """A value as it can stand in a sentence."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def parse_json(text: str, where: str) -> Any:
    """JSON, or a sentence that says where it is none."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, " if "\n" in text.strip() else ""
        raise StreamError(f"{where}: not JSON: {error.msg} ({place}column {error.colno})") from None
    except (RecursionError, ValueError):
        raise StreamError(f"{where}: this JSON is too deep or has too large a number") from None


def json_objects(file: File) -> Iterator[tuple[int, dict[str, Any]]]:
    """One JSON object a line."""
    for number, line in file.filled():
        value = parse_json(line, file.at(number))
        if not isinstance(value, dict):
            raise StreamError(f"{file.at(number)}: expected a JSON object, found {short(value)}")
        yield number, value


def group(items: Iterable[Item], key: Callable[[Item], str | None]) -> dict[str | None, list[Item]]:
    """Items by key, in the order in which keys come first."""
    found: dict[str | None, list[Item]] = {}
    for item in items:
        found.setdefault(key(item), []).append(item)
    return found


def in_time(rows: Sequence[Row]) -> list[Row]:
    """Rows in the order of speaking, if all of them have a time."""
    if any(row.start is None for row in rows):
        return list(rows)
    return sorted(rows, key=lambda row: row.start or 0.0)


def is_blank(text: str | None) -> bool:
    """Whether there is nothing but spaces."""
    return text is None or not text.strip()


def as_segment(row: Row, place: int) -> Segment:
    """A segment of the references: what is empty in all of them is an empty segment."""
    empty = all(is_blank(text) for text in row.texts)
    return Segment(
        tuple("" if empty else None if is_blank(text) else text for text in row.texts),
        row.id,
        row.start,
        row.end,
        row.speaker,
        row.source,
        place,
    )


def join(rows: Sequence[Row], document: str | None, glue: str) -> Stream:
    """The rows of one document as a stream; with "\\n" between them, their ends are breaks."""
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
