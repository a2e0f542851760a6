"""The way to a terminal: nothing that is written there is obeyed but our own bold and colours."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import IO, Any

# Control characters but tab and line feed, and signs that turn the direction of what follows.
CONTROLS = "\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069"
_OBEYED = re.compile(f"[{CONTROLS}]")


class OwnStyles(str):
    """Text whose only escape sequences are our own, so that it goes to a terminal as it is."""

    def __str__(self) -> OwnStyles:
        return self


def inert(text: str) -> str:
    """Return the text with a dot for each sign that a terminal would obey.

    >>> inert("t\\x1b]0;title\\x07")
    't·]0;title·'
    """
    return text if isinstance(text, OwnStyles) else _OBEYED.sub("·", text)


class Terminal:
    """A stream of text to a terminal, through which all output of a command goes."""

    def __init__(self, stream: IO[str]) -> None:
        self.raw = stream  # for spinners and bars, which move the cursor

    def write(self, text: str) -> int:
        """Write the text; names and texts in it cannot act."""
        self.raw.write(inert(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write several texts."""
        for line in lines:
            self.write(line)

    @property
    def buffer(self) -> _Bytes:
        """What takes bytes of UTF-8."""
        return _Bytes(self)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.raw, name)


class _Bytes:
    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal

    def write(self, data: bytes) -> int:
        self._terminal.write(bytes(data).decode("utf-8", "replace"))
        return len(data)

    def flush(self) -> None:
        self._terminal.flush()


def raw(stream: IO[str]) -> IO[str]:
    """Return the stream behind a terminal's guard."""
    return getattr(stream, "raw", stream) if isinstance(stream, Terminal) else stream


@contextmanager
def guarded_terminals() -> Iterator[None]:
    """Let standard output and errors go through the guard where they are terminals."""
    before = sys.stdout, sys.stderr
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream.isatty() and not isinstance(stream, Terminal):
            setattr(sys, name, Terminal(stream))
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before
