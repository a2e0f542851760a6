"""Tables for other programs and for papers: CSV, Markdown, LaTeX."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Sequence
from typing import Any

from fencepost.files import csv_writer
from fencepost.metrics.signature import SHARED, signature_lines
from fencepost.report.grid import Cell, Grid, is_of_scores, pivot, readable, shown, shown_interval
from fencepost.report.text import printable
from fencepost.scoring.tables import Table


def to_csv(table: Table) -> str:
    """Return one tidy table; undefined values are empty, and no cell is a spreadsheet's formula."""
    buffer = io.StringIO()
    writer = csv_writer(buffer)
    writer.writerow([_cell(column) for column in table.columns])
    for row in table.rows:
        writer.writerow([_cell(row.get(column)) for column in table.columns])
    return buffer.getvalue()


def _cell(value: Any) -> Any:
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return ""
    if isinstance(value, float):
        return repr(float(value))
    if isinstance(value, str) and value.startswith(_FORMULA) and not _NUMBER.match(value):
        return f"'{value}"  # which spreadsheets take for the mark of a text
    return value


_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")  # what a formula begins with in a spreadsheet


# Markdown.

# Signs that change what follows; < only before what could be a tag, _ only outside words.
_MARKS = re.compile(r"[\\`*\[\]|~$&]|<(?=[A-Za-z/!?])|(?<![^\W_])_|_(?![^\W_])")


def markdown_text(text: Any) -> str:
    """Return the text on one line, with signs that Markdown would obey shown as they are."""
    return _MARKS.sub(r"\\\g<0>", printable(str(text)))


def grid_to_markdown(grid: Grid, below: Sequence[str] = ()) -> str:
    """Return a Markdown table, the best systems bold; what marks mean and signatures below."""
    rows = [
        [markdown_text(line.label), *(_markdown_cell(cell) for cell in line.cells)]
        for line in grid.lines
    ]
    headers = [markdown_text(header) for header in ("system", *grid.titles)]
    said = [markdown_text(one) for one in (*below, grid.marks) if one]
    ends = ["---", *["---:"] * len(grid.headers)]
    lines = [*said, *_markdown_signatures(grid.signatures)]
    return _markdown_table(headers, ends, rows) + "\n" + _markdown_lines(lines)


def _markdown_cell(cell: Cell) -> str:
    value = shown(cell.value, cell.digits)
    value = f"**{value}**" if cell.best else value
    interval = shown_interval(cell, bounds=True)
    return value + markdown_text(cell.mark) + (f" {interval}" if interval else "")


def to_markdown(table: Table) -> str:
    """Return any table as Markdown; numbers stand to the right."""
    if not table.columns:
        return ""
    return _cells_to_markdown(table.columns, _shown_cells(table))


def _cells_to_markdown(columns: Sequence[str], cells: Sequence[Sequence[str]]) -> str:
    headers, *rows = ([markdown_text(c) for c in row] for row in (columns, *cells))
    ends = ["---:" if number else "---" for number in _numbers(cells, len(columns))]
    return _markdown_table(headers, ends, rows)


def table_to_markdown(table: Table) -> str:
    """Return what people read of a table as Markdown: of scores, systems by metrics."""
    if is_of_scores(table):
        return grid_to_markdown(pivot(table))
    if not table.columns:
        return ""
    found = readable(table)
    lines = [*map(markdown_text, found.below), *_markdown_signatures(found.signatures)]
    below = "\n" + _markdown_lines(lines) if lines else ""
    return _cells_to_markdown(found.columns, found.cells) + below


def _markdown_signatures(signatures: Sequence[str]) -> list[str]:
    """Return signatures to be copied; what three or more have in common comes once."""
    lines = []
    for line in signature_lines(signatures):
        common = line.removesuffix(SHARED)
        shared = ", where `...` is one of" if common != line else ""
        lines.append(markdown_code(common.strip()) + shared)
    return lines


def signatures_to_markdown(signatures: Sequence[str]) -> str:
    """Return signatures below a table."""
    return _markdown_lines(_markdown_signatures(signatures))


def markdown_code(text: str) -> str:
    """Return the text as it is, to be copied."""
    fence = "``" if "`" in text else "`"
    return f"{fence}{printable(text)}{fence}"


def lines_to_markdown(lines: Sequence[str]) -> str:
    """Return sentences below a table, one per line."""
    return _markdown_lines([markdown_text(line) for line in lines])


def _markdown_table(
    headers: Sequence[str], ends: Sequence[str], rows: Sequence[Sequence[str]]
) -> str:
    lines = [f"| {' | '.join(row)} |\n" for row in (headers, *rows)]
    return "".join([lines[0], f"|{'|'.join(ends)}|\n", *lines[1:]])


def _markdown_lines(lines: Sequence[str]) -> str:
    return "".join(f"{line}  \n" for line in lines)


# LaTeX.

_TEX = {"\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
        "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
        "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
        "`": r"\textasciigrave{}", "↓": r"$\downarrow$", "↑": r"$\uparrow$", "–": "--",
        "±": r"$\pm$"}  # fmt: skip
BOOKTABS = "% \\usepackage{booktabs}"


def latex_text(text: Any) -> str:
    """Return the text on one line, with signs that LaTeX would obey shown as they are."""
    joined = printable(str(text)).replace("--", "-\0-").replace("--", "-\0-")
    escaped = "".join(_TEX.get(c, c) for c in joined).replace("\0", "{}")
    # Behind the end of a row, [ and * would be taken for its settings.
    return "{}" + escaped if escaped.startswith(("[", "*")) else escaped


def _latex_number(text: str) -> str:
    """Return numbers with minus signs as long as plus signs, and powers of ten raised."""
    text = re.sub(r"(\d)e([+-])0*(\d+)", r"$\1\\times10^{\2\3}$", text)
    text = re.sub(r"(?<![\w{])-(?=[\d.])", "$-$", text)
    return text.replace("–", "--")


def grid_to_latex(grid: Grid, below: Sequence[str] = ()) -> str:
    """Return a LaTeX tabular (booktabs), the best systems bold; what marks mean below it."""
    rows = [
        [latex_text(line.label), *(_latex_cell(cell) for cell in line.cells)] for line in grid.lines
    ]
    headers = [latex_text(header) for header in ("", *grid.titles)]
    table = _tabular("l" + "r" * len(grid.headers), headers, rows)
    comments = lines_to_comments(signature_lines(grid.signatures))
    return table + lines_to_latex([one for one in (*below, grid.marks) if one]) + comments


def _latex_cell(cell: Cell) -> str:
    value = _latex_number(shown(cell.value, cell.digits))
    value = rf"\textbf{{{value}}}" if cell.best else value
    interval = _latex_number(shown_interval(cell, bounds=True))
    mark = f"$^{{{cell.mark}}}$" if cell.mark else ""
    return value + mark + (f" {interval}" if interval else "")


def to_latex(table: Table) -> str:
    """Return any table as a LaTeX tabular (booktabs); numbers stand to the right."""
    if not table.columns:
        return ""
    return _cells_to_latex(table.columns, _shown_cells(table))


def _cells_to_latex(columns: Sequence[str], cells: Sequence[Sequence[str]]) -> str:
    numbers = _numbers(cells, len(columns))
    rows = [
        [
            _latex_number(c) if number else latex_text(c)
            for c, number in zip(row, numbers, strict=True)
        ]
        for row in cells
    ]
    ends = "".join("r" if number else "l" for number in numbers)
    return _tabular(ends, [latex_text(c) for c in columns], rows)


def table_to_latex(table: Table) -> str:
    """Return what people read of a table as LaTeX: of scores, systems by metrics."""
    if is_of_scores(table):
        return grid_to_latex(pivot(table))
    if not table.columns:
        return ""
    found = readable(table)
    comments = lines_to_comments(signature_lines(found.signatures))
    return _cells_to_latex(found.columns, found.cells) + lines_to_latex(found.below) + comments


def _tabular(columns: str, headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [BOOKTABS, rf"\begin{{tabular}}{{{columns}}}", r"\toprule"]
    lines += [" & ".join(headers) + r" \\", r"\midrule"]
    lines += [" & ".join(row) + r" \\" for row in rows]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"]) + "\n"


def lines_to_latex(lines: Sequence[str]) -> str:
    """Return sentences that are printed below a table."""
    return "".join(rf"\par{{\footnotesize {latex_text(line)}}}" + "\n" for line in lines)


def lines_to_comments(lines: Sequence[str]) -> str:
    """Return sentences that stay in the source."""
    return "".join(f"% {printable(line)}\n" for line in lines)


# Numbers and words.

_NUMBER = re.compile(r"[+-]?[\d.]+(e[+-]?\d+)?( to [+-]?[\d.]+|(/\d+)+)?\Z")


def _shown_cells(table: Table) -> list[list[str]]:
    """Return all cells as text."""
    return [[shown(row.get(c)) for c in table.columns] for row in table.rows]


def _numbers(cells: Sequence[Sequence[str]], columns: int) -> list[bool]:
    """Return which columns hold numbers."""
    known = [[row[i] for row in cells if row[i] not in ("", "–")] for i in range(columns)]
    return [bool(own) and all(map(_NUMBER.match, own)) for own in known]
