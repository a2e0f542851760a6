"""What a comparison of two segmentations is made of: edits of boundaries, edges of segments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

What = Literal[
    "match",
    "transposition",
    "substitution",
    "addition",
    "move",
    "move+substitution",
    "deletion",
    "insertion",
]
Label = Literal["match", "shift", "split", "merge", "mixed"]


@dataclass(frozen=True, slots=True)
class Edit:
    """One step of a boundary edit distance between a reference and a hypothesis.

    ``ref`` and ``hyp`` are the positions of the boundary on each side, None where a side has none.
    """

    what: What
    ref: int | None
    hyp: int | None
    cost: float
    ref_kind: str | None = None
    hyp_kind: str | None = None

    @property
    def side(self) -> Literal["ref", "hyp"] | None:
        """Which side alone has the boundary: "ref" (it is missing) or "hyp" (it is extra)."""
        if self.hyp is None:
            return "ref"
        return "hyp" if self.ref is None else None

    @property
    def start(self) -> int:
        """The left-most of the two positions."""
        return min(p for p in (self.ref, self.hyp) if p is not None)

    @property
    def end(self) -> int:
        """The right-most of the two positions."""
        return max(p for p in (self.ref, self.hyp) if p is not None)

    @property
    def kind(self) -> str | None:
        """The type of the boundary; a substitution has the reference's type."""
        return self.ref_kind if self.ref_kind is not None else self.hyp_kind


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge of a segment alignment: two segments, as numbers from 0 and as [start, end)."""

    ref: int
    hyp: int
    ref_span: tuple[int, int]
    hyp_span: tuple[int, int]
    weight: float
    label: Label
