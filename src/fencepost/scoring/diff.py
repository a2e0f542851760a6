"""Why a number moved between two results: other data, reading, settings, version, or texts."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from fencepost.files import read_whole
from fencepost.metrics.registry import needs_file
from fencepost.metrics.signature import NAMES, READ, READING, Signature
from fencepost.model.checks import FencepostError, MetricError
from fencepost.model.join import BASELINES
from fencepost.scoring.counts import CountRows, load
from fencepost.scoring.summary import MEAN_OF_REFERENCES, Choices, summarize
from fencepost.scoring.tables import Table
from fencepost.wording import listed, plural

COLUMNS = ("system", "reference", "metric", "average", "before", "after", "difference", "why")
TEXTS = ("text", "system", "reference", "metric", "before", "after", "difference")
SLACK = 1e-9  # beyond the ends of a metric, which rounding can do
SAME = 1e-12  # values that differ by less have not moved
MOST_NAMED = 5  # texts in a sentence

TableRow = Mapping[str, Any]
Fields = Mapping[str, Mapping[str, str]]  # "settings", "reading", "averaging", "version"


@dataclass(frozen=True)
class Number:
    """One number of one side, how it was made, and the values of its texts where they are known."""

    place: tuple[str, str, str, str]  # system, reference, metric, average
    value: float
    made: Fields
    texts: Mapping[str, float]

    def __str__(self) -> str:
        system, _, metric, average = self.place
        return f"{metric} of {system}" + ("" if average == "macro" else f" ({average})")


@dataclass(frozen=True)
class Result:
    """One side: its numbers, what it says about the data, and its texts."""

    name: str
    numbers: Sequence[Number]
    facts: TableRow
    texts: Mapping[str, tuple[int, ...]]  # units and reference boundaries, where they are known

    def only(self, at: int) -> str | None:
        """The system (0) or reference (1), if there is only one."""
        found = {number.place[at] for number in self.numbers}
        return found.pop() if len(found) == 1 else None


@dataclass(frozen=True)
class Pair:
    """A number on both sides, and what differs in how it was made."""

    before: Number
    after: Number
    why: Sequence[str] = field(default_factory=list)

    @property
    def moved(self) -> bool:
        """Whether the number is another one."""
        return not _same(self.before.value, self.after.value)

    def row(self) -> dict[str, Any]:
        """The pair as a row of the table."""
        values = self.before.value, self.after.value, self.after.value - self.before.value
        why = ", ".join(self.why) if self.moved else ""
        return dict(zip(COLUMNS, (*self.before.place, *values, why), strict=True))

    def texts(self) -> Iterator[dict[str, Any]]:
        """The values of texts that moved."""
        for text, old in self.before.texts.items():
            new = self.after.texts.get(text)
            if new is not None and not _same(old, new):
                yield dict(
                    zip(TEXTS, (text, *self.before.place[:3], old, new, new - old), strict=True)
                )


def _same(one: float, other: float) -> bool:
    return (math.isnan(one) and math.isnan(other)) or abs(one - other) <= SAME


def diff(before: str, after: str) -> Table:
    """Compare two results, number by number.

    Both are files: of counts (``fencepost score --save``), or of ``fencepost score --json``. The
    notes say what differs; ``part("texts")`` has the values of texts that moved, most first.
    """
    one, other = read_result(before), read_result(after)
    pairs, alone = _paired(one, other)
    notes = [*_about_data(one, other), *_about_making(pairs), *alone, *_about_texts(pairs)]
    texts = sorted(
        (row for pair in pairs for row in pair.texts()),
        key=lambda row: -math.inf if math.isnan(row["difference"]) else -abs(row["difference"]),
    )
    part = Table(TEXTS, tuple(texts), name="texts")
    return Table(
        COLUMNS, tuple(pair.row() for pair in pairs), name="diff", notes=tuple(notes),
        facts={"files": [one.name, other.name], "moved": sum(pair.moved for pair in pairs)},
        parts={"texts": partial(_itself, part)},
    )  # fmt: skip


def _itself(table: Table) -> Table:
    return table


# Reading.


_EXPECTED = (
    "expected what fencepost score --save or --json wrote. Score with --save counts.csv, and give "
    "counts.csv"
)


def read_result(path: str) -> Result:
    """Read a file of counts, or what ``fencepost score --json`` wrote."""
    if path.endswith(".parquet") or Path(path).is_dir():  # which is said to be none
        return _from_counts(load(path), path)
    given = read_whole(path)
    is_json = given.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")
    return _from_json(given, path) if is_json else _from_counts(load(path), path)


def _from_counts(counts: CountRows, path: str) -> Result:
    table = summarize(counts, Choices(intervals=False))
    # The table is of this version; the signatures in the file are of those that counted.
    versions = {
        (Signature(text).metric, *fields_of(text)["settings"].items()): fields_of(text)["version"]
        for text in counts.about["signatures"]
    }
    numbers = _numbers(table.rows, table.part("per-text").rows, counts.systems, versions)
    texts = {
        text: (int(counts.units[i]), *(int(own[i]) for own in counts.cuts.values()))
        for i, text in enumerate(counts.texts)
    }
    return Result(path, numbers, table.facts, texts)


_ROW = {"system", "reference", "metric", "value", "average", "signature"}
_TEXT = {"text", "system", "reference", "metric", "value", "signature"}


def _from_json(given: bytes, path: str) -> Result:
    found = _load_json(given, path)
    tables = [("rows", found.get("rows"), _ROW), ("per-text", found.get("per-text") or [], _TEXT)]
    right = all(
        isinstance(rows, list) and all(isinstance(r, dict) and wanted <= r.keys() for r in rows)
        for _, rows, wanted in tables
    )
    facts = found.get("facts") or {}
    if found.get("table") != "scores" or not right or not _are_facts(facts):
        raise FencepostError(f"{path} holds JSON, but no table of scores; {_EXPECTED}")
    for name, table, wanted in tables:
        _check_rows(table, wanted, f'{path}, "{name}"')
    rows, per_text = (table for _, table, _ in tables)
    texts = dict.fromkeys((row["text"] for row in per_text), ())
    return Result(path, _numbers(rows, per_text, {}, {}), facts, texts)


def _load_json(given: bytes, path: str) -> Any:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) < len(pairs):
            raise ValueError("a name is given twice in one object")
        return made

    try:
        return json.loads(given, object_pairs_hook=unique)
    except (ValueError, RecursionError) as error:
        raise FencepostError(f"{path} is not one JSON object ({error}); {_EXPECTED}") from None


def _are_facts(facts: Any) -> bool:
    """Whether what is said about the data is what ``fencepost score --json`` says."""
    if not isinstance(facts, dict):
        return False
    prints = facts.get("fingerprints", {})
    told = [facts.get(name) for name in ("reference", "fingerprint", "unit")]
    told += prints.values() if isinstance(prints, dict) else [prints]
    return isinstance(prints, dict) and all(one is None or isinstance(one, str) for one in told)


def _check_rows(rows: Sequence[TableRow], wanted: set[str], where: str) -> None:
    """Raise FencepostError with the row for what no table of scores has."""
    seen: dict[tuple[Any, ...], int] = {}
    names = sorted(wanted - {"value"})
    for number, row in enumerate(rows, start=1):
        at = f"{where}, row {number}"
        for name in names:
            if not isinstance(row[name], str):
                raise FencepostError(f"{at}: {name} must be a text, found {row[name]!r:.60}")
        if row["metric"] != Signature(row["signature"]).metric:
            raise FencepostError(
                f"{at}: the metric is {row['metric']!r:.60} and its signature is "
                f"{row['signature']!r:.60}"
            )
        first = seen.setdefault(tuple(row[name] for name in names), number)
        if first != number:
            raise FencepostError(f"{at}: this is given in row {first} already; remove one of them")
        _check_value(row, at)


def _check_value(row: TableRow, at: str) -> None:
    """Raise FencepostError for a value that the metric cannot have."""
    value = row["value"]
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value:
        raise FencepostError(f"{at}: a value must be a number or null, found {value!r:.60}")
    low, high = _range_of(row["signature"])
    if not low - SLACK <= value <= high + SLACK:
        raise FencepostError(
            f"{at}: {row['metric']} must be from {low:g} to {high:g}, found {value!r:.60}"
        )


@lru_cache(maxsize=1000)
def _range_of(text: str) -> tuple[float, float]:
    """The values that a metric can have; any where it is not here."""
    signature = Signature(text)
    try:
        if needs_file(signature):
            return -math.inf, math.inf
        return signature.recipe.range
    except MetricError:
        return -math.inf, math.inf


def _numbers(
    rows: Sequence[TableRow],
    per_text: Sequence[TableRow],
    systems: Mapping[str, Sequence[str]],
    versions: Mapping[Any, Mapping[str, str]],
) -> list[Number]:
    """The numbers of systems; values of texts are means over the runs and the references."""
    by_text: dict[Any, dict[str, list[float]]] = {}
    for row in per_text:
        recipe = row["metric"], *fields_of(row["signature"])["settings"].items()
        for reference in (row["reference"], MEAN_OF_REFERENCES):
            own = by_text.setdefault((recipe, row["system"], reference), {})
            own.setdefault(row["text"], []).append(_number(row["value"]))
    numbers = []
    for row in rows:
        if row["system"] in BASELINES:
            continue
        made = fields_of(row["signature"])
        recipe = row["metric"], *made["settings"].items()
        values: dict[str, list[float]] = {}
        for run in systems.get(row["system"], (row["system"],)):
            for text, several in by_text.get((recipe, run, row["reference"]), {}).items():
                values.setdefault(text, []).extend(several)
        place = row["system"], row["reference"], row["metric"], row["average"]
        means = {text: math.fsum(own) / len(own) for text, own in values.items()}
        made = {**made, "version": versions.get(recipe, made["version"])}
        numbers.append(Number(place, _number(row["value"]), made, means))
    return numbers


def _number(value: Any) -> float:
    """A value that was checked; null is undefined."""
    return math.nan if value is None else float(value)


@lru_cache(maxsize=1000)
def fields_of(text: str) -> Fields:
    """A signature by what its fields are about; the metric need not be here."""
    signature = Signature(text)
    found = signature.fields
    origin, _, version = found.pop("from", "").partition("@")
    versions = {"fencepost": found.pop("fencepost", ""), origin: version}
    try:
        if needs_file(signature):
            raise MetricError("a file that a result names is not run")
        settings, context = signature.recipe.written(), signature.context
        reading = dict(context.reading)
        rest = {k: v for k, v in context.fields().items() if k.removeprefix(READ) not in reading}
    except MetricError:  # the names of fields tell
        reading = {k.removeprefix(READ): v for k, v in found.items() if _is_read(k)}
        rest = {k: v for k, v in found.items() if k in NAMES}
        settings = {k: v for k, v in found.items() if not _is_read(k) and k not in rest}
    return {
        "settings": {**settings, **({"from": origin} if origin else {})},
        "reading": {**reading, **{k: v for k, v in rest.items() if k == "missing"}},
        "averaging": {k: v for k, v in rest.items() if k in ("refs", "runs")},
        "version": {name: value for name, value in versions.items() if value},
    }


def _is_read(name: str) -> bool:
    return name in READING or name.startswith(READ)


# Which number is which.


def _paired(one: Result, other: Result) -> tuple[list[Pair], list[str]]:
    """Numbers of both sides that belong together, and sentences about those that stand alone.

    A system or a reference may have another name on the other side, if it is the only one.
    """
    theirs: dict[Any, list[Number]] = {}
    for number in other.numbers:
        theirs.setdefault(_place(number, other, one), []).append(number)
    ours: dict[Any, list[Number]] = {}
    for number in one.numbers:
        ours.setdefault(number.place, []).append(number)
    matched = [both for place, own in ours.items() for both in _matched(own, theirs.get(place, []))]
    met = {id(number) for both in matched for number in both}
    alone = [
        f"only in {side.name}: {listed(rest, MOST_NAMED)}"
        for side in (one, other)
        if (rest := [number for number in side.numbers if id(number) not in met])
    ]
    if not matched:
        raise FencepostError(
            f"{one.name} and {other.name} have no number in common: {'; '.join(alone)}"
        )
    return [Pair(a, b, list(_why(one, other, a, b))) for a, b in matched], alone


def _place(number: Number, side: Result, other: Result) -> tuple[str, ...]:
    """Where the number stands, in the words of the other side."""
    names = (
        other.only(at) or name if side.only(at) else name
        for at, name in enumerate(number.place[:2])
    )
    return (*names, *number.place[2:])


def _matched(ours: Sequence[Number], theirs: Sequence[Number]) -> Iterator[tuple[Number, Number]]:
    """Numbers of one metric: those with equal settings, then the others as they stand."""
    left, free = [], list(theirs)
    for number in ours:
        same = [b for b in free if b.made["settings"] == number.made["settings"]]
        if same:
            free.remove(same[0])
            yield number, same[0]
        else:
            left.append(number)
    yield from zip(left, free, strict=False)


# What differs.


def _why(one: Result, other: Result, before: Number, after: Number) -> Iterator[str]:
    ours, theirs = one.facts.get("fingerprints", {}), other.facts.get("fingerprints", {})
    names = before.place[0], after.place[0]
    known = names[0] in ours and names[1] in theirs  # not a system of several runs
    same = ours[names[0]] == theirs[names[1]] if known else not (ours and theirs) or ours == theirs
    if not same or one.facts.get("fingerprint") != other.facts.get("fingerprint"):
        yield "data"
    yield from (kind for kind in before.made if before.made[kind] != after.made[kind])


def _about_data(one: Result, other: Result) -> Iterator[str]:
    references = [
        (side.facts.get("reference"), side.facts.get("fingerprint")) for side in (one, other)
    ]
    if references[0][1] != references[1][1]:
        yield f"other data: the reference {_arrow(*(' '.join(map(str, r)) for r in references))}"
    ours, theirs = one.facts.get("fingerprints", {}), other.facts.get("fingerprints", {})
    if len(ours) == len(theirs) == 1 and not ours.keys() & theirs.keys():
        old, new = (" ".join(*own.items()) for own in (ours, theirs))
        if [*ours.values()] != [*theirs.values()]:
            yield f"other data: the system {_arrow(old, new)}"
    for name in ours:
        if ours[name] != theirs.get(name, ours[name]):
            yield f"other data: the boundaries of {name} {_arrow(ours[name], theirs[name])}"
    units = [str(side.facts.get("unit")) for side in (one, other)]
    if units[0] != units[1]:
        yield f"other data: units {_arrow(*units)}"
    for side, rest in ((one, other), (other, one)):
        lacking = [text for text in side.texts if text not in rest.texts]
        if lacking and rest.texts:
            said = listed(lacking, MOST_NAMED)
            yield f"other data: {plural(len(lacking), 'text')} only in {side.name} ({said})"
    known = [text for text, size in one.texts.items() if size and other.texts.get(text)]
    changed = [text for text in known if one.texts[text] != other.texts[text]]
    if changed:
        yield (
            f"other data: {plural(len(changed), 'text')} with other numbers of units or reference "
            f"boundaries ({listed(changed, MOST_NAMED)})"
        )


def _about_making(pairs: Sequence[Pair]) -> list[str]:
    """Sentences about what signatures differ in; settings are those of a metric."""
    found: dict[str, None] = {}
    for pair in pairs:
        for kind, ours in pair.before.made.items():
            theirs = pair.after.made[kind]
            of = f" of {pair.before.place[2]}" if kind == "settings" else ""
            for name in dict.fromkeys([*ours, *theirs]):
                old, new = ours.get(name, "none"), theirs.get(name, "none")
                if old != new:
                    found.setdefault(f"other {kind}: {name}{of} {_arrow(old, new)}")
    return list(found)


def _about_texts(pairs: Sequence[Pair]) -> Iterator[str]:
    """What the texts of both sides say by themselves, or that they are not known."""
    moved = [pair for pair in pairs if pair.moved]
    if moved and not any(pair.before.texts and pair.after.texts for pair in moved):
        yield (
            "which texts moved is not known: these files have no values of texts; write counts "
            "with --save, or add --per-text to --json"
        )
    for pair in moved:
        ours, theirs = pair.before.texts, pair.after.texts
        both = [t for t in ours if not math.isnan(ours[t] + theirs.get(t, math.nan))]
        if both and len(both) < max(len(ours), len(theirs)):
            means = [math.fsum(own[t] for t in both) / len(both) for own in (ours, theirs)]
            said = _arrow(f"{means[0]:.3f}", f"{means[1]:.3f}")
            yield f"{pair.before} over the {plural(len(both), 'text')} of both: {said}"


def _arrow(old: str, new: str) -> str:
    return f"{old} -> {new}"
