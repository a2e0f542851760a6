"""fencepost score: hypotheses against references."""

from __future__ import annotations

import argparse
import math
import sys
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

from fencepost.cli.common import (
    UsageError,
    add_costs,
    add_inputs,
    add_outputs,
    check_idle,
    open_output,
    read_references,
    read_systems,
    say_notes,
    with_costs,
    write_other_form,
)
from fencepost.cli.conventions import under_conventions, write_conventions
from fencepost.cli.pages import add_html, check_html, command_line, write_page
from fencepost.cli.scorepage import (
    WITHOUT,
    data_line,
    differences,
    first_line,
    how_averaged,
    how_compared,
    is_compared,
    write_markup,
    write_plain,
)
from fencepost.cli.signatures import asked, check_signature, groups_of
from fencepost.metrics.registry import Recipe, known_presets, meant
from fencepost.model.corpus import Corpus
from fencepost.report.grid import pivot, shown
from fencepost.report.text import working
from fencepost.scoring.count import (
    BASELINES,
    DEFAULT_METRICS,
    MEAN_OF_REFERENCES,
    score,
    score_counts,
)
from fencepost.scoring.counts import save
from fencepost.scoring.tables import Table
from fencepost.statistics.intervals import METHODS
from fencepost.statistics.resampling import RESAMPLES
from fencepost.statistics.tests import ADJUSTMENTS
from fencepost.wording import plural


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_inputs(parser, "*")
    parser.add_argument(
        "-m",
        "--metrics",
        nargs="+",
        metavar="METRIC",
        help=f"metrics, with settings if need be: WD:k=5 (default: {' '.join(DEFAULT_METRICS)})",
    )
    parser.add_argument(
        "--like", metavar="TOOL", help=f"another tool's conventions: {', '.join(known_presets())}"
    )
    parser.add_argument(
        "--signature", nargs="+", metavar="SIG", help="score under exactly these recipes"
    )
    parser.add_argument(
        "--average",
        choices=("macro", "micro", "both"),
        help="mean over texts (macro, default), pooled counts (micro), or both",
    )
    parser.add_argument(
        "--conventions",
        action="store_true",
        help="the same data under every known convention, in one table",
    )
    parser.add_argument("--per-text", action="store_true", help="a table of texts as well")
    parser.add_argument(
        "--no-baselines", action="store_true", help="leave out the rows of simple baselines"
    )
    parser.add_argument(
        "--seed", type=int, default=12345, help="for the random baseline, intervals and tests"
    )
    parser.add_argument(
        "--gate",
        nargs="+",
        metavar="METRIC=VALUE",
        default=[],
        help="exit with 3 if a system is worse than this",
    )
    _add_statistics(parser)
    add_costs(parser)
    add_outputs(parser, TABLES)
    add_html(parser)
    parser.add_argument(
        "--anonymize", action="store_true", help="references by people as coder A, coder B, ..."
    )


TABLES = ("scores", "per-text", "comparisons", "rankings", "counts")


def _add_statistics(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("intervals and tests (docs/statistics.md)")
    group.add_argument("--no-intervals", action="store_true", help="leave the intervals out")
    group.add_argument(
        "--method",
        choices=METHODS,
        help="of 95%% intervals: t (bootstrap-t, default below 100 texts), "
        "percentile (default from 100), bca, normal (from 10,000)",
    )
    group.add_argument(
        "--resamples", type=int, default=RESAMPLES, help=f"of intervals and tests ({RESAMPLES})"
    )
    group.add_argument(
        "--paired",
        nargs="?",
        const="randomization",
        choices=("randomization", "bootstrap"),
        help="compare the systems text by text: by randomization (default) or bootstrap",
    )
    group.add_argument(
        "--baseline", metavar="SYSTEM", help="compare with this system (default: the first)"
    )
    group.add_argument("--all-pairs", action="store_true", help="compare every two systems")
    group.add_argument(
        "--adjust",
        choices=ADJUSTMENTS,
        help="p for several comparisons: Holm (default), Benjamini-Hochberg, or not",
    )
    group.add_argument(
        "--group",
        metavar="FIELD|FILE",
        help="texts that belong together are resampled together: a field of the records, or a "
        "CSV file text,group",
    )
    group.add_argument(
        "--runs",
        nargs="+",
        metavar="SYSTEM=A,B,...",
        default=[],
        help="systems A, B, ... are one system with several seeds",
    )
    group.add_argument(
        "--resample",
        choices=("texts", "texts+runs"),
        default="texts",
        help="what intervals are over: texts (default), or texts and runs",
    )
    group.add_argument("--save", metavar="FILE", help="write the rows of counts (.csv or .parquet)")
    group.add_argument("--counts", metavar="FILE", help="read rows of counts instead of texts")


def run(args: argparse.Namespace) -> int:
    """Read, score, write; 3 if a gate is missed."""
    recipes, average, missing, notes = asked(args)
    gates = [] if args.counts else [_gate(text, recipes) for text in args.gate]
    if args.form != "csv" and args.table:
        raise UsageError("--table goes with --csv")
    if args.conventions and (args.gate or args.per_text or args.average):
        raise UsageError(
            "--conventions shows all averages; leave --gate, --per-text and --average away"
        )
    if args.adjust and not _compares(args):
        raise UsageError("--adjust is about the p of comparisons: add --paired, or leave it away")
    if args.conventions and (args.save or args.counts or _compares(args)):
        raise UsageError("--conventions compares conventions, not systems, and saves no counts")
    if args.anonymize and args.counts:
        raise UsageError("--anonymize is for references that are read, not for --counts")
    if args.html and (args.conventions or args.counts):
        raise UsageError("--html draws texts: leave --conventions and --counts away")
    check_html(args)
    texts: list[Any] = []
    if args.counts:
        table = _from_counts(args, average)
        recipes = list(dict.fromkeys(row["signature"].recipe for row in table.rows))
        gates = [_gate(text, recipes) for text in args.gate]
    else:
        table, *texts = _scored(args, recipes, average, missing)
    for text in args.signature or ():
        notes += check_signature(text, table)
    table = replace(table, notes=(*dict.fromkeys(notes), *table.notes))
    if args.save:
        _save(args, table)
    stream = open_output(args)
    try:
        _write(args, table, stream)
    finally:
        if stream is not sys.stdout:
            stream.close()
    if args.html and texts:
        _write_html(args, table, *texts)
    return 3 if gates and _missed(table, gates) else 0


def _compares(args: argparse.Namespace) -> bool:
    return bool(args.paired or args.baseline is not None or args.all_pairs)


def _scored(
    args: argparse.Namespace, recipes: list[Recipe], average: Any, missing: Any
) -> tuple[Table, Corpus, dict[str, Corpus]]:
    if not args.refs:
        raise UsageError("no reference: fencepost score REF -i HYP, or --counts FILE")
    reference = _named(args, read_references(args))
    systems = read_systems(args, set(reference.texts))
    check_idle(args)
    recipes = with_costs(args, recipes)
    settings: dict[str, Any] = {
        "average": average,
        "missing": missing,
        "baselines": not args.no_baselines,
        "seed": args.seed,
    }
    with working(f"scoring {plural(len(reference.texts), 'text')}"):
        if args.conventions:
            return under_conventions(reference, systems, recipes, settings), reference, systems
        settings |= _statistics(args) | {"runs": _runs(args.runs)}
        table = score(reference, systems, metrics=recipes, like=args.like, **settings)
    return table, reference, systems


def _named(args: argparse.Namespace, reference: Corpus) -> Corpus:
    """The reference, without the names of its coders if so asked."""
    if not args.anonymize:
        return reference
    if len(reference.coders) > 1 or reference.coders != ["1"]:
        reference = reference.anonymized()
    return reference.described(name="reference")


def _from_counts(args: argparse.Namespace, average: Any) -> Table:
    given = {
        "REF": args.refs, "-i": args.hyps, "-m": args.metrics, "--like": args.like,
        "--signature": args.signature, "--runs": args.runs, "--save": args.save,
    }  # fmt: skip
    said = [name for name, value in given.items() if value]
    if said:
        raise UsageError(
            f"--counts has texts, systems and metrics in it already; leave {', '.join(said)} away"
        )
    if args.output and Path(args.output).resolve() == Path(args.counts).resolve():
        raise UsageError(f"-o {args.output} would overwrite an input file")
    with working(f"reading {args.counts}"):
        return score_counts(args.counts, average=average, seed=args.seed, **_statistics(args))


def _statistics(args: argparse.Namespace) -> dict[str, Any]:
    """How to resample and compare."""
    if args.no_intervals and args.method:
        raise UsageError("--method is of intervals, and --no-intervals leaves them out")
    if args.no_intervals and args.resample != "texts":
        raise UsageError(
            f"--resample {args.resample} is of intervals, and --no-intervals leaves them out"
        )
    groups = groups_of(args)
    return {
        "intervals": False if args.no_intervals else args.method or True,
        "resamples": args.resamples,
        "paired": args.paired,
        "baseline": args.baseline,
        "all_pairs": args.all_pairs,
        "adjust": args.adjust or "holm",
        "group": groups,
        "resample": args.resample,
    }


def _runs(given: list[str]) -> dict[str, list[str]]:
    runs: dict[str, list[str]] = {}
    for one in given:
        system, equals, names = one.partition("=")
        if not equals or not system or not all(names.split(",")):
            raise UsageError(
                f"--runs is written SYSTEM=A,B,..., found {one!r}: --runs bert=bert1,bert2"
            )
        if system in runs:
            raise UsageError(f"--runs names {system} twice")
        runs[system] = names.split(",")
    return runs


def _save(args: argparse.Namespace, table: Table) -> None:
    inputs = {Path(path).resolve() for path in (*args.refs, *args.hyps) if path != "-"}
    inputs |= {Path(args.output).resolve()} if args.output else set()
    if Path(args.save).resolve() in inputs:
        raise UsageError(f"--save {args.save} would overwrite another file of this command")
    save(table.part("counts"), args.save)


def _write(args: argparse.Namespace, table: Table, stream: IO[str]) -> None:
    if args.conventions:
        write_conventions(args, table, stream)
    elif args.form == "csv":
        say_notes(table.notes)
        wanted = args.table or ("per-text" if args.per_text else "scores")
        if wanted != "scores" and wanted not in table.parts:
            raise UsageError(f"--table {wanted}: {WITHOUT[wanted]}")
        write_other_form("csv", table if wanted == "scores" else table.part(wanted), stream)
    elif args.form == "json":
        import json

        plain = table.plain()
        if args.per_text:
            plain["per-text"] = table.part("per-text").plain()["rows"]
        for name in ("comparisons", "rankings"):
            if name in table.parts and (name == "comparisons" or "comparisons" in table.parts):
                plain[name] = table.part(name).plain()["rows"]
        stream.write(json.dumps(plain, ensure_ascii=False, allow_nan=False, indent=1) + "\n")
    elif args.form:
        write_markup(args, table, stream)
    else:
        write_plain(args, table, stream)


def _write_html(
    args: argparse.Namespace, table: Table, reference: Corpus, systems: dict[str, Corpus]
) -> None:
    from fencepost.report.html import Section, Sheet
    from fencepost.report.html.scores import score_page

    more = []
    if is_compared(table):
        how = " ".join(how_compared(table).split("\n"))
        sheet = Sheet.of(differences(table), how, plain=True, left=2)
        blocks = [sheet]
        if "rankings" in table.parts and len(table.part("rankings")):
            how = "Kendall's tau of the rankings of the systems that every two metrics give"
            blocks.append(Sheet.of(table.part("rankings"), how, plain=True, left=3))
        more.append(Section("differences", "Differences", blocks))
    with working("drawing texts"):
        page = score_page(
            table,
            reference,
            systems,
            lead=first_line(table),
            data=data_line(table),
            how=how_averaged(table, pivot(table), bounds=None),  # the page says what its own are
            # File names may be those of people.
            command="" if args.anonymize else command_line(),
            more=more,
        )
    write_page(args, page)


# Gates, for continuous integration.


def _gate(text: str, recipes: list[Recipe]) -> tuple[Recipe, float]:
    name, equals, value = text.rpartition("=")
    try:
        limit = float(value)
    except ValueError:
        limit = math.nan
    if not equals or math.isnan(limit):
        raise UsageError(f"--gate is written METRIC=VALUE, found {text!r}: --gate windowdiff=0.3")
    found = meant(name, recipes)
    if len(found) > 1:
        said = " or ".join(f"--gate {one}={value}" for one in found)
        raise UsageError(f"--gate {name} could be several of the metrics scored: write {said}")
    if not found:
        raise UsageError(f"--gate names {name}, which is not scored: add it to -m")
    return found[0], limit


def _missed(table: Table, gates: list[tuple[Recipe, float]]) -> bool:
    missed = False
    several = len({row["reference"] for row in table.rows}) > 1
    rows = [
        row
        for row in table.rows
        if row["system"] not in BASELINES
        and (not several or row["reference"] == MEAN_OF_REFERENCES)
    ]
    for recipe, limit in gates:
        lower = recipe.metric.better == "lower"
        for row in rows:
            if row["signature"].recipe != recipe:
                continue
            good = row["value"] <= limit if lower else row["value"] >= limit
            if not good:
                missed = True
                undefined = math.isnan(row["value"])
                side = "undefined, not" if undefined else "above" if lower else "below"
                print(
                    f"fencepost: gate: {row['system']} has {recipe.name} "
                    f"{shown(row['value'])}, {side} {limit:g}",
                    file=sys.stderr,
                )
    return missed
