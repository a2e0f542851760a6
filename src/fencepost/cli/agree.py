"""fencepost agree: annotators among each other, and systems among them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import chain, count
from pathlib import Path
from typing import IO, TYPE_CHECKING

from fencepost.blocks import on_cluster
from fencepost.cli.inputs import Inputs, read_csv
from fencepost.cli.options import Arguments, UsageError
from fencepost.cli.outputs import (
    check_no_input,
    command_line,
    output,
    say,
    say_notes,
    write_json,
    write_other_form,
    write_page,
    write_reading,
)
from fencepost.coders import PRESETS
from fencepost.coders.annotations import Annotations
from fencepost.coders.consensus import Consensus
from fencepost.coders.results import OF_COSTS, OF_SYSTEMS, Results
from fencepost.files import writing
from fencepost.formats import write
from fencepost.formats.options import FormatError
from fencepost.metrics.edit import check_typed, with_types
from fencepost.metrics.registry import as_recipe
from fencepost.metrics.signature import signature_lines
from fencepost.model.checks import SegmentationError
from fencepost.model.corpus import Corpus
from fencepost.options import find_option
from fencepost.report.agreement import (
    COLUMNS,
    VERDICT_COLUMNS,
    about_intervals,
    about_zero,
    by_level,
    data_line,
    lead,
    readable,
    readable_verdicts,
    write_text,
)
from fencepost.report.text import fit, working
from fencepost.scoring.count import no_level_alone
from fencepost.scoring.summary import TOTAL
from fencepost.scoring.tables import Table
from fencepost.wording import listed, plural

if TYPE_CHECKING:
    from fencepost.report.html.page import Page


def run(args: Arguments) -> int:
    """Read, compare all annotators, write."""
    _check_options(args)
    with on_cluster(args.dask):
        return _run(args.replace(dask=None))


def _run(args: Arguments) -> int:
    results = _read(args)
    _check_table(args, results)
    with working(f"comparing {plural(len(results.corpus.coders), 'annotator')}"):
        table = results.table
        if args.form is None and results.systems:
            results.part("against-consensus")  # errors come before half a report
        if args.by == "level" and {*results.part("levels").column("level")} == {TOTAL}:
            raise no_level_alone(results.recipes, "B")
    if args.html_per_coder:
        _pages(args, results)
    with output(args) as stream:
        _write(args, results, stream)
    _write_files(args, results)
    if args.html:
        write_page(args, _page(args, results, args.coder))
    if args.html_per_coder:
        _write_pages(args, results)
    if args.form == "csv":
        say_notes(
            [lead(table.facts), *about_zero(results), *about_intervals(results), *table.notes]
        )
    if args.form == "csv" and results.systems and args.table is None:
        say_notes(["systems have tables of their own: --csv --table verdicts, or --json"])
    return 0


# What was asked for.


def _check_options(args: Arguments) -> None:
    """Raise UsageError for options that would do nothing."""
    if args.form != "csv" and args.table:
        raise UsageError("--table goes with --csv")
    if args.margin is not None and not args.hyps:
        raise UsageError("--margin compares systems with annotators: add -i SYSTEM ...")
    agreed = args.consensus or args.hyps or args.table == "consensus" or args.form == "json"
    if args.consensus_by != "similarity" and not agreed:
        raise UsageError("--consensus-by makes a consensus: add --consensus FILE")
    if args.coder and not args.html:
        raise UsageError("--coder makes a page of one annotator: add --html FILE")
    if args.like and (args.chance or args.all):
        raise UsageError("--like chooses the coefficients: remove --chance and --all")
    if args.chance and args.all:
        raise UsageError("--all shows every chance: remove --chance")
    if args.coefficient and args.all:
        raise UsageError("--all shows every coefficient: remove --coefficient")
    if not _has_formula(args):
        _refuse_switches(args)


def _has_formula(args: Arguments) -> bool:
    """Return whether one of the coefficients that were asked for is computed by the formula."""
    if args.chance:
        return bool({"fournier2012", "two-category"} & set(args.chance))
    return not args.coefficient or bool({"pi*", "kappa*", "bias"} & set(args.coefficient))


def _refuse_switches(args: Arguments) -> None:
    """Raise UsageError for settings of the formula, which is not computed."""
    for name in ("counting", "pooling", "weighting"):
        if getattr(args, name) != find_option(name, command="agree").default:
            raise UsageError(f"--{name} is for the formula: --chance fournier2012")


def _read(args: Arguments) -> Results:
    """Read all files; nothing is computed yet."""
    usual = PRESETS[args.like]["metric"] if args.like else "B"
    named = [as_recipe(name, args.like) for name in args.metric or [usual]]
    recipes = with_types(named, args.types, required=args.by is None and args.table != "levels")
    inputs = Inputs(args)
    corpus = _named(args, inputs.references())
    recipes = inputs.with_costs(recipes)
    systems = inputs.systems(corpus) if args.hyps else {}
    inputs.check_idle()
    check_typed(args.types, [corpus.kind_names])
    if all(recipe.metric.chances for recipe in recipes) and not args.chance and not args.like:
        _refuse_switches(args)
    every = args.all or (args.form == "json" and not args.coefficient)
    settings = {**args.of("agreement"), "all": every}
    del settings["metric"]  # of which there may be several
    return Results(
        corpus, recipes, systems, settings, inputs.reading_lines(), args.margin, args.consensus_by,
        args.by,
    )  # fmt: skip


def _check_table(args: Arguments, results: Results) -> None:
    """Raise UsageError for a table that these files and metrics do not have."""
    if args.confusions and results.with_costs is None:
        raise UsageError("--confusions goes with -m Sf or SfB")
    if args.table in OF_SYSTEMS and not results.systems:
        raise UsageError(f"--table {args.table} needs systems: -i SYSTEM ...")
    if args.table in OF_COSTS and results.with_costs is None:
        raise UsageError(f"--table {args.table} goes with -m Sf or SfB")
    if args.by == "level" or args.table == "levels":
        results.corpus.levels(args.types)  # an error comes before half a report
    if args.table == "types" and results.corpus.kind_names is None:
        raise UsageError("--table types: the boundaries have no types")


def _named(args: Arguments, corpus: Corpus) -> Corpus:
    """Return the corpus with the names of annotators that were asked for."""
    if args.rename:
        corpus = corpus.rename_coders(_read_names(args.rename, corpus))
    Annotations.of(corpus)  # errors name annotators as the files do
    if args.coder is not None and args.coder not in corpus.coders:
        raise UsageError(
            f"no annotator {args.coder!r}; there is {listed(sorted(corpus.coders), 8)}"
        )
    if not args.anonymize:
        return corpus
    return corpus.anonymized(keep=args.coder).described(name="annotations")


def _read_names(path: str, corpus: Corpus) -> dict[tuple[str | None, str], str]:
    """Return names by (text, coder), from a CSV with the columns coder, name and perhaps text."""
    lines = read_csv(path)
    columns = list(lines[0]) if lines else []
    if "coder" not in columns or "name" not in columns:
        raise SegmentationError(
            f"{path}: the first line must name the columns coder,name (or text,coder,name), found "
            f"{','.join(map(str, columns)) or 'nothing'}"
        )
    names: dict[tuple[str | None, str], str] = {}
    known = {(key.text, key.coder) for key in corpus.entries}
    coders = set(corpus.coders)
    for number, line in enumerate(lines, start=2):
        text, coder, name = line.get("text") or None, line["coder"], line["name"]
        if not coder or not name:
            raise SegmentationError(f"{path}, line {number}: a coder or a name is missing")
        if coder not in coders or (text is not None and (text, coder) not in known):
            where = f" of {text}" if text is not None else ""
            raise SegmentationError(
                f"{path}, line {number}: no annotator {coder!r}{where}; there is "
                f"{listed(sorted(coders), 8)}"
            )
        names[text, coder] = name
    return names


# Output.


def _write(args: Arguments, results: Results, out: IO[str]) -> None:
    if args.form == "json":
        _write_json(results, out)
    elif args.form == "csv":
        usual = "levels" if args.by else "agreement"
        write_other_form("csv", results.part(args.table or usual), out)
    elif args.form == "sentence":
        from fencepost.cli.sentences import agreement_sentences

        out.write(fit(agreement_sentences(results) + "\n", out))
    elif args.form:
        _write_markup(args.form, results, out)
    else:
        write_reading(args, results.reading_lines, out)
        details = args.all or args.chance is not None or args.coefficient is not None
        write_text(results, out, details=details, all_tables=args.all, confusions=args.confusions)


def _write_json(results: Results, out: IO[str]) -> None:
    """Write all tables as one object; for a table that cannot be made, the reason."""
    plain = results.table.plain()
    for name in results.names():
        try:
            part = results.part(name)
        except SegmentationError as error:
            plain[name] = {"note": str(error)}
            continue
        plain[name] = part.plain_rows()
        if name == "without":
            plain["jackknife"] = part.plain()["facts"]["jackknife"]
    write_json(plain, out)


def _write_markup(form: str, results: Results, out: IO[str]) -> None:
    """Write the coefficients for a paper, with their signatures below."""
    from fencepost.report import markup

    write_other_form(form, Table(COLUMNS, tuple(readable(results))), out)
    if results.by:
        out.write("\n")
        write_other_form(form, by_level(results), out)
    signatures = dict.fromkeys(str(row["signature"]) for row in results.table.rows)
    facts = results.table.facts
    about = [*results.reading_lines, lead(facts), *about_zero(results)]
    about += [*map(str.strip, about_intervals(results)), data_line(facts)]
    notes = [*about, *(f"note: {note}" for note in results.table.notes)]
    if results.systems:
        out.write("\n")
        write_other_form(form, Table(VERDICT_COLUMNS, tuple(readable_verdicts(results))), out)
    if form == "latex":
        out.write("\n" + markup.lines_to_comments([*signature_lines(signatures), *notes]))
    else:
        out.write("\n" + markup.signatures_to_markdown(list(signatures)))
        out.write("\n" + markup.lines_to_markdown(notes))


def _page(args: Arguments, results: Results, coder: str | None) -> Page:
    from fencepost.report.html.coders import agreement_page

    with working("drawing texts"):
        return agreement_page(
            results,
            # File names may be those of people.
            command="" if args.anonymize else command_line(),
            coder=coder,
            all_tables=args.all,
            confusions=args.confusions,
            types=args.types,
        )


def _write_pages(args: Arguments, results: Results) -> None:
    """Write the page of each annotator who shares a text with another, named after them."""
    from fencepost.report.html import write_html

    folder, pages = _pages(args, results)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder} cannot be made: {error.strerror}") from None
    for coder, path in pages.items():
        write_html(path, _page(args, results, coder))
    say(f"written: {folder} ({plural(len(pages), 'page')})")


def _pages(args: Arguments, results: Results) -> tuple[Path, dict[str, Path]]:
    """Return the folder of the pages of annotators, and the file of each; none is an input."""
    folder = Path(args.html_per_coder)
    coders = Annotations.of(results.corpus).coders
    names = _file_names(coders)
    files = [folder / f"{name}{end}" for name in names for end in (".html", ".rest.json")]
    check_no_input(args, dict.fromkeys(files, "--html-per-coder"))
    return folder, dict(zip(coders, files[::2], strict=True))


def _file_names(coders: Sequence[str]) -> list[str]:
    """Return the name of each annotator's page: no path, not hidden, no option, not too long."""
    names: dict[str, str] = {}  # by small letters: many file systems do not tell case apart
    for coder in coders:
        plain = "".join(c if c.isalnum() or c in "-_." else "_" for c in coder)
        plain = "_" + plain[1:] if plain[:1] in (".", "-") else plain
        short = plain.encode(errors="ignore")[:100].decode(errors="ignore")
        numbered = (f"{short}-{number}" for number in count(2))
        name = next(one for one in chain([short], numbered) if one.lower() not in names)
        names[name.lower()] = name
    return list(names.values())


# Files beside the output.


def _write_files(args: Arguments, results: Results) -> None:
    if args.differences:
        _write_differences(args.differences, results.part("differences"))
    if args.consensus:
        with working("looking for a consensus"):
            agreed = results.consensus
        try:
            write(agreed.corpus, args.consensus)
        except FormatError as error:
            raise UsageError(str(error)) from None
        say(f"written: {args.consensus} ({_how_found(agreed)})")


def _how_found(agreed: Consensus) -> str:
    """Return how the segmentations of a consensus were found."""
    ways = [row["how"] for row in agreed.table]
    texts = len(set(agreed.table.column("text")))
    if set(ways) == {"majority"}:
        return f"boundaries of the majority in {plural(texts, 'text')}"
    exact, searched = ways.count("exact"), sum(way.startswith("search") for way in ways)
    return (
        f"{exact} of {len(ways)} optimal, {searched} found by search, "
        f"{len(ways) - exact - searched} by the most similar annotator"
    )


def _write_differences(path: str, table: Table) -> None:
    form = {".json": "json", ".md": "markdown", ".tex": "latex"}.get(Path(path).suffix, "csv")
    if path == "-":
        write_other_form(form, table, sys.stdout)
        return
    with writing(path, UsageError, text=True) as file:
        write_other_form(form, table, file)
    say(f"written: {path} ({plural(len(table), 'difference')})")
