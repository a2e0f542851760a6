"""Mixed calls through one process for ten minutes, whose memory must stay flat: ``make soak``.

Calls are drawn by a seed: single pairs, corpora, agreement, words, pages, batches, files and
commands, those that are refused among them. Memory is what is in use after each round: what an
allocator keeps for later goes up and down by more than a leak would add.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import os
import random
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np

import fencepost as fp
from fencepost.statistics.intervals import t_975
from support import DATA, run

GROWTH = 0.01  # of the memory in use, that the last fifth of a run may have more than the third
ROUND = 20  # calls between two looks at memory


class _Mallinfo(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in (
        "arena", "ordblks", "smblks", "hblks", "hblkhd",
        "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost",
    )]  # fmt: skip


def in_use() -> float:
    """The memory that somebody holds, in MB: without what the allocator keeps for later."""
    libc = ctypes.CDLL(None)
    libc.mallinfo2.restype = _Mallinfo
    found = libc.mallinfo2()
    return float(found.uordblks + found.hblkhd) / 1e6


def resident() -> float:
    """The memory of this process in MB, which goes up and down by some MB with what is kept."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 1e6


def grows(memory: Sequence[float]) -> tuple[float, float, bool]:
    """Return the memory after two fifths and at the end, and whether that is growth.

    Caches are filled before; the middle of a fifth of all rounds is not moved by single ones.
    """
    fifth = max(1, len(memory) // 5)
    before, after = (statistics.median(p) for p in (memory[2 * fifth : 3 * fifth], memory[-fifth:]))
    return before, after, after > before * (1 + GROWTH)


def fill_caches() -> None:
    """Fill what has a limit, and would take an hour to be filled by chance."""
    for freedom in range(4096):
        t_975(1 + freedom / 7)


def masses(rng: random.Random, units: int) -> list[int]:
    sizes = []
    while sum(sizes) < units:
        sizes.append(min(rng.randint(1, 12), units - sum(sizes)))
    return sizes


def corpus(rng: random.Random, texts: int, coders: int) -> dict[str, dict[str, list[int]]]:
    units = {f"d{i}": rng.randint(20, 200) for i in range(texts)}
    return {name: {f"c{j}": masses(rng, n) for j in range(coders)} for name, n in units.items()}


def pair(rng: random.Random, folder: Path) -> None:
    units = rng.randint(2, 400)
    metric = rng.choice([one for one in fp.METRICS.values() if one.input == "pairs"])
    with suppress(fp.FencepostError):  # undefined for this pair
        float(metric(masses(rng, units), masses(rng, units)))


def scores(rng: random.Random, folder: Path) -> None:
    texts = corpus(rng, rng.randint(1, 40), 3)
    refs = {name: own["c0"] for name, own in texts.items()}
    hyps = {one: {name: own[one] for name, own in texts.items()} for one in ("c1", "c2")}
    table = fp.score(refs, hyps, metrics=["pk", "F:tolerance=1", "B", "A"], paired="randomization",
                     resamples=200)  # fmt: skip
    str(table)
    table.to_html(folder / "scores.html")


def agreement(rng: random.Random, folder: Path) -> None:
    str(fp.agreement(fp.Corpus.from_dict(corpus(rng, rng.randint(1, 8), 4)), draws=20))


def words(rng: random.Random, folder: Path) -> None:
    segments = [" ".join(rng.choices("abcdefgh", k=rng.randint(1, 9))) for _ in range(20)]
    stream = [word for word in " ".join(segments).split() if rng.random() < 0.9]
    float(fp.resegment(segments, " ".join(stream)).as_wer)


def batch(rng: random.Random, folder: Path) -> None:
    accumulator = fp.Accumulator(["windowdiff", "B"], flags="last")
    marks = np.array([[rng.random() < 0.2 for _ in range(64)] for _ in range(16)])
    accumulator.update(marks, np.roll(marks, rng.randint(0, 2), axis=1))
    accumulator.compute()


def files(rng: random.Random, folder: Path) -> None:
    texts = {name: own["c0"] for name, own in corpus(rng, 10, 1).items()}
    path = folder / rng.choice(["x.json", "x.jsonl", "x.tsv"])
    fp.write(fp.Corpus.from_dict(texts), path)
    fp.read(path)


COMMANDS = (
    ("score", "gold.jsonl", "-i", "careful.jsonl", "hasty.jsonl", "--json"),
    ("agree", "stargazers.json", "--all"),
    ("edits", "gold.jsonl", "-i", "hasty.jsonl"),
    ("look", "gold.jsonl"),
    ("resegment", "speech.ref1.txt", "-i", "speech.hyp.txt"),
    ("score", "gold.jsonl", "-i", "stargazers.json"),  # refused
    ("score", "gold.jsonl", "-m", "nothing"),  # refused
)


def command(rng: random.Random, folder: Path) -> None:
    run(*rng.choice(COMMANDS), cwd=DATA)


CALLS: tuple[tuple[Callable[[random.Random, Path], None], int], ...] = (
    (pair, 60), (scores, 4), (agreement, 2), (words, 10), (batch, 10), (files, 6), (command, 4),
)  # fmt: skip


KEPT: list[bytes] = []


def leak(rng: random.Random, folder: Path) -> None:
    """Keep a little in every call, to see that it is noticed (``--leak``)."""
    KEPT.append(rng.randbytes(10_000))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=21)
    parser.add_argument("--rounds", type=int, default=sys.maxsize, help="end after so many")
    parser.add_argument("--only", help="one sort of call")
    parser.add_argument("--leak", action="store_true", help="keep 10 kB in one call of a hundred")
    given = parser.parse_args()
    # Python's own allocator is left out, so that every byte in use is counted.
    if os.environ.get("PYTHONMALLOC") != "malloc":
        os.environ["PYTHONMALLOC"] = "malloc"
        os.execv(sys.executable, [sys.executable, *sys.argv])
    rng = random.Random(given.seed)
    calls, weights = zip(*[one for one in CALLS if given.only in (None, one[0].__name__)],
                         strict=True)  # fmt: skip
    if given.leak:
        calls, weights = (*calls, leak), (*weights, max(1, sum(weights) // 100))
    counts: Counter[str] = Counter()
    memory: list[float] = []
    pages: list[float] = []
    fill_caches()
    end = time.monotonic() + given.seconds
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() < end and len(memory) < given.rounds:
            for one in rng.choices(calls, weights, k=ROUND):
                one(rng, Path(folder))
                counts[one.__name__] += 1
            gc.collect()
            memory.append(in_use())
            pages.append(resident())
    before, after, fault = grows(memory)
    kinds = ", ".join(f"{n} {name}" for name, n in counts.most_common())
    print(f"{counts.total()} calls in {len(memory)} rounds (seed {given.seed}): {kinds}")
    print(
        f"memory in use after two fifths {before:.2f} MB, at the end {after:.2f} MB "
        f"(a fault from {before * (1 + GROWTH):.2f} MB); resident {grows(pages)[0]:.1f} and "
        f"{grows(pages)[1]:.1f} MB, most {max(pages):.1f} MB"
    )
    return int(fault)


if __name__ == "__main__":
    sys.exit(main())
