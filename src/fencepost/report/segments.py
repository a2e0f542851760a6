"""A re-segmentation as text: its numbers, the segments with the most errors, what is certain."""

from __future__ import annotations

import io
from typing import IO

from fencepost.model.documents import ReferenceSet
from fencepost.report.text import fit, terminal_width, wrapped
from fencepost.streams.documents import Piece
from fencepost.streams.inputs import describe
from fencepost.streams.outputs import in_order, one_line
from fencepost.streams.resegmentation import Resegmentation
from fencepost.wording import plural

MAX_SEGMENTS_SHOWN = 10  # segments on the screen; a file has them all


def draw_resegmentation(one: Resegmentation, width: int = 80) -> str:
    """What ``print`` shows: AS-WER, the worst segments, and which boundaries are certain."""
    out = io.StringIO()
    out.write(wrapped(first_line(one), width) + "\n\n")
    value = one.as_wer.value
    shown = "–" if value != value else f"{100 * value:.2f}"
    words = plural(one.reference_words, "word")
    out.write(wrapped(f"AS-WER  {shown}   {plural(one.edits, 'edit')} / {words} of the references "
                      "chosen", width) + "\n\n")  # fmt: skip
    write_segments(one, out, width, "found.write(FILE), or found.table()")
    out.write(wrapped(certainty(one), width) + "\n")
    return out.getvalue() + str(one.as_wer.signature)


def first_line(one: Resegmentation, references: ReferenceSet | None = None) -> str:
    """What was read, and what became of it."""
    read = references or ReferenceSet(tuple(pair.document for pair in one.pairs))
    return (
        f"{describe(read)}; {plural(one.words_in, 'word')} in, "
        f"{plural(one.words_out, 'word')} out, {plural(one.empty_segments, 'empty segment')}"
    )


def followed(one: Resegmentation, piece: Piece) -> bool:
    """Whether a segment is not the last of its document: then its end had to be found."""
    last = {p.document.id: len(p.document.segments) for p in one.pairs}
    return piece.number < last[piece.document]


def write_segments(
    one: Resegmentation,
    out: IO[str],
    width: int | None = None,
    others: str = "-o FILE, or --csv --table segments",
) -> None:
    """The segments with the most errors, in their order."""
    pieces = in_order(one.pieces)
    references = {id(p): own for p, own in zip(one.pieces, one.reference_tokens, strict=True)}
    worst = sorted(pieces, key=lambda p: -p.edits)[:MAX_SEGMENTS_SHOWN]
    shown_places = {id(piece) for piece in worst if piece.edits} or {id(p) for p in pieces[:3]}
    room = max(12, (width or terminal_width(out)) - 17)
    said = "hypothesis | reference chosen"
    out.write(f"segment  edits  {said if room >= len(said) else 'words'}\n")
    for piece in pieces:
        if id(piece) not in shown_places:
            continue
        number = piece.segment.place + 1
        words = len(references[id(piece)][piece.chosen - 1] or [])
        both = f"{one_line(piece.text)} | {one_line(piece.reference)}"
        if len(both) > room:
            both = f"{_short(piece.text, room // 2 - 2)} | {_short(piece.reference, room // 2 - 2)}"
        out.write(fit(f"{number:>7}  {f'{piece.edits}/{words}':>5}  {both}\n", out))
    if len(pieces) > len(shown_places):
        left = len(pieces) - len(shown_places)
        said = f"{plural(left, 'other segment')}: {others}"
        out.write(wrapped(said, width or terminal_width(out)) + "\n")


def _short(text: str, most: int) -> str:
    line = one_line(text)
    return str(line if len(line) <= most else line[: max(1, most - 1)].rstrip() + "…")


def certainty(one: Resegmentation) -> str:
    """How many boundaries are certain, and where the first others may stand."""
    a = one.ambiguity
    if not len(a):
        return "no boundary to place: every document has one segment"
    said = f"{a.certain} of {len(a)} boundaries {'is' if a.certain == 1 else 'are'} certain"
    ends = [piece for piece in one.pieces if followed(one, piece)]
    open_ones = [
        (piece, places, now)
        for piece, places, now in zip(ends, a.places, one.boundaries, strict=True)
        if len(places) > 1
    ]
    for number, (piece, places, now) in enumerate(open_ones[:2]):
        spread = _spread(places.tolist())
        may = "may stand after word" if number == 0 else "after"
        of = f" of {piece.document}" if len(one.pairs) > 1 else ""
        line = piece.segment.place + 1
        said += f"{';' if number == 0 else ','} {line} {may} {spread}{of} (now {now})"
    if len(open_ones) > 2:
        said += f"; {len(open_ones) - 2} more"
    low, high = a.as_wer
    if low == low and round(100 * low, 2) != round(100 * high, 2):
        said += f"\nAS-WER over all optima: {100 * low:.2f} to {100 * high:.2f}"
    return said


def _spread(places: list[int]) -> str:
    """5-8, or 5-8, 12."""
    runs: list[list[int]] = []
    for place in places:
        if runs and place == runs[-1][-1] + 1:
            runs[-1].append(place)
        else:
            runs.append([place])
    shown_runs = [str(r[0]) if len(r) == 1 else f"{r[0]}-{r[-1]}" for r in runs]
    return ", ".join(shown_runs[:4]) + (", ..." if len(shown_runs) > 4 else "")
