"""The page of migration: every pair of calls on it gives the same number."""

import re
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "migrate.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
ROWS = re.findall(r"^\| `([^`]+)` \| `([^`]+)` \|$", PAGE, re.MULTILINE)
NAMES: dict[str, object] = {}
exec(BLOCKS[0], NAMES)


def value(call: str) -> float:
    return float(eval(call, NAMES))  # a line of our own page


def test_there_are_calls():
    assert len(ROWS) >= 15


@pytest.mark.parametrize(("old", "new"), ROWS)
def test_old_call_and_new_call_give_one_number(old, new):
    assert value(new) == pytest.approx(value(old), abs=1e-12)


def test_swapped_arguments_change_the_number():
    one, two = [3, 9, 4], [1] * 16
    names = NAMES | {"one": one, "two": two}
    assert eval("fp.pk(one, two)", names) != eval("fp.pk(two, one)", names)
    found = eval("fp.pk(two, one, like='segeval')", names)
    assert found == pytest.approx(float(eval("segeval.pk(one, two)", names)), abs=1e-12)
