"""Which boundaries of a text are set at which threshold: the order in which they are added."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from fencepost import _core
from fencepost.model.checks import Ints

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Steps:
    """The boundaries of many texts by falling probability, and the steps at which they are added.

    Row i adds ``order[offsets[i]:offsets[i + 1]]``, and has the steps ``bounds[i]`` to
    ``bounds[i + 1]``: ``ends`` has how many boundaries are set at a step, ``keys`` where it is on
    the scale that all rows share. Keys rise; the first of each row is -inf, without boundaries.
    """

    offsets: Ints
    order: Ints
    bounds: Ints
    ends: Ints
    keys: Floats

    @classmethod
    def by_threshold(cls, weights: Floats, offsets: Ints) -> Steps:
        """Return one step for each distinct probability of a row; its key is -probability."""
        order, rows, falling = _falling(weights, offsets)
        last = np.ones(len(falling), dtype=bool)
        last[:-1] = (falling[1:] != falling[:-1]) | (rows[1:] != rows[:-1])
        return cls._of(offsets, order, rows, np.flatnonzero(last), -falling[last])

    @classmethod
    def by_number(cls, weights: Floats, offsets: Ints, per: int, sizes: Ints) -> Steps:
        """Return one step for each boundary, the most probable first, the left-most of equals.

        Keys are numbers of boundaries per ``per`` units; ``sizes`` are the units of rows. The key
        of a step is where half of its last boundary is reached, so that numbers round half up.
        """
        order, rows, falling = _falling(weights, offsets)
        number = np.arange(len(falling)) - offsets[:-1][rows]
        # The product is exact, so a key is rounded once: as a decimal number is when it is read.
        keys = (number + 0.5) * per / sizes[rows]
        return cls._of(offsets, order, rows, np.arange(len(falling)), keys)

    @classmethod
    def _of(cls, offsets: Ints, order: Ints, rows: Ints, last: Ints, keys: Floats) -> Steps:
        """``last`` has the place of each step's last boundary among all of them."""
        row = rows[last]
        bounds = np.zeros(len(offsets), dtype=np.int64)
        np.cumsum(np.bincount(row, minlength=len(offsets) - 1) + 1, out=bounds[1:])
        at = np.arange(len(last)) + row + 1
        ends = np.zeros(int(bounds[-1]), dtype=np.int64)
        ends[at] = last + 1 - offsets[:-1][row]
        all_keys = np.full(len(ends), -np.inf)
        all_keys[at] = keys
        return cls(np.ascontiguousarray(offsets), order, bounds, ends, all_keys)

    def __len__(self) -> int:
        return len(self.ends)

    @property
    def columns(self) -> tuple[Ints, Ints, Ints, Ints]:
        """What kernels read."""
        return self.offsets, self.order, self.bounds, self.ends

    @cached_property
    def rows(self) -> Ints:
        """The row of each step."""
        return np.repeat(np.arange(len(self.bounds) - 1), np.diff(self.bounds))

    @cached_property
    def distinct(self) -> Floats:
        """The distinct keys at which a boundary is added, rising."""
        return np.unique(self.keys[np.isfinite(self.keys)])

    @cached_property
    def cut_keys(self) -> Floats:
        """The key at which each boundary is added, in the order of the boundaries."""
        times = np.diff(self.ends, prepend=0)
        times[self.bounds[:-1]] = 0
        added = np.repeat(self.keys, times)
        found = np.empty(len(self.order))
        found[self.order + np.repeat(self.offsets[:-1], np.diff(self.offsets))] = added
        return found


def _falling(weights: Floats, offsets: Ints) -> tuple[Ints, Ints, Floats]:
    """Return the order of each row, the row of each boundary, and the probabilities in order."""
    order = _core.falling_order(np.ascontiguousarray(weights), np.ascontiguousarray(offsets))
    sizes = np.diff(offsets)
    return (
        order,
        np.repeat(np.arange(len(sizes)), sizes),
        weights[order + np.repeat(offsets[:-1], sizes)],
    )
