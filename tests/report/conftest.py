"""Files that tests of this folder share."""

import pytest

from pages import made


@pytest.fixture(scope="module")
def systems():
    return {"ours": made({"d1": [4, 6], "d2": [3, 9]}), "theirs": made({"d1": [10], "d2": [12]})}
