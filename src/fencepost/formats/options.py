"""The options of reading, as the readers of files meet them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fencepost.compression import unpacked
from fencepost.model.checks import FencepostError
from fencepost.options import Option, find_option, gather_columns, options_for, write_columns

COLUMNS = "columns."  # before a role, where roles and options stand together
_CHOOSING = ("columns", "coders", "without", "unpack_limit")  # which every file has a use for


class FormatError(FencepostError):
    """A file that cannot be read; the message names the file and the line."""


class EmptyFileError(FormatError):
    """A file with nothing in it."""


class WordsOnlyError(FormatError):
    """A file of words without segmentations, or without what else was asked for."""


class Reading:
    """How one file is to be read: every declared option of ``read`` is an attribute.

    So is every option of ``function``, where another one reads the file. ``columns`` has what
    ``--columns`` and its other spellings say, by role: at most one of ``ref`` and ``hyp``.
    """

    def __init__(
        self,
        name: str,
        default_field: str = "ref",
        function: str = "read",
        path: str | None = None,
        **given: Any,
    ) -> None:
        options = _options(function)
        unknown = given.keys() - options
        if unknown:
            raise FormatError(
                f"{min(unknown)!r} is no option of reading; the options are {', '.join(options)}"
            )
        for wrong in filter(None, (options[key].wrong(value) for key, value in given.items())):
            raise FormatError(wrong)
        try:
            columns = gather_columns(given, options.values())
        except ValueError as error:
            raise FormatError(str(error)) from None
        if given.get("probabilities") and given.get("threshold") is not None:
            raise FormatError(
                f"{name}: --probabilities keeps probabilities and --threshold makes boundaries of "
                "them: give one of the two"
            )
        sides = [role for role in ("ref", "hyp") if role in columns]
        if len(sides) == 2 or isinstance(columns.get("hyp"), list):
            raise FormatError(
                f"{name}: one side is read at a time, {write_columns(columns)} names several: "
                "give ref or one hyp; coders=[...] (--coders) chooses several annotators"
            )
        made = {key: one.default for key, one in options.items() if not one.spells}
        made |= {key: value for key, value in given.items() if key in made}
        for key in ("coders", "without"):
            own = made[key] or ()
            made[key] = (own,) if isinstance(own, str) else tuple(own)
        # The file's name is for messages, its path for commands in them; the default field has the
        # segmentation if none is named.
        default_field = sides[0] if sides else default_field
        self.__dict__.update(
            made, columns=columns, name=name, default_field=default_field, function=function,
            path=path or name,
        )  # fmt: skip

    if TYPE_CHECKING:  # the declarations say which attributes there are

        def __getattr__(self, name: str) -> Any: ...

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a Reading does not change; use replace({name}=...)")

    def replace(self, **changes: Any) -> Reading:
        """Return the same options with these changes."""
        return Reading(**{**self.__dict__, **changes})

    def with_columns(self, **names: str | None) -> Reading:
        """Return the same options with other columns, by role; None is no name."""
        columns = {**self.columns, **names}
        return self.replace(columns={role: name for role, name in columns.items() if name})

    @property
    def field(self) -> str | None:
        """The column of the segmentation, if it is named."""
        name: str | None = self.columns.get(self.default_field)
        return name

    @property
    def id_field(self) -> str:
        """The column of the name of the text."""
        return str(self.columns.get("text", "id"))

    @property
    def units_field(self) -> str:
        """The column of the units of a text, or of their number."""
        return str(self.columns.get("units", "units"))

    @property
    def made(self) -> set[str]:
        """The options that differ from their defaults, and the roles that have a name."""
        options = _options(self.function)
        own = {n for n, one in options.items() if not one.spells and n not in _CHOOSING}
        own = {name for name in own if getattr(self, name) != options[name].default}
        return own | {f"{COLUMNS}{role}" for role in self.columns}

    def without_idle(self, names: set[str]) -> Reading:
        """Return the same options with the defaults of these."""
        options = _options(self.function)
        columns = {r: n for r, n in self.columns.items() if f"{COLUMNS}{r}" not in names}
        plain = {name: options[name].default for name in names if name in options}
        return self.replace(**plain, columns=columns) if names else self

    @property
    def keeps_signs(self) -> bool:
        """Whether 0/1 per unit is a string of NLTK, which knows no units: a sign per position."""
        return self.like == "nltk" and self.flags is None and self.encoding is None

    @property
    def stem(self) -> str:
        """The file's name without its ending."""
        name = unpacked(self.name)
        head, dot, _ = name.rpartition(".")
        return head if dot and head else name

    def at(self, line: int | str | None) -> str:
        """Where: the file, and the line if there is one; words that say so already stay."""
        if isinstance(line, str):
            return line
        return self.name if line is None else f"{self.name}, line {line}"


def _options(function: str) -> dict[str, Option]:
    """The options of reading one file; its format and a folder's paths are not its own."""
    options = options_for("read") | options_for(function)
    return {n: one for n, one in options.items() if n not in ("format", "path_pattern")}


def flag_of(name: str, reading: Reading | None = None) -> str:
    """Return how the command line writes an option, or a role of --columns."""
    role = name.removeprefix(COLUMNS)
    if role == name:
        return find_option(name, "read").flag
    return f"--columns {role}={reading.columns[role] if reading else 'NAME'}"


# Options that matter to files with values in named fields, and to files with tiers; and the roles
# that columns of the first can have.
SPANS = ("units", "gaps", "overlap", "snap")  # of these, values with two ends alone
VALUES = ("flags", "encoding", "threshold", "probabilities", *SPANS)
RECORDS = ("empty", *VALUES)
RECORD_ROLES = ("text", "unit", "words", "units", "coder", "speaker", "raw", "duration")
TIERS = ("units", "tiers", "gaps", "overlap", "ignore_tokens", "levels")


def split_lines(text: str) -> list[str]:
    """Lines end with \\n, \\r\\n or \\r; other signs that break a line on paper are text."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines if lines[-1] else lines[:-1]
