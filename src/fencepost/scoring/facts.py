"""What settings come to in these texts, for the data line: each fact once, and whose it is."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from fencepost.metrics.registry import Recipe
from fencepost.model.pairs import NO_KINDS, Column, Pairs
from fencepost.wording import listed

Cell = tuple[str, str]  # a system and a reference


class SettingFacts:
    """Facts such as ``k 2`` or the order of levels, with the metrics and rows that they are of.

    >>> found = SettingFacts()
    >>> for reference, width in (("anna", 2), ("ben", 2), ("cara", 3)):
    ...     found.add([f"k {width}"], "Pk", "lstm", reference)
    >>> found.sentences()
    ['k 2 for anna and ben', 'k 3 for cara']
    """

    def __init__(self) -> None:
        self._cells: dict[Cell, None] = {}
        self._found: dict[str, tuple[dict[Cell, None], dict[str, None]]] = {}

    def add(self, facts: list[str], title: str, system: str, reference: str) -> None:
        """Add what a metric has to say about a system beside a reference, or nothing."""
        cell = system, reference
        self._cells[cell] = None
        for fact in facts:
            cells, titles = self._found.setdefault(fact, ({}, {}))
            cells[cell] = titles[title] = None

    def sentences(self) -> list[str]:
        """Return every fact once; with its metrics and rows where others have other facts."""
        several = len({tuple(titles) for _, titles in self._found.values()}) > 1
        return [
            (f"{listed(list(titles), len(titles), ' and ')}: " if several else "")
            + fact
            + self._whose(cells)
            for fact, (cells, titles) in self._found.items()
        ]

    def _whose(self, cells: dict[Cell, None]) -> str:
        """Return which systems or references a fact is about; nothing where it is about all."""
        if len(cells) == len(self._cells):
            return ""
        for side in (1, 0):  # references first: widths follow from them
            names = list(dict.fromkeys(cell[side] for cell in cells))
            if cells.keys() == {cell for cell in self._cells if cell[side] in names}:
                return f" for {listed(names, 5, ' and ')}"
        return f" for {listed([f'{system} against {ref}' for system, ref in cells], 5, ' and ')}"


def facts_of_types(recipes: Iterable[Recipe], vocabulary: tuple[str, ...] | None) -> list[str]:
    """Return what metrics have to say about boundary types, whatever the texts are."""
    found = SettingFacts()
    none = np.empty(0, dtype=np.int64)
    empty = Column.own(none, np.zeros(1, np.int64), None if vocabulary is None else NO_KINDS.copy())
    pairs = Pairs._trusted(empty, empty, none.copy(), vocabulary)
    for recipe in recipes:
        found.add(recipe.facts(recipe.tally(pairs)), recipe.metric.title, "", "")
    return found.sentences()
