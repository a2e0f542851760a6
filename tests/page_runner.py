"""Run the examples of a page under docs/ from top to bottom, in a folder of its own.

A page shows files (a name in backticks and a colon, then a block), commands (console blocks, each
line after "$ " with its output below) and Python (blocks with >>>). Bundled example files are there
from the start. A line "..." in an output stands for any number of lines.

    python tests/page_runner.py docs/tutorials/evaluate.md    write the outputs anew into the page
    python tests/page_runner.py                               into all pages (make pages)
"""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from support import DATA, run

DOCS = Path(__file__).parent.parent / "docs"
PAGES = [
    *(
        DOCS / f"{name}.md"
        for name in (
            "agreement",
            "flexible",
            "hierarchy",
            "probabilities",
            "probe",
            "references",
            "reproduce",
            "resegment",
            "see",
            "tune",
        )
    ),
    *sorted(
        path
        for room in ("tutorials", "howto", "explanation")
        for path in (DOCS / room).glob("*.md")
    ),
]
PAGES = [DOCS / "index.md", *(path for path in PAGES if path.name != "index.md")]

BLOCK = re.compile(
    r"(?:`(?P<name>[\w./-]+)`:\n\n)?^```(?P<language>\w+)\n(?P<body>.*?)^```$", re.M | re.S
)
# A command goes on in the next line, after "> ", where a line ends with a backslash.
COMMAND = re.compile(r"\$ (?:.*\\\n> )*.*\n")


@dataclass
class Example:
    """A command or a statement: what the page says that it prints, and what it printed."""

    source: str
    want: str
    got: str
    failed: bool = False

    @property
    def agrees(self) -> bool:
        """Whether the page is right; an error must be shown, and is not just any output."""
        if self.failed and self.want == "...\n":
            return False
        pattern = re.escape(self.want)
        pattern = re.sub(r"(?m)^\\\.\\\.\\\.(\\\n|\n)", "(?:.*\\\\n)*?", pattern)
        return re.fullmatch(pattern, self.got) is not None


@dataclass
class Page:
    """A page being run: its folder, the last exit code, and the names that Python knows."""

    folder: Path
    code: int = 0
    names: dict[str, Any] = field(default_factory=dict)
    ran: list[Example] = field(default_factory=list)

    def run(self, text: str) -> str:
        """Run all blocks; return the page with the outputs of this run."""
        shutil.copytree(DATA, self.folder, dirs_exist_ok=True)
        with contextlib.chdir(self.folder):
            return BLOCK.sub(self._block, text)

    def _block(self, found: re.Match[str]) -> str:
        body = found["body"]
        if found["name"] is not None and found["language"] != "console":
            path = self.folder / found["name"]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(body, encoding="utf-8")
        elif found["language"] == "console":
            body = "".join(self._commands(body))
        elif found["language"] == "python" and body.startswith(">>>"):
            body = "".join(self._statements(body))
        start, end = found.start("body") - found.start(), found.end("body") - found.start()
        return found[0][:start] + body + found[0][end:]

    def _commands(self, body: str) -> Iterator[str]:
        for part in re.split(r"^(?=\$ )", body, flags=re.M):
            if not part:
                continue
            found = COMMAND.match(part)
            assert found, part
            command, want = found[0], part[found.end() :]
            words = shlex.split(command[2:].replace("\\\n> ", " "))
            got = self._output(words)
            failed = words[0] == "fencepost" and self.code in (1, 2)
            example = Example(command, want, got, failed)
            self.ran.append(example)
            yield command + (want if example.agrees else example.got)

    def _output(self, words: list[str]) -> str:
        """What a command prints; few others than fencepost are known."""
        if words == ["echo", "$?"]:
            return f"{self.code}\n"
        if words[0] == "cat":
            return "".join(Path(name).read_text(encoding="utf-8") for name in words[1:])
        if words[0] == "head":
            lines = Path(words[2]).read_text(encoding="utf-8").splitlines(keepends=True)
            return "".join(lines[: int(words[1][1:])])
        assert words[0] == "fencepost", words
        done = run(*words[1:], cwd=self.folder)
        self.code = done.returncode
        return done.stdout + done.stderr

    def _statements(self, body: str) -> Iterator[str]:
        for piece in doctest.DocTestParser().parse(body):
            if isinstance(piece, str):
                yield piece
                continue
            printed, failed = io.StringIO(), False
            with contextlib.redirect_stdout(printed):
                try:
                    exec(compile(piece.source, "<page>", "single"), self.names)
                except Exception as error:
                    failed = True
                    print(f"Traceback (most recent call last):\n{type(error).__name__}: {error}")
            example = Example(piece.source, piece.want, printed.getvalue(), failed)
            self.ran.append(example)
            first, *rest = piece.source.splitlines()
            lines = [f">>> {first}", *(f"... {line}".rstrip() for line in rest)]
            yield "\n".join(lines) + "\n" + (piece.want if example.agrees else example.got)


def main() -> None:
    """Write the outputs of the named pages anew, or of all pages."""
    for name in sys.argv[1:] or PAGES:
        path = Path(name)
        with tempfile.TemporaryDirectory() as folder:
            text = Page(Path(folder)).run(path.read_text(encoding="utf-8"))
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
