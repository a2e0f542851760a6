"""Files as bytes and as text: compressed or not, and UTF-8 or a sentence that says where not."""

from __future__ import annotations

import gzip
import io
import os
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

from fencepost.formats.base import FormatError, split_lines
from fencepost.streams.rows import needs

GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"


def place_of(path: str | Path) -> Path:
    """The path of a file, or a sentence about what was given instead."""
    if not isinstance(path, (str, os.PathLike)):
        raise FormatError(f"a file is given by its path, found {type(path).__name__} {path!r:.40}")
    if not os.fspath(path):
        raise FormatError("a file is given by its path, found an empty one")
    if "\0" in str(path):
        raise FormatError(f"no file can have this name: {str(path)!r:.60}")
    return Path(path)


def unpack(data: bytes, name: str) -> bytes:
    """The content of a file that may be compressed with gzip or zstandard."""
    if not data.startswith((GZIP, ZSTD)):
        return data
    return b"".join(pieces(io.BytesIO(data), name))


def pieces(stream: IO[bytes], name: str, size: int = 1 << 22) -> Iterator[bytes]:
    """What a file holds, piece by piece; its first bytes say whether it is compressed."""
    data = stream.read(size)
    make = _machine(data, name)
    if make is None:
        while data:
            yield data
            data = stream.read(size)
        return
    machine: Any = None
    while data:
        machine = machine or make()
        try:
            found = machine.decompress(data)
        except Exception as error:  # zlib and zstandard have errors of their own
            raise _damaged(name, error) from None
        if found:
            yield found
        # A file may hold several compressed parts, one behind the other.
        data = machine.unused_data if machine.eof else b""
        machine = None if machine.eof else machine
        data = data or stream.read(size)
    if machine is not None:
        raise _damaged(name, "it ends too early")


def _machine(start: bytes, name: str) -> Callable[[], Any] | None:
    if start.startswith(GZIP):
        return lambda: zlib.decompressobj(wbits=31)
    if start.startswith(ZSTD):
        make: Callable[[], Any] = needs("zstandard", name).ZstdDecompressor().decompressobj
        return make
    return None


def _damaged(name: str, why: object) -> FormatError:
    return FormatError(f"{name}: the compressed file is damaged or cut short ({why})")


def pack(data: bytes, name: str) -> bytes:
    """Compressed as the name's ending says; the same data give the same file."""
    if name.lower().endswith(".gz"):
        return gzip.compress(data, mtime=0)
    if name.lower().endswith(".zst"):
        packed: bytes = needs("zstandard", name).ZstdCompressor().compress(data)
        return packed
    return data


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
