"""The notebooks under examples/ run from top to bottom, and are kept without outputs."""

import json
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.ipynb"))


def test_there_is_one_for_every_everyday_task():
    assert [path.stem for path in EXAMPLES] == ["agree", "look", "resegment", "score"]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_outputs_are_not_kept(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert code and all(not cell["outputs"] and cell["execution_count"] is None for cell in code)


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # of the machinery of notebooks, none of them ours
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_a_notebook_runs(path, tmp_path):
    nbclient = pytest.importorskip("nbclient", reason="notebooks need nbclient and ipykernel")
    pytest.importorskip("ipykernel", reason="notebooks need nbclient and ipykernel")
    import nbformat

    notebook = nbformat.read(path, as_version=4)
    settings = {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(notebook, timeout=120, resources=settings).execute()
    last = [cell for cell in notebook.cells if cell.cell_type == "code"][-1]
    assert last.outputs and all(one.output_type != "error" for one in last.outputs)
