"""Type checkers understand the API: the README's examples pass mypy --strict, mistakes do not."""

import doctest
import os
import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

README = Path(__file__).parent.parent / "README.md"
PACKAGE = Path(str(files("fencepost")))

# An unused "type: ignore" is an error under --strict, so each of them marks a mistake that is seen.
CALLS = """
from typing import assert_type

import fencepost as fp
from fencepost.study.power import Power

sizes = [5, 5, 1, 3]
assert_type(fp.boundary_similarity(sizes, sizes).edits, tuple[fp.Edit, ...])
assert_type(fp.segmentation_similarity(sizes, sizes).edits, tuple[fp.Edit, ...])
assert_type(fp.flexible_similarity(sizes, sizes).edits, tuple[fp.Edit, ...])
assert_type(fp.alignment_similarity(sizes, sizes).edits, tuple[fp.Edge, ...])
assert_type(fp.read("gold.json"), fp.Corpus)
assert_type(fp.score(sizes, sizes), fp.Table)
two = {"now": {"model": "FNP1", "p": 0.30}, "next": {"model": "FNP1", "p": 0.20}}
for row in fp.power(fp.simulate.references(5, segments=9), simulate=two, metric="pk"):
    print(f"{row['texts']:3}  power {row['power']:.2f}  enough: {row['enough']}")
assert_type(fp.power([0.1, 0.2, 0.0, 0.1, 0.3], difference=0.1), Power)
assert_type(fp.power([0.1, 0.2, 0.0, 0.1, 0.3], difference=0.1).texts, int)
fp.power([0.1, 0.2, 0.0, 0.1, 0.3])  # type: ignore[call-overload]
fp.windowdiff(sizes, fp.Segmentation.from_masses(sizes), k=3, pad="lamprier", like="segeval")
fp.windowdiff(sizes, sizes, width=3)  # type: ignore[call-arg]
fp.windowdiff(sizes, sizes, k=2.5)  # type: ignore[arg-type]
fp.windowdiff(sizes)  # type: ignore[call-arg]
fp.windowdif(sizes, sizes)  # type: ignore[attr-defined]


def closeness(score: fp.Score) -> float:
    return score.value


closeness(fp.boundary_similarity(sizes, sizes))
"""


def readme_examples() -> str:
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    return "".join(one.source for one in doctest.DocTestParser().get_examples("\n".join(blocks)))


@pytest.mark.slow
def test_readme_and_calls_pass_mypy_strict(tmp_path):
    pytest.importorskip("mypy", reason="mypy is in the extra lint")
    (tmp_path / "readme.py").write_text(readme_examples(), encoding="utf-8")
    (tmp_path / "calls.py").write_text(CALLS, encoding="utf-8")
    installed = "site-packages" in PACKAGE.parts  # mypy finds it there by itself
    paths = {} if installed else {"MYPYPATH": str(PACKAGE.parent)}
    options = ["--strict", "--no-incremental", "--follow-imports=silent"]  # only these two files
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, "readme.py", "calls.py"],
        cwd=tmp_path,
        env={**os.environ, **paths},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "Success: no issues found in 2 source files\n", done.stdout + done.stderr
