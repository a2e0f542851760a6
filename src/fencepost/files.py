"""Files that are written whole or not at all, whatever interrupts the writing."""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from fencepost.model.checks import FencepostError


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
        if target.exists() and not stat.S_ISREG(target.stat().st_mode):
            with target.open("wb") as stream:
                yield from _wrapped(stream, text)
            return
        beside = target.with_name(f".{target.name[:200]}.{os.getpid()}-{os.urandom(4).hex()}.part")
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
    wrapped = io.TextIOWrapper(stream, encoding="utf-8", newline="")
    yield wrapped
    wrapped.detach()


def write_whole(
    path: str | os.PathLike[str], data: bytes, error: type[FencepostError] = FencepostError
) -> None:
    """Write these bytes to a file, whole or not at all."""
    with writing(path, error) as stream:
        stream.write(data)
