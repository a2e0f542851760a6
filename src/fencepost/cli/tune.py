"""fencepost tune: the threshold of probabilities that is best on a development set."""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import IO

from fencepost.cli.inputs import Inputs
from fencepost.cli.options import Arguments, UsageError
from fencepost.cli.outputs import (
    choose_encoding,
    command_line,
    output,
    say,
    say_notes,
    write_json,
    write_other_form,
    write_page,
    write_reading,
    write_reading_below,
)
from fencepost.cli.score_outputs import data_line, first_line
from fencepost.metrics.registry import default_metrics, parse
from fencepost.metrics.signature import signature_lines
from fencepost.options import options_of, write_columns
from fencepost.report.text import fit, folded, terminal_width, working, write_blocks
from fencepost.report.tuning import how_tuned, shown_table
from fencepost.scoring.tables import Table
from fencepost.scoring.tuning import tune
from fencepost.wording import plural

_OWN = ("threshold", "probabilities")  # which tune gives itself


def run(args: Arguments) -> int:
    """Read, tune, write."""
    if args.threshold is not None:
        raise UsageError("--threshold is what fencepost tune finds: remove it")
    if args.table and args.form != "csv":
        raise UsageError("--table goes with --csv")
    if args.plot:
        from fencepost.report.figures import figure_class

        figure_class()  # without matplotlib nothing needs to be tuned
    table = _tuned(args.replace(probabilities=True))
    with output(args.replace(output=None)) as stream:
        _write(args, table, stream)
    if args.write and args.form:
        say(_written(args))
    if args.plot:
        from fencepost.report.figures import draw_tuning, save

        save(draw_tuning(table), args.plot)
        say_notes([f"curves written to {args.plot}"])
    if args.html:
        from fencepost.report.html.tune import tune_page

        lead = "\n".join([*table.facts["reading_lines"], first_line(table)])
        write_page(args, tune_page(table, lead, [data_line(table)], command_line()))
    return 0


def _tuned(args: Arguments) -> Table:
    inputs = Inputs(args)
    reference = inputs.references()
    systems = inputs.systems(reference)
    inputs.check_idle()
    groups = None
    if args.group:
        from fencepost.cli.signatures import groups_of

        groups = groups_of(args)
    metrics = [parse(name) for name in args.metrics or default_metrics(None)]
    settings = args.of("tune") | {"metrics": metrics, "group": groups}
    with working(f"tuning on {plural(len(reference.text_names), 'text')}"):
        table = tune(reference, systems, **settings)
    return replace(table, facts={"reading_lines": inputs.reading_lines(), **table.facts})


def _write(args: Arguments, table: Table, stream: IO[str]) -> None:
    choose_encoding(args)
    lines = table.facts["reading_lines"]
    if args.form == "json":
        write_json(table.plain("folds", "points"), stream)
    elif args.form == "csv":
        say_notes(table.notes)
        wanted = args.table or "tune"
        write_other_form("csv", table if wanted == "tune" else table.part(wanted), stream)
    elif args.form:
        write_other_form(args.form, shown_table(table), stream)
        below = [*lines, *how_tuned(table), data_line(table), *table.notes]
        write_reading_below(args.form, below, stream)
    else:
        write_reading(args, lines, stream)
        stream.write(fit(first_line(table) + "\n\n", stream))
        _write_table(table, stream)
        _write_below(args, table, stream)


def _write_table(table: Table, stream: IO[str]) -> None:
    """The systems and metrics in one column, which is repeated where columns do not fit."""
    found = shown_table(table)
    several = len(set(found.column("system"))) > 1
    columns = list(found.columns[2:])
    rows = [
        [f"{row['system']}: {row['metric']}" if several else row["metric"],
         *(str(row[column]) for column in columns)]
        for row in found.rows
    ]  # fmt: skip
    write_blocks(["", *columns], rows, stream, terminal_width(stream), left=len(columns) + 1)


def _written(args: Arguments) -> str:
    """Return the command that scores with what was written, with the options of reading."""
    files = "REF -i HYP" if args.hyps else "FILE"
    given = shlex.join(["--threshold", str(args.write), *_reading_options(args)])
    return f"written: {args.write} (fencepost score {files} {given})"


def _reading_options(args: Arguments) -> list[str]:
    """Return the options of reading that were given, as the command line writes them."""
    words: list[str] = []
    for one in options_of(args.command):
        value = getattr(args, one.name, one.default)
        reads = "read" in one.functions or one.name in ("hyp_columns", "hyp_format")
        if not reads or value in (None, one.default) or one.name in _OWN:
            continue
        words.append(one.flag)
        if isinstance(value, dict):
            words.append(write_columns(value))
        elif isinstance(value, (list, tuple)):
            words += map(str, value)
        elif one.type is not bool:
            words.append(str(value))
    return words


def _write_below(args: Arguments, table: Table, stream: IO[str]) -> None:
    width = terminal_width(stream)
    lines = ["", *(folded(line, width, rest="  ") for line in how_tuned(table))]
    lines += signature_lines(str(row["signature"]) for row in table.rows)
    lines.append(folded(data_line(table), width, rest="  "))
    lines += [folded(f"note: {note}", width) for note in table.notes]
    lines += [_written(args)] if args.write else []
    stream.write(fit("\n".join(lines) + "\n", stream))
