"""score, edits and the page tell the same story about the same files, however texts are named."""

import csv
import io
import json
from collections import Counter

import pytest

import fencepost as fp
from fencepost.cli import main
from pages import data_in
from support import ok, put

GOLD = {"t1": [3, 4, 5], "t2": [2, 2, 6], "t3": [5, 4]}
HYP = {"t1": [4, 3, 5], "t2": [2, 8], "t3": [1, 8]}
ONE_GOLD, ONE_HYP = {"talk": [3, 4, 5, 2]}, {"talk": [4, 3, 7]}


def bits(sizes):
    ends = [sum(sizes[: i + 1]) for i in range(len(sizes) - 1)]
    return "".join("1" if place in ends else "0" for place in range(1, sum(sizes)))


def unit_rows(texts, side):
    """A row per unit with the number of its segment."""
    rows = ["text,unit,anna"]
    for text, sizes in texts.items():
        segments = [number for number, size in enumerate(sizes) for _ in range(size)]
        rows += [f"{text},{n},{segment}" for n, segment in enumerate(segments, start=1)]
    return "\n".join(rows) + "\n"


def lines_of(texts):
    return "".join(f"line {n}\n" * size + "==========\n" for sizes in texts.values()
                   for n, size in enumerate(sizes))  # fmt: skip


# A name, an ending, and what a file of it holds; `side` is the field of the side.
NAMED = {
    "json": (".json", lambda texts, side: json.dumps(texts)),
    "by-annotator": (".json", lambda texts, side: json.dumps(
        {t: {"1": s} for t, s in texts.items()})),
    "jsonl": (".jsonl", lambda texts, side: "".join(
        json.dumps({"id": t, side: s}) + "\n" for t, s in texts.items())),
    "reversed": (".jsonl", lambda texts, side: "".join(
        json.dumps({"id": t, side: s}) + "\n" for t, s in reversed(texts.items()))),
    "flags": (".jsonl", lambda texts, side: "".join(
        json.dumps({"id": t, side: [*map(int, bits(s)), 1]}) + "\n" for t, s in texts.items())),
    "tsv": (".tsv", lambda texts, side: "".join(
        f"{t}\t{' '.join(map(str, s))}\n" for t, s in texts.items())),
    "bits": (".bits", lambda texts, side: "".join(f"{t}\t{bits(s)}\n" for t, s in texts.items())),
    "table": (".csv", lambda texts, side: f"id,{side}\n" + "".join(
        f"{t},{' '.join(map(str, s))}\n" for t, s in texts.items())),
    "units": (".csv", unit_rows),
}  # fmt: skip
NUMBERED = {
    "masses": (".masses", lambda texts, side: "".join(
        " ".join(map(str, s)) + "\n" for s in texts.values())),
    "bits": (".bits", lambda texts, side: "".join(bits(s) + "\n" for s in texts.values())),
    "jsonl": (".jsonl", lambda texts, side: "".join(
        json.dumps({side: s}) + "\n" for s in texts.values())),
}  # fmt: skip
ALONE = {
    "named": NAMED["jsonl"],
    "named-json": NAMED["json"],
    "lines": (".txt", lambda texts, side: lines_of(texts)),
    "choi": (".ref", lambda texts, side: "==========\n" + lines_of(texts)),
    "units": (".csv", lambda texts, side: "\n".join(
        row.partition(",")[2] for row in unit_rows(texts, side).splitlines()) + "\n"),
}  # fmt: skip


def write(folder, name, shape, texts, side):
    ending, make = shape
    path = folder / f"{name}{ending}"
    path.write_text(make(texts, side), encoding="utf-8")
    return str(path)


def run(capsys, *words):
    code = main([str(word) for word in words])
    out, err = capsys.readouterr()
    assert code == 0, err
    return out


def story_of_edits(rows):
    """Per text: matches, near misses, missing and extra boundaries."""
    found = {}
    for row in rows:
        kind = {"match": "match", "transposition": "near miss"}.get(row["what"]) or (
            "missing" if row["side"] == "ref" else "extra"
        )
        found.setdefault(row["text"], Counter())[kind] += 1
    return found


def story_of_page(path):
    items = data_in(path.read_text(encoding="utf-8"))["texts"]["items"]
    found, values = {}, {}
    for item in items:
        ((_, _, matches, near, missing, extra, *_),) = item["p"]
        counts = {"match": len(matches), "near miss": len(near) // 2,
                  "missing": len(missing), "extra": len(extra)}  # fmt: skip
        found[item["t"]] = Counter({kind: n for kind, n in counts.items() if n})
        values[item["t"]] = item["v"]
    return found, values


def check(tmp_path, capsys, ref, hyp, expected, *options):
    table = run(capsys, "score", ref, "-i", hyp, "-m", "B", "--no-baselines", "--csv", "--table",
                "per-text", *options)  # fmt: skip
    values = {row["text"]: float(row["value"]) for row in csv.DictReader(io.StringIO(table))}
    edits = json.loads(run(capsys, "edits", ref, "-i", hyp, "-m", "B", "--json", "--text", *values,
                           *options))  # fmt: skip
    page = tmp_path / "page.html"
    run(capsys, "score", ref, "-i", hyp, "-m", "B", "--no-baselines", "--html", page, *options)
    drawn, shown = story_of_page(page)
    assert story_of_edits(edits["rows"]) == drawn
    assert shown == pytest.approx(values, abs=5e-4)
    # The values follow from the edits: one less the costs by the number of edits.
    for text, counts in drawn.items():
        cost = counts["near miss"] * 0.5 + counts["missing"] + counts["extra"]
        assert values[text] == pytest.approx(1 - cost / counts.total())
    assert sorted(tuple(sorted(own.items())) for own in drawn.values()) == expected


STORIES = (
    {"match": 1, "near miss": 1},
    {"match": 1, "missing": 1},
    {"missing": 1, "extra": 1},
)
THREE = sorted(tuple(sorted(own.items())) for own in STORIES)
ONE = [tuple(sorted({"match": 1, "near miss": 1, "missing": 1}.items()))]


@pytest.mark.parametrize("theirs", NAMED)
@pytest.mark.parametrize("ours", NAMED)
def test_texts_with_names(tmp_path, capsys, ours, theirs):
    ref = write(tmp_path, "gold", NAMED[ours], GOLD, "ref")
    hyp = write(tmp_path, "system", NAMED[theirs], HYP, "hyp")
    check(tmp_path, capsys, ref, hyp, THREE)


@pytest.mark.parametrize("theirs", NUMBERED)
@pytest.mark.parametrize("ours", NUMBERED)
def test_texts_without_names_meet_by_their_numbers(tmp_path, capsys, ours, theirs):
    ref = write(tmp_path, "gold", NUMBERED[ours], GOLD, "ref")
    hyp = write(tmp_path, "system", NUMBERED[theirs], HYP, "hyp")
    check(tmp_path, capsys, ref, hyp, THREE)


@pytest.mark.parametrize("theirs", ALONE)
@pytest.mark.parametrize("ours", ALONE)
def test_two_files_of_one_text_meet_even_where_one_has_no_name(tmp_path, capsys, ours, theirs):
    # The regression: score said B 1.000 where edits and the page said 0 matches.
    ref = write(tmp_path, "gold", ALONE[ours], ONE_GOLD, "ref")
    hyp = write(tmp_path, "system", ALONE[theirs], ONE_HYP, "hyp")
    check(tmp_path, capsys, ref, hyp, ONE)


def test_a_named_text_and_one_without_a_name_that_are_equal(tmp_path, capsys):
    ref = write(tmp_path, "gold", NAMED["jsonl"], ONE_GOLD, "ref")
    hyp = write(tmp_path, "system", ALONE["lines"], ONE_GOLD, "hyp")
    check(tmp_path, capsys, ref, hyp, [(("match", 3),)])


@pytest.mark.parametrize("missing", ["skip", "whole"])
def test_missing_texts(tmp_path, capsys, missing):
    ref = write(tmp_path, "gold", NAMED["json"], GOLD, "ref")
    some = {text: HYP[text] for text in ("t1", "t2")}
    hyp = write(tmp_path, "system", NAMED["jsonl"], some, "hyp")
    stories = [{"match": 1, "near miss": 1}, {"match": 1, "missing": 1}]
    stories += [{"missing": 1}] if missing == "whole" else []
    expected = sorted(tuple(sorted(own.items())) for own in stories)
    check(tmp_path, capsys, ref, hyp, expected, "--missing", missing)


def test_every_command_counts_the_same_boundaries(tmp_path):
    """A boundary type after the last token adds none."""
    table = "text,token,anna,ben\nd,a,,\nd,b,minor,\nd,c,major,minor\nd,d,,\nd,e,major,major\n"
    put(tmp_path, "t.csv", table)
    sides = ("--columns", "ref=anna,hyp=ben")
    said = json.loads(ok("score", "t.csv", *sides, "-m", "F", "--json", cwd=tmp_path, notes=True))
    look = fp.look(tmp_path / "t.csv")
    assert said["facts"]["reference_cuts"] == look.annotators[0].boundaries == 2
    drawn = ok("edits", "t.csv", *sides, "-m", "B", cwd=tmp_path, notes=True)
    assert "0 matches, 1 near miss, 1 missing, 0 extra" in drawn
