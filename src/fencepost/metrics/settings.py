"""Settings of a metric: their help, and how values are checked, written and read."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import (
    Any,
    TypeAlias,
)

import numpy as np

from fencepost.model.checks import MetricError

Settings: TypeAlias = Mapping[str, Any]
Stops: TypeAlias = Mapping[str, tuple[str, Callable[..., Any]]]  # by tool: why, and for which rows


@dataclass(frozen=True, eq=False, repr=False)
class Param:
    """A setting of a metric: one line of help, and how values are checked, written and read.

    It is written in the annotation of the metric's parameter, which has the default. A
    ``quiet`` setting is not in the signature while it has its default.
    """

    help: str
    quiet: bool = field(default=False, kw_only=True)

    def check(self, name: str, value: Any) -> Any:
        """The value as the metric takes it, or a MetricError that says what would be right."""
        return value

    def lasting(self, value: Any) -> bool:
        """Tell whether this value always means the same setting, so that its recipe can be kept."""
        return value is None or isinstance(value, (int, float, str, np.number))

    def show(self, value: Any) -> str:
        """The value as the signature and the command line write it."""
        if isinstance(value, bool):
            return "yes" if value else "no"
        return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)

    def read(self, text: str) -> Any:
        """The value from its written form; :meth:`check` has the last word."""
        for convert in (int, float):
            try:
                return convert(text)
            except ValueError:
                pass
        return {"yes": True, "true": True, "no": False, "false": False, "none": None}.get(
            text.lower(), text
        )

    def accepts(self) -> str:
        """What would be right, in words."""
        return "any value"

    def meaning(self, value: Any) -> str:
        """What this value of the setting means."""
        return self.help

    def title(self, value: Any) -> str:
        """What this value adds to the metric's title; nothing, as a rule."""
        return ""

    def conventions(self) -> tuple[Any, ...]:
        """Values that are in use side by side, so that people's numbers differ by them."""
        return ()

    def sensible(self, segment: int) -> Sequence[Any]:
        """Return values to choose from in texts with such a mean segment; none if not a width."""
        return ()

    def needs_all_texts(self, value: Any) -> bool:
        """Tell whether this value means another number for each set of texts."""
        return False

    def with_order(self, value: Any, types: Any) -> Any:
        """The value with a declared order of boundary types; None if it cannot use one."""
        return None

    def refuse(self, name: str, value: Any) -> MetricError:
        """The error for a wrong value."""
        return MetricError(f"{name} must be {self.accepts()}, found {value!r}")


@dataclass(frozen=True, eq=False, repr=False)
class Choice(Param):
    """One of several names, with what each of them means."""

    choices: tuple[str, ...] = ()
    meanings: Mapping[str, str] = field(default_factory=dict)

    def check(self, name: str, value: Any) -> str:
        """Accept one of the choices."""
        value = "none" if value is None and "none" in self.choices else value
        if not isinstance(value, str) or value not in self.choices:
            raise self.refuse(name, value)
        return str(value)

    def read(self, text: str) -> str:
        """Keep names as they are."""
        return text

    def meaning(self, value: Any) -> str:
        """What this choice means."""
        return self.meanings.get(value, self.help)

    def accepts(self) -> str:
        """List the choices."""
        return " or ".join(self.choices)

    def conventions(self) -> tuple[str, ...]:
        """All choices."""
        return self.choices


@dataclass(frozen=True, eq=False, repr=False)
class Whole(Param):
    """A whole number."""

    low: int = 0
    high: int = 2**31 - 1

    def check(self, name: str, value: Any) -> int:
        """Accept ints in range, no floats or booleans."""
        if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
            raise self.refuse(name, value)
        if not self.low <= value <= self.high:
            raise self.refuse(name, value)
        return int(value)

    def accepts(self) -> str:
        """State the bounds."""
        return f"a whole number from {self.low} to {self.high:,}"


@dataclass(frozen=True, eq=False, repr=False)
class Number(Param):
    """A finite number between two bounds; None too if it is optional."""

    low: float = 0.0
    high: float = math.inf
    optional: bool = False
    without: str = ""  # what leaving it out means

    def check(self, name: str, value: Any) -> float | None:
        """Accept ints and floats in range."""
        if value is None and self.optional:
            return None
        if isinstance(value, (bool, np.bool_)) or not isinstance(
            value, (int, float, np.integer, np.floating)
        ):
            raise self.refuse(name, value)
        if not (math.isfinite(value) and self.low <= value <= self.high):
            raise self.refuse(name, value)
        return float(value)

    def show(self, value: Any) -> str:
        """Write the shortest form that reads back to the same number."""
        return "none" if value is None else repr(float(value)).removesuffix(".0")

    def meaning(self, value: Any) -> str:
        """What the number means, or that there is none."""
        return self.without if value is None else self.help

    def accepts(self) -> str:
        """State the bounds."""
        top = "" if math.isinf(self.high) else f" to {self.high:g}"
        return f"a number from {self.low:g}{top or ' up'}"


@dataclass(frozen=True, eq=False, repr=False)
class Flag(Param):
    """Yes or no."""

    no: str = ""  # what no means

    def meaning(self, value: Any) -> str:
        """What yes or no means."""
        return self.help if value else self.no or self.help

    def check(self, name: str, value: Any) -> bool:
        """Accept booleans, and yes and no as the command line writes them."""
        if isinstance(value, str) and value in ("yes", "no"):
            return value == "yes"
        if not isinstance(value, (bool, np.bool_)):
            raise self.refuse(name, value)
        return bool(value)

    def accepts(self) -> str:
        """Name the two values."""
        return "yes or no"


class Presets:
    """Settings that reproduce another tool's numbers, one set for each tool.

    ``stops`` has texts for which a tool has no number: why, and a function of pairs and settings
    that marks their rows.
    """

    def __init__(self, stops: Stops | None = None, **tools: Settings) -> None:
        self.tools = tools
        self.stops = stops or {}
