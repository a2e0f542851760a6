"""The page of formats: every shape has an example, and it is read as the page says."""

import re
from pathlib import Path

import pytest

from support import run

PAGE = (Path(__file__).parent.parent / "docs" / "formats.md").read_text(encoding="utf-8")
SHAPES = PAGE.partition("## What is a row?")[2].partition("\n## ")[0]
# A fenced block with a file's name holds the file; one of the console has a command, and the line
# that it prints first.
BLOCK = re.compile(
    r"```\w+ (\S+)\n(.*?)```\n\n```console\n\$ fencepost (look [^\n]*)\n(.*?)```", re.S
)
EXAMPLES = BLOCK.findall(SHAPES)


def test_every_shape_has_an_example():
    sections = SHAPES.split("\n### ")[1:]
    assert len(sections) == 7 and all(BLOCK.search(section) for section in sections)


@pytest.mark.parametrize(
    ("name", "content", "command", "shown"), EXAMPLES, ids=[one[0] for one in EXAMPLES]
)
def test_an_example_is_read_as_the_page_says(tmp_path, name, content, command, shown):
    (tmp_path / name).write_text(content, encoding="utf-8")
    done = run(*command.split(), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    first = " ".join(done.stdout.split("\n  format ")[0].split())
    assert first == " ".join(shown.split())


def test_links_on_the_page_lead_somewhere():
    headings = re.findall(r"^#+ (.*)$", PAGE, re.M)
    anchors = {re.sub(r"[^\w -]", "", one.lower()).replace(" ", "-") for one in headings}
    assert set(re.findall(r"\]\(#([^)]*)\)", PAGE)) <= anchors
