"""A drop-in for nltk.metrics.segmentation: windowdiff, pk and ghd with NLTK's arguments.

    from fencepost.compat.nltk import windowdiff, pk, ghd

Every call returns NLTK's number (3.10), its quirks included, or raises. A text is a string, a
list or a tuple of marks, one for each position between two units. Quirks that are kept: a list of
numbers with the default ``boundary="1"`` has no boundary and scores 0.0; a ``k`` of 0 scores 0.0;
``pk`` with a ``k`` above the length of the text is 0 divided by a negative number.

One thing differs: a boundary of several characters in a string raises ValueError, because NLTK
counts it in the first window alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

from fencepost import _core

MAX_GHD_INPUT_LEN = 10_000  # marks of a text; longer ones raise, as in NLTK


def windowdiff(
    seg1: Sequence[Any], seg2: Sequence[Any], k: int, boundary: Any = "1", weighted: bool = False
) -> float:
    """Return the share of windows of ``k`` marks with another number of boundaries.

    With ``weighted`` the difference of the two numbers is added instead of 1.

    >>> windowdiff("000100000010", "000010000100", 3)
    0.3
    """
    if len(seg1) != len(seg2):
        raise ValueError("Segmentations have unequal length")
    if k < 0:
        raise ValueError("Window width k should not be negative")
    if k > len(seg1):
        raise ValueError("Window width k should be smaller or equal than segmentation lengths")
    _check(seg1, seg2, k, boundary)
    if k == 0:  # windows without a mark
        return 0.0
    differing = _core.windows_of_marks(seg1, seg2, boundary, k, False, bool(weighted))
    return differing / (len(seg1) - k + 1.0)


def pk(ref: Sequence[Any], hyp: Sequence[Any], k: int | None = None, boundary: Any = "1") -> float:
    """Return the share of windows of ``k`` marks in which only one side has a boundary.

    Without ``k``, it is half of the marks for each boundary of ``ref``, a half rounded to even.

    >>> pk("000001001000", "000100010000")
    0.4
    """
    if len(ref) != len(hyp):
        raise ValueError("Segmentations have unequal length")
    if k is None:
        k = round(len(ref) / (max(ref.count(boundary), 1) * 2.0))
    if k < 0:
        raise ValueError("Window width k should not be negative")
    _check(ref, hyp, k, boundary)
    if not 0 < k <= len(ref):  # windows without a mark, or none
        return 0 / (len(ref) - k + 1.0)
    return _core.windows_of_marks(ref, hyp, boundary, k, True, False) / (len(ref) - k + 1.0)


def ghd(
    ref: Sequence[Any],
    hyp: Sequence[Any],
    ins_cost: float = 2.0,
    del_cost: float = 2.0,
    shift_cost_coeff: float = 1.0,
    boundary: Any = "1",
) -> float:
    """Return the generalized Hamming distance: the cost of turning ``hyp`` into ``ref``.

    >>> ghd("1100100000", "1100010000", 1.0, 1.0, 0.5)
    0.5
    """
    if len(ref) > MAX_GHD_INPUT_LEN or len(hyp) > MAX_GHD_INPUT_LEN:
        raise ValueError(
            f"Segmentation longer than {MAX_GHD_INPUT_LEN} is rejected: NLTK's limit. Use "
            "fencepost.generalized_hamming for long texts"
        )
    of_ref, of_hyp = _core.marks_of(ref, boundary), _core.marks_of(hyp, boundary)
    if not of_ref and not of_hyp:
        return 0.0
    if not of_hyp:
        return len(of_ref) * ins_cost
    if not of_ref:
        return len(of_hyp) * del_cost
    return _core.shift_distance(of_ref, of_hyp, ins_cost, del_cost, shift_cost_coeff)


def _check(seg1: Sequence[Any], seg2: Sequence[Any], k: int, boundary: Any) -> None:
    """Raise what NLTK raises, and for a boundary that it counts in some windows only."""
    index(k)  # TypeError where a slice has one
    for one in (seg1, seg2):
        if isinstance(one, str) and isinstance(boundary, str) and len(boundary) != 1:
            raise ValueError(f"the boundary of a string is one character, found {boundary!r}")
        if not isinstance(one, (list, tuple)):
            one[:k].count(boundary)  # raises
        if not isinstance(one, (str, list, tuple)):
            raise TypeError(
                f"a segmentation is a string, a list or a tuple, found {type(one).__name__}"
            )
