"""Whether metrics can compare the boundary types of two sides, asked before anything is counted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from fencepost.metrics.costs import how_to_declare
from fencepost.metrics.registry import Recipe
from fencepost.model.checks import SegmentationError
from fencepost.model.corpus import Corpus
from fencepost.model.levels import is_level
from fencepost.model.pairs import number_of
from fencepost.wording import listed

MAX_TYPES_SHOWN = 5

Side = tuple[str, Sequence[str]]  # a name, and the boundary types it has


def check_orders(recipes: Iterable[Recipe], corpora: Iterable[Corpus]) -> None:
    """Raise SegmentationError with file, text and position for a type that no order has.

    Levels and prices by distance need numbers, or names in a declared order.
    """
    wanted = list(dict.fromkeys(recipes))
    for corpus in corpora:
        names = corpus.vocabulary
        if not names or corpus.is_mixed:
            continue
        for recipe in wanted:
            order = recipe.order(names)
            if isinstance(order, bool):
                continue
            if order is not None or recipe.metric.sees == "levels":
                corpus.levels(order)
            else:
                _check_numbers(corpus, recipe)


def _check_numbers(corpus: Corpus, recipe: Recipe) -> None:
    """Raise SegmentationError for the first type that is no number."""
    names = corpus.vocabulary or ()
    odd = next((name for name in names if number_of(name) is None), None)
    if odd is None:
        return
    found = corpus.first_boundary_of(odd)
    raise SegmentationError(
        f"{_file(corpus)}: the boundary type {odd!r} is no number{f' ({found})' if found else ''}, "
        f"and {recipe.metric.title} prices types by their distance: {how_to_declare(names)}, or "
        "choose another price (substitution=nominal, costs=identity)"
    )


def check_comparable(
    recipes: Sequence[Recipe], reference: Corpus, systems: Iterable[Corpus]
) -> None:
    """Raise SegmentationError where one side has no types, or types of another sort.

    Numbers beside names are two schemes: every pair of them would be a substitution.
    """
    seeing = _sees_types(recipes)
    if not seeing or reference.is_mixed:
        return
    for corpus in systems:
        if corpus.is_mixed:
            continue
        typed = [one for one in (reference, corpus) if one.vocabulary is not None]
        if len(typed) == 1:
            flat = corpus if typed[0] is reference else reference
            raise SegmentationError(_only_one_typed(seeing, typed[0], flat))
        sides = [(name, one.vocabulary or ()) for name, one in
                 zip(_called(reference, corpus), (reference, corpus), strict=True)]  # fmt: skip
        _check_schemes(seeing, sides, "-m pk windowdiff F")


def check_annotators(recipe: Recipe, corpus: Corpus) -> None:
    """Raise SegmentationError where types of one annotator are numbers, and another's are names."""
    names, kinds = corpus.vocabulary, corpus.column.kinds
    if not names or corpus.is_mixed or kinds is None or not _sees_types([recipe]):
        return
    whose = np.repeat(corpus.coder_codes, corpus.column.counts)
    used = np.unique(np.stack([whose, kinds]), axis=1).tolist()
    own: dict[int, list[str]] = {}
    for coder, kind in zip(*used, strict=True):
        own.setdefault(coder, []).append(names[kind])
    schemes: dict[frozenset[bool], Side] = {}
    for coder, types in own.items():
        schemes.setdefault(_scheme(types), (corpus.coder_names[coder], types))
    pure = [side for scheme, side in schemes.items() if len(scheme) == 1]
    _check_schemes([recipe], pure, "-m F")


def _sees_types(recipes: Iterable[Recipe]) -> list[Recipe]:
    return [one for one in recipes if one.metric.sees not in ("positions", "weights")]


def _check_schemes(recipes: Sequence[Recipe], sides: Sequence[Side], flat: str) -> None:
    """Raise SegmentationError for types that are all numbers beside types that are all names."""
    every = list(dict.fromkeys(name for _, types in sides for name in types))
    unpriced = [one for one in recipes if one.order(every) in (None, False)]
    if unpriced and _are_two_schemes([types for _, types in sides]):
        raise SegmentationError(f"{_two_schemes(unpriced, sides)}: {flat}")


def _only_one_typed(recipes: Sequence[Recipe], typed: Corpus, flat: Corpus) -> str:
    names = typed.vocabulary or ()
    own, other = _called(typed, flat)
    said = f"{own} has boundary types{_in_brackets(names)} and {other} has none, so "
    said += f"{_titles(recipes)} cannot compare types. Give both sides types, or compare "
    said += "positions: -m pk windowdiff F"
    if names and all(map(is_level, names)):
        said += f"; --levels all reads {own} without types"
        if any(one.metric.sees == "levels" for one in recipes):
            said += ". A flat side whose boundaries have one type is one level: docs/hierarchy.md"
    return said


def _are_two_schemes(sides: Iterable[Sequence[str]]) -> bool:
    """Whether all types of one side are numbers, and those of the other are none."""
    return sorted(sorted(_scheme(types)) for types in sides) == [[False], [True]]


def _scheme(types: Iterable[str]) -> frozenset[bool]:
    """Return whether some types are numbers, and whether some are names."""
    return frozenset(number_of(name) is not None for name in types)


def _two_schemes(recipes: Sequence[Recipe], sides: Iterable[Side]) -> str:
    both = " and ".join(name + _in_brackets(types) for name, types in sides)
    is_free = any("costs" in one.settings for one in recipes)  # others are priced by any order
    costs = " with -m Sf:costs=levels" if is_free else ""
    return (
        f"the boundary types of {both} have none in common, so "
        f"{_titles(recipes)} cannot compare them. Rename the types of one side, declare one order "
        f'of all of them (--types "LEAST<...<GREATEST"{costs}, types= in Python), read levels '
        "without types (--levels all), or compare positions"
    )


def _called(one: Corpus, other: Corpus) -> tuple[str, str]:
    """Return the files of two corpora, or their names where both are columns of one file."""
    if one.source.file and one.source.file == other.source.file:
        return f"{one.name} of {one.source.file}", other.name
    return _file(one), _file(other)


def _file(corpus: Corpus) -> str:
    return corpus.source.file or corpus.name


def _in_brackets(names: Sequence[str] | None) -> str:
    return f" ({listed(names, MAX_TYPES_SHOWN)})" if names else ""


def _titles(recipes: Sequence[Recipe]) -> str:
    return listed(list(dict.fromkeys(one.metric.title for one in recipes)), 5, " and ")
