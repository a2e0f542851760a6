"""Checked values of files with words: numbers, times, names, lists, and lines of them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from fencepost.formats.options import FormatError, split_lines
from fencepost.formats.values import shown


def filled_lines(text: str, comment: str | None = None) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not empty, with their numbers; comments are ignored."""
    for number, line in enumerate(split_lines(text), start=1):
        if line.strip() and not (comment and line.lstrip().startswith(comment)):
            yield number, line


def as_number(value: Any, where: str, what: str) -> float:
    """Return a finite number; text that is one is taken for it."""
    try:
        number = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise FormatError(f"{where}: {what} must be a number, found {shown(value)}")
    return number


def as_span(start: Any, end: Any, where: str) -> tuple[float, float]:
    """Return start and end in seconds, in this order."""
    first, last = as_number(start, where, "the start"), as_number(end, where, "the end")
    if first < 0 or last < first:
        raise FormatError(
            f"{where}: a segment ends after it starts, at 0 or later; found {first:g} to {last:g}"
        )
    return first, last


def as_text(value: Any, where: str, what: str) -> str:
    """Return a text that can be written again."""
    if not isinstance(value, str):
        raise FormatError(f"{where}: {what} must be a text, found {shown(value)}")
    if not value.isascii():
        try:
            value.encode("utf-8")
        except UnicodeEncodeError as error:
            raise FormatError(
                f"{where}: {value[error.start]!r} in {what} is half a character (a lone surrogate)"
            ) from None
    return value


def as_name(value: Any, where: str, what: str) -> str:
    """Return an id: a text, or a whole number as text."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    name = as_text(value, where, what).strip()
    if not name:
        raise FormatError(f"{where}: {what} is empty")
    return name


def as_list(value: Any, where: str, what: str) -> list[Any]:
    """Return a JSON list."""
    if not isinstance(value, list):
        raise FormatError(f"{where}: {what} must be a list, found {shown(value)}")
    return value
