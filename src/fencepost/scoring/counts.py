"""Rows of counts: what scoring leaves behind, and all that averages, intervals and tests need."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, compress, repeat
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from fencepost._version import VERSION
from fencepost.compression import MEGABYTE, too_large
from fencepost.files import UNENCODABLE, csv_writer, open_input, read_whole, writing
from fencepost.metrics.bounds import Stated, outside
from fencepost.metrics.registry import MAX_SUM, Counts, Recipe, Values, add_counts, needs_file
from fencepost.metrics.signature import NO_CONTEXT, Context, Signature, version_notes
from fencepost.model.checks import FencepostError, Ints, MetricError
from fencepost.model.hashing import blake2b
from fencepost.model.join import HUMAN_CEILING, RANDOM_BOUNDARIES
from fencepost.scoring.tables import Table
from fencepost.wording import needs

# The columns of a file of counts; those of the counts themselves stand after "value".
FIRST = ("system", "run", "text", "group", "coder", "draw", "metric", "value")
LAST = ("units", "cuts", "unit", "reference", "data", "settings", "signature")
# The number of the text in the reference, the notes of the walk as a list, in the first row, the
# fingerprint of the run, and how many rows there are. Files may lack them: texts are then in the
# order in which they stand.
MAY_BE = ("number", "notes", "system_data", "rows")
# The speakers of the text and the number of boundary types: columns of files that have any.
WHERE_ANY = ("speakers", "types")
# Columns that are the same in all rows of the file, and of one recipe, run and reference.
FILE = ("data", "unit", "reference", "settings", "types")
BLOCK = ("system", "run", "coder", "metric", "signature", "system_data", *FILE)
ROWS_UNSAID = re.compile(r"0\.[01]\.")  # versions whose files do not say how many rows they have
PARQUET_ROWS = 10_000  # that are Python objects at a time


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
    speakers: Ints | None = None  # of each text; None where each has one

    def value(self, recipe: int, run: str, reference: str) -> Values:
        """The value of each row, as tables show it."""
        return self.recipes[recipe].shown(self.rows[recipe, run, reference].counts)

    def only(self, keep: npt.NDArray[np.bool_]) -> CountRows:
        """Return the counts of some texts."""
        number = np.cumsum(keep) - 1
        rows = {}
        for key, (counts, texts) in self.rows.items():
            use = keep[texts]
            rows[key] = Rows(counts[use], number[texts[use]])
        groups = self.groups and tuple(compress(self.groups, keep))
        cuts = {name: own[keep] for name, own in self.cuts.items()}
        names = tuple(compress(self.texts, keep))
        speakers = None if self.speakers is None else self.speakers[keep]
        return replace(self, texts=names, rows=rows, units=self.units[keep], cuts=cuts,
                       groups=groups, notes=(), speakers=speakers)  # fmt: skip

    @property
    def of_words(self) -> bool:
        """Whether these are segments of words, whose counts are always pooled."""
        return any(recipe.metric.input == "words" for recipe in self.recipes)

    @property
    def resampled(self) -> str:
        """What intervals and tests resample: one of its rows, or what a group of them is."""
        if self.groups is None:
            return "segment" if self.of_words else "text"
        return "document" if self.context.group == "document" else "group"

    def systems_of(self, recipe: int) -> dict[str, tuple[str, ...]]:
        """The runs of each system that a recipe could measure."""
        return {
            system: runs
            for system, runs in self.systems.items()
            if all((recipe, run, ref) in self.rows for run in runs for ref in self.references)
        }

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
            "units": int(add_counts(self.units[:, None])[0]),
            "unit": self.about["unit"],
            "references": self.about.get("annotators", len(self.references)),
            "reference_rule": self.context.refs,
            "reference_cuts": int(cuts.sum()),
            "texts_without_cuts": 0 if self.of_words else int((cuts.sum(axis=0) == 0).sum()),
            "reference": self.about["reference"],
            "fingerprint": self.about["fingerprint"],
            "fingerprints": dict(self.about.get("fingerprints", {})),  # of the systems' runs
            "reading": dict(self.context.reading),
            "settings": list(self.about["settings"]),
            "resampled": self.resampled,
            **({"counted_by": list(old)} if (old := self.about.get("counted_by")) else {}),
        }


# Tables of counts, and files.


def to_table(counts: CountRows) -> Table:
    """A tidy table of all counts, which can be attached to a paper and scored again."""
    names = dict.fromkeys(name for recipe in counts.recipes for name in recipe.counts)
    columns = (*FIRST, *map(_column, names), *LAST, *MAY_BE)
    if counts.speakers is not None or counts.about.get("types"):
        columns += WHERE_ANY
    total = sum(len(own.texts) for own in counts.rows.values())
    rows: list[dict[str, Any]] = []
    for number, run, coder in counts.rows:
        known = _columns_of(counts, number, run, coder) | {"rows": repeat(total)}
        cells = (known.get(column, repeat(None)) for column in columns)
        rows += (dict(zip(columns, row)) for row in zip(*cells))  # noqa: B905 - repeat has no end
    if rows:
        rows[0] |= {"notes": _as_json(counts.notes)}
    return Table(columns, tuple(rows), name="counts")


def _columns_of(counts: CountRows, number: int, run: str, coder: str) -> dict[str, Iterable[Any]]:
    """Return the columns of one recipe, run and reference; those with one value have no end."""
    recipe, own = counts.recipes[number], counts.rows[number, run, coder]
    system = next(s for s, runs in counts.systems.items() if run in runs)
    about = counts.about
    constant = {
        "system": system,
        "run": run,
        "coder": coder,
        "metric": recipe.name,
        "unit": about["unit"],
        "reference": about["reference"],
        "data": about["fingerprint"],
        "settings": _as_json(about["settings"]),
        "signature": recipe.signature(counts.drawn_by(system, counts.context)),
        "system_data": about.get("fingerprints", {}).get(run),
        "types": about.get("types") or None,
    }
    texts = own.texts.tolist()
    columns: dict[str, Iterable[Any]] = {name: repeat(value) for name, value in constant.items()}
    columns |= {
        "text": [counts.texts[text] for text in texts],
        "number": [text + 1 for text in texts],
        "value": counts.value(number, run, coder).tolist(),
        "units": counts.units[own.texts].tolist(),
        "cuts": counts.cuts[coder][own.texts].tolist(),
    }
    if counts.speakers is not None:
        columns["speakers"] = counts.speakers[own.texts].tolist()
    if counts.groups:
        columns["group"] = [counts.groups[text] for text in texts]
    if len(set(texts)) < len(texts):
        columns["draw"] = _draws(texts)
    for name, numbers in zip(recipe.counts, own.counts.T, strict=True):
        columns[_column(name)] = numbers.tolist()
    return columns


def _draws(texts: Sequence[int]) -> Iterator[int]:
    """Number the rows of each text from 1."""
    seen: dict[int, int] = {}
    for text in texts:
        seen[text] = seen.get(text, 0) + 1
        yield seen[text]


def _column(count: str) -> str:
    """The column of a count; those of the table itself keep their names."""
    return f"{count}_count" if count in (*FIRST, *LAST, *MAY_BE, *WHERE_ANY) else count


def _as_json(sentences: Sequence[str]) -> str:
    return json.dumps(list(sentences), ensure_ascii=False)


def save(table: Table, path: str | Path) -> None:
    """Write a table of counts as CSV, or as Parquet where the file is named so (needs pyarrow)."""
    if str(path).endswith(".parquet"):
        with writing(path) as stream:
            needs("pyarrow.parquet", "Parquet").write_table(_in_utf8(table).to_arrow(), stream)
    else:
        with writing(path, text=True) as file:
            _write_csv(table, file)


def _in_utf8(table: Table) -> Table:
    """Return the table with names that UTF-8 cannot hold written as in a CSV."""

    def encodable(cell: Any) -> Any:
        return cell.encode("utf-8", UNENCODABLE).decode() if isinstance(cell, str) else cell

    names = {cell for row in table.rows for cell in (row["text"], row["run"], row["coder"])}
    if all(name.isascii() or name == encodable(name) for name in names):
        return table
    rows = ({column: encodable(cell) for column, cell in row.items()} for row in table.rows)
    return replace(table, rows=tuple(rows))


def read_parquet(
    source: str | bytes,
    name: str = "",
    error: type[FencepostError] = FencepostError,
    limit: int | None = None,
) -> Any:
    """Return the pyarrow table of a Parquet file, given its path or its bytes.

    A damaged file raises ``error`` with its name, and one that holds more than ``limit`` MB
    FencepostError. One thread reads, from a file object of pyarrow: a worker thread that still
    holds a Python object when a short program ends makes the interpreter abort.
    """
    with _reading_parquet(source, name, error) as file:
        if limit is not None and _parquet_bytes(source, file, limit * MEGABYTE) > limit * MEGABYTE:
            raise too_large(name or str(source), limit)
        table = file.read(use_threads=False)
        table.validate(full=True)  # damaged offsets would be read as they are
        return table


@contextmanager
def _reading_parquet(
    source: str | bytes, name: str, error: type[FencepostError] = FencepostError
) -> Iterator[Any]:
    try:
        with _open_parquet(source) as file:
            yield file
    except FencepostError:
        raise
    except ImportError as failed:
        raise ImportError(f"{name or source!s}: {failed}") from None
    except Exception as failed:  # pyarrow has errors of its own, of several lines
        said = next(iter(str(failed).split("\n")), "")
        raise error(f"{name or source!s}: not a Parquet file that can be read ({said})") from None


BYTES_PER_VALUE = 16  # at least, of a value that is read: runs of one value take none on the disk


def _parquet_bytes(source: str | bytes, file: Any, limit: int) -> int:
    """Return how much a Parquet file holds when it is read, or some number above the limit.

    Metadata have the number of values and their size on the disk. Texts of a dictionary can be
    longer than that; if they could exceed the limit, they are added up without being copied.
    """
    size, most = 0, 0
    texts: set[str] = set()
    for group in range(file.metadata.num_row_groups):
        row_group = file.metadata.row_group(group)
        for number in range(row_group.num_columns):
            column = row_group.column(number)
            size += max(column.total_uncompressed_size, BYTES_PER_VALUE * column.num_values)
            if column.physical_type in ("BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"):
                texts.add(column.path_in_schema)
                most += column.num_values * column.total_uncompressed_size
    if size > limit or size + most <= limit:
        return size
    with _open_parquet(source, read_dictionary=sorted(texts)) as coded:
        own = {path.partition(".")[0] for path in texts}
        for batch in coded.iter_batches(PARQUET_ROWS, columns=sorted(own), use_threads=False):
            size += sum(map(_text_bytes, batch.columns))
            if size > limit:
                break
    return size


def _text_bytes(array: Any) -> int:
    """Return the bytes of texts in an Arrow array, each as often as it is there."""
    import pyarrow
    from pyarrow import compute

    kind = array.type
    if pyarrow.types.is_dictionary(kind):
        lengths = compute.binary_length(array.dictionary)
        return compute.sum(lengths.cast(pyarrow.int64()).take(array.indices)).as_py() or 0
    if pyarrow.types.is_struct(kind):
        return sum(map(_text_bytes, array.flatten()))
    if pyarrow.types.is_map(kind) or pyarrow.types.is_nested(kind):
        return _text_bytes(array.values)
    return int(array.nbytes)


def parquet_columns(source: str | bytes) -> list[str]:
    """Return the names of the columns of a Parquet file."""
    with _open_parquet(source) as file:
        return [str(name) for name in file.schema_arrow.names]


def _open_parquet(source: str | bytes, **choices: Any) -> Any:
    parquet = needs("pyarrow.parquet", "Parquet")
    if isinstance(source, bytes):
        import pyarrow

        source = pyarrow.BufferReader(source)
    # A damaged page can be read as other numbers; where a file has checksums, they tell.
    return parquet.ParquetFile(source, pre_buffer=False, page_checksum_verification=True, **choices)


def _write_csv(table: Table, file: IO[str]) -> None:
    writer = csv_writer(file)
    writer.writerow(table.columns)
    for row in table.rows:
        cells = (row[column] for column in table.columns)
        writer.writerow(["" if cell != cell else cell for cell in cells])  # NaN is undefined


_EXPECTED = (
    "expected what fencepost score --save wrote. Score with --save counts.csv, and give counts.csv"
)


def load(path: str | Path) -> CountRows:
    """Read a file that :func:`save` has written."""
    name = str(path)
    if Path(name).is_dir():
        raise FencepostError(_about_folder(name))
    try:
        if name.endswith(".parquet"):
            return from_rows(_parquet_rows(name), name)
        with io.TextIOWrapper(open_input(path), encoding="utf-8-sig", newline="") as file:
            return from_rows(csv.DictReader(file), name)
    except OSError as error:
        raise FencepostError(f"{name} cannot be read: {error.strerror or error}") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise FencepostError(f"{name} is not a table of counts: {error}") from None


def _about_folder(name: str) -> str:
    """Return what to do with a folder of counts, which the run that saved it reads."""
    if not any(Path(name).glob("part-*.parquet")):
        return f"{name} is a folder; name the table of counts that fencepost score --save wrote"
    return (
        f"{name} is the folder of a run, where one table of counts is expected. The command that "
        f"made it prints its scores again: fencepost score 'FILES' ... --save {name} --resume "
        "(with --json -o FILE.json as a file, which fencepost diff reads). Or save one table, of "
        "up to 10,000 texts: --save counts.parquet"
    )


def _parquet_rows(name: str) -> Iterator[Mapping[str, Any]]:
    with _reading_parquet(read_whole(name), name) as file:
        for batch in file.iter_batches(PARQUET_ROWS, use_threads=False):
            batch.validate(full=True)
            yield from batch.to_pylist()


def from_rows(rows: Iterable[Mapping[str, Any]], name: str) -> CountRows:
    """Counts from the rows of a table of counts; each row is forgotten when it has been read."""
    given = iter(rows)
    first = next(given, None)
    if first is None:
        raise FencepostError(f"{name} has no rows of counts; {_EXPECTED}")
    lacking = [c for c in (*FIRST, *LAST) if c not in first]
    if lacking:
        raise FencepostError(
            f"{name} lacks the column{'s' * (len(lacking) > 1)} {', '.join(lacking)}; {_EXPECTED}"
        )
    reader = _Reader(first, name)
    for line, row in enumerate(chain([first], given), start=2):
        reader.add(line, row)
    return reader.counts()


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


class _Block:
    """What was read of one recipe, run and reference."""

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        self.columns = [_column(name) for name in recipe.counts]
        self.texts: list[int] = []
        self.numbers: list[list[float]] = []
        self.values: list[float] = []  # as the file has them; NaN is undefined
        self.lines: list[int] = []
        self.seen: set[tuple[int, str]] = set()  # texts and draws

    def rows(self, number_of: Ints, name: str) -> Rows:
        """Return the counts, with the numbers of texts that were numbered as they were read."""
        whole = all(isinstance(v, int) for row in self.numbers for v in row)
        counts = np.array(self.numbers, dtype=np.int64 if whole else np.float64)
        self._check_values(counts, name)
        return Rows(counts, number_of[self.texts])

    def check_bounds(self, counts: Counts, stated: Stated, name: str) -> None:
        """Raise FencepostError for a count that no text has of which so much is stated."""
        columns = dict(zip(self.recipe.counts, self.columns, strict=True))
        numbers = dict(zip(self.recipe.counts, counts.T, strict=True))
        for count, (low, high) in self.recipe.bounds(counts, stated).items():
            wrong = outside(numbers[count], low, high)
            if wrong.any():
                at = int(np.flatnonzero(wrong)[0])
                column, number = columns[count], self.numbers[at][self.recipe.counts.index(count)]
                raise FencepostError(
                    f"{name}, line {self.lines[at]}: {column} cannot be {number}: "
                    f"{self._about_row(at, stated)} and these counts it is "
                    f"{_said_ends(low[at], high[at])}; the file was changed after it was saved. "
                    f"{self.again}"
                )

    def _about_row(self, at: int, stated: Stated) -> str:
        """What a row states of its text."""
        if self.recipe.metric.input == "words":
            return f"with {stated.units[at]:.0f} reference words"
        return f"with {stated.units[at]:.0f} units, {stated.cuts[at]:.0f} reference boundaries"

    @property
    def again(self) -> str:
        """What to do about counts that cannot be."""
        return _again(self.recipe.metric.input == "words")

    def _check_values(self, counts: Counts, name: str) -> None:
        """Raise FencepostError for counts that no text can have, or that do not give their value.

        Values are compared to nine digits, so that a spreadsheet may have rounded them.
        """
        recipe, values = self.recipe, np.array(self.values)
        made = recipe.shown(counts)
        wrong = ~np.isclose(made, values, rtol=1e-9, atol=1e-9, equal_nan=True)
        low, high = recipe.range
        if recipe.metric.additive:
            wrong |= (counts < 0).any(axis=1) | (made < low - 1e-9) | (made > high + 1e-9)
        if wrong.any():
            at = int(np.flatnonzero(wrong)[0])
            cells = ", ".join(
                f"{column} {number}"
                for column, number in zip(self.columns, self.numbers[at], strict=True)
            )
            raise FencepostError(
                f"{name}, line {self.lines[at]}: {recipe.name} cannot be {values[at]:g} with "
                f"{cells}; the file was changed after it was saved. {self.again}"
            )


def _again(of_words: bool) -> str:
    command = "resegment" if of_words else "score"
    return f"Save it again with fencepost {command} --save"


def _said_ends(low: float, high: float) -> str:
    """Say what a count can be."""
    if low > high:
        return "no number"
    if low == high:
        return f"{low:.15g}"
    return f"from {low:.15g} up" if high == math.inf else f"from {low:.15g} to {high:.15g}"


def _as_number(value: Any) -> float:
    """Return a whole number or a float from a cell; NaN for anything else."""
    if isinstance(value, (int, float)):
        return value
    for convert in (int, float):
        if isinstance(value, str):
            with suppress(ValueError):
                return convert(value)
    return math.nan


class _Reader:
    """Reads rows of counts one after the other, and keeps numbers only."""

    def __init__(self, first: Mapping[str, Any], name: str) -> None:
        self.first = first
        self.name = name
        self.taken = 0  # rows
        self.recipes: dict[str, tuple[int, Recipe]] = {}  # by signature without draws
        self.known: dict[str, tuple[int, Recipe]] = {}  # by signature as it stands
        self.fingerprints: dict[str, str] = {}  # of runs
        self.system_of: dict[str, str] = {}  # by run
        self.notes: dict[str, None] = {}
        self.said_rows: dict[int, None] = {}  # how many rows the file had, by any row
        self.speakers: dict[int, int] = {}  # of each text
        self.versions: dict[str, None] = {}  # of fencepost, other than this one
        self.context = NO_CONTEXT
        self.drawn: dict[str, str] = {}
        self.texts: dict[str, int] = {}  # in the order of reading
        self.numbers: dict[int, int] | None = {}  # of texts in the reference, if every row has one
        self.groups: dict[int, str] = {}
        self.units: dict[int, int] = {}
        self.cuts: dict[str, dict[int, int]] = {}
        self.sums: dict[str, int] = {"units": 0, "cuts": 0}  # of all texts
        self.systems: dict[str, dict[str, None]] = {}
        self.blocks: dict[tuple[int, str, str], _Block] = {}
        self.by_cells: dict[tuple[Any, ...], _Block] = {}  # that tell blocks apart

    def counts(self) -> CountRows:
        """Return what was read, texts in the order of the reference: resamples depend on it."""
        self._check_whole()
        names = list(self.texts)
        order = list(range(len(names)))
        if self.numbers:
            order.sort(key=self.numbers.__getitem__)
        number_of = np.argsort(order)  # of each text, by the order of reading
        texts = tuple(names[i] for i in order)
        self._check_complete(texts, number_of)
        groups = tuple(self.groups[i] for i in order) if any(self.groups.values()) else None
        if groups and not all(groups):
            raise FencepostError(f"{self.name} gives a group to some texts and not to others")
        speakers = np.array([self.speakers[i] for i in order], dtype=np.int64)
        rows = {key: block.rows(number_of, self.name) for key, block in self.blocks.items()}
        self._check_counts(rows)
        first = self.first
        about = {
            "unit": str(first["unit"]),
            "reference": str(first["reference"]),
            "fingerprint": self._fingerprint(texts),
            "types": self.types,
            "settings": self._sentences("settings", first["settings"]),
            "fingerprints": {run: one for run, one in self.fingerprints.items() if one},
            "signatures": list(self.known),  # as they stand in the file
            "counted_by": list(self.versions),
        }
        return CountRows(
            texts,
            tuple(self.cuts),
            {system: tuple(runs) for system, runs in self.systems.items()},
            tuple(recipe for _, recipe in self.recipes.values()),
            rows,
            np.array([self.units[i] for i in order], dtype=np.int64),
            {
                coder: np.array([own.get(i, 0) for i in order], dtype=np.int64)
                for coder, own in self.cuts.items()
            },
            self.context,
            groups,
            about,
            tuple(self.notes),
            self.drawn,
            speakers if (speakers > 1).any() else None,
        )

    def _check_whole(self) -> None:
        """Raise FencepostError for a file that lost rows, or has rows of another one."""
        if not self.said_rows:
            own = ": they have a fingerprint of their own" * self.says_rows
            self.notes[
                f"{self.name} does not say how many rows of counts it had, so nothing shows "
                f"whether all are there{own}"
            ] = None
        elif list(self.said_rows) != [self.taken]:
            raise FencepostError(
                f"{self.name} has {self.taken} of its {' or '.join(map(str, self.said_rows))} rows "
                "of counts: it was truncated or put together. Copy it again; if rows were removed "
                "on purpose, remove the column 'rows', too"
            )

    @property
    def says_rows(self) -> bool:
        """Whether the version that wrote the file says in each row how many there are."""
        return not any(map(ROWS_UNSAID.match, self.versions))

    def _fingerprint(self, texts: Sequence[str]) -> str:
        """The fingerprint of the texts; another one where some may have been removed."""
        given = str(self.first["data"])
        if self.said_rows or not self.says_rows:
            return given
        return blake2b(repr((given, *texts)).encode("utf-8", "replace"), digest_size=4).hexdigest()

    @cached_property
    def types(self) -> int:
        """How many boundary types there are."""
        given = self.first.get("types")
        return 0 if given in (None, "") else self._whole(2, "types", given)

    def _check_counts(self, rows: Mapping[tuple[int, str, str], Rows]) -> None:
        """Raise FencepostError for counts that cannot be, or whose sums are too large."""
        sums = dict.fromkeys((number for number, _, _ in self.blocks), 0.0)
        for key, block in self.blocks.items():
            # Weighted counts are all times the same number, which no row states.
            if self.context.refs != "weighted":
                block.check_bounds(rows[key].counts, self._stated(block, key[2]), self.name)
            if not block.recipe.metric.additive:
                continue
            for numbers, line in zip(block.numbers, block.lines, strict=True):
                sums[key[0]] += max(map(abs, numbers))
                if sums[key[0]] >= MAX_SUM:
                    raise self._too_large(line, f"the counts of {block.recipe.name}")

    def _stated(self, block: _Block, coder: str) -> Stated:
        """Return what the rows of a block state of their texts."""
        cuts = self.cuts[coder]
        return Stated(
            np.array([self.units[text] for text in block.texts], dtype=np.float64),
            np.array([cuts[text] for text in block.texts], dtype=np.float64),
            np.array([self.speakers[text] <= 1 for text in block.texts], dtype=bool),
            self.context.refs in ("", "mean", "1"),
            self.types,
        )

    def _too_large(self, line: int, what: str) -> FencepostError:
        return FencepostError(
            f"{self.name}, line {line}: {what} add up to more than 2^62, which is too large for "
            "64 bits; save the counts of fewer texts at once"
        )

    def _sentences(self, column: str, cell: Any) -> list[str]:
        """A list of sentences as it was saved; a cell of another hand is one sentence."""
        if not cell:
            return []
        try:
            found = json.loads(str(cell))
        except (ValueError, RecursionError):
            return [str(cell)]
        if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
            raise FencepostError(f"{self.name}: {column} must be a list of sentences")
        return found

    def add(self, line: int, row: Mapping[str, Any]) -> None:
        """Take the next row; raise FencepostError if it does not fit those before it."""
        self.taken += 1
        self._note_file(line, row)
        cells = tuple(map(row.get, BLOCK))
        block = self.by_cells.get(cells)
        if block is None:
            block = self.by_cells[cells] = self._block(line, row)
        text = self._name(line, row, "text")
        at = self.texts.setdefault(text, len(self.texts))
        self._note_number(line, at, row)
        self._note_speakers(line, at, row)
        draw = str(row["draw"] or "")
        if (at, draw) in block.seen:
            raise FencepostError(
                f"{self.name}, line {line}: {block.recipe.name} of {row['run']} on {text} is given "
                "twice"
            )
        block.seen.add((at, draw))
        group = str(row["group"] or "")
        units, cuts = (self._whole(line, c, row[c]) for c in ("units", "cuts"))
        if at not in self.units:
            self._add_up(line, "units", units)
        if self.groups.setdefault(at, group) != group or self.units.setdefault(at, units) != units:
            raise FencepostError(
                f"{self.name}, line {line}: {text} has another group or number of units than before"
            )
        own = self.cuts[str(row["coder"])]
        if at not in own:
            self._add_up(line, "cuts", cuts)
        if own.setdefault(at, cuts) != cuts:
            raise FencepostError(
                f"{self.name}, line {line}: {text} has another number of reference boundaries "
                "than before"
            )
        # Other rules have the boundaries of all annotators together.
        if cuts and cuts >= units and self.context.refs in ("", "mean"):
            raise FencepostError(
                f"{self.name}, line {line}: cuts cannot be {cuts} in a text of {units} units, "
                "which has fewer positions; the file was changed after it was saved. "
                f"{_again(False)}"
            )
        convert = self._converter(block.recipe)
        block.texts.append(at)
        block.numbers.append([convert(line, c, row.get(c)) for c in block.columns])
        block.values.append(self._score(line, "value", row["value"]))
        block.lines.append(line)

    def _add_up(self, line: int, column: str, number: int) -> None:
        self.sums[column] += number
        if self.sums[column] >= MAX_SUM:
            raise self._too_large(line, f"the {column}")

    def _converter(self, recipe: Recipe) -> Callable[[int, str, Any], float]:
        """Return what reads a count of this recipe."""
        if not recipe.metric.additive:
            return self._score
        weighted = self.context.refs == "weighted"
        return self._count if recipe.is_whole and not weighted else self._number

    def _block(self, line: int, row: Mapping[str, Any]) -> _Block:
        """Return the block of a row, a new one if this is its first."""
        system, run, coder = (self._name(line, row, c) for c in ("system", "run", "coder"))
        self._check_file(line, row)
        number, recipe = self._recipe(line, row)
        if row["metric"] != recipe.name:
            raise FencepostError(
                f"{self.name}, line {line}: the metric is {row['metric']} and its signature is "
                f"of {recipe.name}"
            )
        given = str(row.get("system_data") or "")
        if self.fingerprints.setdefault(run, given) != given:
            raise FencepostError(
                f"{self.name}, line {line}: {run} has two fingerprints, {given or 'none'} and "
                f"{self.fingerprints[run] or 'none'}: these counts are of different files"
            )
        if self.system_of.setdefault(run, system) != system:
            raise FencepostError(
                f"{self.name}, line {line}: the run {run} is of {system}, and of "
                f"{self.system_of[run]} above"
            )
        block = self.blocks.setdefault((number, run, coder), _Block(recipe))
        for column in block.columns:
            if column not in row:
                raise FencepostError(
                    f"{self.name} lacks the column {column}, a count of {recipe.name}"
                )
        self.systems.setdefault(system, {})[run] = None
        self.cuts.setdefault(coder, {})
        return block

    def _check_file(self, line: int, row: Mapping[str, Any]) -> None:
        """Raise FencepostError for a row of another file than the first."""
        for column in FILE:
            if (row.get(column) or "") != (self.first.get(column) or ""):
                what = "other texts" if column == "data" else "another file"
                raise FencepostError(
                    f"{self.name}, line {line}: these counts are of {what} than those above "
                    f"({column} {row.get(column)!s:.60}, not {self.first.get(column)!s:.60})"
                )

    def _note_number(self, line: int, at: int, row: Mapping[str, Any]) -> None:
        """Keep the number of a text in the reference; none if a row lacks it."""
        if self.numbers is None or row.get("number") in (None, ""):
            self.numbers = None
            return
        number = self._whole(line, "number", row["number"])
        if self.numbers.setdefault(at, number) != number:
            raise FencepostError(
                f"{self.name}, line {line}: {row['text']} has another number than before"
            )

    def _note_file(self, line: int, row: Mapping[str, Any]) -> None:
        """Keep what any row may say of the whole file."""
        if row.get("notes"):
            self.notes.update(dict.fromkeys(self._sentences("notes", row["notes"])))
        if (given := row.get("rows")) not in (None, ""):
            self.said_rows[self._whole(line, "rows", given)] = None

    def _note_speakers(self, line: int, at: int, row: Mapping[str, Any]) -> None:
        given = row.get("speakers")
        speakers = 1 if given in (None, "") else self._whole(line, "speakers", given)
        if (known := self.speakers.setdefault(at, speakers)) != speakers:
            raise FencepostError(
                f"{self.name}, line {line}: {row['text']} has {speakers} speakers here, and "
                f"{known} above"
            )

    def _name(self, line: int, row: Mapping[str, Any], column: str) -> str:
        value = row[column]
        if value is None or str(value) == "":
            raise FencepostError(f"{self.name}, line {line}: {column} is empty")
        return str(value)

    def _number(self, line: int, column: str, value: Any) -> float:
        """Whole numbers stay whole: they may have more digits than a float."""
        found = _as_number(value)
        fits = -(2**63) <= found < 2**63 if isinstance(found, int) else math.isfinite(found)
        if not fits:
            raise FencepostError(
                f"{self.name}, line {line}: {column} must be a number of at most 64 bits, "
                f"found {value!r:.60}"
            )
        return found

    def _count(self, line: int, column: str, value: Any, least: int = -(2**63)) -> int:
        """Return a whole number; a spreadsheet may have written it as 4.0."""
        number = self._number(line, column, value)
        if not least <= number < 2**63 or number != int(number):
            low = " from 0 up" if least == 0 else ""
            raise FencepostError(
                f"{self.name}, line {line}: {column} must be a whole number{low}, "
                f"found {value!r:.60}"
            )
        return int(number)

    def _whole(self, line: int, column: str, value: Any) -> int:
        """Return a number of units, boundaries or texts."""
        return self._count(line, column, value, least=0)

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
            if context.fencepost not in ("", VERSION):
                self.versions[context.fencepost] = None
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
        origin = signature.fields.get("from", "").partition("@")[0]
        try:
            if needs_file(signature):
                raise MetricError(
                    f"if you trust the file {origin}, add -m {origin}:{signature.metric}, which "
                    "runs it"
                )
            self.notes.update(dict.fromkeys(version_notes(signature)))
            return signature.recipe, signature.context
        except MetricError as error:
            if row.get("score") in (None, ""):
                raise FencepostError(
                    f"{self.name} has counts of {signature.metric}, which is needed to read them: "
                    f"{error}"
                ) from None
            return _stand_in(signature)

    def _check_complete(self, names: Sequence[str], number_of: Ints) -> None:
        """All runs have the same texts, or a comparison would be of different things."""
        model = next(iter(next(iter(self.systems.values()))))
        for number, recipe in self.recipes.values():
            for coder in self.cuts:
                wanted = self._texts_of(number, model, coder)
                for run in chain.from_iterable(self.systems.values()):
                    found = self._texts_of(number, run, coder)
                    if recipe.metric.input == "words" and not (found and wanted):
                        continue  # not every stream has lines of its own
                    # Texts of one annotator have no ceiling.
                    wrong = found - wanted if run == HUMAN_CEILING else found ^ wanted
                    if wrong:
                        odd = names[min(number_of[list(wrong)])]
                        raise FencepostError(
                            f"{self.name}: {recipe.name} of {odd} is there for one of {model} "
                            f"and {run} and not for the other"
                        )

    def _texts_of(self, number: int, run: str, coder: str) -> set[int]:
        block = self.blocks.get((number, run, coder))
        return set(block.texts) if block else set()
