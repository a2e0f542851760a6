"""Plain files read straight into columns: a gigabyte needs little more than its arrays.

Only what is plain is read here; for anything else the general reader starts anew, so that there is
one place that knows every form and every error. Every function that returns None says so.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import IO, Any, NamedTuple

import numpy as np

from fencepost import _core
from fencepost.compression import pieces
from fencepost.formats.built import built, describe_values
from fencepost.formats.chunks import looks_like_chunks
from fencepost.formats.columns import (
    CODER_COLUMNS,
    ID_COLUMNS,
    MAX_NAME,
    SURE_IDS,
    id_column,
    is_name_of_text,
    known,
)
from fencepost.formats.lines import (
    ONE_TEXT_PER_LINE,
    layout_of,
    named_sizes,
    stripped,
)
from fencepost.formats.options import SPANS, FormatError, Reading
from fencepost.formats.records import (
    BY_TEXT,
    BY_TEXT_AND_CODER,
    field_of,
    fields_beside,
    load_json,
    what_a_record_is,
)
from fencepost.formats.registry import delimiter_of, ending_of, split_rows
from fencepost.formats.values import SPAN_KEYS
from fencepost.model.checks import Ints
from fencepost.model.corpus import Corpus, CorpusBuilder, Rows
from fencepost.model.strings import Strings

PIECE = 1 << 20  # stays in the cache with what is made of it
JSON_CUTS = 1 << 17  # a part of a JSON file
BOM = b"\xef\xbb\xbf"


class _Plan(NamedTuple):
    """How the pieces of one file are read: a scanner, and what its first line says."""

    scan: Callable[[bytes, str, bool], Any]  # piece, form, whether it is the first
    sized: bool = False  # the file says that its numbers are sizes
    shape: str = "{values}"  # as the general readers have it
    ignored: tuple[str, ...] = ()
    column: str | None = None
    title: str | None = None
    anonymous: bool = False
    id_field: str = "id"
    least: int = 1  # marks in a text, at least, and numbers in one of the texts


def _rows(found: Any, title: str | None, count: int, lines: int) -> Rows:
    """Return what a scanner found behind ``count`` texts and so many ``lines``.

    Marks are not placed yet: which units they belong to is known when all pieces have been read.
    """
    rows = len(found.units)
    if title is not None:  # the one text that all rows are about
        texts = Strings.of([title] * rows)
    elif found.ids:
        texts = Strings(found.ids, found.id_offsets)
    else:
        texts = Strings.of(map(str, range(count + 1, count + rows + 1)))
    words = found.word_offsets if found.words else np.zeros(rows + 1, dtype=np.int64)
    return Rows(
        texts, found.cuts, found.offsets, found.units, found.lines + lines,
        found.coders, found.coder_of, Strings(found.words, words),
    )  # fmt: skip


@dataclass(eq=False, repr=False)
class _Seen:
    """What the pieces of a file have shown together."""

    parts: list[Rows] = field(default_factory=list)
    hashes: list[Ints] = field(default_factory=list)
    form: str = ""
    count: int = 0
    lines: int = 0
    named: int = 0
    known: int = 0
    each: int = 0
    between: int = 0
    longest: int = 0
    shortest: int = 1 << 62
    all_rise: bool = True
    all_start: bool = True
    all_end: bool = True
    spaced: bool = False

    def add(self, found: Any, title: str | None) -> None:
        """Keep what a scanner found in the next piece."""
        part = _rows(found, title, self.count, self.lines)
        self.parts.append(part)
        self.hashes.append(found.hashes)
        self.form = found.form
        self.count += len(part.units)
        self.lines += found.line_count
        for name in ("named", "known", "each", "between"):
            setattr(self, name, getattr(self, name) + getattr(found, name))
        for name in ("all_rise", "all_start", "all_end"):
            setattr(self, name, getattr(self, name) and getattr(found, name))
        self.longest = max(self.longest, found.longest)
        self.shortest = min(self.shortest, found.shortest)
        self.spaced = self.spaced or found.spaced


def read_plain(stream: IO[bytes], reading: Reading, format: str) -> Corpus | None:
    """Return what a stream holds as columns, or None where it is not plain enough for that."""
    kept = reading.probabilities or reading.threshold is not None
    if kept or reading.keeps_signs or reading.made & set(SPANS):
        return None
    if reading.encoding not in (None, "masses"):
        return None  # whether that was needed is for the general reader to note
    if (
        reading.without
        or reading.coders
        or reading.columns.keys() - {"text", "units", "ref", "hyp"}
    ):
        return None
    if format in ("json", "segeval"):
        found = _read_json(stream, reading, format)
        if found is not None or format == "json":
            return found
        stream.seek(0)
    planner = _PLANNERS.get(format)
    if planner is None:
        return None
    return _read_pieces(_whole_lines(stream, reading), planner, reading, format)


def _read_pieces(
    found: Iterable[bytes],
    planner: Callable[[bytes, Reading], _Plan | None],
    reading: Reading,
    format: str,
) -> Corpus | None:
    seen = _Seen()
    plan: _Plan | None = None
    for piece in found:
        first = plan is None
        plan = plan or _planned(piece, planner, reading)
        if plan is None or not _is_text(piece):
            return None
        form = seen.form or ("sizes" if plan.sized or reading.encoding == "masses" else "")
        texts = plan.scan(piece, form, first)
        if texts is None:
            return None
        seen.add(texts, plan.title)
    return _corpus(seen, plan, reading, format) if plan else None


def _planned(
    piece: bytes, planner: Callable[[bytes, Reading], _Plan | None], reading: Reading
) -> _Plan | None:
    head = _first_line(piece)
    if b"\r" in head:  # ends a line too
        return None
    try:
        return planner(head, reading)
    except (FormatError, UnicodeDecodeError):
        return None  # the general reader says what is wrong


def _first_line(piece: bytes) -> bytes:
    """The first line with something on it, without its end."""
    found = re.search(rb"\S", piece)  # one pattern for the line would take the square of blanks
    if not found:
        return b""
    start = max(piece.rfind(end, 0, found.start()) for end in (b"\n", b"\r")) + 1
    return piece[start:].partition(b"\n")[0].removesuffix(b"\r")


def _json_lines(head: bytes, reading: Reading) -> _Plan | None:
    text = head.decode("utf-8")
    record = load_json(text, reading, 1)
    name = field_of((reading.at(1), record), reading)
    columns = {one: [value] for one, value in record.items()}
    id_field = reading.columns.get("text") or id_column(columns, table=False)
    if looks_like_chunks(text) or name in (id_field, reading.units_field):
        return None
    if any(own not in record for own in reading.columns.values()):
        return None
    others = (value for own, value in record.items() if own not in (name, reading.units_field))
    may_name = known(record, [one for one in ID_COLUMNS if one != "text"])
    if id_field is None and (may_name or any(map(is_name_of_text, others))):
        return None  # what the general reader finds in them is compared with the other side

    def scan(piece: bytes, form: str, first: bool) -> Any:
        return _core.scan_json_lines(piece, form, id_field or "id", name, reading.units_field)

    ignored = fields_beside(record, (name, id_field), reading)
    shape = f"one record per {what_a_record_is(None, None, reading)}: {{values}}"
    return _Plan(scan, shape=shape, ignored=ignored, column=name, id_field=id_field or "id")


def _table_rows(head: bytes, reading: Reading) -> _Plan | None:
    """Names and sizes in columns, as ``lines.read_tsv`` has them."""
    text = head.decode("utf-8")
    rows = split_rows(text, reading)
    if not rows:
        return None
    layout = layout_of(stripped(rows[0][1]), 1, reading)
    if layout.encoding == "labels":
        return None
    text_name, coder = not layout.anonymous, layout.anonymous or layout.names == 2

    def scan(piece: bytes, form: str, first: bool) -> Any:
        head = layout.header and first
        return _core.scan_rows(piece, form, delimiter_of(text), text_name, coder, head)

    return _Plan(
        scan,
        sized=layout.sized,
        shape=layout.shape,
        title=reading.stem if layout.anonymous else None,
        anonymous=layout.anonymous,
        least=2,
    )


def _coder_rows(head: bytes, reading: Reading) -> _Plan | None:
    plan = _table_rows(head, reading)
    return plan if plan is not None and plan.anonymous else None


def _number_lines(head: bytes, reading: Reading) -> _Plan | None:
    named = b"\t" in head.strip()

    def scan(piece: bytes, form: str, first: bool) -> Any:
        return _core.scan_number_lines(piece, form, named)

    sized = named_sizes(reading)
    # Behind a tab one number is not enough: the general reader asks whether 5<tab>9 has a name.
    least = 1 if sized and not named else 2
    return _Plan(scan, sized=sized, shape=ONE_TEXT_PER_LINE, least=least)


def _named_columns(head: bytes, reading: Reading) -> _Plan | None:
    """A table whose header names the columns, as ``tables.read_table`` has them."""
    from fencepost.formats.tables import columns_of

    text = head.decode("utf-8")
    rows = split_rows(text, reading)
    header = stripped(rows[0][1]) if rows else [""]
    lower = [name.lower() for name in header]
    coder, id_field, name = columns_of(header, reading)
    if name is None and reading.default_field in header:
        name = reading.default_field
    if "" in header or len(set(lower)) < len(lower) or "duration" in header:
        return None
    if name is None or name not in header or id_field is None:
        return None
    if reading.columns.get("units", name) not in header:
        return None
    strings = {one for one in header if one.lower() in (*ID_COLUMNS, *CODER_COLUMNS)}
    if id_field not in strings or id_field == coder or strings & {name, reading.units_field}:
        return None
    if name == reading.units_field:
        return None
    places = {one: place for place, one in enumerate(header)}
    wanted = (id_field, coder, name, reading.units_field)
    columns = [len(header), *(places.get(one or "", -1) for one in wanted)]

    def scan(piece: bytes, form: str, first: bool) -> Any:
        return _core.scan_table(piece, form, delimiter_of(text), first, columns)

    return _Plan(
        scan,
        shape=f"one row per {what_a_record_is(coder, None, reading)}: {{values}}",
        ignored=fields_beside(header, (id_field, coder, name), reading),
        column=name,
        id_field=id_field,
        least=2,
    )


_PLANNERS: dict[str, Callable[[bytes, Reading], _Plan | None]] = {
    "jsonl": _json_lines,
    "tsv": _table_rows,
    "segeval": _coder_rows,
    "lines": _number_lines,
    "table": _named_columns,
}


def _read_json(stream: IO[bytes], reading: Reading, format: str) -> Corpus | None:
    """One object of texts. Its bytes are held: they are less than half of the arrays."""
    if reading.columns.keys() - {"ref", "hyp"}:
        return None  # a role may be of no use here
    data = b"".join(pieces(stream, reading.name, PIECE, reading.unpack_limit)).removeprefix(BOM)
    if not re.match(rb'\s*\{\s*"', data[:1000]) or not _is_text(data):
        return None
    items = re.match(rb'\s*\{\s*"(items|segmentation_type)"', data[:1000]) is not None
    if format == "segeval" and not items:
        return None
    apart = {reading.field or reading.default_field, reading.id_field, reading.units_field}
    apart |= {"items", "metadata", *(start for start, _ in SPAN_KEYS)}
    form = "sizes" if items or reading.encoding == "masses" else ""
    scanner = _core.JsonTexts(data, form, [] if items else sorted(apart), items)
    seen = _Seen()
    while not scanner.done:
        texts = scanner.next(JSON_CUTS)
        if texts is None:
            return None
        seen.add(texts, None)
    by_coder = any(part.coders for part in seen.parts)
    shape = BY_TEXT_AND_CODER if by_coder else BY_TEXT
    return _corpus(seen, _Plan(lambda *_: None, sized=items, shape=shape), reading, format)


def _corpus(seen: _Seen, plan: _Plan, reading: Reading, format: str) -> Corpus | None:
    """What all pieces say together, or None where that leaves something open."""
    choices = _choices(seen, plan, reading)
    named = plan.title is not None or seen.named == seen.count
    if not seen.count or choices is None or not (named or seen.named == 0):
        return None
    if seen.named == 0 and plan.title is None and plan.id_field != "id":
        return None
    if not _all_differ(np.concatenate(seen.hashes)):
        return None
    if plan.id_field.lower() not in SURE_IDS and not all(_are_names(p.texts) for p in seen.parts):
        return None  # documents, which name no texts
    for part in seen.parts:
        if seen.form != "sizes":
            _place_marks(part, choices.get("flags"))
    by_name = not any(len(part.lines) for part in seen.parts)
    builder = CorpusBuilder()
    while seen.parts:  # each is let go when it has been added
        builder.add_rows(seen.parts.pop(0))
    numbered = seen.named == 0 and plan.title is None
    encoding = "masses" if seen.form == "sizes" else "flags" if "flags" in choices else "bits"
    return built(
        builder,
        reading,
        format=format,
        unit="sentence" if seen.spaced else "unit",
        field=plan.column,
        id_field=None if plan.column is None or numbered else plan.id_field,
        ignored=plan.ignored,
        shape=plan.shape.replace("{values}", describe_values(encoding, choices)),
        naming="file" if plan.anonymous else "numbers" if numbered else "own",
        choices=choices,
        by_name=by_name,
    )


def _choices(seen: _Seen, plan: _Plan, reading: Reading) -> dict[str, str] | None:
    """The choices of reading, as ``values.decode`` makes them; None where it must look itself."""
    encoding = reading.encoding
    if seen.form == "sizes":
        # Or numbers of segments? The general reader asks, and notes the answer.
        counted = seen.all_rise and not plan.sized
        if encoding not in (None, "masses") or reading.flags is not None or counted:
            return None
        return {} if seen.longest >= plan.least else None
    if plan.sized or encoding == "masses" or seen.shortest < plan.least:
        return None
    if encoding is None:
        only_between = seen.form == "bits" if not seen.known else seen.between == seen.known
        encoding = "bits" if only_between and reading.flags is None else "flags"
        per_unit = encoding == "bits" and not seen.known and seen.all_end != seen.all_start
        if per_unit and ending_of(reading.name) != ".bits":
            return None  # the general reader asks
    if seen.known != (seen.between if encoding == "bits" else seen.each):
        return None
    if encoding == "bits":
        return {}
    if reading.flags is None and seen.all_end == seen.all_start:
        return None
    if reading.flags is None and any(part.coders for part in seen.parts):
        return None  # the general reader looks at each annotator alone
    return {"flags": reading.flags or ("last" if seen.all_end else "first")}


def _place_marks(part: Rows, mark: str | None) -> None:
    """Marks stand between units, or (flags) on the last or the first unit of a segment.

    The flag at the text's own end or start says nothing.
    """
    if mark is None:
        part.units += 1
        return
    full = np.flatnonzero(np.diff(part.offsets))
    at = part.offsets[full + 1] - 1 if mark == "last" else part.offsets[full]
    edge = part.units[full] if mark == "last" else 1
    own = part.cuts[at] == edge
    part.cuts = np.delete(part.cuts, at[own])
    if mark == "first":
        part.cuts -= 1
    gone = np.zeros(len(part.units), dtype=np.int64)
    gone[full[own]] = 1
    part.offsets[1:] -= np.cumsum(gone)


def _are_names(texts: Strings) -> bool:
    """Whether no text is too long for a name, in bytes, or has several lines."""
    return b"\n" not in texts.data and int(np.diff(texts.offsets).max(initial=0)) <= MAX_NAME


def _all_differ(hashes: Ints) -> bool:
    """Whether no two names are the same; two that only seem so go to the general reader too."""
    hashes.sort()
    return not bool((hashes[1:] == hashes[:-1]).any())


def _whole_lines(stream: Any, reading: Reading) -> Iterator[bytes]:
    """The file in pieces that end where a line ends."""
    rest: list[bytes] = []
    first = True
    for piece in pieces(stream, reading.name, PIECE, reading.unpack_limit):
        if first:
            piece = piece.removeprefix(BOM)
            first = False
        cut = piece.rfind(b"\n") + 1
        if cut:
            yield b"".join([*rest, piece[:cut]])
            rest.clear()
        rest.append(piece[cut:])
    if any(rest):
        yield b"".join(rest)


def _is_text(data: bytes) -> bool:
    """Whether this is UTF-8; looked at in pieces, so that no second copy is made."""
    if data.isascii():
        return True
    decoder = codecs.getincrementaldecoder("utf-8")()
    view = memoryview(data)
    try:
        for start in range(0, len(data), 1 << 20):
            decoder.decode(view[start : start + (1 << 20)])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True
