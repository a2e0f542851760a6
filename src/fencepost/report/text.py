"""Plain text and terminals: aligned tables with arrows for the better end."""

from __future__ import annotations

import io
import os
import re
import sys
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import IO, Any

from fencepost.metrics.signature import signature_lines
from fencepost.model.segmentation import columns_of
from fencepost.report.grid import (
    Grid,
    Line,
    is_of_scores,
    pivot,
    readable,
    shown,
    shown_cell,
    shown_interval,
)
from fencepost.report.terminal import OwnStyles, inert, raw
from fencepost.scoring.tables import Table


def cell_len(text: str) -> int:
    """Return how many columns a terminal needs for the text: two for a wide letter."""
    return len(text) if text.isascii() else sum(map(_columns, text))


@cache
def _columns(sign: str) -> int:
    if sign in _PLAIN:
        return 1
    from unicodedata import category, east_asian_width

    if category(sign) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if east_asian_width(sign) in ("W", "F") else 1


class Styled(str):
    """A cell that is bold or dim on a terminal."""

    style: str = ""

    @classmethod
    def of(cls, text: str, style: str) -> Styled:
        """Return the text with a style: "bold", "dim" or none."""
        made = cls(text)
        made.style = style
        return made


terminal_width = columns_of  # in columns: what COLUMNS says, the terminal's, or 80
MAX_LABEL = 14  # columns, of a label that is not broken where there are two rows
MIN_FOLDED = 16  # columns, to which a column of text is folded at most
MIN_NARROW = 8  # the same on a narrow terminal
CODES = {"bold": "\x1b[1m", "dim": "\x1b[2m"}
END = "\x1b[0m"


def is_styled(stream: IO[str]) -> bool:
    """Return whether a stream is a terminal that shows bold and dim text."""
    return stream.isatty() and os.environ.get("TERM") not in ("dumb", "unknown")


@contextmanager
def working(message: str) -> Iterator[None]:
    """Show a spinner on stderr while something takes its time; nothing where nobody watches."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.text import Text

    with Console(file=raw(sys.stderr)).status(Text(printable(message))):  # a name is no markup
        yield


def _lay_out(
    headers: Sequence[str],
    rows: Sequence[Sequence[str]],
    left: int = 1,
    remark: bool = False,
    colours: bool = False,
) -> str:
    """Return a table without lines: the first columns to the left, the others to the right.

    A ``remark`` in the last column reads from the left.
    """
    cells = [[Styled.of(printable(c), getattr(c, "style", "")) for c in row] for row in rows]
    widths = _widths(headers, cells)
    lines = []
    for row in ([Styled(printable(header)) for header in headers], *cells):
        line = []
        for i, (cell, width) in enumerate(zip(row, widths, strict=True)):
            space = " " * (width - cell_len(cell))
            code = CODES.get(cell.style) if colours else None
            text = f"{code}{cell}{END}" if code and cell else str(cell)
            to_left = i < left or (remark and i == len(headers) - 1)
            line.append(text + space if to_left else space + text)
        lines.append("  ".join(line).rstrip())
    return "\n".join(lines) + "\n"


def printable(text: str) -> str:
    """Return the text on one line, without signs that a terminal would obey."""
    return text if text.isprintable() else "".join(c if c.isprintable() else "·" for c in text)


def write_table(
    headers: Sequence[str],
    rows: Sequence[Sequence[str]],
    stream: IO[str],
    left: int = 1,
    remark: bool = False,
    width: int | None = None,
) -> None:
    """Write an aligned table to a stream; bold and dim cells are so on a terminal only.

    Where it is wider than the stream, long cells go on in further lines; if that does not suffice,
    the columns that do not fit follow below, beside the same labels.
    """
    room = width or terminal_width(stream)
    labels = max(1, left) if left < len(headers) else 1
    if _across(headers, rows) > room:
        texts = {*range(left), *([len(headers) - 1] if remark else [])}
        rows = _folded_rows(headers, rows, room, labels, texts)
    blocks = column_blocks(_widths(headers, rows), room, labels)
    for number, columns in enumerate(blocks):
        stream.write("\n" if number else "")
        whole = len(headers) - 1 in columns
        shown_rows = [[row[i] for i in columns] for row in rows]
        styled = is_styled(stream)
        heads = [headers[i] for i in columns]
        lines = _lay_out(heads, shown_rows, left, remark and whole, styled)
        # Cells are printable, so that the only escape sequences are our own.
        stream.write(fit(lines, stream, styled=styled))


def _folded_rows(
    headers: Sequence[str], rows: Sequence[Sequence[str]], room: int, labels: int, texts: set[int]
) -> list[list[str]]:
    """Return the rows of a table with its widest columns of text in several lines.

    Columns are text if they are among ``texts``, or have a cell of more than three words; numbers
    with their intervals stay on one line. Where all columns do not fit side by side, the labels
    and any one of the others do.
    """
    widths = _widths(headers, rows)
    texts = texts | {i for i in range(len(headers)) if any(len(row[i].split()) > 3 for row in rows)}

    def least(folded_to: int, parts: bool = False) -> list[int]:
        words = [max(_least_width(row[i], parts) for row in rows) for i in range(len(headers))]
        return [
            min(wide, max(folded_to, cell_len(headers[i]), words[i])) if i in texts else wide
            for i, wide in enumerate(widths)
        ]

    every = list(range(len(headers)))
    for folded_to in (MIN_FOLDED, MIN_NARROW):
        limits = least(folded_to)
        if _total(limits, every) <= room:
            widths = _narrowed(widths, limits, every, room)
            break
    else:
        limits = least(MIN_NARROW, parts=True)
        first, others = every[:labels], every[labels:]
        needed = max((limits[i] + 2 for i in others), default=0)
        widths = _narrowed(widths, limits, first, room - needed)
        beside = room - _total(widths, first) - 2
        widths = [w if i < labels else max(limits[i], min(w, beside)) for i, w in enumerate(widths)]
    lines = []
    for row in rows:
        cells = [_folded_cell(cell, wide) for cell, wide in zip(row, widths, strict=True)]
        depth = max(map(len, cells))
        lines += [[cell[i] if i < len(cell) else "" for cell in cells] for i in range(depth)]
    return lines


def _total(widths: Sequence[int], columns: Sequence[int]) -> int:
    """Return how wide these columns are side by side."""
    return sum(widths[i] for i in columns) + 2 * (len(columns) - 1)


def _narrowed(
    widths: Sequence[int], limits: Sequence[int], columns: Sequence[int], room: int
) -> list[int]:
    """Return the widths with the widest of these columns narrowed, if they have limits below."""
    made = list(widths)
    while _total(made, columns) > room and any(made[i] > limits[i] for i in columns):
        made[max(columns, key=lambda i: made[i] if made[i] > limits[i] else 0)] -= 1
    return made


# Where a name that is too long for its column may be broken.
_PARTS = re.compile(r"(?<=[_./-])(?=[^\s_./-])")


def _least_width(cell: str, parts: bool) -> int:
    """Return the width of the longest word, or part of a name, at the indent of further lines."""
    indent = len(cell) - len(cell.lstrip())
    words = str(cell).split()
    pieces = [part for word in words for part in _PARTS.split(word)] if parts else words
    return max(map(cell_len, pieces), default=0) + (indent + 2 if indent else 0)


class _Wrapper(textwrap.TextWrapper):
    """Breaks names that are longer than a line at their signs, such as underscores."""

    def _split(self, text: str) -> list[str]:
        made: list[str] = []
        for chunk in super()._split(text):
            made += _PARTS.split(chunk) if len(chunk) > self.width else [chunk]
        return made


def _folded_cell(cell: str, width: int) -> list[str]:
    """Return a cell on lines of at most this width, each below the start of the first."""
    if cell_len(cell) <= width:
        return [cell]
    indent = " " * (len(cell) - len(cell.lstrip()))
    wrapper = _Wrapper(
        width, initial_indent=indent, subsequent_indent=indent and indent + "  ",
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
    lines = wrapper.wrap(cell.strip())
    return [Styled.of(line, getattr(cell, "style", "")) for line in lines]


def plain_table(table: Table, width: int = 80) -> str:
    """Return any table as aligned plain text of at most this width.

    A table of scores is the grid of systems by metrics. Of others, what is the same in all rows
    and signatures stand below; columns that do not fit follow in a second block.
    """
    if not table.columns:
        return f"{table.name}: no rows\n"
    if is_of_scores(table):
        return _score_text(table, width)
    found = readable(table)
    cells = [[printable(cell) for cell in row] for row in found.cells]
    blocks = [
        _block(table, [found.columns[i] for i in block])
        for block in column_blocks(_widths(found.columns, cells), width)
    ]
    below = [wrapped(line, width) for line in found.below] + signature_lines(found.signatures)
    below += [wrapped(f"note: {note}", width) for note in table.notes]
    return "\n\n".join([*blocks, *(["\n".join(below)] if below else [])])


def _block(table: Table, columns: Sequence[str]) -> str:
    rows = table.rows
    cells = [[shown(row.get(column)) for column in columns] for row in rows]
    numbers = [any(isinstance(row.get(c), (int, float)) for row in rows) for c in columns]
    left = numbers.index(True) if True in numbers else len(columns)
    return _lay_out(columns, cells, left).rstrip("\n")


def _score_text(table: Table, width: int) -> str:
    grid = pivot(table)
    out = io.StringIO()
    write_grid(grid, out, width)
    best = ["↓ lower is better"] if "lower" in grid.better else []
    best += ["↑ higher is better"] if "higher" in grid.better else []
    what = "[95% interval]" if grid.has_bounds else "± half of the 95% interval"
    how = [*([what] if grid.has_intervals else []), *best]
    lines = ["", "; ".join(how), *([grid.marks] if grid.marks else [])]
    notes = [f"note: {note}" for note in table.notes]
    parts = [*(wrapped(line, width) for line in lines), *signature_lines(grid.signatures)]
    return out.getvalue() + "\n".join([*parts, *(wrapped(note, width) for note in notes)])


def write_grid(grid: Grid, stream: IO[str], width: int | None = None) -> None:
    """Systems by metrics; where that is too wide, intervals below values, or metrics by systems.

    Where none of them fits, columns that are too many follow in a block of their own. The best
    system of a metric is bold on a terminal.
    """
    room = width or terminal_width(stream)
    layouts = list(_layouts(grid))
    fitting = (one for one in layouts if _across(*one) <= room)
    headers, rows = next(fitting, None) or min(layouts, key=lambda one: _narrowest(*one))
    # Beside an interval values stand to the left, so that those without one stand below them.
    left = len(headers) if grid.has_intervals else 1
    write_blocks(headers, rows, stream, room, left=left)


def write_blocks(
    headers: Sequence[str],
    rows: Sequence[Sequence[str]],
    stream: IO[str],
    width: int,
    *,
    left: int = 1,
    gap: str = "\n",
) -> None:
    """Write a table as wide as there is room, and columns that do not fit below it."""
    for number, columns in enumerate(column_blocks(_widths(headers, rows), width)):
        stream.write(gap if number else "")
        some = [own for row in rows if any(own := [row[i] for i in columns])]
        heads = [headers[i] for i in columns]
        styled = is_styled(stream)
        stream.write(fit(_lay_out(heads, some, left, colours=styled), stream, styled=styled))


def _widths(headers: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[int]:
    return [
        max([cell_len(h), *(cell_len(str(row[i])) for row in rows)]) for i, h in enumerate(headers)
    ]


def _across(headers: Sequence[str], rows: Sequence[Sequence[Any]]) -> int:
    return sum(_widths(headers, rows)) + 2 * (len(headers) - 1)


def _narrowest(headers: Sequence[str], rows: Sequence[Sequence[Any]]) -> int:
    """Return the least room it needs: that of the labels and the widest column."""
    label, *others = _widths(headers, rows)
    return label + 2 + max(others, default=0)


def column_blocks(widths: Sequence[int], room: int, labels: int = 1) -> list[list[int]]:
    """Return the columns in blocks that fit; each begins with the labels of the rows."""
    first = list(range(labels))
    across = sum(widths[:labels]) + 2 * (labels - 1)
    blocks, used = [first], across
    for i, wide in enumerate(widths[labels:], start=labels):
        if used + 2 + wide > room and len(blocks[-1]) > labels:
            blocks.append(first)
            used = across
        blocks[-1] = [*blocks[-1], i]
        used += 2 + wide
    return blocks


def _layouts(grid: Grid) -> Iterator[tuple[list[str], list[list[Any]]]]:
    """Yield headers and rows of a grid, the layout that people like best first."""
    systems = [Styled.of(printable(line.label), _dim(line)) for line in grid.lines]
    ways = [
        (stacked, [_cells(line, grid.has_bounds, stacked) for line in grid.lines])
        for stacked in ((False, True) if grid.has_bounds else (False,))
    ]
    for stacked, cells in ways:
        yield ["", *grid.titles], _rows(systems, cells, stacked)
    for _, cells in ways:
        by_metric = list(zip(*cells, strict=True))
        yield ["", *map(str, systems)], _rows(grid.titles, by_metric)


def _dim(line: Line) -> str:
    return "" if line.kind == "system" else "dim"


def _cells(line: Line, bounds: bool, stacked: bool) -> list[list[Any]]:
    """Return each cell of a line: the value, and below it the interval if stacked."""
    cells = []
    for cell in line.cells:
        style = _dim(line) or ("bold" if cell.best else "")
        if stacked:
            said = [shown(cell.value, cell.digits) + cell.mark, shown_interval(cell, bounds)]
            cells.append([Styled.of(said[0], style), Styled.of(said[1], _dim(line))])
        else:
            cells.append([Styled.of(shown_cell(cell, bounds), style)])
    return cells


def _rows(
    labels: Sequence[str], lines: Sequence[Sequence[Sequence[Any]]], halved: bool = False
) -> list[list[Any]]:
    """Return a row for each line, and one below it for what is stacked, if there is anything."""
    rows = []
    for label, cells in zip(labels, lines, strict=True):
        first, second = _halves(label) if halved else (label, "")
        below = [cell[1] if len(cell) > 1 else "" for cell in cells]
        rows.append([first, *(cell[0] for cell in cells)])
        if second or any(below):
            rows.append([second, *below])
    return rows


def _halves(label: str) -> tuple[str, str]:
    """Return a label on two rows, if it is long: four metrics with intervals fit beside it then."""
    first, space, second = label.rpartition(" ")
    if not space or len(label) <= MAX_LABEL:
        return label, ""
    style = getattr(label, "style", "")
    return Styled.of(first, style), Styled.of(second, style)


def folded(text: str, width: int, first: str = "", rest: str = "") -> str:
    """Return the text on lines that begin so, of at most this width where words are not longer."""
    return textwrap.fill(
        text, width, initial_indent=first, subsequent_indent=rest, break_long_words=False,
        break_on_hyphens=False,
    )  # fmt: skip


def reflowed(text: str, width: int) -> str:
    """Return a docstring whose paragraphs have lines of at most this width.

    Lists keep their items; indented lines (formulas, examples) and doctests stay as they are.
    """
    return "\n\n".join(_paragraph(one, width) for one in text.split("\n\n"))


def _paragraph(text: str, width: int) -> str:
    lines = text.split("\n")
    if any(line.startswith((" ", ">>> ")) for line in lines[:1]):
        return text
    items: list[list[str]] = [[]]
    for line in lines:
        if line.startswith(("* ", "- ")) and items[-1]:
            items.append([])
        items[-1].append(line)
    return "\n".join(
        folded(" ".join(map(str.strip, item)), width, rest="  " * item[0].startswith(("* ", "- ")))
        for item in items
    )


def wrapped(text: str, width: int) -> str:
    """Return the text on lines of at most this width; lines of its own stay apart."""
    return "\n".join(textwrap.fill(line, max(8, width)) for line in text.split("\n"))


def fit(text: str, stream: IO[str] | None = None, styled: bool = False) -> str:
    """Return the text as the stream can show it: plain letters where it is not Unicode.

    Signs that a terminal would obey come from names and texts, so they become dots; ``styled``
    text has escape sequences of our own alone.
    """
    stream = stream or sys.stdout
    text = text if styled else inert(text)
    encoding = getattr(stream, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        for fancy, plain in _PLAIN.items():
            text = text.replace(fancy, plain)
        text = text.encode(encoding, "replace").decode(encoding)
    return OwnStyles(text) if styled else text


_PLAIN = {
    "↓": "v", "↑": "^", "–": "-", "→": "->", "│": "|", "┆": ":", "─": "-", "╰": "\\", "╮": "\\",
    "·": ".", "╭": "/", "╯": "/", "…": "...", "╱": "/", "×": "x", "±": "+-",
}  # fmt: skip
