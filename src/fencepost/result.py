"""What scoring gives back: scores that know their recipe, edits, and tables."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from fencepost import _core
from fencepost.pairs import Pairs

VERSION: str = _core.version


What = Literal[
    "match",
    "transposition",
    "substitution",
    "addition",
    "move",
    "move+substitution",
    "deletion",
    "insertion",
]
Label = Literal["match", "shift", "split", "merge", "mixed"]


class Signature(str):
    """Everything that changes a number, in one line: ``windowdiff|k:5|pad:none|fencepost:0.1.0``.

    >>> s = Signature.build("windowdiff", {"k": "5", "pad": "none"})
    >>> s.metric, s.fields["k"]
    ('windowdiff', '5')
    """

    __slots__ = ()

    @classmethod
    def build(cls, metric: str, fields: Mapping[str, str]) -> Signature:
        """Join a metric's name and its settings; the version comes last."""
        safe = {key: value.replace("%", "%25").replace("|", "%7C") for key, value in fields.items()}
        parts = [metric, *(f"{key}:{value}" for key, value in safe.items())]
        return cls("|".join([*parts, f"fencepost:{VERSION}"]))

    @property
    def metric(self) -> str:
        """The name in front."""
        return self.split("|", 1)[0]

    @property
    def fields(self) -> dict[str, str]:
        """The settings as they are written, the version included."""
        pairs = (part.partition(":") for part in self.split("|")[1:])
        return {key: v.replace("%7C", "|").replace("%25", "%") for key, _, v in pairs}


@dataclass(frozen=True, slots=True)
class Edit:
    """One step of a boundary edit distance between a reference and a hypothesis.

    ``ref`` and ``hyp`` are the places of the cut on each side, None where a side has none.
    """

    what: What
    ref: int | None
    hyp: int | None
    cost: float
    ref_kind: str | None = None
    hyp_kind: str | None = None

    @property
    def side(self) -> Literal["ref", "hyp"] | None:
        """Which side alone has the cut: "ref" (it is missing) or "hyp" (it is extra)."""
        if self.hyp is None:
            return "ref"
        return "hyp" if self.ref is None else None

    @property
    def start(self) -> int:
        """The left-most of the two places."""
        return min(p for p in (self.ref, self.hyp) if p is not None)

    @property
    def end(self) -> int:
        """The right-most of the two places."""
        return max(p for p in (self.ref, self.hyp) if p is not None)

    @property
    def kind(self) -> str | None:
        """The kind of the cut; a substitution's is the reference's."""
        return self.ref_kind if self.ref_kind is not None else self.hyp_kind


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge of a segment alignment: two segments, as numbers from 0 and as [start, end)."""

    ref: int
    hyp: int
    ref_span: tuple[int, int]
    hyp_span: tuple[int, int]
    weight: float
    label: Label


class Score(float):
    """A float that knows its counts, its edits and its signature; NaN means undefined."""

    counts: dict[str, int | float]
    signature: Signature
    _explain: Callable[[], tuple[Edit | Edge, ...]] | None
    _pairs: Pairs | None

    def __new__(
        cls,
        value: float,
        counts: Mapping[str, int | float],
        signature: str,
        explain: Callable[[], tuple[Edit | Edge, ...]] | None = None,
        pairs: Pairs | None = None,
    ) -> Score:
        """Make a score; ``explain`` computes its edits when they are asked for.

        ``pairs`` holds the two segmentations, so that the score can draw itself.
        """
        self = super().__new__(cls, value)
        self.counts = dict(counts)
        self.signature = Signature(signature)
        self._explain = explain
        self._pairs = pairs
        return self

    @property
    def value(self) -> float:
        """The plain number."""
        return float(self)

    @property
    def metric(self) -> str:
        """The name of the metric."""
        return self.signature.metric

    @property
    def edits(self) -> tuple[Edit | Edge, ...]:
        """What the score is made of: edits of S and B, alignment edges of A."""
        if self._explain is None:
            raise AttributeError(f"{self.metric} keeps no edits; S, B and A do")
        return self._explain()

    def __reduce__(self) -> tuple[Any, ...]:
        return Score, (self.value, self.counts, str(self.signature), self._explain, self._pairs)

    def __repr__(self) -> str:
        signature = str(self.signature)
        return f"Score(value={self.value!r}, counts={self.counts!r}, signature={signature!r})"

    def __str__(self) -> str:
        return repr(self.value)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from fencepost.report.html.notebook import score_html

        return score_html(self)


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
        """The rows that have these values: ``table.where(system="bert", metric="pk")``."""
        rows = tuple(r for r in self.rows if all(r[key] == value for key, value in wanted.items()))
        return Table(self.columns, rows, self.name, self.notes, self.facts)

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

    def plain(self) -> dict[str, Any]:
        """What :meth:`to_json` writes."""
        return {
            "schema": 1,
            "table": self.name,
            **({"facts": _defined(dict(self.facts))} if self.facts else {}),
            **({"notes": list(self.notes)} if self.notes else {}),
            "rows": [{key: _defined(value) for key, value in row.items()} for row in self.rows],
        }

    def _columns(self) -> dict[str, list[Any]]:
        return {name: self.column(name) for name in self.columns}

    def to_pandas(self) -> Any:
        """A pandas data frame (needs pandas)."""
        return _needs("pandas").DataFrame(self._columns(), columns=list(self.columns))

    def to_polars(self) -> Any:
        """A polars data frame (needs polars)."""
        return _needs("polars").DataFrame(self._columns())

    def to_arrow(self) -> Any:
        """A pyarrow table (needs pyarrow)."""
        return _needs("pyarrow").table(self._columns())

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


def _needs(package: str) -> Any:
    import importlib

    try:
        return importlib.import_module(package)
    except ImportError:
        extra = {"pyarrow": "arrow"}.get(package, package)
        raise ImportError(
            f"this needs {package}, which is not installed: pip install 'fencepost[{extra}]'"
        ) from None


def rows_to_table(rows: Sequence[dict[str, Any]], **settings: Any) -> Table:
    """A table whose columns are those of its first row."""
    columns = tuple(rows[0]) if rows else ()
    return Table(columns, tuple(rows), **settings)
