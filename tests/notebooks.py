"""Run notebooks under examples/ and keep their outputs: python tests/notebooks.py [FILE ...]."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.ipynb"))
MOST_TEXT = 60_000  # characters of one output; longer drawings are left to those who run it


def executed(path: Path, folder: Path) -> Any:
    """Return the notebook after a run in this folder."""
    import nbclient
    import nbformat

    notebook = nbformat.read(path, as_version=4)
    settings = {"metadata": {"path": str(folder)}}
    nbclient.NotebookClient(notebook, timeout=120, resources=settings).execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # when it ran
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            for kind in [kind for kind, text in data.items() if len(text) > MOST_TEXT]:
                del data[kind]
    notebook.metadata.language_info = {"name": "python"}
    return notebook


def texts(notebook: Any) -> list[str]:
    """Return what each cell prints and shows as plain text."""
    found = []
    for cell in notebook.cells:
        own = ""
        for output in cell.get("outputs", ()):
            assert output.output_type != "error", output
            text = output.get("text") or output.get("data", {}).get("text/plain", "")
            own += "an object" if " at 0x" in text else text
        found.append(own)
    return found


def main() -> None:
    """Run the named notebooks, or all, and write their outputs into them."""
    import nbformat

    for path in map(Path, sys.argv[1:] or map(str, EXAMPLES)):
        with tempfile.TemporaryDirectory() as folder:
            nbformat.write(executed(path, Path(folder)), path)


if __name__ == "__main__":
    main()
