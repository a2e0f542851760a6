"""Types that cannot be compared are refused before anything is counted, with files and ways out."""

import pytest

import fencepost as fp
from support import ok, put, refused

NUMBERS = fp.Segmentation.from_levels({2: 2, 4: 1}, 6)
NAMES = fp.Segmentation(6, [2, 4], [1, 2], ["section", "chapter"])
FIVE = fp.Segmentation(6, [2, 5], [1, 1], ["3"])
FLAT = fp.Segmentation(6, [2, 4])
TYPED = ["B", "S", "b_precision", "b_recall", "b_f", "Sf", "SfB"]


def scored(ref, hyp, metric, **more):
    (row,) = fp.score({"t": ref}, {"t": hyp}, metrics=metric, baselines=False, intervals=False,
                      **more)  # fmt: skip
    return row["value"]


@pytest.mark.parametrize("metric", TYPED)
@pytest.mark.parametrize("sides", [(NUMBERS, NAMES), (NAMES, NUMBERS)])
def test_numbers_beside_names_are_refused(metric, sides):
    with pytest.raises(fp.SegmentationError, match=r"have none in common, so .* cannot") as caught:
        scored(*sides, metric)
    for said in ("(1, 2)", "(chapter, section)", "Rename", "--types", "--levels all", "-m pk"):
        assert said in str(caught.value)


def test_every_way_out_of_numbers_beside_names_leads_to_a_number(tmp_path):
    order = "section<2<chapter<1"
    assert scored(NUMBERS, NAMES, "B", types=order) == pytest.approx(1 - 1 / 4)
    given = {("1", "chapter"): 0.0, ("2", "section"): 0.0, ("1", "section"): 1.0,
             ("2", "chapter"): 1.0, ("1", "2"): 1.0, ("chapter", "section"): 1.0}  # fmt: skip
    assert scored(NUMBERS, NAMES, fp.boundary_similarity.recipe(substitution=given)) == 1
    assert scored(NUMBERS, NAMES, "Sf:costs=positions") == 1
    assert scored(NUMBERS, NAMES, "pk") == 0
    table = "text,token,gold,sys\nd,a,,\nd,b,2,section\nd,c,,\nd,d,1,chapter\nd,e,,\n"
    put(tmp_path, "t.csv", table)
    command = ("score", "t.csv", "--columns", "ref=gold,hyp=sys", "-m", "B")
    said = refused(1, *command, cwd=tmp_path)
    assert said.startswith("the boundary types of gold of t.csv (1, 2) and sys (chapter, section)")
    assert "B 1.000" in " ".join(ok(*command, "--levels", "all", "--sentence", cwd=tmp_path,
                                    notes=True).split()).replace("= ", "")  # fmt: skip
    for name, column in (("g.csv", 2), ("h.csv", 3)):
        rows = [line.split(",") for line in table.splitlines()]
        put(tmp_path, name, "".join(f"{r[0]},{r[1]},{r[column]}\n" for r in rows))
    said = refused(1, "score", "g.csv", "-i", "h.csv", "-m", "B", cwd=tmp_path)
    assert said.startswith("the boundary types of g.csv (1, 2) and h.csv (chapter, section) have ")
    for more in (["edits", "g.csv", "-i", "h.csv"], ["score", "g.csv", "-i", "h.csv", "-m", "Sf"]):
        assert "have none in common" in refused(1, *more, cwd=tmp_path)


@pytest.mark.parametrize("metric", ["B", "S", "Sf", "b_f"])
def test_annotators_with_numbers_beside_names_are_refused(tmp_path, metric):
    texts = {"a": {"anna": FIVE, "boris": NUMBERS, "clara": NAMES}, "b": {"anna": FIVE}}
    corpus = fp.Corpus.from_dict(texts)
    with pytest.raises(fp.SegmentationError, match=r"anna \(3\) and clara \(chapter, section\)"):
        fp.agreement(corpus, metric=metric, intervals=False)
    for how in (
        {"types": "section<3<2<chapter<1"},
        {"types": ["section", "3", "2", "chapter", "1"]},
    ):
        priced = "Sf:costs=levels" if metric == "Sf" else metric
        rows = fp.agreement(corpus, metric=priced, intervals=False, **how)
        assert all(0 <= row["observed"] <= 1 for row in rows)
    put(
        tmp_path,
        "t.csv",
        "text,token,anna,boris\nd,a,,\nd,b,2,section\nd,c,,\nd,d,1,chapter\nd,e,,\n",
    )
    said = refused(1, "agree", "t.csv", "-m", metric,
                   cwd=tmp_path)  # fmt: skip
    assert said.startswith("the boundary types of anna (1, 2) and boris (chapter, section) have ")
    assert ('--types "LEAST<...<GREATEST" with -m Sf:costs=levels' in said) == (metric == "Sf")
    assert ok("agree", "t.csv", "-m", "F", cwd=tmp_path)


def test_annotators_who_share_types_are_compared():
    some = fp.Segmentation(6, [2, 4], [1, 2], ["1", "chapter"])
    for one, other in ((NUMBERS, some), (NAMES, some), (NUMBERS, FIVE)):
        corpus = fp.Corpus.from_dict({"a": {"x": one, "y": other}})
        rows = fp.agreement(corpus, intervals=False)
        assert all(0 <= row["observed"] <= 1 for row in rows)


def test_types_in_common_and_other_names_are_compared():
    some = fp.Segmentation(6, [2, 4], [1, 2], ["1", "chapter"])
    for one, other in ((NUMBERS, some), (NAMES, some), (NAMES, fp.Segmentation(6, [2], [1], ["x"])),
                       (NUMBERS, fp.Segmentation.from_levels({2: 7}, 6)),
                       (NUMBERS, fp.Segmentation(6, [], [], []))):  # fmt: skip
        assert 0 <= scored(one, other, "B") <= 1


@pytest.mark.parametrize("metric", [*TYPED, "T", "L", "WDL"])
def test_one_side_without_types_is_named_by_its_file(tmp_path, metric):
    put(tmp_path, "gold.md", "a\n\n# A\n\nb\n\n## B\n\nc\n")
    put(tmp_path, "flat.json", {"gold": [1, 2]})
    said = refused(1, "score", "gold.md", "-i", "flat.json", "-m", metric, cwd=tmp_path)
    assert said.startswith("gold.md has boundary types (1, 2) and flat.json has none, so ")
    assert "--levels all reads gold.md without types" in said
    assert ("docs/hierarchy.md" in said) == (metric in ("T", "L", "WDL"))
    if metric in TYPED:
        ok("score", "gold.md", "-i", "flat.json", "-m", metric, "--levels", "all", cwd=tmp_path)
    turned = refused(1, "score", "flat.json", "-i", "gold.md", "-m", metric, cwd=tmp_path)
    assert turned.startswith("gold.md has boundary types (1, 2) and flat.json has none, so ")


def test_positions_of_one_side_without_types_are_compared():
    assert scored(NUMBERS, FLAT, "F") == 1


def test_a_flat_side_whose_boundaries_have_one_type_is_one_level(tmp_path):
    put(tmp_path, "gold.md", "a\n\n# A\n\nb\n\n## B\n\nc\n")
    put(tmp_path, "flat.jsonl", {"id": "gold", "ref": {"cuts": [1, 2], "kinds": ["1", "1"]},
                                 "units": 3})  # fmt: skip
    assert "T" in ok("score", "gold.md", "-i", "flat.jsonl", "--hyp-field", "ref", "-m", "T", "L",
                     cwd=tmp_path)  # fmt: skip


@pytest.mark.parametrize(
    "metric", ["Sf:costs=levels", "B:substitution=ordinal", "S:substitution=ordinal"]
)
def test_a_type_without_a_place_in_an_order_has_file_text_and_position(tmp_path, metric):
    put(tmp_path, "n.csv", "token,anna,ben\nIt,,\nrains,1,2\nso,,\nwe,chapter,1\ngo,,\n")
    both = ("--columns", "ref=anna,hyp=ben")
    for command in (("score", "n.csv", *both), ("agree", "n.csv"), ("edits", "n.csv", *both)):
        one = ("-m", metric)
        said = refused(1, *command, *one, cwd=tmp_path)
        assert said.startswith("n.csv: the boundary type 'chapter' is no number (text n by coder "
                               "anna, after token 4), and ")  # fmt: skip
        assert "--types" in said
        if metric != "Sf:costs=levels":
            continue
        said = refused(1, *command, *one, "--types", "1<2", cwd=tmp_path)
        assert said.startswith("n.csv: the boundary type 'chapter' is not in types 1<2 (text n by")


def test_tune_checks_types_too():
    soft = {"t": fp.Segmentation.from_probabilities([0.1, 0.9, 0.2, 0.8, 0.3])}
    with pytest.raises(fp.SegmentationError, match=r"has boundary types \(1, 2\) and .* has none"):
        fp.tune({"t": NUMBERS}, {"p": soft}, metrics="B")
