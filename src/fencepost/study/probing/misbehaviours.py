"""The three misbehaviours of diaz2022: unequal hypotheses that a metric scores exactly equal."""

from __future__ import annotations

import math

import numpy as np

from fencepost.model.segmentation import Segmentation
from fencepost.study.misbehaviours import Kind, search
from fencepost.study.probing.base import (
    Measured,
    Property,
    Subject,
    as_failure,
    at_most,
    declare,
    shown,
)


def _measure(subject: Subject, kind: Kind) -> Measured:
    if np.isnan(subject.table(6)).all():
        return Measured(math.nan, "no value is defined")
    try:
        found = search(subject.recipe, kind, subject.study.largest)
    except SystemExit as error:
        raise as_failure(subject.label, error) from error
    said = f"{found.affected} of {found.references} references"
    if found.example is None:
        return Measured(found.affected / found.references, said)
    masses = found.example.reference, found.example.h1, found.example.h2
    ref, better, worse = (Segmentation.from_masses(sizes) for sizes in masses)
    example = shown(
        subject, (ref, better, "reference", "better"), (ref, worse, "reference", "worse")
    )
    return Measured(found.affected / found.references, said, example)


def _declared(name: str, kind: Kind, asks: str) -> Property:
    figure = "share of all references of 3 units up that have such a pair, scored exactly equal"
    return declare(name, "diaz2022", asks, figure, at_most(0))(lambda own: _measure(own, kind))


PROPERTIES: tuple[Property, ...] = (
    _declared(
        "no constant cost",
        "constant-cost",
        "Is a move that keeps most of both segments never scored as one that keeps little?",
    ),
    _declared(
        "no crossing for free",
        "cross-boundary",
        "Is a cut moved over a whole segment never scored as a soft move of the same length?",
    ),
    _declared(
        "no vanishing cuts",
        "vanishing",
        "Is a cut moved softly never scored as the same cut moved further?",
    ),
)
