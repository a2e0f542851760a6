"""fp.score: dicts, lists and corpora; systems, references, averages, missing texts, baselines."""

import json
import math
import random
from itertools import permutations

import numpy as np
import pytest

import fencepost as fp
from fencepost.scoring.summary import COLUMNS, DRAWS, MEAN_OF_REFERENCES
from fencepost.scoring.walk import random_places
from support import PAIR_METRICS

GOLD = {"d1": [5, 5], "d2": [3, 4, 5], "d3": [8]}
OURS = {"d1": [4, 6], "d2": [3, 4, 5], "d3": [8]}
THEIRS = {"d1": [10], "d2": [4, 3, 2, 3], "d3": [4, 4]}


def scores(*args, **settings):
    return fp.score(*args, baselines=False, **settings)


def value(table, **wanted):
    rows = table.where(**wanted).rows
    assert len(rows) == 1
    return rows[0]["value"]


def random_corpus(texts, seed):
    rng = random.Random(seed)
    gold, hyp = {}, {}
    for i in range(texts):
        units = rng.randrange(1, 40)
        for side in (gold, hyp):
            cuts = sorted(rng.sample(range(1, units), rng.randrange(units))) if units > 1 else []
            side[f"t{i}"] = fp.Segmentation(units, cuts)
    return gold, hyp


def test_macro_is_the_mean_of_single_scores():
    table = scores(GOLD, THEIRS, metrics=list(PAIR_METRICS))
    for name, metric in PAIR_METRICS.items():
        single = [metric(GOLD[t], THEIRS[t]).value for t in GOLD]
        single = [one for one in single if not math.isnan(one)]  # T and L of one segment
        assert value(table, metric=name) == math.fsum(single) / len(single)


def test_micro_is_the_value_of_added_counts():
    table = scores(GOLD, THEIRS, metrics=list(PAIR_METRICS), average="micro")
    for name, metric in PAIR_METRICS.items():
        rows = [metric(GOLD[t], THEIRS[t]).counts for t in GOLD]
        total = np.array([[math.fsum(r[c] for r in rows) for c in metric.recipe().counts]])
        assert value(table, metric=name) == metric.recipe().value(total)[0]


def test_both_averages_stand_in_their_signatures():
    table = scores(GOLD, OURS, metrics="B", average="both")
    assert table.column("average") == ["macro", "micro"]
    assert [s.fields["avg"] for s in table.column("signature")] == ["macro", "micro"]


def test_rows_have_the_public_columns():
    table = fp.score(GOLD, {"ours": OURS, "theirs": THEIRS})
    assert table.columns == COLUMNS
    assert set(COLUMNS) == set(table[0])
    assert list(dict.fromkeys(table.column("system"))) == [
        "ours", "theirs", "no boundaries", "random boundaries",
    ]  # fmt: skip
    assert list(dict.fromkeys(table.column("metric"))) == [
        "pk", "windowdiff", "boundary_f", "boundary_similarity",
    ]  # fmt: skip


def test_dicts_lists_and_corpora_give_the_same():
    by_dict = scores(GOLD, OURS).column("value")
    by_list = scores(list(GOLD.values()), list(OURS.values())).column("value")
    segs = {t: fp.Segmentation.from_masses(m) for t, m in GOLD.items()}
    by_corpus = scores(fp.Corpus.from_dict(segs), fp.Corpus.from_dict(OURS)).column("value")
    assert by_dict == by_list == by_corpus


def test_one_pair_may_stand_alone():
    assert value(scores([5, 5], [4, 6], metrics="pk")) == fp.pk([5, 5], [4, 6]).value


def test_texts_pair_by_name_not_by_order():
    turned = dict(reversed(THEIRS.items()))
    assert scores(GOLD, turned).column("value") == scores(GOLD, THEIRS).column("value")


@pytest.mark.parametrize("metrics", [["pk", "WD:k=3"], ["pk", "WD:k=3", "c_seg:k=5"]])
def test_facts_name_their_metrics_where_these_differ(metrics):
    found = scores(GOLD, OURS, metrics=metrics).facts["settings"]
    titles = [fact.partition(":")[0] for fact in found]
    assert titles == ["Pk", "WindowDiff", "C_seg"][: len(metrics)]


def test_a_text_of_one_unit_is_0_for_segeval_and_one_window_as_wide_as_the_text_is_refused():
    gold = {"one unit": [1], "more": [3, 3]}
    table = scores(gold, {"one unit": [1], "more": [2, 4]}, metrics="WD", like="segeval")
    assert table[0]["value"] == 0.25
    with pytest.raises(
        fp.FencepostError, match=r"segeval has no WindowDiff for 1 text of .* x: it"
    ):
        scores({"x": [2]}, {"x": [2]}, metrics=["covering", "WD"], like="segeval")


@pytest.mark.parametrize("baselines", [True, False])
def test_a_function_that_fails_says_on_which_text(baselines):
    def picky(ref, hyp):
        if hyp.cuts.tolist() not in ([3], []):
            raise ValueError("odd")
        return 1.0

    picky.better = "higher"
    gold, ours = {"alpha": [3, 3], "beta": [2, 5]}, {"alpha": [3, 3], "beta": [3, 4]}
    if not baselines:
        assert scores(gold, ours, metrics=[picky])[0]["value"] == 1
        return
    with pytest.raises(fp.FencepostError, match="picky failed on text alpha: ValueError: odd"):
        fp.score(gold, ours, metrics=[picky])


def test_several_references_stand_apart_and_as_their_mean():
    refs = {"d1": {"an1": [5, 5], "an2": [4, 6]}, "d2": {"an1": [3, 4, 5]}}
    hyps = {"d1": [4, 6], "d2": [4, 3, 2, 3]}
    table = scores(refs, hyps, metrics="B")
    first = fp.boundary_similarity([5, 5], [4, 6]).value
    second = fp.boundary_similarity([3, 4, 5], [4, 3, 2, 3]).value
    assert value(table, reference="an1") == (first + second) / 2
    assert value(table, reference="an2") == 1.0
    assert table.where(reference="an2")[0]["n"] == 1
    assert value(table, reference=MEAN_OF_REFERENCES) == ((first + 1.0) / 2 + second) / 2
    assert table.where(reference=MEAN_OF_REFERENCES)[0]["signature"].fields["refs"] == "mean"


def test_the_human_ceiling_is_the_mean_of_every_annotator_against_every_other():
    segs = {"d1": {"a": [5, 5], "b": [4, 6], "c": [3, 3, 4]}, "d2": {"a": [7, 5], "b": [2, 10]},
            "d3": {"c": [6, 6]}}  # fmt: skip
    table = fp.score(segs, {text: next(iter(own.values())) for text, own in segs.items()},
                     metrics=["pk", "F", "B"], average="both")  # fmt: skip
    for metric in (fp.METRICS[name] for name in ("pk", "boundary_f", "boundary_similarity")):
        made = {
            text: [metric(own[ref], own[hyp]) for ref, hyp in permutations(own, 2)]
            for text, own in segs.items()
        }
        ceiling = table.where(
            system="human ceiling", metric=metric.name, reference=MEAN_OF_REFERENCES
        )
        by_text = [np.mean([one.value for one in own]) for own in made.values() if own]
        assert ceiling.where(average="macro")[0]["value"] == pytest.approx(np.mean(by_text))
        rows = [one.counts for own in made.values() for one in own]
        total = np.array([[math.fsum(r[c] for r in rows) for c in metric.recipe().counts]])
        pooled = metric.recipe().value(total)[0]
        assert ceiling.where(average="micro")[0]["value"] == pytest.approx(pooled)
        assert ceiling.column("n") == [2, 2]
        # Against one annotator: the others of each text, then texts.
        first = [np.mean([metric(segs[t]["a"], segs[t][o]).value for o in others])
                 for t, others in (("d1", "bc"), ("d2", "b"))]  # fmt: skip
        own = table.where(system="human ceiling", metric=metric.name, reference="a")
        assert own.where(average="macro")[0]["value"] == pytest.approx(np.mean(first))
    assert "the human ceiling is over 2 of the 3 texts: two annotators share them" in table.notes
    assert fp.score_counts(table.part("counts"), average="both").rows == table.rows


def test_there_is_no_ceiling_without_a_second_annotator_or_without_baselines():
    segs = {"d1": {"a": [5, 5], "b": [4, 6]}, "d2": {"c": [7, 5]}}
    hyps = {"d1": [5, 5], "d2": [7, 5]}
    for refs, settings in ((segs, {}), ({"d1": segs["d1"]}, {"baselines": False}), (hyps, {})):
        table = fp.score(refs, {t: hyps[t] for t in refs}, **settings)
        assert "human ceiling" not in table.column("system")
    assert "human ceiling" in fp.score({"d1": segs["d1"]}, {"d1": [5, 5]}).column("system")


@pytest.mark.parametrize("average", ["macro", "micro"])
def test_systems_are_compared_with_the_human_ceiling_on_texts_of_several_annotators(average):
    refs = {f"d{i}": {"a": [5, 5], "b": [4, 6 - i % 3, i % 3] if i % 3 else [4, 6]}
            for i in range(9)}  # fmt: skip
    refs["alone"] = {"a": [3, 7]}
    hyps = {text: [4, 6] for text in refs}
    table = fp.score(refs, {"s": hyps}, metrics="B", baseline="human ceiling", average=average)
    (row,) = table.part("comparisons")
    mean = table.where(reference=MEAN_OF_REFERENCES)
    values = [mean.where(system=name)[0]["value"] for name in ("s", "human ceiling")]
    assert row["difference"] == pytest.approx(values[0] - values[1])
    assert mean.where(system="human ceiling")[0]["low"] is not None
    assert row["n"] == 9


def test_each_reference_finds_its_own_k():
    refs = {"d1": {"an1": [10, 10], "an2": [2] * 10}}
    table = scores(refs, {"d1": [9, 11]}, metrics="pk")
    assert value(table, reference="an1") == fp.pk([10, 10], [9, 11], k=5).value
    assert value(table, reference="an2") == fp.pk([2] * 10, [9, 11], k=1).value


def test_corpus_k_is_one_for_all_texts():
    table = scores(GOLD, THEIRS, metrics="pk:k=corpus")
    # 30 units in 6 segments: half of 5 is 2.5, rounded up.
    single = [fp.pk(GOLD[t], THEIRS[t], k=3).value for t in GOLD]
    assert value(table, metric="pk") == math.fsum(single) / 3


def test_undefined_texts_are_left_out_for_all_systems_and_counted():
    gold = {"d1": [5, 5], "short": [1, 1]}
    table = scores(gold, {"a": {"d1": [4, 6], "short": [2]}, "b": gold}, metrics=["pk:k=3", "B"])
    for system in "ab":
        row = table.where(system=system, metric="pk")[0]
        assert (row["n"], row["undefined"]) == (1, 1)
        row = table.where(system=system, metric="boundary_similarity")[0]
        assert (row["n"], row["undefined"]) == (2, 0)
    assert value(table, system="a", metric="pk") == fp.pk([5, 5], [4, 6], k=3).value


def test_a_text_that_one_system_leaves_undefined_counts_for_none():
    def sometimes(ref, hyp):
        return math.nan if len(hyp.cuts) == 0 else len(hyp.cuts)

    table = scores(
        {"x": [5, 5], "y": [3, 3]},
        {"a": {"x": [10], "y": [3, 3]}, "b": {"x": [5, 5], "y": [1, 2, 3]}},
        metrics=[sometimes],
    )
    assert value(table, system="a") == 1.0
    assert value(table, system="b") == 2.0
    assert table.column("n") == [1, 1]
    assert table.column("undefined") == [1, 1]


def test_nothing_defined_is_nan_and_null():
    table = scores({"d": [1]}, {"d": [1]}, metrics="pk")
    assert math.isnan(table[0]["value"])
    assert json.loads(table.to_json())["rows"][0]["value"] is None


def test_streams_of_a_text_add_before_the_value():
    refs = {("talk", "A"): [5, 5], ("talk", "B"): [3, 4, 5], "solo": [2, 2]}
    hyps = {("talk", "A"): [4, 6], ("talk", "B"): [4, 3, 2, 3], "solo": [2, 2]}
    table = scores(refs, hyps, metrics="windowdiff")
    a, b = fp.windowdiff([5, 5], [4, 6]).counts, fp.windowdiff([3, 4, 5], [4, 3, 2, 3]).counts
    talk = (a["differing"] + b["differing"]) / (a["windows"] + b["windows"])
    assert value(table) == talk / 2
    assert table[0]["n"] == 2


def test_a_missing_text_is_an_error_with_two_ways_out():
    with pytest.raises(
        fp.SegmentationError, match=r"ours lacks 1 of the 3 texts .*d3.*skip.*whole"
    ):
        scores(GOLD, {"ours": {"d1": [4, 6], "d2": [3, 4, 5]}})


def test_missing_texts_can_be_skipped_for_all_systems():
    table = scores(GOLD, {"a": {"d1": [4, 6]}, "b": THEIRS}, metrics="B", missing="skip")
    assert table.column("n") == [1, 1]
    assert value(table, system="b") == fp.boundary_similarity([5, 5], [10]).value
    assert table[0]["signature"].fields["missing"] == "skip"


def test_missing_texts_can_count_as_unsegmented():
    table = scores(GOLD, {"d1": [4, 6]}, metrics="B", missing="whole")
    whole = scores(GOLD, {"d1": [4, 6], "d2": [12], "d3": [8]}, metrics="B")
    assert value(table) == value(whole)


def test_a_text_without_a_reference_is_an_error():
    with pytest.raises(fp.SegmentationError, match=r"has 1 text \(d9\) that references lacks"):
        scores({"d1": [5, 5]}, {"d1": [5, 5], "d9": [3]})


def test_texts_of_different_length_say_where_they_part():
    words = {("d1", ""): ["a", "b", "c", "d"]}
    more = {("d1", ""): ["a", "b", "x", "c", "d"]}
    gold = fp.Corpus.from_entries(
        {**fp.Corpus.from_dict({"d1": [2, 2]}).entries}, tokens=words, name="gold", unit="word"
    )
    bert = fp.Corpus.from_entries(
        {**fp.Corpus.from_dict({"d1": [2, 3]}).entries}, tokens=more, name="bert"
    )
    with pytest.raises(
        fp.SegmentationError, match=r'd1: gold has 4 words, bert 5; they part at word 3: "c" / "x"'
    ):
        scores(gold, bert)


def test_words_that_differ_at_the_same_length_are_noted():
    entries = fp.Corpus.from_dict({"d1": [2, 2]}).entries
    gold = fp.Corpus.from_entries(
        entries, tokens={("d1", ""): ["a", "b", "c", "d"]}, name="gold", unit="word"
    )
    bert = fp.Corpus.from_entries(entries, tokens={("d1", ""): ["a", "b", "c", "e"]}, name="bert")
    assert any("differ between" in note for note in scores(gold, bert).notes)


def test_baselines_do_not_depend_on_other_texts_or_threads():
    gold, hyp = random_corpus(60, seed=4)
    settings = {"metrics": ["windowdiff", "A"], "average": "micro"}
    before = [r["value"] for r in fp.score(gold, hyp, **settings)]
    threads = fp.set_threads()
    try:
        for n in (1, 2, 5):
            fp.set_threads(n)
            assert [r["value"] for r in fp.score(gold, hyp, **settings)] == before
    finally:
        fp.set_threads(threads)
    one = fp.score({"t3": gold["t3"]}, {"t3": hyp["t3"]}, metrics="B")
    other = fp.score(
        {"t3": gold["t3"], "t4": gold["t4"]}, {"t3": hyp["t3"], "t4": hyp["t4"]}, metrics="B"
    )
    alone = value(one, system="random boundaries")
    assert math.isfinite(alone)
    assert value(other, system="random boundaries") != alone  # another text adds to the mean


def test_the_no_boundaries_baseline_is_a_hypothesis_without_cuts():
    table = fp.score(GOLD, OURS)
    whole = scores(GOLD, {t: [sum(m)] for t, m in GOLD.items()})
    assert table.where(system="no boundaries").column("value") == whole.column("value")


def test_random_places_have_the_references_number_of_cuts_and_a_seed():
    def cuts(ref, hyp):
        assert len(hyp.cuts) in (0, len(ref.cuts))
        return float(hyp.cuts.sum())

    first = value(
        fp.score({"d": [5] * 20}, {"d": [100]}, metrics=["B"]), system="random boundaries"
    )
    again = value(
        fp.score({"d": [5] * 20}, {"d": [100]}, metrics=["B"]), system="random boundaries"
    )
    other = value(
        fp.score({"d": [5] * 20}, {"d": [100]}, metrics=["B"], seed=7), system="random boundaries"
    )
    assert first == again != other
    table = fp.score({"d": [5] * 20}, {"d": [5] * 20}, metrics=[cuts])
    row = table.where(system="random boundaries")[0]
    assert (row["signature"].fields["draws"], row["signature"].fields["seed"]) == (
        str(DRAWS),
        "12345",
    )
    # The sum of 19 random boundaries of 1..99 has mean 950; over 20 draws, a standard error of 26.
    assert abs(row["value"] - 950) < 4 * 26


def test_functions_are_metrics_that_cannot_be_pooled():
    def closeness(ref, hyp):
        return 1 - abs(len(ref.cuts) - len(hyp.cuts)) / 10

    table = scores(GOLD, THEIRS, metrics=[closeness, "B"])
    assert value(table, metric="closeness") == math.fsum([0.9, 0.9, 0.9]) / 3
    with pytest.raises(fp.MetricError, match="closeness is a plain function"):
        scores(GOLD, THEIRS, metrics=[closeness], average="micro")


def test_like_applies_where_a_metric_knows_the_tool_and_says_where_not():
    table = scores(GOLD, THEIRS, metrics=["pk", "covering"], like="segeval")
    assert table[0]["signature"].fields["k"] == "auto-segeval"
    assert "no segeval convention is known for covering: its own default is used" in table.notes


def test_per_text_rows_are_the_single_scores():
    part = scores(GOLD, {"ours": OURS, "theirs": THEIRS}, metrics=["pk", "B"]).part("per-text")
    assert len(part) == 3 * 2 * 2
    for row in part:
        hyp = (OURS if row["system"] == "ours" else THEIRS)[row["text"]]
        assert row["value"] == PAIR_METRICS[row["metric"]](GOLD[row["text"]], hyp).value


def test_kinds_of_the_task_come_from_the_whole_corpus():
    names = ["p", "q", "r"]
    seg = fp.Segmentation
    refs = {"a": seg(10, [5], [1], names[:1]), "b": seg(10, [5], [3], names)}
    hyps = {"a": seg(10, [5], [1], names[:1]), "b": seg(10, [5], [1], names)}
    table = scores(refs, hyps, metrics="S:weights=unit", average="micro")
    # t = 3 kinds and 9 places a text, one substitution in all.
    assert value(table) == 1 - 1 / (2 * 3 * 9)


def test_table_goes_to_pandas_polars_and_arrow():
    table = scores(GOLD, OURS)
    assert table.to_pandas()["value"].tolist() == table.column("value")
    assert table.to_polars()["metric"].to_list() == table.column("metric")
    assert table.to_arrow().column("n").to_pylist() == table.column("n")
    assert table.to_dicts()[0]["system"] == "hypothesis"
    assert "boundary_similarity" in str(table)


def test_the_fingerprint_stands_for_texts_and_reference_cuts():
    first = scores(GOLD, OURS).facts["fingerprint"]
    assert scores(dict(reversed(GOLD.items())), THEIRS).facts["fingerprint"] == first
    assert scores({**GOLD, "d1": [4, 6]}, OURS).facts["fingerprint"] != first
    assert scores({"e1": [5, 5]}, {"e1": [5, 5]}).facts["fingerprint"] != first


def test_facts_and_notes_tell_what_a_reader_should_know():
    table = scores(
        {"a": [2, 2], "b": [20, 20], "c": [9]}, {"a": [4], "b": [19, 21], "c": [9]}, metrics="pk"
    )
    assert table.facts["settings"] == ["k from 1 to 10"]
    assert table.facts["texts_without_cuts"] == 1
    assert table.notes[-1].startswith("k is 1 in 1 of 3 texts")
    big = scores({"a": [2000, 2000]}, {"a": [1998, 2002]}, metrics=["F", "B"])
    assert any("tolerance is 0" in note for note in big.notes)
    assert any("n_t is 2" in note for note in big.notes)


@pytest.mark.parametrize(
    ("refs", "hyps", "settings", "message"),
    [
        ({}, {}, {}, "references has no texts"),
        ("gold.json", OURS, {}, "files are read with fp.read"),
        (3, OURS, {}, "found int"),
        (GOLD, {"d1": [4, 7]}, {"missing": "whole"}, "references has 10 units, hypothesis 11"),
        (GOLD, OURS, {"metrics": []}, "no metric is given"),
        (GOLD, OURS, {"metrics": "windowdif"}, "did you mean windowdiff"),
        (GOLD, OURS, {"metrics": "windowdiff:size=3"}, "windowdiff has no setting 'size'"),
        (GOLD, OURS, {"metrics": 3}, "neither a metric nor a function"),
        (GOLD, OURS, {"like": "choi"}, "no preset 'choi'"),
        (GOLD, OURS, {"average": "median"}, "average must be"),
        (GOLD, OURS, {"missing": "guess"}, "missing must be"),
        (GOLD, OURS, {"seed": 1.5}, "seed must be"),
        (GOLD, {"no boundaries": OURS}, {}, "that is a baseline"),
        (GOLD, {"s": {"d1": {"x": [10], "y": [10]}}}, {}, "a system has one"),
        ({"d1": [5, 0]}, {"d1": [5]}, {}, "text d1 by coder 1: segment sizes must be at least 1"),
        ({1: [5, 5], "1": [5, 5]}, OURS, {}, "given twice"),
        ({("a", "b", "c"): [5]}, OURS, {}, "named by its id"),
    ],
)  # fmt: skip
def test_bad_input_gives_one_sentence(refs, hyps, settings, message):
    metrics = settings.pop("metrics", "B")
    if isinstance(metrics, int):
        metrics = [metrics]
    with pytest.raises(fp.FencepostError, match=message):
        fp.score(refs, hyps, metrics=metrics, **settings)


def test_a_signature_brings_its_average():
    gold, hyp = {"d1": [5, 5], "d2": [3, 4, 5]}, {"d1": [4, 6], "d2": [3, 4, 5]}
    signature = "windowdiff|k:2|pad:none|avg:micro|fencepost:0.1.0"
    assert value(scores(gold, hyp, metrics=[signature])) == 2 / 18
    both = [signature, signature.replace("micro", "macro")]
    assert scores(gold, hyp, metrics=both).column("average") == ["macro", "micro"]
    with pytest.raises(
        fp.MetricError, match=r"differ in avg .macro, micro.: give signatures of both"
    ):
        scores(gold, hyp, metrics=[*both, "boundary_f|avg:macro"])


def test_references_of_different_length_are_named():
    with pytest.raises(fp.SegmentationError, match="d: a has 10 units and b 11"):
        scores({"d": {"a": [5, 5], "b": [4, 7]}}, {"d": [10]})


def test_a_lacking_stream_is_named():
    refs = {("talk", "A"): [5, 5], ("talk", "B"): [3]}
    with pytest.raises(fp.SegmentationError, match="talk: hypothesis lacks the speaker 'B'"):
        scores(refs, {("talk", "A"): [5, 5]})


def test_missing_texts_can_count_as_unsegmented_with_kinds_too():
    seg = fp.Segmentation.from_marks
    refs = {"a": seg(["p", "", "q"]), "b": seg(["p", "q", ""], ["p", "q"])}
    table = scores(refs, {"a": refs["a"]}, metrics="Sf", missing="whole")
    assert value(table) == (1 + 1 / 3) / 2


def test_random_places_of_kinds_reach_the_end_of_the_text():
    refs = {"a": fp.Segmentation.from_marks([".", ",", ".", "?"])}
    row = fp.score(refs, refs, metrics="Sf").where(system="random boundaries")[0]
    # Four boundaries on four places: only kinds can differ, each costs 1 of 4 units.
    assert 0 < row["value"] < 1
    assert row["value"] * 4 * DRAWS == round(row["value"] * 4 * DRAWS)


@pytest.mark.slow
def test_many_texts_pair_in_linear_time():
    # 60,000 texts: a set or list looked through for each text would take minutes.
    gold = {f"t{i}": [2, 2] for i in range(60_000)}
    assert value(scores(gold, gold, metrics="B")) == 1.0


def test_tables_and_columns_of_other_libraries():
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    for column in (pd.Series([5, 5]), pl.Series([5, 5]), pa.array([5, 5])):
        assert fp.boundary_similarity(column, [4, 6]).value == 0.5
    with pytest.raises(fp.SegmentationError, match="with a mask"):
        fp.pk(np.ma.array([2, 3, 9], mask=[0, 0, 1]), [14])
    assert repr(scores(GOLD, OURS)).startswith("<Table scores: 4 rows of system,")


def test_corpus_knows_its_texts_coders_and_kinds():
    corpus = fp.Corpus.from_dict({"a": {"x": [5, 5], "y": [4, 6]}, ("b", "left"): {"x": [3]}})
    assert corpus.texts == ["a", "b"]
    assert corpus.coders == ["x", "y"]
    assert corpus.items == [("a", ""), ("b", "left")]
    assert corpus["b", "left", "x"].units == 3
    assert corpus.kind_names is None
    assert corpus.where(["b"]).texts == ["b"]
    with pytest.raises(KeyError, match="no segmentation of text b by coder y"):
        corpus["b", "y"]


def test_a_coder_without_a_text_left_is_no_reference():
    refs = {"d1": {"anna": [3, 4], "ben": [7]}, "d2": {"anna": [2, 5]}, "d9": {"carla": [3, 4]}}
    for average in ("macro", "micro"):
        table = fp.score(refs, {"d1": [3, 4], "d2": [2, 5]}, missing="skip", average=average)
        assert {row["reference"] for row in table} == {"anna", "ben", MEAN_OF_REFERENCES}
        assert "no text of carla is left, so they are no reference here" in table.notes


@pytest.mark.parametrize("missing", ["whole", "skip"])
def test_texts_that_the_reference_lacks_are_ignored_where_missing_ones_may_be(missing):
    gold = {"a": [3, 4], "b": [2, 5], "c": [7]}
    ours = {"a": [4, 3], "b": [2, 5], "c": [3, 4], "z": [1, 1]}
    with pytest.raises(fp.FencepostError, match=r"1 text .* that references lacks"):
        fp.score(gold, ours, metrics="WD", baselines=False)
    table = fp.score(gold, ours, metrics="WD", baselines=False, missing=missing)
    alone = {text: ours[text] for text in gold}
    assert table[0]["value"] == fp.score(gold, alone, metrics="WD", baselines=False)[0]["value"]
    assert any("ignored: not in" in note for note in table.notes)


@pytest.mark.parametrize("name", ["x", "y"])
@pytest.mark.parametrize("missing", ["error", "skip", "whole"])
def test_ids_do_not_meet_numbers_of_lines_whatever_files_are_called(tmp_path, name, missing):
    (tmp_path / "x.json").write_text('{"2": [2, 3], "3": [4, 1], "4": [5]}', encoding="utf-8")
    (tmp_path / f"{name}.masses").write_text("2 3\n4 1\n5\n", encoding="utf-8")
    gold, ours = fp.read(tmp_path / "x.json"), fp.read(tmp_path / f"{name}.masses")
    said = "the reference x names its texts .* and the system x has no names"
    if name == "y":
        said = "x names its texts .2, 3, 4. and y has no names"
    with pytest.raises(fp.FencepostError, match=said):
        fp.score(gold, {name: ours}, metrics="WD", missing=missing)


def test_named_texts_that_share_no_name_are_listed(tmp_path):
    for name, text in (("x", "d1"), ("y", "d2")):
        (tmp_path / f"{name}.json").write_text(f'{{"{text}": [2, 3]}}', encoding="utf-8")
    gold, ours = fp.read(tmp_path / "x.json"), fp.read(tmp_path / "y.json")
    with pytest.raises(fp.FencepostError, match=r"y has none of the 1 text of x .d1., but d2; are"):
        fp.score(gold, {"y": ours}, metrics="WD")


def test_names_that_differ_in_the_writing_of_accents_only_are_told():
    composed, apart = "caf\u00e9", "cafe\u0301"
    with pytest.raises(fp.FencepostError, match=r"they look alike, .* save both files in NFC"):
        fp.score({composed: [5, 5]}, {apart: [5, 5]}, metrics="pk")


def test_sides_that_share_no_text_are_refused():
    with pytest.raises(fp.FencepostError, match=r"a.*b"):
        fp.score({"a": [3, 4]}, {"b": [3, 4]}, metrics="WD")


def test_json_has_letters_as_they_are():
    table = fp.Table(("text",), ({"text": "müde 日"},), name="x")
    assert "müde 日" in table.to_json()
    assert json.loads(table.to_json())["rows"] == [{"text": "müde 日"}]


def test_random_boundaries_with_types_can_stand_at_the_end_of_a_text():
    def drawn(ref, draws):
        pairs = fp.Pairs.from_segmentations([ref], [ref])
        found = random_places(pairs, [7], draws)
        return [found.segmentation(row, "hyp") for row in range(len(found))]

    full = fp.Segmentation(3, [1, 2, 3], [1, 2, 1], (",", "."))  # a type at every position
    for one in drawn(full, 5):
        assert one.cuts.tolist() == [1, 2, 3] and sorted(one.kinds.tolist()) == [1, 1, 2]
    one = fp.Segmentation(3, [1], [1], (",",))
    assert {int(found.cuts[0]) for found in drawn(one, 60)} == {1, 2, 3}
    assert {int(found.cuts[0]) for found in drawn(fp.Segmentation(3, [1]), 60)} == {1, 2}
