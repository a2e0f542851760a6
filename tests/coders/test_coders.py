"""Agreement beyond chance: what is observed, what simulated coders reach, and kinds."""

import math
import random
from itertools import product

import numpy as np
import pytest

import fencepost as fp
from fencepost.coders import COLUMNS
from fencepost.coders.annotations import Annotations
from fencepost.coders.chance import SIMULATED, _by_coder, nulls
from fencepost.coders.coefficients import Coefficient, beyond_chance
from fencepost.coders.expected import expected_cost
from fencepost.metrics.flexible import Prices
from fencepost.statistics.randomness import limits

KINDS = ("p", "q")
CHANCES = [chance for chance in SIMULATED if chance != "positions"]  # which takes 20 texts
FREE_TO_MOVE = fp.flexible_similarity.recipe(
    costs=fp.Costs.from_dict({("p", "q"): 0.5}, moving={"p": 0.0, "q": 0.0})
)


def random_coder(rng, units, rate, kinds=KINDS):
    marks = [rng.choice(kinds) if rng.random() < rate else "" for _ in range(units)]
    return fp.Segmentation.from_marks(marks, kinds)


def random_corpus(seed, texts=6, units=80, rate=0.2, coders=("x", "y"), typed=True):
    rng = random.Random(seed)
    corpus = {}
    for i in range(texts):
        own = {coder: random_coder(rng, units, rate) for coder in coders}
        if not typed:
            own = {c: fp.Segmentation(s.units, s.places) for c, s in own.items()}
        corpus[f"t{i}"] = own
    return fp.Corpus.from_dict(corpus)


def test_observed_is_the_value_of_all_counts_together():
    corpus = random_corpus(1, coders=("x", "y", "z"), typed=False)
    row = fp.agreement(corpus, metric="B", draws=2)[0]
    total = np.zeros(len(fp.boundary_similarity.counts), dtype=np.int64)
    for text in corpus.texts:
        for a, b in (("x", "y"), ("x", "z"), ("y", "z")):
            counts = fp.boundary_similarity(corpus[text, a], corpus[text, b]).counts
            total += np.array(list(counts.values()))
    expected = fp.boundary_similarity.recipe().value(total[None, :])[0]
    assert row["observed"] == expected


def test_the_coefficient_is_the_classical_form():
    row = fp.agreement(random_corpus(2), metric="Sf", chance="bernoulli", draws=20)[0]
    assert row["value"] == (row["observed"] - row["expected"]) / (1 - row["expected"])
    assert set(row) == set(COLUMNS)


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["B", "S", "A", "F", "Sf", "SfB"])
@pytest.mark.parametrize("chance", ["shuffle", "bernoulli"])
def test_random_coders_agree_by_chance_alone(metric, chance):
    # 30 texts of 80 units: the observed value itself has a sampling error, which the mean over
    # independent corpora shows; three of its standard errors are allowed.
    values = []
    for seed in range(12):
        corpus = random_corpus(100 + seed, texts=30, typed=metric.startswith("Sf"))
        values.append(fp.agreement(corpus, metric=metric, chance=chance, draws=60)[0]["value"])
    mean = sum(values) / len(values)
    error = float(np.std(values, ddof=1)) / math.sqrt(len(values))
    assert abs(mean) < 3 * error + 1e-9


def test_perfect_agreement_is_1():
    one = random_corpus(3, coders=("x",))
    both = {t: {"x": one[t, "x"], "y": one[t, "x"]} for t in one.texts}
    for metric in ("Sf", "SfB", "B", "A"):
        for row in fp.agreement(fp.Corpus.from_dict(both), metric=metric, chance=CHANCES, draws=10):
            assert row["value"] == 1.0


@pytest.mark.slow
def test_draws_are_seeded_and_the_same_for_any_number_of_threads():
    corpus = random_corpus(4, texts=40)
    first = fp.agreement(corpus, metric="Sf", chance=CHANCES, draws=30).column("expected")
    threads = fp.set_threads()
    try:
        for n in (1, 2, 5):
            fp.set_threads(n)
            again = fp.agreement(corpus, metric="Sf", chance=CHANCES, draws=30)
            assert again.column("expected") == first
    finally:
        fp.set_threads(threads)
    other = fp.agreement(corpus, metric="Sf", chance=CHANCES, draws=30, seed=7).column("expected")
    assert all(a != b for a, b in zip(first, other, strict=True))


def test_batches_do_not_change_the_draws(monkeypatch):
    corpus = random_corpus(5)
    whole = fp.agreement(corpus, metric="Sf", chance=CHANCES, draws=12).column("expected")
    monkeypatch.setattr("fencepost.coders.coefficients.BATCH_CUTS", 500)
    assert fp.agreement(corpus, metric="Sf", chance=CHANCES, draws=12).column("expected") == whole


def test_the_standard_error_is_that_of_the_mean():
    corpus = random_corpus(6)
    few = fp.agreement(corpus, metric="Sf", chance="bernoulli", draws=100)[0]
    many = fp.agreement(corpus, metric="Sf", chance="bernoulli", draws=1600)[0]
    assert few["standard_error"] / many["standard_error"] == pytest.approx(4, rel=0.3)
    assert abs(few["expected"] - many["expected"]) < 4 * few["standard_error"]


def test_null_distributions_are_what_they_say():
    seg = fp.Segmentation.from_marks
    corpus = fp.Corpus.from_dict(
        {"t": {"x": seg(["p", "", "q", "q"], KINDS), "y": seg(["", "", "p", ""], KINDS)}}
    )
    both = Annotations.of(corpus)
    found = {
        null.coefficient: limits(null.shares) / 2.0**64
        for null in nulls(both, "kinds+end", ["bernoulli", "uniform", "uniform-types"])
    }
    # Cumulative: none, none or p.
    assert found["kappa"].tolist() == [[0.25, 0.5], [0.75, 1.0]]
    assert found["pi"].tolist() == [[0.5, 0.75]]
    assert np.allclose(found["bennett"], [[1 / 3, 2 / 3]], atol=1e-15)
    assert found["modified bennett"].tolist() == [[0.5, 0.75]]


def test_proportions_come_from_all_streams():
    seg = fp.Segmentation.from_marks
    corpus = fp.Corpus.from_dict(
        {
            ("t", "A"): {"x": seg(["p"] * 4, KINDS), "y": seg(["p"] * 4, KINDS)},
            ("t", "B"): {"x": seg([""] * 12, KINDS), "y": seg([""] * 12, KINDS)},
        }
    )
    assert _by_coder(Annotations.of(corpus), "kinds+end").tolist() == [[0.75, 0.25, 0]] * 2


@pytest.mark.slow
def test_expected_similarity_of_a_place_is_what_probability_says():
    # One place and one kind: both draw a boundary with probability 1/2, so they differ half the
    # time, and a difference costs 1 of 1 unit.
    seg = fp.Segmentation.from_marks
    texts = {
        f"t{i}": {"x": seg(["p" if i % 2 else ""], ["p"]), "y": seg(["p" if i % 2 else ""], ["p"])}
        for i in range(400)
    }
    row = fp.agreement(fp.Corpus.from_dict(texts), metric="Sf", chance="bernoulli", draws=200)[0]
    assert abs(row["expected"] - 0.5) < 4 * row["standard_error"]


@pytest.mark.parametrize(
    ("texts", "settings", "message"),
    [
        ({"a": {"x": [5]}}, {}, "one annotator only"),
        ({"a": {"x": [5]}, "b": {"y": [5]}}, {}, "no text .* segmented by two annotators"),
        ({"a": {"x": [5, 5], "y": [5, 6]}}, {}, "a: x has 10 units and y 11"),
        ({("a", "L"): {"x": [5], "y": [5]}, ("a", "R"): {"x": [5]}}, {}, "y lacks the speaker 'R'"),
        ({"a": {"x": [5], "y": [5]}}, {"metric": "pk"}, "needs a symmetric similarity"),
        ({"a": {"x": [5], "y": [5]}}, {"chance": "luck"}, "chance must be sizes"),
        ({"a": {"x": [5], "y": [5]}}, {"draws": 1}, "draws must be"),
    ],
)  # fmt: skip
def test_bad_input_gives_one_sentence(texts, settings, message):
    with pytest.raises(fp.FencepostError, match=message):
        fp.agreement(fp.Corpus.from_dict(texts), **settings)


# The exact expectation of S_f.


@pytest.mark.slow
def test_the_exact_expectation_is_the_mean_over_all_annotations():
    # Every annotation of four places by two kinds, weighted by its probability.
    shares = np.array([0.6, 0.3, 0.1]), np.array([0.5, 0.2, 0.3])
    costs = fp.Costs.from_dict({("p", "q"): 0.5, ("q", "none"): 0.2})
    marks = ("", "p", "q")
    total = 0.0
    for first in product(range(3), repeat=4):
        for second in product(range(3), repeat=4):
            weight = math.prod(shares[0][i] for i in first) * math.prod(
                shares[1][i] for i in second
            )
            a, b = (
                fp.Segmentation.from_marks([marks[i] for i in x], KINDS) for x in (first, second)
            )
            total += weight * fp.flexible_similarity(a, b, costs=costs).counts["nanocost"] / 1e9
    pairs = fp.Pairs.from_segmentations([a], [b], vocabulary=KINDS)
    exact = expected_cost(Prices.of(pairs, costs, True), *shares, [4])
    assert exact == pytest.approx(total, abs=1e-12)


@pytest.mark.parametrize("chance", ["bernoulli", "uniform", "uniform-types"])
def test_the_exact_expectation_agrees_with_simulation(chance):
    corpus = random_corpus(9, texts=4)
    simulated = fp.agreement(corpus, metric="Sf", chance=chance, draws=800)
    exact = fp.agreement(corpus, metric="Sf", chance=chance, exact=True)
    for a, b in zip(simulated, exact, strict=True):
        assert abs(a["expected"] - b["expected"]) < 4 * a["standard_error"]
        assert b["standard_error"] == 0
        assert b["signature"].fields["chance"] == f"{chance},exact"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"metric": "B", "chance": "bernoulli"}, "known for S_f"),
        ({"metric": "SfB", "chance": "bernoulli"}, "known for S_f"),
        ({"metric": "Sf", "chance": "shuffle"}, "no exact expectation"),
        ({"metric": "Sf", "chance": "positions"}, "no exact expectation"),
        ({"metric": FREE_TO_MOVE, "chance": "bernoulli"}, "no finite chain"),
    ],
)
def test_where_there_is_no_exact_expectation_it_is_said(settings, message):
    with pytest.raises(fp.MetricError, match=message):
        fp.agreement(random_corpus(10, texts=20), exact=True, **settings)


# Kinds: operations, confusions, contrasts.


def test_operations_add_up_to_the_similarity():
    corpus = random_corpus(8, coders=("x", "y"))
    rows = fp.operations(corpus)
    single = [fp.flexible_similarity(corpus[t, "x"], corpus[t, "y"]) for t in corpus.texts]
    assert sum(r["cost"] for r in rows) == sum(s.counts["nanocost"] for s in single) / 1e9
    assert sum(r["what"] == "match" for r in rows) == sum(s.counts["matches"] for s in single)
    assert sum(r["what"] != "match" for r in rows) == sum(s.counts["edits"] for s in single)


def test_confusions_count_every_operation_once_in_total_and_by_stream():
    seg = fp.Segmentation.from_marks
    corpus = fp.Corpus.from_dict(
        {
            ("t", "A"): {"x": seg(["p", "", "q"], KINDS), "y": seg(["q", "", "q"], KINDS)},
            ("t", "B"): {"x": seg(["p", "", ""], KINDS), "y": seg(["", "", ""], KINDS)},
        }
    )
    table = fp.confusions(corpus)
    found = {(r["stream"], r["first"], r["second"]): r["count"] for r in table}
    assert found == {
        ("all", "p", "q"): 1, ("all", "q", "q"): 1, ("all", "p", "none"): 1,
        ("A", "p", "q"): 1, ("A", "q", "q"): 1, ("B", "p", "none"): 1,
    }  # fmt: skip


def test_aligning_first_and_typing_later_is_never_cheaper():
    for seed in range(20):
        corpus = random_corpus(seed, texts=3, rate=0.4)
        for costs in ("identity", {("p", "q"): 0.5}):
            values = {r["measure"]: r["value"] for r in fp.contrasts(corpus, costs=costs)}
            assert values["align first, type later"] <= values["typed"] + 1e-12
            assert values["typed"] <= values["positions"] + 1e-12


def test_a_case_where_the_order_matters():
    # p is moved to q's place only if kinds are not looked at: q stands nearer, p further.
    seg = fp.Segmentation.from_marks
    a = seg(["p", "", "", ""], KINDS)
    b = seg(["", "q", "p", ""], KINDS)
    values = {
        r["measure"]: r["value"] for r in fp.contrasts(fp.Corpus.from_dict({"t": {"x": a, "y": b}}))
    }
    # Typed: move p by 2 (1.0), insert q (1): 2 of 4 units. Places first: p goes to q's place, 0.5,
    # becomes q, 1, and p is inserted, 1.
    assert values["typed"] == 0.5
    assert values["align first, type later"] == 1 - 2.5 / 4


def test_align_first_type_later_is_what_its_alignment_costs():
    # p costs 1/4 to leave out or put in, q 1: one boundary alone on either side.
    costs = fp.Costs.from_dict({("p", "none"): 0.75, ("q", "none"): 0.0})
    seg = fp.Segmentation.from_marks
    for name, price in (("p", 0.25), ("q", 1.0)):
        one, other = seg([name, "", "", ""], KINDS), seg(["", "", "", ""], KINDS)
        for pair in ((one, other), (other, one)):
            corpus = fp.Corpus.from_dict({"t": {"x": pair[0], "y": pair[1]}})
            values = {r["measure"]: r["value"] for r in fp.contrasts(corpus, costs=costs)}
            assert values["align first, type later"] == values["typed"] == 1 - price / 4


@pytest.mark.parametrize(
    ("expected", "least"), [(0.0, 0.0), (0.5, -1.0), (0.75, -3.0), (1.0, -1.0), (math.nan, 0.0)]
)
def test_the_least_coefficient_is_that_of_no_agreement_at_all(expected, least):
    assert Coefficient.limits(None, expected) == (least, 1.0)
    if expected < 1:
        assert beyond_chance(0.0, expected) == least
