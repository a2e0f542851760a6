"""What the commands share when they write an HTML page."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from fencepost.cli.common import UsageError

if TYPE_CHECKING:
    from fencepost.report.html import Page


def add_html(parser: argparse.ArgumentParser) -> None:
    """The option --html."""
    parser.add_argument(
        "--html", metavar="FILE", help="also write one self-contained page to look at in a browser"
    )


def check_html(args: argparse.Namespace, others: Sequence[str | None] = ()) -> None:
    """Refuse a page that cannot be written, before anything is computed."""
    if args.html is None:
        return
    if args.html == "-":
        raise UsageError("--html writes a file, not standard output: --html report.html")
    target = Path(args.html).resolve()
    inputs = [*args.refs, *args.hyps, *others, getattr(args, "output", None)]
    if any(target == Path(path).resolve() for path in inputs if path not in (None, "-")):
        raise UsageError(f"--html {args.html} is another file of this command already")
    if target.is_dir() or not target.parent.is_dir():
        reason = "it is a folder" if target.is_dir() else f"there is no folder {target.parent}"
        raise UsageError(f"{args.html} cannot be written: {reason}")


def command_line() -> str:
    """The command as it was given."""
    return shlex.join(["fencepost", *sys.argv[1:]])


def write_page(args: argparse.Namespace, page: Page) -> None:
    """Write the page and say so."""
    from fencepost.report.html import write_html

    for path in write_html(args.html, page):
        size = path.stat().st_size
        said = f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{max(1, round(size / 1e3))} kB"
        about = "" if path.suffix != ".json" else f", {page.beside} that do not fit"
        print(f"written: {path} ({said}{about})", file=sys.stderr)
