"""Drawings in a terminal: as wide as it is, coloured unless NO_COLOR says no."""

import os
import re
import subprocess
import sys
from importlib.resources import files

import pytest

pty = pytest.importorskip("pty", reason="pseudo-terminals are Unix's")

COLOUR = re.compile("\x1b\\[[0-9;]*m")


def in_terminal(words, columns, **environment):
    """What a command writes to a terminal of so many columns."""
    ours, theirs = pty.openpty()
    env = {**os.environ, "COLUMNS": str(columns), "TERM": "xterm", "PYTHONIOENCODING": "utf-8"}
    env.pop("NO_COLOR", None)
    done = subprocess.Popen(
        [sys.executable, *words],
        stdout=theirs, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
        cwd=str(files("fencepost") / "data"), env={**env, **environment},
    )  # fmt: skip
    os.close(theirs)
    parts = []
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:
            break
        if not part:
            break
        parts.append(part)
    os.close(ours)
    assert done.wait() == 0
    return b"".join(parts).decode("utf-8").replace("\r", "")


EDITS = ["-m", "fencepost", "edits", "gold.jsonl", "-i", "hasty.jsonl", "--text", "kitchen"]


def test_edits_are_coloured_on_a_terminal():
    out = in_terminal(EDITS, 80)
    assert COLOUR.search(out)
    piped = subprocess.run([sys.executable, *EDITS], cwd=str(files("fencepost") / "data"),
                           capture_output=True, encoding="utf-8", check=True).stdout  # fmt: skip
    assert not COLOUR.search(piped)
    plain = [line.rstrip() for line in COLOUR.sub("", out).splitlines()]
    assert plain == [line.rstrip() for line in piped.splitlines()]


def test_no_color_is_obeyed():
    assert not re.search("\x1b\\[[0-9;]*3[0-9]m", in_terminal(EDITS, 80, NO_COLOR="1"))


@pytest.mark.parametrize("columns", [40, 80, 120])
def test_strips_are_wrapped_to_the_terminal(columns):
    out = COLOUR.sub("", in_terminal(EDITS, columns))
    strips = [line for line in out.splitlines() if re.match(r"(gold|hasty) +\d", line)]
    assert strips and max(map(len, strips)) <= columns


@pytest.mark.parametrize("columns", [40, 120])
def test_a_segmentation_is_printed_as_wide_as_the_terminal(columns):
    code = "import fencepost as fp; print(fp.Segmentation(60, [10, 20]))"
    lines = in_terminal(["-c", code], columns).splitlines()
    assert columns - 6 <= max(map(len, lines)) <= columns
