"""fencepost agree: annotators among each other."""

from __future__ import annotations

import argparse
import json
import sys
from typing import IO, Any

from fencepost.cli.common import (
    UsageError,
    add_costs,
    add_outputs,
    add_reading,
    open_output,
    read_references,
    with_costs,
    write_other_form,
)
from fencepost.coders import CHANCES, Chance, agreement
from fencepost.corpus import Corpus
from fencepost.kinds import ALL_STREAMS, confusions, contrasts, operations
from fencepost.metrics.base import Recipe, parse
from fencepost.report.grid import shown
from fencepost.report.text import fit, working, write_table
from fencepost.result import Table

TABLES = ("agreement", "contrasts", "confusions", "operations")
SAID = {
    "shuffle": "places shuffled",
    "bernoulli": "places drawn",
    "uniform": "all kinds alike",
    "uniform-kinds": "kinds alike",
}


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "refs", nargs="+", metavar="FILE", help="annotations; several files are several annotators"
    )
    parser.set_defaults(hyps=[])
    add_reading(parser)
    parser.add_argument(
        "-m", "--metrics", nargs="+", metavar="METRIC", default=["B"],
        help="symmetric similarities: B (default), S, A, Sf, SfB",
    )  # fmt: skip
    parser.add_argument(
        "--chance", nargs="+", choices=CHANCES,
        help="how chance is drawn (default: shuffle; all others for Sf and SfB)",
    )  # fmt: skip
    parser.add_argument(
        "--draws", type=int, default=400, help="simulated annotations (default 400)"
    )
    parser.add_argument("--seed", type=int, default=12345)
    parser.add_argument(
        "--exact", action="store_true", help="the exact expectation of Sf instead of simulation"
    )
    parser.add_argument(
        "--confusions", action="store_true", help="which kinds were taken for which"
    )
    add_costs(parser)
    add_outputs(parser, TABLES)


def run(args: argparse.Namespace) -> int:
    """Read, compare all coders, write."""
    if args.form != "csv" and args.table:
        raise UsageError("--table goes with --csv")
    recipes = [parse(name) for name in args.metrics]
    corpus = read_references(args)
    recipes = with_costs(args, recipes)
    with working(f"comparing {len(corpus.coders)} coders"):
        parts = [_agree(args, corpus, recipe) for recipe in recipes]
    rows = tuple(row for part in parts for row in part.rows)
    table = Table(parts[0].columns, rows, name="agreement", facts=parts[0].facts)
    flexible = next((r for r in recipes if r.name == "flexible_similarity"), None)
    stream = open_output(args)
    try:
        _write(args, table, corpus, flexible, stream)
    finally:
        if stream is not sys.stdout:
            stream.close()
    return 0


def _agree(args: argparse.Namespace, corpus: Corpus, recipe: Recipe) -> Table:
    usual: tuple[Chance, ...] = ("shuffle",)
    if recipe.name == "flexible_similarity":
        usual = ("bernoulli", "uniform", "uniform-kinds")
    chance = args.chance or usual
    return agreement(
        corpus, metric=recipe, chance=chance, draws=args.draws, seed=args.seed, exact=args.exact
    )


def _parts(corpus: Corpus, flexible: Recipe | None) -> dict[str, Table]:
    if flexible is None:
        return {}
    makers = {"contrasts": contrasts, "confusions": confusions, "operations": operations}
    return {name: make(corpus, **flexible.settings) for name, make in makers.items()}


def _write(
    args: argparse.Namespace, table: Table, corpus: Corpus, flexible: Recipe | None, out: IO[str]
) -> None:
    if args.form == "csv" and args.table not in (None, "agreement"):
        parts = _parts(corpus, flexible)
        if args.table not in parts:
            raise UsageError(f"--table {args.table} goes with -m Sf or SfB")
        write_other_form("csv", parts[args.table], out)
    elif args.form == "json":
        plain = table.plain()
        for name, part in _parts(corpus, flexible).items():
            plain[name] = part.plain()["rows"]
        out.write(json.dumps(plain, ensure_ascii=False, allow_nan=False, indent=1) + "\n")
    elif args.form:
        write_other_form(args.form, table, out)
    else:
        _write_plain(args, table, corpus, flexible, out)


def _write_plain(
    args: argparse.Namespace, table: Table, corpus: Corpus, flexible: Recipe | None, out: IO[str]
) -> None:
    f = table.facts
    counted = [_count(f[name + "s"], name) for name in ("text", "coder", "pair")]
    first = ", ".join([*counted, _count(f["units"], f["unit"]), f"{f['boundaries']} boundaries"])
    out.write(fit(first + "\n\n", out))
    rows = [
        [
            f"{row['coefficient']}, {_title(row)}",
            shown(row["value"]),
            shown(row["observed"]),
            shown(row["expected"]),
            f"{_error(row)} ({SAID[row['chance']]})",
        ]
        for row in table.rows
    ]
    write_table(["", "value", "observed", "by chance", ""], _left(rows), out)
    if flexible is not None:
        out.write("\n")
        for part in contrasts(corpus, **flexible.settings):
            out.write(f"{part['measure']:<24}  {shown(part['value'])}\n")
        if args.confusions:
            out.write("\n")
            _write_confusions(confusions(corpus, **flexible.settings), out)
    lines = ["", *dict.fromkeys(str(row["signature"]) for row in table.rows)]
    lines.append(f"data: {f['corpus']} {f['fingerprint']}")
    out.write(fit("\n".join(lines) + "\n", out))


def _error(row: dict[str, Any]) -> str:
    return f"±{row['standard_error']:.4f}" if row["standard_error"] else "exact"


def _title(row: dict[str, Any]) -> str:
    recipe = parse(row["signature"])
    return "S_f^B" if recipe.settings.get("norm") == "edits" else recipe.metric.title


def _left(rows: list[list[str]]) -> list[list[str]]:
    """The last column reads from the left."""
    width = max((len(row[-1]) for row in rows), default=0)
    return [[*row[:-1], row[-1].ljust(width)] for row in rows]


def _write_confusions(table: Table, out: IO[str]) -> None:
    for stream in dict.fromkeys(table.column("stream")):
        part = table.where(stream=stream)
        names = list(dict.fromkeys([*part.column("first"), *part.column("second")]))
        names.sort(key=lambda name: (name == "none", name))
        cells = {(row["first"], row["second"]): row["count"] for row in part}
        rows = [[a, *(str(cells.get((a, b), "")) for b in names)] for a in names]
        title = "all streams" if stream == ALL_STREAMS else stream or "text"
        write_table([f"{title}: first \\ second", *names], rows, out)
        out.write("\n")


def _count(n: int, what: str) -> str:
    return f"{n} {what}{'s' * (n != 1)}"
