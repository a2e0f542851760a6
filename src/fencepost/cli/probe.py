"""fencepost probe: the report card of any metric, or of several side by side."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from typing import IO, Any

from fencepost.cli.inputs import Inputs
from fencepost.cli.options import Arguments, UsageError
from fencepost.cli.outputs import (
    command_line,
    output,
    say_notes,
    write_json,
    write_other_form,
    write_page,
    write_reading,
    write_reading_below,
)
from fencepost.metrics.registry import Recipe, as_recipe
from fencepost.report.text import fit, folded, terminal_width, working
from fencepost.scoring.tables import Table
from fencepost.study.probing import PROPERTIES, Card, Cards, Curve, expected_seconds, probe
from fencepost.study.probing.card import curve_table

LONG = 10  # seconds, from which on it is worth a note


def run(args: Arguments) -> int:
    """Probe, and show it in the form asked for."""
    if args.list:
        print(fit(list_properties(terminal_width(sys.stdout)), sys.stdout))
        return 0
    if not args.metrics:
        raise UsageError("no metric: fencepost probe windowdiff, or FILE.py:NAME for your own")
    if args.plot:
        from fencepost.report.figures import figure_class

        figure_class()  # without matplotlib nothing needs to be measured
    inputs = Inputs(args)
    found = _probe(args, inputs)
    cards = list(found) if isinstance(found, Cards) else [found]
    lines = inputs.reading_lines()
    with output(args) as stream:
        _write(args, found, cards, lines, stream)
    if args.plot:
        from fencepost.report.figures import draw_cards, save

        save(draw_cards(cards), args.plot)
        say_notes([f"curves written to {args.plot}"])
    if args.html:
        from fencepost.report.html.probe import probe_page

        write_page(args, probe_page(found, command_line(), lines))
    return 0


def list_properties(width: int) -> str:
    """Return every property: what it asks, what is measured, and which figures mean yes."""
    return "\n".join(
        folded(line, width, indent, indent)
        for one in PROPERTIES
        for line, indent in (
            (f"{one.name} ({one.family})", ""),
            (one.asks, "  "),
            (f"{one.figure}: {one.threshold.said}", "  "),
        )
    )


def markdown_list() -> str:
    """The table of properties in docs/probe.md."""
    lines = ["| property | asks | figure | holds if |", "|---|---|---|---|"]
    lines += [f"| {p.name} | {p.asks} | {p.figure} | {p.threshold.said} |" for p in PROPERTIES]
    return "\n".join(lines)


def _probe(args: Arguments, inputs: Inputs) -> Card | Cards:
    metrics = [*args.metrics, *(args.against or [])]
    if args.corpus and len(set(metrics)) < 2:
        raise UsageError("--corpus is for the rank correlation of several metrics: --against pk B")
    if args.table == "correlations" and len(set(metrics)) < 2:
        raise UsageError("a rank correlation needs two metrics at least: --against pk B")
    corpus = inputs.only(args.corpus) if args.corpus else None
    settings: dict[str, Any] = {
        "properties": args.properties,
        "preferences": args.preferences,
        "seed": args.seed,
        "largest": args.largest,
    }
    with redirect_stdout(sys.stderr):  # what a function prints is no part of the card
        recipes = {name: as_recipe(name, None) for name in metrics}
        _say_how_long(list(recipes.values()), args)
        with working("probing"):
            first, *others = (recipes[name] for name in metrics)
            found: Card | Cards = probe(first, others or None, corpus=corpus, **settings)
    return found


def _say_how_long(recipes: list[Recipe], args: Arguments) -> None:
    """Functions of Python may take minutes: say so before, and what is quicker."""
    asked = {"properties": args.properties, "seed": args.seed, "largest": args.largest}
    seconds = sum(expected_seconds(recipe, **asked) for recipe in recipes)
    if seconds >= LONG:
        said = f"{seconds:.0f} seconds" if seconds < 120 else f"{seconds / 60:.0f} minutes"
        say_notes([
            f"this will take about {said}; --largest 7 needs a fortieth of the calls"
        ])  # fmt: skip


def _write(
    args: Arguments, found: Card | Cards, cards: list[Card], lines: list[str], stream: IO[str]
) -> None:
    if args.form == "json":
        made = plain(found, cards)
        if lines:
            made["facts"] = {**made.get("facts", {}), "reading_lines": lines}
        write_json(made, stream)
    elif args.form:
        write_other_form(args.form, _table(args, found, cards), stream)
        write_reading_below(args.form, lines, stream)
    else:
        write_reading(args, lines, stream)
        stream.write("\n" if lines and not args.quiet else "")
        from fencepost.report.cards import draw_card, draw_cards

        width = terminal_width(stream)
        text = draw_card(found, width) if isinstance(found, Card) else draw_cards(found, width)
        stream.write(fit(text, stream) + "\n")


def plain(found: Card | Cards, cards: list[Card]) -> dict[str, Any]:
    """What --json writes: the rows of all cards, curves, and rank correlations."""
    made = found.table().plain()
    made["curves"] = [
        {"metric": card.metric, "curve": c.name, "x_label": c.x_label, **_points(c)}
        for card in cards
        for c in card.curves.values()
    ]
    if isinstance(found, Cards):
        made["correlations"] = found.correlations.plain_rows()
        made.setdefault("notes", []).extend(found.correlations.notes)
    return made


def _points(curve: Curve) -> dict[str, list[float | None]]:
    rows: dict[str, Sequence[float]] = {"x": curve.x, "loss": curve.y}
    if curve.band:
        rows["low"], rows["high"] = curve.band
    return {
        name: [value if math.isfinite(value) else None for value in row]
        for name, row in rows.items()
    }


def _table(args: Arguments, found: Card | Cards, cards: list[Card]) -> Table:
    """The table asked for: by default all rows as CSV, and what people read in a paper."""
    wanted = args.table or ("cards" if args.form == "csv" else "grid")
    if wanted == "curves":
        return curve_table(cards)
    if wanted == "correlations":
        if not isinstance(found, Cards):
            raise UsageError("a rank correlation needs two metrics at least: --against pk B")
        return found.correlations
    return found.table() if wanted == "cards" else grid(cards)


def grid(cards: list[Card]) -> Table:
    """Properties by metrics: the threshold, then verdict and figure of each metric."""
    from fencepost.report.cards import applying, shown_figure

    rows = []
    for at in applying(cards):
        answer = cards[0].answers[at]
        row: dict[str, Any] = {
            "property": answer.asked.name,
            "holds if": answer.asked.threshold.said,
        }
        for card in cards:
            own = card.answers[at]
            said = "–" if own.verdict == "undefined" else f"{shown_figure(own)} {own.verdict}"
            row[card.metric] = said
        rows.append(row)
    return Table(tuple(rows[0]), tuple(rows), name="grid")
