"""Report cards of scores that read probabilities: every figure beside arithmetic written out."""

import itertools
import json
import math

import numpy as np
import pytest

import fencepost as fp
from fencepost.study import probing
from fencepost.study.probing import probabilities as family
from fencepost.study.probing.base import Scope, Subject
from support import csv_rows, ok

NAMES = [one.name for one in probing.PROPERTIES if one.family == "probabilities"]
SCORES = ["brier", "calibration_error", "average_precision", "pr_auc", "expected_pk",
          "expected_windowdiff", "expected_b"]  # fmt: skip
# What these scores are known for. None: the property does not apply.
VERDICTS = {
    "order of probabilities suffices": (0, 0, 1, 1, 0, 0, 0),
    "honest probabilities are best": (1, 0, 1, 1, 0, 0, 0),
    "nearer the truth is never worse": (1, 1, 1, 1, 1, 1, 1),
    "a sure mistake costs more": (1, 0, 1, 1, 1, 1, 1),
    "a constant is not perfect": (1, 0, 1, 1, 1, 1, 1),
    "a near probability costs less": (0, None, 0, 0, 1, 1, 1),
    "0 and 1 score as boundaries": (None, None, None, None, 1, 1, 1),
}


@pytest.fixture(scope="module")
def cards():
    return {name: fp.probe(name, properties=["probabilities"]) for name in SCORES}


@pytest.mark.parametrize("name", VERDICTS)
def test_known_scores_have_the_verdicts_they_are_known_for(cards, name):
    said = {1: "yes", 0: "no", None: "undefined"}
    found = [cards[score][name].verdict for score in SCORES]
    assert found == [said[verdict] for verdict in VERDICTS[name]]
    assert all(cards[score][name].measured.detail for score in SCORES)  # a reason for each


@pytest.mark.slow
def test_the_verdicts_do_not_hang_on_the_seed():
    for seed in (1, 2, 3):
        for at, score in enumerate(SCORES):
            card = fp.probe(score, properties=["probabilities"], seed=seed)
            found = [answer.verdict for answer in card]
            wanted = [VERDICTS[name][at] for name in NAMES]
            assert found == [{1: "yes", 0: "no", None: "undefined"}[one] for one in wanted]


# The scores, written out for one text: r is 0 or 1 at each position, h a probability.


def brier(r, h):
    return sum((x - y) ** 2 for x, y in zip(r, h, strict=True)) / len(r)


def calibration(r, h):
    gaps = 0.0
    for low in range(10):
        own = [(x, y) for x, y in zip(r, h, strict=True) if min(int(y * 10), 9) == low]
        gaps += abs(sum(x for x, _ in own) - sum(y for _, y in own))
    return gaps / len(r)


def ap(r, h):
    """1 - average precision; NaN without a boundary."""
    found = 0.0
    for level in sorted(set(h), reverse=True):
        chosen = [x for x, y in zip(r, h, strict=True) if y >= level]
        new = sum(x for x, y in zip(r, h, strict=True) if y == level)
        found += new * sum(chosen) / len(chosen)
    return 1 - found / sum(r) if sum(r) else math.nan


def windows(r):
    """The windows of half the mean segment, rounded half up."""
    units = len(r) + 1
    k = max(1, math.floor(units / (sum(r) + 1) / 2 + 0.5))
    return [range(start, start + k) for start in range(units - k)], k


def pk(r, h):
    every, _ = windows(r)
    own = []
    for window in every:
        none = math.prod(1 - h[place] for place in window)
        own.append(none if any(r[place] for place in window) else 1 - none)
    return sum(own) / len(own)


def windowdiff(r, h):
    every, _ = windows(r)
    own = []
    for window in every:
        chances = [1.0]  # of 0, 1, ... boundaries in the window
        for place in window:
            stay, go = ([x * p for x in chances] for p in (1 - h[place], h[place]))
            chances = [x + y for x, y in zip([*stay, 0], [0, *go], strict=True)]
        own.append(1 - chances[int(sum(r[place] for place in window))])
    return sum(own) / len(own)


PLAIN = {"brier": brier, "calibration_error": calibration, "average_precision": ap,
         "expected_pk": pk, "expected_windowdiff": windowdiff}  # fmt: skip


def subject(name):
    return Subject(fp.parse(name), Scope())


def drawn_texts():
    """The drawn texts as lists: 0 or 1, and the probability of each position."""
    ref, units, given = family._drawn(subject("brier"))
    ends = np.cumsum(units - 1)
    truth = family._truth(ref, units)
    for start, end in zip([0, *ends[:-1]], ends, strict=True):
        yield truth[start:end].tolist(), given[start:end].tolist()


def test_hypotheses_are_mostly_right_and_sometimes_sure_and_wrong():
    off = np.concatenate([np.abs(np.subtract(r, h)) for r, h in drawn_texts()])
    assert len(list(drawn_texts())) == 40
    # |r - h| is u^3 of a uniform u: its mean is 1/4, and it is above 1/2 where u^3 is.
    assert off.mean() == pytest.approx(1 / 4, abs=0.01)
    assert (off > 0.5).mean() == pytest.approx(1 - 0.5 ** (1 / 3), abs=0.02)
    assert 0 < off.min() < off.max() < 1


@pytest.mark.slow
@pytest.mark.parametrize("name", ["brier", "calibration_error", "average_precision", "expected_pk"])
def test_squares_and_ways_to_the_truth_are_those_of_the_formula(cards, name):
    texts, score = list(drawn_texts()), PLAIN[name]
    before = [score(r, h) for r, h in texts]
    after = [score(r, [x * x for x in h]) for r, h in texts]
    changed = sum(abs(a - b) > 1e-9 for a, b in zip(before, after, strict=True))
    assert cards[name]["order of probabilities suffices"].figure == changed / 40
    (curve,) = cards[name]["nearer the truth is never worse"].measured.curves
    ways = [
        [score(r, [x + t * (y - x) for x, y in zip(h, r, strict=True)]) for r, h in texts]
        for t in (0, 0.25, 0.5, 0.75, 1)
    ]
    assert curve.y == pytest.approx([np.mean(way) for way in ways], abs=1e-12)
    worse = sum(b > a + 1e-9 for one, two in itertools.pairwise(ways)
                for a, b in zip(one, two, strict=True))  # fmt: skip
    assert cards[name]["nearer the truth is never worse"].figure == worse / 160


@pytest.mark.slow
@pytest.mark.parametrize("name", PLAIN)
def test_honest_probabilities_have_the_expected_loss_of_the_formula(cards, name, monkeypatch):
    """Every reference of 7 units, weighted by its probability."""
    seen = []
    before = family._expected
    monkeypatch.setattr(family, "_expected", lambda *given: seen.append(given[3]) or before(*given))
    answer = family.honest(subject(name))
    assert len(seen) == 1 + len(family.DISHONEST) and seen[0].shape == (40, 6)
    p = seen[0].tolist()
    losses = []
    for given in seen:
        means = []
        for vector, own in zip(p, given.tolist(), strict=True):
            total = weight = 0.0
            for r in itertools.product((0, 1), repeat=6):
                chance = math.prod(x if d else 1 - x for x, d in zip(vector, r, strict=True))
                value = PLAIN[name](list(r), own)
                if not math.isnan(value):
                    total, weight = total + chance * value, weight + chance
            means.append(total / weight)
        losses.append(sum(means) / len(means))
    assert answer.figure == pytest.approx((losses[0] - min(losses[1:])) / losses[0], abs=1e-9)
    assert cards[name]["honest probabilities are best"].figure == answer.figure


def test_honest_probabilities_have_the_brier_score_of_their_variance():
    """E (r - p)^2 = p (1 - p), and (p - q)^2 more for any other q."""
    seen = family._odds(np.array([0.2, 0.5]), 2.0)
    assert seen.tolist() == pytest.approx([0.04 / 0.68, 0.5])
    p = np.array([[0.1, 0.5, 0.8, 0.3, 0.9, 0.2]])
    codes = np.arange(64)
    bits = codes[:, None] >> np.arange(6) & 1
    chance = np.prod(np.where(bits[None] == 1, p[:, None], 1 - p[:, None]), axis=2)
    for q in (p, p**2, np.full((1, 6), 0.4)):
        expected = (p * (1 - p) + (p - q) ** 2).mean()
        found = family._expected(subject("brier"), codes, chance, q)
        assert found == pytest.approx(expected, abs=1e-14)


def usual(missing=0.8, extra=0.05):
    r = [float((n + 1) % 20 == 0) for n in range(199)]
    h = [0.8 if one else 0.05 for one in r]
    h[99], h[109] = missing, extra
    return r, h


@pytest.mark.parametrize("name", PLAIN)
def test_sure_mistakes_cost_what_the_formula_says(cards, name):
    costs = [PLAIN[name](*usual(1 - c, c)) - PLAIN[name](*usual()) for c in (0.6, 1.0)]
    answer = cards[name]["a sure mistake costs more"]
    assert answer.figure == pytest.approx(costs[1] / costs[0], rel=1e-9)
    if name == "brier":  # (.6^2 - .2^2 + .6^2 - .05^2) / 199, and the same with 1
        assert costs == pytest.approx([0.6775 / 199, 1.9575 / 199])


@pytest.mark.parametrize("name", PLAIN)
def test_a_probability_off_its_position_costs_what_the_formula_says(cards, name):
    def loss(off):
        h = [0.05] * 39
        h[19 + off] = 0.9
        return PLAIN[name]([float(n == 19) for n in range(39)], h)

    answer = cards[name]["a near probability costs less"]
    (curve,) = answer.measured.curves
    assert curve.y == pytest.approx([loss(off) for off in range(11)], abs=1e-12)
    if answer.verdict != "undefined":
        wanted = (loss(1) - loss(0)) / (loss(10) - loss(0))
        assert answer.figure == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("name", PLAIN)
def test_a_constant_probability_scores_what_the_formula_says(cards, name):
    means = [PLAIN[name](r, [sum(r) / len(r)] * len(r)) for r, _ in drawn_texts()]
    figure = cards[name]["a constant is not perfect"].figure
    assert figure == pytest.approx(1 - sum(means) / 40, abs=1e-12)
    if name == "brier":  # p (1 - p) each
        shares = [sum(r) / len(r) for r, _ in drawn_texts()]
        assert figure == pytest.approx(1 - np.mean([p * (1 - p) for p in shares]), abs=1e-12)
    if name == "calibration_error":
        assert figure == pytest.approx(1, abs=1e-12)


def test_settings_of_both_are_compared_where_probabilities_are_0_and_1():
    for name, other in (("expected_pk:k=2", "pk"), ("expected_b:n_t=3", "boundary_similarity"),
                        ("expected_windowdiff:pad=lamprier", "windowdiff")):  # fmt: skip
        card = fp.probe(name, properties=["0 and 1 score as boundaries"])
        assert card[NAMES[-1]].verdict == "yes"
        assert card[NAMES[-1]].measured.detail == f"beside {other}"
    recipe = family._metric_of_boundaries(fp.parse("expected_b:n_t=3,matching=greedy"))
    assert recipe == fp.parse("B:n_t=3,matching=greedy")
    # A wrong counterpart is found out: WindowDiff is not Pk.
    own, other = (subject(f"{name}:k=3").table(6) for name in ("expected_pk", "windowdiff"))
    assert np.nanmax(np.abs(own - other)) > 0.1


# Where no probabilities are read.


def closeness(ref, hyp):
    return float(ref == hyp)


@pytest.mark.parametrize("metric", ["B", "windowdiff", "T", closeness])
def test_other_metrics_have_a_dash_and_a_reason(metric):
    card = fp.probe(metric, properties=["probabilities", "symmetric"], largest=5)
    own = [answer for answer in card if answer.asked.family == "probabilities"]
    assert [answer.verdict for answer in own] == ["undefined"] * 7
    assert {row["detail"] for row in card.rows if row["family"] == "probabilities"} == {
        "it reads no probabilities"
    }
    shown = str(card)
    assert shown.count("it reads no probabilities") == 1
    assert "properties of probabilities do not apply: it reads no probabilities" in shown


def test_a_comparison_leaves_out_what_applies_to_none():
    cards = fp.probe("B", against=["pk"], properties=["probabilities", "symmetric"], largest=5)
    shown = str(cards)
    assert not any(name in shown for name in NAMES)
    line = "properties of probabilities do not apply: it reads no probabilities"
    assert f"\n\n{line}\n\nKendall's tau-b" in shown
    assert len(cards.rows) == 16
    mixed = str(fp.probe("B", against=["brier"], properties=["probabilities"], largest=5))
    assert all(name in mixed for name in NAMES) and "do not apply" not in mixed
    alone = ok("probe", "B", "pk", "--properties", "probabilities", "--largest", "5", "--markdown")
    assert all(name in alone for name in NAMES)


def test_cards_are_on_the_page_in_csv_and_in_text(tmp_path):
    words = ("probe", "brier", "--against", "B", "--properties", "probabilities", "--largest", "5")
    out = ok(*words, cwd=tmp_path)
    for name in NAMES:
        assert name[:20] in out
    rows = csv_rows(ok(*words, "--csv", cwd=tmp_path))
    assert [row["property"] for row in rows] == NAMES * 2
    assert all(row["detail"] for row in rows)
    ok(*words, "--html", "p.html", "-o", "o.txt", cwd=tmp_path, notes=True)
    page = (tmp_path / "p.html").read_text(encoding="utf-8")
    assert "Probabilities of boundaries" in page
    assert "towards the truth" in page.lower()
    assert "it reads no probabilities" not in page  # a dash says so for every property
    curves = json.loads(ok(*words, "--json", cwd=tmp_path))["curves"]
    assert {curve["curve"] for curve in curves} == {
        "towards the truth", "probability off its position"
    }  # fmt: skip


@pytest.mark.parametrize("costs", ["levels", "levels:section<chapter<part"])
def test_prices_of_levels_have_types_to_be_seen(costs):
    card = fp.probe(f"Sf:costs={costs}", properties=["types"])
    assert [answer.verdict for answer in card] == ["yes", "yes", "yes"]
    assert all(row["detail"] for row in card.rows)
