"""Files are read once and whole, and written whole or not at all, whatever interrupts that."""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from fencepost.model.checks import FencepostError

# Half surrogates, which names of files and escapes of JSON can hold, are in no encoding. They are
# written as \udce9, which JSON reads back.
UNENCODABLE = "backslashreplace"


@contextmanager
def writing(
    path: str | os.PathLike[str],
    error: type[FencepostError] = FencepostError,
    *,
    text: bool = False,
) -> Iterator[Any]:
    """Open a file beside ``path`` that takes its place when the block ends without an exception.

    Yields a stream of bytes, or of UTF-8 text without translated line ends. A file that cannot be
    written raises ``error``. Devices and pipes have no content to protect and are written directly.
    """
    target = Path(os.path.realpath(path))  # a link stays a link
    try:
        # What /dev/stdout leads to has a name only for the system: pipe:[5].
        if os.path.exists(path) and not stat.S_ISREG(os.stat(path).st_mode):
            with open(path, "wb") as stream:
                yield from _wrapped(stream, text)
            return
        short = target.name.encode(errors="surrogateescape")[:200].decode(errors="ignore")
        beside = target.with_name(f".{short}.{os.getpid()}-{os.urandom(4).hex()}.part")
        try:
            with beside.open("xb") as stream:
                if target.exists():
                    os.chmod(beside, stat.S_IMODE(target.stat().st_mode))
                yield from _wrapped(stream, text)
                stream.flush()
                os.fsync(stream.fileno())  # else a crash could leave the new name without content
            os.replace(beside, target)
        except BaseException:
            with suppress(OSError):
                beside.unlink()
            raise
    except BrokenPipeError:  # the reader of a pipe has gone: no fault of this file
        raise
    except OSError as failed:
        raise error(f"{path} cannot be written: {failed.strerror or failed}") from None


def _wrapped(stream: io.BufferedWriter, text: bool) -> Iterator[Any]:
    if not text:
        yield stream
        return
    wrapped = io.TextIOWrapper(stream, encoding="utf-8", errors=UNENCODABLE, newline="")
    yield wrapped
    wrapped.detach()


class _Lines:
    """Ends the rows of a csv.writer, which come one by one, with a line feed."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    def write(self, row: str) -> int:
        return self._stream.write(row.removesuffix("\r\n") + "\n")


def csv_writer(stream: IO[str], delimiter: str = ",") -> Any:
    """Return a csv.writer whose lines end with a line feed.

    That of csv with this end of lines leaves carriage returns in cells bare, and no reader takes
    them back.
    """
    import csv

    return csv.writer(_Lines(stream), delimiter=delimiter, lineterminator="\r\n")


def write_whole(
    path: str | os.PathLike[str], data: bytes, error: type[FencepostError] = FencepostError
) -> None:
    """Write these bytes to a file, whole or not at all."""
    with writing(path, error) as stream:
        stream.write(data)


def read_whole(path: str | os.PathLike[str], error: type[FencepostError] = FencepostError) -> bytes:
    """Return the bytes of a file or a pipe; raise ``error`` if it cannot be read."""
    try:
        with open_input(path, error) as stream:
            return stream.read()
    except OSError as failed:
        raise unreadable(path, failed, error) from None


def open_input(
    path: str | os.PathLike[str], error: type[FencepostError] = FencepostError
) -> IO[bytes]:
    """Open a file or a pipe for reading; raise ``error`` for devices, whose data have no end."""
    info = os.stat(path)
    if stat.S_ISFIFO(info.st_mode):
        return io.BytesIO(_pipe(path, (info.st_dev, info.st_ino)))
    stream = open(path, "rb")  # noqa: SIM115 - the caller closes it
    if stat.S_ISBLK(info.st_mode) or (stat.S_ISCHR(info.st_mode) and not stream.isatty()):
        stream.close()
        raise error(f"{path} is a device: give a file, or - for standard input")
    return stream


def _pipe(path: str | os.PathLike[str], key: tuple[int, int]) -> bytes:
    """Return the content of a pipe, which can be read only once."""
    if _pipes is not None and key in _pipes:
        return _pipes[key]
    with open(path, "rb") as stream:
        data = stream.read()
    if _pipes is not None:
        _pipes[key] = data
    return data


_pipes: dict[tuple[int, int], bytes] | None = None


def keep_pipes() -> None:
    """Keep what pipes hold from now on: a command may have to look at a file twice."""
    global _pipes
    _pipes = {}


def unreadable(
    path: str | os.PathLike[str], failed: OSError, error: type[FencepostError]
) -> FencepostError:
    """Return the sentence about a file that cannot be read."""
    return error(f"{path} cannot be read: {failed.strerror or failed}")
