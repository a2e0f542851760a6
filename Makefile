# Two commands on a fresh machine: make demo, make test. `make help` lists the others.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := pyproject.toml CMakeLists.txt README.md $(shell find cpp src -type f -not -name '*.pyc')

.PHONY: help demo test test-fast test-engines test-oldest dist lint bench hostile mutation soak \
	sanitize sanitize-native sanitize-python fuzz reproduce docs pages pictures clean

demo: .stamps/package ## install, and score a small bundled example
	$(BIN)/fencepost demo

# The tests run against the installed wheel; src is not on the path.
test: .stamps/test ## install with the test extra, and run all tests
	$(BIN)/python -m pytest

# The part that answers within a minute: all but slow tests and those in a browser.
test-fast: .stamps/test ## the tests that answer within a minute
	HYPOTHESIS_PROFILE=quick $(BIN)/python -m pytest -n auto -m "not slow and not browser"

# Scoring on a local Dask cluster of processes, on Spark in local mode (needs Java), on Ray and from
# an S3 server (moto), as one thread would; and the recipes for torch (TORCH can name a smaller build
# for CPUs), torchmetrics and evaluate.
TORCH ?= torch==2.13.0
test-engines: .stamps/test ## the tests on Dask, Spark, Ray, S3 and torch
	$(BIN)/python -m pip install --quiet 'distributed>=2024.1' 'pyspark>=3.5' s3fs \
		'moto[s3,server]==5.2.5'
	$(BIN)/python -m pip install --quiet 'ray[data]==2.60.0' || \
		echo "Ray could not be installed: its test is skipped"
	{ $(BIN)/python -m pip install --quiet $(TORCH) && \
		$(BIN)/python -m pip install --quiet torchmetrics==1.9.0 evaluate==0.4.6; } || \
		echo "torch could not be installed: the tests of training loops are skipped"
	$(BIN)/python -m pytest -m engines tests/batch

# The lowest versions that pyproject.toml allows, in an environment of their own.
OLDEST := build/oldest
test-oldest: .stamps/test ## some tests with the oldest dependencies that are allowed
	$(PYTHON) -m venv --clear $(OLDEST)
	$(BIN)/python -m pip install --quiet 'uv>=0.5'
	$(BIN)/uv pip install --quiet --python $(OLDEST)/bin/python --resolution lowest-direct '.[all]' \
		'pytest>=8' 'hypothesis>=6.100' 'scipy>=1.11' 'duckdb>=1.3'
	$(OLDEST)/bin/python -m pip check
	$(OLDEST)/bin/python -m pytest -q -p no:cacheprovider -m "not slow and not browser" \
		tests/golden tests/model tests/batch tests/report tests/cli/test_about.py tests/test_imports.py

# The source distribution, and from it a wheel for each Python here, each tried without a compiler.
dist: .stamps/test ## sdist and wheels in dist/, each tried in an empty environment
	$(BIN)/python tests/dist.py

lint: .stamps/test ## ruff, mypy and clang-format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy tests/oracle
	$(BIN)/clang-format --dry-run -Werror cpp/*/*.[hc]pp tests/native/*.[hc]pp

bench: .stamps/test ## measure beside the other tools
	$(BIN)/python -m bench

# Ten thousand malformed inputs against every command, and how readers' time grows with a file.
hostile: .stamps/test ## 10,000 malformed inputs against every command
	$(BIN)/python tests/hostile.py

# A thousand small changes of the code, each against the tests that cover it (hours of one core),
# and some of the kernels.
mutation: .stamps/test ## change the code 1,000 times: do tests fail?
	$(BIN)/python -m pip install --quiet cosmic-ray==8.7.0 coverage==7.17.3
	$(BIN)/python tests/mutation.py
	$(BIN)/python tests/native/mutants.py

# Ten minutes of mixed calls through one process, whose memory must stay flat.
soak: .stamps/test ## ten minutes of mixed calls, memory flat
	PYTHONPATH=tests $(BIN)/python tests/soak.py

# Kernels, streams and scanners without Python, each beside a slow twin (tests/native): under
# AddressSanitizer and UndefinedBehaviorSanitizer, and the threads under ThreadSanitizer.
NATIVE := $(CURDIR)/build/native
CLANG := $(shell command -v clang++)
NATIVE_RUNS ?= 1000
CHECKED := $(MAKE) -s -j2 -C tests/native CXX=$(or $(CLANG),g++)

sanitize: sanitize-native sanitize-python ## kernels and scanners under three sanitizers

sanitize-native:
	$(CHECKED) BUILD=$(NATIVE)/checked SANITIZE=address,undefined $(NATIVE)/checked/native
	$(NATIVE)/checked/native --files tests/native/corpus --runs $(NATIVE_RUNS)
	$(CHECKED) BUILD=$(NATIVE)/threads SANITIZE=thread $(NATIVE)/threads/native
	$(NATIVE)/threads/native --runs $(NATIVE_RUNS) threads

# The same targets under libFuzzer, which clang has, for so many seconds each (two at a time); and
# damaged files read by the scanners and by the general readers.
FUZZ_S ?= 30
fuzz: .stamps/test ## libFuzzer, FUZZ_S seconds per target
	$(if $(CLANG),,$(error make fuzz needs clang with libFuzzer: apt-get install clang))
	$(CHECKED) BUILD=$(NATIVE)/checked SANITIZE=address,undefined $(NATIVE)/checked/fuzz
	$(BIN)/python tests/native/fuzz.py $(NATIVE)/checked/fuzz --seconds $(FUZZ_S)
	$(BIN)/python tests/native/scanners.py --seconds $(FUZZ_S)

# The Python tests of kernels and scanners against a module with AddressSanitizer and
# UndefinedBehaviorSanitizer that checks every element it is given. The package with that module
# lies in build/sanitize/site; the one in the virtual environment stays as it is.
SANITIZED_TESTS := tests/test_native_edge.py tests/metrics tests/model/test_pairs.py \
	tests/coders/test_unitizing.py tests/scoring/test_weighted.py \
	tests/formats/test_plain.py tests/formats/test_scan.py tests/streams/test_alignment.py \
	tests/streams/test_tokens.py
SANITIZED := $(CURDIR)/build/sanitize/site
RUNTIMES = $(shell g++ -print-file-name=libasan.so) $(shell g++ -print-file-name=libstdc++.so)

sanitize-python: .stamps/test
	$(BIN)/python -m pip install --quiet --upgrade --no-deps --target $(SANITIZED) \
		-C build-dir=build/sanitize/cmake -C cmake.build-type=Debug \
		-C cmake.define.FENCEPOST_CHECK=ON -C cmake.define.FENCEPOST_SANITIZE=ON .
	LD_PRELOAD="$(RUNTIMES)" ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc PYTHONPATH=$(SANITIZED) \
		$(BIN)/python -m pytest -q -p no:cacheprovider $(SANITIZED_TESTS)

# Every printed number of the five papers at the papers' own sizes: minutes, not part of the tests.
reproduce: .stamps/test ## every printed number of the five papers
	$(BIN)/fencepost reproduce all

# Pages that are made from the code, then the site in docs/_build/html: any warning and any broken
# link between pages is an error. Links to other sites are listed in external-links.txt beside it.
docs: .stamps/test ## the site, in docs/_build/html
	$(BIN)/python tests/options_page.py > docs/options.md
	$(BIN)/python tests/formats_page.py
	$(BIN)/python tests/findings_page.py
	$(BIN)/python -m sphinx -q -W --keep-going docs docs/_build/html

# The outputs of all commands in the tutorials and how-to pages, written anew: read the difference.
pages: .stamps/test ## the outputs in tutorials and how-to pages, anew
	$(BIN)/python tests/page_runner.py

# The pictures of the tutorials (needs Chromium): look at them before they are committed.
pictures: .stamps/test ## the pictures of the tutorials, anew
	$(BIN)/python tests/pictures.py

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

clean: ## remove what was built
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
