"""Paths of files, and their text: UTF-8 (or Praat's UTF-16), or where it is not."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from fencepost.compression import unpack
from fencepost.files import read_whole
from fencepost.formats.options import FormatError, split_lines
from fencepost.options import UNPACK_LIMIT

PARQUET_SIGN = b"PAR1"  # the first bytes of a Parquet file


def place_of(path: str | os.PathLike[str]) -> Path:
    """The path of a file, or a sentence about what was given instead."""
    if not isinstance(path, (str, os.PathLike)):
        raise FormatError(f"a file is given by its path, found {type(path).__name__} {path!r:.40}")
    if not os.fspath(path):
        raise FormatError("a file is given by its path, found an empty one")
    if "\0" in str(path):
        raise FormatError(f"no file can have this name: {str(path)!r:.60}")
    return Path(path)


def read_data(path: str | os.PathLike[str]) -> tuple[str, bytes]:
    """Return the name and the bytes of a file; - is standard input."""
    place = place_of(path)
    if os.fspath(path) == "-":
        return "stdin", sys.stdin.buffer.read()
    return place.name, read_whole(place, FormatError)


def read_decoded(path: str | os.PathLike[str], unpack_limit: int = UNPACK_LIMIT) -> tuple[str, str]:
    """Return the name and the text of a file, compressed or not; - is standard input."""
    name, data = read_data(path)
    return name, decode_bytes(unpack(data, name, unpack_limit), name)


_WIDE = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}  # by their byte order mark
_PACKED = {b"BZh": "bzip2", b"\xfd7zXZ": "xz", b"PK\x03\x04": "zip", b"7z\xbc\xaf": "7-Zip"}
_SHEETS = (".xlsx", ".xlsm", ".xls", ".ods", ".numbers")
_OLD_EXCEL = b"\xd0\xcf\x11\xe0"  # .xls
_PRAAT = ("File type", '"ooTextFile')  # how its text files begin


def decode_bytes(data: bytes, name: str) -> str:
    """UTF-8, with or without a byte order mark; of Praat's files UTF-16 with one too.

    Praat writes UTF-16 by itself as soon as a label has more than ASCII: nobody chose it.
    """
    if data.startswith(b"ooBinaryFile"):
        raise FormatError(f"{name} is a binary file of Praat: save it there as a text file")
    if _is_spreadsheet(data, name):
        raise FormatError(f"{name} is a spreadsheet: save its sheet as CSV (UTF-8) and give that")
    packed = next((how for start, how in _PACKED.items() if data.startswith(start)), None)
    if packed:
        raise FormatError(f"{name} is packed by {packed}: gz and zst are read, or unpack it")
    wide = _WIDE.get(data[:2])
    if wide and data[2:].startswith(tuple(start.encode(wide) for start in _PRAAT)):
        return _decode_wide(data[2:], wide, name)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        start = error.start
        line = len(split_lines(data[:start].decode("utf-8", "replace") + "."))
        raise FormatError(
            f"{name}, line {line}: not UTF-8 text: byte {data[start]:#04x} at offset {start}"
            + (" (this looks like UTF-16)" if wide else "")
            + "; save the file as UTF-8"
        ) from None
    head = data[:4096]
    if head.count(0) * 4 >= max(4, len(head)):  # UTF-16 without a mark is UTF-8, too
        raise FormatError(
            f"{name}: not UTF-8 text: many bytes are 0 (this looks like UTF-16); save the file as "
            "UTF-8"
        )
    return text


def _is_spreadsheet(data: bytes, name: str) -> bool:
    """Whether this is a file of Excel, LibreOffice or Numbers, by its content."""
    if data.startswith(_OLD_EXCEL):
        return True
    zipped = data.startswith(b"PK\x03\x04")
    return zipped and (name.lower().endswith(_SHEETS) or b"xl/workbook" in data)


def _decode_wide(data: bytes, encoding: str, name: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        line = len(split_lines(data[: error.start].decode(encoding, "replace") + "."))
        raise FormatError(
            f"{name}, line {line}: not UTF-16 text, as the file begins: byte "
            f"{data[error.start]:#04x} at offset {error.start + 2}; is it cut short?"
        ) from None
