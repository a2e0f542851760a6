"""Tables for other programs and for papers: CSV, Markdown, LaTeX."""

from __future__ import annotations

import csv
import io
import math
from typing import Any

from fencepost.report.grid import Grid, shown
from fencepost.report.text import ARROWS
from fencepost.result import Table
from fencepost.scoring import BASELINES


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
    for label, values in grid.lines:
        cells = [
            f"**{shown(v)}**" if b is not None and v == b and label not in BASELINES else shown(v)
            for v, b in zip(values, grid.best, strict=True)
        ]
        lines.append(_markdown_row([label, *cells]))
    return "\n".join([*lines, "", *(f"`{s}`  " for s in grid.signatures)]) + "\n"


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
    return escaped.replace("↓", r"$\downarrow$").replace("↑", r"$\uparrow$").replace("–", "--")


def grid_to_latex(grid: Grid) -> str:
    """A LaTeX tabular (booktabs), the best system of a column bold, signatures as comments."""
    headers = ["", *(f"{h} {ARROWS[b]}" for h, b in zip(grid.headers, grid.better, strict=True))]
    lines = [r"\begin{tabular}{l" + "r" * len(grid.headers) + "}", r"\toprule"]
    lines += [" & ".join(map(_tex, headers)) + r" \\", r"\midrule"]
    for label, values in grid.lines:
        cells = [
            rf"\textbf{{{shown(v)}}}"
            if b is not None and v == b and label not in BASELINES
            else _tex(shown(v))
            for v, b in zip(values, grid.best, strict=True)
        ]
        lines.append(" & ".join([_tex(label), *cells]) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}", *(f"% {s}" for s in grid.signatures)]
    return "\n".join(lines) + "\n"


def to_latex(table: Table) -> str:
    """Any table as a LaTeX tabular."""
    lines = [r"\begin{tabular}{" + "l" * len(table.columns) + "}", r"\toprule"]
    lines += [" & ".join(map(_tex, table.columns)) + r" \\", r"\midrule"]
    lines += [
        " & ".join(_tex(shown(row.get(c))) for c in table.columns) + r" \\" for row in table.rows
    ]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"]) + "\n"
