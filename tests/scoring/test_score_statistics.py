"""Scores with intervals and comparisons: from texts, from counts, and on the command line."""

import gzip
import json
import math
import pickle
import random
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest

import fencepost as fp
import support
from fencepost.report.grid import pivot
from fencepost.report.markup import to_latex, to_markdown
from fencepost.scoring.count import MEAN_OF_REFERENCES
from fencepost.scoring.counts import save
from fencepost.statistics.intervals import intervals
from fencepost.statistics.resampling import Estimate
from fencepost.statistics.tests import adjusted, randomization


def masses(cuts, units):
    ends = [0, *sorted(cuts), units]
    return [b - a for a, b in pairwise(ends)]


def corpus(texts, seed, errors=(0.1, 0.4, 0.35)):
    """Texts with cuts, and systems that lose, move and add some."""
    rng = random.Random(seed)
    gold, systems = {}, {name: {} for name in "abc"[: len(errors)]}
    for i in range(texts):
        units = rng.randrange(15, 40)
        cuts = rng.sample(range(1, units), rng.randrange(2, 6))
        gold[f"d{i}"] = masses(cuts, units)
        for own, error in zip(systems.values(), errors, strict=True):
            kept = {
                min(units - 1, c + (rng.random() < error)) for c in cuts if rng.random() > error
            }
            kept |= {rng.randrange(1, units)} if rng.random() < error else set()
            own[f"d{i}"] = masses(kept, units)
    return gold, systems


GOLD, SYSTEMS = corpus(24, 1)
GROUPS = {text: f"g{i // 3}" for i, text in enumerate(GOLD)}
FAST = {"baselines": False, "resamples": 1000}


def per_text(table, system, metric):
    return np.array(table.part("per-text").where(system=system, metric=metric).column("value"))


def mean_of(values):
    return Estimate(np.column_stack((values, np.ones(len(values)))), lambda s: s[:, 0] / s[:, 1])


def of_counts(system, metric, texts=GOLD):
    recipe = fp.parse(metric)
    pairs = fp.Pairs.from_segmentations(
        [fp.Segmentation.from_masses(GOLD[t]) for t in texts],
        [fp.Segmentation.from_masses(SYSTEMS[system][t]) for t in texts],
    )
    return Estimate(recipe.count(pairs).astype(float), recipe.value)


def bounds(row):
    return row["low"], row["high"]


# Intervals.


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
    table = fp.score(GOLD, SYSTEMS, metrics=list(fp.METRICS), average="both", **FAST)
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


def test_many_texts_have_percentiles():
    gold, systems = corpus(120, 2, errors=(0.3,))
    table = fp.score(gold, systems["a"], metrics="B", **FAST)
    assert table[0]["signature"].fields["bs"] == "percentile,1000"


def test_few_constant_and_undefined_texts_are_said():
    few = fp.score({"x": [5, 5]}, {"x": [4, 6]}, metrics="B")
    assert few.notes == ("one text: too few for an interval, which takes 5",)
    assert bounds(few[0]) == (None, None)
    same = fp.score(GOLD, GOLD, metrics=["B"], **FAST)
    assert same.notes == (
        "no interval where all texts have the same value: boundary_similarity of hypothesis",
    )
    assert bounds(same[0]) == (None, None)
    # Two texts have no window: left out, and intervals are over the others.
    short = {**GOLD, "x": [1], "y": [1]}
    table = fp.score(
        short, {"s": {**SYSTEMS["a"], "x": [1], "y": [1]}}, metrics=["pk", "B"], **FAST
    )
    plain = fp.score(GOLD, {"s": SYSTEMS["a"]}, metrics=["pk"], **FAST)
    assert table[0]["undefined"] == 2
    assert bounds(table[0]) == bounds(plain[0])


def test_a_text_that_stands_out_alone_is_said():
    odd = {**GOLD, "d0": SYSTEMS["b"]["d0"]}
    table = fp.score(GOLD, odd, metrics=["B"], **FAST)
    assert table.notes[0] == (
        "intervals of percentiles, and rough, where few texts differ from the others: "
        "boundary_similarity of hypothesis"
    )
    assert table[0]["signature"].fields["bs"] == "percentile,1000"


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
    assert table.where(system="random places")[0]["n"] == len(kept)
    assert table.notes[0] == (
        f"needs_cuts of 'no boundaries' is undefined on {len(kept)} texts, left out for it alone"
    )
    # A text that a system is undefined on is left out for all systems and baselines.
    systems["b"] = {**systems["b"], "d0": [sum(GOLD["d0"])]}
    less = fp.score(kept, systems, **settings)
    assert {row["system"]: row["n"] for row in less} == {
        **dict.fromkeys(("a", "b", "c", "random places"), len(kept) - 1), "no boundaries": 0
    }  # fmt: skip
    assert less.notes[0] == "needs_cuts is undefined on 1 text, left out for all systems"


def test_texts_left_out_are_said_in_python_too():
    short = {**GOLD, "x": [1], "y": [1]}
    table = fp.score(short, {"s": {**SYSTEMS["a"], "x": [1], "y": [1]}}, metrics="pk", **FAST)
    assert table.notes[0] == (
        "pk is undefined on 2 texts (one unit, or no window fits), left out for all systems"
    )


def test_differences_without_an_interval_or_with_a_rough_one_are_said():
    def about_differences(systems, **settings):
        table = fp.score(GOLD, systems, metrics="B", paired="randomization", **FAST, **settings)
        part = table.part("comparisons")
        return [n for n in table.notes if " difference is " in n], bounds(part[0])

    a, b = SYSTEMS["a"], SYSTEMS["b"]
    same = "no interval where the difference is the same in all texts: boundary_similarity of"
    assert about_differences({"a": a, "b": a}) == ([f"{same} b and a"], (None, None))
    rough = (
        "intervals of percentiles, and rough, where a difference is of a few texts: "
        "boundary_similarity of b and a"
    )
    wrong = [t for t in GOLD if a[t] == GOLD[t]][:3]
    for method in (None, "t"):
        for count in (1, 3):
            near = {**a, **dict.fromkeys(wrong[:count])} | {t: b[t] for t in wrong[:count]}
            notes, (low, high) = about_differences({"a": a, "b": near}, method=method)
            assert notes in ([rough], []) and low <= high
            if count == 1:
                assert notes == [rough]
    assert about_differences({"a": a, "b": b})[0] == []
    many = {"a": a, **dict.fromkeys("bcdef", a)}
    assert about_differences(many)[0] == [f"{same} b and a, c and a, d and a and 2 more"]


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
    wanted = intervals([mean_of((values[0] + values[1]) / 2)], count=1000)[0]
    assert bounds(row) == pytest.approx((wanted.low, wanted.high), abs=1e-9)
    assert row["signature"].fields["runs"] == "2"
    assert "bc is the mean of 2 runs: b, c" in table.notes
    pooled = table.where(system="bc", average="micro")[0]["value"]
    rows = of_counts("b", "B").rows + of_counts("c", "B").rows
    assert pooled == fp.parse("B").value(rows.sum(axis=0)[None])[0]
    wide = fp.score(GOLD, SYSTEMS, runs=runs, metrics="B", resample="texts+runs", **FAST)
    row = wide.where(system="bc")[0]
    assert row["signature"].fields["bs"] == "percentile,1000,texts+runs"
    assert any("runs are few to resample" in note for note in wide.notes)


def test_p_of_these_runs_puts_no_marks_beside_intervals_over_runs(folder):
    words = (*THREE, "--runs", "bc=b,c", "-m", "B", "--paired", "--resamples", "1000")
    assert "**" in ok(folder, *words)
    for form in ((), ("--markdown",), ("--latex",)):
        out = ok(folder, *words, "--resample", "texts+runs", *form)
        assert "differs from" not in out and "$^{" not in out and "\\*" not in out
        assert "; p with these runs, intervals over texts and runs" in out
    assert "**" not in ok(folder, *words, "--resample", "texts+runs")


def test_few_texts_and_groups_have_the_plain_bootstrap_t_and_a_caution():
    few = {text: GOLD[text] for text in list(GOLD)[:8]}
    table = fp.score(few, {"a": {t: SYSTEMS["a"][t] for t in few}}, metrics="B", **FAST)
    assert table[0]["signature"].fields["bs"] == "t,1000"
    assert table.notes == ("8 texts are few to resample: take the intervals as rough",)
    groups = fp.score(GOLD, SYSTEMS, metrics="B", group=GROUPS, **FAST)
    assert groups[0]["signature"].fields["bs"] == "t,1000"
    assert fp.score(GOLD, SYSTEMS, metrics="B", **FAST).notes == ()


def test_percentiles_that_stand_for_a_bootstrap_t_are_said_whatever_was_asked_for():
    gold, _ = corpus(120, 2, errors=(0.3,))
    odd = {**gold, "d0": [sum(gold["d0"])]}
    rough = "intervals of percentiles, and rough, where few texts differ from the others: "
    for texts in (24, 120):
        own = dict(list(gold.items())[:texts])
        for method in (None, "t") if texts < 100 else ("t",):
            table = fp.score(own, {t: odd[t] for t in own}, metrics="B", method=method, **FAST)
            assert table[0]["signature"].fields["bs"] == "percentile,1000"
            assert table.notes == (f"{rough}boundary_similarity of hypothesis",)
        asked = fp.score(own, {t: odd[t] for t in own}, method="percentile", **FAST)
        assert not any(note.startswith(rough) for note in asked.notes)


def test_notes_of_a_kind_are_one_sentence():
    systems = {"one": GOLD, "two": GOLD, **SYSTEMS}
    table = fp.score(GOLD, systems, paired="randomization", **FAST)
    assert [note for note in table.notes if "interval" in note] == [
        "no interval where all texts have the same value: pk, windowdiff, boundary_f and 1 more of "
        "one, two",
        "no interval where the difference is the same in all texts: pk, windowdiff, boundary_f "
        "and 1 more of two and one",
    ]
    short = {**GOLD, "x": [1], "y": [1]}
    table = fp.score(short, {"s": {**SYSTEMS["a"], "x": [1], "y": [1]}}, metrics=["pk", "WD"],
                     **FAST)  # fmt: skip
    assert table.notes[0] == (
        "pk and windowdiff are undefined on 2 texts (one unit, or no window fits), left out for "
        "all systems"
    )


def test_percentiles_over_runs_come_with_the_note_on_percentiles():
    table = fp.score(GOLD, SYSTEMS, runs={"bc": ["b", "c"]}, resample="texts+runs", **FAST)
    wanted = fp.score(GOLD, SYSTEMS, method="percentile", **FAST).notes[0]
    figures = ".90 at 10 and .94 at 50 where values are normal, .80 and .90 where skewed"
    assert figures in wanted and figures in table.notes[0]
    assert table.notes[0].startswith("where runs are resampled, intervals are of percentiles")
    assert "default" not in table.notes[0]  # there is no other method


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


# Comparisons.


def test_comparisons_are_paired_and_adjusted_over_the_table():
    table = fp.score(GOLD, SYSTEMS, paired="randomization", metrics=["pk", "B"], **FAST)
    part = table.part("comparisons")
    assert [(r["metric"], r["system"], r["against"]) for r in part] == [
        (metric, system, "a") for metric in ("pk", "boundary_similarity") for system in "bc"
    ]
    for row in part:
        a, b = (per_text(table, s, row["metric"]) for s in (row["against"], row["system"]))
        assert row["difference"] == pytest.approx((b - a).mean(), abs=1e-12)
        pair = [mean_of(b), mean_of(a)]
        wanted = intervals(pair, [(0, 1)], count=1000)[2]
        assert bounds(row) == pytest.approx((wanted.low, wanted.high), abs=1e-9)
        assert row["p"] == randomization(pair, [(0, 1)], count=1000)[0].p
        better = (b < a) if row["metric"] == "pk" else (b > a)
        assert row["wins"] == better.sum()
        assert row["wins"] + row["ties"] + row["losses"] == row["n"] == 24
        fields = row["signature"].fields
        assert fields["test"] == "randomization,1000"
        assert fields["adjust"] == "holm,4"
        fp.parse(row["signature"])
    assert part.column("p_adjusted") == adjusted(part.column("p"), "holm")
    assert part.facts["family"] == 4


def test_all_pairs_another_baseline_and_other_adjustments():
    every = fp.score(GOLD, SYSTEMS, paired="randomization", all_pairs=True, metrics="B", **FAST)
    pairs = [(r["system"], r["against"]) for r in every.part("comparisons")]
    assert pairs == [("b", "a"), ("c", "a"), ("c", "b")]
    other = fp.score(GOLD, SYSTEMS, baseline="c", adjust="bh",
                     metrics="B", **FAST).part("comparisons")  # fmt: skip
    assert [(r["system"], r["against"]) for r in other] == [("a", "c"), ("b", "c")]
    assert other.column("p_adjusted") == adjusted(other.column("p"), "bh")
    assert other[0]["signature"].fields["adjust"] == "bh,2"


def test_pooled_counts_are_swapped_whole():
    table = fp.score(GOLD, SYSTEMS, paired="randomization", average="micro", metrics="F", **FAST)
    for row in table.part("comparisons"):
        pair = [of_counts(row["system"], "F"), of_counts("a", "F")]
        assert row["p"] == randomization(pair, [(0, 1)], count=1000)[0].p


def test_groups_are_swapped_whole():
    table = fp.score(GOLD, SYSTEMS, paired="randomization", group=GROUPS, metrics="B", **FAST)
    a, b = (per_text(table, s, "boundary_similarity").reshape(8, 3).sum(axis=1) for s in "ab")
    signs = 1 - 2 * ((np.arange(256)[:, None] >> np.arange(8)) & 1)
    sums = np.abs(signs @ (a - b))
    row = table.part("comparisons")[0]
    assert row["p"] == (sums >= abs((a - b).sum()) - 1e-9).mean()
    assert row["signature"].fields["test"] == "randomization,exact"
    assert row["signature"].fields["group"] == "given"


def test_few_texts_that_differ_cannot_be_significant():
    gold, systems = corpus(4, 3)
    table = fp.score(gold, systems, paired="randomization", metrics=["pk", "B"])
    assert all(row["p"] >= 0.125 for row in table.part("comparisons"))
    assert any("no p can be below" in note for note in table.notes)
    same = fp.score(GOLD, {"a": GOLD, "b": GOLD}, paired="randomization", metrics="B", **FAST)
    row = same.part("comparisons")[0]
    assert (row["p"], row["difference"], row["ties"], row["low"]) == (1.0, 0.0, 24, None)


def test_the_paired_bootstrap_comes_with_a_warning():
    table = fp.score(GOLD, SYSTEMS, paired="bootstrap", metrics="B", **FAST)
    assert any("the paired bootstrap finds too much" in note for note in table.notes)
    assert table.part("comparisons")[0]["signature"].fields["test"] == "bootstrap,1000"


def test_metrics_that_disagree_about_the_winner_are_named():
    gold = {f"t{i}": [6, 6] for i in range(8)}
    near = {t: [5, 7] for t in gold}  # a near miss: B gives half, F nothing
    some = {t: [6, 6] if i < 3 else [12] for i, t in enumerate(gold)}
    table = fp.score(gold, {"near": near, "some": some}, metrics=["F", "B"], baselines=False)
    said = [note for note in table.notes if "disagree" in note]
    assert said == [
        "the metrics disagree about the best system: some by boundary_f, near by "
        "boundary_similarity; Kendall's tau of their rankings is as low as -1.00"
    ]
    assert table.part("rankings").column("tau") == [-1.0]
    agreed = fp.score(GOLD, SYSTEMS, metrics=["F", "B"], **FAST)
    assert not any("disagree" in note for note in agreed.notes)


def test_tables_with_comparisons_survive_pickling():
    table = fp.score(GOLD, SYSTEMS, baseline="a", metrics=["B", "F"], **FAST)
    again = pickle.loads(pickle.dumps(table))
    assert again == table
    for part in table.parts:
        assert again.part(part).rows == table.part(part).rows


@pytest.mark.slow
def test_nothing_depends_on_threads():
    threads = fp.set_threads()
    found = []
    try:
        for n in (1, 2, 5):
            fp.set_threads(n)
            table = fp.score(GOLD, SYSTEMS, average="both", paired="randomization", **FAST)
            found.append((table.rows, table.part("comparisons").rows))
    finally:
        fp.set_threads(threads)
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"method": "wide"}, "method must be t, percentile, bca or normal"),
        ({"intervals": "t"}, "intervals must be True or False"),
        ({"intervals": False, "method": "t"}, "method='t' is of intervals"),
        ({"resamples": 10}, "resamples must be a whole number from 100 to"),
        ({"resamples": 1e4}, "resamples must be a whole number"),
        ({"paired": "t-test"}, "paired must be randomization or bootstrap"),
        ({"adjust": "bonferroni"}, "adjust must be holm, bh or none"),
        ({"adjust": "bh"}, "adjust='bh' is about the p of comparisons, and none is asked for"),
        ({"paired": "randomization", "baseline": "z"}, "no system 'z' to compare with; .* a, b, c"),
        ({"baseline": "a", "all_pairs": True}, "one of the two"),
        ({"group": {"d0": "x"}}, "no group is given for d1 and 22 more"),
        ({"group": dict.fromkeys(GOLD, "")}, "the group of d0 is empty"),
        ({"runs": {"x": ["b", "q"]}}, "no run 'q' of x; there are a, b, c"),
        ({"runs": {"x": ["b"], "y": ["b"]}}, "b is given as a run twice"),
        ({"runs": {"x": "b"}}, "a list of names"),
        ({"runs": {"a": ["b", "c"]}}, "a is a system of its own"),
        ({"resample": "texts+runs"}, "no system has several runs to resample"),
        ({"resample": "texts+runs", "method": "t"}, "intervals are of percentiles"),
        ({"resample": "texts+runs", "intervals": False}, "texts\\+runs is what intervals are over"),
        ({"resample": "words"}, "resample must be texts or texts\\+runs"),
    ],
)  # fmt: skip
def test_what_cannot_be_resampled_is_refused(settings, message):
    with pytest.raises(fp.MetricError, match=message):
        fp.score(GOLD, SYSTEMS, metrics="B", **settings)


def test_one_system_cannot_be_compared():
    with pytest.raises(fp.MetricError, match="there is only one"):
        fp.score(GOLD, SYSTEMS["a"], metrics="B", paired="randomization")


# Counts, saved and read.


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("statistics")
    for name, own in {"gold": GOLD, **SYSTEMS}.items():
        (path / f"{name}.json").write_text(json.dumps(own))
    lines = "".join(f"{t},{g}\n" for t, g in GROUPS.items())
    (path / "groups.csv").write_text("text,group\n" + lines)
    records = []
    for text, own in GOLD.items():
        bits = [int(i + 1 in np.cumsum(own)[:-1]) for i in range(sum(own) - 1)]
        records.append({"id": text, "ref": "".join(map(str, bits)), "source": GROUPS[text]})
    (path / "gold.jsonl").write_text("\n".join(map(json.dumps, records)))
    return path


def run(folder, *words):
    return support.run("score", *words, cwd=folder)


def ok(folder, *words):
    return support.ok("score", *words, cwd=folder, notes=True)


THREE = ("gold.json", "-i", "a.json", "b.json", "c.json")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["counts.csv", "counts.parquet"])
def test_saved_counts_give_the_same_output(folder, tmp_path, name):
    target = tmp_path / name
    settings = ("--paired", "--average", "both", "--resamples", "1000", "--json", "--per-text")
    metrics = ("-m", "WD", "F", "B", "A", "S", "--group", "groups.csv", "--runs", "bc=b,c")
    first = json.loads(ok(folder, *THREE, *metrics, *settings, "--save", target))
    again = json.loads(ok(folder, "--counts", target, *settings))
    assert first["facts"]["settings"] == ["k from 2 to 6"]
    assert len(first["notes"]) > 1
    assert first == again


@pytest.mark.slow
@pytest.mark.parametrize("name", ["counts.csv", "counts.parquet"])
@pytest.mark.parametrize(
    ("like", "note"), [(None, "k is 1 on 1 of 25 texts"), ("segeval", "no segeval convention")]
)
def test_saved_counts_keep_notes_settings_functions_and_seeds(tmp_path, name, like, note):
    def closeness(ref, hyp):
        return math.nan if len(hyp.cuts) < 2 else 1 / (1 + abs(len(ref.cuts) - len(hyp.cuts)))

    gold = {"short": [2, 1, 1], **GOLD}
    systems = {name: {"short": [3, 1], **own} for name, own in SYSTEMS.items()}
    metrics = ["pk", "WD:k=3", closeness]
    table = fp.score(gold, systems, metrics=metrics, like=like, paired="randomization",
                     resamples=200, seed=7)  # fmt: skip
    assert any(one.startswith("closeness is undefined on") for one in table.notes)
    assert any(one.startswith(note) for one in table.notes)
    assert len(table.facts["settings"]) > 1
    save(table.part("counts"), tmp_path / name)
    again = fp.score_counts(tmp_path / name, paired="randomization", resamples=200, seed=7)
    assert again.to_json() == table.to_json()
    for part in table.parts:
        assert again.part(part).to_json() == table.part(part).to_json()


def test_texts_that_a_reference_lacks_do_not_change_the_order(tmp_path):
    refs = {t: {"r2": SYSTEMS["c"][t]} if i % 5 == 0 else {"r1": m, "r2": SYSTEMS["c"][t]}
            for i, (t, m) in enumerate(GOLD.items())}  # fmt: skip
    table = fp.score(refs, SYSTEMS, metrics=["F"], resamples=200)
    again = fp.score_counts(table.part("counts"), resamples=200)
    assert again.to_json() == table.to_json()
    assert again.part("per-text").rows == table.part("per-text").rows


def test_a_function_is_read_back_where_it_is_not_known(folder, tmp_path):
    (tmp_path / "own.py").write_text(
        "def Own_closeness(ref, hyp):\n    return 1 / (1 + abs(len(ref.cuts) - len(hyp.cuts)))\n"
    )
    words = ("-m", f"{tmp_path / 'own.py'}:Own_closeness", "--save", tmp_path / "c.csv")
    first = ok(folder, *THREE, *words, "--resamples", "200")
    assert ok(folder, "--counts", tmp_path / "c.csv", "--resamples", "200") == first


def test_the_seed_of_random_places_is_saved_and_said(tmp_path):
    table = fp.score(GOLD, SYSTEMS, metrics="B", seed=7, resamples=200)
    part = table.part("counts")
    for seed in (7, 12345):
        again = fp.score_counts(part, seed=seed, resamples=200)
        drawn = again.where(system="random places")[0]
        assert drawn == table.where(system="random places")[0]
        assert drawn["signature"].fields["seed"] == "7"
        assert again[0]["signature"].fields["seed"] == str(seed)
    # Counts of another hand may not say it: then nothing is claimed.
    rows = [{**r, "signature": r["signature"].replace("|draws:20|seed:7", "")} for r in part]
    unknown = fp.score_counts(fp.Table(part.columns, tuple(rows)), resamples=200)
    assert "seed" not in unknown.where(system="random places")[0]["signature"].fields


def test_counts_without_numbers_and_notes_can_be_read():
    part = fp.score(GOLD, SYSTEMS, metrics="B", resamples=200).part("counts")
    rows = [{k: v for k, v in r.items() if k not in ("number", "notes")} for r in part]
    rows = [{**r, "settings": "k 2"} for r in rows]
    table = fp.score_counts(fp.Table(tuple(rows[0]), tuple(rows)), resamples=200)
    assert table.rows == fp.score(GOLD, SYSTEMS, metrics="B", resamples=200).rows
    assert table.facts["settings"] == ["k 2"]


def test_saved_counts_print_the_same_page(folder, tmp_path):
    target = tmp_path / "counts.csv"
    words = (*THREE, "-m", "B", "pk:k=2", "--resamples", "1000")
    first = ok(folder, *words, "--save", target)
    assert ok(folder, "--counts", target, "--resamples", "1000") == first
    rows = support.csv_rows(target.read_text(encoding="utf-8"))
    texts = [r for r in rows if r["system"] == "a" and r["metric"] == "pk"]
    assert [r["text"] for r in texts] == list(GOLD)
    assert float(texts[0]["value"]) == int(texts[0]["disagreeing"]) / int(texts[0]["windows"])
    assert not {"words", "masses", "bits"} & set(rows[0])


@pytest.mark.slow
def test_saved_counts_can_be_gated(folder, tmp_path):
    target = tmp_path / "counts.csv"
    ok(folder, *THREE, "-m", "covering", "--save", target)
    assert run(folder, "--counts", target, "--gate", "covering=0.1").returncode == 0
    done = run(folder, "--counts", target, "--gate", "covering=0.99")
    assert done.returncode == 3 and "gate: b has covering" in done.stderr
    assert run(folder, "--counts", target, "--gate", "pk=0.1").returncode == 2


def test_counts_of_several_references_and_streams_survive(tmp_path):
    refs = {(t, s): {"r1": m, "r2": SYSTEMS["c"][t]} for t, m in GOLD.items() for s in "xy"}
    hyps = {(t, s): SYSTEMS["a" if s == "x" else "b"][t] for t in GOLD for s in "xy"}
    table = fp.score(refs, {"s": hyps}, average="both", resamples=200)
    again = fp.score_counts(table.part("counts"), average="both", resamples=200)
    assert again.rows == table.rows
    assert again.facts["units"] == table.facts["units"]


def change(rows, **cells):
    return [{**rows[0], **cells}, *rows[1:]]


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda rows: [], "has no rows of counts"),
        (lambda rows: [{k: v for k, v in r.items() if k != "units"} for r in rows],
         "lacks the column units; a table of counts is made with"),
        (lambda rows: [{k: v for k, v in r.items() if k != "tp"} for r in rows],
         "lacks the column tp, a count of boundary_f"),
        (lambda rows: change(rows, tp="many"), "line 2: tp must be a number, found 'many'"),
        (lambda rows: change(rows, tp=math.nan), "line 2: tp must be a number"),
        (lambda rows: change(rows, system=""), "line 2: system is empty"),
        (lambda rows: [rows[0], *rows], "line 3: boundary_f of a on d0 is given twice"),
        (lambda rows: rows[1:], "boundary_f of d0 is there for one of a and b"),
        (lambda rows: change(rows, group="x"), "has another group or number of units"),
        (lambda rows: [*rows[:-1], {**rows[-1], "number": 1}], "d23 has another number than"),
        (lambda rows: change(rows, notes='{"a": 1}'), "notes must be a list of sentences"),
        (lambda rows: change(rows, signature="pkk|k:2"), 'no metric "pkk"'),
    ],
)  # fmt: skip
def test_spoilt_counts_are_refused_with_a_sentence(spoil, message):
    part = fp.score(GOLD, SYSTEMS, metrics="F", baselines=False, intervals=False).part("counts")
    rows = tuple(spoil(part.to_dicts()))
    with pytest.raises(fp.FencepostError, match=message):
        fp.score_counts(fp.Table(part.columns, rows, name="counts"))


def test_files_that_are_no_counts_are_refused(tmp_path):
    (tmp_path / "x.csv").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "x.parquet").write_bytes(b"no parquet")
    for name, message in (
        ("none.csv", "cannot be read"),
        ("x.csv", "is not a table of counts"),
        ("x.parquet", "is not a table of counts"),
    ):
        with pytest.raises(fp.FencepostError, match=message):
            fp.score_counts(tmp_path / name)


# The command line.


def test_the_page_shows_half_of_symmetric_intervals(folder):
    # Standard errors are symmetric by themselves.
    words = (*THREE, "--resamples", "1000", "--method", "normal", "-m", "B", "F")
    out = ok(folder, *words)
    row = fp.score(GOLD, SYSTEMS, metrics=["B", "F"], method="normal", **FAST)[0]
    half = (row["high"] - row["low"]) / 2
    assert f"a              {row['value']:.3f} ±{half:.3f}  " in out
    assert "\nmean over texts ± half of the 95% interval; ↑ higher is better\n" in out
    assert "[" not in out
    plain = ok(folder, *THREE, "--no-intervals")
    assert "±" not in plain and "[" not in plain and "bs:" not in plain


def test_the_page_shows_both_ends_of_intervals_that_are_not_symmetric(folder):
    out = ok(folder, *THREE, "--resamples", "1000")
    table = fp.score(GOLD, SYSTEMS, **FAST)
    rows = list(table.where(system="a"))
    lines = out.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("a  "))
    # Four metrics with both ends are wider than 80 columns: they stand below the values.
    assert lines[at].split() == ["a", *(f"{row['value']:.3f}" for row in rows)]
    ends = [f"[{row['low']:.3f}, {row['high']:.3f}]" for row in rows]
    assert lines[at + 1].strip().split("  ") == ends
    assert all(len(line) <= 80 for line in out.split("\n\n")[1].splitlines())
    assert "\nmean over texts [95% interval]; ↓ lower is better\n" in out
    assert "±" not in out
    assert all(row["signature"] in lines for row in rows)
    # Two have room beside them.
    row = table.where(system="a", metric="boundary_similarity")[0]
    beside = f"{row['value']:.3f} [{row['low']:.3f}, {row['high']:.3f}]"
    assert f"a              {beside}  " in ok(folder, *THREE, "-m", "B", "F", "--resamples", "1000")


def test_the_page_of_a_comparison(folder):
    out = ok(folder, *THREE, "-m", "B", "F", "--paired", "--resamples", "1000")
    table = fp.score(GOLD, SYSTEMS, metrics=["B", "F"], paired="randomization", **FAST)
    for row in table.part("comparisons"):
        wanted = [f"{row['difference']:+.3f}", f"{row['low']:+.3f} to {row['high']:+.3f}",
                  f"{row['wins']}/{row['ties']}/{row['losses']}"]  # fmt: skip
        assert any(all(w in line for w in wanted) for line in out.splitlines())
    assert (
        "against a; paired randomization over texts, 1,000 random swaps, seed 12345;\n"
        "Holm over the 4 comparisons of this table\n" in out
    )
    assert "* differs from a at .05, ** at .01 (Holm over the 4 comparisons" in out
    assert ok(folder, *THREE, "-m", "B", "F", "--baseline", "a", "--resamples", "1000") == out


def test_printed_signatures_have_the_test_and_its_family(folder):
    words = (*THREE, "-m", "B", "F", "--paired", "--resamples", "1000")
    table = fp.score(GOLD, SYSTEMS, metrics=["B", "F"], paired="randomization", **FAST)
    wanted = dict.fromkeys(row["signature"] for row in table.part("comparisons"))
    assert len(wanted) == 2
    for form in ((), ("--markdown",), ("--latex",)):
        lines = [line.strip("`% ") for line in ok(folder, *words, *form).splitlines()]
        assert [line for line in lines if "|fencepost:" in line] == list(wanted)
    assert all("|test:randomization,1000|against:a|adjust:holm,4|" in one for one in wanted)


def test_markdown_and_latex_have_bold_and_marks(folder):
    words = (*THREE, "-m", "B", "--no-baselines", "--resamples", "1000")
    out = ok(folder, *words, "--all-pairs", "--markdown")
    table = fp.score(GOLD, SYSTEMS, metrics="B", paired="randomization", all_pairs=True, **FAST)
    p = {r["system"]: r["p_adjusted"] for r in table.part("comparisons").where(against="a")}
    assert p["b"] <= 0.01
    value = {r["system"]: f"{r['value']:.3f}" for r in table}
    ends = {r["system"]: f"[{r['low']:.3f}, {r['high']:.3f}]" for r in table}
    assert f"| a | **{value['a']}** {ends['a']} |" in out
    assert f"| b | {value['b']}\\*\\* {ends['b']} |" in out
    assert "\\* differs from the best system at .05" in out
    latex = ok(folder, *words, "--paired", "--latex")
    assert latex.startswith("% \\usepackage{booktabs}\n\\begin{tabular}{lr}\n")
    assert rf"a & \textbf{{{value['a']}}} {ends['a']} \\" in latex
    assert f"b & {value['b']}$^{{**}}$ {ends['b']} " in latex
    assert "\n\\par{\\footnotesize {}* differs from a at .05, ** at .01 (Holm over the 2" in latex
    # The differences: numbers to the right, minus signs that are as long as plus signs.
    assert "\n\\begin{tabular}{llrrrrr}\n" in latex
    row = table.part("comparisons").where(system="b", against="a")[0]
    assert f"& $-${-row['difference']:.3f} & $-${-row['low']:.3f} to $-$" in latex


def test_pasted_tables_say_what_was_tested_and_all_notes(folder, tmp_path):
    words = (*THREE, "-m", "B", "--paired", "bootstrap", "--group", "groups.csv", "--seed", "9",
             "--resamples", "200")  # fmt: skip
    how = (
        "against a; paired bootstrap of groups, 200 resamples, seed 9; "
        "Holm over the 2 comparisons of this table"
    )
    notes = ("8 groups are few to resample", "the paired bootstrap finds too much")
    for form in ("--markdown", "--latex"):
        done = run(folder, *words, form, "-o", tmp_path / "out")
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        out = (tmp_path / "out").read_text(encoding="utf-8")
        assert how in out
        assert all(f"note: {note}" in out for note in notes)
    done = run(folder, *words, "--runs", "bc=b,c", "-o", tmp_path / "out")
    assert done.stderr == ""
    out = (tmp_path / "out").read_text(encoding="utf-8")
    assert all(f"note: {note}" in out for note in (*notes, "bc is the mean of 2 runs"))


ODD = ("a / b", "c*d*e", "_f_", "__g__", "[x] | `y` $1 & 2% #~^<z>", "{k}--l\\")
IN_MARKDOWN = ("a / b", r"c\*d\*e", r"\_f\_", r"\_\_g\_\_",
               r"\[x\] \| \`y\` \$1 \& 2% #\~^\<z>", "{k}--l\\\\")  # fmt: skip
IN_LATEX = ("a / b", "c*d*e", r"\_f\_", r"\_\_g\_\_",
            r"{}[x] \textbar{} \textasciigrave{}y\textasciigrave{} \$1 \& 2\% "
            r"\#\textasciitilde{}\textasciicircum{}\textless{}z\textgreater{}",
            r"\{k\}-{}-l\textbackslash{}")  # fmt: skip


def test_names_of_systems_are_only_names(folder, tmp_path):
    own = [SYSTEMS["a"], *[SYSTEMS["b"]] * 5]
    (tmp_path / "odd.json").write_text(json.dumps(dict(zip(ODD, own, strict=True))))
    words = ("gold.json", "-i", tmp_path / "odd.json", "-m", "B", "--paired", "--resamples", "200")
    lines = ok(folder, *words, "--markdown").splitlines()
    first = [line.removeprefix("| ").split(" | 0.")[0].split(" | **0.")[0] for line in lines[2:10]]
    assert first == [*IN_MARKDOWN, "no boundaries", "random places"]
    assert lines[2].startswith("| a / b | **0.8")
    assert [line.split(" | B |")[0].removeprefix("| ") for line in lines if " | B | " in line] == [
        *IN_MARKDOWN[1:]
    ]
    lines = ok(folder, *words, "--latex").splitlines()
    assert [line.split(" & ")[0] if i != 4 else line.split(" & 0.")[0]
            for i, line in enumerate(lines[5:11])] == [*IN_LATEX]  # fmt: skip
    page = ok(folder, *words).splitlines()
    assert [line for line in page[3:11] if line.startswith(("a / b ", "no b", "random"))] == [
        page[3], page[9], page[10]
    ]  # fmt: skip


def test_a_system_is_not_taken_for_a_system_against_one_reference():
    refs = {t: {"b": m, "r2": SYSTEMS["c"][t]} for t, m in GOLD.items()}
    table = fp.score(refs, {"a": SYSTEMS["b"], "a / b": SYSTEMS["a"]}, metrics="B", resamples=200)
    grid = pivot(table)
    assert [(line.label, line.kind) for line in grid.lines] == [
        ("a", "system"), ("a / b", "system"), ("no boundaries", "baseline"),
        ("random places", "baseline"), ("a / b", "reference"), ("a / r2", "reference"),
        ("a / b / b", "reference"), ("a / b / r2", "reference"),
    ]  # fmt: skip
    values = {line.kind: line.cells[0].value for line in grid.lines if line.label == "a / b"}
    assert values == {
        "system": table.where(system="a / b", reference=MEAN_OF_REFERENCES)[0]["value"],
        "reference": table.where(system="a", reference="b")[0]["value"],
    }
    assert [line.label for line in grid.lines if line.cells[0].best] == ["a / b"]


def test_the_signature_of_a_column_holds_for_its_intervals():
    perfect = fp.score(GOLD, {"perfect": GOLD, **SYSTEMS}, metrics="B", **FAST)
    assert "bs" not in perfect[0]["signature"].fields
    assert pivot(perfect).signatures == (perfect.where(system="a")[0]["signature"],)
    # Where systems differ in how they were made, each is told.
    odd = {**GOLD, "d0": SYSTEMS["b"]["d0"]}
    mixed = fp.score(GOLD, {"odd": odd, **SYSTEMS}, metrics="B", runs={"bc": ["b", "c"]}, **FAST)
    assert pivot(mixed).signatures == tuple(row["signature"] for row in mixed)
    assert [s.fields["bs"] for s in pivot(mixed).signatures] == [
        "percentile,1000",
        *["t,1000"] * 2,
    ]
    assert [s.fields.get("runs") for s in pivot(mixed).signatures] == [None, None, "2"]


def test_nothing_is_written_where_nothing_can_be_compared(folder, tmp_path):
    (tmp_path / "never.py").write_text("def never(ref, hyp):\n    return float('nan')\n")
    words = (*THREE, "-m", f"{tmp_path / 'never.py'}:never", "--paired")
    for form in ((), ("--markdown",), ("--latex",)):
        out = ok(folder, *words, *form)
        assert "tabular}{}" not in out and "|  |" not in out and "all swaps" not in out
        assert "never is undefined on 24 texts, left out for all systems" in out
    empty = fp.Table((), ())
    assert (to_markdown(empty), to_latex(empty)) == ("", "")


def test_every_comparison_says_whether_all_swaps_were_tried(folder, tmp_path):
    near = {t: SYSTEMS["a"][t] if i < 21 else GOLD[t] for i, t in enumerate(GOLD)}
    (tmp_path / "near.json").write_text(json.dumps(near))
    words = ("gold.json", "-i", "a.json", "b.json", tmp_path / "near.json", "--paired",
             "--resamples", "1000")  # fmt: skip
    out = ok(folder, *words, "-m", "B")
    assert "all swaps for near in B, else 1,000 random swaps, seed 12345;" in out
    both = [line for line in out.splitlines() if "|test:" in line]
    assert [line.split("|test:")[1].split("|")[0] for line in both] == [
        "randomization,1000", "randomization,exact"
    ]  # fmt: skip
    systems = {"a": SYSTEMS["a"], "b": SYSTEMS["b"], "near": near}
    table = fp.score(GOLD, systems, metrics="B", baseline="a", **FAST)
    assert table.part("comparisons").facts["exact"] == 1
    many = ok(folder, *words)
    assert "all swaps for 4 of the comparisons (in --csv), else 1,000 random swaps" in many


def test_csv_and_json_of_comparisons(folder):
    words = (*THREE, "-m", "B", "--paired", "--resamples", "1000")
    out = ok(folder, *words, "--csv", "--table", "comparisons")
    rows = support.csv_rows(out)
    table = fp.score(GOLD, SYSTEMS, metrics="B", paired="randomization", **FAST)
    assert [float(r["p"]) for r in rows] == table.part("comparisons").column("p")
    found = json.loads(ok(folder, *words, "--json"))
    assert found["comparisons"][0]["p"] == float(rows[0]["p"])
    assert found["facts"]["comparison"]["adjust"] == "holm"
    counts = ok(folder, *words, "--csv", "--table", "counts")
    assert counts.startswith("system,run,text,group,coder,draw,metric,value,matches,")


def test_groups_from_a_table_and_from_a_field(folder):
    words = ("-i", "a.json", "b.json", "-m", "B", "--resamples", "1000", "--csv")
    table = support.csv_rows(ok(folder, "gold.json", *words, "--group", "groups.csv"))
    field = support.csv_rows(ok(folder, "gold.jsonl", *words, "--group", "source"))
    assert [r["low"] for r in table] == [r["low"] for r in field]
    assert "group:groups" in table[0]["signature"] and "group:source" in field[0]["signature"]


@pytest.mark.parametrize("name", ["g.csv", "g.tsv", "g.parquet", "g.jsonl.gz", "g.jsonl.zst",
                                  "g.csv.gz", "g.jsonl", "nameless.jsonl"])  # fmt: skip
def test_groups_from_a_field_of_whatever_holds_records(folder, tmp_path, name):
    rows = [{"id": t, "ref": " ".join(map(str, m)), "source": GROUPS[t]} for t, m in GOLD.items()]
    if ".jsonl" in name:
        rows = [{**row, "ref": GOLD[row["id"]]} for row in rows]
        text = "\n".join(json.dumps(row) for row in rows)
    else:
        sep = "\t" if name == "g.tsv" else ","
        text = "\n".join(
            sep.join(map(str, line)) for line in [rows[0], *(r.values() for r in rows)]
        )
    data = text.encode()
    hyps = "a.json", "b.json"
    if name.endswith(".parquet"):
        pa, pq = (pytest.importorskip(n) for n in ("pyarrow", "pyarrow.parquet"))
        lists = [{**row, "ref": GOLD[row["id"]]} for row in rows]
        pq.write_table(pa.Table.from_pylist(lists), tmp_path / name)
    elif name == "nameless.jsonl":
        lines = [{k: v for k, v in row.items() if k != "id"} for row in rows]
        (tmp_path / name).write_text("\n".join(map(json.dumps, lines)))
        for system in "ab":
            own = [{"hyp": SYSTEMS[system][t]} for t in GOLD]
            (tmp_path / f"{system}.jsonl").write_text("\n".join(map(json.dumps, own)))
        hyps = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    else:
        packed = {"gz": gzip.compress, "zst": zst}.get(name.rpartition(".")[2], bytes)
        (tmp_path / name).write_bytes(packed(data))
    words = ("-i", *hyps, "-m", "B", "--resamples", "200", "--csv", "--no-baselines")
    found = support.csv_rows(ok(folder, tmp_path / name, *words, "--group", "source"))
    wanted = fp.score(GOLD, {s: SYSTEMS[s] for s in "ab"}, metrics="B", group=GROUPS,
                      baselines=False, resamples=200)  # fmt: skip
    rows = list(found)
    assert [float(row["low"]) for row in rows] == wanted.column("low")
    assert all("|group:source|" in row["signature"] for row in rows)


def zst(data):
    return pytest.importorskip("zstandard").ZstdCompressor().compress(data)


def test_a_text_has_one_group(folder, tmp_path):
    lines = ["id,coder,ref,source", *(f"d0,{c},5 5,{g}" for c, g in (("x", "one"), ("y", "two")))]
    (tmp_path / "g.csv").write_text("\n".join(lines))
    (tmp_path / "h.json").write_text(json.dumps({"d0": [5, 5]}))
    done = run(tmp_path, "g.csv", "-i", "h.json", "--group", "source")
    assert done.returncode == 1
    assert "d0 is in the groups one and two; a text has one" in done.stderr


def test_a_signature_brings_its_intervals(folder):
    first = ok(folder, *THREE, "-m", "B", "--method", "bca", "--resamples", "500", "--seed", "7",
               "--no-baselines", "--csv")  # fmt: skip
    signature = support.csv_rows(first)[0]["signature"]
    assert "|bs:bca,500|seed:7|" in signature
    assert ok(folder, *THREE, "--signature", signature, "--no-baselines", "--csv") == first


def test_a_signature_brings_its_groups_and_tests(folder):
    three = ("gold.jsonl", *THREE[1:])
    words = ("-m", "B", "F", "--paired", "--adjust", "bh", "--resamples", "300", "--seed", "7")
    page = ok(folder, *three, *words, "--group", "source")
    signatures = [line for line in page.splitlines() if "|fencepost:" in line]
    assert all("|group:source|" in one and "|adjust:bh,4|" in one for one in signatures)
    assert ok(folder, *three, "--signature", *signatures) == page
    one = ok(folder, *three, "--signature", signatures[0])
    assert "note: the signature adjusts p over 4 comparisons, here there are 2" in one
    # Groups of a table: the signature has its name, the command needs the file.
    named = ok(folder, *THREE, *words, "--group", "groups.csv")
    signatures = [line for line in named.splitlines() if "|fencepost:" in line]
    again = (*THREE, "--signature", *signatures)
    assert ok(folder, *again, "--group", "groups.csv") == named
    done = run(folder, *again)
    assert (done.returncode, done.stdout) == (2, "")
    assert (
        "says group:groups: whole groups of texts were resampled, and these files do not have"
        in (" ".join(done.stderr.split()))
    )
    assert "give them with --group FILE" in " ".join(done.stderr.split())


def signatures_of(page):
    return [line for line in page.splitlines() if "|fencepost:" in line]


@pytest.mark.parametrize(
    "words",
    [
        ("--baseline", "c", "--adjust", "bh"),
        ("--all-pairs",),
        ("--baseline", "b", "--average", "both"),
        ("--paired", "--runs", "ab=a,b", "--average", "micro"),
        ("--all-pairs", "--group", "groups.csv"),
    ],
)
def test_a_signature_brings_what_was_compared_with_what(folder, words):
    asked = (*THREE, *words, "-m", "B", "F", "--resamples", "300")
    page = ok(folder, *asked)
    files = [w for k in ("--runs", "--group") if k in words for w in words[words.index(k) :][:2]]
    assert ok(folder, *THREE, *files, "--signature", *signatures_of(page)) == page


def test_another_baseline_than_the_signatures_is_said(folder):
    page = ok(folder, *THREE, "--baseline", "c", "-m", "B", "--resamples", "300")
    signed = ("--signature", *signatures_of(page))
    other = ok(folder, *THREE, *signed, "--baseline", "b")
    assert "note: the signature compares with c, here it is b\n" in other
    assert "\nagainst b; " in other
    done = run(folder, *THREE, *signed, "--all-pairs")
    assert done.returncode == 2 and "against c or every two systems" in done.stderr
    done = run(folder, "gold.json", "-i", "a.json", "b.json", *signed)
    assert done.returncode == 2 and "no system 'c' to compare with; there are a, b" in done.stderr
    # A signature by hand may not say it.
    out = ok(folder, *THREE, "--signature", "B|bs:t,300|test:randomization,300|adjust:holm,2")
    assert "does not say which systems were compared: here all are compared with a\n" in out


def test_signatures_of_tables_without_intervals_bring_none(folder):
    words = ("-m", "B", "F", "--resamples", "300")
    page = ok(folder, *THREE, *words, "--paired", "--no-intervals")
    signed = ("--signature", *signatures_of(page))
    note = "note: the signature has no intervals (no bs), so there are none here; --method adds "
    again = ok(folder, *THREE, *signed)
    assert [line for line in again.splitlines() if not line.startswith(note)] == page.splitlines()
    assert note in again
    assert note not in ok(folder, *THREE, *signed, "--no-intervals")
    assert "95% interval" in ok(folder, *THREE, *signed, "--method", "t")
    # A bare recipe is about the metric alone.
    assert "95% interval" in ok(folder, *THREE, "--signature", str(fp.parse("B").signature()))


def test_signatures_of_systems_with_other_intervals_come_back_together(folder, tmp_path):
    (tmp_path / "odd.json").write_text(json.dumps({**GOLD, "d0": SYSTEMS["b"]["d0"]}))
    words = ("gold.json", "-i", "a.json", tmp_path / "odd.json")
    page = ok(folder, *words, "-m", "B", "--resamples", "300")
    assert {s.split("|bs:")[1].split(",")[0] for s in signatures_of(page)} == {"t", "percentile"}
    assert ok(folder, *words, "--signature", *signatures_of(page)) == page


def test_a_comparison_with_runs_says_so_in_one_signature(folder):
    page = ok(folder, *THREE, "--runs", "ab=a,b", "--paired", "-m", "B", "--resamples", "300")
    (signature,) = signatures_of(page)
    assert "|avg:macro|runs:2|bs:t,300|seed:12345|test:" in signature
    four = {**SYSTEMS, "d": SYSTEMS["b"], "e": SYSTEMS["c"]}
    table = fp.score(GOLD, four, runs={"x": ["a", "b"], "y": ["c", "d", "e"]}, metrics="B",
                     baseline="x", **FAST)  # fmt: skip
    assert table.part("comparisons")[0]["signature"].fields["runs"] == "3,2"


def test_a_page_keeps_all_its_notes_statistics_first(folder):
    words = (*THREE, "--runs", "bc=b,c", "--group", "groups.csv", "--resamples", "300")
    done = run(folder, *words, "--paired", "bootstrap", "--method", "percentile")
    assert (done.returncode, done.stderr) == (0, "")
    notes = [line for line in done.stdout.splitlines() if line.startswith("note: ")]
    starts = ("the paired bootstrap finds", "8 groups are few", "percentile intervals promise")
    for note, start in zip(notes, starts, strict=False):
        assert note.startswith(f"note: {start}")
    assert "note: bc is the mean of 2 runs: b, c" in notes


def test_a_table_without_intervals_has_no_column_for_them(folder):
    words = (*THREE, "-m", "B", "--no-intervals", "--paired", "--resamples", "300")
    for form in ((), ("--markdown",), ("--latex",)):
        out = ok(folder, *words, *form)
        assert "interval" not in out and "difference" in out
    done = run(folder, *words, "--runs", "bc=b,c", "--resample", "texts+runs")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--resample texts+runs is of intervals, and --no-intervals leaves" in done.stderr


@pytest.mark.parametrize(
    ("signed", "words", "message"),
    [
        ("B|bs:percentile,500,texts+runs", ("--no-intervals",), "--no-intervals leaves them out"),
        ("B|avg:macro F|avg:micro", (), "the signatures differ in avg (macro, micro): give those"),
        ("B|avg:macro", ("--average", "both"), "says avg:macro, --average says both"),
        ("B|bs:t,500|seed:7", ("--method", "bca"), "the signature says t, --method says bca"),
        ("B|bs:t,500", ("--resamples", "300"), "the signature says 500, --resamples says 300"),
        ("B|bs:t,500", ("--no-intervals",), "the signature says bs:t, --no-intervals leaves them"),
        ("B|bs:t,500", ("--group", "groups.csv"), "the signature resamples texts, --group"),
        ("B|bs:t,500|group:x", ("--group", "groups.csv"), "says group:x, --group says groups.csv"),
        ("B|bs:wide,500", (), "bs:wide, which is no method of intervals"),
        ("B|bs:t,some", (), "'some' resamples, which is no number"),
        ("B|test:bootstrap,500|adjust:holm,1", ("--paired",), "says bootstrap, --paired says"),
        ("B|test:bootstrap,500|adjust:bh,1", ("--adjust", "holm", "--paired", "bootstrap"),
         "the signature says bh, --adjust says holm"),
        ("B|bs:t,500 F|bs:bca,500", (), "the signatures differ in bs (bca, t)"),
        ("B|bs:t,500 F|bs:t,600", (), "differ in the number of resamples (500, 600)"),
        ("B|bs:t,500 F|bs:t,500|group:x", (), "the signatures differ in group (none, x)"),
    ],
)  # fmt: skip
def test_what_a_signature_says_is_not_silently_dropped(folder, signed, words, message):
    done = run(folder, *THREE, "--signature", *signed.split(), *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in " ".join(done.stderr.split())


def test_intervals_that_a_signature_promises_and_texts_do_not_have_are_said(tmp_path):
    for name in ("gold", "a"):
        (tmp_path / f"{name}.json").write_text(json.dumps({"x": [5, 5], "y": [3, 4]}))
    out = ok(tmp_path, "gold.json", "-i", "a.json", "--signature", "B|bs:t,500|seed:7")
    assert "note: the signature has intervals by t, which these texts do not allow" in out


@pytest.mark.slow
def test_a_signature_of_a_comparison_is_explained(folder):
    table = fp.score(GOLD, SYSTEMS, baseline="a", group=GROUPS, metrics="B", **FAST)
    signature = table.part("comparisons")[0]["signature"]
    done = subprocess.run(
        [sys.executable, "-m", "fencepost", "metrics", signature],
        capture_output=True, encoding="utf-8", check=True,
    )  # fmt: skip
    assert "bs is t,1000: 95% intervals by the bootstrap-t over groups\n" in done.stdout
    assert (
        "test is randomization,exact: p by swapping the two systems in every group or not\n"
        "  against is a: the system that others were compared with\n" in done.stdout
    )
    assert "adjust is holm,2: p adjusted by Holm's method" in done.stdout
    assert done.stdout.rstrip().endswith(
        "--average macro --group GROUPS --method t --resamples 1000 --paired randomization "
        "--baseline a --adjust holm --seed 12345"
    )
    assert (
        "group is given: whole groups of texts were resampled and swapped; GROUPS is the field"
        in (done.stdout)
    )


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ((*THREE, "--group", "nothing"), 1, "no such file, and no record of gold.json has a field"),
        ((*THREE, "--group", "gold.json"), 1, "needs the columns text,group"),
        ((*THREE, "--runs", "bc"), 2, "--runs is written SYSTEM=A,B,..., found 'bc'"),
        ((*THREE, "--runs", "x=a", "x=b"), 2, "--runs names x twice"),
        ((*THREE, "--no-intervals", "--method", "t"), 2, "--no-intervals leaves them out"),
        ((*THREE, "--conventions", "--paired"), 2, "--conventions compares conventions"),
        ((*THREE, "--adjust", "bh"), 2, "--adjust is about the p of comparisons: add --paired"),
        ((*THREE, "--adjust", "holm"), 2, "--adjust is about the p of comparisons: add --paired"),
        ((*THREE, "--save", "gold.json"), 2, "would overwrite the input file"),
        ((*THREE, "--save", "x.csv", "-o", "x.csv"), 2, "--save and -o cannot both be x.csv"),
        (("--counts", "c.csv", "-o", "c.csv"), 2, "would overwrite the input file c.csv"),
        ((*THREE, "--save", "no/where.csv"), 2, "no/where.csv cannot be written"),
        ((*THREE, "--counts", "c.csv"), 2, "--counts has texts, systems and metrics in it already"),
        (("--counts", "c.csv"), 1, "c.csv cannot be read"),
        ((*THREE, "--csv", "--table", "comparisons"), 2, "systems are compared with --paired"),
        (("gold.json", "-i", "a.json", "--paired"), 2, "there is only one"),
        ((*THREE, "--resamples", "3"), 2, "resamples must be a whole number from 100"),
        ((*THREE, "--all-pairs", "--baseline", "a"), 2, "one of the two"),
    ],
)  # fmt: skip
def test_bad_usage_is_one_sentence(folder, words, code, message):
    done = run(folder, *words)
    assert (done.returncode, done.stdout) == (code, "")
    assert message in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
