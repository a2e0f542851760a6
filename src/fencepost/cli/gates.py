"""Gates, for continuous integration: exit code 3 if a system is worse than a limit."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from fencepost.cli.options import UsageError
from fencepost.cli.outputs import say, say_notes
from fencepost.metrics.registry import Recipe, meant, parse
from fencepost.model.join import BASELINES
from fencepost.options import Average
from fencepost.report.grid import shown
from fencepost.scoring.counts import CountRows, from_rows, load
from fencepost.scoring.regression import regressions
from fencepost.scoring.summary import MEAN_OF_REFERENCES
from fencepost.scoring.tables import Table
from fencepost.wording import listed, plural

Gate = tuple[Recipe, float]


def split_gates(given: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the gates that are limits, and those that are files of saved counts."""
    saved = [text for text in given if text.endswith((".csv", ".parquet"))]
    return [text for text in given if text not in saved], saved


def read_gates(given: Sequence[str], recipes: list[Recipe]) -> list[Gate]:
    """Return the recipe and the limit of each METRIC=VALUE."""
    return [_gate(text, recipes) for text in given]


def read_saved(files: Sequence[str]) -> dict[str, CountRows]:
    """Return the saved counts of each file; read before a run, which may take hours."""
    return {file: load(file) for file in files}


def is_worse_than_saved(table: Table, saved: Mapping[str, CountRows], average: Average) -> bool:
    """Return whether some system is significantly worse than in saved counts, and say which."""
    if saved and "counts" not in table.parts:
        raise UsageError(f"--gate {min(saved)} compares text by text, up to 10,000 texts")
    worse: list[str] = []
    for file, before in saved.items():
        now = from_rows(table.part("counts").rows, "these scores")
        worse += regressions(now, before, file, average)
        _note_missing(now, before, file)
    for sentence in worse:
        say(f"fencepost: gate: {sentence}")
    return bool(worse)


def _note_missing(now: CountRows, before: CountRows, file: str) -> None:
    """Say which saved texts have no part in a comparison, as they were not scored now."""
    scored = set(now.texts)
    missing = [text for text in before.texts if text not in scored]
    if missing:
        which = listed(missing if len(missing) <= 5 else [*missing[:5], "..."], 6)
        say_notes(
            [
                f"--gate {file}: {len(missing)} of {plural(len(before.texts), 'saved text')} "
                f"{'is' if len(missing) == 1 else 'are'} not scored here ({which}), and "
                f"{len(before.texts) - len(missing)} are compared"
            ]
        )


def _gate(text: str, recipes: list[Recipe]) -> Gate:
    name, equals, value = text.rpartition("=")
    try:
        limit = float(value)
    except ValueError:
        limit = math.nan
    if not equals or math.isnan(limit):
        raise UsageError(
            f"--gate is METRIC=VALUE, found {text!r}: --gate windowdiff=0.3 (score also takes "
            "files of saved counts, .csv or .parquet)"
        )
    found = meant(name, recipes)
    if len(found) > 1:
        said = " or ".join(f"--gate {one}={value}" for one in found)
        raise UsageError(f"--gate {name} could be several of the metrics scored: write {said}")
    if not found:
        for scored in recipes[:1]:
            parse(name).check_input(scored.metric.input)
        raise UsageError(f"--gate names {name}, which is not scored: add it to -m")
    return found[0], limit


def is_missed(table: Table, gates: Sequence[Gate]) -> bool:
    """Return whether some system is worse than a limit, and say which on standard error."""
    missed = False
    several = len({row["reference"] for row in table.rows}) > 1
    rows = [
        row
        for row in table.rows
        if row["system"] not in BASELINES
        and (not several or row["reference"] == MEAN_OF_REFERENCES)
    ]
    for recipe, limit in gates:
        lower = recipe.metric.better == "lower"
        for row in rows:
            if row["signature"].recipe != recipe:
                continue
            good = row["value"] <= limit if lower else row["value"] >= limit
            if not good:
                missed = True
                undefined = math.isnan(row["value"])
                side = "undefined, not" if undefined else "above" if lower else "below"
                say(
                    f"fencepost: gate: {row['system']} has {recipe.name} "
                    f"{shown(row['value'], recipe.digits)}, {side} {limit:g}"
                )
    return missed
