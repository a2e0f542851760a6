"""Agreement against the formulas written out, other tools, and laws."""

import cProfile
import math
import random
import warnings
from fractions import Fraction
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fencepost as fp
from oracle import agreement as oracle

with warnings.catch_warnings():
    # Old escapes in old docstrings; newer Pythons warn when they compile them.
    warnings.simplefilter("ignore", category=SyntaxWarning)
    warnings.simplefilter("ignore", category=DeprecationWarning)
    import segeval
    from nltk.metrics.agreement import AnnotationTask
    from segeval.data import samples
from annotators import corpora, masses, random_corpus, rows


def same(ours, exact):
    """Equal, and undefined in the same cases."""
    if exact is None:
        return math.isnan(ours)
    return ours == pytest.approx(float(exact), abs=1e-12)


# The formulas.


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["B", "S", "A", "F"])
@given(
    corpus=corpora(),
    counting=st.sampled_from(["cuts", "segments"]),
    pooling=st.sampled_from(["pooled", "mean-of-rates"]),
)
@settings(max_examples=60)
def test_the_formula_of_fournier2012(metric, corpus, counting, pooling):
    found = rows(corpus, metric=metric, chance="fournier2012", counting=counting, pooling=pooling)
    observed = oracle.observed(corpus, oracle.SIMILARITIES[metric])
    pi = oracle.expected_pi(corpus, counting, pooling)
    kappa = oracle.expected_kappa(corpus, counting)
    for name, expected in (("pi*", pi), ("kappa*", kappa)):
        assert same(found[name]["observed"], observed)
        assert same(found[name]["expected"], expected)
        # Segments can be as many as places and one more: above 1 nothing is left to reach.
        assert same(
            found[name]["value"], oracle.beyond(observed, expected) if expected < 1 else None
        )
    assert same(found["bias"]["value"], oracle.bias(corpus, counting, pooling))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("weighting", "observed"),
    [("units", oracle.observed_by_mass), ("printed", oracle.observed_as_printed)],
)
@given(corpus=corpora(), metric=st.sampled_from(["B", "S"]))
@settings(max_examples=60)
def test_texts_weighed_as_equations_6_and_12_say(weighting, observed, corpus, metric):
    found = rows(corpus, metric=metric, chance="fournier2012", weighting=weighting)
    wanted = observed(corpus, oracle.SIMILARITIES[metric])
    for name, expected in (
        ("pi*", oracle.expected_pi(corpus)),
        ("kappa*", oracle.expected_kappa(corpus)),
    ):
        assert same(found[name]["observed"], wanted)
        assert same(found[name]["value"], oracle.beyond(wanted, expected))


def test_equation_12_as_printed_can_exceed_1():
    alike = {"t": {"a": [2, 3], "b": [2, 3], "c": [2, 3]}}
    printed = rows(alike, metric="S", chance="fournier2012", weighting="printed")
    assert printed["pi*"]["observed"] == 5 / 4
    assert printed["pi*"]["value"] > 1


@pytest.mark.slow
@given(corpora())
def test_two_categories(corpus):
    found = rows(corpus, metric="boundary_agreement", chance="two-category")
    observed = oracle.observed(corpus, oracle.SIMILARITIES["boundary_agreement"])
    for name, expected in (
        ("pi*", oracle.expected_two_category_pi(corpus)),
        ("kappa*", oracle.expected_two_category_kappa(corpus)),
    ):
        assert same(found[name]["observed"], observed)
        assert same(found[name]["expected"], expected)
        assert same(found[name]["value"], oracle.beyond(observed, expected))


@given(corpora())
def test_alpha_and_majority_on_exact_places(corpus):
    found = rows(corpus, coefficient=["alpha", "majority"])
    assert same(found["alpha"]["value"], oracle.alpha(corpus))
    assert same(found["majority"]["value"], oracle.majority(corpus))


@given(corpora())
def test_hearsts_kappa_with_the_majority(corpus):
    row = rows(corpus, coefficient="hearst")["hearst"]
    for cell, wanted in zip(("observed", "expected", "value"), oracle.hearst(corpus), strict=True):
        assert same(row[cell], wanted)


def test_hearsts_kappa_by_hand():
    # 10 places; a, b and c cut 3 and 6, d cuts 3 and 8: the majority cuts 3 and 6. K of d:
    # 8 of 10 alike, 4 of 20 cut, (.8 - .68) / .32 = 3/8; a tie of two and two is no majority.
    four = {"t": {"a": [3, 3, 5], "b": [3, 3, 5], "c": [3, 3, 5], "d": [3, 5, 3]}}
    assert rows(four, coefficient="hearst")["hearst"]["value"] == pytest.approx((3 + 3 / 8) / 4)
    tie = {"t": {"a": [3, 8], "b": [3, 8], "c": [11], "d": [11]}}
    row = rows(tie, coefficient="hearst")["hearst"]
    assert row["observed"] == pytest.approx(0.95)
    assert row["value"] == pytest.approx(-0.05 / 0.95)  # of a and b; c and d have no cut to count


@given(corpora(missing=False, most=2))
def test_two_coders_are_scotts_pi_and_cohens_kappa(corpus):
    # The table of two coders, two categories, as any textbook has it.
    both = first = second = places = same_decision = 0
    for text in corpus.values():
        a, b = (set(accumulate(own[:-1])) for own in text.values())
        n = sum(text["a"]) - 1
        both, first, second = both + len(a & b), first + len(a), second + len(b)
        places, same_decision = places + n, same_decision + n - len(a ^ b)
    p_o = Fraction(same_decision, places)
    p, q = Fraction(first, places), Fraction(second, places)
    mean = (p + q) / 2
    scott = mean**2 + (1 - mean) ** 2
    cohen = p * q + (1 - p) * (1 - q)
    found = rows(corpus, metric="boundary_agreement", chance="two-category")
    assert same(found["pi*"]["value"], (p_o - scott) / (1 - scott) if scott != 1 else None)
    assert same(found["kappa*"]["value"], (p_o - cohen) / (1 - cohen) if cohen != 1 else None)


@pytest.mark.slow
@given(corpora(missing=False, least=2, most=2))
@settings(max_examples=50)
def test_the_formula_for_two_coders_is_equations_6_to_11(corpus):
    texts = list(corpus.values())
    places = sum(sum(own["a"]) - 1 for own in texts)
    rates = [Fraction(sum(len(own[c]) - 1 for own in texts), places) for c in "ab"]
    found = rows(corpus, metric="S", chance="fournier2012")
    assert same(found["pi*"]["expected"], (sum(rates) / 2) ** 2)
    assert same(found["kappa*"]["expected"], rates[0] * rates[1])


# Perfect agreement, and none.


@pytest.mark.parametrize("metric", ["B", "S", "A", "F"])
def test_coders_who_do_the_same_reach_1_everywhere(metric):
    one = random_corpus(1, texts=12, coders=1)
    # Four: without one of three, two are left, and two have no majority.
    corpus = {t: dict.fromkeys("abcd", own["c0"]) for t, own in one.items()}
    for interval in ("texts", "coders"):
        table = fp.agreement(
            corpus, metric=metric, all=True, draws=20, resamples=50, interval=interval
        )
        for row in table:
            wanted = 0.0 if row["coefficient"] == "bias" else 1.0
            assert row["value"] == pytest.approx(wanted, abs=1e-12), row
            if row["coefficient"] != "bias":
                assert row["observed"] == 1.0
            if interval == "coders":
                assert (row["low"], row["high"]) == pytest.approx((wanted, wanted), abs=1e-12)
            else:  # nothing varies: there is no interval, which is said
                assert (row["low"], row["high"]) == (None, None)
                assert any("the same in all texts" in note for note in table.notes)
    for name in ("texts", "without", "matrix", "coders"):
        values = [r["value"] for r in table.part(name) if r.get("coefficient") != "bias"]
        assert values == pytest.approx([1.0] * len(values), abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["B", "S", "A", "F"])
@pytest.mark.parametrize("chance", ["shuffle", "bernoulli"])
def test_random_coders_reach_0_with_kappa_and_with_pi(metric, chance):
    # Coders who cut at one and the same rate. The observed value has a sampling error that one
    # corpus does not show: three standard errors of the mean over 16 corpora.
    found = {"kappa": [], "pi": []}
    for seed in range(16):
        corpus = random_corpus(300 + seed, texts=20, units=60, coders=3)
        for name, row in rows(corpus, metric=metric, chance=chance, draws=50).items():
            found[name].append(row["value"])
    for values in found.values():
        error = float(np.std(values, ddof=1)) / math.sqrt(len(values))
        assert abs(np.mean(values)) < 3 * error


@pytest.mark.slow
def test_random_coders_of_different_zeal_reach_0_with_kappa():
    # Rates of .05, .15 and .3: what each coder does by chance is known to kappa.
    values = []
    for seed in range(16):
        single = [
            random_corpus(9 * seed + i, 20, 60, r, 1) for i, r in enumerate((0.05, 0.15, 0.3))
        ]
        corpus = {t: {c: one[t]["c0"] for c, one in zip("abc", single, strict=True)}
                  for t in single[0]}  # fmt: skip
        values.append(rows(corpus, metric="B", chance="shuffle", draws=50)["kappa"]["value"])
    error = float(np.std(values, ddof=1)) / math.sqrt(len(values))
    assert abs(np.mean(values)) < 3 * error


@pytest.mark.slow
@pytest.mark.parametrize("counting", ["cuts", "segments"])
@pytest.mark.parametrize(("rate", "reached"), [(0.05, 0.91), (0.1, 0.83), (0.2, 0.71)])
def test_random_coders_reach_far_more_than_0_by_the_formula(rate, reached, counting):
    # Ten corpora of 200 texts of 100 units, 4 coders: their mean is known to three digits. Cuts
    # and segments give the same two.
    values = [
        rows(
            random_corpus(seed, texts=200, units=100, rate=rate),
            metric="S", chance="fournier2012", counting=counting,
        )["pi*"]["value"]
        for seed in range(10)
    ]  # fmt: skip
    assert round(float(np.mean(values)), 2) == reached


@pytest.mark.slow
def test_the_sentence_about_random_coders_is_what_shuffled_coders_get():
    corpus = random_corpus(11, texts=30, units=50, moved=True)
    table = fp.agreement(corpus, intervals=False)
    rng = np.random.default_rng(5)
    reached = []
    for _ in range(60):
        shuffled = {
            t: {
                c: masses(50, sorted(rng.choice(49, len(m) - 1, replace=False) + 1))
                for c, m in own.items()
            }
            for t, own in corpus.items()
        }
        reached.append(rows(shuffled, metric="S", chance="fournier2012")["pi*"]["value"])
    error = float(np.std(reached, ddof=1)) / math.sqrt(50)  # as many draws as the sentence rests on
    assert abs(table.facts["random_pi"] - np.mean(reached)) < 3 * math.sqrt(2) * error
    assert table.facts["random_pi"] > 0.5


# What numbers must not depend on.


NAMING = ("coefficient", "metric", "chance")


def numbers(table):
    return [
        (
            r["coefficient"],
            r["metric"],
            r["chance"],
            *tuple(r[c] for c in ("value", "observed", "expected", "standard_error")),
        )
        for r in table
    ]


def assert_same_numbers(one, other):
    for a, b in zip(numbers(one), numbers(other), strict=True):
        assert a[:3] == b[:3]
        assert a[3:] == pytest.approx(b[3:], abs=1e-12, nan_ok=True), a[:3]


EVERYTHING = {"all": True, "draws": 24, "resamples": 20}


every_way = pytest.mark.parametrize(
    "way",
    [
        {"metric": "B", "chance": "shuffle", "coefficient": "kappa"},
        {"metric": "B", "chance": "shuffle", "coefficient": "pi"},
        {"metric": "A", "chance": "bernoulli"},
        {"metric": "B", "chance": "bernoulli"},
        {"metric": "S", "chance": "fournier2012", "pooling": "mean-of-rates"},
        {"metric": "S", "chance": "fournier2012", "weighting": "units"},
        {"metric": "boundary_agreement", "chance": "two-category"},
        {"coefficient": ["alpha", "majority", "hearst"]},
    ],
    ids=lambda way: " ".join(map(str, way.values())),
)


@every_way
def test_names_of_coders_do_not_change_numbers(way):
    corpus = random_corpus(21, missing=0.2, moved=True)
    new = {"c0": "zoe", "c1": "yan", "c2": "xia", "c3": "wim"}
    renamed = {t: {new[c]: m for c, m in own.items()} for t, own in corpus.items()}
    first = fp.agreement(corpus, draws=24, resamples=20, **way)
    for other in (renamed, fp.Corpus.from_dict(renamed).anonymized()):
        again = fp.agreement(other, draws=24, resamples=20, **way)
        assert_same_numbers(first, again)
        assert [r["low"] for r in first] == pytest.approx([r["low"] for r in again], abs=1e-12)


@every_way
@given(st.permutations(["c0", "c1", "c2", "c3"]), st.permutations(range(6)))
@settings(max_examples=8)
def test_the_order_of_coders_and_texts_does_not_change_numbers(way, coders, texts):
    corpus = random_corpus(22, missing=0.2, moved=True)
    names = list(corpus)
    turned = {names[i]: {c: corpus[names[i]][c] for c in coders if c in corpus[names[i]]}
              for i in texts}  # fmt: skip
    settings = {"draws": 24, "intervals": False, **way}
    assert_same_numbers(fp.agreement(corpus, **settings), fp.agreement(turned, **settings))


def test_two_coders_who_did_the_same_are_drawn_apart():
    # Coders are told apart by what they did; twins must not be drawn as one.
    one = random_corpus(24, texts=10, units=40, coders=1)
    twins = {t: {"a": own["c0"], "b": own["c0"]} for t, own in one.items()}
    assert rows(twins, metric="B", draws=50)["kappa"]["expected"] < 0.4


def test_threads_and_batches_do_not_change_numbers(monkeypatch):
    corpus = random_corpus(23, texts=12, missing=0.2, moved=True)
    first = fp.agreement(corpus, **EVERYTHING)
    threads = fp.set_threads()
    try:
        for n in (1, 3):
            fp.set_threads(n)
            again = fp.agreement(corpus, **EVERYTHING)
            assert repr(numbers(again)) == repr(numbers(first))  # to the last digit
    finally:
        fp.set_threads(threads)
    monkeypatch.setattr("fencepost.coders.coefficients.BATCH_CUTS", 300)
    monkeypatch.setattr("fencepost.statistics.resampling.BATCH_RESAMPLES", 7)
    again = fp.agreement(corpus, **EVERYTHING)
    assert_same_numbers(again, first)
    for end in ("low", "high"):
        assert again.column(end) == pytest.approx(first.column(end), abs=1e-12)


def test_no_python_work_per_annotation_or_pair(monkeypatch):
    # The quantile of Student's t takes more or fewer steps for other degrees of freedom.
    monkeypatch.setattr("fencepost.coders.intervals.t_975", lambda freedom: 2.0)

    def calls(annotators):
        """Python and native calls for 40 texts, each by so many of 30 annotators."""
        rng = random.Random(1)
        corpus = fp.Corpus.from_dict(
            {
                f"t{t}": {
                    f"c{(t + c) % 30}": fp.Segmentation(9, [rng.randint(1, 8)])
                    for c in range(annotators)
                }
                for t in range(40)
            }
        )
        profile = cProfile.Profile()
        with profile:
            facts = dict(fp.agreement(corpus, draws=4, resamples=20).facts)
        assert facts["annotations"] == 40 * annotators
        return sum(entry.callcount for entry in profile.getstats())

    calls(5)  # what is cached is cached then
    assert calls(30) < calls(5) + 1000  # of 1,000 more annotations and 17,000 more pairs


# Other tools.


def test_alpha_is_nltks_also_where_annotations_are_missing():
    for seed in range(6):
        corpus = random_corpus(seed, texts=4, units=15, missing=0.3 if seed % 2 else 0.0)
        data = [
            (coder, (text, place), place in set(accumulate(own[:-1])))
            for text, coders in corpus.items()
            for coder, own in coders.items()
            for place in range(1, sum(own))
        ]
        alpha = rows(corpus, coefficient="alpha")["alpha"]["value"]
        assert alpha == pytest.approx(AnnotationTask(data).alpha(), abs=1e-12)


def test_two_categories_are_nltks_multi_pi_and_multi_kappa():
    # NLTK's Ae_kappa and multi_kappa take complete data only.
    for seed in range(4):
        corpus = random_corpus(40 + seed, texts=3, units=15)
        data = [
            (coder, (text, place), place in set(accumulate(own[:-1])))
            for text, coders in corpus.items()
            for coder, own in coders.items()
            for place in range(1, sum(own))
        ]
        task = AnnotationTask(data)
        found = rows(corpus, metric="boundary_agreement", chance="two-category")
        assert found["pi*"]["value"] == pytest.approx(task.pi(), abs=1e-12)
        assert found["kappa*"]["value"] == pytest.approx(task.multi_kappa(), abs=1e-12)


# segeval's agreement of B; its data sets are complete, as it wants them.


SETS = {
    "stargazer": samples.HEARST_1997_STARGAZER,
    "g5": samples.KAZANTSEVA2012_G5,
    "g2": samples.KAZANTSEVA2012_G2,
    "complete agreement": samples.COMPLETE_AGREEMENT,
    "large disagreement": samples.LARGE_DISAGREEMENT,
}


def plain(dataset):
    return {text: {c: list(m) for c, m in coders.items()} for text, coders in dataset.items()}


@pytest.mark.parametrize("name", SETS)
def test_the_formula_over_b_is_segevals(name):
    dataset = SETS[name]
    found = rows(plain(dataset), like="segeval")
    assert found["pi*"]["observed"] == pytest.approx(
        float(segeval.actual_agreement_linear(dataset)), abs=1e-12
    )
    for coefficient, peer in (
        ("pi*", segeval.fleiss_pi_linear),
        ("kappa*", segeval.fleiss_kappa_linear),
        ("bias", segeval.artstein_poesio_bias_linear),
    ):
        value = found[coefficient]["value"]
        assert value == pytest.approx(float(peer(dataset)), abs=1e-12), coefficient


def test_the_formula_over_b_and_s_is_segevals_on_dense_random_coders():
    # A third of all places is cut, so pairings of near misses compete.
    for seed in range(8):
        corpus = random_corpus(seed, texts=3, units=25, rate=0.3, coders=3)
        dataset = {t: {c: tuple(m) for c, m in own.items()} for t, own in corpus.items()}
        dataset = segeval.data.Dataset(dataset)
        for metric, peer in (
            ("boundary_similarity", segeval.boundary_similarity),
            ("segmentation_similarity", segeval.segmentation_similarity),
        ):
            found = rows(corpus, like="segeval", metric=metric)
            for coefficient, theirs in (
                ("pi*", segeval.fleiss_pi_linear(dataset, fnc_compare=peer)),
                ("kappa*", segeval.fleiss_kappa_linear(dataset, fnc_compare=peer)),
                ("bias", segeval.artstein_poesio_bias_linear(dataset, fnc_compare=peer)),
            ):
                assert found[coefficient]["value"] == pytest.approx(float(theirs), abs=1e-12)


@pytest.mark.parametrize("n_t", [3, 4, 5])
def test_like_segeval_pairs_near_misses_as_segeval_does(n_t):
    # From n_t 3 on its greedy pairing is not always the cheapest one.
    other = 0
    for seed in range(30):
        corpus = random_corpus(seed, texts=3, units=25, rate=0.3, coders=3)
        dataset = segeval.data.Dataset(
            {t: {c: tuple(m) for c, m in own.items()} for t, own in corpus.items()}
        )
        found = rows(corpus, like="segeval", metric=f"B:n_t={n_t}", intervals=False)
        theirs = float(segeval.fleiss_pi_linear(dataset, n_t=n_t))
        assert found["pi*"]["value"] == pytest.approx(theirs, abs=1e-12)
        cheapest = rows(
            corpus, metric=f"B:n_t={n_t}", chance="fournier2012", pooling="mean-of-rates",
            intervals=False,
        )  # fmt: skip
        other += abs(cheapest["pi*"]["value"] - theirs) > 1e-9
    assert other > 0


def test_where_segeval_has_no_answer_or_another():
    def dataset(corpus):
        return segeval.data.Dataset(
            {t: {c: tuple(m) for c, m in own.items()} for t, own in corpus.items()}
        )

    # Two coders without a cut: it looks for the kinds of boundaries in the pair and finds none.
    empty = {"t": {"a": [5], "b": [5], "c": [2, 3]}}
    with pytest.raises(ValueError):
        segeval.fleiss_pi_linear(dataset(empty))
    assert rows(empty, like="segeval")["kappa*"]["value"] == 0.0
    # Coders in groups.
    groups = {"t": {"a": [2, 3], "b": [1, 4]}, "u": {"a": [3, 3], "c": [2, 4]}}
    with pytest.raises(KeyError):
        segeval.fleiss_pi_linear(dataset(groups))
    assert math.isfinite(rows(groups, like="segeval")["pi*"]["value"])


def test_kinds_have_their_own_rates_as_equation_7_says_and_segeval_does_not():
    # segeval 2.0.11 takes all kinds as one, over places times the kinds that occur in the pair;
    # the paper adds up the chance of every kind over places.
    dataset = samples.MULTIPLE_BOUNDARY_TYPES
    corpus = {}
    for text, coders in dataset.items():
        corpus[text] = {}
        for coder, places in coders.items():
            found = [(i, kind) for i, kinds in enumerate(places, 1) for kind in sorted(kinds)]
            corpus[text][coder] = fp.Segmentation(
                len(places) + 1, [p for p, _ in found], [k for _, k in found], ("1", "2")
            )
    observed, theirs = segeval.fleiss_pi_linear(dataset, return_parts=True)
    row = rows(corpus, like="segeval")["pi*"]
    assert row["observed"] == float(observed)
    # item1: 2 and 2 cuts of 10, item2: 2 and 1 of 5.
    assert theirs == ((Fraction(2, 10) * 2 + Fraction(2, 5) + Fraction(1, 5)) / 4) ** 2
    # First kind: 2, 1, 2 and 1 of 5 places; second kind: 0, 1, 0 and 0.
    assert row["expected"] == pytest.approx((6 / 20) ** 2 + (1 / 20) ** 2, abs=1e-15)


# Kinds.


def typed_corpus(seed, texts=5, units=30, coders=3, kinds=("low", "high")):
    rng = np.random.default_rng(seed)
    corpus = {}
    for i in range(texts):
        gold = {int(p): int(rng.integers(1, 3)) for p in np.flatnonzero(rng.random(29) < 0.25) + 1}
        corpus[f"t{i}"] = {}
        for j in range(coders):
            own = {p: k if rng.random() < 0.8 else 3 - k for p, k in gold.items()
                   if rng.random() < 0.8}  # fmt: skip
            corpus[f"t{i}"][f"c{j}"] = fp.Segmentation(units, list(own), list(own.values()), kinds)
    return corpus


def of_kind(corpus, kind):
    """The corpus with the boundaries of one kind, which alone has a name."""
    reduced = {}
    for text, coders in corpus.items():
        reduced[text] = {}
        for coder, seg in coders.items():
            kept = seg.cuts[seg.kinds == seg.kind_names.index(kind) + 1]
            reduced[text][coder] = fp.Segmentation(seg.units, kept, [1] * len(kept), (kind,))
    return reduced


@pytest.mark.parametrize("metric", ["B", "S", "A"])
def test_rows_of_a_kind_are_agreement_on_its_boundaries_alone(metric):
    corpus = typed_corpus(71)
    settings = {"metric": metric, "all": True, "draws": 30, "resamples": 30}
    kinds = fp.agreement(corpus, **settings).part("types")
    assert list(dict.fromkeys(kinds.column("kind"))) == ["high", "low"]
    for kind in ("low", "high"):
        alone = fp.agreement(of_kind(corpus, kind), **settings)
        assert len(kinds.where(kind=kind)) == len(alone)
        for row, own in zip(kinds.where(kind=kind), alone, strict=True):
            for cell in ("coefficient", "metric", "chance"):
                assert row[cell] == own[cell]
            for cell in ("value", "observed", "expected", "low", "high"):
                assert row[cell] == pytest.approx(own[cell], abs=1e-12, nan_ok=True), row


def test_the_formula_adds_up_the_chance_of_every_kind():
    corpus = typed_corpus(72)
    segs = [seg for own in corpus.values() for seg in own.values()]
    places = sum(seg.units - 1 for seg in segs)
    rate = [Fraction(sum(int((seg.kinds == k).sum()) for seg in segs), places) for k in (1, 2)]
    row = rows(corpus, metric="S", chance="fournier2012")["pi*"]
    assert row["expected"] == pytest.approx(float(rate[0] ** 2 + rate[1] ** 2), abs=1e-12)


def test_a_type_that_nobody_used_before_the_end_of_a_text():
    corpus = {
        "t": {
            "x": fp.Segmentation(4, [2, 4], [1, 2], ("low", "end")),
            "y": fp.Segmentation(4, [2, 4], [1, 2], ("low", "end")),
        }
    }
    kinds = fp.agreement(corpus, all=True, draws=4).part("types").where(kind="end")
    alpha = kinds.where(coefficient="alpha")[0]
    assert (alpha["observed"], alpha["expected"]) == (1.0, 1.0)
    assert math.isnan(alpha["value"])


def test_types_have_the_same_values_without_intervals():
    table = fp.agreement(typed_corpus(2), all=True, draws=10, resamples=40)
    whole, plain = table.part("types"), table.part("types without intervals")
    for one, other in zip(whole, plain, strict=True):
        for name in ("kind", "coefficient", "metric", "chance", "value", "observed", "expected"):
            assert one[name] == other[name] or (
                one[name] != one[name] and other[name] != other[name]
            )
        assert other["low"] is other["high"] is None
    assert any(row["low"] is not None for row in whole)


def test_alpha_with_kinds_is_nltks_on_sets_of_kinds():
    corpus = typed_corpus(73)
    data = []
    for text, coders in corpus.items():
        for coder, seg in coders.items():
            at = dict(zip(seg.cuts.tolist(), seg.kinds.tolist(), strict=True))
            data += [(coder, (text, p), at.get(p, 0)) for p in range(1, seg.units)]
    alpha = rows(corpus, coefficient="alpha")["alpha"]["value"]
    assert alpha == pytest.approx(AnnotationTask(data).alpha(), abs=1e-12)


# Bad input.


TWO = {"t": {"a": [2, 3], "b": [3, 2]}}


UNLIKE = {"t": {"a": [2, 3], "b": [2, 1, 2]}}  # precision and recall differ


@pytest.mark.parametrize(
    ("corpus", "settings", "message"),
    [
        ({"t": {"a": [5]}}, {}, "one annotator only"),
        ({"t": {"a": [5, 5], "b": [4, 5]}}, {}, "t: a has 10 units and b 9"),
        ({"t": {"a": [5]}, "u": {"b": [5]}}, {}, "no text of corpus was segmented by two"),
        ({}, {}, "holds no segmentations"),
        (TWO, {"draws": -1}, "draws must be a whole number from 2 to 1,000,000, found -1"),
        (TWO, {"draws": 2.5}, "draws must be a whole number"),
        (TWO, {"resamples": -1}, "resamples must be a whole number from 20 to 1,000,000, found -1"),
        (TWO, {"chance": "dice"}, "chance must be sizes, inner-sizes, shuffle"),
        (TWO, {"coefficient": "delta"}, "coefficient must be kappa, pi, bennett"),
        (TWO, {"counting": "words"}, "counting must be cuts or segments"),
        (TWO, {"pooling": "mean"}, "pooling must be pooled or mean-of-rates"),
        (TWO, {"weighting": "none"}, "weighting must be positions, units or printed"),
        (TWO, {"interval": "people"}, "interval must be both, texts or coders"),
        (TWO, {"like": "nltk"}, "no preset 'nltk'; it has: fournier2012, segeval"),
        (
            TWO,
            {"metric": "B", "chance": "two-category"},
            "two-category does not.*boundary_agreement",
        ),
        (TWO, {"metric": "pk"}, "symmetric similarity"),
        (TWO, {"metric": "windowdiff"}, "symmetric similarity"),
        (
            UNLIKE,
            {"metric": "F:beta=2"},
            "symmetric similarity; the value of boundary_f with .*beta=2",
        ),
        (TWO, {"coefficient": "kappa", "chance": "fournier2012"}, "no coefficient kappa with"),
        (TWO, {"resamples": 1}, "resamples must be a whole number from 20 to 1,000,000, found 1"),
        (TWO, {"resamples": 1_000_001}, "resamples must be a whole number from 20 to 1,000,000"),
    ],
)
def test_bad_input_is_one_sentence(corpus, settings, message):
    with pytest.raises(fp.FencepostError, match=message):
        fp.agreement(corpus, **settings)


def test_nothing_but_empty_segmentations_is_undefined_and_said():
    table = fp.agreement({"t": {"a": [5], "b": [5]}, "u": {"a": [7], "b": [7]}}, all=True)
    said = (
        "no annotator set a boundary, so agreement is undefined (pi* = 1 is an artefact of its "
        "formula)"
    )
    assert said in table.notes
    for row in table:
        if row["chance"] in ("shuffle", "bernoulli", "krippendorff", "two-category"):
            assert math.isnan(row["value"])
            assert row["observed"] == row["expected"] == 1.0
            assert row["low"] is row["high"] is None


@pytest.mark.parametrize("metric", ["B", "S", "A", "F"])
@pytest.mark.parametrize("interval", ["texts", "coders"])
@pytest.mark.filterwarnings("error")
def test_texts_of_one_unit_have_nothing_to_decide_on(metric, interval):
    corpus = {t: {"a": [1], "b": [1], "c": [1], "d": [1]} for t in "tu"}
    table = fp.agreement(corpus, metric=metric, all=True, draws=4, interval=interval)
    for row in table:
        if row["coefficient"] == "bias":
            assert row["value"] == 0.0
        elif row["chance"] == "fournier2012" and row["metric"] != "segmentation_similarity":
            # Two segmentations without a cut are alike, as in longer texts: a formula's 1.
            assert (row["value"], row["observed"], row["expected"]) == (1.0, 1.0, 0.0)
        else:
            assert math.isnan(row["value"])
            assert row["low"] is row["high"] is None
    for name in ("texts", "coders", "matrix", "without", "ceiling"):
        assert len(table.part(name))
    assert len(table.part("differences")) == 0
    assert fp.consensus(corpus, metric="B").corpus["t", "consensus"].masses == (1,)
    fp.segmenters(corpus, {"s": {"t": [1], "u": [1]}}, draws=4)
    # Beside a longer text they change nothing.
    longer = {"v": random_corpus(66, texts=1, moved=True)["t0"]}
    both = longer | {"t": {coder: [1] for coder in longer["v"]}}
    for way in ({"metric": "S", "chance": "fournier2012"},
                {"metric": "boundary_agreement", "chance": "two-category"},
                {"coefficient": ["alpha", "majority", "hearst"]}):  # fmt: skip
        one, other = (fp.agreement(c, intervals=False, **way) for c in (longer, both))
        assert_same_numbers(one, other)


@pytest.mark.parametrize("weighting", ["units", "printed"])
def test_texts_of_one_unit_are_undefined_however_texts_are_weighed(weighting):
    corpus = {t: {"a": [1], "b": [1]} for t in "tu"}
    found = rows(corpus, metric="S", chance="fournier2012", weighting=weighting)
    assert math.isnan(found["pi*"]["value"])
    assert math.isnan(found["kappa*"]["value"])


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("pi*", [("pi*", "fournier2012")]),
        ("kappa*", [("kappa*", "fournier2012")]),
        ("bias", [("bias", "fournier2012")]),
        ("kappa", [("kappa", "shuffle")]),
        (["kappa", "alpha"], [("kappa", "shuffle"), ("alpha", "krippendorff")]),
        (["kappa", "pi*"], [("kappa", "shuffle"), ("pi*", "fournier2012")]),
        ("hearst", [("hearst", "majority")]),
    ],
)
def test_a_coefficient_alone_has_the_chance_that_goes_without_saying(wanted, found):
    table = fp.agreement(UNLIKE, coefficient=wanted, draws=4, intervals=False)
    assert [(row["coefficient"], row["chance"]) for row in table] == found


def test_every_coefficient_excludes_a_choice_of_them():
    with pytest.raises(fp.MetricError, match="all=True has every coefficient"):
        fp.agreement(UNLIKE, coefficient="pi", all=True)
    with pytest.raises(fp.MetricError, match="consensus_by must be similarity or majority"):
        fp.consensus(UNLIKE, consensus_by="vote")


def test_what_is_given_beats_a_preset():
    corpus = random_corpus(67, moved=True)
    for like, metric, switch in (
        ("fournier2012", "S", {"counting": "cuts"}),
        ("segeval", "B", {"pooling": "pooled"}),
        ("segeval", "S", {"pooling": "mean-of-rates", "metric": "S"}),
    ):
        one = fp.agreement(corpus, like=like, intervals=False, **switch)
        named = f"{metric}:like={like}"
        plain = {"chance": "fournier2012", **switch, "metric": named}
        assert_same_numbers(one, fp.agreement(corpus, intervals=False, **plain))
    assert "|counting:segments|" in fp.agreement(corpus, like="fournier2012")[0]["signature"]
    assert "|pooling:mean-of-rates|" in fp.agreement(corpus, like="segeval")[0]["signature"]


def test_a_one_sided_similarity_is_refused_whatever_the_data_show():
    # 65 pairs that look alike from both sides, then one that does not.
    later = {f"t{i}": TWO["t"] for i in range(65)} | {"u": UNLIKE["t"]}
    for corpus in (later, TWO):
        with pytest.raises(fp.FencepostError, match="symmetric similarity"):
            fp.agreement(corpus, metric="F:beta=2", draws=4)


def test_warnings_people_need():
    quiet = {"t": {"a": [2, 3], "b": [3, 2], "idle": [5]}}
    assert any("idle set no boundary in any text" in note for note in fp.agreement(quiet).notes)
    one = {"t": {"a": [2, 3], "b": [3, 2]}, "u": {"a": [3]}}
    assert any("1 text has one annotator only" in note for note in fp.agreement(one).notes)
    fine = {"t": {"a": [300, 301], "b": [310, 291]}}
    said = "hardly any near miss is within 1 unit: measure on larger units, or widen n_t (B:n_t=..."
    assert any(said in note for note in fp.agreement(fine, all=True).notes)
    near = {"t": {"a": [300, 301], "b": [301, 300]}}  # long segments, and a near miss within reach
    assert not any("near miss" in note for note in fp.agreement(near, all=True).notes)
    notes = fp.agreement(fine, metric="S", chance="shuffle").notes
    assert any("chance alone reaches 0.9" in note for note in notes)


def near_miss_notes(corpus, n_t):
    table = fp.agreement(corpus, metric=f"B:n_t={n_t}", draws=4, intervals=False)
    return [note for note in table.notes if "hardly any near miss" in note]


@pytest.mark.parametrize(("n_t", "reach"), [(2, 1), (3, 2), (5, 4)])
def test_units_are_small_if_a_segment_is_longer_than_fifty_reaches(n_t, reach):
    # One boundary in each of two annotations: four segments in the mean of all units.
    for more in (-1, 0, 1):
        units = 100 * reach + more
        corpus = {
            "t": {"a": [units // 2, units - units // 2], "b": [units // 4, units - units // 4]}
        }
        assert bool(near_miss_notes(corpus, n_t)) == (more > 0)
    assert near_miss_notes(corpus, 1) == []  # there are no near misses then


def test_units_are_not_small_if_one_difference_in_twenty_is_a_near_miss():
    for apart in (17, 18, 19, 20):  # and one near miss: more than 5%, or not
        first = [1000 * i for i in range(1, apart + 2)]
        second = [first[0] + 1, *(place + 300 for place in first[1:])]
        own = {"a": fp.Segmentation(30_000, first), "b": fp.Segmentation(30_000, second)}
        near, missing = 1, 2 * apart
        assert bool(near_miss_notes({"t": own}, 2)) == (near <= 0.05 * (near + missing))
    near, missing = 1, 18  # a position that one annotator has alone counts once
    first = [1000 * i for i in range(1, 20)]
    for more, said in ((0, False), (1, True)):
        own = {
            "a": fp.Segmentation(30_000, [*first, *([25_000] * more)]),
            "b": fp.Segmentation(30_000, [first[0] + 1]),
        }
        assert bool(near_miss_notes({"t": own}, 2)) is said


@pytest.mark.parametrize("seed", range(3))
def test_an_interval_may_lie_on_both_sides_of_zero(seed):
    # It is symmetric unless it is cut at -1 or 1.
    corpus = random_corpus(seed, texts=8, units=12, rate=0.2, coders=3)
    (row,) = fp.agreement(corpus, metric="S", coefficient="bias")
    assert -1 < row["low"] < 0 < row["high"] < 1
    assert row["low"] + row["high"] == pytest.approx(2 * row["value"], abs=1e-12)


@pytest.mark.parametrize("texts", [5, 8])
def test_without_intervals_there_is_no_note_about_them(texts):
    for moved in (True, False):
        corpus = random_corpus(77, texts=texts, coders=2, moved=moved)
        corpus = {t: {"a": own["c0"], "b": own["c1"]} for t, own in corpus.items()}
        table = fp.agreement(corpus, metric="B", draws=4, intervals=False)
        assert not any("interval" in note for note in table.notes)


@pytest.mark.parametrize(("texts", "coders"), [(1, 2), (1, 3), (1, 4), (4, 2), (4, 3), (5, 2)])
def test_too_few_texts_for_an_interval_are_a_note(texts, coders):
    corpus = random_corpus(78, texts=texts, coders=coders, units=40)
    notes = fp.agreement(corpus, metric="B", draws=4, interval="texts", resamples=20).notes
    assert any(
        note == "one text and two annotators: too few for an interval" for note in notes
    ) == ((texts, coders) == (1, 2))
    assert any(note.startswith("one text: no interval over texts") for note in notes) == (
        texts == 1 and coders > 2
    )
    (*few,) = [note for note in notes if "texts: too few for an interval over texts" in note]
    assert len(few) == (texts == 4)
    assert all(("--interval coders has one" in note) == (coders > 2) for note in few)
