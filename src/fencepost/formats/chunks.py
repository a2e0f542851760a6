"""Output of chunkers and sentence splitters: chunks with offsets, and lists of sentences."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from fencepost.formats.built import built, built_from_words, join_parts
from fencepost.formats.catalogue import endings_of
from fencepost.formats.columns import declared
from fencepost.formats.files import PARQUET_SIGN, decode_bytes, read_decoded
from fencepost.formats.intervals import NESTED, Stretch, segment, segment_text, text_unit
from fencepost.formats.line_numbers import LineNumbers
from fencepost.formats.options import FormatError, Reading, split_lines
from fencepost.formats.records import from_json, json_lines, located
from fencepost.formats.registry import Format, delimiter_of, first_line
from fencepost.formats.values import (
    SPAN_KEYS,
    as_span,
    as_whole,
    expect,
    is_name,
    kind_of,
    quoted,
    stretch_of,
)
from fencepost.formats.writing import check_filled, check_holds, is_spaceless, needed_words
from fencepost.model.checks import is_number, is_whole
from fencepost.model.corpus import ONLY, Corpus, CorpusBuilder, Key
from fencepost.model.segmentation import Segmentation
from fencepost.scoring.counts import parquet_columns, read_parquet

DOCUMENT_KEYS = ("doc_id", "document_id", "document", "doc", "source", "ref_doc_id")
POSITION_COLUMNS = {name for pair in SPAN_KEYS for name in pair}
NOT_FOUND = -1  # LangChain's start_index of a chunk that is not in its document
_INK = re.compile(r"\S")
_PAIRS = re.compile(r"\s*\[\s*\[\s*0\s*,\s*[0-9]+\s*\]")  # a segment size is never 0
_DOCSTORE = re.compile(r'\s*\{\s*"docstore/')


class _Chunk(NamedTuple):
    """A chunk as the file has it."""

    where: str
    span: Any  # start and end as the file has them; None where it has no place
    text: str | None


JSON_ENDINGS = {".json", ".jsonl", ".ndjson"}  # which no raw text has


def raw_text(reading: Reading, name: str, texts: int = 1) -> str | None:
    """Return the text that ``--raw`` names: a file, or the file of this name in a folder.

    ``texts`` is how many the file has: one raw text would give the others units of another text.
    """
    if reading.raw is None:
        return None
    place = Path(reading.raw)
    try:
        if place.is_dir():
            own = Path(name).name  # splitters name a text by its path
            found = sorted(p for p in place.iterdir() if own in (p.stem, p.name) and p.is_file())
            if len(found) != 1:
                raise FormatError(
                    f"{place} has {len(found)} files for the text {name}; one is needed"
                )
            place = found[0]
        elif texts > 1 and place.suffix.lower() not in JSON_ENDINGS:
            raise FormatError(
                f"{reading.name} has {texts} texts, and --raw {reading.raw} is one file; "
                "give a folder with one file per text: --raw FOLDER/"
            )
        if place.suffix.lower() in JSON_ENDINGS:
            raise FormatError(
                f"--raw {place} is JSON, and --raw expects the text itself; write each text to a "
                "plain file, and give its folder for several texts: --raw FOLDER/"
            )
        return read_decoded(place, reading.unpack_limit)[1]
    except OSError as error:
        raise FormatError(f"{reading.raw} cannot be read: {error.strerror}") from None


def _of_raw(reading: Reading) -> str:
    """Return the raw file or folder that was read, for the line that says how a file was read."""
    if reading.raw is None:
        return ""
    path = Path(reading.raw)
    name = path.name.replace("{", "(").replace("}", ")")  # braces are fields of a shape
    return f" of the texts in {name}/" if path.is_dir() else f" of {name}"


def read_chunks(text: str, reading: Reading) -> Corpus:
    """A JSON list (or lines), or a table, of chunks with start and end in characters of a text.

    Known names are start and end, start_index and end_index (chonkie), start_char_idx and
    end_char_idx (LlamaIndex), and metadata.start_index beside page_content (LangChain, with
    add_start_index=True). Where chunks overlap, a segment ends where the later one starts
    (``--overlap start``, or ``end``). With several texts each chunk names its own: doc_id, source,
    LlamaIndex's relationships, or ``--columns text=`` (``metadata.file_name`` for a field inside
    another, ``metadata.source,metadata.page`` for two together, where pages are texts). A list of
    [start, end] pairs is one text. ``--levels nested`` reads chunks inside chunks: their depth is
    the level of their boundaries. A CSV or Parquet table has these names as columns, one row per
    chunk. A start of -1 means that a splitter did not find its chunk.

    ``--raw`` names the text, or a folder with a file for each. With it the texts of chunks are
    compared to it, white space aside; chunks without a position are looked for, one behind the
    other; ``--snap`` ignores white space around a boundary; and ``--units words`` counts words: a
    boundary inside one goes to the nearer end of it.
    """
    if _DOCSTORE.match(text):
        raise FormatError(
            f"{reading.at(1)}: this is a LlamaIndex docstore, which holds documents and nodes; "
            "write the nodes themselves: json.dump([node.to_dict() for node in nodes], file)"
        )
    if not text.lstrip().startswith(("[", "{")):
        return _from_chunks(_table_chunks(text, reading), reading)
    if not text.lstrip().startswith("["):
        return _from_chunks(json_lines(text, reading), reading)
    return from_json(
        text, reading, lambda data, own, lines: _from_chunks(located(data, lines, "chunk"), own)
    )


def read_chunk_bytes(data: bytes, reading: Reading) -> Corpus:
    """Read chunks from a Parquet table, or from the bytes of a text."""
    if not data.startswith(PARQUET_SIGN):
        return read_chunks(decode_bytes(data, reading.name), reading)
    rows = read_parquet(data, reading.name, FormatError, reading.unpack_limit).to_pylist()
    if not rows:
        raise FormatError(f"{reading.name} has no rows")
    chunks = [_nested(row) for row in rows]
    return _from_chunks(located(chunks, LineNumbers(reading.name), "record"), reading)


def _table_chunks(text: str, reading: Reading) -> list[tuple[str, dict[str, Any]]]:
    """Return the rows of a CSV table as chunks; the text of a chunk may have several lines."""
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter_of(text), strict=True)
    chunks: list[tuple[str, dict[str, Any]]] = []
    placed = {reading.columns.get(role) for role in ("start", "end")}
    try:
        header = [cell.strip() for cell in next((row for row in rows if any(row)), [])]
        line = rows.line_num + 1
        for cells in rows:
            where, line = reading.at(line), rows.line_num + 1
            if not any(cell.strip() for cell in cells):
                continue
            if len(cells) != len(header):
                raise FormatError(
                    f"{where}: {len(cells)} cells, and the header has {len(header)} columns"
                )
            chunk = {
                name: _cell(name in placed or _is_position(name), cell, where)
                for name, cell in zip(header, cells, strict=True)
            }
            chunks.append((where, _nested(chunk)))
    except csv.Error as error:
        raise FormatError(f"{reading.at(rows.line_num)}: not a table: {error}") from None
    if not chunks:
        raise FormatError(f"{reading.name} has no rows under its header")
    return chunks


def _cell(is_position: bool, cell: str, where: str) -> str | int | None:
    """Return a position as a number, an empty cell as None, and any other as it is."""
    if is_position and re.fullmatch(r"\s*-?\d+\s*", cell):
        return as_whole(cell.strip(), where)
    return cell if cell.strip() else None


def _is_position(name: str) -> bool:
    return name.removeprefix("metadata.") in POSITION_COLUMNS


def _nested(row: dict[str, Any]) -> dict[str, Any]:
    """Return a chunk whose columns ``metadata.source`` are fields of its metadata, as in JSON."""
    inside = {
        name.removeprefix("metadata."): value
        for name, value in row.items()
        if name.startswith("metadata.")
    }
    beside = {name: value for name, value in row.items() if not name.startswith("metadata.")}
    return {**beside, "metadata": inside} if inside else beside


def _has_chunk_header(text: str) -> bool:
    """Whether the first line names the columns of a table of chunks."""
    first = first_line(text)
    if "start" not in first or first[0] in "[{":
        return False
    return are_chunk_columns([cell.strip(" \"'") for cell in first.split(delimiter_of(text))])


def are_chunk_columns(names: Sequence[str]) -> bool:
    """Whether a table with these columns has a row per chunk.

    Some names are those of chunkers alone. Others, such as ``start`` and ``end``, may be positions
    of anything, and ``text`` the name of a text: beside them the document must be named too.
    """
    plain = {name.removeprefix("metadata.") for name in names}
    if plain & {"ref", "hyp"}:
        return False  # a table of texts
    if "page_content" in plain:
        return any(start in plain for start, _ in SPAN_KEYS)
    starts = {start for start, end in SPAN_KEYS if {start, end} <= plain}
    if starts & {"start_index", "start_char_idx"}:
        return True
    return bool(starts) and "text" in plain and bool(plain & set(DOCUMENT_KEYS))


def looks_like_chunk_table(data: bytes) -> bool:
    """Whether a Parquet file has the columns of chunks; not where pyarrow is not installed."""
    try:
        return are_chunk_columns(parquet_columns(data))
    except Exception:  # the reader of any Parquet file says what is wrong with it
        return False


def _from_chunks(chunks: Sequence[tuple[str, Any]], reading: Reading) -> Corpus:
    by_text: dict[str, list[_Chunk]] = {}
    pages: dict[str, Any] = {}
    named: set[str | None] = set()
    for where, wrapped in chunks:
        given = _with_roles(_unwrapped(wrapped), reading)
        one = _chunk(given, reading, where)
        name = _document(given, reading, where)
        named.add(name)
        if len(named) > 1 and None in named:
            raise FormatError(
                f"{where}: some chunks name their document and others do not, so whose this is "
                "cannot be told; --columns text=NAME says which field names it"
            )
        _refuse_pages(given, name, pages, reading, where)
        by_text.setdefault(reading.stem if name is None else name, []).append(one)
    builder = CorpusBuilder()
    choices: dict[str, str] = {}
    for name, own in by_text.items():
        raw = raw_text(reading, name, len(by_text))
        where = _where(own)
        placed = own if raw is None else _in_raw(own, raw, name)
        of = f", text {name}" if reading.levels == NESTED and name != reading.stem else ""
        stretches = [stretch_of(one.span, f"{one.where}{of}") for one in placed]
        seg, used, units = _segmented_chunks(stretches, raw, reading, where)
        builder.add(Key(name, "", ONLY), seg, units, where)
        choices |= used
    if reading.units is not None:
        choices["units"] = reading.units
    if any(one.span is None for own in by_text.values() for one in own):
        choices["places"] = "found"
    # LlamaIndex makes names of its own up; where there is one, it says nothing.
    made_up = len(by_text) == 1 and _related(_unwrapped(chunks[0][1])) in by_text
    # And a file that --raw names is the text, whatever a splitter calls it (its path).
    said = len(by_text) == 1 and reading.raw is not None and not Path(reading.raw).is_dir()
    nameless = made_up or said or list(by_text) == [reading.stem]
    return built(
        builder,
        reading,
        choices=choices,
        shape=f"one chunk per record, start and end in characters{_of_raw(reading)}",
        id_field=None if reading.id_field == "id" else reading.id_field,
        unit=text_unit(reading.units or "chars"),
        naming="file" if nameless else "own",
    )


def _with_roles(chunk: Any, reading: Reading) -> Any:
    """Return a chunk whose start, end and text have the names that are known."""
    if not isinstance(chunk, dict):
        return chunk
    names = {"start": "start", "end": "end", "words": "text"}
    found = {role: declared(role, chunk, reading) for role in names}
    return chunk | {names[role]: chunk[name] for role, name in found.items() if name is not None}


def _segmented_chunks(
    stretches: list[Stretch], raw: str | None, reading: Reading, where: str
) -> tuple[Segmentation, dict[str, str], list[str] | None]:
    """Chunks as segments of characters, or of the words of the text."""
    if reading.units not in (None, "chars", "words", "lines"):
        raise FormatError(
            f"{reading.name}: chunks have --units chars, words or lines, found {reading.units!r}"
        )
    if raw is not None:
        return segment_text(stretches, raw, reading, where, "start")
    if reading.units in ("words", "lines"):
        raise FormatError(
            f"{where}: --units {reading.units} counts the {reading.units} of the text, and chunks "
            "may begin inside one: --raw FILE names the text"
        )
    if reading.snap:
        raise FormatError(f"{where}: --snap looks at the text: --raw FILE names the text")
    units = int(max(one.end for one in stretches))
    seg, used = segment(
        stretches, units, reading, where, overlap="start", gap_hint=_hint_about_chunks
    )
    return seg, used, None


def _hint_about_chunks(start: int, end: int) -> str:
    """Return the ways out of a gap between chunks of a text that is not known."""
    return (
        "if this is white space that the splitter removed, --raw FILE names the text and --snap "
        "(or --units words) ignores white space; otherwise --gaps join (part of the chunk before) "
        "or --gaps segment (a segment of its own)"
    )


def _in_raw(chunks: list[_Chunk], raw: str, name: str) -> list[_Chunk]:
    """Chunks whose texts are those of the raw text, with their places in it."""
    placed: list[_Chunk] = []
    for one in chunks:
        span = one.span
        if span is None:
            span = _found(one, placed[-1].span if placed else None, raw, name)
        elif one.text is not None and all(map(is_whole, span)):
            _compare(one, span, raw, name)
        placed.append(one._replace(span=span))
    return placed


def _compare(one: _Chunk, span: list[Any], raw: str, name: str) -> None:
    """Refuse a chunk that is not what the text has there, white space aside."""
    start, end = span
    if not 0 <= start < end <= len(raw) or one.text is None:
        return  # no stretch of the text, which is refused for that
    own = "".join(one.text.split())
    places = [place for place in range(start, end) if not raw[place].isspace()]
    there = "".join(raw[place] for place in places)
    if own == there:
        return
    both = zip(own, there, strict=False)
    same = next((n for n, (a, b) in enumerate(both) if a != b), min(len(own), len(there)))
    at = places[same] if same < len(places) else end
    raise FormatError(
        f"{one.where}: the chunk parts from the text {name} at character {at}: "
        f"{own[max(0, same - 10) : same + 20]!r} / {raw[max(start, at - 10) : at + 20]!r}; is "
        "--raw the text that was split, with the same line ends, and are its characters counted?"
    )


def _found(one: _Chunk, before: list[Any] | None, raw: str, name: str) -> list[Any]:
    """Where a chunk without a place is: behind the one before it, or at the only place it fits."""
    text = one.text or ""
    first, end = before if before is not None else (-1, 0)
    ink = _INK.search(raw, end)
    for own, at in ((text, end), (text.strip(), ink.start() if ink else len(raw))):
        if raw.startswith(own, at):
            return [at, at + len(own)]
    own = text if text in raw else text.strip()
    place = raw.find(own, first + 1)
    if place < 0:
        raise FormatError(
            f"{one.where}: the chunk {own!r:.40} is not in the text {name} behind the start of "
            "the one before it; is --raw the text that was split?"
        )
    if raw.find(own, place + 1) >= 0:
        raise FormatError(
            f"{one.where}: the chunk {own!r:.40} is in the text {name} more than once, so its "
            "position is unknown; LangChain's splitters write it with add_start_index=True"
        )
    return [place, place + len(own)]


def _unwrapped(chunk: Any) -> Any:
    """A chunk as it was before langchain_core.load.dumps put its class around it."""
    if isinstance(chunk, dict) and "lc" in chunk and isinstance(chunk.get("kwargs"), dict):
        return chunk["kwargs"]
    return chunk


def _chunk(chunk: Any, reading: Reading, where: str) -> _Chunk:
    """Start, end and text of a chunk, or a sentence about how its tool writes them."""
    if isinstance(chunk, list) and len(chunk) == 2:
        return _Chunk(where, chunk, None)
    text = chunk.get("page_content", chunk.get("text")) if isinstance(chunk, dict) else None
    own = text if isinstance(text, str) and text.strip() else None
    span = as_span(chunk)
    placed = isinstance(chunk, dict) and isinstance(span, list)
    if placed and any(isinstance(end, float) for end in span):
        raise FormatError(
            f"{where}: start and end must be whole numbers, of characters, found {kind_of(span)}; "
            "times in seconds are a field of a record, "
            '{"id": "talk", "ref": [[0.0, 1.2], [1.2, 3.5]]}, with --units seconds:0.1'
        )
    unplaced = placed and (None in span or span[0] == NOT_FOUND)
    if placed and not unplaced:
        return _Chunk(where, span, own)
    if own is not None and reading.raw is not None:
        return _Chunk(where, None, own)
    if placed:
        ends = "start and end are null" if None in span else "start is -1"
        raise FormatError(
            f"{where}: this chunk has no position: its {ends}, as its splitter did "
            "not find it in the document; --raw FILE names the text, in which chunks are looked "
            "for, or use a splitter that keeps positions"
        )
    names = ", ".join(f"{a} and {b}" for a, b in SPAN_KEYS[:3])
    way = ""
    if own is not None:
        by = "LangChain's splitters write it with add_start_index=True, or "
        way = f"; {by if 'page_content' in chunk else ''}--raw FILE names the text, in which "
        way += "chunks are looked for"
    raise FormatError(f"{where}: a chunk has {names}, found {kind_of(chunk)}{way}")


def _refuse_pages(
    chunk: Any, name: str | None, pages: dict[str, Any], reading: Reading, where: str
) -> None:
    """LangChain counts from 0 on every page of a PDF: two pages are no single text."""
    inside = chunk.get("metadata") if isinstance(chunk, dict) else None
    if reading.id_field != "id" or "page_content" not in chunk or not isinstance(inside, dict):
        return
    page = inside.get("page")
    if page is not None and pages.setdefault(name or "", page) != page:
        together = "metadata.source,metadata.page" if "source" in inside else "metadata.page"
        raise FormatError(
            f"{where}: chunks of page {page!r:.20} and of page {pages[name or '']!r:.20} of one "
            f"document, and start_index begins anew on every page: --columns text={together} makes "
            "every page a text"
        )


def _where(chunks: list[_Chunk]) -> str:
    first, last = chunks[0].where, chunks[-1].where
    return first if first == last else f"{first} to {last.rpartition(' ')[2]}"


def _document(chunk: Any, reading: Reading, where: str) -> str | None:
    """The name of the document a chunk is of; None where it names none."""
    if not isinstance(chunk, dict):
        return None
    if reading.id_field != "id":
        return ", ".join(_named(chunk, field, where) for field in reading.id_field.split(","))
    inside = chunk.get("metadata")
    for one in (chunk, inside if isinstance(inside, dict) else {}):
        for name in DOCUMENT_KEYS:
            if one.get(name) is not None:
                return _named(one, name, where)
    return _related(chunk)


def _named(chunk: dict[str, Any], field: str, where: str) -> str:
    """A field, or one inside another (``metadata.source``)."""
    found: Any = chunk
    if field in chunk:
        found = chunk[field]
    elif isinstance(inside := chunk.get("metadata"), dict) and field in inside:
        found = inside[field]
    else:
        for part in field.split("."):
            found = found.get(part) if isinstance(found, dict) else None
    if not is_name(found):
        raise FormatError(
            f'{where}: "{field}" must name the document of the chunk, found '
            + (f"none; there are {quoted(chunk)}" if found is None else kind_of(found))
        )
    return str(found)


def _related(chunk: Any) -> str | None:
    """LlamaIndex: a node's relation 1 (SOURCE) is the document it was cut from."""
    relations = chunk.get("relationships") if isinstance(chunk, dict) else None
    if not isinstance(relations, dict):
        return None
    source = relations.get("1", relations.get("SOURCE"))
    id = source.get("node_id") if isinstance(source, dict) else source
    return str(id) if is_name(id) else None


def read_sentences(text: str, reading: Reading) -> Corpus:
    """One sentence per line, or a JSON list of sentences (by text): sentences are segments.

    Words are units, or with ``--units chars`` characters. ``--raw`` names the text itself:
    sentences must be its parts in order, white space aside. With it all characters of the text
    count, as for chunks, and a boundary lies behind the white space between two sentences; without
    it white space is not known, and not counted.
    """
    if not re.match(r'\s*(\[\s*"|\{\s*")', text):
        lines = [
            (reading.at(n), line) for n, line in enumerate(split_lines(text), 1) if line.strip()
        ]
        if not lines:
            raise FormatError(f"{reading.name} has no sentences")
        return _from_sentences({reading.stem: lines}, reading)
    return from_json(text, reading, _from_json)


def _from_sentences(by_text: dict[str, list[tuple[str, str]]], reading: Reading) -> Corpus:
    if reading.units not in (None, "words", "chars"):
        raise FormatError(
            f"{reading.name}: sentences have --units words or chars, found {reading.units!r}"
        )
    chars = reading.units == "chars"
    found: dict[Key, tuple[Segmentation, list[str]]] = {}
    for name, sentences in by_text.items():
        raw = raw_text(reading, name, len(by_text))
        key = Key(name, "", ONLY)
        if raw is not None:
            found[key] = _segmented_raw(raw, sentences, name, reading)
        else:
            parts = [sentence.split() for _, sentence in sentences]
            found[key] = join_parts([list("".join(own)) if chars else own for own in parts])
    shape = f"one sentence per line or entry{_of_raw(reading)}" if reading.raw else ""
    if chars:
        choices = {"units": "chars"}
        return built_from_words(found, reading, "character", choices=choices, shape=shape)
    return built_from_words(found, reading, shape=shape)


def _from_json(data: Any, reading: Reading, lines: LineNumbers) -> Corpus:
    """A list of sentences, or lists by text."""
    found: dict[str, list[tuple[str, str]]] = {}
    texts = data if isinstance(data, dict) else {reading.stem: data}
    for name, given in texts.items():
        path, before = ((name,), f"{name}, ") if isinstance(data, dict) else ((), "")
        where = lines.at(*path, said=before.removesuffix(", "))
        filled = isinstance(given, list) and given != []
        expect(filled, where, "expected a list of sentences", given)
        found[name] = []
        for number, one in enumerate(given, start=1):
            where = lines.at(*path, number - 1, said=f"{before}sentence {number}")
            is_text = isinstance(one, str) and one.strip() != ""
            expect(is_text, where, "a sentence must be a text", one)
            found[name].append((where, one))
    return _from_sentences(found, reading)


def _segmented_raw(
    raw: str, sentences: list[tuple[str, str]], name: str, reading: Reading
) -> tuple[Segmentation, list[str]]:
    """Sentences as segments of the text; each goes on to where the next begins."""
    starts = [0, *_starts_in_raw(raw, sentences, name)[1:], len(raw)]
    wheres = [where for where, _ in sentences]
    for start, where in zip(starts[1:-1], wheres, strict=False):
        if reading.units != "chars" and not raw[start - 1].isspace():
            raise FormatError(
                f"{where}: the sentence ends inside a word of the text; --units chars counts "
                "characters"
            )
    stretches = [
        Stretch(*ends, where) for ends, where in zip(pairwise(starts), wheres, strict=True)
    ]
    counted = reading.replace(units=reading.units or "words")
    seg, _, units = segment_text(stretches, raw, counted, reading.name)
    return seg, units


def _starts_in_raw(raw: str, sentences: list[tuple[str, str]], name: str) -> list[int]:
    """Where sentences begin in the text; refuse sentences that are not the text."""
    places = [place for place, char in enumerate(raw) if not char.isspace()]
    done = 0
    starts = []
    for where, sentence in sentences:
        for number, char in enumerate("".join(sentence.split())):
            at = places[done] if done < len(places) else len(raw)
            if at == len(raw) or raw[at] != char:
                raise FormatError(
                    f"{where}: the sentences part from the text {name} at character {at}: "
                    f"{sentence.strip()[:30]!r} / {raw[max(0, at - 10) : at + 20]!r}; if the words "
                    "differ, use fencepost resegment"
                )
            if number == 0:
                starts.append(at)
            done += 1
    if done < len(places):
        at = places[done]
        raise FormatError(
            f"{sentences[-1][0]}: the text {name} goes on behind the last sentence: "
            f"{raw[at : at + 30]!r}"
        )
    return starts


def write_sentences(corpus: Corpus) -> str:
    """The segments of the only text, a line each."""
    check_holds(corpus, "sentences")
    ((key, seg),) = corpus.entries.items()
    words = needed_words(corpus, (key.text, ""), seg.units, "a list of sentences", is_spaceless)
    lines, place = [], 0
    for size in seg.masses:
        lines.append(" ".join(words[place : place + size]))
        place += size
    if re.match(r'(\[\s*"|\{\s*")', lines[0]):
        raise FormatError(f"{key.text}: the first sentence begins like JSON; jsonl holds it")
    return "\n".join(lines) + "\n"


def write_chunks(corpus: Corpus) -> str:
    """Segments as chunks with their characters, and their text where it is known."""
    check_holds(corpus, "chunks", "texts")
    check_filled(corpus)
    chunks = []
    for key, seg in corpus.entries.items():
        known = corpus.tokens.get((key.text, ""))
        text = None if known is None else "".join(known)
        characters = corpus.unit == "character" if text is None else len(text) == seg.units
        if not characters:
            raise FormatError(
                f"{key.text}: chunks count characters, and these units are {corpus.unit}s; jsonl "
                "holds any"
            )
        for start, end in pairwise((0, *seg.cuts.tolist(), seg.units)):
            chunk = {"doc_id": key.text, "start_index": start, "end_index": end}
            chunks.append(chunk if text is None else {**chunk, "text": text[start:end]})
    return "[\n" + ",\n".join(json.dumps(one, ensure_ascii=False) for one in chunks) + "\n]\n"


def looks_like_chunks(text: str) -> bool:
    """The first object has both ends under a name that chunkers use, or is a chunk without them.

    So has the header of a table.
    """
    if _DOCSTORE.match(text) or _PAIRS.match(text) or _has_chunk_header(text):
        return True
    start = re.match(r"\s*+(?:\[\s*+)?(?=\{)", text)
    if not start:
        return False
    try:
        first, _ = json.JSONDecoder().raw_decode(text, start.end())
    except (ValueError, RecursionError):
        return False
    first = _unwrapped(first)
    if isinstance(first.get("page_content"), str):
        return True
    if not set(first) & {"start", "end"}:
        return isinstance(as_span(first), list)
    # These names may stand in records too, beside a list that is the segmentation.
    lists = any(isinstance(value, list) for value in first.values())
    return all(is_number(first.get(name)) for name in ("start", "end")) and not lists


CHUNKS = Format(
    "chunks",
    endings_of("chunks"),
    "chunks of retrieval: objects with start and end in characters; where two overlap, the later "
    "one starts a segment",
    '[{"text": "It rained all day. ", "start_index": 0, "end_index": 19},\n'
    ' {"text": "day. We left.", "start_index": 14, "end_index": 27}]',
    read_chunks,
    looks_like_chunks,
    sure=True,
    read_bytes=read_chunk_bytes,
    write=write_chunks,
    keeps=("texts",),
    takes=("encoding", "raw", "units", "gaps", "overlap", "snap"),
    roles=("text", "start", "end", "words"),
)
SENTENCES = Format(
    "sentences",
    endings_of("sentences"),
    "one sentence per line, or a JSON list of them: sentences are segments of words",
    "It rained all day.\nWe left.",
    read_sentences,
    write=write_sentences,
    keeps=("words",),
    takes=("raw", "units"),
)
