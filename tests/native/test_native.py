"""The stand-alone tests: kernels, streams and scanners beside slow twins, without Python."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

HERE = Path(__file__).parent


def load(name: str) -> ModuleType:
    """Return a script of this folder as a module."""
    spec = importlib.util.spec_from_file_location(f"native_{name}", HERE / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def program() -> Path:
    """The program, compiled with every warning an error."""
    if shutil.which("g++") is None or shutil.which("make") is None:
        pytest.skip("needs g++ and make")
    build = HERE.parents[1] / "build" / "native" / "plain"
    command = ["make", "-s", "-C", str(HERE), f"-j{os.cpu_count()}", f"BUILD={build}"]
    made = subprocess.run(command, capture_output=True, text=True)
    assert made.returncode == 0, made.stdout[-3000:] + made.stderr[-3000:]
    return build / "native"


@pytest.mark.slow
def test_every_target_on_kept_and_on_random_inputs(program: Path) -> None:
    command = [program, "--files", HERE / "corpus", "--runs", "2000"]
    ran = subprocess.run(command, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    listed = {line.split()[0] for line in ran.stdout.splitlines()}
    assert {folder.name for folder in (HERE / "corpus").iterdir()} <= listed


@pytest.mark.slow
def test_damaged_files_are_read_alike_by_scanners_and_general_readers() -> None:
    scanners = load("scanners")
    tally = scanners.Tally()
    for seed in [*range(1, 800), 8795]:
        scanners.check(seed, tally)
    assert tally.quick > 100 and tally.refused > 100
