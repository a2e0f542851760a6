"""Annotators at random: what is kept, what is drawn, and when another chance stands for it."""

import math
from collections import Counter
from itertools import permutations, product

import numpy as np
import pytest

import fencepost as fp
from annotators import STARGAZERS, masses, random_corpus
from fencepost.coders.annotations import Annotations
from fencepost.coders.chance import (
    MAX_UNCHANGED,
    Null,
    SegmentSizes,
    _donors,
    bundle_starts,
    draw,
    keys_of,
    nulls,
    size_chance,
)
from fencepost.statistics.randomness import GOLDEN

TYPED = {
    ("t", "A"): {
        "x": fp.Segmentation.from_marks(["", "p", "", "q", "p", "", "q"], ("p", "q")),
        "y": fp.Segmentation.from_marks(["p", "", "", "q", "", "", "p"], ("p", "q")),
    },
    ("t", "B"): {
        "x": fp.Segmentation.from_marks(["", "p", "", ""], ("p", "q")),
        "y": fp.Segmentation.from_marks(["", "", "q", ""], ("p", "q")),
    },
}


def annotations(corpus, sees="positions"):
    return Annotations.of(fp.Corpus.from_given(corpus, "corpus")).view(sees)


def drawn(seen, null, draws=50, sees="positions"):
    """The boundaries of every row, one list per draw."""
    column = draw(seen, sees, null, keys_of(seen, 1), range(draws))
    rows = np.split(column.values, column.offsets[1:-1])
    return [rows[n * len(seen) : (n + 1) * len(seen)] for n in range(draws)]


def sizes_of(units, places):
    return masses(units, [p for p in dict.fromkeys(places.tolist()) if p < units])


def test_permuted_sizes_are_the_same_sizes():
    seen = annotations(random_corpus(3, texts=4, units=25, missing=0.3))
    before = np.split(seen.column.values, seen.column.offsets[1:-1])
    for rows in drawn(seen, Null("sizes", "kappa")):
        for units, own, old in zip(seen.units.tolist(), rows, before, strict=True):
            assert Counter(sizes_of(units, own)) == Counter(sizes_of(units, old))


@pytest.mark.parametrize("chance", ["sizes", "inner-sizes"])
def test_types_and_marked_ends_are_kept(chance):
    seen = annotations(TYPED, "kinds+end")
    column = seen.column
    for number in range(20):
        own = draw(seen, "kinds+end", Null(chance, "kappa"), keys_of(seen, number), range(1))
        for row in range(len(seen)):
            at = slice(column.offsets[row], column.offsets[row + 1])
            assert sorted(own.kinds[at]) == sorted(column.kinds[at])
            old, new = column.values[at].tolist(), own.values[at].tolist()
            units = int(seen.units[row])
            assert (units in old) == (units in new)
            if chance == "sizes" or units in old:
                assert sorted(sizes_of(units, own.values[at])) == sorted(
                    sizes_of(units, column.values[at])
                )


def test_every_order_of_sizes_is_equally_likely():
    seen = annotations({"t": {"x": [1, 2, 4], "y": [7]}})
    found = Counter(tuple(rows[0].tolist()) for rows in drawn(seen, Null("sizes", "kappa"), 6000))
    assert set(found) == {tuple(np.cumsum(order)[:-1]) for order in permutations([1, 2, 4])}
    assert all(abs(count - 1000) < 5 * math.sqrt(1000) for count in found.values())


def test_the_expected_value_is_the_mean_over_all_orders():
    sizes = [[1, 2, 4, 5], [2, 3, 7], [1, 3, 8]]
    corpus = {"t": dict(zip("xyz", sizes, strict=True))}
    row = fp.agreement(corpus, chance="sizes", coefficient="kappa", draws=4000)[0]
    assert row["chance"] == "sizes"
    every = [[fp.Segmentation.from_masses(order) for order in permutations(s)] for s in sizes]
    recipe, values = fp.boundary_similarity.recipe(), []
    for x, y, z in product(*every):
        counts = [fp.boundary_similarity(*pair).counts for pair in ((x, y), (x, z), (y, z))]
        added = [[sum(one[name] for one in counts) for name in recipe.counts]]
        values.append(float(recipe.value(np.array(added))[0]))
    assert abs(row["expected"] - np.mean(values)) < 4 * row["standard_error"]


def test_inner_sizes_keep_the_inner_ones_and_the_smallest_segment():
    corpus = {"t": {"x": [6, 2, 3, 9], "y": [5, 5, 10]}, "u": {"x": [4, 8], "y": [12]}}
    seen = annotations(corpus)
    firsts = Counter()
    for rows in drawn(seen, Null("inner-sizes", "kappa"), 4000):
        first, *inner, last = sizes_of(20, rows[0])
        assert (first + last, sorted(inner)) == (15, [2, 3])
        firsts[first] += 1
    assert set(firsts) == set(range(2, 14))  # the smallest segment of x is 2
    assert all(abs(count - 4000 / 12) < 5 * math.sqrt(4000 / 12) for count in firsts.values())


def test_in_pi_every_annotator_takes_over_from_another_and_no_two_from_the_same():
    seen = annotations(random_corpus(4, texts=5, coders=5, missing=0.4))
    keys = keys_of(seen, 1)[1]
    steps = (np.arange(300, dtype=np.uint64) * GOLDEN)[:, None]
    found = _donors(seen, keys, steps).reshape(300, -1)
    rows = np.arange(len(seen))
    assert (found != rows).all()
    assert (np.sort(found, axis=1) == rows).all()
    assert (seen.item[found] == seen.item).all()
    first = seen.item == seen.item[0]
    others = set(rows[first].tolist()) - {0}
    assert set(found[:, 0].tolist()) == others


@pytest.mark.parametrize("sizes", [[3, 5], [4, 4], [1, 2, 3], [2, 2, 5], [1, 1, 2, 2], [9]])
def test_the_share_of_unchanged_annotations_is_counted_over_all_orders(sizes):
    seen = annotations({"t": {"x": sizes, "y": sizes}})
    orders = list(permutations(sizes))
    share = sum(order == tuple(sizes) for order in orders) / len(orders)
    found = SegmentSizes.of(seen.column, seen.units).unchanged()
    assert found == pytest.approx([share, share], abs=1e-12)


@pytest.mark.parametrize("sizes", [[3, 5], [4, 4, 4], [1, 2, 3], [4, 2, 6]])
def test_the_share_that_inner_sizes_leave_unchanged_is_what_is_drawn(sizes):
    corpus = {"t": {"x": sizes, "y": [sum(sizes)]}, "u": {"x": [2, 9], "y": [11]}}
    seen = annotations(corpus)
    least = np.full(len(seen), min(2, *sizes))
    wanted = SegmentSizes.of(seen.column, seen.units).unchanged(least)[0]
    before = seen.column.values[: len(sizes) - 1].tolist()
    rows = drawn(seen, Null("inner-sizes", "kappa"), 4000)
    share = np.mean([one[0].tolist() == before for one in rows])
    assert abs(share - wanted) < 4 * math.sqrt(wanted * (1 - wanted) / 4000) + 1e-12


def test_equal_segments_are_shuffled_and_never_expected_to_agree():
    same = {"x": [5, 5, 5, 5], "y": [5, 5, 5, 5], "z": [10, 10]}
    table = fp.agreement({"t": same, "u": same}, intervals=False)
    row = table[0]
    assert row["chance"] == "shuffle"
    assert row["expected"] < 0.5
    assert any("chance shuffles positions: permuting all" in note for note in table.notes)
    assert "100% of the annotations" in " ".join(table.notes)


def test_one_boundary_per_text_gets_a_random_start():
    rng = np.random.default_rng(2)
    corpus = {
        f"t{i}": {c: masses(30, [int(rng.integers(1, 30))]) for c in "abc"} for i in range(12)
    }
    found = size_chance(annotations(corpus))
    assert found.chance == "inner-sizes"
    assert found.unchanged < MAX_UNCHANGED
    table = fp.agreement(corpus, intervals=False)
    assert table[0]["chance"] == "inner-sizes"
    assert any("splits the rest of a text at random" in note for note in table.notes)


def test_texts_that_do_not_begin_like_a_segment_get_a_random_start():
    rng = np.random.default_rng(5)
    corpus = {}
    for i in range(12):
        start = rng.integers(12, 30, 3)
        corpus[f"t{i}"] = {
            c: masses(60, [*range(int(first), int(first) + 9, 2)])
            for c, first in zip("abc", start, strict=True)
        }
    assert size_chance(annotations(corpus)).chance == "inner-sizes"
    assert fp.agreement(corpus, intervals=False)[0]["chance"] == "inner-sizes"
    asked = fp.agreement(corpus, chance="inner-sizes", coefficient="kappa", intervals=False)
    assert asked[0]["value"] == fp.agreement(corpus, intervals=False)[0]["value"]


def test_preferred_positions_are_those_of_the_other_texts():
    rng = np.random.default_rng(6)
    corpus = {
        f"t{i}": {c: masses(100, sorted(rng.choice(np.arange(40, 60), 5, False).tolist()))
                  for c in "ab"}
        for i in range(20)
    }  # fmt: skip
    corpus["t20"] = {"a": masses(50, [2, 4, 8]), "b": masses(50, [1])}
    seen = annotations(corpus)
    null = next(nulls(seen, "positions", ["positions"]))
    assert null.shares.shape == (21, 10)
    assert null.shares.sum(axis=1) == pytest.approx(np.ones(21))
    assert null.shares[20, 4:6].sum() > 0.95  # its own boundaries at the start have no part in it
    rows = [rows[-2] for rows in drawn(seen, null, 200)]
    assert all(len(set(own.tolist())) == 3 and own.min() > 0 and own.max() < 50 for own in rows)
    assert np.mean((np.concatenate(rows) > 19) & (np.concatenate(rows) < 31)) > 0.9
    for text, shares in enumerate(null.shares):  # of the others, and half a boundary everywhere
        found = np.full(10, 0.5)
        for other, coders in enumerate(corpus.values()):
            for sizes in coders.values() if other != text else ():
                for place in np.cumsum(sizes)[:-1]:
                    found[(place - 1) * 10 // (sum(sizes) - 1)] += 1
        assert shares == pytest.approx(found / found.sum(), rel=1e-12)
    with pytest.raises(fp.MetricError, match="chance positions needs 20 texts"):
        fp.agreement({"t": STARGAZERS}, chance="positions")


def test_dense_annotations_find_a_free_place_for_every_boundary():
    texts = {f"t{i}": {"a": [1] * 12, "b": [6, 6]} for i in range(20)}
    row = fp.agreement(texts, chance="positions", coefficient="kappa", draws=4)[0]
    assert row["observed"] == pytest.approx(row["expected"], abs=0.2)


@pytest.mark.slow
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_kappa_and_pi_of_random_annotators_are_0(missing):
    values = {"kappa": [], "pi": []}
    for seed in range(40):
        corpus = random_corpus(seed, texts=15, units=40, rate=0.12, missing=missing)
        for chance in ("sizes", "shuffle"):
            for row in fp.agreement(corpus, metric="B", chance=chance, draws=20, intervals=False):
                values[row["coefficient"]].append(row["value"])
    for found in values.values():
        assert abs(np.mean(found)) < 0.01


def test_boundaries_of_several_types_at_one_position_are_one_boundary():
    texts = {"t": {"x": fp.Segmentation(7, [2, 2, 5], [1, 2, 1], ("p", "q")),
                   "y": fp.Segmentation(7, [5, 7, 7], [2, 1, 2], ("p", "q"))}}  # fmt: skip
    column = annotations(texts, "kinds+end").column
    assert column.values.tolist() == [2, 2, 5, 5, 7, 7]
    row, first = bundle_starts(column)
    assert (row.tolist(), first.tolist()) == ([0, 0, 0, 1, 1, 1], [0, 2, 3, 4])
    sizes = SegmentSizes.of(column, np.array([7, 7]))
    assert sizes.sizes.tolist() == [2, 3, 2, 5, 2]
    assert sizes.last_open.tolist() == [True, False]
