"""fencepost diff: why a number moved between two results."""

from __future__ import annotations

from typing import IO, Any

from fencepost.cli.options import Arguments, UsageError
from fencepost.cli.outputs import output, say_notes, write_json, write_other_form
from fencepost.report.grid import shown
from fencepost.report.text import fit, folded, terminal_width, working, write_table
from fencepost.scoring.diff import diff
from fencepost.scoring.tables import Table
from fencepost.wording import plural

MOST_TEXTS = 10  # shown, those that moved most


def run(args: Arguments) -> int:
    """Read both, compare, write."""
    if args.form != "csv" and args.table:
        raise UsageError("--table goes with --csv")
    with working("comparing"):
        table = diff(args.before, args.after)
    with output(args) as stream:
        _write(args, table, stream)
    return 0


def _write(args: Arguments, table: Table, stream: IO[str]) -> None:
    if args.form is None:
        _write_plain(table, stream)
        return
    if args.form == "json":
        write_json(table.plain("texts"), stream)
    else:
        say_notes(table.notes)
        write_other_form(args.form, table.part("texts") if args.table == "texts" else table, stream)


def _write_plain(table: Table, stream: IO[str]) -> None:
    """Numbers that moved, why, and the texts that moved most."""
    moved = [row for row in table.rows if row["why"] or _is_moved(row)]
    if moved:
        _write_rows(moved, ["system", "reference", "metric", "average"], stream)
        stream.write("\n")
    same = len(table.rows) - len(moved)
    if same:
        said = "all numbers are the same" if not moved else f"{plural(same, 'number')} did not move"
        stream.write(fit(f"{said}\n", stream))
    lines = list(table.notes)
    if moved and not any(row["why"] for row in moved):
        lines.append("the same data, reading, settings and versions on both sides: the function "
                     "itself may have changed")  # fmt: skip
    width = terminal_width(stream)
    stream.write(fit("".join(f"{folded(line, width)}\n" for line in lines), stream))
    texts = table.part("texts").rows
    if moved and texts:
        stream.write(fit(f"\n{_said_texts(len(texts))}\n", stream))
        _write_rows(texts[:MOST_TEXTS], ["text", "system", "reference", "metric"], stream)


def _said_texts(count: int) -> str:
    if count <= MOST_TEXTS:
        return "texts that moved"
    return f"the {MOST_TEXTS} of {count} values of texts that moved most (all: --csv --table texts)"


def _is_moved(row: dict[str, Any]) -> bool:
    return bool(row["difference"] != 0) and row["before"] != row["after"]


def _write_rows(rows: Any, names: list[str], stream: IO[str]) -> None:
    """A table of numbers; columns that are the same in all rows are left out, but the first."""
    kept = [
        n for n in names if n in names[:1] or len({row[n] for row in rows}) > 1 or n == "metric"
    ]
    cells = [
        [*(str(row[n]) for n in kept), shown(row["before"]), shown(row["after"]),
         "–" if row["difference"] != row["difference"] else f"{row['difference']:+.3f}",
         *([row["why"]] if "why" in row else [])]
        for row in rows
    ]  # fmt: skip
    heads = [*kept, "before", "after", "difference", *(["why"] if "why" in rows[0] else [])]
    write_table(heads, cells, stream, left=len(kept))
