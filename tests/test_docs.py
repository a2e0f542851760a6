"""Pages under docs/ whose examples are run: console blocks, beside the files that they show."""

import re
import shlex
import shutil
from pathlib import Path

import pytest

from support import DATA, run

DOCS = Path(__file__).parent.parent / "docs"
PAGES = ["hierarchy.md", "references.md"]
FILE = re.compile(r"`([\w.]+)`:\n\n```(?:json|markdown)\n(.*?)```", re.DOTALL)
CONSOLE = re.compile(r"```console\n\$ fencepost (.*?)\n(.*?)```", re.DOTALL)
BLOCKS = [
    (page, *block)
    for page in PAGES
    for block in CONSOLE.findall((DOCS / page).read_text(encoding="utf-8"))
]


@pytest.mark.parametrize(("page", "command", "output"), BLOCKS, ids=[b[1] for b in BLOCKS])
def test_console_blocks_print_what_they_say(page, command, output, tmp_path):
    shutil.copytree(DATA, tmp_path, dirs_exist_ok=True)
    for name, content in FILE.findall((DOCS / page).read_text(encoding="utf-8")):
        (tmp_path / name).write_text(content, encoding="utf-8")
    done = run(*shlex.split(command), cwd=tmp_path)
    assert done.stderr == ""
    assert done.stdout == output


@pytest.mark.parametrize("page", PAGES)
def test_every_page_has_blocks(page):
    assert [one for one in BLOCKS if one[0] == page]
