"""The README is run: Python blocks, console blocks, and the table of metrics."""

import doctest
import json
import re
import shlex
import shutil
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

from fencepost.cli.metrics import markdown_list
from fencepost.metrics.registry import known_presets
from support import DATA, csv_rows, data_folder, ok, put

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


# What stands for a file of one's own in the table "to | say".
FILES = {"FILE": "stargazers.json", "REF": "gold.jsonl", "HYP": "careful.jsonl",
         "DEV": "gold.jsonl", "PROBS": "probs.jsonl"}  # fmt: skip
SAY = TEXT.partition("| to | run |")[2].partition("\n\n")[0]
SAID = re.findall(r"`(fencepost [^`]+)`", SAY)
SPEECH = {"REF": "speech.ref1.txt", "HYP": "speech.hyp.txt"}


@pytest.mark.parametrize("command", SAID)
def test_commands_of_the_table_of_tasks_run(command, tmp_path):
    shutil.copytree(DATA, tmp_path, dirs_exist_ok=True)
    records = map(json.loads, (DATA / "hasty.jsonl").read_text(encoding="utf-8").splitlines())
    marks = ({"id": r["id"], "hyp": [0.8 * one + 0.1 for one in r["hyp"]]} for r in records)
    put(tmp_path, "probs.jsonl", "".join(f"{json.dumps(one)}\n" for one in marks))
    _, *words = shlex.split(command)
    files = {**FILES, **(SPEECH if words[0] == "resegment" else {})}
    more = ("--flags", "last") * (words[0] == "tune")
    assert ok(*(files.get(word, word) for word in words), *more, notes=True, cwd=tmp_path)


def test_the_options_and_pages_of_the_table_of_tasks_are_there():
    assert len(SAID) >= 6
    assert {*re.findall(r"`--like (\w+)`", SAY)} <= {*known_presets()}
    pages = re.findall(r"\]\(([\w/.-]+)\)", TEXT)
    assert pages and all((README.parent / page).exists() for page in pages)


def test_what_is_said_of_segsimflex_is_what_reproduce_finds():
    folder = data_folder("nccu").parent
    words = ("reproduce", "lai2023", "--item", "segsimflex", "--data", folder, "--csv")
    verdicts = [row["verdict"] for row in csv_rows(ok(*words, notes=True))]
    assert f"| {verdicts.count('equal')} of {len(verdicts)} of its numbers, with `--costs" in TEXT


def test_the_table_of_metrics_is_the_registry():
    table = TEXT.partition("checked by the tests -->\n")[2].partition("\n<!-- /metrics")[0]
    assert table == markdown_list()


def test_console_blocks_are_there_and_the_page_is_short():
    assert len(CONSOLE) == 2
    assert len(TEXT.splitlines()) <= 150
