"""Compressed files: gzip and zstandard, known by their first bytes."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from typing import IO, Any

from fencepost.model.checks import FencepostError
from fencepost.wording import needs

PACKED = (".gz", ".zst")  # endings that say nothing about the content
GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"


def unpacked(name: str) -> str:
    """A file's name without the ending that says how it is compressed."""
    for ending in PACKED:
        if name.lower().endswith(ending) and len(name) > len(ending):
            return name[: -len(ending)]
    return name


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
        import zlib

        return lambda: zlib.decompressobj(wbits=31)
    if start.startswith(ZSTD):
        make: Callable[[], Any] = needs("zstandard", name).ZstdDecompressor().decompressobj
        return make
    return None


def _damaged(name: str, why: object) -> FencepostError:
    return FencepostError(f"{name}: the compressed file is damaged or cut short ({why})")


def pack(data: bytes, name: str) -> bytes:
    """Compressed as the name's ending says; the same data give the same file."""
    if name.lower().endswith(".gz"):
        import gzip

        return gzip.compress(data, mtime=0)
    if name.lower().endswith(".zst"):
        packed: bytes = needs("zstandard", name).ZstdCompressor().compress(data)
        return packed
    return data
