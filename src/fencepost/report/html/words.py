"""The page of ``fencepost resegment``: words of a stream against those of the references."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fencepost.report.html.page import Lines, Page, Section, Sheet
from fencepost.report.html.safe import safe, script_json
from fencepost.report.html.views import (
    ROOM,
    Text,
    edit_recipe,
    make_views,
    ribbon_recipe,
)
from fencepost.streams.resegmentation import Resegmentation

LETTERS = {"match": "M", "substitution": "S", "insertion": "I", "deletion": "D"}
DRAWN = 12  # segments for readers without JavaScript


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
    room: int = ROOM,
) -> Page:
    """A page of what :func:`fencepost.resegment` found; ``scores`` has a line a measure."""
    columns = ["", *systems]
    data, left = _segments(systems, ambiguity, room * 2 // 3)
    sections = [
        Section("summary", "Summary", [
            Sheet("scores", columns, scores, plain=True),
            Lines([*(_said(certainty, systems)), *signatures]),
        ]),
        Section("by-word", "Word by word", [Alignments(_drawn(data))],
                "The reference chosen above, the hypothesis below it, as they were compared: "
                "substituted words are underlined, + stands above inserted words, − below "
                "deleted ones."),
    ]  # fmt: skip
    open_ends = _ambiguous(systems) if ambiguity else None
    if open_ends is not None and open_ends.rows:
        title = "Boundaries that may stand elsewhere"
        sections.append(Section("boundaries", title, [open_ends]))
    sections.append(Section("every-segment", "Every segment", [_table(systems)]))
    texts = _own_boundaries(systems)
    views = None
    if texts:
        views = make_views(texts, edit_recipe([]), ribbon_recipe([]), unit="word", room=room // 3)
        intro = "The hypothesis' own boundaries against those that the references ask for."
        sections.insert(2, Section("texts", "Own boundaries", [views], intro))
    if left:
        notes = [*notes, f"{left} segments with the fewest errors do not fit on this page; all of "
                 "them: -o FILE, or --csv --table segments"]  # fmt: skip
    return Page(
        f"{', '.join(systems)}, re-segmented", lead, sections, command,
        None if views is None else views.inside, words=data, notes=notes,
        rest=[] if views is None else views.rest,
    )  # fmt: skip


def _said(certainty: Mapping[str, str] | None, systems: Mapping[str, Any]) -> list[str]:
    said = certainty or {}
    several = len(systems) > 1
    return [f"{name}: {line}" if several else line for name, text in said.items()
            for line in text.splitlines()]  # fmt: skip


def _segments(
    systems: Mapping[str, Resegmentation], ambiguity: bool, room: int
) -> tuple[dict[str, Any], int]:
    """Every segment with its words; the worst of each system where there is no room for all."""
    data: list[dict[str, Any]] = []
    left = 0
    for name, one in systems.items():
        open_ends = _open_ends(one) if ambiguity else {}
        made = [_segment(one, i, open_ends.get(i, "")) for i in range(len(one.pieces))]
        sizes = [len(script_json(own).encode("utf-8")) + 1 for own in made]
        budget = room // len(systems)
        if sum(sizes) > budget:
            worst = sorted(range(len(made)), key=lambda i: (-made[i]["e"], i))
            kept = []
            for i in worst:
                budget -= sizes[i]
                if budget < 0:
                    break
                kept.append(i)
            left += len(made) - len(kept)
            made = [made[i] for i in sorted(kept)]
        data.append({"name": safe(name), "segments": made})
    return {"systems": data}, left


def _segment(one: Resegmentation, i: int, open_end: str) -> dict[str, Any]:
    piece = one.pieces[i]
    reference = one.reference_tokens[i][piece.chosen - 1] or []
    of = f" of {piece.document}" if len(one.pairs) > 1 else ""
    several = len(piece.segment.references) > 1
    which = f", reference {piece.chosen}" if several else ""
    errors = f"{piece.edits} {'error' if piece.edits == 1 else 'errors'}"
    where = f"segment {piece.segment.place + 1}{of}{which}: {errors} in {len(reference)} words"
    return {
        "i": piece.segment.place,
        "w": safe(where),
        "e": piece.edits,
        "o": "".join(LETTERS[what] for what, _, _ in one.operations[i]),
        "r": [safe(word) for word in reference],
        "h": [safe(word) for word in one.words[i]],
        "a": safe(open_end),
    }


def _inner(one: Resegmentation) -> list[int]:
    """The segments that another one of the document follows, by number."""
    last = {p.document.id: len(p.document.segments) for p in one.pairs}
    return [i for i, piece in enumerate(one.pieces) if piece.number < last[piece.document]]


def _open_ends(one: Resegmentation) -> dict[int, str]:
    said = {}
    for i, places in zip(_inner(one), one.ambiguity.places, strict=True):
        if len(places) > 1:
            own = ", ".join(map(str, places.tolist()[:12])) + (" …" if len(places) > 12 else "")
            now = one.pieces[i].last_token
            said[i] = f"its end is ambiguous: after word {own} (now {now})"
    return said


def _drawn(data: Mapping[str, Any]) -> list[Drawn]:
    first = data["systems"][0]["segments"]
    worst = sorted(first, key=lambda own: (-own["e"], own["i"]))[:DRAWN]
    made = []
    for own in worst:
        ref, hyp = iter(own["r"]), iter(own["h"])
        steps = [
            (what, "" if what == "I" else next(ref), "" if what == "D" else next(hyp))
            for what in own["o"]
        ]
        made.append(Drawn(own["w"], steps))
    return made


def _ambiguous(systems: Mapping[str, Resegmentation]) -> Sheet:
    rows = []
    for name, one in systems.items():
        for i, places in zip(_inner(one), one.ambiguity.places, strict=True):
            if len(places) > 1:
                piece = one.pieces[i]
                said = " ".join(map(str, places.tolist()[:40])) + (" …" if len(places) > 40 else "")
                rows.append([name, piece.document or "", piece.segment.place + 1,
                             piece.last_token, said, len(places)])  # fmt: skip
    columns = ["system", "document", "after segment", "now after word", "may stand after", "places"]
    return Sheet("ambiguity", columns, _of(systems, rows)).without_empty_columns()


def _of(systems: Mapping[str, Any], rows: Sequence[list[Any]]) -> list[list[Any]]:
    """The first rows; the system is not said where there is one only."""
    return [row if len(systems) > 1 else ["", *row[1:]] for row in rows[:5000]]


def _table(systems: Mapping[str, Resegmentation]) -> Sheet:
    pieces = [(name, piece) for name, one in systems.items() for piece in one.pieces]
    pieces.sort(key=lambda own: -own[1].edits)
    rows = [
        [name, piece.document or "", piece.segment.place + 1, piece.edits, piece.substitutions,
         piece.insertions, piece.deletions, piece.text, piece.reference]
        for name, piece in pieces
    ]  # fmt: skip
    columns = ["system", "document", "segment", "errors", "substituted", "inserted", "deleted",
               "hypothesis", "reference chosen"]  # fmt: skip
    caption = "" if len(rows) <= 5000 else f"the worst 5000 of {len(rows)} segments"
    return Sheet("segments", columns, _of(systems, rows), caption=caption).without_empty_columns()


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
