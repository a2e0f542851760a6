"""From the values a file holds for its texts to segmentations: what do these numbers mean?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from fencepost.checks import SegmentationError
from fencepost.formats.base import ENCODINGS, FormatError, Reading
from fencepost.segmentation import Segmentation


@dataclass(frozen=True)
class Value:
    """One text's value as it stands in the file."""

    given: Any
    where: str  # file and line or key, for messages
    units: int | None = None  # how many units the text has, where the file tells


def decode(
    values: Sequence[Value], reading: Reading, what: str
) -> tuple[list[Segmentation], dict[str, str]]:
    """Segmentations of a whole column of values, and the choices made, for the signature.

    All values of a file mean the same kind of thing; what one value leaves open another may show.
    ``what`` names the column in messages ("preds").
    """
    if not values:
        return [], {}
    encoding = reading.encoding or _encoding(values, what)
    choices: dict[str, str] = {}
    if encoding == "flags":
        mark = reading.flags or _proven_mark(values, what)
        choices["flags"] = mark
        return [_made(v, lambda v: Segmentation.from_flags(v.given, mark)) for v in values], choices
    if encoding not in ENCODINGS:
        raise FormatError(
            f"{reading.name}: no encoding {encoding!r}; there are {', '.join(ENCODINGS)}"
        )
    return [_made(v, _MAKERS[encoding]) for v in values], choices


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
        raise FormatError(f"{value.where}: {error}") from None
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


def _encoding(values: Sequence[Value], what: str) -> str:
    """What the values themselves tell; a sentence with the way out where they do not."""
    first = values[0]
    if all(isinstance(v.given, str) for v in values):
        return _marks(values, what, otherwise="bits")
    for value in values:
        if not isinstance(value.given, list):
            raise FormatError(
                f'{value.where}: "{what}" must be a list or a string of 0 and 1, '
                f"found {_kind_of(value.given)}"
            )
    elements = [(v, e) for v in values for e in v.given]
    if not elements:
        raise FormatError(f'{first.where}: "{what}" is an empty list')
    if all(isinstance(e, str) for _, e in elements):
        return "labels"
    if all(isinstance(e, list) for _, e in elements):
        return "spans"
    for value, element in elements:
        if isinstance(element, float) and not element.is_integer():
            probable = all(isinstance(e, (int, float)) and 0 <= e <= 1 for _, e in elements)
            raise FormatError(
                f"{value.where}: segment lengths must be whole numbers, "
                f'found {element!r} in "{what}"'
                + (
                    "; these look like probabilities: turn them into 0 and 1 first"
                    if probable
                    else ""
                )
            )
        if not isinstance(element, int):
            raise FormatError(
                f'{value.where}: "{what}" must hold whole numbers, found {_kind_of(element)}'
            )
    numbers = {int(e) for _, e in elements}
    if numbers <= {0, 1} and 0 in numbers:
        return _marks(values, what, otherwise="flags")
    if 0 in numbers:
        labels = all(v.given == sorted(v.given) for v in values)
        raise FormatError(
            f'{first.where}: "{what}" has zeros among larger numbers'
            + (
                ": if these number the segments, --as labels"
                if labels
                else ", so they are no segment sizes"
            )
        )
    return "masses"


def _marks(values: Sequence[Value], what: str, otherwise: str) -> str:
    """0/1 for each unit (flags), or for each place between units (bits)?"""
    for value in values:
        wrong = next((c for c in value.given if c not in ("0", "1", 0, 1)), None)
        if wrong is not None:
            raise FormatError(f'{value.where}: "{what}" must be 0 and 1, found {wrong!r}')
    known = [v for v in values if v.units is not None]
    if not known:
        return otherwise
    if all(len(v.given) == v.units for v in known):
        return "flags"
    if all(len(v.given) + 1 == v.units for v in known):
        return "bits"
    odd = next(v for v in known if len(v.given) != v.units)
    raise FormatError(
        f'{odd.where}: "{what}" has {len(odd.given)} marks for a text of {odd.units} units; '
        "one for each unit, or one for each place between two units, would be right"
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


def _kind_of(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "text", bool: "true/false", type(None): "null"}
    shown = repr(value)
    return (
        f"{names.get(type(value), 'the number')} {shown if len(shown) < 40 else shown[:37] + '...'}"
    )
