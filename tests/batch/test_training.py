"""The recipes of docs/batch.md for torch, torchmetrics and evaluate; run by make test-engines."""

import functools
import io
import json
import pickle
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fencepost as fp

pytestmark = [
    pytest.mark.engines,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]
PAGE = Path(__file__).parents[2] / "docs" / "batch.md"
METRICS = ["windowdiff", "B"]


def recipe(begin: str) -> str:
    """Return the example of the page that begins so."""
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    (found,) = [block for block in blocks if block.startswith(begin)]
    return found


def marks(seed: int, rows: int = 40, units: int = 30) -> list[Any]:
    rng = np.random.default_rng(seed)
    made = [(rng.random((rows, units)) < 0.2).astype(np.int64) for _ in range(2)]
    mask = np.arange(units) < rng.integers(2, units, rows)[:, None]
    return [*made, mask.astype(np.int64)]


def wanted(*batches: Any) -> dict[str, float]:
    scores = fp.Accumulator(METRICS, flags="last")
    for ref, hyp, mask in batches:
        scores.update(ref, hyp, mask)
    return {name: float(one) for name, one in scores.compute().items()}


# One process of two; each takes its own number of batches, and prints what it has in the end.
WORKER = """
import functools, io, json, pickle, sys
import torch, torch.distributed as dist
sys.path[:0] = sys.argv[4:]
import fencepost as fp
from test_training import METRICS, marks, recipe

rank = int(sys.argv[1])
dist.init_process_group("gloo", init_method="file://" + sys.argv[2], rank=rank, world_size=2)
own = [marks(seed) for seed in ((1, 2, 3), (4,))[rank]]
if sys.argv[3] == "gather":
    scores = fp.Accumulator(METRICS, flags="last")
    for ref, hyp, mask in own:
        scores.update(torch.tensor(ref), torch.tensor(hyp), torch.tensor(mask))
    exec(recipe("parts = [None]"))
    found = whole.compute()
else:
    import torchmetrics

    exec(recipe("class Boundaries(torchmetrics"))
    metric = Boundaries()
    for ref, hyp, mask in own:
        metric.update(torch.tensor(hyp), torch.tensor(ref), torch.tensor(mask))
    found = metric.compute()
print(json.dumps({name: float(one) for name, one in found.items()}))
"""


@pytest.mark.parametrize("way", ["gather", "torchmetrics"])
def test_processes_of_torch_have_the_scores_of_all(tmp_path, way):
    pytest.importorskip("torch")
    if way == "torchmetrics":
        pytest.importorskip("torchmetrics")
    folders = [str(Path(__file__).parent)]
    command = [sys.executable, "-W", "ignore", "-c", WORKER]
    started = [
        subprocess.Popen(
            [*command, str(rank), str(tmp_path / "meeting"), way, *folders],
            stdout=subprocess.PIPE,
            text=True,
        )
        for rank in range(2)
    ]
    found = [json.loads(one.communicate(timeout=300)[0]) for one in started]
    whole = wanted(*map(marks, (1, 2, 3, 4)))
    assert found[0] == found[1]
    # torchmetrics has tensors of 32 bits.
    assert found[0] == (whole if way == "gather" else pytest.approx(whole, rel=1e-6))


def test_torchmetrics_takes_an_accumulator():
    torch = pytest.importorskip("torch")
    torchmetrics = pytest.importorskip("torchmetrics")
    space = {"fp": fp, "torch": torch, "torchmetrics": torchmetrics, "io": io, "pickle": pickle}
    exec(recipe("class Boundaries(torchmetrics"), space)
    metric = space["Boundaries"]()
    batches = [marks(seed) for seed in (1, 2)]
    for ref, hyp, mask in batches:
        own = metric(torch.tensor(hyp), torch.tensor(ref), torch.tensor(mask))
        assert {k: float(v) for k, v in own.items()} == pytest.approx(wanted((ref, hyp, mask)))
    found = pickle.loads(pickle.dumps(metric.compute()))
    assert {k: float(v) for k, v in found.items()} == pytest.approx(wanted(*batches))
    metric.reset()
    metric.update(*[torch.tensor(batches[1][i]) for i in (1, 0, 2)])
    assert {k: float(v) for k, v in metric.compute().items()} == pytest.approx(wanted(batches[1]))


def test_tensors_of_torch_are_marks():
    torch = pytest.importorskip("torch")
    ref, hyp, mask = marks(5)
    scores = fp.Accumulator(METRICS, flags="last")
    scores.update(torch.tensor(ref), torch.tensor(hyp, dtype=torch.bool), torch.tensor(mask) == 1)
    parts = [scores, fp.Accumulator(METRICS, flags="last")]
    found = functools.reduce(fp.Accumulator.merge, parts).compute()
    assert {name: float(one) for name, one in found.items()} == wanted((ref, hyp, mask))
    scores.reset()
    scores.update(torch.tensor(ref, dtype=torch.bfloat16).requires_grad_(), hyp, mask)
    assert {name: float(one) for name, one in scores.compute().items()} == wanted((ref, hyp, mask))


def test_evaluate_takes_lists_of_marks(tmp_path):
    evaluate = pytest.importorskip("evaluate")
    import datasets
    import pyarrow

    space = {"fp": fp, "evaluate": evaluate, "datasets": datasets, "pyarrow": pyarrow}
    exec(recipe("class Boundaries(evaluate"), space)
    metric = space["Boundaries"](cache_dir=str(tmp_path))
    ref, hyp, mask = marks(6)
    sides = [
        [row[: kept.sum()].tolist() for row, kept in zip(one, mask, strict=True)]
        for one in (ref, hyp)
    ]
    found = metric.compute(references=sides[0], predictions=sides[1])
    assert found == wanted((ref, hyp, mask))
