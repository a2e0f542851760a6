"""What a finding is: a claim, its source, what is right instead, and a proof that can be run."""

from __future__ import annotations

import doctest
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from textwrap import dedent
from typing import Literal

from fencepost.model.checks import FencepostError
from fencepost.study.papers.base import Run

Verdict = Literal["holds", "fails", "not run"]


@dataclass(frozen=True)
class Finding:
    """One place where a printed number or another tool's output is wrong."""

    name: str
    about: str  # the paper or the tool, with its version
    claim: str  # one sentence
    source: str
    right: str
    proof: str  # Python console lines with their output
    needs: tuple[str, ...] = ()  # packages that the proof runs
    data: str = ""  # a file under FENCEPOST_DATA that the proof reads

    @property
    def lines(self) -> str:
        """The proof without indentation."""
        return dedent(self.proof).strip() + "\n"

    def missing(self) -> str:
        """Return what the proof needs and is not here; nothing where all of it is."""
        absent = [one for one in self.needs if one not in sys.modules and find_spec(one) is None]
        if absent:
            return f"needs pip install {' '.join(absent)}"
        if self.data and Run.usual().file(self.data) is None:
            return f"needs {self.data} in the folder that FENCEPOST_DATA names"
        return ""

    def run(self) -> Outcome:
        """Run the proof line by line; compare what it prints with what is written."""
        missing = self.missing()
        if missing:
            return Outcome(self, "not run", missing)
        test = doctest.DocTestParser().get_doctest(self.lines, {}, self.name, None, 0)
        told: list[str] = []
        runner = doctest.DocTestRunner(verbose=False)
        with _silent_stderr():
            failed = runner.run(test, out=told.append).failed
        return Outcome(self, "fails" if failed else "holds", "".join(told).strip())


@contextmanager
def _silent_stderr() -> Iterator[None]:
    """Let what other tools say on the process's stderr go nowhere: some are not Python."""
    kept = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


@dataclass(frozen=True)
class Outcome:
    """What running a proof gave."""

    finding: Finding
    verdict: Verdict
    why: str = ""


def named(findings: Sequence[Finding], name: str) -> Finding:
    """Return the finding of this name."""
    known = {one.name: one for one in findings}
    if name not in known:
        raise FencepostError(
            f"no finding {name!r}: choose from {', '.join(known)} (fencepost findings lists them)"
        )
    return known[name]
