"""Consensus: the segmentation that is closest to all annotators."""

import warnings
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings

import fencepost as fp
from oracle import agreement as oracle

with warnings.catch_warnings():
    # Old escapes in old docstrings; newer Pythons warn when they compile them.
    warnings.simplefilter("ignore", category=SyntaxWarning)
    warnings.simplefilter("ignore", category=DeprecationWarning)
from annotators import corpora, masses, random_corpus


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["B", "S", "A", "boundary_agreement"])
@given(corpora(missing=False, max_texts=1, max_units=7))
@settings(max_examples=25)
def test_the_consensus_is_the_best_of_all_segmentations(metric, corpus):
    agreed = fp.consensus(corpus, metric=metric)
    row = agreed.table[0]
    assert row["how"] == "exact"
    similarity = oracle.SIMILARITIES[metric]
    coders = list(corpus["t0"].values())
    best, first = oracle.consensus(coders, similarity)
    made = agreed.corpus["t0", "consensus"]
    assert row["mean"] == pytest.approx(float(best), abs=1e-12)
    assert float(oracle.mean_similarity(made, coders, similarity)) == pytest.approx(
        float(best), abs=1e-12
    )
    assert len(made.cuts) == len(first.cuts)  # the fewest boundaries among equals
    values = [float(similarity([(oracle.seg(m), made)])) for m in coders]
    assert (row["lowest"], row["highest"]) == pytest.approx((min(values), max(values)), abs=1e-12)


def single_changes(made, coders):
    """One boundary of some coder more or less, or one moved to the next place some coder has."""
    places = sorted({place for own in coders for place in own.cuts.tolist()})
    own = set(made.cuts.tolist())
    assert own <= set(places)
    for place in places:
        yield fp.Segmentation(made.units, sorted(own ^ {place}))
    for here, there in pairwise(places):
        if (here in own) != (there in own):
            yield fp.Segmentation(made.units, sorted(own ^ {here, there}))


@pytest.mark.parametrize("metric", ["B", "S", "A", "F", "boundary_agreement"])
def test_the_consensus_is_never_below_the_best_coder(metric):
    corpus = random_corpus(51, texts=8, units=60, rate=0.12, missing=0.2, moved=True)
    recipe = fp.parse(metric)
    ways = set()
    agreed = fp.consensus(corpus, metric=metric)
    for row in agreed.table:
        coders = {c: fp.Segmentation.from_masses(m) for c, m in corpus[row["text"]].items()}
        mean = {
            c: np.mean([recipe.metric(other, own).value for other in coders.values()])
            for c, own in coders.items()
        }
        best = max(mean.values())
        assert row["mean"] >= best - 1e-12
        made = agreed.corpus[row["text"], "consensus"]
        reached = [recipe.metric(other, made).value for other in coders.values()]
        assert row["mean"] == pytest.approx(np.mean(reached), abs=1e-12)
        if row["how"].startswith("search from "):
            assert row["mean"] > best + 1e-12
            assert mean[row["how"].removeprefix("search from ")] == pytest.approx(best, abs=1e-12)
        elif row["how"] != "exact":
            assert row["mean"] == pytest.approx(best, abs=1e-12)
            assert made == coders[row["how"]]
        if row["how"] != "exact":
            for changed in single_changes(made, coders.values()):
                values = [recipe.metric(other, changed).value for other in coders.values()]
                assert np.mean(values) <= row["mean"] + 1e-12
        ways.add(row["how"].split()[0])
        assert row["coders"] == len(coders)
    if metric == "boundary_agreement":
        assert ways == {"exact"}  # every place by itself, at any length
    elif metric != "S":
        assert "search" in ways
    assert agreed.corpus.coders == ["consensus"]
    assert set(agreed.corpus.texts) == {t for t, own in corpus.items() if len(own) > 1}


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["B:n_t=3", "B", "S", "S:n_t=3", "boundary_agreement"])
def test_the_consensus_of_longer_texts_is_the_best_of_all_as_well(metric):
    # All 4,096 segmentations of 13 units, by the library's own counts: are places that no coder's
    # cut can reach rightly left out, and may groups of cuts be decided one by one?
    recipe = fp.parse(metric)
    everything = list(oracle.segmentations(13))
    for seed in range(12):
        corpus = random_corpus(80 + seed, texts=1, units=13, rate=0.25, coders=3, moved=True)
        coders = [oracle.seg(m) for m in corpus["t0"].values()]
        values = [
            recipe.value(
                recipe.count(fp.Pairs.from_segmentations([coder] * len(everything), everything))
            )
            for coder in coders
        ]
        row = fp.consensus(corpus, metric=metric).table[0]
        assert row["how"] == "exact"
        assert row["mean"] == pytest.approx(np.mean(values, axis=0).max(), abs=1e-12)


def test_the_consensus_of_s_is_exact_at_any_length_where_cuts_stand_in_small_groups():
    texts = {"long": {c: [50 + i, 500 - i, 400, 500, 50] for i, c in enumerate("abc")}}
    row = fp.consensus(texts, metric="S").table[0]
    assert (row["how"], row["boundaries"]) == ("exact", 4)
    assert fp.consensus(texts, metric="boundary_agreement").table[0]["how"] == "exact"


def test_up_to_15_places_in_question_the_consensus_is_exact_and_beyond_it_is_a_search():
    # 16 units have 15 places, all of which A looks at; 17 units have 16.
    for units, exact in ((16, True), (17, False)):
        row = fp.consensus({"t": {"a": [3, units - 3], "b": [4, units - 4], "c": [units]}},
                           metric="A").table[0]  # fmt: skip
        assert (row["how"] == "exact") is exact
    marks = [2 * i + 1 for i in range(15)]  # B without near misses looks at places coders have
    corpus = {"t": {"a": masses(40, marks), "b": masses(40, marks[:9]), "c": masses(40, [5])}}
    assert fp.consensus(corpus, metric="B:n_t=1").table[0]["how"] == "exact"
    corpus["t"]["a"] = masses(40, [*marks, 33])
    assert fp.consensus(corpus, metric="B:n_t=1").table[0]["how"] != "exact"


@pytest.mark.slow
def test_a_consensus_of_two_kinds():
    kinds = ("low", "high")

    def typed(*marks, units=8):
        return fp.Segmentation(units, [p for p, _ in marks], [k for _, k in marks], kinds)

    # Exact: 8 places (the end is one), two kinds, at most one of them at a place.
    for units in (6, 7, 8, 12):
        for seed in range(4):
            rng = np.random.default_rng(seed)
            coders = []
            for _ in range(3):
                cut = np.flatnonzero(rng.random(units) < 0.4) + 1
                coders.append(typed(*((int(p), int(rng.integers(1, 3))) for p in cut), units=units))
            corpus = {"t": dict(zip("abc", coders, strict=True))}
            agreed = fp.consensus(corpus, metric="Sf")
            row, made = agreed.table[0], agreed.corpus["t", "consensus"]
            recipe = fp.parse("Sf")

            def mean(one, coders=coders, recipe=recipe):
                return np.mean([recipe.metric(coder, one).value for coder in coders])

            assert row["mean"] == pytest.approx(mean(made), abs=1e-12)
            assert row["mean"] >= max(map(mean, coders)) - 1e-12
            assert len(set(made.cuts.tolist())) == len(made.cuts)
            assert (row["how"] == "exact") is (2 * units <= 15)
            if row["how"] == "exact":
                best = max(
                    mean(typed(*((p, k) for p, k in enumerate(chosen, 1) if k), units=units))
                    for chosen in product(range(3), repeat=units)
                )
                assert row["mean"] == pytest.approx(best, abs=1e-12)


@pytest.mark.slow
def test_no_single_change_of_a_consensus_of_two_kinds_is_better():
    recipe, kinds, units = fp.parse("Sf"), ("low", "high"), 14

    def made_of(marks):
        marks = sorted(marks)
        return fp.Segmentation(units, [p for p, _ in marks], [k for _, k in marks], kinds)

    for seed in range(12):
        rng = np.random.default_rng(seed)
        marks = [
            {
                (int(p), int(rng.integers(1, 3)))
                for p in np.flatnonzero(rng.random(units) < 0.35) + 1
            }
            for _ in range(4)
        ]
        coders = [made_of(own) for own in marks]
        agreed = fp.consensus({"t": dict(zip("abcd", coders, strict=True))}, metric="Sf")
        made, row = agreed.corpus["t", "consensus"], agreed.table[0]
        own = set(zip(made.cuts.tolist(), made.kinds.tolist(), strict=True))
        every = set().union(*marks)
        changes = [own ^ {mark} for mark in every]
        for kind in (1, 2):  # moved to the next place where some coder has this kind
            for one, other in pairwise(sorted(mark for mark in every if mark[1] == kind)):
                if (one in own) != (other in own):
                    changes.append(own ^ {one, other})
        for changed in changes:
            if len({place for place, _ in changed}) == len(changed):
                values = [recipe.metric(coder, made_of(changed)).value for coder in coders]
                assert np.mean(values) <= row["mean"] + 1e-12, (seed, own, changed)
