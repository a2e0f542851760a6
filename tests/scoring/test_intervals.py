"""Intervals of scores."""

import math
import random

import numpy as np
import pytest

import fencepost as fp
from fencepost.scoring.summary import MEAN_OF_REFERENCES
from fencepost.statistics.intervals import intervals
from fencepost.statistics.resampling import Estimate
from scored import (
    FAST,
    GOLD,
    GROUPS,
    SYSTEMS,
    THREE,
    bounds,
    corpus,
    mean_of,
    of_counts,
    ok,
    per_text,
)
from support import PAIR_METRICS


def test_the_interval_of_a_mean_is_that_of_the_texts_values():
    table = fp.score(GOLD, SYSTEMS, **FAST)
    for row in table:
        values = per_text(table, row["system"], row["metric"])
        wanted = intervals([mean_of(values)], count=1000)[0]
        assert bounds(row) == pytest.approx((max(wanted.low, 0), min(wanted.high, 1)), abs=1e-9)
        assert row["low"] < row["value"] < row["high"]
        assert row["signature"].fields["bs"] == "t,1000"
        assert row["signature"].fields["seed"] == "12345"


def test_the_interval_of_pooled_counts_is_that_of_their_rows():
    table = fp.score(GOLD, SYSTEMS, average="micro", metrics=["F", "B", "pk"], **FAST)
    for row in table:
        wanted = intervals([of_counts(row["system"], row["metric"])], count=1000)[0]
        assert bounds(row) == pytest.approx((wanted.low, wanted.high), abs=1e-9)


@pytest.mark.slow
def test_every_metric_has_intervals():
    table = fp.score(GOLD, SYSTEMS, metrics=list(PAIR_METRICS), average="both", **FAST)
    for row in table:
        assert row["low"] < row["value"] < row["high"], row
    assert not any("interval" in note for note in table.notes)


def test_other_methods_stand_in_signature_and_notes():
    for method in ("percentile", "bca"):
        table = fp.score(GOLD, SYSTEMS, method=method, **FAST)
        assert table[0]["signature"].fields["bs"] == f"{method},1000"
        assert any(note.startswith(f"{method} intervals promise too much") for note in table.notes)
    table = fp.score(GOLD, SYSTEMS, method="normal", **FAST)
    assert table[0]["signature"].fields["bs"] == "normal"
    table = fp.score(GOLD, SYSTEMS, intervals=False, **FAST)
    assert {bounds(row) for row in table} == {(None, None)}
    assert "bs" not in table[0]["signature"].fields
    assert table.notes == fp.score(GOLD, SYSTEMS, **FAST).notes


def test_many_texts_have_the_same_method():
    gold, systems = corpus(120, 2, errors=(0.3,))
    table = fp.score(gold, systems["a"], metrics="B", **FAST)
    assert table[0]["signature"].fields["bs"] == "t,1000"


def test_the_order_of_texts_changes_no_interval_and_no_p():
    settings = {"metrics": ["B", "pk"], "average": "both", "paired": "randomization", **FAST}
    table = fp.score(GOLD, SYSTEMS, **settings)
    texts = list(GOLD)
    random.Random(4).shuffle(texts)
    again = fp.score({t: GOLD[t] for t in texts}, SYSTEMS, **settings)
    assert again.rows == table.rows
    assert again.part("comparisons").rows == table.part("comparisons").rows


@pytest.mark.parametrize(
    "metric", ["WD:weighted=yes", "WD:weighted=yes,pad=lamprier", "c_seg:c_miss=9,c_fa=9", "ghd"]
)
def test_an_interval_holds_its_value_whatever_the_settings(metric):
    many = {t: [1] * (sum(m) - i % 5 - 2) + [i % 5 + 2] for i, (t, m) in enumerate(GOLD.items())}
    for row in fp.score(GOLD, {"many": many, **SYSTEMS}, metrics=metric, average="both", **FAST):
        assert row["low"] < row["value"] < row["high"]


def test_the_range_of_a_metric_follows_from_its_settings():
    assert fp.parse("WD").range == (0, 1)
    assert fp.parse("WD:weighted=yes").range == (0, math.inf)
    assert fp.parse("WD:weighted=yes,k=4").range == (0, 4)
    assert fp.parse("c_seg").range == pytest.approx((0, 0.51))
    assert fp.parse("c_seg:c_miss=10").range == pytest.approx((0, 3.21))


def test_an_infinite_value_of_a_function_is_undefined():
    def far(ref, hyp):
        return math.inf if len(hyp.cuts) == 1 else float(len(hyp.cuts))

    gold = {f"t{i}": [3, 3, 4 + i] for i in range(8)}
    odd = {**gold, "t0": [3, 7]}
    table = fp.score(gold, {"a": gold, "b": odd}, metrics=[far], paired="randomization")
    assert [(row["n"], row["undefined"], row["value"]) for row in table][:2] == [(7, 1, 2.0)] * 2
    assert table.part("comparisons")[0]["p"] == 1


def test_few_constant_and_undefined_texts_are_said():
    few = fp.score({"x": [5, 5]}, {"x": [4, 6]}, metrics="B")
    assert few.notes == ("one text: too few for an interval, which takes 5",)
    assert bounds(few[0]) == (None, None)
    same = fp.score(GOLD, GOLD, metrics=["B"], **FAST)
    assert same.notes == (
        "all texts have the same value, so the interval is a bound from their number and the "
        "metric's range: boundary_similarity of hypothesis",
    )
    assert bounds(same[0]) == (pytest.approx(0.025 ** (1 / 24)), 1.0)
    pooled = fp.score(GOLD, GOLD, metrics=["B"], average="micro", **FAST)
    assert bounds(pooled[0]) == (None, None)
    assert pooled.notes == (
        "no interval where all texts have the same value: boundary_similarity of hypothesis",
    )
    # Two texts have no window: left out, and intervals are over the others.
    short = {**GOLD, "x": [1], "y": [1]}
    table = fp.score(
        short, {"s": {**SYSTEMS["a"], "x": [1], "y": [1]}}, metrics=["pk", "B"], **FAST
    )
    plain = fp.score(GOLD, {"s": SYSTEMS["a"]}, metrics=["pk"], **FAST)
    assert table[0]["undefined"] == 2
    assert bounds(table[0]) == bounds(plain[0])


def test_a_text_that_stands_out_alone_has_an_interval_on_both_sides():
    odd = {**GOLD, "d0": SYSTEMS["b"]["d0"]}
    row = fp.score(GOLD, odd, metrics=["B"], **FAST)[0]
    assert row["low"] < 2 * row["value"] - 1 < row["value"] < row["high"] == 1
    assert row["signature"].fields["bs"] == "t,1000"


def test_simple_baselines_do_not_decide_which_texts_count():
    def needs_cuts(ref, hyp):
        return 1 / (1 + abs(len(ref.cuts) - len(hyp.cuts))) if len(hyp.cuts) else math.nan

    settings = {"metrics": [needs_cuts], "paired": "randomization", "resamples": 1000}
    kept = {t: m for t, m in GOLD.items() if all(len(own[t]) > 1 for own in SYSTEMS.values())}
    systems = {name: {t: own[t] for t in kept} for name, own in SYSTEMS.items()}
    table = fp.score(kept, systems, **settings)
    alone = fp.score(kept, systems, baselines=False, **settings)
    assert table.rows[:3] == alone.rows and table[0]["n"] == len(kept)
    assert table.part("comparisons").rows == alone.part("comparisons").rows
    assert len(table.part("comparisons")) == 2
    empty = table.where(system="no boundaries")[0]
    assert (empty["n"], empty["undefined"]) == (0, len(kept)) and math.isnan(empty["value"])
    assert table.where(system="random boundaries")[0]["n"] == len(kept)
    assert table.notes[0] == (
        f"needs_cuts of 'no boundaries' is undefined on {len(kept)} texts, ignored for it alone"
    )
    # A text that a system is undefined on is left out for all systems and baselines.
    systems["b"] = {**systems["b"], "d0": [sum(GOLD["d0"])]}
    less = fp.score(kept, systems, **settings)
    assert {row["system"]: row["n"] for row in less} == {
        **dict.fromkeys(("a", "b", "c", "random boundaries"), len(kept) - 1), "no boundaries": 0
    }  # fmt: skip
    assert less.notes[0] == (
        "needs_cuts is undefined on 1 text, ignored for all systems because of b"
    )


def test_texts_left_out_are_said_in_python_too():
    short = {**GOLD, "x": [1], "y": [1]}
    table = fp.score(short, {"s": {**SYSTEMS["a"], "x": [1], "y": [1]}}, metrics="pk", **FAST)
    assert table.notes[0] == (
        "pk is undefined on 2 texts (one unit, or no window fits), ignored for all systems"
    )


def test_differences_that_are_the_same_in_all_texts_are_said():
    def about_differences(systems):
        table = fp.score(GOLD, systems, metrics="B", paired="randomization", **FAST)
        return [n for n in table.notes if " difference is " in n]

    a, b = SYSTEMS["a"], SYSTEMS["b"]
    same = (
        "the difference is the same in all texts, so the interval is a bound from their number "
        "and the metric's range: boundary_similarity of"
    )
    assert about_differences({"a": a, "b": a}) == [f"{same} b and a"]
    assert about_differences({"a": a, "b": b}) == []
    many = {"a": a, **dict.fromkeys("bcdef", a)}
    assert about_differences(many) == [f"{same} b and a, c and a, d and a and 2 more"]


def test_a_constant_step_between_systems_has_no_interval():
    def cuts(ref, hyp):
        return float(len(hyp.cuts))

    gold = {f"t{i}": [5 + i, 5, 5] for i in range(12)}
    more = {t: [m[0] - 1, 1, *m[1:]] for t, m in gold.items()}
    for i in range(0, 12, 2):
        gold[f"t{i}"], more[f"t{i}"] = [5 + i, 10], [4 + i, 1, 10]
    table = fp.score(gold, {"a": gold, "b": more}, metrics=[cuts], baseline="a", **FAST)
    row = table.part("comparisons")[0]
    assert (row["difference"], row["low"]) == (1.0, None)
    assert "no interval where the difference is the same step in all texts: cuts of b and a" in (
        table.notes
    )


def test_intervals_of_several_references_resample_texts_with_all_of_them():
    refs = {t: {"r1": m, "r2": SYSTEMS["c"][t]} for t, m in GOLD.items()}
    table = fp.score(refs, {"s": SYSTEMS["a"]}, metrics="B", average="both", **FAST)
    values = {r: np.array([fp.boundary_similarity(refs[t][r], SYSTEMS["a"][t]) for t in refs])
              for r in ("r1", "r2")}  # fmt: skip
    wanted = intervals([mean_of((values["r1"] + values["r2"]) / 2)], count=1000)[0]
    row = table.where(reference=MEAN_OF_REFERENCES, average="macro")[0]
    assert bounds(row) == pytest.approx((wanted.low, wanted.high), abs=1e-9)
    assert len(table) == 6 and all(row["low"] < row["high"] for row in table)


def test_groups_are_resampled_whole():
    table = fp.score(GOLD, SYSTEMS, group=GROUPS, metrics=["B"], **FAST)
    values = per_text(table, "a", "boundary_similarity").reshape(8, 3)
    rows = np.column_stack((values.sum(axis=1), np.full(8, 3.0)))
    wanted = intervals([Estimate(rows, lambda s: s[:, 0] / s[:, 1], (0, 1))], count=1000)[0]
    assert bounds(table[0]) == pytest.approx((wanted.low, wanted.high), abs=1e-9)
    assert table[0]["signature"].fields["group"] == "given"
    assert "8 groups are few to resample: take the intervals as rough" in table.notes
    alone = fp.score(GOLD, SYSTEMS, metrics=["B"], **FAST)
    assert table.column("value") == alone.column("value")
    one_each = fp.score(GOLD, SYSTEMS, group={t: t for t in GOLD}, metrics=["B"], **FAST)
    widths = [[r["high"] - r["low"] for r in t] for t in (one_each, alone)]
    assert widths[0] == pytest.approx(widths[1], rel=0.15)  # the same texts in another order


def test_texts_that_are_alike_within_groups_have_wider_intervals():
    gold = {f"{t} {i}": m for t, m in GOLD.items() for i in range(6)}
    hyp = {f"{t} {i}": SYSTEMS["b"][t] for t in GOLD for i in range(6)}
    group = {text: text.split()[0] for text in gold}
    whole = fp.score(gold, hyp, metrics="B", group=group, **FAST)[0]
    apart = fp.score(gold, hyp, metrics="B", **FAST)[0]
    single = fp.score(GOLD, SYSTEMS["b"], metrics="B", **FAST)[0]
    assert whole["high"] - whole["low"] > 2 * (apart["high"] - apart["low"])
    # Copies say nothing new.
    assert whole["high"] - whole["low"] == pytest.approx(single["high"] - single["low"], rel=0.15)


def test_runs_of_a_system_are_averaged():
    runs = {"bc": ["b", "c"]}
    table = fp.score(GOLD, SYSTEMS, runs=runs, metrics=["B"], average="both", **FAST)
    assert list(dict.fromkeys(table.column("system"))) == ["a", "bc"]
    both = fp.score(GOLD, SYSTEMS, metrics=["B"], **FAST)
    values = [per_text(both, s, "boundary_similarity") for s in "bc"]
    row = table.where(system="bc", average="macro")[0]
    assert row["value"] == pytest.approx((values[0] + values[1]).mean() / 2, abs=1e-12)
    runs_only = fp.score(GOLD, SYSTEMS, runs=runs, metrics=["B"], resample="texts", **FAST)
    wanted = intervals([mean_of((values[0] + values[1]) / 2)], count=1000)[0]
    these = runs_only.where(system="bc")[0]
    assert bounds(these) == pytest.approx((wanted.low, wanted.high), abs=1e-9)
    assert these["signature"].fields["bs"] == "t,1000,texts"
    assert row["low"] <= these["low"] and these["high"] <= row["high"]
    assert row["signature"].fields["runs"] == "2"
    assert "bc is the mean of 2 runs: b, c" in table.notes
    pooled = table.where(system="bc", average="micro")[0]["value"]
    rows = of_counts("b", "B").rows + of_counts("c", "B").rows
    assert pooled == fp.parse("B").value(rows.sum(axis=0)[None])[0]


def test_p_and_intervals_of_runs_are_about_other_runs(folder):
    words = (*THREE, "--runs", "bc=b,c", "-m", "B", "--paired", "--resamples", "1000")
    out = ok(folder, *words)
    assert "against a; Student's t over texts and runs (Satterthwaite);\n" in out
    assert "\nnull hypothesis: equal means\n" in out
    assert "note: a ran once, so comparisons are with this trained model" in out
    these = ok(folder, *words, "--resample", "texts")
    assert "\nnull hypothesis: the two systems could be swapped in any text;\n" in these
    assert "\np is about these runs\n" in these
    table = fp.score(GOLD, SYSTEMS, runs={"bc": ["b", "c"]}, metrics="B", baseline="a", **FAST)
    row = table.part("comparisons")[0]
    assert row["signature"].fields["test"] == "satterthwaite"
    assert row["signature"].fields["adjust"] == "holm,1"


def test_few_texts_and_groups_have_the_plain_bootstrap_t_and_a_caution():
    few = {text: GOLD[text] for text in list(GOLD)[:8]}
    table = fp.score(few, {"a": {t: SYSTEMS["a"][t] for t in few}}, metrics="B", **FAST)
    assert table[0]["signature"].fields["bs"] == "t,1000"
    assert table.notes == ("8 texts are few to resample: take the intervals as rough",)
    groups = fp.score(GOLD, SYSTEMS, metrics="B", group=GROUPS, **FAST)
    assert groups[0]["signature"].fields["bs"] == "t,1000"
    assert fp.score(GOLD, SYSTEMS, metrics="B", **FAST).notes == ()


def test_notes_of_a_kind_are_one_sentence():
    bound = "the interval is a bound from their number and the metric's range"
    systems = {"one": GOLD, "two": GOLD, **SYSTEMS}
    table = fp.score(GOLD, systems, paired="randomization", **FAST)
    assert [note for note in table.notes if "interval" in note] == [
        f"all texts have the same value, so {bound}: pk, windowdiff, boundary_f and 1 more of "
        "one, two",
        f"the difference is the same in all texts, so {bound}: pk, windowdiff, boundary_f "
        "and 1 more of two and one",
    ]
    short = {**GOLD, "x": [1], "y": [1]}
    table = fp.score(short, {"s": {**SYSTEMS["a"], "x": [1], "y": [1]}}, metrics=["pk", "WD"],
                     **FAST)  # fmt: skip
    assert table.notes[0] == (
        "pk and windowdiff are undefined on 2 texts (one unit, or no window fits), ignored for "
        "all systems"
    )


def test_statements_about_few_texts_are_made_of_few_texts():
    gold, systems = corpus(120, 2)
    many = fp.score(gold, systems, metrics="B", paired="bootstrap", method="bca", **FAST)
    assert many.notes == ()
    few = fp.score(GOLD, SYSTEMS, metrics="B", paired="bootstrap", method="bca", **FAST)
    assert ".10 at 10, .07 at 20 and .06 at 50 where there is nothing to find" in few.notes[0]
    assert ".81 and .90 where skewed" in few.notes[1]


def test_groups_without_intervals_and_tests_are_said_to_change_nothing():
    table = fp.score(GOLD, SYSTEMS, group=GROUPS, metrics="B", intervals=False, **FAST)
    assert [note for note in table.notes if "they change nothing" in note]
    tested = fp.score(GOLD, SYSTEMS, group=GROUPS, metrics="B", intervals=False, baseline="a",
                      **FAST)  # fmt: skip
    assert not [note for note in tested.notes if "they change nothing" in note]
