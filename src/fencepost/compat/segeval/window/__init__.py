"""Metrics of windows, under the name that they have in segeval: segeval.window."""

from fencepost.compat.segeval import compute_window_size

__all__ = ["compute_window_size"]
