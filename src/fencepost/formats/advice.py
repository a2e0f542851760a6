"""What to say about a table whose columns have unknown names: what each holds, what to paste.

Nothing is read by it. A column is described by its own cells; a command names the columns by which
every unit of every text, or of every text and annotator, is there exactly once.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, permutations
from typing import Any, NamedTuple

from fencepost.formats.columns import (
    CODER_COLUMNS,
    ID_COLUMNS,
    TEXT_COLUMNS,
    UNIT_COLUMNS,
    WORDS_COLUMNS,
    is_name_of_text,
    known,
    unique_columns,
)
from fencepost.formats.marks import (
    EXTRA_COLUMNS,
    NOT_ANNOTATED,
    are_ones,
    are_probabilities,
    cell_of,
    counts_segments,
    family_of,
    is_date,
    number_of,
)
from fencepost.formats.options import FormatError, Reading
from fencepost.formats.values import or_chunks
from fencepost.options import write_columns

MAX_ROWS = 50_000  # larger tables are described by their first rows, without a command
MAX_COMMANDS = 3
ONES = "1 alone"  # marks beside empty cells, or segment 1
MARKS, LISTS, COUNT, WHOLE, NAMES = (
    "marks", "several numbers", "numbers that count up", "whole numbers", "names that repeat",
)  # fmt: skip
PROBABILITIES, NUMBERS, DATES, TEXT, EMPTY = (
    "numbers from 0 to 1", "numbers", "dates", "text", "nothing",
)  # fmt: skip
FLAGS = (
    " (add --flags last if a mark is the last unit of a segment, --flags first if it is the first)"
)
_LIST = re.compile(r"\[.*\]|[01]{3,}|\d+(?:[\s,;]+\d+)*")  # of one or more values
_WHOLE = re.compile(r"[0-9]{1,18}")

Columns = Mapping[str, Sequence[str]]


class Roles(NamedTuple):
    """The columns that say which unit a row is; None where there is no such column."""

    text: str | None
    coder: str | None
    unit: str | None


def kind_of_column(cells: Sequence[str]) -> tuple[str, str]:
    """Return what a column holds by its cells alone, and how to say so.

    >>> kind_of_column(["0", "1", "1"]), kind_of_column(["1", "2", "1", "2"])
    (('marks', '0/1'), ('numbers that count up', 'numbers that count up'))
    """
    filled = [cell for cell in cells if cell and cell not in NOT_ANNOTATED]
    distinct = set(filled)
    family = family_of(distinct) or (ONES if are_ones(distinct) else None)
    if family is not None:
        return MARKS, family
    kind = _kind_of_others(filled, distinct)
    return kind, kind


def _kind_of_others(filled: Sequence[str], distinct: set[str]) -> str:
    if not filled:
        return EMPTY
    if all(map(_WHOLE.fullmatch, filled)) and not all(re.fullmatch("[01]{3,}", c) for c in filled):
        numbers = [int(cell) for cell in filled]
        rises = (b == a + 1 or b in (0, 1) for a, b in pairwise(numbers))
        repeats = any(a == b for a, b in pairwise(numbers))
        return COUNT if numbers[0] in (0, 1) and not repeats and all(rises) else WHOLE
    real = [number for cell in filled if (number := number_of(cell)) is not None]
    if len(real) == len(filled):
        return PROBABILITIES if are_probabilities(real) else NUMBERS
    if all(map(is_date, distinct)):
        return DATES
    if all(map(_LIST.fullmatch, distinct)):
        return LISTS
    names = all(map(is_name_of_text, distinct)) and 2 * len(distinct) <= len(filled)
    return NAMES if names else TEXT


def advise_records(
    records: Sequence[tuple[str, Mapping[str, Any]]], reading: Reading, is_table: bool
) -> str:
    """Return the advice about records of JSON, Parquet or a table with a row per text."""
    names = dict.fromkeys(name for _, record in records for name in record)
    columns = {
        name: [_cell(record.get(name)) for _, record in records]
        for name in names
        if name not in reading.without
    }
    return advise(columns, [where for where, _ in records], reading, is_table)


def _cell(value: Any) -> str:
    """Return the cell of a table; a table with a row per text has made lists of its numbers."""
    if isinstance(value, list):  # 0,0 and 1,0 are marks with a decimal comma
        return ("," if value in ([0, 0], [1, 0]) else " ").join(map(cell_of, value))
    return "" if value is None else cell_of(value)


def advise(
    columns: Columns, lines: Sequence[object], reading: Reading, is_table: bool = True
) -> str:
    """Return what the columns hold, and commands that name them, for the end of an error.

    Rows of a table may be units without a number, in their order.
    """
    shown = {name: kind_of_column(cells[:MAX_ROWS]) for name, cells in columns.items()}
    by_kind: dict[str, list[str]] = {}
    for name, (_, said) in shown.items():
        by_kind.setdefault(said, []).append(name)
    holds = "; ".join(f"{', '.join(names)}: {said}" for said, names in by_kind.items())
    kinds = {name: kind for name, (kind, _) in shown.items()}
    commands: list[str] = []
    if len(lines) <= MAX_ROWS:
        commands = _commands(columns, kinds, lines, reading, is_table)
    chunks = or_chunks([name.lower() for name in columns])
    return f"The columns hold {holds}. {_way_out(commands, kinds, reading)}{chunks}"


def _way_out(commands: Sequence[str], kinds: Mapping[str, str], reading: Reading) -> str:
    look = f"fencepost look {shlex.quote(reading.path)}"
    if not commands:
        return (
            f"Name them: {look} --columns unit=NAME,text=NAME if a row is a unit (unit is its "
            "number, text the name of the text), or --columns ref=NAME,text=NAME if a row is a "
            "text, or --columns text=NAME,start=NAME,end=NAME if a row is a segment. Sizes in "
            "several cells have the header text, masses"
        )
    row = "text" if LISTS in kinds.values() else "unit"
    row = "segment" if ",start=" in commands[0] else row
    if len(commands) == 1:
        return f"If a row is a {row}: {look} {commands[0]}"
    more = " (or others)" if len(commands) > MAX_COMMANDS else ""
    several = "".join(f"\n  {look} {one}" for one in commands[:MAX_COMMANDS])
    return f"If a row is a {row}, one of these{more} says which column is what:{several}"


def _commands(
    columns: Columns,
    kinds: Mapping[str, str],
    lines: Sequence[object],
    reading: Reading,
    is_table: bool,
) -> list[str]:
    """Return the options that read the table, one for each way in which it can be meant."""
    if LISTS in kinds.values():
        return _commands_of_texts(columns, kinds)
    segments = _command_of_segments(columns, kinds)
    if segments:
        return [segments]
    found = [one for roles in _chosen_roles(columns, kinds)
             for one in _commands_of_units(roles, columns, kinds, lines, reading)]  # fmt: skip
    readable = [command for command, is_read in found if is_read]
    # Where units have words, the text and the number of a unit name one and the same word.
    readable = [command for command in readable if re.search("[ ,]words=", command)] or readable
    commands = dict.fromkeys(readable or [command for command, _ in found])
    return [command for command in commands if is_table or not command.startswith("--from")]


def _commands_of_texts(columns: Columns, kinds: Mapping[str, str]) -> list[str]:
    values = [name for name, kind in kinds.items() if kind == LISTS]
    coder = known(columns, CODER_COLUMNS)
    others = {n: cells for n, cells in columns.items() if n not in (coder, *values)}
    text = known(others, ID_COLUMNS) or next(iter(unique_columns(others)), None)
    if coder is None and text is not None and _repeats(columns[text]):  # who has made a row?
        makers = [n for n, kind in kinds.items() if kind in (NAMES, WHOLE) and n != text]
        pairs = {n: list(zip(columns[text], columns[n], strict=True)) for n in makers}
        coder = next((n for n, own in pairs.items() if len(set(own)) == len(own)), None)
    roles = {role: name for role, name in (("text", text), ("coder", coder)) if name}
    single = [f"--columns {shlex.quote(write_columns(roles | {'ref': one}))}" for one in values]
    if coder is not None or len(values) == 1:
        return single
    named = f"--columns {shlex.quote(write_columns(roles))} " if roles else ""
    return [f"{named}--coders {shlex.join(values)}", *single]


def _command_of_segments(columns: Columns, kinds: Mapping[str, str]) -> str | None:
    """Return the options for spans: in each row a text that is as long as two numbers say.

    Up to two signs of white space at its ends may be missing.
    """
    numbers = [n for n, kind in kinds.items() if kind in (WHOLE, COUNT)]
    text = known(columns, TEXT_COLUMNS) or next((n for n, k in kinds.items() if k == NAMES), None)
    for start, end in permutations(numbers, 2):
        sizes = [
            int(b) - int(a) if _WHOLE.fullmatch(a) and _WHOLE.fullmatch(b) else -1
            for a, b in zip(columns[start], columns[end], strict=True)
        ]
        for words, kind in kinds.items():
            left = [size - len(c) for size, c in zip(sizes, columns[words], strict=True)]
            if text and kind == TEXT and words != text and min(left) >= 0 and max(left) <= 2:
                roles = {"text": text, "start": start, "end": end, "words": words}
                return f"--columns {shlex.quote(write_columns(roles))}"
    return None


def _chosen_roles(columns: Columns, kinds: Mapping[str, str]) -> list[Roles]:
    """Return the ways to see one unit per row; known names decide where there are several."""
    ways: dict[tuple[tuple[int, ...], ...], Roles] = {}
    for roles in _possible_roles(columns, kinds):
        # Two columns that divide the rows alike say the same.
        ways.setdefault(tuple(_parts(columns, name) for name in roles[:2]), roles)
    # A code of each row, d1_s3, may name the text too: then the file is not known to be one text.
    codes = any(kind == TEXT and _are_codes(columns[name]) for name, kind in kinds.items())
    found = [one for one in ways.values() if one.text or not codes]
    restarts = [
        one for one in found if one.unit and (one.text or one.coder) and _repeats(columns[one.unit])
    ]
    found = restarts or found
    for role, names in (("coder", CODER_COLUMNS), ("text", TEXT_COLUMNS)):
        own = known(columns, names)
        found = [one for one in found if own and getattr(one, role) == own] or found
    return found


def _parts(columns: Columns, name: str | None) -> tuple[int, ...]:
    """Return which rows have the same cell: for each row, the number of its cell."""
    if name is None or len(set(columns[name])) == 1:
        return ()
    seen: dict[str, int] = {}
    return tuple(seen.setdefault(cell, len(seen)) for cell in columns[name])


def _possible_roles(columns: Columns, kinds: Mapping[str, str]) -> Iterator[Roles]:
    named = [n for n, kind in kinds.items() if kind in (NAMES, WHOLE) and _may_be(n)][:6]
    counted = [n for n, kind in kinds.items() if kind in (COUNT, WHOLE) and _may_be(n)]
    # First what counts, and begins anew in each text; a number of each row comes last.
    counted.sort(key=lambda n: (kinds[n] != COUNT, len(set(columns[n])) == len(columns[n])))
    known_unit = known(counted, UNIT_COLUMNS)
    units: list[str | None] = [known_unit] if known_unit else [*counted[:4]]
    for unit in units or [None]:  # without numbers, rows are units in their order
        for text in (*named, None):
            for coder in (None, *named):
                if len({unit, text, coder} - {None}) == 3 - [unit, text, coder].count(None):
                    roles = Roles(text, coder, unit)
                    if _has_each_unit_once(roles, columns):
                        yield roles


def _are_codes(cells: Sequence[str]) -> bool:
    return not _repeats(cells) and not any(" " in cell for cell in cells)


def _repeats(cells: Sequence[str]) -> bool:
    return len(set(cells)) < len(cells)


def _may_be(name: str) -> bool:
    return name.lower() not in EXTRA_COLUMNS


def is_in_blocks(cells: Sequence[str]) -> bool:
    """Whether equal cells follow each other, as the names of texts do."""
    changes = sum(a != b for a, b in pairwise(cells))
    return changes + 1 == len(set(cells))


def _numbers_of_units(roles: Roles, columns: Columns) -> tuple[list[tuple[str, str]], list[int]]:
    """Return the text and annotator of each row, and the number of its unit."""
    rows = len(next(iter(columns.values())))
    texts, coders = (columns[n] if n else [""] * rows for n in (roles.text, roles.coder))
    whose = list(zip(texts, coders, strict=True))
    if roles.unit:
        return whose, [int(c) if _WHOLE.fullmatch(c) else -1 for c in columns[roles.unit]]
    counted: dict[tuple[str, str], int] = {}
    numbers = []
    for one in whose:
        counted[one] = counted.get(one, 0) + 1
        numbers.append(counted[one])
    return whose, numbers


def _has_each_unit_once(roles: Roles, columns: Columns) -> bool:
    """Whether the units of each text count up, the same ones for each annotator of the text."""
    whose, numbers = _numbers_of_units(roles, columns)
    units: dict[str, dict[str, list[int]]] = {}
    for (text, coder), number in zip(whose, numbers, strict=True):
        units.setdefault(text, {}).setdefault(coder, []).append(number)
    if roles.coder is None and not is_in_blocks([text for text, _ in whose]):
        return False
    if roles.coder and all(len(own) == 1 for own in units.values()):
        return False  # each text has one: the column says something about texts
    last = 0
    for own in units.values():
        ordered = [sorted(one) if roles.coder else one for one in own.values()]
        first = ordered[0]
        if first[0] not in (0, 1, last + 1) or any(one != first for one in ordered):
            return False
        if first != list(range(first[0], first[0] + len(first))):
            return False
        last = first[-1]
    return True


def _commands_of_units(
    roles: Roles,
    columns: Columns,
    kinds: Mapping[str, str],
    lines: Sequence[object],
    reading: Reading,
) -> Iterator[tuple[str, bool]]:
    """Yield commands for these roles, and whether the table is read so."""
    others = [name for name in columns if name not in roles and _may_be(name)]
    named = {role: name for role, name in roles._asdict().items() if name}
    words = _words_column(roles, columns, kinds)
    if words:
        named["words"] = words
    values = [name for name in others if kinds[name] == MARKS]
    values = values or [n for n in others if kinds[n] == WHOLE and _may_number(columns[n])]
    values = values or [name for name in others if kinds[name] == PROBABILITIES]
    if not values:  # labels
        values = [n for n in others if kinds[n] == NAMES and n != words]
    if roles.coder:
        for value in values:
            yield _command(named | {"ref": value}, [], columns, lines, reading)
    elif values:
        alone = _command(named, [], columns, lines, reading, values)
        yield alone if alone[1] else _command(named, values, columns, lines, reading)


def _may_number(cells: Sequence[str]) -> bool:
    """Whether numbers may be those of segments: they rise by 1, or fall where a text begins."""
    numbers = [int(cell) for cell in cells if _WHOLE.fullmatch(cell)]
    steps = pairwise(numbers)
    return all(counts_segments(step) or step[1] in (0, 1) for step in steps)


def _words_column(roles: Roles, columns: Columns, kinds: Mapping[str, str]) -> str | None:
    """Return the column with the units themselves: full, one per unit, and the longest."""
    texts = [n for n, k in kinds.items() if k in (TEXT, NAMES) and n not in roles and _may_be(n)]
    named = known(texts, WORDS_COLUMNS)
    whose, numbers = _numbers_of_units(roles, columns)
    units = [(text, number) for (text, _), number in zip(whose, numbers, strict=True)]
    best, length = named, 0
    for name in texts if named is None else ():
        cells = columns[name]
        own: dict[object, str] = {}
        same = all(own.setdefault(u, cell) == cell for u, cell in zip(units, cells, strict=True))
        differ = 2 * len(set(cells)) > len(own)  # a genre or a speaker is repeated
        if same and differ and all(cells) and sum(map(len, cells)) > length:
            best, length = name, sum(map(len, cells))
    return best


def _command(
    named: Mapping[str, str],
    coders: Sequence[str],
    columns: Columns,
    lines: Sequence[object],
    reading: Reading,
    expected: Sequence[str] = (),
) -> tuple[str, bool]:
    """Return the options, and whether the table is read with them."""
    from fencepost.formats.unit_rows import from_columns

    own = reading.replace(columns=dict(named), coders=tuple(coders))
    flags = ""
    for _ in range(len(columns) + 2):
        left = {name: cells for name, cells in columns.items() if name not in own.without}
        try:
            corpus = from_columns(left, lines, own)
        except FormatError as error:
            names_texts = re.search(r"--without (.+) if it does not$", str(error))
            if names_texts:
                own = own.replace(without=(*own.without, names_texts[1]))
            elif "--flags" in str(error) and not flags:
                is_open = "--flags last" in str(error)  # a B is the first unit
                own = own.replace(flags="last" if is_open else "first")
                flags = FLAGS if is_open else " --flags first"
            else:
                break
        else:
            is_meant = not expected or corpus.coders == list(expected)
            return _options(own) + flags, is_meant
    return _options(own), False


def _options(reading: Reading) -> str:
    """Return what the command line says for these columns."""
    said = "" if {"unit", "words"} & reading.columns.keys() else "--from units"
    said += f" --columns {shlex.quote(write_columns(reading.columns))}" if reading.columns else ""
    for flag in ("coders", "without"):
        names = getattr(reading, flag)
        said += f" --{flag} {shlex.join(names)}" if names else ""
    return said.strip()
