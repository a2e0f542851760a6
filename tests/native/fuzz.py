"""Run every fuzz target for so many seconds, two at a time: ``make fuzz FUZZ_S=30``.

Inputs that reach new code are kept in the build folder; one that fails is kept beside them, is
printed with its message, and belongs into ``corpus/TARGET/`` when the fault is mended.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

CORPUS = Path(__file__).parent / "corpus"


def targets(program: Path) -> list[str]:
    """Return the names that the program knows: it lists them when it is given none."""
    shown = subprocess.run([program], env=_environment(""), capture_output=True, text=True)
    return shown.stderr.partition("one of:")[2].split()


def _environment(target: str) -> dict[str, str]:
    """No allocation fails, and no report waits for a symbolizer that is not there."""
    options = "detect_leaks=0:allocator_may_return_null=1"
    return {**os.environ, "FENCEPOST_TARGET": target, "ASAN_OPTIONS": options}


def run(program: Path, target: str, seconds: int, seed: int) -> tuple[str, int, str]:
    """Fuzz one target; return its name, how many inputs it took, and what failed."""
    found = program.parent / "found" / target
    found.mkdir(parents=True, exist_ok=True)
    kept = CORPUS / target
    command = [
        str(program), f"-max_total_time={seconds}", f"-seed={seed}", "-max_len=700",
        "-len_control=0", "-timeout=30", "-rss_limit_mb=2000", "-print_final_stats=1",
        f"-artifact_prefix={found.parent}/{target}-", str(found),
        *([str(kept)] if kept.is_dir() else []),
    ]  # fmt: skip
    done = subprocess.run(
        command, env=_environment(target), capture_output=True, text=True, errors="replace"
    )
    inputs = re.search(r"stat::number_of_executed_units:\s*(\d+)", done.stderr)
    failed = "" if done.returncode == 0 else done.stderr[-4000:]
    return target, int(inputs.group(1)) if inputs else 0, failed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=Path)
    parser.add_argument("--seconds", type=int, default=10, help="for each target")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("targets", nargs="*")
    args = parser.parse_args()
    wanted = args.targets or targets(args.program)
    faults, total = 0, 0
    with ThreadPoolExecutor(args.jobs) as pool:
        for target, inputs, failed in pool.map(
            lambda one: run(args.program, one, args.seconds, args.seed), wanted
        ):
            print(f"{target:12} {inputs:9,} inputs{': FAILED' if failed else ''}", flush=True)
            print(failed, end="")
            faults, total = faults + bool(failed), total + inputs
    print(f"{total:,} inputs to {len(wanted)} targets, {faults} failed")
    return 1 if faults or not total else 0


if __name__ == "__main__":
    sys.exit(main())
