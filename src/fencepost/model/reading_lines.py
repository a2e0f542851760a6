"""What was read and how, in one line for all files that were read alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from fencepost.model.corpus import ONLY, Corpus
from fencepost.model.source import Source
from fencepost.options import SIGNATURE_FIELDS
from fencepost.wording import listed, plural

MAX_NAMES = 8  # annotators or ignored columns that a line names


class FileRead(NamedTuple):
    """One reading of one file: its source, and the annotators that were found in it."""

    source: Source
    coders: tuple[str, ...] = (ONLY,)

    @classmethod
    def of(cls, corpus: Corpus) -> FileRead:
        """Return what a line says of a corpus; the corpus itself need not be kept.

        A column that was asked for is named behind its file, and not again as an annotator.
        """
        coders = tuple(corpus.coders)
        return cls(corpus.source, (ONLY,) if coders == (corpus.source.field,) else coders)

    def anonymous(self, file: str | None = None) -> FileRead:
        """Return the same without names of columns and annotators; ``file`` is another name."""
        source = Source(
            file=file or self.source.file,
            unit=self.source.unit,
            shape=self.source.shape,
            choices=self.source.choices,
            naming=self.source.naming,
        )
        return FileRead(source, self.coders if self.coders == (ONLY,) else ("",) * len(self.coders))


def reading_lines(read: Sequence[FileRead]) -> list[str]:
    """Return one line for each way in which files were read, with the names of its files.

    Files whose units have no name of their own have the units of the first file.
    """
    known = [one for one in read if one.source.file]
    if not known:
        return []
    unit = next((one.source.unit for one in known if one.source.unit != "unit"), "unit")
    ignored = _ignored_by_file(known)
    matched = len({one.source.file for one in known}) > 1
    groups: dict[str, list[Source]] = {}
    for one in known:
        said = describe(one, unit, ignored[one.source.file])
        if matched:
            said += _how_matched(one.source)
        groups.setdefault(said, []).append(one.source)
    return [f"{_files(sources)}: {said}" for said, sources in groups.items()]


def describe(read: FileRead, unit: str = "unit", ignored: Sequence[str] | None = None) -> str:
    """Return how one file was read, without its name: shape, annotators, choices, what is ignored.

    >>> source = Source(file="a.csv", shape="one row per {unit}; {annotators} (0/1)", unit="line")
    >>> describe(FileRead(source, ("anna", "ben")))
    'one row per line; annotators anna, ben (0/1)'
    """
    source = read.source
    own = source.unit if source.unit != "unit" else unit
    shape = source.shape or "segmentations"
    annotators = _annotators(read.coders)
    filled = shape.replace("{unit}", own).replace("{annotators}", annotators)
    parts = [filled]
    if read.coders != (ONLY,) and "annotator" not in shape:
        parts.append(annotators)
    parts += _choices(source.choices, own, filled)
    if own != "unit" and own not in " ".join(parts):
        parts.append(f"units are {own}s")
    left = source.ignored if ignored is None else ignored
    if left:
        parts.append(f"ignored: {listed(left, MAX_NAMES)}")
    return "; ".join(parts)


def _annotators(coders: Sequence[str]) -> str:
    if tuple(coders) == (ONLY,):
        return "one annotator"
    if "" in coders:
        return plural(len(coders), "annotator")
    noun = "annotator" if len(coders) == 1 else "annotators"
    return f"{noun} {listed(coders, MAX_NAMES)}"


def _choices(choices: Mapping[str, str], unit: str, shape: str) -> list[str]:
    """Choices that changed what was read, without those that the shape has already."""
    said = []
    for field, value in choices.items():
        if field == "flags":
            meaning = f" = {value} {unit} of a segment"  # of a 1, x, B, ...
            said_so = meaning in shape or "that it is the" in shape
            text = shape if said_so else f"1{meaning}"
        elif field == "threshold":
            text = _threshold(value)
        elif field == "tuned":
            metric, _, data = value.partition("@")
            text = f"tuned by {metric} on {data}"
        elif field in ("encoding", "probabilities"):
            text = shape  # which says what values are
        elif field == "ignored":
            text = f"tokens that match {value} are ignored"
        elif field == "units":
            text = describe_units(value, unit)
        else:
            text = SIGNATURE_FIELDS.get(field, {}).get(value, f"{field}: {value}")
        if text not in shape:
            said.append(text)
    return said


def _threshold(value: str) -> str:
    """Return what a 1 is: what has so much probability, or the most probable positions."""
    number, _, per = value.partition("/")
    if not per:
        return f"1 from {value} on"
    whole = "100 units" if per == "100" else per
    return f"1 at the {number} most probable positions per {whole} that are above 0"


def describe_units(value: str, unit: str = "") -> str:
    """Return what was counted: a grid of time, words of a tier, or units with a name."""
    kind, _, field = value.partition(":")
    if kind == "words" and field:
        return f"units are the intervals of {field}"
    if value[0].isdigit():
        return f"units of {value.removesuffix('s')} s"
    if kind == "text":
        return "units are the words of the labels"
    listed_in = f" in the field {field}" if field else ""
    names = {"chars": "characters"}
    return f"units are {f'{unit}s' if unit else names.get(kind, kind)}{listed_in}"


def _ignored_by_file(read: Sequence[FileRead]) -> dict[str, list[str]]:
    """What no reading of a file used: of two columns of one file, each ignores the other."""
    found: dict[str, list[str]] = {}
    for one in read:
        own, other = found.get(one.source.file), dict.fromkeys(one.source.ignored)
        found[one.source.file] = list(other) if own is None else [n for n in own if n in other]
    return found


def _how_matched(source: Source) -> str:
    if source.naming == "numbers":
        return "; matched by line" + f" ({source.not_names})" * bool(source.not_names)
    if source.naming == "file":
        return ""
    return f"; matched by {source.id_field}" if source.id_field else "; matched by name"


def _files(sources: Sequence[Source]) -> str:
    """Return the files with the fields that were read: ``gold.jsonl (ref), ours.jsonl (hyp)``."""
    fields: dict[str, list[str]] = {}
    for source in sources:
        own = fields.setdefault(source.file, [])
        if source.field is not None and source.field not in own:
            own.append(source.field)
    # Files in a row with the same fields name them once, behind the last.
    names = list(fields)
    return ", ".join(
        name
        if (i + 1 < len(names) and fields[names[i + 1]] == fields[name]) or not fields[name]
        else f"{name} ({', '.join(fields[name])})"
        for i, name in enumerate(names)
    )
