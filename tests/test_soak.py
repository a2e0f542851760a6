"""The soak tells a leak from what an allocator keeps and from caches that are filled."""

import subprocess
import sys
from pathlib import Path

import pytest

import soak

PROGRAM = Path(soak.__file__)


def test_what_goes_up_and_down_is_no_growth():
    assert not soak.grows([50, 70, *[80, 84] * 40])[2]
    assert soak.grows([50, 70, *[80 + i / 40 for i in range(80)]])[2]
    assert not soak.grows([80 + i / 1000 for i in range(80)])[2]  # 0.1% in the whole run


@pytest.mark.slow
@pytest.mark.parametrize("leaks", [False, True])
def test_a_leak_is_noticed(leaks):
    command = [sys.executable, PROGRAM, "--rounds", "100", "--only", "batch"]
    done = subprocess.run(
        [*command, *["--leak"] * leaks], capture_output=True, text=True, check=False,
        cwd=PROGRAM.parent,
    )  # fmt: skip
    assert done.returncode == leaks, done.stdout + done.stderr
    assert (" leak\n" in done.stdout) == leaks
