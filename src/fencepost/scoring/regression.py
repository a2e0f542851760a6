"""Whether systems became worse than in saved counts, text by text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from fencepost.metrics.signature import Context
from fencepost.model.checks import FencepostError, Ints
from fencepost.model.join import BASELINES
from fencepost.options import Average
from fencepost.scoring.counts import CountRows, Rows
from fencepost.scoring.summary import Choices, summarize
from fencepost.scoring.threshold import SIGNED
from fencepost.wording import listed, plural

ALPHA = 0.05  # a system is worse if its adjusted p is below this
BEFORE, NOW = "before", "now"


def regressions(now: CountRows, before: CountRows, name: str, average: Average) -> list[str]:
    """Return a sentence for each system and metric that is significantly worse than before.

    Systems are compared with those of the same name, or the only one with the only one, on the
    texts that both have, by paired randomization; p is adjusted by Holm over a system's metrics.
    ``name`` is the file of the saved counts.
    """
    sentences = []
    for system, old in _partners(now, before, name):
        counts = _together(now, system, before, old, name)
        choices = Choices(average, intervals=False, paired="randomization", baseline=BEFORE)
        table = summarize(counts, choices)
        values = {
            (row["system"], row["signature"].recipe, row["average"]): row["value"] for row in table
        }
        for row in table.part("comparisons"):
            recipe = row["signature"].recipe
            lower = recipe.metric.better == "lower"
            worse = row["difference"] > 0 if lower else row["difference"] < 0
            if worse and row["p_adjusted"] < ALPHA:
                new, was = (values[side, recipe, row["average"]] for side in (NOW, BEFORE))
                sentences.append(
                    f"{system} has {recipe.name} {new:.{recipe.digits}f}, worse than "
                    f"{was:.{recipe.digits}f} in {name} (p = {row['p_adjusted']:.2g} over "
                    f"{plural(row['n'], 'text')})"
                )
    return sentences


def _partners(now: CountRows, before: CountRows, name: str) -> Iterator[tuple[str, str]]:
    new, old = ([s for s in one.systems if s not in BASELINES] for one in (now, before))
    if len(new) == len(old) == 1:
        yield new[0], old[0]
        return
    if not set(new) & set(old):
        raise FencepostError(
            f"{name} has the systems {listed(old)}, and none of {listed(new)}; name systems as "
            "they were saved: -i NAME=FILE"
        )
    yield from ((system, system) for system in new if system in old)


def _together(now: CountRows, system: str, before: CountRows, old: str, name: str) -> CountRows:
    """The counts of both, of the texts, metrics and references that both have."""
    texts = _shared_texts(now, before, name)
    at = {one: i for i, one in enumerate(before.recipes)}
    recipes = [(i, at[one]) for i, one in enumerate(now.recipes) if one in at]
    if not recipes:
        raise FencepostError(
            f"{name} has none of these metrics with these settings; it has "
            f"{listed([str(one) for one in before.recipes], 9)}: score the same, or save anew"
        )
    _check_reading(now.context, before.context, name)
    if len(now.references) != len(before.references):
        raise FencepostError(f"{name} has another number of references; save the counts anew")
    rows: dict[tuple[int, str, str], Rows] = {}
    systems: dict[str, tuple[str, ...]] = {}
    for side, counts, own, which in ((BEFORE, before, old, 1), (NOW, now, system, 0)):
        systems[side] = tuple(f"{side} {run}" for run in counts.systems[own])
        for number, pair in enumerate(recipes):
            for run in counts.systems[own]:
                for mine, theirs in zip(now.references, counts.references, strict=True):
                    found = counts.rows[pair[which], run, theirs]
                    rows[number, f"{side} {run}", mine] = _taken(found, texts[which])
    chosen = texts[0]
    return replace(
        now,
        texts=[now.texts[i] for i in chosen],
        systems=systems,
        recipes=tuple(now.recipes[i] for i, _ in recipes),
        rows=rows,
        units=now.units[chosen],
        cuts={ref: own[chosen] for ref, own in now.cuts.items()},
        groups=None if now.groups is None else tuple(now.groups[i] for i in chosen),
    )


def _check_reading(now: Context, before: Context, name: str) -> None:
    """Refuse counts of another reading of the same texts.

    A rule that one side has not needed is no other reading; nor is a threshold, which is a choice
    of the system.
    """
    new, old = ({**dict(one.reading), "refs": one.refs} for one in (now, before))
    whole = [one.missing if one.missing == "whole" else "" for one in (now, before)]
    odd = {
        key: (new[key], value)
        for key, value in old.items()
        if key in new and key not in SIGNED and new[key] != value
    }
    if whole[0] != whole[1]:
        odd["missing"] = now.missing, before.missing
    if odd:
        here, there = (
            listed([f"{key}:{values[side] or 'none'}" for key, values in odd.items()], 9)
            for side in (0, 1)
        )
        raise FencepostError(
            f"{name} was saved with {there}, and these scores have {here}, so they cannot be "
            "compared; score with the same options, or save the counts anew"
        )


def _shared_texts(now: CountRows, before: CountRows, name: str) -> tuple[Ints, Ints]:
    """The numbers of the texts that both have, on either side."""
    number = {text: i for i, text in enumerate(before.texts)}
    pairs = [(i, number[text]) for i, text in enumerate(now.texts) if text in number]
    if not pairs:
        raise FencepostError(f"{name} has none of these texts ({listed(list(now.texts))})")
    new, old = np.array(pairs, dtype=np.int64).T
    changed = now.units[new] != before.units[old]
    for mine, theirs in zip(now.references, before.references, strict=False):
        changed |= now.cuts[mine][new] != before.cuts[theirs][old]
    if changed.any():
        text = now.texts[int(new[np.argmax(changed)])]
        raise FencepostError(
            f"{text}: the reference has changed since {name} was saved, so scores cannot be "
            "compared; save the counts anew"
        )
    return new, old


def _taken(rows: Rows, texts: Ints) -> Rows:
    """The rows of these texts, which are numbered anew."""
    number = np.full(int(max(rows.texts.max(initial=0), texts.max(initial=0))) + 1, -1)
    number[texts] = np.arange(len(texts))
    new = number[rows.texts]
    order = np.argsort(new, kind="stable")
    order = order[new[order] >= 0]
    return Rows(rows.counts[order], new[order])
