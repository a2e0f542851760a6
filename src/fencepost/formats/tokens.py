"""Tables of tokens with boundary kinds, by speaker and annotator; and strings of boundary marks."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from fencepost.formats.boundary_columns import (
    Boundaries,
    Cell,
    TokenColumn,
    is_type,
    is_word_per_token,
    read_columns,
)
from fencepost.formats.built import add_value, built
from fencepost.formats.catalogue import endings_of
from fencepost.formats.columns import CODER_COLUMNS, TEXT_COLUMNS, declared, known, sheet_of
from fencepost.formats.marks import EXTRA_COLUMNS
from fencepost.formats.options import FormatError, Reading
from fencepost.formats.registry import Format, first_line, join_rows, split_rows
from fencepost.formats.turns import ignored, word_filter
from fencepost.formats.values import Value
from fencepost.formats.writing import (
    MAX_UNITS_AS_SIGNS,
    UNTYPED,
    check_columns,
    check_names,
    check_units,
    is_cell,
    known_words,
    marks_of,
    numbers,
)
from fencepost.model.corpus import Corpus, CorpusBuilder, Item, Key
from fencepost.model.join import item_name
from fencepost.model.segmentation import Segmentation
from fencepost.wording import first_double

NONE = "none"  # stands for no boundary in costs, so no kind may be named so
KNOWN = ("text", "speaker", "token")


def read_tokens(text: str, reading: Reading) -> Corpus:
    """One row per token: text and speaker (if any), token, and one column per annotator.

    A cell holds the type of the boundary after the token, or nothing (``-`` is nothing, too); the
    rows of a text follow each other. Boundaries that are all ``¦`` have no types, nor have marks
    such as 0 and 1 in every cell (``--flags``). Tokens that match ``ignore_tokens`` are ignored; a
    boundary after one moves to the token before it. A field names one annotator.
    """
    header, rows, unread = table_of(text, reading)
    cells = {name: [own[i].strip() for _, own in rows] for i, name in enumerate(header)}
    # The columns of tokens are those that are called so; other units may be types' names.
    is_long = known(header, CODER_COLUMNS) is not None or "coder" in reading.columns
    wanted = {
        "words": ("token",),
        "speaker": ("speaker",),
        "coder": CODER_COLUMNS,
        "unit": ("position", "index") if is_long else (),
    }
    sheet = sheet_of(cells, [number for number, _ in rows], reading, wanted)
    if sheet.words is None:
        raise FormatError(
            f'{reading.at(1)}: a token table has a column "token", found {", ".join(header)}: '
            "--columns words=NAME"
        )
    if not sheet.coders:
        raise FormatError(
            f"{reading.at(1)}: no column for an annotator; there are {', '.join(header)}"
        )
    text_column = sheet.names.get("text")
    nameless = text_column is None or not any(sheet.texts)
    texts = [reading.stem] * len(sheet.texts) if nameless else sheet.texts
    if "" in texts:
        raise FormatError(
            f'{reading.at(sheet.lines[texts.index("")])}: the column "{text_column}" is empty '
            "here and not in other rows"
        )
    rows_of_texts(texts, sheet.lines, reading)  # which refuses texts that are not in one piece
    speakers = sheet.speakers or [""] * len(texts)
    items = [(name, speaker) for name, speaker in zip(texts, speakers, strict=True)]
    tokens = _by_item(items, sheet.words, sheet.lines)
    columns = [
        TokenColumn(coder, _by_item(sheet.part(coder, items), own, sheet.part(coder, sheet.lines)),
                    reading, sheet.is_chosen)
        for coder, own in sheet.coders.items()
    ]  # fmt: skip
    boundaries = read_columns(columns, reading)
    order = {item: number for number, item in enumerate(tokens)}
    after = {key: boundaries.after[key]
             for key in sorted(boundaries.after, key=lambda key: order[key[:2]])}  # fmt: skip
    words, values = _kept_tokens(tokens, after, reading)
    left = set(sheet.ignored)
    unread += [name for name in header if name in left]
    corpus = _corpus(values, words, boundaries, reading, unread, nameless, sheet.field)
    row = "one row per token and annotator" if is_long else "one row per token"
    if not reading.columns and not is_long:
        return corpus
    said = f"{row} (columns {', '.join(sheet.names.values())})"
    return corpus.described(shape=corpus.source.shape.replace("one row per token", said))


def _by_item(
    items: Sequence[Item], cells: Sequence[str], lines: Sequence[Any]
) -> dict[Item, list[Cell]]:
    """Return the cells of a column by text and speaker."""
    found: dict[Item, list[Cell]] = {}
    for item, cell, line in zip(items, cells, lines, strict=True):
        found.setdefault(item, []).append(Cell(cell, line))
    return found


def _check_field(reading: Reading, coders: Sequence[str]) -> None:
    if reading.field is not None and reading.field not in coders:
        raise FormatError(
            f"{reading.name}: no annotator {reading.field!r}; there are {', '.join(coders)}"
        )


def _kept_tokens(
    tokens: Mapping[Item, Sequence[Cell]], after: Mapping[Key, Sequence[str]], reading: Reading
) -> tuple[dict[Item, list[str]], dict[Key, Value]]:
    """Return tokens and the boundaries after them, without the tokens that are ignored."""
    keep = word_filter(reading)
    words = {item: [token for token, _ in own if keep(token)] for item, own in tokens.items()}
    values: dict[Key, Value] = {}
    for key, marks in after.items():
        own = tokens[key.text, key.stream]
        values[key] = Value([], reading.at(own[0].line))
        for (token, line), mark in zip(own, marks, strict=True):
            where = reading.at(line)
            if mark.lower() == NONE:
                raise FormatError(
                    f"{where}: a boundary type cannot be named {mark!r} ({key.coder}, text "
                    f"{item_name((key.text, key.stream))}, token {len(values[key].given) + 1}); "
                    "leave the cell empty"
                )
            if keep(token):
                values[key].given.append(mark)
            elif mark:
                _move_back(values[key].given, mark, key, token, where)
    return words, values


def rows_of_texts(texts: Sequence[str], lines: Sequence[int], reading: Reading) -> dict[str, slice]:
    """Return the rows of each text; raise FormatError where they do not follow each other.

    Two parts of one name may be two texts.
    """
    found: dict[str, slice] = {}
    for row, (text, line) in enumerate(zip(texts, lines, strict=True)):
        known = found.get(text, slice(row, row))
        if known.stop != row:
            raise FormatError(
                f"{reading.at(line)}: the text {text} is given twice, up to line "
                f"{lines[known.stop - 1]} and from here; rows of a text follow each other, and two "
                "texts have two names"
            )
        found[text] = slice(known.start, row + 1)
    return found


def _is_header(cells: Sequence[str], lower: list[str]) -> bool:
    """Whether a row has the names of the columns; most rows differ in the first cell."""
    if not cells or cells[0].strip().lower() != lower[0]:
        return False
    return [cell.strip().lower() for cell in cells[: len(lower)]] == lower


Rows = list[tuple[int, list[str]]]  # line numbers and cells

# A first column that counts the rows: no name in R and pandas, these when read again by them.
ROW_NAMES = ("unnamed: 0", "rownames")


def table_of(text: str, reading: Reading) -> tuple[list[str], Rows, list[str]]:
    """Return column names, rows of as many cells, and what was not read.

    Columns without a name and a value are not read, nor are row names: a first column without a
    name that holds a different number in every row.
    """
    rows = split_rows(text, reading)
    if not rows:
        raise FormatError(f"{reading.name} has no rows")
    header = [cell.strip() for cell in rows[0][1]]
    while header and not header[-1]:
        header.pop()
    unread = _drop_row_names(header, rows)
    if "" in header:
        raise FormatError(f"{reading.at(rows[0][0])}: column {header.index('') + 1} has no name")
    lower = [name.lower() for name in header]
    twice = first_double(lower)
    if twice is not None:
        name = header[lower.index(twice)]
        raise FormatError(f"{reading.at(rows[0][0])}: a column is there twice: {name}")
    if len(rows) == 1:
        raise FormatError(f"{reading.name} has no rows under its header")
    made = []
    for number, cells in rows[1:]:
        if _is_header(cells, lower):
            raise FormatError(
                f"{reading.at(number)}: the header is here again, as where two files were put "
                "together; take this line out, or read both from a folder"
            )
        own = cells[: len(header)]
        if len(own) < len(header) or any(cell.strip() for cell in cells[len(header) :]):
            raise FormatError(
                f"{reading.at(number)}: {len(cells)} cell{'s'[: len(cells) != 1]} under "
                f"{len(header)} column names"
            )
        made.append((number, own))
    kept = [i for i, name in enumerate(header) if name not in reading.without]
    if len(kept) < len(header):
        unread += [name for name in header if name in reading.without]
        made = [(number, [own[i] for i in kept]) for number, own in made]
    return [header[i] for i in kept], made, unread


def _drop_row_names(header: list[str], rows: Rows) -> list[str]:
    """Remove row names from the header and the rows; return what to call them, if there are any."""
    if len(header) < 2:
        return []
    first = [cells[0].strip() for _, cells in rows[1:]]
    are_numbers = len(set(first)) == len(first) > 0 and all(re.fullmatch(r"\d+", c) for c in first)
    if not are_numbers:
        return []
    counted = first in (_numbers_from(0, len(first)), _numbers_from(1, len(first)))
    if header[0] and not (header[0].lower() in ROW_NAMES and counted):
        return []
    header.pop(0)
    rows[1:] = [(number, cells[1:]) for number, cells in rows[1:]]
    return ["row names"]


def _numbers_from(start: int, count: int) -> list[str]:
    return [str(number) for number in range(start, start + count)]


def _move_back(marks: list[str], mark: str, key: Key, token: str, where: str) -> None:
    """Move the boundary after an ignored token to the token before it."""
    text = item_name((key.text, key.stream))
    if not marks:
        raise FormatError(
            f"{where}: {key.coder} has {mark!r} after the ignored token {token!r}, and text {text} "
            "has no token before it"
        )
    if marks[-1] not in ("", mark):
        raise FormatError(
            f"{where}: {key.coder} has {mark!r} after the ignored token {token!r} and "
            f"{marks[-1]!r} after the token before it (text {text}, token {len(marks)})"
        )
    marks[-1] = mark


def read_boundary_strings(text: str, reading: Reading) -> Corpus:
    """One row per speaker: text, annotator, speaker, boundaries; one character per token.

    A space or ``-`` is no boundary, any other character is a type. Strings of 0 and 1, or of other
    marks, have no types (``--flags``).
    """
    names, rows, unread = table_of(text, reading)
    header = [name.lower() for name in names]
    for role, wanted in (("text", "text"), ("coder", "annotator"), ("speaker", "speaker")):
        own = declared(role, names, reading)
        if own is not None:
            header[names.index(own)] = wanted
    for wanted in ("text", "annotator", "boundaries"):
        if wanted not in header:
            raise FormatError(
                f'{reading.at(1)}: a column "{wanted}" is missing, found {", ".join(names)}'
            )
    rows_of: dict[Key, Value] = {}
    for number, cells in rows:
        row = dict(zip(header, cells, strict=True))
        key = Key(*(row.get(name, "").strip() for name in ("text", "speaker", "annotator")))
        where = reading.at(number)
        if not key.text or not key.coder:
            raise FormatError(f"{where}: a row needs a text and an annotator")
        if not row["boundaries"]:
            raise FormatError(f"{where}: the text {key.text} by {key.coder} has no tokens")
        signs = [Cell("" if sign == " " else sign, number) for sign in row["boundaries"]]
        add_value(rows_of, key, Value(signs, where))
    coders = list(dict.fromkeys(key.coder for key in rows_of))
    _check_field(reading, coders)
    # By text and speaker, so that boundary types have the order in which these show them.
    order = {item: n for n, item in enumerate(dict.fromkeys(key[:2] for key in rows_of))}
    given: dict[str, dict[Item, list[Cell]]] = {coder: {} for coder in coders}
    for key, value in rows_of.items():
        given[key.coder][key[:2]] = value.given
    # A column says who the annotators are, so no name of theirs makes them something else.
    columns = [
        TokenColumn(coder, own, reading, is_chosen=True)
        for coder, own in given.items()
        if reading.field in (None, coder)
    ]
    boundaries = read_columns(columns, reading)
    keys = sorted(boundaries.after, key=lambda key: order[key[:2]])
    values = {key: Value(boundaries.after[key], rows_of[key].where) for key in keys}
    return _corpus(values, {}, boundaries, reading, unread, field=reading.field)


def _segmentation(marks: list[str], names: list[str]) -> Segmentation:
    if names != [UNTYPED]:
        return Segmentation.from_marks(marks, names)
    return Segmentation(len(marks), [i for i, m in enumerate(marks[:-1], start=1) if m])


def _corpus(
    values: dict[Key, Value],
    tokens: dict[Item, list[str]],
    boundaries: Boundaries,
    reading: Reading,
    unread: Sequence[str],
    nameless: bool = False,
    field: str | None = None,
) -> Corpus:
    names = list(dict.fromkeys(m for value in values.values() for m in value.given if m))
    if not boundaries.typed:
        names = [UNTYPED]
    builder = CorpusBuilder()
    for key, value in values.items():
        item = key.text, key.stream
        if not value.given:
            raise FormatError(f"{reading.name}: the text {item_name(item)} has no tokens")
        builder.add(key, _segmentation(value.given, names), tokens.get(item), value.where)
    return built(
        builder,
        reading,
        # Strings of boundaries have no tokens, so nothing can be left out of them.
        choices=boundaries.choices | (ignored(reading) if tokens else {}),
        unit="token",
        field=field,
        shape=_shape(bool(tokens), names),
        naming="file" if nameless else "own",
        ignored=(*unread, *boundaries.ignored),
    )


def _shape(with_tokens: bool, names: list[str]) -> str:
    """What a row is and what its cells mean, for the line that says how the file was read."""
    row = "token" if with_tokens else "text and speaker, one character per token"
    what = "a mark" if names == [UNTYPED] else "the boundary type"
    return f"one row per {row}; {{annotators}} ({what} after a token, or none)"


def header_of(text: str) -> list[str]:
    """The names in the first line of a table, in lower case."""
    cells = re.split(r"[,;\t]", first_line(text)[:10_000])
    names = [cell.strip().strip('"').lower() for cell in cells]
    return names[1:] if len(names) > 1 and names[0] in ("", *ROW_NAMES) else names


def write_tokens(corpus: Corpus, delimiter: str = ",") -> str:
    """One row per token; its number stands for a token that is not known."""
    taken = (*KNOWN, *TEXT_COLUMNS, *CODER_COLUMNS, *EXTRA_COLUMNS)
    check_columns(corpus, "a table of tokens", *taken)
    check_units(corpus, "a table of tokens")
    _check_kinds(corpus, "tokens")
    coders, speakers = corpus.coders, corpus.has_streams
    rows = [["text", *(["speaker"] if speakers else []), "token", *coders]]
    bare = _has_no_cut(corpus)
    order = {text: number for number, text in enumerate(corpus.texts)}
    for item in sorted(corpus.items, key=lambda item: order[item[0]]):
        marks = _columns(corpus, item)
        if bare:  # a mark at the end divides nothing, and says that there are no types
            marks[0][-1], bare = UNTYPED, False
        units = len(marks[0])
        tokens = known_words(corpus, item, units, "tokens", is_cell) or numbers(units)
        before = item if speakers else item[:1]
        rows += [[*before, *row] for row in zip(tokens, *marks, strict=True)]
    for coder, cells in zip(coders, list(zip(*rows[1:], strict=True))[-len(coders) :], strict=True):
        if is_word_per_token(cells):
            raise FormatError(
                f"{coder} has a boundary type after every token, which would be read as something "
                "about the tokens; jsonl can hold it"
            )
    return join_rows(rows, delimiter)


def _check_kinds(corpus: Corpus, format: str) -> None:
    """Refuse types of boundaries that would be read as something else."""
    if corpus.is_mixed:
        raise FormatError(
            f"some segmentations have boundary types and others none, which {format} cannot say; "
            "jsonl can"
        )
    for name in corpus.kind_names or ():
        if not is_cell(name) or not is_type(name) or name.lower() == NONE:
            raise FormatError(
                f"the boundary type {name!r} would not be read as one from {format}; jsonl can "
                "hold it"
            )


def _has_no_cut(corpus: Corpus) -> bool:
    """Neither cuts nor types: without any mark it would not be known that there are no types."""
    return corpus.kind_names is None and not len(corpus.column.values)


def _columns(corpus: Corpus, item: Item) -> list[list[str]]:
    """The marks of every coder, as many for each."""
    made = []
    for coder in corpus.coders:
        key = Key(*item, coder)
        seg = corpus.entries.get(key)
        if seg is None:
            raise FormatError(
                f"{coder} did not annotate text {item_name(item)}, and a table of tokens cannot "
                "say so: an empty cell is a position without a boundary; jsonl and "
                "boundary-strings can"
            )
        made.append(marks_of(seg, key, "a table of tokens"))
    sizes = sorted({len(marks) for marks in made})
    if len(sizes) > 1:
        raise FormatError(
            f"text {item_name(item)}: coders have {' and '.join(map(str, sizes))} units, and a "
            "table of tokens has one row for each; jsonl can hold both"
        )
    return made


def write_boundary_strings(corpus: Corpus, delimiter: str = ",") -> str:
    """One row per segmentation, one character per unit."""
    check_names(corpus)
    check_units(corpus, "a string of boundaries", MAX_UNITS_AS_SIGNS)
    _check_kinds(corpus, "boundary-strings")
    long = next((name for name in corpus.kind_names or () if len(name) > 1), None)
    if long is not None:
        raise FormatError(
            f"the boundary type {long!r} is more than the one character that boundary-strings have "
            "for it; tokens and jsonl hold it"
        )
    rows = [["text", "annotator", "speaker", "boundaries"]]
    bare = _has_no_cut(corpus)
    for key, seg in corpus.entries.items():
        marks = marks_of(seg, key, "a string of boundaries")
        if bare:
            marks[-1], bare = UNTYPED, False
        rows.append([key.text, key.coder, key.stream, "".join(mark or " " for mark in marks)])
    return join_rows(rows, delimiter)


TOKENS = Format(
    "tokens",
    endings_of("tokens"),
    "one row per token: text, speaker, token, and the type of the boundary after it per annotator",
    "text,speaker,token,an1,an2\nt1,A,yes,.,\nt1,A,well,,\nt1,A,no,.,?",
    read_tokens,
    lambda text: "token" in (header := header_of(text)) and len(header) > 1,
    write_tokens,
    sure=True,
    write_as={".tsv": partial(write_tokens, delimiter="\t")},
    keeps=("texts", "coders", "speakers", "kinds", "words"),
    numbered=True,
    takes=("ignore_tokens", "flags", "threshold", "probabilities"),
    roles=("text", "unit", "words", "coder", "speaker"),
)
BOUNDARY_STRINGS = Format(
    "boundary-strings",
    endings_of("boundary-strings"),
    "one row per speaker: text, annotator, speaker, boundaries (one character per token, space for "
    "none)",
    'text,annotator,speaker,boundaries\nt1,1,A," , ."\nt1,2,A,"  ,."',
    read_boundary_strings,
    lambda text: {"annotator", "boundaries"} <= set(header_of(text)),
    write_boundary_strings,
    sure=True,
    write_as={".tsv": partial(write_boundary_strings, delimiter="\t")},
    keeps=("texts", "coders", "speakers", "kinds"),
    takes=("flags",),
    roles=("text", "coder", "speaker"),
)
