"""The finer tables behind a coefficient: by text, coder, pair of coders, kind and place."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from fencepost import _core
from fencepost.coders.annotations import Annotations
from fencepost.coders.chance import last_places
from fencepost.coders.coefficients import Formula, Rates, Simulation, beyond_chance
from fencepost.metrics.registry import Recipe, Values, parse
from fencepost.model.checks import Ints, SegmentationError
from fencepost.model.pairs import Pairs
from fencepost.scoring.tables import Table, rows_to_table
from fencepost.statistics.intervals import jackknife_interval

if TYPE_CHECKING:
    from fencepost.coders.study import Row, Study

TEXTS_AT_ONCE = 64
OF_ALL_CODERS = ("pi", "modified bennett")  # their chance changes when a coder is left out
FEW_DRAWS = 100  # where it must be drawn again for each
CEILING = ("pk", "windowdiff", "F", "B")  # what fencepost score shows, so that they compare


def texts(study: Study, rows: Sequence[Row]) -> Table:
    """Every coefficient of every text by itself."""
    annotations = study.annotations
    count = len(annotations.texts)
    pairs = np.bincount(annotations.text[annotations.first], minlength=count)
    cuts = np.bincount(annotations.text, weights=study.seen.column.counts, minlength=count)
    made = []
    for row in rows:
        cells = [[], [], []]  # type: list[list[float]]
        for start in range(0, count, TEXTS_AT_ONCE):
            weights = np.eye(count)[start : start + TEXTS_AT_ONCE]
            for cell, ask in zip(
                cells, (row.estimate.value, row.estimate.observed, row.estimate.expected),
                strict=True,
            ):  # fmt: skip
                cell.extend(ask(weights).tolist())
        for i, (value, observed, expected) in enumerate(zip(*cells, strict=True)):
            made.append(
                {
                    "text": annotations.texts[i],
                    "pairs": int(pairs[i]),
                    "boundaries": int(cuts[i]),
                    "coefficient": row.coefficient,
                    "metric": row.recipe.name,
                    "chance": row.chance,
                    "value": value,
                    "observed": observed,
                    "expected": expected,
                }
            )
    return rows_to_table(made, name="texts")


def coders(study: Study) -> Table:
    """Every coder: how much was annotated and cut, and the similarity with all others."""
    annotations = study.annotations
    ones, others, _ = annotations.coder_pairs
    places = last_places(study.seen, study.recipe.metric.sees)
    rows = []
    for number, name in enumerate(annotations.coders):
        own = annotations.coder == number
        mine = (ones == number) | (others == number)
        counts = study.found.by_pair[0, mine].sum(axis=0)[None, :]
        cuts = int(study.seen.column.counts[own].sum())
        rows.append(
            {
                "coder": name,
                "texts": len(np.unique(annotations.text[own])),
                "boundaries": cuts,
                "rate": cuts / max(1, int(places[own].sum())),
                "metric": study.recipe.name,
                "value": float(study.recipe.value(counts)[0]),
            }
        )
    return rows_to_table(rows, name="coders")


def matrix(study: Study) -> Table:
    """Every two coders who share a text: the value of their counts together."""
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


# Some coders only.


def value_among(study: Study, row: Row, names: Collection[str]) -> float:
    """The coefficient that these coders alone would have; NaN where they share no text."""
    annotations = study.annotations
    numbers = [i for i, name in enumerate(annotations.coders) if name in names]
    ones, others, _ = annotations.coder_pairs
    pairs = np.flatnonzero(np.isin(ones, numbers) & np.isin(others, numbers))
    if not len(pairs):
        return float("nan")
    if isinstance(row.estimate, Simulation) and row.coefficient not in OF_ALL_CODERS:
        return row.estimate.among(pairs)
    try:
        fewer = study.on_annotations(annotations.among(names)).on(row.recipe)
    except SegmentationError:
        return float("nan")
    one = np.ones((1, len(fewer.annotations.texts)))
    if isinstance(row.estimate, Formula):  # observed is known already: no pair is counted again
        counts = row.estimate.found.by_pair[0, pairs].sum(axis=0)[None, :]
        observed = row.recipe.value(counts)
        return float(beyond_chance(observed, _formula_chance(fewer, row.estimate, one))[0])
    fewer = replace(fewer, asked_draws=min(fewer.draws, FEW_DRAWS))
    again = next(iter(fewer.rows(_chances(row), [row.coefficient])))
    return float(again.estimate.value(one)[0])


def _chances(row: Row) -> list[str]:
    return [] if row.chance in ("krippendorff", "none", "majority") else [row.chance]


def _formula_chance(fewer: Study, formula: Formula, one: Values) -> Values:
    places = last_places(fewer.seen, fewer.recipe.metric.sees)
    rates = Rates.of(fewer.seen, fewer.counting, places)
    return Formula(
        formula.recipe, formula.found, rates, formula.coefficient, formula.pooling,
        formula.both_categories,
    ).expected(one)  # fmt: skip


def values_without(study: Study, row: Row) -> Values:
    """The coefficient without each coder in turn."""
    names = study.annotations.coders
    if len(names) < 3:
        return np.full(len(names), np.nan)
    return np.array([value_among(study, row, [n for n in names if n != out]) for out in names])


def without(study: Study, rows: Sequence[Row]) -> Table:
    """Every coefficient without each coder; its facts hold the interval of a jackknife."""
    made: list[dict[str, Any]] = []
    intervals: dict[str, Any] = {}
    one = np.ones((1, len(study.annotations.texts)))
    for row in rows:
        value = float(row.estimate.value(one)[0])
        left = values_without(study, row)
        intervals[f"{row.coefficient} {row.recipe.name} {row.chance}"] = jackknife_interval(
            value, left
        )
        made += [
            {
                "coder": name,
                "coefficient": row.coefficient,
                "metric": row.recipe.name,
                "chance": row.chance,
                "value": float(rest),
                "change": float(rest) - value,
            }
            for name, rest in zip(study.annotations.coders, left, strict=True)
        ]
    columns = ("coder", "coefficient", "metric", "chance", "value", "change")
    return Table(columns, tuple(made), name="without", facts={"jackknife": intervals})


# Kinds.


def kinds(study: Study, rows: Sequence[Row]) -> Table:
    """Every coefficient on the boundaries of each kind alone."""
    made = []
    for name in study.annotations.vocabulary or ():
        alone = study.on_annotations(study.annotations.of_kind(name))
        for row in rows:
            again = next(iter(alone.on(row.recipe).rows(_chances(row), [row.coefficient])))
            made.append({"kind": name, **alone.cells(again)})
    return rows_to_table(made, name="kinds")


# The human ceiling.


def ceiling(study: Study) -> Table:
    """Every coder scored as a system, with each of the others as the reference.

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
    return [*rows, {"metric": recipe.name, "coder": "mean of coders", "value": average}]


def _means(groups: Ints, values: Values) -> tuple[Ints, Values]:
    """The mean of each group's defined values."""
    defined = ~np.isnan(values)
    names, which = np.unique(groups[defined], return_inverse=True)
    sums = np.bincount(which, weights=values[defined])
    return names, sums / np.bincount(which)


# Places.


def places(annotations: Annotations) -> Table:
    """Every place where coders decided differently, for adjudication."""
    seen = annotations.view("positions" if annotations.mixed else "kinds")
    members: dict[int, list[int]] = {}
    for row, item in enumerate(seen.item.tolist()):
        members.setdefault(item, []).append(row)
    made = [line for rows in members.values() for line in _places_of(seen, rows)]
    columns = ("text", "stream", "place", "left", "right", "cut", "coders", "cut_by", "not_cut_by",
               "kinds")  # fmt: skip
    return Table(columns, tuple(made), name="places")


def _places_of(seen: Annotations, rows: list[int]) -> list[dict[str, Any]]:
    decided: dict[int, dict[int, list[str]]] = {}
    for row in rows:
        own = slice(int(seen.column.offsets[row]), int(seen.column.offsets[row + 1]))
        cuts = seen.column.values[own].tolist()
        named = [""] * len(cuts)
        if seen.column.kinds is not None and seen.vocabulary is not None:
            named = [seen.vocabulary[k] for k in seen.column.kinds[own].tolist()]
        for place, kind in zip(cuts, named, strict=True):
            decided.setdefault(place, {}).setdefault(row, []).append(kind)
    key = seen.keys[rows[0]]
    tokens = seen.corpus.tokens.get((key.text, key.stream))
    lines = []
    for place, by in sorted(decided.items()):
        if len(by) == len(rows) and len({tuple(kinds) for kinds in by.values()}) == 1:
            continue
        cut = [seen.keys[row].coder for row in rows if row in by]
        lines.append(
            {
                "text": key.text,
                "stream": key.stream,
                "place": place,
                "left": tokens[place - 1] if tokens else None,
                "right": tokens[place] if tokens else None,
                "cut": len(by),
                "coders": len(rows),
                "cut_by": "; ".join(cut),
                "not_cut_by": "; ".join(seen.keys[row].coder for row in rows if row not in by),
                "kinds": _kinds_said(seen, by),
            }
        )
    return lines


def _kinds_said(seen: Annotations, by: dict[int, list[str]]) -> str | None:
    if seen.vocabulary is None:
        return None
    return "; ".join(f"{seen.keys[row].coder}: {' + '.join(kinds)}" for row, kinds in by.items())
