"""Whether metrics rank the same hypotheses alike: Kendall's tau-b over texts with seeded errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from fencepost.metrics.registry import Values
from fencepost.model.corpus import Corpus
from fencepost.model.pairs import Column, Pairs
from fencepost.model.segmentation import Segmentation
from fencepost.scoring.tables import Table
from fencepost.statistics.ranks import kendall
from fencepost.study.probing.base import ProbeError, Subject
from fencepost.study.probing.texts import draw, know_nothing
from fencepost.study.simulate.noise import Model, spoil
from fencepost.study.simulate.texts import made_corpus, one_each

COLUMNS = ("metric", "other", "tau", "hypotheses", "tau_of_models", "models")
MAX_TEXTS = 100  # every two hypotheses are compared, so their number is limited


def _exactly(name: str, p: float, distance: int = 1) -> Model:
    return Model(name, p, distance=distance, exact=True)


# Error models, one after the other, or the name of a segmenter that knows nothing. Seeds follow
# from these names, which nobody reads: another name draws other errors.
MODELS: Mapping[str, Sequence[Model] | str] = {
    "misses 10%": [_exactly("FN", 0.1)],
    "misses 30%": [_exactly("FN", 0.3)],
    "misses 60%": [_exactly("FN", 0.6)],
    "extras 10%": [_exactly("FP1", 0.1)],
    "extras 30%": [_exactly("FP1", 0.3)],
    "extras 60%": [_exactly("FP1", 0.6)],
    "30% off by 1": [_exactly("NM", 0.3)],
    "all off by 1": [_exactly("NM", 1)],
    "all off by up to 5": [_exactly("NM", 1, distance=5)],
    "30% missed, rest off by 1": [_exactly("NM", 1), _exactly("FN", 0.3)],
    "30% extra, rest off by 1": [_exactly("NM", 1), _exactly("FP1", 0.3)],
    "equal sizes": "equal",
    "random boundaries": "random",
    "no cut": "none",
}


def spoilt(texts: Corpus, name: str, seed: int) -> Column:
    """One hypothesis for each text, by the error model of this name."""
    models = MODELS[name]
    if isinstance(models, str):
        return know_nothing(texts, seed)[models]
    made = texts
    for model in models:
        made = made_corpus(spoil(made, model, seed=seed).hyp, texts.units)
    return made.column


def correlations(
    subjects: Sequence[Subject], references: Sequence[Segmentation] | None = None
) -> Table:
    """Tau-b of each two metrics, over single hypotheses and over the means of error models.

    Both are oriented so that better comes first. A hypothesis that one of the two metrics leaves
    undefined is left out for both. A single metric has no row.
    """
    if len(subjects) < 2:
        return Table(COLUMNS, (), name="correlations")
    texts, notes = _chosen(subjects[0], references)
    losses = _all_losses(subjects, texts)
    rows = []
    for one, other in combinations(subjects, 2):
        a, b = losses[one.label], losses[other.label]
        known = ~(np.isnan(a) | np.isnan(b))
        means = [np.array([v[k].mean() for v, k in zip(x, known, strict=True) if k.any()])
                 for x in (a, b)]  # fmt: skip
        cells = (one.label, other.label, kendall(a[known], b[known]), int(known.sum()),
                 kendall(*means), len(means[0]))  # fmt: skip
        rows.append(dict(zip(COLUMNS, cells, strict=True)))
    return Table(COLUMNS, tuple(rows), name="correlations", notes=notes)


def _chosen(
    subject: Subject, references: Sequence[Segmentation] | None
) -> tuple[Corpus, tuple[str, ...]]:
    """The texts to spoil: those with a cut and room for others, and not too many.

    Drawn texts have 12 segments with 5 to 35 units.
    """
    if references is None:
        return draw(subject, "texts", (40, 12, 5, 35)), ()
    texts = [
        Segmentation(text.units, text.places)
        for text in references
        if len(text.places) and 2 * len(text.places) < text.units - 1
    ]
    if len(texts) < 2:
        raise ProbeError(
            f"only {len(texts)} of {len(references)} texts have a boundary and room for errors; "
            "a rank correlation needs two"
        )
    notes = []
    if len(texts) < len(references):
        without = len(references) - len(texts)
        notes.append(f"{without} of {len(references)} texts have no room for errors")
    if len(texts) > MAX_TEXTS:
        notes.append(f"{MAX_TEXTS} of {len(texts)} texts were drawn (seed {subject.study.seed})")
        order = np.random.default_rng(subject.seed("chosen")).permutation(len(texts))
        texts = [texts[i] for i in np.sort(order[:MAX_TEXTS]).tolist()]
    return one_each(texts), tuple(notes)


def _all_losses(subjects: Sequence[Subject], texts: Corpus) -> dict[str, Values]:
    """For each metric the losses, a row for each error model."""
    hyps = [spoilt(texts, name, subjects[0].seed(name)) for name in MODELS]
    return {
        subject.label: np.array(
            [subject.pair_losses(Pairs(texts.column, hyp, texts.units)) for hyp in hyps]
        )
        for subject in subjects
    }
