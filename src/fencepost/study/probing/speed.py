"""How long a slow function will take: its pace in a few calls times the calls a card needs."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from fencepost.metrics.registry import as_recipe
from fencepost.model.pairs import Pairs
from fencepost.model.segmentation import Segmentation
from fencepost.study.probing.base import Property, Scope, Subject, column_of

TIMED_CALLS = 50
MAX_SECONDS = 2.0  # after which fewer calls are enough


def calls_of(study: Scope, properties: Sequence[Property]) -> int:
    """How often these properties call a function, nearly: another one is called instead."""
    calls = 0

    def quick(ref: Segmentation, hyp: Segmentation) -> float:
        nonlocal calls
        calls += 1
        return float(ref == hyp)

    subject = Subject(as_recipe(quick, None), study)
    for one in properties:
        one.answer(subject)
    return calls


def seconds_per_call(subject: Subject) -> float:
    """Seconds of one call, from the first 50 or from as many as two seconds allow."""
    codes = np.arange(TIMED_CALLS) % 16
    columns = column_of(codes, 5), column_of(codes[::-1].copy(), 5)
    start = time.perf_counter()
    for row in range(TIMED_CALLS):
        ref, hyp = (column.take(np.array([row])) for column in columns)
        subject.values(Pairs(ref, hyp, np.array([5])))
        spent = time.perf_counter() - start
        if spent > MAX_SECONDS:
            break
    return spent / (row + 1)
