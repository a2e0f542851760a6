"""fencepost demo: small bundled examples, scored and drawn, or copied to work with."""

from __future__ import annotations

import sys
from importlib.resources import as_file, files
from pathlib import Path

from fencepost.cli.options import Arguments, UsageError
from fencepost.files import write_whole
from fencepost.report.text import fit
from fencepost.wording import listed, plural


def run(args: Arguments) -> int:
    """Show three commands with their output, or copy the files of the examples."""
    with as_file(files("fencepost") / "data") as folder:
        if args.copy is not None:
            return _copy(folder, Path(args.copy))
        return _show(folder)


def _show(folder: Path) -> int:
    from fencepost.cli import main

    gold, careful, hasty = (str(folder / f"{n}.jsonl") for n in ("gold", "careful", "hasty"))
    commands = [
        ["score", gold, "-i", careful, hasty, "-m", "pk", "windowdiff", "F", "B", "A"],
        ["edits", gold, "-i", hasty, "--text", "garden"],
        ["agree", str(folder / "stargazers.json")],
    ]
    for number, command in enumerate(commands):
        shown = " ".join(
            part.rpartition("/")[2] if part.startswith(str(folder)) else part for part in command
        )
        print(fit("\n" * (2 * (number > 0)) + f"$ fencepost {shown}", sys.stdout))
        code = main(command)
        if code:
            return code
    print(
        fit(f"\nfencepost demo --copy DIR copies the files, which are in\n  {folder}", sys.stdout)
    )
    print("your own files:\n  fencepost look FILE\n  fencepost score REF -i HYP")
    return 0


def _copy(folder: Path, target: Path) -> int:
    """Copy the files into a folder that has none of their names yet."""
    sources = sorted(path for path in folder.iterdir() if path.is_file())
    there = [path.name for path in sources if (target / path.name).exists()]
    if there:
        raise UsageError(
            f"--copy {target}: {listed(there)} would be overwritten: give another folder"
        )
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as failed:
        raise UsageError(f"--copy {target}: {failed.strerror}") from None
    for path in sources:
        write_whole(target / path.name, path.read_bytes(), UsageError)
    print(fit(f"{plural(len(sources), 'file')} copied to {target}; for a start:", sys.stdout))
    print("  fencepost look gold.jsonl")
    print("  fencepost score gold.jsonl -i careful.jsonl hasty.jsonl")
    print("  fencepost agree stargazers.json")
    print("  fencepost resegment speech.ref1.txt speech.ref2.txt -i speech.hyp.txt")
    return 0
