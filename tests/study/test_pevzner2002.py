"""Pevzner & Hearst (2002) recomputed: what is exact exactly, what is random within its bounds."""

from collections import Counter
from fractions import Fraction

import pytest

import fencepost as fp
from fencepost.study.papers import Run, find
from fencepost.study.papers import pevzner2002 as paper

FAST = Run(fast=True)


def lines(name, run=FAST):
    return [line for _, line in find("pevzner2002").lines(run, name.lower())]


def verdicts(name):
    return Counter(line.verdict for line in lines(name))


def test_the_tables_are_complete():
    cells = [
        value
        for models in paper.PRINTED.values()
        for rows in models.values()
        for row in rows
        for value in row
    ]
    assert len(cells) == 108
    # P'k counts false alarms twice and nothing else: equal to Pk where there are none, and twice
    # as large (to rounding) where there is nothing else.
    for models in paper.PRINTED.values():
        assert models["FN"][0] == models["FN"][1]
        for once, twice in zip(models["FP"][0], models["FP"][1], strict=True):
            assert abs(2 * once - twice) <= 0.0015 + 1e-12


@pytest.mark.slow
@pytest.mark.parametrize(("name", "cells"), [("Table 1", 36), ("Table 2", 72)])
def test_every_cell_is_within_its_bound(name, cells):
    found = [line for line in lines(name) if line.printed is not None]
    assert len(found) == cells
    assert {line.verdict for line in found} == {"within"}
    assert {line.basis for line in found} == {"fitted" if name == "Table 1" else "checked"}
    assert verdicts(name)["measured"] == cells // 36


@pytest.mark.slow
def test_a_wrong_recipe_does_not_stay_within_the_bounds():
    # Sizes up to and with the upper number move the mean from 24.5 to 25.
    wrong = [
        abs(ours - row[0]) > bound
        for model, rows in paper.PRINTED[0.5].items()
        for found in [paper.experiment(model, 0.5, 20, 31, seed=1, copies=100)]
        for row, ours, bound in zip(rows, found.mean, found.bound, strict=False)
    ]
    assert sum(wrong) >= 3


@pytest.mark.slow
def test_the_order_of_the_error_distributions_is_that_of_the_prose():
    found = lines("Table 3")
    orders = [line for line in found if "below" in line.where]
    assert len(orders) == 12
    assert {line.verdict for line in orders} == {"measured"}
    assert sum(line.verdict == "not reproduced" for line in found) == 18
    legible = [line for line in found if line.printed is not None]
    assert [line.printed for line in legible] == [0.267, 0.354, 0.341]
    assert {(line.verdict, line.basis, line.tried) for line in legible} == {
        ("within", "fitted", 41)
    }


@pytest.mark.slow
def test_section_4_2_holds_at_all_probabilities():
    assert verdicts("Section 4.2") == {"measured": 21}


def test_types_of_errors_by_hand():
    pairs = fp.Pairs.from_segmentations(
        [fp.Segmentation(100, [20, 50, 80])] * 2,
        [fp.Segmentation(100, [25, 50, 95]), fp.Segmentation(100, [20, 50, 80])],
    )
    # 20 and 80 are missed, 25 and 95 are false; 25 is 5 from 20, 95 is 15 from 80.
    found = {name: counts.tolist() for name, counts in paper.error_types(pairs, 12).items()}
    assert found == {
        "A": [1, 0], "B": [1, 0], "C, by false positives": [1, 0], "C, by false negatives": [1, 0]
    }  # fmt: skip


@pytest.mark.slow
def test_about_a_quarter_of_the_segments_has_each_type_of_error():
    found = lines("Types")
    assert len(found) == 16
    assert all(abs(line.ours - 250) < 30 for line in found)


def test_pk_takes_degenerate_algorithms_for_alike_and_windowdiff_does_not():
    found = {line.where: line for line in lines("Degenerate")}
    assert {line.verdict for line in found.values()} == {"measured"}
    assert found["all boundaries, (20, 30)"].ours.endswith("WD 1.000")
    assert found["no boundaries, (20, 30)"].ours.endswith("WD 0.488")


def test_figure_1_has_near_misses_that_precision_and_recall_do_not_see():
    assert verdicts("Figure 1") == {"measured": 5}


def test_figure_5_to_the_window():
    found = {line.where: line for line in lines("Figure 5")}
    penalties = {where: line.ours for where, line in found.items() if line.printed is not None}
    assert penalties == {
        "A-0, Pk": 12, "A-1, Pk": 2, "A-2, Pk": 12, "A-3, Pk": 4, "A-4, Pk": 24,
        "A-0, WD": 12, "A-1, WD": 12, "A-2, WD": 12, "A-3, WD": 4, "A-4, WD": 24,
    }  # fmt: skip
    assert verdicts("Figure 5") == {"equal": 10, "measured": 1}


def test_the_estimates_follow_from_the_printed_tables():
    found = [line for line in lines("Estimates") if line.printed is not None]
    assert len(found) == 12
    assert {line.verdict for line in found} == {"equal"}
    assert verdicts("Estimates") == {"equal": 12, "measured": 3}


def windows(ref, hyp, units, k, counts):
    """The penalty written plainly: every window, both counts."""
    total = 0
    for i in range(units - k):
        r, h = (sum(i < cut <= i + k for cut in side) for side in (ref, hyp))
        total += counts(r, h)
    return total


@pytest.mark.parametrize(
    ("metric", "counts"),
    [
        ("Pk", lambda r, h: (r > 0) != (h > 0)),
        ("P'k", lambda r, h: (r > 0 and h == 0) + 2 * (r == 0 and h > 0)),
        ("WD", lambda r, h: r != h),
    ],
)
def test_penalties_are_counts_of_windows(metric, counts):
    units = 4 * paper.SIZE
    for hyp in paper.ALGORITHMS.values():
        plain = windows(paper.GOLD, hyp, units, paper.K, counts)
        assert paper.penalty(metric, paper.GOLD, hyp, units) == plain


def test_a_missed_cut_costs_what_the_formula_says_for_all_sizes():
    k = paper.K
    for a in range(1, 2 * k + 1):
        for b in (1, 3, k - 1, k, k + 1, 2 * k):
            assert paper.false_negative("Pk", a, b) == max(0, min(k, a, b, a + b - k))
            assert paper.false_negative("WD", a, b) == k


@pytest.mark.slow
def test_a_false_cut_costs_what_the_formula_says_for_all_places():
    k = paper.K
    for size in range(2, 4 * k):
        for j in range(1, size):
            assert paper.false_positive("Pk", size, j) == max(0, min(k, j, size - j, size - k))
    mean = Fraction(sum(min(k, j, 2 * k - j) for j in range(1, 2 * k)), 2 * k - 1)
    assert mean == Fraction(k * k, 2 * k - 1)


@pytest.mark.slow
def test_two_sentences_of_section_2_3_are_not_exact():
    found = [line.where for line in lines("Sizes") if line.verdict == "differs"]
    assert found == [
        "2.3: false negative: otherwise the size of the smaller segment, Pk",
        "2.3: false positive: the average falls linearly from size 2k to k, Pk",
    ]


@pytest.mark.slow
def test_the_claims_hold():
    assert verdicts("Claims") == {"measured": 23}


@pytest.mark.slow
def test_another_seed_gives_other_numbers_and_the_same_verdicts():
    first, second = (lines("Table 1", Run(fast=True, seed=seed)) for seed in (1, 2))
    assert [line.ours for line in first] != [line.ours for line in second]
    assert [line.verdict for line in first] == [line.verdict for line in second]


@pytest.mark.slow
def test_threads_change_no_number():
    def numbers():
        paper.experiment.cache_clear()
        return [line.ours for line in lines("Table 3")]

    try:
        fp.set_threads(1)
        alone = numbers()
        fp.set_threads(3)
        assert numbers() == alone
    finally:
        fp.set_threads(None)


def test_a_table_of_everything():
    table = find("pevzner2002").table(FAST, "figure 5")
    assert len(table) == 11
    assert table[0]["paper"] == "pevzner2002" and table[0]["item"] == "Figure 5"
    assert table.to_json()
