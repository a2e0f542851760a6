"""Imports go one way, and importing the package stays light."""

import ast
import inspect
import pydoc
import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import fencepost

ORDER = ["_core", "_version", "_command", "wording", "options", "model", "files", "compression",
         "_threads", "blocks", "plugins",
         "metrics", "compat", "statistics", "scoring", "coders", "formats",
         "streams", "study",
         "report", "batch", "cli"]  # fmt: skip
PACKAGE = Path(str(files("fencepost")))


def imported_rooms(path: Path) -> set[str]:
    rooms = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("fencepost"):
            parts = (node.module or "").split(".")
            rooms |= {parts[1]} if len(parts) > 1 else {alias.name for alias in node.names}
    return rooms


def test_no_room_imports_one_that_stands_behind_it():
    # Things may draw themselves: that import runs only when they are asked to.
    drawn_on_demand = {
        (room, "report") for room in ("model", "metrics", "scoring", "streams", "study")
    }
    wrong = []
    for path in PACKAGE.rglob("*.py"):
        room = path.relative_to(PACKAGE).with_suffix("").parts[0]
        if room in ("__init__", "__main__"):
            continue
        wrong += [
            f"{path.name} imports {other}"
            for other in imported_rooms(path)
            if ORDER.index(other) > ORDER.index(room) and (room, other) not in drawn_on_demand
        ]
    assert wrong == []


def test_every_room_is_in_the_order():
    names = {p.relative_to(PACKAGE).with_suffix("").parts[0] for p in PACKAGE.rglob("*.py")}
    assert names - {"__init__", "__main__"} <= set(ORDER)


def test_importing_loads_nothing_heavy():
    heavy = ["rich", "pandas", "polars", "pyarrow", "argparse", "fencepost.formats",
             "fencepost.scoring.count", "fencepost.cli", "fencepost.report", "jinja2",
             "matplotlib"]  # fmt: skip
    code = f"import sys, fencepost; print([m for m in {heavy!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_small_score_loads_only_what_it_needs(tmp_path):
    # numpy.ma comes with a plain np.unique; words, other formats, tests and pages with their use.
    heavy = {"numpy.ma", "pandas", "pyarrow", "matplotlib", "importlib.metadata", "subprocess",
             "fencepost.streams", "fencepost.coders", "fencepost.study", "fencepost.report.html",
             "fencepost.report.markup", "fencepost.report.strips", "fencepost.statistics.tests",
             "fencepost.statistics.ranks", "fencepost.model.documents", "fencepost.model.arrow",
             "fencepost.formats.segment_rows", "fencepost.formats.tables",
             "fencepost.formats.separated", "fencepost.formats.sheets"}  # fmt: skip
    code = "import sys, numpy; print(*sys.modules)"  # numpy 1 loads more of itself
    heavy -= set(subprocess.check_output([sys.executable, "-c", code], text=True).split())
    lines = "".join(f'{{"id": "t{n}", "ref": [2, {n}], "hyp": [1, {n + 1}]}}\n' for n in (2, 3, 4))
    (tmp_path / "both.jsonl").write_text(lines, encoding="utf-8")
    (tmp_path / "ref.json").write_text('{"t1": [2, 3], "t2": [4, 4]}', encoding="utf-8")
    (tmp_path / "hyp.json").write_text('{"t1": [3, 2], "t2": [4, 4]}', encoding="utf-8")
    for given in (["both.jsonl"], ["ref.json", "-i", "hyp.json"]):
        code = (
            "import sys; from fencepost.cli import main; "
            f"code = main(['score', *{given!r}]); print(*sys.modules, file=sys.stderr); "
            "sys.exit(code)"
        )
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path
        )
        assert "WindowDiff" in done.stdout
        loaded = set(done.stderr.split())
        assert "fencepost.scoring.count" in loaded
        assert not heavy & loaded


def test_every_public_name_is_there_and_every_metric_is_public():
    assert fencepost.__all__[:6] == ["score", "read", "agreement", "resegment", "probe", "Corpus"]
    assert len(set(fencepost.__all__)) == len(fencepost.__all__)
    assert set(fencepost.METRICS) <= set(fencepost.__all__)
    assert {*fencepost.__all__} <= {*dir(fencepost)}
    for name in fencepost.__all__:
        assert getattr(fencepost, name) is not None
    modules = {name for name in fencepost.__all__ if inspect.ismodule(getattr(fencepost, name))}
    assert modules == {"simulate", "plot"}  # no module hides a function of its name


def test_help_shows_the_everyday_names_first():
    text = pydoc.plain(pydoc.render_doc(fencepost))
    places = [text.index(f"    {name}") for name in fencepost.__all__[:6]]
    assert places == sorted(places)
    assert places[-1] < text.index("PACKAGE CONTENTS")
    for name in ("score", "read", "agreement", "resegment", "probe"):  # loaded when first used
        assert re.search(rf"^    {name}\(", text[text.index("\nFUNCTIONS\n") :], re.MULTILINE)
    assert "    class Corpus(" in text


def test_the_installed_package_is_tested_not_the_source_folder():
    assert PACKAGE.parent != Path(__file__).parent.parent / "src"
    assert (PACKAGE / "py.typed").is_file()
    assert "class Rows64" in (PACKAGE / "_core.pyi").read_text(encoding="utf-8")
