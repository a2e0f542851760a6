"""Files that tests of this folder share."""

from functools import partial

import pytest

import support


@pytest.fixture
def put(tmp_path):
    """Write a file and give its path."""
    return partial(support.put, tmp_path)
