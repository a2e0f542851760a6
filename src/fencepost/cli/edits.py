"""fencepost edits: where two segmentations differ, drawn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import IO, Any, cast

import numpy as np

from fencepost.cli.inputs import Inputs
from fencepost.cli.options import Arguments, UsageError
from fencepost.cli.outputs import output, write_other_form, write_reading, write_reading_below
from fencepost.metrics.edit import with_types
from fencepost.metrics.registry import Recipe, parse
from fencepost.metrics.signature import Context
from fencepost.model.checks import FencepostError, MetricError
from fencepost.model.edits import Edge, Edit
from fencepost.model.join import Join, join
from fencepost.model.pairs import Pairs
from fencepost.report.drawing import draw_edits, summary, write_drawing, write_edges, write_edits
from fencepost.report.grid import shown
from fencepost.report.strips import segments_in_words
from fencepost.report.text import cell_len, fit, printable, terminal_width, wrapped
from fencepost.scoring.count import score
from fencepost.scoring.tables import Table
from fencepost.wording import listed

MOST_LISTED = 40  # edits; of more the matches are left out of the list
WHERE = ("text", "stream", "system", "reference")
EDIT_COLUMNS = (*WHERE, "what", "side", "ref", "hyp", "ref_kind", "hyp_kind", "cost")
EDGE_COLUMNS = (*WHERE, "what", "ref", "hyp", "ref_start", "ref_end", "hyp_start", "hyp_end",
                "weight")  # fmt: skip


def run(args: Arguments) -> int:
    """Draw the texts asked for, or the worst ones."""
    (recipe,) = with_types([parse(args.metric)], args.types)
    if recipe.metric.edits is None:
        raise MetricError(f"{recipe.name} keeps no edits; S, B and A do: -m B")
    if args.text and args.worst is not None:
        raise UsageError("--text names texts and --worst finds them: give one of the two")
    inputs = Inputs(args)
    reference = inputs.references()
    systems = inputs.systems(reference)
    inputs.check_idle()
    recipe = inputs.with_costs([recipe])[0]
    table = score(
        reference,
        systems,
        metrics=[recipe],
        types=args.types,
        baselines=False,
        intervals=False,
        missing=args.missing,
    )
    settings = table.facts["settings"]
    shown_rows = _chosen(args, recipe, table.part("per-text"))
    joined = join(reference, systems, args.missing)
    lines = inputs.reading_lines()
    with output(args) as stream:
        if args.form:
            rows = [r for row in shown_rows for r in _tidy(recipe, joined, row)]
            columns = tuple(rows[0]) if rows else ()
            facts = {"reading_lines": lines, **({"settings": settings} if settings else {})}
            found = Table(columns, tuple(rows), name="edits", facts=facts)
            write_other_form(args.form, found, stream)
            write_reading_below(args.form, lines, stream)
        else:
            write_reading(args, lines, stream)
            stream.write("" if args.quiet else "\n")
            for number, row in enumerate(shown_rows):
                stream.write("\n\n" * (number > 0))
                _draw(recipe, joined, row, args.types, stream)
            read = table[0]["signature"].context  # how texts were read and missing ones counted
            context = Context(reading=read.reading, missing=read.missing)
            stream.write(f"\n{recipe.signature(context)}\n")
            if settings:
                stream.write(wrapped("; ".join(settings), terminal_width(stream)) + "\n")
    return 0


def _chosen(args: Arguments, recipe: Recipe, scores: Table) -> list[dict[str, Any]]:
    rows = list(scores.rows)
    if args.text:
        known = set(scores.column("text"))
        for text in args.text:
            if text not in known:
                names = list(dict.fromkeys(scores.column("text")))
                raise FencepostError(f"no text {text!r}; there are {listed(names, 5)}")
        return [row for row in rows if row["text"] in args.text]
    worst = 3 if args.worst is None else args.worst
    sign = 1 if recipe.metric.better == "higher" else -1
    rows = [row for row in rows if row["value"] != 1.0] or rows[:1]  # nothing to see in the others
    return sorted(rows, key=lambda r: math.inf if math.isnan(r["value"]) else sign * r["value"])[
        :worst
    ]


def _streams(joined: Join, row: dict[str, Any]) -> list[tuple[str, Pairs]]:
    """The streams of a row's text, each as a pair."""
    coder = joined.coder_of(row["reference"])
    return [
        (joined.reference.key(one).stream, joined.pairs(row["system"], coder, np.array([one])))
        for one in joined.text_rows(row["text"], coder).tolist()
    ]


def _draw(
    recipe: Recipe, joined: Join, row: dict[str, Any], types: str | None, out: IO[str]
) -> None:
    """One text; where it has streams, each with its own value, and what they add up to."""
    streams = _streams(joined, row)
    reference = joined.reference
    names = (reference.name if len(reference.coders) == 1 else row["reference"], row["system"])
    width = terminal_width(out)
    text = printable(row["text"])
    if len(streams) > 1:
        units = sum(int(pairs.units[0]) for _, pairs in streams)
        title = f"{text}: {len(streams)} speakers, {units} {reference.unit}s together"
        out.write(fit(_heading(title, recipe, row["value"], width), out))
    parts: list[tuple[float, int]] = []
    for number, (stream, pairs) in enumerate(streams):
        out.write("\n" * (number > 0))
        ref, hyp = pairs.segmentation(0, "ref"), pairs.segmentation(0, "hyp")
        edits = recipe.edits(pairs)[0]
        tokens = reference.tokens.get((row["text"], stream))
        sizes = [f"{n} {segments_in_words(s)}" for n, s in zip(names, (ref, hyp), strict=True)]
        of = f", {printable(stream)}" if stream else ""
        title = f"{text}{of}: {ref.units} {reference.unit}s, {sizes[0]}, {sizes[1]}"
        own = float(recipe.value(recipe.count(pairs))[0]) if len(streams) > 1 else row["value"]
        out.write(fit(_heading(title, recipe, own, width), out))
        if edits and isinstance(edits[0], Edge):
            _draw_edges(cast(Sequence[Edge], edits), tokens, names, width, out)
            continue
        own_edits = cast(Sequence[Edit], edits)
        parts.append((sum(e.cost for e in own_edits), _whole(recipe, pairs, len(edits))))
        strips = draw_edits(ref, hyp, own_edits, names, width, types)
        write_drawing(strips + "\n\n", out)
        _list_edits(own_edits, tokens, names, width, parts[-1][1], out)
    if len(parts) > 1:
        out.write(fit("\n" + wrapped(_together(parts, recipe, row["value"]), width) + "\n", out))


def _heading(title: str, recipe: Recipe, value: float, width: int) -> str:
    """What it is to the left and its value to the right; below each other where it is narrow."""
    said = f"{recipe.metric.title} {shown(value)}"
    gap = width - cell_len(title) - len(said)
    between = " " * gap if gap >= 2 else "\n"
    return f"{title if gap >= 2 else wrapped(title, width)}{between}{said}\n\n"


def _together(parts: Sequence[tuple[float, int]], recipe: Recipe, value: float) -> str:
    """How the values of the streams make that of the text: costs and wholes are added up."""
    costs, wholes = zip(*parts, strict=True)
    each = " + ".join(f"{cost:g} of {whole}" for cost, whole in parts)
    said = f"{recipe.metric.title} {shown(value)}"
    return f"together: cost {each} = {sum(costs):g} of {sum(wholes)}; {said}"


def _whole(recipe: Recipe, pairs: Pairs, edits: int) -> int:
    """What the cost of the edits is divided by: places (S), units (Sf), or the edits themselves."""
    counts = dict(zip(recipe.counts, recipe.count(pairs)[0].tolist(), strict=True))
    return int(counts[recipe.divisor]) if recipe.divisor else edits


def _list_edits(
    edits: Sequence[Edit],
    tokens: Any,
    names: tuple[str, str],
    width: int,
    whole: int,
    out: IO[str],
) -> None:
    listed = [e for e in edits if e.what != "match"] if len(edits) > MOST_LISTED else edits
    write_edits(listed, tokens, names, out, width)
    out.write(fit(wrapped(summary(edits, whole), width) + "\n", out))


def _draw_edges(
    edges: Sequence[Edge], tokens: Any, names: tuple[str, str], width: int, out: IO[str]
) -> None:
    write_edges(edges, tokens, names, out, width)
    counts = {
        label: sum(e.label == label for e in edges)
        for label in dict.fromkeys(e.label for e in edges)
    }
    said = ", ".join(f"{n} {label}" for label, n in counts.items())
    mean = sum(e.weight for e in edges) / len(edges)
    out.write(wrapped(f"{len(edges)} edges: {said}; mean weight {mean:.3f}", width) + "\n")


def _tidy(recipe: Recipe, joined: Join, row: dict[str, Any]) -> list[dict[str, Any]]:
    rows = []
    for stream, pairs in _streams(joined, row):
        where = (row["text"], stream, row["system"], row["reference"])
        for edit in recipe.edits(pairs)[0]:
            if isinstance(edit, Edge):
                ends = (*edit.ref_span, *edit.hyp_span)
                cells = (*where, edit.label, edit.ref, edit.hyp, *ends, edit.weight)
                rows.append(dict(zip(EDGE_COLUMNS, cells, strict=True)))
            else:
                own = (getattr(edit, name) for name in EDIT_COLUMNS[len(where) :])
                rows.append(dict(zip(EDIT_COLUMNS, (*where, *own), strict=True)))
    return rows
