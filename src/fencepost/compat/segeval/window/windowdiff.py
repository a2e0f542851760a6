"""WindowDiff, under the name that they have in segeval: segeval.window.windowdiff."""

from fencepost.compat.segeval import window_diff

__all__ = ["window_diff"]
