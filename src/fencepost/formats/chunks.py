"""Output of chunkers and sentence splitters: chunks with offsets, and lists of sentences."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from fencepost.corpus import Corpus, Key
from fencepost.formats.base import Format, FormatError, Reading, split_lines
from fencepost.formats.intervals import words_of
from fencepost.formats.opening import decode_bytes
from fencepost.formats.records import load_json
from fencepost.formats.values import SPAN_KEYS, Value, as_span, decode, kind_of
from fencepost.segmentation import Segmentation
from fencepost.streams.packed import unpack

DOCUMENT_KEYS = ("doc_id", "document_id", "document", "doc", "source", "ref_doc_id")


def raw_text(reading: Reading, name: str) -> str | None:
    """The text that ``--raw`` names: a file, or the file of this name in a folder."""
    if reading.raw is None:
        return None
    place = Path(reading.raw)
    try:
        if place.is_dir():
            found = sorted(p for p in place.iterdir() if p.stem == name and p.is_file())
            if len(found) != 1:
                raise FormatError(
                    f"{place} has {len(found)} files for the text {name}; one is needed"
                )
            place = found[0]
        return decode_bytes(unpack(place.read_bytes(), place.name), place.name)
    except OSError as error:
        raise FormatError(f"{reading.raw} cannot be read: {error.strerror}") from None


def read_chunks(text: str, reading: Reading) -> Corpus:
    """A JSON list (or lines) of chunks with start and end in characters of a text.

    Known names are start and end, start_index and end_index (chonkie), start_char_idx and
    end_char_idx (LlamaIndex), and metadata.start_index beside page_content (LangChain). Chunks
    that overlap are cut where the later one starts (``--overlap start``, or ``end``). With several
    texts each chunk names its own (doc_id, or ``--id-field``). The text follows from ``--raw``;
    with it, ``--snap`` ignores white space around a cut.
    """
    if text.lstrip().startswith("["):
        chunks = load_json(text, reading)
        wheres = [f"{reading.name}, chunk {n}" for n in range(1, len(chunks) + 1)]
    else:
        lines = [(n, line) for n, line in enumerate(split_lines(text), 1) if line.strip()]
        chunks = [load_json(line, reading, n) for n, line in lines]
        wheres = [reading.at(n) for n, _ in lines]
    if not chunks:
        raise FormatError(f"{reading.name} has no chunks")
    by_text: dict[str, list[tuple[str, Any]]] = {}
    for where, chunk in zip(wheres, chunks, strict=True):
        span = as_span(chunk)
        if not isinstance(chunk, dict) or not isinstance(span, list):
            names = ", ".join(f"{a} and {b}" for a, b in SPAN_KEYS[:3])
            raise FormatError(f"{where}: a chunk has {names}, found {kind_of(chunk)}")
        by_text.setdefault(_document(chunk, reading), []).append((where, span))
    raws = {name: raw_text(reading, name) for name in by_text}
    values = [
        Value(
            [span for _, span in spans],
            _where(spans),
            None if raws[name] is None else len(raws[name] or ""),
            raws[name],
        )
        for name, spans in by_text.items()
    ]
    made, choices = decode(values, replace(reading, encoding="spans"), "chunks")
    keys = [Key(name, "", "1") for name in by_text]
    return Corpus(
        dict(zip(keys, made, strict=True)),
        tokens={(name, ""): list(raw) for name, raw in raws.items() if raw is not None},
        sources={key: value.where for key, value in zip(keys, values, strict=True)},
        reading=choices,
        name=reading.stem,
        unit="character",
        anonymous=list(by_text) == [reading.stem],
    )


def _where(spans: list[tuple[str, Any]]) -> str:
    first, last = spans[0][0], spans[-1][0]
    return first if first == last else f"{first} to {last.rpartition(' ')[2]}"


def _document(chunk: dict[str, Any], reading: Reading) -> str:
    inside = chunk.get("metadata") if isinstance(chunk.get("metadata"), dict) else {}
    names = DOCUMENT_KEYS if reading.id_field == "id" else (reading.id_field,)
    for one in (chunk, inside):
        for name in names:
            if isinstance(one, dict) and isinstance(one.get(name), (str, int)):
                return str(one[name])
    return reading.stem


def read_sentences(text: str, reading: Reading) -> Corpus:
    """A sentence a line, or a JSON list of sentences (by text): sentences are segments.

    Words are units, or with ``--units chars`` the characters that are no white space. ``--raw``
    names the text itself: sentences must be its parts in order, white space aside.
    """
    by_text = _sentences(text, reading)
    entries: dict[Key, Segmentation] = {}
    tokens: dict[tuple[str, str], list[str]] = {}
    for name, sentences in by_text.items():
        raw = raw_text(reading, name)
        if raw is not None:
            _check_raw(raw, sentences, name, reading)
        entries[Key(name, "", "1")], tokens[name, ""] = _segmented(sentences, raw, reading)
    chars = reading.units == "chars"
    return Corpus(
        entries,
        tokens=tokens,
        sources=dict.fromkeys(entries, reading.name),
        reading={"units": "chars"} if chars else {},
        name=reading.stem,
        unit="character" if chars else "word",
        anonymous=list(by_text) == [reading.stem],
    )


def _sentences(text: str, reading: Reading) -> dict[str, list[tuple[str, str]]]:
    """Sentences with where they stand, by text."""
    if not re.match(r'\s*(\[\s*"|\{\s*")', text):
        lines = [
            (reading.at(n), line) for n, line in enumerate(split_lines(text), 1) if line.strip()
        ]
        if not lines:
            raise FormatError(f"{reading.name} has no sentences")
        return {reading.stem: lines}
    data = load_json(text, reading)
    found: dict[str, list[tuple[str, str]]] = {}
    for name, given in (data if isinstance(data, dict) else {reading.stem: data}).items():
        where = f"{reading.name}, {name}" if isinstance(data, dict) else reading.name
        if not isinstance(given, list) or not given:
            raise FormatError(f"{where}: expected a list of sentences, found {kind_of(given)}")
        for number, one in enumerate(given, start=1):
            if not isinstance(one, str) or not one.strip():
                raise FormatError(
                    f"{where}: sentence {number} must be a text, found {kind_of(one)}"
                )
        found[name] = [(f"{where}, sentence {n}", one) for n, one in enumerate(given, 1)]
    return found


def _check_raw(raw: str, sentences: list[tuple[str, str]], name: str, reading: Reading) -> None:
    """Refuse sentences that are not the text, naming the first place where they part."""
    places = [place for place, char in enumerate(raw) if not char.isspace()]
    done = 0
    for where, sentence in sentences:
        for char in "".join(sentence.split()):
            if done == len(places) or raw[places[done]] != char:
                at = places[done] if done < len(places) else len(raw)
                raise FormatError(
                    f"{where}: the sentences part from the text {name} at character {at}: "
                    f"{sentence.strip()[:30]!r} / {raw[max(0, at - 10) : at + 20]!r}; if the words "
                    "differ, use fencepost resegment"
                )
            done += 1
    if done < len(places):
        at = places[done]
        raise FormatError(
            f"{sentences[-1][0]}: the text {name} goes on behind the last sentence: "
            f"{raw[at : at + 30]!r}"
        )


def _segmented(
    sentences: list[tuple[str, str]], raw: str | None, reading: Reading
) -> tuple[Segmentation, list[str]]:
    if reading.units == "chars":
        parts = ["".join(sentence.split()) for _, sentence in sentences]
        return Segmentation.from_masses([len(part) for part in parts]), list("".join(parts))
    if reading.units not in (None, "words"):
        raise FormatError(
            f"{reading.name}: sentences have --units words or chars, found {reading.units!r}"
        )
    if raw is None:
        words = [sentence.split() for _, sentence in sentences]
        sizes = [len(own) for own in words]
        return Segmentation.from_masses(sizes), [word for own in words for word in own]
    spans = words_of(raw)
    ends: dict[int, int] = {}  # characters so far, and words
    total = 0
    for number, (begin, end) in enumerate(spans, start=1):
        total += end - begin
        ends[total] = number
    cuts, total = [], 0
    for where, sentence in sentences:
        total += len("".join(sentence.split()))
        if total not in ends:
            raise FormatError(
                f"{where}: the sentence ends inside a word of the text; --units chars counts "
                "characters"
            )
        cuts.append(ends[total])
    return Segmentation(len(spans), cuts[:-1]), [raw[begin:end] for begin, end in spans]


def write_sentences(corpus: Corpus) -> str:
    """The segments of the only text, a line each."""
    if len(corpus.entries) != 1:
        raise FormatError(
            f"a list of sentences is one text by one coder, and there are {len(corpus.entries)} "
            "segmentations; write each to a file, or all to jsonl"
        )
    ((key, seg),) = corpus.entries.items()
    words = corpus.tokens.get((key.text, key.stream))
    if words is None or seg.kinds is not None or key.stream:
        raise FormatError(
            f"{key.text}: sentences need the words, and have no kinds and speakers; jsonl holds all"
        )
    wrong = next((word for word in words if word.split() != [word]), None)
    if wrong is not None:
        raise FormatError(
            f"{key.text}: {wrong!r:.60} would not be read as one word; jsonl holds it"
        )
    lines, place = [], 0
    for size in seg.masses:
        lines.append(" ".join(words[place : place + size]))
        place += size
    if re.match(r'(\[\s*"|\{\s*")', lines[0]):
        raise FormatError(f"{key.text}: the first sentence begins like JSON; jsonl holds it")
    return "\n".join(lines) + "\n"


def write_chunks(corpus: Corpus) -> str:
    """Segments as chunks with their characters, and their text where it is known."""
    if len(corpus.coders) > 1:
        raise FormatError(
            f"chunks are of one segmenter, and there are {len(corpus.coders)} coders; json and "
            "jsonl hold several"
        )
    chunks = []
    for key, seg in corpus.entries.items():
        known = corpus.tokens.get((key.text, ""))
        text = None if known is None else "".join(known)
        characters = corpus.unit == "character" if text is None else len(text) == seg.units
        if key.stream or seg.kinds is not None or not characters:
            raise FormatError(
                f"{key.text}: chunks count characters and have no kinds and speakers, and these "
                f"units are {corpus.unit}s; jsonl holds all"
            )
        for start, end in pairwise((0, *seg.cuts.tolist(), seg.units)):
            chunk = {"doc_id": key.text, "start_index": start, "end_index": end}
            chunks.append(chunk if text is None else {**chunk, "text": text[start:end]})
    return "[\n" + ",\n".join(json.dumps(one, ensure_ascii=False) for one in chunks) + "\n]\n"


def looks_like_chunks(text: str) -> bool:
    """The first object has both ends under a name that chunkers use."""
    start = re.match(r"\s*\[?\s*(?=\{)", text)
    if not start:
        return False
    try:
        first, _ = json.JSONDecoder().raw_decode(text, start.end())
    except (ValueError, RecursionError):
        return False
    plain = set(first) & {"start", "end"}
    return isinstance(as_span(first), list) and not plain


CHUNKS = Format(
    "chunks",
    (),
    "chunks of retrieval: objects with start and end in characters; overlap is cut at the start",
    '[{"text": "It rained all day. ", "start_index": 0, "end_index": 19},\n'
    ' {"text": "day. We left.", "start_index": 14, "end_index": 27}]',
    read_chunks,
    looks_like_chunks,
    sure=True,
    write=write_chunks,
    keeps=("texts",),
)
SENTENCES = Format(
    "sentences",
    (".sents", ".sentences"),
    "a sentence a line, or a JSON list of them: sentences are segments of words",
    "It rained all day.\nWe left.",
    read_sentences,
    write=write_sentences,
    keeps=("words",),
)
