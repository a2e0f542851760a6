"""fencepost formats: what can be read and written, with an example of each."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterable

from fencepost.cli.options import Arguments, named
from fencepost.cli.outputs import say_notes
from fencepost.formats import FORMATS, broken_plugins, find_format, plugins
from fencepost.formats.registry import KEEPS, Format
from fencepost.options import find_option
from fencepost.report.text import fit, folded, reflowed, terminal_width
from fencepost.wording import listed


def run(args: Arguments) -> int:
    """List, or explain."""
    formats = [*FORMATS.values(), *plugins().values()]
    if args.markdown:
        print(fit(markdown(formats), sys.stdout))
    elif args.format is not None:
        print(fit("\n".join(_explained(named(find_format, args.format))), sys.stdout))
    else:
        blocks = ["\n".join([_headline(one), "", *_shown(one)]) for one in formats]
        print(fit("\n\n".join(blocks), sys.stdout))
    if args.format is None:
        say_notes(list(broken_plugins().values()))
    return 0


def _headline(one: Format) -> str:
    endings = f" ({', '.join(one.endings)})" if one.endings else ""
    written = "" if one.writable else "; read only"
    width = terminal_width(sys.stdout)
    what = folded(f"{one.name}{endings}: {one.help}", width, rest="  ")
    return f"{what}\n    gives {_given(one)}{written}"


def _given(one: Format) -> str:
    return listed(one.gives, last=" and ")


def _shown(one: Format) -> list[str]:
    """The example, tabs as they would look."""
    return [f"    {line}" for line in one.example.replace("\t", "<TAB>").splitlines()]


def _explained(one: Format) -> list[str]:
    width = terminal_width(sys.stdout)
    lines = [_headline(one), "", reflowed(re.sub(r"``", "", about(one)), width), "", *_shown(one)]
    if one.writable and one.keeps is not None:
        lines += ["", folded(f"{_written(one)}.", width)]
    if one.choices:
        lines += ["", f"fencepost convert IN OUT --from {one.name} {_options(one)}"]
    return lines


def _written(one: Format) -> str:
    """Whether it can be written, and what of a corpus is kept besides the segments."""
    if not one.writable:
        return "Read only" + (": a corpus holds no times" if one.timed else "")
    if one.keeps is None:
        return "Read and written"
    kept = [said for what, said in KEEPS.items() if what in one.keeps]
    return f"Read and written, with {', '.join(kept)}"


def about(one: Format) -> str:
    """What the functions that read a format say of it."""
    of_text_or_bytes = (read for read in (one.read, one.read_bytes) if inspect.getdoc(read))
    readers = (next(of_text_or_bytes, None), one.references, one.streams)
    docs = [inspect.getdoc(read) or "" for read in readers if read is not None]
    paragraphs = [part for doc in docs for part in doc.split("\n\n")]
    return "\n\n".join(" ".join(part.split()) for part in paragraphs)


def _options(one: Format) -> str:
    return " ".join(
        f"{find_option(name, 'read').flag} {value}" for name, value in one.choices.items()
    )


def markdown(formats: Iterable[Format]) -> str:
    """A section for every format, for the documentation."""
    sections = []
    for one in formats:
        endings = ", ".join(f"`{ending}`" for ending in one.endings)
        known = "known by its content" if one.sure else f"`--from {one.name}`"
        needs = f" The example needs `{_options(one)}`." if one.choices else ""
        sections.append(
            f"## {one.name}\n\n"
            f"{_sentence(one.help)} Files: {endings or known}. Gives {_given(one)}. "
            f"{_written(one)}.{needs}\n\n"
            f"{_code(about(one))}\n\n```text\n{one.example.rstrip()}\n```"
        )
    return "\n\n".join(sections)


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:] + ("" if text.endswith(".") else ".")


def _code(text: str) -> str:
    return text.replace("``", "`")
