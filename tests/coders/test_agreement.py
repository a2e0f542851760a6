"""Agreement against the formulas written out, other tools, and laws."""

import cProfile
import math
import random
import warnings
from fractions import Fraction
from itertools import accumulate, combinations, pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fencepost as fp
from fencepost.coders.segmenters import against_consensus
from fencepost.statistics.intervals import jackknife_interval, percentile_interval
from fencepost.statistics.resampling import bootstrap, resamples
from oracle import agreement as oracle
from strategies import cuts

with warnings.catch_warnings():
    # Old escapes in old docstrings; newer Pythons warn when they compile them.
    warnings.simplefilter("ignore", category=SyntaxWarning)
    warnings.simplefilter("ignore", category=DeprecationWarning)
    import segeval
    from nltk.metrics.agreement import AnnotationTask
    from segeval.data import samples

STARGAZERS = {coder: list(m) for coder, m in samples.HEARST_1997_STARGAZER["stargazer"].items()}


def masses(units, places):
    ends = [0, *places, units]
    return [b - a for a, b in pairwise(ends)]


@st.composite
def corpora(draw, missing=True, least=2, most=5, max_texts=3, max_units=9):
    """A few small texts; not every coder did every one."""
    coders = "abcde"[: draw(st.integers(least, most))]
    corpus = {}
    for number in range(draw(st.integers(1, max_texts))):
        units = draw(st.integers(2, max_units))
        who = st.sets(st.sampled_from(coders), min_size=1 if number else least)
        chosen = sorted(draw(who)) if missing else coders
        corpus[f"t{number}"] = {coder: masses(units, draw(cuts(units))) for coder in chosen}
    return corpus


def random_corpus(seed, texts=6, units=30, rate=0.15, coders=4, missing=0.0, moved=False):
    """Coders who cut by chance, or (``moved``) who move or forget the cuts of one of them."""
    rng = np.random.default_rng(seed)
    corpus = {}
    for i in range(texts):
        gold = np.flatnonzero(rng.random(units - 1) < rate) + 1
        own = {}
        for j in range(coders):
            if missing and i and rng.random() < missing:
                continue
            if moved:
                kept = gold[rng.random(len(gold)) < 0.8] + rng.integers(-1, 2)
                places = np.unique(np.clip(kept, 1, units - 1)).tolist()
            else:
                places = (np.flatnonzero(rng.random(units - 1) < rate) + 1).tolist()
            own[f"c{j}"] = masses(units, places)
        corpus[f"t{i}"] = own
    return {text: own for text, own in corpus.items() if own}


def rows(corpus, **settings):
    """Rows by coefficient, without intervals unless asked for."""
    table = fp.agreement(corpus, **{"intervals": "resamples" in settings, **settings})
    return {row["coefficient"]: row for row in table}


def same(ours, exact):
    """Equal, and undefined in the same cases."""
    if exact is None:
        return math.isnan(ours)
    return ours == pytest.approx(float(exact), abs=1e-12)


def only(corpus, names):
    """These coders alone."""
    reduced = {t: {c: m for c, m in own.items() if c in names} for t, own in corpus.items()}
    return {t: own for t, own in reduced.items() if own}


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
    [("mass", oracle.observed_by_mass), ("printed", oracle.observed_as_printed)],
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
        {"metric": "S", "chance": "fournier2012", "weighting": "mass"},
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
    assert_same_numbers(fp.agreement(corpus, **EVERYTHING), first)


def test_no_python_work_per_annotation_or_pair():
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
            # What segeval calls S today prices transpositions by d/n_t.
            ("segmentation_similarity:weights=scaled", segeval.segmentation_similarity),
        ):
            found = rows(corpus, like="segeval", metric=metric)
            for coefficient, theirs in (
                ("pi*", segeval.fleiss_pi_linear(dataset, fnc_compare=peer)),
                ("kappa*", segeval.fleiss_kappa_linear(dataset, fnc_compare=peer)),
                ("bias", segeval.artstein_poesio_bias_linear(dataset, fnc_compare=peer)),
            ):
                assert found[coefficient]["value"] == pytest.approx(float(theirs), abs=1e-12)


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


# Intervals.


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
        {"metric": "A", "chance": "fournier2012", "weighting": "mass"},
        {"metric": "boundary_agreement", "chance": "two-category"},
        {"coefficient": ["alpha", "majority", "hearst"]},
    ]
    for way in ways:
        ours = {
            row["coefficient"]: row
            for row in fp.agreement(corpus, resamples=40, seed=3, method="percentile", **way)
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
    row = fp.agreement(corpus, metric="B", chance="shuffle", draws=200)[0]
    assert row["low"] <= row["value"] <= row["high"]
    assert row["high"] - row["low"] < 0.05
    alpha = fp.agreement(corpus, coefficient="alpha")
    # The correction for drawing without replacement sees the same total each time.
    assert (alpha[0]["low"], alpha[0]["high"]) == (None, None)
    said = "no interval where the value is the same in all texts: alpha of boundary_agreement"
    assert said in alpha.notes
    assert "interval" not in alpha[0]["signature"].fields
    formula = fp.agreement(corpus, metric="S", chance="fournier2012")
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
        row = fp.agreement(corpus, coefficient="alpha", resamples=200, method=method)[0]
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
        fp.agreement(corpus, coefficient="alpha", resamples=100, seed=seed)[0] for seed in (1, 5)
    )
    assert one["value"] == other["value"] and one["low"] != other["low"]
    assert [row["signature"].fields["seed"] for row in (one, other)] == ["1", "5"]
    for row in fp.agreement(corpus, all=True, draws=20, resamples=50, seed=5):
        assert row["low"] is None or row["signature"].fields["seed"] == "5"


def test_methods_that_promise_too_much_are_said():
    corpus = random_corpus(33, texts=10, moved=True)
    for method in ("percentile", "bca"):
        notes = fp.agreement(corpus, coefficient="alpha", resamples=100, method=method).notes
        said = [note for note in notes if note.startswith(f"{method} intervals promise too much")]
        assert said and "; the bootstrap-t, the default, comes nearer" in said[0]
    for method in (None, "t", "normal"):
        notes = fp.agreement(corpus, coefficient="alpha", resamples=100, method=method).notes
        assert not any("promise too much" in note for note in notes)


def test_percentiles_in_place_of_any_bootstrap_t_are_said():
    texts = {f"d{i}": {"a": [4, 6], "b": [4, 6]} for i in range(24)}
    corpus = fp.Corpus.from_dict({**texts, "d0": {"a": [4, 6], "b": [5, 5]}})
    for method in (None, "t"):
        table = fp.agreement(corpus, coefficient="alpha", resamples=200, method=method)
        assert ",percentile," in table[0]["signature"].fields["interval"]
        said = "rough percentile interval where only a few texts differ"
        assert any(note.startswith(said) for note in table.notes)


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
    assert (low, high) == pytest.approx((0.5 - 3.182 * error, 0.5 + 3.182 * error), abs=1e-12)
    assert jackknife_interval(0.5, np.full(5, 0.5)) == (0.5, 0.5)
    assert np.isnan(jackknife_interval(0.5, np.array([0.1, 0.2]))).all()


def test_students_t_is_that_of_the_tables():
    from scipy.stats import t

    from fencepost.statistics.intervals import t_975

    for freedom in (*range(1, 201), 1000):
        # Three decimals from the table, six digits from the expansion.
        wanted = t.ppf(0.975, freedom)
        assert t_975(freedom) == pytest.approx(wanted, abs=5e-4 if freedom <= 30 else 5e-6)


WAYS = [
    {"metric": "B", "chance": "shuffle", "coefficient": "kappa"},
    {"metric": "B", "chance": "bernoulli", "coefficient": "kappa"},
    {"metric": "S", "chance": "fournier2012"},
    {"metric": "S", "chance": "fournier2012", "counting": "segments", "pooling": "mean-of-rates"},
    {"metric": "S", "chance": "fournier2012", "weighting": "mass"},
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
    assert whole > 2 * rows(only(corpus, "abc"), draws=100, **way)["pi"]["expected"]


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
        wanted = row["value"] - 2.776 * error, row["value"] + 2.776 * error
        assert (row["low"], row["high"]) == pytest.approx(wanted, abs=1e-12)
        key = f"{row['coefficient']} {row['metric']} {row['chance']}"
        assert left.facts["jackknife"][key] == pytest.approx(wanted, abs=1e-12)


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


# Consensus.


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


# Segmenters among coders.


@pytest.mark.slow
def test_a_segmenter_beside_agreement_computed_by_hand():
    corpus = random_corpus(52, texts=8, units=40, moved=True)
    people = ["c0", "c1", "c2", "c3"]
    system = {t: own["c0"] for t, own in random_corpus(53, texts=8, units=40, coders=1).items()}
    table = fp.segmenters(corpus, {"random": system}, draws=100)
    assert [row["coefficient"] for row in table] == ["kappa", "alpha", "pi*"]
    assert table.notes == ()
    with_it = {t: {**own, "random": system[t]} for t, own in corpus.items()}
    ways = {
        "kappa": {"metric": "B", "chance": "shuffle", "draws": 100},
        "alpha": {"coefficient": "alpha"},
        "pi*": {"metric": "S", "chance": "fournier2012"},
    }
    for row in table:
        name = row["coefficient"]

        def value(coders, name=name):
            return rows(only(with_it, coders), **ways[name])[name]["value"]

        groups = [[c for c in people if c != out] for out in people]
        before = [value(group) for group in groups]
        human = [value(people) - b for b in before]
        joined = [value([*g, "random"]) - b for g, b in zip(groups, before, strict=True)]
        assert row["humans"] == pytest.approx(value(people), abs=1e-12)
        assert row["with_system"] == pytest.approx(value([*people, "random"]), abs=1e-12)
        assert row["change"] == pytest.approx(row["with_system"] - row["humans"], abs=1e-12)
        for what, changes in (("human", human), ("joined", joined)):
            found = [row[f"{what}_{end}"] for end in ("change", "lowest", "highest")]
            wanted = [np.mean(changes), min(changes), max(changes)]
            assert found == pytest.approx(wanted, abs=1e-12)
        assert row["joined_change"] < row["human_change"]  # a random one is found out
        if name != "alpha":  # which takes a human's near misses for nothing as well
            assert row["joined_highest"] < row["human_lowest"]


def test_a_copy_of_a_coder_and_an_empty_segmenter():
    corpus = random_corpus(54, texts=8, units=40, moved=True)
    best = max(fp.agreement(corpus, draws=4).part("coders"), key=lambda row: row["value"])["coder"]
    systems = {
        "copy": {t: own[best] for t, own in corpus.items()},
        "empty": {t: [40] for t in corpus},
    }
    for row in fp.segmenters(corpus, systems, draws=100):
        if row["system"] == "copy":
            assert row["with_system"] > row["humans"]
            assert row["joined_change"] > row["human_lowest"]
        elif row["coefficient"] == "kappa":
            assert row["with_system"] < row["humans"]
            assert row["joined_highest"] < row["human_lowest"]
        assert all(math.isfinite(v) for v in row.values() if isinstance(v, float))


def test_a_segmenter_may_bear_a_coders_name_and_lack_texts():
    corpus = random_corpus(55, texts=4, units=40, moved=True)
    systems = {
        "c0": {t: corpus[t]["c2"] for t in ("t0", "t1", "t2")} | {"elsewhere": [3, 3]},
        "other": {t: corpus[t]["c1"] for t in ("t1", "t2", "t3")},
    }
    table = fp.segmenters(corpus, systems, draws=20)
    assert table.column("system") == ["c0", "other"] * 3
    assert table.notes == (
        "1 text (elsewhere) of c0 left out: corpus lacks them",
        "2 texts (t0, t3) left out: not every system has them",
    )
    humans = {t: corpus[t] for t in ("t1", "t2")}  # also the humans among each other
    ways = {"alpha": {"coefficient": "alpha"}, "pi*": {"metric": "S", "chance": "fournier2012"}}
    for row in table:
        if row["coefficient"] == "kappa":
            continue
        name, way = row["coefficient"], ways[row["coefficient"]]
        system = systems[row["system"]]
        with_it = {t: {**own, "the system": system[t]} for t, own in humans.items()}
        assert row["humans"] == pytest.approx(rows(humans, **way)[name]["value"], abs=1e-12)
        assert row["with_system"] == pytest.approx(rows(with_it, **way)[name]["value"], abs=1e-12)
    # Scores against the consensus and against coders rest on the same texts.
    spread = against_consensus(corpus, systems)
    for row in spread:
        own = {t: systems[row["system"]][t] for t in humans}
        scored = fp.score(fp.consensus(humans).corpus, own, metrics=["B"], baselines=False)
        assert row["consensus"] == scored[0]["value"]


@pytest.mark.parametrize(
    ("systems", "message"),
    [
        ({"s": {"elsewhere": [3]}}, "s has none of the 4 texts of corpus .t0, t1, t2 and 1 more"),
        ({"s": {"t0": [40]}, "z": {"t1": [40]}}, "no text of corpus has a partner in every system"),
        (
            {"s": {"t0": {"x": [40], "y": [40]}}},
            "s has segmentations by x, y and a system has one",
        ),
        ({"s": {"t0": [41]}}, "t0: corpus has 40 units, s 41"),
    ],
)
def test_segmenters_that_cannot_be_compared(systems, message):
    corpus = random_corpus(58, texts=4, units=40, moved=True)
    for table in (fp.segmenters, against_consensus):
        with pytest.raises(fp.FencepostError, match=message):
            table(corpus, systems)


def test_fewer_than_three_humans_cannot_be_compared():
    corpus = random_corpus(56, coders=2)
    system = {t: own["c0"] for t, own in corpus.items()}
    with pytest.raises(fp.FencepostError, match="takes three annotators, found 2"):
        fp.segmenters(corpus, {"s": system})


def test_the_score_against_the_consensus_stands_beside_those_against_coders():
    corpus = random_corpus(57, texts=5, units=40, moved=True)
    system = {t: own["c1"] for t, own in corpus.items()}
    row = against_consensus(corpus, {"s": system})[0]
    agreed = fp.consensus(corpus).corpus
    assert row["consensus"] == fp.score(agreed, system, metrics=["B"], baselines=False)[0]["value"]
    single = [
        fp.score({t: own[c] for t, own in corpus.items()}, system, metrics=["B"],
                 baselines=False)[0]["value"]
        for c in ("c0", "c1", "c2", "c3")
    ]  # fmt: skip
    assert (row["lowest"], row["highest"]) == (min(single), max(single))
    assert row["highest"] == 1.0  # the coder it is a copy of
    assert row["mean"] == pytest.approx(np.mean(single), abs=1e-12)
    assert row["spread"] == pytest.approx(np.std(single, ddof=1), abs=1e-12)


# The finer tables.


@pytest.mark.slow
def test_texts_are_agreement_of_each_text_alone():
    corpus = random_corpus(61, texts=5, missing=0.2, moved=True)
    table = fp.agreement(corpus, all=True, draws=40, intervals=False)
    for text in table.part("texts").column("text"):
        alone = fp.agreement({text: corpus[text]}, all=True, draws=40, intervals=False)
        part = table.part("texts").where(text=text)
        assert len(part) == len(alone)
        for row, own in zip(part, alone, strict=True):
            assert row["pairs"] == len(list(combinations(corpus[text], 2)))
            assert row["boundaries"] == sum(len(m) - 1 for m in corpus[text].values())
            if own["standard_error"] is None:
                for cell in ("value", "observed", "expected"):
                    if row["coefficient"] != "majority" or len(corpus[text]) > 2:
                        assert row[cell] == pytest.approx(own[cell], abs=1e-12, nan_ok=True)
            else:
                assert row["observed"] == own["observed"]
    assert (
        sum(r["pairs"] for r in table.part("texts").where(coefficient="alpha"))
        == (table.facts["pairs"])
    )


def test_a_text_of_two_coders_has_no_majority_among_others_either():
    corpus = {"two": {"a": [2, 3], "b": [3, 2]}, "three": {"a": [2, 3], "b": [3, 2], "c": [2, 3]}}
    part = fp.agreement(corpus, coefficient="majority", intervals=False).part("texts")
    assert part.where(text="three")[0]["value"] == pytest.approx(10 / 12)
    assert math.isnan(part.where(text="two")[0]["value"])


@pytest.mark.parametrize("metric", ["B", "S", "A"])
def test_matrix_and_coders_are_direct_calls(metric):
    corpus = random_corpus(62, texts=5, missing=0.3, moved=True)
    table = fp.agreement(corpus, metric=metric, draws=4, intervals=False)
    similarity = oracle.SIMILARITIES[metric]
    seen = 0
    for row in table.part("matrix"):
        two = only(corpus, [row["first"], row["second"]])
        assert row["texts"] == len(oracle.shared(two))
        assert row["value"] == pytest.approx(float(oracle.observed(two, similarity)), abs=1e-12)
        seen += row["texts"]
    assert seen == table.facts["pairs"]
    shared = oracle.shared(corpus)
    for row in table.part("coders"):
        own = {t: c[row["coder"]] for t, c in shared.items() if row["coder"] in c}
        pairs = [
            (oracle.seg(shared[t][other]), oracle.seg(mine))
            for t, mine in own.items()
            for other in shared[t]
            if other != row["coder"]
        ]
        assert row["texts"] == len(own)
        assert row["boundaries"] == sum(len(m) - 1 for m in own.values())
        places = sum(sum(m) - 1 for m in own.values())
        assert row["rate"] == pytest.approx(row["boundaries"] / places, abs=1e-15)
        assert row["value"] == pytest.approx(float(similarity(pairs)), abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_the_human_ceiling_is_the_score_of_each_coder_against_the_others(missing):
    corpus = random_corpus(63, texts=5, missing=missing, moved=True)
    ceiling = fp.agreement(corpus, metric="S", draws=4, intervals=False).part("ceiling")
    metrics = list(dict.fromkeys(ceiling.column("metric")))
    assert metrics == [
        "pk", "windowdiff", "boundary_f", "boundary_similarity", "segmentation_similarity",
    ]  # fmt: skip
    for coder in ("c0", "c1", "c2", "c3"):
        system, others = {}, {}
        for text, own in oracle.shared(corpus).items():
            if coder in own:
                system[text] = own[coder]
                others[text] = {c: m for c, m in own.items() if c != coder}
        for metric in metrics:
            # The mean over references of a text, then over texts.
            by_text = [
                np.mean(
                    [fp.score({"t": ref}, {"t": system[text]}, metrics=[metric],
                              baselines=False)[0]["value"] for ref in others[text].values()]
                )
                for text in system
            ]  # fmt: skip
            value = ceiling.where(metric=metric, coder=coder)[0]["value"]
            assert value == pytest.approx(np.mean(by_text), abs=1e-12)
            if not missing:
                scored = fp.score(others, {"s": system}, metrics=[metric], baselines=False)
                assert value == pytest.approx(scored[len(scored) - 1]["value"], abs=1e-12)
    for metric in metrics:
        part = ceiling.where(metric=metric)
        average = part.where(coder="mean of annotators")[0]["value"]
        assert average == pytest.approx(np.mean(part.column("value")[:-1]), abs=1e-12)


def test_places_are_all_places_where_coders_differ():
    corpus = random_corpus(64, texts=5, missing=0.2, moved=True)
    shared = oracle.shared(corpus)
    found = fp.agreement(corpus, draws=4, intervals=False).part("differences")
    wanted = []
    for text, own in shared.items():
        for place in range(1, sum(next(iter(own.values())))):
            cut = [c for c in own if place in accumulate(own[c][:-1])]
            if cut and len(cut) < len(own):
                rest = [c for c in own if c not in cut]
                wanted.append((text, place, len(cut), len(own), "; ".join(cut), "; ".join(rest)))
    columns = ("text", "position", "boundaries", "coders", "set_by", "not_set_by")
    assert [tuple(row[c] for c in columns) for row in found] == wanted


def test_facts_count_what_was_compared():
    corpus = random_corpus(65, texts=6, missing=0.3, moved=True)
    corpus["alone"] = {"c0": [3, 4]}
    shared = oracle.shared(corpus)
    facts = fp.agreement(corpus, draws=4, intervals=False).facts
    given = [m for own in shared.values() for m in own.values()]
    assert facts["texts"] == len(shared)
    assert facts["coders"] == 4
    assert facts["pairs"] == len(oracle.pairs(corpus))
    assert facts["annotations"] == len(given)
    assert facts["missing"] == 4 * len(shared) - len(given)
    assert facts["boundaries"] == sum(len(m) - 1 for m in given)
    assert facts["places"] == sum(sum(m) - 1 for m in given)
    assert facts["left_out"] == len(corpus) - len(shared)
    sizes = [len(own) for own in shared.values()]
    assert facts["coders_per_text"] == [min(sizes), max(sizes)]
    assert facts["groups"] == 1


def test_coders_who_share_nothing_are_groups_and_nothing_is_missing_between_them():
    corpus = {
        "t": {"a": [2, 3], "b": [3, 2]},
        "u": {"c": [2, 3], "d": [3, 2], "e": [5]},
        "v": {"c": [2, 3], "d": [3, 2]},
        "w": {"f": [2, 3], "g": [3, 2]},
        "x": {"g": [2, 3], "h": [3, 2]},
    }
    facts = fp.agreement(corpus, draws=4, intervals=False).facts
    assert facts["groups"] == 3
    # e lacks v, f lacks x, h lacks w.
    assert facts["missing"] == 3
    corpus["y"] = {"b": [2, 3], "h": [5]}  # joins the first group and the last
    facts = fp.agreement(corpus, draws=4, intervals=False).facts
    assert facts["groups"] == 2
    assert facts["missing"] == 1 + (4 * 5 - 8)


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
    kinds = fp.agreement(corpus, **settings).part("kinds")
    assert list(dict.fromkeys(kinds.column("kind"))) == ["low", "high"]
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
    kinds = fp.agreement(corpus, all=True, draws=4).part("kinds").where(kind="end")
    alpha = kinds.where(coefficient="alpha")[0]
    assert (alpha["observed"], alpha["expected"]) == (1.0, 1.0)
    assert math.isnan(alpha["value"])


def test_types_have_the_same_values_without_intervals():
    table = fp.agreement(typed_corpus(2), all=True, draws=10, resamples=40)
    whole, plain = table.part("kinds"), table.part("kinds without intervals")
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
        (TWO, {"draws": -1}, "draws must be a whole number from 2 up, found -1"),
        (TWO, {"draws": 2.5}, "draws must be a whole number"),
        (TWO, {"resamples": -1}, "resamples must be a whole number from 20 to 1000000, found -1"),
        (TWO, {"chance": "dice"}, "chance must be shuffle, bernoulli, uniform"),
        (TWO, {"coefficient": "gamma"}, "coefficient must be one of"),
        (TWO, {"counting": "words"}, "counting must be cuts or segments"),
        (TWO, {"pooling": "mean"}, "pooling must be pooled or mean-of-rates"),
        (TWO, {"weighting": "none"}, "weighting must be places, mass or printed"),
        (TWO, {"interval": "people"}, "interval must be texts or coders"),
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
        (TWO, {"resamples": 1}, "resamples must be a whole number from 20 to 1000000, found 1"),
        (TWO, {"resamples": 1_000_001}, "resamples must be a whole number from 20 to 1000000"),
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


@pytest.mark.parametrize("weighting", ["mass", "printed"])
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


def test_what_is_given_beats_a_preset():
    corpus = random_corpus(67, moved=True)
    for like, metric, switch in (
        ("fournier2012", "S", {"counting": "cuts"}),
        ("segeval", "B", {"pooling": "pooled"}),
        ("segeval", "S", {"pooling": "mean-of-rates", "metric": "S"}),
    ):
        one = fp.agreement(corpus, like=like, intervals=False, **switch)
        plain = {"metric": metric, "chance": "fournier2012", **switch}
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
