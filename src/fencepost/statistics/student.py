"""Student's t with any degrees of freedom: tail areas and quantiles, without scipy."""

from __future__ import annotations

import math
from functools import lru_cache

MANY = 200.0  # degrees of freedom from where Fisher's expansion has eight digits
STEPS = 200  # of the continued fraction, which needs about sqrt(degrees of freedom)
TINY = 1e-300


def two_sided(t: float, freedom: float) -> float:
    """Return the chance that \\|T\\| is at least \\|t\\|.

    >>> round(two_sided(2.776445, 4), 6)
    0.05
    """
    if not math.isfinite(t):
        return 0.0
    return _beta_share(freedom / (freedom + t * t), freedom / 2, 0.5)


def upper_tail(t: float, freedom: float) -> float:
    """Return the chance that T is at least t."""
    half = two_sided(t, freedom) / 2
    return half if t >= 0 else 1 - half


@lru_cache(maxsize=4096)
def quantile(freedom: float, tail: float = 0.025) -> float:
    """Return the t that is exceeded with the chance ``tail`` (below one half).

    >>> [round(quantile(n), 3) for n in (1, 4, 30, 1000)]
    [12.706, 2.776, 2.042, 1.962]
    """
    if freedom >= MANY:
        return _expanded(freedom, tail)
    half = (freedom + 1) / 2
    peak = math.exp(math.lgamma(half) - math.lgamma(freedom / 2)) / math.sqrt(freedom * math.pi)
    # The tail is convex there, so Newton's steps from the normal quantile never pass the root.
    t = _expanded(math.inf, tail)
    for _ in range(100):
        density = peak * (1 + t * t / freedom) ** -half
        step = (two_sided(t, freedom) / 2 - tail) / density
        t += step
        if step <= 1e-12 * t:
            break
    return t


def _expanded(n: float, tail: float) -> float:
    """Return the quantile by its expansion around the normal one (Fisher 1926)."""
    from statistics import NormalDist  # slow to import

    z = -NormalDist().inv_cdf(tail)
    return (
        z
        + (z**3 + z) / (4 * n)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * n**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * n**3)
    )


def _beta_share(x: float, a: float, b: float) -> float:
    """Return the regularized incomplete beta function, by its continued fraction."""
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    if x > (a + 1) / (a + b + 2):  # the fraction of the other tail ends sooner
        return 1 - _beta_share(1 - x, b, a)
    log = a * math.log(x) + b * math.log1p(-x)
    log += math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    return math.exp(log) / a * _fraction(x, a, b)


def _fraction(x: float, a: float, b: float) -> float:
    """Evaluate the continued fraction of the incomplete beta function by Lentz's rule."""
    c, d = 1.0, 1 / ((1 - (a + b) * x / (a + 1)) or TINY)
    value = d
    for m in range(1, STEPS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for part in (even, odd):
            d, c = 1 / ((1 + part * d) or TINY), (1 + part / c) or TINY
            value *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return value
