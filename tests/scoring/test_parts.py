"""Scores of parts of the texts: by source, by group and by speaker."""

import json

import pytest

import fencepost as fp
import support
from fencepost.model.corpus import Key
from scored import GOLD, GROUPS, SYSTEMS


def test_scores_of_a_part_are_those_of_its_texts_alone():
    settings = {"metrics": ["B", "pk"], "resamples": 500, "baselines": False}
    sources = {text: "news" if i % 3 else "talks" for i, text in enumerate(GOLD)}
    table = fp.score(GOLD, SYSTEMS, by=sources, paired="randomization", **settings)
    part = table.part("by-group")
    assert list(dict.fromkeys(part.column("group"))) == ["news", "talks"]
    for source in ("news", "talks"):
        texts = [text for text in GOLD if sources[text] == source]
        alone = fp.score({t: GOLD[t] for t in texts},
                         {s: {t: own[t] for t in texts} for s, own in SYSTEMS.items()},
                         **settings)  # fmt: skip
        found = [{k: v for k, v in row.items() if k != "group"} for row in part.where(group=source)]
        assert found == alone.to_dicts()
    # Resampling by another group goes on within each part.
    grouped = fp.score(GOLD, SYSTEMS, by=sources, group=GROUPS, **settings).part("by-group")
    assert grouped[0]["signature"].fields["group"] == "given"
    # Groups without parts are parts; their own texts are what is resampled.
    own = fp.score(GOLD, SYSTEMS, group=sources, **settings).part("by-group")
    assert [row["low"] for row in own] == [row["low"] for row in part]
    again = fp.score_counts(table.part("counts"), by=sources, resamples=500).part("by-group")
    assert again.to_dicts() == part.to_dicts()


def test_scores_of_a_speaker_are_those_of_the_speakers_boundaries():
    def corpus(shift):
        builder = fp.CorpusBuilder()
        for i in range(6):
            for speaker, sizes in (("A", [4, 5 + i]), ("B", [3, 3, 3 + i])):
                moved = [sizes[0] + shift * (i % 2), sizes[1] - shift * (i % 2), *sizes[2:]]
                builder.add(Key(f"t{i}", speaker, "1"), fp.Segmentation.from_masses(moved))
        return builder.build(name="gold", unit="word")

    settings = {"metrics": ["Sf", "B"], "baselines": False, "resamples": 500}
    gold, hyp = corpus(0), corpus(1)
    part = fp.score(gold, {"s": hyp}, by="speaker", **settings).part("by-group")
    assert part.column("group") == ["A", "A", "B", "B"]
    for row in part:
        values = [
            row["signature"].recipe.metric(*(one.entries[key] for one in (gold, hyp))).value
            for key in (Key(f"t{i}", row["group"], "1") for i in range(6))
        ]
        assert row["value"] == pytest.approx(sum(values) / 6)
        assert row["low"] < row["value"] < row["high"]
    with pytest.raises(fp.MetricError, match="no text of the reference has speakers"):
        fp.score(GOLD, SYSTEMS, by="speaker", **settings).part("by-group")


def test_parts_stand_below_the_table_of_all_texts(tmp_path):
    rows = [{"id": t, "masses": m, "source": "ab"[i % 2]} for i, (t, m) in enumerate(GOLD.items())]
    for name, lines in (
        ("gold", rows),
        ("a", [{"id": t, "masses": m} for t, m in SYSTEMS["a"].items()]),
    ):
        support.put(tmp_path, f"{name}.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
    words = ("score", "gold.jsonl", "-i", "a.jsonl", "-m", "B", "--resamples", "500")
    for form in ((), ("--markdown",), ("--latex",)):
        out = support.ok(*words, "--by", "source", *form, cwd=tmp_path)
        assert "part" in out and "texts" in out
    table = fp.score(
        GOLD, {"a": SYSTEMS["a"]}, metrics="B", resamples=500,
        by={row["id"]: row["source"] for row in rows},
    )  # fmt: skip
    found = support.csv_rows(support.ok(*words, "--by", "source", "--csv", cwd=tmp_path))
    assert [float(row["value"]) for row in found] == table.part("by-group").column("value")
    assert "--by group needs groups" in support.refused(2, *words, "--by", "group", cwd=tmp_path)
