"""One segmentation for several coders: the one with the highest mean similarity to all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fencepost.coders.annotations import Annotations
from fencepost.metrics.registry import as_recipe
from fencepost.model.checks import MetricError
from fencepost.model.corpus import Corpus, Key
from fencepost.model.pairs import Column
from fencepost.model.segmentation import Segmentation
from fencepost.options import ConsensusBy, complaints
from fencepost.scoring.consensus import Annotators, majority
from fencepost.scoring.tables import Table, rows_to_table

CONSENSUS = "consensus"


@dataclass(frozen=True)
class Consensus:
    """The agreed segmentations as a corpus, and how each was found."""

    corpus: Corpus
    table: Table  # text, stream, how, coders, boundaries, mean, lowest, highest


def consensus(
    corpus: Any, *, metric: Any = "B", consensus_by: ConsensusBy = "similarity"
) -> Consensus:
    """Return the segmentation of every text with the highest mean similarity to its coders.

    ``consensus_by="majority"`` has a boundary where more than half of the coders have one, of the
    type that most of them chose (the first of equals).

    Exact where that is cheap: for S and exact positions at any length where boundaries are in small
    groups, for other metrics where few positions come into question. Elsewhere it starts from the
    coder who is most similar to all and adds, drops or moves single boundaries as long as that
    helps; ``how`` says which. Among equals it is the one with the fewest boundaries, then the
    left-most.

    >>> import fencepost as fp
    >>> three = {"a": {"x": [3, 4, 3], "y": [3, 7], "z": [4, 3, 3]}}
    >>> agreed = fp.consensus(three)
    >>> agreed.corpus["a", "consensus"], agreed.table[0]["how"]
    (Segmentation(units=10, cuts=[3, 7]), 'exact')
    """
    for wrong in complaints("consensus", {"consensus_by": consensus_by}):
        raise MetricError(wrong)
    recipe = as_recipe(metric, None)
    seen = Annotations.of(Corpus.from_given(corpus, "corpus")).view(recipe.metric.sees)
    entries: dict[Key, Segmentation] = {}
    rows = []
    for own in seen.items():
        coders, units = seen.column.take(np.array(own)), int(seen.units[own[0]])
        text = Annotators(recipe, coders, units, seen.vocabulary)
        if consensus_by == "majority":
            who = np.arange(len(coders))
            agreed, how = majority(coders, who, np.zeros_like(who), 1), str(consensus_by)
        else:
            agreed, start, better = text.agreed()
            name = "" if start is None else seen.key(own[start]).coder
            how = "exact" if start is None else f"search from {name}" if better else name
        key = seen.key(own[0])._replace(coder=CONSENSUS)
        entries[key] = _segmentation(agreed, units, seen.vocabulary)
        values = text.values(agreed)[0]
        rows.append(
            {
                "text": key.text,
                "stream": key.stream,
                "how": how,
                "coders": len(own),
                "boundaries": len(entries[key].cuts),
                "metric": recipe.name,
                "mean": float(np.nanmean(values)),
                "lowest": float(np.nanmin(values)),
                "highest": float(np.nanmax(values)),
            }
        )
    tokens = {(key.text, key.stream) for key in entries}
    made = Corpus.from_entries(
        entries,
        {item: words for item, words in seen.corpus.tokens.items() if item in tokens},
        name=CONSENSUS,
        unit=seen.corpus.unit,
    )
    return Consensus(made, rows_to_table(rows, name="consensus"))


def _segmentation(agreed: Column, units: int, names: tuple[str, ...] | None) -> Segmentation:
    """Return one candidate as a person holds it."""
    kinds = None if agreed.kinds is None else agreed.kinds + np.int32(1)
    return Segmentation._trusted(units, agreed.values.astype(np.int64), kinds, names)
