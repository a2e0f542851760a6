"""The data line names what numbers hang on: the order of types, widths, errors of draws; once."""

import json
import math

import numpy as np
import pytest

import fencepost as fp
from fencepost.scoring.facts import SettingFacts
from support import ok, put

GOLD = fp.Segmentation.from_levels({2: 2, 4: 1, 6: 2}, 9)
TWO = fp.Segmentation.from_levels({2: 1, 4: 1, 6: 2}, 9)
FOUR = fp.Segmentation.from_levels({2: 2, 4: 4, 6: 2}, 9)
ORDERED = ["B", "S", "b_precision", "b_recall", "b_f", "Sf:costs=levels", "T", "L", "WDL"]
TABLE = "text,token,anna,ben\nd,a,,\nd,b,2,2\nd,c,3,\nd,d,1,3\nd,e,,\n"


def settings_of(refs, hyps, metrics, **more):
    table = fp.score(refs, hyps, metrics=metrics, intervals=False, **more)
    return table.facts["settings"]


@pytest.mark.parametrize("metric", ORDERED)
@pytest.mark.parametrize("baselines", [True, False])
def test_every_metric_with_an_order_of_types_names_it(metric, baselines):
    said = settings_of({"t": GOLD}, {"t": TWO}, metric, baselines=baselines)
    assert said == ["levels from coarse to fine 1, 2"]


def test_an_order_is_named_where_it_prices_and_nowhere_else():
    def named(*kinds, **more):
        first, second = (fp.Segmentation(6, [2, 4], own, kinds) for own in ([1, 2], [2, 1]))
        return settings_of({"t": first}, {"t": second}, more.pop("metric", "B"), **more)

    assert named("a", "b") == []
    assert named("a", "b", metric="S") == ["boundary types a, b"]  # S divides by their number
    assert named("a", "b", types="b<a") == ["levels from coarse to fine a, b"]
    assert named("-1", "0.5") == ["boundary types by their numbers -1, 0.5"]
    assert named("1", "2", metric="B:substitution=nominal") == []
    assert named("1", "2", metric=fp.parse("Sf")) == []
    given = {"substitution": {("1", "2"): 0.3}}
    assert named("1", "2", metric=fp.boundary_similarity.recipe(**given)) == []
    # Declared types price, whether boundaries have them or not; so do declared names.
    assert named("1", "2", types="7<2<1") == ["levels from coarse to fine 1, 2, 7"]
    assert named("1", "2", "3") == ["levels from coarse to fine 1, 2, 3"]
    one = fp.Segmentation(6, [2], [1], ["1"])
    assert settings_of({"t": one}, {"t": one}, "B") == []
    many = [str(level) for level in range(1, 21)]
    assert named(*many) == ["levels from coarse to fine 1, 2, 3, 4, 5, 6, ..., 20"]


def test_the_named_scale_is_the_price():
    """B of two boundaries, one of them a level off, is 1 - 1 / (2 span) by what is said."""
    for names in (("1", "2"), ("1", "2", "5"), ("1", "2", "3", "9")):
        gold, hyp = (fp.Segmentation(6, [2, 4], own, names) for own in ([1, 2], [1, 1]))
        table = fp.score({"t": gold}, {"t": hyp}, metrics="B", intervals=False, baselines=False)
        (said,) = table.facts["settings"]
        levels = [int(name) for name in said.removeprefix("levels from coarse to fine ").split(",")]
        assert table[0]["value"] == pytest.approx(1 - 1 / (2 * (max(levels) - min(levels) + 1)))


def test_systems_and_annotators_with_other_types_have_their_own():
    both = {"near": {"t": TWO}, "far": {"t": FOUR}}
    assert settings_of({"t": GOLD}, both, "B") == [
        "levels from coarse to fine 1, 2 for near and the baselines",
        "levels from coarse to fine 1, 2, 4 for far",
    ]
    three = {"near": {"t": TWO}, "alike": {"t": GOLD}, "far": {"t": FOUR}}
    assert settings_of({"t": GOLD}, three, "T", baselines=False) == [
        "levels from coarse to fine 1, 2 for near and alike",
        "levels from coarse to fine 1, 2, 4 for far",
    ]
    # Annotators of one corpus have its types together, and a fact is said once.
    refs = {"t": {"anna": GOLD, "ben": TWO, "cara": FOUR}}
    for rule in ("each", "mean", "best", "consensus"):
        assert settings_of(refs, {"t": TWO}, ["B", "T"], reference_rule=rule) == [
            "levels from coarse to fine 1, 2, 4"
        ]


def test_widths_of_annotators_are_said_once_where_they_are_the_same():
    refs = {"t": {"anna": [4, 4], "ben": [2, 6], "cara": [2, 2, 2, 2]}}
    assert settings_of(refs, {"t": [4, 4]}, "pk") == ["k 2 for anna and ben", "k 1 for cara"]
    del refs["t"]["cara"]
    for rule in ("each", "mean", "best"):
        assert settings_of(refs, {"t": [4, 4]}, "pk", reference_rule=rule) == ["k 2"]


def test_metrics_with_other_facts_are_named():
    said = settings_of({"t": GOLD}, {"t": TWO}, ["B", "pk", "T"])
    assert said == ["B and T: levels from coarse to fine 1, 2", "Pk: k 1"]


def test_facts_that_are_neither_of_systems_nor_of_references_name_both():
    found = SettingFacts()
    for system, reference, fact in (("a", "x", "k 1"), ("a", "y", "k 2"), ("b", "x", "k 2"),
                                    ("b", "y", "k 1")):  # fmt: skip
        found.add([fact], "Pk", system, reference)
    assert found.sentences() == ["k 1 for a against x and b against y",
                                 "k 2 for a against y and b against x"]  # fmt: skip


@pytest.mark.parametrize("command", [
    ["score", "t.csv", "--columns", "ref=anna,hyp=ben", "-m", "B"],
    ["agree", "t.csv", "-m", "B", "--draws", "10"],
    ["edits", "t.csv", "--columns", "ref=anna,hyp=ben"],
])  # fmt: skip
def test_the_order_is_in_text_json_and_page(tmp_path, command):
    put(tmp_path, "t.csv", TABLE)
    said = "levels from coarse to fine 1, 2, 3"
    notes = {"notes": True}
    assert said in " ".join(ok(*command, cwd=tmp_path).split())
    facts = json.loads(ok(*command, "--json", cwd=tmp_path, **notes))["facts"]
    assert said in facts["settings"]
    if command[0] != "edits":
        ok(*command, "--html", "p.html", "-o", "out.txt", cwd=tmp_path, **notes)
        assert said in " ".join((tmp_path / "p.html").read_text(encoding="utf-8").split())
        assert said in " ".join(ok(*command, "--markdown", cwd=tmp_path, **notes).split())


def test_agreement_names_the_order_that_systems_add(tmp_path):
    columns = "text,token,anna,ben,cara\nd,a,,,\nd,b,2,2,2\nd,c,,,\nd,d,1,1,\nd,e,,,\n"
    put(tmp_path, "t.csv", columns)
    put(tmp_path, "s.csv", "text,token,lstm\nd,a,\nd,b,2\nd,c,\nd,d,4\nd,e,\n")
    out = ok("agree", "t.csv", "-i", "s.csv", "-m", "B", "--draws", "10", cwd=tmp_path)
    said = " ".join(out.split())
    assert "levels from coarse to fine 1, 2; levels from coarse to fine 1, 2, 4 beside sy" in said


def test_runs_over_files_name_the_order_of_the_declared_types(tmp_path):
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    table = pa.table({"n": [9], "g": [[2, 4]], "gt": [["1", "3"]], "h": [[2, 4]],
                      "ht": [["3", "1"]]})  # fmt: skip
    plan = fp.Plan(ref="g", hyp=["h"], encoding="positions", units="n", metrics=["B"],
                   kinds={"g": "gt", "h": "ht"}, kind_names=["1", "2", "3"])  # fmt: skip
    parquet.write_table(table, tmp_path / "t.parquet")
    facts = fp.score_files(tmp_path / "t.parquet", plan).facts
    assert facts["settings"] == ["levels from coarse to fine 1, 2, 3"]


# Errors of seeded draws.


def uncertain(texts, seed):
    rng = np.random.default_rng(seed)
    return {f"d{n}": fp.Segmentation.from_probabilities(rng.random(11)) for n in range(texts)}


def references(texts, seed, coders=("anna", "ben")):
    rng = np.random.default_rng(seed)
    return {
        f"d{n}": {c: fp.Segmentation(12, np.flatnonzero(rng.random(11) < 0.3) + 1) for c in coders}
        for n in range(texts)
    }


def error_by_hand(table, texts, coders):
    """Errors of each text's means, averaged over annotators, and of the mean over texts."""
    own = [row for row in table.part("counts").rows if row["system"] == "probs"]
    per_text = {}
    for row in own:
        mean = row["similarity"] / row["draws"]
        variance = (row["squares"] / row["draws"] - mean**2) / (row["draws"] - 1)
        per_text.setdefault(row["text"], []).append(math.sqrt(max(variance, 0)))
    assert all(len(errors) == coders for errors in per_text.values())
    return math.sqrt(sum(np.mean(e) ** 2 for e in per_text.values())) / texts


@pytest.mark.parametrize(("rule", "rows", "at_most"), [
    ("each", 2, "at most "), ("mean", 2, "at most "), ("best", 1, ""), ("consensus", 1, ""),
])  # fmt: skip
def test_one_error_of_draws_is_that_of_the_printed_number(rule, rows, at_most):
    table = fp.score(references(6, 3), {"probs": uncertain(6, 4)}, metrics="expected_b",
                     reference_rule=rule, intervals=False)  # fmt: skip
    error = error_by_hand(table, 6, rows)
    said = f"100 draws per text, standard error {at_most}{error:.2g}"
    assert table.facts["settings"] == [said]


def test_the_error_of_draws_is_what_other_seeds_move():
    refs, hyps = references(4, 5, ("anna",)), uncertain(4, 6)
    made = [
        fp.score(refs, hyps, metrics=f"expected_b:seed={seed}", intervals=False, baselines=False)
        for seed in range(60)
    ]
    spread = np.std([table[0]["value"] for table in made], ddof=1)
    (said,) = made[0].facts["settings"]
    assert float(said.split()[-1]) == pytest.approx(spread, rel=0.3)


def test_systems_have_errors_of_their_own_and_certain_ones_none():
    refs = references(4, 7, ("anna",))
    sure = {name: coders["anna"] for name, coders in references(4, 8, ("anna",)).items()}
    systems = {"soft": uncertain(4, 9), "sure": sure}
    (said,) = settings_of(refs, systems, "expected_b", baselines=False)
    assert said.startswith("100 draws per text, standard error 0.0")
    assert settings_of(refs, {"sure": sure}, "expected_b") == []
    one = settings_of(refs, {"soft": uncertain(4, 9)}, "expected_b:draws=1")
    assert one == ["1 draw per text"]  # whose spread nobody can tell
    two = {"soft": uncertain(4, 9), "other": uncertain(4, 10)}
    said = settings_of(refs, two, "expected_b:draws=30", baselines=False)
    assert [line.rsplit(" ", 1)[1] for line in said] == ["soft", "other"]
