"""Pk, under the name that they have in segeval: segeval.window.pk."""

from fencepost.compat.segeval import pk

__all__ = ["pk"]
