"""fencepost resegment: cut a stream of words like segmented references, and score it."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from typing import IO, Any

from fencepost.cli.inputs import names_of
from fencepost.cli.options import Arguments, UsageError
from fencepost.cli.outputs import command_line, say_notes, write_other_form, write_page
from fencepost.metrics.registry import Recipe, parse
from fencepost.model.checks import MetricError
from fencepost.model.documents import ReferenceSet, StreamSet
from fencepost.report.grid import shown
from fencepost.report.segments import certainty, first_line, followed, write_segments
from fencepost.report.text import fit, terminal_width, working, write_table
from fencepost.scoring.count import score
from fencepost.scoring.tables import Table, rows_to_table
from fencepost.streams.correlation import correlation
from fencepost.streams.documents import skip_unshared
from fencepost.streams.inputs import describe, read_references, read_streams
from fencepost.streams.measures import MEASURES, corpus_statistics
from fencepost.streams.outputs import describe_late_words, to_table, write_pieces
from fencepost.streams.resegmentation import Resegmentation, resegment
from fencepost.streams.scores import COLUMNS, SegmentsBy, Wanted, system_rows

TITLES = {"wer": "WER", "per": "PER", "nist": "NIST", "bleu": "BLEU", "chrf": "chrF", "ter": "TER",
          "seger": "segmentation ER"}  # fmt: skip
_FOR_WIDE = {"bleu": "bleu:tokenize=zh (or char, ja-mecab)",
             "ter": "ter:asian_support=yes,normalized=yes"}  # fmt: skip
FEW_SYSTEMS = 6
PERCENT = ("wer", "per", "seger")


def run(args: Arguments) -> int:
    """Read, align, score, write."""
    _check_options(args)
    report = _Report(args)
    _write(args, report, sys.stdout)
    if args.html:
        _write_html(args, report)
    if args.form not in (None, "json"):
        say_notes(report.notes)
        if report.metrics and args.table != "boundaries":
            say_notes(["own boundaries have a table of their own: --csv --table boundaries"])
    return 0


def _write_html(args: Arguments, report: _Report) -> None:
    from fencepost.report.html.words import resegment_page

    scores = report.scores()
    certain = {}
    if args.ambiguity:
        certain = {name: certainty(one) for name, one in report.systems.items()}
    with working("drawing words"):
        page = resegment_page(
            report.systems,
            _grid(scores, list(report.systems)),
            lead=_lead(report),
            certainty=certain,
            ambiguity=args.ambiguity,
            signatures=list(dict.fromkeys(str(row["signature"]) for row in scores)),
            command=command_line(),
            notes=report.notes,
        )
    write_page(args, page)


def _lead(report: _Report) -> str:
    if len(report.systems) == 1:
        return first_line(report.first, report.references)
    return describe(report.references)


def _check_options(args: Arguments) -> None:
    if args.form != "csv" and args.table:
        raise UsageError("--table goes with --csv")
    if (args.write or args.omnisteval) and len(args.hyps) > 1:
        raise UsageError("-o and --omnisteval write one system: give one file after -i")
    if [*args.refs, *args.hyps].count("-") > 1:
        raise UsageError("- stands for standard input, which only one file can be")
    if args.human and len(args.hyps) < 3:
        raise UsageError("--human correlates over systems: give three or more after -i")
    if args.table == "ambiguity" and not args.ambiguity:
        raise UsageError("--table ambiguity is what --no-ambiguity leaves out")
    if args.unit and not args.omnisteval:
        raise UsageError("--unit is for --omnisteval FILE")


class _Report:
    """All systems, aligned."""

    def __init__(self, args: Arguments) -> None:
        self.args = args
        self.measures, self.metrics = _measures(args.metrics)
        names = names_of(args.hyps)
        self.people = _judgements(args.human, names) if args.human else None
        self.references = _references(args)
        self.notes = list(self.references.notes)
        streams = {name: self._read(path) for name, path in zip(names, args.hyps, strict=True)}
        if args.missing == "skip":
            self.references, streams, notes = skip_unshared(self.references, streams)
            self.notes += notes
        self.systems: dict[str, Resegmentation] = {}
        settings = {**args.of("resegment"), "costs": tuple(args.costs)}
        for name, hypothesis in streams.items():
            with working(f"aligning {name}"):
                self.systems[name] = resegment(self.references, hypothesis, **settings)
        self._caution()

    def _read(self, path: str) -> StreamSet:
        args = self.args
        streams = read_streams(
            path, format=args.hyp_format, docids=args.hyp_docids, references=self.references,
            **args.of("read_streams"),
        )  # fmt: skip
        self.notes += streams.notes
        return streams

    def _caution(self) -> None:
        """What people should know before they quote a number."""
        plain = [w for w in self.measures if w.name in ("bleu", "ter") and not w.settings]
        text = "".join(self.first.segments[:200])
        if plain and sum(_is_wide(c) for c in text) > len(text) / 2:
            self.notes.append(
                f"{TITLES[plain[0].name]} takes words between spaces, and this text has few: say "
                f"-m {_FOR_WIDE[plain[0].name]}"
            )
        for name, one in self.systems.items():
            if self.metrics and not one.has_breaks:
                self.notes.append(f"{name} has no boundaries of its own")
        if self.args.omnisteval:
            self.notes += describe_late_words(self.first.pieces)
        if self.people and len(self.systems) < FEW_SYSTEMS:
            self.notes.append(f"{len(self.systems)} systems: correlations are rough")

    @property
    def first(self) -> Resegmentation:
        return next(iter(self.systems.values()))

    def scores(self) -> Table:
        """Every measure of every system."""
        on: list[SegmentsBy] = ["found", "given"]
        on += ["document"] if self.args.document else []
        on += ["chopped"] if self.args.chop else []
        if len(self.references.segments) == 1:
            on.remove("given")  # one segment has no boundaries to be wrong
        wanted = {w.written: w for w in (Wanted.parse("wer"), *self.measures)}
        measures = list(wanted.values())
        rows = [r for n, one in self.systems.items() for r in system_rows(n, one, measures, on)]
        return Table(COLUMNS, tuple(rows), name="scores")

    def boundaries(self) -> Table:
        """The hypotheses' own boundaries against those that were found."""
        metrics = self.metrics or [parse(name) for name in ("pk", "windowdiff", "F", "B")]
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
        """Every boundary with all places where it may stand."""
        rows = []
        for name, one in self.systems.items():
            segments = [piece for piece in one.pieces if followed(one, piece)]
            for piece, places in zip(segments, one.ambiguity.places, strict=True):
                rows.append(
                    {
                        "system": name,
                        "line": piece.segment.place + 1,
                        "document": piece.document,
                        "after_segment": piece.number,
                        "place": piece.last_token,
                        "places": " ".join(map(str, places.tolist())),
                        "count": len(places),
                    }
                )
        columns = ("system", "line", "document", "after_segment", "place", "places", "count")
        return Table(columns, tuple(rows), name="ambiguity")

    def correlation(self) -> Table:
        """Measures and people over systems."""
        if self.people is None:
            raise UsageError("--table correlation needs judgements: --human FILE")
        scores: dict[str, dict[str, float]] = {}
        lower: set[str] = set()
        for row in self.scores():
            name = _title(row)
            scores.setdefault(name, {})[row["system"]] = row["value"]
            if str(row["measure"]).partition(":")[0] in (*PERCENT, "ter"):
                lower.add(name)
        shared = {n: own for n, own in scores.items() if len(own) == len(self.systems)}
        return correlation(shared, self.people, lower=lower)

    def part(self, name: str) -> Table:
        """The table that --table names."""
        make: Any = getattr(self, name)
        made: Table = make()
        return made


def _measures(names: Sequence[str]) -> tuple[list[Wanted], list[Recipe]]:
    """Measures of words, and metrics of boundaries."""
    measures: list[Wanted] = []
    metrics: list[Recipe] = []
    for name in names:
        start = name.partition(":")[0].lower().removeprefix("as-").removeprefix("as_")
        if start in MEASURES:
            measures.append(Wanted.parse(name))
            continue
        try:
            metrics.append(parse(name))
        except MetricError as error:
            near = get_close_matches(start, MEASURES, 1)
            if near:
                raise MetricError(f"no measure {name!r}; did you mean {near[0]}?") from None
            raise MetricError(f"{error}; measures of words: {', '.join(MEASURES)}") from None
    return measures, metrics


def _is_wide(sign: str) -> bool:
    """Letters of scripts without spaces between words."""
    return "\u2e80" <= sign <= "\u9fff" or "\u0e00" <= sign <= "\u0eff"


def _references(args: Arguments) -> ReferenceSet:
    paths = args.refs[0] if len(args.refs) == 1 else args.refs
    with working("reading references"):
        return read_references(paths, **args.of("read_references"))


def _judgements(path: str, systems: Sequence[str]) -> dict[str, dict[str, float]]:
    """By question and system, from a CSV with a column system and one for each question."""
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            lines = list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = getattr(error, "strerror", None) or "not a CSV in UTF-8"
        raise UsageError(f"{path} cannot be read: {reason}") from None
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
        out.write(json.dumps(_plain(report), ensure_ascii=False, allow_nan=False, indent=1) + "\n")
    elif args.form == "csv":
        write_other_form("csv", report.part(args.table or "scores"), out)
    elif args.form:
        _write_markup(args, report, out)
    elif len(report.systems) > 1:
        _write_several(report, out)
    else:
        _write_one(report, out)
    if not args.form:
        out.write(fit("".join(f"{line}\n" for line in written), out))
    else:
        for line in written:
            print(line, file=sys.stderr)


def _plain(report: _Report) -> dict[str, Any]:
    plain = report.scores().plain()
    plain["systems"] = {
        name: {
            "distance": one.distance,
            "edits": one.edits,
            "reference_words": one.reference_words,
            "as_wer": None if one.as_wer.value != one.as_wer.value else one.as_wer.value,
            "words_in": one.words_in,
            "words_out": one.words_out,
            "empty_segments": one.empty_segments,
            "segments": to_table(one.pieces).plain()["rows"],
        }
        for name, one in report.systems.items()
    }
    if report.args.ambiguity:
        plain["ambiguity"] = report.ambiguity().plain()["rows"]
        for name, one in report.systems.items():
            plain["systems"][name]["certain_boundaries"] = one.ambiguity.certain
            plain["systems"][name]["as_wer_range"] = [
                None if value != value else value for value in one.ambiguity.as_wer
            ]
    if report.metrics:
        plain["boundaries"] = report.boundaries().plain()["rows"]
    plain["statistics"] = report.statistics().plain()["rows"]
    if report.people:
        plain["correlation"] = report.correlation().plain()["rows"]
    plain["notes"] = report.notes
    return plain


def _write_one(report: _Report, out: IO[str]) -> None:
    one = report.first
    out.write(fit(_lead(report) + "\n\n", out))
    scores = report.scores()
    rows = [[_title(row), _value(row), row["detail"]] for row in scores]
    width = max(len(row[0]) for row in rows)
    for title, value, detail in rows:
        out.write(fit(f"{title:<{width}}  {value:>6}   {detail}".rstrip() + "\n", out))
    out.write("\n")
    write_segments(one, out)
    _write_alignments(report, out)
    if report.args.ambiguity:
        out.write(fit(certainty(one) + "\n", out))
    _write_boundaries(report, out)
    _write_end(report, scores, out)


def _write_several(report: _Report, out: IO[str]) -> None:
    out.write(fit(f"{describe(report.references)}; {len(report.systems)} systems\n\n", out))
    scores = report.scores()
    names = list(report.systems)
    rows = _grid(scores, names)
    if report.args.ambiguity:
        certain = [f"{o.ambiguity.certain}/{len(o.ambiguity)}" for o in report.systems.values()]
        rows.append(["certain boundaries", *certain])
    write_table(["", *names], rows, out)
    if report.people:
        out.write("\n")
        table = report.correlation()
        rows = [
            [r["measure"], r["judgement"], r["coefficient"], shown(r["value"]),
             f"{shown(r['low'])} to {shown(r['high'])}"] for r in table
        ]  # fmt: skip
        write_table(["measure", "people", "", "value", "95% interval"], rows, out, left=3)
        out.write("signs of error rates are turned: + is agreement with people\n")
    _write_boundaries(report, out)
    _write_end(report, scores, out)


def _write_boundaries(report: _Report, out: IO[str]) -> None:
    if not report.metrics:
        return
    table = report.boundaries()
    if not len(table):
        return
    out.write("\nown boundaries against those of the references\n")
    rows = [
        [row["system"], row["signature"].recipe.metric.title, shown(row["value"])] for row in table
    ]
    write_table(["", "", "value"], rows, out, left=2)


def _write_end(report: _Report, scores: Table, out: IO[str]) -> None:
    signatures = list(dict.fromkeys(str(row["signature"]) for row in scores))
    if report.metrics:
        signatures += dict.fromkeys(str(row["signature"]) for row in report.boundaries())
    lines = [*signatures, *(f"note: {note}" for note in report.notes[:2])]
    out.write(fit("\n".join(lines) + "\n", out))
    say_notes(report.notes[2:])


def _title(row: dict[str, Any]) -> str:
    start, _, settings = str(row["measure"]).partition(":")
    name = TITLES.get(start, start)
    if start == "seger":
        return name
    where = "AS-" if row["segmentation"] == "found" else ""
    after = {"found": "", "given": ", own lines", "document": ", documents", "chopped": ", chopped"}
    return f"{where}{name}{f' {settings}' if settings else ''}{after[row['segmentation']]}"


def _value(row: dict[str, Any]) -> str:
    value = row["value"]
    if value != value:
        return "–"
    percent = str(row["measure"]).partition(":")[0] in PERCENT
    return f"{100 * value:.2f}" if percent else f"{value:.2f}"


def _grid(scores: Table, names: Sequence[str]) -> list[list[str]]:
    """A line a measure, a column a system, as on the screen."""
    titles = list(dict.fromkeys(_title(row) for row in scores))
    values = {(row["system"], _title(row)): _value(row) for row in scores}
    return [[title, *(values.get((name, title), "–") for name in names)] for title in titles]


def _write_markup(args: Arguments, report: _Report, out: IO[str]) -> None:
    """Systems beside each other, for papers; signatures stand below."""
    scores = report.scores()
    names = list(report.systems)
    columns = ("measure", *names)
    rows = [dict(zip(columns, row, strict=True)) for row in _grid(scores, names)]
    write_other_form(args.form, Table(columns, tuple(rows)), out)
    start, end = ("% ", "") if args.form == "latex" else ("`", "`  ")
    signatures = dict.fromkeys(str(row["signature"]) for row in scores)
    out.write("\n" + "".join(f"{start}{signature}{end}\n" for signature in signatures))


def _write_alignments(report: _Report, out: IO[str]) -> None:
    """Hypothesis and reference word above word, for the worst segments."""
    one = report.first
    order = sorted(range(len(one.pieces)), key=lambda i: -one.pieces[i].edits)
    for i in sorted(order[: report.args.show]):
        piece = one.pieces[i]
        words, reference = one.words[i], one.reference_tokens[i][piece.chosen - 1] or []
        out.write(fit(f"\nsegment {piece.segment.place + 1}\n", out))
        for line in _aligned(one.operations[i], words, reference, terminal_width(out)):
            out.write(fit(line + "\n", out))
    if report.args.show:
        out.write("\n")


def _aligned(
    steps: Sequence[tuple[str, int | None, int | None]],
    words: Sequence[str],
    reference: Sequence[str],
    width: int,
) -> list[str]:
    """Three rows: reference, hypothesis, and S, I or D below; broken where the line is full."""
    first = min((h for _, h, _ in steps if h is not None), default=0)
    marks = {"match": "", "substitution": "S", "insertion": "I", "deletion": "D"}
    cells = [
        (
            "" if r is None else reference[r],
            "" if h is None else words[h - first],
            marks[what],
        )
        for what, h, r in steps
    ]
    lines: list[str] = []
    rows = ["ref ", "hyp ", "    "]
    for cell in cells:
        wide = max(map(len, cell))
        if len(rows[0]) + wide + 1 > width and len(rows[0]) > 4:
            lines += [row.rstrip() for row in rows]
            rows = ["ref ", "hyp ", "    "]
        rows = [f"{row} {part:<{wide}}" for row, part in zip(rows, cell, strict=True)]
    return [*lines, *(row.rstrip() for row in rows)]


def _write_files(args: Arguments, report: _Report) -> list[str]:
    lines = []
    for path, format in ((args.write, None), (args.omnisteval, "omnisteval")):
        if not path:
            continue
        if format == "omnisteval":
            count = write_pieces(report.first.pieces, path, format, unit=args.unit)
        else:
            count = write_pieces(report.first.pieces, path)
        lines.append(f"written: {path} ({count} lines, in the order of the references)")
    return lines
