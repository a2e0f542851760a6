"""What a page is made of, and how it becomes one file."""

from __future__ import annotations

import base64
import hashlib
import itertools
import math
import os
import platform
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

from fencepost._version import VERSION
from fencepost.files import write_whole
from fencepost.report.grid import shown
from fencepost.report.html.marks import SHAPES
from fencepost.report.html.safe import safe, script_json
from fencepost.scoring.tables import Table

MAX_PAGE_BYTES = 10_000_000
MAX_SHEET_BYTES = 400_000  # of a sortable table; two or three stand on a page
MAX_STATIC_ROWS = 25  # of a long table, for readers without JavaScript
MAX_STATIC_BYTES = 5_000  # of those rows
LONG_CELL = 40  # letters; longer cells hold sentences


def count_fitting(sizes: Iterable[int], room: int) -> int:
    """Count how many of these sizes, from the first on, fit into the room; at least one."""
    left = itertools.accumulate(sizes, lambda rest, size: rest - size, initial=room)
    return max(1, sum(1 for _ in itertools.takewhile(lambda rest: rest >= 0, left)) - 1)


@dataclass(frozen=True)
class Sheet:
    """A table on the page: sortable, searchable, its first rows readable without JavaScript.

    ``groups`` names a group for each column (None: always shown); a choice of one group appears
    where there are several. ``opens`` says which text (and place) each row shows when it is
    chosen. ``plain`` tables are short and stand as they are. ``sorts`` says by which column (and
    whether upwards) the rows of each group are sorted when it is shown; the rows are given in the
    order of the first. ``whole`` says where all rows are, if there are more than fit. Rows of
    a ``stacked`` table are blocks on a phone, each cell with the name of its column. The first
    columns of a plain table (``left`` of them) are names, the others figures.
    """

    name: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    groups: Sequence[str | None] = ()
    opens: Sequence[tuple[str, int | None] | None] = ()
    plain: bool = False
    best: Collection[tuple[int, int]] = ()  # cells in bold, by row and column
    caption: str = ""
    digits: int = 3
    sorts: Mapping[str | None, tuple[int, bool]] = field(default_factory=dict)
    whole: str = ""
    stacked: bool = False
    left: int = 1

    @classmethod
    def of(
        cls, table: Table, caption: str = "", plain: bool = False, whole: str = "", left: int = 1
    ) -> Sheet:
        """Return any table of the library; columns in which nothing stands are left out."""
        kept = table.filled
        rows = [[row.get(column) for column in kept] for row in table.rows]
        return cls(table.name, kept, rows, caption=caption, plain=plain, whole=whole, left=left)

    def without_empty_columns(self) -> Sheet:
        """Without the columns in which nothing stands (for sheets without groups)."""
        kept = [
            i
            for i in range(len(self.columns))
            if any(row[i] not in (None, "") for row in self.rows)
        ]
        return replace(
            self,
            columns=[self.columns[i] for i in kept],
            rows=[[row[i] for i in kept] for row in self.rows],
        )

    def cell(self, value: Any) -> str:
        """Return a value as people read it."""
        return safe(shown(value, self.digits))

    @property
    def numeric(self) -> list[bool]:
        """Which columns hold numbers."""
        return [
            any(isinstance(row[i], (int, float)) for row in self.rows)
            and all(row[i] is None or isinstance(row[i], (int, float)) for row in self.rows)
            for i in range(len(self.columns))
        ]

    @property
    def visible(self) -> list[int]:
        """The columns of the first group."""
        if not self.groups:
            return list(range(len(self.columns)))
        first = next((g for g in self.groups if g is not None), None)
        return [i for i, group in enumerate(self.groups) if group in (None, first)]

    @property
    def long(self) -> list[bool]:
        """Which columns hold sentences, which need a certain width to be read."""
        return [
            any(isinstance(row[i], str) and len(row[i]) > LONG_CELL for row in self.rows[:200])
            for i in range(len(self.columns))
        ]

    @property
    def static(self) -> int:
        """How many rows stand in the page itself."""
        if self.plain:
            return len(self.rows)
        columns = self.visible
        sizes = (
            sum(34 + len(self.cell(row[i]).encode("utf-8")) for i in columns)
            for row in self.rows[:MAX_STATIC_ROWS]
        )
        return min(len(self.rows), count_fitting(sizes, MAX_STATIC_BYTES))

    @property
    def sorted(self) -> tuple[int, bool] | None:
        """By which column the rows are sorted as they stand, and whether upwards."""
        return next(iter(self.sorts.values()), None)

    @cached_property
    def inside(self) -> list[list[Any]]:
        """The rows for the script, as many as there is room for."""
        cells = ([_cell(value) for value in row] for row in self.rows)
        kept, others = itertools.tee(cells)
        sizes = (len(script_json(row).encode("utf-8")) + 1 for row in others)
        return list(itertools.islice(kept, count_fitting(sizes, MAX_SHEET_BYTES)))

    @property
    def left_out(self) -> str:
        """What a reader should know if not all rows are on the page."""
        kept, count = len(self.inside), len(self.rows)
        if self.plain or kept == count:
            return ""
        where = f"; all of them: {self.whole}" if self.whole else ""
        return f"The first {kept:,} of {count:,} rows are on this page{where}"

    def data(self) -> dict[str, Any]:
        """Return what the script needs to sort and search."""
        rows = self.inside
        return {
            "all": len(self.rows),
            "sorts": [[None if g is None else safe(g), i, up] for g, (i, up) in self.sorts.items()],
            "long": [int(flag) for flag in self.long],
            "cols": [safe(column) for column in self.columns],
            "num": [
                int(flag) + (flag and any(isinstance(row[i], float) for row in self.rows))
                for i, flag in enumerate(self.numeric)
            ],
            "groups": [None if g is None else safe(g) for g in self.groups],
            "digits": self.digits,
            "rows": rows,
            "open": [
                None if one is None else [safe(one[0]), one[1]] for one in self.opens[: len(rows)]
            ],
        }


@dataclass(frozen=True)
class Figure:
    """A drawing (SVG made by :mod:`fencepost.report.html.svg`) with the words below it.

    The caption says what was left out, too, and where all of it is.
    """

    svg: str
    caption: str = ""


@dataclass(frozen=True)
class Lines:
    """Lines to be copied: signatures, the data line."""

    lines: Sequence[str]


@dataclass(frozen=True)
class Made:
    """HTML of our own making: what :func:`fill` gives."""

    html: str


@dataclass(frozen=True)
class Section:
    """A heading, a sentence, and what stands below: sheets, figures, lines, or a view."""

    id: str
    title: str
    blocks: Sequence[Any] = ()
    intro: str = ""


@dataclass(frozen=True)
class Page:
    """A report: what was read, sections in reading order, and the data of its views.

    ``texts`` is what the text view draws (:mod:`fencepost.report.html.views`), ``words`` what
    the view of word alignments does; ``rest`` (texts) and ``rest_words`` (segments) are written
    beside the page.
    """

    title: str
    lead: str
    sections: Sequence[Section]
    command: str = ""
    texts: Mapping[str, Any] | None = None
    words: Mapping[str, Any] | None = None
    rest: Sequence[str] = ()
    rest_words: Sequence[str] = ()
    notes: Sequence[str] = ()
    styles: Sequence[str] = ()  # style sheets beside the common one

    @property
    def beside(self) -> str:
        """What is written beside the page, in words; nothing where all is inside."""
        counts = ((len(self.rest), "text"), (len(self.rest_words), "segment"))
        return " and ".join(f"{n:,} {what}{'s' * (n != 1)}" for n, what in counts if n)

    @classmethod
    def of(cls, *tables: Table, title: str = "fencepost", lead: str = "", **more: Any) -> Page:
        """Return a page of any tables, one section each."""
        sections = []
        for number, table in enumerate(tables):
            blocks: list[Any] = [Sheet.of(table)]
            if "signature" in table.columns:
                blocks.append(Lines(list(dict.fromkeys(map(str, table.column("signature"))))))
            name = table.name.replace("-", " ").capitalize()
            sections.append(Section(f"table{number + 1}", name, blocks))
        notes = [note for table in tables for note in table.notes]
        return cls(title, lead, sections, notes=notes, **more)


def render(page: Page, rest_name: str = "") -> str:
    """Return the page as one text: the same page gives the same text."""
    css = "".join(_part(name) for name in ("page.css", *page.styles))
    tables = {
        block.name: block.data()
        for section in page.sections
        for block in section.blocks
        if isinstance(block, Sheet) and not block.plain
    }
    # A page on which nothing is sorted, searched or zoomed has no script at all.
    js = _script() if tables or page.texts is not None or page.words is not None else ""
    data = {"tables": tables, "words": page.words}
    return fill(
        "page.html",
        page=page,
        css=_trusted(css),
        js=_trusted(js),
        data=_trusted(_with_texts(script_json(data), page.texts)),
        policy=_policy(css, js),
        versions=_versions(),
        rest_name=safe(rest_name),
        shapes=SHAPES if js else (),
        kind=lambda block: type(block).__name__,
    )


def fill(template: str, **values: Any) -> str:
    """Return a template of this folder with these values; what is not made here is escaped."""
    made: str = _template(template).render(trusted=_trusted, legend=_legend, **values)
    return made


def write_html(path: str | os.PathLike[str], page: Page) -> list[Path]:
    """Write a page, and beside it what it has no room for; returns what was written."""
    target = Path(path)
    beside = target.with_name(f"{target.stem}.rest.json")
    text = render(page, beside.name if page.beside else "")
    write_whole(target, text.encode("utf-8"))
    if not page.beside:
        return [target]
    rest = f'"texts":[{",".join(page.rest)}],"words":[{",".join(page.rest_words)}]'
    write_whole(beside, f'{{"schema":1,{rest}}}'.encode())
    return [target, beside]


def _with_texts(data: str, texts: Mapping[str, Any] | None) -> str:
    """Return the data with that of the text view, whose items are JSON already."""
    if texts is None:
        return data
    head = script_json({key: value for key, value in texts.items() if key != "items"})
    return f'{data[:-1]},"texts":{head[:-1]},"items":[{",".join(texts["items"])}]}}}}'


def _cell(value: Any) -> Any:
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return safe(value)
    return round(value, 6) if isinstance(value, float) else value


EDITS = (
    ("match", "match"),
    ("near", "near miss, and by how many units"),
    ("missing", "missing: only in the first strip"),
    ("extra", "extra: only in the strip below"),
    ("kind", "same position, other type"),
)


OF_ONE_CODER = {"missing": "only you", "extra": "others, not you"}


def _legend(kinds: bool, coder: str | None = None) -> Any:
    """Return what is drawn between strips: the shape of each sort of edit, and its name.

    Two annotators differ, and neither is right: on the page of one coder nothing is missing.
    """
    names = OF_ONE_CODER if coder else {}
    own = [(what, names.get(what, said)) for what, said in (EDITS if kinds else EDITS[:-1])]
    return _trusted(_template("legend.html").render(edits=own))


@cache
def _part(name: str) -> str:
    return (files("fencepost.report.html") / name).read_text(encoding="utf-8")


@cache
def _script() -> str:
    """Return the script without indentation and lines of comment, which browsers do not need."""
    lines = (line.strip() for line in _part("page.js").splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


@cache
def _template(name: str) -> Any:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["safe_text"] = safe
    return environment.from_string(_part(name))


def _trusted(text: str) -> Any:
    """Text of our own making (package files, drawings), which is not escaped again."""
    from markupsafe import Markup

    return Markup(text)


def _policy(css: str, js: str) -> str:
    """Nothing is loaded from anywhere; only this very style and this very script count."""
    script = f"'{_digest(js)}'" if js else "'none'"
    return (
        f"default-src 'none'; style-src '{_digest(css)}'; script-src {script}; "
        "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types"
    )


def _digest(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


@cache
def _versions() -> str:
    from importlib.metadata import version

    import numpy as np

    parts = [f"fencepost {VERSION}", f"Python {platform.python_version()}"]
    return ", ".join([*parts, f"numpy {np.__version__}", f"jinja2 {version('jinja2')}"])
