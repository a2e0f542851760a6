"""The options of reading, as the readers of files meet them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fencepost.compression import unpacked
from fencepost.model.checks import FencepostError
from fencepost.options import Option, options_for


class FormatError(FencepostError):
    """A file that cannot be read; the message names the file and the line."""


class EmptyFileError(FormatError):
    """A file with nothing in it."""


class WordsOnlyError(FormatError):
    """A file of words without segmentations, or without what else was asked for."""


class Reading:
    """How one file is to be read: every declared option of ``read`` is an attribute.

    So is every option of ``function``, where another one reads the file.
    """

    def __init__(
        self, name: str, default_field: str = "ref", function: str = "read", **given: Any
    ) -> None:
        options = _options(function)
        unknown = given.keys() - options
        if unknown:
            raise FormatError(
                f"{min(unknown)!r} is no option of reading; the options are {', '.join(options)}"
            )
        for wrong in filter(None, (options[key].wrong(value) for key, value in given.items())):
            raise FormatError(wrong)
        usual = {key: one.default for key, one in options.items()}
        # The file's name is for messages; the default field has the segmentation if none is named.
        self.__dict__.update(
            usual, **given, name=name, default_field=default_field, function=function
        )

    if TYPE_CHECKING:  # the declarations say which attributes there are

        def __getattr__(self, name: str) -> Any: ...

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a Reading does not change; use replace({name}=...)")

    def replace(self, **changes: Any) -> Reading:
        """Return the same options with these changes."""
        return Reading(**{**self.__dict__, **changes})

    @property
    def made(self) -> set[str]:
        """The options that differ from their defaults."""
        options = _options(self.function)
        return {name for name, one in options.items() if getattr(self, name) != one.default}

    def without(self, names: set[str]) -> Reading:
        """Return the same options with the defaults of these."""
        options = _options(self.function)
        return self.replace(**{name: options[name].default for name in names}) if names else self

    @property
    def stem(self) -> str:
        """The file's name without its ending."""
        name = unpacked(self.name)
        head, dot, _ = name.rpartition(".")
        return head if dot and head else name

    def at(self, line: int | None) -> str:
        """Where: the file, and the line if there is one."""
        return self.name if line is None else f"{self.name}, line {line}"


def _options(function: str) -> dict[str, Option]:
    """The options of reading one file; its format and a folder's paths are not its own."""
    options = options_for("read") | options_for(function)
    return {n: one for n, one in options.items() if n not in ("format", "path_pattern")}


# Options that matter to files with values in named fields, and to files with tiers.
SPANS = ("units", "gaps", "overlap", "snap")  # of these, values with two ends alone
VALUES = ("flags", "encoding", "threshold", *SPANS)
RECORDS = ("id_field", "units_field", "empty", *VALUES)
TIERS = ("units", "tiers", "gaps", "overlap", "ignore_tokens", "levels")


def split_lines(text: str) -> list[str]:
    """Lines end with \\n, \\r\\n or \\r; other signs that break a line on paper are text."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines if lines[-1] else lines[:-1]
