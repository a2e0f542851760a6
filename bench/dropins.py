"""The drop-ins beside the tools they replace: all functions and formats, the same answers."""

from __future__ import annotations

import importlib
import random
from collections.abc import Iterator
from functools import partial
from typing import Any

import segeval

from bench.data import text
from bench.table import Results
from bench.timing import best_each
from fencepost.compat import nltk as our_nltk
from fencepost.compat import segeval as our_segeval

THEIR_NLTK = importlib.import_module("nltk.metrics.segmentation")
Call = tuple[str, tuple[Any, ...], dict[str, Any]]

OF_WINDOWS = ("pk", "window_diff")
OF_EDITS = ("boundary_similarity", "segmentation_similarity")
LISTS = ("boundary_statistics", "boundary_confusion_matrix")
OF_MATRICES = ("precision", "recall", "fmeasure")
OF_DATA_SETS = (
    "actual_agreement_linear",
    "fleiss_pi_linear",
    "fleiss_kappa_linear",
    "artstein_poesio_bias_linear",
)


# Their lists are in the order of a set; averages add up classes or coders in such an order.
IN_ANY_ORDER = (*LISTS, *OF_MATRICES, *OF_DATA_SETS, "boundary_edit_distance")


def run(results: Results) -> None:
    """Texts of 12, 100 and 10,000 units, where no call may be slower than the tool itself."""
    lowest = [
        add(results, "nltk", 2, (name, args, {}), THEIR_NLTK, our_nltk)
        for name, args in calls_of_nltk("01", "10", 2)
    ]
    lowest += [add(results, "segeval", 2, call, segeval, our_segeval) for call in SMALL]
    for segments, mean in ((3, 4), (20, 5), (1000, 10)):
        ref, hyp = text(segments, mean)
        units = segments * mean
        for name, args in calls_of_nltk(ref.bits, hyp.bits):
            if units <= 1000 or name != "ghd":  # quadratic, with a limit, in NLTK
                peers = THEIR_NLTK, our_nltk
                lowest.append(add(results, "nltk", units, (name, args, {}), *peers))
        lowest += [
            add(results, "segeval", units, call, segeval, our_segeval)
            for call in calls_of_segeval(tuple(hyp.masses), tuple(ref.masses))
        ]
    results.show()
    print(
        "  lowest ratios: " + "; ".join(f"{ratio:.2f} {what}" for ratio, what in sorted(lowest)[:5])
    )
    print(flush=True)


def add(
    results: Results, tool: str, units: int, call: Call, peer: Any, own: Any
) -> tuple[float, str]:
    """Time one call of both; return how much quicker ours is, and of what."""
    title, args, settings = call
    name = title.split(" ")[0]
    theirs, ours = (
        partial(filled, module) if name == "filled" else getattr(module, name)
        for module in (peer, own)
    )
    if name in OF_MATRICES:  # each its own class
        made = [module.boundary_confusion_matrix(*args, **settings) for module in (peer, own)]
        theirs, ours = (partial(f, m) for f, m in zip((theirs, ours), made, strict=True))
        args, settings = (), {}
    if title.endswith(")") and name not in IN_ANY_ORDER and "parts" not in title:
        assert theirs(*args, **settings) == ours(*args, **settings), (title, units)
    often = max(1, 1000 // units)

    def loop(function: Any) -> Any:
        return lambda: [function(*args, **settings) for _ in range(often)]

    times = [took / often for took in best_each([loop(theirs), loop(ours)], rounds=2)]
    what = f"compat.{tool}.{title}"
    results.add(f"{what} / its model", f"{units} units", *times, 1)
    return times[0] / times[1], f"{what}, {units} units"


def filled(module: Any) -> Any:
    """Return the classes of a matrix that was filled by hand."""
    matrix = module.ConfusionMatrix()
    for i in range(20):
        matrix[i % 4][(i * 7) % 5] += 1
    return matrix.classes()


# Weights and an empty matrix are a line of Python each, and take as long as segeval's.
SMALL: tuple[Call, ...] = (("filled", (), {}),)


def calls_of_nltk(ref: str, hyp: str, k: int = 5) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Every function of the module."""
    yield "windowdiff", (ref, hyp, k)
    yield "pk", (ref, hyp)
    yield "ghd", (ref, hyp)


def calls_of_segeval(a: tuple[int, ...], b: tuple[int, ...]) -> Iterator[Call]:
    """Every function of segeval that does not read or write files, in every format."""
    formats = {
        "mass": (a, b),
        "position": tuple(map(segeval.convert_masses_to_positions, (a, b))),
        "nltk": tuple("1".join("0" * (size - 1) for size in one) for one in (a, b)),
        "sets": tuple(map(segeval.boundary_string_from_masses, (a, b))),
        "three types": tuple(map(typed, (a, b))),
    }
    for form, pair in formats.items():
        is_sets = form in ("sets", "three types")
        settings = {"boundary_format": "sets" if is_sets else form}
        for name in (*OF_EDITS, *(() if is_sets else OF_WINDOWS)):
            yield f"{name} ({form})", pair, settings
            yield f"{name} ({form}, parts)", pair, {**settings, "return_parts": True}
        for name in LISTS:
            yield f"{name} ({form})", pair, settings
        coders = {"a": pair[0], "b": pair[1], "c": pair[0]}
        dataset = segeval.Dataset({"text": coders}, boundary_format=settings["boundary_format"])
        for name in OF_DATA_SETS:
            yield f"{name} ({form})", (dataset,), {}
        for name in OF_MATRICES:
            yield f"{name} ({form})", pair, settings
    yield "window_diff (mass, padded)", (a, b), {"lamprier_et_al_2007_fix": True}
    yield "compute_window_size (mass)", (a,), {}
    positions = {"boundary_format": "position"}
    yield "compute_window_size (position)", (formats["position"][0],), positions
    yield "convert_positions_to_masses", (formats["position"][0],), {}
    yield "convert_masses_to_positions", (a,), {}
    yield "convert_nltk_to_masses", (formats["nltk"][0],), {}
    yield "boundary_string_from_masses", (a,), {}
    yield "boundary_edit_distance (sets)", formats["sets"], {}
    yield "boundary_edit_distance (three types)", formats["three types"], {}
    yield "summarize", (segeval.pk(segeval.HEARST_1997_STARGAZER),), {}


def typed(masses: tuple[int, ...]) -> tuple[frozenset[int], ...]:
    """Boundaries of three types at random positions, as many of each as there are segments."""
    r = random.Random(repr(masses))
    rate = len(masses) / sum(masses)
    kinds = (1, 2, 3)
    return tuple(
        frozenset(kind for kind in kinds if r.random() < rate / 2) for _ in range(sum(masses) - 1)
    )
