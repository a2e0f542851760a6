"""Whether metrics rank the same hypotheses alike: Kendall's tau-b over texts with seeded errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

import numpy as np

from fencepost.metrics.registry import Values
from fencepost.model.segmentation import Segmentation
from fencepost.scoring.tables import Table
from fencepost.statistics.ranks import kendall
from fencepost.study.probing.base import ProbeError, Subject
from fencepost.study.simulate.counted import Rng, add, draw, even, miss, move, scatter

COLUMNS = ("metric", "other", "tau", "hypotheses", "tau_of_models", "models")
MAX_TEXTS = 100  # every two hypotheses are compared, so their number is limited


def _share(text: Segmentation, share: float) -> int:
    return max(1, round(share * len(text.cuts)))


def _misses(share: float) -> Callable[[Rng, Segmentation], Segmentation]:
    return lambda rng, text: miss(rng, text, _share(text, share))


def _extras(share: float) -> Callable[[Rng, Segmentation], Segmentation]:
    return lambda rng, text: add(rng, text, _share(text, share))


def _moves(share: float, most: int) -> Callable[[Rng, Segmentation], Segmentation]:
    return lambda rng, text: move(rng, text, _share(text, share), most)


# Error models: what they are called, and how they spoil a text.
MODELS: Mapping[str, Callable[[Rng, Segmentation], Segmentation]] = {
    "misses 10%": _misses(0.1),
    "misses 30%": _misses(0.3),
    "misses 60%": _misses(0.6),
    "extras 10%": _extras(0.1),
    "extras 30%": _extras(0.3),
    "extras 60%": _extras(0.6),
    "30% off by 1": _moves(0.3, 1),
    "all off by 1": _moves(1, 1),
    "all off by up to 5": _moves(1, 5),
    "30% missed, rest off by 1": lambda rng, text: _misses(0.3)(rng, _moves(1, 1)(rng, text)),
    "30% extra, rest off by 1": lambda rng, text: _extras(0.3)(rng, _moves(1, 1)(rng, text)),
    "equal sizes": lambda rng, text: even(text),
    "random boundaries": scatter,
    "no cut": lambda rng, text: Segmentation(text.units, []),
}


def simulated(subject: Subject) -> list[Segmentation]:
    """Texts of 12 segments with 5 to 35 units."""
    rng = subject.rng("texts")
    return [draw(rng, 12, 5, 35) for _ in range(40)]


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
) -> tuple[list[Segmentation], tuple[str, ...]]:
    """The texts to spoil: those with a cut and room for others, and not too many."""
    given = simulated(subject) if references is None else list(references)
    texts = [
        Segmentation(text.units, text.places)
        for text in given
        if len(text.places) and 2 * len(text.places) < text.units - 1
    ]
    if len(texts) < 2:
        raise ProbeError(
            f"only {len(texts)} of {len(given)} texts have a cut and room for errors; "
            "a rank correlation needs two"
        )
    notes = []
    if len(texts) < len(given):
        notes.append(f"{len(given) - len(texts)} of {len(given)} texts have no room for errors")
    if len(texts) > MAX_TEXTS:
        notes.append(f"{MAX_TEXTS} of {len(texts)} texts were drawn (seed {subject.study.seed})")
        kept = np.sort(subject.rng("chosen").permutation(len(texts))[:MAX_TEXTS])
        texts = [texts[i] for i in kept.tolist()]
    return texts, tuple(notes)


def _all_losses(subjects: Sequence[Subject], texts: Sequence[Segmentation]) -> dict[str, Values]:
    """For each metric the losses, a row for each error model."""
    hyps = []
    for number, spoil in enumerate(MODELS.values()):
        rng = subjects[0].rng(f"rank{number}")
        hyps += [spoil(rng, text) for text in texts]
    refs = list(texts) * len(MODELS)
    return {
        subject.label: subject.losses(refs, hyps).reshape(len(MODELS), len(texts))
        for subject in subjects
    }
