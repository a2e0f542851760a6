"""What this installation is: version, Python, native module, threads and extras."""

from __future__ import annotations

import platform
import re
import sys
from importlib import metadata

from fencepost import _core, _threads
from fencepost._version import VERSION
from fencepost.report.text import folded, terminal_width

# Extras that only join others, or that only developers install.
_NOT_SHOWN = ("all", "test", "lint", "docs")


def about_lines() -> list[str]:
    """Return one line per fact that an error report should have."""
    threads = _threads.set_threads()
    compiler, instructions = _core.build()
    lines = [
        f"fencepost {VERSION}",
        f"python    {platform.python_version()} on {platform.system()} {platform.machine()}",
        f"compiled  by {compiler}; instructions in use: {instructions}",
        f"threads   {threads} (FENCEPOST_THREADS changes this)",
    ]
    for number, (extra, packages) in enumerate(sorted(_extras().items())):
        found = {name: _version(name) for name in packages}
        shown = ", ".join(f"{name} {version or 'missing'}" for name, version in found.items())
        missing = [name for name, version in found.items() if version is None]
        hint = f" (pip install 'fencepost[{extra}]')" if missing else ""
        lines.append(f"{'extras' if not number else '':<10}{extra}: {shown}{hint}")
    width = terminal_width(sys.stdout)
    return [folded(line[10:], width, line[:10], " " * 12) for line in lines]


def _extras() -> dict[str, list[str]]:
    """Return the packages of each extra, as the installed package declares them."""
    found: dict[str, list[str]] = {}
    for requirement in metadata.requires("fencepost") or ():
        name = re.match(r"[A-Za-z0-9_.-]+", requirement)
        extra = re.search(r"extra\s*==\s*['\"]([\w-]+)['\"]", requirement)
        if name and extra and extra[1] not in _NOT_SHOWN and name[0] != "fencepost":
            found.setdefault(extra[1], []).append(name[0])
    return found


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
