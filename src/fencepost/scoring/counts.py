"""Rows of counts: what scoring leaves behind, and all that averages, intervals and tests need."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from fencepost.metrics.registry import Counts, Recipe, Values
from fencepost.metrics.signature import NO_CONTEXT, VERSION, Context, Signature, version_notes
from fencepost.model.checks import FencepostError, Ints, MetricError
from fencepost.model.join import RANDOM_BOUNDARIES
from fencepost.scoring.tables import Table

# The columns of a file of counts; those of the counts themselves stand after "value".
FIRST = ("system", "run", "text", "group", "coder", "draw", "metric", "value")
LAST = ("units", "cuts", "unit", "reference", "data", "settings", "signature")
# The number of the text in the reference, the notes of the walk as a list, in the first row, and
# the fingerprint of the run. Files may lack them: texts are then in the order in which they stand.
MAY_BE = ("number", "notes", "system_data")


class Rows(NamedTuple):
    """Counts of one run of a system against one reference: a row for each text, streams added."""

    counts: Counts
    texts: Ints  # the number of each row's text; a text stands several times if it was drawn so


@dataclass(frozen=True, eq=False, repr=False)
class CountRows:
    """The counts of every metric, system, reference and text; no words and no boundaries."""

    texts: Sequence[str]
    references: tuple[str, ...]
    systems: Mapping[str, tuple[str, ...]]  # the runs of each
    recipes: tuple[Recipe, ...]
    rows: Mapping[tuple[int, str, str], Rows]  # by number of the recipe, run and reference
    units: Ints  # of each text
    cuts: Mapping[str, Ints]  # of each reference in each text
    context: Context = NO_CONTEXT  # how texts were read and paired
    groups: tuple[str, ...] | None = None  # of each text
    about: Mapping[str, Any] = field(default_factory=dict)  # unit, reference, fingerprint, ...
    notes: tuple[str, ...] = ()
    drawn: Mapping[str, str] = field(default_factory=dict)  # draws and seed of random boundaries

    def value(self, recipe: int, run: str, reference: str) -> Values:
        """The value of each row."""
        return self.recipes[recipe].value(self.rows[recipe, run, reference].counts)

    @property
    def runs(self) -> Iterator[tuple[str, str]]:
        """Every run, with its system in front."""
        return ((system, run) for system, runs in self.systems.items() for run in runs)

    def drawn_by(self, system: str, context: Context) -> Context:
        """The context with the draws and the seed of random boundaries, if this is their system."""
        if system != RANDOM_BOUNDARIES:
            return context
        return context._replace(draws=self.drawn.get("draws", ""), seed=self.drawn.get("seed", ""))

    def facts(self) -> dict[str, Any]:
        """What the lines above and below a table say about the data."""
        cuts = np.array([self.cuts[name] for name in self.references])
        return {
            "texts": len(self.texts),
            "units": int(self.units.sum()),
            "unit": self.about["unit"],
            "references": len(self.references),
            "reference_cuts": int(cuts.sum()),
            "texts_without_cuts": int((cuts.sum(axis=0) == 0).sum()),
            "reference": self.about["reference"],
            "fingerprint": self.about["fingerprint"],
            "fingerprints": dict(self.about.get("fingerprints", {})),  # of the systems' runs
            "reading": dict(self.context.reading),
            "settings": list(self.about["settings"]),
        }


# Tables of counts, and files.


def to_table(counts: CountRows) -> Table:
    """A tidy table of all counts, which can be attached to a paper and scored again."""
    names = dict.fromkeys(name for recipe in counts.recipes for name in recipe.metric.counts)
    shown = {name: _column(name) for name in names}
    columns = (*FIRST, *shown.values(), *LAST, *MAY_BE)
    constant = {
        "unit": counts.about["unit"],
        "reference": counts.about["reference"],
        "data": counts.about["fingerprint"],
        "settings": _as_json(counts.about["settings"]),
    }
    rows = []
    for (number, run, coder), own in counts.rows.items():
        recipe = counts.recipes[number]
        system = next(s for s, runs in counts.systems.items() if run in runs)
        signature = recipe.signature(counts.drawn_by(system, counts.context))
        own_names = [shown[name] for name in recipe.metric.counts]
        draws: dict[int, int] = {}
        repeated = len(np.unique(own.texts)) < len(own.texts)
        values = counts.value(number, run, coder).tolist()
        for text, row, value in zip(own.texts.tolist(), own.counts.tolist(), values, strict=True):
            draws[text] = draws.get(text, 0) + 1
            made: dict[str, Any] = dict.fromkeys(columns)
            made.update(
                system=system, run=run, text=counts.texts[text], coder=coder,
                group=counts.groups[text] if counts.groups else None,
                draw=draws[text] if repeated else None,
                metric=recipe.name, value=value,
                units=int(counts.units[text]), cuts=int(counts.cuts[coder][text]),
                **constant, signature=signature, number=text + 1,
                system_data=counts.about.get("fingerprints", {}).get(run),
            )  # fmt: skip
            made.update(zip(own_names, row, strict=True))
            rows.append(made)
    if rows:
        rows[0]["notes"] = _as_json(counts.notes)
    return Table(columns, tuple(rows), name="counts")


def _column(count: str) -> str:
    """The column of a count; those of the table itself keep their names."""
    return f"{count}_count" if count in (*FIRST, *LAST, *MAY_BE) else count


def _as_json(sentences: Sequence[str]) -> str:
    return json.dumps(list(sentences), ensure_ascii=False)


def save(table: Table, path: str | Path) -> None:
    """Write a table of counts as CSV, or as Parquet where the file is named so (needs pyarrow)."""
    try:
        if str(path).endswith(".parquet"):
            import_parquet().write_table(table.to_arrow(), str(path))
        else:
            Path(path).write_text(_csv(table), encoding="utf-8", newline="")
    except OSError as error:
        raise FencepostError(f"{path} cannot be written: {error.strerror or error}") from None


def import_parquet() -> Any:
    """pyarrow's Parquet, or a sentence that says how to get it."""
    try:
        import pyarrow.parquet as parquet
    except ImportError:
        raise ImportError(
            "Parquet needs pyarrow, which is not installed: pip install 'fencepost[arrow]'"
        ) from None
    return parquet


def read_parquet(source: Any) -> Any:
    """A table of pyarrow.

    By one thread: those that pyarrow leaves behind can abort a short program when it ends.
    """
    return import_parquet().read_table(source, use_threads=False, pre_buffer=False)


def _csv(table: Table) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(table.columns)
    for row in table.rows:
        writer.writerow([_cell(row[column]) for column in table.columns])
    return buffer.getvalue()


def _cell(value: Any) -> Any:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return repr(value) if isinstance(value, float) else value


def load(path: str | Path) -> CountRows:
    """Read a file that :func:`save` has written."""
    name = str(path)
    try:
        if name.endswith(".parquet"):
            rows = read_parquet(name).to_pylist()
        else:
            text = Path(path).read_bytes().decode("utf-8-sig")
            rows = list(csv.DictReader(io.StringIO(text, newline="")))
    except OSError as error:
        raise FencepostError(f"{name} cannot be read: {error.strerror or error}") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise FencepostError(f"{name} is not a table of counts: {error}") from None
    except ImportError:
        raise
    except Exception as error:  # pyarrow has errors of its own
        raise FencepostError(f"{name} is not a table of counts: {error}") from None
    return from_rows(rows, name)


def from_rows(rows: Sequence[Mapping[str, Any]], name: str) -> CountRows:
    """Counts from the rows of a table of counts."""
    if not rows:
        raise FencepostError(f"{name} has no rows of counts")
    lacking = [c for c in (*FIRST, *LAST) if c not in rows[0]]
    if lacking:
        raise FencepostError(
            f"{name} lacks the column{'s' * (len(lacking) > 1)} {', '.join(lacking)}; "
            "a table of counts is made with fencepost score --save"
        )
    return _Reader(rows, name).counts()


def _stand_in(signature: Signature) -> tuple[Recipe, Context]:
    """A user's function that is not here, whose scores are all that is needed of it."""
    from fencepost.metrics.functions import from_function

    def function(ref: Any, hyp: Any) -> float:
        raise MetricError(f"{name} was read from saved counts: the function is not here")

    name, fields = signature.metric, signature.fields
    origin, _, version = fields.pop("from", "").partition("@")
    function.__name__, function.__module__ = name, "__main__"
    function.better = fields.pop("better", "higher")  # type: ignore[attr-defined]
    made = replace(from_function(function), origin=origin, version=version)
    rest = Signature.build("boundary_agreement", fields, fields.pop("fencepost", ""))
    return made.recipe(better=made.better), rest.context  # of a metric without settings


class _Reader:
    def __init__(self, rows: Sequence[Mapping[str, Any]], name: str) -> None:
        self.given = rows
        self.name = name
        self.recipes: dict[str, tuple[int, Recipe]] = {}  # by signature without draws
        self.known: dict[str, tuple[int, Recipe]] = {}  # by signature as it stands
        self.fingerprints: dict[str, str] = {}  # of runs
        self.notes: dict[str, None] = {}
        self.context = NO_CONTEXT
        self.drawn: dict[str, str] = {}
        self.texts: dict[str, int] = {}
        self.groups: dict[int, str] = {}
        self.units: dict[int, int] = {}
        self.cuts: dict[str, dict[int, int]] = {}
        self.systems: dict[str, dict[str, None]] = {}
        self.rows: dict[tuple[int, str, str], list[tuple[int, list[float]]]] = {}
        self.seen: set[tuple[int, str, str, int, str]] = set()

    def counts(self) -> CountRows:
        self._number_texts()
        for line, row in enumerate(self.given, start=2):
            self._add(line, row)
        n = len(self.texts)
        self._check_complete()
        first = self.given[0]
        groups = tuple(self.groups[i] for i in range(n)) if any(self.groups.values()) else None
        if groups and not all(groups):
            raise FencepostError(f"{self.name} gives a group to some texts and not to others")
        about = {
            "unit": str(first["unit"]),
            "reference": str(first["reference"]),
            "fingerprint": str(first["data"]),
            "settings": self._sentences("settings", first["settings"]),
            "fingerprints": self.fingerprints,
            "signatures": list(self.known),  # as they stand in the file
        }
        return CountRows(
            tuple(self.texts),
            tuple(self.cuts),
            {system: tuple(runs) for system, runs in self.systems.items()},
            tuple(recipe for _, recipe in self.recipes.values()),
            {key: self._rows(own) for key, own in self.rows.items()},
            np.array([self.units[i] for i in range(n)], dtype=np.int64),
            {
                coder: np.array([own.get(i, 0) for i in range(n)], dtype=np.int64)
                for coder, own in self.cuts.items()
            },
            self.context,
            groups,
            about,
            tuple(dict.fromkeys([*self._sentences("notes", first.get("notes")), *self.notes])),
            self.drawn,
        )

    def _number_texts(self) -> None:
        """Texts in the order of the reference, where the file knows it: resamples depend on it."""
        numbers: dict[str, int] = {}
        for line, row in enumerate(self.given, start=2):
            if row.get("number") in (None, ""):
                return
            number = int(self._number(line, "number", row["number"]))
            if numbers.setdefault(str(row["text"]), number) != number:
                raise FencepostError(
                    f"{self.name}, line {line}: {row['text']} has another number than before"
                )
        ordered = sorted(numbers, key=lambda text: numbers[text])
        self.texts = {text: i for i, text in enumerate(ordered)}

    def _sentences(self, column: str, cell: Any) -> list[str]:
        """A list of sentences as it was saved; a cell of another hand is one sentence."""
        if not cell:
            return []
        try:
            found = json.loads(str(cell))
        except ValueError:
            return [str(cell)]
        if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
            raise FencepostError(f"{self.name}: {column} must be a list of sentences")
        return found

    def _add(self, line: int, row: Mapping[str, Any]) -> None:
        system, run, text, coder = (
            self._name(line, row, c) for c in ("system", "run", "text", "coder")
        )
        number, recipe = self._recipe(line, row)
        at = self.texts.setdefault(text, len(self.texts))
        key = (number, run, coder)
        draw = str(row["draw"] or "")
        if (*key, at, draw) in self.seen:
            raise FencepostError(
                f"{self.name}, line {line}: {recipe.name} of {run} on {text} is given twice"
            )
        self.seen.add((*key, at, draw))
        self.systems.setdefault(system, {})[run] = None
        if row.get("system_data"):
            self.fingerprints[run] = str(row["system_data"])
        group = str(row["group"] or "")
        units, cuts = (int(self._number(line, c, row[c])) for c in ("units", "cuts"))
        if self.groups.setdefault(at, group) != group or self.units.setdefault(at, units) != units:
            raise FencepostError(
                f"{self.name}, line {line}: {text} has another group or number of units than before"
            )
        self.cuts.setdefault(coder, {}).setdefault(at, cuts)
        numbers = []
        for name in recipe.metric.counts:
            column = _column(name)
            if column not in row:
                raise FencepostError(
                    f"{self.name} lacks the column {column}, a count of {recipe.name}"
                )
            if recipe.metric.additive:
                numbers.append(self._number(line, column, row[column]))
            else:
                numbers.append(self._score(line, column, row[column]))
        self.rows.setdefault(key, []).append((at, numbers))

    def _name(self, line: int, row: Mapping[str, Any], column: str) -> str:
        value = row[column]
        if value is None or str(value) == "":
            raise FencepostError(f"{self.name}, line {line}: {column} is empty")
        return str(value)

    def _number(self, line: int, column: str, value: Any) -> float:
        """Whole numbers stay whole: they may have more digits than a float."""
        for convert in (int, float):
            if isinstance(value, (str, convert)):
                try:
                    found = convert(value)
                except ValueError:
                    continue
                if math.isfinite(found):
                    return found
        raise FencepostError(
            f"{self.name}, line {line}: {column} must be a number, found {value!r}"
        )

    def _score(self, line: int, column: str, value: Any) -> float:
        """What a function gave; it may be undefined."""
        if value in (None, "") or (isinstance(value, float) and not math.isfinite(value)):
            return float(value or math.nan)
        if str(value) in ("inf", "-inf"):
            return float(value)
        return float(self._number(line, column, value))

    def _recipe(self, line: int, row: Mapping[str, Any]) -> tuple[int, Recipe]:
        signature = Signature(row["signature"])
        if signature not in self.known:
            recipe, context = self._parsed(signature, row)
            drawn = {k: v for k in ("draws", "seed") if (v := getattr(context, k))}
            context = context._replace(draws="", seed="", fencepost=VERSION)
            if self.drawn and drawn and drawn != self.drawn:
                raise FencepostError(
                    f"{self.name}, line {line}: random boundaries were drawn in another way "
                    "than above"
                )
            self.drawn = self.drawn or drawn
            if self.recipes and context != self.context:
                raise FencepostError(
                    f"{self.name}, line {line}: {signature.metric} was read in another "
                    "way than the metrics above it"
                )
            self.context = context
            plain = recipe.signature(context)
            self.known[signature] = self.recipes.setdefault(plain, (len(self.recipes), recipe))
        return self.known[signature]

    def _parsed(self, signature: Signature, row: Mapping[str, Any]) -> tuple[Recipe, Context]:
        """The recipe and context; a plain function need not be here for its scores to be read."""
        try:
            self.notes.update(dict.fromkeys(version_notes(signature)))
            return signature.recipe, signature.context
        except MetricError as error:
            if row.get("score") in (None, ""):
                raise FencepostError(
                    f"{self.name} has counts of {signature.metric}, which is needed to read them: "
                    f"{error}"
                ) from None
            return _stand_in(signature)

    def _check_complete(self) -> None:
        """All runs have the same texts, or a comparison would be of different things."""
        first = next(iter(self.systems.values()))
        model = next(iter(first))
        for number, recipe in self.recipes.values():
            for coder in self.cuts:
                wanted = {at for at, _ in self.rows.get((number, model, coder), [])}
                for runs in self.systems.values():
                    for run in runs:
                        found = {at for at, _ in self.rows.get((number, run, coder), [])}
                        if found != wanted:
                            names = list(self.texts)
                            odd = names[min(found ^ wanted)]
                            raise FencepostError(
                                f"{self.name}: {recipe.name} of {odd} is there for one of {model} "
                                f"and {run} and not for the other"
                            )

    def _rows(self, own: list[tuple[int, list[float]]]) -> Rows:
        texts = np.array([at for at, _ in own], dtype=np.int64)
        numbers = [row for _, row in own]
        whole = all(isinstance(v, int) for row in numbers for v in row)
        return Rows(np.array(numbers, dtype=np.int64 if whole else np.float64), texts)
