"""From probabilities to boundaries: a threshold, or so many of the most probable positions."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from fencepost.files import read_whole, writing
from fencepost.metrics.signature import Signature
from fencepost.model.checks import FencepostError
from fencepost.model.corpus import Corpus
from fencepost.model.pairs import Column
from fencepost.model.steps import Floats, Steps
from fencepost.wording import number_of_digits

Per = Literal["", "100", "text"]
SIGNED = ("threshold", "tuned")  # the fields of signatures that it fills


@dataclass(frozen=True)
class Threshold:
    """Which positions become boundaries: by their probability, or the ``number`` most probable.

    ``per`` is "" for a probability, "100" for a number per 100 units, "text" for a number per
    text. ``tuned`` says by which metric and on which data it was found.

    >>> Threshold.parse("0.37"), str(Threshold.parse("3.5/100"))
    (Threshold(number=0.37, per='', tuned=''), '3.5/100')
    """

    number: float
    per: Per = ""
    tuned: str = ""
    about: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def parse(cls, given: Any) -> Threshold:
        """Return the threshold of a number, of 3.5/100 or 4/text, or of a file of ``tune``."""
        if isinstance(given, Threshold):
            return given
        found = re.fullmatch(r"(\d+(?:\.\d+)?)/(100|text)", str(given))
        if found:
            return cls(float(found[1]), found[2])  # type: ignore[arg-type]
        if isinstance(given, (int, float)):
            return cls(float(given))
        try:
            return cls(float(given))
        except (TypeError, ValueError):
            return cls.load(given)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Threshold:
        """Read the file that ``fencepost tune -o`` wrote."""
        data = read_whole(path)
        try:
            found = json.loads(data)
            made = cls.parse(str(found["threshold"]))
            tuned = found["tuned"]
            signed = re.fullmatch(r"[^|\s@]+@[^|\s@]+|", tuned) and found.get("schema") == 1
            if not (signed and made._is_possible()):
                raise ValueError
        except (ValueError, TypeError, KeyError, FencepostError, RecursionError):
            raise FencepostError(
                f"{path} is no threshold: give a number above 0 and at most 1, or the file that "
                "fencepost tune wrote (fencepost tune DEV -i HYP -m B -o FILE)"
            ) from None
        wrong = _contradiction(found, str(made))
        if wrong:
            raise FencepostError(
                f"{path} contradicts itself: {wrong}. It was changed after fencepost tune wrote "
                "it; write it again"
            )
        return replace(made, tuned=tuned, about=found)

    def _is_possible(self) -> bool:
        return (
            math.isfinite(self.number) and self.number > 0 and (self.per != "" or self.number <= 1)
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the file that ``--threshold FILE`` reads."""
        made = {"schema": 1, "threshold": str(self), "tuned": self.tuned, **self.about}
        with writing(path, text=True) as stream:
            stream.write(json.dumps(made, ensure_ascii=False, allow_nan=False, indent=1) + "\n")

    def __str__(self) -> str:
        """The threshold as options and signatures write it."""
        return number_of_digits(self.number) + (f"/{self.per}" if self.per else "")

    def steps(self, column: Column, units: Any) -> Steps:
        """Return in which order the boundaries of a column are added, on the scale of this."""
        weights = column.row_weights
        return steps_per(self.per, weights, column.offsets, units)

    @property
    def key(self) -> float:
        """Where it is on the scale of its steps."""
        return self.number if self.per else -self.number

    def apply(self, corpus: Corpus) -> Corpus:
        """Return the boundaries alone; a corpus without probabilities stays as it is."""
        if corpus.column.weights is None:
            return corpus
        column = corpus.column
        kept = column.keep(self.steps(column, corpus.units).cut_keys <= self.key)
        certain = corpus.with_cuts(Column.own(kept.values, kept.offsets, kept.kinds))
        return self.mark(certain, {"threshold": str(self)})

    def mark(self, corpus: Corpus, more: Mapping[str, str] | None = None) -> Corpus:
        """Return the corpus with the tuning noted among its choices, for the signature."""
        choices = {k: v for k, v in corpus.source.choices.items() if k != "probabilities"}
        choices |= more or {}
        if self.tuned:
            choices["tuned"] = self.tuned
        return corpus.described(choices=choices)


def _contradiction(found: Mapping[str, Any], threshold: str) -> str:
    """Return what a file says of its threshold in two ways; "" where all agrees."""
    signed = found.get("signature")
    fields = Signature(signed).fields if isinstance(signed, str) else {}
    told = {"threshold": threshold, "tuned": found["tuned"]}
    for name, value in told.items():
        if isinstance(signed, str) and fields.get(name) != value:
            return f"its {name} is {value}, and its signature has {fields.get(name, 'none')}"
    metric, _, data = found["tuned"].partition("@")
    own = {"metric": metric, "reference_fingerprint": data}
    for name, value in own.items():
        if found.get(name, value) != value:
            return f"it was tuned by {found['tuned']}, and its {name} is {found[name]!r:.60}"
    low, high = found.get("threshold_low"), found.get("threshold_high")
    if low is None and high is None:
        return ""
    number = float(threshold.partition("/")[0])
    if isinstance(low, (int, float)) and isinstance(high, (int, float)) and low <= number <= high:
        return ""
    return f"its threshold is {threshold}, which is not from {low!r:.40} to {high!r:.40}"


def steps_per(per: Per, weights: Floats, offsets: Any, units: Any) -> Steps:
    """Return the steps by threshold, or by number of positions per 100 units or per text."""
    if not per:
        return Steps.by_threshold(weights, offsets)
    if per == "text":
        return Steps.by_number(weights, offsets, 1, np.ones(len(units), dtype=np.int64))
    return Steps.by_number(weights, offsets, 100, units)
