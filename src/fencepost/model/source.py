"""Where a corpus comes from and how it was understood."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from fencepost.model.checks import Ints

# Whose names texts bear: their own, that of the file they fill, or the numbers of their lines.
Naming = Literal["own", "file", "numbers"]


@dataclass(frozen=True)
class Source:
    """What was read and how: the first lines of an output, the signature and errors come from it.

    ``choices`` are those that change numbers (``{"flags": "last"}``) and enter the signature.
    ``lines`` has the line of each row, or ``places`` says in words where each row was read.
    ``shape`` has ``{unit}`` and ``{annotators}`` where a line about several files fills them in
    (``fencepost.model.reading_lines``).
    """

    name: str = "corpus"  # what tables call it
    file: str = ""
    format: str = ""
    unit: str = "unit"
    field: str | None = None  # the field or column that holds the segmentations
    # About the file rather than what it says: the field or column that names the texts; fields,
    # columns or tiers that were not read; what a row, line or field is, in a few words; options
    # of reading that nothing in the file was for.
    id_field: str | None = dataclasses.field(default=None, compare=False)
    ignored: tuple[str, ...] = dataclasses.field(default=(), compare=False)
    shape: str = dataclasses.field(default="", compare=False)
    idle: tuple[str, ...] = dataclasses.field(default=(), compare=False)  # unused options
    # Of texts without names: why columns that may name texts do not, and fields that have another
    # value in every record, with these values.
    not_names: str = dataclasses.field(default="", compare=False)
    may_name: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict, compare=False)
    naming: Naming = "own"
    choices: Mapping[str, str] = dataclasses.field(default_factory=dict)
    notes: tuple[str, ...] = ()  # what a person should know of how files came together
    by_name: bool = False  # rows of the file are found by their names, not by lines
    lines: Ints | None = dataclasses.field(default=None, compare=False)
    places: Sequence[str] | None = dataclasses.field(default=None, compare=False)

    @property
    def is_named(self) -> bool:
        """Whether texts bear names of their own."""
        return self.naming == "own"

    def where(self, row: int, names: Sequence[str] = ()) -> str:
        """Return where a row was read: the file, and its line or its ``names``."""
        if self.places is not None:
            return self.places[row]
        if self.lines is not None:
            return f"{self.file}, line {int(self.lines[row])}"
        return ", ".join([self.file, *(names if self.by_name else ())])
