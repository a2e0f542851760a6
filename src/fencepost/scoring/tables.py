"""Tables: rows of plain values, and what a reader should know about them."""

from __future__ import annotations

import json
import math
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fencepost.metrics.registry import as_recipe
from fencepost.metrics.signature import Signature
from fencepost.model.checks import MetricError
from fencepost.wording import needs


class Facts(Mapping[str, Any]):
    """What a reader should know about the data, found out when somebody asks."""

    def __init__(self, find: Callable[[], Mapping[str, Any]]) -> None:
        self._find = find
        self._found: Mapping[str, Any] | None = None

    def _all(self) -> Mapping[str, Any]:
        if self._found is None:
            self._found = self._find()
        return self._found

    def __getitem__(self, key: str) -> Any:
        return self._all()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def __repr__(self) -> str:
        return repr(dict(self._all()))


@dataclass(frozen=True)
class Table:
    """Rows of plain values with named columns, and what a reader should know about them."""

    columns: tuple[str, ...]
    rows: tuple[dict[str, Any], ...]
    name: str = "scores"
    notes: tuple[str, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    parts: Mapping[str, Callable[[], Table]] = field(default_factory=dict, compare=False)

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows)

    def __getitem__(self, index: int) -> dict[str, Any]:
        return self.rows[index]

    def column(self, name: str) -> list[Any]:
        """All values of one column."""
        return [row[name] for row in self.rows]

    def where(self, **wanted: Any) -> Table:
        """The rows that have these values: ``table.where(system="bert", metric="pk")``.

        A metric may be given as the command line takes it: by a short name, with settings.
        """
        rows = self.rows
        metric = wanted.get("metric")
        if metric is not None and all(row["metric"] != metric for row in rows):
            wanted = {key: value for key, value in wanted.items() if key != "metric"}
            rows = self._of(metric)
        rows = tuple(r for r in rows if all(r[key] == value for key, value in wanted.items()))
        return Table(self.columns, rows, self.name, self.notes, self.facts)

    def _of(self, metric: Any) -> tuple[dict[str, Any], ...]:
        """The rows of a metric that is not given by its name alone; none where it is unknown."""
        try:
            wanted = as_recipe(metric, None)
        except MetricError:
            return ()
        signed = [row for row in self.rows if isinstance(row.get("signature"), Signature)]
        if wanted == wanted.metric.recipe() and not re.search("[:(|]", str(metric)):
            return tuple(r for r in signed if r["signature"].recipe.metric == wanted.metric)
        return tuple(row for row in signed if row["signature"].recipe == wanted)

    def part(self, name: str) -> Table:
        """A finer table behind this one, made when it is asked for: ``table.part("per-text")``."""
        if name not in self.parts:
            raise KeyError(f"no table {name!r}; there is {', '.join(self.parts) or 'none'}")
        return self.parts[name]()

    def to_dicts(self) -> list[dict[str, Any]]:
        """One plain dict a row; undefined values are NaN."""
        return [dict(row) for row in self.rows]

    def to_json(self, **settings: Any) -> str:
        """One JSON object with ``"schema": 1``; undefined values are null."""
        return json.dumps(self.plain(), ensure_ascii=False, allow_nan=False, **settings)

    def plain(self, *parts: str) -> dict[str, Any]:
        """What :meth:`to_json` writes, and the rows of these parts under their names."""
        return {
            "schema": 1,
            "table": self.name,
            **({"facts": _defined(dict(self.facts))} if self.facts else {}),
            **({"notes": list(self.notes)} if self.notes else {}),
            "rows": self.plain_rows(),
            **{name: self.part(name).plain_rows() for name in parts},
        }

    def plain_rows(self) -> list[dict[str, Any]]:
        """The rows, with null for what is undefined."""
        return [{key: _defined(value) for key, value in row.items()} for row in self.rows]

    @property
    def filled(self) -> list[str]:
        """The columns in which something stands."""
        return [c for c in self.columns if any(row.get(c) is not None for row in self.rows)]

    def _columns(self) -> dict[str, list[Any]]:
        return {name: self.column(name) for name in self.columns}

    def to_pandas(self) -> Any:
        """A pandas data frame (needs pandas)."""
        return needs("pandas").DataFrame(self._columns(), columns=list(self.columns))

    def to_polars(self) -> Any:
        """A polars data frame (needs polars)."""
        return needs("polars").DataFrame(self._columns())

    def to_arrow(self) -> Any:
        """A pyarrow table (needs pyarrow)."""
        return needs("pyarrow").table(self._columns())

    def to_markdown(self) -> str:
        """The table as Markdown: of scores, systems by metrics."""
        from fencepost.report.markup import table_to_markdown

        return table_to_markdown(self)

    def to_latex(self) -> str:
        """The table as a LaTeX tabular (booktabs): of scores, systems by metrics."""
        from fencepost.report.markup import table_to_latex

        return table_to_latex(self)

    def to_html(self, path: str | os.PathLike[str], title: str = "") -> None:
        """Write one self-contained page with this table and the finer tables behind it."""
        from fencepost.report.html import Page, write_html

        finer = [self.part(name) for name in self.parts]
        shown = [self, *(one for one in finer if len(one))]
        write_html(path, Page.of(*shown, title=title or f"fencepost: {self.name}"))

    def __repr__(self) -> str:
        return f"<Table {self.name}: {len(self.rows)} rows of {', '.join(self.columns)}>"

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from fencepost.report.html.notebook import table_html

        return table_html(self)

    def __str__(self) -> str:
        """The table as plain text, as wide as the terminal: of scores, systems by metrics."""
        from fencepost.report.text import fit, plain_table, terminal_width

        return fit(plain_table(self, terminal_width(sys.stdout)))


def _defined(value: Any) -> Any:
    """The value with null for what is undefined, inside lists and dicts too."""
    if isinstance(value, Mapping):
        return {key: _defined(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_defined(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def rows_to_table(rows: Sequence[dict[str, Any]], **settings: Any) -> Table:
    """A table whose columns are those of its first row."""
    columns = tuple(rows[0]) if rows else ()
    return Table(columns, tuple(rows), **settings)
