"""What ``fencepost agree`` prints: coefficients, annotators, systems and boundary types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, Any

import numpy as np

from fencepost.coders import PRESETS
from fencepost.coders.confusions import ALL_STREAMS
from fencepost.coders.results import Results
from fencepost.coders.verdict import EPSILON, MIN_TEXTS_FOR_ALT_TEST
from fencepost.metrics.registry import parse
from fencepost.metrics.signature import signature_lines
from fencepost.model.checks import SegmentationError
from fencepost.report.grid import shown
from fencepost.report.text import fit, folded, terminal_width, write_blocks, write_table
from fencepost.scoring.summary import ABOUT_LEVELS, TOTAL
from fencepost.scoring.tables import Table
from fencepost.wording import plural, said_fingerprints

CHANCES = {
    "sizes": "sizes permuted",
    "inner-sizes": "inner sizes permuted",
    "shuffle": "shuffled",
    "positions": "preferred positions",
    "bernoulli": "random rate",
    "uniform": "uniform",
    "uniform-types": "uniform types",
    "fournier2012": "formula",
    "two-category": "boundary or none",
}
ZEROS = {  # what annotators do whose kappa is 0
    "sizes": "whose own segments come in random order",
    "inner-sizes": "whose own segments come in random order, from a random start",
    "shuffle": "who set as many boundaries at random positions",
    "positions": "who set as many boundaries, at positions preferred in the other texts",
    "bernoulli": "who set boundaries at their own rate, at random positions",
}
COLUMNS = ("coefficient", "value", "95% interval*", "observed", "by chance", "chance")
WINNING_RATE = 0.5  # of annotators, from which a system passes the alternative annotator test
MAX_OUTLIERS = 3  # annotators who are named because they change the agreement
MAX_ANNOTATORS = 40  # annotators in the text; the table of more is for a file
MIN_SHARE = 0.005  # of annotations that chance does not change, from which it is printed
MIN_TEXTS_TO_SUGGEST = 5  # texts from which the two with the least agreement are named


def write_text(
    results: Results,
    out: IO[str],
    *,
    details: bool = False,
    all_tables: bool = False,
    confusions: bool = False,
) -> None:
    """Write the tables as text; ``details`` adds the standard errors of simulations."""
    facts = results.table.facts
    out.write(fit(folded(lead(facts), terminal_width(out)) + "\n\n", out))
    _write_coefficients(results, details, out)
    for line in about_zero(results):
        out.write(f"{folded(line, terminal_width(out), first='  ', rest='  ')}\n")
    for line in about_intervals(results):
        indent = "  " if line.startswith(" ") else ""
        text = folded(line.strip(), terminal_width(out), first=indent, rest="  ")
        out.write(f"{text}\n")
    if results.with_costs is not None:
        _write_contrasts(results, confusions, out)
    if results.by:
        out.write("\n")
        table = by_level(results)
        write_table(table.columns, [list(row.values()) for row in table], out, left=2)
        out.write(f"{folded(ABOUT_LEVELS, terminal_width(out))}\n")
    out.write("\n")
    _write_annotators(results, out)
    if all_tables:
        _write_matrix(results, out)
        _write_left_out(results, out)
        _write_ceiling(results, out)
        _write_types(results, out)
        _write_speakers(results, out)
    elif len(results.corpus.stream_names) > 1:
        out.write("\nagreement on each speaker alone: --all, or --csv --table speakers\n")
    if results.systems:
        _write_verdicts(results, out)
        _write_systems(results, out)
        _write_against_consensus(results, out)
    _write_last_lines(results, out)


def lead(facts: Mapping[str, Any]) -> str:
    """Return the size of the data in one line."""
    least, most = facts["coders_per_text"]
    about = []
    if facts["groups"] > 1:
        about.append(f"in {facts['groups']} groups")
    if most < facts["coders"] or facts["missing"]:
        about.append(f"{least} to {most} per text" if least != most else f"{least} per text")
    if facts["missing"]:
        whole = facts["annotations"] + facts["missing"]
        about.append(f"{facts['missing']} of {whole} annotations missing")
    annotators = plural(facts["coders"], "annotator") + (f" ({', '.join(about)})" if about else "")
    texts = plural(facts["texts"], "text")
    if facts["streams"] > facts["texts"]:
        texts += f" ({facts['streams']} speaker tracks)"
    boundaries = plural(facts["boundaries"], "boundary", "boundaries")
    return ", ".join([texts, annotators, plural(facts["pairs"], "pair"), boundaries])


def about_zero(results: Results) -> list[str]:
    """Return what 0 means: for kappa, and for the published pi*, whose 0 means nothing."""
    facts, lines = results.table.facts, []
    for row in results.table.rows[:1]:
        if row["coefficient"] == "kappa" and row["chance"] in ZEROS:
            line = f"kappa is 0 for annotators {ZEROS[row['chance']]}"
            if row["chance"] in ("sizes", "inner-sizes") and facts["unchanged"] >= MIN_SHARE:
                line += f" (chance leaves {facts['unchanged']:.0%} of annotations as they are)"
            lines.append(line)
    if facts.get("random_pi") is not None:
        lines.append(
            "pi* is not 0 for random annotators: with as many boundaries they reach "
            f"{facts['random_pi']:.3f}"
        )
    if facts.get("random_alpha_u") is not None:
        lines.append(
            "alpha_U is not 0 for random annotators: with as many segments they reach "
            f"{facts['random_alpha_u']:.3f}, since starts and ends of texts are shared"
        )
    return lines


def about_intervals(results: Results) -> list[str]:
    """Return what the intervals are for, how they were made, and what the uncertainty is from."""
    rows = [row for row in results.table.rows if row["low"] is not None]
    if not rows:
        return []
    row = rows[0]
    if row["over"] != "both":
        other = {"texts": ("texts", "annotators"), "coders": ("annotators", "texts")}[row["over"]]
        return [f"* for other {other[0]} and these {other[1]}"]
    return [
        "* for other texts and other annotators; --interval texts: for these annotators",
        f"  jackknife over both, Student's t; {row['coefficient']}: standard error "
        f"{row['error']:.3f} (texts {row['texts_error']:.3f}, annotators "
        f"{row['coders_error']:.3f}), {row['freedom']:.1f} degrees of freedom",
    ]


def data_line(facts: Mapping[str, Any]) -> str:
    """Return which data it was: fingerprints of annotations and systems that people can compare."""
    data = said_fingerprints(facts["corpus"], facts["fingerprint"], facts.get("fingerprints", {}))
    potential = plural(facts["places"], "potential boundary", "potential boundaries")
    size = f"{plural(facts['units'], facts['unit'])}, {potential}"
    return "; ".join([f"data: {data}", size, *facts.get("settings", ())])


def readable(results: Results) -> list[dict[str, str]]:
    """Return the coefficients as people read them, one row each with the columns COLUMNS."""
    typed = results.corpus.kind_names is not None
    rows = []
    for row in results.table.rows:
        digits = 4 if row["coefficient"] == "bias" else 3
        interval = ""
        if row["low"] is not None:
            interval = f"{row['low']:.{digits}f} to {row['high']:.{digits}f}"
        cells = (label(row, typed), shown(row["value"], digits), interval,
                 _number(row["observed"]), _number(row["expected"]),
                 CHANCES.get(row["chance"], ""))  # fmt: skip
        rows.append(dict(zip(COLUMNS, cells, strict=True)))
    return rows


def by_level(results: Results) -> Table:
    """Return the coefficients of every level as people read them, those of the whole below."""
    rows, typed = [], results.corpus.kind_names is not None
    for row in results.part("levels").rows:
        interval = "" if row["low"] is None else f"{row['low']:.3f} to {row['high']:.3f}"
        name = label(row, typed and row["level"] == TOTAL)
        cells = (row["level"], name, shown(row["value"], 3), interval,
                 _number(row["observed"]), _number(row["expected"]))  # fmt: skip
        rows.append(dict(zip(("level", *COLUMNS[:5]), cells, strict=True)))
    return Table(("level", *COLUMNS[:5]), tuple(rows), "levels")


def label(row: Mapping[str, Any], typed: bool = False) -> str:
    """Return what a row is called; alpha and the majority look at types where there are any."""
    if row["coefficient"] in ("alpha", "majority"):
        return f"{row['coefficient']}, {'positions and types' if typed else 'exact positions'}"
    if row["coefficient"] in ("alpha_U", "gamma"):
        typed = typed and row["coefficient"] == "alpha_U"
        return f"{row['coefficient']}, {'segments and types' if typed else 'segments'}"
    if row["coefficient"] == "hearst":
        return "kappa with majority (Hearst)"
    exact = row["signature"].recipe.two_categories
    tool = _tool(row) if row["chance"] == "fournier2012" else None
    title = "exact positions" if exact else metric_title(row, tool)
    formula = f" ({tool or 'fournier2012'})" if row["chance"] == "fournier2012" else ""
    return f"{row['coefficient']}, {title}{formula}"


def _tool(row: Mapping[str, Any]) -> str | None:
    """Return the tool or paper whose metric and formula a row has with all of their settings."""
    recipe, context = row["signature"].recipe, row["signature"].context
    for tool, formula in PRESETS.items():
        rates = formula.get("counting", "cuts"), formula.get("pooling", "pooled")
        preset = recipe.metric.presets.get(tool, {})
        if preset and preset.items() <= recipe.settings.items():
            return tool if rates == (context.counting, context.pooling) else None
    return None


def metric_title(row: Mapping[str, Any], tool: str | None = None) -> str:
    """Return the metric, and settings that are not the usual ones, or not those of a tool."""
    recipe = row["signature"].recipe
    usual = recipe.metric.recipe(like=tool).written()
    own = {key: value for key, value in recipe.written().items() if usual.get(key) != value}
    title = recipe.metric.title
    if recipe.settings.get("norm") == "edits":
        title = "S_f^B"
        own.pop("norm", None)
    own.pop("costs", None)
    return " ".join([title, *(f"{key}={value}" for key, value in own.items())])


def crossed(table: Table, stream: str) -> tuple[list[str], list[list[str]]]:
    """Return the types of one speaker's boundaries against each other: columns and rows."""
    part = table.where(stream=stream)
    names = list(dict.fromkeys([*part.column("first"), *part.column("second")]))
    names.sort(key=lambda name: (name == "none", name))
    cells = {(row["first"], row["second"]): row["count"] for row in part}
    rows = [[a, *(str(cells.get((a, b), "")) for b in names)] for a in names]
    title = "all speakers" if stream == ALL_STREAMS else stream or "text"
    return [f"{title}: first \\ second", *names], rows


# The parts of the text.


def _write_coefficients(results: Results, details: bool, out: IO[str]) -> None:
    rows = []
    for cells, row in zip(readable(results), results.table.rows, strict=True):
        rows.append([*list(cells.values())[:-1], _chance(row, details)])
    headers = ["", *COLUMNS[1:-2], "chance", ""]  # three letters less, for 80 columns
    if not any(row[2] for row in rows):
        del headers[2]
        rows = [[*row[:2], *row[3:]] for row in rows]
    write_table(headers, rows, out, remark=True)
    errors = [row["standard_error"] for row in results.table.rows if row["standard_error"]]
    if details and errors:
        ends = dict.fromkeys(f"{end:.4f}" for end in (min(errors), max(errors)))
        out.write(f"  standard error of simulated chance: {' to '.join(ends)}\n")


def _chance(row: Mapping[str, Any], details: bool) -> str:
    """Return how chance was computed, and in details whether without simulation."""
    words = [CHANCES[row["chance"]]] if row["chance"] in CHANCES else []
    if details and row["standard_error"] == 0:
        words.append("exact")
    return ", ".join(words)


def _write_contrasts(results: Results, confusions: bool, out: IO[str]) -> None:
    out.write("\n")
    for part in results.part("contrasts"):
        out.write(f"{part['measure']:<24}  {shown(part['value'])}\n")
    if not confusions:
        return
    out.write("\n")
    table = results.part("confusions")
    for stream in dict.fromkeys(table.column("stream")):
        columns, rows = crossed(table, stream)
        write_table(columns, rows, out)
        out.write("\n")


def _write_annotators(results: Results, out: IO[str]) -> None:
    """Write the annotators side by side, as many as a line holds."""
    rows = sorted(results.first("coders"), key=lambda row: _natural(row["coder"]))
    title = results.recipes[0].metric.title
    if len(rows) > MAX_ANNOTATORS:
        ends = sorted(rows, key=lambda row: row["value"])
        low, high = ends[0], ends[-1]
        out.write(
            f"{title} with all others: from {low['value']:.3f} ({low['coder']}) to "
            f"{high['value']:.3f} ({high['coder']}); all {len(rows)}: --csv --table coders\n"
        )
        return
    columns = [["annotator", "texts", "boundaries", f"{title} with others", f"{title} by chance"]]
    columns += [
        [row["coder"], str(row["texts"]), str(row["boundaries"]), shown(row["value"]),
         shown(row["expected"])]
        for row in rows
    ]  # fmt: skip
    head, *lines = zip(*columns, strict=True)
    write_blocks(head, lines, out, terminal_width(out), gap="")


def outliers(results: Results) -> list[str]:
    """Return the first coefficient without each annotator who changes it by more than its error."""
    first = results.table.rows[0]
    if first["error"] is None:
        return []
    rows = [row for row in results.first("influence") if abs(row["change"]) > first["error"]]
    rows.sort(key=lambda row: -abs(row["change"]))
    return [
        f"without {row['coder']}: {label(first)} {shown(row['value'])} ({_signed(row['change'])}), "
        f"more than its standard error of {first['error']:.3f}"
        for row in rows[:MAX_OUTLIERS]
    ]


def _write_matrix(results: Results, out: IO[str]) -> None:
    title, matrix = results.recipes[0].metric.title, results.first("matrix")
    names = sorted(results.first("coders").column("coder"), key=_natural)
    room = terminal_width(out) - max(map(len, names)) - len(title) - 2
    if sum(max(len(name), 5) + 2 for name in names) > room:
        out.write(f"\nevery two annotators: --csv --table matrix ({len(matrix)} rows)\n")
        return
    values = {(row["first"], row["second"]): row["value"] for row in matrix}
    rows = [
        [a, *("" if a == b else shown(values.get((a, b), values.get((b, a)))) for b in names)]
        for a in names
    ]
    out.write("\n")
    write_table([title, *names], rows, out)


def _write_left_out(results: Results, out: IO[str]) -> None:
    """Write the first coefficient without each annotator in turn."""
    first = results.table.rows[0]
    left = [row for row in results.first("without") if _which(row) == _which(first)]
    if len(left) < 3:
        return
    out.write("\n")
    rows = [[row["coder"], shown(row["value"]), _signed(row["change"])] for row in left]
    write_table(["without", label(first), "change"], rows, out)
    low, high = results.first("without").facts["jackknife"][" ".join(_which(first))]
    if low == low:
        out.write(f"jackknife over annotators: {low:.3f} to {high:.3f}\n")


def _which(row: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return what tells the coefficients of a table apart."""
    return row["coefficient"], row["metric"], row["chance"]


def _write_ceiling(results: Results, out: IO[str]) -> None:
    """Write each annotator scored as a system."""
    out.write("\n")
    ceiling = results.first("ceiling")
    metrics = list(dict.fromkeys(ceiling.column("metric")))
    values = {(row["coder"], row["metric"]): row["value"] for row in ceiling}
    names = dict.fromkeys(ceiling.column("coder"))
    rows = [[name, *(shown(values[name, metric]) for metric in metrics)] for name in names]
    write_table(["as a system, by text", *(parse(m).metric.title for m in metrics)], rows, out)


def _write_types(results: Results, out: IO[str]) -> None:
    """Write every coefficient of every boundary type."""
    _write_alone("type", "kind", results.first("types without intervals"), out)


def _write_speakers(results: Results, out: IO[str]) -> None:
    """Write every coefficient on the tracks of every speaker."""
    _write_alone("speaker", "stream", results.first("speakers"), out)


def _write_alone(title: str, column: str, table: Table, out: IO[str]) -> None:
    """Write every coefficient on each part of the boundaries alone."""
    if not len(table):
        return
    out.write("\n")
    rows = [[r[column], label(r), shown(r["value"]), _number(r["observed"]),
             _number(r["expected"]), _chance(r, False)] for r in table]  # fmt: skip
    write_table([title, "", "value", "observed", "chance", ""], rows, out, left=2, remark=True)


VERDICT_COLUMNS = ("system", "to annotators", "annotators", "difference", "95% interval",
                   "rank", "verdict", "alt-test")  # fmt: skip


def readable_verdicts(results: Results) -> list[dict[str, str]]:
    """Return the systems beside the annotators, one row each with the columns VERDICT_COLUMNS."""
    try:
        table = results.part("verdicts")
    except SegmentationError:
        return []
    rows = []
    for row in table:
        interval = "" if row["low"] is None else f"{_signed(row['low'])} to {_signed(row['high'])}"
        words = row["verdict"]
        if row["p_equivalent"] is not None:
            words += f" (p {row['p_equivalent']:.3f})"
        alt = "–"
        if row["winning_rate"] == row["winning_rate"]:
            passed = "passed" if row["winning_rate"] >= WINNING_RATE else "failed"
            alt = f"{passed} ({row['winning_rate']:.2f})"
        cells = (row["system"], shown(row["similarity"]), shown(row["annotators"]),
                 _signed(row["difference"]), interval, f"{row['rank']} of {row['of']}", words,
                 alt)  # fmt: skip
        rows.append(dict(zip(VERDICT_COLUMNS, cells, strict=True)))
    return rows


def _write_verdicts(results: Results, out: IO[str]) -> None:
    """Write whether each system is as similar to the annotators as they are to each other."""
    rows = readable_verdicts(results)
    if not rows:
        return
    out.write("\n")
    write_table(list(VERDICT_COLUMNS), [list(row.values()) for row in rows], out)
    out.write(f"{folded(about_verdicts(results), terminal_width(out))}\n")


def about_verdicts(results: Results) -> str:
    """Return what the columns of the verdicts are."""
    margin = "--margin tests equivalence"
    if results.margin is not None:
        margin = f"margin of equivalence {results.margin:g}"
    return (
        f"difference in {results.recipes[0].metric.title}: system and each annotator, compared "
        "with the same others, for other texts and other annotators; alt-test: share of "
        f"annotators it replaces (Calderon et al. 2025, epsilon {EPSILON}; takes "
        f"{MIN_TEXTS_FOR_ALT_TEST} texts); {margin}"
    )


def _write_systems(results: Results, out: IO[str]) -> None:
    """Write the agreement with and without each system, or why it is not known."""
    out.write("\n")
    try:
        table = results.part("systems")
    except SegmentationError as error:
        out.write(f"{folded(str(error), terminal_width(out))}\n\n")
        return
    rows = [
        [row["system"], label(row), shown(row["humans"]), shown(row["with_system"]),
         _signed(row["joined_change"]), _signed(row["human_change"]),
         f"{_signed(row['human_lowest'])} to {_signed(row['human_highest'])}"]
        for row in table
    ]  # fmt: skip
    headers = ["system", "", "annotators", "with it", "joins", "annotator", "lowest to highest"]
    write_table(headers, rows, out, left=2)
    legend = (
        "joins: mean change when the system joins all annotators but one; annotator: when that "
        "annotator does"
    )
    out.write(f"{folded(legend, terminal_width(out))}\n\n")


def _write_against_consensus(results: Results, out: IO[str]) -> None:
    rows = [
        [row["system"], shown(row["consensus"]),
         f"{shown(row['mean'])} ({shown(row['lowest'])} to {shown(row['highest'])})"]
        for row in results.part("against-consensus")
    ]  # fmt: skip
    title = results.recipes[0].metric.title
    write_table([title, "against the consensus", "against each annotator"], rows, out)


def _write_last_lines(results: Results, out: IO[str]) -> None:
    table = results.table
    lines = ["", *outliers(results)]
    lines += [folded(line, terminal_width(out)) for line in _look_first(results)]
    lines += signature_lines(str(row["signature"]) for row in table.rows)
    lines.append(folded(data_line(table.facts), terminal_width(out), rest="  "))
    lines += [folded(f"note: {note}", terminal_width(out)) for note in table.notes]
    out.write(fit("\n".join(lines) + "\n", out))


def _look_first(results: Results) -> list[str]:
    """Return the two texts with the least agreement below 1, and who set no boundary there."""
    first = results.table.rows[0]
    rows = [
        row
        for row in results.first("texts")
        if _which(row) == _which(first) and row["observed"] == row["observed"]
    ]
    if len(rows) < MIN_TEXTS_TO_SUGGEST:
        return []
    rows.sort(key=lambda row: row["observed"])
    title = f"{metric_title(first)} "
    texts = []
    for row in [row for row in rows[:2] if row["observed"] < 1]:
        texts.append(f"{row['text']} ({title}{row['observed']:.3f}{_empty(results, row['text'])})")
        title = ""
    return [f"look first at {' and '.join(texts)}: --html, --differences"] if texts else []


def _empty(results: Results, text: str) -> str:
    """Return who set no boundary in a text."""
    corpus = results.corpus
    own = corpus.text_codes == corpus.text_names.find(text)
    codes = np.unique(corpus.coder_codes[own & (corpus.column.counts == 0)])
    if not len(codes):
        return ""
    who = corpus.coder_names[int(codes[0])] if len(codes) == 1 else f"{len(codes)} annotators"
    return f"; {who} set no boundary"


def _signed(value: float) -> str:
    return "–" if value != value else f"{value:+.3f}"


def _number(value: float | None) -> str:
    return "" if value is None or value != value else f"{value:.3f}"


def _natural(name: str) -> tuple[Any, ...]:
    """Return a key that sorts an2 before an10."""
    digits = "".join(c for c in name if c.isdigit())
    return name.rstrip("0123456789"), int(digits) if digits else 0, name
