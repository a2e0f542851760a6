"""Tables of tokens with boundary kinds, by speaker and annotator; and strings of boundary marks."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from fencepost.corpus import Corpus, Key
from fencepost.formats.base import Format, FormatError, Reading, first_line, split_rows
from fencepost.segmentation import Segmentation

UNTYPED = "¦"  # a boundary without a kind, where a table has no other marks
NONE = "none"  # stands for no boundary in costs, so no kind may be named so
KNOWN = ("text", "speaker", "token")


@dataclass
class _Stream:
    """One speaker's tokens in one text, and the mark after each, by annotator."""

    tokens: list[str] = field(default_factory=list)
    marks: dict[str, list[str]] = field(default_factory=dict)


def read_tokens(text: str, reading: Reading) -> Corpus:
    """A row a token: text and speaker (if there are any), token, and a column for each annotator.

    A cell holds the kind of boundary after the token, or nothing. Tokens that match
    ``ignore_tokens`` are left out; a boundary after one moves to the token before it. A field
    names one annotator.
    """
    header, rows = table_of(text, reading)
    lower = [name.lower() for name in header]
    if "token" not in lower:
        raise FormatError(
            f'{reading.at(1)}: a token table has a column "token", found {", ".join(header)}'
        )
    coders = [name for name in header if name.lower() not in KNOWN]
    if not coders:
        raise FormatError(
            f"{reading.at(1)}: no column for an annotator; there are {', '.join(header)}"
        )
    nameless = "text" not in lower or not any(
        cells[lower.index("text")].strip() for _, cells in rows
    )
    pattern = _pattern(reading)
    streams: dict[tuple[str, str], _Stream] = {}
    for number, cells in rows:
        row = dict(zip(lower, (cell.strip() for cell in cells), strict=True))
        if not nameless and not row["text"]:
            raise FormatError(
                f'{reading.at(number)}: the column "text" is empty here and not in other rows'
            )
        item = reading.stem if nameless else row["text"], row.get("speaker", "")
        stream = streams.setdefault(item, _Stream(marks={coder: [] for coder in coders}))
        marks = {coder: row[coder.lower()] for coder in coders}
        for coder, mark in marks.items():
            if mark.lower() == NONE:
                raise FormatError(
                    f"{reading.at(number)}: a kind of boundary cannot be named {mark!r} "
                    f"({coder}, {_said(item)}, token {len(stream.tokens) + 1}); "
                    "leave the cell empty"
                )
        if pattern and pattern.search(row["token"]):
            _move_back(stream, marks, item, row["token"], reading.at(number))
            continue
        stream.tokens.append(row["token"])
        for coder, mark in marks.items():
            stream.marks[coder].append(mark)
    return replace(_corpus(streams, reading), anonymous=nameless)


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
        own = cells[: len(header)]
        if len(own) < len(header) or any(cell.strip() for cell in cells[len(header) :]):
            raise FormatError(
                f"{reading.at(number)}: {len(cells)} cell{'s'[: len(cells) != 1]} under "
                f"{len(header)} column names"
            )
        made.append((number, own))
    return header, made


def _pattern(reading: Reading) -> re.Pattern[str] | None:
    if reading.ignore_tokens is None:
        return None
    try:
        return re.compile(reading.ignore_tokens)
    except re.error as error:
        raise FormatError(f"--ignore-tokens is not a regular expression: {error}") from None


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
        stream = streams.setdefault(item, _Stream())
        if coder in stream.marks:
            raise FormatError(f"{reading.at(number)}: {_said(item)} by {coder} is given twice")
        stream.marks[coder] = marks
    return _corpus(streams, reading)


def _segmentation(marks: list[str], names: list[str]) -> Segmentation:
    if names != [UNTYPED]:
        return Segmentation.from_marks(marks, names)
    return Segmentation(len(marks), [i for i, m in enumerate(marks[:-1], start=1) if m])


def _corpus(streams: dict[tuple[str, str], _Stream], reading: Reading) -> Corpus:
    names = list(dict.fromkeys(_all_marks(streams.values())))
    coders = list(dict.fromkeys(coder for stream in streams.values() for coder in stream.marks))
    if reading.field is not None and reading.field not in coders:
        raise FormatError(
            f"{reading.name}: no annotator {reading.field!r}; there are {', '.join(coders)}"
        )
    entries = {}
    for (text, speaker), stream in streams.items():
        for coder, marks in stream.marks.items():
            if reading.field not in (None, coder):
                continue
            if not marks:
                raise FormatError(f"{reading.name}: {_said((text, speaker))} has no tokens")
            entries[Key(text, speaker, coder)] = _segmentation(marks, names)
    if not entries:
        raise FormatError(f"{reading.name} has no tokens")
    return Corpus(
        entries,
        tokens={item: stream.tokens for item, stream in streams.items() if stream.tokens},
        reading={} if reading.ignore_tokens is None else {"ignored": reading.ignore_tokens},
        name=reading.stem,
        unit="token",
        column=reading.field,
    )


def _all_marks(streams: Iterable[_Stream]) -> Iterable[str]:
    return (m for stream in streams for marks in stream.marks.values() for m in marks if m)


def header_of(text: str) -> list[str]:
    """The names in the first line of a table, in lower case."""
    cells = re.split(r"[,;\t]", first_line(text)[:10_000])
    return [cell.strip().strip('"').lower() for cell in cells]


def write_tokens(corpus: Corpus) -> str:
    """A row a token; its number stands for a token that is not known."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    speakers = any(stream for _, stream in corpus.items)
    writer.writerow(["text", *(["speaker"] if speakers else []), "token", *corpus.coders])
    for text, stream in corpus.items:
        own = {coder: corpus.of(coder).get((text, stream)) for coder in corpus.coders}
        for coder, seg in own.items():
            if seg is None:
                raise FormatError(
                    f"{coder} did not annotate {text}, and a table of tokens cannot say so: an "
                    "empty cell is a place without a boundary"
                )
        marks = {coder: _marks(seg, text, coder) for coder, seg in own.items() if seg is not None}
        units = next(seg.units for seg in own.values() if seg is not None)
        tokens = corpus.tokens.get((text, stream)) or [str(i) for i in range(1, units + 1)]
        for place, token in enumerate(tokens):
            cells = [marks[coder][place] for coder in corpus.coders]
            writer.writerow([text, *([stream] if speakers else []), token, *cells])
    return buffer.getvalue()


def _marks(seg: Segmentation, text: str, coder: str) -> list[str]:
    """The kind after each token; a broken bar where boundaries have no kinds."""
    marks = [""] * seg.units
    kinds = [UNTYPED] * len(seg.cuts)
    if seg.kinds is not None and seg.kind_names is not None:
        kinds = [seg.kind_names[kind - 1] for kind in seg.kinds.tolist()]
    for place, kind in zip(seg.cuts.tolist(), kinds, strict=True):
        if marks[place - 1]:
            raise FormatError(
                f"{text} by {coder}: two boundaries after token {place}; a table of tokens holds "
                "one"
            )
        marks[place - 1] = kind
    return marks


TOKENS = Format(
    "tokens",
    (),
    "a row a token: text, speaker, token, and the kind of boundary after it for each annotator",
    "text,speaker,token,an1,an2\nt1,A,yes,.,\nt1,A,well,,\nt1,A,no,.,?",
    read_tokens,
    lambda text: "token" in (header := header_of(text)) and len(header) > 1,
    write_tokens,
)
BOUNDARY_STRINGS = Format(
    "boundary-strings",
    (),
    "a row a speaker: text, annotator, speaker, boundaries (a character a token, space for none)",
    'text,annotator,speaker,boundaries\nt1,1,A," , ."\nt1,2,A,"  ,."',
    read_boundary_strings,
    lambda text: {"annotator", "boundaries"} <= set(header_of(text)),
)
