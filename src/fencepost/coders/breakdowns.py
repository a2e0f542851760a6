"""The finer tables behind a coefficient: by text, annotator, two annotators, type and position."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from fencepost import _core
from fencepost.coders.annotations import Annotations
from fencepost.coders.chance import last_places
from fencepost.coders.coefficients import (
    Coefficient,
    Formula,
    OnSomeTexts,
    Simulation,
    beyond_chance,
)
from fencepost.coders.unitizing import LEFT_OUT_GAMMA_DRAWS, Gamma
from fencepost.metrics.registry import Recipe, Values, parse
from fencepost.model.checks import Ints
from fencepost.model.pairs import Pairs
from fencepost.scoring.summary import TOTAL
from fencepost.scoring.tables import Table, rows_to_table
from fencepost.statistics.intervals import jackknife_interval

if TYPE_CHECKING:
    from fencepost.coders.study import AgreementRow, Study

TEXTS_AT_ONCE = 64
TEXT_COLUMNS = ("text", "pairs", "boundaries", "coefficient", "metric", "chance", "value",
                "observed", "expected")  # fmt: skip
OF_ALL_CODERS = ("pi", "modified bennett")  # their chance changes when a coder is left out
FEW_DRAWS = 100  # where it must be drawn again for each
CEILING = ("pk", "windowdiff", "F", "B")  # what fencepost score shows, so that they compare


def texts(study: Study, rows: Sequence[AgreementRow]) -> Table:
    """Return every coefficient of every text by itself."""
    annotations = study.annotations
    count = len(annotations.texts)
    pairs = np.bincount(annotations.text[annotations.first], minlength=count).tolist()
    cuts = np.bincount(annotations.text, weights=study.seen.column.counts, minlength=count)
    sizes = list(zip(annotations.texts, pairs, map(int, cuts.tolist()), strict=True))
    made = [
        dict(zip(TEXT_COLUMNS, (*size, row.coefficient, row.recipe.name, row.chance, *values),
                 strict=True))
        for row in rows
        for size, values in zip(sizes, _by_text(row, count), strict=True)
    ]  # fmt: skip
    return Table(TEXT_COLUMNS, tuple(made), name="texts")


def _by_text(row: AgreementRow, count: int) -> list[list[float]]:
    """Return value, observed and expected agreement of every text."""
    found = []
    for start in range(0, count, TEXTS_AT_ONCE):
        number = np.arange(start, min(start + TEXTS_AT_ONCE, count))
        weights = (number[:, None] == np.arange(count)).astype(np.float64)
        estimate = row.estimate
        asked = estimate.value(weights), estimate.observed(weights), estimate.expected(weights)
        found.append(np.column_stack(asked))
    return [values for part in found for values in part.tolist()]


def coders(study: Study) -> Table:
    """Return for every annotator texts, boundaries, the similarity with all others, and chance."""
    annotations, count = study.annotations, len(study.annotations.coders)
    ones, others, _ = annotations.coder_pairs
    positions = last_places(study.seen, study.recipe.metric.sees)
    boundaries = np.bincount(annotations.coder, weights=study.seen.column.counts, minlength=count)
    given = np.bincount(annotations.coder, weights=positions, minlength=count)
    done = np.unique(annotations.text * count + annotations.coder) % count
    by_pair = study.found.by_pair[0]
    own = [(ones == n) | (others == n) for n in range(count)]
    values = study.recipe.value(np.array([by_pair[pairs].sum(axis=0) for pairs in own])).tolist()
    drawn = study.drawn_by_sizes().by_pair
    chances = [
        float(study.recipe.value(np.ascontiguousarray(drawn[:, pairs].sum(axis=1))).mean())
        for pairs in own
    ]
    rows = [
        {
            "coder": name,
            "texts": texts,
            "boundaries": int(cuts),
            "rate": cuts / max(1, places),
            "metric": study.recipe.name,
            "value": value,
            "expected": chance,
        }
        for name, texts, cuts, places, value, chance in zip(
            annotations.coders, np.bincount(done, minlength=count).tolist(), boundaries.tolist(),
            given.tolist(), values, chances, strict=True,
        )
    ]  # fmt: skip
    return rows_to_table(rows, name="coders")


def matrix(study: Study) -> Table:
    """Return, for every two annotators who share a text, the value of their counts together."""
    annotations = study.annotations
    ones, others, which = annotations.coder_pairs
    values = study.recipe.value(study.found.by_pair[0]).tolist()
    codes = which * len(annotations.texts) + annotations.text[annotations.first]
    shared = np.bincount(np.unique(codes) // len(annotations.texts), minlength=len(ones))
    rows = [
        {
            "first": annotations.coders[a],
            "second": annotations.coders[b],
            "texts": texts,
            "metric": study.recipe.name,
            "value": value,
        }
        for a, b, texts, value in zip(
            ones.tolist(), others.tolist(), shared.tolist(), values, strict=True
        )
    ]
    return rows_to_table(rows, name="matrix")


# Some annotators only.


def values_among(study: Study, rows: Sequence[AgreementRow], names: Collection[str]) -> list[float]:
    """Return the coefficients of these annotators alone; NaN where they share no text."""
    annotations = study.annotations
    numbers = [i for i, name in enumerate(annotations.coders) if name in names]
    ones, others, _ = annotations.coder_pairs
    pairs = np.flatnonzero(np.isin(ones, numbers) & np.isin(others, numbers))
    if not len(pairs):
        return [math.nan] * len(rows)
    known: dict[AgreementRow, float] = {}
    for row in rows:
        if isinstance(row.estimate, Simulation) and row.coefficient not in OF_ALL_CODERS:
            known[row] = row.estimate.among(pairs)  # from the draws of all annotators
    if len(known) == len(rows):
        return [known[row] for row in rows]
    fewer = study.on_annotations(annotations.among(names))
    fewer = replace(fewer, asked_draws=min(fewer.draws, FEW_DRAWS))
    return [known[row] if row in known else _among(fewer, row, pairs) for row in rows]


def coefficients_without(study: Study, row: AgreementRow) -> list[Coefficient]:
    """Return a coefficient without each annotator in turn, as functions of the same texts."""
    names = study.annotations.coders
    found = [row.estimate.without(coder) for coder in range(len(names))]
    return [own or _made_without(study, row, out) for own, out in zip(found, names, strict=True)]


def _made_without(study: Study, row: AgreementRow, out: str) -> Coefficient:
    """Return a coefficient without an annotator, made from the rows of the others."""
    fewer = study.annotations.among([name for name in study.annotations.coders if name != out])
    of_all = {name: number for number, name in enumerate(study.annotations.texts)}
    texts = np.array([of_all[name] for name in fewer.texts], dtype=np.int64)
    left = study.on_annotations(fewer)
    if isinstance(row.estimate, Gamma):
        left = replace(left, asked_draws=min(len(row.estimate.drawn), LEFT_OUT_GAMMA_DRAWS))
    return OnSomeTexts(left.again(row).estimate, texts)


def _among(fewer: Study, row: AgreementRow, pairs: Ints) -> float:
    """Return one coefficient of fewer annotators; ``pairs`` are theirs in the whole study."""
    one = np.ones((1, len(fewer.annotations.texts)))
    if isinstance(row.estimate, Formula):  # observed is known already: no pair is counted again
        counts = row.estimate.found.by_pair[0, pairs].sum(axis=0)[None, :]
        formula = replace(row.estimate, rates=fewer.on(row.recipe).rates)
        return float(beyond_chance(row.recipe.value(counts), formula.expected(one))[0])
    return float(fewer.again(row).estimate.value(one)[0])


def values_without(study: Study, rows: Sequence[AgreementRow]) -> Values:
    """Return each coefficient (a row) without each annotator in turn (a column)."""
    names = study.annotations.coders
    if len(names) < 3:
        return np.full((len(rows), len(names)), np.nan)
    found = [values_among(study, rows, [n for n in names if n != out]) for out in names]
    return np.array(found).reshape(len(names), len(rows)).T


def without(study: Study, rows: Sequence[AgreementRow]) -> Table:
    """Return every coefficient without each annotator; its facts hold jackknife intervals."""
    made: list[dict[str, Any]] = []
    intervals: dict[str, Any] = {}
    one = np.ones((1, len(study.annotations.texts)))
    for row, left in zip(rows, study.values_without(rows), strict=True):
        value = float(row.estimate.value(one)[0])
        intervals[f"{row.coefficient} {row.recipe.name} {row.chance}"] = jackknife_interval(
            value, left
        )
        made += [
            {
                "coder": name,
                "coefficient": row.coefficient,
                "metric": row.recipe.name,
                "chance": row.chance,
                "value": rest,
                "change": rest - value,
            }
            for name, rest in zip(study.annotations.coders, left.tolist(), strict=True)
        ]
    columns = ("coder", "coefficient", "metric", "chance", "value", "change")
    return Table(columns, tuple(made), name="without", facts={"jackknife": intervals})


# Boundary types.


def types(study: Study, rows: Sequence[AgreementRow], intervals: bool = True) -> Table:
    """Return every coefficient on the boundaries of each type alone."""
    study = study if intervals else replace(study, resamples=0)
    made = []
    for name in study.annotations.vocabulary or ():
        alone = study.on_annotations(study.annotations.of_kind(name))
        cells = alone.cells([alone.again(row) for row in rows])
        made += [{"kind": name, **own} for own, _ in cells]
    return rows_to_table(made, name="types")


def levels(study: Study, rows: Sequence[AgreementRow]) -> Table:
    """Return every coefficient on each level as a flat segmentation, and those of the whole.

    Without levels there is no row.
    """
    corpus, types = study.annotations.corpus, study.types
    if not corpus.has_levels(types):
        return rows_to_table([], name="levels")
    flat = [row for row in rows if row.recipe.metric.sees != "levels"]
    made = []
    for name in corpus.levels(types):
        alone = study.on_annotations(Annotations.of(corpus.at(name, types)))
        cells = alone.cells([alone.again(row) for row in flat])
        made += [{"level": name, **own} for own, _ in cells]
    made += [{"level": TOTAL, **own} for own, _ in study.cells(rows)]
    return rows_to_table(made, name="levels")


def speakers(study: Study, rows: Sequence[AgreementRow]) -> Table:
    """Return every coefficient on the tracks of each speaker alone, without intervals."""
    study, made = replace(study, resamples=0), []
    for name in study.annotations.streams() if len(study.annotations.streams()) > 1 else ():
        alone = study.on_annotations(study.annotations.of_stream(name))
        cells = alone.cells([alone.again(row) for row in rows])
        made += [{"stream": name, **own} for own, _ in cells]
    return rows_to_table(made, name="speakers")


# The human ceiling.


def ceiling(study: Study) -> Table:
    """Return every annotator scored as a system, with each of the others as the reference.

    Values are means over the others, then over texts: what ``fencepost score`` would print for
    this coder beside the segmenters.
    """
    recipes = [parse(name) for name in CEILING]
    if study.recipe.metric not in [recipe.metric for recipe in recipes]:
        recipes.append(study.recipe)
    rows = [row for recipe in recipes for row in _ceiling(study.annotations, recipe)]
    return rows_to_table(rows, name="ceiling")


def _ceiling(annotations: Annotations, recipe: Recipe) -> list[dict[str, Any]]:
    seen = annotations.view(recipe.metric.sees)
    one, other = seen.first, seen.second
    ref, hyp = np.concatenate((other, one)), np.concatenate((one, other))
    columns = seen.column.take(ref), seen.column.take(hyp)
    pairs = Pairs._trusted(*columns, seen.units[ref], seen.vocabulary)
    size = len(seen.coders)
    code = (seen.text[ref] * size + seen.coder[hyp]) * size + seen.coder[ref]
    codes, which = np.unique(code, return_inverse=True)  # streams of a text add up
    counts = np.ascontiguousarray(recipe.count(pairs))
    values = recipe.value(_core.add_rows(counts, which.astype(np.int64), len(codes)))
    by_text, mean = _means(codes // size, values)  # over the others
    own, means = _means(by_text % size, mean)  # over texts
    made = dict(zip(own.tolist(), means.tolist(), strict=True))
    rows = [
        {"metric": recipe.name, "coder": name, "value": made.get(i, float("nan"))}
        for i, name in enumerate(seen.coders)
    ]
    known = [row["value"] for row in rows if row["value"] == row["value"]]
    average = sum(known) / len(known) if known else float("nan")
    return [*rows, {"metric": recipe.name, "coder": "mean of annotators", "value": average}]


def _means(groups: Ints, values: Values) -> tuple[Ints, Values]:
    """Return the mean of each group's defined values."""
    defined = np.flatnonzero(~np.isnan(values))
    defined = defined[np.argsort(values[defined])]  # the order of texts must not change a sum
    names, which = np.unique(groups[defined], return_inverse=True)
    sums = np.bincount(which, weights=values[defined])
    return names, sums / np.bincount(which)


# Differences.

DIFFERENCES = ("text", "stream", "position", "left", "right", "boundaries", "coders", "set_by",
               "not_set_by", "kinds", "disagreement", "decision")  # fmt: skip


def differences(annotations: Annotations) -> Table:
    """Return every position where annotators decided differently, for adjudication.

    The most divided positions come first: ``disagreement`` is the share of pairs of annotators who
    decided differently there. ``decision`` is empty, for whoever decides.
    """
    seen = annotations.view("positions" if annotations.mixed else "kinds")
    made = [line for rows in seen.items() for line in _differences(seen, rows)]
    made.sort(key=lambda line: -line["disagreement"])
    return Table(DIFFERENCES, tuple(made), name="differences")


def _differences(seen: Annotations, rows: range) -> list[dict[str, Any]]:
    """Return the differences of one text and stream, whose annotations are these rows."""
    key, typed = seen.key(rows[0]), seen.vocabulary is not None
    words = seen.corpus.tokens.get((key.text, key.stream))
    name = {row: seen.coders[seen.coder[row]] for row in rows}
    lines = []
    for position, by in sorted(_decisions(seen, rows).items()):
        if len(by) == len(rows) and len({tuple(kinds) for kinds in by.values()}) == 1:
            continue
        types = (f"{name[row]}: {' + '.join(own)}" for row, own in by.items())
        alike = Counter(tuple(by.get(row, ())) for row in rows)
        same = sum(n * (n - 1) for n in alike.values()) / (len(rows) * (len(rows) - 1))
        cells = (
            key.text, key.stream, position,
            words[position - 1] if words else None, words[position] if words else None,
            len(by), len(rows), "; ".join(name[row] for row in rows if row in by),
            "; ".join(name[row] for row in rows if row not in by),
            "; ".join(types) if typed else None, 1 - same, None,
        )  # fmt: skip
        lines.append(dict(zip(DIFFERENCES, cells, strict=True)))
    return lines


def _decisions(seen: Annotations, rows: range) -> dict[int, dict[int, list[str]]]:
    """Return for every position the rows with a boundary there, and its types ("" without)."""
    column, names = seen.column, seen.vocabulary or ("",)
    found: dict[int, dict[int, list[str]]] = {}
    for row in rows:
        own = slice(int(column.offsets[row]), int(column.offsets[row + 1]))
        positions = column.values[own].tolist()
        kinds = [0] * len(positions) if column.kinds is None else column.kinds[own].tolist()
        for position, kind in zip(positions, kinds, strict=True):
            found.setdefault(position, {}).setdefault(row, []).append(names[kind])
    return found
