"""Coefficients of agreement have names, explanations and signatures of their own."""

import pytest

import fencepost as fp
from fencepost.metrics.coefficients import COEFFICIENTS
from fencepost.metrics.registry import find, parse_signature
from fencepost.options import OPTIONS
from support import csv_rows, ok, put, refused

TEXTS = {"d1": {"x": [5, 5, 4], "y": [5, 4, 5]}, "d2": {"x": [6, 6], "y": [5, 7]}}


def test_every_coefficient_of_agree_is_explained():
    (option,) = [one for one in OPTIONS if one.name == "coefficient"]
    assert set(COEFFICIENTS) == set(option.choices)
    for name, one in COEFFICIENTS.items():
        assert find(name) is find(name.upper()) is one
        out = ok("metrics", name)
        assert out.startswith(f"{name} ({one.title})\n")
        assert one.cite in " ".join(out.split())
        assert "\\frac" in one.doc or name == "bias"  # a formula
        assert "of all annotators of a text (fencepost agree)" in out
        assert "counts:" not in out
    assert "alpha_U, gamma" in " ".join(ok("metrics").split())


@pytest.mark.parametrize(("name", "said"), [
    ("gamma", ("aligned one to one", "Mathet, Widlöcher & Métivier (2015)", "random annotators")),
    ("alpha_U", ("squared distances", "Krippendorff (1995)", "could be anywhere")),
    ("kappa", ("A_o - A_e", "Cohen (1960)", "permutes their own segment sizes")),
])  # fmt: skip
def test_explanations_have_formula_chance_and_source(name, said):
    out = " ".join(ok("metrics", name).split())
    assert all(one in out for one in said)


def test_signatures_and_rows_of_segments_name_no_metric_of_boundaries(tmp_path):
    put(tmp_path, "a.json", TEXTS)
    rows = csv_rows(ok("agree", "a.json", "--all", "--csv", "--draws", "5", cwd=tmp_path,
                       notes=True))  # fmt: skip
    own = {row["coefficient"]: row for row in rows if row["coefficient"] in ("alpha_U", "gamma")}
    assert len(own) == 2
    for name, row in own.items():
        assert row["metric"] == name
        assert row["signature"].startswith(f"{name}|")
        recipe, context = parse_signature(row["signature"])
        assert (recipe.metric, context.coefficient) == (COEFFICIENTS[name], name)
        assert str(recipe.signature(context)) == row["signature"]
        explained = ok("metrics", row["signature"])
        assert explained.startswith(f"{name}: {COEFFICIENTS[name].doc.partition('.')[0][:40]}")
        assert "boundary_agreement" not in explained
        command = explained.strip().splitlines()[-1]
        assert command.startswith(f"fencepost agree FILE --coefficient {name}")
        assert "-m" not in command.split()
    # Those of decisions at exact positions are made from it.
    exact = {row["coefficient"] for row in rows if row["metric"] == "boundary_agreement"}
    assert {"alpha", "majority", "hearst"} <= exact


@pytest.mark.parametrize("name", ["alpha_U", "gamma"])
def test_a_signature_that_began_with_a_metric_is_explained_as_the_coefficient(name):
    out = ok("metrics", f"boundary_agreement|chance:sizes,30|coefficient:{name}|fencepost:0.2.0")
    assert out.startswith(f"{name}: ")
    assert "boundary_agreement" not in out


def test_other_coefficients_are_explained_by_their_metric_and_themselves():
    out = ok("metrics", "boundary_similarity|n_t:2|matching:optimal|chance:sizes,400|"
             "coefficient:kappa|seed:12345|fencepost:0.2.0")  # fmt: skip
    assert out.startswith("boundary_similarity: ")
    assert "coefficient is kappa: (observed - chance) / (1 - chance)" in " ".join(out.split())


def test_a_coefficient_is_no_metric_of_two_segmentations(tmp_path):
    put(tmp_path, "a.json", TEXTS)
    put(tmp_path, "h.json", {name: own["x"] for name, own in TEXTS.items()})
    for words in (["score", "a.json", "-i", "h.json"], ["agree", "a.json"]):
        said = refused(2, *words, "-m", "gamma", cwd=tmp_path)
        assert "gamma is a coefficient of agreement between annotators" in said
        assert "fencepost agree FILE --coefficient gamma" in said
    with pytest.raises(fp.MetricError, match="kappa is a coefficient"):
        fp.score(TEXTS, {"d1": [5, 5, 4], "d2": [6, 6]}, metrics="kappa")
    with pytest.raises(fp.MetricError, match="alpha is a coefficient"):
        find("alpha")([5, 5], [4, 6])
