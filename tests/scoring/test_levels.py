"""Scores of every level of a hierarchy, and of the whole."""

import pytest

import fencepost as fp
import support
from fencepost.metrics import METRICS
from support import csv_rows, put

GOLD = {
    "d1": fp.Segmentation(12, [2, 4, 7, 9], [2, 1, 3, 1], ["1", "2", "3"]),
    "d2": fp.Segmentation(10, [3, 6, 8], [1, 2, 2], ["1", "2"]),
}
SYSTEMS = {
    "near": {
        "d1": fp.Segmentation(12, [2, 5, 9], [1, 1, 2], ["1", "2"]),
        "d2": fp.Segmentation(10, [3, 6, 8], [1, 2, 3], ["1", "2", "3"]),
    },
    "far": {
        "d1": fp.Segmentation(12, [6], [1], ["1"]),
        "d2": fp.Segmentation(10, [1, 9], [2, 1], ["1", "2"]),
    },
}
WIKI = (
    "========,1,preface.\nA.\nB.\n========,1,Food.\nC.\nD.\n========,2,Fish.\nE.\nF.\n"
    "========,2,Mice.\nG.\n========,1,Past.\nH.\nI.\n"
)


def flat(texts, level):
    """The texts with the boundaries of this level and of coarser ones, one by one."""
    return {
        name: fp.Segmentation(
            seg.units, [cut for cut, kind in seg.named_cuts if int(kind) <= level]
        )
        for name, seg in texts.items()
    }


def test_a_level_is_scored_as_the_flat_segmentation_it_is():
    settings = {"metrics": ["pk", "windowdiff:k=2", "F", "S", "B", "A", "Sf"]}
    table = fp.score(GOLD, SYSTEMS, by="level", **settings)
    part = table.part("by-group")
    assert list(dict.fromkeys(part.column("group"))) == ["1", "2", "3", "total"]
    for level in (1, 2, 3):
        systems = {name: flat(texts, level) for name, texts in SYSTEMS.items()}
        alone = fp.score(flat(GOLD, level), systems, **settings)
        own = part.where(group=str(level))
        assert [row["value"] for row in own] == pytest.approx(
            [row["value"] for row in alone], nan_ok=True
        )
        assert {row["signature"].fields["levels"] for row in own} == {str(level)}
    total = [{k: v for k, v in row.items() if k != "group"} for row in part.where(group="total")]
    assert total == table.to_dicts()
    assert total == fp.score(GOLD, SYSTEMS, **settings).to_dicts()


def test_names_are_levels_in_the_declared_order():
    def named(texts):
        names = {"1": "chapter", "2": "section", "3": "verse"}
        return {
            text: fp.Segmentation(
                seg.units, seg.cuts, seg.kinds, [names[kind] for kind in seg.kind_names]
            )
            for text, seg in texts.items()
        }

    gold, systems = named(GOLD), {name: named(texts) for name, texts in SYSTEMS.items()}
    settings = {"metrics": ["windowdiff", "B"], "baselines": False, "by": "level"}
    types = "verse<section<chapter"
    part = fp.score(gold, systems, types=types, **settings).part("by-group")
    numbers = fp.score(GOLD, SYSTEMS, **settings).part("by-group")
    assert part.column("value") == numbers.column("value")
    assert part[0]["group"], part[0]["signature"].fields["levels"] == ("chapter", "chapter")
    # An order is of use to levels, where no metric looks at it.
    windows = fp.score(gold, systems, types=types, **{**settings, "metrics": "windowdiff"})
    assert windows.part("by-group").column("group")[0] == "chapter"
    with pytest.raises(fp.SegmentationError, match="'chapter' is no level"):
        fp.score(gold, systems, **settings)


def test_flat_texts_have_no_levels():
    flat_system = {name: fp.Segmentation(seg.units, seg.places) for name, seg in GOLD.items()}
    for refs, hyps in ((GOLD, flat_system), (flat_system, GOLD)):
        with pytest.raises(fp.SegmentationError, match="boundaries without types have no levels"):
            fp.score(refs, hyps, by="level", metrics="B")


def test_a_metric_of_whole_hierarchies_has_the_total_only(tmp_path, monkeypatch):
    # Any metric that is declared so: here B stands for one.
    monkeypatch.setitem(vars(METRICS["boundary_similarity"]), "sees", "levels")
    part = fp.score(GOLD, SYSTEMS, by="level", metrics=["B", "F"]).part("by-group")
    assert {row["group"] for row in part if row["metric"] == "boundary_similarity"} == {"total"}
    with pytest.raises(fp.MetricError, match="no value on one level; add a metric"):
        fp.score(GOLD, SYSTEMS, by="level", metrics="B")
    put(tmp_path, "gold.txt", WIKI)
    put(tmp_path, "hyp.txt", WIKI)
    command = ("score", "gold.txt", "-i", "hyp.txt", "-m", "B", "F", "--by", "level", "-q")
    lines = support.run(*command, cwd=tmp_path).stdout.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("level "))
    assert lines[at].split() == ["level", "system", "texts", "B", "F"]
    assert lines[at + 1].split() == ["1", "hyp", "1", "1.000"]
    assert lines[at + 3].split() == ["total", "hyp", "1", "1.000", "1.000"]


def test_the_command_has_a_row_for_every_level_and_a_total(tmp_path):
    put(tmp_path, "gold.txt", WIKI)
    put(tmp_path, "hyp.txt", WIKI.replace(",2,Fish", ",1,Fish"))
    command = ("score", "gold.txt", "-i", "hyp.txt", "-m", "B", "F", "--by", "level")
    done = support.run(*command, cwd=tmp_path)
    assert "level  system  texts      B      F" in done.stdout
    rows = csv_rows(support.run(*command, "--csv", cwd=tmp_path).stdout)
    own = [row for row in rows if row["system"] == "hyp" and row["metric"] == "boundary_f"]
    assert [row["group"] for row in own] == ["1", "2", "total"]
    assert [float(row["value"]) for row in own] == pytest.approx([4 / 5, 1, 1])
    # The signature of a level gives its number again.
    again = support.run("score", "gold.txt", "-i", "hyp.txt", "--signature", own[0]["signature"],
                        "--csv", cwd=tmp_path)  # fmt: skip
    assert csv_rows(again.stdout)[0]["value"] == own[0]["value"]
    explained = support.run("metrics", own[0]["signature"]).stdout
    assert "boundaries of level 1 and of coarser levels counted, without types" in " ".join(
        explained.split()
    )
    assert "--levels 1" in explained
    support.run(*command, "--save", "counts.csv", cwd=tmp_path)
    refused = support.run("score", "--counts", "counts.csv", "--by", "level", cwd=tmp_path)
    assert refused.returncode == 2
    assert "--by level scores texts" in refused.stderr


NAMED = (
    "token,anna,ben\nIt,,\nrains,section,\nso,,section\nwe,chapter,chapter\ngo,,\n"
    "home,chapter,chapter\n"
)


def test_named_levels_have_costs_on_each_level(tmp_path):
    put(tmp_path, "n.csv", NAMED)
    numbered = NAMED.replace("section", "2").replace("chapter", "1")
    put(tmp_path, "m.csv", numbered)
    columns = ("--columns", "ref=anna,hyp=ben", "-m", "Sf:costs=levels", "--by", "level", "--csv")
    named = support.run("score", "n.csv", *columns, "--types", "section<chapter", cwd=tmp_path)
    numbers = support.run("score", "m.csv", *columns, cwd=tmp_path)
    assert named.returncode == numbers.returncode == 0
    own, other = csv_rows(named.stdout), csv_rows(numbers.stdout)
    assert {row["group"] for row in own} == {"chapter", "section", "total"}
    assert [row["value"] for row in own] == [row["value"] for row in other]
    flat = fp.flexible_similarity([2, 4], [3, 3], costs=fp.Costs.levels("section<chapter"))
    assert flat == fp.flexible_similarity([2, 4], [3, 3])


def test_costs_that_fit_no_level_are_refused_before_anything_is_printed(tmp_path):
    put(tmp_path, "n.csv", NAMED)
    put(tmp_path, "c.csv", ",chapter,section,none\nchapter,1,.5,0\nsection,.5,1,0\nnone,0,0,1\n")
    for command in (["score", "n.csv", "--columns", "ref=anna,hyp=ben"], ["agree", "n.csv"]):
        done = support.run(*command, "-m", "Sf", "--costs", "c.csv", "--by", "level", "--types",
                           "section<chapter", cwd=tmp_path)  # fmt: skip
        assert done.returncode == 2
        assert done.stdout == ""
        assert "identity, positions and levels fit any boundaries" in done.stderr


@pytest.mark.parametrize("command", [("score", "--columns", "ref=anna,hyp=ben"), ("agree",)])
@pytest.mark.parametrize(
    ("more", "message"),
    [((), "'chapter' is no level (text n by coder anna, after token 4): levels are"),
     (("--types", "verse<section"), "'chapter' is not in types verse<section (text n by coder anna,"
      " after token 4): give all levels")],
)  # fmt: skip
def test_unknown_levels_have_file_text_and_position(tmp_path, command, more, message):
    put(tmp_path, "n.csv", NAMED)
    done = support.run(command[0], "n.csv", *command[1:], "-m", "T", *more, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stdout == ""
    assert f"n.csv: the boundary type {message}" in done.stderr


def test_unknown_levels_of_a_pair_have_side_and_position():
    named = fp.Segmentation(6, [2, 4], [1, 2], ["1", "part"])
    with pytest.raises(fp.SegmentationError, match=r"level \(reference, after unit 4\): levels"):
        fp.t_f(named, fp.Segmentation(6, [3], [1], ["1"]))
