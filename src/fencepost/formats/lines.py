"""Tables and plain lines with one text each: sizes, bit strings, labels, words with bars."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from fencepost.formats.built import add_value, built_from_values
from fencepost.formats.catalogue import endings_of
from fencepost.formats.columns import TEXT_COLUMNS
from fencepost.formats.options import FormatError, Reading, split_lines
from fencepost.formats.registry import Format, check_cells, ending_of, join_rows, split_rows
from fencepost.formats.values import Value, as_whole
from fencepost.formats.word_tables import read_table_segments, read_table_streams
from fencepost.formats.writing import (
    MAX_UNITS_AS_SIGNS,
    check_holds,
    check_names,
    check_units,
    sizes_by_key,
)
from fencepost.model.checks import SegmentationError
from fencepost.model.corpus import ONLY, Corpus, Item, Key
from fencepost.model.segmentation import Segmentation

WHOLE = re.compile(r"[+-]?[0-9]+\Z")
MARKS = re.compile(r"[01]{2,}\Z")
_NUMBER = r"[+-]?[0-9]+(?:\.[0-9]+)?"
NUMBERS = re.compile(rf"\s*{_NUMBER}(?:[\s,]+{_NUMBER})*[\s,]*\Z")
# After a name and a space or comma one number is no sign of sizes: "Chapter 12".
NAMED_NUMBERS = re.compile(
    rf"\s*(?:\S+:\s*{_NUMBER}|[^\s,]+[\s,]+(?:[01]{{2,}}|{_NUMBER}[\s,]+{_NUMBER}))"
    rf"(?:[\s,]+{_NUMBER})*[\s,]*\Z"
)
SIZE_COLUMNS = ("masses", "mass", "sizes", "size", "lengths")

ONE_TEXT_PER_LINE = "one text per line: {values}"

Cells = list[str]


class UnknownNamesError(FormatError):
    """A table whose first row has names of columns that are not known."""


class Layout(NamedTuple):
    """What the columns of a table of sizes are."""

    header: bool
    names: int  # columns before the sizes
    anonymous: bool  # only the coder has a name: the file is one text
    sized: bool  # the header says that these are sizes
    encoding: str | None

    @property
    def shape(self) -> str:
        """What a row is, for the line that says how the file was read."""
        if self.anonymous:
            return "one row per annotator, the file is one text: {values}"
        return f"one row per text{' and annotator' if self.names == 2 else ''}: {{values}}"


def read_tsv(text: str, reading: Reading) -> Corpus:
    """Segment sizes in columns: text, coder (if there is one), sizes; a header is understood.

    A file ``.tsv`` is written with one size per cell, as segeval has them, so its rows differ in
    length. A file ``.csv`` is a rectangular table, with all sizes of a row in one cell: ``5 5 1``.

    segeval's own layout has the header ``Coder  Masses``: its file is one text. One cell of 0 and 1
    in every row is a bit string.
    """
    table = [(number, stripped(cells)) for number, cells in split_rows(text, reading)]
    if not table:
        raise FormatError(f"{reading.name} has no rows")
    try:
        layout = layout_of(table[0][1], table[0][0], reading)
    except UnknownNamesError as error:
        raise _with_advice(error, text, reading) from None
    body = table[layout.header :]
    if not body:
        raise FormatError(f"{reading.name} has no rows under its header")
    reading = reading.replace(encoding=layout.encoding)
    values: dict[Key, Value] = {}
    for number, cells in body:
        where = reading.at(number)
        key = _key(cells[: layout.names], layout.anonymous, reading, where)
        add_value(values, key, Value(_sizes(cells, layout.names, where), where))
    marks = reading.encoding in ("bits", "flags") or (
        reading.encoding is None
        and not layout.sized
        and all(len(own.given) == 1 and MARKS.match(own.given[0]) for own in values.values())
    )
    for value in values.values():
        value.given = _parse_cells(value, marks, layout.names + 1, reading.encoding)
    naming = "file" if layout.anonymous else "own"
    return built_from_values(
        values, reading, "masses", sized=layout.sized, naming=naming, shape=layout.shape
    )


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
        raise UnknownNamesError(
            f"{reading.at(number)}: the names of the columns do not say what they hold; sizes have "
            "one name for all of them, masses"
        )
    return Layout(has_header, names, anonymous, sized, encoding)


def _with_advice(error: UnknownNamesError, text: str, reading: Reading) -> FormatError:
    """Return the error with what the columns hold, and what to paste; as it is without rows."""
    from fencepost.formats.advice import advise
    from fencepost.formats.tokens import table_of

    try:
        header, rows, _ = table_of(text, reading)
    except FormatError:
        return error
    columns = {name: [cells[i].strip() for _, cells in rows] for i, name in enumerate(header)}
    advice = advise(columns, [number for number, _ in rows], reading)
    return FormatError(
        f"{reading.at(1)}: the names of the columns do not say what a row is. {advice}"
    )


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
        raise UnknownNamesError(
            f"{reading.at(number)}: segment lengths must be whole numbers, found {cells[-1]!r} in "
            f"column {len(cells)} (a header starts with text or coder)"
        )
    return True


def _key(names: Cells, anonymous: bool, reading: Reading, where: str) -> Key:
    """The text and coder that the first columns name."""
    for column, name in enumerate(names, start=1):
        if not name:
            raise FormatError(
                f"{where}: column {column} is empty, where the name of a "
                f"{'coder' if anonymous or column == 2 else 'text'} should be"
            )
    if anonymous:
        return Key(reading.stem, "", names[0])
    return Key(names[0], "", names[1] if len(names) == 2 else ONLY)


def _sizes(cells: Cells, names: int, where: str) -> Cells:
    """The cells behind the names: sizes, each in its cell, or all in one."""
    sizes = cells[names:]
    if not sizes:
        raise FormatError(
            f"{where}: no sizes after {cells[-1]!r:.40}; tabs (or commas) are between columns. "
            "If a row is a unit, give its column a name in the first line and add --from units"
        )
    if "" in sizes:
        raise FormatError(
            f"{where}: column {names + 1 + sizes.index('')} is empty between sizes; "
            "the sizes of a text follow each other"
        )
    if len(sizes) > 1 and any(len(cell.split()) > 1 for cell in sizes):
        raise FormatError(
            f"{where}: several cells, and one of them holds more than a number; a row is one "
            "segmentation: the text, its coder if there is one, and the sizes. Named columns are "
            "--from table (one row per text) or --from units (one row per unit)"
        )
    return sizes


def _parse_cells(
    value: Value, marks: bool, first: int, encoding: str | None
) -> str | list[str] | list[int]:
    """What the cells of a row hold; ``first`` is the column of the first."""
    cells: Cells = value.given
    words = [(i, word) for i, cell in enumerate(cells, first) for word in cell.split()]
    if encoding == "labels":
        return [word for _, word in words]
    if marks and _is_mark_string([word for _, word in words]):
        return words[0][1]
    for column, word in words:
        if not WHOLE.match(word):
            raise FormatError(
                f"{value.where}: segment lengths must be whole numbers, found {word!r:.40} "
                f"in column {column}"
            )
        if len(word) > 1 and word.startswith("0"):
            raise FormatError(
                f"{value.where}: segment lengths do not start with 0, found {word!r:.40} in column "
                f"{column}; strings of 0 and 1 are one cell in every row, or --encoding bits"
            )
    return [as_whole(word, value.where) for _, word in words]


def read_lines(text: str, reading: Reading) -> Corpus:
    """One text per line, with its id before a tab if it has one.

    ``00100`` is a bit string, ``5 5 1 3`` are sizes (or 0/1 marks), ``a a b`` labels with
    ``--encoding labels``, ``the cat | sat`` words with bars between segments. In a file ``.masses``
    numbers are sizes; a file ``.masses`` is written with sizes, any other with bit strings. In a
    file ``.bits`` a space or comma may be between a name, also a number, and a bit string.
    """
    rows = [(n, line) for n, line in enumerate(split_lines(text), start=1) if line.strip()]
    if not rows:
        raise FormatError(f"{reading.name} has no texts")
    lines = [line for _, line in rows]
    bars = "|" in text and reading.encoding in (None, "masses") and not mostly_numbers(lines)
    if not bars:
        _refuse_columns(rows, reading)
    if _are_named_bits(lines, reading):
        rows = [(n, "\t".join(_words(line))) for n, line in rows]
        lines = [line for _, line in rows]
    named = any("\t" in line for line in lines)
    naming = "own" if named else "numbers"
    texts: dict[Key, Value] = {}  # what follows the name, if there is one
    for number, line in rows:
        name, tab, rest = line.partition("\t")
        where = reading.at(number)
        if named and not (tab and name.strip()):
            raise FormatError(
                f"{where}: no name before a tab, which other lines have; "
                "either every line has one or none"
            )
        key = Key(name.strip() if named else str(len(texts) + 1), "", ONLY)
        add_value(texts, key, Value((rest if named else line).strip(), where))
    if bars:
        return _from_bars(texts, reading, naming)
    sized = named_sizes(reading)
    parsing = reading.replace(encoding="masses") if sized else reading
    _parse_numbers(list(texts.values()), named, parsing)
    return built_from_values(
        texts, reading, "marks", sized=sized, naming=naming, shape=ONE_TEXT_PER_LINE
    )


def _are_named_bits(lines: Sequence[str], reading: Reading) -> bool:
    """Whether each line of a .bits file is a name and a bit string, without a tab between them.

    One sign is no string here: ``1 0`` may be two marks. And ``12 10`` may be two sizes, so a
    string that begins with 0, as no size does, must be among them.
    """
    if ending_of(reading.name) != ".bits" or reading.encoding not in (None, "bits"):
        return False
    words = [_words(line) for line in lines]
    if any("\t" in line for line in lines):
        return False
    named = all(len(own) == 2 and MARKS.match(own[1]) for own in words)
    return named and any(own[1].startswith("0") for own in words)


def _words(line: str) -> list[str]:
    return line.replace(",", " ").split()


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
    if ending_of(reading.name) == ".bits" and all(_is_mark_string(own[1:]) for own in cells):
        return  # also the string of a text of two units, which is one sign
    if all(WHOLE.match(cell) for own in cells for cell in own):
        number = next(n for (n, _), own in zip(rows, cells, strict=True) if len(own) > 1)
        raise FormatError(
            f"{reading.at(number)}: only whole numbers with tabs between them; if the first is the "
            "name of the text, name the file .tsv or say --from tsv, otherwise put spaces between "
            "the sizes"
        )


def _from_bars(texts: dict[Key, Value], reading: Reading, naming: str) -> Corpus:
    words: dict[Item, list[str]] = {}
    for key, value in texts.items():
        content = value.given
        try:
            value.given = list(Segmentation.from_text(content).masses)
        except SegmentationError as error:
            raise FormatError(f"{value.where}: {error}") from None
        words[key.text, ""] = [word for part in content.split("|") for word in part.split()]
    sizes = reading.replace(encoding="masses")
    shape = "one text per line, | between segments of words"
    return built_from_values(texts, sizes, "marks", words, unit="word", naming=naming, shape=shape)


def _parse_numbers(texts: list[Value], named: bool, reading: Reading) -> None:
    """Turn the content of lines into strings of marks, or lists of numbers or labels."""
    parts = [_words(text.given) for text in texts]
    if reading.encoding == "labels":
        for text, own in zip(texts, parts, strict=True):
            text.given = own
        return
    for text, own in zip(texts, parts, strict=True):
        if not own:
            raise FormatError(f"{text.where}: nothing follows the name of the text")
        for part in own:
            if not WHOLE.match(part):
                raise FormatError(_unexpected(text, part, own))
    strings = all(_is_mark_string(own) for own in parts)
    single = all(len(own) == 1 for own in parts)
    if single and not named and len(parts) > 1 and reading.encoding is None:
        short = all(len(own[0]) == 1 for own in parts)
        if short or not strings:
            raise FormatError(
                f"{reading.name}: every line is one number, but a line is a text; write the "
                "numbers of a text on one line, or say --encoding "
                f"{'bits' if strings else 'masses'} if each is a text"
            )
    marks = reading.encoding in ("bits", "flags") or (strings and not reading.encoding)
    for text, own in zip(texts, parts, strict=True):
        if marks and _is_mark_string(own):
            text.given = own[0]
            continue
        padded = next((part for part in own if len(part) > 1 and part.startswith("0")), None)
        if padded:
            raise FormatError(
                f"{text.where}: segment sizes do not start with 0, found {padded!r:.40}; a file "
                "holds strings of 0 and 1 or sizes, not both"
            )
        text.given = [as_whole(part, text.where) for part in own]


def _is_mark_string(words: Sequence[str]) -> bool:
    """Whether a text is one word of 0 and 1."""
    return len(words) == 1 and not set(words[0]) - {"0", "1"}


def _unexpected(text: Value, part: str, own: list[str]) -> str:
    way = ""
    if "\t" in text.given:
        way = "; tables with several columns are --from tsv"
    elif part == own[0] and len(own) > 1 and all(WHOLE.match(other) for other in own[1:]):
        way = "; the name of a text is before a tab"
    return (
        f"{text.where}: expected 0/1 marks, segment sizes, or words with | between segments, "
        f"found {part!r:.40}{way}"
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
    """Text, coder, sizes: one size per cell as segeval has them, or all in one cell of a CSV.

    Rows of different lengths are no CSV table for other tools.
    """
    check_names(corpus)
    rows: list[list[object]] = []
    for key, sizes in sizes_by_key(corpus, "tsv"):
        cells = [" ".join(map(str, sizes))] if delimiter == "," else sizes
        rows.append([key.text, key.coder, *cells])
    return join_rows([["text", "coder", "masses"], *rows], delimiter)


def write_segeval_table(corpus: Corpus, delimiter: str = "\t") -> str:
    """segeval's own table, ``Coder  Masses``: the only text, named by the file."""
    check_holds(corpus, "segeval's table", "coders")
    check_cells(corpus.coders, "the coder", "json")
    rows = [[key.coder, *sizes] for key, sizes in sizes_by_key(corpus, "segeval's table")]
    return join_rows([["Coder", "Masses"], *rows], delimiter)


def write_bits(corpus: Corpus) -> str:
    """One bit string per line, after the name of the text."""
    whole = next((key.text for key, seg in corpus.entries.items() if seg.units == 1), None)
    if whole is not None:
        raise FormatError(
            f"{whole}: a text of one unit has no positions between units, so no bits; name the "
            "file "
            ".masses"
        )
    check_units(corpus, "a bit string", MAX_UNITS_AS_SIGNS)
    return _named_lines(corpus, "x.bits", lambda seg: seg.bits)


def write_masses(corpus: Corpus) -> str:
    """Sizes, one text per line, after its name."""
    return _named_lines(corpus, "x.masses", lambda seg: " ".join(map(str, seg.masses)))


def _named_lines(corpus: Corpus, name: str, content: Callable[[Segmentation], str]) -> str:
    """Lines with names before a tab, or none where the texts are numbered as lines are."""
    check_holds(corpus, "lines", "texts")
    check_cells(corpus.texts, "the text", "json")
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
    takes=("flags", "encoding", "threshold", "probabilities"),
    references=read_table_segments,
    streams=read_table_streams,
)
LINES = Format(
    "lines",
    endings_of("lines"),
    "one text per line: bit string, sizes, labels (--encoding labels), words with | between "
    "segments",
    "d1\t0000100001100",
    read_lines,
    looks_like_lines,
    write_bits,
    write_as={".masses": write_masses},
    keeps=("texts",),
    takes=("flags", "encoding"),
)
