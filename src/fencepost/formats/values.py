"""From the values a file holds for its texts to segmentations: what do these numbers mean?"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from fencepost.checks import MAX_UNITS, SegmentationError
from fencepost.formats.base import ENCODINGS, FormatError, Reading
from fencepost.segmentation import Segmentation


@dataclass(frozen=True)
class Value:
    """One text's value as it stands in the file."""

    given: Any
    where: str  # file and line or key, for messages
    units: int | None = None  # how many units the text has, where the file tells


def decode(
    values: Sequence[Value], reading: Reading, what: str, sized: bool = False
) -> tuple[list[Segmentation], dict[str, str]]:
    """Segmentations of a whole column of values, and the choices made, for the signature.

    All values of a file mean the same kind of thing; what one value leaves open another may show.
    ``what`` names the column in messages ("preds"); ``sized`` where the file says that its numbers
    are segment sizes.
    """
    if not values:
        return [], {}
    encoding = reading.encoding or _encoding(values, reading, what, sized)
    if encoding not in ENCODINGS:
        raise FormatError(
            f"{reading.name}: no encoding {encoding!r}; there are {', '.join(ENCODINGS)}"
        )
    for value in values:
        _check(value, encoding, what)
    choices: dict[str, str] = {}
    if encoding == "flags":
        mark = reading.flags or _proven_mark(values, what)
        choices["flags"] = mark
        return [_made(v, lambda v: Segmentation.from_flags(v.given, mark)) for v in values], choices
    return [_made(v, _MAKERS[encoding]) for v in values], choices


def as_whole(word: str, where: str) -> int:
    """The number this word is; sizes beyond any text are refused before Python tries to read it."""
    if len(word) > 18:
        raise FormatError(f"{where}: a number of {len(word.lstrip('+-'))} digits is too large")
    return int(word)


def shown(value: Any) -> str:
    """A value as its file has it, shortened."""
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        text = "a value"  # numbers of thousands of digits, lists a thousand levels deep
    return text if len(text) <= 40 else text[:37] + "..."


def kind_of(value: Any) -> str:
    """What a value is, and the value."""
    names = {dict: "an object", list: "a list", str: "the text", int: "the number",
             float: "the number"}  # fmt: skip
    return f"{names.get(type(value), '')} {shown(value)}".strip()


def _positions(value: Value) -> Segmentation:
    if value.units is None:
        raise SegmentationError(
            "positions need the number of units of the text (a field with its units)"
        )
    return Segmentation.from_positions(value.given, value.units)


_MAKERS: dict[str, Callable[[Value], Segmentation]] = {
    "masses": lambda v: Segmentation.from_masses(v.given),
    "bits": lambda v: Segmentation.from_bits(v.given),
    "labels": lambda v: Segmentation.from_labels(v.given),
    "positions": _positions,
    "spans": lambda v: Segmentation.from_spans(v.given, v.units),
}


def _made(value: Value, make: Callable[[Value], Segmentation]) -> Segmentation:
    try:
        made = make(value)
    except SegmentationError as error:
        said = str(error).removeprefix("segmentation: ")
        said = said.replace("sizes, use from_masses", "sizes: --as masses")
        raise FormatError(f"{value.where}: {said}") from None
    if value.units is not None and made.units != value.units:
        raise FormatError(
            f"{value.where}: the segmentation has {made.units} units, the text has {value.units}"
            + _way_out(value)
        )
    return made


def _way_out(value: Value) -> str:
    given = value.given
    rising = (
        isinstance(given, list)
        and all(isinstance(v, int) for v in given)
        and all(a < b for a, b in pairwise(given))
    )
    if rising and value.units is not None and given and given[-1] < value.units:
        return "; these look like positions of cuts: --as positions"
    return ""


def _are_sizes(given: list[Any]) -> bool:
    return set(map(type, given)) == {int} and min(given) >= 1 and max(given) <= MAX_UNITS


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _check(value: Value, encoding: str, what: str) -> None:
    """Refuse what this encoding cannot be, in the words of files."""
    given, start = value.given, f'{value.where}: "{what}"'
    if encoding in ("bits", "flags") and isinstance(given, str):
        return _check_marks(value, what)
    if not isinstance(given, list):
        strings = " or a string of 0 and 1" if encoding in ("bits", "flags") else ""
        raise FormatError(f"{start} must be a list{strings}, found {kind_of(given)}")
    if not given and encoding not in ("positions", "bits"):
        raise FormatError(f"{start} is an empty list; a text has at least one segment")
    if encoding in ("bits", "flags"):
        return _check_marks(value, what)
    if encoding == "spans":
        for number, span in enumerate(given, start=1):
            if not (isinstance(span, list) and len(span) == 2 and all(map(_is_whole, span))):
                raise FormatError(
                    f"{start} must hold [start, end) pairs of whole numbers; number {number} is "
                    f"{kind_of(span)}"
                )
    if encoding in ("masses", "positions") and not _are_sizes(given):
        for number, one in enumerate(given, start=1):
            if not _is_whole(one):
                quoted = isinstance(one, str) and re.fullmatch(r"\d+", one)
                raise FormatError(
                    f"{start} must hold whole numbers; number {number} is {kind_of(one)}"
                    + ("; write it without quotation marks" if quoted else "")
                )
            if one > MAX_UNITS:
                raise FormatError(
                    f"{start}: number {number} is too large ({shown(one)}); at most 2^40 units"
                )
            if one < 1:
                least = "segment sizes must be" if encoding == "masses" else "positions of cuts are"
                raise FormatError(f"{value.where}: {least} at least 1; number {number} is {one}")
    return None


def _check_marks(value: Value, what: str) -> None:
    given = value.given
    if isinstance(given, str):
        wrong = [c for c in given if c not in "01"]
        sizes = bool(re.fullmatch(r"[\d\s,]+", given))
        way = "; segment sizes are a list, [5, 5]" if sizes else ""
    else:
        wrong = [v for v in given if not isinstance(v, int) or v not in (0, 1)]
        sizes = all(_is_whole(v) and v > 0 for v in given)
        way = "; if these are segment sizes: --as masses" if sizes else ""
    if wrong:
        raise FormatError(f'{value.where}: "{what}" must be 0 and 1, found {shown(wrong[0])}{way}')


def _encoding(values: Sequence[Value], reading: Reading, what: str, sized: bool) -> str:
    """What the values themselves tell; a sentence with the way out where they do not."""
    first = values[0]
    if all(isinstance(v.given, str) for v in values):
        empty = next((v for v in values if not v.given and v.units != 1), None)
        if empty is not None:
            raise FormatError(
                f'{empty.where}: "{what}" is empty; if the text has one unit only: --as bits'
            )
        return _marks(values, reading, what, otherwise="bits")
    for value in values:
        if not isinstance(value.given, list):
            raise FormatError(
                f'{value.where}: "{what}" must be a list or a string of 0 and 1, '
                f"found {kind_of(value.given)}"
                + (" among lists" if isinstance(value.given, str) else "")
            )
    types = {type(e) for v in values for e in v.given}
    elements = [] if types == {int} else [(v, e) for v in values for e in v.given]
    if not types:
        raise FormatError(f'{first.where}: "{what}" is an empty list')
    if types == {str}:
        if all(re.fullmatch(r"\s*[+-]?\d+\s*", e) for _, e in elements):
            raise FormatError(
                f'{first.where}: "{what}" holds numbers in quotation marks '
                f"({shown(elements[0][1])}): write them without, or --as labels if each is the "
                "label of a unit"
            )
        return "labels"
    if types == {list}:
        return "spans"
    _check_whole(elements, what)
    numbers = {int(e) for v in values for e in v.given}
    if numbers <= {0, 1} and 0 in numbers and not sized:
        return _marks(values, reading, what, otherwise="flags")
    if not sized:
        _refuse_labels(values, what)
    return "masses"


def _check_whole(elements: Sequence[tuple[Value, Any]], what: str) -> None:
    marks = all(isinstance(e, bool) for _, e in elements)
    for value, element in elements:
        if isinstance(element, float) and not element.is_integer():
            probable = all(isinstance(e, (int, float)) and 0 <= e <= 1 for _, e in elements)
            raise FormatError(
                f"{value.where}: segment lengths must be whole numbers, "
                f'found {shown(element)} in "{what}"'
                + (
                    "; these look like probabilities: turn them into 0 and 1 first"
                    if probable
                    else ""
                )
            )
        if not _is_whole(element) and not marks:
            raise FormatError(
                f'{value.where}: "{what}" must hold whole numbers, found {kind_of(element)}'
            )


def _refuse_labels(values: Sequence[Value], what: str) -> None:
    """Numbers that count the segments, 1 1 1 2 2 3, are no sizes; a few may be."""
    if not all(_counts_segments(v.given) for v in values):
        return
    if all(v.units is not None and sum(v.given) == v.units for v in values):
        return
    zeros = values[0].given[0] == 0
    if zeros or sum(len(v.given) for v in values) >= 6:
        raise FormatError(
            f'{values[0].where}: "{what}" {"starts at 0" if zeros else "starts at 1"} and rises by '
            "1, like numbers of segments: --as labels if each unit has the number of its segment"
            + ("; a size is at least 1" if zeros else ", --as masses if they are segment sizes")
        )


def _counts_segments(given: list[int]) -> bool:
    return (
        len(given) > 0
        and given[0] in (0, 1)
        and given[-1] > given[0]
        and all(b - a in (0, 1) for a, b in pairwise(given))
    )


def _marks(values: Sequence[Value], reading: Reading, what: str, otherwise: str) -> str:
    """0/1 for each unit (flags), or for each place between units (bits)?"""
    for value in values:
        _check_marks(value, what)
    known = [v for v in values if v.units is not None]
    if not known:
        return "flags" if reading.flags else otherwise
    if all(len(v.given) == v.units for v in known):
        return "flags"
    between = all(len(v.given) + 1 == v.units for v in known)
    if between and not reading.flags:
        return "bits"
    odd = next(v for v in known if len(v.given) != v.units)
    raise FormatError(
        f'{odd.where}: "{what}" has {len(odd.given)} marks for a text of {odd.units} units; '
        "one for each unit, or one for each place between two units, would be right"
        + (" (the second without --flags)" if between else "")
    )


def _proven_mark(values: Sequence[Value], what: str) -> Any:
    """Whether a 1 ends or starts a segment, where all texts together prove it."""
    ends = all(int(v.given[-1]) == 1 for v in values if len(v.given))
    starts = all(int(v.given[0]) == 1 for v in values if len(v.given))
    if ends != starts:
        return "last" if ends else "first"
    first = values[0]
    raise FormatError(
        f'{first.where}: "{what}" has 0/1 for each of {len(first.given)} units, but not what a 1 '
        "marks: --flags last (it ends a segment) or --flags first (it starts one)"
    )
