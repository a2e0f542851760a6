"""Mixed calls through one process for ten minutes, whose memory must stay flat: ``make soak``.

Calls are drawn by a seed: single pairs, corpora, agreement, words, pages, batches, files and
commands, those that are refused among them. Memory is what the process holds after each round.
"""

from __future__ import annotations

import argparse
import gc
import random
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np

import fencepost as fp
from support import DATA, run

GROWTH = 0.02  # of the memory after the first fifth, that the last fifth may have more
ROUND = 20  # calls between two looks at memory


def resident() -> float:
    """The memory of this process in MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 1e6


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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=21)
    given = parser.parse_args()
    rng = random.Random(given.seed)
    calls, weights = zip(*CALLS, strict=True)
    counts: Counter[str] = Counter()
    memory: list[float] = []
    end = time.monotonic() + given.seconds
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() < end:
            for one in rng.choices(calls, weights, k=ROUND):
                one(rng, Path(folder))
                counts[one.__name__] += 1
            gc.collect()
            memory.append(resident())
    fifth = max(1, len(memory) // 5)
    before, after = (
        statistics.median(part) for part in (memory[fifth : 2 * fifth], memory[-fifth:])
    )
    kinds = ", ".join(f"{n} {name}" for name, n in counts.most_common())
    print(f"{counts.total()} calls in {given.seconds:g} s (seed {given.seed}): {kinds}")
    print(
        f"memory after a fifth {before:.1f} MB, at the end {after:.1f} MB, most {max(memory):.1f}"
    )
    return 1 if after > before * (1 + GROWTH) else 0


if __name__ == "__main__":
    sys.exit(main())
