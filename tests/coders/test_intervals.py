"""Intervals of agreement: over texts, over annotators, and with groups."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t

import fencepost as fp
from fencepost.statistics.intervals import jackknife_interval, percentile_interval
from fencepost.statistics.resampling import bootstrap, resamples

with warnings.catch_warnings():
    # Old escapes in old docstrings; newer Pythons warn when they compile them.
    warnings.simplefilter("ignore", category=SyntaxWarning)
    warnings.simplefilter("ignore", category=DeprecationWarning)
from annotators import STARGAZERS, only, random_corpus, rows


@given(st.integers(1, 30), st.integers(1, 40), st.integers(0, 2**63))
def test_a_resample_holds_as_many_texts_as_there_are(texts, count, seed):
    weights = resamples(seed, texts, count)
    assert weights.shape == (count, texts)
    assert (weights == np.floor(weights)).all() and (weights >= 0).all()
    assert (weights.sum(axis=1) == texts).all()
    assert (resamples(seed, texts, count + 3)[:count] == weights).all()


def test_every_text_is_drawn_alike_often():
    texts, count = 7, 20_000
    mean = resamples(1, texts, count).mean(axis=0)
    # A text's number in a resample is binomial: n draws at 1/n.
    error = math.sqrt(texts * (1 / texts) * (1 - 1 / texts) / count)
    assert (abs(mean - 1) < 4 * error).all()


@pytest.mark.slow
def test_the_bootstrap_is_the_quantiles_of_resampled_corpora():
    corpus = random_corpus(31, texts=6, missing=0.2, moved=True)
    names = [t for t, own in corpus.items() if len(own) > 1]
    ways = [
        {"metric": "S", "chance": "fournier2012"},
        {"metric": "A", "chance": "fournier2012", "weighting": "units"},
        {"metric": "boundary_agreement", "chance": "two-category"},
        {"coefficient": ["alpha", "majority", "hearst"]},
    ]
    for way in ways:
        ours = {
            row["coefficient"]: row
            for row in fp.agreement(
                corpus, resamples=40, seed=3, interval="texts", method="percentile", **way
            )
        }
        found = {name: [] for name in ours}
        for weights in resamples(3, len(names), 40):
            # The corpus itself, with a text as often as it was drawn.
            drawn = {
                f"{name} {again}": corpus[name]
                for name, times in zip(names, weights, strict=True)
                for again in range(int(times))
            }
            for name, row in rows(drawn, **way).items():
                found[name].append(row["value"])
        for name, values in found.items():
            interval = np.quantile(values, [0.025, 0.975])
            assert (ours[name]["low"], ours[name]["high"]) == pytest.approx(interval, abs=1e-12)


def test_the_bootstrap_of_a_simulated_coefficient_weighs_texts_and_draws_alike():
    # Texts with the same annotations: observed is constant, expected nearly.
    one = random_corpus(32, texts=1, units=60, moved=True)["t0"]
    corpus = {f"t{i}": one for i in range(12)}
    row = fp.agreement(corpus, metric="B", chance="shuffle", draws=200, interval="texts")[0]
    assert row["low"] <= row["value"] <= row["high"]
    assert row["high"] - row["low"] < 0.05
    alpha = fp.agreement(corpus, coefficient="alpha", interval="texts")
    # The correction for drawing without replacement sees the same total each time.
    assert (alpha[0]["low"], alpha[0]["high"]) == (None, None)
    said = "no interval where the value is the same in all texts: alpha of boundary_agreement"
    assert said in alpha.notes
    assert "interval" not in alpha[0]["signature"].fields
    formula = fp.agreement(corpus, metric="S", chance="fournier2012", interval="texts")
    assert {(row["low"], row["high"]) for row in formula} == {(None, None)}
    assert any(
        note.startswith(
            "no interval where the value is the same in all texts: pi* of segmentation_"
        )
        for note in formula.notes
    )


def test_the_method_of_the_interval_is_in_the_signature():
    corpus = random_corpus(33, texts=7, moved=True)
    found = {}
    for method in (None, "t", "percentile", "bca", "normal"):
        settings = {"coefficient": "alpha", "resamples": 200, "interval": "texts"}
        row = fp.agreement(corpus, method=method, **settings)[0]
        assert row["low"] < row["value"] < row["high"]
        fields = row["signature"].fields
        if method == "normal":  # nothing is drawn
            assert fields["interval"] == "texts,normal" and "seed" not in fields
        else:
            assert fields["interval"] == f"texts,{method or 't'},200"
            assert fields["seed"] == "12345"
        found[method] = row["low"], row["high"]
    assert found[None] == found["t"] != found["percentile"]
    said = "method must be t, percentile, bca or normal"
    with pytest.raises(fp.MetricError, match=said):
        fp.agreement(corpus, method="exact")


def test_an_interval_depends_on_its_seed_and_says_so():
    corpus = random_corpus(33, texts=10, moved=True)
    one, other = (
        fp.agreement(corpus, coefficient="alpha", resamples=100, seed=seed, interval="texts")[0]
        for seed in (1, 5)
    )
    assert one["value"] == other["value"] and one["low"] != other["low"]
    assert [row["signature"].fields["seed"] for row in (one, other)] == ["1", "5"]
    for row in fp.agreement(corpus, all=True, draws=20, resamples=50, seed=5, interval="texts"):
        assert row["low"] is None or row["signature"].fields["seed"] == "5"


def test_methods_that_promise_too_much_are_said():
    corpus = random_corpus(33, texts=10, moved=True)
    for method in ("percentile", "bca"):
        settings = {"coefficient": "alpha", "resamples": 100, "interval": "texts"}
        notes = fp.agreement(corpus, method=method, **settings).notes
        said = [note for note in notes if note.startswith(f"{method} intervals promise too much")]
        assert said and "; the bootstrap-t, the default, comes nearer" in said[0]
    for method in (None, "t", "normal"):
        settings = {"coefficient": "alpha", "resamples": 100, "interval": "texts"}
        notes = fp.agreement(corpus, method=method, **settings).notes
        assert not any("promise too much" in note for note in notes)


def test_one_text_that_differs_leaves_an_interval():
    texts = {f"d{i}": {"a": [4, 6], "b": [4, 6]} for i in range(24)}
    corpus = fp.Corpus.from_dict({**texts, "d0": {"a": [4, 6], "b": [5, 5]}})
    row = fp.agreement(corpus, coefficient="alpha", resamples=200)[0]
    assert row["low"] < row["value"] < row["high"]


def test_fewer_than_five_texts_have_a_sentence_instead_of_an_interval():
    table = fp.agreement(random_corpus(35, texts=4, moved=True), coefficient="alpha")
    assert (table[0]["low"], table[0]["high"]) == (None, None)
    said = "4 texts: too few for an interval over texts, which takes 5; --interval coders has one"
    assert said in table.notes


def test_intervals_of_plain_numbers():
    assert percentile_interval(np.array([0.3] * 20)) == (0.3, 0.3)
    assert percentile_interval(np.arange(101.0)) == (2.5, 97.5)
    assert np.isnan(percentile_interval(np.array([0.3]))).all()
    values = bootstrap(lambda w: np.where(w[:, 0] > 0, w[:, 0], np.nan), 3, seed=1, count=200)
    assert (values[~np.isnan(values)] > 0).all() and np.isnan(values).any()
    # By hand: n = 4, the leave-one-out values .1 .2 .3 .4 around their mean .25.
    error = math.sqrt(3 / 4 * (0.15**2 + 0.05**2 + 0.05**2 + 0.15**2))
    low, high = jackknife_interval(0.5, np.array([0.1, 0.2, 0.3, 0.4]))
    margin = t.ppf(0.975, 3) * error
    assert (low, high) == pytest.approx((0.5 - margin, 0.5 + margin), abs=1e-9)
    assert jackknife_interval(0.5, np.full(5, 0.5)) == (0.5, 0.5)
    assert np.isnan(jackknife_interval(0.5, np.array([0.1, 0.2]))).all()


WAYS = [
    {"metric": "B", "chance": "shuffle", "coefficient": "kappa"},
    {"metric": "B", "chance": "bernoulli", "coefficient": "kappa"},
    {"metric": "S", "chance": "fournier2012"},
    {"metric": "S", "chance": "fournier2012", "counting": "segments", "pooling": "mean-of-rates"},
    {"metric": "S", "chance": "fournier2012", "weighting": "units"},
    {"metric": "boundary_agreement", "chance": "two-category"},
    {"coefficient": ["alpha", "majority", "hearst"]},
]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: " ".join(map(str, way.values())))
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_without_a_coder_is_agreement_of_the_others(way, missing):
    corpus = random_corpus(33, texts=8, missing=missing, moved=True)
    left = fp.agreement(corpus, draws=200, intervals=False, **way).part("without")
    coders = list(dict.fromkeys(row["coder"] for row in left))
    assert coders == ["c0", "c1", "c2", "c3"]
    for out in coders:
        again = rows(only(corpus, [c for c in coders if c != out]), draws=200, **way)
        for row in left.where(coder=out):
            other = again[row["coefficient"]]
            if other["standard_error"] is None:
                assert row["value"] == pytest.approx(other["value"], abs=1e-12)
                continue
            # The change of the value with the expectation's, both of which were simulated.
            slope = (1 - other["observed"]) / (1 - other["expected"]) ** 2
            error = slope * other["standard_error"] * math.sqrt(2)
            assert abs(row["value"] - other["value"]) < 4 * error + 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("chance", ["shuffle", "bernoulli"])
def test_without_a_coder_pi_is_drawn_again_from_the_others(chance):
    # One coder cuts ten times as often: its cuts must not be in the chance of the others.
    rates = (0.05, 0.05, 0.05, 0.5)
    single = [random_corpus(90 + i, 20, 60, rate, 1) for i, rate in enumerate(rates)]
    corpus = {t: {c: one[t]["c0"] for c, one in zip("abcd", single, strict=True)}
              for t in single[0]}  # fmt: skip
    way = {"metric": "B", "chance": chance, "coefficient": "pi"}
    left = fp.agreement(corpus, draws=100, intervals=False, **way).part("without")
    assert left.column("coder") == list("abcd")
    for row in left:
        others = [c for c in "abcd" if c != row["coder"]]
        other = rows(only(corpus, others), draws=400, **way)["pi"]
        slope = (1 - other["observed"]) / (1 - other["expected"]) ** 2
        # 100 draws beside 400: twice the standard error, and the other's own.
        error = slope * other["standard_error"] * math.sqrt(5)
        assert abs(row["value"] - other["value"]) < 4 * error
    whole = rows(corpus, draws=100, **way)["pi"]["expected"]
    others = rows(only(corpus, "abc"), draws=100, **way)["pi"]["expected"]
    assert whole > {"shuffle": 1.1, "bernoulli": 2.0}[chance] * others


@pytest.mark.parametrize("way", WAYS, ids=lambda way: " ".join(map(str, way.values())))
def test_the_interval_over_coders_is_the_jackknife(way):
    corpus = random_corpus(34, texts=3, missing=0.1, moved=True, coders=5)
    table = fp.agreement(corpus, draws=100, interval="coders", **way)
    assert not any("interval" in note for note in table.notes)
    left = table.part("without")
    for row in table:
        values = np.array(left.where(coefficient=row["coefficient"]).column("value"))
        n = len(values)
        assert n == 5
        error = math.sqrt((n - 1) / n * ((values - values.mean()) ** 2).sum())
        margin = t.ppf(0.975, 4) * error
        wanted = row["value"] - margin, row["value"] + margin
        cut = max(wanted[0], row["low"]), min(wanted[1], 1.0)  # at the coefficient's range
        assert (row["low"], row["high"]) == pytest.approx(cut, abs=1e-9)
        assert row["low"] == pytest.approx(wanted[0], abs=1e-9) or wanted[0] < row["low"] <= 0
        key = f"{row['coefficient']} {row['metric']} {row['chance']}"
        assert left.facts["jackknife"][key] == pytest.approx(wanted, abs=1e-9)


def test_one_text_has_a_sentence_instead_of_an_interval():
    one = {"t": STARGAZERS}
    table = fp.agreement(one)
    assert all(row["low"] is None and row["high"] is None for row in table)
    assert table.notes == (
        "one text: no interval over texts; --interval coders shows the influence of single "
        "annotators",
    )
    by_coders = fp.agreement(one, interval="coders")
    assert all(row["low"] < row["value"] < row["high"] for row in by_coders)


def test_two_annotators_have_no_interval_over_annotators():
    two = {f"t{i}": {"a": [5, 3 + i], "b": [4, 4 + i]} for i in range(8)}
    table = fp.agreement(two, interval="coders", draws=20)
    assert all(row["low"] is row["over"] is None for row in table)
    assert table.notes[0].startswith("two annotators: too few for an interval over annotators")
    assert {row["over"] for row in fp.agreement(two, draws=20)} == {"texts"}


def test_a_value_without_variation_has_no_error_of_any_part():
    same = {f"t{i}": {coder: [5, 3 + i] for coder in "abc"} for i in range(8)}
    row = fp.agreement(same, draws=20)[0]
    assert row["value"] == 1
    assert row["error"] == row["texts_error"] == row["coders_error"] == 0


# Other texts and other annotators.


BY_FORMULA = (
    {"coefficient": "alpha"},
    {"metric": "S", "chance": "fournier2012", "coefficient": "pi*"},
    {"metric": "B", "chance": "fournier2012", "coefficient": "kappa*"},
)


@pytest.mark.parametrize("way", BY_FORMULA, ids=lambda way: way["coefficient"])
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_the_interval_over_both_leaves_out_texts_and_annotators(way, missing):
    corpus = random_corpus(36, texts=7, missing=missing, moved=True, coders=4)
    names, texts = ["c0", "c1", "c2", "c3"], list(corpus)

    def value(without_text=None, without_coder=None):
        part = {t: own for t, own in corpus.items() if t != without_text}
        kept = only(part, [name for name in names if name != without_coder])
        return rows(kept, **way)[way["coefficient"]]["value"]

    whole = value()
    by_text = np.array([value(t) for t in texts])
    by_coder = np.array([value(None, c) for c in names])
    both = np.array([[value(t, c) for c in names] for t in texts])
    n, m = len(texts), len(names)
    of_texts = (n - 1) / n * ((by_text - by_text.mean()) ** 2).sum()
    of_coders = (m - 1) / m * ((by_coder - by_coder.mean()) ** 2).sum()
    twice = (n - 1) / n * (m - 1) / m * ((both - by_text[:, None] - by_coder + whole) ** 2).sum()
    total = max(of_texts + of_coders - twice, of_texts, of_coders)
    row = fp.agreement(corpus, **way)[0]
    found = [row[name] for name in ("error", "texts_error", "coders_error", "freedom")]
    freedom = min(total**2 / (of_texts**2 / (n - 1) + of_coders**2 / (m - 1)), m - 1)
    wanted = [*map(math.sqrt, (total, of_texts, of_coders)), freedom]
    assert found == pytest.approx(wanted, rel=1e-6)
    from scipy.stats import t

    margin = t.ppf(0.975, freedom) * math.sqrt(total)
    assert row["high"] == pytest.approx(min(1.0, whole + margin), rel=0.02)
    assert row["over"] == "both"
    assert row["signature"].fields["interval"] == "both"


def test_intervals_end_where_the_coefficient_does_and_few_annotators_are_noted():
    corpus = random_corpus(37, texts=6, moved=True, coders=3)
    table = fp.agreement(corpus)
    assert "6 texts and 3 annotators are few: the intervals are approximate" in table.notes
    for row in table:
        assert row["low"] >= -row["expected"] / (1 - row["expected"]) - 1e-12
        assert row["high"] <= 1
    many = fp.agreement(random_corpus(37, texts=10, moved=True, coders=5)).notes
    assert not any("approximate" in note for note in many)


def test_two_annotators_have_an_interval_for_other_texts_only():
    table = fp.agreement(random_corpus(38, texts=12, moved=True, coders=2), resamples=50)
    assert {row["over"] for row in table} == {"texts"}
    assert "two annotators: the intervals are for other texts and these two annotators" in (
        table.notes
    )


def test_a_method_of_the_bootstrap_needs_an_interval_over_texts():
    corpus = random_corpus(38, texts=6, moved=True)
    with pytest.raises(fp.MetricError, match="add interval=texts"):
        fp.agreement(corpus, method="bca")


def test_many_texts_are_left_out_in_groups():
    from fencepost.coders.intervals import left_out

    weights = left_out(np.arange(250))
    assert weights.shape == (101, 250)
    assert (weights[0] == 1).all()
    assert ((1 - weights[1:]).sum(axis=0) == 1).all()  # every text once
    assert set((1 - weights[1:]).sum(axis=1)) == {2, 3}
