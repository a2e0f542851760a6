"""What a single error costs: by distance, by kind, by place, by the sizes around it; and many."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from fencepost.metrics.registry import Values
from fencepost.model.segmentation import Segmentation
from fencepost.study.probing.base import (
    EQUAL,
    Curve,
    Measured,
    Subject,
    measures,
)

SIZE = 20  # units of an ordinary segment
EVEN = Segmentation.from_masses([SIZE] * 10)
FAR_OFF = SIZE // 2  # units; a cut so far off is nobody's near miss


def _with(text: Segmentation, place: int) -> Segmentation:
    """The text with a cut there."""
    return Segmentation(text.units, sorted({*text.cuts.tolist(), place}))


def _without(text: Segmentation, place: int) -> Segmentation:
    """The text without the cut there."""
    return Segmentation(text.units, [cut for cut in text.cuts.tolist() if cut != place])


def _against(subject: Subject, ref: Segmentation, hyps: Sequence[Segmentation]) -> Values:
    return subject.losses([ref] * len(hyps), hyps)


def _ratio(x: float, y: float) -> float:
    return x / y if abs(y) > EQUAL else math.nan


def _curve(name: str, x_label: str, x: Sequence[int], losses: Values) -> Curve:
    return Curve(name, x_label, tuple(map(float, x)), tuple(losses.tolist()))


def _steps(losses: Values) -> tuple[float, int]:
    """The share of steps that raise the loss, less those that lower it; and how many lower it."""
    steps = np.diff(losses)
    if np.isnan(steps).any():
        return math.nan, 0
    rises, falls = int((steps > EQUAL).sum()), int((steps < -EQUAL).sum())
    return (rises - falls) / len(steps), falls


def _near_misses(subject: Subject) -> tuple[Values, Curve]:
    """The loss of a text's only cut moved by 0, 1, 2, ... units to the right."""
    moves = range(FAR_OFF + 1)
    hyps = [Segmentation(2 * SIZE, [SIZE + d]) for d in moves]
    losses = _against(subject, Segmentation(2 * SIZE, [SIZE]), hyps)
    return losses, _curve("near misses", "units off (segments of 20)", moves, losses)


@measures("a near miss costs less")
def near_miss(subject: Subject) -> Measured:
    """One cut between two segments of 20 units, moved."""
    losses, curve = _near_misses(subject)
    costs = ", ".join(f"{loss:.2g}" for loss in losses[1:4])
    return Measured(_ratio(losses[1], losses[FAR_OFF]), f"1, 2, 3 off: {costs}", curves=(curve,))


@measures("the further off the worse")
def graded(subject: Subject) -> Measured:
    """The same cut; a step that lowers the cost counts against those that raise it."""
    losses = _near_misses(subject)[0][1:]
    figure, falls = _steps(losses)
    if math.isnan(figure):
        return Measured(figure)
    last = 1 + max((i + 1 for i, step in enumerate(np.diff(losses)) if step > EQUAL), default=0)
    return Measured(figure, f"rises up to {last} off" + (f", falls {falls} times" if falls else ""))


@measures("a near miss beats an extra one")
def near_miss_or_extra(subject: Subject) -> Measured:
    """The middle one of nine cuts moved by one, or kept with an extra boundary there."""
    cut = EVEN.units // 2
    extra = _with(EVEN, cut + 1)
    near, added = _against(subject, EVEN, [_without(extra, cut), extra])
    return Measured(_ratio(near, added), f"1 off {near:.3g}, extra one {added:.3g}")


def _extras(subject: Subject) -> tuple[list[int], Values]:
    """The loss of one extra boundary at every place that is no cut."""
    places = [p for p in range(1, EVEN.units) if p % SIZE]
    return places, _against(subject, EVEN, [_with(EVEN, place) for place in places])


@measures("missing and extra cost the same")
def misses_and_extras(subject: Subject) -> Measured:
    """Every cut left out, every other place added."""
    misses = _against(subject, EVEN, [_without(EVEN, cut) for cut in EVEN.cuts.tolist()])
    _, extras = _extras(subject)
    miss, extra = float(np.mean(misses)), float(np.mean(extras))
    ratio = _ratio(miss, extra)
    if math.isnan(ratio) and miss > EQUAL:
        ratio = math.inf
    return Measured(ratio, f"missing {miss:.3g}, extra {extra:.3g}")


@measures("edges cost what the middle does")
def edges(subject: Subject) -> Measured:
    """Extra boundaries by their place in a segment, and misses of the first or last boundary."""
    extra, by_place = _extras_at_edges(subject)
    miss, by_distance = _misses_at_edges(subject)
    known = [ratio for ratio in (extra, miss) if not math.isnan(ratio)]
    worst = max(known, key=lambda ratio: abs(ratio - 1), default=math.nan)
    said = f"extra {extra:.3g}, missing {miss:.3g}".replace("nan", "undefined")
    return Measured(worst, said, curves=(by_place, by_distance))


def _extras_at_edges(subject: Subject) -> tuple[float, Curve]:
    """Extra boundaries in the first and last segment, by those in the eight segments between."""
    places, losses = _extras(subject)
    by_segment = losses.reshape(10, SIZE - 1)
    inner = by_segment[1:-1].mean(axis=0)
    curve = _curve("by position", "position of one extra boundary", places, losses)
    return _most_unlike(by_segment[[0, -1]], inner), curve


def _misses_at_edges(subject: Subject) -> tuple[float, Curve]:
    """The outermost boundary missed, 1 to 20 units from an end, by the miss of the middle one.

    The segment beside it makes up for the size, so that units, segments and k stay the same.
    """
    sizes = [[d, 2 * SIZE - d, *[SIZE] * 8] for d in range(1, SIZE + 1)]
    texts = [Segmentation.from_masses(own[::step]) for step in (1, -1) for own in sizes]
    outer = [_without(text, text.cuts[at]) for text, at in
             zip(texts, [0] * SIZE + [-1] * SIZE, strict=True)]  # fmt: skip
    losses = subject.losses(texts, outer).reshape(2, SIZE)
    middle = _against(subject, EVEN, [_without(EVEN, EVEN.units // 2)])
    curve = _curve("missing near an end", "units from the start", range(1, SIZE + 1), losses[0])
    return _most_unlike(losses, np.repeat(middle, SIZE)), curve


def _most_unlike(losses: Values, usual: Values) -> float:
    """The ratio to the usual loss that is furthest from 1; NaN where a loss is undefined."""
    seen = usual > EQUAL
    if np.isnan(losses).any() or not seen.any():
        return math.nan
    ratios = (losses[:, seen] / usual[seen]).ravel()
    return float(ratios[np.argmax(np.abs(ratios - 1))])


SIZES = range(2, SIZE + 1, 2)  # of a segment between ordinary ones
START = 4 * SIZE  # where that segment begins


def _by_size(subject: Subject, name: str, extra: Sequence[int], moved: bool) -> Measured:
    """What an error costs in or beside segments of 2 to 20 units, at ``extra`` units in them.

    The segment after makes up for the size, so that units, segments and k stay the same.
    """
    refs = [
        Segmentation.from_masses([SIZE] * 4 + [size, 2 * SIZE - size] + [SIZE] * 4)
        for size in SIZES
    ]
    hyps = [_with(ref, START + place) for ref, place in zip(refs, extra, strict=True)]
    losses = subject.losses(refs, [_without(hyp, START) for hyp in hyps] if moved else hyps)
    curve = _curve(name, "units of the segment", SIZES, losses)
    said = f"2 units: {losses[0]:.3g}, 20 units: {losses[-1]:.3g}"
    return Measured(_ratio(losses[0], losses[-1]), said, curves=(curve,))


@measures("small segments cost what large do")
def extra_by_size(subject: Subject) -> Measured:
    """An extra boundary in the middle of segments of 2 to 20 units."""
    return _by_size(subject, "extra boundary by size", [size // 2 for size in SIZES], moved=False)


@measures("near misses weigh by size")
def near_miss_by_size(subject: Subject) -> Measured:
    """The cut before segments of 2 to 20 units, moved into them by one."""
    return _by_size(subject, "near miss by size", [1] * len(SIZES), moved=True)


@measures("an error fades as segments grow")
def extra_by_mass(subject: Subject) -> Measured:
    """One match and one extra boundary, all segments growing together."""
    units = range(4, 101, 4)
    refs, hyps = (
        [Segmentation(n, [n * at // 4 for at in places]) for n in units] for places in ([1], [1, 2])
    )
    losses = subject.losses(refs, hyps)
    curve = _curve("one error, growing segments", "units of the text", units, losses)
    said = f"4 units: {losses[0]:.3g}, 100 units: {losses[-1]:.3g}"
    return Measured(_ratio(losses[-1], losses[0]), said, curves=(curve,))


def _rising(losses: Values, curve: Curve) -> Measured:
    figure, _ = _steps(losses)
    if math.isnan(figure):
        return Measured(figure, curves=(curve,))
    at = int(np.argmax(losses >= losses.max() - EQUAL))
    return Measured(figure, f"largest, {losses.max():.3g}, from {at} on", curves=(curve,))


@measures("missing boundaries add up")
def misses_add_up(subject: Subject) -> Measured:
    """The cuts left out one after another."""
    cuts = EVEN.cuts.tolist()
    hyps = [Segmentation(EVEN.units, cuts[n:]) for n in range(len(cuts) + 1)]
    losses = _against(subject, EVEN, hyps)
    return _rising(losses, _curve("missing", "missing boundaries", range(len(losses)), losses))


@measures("extra boundaries add up")
def extras_add_up(subject: Subject) -> Measured:
    """Segmentations of 100 units into n + 2 equal parts; only their first cut is right."""
    every = [[math.floor(100 * i / (n + 2) + 0.5) for i in range(1, n + 2)] for n in range(11)]
    refs, hyps = ([Segmentation(100, own[:most]) for own in every] for most in (1, None))
    losses = subject.losses(refs, hyps)
    return _rising(losses, _curve("extra", "extra boundaries", range(11), losses))


@measures("counts boundaries in a window")
def several_in_a_window(subject: Subject) -> Measured:
    """A cut added between true ones two units apart, and one left out between true neighbours."""
    close = Segmentation.from_masses([SIZE, 1, 1, SIZE, SIZE])
    pair = _without(close, SIZE + 1)
    opened = _with(pair, 3 * SIZE // 2 + SIZE + 2)
    extra, miss, far = subject.losses([pair, close, pair], [close, pair, opened])
    ratio = _ratio(float(np.minimum(extra, miss)), far)
    return Measured(ratio, f"extra {extra:.3g}, missing {miss:.3g}, in the open {far:.3g}")
