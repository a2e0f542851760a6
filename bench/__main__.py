"""Run all comparisons, or the parts named: python -m bench windows edits alignment."""

from __future__ import annotations

import argparse
import time

import fencepost as fp
from bench import (
    agreement,
    alignment,
    batch,
    dropins,
    edits,
    flexible,
    formats,
    growth,
    hierarchy,
    html,
    journey,
    memory,
    runs,
    single,
    statistics,
    streams,
    tune,
    windows,
)
from bench.table import Results
from bench.timing import machine

RUN = {
    "single": single.run,
    "dropins": dropins.run,
    "windows": windows.run,
    "edits": edits.run,
    "alignment": alignment.run,
    "flexible": flexible.run,
    "hierarchy": hierarchy.run,
    "tune": tune.run,
    "agreement": agreement.run,
    "batch": batch.run,
    "growth": growth.run,
    "memory": memory.run,
    "runs": runs.run,
    "streams": streams.run,
    "formats": formats.run,
    "statistics": statistics.run,
    "html": html.run,
    "journey": journey.run,
    "million": journey.run_million,
}


def main() -> None:
    """Print the machine, the comparisons with peers, then how cost and memory grow."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(RUN)}; all if none")
    parts = parser.parse_args().parts or list(RUN)
    unknown = [part for part in parts if part not in RUN]
    if unknown:
        parser.error(f"no part {unknown[0]!r}; there are {', '.join(RUN)}")
    began = time.perf_counter()
    fp.set_threads(1)
    print(machine())
    print("One thread, fixed seeds, processor time, best of several runs. Both tools get the same")
    print("text in their own form (NLTK a bit string, segeval masses, ours cuts); making that form")
    print("is not timed. Peers of 10^6 pairs take the first 200 to 10,000, scaled up.\n")

    results = Results()
    for part, run in RUN.items():
        if part in parts:
            run(results)
    for line in results.missed:
        print(f"missed: {line}")
    if not results.missed:
        print("All targets of these parts were met.")
    print(f"{time.perf_counter() - began:.0f} s in all")


if __name__ == "__main__":
    main()
