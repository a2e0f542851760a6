"""Which column or field is what: by the role that ``--columns`` gives it, or by its name."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice, zip_longest
from typing import Any, NamedTuple

from fencepost.formats.marks import EXTRA_COLUMNS, columns_of_levels
from fencepost.formats.options import FormatError, Reading
from fencepost.model.checks import is_whole
from fencepost.wording import listed

# Names of the column that names the text, where a row or record is a text; the first is taken.
SURE_IDS = ("id", "doc_id", "docid", "document_id", "text_id", "uid")
IDS_OR_TEXTS = ("text", "item", "document", "doc")  # unless it holds the document itself
UNIQUE_IDS = ("key", "name", "filename", "file", "title", "source")  # if no two are the same
ID_COLUMNS = (*SURE_IDS, *IDS_OR_TEXTS, *UNIQUE_IDS)
# Where a row is a unit, an id may number the rows, so that it must be repeated; the last ones name
# texts only before the units.
TEXT_COLUMNS = ("text", "item", "id", "document", "doc", *SURE_IDS[1:], "filename", "file")
CODER_COLUMNS = ("coder", "annotator", "rater", "judge")
UNIT_COLUMNS = ("paragraph", "sentence", "unit", "line", "utterance", "position", "index", "turn")
WORDS_COLUMNS = ("content", "words")  # the units themselves, beside their numbers
MAX_NAME = 100  # characters; a longer text is a document
NOT_ANNOTATED = "NA"  # a row that is not there in a long table
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}\Z")


def known(names: Iterable[str], wanted: Sequence[str]) -> str | None:
    """Return the first of the wanted names that is there, as it is written there."""
    lower = {name.lower(): name for name in reversed(list(names))}
    return next((lower[name] for name in wanted if name in lower), None)


def declared(
    role: str, names: Collection[str], reading: Reading, where: str | None = None
) -> str | None:
    """Return the column that has a role; raise FormatError where there is none of this name."""
    name: str | None = reading.columns.get(role)
    if name is not None and name not in names:
        raise FormatError(
            f"{where or reading.name}: no column {name!r} (--columns {role}={name}); there are "
            f"{listed(list(names), 12)} ({reading.name}:{role}=NAME is for this file alone)"
        )
    return name


def is_name_of_text(value: Any) -> bool:
    """Whether a value can be the name of a text: one line of at most 100 characters, or a number.

    >>> is_name_of_text("ch1"), is_name_of_text(7), is_name_of_text("It rained. " * 20)
    (True, True, False)
    """
    if isinstance(value, str):
        return len(value.strip()) > 0 and len(value) <= MAX_NAME and "\n" not in value
    return is_whole(value)


def id_column(
    columns: Mapping[str, Sequence[Any]], coders: Sequence[Any] | None = None, table: bool = True
) -> str | None:
    """Return the column that names the texts, by its name and its values; None where none does.

    ``coders`` has the annotator of each row. In JSON, ``text`` is always the document.
    """
    names = [name for name in ID_COLUMNS if table or name != "text"]
    while (found := known(columns, names)) is not None:
        wanted = found.lower()
        filled = [value for value in columns[found] if value is not None]
        if wanted in SURE_IDS and filled:
            return found
        if filled and all(map(is_name_of_text, filled)):
            pairs = set(zip(columns[found], coders, strict=True)) if coders else set(filled)
            if wanted in IDS_OR_TEXTS or len(pairs) == len(columns[found]):
                return found
        names = names[names.index(wanted) + 1 :]
    return None


def check_no_names(columns: Mapping[str, Sequence[Any]], places: Sequence[str]) -> list[str]:
    """Return why columns that names of texts may be in name no texts.

    Raise FormatError where some values of a column are names and others are not: texts that have
    names are never compared by their lines.
    """
    why = []
    for name in filter(lambda name: name.lower() in ID_COLUMNS, columns):
        filled = [value for value in columns[name] if value is not None]
        odd = [n for n, value in enumerate(columns[name]) if not _is_none_or_name(value)]
        differ = len(set(map(str, filled))) == len(columns[name])
        if odd and len(odd) < len(filled) and (differ or name.lower() in IDS_OR_TEXTS):
            raise FormatError(
                f"{places[odd[0]]}: {name} names other texts, but what it has here is no name (one "
                f"line of at most {MAX_NAME} characters). Add --columns text={name} if it names "
                f"the texts, or --without {name} if not"
            )
        if odd:
            why.append(f"{name} has no names, which are lines of at most {MAX_NAME} characters")
        elif filled:
            why.append(f"several texts have the same {name}")
    return why


def _is_none_or_name(value: Any) -> bool:
    return value is None or is_name_of_text(value)


def unique_columns(columns: Mapping[str, Sequence[Any]]) -> dict[str, tuple[str, ...]]:
    """Return the columns that have another name or whole number in every row."""
    found = {}
    for name, values in columns.items():
        if len(values) > 1 and all(map(is_name_of_text, values)):
            names = tuple(str(value).strip() for value in values)
            if len(set(names)) == len(names):
                found[name] = names
    return found


def is_row_per_unit(names: Sequence[str]) -> bool:
    """Whether the names of columns show that a row is a unit, or a unit and annotator."""
    if known(names, CODER_COLUMNS):
        return known(names, UNIT_COLUMNS) is not None and not {"ref", "hyp"} & set(names)
    return known(names[:2], UNIT_COLUMNS) is not None


class Sheet(NamedTuple):
    """A table with a row per unit: the text, number and words of each, and a column per coder.

    Of many coders who have a few texts each, a column has the rows of these texts alone.
    """

    texts: list[str]
    units: list[str] | None
    words: list[str] | None
    speakers: list[str] | None
    coders: dict[str, list[str]]
    lines: Sequence[Any]
    names: dict[str, str]  # the columns of text, unit, words and coder, by role
    ignored: tuple[str, ...]
    field: str | None  # the column that was asked for
    is_chosen: bool  # whether somebody said whose the columns are
    rows: Mapping[str, Sequence[int]] = {}  # of the coders who have not all

    def part(self, coder: str, values: Sequence[Any]) -> Sequence[Any]:
        """Return what values, one for each row, are in the rows of a coder."""
        rows = self.rows.get(coder)
        return values if rows is None else [values[row] for row in rows]


def sheet_of(
    columns: Mapping[str, Sequence[str]],
    lines: Sequence[Any],
    reading: Reading,
    wanted: Mapping[str, Sequence[str]],
) -> Sheet:
    """Return a table with a row per unit, or per unit and annotator.

    ``wanted`` has the names by which columns are known, by role.
    """
    where = reading.at(1) if isinstance(lines[0], int) else None
    names: dict[str, str] = {}
    told = {*reading.columns.values(), *reading.coders}
    free = {name: cells for name, cells in columns.items() if name not in told}
    for role, usual in wanted.items():
        name = declared(role, columns, reading, where) or known(free, usual)
        if name is not None and name not in names.values():
            names[role] = name
    text = declared("text", columns, reading, where) or _text_column(free, list(columns), names)
    if text is not None:
        names = {"text": text, **{role: n for role, n in names.items() if n != text}}
    texts = list(columns[text]) if text else [reading.stem] * len(lines)
    units, words, speakers = (
        list(columns[names[role]]) if role in names else None
        for role in ("unit", "words", "speaker")
    )
    others = {name: None for name in columns if name not in names.values()}
    if "coder" in names:
        return _widened(
            columns, lines, reading, names, list(others), (texts, units, words, speakers)
        )
    field = reading.field
    chosen = reading.coders or ((field,) if field else ())
    every = list(others)
    chosen = [
        column
        for name in chosen
        for column in ([name] if name in others else columns_of_levels(name, every) or [name])
    ]
    for name in chosen:
        if name not in others:
            at = where or reading.name
            raise FormatError(f"{at}: no column {name!r}; there are {listed(list(others), 12)}")
    coders = {name: list(columns[name]) for name in chosen or others}
    ignored = tuple(name for name in others if name not in coders)
    return Sheet(texts, units, words, speakers, coders, lines, names, ignored, field, bool(chosen))


def _text_column(
    columns: Mapping[str, Sequence[str]], before: list[str], names: Mapping[str, str]
) -> str | None:
    """Return the column with the names of texts, which are repeated where a row is a unit.

    ``before`` has all columns in order, of which some may have a role already.
    """
    if names.get("unit") in before:
        before = before[: before.index(names["unit"])]
    last = [name for name in UNIQUE_IDS if known(before, [name])]
    found = [known(columns, [name]) for name in (*TEXT_COLUMNS, *last)]
    free = [name for name in found if name is not None and name not in names.values()]
    for name in free:
        if len(set(columns[name])) < len(columns[name]):
            return name
    return next((name for name in free if name.lower() not in ("id", "uid")), None)


def _widened(
    columns: Mapping[str, Sequence[str]],
    lines: Sequence[Any],
    reading: Reading,
    names: dict[str, str],
    others: list[str],
    given: tuple[list[str], list[str] | None, list[str] | None, list[str] | None],
) -> Sheet:
    """Return a table with a row per unit and annotator as one with a column per annotator."""
    texts, units, words, speakers = given
    whose = columns[names["coder"]]
    field = _value_column(columns, whose, names, others, reading)
    cells: dict[tuple[str, str], dict[str, str]] = {}  # by text and unit
    first: dict[tuple[str, str], int] = {}
    counted: dict[tuple[str, str], int] = {}  # rows of a text and annotator
    for row, (text, coder, cell) in enumerate(zip(texts, whose, columns[field], strict=True)):
        if not coder:
            raise FormatError(f"{reading.at(lines[row])}: {names['coder']} is empty")
        number = counted[text, coder] = counted.get((text, coder), 0) + 1
        place = text, units[row] if units else str(number)
        own = cells.setdefault(place, {})
        if coder in own:
            raise FormatError(
                f"{reading.at(lines[row])}: unit {place[1]} of {text} by {coder} is given twice"
            )
        own[coder] = cell
        if words and words[first.setdefault(place, row)] != words[row]:
            raise FormatError(
                f"{reading.at(lines[row])}: unit {place[1]} of {text} is {words[row]!r:.40} here, "
                f"and {words[first[place]]!r:.40} above; --columns unit=NAME numbers the units"
            )
        first.setdefault(place, row)
    order = {text: number for number, text in enumerate(dict.fromkeys(texts))}
    places = sorted(cells, key=lambda place: order[place[0]])
    if units and all(_WHOLE.match(unit) for unit in units):
        places = sorted(cells, key=lambda place: (order[place[0]], int(place[1])))
    coders = list(dict.fromkeys(whose))
    for name in reading.coders:
        if name not in coders:
            raise FormatError(
                f"{reading.name}: no annotator {name!r}; there are {listed(coders, 12)}"
            )
    found, rows = _by_coder(cells, places, reading.coders or coders)
    return Sheet(
        [text for text, _ in places],
        [unit for _, unit in places],
        [words[first[place]] for place in places] if words else None,
        [speakers[first[place]] for place in places] if speakers else None,
        found,
        [lines[first[place]] for place in places],
        names,
        (*(name for name in others if name != field),),
        field,
        True,
        rows,
    )


def _by_coder(
    cells: Mapping[tuple[str, str], Mapping[str, str]],
    places: Sequence[tuple[str, str]],
    coders: Sequence[str],
) -> tuple[dict[str, list[str]], dict[str, list[int]]]:
    """Return the cells of each coder, and the rows of the texts that the coder has.

    Of a text of which a coder has some units only, the first that is missing is enough to say so.
    """
    of_text: dict[str, list[int]] = {}
    have: dict[tuple[str, str], list[int]] = {}  # rows of a coder and text
    for row, place in enumerate(places):
        of_text.setdefault(place[0], []).append(row)
        for coder in cells[place]:
            have.setdefault((coder, place[0]), []).append(row)
    rows: dict[str, list[int]] = {coder: [] for coder in coders}
    for (coder, text), own in have.items():
        if coder in rows:
            missing = (row for row, mine in zip_longest(of_text[text], own) if row != mine)
            rows[coder] += sorted([*own, *islice(missing, 1)])
    found = {
        coder: [cells[places[row]].get(coder, NOT_ANNOTATED) for row in own]
        for coder, own in rows.items()
    }
    return found, {coder: own for coder, own in rows.items() if len(own) < len(places)}


def _value_column(
    columns: Mapping[str, Sequence[str]],
    whose: Collection[str],
    names: Mapping[str, str],
    others: Sequence[str],
    reading: Reading,
) -> str:
    """Return the column with the boundaries, of a table with a row per unit and annotator."""
    asked = reading.field
    if asked is not None and asked not in whose:
        return str(declared(reading.default_field, others, reading))
    if reading.default_field in others:
        return str(reading.default_field)
    left = [name for name in others if name.lower() not in EXTRA_COLUMNS]
    if len(left) != 1:
        raise FormatError(
            f"{reading.name}: {names['coder']} names the annotator of a row, and the boundaries "
            f"may be in {listed(left or list(others), 8, ' or ')}: say which with --columns "
            f"{reading.default_field}={(left or list(others) or ['NAME'])[-1]}"
        )
    return left[0]
