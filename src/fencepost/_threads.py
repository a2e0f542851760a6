"""How many threads the kernels use; the numbers are the same for any."""

from __future__ import annotations

import os

from fencepost import _core
from fencepost.model.checks import FencepostError


def set_threads(count: int | None = None) -> int:
    """Use this many threads (None: FENCEPOST_THREADS, else all cores); returns the number."""
    if count is None:
        given = os.environ.get("FENCEPOST_THREADS", "")
        if given and not (given.isascii() and given.isdigit() and int(given) > 0):
            raise FencepostError(
                f"FENCEPOST_THREADS must be a whole number from 1 up, found {given!r}"
            )
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        count = int(given) if given else (cores or 1)
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= 4096:
        raise FencepostError(f"the number of threads must be from 1 to 4096, found {count!r}")
    _core.set_threads(count)
    return count


set_threads()
