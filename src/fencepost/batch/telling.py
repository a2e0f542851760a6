"""Whether lists tell what they are; where they do not, signatures name their encoding.

The rule is that of a single file (``formats.values.said_encoding``), which sees a whole column. A
batch counts what the rule looks at; counts of batches add up, and a function of them decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from fencepost.batch.plan import Plan
from fencepost.model.checks import Ints

MIN_REPEATED = 4  # sizes such as 1 1 2 2 that look like numbers of segments, one per unit
MIN_RISING = 6  # and sizes such as 1 2 3, which may well be sizes


class Telling(NamedTuple):
    """What a column shows of its encoding, in counts that add up."""

    telling: int = 0  # texts that tell; one is enough, so that a batch may count no more
    values: int = 0
    repeated: int = 0  # texts in which two neighbours are the same

    def plus(self, other: Sequence[int]) -> Telling:
        """Return the counts of both."""
        return Telling(*(a + b for a, b in zip(self, other, strict=True)))


def telling_of_sizes(sizes: Any, offsets: Ints) -> Telling:
    """Count the texts whose sizes cannot be the numbers of their segments, one per unit."""
    if not len(sizes):
        return Telling()
    starts, ends = sizes[offsets[:-1]], sizes[offsets[1:] - 1]
    if starts[0] > 1 or ends[0] <= starts[0]:  # so it is in most columns
        return Telling(1, len(sizes))
    steps = np.diff(sizes)
    inner = np.ones(len(steps), dtype=bool)
    inner[offsets[1:-1] - 1] = False  # from the last size of a text to the first of the next
    odd = np.flatnonzero(inner & ((steps < 0) | (steps > 1)))
    same = np.flatnonzero(inner & (steps == 0))
    tells = (starts > 1) | (ends <= starts)
    tells[_rows_of(offsets, odd)] = True
    return Telling(int(tells.sum()), len(sizes), len(np.unique(_rows_of(offsets, same))))


def telling_of_marks(marks: Any) -> Telling:
    """Look for a 0: ones alone could be the sizes of segments."""
    return Telling(int(len(marks) > 0 and not marks.all()), len(marks))


def _rows_of(offsets: Ints, values: Ints) -> Ints:
    return np.searchsorted(offsets, values, side="right") - 1


def is_named(plan: Plan, column: Telling) -> bool:
    """Return whether the signature names the encoding because of this column."""
    if plan.encoding in ("positions", "spans") or plan.is_unknown:
        return plan.is_unknown
    if plan.encoding == "masses":
        least = MIN_REPEATED if column.repeated else MIN_RISING
        return plan.units is None and not column.telling and column.values >= least
    return not column.telling and column.values > 0
