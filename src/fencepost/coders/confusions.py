"""Which kinds of boundaries are taken for each other, and how much of a similarity is kinds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from fencepost.coders.annotations import Annotations, CoderPair
from fencepost.metrics.costs import NONE, Costs
from fencepost.metrics.flexible import flexible_similarity
from fencepost.metrics.registry import Recipe, add_counts
from fencepost.model.corpus import Corpus
from fencepost.model.edits import Edit
from fencepost.model.pairs import Pairs
from fencepost.scoring.tables import Table

ALL_STREAMS = "all"


def operations(corpus: Corpus, **settings: Any) -> Table:
    """Return every match and edit between every two coders, one per row.

    ``flexible_similarity`` has the settings. A position is the number of the token before a
    boundary; ``token`` is that token where the corpus knows it.
    """
    recipe = flexible_similarity.recipe(**settings)
    rows = [
        {
            "text": row.text,
            "stream": row.stream,
            "first": row.first,
            "second": row.second,
            "what": edit.what,
            "first_place": edit.ref,
            "second_place": edit.hyp,
            "first_kind": edit.ref_kind,
            "second_kind": edit.hyp_kind,
            "token": _token(corpus, row, edit),
            "cost": edit.cost,
        }
        for row, edits in _all_edits(corpus, recipe)
        for edit in edits
    ]
    columns = tuple(rows[0]) if rows else ()
    return Table(columns, tuple(rows), name="operations")


def _token(corpus: Corpus, row: CoderPair, edit: Edit) -> str | None:
    tokens = corpus.tokens.get((row.text, row.stream))
    return tokens[edit.start - 1] if tokens else None


def confusions(corpus: Corpus, **settings: Any) -> Table:
    """Return how often the first annotator's type meets the second's, "none" included.

    One row for each two types that met, for each speaker and for all together. Moved boundaries
    meet the boundary they were moved to.
    """
    recipe = flexible_similarity.recipe(**settings)
    counts: Counter[tuple[str, str, str]] = Counter()
    for row, edits in _all_edits(corpus, recipe):
        for edit in edits:
            kinds = edit.ref_kind or _alone(edit.ref), edit.hyp_kind or _alone(edit.hyp)
            for where in dict.fromkeys((row.stream, ALL_STREAMS)):
                counts[where, *kinds] += 1
    rows = [
        {"stream": where, "first": a, "second": b, "count": n}
        for (where, a, b), n in sorted(counts.items(), key=lambda c: (c[0][0] != ALL_STREAMS, c[0]))
    ]
    return Table(("stream", "first", "second", "count"), tuple(rows), name="confusions")


def _alone(place: int | None) -> str:
    return NONE if place is None else "1"  # an untyped boundary is of the only kind there is


def contrasts(corpus: Corpus, **settings: Any) -> Table:
    """Return the typed similarity beside similarities that ignore types, wholly or at first.

    ``positions`` does not look at types; ``match percentage`` is the share of matches among matches
    and edits; ``align first, type later`` aligns by positions alone and then charges the
    substitutions, which can never be cheaper than the typed similarity.
    """
    recipe = flexible_similarity.recipe(**settings)
    places = Recipe(recipe.metric, {**recipe.settings, "costs": Costs.positions()})
    pairs = Annotations.of(corpus).pairs()
    typed = dict(zip(recipe.counts, add_counts(recipe.count(pairs)).tolist(), strict=True))
    price = _prices(recipe, corpus)
    later = [price(edit) for _, edits in _all_edits(corpus, places) for edit in edits]
    whole = typed[recipe.divisor] if recipe.divisor else len(later)
    rows = [
        ("typed", _value(recipe, pairs)),
        ("positions", _value(places, pairs)),
        ("align first, type later", 1 - sum(later) / whole if whole else 1.0),
        ("match percentage", typed["matches"] / max(1, typed["matches"] + typed["edits"])),
    ]
    made = [{"measure": name, "value": value} for name, value in rows]
    return Table(("measure", "value"), tuple(made), name="contrasts")


def _value(recipe: Recipe, pairs: Pairs) -> float:
    return float(recipe.value(add_counts(recipe.count(pairs))[None, :])[0])


def _prices(recipe: Recipe, corpus: Corpus) -> Callable[[Edit], float]:
    """Return what an alignment step costs once kinds are looked at."""
    names = corpus.kind_names or ("1",)
    square, moving = recipe.settings["costs"].for_kinds(names)
    number = {name: i for i, name in enumerate(names)}

    def price(edit: Edit) -> float:
        i, j = number.get(edit.ref_kind or "", 0), number.get(edit.hyp_kind or "", 0)
        if edit.ref is None or edit.hyp is None:
            return float(1 - (square[i, -1] if edit.hyp is None else square[-1, j]))
        step = (moving[i] + moving[j]) / 2 if recipe.settings["symmetric"] else moving[j]
        return float(1 - square[i, j] + step * abs(edit.ref - edit.hyp))

    return price


def _all_edits(corpus: Corpus, recipe: Recipe) -> Iterator[tuple[CoderPair, list[Edit]]]:
    every = Annotations.of(corpus)
    for row, edits in zip(every.rows(), recipe.edits(every.pairs()), strict=True):
        yield row, [edit for edit in edits if isinstance(edit, Edit)]
