"""How many threads the kernels use; the numbers are the same for any."""

from __future__ import annotations

import os
import re

from fencepost import _core
from fencepost._command import is_command
from fencepost.model.checks import FencepostError

MOST = 4096  # threads


def set_threads(count: int | None = None) -> int:
    """Use this many threads (None: FENCEPOST_THREADS, else all cores); returns the number."""
    if count is None:
        given = os.environ.get("FENCEPOST_THREADS", "")
        if given and not re.fullmatch(r"0*[1-9][0-9]{0,3}", given, re.ASCII):
            raise FencepostError(
                f"FENCEPOST_THREADS must be a whole number from 1 to {MOST}, found {given!r}; "
                "unset it to use all cores"
            )
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        count = int(given) if given else (cores or 1)
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= MOST:
        raise FencepostError(f"the number of threads must be from 1 to {MOST}, found {count!r}")
    _core.set_threads(count)
    return count


try:
    set_threads()
except FencepostError as error:
    if not is_command():
        raise
    raise SystemExit(f"fencepost: {error}") from None  # no command has begun that could say so
