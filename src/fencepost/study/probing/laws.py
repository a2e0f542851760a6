"""Laws, on all pairs of small texts: what a distance between texts should keep."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from fencepost.metrics.registry import Values
from fencepost.model.checks import Ints
from fencepost.study.probing.base import (
    EQUAL,
    Bools,
    Example,
    Measured,
    Subject,
    measures,
    shown,
    text_of,
)

Cases = Callable[[int, Values], tuple[Bools, Bools]]
Draw = Callable[[Subject, int, tuple[int, ...]], Example]


def _share(
    subject: Subject,
    cases: Cases,
    draw: Draw,
    what: str,
    most: int = 10,
    texts_of: Callable[[Ints], Ints] = lambda case: case,
) -> Measured:
    """The share of cases that break a law, and the smallest of them.

    ``cases`` takes a number of units and the losses of all pairs of such texts, and says which
    cases there are and which are broken. ``draw`` shows the texts of a case, whose numbers are the
    indexes of the case, or what ``texts_of`` makes of them.
    """
    total = broken = 0
    example: Example = ()
    for units in subject.sizes(most):
        there, wrong = cases(units, subject.loss(subject.table(units)))
        total, broken = total + int(there.sum()), broken + int(wrong.sum())
        if wrong.any() and not example:
            texts = texts_of(np.argwhere(wrong))
            cuts = ((texts[:, :, None] >> np.arange(16)) & 1).sum(axis=(1, 2))
            example = draw(subject, units, tuple(texts[np.argmin(cuts)].tolist()))
    if not total:
        return Measured(math.nan, "no case is defined")
    return Measured(broken / total, f"{broken} of {total} {what}", example)


def _pair(subject: Subject, units: int, case: tuple[int, ...]) -> Example:
    ref, hyp = text_of(case[0], units), text_of(case[1], units)
    return shown(subject, (ref, hyp, "reference", "hypothesis"))


def _law(
    name: str, what: str, draw: Draw = _pair, most: int = 10
) -> Callable[[Cases], Callable[[Subject], Measured]]:
    """Declare a law by its cases: what they are, and how one of them is drawn."""
    return lambda cases: measures(name)(lambda subject: _share(subject, cases, draw, what, most))


def _undefined(units: int, loss: Values) -> tuple[Bools, Bools]:
    return np.ones(loss.shape, dtype=bool), np.isnan(loss)


@measures("defined everywhere")
def defined(subject: Subject) -> Measured:
    """Pairs without a value, or at which a plain function fails."""
    found = _share(subject, _undefined, _pair, "pairs")
    if subject.failures:
        found = replace(found, detail=f"{found.detail}; {subject.failures[0]}")
    return found


@measures("in its range")
def in_range(subject: Subject) -> Measured:
    """The lowest and the highest value of all pairs of small texts."""
    low, high = subject.range
    every = np.concatenate([subject.table(units).ravel() for units in subject.sizes()])
    if np.isnan(every).all():
        return Measured(math.nan, "no value is defined")
    lowest, highest = float(np.nanmin(every)), float(np.nanmax(every))
    outside = max(0.0, low - lowest, highest - high)
    return Measured(outside, f"{lowest:.3g} to {highest:.3g} found")


@_law("equal texts are perfect", "texts")
def identity(units: int, loss: Values) -> tuple[Bools, Bools]:
    """Texts against themselves."""
    same = np.eye(len(loss), dtype=bool) & ~np.isnan(loss)
    return same, same & (np.abs(loss) > EQUAL)


@_law("only equal texts are perfect", "pairs")
def separation(units: int, loss: Values) -> tuple[Bools, Bools]:
    """Different texts that score as if they were equal."""
    other = ~np.eye(len(loss), dtype=bool) & ~np.isnan(loss)
    return other, other & (loss <= EQUAL)


def _both_orders(subject: Subject, units: int, case: tuple[int, ...]) -> Example:
    return _pair(subject, units, case) + _pair(subject, units, case[::-1])


@_law("symmetric", "pairs", _both_orders)
def symmetry(units: int, loss: Values) -> tuple[Bools, Bools]:
    """Both orders of every pair."""
    there = ~np.isnan(loss) & ~np.isnan(loss.T)
    return np.triu(there, 1), np.triu(there & (np.abs(loss - loss.T) > EQUAL), 1)


def _mirrored(units: int) -> Ints:
    """The number of each text read from its end."""
    codes = np.arange(1 << (units - 1))
    places = np.arange(units - 1)
    return np.asarray((((codes[:, None] >> places) & 1) << places[::-1]).sum(axis=1))


def _both_directions(subject: Subject, units: int, case: tuple[int, ...]) -> Example:
    turned = tuple(_mirrored(units)[list(case)].tolist())
    return _pair(subject, units, case) + _pair(subject, units, turned)


@_law("the same read backwards", "pairs", _both_directions)
def mirror(units: int, loss: Values) -> tuple[Bools, Bools]:
    """Every pair and its mirror image."""
    back = _mirrored(units)
    turned = loss[np.ix_(back, back)]
    there = ~np.isnan(loss) & ~np.isnan(turned)
    return there, there & (np.abs(loss - turned) > EQUAL)


def _triangle(subject: Subject, units: int, case: tuple[int, ...]) -> Example:
    a, b, c = (text_of(code, units) for code in case)
    return shown(subject, (a, c, "a", "c"), (a, b, "a", "b"), (b, c, "b", "c"))


@_law("triangle inequality", "triples", _triangle, most=8)
def triangle(units: int, loss: Values) -> tuple[Bools, Bools]:
    """All triples of small texts."""
    by_way = loss[:, :, None] + loss[None, :, :]  # a to b, b to c
    there = ~np.isnan(by_way) & ~np.isnan(loss)[:, None, :]
    return there, there & (loss[:, None, :] > by_way + EQUAL)


# Further errors.


def _further_errors(
    subject: Subject,
    counts: Callable[[Ints, Ints, Ints], Bools],
    wrong: Callable[[Values, Values], Bools],
) -> Measured:
    """Of the further errors that count, the share that moves the loss in a wrong way.

    A case is a place, a reference and a hypothesis that is right there, and gets an error there.
    """

    def cases(units: int, loss: Values) -> tuple[Bools, Bools]:
        ref, hyp = np.ogrid[: len(loss), : len(loss)]
        bit = (1 << np.arange(units - 1))[:, None, None]
        after = loss[ref, hyp ^ bit]
        right = ((ref ^ hyp) & bit) == 0
        there = right & counts(ref, hyp, bit) & ~np.isnan(loss) & ~np.isnan(after)
        return there, there & wrong(loss, after)

    def texts_of(case: Ints) -> Ints:
        place, ref, less = case.T
        return np.column_stack((ref, less, less ^ (1 << place)))

    def draw(subject: Subject, units: int, case: tuple[int, ...]) -> Example:
        ref, less, more = (text_of(code, units) for code in case)
        return shown(subject, (ref, less, "reference", "less"), (ref, more, "reference", "more"))

    return _share(subject, cases, draw, "further errors", texts_of=texts_of)


def _one_sided(ref: Ints, hyp: Ints, bit: Ints) -> Bools:
    """All errors, with the further one, are misses, or all are extra boundaries."""
    misses, extras = (ref & ~hyp) | (ref & bit), (hyp & ~ref) | (~ref & bit)
    return np.asarray((misses == 0) | (extras == 0))


def _not_beside(ref: Ints, hyp: Ints, bit: Ints) -> Bools:
    """The further error does not turn a full miss beside it into a near one."""
    missed = (ref & bit) != 0
    opposite = np.where(missed, hyp & ~ref, ref & ~hyp)
    return np.asarray((opposite & ((bit << 1) | (bit >> 1))) == 0)


def _better(less: Values, more: Values) -> Bools:
    """The further error lowers the loss."""
    return np.asarray(more < less - EQUAL)


@measures("further errors never help")
def monotonicity(subject: Subject) -> Measured:
    """One more miss among misses, one more extra boundary among extra boundaries."""
    return _further_errors(subject, _one_sided, _better)


@measures("every further error costs")
def strictness(subject: Subject) -> Measured:
    """Errors that a metric does not see."""
    worst = subject.span - EQUAL

    def free(less: Values, more: Values) -> Bools:
        return np.asarray((more <= less + EQUAL) & (less < worst))

    return _further_errors(subject, _one_sided, free)


@measures("no error makes up for another")
def mixed(subject: Subject) -> Measured:
    """An extra boundary that makes up for a miss it has nothing to do with, and the reverse."""
    return _further_errors(subject, _not_beside, _better)
