"""Folders of files: one text each, or names that follow a pattern, put together as one corpus."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from fencepost.compression import unpacked
from fencepost.formats.built import about_empty, empty_choice, merged
from fencepost.formats.options import EmptyFileError, FormatError
from fencepost.formats.tiers import as_regex
from fencepost.model.corpus import Corpus, CorpusBuilder, Item, Key
from fencepost.model.join import item_name, words_that_differ
from fencepost.wording import plural

PARTS = ("folders", "text", "coder", "speaker")
BESIDE = (".pfsx", ".psfx")  # ELAN's settings, which it leaves beside every file


def read_folder(
    folder: Path, pattern: str | None, read: Callable[[Path], Corpus], skip_empty: bool = False
) -> Corpus:
    """Every file is one text, named by the file, or by the parts of its path."""
    found = _by_pattern(folder, pattern) if pattern else _by_stem(folder)
    parts, empty = [], []
    for file, named in found:
        try:
            parts.append((file, named, _read(file, folder, read)))
        except EmptyFileError as error:
            if not skip_empty:
                raise FormatError(f"{error}; --empty skip ignores empty files") from None
            empty.append(str(file.relative_to(folder)))
    if not parts:
        raise FormatError(f"{folder}: every file is empty")
    builder = CorpusBuilder()
    words: dict[Item, Sequence[str]] = {}
    read_in: dict[Item | Key, str] = {}
    notes = about_empty(empty)
    for file, named, part in parts:
        shown = str(file.relative_to(folder))
        _check(part, named, shown)
        for key, seg in part.entries.items():
            new = Key(
                named.get("text", key.text),
                named.get("speaker", key.stream),
                named.get("coder", key.coder),
            )
            if new in builder:
                raise FormatError(
                    f"{shown}: {item_name(new[:2])} by {new.coder} was read from {read_in[new]} "
                    "before; --path-pattern '{coder}/{text}.EXT' says which part of a path is what"
                )
            read_in[new] = shown
            item = new.text, new.stream
            own = part.tokens.get((key.text, key.stream))
            if own is not None:
                names = read_in.setdefault(item, shown), shown
                known = {item: words.setdefault(item, own)}
                notes += words_that_differ(known, {item: own}, names, part.unit)
            builder.add(new, seg, words.get(item), shown)
    first = parts[0][2].source
    return builder.build(
        name=folder.resolve().name,
        file=str(folder),
        format=first.format,
        unit=first.unit,
        field=first.field,
        ignored=first.ignored,
        shape=f"folder of {plural(len(parts), 'file')}; {first.shape}",
        naming="numbers" if first.naming == "numbers" else "own",
        choices=merged(part.source.choices for *_, part in parts) | empty_choice(empty),
        notes=tuple(dict.fromkeys(notes)),
    )


def _read(file: Path, folder: Path, read: Callable[[Path], Corpus]) -> Corpus:
    """A file of the folder; what is wrong with it is said with its path, not with its name only."""
    try:
        return read(file)
    except FormatError as error:
        shown = str(file.relative_to(folder))
        raise type(error)(str(error).replace(file.name, shown, 1)) from None


def _check(part: Corpus, named: dict[str, str], shown: str) -> None:
    if len(part.texts) != 1 and "text" in named:
        raise FormatError(
            f"{shown} has {len(part.texts)} texts; in a folder each file is one{_as_pattern(shown)}"
        )
    if len(part.coders) > 1 and "coder" in named:
        raise FormatError(
            f"{shown} has segmentations by {', '.join(part.coders[:3])}, and the path names one "
            "coder"
        )
    if len(part.stream_names) > 1 and "speaker" in named:
        raise FormatError(f"{shown} has several speakers, and the path names one")


def _as_pattern(shown: str) -> str:
    """Return how files of many texts are read, if these are such files."""
    ending = Path(shown).suffix
    if ending not in (".parquet", ".jsonl"):
        return ""
    return (
        f". Files with one row per text are read by a pattern: fencepost score 'FOLDER/*{ending}' "
        "--columns ref=NAME,hyp=NAME --encoding masses (or bits, flags, positions)"
    )


def _by_stem(folder: Path) -> list[tuple[Path, dict[str, str]]]:
    files = sorted(p for p in folder.iterdir() if p.is_file() and not _passed_over(p.name))
    if not files:
        inside = any(p.is_dir() for p in folder.iterdir())
        way = (
            "; the folders in it are read with --path-pattern '{coder}/{text}.EXT', or with "
            "'{folders}/{text}.EXT' where folders are part of a text's name"
        )
        raise FormatError(f"{folder} has no files{way if inside else ''}")
    return [(file, {"text": Path(unpacked(file.name)).stem}) for file in files]


def _passed_over(name: str) -> bool:
    """Hidden files, and those that a tool keeps for itself."""
    return name.startswith(".") or name.endswith(BESIDE)


def _named(parts: dict[str, str]) -> dict[str, str]:
    folders = parts.pop("folders", None)
    return parts if folders is None else {**parts, "text": f"{folders}/{parts['text']}"}


def _by_pattern(folder: Path, pattern: str) -> list[tuple[Path, dict[str, str]]]:
    """Files whose path below the folder has this form; others of the same ending are refused."""
    names = re.findall(r"\{([^{}]*)\}", pattern)
    if "text" not in names or set(names) - set(PARTS):
        raise FormatError(
            "a path is a pattern with {text} and if need be {coder}, {speaker} and {folders} (of "
            "any depth, part of a text's name), such as '{coder}/{text}.TextGrid'; found "
            f"{pattern!r}"
        )
    form = as_regex(pattern)
    ending = Path(re.sub(r"\{[^{}]*\}", "x", pattern)).suffix
    found, odd = [], []
    for file in sorted(p for p in folder.rglob("*") if p.is_file()):
        relative = file.relative_to(folder)
        if any(map(_passed_over, relative.parts)):
            continue
        match = form.fullmatch(relative.as_posix())
        if match:
            found.append((file, _named(match.groupdict())))
        elif file.suffix == ending:
            odd.append(relative.as_posix())
    if not found:
        raise FormatError(f"{folder}: no file has a path like {pattern!r}")
    if odd:
        raise FormatError(
            f"{folder}: {odd[0]} {f'and {len(odd) - 1} more do' if odd[1:] else 'does'} not have a "
            f"path like {pattern!r}; move other {ending} files away"
        )
    return found
