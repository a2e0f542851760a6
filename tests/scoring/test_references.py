"""Rules for several references of a text: each, mean, best; the human ceiling by the same rule."""

import json
import math
import random
from itertools import permutations

import numpy as np
import pytest

import fencepost as fp
from fencepost.metrics.edit import PARTS
from fencepost.model.corpus import Key
from fencepost.scoring.summary import MEAN_OF_REFERENCES
from support import run

METRICS = ["pk", "windowdiff", "F", "B"]


def annotated(texts=8, annotators="abcd", seed=1, missing=True):
    """Texts with one to four annotators, and a system."""
    rng = random.Random(seed)

    def draw(units):
        return fp.Segmentation(units, sorted(rng.sample(range(1, units), rng.randrange(1, 6))))

    refs, hyps = {}, {}
    for i in range(texts):
        units = rng.randrange(12, 30)
        some = rng.randrange(1, len(annotators) + 1) if missing and i else len(annotators)
        own = sorted(rng.sample(annotators, some))
        refs[f"t{i}"] = {name: draw(units) for name in own}
        hyps[f"t{i}"] = draw(units)
    return refs, hyps


def cell(table, system, metric, average="macro", reference=None):
    wanted = {"system": system, "metric": metric.name, "average": average}
    if reference is not None:
        wanted["reference"] = reference
    (row,) = table.where(**wanted).rows
    return row


def closest(metric, hyp, refs):
    """The score with the closest of some annotators; of equals the least counts."""
    sign = 1 if metric.better == "lower" else -1
    scores = [metric(ref, hyp) for ref in refs]
    return min(scores, key=lambda one: (sign * one.value, *one.counts.values()))


def summed(metric, scores):
    total = np.array([[sum(one.counts[c] for one in scores) for c in metric.counts]])
    return float(metric.recipe().value(total)[0])


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("seed", range(4))
def test_best_is_the_closest_annotator_of_each_text(name, seed):
    refs, hyps = annotated(seed=seed)
    metric = fp.parse(name).metric
    table = fp.score(refs, hyps, metrics=name, reference_rule="best", average="both")
    chosen = [closest(metric, hyps[text], own.values()) for text, own in refs.items()]
    row = cell(table, "hypothesis", metric)
    assert row["reference"] == "closest annotator"
    assert row["signature"].fields["refs"] == "best"
    assert row["value"] == pytest.approx(np.mean([one.value for one in chosen]), rel=1e-12)
    pooled = cell(table, "hypothesis", metric, "micro")["value"]
    assert pooled == pytest.approx(summed(metric, chosen), rel=1e-12)


def test_of_equally_close_annotators_the_one_with_fewer_matches_counts():
    # Both have a B of 1/4: a near miss beside a miss, and a match beside three additions.
    hyp, refs = [6, 3], {"many": [2, 2, 2, 1, 2], "two": [1, 4, 4]}
    scores = {name: fp.boundary_similarity(ref, hyp) for name, ref in refs.items()}
    assert scores["many"].value == scores["two"].value == 0.25
    assert [scores[name].counts["matches"] for name in ("two", "many")] == [0, 1]
    metric = fp.parse("B").metric
    for names in permutations(refs):
        own = {"t": {name: refs[name] for name in names}, "u": {"many": [3, 3]}}
        table = fp.score(own, {"t": hyp, "u": [3, 3]}, metrics="B", reference_rule="best",
                         average="both", baselines=False)  # fmt: skip
        chosen = [scores["two"], fp.boundary_similarity([3, 3], [3, 3])]
        assert cell(table, "hypothesis", metric, "micro")["value"] == summed(metric, chosen)
        assert summed(metric, chosen) != summed(metric, [scores["many"], chosen[1]])


@pytest.mark.parametrize("name", METRICS)
def test_the_ceiling_of_best_is_every_annotator_against_the_closest_other(name):
    refs, hyps = annotated(seed=7)
    metric = fp.parse(name).metric
    table = fp.score(refs, hyps, metrics=name, reference_rule="best", average="both")
    made = {
        text: [closest(metric, own[one], [own[o] for o in own if o != one]) for one in own]
        for text, own in refs.items()
        if len(own) > 1
    }
    by_text = [np.mean([one.value for one in scores]) for scores in made.values()]
    row = cell(table, "human ceiling", metric)
    assert row["value"] == pytest.approx(np.mean(by_text), rel=1e-12)
    assert row["n"] == len(made)
    pooled = summed(metric, [one for scores in made.values() for one in scores])
    assert cell(table, "human ceiling", metric, "micro")["value"] == pytest.approx(pooled)


def test_speakers_of_a_text_are_added_before_the_closest_annotator_is_chosen():
    def talk(*sizes):
        return [fp.Segmentation.from_masses(one) for one in sizes]

    cuts = {"x": talk([2, 4], [3, 3]), "y": talk([3, 3], [2, 4])}
    corpus = fp.Corpus.from_entries(
        {Key("t", str(s), c): own[s] for c, own in cuts.items() for s in range(2)}
    )
    hyp = talk([2, 4], [1, 5])
    system = fp.Corpus.from_entries({Key("t", str(s), "1"): hyp[s] for s in range(2)})
    table = fp.score(corpus, {"s": system}, metrics="F", reference_rule="best")
    # x has one of two boundaries right, y none: half of each, not the best of each speaker.
    assert table.where(system="s")[0]["value"] == 0.5


def test_mean_has_the_rows_of_the_mean_that_each_has():
    refs, hyps = annotated()
    each = fp.score(refs, hyps, metrics=METRICS)
    mean = fp.score(refs, hyps, metrics=METRICS, reference_rule="mean")
    assert mean.rows == each.where(reference=MEAN_OF_REFERENCES).rows
    assert {row["signature"].fields["refs"] for row in mean} == {"mean"}


def test_each_is_the_default_and_shows_the_ceiling_of_each_annotator(tmp_path):
    refs, hyps = annotated(missing=False)
    assert fp.score(refs, hyps, reference_rule="each").rows == fp.score(refs, hyps).rows
    (tmp_path / "gold.json").write_text(json.dumps(
        {text: {name: one.masses for name, one in own.items()}
         for text, own in refs.items()}))  # fmt: skip
    (tmp_path / "sys.json").write_text(json.dumps({t: s.masses for t, s in hyps.items()}))
    done = run("score", "gold.json", "-i", "sys.json", "-m", "B", cwd=tmp_path)
    lines = {line.split("  ")[0]: line for line in done.stdout.splitlines()}
    table = fp.score(refs, hyps, metrics="B")
    for name in "abcd":
        for system, called in (("hypothesis", "sys"), ("human ceiling", "human ceiling")):
            value = cell(table, system, fp.METRICS["boundary_similarity"], reference=name)["value"]
            assert f"{value:.3f}" in lines[f"{called} / {name}"]


@pytest.mark.parametrize("rule", ["mean", "best"])
def test_annotators_who_agree_make_every_rule_the_same(rule):
    refs, hyps = annotated(missing=False)
    alike = {text: dict.fromkeys("abc", own["a"]) for text, own in refs.items()}
    plain = fp.score({text: own["a"] for text, own in refs.items()}, hyps, metrics=METRICS)
    table = fp.score(alike, hyps, metrics=METRICS, reference_rule=rule)
    for row in plain:
        (same,) = table.where(system=row["system"], metric=row["metric"]).rows
        for what in ("value", "low", "high"):
            assert same[what] == (row[what] and pytest.approx(row[what], rel=1e-9))
    for row in table.where(system="human ceiling"):
        assert row["value"] == (0 if fp.METRICS[row["metric"]].better == "lower" else 1)


@pytest.mark.parametrize("rule", ["mean", "best"])
def test_neither_the_order_nor_the_names_of_annotators_change_a_number(rule):
    refs, hyps = annotated(missing=False, annotators="abc", texts=6)
    first = fp.score(refs, hyps, metrics=METRICS, average="both", reference_rule=rule)
    for order in permutations("abc"):
        turned = {text: {name: own[name] for name in order} for text, own in refs.items()}
        table = fp.score(turned, hyps, metrics=METRICS, average="both", reference_rule=rule)
        for one, other in zip(first, table, strict=True):
            if one["system"] != "random boundaries":  # annotators take turns there
                assert other["value"] == pytest.approx(one["value"], rel=1e-12)


@pytest.mark.parametrize("rule", ["mean", "best"])
@pytest.mark.parametrize("average", ["macro", "micro"])
def test_saved_counts_give_the_same_table(rule, average, tmp_path):
    refs, hyps = annotated()
    settings = {"average": average, "baseline": "human ceiling"}
    table = fp.score(refs, hyps, metrics=METRICS, reference_rule=rule, **settings)
    again = fp.score_counts(table.part("counts"), **settings)
    assert again.rows == table.rows
    assert again.part("comparisons").rows == table.part("comparisons").rows
    assert cell(table, "human ceiling", fp.boundary_f, average)["low"] is not None


def test_a_signature_brings_its_rule(tmp_path):
    refs, hyps = annotated(missing=False)
    (tmp_path / "gold.json").write_text(json.dumps(
        {text: {name: one.masses for name, one in own.items()}
         for text, own in refs.items()}))  # fmt: skip
    (tmp_path / "sys.json").write_text(json.dumps({t: s.masses for t, s in hyps.items()}))
    files = ("gold.json", "-i", "sys.json")
    asked = run("score", *files, "-m", "B", "--reference-rule", "best", cwd=tmp_path)
    (signature,) = [line for line in asked.stdout.splitlines() if "refs:best" in line]
    again = run("score", *files, "--signature", signature, cwd=tmp_path)
    assert again.stdout == asked.stdout
    assert "the closest annotator of each text; mean over texts" in asked.stdout
    assert "by the same rule" in " ".join(asked.stdout.split())
    explained = run("metrics", signature).stdout
    assert "the closest annotator of each text" in explained
    assert "--reference-rule best" in explained
    page = tmp_path / "page.html"
    run("score", *files, "--reference-rule", "best", "--html", page, "--per-text", cwd=tmp_path)
    assert "closest annotator" in page.read_text()


@pytest.mark.parametrize("rule", ["mean", "best", "consensus"])
def test_one_annotator_is_refused_in_one_sentence(rule, tmp_path):
    (tmp_path / "gold.json").write_text('{"a": [3, 4]}')
    (tmp_path / "sys.json").write_text('{"a": [3, 4]}')
    done = run("score", "gold.json", "-i", "sys.json", "--reference-rule", rule, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert f"--reference-rule {rule}" in done.stderr
    assert "gold has one" in done.stderr
    apart = {"a": {"x": [3, 4]}, "b": {"y": [3, 4]}}
    with pytest.raises(fp.MetricError, match="no text of references has two"):
        fp.score(apart, {"a": [3, 4], "b": [3, 4]}, reference_rule=rule)
    with pytest.raises(fp.MetricError, match="reference_rule must be each, mean"):
        fp.score(apart, {"a": [3, 4], "b": [3, 4]}, reference_rule="worst")


def test_the_rule_holds_for_parts_of_the_texts_and_for_speakers():
    refs, hyps = annotated(missing=False)
    by = {text: "odd" if int(text[1:]) % 2 else "even" for text in refs}
    table = fp.score(refs, hyps, metrics="B", reference_rule="best", by=by)
    part = table.part("by-group").where(group="odd", system="hypothesis")
    odd = {text: own for text, own in refs.items() if by[text] == "odd"}
    alone = fp.score(odd, {t: hyps[t] for t in odd}, metrics="B", reference_rule="best")
    assert part[0]["value"] == alone.where(system="hypothesis")[0]["value"]


# Consensus: the one of fp.consensus, which tests of its own hold to its definition.


def agreed(own, by):
    """The consensus of some annotators of one text; that of one is what they did."""
    if len(own) == 1:
        return next(iter(own.values()))
    return fp.consensus({"t": own}, consensus_by=by).corpus["t"]


@pytest.mark.parametrize("by", ["similarity", "majority"])
@pytest.mark.parametrize("seed", range(3))
def test_consensus_is_scored_as_a_reference_of_its_own(by, seed):
    refs, hyps = annotated(seed=seed)
    one = {text: agreed(own, by) for text, own in refs.items()}
    settings = {"metrics": METRICS, "average": "both"}
    table = fp.score(refs, hyps, reference_rule="consensus", consensus_by=by, **settings)
    alone = fp.score(one, hyps, **settings)
    for row in alone.rows:
        if row["system"] == "random boundaries":
            continue  # has a row of its own below, with the draws of the same texts
        same = cell(table, row["system"], row["signature"].recipe.metric, row["average"])
        assert (same["value"], same["low"], same["high"]) == (row["value"], row["low"], row["high"])
        assert same["reference"] == "consensus"
        assert same["signature"].fields["refs"] == f"consensus,{by}"
    random = table.where(system="random boundaries").column("value")
    assert random == alone.where(system="random boundaries").column("value")


@pytest.mark.parametrize("by", ["similarity", "majority"])
@pytest.mark.parametrize("name", METRICS)
def test_the_ceiling_of_consensus_is_every_annotator_against_that_of_the_others(name, by):
    refs, hyps = annotated(seed=5)
    metric = fp.parse(name).metric
    settings = {"reference_rule": "consensus", "consensus_by": by}
    table = fp.score(refs, hyps, metrics=name, average="both", **settings)
    made = {
        text: [metric(agreed({o: own[o] for o in own if o != one}, by), own[one]) for one in own]
        for text, own in refs.items()
        if len(own) > 1
    }
    by_text = [np.mean([one.value for one in scores]) for scores in made.values()]
    row = cell(table, "human ceiling", metric)
    assert row["value"] == pytest.approx(np.mean(by_text), rel=1e-12)
    assert row["n"] == len(made)
    pooled = summed(metric, [one for scores in made.values() for one in scores])
    assert cell(table, "human ceiling", metric, "micro")["value"] == pytest.approx(pooled)


@pytest.mark.parametrize("by", ["similarity", "majority"])
def test_annotators_who_agree_are_their_consensus(by):
    refs, hyps = annotated(annotators="a", missing=False)
    three = {text: dict.fromkeys("xyz", own["a"]) for text, own in refs.items()}
    table = fp.score(three, hyps, metrics=METRICS, reference_rule="consensus", consensus_by=by)
    flat = fp.score({text: own["a"] for text, own in refs.items()}, hyps, metrics=METRICS)
    for row in flat.where(system="hypothesis").rows:
        same = cell(table, "hypothesis", row["signature"].recipe.metric)
        assert same["value"] == row["value"]
    for name in METRICS:
        metric = fp.parse(name).metric
        best = 1.0 if metric.better == "higher" else 0.0
        assert cell(table, "human ceiling", metric)["value"] == best


@pytest.mark.parametrize(("empty", "said"), [(0, None), (1, "1 text has"), (2, "2 texts has")])
def test_texts_whose_consensus_has_no_boundary_are_counted(empty, said):
    refs = {f"t{i}": dict.fromkeys("abc", [6] if i < empty else [3, 3]) for i in range(4)}
    table = fp.score(refs, {name: [2, 4] for name in refs}, metrics="B",
                     reference_rule="consensus")  # fmt: skip
    notes = [note for note in table.notes if note.startswith("the consensus of ")]
    assert notes == ([f"the consensus of {said} no boundary"] if said else [])


def test_the_consensus_has_types_also_at_the_end_of_a_text():
    # Three of four end the text with a full stop; B does not see ends, S_f does.
    def typed(first, last):
        names = (",", ".", "?")
        kinds = [names.index(one) + 1 for one in (first, last)]
        return fp.Segmentation(6, [3, 6], kinds, names)

    refs = {"t": {"a": typed(".", "."), "b": typed(".", "."), "c": typed(",", "."),
                  "d": typed(",", "?")}}  # fmt: skip
    for by in ("similarity", "majority"):
        table = fp.score(refs, {"t": typed(",", ".")}, metrics=["Sf", "B"],
                         reference_rule="consensus", consensus_by=by)  # fmt: skip
        alone = fp.score({"t": typed(",", ".")}, {"t": typed(",", ".")}, metrics=["Sf", "B"])
        values = table.where(system="hypothesis").column("value")
        assert values == alone.where(system="hypothesis").column("value")


def test_speakers_have_a_consensus_each():
    corpus = fp.Corpus.from_entries({
        Key("t", speaker, coder): fp.Segmentation(6, cuts)
        for speaker, by in {"s": ([2], [2], [4]), "u": ([], [3], [3])}.items()
        for coder, cuts in zip("xyz", by, strict=True)
    })  # fmt: skip
    hyps = fp.Corpus.from_entries({
        Key("t", "s", "1"): fp.Segmentation(6, [2]), Key("t", "u", "1"): fp.Segmentation(6, [1]),
    })  # fmt: skip
    table = fp.score(corpus, hyps, metrics="F", reference_rule="consensus",
                     consensus_by="majority", average="micro")  # fmt: skip
    assert table.where(system="corpus")[0]["value"] == 0.5  # 2 found, 3 missed, 1 wrong


def test_how_a_consensus_was_made_comes_back_from_its_signature(tmp_path):
    refs, hyps = annotated(missing=False)
    (tmp_path / "gold.json").write_text(json.dumps(
        {text: {name: one.masses for name, one in own.items()}
         for text, own in refs.items()}))  # fmt: skip
    (tmp_path / "sys.json").write_text(json.dumps({t: s.masses for t, s in hyps.items()}))
    files = ("gold.json", "-i", "sys.json")
    rule = ("--reference-rule", "consensus", "--consensus-by", "majority")
    asked = run("score", *files, "-m", "B", *rule, "--save", "c.csv", cwd=tmp_path)
    (signature,) = [line for line in asked.stdout.splitlines() if "refs:consensus" in line]
    again = run("score", *files, "--signature", signature, cwd=tmp_path)
    assert again.stdout == asked.stdout
    explained = run("metrics", signature).stdout
    assert "--reference-rule consensus --consensus-by majority" in explained
    assert "more than half of the annotators" in explained
    saved = run("score", "--counts", "c.csv", cwd=tmp_path).stdout.splitlines()
    assert set(asked.stdout.splitlines()[4:9]) <= set(saved)
    sentence = " ".join(run("score", *files, *rule, "--sentence", cwd=tmp_path).stdout.split())
    assert "Annotators, each against the others by the same rule, had Pk" in sentence
    assert "more than half of the annotators of a text set (consensus); computed" in sentence
    alone = run("score", *files, "--consensus-by", "majority", cwd=tmp_path)
    assert alone.returncode == 2
    assert "add --reference-rule consensus" in alone.stderr
    assert alone.stderr.count("\n") == 1


@pytest.mark.parametrize("rule", ["each", "mean", "best", "consensus", "weighted"])
def test_random_boundaries_of_a_text_are_as_many_as_its_annotators_set(rule):
    cuts = {"t0": [5], "t1": [], "t2": [1, 2, 3], "t3": [2, 4, 6, 8], "t4": [1, 3, 5, 7, 9]}
    refs = {t: dict.fromkeys("abc", fp.Segmentation(12, own)) for t, own in cuts.items()}
    hyps = {t: fp.Segmentation(12, [6]) for t in refs}
    counts = fp.score(refs, hyps, metrics="F", reference_rule=rule).part("counts")
    rows = counts.where(system="random boundaries").rows
    assert {row["text"] for row in rows} == set(cuts)
    for row in rows:
        whole = PARTS if rule == "weighted" else 1
        assert row["tp"] + row["fp"] == whole * len(cuts[row["text"]])


@pytest.mark.parametrize("rule", ["each", "mean", "best", "weighted"])
def test_what_a_metric_notes_about_a_reference_is_noted_under_every_rule(rule):
    refs = {"t": {"a": fp.Segmentation(5000, [1000]), "b": fp.Segmentation(5000, [1100])}}
    notes = fp.score(refs, {"t": fp.Segmentation(5000, [1000])}, metrics="B",
                     reference_rule=rule, baselines=False).notes  # fmt: skip
    assert any("almost no near miss counts as one" in note for note in notes)


def test_a_text_with_a_draw_without_a_value_is_said_to_be_ignored_for_that():
    """Each draw has as many boundaries as one of the annotators, and one of them set none."""
    sure = fp.Segmentation.from_levels({3: 1, 6: 2}, 9)
    none = fp.Segmentation(9, [], [], ["1"])
    refs = {f"t{n}": {"anna": sure, "ben": none} for n in range(2)}
    table = fp.score(refs, dict.fromkeys(refs, sure), metrics="t_precision",
                     reference_rule="best", intervals=False)  # fmt: skip
    rows = {row["system"]: row["value"] for row in table}
    assert rows["hypothesis"] == 1
    assert math.isnan(rows["random boundaries"])
    assert (
        "t_precision of 'random boundaries' is undefined on one draw or more of 2 texts (no "
        "boundary ranks units by nearness), ignored for it alone"
    ) in table.notes
