"""Every example in a docstring is run."""

import doctest
import importlib
import pkgutil

import pytest

import fencepost

MODULES = [
    name
    for _, name, _ in pkgutil.walk_packages(fencepost.__path__, "fencepost.")
    if not name.endswith(("__main__", "_core"))
]


@pytest.mark.parametrize("name", ["fencepost", *MODULES])
def test_examples_give_what_they_say(name):
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0


def test_examples_of_metrics_are_found():
    module = importlib.import_module("fencepost.metrics.window")
    found = {test.name for test in doctest.DocTestFinder().find(module) if test.examples}
    assert "fencepost.metrics.window.windowdiff" in found
