"""Run a command in a process of its own, and say what it cost: processor time, wait, memory."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import NamedTuple

KIBIBYTE = 1 if sys.platform == "darwin" else 1024  # what ru_maxrss is counted in


class Cost(NamedTuple):
    """What one run took: seconds of processor time and of waiting, and the most bytes held."""

    cpu: float
    wall: float
    peak: int


class Child:
    """Runs commands with Python's compiled files kept in a folder, as an installation has them."""

    def __init__(self, folder: str) -> None:
        """Take the folder for the compiled files; the source tree stays as it is.

        One thread each for us and for numpy's matrix products: idle threads of OpenBLAS wait
        actively, and would add the time that a process takes to its processor time once more.
        """
        self.environment = dict(
            os.environ,
            FENCEPOST_THREADS="1",
            OPENBLAS_NUM_THREADS="1",
            PYTHONPYCACHEPREFIX=folder,
        )
        self.environment.pop("PYTHONDONTWRITEBYTECODE", None)

    def run(self, *command: str) -> Cost:
        """Run Python with these arguments once.

        Linux adds to ru_maxrss what the parent held when it started the child. So a small process
        in between starts it (this file as a program), however much the benchmark itself holds.
        """
        done = subprocess.run(
            [sys.executable, "-I", __file__, sys.executable, *command],
            env=self.environment,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)} failed:\n{done.stderr}")
        cpu, wall, peak = done.stdout.split()
        return Cost(float(cpu), float(wall), int(peak))

    def best(self, *commands: list[str], runs: int = 3) -> list[Cost]:
        """Return the least cost of each command, over rounds of all, after one to warm up.

        Rounds keep a busy moment of the machine from hitting one command alone.
        """
        rounds = [[self.run(*command) for command in commands] for _ in range(runs + 1)][1:]
        return [Cost(*map(min, zip(*costs, strict=True))) for costs in zip(*rounds, strict=True)]


def _measure(command: list[str]) -> int:
    """Run the command with its output thrown away, and print what it cost."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    start = time.perf_counter()
    pid = os.posix_spawn(
        command[0], command, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, nowhere, 1)]
    )
    _, status, used = os.wait4(pid, 0)
    wall = time.perf_counter() - start
    print(used.ru_utime + used.ru_stime, wall, used.ru_maxrss * KIBIBYTE)
    return os.waitstatus_to_exitcode(status)


if __name__ == "__main__":
    sys.exit(_measure(sys.argv[1:]))
