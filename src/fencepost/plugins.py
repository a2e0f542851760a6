"""What installed packages declare for fencepost: entry points, loaded one by one.

A broken package is named when its own plug-in is asked for, and stops nothing else.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, TypeVar

from fencepost.model.checks import FencepostError

Made = TypeVar("Made")


def declared(group: str) -> Iterable[Any]:
    """The entry points of a group, not loaded yet."""
    if not _mentioned(group):
        return ()
    from importlib.metadata import entry_points

    return entry_points(group=group)


def _mentioned(group: str) -> bool:
    """Whether any installed package may declare the group.

    This reads the files in which packages declare entry points; importlib.metadata parses all of
    them, which takes longer than scoring a small file.
    """
    for folder in sys.path:
        try:
            names = os.listdir(folder or ".")
        except OSError:
            if os.path.isfile(folder):
                return True  # importlib can look inside an archive
            continue
        for name in names:
            if name.endswith(".egg"):
                return True
            if name.endswith((".dist-info", ".egg-info")):
                try:
                    with open(os.path.join(folder, name, "entry_points.txt"), "rb") as file:
                        if group.encode() in file.read():
                            return True
                except OSError:
                    continue
    return False


def said(point: Any) -> str:
    """The plug-in, and the package to mend or to remove."""
    package = getattr(getattr(point, "dist", None), "name", None)
    return f"{point.name} of the package {package}" if package else f"{point.name}"


def load(point: Any, make: Callable[[Any], Made]) -> Made:
    """What the entry point names, as ``make`` wants it, or one sentence about why not."""
    try:
        return make(point.load())
    except FencepostError as error:
        raise FencepostError(f"{said(point)}: {error}") from None
    except (Exception, SystemExit) as error:  # whatever a package does when it is imported
        why = f"{type(error).__name__}: {error}"
        raise FencepostError(f"{said(point)} cannot be loaded: {why}") from None


def load_all(
    points: Iterable[Any], make: Callable[..., Made]
) -> tuple[dict[str, Made], dict[str, str]]:
    """Those that can be loaded, and a sentence about each that cannot, by their names.

    ``make`` takes what an entry point names, and the entry point.
    """
    found: dict[str, Made] = {}
    broken: dict[str, str] = {}
    for point in points:
        try:
            made = load(point, partial(make, point=point))
            if point.name in found:
                raise FencepostError(f"{said(point)}: another package has a plug-in of this name")
            found[point.name] = made
        except FencepostError as error:
            broken[point.name] = str(error)
    return found, broken
