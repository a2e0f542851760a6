"""JSON: texts by id, records with named fields (one per line, or a list), and segeval's files."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from fencepost.formats.advice import advise_records
from fencepost.formats.built import built_from_values
from fencepost.formats.catalogue import endings_of
from fencepost.formats.columns import (
    CODER_COLUMNS,
    ID_COLUMNS,
    UNIT_COLUMNS,
    WORDS_COLUMNS,
    check_no_names,
    declared,
    id_column,
    is_row_per_unit,
    known,
    unique_columns,
)
from fencepost.formats.corpus_jsonl import Record, from_cuts, write_jsonl
from fencepost.formats.line_numbers import LineNumbers, with_lines
from fencepost.formats.lines import read_tsv, write_segeval_table
from fencepost.formats.marks import cell_of, family_of
from fencepost.formats.options import RECORD_ROLES, RECORDS, FormatError, Reading, split_lines
from fencepost.formats.registry import KEEPS, Format, first_line
from fencepost.formats.values import (
    Value,
    as_span,
    expect,
    is_annotated,
    is_skipped,
    kind_of,
    name_in,
    or_chunks,
    quoted,
    shown,
    words_in,
)
from fencepost.formats.writing import check_filled, sizes_by_key
from fencepost.model.checks import is_number, is_whole
from fencepost.model.corpus import ONLY, Corpus, Item, Key
from fencepost.model.join import item_name
from fencepost.wording import first_double, listed

# What such files are, for the line that says how they were read.
BY_TEXT = "{values} by text"
BY_TEXT_AND_CODER = "{values} by text and annotator"


def read_json(text: str, reading: Reading) -> Corpus:
    """``{"text id": [masses]}``, ``{"text id": {"coder": [masses]}}``, or a list of records."""
    return from_json(text, reading, _from_json)


def _from_json(data: Any, reading: Reading, lines: LineNumbers) -> Corpus:
    if isinstance(data, list):
        return from_records(located(data, lines, "record"), reading)
    if not isinstance(data, dict):
        raise FormatError(
            f'{lines.at()}: expected {{"text id": [masses], ...}}, found {kind_of(data)}'
        )
    if (
        "items" in data
        and isinstance(data["items"], dict)
        and set(data) <= {"items", "segmentation_type", "id"}
    ):
        return _from_segeval(data, reading, lines)
    if _is_record(data, reading):
        return from_records(located([data], lines, "record"), reading)
    return _from_texts(data, reading, lines)


def _is_record(data: Mapping[str, Any], reading: Reading) -> bool:
    """One object may be one record, or hold texts by id: a record has an id or units."""
    value = data.get(reading.field or reading.default_field)
    if isinstance(value, (list, str)):
        named = id_column({name: [one] for name, one in data.items()}, table=False)
        return bool(named) or reading.id_field in data or reading.units_field in data
    name = data.get(reading.id_field)
    return isinstance(name, str) and bool(set(name) - {"0", "1"})


def read_segeval(text: str, reading: Reading) -> Corpus:
    """segeval's JSON: ``{"segmentation_type": "linear", "items": {item: {coder: masses}}}``.

    Its tables, with the header ``Coder  Masses``, are read too, and written to a .tsv or .csv.
    """
    if not text.lstrip().startswith(("{", "[")):
        found = re.split(r"[,;\t]", first_line(text))[0].strip()
        if found.strip('"').lower() != "coder":
            raise FormatError(
                f"{reading.at(1)}: segeval's files are JSON, or tables that start with Coder and "
                f"Masses; found {found!r:.40}: other tables are --from tsv"
            )
        return read_tsv(text, reading)
    return from_json(text, reading, _from_segeval)


def _from_segeval(data: Any, reading: Reading, lines: LineNumbers) -> Corpus:
    items = data.get("items") if isinstance(data, dict) else None
    if not isinstance(items, dict):
        found = f"found {kind_of(items)}" if items is not None else "found none"
        raise FormatError(f'{lines.at("items")}: segeval\'s JSON has an object "items", {found}')
    kind = data.get("segmentation_type", "linear")
    if kind != "linear":
        raise FormatError(
            f'{lines.at("segmentation_type")}: only "linear" segmentations can be read, found '
            f"{shown(kind)}"
        )
    return _from_texts(items, reading, lines, "items", sized=True)


def read_jsonl(text: str, reading: Reading) -> Corpus:
    """One JSON object per line, with fields for the id, the segmentation and, if there, the units.

    A segmentation may be an object that says everything: ``{"cuts": [3, 5], "kinds": [",", "."]}``
    has a comma after unit 3 and a full stop after unit 5, in a text whose ``units`` are a number or
    the words. Such lines may name the ``coder`` and the ``speaker`` too. Every corpus can be
    written so; sizes are written where they hold all there is.
    """
    return from_records(json_lines(text, reading), reading)


def located(data: Sequence[Any], lines: LineNumbers, noun: str) -> list[Record]:
    """Return the elements of a JSON list with where they are; the ``noun`` says what they are."""
    if not data:
        raise FormatError(f"{lines.at()}: no {noun}s")
    return [(lines.at(n, said=f"{noun} {n + 1}"), one) for n, one in enumerate(data)]


def json_lines(text: str, reading: Reading) -> list[Record]:
    """Return the JSON values of lines with where they are."""
    lines = [(n, line) for n, line in enumerate(split_lines(text), start=1) if line.strip()]
    return [(reading.at(n), load_json(line, reading, n)) for n, line in lines]


def from_json(
    text: str, reading: Reading, make: Callable[[Any, Reading, LineNumbers], Corpus]
) -> Corpus:
    """Return the corpus that ``make`` makes of a JSON file; its errors have the lines of values."""
    data = load_json(text, reading)
    return with_lines(lambda lines: make(data, reading, lines), text, reading.name)


def load_json(text: str, reading: Reading, line: int | None = None) -> Any:
    """JSON, or a sentence that says where it is none; no name is twice in an object."""
    try:
        # json.loads makes a decoder for each line, but has a word about byte order marks.
        marked = text.startswith("\ufeff")
        return json.loads(text) if marked else _DECODER.decode(text)
    except _TwiceError as error:
        name = error.args[0]
        where = reading.at(line or LineNumbers("", text).line_of_second(name))
        raise FormatError(f"{where}: {shown(name)} is given twice in one object") from None
    except RecursionError:
        where = reading.at(line or LineNumbers("", text).line_of_depth())
        raise FormatError(f"{where}: not JSON that can be read: nested too deeply") from None
    except json.JSONDecodeError as error:
        where = reading.at(line or error.lineno)
        raise FormatError(f"{where}: not JSON: {error.msg} (column {error.colno})") from None
    except ValueError as error:  # a whole number longer than Python reads
        digits = re.search(r"has (\d+) digits", str(error))
        count = digits.group(1) if digits else "so many"
        where = reading.at(
            line or LineNumbers("", text).line_of_digits(int(digits[1]) if digits else 1)
        )
        raise FormatError(f"{where}: a number of {count} digits is too large") from None


class _TwiceError(Exception):
    pass


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        raise _TwiceError(first_double(names))
    return made


_DECODER = json.JSONDecoder(object_pairs_hook=_unique)


def _from_texts(
    data: Mapping[str, Any], reading: Reading, lines: LineNumbers, *under: str, sized: bool = False
) -> Corpus:
    values: dict[Key, Value] = {}
    empty: list[str] = []
    by_coder = {isinstance(given, dict) for given in data.values() if given != {}}
    for text, given in data.items():
        if not text.strip() or (isinstance(given, dict) and not all(c.strip() for c in given)):
            raise FormatError(f'{lines.at(*under, text)}: "" is no name of a text or a coder')
        if given == {}:
            raise FormatError(f"{lines.at(*under, text, said=text)}: no coder and no segmentation")
        if not isinstance(given, dict):
            where = lines.at(*under, text, said=text)
            if len(by_coder) > 1:
                raise FormatError(
                    f"{where}: no coder is named here, but in other texts of the file; found "
                    f"{kind_of(given)}"
                )
            if is_skipped(given, None, reading):
                empty.append(text)
            else:
                values[Key(text, "", ONLY)] = Value(given, where)
            continue
        for coder, value in given.items():
            if value is None:
                continue  # this annotator did not annotate the text
            if is_skipped(value, None, reading):
                empty.append(text)
                continue
            where = lines.at(*under, text, coder, said=f"{text}, {coder}")
            values[Key(text, "", coder)] = Value(value, where)
    if not values and not empty:
        raise FormatError(f"{lines.at(*under)}: no texts")
    shape = BY_TEXT_AND_CODER if True in by_coder else BY_TEXT
    return built_from_values(
        values, reading, "masses", sized=sized, by_name=True, shape=shape,
        empty=list(dict.fromkeys(empty)),
    )  # fmt: skip


def from_records(
    records: Sequence[Record],
    reading: Reading,
    coder_field: str | None = None,
    unread: Sequence[str] = (),
    shape: str = "one record per {text}: {values}",
    table: bool = False,
) -> Corpus:
    """Records with named fields: a text each, or a text and a coder, or a unit.

    ``shape`` is that of ``built_from_values``, with ``{text}`` for what a record is about.
    """
    for where, record in records:
        _check_is_object(where, record)
    first = records[0][1]
    if not any(record for _, record in records):
        raise FormatError(f"{records[0][0]}: expected an object with fields, found an empty object")
    if reading.without and not table:
        unread = [name for name in reading.without if name in first]
        records = [
            (where, {name: value for name, value in one.items() if name not in reading.without})
            for where, one in records
        ]
        first = records[0][1]
    for role, name in reading.columns.items():
        if role not in ("ref", "hyp") and not any(name in record for _, record in records):
            declared(role, first, reading)  # which refuses it
    words = reading.columns.get("words")
    by_words = words is not None and not isinstance(first.get(words), list)
    if "unit" in reading.columns or by_words or (not table and _is_unit(first, reading)):
        return from_unit_records(records, reading, unread)
    if words and "units" not in reading.columns:
        reading = reading.with_columns(units=words)
    if coder_field is None and _has_field_per_annotator(first, reading):
        shape = shape.replace("{text}", "text, one value per annotator")
        records, reading = _by_annotator(records, reading)
        first = records[0][1]
    coder_field = reading.columns.get("coder") or coder_field
    if coder_field is None and not table:
        coder_field = _coder_field(records, reading)
    try:
        field = field_of(records[0], reading, coder_field)
    except FormatError:
        if any(isinstance(value, (list, dict)) for value in first.values()):
            raise
        raise FormatError(
            f'{records[0][0]}: no field "{reading.default_field}". '
            f"{advise_records(records, reading, is_table=table)}"
        ) from None
    if (
        field not in first
        and coder_field
        and field in {str(r.get(coder_field)) for _, r in records}
    ):
        field = field_of(records[0], reading.with_columns(ref=None, hyp=None), coder_field)
    id_field = _id_field(records, reading, coder_field, table)
    own = reading if id_field is None else reading.with_columns(text=id_field)
    if any(isinstance(r.get(field), dict) for _, r in records):
        return from_cuts(records, field, own)
    values: dict[Key, Value] = {}
    tokens: dict[Item, list[str]] = {}
    empty: list[str] = []
    speaker = reading.columns.get("speaker")
    for index, (where, record) in enumerate(records, start=1):
        if field not in record:
            none = "; null stands for none" if reading.default_field == "hyp" else ""
            raise FormatError(f'{where}: no field "{field}"; there are {quoted(record)}{none}')
        if is_skipped(record[field], record.get(reading.units_field), reading):
            empty.append(name_in(record, id_field, where) if id_field else str(index))
            continue
        if (coder_field or reading.default_field == "hyp") and not is_annotated(record[field]):
            continue  # a system or annotator that has nothing for a text; --missing is about that
        text = name_in(record, id_field, where) if id_field else str(index)
        coder = name_in(record, coder_field, where) if coder_field else ONLY
        stream = name_in(record, speaker, where) if speaker else ""
        units = record.get(reading.units_field)
        if isinstance(units, list):
            tokens[text, stream] = words_in(units)
        key = Key(text, stream, coder)
        if key in values:
            _refuse_same_text(records, index - 1, key, values[key].where, (field, id_field))
            raise FormatError(
                f"{_given_twice(key, where, id_field, table)} "
                f"{advise_records(records, reading, is_table=table)}"
            )
        values[key] = _value(record, field, units, own, where)
    if coder_field and not values:
        raise FormatError(f'{records[0][0]}: no annotator has a value in "{field}"')
    if not id_field:
        _refuse_repeated(records, (field, "ref", "hyp"), reading, table)
    if table:
        _refuse_single_marks(values, records, reading)
    used = (id_field, coder_field, speaker)
    return built_from_values(
        values, reading, field, tokens, field=field, naming="own" if id_field else "numbers",
        unit="sentence" if any(" " in t for ts in tokens.values() for t in ts[:3]) else "unit",
        id_field=id_field,
        not_names="" if id_field else _why_no_names(records, field, reading, table),
        ignored=tuple(
            dict.fromkeys((*unread, *_ignored(values, first, field, used, reading)))
        ),
        may_name={} if id_field else _may_name(records, (field, reading.units_field)),
        shape=shape.replace("{text}", what_a_record_is(coder_field, speaker, reading)),
        empty=list(dict.fromkeys(empty)),
    )  # fmt: skip


def _has_field_per_annotator(record: Mapping[str, Any], reading: Reading) -> bool:
    """Whether --coders names fields of a record, and no role says that annotators are elsewhere."""
    roles = {"ref", "hyp", "coder"} & set(reading.columns)
    return bool(reading.coders) and not roles and {*reading.coders} <= {*record} - {"annotator"}


def _by_annotator(records: Sequence[Record], reading: Reading) -> tuple[Sequence[Record], Reading]:
    """Return one record per text and annotator, where a record has one field per annotator."""
    field = ", ".join(reading.coders)
    made = []
    for where, record in records:
        rest = {name: value for name, value in record.items() if name not in reading.coders}
        made += [
            (where, {**rest, "annotator": coder, field: record[coder]})
            for coder in reading.coders
            if coder in record
        ]
    return made, reading.with_columns(coder="annotator", **{reading.default_field: field})


def _is_unit(record: Mapping[str, Any], reading: Reading) -> bool:
    """Whether a record of JSON is a unit, by its names, and no field holds all units of a text."""
    if any(isinstance(value, (list, dict)) for value in record.values()):
        return False
    value = record.get(reading.field or reading.default_field)
    return not (isinstance(value, str) and len(value) > 1) and is_row_per_unit(list(record))


def _refuse_repeated(
    records: Sequence[Record], segmentations: Collection[str], reading: Reading, table: bool
) -> None:
    """Raise FormatError for a record that is there twice, where other fields differ from others.

    Texts without names may be segmented alike; what else is known of them then still differs.
    """
    seen: dict[str, str] = {}
    others = set()
    twice = None
    for where, record in records:
        rest = {name: value for name, value in record.items() if name not in segmentations}
        others.add(json.dumps(rest, sort_keys=True, default=str))
        same = seen.setdefault(json.dumps(record, sort_keys=True, default=str), where)
        twice = twice or ((where, same) if same != where else None)
    if twice is not None and 2 * len(others) > len(records):
        way = f", or a row is a unit. {advise_records(records, reading, table)}" if table else ""
        raise FormatError(f"{twice[0]}: this is the same as {twice[1]}; remove one of the two{way}")


def _refuse_single_marks(
    values: Mapping[Key, Value], records: Sequence[Record], reading: Reading
) -> None:
    """Raise FormatError for one mark in every row: then a row is a unit, and no text."""
    given = [value.given for value in values.values() if isinstance(value.given, (list, str))]
    single = [one for one in given if len(one) == 1]
    cells = {cell_of(one[0]) for one in single if not isinstance(one[0], (list, dict))}
    one_mark = len(single) == len(values) and len(cells) > 1 and family_of(cells) is not None
    # 0,0 and 1,0 are marks with a decimal comma.
    if one_mark or (len(given) > 2 and all(one in ([0, 0], [1, 0]) for one in given)):
        raise FormatError(
            f"{next(iter(values.values())).where}: every row has one mark, so a row is a unit. "
            f"{advise_records(records, reading, is_table=True)}"
        )


def _refuse_same_text(
    records: Sequence[Record], row: int, key: Key, first: str, used: tuple[str, str | None]
) -> None:
    """Raise FormatError where no other field could tell two records of a text apart.

    A record with a whole segmentation is no unit: one of the two needs another name.
    """
    field, id_field = used
    record = records[row][1]
    if not isinstance(record[field], list) or len(record[field]) < 2:
        return
    same = [own for _, own in records[:row] if str(own.get(id_field)) == str(record.get(id_field))]
    others = [name for name in record if name not in used]
    told = [n for n in others if any(own.get(n) != record[n] for own in same)]
    if any(not isinstance(record[name], list) or len(record[name]) < 2 for name in told):
        return
    by = "" if key.coder == ONLY else f" by {key.coder}"
    raise FormatError(
        f"{records[row][0]}: the text {item_name(key[:2])}{by} is given twice ({id_field}), first "
        f"in {first}. A text is in a file once: remove or rename one of the two"
    )


def _given_twice(key: Key, where: str, id_field: str | None, table: bool) -> str:
    by = "" if key.coder == ONLY else f" by {key.coder}"
    row = "row" if table else "record"
    return (
        f"{where}: the text {item_name(key[:2])}{by} is given twice ({id_field}). If another "
        f"column names texts: --columns text=NAME; or a {row} is a unit."
    )


def what_a_record_is(coder_field: str | None, speaker: str | None, reading: Reading) -> str:
    """What a record is about, and the fields that say so where their names do not."""
    said = {"speaker": speaker, "annotator": coder_field}
    found = [
        what if name in (what, "coder") else f"{what} ({name})"
        for what, name in said.items()
        if name
    ]
    units = reading.columns.get("units")
    return listed(["text", *found], last=" and ") + (f", units in {units}" if units else "")


def _coder_field(records: Sequence[Record], reading: Reading) -> str | None:
    """The field of the coder, where all lines have it and texts come more than once."""
    coder = known(records[0][1], CODER_COLUMNS)
    if coder is None or not all(coder in record for _, record in records):
        return None
    name = _id_field(records, reading, None, False)
    ids = [str(record.get(name)) for _, record in records]
    return coder if len(set(ids)) < len(ids) else None


def _id_field(
    records: Sequence[Record], reading: Reading, coder_field: str | None, table: bool
) -> str | None:
    """The field that names the texts: the one asked for, or the first that is known."""
    if "text" in reading.columns:
        return reading.id_field
    given = reading.columns.values()  # which have another role
    names = [n for n in records[0][1] if n.lower() in ID_COLUMNS and n not in given]
    if "id" not in names and any(record.get("id") is not None for _, record in records):
        names.append("id")
    columns = {name: [record.get(name) for _, record in records] for name in names}
    coders = [record.get(coder_field) for _, record in records] if coder_field else None
    return id_column(columns, coders, table)


def _why_no_names(records: Sequence[Record], field: str, reading: Reading, table: bool) -> str:
    """Return why no known column names the texts; raise FormatError where one nearly does."""
    aside = {field, *reading.columns.values(), *(() if table else ("text",))}
    names = [name for name in records[0][1] if name not in aside]
    columns = {name: [record.get(name) for _, record in records] for name in names}
    return ", ".join(check_no_names(columns, [where for where, _ in records]))


def _may_name(
    records: Sequence[Record], used: Collection[str | None]
) -> dict[str, tuple[str, ...]]:
    names = [name for name in records[0][1] if name not in used]
    return unique_columns({n: [record.get(n) for _, record in records] for n in names})


def from_unit_records(
    records: Sequence[Record], reading: Reading, unread: Sequence[str] = ()
) -> Corpus:
    """Records of units: columns with a cell for each, as a table with a row per unit has them."""
    from fencepost.formats.unit_rows import from_columns

    names = dict.fromkeys(name for _, record in records for name in record)
    left = [name for name in names if name in reading.without]
    aside = {*ID_COLUMNS, *UNIT_COLUMNS, *WORDS_COLUMNS, *CODER_COLUMNS}
    aside |= {str(reading.columns.get(r)).lower() for r in ("text", "unit", "words", "coder")}
    columns = {}
    for name in names:
        cells = [cell_of(record.get(name)) for _, record in records]
        # A name that is null is empty.
        is_name = name.lower() in aside
        columns[name] = ["" if is_name and cell == "null" else cell for cell in cells]
    columns = {name: cells for name, cells in columns.items() if name not in left}
    unread = list(dict.fromkeys([*unread, *left]))
    return from_columns(columns, [where for where, _ in records], reading, unread)


def _ignored(
    values: Mapping[Key, Value],
    first: Mapping[str, Any],
    field: str,
    used: Collection[str | None],
    reading: Reading,
) -> tuple[str, ...]:
    """Fields of the first record that were not read; spans look at the text and its duration."""
    given = next((value.given for value in values.values() if value.given), None)
    spans = isinstance(given, list) and isinstance(given[0], (list, dict))
    words = (reading.units or "").removeprefix("words:")
    measured = spans or reading.units is not None
    beside = (raw_field(reading), duration_field(reading), words) if measured else ()
    return fields_beside(first, (field, *used, *beside), reading)


def raw_field(reading: Reading) -> str:
    """The field of the text itself."""
    return str(reading.columns.get("raw", "text"))


def duration_field(reading: Reading) -> str:
    """The field of the length of a recording."""
    return str(reading.columns.get("duration", "duration"))


def fields_beside(
    names: Iterable[str], used: Collection[str | None], reading: Reading
) -> tuple[str, ...]:
    """Return the fields that are neither ``used`` nor name a text or its units."""
    known = {reading.units_field, *used}
    return tuple(name for name in names if name not in known)


def _value(
    record: Mapping[str, Any], field: str, units: Any, reading: Reading, where: str
) -> Value:
    """A record's segmentation with what else is known of the text."""
    raw, duration = raw_field(reading), duration_field(reading)
    text = record.get(raw) if raw not in (field, reading.columns.get("text")) else None
    words = (reading.units or "").removeprefix("words:")
    timed = bool(words) and words != reading.units
    times = _times(record, words, where) if timed else None
    length = record.get(duration)
    seconds = length is None or (is_number(length) and length > 0)
    expect(seconds, where, f'"{duration}" must be seconds', length)
    return Value(
        record[field],
        where,
        _count(units, reading.units_field, where),
        text if isinstance(text, str) else None,
        times,
        length,
        record,
    )


def _times(record: Mapping[str, Any], field: str, where: str) -> list[tuple[float, float]]:
    given = record.get(field)
    if given is None:
        raise FormatError(f'{where}: no field "{field}" with the times of words')
    filled = isinstance(given, list) and given != []
    expect(filled, where, f'"{field}" must be a list with the [start, end] of every word', given)
    times = []
    for number, one in enumerate(given, start=1):
        pair = as_span(one)
        numbers = isinstance(pair, list) and len(pair) == 2 and all(map(is_number, pair))
        if not numbers or pair[1] < pair[0]:
            raise FormatError(
                f'{where}: "{field}" must hold the [start, end] of every word; number {number} is '
                f"{kind_of(one)}"
            )
        times.append((float(pair[0]), float(pair[1])))
    return times


def _count(units: Any, field: str, where: str) -> int | None:
    """How many units there are; text in this field may say what they are, and counts nothing."""
    if units is None or (isinstance(units, str) and not re.fullmatch(r"[\d\s.]+", units)):
        return None
    count = len(units) if isinstance(units, list) else units
    must = f'"{field}" must be a list of the units or their number, at least 1'
    if count == 0:
        must += " (--empty skip ignores texts without units)"
    expect(is_whole(count) and count >= 1, where, must, units)
    return int(count)


def _may_segment(value: Any) -> bool:
    """Whether a value may be a segmentation: a list, cuts, or a string of marks; no sentences."""
    if isinstance(value, str):
        return bool(value) and set(value) <= set("01xX- BIOESyYnN")
    if isinstance(value, list) and any(isinstance(one, str) and " " in one for one in value):
        return False
    return isinstance(value, list) or (isinstance(value, dict) and "cuts" in value)


def _check_is_object(where: str, record: Any) -> None:
    """Raise FormatError for a record without fields."""
    if isinstance(record, dict):
        return
    way = 'texts without fields are {"text id": [5, 5]}'
    if isinstance(record, str):
        way = "sentences are --from sentences (--hyp-from)"
    raise FormatError(f"{where}: expected an object with fields, found {kind_of(record)}; {way}")


def field_of(record: Record, reading: Reading, coder_field: str | None = None) -> str:
    """The field asked for, the usual one, or the only one that the first record has."""
    where, first = record
    _check_is_object(where, first)
    if reading.field is not None:
        return str(reading.field)
    if reading.default_field in first:
        return str(reading.default_field)
    aside = {*ID_COLUMNS, *CODER_COLUMNS, "speaker", "ref", "hyp", coder_field}
    aside |= {reading.units_field, *reading.columns.values()}
    free = {name: value for name, value in first.items() if name not in aside}
    others = [name for name, value in free.items() if _may_segment(value)]
    if not others and "ref" in first:
        return "ref"  # a file of its own for a hypothesis, as fencepost convert writes them
    if len(others) == 1:
        return str(others[0])
    side = reading.default_field
    other = "hyp" if side == "ref" else "ref"
    if not others and _may_segment(first.get(other)):
        others = [other]  # the only one, though of the other side
    several = len(others) > 1 and side == "ref" and coder_field is None
    annotators = f", or take them as annotators with --coders {' '.join(others)}" * several
    raise FormatError(
        f'{where}: no field "{side}"; there are {quoted(first)}: say which with --columns '
        f"{side}={(others or ['NAME'])[0]}{annotators}{or_chunks(first)}"
    )


def write_json(corpus: Corpus) -> str:
    """One line a text."""
    texts: dict[str, Any] = {}
    # Without coders a text named ref beside one named id would look like a record.
    plain = corpus.coders == ["1"] and not {"ref", "hyp", "id"} & set(corpus.texts)
    if not plain and set(corpus.texts) <= {"items", "segmentation_type", "id"}:
        raise FormatError(
            "texts with these names would be read as segeval's JSON; jsonl can hold them"
        )
    check_filled(corpus)
    for key, sizes in sizes_by_key(corpus, "json"):
        if plain:
            texts[key.text] = sizes
        else:
            texts.setdefault(key.text, {})[key.coder] = sizes
    lines = [
        f"{json.dumps(t, ensure_ascii=False)}: {json.dumps(m, ensure_ascii=False)}"
        for t, m in texts.items()
    ]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def write_segeval(corpus: Corpus) -> str:
    """segeval's own layout."""
    check_filled(corpus)
    items: dict[str, dict[str, list[int]]] = {}
    for key, sizes in sizes_by_key(corpus, "segeval"):
        items.setdefault(key.text, {})[key.coder] = sizes
    data = {"segmentation_type": "linear", "items": items}
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n"


JSON = Format(
    "json",
    endings_of("json"),
    "texts by id: segment sizes, or sizes by coder",
    '{"d1": [5, 5, 1, 3], "d2": [7, 7]}',
    read_json,
    lambda text: re.match(r'\s*(\{\s*["}]|\[\s*[\[\]{"\d])', text) is not None,
    write_json,
    keeps=("texts", "coders"),
    takes=RECORDS,
    roles=RECORD_ROLES,
)
JSONL = Format(
    "jsonl",
    endings_of("jsonl"),
    "one object per line with fields id, ref, hyp, units (0/1 marks, bit strings, sizes or labels)",
    '{"id": "d1", "ref": [0, 0, 1, 0, 1], "units": ["a", "b", "c", "d", "e"]}',
    read_jsonl,
    write=write_jsonl,
    keeps=tuple(KEEPS),
    takes=RECORDS,
    roles=RECORD_ROLES,
)
SEGEVAL = Format(
    "segeval",
    endings_of("segeval"),
    "segeval's JSON",
    '{"segmentation_type": "linear", "items": {"d1": {"an1": [5, 5], "an2": [4, 6]}}}',
    read_segeval,
    write=write_segeval,
    write_as={
        ".tsv": write_segeval_table,
        ".csv": partial(write_segeval_table, delimiter=","),
    },
    unnamed_as=(".tsv", ".csv"),
    keeps=("texts", "coders"),
    takes=("flags", "encoding", "threshold", "probabilities"),
)
