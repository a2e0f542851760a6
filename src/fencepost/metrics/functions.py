"""Metrics of the user's own: plain functions of two segmentations, and Python files."""

from __future__ import annotations

import importlib.util
import inspect
import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, Literal, cast

import numpy as np

from fencepost.metrics.registry import MAX_SCORE, Counts, Metric, did_you_mean, metric, said_error
from fencepost.metrics.settings import Choice
from fencepost.metrics.tally import Tally
from fencepost.model.checks import MetricError
from fencepost.model.hashing import blake2b
from fencepost.model.pairs import Pairs
from fencepost.model.segmentation import Segmentation

Function = Callable[[Segmentation, Segmentation], float]
Better = Literal["lower", "higher"]
UNITS = 5  # of the small texts that show which way a function goes


class Direction(Choice):
    """Lower or higher: a fact about the function, not a convention that people differ in."""

    def conventions(self) -> tuple[str, ...]:
        """None."""
        return ()


BETTER = Direction("which values are better", choices=("lower", "higher"))


def from_function(function: Function, written: str = "") -> Metric[Any]:
    """Wrap a plain function of two Segmentations; it can be averaged over texts, not pooled.

    Which values are better is a setting, ``better``: the function's attribute of that name, or
    what :func:`infer_better` finds. ``written`` is how the command line names the function.
    """
    name = getattr(function, "__name__", "function")
    declared = getattr(function, "better", None)
    inferred = None if declared is not None else infer_better(function)
    better: Better = declared or inferred or "higher"

    def one(pairs: Pairs, row: int) -> float:
        try:
            value = float(function(pairs.segmentation(row, "ref"), pairs.segmentation(row, "hyp")))
            return value if math.isfinite(value) else math.nan  # no mean has an infinite part
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # a user's function may fail in any way; say where
            text = row if pairs.keys is None else pairs.keys[row]
            raise MetricError(f"{name} failed on text {text}: {said_error(error)}") from error

    def each(pairs: Pairs, *, better: Any = better) -> Counts:
        values = [one(pairs, row) for row in range(len(pairs))]
        return np.array(values, dtype=np.float64).reshape(-1, 1)

    def notes(_: Tally, *, better: str) -> list[str]:
        other = "lower" if better == "higher" else "higher"
        how = f"write {written}:better={other}" if written else f"set {name}.better = {other!r}"
        why = "equal texts have them" if inferred else "small texts, equal or not, do not tell"
        return [
            f"{better} values of {name} were taken as better, since {why}; if {other} ones are, "
            f"{how}"
        ]

    each.__name__ = name
    each.__module__ = getattr(function, "__module__", None) or "__main__"
    each.__doc__ = inspect.getdoc(function) or "A function of two segmentations."
    each.__annotations__["better"] = Annotated[str, BETTER]
    made = metric(
        title=name,
        cite="a function given by the user",
        counts=("score",),
        value=_itself,
        better=cast(Better, BETTER.check("better", better)),
        range=(-math.inf, math.inf),
        sees="kinds+end",
        notes=notes if declared is None else None,
    )(each)
    return replace(made, additive=False, wraps=function)


def _itself(score: Any) -> Any:
    return score


def infer_better(function: Function) -> Better | None:
    """Find out whether equal texts get the lower or the higher values.

    Return None if it fails on all of these small texts, or gives equal and unequal ones the same.
    """
    texts = [
        Segmentation(UNITS, [p for p in range(1, UNITS) if code >> (p - 1) & 1])
        for code in range(1 << (UNITS - 1))
    ]
    others = [*zip(texts, reversed(texts), strict=True), *pairwise(texts)]
    same = _mean(function, list(zip(texts, texts, strict=True)))
    other = _mean(function, others)
    return "lower" if same < other else "higher" if same > other else None


def _mean(function: Function, pairs: list[tuple[Segmentation, Segmentation]]) -> float:
    """The mean of what is defined; NaN where nothing is."""
    found = []
    for ref, hyp in pairs:
        try:
            value = float(function(ref, hyp))
        except KeyboardInterrupt:
            raise
        except BaseException:  # its failures are reported where it is used
            continue
        found += [value] if abs(value) <= MAX_SCORE else []
    return math.fsum(found) / len(found) if found else math.nan


# Python files.


def from_file(path: str, name: str) -> tuple[Any, str]:
    """What a Python file calls so, and the file's digest: numbers change with what it says."""
    try:
        source = Path(path).read_bytes()
    except OSError:
        raise MetricError(f"no file {path}") from None
    digest = blake2b(source, digest_size=4).hexdigest()
    module = _run(str(Path(path).resolve()), path, digest)
    if not hasattr(module, name):
        names = [n for n in vars(module) if not n.startswith("_")]
        raise MetricError(f"{path} has no {name!r}{did_you_mean(name, names)}")
    return getattr(module, name), digest


@cache  # a file is run once, so that its functions stay the same objects
def _run(full: str, path: str, digest: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(Path(path).stem, full)
    if spec is None or spec.loader is None:
        raise MetricError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except SystemExit as error:
        raise MetricError(
            f"{path} ended the program (SystemExit: {error.code}) when it was loaded; put what is "
            'to run alone under if __name__ == "__main__"'
        ) from None
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a user's file may fail in any way
        raise MetricError(f"{path} cannot be run: {said_error(error)}") from None
    return module
