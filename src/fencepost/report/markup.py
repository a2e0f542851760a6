"""Tables for other programs and for papers: CSV, Markdown, LaTeX."""

from __future__ import annotations

import csv
import io
import math
from typing import Any

from fencepost.report.grid import Grid, shown, shown_cell
from fencepost.report.text import ARROWS
from fencepost.result import Table


def to_csv(table: Table) -> str:
    """One tidy table; undefined values are empty."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(table.columns)
    for row in table.rows:
        writer.writerow([_cell(row.get(column)) for column in table.columns])
    return buffer.getvalue()


def _cell(value: Any) -> Any:
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return ""
    return repr(float(value)) if isinstance(value, float) else value


def grid_to_markdown(grid: Grid) -> str:
    """A Markdown table, the best system of a column bold, and the signatures below."""
    headers = [
        "system",
        *(f"{h} {ARROWS[b]}" for h, b in zip(grid.headers, grid.better, strict=True)),
    ]
    lines = [_markdown_row(headers), "|---|" + "---:|" * len(grid.headers)]
    for label, own in grid.lines:
        cells = []
        for cell in own:
            text = f"**{shown_cell(cell)}**" if cell.best else shown_cell(cell)
            cells.append(text + cell.mark.replace("*", "\\*"))
        lines.append(_markdown_row([label, *cells]))
    below = [grid.marks.replace("*", "\\*"), ""] if grid.marks else []
    return "\n".join([*lines, "", *below, *(f"`{s}`  " for s in grid.signatures)]) + "\n"


def to_markdown(table: Table) -> str:
    """Any table as Markdown."""
    lines = [_markdown_row(table.columns), "|" + "---|" * len(table.columns)]
    lines += [_markdown_row([shown(row.get(c)) for c in table.columns]) for row in table.rows]
    return "\n".join(lines) + "\n"


def _markdown_row(cells: Any) -> str:
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"


_TEX = {"\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
        "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}  # fmt: skip


def _tex(text: Any) -> str:
    escaped = "".join(_TEX.get(c, c) for c in str(text))
    signs = {"↓": r"$\downarrow$", "↑": r"$\uparrow$", "–": "--", " ±": r" $\pm$ "}
    for sign, tex in signs.items():
        escaped = escaped.replace(sign, tex)
    return escaped


def grid_to_latex(grid: Grid) -> str:
    """A LaTeX tabular (booktabs), the best system of a column bold, signatures as comments."""
    headers = ["", *(f"{h} {ARROWS[b]}" for h, b in zip(grid.headers, grid.better, strict=True))]
    lines = [r"\begin{tabular}{l" + "r" * len(grid.headers) + "}", r"\toprule"]
    lines += [" & ".join(map(_tex, headers)) + r" \\", r"\midrule"]
    for label, own in grid.lines:
        cells = []
        for cell in own:
            text = _tex(shown_cell(cell))
            text = rf"\textbf{{{text}}}" if cell.best else text
            cells.append(text + (f"$^{{{cell.mark}}}$" if cell.mark else ""))
        lines.append(" & ".join([_tex(label), *cells]) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}"]
    lines += [f"% {line}" for line in ([grid.marks] if grid.marks else []) + [*grid.signatures]]
    return "\n".join(lines) + "\n"


def to_latex(table: Table) -> str:
    """Any table as a LaTeX tabular."""
    lines = [r"\begin{tabular}{" + "l" * len(table.columns) + "}", r"\toprule"]
    lines += [" & ".join(map(_tex, table.columns)) + r" \\", r"\midrule"]
    lines += [
        " & ".join(_tex(shown(row.get(c))) for c in table.columns) + r" \\" for row in table.rows
    ]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"]) + "\n"
