"""Whose judgement a metric shares: which of two hypotheses people found better."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import numpy as np

from fencepost.files import read_whole
from fencepost.model.checks import SegmentationError
from fencepost.model.segmentation import Segmentation
from fencepost.study.papers.base import printed_numbers
from fencepost.study.probing.base import (
    EQUAL,
    Measured,
    Preference,
    ProbeError,
    Subject,
    measures,
    shown,
)

COLUMNS = ("reference", "first", "second", "preferred")


def read_preferences(path: str | Path) -> tuple[Preference, ...]:
    """Preferences from a CSV file: reference, first, second (segment sizes), preferred."""
    try:
        text = read_whole(path, ProbeError).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ProbeError(f"{path} cannot be read: {error}") from None
    rows = csv.DictReader(text.splitlines())
    missing = [name for name in COLUMNS if name not in (rows.fieldnames or ())]
    if missing:
        raise ProbeError(
            f"{path} lacks the column {missing[0]!r}; its first line names the columns "
            f"{','.join(COLUMNS)}"
        )
    found = tuple(_preference(row, f"{path}, line {rows.line_num}") for row in rows)
    if not found:
        raise ProbeError(f"{path} holds no preference, only the names of columns")
    return found


def _preference(row: Mapping[str, str | None], name: str) -> Preference:
    preferred = (row["preferred"] or "").strip().lower()
    if preferred not in ("first", "second"):
        raise ProbeError(f'{name}: preferred is "first" or "second", found {row["preferred"]!r}')
    texts = [_sizes(row[column] or "", column, name) for column in COLUMNS[:3]]
    units = [text.units for text in texts]
    if len(set(units)) > 1:
        raise ProbeError(
            f"{name}: reference, first and second have {', '.join(map(str, units))} units; "
            "all three segment the same text"
        )
    reference, first, second = texts
    better: Literal["first", "second"] = "first" if preferred == "first" else "second"
    return Preference(name, reference, first, second, better)


def _sizes(text: str, name: str, where: str) -> Segmentation:
    parts = [part for part in re.split(r"[\s,;\[\]]+", text.strip()) if part]
    try:
        return Segmentation.from_masses([int(part) for part in parts])
    except (ValueError, SegmentationError):
        raise ProbeError(
            f"{where}: {name} must be segment sizes such as 5 5 1 3, found {text!r}"
        ) from None


# The appendix of diaz2022: three pairs of hypotheses, six people who all agreed.
DIAZ2022 = tuple(_preference(row, row["name"]) for row in printed_numbers("diaz2022")["people"])


@measures("prefers what people prefer")
def preferences(subject: Subject) -> Measured:
    """Both hypotheses of every preference."""
    everything = subject.study.preferences
    refs = [one.reference for one in everything]
    first = subject.losses(refs, [one.first for one in everything])
    second = subject.losses(refs, [one.second for one in everything])
    signs = np.array([1 if one.preferred == "first" else -1 for one in everything])
    gains = (second - first) * signs
    known = ~np.isnan(gains)
    if not known.any():
        return Measured(math.nan)
    right, wrong = int((gains > EQUAL).sum()), int((gains < -EQUAL).sum())
    ties = int(known.sum()) - right - wrong
    said = f"{right} right, {wrong} wrong, {ties} tied"
    bad = np.flatnonzero(known & (gains <= EQUAL))
    if not len(bad):
        return Measured(right / int(known.sum()), said)
    one = everything[int(bad[0])]
    better, worse = (one.first, one.second) if one.preferred == "first" else (one.second, one.first)
    example = shown(
        subject, (one.reference, better, "reference", "preferred"),
        (one.reference, worse, "reference", "other"),
    )  # fmt: skip
    return Measured(right / int(known.sum()), said, example)
