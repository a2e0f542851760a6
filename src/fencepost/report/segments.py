"""A re-segmentation as text: its numbers, the segments with the most errors, what is certain."""

from __future__ import annotations

import io
from typing import IO

from fencepost.model.documents import ReferenceSet
from fencepost.report.text import fit, terminal_width, wrapped
from fencepost.streams.inputs import describe
from fencepost.streams.outputs import in_order, one_line
from fencepost.streams.resegmentation import Resegmentation
from fencepost.wording import clip, plural

MAX_SEGMENTS_SHOWN = 10  # segments on the screen; a file has them all


def draw_resegmentation(one: Resegmentation, width: int = 80) -> str:
    """What ``print`` shows: AS-WER, the worst segments, and which boundaries are certain."""
    out = io.StringIO()
    out.write(wrapped("\n".join([first_line(one), *one.notes]), width) + "\n\n")
    value = one.as_wer.value
    shown = "–" if value != value else f"{100 * value:.2f}"
    words = plural(one.reference_words, "word")
    out.write(wrapped(f"AS-WER  {shown}   {plural(one.edits, 'edit')} / {words} of the references "
                      "chosen", width) + "\n\n")  # fmt: skip
    write_segments(one, out, width, "found.write(FILE), or found.table()")
    if one.settings.ambiguity:
        out.write(wrapped(certainty(one), width) + "\n")
    return out.getvalue() + str(one.as_wer.signature)


def first_line(one: Resegmentation, references: ReferenceSet | None = None) -> str:
    """What was read, and what became of it."""
    read = references or ReferenceSet(tuple(pair.document for pair in one.pairs))
    return (
        f"{describe(read)}; {plural(one.words_in, 'word')} in, "
        f"{one.words_out} out, {plural(one.empty_segments, 'empty segment')}"
    )


def write_segments(
    one: Resegmentation,
    out: IO[str],
    width: int | None = None,
    others: str = "-o FILE, or --csv --table segments",
) -> None:
    """The segments with the most errors, in their order."""
    pieces = in_order(one.pieces)
    lengths = {id(p): size for p, size in zip(one.pieces, one.chosen_words.tolist(), strict=True)}
    worst = sorted(pieces, key=lambda p: -p.edits)[:MAX_SEGMENTS_SHOWN]
    shown_places = {id(piece) for piece in worst if piece.edits} or {id(p) for p in pieces[:3]}
    room = max(12, (width or terminal_width(out)) - 17)
    said = "hypothesis | reference chosen"
    out.write(f"segment  edits  {said if room >= len(said) else 'words'}\n")
    for piece in pieces:
        if id(piece) not in shown_places:
            continue
        number = piece.segment.place + 1
        words = lengths[id(piece)]
        both = f"{one_line(piece.text)} | {one_line(piece.reference)}"
        if len(both) > room:
            half = room // 2 - 2
            both = " | ".join(clip(one_line(s), half) for s in (piece.text, piece.reference))
        out.write(fit(f"{number:>7}  {f'{piece.edits}/{words}':>5}  {both}\n", out))
    if len(pieces) > len(shown_places):
        left = len(pieces) - len(shown_places)
        said = f"{plural(left, 'other segment')}: {others}"
        out.write(wrapped(said, width or terminal_width(out)) + "\n")


def certainty(one: Resegmentation) -> str:
    """How many boundaries are certain, and where the first others could be as well."""
    a = one.ambiguity
    if not len(a):
        return "no boundary to find: every document has one segment"
    verb = "is" if a.certain == 1 else "are"
    said = f"{a.certain} of {plural(len(a), 'boundary', 'boundaries')} {verb} certain"
    open_ones = [(piece, places) for piece, places in one.boundary_places() if len(places) > 1]
    for number, (piece, places) in enumerate(open_ones[:2]):
        others = [place for place in places if place != piece.last_token]
        several = len(one.pairs) > 1
        which = f"{piece.number} of {piece.document}" if several else piece.segment.place + 1
        said += f"{';' if number == 0 else ','} boundary {which} "
        said += f"could equally well be after {positions(others)}"
    if len(open_ones) > 2:
        said += f"; {len(open_ones) - 2} more"
    low, high = a.as_wer
    if low == low and round(100 * low, 2) != round(100 * high, 2):
        said += f"\nAS-WER over all optima: {100 * low:.2f} to {100 * high:.2f}"
    return said


def positions(places: list[int]) -> str:
    """Return positions as runs: "word 15", "words 6 to 8", "words 5 to 8 or 12".

    >>> positions([15]), positions([6, 7, 8]), positions([5, 6, 7, 8, 12])
    ('word 15', 'words 6 to 8', 'words 5 to 8 or 12')
    """
    runs: list[list[int]] = []
    for place in places:
        if runs and place == runs[-1][-1] + 1:
            runs[-1].append(place)
        else:
            runs.append([place])
    # Two in a row are read more easily as two.
    said = [
        f"{run[0]} to {run[-1]}" if len(run) > 2 else " or ".join(map(str, run)) for run in runs
    ]
    listed = ", ".join(said[:-1]) + (" or " if len(said) > 1 else "") + said[-1]
    return f"{'word' if len(places) == 1 else 'words'} {listed}"
