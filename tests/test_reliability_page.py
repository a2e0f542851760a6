"""What docs/reliability.md counts is what is there now; other figures are those of long runs."""

import json
import re
from pathlib import Path

import pytest

import growing
import hostile

TESTS = Path(__file__).parent
PAGE = (TESTS.parent / "docs" / "reliability.md").read_text(encoding="utf-8")


def _source(name):
    return (TESTS / name).read_text(encoding="utf-8")


def _targets():
    return len(re.findall(r"^void check_", _source("native/targets.hpp"), re.M))


def _mutants():
    """The module is a program: it is not imported."""
    return len(re.findall(r"^    Mutant\(", _source("native/mutants.py"), re.M))


def _entries(name, *starts):
    """Count the rows of a list or table of a test, behind these words."""
    rows = _source(name)
    for start in starts:
        rows = rows.partition(start)[2]
    rows = re.split(r"^[ ]{0,4}[\])}]", rows, maxsplit=1, flags=re.M)[0]
    return len(re.findall(r"^ +\(", rows, re.M))


def _outputs():
    return _entries("cli/test_interrupted.py", "OUTPUTS = {\n")


COUNTED = {
    "over (\\d+) targets": _targets,
    "300 inputs for each of (\\d+) targets": lambda: _targets() - 1,  # threads have a row of theirs
    "targets, and (\\d+) files, no finding": lambda: sum(
        path.is_file() for path in (TESTS / "native" / "corpus").rglob("*")
    ),
    "\\| (\\d+) changes; ": _mutants,
    "(\\d+) pieces, alone": lambda: len(hostile.PIECES),
    "and (\\d+) files with growing": lambda: len(growing.GROWING),
    "(\\d+) outputs under a full disk": _outputs,
    "full disk, (\\d+) under each signal": lambda: len(range(0, _outputs(), 3)),
    "(\\d+) outputs, each one sentence": _outputs,
    "(\\d+) commands, no sign obeyed": lambda: _entries(
        "report/test_terminal.py", "def on_both(", '("words", "code"),'
    ),
    "\\((\\d+) with those found since\\)": lambda: len(
        json.loads(_source("mutation_equivalent.json"))
    ),
}


@pytest.mark.parametrize("pattern", COUNTED)
def test_the_page_counts_what_is_there(pattern):
    (figure,) = re.findall(pattern, PAGE)
    assert int(figure) == COUNTED[pattern]()
