"""Formats of installed packages: checked when they are loaded, and named when they fail."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from functools import partial
from typing import Any, ParamSpec, TypeVar

from fencepost.formats.options import FormatError
from fencepost.formats.registry import Format
from fencepost.model.checks import FencepostError
from fencepost.model.corpus import Corpus
from fencepost.model.documents import SegmentRows, StreamSet
from fencepost.plugins import load, said

P = ParamSpec("P")
R = TypeVar("R")


def load_formats(
    points: Iterable[Any], taken: Collection[str]
) -> tuple[dict[str, Format], dict[str, str]]:
    """Formats by name, and a sentence about each that cannot be loaded."""
    found: dict[str, Format] = {}
    broken: dict[str, str] = {}
    for point in points:
        try:
            one = _guarded(load(point, partial(_checked, point)), point)
            if one.name in taken or one.name in found:
                raise FormatError(
                    f"{said(point)}: two formats are called {one.name}; the package must rename "
                    "its own"
                )
            found[one.name] = one
        except FencepostError as error:
            broken[point.name] = f"the format {error}"
    return found, broken


def _checked(point: Any, given: Any) -> Format:
    if not isinstance(given, Format):
        raise FormatError(
            f"it must be a fencepost.formats.registry.Format, found {type(given).__name__}"
        )
    if given.name != point.name:
        raise FormatError(
            f"the entry point is called {point.name} and its format {given.name}; both have one "
            "name"
        )
    return given


def _guarded(one: Format, point: Any) -> Format:
    """The format with its package named where it fails, and never in the way of other formats."""

    def looks_like(text: str) -> bool:
        try:
            return bool(one.looks_like(text))
        except Exception:  # a file that is not its own
            return False

    return replace(
        one,
        looks_like=looks_like,
        read=one.read and _named(one.read, point, Corpus),
        references=one.references and _named(one.references, point, SegmentRows),
        streams=one.streams and _named(one.streams, point, StreamSet),
        read_bytes=one.read_bytes and _named(one.read_bytes, point, Corpus),
        write=one.write and _named(one.write, point, str),
        write_bytes=one.write_bytes and _named(one.write_bytes, point, bytes),
        write_as={end: _named(write, point, str) for end, write in one.write_as.items()},
    )


def _named(function: Callable[P, R], point: Any, kind: type) -> Callable[P, R]:
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            made = function(*args, **kwargs)
        except FencepostError:
            raise
        except Exception as error:  # a mistake in the package
            raise FormatError(
                f"the format {said(point)} failed: {type(error).__name__}: {error}"
            ) from error
        if not isinstance(made, kind):
            raise FormatError(
                f"the format {said(point)} gave {type(made).__name__} where a {kind.__name__} "
                "should be"
            )
        return made

    run.__doc__ = function.__doc__
    return run
