"""What an oracle reads of a text: plain lists and sets of places, written out."""

from collections.abc import Sequence
from fractions import Fraction

from fencepost import Segmentation

Pair = tuple[Segmentation, Segmentation]
Texts = Sequence[Pair]


def places(seg: Segmentation) -> list[int]:
    """The different places of cuts before the end of the text."""
    return sorted({p for p in seg.cuts.tolist() if p < seg.units})


def segments(seg: Segmentation) -> list[range]:
    """The units of each segment, numbered from 1."""
    ends = [*places(seg), seg.units]
    starts = [0, *ends[:-1]]
    return [range(start + 1, end + 1) for start, end in zip(starts, ends, strict=True)]


def mean_segment(seg: Segmentation) -> Fraction:
    """Units for each segment."""
    return Fraction(seg.units, len(segments(seg)))


def boundaries(seg: Segmentation) -> set[tuple[int, str]]:
    """Place and kind of every cut before the end of the text; cuts without kinds are alike."""
    if seg.kinds is None or seg.kind_names is None:
        return {(place, "") for place in seg.cuts.tolist()}
    names = [seg.kind_names[number - 1] for number in seg.kinds.tolist()]
    return {(p, name) for p, name in zip(seg.cuts.tolist(), names, strict=True) if p < seg.units}


def kinds_of_task(texts: Texts) -> list[str]:
    """Every kind any side could use, in an order that does not depend on who comes first.

    Numbers by size; else as the one list that has all names; else by the alphabet.
    """
    lists = {seg.kind_names or () for pair in texts for seg in pair}
    names = {name for own in lists for name in own}
    if all(name.isdecimal() for name in names):
        return sorted(names, key=int) or [""]
    complete = [own for own in lists if set(own) == names]
    return list(complete[0]) if len(complete) == 1 else sorted(names)


def decimal(number: float) -> Fraction:
    """The number a person wrote: 0.1 is a tenth."""
    return Fraction(repr(float(number)))
