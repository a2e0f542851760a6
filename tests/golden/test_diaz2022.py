"""Figures and judgements of Diaz & Ouyang (2022)."""

import json
from pathlib import Path

import pytest

import fencepost as fp

PAPER = json.loads(Path(__file__).with_name("diaz2022.json").read_text())
ROWS = [(figure, row) for figure, rows in PAPER["figures"].items() for row in rows]
JUDGEMENTS = PAPER["judgements"]

A, B = fp.alignment_similarity, fp.boundary_similarity


def scores(ref, hyp):
    return [A(ref, hyp).value, B(ref, hyp).value, 1 - fp.windowdiff(ref, hyp, k=2).value]


def first_is_better(first: float, second: float) -> int:
    return (first > second) - (first < second)


@pytest.mark.parametrize(("figure", "row"), ROWS)
def test_a_b_and_windowdiff_of_a_figure(figure, row):
    ours = scores(row["reference"], row["hypothesis"])
    for value, full, printed in zip(ours, row["full"], row["published"], strict=True):
        # The last bit depends on the order of a handful of additions and divisions.
        assert value == pytest.approx(full, abs=3 * 2**-53)
        assert abs(value - printed) <= 0.005 + 2**-53


def test_b_is_printed_to_the_last_digit():
    for _, row in ROWS:
        assert B(row["reference"], row["hypothesis"]).value == row["full"][1]


@pytest.mark.parametrize("figure", PAPER["prose"])
def test_examples_of_the_prose(figure):
    for row in PAPER["prose"][figure]:
        assert A(row["reference"], row["hypothesis"]).value == pytest.approx(row["A"], abs=2**-52)
        assert B(row["reference"], row["hypothesis"]).value == row["B"]


def test_figures_10_and_16_need_edges_counted_once():
    figure_10, figure_16 = PAPER["figures"]["10"][1], PAPER["figures"]["16"][0]
    directed = [
        A(row["reference"], row["hypothesis"], edges="directed").value
        for row in (figure_10, figure_16)
    ]
    assert [round(value, 3) for value in directed] == [0.694, 0.778]
    once = [A(row["reference"], row["hypothesis"]).value for row in (figure_10, figure_16)]
    assert [round(value, 3) for value in once] == [0.6, 0.667]


def test_the_windows_of_figure_12_are_rounded_half_to_even():
    ref = PAPER["figures"]["12"][0]["reference"]  # the mean segment is 5
    assert fp.windowdiff(ref, ref).counts["windows"] == 15 - 3
    assert fp.windowdiff(ref, ref, like="segeval").counts["windows"] == 15 - 2


# Figure 9 gives no sizes. Its shape: six segments; h1 has two of them right and mixes four; h2
# merges them in pairs. Equal sizes, and the sizes for which directed edges give the printed .58.
SHAPES = [([2] * 6, [2, 2, 8], [4, 4, 4]), ([6, 1, 1, 1, 1, 6], [6, 4, 6], [7, 2, 7])]


@pytest.mark.parametrize(("r", "h1", "h2"), SHAPES)
def test_figure_9_both_are_equally_good_to_a_and_b(r, h1, h2):
    assert A(r, h1).value == pytest.approx(0.5, abs=2**-53)
    assert A(r, h2).value == pytest.approx(0.5, abs=2**-53)
    assert B(r, h1).value == B(r, h2).value == 0.4


@pytest.mark.parametrize(("r", "h1", "h2"), SHAPES)
def test_figure_9_best_prefers_right_segments_and_fan_out_prefers_small_mixtures(r, h1, h2):
    assert A(r, h1, scoring="best").value > A(r, h2, scoring="best").value
    assert A(r, h1, scoring="fan-out").value < A(r, h2, scoring="fan-out").value


def test_figure_9_is_printed_with_directed_edges():
    r, h1, h2 = SHAPES[1]
    assert [round(A(r, h, edges="directed").value, 2) for h in (h1, h2)] == [0.58, 0.58]


# The appendix asks six people which of two is closer to the gold standard; they all agree.


@pytest.mark.parametrize("name", JUDGEMENTS)
def test_a_agrees_with_people(name):
    case = JUDGEMENTS[name]
    values = [A(case["reference"], case[h]).value for h in ("H1", "H2")]
    assert values == pytest.approx(case["A"], abs=2**-52)
    assert first_is_better(*values) == first_is_better(*case["humans"])


@pytest.mark.parametrize("name", JUDGEMENTS)
def test_b_cannot_tell(name):
    case = JUDGEMENTS[name]
    assert [B(case["reference"], case[h]).value for h in ("H1", "H2")] == case["B"]
    assert case["B"][0] == case["B"][1]


@pytest.mark.parametrize(
    ("name", "k", "right"), [("AT", 3, False), ("RTC", 2, False), ("VT", 4, True)]
)
def test_windowdiff_at_its_own_k_is_right_once_in_three(name, k, right):
    case = JUDGEMENTS[name]
    ref = case["reference"]
    assert fp.windowdiff(ref, ref).counts["windows"] == sum(ref) - k
    distances = [fp.windowdiff(ref, case[h]).value for h in ("H2", "H1")]
    judged = first_is_better(*distances)
    assert judged != 0
    assert (judged == first_is_better(*case["humans"])) == right


@pytest.mark.parametrize("name", JUDGEMENTS)
def test_padded_windowdiff_of_width_2_cannot_tell(name):
    case = JUDGEMENTS[name]
    h1, h2 = (
        fp.windowdiff(case["reference"], case[h], k=2, pad="lamprier").value for h in ("H1", "H2")
    )
    assert h1 == h2
