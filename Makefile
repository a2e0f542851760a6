# Two commands on a fresh machine: make demo, make test.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := pyproject.toml CMakeLists.txt README.md $(shell find cpp src -type f -not -name '*.pyc')

.PHONY: demo test test-fast lint bench reproduce docs clean

demo: .stamps/package
	$(BIN)/fencepost demo

# The tests run against the installed wheel; src is not on the path.
test: .stamps/test
	$(BIN)/python -m pytest

# The part that answers within a minute: all but slow tests and those in a browser.
test-fast: .stamps/test
	HYPOTHESIS_PROFILE=quick $(BIN)/python -m pytest -m "not slow and not browser"

lint: .stamps/test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy tests/oracle
	$(BIN)/clang-format --dry-run -Werror cpp/*/*.hpp cpp/*/*.cpp

bench: .stamps/test
	$(BIN)/python -m bench

# Every printed number of the five papers at the papers' own sizes: minutes, not part of the tests.
reproduce: .stamps/test
	$(BIN)/fencepost reproduce all

clean:
	rm -rf $(VENV) .stamps build dist

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

.stamps/package: $(BIN)/python $(SOURCES)
	$(BIN)/python -m pip install --quiet .
	@mkdir -p .stamps && touch $@

.stamps/test: $(BIN)/python $(SOURCES)
	$(BIN)/python -m pip install --quiet '.[test,lint]'
	@mkdir -p .stamps && touch .stamps/package $@
