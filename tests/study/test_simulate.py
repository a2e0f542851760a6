"""Made-up texts: exact expectations within bounds derived from them, seeds, threads, invariants."""

import doctest
import json
import math
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fencepost as fp
from fencepost.cli import main
from fencepost.study import simulate
from support import csv_rows

MODELS = list(simulate.MODELS)
ADDING = ["FP1", "FP2", "FP3", "FP4", "FPN"]
# A count of independent events lies within 4.5 standard deviations of its expectation in all but
# 7 of a million cases; seeds are fixed, so a test that passes keeps passing.
DEVIATIONS = 4.5


def likely(count, number, share):
    """Whether so many of a number of independent events with this probability are credible."""
    return (
        abs(count - number * share) <= DEVIATIONS * math.sqrt(number * share * (1 - share)) + 1e-9
    )


def rows(column):
    bounds = column.offsets.tolist()
    return [column.values[a:b].tolist() for a, b in pairwise(bounds)]


def same(a, b):
    assert a.offsets.tolist() == b.offsets.tolist()
    assert a.values.tolist() == b.values.tolist()
    assert (a.kinds is None) == (b.kinds is None)
    assert a.kinds is None or a.kinds.tolist() == b.kinds.tolist()


GOLD = simulate.references(20, sizes="uniform:3-20", segments=50, seed=4)
TYPED = simulate.references(20, sizes="uniform:3-9", segments=50, types=["a", "b", "c"], seed=4)


# Sizes.


@pytest.mark.parametrize(
    ("sizes", "shares"),
    [
        ("uniform:3-7", dict.fromkeys(range(3, 8), 1 / 5)),
        ("uniform:4..4", {4: 1.0}),
        ("fixed:6", {6: 1.0}),
        (6, {6: 1.0}),
        ("2,5,5,9", {2: 0.25, 5: 0.5, 9: 0.25}),
        ([2, 5, 5, 9], {2: 0.25, 5: 0.5, 9: 0.25}),
        ("geometric:1", {1: 1.0}),
        ("geometric:4", {n: 0.25 * 0.75 ** (n - 1) for n in range(1, 12)}),
        (simulate.uniform(1, 2), {1: 0.5, 2: 0.5}),
    ],
)
def test_every_size_is_as_frequent_as_it_should_be(sizes, shares):
    texts = simulate.references(40, sizes=sizes, segments=250, seed=11)
    masses = np.concatenate([texts.segmentation(i).masses for i in range(40)])
    found = Counter(masses.tolist())
    assert all(likely(found[size], len(masses), share) for size, share in shares.items())
    if sizes != "geometric:4":
        assert set(found) <= set(shares)
        wanted = sum(size * share for size, share in shares.items())
        assert simulate.sizes_of(sizes).mean == pytest.approx(wanted)


def test_geometric_sizes_that_fill_a_text_are_independent_places():
    texts = simulate.references(50, sizes="geometric:8", units=400, seed=2)
    assert (texts.units == 400).all()
    assert likely(len(texts.column.values), 50 * 399, 1 / 8)
    # A cut after unit p says nothing about one after p + 1.
    beside = sum(np.isin(np.array(row) + 1, row).sum() for row in rows(texts.column))
    assert likely(int(beside), len(texts.column.values), 1 / 8)


@pytest.mark.parametrize("sizes", ["uniform:3-9", "fixed:5", "geometric:6", [1, 30]])
def test_a_text_has_the_units_or_the_segments_asked_for(sizes):
    by_units = simulate.references(10, sizes=sizes, units=77)
    by_segments = simulate.references(10, sizes=sizes, segments=13)
    for i in range(10):
        assert sum(by_units.segmentation(i).masses) == 77
        assert len(by_segments.segmentation(i).masses) == 13
    # Both draw the same sizes one after the other; the end of the text cuts the last one off.
    for long, short in zip(rows(by_units.column), rows(by_segments.column), strict=True):
        shared = min(len(long), len(short))
        assert long[:shared] == short[:shared]


def test_kinds_follow_their_weights():
    texts = simulate.references(20, segments=101, types={"comma": 3, "period": 1, "never": 0})
    assert texts.vocabulary == ("comma", "never", "period")
    counts = np.bincount(texts.column.kinds, minlength=3)
    assert likely(counts[0], 2000, 0.75) and counts[1] == 0


# Seeds and threads.


def made(seed, texts=6, copies=3):
    """One of everything."""
    gold = simulate.references(texts, sizes="uniform:2-12", segments=20, seed=seed)
    typed = simulate.references(texts, sizes="geometric:5", units=90, types=["a", "b"], seed=seed)
    yield gold.column
    yield typed.column
    for model in MODELS:
        yield simulate.errors(gold, model, 0.4, copies=copies, distance=3, seed=seed).hyp
    noise = {"substitute": 0.2, "move": 0.2, "delete": 0.2, "insert": 0.3, "distance": 2}
    yield simulate.typed(typed, **noise, copies=copies, seed=seed).hyp
    yield simulate.coders(texts, units=80, coders=copies, rate=0.2, seed=seed).column
    yield simulate.coders(texts, units=80, coders=copies, boundaries=9, seed=seed).column
    yield simulate.shuffled(gold, copies=copies, seed=seed).column


def test_the_same_seed_gives_the_same_and_another_gives_other_texts():
    for first, again, other in zip(made(5), made(5), made(6), strict=True):
        same(first, again)
        assert rows(first) != rows(other)


def test_more_texts_change_none_of_the_first():
    for few, many in zip(made(5, texts=2), made(5, texts=7), strict=True):
        assert rows(few) == rows(many)[: len(few)]


def test_more_copies_change_none_of_the_first():
    few, many = (simulate.errors(GOLD, "FNP2", copies=n, seed=3).hyp for n in (2, 5))
    wanted = [row for text in range(20) for row in rows(many)[5 * text : 5 * text + 2]]
    assert rows(few) == wanted


def test_threads_change_nothing():
    try:
        fp.set_threads(1)
        alone = list(made(9, texts=40))
        fp.set_threads(4)
        together = list(made(9, texts=40))
    finally:
        fp.set_threads(None)
    for one, four in zip(alone, together, strict=True):
        same(one, four)


@pytest.mark.slow
def test_blocks_change_nothing(monkeypatch):
    whole = [simulate.errors(GOLD, model, copies=4).hyp for model in MODELS]
    monkeypatch.setattr("fencepost.study.simulate.noise.CUTS_PER_BLOCK", 70)
    for model, before in zip(MODELS, whole, strict=True):
        same(simulate.errors(GOLD, model, copies=4).hyp, before)


def test_the_numbers_are_those_of_the_generator_written_plainly():
    def mix(z):
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
        return z ^ (z >> 31)

    draws = simulate.randomness.Draws.of(1, "x", 2)
    for row, key in enumerate(draws.keys.tolist()):
        own = mix(key ^ int(simulate.randomness.key_of("why")))
        plain = [
            (mix((own + (n + 1) * 0x9E3779B97F4A7C15) % 2**64) >> 11) * 2.0**-53 for n in range(9)
        ]
        assert draws.uniform("why", np.full(9, row), np.arange(9)).tolist() == plain


# Errors.


def pairs_of(model, p, **settings):
    pairs = simulate.errors(GOLD, model, p, **settings)
    return list(zip(rows(pairs.ref), rows(pairs.hyp), pairs.units.tolist(), strict=True))


@pytest.mark.parametrize("model", [*MODELS, "FP", "FNP"])
def test_without_errors_the_hypothesis_is_the_reference(model):
    assert all(ref == hyp for ref, hyp, _ in pairs_of(model, 0.0))


@pytest.mark.parametrize("model", MODELS)
def test_what_is_made_is_a_segmentation(model):
    pairs = simulate.errors(GOLD, model, 0.7, copies=3, distance=5)
    fp.Pairs(pairs.ref, pairs.hyp, pairs.units)  # refuses what is none
    assert len(pairs) == 60
    assert rows(pairs.ref)[::3] == rows(GOLD.column)


@pytest.mark.parametrize(("model", "plain"), [("FP", "FP1"), ("FNP", "FNP1")])
def test_the_papers_own_names(model, plain):
    assert pairs_of(model, 0.5) == pairs_of(plain, 0.5)


@pytest.mark.parametrize("p", [0.05, 0.5, 1.0])
def test_false_negatives(p):
    found = pairs_of("FN", p, copies=20)
    assert all(set(hyp) <= set(ref) for ref, hyp, _ in found)
    cuts = sum(len(ref) for ref, _, _ in found)
    assert likely(cuts - sum(len(hyp) for _, hyp, _ in found), cuts, p)


@pytest.mark.parametrize("model", ADDING)
def test_pure_false_positives_keep_every_cut(model):
    assert all(set(ref) <= set(hyp) for ref, hyp, _ in pairs_of(model, 0.5, copies=3))


@pytest.mark.parametrize("p", [0.05, 0.5, 1.0])
def test_one_false_positive_at_most_in_a_segment_at_any_inner_place(p):
    gold = simulate.references(20, sizes="fixed:9", segments=50)
    pairs = simulate.errors(gold, "FP1", p, copies=10)
    places = Counter()
    for ref, hyp in zip(rows(pairs.ref), rows(pairs.hyp), strict=True):
        false = sorted(set(hyp) - set(ref))
        segments = np.searchsorted(ref, false)
        assert len(set(segments.tolist())) == len(false)
        places.update(place % 9 for place in false)
    assert set(places) == set(range(1, 9))
    number = 20 * 50 * 10
    assert likely(sum(places.values()), number, p)
    assert all(likely(places[place], number, p / 8) for place in range(1, 9))


def test_a_segment_of_one_unit_has_no_room_for_a_false_positive():
    pairs = simulate.errors([[1, 1, 4, 1]], "FP1", 1.0, copies=50)
    assert {len(hyp) for hyp in rows(pairs.hyp)} == {4}


def test_false_positives_near_a_cut_are_normally_distributed():
    gold = simulate.references(400, sizes="fixed:200", segments=2)
    pairs = simulate.errors(gold, "FP2", 1.0, copies=10)
    offsets = np.array([sum(hyp) - 400 for hyp in rows(pairs.hyp)])  # the cut itself is 200
    assert (offsets != 0).all() and len(offsets) == 4000
    z = offsets / (200 / 4)
    assert abs(z.mean()) < DEVIATIONS / math.sqrt(len(z))
    assert abs(z.std() - 1) < DEVIATIONS / math.sqrt(2 * len(z)) + 0.005  # 0 is left out: .8%
    assert likely(int((np.abs(z) < 1).sum()), len(z), 0.6827)
    narrow = simulate.errors(gold, "FP2", 1.0, copies=10, spread=0.01)
    assert {abs(sum(hyp) - 400) for hyp in rows(narrow.hyp)} >= {1, 2, 3}


def test_a_text_without_another_place_stays_as_it_is():
    for model in MODELS:
        hyp = simulate.errors([[1, 1]], model, 1.0, copies=5).hyp
        assert all(row in ([], [1]) for row in rows(hyp))


def test_false_positives_anywhere():
    found = pairs_of("FP3", 0.5, copies=20)
    free = [(set(hyp) - set(ref), len(ref), units) for ref, hyp, units in found]
    expected = sum((units - 1 - cuts) * 0.5 * (cuts + 1) / units for _, cuts, units in free)
    extra = sum(len(false) for false, _, _ in free)
    assert abs(extra - expected) < DEVIATIONS * math.sqrt(expected)


@pytest.mark.parametrize("distance", [1, 2, 6])
def test_near_misses_and_false_cuts_at_the_same_distances(distance):
    gold = simulate.references(30, sizes="fixed:20", segments=40)
    moved, added = (
        simulate.errors(gold, model, 0.5, copies=5, distance=distance) for model in ("NM", "FPN")
    )
    lengths = Counter()
    for ref, hyp in zip(rows(moved.ref), rows(moved.hyp), strict=True):
        assert len(hyp) == len(ref)
        lengths.update(abs(a - b) for a, b in zip(ref, hyp, strict=True))
    cuts = 30 * 39 * 5
    assert likely(lengths[0], cuts, 0.5)
    assert all(likely(lengths[d], cuts, 0.5 / distance) for d in range(1, distance + 1))
    assert max(lengths) == distance
    # The false cuts of FPN stand where NM moves its cuts to.
    for ref, near, false in zip(rows(moved.ref), rows(moved.hyp), rows(added.hyp), strict=True):
        assert set(false) == set(ref) | set(near)


def test_the_expected_windowdiff_of_missed_cuts_is_exact():
    # Where no segment is shorter than k every cut lies alone in k windows.
    k, p = 12, 0.3
    gold = simulate.references(1, sizes="uniform:15-34", segments=400, seed=8)
    pairs = simulate.errors(gold, "FN", p, copies=300)
    recipe = fp.parse(f"windowdiff:k={k}")
    values = recipe.value(recipe.count(pairs))
    expected = p * k * 399 / (int(gold.units[0]) - k)
    deviation = k * math.sqrt(p * (1 - p) * 399) / (int(gold.units[0]) - k)
    assert abs(values.mean() - expected) < DEVIATIONS * deviation / math.sqrt(300)


def test_the_expected_pk_of_false_positives_is_exact():
    # In a segment of s units a false cut after j costs min(k, j, s - j) windows (s - k > k).
    k, size, p = 5, 14, 0.4
    gold = simulate.references(1, sizes=f"fixed:{size}", segments=300)
    pairs = simulate.errors(gold, "FP1", p, copies=300)
    recipe = fp.parse(f"pk:k={k}")
    windows = recipe.value(recipe.count(pairs)) * (300 * size - k)
    costs = np.array([min(k, j, size - j) for j in range(1, size)])
    mean = p * costs.mean()
    variance = p * (costs**2).mean() - mean**2
    assert abs(windows.mean() - 300 * mean) < DEVIATIONS * math.sqrt(300 * variance / 300)


# Boundaries with kinds.


def cells(column, row):
    own = slice(int(column.offsets[row]), int(column.offsets[row + 1]))
    return list(zip(column.values[own].tolist(), column.kinds[own].tolist(), strict=True))


def test_a_copy_without_noise_is_the_text():
    pairs = simulate.typed(TYPED, copies=2)
    same(pairs.ref, pairs.hyp)
    assert pairs.vocabulary == ("a", "b", "c")


def test_typed_boundaries_are_deleted_substituted_and_moved_at_their_rates():
    pairs = simulate.typed(TYPED, delete=0.2, substitute=0.3, move=0.1, copies=10)
    fp.Pairs(pairs.ref, pairs.hyp, pairs.units, vocabulary=pairs.vocabulary)
    cuts = len(pairs.ref.values)
    found, kinds = Counter(), Counter()
    for row in range(len(pairs)):
        hyp = dict(cells(pairs.hyp, row))  # sizes are at least 3 and cuts move by 1: one a place
        for place, kind in cells(pairs.ref, row):
            if place in hyp:
                found["kept" if hyp[place] == kind else "substituted"] += 1
                kinds[(hyp[place] - kind) % 3] += 1
            elif hyp.get(place - 1) == kind or hyp.get(place + 1) == kind:
                found["moved"] += 1
            else:
                found["deleted"] += 1
    # A neighbour of the same kind can stand beside the place of a deleted cut only by moving there.
    assert likely(found["kept"], cuts, 0.4) and likely(found["substituted"], cuts, 0.3)
    assert likely(kinds[1], cuts, 0.15) and likely(kinds[2], cuts, 0.15)
    assert len(pairs.hyp.values) == sum(found.values()) - found["deleted"]
    assert likely(cuts - len(pairs.hyp.values), cuts, 0.2)


def test_typed_boundaries_are_inserted_at_their_rate():
    pairs = simulate.typed(TYPED, insert=0.5, copies=10)
    for row in range(0, len(pairs), 10):
        assert set(cells(pairs.ref, row)) <= set(cells(pairs.hyp, row))
    # Every place gets a cut of kind t at a rate; one that stands there already is no new one.
    shares = np.bincount(TYPED.column.kinds, minlength=3) / len(TYPED.column.kinds)
    counts = pairs.ref.counts
    rates = 0.5 * counts / (pairs.units - 1)
    lost = np.repeat(rates, counts) * shares[pairs.ref.kinds]
    expected = 0.5 * counts.sum() - lost.sum()
    extra = len(pairs.hyp.values) - len(pairs.ref.values)
    assert abs(extra - expected) < DEVIATIONS * math.sqrt(expected)


def test_everything_can_be_deleted_and_moves_stay_in_the_text():
    assert not len(simulate.typed(TYPED, delete=1.0).hyp.values)
    short = simulate.references(50, sizes="fixed:2", segments=2, types=["a", "b"])
    moved = simulate.typed(short, move=1.0, distance=7)
    assert moved.hyp.values.min() >= 1 and moved.hyp.values.max() <= 3


# Random coders.


def test_coders_at_a_rate():
    found = simulate.coders(30, units=101, coders=3, rate=[0.05, 0.2, 1.0])
    counts = found.column.counts.reshape(30, 3).sum(axis=0)
    assert likely(counts[0], 3000, 0.05) and likely(counts[1], 3000, 0.2) and counts[2] == 3000
    assert found.coders == ["random 1", "random 2", "random 3"]


def test_coders_with_a_number_of_cuts_choose_every_set_equally_often():
    found = simulate.coders(6000, units=5, coders=1, boundaries=2)
    sets = Counter(map(tuple, rows(found.column)))
    assert len(sets) == 6
    assert all(likely(count, 6000, 1 / 6) for count in sets.values())


def test_shuffling_keeps_the_numbers_of_cuts():
    again = simulate.shuffled(GOLD, copies=3)
    assert again.column.counts.tolist() == np.repeat(GOLD.column.counts, 3).tolist()
    corpus = fp.Corpus.from_dict({"a": {"x": [5, 5, 2], "y": [3, 9]}, "b": {"y": [8]}})
    shuffled = simulate.shuffled_corpus(corpus)
    assert list(shuffled.entries) == list(corpus.entries)
    for key, seg in shuffled.entries.items():
        assert (seg.units, len(seg.cuts)) == (corpus.entries[key].units,
                                              len(corpus.entries[key].cuts))  # fmt: skip


# Word streams.


def words_of(streams):
    """Reference words and stream words of every segment."""
    return [
        (refs[0].split(), piece.split())
        for name, own in streams.references.items()
        for refs, piece in zip(own, streams.pieces[name], strict=True)
    ]


def test_a_stream_without_noise_is_its_reference():
    made = simulate.streams(3, segments=20)
    assert all(ref == piece for ref, piece in words_of(made))
    found = fp.resegment(made.references, made.streams)
    assert found.distance == 0
    assert made.streams == {name: " ".join(own) for name, own in made.pieces.items()}
    for name, ends in made.true_ends.items():
        assert ends == np.cumsum([len(piece.split()) for piece in made.pieces[name]]).tolist()


def is_subsequence(short, long):
    rest = iter(long)
    return all(word in rest for word in short)


def test_words_are_deleted_inserted_and_substituted_at_their_rates():
    size = {"documents": 5, "segments": 100, "sizes": "uniform:5-15", "words": 500}
    fewer = words_of(simulate.streams(**size, delete=0.2))
    number = sum(len(ref) for ref, _ in fewer)
    assert likely(number - sum(len(piece) for _, piece in fewer), number, 0.2)
    assert all(is_subsequence(piece, ref) for ref, piece in fewer)
    more = words_of(simulate.streams(**size, insert=0.1))
    assert likely(sum(len(piece) for _, piece in more) - number, number, 0.1)
    assert all(is_subsequence(ref, piece) for ref, piece in more)
    other = words_of(simulate.streams(**size, substitute=0.3))
    changed = sum(a != b for ref, piece in other for a, b in zip(ref, piece, strict=True))
    assert likely(changed, number, 0.3)
    # The noise is the same whatever the references are asked to be.
    assert [ref for ref, _ in fewer] == [ref for ref, _ in more] == [ref for ref, _ in other]


@pytest.mark.parametrize("distance", [1, 4])
def test_reordered_words_stay_in_their_segment(distance):
    made = simulate.streams(2, segments=60, words=10**6, reorder=0.3, distance=distance)
    moved = 0
    for ref, piece in words_of(made):
        assert sorted(ref) == sorted(piece)
        moved += ref != piece
    assert moved > 60
    none = simulate.streams(2, segments=60, words=10**6, reorder=0.0)
    assert [ref for ref, _ in words_of(made)] == [piece for _, piece in words_of(none)]


@pytest.mark.parametrize("sizes", ["fixed:8", "uniform:1-4"])
def test_repeated_phrases_stand_at_the_end_and_the_next_beginning(sizes):
    made = simulate.streams(2, segments=50, sizes=sizes, repeat=1.0, phrase=3, words=10**6)
    for own in made.references.values():
        texts = [one[0].split() for one in own]
        for before, after in pairwise(texts):
            length = min(3, len(before), len(after))
            assert before[-length:] == after[:length]
    some = simulate.streams(20, segments=51, sizes="fixed:9", repeat=0.4, words=10**6)
    repeats = 0
    for own in some.references.values():
        texts = [one[0].split() for one in own]
        repeats += sum(a[-3:] == b[:3] for a, b in pairwise(texts))
    assert likely(repeats, 1000, 0.4)


def test_further_references_vary():
    made = simulate.streams(2, segments=100, references=3, vary=0.25, words=300)
    segments = [one for own in made.references.values() for one in own]
    for other in (1, 2):
        both = [(one[0].split(), one[other].split()) for one in segments]
        number = sum(len(a) for a, _ in both)
        assert likely(sum(x != y for a, b in both for x, y in zip(a, b, strict=True)), number, 0.25)
    assert [one[1] for one in segments] != [one[2] for one in segments]


def test_frequent_words_are_as_frequent_as_their_weights_say():
    made = simulate.streams(10, segments=100, sizes="fixed:20", words=50)
    weights = 1 / (np.arange(1, 51) + 3.0)
    shares = weights / weights.sum()
    counts = np.bincount(made.stream, minlength=51)[1:]
    assert all(likely(int(c), 20000, share) for c, share in zip(counts, shares, strict=True))


def test_more_documents_change_none_of_the_first():
    noise = {"delete": 0.1, "substitute": 0.1, "insert": 0.1, "reorder": 0.1, "repeat": 0.3}
    few, many = (simulate.streams(n, segments=10, **noise, references=2) for n in (2, 5))
    for name in few.references:
        assert few.references[name] == many.references[name]
        assert few.pieces[name] == many.pieces[name]


# Laws.


@given(
    masses=st.lists(st.integers(1, 9), min_size=1, max_size=12),
    model=st.sampled_from(MODELS),
    p=st.floats(0, 1),
    distance=st.integers(1, 12),
    seed=st.integers(-(2**40), 2**70),
)
def test_any_errors_on_any_text_are_segmentations_of_it(masses, model, p, distance, seed):
    pairs = simulate.errors([masses], model, p, copies=3, distance=distance, seed=seed)
    fp.Pairs(pairs.ref, pairs.hyp, pairs.units)
    for ref, hyp in zip(rows(pairs.ref), rows(pairs.hyp), strict=True):
        if model == "FN":
            assert set(hyp) <= set(ref)
        if model in ADDING:
            assert set(hyp) >= set(ref)


# What is refused.


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: simulate.references(0, segments=3), "from 1 to 100,000,000"),
        (lambda: simulate.references(1), "so many segments or so many units"),
        (lambda: simulate.references(1, segments=3, units=9), "give one of the two"),
        (lambda: simulate.references(1, segments=3, sizes="normal:3"), "sizes are uniform:15-35"),
        (lambda: simulate.references(1, segments=3, sizes="uniform:9-3"), "from the smallest"),
        (lambda: simulate.references(1, segments=3, sizes=[0, 2]), "whole numbers from 1 up"),
        (lambda: simulate.references(1, segments=3, sizes="geometric:0.5"), "from 1 up"),
        (lambda: simulate.references(1, segments=3, types="ab"), "are names with weights"),
        (lambda: simulate.references(1, segments=3, types={"a": -1}), "weights from 0 up"),
        (lambda: simulate.references(1, segments=3, types={"a": 0}), "a weight above 0"),
        (lambda: simulate.references(1, segments=3, seed="x"), "seed must be a whole number"),
        (lambda: simulate.errors(GOLD, "FP5"), "no error model 'FP5'; there are FN, FP1"),
        (lambda: simulate.errors(GOLD, p=1.5), "p must be a number from 0 to 1, found 1.5"),
        (lambda: simulate.errors(GOLD, p=float("nan")), "from 0 to 1, found nan"),
        (lambda: simulate.errors(GOLD, copies=0), "copies must be"),
        (lambda: simulate.errors(GOLD, "FP2", spread=0), "from 1e-06 to 1e+06"),
        (lambda: simulate.errors(GOLD, "NM", distance=0), "distance must be"),
        (lambda: simulate.errors(TYPED), "simulate.typed does"),
        (lambda: simulate.errors({"a": {"x": [1, 2], "y": [3]}}), "2 coders; choose one"),
        (lambda: simulate.errors({}), "holds no segmentations"),
        (lambda: simulate.typed(GOLD), "no boundary types"),
        (lambda: simulate.typed(TYPED, delete=0.6, move=0.6), "add up to 1.2"),
        (lambda: simulate.typed(TYPED, insert=1000), "more boundaries than there are positions"),
        (lambda: simulate.typed(TYPED, insert=-1), "from 0 to 1,000"),
        (lambda: simulate.coders(1, units=9), "a rate or a number of boundaries"),
        (lambda: simulate.coders(1, units=9, boundaries=9), "9 boundaries do not fit"),
        (lambda: simulate.coders(1, units=9, coders=3, rate=[0.1]), "3 coders need as many"),
        (lambda: simulate.shuffled(TYPED), "not shuffled"),
        (lambda: simulate.streams(words=1), "words must be"),
        (lambda: simulate.streams(delete=0.7, substitute=0.7), "add up to 1.4"),
        (lambda: simulate.streams(repeat=2), "repeat must be a number from 0 to 1"),
    ],
)  # fmt: skip
def test_what_cannot_be_made_is_said(make, said):
    with pytest.raises(fp.FencepostError) as error:
        make()
    assert said in str(error.value)


# The command.


def run(*words):
    return main(["simulate", *map(str, words)])


@pytest.mark.parametrize("ending", ["json", "jsonl", "tsv", "csv"])
def test_references_come_back_from_every_format(tmp_path, ending):
    path = tmp_path / f"gold.{ending}"
    assert run("references", "--texts", 4, "--segments", 6, "--seed", 3, "-o", path) == 0
    wanted = simulate.references(4, segments=6, seed=3)
    back = fp.read(path)
    assert {k.text: s for k, s in back.entries.items()} == {
        k.text: s for k, s in wanted.entries.items()
    }


def test_errors_keep_the_names_of_the_texts(tmp_path):
    gold = tmp_path / "gold.json"
    gold.write_text('{"kitchen": [9, 8, 7], "garden": [5, 6, 7, 8]}')
    out = tmp_path / "hyp.json"
    assert run("errors", gold, "--model", "FP", "-p", 1, "--copies", 2, "-o", out) == 0
    wanted = simulate.errors({"kitchen": [9, 8, 7], "garden": [5, 6, 7, 8]}, "FP", 1.0, copies=2)
    back = fp.read(out)
    assert back.texts == ["copy 1", "copy 2"] and back.coders == ["kitchen", "garden"]
    found = {(key.coder, key.text): seg.cuts.tolist() for key, seg in back.entries.items()}
    names = [(text, f"copy {n}") for text in ("kitchen", "garden") for n in (1, 2)]
    assert [found[name] for name in names] == rows(wanted.hyp)


@pytest.mark.parametrize("ending", ["json", "jsonl", "jsonl.gz", "tsv", "csv"])
@pytest.mark.parametrize("gold", ["gold.json", "gold.jsonl"])
def test_hypotheses_can_be_scored_as_they_are_written(tmp_path, capsys, gold, ending):
    ref, hyp = tmp_path / gold, tmp_path / f"noisy.{ending}"
    assert run("references", "--texts", 3, "--segments", 9, "-o", ref) == 0
    assert run("errors", ref, "-p", 0.4, "-o", hyp) == 0
    capsys.readouterr()
    assert main(["score", str(ref), "-i", str(hyp), "-m", "B", "--csv",
                 "--table", "per-text"]) == 0  # fmt: skip
    pairs = simulate.errors(fp.read(ref), "FNP1", 0.4)
    both = [[pairs.segmentation(row, side) for row in range(3)] for side in ("ref", "hyp")]
    wanted = [fp.boundary_similarity(*pair).value for pair in zip(*both, strict=True)]
    out = csv_rows(capsys.readouterr().out)
    found = [float(row["value"]) for row in out if row["system"] == hyp.stem]
    assert found == wanted and min(wanted) < 1


def test_copies_are_scored_as_systems(tmp_path, capsys):
    ref, hyp = tmp_path / "gold.jsonl", tmp_path / "noisy.json"
    assert run("references", "--texts", 3, "--segments", 9, "-o", ref) == 0
    assert run("errors", ref, "-p", 0.4, "--copies", 3, "-o", hyp) == 0
    assert list(json.loads(hyp.read_text())) == ["copy 1", "copy 2", "copy 3"]
    capsys.readouterr()
    assert main(["score", str(ref), "-i", str(hyp), "-m", "windowdiff", "--csv"]) == 0
    out = capsys.readouterr().out
    assert all(f"copy {n}" in out for n in (1, 2, 3))


def test_typed_boundaries_come_back(tmp_path):
    gold, out = tmp_path / "gold.csv", tmp_path / "hyp.csv"
    assert run("references", "--texts", 2, "--units", 60, "--sizes", "geometric:5",
               "--types", "comma=3,period", "-o", gold) == 0  # fmt: skip
    assert run("typed", gold, "--substitute", "0.5", "-o", out) == 0
    before, after = fp.read(gold), fp.read(out)
    assert set(before.kind_names) == set(after.kind_names) == {"comma", "period"}
    assert [s.cuts.tolist() for s in before.entries.values()] == [
        s.cuts.tolist() for s in after.entries.values()
    ]


def test_coders_to_stdout_and_like_a_file(tmp_path, capsys):
    assert run("coders", "--texts", 2, "--units", 50, "--coders", 3, "--boundaries", 4) == 0
    path = tmp_path / "coders.json"
    path.write_text(capsys.readouterr().out)
    corpus = fp.read(path)
    assert {len(seg.cuts) for seg in corpus.entries.values()} == {4}
    assert run("coders", path, "--seed", 5) == 0
    assert capsys.readouterr().out != path.read_text()


@pytest.mark.parametrize("documents", [1, 3])
def test_streams_can_be_resegmented(tmp_path, capsys, documents):
    name = tmp_path / "talk"
    assert run("stream", "--documents", documents, "--segments", 8, "--references", 2,
               "--substitute", "0.1", "-o", name) == 0  # fmt: skip
    ending = "tsv" if documents > 1 else "txt"
    made = simulate.streams(documents, segments=8, references=2, substitute=0.1)
    back = (tmp_path / f"talk.true.{ending}").read_text().splitlines()[documents > 1 :]
    pieces = [piece for own in made.pieces.values() for piece in own]
    assert [line.split("\t")[-1] for line in back] == pieces
    refs = [f"{name}.ref{r}.{ending}" for r in (1, 2)]
    assert main(["resegment", *refs, "-i", f"{name}.hyp.{ending}"]) == 0
    assert f"{8 * documents} segments, 2 references" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["references", "--sizes", "x"], 1, "sizes are uniform:15-35"),
        (["references", "--sizes", f"fixed:{'9' * 5000}"], 1, "sizes have at most 18 digits"),
        (["references", "--types", "a=b"], 2, "is no weight"),
        (["references", "--types", "=1"], 2, "a boundary type has no name"),
        (["references", "-o", "gold.xyz"], 2, "the ending names no format"),
        (["coders", "gold.json", "--rate", "0.1"], 2, "a FILE has its own numbers of boundaries"),
        (["errors", "gold.json", "-o", "gold.json"], 2, "would overwrite the input file"),
        (["stream", "-o", "nowhere/talk"], 2, "cannot be written"),
    ],
)
def test_a_wrong_command_says_so(tmp_path, monkeypatch, capsys, words, code, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gold.json").write_text('{"a": [5, 5]}')
    assert run(*words) == code
    assert said in " ".join(capsys.readouterr().err.split())


def test_a_typed_file_without_boundaries_has_no_types(tmp_path, capsys):
    """The kernel that draws insertions was given a table without columns."""
    path = tmp_path / "none.md"
    path.write_text("It rained.\n", encoding="utf-8")
    assert run("typed", str(path), "--from", "markdown") == 1
    assert "the reference has no boundary types" in capsys.readouterr().err


def test_the_examples_of_the_documentation_give_what_they_say():
    path = Path(__file__).parents[2] / "docs" / "simulate.md"
    plain = re.sub(r"(?m)^```.*$", "", path.read_text(encoding="utf-8"))
    test = doctest.DocTestParser().get_doctest(plain, {}, "simulate.md", str(path), 0)
    assert len(test.examples) > 10
    assert doctest.DocTestRunner().run(test).failed == 0
