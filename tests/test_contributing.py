"""CONTRIBUTING.md, followed to the letter in a temporary copy of the package."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import fencepost
from page_runner import COMMAND, Example
from support import DATA

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
# `file`, what to do: then a block; or a block of commands.
STEP = re.compile(
    r"(?:^`(?P<file>[^`\n]+)`, (?P<how>new|at the end|below `(?P<line>[^`\n]+)`):\n\n)?"
    r"^```(?P<language>\w+)\n(?P<body>.*?)^```$",
    re.M | re.S,
)
SECTIONS = ["A metric in ten minutes", "A format in twenty", "An option"]


def section(title: str) -> str:
    return PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The installed package under src/, and what its tests and pages need."""
    skip = shutil.ignore_patterns("__pycache__", "_build")
    shutil.copytree(Path(fencepost.__file__).parent, tmp_path / "src" / "fencepost", ignore=skip)
    for name in ("tests", "docs"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=skip)
    for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    shutil.copytree(DATA, tmp_path, dirs_exist_ok=True)
    return tmp_path


def follow(text: str, folder: Path) -> Iterator[Example]:
    """Make the edits of a walk-through, and run its commands."""
    for step in STEP.finditer(text):
        if step["file"]:
            edit(folder / step["file"], step["how"], step["line"], step["body"])
            continue
        assert step["language"] == "console", step[0]
        for part in re.split(r"^(?=\$ )", step["body"], flags=re.M):
            if found := COMMAND.match(part):
                yield run(found[0], part[found.end() :], folder)


def edit(path: Path, how: str, line: str | None, body: str) -> None:
    if how == "new":
        assert not path.exists()
        path.write_text(body, encoding="utf-8")
        return
    text = path.read_text(encoding="utf-8")
    if line is None:
        path.write_text(f"{text}\n\n{body}", encoding="utf-8")
        return
    lines = text.splitlines(keepends=True)
    at = [number for number, own in enumerate(lines, start=1) if own.strip() == line]
    assert len(at) == 1, (path, line, at)
    path.write_text("".join([*lines[: at[0]], body, *lines[at[0] :]]), encoding="utf-8")


def run(command: str, want: str, folder: Path) -> Example:
    place = {
        **os.environ, "PYTHONPATH": str(folder / "src"), "COLUMNS": "80", "LC_ALL": "C.UTF-8",
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }  # fmt: skip
    done = subprocess.run(
        command[2:], shell=True, cwd=folder, env=place, capture_output=True, text=True, check=False
    )
    got = done.stdout + done.stderr
    assert done.returncode == 0, f"{command}\n{got}"
    return Example(command, want, got)


@pytest.mark.slow
@pytest.mark.parametrize("title", SECTIONS)
def test_a_walk_through_does_what_it_says(title, copy):
    ran = list(follow(section(title), copy))
    assert len(ran) >= 3
    for one in ran:
        assert one.agrees, f"{one.source}\nthe page:\n{one.want}\nnow:\n{one.got}"
    assert any("pytest" in one.source and " passed" in one.got for one in ran)


def test_hooks_are_the_tools_of_the_lint_extra():
    text = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    entries = re.findall(r"entry: \.venv/bin/(\S+)", text)
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    lint = extras["project"]["optional-dependencies"]["lint"]
    assert set(entries) == {one.partition("==")[0] for one in lint}
    assert re.findall(r"repo: (\S+)", text) == ["local"]
    assert text.count("language: system") == len(entries) == text.count("- id: ")


def test_sentences_of_walk_throughs_are_short():
    head = PAGE.partition("\n## Metrics in depth")[0]
    prose = re.sub(r"```.*?```", "", head, flags=re.S)
    prose = re.sub(r"`[^`]+`", "word", prose)
    for sentence in re.split(r"(?<=[.:])\s+", prose):
        assert len(sentence.split()) <= 25, sentence
