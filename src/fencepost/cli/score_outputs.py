"""How a table of scores is written: the page, Markdown and LaTeX, texts one by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import IO, Any

from fencepost.cli.options import Arguments
from fencepost.cli.outputs import write_other_form, write_reading
from fencepost.metrics.registry import Recipe
from fencepost.metrics.signature import signature_lines
from fencepost.model.join import BASELINES
from fencepost.options import SIGNATURE_FIELDS
from fencepost.report.grid import Cell, Grid, headers, pivot, said_family, shown, shown_cell
from fencepost.report.text import (
    fit,
    folded,
    terminal_width,
    wrapped,
    write_grid,
    write_table,
)
from fencepost.scoring.count import LEVEL, SPEAKER
from fencepost.scoring.summary import ABOUT_LEVELS, MEAN_OF_REFERENCES
from fencepost.scoring.tables import Table, rows_to_table
from fencepost.wording import plural, said_fingerprints


def write_markup(form: str, table: Table, more: Sequence[Table], stream: IO[str]) -> None:
    """For papers: the tables, and below each what a reader must know of it."""
    from fencepost.report import markup

    grid = pivot(table)
    how = [how_averaged(table, grid, bounds=True)]
    if form == "markdown":
        stream.write(markup.grid_to_markdown(grid, how))
        said = markup.lines_to_markdown
    else:
        stream.write(markup.grid_to_latex(grid, how))
        said = markup.lines_to_latex
    if is_compared(table):
        for part, about in compared_tables(table):
            stream.write("\n")
            write_other_form(form, part, stream)
            stream.write("\n" + said([" ".join(about.split("\n"))]))
    for part in more:
        stream.write("\n")
        write_other_form(form, part, stream)
    read = table.facts.get("reading_lines", [])
    notes = [*read, data_line(table), *(f"note: {note}" for note in table.notes)]
    write = said if form == "markdown" else markup.lines_to_comments
    stream.write("\n" + write(notes))


def is_compared(table: Table) -> bool:
    """Whether systems were compared, and could be: some text counts for all of them."""
    return "comparisons" in table.parts and len(table.part("comparisons")) > 0


def compared_tables(table: Table) -> list[tuple[Table, str]]:
    """Return what people read of comparisons, each table with the lines below it."""
    return [(differences(table), how_compared(table)), (effects(table), how_large(table))]


def compared_parts(table: Table) -> list[str]:
    """The names of the parts that compare systems."""
    names = [name for name in ("comparisons", "rankings") if name in table.parts]
    return names if "comparisons" in names else []


def write_plain(args: Arguments, table: Table, stream: IO[str]) -> None:
    """The page: scores, differences, texts if asked for, signatures, notes."""
    grid = pivot(table)
    write_reading(args, table.facts.get("reading_lines", []), stream)
    stream.write(fit(first_line(table) + "\n\n", stream))
    write_grid(grid, stream)
    if args.per_text:
        stream.write("\n")
        _write_per_text(table, stream)
    if args.by:
        stream.write("\n")
        parts = by_part(table.part("by-group"), args.by)
        rows = [[str(row[column]) for column in parts.columns] for row in parts.rows]
        write_table(list(parts.columns), rows, stream, left=2)
        if args.by == LEVEL:
            stream.write(fit(folded(ABOUT_LEVELS, terminal_width(stream)) + "\n", stream))
    write_differences(table, stream)
    width = terminal_width(stream)
    how = folded(how_averaged(table, grid, grid.has_bounds), width)
    marks = [folded(grid.marks, width)] if grid.marks else []
    lines = ["", how, *marks, *signature_lines(grid.signatures)]
    lines.append(folded(data_line(table), width, rest="  "))
    # All of them belong to the page: who keeps it in a file keeps what its numbers need.
    lines += [folded(f"note: {note}", width) for note in table.notes]
    stream.write(fit("\n".join(lines) + "\n", stream))


def write_differences(table: Table, stream: IO[str]) -> None:
    """The comparisons of systems, if there are any, and how they were made."""
    if not is_compared(table):
        return
    for found, how in compared_tables(table):
        stream.write("\n")
        rows = [[str(row[c]) for c in found.columns] for row in found.rows]
        write_table(list(found.columns), rows, stream, left=2)
        stream.write(fit(wrapped(how, terminal_width(stream)) + "\n", stream))


def first_line(table: Table) -> str:
    """What was read; saved counts have no line that says what a 1 meant."""
    f = table.facts
    unit = f["unit"]
    refs = f" in {f['references']} references" if f["references"] > 1 else ""
    parts = [
        plural(f["texts"], "text"),
        plural(f["units"], unit),
        f"{f['reference_cuts']} {f['reference']} "
        f"{'boundary' if f['reference_cuts'] == 1 else 'boundaries'}{refs}",
    ]
    flags = None if f.get("reading_lines") else f["reading"].get("flags")
    return ", ".join(parts) + (f" (1 = {flags} {unit} of a segment)" if flags else "")


WITHOUT = {
    "comparisons": "systems are compared with --paired",
    "rankings": "rankings are of several systems by several metrics",
    "by-group": "groups are given with --group",
    "reliability": "the bins of probabilities belong to -m calibration_error",
}


def by_part(table: Table, by: str) -> Table:
    """The scores of each part of the texts as people read them: parts and systems by metrics."""
    what = by if by in (SPEAKER, LEVEL) else "part"
    several = len(set(table.column("reference"))) > 1
    kept = [
        row
        for row in table.rows
        if row["system"] not in BASELINES
        and (not several or row["reference"] == MEAN_OF_REFERENCES)
    ]
    # The last part has every metric: one that compares whole hierarchies has no other row.
    keys = list(dict.fromkeys((row["signature"].recipe, row["average"]) for row in kept[::-1]))
    titles = dict(zip(reversed(keys), headers(keys[::-1]), strict=True))
    cells = [Cell(r["value"], r["low"], r["high"], digits=r["signature"].recipe.digits)
             for r in kept]  # fmt: skip
    bounds = any(cell.is_asymmetric for cell in cells)
    lines: dict[tuple[str, str], dict[str, Any]] = {}
    for row, cell in zip(kept, cells, strict=True):
        line = lines.setdefault(
            (row["group"], row["system"]),
            {
                what: row["group"],
                "system": row["system"],
                "texts": 0,
                **dict.fromkeys(titles.values(), ""),
            },
        )
        line["texts"] = max(line["texts"], row["n"])
        line[titles[row["signature"].recipe, row["average"]]] = shown_cell(cell, bounds)
    return rows_to_table(list(lines.values()), name="by-group")


ADJUSTED = {"minp": "p (min-p)", "holm": "p (Holm)", "bh": "p (BH)", "none": ""}


def differences(table: Table) -> Table:
    """The comparisons as people read them."""
    return rows_to_table(difference_rows(table.part("comparisons")), name="differences")


def difference_rows(part: Table) -> list[dict[str, str]]:
    """Return the comparisons as rows of text."""
    both = len({row["average"] for row in part.rows}) > 1
    adjusted = ADJUSTED[part.facts["adjust"]]
    recipes = list(dict.fromkeys(row["signature"].recipe for row in part.rows))
    titles = dict(zip(recipes, headers([(one, "") for one in recipes]), strict=True))
    bounded = any(row["low"] is not None for row in part.rows)
    rows = []
    for row in part.rows:
        name, digits = row["system"], row["signature"].recipe.digits
        made = {
            "": f"{name} - {row['against']}" if part.facts["all_pairs"] else name,
            "metric": titles[row["signature"].recipe] + (f" {row['average']}" if both else ""),
            "difference": f"{row['difference']:+.{digits}f}",
        }
        if bounded:
            made["95% interval"] = (
                "–"
                if row["low"] is None
                else f"{row['low']:+.{digits}f} to {row['high']:+.{digits}f}"
            )
        made["p"] = _shown_p(row["p"])
        if adjusted:
            made[adjusted] = _shown_p(row["p_adjusted"])
        made["win/tie/loss"] = f"{row['wins']}/{row['ties']}/{row['losses']}"
        rows.append(made)
    return rows


def effects(table: Table) -> Table:
    """How large the differences are, and with a margin whether they matter, as people read it."""
    part = table.part("comparisons")
    rows = []
    for row, cells in zip(part.rows, difference_rows(part), strict=True):
        made = {key: cells[key] for key in ("", "metric", "difference")}
        if part.facts["margin"] is not None:
            made[f"margin {part.facts['margin']:g}"] = row["verdict"]
            made["p"] = _shown_p(row["p_equivalent"])
        made["standardized"] = shown(row["standardized"], 2)
        ends = f" [{row['won_low']:.0%}, {row['won_high']:.0%}]" * part.facts["intervals"]
        made["texts won"] = f"{row['won']:.0%}{ends}"
        rows.append(made)
    return rows_to_table(rows, name="effects")


def how_large(table: Table) -> str:
    """What the words and numbers of the effects are."""
    facts = table.part("comparisons").facts
    said = (
        "standardized: in standard deviations of the texts' differences;\n"
        f"texts won{' [95% interval]' * facts['intervals']}: ties are half won"
    )
    if facts["margin"] is None:
        return said
    return (
        "equivalent: two one-sided t-tests put the difference within the margin (p, Holm);\n"
        f"better, worse: not equivalent, and p of the difference is at most .05;\n{said}"
    )


def _shown_p(p: float) -> str:
    return f"{p:.3f}" if p >= 0.001 else f"{p:.1g}"


def how_compared(table: Table) -> str:
    """With what, by which test, over how many comparisons, and what p is about."""
    part = table.part("comparisons")
    facts, one = part.facts, table.facts["resampled"]
    by_swaps = facts["test"] != "bootstrap"
    if facts["over_runs"] == facts["family"]:
        how = "Student's t over texts and runs (Satterthwaite)"
    elif by_swaps:
        how = f"paired randomization over {one}s, {how_swapped(part)}"
    else:
        how = f"paired bootstrap of {one}s, {facts['resamples']:,} resamples, seed {facts['seed']}"
    if 0 < facts["over_runs"] < facts["family"]:
        how += "; Student's t over texts and runs where a system has several"
    than = "every two systems; " if facts["all_pairs"] else f"against {facts['against']}; "
    bounded = any(row["low"] is not None for row in part.rows) and facts["family"] > 1
    family = said_family(facts) + "; intervals are unadjusted" * bounded
    null = "equal means"
    if by_swaps and facts["over_runs"] < facts["family"]:
        null = f"the two systems could be swapped in any {one}"
    runs = "these runs" if facts["several_runs"] else "these trained models, not other runs of them"
    about = "" if facts["over_runs"] else f";\np is about {runs}"
    return f"{than}{how};\n{family};\nnull hypothesis: {null}{about}"


def how_swapped(part: Table) -> str:
    """Whether all swaps were tried; which comparisons, where it was so for some of them."""
    facts = part.facts
    random = f"{facts['resamples']:,} random swaps, seed {facts['seed']}"
    if facts["exact"] == facts["family"]:
        return "all swaps"
    if not facts["exact"]:
        return random
    exact = [row["signature"].context.test.endswith(",exact") for row in part.rows]
    names = [
        f"{row['']} in {row['metric']}"
        for row, all_tried in zip(difference_rows(part), exact, strict=True)
        if all_tried
    ]
    if len(names) > MOST_NAMED:
        return f"all swaps for {len(names)} of the comparisons (in --csv), else {random}"
    return f"all swaps for {', '.join(names)}, else {random}"


MOST_NAMED = 3  # comparisons in a line below their table


def how_averaged(table: Table, grid: Grid, bounds: bool | None) -> str:
    """What values and intervals are; ``bounds`` None where another place speaks of intervals."""
    averages = {row["average"] for row in table.rows}
    several = any(row["reference"] == MEAN_OF_REFERENCES for row in table.rows)
    said = {
        "macro": "mean over a text's references, then over texts" if several else "mean over texts",
        "micro": f"counts of all texts{' and references' if several else ''} pooled",
    }
    rule = SIGNATURE_FIELDS["refs"].get(table.facts.get("reference_rule", ""))
    if rule and not several:
        said = {name: f"{rule}; {how}" for name, how in said.items()}
    if any(row["signature"].recipe.metric.input == "words" for row in table.rows):
        said["micro"] = "counts of all segments pooled"
    if len(averages) > 1:
        how = f"macro: {said['macro']}; micro: {said['micro']}"
    else:
        how = said[averages.pop()]
    if grid.has_intervals and bounds is not None:
        what = table.facts["resampled"]
        over = "" if what == "text" else f" over {what}s"
        how += f" [95% interval{over}]" if bounds else f" ± half of the 95% interval{over}"
    how += "; ↓ lower is better" if "lower" in grid.better else "; ↑ higher is better"
    if any(line.kind == "ceiling" for line in grid.lines):
        same = " by the same rule" if rule and not several else ""
        how += f"; human ceiling: each annotator against the others{same}"
    return how


def data_line(table: Table) -> str:
    """Which data: fingerprints of the reference and the systems, which two people can compare."""
    f = table.facts
    data = said_fingerprints(f["reference"], f["fingerprint"], f.get("fingerprints", {}))
    parts = [f"data: {data}", *f.get("settings", [])]
    without = f["texts_without_cuts"]
    if without:
        parts.append(
            f"{plural(without, 'text')} {'has' if without == 1 else 'have'} "
            f"no {f['reference']} boundary"
        )
    return "; ".join(parts)


def _write_per_text(table: Table, stream: IO[str]) -> None:
    part = table.part("per-text")
    recipes = list(dict.fromkeys(row["signature"].recipe for row in part.rows))
    several = len(set(part.column("reference"))) > 1
    cells: dict[tuple[str, ...], dict[Recipe, float]] = {}
    for row in part.rows:
        key = (row["text"], row["system"], *([row["reference"]] if several else []))
        cells.setdefault(key, {})[row["signature"].recipe] = row["value"]
    order = {text: i for i, text in enumerate(dict.fromkeys(part.column("text")))}
    names = ["text", "system", *(["reference"] if several else [])]
    rows = [
        [*key, *(shown(found.get(one)) for one in recipes)]
        for key, found in sorted(cells.items(), key=lambda c: order[c[0][0]])
    ]
    titles = [one.metric.title for one in recipes]
    labels = [
        str(one.signature()) if titles.count(title) > 1 else title
        for one, title in zip(recipes, titles, strict=True)
    ]
    write_table([*names, *labels], rows, stream, left=len(names))
