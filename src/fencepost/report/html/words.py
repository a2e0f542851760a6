"""The page of ``fencepost resegment``: words of a stream against those of the references."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from fencepost.report.html.page import Lines, Page, Section, Sheet, count_fitting
from fencepost.report.html.safe import safe, script_json
from fencepost.report.html.views import (
    MAX_TEXTS_BYTES,
    Text,
    edit_recipe,
    make_views,
    ribbon_recipe,
)
from fencepost.streams.documents import Piece
from fencepost.streams.resegmentation import Resegmentation

LETTERS = {"match": "M", "substitution": "S", "insertion": "I", "deletion": "D"}
MAX_STATIC_SEGMENTS = 12  # segments for readers without JavaScript
MAX_STATIC_BYTES = 24_000  # of those
STEP_BYTES = 170  # of a word above a word, beside the words
CONTEXT_WORDS = 3  # shown on both sides of where a boundary could be
MAX_LISTED = 40  # positions of one boundary


@dataclass(frozen=True)
class Drawn:
    """One segment without script: (letter, reference word, word) for each step."""

    where: str
    steps: Sequence[tuple[str, str, str]]


@dataclass(frozen=True)
class Alignments:
    """Where the view of word alignments stands, and what is there without script."""

    drawn: Sequence[Drawn]


def resegment_page(
    systems: Mapping[str, Resegmentation],
    scores: Sequence[Sequence[str]],
    *,
    lead: str = "",
    certainty: Mapping[str, str] | None = None,
    ambiguity: bool = True,
    signatures: Sequence[str] = (),
    command: str = "",
    notes: Sequence[str] = (),
    more: Sequence[Section] = (),
    room: int = MAX_TEXTS_BYTES,
) -> Page:
    """Return a page of what :func:`fencepost.resegment` found.

    ``scores`` has one line per metric; ``more`` are sections that follow the summary: differences
    between systems, documents one by one.
    """
    columns = ["", *systems]
    data, rest = _segments(systems, ambiguity, room * 2 // 3)
    sections = [
        Section("summary", "Summary", [
            Sheet("scores", columns, [*scores, *_counts(systems)], plain=True),
            Lines([*(_said(certainty, systems)), *signatures]),
        ]),
        *more,
        Section("by-word", "Word by word", [Alignments(_drawn(data))],
                "The reference chosen above, the hypothesis below it, as they were compared: "
                "substituted words are underlined, + is above inserted words, − below "
                "deleted ones."),
    ]  # fmt: skip
    open_ends = _ambiguous(systems) if ambiguity else None
    if open_ends is not None and open_ends.rows:
        title = "Boundaries that could be elsewhere"
        sections.append(Section("boundaries", title, [open_ends]))
    sections.append(Section("every-segment", "Every segment", [_table(systems)]))
    texts = _own_boundaries(systems)
    views = None
    if texts:
        views = make_views(texts, edit_recipe([]), ribbon_recipe([]), unit="word", room=room // 3)
        intro = "The hypothesis' own boundaries against those that the references ask for."
        sections.insert(2 + len(more), Section("texts", "Own boundaries", [views], intro))
    page = Page(
        f"{', '.join(systems)}, re-segmented", lead, sections, command,
        None if views is None else views.inside, words=data, notes=notes,
        rest=[] if views is None else views.rest, rest_words=rest,
    )  # fmt: skip
    if not page.beside:
        return page
    note = (
        f"{page.beside} with the fewest errors do not fit on this page; a file beside it has them"
    )
    return replace(page, notes=[*notes, note])


def _counts(systems: Mapping[str, Resegmentation]) -> list[list[str]]:
    """What AS-WER is made of."""
    own = systems.values()
    return [
        ["edits", *(str(one.edits) for one in own)],
        ["words of the references chosen", *(str(one.reference_words) for one in own)],
    ]


def _said(certainty: Mapping[str, str] | None, systems: Mapping[str, Any]) -> list[str]:
    said = certainty or {}
    several = len(systems) > 1
    return [f"{name}: {line}" if several else line for name, text in said.items()
            for line in text.splitlines()]  # fmt: skip


def _segments(
    systems: Mapping[str, Resegmentation], ambiguity: bool, room: int
) -> tuple[dict[str, Any], list[str]]:
    """Every segment with its words: the worst of each system for the page, the others beside it."""
    data: list[dict[str, Any]] = []
    rest: list[str] = []
    for number, (name, one) in enumerate(systems.items()):
        open_ends = _open_ends(one) if ambiguity else {}
        made = [_segment(one, i, open_ends) for i in range(len(one.pieces))]
        budget = room // len(systems)
        kept = set()
        for i in sorted(range(len(made)), key=lambda i: (-made[i]["e"], i)):
            budget -= len(script_json(made[i]).encode("utf-8")) + 1
            if budget < 0:
                break
            kept.add(i)
        rest += [script_json({**own, "s": number}) for i, own in enumerate(made) if i not in kept]
        inside = [own for i, own in enumerate(made) if i in kept]
        data.append({"name": safe(name), "segments": inside})
    return {"systems": data}, rest


def _segment(one: Resegmentation, i: int, open_ends: Mapping[int, str]) -> dict[str, Any]:
    piece = one.pieces[i]
    reference = one.chosen_reference(i)
    of = f" of {piece.document}" if len(one.pairs) > 1 else ""
    several = len(piece.segment.references) > 1
    which = f", reference {piece.chosen}" if several else ""
    errors = f"{piece.edits} {'error' if piece.edits == 1 else 'errors'}"
    where = f"segment {piece.segment.place + 1}{of}{which}: {errors} in {len(reference)} words"
    return {
        "i": piece.segment.place,
        "w": safe(where),
        "e": piece.edits,
        "o": "".join(LETTERS[what] for what, _, _ in one.operations(i)),
        "r": [safe(word) for word in reference],
        "h": [safe(word) for word in one.words[i]],
        "a": safe(open_ends.get(piece.segment.place, "")),
    }


def _open_ends(one: Resegmentation) -> dict[int, str]:
    """What is said of segments whose end could be elsewhere, by their place in the references."""
    return {
        piece.segment.place: f"its end is ambiguous (│ now, ┆ just as good): {where}"
        for piece, _, where in _open_boundaries(one)
    }


def _open_boundaries(one: Resegmentation) -> Iterator[tuple[Piece, list[int], str]]:
    """Segments whose end could be elsewhere, all its positions, and the words around them."""
    words = {pair.document.id: one.tokens.words(d) for d, pair in enumerate(one.pairs)}
    for piece, places in one.boundary_places():
        if len(places) > 1:
            yield piece, places, _where(words[piece.document], places, piece.last_token)


def _drawn(data: Mapping[str, Any]) -> list[Drawn]:
    """The segments with the most errors, as many as there is room for."""
    first = data["systems"][0]["segments"]
    worst = sorted(first, key=lambda own: (-own["e"], own["i"]))[:MAX_STATIC_SEGMENTS]
    sizes = (
        STEP_BYTES * len(own["o"]) + sum(len(w.encode("utf-8")) for w in (*own["r"], *own["h"]))
        for own in worst
    )
    made: list[Drawn] = []
    for own in worst[: count_fitting(sizes, MAX_STATIC_BYTES)]:
        ref, hyp = iter(own["r"]), iter(own["h"])
        steps = [
            (what, "" if what == "I" else next(ref), "" if what == "D" else next(hyp))
            for what in own["o"]
        ]
        made.append(Drawn(own["w"], steps))
    return made


def _ambiguous(systems: Mapping[str, Resegmentation]) -> Sheet:
    rows = [
        [name, piece.document or "", piece.segment.place + 1, where, piece.last_token,
         _first_positions(places), len(places)]
        for name, one in systems.items()
        for piece, places, where in _open_boundaries(one)
    ]  # fmt: skip
    columns = ["system", "document", "after segment", "now │, as good ┆", "now after word",
               "as good after word", "positions"]  # fmt: skip
    return Sheet(
        "ambiguity", columns, _of(systems, rows), whole="--csv --table ambiguity"
    ).without_empty_columns()


def _first_positions(places: Sequence[int]) -> str:
    return " ".join(map(str, places[:MAX_LISTED])) + (" …" if len(places) > MAX_LISTED else "")


def _where(words: Sequence[str], places: Sequence[int], now: int) -> str:
    """The words around a boundary: │ where it is, ┆ where it would be as good."""
    some = sorted({*places[:MAX_LISTED], now})
    start, end = max(0, some[0] - CONTEXT_WORDS), min(len(words), some[-1] + CONTEXT_WORDS)
    said = ["…"] if start else []
    for place in range(start, end + 1):
        if place in some:
            said.append("│" if place == now else "┆")
        if place < end:
            said.append(words[place])
    return " ".join([*said, *(["…"] if end < len(words) else [])])


def _of(systems: Mapping[str, Any], rows: Sequence[list[Any]]) -> list[list[Any]]:
    """The system is not said where there is one only."""
    return [row if len(systems) > 1 else ["", *row[1:]] for row in rows]


def _table(systems: Mapping[str, Resegmentation]) -> Sheet:
    pieces = [(name, piece) for name, one in systems.items() for piece in one.pieces]
    pieces.sort(key=lambda own: -own[1].edits)
    rows = [
        [name, piece.document or "", piece.segment.place + 1, piece.edits, piece.text,
         piece.reference, piece.substitutions, piece.insertions, piece.deletions]
        for name, piece in pieces
    ]  # fmt: skip
    # Sentences before details: on a phone the first columns are what is seen.
    columns = ["system", "document", "segment", "errors", "hypothesis", "reference chosen",
               "substituted", "inserted", "deleted"]  # fmt: skip
    made = Sheet("segments", columns, _of(systems, rows), whole="--csv --table segments")
    made = made.without_empty_columns()
    if not rows:
        return made
    return replace(made, sorts={None: (list(made.columns).index("errors"), False)})


def _own_boundaries(systems: Mapping[str, Resegmentation]) -> list[Text]:
    texts = []
    for name, one in systems.items():
        if one.has_breaks:
            found, own = one.segmentations()
            for key, seg in found.entries.items():
                stream = name if len(systems) > 1 else ""
                lanes = [("references", seg), (name, own.entries[key])]
                words = found.tokens[key.text, ""]
                texts.append(Text(key.text, stream, lanes, [(0, 1)], words))
    return texts
