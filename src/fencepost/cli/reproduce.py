"""fencepost reproduce: what the papers printed, and what we get."""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

from fencepost.cli.common import UsageError, open_output, write_other_form
from fencepost.papers import KEYS, find
from fencepost.papers.base import COLUMNS, Run
from fencepost.report.text import fit, terminal_width, write_table
from fencepost.result import Table

ALL = "all"
MOST_LINES = 12  # of an item; --csv has them all


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "papers", nargs="*", metavar="PAPER",
        help=f"{', '.join(KEYS)}, or all; none lists what there is",
    )  # fmt: skip
    parser.add_argument("--item", metavar="NAME", help='only this table or figure ("table 2")')
    parser.add_argument("--data", metavar="DIR", help="where corpora lie (default FENCEPOST_DATA)")
    parser.add_argument("--seed", type=int, default=12345)
    parser.add_argument("--fast", action="store_true", help="smaller sizes: seconds, not minutes")
    parser.add_argument("--all-lines", action="store_true", help="every number, not a part")
    output = parser.add_argument_group("output")
    form = output.add_mutually_exclusive_group()
    for name, what in (("json", "JSON"), ("csv", "a tidy table"), ("markdown", "Markdown"),
                       ("latex", "LaTeX")):  # fmt: skip
        form.add_argument(f"--{name}", dest="form", action="store_const", const=name, help=what)
    output.add_argument("-o", "--output", metavar="FILE", help="write there instead of stdout")
    parser.set_defaults(refs=[], hyps=[])


def run(args: argparse.Namespace) -> int:
    """List, or recompute."""
    if not args.papers:
        _list(sys.stdout)
        return 0
    keys = list(KEYS) if ALL in args.papers else list(dict.fromkeys(args.papers))
    papers = [find(key) for key in keys]
    how = replace(Run.usual(), seed=args.seed, fast=args.fast)
    if args.data:
        if not Path(args.data).is_dir():
            raise UsageError(f"--data {args.data} is not a folder")
        how = replace(how, data=Path(args.data))
    wanted = args.item.lower() if args.item else None
    rows: list[dict[str, Any]] = []
    with _progress() as say:
        for paper in papers:
            rows += paper.table(replace(how, progress=say), wanted).rows
    table = Table(COLUMNS, tuple(rows), name="reproduction")
    stream = open_output(args)
    try:
        if args.form:
            write_other_form(args.form, table, stream)
        else:
            _write(table, args.all_lines, stream)
    finally:
        if stream is not sys.stdout:
            stream.close()
    return 0


@contextmanager
def _progress() -> Iterator[Any]:
    """What is being computed, on stderr, where somebody watches."""
    if not sys.stderr.isatty():
        yield lambda message: None
        return
    from rich.console import Console

    with Console(stderr=True).status("starting") as status:
        yield status.update


def _list(out: IO[str]) -> None:
    for key in KEYS:
        paper = find(key)
        out.write(fit(f"{key}: {paper.cite}\n", out))
        rows = [[f"  {item.name}", item.what] for item in paper.items]
        write_table(["", ""], rows, out, left=2)
        out.write("\n")
    out.write("fencepost reproduce PAPER [--item NAME] [--data DIR] [--fast]\n")


def _write(table: Table, every: bool, out: IO[str]) -> None:
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in table.rows:
        groups.setdefault((row["paper"], row["item"]), []).append(row)
    for (paper, item), rows in groups.items():
        out.write(fit(f"{paper}, {item}: {_counted(rows)}\n", out))
        shown = rows if every else _first(rows)
        cells = [[f"  {r['where']}", _said(r["printed"]), _said(r["ours"]), _verdict(r)]
                 for r in shown]  # fmt: skip
        write_table(["", "printed", "ours", ""], cells, out, remark=True)
        if len(shown) < len(rows):
            out.write(f"  {len(rows) - len(shown)} more: --all-lines, or --csv\n")
        for note in dict.fromkeys(r["note"] for r in shown if r["note"]):
            out.write(fit(_wrapped(note, out) + "\n", out))
        out.write("\n")
    out.write(f"{len(table)} numbers and claims: {_counted(list(table.rows))}\n")


def _wrapped(note: str, out: IO[str]) -> str:
    return textwrap.fill(
        note, terminal_width(out), initial_indent="  ", subsequent_indent="  ",
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip


def _first(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Those that differ, and the first others."""
    odd = [r for r in rows if r["verdict"] in ("differs", "not reproduced")]
    rest = [r for r in rows if r not in odd]
    kept = {id(r) for r in [*odd, *rest][:MOST_LINES]}
    return [r for r in rows if id(r) in kept]


def _counted(rows: list[dict[str, Any]]) -> str:
    return ", ".join(f"{n} {v}" for v, n in Counter(r["verdict"] for r in rows).most_common())


def _verdict(row: dict[str, Any]) -> str:
    said = str(row["verdict"])
    if row["bound"] is not None:
        said += f" {row['bound']:.2g}"
    return said + (" (fitted)" if row["basis"] == "fitted" else "")


def _said(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.4f}" if isinstance(value, float) else str(value)
