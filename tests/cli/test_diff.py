"""fencepost diff: why a number moved between two results."""

import copy
import functools
import json
import math
import operator
import random
import re

import pytest

import fencepost as fp
from fencepost.scoring.diff import diff
from support import csv_rows, ok, put, refused, run

GOLD = {"a": [2, 3, 4, 3], "b": [5, 5, 2], "c": [1, 6, 3, 1, 2], "d": [4, 3, 4], "e": [2, 2, 2, 7]}
OURS = {**GOLD, "a": [3, 2, 4, 3]}


@pytest.fixture
def folder(tmp_path):
    put(tmp_path, "gold.json", GOLD)
    put(tmp_path, "ours.json", OURS)
    return tmp_path


def score(folder, target, *words, hyps=("ours.json",), ref="gold.json", **settings):
    """Score into a file: of counts, or of results with or without texts."""
    how = ["--save", target] if target.endswith(("csv", "parquet")) else ["--json", "-o", target]
    metrics = [] if "-m" in words or "--signature" in words else ["-m", "WD", "B"]
    ok("score", ref, "-i", *hyps, *metrics, *words, *how, cwd=folder, notes=True, **settings)
    return target


def said(folder, before, after):
    return ok("diff", before, after, cwd=folder)


FORMS = [("a.csv", "b.csv", ()), ("a.json", "b.json", ("--per-text",)), ("a.csv", "b.json", ())]


@pytest.mark.parametrize(("first", "second", "words"), FORMS, ids=["counts", "json", "mixed"])
def test_nothing_moved(folder, first, second, words):
    score(folder, first, *words)
    score(folder, second, *words)
    assert said(folder, first, second) == "all numbers are the same\n"


@pytest.mark.parametrize(("first", "second", "words"), FORMS, ids=["counts", "json", "mixed"])
def test_other_boundaries_of_a_system(folder, first, second, words):
    score(folder, first, *words)
    put(folder, "ours.json", {**OURS, "c": [13]})
    score(folder, second, *words)
    out = said(folder, first, second)
    assert "other data: the boundaries of ours " in out and " -> " in out
    assert "reference" not in out and "settings" not in out and "version" not in out
    assert [line.split()[-1] for line in out.splitlines()[1:3]] == ["data", "data"]
    if first.endswith("csv") == second.endswith("csv"):
        moved = out.partition("texts that moved\n")[2].splitlines()[1:]
        assert len(moved) == 2 and all(line.startswith("c ") for line in moved)
    else:
        assert "which texts moved is not known" in " ".join(out.split())


def test_only_numbers_of_a_system_that_moved_have_other_data(folder):
    put(folder, "theirs.json", GOLD)
    score(folder, "a.csv", "-m", "WD:k=3", hyps=("ours.json", "theirs.json"))
    put(folder, "theirs.json", {**GOLD, "c": [13]})
    score(folder, "b.csv", "-m", "WD:k=4", hyps=("ours.json", "theirs.json"))
    moved = json.loads(ok("diff", "a.csv", "b.csv", "--json", cwd=folder))
    why = {row["system"]: row["why"] for row in moved["rows"]}
    assert why == {"ours": "settings", "theirs": "data, settings"}


def test_the_order_of_rows_does_not_count(folder):
    score(folder, "a.json", "--per-text")
    found = json.loads((folder / "a.json").read_text())
    first = [row["system"] for row in found["rows"]]
    found["rows"].sort(key=lambda row: (row["metric"], row["system"] == "ours"))
    assert [row["system"] for row in found["rows"]] != first  # a baseline before a system
    put(folder, "b.json", found)
    assert said(folder, "a.json", "b.json") == "all numbers are the same\n"


def test_another_reference_and_other_texts(folder):
    score(folder, "a.csv")
    put(folder, "gold.json", {**GOLD, "b": [6, 4, 2], "f": [3, 3]})
    put(folder, "ours.json", {**OURS, "f": [2, 4]})
    out = said(folder, "a.csv", score(folder, "b.csv"))
    assert "other data: the reference gold " in out
    assert "other data: 1 text only in b.csv (f)" in out
    before, after = [
        fp.score(gold, {"ours": OURS}, metrics="WD", baselines=False)[0]["value"]
        for gold in (GOLD, {**GOLD, "b": [6, 4, 2]})
    ]
    assert f"windowdiff of ours over the 5 texts of both: {before:.3f} -> {after:.3f}" in out
    put(folder, "gold.json", {**GOLD, "b": [5, 7], "f": [3, 3]})
    out = said(folder, "b.csv", score(folder, "c.csv"))
    assert "1 text with other numbers of units or reference boundaries (b)" in " ".join(out.split())


def test_other_settings(folder):
    score(folder, "a.csv", "-m", "WD", "F", "F:tolerance=1")
    score(folder, "b.csv", "-m", "F:tolerance=1", "F:tolerance=2", "WD:k=5")
    out = said(folder, "a.csv", "b.csv")
    assert "other settings: k of windowdiff auto-half-up -> 5\n" in out
    assert "other settings: tolerance of boundary_f 0 -> 2\n" in out
    assert "data" not in out and "tolerance of boundary_f 1" not in out


def test_other_reading(tmp_path):
    bits = '{"id": "a", "ref": [1, 0, 0, 1, 0, 1, 0, 0]}\n'
    put(tmp_path, "gold.jsonl", bits)
    put(tmp_path, "hyp.jsonl", bits.replace("0, 1, 0, 0", "1, 0, 0, 0"))
    files = {"ref": "gold.jsonl", "hyps": ["hyp.jsonl", "--hyp-field", "ref"]}
    score(tmp_path, "a.csv", "--flags", "first", **files)
    score(tmp_path, "b.csv", "--flags", "last", **files)
    out = said(tmp_path, "a.csv", "b.csv")
    assert "other reading: flags first -> last\n" in out


def test_another_version(folder):
    score(folder, "a.csv")
    text = (folder / "a.csv").read_text()
    put(folder, "b.csv", text.replace(f"fencepost:{fp.__version__}", "fencepost:0.1.0"))
    assert (
        said(folder, "a.csv", "b.csv")
        == f"all numbers are the same\nother version: fencepost {fp.__version__} -> 0.1.0\n"
    )
    put(folder, "mine.py", "def near(ref, hyp):\n    return float(ref == hyp)\n")
    score(folder, "c.csv", "-m", "mine.py:near:better=higher")
    put(folder, "mine.py", "def near(ref, hyp):\n    return float(ref == hyp) / 2\n")
    score(folder, "d.csv", "-m", "mine.py:near:better=higher")
    out = said(folder, "c.csv", "d.csv")
    assert "other version: mine.py " in out and "version\n" in out


def test_a_number_that_nothing_explains(folder):
    def steady(ref, hyp):
        return 1.0

    steady.better = "higher"
    for name, value in (("a", 1.0), ("b", 0.5)):
        table = fp.score(GOLD, {"s": OURS}, metrics=[steady], baselines=False)
        rows = [{**row, "value": value} for row in table.to_dicts()]
        put(folder, f"{name}.json", {**json.loads(table.to_json()), "rows": rows, "notes": []})
    out = said(folder, "a.json", "b.json")
    assert "the function itself may have changed" in " ".join(out.split())


def test_runs_and_several_references_are_means(folder):
    put(folder, "gold2.json", {**GOLD, "d": [5, 2, 4]})
    put(folder, "one.json", GOLD)
    words = ["--runs", "both=one,ours"]
    hyps = ("one.json", "ours.json")

    def scored(target):
        return score(folder, target, *words, hyps=hyps, ref="gold.json")

    ok("score", "gold.json", "gold2.json", "-i", *hyps, *words, "-m", "B", "--save", "a.csv",
       cwd=folder, notes=True)  # fmt: skip
    put(folder, "one.json", {**GOLD, "e": [13]})
    ok("score", "gold.json", "gold2.json", "-i", *hyps, *words, "-m", "B", "--save", "b.csv",
       cwd=folder, notes=True)  # fmt: skip
    out = said(folder, "a.csv", "b.csv")
    assert "other data: the boundaries of one " in out
    texts = out.partition("texts that moved\n")[2].splitlines()[1:]
    assert len(texts) == 3 and all(line.startswith("e ") for line in texts)
    assert "-0.500" in texts[0] and "mean of references" in out


def test_runs_with_other_settings_have_the_same_data(folder):
    put(folder, "one.json", GOLD)
    words, hyps = ["--runs", "both=one,ours"], ("one.json", "ours.json")
    score(folder, "a.csv", "-m", "WD:k=3", *words, hyps=hyps)
    score(folder, "b.csv", "-m", "WD:k=4", *words, hyps=hyps)
    moved = json.loads(ok("diff", "a.csv", "b.csv", "--json", cwd=folder))
    assert {row["why"] for row in moved["rows"]} == {"settings"}


def test_systems_under_another_name_and_those_in_one_file_only(folder):
    score(folder, "a.csv")
    put(folder, "renamed.json", OURS)
    renamed = score(folder, "b.csv", hyps=("renamed.json",))
    assert said(folder, "a.csv", renamed) == "all numbers are the same\n"
    put(folder, "renamed.json", GOLD)
    out = said(folder, "a.csv", score(folder, "c.csv", hyps=("renamed.json",)))
    assert "other data: the system ours " in out and " -> renamed " in out
    out = said(folder, "a.csv", score(folder, "d.csv", hyps=("ours.json", "renamed.json")))
    assert "only in d.csv: windowdiff of renamed, boundary_similarity of renamed\n" in out


def test_other_forms(folder):
    score(folder, "a.csv")
    score(folder, "b.csv", "-m", "WD:k=5", "B")
    found = json.loads(ok("diff", "a.csv", "b.csv", "--json", cwd=folder))
    (row, same) = found["rows"]
    assert (row["metric"], row["why"]) == ("windowdiff", "settings")
    assert row["difference"] == row["after"] - row["before"] and same["difference"] == 0
    assert found["notes"] == ["other settings: k of windowdiff auto-half-up -> 5"]
    assert {one["text"] for one in found["texts"]} == {"a"}
    done = run("diff", "a.csv", "b.csv", "--csv", "--table", "texts", cwd=folder)
    assert [one["text"] for one in csv_rows(done.stdout)] == ["a"]
    assert "note: other settings" in done.stderr
    ok("diff", "a.csv", "b.csv", "--markdown", "-o", "out.md", cwd=folder, notes=True)
    assert (folder / "out.md").read_text().startswith("| system |")
    assert "would overwrite the input file b.csv" in refused(
        2, "diff", "a.csv", "b.csv", "-o", "b.csv", cwd=folder
    )
    assert diff(str(folder / "a.csv"), str(folder / "b.csv")).rows[0]["why"] == "settings"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "x.json cannot be read: No such file"),
        ("{", "x.json is not one JSON object ("),
        ('{"a":' * 100_000, "x.json is not one JSON object ("),
        ('{"rows": [{"a": 1}]}', "x.json holds JSON, but no table of scores; expected"),
        ('{"table": "scores", "rows": [3]}', "x.json holds JSON, but no table of scores"),
        ('{"table": "scores", "rows": 3}', "x.json holds JSON, but no table of scores"),
        ("a,b\n1,2\n", "x.json lacks the columns"),
        ('{"id": "a"}\n{"id": "b"}\n', "Extra data: line 2"),
    ],
)
def test_what_is_no_result_is_refused(folder, content, message):
    score(folder, "a.csv")
    if content is not None:
        put(folder, "x.json", content)
    found = refused(1, "diff", "a.csv", "x.json", cwd=folder)
    assert message in found
    if content is not None:  # what was expected, and what to do
        assert re.search(
            "expected what fencepost score --save (or --json )?wrote. Score with", found
        )


def test_results_without_a_common_number_are_refused(folder):
    score(folder, "a.csv", "-m", "WD")
    score(folder, "b.csv", "-m", "B")
    message = refused(1, "diff", "a.csv", "b.csv", cwd=folder)
    assert message.startswith("a.csv and b.csv have no number in common: only in a.csv: windowdiff")


def test_texts_whose_difference_is_undefined_come_first(folder):
    # Pk has no window in a text of one unit.
    for name, own in (("gold.json", GOLD), ("ours.json", OURS)):
        put(folder, name, {**own, "f": [1]})
    score(folder, "a.csv", "-m", "pk")
    for name, own in (("gold.json", GOLD), ("ours.json", {**OURS, "c": [13]})):
        put(folder, name, {**own, "f": [1, 1]})
    score(folder, "b.csv", "-m", "pk")
    texts = diff(str(folder / "a.csv"), str(folder / "b.csv")).part("texts")
    assert [row["text"] for row in texts] == ["f", "c"]
    assert math.isnan(texts[0]["difference"]) and texts[1]["difference"] > 0


@pytest.mark.parametrize(("old", "new"), [("word", "sentence"), ("sentence", "word")])
def test_other_units(folder, old, new):
    for name, unit in (("a.json", old), ("b.json", new)):
        score(folder, name)
        plain = json.loads((folder / name).read_text(encoding="utf-8"))
        plain["facts"]["unit"] = unit
        put(folder, name, plain)
    assert f"other data: units {old} -> {new}" in said(folder, "a.json", "b.json")


# Damaged results.


@pytest.mark.parametrize(
    ("table", "cells", "sentence"),
    [
        ("rows", {"value": True}, "a value must be a number or null, found True"),
        ("rows", {"value": "0.5"}, "a value must be a number or null, found '0.5'"),
        ("rows", {"value": math.nan}, "a value must be a number or null, found nan"),
        ("rows", {"value": -5}, "windowdiff must be from 0 to 1, found -5"),
        ("rows", {"value": 99}, "windowdiff must be from 0 to 1, found 99"),
        ("per-text", {"value": 1e30}, "windowdiff must be from 0 to 1, found 1e+30"),
        ("rows", {"system": ["ours"]}, "system must be a text, found ['ours']"),
        ("rows", {"metric": {}}, "metric must be a text, found {}"),
        ("rows", {"metric": "pk"}, "the metric is 'pk' and its signature is 'windowdiff|k:auto"),
        ("per-text", {"text": []}, "text must be a text, found []"),
        ("per-text", {"signature": None}, "signature must be a text, found None"),
    ],
)
def test_a_damaged_row_is_told_with_its_file(folder, table, cells, sentence):
    score(folder, "a.json", "--per-text")
    found = json.loads((folder / "a.json").read_text(encoding="utf-8"))
    at = next(n for n, row in enumerate(found[table]) if row["metric"] == "windowdiff")
    found[table][at] |= cells
    put(folder, "b.json", found)
    said = refused(1, "diff", "a.json", "b.json", cwd=folder)
    assert said.startswith(f'b.json, "{table}", row {at + 1}: {sentence}'), said


@pytest.mark.parametrize("table", ["rows", "per-text"])
def test_a_row_that_is_given_twice_is_refused(folder, table):
    score(folder, "a.json", "--per-text")
    found = json.loads((folder / "a.json").read_text(encoding="utf-8"))
    found[table].append(found[table][0])
    put(folder, "b.json", found)
    said = refused(1, "diff", "b.json", "a.json", cwd=folder)
    assert said == (
        f'b.json, "{table}", row {len(found[table])}: this is given in row 1 already; remove one '
        "of them"
    )


def test_names_that_are_given_twice_and_odd_facts_are_refused(folder):
    score(folder, "a.json")
    text = (folder / "a.json").read_text(encoding="utf-8")
    put(folder, "b.json", text.replace('"rows":', '"rows": [], "rows":', 1))
    said = refused(1, "diff", "a.json", "b.json", cwd=folder)
    assert said.startswith("b.json is not one JSON object (a name is given twice in one object); ")
    for facts in ([], {"fingerprints": []}, {"fingerprints": {"ours": 3}}, {"reference": {}}):
        put(folder, "b.json", json.loads(text) | {"facts": facts or [1]})
        said = refused(1, "diff", "a.json", "b.json", cwd=folder)
        assert said.startswith("b.json holds JSON, but no table of scores; expected what fencepost")


@pytest.mark.slow
def test_damaged_results_end_in_a_result_or_a_sentence(folder):
    """Any value of the file replaced, removed or doubled, at random."""
    score(folder, "a.json", "--per-text", "--no-intervals")
    whole = json.loads((folder / "a.json").read_text(encoding="utf-8"))
    odd = [None, True, -5, 1e30, 10**40, "", "x", "pk|k:2", [], {}, [1], {"a": 1}, math.inf]
    drawn, refusals = random.Random(5), 0
    for _ in range(200):
        found = copy.deepcopy(whole)
        *way, last = drawn.choice(list(ways(whole)))
        holder = functools.reduce(operator.getitem, way, found)
        change = drawn.choice(["set", "set", "remove", "double"])
        if change == "set":
            holder[last] = drawn.choice(odd)
        elif change == "remove":
            del holder[last]
        elif isinstance(holder, list):
            holder.append(holder[last])
        put(folder, "b.json", found)
        for files in (("a.json", "b.json"), ("b.json", "a.json")):
            done = run("diff", *files, cwd=folder)
            assert done.returncode in (0, 1) and "Traceback" not in done.stderr
            refusals += done.returncode
    assert refusals > 50


def ways(value, *way):
    """The places of all values in a value of JSON."""
    if way:
        yield way
    if not isinstance(value, (dict, list)):
        return
    for name in value if isinstance(value, dict) else range(len(value)):
        yield from ways(value[name], *way, name)
