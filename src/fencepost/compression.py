"""Compressed files: gzip and zstandard, known by their first bytes."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from typing import IO, Any

from fencepost.model.checks import FencepostError
from fencepost.options import UNPACK_LIMIT
from fencepost.wording import needs

PACKED = (".gz", ".zst")  # endings that say nothing about the content
MEGABYTE = 1_000_000
GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"


def unpacked(name: str) -> str:
    """A file's name without the ending that says how it is compressed."""
    for ending in PACKED:
        if name.lower().endswith(ending) and len(name) > len(ending):
            return name[: -len(ending)]
    return name


def unpack(data: bytes, name: str, limit: int | None = UNPACK_LIMIT) -> bytes:
    """Return the content of a file that may be compressed, of at most ``limit`` MB if it is."""
    if not data.startswith((GZIP, ZSTD)):
        return data
    return b"".join(pieces(io.BytesIO(data), name, limit=limit))


def pieces(
    stream: IO[bytes], name: str, size: int = 1 << 22, limit: int | None = UNPACK_LIMIT
) -> Iterator[bytes]:
    """Yield the content of a file piece by piece; its first bytes say whether it is compressed.

    A compressed file of more than ``limit`` MB raises FencepostError before it fills the memory:
    a thousandth of that on disk can be enough.
    """
    data = stream.read(size)
    make = _decompressor(data, name)
    if make is None:
        while data:
            yield data
            data = stream.read(size)
        return
    total = 0
    for found in _unpacked_pieces(stream, data, make, name, size):
        total += len(found)
        if limit is not None and total > limit * MEGABYTE:
            raise too_large(name, limit)
        yield found


def too_large(name: str, limit: int) -> FencepostError:
    """Return the sentence about a file that holds more than it may."""
    return FencepostError(
        f"{name}: the compressed file holds more than {limit} MB. Raise the limit with "
        f"--unpack-limit {limit * 4} (unpack_limit={limit * 4} in Python) if you trust it"
    )


def _unpacked_pieces(
    stream: IO[bytes], data: bytes, make: Callable[[], Any], name: str, size: int
) -> Iterator[bytes]:
    """Yield what is unpacked, in pieces whose size the machine bounds."""
    machine: Any = None
    left = memoryview(data)
    while left:
        machine = machine or make()
        try:
            found, left = machine.step(left, size)
        except Exception as error:  # zlib and zstandard have errors of their own
            raise _damaged(name, error) from None
        if found:
            yield found
        if machine.eof:  # a file may hold several compressed parts, one behind the other
            machine = None
        left = left or memoryview(stream.read(size))
    if machine is not None:
        raise _damaged(name, "it ends too early")


class _Gzip:
    """Unpack gzip in pieces of a given size."""

    def __init__(self) -> None:
        import zlib

        self._machine = zlib.decompressobj(wbits=31)

    def step(self, data: memoryview, size: int) -> tuple[bytes, memoryview]:
        """Return at most ``size`` bytes, and the data that were not used."""
        found = self._machine.decompress(data, size)
        unused = self._machine.unused_data or self._machine.unconsumed_tail
        return found, memoryview(unused)

    @property
    def eof(self) -> bool:
        """Whether a compressed part ends here."""
        return self._machine.eof


class _Zstd:
    """Unpack zstandard; it gives all that its input holds, so it is fed little at a time."""

    FED = 1024  # bytes: no more than 32 MB come of them, as a block of 4 bytes holds 128 kB

    def __init__(self, machine: Any) -> None:
        self._machine = machine

    def step(self, data: memoryview, size: int) -> tuple[bytes, memoryview]:
        """Return what the first bytes hold, and the data that were not used."""
        given = data[: self.FED]
        found = self._machine.decompress(given)
        return found, data[len(given) - len(self._machine.unused_data) :]

    @property
    def eof(self) -> bool:
        """Whether a compressed part ends here."""
        return bool(self._machine.eof)


def _decompressor(start: bytes, name: str) -> Callable[[], Any] | None:
    if start.startswith(GZIP):
        return _Gzip
    if start.startswith(ZSTD):
        plain = needs("zstandard", name).ZstdDecompressor()
        return lambda: _Zstd(plain.decompressobj())
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
