"""Tables of tokens with boundary kinds, by speaker and annotator; and strings of boundary marks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial

from fencepost.formats.built import built
from fencepost.formats.catalogue import endings_of
from fencepost.formats.options import FormatError, Reading
from fencepost.formats.registry import Format, first_line, join_rows, split_rows
from fencepost.formats.turns import ignored, pattern_of
from fencepost.formats.writing import (
    UNTYPED,
    check_columns,
    check_names,
    is_cell,
    known_words,
    marks_of,
    numbers,
)
from fencepost.model.corpus import Corpus, CorpusBuilder, Item, Key
from fencepost.model.join import item_name
from fencepost.model.segmentation import Segmentation

NONE = "none"  # stands for no boundary in costs, so no kind may be named so
KNOWN = ("text", "speaker", "token")


@dataclass
class _Stream:
    """One speaker's tokens in one text, and the mark after each, by annotator."""

    lines: dict[str, int]  # of the file, where each annotator's begin
    tokens: list[str] = field(default_factory=list)
    marks: dict[str, list[str]] = field(default_factory=dict)


def read_tokens(text: str, reading: Reading) -> Corpus:
    """A row a token: text and speaker (if there are any), token, and a column for each annotator.

    A cell holds the kind of boundary after the token, or nothing; the rows of a text stand
    together. Boundaries that are all ``¦`` have no kinds. Tokens that match ``ignore_tokens`` are
    left out; a boundary after one moves to the token before it. A field names one annotator.
    """
    header, rows = table_of(text, reading)
    lower = [name.lower() for name in header]
    if "token" not in lower:
        raise FormatError(
            f'{reading.at(1)}: a token table has a column "token", found {", ".join(header)}'
        )
    if set(lower) <= set(KNOWN):
        raise FormatError(
            f"{reading.at(1)}: no column for an annotator; there are {', '.join(header)}"
        )
    column = lower.index("text") if "text" in lower else None
    nameless = column is None or not any(cells[column].strip() for _, cells in rows)
    streams = _streams(rows, header, nameless, reading)
    return _corpus(streams, reading, nameless)


def _streams(
    rows: list[tuple[int, list[str]]], header: list[str], nameless: bool, reading: Reading
) -> dict[tuple[str, str], _Stream]:
    lower = [name.lower() for name in header]
    coders = [name for name in header if name.lower() not in KNOWN]
    pattern = pattern_of(reading)
    together = Together(reading)
    streams: dict[tuple[str, str], _Stream] = {}
    for number, cells in rows:
        row = dict(zip(lower, (cell.strip() for cell in cells), strict=True))
        if not nameless and not row["text"]:
            raise FormatError(
                f'{reading.at(number)}: the column "text" is empty here and not in other rows'
            )
        item = reading.stem if nameless else row["text"], row.get("speaker", "")
        together.check(item[0], number)
        if item not in streams:
            streams[item] = _Stream(dict.fromkeys(coders, number), marks={c: [] for c in coders})
        stream = streams[item]
        marks = {coder: row[coder.lower()] for coder in coders}
        _refuse_none(marks, item, len(stream.tokens) + 1, reading.at(number))
        if pattern and pattern.search(row["token"]):
            _move_back(stream, marks, item, row["token"], reading.at(number))
            continue
        stream.tokens.append(row["token"])
        for coder, mark in marks.items():
            stream.marks[coder].append(mark)
    return streams


def _refuse_none(marks: dict[str, str], item: tuple[str, str], token: int, where: str) -> None:
    for coder, mark in marks.items():
        if mark.lower() == NONE:
            raise FormatError(
                f"{where}: a kind of boundary cannot be named {mark!r} ({coder}, {_said(item)}, "
                f"token {token}); leave the cell empty"
            )


class Together:
    """The rows of a text stand together: two parts of one name may be two texts."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._last: dict[str, int] = {}  # of each text, the line of its last row
        self._text: str | None = None

    def check(self, text: str, line: int) -> None:
        """The next row belongs to this text."""
        if text != self._text and text in self._last:
            raise FormatError(
                f"{self._reading.at(line)}: the text {text} is given twice, up to line "
                f"{self._last[text]} and from here; rows of a text stand together, and two texts "
                "have two names"
            )
        self._text = text
        self._last[text] = line


def _is_header(cells: Sequence[str], lower: list[str]) -> bool:
    """Whether a row has the names of the columns; most rows differ in the first cell."""
    if cells[0].strip().lower() != lower[0]:
        return False
    return [cell.strip().lower() for cell in cells[: len(lower)]] == lower


def table_of(text: str, reading: Reading) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """Column names, and rows of as many cells; columns without a name and a value are left out."""
    rows = split_rows(text, reading)
    if not rows:
        raise FormatError(f"{reading.name} has no rows")
    header = [cell.strip() for cell in rows[0][1]]
    while header and not header[-1]:
        header.pop()
    if "" in header:
        raise FormatError(f"{reading.at(rows[0][0])}: column {header.index('') + 1} has no name")
    lower = [name.lower() for name in header]
    twice = next((name for name in header if lower.count(name.lower()) > 1), None)
    if twice is not None:
        raise FormatError(f"{reading.at(rows[0][0])}: a column stands twice: {twice}")
    if len(rows) == 1:
        raise FormatError(f"{reading.name} has no rows under its header")
    made = []
    for number, cells in rows[1:]:
        if _is_header(cells, lower):
            raise FormatError(
                f"{reading.at(number)}: the header stands here again, as where two files were put "
                "together; take this line out, or read both from a folder"
            )
        own = cells[: len(header)]
        if len(own) < len(header) or any(cell.strip() for cell in cells[len(header) :]):
            raise FormatError(
                f"{reading.at(number)}: {len(cells)} cell{'s'[: len(cells) != 1]} under "
                f"{len(header)} column names"
            )
        made.append((number, own))
    return header, made


def _move_back(
    stream: _Stream, marks: dict[str, str], item: tuple[str, str], token: str, where: str
) -> None:
    for coder, mark in marks.items():
        if not mark:
            continue
        own = stream.marks[coder]
        if not own:
            raise FormatError(
                f"{where}: {coder} has {mark!r} after the ignored token {token!r}, and "
                f"{_said(item)} has no token before it"
            )
        if own[-1] not in ("", mark):
            raise FormatError(
                f"{where}: {coder} has {mark!r} after the ignored token {token!r} and {own[-1]!r} "
                f"after the token before it ({_said(item)}, token {len(own)})"
            )
        own[-1] = mark


def _said(item: tuple[str, str]) -> str:
    return f"text {item[0]}" + (f", speaker {item[1]}" if item[1] else "")


def read_boundary_strings(text: str, reading: Reading) -> Corpus:
    """A row a speaker: text, annotator, speaker, boundaries; one character for each token.

    A space is no boundary, any other character is a kind.
    """
    names, rows = table_of(text, reading)
    header = [name.lower() for name in names]
    for wanted in ("text", "annotator", "boundaries"):
        if wanted not in header:
            raise FormatError(
                f'{reading.at(1)}: a column "{wanted}" is missing, found {", ".join(names)}'
            )
    streams: dict[tuple[str, str], _Stream] = {}
    for number, cells in rows:
        row = dict(zip(header, cells, strict=True))
        item = row["text"].strip(), row.get("speaker", "").strip()
        coder = row["annotator"].strip()
        if not item[0] or not coder:
            raise FormatError(f"{reading.at(number)}: a row needs a text and an annotator")
        marks = ["" if c == " " else c for c in row["boundaries"]]
        if not marks:
            raise FormatError(f"{reading.at(number)}: {_said(item)} by {coder} has no tokens")
        stream = streams.setdefault(item, _Stream({}))
        if coder in stream.marks:
            raise FormatError(f"{reading.at(number)}: {_said(item)} by {coder} is given twice")
        stream.marks[coder] = marks
        stream.lines[coder] = number
    return _corpus(streams, reading)


def _segmentation(marks: list[str], names: list[str]) -> Segmentation:
    if names != [UNTYPED]:
        return Segmentation.from_marks(marks, names)
    return Segmentation(len(marks), [i for i, m in enumerate(marks[:-1], start=1) if m])


def _corpus(
    streams: dict[tuple[str, str], _Stream], reading: Reading, nameless: bool = False
) -> Corpus:
    names = list(dict.fromkeys(_all_marks(streams.values())))
    coders = list(dict.fromkeys(coder for stream in streams.values() for coder in stream.marks))
    if reading.field is not None and reading.field not in coders:
        raise FormatError(
            f"{reading.name}: no annotator {reading.field!r}; there are {', '.join(coders)}"
        )
    builder = CorpusBuilder()
    for (text, speaker), stream in streams.items():
        for coder, marks in stream.marks.items():
            if reading.field not in (None, coder):
                continue
            if not marks:
                raise FormatError(f"{reading.name}: {_said((text, speaker))} has no tokens")
            where = reading.at(stream.lines[coder])
            seg = _segmentation(marks, names)
            builder.add(Key(text, speaker, coder), seg, stream.tokens or None, where)
    if not len(builder):
        raise FormatError(f"{reading.name} has no tokens")
    return built(
        builder,
        reading,
        naming="file" if nameless else "own",
        # Strings of boundaries have no tokens, so nothing can be left out of them.
        choices=ignored(reading) if any(one.tokens for one in streams.values()) else {},
        unit="token",
        field=reading.field,
    )


def _all_marks(streams: Iterable[_Stream]) -> Iterable[str]:
    return (m for stream in streams for marks in stream.marks.values() for m in marks if m)


def header_of(text: str) -> list[str]:
    """The names in the first line of a table, in lower case."""
    cells = re.split(r"[,;\t]", first_line(text)[:10_000])
    return [cell.strip().strip('"').lower() for cell in cells]


def write_tokens(corpus: Corpus, delimiter: str = ",") -> str:
    """One row per token; its number stands for a token that is not known."""
    check_columns(corpus, "a table of tokens", *KNOWN)
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
    return join_rows(rows, delimiter)


def _check_kinds(corpus: Corpus, format: str) -> None:
    """Refuse types of boundaries that would be read as something else."""
    if corpus.is_mixed:
        raise FormatError(
            f"some segmentations have boundary types and others none, which {format} cannot say; "
            "jsonl can"
        )
    for name in corpus.kind_names or ():
        if not is_cell(name) or name == UNTYPED or name.lower() == NONE:
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
    "a row a token: text, speaker, token, and the kind of boundary after it for each annotator",
    "text,speaker,token,an1,an2\nt1,A,yes,.,\nt1,A,well,,\nt1,A,no,.,?",
    read_tokens,
    lambda text: "token" in (header := header_of(text)) and len(header) > 1,
    write_tokens,
    sure=True,
    write_as={".tsv": partial(write_tokens, delimiter="\t")},
    keeps=("texts", "coders", "speakers", "kinds", "words"),
    numbered=True,
    takes=("ignore_tokens",),
)
BOUNDARY_STRINGS = Format(
    "boundary-strings",
    endings_of("boundary-strings"),
    "a row a speaker: text, annotator, speaker, boundaries (a character a token, space for none)",
    'text,annotator,speaker,boundaries\nt1,1,A," , ."\nt1,2,A,"  ,."',
    read_boundary_strings,
    lambda text: {"annotator", "boundaries"} <= set(header_of(text)),
    write_boundary_strings,
    sure=True,
    write_as={".tsv": partial(write_boundary_strings, delimiter="\t")},
    keeps=("texts", "coders", "speakers", "kinds"),
    takes=(),
)
