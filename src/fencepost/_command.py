"""Whether this process is the command line, and what Ctrl-C does until that has begun."""

from __future__ import annotations

import os
import signal
import sys

STOPPED = 130  # the exit code after Ctrl-C, as shells have it


def is_command() -> bool:
    """Whether this process is the command line, by the name of its script or behind -m."""
    if os.path.basename(sys.argv[0] if sys.argv else "") in ("fencepost", "fencepost.exe"):
        return True
    return sys.argv[:1] == ["-m"] and _module().partition(".")[0] == "fencepost"


def _module() -> str:
    """The module that Python was asked to run, while its package is imported."""
    words = iter(sys.orig_argv)
    option = next((word for word in words if word.startswith("-m")), "")
    return option.removeprefix("-m") or next(words, "")


def stop_at_once() -> None:
    """Let Ctrl-C end the program with a sentence: modules that are imported cannot be unwound."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _stop)


def stop_by_exception() -> None:
    """Let Ctrl-C raise KeyboardInterrupt again."""
    if signal.getsignal(signal.SIGINT) is _stop:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def stop_no_more() -> None:
    """Let Ctrl-C do nothing: all is done, and the program ends by itself."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _stop(number: int, frame: object) -> None:
    try:  # noqa: SIM105 - contextlib would be imported before Ctrl-C is answered
        os.write(2, b"fencepost: stopped\n")
    except OSError:  # standard error is closed
        pass
    os._exit(STOPPED)
