"""The rule weighted: boundaries weighted by the share of annotators who set them."""

import json
import random
from itertools import product

import numpy as np
import pytest

import fencepost as fp
from fencepost import Column, Pairs, _core
from fencepost.metrics.edit import PARTS
from fencepost.model.corpus import Key
from oracle import weighted
from support import run

METRICS = ["precision", "recall", "F", "B", "b_precision", "b_recall", "b_f"]
RULE = {"reference_rule": "weighted", "intervals": False}


def drawn(rng, units, most=4):
    return sorted(rng.sample(range(1, units), rng.randrange(0, most + 1)))


def one_text(rng, annotators=3):
    """Annotators and a hypothesis of one text, as positions."""
    units = rng.randrange(5, 14)
    return units, [drawn(rng, units) for _ in range(annotators)], drawn(rng, units)


def value(units, annotators, hyp, metric):
    """The score of one hypothesis."""
    refs = {"t": {str(i): fp.Segmentation(units, own) for i, own in enumerate(annotators)}}
    table = fp.score(refs, {"t": fp.Segmentation(units, hyp)}, metrics=metric, **RULE)
    (row,) = table.where(system="hypothesis").rows
    assert row["signature"].fields["refs"] == "weighted"
    return row["value"]


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("tolerance", [0, 1, 3])
def test_precision_recall_and_f_are_those_of_the_best_pairing(seed, tolerance):
    rng = random.Random(seed)
    units, annotators, hyp = one_text(rng, 2 + seed % 4)
    true = weighted.precision_recall_f(weighted.shares(annotators), hyp, tolerance)
    for name, wanted in zip(("precision", "recall", "F"), true, strict=True):
        found = value(units, annotators, hyp, f"{name}:tolerance={tolerance}")
        assert found == pytest.approx(float(wanted), rel=1e-14)


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("n_t", [1, 2, 4])
def test_b_is_that_of_a_cheapest_pairing(seed, n_t):
    rng = random.Random(seed)
    units, annotators, hyp = one_text(rng, 2 + seed % 4)
    true = weighted.boundary_similarity(weighted.shares(annotators), hyp, n_t)
    found = value(units, annotators, hyp, f"B:n_t={n_t}")
    assert any(found == pytest.approx(float(one), rel=1e-14) for one in true)


@pytest.mark.parametrize("seed", range(20))
def test_weights_of_1_count_as_without_weights(seed):
    rng = random.Random(seed)
    units, (ref,), hyp = one_text(rng, 1)
    certain = Pairs.from_segmentations([fp.Segmentation(units, ref)], [fp.Segmentation(units, hyp)])
    column = Column(certain.ref.values, certain.ref.offsets, None, np.ones(len(ref)))
    weighed = Pairs(column, certain.hyp, certain.units)
    for name, more in product(METRICS, ({}, {"ends": "include"})):
        metric = fp.parse(name).metric
        if more and "ends" not in metric.params:
            continue
        recipe = metric.recipe(**more)
        counts = metric.weighted(weighed.view("weights"), **recipe.settings)
        assert (counts == PARTS * recipe.count(certain)).all()


def test_annotators_who_agree_are_one_reference():
    rng = random.Random(1)
    refs, hyps = {}, {}
    for i in range(20):
        units, (own,), hyp = one_text(rng, 1)
        refs[f"t{i}"] = fp.Segmentation(units, own)
        hyps[f"t{i}"] = fp.Segmentation(units, hyp)
    three = {text: dict.fromkeys("abc", own) for text, own in refs.items()}
    settings = {"metrics": METRICS, "average": "both"}
    table = fp.score(three, hyps, reference_rule="weighted", **settings)
    flat = fp.score(refs, hyps, **settings)
    for system in ("hypothesis", "no boundaries", "random boundaries"):
        own, alone = table.where(system=system), flat.where(system=system)
        if system == "random boundaries":  # draws of another annotator in each turn are the same
            assert own.column("value") == pytest.approx(alone.column("value"))
            continue
        assert own.column("value") == alone.column("value")
        assert own.column("low") == alone.column("low")
    assert set(table.where(system="human ceiling").column("value")) == {1.0}


@pytest.mark.parametrize("name", ["F", "B:n_t=1", "precision", "b_recall:n_t=1"])
def test_without_near_misses_it_is_the_pooled_mean_over_annotators(name):
    rng = random.Random(4)
    for _ in range(20):
        units, annotators, hyp = one_text(rng, 3)
        recipe = fp.parse(name)
        segs = [fp.Segmentation(units, own) for own in annotators]
        pairs = Pairs.from_segmentations(segs, [fp.Segmentation(units, hyp)] * 3)
        pooled = recipe.value(recipe.count(pairs).sum(axis=0)[None, :])[0]
        assert value(units, annotators, hyp, name) == pytest.approx(pooled, rel=1e-14)


@pytest.mark.parametrize("name", METRICS)
def test_values_are_bounded_and_defined(name):
    rng = random.Random(name)
    for _ in range(50):
        assert 0 <= value(*one_text(rng), name) <= 1
    assert value(6, [[], []], [], name) == 1
    assert value(6, [[], []], [3], name) == 0
    assert value(6, [[2], []], [], name) == 0


@pytest.mark.parametrize("name", ["F:tolerance=1", "B"])
def test_the_ceiling_is_every_annotator_against_the_others_by_the_same_rule(name):
    rng = random.Random(7)
    refs, hyps, by_text = {}, {}, []
    for i in range(6):
        units, annotators, hyp = one_text(rng, 1 + i % 4)
        refs[f"t{i}"] = {c: fp.Segmentation(units, own) for c, own in zip("abcd", annotators)}  # noqa: B905
        hyps[f"t{i}"] = fp.Segmentation(units, hyp)
        if len(annotators) > 1:
            others = [[*annotators[:n], *annotators[n + 1 :]] for n in range(len(annotators))]
            made = []
            for own, rest in zip(annotators, others, strict=True):
                ref = weighted.shares(rest)
                if name == "B":
                    made.append(weighted.boundary_similarity(ref, own, 2).pop())
                else:
                    made.append(weighted.precision_recall_f(ref, own, 1)[2])
            by_text.append(float(sum(made) / len(made)))
    table = fp.score(refs, hyps, metrics=name, **RULE)
    (row,) = table.where(system="human ceiling").rows
    assert row["value"] == pytest.approx(np.mean(by_text), rel=1e-12)


def test_counts_are_exact_where_annotators_are_at_most_20():
    for size in range(1, 21):
        assert PARTS % size == 0


def test_speakers_of_a_text_are_added():
    corpus = fp.Corpus.from_entries({
        Key("t", speaker, coder): fp.Segmentation(6, cuts)
        for speaker, by in {"s": ([2], [2]), "u": ([3], [])}.items()
        for coder, cuts in zip("xy", by, strict=True)
    })  # fmt: skip
    hyps = fp.Corpus.from_entries({
        Key("t", "s", "1"): fp.Segmentation(6, [2]), Key("t", "u", "1"): fp.Segmentation(6, [3]),
    })  # fmt: skip
    row = fp.score(corpus, hyps, metrics="F", **RULE).where(system="corpus")[0]
    assert row["value"] == 2 * 1.5 / (2 * 1.5 + 0.5)


def test_metrics_without_weights_are_refused_with_those_that_have_them(tmp_path):
    (tmp_path / "gold.json").write_text('{"a": {"x": [3, 4], "y": [2, 5]}}')
    (tmp_path / "sys.json").write_text('{"a": [3, 4]}')
    done = run("score", "gold.json", "-i", "sys.json", "--reference-rule", "weighted", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert "Pk and WindowDiff cannot weigh boundaries" in done.stderr
    assert "is for precision, recall, F, B" in done.stderr
    refused = {
        "F:tolerance=5%": "give the tolerance in units",
        "B:matching=greedy": "matched optimally",
    }
    for metric, said in refused.items():
        with pytest.raises(fp.MetricError, match=said):
            value(7, [[3], [2]], [3], metric)
    names = ("x", "y")
    typed = {"t": {c: fp.Segmentation(7, [3], [1], names) for c in "ab"}}
    with pytest.raises(fp.MetricError, match="references has boundary types, which B would"):
        fp.score(typed, {"t": typed["t"]["a"]}, metrics="B", **RULE)
    assert fp.score(typed, {"t": fp.Segmentation(7, [3])}, metrics="F", **RULE)[0]["value"] == 1


def test_saved_counts_signatures_tests_and_pages_keep_the_rule(tmp_path):
    rng = random.Random(3)
    gold, one, two = {}, {}, {}
    for i in range(8):
        units, annotators, hyp = one_text(rng)
        segs = {c: fp.Segmentation(units, own) for c, own in zip("abc", annotators, strict=True)}
        gold[f"t{i}"] = {c: seg.masses for c, seg in segs.items()}
        one[f"t{i}"] = fp.Segmentation(units, hyp).masses
        two[f"t{i}"] = segs["a"].masses
    for name, texts in (("gold", gold), ("one", one), ("two", two)):
        (tmp_path / f"{name}.json").write_text(json.dumps(texts))
    files = ("gold.json", "-i", "one.json", "two.json")
    asked = ("-m", "F", "B", "--reference-rule", "weighted", "--paired")
    done = run("score", *files, *asked, "--save", "c.csv", "--html", "p.html", cwd=tmp_path)
    assert "weighted by the share of annotators" in " ".join(done.stdout.split())
    plain = run("score", *files, *asked[:-1], cwd=tmp_path).stdout
    signed = [line for line in plain.splitlines() if "|refs:weighted|" in line]
    assert len(signed) == 2
    assert run("score", *files, "--signature", *signed, cwd=tmp_path).stdout == plain
    saved = run("score", "--counts", "c.csv", "--paired", cwd=tmp_path).stdout.splitlines()
    rows = [line for line in done.stdout.splitlines() if line.startswith(("one ", "two ", "human"))]
    assert rows
    assert set(rows) <= set(saved)
    assert "human ceiling" in (tmp_path / "p.html").read_text(encoding="utf-8")
    page = run("metrics", signed[0]).stdout
    assert "--reference-rule weighted" in page


def test_native_counts_are_refused_for_wrong_shapes():
    pairs = Pairs.from_segmentations([fp.Segmentation(6, [3])], [fp.Segmentation(6, [2])])
    with pytest.raises(ValueError, match="n_t must be at least 1"):
        _core.weighted_b_counts(pairs.rows, 0)


def test_pairs_of_b_do_not_cross():
    """To pair 5 with 10 and 6 with 7 would cost least, and is .4375; in order, 5 is missing."""
    annotators, hyp = [[5, 6], [6], [6], [6]], [7, 10]
    (true,) = weighted.boundary_similarity(weighted.shares(annotators), hyp, 6)
    assert value(20, annotators, hyp, "B:n_t=6") == pytest.approx(float(true), rel=1e-14)
    assert float(true) == pytest.approx(1 - (0.25 + 1 + 1 / 6) / 2.25)
