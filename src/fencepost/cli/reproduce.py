"""fencepost reproduce: what the papers printed, and what we get."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

from fencepost.cli.options import Arguments, UsageError
from fencepost.cli.outputs import output, say_notes, write_other_form
from fencepost.report.text import fit, folded, terminal_width, write_table
from fencepost.scoring.tables import Table
from fencepost.study.papers import KEYS, find
from fencepost.study.papers.base import COLUMNS, Paper, PaperError, Run

ALL = "all"
MOST_LINES = 12  # of an item; --csv has them all


def run(args: Arguments) -> int:
    """List, or recompute."""
    if not args.papers:
        for option in ("item", "plot"):
            if getattr(args, option):
                raise UsageError(f"--{option} needs a paper: {', '.join(KEYS)}, or all")
        _list(sys.stdout)
        return 0
    keys = list(KEYS) if ALL in args.papers else list(dict.fromkeys(args.papers))
    papers = _with_item([find(key) for key in keys], args.item, ALL in args.papers)
    if args.plot:
        _check_plot(papers)
    how = _how(args)
    rows: list[dict[str, Any]] = []
    with _progress(sum(len(paper.items) for paper in papers)) as say:
        for paper in papers:
            rows += paper.table(replace(how, progress=say), args.item).rows
    table = Table(COLUMNS, tuple(rows), name="reproduction")
    with output(args) as stream:
        if args.form:
            read_by_people = args.form in ("markdown", "latex")
            write_other_form(args.form, _as_printed(table) if read_by_people else table, stream)
        else:
            _write(table, args.all_lines, stream)
    if args.plot:
        from fencepost.report.figures import draw_papers, save

        save(draw_papers([paper.key for paper in papers], how), args.plot)
        say_notes([f"curves written to {args.plot}"])
    return 0


def _how(args: Arguments) -> Run:
    """The seed and the data; what is no folder is said, not passed over."""
    how = replace(Run.usual(), seed=args.seed, fast=args.fast)
    if args.data:
        if not Path(args.data).is_dir():
            raise UsageError(f"--data {args.data} is not a folder")
        return replace(how, data=Path(args.data))
    if how.data is not None and not how.data.is_dir():
        say_notes([f"FENCEPOST_DATA is {how.data}, which is not a folder: no data are used"])
        return replace(how, data=None)
    return how


def _with_item(papers: list[Paper], item: str | None, every: bool) -> list[Paper]:
    """The papers that have the item; before anything is computed."""
    if item is None:
        return papers
    kept, without = [], []
    for paper in papers:
        try:
            paper.chosen(item)
            kept.append(paper)
        except PaperError:
            if not every:
                raise
            without.append(paper.key)
    if not kept:
        raise PaperError(f"no paper has an item {item!r}; fencepost reproduce lists what there is")
    if without:
        say_notes([f"no item {item!r} in {', '.join(without)}: left out"])
    return kept


def _check_plot(papers: list[Paper]) -> None:
    """Without curves or matplotlib nothing needs to be computed."""
    from fencepost.report.figures import PAPERS, figure_class

    if not any(paper.key in PAPERS for paper in papers):
        named = ", ".join(paper.key for paper in papers)
        raise UsageError(f"--plot: {named} has no curves; {' and '.join(PAPERS)} have")
    try:
        figure_class()
    except ImportError as error:
        raise UsageError(str(error)) from None


@contextmanager
def _progress(items: int) -> Iterator[Any]:
    """A bar on stderr that names the item being computed, where somebody watches."""
    if not sys.stderr.isatty():
        yield lambda message: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("starting", total=items)
        begun = 0

        def say(message: str) -> None:
            nonlocal begun
            bar.update(task, description=message, completed=begun)
            begun += 1

        yield say


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
        notes = list(dict.fromkeys(r["note"] for r in shown if r["note"]))
        marks = {note: f" [{number}]" for number, note in enumerate(notes, 1)}
        cells = [[f"  {r['where']}", _printed(r), _ours(r),
                  _verdict(r) + marks.get(r["note"], "")] for r in shown]  # fmt: skip
        write_table(["", "printed", "ours", ""], cells, out, remark=True)
        if len(shown) < len(rows):
            out.write(f"  {len(rows) - len(shown)} more: --all-lines, or --csv\n")
        for note, mark in marks.items():
            said = folded(f"{mark.strip()} {note}", terminal_width(out), first="  ", rest="  ")
            out.write(fit(f"{said}\n", out))
        out.write("\n")
    out.write(f"{len(table)} numbers and claims: {_counted(list(table.rows))}\n")


def _first(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Those that differ, then the first others, and last what has no number of ours."""
    order = {"differs": 0, "not reproduced": 2}
    ranked = sorted(rows, key=lambda row: order.get(row["verdict"], 1))
    kept = {id(row) for row in ranked[:MOST_LINES]}
    return [r for r in rows if id(r) in kept]


def _counted(rows: list[dict[str, Any]]) -> str:
    return ", ".join(f"{n} {v}" for v, n in Counter(r["verdict"] for r in rows).most_common())


def _verdict(row: dict[str, Any]) -> str:
    said = str(row["verdict"])
    if row["bound"] is not None:
        said += f" {_bound(row)}"
    return said + (" (fitted)" if row["basis"] == "fitted" else "")


def _as_printed(table: Table) -> Table:
    """The table as people read it: numbers with the digits of the paper."""
    columns = tuple(column for column in COLUMNS if column != "digits")
    rows = tuple(
        {**{c: row[c] for c in columns}, "printed": _printed(row), "ours": _ours(row),
         "bound": _bound(row)}
        for row in table.rows
    )  # fmt: skip
    return Table(columns, rows, name=table.name)


def _digits(row: dict[str, Any]) -> int:
    """Behind the point, as printed; where that is not recorded, as many as the number has."""
    if row["digits"] is not None:
        return int(row["digits"])
    _, _, behind = f"{row['printed']:.10g}".partition(".")
    return len(behind)


def _printed(row: dict[str, Any]) -> str:
    value = row["printed"]
    if value is None or isinstance(value, str):
        return value or ""
    return f"{value:.{_digits(row)}f}"


def _ours(row: dict[str, Any]) -> str:
    """One digit more than printed, so that rounding can be seen; whole numbers stay whole."""
    value, printed = row["ours"], row["printed"]
    if value is None or isinstance(value, str):
        return value or ""
    if printed is None or isinstance(printed, str):
        return f"{value:.4g}" if isinstance(value, float) else str(value)
    digits = _digits(row)
    if digits == 0 and float(value).is_integer():
        return f"{value:.0f}"
    return f"{value:.{digits + 1}f}"


def _bound(row: dict[str, Any]) -> str:
    return "" if row["bound"] is None else f"{row['bound']:.2g}"
