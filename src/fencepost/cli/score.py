"""fencepost score: hypotheses against references."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

from fencepost.checks import FencepostError, MetricError
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
from fencepost.cli.groups import Groups, read_groups
from fencepost.cli.pages import add_html, check_html, command_line, write_page
from fencepost.corpus import Corpus
from fencepost.counts import save
from fencepost.metrics.base import (
    Recipe,
    as_recipe,
    known_presets,
    parse,
    parse_signature,
    version_note,
)
from fencepost.report.grid import Grid, headers, pivot, said_family, shown
from fencepost.report.text import fit, working, write_grid, write_table
from fencepost.result import Signature, Table, rows_to_table
from fencepost.scoring import (
    BASELINES,
    DEFAULT_METRICS,
    MEAN_OF_REFERENCES,
    average_of,
    score,
    score_counts,
)
from fencepost.statistics import ADJUSTMENTS, METHODS, RESAMPLES


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
        help="of 95%% intervals: t (bootstrap-t, default below 100 texts), hall (the same for "
        "skewed values), percentile (default from 100), bca, normal (from 10,000)",
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
    recipes, average, missing, notes = _asked(args)
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
        recipes = [parse_signature(row["signature"])[0] for row in table.rows]
        gates = [_gate(text, recipes) for text in args.gate]
    else:
        table, *texts = _scored(args, recipes, average, missing)
    for text in args.signature or ():
        notes += _check_signature(text, table)
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
    return 3 if _missed(table, gates) else 0


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
    with working(f"scoring {_count(len(reference.texts), 'text')}"):
        if args.conventions:
            return _conventions(reference, systems, recipes, settings), reference, systems
        settings |= _statistics(args) | {"runs": _runs(args.runs)}
        table = score(reference, systems, metrics=recipes, like=args.like, **settings)
    return table, reference, systems


def _named(args: argparse.Namespace, reference: Corpus) -> Corpus:
    """The reference, without the names of its coders if so asked."""
    if not args.anonymize:
        return reference
    if len(reference.coders) > 1 or reference.coders != ["1"]:
        reference = reference.anonymized()
    return replace(reference, name="reference")


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
    groups = _groups(args)
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


def _write_html(
    args: argparse.Namespace, table: Table, reference: Corpus, systems: dict[str, Corpus]
) -> None:
    from fencepost.report.html import Section, Sheet
    from fencepost.report.html.scores import score_page

    more = []
    if _compared(table):
        how = " ".join(_how_compared(table).split("\n"))
        sheet = Sheet.of(_differences(table), how, plain=True, left=2)
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
            how=_how_averaged(table, pivot(table), bounds=None),  # the page says what its own are
            # File names may be those of people.
            command="" if args.anonymize else command_line(),
            more=more,
        )
    write_page(args, page)


def _check_signature(text: str, table: Table) -> list[str]:
    """Refuse data that cannot be scored under exactly the recipe that was asked for.

    What follows from the data and the other systems, not from the recipe, is said.
    """
    about_intervals = (
        "fencepost", "bs", "group", "test", "against", "pairs", "adjust", "seed"
    )  # fmt: skip
    fields = Signature(text.strip()).fields
    wanted = {k: v for k, v in fields.items() if k not in about_intervals}
    own = [row["signature"] for row in table.rows if row["system"] not in BASELINES]
    if "comparisons" in table.parts:
        own += table.part("comparisons").column("signature")
    if not any(wanted.items() <= signature.fields.items() for signature in own):
        odd = {k: v for k, v in wanted.items() if own[0].fields.get(k) != v}
        missing = ", ".join(f"{k}:{v}" for k, v in odd.items())
        raise FencepostError(
            f"these files cannot be scored so: the signature says {missing}, they give {own[0]}"
        )
    notes = []
    if "test" in fields and not {"against", "pairs"} & set(fields) and _compared(table):
        against = table.part("comparisons").facts["against"]
        said = f"all are compared with {against}" if against else "every two are compared"
        notes.append(f"the signature does not say which systems were compared: here {said}")
    if "adjust" in fields and "comparisons" in table.parts:
        family = table.part("comparisons").facts["family"]
        how, _, size = fields["adjust"].partition(",")
        if how != "none" and size != str(family):
            notes.append(
                f"the signature adjusts p over {size} comparisons, here there are {family}: "
                "adjusted p are other ones"
            )
    method = fields.get("bs", "").partition(",")[0]
    same = [s.fields for s in own if wanted.items() <= s.fields.items() and "bs" in s.fields]
    if method and all(one["bs"].partition(",")[0] != method for one in same):
        notes.append(f"the signature has intervals by {method}, which these texts do not allow")
    return notes


def _asked(args: argparse.Namespace) -> tuple[list[Recipe], Any, Any, list[str]]:
    """Recipes and how to combine texts, from -m or from signatures."""
    if not args.signature:
        names = args.metrics or DEFAULT_METRICS
        return [parse(name) for name in names], args.average or "macro", args.missing, []
    if args.metrics or args.like or args.conventions:
        raise UsageError(
            "--signature says all about the metric; leave -m, --like and --conventions away"
        )
    recipes, notes = [], []
    contexts: list[dict[str, str]] = []
    for text in args.signature:
        recipe, context = parse_signature(text)
        recipes.append(recipe)
        contexts.append(context)
        notes += [note for note in [version_note(context)] if note]
    _averaged_as(list(zip(recipes, contexts, strict=True)), args)
    for field, option in (
        ("missing", "missing"),
        ("flags", "flags"),
        ("threshold", "threshold"),
        ("gaps", "gaps"),
        ("overlap", "overlap"),
        ("levels", "levels"),
        ("tiers", "tiers"),
        ("as", "encoding"),
        ("seed", "seed"),
    ):
        values = {c[field] for c in contexts if field in c}
        if len(values) > 1:
            raise UsageError(
                f"the signatures differ in {field} ({', '.join(sorted(values))}); "
                "score them one by one"
            )
        if values:
            value = values.pop()
            given = getattr(args, option)
            unsaid = {"missing": "error", "seed": 12345}.get(option)
            if str(given) not in (str(unsaid), value):
                name = field if field == "as" else option
                raise UsageError(f"the signature says {field}:{value}, --{name} says {given}")
            typed = {"seed": int, "threshold": float}.get(field, str)
            setattr(args, option, typed(value))
    notes += _resampled_as(contexts, args)
    notes += _tested_as(contexts, args)
    return recipes, args.average or "macro", args.missing, notes


def _averaged_as(
    signed: Sequence[tuple[Recipe, Mapping[str, str]]], args: argparse.Namespace
) -> None:
    """The average as the signatures say; both, where they are those of both."""
    average = average_of(signed)
    if average and args.average not in (None, average):
        raise UsageError(f"the signature says avg:{average}, --average says {args.average}")
    args.average = average or args.average


def _resampled_as(contexts: Sequence[Mapping[str, str]], args: argparse.Namespace) -> list[str]:
    """Intervals as the signatures say: bs:t,10000."""
    parts = [c["bs"].split(",") for c in contexts if "bs" in c]
    methods = {part[0] for part in parts}
    if methods in ({"t", "percentile"}, {"hall", "percentile"}):
        methods -= {"percentile"}  # to which the bootstrap-t gives way by itself
    method = _one_of(methods, "bs")
    over = _one_of({",".join(part[2:]) for part in parts}, "bs")
    if args.no_intervals and method:
        raise UsageError(f"the signature says bs:{method}, --no-intervals leaves them out")
    if over:
        _bring(args, "resample", over, "texts")
    elif method:
        if method not in METHODS:
            raise UsageError(f"the signature says bs:{method}, which is no method of intervals")
        _bring(args, "method", method)
    tests = [c["test"].split(",") for c in contexts if "test" in c]
    counts = {part[1] for part in (*parts, *tests) if len(part) > 1 and part[1] != "exact"}
    count = _one_of(counts, "the number of resamples")
    if count:
        if not count.isdigit():
            raise UsageError(f"the signature says {count!r} resamples, which is no number")
        _bring(args, "resamples", int(count), RESAMPLES)
    groups = {c.get("group", "") for c in contexts if "bs" in c or "test" in c}
    args.signed_group = _one_of(groups, "group") if groups else None
    # Tables have intervals unless they are left out; a bare recipe says nothing of them.
    of_tables = all("avg" in c and "fencepost" in c for c in contexts)
    if parts or not of_tables or args.no_intervals or args.method or args.resample != "texts":
        return []
    args.no_intervals = True
    return ["the signature has no intervals (no bs), so there are none here; --method adds them"]


def _tested_as(contexts: Sequence[Mapping[str, str]], args: argparse.Namespace) -> list[str]:
    """Comparisons as the signatures say: test:randomization,10000, against:bert, adjust:holm,4."""
    test = _one_of({c["test"].partition(",")[0] for c in contexts if "test" in c}, "test")
    adjust = _one_of({c["adjust"].partition(",")[0] for c in contexts if "adjust" in c}, "adjust")
    if test:
        _bring(args, "paired", test)
    if adjust:
        _bring(args, "adjust", adjust)
    against = _one_of({c["against"] for c in contexts if "against" in c}, "against")
    pairs = _one_of({c["pairs"] for c in contexts if "pairs" in c}, "pairs")
    if (against or args.baseline is not None) and (pairs or args.all_pairs):
        raise UsageError(
            f"against {against or args.baseline} or every two systems: the signatures and options "
            "ask for both comparisons"
        )
    args.all_pairs = args.all_pairs or bool(pairs)
    if args.baseline is None:
        args.baseline = against or None
    elif against and args.baseline != against:  # files may have other names than they had
        return [f"the signature compares with {against}, here it is {args.baseline}"]
    return []


def _one_of(values: Set[str], field: str) -> str:
    """The one value that signatures agree on; nothing where none has any."""
    if len(values) > 1:
        said = ", ".join(sorted(value or "none" for value in values))
        raise UsageError(f"the signatures differ in {field} ({said}); score them one by one")
    return next(iter(values), "")


def _bring(args: argparse.Namespace, option: str, value: Any, unsaid: Any = None) -> None:
    """Set an option as the signature says, unless another value is asked for."""
    given = getattr(args, option)
    if given not in (unsaid, value):
        raise UsageError(f"the signature says {value}, --{option} says {given}")
    setattr(args, option, value)


def _groups(args: argparse.Namespace) -> Groups | None:
    """The groups asked for; those of the signature, if there is one."""
    signed = getattr(args, "signed_group", None)
    if args.group:
        groups = read_groups(args.group, args.refs, args.id_field)
        if signed == "":
            raise UsageError(
                "the signature resamples texts, --group resamples groups: one of the two"
            )
        if signed not in (None, "given", groups.name):  # those of Python are called given
            raise UsageError(f"the signature says group:{signed}, --group says {args.group}")
        return groups
    if not signed:
        return None
    try:
        return read_groups(signed, args.refs, args.id_field)
    except FencepostError:
        raise UsageError(
            f"the signature says group:{signed}: whole groups of texts were resampled, and these "
            "files do not have them; give them with --group FILE, a CSV file text,group"
        ) from None


# The plain form.


def _write(args: argparse.Namespace, table: Table, stream: IO[str]) -> None:
    if args.conventions:
        _write_conventions(args, table, stream)
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
        _write_markup(args, table, stream)
    else:
        _write_plain(args, table, stream)


def _write_markup(args: argparse.Namespace, table: Table, stream: IO[str]) -> None:
    """For papers: the tables, and below each what a reader must know of it."""
    from fencepost.report import markup

    grid = pivot(table)
    how = [_how_averaged(table, grid, bounds=True)]
    if args.form == "markdown":
        stream.write(markup.grid_to_markdown(grid, how))
        said = markup.lines_to_markdown
    else:
        stream.write(markup.grid_to_latex(grid, how))
        said = markup.lines_to_latex
    if _compared(table):
        stream.write("\n")
        write_other_form(args.form, _differences(table), stream)
        stream.write("\n" + said([" ".join(_how_compared(table).split("\n"))]))
    if args.per_text:
        stream.write("\n")
        write_other_form(args.form, table.part("per-text"), stream)
    notes = [data_line(table), *(f"note: {note}" for note in table.notes)]
    write = said if args.form == "markdown" else markup.lines_to_comments
    stream.write("\n" + write(notes))


def _compared(table: Table) -> bool:
    """Whether systems were compared, and could be: some text counts for all of them."""
    return "comparisons" in table.parts and len(table.part("comparisons")) > 0


def _write_plain(args: argparse.Namespace, table: Table, stream: IO[str]) -> None:
    grid = pivot(table)
    stream.write(fit(first_line(table) + "\n\n", stream))
    write_grid(grid, stream)
    if args.per_text:
        stream.write("\n")
        _write_per_text(table, stream)
    if _compared(table):
        stream.write("\n")
        differences = _differences(table)
        rows = [[str(row[c]) for c in differences.columns] for row in differences.rows]
        write_table(list(differences.columns), rows, stream, left=2)
        stream.write(fit(f"{_how_compared(table)}\n", stream))
    how = _how_averaged(table, grid, grid.has_bounds)
    lines = ["", how, *([grid.marks] if grid.marks else []), *grid.signatures, data_line(table)]
    # All of them belong to the page: who keeps it in a file keeps what its numbers need.
    lines += [f"note: {note}" for note in table.notes]
    stream.write(fit("\n".join(lines) + "\n", stream))


def first_line(table: Table) -> str:
    """What was read and how it was understood."""
    f = table.facts
    unit = f["unit"]
    refs = f" in {f['references']} references" if f["references"] > 1 else ""
    parts = [
        _count(f["texts"], "text"),
        _count(f["units"], unit),
        f"{f['reference_cuts']} {f['reference']} "
        f"{'boundary' if f['reference_cuts'] == 1 else 'boundaries'}{refs}",
    ]
    flags = f["reading"].get("flags")
    return ", ".join(parts) + (f" (1 = {flags} {unit} of a segment)" if flags else "")


def _count(n: int, what: str) -> str:
    return f"{n} {what}{'s' * (n != 1)}"


WITHOUT = {
    "comparisons": "systems are compared with --paired",
    "rankings": "rankings are of several systems by several metrics",
}


def _differences(table: Table) -> Table:
    """The comparisons as people read them."""
    return rows_to_table(_difference_rows(table.part("comparisons")), name="differences")


def _difference_rows(part: Table) -> list[dict[str, str]]:
    both = len({row["average"] for row in part.rows}) > 1
    adjusted = {"holm": "p (Holm)", "bh": "p (BH)", "none": ""}[part.facts["adjust"]]
    titles = dict(zip(_recipe_keys(part), _headers_of(part), strict=True))
    bounded = any(row["low"] is not None for row in part.rows)
    rows = []
    for row, key in zip(part.rows, _recipe_keys(part, every=True), strict=True):
        name = row["system"]
        made = {
            "": f"{name} - {row['against']}" if part.facts["all_pairs"] else name,
            "metric": titles[key] + (f" {row['average']}" if both else ""),
            "difference": f"{row['difference']:+.3f}",
        }
        if bounded:
            made["95% interval"] = (
                "–" if row["low"] is None else f"{row['low']:+.3f} to {row['high']:+.3f}"
            )
        made["p"] = _shown_p(row["p"])
        if adjusted:
            made[adjusted] = _shown_p(row["p_adjusted"])
        made["win/tie/loss"] = f"{row['wins']}/{row['ties']}/{row['losses']}"
        rows.append(made)
    return rows


def _recipe_keys(part: Table, every: bool = False) -> list[str]:
    keys = [str(parse_signature(row["signature"])[0].signature()) for row in part.rows]
    return keys if every else list(dict.fromkeys(keys))


def _headers_of(part: Table) -> list[str]:
    recipes = [parse_signature(key)[0] for key in _recipe_keys(part)]
    return headers([(recipe, "") for recipe in recipes])


def _shown_p(p: float) -> str:
    return f"{p:.3f}" if p >= 0.001 else f"{p:.1g}"


def _how_compared(table: Table) -> str:
    part = table.part("comparisons")
    facts = part.facts
    what = "groups" if table.facts.get("groups") else "texts"
    if facts["test"] == "bootstrap":
        how = f"paired bootstrap of {what}, {facts['resamples']:,} resamples, seed {facts['seed']}"
    else:
        how = f"paired randomization over {what}, {_how_swapped(part)}"
    than = "every two systems; " if facts["all_pairs"] else f"against {facts['against']}; "
    runs = "; p with these runs, intervals over texts and runs" * (facts["over"] != "texts")
    return f"{than}{how};\n{said_family(facts)}{runs}"


def _how_swapped(part: Table) -> str:
    """Whether all swaps were tried; which comparisons, where it was so for some of them."""
    facts = part.facts
    random = f"{facts['resamples']:,} random swaps, seed {facts['seed']}"
    if facts["exact"] == facts["family"]:
        return "all swaps"
    if not facts["exact"]:
        return random
    exact = [row["signature"].fields["test"].endswith(",exact") for row in part.rows]
    names = [
        f"{row['']} in {row['metric']}"
        for row, all_tried in zip(_difference_rows(part), exact, strict=True)
        if all_tried
    ]
    if len(names) > MOST_NAMED:
        return f"all swaps for {len(names)} of the comparisons (in --csv), else {random}"
    return f"all swaps for {', '.join(names)}, else {random}"


MOST_NAMED = 3  # comparisons in a line below their table


def _how_averaged(table: Table, grid: Grid, bounds: bool | None) -> str:
    averages = {row["average"] for row in table.rows}
    several = any(row["reference"] == MEAN_OF_REFERENCES for row in table.rows)
    said = {
        "macro": "mean over a text's references, then over texts" if several else "mean over texts",
        "micro": f"counts of all texts{' and references' if several else ''} pooled",
    }
    if len(averages) > 1:
        how = f"macro: {said['macro']}; micro: {said['micro']}"
    else:
        how = said[averages.pop()]
    if grid.has_intervals and bounds is not None:
        over = " over groups" if table.facts.get("groups") else ""
        how += f" [95% interval{over}]" if bounds else f" ± half of the 95% interval{over}"
    best = "↓ lower is better" if "lower" in grid.better else "↑ higher is better"
    return f"{how}; {best}"


def data_line(table: Table) -> str:
    """Which data: a fingerprint two people can compare."""
    f = table.facts
    parts = [f"data: {f['reference']} {f['fingerprint']}", *f.get("settings", [])]
    without = f["texts_without_cuts"]
    if without:
        parts.append(
            f"{_count(without, 'text')} {'has' if without == 1 else 'have'} "
            f"no {f['reference']} boundary"
        )
    return "; ".join(parts)


def _write_per_text(table: Table, stream: IO[str]) -> None:
    part = table.part("per-text")
    metrics = list(dict.fromkeys(row["signature"] for row in part.rows))
    titles = {s: parse_signature(s)[0] for s in metrics}
    several = len(set(part.column("reference"))) > 1
    cells: dict[tuple[str, ...], dict[str, float]] = {}
    for row in part.rows:
        key = (row["text"], row["system"], *([row["reference"]] if several else []))
        cells.setdefault(key, {})[row["signature"]] = row["value"]
    order = {text: i for i, text in enumerate(dict.fromkeys(part.column("text")))}
    headers = ["text", "system", *(["reference"] if several else [])]
    rows = [
        [*key, *(shown(found.get(s)) for s in metrics)]
        for key, found in sorted(cells.items(), key=lambda c: order[c[0][0]])
    ]
    labels = [titles[s].metric.title for s in metrics]
    write_table(
        [
            *headers,
            *(
                s if labels.count(label) > 1 else label
                for s, label in zip(metrics, labels, strict=True)
            ),
        ],
        rows,
        stream,
        left=len(headers),
    )


# The same data under every known convention.


def conventions(recipe: Recipe) -> Iterator[tuple[str, Recipe]]:
    """The recipe as asked, other tools' presets, and every choice its settings leave open."""
    metric = recipe.metric
    yield "as asked", recipe
    for tool in metric.presets:
        yield f"like {tool}", metric.recipe(like=tool)
    for name, param in metric.params.items():
        for value in param.conventions():
            yield (
                f"{name}={param.show(value)}",
                Recipe(metric, {**recipe.settings, name: param.check(name, value)}),
            )


def _conventions(
    reference: Corpus, systems: dict[str, Corpus], recipes: list[Recipe], settings: dict[str, Any]
) -> Table:
    rows: list[dict[str, Any]] = []
    facts: dict[str, Any] = {}
    for recipe in recipes:
        seen: set[tuple[str, str]] = set()
        for label, variant in conventions(recipe):
            try:
                table = score(
                    reference,
                    systems,
                    metrics=[variant],
                    **{
                        **settings,
                        "baselines": False,
                        "intervals": False,
                        "average": "both" if variant.metric.additive else "macro",
                    },
                )
            except MetricError:
                continue  # settings that do not go together
            facts = facts or dict(table.facts)
            for row in table.rows:
                if row["reference"] != MEAN_OF_REFERENCES and len(reference.coders) > 1:
                    continue
                if (row["system"], row["signature"]) not in seen:
                    seen.add((row["system"], row["signature"]))
                    rows.append(
                        {
                            "metric": row["metric"],
                            "convention": label,
                            **{
                                k: row[k]
                                for k in (
                                    "system",
                                    "average",
                                    "value",
                                    "n",
                                    "undefined",
                                    "signature",
                                )
                            },
                        }
                    )
    return rows_to_table(rows, name="conventions", facts=facts)


def _write_conventions(args: argparse.Namespace, table: Table, stream: IO[str]) -> None:
    if args.form:
        write_other_form(args.form, table, stream)
        return
    systems = list(dict.fromkeys(table.column("system")))
    lines: dict[str, dict[str, Any]] = {}
    labels: dict[str, tuple[str, str, str]] = {}
    for row in table.rows:
        lines.setdefault(row["signature"], {})[row["system"]] = row["value"]
        labels.setdefault(row["signature"], (row["metric"], row["convention"], row["average"]))
    stream.write(fit(first_line(table) + "\n\n", stream))
    texts = {row["signature"]: str(row["n"]) for row in table.rows}
    rows = [
        [*labels[s], texts[s], *(shown(found.get(name)) for name in systems)]
        for s, found in lines.items()
    ]
    write_table(["metric", "convention", "average", "texts", *systems], rows, stream, left=3)
    stream.write(fit(f"\nsignatures: --conventions --json\n{data_line(table)}\n", stream))


# Gates, for continuous integration.


def _gate(text: str, recipes: list[Recipe]) -> tuple[Recipe, float]:
    name, equals, value = text.rpartition("=")
    try:
        limit = float(value)
    except ValueError:
        limit = math.nan
    if not equals or math.isnan(limit):
        raise UsageError(f"--gate is written METRIC=VALUE, found {text!r}: --gate windowdiff=0.3")
    wanted = as_recipe(name, None)
    wanted_settings = wanted != wanted.metric.recipe()
    for recipe in recipes:
        if recipe == wanted or (not wanted_settings and recipe.name == wanted.name):
            return recipe, limit
    raise UsageError(f"--gate names {wanted.name}, which is not scored: add it to -m")


def _missed(table: Table, gates: list[tuple[Recipe, float]]) -> bool:
    missed = False
    for recipe, limit in gates:
        for row in table.rows:
            if row["system"] in BASELINES or row["metric"] != recipe.name:
                continue
            if (
                len({r["reference"] for r in table.rows}) > 1
                and row["reference"] != MEAN_OF_REFERENCES
            ):
                continue
            lower = recipe.metric.better == "lower"
            good = row["value"] <= limit if lower else row["value"] >= limit
            if not good:
                missed = True
                side = (
                    "undefined, not" if math.isnan(row["value"]) else "above" if lower else "below"
                )
                print(
                    f"fencepost: gate: {row['system']} has {recipe.name} "
                    f"{shown(row['value'])}, {side} {limit:g}",
                    file=sys.stderr,
                )
    return missed
