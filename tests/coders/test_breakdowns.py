"""The finer tables of agreement: by text, annotator, pair and position."""

import math
import warnings
from itertools import accumulate, combinations

import numpy as np
import pytest

import fencepost as fp
from oracle import agreement as oracle

with warnings.catch_warnings():
    # Old escapes in old docstrings; newer Pythons warn when they compile them.
    warnings.simplefilter("ignore", category=SyntaxWarning)
    warnings.simplefilter("ignore", category=DeprecationWarning)
from annotators import only, random_corpus


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
                # Disorder keeps the digits that can be added over all texts in any order.
                rounding = 1e-12 if row["coefficient"] == "gamma" else 0
                assert row["observed"] == pytest.approx(own["observed"], rel=0, abs=rounding)
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
    # The most divided first: the share of pairs of annotators who differ.
    wanted.sort(key=lambda row: -2 * row[2] * (row[3] - row[2]) / (row[3] * (row[3] - 1)))
    columns = ("text", "position", "boundaries", "coders", "set_by", "not_set_by")
    assert [tuple(row[c] for c in columns) for row in found] == wanted
    assert set(found.column("decision")) == {None}


def test_every_speaker_alone_has_the_agreement_on_its_tracks():
    one, other = (random_corpus(seed, texts=6, moved=True, coders=3) for seed in (66, 67))
    both = {(t, "A"): own for t, own in one.items()} | {(t, "B"): own for t, own in other.items()}
    table = fp.agreement(fp.Corpus.from_dict(both), coefficient="alpha").part("speakers")
    assert table.column("stream") == ["A", "B"]
    alone = [fp.agreement(c, coefficient="alpha")[0]["value"] for c in (one, other)]
    assert table.column("value") == pytest.approx(alone, abs=1e-12)
    assert len(fp.agreement(one, coefficient="alpha").part("speakers")) == 0


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


def outlier_corpus():
    """Four annotators who agree, and c4, who does not."""
    corpus = random_corpus(61, texts=12, units=40, moved=True, coders=4)
    odd = random_corpus(62, texts=12, units=40, rate=0.2, coders=1)
    return {text: {**own, "c4": odd[text]["c0"]} for text, own in corpus.items()}


def test_the_chance_of_an_annotator_is_that_of_the_draws_with_the_others():
    corpus = outlier_corpus()
    table = fp.agreement(corpus, draws=200)
    rows = list(table.part("coders"))
    mean = sum(row["expected"] for row in rows) / len(rows)
    assert mean == pytest.approx(table[0]["expected"], abs=0.02)
    odd = rows[-1]
    assert odd["coder"] == "c4"
    assert abs(odd["value"] - odd["expected"]) < 0.1 < rows[0]["value"] - rows[0]["expected"]
    left = list(table.part("influence"))
    assert [row["coder"] for row in left if abs(row["change"]) > table[0]["error"]] == ["c4"]


@pytest.mark.parametrize("marks", [["", "", "."], ["", ",", "."]])
@pytest.mark.parametrize("coders", [2, 3, 4])
def test_types_at_text_ends_only_and_nobody_cuts_before_the_end(marks, coders):
    seg = fp.Segmentation.from_marks(marks, (".", ","))
    corpus = fp.Corpus.from_dict({f"t{i}": {f"c{k}": seg for k in range(coders)} for i in range(6)})
    for metric in ("B", "S", "Sf"):
        for interval in ("both", "coders"):
            table = fp.agreement(corpus, metric=metric, all=True, draws=4, interval=interval)
            for row in table.where(coefficient="kappa"):  # all do the same: 1, or undefined
                assert row["observed"] == 1 or math.isnan(row["observed"])
            for part in ("without", "types", "coders", "matrix", "texts"):
                assert table.part(part).columns
    if coders > 2:
        fp.segmenters(corpus, {"s": {f"t{i}": seg for i in range(6)}}, draws=4)


@pytest.mark.parametrize("coders", [4, 6, 8])
def test_agreement_beside_a_chance_of_1_is_undefined(coders):
    corpus = {f"t{i}": {f"c{k}": [10] for k in range(coders)} for i in range(3)}
    for row in fp.agreement(corpus, all=True, draws=4):
        if row["expected"] == 1:
            assert row["value"] != row["value"]
