"""Segmenters among annotators: do they agree as people do?"""

import math
import warnings

import numpy as np
import pytest

import fencepost as fp
from fencepost.coders.segmenters import against_consensus

with warnings.catch_warnings():
    # Old escapes in old docstrings; newer Pythons warn when they compile them.
    warnings.simplefilter("ignore", category=SyntaxWarning)
    warnings.simplefilter("ignore", category=DeprecationWarning)
from annotators import only, random_corpus, rows


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
        "kappa": {"metric": "B", "chance": table[0]["chance"], "draws": 100},
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
        "1 text (elsewhere) of c0 ignored: not in corpus",
        "2 texts (t0, t3) ignored: not in every system",
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


@pytest.mark.parametrize("coders", [2, 3])
def test_the_spread_of_scores_is_their_standard_deviation_from_two_annotators_up(coders):
    names = [f"c{i}" for i in range(coders)]
    corpus = only(random_corpus(58, texts=5, units=40), names)
    system = {t: own["c0"] for t, own in random_corpus(59, texts=5, units=40).items()}
    row = against_consensus(corpus, {"s": system})[0]
    single = [
        fp.score({t: own[c] for t, own in corpus.items()}, system, metrics="B", baselines=False)[0]
        for c in names
    ]
    values = [one["value"] for one in single]
    assert len(set(values)) == coders
    assert row["spread"] == pytest.approx(np.std(values, ddof=1), abs=1e-12)


def test_a_system_is_scored_against_the_consensus_that_was_asked_for():
    corpus = random_corpus(31, texts=6, units=30, moved=True, coders=4)
    system = {text: own["c1"] for text, own in corpus.items()}
    rows = {
        by: against_consensus(corpus, {"s": system}, consensus_by=by)[0]
        for by in ("similarity", "majority")
    }
    for by, row in rows.items():
        agreed = fp.consensus(corpus, consensus_by=by).corpus
        scored = fp.score(agreed, system, metrics=["B"], baselines=False)[0]
        assert row["consensus"] == scored["value"]
    assert rows["similarity"]["consensus"] != rows["majority"]["consensus"]


# Is a system as good as an annotator?


def _similarity(corpus, one, others):
    """The value of the counts of all pairs of one coder with others."""
    recipe = fp.boundary_similarity.recipe()
    added = np.zeros(len(recipe.counts))
    for own in corpus.values():
        for other in others:
            if one in own and other in own:
                pair = (fp.Segmentation.from_masses(own[name]) for name in (one, other))
                counts = fp.boundary_similarity(*pair).counts
                added += [counts[name] for name in recipe.counts]
    return float(recipe.value(added[None, :])[0])


def _difference(corpus, people):
    away = []
    for human in people:
        others = [one for one in people if one != human]
        part = {t: own for t, own in corpus.items() if human in own}
        away.append(_similarity(part, "s", others) - _similarity(part, human, others))
    return np.mean(away), np.var(away, ddof=1) / len(away)


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_the_difference_to_annotators_compares_with_the_same_others(missing):
    from scipy.stats import t

    from fencepost.coders.segmenters import verdicts

    corpus = random_corpus(71, texts=7, units=30, moved=True, coders=4, missing=missing)
    corpus = {name: own for name, own in corpus.items() if len(own) > 2}
    people = ["c0", "c1", "c2", "c3"]
    system = {name: own["c0"] for name, own in random_corpus(72, 7, 30, coders=1).items()}
    system = {name: system[name] for name in corpus}
    joined = {name: {**own, "s": system[name]} for name, own in corpus.items()}
    value, of_coders = _difference(joined, people)
    n = len(joined)
    left = [
        _difference({k: v for k, v in joined.items() if k != name}, people)[0] for name in joined
    ]
    of_texts = (n - 1) / n * ((left - np.mean(left)) ** 2).sum()
    total = of_texts + of_coders
    freedom = total**2 / (of_texts**2 / (n - 1) + of_coders**2 / 3)
    row = verdicts(corpus, {"s": system}, margin=0.05)[0]
    assert row["difference"] == pytest.approx(value, abs=1e-12)
    half = t.ppf(0.975, freedom) * np.sqrt(total)
    assert (row["low"], row["high"]) == pytest.approx((value - half, value + half), abs=1e-6)
    p = t.sf((0.05 - abs(value)) / np.sqrt(total), freedom)
    assert row["p_equivalent"] == pytest.approx(p, abs=1e-6)
    assert row["similarity"] == pytest.approx(_similarity(joined, "s", people), abs=1e-12)
    better = [
        _similarity(joined, one, [other for other in people if other != one]) > row["similarity"]
        for one in people
    ]
    assert (row["rank"], row["of"]) == (sum(better) + 1, 5)


def test_an_empty_system_is_worse_although_one_annotator_is_an_outlier():
    from fencepost.coders.segmenters import verdicts

    corpus = random_corpus(61, texts=30, units=40, moved=True, coders=4)
    odd = random_corpus(62, texts=30, units=40, rate=0.2, coders=1)
    corpus = {text: {**own, "odd": odd[text]["c0"]} for text, own in corpus.items()}
    systems = {"empty": {t: [40] for t in corpus}, "copy": {t: o["c1"] for t, o in corpus.items()}}
    empty, copy = verdicts(corpus, systems, margin=0.05)
    assert (empty["verdict"], empty["rank"], empty["winning_rate"]) == ("worse", 6, 0.0)
    assert copy["rank"] == 1
    assert copy["winning_rate"] >= 0.5
    assert copy["verdict"] in ("undecided", "better", "equivalent")


def test_few_texts_give_a_system_neither_an_interval_nor_a_test():
    from fencepost.coders.segmenters import verdicts

    corpus = random_corpus(63, texts=29, units=30, moved=True, coders=4)
    system = {text: own["c1"] for text, own in corpus.items()}
    row = verdicts(corpus, {"s": system}, margin=0.05)[0]
    assert row["low"] < row["difference"] < row["high"]
    assert np.isnan(row["winning_rate"])
    assert 0 <= row["advantage"] <= 1
    few = dict(list(corpus.items())[:4])
    row = verdicts(few, {"s": {text: system[text] for text in few}}, margin=0.05)[0]
    assert (row["low"], row["high"], row["p_equivalent"]) == (None, None, None)
    assert row["verdict"] == "undecided"


def test_the_alternative_annotator_test_follows_its_definition():
    from scipy.stats import ttest_1samp

    from fencepost.coders.segmenters import verdicts
    from fencepost.coders.verdict import EPSILON

    corpus = random_corpus(73, texts=30, units=30, moved=True, coders=4)
    system = {t: own["c0"] for t, own in random_corpus(74, 30, 30, moved=True, coders=1).items()}
    system = {t: corpus[t]["c1"] if int(t[1:]) % 2 else own for t, own in system.items()}
    people = ["c0", "c1", "c2", "c3"]
    ps, shares = [], []
    for human in people:
        others = [one for one in people if one != human]
        wins, losses = [], []
        for text, own in corpus.items():
            segs = {name: fp.Segmentation.from_masses(sizes) for name, sizes in own.items()}
            machine = fp.Segmentation.from_masses(system[text])
            mine, theirs = (
                np.mean([fp.boundary_similarity(one, segs[o]).value for o in others])
                for one in (machine, segs[human])
            )
            wins.append(mine >= theirs)
            losses.append(theirs >= mine)
        shares.append(np.mean(wins))
        away = np.array(losses, dtype=float) - np.array(wins)
        ps.append(ttest_1samp(away, EPSILON, alternative="less").pvalue)
    limits = np.arange(1, 5) / 4 * 0.05 / (1 + 1 / 2 + 1 / 3 + 1 / 4)
    passed = np.flatnonzero(np.sort(ps) <= limits)
    row = verdicts(corpus, {"s": system})[0]
    assert row["winning_rate"] == (passed[-1] + 1 if len(passed) else 0) / 4
    assert row["advantage"] == pytest.approx(np.mean(shares), abs=1e-12)


def test_annotators_who_share_no_text_with_the_system_leave_the_others_their_test():
    from fencepost.coders.segmenters import verdicts

    corpus = random_corpus(75, texts=6, units=30, moved=True, coders=4)
    only_first = {t: {"aa": own["c0"], **own} if t == "t0" else own for t, own in corpus.items()}
    system = {t: own["c1"] for t, own in corpus.items()}
    plain, more = (verdicts(one, {"s": system})[0] for one in (corpus, only_first))
    assert 0 <= plain["advantage"] <= 1
    assert 0 <= more["advantage"] <= 1
    assert more["winning_rate"] != more["winning_rate"]  # fewer than 30 texts


def test_hypotheses_are_rejected_up_to_the_last_p_below_its_limit():
    from fencepost.coders.verdict import _rejected

    # Of two: limits .05 * 1/2 / 1.5 and .05 / 1.5. Of one: .05.
    for ps, rejected in (
        ([0.04], [True]),
        ([0.06], [False]),
        ([0.9, 0.001], [False, True]),
        ([0.03, 0.02], [True, True]),  # the first limit is missed, the second is not
        ([0.04, 0.02], [False, False]),
    ):
        assert _rejected(np.array(ps)).tolist() == rejected
