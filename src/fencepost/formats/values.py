"""From the values a file holds for its texts to segmentations: what do these numbers mean?"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from fencepost import _core
from fencepost.formats.intervals import (
    Stretch,
    cut_at,
    grid,
    grid_scale,
    said_units,
    segment,
    segment_text,
    word_scale,
)
from fencepost.formats.marks import (
    B_I,
    HOW_B_BEGINS,
    KEEP_OR_CUT,
    NOT_ANNOTATED,
    PROBABILITIES,
    ZERO_ONE,
    begins,
    cell_of,
    family_of,
    find_odd,
    flags_of_columns,
    mark_value,
    proven_flags,
)
from fencepost.formats.options import FormatError, Reading
from fencepost.formats.registry import ending_of
from fencepost.model.checks import (
    MAX_UNITS,
    Ints,
    SegmentationError,
    advising,
    is_number,
    is_whole,
)
from fencepost.model.pairs import Column
from fencepost.model.segmentation import Segmentation
from fencepost.wording import number_of_digits


@dataclass(slots=True)  # not frozen: there is one for each text, and that would double its cost
class Value:
    """One text's value as it stands in the file."""

    given: Any
    where: str  # file and line or key, for messages
    units: int | None = None  # how many units the text has, where the file tells
    text: str | None = None  # the text itself, of which spans count the characters
    times: Sequence[tuple[float, float]] | None = None  # of its words, in seconds
    length: float | None = None  # of the recording, in seconds
    record: Mapping[str, Any] | None = None  # that the value is from
    words: list[str] | None = None  # units of the text, where spans were counted in words or lines


def decode(
    values: Sequence[Value],
    reading: Reading,
    what: str,
    sized: bool = False,
    whose: Sequence[str] = (),
) -> tuple[list[Segmentation], dict[str, str]]:
    """Segmentations of a whole column of values, and the choices made, for the signature.

    All values of a file mean the same kind of thing; what one value leaves open another may show.
    ``what`` names the column in messages ("preds"); ``sized`` where the file says that its numbers
    are segment sizes; ``whose`` has the annotator of each value, who alone shows what a 1 marks.
    """
    if not values:
        return [], {}
    choices: dict[str, str] = {}
    if reading.encoding in (None, "flags", "bits") and _are_probabilities(values, reading):
        if reading.probabilities:
            return _from_probabilities(values, reading, what, whose)
        values = [_over(value, reading.threshold, what) for value in values]
        choices["threshold"] = number_of_digits(reading.threshold)
    numbers = _column(values)
    _refuse_percentages(values, numbers, reading, what)
    family: str | None = ZERO_ONE
    if numbers is None and not sized and reading.encoding in (None, "flags", "bits"):
        values, family = _as_marks(values, reading, what)
    family = PROBABILITIES if "threshold" in choices else family  # what the file holds
    noun = "probabilities" if family == PROBABILITIES else "marks"
    encoding = reading.encoding or _encoding(values, numbers, reading, what, sized, noun)
    if encoding == "masses" and numbers is not None:
        sizes = _from_sizes(values, numbers)
        if sizes is not None:
            return sizes, choices
    for value in values:
        _check(value, encoding, what)
    if encoding == "flags" and reading.keeps_signs:
        encoding = choices["encoding"] = "bits"
        values = [replace(value, units=None) for value in values]
    if encoding == "flags":
        mark = reading.flags or _proven_mark(values, what, family, whose)
        choices["flags"] = mark
        return [
            _made(v, lambda v: Segmentation.from_flags(_array(v), mark)) for v in values
        ], choices
    if encoding in ("spans", "times"):
        make = _from_spans if encoding == "spans" else _from_times
        return [_made(v, lambda v: make(v, reading, choices)) for v in values], choices
    return [_made(v, _MAKERS[encoding]) for v in values], choices


def said_encoding(
    values: Sequence[Value], reading: Reading, what: str, sized: bool = False
) -> dict[str, str]:
    """``--encoding`` for the signature, where the values alone would not be read like that."""
    if reading.encoding is None:
        return {}
    try:
        if _are_probabilities(values, reading):
            values = [_over(value, reading.threshold or 1.0, what) for value in values]
        numbers, alone_reading = _column(values), reading.replace(encoding=None)
        if numbers is None and not sized:
            values, _ = _as_marks(values, alone_reading, what)
        alone = _encoding(values, numbers, alone_reading, what, sized)
    except FormatError:
        alone = None
    return {} if alone == reading.encoding else {"encoding": reading.encoding}


Numbers = tuple[Ints, Ints]  # of all texts end to end, and their offsets


def _column(values: Sequence[Value]) -> Numbers | None:
    """Lists of whole numbers as one column; None where some are something else."""
    flat: Any = _core.flat_numbers([value.given for value in values])
    numbers: Numbers | None = flat
    return numbers


def _from_sizes(values: Sequence[Value], numbers: Numbers) -> list[Segmentation] | None:
    """Sizes as one column; None where a text needs a sentence."""
    try:
        column, units = Column.from_masses(*numbers)
    except SegmentationError:
        return None
    if any(value.units not in (None, own) for value, own in zip(values, units, strict=True)):
        return None
    return [column.segmentation(row, int(own)) for row, own in enumerate(units)]


def _array(value: Value) -> npt.NDArray[np.uint8]:
    """Marks that were checked, as numbers."""
    if isinstance(value.given, str):
        return np.frombuffer(value.given.encode("ascii"), np.uint8) - ord("0")
    return np.frombuffer(bytes(value.given), np.uint8)


def _are_probabilities(values: Sequence[Value], reading: Reading) -> bool:
    """Whether probabilities were declared and are here: the other side may hold sizes.

    Texts of one unit have an empty list of them.
    """
    if not reading.probabilities and reading.threshold is None:
        return False
    if _have_no_position(values, reading):
        return True
    return any(
        isinstance(one, float)
        for value in values
        if isinstance(value.given, list)
        for one in value.given
    )


def _have_no_position(values: Sequence[Value], reading: Reading) -> bool:
    """Whether every list is empty because its text has one unit, as known or as declared."""
    declared = reading.encoding == "bits"
    return all(
        value.given == [] and (value.units == 1 or (declared and value.units is None))
        for value in values
    )


def reading_of_sizes(values: Sequence[Value], reading: Reading) -> Reading:
    """Return the reading without an encoding that was declared for probabilities of another side.

    A reference of segment sizes stays one where the hypothesis has a number per position.
    """
    declared = reading.probabilities or reading.threshold is not None
    if declared and reading.encoding in ("bits", "flags") and _hold_sizes(values):
        return reading.replace(encoding=None)
    return reading


def _hold_sizes(values: Sequence[Value]) -> bool:
    numbers = _column(values)
    if numbers is None or not len(numbers[0]):
        return False
    return int(numbers[0].min()) >= 1 and int(numbers[0].max()) > 1


def _refuse_percentages(
    values: Sequence[Value], numbers: Numbers | None, reading: Reading, what: str
) -> None:
    """Raise FormatError for whole numbers that are neither sizes, for a 0, nor probabilities."""
    declared = reading.probabilities or reading.threshold is not None
    if not declared or numbers is None or not len(numbers[0]):
        return
    if int(numbers[0].min()) or int(numbers[0].max()) <= 1:
        return
    for value in values:
        large = next((n for n, one in enumerate(value.given, 1) if one > 1), None)
        if large is not None:
            option = "--probabilities" if reading.probabilities else "--threshold"
            raise FormatError(not_a_probability(value.where, what, large, value.given, option))


def not_a_probability(where: str, what: str, number: int, given: Sequence[Any], flag: str) -> str:
    """Return the sentence about a number of a list that is no probability, as was declared."""
    percent = all(is_number(one) and (one == 0 or one >= 1) for one in given)
    return (
        f"{where}: {flag} is for probabilities from 0 to 1; number {number} {name_of_list(what)} "
        f"is {kind_of(given[number - 1])}"
        + "; if these are percentages, divide them by 100"
        * percent
    )


def name_of_list(what: str) -> str:
    """Return whose element a number is: of a field, or of a list without a name of its own."""
    return "of its list" if what == "masses" else f'of "{what}"'


def _over(value: Value, threshold: float, what: str) -> Value:
    """Probabilities as 0 and 1."""
    _check_probabilities(value, "--threshold", what)
    return replace(value, given=[int(one >= threshold) for one in value.given])


def _check_probabilities(value: Value, option: str, what: str) -> None:
    """Raise FormatError unless the value is a list of numbers from 0 to 1."""
    given = value.given
    if not isinstance(given, list):
        raise FormatError(
            f'{value.where}: {option} is for lists of probabilities; "{what}" is {kind_of(given)}'
        )
    for number, one in enumerate(given, start=1):
        if not is_number(one) or not 0 <= one <= 1:
            raise FormatError(not_a_probability(value.where, what, number, given, option))


def _from_probabilities(
    values: Sequence[Value], reading: Reading, what: str, whose: Sequence[str]
) -> tuple[list[Segmentation], dict[str, str]]:
    """Segmentations with the probability of each boundary, and the choices made.

    There is one per position or one per unit, by the rule for 0/1 marks.
    """
    for value in values:
        _check_probabilities(value, "--probabilities", what)
    choices = {"probabilities": "kept"}
    encoding = reading.encoding or _per_unit_or_position(
        values, reading, what, "flags", "probabilities"
    )
    mark = None
    if encoding == "flags" and reading.keeps_signs:
        encoding = choices["encoding"] = "bits"
        values = [replace(value, units=None) for value in values]
    if encoding == "flags":
        mark = choices["flags"] = reading.flags or _proven_mark(values, what, PROBABILITIES, whose)
    return [
        _made(v, lambda v: Segmentation.from_probabilities(v.given, v.units, mark)) for v in values
    ], choices


def _as_marks(
    values: Sequence[Value], reading: Reading, what: str
) -> tuple[Sequence[Value], str | None]:
    """Return 0 and 1 for marks of another family, and the family; other values as they are.

    Raise FormatError for a text that is partly not annotated, and for an odd cell among marks.
    """
    cells = [_cells_of(value) for value in values]
    if any(own is None for own in cells):
        return values, ZERO_ONE
    texts = [own for own in cells if own is not None]
    distinct = {cell for own in texts for cell in own}
    if family_of(distinct - NOT_ANNOTATED) is not None:
        for value, own in zip(values, texts, strict=True):
            _check_annotated(value, own, what)
    family = family_of(distinct)
    if family is None and not (reading.flags is not None and begins(distinct)):
        if any(isinstance(value.given, list) for value in values):
            _refuse_odd(values, texts, what)
        return values, ZERO_ONE
    if family == ZERO_ONE and all(isinstance(value.given, str) for value in values):
        return values, family  # one mark per unit or per position: the lengths may tell
    marks = [[mark_value(cell, family) for cell in own] for own in texts]
    return [replace(v, given=own) for v, own in zip(values, marks, strict=True)], family


def _cells_of(value: Value) -> list[str] | None:
    """Return the marks that a list or a string may hold; None for spans and other objects."""
    given = value.given
    if isinstance(given, str):
        return list(given)
    if not isinstance(given, list) or any(isinstance(one, (list, dict)) for one in given):
        return None
    return [cell_of(one) for one in given]


def _check_annotated(value: Value, cells: Sequence[str], what: str) -> None:
    """Raise FormatError where some units, or all, are not annotated."""
    missing = next((n for n, cell in enumerate(cells, 1) if cell in NOT_ANNOTATED), None)
    if missing is not None:
        raise FormatError(
            f'{value.where}: unit {missing} of "{what}" is {shown(value.given[missing - 1])}, '
            "which means not annotated; a text is annotated as a whole. Write 0 for no boundary, "
            "or null for the whole text"
        )


def _refuse_odd(values: Sequence[Value], texts: Sequence[Sequence[str]], what: str) -> None:
    """Raise FormatError where all but a few elements of a column are marks."""
    found = find_odd([cell for own in texts for cell in own])
    if found is None:
        return
    index, family = found
    for value, own in zip(values, texts, strict=True):
        if index < len(own):
            raise FormatError(
                f'{value.where}: "{what}" has marks ({family}), but unit {index + 1} is '
                f"{shown(own[index])}; correct it"
            )
        index -= len(own)


SPAN_KEYS = (
    ("start", "end"),
    ("start_index", "end_index"),
    ("start_char_idx", "end_char_idx"),
    ("start_char", "end_char"),
    ("start_pos", "end_pos"),
)


def or_chunks(names: Collection[str]) -> str:
    """Return the way out where a table with these columns may have one row per chunk."""
    placed = any({start, end} <= set(names) for start, end in SPAN_KEYS)
    return ", --from chunks (one row per chunk)" if placed else ""


def as_span(given: Any) -> Any:
    """``[start, end]`` of an object that names both; anything else as it is."""
    if not isinstance(given, dict):
        return given
    inside = given.get("metadata")
    for one in (given, inside if isinstance(inside, dict) else {}):
        for start, end in SPAN_KEYS:
            if start in one and end in one:
                return [one[start], one[end]]
            text = given.get("page_content", given.get("text"))
            if start in one and end not in one and isinstance(text, str) and is_whole(one[start]):
                return [one[start], one[start] + len(text)]
    return given


def stretch_of(ends: Sequence[Any], where: str) -> Stretch:
    """Return a stretch of units; raise FormatError where these two cannot be its ends."""
    start, end = ends
    whole = is_whole(start) and is_whole(end)
    expect(whole, where, "start and end must be whole numbers", ends)
    if not 0 <= start < end <= MAX_UNITS:
        raise FormatError(
            f"{where} is no interval [start, end) of at most 2^40 units: ({shown(start)}, "
            f"{shown(end)})"
        )
    return Stretch(start, end, where)


def _from_spans(value: Value, reading: Reading, choices: dict[str, str]) -> Segmentation:
    stretches = [
        stretch_of(as_span(span), f"{value.where}: span {number}")
        for number, span in enumerate(value.given, start=1)
    ]
    text = value.text
    if reading.snap and text is None:
        raise FormatError(
            f'{value.where}: --snap looks at the text, and there is none in a field "text"'
        )
    if text is not None and value.units in (None, len(text)):
        seg, used, units = segment_text(
            stretches, text, reading, value.where, "start", value.record
        )
        used |= said_units(reading)
        value.words = units if reading.units not in (None, "chars") else None
    elif reading.units is not None:
        raise FormatError(
            f"{value.where}: --units {reading.units} needs the text whose characters spans count, "
            'in a field "text"'
            + (f"; here spans count the {value.units} units of the text" if value.units else "")
        )
    else:
        count = value.units or int(max(one.end for one in stretches))
        seg, used = segment(stretches, count, reading, value.where, overlap="start")
    choices |= used
    return seg


def _from_times(value: Value, reading: Reading, choices: dict[str, str]) -> Segmentation:
    """Cuts at times, or stretches of time, on a grid or between words with times."""
    step = grid(reading)
    given = [as_span(one) for one in value.given]
    stretched = bool(given) and isinstance(given[0], list)
    if step is not None:
        if value.length is None and not stretched:
            raise FormatError(
                f'{value.where}: the length of the recording must be known: a field "duration" in '
                "seconds"
            )
        last = max(one[1] for one in given) if value.length is None else value.length
        scale = grid_scale(step, 0.0, last, value.where)
    elif value.times is not None:
        scale = word_scale(value.times)
    else:
        raise FormatError(
            f"{value.where}: times need units: --units seconds:0.1 (a grid), or --units "
            "words:FIELD with the [start, end] of every word"
        )
    choices |= said_units(reading)
    if not stretched:
        return cut_at([Stretch(time, time, value.where) for time in given], scale, reading)
    stretches = [Stretch(a, b, f"{value.where}: interval {n}") for n, (a, b) in enumerate(given, 1)]
    seg, used = segment(stretches, scale.units, reading, value.where, scale.place)
    choices |= used
    return seg


def expect(fits: bool, where: str, must: str, found: Any) -> None:
    """Raise FormatError unless a value fits: where it is, what it must be, what was found."""
    if not fits:
        raise FormatError(f"{where}: {must}, found {kind_of(found)}")


def is_annotated(value: Any) -> bool:
    """Whether a field holds a segmentation: null, NA, or a list of nothing else, holds none."""
    elements = value if isinstance(value, list) and value else [value]
    return any(
        isinstance(one, (list, dict)) or cell_of(one) not in NOT_ANNOTATED for one in elements
    )


def is_skipped(value: Any, units: Any, reading: Reading) -> bool:
    """Whether a text has no units, and such texts are to be skipped."""
    if reading.empty != "skip":
        return False
    open_ = units is None and reading.encoding not in ("positions", "bits", "times")
    return units in ([], 0) or (open_ and value in ([], ""))


def is_name(value: Any) -> bool:
    """Whether this can be the name of a text or a coder: text, or a whole number."""
    return (isinstance(value, str) or is_whole(value)) and bool(str(value).strip())


def name_in(record: Mapping[str, Any], field: str, where: str, otherwise: str | None = None) -> str:
    """Return the name that a record has in a field; ``otherwise`` where the field is not there."""
    name = record.get(field)
    if name is None and otherwise is not None:
        return otherwise
    if name is None:
        raise FormatError(
            f'{where}: no name of the text in a field "{field}"; there are {quoted(record)}'
        )
    expect(is_name(name), where, f'"{field}" must be a name or a number', name)
    return str(name)


def quoted(names: Iterable[str]) -> str:
    """Return the first names of fields in quotation marks, for messages."""
    return ", ".join(f'"{name}"' for name in list(names)[:8]) or "none"


def words_in(units: Sequence[Any]) -> list[str]:
    """Return the units of a text as words."""
    return [unit if isinstance(unit, str) else shown(unit) for unit in units]


def as_whole(word: str, where: str) -> int:
    """The number this word is; sizes beyond any text are refused before Python tries to read it."""
    if len(word) > 18:
        raise FormatError(f"{where}: a number of {len(word.lstrip('+-'))} digits is too large")
    return int(word)


def as_finite(word: str, where: str) -> float:
    """The number this word is; 1e999 is beyond what can be counted with."""
    number = float(word)
    if not math.isfinite(number):
        raise FormatError(f"{where}: the number {word[:40]} is too large")
    return number


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
    "bits": lambda v: Segmentation.from_bits(_array(v)),
    "labels": lambda v: Segmentation.from_labels(v.given),
    "positions": _positions,
}


def _made(value: Value, make: Callable[[Value], Segmentation]) -> Segmentation:
    try:
        made = make(value)
    except SegmentationError as error:
        said = advising(error, "--encoding masses").removeprefix("segmentation: ")
        raise FormatError(f"{value.where}: {said}") from None
    counted = len(value.text) if value.text is not None else made.units
    if value.units is not None and made.units != value.units != counted:
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
        return "; these look like positions of boundaries: --encoding positions"
    return ""


def _are_sizes(given: list[Any]) -> bool:
    return set(map(type, given)) == {int} and min(given) >= 1 and max(given) <= MAX_UNITS


def _is_time(value: Any) -> bool:
    return is_number(value) and bool(0 <= value < 1e9)


def _check(value: Value, encoding: str, what: str) -> None:
    """Refuse what this encoding cannot be, in the words of files."""
    given, start = value.given, f'{value.where}: "{what}"'
    if encoding in ("bits", "flags") and isinstance(given, str):
        return _check_marks(value, what)
    strings = " or a string of 0 and 1" if encoding in ("bits", "flags") else ""
    expect(isinstance(given, list), value.where, f'"{what}" must be a list{strings}', given)
    if not given and encoding not in ("positions", "bits", "times"):
        raise FormatError(
            f"{start} is an empty list; a text has at least one segment. --empty skip ignores "
            "texts without units"
        )
    if encoding in ("bits", "flags"):
        return _check_marks(value, what)
    if encoding == "spans":
        for number, span in enumerate(map(as_span, given), start=1):
            if not (isinstance(span, list) and len(span) == 2 and all(map(is_whole, span))):
                raise FormatError(
                    f"{start} must hold [start, end) pairs of whole numbers; number {number} is "
                    f"{kind_of(span)}"
                )
    if encoding == "times":
        for number, one in enumerate(map(as_span, given), start=1):
            pair = one if isinstance(one, list) else [one]
            alike = isinstance(one, list) == isinstance(as_span(given[0]), list)
            if not alike or len(pair) != 1 + isinstance(one, list) or not all(map(_is_time, pair)):
                raise FormatError(
                    f"{start} must hold times in seconds, or [start, end] pairs of them; number "
                    f"{number} is {kind_of(one)}"
                )
    if encoding in ("masses", "positions") and not _are_sizes(given):
        for number, one in enumerate(given, start=1):
            if not is_whole(one):
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
                least = (
                    "segment sizes must be"
                    if encoding == "masses"
                    else "positions of boundaries are"
                )
                raise FormatError(f"{value.where}: {least} at least 1; number {number} is {one}")
    return None


def _check_marks(value: Value, what: str) -> None:
    given = value.given
    if _are_marks(given):
        return
    if isinstance(given, str):
        wrong = [c for c in given if c not in "01"]
        sizes = bool(re.fullmatch(r"[0-9\s,]+", given))
        way = "; segment sizes are a list, [5, 5]" if sizes else ""
        if sizes and set(given) <= set("01, \t\r\n"):
            way = '; marks are a string without spaces, "001", or a list, [0, 0, 1]'
    else:
        wrong = [v for v in given if not isinstance(v, int) or v not in (0, 1)]
        sizes = all(is_whole(v) and v > 0 for v in given)
        way = "; if these are segment sizes: --encoding masses" if sizes else ""
        if not sizes and wrong and all(is_number(v) and 0 <= v <= 1 for v in given):
            way = f"; these look like probabilities: {KEEP_OR_CUT}"
    if wrong:
        raise FormatError(f'{value.where}: "{what}" must be 0 and 1, found {shown(wrong[0])}{way}')


def _are_marks(given: Any) -> bool:
    if isinstance(given, str):
        return not given.strip("01")
    return set(map(type, given)) <= {int, bool} and set(given) <= {0, 1}


def _encoding(
    values: Sequence[Value],
    numbers: Numbers | None,
    reading: Reading,
    what: str,
    sized: bool,
    noun: str = "marks",
) -> str:
    """What the values themselves tell; a sentence with the way out where they do not."""
    first = values[0]
    if all(isinstance(v.given, str) for v in values):
        empty = next((v for v in values if not v.given and v.units != 1), None)
        if empty is not None:
            raise FormatError(
                f'{empty.where}: "{what}" is empty; if the text has one unit only: --encoding '
                "bits; if it has none: --empty skip"
            )
        return _marks(values, reading, what, noun, otherwise="bits")
    for value in values:
        if not isinstance(value.given, list):
            raise FormatError(
                f'{value.where}: "{what}" must be a list or a string of 0 and 1, '
                f"found {kind_of(value.given)}"
                + (" among lists" if isinstance(value.given, str) else "")
            )
    if numbers is not None and len(numbers[0]):
        smallest, largest = int(numbers[0].min()), int(numbers[0].max())
        return _of_numbers(values, smallest, largest, reading, what, sized, noun)
    elements = [(v, e) for v in values for e in v.given]
    types = {type(e) for _, e in elements}
    if not types and _have_no_position(values, reading):
        return "bits"
    if not types:
        raise FormatError(
            f'{first.where}: "{what}" is an empty list; if each text has one unit only, and so no '
            "position: --encoding bits; if it has no units: --empty skip"
        )
    if types == {str}:
        if all(re.fullmatch(r"\s*[+-]?\d+\s*", e) for _, e in elements):
            raise FormatError(
                f'{first.where}: "{what}" holds numbers in quotation marks '
                f"({shown(elements[0][1])}): write them without, or --encoding labels if each is "
                "the label of a unit"
            )
        refuse_begins(values)
        for value in values:
            refuse_two_words(value, what)
        _refuse_texts_of_segments(values, what)
        return "labels"
    if types <= {list, dict}:
        spans = [as_span(e) for _, e in elements]
        ends = [end for span in spans if isinstance(span, list) for end in span if _is_time(end)]
        return "spans" if all(map(is_whole, ends)) else "times"
    _check_whole(elements, what)
    found = [int(e) for _, e in elements]
    return _of_numbers(values, min(found), max(found), reading, what, sized, noun)


def refuse_begins(values: Sequence[Value]) -> None:
    """Where every label is B, I, O and so on, B begins a segment, and labels would not."""
    for value in values:
        labels = value.given
        if begins(labels):
            raise FormatError(
                f"{value.where}: {', '.join(dict.fromkeys(labels))} look like marks of which B "
                "begins a segment: add --flags first (B and S start a segment, I, O and E go on), "
                "or --encoding labels if a segment ends where they change"
            )


def refuse_two_words(value: Value, what: str) -> None:
    """Raise FormatError for two words that come and go, such as ja and nein."""
    words = list(dict.fromkeys(value.given))
    changes = sum(before != after for before, after in pairwise(value.given))
    if len(words) == 2 and changes > 1:
        raise FormatError(
            f'{value.where}: "{what}" has two words that come and go, {words[0]} and {words[1]}, '
            "like marks: write 1 and 0 for them, or add --encoding labels if a segment ends where "
            "they change"
        )


def _refuse_texts_of_segments(values: Sequence[Value], what: str) -> None:
    """Raise FormatError for words of which no two neighbours are the same: no labels of units."""
    pairs = [pair for value in values for pair in pairwise(value.given)]
    if pairs and all(before != after for before, after in pairs):
        raise FormatError(
            f'{values[0].where}: "{what}" has no label that is repeated. If these are the texts of '
            'the segments, write {"name of the text": ["first segment", "second segment"]} to a '
            ".json file and add --from sentences; if each unit is a segment: --encoding labels"
        )


def _of_numbers(
    values: Sequence[Value],
    smallest: int,
    largest: int,
    reading: Reading,
    what: str,
    sized: bool,
    noun: str,
) -> str:
    """Marks or sizes."""
    if not sized:
        if smallest == 0 and largest <= 1:
            return _marks(values, reading, what, noun, otherwise="flags")
        if _number_segments(values):
            return "labels"
        _refuse_labels(values, what)
        if smallest == 0:
            _refuse_odd(values, [[cell_of(one) for one in v.given] for v in values], what)
    return "masses"


def _check_whole(elements: Sequence[tuple[Value, Any]], what: str) -> None:
    marks = all(isinstance(e, bool) for _, e in elements)
    for value, element in elements:
        if isinstance(element, float) and not element.is_integer():
            probable = all(isinstance(e, (int, float)) and 0 <= e <= 1 for _, e in elements)
            raise FormatError(
                f"{value.where}: segment lengths must be whole numbers, "
                f'found {shown(element)} in "{what}"'
                + (f"; these look like probabilities: {KEEP_OR_CUT}" if probable else "")
            )
        if not is_whole(element) and not marks:
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
    repeated = any(a == b for v in values for a, b in pairwise(v.given))
    least = 4 if repeated else 6  # 1 2 3 may well be sizes
    if zeros or sum(len(v.given) for v in values) >= least:
        raise FormatError(
            f'{values[0].where}: "{what}" {"starts at 0" if zeros else "starts at 1"} and rises by '
            "1, like numbers of segments: --encoding labels if each unit has the number of its "
            "segment"
            + ("; a size is at least 1" if zeros else ", --encoding masses if they are sizes")
        )


def _number_segments(values: Sequence[Value]) -> bool:
    """Whether the known units of the texts prove numbers of segments, one per unit."""
    return all(v.units == len(v.given) and _counts_segments(v.given) for v in values) and any(
        sum(v.given) != v.units for v in values
    )


def _counts_segments(given: list[int]) -> bool:
    return (
        len(given) > 0
        and given[0] in (0, 1)
        and given[-1] > given[0]
        and all(b - a in (0, 1) for a, b in pairwise(given))
    )


def _marks(values: Sequence[Value], reading: Reading, what: str, noun: str, otherwise: str) -> str:
    """0/1 for each unit (flags), or for each place between units (bits)?"""
    for value in values:
        _check_marks(value, what)
    return _per_unit_or_position(values, reading, what, otherwise, noun)


def _per_unit_or_position(
    values: Sequence[Value], reading: Reading, what: str, otherwise: str, noun: str
) -> str:
    """Return flags for one value per unit, bits for one per position; the lengths may tell."""
    known = [v for v in values if v.units is not None]
    if not known:
        if otherwise == "bits" and reading.flags is None and not reading.keeps_signs:
            _refuse_strings_per_unit(values, reading, what)
        return "flags" if reading.flags else otherwise
    if all(len(v.given) == v.units for v in known):
        return "flags"
    between = all(len(v.given) + 1 == v.units for v in known)
    if between and not reading.flags:
        return "bits"
    _refuse_both_forms(known, what, noun)
    wrong = [v for v in known if len(v.given) != v.units]
    odd = next((v for v in wrong if len(v.given) + 1 != v.units), wrong[0])
    raise FormatError(
        f'{odd.where}: "{what}" has {len(odd.given)} {noun} for a text of {odd.units} units; '
        "one per unit, or one per position between two units, would be right"
        + (" (the second without --flags)" if between else "")
    )


def _refuse_both_forms(values: Sequence[Value], what: str, noun: str) -> None:
    """Raise FormatError where some texts have one value per unit, and all others per position."""
    per_unit = next((v for v in values if len(v.given) == v.units), None)
    per_position = next((v for v in values if len(v.given) + 1 == v.units), None)
    if per_unit is None or per_position is None:
        return
    if any(len(v.given) not in (v.units, (v.units or 0) - 1) for v in values):
        return
    raise FormatError(
        f'{per_unit.where}: "{what}" has {len(per_unit.given)} {noun} for {per_unit.units} units, '
        f"one per unit, but {per_position.where}: {len(per_position.given)} for "
        f"{per_position.units}, one per position between two units; all texts need the same. Write "
        "one per position everywhere (without the last unit), or one per unit everywhere, "
        "with --flags last or --flags first"
    )


def _refuse_strings_per_unit(values: Sequence[Value], reading: Reading, what: str) -> None:
    """Raise FormatError for strings that, as lists, would be read as one mark per unit.

    A file .bits declares that its strings have one mark per position between units.
    """
    texts = [value.given for value in values]
    proven = proven_flags(texts)
    if proven is None or ending_of(reading.name) == ".bits":
        return
    edge = "ends" if proven == "last" else "begins"
    raise FormatError(
        f'{values[0].where}: every text of "{what}" {edge} with 1, so that its strings may have '
        f"one sign per unit or per position between units. Add --flags {proven} (the {proven} unit "
        "of a segment is 1) or --encoding bits (1 is a boundary between two units)"
    )


def _proven_mark(
    values: Sequence[Value], what: str, family: str | None, whose: Sequence[str]
) -> Any:
    """Whether a 1 ends or starts a segment, where all texts of each annotator prove it."""
    if len(set(whose)) > 1:
        columns: dict[str, tuple[str, list[Any]]] = {}
        for value, coder in zip(values, whose, strict=True):
            columns.setdefault(coder, (str(family), []))[1].append(value.given)
        return flags_of_columns(columns, values[0].where, _per_position(values))
    proven = proven_flags(value.given for value in values)
    if proven is not None and not (family == B_I and proven == "last"):
        return proven
    first = values[0]
    way = "--flags last (it ends a segment) or --flags first (it starts one)"
    begins = family == B_I and proven is None
    units = _field_with_one_more(values)
    noun = "probabilities" if family == PROBABILITIES else "marks"
    if units is not None and not begins:
        raise FormatError(
            f'{first.where}: "{what}" has {len(first.given)} {noun}, one fewer than "{units}" has '
            f"elements: --columns units={units} if the {noun} are between these units; {way} if "
            "each belongs to a unit"
        )
    if family == PROBABILITIES:
        raise FormatError(
            f'{first.where}: "{what}" has {len(first.given)} {noun}, but not what they are about. '
            "Add --encoding bits (one per position between two units), or, with one per unit, "
            "--flags last (that it ends a segment) or --flags first (that it starts one)"
        )
    if begins:
        raise FormatError(
            f'{first.where}: "{what}" has {family} for each of {len(first.given)} units, but not '
            f"what a B marks: {HOW_B_BEGINS}"
        )
    per_position = _per_position(values)
    raise FormatError(
        f'{first.where}: "{what}" has {len(first.given)} marks ({family}), but not what a 1 marks: '
        f"{way}{' with one per unit' * bool(per_position)}{per_position}"
    )


def _per_position(values: Sequence[Value]) -> str:
    """Return the way out for marks between units; nothing where there is one per known unit."""
    if all(value.units == len(value.given) for value in values):
        return ""
    return ", or --encoding bits with one per position between two units"


def _field_with_one_more(values: Sequence[Value]) -> str | None:
    """Return the field that has one element more than there are marks, in all records."""
    records = [(value.record or {}, len(value.given)) for value in values]
    for name in records[0][0]:
        own = [(one.get(name), marks) for one, marks in records]
        if all(isinstance(given, list) and len(given) == marks + 1 for given, marks in own):
            return str(name)
    return None
