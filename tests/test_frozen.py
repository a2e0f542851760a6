"""Checked data do not change: dataclasses are frozen."""

import dataclasses
import importlib
import inspect
import pkgutil

import pytest

import fencepost

# What changes while something is read, added up or laid out.
CHANGING = {
    "Cell", "Rows", "Totals", "Value", "_Document", "_Items", "_Open", "_Seen", "_Sentence",
}  # fmt: skip


def dataclasses_of_the_package():
    for module in pkgutil.walk_packages(fencepost.__path__, "fencepost."):
        if module.name.endswith("__main__"):
            continue
        for _, found in inspect.getmembers(importlib.import_module(module.name), inspect.isclass):
            if dataclasses.is_dataclass(found) and found.__module__ == module.name:
                yield found


CLASSES = sorted(dataclasses_of_the_package(), key=lambda one: one.__qualname__)


def test_there_are_many():
    assert len(CLASSES) > 50


@pytest.mark.parametrize("one", CLASSES, ids=lambda one: one.__qualname__)
def test_a_dataclass_is_frozen(one):
    assert one.__dataclass_params__.frozen == (one.__qualname__ not in CHANGING)
