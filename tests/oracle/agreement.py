"""Agreement between coders, every formula as printed: {text: {coder: masses}} in, fractions out.

Equations are those of Fournier & Inkpen (2012), section 3.5; alpha is Krippendorff's (2004,
chapter 11); kappa with the majority is Hearst's (1997) with the K of Siegel & Castellan (1988,
section 9.8). Where coders are missing, sums go over the pairs and the annotations that exist.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate, combinations

from fencepost import Segmentation
from oracle import alignment, boundary, edit
from oracle.text import Texts

Masses = Sequence[int]
Corpus = Mapping[str, Mapping[str, Masses]]
Similarity = Callable[[Texts], Fraction | None]

SIMILARITIES: dict[str, Similarity] = {
    "B": edit.boundary_similarity,
    "S": edit.segmentation_similarity,
    "A": alignment.alignment_similarity,
    "F": boundary.boundary_f,
    "boundary_agreement": boundary.boundary_agreement,
}


def shared(corpus: Corpus) -> dict[str, Mapping[str, Masses]]:
    """The texts that two or more coders did."""
    return {text: coders for text, coders in corpus.items() if len(coders) > 1}


def seg(masses: Masses) -> Segmentation:
    """Cuts stand where segments end, but for the last."""
    return Segmentation(sum(masses), list(accumulate(masses))[:-1])


def pairs(corpus: Corpus) -> list[tuple[Segmentation, Segmentation]]:
    """Every two coders of every text."""
    return [
        (seg(coders[a]), seg(coders[b]))
        for coders in shared(corpus).values()
        for a, b in combinations(coders, 2)
    ]


# Observed.


def observed(corpus: Corpus, similarity: Similarity) -> Fraction | None:
    """The similarity of all pairs as if they were one text."""
    return similarity(pairs(corpus))


def observed_by_mass(corpus: Corpus, similarity: Similarity) -> Fraction:
    """Equation 6: every pair weighs what its text does."""
    each = [(pair[0].units, similarity([pair])) for pair in pairs(corpus)]
    defined = [(mass, value) for mass, value in each if value is not None]
    return Fraction(sum(mass * value for mass, value in defined), sum(m for m, _ in defined))


def observed_as_printed(corpus: Corpus, similarity: Similarity) -> Fraction:
    """Equation 12 to the letter: mass above, mass - 1 below."""
    each = [(pair[0].units, similarity([pair])) for pair in pairs(corpus)]
    defined = [(mass, value) for mass, value in each if value is not None]
    return Fraction(sum(mass * value for mass, value in defined), sum(m - 1 for m, _ in defined))


# Expected.


def boundaries(masses: Masses, counting: str) -> int:
    """Cuts, or, as Table 2 counts, segments."""
    return len(masses) - (counting == "cuts")


def annotations(corpus: Corpus) -> Iterator[tuple[str, Masses]]:
    """Coder and masses of every annotation of a shared text."""
    for coders in shared(corpus).values():
        yield from coders.items()


def pooled_rate(corpus: Corpus, counting: str = "cuts", pooling: str = "pooled") -> Fraction:
    """Equation 8; or the unweighted mean of every annotation's own rate."""
    all_of_them = [masses for _, masses in annotations(corpus)]
    if pooling == "mean-of-rates":
        rates = [Fraction(boundaries(m, counting), sum(m) - 1) for m in all_of_them]
        return sum(rates, Fraction(0)) / len(rates)
    cuts = sum(boundaries(m, counting) for m in all_of_them)
    return Fraction(cuts, sum(sum(m) - 1 for m in all_of_them))


def rate_of(corpus: Corpus, coder: str, counting: str = "cuts") -> Fraction:
    """Equation 11."""
    own = [masses for name, masses in annotations(corpus) if name == coder]
    return Fraction(sum(boundaries(m, counting) for m in own), sum(sum(m) - 1 for m in own))


def over_pairs(corpus: Corpus, chance: Callable[[str, str], Fraction]) -> Fraction:
    """The mean over every two coders; where some are missing, by the places they share."""
    above = below = Fraction(0)
    for coders in shared(corpus).values():
        for a, b in combinations(coders, 2):
            places = sum(coders[a]) - 1
            above += places * chance(a, b)
            below += places
    return above / below


def expected_pi(corpus: Corpus, counting: str = "cuts", pooling: str = "pooled") -> Fraction:
    """Equations 7 and 13: both cut, at the rate of all."""
    return pooled_rate(corpus, counting, pooling) ** 2


def expected_kappa(corpus: Corpus, counting: str = "cuts") -> Fraction:
    """Equations 10 and 15: both cut, each at the own rate."""
    return over_pairs(
        corpus, lambda a, b: rate_of(corpus, a, counting) * rate_of(corpus, b, counting)
    )


def bias(corpus: Corpus, counting: str = "cuts", pooling: str = "pooled") -> Fraction:
    """Equation 16."""
    return expected_pi(corpus, counting, pooling) - expected_kappa(corpus, counting)


def expected_two_category_pi(corpus: Corpus) -> Fraction:
    """Both cut or neither does, at the rate of all."""
    p = pooled_rate(corpus)
    return p**2 + (1 - p) ** 2


def expected_two_category_kappa(corpus: Corpus) -> Fraction:
    """Both cut or neither does, each at the own rate."""

    def chance(a: str, b: str) -> Fraction:
        p, q = rate_of(corpus, a), rate_of(corpus, b)
        return p * q + (1 - p) * (1 - q)

    return over_pairs(corpus, chance)


def beyond(observed: Fraction | None, expected: Fraction) -> Fraction | None:
    """(A_a - A_e) / (1 - A_e)."""
    if observed is None or expected == 1:
        return None
    return (observed - expected) / (1 - expected)


# Exact places.


def decisions(corpus: Corpus) -> list[list[bool]]:
    """For every place of every text what each of its coders decided."""
    found = []
    for coders in shared(corpus).values():
        cuts = [set(accumulate(masses)) for masses in coders.values()]
        units = sum(next(iter(coders.values())))
        found += [[place in own for own in cuts] for place in range(1, units)]
    return found


def alpha(corpus: Corpus) -> Fraction | None:
    """1 - D_o / D_e from the matrix of coincidences, nominal."""
    o = {(c, k): Fraction(0) for c in (True, False) for k in (True, False)}
    for values in decisions(corpus):
        for i, c in enumerate(values):
            for j, k in enumerate(values):
                if i != j:
                    o[c, k] += Fraction(1, len(values) - 1)
    n_c = {c: o[c, True] + o[c, False] for c in (True, False)}
    n = n_c[True] + n_c[False]
    differ = 2 * n_c[True] * n_c[False]
    if differ == 0:
        return None
    return 1 - (n - 1) * (o[True, False] + o[False, True]) / differ


def majority(corpus: Corpus) -> Fraction | None:
    """Share of decisions that are the more frequent one at their place, in texts of three coders.

    Two coders have no majority.
    """
    of_three = {text: own for text, own in shared(corpus).items() if len(own) > 2}
    if not of_three:
        return None
    found = decisions(of_three)
    with_it = sum(max(values.count(True), values.count(False)) for values in found)
    return Fraction(with_it, sum(len(values) for values in found))


def beside_majority(corpus: Corpus, coder: str) -> tuple[Fraction, Fraction]:
    """P(A) and P(E) of a coder and the majority, which cuts where more than half of all do."""
    places = same = cuts = 0
    for coders in shared(corpus).values():
        if coder not in coders:
            continue
        sets = {name: set(accumulate(masses[:-1])) for name, masses in coders.items()}
        for place in range(1, sum(coders[coder])):
            votes = sum(place in own for own in sets.values())
            most, own = Fraction(votes, len(coders)) > Fraction(1, 2), place in sets[coder]
            places, same, cuts = places + 1, same + (own == most), cuts + own + most
    p = Fraction(cuts, 2 * places)
    return Fraction(same, places), p**2 + (1 - p) ** 2


def hearst(corpus: Corpus) -> tuple[Fraction, Fraction, Fraction | None]:
    """Means over coders: P(A), P(E), and K = (P(A) - P(E)) / (1 - P(E)) where it is defined."""
    names = dict.fromkeys(coder for coder, _ in annotations(corpus))
    each = [beside_majority(corpus, coder) for coder in names]
    kappas = [(a - e) / (1 - e) for a, e in each if e != 1]
    mean = sum(kappas, Fraction(0)) / len(kappas) if kappas else None
    return (
        sum((a for a, _ in each), Fraction(0)) / len(each),
        sum((e for _, e in each), Fraction(0)) / len(each),
        mean,
    )


# Consensus.


def segmentations(units: int) -> Iterator[Segmentation]:
    """All of them, the fewest cuts first, then from the left."""
    for count in range(units):
        for cuts in combinations(range(1, units), count):
            yield Segmentation(units, cuts)


def mean_similarity(
    one: Segmentation, coders: Sequence[Masses], similarity: Similarity
) -> Fraction:
    """The mean of the similarities with each coder."""
    values = [similarity([(seg(masses), one)]) for masses in coders]
    known = [value for value in values if value is not None]
    assert len(known) == len(values)
    return sum(known, Fraction(0)) / len(known)


def consensus(coders: Sequence[Masses], similarity: Similarity) -> tuple[Fraction, Segmentation]:
    """The highest mean similarity that any segmentation has, and the first that has it."""
    best: tuple[Fraction, Segmentation] | None = None
    for one in segmentations(sum(coders[0])):
        mean = mean_similarity(one, coders, similarity)
        if best is None or mean > best[0]:
            best = mean, one
    assert best is not None
    return best
