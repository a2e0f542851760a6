"""Print docs/options.md, which is made from the declared options (make docs)."""

from collections.abc import Iterable

from fencepost import options
from fencepost.cli import COMMANDS, PARTS
from fencepost.cli.options import filled
from fencepost.options import Option, options_of

TITLE = """# Options

In Python an option has the same name as on the command line, with underscores instead of dashes:
`--all-pairs` is `all_pairs=True`, and `--no-baselines` is `baselines=False`. `--from` and `--to`
are the parameter `format` of `fp.read` and `fp.write`. Options with `--hyp-` are the same for the
files of hypotheses: in Python they are parameters without `hyp_` of the function that reads these
files. The last columns have the Python functions that take an option, and the field of signatures
that has its value. An option without a function chooses files or what is shown. Options that many
commands take are at the end. This page is made from `src/fencepost/options.py`."""
SHARED = 4  # commands, from which on an option is listed once for all of them
HEAD = "| option | meaning | Python | signature |\n|---|---|---|---|\n"


def page() -> str:
    """Return the whole page: one section per command, then options that many commands take."""
    sections = [TITLE]
    shared = [one for one in options.OPTIONS if len(one.commands) >= SHARED]
    for command, about in (COMMANDS | PARTS).items():
        own = [one for one in options_of(command) if len(one.commands) < SHARED]
        if own:
            sections.append(f"## {command}\n\n{about.capitalize()}.\n\n{table(own)}")
    for commands in dict.fromkeys(one.commands for one in shared):
        own = [one for one in shared if one.commands == commands]
        sections.append(f"## {listed(commands)}\n\n{table(own)}")
    return "\n\n".join(sections) + "\n"


def listed(commands: tuple[str, ...]) -> str:
    """Return the commands as a title."""
    return f"{', '.join(commands[:-1])} and {commands[-1]}"


def table(found: Iterable[Option]) -> str:
    """Return a table of options."""
    return HEAD + "\n".join(map(row, found))


def row(one: Option) -> str:
    """Return one row of a table."""
    named = f"{one.short} " if one.short else ""
    cells = [
        f"`{named}{one.flag}{value(one)}`",
        filled(one.help),
        ", ".join(f"`{function}`" for function in one.functions),
        f"`{one.signature}`" if one.signature else "",
    ]
    escaped = [cell.replace("|", "\\|") for cell in cells]
    return f"| {' | '.join(escaped)} |"


def value(one: Option) -> str:
    """Return how the value is written."""
    if one.positional or one.type is bool or (one.const is not None and one.nargs is None):
        return ""
    given = "|".join(one.choices) or one.metavar or one.name.upper()
    words = given if isinstance(given, str) else " ".join(given)
    return f" [{words}]" if one.nargs == "?" else f" {words}{' ...' * (one.nargs == '+')}"


if __name__ == "__main__":
    print(page(), end="")
