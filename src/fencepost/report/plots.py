"""Pictures, where matplotlib is installed."""

from __future__ import annotations

from typing import Any


def figure_class() -> Any:
    """matplotlib's Figure, or a sentence that says how to get it."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError(
            "plots need matplotlib, which is not installed: pip install 'fencepost[plot]'"
        ) from None
    return Figure
