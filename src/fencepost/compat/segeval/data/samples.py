"""Samples, under the name that they have in segeval: segeval.data.samples."""

from fencepost.compat.segeval import HEARST_1997_STARGAZER, __getattr__

__all__ = ["HEARST_1997_STARGAZER", "__getattr__"]  # which says why the others are not here
