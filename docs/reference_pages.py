"""The reference of the site, made from the registries: metrics, commands, signatures, Python."""

from __future__ import annotations

import inspect
import math
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from types import ModuleType
from typing import Any

import fencepost as fp
from fencepost.cli import COMMANDS, PARTS, main
from fencepost.cli.metrics import FREE, INPUTS, OF_ANNOTATORS, first_sentence
from fencepost.cli.options import filled, make_parser
from fencepost.metrics.coefficients import COEFFICIENTS
from fencepost.metrics.registry import Metric
from fencepost.options import OPTIONS, SIGNATURE_FIELDS, options_for
from fencepost.study.papers import KEYS

# Pairs of texts in which a formula may divide by nothing.
EXTREMES = {
    "no boundary on either side": ([6], [6]),
    "boundaries in the reference only": ([3, 3], [6]),
    "boundaries in the hypothesis only": ([6], [3, 3]),
    "a text of one unit": ([1], [1]),
}


def write(folder: Path) -> None:
    """Write all pages; a file that is already right is left alone, so builds are quick."""
    (folder / "metrics").mkdir(parents=True, exist_ok=True)
    pages = {
        "index.rst": index(),
        "commands.rst": commands(),
        "signatures.rst": signatures(),
        "python.rst": python(),
        "metrics/index.rst": list_of_metrics(),
        **{f"metrics/{one.name}.rst": metric_page(one) for one in fp.METRICS.values()},
    }
    for name, text in pages.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    for path in folder.rglob("*.rst"):
        if str(path.relative_to(folder)) not in pages:
            path.unlink()


def title(text: str, under: str = "=") -> str:
    """Return a heading."""
    return f"{text}\n{under * len(text)}\n"


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a list-table; cells are reStructuredText."""
    lines = [".. list-table::", "   :header-rows: 1", ""]
    for row in (head, *rows):
        for i, cell in enumerate(row):
            lines.append(f"   {'*' if i == 0 else ' '} - {' '.join(cell.split())}".rstrip())
    return "\n".join(lines) + "\n"


def literal(text: object) -> str:
    """Return text as code; nothing for nothing."""
    return f"``{text}``" if str(text) else ""


def plain(text: str) -> str:
    """Return a sentence whose signs mean nothing in reStructuredText."""
    return re.sub(r"([\\*_|`])", r"\\\1", text)


def index() -> str:
    """Return the first page of the reference."""
    return f"""{title("Reference")}
Made from the registries of metrics, formats and options when the site is built.

.. toctree::
   :maxdepth: 1

   metrics/index
   commands
   ../options
   ../formats
   signatures
   python
   ../findings
   ../reproduce
"""


# Metrics.


def list_of_metrics() -> str:
    """Return the table of all metrics, by what they count."""
    parts = [title("Metrics")]
    for given, what in INPUTS.items():
        rows = [
            [
                f":doc:`{one.name} <{one.name}>`",
                ", ".join(map(literal, one.aliases)),
                one.better,
                plain(first_sentence(one)),
            ]
            for one in fp.METRICS.values()
            if one.input == given
        ]
        parts += [title(f"Metrics {what}", "-")]
        parts += [table(["metric", "short", "better", "what it measures"], rows)]
    parts += [title(f"Coefficients {OF_ANNOTATORS}", "-"), coefficients()]
    parts += [".. toctree::\n   :hidden:\n"]
    parts += ["\n".join(f"   {name}" for name in fp.METRICS)]
    return "\n".join(parts) + "\n"


def coefficients() -> str:
    """Return the table of coefficients of agreement, which ``fencepost metrics NAME`` explains."""
    rows = [
        [literal(name), plain(one.cite), plain(first_sentence(one))]
        for name, one in COEFFICIENTS.items()
    ]
    return table(["coefficient", "from", "what it measures"], rows)


def metric_page(one: Metric[Any]) -> str:
    """Return the page of a metric: its formula and example, facts, settings, extreme texts."""
    parts = [title(one.name), one.doc, "", title("Facts", "-"), facts(one)]
    if one.params:
        parts += [title("Settings", "-"), settings(one)]
    if one.presets:
        parts += [title("Settings of other tools", "-"), presets(one)]
    if one.input == "pairs":
        parts += [title("Extreme texts", "-"), extremes(one)]
    return "\n".join(parts)


def facts(one: Metric[Any]) -> str:
    """Return what is declared of a metric."""
    low, high = one.recipe().limits
    rows = [
        ["from", plain(one.cite)],
        ["recomputed", papers(one)],
        ["short names", aliases(one)],
        ["range", f"{number(low)} to {number(high)}"],
        ["better", one.better],
        ["symmetric", "yes" if one.symmetric else "no"],
        ["counts", ", ".join(map(literal, one.recipe().counts))],
        ["measures", plain(INPUTS[one.input])],
        ["Python", literal(call(one))],
        ["signature", literal(re.sub(r"(?<=fencepost:).*", "VERSION", one.recipe().signature()))],
    ]
    return table(["fact", "value"], [row for row in rows if row[1]])


def papers(one: Metric[Any]) -> str:
    """Return links to the papers among the five that the metric is from."""
    known = {key: (key[:-4].capitalize(), key[-4:]) for key in KEYS}
    own = [key for key, parts in known.items() if all(part in one.cite for part in parts)]
    return ", ".join(f":doc:`{key} </papers/{key}>`" for key in own)


def call(one: Metric[Any]) -> str:
    """Return how the metric is called from Python."""
    signature = str(one.__signature__).replace("fencepost.metrics.score.Score", "Score")
    unquoted = re.sub(r": '(\w+)'", r": \1", signature)
    return f"fencepost.{one.name}{unquoted}"


def aliases(one: Metric[Any]) -> str:
    """Return the short names, with the settings that each stands for."""
    return ", ".join(
        literal(name) + (f" ({literal(written(given))})" if given else "")
        for name, given in one.aliases.items()
    )


def written(given: Any) -> str:
    """Return settings as the command line takes them."""
    return ",".join(f"{key}={value}" for key, value in given.items())


def number(value: float) -> str:
    """Return a limit."""
    return "no limit" if math.isinf(value) else f"{value:g}"


def settings(one: Metric[Any]) -> str:
    """Return the table of settings with their defaults."""
    rows = [
        [
            literal(name),
            literal(param.show(param.check(name, one.defaults[name]))),
            plain(param.help),
            plain(param.accepts()),
        ]
        for name, param in one.params.items()
    ]
    return table(["setting", "default", "meaning", "accepts"], rows)


def presets(one: Metric[Any]) -> str:
    """Return what ``like`` fills in."""
    rows = [
        [literal(f"like={tool}"), literal(written(one.recipe(like=tool).written()))]
        for tool in one.presets
    ]
    return table(["tool", "settings"], rows)


def extremes(one: Metric[Any]) -> str:
    """Return the values of texts in which a formula may divide by nothing."""
    rows = [[what, value_of(one, *pair)] for what, pair in EXTREMES.items()]
    return f"With the default settings:\n\n{table(['text', 'value'], rows)}"


def value_of(one: Metric[Any], ref: list[int], hyp: list[int]) -> str:
    """Return a value, or why there is none."""
    try:
        value = float(one(ref, hyp))
    except fp.MetricError as error:
        return plain(f"undefined: {str(error).removeprefix(f'{one.name}: ')}")
    return "undefined" if math.isnan(value) else f"{value:.3g}"


# Commands.


def commands() -> str:
    """Return the help of every command, 80 columns wide."""
    parts = [title("Commands"), "What ``fencepost COMMAND --help`` prints.\n", block(overview())]
    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = "80"
    try:
        for name, about in {**COMMANDS, **PARTS}.items():
            if any(part.startswith(f"{name} ") for part in PARTS):
                continue
            parts += [title(name, "-"), block(make_parser(name, about).format_help())]
    finally:
        if before is None:
            del os.environ["COLUMNS"]
        else:
            os.environ["COLUMNS"] = before
    return "\n".join(parts)


def overview() -> str:
    """Return what ``fencepost --help`` prints."""
    printed = StringIO()
    with redirect_stdout(printed):
        main(["--help"])
    return printed.getvalue()


def block(text: str) -> str:
    """Return text as it is printed."""
    lines = "\n".join(f"   {line}".rstrip() for line in text.splitlines())
    return f".. code-block:: text\n\n{lines}\n"


# Signatures.


def signatures() -> str:
    """Return the fields of signatures, with the meanings of their values."""
    rows = [
        [literal(name), plain(meaning_of(name, meanings)), ", ".join(map(literal, flags_of(name)))]
        for name, meanings in sorted(SIGNATURE_FIELDS.items())
    ]
    return f"""{title("Fields of signatures")}
A signature names the metric, its settings, how files were read, how texts were averaged and
resampled, and the version: ``windowdiff|k:5|pad:none|avg:macro|fencepost:VERSION``. Settings are
on the page of each :doc:`metric <metrics/index>`. The other fields:

{table(["field", "values", "options"], rows)}
``fencepost metrics SIGNATURE`` explains a signature, and prints the command that gives its number.
"""


def meaning_of(name: str, meanings: Any) -> str:
    """Return the values of a field with their meanings."""
    known = [f"{value}: {meaning}" for value, meaning in meanings.items()]
    free = [FREE[name]] if name in FREE else []
    if not known and not free:
        free = [one.help for one in OPTIONS if one.signature == name][:1]
    text = "; ".join(known + free)
    return text.replace("{over}", "texts").replace("{one}", "text").replace("{value}", "this value")


def flags_of(name: str) -> list[str]:
    """Return the options that set a field."""
    return list(dict.fromkeys(one.flag for one in OPTIONS if one.signature == name))


# Python.


def python() -> str:
    """Return the public names, in the groups of the package's ``__all__``."""
    parts = [
        title("Python"),
        "``import fencepost as fp``. Every name below is one of ``fp``; metrics have\n"
        "pages of their own: :doc:`metrics/index`.\n",
    ]
    for heading, names in groups():
        kept = [name for name in names if name not in fp.METRICS]
        if kept:
            parts += [title(heading, "-"), *map(documented, kept)]
    return "\n".join(parts)


def groups() -> Iterator[tuple[str, list[str]]]:
    """Yield the groups of ``__all__``, whose comments are their headings."""
    source = Path(fp.__file__).read_text(encoding="utf-8")
    listed = source.partition("__all__ = [\n")[2].partition("\n]")[0]
    first, *others = re.split(r"^    # (.*)\.\n", listed, flags=re.M)
    for heading, names in zip(["Start here", *others[::2]], [first, *others[1::2]], strict=True):
        yield heading, re.findall(r'"(\w+)"', names)


def documented(name: str) -> str:
    """Return the directive of a public name."""
    thing = getattr(fp, name)
    if isinstance(thing, type):
        return f".. autoclass:: fencepost.{name}\n   :members:\n"
    if callable(thing):
        return f".. autofunction:: fencepost.{name}\n{parameters(name)}"
    if isinstance(thing, ModuleType):
        names = [f"{name}.{one}" for one in functions(thing)]
        return "\n".join(f".. autofunction:: fencepost.{one}\n{parameters(one)}" for one in names)
    return f".. py:data:: fencepost.{name}\n\n   {kind_of(name)}\n"


def parameters(name: str) -> str:
    """Return the table of the options that a function takes; nothing where it takes none."""
    rows = [[literal(one.name), plain(filled(one.help))] for one in options_for(name).values()]
    return f"\nThe options of ``{name}``:\n\n{table(['option', 'meaning'], rows)}" if rows else ""


def functions(room: ModuleType) -> list[str]:
    """Return the public functions that a room defines."""
    own = {key: value for key, value in vars(room).items() if not key.startswith("_")}
    return [
        key
        for key, value in own.items()
        if inspect.isfunction(value) and value.__module__.startswith(room.__name__)
    ]


def kind_of(name: str) -> str:
    """Return what a public value is that is neither class nor function."""
    return {"METRICS": "Every metric of fencepost, by name."}.get(name, "A type of this package.")
