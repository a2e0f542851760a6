"""The five papers, recomputed: one file each, and the list of them."""

from __future__ import annotations

from importlib import import_module

from fencepost.study.papers.base import Paper, PaperError, Run

KEYS = ("pevzner2002", "fournier2012", "diaz2022", "lai2023", "matusov2005")


def find(key: str) -> Paper:
    """The paper of this key; its file is loaded when it is asked for."""
    if key not in KEYS:
        raise PaperError(f"no paper {key!r}; there are {', '.join(KEYS)}")
    paper: Paper = import_module(f"fencepost.study.papers.{key}").PAPER
    return paper


__all__ = ["KEYS", "Paper", "Run", "find"]
