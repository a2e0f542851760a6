"""Window metrics as Pevzner & Hearst (2002) and their relatives print them, window by window."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor

from fencepost import Segmentation
from oracle.text import Texts, decimal, mean_segment, places, segments


def half_up(number: Fraction) -> int:
    """Round to the nearest whole number, a half upwards."""
    return floor(number + Fraction(1, 2))


def width(ref: Segmentation, k: int | str, references: Sequence[Segmentation]) -> int:
    """The k of one text by its rule."""
    half = mean_segment(ref) / 2
    cuts = len(places(ref))
    if isinstance(k, int):
        return k
    if k == "auto-half-up":
        return min(max(half_up(half), 1), max(ref.units - 1, 1))
    if k == "corpus-half-up":
        units = sum(seg.units for seg in references)
        return max(half_up(Fraction(units, 2 * sum(len(segments(seg)) for seg in references))), 1)
    if k == "auto-segeval":
        return max(2, round(half))  # round() takes a half to the even number
    if k == "auto-fournier2012":
        return max(2, half_up(half))
    if k == "auto-nltk":
        return round(Fraction(ref.units - 1, 2 * max(cuts, 1)))
    raise ValueError(k)


@dataclass(frozen=True)
class Window:
    """The number of cuts that each side has in one window."""

    r: int
    h: int


def windows_of(ref: Segmentation, hyp: Segmentation, k: int, pad: str, window: str) -> list[Window]:
    """Lay out the text with its phantom units, and look at each window of k places in turn."""
    if window == "units":
        k -= 1
    if not 1 <= k < ref.units:
        return []
    phantom = {"none": 0, "lamprier": k - 1, "segeval": k}[pad]
    length = phantom + ref.units + phantom
    r, h = ([phantom + p for p in places(seg)] for seg in (ref, hyp))
    seen = [
        Window(sum(i < p <= i + k for p in r), sum(i < p <= i + k for p in h))
        for i in range(length - k)
    ]
    if pad == "segeval":
        seen.append(Window(0, 0))  # it divides by one window more than it looks at
    return seen


def all_windows(
    texts: Texts, k: int | str, pad: str, window: str, empty: tuple[str, ...] = ()
) -> list[Window]:
    """The windows of every text; by the rules ``empty``, one that holds nothing if there is none.

    NLTK and segeval print 0 for texts in which they see no window (segeval's window_diff: for
    texts of one unit).
    """
    references = [ref for ref, _ in texts]
    seen = []
    for ref, hyp in texts:
        own = windows_of(ref, hyp, width(ref, k, references), pad, window)
        nothing = not own and (k in empty or (ref.units == 1 and f"{k}:1" in empty))
        seen += [Window(0, 0)] if nothing else own
    return seen


def mean(numbers: Sequence[int]) -> Fraction | None:
    """The mean; undefined without numbers."""
    return Fraction(sum(numbers), len(numbers)) if numbers else None


def pk(
    texts: Texts, *, k: int | str = "auto-half-up", pad: str = "none", window: str = "boundaries"
) -> Fraction | None:
    """Share of windows in which one side has a cut and the other has none."""
    seen = all_windows(texts, k, pad, window, ("auto-nltk", "auto-segeval"))
    return mean([(w.r > 0) != (w.h > 0) for w in seen])


def pk_prime(
    texts: Texts, *, k: int | str = "auto-half-up", pad: str = "none", window: str = "boundaries"
) -> Fraction | None:
    """Like Pk, with false alarms counted twice."""

    def penalty(w: Window) -> int:
        if w.r == 0 and w.h > 0:
            return 2
        return 1 if w.r > 0 and w.h == 0 else 0

    return mean([penalty(w) for w in all_windows(texts, k, pad, window)])


def windowdiff(
    texts: Texts,
    *,
    k: int | str = "auto-half-up",
    pad: str = "none",
    weighted: bool = False,
    window: str = "boundaries",
) -> Fraction | None:
    """Share of windows with different numbers of cuts, or the mean difference."""
    seen = all_windows(texts, k, pad, window, ("auto-nltk", "auto-segeval:1"))
    return mean([abs(w.r - w.h) if weighted else int(w.r != w.h) for w in seen])


@dataclass(frozen=True)
class WinPR:
    """The four sums of Scaiano & Inkpen (2012)."""

    tp: int
    fp: int
    fn: int
    tn: int
    windows: int


def winpr(texts: Texts, k: int | str) -> WinPR:
    """The sums over padded windows of all texts."""
    references = [ref for ref, _ in texts]
    tp = fp = fn = tn = windows = 0
    for ref, hyp in texts:
        own = width(ref, k, references)
        seen = windows_of(ref, hyp, own, "lamprier", "boundaries")
        if not seen:
            continue
        tp += sum(min(w.r, w.h) for w in seen)
        fp += sum(max(0, w.h - w.r) for w in seen)
        fn += sum(max(0, w.r - w.h) for w in seen)
        tn += -own * (own - 1) + sum(own - max(w.r, w.h) for w in seen)
        windows += len(seen)
    return WinPR(tp, fp, fn, tn, windows)


def share(part: int, whole: int, sums: WinPR) -> Fraction | None:
    """1 where neither side has a cut, 0 where one has; undefined without windows."""
    if sums.windows == 0:
        return None
    if sums.tp + sums.fp + sums.fn == 0:
        return Fraction(1)
    return Fraction(part, whole) if whole else Fraction(0)


def winpr_precision(texts: Texts, *, k: int | str = "auto-half-up") -> Fraction | None:
    """TP / (TP + FP)."""
    sums = winpr(texts, k)
    return share(sums.tp, sums.tp + sums.fp, sums)


def winpr_recall(texts: Texts, *, k: int | str = "auto-half-up") -> Fraction | None:
    """TP / (TP + FN)."""
    sums = winpr(texts, k)
    return share(sums.tp, sums.tp + sums.fn, sums)


def winpr_f(texts: Texts, *, k: int | str = "auto-half-up") -> Fraction | None:
    """The harmonic mean of precision and recall."""
    precision, recall = winpr_precision(texts, k=k), winpr_recall(texts, k=k)
    if precision is None or recall is None:
        return None
    if precision + recall == 0:
        return Fraction(0)
    return 2 * precision * recall / (precision + recall)


def c_seg(
    texts: Texts,
    *,
    k: int | str = "auto-half-up",
    c_miss: float = 1.0,
    c_fa: float = 0.3,
    p_seg: float = 0.3,
) -> Fraction | None:
    """Detection cost of TDT; a part without its kind of window is left out."""
    seen = all_windows(texts, k, "none", "boundaries")
    if not seen:
        return None
    present = [w for w in seen if w.r > 0]
    absent = [w for w in seen if w.r == 0]
    p_miss = mean([w.h == 0 for w in present]) or Fraction(0)
    p_fa = mean([w.h > 0 for w in absent]) or Fraction(0)
    prior = decimal(p_seg)
    return decimal(c_miss) * p_miss * prior + decimal(c_fa) * p_fa * (1 - prior)
