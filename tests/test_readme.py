"""The README is run: Python blocks, console blocks, and the table of metrics."""

import doctest
import re
import shlex
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

from fencepost.cli.metrics import markdown_list

README = Path(__file__).parent.parent / "README.md"
TEXT = README.read_text(encoding="utf-8")
PYTHON = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
CONSOLE = re.findall(r"```console\n\$ (.*?)\n(.*?)```", TEXT, re.DOTALL)


def test_python_blocks_give_what_they_say():
    parser = doctest.DocTestParser()
    runner = doctest.DocTestRunner()
    test = parser.get_doctest("\n".join(PYTHON), {}, "README", str(README), 0)
    result = runner.run(test)
    assert result.attempted >= 6
    assert result.failed == 0


@pytest.mark.parametrize(("command", "output"), CONSOLE, ids=[c for c, _ in CONSOLE])
def test_console_blocks_print_what_they_say(command, output):
    words = shlex.split(command)
    assert words[0] == "fencepost"
    done = subprocess.run(
        [sys.executable, "-m", "fencepost", *words[1:]],
        cwd=str(files("fencepost") / "data"),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.stderr == ""
    assert done.stdout == output


def test_the_table_of_metrics_is_the_registry():
    table = TEXT.partition("checked by the tests -->\n")[2].partition("\n<!-- /metrics")[0]
    assert table == markdown_list()


def test_console_blocks_are_there_and_the_page_is_short():
    assert len(CONSOLE) == 2
    assert len(TEXT.splitlines()) <= 150
