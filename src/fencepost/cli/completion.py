"""fencepost completion: what a shell needs to complete commands, options, metrics and files."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from typing import Any

from fencepost.cli.options import LISTS, Arguments, Help, filled, listed_in, make_parser
from fencepost.metrics import METRICS
from fencepost.options import Option, options_of
from fencepost.wording import needs


def run(args: Arguments) -> int:
    """Print the script of one shell."""
    shtab = needs("shtab", "fencepost completion")
    script = shtab.complete(_whole_parser(shtab), shell=args.shell)
    print(_options_first(script) if args.shell == "bash" else script)
    return 0


# shtab completes files, and not options, after an option that takes several files (-i HYP ...).
_UNLESS_FILES = re.compile(
    r'("\$completing_word" == -\*) &&\s*'
    r'\( -z "\$current_action_compgen" \|\| "\$current_action_is_positional" = true \)'
)


def _options_first(script: str) -> str:
    """Return the script for bash, with options for every word that begins with a dash."""
    return _UNLESS_FILES.sub(r"\1", script)


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
        action.help = filled(action.help or "")  # older versions of shtab take it as it is
        if action.dest in declared:
            _declare(action, command, declared[action.dest], shtab)
    commands.add_parser(word, help=help, parents=[parser], add_help=False, formatter_class=Help)


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
    if (command, option.name) == ("formats", "format"):
        from fencepost.formats import FORMATS, plugins

        return [*FORMATS, *plugins()]
    if option.name == "to":
        from fencepost.formats import FORMATS, plugins

        return [one.name for one in (*FORMATS.values(), *plugins().values()) if one.writable]
    if option.name == "hyp_format" and command != "resegment":  # its help names --from
        return list(LISTS["formats"]())
    if option.name == "findings":
        from fencepost.study.findings import FINDINGS

        return [one.name for one in FINDINGS]
    names = [name for one in listed_in(option.help) if one != "roles" for name in LISTS[one]()]
    return [*names, "all"] if option.name == "papers" else names
