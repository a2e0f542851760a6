"""Levels of a hierarchical segmentation: boundary types in an order, the coarsest first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from fencepost.model.checks import Ints, SegmentationError
from fencepost.wording import listed

if TYPE_CHECKING:
    from fencepost.model.corpus import Corpus
    from fencepost.model.segmentation import Segmentation

MAX_LEVELS_SHOWN = 8  # in the data line
MAX_RUNGS = 6  # heights of boundaries that are drawn; all finer levels share the last
Order = str | Sequence[str] | None  # of types, from the finest to the coarsest: "section<chapter"


def levels_of(
    names: Sequence[str] | None,
    types: Order = None,
    whose: str = "",
    find: Callable[[str], str] | None = None,
) -> tuple[str, ...]:
    """Return boundary types as levels, the coarsest first.

    Whole numbers are levels by their values, and 1 is the coarsest. Other names need an order:
    ``types`` lists them from the finest to the coarsest, as ``--types`` does. Levels that are
    declared and not in ``names`` count too. ``whose`` is said first in errors, and ``find`` returns
    where the first boundary of a type is.

    >>> levels_of(("3", "1", "2")), levels_of(("chapter", "section"), "section<chapter")
    (('1', '2', '3'), ('chapter', 'section'))
    """
    start = f"{whose}: " if whose else ""
    if names is None:
        raise SegmentationError(
            f"{start}boundaries without types have no levels; levels are boundary types such as 1 "
            "(the coarsest), 2, 3"
        )
    if types is not None:
        order = types.split("<") if isinstance(types, str) else list(types)
        order = [name.strip() for name in order]
        unknown = [name for name in names if name not in order]
        if unknown:
            raise SegmentationError(
                f"{start}the boundary type {unknown[0]!r} is not in types "
                f"{'<'.join(order)}{_found(find, unknown[0])}: give all levels "
                f"({listed(names, 8)}) from the finest to the coarsest"
            )
        return tuple(reversed(order))
    odd = next((name for name in names if not is_level(name)), None)
    if odd is not None:
        raise SegmentationError(
            f"{start}the boundary type {odd!r} is no level{_found(find, odd)}: levels are whole "
            "numbers, 1 the coarsest, or names in a declared order: --types "
            f'"FINEST<...<COARSEST" (types= in Python) of {" ".join(names)}'
        )
    return tuple(sorted(names, key=int))


def said_order(names: Sequence[str], types: Order = None) -> str:
    """Return the order of boundary types that numbers depend on, for a line about the data.

    >>> said_order(["2", "1"]), said_order(["0.5", "-1"])
    ('levels from coarse to fine 1, 2', 'boundary types by their numbers -1, 0.5')
    """
    if types is None and not all(map(is_level, names)):
        return f"boundary types by their numbers {_both_ends(sorted(names, key=float))}"
    return f"levels from coarse to fine {_both_ends(levels_of(names, types))}"


def _both_ends(names: Sequence[str]) -> str:
    """Return names with commas; of many the first ones and the last."""
    if len(names) > MAX_LEVELS_SHOWN:
        names = [*names[: MAX_LEVELS_SHOWN - 2], "...", names[-1]]
    return ", ".join(names)


def _found(find: Callable[[str], str] | None, name: str) -> str:
    """Return where a boundary of this type is, in brackets; nothing where there is none."""
    place = find(name) if find else ""
    return f" ({place})" if place else ""


def common_levels(corpora: Sequence[Corpus], types: Order = None) -> list[str]:
    """Return the levels of several corpora, the coarsest first; each may lack some."""
    found = [name for corpus in corpora for name in corpus.levels(types)]
    return list(levels_of(list(dict.fromkeys(found)), types))


def is_level(name: str) -> bool:
    """Tell whether a boundary type is a whole number from 1 up, as levels are."""
    return name.isascii() and name.isdigit() and name[0] != "0" and len(name) < 10


def find_level(level: Any, levels: Sequence[str], whose: str = "") -> int:
    """Return the place of a level among ``levels``; SegmentationError if it is not there."""
    name = str(level)
    if isinstance(level, bool) or name not in levels:
        start = f"{whose}: " if whose else ""
        raise SegmentationError(
            f"{start}no level {level!r}; the levels are {listed(levels, 12)}, from the coarsest to "
            "the finest"
        )
    return levels.index(name)


def is_kept(
    kinds: npt.NDArray[np.integer[Any]], names: Sequence[str], levels: Sequence[str], last: int
) -> npt.NDArray[np.bool_]:
    """Tell which boundaries are of this level or a coarser one; kinds count from 0 into names."""
    coarse: Ints = np.array([levels.index(name) <= last for name in names], dtype=bool)
    return np.asarray(coarse[kinds], dtype=bool)


@dataclass(frozen=True)
class Ladder:
    """Levels as they are drawn: the coarser a level, the taller its boundaries.

    A boundary of a level is one of all finer levels, so a drawing has a row (a rung) per level
    and every boundary reaches from the last rung, the finest, up to that of its own level.
    """

    levels: tuple[str, ...]  # the coarsest first

    @classmethod
    def of(cls, segs: Sequence[Segmentation], types: Order = None) -> Ladder | None:
        """Return the levels that boundaries of these have; None where types are no levels.

        Types are levels where all of them are whole numbers, or ``types`` orders them, and where
        no position has several.
        """
        names = list(dict.fromkeys(name for seg in segs for name in seg.kind_names or ()))
        known = types.split("<") if isinstance(types, str) else types
        known = names if known is None else [name.strip() for name in known]
        if not names or not set(names) <= set(known):
            return None
        if types is None and not all(map(is_level, names)):
            return None
        if any(seg.kinds is None or not np.diff(seg.cuts).all() for seg in segs):
            return None
        used = {name for seg in segs for name in _inner_types(seg)}
        order = levels_of(names, types)
        return cls(tuple(name for name in order if name in used) or order[:1])

    @property
    def rungs(self) -> tuple[str, ...]:
        """The names of the rungs from the top; the last may hold several levels."""
        if len(self.levels) <= MAX_RUNGS:
            return self.levels
        first, last = self.levels[MAX_RUNGS - 1], self.levels[-1]
        return (*self.levels[: MAX_RUNGS - 1], f"{first} to {last}")

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the rungs as they stand beside units, which have numbers too."""
        return tuple(f"level {name}" if is_level(name[:1]) else name for name in self.rungs)

    def thickness(self, rung: int) -> float:
        """Return how thick a boundary is that reaches up to a rung: 1 the finest, 3.5 the top."""
        last = len(self.rungs) - 1
        return 1 + 2.5 * (last - rung) / max(1, last)

    def rung_of(self, name: str) -> int:
        """Return the rung that boundaries of this type reach up to, 0 the top."""
        last = len(self.rungs) - 1
        return min(self.levels.index(name), last) if name in self.levels else last

    def reached(self, seg: Segmentation) -> dict[int, int]:
        """Return the rung of every boundary before the end of the text, by position."""
        return {place: self.rung_of(name) for place, name in seg.named_cuts if place < seg.units}

    @property
    def legend(self) -> str:
        """What the heights mean, in words."""
        if len(self.levels) == 1:
            return f"all boundaries are of level {self.levels[0]}"
        return f"the taller a line, the coarser its level: {listed(self.levels, MAX_RUNGS)}"


def _inner_types(seg: Segmentation) -> set[str]:
    """Return the types that boundaries before the end of the text have."""
    assert seg.kinds is not None and seg.kind_names is not None  # noqa: PT018
    return {seg.kind_names[n - 1] for n in np.unique(seg.kinds[seg.cuts < seg.units]).tolist()}
