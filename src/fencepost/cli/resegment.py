"""fencepost resegment: cut streams of words like segmented references, and score them."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import IO, Any

from fencepost.cli.gates import is_missed, read_gates
from fencepost.cli.inputs import names_of, read_csv
from fencepost.cli.options import Arguments, UsageError
from fencepost.cli.outputs import (
    choose_encoding,
    command_line,
    say,
    say_notes,
    write_json,
    write_other_form,
    write_page,
    write_reading,
)
from fencepost.cli.score_outputs import (
    WITHOUT,
    compared_parts,
    compared_tables,
    data_line,
    how_averaged,
    is_compared,
    write_differences,
    write_markup,
)
from fencepost.cli.signatures import asked, check_signature
from fencepost.metrics.registry import Recipe, meant, parse
from fencepost.metrics.signature import signature_lines
from fencepost.model.documents import ReferenceSet, StreamSet
from fencepost.model.reading_lines import FileRead, reading_lines
from fencepost.report.grid import Cell, headers, pivot, shown, shown_cell, shown_interval
from fencepost.report.segments import certainty, first_line, write_segments
from fencepost.report.text import (
    fit,
    folded,
    terminal_width,
    working,
    wrapped,
    write_grid,
    write_table,
)
from fencepost.scoring.count import check_choices, score
from fencepost.scoring.counts import CountRows, load, save
from fencepost.scoring.summary import Choices
from fencepost.scoring.tables import Table, rows_to_table
from fencepost.streams.characters import count_letters
from fencepost.streams.chopping import corpus_statistics
from fencepost.streams.correlation import correlation
from fencepost.streams.inputs import describe, read_references, read_streams
from fencepost.streams.outputs import describe_late_words, to_table, write_pieces
from fencepost.streams.resegmentation import Resegmentation
from fencepost.streams.scoring import (
    BY_DOCUMENT,
    align_systems,
    count_streams,
    counts_by_group,
    documents_of,
    recipes_on,
    stream_table,
)
from fencepost.wording import listed, plural

MIN_SYSTEMS_FOR_CORRELATION = 6  # below that a correlation is rough
OF_SCORES = ("scores", "documents", "comparisons", "rankings", "counts", "correlation")
OWN_BOUNDARIES = ("pk", "windowdiff", "F", "B")


def run(args: Arguments) -> int:
    """Read, align, score, write; 3 if a gate is missed."""
    args, signed, notes = asked(args)
    _check_options(args)
    report = _Report(args, signed, notes)
    for text in args.gate:
        if meant(text.rpartition("=")[0], report.boundary_metrics):
            raise UsageError(f"--gate {text}: own boundaries have no gate; metrics of words have")
    gates = read_gates(args.gate, list(report.recipes))
    scores = report.scores  # before anything is written: it may refuse
    choose_encoding(args)
    _write(args, report, sys.stdout)
    if args.save:
        save(scores.part("counts"), args.save)
    if args.html:
        _write_html(args, report)
    if args.form == "csv" and args.table in (None, *OF_SCORES):
        say_notes(report.notes)
    if args.form not in (None, "json") and report.boundary_metrics and args.table != "boundaries":
        say_notes(["own boundaries have a table of their own: --csv --table boundaries"])
    return 3 if gates and is_missed(scores, gates) else 0


def _check_options(args: Arguments) -> None:
    if args.form != "csv" and args.table:
        raise UsageError("--table goes with --csv")
    if args.counts:
        _check_counts_only(args)
        return
    if not args.refs or not args.hyps:
        raise UsageError(
            "references and a hypothesis are needed: fencepost resegment REF -i HYP, or --counts "
            "FILE"
        )
    if (args.write or args.omnisteval) and len(args.hyps) > 1:
        raise UsageError("-o and --omnisteval write one system: give one file after -i")
    if [*args.refs, *args.hyps].count("-") > 1:
        raise UsageError("- is standard input, which only one file can be")
    if args.human and len(args.hyps) < 3:
        raise UsageError("--human correlates over systems: give three or more after -i")
    if args.table == "ambiguity" and not args.ambiguity:
        raise UsageError("--table ambiguity needs what --no-ambiguity skips: remove one of the two")
    if args.unit and not args.omnisteval:
        raise UsageError("--unit is for --omnisteval FILE")
    if args.show and args.form:
        raise UsageError(f"--show draws on the screen: remove --{args.form}, or --show")
    if args.by and args.table not in (None, "documents"):
        raise UsageError(f"--by {args.by} is --table documents: remove --table {args.table}")
    if args.adjust and not (args.paired or args.baseline is not None or args.all_pairs):
        raise UsageError("--adjust is about the p of comparisons: add --paired, or remove --adjust")


def _check_counts_only(args: Arguments) -> None:
    named = args.given("refs", "hyps", "metrics", "save", "signature", "html", "write",
                       "omnisteval", "human", "show", "document", "chop")  # fmt: skip
    if named:
        raise UsageError(
            f"--counts has systems and metrics in it already, and no words: remove "
            f"{', '.join(named)}"
        )


class _Report:
    """All systems, aligned once; every table comes from that."""

    def __init__(self, args: Arguments, signed: Sequence[Recipe], notes: Sequence[str]) -> None:
        self.args = args
        self.signed = list(signed)
        self.systems: dict[str, Resegmentation] = {}
        self.boundary_metrics: list[Recipe] = []
        self.references: ReferenceSet | None = None
        self.people: dict[str, dict[str, float]] | None = None
        self._said = list(notes)
        self._punctuation: str | None = None  # why it is not compared
        self.reading_lines: list[str] = []
        if not args.counts:
            self._align_all()

    def _align_all(self) -> None:
        args = self.args
        word_metrics = self._metrics()
        names = names_of(args.hyps)
        self.people = _judgements(args.human, names) if args.human else None
        with working("reading references"):
            paths = args.refs[0] if len(args.refs) == 1 else args.refs
            references = read_references(paths, **args.of("read_references"))
            read = [self._read(path, references) for path in args.hyps]
        sources = [*references.sources, *(source for one in read for source in one.sources)]
        self.reading_lines = reading_lines([FileRead(source) for source in sources])
        # Two files of one name, in two folders, are told apart by their paths.
        twice = len({one.name for one in read}) < len(read)
        streams = {
            name: replace(one, name=path) if twice else one
            for name, path, one in zip(names, args.hyps, read, strict=True)
        }
        settings = {**args.of("resegment"), "costs": tuple(args.costs)}
        with working(f"aligning {', '.join(names)}"):
            aligned = align_systems(references, streams, **settings)
        self.systems, self.references = aligned.systems, aligned.references
        self._punctuation = aligned.punctuation
        self._read_notes = list(aligned.notes)
        if self._punctuation and args.form:  # which has no first lines
            self._read_notes.append(self._punctuation)
        segments: list[Any] = ["found"]
        # One segment has no boundaries to be wrong; a signature says which segments were measured.
        if len(self.references.segments) > 1 and not self.signed:
            segments.append("given")
            if any(one.has_own_lines for one in self.systems.values()):
                word_metrics += [parse("wer:segments=given"), parse("segmentation_error_rate")]
        segments += ["document"] * args.document + ["chopped"] * args.chop
        self._recipes = recipes_on(word_metrics, segments, self.systems)

    def _read(self, path: str, references: ReferenceSet) -> StreamSet:
        args = self.args
        return read_streams(
            path, format=args.hyp_format, docids=args.hyp_docids, references=references,
            **args.of("read_streams"),
        )  # fmt: skip

    def _metrics(self) -> list[Recipe]:
        """AS-WER, and the metrics of words that were asked for; those of boundaries are kept."""
        if self.signed:
            for recipe in self.signed:
                recipe.check_input("words")
            return self.signed
        args = self.args
        # AS-WER of other segments than the aligner's is WER.
        contrasts = ["wer:segments=document"] * args.document + ["wer:segments=chopped"] * args.chop
        asked_for = [parse(name) for name in args.metrics]
        self.boundary_metrics = [one for one in asked_for if one.metric.input == "pairs"]
        of_words = [one for one in asked_for if one.metric.input == "words"]
        return [parse("as_wer"), *of_words, *map(parse, contrasts)]

    @cached_property
    def counts(self) -> CountRows:
        """The rows of counts: of the systems, or as they were saved."""
        if self.args.counts:
            with working(f"reading {self.args.counts}"):
                found = load(self.args.counts)
            if not found.of_words:
                raise UsageError(
                    f"{self.args.counts} has counts of segmentations: fencepost score --counts "
                    f"{self.args.counts}"
                )
            return found
        return counts_by_group(
            count_streams(self.systems, self._recipes, self._read_notes),
            self._groups(),
            self.systems,
        )

    def _groups(self) -> Mapping[str, Any] | None:
        if not self.args.group or self.args.group == BY_DOCUMENT:
            return None
        from fencepost.formats.groups import read_groups

        if not Path(self.args.group).is_file():
            raise UsageError(
                f"--group {self.args.group}: no such file; it is a CSV file with the columns "
                "text,group and one row per document"
            )
        return read_groups(self.args.group, [], "id")

    @property
    def recipes(self) -> Sequence[Recipe]:
        """The recipes of the table."""
        return self.counts.recipes

    @cached_property
    def scores(self) -> Table:
        """Every metric of every system, with intervals and comparisons."""
        args = self.args
        choices = Choices(
            "micro", args.intervals, args.method, args.resamples, args.seed, args.paired,
            args.baseline, args.all_pairs, args.adjust, margin=args.margin,
        )  # fmt: skip
        check_choices(choices)
        table = stream_table(self.counts, choices)
        more = [note for text in args.signature or () for note in check_signature(text, table)]
        notes = [*self._said, *more, *table.notes, *self._cautions()]
        facts = {"reading_lines": self.reading_lines} if self.reading_lines else {}
        return replace(table, notes=tuple(dict.fromkeys(notes)), facts={**facts, **table.facts})

    @property
    def notes(self) -> Sequence[str]:
        """What people should know before they quote a number."""
        return self.scores.notes

    def _cautions(self) -> list[str]:
        notes = []
        of_peers = [one.metric.title for one in self.recipes if one.metric.peer is not None]
        if of_peers and "remove" in dict(self.counts.context.reading).values():
            names = listed(list(dict.fromkeys(of_peers)), last=" and ")
            notes.append(f"{names} read texts as they are written: case and punctuation count")
        if self.systems:
            text = "".join(self.first.segments[:200])
            wide = sum(count_letters(text).values()) > len(text) / 2
            plain = [r for r in self.recipes if wide and r == r.metric.recipe()]
            notes += [
                f"{one.metric.title} takes words between spaces, and this text has few: use -m "
                f"{one.metric.unspaced}"
                for one in plain
                if one.metric.unspaced
            ]
        notes += [
            f"{name} has no boundaries of its own"
            for name, one in self.systems.items()
            if self.boundary_metrics and not one.has_breaks
        ]
        if self.args.save and self.boundary_metrics:
            titles = listed([one.metric.title for one in self.boundary_metrics], last=" and ")
            notes.append(f"{titles} of own boundaries are not among the saved counts")
        if self.args.omnisteval:
            notes += describe_late_words(self.first.pieces)
        if self.people and len(self.systems) < MIN_SYSTEMS_FOR_CORRELATION:
            notes.append(f"{len(self.systems)} systems: correlations are rough")
        return notes

    @property
    def first(self) -> Resegmentation:
        return next(iter(self.systems.values()))

    @property
    def lead(self) -> str:
        """What was read, and what became of it."""
        counts = self.counts
        if not self.systems:
            documents = len(set(documents_of(counts)))
            return (
                f"{plural(documents, 'document')}, {plural(len(counts.texts), 'segment')}, "
                f"{plural(len(counts.systems), 'system')}"
            )
        if len(self.systems) == 1:
            line = first_line(self.first, self.references)
        else:
            assert self.references is not None
            line = f"{describe(self.references)}; {len(self.systems)} systems"
        return f"{line}\n{self._punctuation}" if self._punctuation else line

    # Tables.

    def boundaries(self) -> Table:
        """The hypotheses' own boundaries against those that were found."""
        metrics = self.boundary_metrics or [parse(name) for name in OWN_BOUNDARIES]
        tables = []
        for name, one in self.systems.items():
            found, own = one.segmentations()
            if found.entries:
                tables.append(
                    score(found, {name: own}, metrics=metrics, baselines=False, intervals=False)
                )
        rows = [row for table in tables for row in table.rows]
        return Table(tables[0].columns if tables else (), tuple(rows), name="boundaries")

    def statistics(self) -> Table:
        """The corpus in numbers, as in the paper's Table 1."""
        words = {name: one.words for name, one in self.systems.items()}
        return corpus_statistics(self.first.reference_tokens, words)

    def segments(self) -> Table:
        """Every segment of every system."""
        rows = [
            {"system": name, **row}
            for name, one in self.systems.items()
            for row in to_table(one.pieces).rows
        ]
        return rows_to_table(rows, name="segments")

    def ambiguity(self) -> Table:
        """Every boundary with all positions that are as good."""
        columns = ("system", "line", "document", "after_segment", "position", "positions", "count")
        cells = [
            (name, piece.segment.place + 1, piece.document, piece.number, piece.last_token,
             " ".join(map(str, places)), len(places))
            for name, one in self.systems.items()
            for piece, places in one.boundary_places()
        ]  # fmt: skip
        rows = tuple(dict(zip(columns, own, strict=True)) for own in cells)
        return Table(columns, rows, name="ambiguity")

    def correlation(self) -> Table:
        """Metrics and people over systems."""
        if self.people is None:
            raise UsageError("--table correlation needs judgements: --human FILE")
        values: dict[str, dict[str, float]] = {}
        for row in self.scores:
            title = row["signature"].recipe.title
            values.setdefault(title, {})[row["system"]] = row["value"]
        lower = {r.title for r in self.recipes if r.metric.better == "lower"}
        shared = {n: own for n, own in values.items() if len(own) == len(self.systems)}
        return correlation(shared, self.people, lower=lower)

    def documents(self) -> Table:
        """Every document by itself."""
        part = self.scores.part("documents")
        rows = [
            {"document": row["group"], "unit": row["signature"].recipe.unit, **row} for row in part
        ]
        columns = ("document", "system", "metric", "value", "unit", "n", "signature")
        return Table(columns, tuple({c: row[c] for c in columns} for row in rows), "documents")

    def part(self, name: str) -> Table:
        """The table that --table names."""
        if name == "scores":
            return self.scores
        if name in ("comparisons", "rankings", "counts"):
            if name not in self.scores.parts:
                raise UsageError(f"--table {name}: {WITHOUT[name]}")
            return self.scores.part(name)
        if not self.systems and name != "documents":
            raise UsageError(f"--table {name} needs the words, which --counts does not have")
        make: Any = getattr(self, name)
        made: Table = make()
        return made


def _judgements(path: str, systems: Sequence[str]) -> dict[str, dict[str, float]]:
    """By question and system, from a CSV with a column system and one for each question."""
    lines = read_csv(path)
    if not lines or "system" not in lines[0] or len(lines[0]) < 2:
        raise UsageError(f"{path}: the first line must name the columns system,adequacy,...")
    by_system = {line["system"]: line for line in lines}
    lacking = [name for name in systems if name not in by_system]
    if lacking:
        raise UsageError(f"{path} has no judgement of {', '.join(lacking)}")
    questions = [name for name in lines[0] if name != "system"]
    try:
        return {q: {s: float(by_system[s][q]) for s in systems} for q in questions}
    except (TypeError, ValueError):
        raise UsageError(f"{path}: a judgement is not a number") from None


# Output.


def _write(args: Arguments, report: _Report, out: IO[str]) -> None:
    written = _write_files(args, report)
    if args.form == "json":
        write_json(_plain(report), out)
    elif args.form == "csv":
        wanted = args.table or ("documents" if args.by else "scores")
        write_other_form("csv", report.part(wanted), out)
    elif args.form == "sentence":
        from fencepost.cli.sentences import score_sentences

        data = report.lead.split("\n")[0].split(";")[0]
        out.write(fit(score_sentences(report.scores, data) + "\n", out))
    elif args.form:
        more = [_document_table(report)] if args.by else []
        write_markup(args.form, report.scores, more, out)
    else:
        _write_plain(report, out)
    if not args.form:
        out.write(fit("".join(f"{line}\n" for line in written), out))
    else:
        for line in written:
            say(line)


def _plain(report: _Report) -> dict[str, Any]:
    plain = report.scores.plain(*compared_parts(report.scores))
    if report.args.by:
        plain["documents"] = report.documents().plain_rows()
    if not report.systems:
        return plain
    plain["systems"] = {
        name: {
            "distance": one.distance,
            "edits": one.edits,
            "reference_words": one.reference_words,
            "as_wer": _defined(100 * one.as_wer.value),
            "words_in": one.words_in,
            "words_out": one.words_out,
            "empty_segments": one.empty_segments,
            "segments": to_table(one.pieces).plain_rows(),
        }
        for name, one in report.systems.items()
    }
    if report.args.ambiguity:
        plain["ambiguity"] = report.ambiguity().plain_rows()
        for name, one in report.systems.items():
            plain["systems"][name]["certain_boundaries"] = one.ambiguity.certain
            plain["systems"][name]["as_wer_range"] = [
                _defined(100 * value) for value in one.ambiguity.as_wer
            ]
    if report.boundary_metrics:
        plain["boundaries"] = report.boundaries().plain_rows()
    plain["statistics"] = report.statistics().plain_rows()
    if report.people:
        plain["correlation"] = report.correlation().plain_rows()
    return plain


def _defined(value: float) -> float | None:
    return None if value != value else value


def _write_plain(report: _Report, out: IO[str]) -> None:
    width = terminal_width(out)
    write_reading(report.args, report.reading_lines, out)
    out.write(fit(wrapped(report.lead, width) + "\n\n", out))
    if len(report.systems) == 1:
        _write_list(report, out)
    else:
        grid = pivot(report.scores)
        write_grid(grid, out)
        _write_certain(report, out)
        how = how_averaged(report.scores, grid, grid.has_bounds)
        out.write(fit(f"\n{folded(how, width)}\n", out))
        out.write(fit(f"{folded(grid.marks, width)}\n", out) if grid.marks else "")
    if report.args.by:
        _write_documents(report, out)
    write_differences(report.scores, out)
    if report.people:
        _write_correlation(report, out)
    if len(report.systems) == 1:
        out.write("\n")
        write_segments(report.first, out)
        _write_alignments(report, out)
        if report.args.ambiguity:
            out.write(fit(wrapped(certainty(report.first), width) + "\n", out))
    _write_boundaries(report, out)
    _write_end(report, out)


def _write_list(report: _Report, out: IO[str]) -> None:
    """The metrics of one system, one per line, with what each is made of."""
    table = report.scores
    recipes = [row["signature"].recipe for row in table]
    titles = headers([(one, "") for one in recipes])
    cells = [Cell(r["value"], r["low"], r["high"], digits=one.digits)
             for r, one in zip(table, recipes, strict=True)]  # fmt: skip
    bounds = any(cell.is_asymmetric for cell in cells)
    rows = [
        [title, shown(cell.value, cell.digits), shown_interval(cell, bounds), row["detail"]]
        for title, cell, row in zip(titles, cells, table, strict=True)
    ]
    wide, room = [max(len(row[i]) for row in rows) for i in range(3)], terminal_width(out)
    for title, value, interval, detail in rows:
        line = f"{title:<{wide[0]}}  {value:>{max(6, wide[1])}}  {interval:<{wide[2]}} "
        rest = " " * min(len(line), room // 2)
        out.write(fit(folded((line + detail).rstrip(), room, rest=rest) + "\n", out))
    if wide[2]:
        what = f"over {report.counts.resampled}s"
        how = "[95% interval]" if bounds else "± half of the 95% interval"
        out.write(fit(folded(f"{how} {what}", room) + "\n", out))


def _write_certain(report: _Report, out: IO[str]) -> None:
    if not report.systems or not report.args.ambiguity:
        return
    certain = [
        f"{name} {one.ambiguity.certain} of {len(one.ambiguity)}"
        for name, one in report.systems.items()
    ]
    said = f"certain boundaries: {', '.join(certain)}"
    out.write(fit(f"\n{folded(said, terminal_width(out), rest='  ')}\n", out))


def _document_table(report: _Report) -> Table:
    """Documents by metrics as people read them; of several systems one line for each of them."""
    table = report.documents()
    recipes = list(dict.fromkeys(row["signature"].recipe for row in table))
    titles = dict(zip(recipes, headers([(one, "") for one in recipes]), strict=True))
    several = len(report.counts.systems) > 1
    names = ("document", *(["system"] if several else []), "segments")
    lines: dict[tuple[str, str], dict[str, Any]] = {}
    for row in table:
        key = row["document"], row["system"]
        line = lines.setdefault(key, dict.fromkeys((*names, *titles.values()), "–"))
        line |= dict(zip(("document", "system"), key, strict=True)) if several else {}
        line["document"] = row["document"] or "1"
        line["segments"] = max(row["n"], 0 if line["segments"] == "–" else line["segments"])
        recipe = row["signature"].recipe
        line[titles[recipe]] = shown(row["value"], recipe.digits) if row["n"] else "–"
    return rows_to_table(list(lines.values()), name="documents")


def _write_documents(report: _Report, out: IO[str]) -> None:
    table = _document_table(report)
    out.write("\n")
    rows = [[str(row[column]) for column in table.columns] for row in table.rows]
    write_table(list(table.columns), rows, out, left=table.columns.index("segments"))


def _write_correlation(report: _Report, out: IO[str]) -> None:
    rows = [
        [r["measure"], r["judgement"], r["coefficient"], shown(r["value"]),
         f"{shown(r['low'])} to {shown(r['high'])}"] for r in report.correlation()
    ]  # fmt: skip
    out.write("\n")
    write_table(["metric", "people", "", "value", "95% interval"], rows, out, left=3)
    out.write("signs of error rates are turned: + is agreement with people\n")


def _write_boundaries(report: _Report, out: IO[str]) -> None:
    if not report.boundary_metrics:
        return
    table = report.boundaries()
    if not len(table):
        return
    out.write("\nown boundaries against the references' boundaries\n")
    rows = [
        [row["system"], row["signature"].recipe.metric.title, shown(row["value"])] for row in table
    ]
    write_table(["", "", "value"], rows, out, left=2)


def _write_end(report: _Report, out: IO[str]) -> None:
    width = terminal_width(out)
    signatures: list[str] = [*pivot(report.scores).signatures]
    if report.boundary_metrics:
        signatures += [str(row["signature"]) for row in report.boundaries()]
    lines = signature_lines(signatures)
    lines.append(folded(data_line(report.scores), width, rest="  "))
    lines += [folded(f"note: {note}", width) for note in report.notes]
    out.write(fit("\n".join(lines) + "\n", out))


def _grid_rows(report: _Report) -> list[list[str]]:
    """A line for each metric, a column for each system, as on the screen."""
    grid = pivot(report.scores)
    by_metric = zip(*(line.cells for line in grid.lines), strict=True)
    return [
        [title, *(shown_cell(cell, grid.has_bounds) for cell in cells)]
        for title, cells in zip(grid.headers, by_metric, strict=True)
    ]


def _write_html(args: Arguments, report: _Report) -> None:
    from fencepost.report.html import Section, Sheet
    from fencepost.report.html.words import resegment_page

    certain = {}
    if args.ambiguity:
        certain = {name: certainty(one) for name, one in report.systems.items()}
    how = how_averaged(report.scores, pivot(report.scores), bounds=True)
    more = []
    if is_compared(report.scores):
        sheets = [
            Sheet.of(part, " ".join(about.split("\n")), plain=True, left=2)
            for part, about in compared_tables(report.scores)
        ]
        more.append(Section("differences", "Differences", sheets))
    if args.by:
        more.append(Section("documents", "Documents", [Sheet.of(_document_table(report))]))
    with working("drawing words"):
        page = resegment_page(
            report.systems,
            _grid_rows(report),
            lead="\n".join([*report.reading_lines, report.lead.replace("\n", "; ")]),
            certainty=certain,
            ambiguity=args.ambiguity,
            signatures=[
                how,
                *signature_lines(pivot(report.scores).signatures),
                data_line(report.scores),
            ],
            command=command_line(),
            notes=report.notes,
            more=more,
        )
    write_page(args, page)


def _write_alignments(report: _Report, out: IO[str]) -> None:
    """Hypothesis and reference word above word, for the worst segments."""
    one = report.first
    order = sorted(range(len(one.pieces)), key=lambda i: -one.pieces[i].edits)
    for i in sorted(order[: report.args.show]):
        piece = one.pieces[i]
        out.write(fit(f"\nsegment {piece.segment.place + 1}\n", out))
        for line in _aligned(one.aligned_words(i), terminal_width(out)):
            out.write(fit(line + "\n", out))
    if report.args.show:
        out.write("\n")


def _aligned(steps: Sequence[tuple[str, str, str]], width: int) -> list[str]:
    """Three rows: reference, hypothesis, and S, I or D below; broken where the line is full."""
    marks = {"match": "", "substitution": "S", "insertion": "I", "deletion": "D"}
    lines: list[str] = []
    rows = ["ref ", "hyp ", "    "]
    for what, *words in steps:
        cell = (*words, marks[what])
        wide = max(map(len, cell))
        if len(rows[0]) + wide + 1 > width and len(rows[0]) > 4:
            lines += [row.rstrip() for row in rows]
            rows = ["ref ", "hyp ", "    "]
        rows = [f"{row} {part:<{wide}}" for row, part in zip(rows, cell, strict=True)]
    return [*lines, *(row.rstrip() for row in rows)]


def _write_files(args: Arguments, report: _Report) -> list[str]:
    lines = []
    for path, format in ((args.write, None), (args.omnisteval, "omnisteval")):
        if path:
            count = write_pieces(report.first.pieces, path, format, unit=args.unit)
            lines.append(f"written: {path} ({count} lines, in the order of the references)")
    return lines
