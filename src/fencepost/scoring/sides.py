"""Whether metrics can compare the boundary types of two sides, asked before anything is counted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fencepost.metrics.costs import how_to_declare
from fencepost.metrics.registry import Recipe
from fencepost.model.checks import SegmentationError
from fencepost.model.corpus import Corpus
from fencepost.model.levels import is_level
from fencepost.model.pairs import number_of
from fencepost.wording import listed

MAX_TYPES_SHOWN = 5


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
    seeing = [one for one in recipes if one.metric.sees not in ("positions", "weights")]
    if not seeing or reference.is_mixed:
        return
    for corpus in systems:
        if corpus.is_mixed:
            continue
        typed = [one for one in (reference, corpus) if one.vocabulary is not None]
        if len(typed) == 1:
            flat = corpus if typed[0] is reference else reference
            raise SegmentationError(_only_one_typed(seeing, typed[0], flat))
        unpriced = [one for one in seeing if one.order(_names(reference, corpus)) in (None, False)]
        if unpriced and _are_two_schemes(reference, corpus):
            raise SegmentationError(_two_schemes(unpriced, reference, corpus))


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


def _are_two_schemes(reference: Corpus, corpus: Corpus) -> bool:
    """Whether all types of one side are numbers, and those of the other are none."""
    sides = [
        {number_of(name) is not None for name in one.vocabulary or ()}
        for one in (reference, corpus)
    ]
    return sorted(map(sorted, sides)) == [[False], [True]]


def _two_schemes(recipes: Sequence[Recipe], reference: Corpus, corpus: Corpus) -> str:
    own, other = _called(reference, corpus)
    return (
        f"the boundary types of {own}{_in_brackets(reference.vocabulary)} and "
        f"{other}{_in_brackets(corpus.vocabulary)} have none in common, so "
        f"{_titles(recipes)} cannot compare them. Rename the types of one side, declare one order "
        'of all of them (--types "LEAST<...<GREATEST", types= in Python), read levels without '
        "types (--levels all), or compare positions: -m pk windowdiff F"
    )


def _names(reference: Corpus, corpus: Corpus) -> list[str]:
    both = (*(reference.vocabulary or ()), *(corpus.vocabulary or ()))
    return list(dict.fromkeys(both))


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
