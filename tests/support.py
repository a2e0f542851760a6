"""What tests share: running the command line, writing small files, reading output back."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

import fencepost as fp
from fencepost.cli import main

# The metrics of segmentations, and those of words against references.
PAIR_METRICS = {name: one for name, one in fp.METRICS.items() if one.input == "pairs"}
WORD_METRICS = {name: one for name, one in fp.METRICS.items() if one.input == "words"}

DATA = Path(str(files("fencepost"))) / "data"  # what is bundled with the package
SAMPLES = Path(__file__).parent / "samples"
GOLDEN = Path(__file__).parent / "golden"


# The command line.


@dataclass(frozen=True)
class Done:
    """What a command left behind."""

    returncode: int
    stdout: str
    stderr: str


def run(
    *words: object,
    cwd: str | Path | None = None,
    stdin: str | bytes | None = None,
    env: dict[str, str] | None = None,
    encoding: str = "utf-8",
) -> Done:
    """Run ``fencepost WORDS`` in this process, with streams, folder and environment of its own.

    Variables that Python reads when it starts (PYTHONPATH, ...) make it a process of its own.
    """
    if any(name.startswith("PYTHON") for name in env or {}):
        return run_apart(*words, cwd=cwd, stdin=stdin, env=env)
    given = stdin.encode("utf-8") if isinstance(stdin, str) else stdin or b""
    # Real files: commands ask for the number of a stream, and whether it is a terminal.
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        streams = {
            "stdin": io.TextIOWrapper(io.BytesIO(given), encoding="utf-8"),
            "stdout": io.TextIOWrapper(out, encoding=encoding, newline=""),
            "stderr": io.TextIOWrapper(
                err, encoding=encoding, errors="backslashreplace", newline="", write_through=True
            ),
        }
        with (
            mock.patch.multiple(sys, **streams, argv=["fencepost", *map(str, words)]),
            mock.patch.dict(os.environ, env or {}),
            contextlib.chdir(cwd or os.curdir),
        ):
            code = _exit_code([str(word) for word in words])
        for stream in streams.values():
            stream.flush()
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(_text(file.read(), encoding))
        for stream in streams.values():
            stream.detach()
    return Done(code, *texts)


def _exit_code(words: list[str]) -> int:
    try:
        return main(words)
    except SystemExit as stop:  # argparse: --help, or bad usage
        return stop.code if isinstance(stop.code, int) else int(stop.code is not None)


def run_apart(
    *words: object,
    cwd: str | Path | None = None,
    stdin: str | bytes | None = None,
    env: dict[str, str] | None = None,
) -> Done:
    """Run ``fencepost WORDS`` as a process of its own: for start-up, streams and signals."""
    done = subprocess.run(
        [sys.executable, "-m", "fencepost", *map(str, words)],
        cwd=cwd,
        input=stdin.encode("utf-8") if isinstance(stdin, str) else stdin,
        capture_output=True,
        env={**os.environ, **(env or {})},
        check=False,
    )
    return Done(done.returncode, _text(done.stdout), _text(done.stderr))


def _text(output: bytes, encoding: str = "utf-8") -> str:
    return output.decode(encoding, "surrogateescape").replace("\r\n", "\n")


def ok(*words: object, notes: bool = False, **settings: Any) -> str:
    """Run a command that must succeed, silently unless it has ``notes``; return its output."""
    done = run(*words, **settings)
    assert done.returncode == 0, done.stderr
    assert notes or done.stderr == ""
    assert "Traceback" not in done.stderr and "Warning" not in done.stderr
    return done.stdout


def refused(code: int, *words: object, **settings: Any) -> str:
    """Run a command that must fail with one sentence and nothing else; return the sentence."""
    done = run(*words, **settings)
    assert (done.returncode, done.stdout) == (code, "")
    assert re.fullmatch(r"fencepost: [^\n]+\n", done.stderr), done.stderr
    return done.stderr.removeprefix("fencepost: ").rstrip("\n")


# Files and output.


def put(folder: Path, name: str, content: object) -> Path:
    """Write a file of this content: text, bytes, or anything else as JSON; return its path."""
    path = folder / name
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        text = content if isinstance(content, str) else json.dumps(content)
        path.write_text(text, encoding="utf-8", newline="")
    return path


def csv_rows(text: str) -> list[dict[str, str]]:
    """Return the rows of a CSV table with a header."""
    return list(csv.DictReader(io.StringIO(text)))


def data_folder(name: str) -> Path:
    """Return a folder of the data that is not bundled; skip the test where there is none."""
    if not os.environ.get("FENCEPOST_DATA"):
        pytest.skip(f"set FENCEPOST_DATA to the folder that holds {name}")
    return Path(os.environ["FENCEPOST_DATA"], name)


def signatures_in(out: str) -> list[str]:
    """Return the signatures of an output, with their common parts put back.

    The output is plain text, Markdown (whose signatures are code), or comments of LaTeX.
    """
    found, common = [], ""
    for line in out.splitlines():
        plain = line.removeprefix("% ").rstrip()
        own = plain.replace("`", "").strip()
        if own.endswith(", where ... is one of"):
            common = own.removesuffix(", where ... is one of")
        elif common and plain.startswith(("  ", "`")):
            found.append(common.replace("...", own))
        else:
            common = ""
            found += [own] * ("|fencepost:" in own)
    return found


def parts_of(signature: str) -> frozenset[str]:
    """Return the fields of a signature; put back, common parts may be in another order."""
    return frozenset(signature.split("|"))


# Memory. A program of its own begins with this source and then prints what it needs.

PEAK = '''
import resource, sys

def peak():
    """The most memory that this program has used, in bytes."""
    try:  # of this program alone; ru_maxrss remembers the size of whoever started it
        with open("/proc/self/status") as status:
            return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))
    except OSError:
        pass
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
'''


def python(code: str, *words: object, **settings: Any) -> str:
    """Run a program in a process of its own; return what it prints."""
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, words)],
        capture_output=True, text=True, check=False, **settings,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout
