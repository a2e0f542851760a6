"""Ctrl-C stops a kernel that would run for minutes, whichever thread it runs in."""

import signal
import subprocess
import sys
import textwrap
import time

import pytest

# Dense cuts that never match: every pair of them is a candidate.
SETUP = """
import numpy as np
import fencepost as fp
from fencepost import Pairs, Segmentation
from fencepost.streams.alignment import Streams, align

def stream(words, segments, documents=1):
    rng = np.random.default_rng(1)
    hyp, ref = (rng.integers(0, 1000, words * documents) for _ in range(2))
    return Streams(hyp, np.arange(documents + 1) * words, ref,
                   np.linspace(0, len(ref), segments * documents + 1).astype(int),
                   np.arange(segments * documents + 1), np.arange(documents + 1) * segments)

def every_second(first, cuts, units=None):
    places = np.arange(first, first + 2 * cuts, 2)
    return Segmentation(units or int(places[-1]) + 2, places)

odd, even = every_second(1, 300_000, 600_010), every_second(2, 300_000, 600_010)
"""

LONG = {
    "a table of 300,000 by 300,000 cells": "fp.generalized_hamming(odd, even, shift=0)",
    "few rows of a table, each of them long": (
        "fp.generalized_hamming(every_second(1, 10_000, 12_000_010), "
        "every_second(2, 6_000_000, 12_000_010), shift=0)"
    ),
    "near misses at any distance": "fp.boundary_similarity(odd, even, n_t=2**31 - 1)",
    "near misses of several kinds": (
        "fp.boundary_similarity(*(Segmentation(s.units, s.cuts, np.arange(len(s.cuts)) % 3 + 1) "
        "for s in (odd, even)), n_t=20_000)"
    ),
    "many texts": (
        "fp.generalized_hamming.recipe(shift=0.0).count(Pairs.from_segmentations("
        "*[[every_second(first, 2_000, 4_010)] * 20_000 for first in (1, 2)]))"
    ),
    "a stream of words in one segment": "align(stream(2_000_000, 1))",
    "a stream of words in many segments": "align(stream(2_000_000, 200_000), ambiguity=True)",
    "weighted costs": "align(stream(400_000, 40_000), costs=(3, 2, 2))",
    "many streams": "align(stream(20_000, 2_000, 500))",
}


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("job", LONG)
def test_an_interrupt_stops_a_long_kernel(job, threads):
    program = SETUP + textwrap.dedent(f"""
    fp.set_threads({threads})
    print("ready", flush=True)
    try:
        {LONG[job]}
        print("finished", flush=True)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
    """)
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout.readline() == "ready\n"
            time.sleep(0.7)  # let it get into the kernel
            process.send_signal(signal.SIGINT)
            output, _ = process.communicate(timeout=10)
        finally:
            process.kill()
    assert output == "interrupted\n"
    assert process.returncode == 0


@pytest.mark.slow
def test_scoring_goes_on_after_an_interrupt():
    program = SETUP + textwrap.dedent("""
    import os, signal, threading
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        fp.generalized_hamming(odd, even, shift=0)
    except KeyboardInterrupt:
        print(fp.windowdiff([5, 5], [4, 6], k=3).counts)
    """)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "{'differing': 2, 'windows': 7}\n"
