"""Counts, saved and read back."""

import json
import math
import random

import numpy as np
import pytest

import fencepost as fp
import support
from fencepost.metrics import METRICS
from fencepost.metrics.bounds import Stated
from fencepost.metrics.registry import add_counts
from fencepost.scoring.counts import load, save, to_table
from scored import (
    GOLD,
    SYSTEMS,
    THREE,
    ok,
    run,
)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["counts.csv", "counts.parquet"])
def test_saved_counts_give_the_same_output(folder, tmp_path, name):
    target = tmp_path / name
    settings = ("--paired", "--average", "both", "--resamples", "1000", "--json", "--per-text")
    metrics = ("-m", "WD", "F", "B", "A", "S", "--group", "groups.csv", "--runs", "bc=b,c")
    first = json.loads(ok(folder, *THREE, *metrics, *settings, "--save", target))
    again = json.loads(ok(folder, "--counts", target, *settings))
    assert first["facts"]["settings"] == ["k from 2 to 6"]
    assert len(first["notes"]) > 1
    assert len(first["facts"].pop("reading_lines")) == 1  # counts do not know it
    assert first == again


@pytest.mark.slow
@pytest.mark.parametrize("name", ["counts.csv", "counts.parquet"])
@pytest.mark.parametrize(
    ("like", "note"), [(None, "k is 1 in 1 of 25 texts"), ("segeval", "no segeval convention")]
)
def test_saved_counts_keep_notes_settings_functions_and_seeds(tmp_path, name, like, note):
    def closeness(ref, hyp):
        return math.nan if len(hyp.cuts) < 2 else 1 / (1 + abs(len(ref.cuts) - len(hyp.cuts)))

    gold = {"short": [2, 1, 1], **GOLD}
    systems = {name: {"short": [3, 1], **own} for name, own in SYSTEMS.items()}
    metrics = ["pk", "WD:k=3", closeness]
    table = fp.score(gold, systems, metrics=metrics, like=like, paired="randomization",
                     resamples=200, seed=7)  # fmt: skip
    assert any(one.startswith("closeness is undefined on") for one in table.notes)
    assert any(one.startswith(note) for one in table.notes)
    assert len(table.facts["settings"]) > 1
    save(table.part("counts"), tmp_path / name)
    again = fp.score_counts(tmp_path / name, paired="randomization", resamples=200, seed=7)
    assert again.to_json() == table.to_json()
    for part in table.parts:
        assert again.part(part).to_json() == table.part(part).to_json()


def test_texts_that_a_reference_lacks_do_not_change_the_order(tmp_path):
    refs = {t: {"r2": SYSTEMS["c"][t]} if i % 5 == 0 else {"r1": m, "r2": SYSTEMS["c"][t]}
            for i, (t, m) in enumerate(GOLD.items())}  # fmt: skip
    table = fp.score(refs, SYSTEMS, metrics=["F"], resamples=200)
    again = fp.score_counts(table.part("counts"), resamples=200)
    assert again.to_json() == table.to_json()
    assert again.part("per-text").rows == table.part("per-text").rows


def test_a_function_is_read_back_where_it_is_not_known(folder, tmp_path):
    (tmp_path / "own.py").write_text(
        "def Own_closeness(ref, hyp):\n    return 1 / (1 + abs(len(ref.cuts) - len(hyp.cuts)))\n"
    )
    words = ("-m", f"{tmp_path / 'own.py'}:Own_closeness", "--save", tmp_path / "c.csv")
    first = ok(folder, *THREE, *words, "--resamples", "200", "-q")
    assert ok(folder, "--counts", tmp_path / "c.csv", "--resamples", "200") == first


def test_the_seed_of_random_places_is_saved_and_said(tmp_path):
    table = fp.score(GOLD, SYSTEMS, metrics="B", seed=7, resamples=200)
    part = table.part("counts")
    for seed in (7, 12345):
        again = fp.score_counts(part, seed=seed, resamples=200)
        drawn = again.where(system="random boundaries")[0]
        assert drawn == table.where(system="random boundaries")[0]
        assert drawn["signature"].fields["seed"] == "7"
        assert again[0]["signature"].fields["seed"] == str(seed)
    # Counts of another hand may not say it: then nothing is claimed.
    rows = [{**r, "signature": r["signature"].replace("|draws:20|seed:7", "")} for r in part]
    unknown = fp.score_counts(fp.Table(part.columns, tuple(rows)), resamples=200)
    assert "seed" not in unknown.where(system="random boundaries")[0]["signature"].fields


def test_counts_without_numbers_and_notes_can_be_read():
    part = fp.score(GOLD, SYSTEMS, metrics="B", resamples=200).part("counts")
    rows = [{k: v for k, v in r.items() if k not in ("number", "notes")} for r in part]
    rows = [{**r, "settings": "k 2"} for r in rows]
    table = fp.score_counts(fp.Table(tuple(rows[0]), tuple(rows)), resamples=200)
    assert table.rows == fp.score(GOLD, SYSTEMS, metrics="B", resamples=200).rows
    assert table.facts["settings"] == ["k 2"]


def test_saved_counts_print_the_same_page(folder, tmp_path):
    target = tmp_path / "counts.csv"
    words = (*THREE, "-m", "B", "pk:k=2", "--resamples", "1000")
    first = ok(folder, *words, "--save", target, "-q")
    assert ok(folder, "--counts", target, "--resamples", "1000") == first
    rows = support.csv_rows(target.read_text(encoding="utf-8"))
    texts = [r for r in rows if r["system"] == "a" and r["metric"] == "pk"]
    assert [r["text"] for r in texts] == list(GOLD)
    assert float(texts[0]["value"]) == int(texts[0]["disagreeing"]) / int(texts[0]["windows"])
    assert not {"words", "masses", "bits"} & set(rows[0])


@pytest.mark.slow
def test_saved_counts_can_be_gated(folder, tmp_path):
    target = tmp_path / "counts.csv"
    ok(folder, *THREE, "-m", "covering", "--save", target)
    assert run(folder, "--counts", target, "--gate", "covering=0.1").returncode == 0
    done = run(folder, "--counts", target, "--gate", "covering=0.99")
    assert done.returncode == 3 and "gate: b has covering" in done.stderr
    assert run(folder, "--counts", target, "--gate", "pk=0.1").returncode == 2


def test_counts_of_several_references_and_streams_survive(tmp_path):
    refs = {(t, s): {"r1": m, "r2": SYSTEMS["c"][t]} for t, m in GOLD.items() for s in "xy"}
    hyps = {(t, s): SYSTEMS["a" if s == "x" else "b"][t] for t in GOLD for s in "xy"}
    table = fp.score(refs, {"s": hyps}, average="both", resamples=200)
    again = fp.score_counts(table.part("counts"), average="both", resamples=200)
    assert again.rows == table.rows
    assert again.facts["units"] == table.facts["units"]


def change(rows, **cells):
    return [{**rows[0], **cells}, *rows[1:]]


def changed(rows, **cells):
    return [*rows[:-1], {**rows[-1], **cells}]


@pytest.mark.parametrize(("off", "accepted"), [(0.0, True), (5e-10, True), (1e-6, False)])
def test_a_value_may_differ_from_its_counts_by_rounding_only(off, accepted):
    part = fp.score(GOLD, SYSTEMS, metrics="F", baselines=False, intervals=False).part("counts")
    rows = [{**row, "value": row["value"] * (1 + off)} for row in part.to_dicts()]
    table = fp.Table(part.columns, tuple(rows), name="counts")
    if accepted:
        assert fp.score_counts(table).rows
    else:
        with pytest.raises(fp.FencepostError, match="boundary_f cannot be"):
            fp.score_counts(table)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda rows: [], "has no rows of counts; expected what fencepost score --save wrote"),
        (lambda rows: [{k: v for k, v in r.items() if k != "units"} for r in rows],
         "lacks the column units; expected what fencepost score --save wrote"),
        (lambda rows: [{k: v for k, v in r.items() if k != "tp"} for r in rows],
         "lacks the column tp, a count of boundary_f"),
        (lambda rows: change(rows, tp="many"), "line 2: tp must be a number of .* found 'many'"),
        (lambda rows: change(rows, tp=math.nan), "line 2: tp must be a number"),
        (lambda rows: change(rows, system=""), "line 2: system is empty"),
        (lambda rows: [rows[0], *rows], "line 3: boundary_f of a on d0 is given twice"),
        (lambda rows: rows[1:], "has 71 of its 72 rows of counts: it was truncated"),
        (lambda rows: [{k: v for k, v in r.items() if k != "rows"} for r in rows[1:]],
         "boundary_f of d0 is there for one of a and b"),
        (lambda rows: [*rows[:-1], {**rows[-1], "rows": 7}], "has 72 of its 72 or 7 rows"),
        (lambda rows: changed(rows, types=2), "line 73: .* of another file than those above"),
        (lambda rows: changed(rows, speakers=2), "line 73: d23 has 2 speakers here, and 1 above"),
        (lambda rows: change(rows, group="x"), "has another group or number of units"),
        (lambda rows: [*rows[:-1], {**rows[-1], "number": 1}], "d23 has another number than"),
        (lambda rows: change(rows, notes='{"a": 1}'), "notes must be a list of sentences"),
        (lambda rows: change(rows, signature="pkk|k:2"), 'no metric "pkk"'),
        (lambda rows: change(rows, tp=9999), "line 2: boundary_f cannot be .* with tp 9999"),
        (lambda rows: change(rows, value=0.123), r"line 2: boundary_f cannot be 0\.123 with"),
        (lambda rows: change(rows, value=None), "line 2: boundary_f cannot be nan with"),
        (lambda rows: change(rows, tp=-1, value=-1), "line 2: boundary_f cannot be -1 with tp -1"),
        (lambda rows: [*rows[:-1], {**rows[-1], "data": "0"}], "of other texts than those above"),
        (lambda rows: changed(rows, unit="word"), r"line 73: .* another file .*unit"),
        (lambda rows: changed(rows, reference="z"), "line 73: .* another file than"),
        (lambda rows: changed(rows, settings=""), "line 73: .* another file than"),
        (lambda rows: changed(rows, system_data="0"), "line 73: c has two fingerpr"),
        (lambda rows: changed(rows, system="a"), "line 73: the run c is of a, and of"),
        (lambda rows: changed(rows, metric="pk"), "line 73: the metric is pk and its"),
        (lambda rows: changed(rows, cuts=99), "another number of reference bound"),
        (lambda rows: change(rows, cuts=-1), "line 2: cuts must be a whole number from 0 up"),
        (lambda rows: change(rows, units=1.5), "line 2: units must be a whole number from 0 up"),
        (lambda rows: change(rows, number=1e300), "line 2: number must be a whole number"),
        (lambda rows: change(rows, tp=2**63), "line 2: tp must be a number of at most 64 bits"),
        (lambda rows: change(rows, tp=10**400), "line 2: tp must be a number of at most 64 bits"),
        (lambda rows: change(rows, tp=str(2**63)), "line 2: tp must be a number of at most 64"),
        (lambda rows: change(rows, tp="0.5"), "line 2: tp must be a whole number, found '0.5'"),
        (lambda rows: change(rows, tp=0.5), "line 2: tp must be a whole number, found 0.5"),
        (lambda rows: change(rows, cuts=1000), "line 2: cuts cannot be 1000 in a text of"),
        (lambda rows: change(rows, tp=99, fp=0, fn=0, value=1),
         r"line 2: tp cannot be 99: with 19 units, 2 ref.* counts it is from 0 to 2;"),
        (lambda rows: [{**r, "units": 2**62} for r in rows], "line 2: the units add up to more"),
        (lambda rows: [{**r, "units": 2**60} for r in rows], "line 5: the units add up to more"),
        (lambda rows: [{**r, "cuts": 2**58, "units": 2**58 + 1} for r in rows],
         "line 17: the units add up to more"),
        (lambda rows: rows[:24], "has 24 of its 72 rows of counts: it was truncated"),
    ],
)  # fmt: skip
def test_spoilt_counts_are_refused_with_a_sentence(spoil, message):
    part = fp.score(GOLD, SYSTEMS, metrics="F", baselines=False, intervals=False).part("counts")
    rows = tuple(spoil(part.to_dicts()))
    with pytest.raises(fp.FencepostError, match=message):
        fp.score_counts(fp.Table(part.columns, rows, name="counts"))


def test_a_file_of_counts_that_was_cut_at_any_line_is_refused(tmp_path):
    save(fp.score(GOLD, SYSTEMS, metrics="F", intervals=False).part("counts"), tmp_path / "c.csv")
    lines = (tmp_path / "c.csv").read_text().splitlines(keepends=True)
    for kept in range(1, len(lines), 40):
        (tmp_path / "c.csv").write_text("".join(lines[:kept]))
        with pytest.raises(fp.FencepostError, match=r"no rows of counts|it was truncated|is there"):
            fp.score_counts(tmp_path / "c.csv")


LARGE = {"value": 0.5, "differing": 2**61, "windows": 2**62, "units": 10}


@pytest.mark.parametrize(
    ("signature", "message"),
    [
        ("windowdiff|k:2|pad:none", r"line 2: windows cannot be 4611686018427387904: .* is 8;"),
        ("windowdiff|k:2|pad:lamprier", r"line 2: windows cannot be 4611686018427387904: .* is 10"),
    ],
)
def test_counts_that_64_bits_do_not_add_up_are_refused(signature, message):
    part = fp.score(GOLD, SYSTEMS, metrics="WD:k=2", baselines=False).part("counts")
    rows = [{**row, **LARGE, "signature": f"{signature}|fencepost:{fp.__version__}"}
            for row in part]  # fmt: skip
    with pytest.raises(fp.FencepostError, match=message):
        fp.score_counts(fp.Table(part.columns, tuple(rows)))


def test_possible_counts_whose_sum_64_bits_do_not_hold_are_refused():
    k, units = 2**30, 2**32 + 2
    part = fp.score({"a": [2, 2]}, {"a": [2, 2]}, metrics=f"winpr_f:k={k}", baselines=False,
                    intervals=False).part("counts")  # fmt: skip
    counts = {"windows": units + k - 2, "tn": k * (units - 1), "cuts": 0, "tp": 0, "fp": 0, "fn": 0}
    rows = [{**row, **counts, "units": units, "value": 1.0} for row in part]
    with pytest.raises(fp.FencepostError, match="line 2: the counts of winpr_f add up to more"):
        fp.score_counts(fp.Table(part.columns, tuple(rows)))


def test_more_windows_than_units_are_refused():
    part = fp.score(GOLD, SYSTEMS, metrics="WD:k=2", baselines=False).part("counts")
    rows = [{**row, "units": 5, "cuts": 4, "windows": 55, "differing": 0, "value": 0.0}
            for row in part]  # fmt: skip
    with pytest.raises(fp.FencepostError, match="line 2: windows cannot be 55: with 5 units, 4 re"):
        fp.score_counts(fp.Table(part.columns, tuple(rows)))


def spoilt(part, at, **cells):
    rows = [dict(row) for row in part]
    rows[at] |= cells
    return fp.Table(part.columns, tuple(rows), name="counts")


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, one in METRICS.items() if one.input == "pairs"])
def test_a_count_that_its_text_cannot_have_is_refused(name):
    """Any count that is far too large, and any change of a count that the text alone tells."""
    part = fp.score(GOLD, SYSTEMS["b"], metrics=name, baselines=False, intervals=False).part(
        "counts"
    )
    recipe = METRICS[name].recipe()
    units, cuts = (np.array([float(row[one]) for row in part]) for one in ("units", "cuts"))
    columns = [one if one in part.columns and one != "units" else f"{one}_count"
               for one in recipe.counts]  # fmt: skip
    counts = np.array([[row[one] for one in columns] for row in part])
    bounds = recipe.bounds(counts, Stated(units, cuts, units > 0))
    told = 0
    for column, count in zip(columns, recipe.counts, strict=True):
        for at, row in enumerate(part):
            changes = [row[column] + 10**6, (row[column] + 1) * 10**7]
            low, high = bounds.get(count, (units - 1, units))
            if low[at] == high[at]:
                told += 1
                changes += [row[column] + 1, row[column] - 1]
            for change in changes:
                with pytest.raises(fp.FencepostError, match=f"line {at + 2}: "):
                    fp.score_counts(spoilt(part, at, **{column: change}), average="micro",
                                    intervals=False)  # fmt: skip
    # Those of T, L and A depend on the boundaries of both sides.
    assert told or name[:2] in ("t_", "l_", "al")


@pytest.mark.parametrize(
    ("metric", "cells", "said"),
    [
        ("B", {"distance": 9999}, "distance cannot be 9999: .* it is 0;"),
        ("B", {"matches": 9999, "value": 1.0, "missing": 0}, "matches cannot be 9999: .* is 0;"),
        ("S", {"places": 9999, "value": 1.0}, "places cannot be 9999: .* it is 12;"),
        ("Sf", {"units_count": 9999, "value": 1.0}, "units_count cannot be 9999: .* it is 13;"),
        ("winpr_f", {"tp": 9}, "tp cannot be 9: .* it is 0;"),
        ("F", {"tp": 3, "value": 1.0}, "tp cannot be 3: .* it is 0;"),
        ("pk:k=2", {"windows": 12}, "windows cannot be 12: .* it is 11;"),
        ("pk", {"windows": 8}, "windows cannot be 8: .* it is 6;"),
        ("pk:k=corpus", {"windows": 8}, "windows cannot be 8: .* it is "),
        ("c_seg", {"present": 1}, "absent cannot be 6: .* it is 5;"),
        ("c_seg", {"missed": 1}, "missed cannot be 1: .* it is 0;"),
    ],
)
def test_impossible_counts_of_a_text_without_boundaries_are_refused(metric, cells, said):
    gold = {"t0": [13], "t1": [4, 5], "t2": [3, 3, 3], "t3": [9]}
    part = fp.score(gold, gold, metrics=metric, baselines=False, intervals=False).part("counts")
    with pytest.raises(fp.FencepostError, match=f"line 2: {said}"):
        fp.score_counts(spoilt(part, 0, **cells), average="micro", intervals=False)


def test_counts_of_speakers_and_types_are_checked_and_written_again(tmp_path):
    def typed(*marks):
        return fp.Segmentation.from_marks(marks, [".", ","])

    gold = {("a", "x"): typed("", ".", ""), ("a", "y"): typed(",", "", "", ","),
            ("b", "x"): typed("", "", ",", ".", "")}  # fmt: skip
    hyps = {("a", "x"): typed(".", ",", ""), ("a", "y"): typed("", ".", "", "."),
            ("b", "x"): typed("", ".", ",", "", ",")}  # fmt: skip
    metrics = ["S", "B", "F", "pk", "WD:pad=segeval", "Sf", "ghd", "A", "sections_cut", "winpr_f"]
    table = fp.score(gold, {"s": hyps}, metrics=metrics, intervals=False)
    part = table.part("counts")
    assert [row["speakers"] for row in part[:2]] == [2, 1] and part[0]["types"] == 2
    again = fp.score_counts(part, intervals=False)
    assert again.rows == table.rows and again.part("counts").rows == part.rows
    for column, change in (("matches", 99), ("places", 99), ("windows", 99), ("sections", 99)):
        at = next(i for i, row in enumerate(part) if row[column] is not None)
        with pytest.raises(fp.FencepostError, match=f"line {at + 2}: "):
            fp.score_counts(spoilt(part, at, **{column: change}), intervals=False)


@pytest.mark.parametrize("metric", ["B", "b_f", "S", "Sf"])
def test_saved_counts_of_several_types_at_one_position_are_accepted(metric):
    ref = fp.Segmentation(6, [2, 2, 4, 4], [1, 2, 1, 2], [".", "?"])
    if metric == "Sf":  # takes one type at a position
        ref = fp.Segmentation(6, [2, 4], [1, 2], [".", "?"])
    texts = {"a": ref, "b": fp.Segmentation(5, [3], [2], [".", "?"])}
    table = fp.score(texts, {"s": {"a": ref, "b": texts["b"]}}, metrics=metric, intervals=False)
    assert fp.score_counts(table.part("counts"), intervals=False).rows == table.rows


# Rows that are gone.


@pytest.mark.parametrize("name", ["c.csv", "c.parquet"])
def test_no_row_is_removed_unnoticed(tmp_path, name):
    """At the head, in the middle or at the tail: one row, or all of a text."""
    part = fp.score(GOLD, SYSTEMS, metrics=["F", "pk"], intervals=False).part("counts")
    whole = fp.score_counts(part, intervals=False)
    size = len(part)
    texts = [{at for at, row in enumerate(part) if row["text"] == text} for text in ("d0", "d5")]
    for gone in ({0}, {size // 2}, {size - 1}, {0, 1, 2}, *texts):
        kept = tuple(row for at, row in enumerate(part) if at not in gone)
        save(fp.Table(part.columns, kept), tmp_path / name)
        with pytest.raises(fp.FencepostError, match=f"has {len(kept)} of its {size} rows of cou"):
            fp.score_counts(tmp_path / name)
    # What was removed on purpose has another fingerprint, and a note.
    columns = tuple(one for one in part.columns if one != "rows")
    kept = tuple({one: row[one] for one in columns} for row in part if row["text"] != "d0")
    save(fp.Table(columns, kept), tmp_path / name)
    found = fp.score_counts(tmp_path / name, intervals=False)
    assert found.facts["fingerprint"] != whole.facts["fingerprint"]
    assert any(f"{name} does not say how many rows of counts" in one for one in found.notes)


def test_rows_in_another_order_are_the_same_counts():
    part = fp.score(GOLD, SYSTEMS, metrics=["F", "pk"], resamples=200).part("counts")
    whole = fp.score_counts(part, resamples=200)
    rows = random.Random(3).sample(part.rows, len(part))
    found = fp.score_counts(fp.Table(part.columns, tuple(rows)), resamples=200)
    assert set(found.notes) == set(whole.notes)
    assert found.facts["fingerprint"] == whole.facts["fingerprint"]
    order = ("system", "metric")
    assert sorted(found.rows, key=lambda row: [row[one] for one in order]) == sorted(
        whole.rows, key=lambda row: [row[one] for one in order]
    )


def test_sums_of_counts_do_not_wrap_around():
    half = np.array([[2**62 - 1, 2**63 - 1], [2**62 - 1, 2**63 - 1], [-5, 0]])
    assert add_counts(half).tolist() == [float(2**63 - 7), float(2**64 - 2)]
    assert add_counts(half[2:]).dtype == np.int64


def test_the_mean_of_the_largest_scores_is_one_of_them():
    def huge(ref, hyp):
        return 1e150

    huge.better = "higher"
    table = fp.score(GOLD, SYSTEMS["a"], metrics=[huge], baselines=False, intervals=False)
    assert table[0]["value"] == pytest.approx(1e150)


@pytest.mark.parametrize("metric", ["c_seg:c_miss=1e308", "c_seg:c_fa=1e7"])
def test_settings_too_large_for_a_sum_are_refused(metric):
    with pytest.raises(fp.MetricError, match="must be a number from 0 to 1e"):
        fp.score(GOLD, SYSTEMS, metrics=metric)


@pytest.mark.slow
def test_every_metric_keeps_its_saved_counts(tmp_path):
    """What is checked in a file is true of every metric, with its settings and streams."""
    metrics = [name for name, one in METRICS.items() if one.input == "pairs"]
    metrics += [f"{m}:{s}" for m in ("pk", "WD", "pk_prime") for s in ("pad=lamprier", "k=50")]
    one = {"one": [1]}  # which no window fits, and which segeval's S does not count
    for like, more in ((None, one), ("nltk", one), ("segeval", {})):
        own = [metric for metric in metrics if like is None or "k=50" not in metric]
        systems = {name: {**more, **texts} for name, texts in SYSTEMS.items()}
        table = fp.score({**more, **GOLD}, systems, metrics=own, like=like, intervals=False)
        save(table.part("counts"), tmp_path / "c.csv")
        assert fp.score_counts(tmp_path / "c.csv", intervals=False).rows == table.rows


def test_counts_of_settings_that_leave_the_usual_range_can_be_read(tmp_path):
    metrics = ["WD:weighted=yes", "WD:weighted=yes,pad=lamprier", "c_seg:c_miss=5,c_fa=7"]
    table = fp.score(GOLD, SYSTEMS, metrics=metrics)
    save(table.part("counts"), tmp_path / "c.csv")
    assert fp.score_counts(tmp_path / "c.csv").to_json() == table.to_json()


def test_files_that_are_no_counts_are_refused(tmp_path):
    (tmp_path / "x.csv").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "x.parquet").write_bytes(b"no parquet")
    for name, message in (
        ("none.csv", "cannot be read"),
        ("x.csv", "is not a table of counts"),
        ("x.parquet", "not a Parquet file that can be read"),
    ):
        with pytest.raises(fp.FencepostError, match=message):
            fp.score_counts(tmp_path / name)


@pytest.mark.parametrize("name", ["counts.csv", "counts.parquet"])
@pytest.mark.parametrize("version", ["0.0.5", "9.1.0"])
def test_counts_of_another_version_say_so(tmp_path, name, version):
    part = fp.score(GOLD, SYSTEMS, metrics="pk", intervals=False).part("counts")
    rows = [
        {**row, "signature": row["signature"].replace(f"fencepost:{fp.__version__}",
                                                      f"fencepost:{version}")}
        for row in part
    ]  # fmt: skip
    save(fp.Table(part.columns, tuple(rows)), tmp_path / name)
    out = ok(tmp_path, "--counts", name, "--resamples", "100")
    assert f"written by fencepost {version}; this is {fp.__version__}" in " ".join(out.split())
    out = ok(tmp_path, "--counts", name, "--resamples", "100", "--sentence")
    said = f"computed with fencepost {fp.__version__} from counts of fencepost {version}."
    assert said in " ".join(out.split())


WORD_FILES = {"ref.tsv": "document\ttext\na\tso we went\na\tand then\nb\tit rained\n",
              "hyp.tsv": "document\ttext\na\tso they went and then\nb\tit rains\n"}  # fmt: skip


@pytest.mark.parametrize("name", ["counts.csv", "counts.parquet"])
def test_counts_of_words_are_checked_too(tmp_path, name):
    for file, text in WORD_FILES.items():
        support.put(tmp_path, file, text)
    support.ok("resegment", "ref.tsv", "-i", "hyp.tsv", "--save", name, cwd=tmp_path, notes=True)
    counts = load(tmp_path / name)
    assert counts.of_words
    part = to_table(counts)
    for change_of in ({"edits": 99}, {"edits": -1}, {"value": 0.5}, {"system_data": "x"}):
        rows = [{**row} for row in part]
        rows[-1] |= change_of
        save(fp.Table(part.columns, tuple(rows)), tmp_path / name)
        done = support.run("resegment", "--counts", name, cwd=tmp_path)
        assert done.returncode == 1 and f"{name}, line {len(rows) + 1}" in done.stderr, done.stderr
    save(fp.Table(part.columns, (*part.rows, part.rows[-1])), tmp_path / name)
    assert support.run("resegment", "--counts", name, cwd=tmp_path).returncode == 1


def test_a_folder_of_a_run_leads_to_the_command_that_reads_it(tmp_path):
    with pytest.raises(fp.FencepostError, match=r"is a folder; name the table of counts"):
        fp.score_counts(tmp_path)
    (tmp_path / "part-000000-000000-00000000.parquet").write_bytes(b"")
    with pytest.raises(
        fp.FencepostError, match=r"folder of a run.*--save .* --resume \(with .*\)\. Or save"
    ):
        fp.score_counts(tmp_path)


def test_an_undefined_value_is_an_empty_cell(tmp_path):
    gold = {"a": [3, 4], "b": [1]}  # Pk has no window in one unit
    part = fp.score(gold, gold, metrics="pk", baselines=False, intervals=False).part("counts")
    save(part, tmp_path / "c.csv")
    lines = (tmp_path / "c.csv").read_text(encoding="utf-8").splitlines()
    at = lines[0].split(",").index("value")
    assert [line.split(",")[at] for line in lines[1:]] == ["0.0", ""]
