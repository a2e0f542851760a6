"""alpha_U and gamma: agreement on segments as units, beside their formulas and another tool."""

import json
import random
import shlex
from fractions import Fraction
from itertools import accumulate, pairwise
from pathlib import Path

import numpy as np
import pytest

import fencepost as fp
from fencepost import _core
from fencepost.coders.annotations import Annotations
from fencepost.coders.unitizing import AlphaU, left_out
from oracle import unitizing
from support import run, signatures_in

GOLDEN = Path(__file__).parent.parent / "golden" / "gamma.json"


def masses(rng, units, segments):
    ends = [0, *sorted(rng.sample(range(1, units), segments - 1)), units]
    return [b - a for a, b in pairwise(ends)]


def columns(texts):
    """Texts as the kernels take them: where segments end, offsets of annotators and of texts."""
    ends, offsets, bounds = [], [0], [0]
    for text in texts:
        for own in text:
            ends += accumulate(own)
            offsets.append(len(ends))
        bounds.append(len(offsets) - 1)
    return tuple(np.array(one, dtype=np.int64) for one in (ends, offsets, bounds))


def value(corpus, coefficient, **settings):
    """One coefficient, without an interval."""
    table = fp.agreement(corpus, coefficient=coefficient, intervals=False, **settings)
    return table[0]["value"]


def drawn(seed, texts=4, most=5):
    """Texts with two annotators or more, not always the same, as masses."""
    rng = random.Random(seed)
    corpus = {}
    for number in range(texts):
        units = rng.randrange(6, 24)
        names = rng.sample("abcde", rng.randrange(2, most))
        corpus[f"t{number}"] = {n: masses(rng, units, rng.randrange(1, 6)) for n in sorted(names)}
    return corpus


# alpha_U.


@pytest.mark.parametrize("seed", range(8))
def test_alpha_u_is_the_printed_formula(seed):
    corpus = drawn(seed)
    texts = [[unitizing.units(own) for own in coders.values()] for coders in corpus.values()]
    assert value(corpus, "alpha_U") == pytest.approx(float(unitizing.alpha_u(texts)), rel=1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_boundary_types_are_categories_of_the_segments_they_end(seed):
    rng = random.Random(seed)
    names, corpus, texts = ("x", "y"), {}, []
    for number in range(3):
        units, coders, found = rng.randrange(6, 24), {}, []
        for name in "abc":
            own = masses(rng, units, rng.randrange(1, 6))
            last = rng.choice([True, False])  # whether the end of the text has a type
            ends = list(accumulate(own))[: len(own) if last else len(own) - 1]
            kinds = [rng.randrange(2) for _ in ends]
            coders[name] = fp.Segmentation(units, ends, [k + 1 for k in kinds], names)
            labels = [names[k] for k in kinds] + ["none"] * (not last)
            found.append(unitizing.units(own, labels))
        corpus[f"t{number}"] = coders
        texts.append(found)
    assert value(corpus, "alpha_U") == pytest.approx(float(unitizing.alpha_u(texts)), rel=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_without_gaps_expected_is_every_two_segments_moved_past_each_other(seed):
    # What alpha_U gives for unlabelled full partitions, derived: without gaps only ends count.
    rng = random.Random(seed)
    units = rng.randrange(3, 20)
    coders = [unitizing.units(masses(rng, units, rng.randrange(1, 4))) for _ in range(3)]
    assert unitizing.placed(coders) == unitizing.disagreements(coders, "")[1]


def test_alpha_u_by_hand():
    # Of 10 units one annotator makes 5+5, the other 4+6. The first segments differ by 0 and 1, the
    # second by 1 and 0, and 5+5 overlaps the wrong one by a unit: 4 and 5. Both orders, over 2 L^2.
    text = [unitizing.units([5, 5]), unitizing.units([4, 6])]
    observed, expected = unitizing.disagreements(text, "")
    assert observed == Fraction(2 * (1 + 1 + 4**2 + 5**2), 2 * 100)
    sums = sum(2 * s**3 - 3 * s**2 + s for s in (5, 5, 4, 6))
    below = 20 * 19 - (20 + 20 + 12 + 30)
    assert expected == Fraction(2, 10) * Fraction(3, 3) * sums / below
    corpus = {"t": {"a": [5, 5], "b": [4, 6]}}
    assert value(corpus, "alpha_U") == pytest.approx(float(1 - observed / expected), rel=1e-14)


def test_alpha_u_of_texts_without_boundaries_is_1_and_of_one_unit_undefined():
    assert value({"t": {"a": [9], "b": [9]}}, "alpha_U") == 1
    assert np.isnan(value({"t": {"a": [1], "b": [1]}}, "alpha_U"))


def test_long_texts_are_exact_and_longer_ones_refused():
    long = {"t": {"a": [2**31, 2**31 - 9], "b": [2**30, 3 * 2**30 - 9]}}
    texts = [[unitizing.units(own) for own in long["t"].values()]]
    assert value(long, "alpha_U") == pytest.approx(float(unitizing.alpha_u(texts)), rel=1e-14)
    with pytest.raises(fp.MetricError, match=r"fewer than 2\^32 units, found 4294967296"):
        value({"t": {"a": [2**31, 2**31], "b": [2**32]}}, "alpha_U")


# Gamma.


@pytest.mark.parametrize("annotators", [2, 3])
def test_the_best_alignment_of_short_texts_is_the_best_of_all(annotators):
    rng = random.Random(annotators)
    most = 5 if annotators == 2 else 3  # segments: every alignment is tried
    for _ in range(40):
        units = rng.randrange(2, 25)
        counts = [rng.randrange(1, min(units, most) + 1) for _ in range(annotators)]
        text = [masses(rng, units, count) for count in counts]
        spans = [[(start, end) for start, end, _ in unitizing.units(own)] for own in text]
        ((found, bound),) = _core.alignment_disorder(*columns([text]))
        best = float(unitizing.disorder(spans))
        assert found == pytest.approx(best, abs=1e-12)
        assert bound <= best + 1e-12


def test_the_best_alignments_of_pygamma_agreement():
    # It finds them by integer programming; what ours says of more than two annotators is a search.
    golden = json.loads(GOLDEN.read_text(encoding="utf-8"))["texts"]
    rows = _core.alignment_disorder(*columns([one["segments"] for one in golden]))
    same = 0
    for one, (found, bound) in zip(golden, rows.tolist(), strict=True):
        mean = np.mean([len(own) for own in one["segments"]])
        best = one["disorder"] * mean
        assert bound <= best + 1e-3
        assert best - 1e-3 <= found <= 1.06 * best + 1e-3
        same += found <= best + 1e-3
        if len(one["segments"]) == 2:
            assert found == pytest.approx(best, abs=1e-3)
    assert len(golden) == 64
    assert same >= 62


def test_gamma_is_1_less_observed_over_expected_disorder():
    corpus = drawn(3)
    row = fp.agreement(corpus, coefficient="gamma", intervals=False)[0]
    texts = [list(coders.values()) for coders in corpus.values()]
    disorder = _core.alignment_disorder(*columns(texts))[:, 0].sum()
    mean = sum(np.mean([len(own) for own in text]) for text in texts)
    assert row["observed"] == pytest.approx(1 - disorder / mean, rel=1e-12)
    assert row["value"] == pytest.approx(1 - (1 - row["observed"]) / (1 - row["expected"]))
    assert row["standard_error"] > 0
    assert "chance:" in row["signature"]
    assert row["signature"].context.coefficient == "gamma"


def test_alignments_that_may_not_be_the_best_say_what_gamma_could_be():
    table = fp.agreement(drawn(0), coefficient="gamma", intervals=False)
    (said,) = [note for note in table.notes if note.startswith("gamma takes the best alignments")]
    highest = float(said.split()[-3])  # it would be .023 at most
    assert table[0]["value"] < highest < 1
    sure = fp.agreement({"t": {"a": [5, 4], "b": [4, 5]}}, coefficient="gamma", intervals=False)
    assert not any("better ones" in note for note in sure.notes)


def test_gamma_of_texts_without_boundaries_is_undefined():
    assert np.isnan(value({"t": {"a": [9], "b": [9]}}, "gamma"))


# Both.


@pytest.mark.parametrize("coefficient", ["alpha_U", "gamma"])
def test_annotators_who_agree_have_1(coefficient):
    alike = {"t": [5, 4, 3], "more": [3, 2, 7, 4], "whole": [6]}
    corpus = {text: dict.fromkeys("abc", own) for text, own in alike.items()}
    assert value(corpus, coefficient) == 1


@pytest.mark.parametrize("coefficient", ["alpha_U", "gamma"])
def test_neither_names_nor_the_order_of_annotators_count(coefficient):
    corpus = drawn(5)
    turned = {
        text: {f"new {name}": own for name, own in reversed(coders.items())}
        for text, coders in corpus.items()
    }
    assert value(corpus, coefficient) == pytest.approx(value(turned, coefficient), abs=1e-12)


def test_alpha_u_is_the_same_backwards():
    corpus = drawn(6)
    turned = {t: {n: own[::-1] for n, own in coders.items()} for t, coders in corpus.items()}
    assert value(corpus, "alpha_U") == pytest.approx(value(turned, "alpha_U"), rel=1e-12)


def test_random_annotators_have_gamma_0_and_alpha_u_above_0():
    values = []
    for seed in range(5):
        rng = random.Random(seed)
        corpus = {f"t{i}": {n: masses(rng, 60, 5) for n in "abcd"} for i in range(60)}
        values.append(value(corpus, "gamma"))
    assert abs(np.mean(values)) < 3 * np.std(values) / 5**0.5 < 0.06
    # Starts and ends of texts are shared, which Krippendorff's chance does not know.
    assert value(corpus, "alpha_U") > 0.05


def test_shuffled_boundaries_of_texts_of_two_units_stay_where_they_are():
    # There is one position; the end of a text without types is none.
    rng = random.Random(3)
    corpus = {f"t{i}": {n: [1, 1] if rng.random() < 0.5 else [2] for n in "abc"} for i in range(6)}
    table = fp.agreement(corpus, coefficient="alpha_U", intervals=False)
    assert table.facts["random_alpha_u"] == pytest.approx(table[0]["value"], abs=1e-12)


def test_they_stand_in_one_table_with_intervals_and_signatures(tmp_path):
    corpus = drawn(8, texts=8, most=6)
    (tmp_path / "a.json").write_text(json.dumps(corpus))
    done = run("agree", "a.json", "--all", cwd=tmp_path)
    assert "kappa, B" in done.stdout
    lines = [line.split() for line in done.stdout.splitlines()]
    (alpha,) = [line for line in lines if line[:2] == ["alpha_U,", "segments"]]
    (gamma,) = [line for line in lines if line[:2] == ["gamma,", "segments"]]
    assert alpha[4] == gamma[4] == "to"  # of an interval
    assert "alpha_U is not 0 for random annotators" in " ".join(done.stdout.split())
    for coefficient, said in (("alpha_U", "unitizing"), ("gamma", "best alignment")):
        (signature,) = [s for s in signatures_in(done.stdout) if f"coefficient:{coefficient}|" in s]
        explained = run("metrics", signature).stdout
        assert said in explained
        command = explained.splitlines()[-1].replace("FILE", "a.json")
        assert command.startswith("fencepost agree a.json")
        again = run(*shlex.split(command)[1:], "--json", cwd=tmp_path)
        (row,) = json.loads(again.stdout)["rows"]
        assert {*row["signature"].split("|")} == {*signature.split("|")}


def test_alpha_u_without_an_annotator_is_that_of_the_others():
    corpus = drawn(9, texts=8, most=6)
    table = fp.agreement(corpus, coefficient=["alpha_U", "gamma"], interval="coders")
    for row in table.part("without").where(coefficient="alpha_U").rows:
        rest = {t: {n: m for n, m in own.items() if n != row["coder"]} for t, own in corpus.items()}
        others = {text: own for text, own in rest.items() if len(own) > 1}
        assert row["value"] == pytest.approx(value(others, "alpha_U"), rel=1e-12)


def test_one_annotator_only_is_one_sentence(tmp_path):
    (tmp_path / "a.json").write_text('{"t": [3, 4]}')
    done = run("agree", "a.json", "--all", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert "a.json has one annotator only" in done.stderr


def test_speakers_are_continua_of_their_own():
    one, two = [5, 3, 2], [4, 6]
    corpus = fp.Corpus.from_dict({
        ("t", "s"): {"a": one, "b": [4, 4, 2]}, ("t", "u"): {"a": two, "b": [5, 5]},
    })  # fmt: skip
    texts = [[unitizing.units(one), unitizing.units([4, 4, 2])],
             [unitizing.units(two), unitizing.units([5, 5])]]  # fmt: skip
    estimate = AlphaU.of(Annotations.of(corpus))
    assert estimate.value(np.ones((1, 1)))[0] == pytest.approx(float(unitizing.alpha_u(texts)))


def test_a_table_of_everything_leaves_out_what_is_too_much():
    def too_much(texts):
        return left_out(Annotations.of(fp.Corpus.from_dict(texts)))

    assert too_much({"t": {"a": [3, 4], "b": [7]}}) == {}
    many = too_much({"t": {name: [1] * 2000 for name in "abc"}})
    assert list(many) == ["gamma"]
    assert many["gamma"].startswith("gamma is skipped: texts have up to 2,000 segments")
    # Its time grows with the cube of segments: 760 took minutes, 300 take seconds.
    assert list(too_much({"t": {"a": [12] * 760, "b": [6, *[12] * 759, 6]}})) == ["gamma"]
    assert too_much({"t": {"a": [12] * 300, "b": [6, *[12] * 299, 6]}}) == {}
    assert too_much({f"t{i}": {name: [1] * 20 for name in "abc"} for i in range(1000)}) == {}
    assert list(too_much({"t": {"a": [2**31, 2**31], "b": [2**32]}})) == ["alpha_U"]
    crowd = {"t": {name: [1] * 4001 for name in "ab"}}
    with pytest.raises(fp.MetricError, match="up to 4000 segments in a text, found 4001"):
        fp.agreement(crowd, coefficient="gamma", intervals=False)


def test_what_a_table_of_everything_leaves_out_is_a_note_there_alone(monkeypatch):
    monkeypatch.setattr("fencepost.coders.unitizing.MAX_WORK_OF_GAMMA", 0)
    corpus = drawn(11)
    notes = fp.agreement(corpus, all=True, draws=4, intervals=False).notes
    assert any(note.startswith("gamma is skipped") for note in notes)
    notes = fp.agreement(corpus, metric="B", draws=4, intervals=False).notes
    assert not any("skipped" in note for note in notes)
