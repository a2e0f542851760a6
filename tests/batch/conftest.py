"""Tests that start a cluster run only where they are asked for: make test-engines."""

import pytest


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if "engines" in config.getoption("-m"):
        return
    started = [item for item in items if "engines" in item.keywords]
    config.hook.pytest_deselected(items=started)
    items[:] = [item for item in items if "engines" not in item.keywords]
