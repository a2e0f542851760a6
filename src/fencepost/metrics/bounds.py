"""What rows of saved counts state of their texts, and what that makes possible for counts.

Bounds hold for texts that are sums of several speakers' parts, too, whose sizes no row has: their
low ends are then 0, and their high ends those of the whole text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from fencepost import _core

Numbers: TypeAlias = npt.NDArray[np.float64]
Bound: TypeAlias = tuple[Any, Any]  # the least and the greatest count of each row
# One number is both ends.
Bounds: TypeAlias = Mapping[str, Any]
# Windows are the units, plus or minus the width, and so many more.
_WINDOWS = {"none": (-1, 0), "lamprier": (1, -2), "segeval": (1, 1)}
SLACK = 1e-9  # of sums of floats; whole numbers are compared exactly up to 2^48


class Stated(NamedTuple):
    """What rows of counts state of their texts."""

    units: Numbers
    cuts: Numbers  # positions with a boundary of the reference; of all annotators unless ``own``
    alone: npt.NDArray[np.bool_]  # texts of one speaker, whose counts are no sums
    own: bool = True  # the boundaries are those of the reference that was compared
    types: int = 0  # boundary types; 0 for none

    def exactly(self, low: Any, high: Any) -> Bound:
        """Return both ends; the low one is 0 for texts of several speakers."""
        return np.where(self.alone, low, 0), high

    @property
    def positions(self) -> Bound:
        """How many positions there are."""
        return self.exactly(self.units - 1, self.units - self.alone)

    def boundaries(self, typed: bool = False) -> Bound:
        """How many boundaries the reference has; ``typed`` if every type of a position counts."""
        several = max(self.types, 1) if typed else 1
        return self.exactly(self.cuts if self.own else 0, several * self.cuts)

    def most_boundaries(self, typed: bool = False) -> Numbers:
        """Return how many boundaries a side has at most."""
        several = max(self.types, 1) if typed else 1
        return several * np.asarray(self.positions[1])

    def windows(
        self, windows: Numbers, k: int | str, pad: str = "none", window: str = "boundaries"
    ) -> Bound:
        """How many windows there are.

        The width for a whole corpus is that of most texts: it follows from all that were scored,
        which need not be those of the file.
        """
        sign, more = _WINDOWS[pad]
        most = (self.units if pad == "none" else 2 * self.units + more) + 0 * windows
        width: Any = None
        if isinstance(k, int) or (self.own and k != "corpus-half-up"):
            width = self._widths(k, window)
        elif k == "corpus-half-up":
            width = self._common_width(sign * (windows - self.units - more), windows > 0)
        if width is None:
            return 0, most
        exact = np.where(width > 0, self.units + sign * width + more, 0)
        return np.where(self.alone, exact, 0), np.where(self.alone, exact, most)

    def _widths(self, k: int | str, window: str) -> Numbers:
        rule, number = ("", min(k, 2**40)) if isinstance(k, int) else (k, 1)
        units, segments = (
            np.ascontiguousarray(np.minimum(column, 2.0**61).astype(np.int64))
            for column in (self.units, self.cuts + 1)
        )
        found = _core.window_widths(units, segments, rule, number, window == "units")
        return np.asarray(found, dtype=np.float64)

    def _common_width(self, width: Numbers, fitting: npt.NDArray[np.bool_]) -> Numbers | None:
        known = width[self.alone & fitting]
        if not len(known):
            return None
        found, times = np.unique(known, return_counts=True)
        common = found[times.argmax()]
        return np.where(common < self.units, common, 0)


def ends_of(bound: Any, rows: int) -> tuple[Numbers, Numbers]:
    """Return both ends of a bound, one number for each row."""
    low, high = bound if isinstance(bound, tuple) else (bound, bound)
    return tuple(np.broadcast_to(np.asarray(end, dtype=np.float64), rows) for end in (low, high))  # type: ignore[return-value]


def outside(numbers: Numbers, low: Numbers, high: Numbers) -> npt.NDArray[np.bool_]:
    """Return which numbers are beyond their ends, by more than sums of floats can be."""
    size = np.abs(numbers)
    slack = np.minimum(SLACK * (1 + size), np.maximum(0.25, size * 2.0**-50))
    return ~((numbers >= low - slack) & (numbers <= high + slack))
