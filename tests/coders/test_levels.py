"""Agreement on every level of a hierarchy, and on the whole."""

import random

import pytest

import fencepost as fp
import support
from support import csv_rows

NAMES = ["1", "2", "3"]


@pytest.fixture(scope="module")
def corpus():
    """Three annotators who mostly agree on eight texts."""
    rng = random.Random(3)
    texts = {}
    for number in range(8):
        base = {cut: rng.randint(1, 3) for cut in rng.sample(range(1, 30), 8)}
        texts[f"t{number}"] = {}
        for coder in "abc":
            own = {
                min(29, cut + rng.choice([0, 0, 1])): rng.choice([level, level, 2])
                for cut, level in base.items()
                if rng.random() < 0.85
            }
            cuts = sorted(own)
            texts[f"t{number}"][coder] = fp.Segmentation(30, cuts, [own[c] for c in cuts], NAMES)
    return fp.Corpus.from_dict(texts)


@pytest.mark.parametrize("metric", ["B", "Sf", "F"])
def test_a_level_agrees_as_the_flat_segmentations_it_is(corpus, metric):
    table = fp.agreement(corpus, metric=metric, headline=True)
    part = table.part("levels")
    assert list(dict.fromkeys(part.column("level"))) == [*NAMES, "total"]
    for level in NAMES:
        alone = fp.agreement(corpus.at(level), metric=metric, headline=True)
        own = part.where(level=level)
        for column in ("coefficient", "value", "low", "high", "expected", "signature"):
            assert own.column(column) == alone.column(column)
        assert own[0]["signature"].fields["levels"] == level
    whole = [{k: v for k, v in row.items() if k != "level"} for row in part.where(level="total")]
    assert whole == table.to_dicts()


def test_the_command_has_rows_for_every_level_and_a_total(corpus, tmp_path):
    fp.write(corpus, tmp_path / "levels.jsonl")
    done = support.run("agree", "levels.jsonl", "--by", "level", cwd=tmp_path)
    assert done.returncode == 0
    first = [line.split()[0] for line in done.stdout.splitlines() if "pi*, S" in line]
    assert first == ["pi*,", "1", "2", "3", "total"]
    rows = csv_rows(support.run("agree", "levels.jsonl", "--by", "level", "--csv",
                                cwd=tmp_path).stdout)  # fmt: skip
    table = fp.agreement(corpus).part("levels")
    assert [float(row["value"]) for row in rows] == pytest.approx(table.column("value"))
    for form in ("--markdown", "--latex", "--json"):
        assert (
            support.run("agree", "levels.jsonl", "--by", "level", form, cwd=tmp_path).returncode
            == 0
        )


def test_levels_of_several_metrics_are_together_and_the_total_is_last(corpus, tmp_path):
    fp.write(corpus, tmp_path / "levels.jsonl")
    done = support.run("agree", "levels.jsonl", "-m", "T", "B", "--by", "level", "--csv",
                       cwd=tmp_path)  # fmt: skip
    levels = [row["level"] for row in csv_rows(done.stdout)]
    assert levels == sorted(levels)  # 1, 2, 3, total
    assert levels.count("1") == 3
    assert levels.count("total") == 4  # T has no value on one level


def test_levels_are_refused_where_no_coefficient_has_one(corpus, tmp_path):
    fp.write(corpus, tmp_path / "levels.jsonl")
    score = support.run("score", "levels.jsonl", "-i", "levels.jsonl:hyp=a", "-m", "T",
                        "--by", "level", cwd=tmp_path)  # fmt: skip
    agree = support.run("agree", "levels.jsonl", "-m", "T", "--chance", "shuffle", "--by", "level",
                        cwd=tmp_path)  # fmt: skip
    for done, flat in ((score, "windowdiff"), (agree, "B")):
        assert done.returncode == 2
        assert done.stdout == ""
        assert done.stderr == (
            "fencepost: by='level' (--by level): T compares whole hierarchies and has no value on "
            f"one level; add a metric of flat segmentations, such as -m {flat}\n"
        )
    # Alpha and pi* stand beside T where nothing else is asked for, and both have levels.
    usual = support.run("agree", "levels.jsonl", "-m", "T", "--by", "level", "--csv", cwd=tmp_path)
    assert {row["level"] for row in csv_rows(usual.stdout)} == {"1", "2", "3", "total"}


@pytest.mark.parametrize("metric", ["pk", "windowdiff", "WDL"])
def test_windows_of_the_reference_are_no_agreement(corpus, metric):
    with pytest.raises(fp.MetricError, match=r"needs a symmetric similarity .* or T or L of hier"):
        fp.agreement(corpus, metric=metric)


def test_annotations_without_levels_are_refused_before_anything_is_printed(tmp_path):
    flat = fp.Corpus.from_dict({"d1": {"a": [3, 3], "b": [2, 4]}})
    fp.write(flat, tmp_path / "flat.json")
    done = support.run("agree", "flat.json", "--by", "level", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stdout == ""
    assert "flat.json: boundaries without types have no levels" in done.stderr
