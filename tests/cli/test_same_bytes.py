"""The same texts give the same output to the last byte, however they are ordered and computed."""

import json
import os
import random
import subprocess
import sys

import pytest

import fencepost as fp
from support import put, run

rng = random.Random(11)
NAMES = ["d10", "d9", "z", "\u00e9", "A", "a", "text 3", *(f"t{i}" for i in range(33))]


def _sizes(units: int) -> list[int]:
    cuts = sorted(rng.sample(range(1, units), rng.randint(1, units // 4)))
    return [b - a for a, b in zip([0, *cuts], [*cuts, units], strict=True)]


UNITS = {name: rng.randint(12, 60) for name in NAMES}
GOLD = {name: _sizes(units) for name, units in UNITS.items()}
SYSTEMS = [{name: _sizes(units) for name, units in UNITS.items()} for _ in range(2)]
CODERS = {name: {coder: _sizes(UNITS[name]) for coder in ("ben", "anna", "carl", "dora")}
          for name in NAMES[:12]}  # fmt: skip
WORDS = {name: [[rng.choice("abcdefg") for _ in range(5)] for _ in range(4)] for name in NAMES[:8]}

COMMANDS = {
    "score": "score gold.json -i one.json two.json -m pk B A F Sf winpr_f --average both "
    "--resamples 300 --paired --json",
    "score, percentiles": "score gold.json -i one.json two.json -m pk B --method percentile "
    "--resamples 300 --all-pairs --json",
    "agree": "agree coders.json --all --draws 30 --json",
    "agree, texts": "agree coders.json --interval texts --resamples 200 --draws 30 --json",
    "agree, systems": "agree coders.json -i one.json --draws 20 --json",
    "resegment": "resegment ref.tsv -i hyp.tsv -m as_wer bleu --resamples 300 --json",
}


def _put(folder, order):
    def ordered(texts):
        return {name: texts[name] for name in order if name in texts}

    put(folder, "gold.json", ordered(GOLD))
    put(folder, "one.json", ordered(SYSTEMS[0]))
    put(folder, "two.json", ordered(SYSTEMS[1]))
    put(folder, "coders.json", ordered(CODERS))
    lines = [f"{name}\t{' '.join(own)}\n" for name in order if name in WORDS
             for own in WORDS[name]]  # fmt: skip
    put(folder, "ref.tsv", "document\ttext\n" + "".join(lines))
    whole = [f"{name}\t{' '.join(x for own in WORDS[name] for x in own[::2])}\n"
             for name in order if name in WORDS]  # fmt: skip
    put(folder, "hyp.tsv", "document\ttext\n" + "".join(whole))


def _output(folder, command, **env):
    words = [sys.executable, "-m", "fencepost", *COMMANDS[command].split()]
    done = subprocess.run(words, cwd=folder, capture_output=True, env={**os.environ, **env},
                          check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_hash_seeds_and_threads_change_no_byte(command, tmp_path):
    _put(tmp_path, NAMES)
    wanted = _output(tmp_path, command, PYTHONHASHSEED="0", OPENBLAS_NUM_THREADS="1",
                     OMP_NUM_THREADS="1", FENCEPOST_THREADS="1")  # fmt: skip
    for seed, blas, threads in (("1", "4", "1"), ("77", "1", "3"), ("random", "2", "8")):
        assert wanted == _output(tmp_path, command, PYTHONHASHSEED=seed, OPENBLAS_NUM_THREADS=blas,
                                 OMP_NUM_THREADS=blas, FENCEPOST_THREADS=threads)  # fmt: skip


# Lines of files, and fingerprints of words, which are read in order.
PLACES = ("number", "line", "fingerprint", "fingerprints")


def _rounded(node):
    """Sums of shares per text, which these outputs have, may differ in their last digits."""
    if isinstance(node, dict):
        return {key: _rounded(value) for key, value in node.items() if key != "notes"}
    if isinstance(node, list):
        return [_rounded(one) for one in node]
    return float(f"{node:.9g}") if isinstance(node, float) else node


def _numbers(node):
    """Numbers of a result by where they are; lists of rows by what names them, in any order."""
    if isinstance(node, dict):
        return {key: _numbers(value) for key, value in node.items() if key not in PLACES}
    if isinstance(node, list):
        return sorted((_numbers(one) for one in node), key=lambda one: json.dumps(one))
    return node


@pytest.mark.parametrize("command", COMMANDS)
def test_the_order_of_texts_changes_no_digit(command, tmp_path):
    found = []
    for number in range(3):
        order = random.Random(number).sample(NAMES, len(NAMES)) if number else NAMES
        folder = tmp_path / str(number)
        folder.mkdir()
        _put(folder, order)
        done = run(*COMMANDS[command].split(), cwd=folder)
        assert done.returncode == 0, done.stderr
        result = json.loads(done.stdout)
        sums = command in ("agree, texts", "agree, systems")
        found.append(_numbers(_rounded(result) if sums else result))
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("settings", [{}, {"interval": "texts", "resamples": 100}])
def test_the_order_of_many_texts_changes_no_interval_of_agreement(settings):
    names = [f"t{i}" for i in range(130)]  # left out in groups
    texts = {name: {coder: _sizes(40) for coder in "abc"} for name in names}
    found = [
        fp.agreement({name: texts[name] for name in order}, draws=10, **settings).rows
        for order in (names, random.Random(3).sample(names, len(names)))
    ]
    assert json.dumps(found[0], default=str) == json.dumps(found[1], default=str)


@pytest.mark.parametrize("size", [1, 7, 100_000])
def test_batches_of_any_size_give_the_same(size):
    import pyarrow as pa

    table = pa.table({"id": NAMES, "gold": list(GOLD.values()), "a": list(SYSTEMS[0].values())})
    plan = fp.Plan("gold", "a", text="id", encoding="masses", metrics=["pk", "B", "A", "F"])
    wanted = pa.Table.from_batches(fp.score_batches(table.to_batches(), plan)).to_pylist()
    batches = table.to_batches(max_chunksize=size)
    assert pa.Table.from_batches(fp.score_batches(batches, plan)).to_pylist() == wanted
