"""Notes for readers who want to quote a coefficient."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fencepost.coders.annotations import Annotations
from fencepost.coders.coefficients import Sums
from fencepost.metrics.registry import Recipe
from fencepost.statistics.intervals import MIN_TEXTS_FOR_INTERVAL
from fencepost.wording import listed, plural

HIGH_CHANCE = 0.9  # expected agreement from which a note is given
LONG_SEGMENT = 50  # mean segment size, in reaches of a near miss, that suggests small units
RARE_NEAR_MISSES = 0.05  # share of near misses among all differences


def cautions(
    annotations: Annotations,
    rows: Sequence[Mapping[str, Any]],
    recipe: Recipe,
    found: Sums,
    interval: str,
) -> tuple[str, ...]:
    """Return notes on the data and the coefficients, the most important first."""
    notes = [
        *_boundaries(annotations),
        *(_chance(rows, recipe) if annotations.column.values.size else []),
        *_small_units(annotations, recipe, found),
        *_few(annotations, interval),
        *_left_out(annotations),
    ]
    return tuple(notes)


def _boundaries(annotations: Annotations) -> list[str]:
    counts = np.bincount(annotations.coder, weights=annotations.column.counts)
    if not counts.any():
        return [
            "no annotator set a boundary, so agreement is undefined (pi* = 1 is an artefact of its "
            "formula)"
        ]
    if annotations.vocabulary is None and int(counts.sum()) == int((annotations.units - 1).sum()):
        return [
            "every annotator set a boundary at every position, so agreement beyond chance is "
            "undefined"
        ]
    empty = [annotations.coders[i] for i in np.flatnonzero(counts == 0)]
    if not empty:
        return []
    return [f"{listed(empty)} set no boundary in any text: unfinished, or a different task?"]


def _chance(rows: Sequence[Mapping[str, Any]], recipe: Recipe) -> list[str]:
    """Chance is near 1 where a metric divides by the text, not by its boundaries."""
    for row in rows if recipe.divisor else ():
        simulated = row["standard_error"] is not None
        if simulated and row["expected"] > HIGH_CHANCE:
            return [
                f"chance alone reaches {row['expected']:.3f} here ({row['metric']}), so small "
                "differences decide; B ignores positions where nobody set a boundary"
            ]
    return []


def _small_units(annotations: Annotations, recipe: Recipe, found: Sums) -> list[str]:
    """Near misses within reach are rare although segments are long: the units are too small."""
    reach = recipe.reach or 0
    cuts = int(annotations.column.counts.sum())
    if reach < 1 or cuts == 0 or "transpositions" not in recipe.counts:
        return []
    mean = int(annotations.units.sum()) / (cuts + len(annotations))
    counts = dict(zip(recipe.counts, found.by_pair[0].sum(axis=0).tolist(), strict=True))
    near = counts["transpositions"]
    apart = counts.get("missing", 0) + counts.get("extra", 0)
    if mean <= LONG_SEGMENT * reach or near > RARE_NEAR_MISSES * (near + apart):
        return []
    unit = annotations.corpus.unit
    units = plural(reach, unit)
    return [
        f"a segment has {mean:.0f} {unit}s on average and hardly any near miss is within {units}: "
        f"measure on larger units, or widen n_t ({recipe.metric.title}:n_t=...)"
    ]


def _few(annotations: Annotations, interval: str) -> list[str]:
    texts, coders = len(annotations.texts), len(annotations.coders)
    if interval == "coders":
        if coders > 2:
            return []
        return ["two annotators: too few for an interval over annotators, which takes 3"]
    if texts == 1 and coders < 3:
        return ["one text and two annotators: too few for an interval"]
    if texts == 1:
        return [
            "one text: no interval over texts; --interval coders shows the influence of single "
            "annotators"
        ]
    if texts >= MIN_TEXTS_FOR_INTERVAL:
        return []
    found = (
        f"{texts} texts: too few for an interval over texts, which takes {MIN_TEXTS_FOR_INTERVAL}"
    )
    return [found + ("; --interval coders has one" if coders > 2 else "")]


def _left_out(annotations: Annotations) -> list[str]:
    if len(annotations) == len(annotations.corpus):
        return []
    alone = len(annotations.corpus.text_names) - len(annotations.texts)
    if not alone:
        return []
    what, ignored = ("1 text has", "is") if alone == 1 else (f"{alone} texts have", "are")
    return [f"{what} one annotator only and {ignored} ignored"]
