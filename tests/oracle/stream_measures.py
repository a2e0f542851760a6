"""Measures of segments, as their papers print them: plain, slow, with fractions."""

import math
from collections.abc import Sequence
from fractions import Fraction

Words = Sequence[str]
References = Sequence[Sequence[Words | None]]


def edits(hyp: Words, ref: Words) -> tuple[int, int, int]:
    """The whole table, and a walk back that prefers deletion, then insertion, then the rest."""
    cost = [[0] * (len(ref) + 1) for _ in range(len(hyp) + 1)]
    for i in range(len(hyp) + 1):
        for n in range(len(ref) + 1):
            ways = [0] if i == n == 0 else []
            if n:
                ways.append(cost[i][n - 1] + 1)
            if i:
                ways.append(cost[i - 1][n] + 1)
            if i and n:
                ways.append(cost[i - 1][n - 1] + (hyp[i - 1] != ref[n - 1]))
            cost[i][n] = min(ways)
    i, n = len(hyp), len(ref)
    substitutions = insertions = deletions = 0
    while i or n:
        if n and cost[i][n] == cost[i][n - 1] + 1:
            deletions, n = deletions + 1, n - 1
        elif i and cost[i][n] == cost[i - 1][n] + 1:
            insertions, i = insertions + 1, i - 1
        else:
            i, n = i - 1, n - 1
            substitutions += hyp[i] != ref[n]
    return substitutions, insertions, deletions


def d_per(hyp: Words, ref: Words) -> Fraction:
    """Half of the difference of lengths and of all counts (section 2.2)."""
    differences = sum(abs(list(hyp).count(e) - list(ref).count(e)) for e in sorted({*hyp, *ref}))
    return Fraction(abs(len(hyp) - len(ref)) + differences, 2)


def d_wer(hyp: Words, ref: Words) -> Fraction:
    """The least number of edits."""
    return Fraction(sum(edits(hyp, ref)))


def error_rate(
    distance: str, hyps: Sequence[Words], references: References, reading: str
) -> Fraction | None:
    """Errors over reference words, in one of the three readings; None if there are no words."""
    d = {"wer": d_wer, "per": d_per}[distance]
    errors, words = Fraction(0), 0
    for hyp, own in zip(hyps, references, strict=True):
        there = [ref for ref in own if ref is not None]
        # min takes the first of equals.
        lowest_rate = min(there, key=lambda ref: d(hyp, ref) / max(len(ref), 1))
        fewest = min(there, key=lambda ref: d(hyp, ref))
        if reading == "rate":
            errors, words = errors + d(hyp, lowest_rate), words + len(lowest_rate)
        elif reading == "count":
            errors, words = errors + d(hyp, fewest), words + len(fewest)
        else:
            errors, words = errors + d(hyp, fewest), words + len(lowest_rate)
    return errors / words if words else None


def grams(words: Words, n: int) -> list[tuple[str, ...]]:
    """All n-grams, in order."""
    return [tuple(words[i : i + n]) for i in range(len(words) - n + 1)]


def nist(hyps: Sequence[Words], references: References) -> float:
    """Sum over n of information by n-gram, times the penalty for length (Doddington 2002)."""
    everything = [ref for own in references for ref in own if ref is not None]
    mean_length = sum(
        Fraction(sum(len(r) for r in own if r is not None), sum(r is not None for r in own))
        for own in references
    )
    if mean_length == 0:
        return math.nan

    def occurrences(gram: tuple[str, ...]) -> int:
        if not gram:
            return sum(map(len, everything))
        return sum(grams(ref, len(gram)).count(gram) for ref in everything)

    score = 0.0
    for n in range(1, 6):
        information, total = 0.0, 0
        for hyp, own in zip(hyps, references, strict=True):
            found = grams(hyp, n)
            total += len(found)
            for gram in sorted(set(found)):
                most = max(grams(ref, n).count(gram) for ref in own if ref is not None)
                if most:
                    info = math.log2(occurrences(gram[:-1]) / occurrences(gram))
                    information += min(most, found.count(gram)) * info
        score += information / total if total else 0.0
    ratio = min(Fraction(1), sum(map(len, hyps)) / mean_length)
    if ratio == 0:
        return 0.0
    beta = math.log(0.5) / math.log(1.5) ** 2
    return score * math.exp(beta * math.log(ratio) ** 2)


def chopped(words: int, lengths: Sequence[Fraction]) -> list[int]:
    """Ends of segments in proportion to lengths, halves up."""
    total = sum(lengths)
    return [0] + [
        math.floor(Fraction(words) * sum(lengths[: k + 1]) / total + Fraction(1, 2))
        for k in range(len(lengths))
    ]


def tau_b(x: Sequence[float], y: Sequence[float]) -> float:
    """Concordant minus discordant pairs, over the root of pairs untied on each side."""
    pairs = [(i, j) for i in range(len(x)) for j in range(i)]
    concordant = sum((x[i] - x[j]) * (y[i] - y[j]) > 0 for i, j in pairs)
    discordant = sum((x[i] - x[j]) * (y[i] - y[j]) < 0 for i, j in pairs)
    varied = sum(x[i] != x[j] for i, j in pairs) * sum(y[i] != y[j] for i, j in pairs)
    return (concordant - discordant) / math.sqrt(varied) if varied else math.nan
