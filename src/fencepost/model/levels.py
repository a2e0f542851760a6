"""Levels of a hierarchical segmentation: boundary types in an order, the coarsest first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from fencepost.model.checks import Ints, SegmentationError
from fencepost.wording import listed

if TYPE_CHECKING:
    from fencepost.model.corpus import Corpus

Order = str | Sequence[str] | None  # of types, from the finest to the coarsest: "section<chapter"


def levels_of(names: Sequence[str] | None, types: Order = None, whose: str = "") -> tuple[str, ...]:
    """Return boundary types as levels, the coarsest first.

    Whole numbers are levels by their values, and 1 is the coarsest. Other names need an order:
    ``types`` lists them from the finest to the coarsest, as ``--types`` does. Levels that are
    declared and not in ``names`` count too. ``whose`` is said first in errors.

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
                f"{start}the boundary type {unknown[0]!r} is not in types {'<'.join(order)}: give "
                f"all levels ({listed(names, 8)}) from the finest to the coarsest"
            )
        return tuple(reversed(order))
    odd = next((name for name in names if not is_level(name)), None)
    if odd is not None:
        raise SegmentationError(
            f"{start}the boundary type {odd!r} is no level: levels are whole numbers, 1 the "
            'coarsest, or names in a declared order: --types "FINEST<...<COARSEST" (types= in '
            f"Python) of {' '.join(names)}"
        )
    return tuple(sorted(names, key=int))


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
