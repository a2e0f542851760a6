"""A gate against saved counts: fails when a system is significantly worse, text by text."""

import json

import pytest

import fencepost as fp
from fencepost.scoring.counts import from_rows
from fencepost.scoring.regression import regressions
from strategies import random_pairs
from support import run

GOLD = {f"d{i}": list(ref.masses) for i, (ref, _) in enumerate(random_pairs(3, 40, (20, 60)))}
WHOLE = {text: [sum(sizes)] for text, sizes in GOLD.items()}


@pytest.fixture
def files(tmp_path):
    """The reference, a perfect system, one without boundaries, and saved counts of the first."""
    for name, texts in (("gold", GOLD), ("good", GOLD), ("bad", WHOLE)):
        (tmp_path / f"{name}.json").write_text(json.dumps(texts), encoding="utf-8")
    done = run("score", tmp_path / "gold.json", "-i", f"sys={tmp_path / 'good.json'}", "-m", "B",
               "windowdiff", "--save", tmp_path / "saved.parquet")  # fmt: skip
    assert done.returncode == 0, done.stderr
    return tmp_path


def gated(files, system, *more):
    return run("score", files / "gold.json", "-i", f"sys={files / system}.json", "-m", "B",
               "windowdiff", "--gate", files / "saved.parquet", *more)  # fmt: skip


def test_the_same_scores_pass_and_worse_ones_fail(files):
    assert gated(files, "good").returncode == 0
    done = gated(files, "bad")
    assert done.returncode == 3
    first, second = done.stderr.strip().splitlines()[-2:]
    assert "gate: sys has boundary_similarity 0." in first and "worse than 1.000 in" in first
    assert "over 40 texts" in first and "windowdiff" in second


def test_a_limit_and_saved_counts_go_together(files):
    done = run("score", files / "gold.json", "-i", f"sys={files / 'bad'}.json", "-m", "B",
               "--gate", "B=0", files / "saved.parquet")  # fmt: skip
    assert done.returncode == 3


def counts_of(hyps, gold=GOLD, metrics="B"):
    table = fp.score(gold, hyps, metrics=metrics, intervals=False)
    return from_rows(table.part("counts").rows, "scores")


def test_a_difference_that_chance_explains_passes():
    moved = dict(GOLD)
    for text in list(GOLD)[:2]:
        moved[text] = WHOLE[text]
    assert regressions(counts_of(moved), counts_of(GOLD), "saved", "macro") == []


def test_better_is_not_worse():
    assert regressions(counts_of(GOLD), counts_of(WHOLE), "saved", "macro") == []
    assert len(regressions(counts_of(WHOLE), counts_of(GOLD), "saved", "both")) == 2


def test_only_shared_texts_are_compared():
    some = {text: GOLD[text] for text in list(GOLD)[10:]}
    old = counts_of({text: GOLD[text] for text in some}, some)
    (sentence,) = regressions(counts_of(WHOLE), old, "saved", "macro")
    assert "over 30 texts" in sentence


def test_values_are_those_of_the_shared_texts_alone():
    names = list(GOLD)
    some = names[:1] + names[15:]  # the second text, for one, is not among those that were saved
    old = counts_of({text: GOLD[text] for text in some}, {text: GOLD[text] for text in some})
    now = {text: WHOLE[text] if i % 2 else GOLD[text] for i, text in enumerate(names)}
    gold = {text: GOLD[text] for text in some}
    alone = fp.score(gold, {"s": {text: now[text] for text in some}}, metrics="B",
                     baselines=False, intervals=False)  # fmt: skip
    (sentence,) = regressions(counts_of(now), old, "saved", "macro")
    value = alone[0]["value"]
    assert 0 < value < 1
    assert f"has boundary_similarity {value:.3f}, worse than 1.000 in saved" in sentence


def test_what_cannot_be_compared_is_refused():
    now = counts_of(GOLD)
    with pytest.raises(fp.FencepostError, match="none of these metrics"):
        regressions(now, counts_of(GOLD, metrics="pk"), "saved", "macro")
    renamed = {f"x{text}": sizes for text, sizes in GOLD.items()}
    with pytest.raises(fp.FencepostError, match="none of these texts"):
        regressions(now, counts_of(renamed, renamed), "saved", "macro")
    with pytest.raises(fp.FencepostError, match="the reference has changed since saved"):
        regressions(now, counts_of(WHOLE, WHOLE), "saved", "macro")
    two = {text: {"a": sizes, "b": sizes} for text, sizes in GOLD.items()}
    for one, other in ((now, counts_of(GOLD, two)), (counts_of(GOLD, two), now)):
        with pytest.raises(fp.FencepostError, match="saved has another number of references"):
            regressions(one, other, "saved", "macro")
    both = {"a": GOLD, "b": WHOLE}
    with pytest.raises(fp.FencepostError, match="none of hypothesis"):
        regressions(now, counts_of(both), "saved", "macro")


def spans_file(folder):
    """Twenty texts whose chunks leave a gap of two characters."""
    rows = [
        {"id": f"d{i}", "ref": [[0, 40], [40, 100]], "hyp": [[0, 30 + i], [32 + i, 100]]}
        for i in range(20)
    ]
    path = folder / "t.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.mark.parametrize("more", [(), ("--strict", "--columns", "ref=ref,hyp=hyp,text=id")])
def test_counts_of_another_reading_are_not_compared(tmp_path, more):
    asked = ("score", spans_file(tmp_path), "--encoding", "spans", "-m", "B", *more)
    saved = tmp_path / "saved.parquet"
    assert run(*asked, "--gaps", "join", "--save", saved).returncode == 0
    assert run(*asked, "--gaps", "join", "--gate", saved).returncode == 0
    done = run(*asked, "--gaps", "segment", "--gate", saved)
    assert done.returncode == 1
    assert "saved with gaps:join, and these scores have gaps:segment" in done.stderr


def test_a_rule_that_is_not_needed_any_more_is_no_other_reading(tmp_path):
    asked = ("score", spans_file(tmp_path), "--encoding", "spans", "-m", "B", "--gaps", "join")
    saved = tmp_path / "saved.parquet"
    assert run(*asked, "--save", saved).returncode == 0
    path = tmp_path / "t.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for row in rows:
        row["hyp"] = row["ref"]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert run(*asked, "--gate", saved).returncode == 0


def test_texts_that_were_missing_and_counted_whole_are_another_reading():
    halved = {text: sizes for i, (text, sizes) in enumerate(GOLD.items()) if i % 2}
    whole, plain = (
        from_rows(fp.score(GOLD, hyp, metrics="B", **settings).part("counts").rows, "scores")
        for hyp, settings in ((halved, {"missing": "whole"}), (GOLD, {}))
    )
    message = "saved was saved with missing:none, and these scores have missing:whole"
    with pytest.raises(fp.FencepostError, match=message):
        regressions(whole, plain, "saved", "macro")
