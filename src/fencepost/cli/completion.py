"""fencepost completion: what a shell needs to complete commands, options, metrics and files."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from fencepost.cli.options import Arguments, make_parser
from fencepost.metrics import METRICS
from fencepost.options import FormatName, Option, options_of
from fencepost.wording import needs


def run(args: Arguments) -> int:
    """Print the script of one shell."""
    shtab = needs("shtab", "fencepost completion")
    print(shtab.complete(_whole_parser(shtab), shell=args.shell))
    return 0


def _whole_parser(shtab: Any) -> argparse.ArgumentParser:
    """Return one parser of all commands; each command has its own in everyday use."""
    from fencepost.cli import COMMANDS, PARTS

    whole = argparse.ArgumentParser(prog="fencepost")
    whole.add_argument("--version", action="store_true", help="print the version")
    whole.add_argument("-v", "--verbose", action="store_true", help="with --version: all of it")
    commands = whole.add_subparsers()
    for name, help in COMMANDS.items():
        parts = {part: what for part, what in PARTS.items() if part.startswith(f"{name} ")}
        if not parts:
            _add(commands, name, name, help, shtab)
            continue
        inner = commands.add_parser(name, help=help).add_subparsers()
        for part, what in parts.items():
            _add(inner, part.rpartition(" ")[2], part, what, shtab)
    return whole


def _add(commands: Any, word: str, command: str, help: str, shtab: Any) -> None:
    parser = make_parser(command, help)
    declared = {one.name: one for one in options_of(command)}
    for action in parser._actions:
        if action.dest in declared:
            _declare(action, command, declared[action.dest], shtab)
    commands.add_parser(word, help=help, parents=[parser], add_help=False)


def _declare(action: argparse.Action, command: str, option: Option, shtab: Any) -> None:
    """Tell what can follow an option: files, or the names of a registry."""
    if option.file in ("in", "out"):
        action.complete = shtab.FILE  # type: ignore[attr-defined]
    elif action.choices is None:
        action.choices = _names(command, option) or None


def _names(command: str, option: Option) -> Sequence[str]:
    """Return the names that an option takes; none where anything can follow."""
    if option.name in ("metrics", "metric", "against"):
        return sorted({name for one in METRICS.values() for name in (one.name, *one.aliases)})
    if option.type is FormatName or (command, option.name) == ("formats", "format"):
        from fencepost.formats import FORMATS

        return list(FORMATS)
    if option.name == "like":
        from fencepost.metrics.registry import known_presets

        return known_presets()
    if option.name == "papers":
        from fencepost.study.papers import KEYS

        return [*KEYS, "all"]
    if option.name == "findings":
        from fencepost.study.findings import FINDINGS

        return [one.name for one in FINDINGS]
    return ()
