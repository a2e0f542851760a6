"""Ctrl-C stops a kernel that would run for minutes, whichever thread it runs in."""

import json
import random
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from fencepost import _core
from support import put
from test_native_edge import ON_ROWS

# Dense cuts that never match: every pair of them is a candidate.
SETUP = """
import numpy as np
import time
import fencepost as fp
from fencepost import _core
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

def again(function, *arguments):
    # A fast machine may need many calls for a minute.
    while True:
        function(*arguments)

def offsets(size):
    return np.array([0, size], dtype=np.int64)

KEY, HALF = np.array([1], dtype=np.uint64), np.array([[2**63]], dtype=np.uint64)
ZERO = np.zeros(1, dtype=np.int64)

def crossed(types):
    # That many types on either side of one position, at any prices: an assignment problem.
    at_one, kinds = np.full(types, 5), np.arange(types) + 1
    pairs = Pairs.from_segmentations([Segmentation(9, at_one, kinds)],
                                     [Segmentation(9, at_one, kinds + types)])
    prices = np.random.default_rng(1).integers(1, 10**6, 4 * types * types)
    return pairs.rows, 2, 0, prices, 2 * types

CLASSES = np.zeros(0x110000, np.uint16)
CLASSES[97:123], CLASSES[32] = 2 | 128, 1
TEXT = ("ab cd " * 10_000_000,)
"""

SOON = 0.3  # seconds from Ctrl-C to the end of a kernel

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
    "windows of mirrored boundaries": (
        "fp.segmentation_similarity(odd, even, n_t=20_001, matching='fournier2012')"
    ),
    "thousands of types at one position": "again(_core.s_counts, *crossed(1_500))",
    "random positions": (
        "again(_core.random_places, offsets(20_000_000), np.array([90_000_000]), KEY)"
    ),
    "preferred positions": (
        "again(_core.preferred_places, offsets(20_000_000), np.array([90_000_000]), ZERO, HALF, "
        "KEY)"
    ),
    "shuffled types": (
        "again(_core.shuffle_kinds, offsets(90_000_000), np.zeros(90_000_000, np.int32), KEY)"
    ),
    "random boundaries": (
        "again(_core.random_boundaries, np.array([10**10]), ZERO, "
        "np.array([[2**64 - 1]], np.uint64), KEY)"
    ),
    "resamples": "again(_core.resamples, 1, 0, 8, 20_000_000)",
    "tosses": "again(_core.tosses, 1, 0, 8, 20_000_000)",
    "products of columns": "again(_core.products, np.ones((100_000, 300)))",
    "spans in the wrong order": (
        "again(_core.cuts_of_spans, np.arange(9_000_000)[::-1].copy(), "
        "np.arange(9_000_000)[::-1] + 1, offsets(9_000_000), ZERO[:0], 0, 0)"
    ),
    "NLTK's table": (
        "again(_core.shift_distance, list(range(0, 60_000, 2)), "
        "list(range(1, 60_000, 2)), 2.0, 2.0, 1.0)"
    ),
    "gamma": (
        "fp.agreement({'t': {'a': [12] * 3_900, 'b': [6, *[12] * 3_899, 6]}}, "
        "coefficient='gamma', intervals=False)"
    ),
    "a list of 120 MB in a file of JSON": (
        "(lambda data: again(lambda: _core.JsonTexts(data, '', [], False).next(1)))("
        "b'{\"a\": [' + b'12, ' * 30_000_000 + b'12]}')"
    ),
    "tokens": "again(_core.split_texts, TEXT, CLASSES, 'words')",
}


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("job", LONG)
def test_an_interrupt_stops_a_long_kernel(job, threads):
    """Within 0.3 seconds; on a busy machine the signal itself may wait: the best of five."""
    program = SETUP + textwrap.dedent(f"""
    fp.set_threads({threads})
    print("ready", flush=True)
    try:
        {LONG[job]}
        print("finished", flush=True)
    except KeyboardInterrupt:
        print("interrupted", time.monotonic(), flush=True)
    """)
    waited = []
    while len(waited) < 5 and (not waited or min(waited) > SOON):
        waited.append(seconds_until_it_stops(program))
    assert min(waited) <= SOON, waited


def seconds_until_it_stops(program):
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout.readline() == "ready\n"
            time.sleep(0.7)  # let it get into the kernel
            sent = time.monotonic()
            process.send_signal(signal.SIGINT)
            output, _ = process.communicate(timeout=30)
        finally:
            process.kill()
    assert process.returncode == 0
    said, when = output.split()
    assert said == "interrupted"
    return float(when) - sent


# A kernel of a tenth of a second in two threads, stopped at any time: also while it ends.
RACES = (
    SETUP
    + """
import os, random, signal, threading

fp.set_threads(2)
rows = 400_000
places, offsets = np.arange(rows * 5) % 5 * 3, np.arange(rows + 1) * 5
pairs = Pairs(fp.Column(places + 1, offsets), fp.Column(places + 2, offsets), np.full(rows, 20))
recipe = fp.boundary_similarity.recipe(n_t=3)
began = time.monotonic()
recipe.count(pairs)
needed = time.monotonic() - began
drawn = random.Random(2)
for _ in range(60):
    timer = threading.Timer(drawn.uniform(0, 1.2 * needed), os.kill, (os.getpid(), signal.SIGINT))
    try:
        timer.start()
        recipe.count(pairs)
        timer.join()
        time.sleep(0.05)
    except KeyboardInterrupt:
        pass
    timer.join()
print("fine")
"""
)


@pytest.mark.slow
def test_an_interrupt_at_any_time_is_an_interrupt():
    """Where rows were done before the interrupt was seen, the error came out as SystemError."""
    done = subprocess.run(
        [sys.executable, "-c", RACES], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stdout == "fine\n", done.stderr[-2000:]


# The command as its script starts it; it says so when Ctrl-C is answered, before most imports.
COMMAND = """
import os, sys

def tell(event, arguments):
    if event == "import" and arguments[0] == "fencepost._version" and not told:
        told.append(os.write(1, b"ready\\n"))

told = []
sys.addaudithook(tell)
sys.argv = ["fencepost", *sys.argv[1:]]
from fencepost.cli import main
sys.exit(main())
"""


@pytest.mark.slow
def test_interrupts_at_random_times_end_a_command_without_a_traceback(tmp_path):
    """During imports, reading, scoring, writing and at the end: exit code 130, or all was done."""
    drawn = random.Random(3)
    texts = {f"t{n}": [drawn.randint(1, 9) for _ in range(20)] for n in range(800)}
    put(tmp_path, "ref.json", texts)
    put(tmp_path, "hyp.json", {name: sizes[::-1] for name, sizes in texts.items()})
    words = ["score", "ref.json", "-i", "hyp.json", "--no-intervals", "-q", "--save", "counts.csv"]
    began = time.monotonic()
    assert stopped_after(3600, words, tmp_path)[0] == 0
    needed = time.monotonic() - began
    codes = []
    for _ in range(80):
        code, errors = stopped_after(drawn.uniform(0, 0.8 * needed), words, tmp_path)
        assert (code, errors) in ((130, "fencepost: stopped\n"), (0, "")), errors
        codes.append(code)
    assert codes.count(130) > 40


def stopped_after(seconds, words, folder):
    """Return the exit code and the errors of a command that got Ctrl-C, if it still ran."""
    with subprocess.Popen(
        [sys.executable, "-c", COMMAND, *words], cwd=folder, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stdout.readline() == "ready\n"
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
        return process.wait(60), process.stderr.read()


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


# Every function of the module, on one text with millions of boundaries; as small as in the test of
# the edge where nothing is said here.
EVERY = """
import json, os, signal, sys, threading, time
import numpy as np
from fencepost import _core
from test_native_edge import CALLS, ON_ROWS, ROWS

SIZE = 6_000_000
odd, even = np.arange(1, 2 * SIZE, 2), np.arange(2, 2 * SIZE + 1, 2)
two, units = np.array([0, SIZE]), np.array([2 * SIZE + 5])
floats = np.random.default_rng(1).random(SIZE)
text = "ab \\u0142d " * (SIZE // 4)
found = np.flatnonzero(np.frombuffer(text.encode("utf-32-le"), np.uint32) == 32)
spans = {"texts": (text,), "offsets": np.array([0, len(found)]), "starts": found - 2, "ends": found}
steps = {"hyp_offsets": two, "order": np.argsort(floats), "step_offsets": np.array([0, 3]),
         "ends": np.array([0, SIZE // 2, SIZE])}
marks = [0, 1] * (SIZE // 4)
sizes = [1, 2] * (SIZE // 4)
key, zero = np.array([1], np.uint64), np.zeros(1, np.int64)
lists = {"ref": sizes, "hyp": sizes[::-1]}
rows = {"ref": odd, "hyp": even, "ref_offsets": two, "hyp_offsets": two, "units": units}
ends = np.concatenate([even[:-1], units, odd[:-1], units])
coders = {"ends": ends, "offsets": np.array([0, SIZE, 2 * SIZE]), "texts": np.array([0, 2])}
LARGE = {
    "falling_order": {"weights": floats, "offsets": two},
    "running_sums": {"before": floats, "after": floats[::-1].copy(), "order": np.argsort(floats),
                     "ends": np.array([SIZE])},
    "random_places": {"offsets": two, "units": units, "keys": key},
    "preferred_places": {"offsets": two, "units": units, "keys": key, "distribution": zero},
    "shuffle_kinds": {"offsets": two, "kinds": np.zeros(SIZE, np.int32), "keys": key},
    "random_boundaries": {"places": 10 * units, "keys": key, "distribution": zero},
    "unitizing_sums": {**coders, "categories": np.arange(2 * SIZE, dtype=np.int32) % 50},
    "alignment_disorder": {**coders, "offsets": np.array([0, 4000, 8000]),
                           "ends": np.r_[even[:3999], units, odd[:3999], units]},
    "take_rows": {"values": odd, "offsets": np.arange(SIZE + 1), "index": np.arange(SIZE)},
    "add_rows": {"counts": floats.reshape(-1, 2), "groups": np.zeros(SIZE // 2, np.int64)},
    "fixed_sum": {"values": floats},
    "products": {"rows": floats.reshape(-1, 300)},
    "row_hashes": {"values": odd, "offsets": two},
    "first_wrong_row": {"values": odd, "offsets": two, "units": units},
    "cuts_of_sizes": {"sizes": np.ones(SIZE, np.int64), "offsets": two},
    "cuts_of_marks": {"marks": odd % 3 // 2, "mask": np.ones(SIZE, np.uint8), "offsets": two},
    "cuts_of_spans": {"starts": odd[::-1] - 1, "ends": odd[::-1] + 1, "offsets": two,
                      "units": units},
    "resamples": {"texts": SIZE}, "tosses": {"texts": SIZE},
    "resegment": {"hyp": np.arange(SIZE, dtype=np.int32) % 3, "hyp_offsets": two,
                  "words": np.arange(SIZE, dtype=np.int32) % 3,
                  "reference_offsets": np.arange(0, SIZE + 1, SIZE // 4),
                  "segment_offsets": np.arange(5), "document_offsets": np.array([0, 4])},
    "used_pages": {"texts": (text,)}, "split_texts": {"texts": (text,)},
    "number_tokens": spans, "cut_places": spans,
    "scan_json_lines": {"data": b'{"id": "a", "x": [' + b"5, " * SIZE + b"5]}\\n"},
    "scan_rows": {"data": b"a" + b",5" * SIZE + b"\\n"},
    "scan_number_lines": {"data": b"5 " * SIZE + b"5\\n"},
    "scan_table": {"data": b"a,5 5\\n" * (SIZE // 4)},
    "flat_numbers": {"lists": [sizes, sizes]},
    "windows_of_marks": {"ref": "01" * SIZE, "hyp": "10" * SIZE},
    "windows_of_cuts": {"ref": odd, "hyp": even, "units": int(units[0])},
    "windows_of_texts": lists, "edits_of_texts": {"a": lists["ref"], "b": lists["hyp"]},
    "edit_lists_of_texts": {"a": lists["ref"], "b": lists["hyp"]},
    "sizes_of_labels": {"labels": marks}, "sizes_of_marks": {"text": "01" * SIZE},
    "labels_of_sizes": {"sizes": sizes},
    "marks_of": {"text": marks},
    "shift_distance": {"ref": list(range(0, 60_000, 2)), "hyp": list(range(1, 60_000, 2))},
    "window_widths": {"units": np.full(SIZE, 10), "segments": np.full(SIZE, 3)},
}

# Settings with which a kernel has the most to do.
WIDE = {"n_t": 50_000, "tolerance": np.array([20_000]), "draws": 1000, "reach": 10**6,
        "bins": 10**5, "levels": 50, "k": np.array([20_000]), "globally": True, "weight": 2}

def arguments(name):
    own = dict(CALLS[name])
    if sys.argv[2:] == ["wide"]:
        own |= {key: WIDE[key] for key in own if key in WIDE}
    if name in ON_ROWS:
        own |= {key: value[:1] for key, value in own.items()
                if isinstance(value, np.ndarray) and value.shape == (2,)}
        own |= steps if name.startswith("sweep_") else {}
        own["rows"] = _core.Rows64(**ROWS | rows)
    own |= LARGE.get(name, {})
    return {key: np.ascontiguousarray(value) if isinstance(value, np.ndarray) else value
            for key, value in own.items()}

def seconds_until_it_stops(function, own):
    sent = []
    def interrupt():
        sent.append(time.process_time())  # that of other programs does not count
        os.kill(os.getpid(), signal.SIGINT)
    timer = threading.Timer(0.2, interrupt)
    timer.start()
    try:
        while True:
            function(**own)
    except KeyboardInterrupt:
        return time.process_time() - sent[0]

for name in json.loads(sys.argv[1]):
    own, function, waited = arguments(name), getattr(_core, name), []
    while len(waited) < 3 and (not waited or min(waited) > SOON):
        waited.append(seconds_until_it_stops(function, own))
    print(json.dumps([name, min(waited)]), flush=True)
"""

# A text of the classes and what single_* makes has at most 1,000 segments; the others do no work.
BRIEF = ("Rows32", "Rows64", "Single", "PlainTexts", "build", "set_threads", "get_threads",
         "keep_memory")  # fmt: skip
IN_LONG = ("JsonTexts",)
FUNCTIONS = [
    name
    for name in dir(_core)
    if not name.startswith(("_", "single_")) and name not in (*BRIEF, *IN_LONG)
]


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_an_interrupt_stops_every_function_of_the_module(part):
    """A new function is here at once: the list is the module's own."""
    stops_soon(FUNCTIONS[part::4])


@pytest.mark.slow
def test_an_interrupt_stops_kernels_that_look_far():
    stops_soon([name for name in FUNCTIONS if name in ON_ROWS], "wide")


def stops_soon(wanted, *settings):
    program = EVERY.replace("SOON", str(SOON))
    done = subprocess.run(
        [sys.executable, "-c", program, json.dumps(wanted), *settings], capture_output=True,
        text=True, timeout=600, check=False, cwd=Path(__file__).parent.parent,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    waited = dict(map(json.loads, done.stdout.splitlines()))
    assert [*waited] == wanted
    assert {name: seconds for name, seconds in waited.items() if seconds > SOON} == {}
