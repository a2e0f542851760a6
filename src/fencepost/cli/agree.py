"""fencepost agree: annotators among each other, and segmenters among them."""

from __future__ import annotations

import csv
import json
import sys
import textwrap
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import IO, Any

from fencepost.cli.inputs import Inputs
from fencepost.cli.options import Arguments, UsageError
from fencepost.cli.outputs import command_line, output, say_notes, write_other_form, write_page
from fencepost.coders import PRESETS, agreement
from fencepost.coders.annotations import Annotations
from fencepost.coders.confusions import ALL_STREAMS, confusions, contrasts, operations
from fencepost.coders.consensus import Consensus, consensus
from fencepost.coders.segmenters import against_consensus, same_texts, segmenters
from fencepost.formats import check_ending, write
from fencepost.formats.options import FormatError
from fencepost.metrics.registry import Recipe, parse
from fencepost.model.checks import SegmentationError
from fencepost.model.corpus import Corpus
from fencepost.options import find_option
from fencepost.report.grid import shown
from fencepost.report.text import column_blocks, fit, terminal_width, working, write_table
from fencepost.scoring.tables import Table
from fencepost.wording import listed, plural

PARTS = ("texts", "coders", "matrix", "without", "kinds", "ceiling", "differences")
SAID = {
    "shuffle": "shuffled",
    "bernoulli": "random rate",
    "uniform": "uniform",
    "uniform-kinds": "uniform kinds",
    "fournier2012": "formula",
    "two-category": "cut or no cut",
}
MARKUP = ("coefficient", "value", "95% interval", "observed", "by chance", "chance")
MOST_CODERS = 40  # beyond that the table of coders is a file's, not a screen's


def run(args: Arguments) -> int:
    """Read, compare all coders, write."""
    if args.form != "csv" and args.table:
        raise UsageError("--table goes with --csv")
    _check_options(args)
    report = _Report(args)
    table = report.table
    if args.form is None and report.systems:
        report.part("against-consensus")  # errors come before half a report
    with output(args) as stream:
        _write(args, report, stream)
    _write_files(args, report)
    if args.html:
        _write_html(args, report)
    if args.form == "csv":
        say_notes(table.notes)
    if args.form not in (None, "json") and report.systems and args.table is None:
        say_notes(["segmenters have tables of their own: --csv --table segmenters, or --json"])
    return 0


def _write_html(args: Arguments, report: _Report) -> None:
    from fencepost.report.html import Section, Sheet
    from fencepost.report.html.coders import agreement_page

    more = []
    if report.systems:
        for name in ("segmenters", "against-consensus"):
            try:
                sheet = Sheet.of(report.part(name))
            except SegmentationError:  # too few coders: said on stdout already
                continue
            more.append(Section(name, name.replace("-", " ").capitalize(), [sheet]))
    if report.flexible is not None:
        more.append(Section("contrasts", "Places and kinds", _contrast_sheets(args, report)))
    if args.all and args.coder is None:
        titles = {"without": "Each coder left out", "ceiling": "Each coder as a system",
                  "kinds": "Every kind"}  # fmt: skip
        for name, title in titles.items():
            table = report.part(name)
            if len(table):
                more.append(Section(f"all-{name}", title, [Sheet.of(table)]))
    with working("drawing texts"):
        page = agreement_page(
            report.corpus,
            replace(report.table, parts=report.tables[0].parts),
            [list(row.values()) for row in _readable(report)],
            report.recipes,
            lead=_first_line(report.table.facts),
            data=_data_line(report.table.facts),
            # File names may be those of people.
            command="" if args.anonymize else command_line(),
            coder=args.coder,
            more=more,
            notes=report.table.notes,
            confusions=_kinds_met(report),
        )
    write_page(args, page)


def _contrast_sheets(args: Arguments, report: _Report) -> list[Any]:
    """What S_f gives with kinds and without; with --confusions also the kinds of each stream."""
    from fencepost.report.html import Sheet

    sheets = [Sheet.of(report.part("contrasts"), plain=True)]
    table = report.part("confusions")
    streams = [stream for stream in dict.fromkeys(table.column("stream")) if stream != ALL_STREAMS]
    if args.confusions and len(streams) > 1:
        for stream in streams:
            columns, rows = _crossed(table, stream)
            sheets.append(Sheet(f"confusions-{stream}", columns, rows, plain=True))
    return sheets


def _kinds_met(report: _Report) -> dict[tuple[str, str], int] | None:
    """Which kinds meet which in all streams, as --confusions counts them."""
    if report.flexible is None:
        return None
    every = report.part("confusions").where(stream=ALL_STREAMS)
    return {(row["first"], row["second"]): row["count"] for row in every}


def _check_options(args: Arguments) -> None:
    """Refuse options that would do nothing."""
    if args.coder and not args.html:
        raise UsageError("--coder makes a page of one annotator: add --html FILE")
    if args.like and (args.chance or args.all):
        raise UsageError("--like is a way of its own: leave --chance and --all away")
    if args.chance and args.all:
        raise UsageError("--all shows every chance: leave --chance away")
    if args.chance and not {"fournier2012", "two-category"} & set(args.chance):
        _refuse_switches(args)
    if args.consensus:
        check_ending(args.consensus)


def _refuse_switches(args: Arguments) -> None:
    """Raise UsageError for settings of the formula, which is not computed."""
    for name in ("counting", "pooling", "weighting"):
        if getattr(args, name) != find_option(name, command="agree").default:
            raise UsageError(f"--{name} is for the formula: --chance fournier2012")


class _Report:
    """What was asked for, computed when it is needed."""

    def __init__(self, args: Arguments) -> None:
        self.args = args
        usual = PRESETS[args.like]["metric"] if args.like else "B"
        self.recipes = [parse(name) for name in args.metrics or [usual]]
        inputs = Inputs(args)
        self.corpus = _named(args, inputs.references())
        self.recipes = inputs.with_costs(self.recipes)
        self.systems = inputs.systems(set(self.corpus.texts)) if args.hyps else {}
        inputs.check_idle()
        self.flexible = next((r for r in self.recipes if r.metric.kind_costs), None)
        if args.confusions and self.flexible is None:
            raise UsageError("--confusions goes with -m Sf or SfB")
        own_chance = all(recipe.metric.chances for recipe in self.recipes)
        if own_chance and not args.chance and not args.like:
            _refuse_switches(args)
        self.notes = same_texts(self.corpus, self.systems)[2] if self.systems else ()
        self._made: dict[str, Table] = {}

    @cached_property
    def tables(self) -> list[Table]:
        """One for each metric."""
        with working(f"comparing {len(self.corpus.coders)} coders"):
            return [self._agree(recipe) for recipe in self.recipes]

    def _agree(self, recipe: Recipe) -> Table:
        args = self.args
        settings = args.of("agreement")
        if not args.like:
            settings["chance"] = args.chance or recipe.metric.chances or None
        usual = settings["chance"] is None and not args.like
        settings["all"] = usual and (args.all or args.form == "json")
        settings["headline"] = usual and not settings["all"]
        return agreement(self.corpus, metric=recipe, **settings)

    @cached_property
    def table(self) -> Table:
        """All metrics under each other; what does not depend on the metric once."""
        first = self.tables[0]
        rows = {str(row["signature"]): row for part in self.tables for row in part.rows}
        notes = tuple(
            dict.fromkeys([*self.notes, *(note for part in self.tables for note in part.notes)])
        )
        read = {name: corpus.fingerprint() for name, corpus in self.systems.items()}
        facts = {**first.facts, "fingerprints": read} if read else first.facts
        return Table(first.columns, tuple(rows.values()), "agreement", notes, facts)

    @cached_property
    def consensus(self) -> Consensus:
        """The agreed segmentations."""
        with working("looking for a consensus"):
            return consensus(self.corpus, metric=self.recipes[0])

    def part(self, name: str) -> Table:
        """One of the tables of --table, made once."""
        if name not in self._made:
            self._made[name] = self._make(name)
        return self._made[name]

    def first(self, name: str) -> Table:
        """One of PARTS, for the first metric."""
        return self.tables[0].part(name)

    def _make(self, name: str) -> Table:
        settings: dict[str, Any] = {"metric": self.recipes[0]}
        if name == "agreement":
            return self.table
        if name in PARTS:
            return self._of_all_metrics(name)
        if name == "consensus":
            return self.consensus.table
        if name in ("segmenters", "against-consensus"):
            if not self.systems:
                raise UsageError(f"--table {name} needs segmenters: -i SYSTEM ...")
            if name == "segmenters":
                settings |= {"draws": self.args.draws, "seed": self.args.seed}
                return segmenters(self.corpus, self.systems, **settings)
            return against_consensus(self.corpus, self.systems, **settings)
        if self.flexible is None:
            raise UsageError(f"--table {name} goes with -m Sf or SfB")
        make = {"contrasts": contrasts, "confusions": confusions, "operations": operations}[name]
        return make(self.corpus, **self.flexible.settings)

    def _of_all_metrics(self, name: str) -> Table:
        """The rows of every metric, those that do not depend on it once."""
        made = [table.part(name) for table in self.tables]
        if name == "kinds" and not made[0].columns and self.args.table == "kinds":
            raise UsageError("--table kinds: the boundaries have no kinds")
        rows = {json.dumps(row, default=str): row for part in made for row in part.rows}
        facts = {key: value for part in made for key, value in part.facts.items()}
        if name == "without":
            facts = {"jackknife": {k: v for p in made for k, v in p.facts["jackknife"].items()}}
        return Table(made[0].columns, tuple(rows.values()), name, facts=facts)

    def wanted(self) -> list[str]:
        """The tables of --json."""
        names = [*PARTS, "consensus"]
        if self.systems:
            names += ["segmenters", "against-consensus"]
        if self.flexible is not None:
            names += ["contrasts", "confusions", "operations"]
        return names


# Who is who.


def _named(args: Arguments, corpus: Corpus) -> Corpus:
    if args.rename:
        corpus = corpus.rename_coders(_read_names(args.rename, corpus))
    Annotations.of(corpus)  # what is wrong is said with the names people know
    if args.coder is not None and args.coder not in corpus.coders:
        raise UsageError(f"no coder {args.coder!r}; there is {listed(sorted(corpus.coders), 8)}")
    if not args.anonymize:
        return corpus
    return corpus.anonymized(keep=args.coder).described(name="annotations")


def _read_names(path: str, corpus: Corpus) -> dict[tuple[str | None, str], str]:
    """Coders' names from a CSV with the columns coder and name, and text if they differ by it."""
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            lines = list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = getattr(error, "strerror", None) or "not a CSV in UTF-8"
        raise UsageError(f"{path} cannot be read: {reason}") from None
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
                f"{path}, line {number}: no coder {coder!r}{where}; there is "
                f"{listed(sorted(coders), 8)}"
            )
        names[text, coder] = name
    return names


# Files beside the output.


def _write_files(args: Arguments, report: _Report) -> None:
    if args.differences:
        _write_beside(args, args.differences, report.part("differences"))
    if args.consensus:
        try:
            write(report.consensus.corpus, args.consensus)
        except FormatError as error:
            raise UsageError(str(error)) from None
        print(f"written: {args.consensus} ({_found(report.consensus)})", file=sys.stderr)


def _found(agreed: Consensus) -> str:
    """How the segmentations of a consensus were found."""
    ways = [row["how"] for row in agreed.table]
    exact, searched = ways.count("exact"), sum(way.startswith("search") for way in ways)
    return (
        f"{exact} of {len(ways)} optimal, {searched} found by search, "
        f"{len(ways) - exact - searched} the most similar coder's own"
    )


def _write_beside(args: Arguments, path: str, table: Table) -> None:
    form = {".json": "json", ".md": "markdown", ".tex": "latex"}.get(Path(path).suffix, "csv")
    if path == "-":
        write_other_form(form, table, sys.stdout)
        return
    try:
        with open(path, "w", encoding="utf-8", newline="") as file:
            write_other_form(form, table, file)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from None
    print(f"written: {path} ({len(table)} places where coders differ)", file=sys.stderr)


# Output.


def _write(args: Arguments, report: _Report, out: IO[str]) -> None:
    if args.form == "json":
        plain = report.table.plain()
        for name in report.wanted():
            try:
                part = report.part(name)
            except SegmentationError as error:  # too few coders for that table: say so instead
                plain[name] = {"note": str(error)}
                continue
            plain[name] = part.plain()["rows"]
            if name == "without":
                plain["jackknife"] = part.plain()["facts"]["jackknife"]
        out.write(json.dumps(plain, ensure_ascii=False, allow_nan=False, indent=1) + "\n")
    elif args.form == "csv":
        write_other_form("csv", report.part(args.table or "agreement"), out)
    elif args.form:
        _write_markup(args, report, out)
    else:
        _write_plain(args, report, out)


def _write_plain(args: Arguments, report: _Report, out: IO[str]) -> None:
    table = report.table
    out.write(fit(_wrapped(_first_line(table.facts), out) + "\n\n", out))
    kinds = report.corpus.kind_names is not None
    _write_coefficients(table, args.all or args.chance is not None, kinds, out)
    random = table.facts.get("random_pi")
    if random is not None:
        out.write(f"  pi* is not 0 for random coders: with as many cuts they reach {random:.3f}\n")
    if report.flexible is not None:
        _write_contrasts(args, report, out)
    out.write("\n")
    _write_coders(report, out)
    if args.all:
        _write_more(report, out)
    if report.systems:
        _write_systems(report, out)
    _write_last_lines(report, out)


def _write_markup(args: Arguments, report: _Report, out: IO[str]) -> None:
    """The table as it is read, for papers; signatures stand below."""
    from fencepost.report import markup

    write_other_form(args.form, Table(MARKUP, tuple(_readable(report))), out)
    signatures = dict.fromkeys(str(row["signature"]) for row in report.table.rows)
    notes = [_data_line(report.table.facts), *(f"note: {note}" for note in report.table.notes)]
    if args.form == "latex":
        out.write("\n" + markup.lines_to_comments([*signatures, *notes]))
    else:
        out.write("\n" + "".join(f"{markup.markdown_code(one)}  \n" for one in signatures))
        out.write("\n" + markup.lines_to_markdown(notes))


def _readable(report: _Report) -> list[dict[str, str]]:
    """The coefficients as people read them."""
    kinds = report.corpus.kind_names is not None
    rows = []
    for row in report.table.rows:
        digits = 4 if row["coefficient"] == "bias" else 3
        interval = (
            "" if row["low"] is None else f"{row['low']:.{digits}f} to {row['high']:.{digits}f}"
        )
        cells = (_label(row, kinds), shown(row["value"], digits), interval,
                 _plain(row["observed"]), _plain(row["expected"]),
                 SAID.get(row["chance"], ""))  # fmt: skip
        rows.append(dict(zip(MARKUP, cells, strict=True)))
    return rows


def _first_line(facts: Any) -> str:
    least, most = facts["coders_per_text"]
    coders = plural(facts["coders"], "coder")
    about = []
    if most < facts["coders"] or facts["missing"]:
        about.append(f"{least} to {most} a text" if least != most else f"{least} a text")
    if facts["groups"] > 1:
        about.insert(0, f"in {facts['groups']} groups")
    if facts["missing"]:
        whole = facts["annotations"] + facts["missing"]
        about.append(f"{facts['missing']} of {whole} annotations missing")
    coders += f" ({', '.join(about)})" if about else ""
    texts = plural(facts["texts"], "text")
    if facts["streams"] > facts["texts"]:
        texts += f" ({facts['streams']} streams)"
    parts = [texts, coders, plural(facts["pairs"], "pair")]
    return ", ".join([*parts, plural(facts["boundaries"], "boundary", "boundaries")])


def _write_coefficients(table: Table, errors: bool, kinds: bool, out: IO[str]) -> None:
    rows = []
    for row in table.rows:
        digits = 4 if row["coefficient"] == "bias" else 3
        interval = ""
        if row["low"] is not None:
            interval = f"{row['low']:.{digits}f} to {row['high']:.{digits}f}"
        cells = [_label(row, kinds), shown(row["value"], digits), interval]
        rows.append([*cells, _plain(row["observed"]), _plain(row["expected"]), _how(row, errors)])
    headers = ["", "value", "95% interval", "observed", "by chance", ""]
    if not any(row[2] for row in rows):
        del headers[2]
        rows = [[*row[:2], *row[3:]] for row in rows]
    write_table(headers, rows, out, remark=True)


def _signed(value: float) -> str:
    return "–" if value != value else f"{value:+.3f}"


def _plain(value: float | None) -> str:
    return "" if value is None or value != value else f"{value:.3f}"


def _label(row: dict[str, Any], kinds: bool = False) -> str:
    """What a row is called; alpha and the majority look at kinds where there are any."""
    if row["coefficient"] in ("alpha", "majority"):
        return f"{row['coefficient']}, " + ("places and kinds" if kinds else "exact places")
    title = "exact places" if row["signature"].recipe.two_categories else _title(row)
    if row["chance"] == "fournier2012":
        return f"{row['coefficient']}, {title} (fournier2012)"
    if row["coefficient"] == "hearst":
        return "kappa with majority (Hearst)"
    return f"{row['coefficient']}, {title}"


def _how(row: dict[str, Any], errors: bool) -> str:
    """How chance was made; with the standard error of a simulation where details are asked for."""
    said = f"({SAID[row['chance']]})" if row["chance"] in SAID else ""
    if row["standard_error"] is None or not errors:
        return said
    return f"±{row['standard_error']:.4f} {said}" if row["standard_error"] else f"exact {said}"


def _title(row: dict[str, Any]) -> str:
    """The metric, and settings that are not the usual ones."""
    recipe = row["signature"].recipe
    usual = recipe.metric.recipe().written()
    own = {key: value for key, value in recipe.written().items() if usual.get(key) != value}
    title = recipe.metric.title
    if recipe.settings.get("norm") == "edits":
        title = "S_f^B"
        own.pop("norm", None)
    own.pop("costs", None)
    return " ".join([title, *(f"{key}={value}" for key, value in own.items())])


def _wrapped(text: str, out: IO[str]) -> str:
    return textwrap.fill(text, terminal_width(out), break_long_words=False, break_on_hyphens=False)


def _write_coders(report: _Report, out: IO[str]) -> None:
    """Coders side by side, as many as a line holds."""
    rows = sorted(report.first("coders"), key=lambda row: _natural(row["coder"]))
    title = report.recipes[0].metric.title
    if len(rows) > MOST_CODERS:
        ends = sorted(rows, key=lambda row: row["value"])
        low, high = ends[0], ends[-1]
        out.write(
            f"{title} with all others: from {low['value']:.3f} ({low['coder']}) to "
            f"{high['value']:.3f} ({high['coder']}); all {len(rows)}: --csv --table coders\n"
        )
        return
    labels = ["coder", "texts", "cuts", f"{title} with others"]
    cells = [
        [row["coder"], str(row["texts"]), str(row["boundaries"]), shown(row["value"])]
        for row in rows
    ]
    columns = [labels, *cells]
    widths = [max(map(len, column)) for column in columns]
    for block in column_blocks(widths, terminal_width(out)):
        head, *lines = zip(*(columns[i] for i in block), strict=True)
        write_table(head, lines, out)


def _natural(name: str) -> tuple[Any, ...]:
    """an2 before an10."""
    digits = "".join(c for c in name if c.isdigit())
    return name.rstrip("0123456789"), int(digits) if digits else 0, name


def _write_more(report: _Report, out: IO[str]) -> None:
    """What --all adds below: the matrix, each coder left out, the human ceiling, kinds."""
    title = report.recipes[0].metric.title
    _write_matrix(report, title, out)
    first = report.table.rows[0]
    left = [row for row in report.first("without") if row["coefficient"] == first["coefficient"]
            and row["chance"] == first["chance"] and row["metric"] == first["metric"]]  # fmt: skip
    if len(left) > 2:
        out.write("\n")
        rows = [[row["coder"], shown(row["value"]), _signed(row["change"])] for row in left]
        write_table(["without", _label(first), "change"], rows, out)
        bounds = report.first("without").facts["jackknife"]
        low, high = bounds[f"{first['coefficient']} {first['metric']} {first['chance']}"]
        if low == low:
            out.write(f"jackknife over coders: {low:.3f} to {high:.3f}\n")
    out.write("\n")
    ceiling = report.first("ceiling")
    metrics = list(dict.fromkeys(ceiling.column("metric")))
    values = {(row["coder"], row["metric"]): row["value"] for row in ceiling}
    names = list(dict.fromkeys(ceiling.column("coder")))
    rows = [[name, *(shown(values[name, metric]) for metric in metrics)] for name in names]
    write_table(["as a system, by text", *(parse(m).metric.title for m in metrics)], rows, out)
    kinds = report.first("kinds without intervals")
    if len(kinds):
        out.write("\n")
        rows = [[r["kind"], _label(r), shown(r["value"]), _plain(r["observed"]),
                 _plain(r["expected"]), _how(r, False)] for r in kinds]  # fmt: skip
        headers = ["kind", "", "value", "observed", "by chance", ""]
        write_table(headers, rows, out, left=2, remark=True)


def _write_matrix(report: _Report, title: str, out: IO[str]) -> None:
    matrix = report.first("matrix")
    values = {(row["first"], row["second"]): row["value"] for row in matrix}
    names = sorted(report.first("coders").column("coder"), key=_natural)
    room = terminal_width(out) - max(map(len, names)) - len(title) - 2
    if sum(max(len(name), 5) + 2 for name in names) > room:
        out.write(f"\nevery two coders: --csv --table matrix ({len(matrix)} rows)\n")
        return
    rows = [
        [a, *("" if a == b else shown(values.get((a, b), values.get((b, a)))) for b in names)]
        for a in names
    ]
    out.write("\n")
    write_table([title, *names], rows, out)


def _write_systems(report: _Report, out: IO[str]) -> None:
    out.write("\n")
    try:
        table = report.part("segmenters")
    except SegmentationError as error:
        out.write(f"{error}\n")
        table = None
    if table is not None:
        rows = [
            [
                row["system"],
                _label(row),
                shown(row["humans"]),
                shown(row["with_system"]),
                _signed(row["joined_change"]),
                _signed(row["human_change"]),
                f"{_signed(row['human_lowest'])} to {_signed(row['human_highest'])}",
            ]
            for row in table
        ]
        headers = ["segmenter", "", "humans", "with it", "joins", "human", "lowest to highest"]
        write_table(headers, rows, out, left=2)
        out.write(
            "joins: the mean change when it joins all humans but one; human: when that one does\n\n"
        )
    spread = report.part("against-consensus")
    title = report.recipes[0].metric.title
    rows = [
        [
            row["system"],
            shown(row["consensus"]),
            f"{shown(row['mean'])} ({shown(row['lowest'])} to {shown(row['highest'])})",
        ]
        for row in spread
    ]
    write_table([title, "against the consensus", "against each coder"], rows, out)


def _write_last_lines(report: _Report, out: IO[str]) -> None:
    table = report.table
    lines = [""]
    look = _look_first(report)
    if look:
        lines.append(look)
    lines += dict.fromkeys(str(row["signature"]) for row in table.rows)
    lines.append(_data_line(table.facts))
    lines += [_wrapped(f"note: {note}", out) for note in table.notes]
    out.write(fit("\n".join(lines) + "\n", out))


def _data_line(f: Any) -> str:
    """Which data: fingerprints of annotations and systems, which two people can compare."""
    read = {f["corpus"]: f["fingerprint"], **f.get("fingerprints", {})}
    data = ", ".join(f"{name} {fingerprint}" for name, fingerprint in read.items())
    return f"data: {data}; {plural(f['units'], f['unit'])}, {f['places']} places to decide on"


def _look_first(report: _Report) -> str:
    """The two texts with the least agreement, and who made no cut there."""
    first = report.table.rows[0]
    rows = [
        row
        for row in report.first("texts")
        if (row["coefficient"], row["metric"], row["chance"])
        == (first["coefficient"], first["metric"], first["chance"])
        and row["observed"] == row["observed"]
    ]
    if len(rows) < 5:
        return ""
    rows.sort(key=lambda row: row["observed"])
    title = _title(first)
    said: list[str] = []
    for row in rows[:2]:
        value = f"{title} {row['observed']:.3f}" if not said else f"{row['observed']:.3f}"
        empty = [
            key.coder
            for key, seg in report.corpus.entries.items()
            if key.text == row["text"] and not len(seg.cuts)
        ]
        if len(empty) > 1:
            value += f"; {len(empty)} coders made no cut"
        elif empty:
            value += f"; {empty[0]} made no cut"
        said.append(f"{row['text']} ({value})")
    return f"look first at {' and '.join(said)}: --html, --differences"


def _write_contrasts(args: Arguments, report: _Report, out: IO[str]) -> None:
    out.write("\n")
    for part in report.part("contrasts"):
        out.write(f"{part['measure']:<24}  {shown(part['value'])}\n")
    if args.confusions:
        out.write("\n")
        _write_confusions(report.part("confusions"), out)


def _write_confusions(table: Table, out: IO[str]) -> None:
    for stream in dict.fromkeys(table.column("stream")):
        columns, rows = _crossed(table, stream)
        write_table(columns, rows, out)
        out.write("\n")


def _crossed(table: Table, stream: str) -> tuple[list[str], list[list[str]]]:
    """The kinds of one stream against each other: columns and rows."""
    part = table.where(stream=stream)
    names = list(dict.fromkeys([*part.column("first"), *part.column("second")]))
    names.sort(key=lambda name: (name == "none", name))
    cells = {(row["first"], row["second"]): row["count"] for row in part}
    rows = [[a, *(str(cells.get((a, b), "")) for b in names)] for a in names]
    title = "all streams" if stream == ALL_STREAMS else stream or "text"
    return [f"{title}: first \\ second", *names], rows
