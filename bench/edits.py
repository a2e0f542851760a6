"""S and B of one long text, and many kinds at one place, beside segeval."""

from __future__ import annotations

import segeval

import fencepost as fp
from bench.data import text
from bench.table import Results, show
from bench.timing import best, best_of_calls, shown


def run(results: Results) -> None:
    """One pair of 10^4 segments; first at segeval's settings, then at ours."""
    ref, hyp = text(10_000, 25)
    for metric, peer, letter in (
        (fp.segmentation_similarity, segeval.segmentation_similarity, "S"),
        (fp.boundary_similarity, segeval.boundary_similarity, "B"),
    ):
        for n_t in (2, 5):
            theirs, expected = best(
                lambda peer=peer, n_t=n_t: peer(hyp.masses, ref.masses, n_t=n_t), runs=1
            )
            for like in ("segeval", None):
                ours, score = best(
                    lambda metric=metric, n_t=n_t, like=like: metric(ref, hyp, n_t=n_t, like=like)
                )
                if like:
                    assert abs(score - float(expected)) < 1e-9, (letter, n_t, score, expected)
                kind = "the same number" if like else "by default"
                size = "10^4 segments"
                results.add(f"{letter}, n_t {n_t}, {kind} / segeval", size, theirs, ours, 2000)
    results.show()
    _run_kinds()


def _run_kinds() -> None:
    """Kinds that all differ at one place: a matching, where segeval tries every permutation."""
    rows = []
    recipe = fp.boundary_similarity.recipe()
    for kinds in (3, 4, 5, 6, 12, 24):
        ref, hyp = _differing(kinds)
        call = best_of_calls(lambda ref=ref, hyp=hyp: fp.boundary_similarity(ref, hyp))
        pairs = fp.Pairs.from_segmentations([ref], [hyp])
        counting = best_of_calls(lambda pairs=pairs: recipe.count(pairs))
        peer = ""
        if kinds <= 6:
            theirs, expected = best(lambda kinds=kinds: _segeval_kinds(kinds), runs=1, seconds=0.2)
            assert abs(fp.boundary_similarity(ref, hyp) - float(expected)) < 1e-9
            peer = shown(theirs)
        rows.append([f"{kinds}", peer, shown(call), shown(counting)])
    print("B, kinds that differ at one place (segeval: minutes at 7):")
    show(("kinds", "segeval", "one call", "counting alone"), rows)


def _differing(kinds: int) -> tuple[fp.Segmentation, fp.Segmentation]:
    names = [str(n) for n in range(1, 2 * kinds + 1)]
    ref = fp.Segmentation(6, [3] * kinds, range(1, kinds + 1), names)
    hyp = fp.Segmentation(6, [3] * kinds, range(kinds + 1, 2 * kinds + 1), names)
    return ref, hyp


def _segeval_kinds(kinds: int) -> object:
    ref = [set(), set(), set(range(1, kinds + 1)), set(), set()]
    hyp = [set(), set(), set(range(kinds + 1, 2 * kinds + 1)), set(), set()]
    return segeval.boundary_similarity(
        hyp,
        ref,
        boundary_types=set(range(1, 2 * kinds + 1)),
        boundary_format=segeval.BoundaryFormat.sets,
    )
