"""What notebooks show: small static drawings and tables, without script or style sheet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fencepost.metrics.score import Score
from fencepost.metrics.signature import signature_lines
from fencepost.model.checks import MetricError
from fencepost.model.pairs import Pairs
from fencepost.model.segmentation import Segmentation
from fencepost.report.grid import readable, shown
from fencepost.report.html import svg
from fencepost.report.html.svg import element, safe_text
from fencepost.report.strips import COLOURS, window_shares
from fencepost.scoring.tables import Table
from fencepost.streams.resegmentation import Resegmentation
from fencepost.wording import plural

MAX_ROWS = 50
MAX_SEGMENTS = 12
UNDERLINES = {
    "substitution": COLOURS["near"],
    "insertion": COLOURS["extra"],
    "deletion": COLOURS["missing"],
}
CELL = "text-align:left;padding:2px 10px 2px 0"


def segmentation_html(seg: Segmentation) -> str:
    """Return the segments as a strip."""
    return box(svg.one_strip(seg))


def score_html(score: Score) -> str:
    """Return value and signature, and the edits between both sides if the metric lists them."""
    head = element("b", safe_text(score.metric)) + f" {safe_text(shown(score.value, 4))}"
    parts = [element("div", head)]
    if score._pairs is not None:
        parts += _drawn(score, score._pairs)
    parts.append(small_code([score.signature]))
    return box("".join(parts))


def _drawn(score: Score, pairs: Pairs) -> list[str]:
    """Return both sides with the edits, with the windows that differ, or as they are."""
    ref, hyp = pairs.segmentation(0, "ref"), pairs.segmentation(0, "hyp")
    if score._explain is not None:
        return [svg.strips(ref, hyp, score.edits)]
    try:
        recipe = score.signature.recipe
    except MetricError:  # a function of the user's that is not registered
        return [svg.strips(ref, hyp, ())]
    if recipe.metric.windows is None:
        return [svg.strips(ref, hyp, ())]
    width, starts = recipe.metric.windows(pairs, **recipe.settings)
    windows = f"{ref.units - width} windows of {plural(width, 'position')}"
    said = f"{len(starts)} of the {windows} differ"
    below = element("div", f"{said}: darker where more of them overlap", style="font-size:11px")
    return [svg.strips(ref, hyp, window_shares(width, starts), said=said), below]


def table_html(table: Table) -> str:
    """Return the first rows, numbers with three digits."""
    found = readable(table)
    parts = [grid(found.columns, [list(map(safe_text, row)) for row in found.cells[:MAX_ROWS]])]
    if len(table.rows) > MAX_ROWS:
        parts.append(element("div", f"the first {MAX_ROWS} of {len(table.rows)} rows"))
    parts += [element("div", safe_text(line)) for line in found.below]
    if found.signatures:
        parts.append(small_code(signature_lines(found.signatures)))
    parts += [element("div", safe_text(f"note: {note}")) for note in table.notes]
    return box("".join(parts))


def grid(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table of cells that are HTML already."""

    def line(tag: str, cells: Iterable[str]) -> str:
        return element("tr", "".join(element(tag, c or " ", style=CELL) for c in cells))

    head = element("thead", line("th", map(safe_text, columns)))
    body = element("tbody", "".join(line("td", row) for row in rows) or " ")
    return element("table", head + body)


def small_code(lines: Iterable[str]) -> str:
    """Return signatures, one line each."""
    style = "font-size:11px;white-space:pre-wrap"
    return element("code", "<br>".join(map(safe_text, lines)), style=style)


def resegmentation_html(found: Resegmentation) -> str:
    """Return AS-WER and the segments with the most errors, word above word."""
    head = f"AS-WER {shown(found.as_wer.value, 4)}: {found.edits} edits, "
    head += f"{found.reference_words} words of the references chosen"
    order = sorted(range(len(found.pieces)), key=lambda i: -found.pieces[i].edits)[:MAX_SEGMENTS]
    parts = [element("div", element("b", safe_text(head)))]
    parts += [_aligned(found, i) for i in order]
    parts.append(small_code([found.as_wer.signature]))
    return box("".join(parts))


def _aligned(found: Resegmentation, i: int) -> str:
    piece = found.pieces[i]
    rows: list[list[str]] = [["reference"], ["hypothesis"]]
    for what, ref, hyp in found.aligned_words(i):
        style = f"{CELL};border-bottom:2px solid {UNDERLINES.get(what, 'transparent')}"
        missing = {"insertion": "+", "deletion": "−"}.get(what, " ")
        for row, word in zip(rows, (ref, hyp), strict=True):
            row.append(element("td", safe_text(word) or missing, style=style, title=what))
    title = f"segment {piece.segment.place + 1}, {piece.edits} edits"
    lines = [element("tr", element("th", row[0], style=CELL) + "".join(row[1:])) for row in rows]
    caption = element("caption", safe_text(title), style="text-align:left")
    return element("table", caption + element("tbody", "".join(lines)))


def box(content: str) -> str:
    """Return what a notebook shows, with a scroll bar where it is wide."""
    return element("div", content, style="overflow-x:auto;font-family:system-ui,sans-serif")
