"""Scores of probabilities as their formulas are printed: threshold by threshold, draw by draw."""

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product

from fencepost import Segmentation
from oracle.boundary import largest_matching, reach
from oracle.edit import boundary_similarity
from oracle.text import Texts, places
from oracle.window import width


def chances(seg: Segmentation) -> list[Fraction]:
    """The probability of a boundary at each position."""
    found = [Fraction(0)] * (seg.units - 1)
    weights = [1.0] * len(seg.cuts) if seg.weights is None else seg.weights.tolist()
    for place, weight in zip(seg.cuts.tolist(), weights, strict=True):
        if place < seg.units:
            found[place - 1] = Fraction(weight)
    return found


def curve(ref: Segmentation, hyp: Segmentation, tolerance: int | str) -> list[tuple[int, int]]:
    """True positives and boundaries set at each threshold, from none to all positions."""
    own = chances(hyp)
    points = [(0, 0)]
    for threshold in sorted({*own, Fraction(0)}, reverse=True):
        kept = [i + 1 for i, chance in enumerate(own) if chance >= threshold]
        points.append((largest_matching(places(ref), kept, reach(ref, tolerance)), len(kept)))
    return points


def average_precision(texts: Texts, *, tolerance: int | str = 0) -> Fraction | None:
    """The sum of (R_t - R_(t-1)) P_t, over the boundaries of all texts."""
    total, boundaries = Fraction(0), 0
    for ref, hyp in texts:
        boundaries += len(places(ref))
        before = 0
        for found, kept in curve(ref, hyp, tolerance):
            if found > before:
                total += (found - before) * Fraction(found, kept)
            before = found
    return total / boundaries if boundaries else None


def area(tp: int, fp: int, found: int, false: int) -> Fraction:
    """The integral of x / (x + fp + h (x - tp)) from tp to found, to fifty digits."""
    gained = found - tp
    h = Fraction(false - fp, gained)
    a, b = 1 + h, fp - h * tp  # x / (a x + b)
    if b == 0:
        return gained / a
    with localcontext() as context:
        context.prec = 60
        ratio = (a * found + b) / (a * tp + b)
        log = (Decimal(ratio.numerator) / Decimal(ratio.denominator)).ln()
        return gained / a - b / a**2 * Fraction(log)


def pr_auc(texts: Texts, *, tolerance: int | str = 0) -> Fraction | None:
    """The area under the curve of Davis & Goadrich, over the boundaries of all texts."""
    total, boundaries = Fraction(0), 0
    for ref, hyp in texts:
        boundaries += len(places(ref))
        before, set_before = 0, 0
        for found, kept in curve(ref, hyp, tolerance):
            if found > before:
                total += area(before, set_before - before, found, kept - found)
            before, set_before = found, kept
    return total / boundaries if boundaries else None


def brier(texts: Texts) -> Fraction | None:
    """The mean of (h - r)^2 over all positions."""
    squares = [
        (h - r) ** 2 for ref, hyp in texts for r, h in zip(chances(ref), chances(hyp), strict=True)
    ]
    return sum(squares, Fraction(0)) / len(squares) if squares else None


def calibration_error(texts: Texts, *, bins: int = 10) -> Fraction | None:
    """The mean difference of bins, weighted by their positions."""
    pairs = [(r, h) for ref, hyp in texts for r, h in zip(chances(ref), chances(hyp), strict=True)]
    if not pairs:
        return None
    gap = Fraction(0)
    for number in range(bins):
        own = [(r, h) for r, h in pairs if bin_of(h, bins) == number]
        gap += abs(sum((h - r for r, h in own), Fraction(0)))
    return gap / len(pairs)


def bin_of(chance: Fraction, bins: int) -> int:
    """The bin of a probability; the product is rounded as a computer does."""
    return min(int(float(chance) * bins), bins - 1)


def count_distribution(own: list[Fraction]) -> list[Fraction]:
    """The probability of each number of boundaries, over all outcomes."""
    found = [Fraction(0)] * (len(own) + 1)
    for outcome in product((0, 1), repeat=len(own)):
        weight = Fraction(1)
        for bit, chance in zip(outcome, own, strict=True):
            weight *= chance if bit else 1 - chance
        found[sum(outcome)] += weight
    return found


def windows(texts: Texts, k: int | str, pad: str) -> list[tuple[int, list[Fraction]]]:
    """Boundaries of the reference and distribution of those of the hypothesis in each window."""
    references = [ref for ref, _ in texts]
    seen = []
    for ref, hyp in texts:
        own = width(ref, k, references)
        if not 1 <= own < ref.units:
            continue
        phantom = [Fraction(0)] * {"none": 0, "lamprier": own - 1, "segeval": own}[pad]
        r = [*phantom, *map(Fraction, hard(ref)), *phantom]
        h = [*phantom, *chances(hyp), *phantom]
        for i in range(len(h) - own + 1):
            nonzero = [chance for chance in h[i : i + own] if chance]
            seen.append((int(sum(r[i : i + own])), count_distribution(nonzero)))
        if pad == "segeval":
            seen.append((0, [Fraction(1)]))
    return seen


def hard(seg: Segmentation) -> list[int]:
    """A 1 for each position with a boundary."""
    return [int(place in places(seg)) for place in range(1, seg.units)]


def expected_pk(
    texts: Texts, *, k: int | str = "auto-half-up", pad: str = "none"
) -> Fraction | None:
    """The mean probability that one side has a boundary in a window and the other has none."""
    wrong = [h[0] if r > 0 else 1 - h[0] for r, h in windows(texts, k, pad)]
    return sum(wrong, Fraction(0)) / len(wrong) if wrong else None


def expected_windowdiff(
    texts: Texts, *, k: int | str = "auto-half-up", pad: str = "none"
) -> Fraction | None:
    """The mean probability that a window has another number of boundaries than the reference."""
    wrong = [1 - (h[r] if r < len(h) else Fraction(0)) for r, h in windows(texts, k, pad)]
    return sum(wrong, Fraction(0)) / len(wrong) if wrong else None


def expected_b(
    texts: Texts, *, n_t: int = 2, matching: str = "optimal", draws: int = 0, seed: int = 0
) -> Fraction:
    """The mean over texts of B over all outcomes; draws and seed change nothing."""
    total = Fraction(0)
    for ref, hyp in texts:
        own = chances(hyp)
        uncertain = [i for i, chance in enumerate(own) if 0 < chance < 1]
        plain = Segmentation(ref.units, places(ref))
        for outcome in product((0, 1), repeat=len(uncertain)):
            weight, kept = Fraction(1), [chance == 1 for chance in own]
            for bit, i in zip(outcome, uncertain, strict=True):
                weight *= own[i] if bit else 1 - own[i]
                kept[i] = bool(bit)
            drawn = Segmentation(ref.units, [i + 1 for i, one in enumerate(kept) if one])
            total += weight * boundary_similarity([(plain, drawn)], n_t=n_t, matching=matching)
    return total / len(texts)
