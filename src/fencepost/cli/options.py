"""The parser of each command, made from the declared options."""

from __future__ import annotations

import argparse
import re
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from fencepost.model.checks import FencepostError
from fencepost.model.segmentation import columns_of
from fencepost.options import ROLES, FormatName, Option, options_of

Found = TypeVar("Found")


class UsageError(FencepostError):
    """Options that do not fit together: exit code 2."""


def named(find: Callable[[str], Found], name: str) -> Found:
    """Return what ``find`` knows by a name of the command line; an unknown name is bad usage."""
    try:
        return find(name)
    except FencepostError as error:
        raise UsageError(str(error)) from None


class Arguments(argparse.Namespace):
    """What a command was asked to do; it does not change after parsing."""

    def __init__(self, command: str, values: Mapping[str, Any]) -> None:
        self.__dict__.update(values, command=command)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"arguments do not change after parsing; replace() {name} instead")

    def replace(self, **changes: Any) -> Arguments:
        """Return other arguments, with these values changed."""
        return Arguments(self.command, {**vars(self), **changes})

    def of(self, function: str) -> dict[str, Any]:
        """Return the options that a Python function takes, by name."""
        taken = (one.name for one in options_of(self.command) if function in one.functions)
        return {name: getattr(self, name) for name in taken}

    def given(self, *names: str) -> list[str]:
        """Return which of these options were given, as the command line writes them."""
        known = {one.name: one.short or one.flag for one in options_of(self.command)}
        return [known[name] for name in names if name in known and getattr(self, name)]


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> None:  # type: ignore[override]
        """Print one sentence and how to get help, instead of the whole usage."""
        from fencepost.cli.outputs import say

        say(f"fencepost: {message} ({self.prog} --help)")
        raise SystemExit(2)


MIN_WIDTH = 20  # columns of --help on whatever terminal


class Help(argparse.HelpFormatter):
    """Help as wide as the terminal, with the names that it lists."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=max(MIN_WIDTH, columns_of(sys.stdout) - 2))

    def _format_usage(self, usage: str | None, *others: Any) -> str:
        """Fold what argparse would print on one line."""
        text = super()._format_usage(usage, *others).strip()
        whole = re.sub(r"\[[^]]*\]", lambda match: match[0].replace(" ", "\0"), text)
        lines = textwrap.wrap(
            whole, self._width, subsequent_indent=" " * len("usage: fencepost "),
            break_long_words=False, break_on_hyphens=False,
        )  # fmt: skip
        return "\n".join(lines).replace("\0", " ") + "\n\n"

    def _expand_help(self, action: argparse.Action) -> str:
        return filled(super()._expand_help(action))


def filled(help: str) -> str:
    """Return a help text with the names of registries, which are imported only to be shown."""
    for name in listed_in(help):
        names = LISTS[name]()
        if isinstance(names, Mapping):
            text = "; ".join(f"{one}: {what}" for one, what in names.items())
        else:
            text = ", ".join(names)
        help = help.replace(f"{{{name}}}", text)
    return help


def listed_in(help: str) -> list[str]:
    """Return which lists of names a help text has."""
    return [name for name in LISTS if f"{{{name}}}" in help]


def parse_arguments(command: str, help: str, argv: Sequence[str]) -> Arguments:
    """Parse what follows a command; exit with code 2 if it cannot be understood."""
    parser = make_parser(command, help)
    values = vars(parser.parse_args(argv))
    for one in options_of(command):
        wrong = one.wrong(values[one.name])
        if wrong:
            parser.error(f"{one.flag}: {wrong}")
    return Arguments(command, values)


def make_parser(command: str, help: str) -> argparse.ArgumentParser:
    """Return the parser of a command."""
    parser = _Parser(
        prog=f"fencepost {command}",
        description=help,
        formatter_class=Help,
        usage=" ".join(["fencepost", command, *_usage(command), "[OPTION ...]"]),
    )
    setattr(parser, "color", False)  # noqa: B010 - of Python 3.14, whose colours are not ours
    places: dict[str, Any] = {}
    for one in options_of(command):
        place: Any = parser
        for key in filter(None, (one.section, one.alternatives)):
            if key not in places:
                exclusive = key == one.alternatives
                add = place.add_mutually_exclusive_group if exclusive else place.add_argument_group
                places[key] = add() if exclusive else add(key)
            place = places[key]
        _add(place, one)
    return parser


def _usage(command: str) -> Iterator[str]:
    """What is given most often: files, and options with a short flag."""
    for one in options_of(command):
        if one.positional or one.short in ("-i", "-m"):
            value = f"{one.metavar or one.name.upper()}{' ...' * (one.nargs in ('+', '*'))}"
            text = value if one.positional else f"{one.short} {value}"
            needed = one.required or (one.positional and one.nargs in (None, "+"))
            yield text if needed else f"[{text}]"


def _add(place: Any, one: Option) -> None:
    about: dict[str, Any] = {"help": one.help.replace("%", "%%"), "default": one.default}
    if one.type is bool:
        about["action"] = "store_false" if one.default else "store_true"
    elif one.const is not None and one.nargs is None:
        about |= {"action": "store_const", "const": one.const}
    else:
        kind = _format_name if one.type is FormatName else one.type
        if kind in (int, float):
            kind = partial(_number, one)
        about |= {"type": kind, "metavar": one.metavar, "nargs": one.nargs, "const": one.const}
        if one.choices:
            about["choices"] = one.choices
            if len(one.choices) > 3 or one.nargs is not None:  # too long for a line
                about["metavar"] = one.name.upper()
                if not all(word in one.help for word in one.choices):
                    about["help"] += f" ({', '.join(one.choices)})"
    if one.positional:
        del about["const"]
        place.add_argument(one.name, **about)
        return
    flags = [one.short] * bool(one.short) + [one.flag]
    place.add_argument(*flags, dest=one.name, required=one.required, **about)


def _number(option: Option, text: str) -> Any:
    """Return the number that is written; what is none is told like one that is out of range."""
    try:
        return option.type(text)
    except ValueError:
        wrong = option.wrong([text] if option.nargs is not None else text)
        raise argparse.ArgumentTypeError(str(wrong)) from None


def _format_name(name: str) -> str:
    from fencepost.formats import find_format

    try:
        return find_format(name).name
    except FencepostError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


# Names that help texts list, and that shells complete; some with what they mean.

Names = Sequence[str] | Mapping[str, str]


def _formats(wanted: str) -> Names:
    from fencepost.formats import format_names

    return format_names(wanted)


def _presets() -> Names:
    from fencepost.metrics.registry import known_presets

    return known_presets()


def _measures() -> Names:
    from fencepost.metrics import METRICS

    return [one.name for one in METRICS.values() if one.input == "words"]


def _families() -> Names:
    from fencepost.study.probing import PROPERTIES

    return list(dict.fromkeys(one.family for one in PROPERTIES))


def _papers() -> Names:
    from fencepost.study.papers import KEYS

    return list(KEYS)


def _models() -> Names:
    from fencepost.study.simulate import MODELS

    return MODELS


LISTS: Mapping[str, Callable[[], Names]] = {
    "roles": lambda: list(ROLES),
    "formats": partial(_formats, "segmentations"),
    "reference_formats": partial(_formats, "references"),
    "stream_formats": partial(_formats, "streams"),
    "presets": _presets,
    "measures": _measures,
    "families": _families,
    "papers": _papers,
    "models": _models,
}
