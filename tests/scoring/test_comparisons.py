"""Comparisons of systems: differences, p-values, runs and groups."""

import json
import pickle

import numpy as np
import pytest
from scipy import stats

import fencepost as fp
from fencepost.statistics.intervals import intervals
from fencepost.statistics.tests import adjusted, equivalence, randomization, swap
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
    run,
)


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
        assert fields["adjust"] == "minp,4"
        fp.parse(row["signature"])
    values = {(s, m): per_text(table, s, m) for s in "abc" for m in ("pk", "boundary_similarity")}
    estimates = {key: mean_of(own) for key, own in values.items()}
    at = {key: k for k, key in enumerate(estimates)}
    pairs = [(at[r["system"], r["metric"]], at["a", r["metric"]]) for r in part]
    together = swap(list(estimates.values()), pairs, count=1000)
    assert part.column("p_adjusted") == together.step_down()[0]
    assert part.facts["family"] == 4
    holm = fp.score(GOLD, SYSTEMS, paired="randomization", adjust="holm", metrics="B", **FAST)
    part = holm.part("comparisons")
    assert part.column("p_adjusted") == adjusted(part.column("p"), "holm")


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


def test_systems_can_be_compared_with_a_simple_baseline():
    table = fp.score(GOLD, SYSTEMS, paired="randomization", metrics="B", baseline="no boundaries",
                     **FAST | {"baselines": True})  # fmt: skip
    rows = table.part("comparisons")
    assert set(rows.column("against")) == {"no boundaries"}
    assert set(SYSTEMS) <= set(rows.column("system"))


def test_few_texts_that_differ_cannot_be_significant():
    gold, systems = corpus(4, 3)
    table = fp.score(gold, systems, paired="randomization", metrics=["pk", "B"])
    assert all(row["p"] >= 0.125 for row in table.part("comparisons"))
    assert any("no p can be below" in note for note in table.notes)
    assert not any("compare fewer" in note for note in table.notes)  # fewer do not help
    same = fp.score(GOLD, {"a": GOLD, "b": GOLD}, paired="randomization", metrics="B", **FAST)
    row = same.part("comparisons")[0]
    assert (row["p"], row["difference"], row["ties"]) == (1.0, 0.0, 24)
    assert row["low"] == -row["high"] < 0  # texts that were not seen may differ


def test_seven_texts_can_be_significant_in_many_comparisons_that_are_alike():
    gold, systems = corpus(7, 3, errors=(0.0, 0.9))
    settings = {"metrics": ["pk", "WD", "F", "B"], "baselines": False}
    table = fp.score(gold, systems, paired="randomization", **settings)
    part = table.part("comparisons")
    assert {(row["wins"], row["losses"]) for row in part} == {(0, 7)}
    assert set(part.column("p_adjusted")) == {2 / 2**7}
    holm = fp.score(gold, systems, paired="randomization", adjust="holm", **settings)
    assert min(holm.part("comparisons").column("p_adjusted")) > 0.05
    assert (
        "no adjusted p can be below 0.0625 with so few texts and 4 comparisons: compare fewer "
        "systems or metrics" in holm.notes
    )


def test_systems_that_do_not_differ_are_no_matter_of_fewer_comparisons():
    gold, systems = corpus(12, 3, errors=(0.3,))
    (system,) = systems.values()
    table = fp.score(gold, {"x": system, "y": system}, paired="randomization", baselines=False)
    assert "the systems do not differ in any text, so no p can be below 1" in table.notes
    assert not any("compare fewer" in note for note in table.notes)


def test_systems_can_be_compared_with_a_printed_baseline():
    settings = {"metrics": ["B", "F"], "resamples": 1000, "average": "both"}
    for name in ("no boundaries", "random boundaries"):
        table = fp.score(GOLD, {"a": SYSTEMS["a"]}, baseline=name, **settings)
        plain = fp.score(GOLD, {"a": SYSTEMS["a"]}, **settings)
        assert table.rows[0]["value"] == plain.rows[0]["value"]
        for row in table.part("comparisons"):
            values = [
                table.where(system=s, metric=row["metric"], average=row["average"])[0]["value"]
                for s in ("a", name)
            ]
            assert row["difference"] == pytest.approx(values[0] - values[1], abs=1e-12)
            assert row["low"] <= row["difference"] <= row["high"]
            assert row["p_adjusted"] < 0.01
        assert table.where(system=name)[0]["low"] is None
    whole = {text: [sum(sizes)] for text, sizes in GOLD.items()}
    own = fp.score(GOLD, {"whole": whole, "a": SYSTEMS["a"]}, paired="randomization", **settings)
    printed = fp.score(GOLD, {"a": SYSTEMS["a"]}, baseline="no boundaries", **settings)
    kept = ("difference", "low", "high", "p", "p_adjusted", "wins", "ties", "losses", "n")
    assert [[row[c] for c in kept] for row in own.part("comparisons")] == [
        [row[c] for c in kept] for row in printed.part("comparisons")
    ]


def test_effects_are_their_formulas_and_a_margin_gives_verdicts():
    table = fp.score(GOLD, SYSTEMS, metrics=["B", "pk"], all_pairs=True, margin=0.15, **FAST)
    part = table.part("comparisons")
    p = []
    for row in part:
        one, other = (per_text(table, s, row["metric"]) for s in (row["system"], row["against"]))
        away = one - other
        assert row["standardized"] == pytest.approx(away.mean() / away.std(ddof=1))
        assert row["won"] == (row["wins"] + row["ties"] / 2) / 24
        wilson = stats.binomtest(round(row["won"] * 48), 48).proportion_ci(method="wilson")
        assert row["won_low"] < wilson.low and wilson.high < row["won_high"]  # of half as many
        p.append(equivalence(mean_of(one), mean_of(other), 0.15))
    assert part.column("p_equivalent") == pytest.approx(adjusted(p, "holm"))
    assert part.column("verdict") == [
        "worse", "worse", "undecided", "worse", "worse", "equivalent"
    ]  # fmt: skip
    same = fp.score(GOLD, {"a": SYSTEMS["a"], "b": SYSTEMS["a"]}, metrics="B", margin=0.2, **FAST)
    row = same.part("comparisons")[0]
    assert (row["verdict"], row["standardized"], row["won"]) == ("equivalent", 0.0, 0.5)
    assert row["p_equivalent"] == pytest.approx(0.8**24)


def test_comparisons_show_how_large_differences_are_within_80_columns(folder):
    words = (*THREE, "--paired", "--resamples", "1000")
    out = ok(folder, *words)
    part = json.loads(ok(folder, *words, "--json"))["comparisons"]
    for row in part:
        won = " ".join(f"{row[key]:.0%}" for key in ("won", "won_low", "won_high"))
        assert "{} [{}, {}]".format(*won.split()) in out
        assert f"{row['standardized']:.2f}" in out
    tables = out.split("win/tie/loss")[1].split("mean over texts")[0]
    assert max(map(len, tables.splitlines())) <= 80
    for form in ("--markdown", "--latex"):
        assert "standardized: in standard deviations" in ok(folder, *words, form)
    ok(folder, *words, "--html", "page.html")
    assert "texts won" in (folder / "page.html").read_text(encoding="utf-8")


def test_verdicts_are_a_table_of_their_own(folder):
    words = (*THREE, "-m", "B", "--margin", "0.3", "--resamples", "1000")
    for form in ((), ("--markdown",), ("--latex",)):
        out = ok(folder, *words, *form)
        assert "margin 0.3" in out and "two one-sided t-tests put the difference" in out
    ok(folder, *words, "--html", "page.html")
    assert "margin 0.3" in (folder / "page.html").read_text(encoding="utf-8")
    said = ok(folder, *words, "--csv", "--table", "comparisons")
    assert ",n,margin,p_equivalent,verdict,signature\n" in said
    assert run(folder, *THREE, "--margin", "-1").returncode == 2


def test_the_paired_bootstrap_comes_with_a_warning():
    table = fp.score(GOLD, SYSTEMS, paired="bootstrap", metrics="B", **FAST)
    assert any("the paired bootstrap finds too much" in note for note in table.notes)
    assert table.part("comparisons")[0]["signature"].fields["test"] == "bootstrap,1000"


def test_metrics_that_disagree_about_the_winner_are_named():
    gold = {f"t{i}": [6, 6] for i in range(8)}
    near = {t: [5, 7] for t in gold}  # a near miss: B gives half, F nothing
    some = {t: [6, 6] if i < 3 else [12] for i, t in enumerate(gold)}
    few = fp.score(gold, {"near": near, "some": some}, metrics=["F", "B"], baselines=False)
    assert few.part("rankings").column("tau") == [-1.0]
    assert not any("disagree" in note for note in few.notes)  # eight texts do not support that
    gold = {f"t{i}": [6, 6] for i in range(80)}
    near = {t: [5, 7] for t in gold}
    some = {t: [6, 6] if i < 30 else [12] for i, t in enumerate(gold)}
    table = fp.score(gold, {"near": near, "some": some}, metrics=["F", "B"], baselines=False)
    said = [note for note in table.notes if "disagree" in note]
    assert said == [
        "the metrics disagree about the best system: some by boundary_f, near by "
        "boundary_similarity; Kendall's tau of their rankings is as low as -1.00"
    ]
    assert table.part("rankings").column("tau") == [-1.0]

    def steady(ref, hyp):
        return 1.0

    steady.better = "higher"  # systems that are equal by it are no winners
    more = fp.score(gold, {"near": near, "some": some}, metrics=["F", "B", steady], baselines=False)
    assert [note for note in more.notes if "disagree" in note] == said
    agreed = fp.score(GOLD, SYSTEMS, metrics=["F", "B"], **FAST)
    assert not any("disagree" in note for note in agreed.notes)


def test_metrics_that_disagree_about_pooled_counts_alone_are_named():
    # Of the means of texts one system is best by both; long texts turn it for one of them.
    gold = {f"t{i}": [6] * (2 if i < 120 else 50) for i in range(160)}
    near = {t: [5, *sizes[1:-1], 7] for t, sizes in gold.items()}
    some = {t: sizes if len(sizes) == 2 else [6] * 5 + [270] for t, sizes in gold.items()}
    settings = {"metrics": ["F", "B"], "baselines": False}
    table = fp.score(gold, {"near": near, "some": some}, average="both", **settings)
    said = [note for note in table.notes if "disagree" in note]
    alone = [
        [n for n in fp.score(gold, {"near": near, "some": some}, average=one, **settings).notes
         if "disagree" in n]
        for one in ("macro", "micro")
    ]  # fmt: skip
    assert [len(one) for one in alone] == [0, 1]
    assert said == [alone[1][0].replace("best system:", "best system (micro):")]


def test_one_text_does_not_support_that_metrics_disagree():
    systems = {"near": {"t": [5, 6, 6, 7]}, "some": {"t": [6, 18]}}
    table = fp.score({"t": [6] * 4}, systems, metrics=["F", "B"], baselines=False)
    assert table.column("value") == [0, 0.5, 0.5, 1 / 3]
    assert table.part("rankings").column("tau") == [-1.0]
    assert not any("disagree" in note for note in table.notes)


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
        ({"adjust": "bonferroni"}, "adjust must be minp, holm, bh or none"),
        ({"adjust": "bh"}, "adjust='bh' is about the p of comparisons, and none is asked for"),
        ({"paired": "randomization", "baseline": "z"}, "no system 'z' to compare with; .* a, b, c"),
        ({"baseline": "a", "all_pairs": True}, "one of the two"),
        ({"group": {"d0": "x"}}, "no group is given for d1 and 22 more"),
        ({"group": dict.fromkeys(GOLD, "")}, "the group of d0 is empty"),
        ({"runs": {"x": ["b", "q"]}}, "no run 'q' of x; there are a, b, c"),
        ({"runs": {"x": ["b"], "y": ["b"]}}, "b is given as a run twice"),
        ({"runs": {"x": "b"}}, "a list of names"),
        ({"runs": {"a": ["b", "c"]}}, "a is a system of its own"),
        ({"runs": {"x": ["b", "c"]}, "method": "bca"}, "bca intervals are about other texts with"),
        ({"paired": "bootstrap", "adjust": "minp"}, "minp needs swaps in all comparisons"),
        ({"resample": "words"}, "resample must be texts or texts\\+runs"),
    ],
)  # fmt: skip
def test_what_cannot_be_resampled_is_refused(settings, message):
    with pytest.raises(fp.MetricError, match=message):
        fp.score(GOLD, SYSTEMS, metrics="B", **settings)


def test_one_system_cannot_be_compared():
    with pytest.raises(fp.MetricError, match="there is only one"):
        fp.score(GOLD, SYSTEMS["a"], metrics="B", paired="randomization")


@pytest.mark.parametrize("units", [100, 1000, 100_000])
def test_a_text_is_won_however_small_the_difference(units):
    # One window in so many more differs; k is 2.
    gold = {f"t{i}": fp.Segmentation(units, [10, 20, 30, 40]) for i in range(3)}
    first = {text: fp.Segmentation(units, [10, 20, 30, 40]) for text in gold}
    second = {**first, "t1": fp.Segmentation(units, [10, 20, 30, 41])}
    table = fp.score(gold, {"a": first, "b": second}, metrics="pk:k=2", baselines=False,
                     paired="randomization")  # fmt: skip
    (row,) = table.part("comparisons")
    ahead, behind = ("wins", "losses") if row["system"] == "a" else ("losses", "wins")
    assert (row[ahead], row["ties"], row[behind]) == (1, 2, 0)


@pytest.mark.parametrize("texts", [2, 3, 6])
def test_a_standardized_difference_is_that_over_its_standard_deviation(texts):
    gold = {f"t{i}": [5, 5, 5, 5] for i in range(texts)}
    first = {t: [5 + i % 3, 5 - i % 3, 5, 5] for i, t in enumerate(gold)}
    second = {t: [20] for t in gold}
    table = fp.score(gold, {"a": first, "b": second}, metrics="WD", baselines=False,
                     paired="randomization")  # fmt: skip
    (row,) = table.part("comparisons")
    away = [
        fp.windowdiff(gold[t], first[t]).value - fp.windowdiff(gold[t], second[t]).value
        for t in gold
    ]
    wanted = abs(np.mean(away)) / np.std(away, ddof=1)
    assert abs(row["standardized"]) == pytest.approx(wanted)
