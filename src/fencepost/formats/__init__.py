"""Reading and writing: one file for each family of formats, and the list of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from fencepost.corpus import Corpus, Key
from fencepost.formats.base import Format, FormatError, Reading
from fencepost.formats.lines import LINES, TSV
from fencepost.formats.records import JSON, JSONL, SEGEVAL
from fencepost.formats.separated import SEPARATED
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
    place = Path(path)
    if format:
        find_format(format)  # before the file is opened
    if place.is_dir():
        return _read_folder(place, format, choices)
    try:
        data = place.read_bytes()
    except OSError as error:
        raise FormatError(f"{path} cannot be read: {error.strerror}") from None
    return read_text(decode_bytes(data, place.name), place.name, format, **choices)


def read_text(text: str, name: str, format: str | None = None, **choices: Any) -> Corpus:
    """Read what a file of this name holds."""
    unknown = set(choices) - set(Reading.__dataclass_fields__)
    if unknown:
        raise FormatError(f"no choice {min(unknown)!r} for reading")
    chosen = find_format(format) if format else _guess(text, name)
    if not text.strip():
        raise FormatError(f"{name} is empty")
    return chosen.read(text, Reading(name, **choices))


def decode_bytes(data: bytes, name: str) -> str:
    """UTF-8, with or without a byte order mark."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise FormatError(f"{name}, line {line}: not UTF-8 text") from None


def write(corpus: Corpus, path: str | Path, format: str | None = None) -> None:
    """Write a Corpus; the format follows from the name's ending unless it is given."""
    chosen = find_format(format) if format else _guess("", Path(path).name)
    if chosen.write is None:
        able = ", ".join(one.name for one in FORMATS.values() if one.write)
        raise FormatError(f"{chosen.name} cannot be written; {able} can")
    Path(path).write_text(chosen.write(corpus), encoding="utf-8")


def find_format(name: str) -> Format:
    """The format of this name."""
    if name not in FORMATS:
        raise FormatError(f"no format {name!r}; there are {', '.join(FORMATS)}")
    return FORMATS[name]


def _guess(text: str, name: str) -> Format:
    ending = Path(name).suffix.lower()
    if ending == ".json" and text.count("\n") and _first_line_is_object(text):
        return JSONL
    for one in (TOKENS, BOUNDARY_STRINGS):  # known by their header, whatever the ending
        if one.looks_like(text):
            return one
    for one in FORMATS.values():
        if ending in one.endings and ending != ".txt":
            return one
    for one in (SEPARATED, JSON, LINES):
        if one.looks_like(text):
            return JSONL if one is JSON and _first_line_is_object(text) else one
    if ending == ".txt":
        return SEPARATED
    raise FormatError(
        f"{name}: the format is not clear from the name or the content; say it with --from "
        f"({', '.join(FORMATS)})"
    )


def _first_line_is_object(text: str) -> bool:
    """JSON lines under a .json name: the first line closes, and another object follows."""
    first, _, rest = text.strip().partition("\n")
    return first.startswith("{") and first.rstrip().endswith("}") and rest.lstrip().startswith("{")


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
    return replace(parts[0], entries=entries, tokens=tokens, sources={}, name=folder.name)
