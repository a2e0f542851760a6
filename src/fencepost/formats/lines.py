"""Tables and plain lines with one text each: sizes, bit strings, labels, words with bars."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from fencepost.formats.built import built_from_values
from fencepost.formats.catalogue import endings_of
from fencepost.formats.options import FormatError, Reading, split_lines
from fencepost.formats.registry import Format, check_cells, ending_of, join_rows, split_rows
from fencepost.formats.values import Value, as_whole, decode, said_encoding
from fencepost.formats.word_tables import read_table_segments, read_table_streams
from fencepost.model.checks import SegmentationError
from fencepost.model.corpus import Corpus, Key
from fencepost.model.segmentation import Segmentation

WHOLE = re.compile(r"[+-]?\d+\Z")
MARKS = re.compile(r"[01]{2,}\Z")
_NUMBER = r"[+-]?\d+(?:\.\d+)?"
NUMBERS = re.compile(rf"\s*{_NUMBER}(?:[\s,]+{_NUMBER})*[\s,]*\Z")
# After a name and a space or comma one number is no sign of sizes: "Chapter 12".
NAMED_NUMBERS = re.compile(
    rf"\s*(?:\S+:\s*{_NUMBER}|[^\s,]+[\s,]+(?:[01]{{2,}}|{_NUMBER}[\s,]+{_NUMBER}))"
    rf"(?:[\s,]+{_NUMBER})*[\s,]*\Z"
)
TEXT_COLUMNS = ("text", "item", "id", "document", "doc")
SIZE_COLUMNS = ("masses", "mass", "sizes", "size", "lengths")

Cells = list[str]


class Layout(NamedTuple):
    """What the columns of a table of sizes are."""

    header: bool
    names: int  # columns before the sizes
    anonymous: bool  # only the coder has a name: the file is one text
    sized: bool  # the header says that these are sizes
    encoding: str | None


class _Row(NamedTuple):
    """What a row of a table says."""

    line: int
    text: str
    coder: str
    cells: Cells  # sizes or marks
    first: int  # the column of the first of them


def read_tsv(text: str, reading: Reading) -> Corpus:
    """Segment sizes in columns: text, coder (if there is one), sizes; a header is understood.

    segeval's own layout has the header ``Coder  Masses``: its file is one text. One cell of 0 and 1
    in every row is a bit string.
    """
    table = [(number, stripped(cells)) for number, cells in split_rows(text, reading)]
    if not table:
        raise FormatError(f"{reading.name} has no rows")
    layout = layout_of(table[0][1], table[0][0], reading)
    body = table[layout.header :]
    if not body:
        raise FormatError(f"{reading.name} has no rows under its header")
    reading = reading.replace(encoding=layout.encoding)
    rows = [_row(number, cells, layout.names, layout.anonymous, reading) for number, cells in body]
    naming = "file" if layout.anonymous else "own"
    return _from_rows(rows, layout.sized, reading).described(naming=naming)


def layout_of(cells: Cells, number: int, reading: Reading) -> Layout:
    """What the first row of a table of sizes says about all."""
    header = [cell.lower() for cell in cells]
    has_header = _is_header(header, number, cells, reading)
    anonymous = has_header and header[0] == "coder"
    encoding = reading.encoding
    if anonymous:
        names = 1
        if header[1:2] == ["positions"] and encoding is None:
            encoding = "labels"  # segeval's word for segment numbers
    elif has_header:
        names = 1 + ("coder" in header[1:2])
    else:  # a coder's name is no number
        names = 1 + (encoding != "labels" and not _are_numbers("".join(header[1:2]) or "1"))
    sized = has_header and "".join(header[names : names + 1]) in SIZE_COLUMNS
    if has_header and not sized and len(header) > names + 1:
        raise FormatError(
            f"{reading.at(number)}: the columns {', '.join(cells[names:])} may each be something "
            "else; sizes have one name for all of them, masses. Named columns with a row a text "
            "are --from table (--ref-field), with a row a unit --from units"
        )
    return Layout(has_header, names, anonymous, sized, encoding)


def stripped(cells: Cells) -> Cells:
    """Cells without space around them, and without the empty ones at the end."""
    kept = [cell.strip() for cell in cells]
    while len(kept) > 1 and not kept[-1]:
        kept.pop()
    return kept


def _are_numbers(cell: str) -> bool:
    return all(WHOLE.match(word) for word in cell.split())


def _is_header(header: Cells, number: int, cells: Cells, reading: Reading) -> bool:
    known = header[0] in (*TEXT_COLUMNS, "coder")
    if len(header) == 1 or reading.encoding == "labels":
        return known
    if any(WHOLE.match(word) for cell in header[1:] for word in cell.split()):
        counted = [str(n) for n in range(1, len(header))]
        if known and len(header) > 2 and header[1:] in (counted, ["0", *counted[:-1]]):
            raise FormatError(
                f"{reading.at(number)}: this may be a header with numbered columns or a text named "
                f"{cells[0]!r}; write the header as text, masses or name the text otherwise"
            )
        return False
    if not known:
        raise FormatError(
            f"{reading.at(number)}: segment lengths must be whole numbers, found {cells[-1]!r} in "
            f"column {len(cells)} (a header starts with text or coder); named columns with a row a "
            "text are --from table (--id-field, --ref-field), with a row a unit --from units"
        )
    return True


def _row(number: int, cells: Cells, names: int, anonymous: bool, reading: Reading) -> _Row:
    where = reading.at(number)
    for column, name in enumerate(cells[:names], start=1):
        if not name:
            raise FormatError(
                f"{where}: column {column} is empty, where the name of a "
                f"{'coder' if anonymous or column == 2 else 'text'} should stand"
            )
    values = cells[names:]
    if not values:
        raise FormatError(
            f"{where}: no sizes after {cells[-1]!r:.40}; tabs (or commas) stand between columns"
        )
    if "" in values:
        raise FormatError(
            f"{where}: column {names + 1 + values.index('')} is empty between sizes; "
            "the sizes of a text follow each other"
        )
    if len(values) > 1 and any(len(cell.split()) > 1 for cell in values):
        raise FormatError(
            f"{where}: several cells, and one of them holds more than a number; a row is one "
            "segmentation: the text, its coder if there is one, and the sizes. Named columns are "
            "--from table (a row a text) or --from units (a row a unit)"
        )
    if anonymous:
        return _Row(number, reading.stem, cells[0], values, names + 1)
    return _Row(number, cells[0], cells[1] if names == 2 else "1", values, names + 1)


def _from_rows(rows: list[_Row], sized: bool, reading: Reading) -> Corpus:
    keys: list[Key] = []
    values: list[Value] = []
    seen: set[Key] = set()
    marks = reading.encoding in ("bits", "flags") or (
        reading.encoding is None
        and not sized
        and all(len(row.cells) == 1 and MARKS.match(row.cells[0]) for row in rows)
    )
    for row in rows:
        where = reading.at(row.line)
        key = Key(row.text, "", row.coder)
        if key in seen:
            raise FormatError(f"{where}: {row.text} by {row.coder} is given twice")
        seen.add(key)
        keys.append(key)
        values.append(Value(_cells_value(row, marks, reading), where))
    return _corpus(keys, values, reading, "masses", sized=sized)


def _cells_value(row: _Row, marks: bool, reading: Reading) -> str | list[str] | list[int]:
    where = reading.at(row.line)
    words = [(i, word) for i, cell in enumerate(row.cells, row.first) for word in cell.split()]
    if reading.encoding == "labels":
        return [word for _, word in words]
    if marks and len(words) == 1 and not set(words[0][1]) - {"0", "1"}:
        return words[0][1]
    for column, word in words:
        if not WHOLE.match(word):
            raise FormatError(
                f"{where}: segment lengths must be whole numbers, found {word!r:.40} "
                f"in column {column}"
            )
        if len(word) > 1 and word.startswith("0"):
            raise FormatError(
                f"{where}: segment lengths do not start with 0, found {word!r:.40} in column "
                f"{column}; strings of 0 and 1 are one cell in every row, or --encoding bits"
            )
    return [as_whole(word, where) for _, word in words]


def read_lines(text: str, reading: Reading) -> Corpus:
    """One text a line, with its id before a tab if it has one.

    ``00100`` is a bit string, ``5 5 1 3`` are sizes (or 0/1 marks), ``a a b`` labels with
    ``--encoding labels``, ``the cat | sat`` words with bars between segments. In a file ``.masses``
    numbers are sizes; a file ``.masses`` is written with sizes, any other with bit strings.
    """
    rows = [(n, line) for n, line in enumerate(split_lines(text), start=1) if line.strip()]
    if not rows:
        raise FormatError(f"{reading.name} has no texts")
    lines = [line for _, line in rows]
    bars = "|" in text and reading.encoding in (None, "masses") and not mostly_numbers(lines)
    if not bars:
        _refuse_columns(rows, reading)
    named = any("\t" in line for line in lines)
    naming = "own" if named else "numbers"
    keys: list[Key] = []
    seen: set[Key] = set()
    contents: list[tuple[int, str]] = []
    for number, line in rows:
        name, tab, rest = line.partition("\t")
        if named and not (tab and name.strip()):
            raise FormatError(
                f"{reading.at(number)}: no name before a tab, which other lines have; "
                "either every line has one or none"
            )
        key = Key(name.strip() if named else str(len(keys) + 1), "", "1")
        if key in seen:
            raise FormatError(f"{reading.at(number)}: the text {key.text} is given twice")
        seen.add(key)
        keys.append(key)
        contents.append((number, (rest if named else line).strip()))
    if bars:
        return _from_bars(keys, contents, reading).described(naming=naming)
    sized = named_sizes(reading)
    parsing = reading.replace(encoding="masses") if sized else reading
    given = _from_numbers(contents, named, parsing)
    wheres = [reading.at(number) for number, _ in contents]
    values = [Value(one, where) for one, where in zip(given, wheres, strict=True)]
    return _corpus(keys, values, reading, "marks", sized=sized).described(naming=naming)


def named_sizes(reading: Reading) -> bool:
    """Whether the file's name says that its numbers are sizes, and nobody says otherwise."""
    asked = reading.encoding is not None or reading.flags is not None
    return not asked and ending_of(reading.name) == ".masses"


def _refuse_columns(rows: list[tuple[int, str]], reading: Reading) -> None:
    """``5<tab>5``: is the first number a name or a size?"""
    cells = [[cell.strip() for cell in line.strip().split("\t")] for _, line in rows]
    if not any(len(own) > 1 for own in cells):
        return
    if all(len(own) == 2 and MARKS.match(own[1]) for own in cells):
        return
    if all(WHOLE.match(cell) for own in cells for cell in own):
        number = next(n for (n, _), own in zip(rows, cells, strict=True) if len(own) > 1)
        raise FormatError(
            f"{reading.at(number)}: only whole numbers with tabs between them; if the first is the "
            "name of the text, name the file .tsv or say --from tsv, otherwise put spaces between "
            "the sizes"
        )


def _from_bars(keys: list[Key], contents: list[tuple[int, str]], reading: Reading) -> Corpus:
    values: list[Value] = []
    words: dict[tuple[str, str], list[str]] = {}
    for key, (number, content) in zip(keys, contents, strict=True):
        try:
            masses = list(Segmentation.from_text(content).masses)
        except SegmentationError as error:
            raise FormatError(f"{reading.at(number)}: {error}") from None
        words[key.text, ""] = [word for part in content.split("|") for word in part.split()]
        values.append(Value(masses, reading.at(number)))
    return _corpus(keys, values, reading.replace(encoding="masses"), "marks", words)


def _from_numbers(
    contents: list[tuple[int, str]], named: bool, reading: Reading
) -> Sequence[str | list[str] | list[int]]:
    parts = [content.replace(",", " ").split() for _, content in contents]
    if reading.encoding == "labels":
        return parts
    for (number, content), own in zip(contents, parts, strict=True):
        if not own:
            raise FormatError(f"{reading.at(number)}: nothing follows the name of the text")
        for part in own:
            if not WHOLE.match(part):
                raise FormatError(_unexpected(content, part, own, reading.at(number)))
    single = all(len(own) == 1 for own in parts)
    strings = single and all(not set(own[0]) - {"0", "1"} for own in parts)
    if single and not named and len(parts) > 1 and reading.encoding is None:
        short = all(len(own[0]) == 1 for own in parts)
        if short or not strings:
            raise FormatError(
                f"{reading.name}: every line is one number, but a line is a text; write the "
                "numbers of a text on one line, or say --encoding "
                f"{'bits' if strings else 'masses'} if each is a text"
            )
    made: list[str | list[int]] = []
    for (number, _), own in zip(contents, parts, strict=True):
        where = reading.at(number)
        marks = len(own) == 1 and not set(own[0]) - {"0", "1"}
        if marks and ((strings and not reading.encoding) or reading.encoding in ("bits", "flags")):
            made.append(own[0])
            continue
        padded = next((part for part in own if len(part) > 1 and part.startswith("0")), None)
        if padded:
            raise FormatError(
                f"{where}: segment sizes do not start with 0, found {padded!r:.40}; a file holds "
                "strings of 0 and 1 or sizes, not both"
            )
        made.append([as_whole(part, where) for part in own])
    return made


def _unexpected(content: str, part: str, own: list[str], where: str) -> str:
    way = ""
    if "\t" in content:
        way = "; tables with several columns are --from tsv"
    elif part == own[0] and len(own) > 1 and all(WHOLE.match(other) for other in own[1:]):
        way = "; the name of a text stands before a tab"
    return (
        f"{where}: expected 0/1 marks, segment sizes, or words with | between segments, "
        f"found {part!r:.40}{way}"
    )


def _corpus(
    keys: list[Key],
    values: list[Value],
    reading: Reading,
    what: str,
    words: dict[tuple[str, str], list[str]] | None = None,
    sized: bool = False,
) -> Corpus:
    made, choices = decode(values, reading, what, sized)
    choices |= said_encoding(values, reading, what, sized)
    return built_from_values(
        keys, made, values, reading, words, choices=choices, unit="word" if words else "unit"
    )


def mostly_numbers(lines: Sequence[str]) -> bool:
    """At least half of the lines look like numbers, with or without a name before them."""
    return bool(lines) and 2 * sum(map(_looks_like_numbers, lines)) >= len(lines)


def _looks_like_numbers(line: str) -> bool:
    last = line.rstrip().rpartition("\t")[2]
    return any(bool(form.match(line)) for form in (NUMBERS, NAMED_NUMBERS)) or bool(
        "\t" in line and NUMBERS.match(last)
    )


def looks_like_bars(text: str) -> bool:
    """No empty line inside, and a bar between spaces in at least half of the lines."""
    lines = split_lines(text.strip())
    barred = sum(" | " in f" {line} " for line in lines)
    return all(line.strip() for line in lines) and 2 * barred >= len(lines)


def looks_like_lines(text: str) -> bool:
    """Marks, numbers, or words with bars on most lines."""
    lines = [line for line in split_lines(text) if line.strip()]
    return mostly_numbers(lines) or ("|" in text and looks_like_bars(text))


def write_tsv(corpus: Corpus, delimiter: str = "\t") -> str:
    """Text, coder, sizes."""
    check_cells(corpus.texts, "the text", "json")
    check_cells(corpus.coders, "the coder", "json")
    rows = [[key.text, key.coder, *sizes_of(seg, key)] for key, seg in corpus.entries.items()]
    return join_rows([["text", "coder", "masses"], *rows], delimiter)


def write_segeval_table(corpus: Corpus, delimiter: str = "\t") -> str:
    """segeval's own table, ``Coder  Masses``: the only text, named by the file."""
    if len(corpus.texts) != 1:
        raise FormatError(
            f"segeval's table is one text, and there are {len(corpus.texts)}; json holds them"
        )
    check_cells(corpus.coders, "the coder", "json")
    rows = [[key.coder, *sizes_of(seg, key)] for key, seg in corpus.entries.items()]
    return join_rows([["Coder", "Masses"], *rows], delimiter)


def sizes_of(seg: Segmentation, key: Key) -> list[int]:
    """Sizes, of what is no more than sizes."""
    if key.stream:
        raise FormatError(
            f"{key.text}: sizes cannot hold the speaker {key.stream!r}; tokens and jsonl can"
        )
    if seg.kinds is not None:
        raise FormatError(
            f"{key.text}: sizes cannot hold kinds of boundaries; tokens and jsonl can"
        )
    return list(seg.masses)


def write_bits(corpus: Corpus) -> str:
    """A bit string a line, behind the name of the text."""
    whole = next((key.text for key, seg in corpus.entries.items() if seg.units == 1), None)
    if whole is not None:
        raise FormatError(
            f"{whole}: a text of one unit has no places between units, so no bits; name the file "
            ".masses"
        )
    return _named_lines(corpus, "x.bits", lambda seg: seg.bits)


def write_masses(corpus: Corpus) -> str:
    """Sizes, a text a line, behind its name."""
    return _named_lines(corpus, "x.masses", lambda seg: " ".join(map(str, seg.masses)))


def _named_lines(corpus: Corpus, name: str, content: Callable[[Segmentation], str]) -> str:
    """Lines with names before a tab, or none where the texts are numbered as lines are."""
    if len(corpus.coders) > 1:
        raise FormatError(
            f"a line is a text by one coder, and there are {len(corpus.coders)} coders; json and "
            "tsv hold several"
        )
    check_cells(corpus.texts, "the text", "json")
    for key, seg in corpus.entries.items():
        sizes_of(seg, key)
    numbered = corpus.texts == [str(n) for n in range(1, len(corpus.texts) + 1)]
    lines = [
        ("" if numbered else f"{key.text}\t") + content(seg) for key, seg in corpus.entries.items()
    ]
    text = "\n".join(lines) + "\n"
    _refuse_unclear(text, corpus, Reading(name))
    return text


def _refuse_unclear(text: str, corpus: Corpus, reading: Reading) -> None:
    """Names and numbers look alike in some files; such a file is not written."""
    wanted = {key.text: seg for key, seg in corpus.entries.items()}
    try:
        found = {key.text: seg for key, seg in read_lines(text, reading).entries.items()}
    except FormatError as error:
        raise FormatError(f"these lines would not be clear ({error}); json is") from None
    if found != wanted:
        raise FormatError("these lines would be read as something else; json would not")


TSV = Format(
    "tsv",
    endings_of("tsv"),
    "segment sizes in columns: text, coder if there is one, sizes; segeval's Coder/Masses too",
    "text\tcoder\tmasses\nd1\tan1\t5\t5\t1\t3",
    read_tsv,
    write=write_tsv,
    write_as={".csv": partial(write_tsv, delimiter=",")},
    keeps=("texts", "coders"),
    takes=("flags", "encoding", "threshold"),
    references=read_table_segments,
    streams=read_table_streams,
)
LINES = Format(
    "lines",
    endings_of("lines"),
    "one text a line: bit string, sizes, labels (--encoding labels), words with | between segments",
    "d1\t0000100001100",
    read_lines,
    looks_like_lines,
    write_bits,
    write_as={".masses": write_masses},
    keeps=("texts",),
    takes=("flags", "encoding"),
)
