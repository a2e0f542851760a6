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
    """Every kind any side could use: numbers by size, other names by the alphabet."""
    names = sorted({name for pair in texts for seg in pair for name in seg.kind_names or ()})
    return (sorted(names, key=Fraction) if all(map(is_number, names)) else names) or [""]


def is_number(name: str) -> bool:
    """Whether a kind is called by a number."""
    try:
        Fraction(name)
    except ValueError:
        return False
    return "/" not in name and "e" not in name.lower()


def decimal(number: float) -> Fraction:
    """The number a person wrote: 0.1 is a tenth."""
    return Fraction(repr(float(number)))
