"""Results as sentences for a paper: the figures of the table, how they were made, and by what."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fencepost._version import VERSION
from fencepost.cli.score_outputs import difference_rows, how_swapped, is_compared
from fencepost.coders.results import Results
from fencepost.options import SIGNATURE_FIELDS
from fencepost.report.agreement import readable, readable_verdicts
from fencepost.report.grid import Cell, Line, pivot, said_family, shown
from fencepost.scoring.tables import Table
from fencepost.wording import listed, plural

METHODS = {
    "t": "bootstrap-t and Student's t",
    "percentile": "bootstrap percentiles",
    "bca": "BCa bootstrap",
    "normal": "standard error and Student's t",
}


def score_sentences(table: Table, data: str) -> str:
    """Return sentences on systems, on comparisons, and on methods; ``data`` is what was read."""
    grid = pivot(table)
    systems = [line for line in grid.lines if line.kind == "system"]
    values = "; ".join(f"{line.label}: {_cells(grid.headers, line)}" for line in systems)
    sentences = [f"On {data}, the scores were {values}."]
    for line in grid.lines:
        if line.kind == "ceiling":
            own = _cells(grid.headers, line)
            sentences.append(f"Annotators, each against the others by the same rule, had {own}.")
    if is_compared(table):
        sentences.append(_comparisons(table))
    return " ".join([*sentences, _methods(table)])


def _cells(headers: Sequence[str], line: Line) -> str:
    return ", ".join(
        f"{header} {_with_interval(cell)}" for header, cell in zip(headers, line.cells, strict=True)
    )


def _with_interval(cell: Cell) -> str:
    """Return a value with both ends of its interval."""
    value = shown(cell.value, cell.digits)
    if cell.low is None or cell.high is None:
        return value
    return f"{value} [{shown(cell.low, cell.digits)}, {shown(cell.high, cell.digits)}]"


def _comparisons(table: Table) -> str:
    part = table.part("comparisons")
    facts = part.facts
    said = []
    for row, cells in zip(part.rows, difference_rows(part), strict=True):
        interval = cells.get("95% interval", "–")
        ends = f"95% interval {interval}, " if interval != "–" else ""
        p = next((cells[key] for key in cells if key.startswith("p (")), cells["p"])
        verdict = f", {row['verdict']}" if facts["margin"] is not None else ""
        than = f" from {row['against']}" if facts["all_pairs"] else ""
        said.append(
            f"{row['system']}{than} by {cells['difference']} in {cells['metric']} "
            f"({ends}p = {p}{verdict})"
        )
    margin = f"; margin of equivalence {facts['margin']:g}" if facts["margin"] is not None else ""
    against = "" if facts["all_pairs"] else f" from {facts['against']}"
    how = f"{_test(table)}; {said_family(facts)}{margin}"
    return f"Systems differed{against}: {'; '.join(said)} ({how})."


def _test(table: Table) -> str:
    part = table.part("comparisons")
    facts, what = part.facts, f"{table.facts['resampled']}s"
    if facts["over_runs"]:
        return "Student's t over texts and runs with Satterthwaite's degrees of freedom"
    if facts["test"] == "bootstrap":
        return f"paired bootstrap of {what}, {facts['resamples']:,} resamples"
    return f"paired randomization over {what}, {how_swapped(part)}"


def _methods(table: Table) -> str:
    """Return what values and brackets are, and the program with its version."""
    rows: list[dict[str, Any]] = [row for row in table.rows if row["low"] is not None]
    averages = dict.fromkeys(row["average"] for row in table.rows)
    words = any(row["signature"].recipe.metric.input == "words" for row in table.rows)
    pooled = "counts of all segments pooled" if words else "pooled counts of all texts"
    said = {"macro": "means over texts", "micro": pooled}
    values = " and ".join(said[one] for one in averages)
    brackets = ""
    if rows:
        method, *more = rows[0]["signature"].context.bs.split(",")
        count = f", {int(more[0]):,} resamples" if more and more[0].isdigit() else ""
        brackets = (
            f", brackets are 95% intervals over {table.facts['resampled']}s "
            f"({METHODS[method]}{count})"
        )
    rule = SIGNATURE_FIELDS["refs"].get(table.facts.get("reference_rule", ""))
    refs = f"; the reference is {rule}" if rule else ""
    old = table.facts.get("counted_by", ())
    counts = f" from counts of fencepost {listed(old, last=' and ')}" if old else ""
    return f"Values are {values}{brackets}{refs}; computed with fencepost {VERSION}{counts}."


def agreement_sentences(results: Results) -> str:
    """Return sentences on the agreement of annotators, with the figures of the table."""
    facts = results.table.facts
    said = []
    for row in readable(results):
        name, value, interval = list(row.values())[:3]
        said.append(f"{name}: {value}" + (f" (95% interval {interval})" if interval else ""))
    who = f"{plural(len(results.corpus.coders), 'annotator')} on {plural(facts['texts'], 'text')}"
    made = dict.fromkeys(row["signature"].context.interval for row in results.table.rows)
    over = " and ".join(_over(one) for one in made if one)
    how = f"; intervals are over {over}" if over else ""
    sentences = [f"Agreement of {who} was {'; '.join(said)}.", *_verdicts(results)]
    return " ".join([*sentences, f"Computed with fencepost {VERSION}{how}."])


def _verdicts(results: Results) -> list[str]:
    """Return a sentence on systems beside annotators, if there are systems to compare."""
    said = []
    for row in readable_verdicts(results) if results.systems else []:
        ends = f" (95% interval {row['95% interval']})" if row["95% interval"] else ""
        said.append(
            f"{row['system']} by {row['difference']}{ends}, rank {row['rank']}, {row['verdict']}"
        )
    margin = "" if results.margin is None else f" (margin of equivalence {results.margin:g})"
    title = results.recipes[0].metric.title
    start = f"Beside an annotator, with the same others, systems differed in {title}: "
    return [f"{start}{'; '.join(said)}{margin}."] if said else []


def _over(interval: str) -> str:
    """Return what the intervals of a signature are over, and how they were made."""
    over, *made = interval.split(",")
    names = {"both": "texts and annotators", "coders": "annotators"}
    method = f" ({METHODS.get(made[0], made[0])})" if made else ""
    return names.get(over, over) + method
