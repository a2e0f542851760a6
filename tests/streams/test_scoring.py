"""Systems of words in one table: intervals, tests, documents, groups, and saved counts."""

import math
import random
import re
from itertools import product

import numpy as np
import pytest
import sacrebleu

import fencepost as fp
import support
from fencepost.metrics.registry import add_counts
from fencepost.model.checks import FencepostError, MetricError
from fencepost.scoring.counts import load, save
from fencepost.scoring.summary import Choices
from fencepost.statistics.intervals import intervals
from fencepost.statistics.resampling import Estimate, resamples
from fencepost.statistics.tests import adjusted, randomization
from fencepost.streams.documents import StreamError
from fencepost.streams.scoring import score_stream, stream_table
from fencepost.streams.tokens import tokenizer

VOCABULARY = tuple("abcdefghijkl")
METRICS = ("as_wer", "wer", "per", "nist", "bleu", "chrf", "ter", "segmentation_error_rate")


def talks(documents=8, seed=3, errors=(0.1, 0.3)):
    """References of documents, and systems that lose, change and add words; lines are kept."""
    rng = random.Random(seed)
    references = {}
    systems = {name: {} for name in "abc"[: len(errors)]}
    for d in range(documents):
        own = [
            [rng.choice(VOCABULARY) for _ in range(rng.randint(3, 7))]
            for _ in range(rng.randint(2, 4))
        ]
        others = [[rng.choice([w, w, w, "x"]) for w in words] for words in own]
        pairs = zip(own, others, strict=True)
        references[f"d{d:02}"] = [(" ".join(one), " ".join(other)) for one, other in pairs]
        for system, error in zip(systems.values(), errors, strict=True):
            system[f"d{d:02}"] = [" ".join(_heard(words, error, rng)) for words in own]
    return references, systems


def _heard(words, error, rng):
    for word in words:
        if rng.random() > error / 2:
            yield rng.choice(VOCABULARY) if rng.random() < error else word
        if rng.random() < error / 2:
            yield rng.choice(VOCABULARY)


REFERENCES, SYSTEMS = talks()
FAST = {"resamples": 300, "seed": 7}


def cut(metric, system):
    """The segments that the aligner found, document by document, with their references."""
    found = fp.resegment(REFERENCES, SYSTEMS[system])
    made = {}
    for document, text, refs in zip(
        found.documents, found.segments, found.reference_texts, strict=True
    ):
        made.setdefault(document, []).append((text, refs))
    return list(made.values())


def document_rows(recipe, system, documents=tuple(REFERENCES)):
    """One row of added counts for each document, each cut by itself.

    NIST's weights are those of the whole set, so its rows are from there.
    """
    if recipe.name == "nist":
        found = fp.resegment(REFERENCES, SYSTEMS[system])
        rows = recipe.count(found)
        return np.array([add_counts(rows[np.array(found.documents) == d]) for d in documents])
    alone = [fp.resegment(REFERENCES[d], SYSTEMS[system][d]) for d in documents]
    return np.array([add_counts(recipe.count(one)) for one in alone])


# Values.


@pytest.mark.slow
def test_values_are_those_of_each_system_alone():
    table = fp.score_streams(REFERENCES, SYSTEMS, metrics=METRICS, segments=("found", "given"))
    assert table.column("system") == sorted(table.column("system"))
    for row in table:
        recipe = row["signature"].recipe
        alone = score_stream(fp.resegment(REFERENCES, SYSTEMS[row["system"]]), recipe)
        assert row["value"] == (100 if recipe.metric.percent else 1) * alone.value
        assert row["unit"] == recipe.unit
        assert (row["average"], row["undefined"], row["reference"]) == ("micro", 0, "references")
        assert row["n"] == sum(map(len, REFERENCES.values()))
        assert row["segments"] == recipe.settings.get("segments", "found")
        assert row["low"] <= row["value"] <= row["high"]
        fields = row["signature"].fields
        assert fields["bs"] in ("t,1000", "percentile,1000")  # where few documents differ
        assert (fields["group"], fields["seed"]) == ("document", "12345")
        assert fp.parse(row["signature"]) == recipe


@pytest.mark.slow
def test_documents_by_themselves_are_each_document_alone():
    table = fp.score_streams(
        REFERENCES, SYSTEMS, metrics=[m for m in METRICS if m != "nist"], **FAST,
        segments=("found", "given", "document", "chopped"),
    )  # fmt: skip
    part = table.part("by-group")
    assert list(dict.fromkeys(part.column("group"))) == list(REFERENCES)
    assert len(part) == len(table) * len(REFERENCES)
    for row in part:
        document, recipe = row["group"], row["signature"].recipe
        alone = fp.resegment(REFERENCES[document], SYSTEMS[row["system"]][document])
        value = score_stream(alone, recipe).value
        assert row["value"] == pytest.approx((100 if recipe.metric.percent else 1) * value)


def test_nist_of_a_document_keeps_the_weights_of_the_whole_set():
    part = fp.score_streams(REFERENCES, SYSTEMS, metrics="nist", **FAST).part("by-group")
    recipe = fp.parse("nist")
    for system in SYSTEMS:
        own = [
            row["value"] for row in part.where(system=system) if row["signature"].recipe == recipe
        ]
        assert own == pytest.approx(recipe.value(document_rows(recipe, system)).tolist())


# Intervals.


def plain_value(name, rows, segments, drawn):
    """The value of some documents, by the formula or by sacrebleu itself."""
    if name in ("bleu", "ter"):
        texts = [pair for d in drawn for pair in segments[d]]
        columns = [list(column) for column in zip(*(refs for _, refs in texts), strict=True)]
        scorer = {"bleu": sacrebleu.BLEU, "ter": sacrebleu.TER}[name]()
        return scorer.corpus_score([text for text, _ in texts], columns).score
    total = [sum(rows[d][i] for d in drawn) for i in range(len(rows[0]))]
    if name == "per":
        return 100 * total[0] / total[1]
    substitutions, insertions, deletions, *_, words = total
    return 100 * (substitutions + insertions + deletions) / words


@pytest.mark.parametrize("name", ["as_wer", "wer", "per", "bleu", "ter"])
@pytest.mark.parametrize("system", ["a", "b"])
def test_intervals_are_those_of_plainly_resampled_documents(name, system):
    settings = {"method": "percentile", "resamples": 100, "seed": 7}
    table = fp.score_streams(REFERENCES, SYSTEMS, metrics=name, segments="found", **settings)
    row = table.where(system=system)[0]
    rows = document_rows(fp.parse(name), system).tolist()
    segments = cut(name, system)
    values = []
    for times in resamples(7, len(REFERENCES), 100).tolist():
        drawn = [d for d, count in enumerate(times) for _ in range(int(count))]
        assert len(drawn) == len(REFERENCES)
        values.append(plain_value(name, rows, segments, drawn))
    low, high = np.quantile(values, [0.025, 0.975])
    assert (row["low"], row["high"]) == pytest.approx((low, high), abs=1e-9)
    assert row["value"] == pytest.approx(plain_value(name, rows, segments, range(len(rows))))
    assert row["signature"].fields["bs"] == "percentile,100"


def words_of_documents(references, system):
    """How many words the references chosen for a document have."""
    found = fp.resegment(references, system)
    of = np.array(found.documents)
    return [found.chosen_words[of == document].sum() for document in references]


def usual_interval(recipe, rows, words, pairs=()):
    """The interval over rows of counts as fp.score makes it, in the unit of tables."""
    sizes = np.asarray(words, dtype=float)
    estimates = [Estimate(one.astype(float), recipe.shown, sizes=sizes) for one in rows]
    return intervals(estimates, pairs, seed=7, count=300)


@pytest.mark.parametrize("name", METRICS)
def test_the_usual_interval_is_that_of_the_documents_rows(name):
    table = fp.score_streams(REFERENCES, SYSTEMS, metrics=name, segments="found", **FAST)
    for row in table:
        recipe = row["signature"].recipe
        rows = [document_rows(recipe, row["system"])]
        wanted = usual_interval(recipe, rows, words_of_documents(REFERENCES, SYSTEMS["a"]))[0]
        low, high = recipe.range
        expected = max(wanted.low, low), min(wanted.high, high)
        assert (row["low"], row["high"]) == pytest.approx(expected, abs=1e-9)


def test_one_document_has_intervals_over_its_segments():
    references = [one for own in REFERENCES.values() for one in own]
    lines = [line for own in SYSTEMS["b"].values() for line in own]
    table = fp.score_streams(references, {"b": lines}, metrics=["as_wer", "per", "nist"], **FAST)
    found = fp.resegment(references, lines)
    for row in table:
        recipe = row["signature"].recipe
        wanted = usual_interval(recipe, [recipe.count(found)], found.chosen_words)[0]
        low, high = recipe.range
        expected = max(wanted.low, low), min(wanted.high, high)
        assert (row["low"], row["high"]) == pytest.approx(expected, abs=1e-9)
        assert "group" not in row["signature"].fields
    assert table.notes[0] == (
        "one document: intervals are over its segments, as if each stood alone"
    )
    assert table.facts["resampled"] == "segment"
    several = fp.score_streams(REFERENCES, SYSTEMS, metrics="as_wer", **FAST)
    assert several.facts["resampled"] == "document"
    assert not any("one document" in note for note in several.notes)
    bare = fp.score_streams(references, {"b": lines}, intervals=False)
    assert {(row["low"], row["high"]) for row in bare} == {(None, None)}
    assert not any("interval" in note for note in bare.notes)


def test_one_document_by_name_is_one_document():
    table = fp.score_streams(
        {"d00": REFERENCES["d00"]}, {"a": {"d00": SYSTEMS["a"]["d00"]}}, **FAST
    )
    size = len(REFERENCES["d00"])
    assert table.notes == (f"{size} segments: too few for an interval, which takes 5",)


# Groups.

GROUPS = {name: f"g{i % 5}" for i, name in enumerate(REFERENCES)}


def test_groups_of_documents_are_resampled_whole():
    table = fp.score_streams(REFERENCES, SYSTEMS, metrics="as_wer", group=GROUPS, **FAST)
    recipe = fp.parse("as_wer")
    for row in table:
        rows = document_rows(recipe, row["system"])
        names = list(dict.fromkeys(GROUPS.values()))
        grouped = [[g == name for g in GROUPS.values()] for name in names]
        words = np.array(words_of_documents(REFERENCES, SYSTEMS["a"]))
        added = [np.array([one[own].sum(axis=0) for own in grouped]) for one in (rows, words)]
        wanted = usual_interval(recipe, added[:1], added[1])[0]
        expected = max(wanted.low, 0), wanted.high
        assert (row["low"], row["high"]) == pytest.approx(expected, abs=1e-9)
        assert row["signature"].fields["group"] == "given"
    plain = fp.score_streams(REFERENCES, SYSTEMS, metrics="as_wer", **FAST)
    assert plain.column("value") == table.column("value")
    assert plain.column("high") != table.column("high")
    by_group = table.part("by-group")
    assert list(dict.fromkeys(by_group.column("group"))) == ["g0", "g1", "g2", "g3", "g4"]


def test_a_document_without_a_group_is_named():
    with pytest.raises(MetricError) as error:
        fp.score_streams(REFERENCES, SYSTEMS, group=dict(list(GROUPS.items())[1:]))
    assert str(error.value) == "no group is given for document d00; every document needs one"


# Comparisons.


@pytest.mark.parametrize("name", ["as_wer", "per", "bleu", "ter"])
def test_p_is_that_of_all_swaps_of_documents(name):
    table = fp.score_streams(
        REFERENCES, SYSTEMS, metrics=name, segments="found", paired="randomization", **FAST
    )
    (row,) = table.part("comparisons")
    recipe = fp.parse(name)
    first, second = (document_rows(recipe, system) for system in "ab")
    differing = [d for d in range(len(first)) if (first[d] != second[d]).any()]

    def difference(swapped):
        one, other = first.copy(), second.copy()
        for d, swap in zip(differing, swapped, strict=True):
            if swap:
                one[d], other[d] = second[d], first[d]
        sums = np.array([add_counts(other), add_counts(one)])
        values = recipe.shown(sums)
        return values[0] - values[1]

    observed = difference([False] * len(differing))
    every = [difference(s) for s in product([False, True], repeat=len(differing))]
    expected = sum(abs(one) >= abs(observed) - 1e-9 for one in every) / len(every)
    assert row["difference"] == pytest.approx(observed)
    assert row["p"] == pytest.approx(expected)
    assert row["signature"].fields["test"] == "randomization,exact"
    assert row["signature"].fields["group"] == "document"


def test_comparisons_are_those_of_the_rows_of_counts():
    references, systems = talks(20, 5, (0.1, 0.3, 0.35))
    metrics = ["as_wer", "nist"]
    table = fp.score_streams(
        references, systems, metrics=metrics, segments="found", all_pairs=True, adjust="bh", **FAST
    )
    part = table.part("comparisons")
    assert [(row["metric"], row["system"], row["against"]) for row in part] == [
        (metric, *pair) for metric in metrics for pair in (("b", "a"), ("c", "a"), ("c", "b"))
    ]
    for row in part:
        recipe = fp.parse(row["metric"])
        rows = []
        for name in (row["system"], row["against"]):
            found = fp.resegment(references, systems[name])
            of = np.array(found.documents)
            counts = recipe.count(found)
            rows.append(np.array([add_counts(counts[of == d]) for d in references]))
        pair = [Estimate(one.astype(float), recipe.shown) for one in rows]
        assert row["p"] == randomization(pair, [(0, 1)], seed=7, count=300)[0].p
        words = words_of_documents(references, systems["a"])
        wanted = usual_interval(recipe, rows, words, [(0, 1)])[2]
        assert (row["low"], row["high"]) == pytest.approx((wanted.low, wanted.high), abs=1e-9)
    assert part.column("p_adjusted") == adjusted(part.column("p"), "bh")
    other = fp.score_streams(
        references, systems, metrics="as_wer", baseline="c", **FAST
    ).part("comparisons")  # fmt: skip
    assert [(row["system"], row["against"]) for row in other] == [("a", "c"), ("b", "c")]


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"method": "wide"}, "method must be t, percentile, bca or normal"),
        ({"paired": "t-test"}, "paired must be randomization or bootstrap"),
        ({"adjust": "bh"}, "adjust='bh' is about the p of comparisons"),
        ({"resamples": 10}, "resamples must be a whole number from 100 to"),
        ({"paired": "randomization", "baseline": "z"}, "no system 'z' to compare with"),
        ({"wombat": 3}, "wombat"),
    ],
)
def test_settings_that_are_none(settings, sentence):
    with pytest.raises((FencepostError, TypeError), match=re.escape(sentence)):
        fp.score_streams(REFERENCES, SYSTEMS, metrics="as_wer", **settings)


# Saved counts.


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("group", [None, GROUPS], ids=["documents", "groups"])
def test_saved_counts_make_the_same_table(tmp_path, ending, group):
    if ending == "parquet":
        pytest.importorskip("pyarrow")
    table = fp.score_streams(
        REFERENCES, {**SYSTEMS, "stream": _streams("a")}, metrics=METRICS, group=group,
        segments=("found", "given", "document", "chopped"), paired="randomization", **FAST,
    )  # fmt: skip
    save(table.part("counts"), tmp_path / f"counts.{ending}")
    choices = Choices("micro", True, None, 300, 7, "randomization", None, False, None)
    again = stream_table(load(tmp_path / f"counts.{ending}"), choices)
    assert again == table
    assert again.notes == table.notes
    for part in table.parts:
        for one, other in zip(again.part(part), table.part(part), strict=True):
            assert all(_same(one[key], other[key]) for key in other), (part, one, other)


def _same(one, other):
    return one == other or (one != one and other != other)  # NaN is not itself


def _streams(system):
    return {name: " ".join(own) for name, own in SYSTEMS[system].items()}


# Systems that differ in what they have.


def test_systems_with_and_without_own_lines_in_one_table():
    systems = {"lines": SYSTEMS["a"], "stream": _streams("a")}
    table = fp.score_streams(
        REFERENCES, systems, metrics=["as_wer", "per", "segmentation_error_rate"],
        paired="randomization", **FAST,
    )  # fmt: skip
    rows = {(r["system"], r["metric"], r["segments"]): r for r in table}
    assert ("stream", "per", "given") not in rows
    assert ("stream", "segmentation_error_rate", "found") not in rows
    for name in ("as_wer", "per"):
        one, other = (rows[system, name, "found"] for system in systems)
        assert {**one, "system": ""} == {**other, "system": ""}
    compared = table.part("comparisons")
    assert [row["metric"] for row in compared] == ["as_wer", "per"]
    assert {row["p"] for row in compared} == {1.0}


def test_no_system_with_lines_for_a_metric_that_needs_them():
    for metric in ("segmentation_error_rate", "wer:segments=given"):
        with pytest.raises(MetricError, match="no line of its own for each segment"):
            fp.score_streams(REFERENCES, {"s": _streams("a")}, metrics=metric)


def test_a_system_that_said_nothing():
    silent = dict.fromkeys(REFERENCES, "")
    table = fp.score_streams(
        REFERENCES, {"a": SYSTEMS["a"], "silent": silent}, metrics=METRICS, **FAST
    )
    values = {row["metric"]: row["value"] for row in table.where(system="silent", segments="found")}
    assert values["as_wer"] == values["wer"] == values["per"] == 100
    assert values["nist"] == values["bleu"] == values["chrf"] == 0
    assert values["ter"] == 100
    alone = fp.score_streams(REFERENCES, {"a": SYSTEMS["a"]}, metrics=METRICS, **FAST)
    assert table.where(system="a").rows == alone.rows


def test_a_document_that_a_system_lacks_can_count_as_empty():
    partial = {name: own for name, own in SYSTEMS["a"].items() if name != "d03"}
    systems = {"a": SYSTEMS["a"], "partial": partial}
    with pytest.raises(StreamError, match=re.escape("lacks 1 of the 8 documents")) as error:
        fp.score_streams(REFERENCES, systems)
    assert "partial lacks" in str(error.value)
    table = fp.score_streams(REFERENCES, systems, metrics="as_wer", missing="whole", **FAST)
    filled = {**partial, "d03": ""}
    full = fp.score_streams(REFERENCES, {"a": SYSTEMS["a"], "partial": filled}, metrics="as_wer",
                            **FAST)  # fmt: skip
    for row, other in zip(table, full, strict=True):
        assert {**row, "signature": ""} == {**other, "signature": ""}
        assert row["signature"].fields["missing"] == "whole"
    documents = table.part("by-group").where(system="partial", group="d03")
    assert documents.column("value") == [100.0]


@pytest.mark.slow
def test_a_document_that_a_system_lacks_can_be_skipped_for_all():
    partial = {name: own for name, own in SYSTEMS["a"].items() if name != "d03"}
    systems = {"a": SYSTEMS["a"], "partial": partial, "b": SYSTEMS["b"]}
    table = fp.score_streams(REFERENCES, systems, metrics=METRICS, missing="skip", **FAST)
    left = [name for name in REFERENCES if name != "d03"]
    less = fp.score_streams(
        {name: REFERENCES[name] for name in left},
        {system: {name: own[name] for name in left} for system, own in systems.items()},
        metrics=METRICS,
        **FAST,
    )
    for row, other in zip(table, less, strict=True):
        assert (row["value"], row["low"], row["high"]) == (
            other["value"], other["low"], other["high"],
        )  # fmt: skip
    assert {s.fields["missing"] for s in table.column("signature")} == {"skip"}
    assert any("d03" in note for note in table.notes)
    assert set(table.part("by-group").column("group")) == set(left)


def test_without_words_in_the_references_values_are_undefined():
    table = fp.score_streams({"p": ["", ""], "q": [""]}, {"s": {"p": "a b", "q": ""}})
    for row in table.where(metric="as_wer"):
        assert math.isnan(row["value"])
        assert row["detail"] == "undefined: no reference has a word"


# Punctuation.

WRITTEN = ["Hello there, friend.", "How goes it?"]
PLAIN = ["hello there friend", "how goes it"]
SPOKEN = " ".join(PLAIN)


@pytest.mark.parametrize(
    ("references", "hypothesis", "how", "why"),
    [
        (WRITTEN, SPOKEN, "remove", "the hypothesis has none"),
        (PLAIN, " ".join(WRITTEN), "remove", "the references have none"),
        (WRITTEN, " ".join(WRITTEN), "keep", None),
        (PLAIN, SPOKEN, "keep", None),
        (WRITTEN, "", "keep", None),
    ],
)
def test_punctuation_is_compared_where_both_sides_have_it_or_none(references, hypothesis, how, why):
    found = fp.resegment(references, hypothesis)
    chosen = fp.resegment(references, hypothesis, punctuation=how)
    assert found.as_wer == chosen.as_wer
    assert found.segments == chosen.segments
    assert found.as_wer.signature.fields["punct"] == how
    assert chosen.notes == []
    assert len(found.notes) == (why is not None)
    if why:
        assert found.notes[0].startswith("words are aligned without punctuation, because ")
    table = fp.score_streams(references, {"s": hypothesis}, metrics="as_wer", intervals=False)
    assert table[0]["signature"].fields["punct"] == how
    said = [note for note in table.notes if "without punctuation" in note]
    assert len(said) == (why is not None)
    if why == "the hypothesis has none":
        assert found.notes[0].endswith(why)


def test_systems_of_one_table_are_compared_alike():
    systems = {"spoken": SPOKEN, "written": " ".join(WRITTEN), "silent": ""}
    table = fp.score_streams(WRITTEN, systems, metrics="as_wer", intervals=False)
    assert table.column("value") == [0, 0, 100]
    assert {s.fields["punct"] for s in table.column("signature")} == {"remove"}
    assert table.notes[0] == "words are aligned without punctuation, because spoken has none"
    two = {**systems, "other": SPOKEN}
    table = fp.score_streams(WRITTEN, two, metrics="as_wer", intervals=False)
    why = "words are aligned without punctuation, because spoken, other have none"
    assert table.notes[0] == why
    kept = fp.score_streams(WRITTEN, systems, metrics="as_wer", intervals=False, punctuation="keep")
    assert kept.column("value") == [100 * (3 / 9), 0, 100]
    assert not any("punctuation" in note for note in kept.notes)


# Signatures of sacrebleu.


@pytest.mark.parametrize(
    ("metric", "scorer"),
    [
        ("bleu", sacrebleu.BLEU()),
        ("bleu:tokenize=char,lowercase=yes", sacrebleu.BLEU(tokenize="char", lowercase=True)),
        ("chrf:word_order=2", sacrebleu.CHRF(word_order=2)),
        ("ter:normalized=yes", sacrebleu.TER(normalized=True)),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
@pytest.mark.parametrize("lacking", [False, True])
def test_sacrebleu_s_signature_stands_beside_ours(metric, scorer, lacking):
    references = [("a b c", "a b"), ("d e", None if lacking else "d")]
    table = fp.score_streams(references, {"s": "a b c d e"}, metrics=metric, intervals=False)
    found = fp.resegment(references, "a b c d e")
    columns = [list(column) for column in zip(*references, strict=True)]
    expected = scorer.corpus_score(found.segments, columns)
    assert table[0]["value"] == expected.score
    assert table[0]["sacrebleu"] == f"{expected.name}|{scorer.get_signature()}"
    assert "fencepost" in table[0]["signature"]
    plain = fp.score_streams(references, {"s": "a b c d e"}, metrics="nist", intervals=False)
    assert plain[0]["sacrebleu"] is None


def test_counts_of_words_are_only_added_up():
    table = fp.score_streams(["a b", "c"], {"s": "a x c", "t": "a b c"}, metrics=["as_wer", "per"])
    again = fp.score_counts(table.part("counts"), resamples=1000)
    assert [row["value"] for row in again] == [row["value"] for row in table]
    with pytest.raises(MetricError, match="counts of words are added up over segments"):
        fp.score_counts(table.part("counts"), average="macro")


def test_marks_inside_numbers_are_no_punctuation():
    references = ["It rose by 3.5 percent.", "At 10:30, that is."]
    found = fp.resegment(references, "it rose by 3.5 percent at 10:30 that is")
    assert found.as_wer.signature.fields["punct"] == "remove"
    assert found.distance == 0


def test_two_files_of_one_name_are_two_systems(tmp_path):
    for folder, text in (("s1", SPOKEN), ("s2", " ".join(WRITTEN))):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "out.txt").write_text(text + "\n")
    (tmp_path / "ref.txt").write_text("\n".join(WRITTEN) + "\n")
    for order in (("s1", "s2"), ("s2", "s1")):
        files = [f"{one}/out.txt" for one in order]
        out = support.ok("resegment", "ref.txt", "-i", *files, "--no-intervals", cwd=tmp_path)
        assert "because s1/out.txt has none" in out
        assert "punct:keep" not in out


def test_a_tokenizer_brings_its_own_punctuation():
    made = tokenizer("words", punctuation="remove")
    found = fp.resegment(WRITTEN, " ".join(WRITTEN), tokenizer=made)
    assert found.as_wer.signature.fields["punct"] == "remove"
    kept = fp.resegment(WRITTEN, SPOKEN, tokenizer=tokenizer("words"))
    assert kept.as_wer.signature.fields["punct"] == "keep"
    assert kept.notes == []
    with pytest.raises(StreamError, match="the tokenizer was made with punctuation='remove'"):
        fp.resegment(WRITTEN, SPOKEN, tokenizer=made, punctuation="keep")


def test_documents_stay_documents_beside_groups(tmp_path):
    refs = {f"d{i}": ["a b", "c d"] for i in range(4)}
    hyps = {f"d{i}": "a b c" if i % 2 else "a b c d" for i in range(4)}
    groups = {f"d{i}": "xy"[i // 2] for i in range(4)}
    table = fp.score_streams(refs, {"s": hyps}, metrics="as_wer", group=groups)
    rows = table.part("documents").to_dicts()
    assert [(row["group"], row["value"]) for row in rows] == [
        ("d0", 0.0), ("d1", 25.0), ("d2", 0.0), ("d3", 25.0),
    ]  # fmt: skip
    assert [row["group"] for row in table.part("by-group")] == ["x", "y"]


def test_wins_are_of_what_is_resampled():
    refs = {f"d{i}": ["a b", "c d"] for i in range(3)}
    worse = dict.fromkeys(refs, "a x c")
    better = dict.fromkeys(refs, "a b c d")
    table = fp.score_streams(refs, {"w": worse, "b": better}, metrics="as_wer", paired="bootstrap")
    (row,) = table.part("comparisons")
    assert (row["wins"], row["ties"], row["losses"]) == (3, 0, 0)


def test_settings_beside_what_is_aligned_already_are_refused():
    found = fp.resegment(["a"], "a")
    with pytest.raises(StreamError, match="case is a setting of the alignment"):
        fp.score_streams(["a"], {"s": found}, metrics="as_wer", case="keep")
