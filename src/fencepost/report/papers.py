"""Reproductions as text: one table of verdicts, why lines differ, then printed beside ours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import IO, Any

from fencepost.report.text import fit, folded, terminal_width, write_table
from fencepost.scoring.tables import Table
from fencepost.study.papers.base import COLUMNS, SOURCES
from fencepost.study.papers.summary import OFF, VERDICTS, by_source, reasons

Row = dict[str, Any]
MAX_LINES = 12  # of an item, if fewer differ; --csv has them all


def write_reproduction(table: Table, every: bool, out: IO[str]) -> None:
    """Write the summary, then every item with its lines and notes."""
    rows = list(table.rows)
    _write_summary(rows, out)
    for (paper, item), own in by_item(rows).items():
        out.write(_wrapped(f"{paper}, {item}: {counted(own)}", out, "", "  "))
        shown = own if every else first_lines(own)
        notes = list(dict.fromkeys(row["note"] for row in shown if row["note"]))
        marks = {note: f" [{number}]" for number, note in enumerate(notes, 1)}
        cells = [[f"  {row['where']}", printed(row), ours(row),
                  verdict(row) + marks.get(row["note"], "")] for row in shown]  # fmt: skip
        write_table(["", "printed", "ours", ""], cells, out, remark=True)
        if len(shown) < len(own):
            out.write(f"  {len(own) - len(shown)} more: --all-lines, or --csv\n")
        for note, mark in marks.items():
            out.write(_wrapped(f"{mark.strip()} {note}", out))
        out.write("\n")
    out.write(_wrapped(f"{len(rows)} numbers and claims: {counted(rows)}", out, "", "  "))


def _write_summary(rows: Sequence[Row], out: IO[str]) -> None:
    table = by_source(rows)
    write_table(["", *VERDICTS], [
        [row["paper"] if row["source"] is None else f"  {row['source']}",
         *(str(row[name] or "") for name in VERDICTS)]
        for row in table.rows
    ], out)  # fmt: skip
    used = {row["source"] for row in table.rows}
    out.write("\n")
    for source, what in SOURCES.items():
        out.write(
            _wrapped(f"{source + ':':<15}{what}", out, "", " " * 15) if source in used else ""
        )
    out.write("\n")
    why = reasons(rows).rows
    out.write("what differs, and why\n" if why else "")
    for row in why:
        out.write(_wrapped(f"{row['paper']}, {row['item']} ({off_counts(row)}): {row['reason']}",
                           out, "", "  "))  # fmt: skip
    out.write("\n" if why else "")


def _wrapped(text: str, out: IO[str], indent: str = "  ", more: str | None = None) -> str:
    rest = indent if more is None else more
    return fit(folded(text, terminal_width(out), first=indent, rest=rest) + "\n", out)


def by_item(rows: Sequence[Row]) -> dict[tuple[str, str], list[Row]]:
    """Return the lines of each paper's items, in their order."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row["paper"], row["item"]), []).append(row)
    return groups


def first_lines(rows: Sequence[Row], most: int = MAX_LINES) -> list[Row]:
    """Return all lines that differ or are not reproduced, and the first of the others."""
    off = [row for row in rows if row["verdict"] in OFF]
    others = [row for row in rows if row["verdict"] not in OFF]
    kept = {id(row) for row in off + others[: max(0, most - len(off))]}
    return [row for row in rows if id(row) in kept]


def counted(rows: Sequence[Row]) -> str:
    """Count the verdicts, the most frequent first."""
    found = Counter(row["verdict"] for row in rows)
    return ", ".join(f"{count} {name}" for name, count in found.most_common())


def off_counts(row: Row) -> str:
    """Return how many lines of an item are off, of how many.

    >>> off_counts({"lines": 160, "differs": 5, "not reproduced": 0})
    '5 of 160 differ'
    """
    words = {"differs": "differ", "not reproduced": "not reproduced"}
    parts = [f"{row[name]} of {row['lines']} {words[name]}" for name in OFF if row[name]]
    return ", ".join(parts)


def verdict(row: Row) -> str:
    """Return the verdict with its bound, and whether the recipe was chosen on the number."""
    said = str(row["verdict"])
    if row["bound"] is not None:  # "differs 0.002" would look like the difference
        said += f" {bound(row)}" if said == "within" else f", bound {bound(row)}"
    if row["basis"] != "fitted":
        return said
    return said + (f" (fitted, {row['tried']} recipes tried)" if row["tried"] else " (fitted)")


def as_printed(table: Table) -> Table:
    """Return the table as people read it: numbers with the digits of the paper."""
    columns = tuple(column for column in COLUMNS if column != "digits")
    rows = tuple(
        {**{c: row[c] for c in columns}, "printed": printed(row), "ours": ours(row),
         "bound": bound(row)}
        for row in table.rows
    )  # fmt: skip
    return Table(columns, rows, name=table.name)


def _digits(row: Row) -> int:
    """Behind the point, as printed; where that is not recorded, as many as the number has."""
    if row["digits"] is not None:
        return int(row["digits"])
    _, _, behind = f"{row['printed']:.10g}".partition(".")
    return len(behind)


def printed(row: Row) -> str:
    """Return the printed number with the digits of the paper."""
    value = row["printed"]
    if value is None or isinstance(value, str):
        return value or ""
    return f"{value:.{_digits(row)}f}"


def ours(row: Row) -> str:
    """One digit more than printed, so that rounding can be seen; whole numbers stay whole."""
    value = row["ours"]
    if value is None or isinstance(value, str):
        return value or ""
    if row["printed"] is None or isinstance(row["printed"], str):
        return f"{value:.4g}" if isinstance(value, float) else str(value)
    digits = _digits(row)
    if digits == 0 and float(value).is_integer():
        return f"{value:.0f}"
    return f"{value:.{digits + 1}f}"


def bound(row: Row) -> str:
    """Return the bound of a number that is within it."""
    return "" if row["bound"] is None else f"{row['bound']:.2g}"
