"""Reading and writing: one file for each family of formats, and the list of them."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from fencepost.corpus import Corpus, Key
from fencepost.formats.base import Format, FormatError, Reading, split_lines
from fencepost.formats.lines import LINES, TSV, looks_like_bars, mostly_numbers
from fencepost.formats.records import JSON, JSONL, SEGEVAL
from fencepost.formats.separated import EQUALS, SEPARATED
from fencepost.formats.tokens import BOUNDARY_STRINGS, TOKENS

FORMATS: Mapping[str, Format] = {
    one.name: one for one in (JSON, JSONL, SEGEVAL, TSV, LINES, SEPARATED, TOKENS, BOUNDARY_STRINGS)
}


def read(path: str | Path, format: str | None = None, **choices: Any) -> Corpus:
    """Read a file, or a folder of files with one text each, as a Corpus.

    The format follows from the name's ending and the content unless it is given. Choices say what
    a file leaves open: ``flags="last"|"first"``, ``encoding="labels"``, ``field="preds"``,
    ``id_field``, ``units_field``.
    """
    place = _place(path)
    if format:
        find_format(format)  # before the file is opened
    try:
        if place.is_dir():
            return _read_folder(place, format, choices)
        data = place.read_bytes()
    except OSError as error:
        raise FormatError(f"{path} cannot be read: {error.strerror}") from None
    return read_text(decode_bytes(data, place.name), place.name, format, **choices)


def read_text(text: str, name: str, format: str | None = None, **choices: Any) -> Corpus:
    """Read what a file of this name holds."""
    unknown = set(choices) - set(Reading.__dataclass_fields__)
    if unknown:
        known = ", ".join(name for name in Reading.__dataclass_fields__ if name != "name")
        raise FormatError(f"no choice {min(unknown)!r} for reading; there are {known}")
    if choices.get("flags") not in (None, "last", "first"):
        raise FormatError(f"flags are last or first, found {choices['flags']!r}")
    chosen = find_format(format) if format else _guess(text, name)
    if not text.strip():
        raise FormatError(f"{name} is empty")
    return chosen.read(text, Reading(name, **choices))


def _place(path: str | Path) -> Path:
    if not isinstance(path, (str, os.PathLike)):
        raise FormatError(f"a file is given by its path, found {type(path).__name__} {path!r:.40}")
    if not os.fspath(path):
        raise FormatError("a file is given by its path, found an empty one")
    if "\0" in str(path):
        raise FormatError(f"no file can have this name: {str(path)!r:.60}")
    return Path(path)


def decode_bytes(data: bytes, name: str) -> str:
    """UTF-8, with or without a byte order mark."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise FormatError(f"{name}, line {line}: not UTF-8 text") from None


def write(corpus: Corpus, path: str | Path, format: str | None = None) -> None:
    """Write a Corpus; the format follows from the name's ending unless it is given."""
    if not isinstance(corpus, Corpus):
        raise FormatError(
            f"only a Corpus can be written, found {type(corpus).__name__}; Corpus.from_dict makes "
            "one"
        )
    place = _place(path)
    able = ", ".join(one.name for one in FORMATS.values() if one.write)
    chosen = find_format(format) if format else _for_writing(corpus, place.name)
    if chosen is None:
        raise FormatError(f"{place.name}: the ending names no format; give one of {able}")
    if chosen.write is None:
        raise FormatError(f"{chosen.name} cannot be written; {able} can")
    try:
        place.write_bytes(chosen.write(corpus).encode("utf-8"))
    except OSError as error:
        raise FormatError(f"{path} cannot be written: {error.strerror}") from None
    except UnicodeEncodeError as error:
        raise FormatError(
            f"{path} cannot be written: {error.object[error.start]!r} has no place in UTF-8"
        ) from None


def check_ending(path: str | Path) -> None:
    """Refuse a name whose ending is that of no format that can be written."""
    found = _by_ending(_place(path).name)
    if found is None or found.write is None:
        able = ", ".join(end for one in FORMATS.values() if one.write for end in one.endings)
        raise FormatError(f"{path}: this ending names no format that can be written; {able} do")


def find_format(name: str) -> Format:
    """The format of this name."""
    if name not in FORMATS:
        raise FormatError(f"no format {name!r}; there are {', '.join(FORMATS)}")
    return FORMATS[name]


def _for_writing(corpus: Corpus, name: str) -> Format | None:
    """A .csv is a table of tokens where sizes cannot hold speakers or kinds."""
    found = _by_ending(name)
    richer = corpus.kind_names is not None or any(stream for _, stream in corpus.items)
    return TOKENS if found is TSV and richer else found


def _by_ending(name: str) -> Format | None:
    ending = Path(name).suffix.lower()
    return next((one for one in FORMATS.values() if ending in one.endings), None)


def _guess(text: str, name: str) -> Format:
    by_ending = _by_ending(name)
    if by_ending is JSON and _first_line_is_object(text):
        return JSONL
    for one in (TOKENS, BOUNDARY_STRINGS):  # known by their header, whatever the ending
        if one.looks_like(text):
            return one
    if by_ending is not None and by_ending is not SEPARATED:
        return by_ending
    found = _guess_plain(text, name) or by_ending
    if found is None:
        raise FormatError(
            f"{name}: the format is not clear from the name or the content; say it with --from "
            f"({', '.join(FORMATS)})"
        )
    return found


def _guess_plain(text: str, name: str) -> Format | None:
    """What is in a file whose ending says nothing: a wrong guess would be a wrong number."""
    lines = [line for line in split_lines(text) if line.strip()]
    if any(EQUALS.match(line) for line in lines):
        return SEPARATED
    if JSON.looks_like(text):
        return JSONL if _first_line_is_object(text) else JSON
    numbers, separated = mostly_numbers(lines), SEPARATED.looks_like(text)
    if numbers and separated:
        raise FormatError(
            f"{name} has lines of numbers and separator lines: say --from lines (a text a line) "
            "or --from separated (a unit a line)"
        )
    if separated:
        return SEPARATED
    if numbers:
        return LINES
    if "|" not in text:
        return None
    if looks_like_bars(text):
        return LINES
    number = next(n for n, line in enumerate(split_lines(text), start=1) if "|" in line)
    empty = re.search(r"\S[^\S\n]*\n\s*\n\s*\S", text.replace("\r\n", "\n").replace("\r", "\n"))
    beside = "there are empty lines too" if empty else "most lines have no | between spaces"
    raise FormatError(
        f"{name}, line {number}: | may stand between segments or be part of the text, and "
        f"{beside}; say --from lines (a text a line, | between its segments) or --from separated "
        "(a unit a line)"
    )


def _first_line_is_object(text: str) -> bool:
    """JSON lines under a .json name: the first line closes, and another object follows."""
    lines = [line.strip() for line in split_lines(text) if line.strip()]
    return len(lines) > 1 and lines[0][0] + lines[0][-1] + lines[1][0] == "{}{"


def _read_folder(folder: Path, format: str | None, choices: dict[str, Any]) -> Corpus:
    """Every file is one text, named by the file."""
    files = sorted(p for p in folder.iterdir() if p.is_file() and not p.name.startswith("."))
    if not files:
        raise FormatError(f"{folder} has no files")
    parts = [read(file, format, **choices) for file in files]
    entries: dict[Key, Any] = {}
    tokens: dict[tuple[str, str], Any] = {}
    for file, part in zip(files, parts, strict=True):
        if len(part.texts) != 1:
            raise FormatError(
                f"{file.name} has {len(part.texts)} texts; in a folder each file is one"
            )
        for key, seg in part.entries.items():
            entries[key._replace(text=file.stem)] = seg
        for (_, stream), words in part.tokens.items():
            tokens[file.stem, stream] = words
    return replace(
        parts[0], entries=entries, tokens=tokens, sources={}, name=folder.name, anonymous=False
    )
