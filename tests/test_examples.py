"""The notebooks under examples/ run from top to bottom, and say what they printed."""

import re

import pytest

from fencepost.cli import _DESCRIPTION
from notebooks import EXAMPLES, executed, texts


def test_there_is_one_for_every_everyday_task():
    everyday = _DESCRIPTION.partition("everyday\n")[2].partition("\n\n")[0]
    assert [path.stem for path in EXAMPLES] == sorted(re.findall(r"fencepost (\w+)", everyday))


def test_they_are_small():
    assert sum(path.stat().st_size for path in EXAMPLES) < 600_000


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # of the machinery of notebooks, none of them ours
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_a_notebook_prints_what_it_says(path, tmp_path):
    pytest.importorskip("nbclient", reason="notebooks need nbclient and ipykernel")
    pytest.importorskip("ipykernel", reason="notebooks need nbclient and ipykernel")
    import nbformat

    said = texts(nbformat.read(path, as_version=4))
    assert any(said) and said == texts(executed(path, tmp_path)), (
        f"python tests/notebooks.py {path}"
    )
