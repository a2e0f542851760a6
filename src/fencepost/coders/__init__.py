"""Agreement between annotators: observed similarity, what chance would give, and coefficients."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from fencepost.blocks import on_cluster
from fencepost.coders.annotations import Annotations
from fencepost.coders.study import COLUMNS, AgreementRow, Study
from fencepost.metrics.edit import check_typed, with_types
from fencepost.metrics.registry import as_recipe
from fencepost.model.checks import MetricError
from fencepost.model.corpus import Corpus
from fencepost.options import (
    RESAMPLES_OF_AGREEMENT,
    Chance,
    CoefficientName,
    Counting,
    Interval,
    Method,
    Pooling,
    Weighting,
    complaints,
)
from fencepost.scoring.sides import check_annotators, check_orders
from fencepost.scoring.tables import Table

BY_CHANCE = {
    "sizes": ("kappa", "pi"),
    "inner-sizes": ("kappa", "pi"),
    "shuffle": ("kappa", "pi"),
    "positions": ("kappa", "pi"),
    "bernoulli": ("kappa", "pi"),
    "uniform": ("bennett",),
    "uniform-types": ("modified bennett",),
    "fournier2012": ("pi*", "kappa*", "bias"),
    "two-category": ("pi*", "kappa*"),
}
WITHOUT_CHANCE = (
    "alpha",
    "majority",
    "hearst",
    "alpha_U",
    "gamma",
)  # they bring their own, or have none
PRESETS: dict[str, dict[str, Any]] = {
    "fournier2012": {"metric": "S", "chance": "fournier2012", "counting": "segments"},
    "segeval": {"metric": "B", "chance": "fournier2012", "pooling": "mean-of-rates"},
}


def agreement(
    corpus: Any,
    *,
    metric: Any = None,
    chance: Chance | Sequence[Chance] | None = None,
    coefficient: CoefficientName | Sequence[CoefficientName] | None = None,
    counting: Counting | None = None,
    pooling: Pooling | None = None,
    weighting: Weighting = "positions",
    like: str | None = None,
    types: str | Sequence[str] | None = None,
    draws: int | None = None,
    seed: int = 12345,
    exact: bool = False,
    resamples: int = RESAMPLES_OF_AGREEMENT,
    interval: Interval = "both",
    method: Method | None = None,
    headline: bool = False,
    intervals: bool = True,
    all: bool = False,
    dask: Any = None,
) -> Table:
    """Return the similarity of annotators beyond what they would have by chance.

    Every coefficient is (observed - expected) / (1 - expected). Observed is the value of the
    counts of all pairs of annotators (``coders``) over all texts together, so annotators may be
    missing on some texts.

    Without ``metric`` and ``chance`` there are three rows: kappa of B, whose chance is annotators
    who have their own segments in random order; Krippendorff's alpha on exact positions; and, for
    comparison with the literature, pi* of S by the formula of fournier2012, which is far from 0 for
    random annotators (``facts["random_pi"]`` is what they reach). ``headline`` gives these three
    with another metric instead of B, ``all`` adds every other.

    ``chance``: "sizes" (segment sizes kept, in random order), "inner-sizes" (sizes between
    boundaries kept, what is before the first and after the last split at random), "shuffle"
    (numbers of boundaries kept), "positions" (the same, at positions preferred in the other texts;
    20 texts or more) and "bernoulli" (rates of boundaries kept) are simulated ``draws`` times (400;
    fewer where there are millions of pairs), seeded, with the standard error of the expected value.
    Where sizes cannot be permuted (few boundaries, equal segments, first and last segments that
    differ from the others), "inner-sizes" or "shuffle" stands for them, and a note says so. kappa
    keeps each annotator's own sizes or numbers, pi takes the sizes or numbers of another annotator
    or of all together. "uniform" and "uniform-types" are Bennett's S and its form in lai2023.
    ``coefficient`` keeps only these rows, each with the first chance that has it unless ``chance``
    or ``like`` says otherwise; ``all`` has every coefficient and excludes it.
    ``coefficient="alpha_U"`` is Krippendorff's alpha for unitizing (1995), ``"gamma"`` the
    coefficient of Mathet, Widlöcher & Métivier (2015): both are about segments, by positions
    (alpha_U also by types), and in ``all``. "fournier2012" is the paper's formula (pi*, kappa*,
    bias): ``counting`` "cuts" or "segments", ``pooling`` "pooled" over all positions or
    "mean-of-rates", ``weighting`` of texts by positions, by units (equation 6) or as printed
    (equation 12). "two-category" is the classical chance for exact positions, p^2 + (1 - p)^2.
    ``like`` is "fournier2012" or "segeval", for the chance and for the metric (``B:like=segeval``
    pairs near misses nearest first). ``types`` is the order of boundary types for B and S,
    ``"minor<major"`` (see ``fp.score``).

    ``low`` and ``high`` are the 95% interval for other texts and other annotators: a jackknife over
    both, with Student's t (``freedom`` degrees). ``error`` is the standard error, ``texts_error``
    and ``coders_error`` are its parts. ``interval="texts"`` is a bootstrap over texts for these
    annotators (``method`` "t" below 100 texts and "percentile" from there, or as asked, or "bca"),
    ``interval="coders"`` a jackknife over annotators for these texts; ``over`` says which it is,
    ``intervals=False`` gives none. ``part()`` has more: "texts", "coders", "matrix", "without",
    "types", "levels" (boundary types as the levels of a hierarchy, 1 the coarsest, or as ``types``
    orders them), "speakers", "ceiling" and "differences".

    ``dask`` is the address of a Dask scheduler, ``"local"`` or a client, whose workers draw
    resamples and simulated annotations; it changes no number.

    >>> import fencepost as fp
    >>> texts = {"a": {"x": [5, 5, 4], "y": [5, 4, 5]}, "b": {"x": [6, 6], "y": [6, 6]}}
    >>> for row in fp.agreement(fp.Corpus.from_dict(texts)):
    ...     print(f"{row['coefficient']:6} {row['metric']:24} {row['observed']:.3f}")
    kappa  boundary_similarity      0.833
    alpha  boundary_agreement       0.917
    pi*    segmentation_similarity  0.958
    """
    if like is not None:
        if like not in PRESETS:
            raise MetricError(f"agreement has no preset {like!r}; it has: {', '.join(PRESETS)}")
        preset = PRESETS[like]
        metric, chance = metric or preset["metric"], chance or preset["chance"]
        counting = counting or preset.get("counting")
        pooling = pooling or preset.get("pooling")
    counting, pooling = counting or "cuts", pooling or "pooled"
    given = {
        "chance": chance, "counting": counting, "pooling": pooling, "weighting": weighting,
        "draws": draws, "seed": seed, "exact": exact, "interval": interval, "method": method,
        "resamples": resamples, "intervals": intervals, "all": all, "coefficient": coefficient,
    }  # fmt: skip
    for wrong in complaints("agreement", given):
        raise MetricError(wrong)
    wanted = _as_list(coefficient)
    if wanted and all:
        raise MetricError("all=True has every coefficient: remove coefficient or all")
    annotations = Annotations.of(Corpus.from_given(corpus, "corpus"))
    check_typed(types, [annotations.corpus.kind_names])
    # The order of types is that of levels too, whatever the metric.
    named = as_recipe("B" if metric is None else metric, like)
    (recipe,) = with_types([named], types, required=False)
    check_orders([recipe], [annotations.corpus])
    check_annotators(recipe, annotations.corpus)
    study = Study(
        annotations, recipe, draws, seed, exact,
        counting, pooling, weighting, resamples if intervals else 0, interval, method, types,
    )  # fmt: skip
    study.check_symmetry()
    usual = metric is None and chance is None and wanted is None
    with on_cluster(dask):
        return study.table(list(_rows(study, chance, wanted, all, headline or usual)))


def _rows(
    study: Study,
    chance: Chance | Sequence[Chance] | None,
    wanted: Sequence[str] | None,
    all: bool,
    headline: bool,
) -> Iterator[AgreementRow]:
    """Return the rows that were asked for."""
    if all:
        return study.everything()
    if headline:
        return study.headline()
    chances = _as_list(chance) or _chances_of(wanted)
    possible = {name for one in chances for name in BY_CHANCE[one]} | set(WITHOUT_CHANCE)
    for one in wanted or ():
        if one not in possible:
            raise MetricError(
                f"no coefficient {one} with chance {' or '.join(chances)}; "
                + "; ".join(f"{c} has {', '.join(n)}" for c, n in BY_CHANCE.items())
            )
    return study.rows(list(dict.fromkeys(chances)), wanted)


def _chances_of(wanted: Sequence[str] | None) -> list[str]:
    """Return the chances that go without saying: for each coefficient the first that has it."""
    if wanted is None:
        return ["sizes"]
    named = [one for one in wanted if one not in WITHOUT_CHANCE]
    return [next(c for c, names in BY_CHANCE.items() if one in names) for one in named]


def _as_list(given: Any) -> list[Any] | None:
    return given if given is None else [given] if isinstance(given, str) else list(given)


__all__ = [
    "COLUMNS",
    "PRESETS",
    "agreement",
]
