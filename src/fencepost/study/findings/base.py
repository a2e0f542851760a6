"""What a finding is: a claim, its source, what is right instead, and a proof that can be run."""

from __future__ import annotations

import ast
import doctest
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
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

    @property
    def absent(self) -> set[str]:
        """The packages that the proof runs and that are not installed."""
        return {one for one in self.needs if one not in sys.modules and find_spec(one) is None}

    def missing(self) -> str:
        """Return what the proof needs and is not here; nothing where all of it is."""
        if self.absent:
            return f"needs pip install {' '.join(sorted(self.absent))}"
        if self.data and Run.usual().file(self.data) is None:
            return f"needs {self.data} in the folder that FENCEPOST_DATA names"
        return ""

    def run(self) -> Outcome:
        """Run the proof line by line; compare what it prints with what is written.

        Where another tool is not installed, its lines are not run: what it prints is written there.
        """
        missing = self.missing()
        test = doctest.DocTestParser().get_doctest(self.lines, {}, self.name, None, 0)
        test.examples = list(_independent(test.examples, self.absent))
        if missing and (not self.absent or not any(one.want for one in test.examples)):
            return Outcome(self, "not run", missing)
        told: list[str] = []
        runner = doctest.DocTestRunner(verbose=False)
        with _silent_stderr():
            failed = runner.run(test, out=told.append).failed
        ours = missing and f"fencepost's lines; the others need {missing.removeprefix('needs ')}"
        return Outcome(self, "fails" if failed else "holds", "".join(told).strip() or ours)


def _independent(
    examples: Iterable[doctest.Example], absent: set[str]
) -> Iterator[doctest.Example]:
    """Yield the lines that use nothing of these packages, nor what was made with them."""
    made = set(absent)
    for one in examples:
        tree = list(ast.walk(ast.parse(one.source)))
        names = [node for node in tree if isinstance(node, ast.Name)]
        imported = [node for node in tree if isinstance(node, ast.Import | ast.ImportFrom)]
        modules = {
            name.partition(".")[0]
            for node in imported
            for name in (getattr(node, "module", None) or node.names[0].name,)
        }
        if not made & (modules | {node.id for node in names}):
            yield one
            continue
        made |= {alias.asname or alias.name for node in imported for alias in node.names}
        made |= {node.id for node in names if isinstance(node.ctx, ast.Store)}


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
