"""Summaries of values, under the name that they have in segeval: segeval.compute."""

from fencepost.compat.segeval import summarize

__all__ = ["summarize"]
