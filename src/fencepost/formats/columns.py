"""JSON lines of segment sizes, read straight into columns."""

from __future__ import annotations

from pathlib import Path

from fencepost.corpus import Corpus
from fencepost.formats.base import Reading


def read_columns(path: Path, reading: Reading) -> Corpus | None:
    """The file as columns, or None where it is not plain enough for that."""
    return None
