"""Why a number moved between two results: other data, reading, settings, version, or texts."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import Any

from fencepost.metrics.signature import NAMES, READ, READING, Signature
from fencepost.model.checks import FencepostError, MetricError
from fencepost.model.join import BASELINES
from fencepost.scoring.counts import CountRows, load
from fencepost.scoring.summary import MEAN_OF_REFERENCES, Choices, summarize
from fencepost.scoring.tables import Table
from fencepost.wording import listed, plural

COLUMNS = ("system", "reference", "metric", "average", "before", "after", "difference", "why")
TEXTS = ("text", "system", "reference", "metric", "before", "after", "difference")
SAME = 1e-12  # values that differ by less have not moved
MOST_NAMED = 5  # texts in a sentence

Place = tuple[str, str, str, str]  # system, reference, metric, average
Fields = Mapping[str, Mapping[str, str]]  # "settings", "reading", "averaging", "version"


@dataclass(frozen=True)
class Result:
    """One side: what was scored, and the values of texts where the file has them."""

    name: str
    rows: Sequence[Mapping[str, Any]]
    per_text: Sequence[Mapping[str, Any]]
    facts: Mapping[str, Any]
    texts: Mapping[str, tuple[int, ...]] = field(default_factory=dict)  # units, and cuts by coder
    runs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # of systems

    @classmethod
    def of(cls, path: str) -> Result:
        """Read a file of counts, or what ``fencepost score --json`` wrote."""
        if path.endswith(".parquet"):
            return cls._of_counts(load(path), path)
        try:
            start = Path(path).read_bytes()[:64].lstrip(b"\xef\xbb\xbf \t\r\n")
        except OSError as error:
            raise FencepostError(f"{path} cannot be read: {error.strerror or error}") from None
        return cls._of_json(path) if start.startswith(b"{") else cls._of_counts(load(path), path)

    @classmethod
    def _of_counts(cls, counts: CountRows, path: str) -> Result:
        table = summarize(counts, Choices(intervals=False))
        texts = {
            text: (int(counts.units[i]), *(int(own[i]) for own in counts.cuts.values()))
            for i, text in enumerate(counts.texts)
        }
        return cls(
            path, table.rows, table.part("per-text").rows, table.facts, texts, counts.systems
        )

    @classmethod
    def _of_json(cls, path: str) -> Result:
        try:
            found = json.loads(Path(path).read_bytes())
        except ValueError as error:
            raise FencepostError(f"{path} is not valid JSON: {error}") from None
        wanted = {"system", "reference", "metric", "value", "average", "signature"}
        rows = found.get("rows") or []
        if found.get("table") != "scores" or not all(wanted <= row.keys() for row in rows):
            raise FencepostError(
                f"{path} is neither a file of counts nor a table of scores; write one with "
                "fencepost score --save FILE.csv, or fencepost score --json -o FILE.json"
            )
        return cls(path, rows, found.get("per-text") or [], found.get("facts") or {})

    def places(self) -> dict[Place, list[Mapping[str, Any]]]:
        """The rows of systems by where they stand; several where a metric has several settings."""
        found: dict[Place, list[Mapping[str, Any]]] = {}
        for row in self.rows:
            if row["system"] not in BASELINES:
                place = row["system"], row["reference"], row["metric"], row["average"]
                found.setdefault(place, []).append(row)
        return found

    def names(self, column: str) -> list[str]:
        """The systems or references, without simple baselines."""
        kept = [row[column] for row in self.rows if row["system"] not in BASELINES]
        return list(dict.fromkeys(kept))

    def values(self, row: Mapping[str, Any]) -> dict[str, float]:
        """The values of texts behind a row: means over the system's runs and the references."""
        runs = self.runs.get(row["system"], (row["system"],))
        found: dict[str, list[float]] = {}
        for (run, reference), own in self._by_metric.get(_metric_of(row), {}).items():
            if run in runs and row["reference"] in (reference, MEAN_OF_REFERENCES):
                for text, value in own.items():
                    found.setdefault(text, []).append(value)
        return {text: math.fsum(own) / len(own) for text, own in found.items()}

    @cached_property
    def _by_metric(self) -> dict[Any, dict[tuple[str, str], dict[str, float]]]:
        found: dict[Any, dict[tuple[str, str], dict[str, float]]] = {}
        for row in self.per_text:
            own = found.setdefault(_metric_of(row), {})
            values = own.setdefault((row["system"], row["reference"]), {})
            values[row["text"]] = _number(row["value"])
        return found


def _metric_of(row: Mapping[str, Any]) -> tuple[str, frozenset[tuple[str, str]]]:
    return row["metric"], frozenset(fields_of(row["signature"])["settings"].items())


@lru_cache(maxsize=1000)
def fields_of(text: str) -> Fields:
    """A signature by what its fields are about."""
    signature = Signature(text)
    found = signature.fields
    version = {k: found.pop(k) for k in [*found] if k in ("from", "fencepost")}
    try:
        settings, context = signature.recipe.written(), signature.context
        reading = dict(context.reading)
        rest = {k: v for k, v in context.fields().items() if k.removeprefix(READ) not in reading}
    except MetricError:  # a metric that is not here: the names of fields tell
        reading = {k.removeprefix(READ): v for k, v in found.items() if _is_read(k)}
        rest = {k: v for k, v in found.items() if k in NAMES}
        settings = {k: v for k, v in found.items() if not _is_read(k) and k not in rest}
    reading |= {"missing": rest.pop("missing")} if "missing" in rest else {}
    averaging = {k: v for k, v in rest.items() if k in ("refs", "runs")}
    return {"settings": settings, "reading": reading, "averaging": averaging, "version": version}


def _is_read(name: str) -> bool:
    return name in READING or name.startswith(READ)


@dataclass(frozen=True)
class Moved:
    """One number on both sides, and what differs in how it was made."""

    place: Place
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    why: tuple[str, ...]

    @property
    def difference(self) -> float:
        """After less before; NaN where one of them is undefined."""
        return _number(self.after["value"]) - _number(self.before["value"])

    @property
    def moved(self) -> bool:
        """Whether the number is another one."""
        one, other = _number(self.before["value"]), _number(self.after["value"])
        return math.isnan(one) != math.isnan(other) or abs(one - other) > SAME


def diff(before: str, after: str) -> Table:
    """Compare two results, number by number.

    Both are files: of counts (``fencepost score --save``), or of ``fencepost score --json``. The
    notes say what differs; ``part("texts")`` has the values of texts that moved, most first.
    """
    one, other = Result.of(before), Result.of(after)
    pairs, alone = _paired(one, other)
    data = list(_about_data(one, other))
    reasons = [*data, *_about_fields(pairs)]
    moved = [
        Moved(place, a, b, tuple(_why(a, b, _same_data(one, other, place, b["system"]))))
        for place, a, b in pairs
    ]
    rows = [
        dict(zip(COLUMNS, (*m.place, m.before["value"], m.after["value"], m.difference,
                           ", ".join(m.why) if m.moved else ""), strict=True))
        for m in moved
    ]  # fmt: skip
    texts = _texts(one, other, moved)
    facts = {
        "files": [one.name, other.name],
        "moved": sum(m.moved for m in moved),
    }
    notes = (*reasons, *alone, *_about_texts(one, other, moved))
    parts = {"texts": partial(_itself, texts)}
    return Table(COLUMNS, tuple(rows), name="diff", notes=notes, facts=facts, parts=parts)


def _itself(table: Table) -> Table:
    return table


# Which number is which.


def _paired(
    one: Result, other: Result
) -> tuple[list[tuple[Place, Mapping[str, Any], Mapping[str, Any]]], list[str]]:
    """Rows of both sides that belong together, and sentences about those that stand alone."""
    renamed = {
        column: dict(zip(other.names(column), one.names(column), strict=True))
        for column in ("system", "reference")
        if len(one.names(column)) == len(other.names(column)) == 1
    }
    theirs: dict[Place, list[Mapping[str, Any]]] = {}
    for (system, reference, *rest), rows in other.places().items():
        system = renamed.get("system", {}).get(system, system)
        reference = renamed.get("reference", {}).get(reference, reference)
        theirs[system, reference, rest[0], rest[1]] = rows
    ours = one.places()
    pairs = [
        (place, a, b)
        for place, rows in ours.items()
        for a, b in _matched(rows, theirs.get(place, []))
    ]
    alone = [
        f"only in {side.name}: {listed([_said(place) for place in own], MOST_NAMED)}"
        for side, own in (
            (one, [place for place in ours if place not in theirs]),
            (other, [place for place in theirs if place not in ours]),
        )
        if own
    ]
    if not pairs:
        raise FencepostError(
            f"{one.name} and {other.name} have no number in common: {'; '.join(alone)}"
        )
    return pairs, alone


def _matched(
    ours: Sequence[Mapping[str, Any]], theirs: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """Rows of one metric: those with equal settings, then the others as they stand."""
    left, free = [], list(theirs)
    for row in ours:
        settings = fields_of(row["signature"])["settings"]
        same = [b for b in free if fields_of(b["signature"])["settings"] == settings]
        if same:
            free.remove(same[0])
            yield row, same[0]
        else:
            left.append(row)
    yield from zip(left, free, strict=False)


def _said(place: Place) -> str:
    system, _, metric, average = place
    return f"{metric} of {system}" + ("" if average == "macro" else f" ({average})")


# What differs.


def _why(before: Mapping[str, Any], after: Mapping[str, Any], same_data: bool) -> Iterator[str]:
    one, other = fields_of(before["signature"]), fields_of(after["signature"])
    if not same_data:
        yield "data"
    yield from (kind for kind in one if one[kind] != other[kind])


def _same_data(one: Result, other: Result, place: Place, system: str) -> bool:
    """Whether reference and system are the same on both sides, as far as the files know."""
    ours, theirs = one.facts.get("fingerprints", {}), other.facts.get("fingerprints", {})
    same = one.facts.get("fingerprint") == other.facts.get("fingerprint")
    if place[0] in ours and system in theirs:
        return same and bool(ours[place[0]] == theirs[system])
    return same and (ours == theirs or not (ours and theirs))


def _about_data(one: Result, other: Result) -> Iterator[str]:
    ours = {one.facts.get("reference", "reference"): one.facts.get("fingerprint")}
    theirs = {other.facts.get("reference", "reference"): other.facts.get("fingerprint")}
    if list(ours.values()) != list(theirs.values()):
        yield f"other data: the reference {_arrow(*_words(ours), *_words(theirs))}"
    ours, theirs = one.facts.get("fingerprints", {}), other.facts.get("fingerprints", {})
    renamed = len(ours) == len(theirs) == 1 and set(ours) != set(theirs)
    if renamed and list(ours.values()) != list(theirs.values()):
        yield f"other data: the system {_arrow(*_words(ours), *_words(theirs))}"
    for name in ours:
        if name in theirs and ours[name] != theirs[name]:
            yield f"other data: the boundaries of {name} {_arrow(ours[name], theirs[name])}"
    unit = one.facts.get("unit"), other.facts.get("unit")
    if unit[0] != unit[1]:
        yield f"other data: units {_arrow(str(unit[0]), str(unit[1]))}"
    for side, rest in ((one, other), (other, one)):
        lacking = [text for text in _names(side) if text not in _names(rest)]
        if _names(rest) and lacking:
            said = listed(lacking, MOST_NAMED)
            yield f"other data: {plural(len(lacking), 'text')} only in {side.name} ({said})"
    changed = [
        text for text in one.texts if text in other.texts and one.texts[text] != other.texts[text]
    ]
    if changed:
        yield (
            f"other data: {plural(len(changed), 'text')} with other numbers of units or reference "
            f"boundaries ({listed(changed, MOST_NAMED)})"
        )


def _words(named: Mapping[str, str | None]) -> list[str]:
    return [f"{name} {fingerprint}" for name, fingerprint in named.items()]


def _names(result: Result) -> dict[str, None]:
    return dict.fromkeys(result.texts or [row["text"] for row in result.per_text])


def _about_fields(
    pairs: Sequence[tuple[Place, Mapping[str, Any], Mapping[str, Any]]],
) -> list[str]:
    """Sentences about what signatures differ in; settings are those of a metric."""
    found: dict[str, None] = {}
    for place, a, b in pairs:
        one, other = fields_of(a["signature"]), fields_of(b["signature"])
        for kind in one:
            names = dict.fromkeys([*one[kind], *other[kind]])
            for name in names:
                old, new = one[kind].get(name, "none"), other[kind].get(name, "none")
                if old != new:
                    of = f" of {place[2]}" if kind == "settings" else ""
                    found.setdefault(f"other {kind}: {name}{of} {_arrow(old, new)}")
    return list(found)


def _arrow(old: str, new: str) -> str:
    return f"{old} -> {new}"


# Texts.


def _texts(one: Result, other: Result, moved: Sequence[Moved]) -> Table:
    rows: list[dict[str, Any]] = []
    for number in moved:
        ours, theirs = one.values(number.before), other.values(number.after)
        for text, old in ours.items():
            new = theirs.get(text, math.nan)
            if text in theirs and not abs(new - old) <= SAME and not (old != old and new != new):
                rows.append(dict(zip(TEXTS, (text, *number.place[:3], old, new, new - old),
                                     strict=True)))  # fmt: skip
    rows.sort(key=lambda row: -abs(row["difference"]) if row["difference"] == row["difference"]
              else -math.inf)  # fmt: skip
    return Table(TEXTS, tuple(rows), name="texts")


def _about_texts(one: Result, other: Result, moved: Sequence[Moved]) -> Iterator[str]:
    """What the texts on both sides say; nothing where there are no values of texts."""
    if not (one.per_text and other.per_text):
        if any(number.moved for number in moved):
            yield (
                "which texts moved is not known: these files have no values of texts; write "
                "counts with --save, or add --per-text to --json"
            )
        return
    for number in moved:
        ours, theirs = one.values(number.before), other.values(number.after)
        both = [t for t in ours if t in theirs and ours[t] == ours[t] and theirs[t] == theirs[t]]
        if both and number.moved and len(both) < max(len(ours), len(theirs)):
            means = [math.fsum(own[t] for t in both) / len(both) for own in (ours, theirs)]
            yield (
                f"{_said(number.place)} over the {plural(len(both), 'text')} of both: "
                f"{_arrow(f'{means[0]:.3f}', f'{means[1]:.3f}')}"
            )


def _number(value: Any) -> float:
    return math.nan if value is None else float(value)
