"""fencepost score: hypotheses against references."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import IO, Any

from fencepost.blocks import on_cluster
from fencepost.cli.gates import is_missed, is_worse_than_saved, read_gates, read_saved, split_gates
from fencepost.cli.inputs import Inputs
from fencepost.cli.options import Arguments, UsageError
from fencepost.cli.outputs import (
    command_line,
    output,
    say_notes,
    write_json,
    write_other_form,
    write_page,
)
from fencepost.cli.score_outputs import (
    WITHOUT,
    by_part,
    compared_parts,
    compared_tables,
    data_line,
    first_line,
    how_averaged,
    is_compared,
    write_markup,
    write_plain,
)
from fencepost.cli.signatures import asked, check_signature, groups_of
from fencepost.formats.groups import Groups, read_groups
from fencepost.metrics.edit import with_types
from fencepost.metrics.registry import Recipe, parse
from fencepost.model.corpus import Corpus
from fencepost.report.grid import pivot
from fencepost.report.text import fit, working
from fencepost.scoring.count import LEVEL, SPEAKER, score, score_counts
from fencepost.scoring.counts import load, save
from fencepost.scoring.summary import ABOUT_LEVELS
from fencepost.scoring.tables import Table
from fencepost.wording import listed, plural

RUN = re.compile(r"\.(parquet|(jsonl|ndjson)(\.\w+)?)$")  # files that runs read


def run(args: Arguments) -> int:
    """Read, score, write; 3 if a gate is missed."""
    given = args
    args, recipes, notes = asked(given)
    if not args.intervals and args.method:
        raise UsageError("--method is of intervals, and --no-intervals removes them")
    if is_batch(args):
        from fencepost.cli.score_files import run_files

        return run_files(args, given, recipes, notes)
    with on_cluster(args.dask):
        return _run(args.replace(dask=None), recipes, notes)


def _run(args: Arguments, recipes: list[Recipe], notes: list[str]) -> int:
    limits, files = split_gates(args.gate)
    _check_saved_as(args)
    saved = read_saved(files)
    gates = [] if args.counts else read_gates(limits, recipes)
    if args.form != "csv" and args.table:
        raise UsageError("--table goes with --csv")
    if args.by == "group" and not (args.group or args.counts):
        raise UsageError("--by group needs groups: add --group FIELD or --group FILE")
    if args.by == SPEAKER and args.counts:
        raise UsageError("--by speaker scores texts: counts have all speakers of a text added up")
    if args.by == LEVEL and args.counts:
        raise UsageError("--by level scores texts: counts do not have the boundaries of a level")
    if args.conventions:
        _check_conventions(args)
    if args.conventions and (args.save or args.counts or _compares(args)):
        raise UsageError("--conventions compares conventions, not systems, and saves no counts")
    if args.conventions and args.reference_rule != "each":
        raise UsageError(
            f"--conventions shows the mean over annotators: remove --reference-rule "
            f"{args.reference_rule}"
        )
    if args.anonymize and args.counts:
        raise UsageError("--anonymize is for references that are read, not for --counts")
    if args.html and (args.conventions or args.counts):
        raise UsageError("--html draws texts: remove --conventions and --counts")
    texts: list[Any] = []
    if args.counts:
        table = _from_counts(args)
        recipes = list(dict.fromkeys(row["signature"].recipe for row in table.rows))
        gates = read_gates(limits, recipes)
    else:
        table, *texts = _scored(args, recipes)
        if args.html:
            _check_drawable(*texts)
    for text in args.signature or ():
        notes += check_signature(text, table)
    table = replace(table, notes=(*dict.fromkeys(notes), *table.notes))
    with output(args) as stream:
        write_scores(args, table, stream)
    if args.save:
        save(table.part("counts"), args.save)
    if args.html and texts:
        _write_html(args, table, *texts)
    worse = is_worse_than_saved(table, saved, args.average or "macro")
    return 3 if (gates and is_missed(table, gates)) or worse else 0


def _check_conventions(args: Arguments) -> None:
    named = args.given("like", "gate", "per_text", "average", "by", "group", "runs", "table")
    if args.form == "sentence":
        named.append("--sentence")
    if named:
        raise UsageError(
            f"--conventions shows one table, of all conventions and averages: remove "
            f"{listed(named, len(named))}"
        )


def is_batch(args: Arguments) -> bool:
    """Tell whether files are scored batch by batch: a pattern, an address, or a saved run.

    A pattern without quotes is several files; with both sides in one table, they are a run too, and
    so is a folder of Parquet files, on either side, and what has columns of boundary types. Any
    other single file is not, as a run has no baselines or edits.
    """
    given = {"--resume": args.resume, "--strict": args.strict, "--type-names": args.type_names}
    asked_for = [flag for flag, value in given.items() if value]
    if asked_for and not args.refs:
        raise UsageError(f"{asked_for[0]} needs files: fencepost score 'big/*.parquet'")
    new = [path for path in (*args.refs, *args.hyps) if not os.path.exists(path)]
    if asked_for or any("://" in path or re.search(r"[*?\[]", path) for path in new):
        return True
    if not args.refs:
        return False
    if {"ref_types", "hyp_types"} & Inputs(args).columns(args.refs[0]).keys():
        return True
    folders = [path for path in (*args.refs, *args.hyps) if os.path.isdir(path)]
    if folders and args.encoding and all(map(_has_tables, folders)):
        return bool(args.hyps) or _names_both(args)
    return not args.hyps and _are_tables(args) and len(args.refs) > 1


def _are_tables(args: Arguments) -> bool:
    """Whether all files are tables with both sides."""
    return all(RUN.search(path) for path in args.refs) and _names_both(args)


def _has_tables(folder: str) -> bool:
    """Whether the data files of a folder, as Spark writes it, are Parquet."""
    names = [
        name
        for at, _, files in os.walk(folder)
        for name in files
        if not re.search(r"(^|/)[_.]", os.path.relpath(os.path.join(at, name), folder))
    ]
    return bool(names) and all(name.endswith(".parquet") for name in names)


def _check_saved_as(args: Arguments) -> None:
    """Refuse --save DIR, which is of runs over many files: it would be a CSV of that name."""
    if not args.save or args.save.endswith((".csv", ".parquet")):
        return
    folder = ""
    if args.refs and not args.hyps and _are_tables(args):
        folder = ". A folder is for runs over many files; with --strict, one file is a run too"
    raise UsageError(
        f"--save writes .csv or .parquet, found {args.save}: --save {args.save}.csv{folder}"
    )


def _names_both(args: Arguments) -> bool:
    """Whether a column of hypotheses is named beside that of the reference."""
    return "hyp" in Inputs(args).columns(args.refs[0])


def _compares(args: Arguments) -> bool:
    asked = args.baseline is not None or args.margin is not None
    return bool(args.paired or asked or args.all_pairs)


def _scored(args: Arguments, recipes: list[Recipe]) -> tuple[Table, Corpus, dict[str, Corpus]]:
    if not args.refs:
        raise UsageError("no reference: fencepost score REF -i HYP, or --counts FILE")
    inputs = Inputs(args)
    reference = _named(args, inputs.references())
    systems = inputs.systems(reference)
    _refuse_parts(args, reference, systems)
    inputs.check_idle()
    recipes = inputs.with_costs(recipes)
    with working(f"scoring {plural(len(reference.text_names), 'text')}"):
        if args.conventions:
            from fencepost.cli.conventions import under_conventions

            typed = with_types(recipes, args.types)
            table = under_conventions(reference, systems, typed, args.missing)
        else:
            settings = _settings(args, "score") | {
                "metrics": recipes,
                "runs": _runs(args.runs or []),
            }
            table = score(reference, systems, **settings)
    facts = {"reading_lines": inputs.reading_lines(), **table.facts}
    return replace(table, facts=facts), reference, systems


def _refuse_parts(args: Arguments, reference: Corpus, systems: Mapping[str, Corpus]) -> None:
    """Refuse parts of two tables, whose patterns the shell has seen: they are no annotators.

    Parts have no text in common, on either side. Annotators and systems could be like that, too,
    but there would be nothing that all systems have.
    """
    several = len(args.refs) > 1 and len(args.hyps) > 1
    if not several or not all(RUN.search(path) for path in (*args.refs, *args.hyps)):
        return
    texts = [text for corpus in systems.values() for text in corpus.texts]
    alone = len(reference.item_rows) == len(reference)
    if not alone or len(systems) != len(args.hyps) or _share_texts(args.hyps, systems):
        return
    if not {*texts} & {*reference.texts}:
        return
    from fencepost.cli.score_files import quoted_command

    raise UsageError(
        f"{len(args.refs)} files of references have no text in common, and {len(args.hyps)} of "
        f"hypotheses in one folder have none: they look like parts of tables, and were read as "
        f"{len(args.refs)} annotators and {len(args.hyps)} systems. Quote their patterns: "
        f"{quoted_command(args.refs, args.hyps)}"
    )


def _share_texts(paths: Sequence[str], systems: Mapping[str, Corpus]) -> bool:
    """Whether two files of one folder have a text in common."""
    seen: dict[str, set[str]] = {}
    for path, corpus in zip(paths, systems.values(), strict=True):
        own, names = seen.setdefault(os.path.dirname(path), set()), set(corpus.texts)
        if own & names:
            return True
        own |= names
    return False


def _named(args: Arguments, reference: Corpus) -> Corpus:
    """The reference, without the names of its coders if so asked."""
    if not args.anonymize:
        return reference
    if len(reference.coders) > 1 or reference.coders != ["1"]:
        reference = reference.anonymized()
    return reference.described(name="reference")


def _from_counts(args: Arguments) -> Table:
    said = args.given("refs", "hyps", "like", "types", "signature", "runs", "save")
    named = args.metrics if args.given("metrics") else []
    if not all(re.fullmatch(r".+\.py:\w+", metric) for metric in named):
        said += args.given("metrics")
    if said:
        raise UsageError(
            f"--counts has texts, systems and metrics in it already; remove {', '.join(said)}"
        )
    for metric in named:  # counts may need a metric of a file: it is run only if it is named here
        parse(metric)
    with working(f"reading {args.counts}"):
        counts = load(args.counts)
    if counts.of_words:
        raise UsageError(
            f"{args.counts} has counts of words: fencepost resegment --counts {args.counts}"
        )
    return score_counts(counts, **_settings(args, "score_counts"))


def _settings(args: Arguments, function: str) -> dict[str, Any]:
    """Return what fp.score or fp.score_counts is to do."""
    if args.adjust and not _compares(args):
        raise UsageError("--adjust is about the p of comparisons: add --paired, or remove --adjust")
    own = {"group": groups_of(args), "average": args.average or "macro", "by": _parts(args)}
    return args.of(function) | own


def _parts(args: Arguments) -> Groups | str | None:
    """The part of each text that --by asks for; groups of --group are parts already."""
    if args.by in (None, "group", SPEAKER, LEVEL):
        return None if args.by == "group" else args.by
    return read_groups(args.by, args.refs, args.id_field)


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


def write_scores(args: Arguments, table: Table, stream: IO[str]) -> None:
    """Write the table in the form that is asked for."""
    if args.conventions:
        from fencepost.cli.conventions import write_conventions

        write_conventions(args, table, stream)
    elif args.form == "sentence":
        from fencepost.cli.sentences import score_sentences

        stream.write(fit(score_sentences(table, first_line(table)) + "\n", stream))
    elif args.form == "csv":
        say_notes(table.notes)
        wanted = args.table or (
            "per-text" if args.per_text else "by-group" if args.by else "scores"
        )
        if wanted != "scores" and wanted not in table.parts:
            raise UsageError(f"--table {wanted}: {WITHOUT[wanted]}")
        write_other_form("csv", table if wanted == "scores" else table.part(wanted), stream)
    elif args.form:
        more = [n for n, wanted in (("per-text", args.per_text), ("by-group", args.by)) if wanted]
        if args.form == "json":
            write_json(table.plain(*more, *compared_parts(table)), stream)
        else:
            tables = [table.part(name) for name in more if name != "by-group"]
            tables += [by_part(table.part("by-group"), args.by)] if args.by else []
            write_markup(args.form, table, tables, stream)
    else:
        write_plain(args, table, stream)


def _check_drawable(reference: Corpus, systems: Mapping[str, Corpus]) -> None:
    """Raise UsageError for probabilities on a page, which draws boundaries and their edits."""
    for corpus in (reference, *systems.values()):
        if corpus.has_probabilities:
            raise UsageError(
                f"--html draws boundaries, and {corpus.source.file or corpus.name} has "
                "probabilities. Remove --html, or draw them at a threshold: --threshold 0.5 "
                "instead of --probabilities"
            )


def _write_html(
    args: Arguments, table: Table, reference: Corpus, systems: dict[str, Corpus]
) -> None:
    from fencepost.report.html import Section, Sheet
    from fencepost.report.html.scores import score_page

    more = []
    if is_compared(table):
        blocks = [
            Sheet.of(part, " ".join(how.split("\n")), plain=True, left=2)
            for part, how in compared_tables(table)
        ]
        if "rankings" in table.parts and len(table.part("rankings")):
            how = "Kendall's tau of the rankings of the systems that every two metrics give"
            blocks.append(Sheet.of(table.part("rankings"), how, plain=True, left=3))
        more.append(Section("differences", "Differences", blocks))
    if args.by:
        parts = by_part(table.part("by-group"), args.by)
        caption = ABOUT_LEVELS if args.by == LEVEL else ""
        sheet = Sheet.of(parts, plain=True, caption=caption)
        more.append(Section("parts", f"By {parts.columns[0]}", [sheet]))
    with working("drawing texts"):
        page = score_page(
            table,
            reference,
            systems,
            lead="\n".join([*table.facts["reading_lines"], first_line(table)]),
            data=data_line(table),
            how=how_averaged(table, pivot(table), bounds=None),  # the page says what its own are
            # File names may be those of people.
            command="" if args.anonymize else command_line(),
            more=more,
            types=args.types,
        )
    write_page(args, page)
