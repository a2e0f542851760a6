"""Plain text and terminals: aligned tables with arrows for the better end."""

from __future__ import annotations

import io
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import IO, Any

from fencepost.report.grid import Grid, shown, shown_cell, shown_interval

ARROWS = {"lower": "↓", "higher": "↑"}


def console(stream: IO[str]) -> Any:
    """A rich console: colours on a terminal (unless NO_COLOR), plain elsewhere."""
    from rich.console import Console

    return Console(
        file=stream,
        highlight=False,
        markup=False,
        emoji=False,
        soft_wrap=True,
        width=10_000,  # lines are never broken or cut here; wide grids are turned instead
    )


@contextmanager
def working(message: str) -> Iterator[None]:
    """A spinner on stderr while something takes its time; nothing where nobody watches."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(message):
        yield


def _lay_out(
    headers: Sequence[str], rows: Sequence[Sequence[Any]], left: int = 1, remark: bool = False
) -> Any:
    """A rich table without lines: the first columns to the left, the others to the right.

    A ``remark`` in the last column reads from the left.
    """
    from rich.table import Table as RichTable

    made = RichTable(box=None, padding=(0, 2, 0, 0), pad_edge=False, show_edge=False)
    for i, header in enumerate(headers):
        to_left = i < left or (remark and i == len(headers) - 1)
        made.add_column(
            header, justify="left" if to_left else "right", no_wrap=True, header_style=""
        )
    for row in rows:
        made.add_row(*(printable(cell) if isinstance(cell, str) else cell for cell in row))
    return made


def printable(text: str) -> str:
    """The text on one line, without signs that a terminal would obey."""
    return text if text.isprintable() else "".join(c if c.isprintable() else "·" for c in text)


def _printed(table: Any, stream: IO[str] | None = None) -> str:
    if stream is not None and stream.isatty():
        console(stream).print(table)
        return ""
    buffer = io.StringIO()
    console(buffer).print(table)
    return "\n".join(line.rstrip() for line in buffer.getvalue().splitlines()) + "\n"


def write_table(
    headers: Sequence[str],
    rows: Sequence[Sequence[Any]],
    stream: IO[str],
    left: int = 1,
    remark: bool = False,
) -> None:
    """Write an aligned table to a stream."""
    stream.write(fit(_printed(_lay_out(headers, rows, left, remark), stream), stream))


def plain_table(columns: Sequence[str], rows: Sequence[dict[str, Any]]) -> str:
    """Any table as aligned plain text."""
    kept = [c for c in columns if any(row.get(c) is not None for row in rows)] or list(columns)
    cells = [[shown(row.get(column)) for column in kept] for row in rows]
    numbers = [any(isinstance(row.get(c), (int, float)) for row in rows) for c in kept]
    left = numbers.index(True) if True in numbers else len(kept)
    return _printed(_lay_out(kept, cells, left)).rstrip("\n")


def write_grid(grid: Grid, stream: IO[str]) -> None:
    """Systems by metrics; where that is too wide, intervals below values, or metrics by systems.

    The best system of a metric is bold on a terminal.
    """
    headers = ["", *(f"{h} {ARROWS[b]}" for h, b in zip(grid.headers, grid.better, strict=True))]
    room = terminal_width(stream)
    # Beside an interval values stand to the left, so that those without one stand below them.
    left = len(headers) if grid.has_intervals else 1
    rows = _grid_rows(grid)
    if _across(headers, rows) > room and grid.has_bounds:
        stacked = _grid_rows(grid, stacked=True)
        if _across(headers, stacked) <= room or len(grid.lines) >= len(headers):
            write_table(headers, stacked, stream, left=left)
            return
    if _across(headers, rows) > room and len(grid.lines) < len(headers):
        turned = [[header, *(row[i] for row in rows)] for i, header in enumerate(headers) if i]
        labels = ["", *(printable(line.label) for line in grid.lines)]
        write_table(labels, turned, stream, left=len(labels) if grid.has_intervals else 1)
    else:
        write_table(headers, rows, stream, left=left)


def _across(headers: Sequence[str], rows: Sequence[Sequence[Any]]) -> int:
    widths = [max(len(h), *(len(row[i]) for row in rows)) for i, h in enumerate(headers)]
    return sum(widths) + 2 * (len(headers) - 1)


def _grid_rows(grid: Grid, stacked: bool = False) -> list[list[Any]]:
    """The lines of a grid; with the intervals on lines of their own where they are stacked."""
    from rich.text import Text

    rows = []
    for line in grid.lines:
        dim = "" if line.kind == "system" else "dim"
        styles = ["bold" if cell.best and not dim else dim for cell in line.cells]
        intervals = [shown_interval(cell, grid.has_bounds) for cell in line.cells]
        values = [
            shown(cell.value) + cell.mark if stacked else shown_cell(cell, grid.has_bounds)
            for cell in line.cells
        ]
        label = Text(printable(line.label), style=dim)
        rows.append([label, *(Text(v, style=s) for v, s in zip(values, styles, strict=True))])
        if stacked and any(intervals):
            rows.append([Text(""), *(Text(one, style=dim) for one in intervals)])
    return rows


def terminal_width(stream: IO[str]) -> int:
    """Columns to draw in: the terminal's, 80 elsewhere."""
    return shutil.get_terminal_size().columns if stream.isatty() else 80


def fit(text: str, stream: IO[str] | None = None) -> str:
    """The text as the stream can show it: plain letters where it is not Unicode."""
    encoding = getattr(stream or sys.stdout, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        for fancy, plain in _PLAIN.items():
            text = text.replace(fancy, plain)
        return text.encode(encoding, "replace").decode(encoding)
    return text


_PLAIN = {
    "↓": "v", "↑": "^", "–": "-", "→": "->", "│": "|", "┆": ":", "─": "-", "╰": "\\", "╮": "\\",
    "·": ".", "╭": "/", "╯": "/", "…": "...", "╱": "/", "×": "x", "±": "+-",
}  # fmt: skip
