"""The report card of any metric: how it behaves, by measurements with stated thresholds."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeAlias, TypedDict, Unpack, overload

from fencepost.metrics.registry import Metric, Recipe, as_recipe
from fencepost.model.checks import FencepostError
from fencepost.model.corpus import Corpus
from fencepost.model.segmentation import Segmentation
from fencepost.study.probing import (  # noqa: F401 - imported, they declare their properties
    errors,
    judgements,
    laws,
    misbehaviours,
    probabilities,
    texts,
    types,
)
from fencepost.study.probing.base import (
    PROPERTIES,
    Answer,
    Curve,
    Measured,
    Preference,
    ProbeError,
    Property,
    Scope,
    Shown,
    Subject,
)
from fencepost.study.probing.card import Card, Cards
from fencepost.study.probing.judgements import DIAZ2022, read_preferences
from fencepost.study.probing.misbehaviours import MAX_UNITS
from fencepost.study.probing.ranks import correlations

Probed: TypeAlias = "str | Metric[Any] | Recipe | Callable[..., float]"

QUICK_SECONDS = 1e-3  # of a call; quicker functions need no estimate


class _Settings(TypedDict, total=False):
    corpus: Corpus | Sequence[Segmentation] | None
    properties: Iterable[str] | None
    preferences: str | Path | Sequence[Preference]
    seed: int
    largest: int


@overload
def probe(metric: Probed, against: None = None, **settings: Unpack[_Settings]) -> Card: ...


@overload
def probe(metric: Probed, against: Sequence[Probed], **settings: Unpack[_Settings]) -> Cards: ...


@overload
def probe(
    metric: Probed, against: Sequence[Probed] | None, **settings: Unpack[_Settings]
) -> Card | Cards: ...


def probe(
    metric: Probed,
    against: Sequence[Probed] | None = None,
    *,
    corpus: Corpus | Sequence[Segmentation] | None = None,
    properties: Iterable[str] | None = None,
    preferences: str | Path | Sequence[Preference] = (),
    seed: int = 12345,
    largest: int = 10,
) -> Card | Cards:
    """How a metric behaves: a card of properties, each with a figure and a verdict.

    ``metric`` is a name with its settings, ``"my_metrics.py:closeness"``, or a plain function of
    two Segmentations. With ``against`` there is a card for each metric, and a rank correlation over
    the texts of ``corpus`` (or drawn ones), spoilt by seeded error models. ``preferences`` adds
    people's judgements to the judgements of diaz2022; ``largest`` is the number of units up to
    which all texts are tried. Every metric is measured on the same texts.

    >>> import fencepost as fp
    >>> card = fp.probe("windowdiff", properties=["symmetric", "edges cost what the middle does"])
    >>> [(answer.asked.name, answer.verdict) for answer in card]
    [('symmetric', 'no'), ('edges cost what the middle does', 'no')]
    """
    study = _study(seed, largest, preferences)
    chosen = _chosen(properties)
    subjects = _subjects([metric, *(against or ())], study)
    cards = [_card(subject, chosen) for subject in subjects]
    if against is None:
        return cards[0]
    references = list(corpus.entries.values()) if isinstance(corpus, Corpus) else corpus
    return Cards(tuple(cards), correlations(subjects, references))


def expected_seconds(
    metric: Probed,
    *,
    properties: Iterable[str] | None = None,
    seed: int = 12345,
    largest: int = 10,
) -> float:
    """How long the card of a plain function will take, from 50 calls; 0 for other metrics."""
    from fencepost.study.probing.speed import calls_of, seconds_per_call

    subject = Subject(as_recipe(metric, None), _study(seed, largest, ()))
    if not subject.plain:
        return 0.0
    one = seconds_per_call(subject)
    return one * calls_of(subject.study, _chosen(properties)) if one > QUICK_SECONDS else 0.0


def _study(seed: int, largest: int, preferences: Any) -> Scope:
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise ProbeError(f"the seed must be a whole number from 0 up, found {seed!r}")
    if isinstance(largest, bool) or not isinstance(largest, int) or not 5 <= largest <= MAX_UNITS:
        raise ProbeError(f"largest must be a whole number from 5 to {MAX_UNITS}, found {largest!r}")
    more = read_preferences(preferences) if isinstance(preferences, (str, Path)) else preferences
    return Scope(seed, largest, (*DIAZ2022, *more))


def _chosen(names: Iterable[str] | None) -> list[Property]:
    """The properties of these names or families, in the order of the card."""
    if names is None:
        return list(PROPERTIES)
    wanted = [names] if isinstance(names, str) else list(names)
    known = {one.name for one in PROPERTIES} | {one.family for one in PROPERTIES}
    for name in wanted:
        if name not in known:
            import difflib

            close = difflib.get_close_matches(name, known, n=1)
            families = ", ".join(dict.fromkeys(one.family for one in PROPERTIES))
            hint = f"; did you mean {close[0]!r}?" if close else ""
            raise ProbeError(f"no property {name!r}{hint} (whole families: {families})")
    return [one for one in PROPERTIES if one.name in wanted or one.family in wanted]


def _subjects(metrics: Sequence[Probed], study: Scope) -> list[Subject]:
    """Every metric once, however it is written."""
    found: dict[str, Subject] = {}
    for at, given in enumerate(metrics):
        if any(given is other or (isinstance(given, str) and given == other)
               for other in metrics[:at]):  # fmt: skip
            continue
        subject = Subject(as_recipe(given, None), study)
        known = found.setdefault(str(subject.recipe.signature()), subject)
        if known is not subject and subject.plain:
            raise ProbeError(
                f"two functions are called {subject.label}; give one of them another name"
            )
    return list(found.values())


def _card(subject: Subject, properties: Sequence[Property]) -> Card:
    """All answers; a metric that fails at every property is an error, not a card."""
    answers = tuple(one.answer(subject) for one in properties)
    failures: list[FencepostError] = [a.failed for a in answers if a.failed is not None]
    failures += subject.failures
    if failures and all(math.isnan(answer.figure) or answer.figure == 1 for answer in answers):
        raise failures[0]
    return Card(
        subject.label,
        subject.recipe.metric.title,
        subject.better,
        subject.recipe.signature(),
        answers,
        subject.study.seed,
    )


__all__ = [
    "PROPERTIES",
    "Answer",
    "Card",
    "Cards",
    "Curve",
    "Measured",
    "Preference",
    "ProbeError",
    "Property",
    "Scope",
    "Shown",
    "expected_seconds",
    "probe",
    "read_preferences",
]
