"""What the commands share: reading both sides, and writing results in every form."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

from fencepost.coders.annotations import Annotations
from fencepost.formats import find_format, format_names, read, read_bytes
from fencepost.formats.options import ENCODINGS, FormatError, option_of
from fencepost.metrics import Costs, Recipe
from fencepost.model.checks import FencepostError
from fencepost.model.corpus import Corpus, Key
from fencepost.model.join import words_that_differ
from fencepost.report.text import fit, working
from fencepost.scoring.tables import Table

NO_HYPOTHESIS = "no hypothesis: give files after -i: fencepost score gold.json -i system.json"


class UsageError(FencepostError):
    """Options that do not go together: exit code 2."""


def add_inputs(parser: argparse.ArgumentParser, references: str = "+") -> None:
    """References, hypotheses, and how files are to be understood."""
    parser.add_argument(
        "refs",
        nargs=references,
        metavar="REF",
        help="reference file; several are several references",
    )
    parser.add_argument(
        "-i",
        "--hyps",
        nargs="+",
        metavar="HYP",
        default=[],
        help="hypothesis files, one a system (- is stdin)",
    )
    group = add_reading(parser)
    group.add_argument(
        "--ref-field",
        metavar="NAME",
        help='field (or annotator) of the reference in records and token tables (default "ref")',
    )
    group.add_argument(
        "--hyp-field",
        metavar="NAME",
        nargs="+",
        help='field of the hypothesis (default "hyp"); several are several systems',
    )
    group.add_argument(
        "--hyp-from",
        metavar="FORMAT",
        type=format_name,
        help="format of the hypotheses, where it differs from --from",
    )
    group.add_argument(
        "--missing",
        choices=("error", "skip", "whole"),
        default="error",
        help="texts without a partner: refuse, leave out, or count as unsegmented",
    )


def add_reading(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """How files are to be understood."""
    parser.set_defaults(ref_field=None, hyp_from=None)
    group = parser.add_argument_group("reading")
    group.add_argument(
        "--from",
        dest="format",
        metavar="FORMAT",
        type=format_name,
        help=f"input format: {', '.join(format_names())} (default: by name and content; "
        "fencepost formats shows each)",
    )
    group.add_argument(
        "--flags",
        choices=("last", "first"),
        help="what a 1 marks where each unit has a 0 or 1: the last or the first of a segment",
    )
    group.add_argument(
        "--as",
        dest="encoding",
        choices=ENCODINGS,
        help="what the values are, where they do not tell",
    )
    group.add_argument(
        "--id-field", metavar="NAME", default="id", help='field of the text\'s name (default "id")'
    )
    group.add_argument(
        "--units-field",
        metavar="NAME",
        default="units",
        help='field of the units, a list or a number (default "units")',
    )
    group.add_argument(
        "--ignore-tokens",
        metavar="REGEX",
        help="leave these tokens out (pauses, brackets), or these lines of plain text",
    )
    group.add_argument(
        "--threshold",
        metavar="P",
        type=float,
        help="a probability from here up is a boundary",
    )
    add_stretches(group)
    return group


def add_stretches(group: argparse._ArgumentGroup) -> None:
    """How files with tiers, times, offsets and levels are to be understood."""
    group.add_argument(
        "--units",
        metavar="UNITS",
        help="what is counted where files have times or offsets: words:TIER, seconds:0.1, words, "
        "chars, text (words of the labels)",
    )
    group.add_argument(
        "--tiers",
        metavar="WHO",
        help="what tiers are: coders, speakers, one (all in one stream), or a pattern of their "
        "names such as {speaker}@{coder}",
    )
    group.add_argument(
        "--path",
        dest="path_pattern",
        metavar="PATTERN",
        help="what the paths in a folder mean: {coder}/{text}.TextGrid",
    )
    group.add_argument(
        "--gaps",
        choices=("segment", "join"),
        help="stretches of no segment: segments of their own or part of the one before",
    )
    group.add_argument(
        "--overlap",
        choices=("start", "end"),
        help="where segments that overlap are cut: where the later one starts, or the earlier ends",
    )
    group.add_argument(
        "--snap",
        action="store_true",
        help="ignore white space around a cut, where the text is there",
    )
    group.add_argument(
        "--levels",
        metavar="LEVELS",
        help="of headings and captions: kinds (default), all (no kinds), or the last that counts",
    )
    group.add_argument(
        "--separator",
        metavar="MARK",
        help='the line between segments of plain text ("" is an empty line; default: rules such as '
        "==========, ---, ### where there are any, otherwise empty lines)",
    )
    group.add_argument(
        "--raw", metavar="FILE", help="the text itself, for lists of its sentences and chunks"
    )


def format_name(name: str) -> str:
    """A format that there is, for argparse."""
    try:
        return find_format(name).name
    except FormatError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def add_costs(parser: argparse.ArgumentParser) -> None:
    """Costs of confusing kinds, for the metrics that have them."""
    group = parser.add_argument_group("kinds of boundaries")
    group.add_argument(
        "--costs",
        metavar="FILE|NAME",
        help="similarities of kinds for Sf: a square CSV or JSON, identity, positions, lai2023",
    )
    group.add_argument(
        "--learn-costs",
        metavar="FILE",
        help="learn the similarities from experts' annotations of the same texts",
    )


def with_costs(args: argparse.Namespace, recipes: list[Recipe]) -> list[Recipe]:
    """The recipes with the costs asked for; an error where no metric has costs."""
    if args.costs is None and args.learn_costs is None:
        return recipes
    if args.costs is not None and args.learn_costs is not None:
        raise UsageError(
            "--costs gives the similarities and --learn-costs finds them: one of the two"
        )
    if not any(recipe.metric.kind_costs for recipe in recipes):
        raise UsageError("--costs is for metrics with costs: -m Sf or -m SfB")
    costs: Any = args.costs
    if args.learn_costs is not None:
        experts = read_file(args.learn_costs, args, None, "ref")
        pairs = Annotations.of(experts).pairs()
        costs = Costs.from_confusions(
            (pairs.segmentation(row, "ref"), pairs.segmentation(row, "hyp"))
            for row in range(len(pairs))
        )
    return [
        recipe.metric.recipe(**{**recipe.settings, "costs": costs})
        if recipe.metric.kind_costs
        else recipe
        for recipe in recipes
    ]


def add_outputs(parser: argparse.ArgumentParser, tables: Sequence[str]) -> None:
    """Forms of output."""
    group = parser.add_argument_group("output")
    form = group.add_mutually_exclusive_group()
    for name, what in (
        ("json", "JSON"),
        ("csv", "one tidy table as CSV"),
        ("markdown", "Markdown"),
        ("latex", "LaTeX"),
    ):
        form.add_argument(f"--{name}", dest="form", action="store_const", const=name, help=what)
    group.add_argument("--table", choices=tables, help="which table --csv writes")
    group.add_argument("-o", "--output", metavar="FILE", help="write there instead of stdout")


def read_file(path: str, args: argparse.Namespace, field: str | None, default_field: str) -> Corpus:
    """One file, a folder, or - for stdin."""
    choices: dict[str, Any] = {
        "flags": args.flags,
        "encoding": args.encoding,
        "field": field,
        "default_field": default_field,
        "id_field": args.id_field,
        "units_field": args.units_field,
        **{name: getattr(args, name) for name in CHOICES},
    }
    idle: set[str] = set()
    with working(f"reading {path}"):
        corpus = _read(path, args, default_field, choices, idle)
    if not Path(path).is_dir():
        idle.add("path")
    args.idle = idle & getattr(args, "idle", idle)
    return corpus


def read_only(path: str, args: argparse.Namespace, field: str | None = None) -> Corpus:
    """The only file that a command reads."""
    corpus = read_file(path, args, field, "ref")
    check_idle(args)
    return corpus


def check_idle(args: argparse.Namespace) -> None:
    """Refuse options of reading that said nothing about any of the files."""
    idle = args.idle - (set() if args.path_pattern else {"path"})
    if idle:
        raise UsageError(
            f"{option_of(min(idle))} says nothing about what was read; leave it away, or say with "
            "--from what the format is"
        )


CHOICES = (
    "ignore_tokens",
    "threshold",
    "units",
    "tiers",
    "gaps",
    "overlap",
    "snap",
    "levels",
    "raw",
    "separator",
)


def _read(
    path: str, args: argparse.Namespace, side: str, choices: dict[str, Any], idle: set[str]
) -> Corpus:
    format = (args.hyp_from or args.format) if side == "hyp" and args.hyps else args.format
    if path == "-":
        return read_bytes(_stdin(args), "stdin", format, idle=idle, **choices)
    pattern = args.path_pattern if Path(path).is_dir() else None
    return read(path, format, path_pattern=pattern, idle=idle, **choices)


def _stdin(args: argparse.Namespace) -> bytes:
    """Standard input can be read once; both sides may sit in it."""
    if not hasattr(args, "_stdin"):
        args._stdin = sys.stdin.buffer.read()
    return bytes(args._stdin)


def read_references(args: argparse.Namespace) -> Corpus:
    """All reference files as one corpus; with several files each is a coder."""
    if args.hyps.count("-") + args.refs.count("-") > 1:
        raise UsageError("- stands for standard input, which only one file can be")
    parts = [read_file(path, args, args.ref_field, "ref") for path in args.refs]
    if len(parts) == 1:
        both_here = not args.hyps and args.ref_field is not None
        return parts[0].described(name=args.ref_field) if both_here else parts[0]
    names = names_of(args.refs)
    entries: dict[Key, Any] = {}
    tokens: dict[tuple[str, str], Any] = {}
    notes = list(parts[0].source.notes)
    single = all(len(part.texts) == 1 for part in parts)
    for name, part in zip(names, parts, strict=True):
        several = len(part.coders) > 1
        for key, seg in part.entries.items():
            coder = f"{name} {key.coder}" if several else name
            text = parts[0].texts[0] if single else key.text
            entries[key._replace(text=text, coder=coder)] = seg
        own = part.renamed(parts[0].texts[0]).tokens if single else part.tokens
        notes += words_that_differ(tokens, own, (names[0], name), parts[0].unit)
        tokens = {**own, **tokens}
    return parts[0].with_entries(entries, tokens, name=" + ".join(names), notes=tuple(notes))


def read_systems(args: argparse.Namespace, texts: set[str]) -> dict[str, Corpus]:
    """Hypotheses by system: the files after -i, or fields of the reference's own file."""
    fields = args.hyp_field or [None]
    if len(set(fields)) < len(fields):
        raise UsageError(f"--hyp-field {' '.join(map(str, fields))}: a field is named twice")
    if not args.hyps:
        if len(args.refs) != 1:
            raise UsageError(NO_HYPOTHESIS)
        corpora = {(f or "hyp"): read_file(args.refs[0], args, f, "hyp") for f in fields}
        columns = {corpus.source.field for corpus in corpora.values()}
        if None in columns or (columns == {"ref"} and not args.hyp_field):
            raise UsageError(NO_HYPOTHESIS)  # a file without named fields holds one side only
        return {name: c.described(name=name) for name, c in corpora.items()}
    systems = {}
    for name, path in zip(names_of(args.hyps), args.hyps, strict=True):
        for field in fields:
            label = name if len(fields) == 1 else f"{name} {field}"
            corpus = read_file(path, args, field, "hyp")
            systems.update(_inner_systems(corpus, texts) or {label: corpus.described(name=label)})
    return systems


def _inner_systems(corpus: Corpus, texts: set[str]) -> dict[str, Corpus]:
    """A file {system: {text: sizes}} holds systems where other files hold texts."""
    if len(corpus.coders) < 2 or not set(corpus.coders) <= texts or set(corpus.texts) & texts:
        return {}
    return {
        name: corpus.with_entries(
            {
                Key(key.coder, "", "1"): seg
                for key, seg in corpus.entries.items()
                if key.text == name
            },
            name=name,
        )
        for name in corpus.texts
    }


def names_of(paths: Sequence[str]) -> list[str]:
    """Short names for files: without folder and ending, unless that makes two the same."""
    short = ["stdin" if p == "-" else Path(p).stem for p in paths]
    if len(set(short)) == len(short):
        return short
    longer = [p.rstrip("/") for p in paths]
    if len(set(longer)) < len(longer):
        twice = next(p for p in longer if longer.count(p) > 1)
        raise UsageError(f"{twice} is given twice")
    return longer


def say_notes(notes: Sequence[str]) -> None:
    """Notes that have no place in the output go to stderr."""
    for note in notes:
        print(fit(f"fencepost: note: {note}", sys.stderr), file=sys.stderr)


def open_output(args: argparse.Namespace) -> IO[str]:
    """The file named by -o, or stdout."""
    if args.output in (None, "-"):
        return sys.stdout
    target = Path(args.output).resolve()
    if any(target == Path(path).resolve() for path in (*args.refs, *args.hyps) if path != "-"):
        raise UsageError(f"-o {args.output} would overwrite an input file")
    try:
        return open(args.output, "w", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{args.output} cannot be written: {error.strerror}") from None


def write_other_form(form: str, table: Table, stream: IO[str]) -> None:
    """JSON, CSV, Markdown or LaTeX of a tidy table."""
    from fencepost.report import markup

    writers = {
        "json": lambda t: t.to_json(indent=1) + "\n",
        "csv": markup.to_csv,
        "markdown": markup.to_markdown,
        "latex": markup.to_latex,
    }
    stream.write(writers[form](table))
