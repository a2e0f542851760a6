"""fencepost demo: a small bundled example, scored and drawn."""

from __future__ import annotations

import sys
from importlib.resources import as_file, files

from fencepost.cli.options import Arguments
from fencepost.report.text import fit


def run(args: Arguments) -> int:
    """Show three commands with their output."""
    from fencepost.cli import main

    with as_file(files("fencepost") / "data") as folder:
        gold, careful, hasty = (str(folder / f"{n}.jsonl") for n in ("gold", "careful", "hasty"))
        commands = [
            ["score", gold, "-i", careful, hasty, "-m", "pk", "windowdiff", "F", "B", "A"],
            ["edits", gold, "-i", hasty, "--text", "garden"],
            ["agree", str(folder / "stargazers.json")],
        ]
        for number, command in enumerate(commands):
            shown = " ".join(
                part.rpartition("/")[2] if part.startswith(str(folder)) else part
                for part in command
            )
            print(fit("\n" * (2 * (number > 0)) + f"$ fencepost {shown}", sys.stdout))
            code = main(command)
            if code:
                return code
    print("\nyour own files: fencepost score REF -i HYP   (fencepost --help)")
    return 0
