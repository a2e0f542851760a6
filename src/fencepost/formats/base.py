"""What a format is: a name, a way to read a Corpus from bytes, and where possible to write one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from fencepost.checks import FencepostError
from fencepost.corpus import Corpus

ENCODINGS = ("masses", "bits", "flags", "positions", "labels", "spans")


class FormatError(FencepostError):
    """A file that cannot be read; the message names the file and the line."""


@dataclass(frozen=True)
class Reading:
    """Choices a person can make about how a file is to be understood."""

    name: str  # the file's own name, for messages
    flags: Literal["last", "first"] | None = None
    encoding: str | None = None  # one of ENCODINGS, where the values themselves do not tell
    field: str | None = None  # of JSON records: which one holds the segmentation
    default_field: str = "ref"
    id_field: str = "id"
    units_field: str = "units"
    ignore_tokens: str | None = None  # a regular expression, for tables of tokens

    @property
    def stem(self) -> str:
        """The file's name without its ending."""
        head, dot, _ = self.name.rpartition(".")
        return head if dot and head else self.name

    def at(self, line: int | None) -> str:
        """Where: the file, and the line if there is one."""
        return self.name if line is None else f"{self.name}, line {line}"


@dataclass(frozen=True)
class Format:
    """A family of files."""

    name: str
    endings: tuple[str, ...]
    help: str
    example: str
    read: Callable[[str, Reading], Corpus]
    looks_like: Callable[[str], bool] = field(default=lambda text: False)
    write: Callable[[Corpus], str] | None = None


FormatTable = Mapping[str, Format]
