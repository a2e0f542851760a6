"""A drop-in for nltk.metrics.segmentation: windowdiff, pk and ghd with NLTK's arguments.

    from fencepost.compat.nltk import windowdiff, pk, ghd

Every call returns NLTK's number (3.10), its quirks included, or raises. A text is a string, a
list or a tuple of marks, one for each position between two units. Quirks that are kept: a list of
numbers with the default ``boundary="1"`` has no boundary and scores 0.0; a ``k`` of 0 scores 0.0;
``pk`` with a ``k`` above the length of the text is 0 divided by a negative number; a boundary of
several characters in a string is counted in the first window alone.
"""

from __future__ import annotations

from collections.abc import Sequence
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
    found = _core.windows_of_marks(seg1, seg2, boundary, k, False, weighted)
    if found is not None:
        return found / (len(seg1) - k + 1.0)
    if len(seg1) != len(seg2):
        raise ValueError("Segmentations have unequal length")
    if k < 0:
        raise ValueError("Window width k should not be negative")
    if k > len(seg1):
        raise ValueError("Window width k should be smaller or equal than segmentation lengths")
    both = zip(_counts(seg1, k, boundary), _counts(seg2, k, boundary), strict=True)
    differences = (abs(one - other) for one, other in both)
    differing = sum(differences) if weighted else sum(map(bool, differences))
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
    differing = _core.windows_of_marks(ref, hyp, boundary, k, True, False)
    if differing is None:
        if k < 0:
            raise ValueError("Window width k should not be negative")
        both = zip(_counts(ref, k, boundary), _counts(hyp, k, boundary), strict=True)
        differing = sum((one > 0) != (other > 0) for one, other in both)
    return differing / (len(ref) - k + 1.0)


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


# What is odd for the kernel: other sequences than strings, lists and tuples, another boundary in a
# string than one character, and a width of 0 or above the length of the text.
def _counts(marks: Sequence[Any], k: int, boundary: Any) -> list[int]:
    """Return the boundaries in each window of ``k`` marks, as NLTK counts them.

    In the first window ``count`` finds them, further ones come and go by ``==``.
    """
    counts = [marks[:k].count(boundary)]
    for new, gone in zip(marks[k:], marks, strict=False):
        counts.append(counts[-1] + (new == boundary) - (gone == boundary))
    return counts if k <= len(marks) else []
