"""Figures of Fournier & Inkpen (2012), section 4."""

import json
from pathlib import Path

import pytest

import fencepost as fp
from fencepost import Segmentation

PAPER = json.loads(Path(__file__).with_name("fournier2012.json").read_text())


def one_minus_windowdiff(a, b, **settings):
    return 1 - fp.windowdiff(a, b, like="fournier2012", **settings).value


@pytest.mark.parametrize("row", PAPER["figures"], ids=lambda row: f"figure {row['figure']}")
def test_s_windowdiff_and_the_edits_of_a_figure(row):
    s = fp.segmentation_similarity(row["a"], row["b"], like="fournier2012")
    assert round(s.value, 4) == row["S"]
    assert s.value == fp.segmentation_similarity(row["a"], row["b"]).value
    assert s.counts["transpositions"] == row["transpositions"]
    assert s.counts["missing"] + s.counts["extra"] == row["additions"]
    assert round(one_minus_windowdiff(row["a"], row["b"]), 4) == row["1-WD"]
    assert round(one_minus_windowdiff(row["b"], row["a"]), 4) == row["1-WD"]


def test_figure_4_has_one_transposition_and_three_additions():
    # The cut after unit 5 could go to 4 or to 6; like the paper we search from the left.
    figure_3 = PAPER["figures"][0]
    edits = fp.segmentation_similarity(figure_3["a"], figure_3["b"]).edits
    changed = [(e.what, e.ref, e.hyp, e.cost) for e in edits if e.what != "match"]
    assert changed == [
        ("transposition", 5, 4, 1.0),
        ("addition", None, 6, 1.0),
        ("addition", 8, None, 1.0),
        ("addition", 11, None, 1.0),
    ]
    assert fp.segmentation_similarity(figure_3["a"], figure_3["b"]).value == 9 / 13


def test_what_segeval_calls_s_today_is_another_price_of_the_same_edits():
    for row, today in zip(PAPER["figures"], PAPER["segeval 2.0.11, its present S"], strict=True):
        scaled = fp.segmentation_similarity(row["a"], row["b"], weights="scaled")
        assert round(scaled.value, 4) == today


def figure_5a(false_positives: int) -> float:
    """A hypothesis of uniform segments of 100 units; the reference has its first cut only."""
    segments = false_positives + 2
    cuts = [round(100 * i / segments) for i in range(1, segments)]
    ref, hyp = Segmentation(100, cuts[:1]), Segmentation(100, cuts)
    return one_minus_windowdiff(ref, hyp, k=25)


def test_figure_5a_windowdiff_gives_up_at_exactly_7_false_positives():
    values = [figure_5a(n) for n in range(99)]
    assert values[0] == 1.0
    assert all(value > 0 for value in values[:7])
    assert all(value == 0 for value in values[7:])


@pytest.mark.parametrize(("n_t", "line"), [(5, "te up to 5 places"), (2, "n_t 2")])
def test_figure_5b_a_near_miss_grows_into_a_full_one(n_t, line):
    printed = PAPER["5b"][line]
    ref = Segmentation(50, [25])
    ours = [
        fp.segmentation_similarity(ref, Segmentation(50, [25 + d]), n_t=n_t).value
        for d in range(len(printed))
    ]
    assert [round(value, 4) for value in ours] == printed


def test_figure_5c_windowdiff_forgets_the_size_of_the_text():
    for m in range(4, 101, 4):
        ref, hyp = [m // 4, m - m // 4], [m // 4, m // 4, m // 2]
        assert fp.segmentation_similarity(ref, hyp).value == (m - 2) / (m - 1)
    assert round(one_minus_windowdiff([25, 75], [25, 25, 50]), 4) == 0.6842


def test_near_misses_can_be_forgiven():
    assert fp.segmentation_similarity([6, 8], [7, 7], w_trp=0).value == 1.0
