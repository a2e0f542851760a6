"""Texts at the limits: very long, very many boundaries or types, and any number of threads."""

import numpy as np
import pytest

import fencepost as fp
from fencepost import Pairs, Segmentation, _core
from fencepost.model.checks import MAX_UNITS
from support import PEAK, python
from test_native_edge import CALLS, ON_ROWS

NO_KINDS = np.empty(0, np.int32)


def interleaved(count: int) -> tuple[Segmentation, Segmentation]:
    """Boundaries after every unit, which the two sides have in turn."""
    units = 2 * count + 1
    places = np.arange(1, units, dtype=np.int64)
    return Segmentation(units, places[::2]), Segmentation(units, places[1::2])


def check_interleaved(count: int) -> None:
    """Every window of one position differs, and every boundary is a near miss by one unit."""
    ref, hyp = interleaved(count)
    for metric in (fp.windowdiff, fp.pk):
        counts = metric(ref, hyp, k=1).counts
        assert list(counts.values())[:2] == [2 * count, 2 * count]
    counts = fp.boundary_similarity(ref, hyp, n_t=2).counts
    assert counts["transpositions"] == count
    assert counts["missing"] == counts["extra"] == counts["matches"] == 0
    assert fp.generalized_hamming(ref, hyp, shift=1).value == count


def test_every_position_is_a_boundary() -> None:
    check_interleaved(1_000)


@pytest.mark.slow
def test_ten_million_boundaries() -> None:
    check_interleaved(5_000_000)


HUNDRED_MILLION = """
import numpy as np
import fencepost as fp

units = 100_000_001
ref, hyp = (fp.Segmentation(units, np.arange(first, units, 2, dtype=np.int32)) for first in (1, 2))
assert len(ref.cuts) + len(hyp.cuts) == 10**8
assert fp.windowdiff(ref, hyp, k=1).counts == {"differing": 10**8, "windows": 10**8}
assert fp.boundary_f(ref, hyp, tolerance=1).counts == {"tp": 5 * 10**7, "fp": 0, "fn": 0}
assert fp.boundary_similarity(ref, hyp, n_t=2).counts["transpositions"] == 5 * 10**7
print(peak())
"""


@pytest.mark.slow
def test_a_hundred_million_boundaries() -> None:
    pytest.importorskip("resource", reason="only some systems tell how much a process took")
    assert int(python(PEAK + HUNDRED_MILLION, timeout=300)) < 3 * 10**9


@pytest.mark.parametrize("units", [2**31 - 2, 2**31 - 1, 2**31, 2**31 + 5, 2**33, MAX_UNITS])
def test_long_texts_with_few_boundaries(units: int) -> None:
    middle = units // 2
    ref, hyp = Segmentation(units, [middle]), Segmentation(units, [middle + 10])
    for k in (1, 10, 11, 1000):  # a window that holds one of the two, and not the other
        counts = fp.windowdiff(ref, hyp, k=k).counts
        assert counts == {"differing": 2 * min(k, 10), "windows": units - k}
    whole = fp.windowdiff(ref, hyp, k=units - 1).counts
    assert whole == {"differing": 0, "windows": 1}
    last = fp.pk(Segmentation(units, [1]), Segmentation(units, [units - 1]), k=units - 2).counts
    assert list(last.values())[:2] == [2, 2]
    assert fp.boundary_similarity(ref, hyp, n_t=11).counts["transpositions"] == 1
    assert fp.boundary_similarity(ref, hyp, n_t=10).counts["transpositions"] == 0
    assert fp.boundary_agreement(ref, hyp).counts == {"agreeing": units - 3, "places": units - 1}
    assert fp.covering(ref, ref).value == 1
    assert fp.alignment_similarity(ref, ref).value == 1
    assert 0.999 < fp.alignment_similarity(ref, hyp).value < 1


@pytest.mark.slow
def test_offsets_beyond_32_bits() -> None:
    """Rows behind 2^31 values: memory that is not written is not used."""
    many = 2**31 + 5
    values = np.zeros(many + 3, dtype=np.int32)
    values[-3:] = 1, 5, 9
    offsets = np.array([0, many, many + 3])
    taken = _core.take_rows(
        values, offsets, NO_KINDS, np.empty(0), np.array([1, 1], dtype=np.int64)
    )
    assert taken[0].tolist() == [1, 5, 9, 1, 5, 9] and taken[1].tolist() == [0, 3, 6]


def test_a_thousand_types() -> None:
    half = 500
    kinds, at_one = np.arange(1, half + 1), np.full(half, 5)
    ref, hyp = Segmentation(9, at_one, kinds), Segmentation(9, at_one, kinds + half)
    counts = fp.boundary_similarity(ref, hyp).counts
    assert counts["substitutions"] == half and counts["matches"] == 0
    assert fp.boundary_similarity(ref, ref).value == 1
    assert fp.segmentation_similarity(ref, ref).value == 1


@pytest.mark.parametrize("weight", [0.0, 5e-324, 2.2e-308])
def test_weights_of_next_to_nothing(weight: float) -> None:
    score = fp.segmentation_similarity([5, 5], [4, 6], w_trp=weight, w_sub=weight)
    assert 0 <= score.value <= 1 and score.value == 1
    assert fp.alignment_similarity([5, 5], [4, 6], threshold=weight).value > 0


@pytest.mark.parametrize("n_t", [2**31, 2**40, 2**62, 2**63 - 1, 2**63])
def test_a_very_large_n_t_is_exact_or_refused(n_t: int) -> None:
    try:
        score = fp.boundary_similarity([5, 5, 9], [4, 7, 8], n_t=n_t)
    except fp.MetricError:
        return
    assert score.counts["transpositions"] == 2
    assert 0.99 < score.value <= 1


def random_rows() -> Pairs:
    rng = np.random.default_rng(5)
    sides: list[list[Segmentation]] = [[], []]
    for _ in range(9_000):
        units = int(rng.integers(2, 60))
        for side in sides:
            places = np.flatnonzero(rng.random(units - 1) < 0.3) + 1
            side.append(Segmentation(units, places))
    return Pairs.from_segmentations(*sides)


def test_counts_are_the_same_for_any_number_of_threads() -> None:
    pairs = random_rows()
    before = _core.get_threads()
    found: dict[int, dict[str, list[bytes]]] = {}
    try:
        for threads in (1, 2, 7):
            _core.set_threads(threads)
            # The sweep over thresholds brings a hypothesis of its own.
            names = [name for name in ON_ROWS if "hyp_offsets" not in CALLS[name]]
            found[threads] = {name: results(name, pairs) for name in names}
    finally:
        _core.set_threads(before)
    assert found[1] == found[2] == found[7]


def results(name: str, pairs: Pairs) -> list[bytes]:
    """What a native function returns for these pairs, as bytes."""
    arguments = dict(CALLS[name])
    for key, own in (("k", 2), ("tolerance", 1)):
        if key in arguments:
            arguments[key] = np.minimum(own, pairs.units - 1).astype(np.int64)
    returned = getattr(_core, name)(pairs.rows, **arguments)
    parts = returned if isinstance(returned, tuple) else (returned,)
    return [np.asarray(part).tobytes() for part in parts]
