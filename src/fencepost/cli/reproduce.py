"""fencepost reproduce: what the papers printed, and what we get."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

from fencepost.cli.options import Arguments, UsageError, named
from fencepost.cli.outputs import command_line, output, say_notes, write_other_form, write_page
from fencepost.report.papers import as_printed, write_reproduction
from fencepost.report.text import fit, folded, terminal_width, write_table
from fencepost.scoring.tables import Table
from fencepost.study.papers import KEYS, find
from fencepost.study.papers.base import COLUMNS, Paper, PaperError, Run

ALL = "all"


def run(args: Arguments) -> int:
    """List, or recompute."""
    if not args.papers:
        for option in ("item", "plot", "html"):
            if getattr(args, option):
                raise UsageError(f"--{option} needs a paper: {', '.join(KEYS)}, or all")
        _list(sys.stdout)
        return 0
    keys = list(KEYS) if ALL in args.papers else list(dict.fromkeys(args.papers))
    papers = _with_item([named(find, key) for key in keys], args.item, ALL in args.papers)
    if args.plot:
        _check_plot(papers, args.item)
    how = _how(args)
    rows: list[dict[str, Any]] = []
    with _progress(sum(len(paper.items) for paper in papers)) as say:
        for paper in papers:
            rows += paper.table(replace(how, progress=say), args.item).rows
    table = Table(COLUMNS, tuple(rows), name="reproduction")
    with output(args) as stream:
        if args.form:
            read_by_people = args.form in ("markdown", "latex")
            write_other_form(args.form, as_printed(table) if read_by_people else table, stream)
        else:
            write_reproduction(table, args.all_lines, stream)
    if args.plot:
        from fencepost.report.figures import draw_papers, save

        save(draw_papers(papers, how, args.item), args.plot)
        say_notes([f"curves written to {args.plot}"])
    if args.html:
        from fencepost.report.html.papers import papers_page

        write_page(args, papers_page(papers, table, how, args.item, command_line()))
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
        say_notes([f"no item {item!r} in {', '.join(without)}: ignored"])
    return kept


def _check_plot(papers: list[Paper], item: str | None) -> None:
    """Without curves or matplotlib nothing needs to be computed."""
    from fencepost.report.figures import figure_class, has_curves

    if not any(has_curves(paper, item) for paper in papers):
        named = ", ".join(paper.key for paper in papers) + (f", {item}," if item else "")
        having = " and ".join(key for key in KEYS if has_curves(find(key)))
        raise UsageError(f"--plot: {named} has no curves; {having} have")
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

    from fencepost.report.terminal import raw

    with Progress(console=Console(file=raw(sys.stderr)), transient=True) as bar:
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
        title = folded(f"{key}: {paper.cite}", terminal_width(out), rest="  ")
        out.write(fit(f"{title}\n", out))
        rows = [[f"  {item.name}", item.what] for item in paper.items]
        write_table(["", ""], rows, out, left=2)
        out.write("\n")
    out.write("fencepost reproduce PAPER [--item NAME] [--data DIR] [--fast]\n")
