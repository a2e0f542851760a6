"""Paths of files, and their text: UTF-8, or a sentence that says where it is not."""

from __future__ import annotations

import os
from pathlib import Path

from fencepost.formats.base import FormatError, split_lines


def place_of(path: str | Path) -> Path:
    """The path of a file, or a sentence about what was given instead."""
    if not isinstance(path, (str, os.PathLike)):
        raise FormatError(f"a file is given by its path, found {type(path).__name__} {path!r:.40}")
    if not os.fspath(path):
        raise FormatError("a file is given by its path, found an empty one")
    if "\0" in str(path):
        raise FormatError(f"no file can have this name: {str(path)!r:.60}")
    return Path(path)


def decode_bytes(data: bytes, name: str) -> str:
    """UTF-8, with or without a byte order mark."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        start = error.start
        line = len(split_lines(data[:start].decode("utf-8", "replace") + "."))
        wide = data[:2] in (b"\xff\xfe", b"\xfe\xff")
        raise FormatError(
            f"{name}, line {line}: not UTF-8 text: byte {data[start]:#04x} at offset {start}"
            + (" (this looks like UTF-16)" if wide else "")
            + "; save the file as UTF-8"
        ) from None
