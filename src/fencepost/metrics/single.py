"""One pair of short texts, quickly: a native counter, and a formula for plain numbers.

The general way makes columns of one row, which costs fifty times the work in them. So a recipe is
prepared once: counts come from one native call, and the value from the metric's own ``value``,
which was called with symbols to see what it does. Both ways give the same number, to the last bit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from fencepost.metrics.signature import Signature
from fencepost.model.checks import MetricError

if TYPE_CHECKING:
    from fencepost.metrics.registry import Recipe

Numbers = tuple[int | float, ...]


class Single:
    """A recipe prepared for single pairs.

    ``counts(ref, hyp, Segmentation)`` gives the counts, or None where the general way must be
    taken: boundary types, long texts, anything that is wrong, or a metric without native counts.
    """

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        self.counts: Callable[[Any, Any, type], Numbers | None] = _no_counts
        self.value: Callable[..., float] = math.fsum  # never called without counts
        native = _native(recipe)
        formula = compile_value(recipe) if native is not None else None
        if native is not None and formula is not None:
            self.counts, self.value = native.counts, formula

    @cached_property
    def signature(self) -> Signature:
        """The recipe's signature, rendered once."""
        return self.recipe.signature()


def _no_counts(ref: object, hyp: object, segmentation: type) -> None:
    return None


def _native(recipe: Recipe) -> Any:
    if recipe.metric.single is None:
        return None
    try:
        return recipe.metric.single(**recipe.settings)
    except MetricError:  # settings that do not fit each other: the general way says so
        return None


def compile_value(recipe: Recipe) -> Callable[..., float] | None:
    """Compile the value of a recipe to a function of its counts as plain numbers.

    None if the formula does something that symbols cannot follow. The function raises
    ZeroDivisionError where the value is undefined.
    """
    counts = [f"c{i}" for i in range(len(recipe.counts))]
    formula = _Formula()
    symbols = {name: _Symbol(formula, own) for name, own in zip(recipe.counts, counts, strict=True)}
    try:
        result = recipe.value_of(symbols)
        lines = [*formula.lines, f"return {_written(result)}"]
    except TypeError:
        return None
    scope: dict[str, Any] = {}
    exec(f"def value({', '.join(counts)}):\n " + "\n ".join(lines), scope)  # its own text alone
    made: Callable[..., float] = scope["value"]
    return made


class _Formula:
    """The steps of a formula, one line each."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def step(self, text: str) -> _Symbol:
        self.lines.append(f"t{len(self.lines)} = {text}")
        return _Symbol(self, f"t{len(self.lines) - 1}")


class _Symbol:
    """A number that is not known yet; it writes down what is done to it.

    Steps are done once, in their order. What divides is ``late``: it is done where it is used, so
    that ``np.where`` guards it.
    """

    __array_ufunc__ = None  # numpy's numbers leave operations to this class

    def __init__(self, formula: _Formula, text: str, late: bool = False) -> None:
        self.formula, self.text, self.late = formula, text, late

    def _with(self, sign: str, left: Any, right: Any) -> _Symbol:
        late = sign == "/" or any(isinstance(x, _Symbol) and x.late for x in (left, right))
        # numpy divides whole numbers as floats, Python does so exactly: 1.0 makes the left a float.
        text = f"{'1.0 * ' if sign == '/' else ''}{_written(left)} {sign} {_written(right)}"
        return _Symbol(self.formula, f"({text})", True) if late else self.formula.step(text)

    def __add__(self, other: Any) -> _Symbol:
        return self._with("+", self, other)

    def __radd__(self, other: Any) -> _Symbol:
        return self._with("+", other, self)

    def __sub__(self, other: Any) -> _Symbol:
        return self._with("-", self, other)

    def __rsub__(self, other: Any) -> _Symbol:
        return self._with("-", other, self)

    def __mul__(self, other: Any) -> _Symbol:
        return self._with("*", self, other)

    def __rmul__(self, other: Any) -> _Symbol:
        return self._with("*", other, self)

    def __truediv__(self, other: Any) -> _Symbol:
        return self._with("/", self, other)

    def __rtruediv__(self, other: Any) -> _Symbol:
        return self._with("/", other, self)

    def __abs__(self) -> _Symbol:
        return _Symbol(self.formula, f"abs({self.text})", self.late)

    def __eq__(self, other: object) -> Any:
        return self._with("==", self, other)

    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        raise TypeError("a formula for one pair cannot branch; use np.where")

    def __array_function__(self, function: Any, types: Any, args: Sequence[Any], kw: Any) -> Any:
        if function is not np.where or len(args) != 3 or kw:
            return NotImplemented
        test, yes, no = map(_written, args)
        return _Symbol(self.formula, f"({yes} if {test} else {no})", True)


def _written(value: Any) -> str:
    if isinstance(value, _Symbol):
        return value.text
    if isinstance(value, (int, float)):
        return repr(value) if math.isfinite(value) else f"float('{value}')"
    raise TypeError(f"no number: {value!r}")
