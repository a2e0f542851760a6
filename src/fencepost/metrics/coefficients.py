"""Coefficients of agreement, explained: what they are, by which formula, with which chance.

``coders`` computes them from all annotations. Here they have names, so that signatures of alpha_U
and gamma, which compare no two segmentations, are of them, and ``fencepost metrics kappa`` answers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from fencepost.metrics.registry import Counts, Metric, Range, metric
from fencepost.model.checks import MetricError

COEFFICIENTS: dict[str, Metric[Any]] = {}


def _coefficient(
    name: str, title: str, cite: str, range: Range = (-math.inf, 1.0)
) -> Callable[[Callable[[Any], Counts]], Metric[Any]]:
    """Declare a coefficient by its docstring: nothing of two segmentations is counted."""

    def declare(function: Callable[[Any], Counts]) -> Metric[Any]:
        made = metric(
            title=title, cite=cite, counts=(), value=lambda: np.empty(0), better="higher",
            range=range, symmetric=True, input="annotators",
        )(function)  # fmt: skip
        COEFFICIENTS[name] = replace(made, name=name)
        return COEFFICIENTS[name]

    return declare


def _of_annotators(_: Any) -> Counts:
    raise MetricError("coefficients are made from all annotations: fp.agreement(corpus)")


@_coefficient(
    "kappa",
    "beyond chance, own habits",
    "Cohen (1960); Davies & Fleiss (1982); chance by simulation, ours",
)
def kappa(annotations: Any) -> Counts:
    r"""Similarity of annotators beyond chance, each random annotator keeping their own habits.

    .. math:: \kappa = \frac{A_o - A_e}{1 - A_e}

    A_o is the value of a symmetric metric (B by default) from the added counts of all pairs of
    annotators, A_e its mean over seeded draws in which every annotator sets boundaries at random.
    ``--chance sizes`` (the default) permutes their own segment sizes, ``inner-sizes`` those between
    two boundaries, ``shuffle`` keeps their numbers of boundaries, ``positions`` prefers positions
    of the other texts, ``bernoulli`` keeps their rates. 1 is perfect, 0 is what these random
    annotators reach; undefined where chance reaches 1.
    """
    return _of_annotators(annotations)


@_coefficient(
    "pi", "beyond chance, common habits", "Scott (1955); Fleiss (1971); chance by simulation, ours"
)
def pi(annotations: Any) -> Counts:
    r"""Similarity of annotators beyond chance, random annotators having the habits of all.

    .. math:: \pi = \frac{A_o - A_e}{1 - A_e}

    A_o and A_e are those of kappa, but each random annotator has the segment sizes, numbers or
    rates of boundaries of another annotator or of all together. 1 is perfect, 0 is chance. Where
    annotators differ in how many boundaries they set, pi is below kappa.
    """
    return _of_annotators(annotations)


@_coefficient(
    "kappa*", "kappa by formula", "Fournier & Inkpen (2012), equations 10 to 15", (-1.0, 1.0)
)
def kappa_star(annotations: Any) -> Counts:
    r"""Kappa by the published formula, whose 0 is not what random annotators reach.

    .. math:: \kappa^* = \frac{A_o - A_e}{1 - A_e}, \quad
              A_e = \sum_k P(k \mid c_1)\, P(k \mid c_2)

    P(k | c) is the share of potential boundaries at which annotator c sets one of type k, averaged
    over pairs of annotators. This chance leaves out positions where neither sets a boundary, so
    random annotators reach far more than 0 with S; ``kappa`` is simulated instead. ``--chance
    two-category`` counts these positions too, without near misses.
    """
    return _of_annotators(annotations)


@_coefficient("pi*", "pi by formula", "Fournier & Inkpen (2012), equations 7 and 8", (-1.0, 1.0))
def pi_star(annotations: Any) -> Counts:
    r"""Pi by the published formula, whose 0 is not what random annotators reach.

    .. math:: \pi^* = \frac{A_o - A_e}{1 - A_e}, \quad A_e = \sum_k P(k)^2

    P(k) is the share of all potential boundaries at which annotators set one of type k. This chance
    leaves out positions where neither of two sets a boundary, so random annotators reach far more
    than 0 with S: ``fencepost agree`` prints how much.
    """
    return _of_annotators(annotations)


@_coefficient("bias", "annotator bias", "Artstein & Poesio (2008), Computational Linguistics 34(4)",
              (-1.0, 1.0))  # fmt: skip
def bias(annotations: Any) -> Counts:
    r"""What annotators' different rates of boundaries change: chance of pi* less that of kappa*.

    .. math:: A_e^{\pi^*} - A_e^{\kappa^*}

    0 where all annotators set equally many boundaries.
    """
    return _of_annotators(annotations)


@_coefficient("bennett", "Bennett's S", "Bennett, Alpert & Goldstein (1954)")
def bennett(annotations: Any) -> Counts:
    r"""Similarity beyond that of annotators who choose any answer at any position alike.

    .. math:: S = \frac{A_o - A_e}{1 - A_e}

    A_e is what annotators reach who choose no boundary or any type with equal probability
    (``--chance uniform``). 1 is perfect, 0 is chance.
    """
    return _of_annotators(annotations)


@_coefficient("modified bennett", "modified Bennett's S", "Lai et al. (2023)")
def modified_bennett(annotations: Any) -> Counts:
    r"""Similarity beyond that of annotators who keep their boundaries and choose types alike.

    .. math:: S' = \frac{A_o - A_e}{1 - A_e}

    A_e is what annotators reach who keep their own numbers of boundaries, at random positions, and
    choose every type with equal probability (``--chance uniform-kinds``). 1 is perfect, 0 is
    chance.
    """
    return _of_annotators(annotations)


@_coefficient("alpha", "Krippendorff's alpha", "Krippendorff (2004), Content Analysis, chapter 11")
def alpha(annotations: Any) -> Counts:
    r"""Krippendorff's alpha of the decisions at every position: boundary (of which types) or none.

    .. math:: \alpha = 1 - \frac{D_o}{D_e}

    D_o is the share of paired decisions of two annotators about one position that differ, D_e the
    same share of two decisions drawn from all of them without putting one back. 1 is perfect, 0 is
    chance. A boundary one position off is two errors: there are no near misses.
    """
    return _of_annotators(annotations)


@_coefficient(
    "majority",
    "agreement with the majority",
    "Gale, Church & Yarowsky (1992); Passonneau & Litman (1993)",
    (0.0, 1.0),
)
def majority(annotations: Any) -> Counts:
    r"""Share of all decisions that agree with the majority at their position; no chance.

    .. math:: \frac{1}{M} \sum_{p} \max_k n_{pk}

    n_pk is the number of annotators who decided k at position p, M the number of all decisions.
    Texts of two annotators have no majority and do not count. Boundaries are few, so that agreement
    that there is none decides; read a coefficient beyond chance beside it.
    """
    return _of_annotators(annotations)


@_coefficient("hearst", "kappa with the majority", "Hearst (1997), Computational Linguistics 23(1)")
def hearst(annotations: Any) -> Counts:
    r"""Mean kappa of each annotator with what more than half of all annotators decided.

    .. math:: \frac{1}{C} \sum_{c} \frac{A_c - E_c}{1 - E_c}, \quad E_c = r_c^2 + (1 - r_c)^2

    A_c is the share of positions at which annotator c and the majority agree, r_c the share of
    boundaries in both together (Siegel & Castellan 1988), C the number of annotators. The majority
    contains the annotator, so that even random annotators are above 0.
    """
    return _of_annotators(annotations)


@_coefficient(
    "alpha_U",
    "Krippendorff's alpha for unitizing",
    "Krippendorff (1995), Sociological Methodology 25",
)
def alpha_u(annotations: Any) -> Counts:
    r"""Krippendorff's alpha for unitizing: how far the ends of overlapping segments are apart.

    .. math:: {}_u\alpha = 1 - \frac{D_o}{D_e}

    D_o adds, over every two annotators, the squared distances of the starts and ends of segments
    that overlap, over the squared length of the text; D_e is its expectation if every segment could
    be anywhere (1995; 2004, section 11.6). 1 is perfect. Random annotators are above 0, because
    starts and ends of texts are shared: ``fencepost agree --all`` prints how much. Segments that
    end with boundaries of different types differ. Known weakness: long segments decide, since
    distances are squared.
    """
    return _of_annotators(annotations)


@_coefficient(
    "gamma",
    "aligned segments beyond chance",
    "Mathet, Widlöcher & Métivier (2015), Computational Linguistics 41(3)",
)
def gamma(annotations: Any) -> Counts:
    r"""How well the segments of all annotators can be aligned one to one, beyond chance.

    .. math:: \gamma = 1 - \frac{\delta_o}{\delta_e}, \quad
              d(u, v) = \left( \frac{|s_u - s_v| + |e_u - e_v|}{|u| + |v|} \right)^2

    The disorder of an alignment is the mean of d over pairs of aligned segments u and v with their
    starts, ends and sizes, or 1 where a segment has no partner. delta_o is that of the best
    alignment found of all annotators' segments, delta_e its mean over seeded random annotators
    (by default with their own segment sizes in random order). 1 is perfect, 0 is chance. With
    three annotators or more the best alignment is searched; a note says what could be missed.
    Only positions count, no types.
    """
    return _of_annotators(annotations)
