"""Files as people have them: the right numbers, or a refusal whose command gives them."""

from __future__ import annotations

import json

import pytest

import fencepost as fp
from support import SAMPLES, ok, put, refused, run_apart


def masses(path, *words):
    """Return what ``convert`` makes of a file, as sizes by text."""
    return json.loads(ok("convert", path, "-", "--to", "json", *words, notes=True))


def values(*words):
    """Return the first system's values by metric."""
    plain = ("--json", "--no-baselines", "--no-intervals")
    given = json.loads(ok("score", *words, *plain, notes=True))
    return {row["metric"]: row["value"] for row in given["rows"]}


@pytest.mark.slow
def test_a_short_program_that_reads_parquet_does_not_abort():
    """A thread that pyarrow leaves behind aborts some of the programs: code -6 (134 in a shell)."""
    pytest.importorskip("pyarrow")
    codes = [
        run_apart("convert", SAMPLES / "masses.parquet", "-", "--to", "json").returncode
        for _ in range(20)
    ]
    assert codes == [0] * 20


def test_precision_and_recall_are_those_of_boundaries(tmp_path):
    ref = put(tmp_path, "r.json", {"a": [3, 4, 5]})
    hyp = put(tmp_path, "h.json", {"a": [3, 2, 7]})
    found = values(ref, "-i", hyp, "-m", "precision", "recall", "f1")
    assert found == {"boundary_precision": 0.5, "boundary_recall": 0.5, "boundary_f": 0.5}
    assert fp.score({"a": [3, 4, 5]}, {"a": [3, 2, 7]}, metrics=["precision"]).rows


@pytest.mark.parametrize("sign", ["\t", " ", ","])
@pytest.mark.parametrize("names", [("1", "2"), ("101", "110"), ("2020", "7")])
def test_bit_strings_may_have_numbers_as_names(tmp_path, sign, names):
    one, two = names
    path = put(tmp_path, "x.bits", f"{one}{sign}00100\n{two}{sign}0110\n")
    assert masses(path) == {one: [3, 3], two: [2, 1, 2]}


def test_a_text_of_two_units_has_one_bit_also_beside_a_number(tmp_path):
    path = put(tmp_path, "x.bits", "1\t00100\n2\t1\n")
    assert masses(path) == {"1": [3, 3], "2": [1, 1]}
    path = put(tmp_path, "x.txt", "1\t00100\n2\t1\n")
    assert "only whole numbers with tabs" in refused(1, "convert", path, "-", "--to", "json")


def test_costs_of_two_directions_are_refused_on_the_command_line(tmp_path):
    costs = put(tmp_path, "costs.csv", "type,p,q,none\np,1,0.5,0\nq,0.25,1,0\nnone,0,0,1\n")
    table = put(tmp_path, "t.csv", "token,ref,hyp\na,,\nb,p,q\nc,,\n")
    said = refused(2, "score", table, "-m", "Sf", "--costs", costs)
    assert "on the command line a pair has one similarity" in said
    asked = fp.Costs.read(costs, symmetric=False)
    ref, hyp = (fp.Segmentation(3, [2], [kind], ["p", "q"]) for kind in (1, 2))
    assert fp.flexible_similarity(ref, hyp, costs=asked).value == 1 - 0.5 / 3
    assert fp.flexible_similarity(hyp, ref, costs=asked).value == 1 - 0.75 / 3
