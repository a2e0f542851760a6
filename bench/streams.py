"""Re-segmentation of word streams, beside mweralign; each run in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import numpy.typing as npt

import fencepost as fp
from bench.child import Child
from bench.memory import peak
from bench.table import Results, show
from bench.timing import shown
from fencepost.streams.alignment import Streams, align

VOCABULARY = 8_000
MEGABYTE = 2**20
# Words, segments, references: the paper's size, a long one, and one that mweralign cannot hold.
PAPER, LONG, HUGE = (20_000, 2_643, 2), (50_000, 5_000, 1), (200_000, 20_000, 1)
MAX_HUGE_SECONDS, MAX_HUGE_BYTES = 2, 100 * MEGABYTE

Words = npt.NDArray[np.int64]


def run(results: Results) -> None:
    """Processor time from strings and of the kernel, then memory above interpreter and input."""
    peers = {size: _measured("mweralign", size) for size in (PAPER, LONG)}
    memory: list[list[str]] = []
    for size, name, target, whole in (
        (PAPER, "paper", 120, 200),
        (LONG, "long", 150, 350),
    ):
        peer = peers[size]
        label = "{:,} words x {:,} x {}".format(*size)
        memory.append([f"mweralign, {name} size", shown(peer["seconds"]), _mb(peer)])
        for what, settings in (("from strings, segments", {"ambiguity": False}),
                               ("from strings, all optima", {"ambiguity": True})):  # fmt: skip
            ours = _measured("strings", size, settings)
            results.add(f"{what} / mweralign", label, peer["seconds"], ours["seconds"], whole)
            memory.append([f"{what}, {name} size", shown(ours["seconds"]), _mb(ours)])
            assert ours["distance"] <= peer["distance"], (ours, peer)
        for what, settings, least in (
            ("bits", {}, target),
            ("bits, alignment", {"alignment": True}, 0),
            ("bits, ambiguity", {"ambiguity": True}, 0),
            ("integers", {"engine": "integers"}, 10),
            ("weights 3, 2, 2", {"costs": (3, 2, 2)}, 10),
            ("like mwersegmenter", {"like": "mwersegmenter"}, 10),
        ):
            ours = _measured("fencepost", size, settings)
            results.add(f"{what} / mweralign", label, peer["seconds"], ours["seconds"], least)
            memory.append([f"{what}, {name} size", shown(ours["seconds"]), _mb(ours)])
            if what == "like mwersegmenter":
                assert ours["distance"] == peer["distance"], (ours, peer)
            elif what != "weights 3, 2, 2":
                assert ours["distance"] <= peer["distance"], (ours, peer)
    results.show()
    huge = _measured("strings", HUGE, {"ambiguity": True})
    label = "from strings, {:,} x {:,} x {}".format(*HUGE)
    memory.append([label, shown(huge["seconds"]), _mb(huge)])
    if huge["seconds"] > MAX_HUGE_SECONDS or huge["bytes"] > MAX_HUGE_BYTES:
        results.missed.append(f"streams of 200,000 words: {shown(huge['seconds'])}, {_mb(huge)}")
    print("Memory above the interpreter and the input:")
    show(("what", "time", "peak"), memory)
    _page(results)


def _page(results: Results) -> None:
    """The command at paper size, and with its page."""
    hyp, refs = _texts(PAPER)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        names = [str(place / f"ref{r}.txt") for r in range(PAPER[2])]
        for name, lines in zip(names, zip(*refs, strict=True), strict=True):
            Path(name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        (place / "hyp.txt").write_text(hyp, encoding="utf-8")
        plain = ["-m", "fencepost", "resegment", *names, "-i", str(place / "hyp.txt")]
        one, other = Child(folder).best(plain, [*plain, "--html", str(place / "page.html")])
    limit = results.at_most("resegment --html", other.cpu / one.cpu, 2, "times")
    show(
        ("command line, paper size", "plain", "with --html", "ratio", "at most", ""),
        [["fencepost resegment", shown(one.cpu), shown(other.cpu), *limit]],
    )


def documents(size: tuple[int, int, int]) -> tuple[Words, list[list[Words]]]:
    """A hypothesis at about 40 % word error rate, and references that differ in every fifth word.

    Words are drawn by Zipf's law; two in eleven edits are insertions, and as many deletions.
    """
    words, segments, references = size
    rng = np.random.default_rng(words)
    share = 1 / np.arange(1, VOCABULARY + 1)
    ranks = np.cumsum(share / share.sum())

    def draw(count: int) -> Words:
        return np.minimum(np.searchsorted(ranks, rng.random(count)), VOCABULARY - 1)

    def noisy(text: Words, rate: float) -> Words:
        dice = rng.random(len(text)) / rate
        text = np.where(dice < 0.64, draw(len(text)), text)
        times = np.where(dice < 0.64, 1, np.where(dice < 0.82, 0, np.where(dice < 1, 2, 1)))
        return np.repeat(text, times)

    lengths = np.maximum(1, rng.poisson(words / segments, segments))
    spoken = [draw(length) for length in lengths]
    refs = [[text if r == 0 else noisy(text, 0.2) for r in range(references)] for text in spoken]
    refs = [
        [ref if len(ref) else text for ref in own] for own, text in zip(refs, spoken, strict=True)
    ]
    return noisy(np.concatenate(spoken), 0.4)[:words], refs


def _streams(hyp: Words, refs: list[list[Words]]) -> Streams:
    flat = [ref for own in refs for ref in own]
    ends = np.cumsum([len(ref) for ref in flat])
    return Streams(
        hyp,
        np.array([0, len(hyp)]),
        np.concatenate(flat),
        np.concatenate([[0], ends]),
        np.arange(len(refs) + 1) * len(refs[0]),
        np.array([0, len(refs)]),
    )


def _mb(measured: dict[str, float]) -> str:
    return f"{measured['bytes'] / MEGABYTE:.0f} MB"


def _measured(
    tool: str, size: tuple[int, int, int], settings: dict[str, object] | None = None
) -> dict[str, float]:
    order = json.dumps([tool, size, settings or {}])
    done = subprocess.run(
        [sys.executable, "-m", "bench.streams", order], capture_output=True, text=True, check=True
    )
    measured: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return measured


def _fencepost(
    size: tuple[int, int, int], settings: dict[str, object]
) -> tuple[list[float], int, int]:
    fp.set_threads(1)
    streams = _streams(*documents(size))
    if "costs" in settings:
        settings["costs"] = tuple(settings["costs"])  # type: ignore[arg-type]
    times: list[float] = []
    before = peak()
    end = time.perf_counter() + 1
    while len(times) < 3 or time.perf_counter() < end:
        began = time.process_time()
        found = align(streams, **settings)  # type: ignore[arg-type]
        times.append(time.process_time() - began)
        if times[0] > 10:
            break
    return times, peak() - before, int(found.distance[0] + found.charged[0])


def _texts(size: tuple[int, int, int]) -> tuple[str, list[tuple[str, ...]]]:
    """The same documents as people have them: one stream, and a tuple of references per segment."""
    hyp, refs = documents(size)
    return " ".join(f"w{w}" for w in hyp), [
        tuple(" ".join(f"w{w}" for w in ref) for ref in own) for own in refs
    ]


def _from_strings(
    size: tuple[int, int, int], settings: dict[str, object]
) -> tuple[list[float], int, int]:
    """fp.resegment from texts to segments, as a user calls it."""
    fp.set_threads(1)
    hyp, refs = _texts(size)
    fp.resegment(refs[:3], "w1 w2 w3")  # what is made once in a process
    times: list[float] = []
    before = peak()
    end = time.perf_counter() + 1
    while len(times) < 3 or time.perf_counter() < end:
        began = time.process_time()
        found = fp.resegment(refs, hyp, **settings)  # type: ignore[arg-type]
        segments = found.segments
        times.append(time.process_time() - began)
    assert len(segments) == len(refs)
    return times, peak() - before, found.distance


def _mweralign(size: tuple[int, int, int]) -> tuple[list[float], int, int]:
    """Its own call on text; the cost is recounted from the lines it gives back."""
    import mweralign

    hyp, refs = documents(size)
    lines = "\n".join(" ### ".join(" ".join(f"w{w}" for w in ref) for ref in own) for own in refs)
    stream = " ".join(f"w{w}" for w in hyp)
    before = peak()
    began = time.process_time()
    out = mweralign.align_texts(lines, stream)
    took = time.process_time() - began
    grown = peak() - before
    sizes = [len(line.split()) for line in out.split("\n")]
    ends = np.cumsum(sizes[: len(refs)] + [0] * (len(refs) - len(sizes)))
    distance = 0
    for (first, last), own in zip(zip([0, *ends[:-1]], ends, strict=True), refs, strict=True):
        distance += int(align(_streams(hyp[first:last], [own])).distance[0])
    return [took], grown, distance


if __name__ == "__main__":
    tool, size, settings = json.loads(sys.argv[1])
    if tool == "mweralign":
        times, grown, distance = _mweralign(tuple(size))
    elif tool == "strings":
        times, grown, distance = _from_strings(tuple(size), settings)
    else:
        times, grown, distance = _fencepost(tuple(size), settings)
    print()
    print(json.dumps({"seconds": min(times), "bytes": grown, "distance": distance}))
