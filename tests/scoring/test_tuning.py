"""Tuning: curves are those of each threshold scored by itself; folds never see their own texts."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fencepost as fp
import support
from fencepost.model.corpus import Corpus, Key
from fencepost.scoring.curves import MAX_QUANTILES, Curve, best_of, quantiles
from fencepost.scoring.threshold import Threshold
from fencepost.scoring.tuning import shortest

METRICS = ["F:tolerance=1", "pk", "windowdiff:k=2", "B", "A", "boundary_agreement"]


def drawn(
    texts: int, seed: int, speakers: tuple[str, ...] = ("",), steps: int = 12, most: int = 25
) -> tuple[Corpus, Corpus]:
    """References, and probabilities with ties that know a little of them; some texts are short."""
    rng = np.random.default_rng(seed)
    refs: dict[Key, Any] = {}
    hyps: dict[Key, Any] = {}
    for text in range(texts):
        for speaker in speakers:
            units = int(rng.integers(1, most))
            own = np.flatnonzero(rng.random(units - 1) < 0.25) + 1
            level = rng.integers(0, steps, units - 1) / steps
            level[own - 1] = np.minimum(1, level[own - 1] + rng.integers(0, 7, len(own)) / steps)
            key = Key(f"d{text}", speaker, "1")
            refs[key] = fp.Segmentation(units, own)
            hyps[key] = fp.Segmentation.from_probabilities(level.tolist())
    return Corpus.from_entries(refs, name="gold"), Corpus.from_entries(hyps, name="probs")


def scored(refs: Corpus, hyps: Corpus, metric: str, average: str = "macro") -> Any:
    (row,) = fp.score(
        refs, {"probs": hyps}, metrics=[metric], average=average,  # type: ignore[arg-type]
        baselines=False, intervals=False,
    )  # fmt: skip
    return row


@pytest.mark.slow
@given(st.integers(0, 10_000), st.sampled_from(METRICS), st.sampled_from(["macro", "micro"]),
       st.sampled_from([("",), ("a", "b")]))  # fmt: skip
@settings(max_examples=40)
def test_the_curve_has_the_score_of_every_threshold(
    seed: int, metric: str, average: Any, speakers: tuple[str, ...]
) -> None:
    refs, hyps = drawn(4, seed, speakers)
    try:
        table = fp.tune(refs, {"probs": hyps}, metrics=[metric], average=average, intervals=False)
    except fp.FencepostError:  # no probability above 0, or no value at all
        assert hyps.column.weights is None or not len(hyps.column.weights) or metric != METRICS[0]
        return
    weights = hyps.column.weights
    assert weights is not None
    curve = table.part("curve")
    assert curve.column("threshold") == sorted(set(weights.tolist()), reverse=True)
    values = []
    for row in curve:
        at = hyps.at_threshold(row["threshold"])
        own = scored(refs, at, metric, average)
        assert repr(row["value"]) == repr(own["value"])
        assert row["boundaries"] == len(at.column.values)
        values.append(own["value"])
    better = np.nanmin if table[0]["signature"].recipe.metric.better == "lower" else np.nanmax
    assert table[0]["value"] == better(values)
    again = hyps.at_threshold(table[0]["threshold"])
    assert scored(refs, again, metric, average)["value"] == table[0]["value"]


@pytest.mark.parametrize("per", ["per-100", "per-text"])
@pytest.mark.parametrize("metric", ["F", "windowdiff", "B"])
def test_the_best_positions_are_those_of_the_threshold(per: Any, metric: str) -> None:
    refs, hyps = drawn(12, 5, ("x", "y"))
    table = fp.tune(refs, {"probs": hyps}, metrics=[metric], best_positions=per)
    every = []
    for row in table.part("curve"):
        chosen = Threshold(row["threshold"], "100" if per == "per-100" else "text").apply(hyps)
        assert len(chosen.column.values) == row["boundaries"]
        assert scored(refs, chosen, metric)["value"] == row["value"]
        every.append(row["value"])
    best = min(every) if metric == "windowdiff" else max(every)
    assert table[0]["value"] == best
    assert f"threshold:{table[0]['threshold']:g}/" in table[0]["signature"]


@pytest.mark.slow
def test_cross_validation_scores_each_fold_by_the_others() -> None:
    """By hand: tune on the other texts, score the fold's texts, and average over all texts."""
    refs, hyps = drawn(11, 7)
    for metric, average in (("windowdiff", "macro"), ("B", "macro"), ("F:tolerance=1", "micro")):
        table = fp.tune(refs, {"probs": hyps}, metrics=[metric], folds=4, average=average)  # type: ignore[arg-type]
        values, parts = [], []
        for fold in table.part("folds"):
            held = [refs.text_names.find(name) for name in fold["texts"]]
            out = np.isin(refs.text_codes, held)
            rest = np.flatnonzero(~out)
            (own,) = fp.tune(refs.take(rest), {"probs": hyps.take(rest)}, metrics=[metric],
                             average=average, folds=2)  # type: ignore[arg-type]  # fmt: skip
            assert (own["threshold"], own["value"]) == (fold["threshold"], fold["value"])
            kept = hyps.take(np.flatnonzero(out)).at_threshold(fold["threshold"])
            part = fp.score(refs.take(np.flatnonzero(out)), {"probs": kept}, metrics=[metric],
                            baselines=False, intervals=False)  # fmt: skip
            values += part.part("per-text").column("value")
            parts += part.part("counts").rows
        assert len({text for fold in table.part("folds") for text in fold["texts"]}) == 11
        if average == "macro":
            known = [value for value in values if not math.isnan(value)]
            assert table[0]["cross_validated"] == math.fsum(known) / len(known)
        else:
            tp, fp_, fn = (sum(row[name] for row in parts) for name in ("tp", "fp", "fn"))
            assert table[0]["cross_validated"] == 2 * tp / (2 * tp + fp_ + fn)
        assert "|folds:4|" in table[0]["cross_signature"]
        assert "threshold:" not in table[0]["cross_signature"]


def held_out(
    units: int, above: float, texts: int = 6, size: int = 1
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Texts that want one boundary, and probabilities; the first text alone has one of ``above``.

    With ``size`` there are so many other positions with probabilities of their own in each text.
    """
    rng = np.random.default_rng(units + size)
    gold, probs = {}, {}
    for number in range(texts):
        gold[f"t{number}"] = fp.Segmentation(units, [units // 2])
        own = rng.random(units - 1) * 0.5 if size > 1 else np.full(units - 1, 0.1)
        own[rng.integers(0, units - 1, 2)] = 0.5, 0.4
        own[1] = above if number == 0 else own[1]
        probs[f"t{number}"] = fp.Segmentation.from_probabilities(own)
    return gold, probs


@pytest.mark.slow
@pytest.mark.parametrize("above", [0.99, 0.7, 0.45])
@pytest.mark.parametrize(
    ("metric", "units", "size"),
    [("pk", 7, 1), ("F", 7, 1), ("B", 7, 1), ("windowdiff", 60, 9), ("B", 60, 9), ("A", 60, 9),
     ("windowdiff:k=corpus-half-up", 7, 1), ("windowdiff:k=corpus-half-up", 60, 9)],
)  # fmt: skip
@pytest.mark.parametrize("per", [None, "per-100", "per-text"])
def test_a_fold_is_tuned_as_if_its_texts_were_not_there(
    metric: str, units: int, size: int, above: float, per: Any
) -> None:
    """Candidates come from the other texts alone: not from a probability that only it has."""
    gold, probs = held_out(units, above, size=size)
    for average in ("macro", "micro"):
        settings: dict[str, Any] = {"metrics": metric, "intervals": False, "best_positions": per,
                                    "average": average}  # fmt: skip
        table = fp.tune(gold, {"p": probs}, folds=3, **settings)
        for fold in table.part("folds"):
            rest = [name for name in gold if name not in fold["texts"]]
            (alone,) = fp.tune(
                {name: gold[name] for name in rest},
                {"p": {name: probs[name] for name in rest}}, **settings,
            )  # fmt: skip
            assert (fold["threshold"], fold["value"]) == (alone["threshold"], alone["value"])


@pytest.mark.parametrize("metric", ["F", "pk", "B"])
def test_folds_choose_among_all_probabilities_of_the_others(metric: str) -> None:
    refs, hyps = drawn(9, 4, steps=10**6, most=300)  # more than are counted one by one for B
    table = fp.tune(refs, {"probs": hyps}, metrics=[metric], folds=3, intervals=False)
    assert len(np.unique(hyps.column.weights)) > 3 * MAX_QUANTILES
    for fold in table.part("folds"):
        out = np.isin(refs.text_codes, [refs.text_names.find(name) for name in fold["texts"]])
        rest = np.flatnonzero(~out)
        (own,) = fp.tune(refs.take(rest), {"probs": hyps.take(rest)}, metrics=[metric], folds=2,
                         intervals=False)  # fmt: skip
        assert (own["threshold"], own["value"]) == (fold["threshold"], fold["value"])


def test_numbers_per_100_units_are_rounded_half_up() -> None:
    """Every number of units below 400, at every decimal number that is half a boundary."""
    halves = 0
    for units in range(2, 400):
        weights = np.arange(units - 1, 0, -1) / units
        corpus = Corpus.from_dict({"t": fp.Segmentation.from_probabilities(weights)})
        for boundaries in range(units - 1):
            exact = Fraction(2 * boundaries + 1, 2) * 100 / units
            rest = exact.denominator
            for prime in (2, 5):
                while rest % prime == 0:
                    rest //= prime
            if rest > 1 or exact > 100:
                continue  # no decimal number
            places = next(d for d in range(30) if (exact * 10**d).denominator == 1)
            said = f"{int(exact * 10**places):0{places + 1}d}"
            said = f"{said[: len(said) - places]}.{said[len(said) - places :]}".rstrip(".")
            assert Fraction(said) == exact
            threshold = Threshold.parse(f"{said}/100")
            assert len(threshold.apply(corpus).column.values) == boundaries + 1
            halves += 1
    assert halves > 1000
    for units, number, wanted in ((24, "31.25", 8), (11, "50", 6)):
        weights = np.arange(units - 1, 0, -1) / units
        corpus = Corpus.from_dict({"t": fp.Segmentation.from_probabilities(weights)})
        assert len(Threshold.parse(f"{number}/100").apply(corpus).column.values) == wanted


def test_any_number_per_100_units_sets_what_the_formula_says() -> None:
    """floor(N units / 100 + 1/2) of the most probable positions, for whole and broken N."""
    rng = np.random.default_rng(5)
    for _ in range(300):
        units = int(rng.integers(2, 300))
        said = f"{rng.integers(0, 2000)}.{rng.integers(0, 100):02d}".rstrip("0").rstrip(".")
        number = Fraction(said)
        if number == 0:
            continue
        wanted = math.floor(number * units / 100 + Fraction(1, 2))
        corpus = Corpus.from_dict({"t": fp.Segmentation.from_probabilities(rng.random(units - 1))})
        kept = Threshold.parse(f"{said}/100").apply(corpus).column.values
        assert len(kept) == min(wanted, units - 1)


def test_positions_with_a_probability_of_0_are_never_boundaries(tmp_path: Path) -> None:
    """The reading line says so where fewer positions have any probability than are asked for."""
    (tmp_path / "g.json").write_text('{"a": [2, 4]}')
    (tmp_path / "p.json").write_text('{"a": [0, 0.7, 0, 0.2, 0]}')
    done = support.run("score", "g.json", "-i", "p.json", "--encoding", "bits", "--threshold",
                       "3/text", "-m", "F", cwd=tmp_path)  # fmt: skip
    said = " ".join(done.stdout.split())
    assert "1 at the 3 most probable positions per text that are above 0" in said
    corpus = Corpus.from_dict({"a": fp.Segmentation.from_probabilities([0, 0.7, 0, 0.2, 0])})
    assert Threshold.parse("3/text").apply(corpus)["a"].cuts.tolist() == [2, 4]


def test_neither_the_order_of_texts_nor_of_systems_matters() -> None:
    refs, hyps = drawn(10, 3)
    order = np.random.default_rng(1).permutation(10)
    one = fp.tune(refs, {"probs": hyps}, metrics=["F"])
    two = fp.tune(refs.take(order), {"probs": hyps.take(order)}, metrics=["F"])
    assert one.rows == two.rows


def test_groups_stay_together() -> None:
    refs, hyps = drawn(12, 4)
    group = {f"d{i}": f"g{i % 6}" for i in range(12)}
    table = fp.tune(refs, {"probs": hyps}, metrics=["F"], group=group, folds=3)
    for fold in table.part("folds"):
        names = {group[text] for text in fold["texts"]}
        assert {text for text in group if group[text] in names} == set(fold["texts"])
    assert "|group:given|" in table[0]["signature"]


def test_the_interval_of_the_threshold_is_that_of_tuning_resamples() -> None:
    """With few distinct probabilities every resample can be tuned by hand."""
    from fencepost.statistics.resampling import resamples

    refs, hyps = drawn(9, 8, steps=4)
    table = fp.tune(refs, {"probs": hyps}, metrics=["windowdiff"], resamples=200)
    thresholds = table.part("curve").column("threshold")
    values = np.array([
        [row["value"] for row in fp.score(refs, {"p": hyps.at_threshold(t)}, metrics="windowdiff",
                                          baselines=False).part("per-text")]
        for t in thresholds
    ])  # fmt: skip
    weights = resamples(12345, 9, 200)
    known = ~np.isnan(values[0])
    means = (weights[:, known] @ values[:, known].T) / weights[:, known].sum(axis=1)[:, None]
    chosen = np.array(thresholds)[np.argmin(np.round(means, 12), axis=1)]
    low, high = np.quantile(-chosen, [0.025, 0.975], method="inverted_cdf")
    best = table[0]["threshold"]
    ends = min(-high, best), max(-low, best)
    assert (table[0]["threshold_low"], table[0]["threshold_high"]) == ends


@given(st.floats(0, 1), st.floats(0, 1))
def test_the_shortest_number_keeps_its_side(one: float, two: float) -> None:
    low, high = sorted((one, two))
    if low < high:
        number = shortest(low, high)
        assert low < number <= high
        digits = len(repr(number))
        assert all(not low < round(x, 1) <= high for x in np.arange(0, 1.05, 0.1)) or digits <= 3


@pytest.mark.slow
def test_a_good_threshold_has_a_cross_validated_score_below_the_fitted_one() -> None:
    """Over many sets the fitted score is too good, and the cross-validated one is not."""
    fitted, cross, fresh = [], [], []
    for seed in range(25):
        refs, hyps = drawn(8, seed, steps=100)
        others = drawn(8, 1000 + seed, steps=100)
        (row,) = fp.tune(refs, {"probs": hyps}, metrics=["F"], intervals=False)
        fitted.append(row["value"])
        cross.append(row["cross_validated"])
        fresh.append(scored(others[0], others[1].at_threshold(row["threshold"]), "F")["value"])
    assert np.mean(fitted) > np.mean(fresh) + 0.01
    assert abs(np.mean(cross) - np.mean(fresh)) < np.mean(fitted) - np.mean(fresh)


# What cannot be tuned.


def test_what_has_no_probabilities_is_refused() -> None:
    refs = {"a": [2, 2], "b": [3, 1]}
    with pytest.raises(
        fp.FencepostError, match=r"hypothesis has no probabilities.*--probabilities"
    ):
        fp.tune(refs, refs)


def test_several_annotators_are_refused() -> None:
    refs = {"a": {"x": [2, 2], "y": [3, 1]}}
    hyps = {"a": fp.Segmentation.from_probabilities([0.1, 0.2, 0.3])}
    with pytest.raises(fp.FencepostError, match=r"2 annotators .x, y.*--coders.*--consensus"):
        fp.tune(refs, hyps)


def test_one_text_has_no_cross_validation() -> None:
    hyps = {"a": fp.Segmentation.from_probabilities([0.1, 0.2, 0.3])}
    table = fp.tune({"a": [2, 2]}, hyps, metrics="F")
    assert table[0]["cross_validated"] is None and not len(table.part("folds"))
    assert any("no cross-validation" in note and "one text" in note for note in table.notes)


def test_a_metric_without_a_value_is_refused() -> None:
    hyps = {"a": fp.Segmentation.from_probabilities([0.1, 0.2, 0.3])}
    why = r"windowdiff has no value at any threshold of hypothesis \(k must be less than the "
    with pytest.raises(fp.FencepostError, match=why):
        fp.tune({"a": [2, 2]}, hyps, metrics="windowdiff:k=9")


def test_several_thresholds_do_not_fit_into_one_file(tmp_path: Path) -> None:
    refs, hyps = drawn(6, 1)
    with pytest.raises(fp.FencepostError, match=r"1 system and 2 metrics.*-m boundary_f"):
        fp.tune(refs, hyps, metrics=["F", "B"], write=tmp_path / "t.json")


def test_no_boundaries_at_all_can_be_better() -> None:
    hyps = {"a": fp.Segmentation.from_probabilities([0.9, 0.1, 0.1])}
    table = fp.tune({"a": [3, 1]}, hyps, metrics="boundary_agreement")
    assert any("than no boundaries at all" in note for note in table.notes)


# Files and the command line.


def write(folder: Path, name: str, rows: dict[str, list[float]]) -> str:
    lines = [json.dumps({"id": key, "labels": row}) for key, row in rows.items()]
    (folder / name).write_text("\n".join(lines) + "\n")
    return name


@pytest.fixture
def files(tmp_path: Path) -> Path:
    rng = np.random.default_rng(2)
    for side in ("dev", "test"):
        gold, probs = {}, {}
        for text in range(8):
            marks = (rng.random(20) < 0.2).astype(int)
            marks[-1] = 1
            gold[f"{side}{text}"] = marks.tolist()
            probs[f"{side}{text}"] = np.clip(0.4 * marks + rng.random(20) * 0.6, 0, 1).tolist()
        write(tmp_path, f"{side}.jsonl", gold)
        write(tmp_path, f"{side}.probs.jsonl", probs)
    return tmp_path


def test_from_the_command_line_to_a_score(files: Path) -> None:
    done = support.run("tune", "dev.jsonl", "-i", "bert=dev.probs.jsonl", "--flags", "last", "-m",
                       "B", "-o", "t.json", cwd=files)  # fmt: skip
    assert done.returncode == 0, done.stderr
    pasted = "fencepost score REF -i HYP --threshold t.json --flags last"
    assert f"written: t.json ({pasted})" in done.stdout
    assert "B ↑" in done.stdout and "cross-validated" in done.stdout
    assert max(map(len, done.stdout.partition("\n\n")[2].partition("\n\n")[0].splitlines())) <= 80
    made = json.loads((files / "t.json").read_text())
    assert made["tuned"].startswith("boundary_similarity@")
    here = support.run("score", "dev.jsonl", "-i", "bert=dev.probs.jsonl", "--flags", "last", "-m",
                       "B", "--threshold", "t.json", "--json", cwd=files)  # fmt: skip
    shown = json.loads(here.stdout)
    assert shown["rows"][0]["value"] == made["value"]
    assert shown["rows"][0]["signature"] == made["signature"]
    assert any("tuned on these references" in note for note in shown["notes"])
    test = support.run("score", "test.jsonl", "-i", "test.probs.jsonl", "--flags", "last", "-m",
                       "B", "--threshold", "t.json", cwd=files)  # fmt: skip
    assert f"|threshold:{made['threshold']}|tuned:{made['tuned']}|" in test.stdout
    assert "tuned on these references" not in test.stdout
    signature = next(x for x in test.stdout.splitlines() if x.startswith("boundary_similarity|"))
    again = support.run("score", "test.jsonl", "-i", "test.probs.jsonl", "--signature", signature,
                        cwd=files)  # fmt: skip
    assert again.returncode == 0, again.stderr
    explained = support.run("metrics", signature)
    assert f"the best by boundary_similarity on the references {made['reference_fingerprint']}" in (
        " ".join(explained.stdout.split())
    )


def test_a_reference_never_loses_boundaries_to_a_threshold(files: Path) -> None:
    """What has no probabilities stays as it is, with a file as with a number."""
    (files / "t.json").write_text('{"schema": 1, "threshold": "0.45", "tuned": "pk@1"}')
    shown = [
        support.run("score", "test.jsonl", "-i", "test.probs.jsonl", "--flags", "last",
                    "--threshold", threshold, "--json", cwd=files).stdout
        for threshold in ("0.45", "t.json")
    ]  # fmt: skip
    values = [[row["value"] for row in json.loads(one)["rows"]] for one in shown]
    assert values[0] == values[1]


def test_the_most_probable_positions_can_be_asked_for(files: Path) -> None:
    done = support.run("score", "test.jsonl", "-i", "test.probs.jsonl", "--flags", "last",
                       "--threshold", "4/text", "--json", "-m", "F", cwd=files)  # fmt: skip
    (row, *_) = json.loads(done.stdout)["rows"]
    corpus = fp.read(files / "test.probs.jsonl", threshold="4/text", flags="last")
    assert corpus.column.counts.tolist() == [4] * 8
    assert "threshold:4/text" in row["signature"]
    explained = support.run("metrics", row["signature"])
    said = "the 4 most probable positions per text that are above 0 were boundaries"
    assert said in " ".join(explained.stdout.split())


@pytest.mark.parametrize(
    ("threshold", "message"),
    [
        ("nothing.json", "threshold must be a number above 0 and at most 1, a file"),
        ("0", "threshold must be"),
        ("2", "threshold must be"),
        ("dev.jsonl", "dev.jsonl is no threshold: give a number"),
        ("0/text", "threshold must be"),
    ],
)
def test_a_wrong_threshold_is_refused(files: Path, threshold: str, message: str) -> None:
    done = support.run("score", "test.jsonl", "-i", "test.probs.jsonl", "--flags", "last",
                       "--threshold", threshold, cwd=files)  # fmt: skip
    assert done.returncode in (1, 2) and message in done.stderr, done.stderr


@pytest.mark.parametrize(
    "text",
    ["[]", "{}", '{"threshold": "2", "tuned": "x"}', '{"threshold": 0.5}', "1" * 5000,
     '{"threshold": "nan", "tuned": ""}', '{"threshold": [1], "tuned": ""}', "\x00", "[" * 99999,
     '{"schema": 9, "threshold": "0.4", "tuned": "pk@1"}',
     '{"schema": 1, "threshold": "0.4", "tuned": "pk@1|avg:micro"}'],
)  # fmt: skip
def test_a_broken_file_of_a_threshold_is_refused(files: Path, text: str) -> None:
    (files / "t.json").write_text(text)
    done = support.run("score", "test.jsonl", "-i", "test.probs.jsonl", "--flags", "last",
                       "--threshold", "t.json", cwd=files)  # fmt: skip
    assert done.returncode == 1 and "t.json is no threshold" in done.stderr, done.stderr


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ({"threshold": 1}, "its threshold is 1, and its signature has "),
        ({"threshold": "4/text"}, "its threshold is 4/text, and its signature has "),
        ({"tuned": "pk@1"}, "its tuned is pk@1, and its signature has "),
        ({"metric": "pk"}, "it was tuned by boundary_f@"),
        ({"reference_fingerprint": "0"}, "it was tuned by boundary_f@"),
        ({"threshold_low": 0.99999, "threshold_high": 1.0}, "which is not from 0.99999 to 1.0"),
        ({"threshold_low": "a"}, "which is not from 'a' to "),
    ],
)
def test_a_file_of_a_threshold_agrees_with_its_own_signature(
    files: Path, cells: dict[str, Any], said: str
) -> None:
    support.ok("tune", "dev.jsonl", "-i", "dev.probs.jsonl", "-m", "F", "--flags", "last", "-q",
       "-o", "t.json", cwd=files, notes=True)  # fmt: skip
    found = json.loads((files / "t.json").read_text())
    words = ("score", "test.jsonl", "-i", "test.probs.jsonl", "--flags", "last", "--threshold")
    support.ok(*words, "t.json", cwd=files, notes=True)
    (files / "t.json").write_text(json.dumps(found | cells))
    done = support.run(*words, "t.json", cwd=files)
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.startswith("fencepost: t.json contradicts itself: ")
    assert said in done.stderr and done.stderr.count("\n") == 1


def test_a_threshold_for_files_without_probabilities_is_refused(files: Path) -> None:
    for threshold in ("4/text", "0.5"):
        done = support.run("score", "test.jsonl", "-i", "test.jsonl", "--flags", "last",
                           "--threshold", threshold, cwd=files)  # fmt: skip
        assert done.returncode == 2 and "--threshold does not apply" in done.stderr, done.stderr


def test_tune_says_what_is_wrong_with_its_options(files: Path) -> None:
    for words, message in (
        (["--threshold", "0.5"], "--threshold is what fencepost tune finds: remove it"),
        (["--table", "curve"], "--table goes with --csv"),
        (["--folds", "1"], "folds must be a whole number from 2"),
        (["-o", "t.json"], "1 system and 4 metrics"),
        (["-m", "bleu"], "bleu measures words"),
    ):
        done = support.run("tune", "dev.jsonl", "-i", "dev.probs.jsonl", "--flags", "last", *words,
                           cwd=files)  # fmt: skip
        assert done.returncode == 2 and message in done.stderr, (words, done.stderr)
    plain = support.run("tune", "dev.jsonl", "-i", "dev.jsonl", "--flags", "last", cwd=files)
    assert plain.returncode == 2 and "probabilities" in plain.stderr, plain.stderr


@pytest.mark.parametrize("form", ["--json", "--markdown", "--latex", "--csv"])
def test_every_form_has_the_threshold(files: Path, form: str) -> None:
    done = support.run("tune", "dev.jsonl", "-i", "dev.probs.jsonl", "--flags", "last", "-m", "pk",
                       form, cwd=files)  # fmt: skip
    assert done.returncode == 0, done.stderr
    table = fp.tune(
        fp.read(files / "dev.jsonl", flags="last"),
        fp.read(files / "dev.probs.jsonl", flags="last", probabilities=True),
        metrics="pk",
    )
    assert f"{table[0]['threshold']:g}" in done.stdout
    if form == "--json":
        assert {"folds", "points"} <= json.loads(done.stdout).keys()


@pytest.mark.slow
def test_the_curve_as_csv_page_and_plot(files: Path) -> None:
    done = support.run("tune", "dev.jsonl", "-i", "dev.probs.jsonl", "--flags", "last", "-m", "pk",
                       "F", "--csv", "--table", "curve", "--html", "t.html", "--plot", "t.svg",
                       cwd=files)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("system,metric,threshold,boundaries,value,signature\n")
    page = (files / "t.html").read_text()
    assert page.count("<figure>") == 2 and "At every threshold" in page
    assert "threshold" in (files / "t.svg").read_text()


def test_certain_boundaries_have_no_threshold(files: Path) -> None:
    write(files, "sure.jsonl", {f"dev{text}": [0.0] * 19 + [1.0] for text in range(8)})
    done = support.run("tune", "dev.jsonl", "-i", "sure.jsonl", "--flags", "last", cwd=files)
    assert done.returncode == 2 and "every probability of sure is 0 or 1" in done.stderr


def test_a_page_can_have_thresholds_that_are_almost_one(files: Path) -> None:
    rows = {"a": [1e-17, 5e-324, 1e-320, 0.1, 1.0] * 3, "b": [0.1, 1.0]}
    write(files, "odd.probs.jsonl", rows)
    write(files, "odd.jsonl", {key: [0] * (len(row) - 1) + [1] for key, row in rows.items()})
    done = support.run("tune", "odd.jsonl", "-i", "odd.probs.jsonl", "--flags", "last", "-m", "pk",
                       "--html", "odd.html", cwd=files)  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_the_curve_can_be_drawn_on_axes() -> None:
    figure = pytest.importorskip("matplotlib.figure")
    refs, hyps = drawn(6, 2)
    table = fp.tune(refs, {"probs": hyps}, metrics=["F", "pk"], intervals=False)
    ax = figure.Figure().subplots()
    fp.plot.curves(ax, table.part("curve"))
    assert [line.get_label() for line in ax.lines] == ["boundary_f", "pk"]
    assert ax.get_xlabel() == "threshold"


def test_the_best_is_the_least_or_the_greatest_and_the_first_of_equals():
    values = np.array([2.0, np.nan, 1.0, 3.0, 1.0, 3.0])
    lower, higher = "".join(["low", "er"]), "".join(["high", "er"])
    assert (best_of(values, lower), best_of(values, higher)) == (2, 3)
    assert (best_of(values, lower, [0, 3, 5]), best_of(values, higher, [1, 0, 4])) == (0, 0)
    assert best_of(np.array([np.nan]), lower) == -1


@pytest.mark.parametrize("count", [2, 5, 200])
def test_keys_are_thinned_out_by_rank_with_both_ends(count):
    for size in (1, count - 1, count, count + 1, 3 * count):
        keys = np.arange(float(size)) ** 2
        found = quantiles(keys, count)
        assert len(found) == min(size, count)
        assert (found[0], found[-1]) == (keys[0], keys[-1])
        steps = np.diff(np.searchsorted(keys, found))
        assert not len(steps) or steps.max() - steps.min() <= 1


def test_what_needs_no_threshold_is_not_tuned() -> None:
    refs, hyps = drawn(6, 1)
    for metric in ("AP", "Brier"):
        with pytest.raises(fp.FencepostError, match=r"needs no threshold: fencepost score REF -i"):
            fp.tune(refs, {"probs": hyps}, metrics=["F", metric])


def test_the_step_of_each_text_at_a_key_is_the_last_one_before_it() -> None:
    rng = np.random.default_rng(5)
    for texts in range(1, 9):
        steps = [np.append(-np.inf, np.unique(rng.integers(0, 9, rng.integers(0, 7)) / 8))
                 for _ in range(texts)]  # fmt: skip
        texts_of = np.repeat(np.arange(texts), [len(own) for own in steps])
        keys = np.concatenate(steps)
        counts = np.zeros((len(keys), 1), np.int64)
        curve = Curve(fp.parse("F"), texts_of, keys, counts, texts)
        asked = np.append(np.unique(keys), [0.05, 0.3, 2.0])
        first = np.cumsum([0, *map(len, steps)])
        wanted = [
            [first[t] + np.flatnonzero(steps[t] <= key).max(initial=-1) for key in asked]
            for t in range(texts)
        ]
        assert curve.rows_at(asked).tolist() == np.array(wanted).tolist()
