"""Hierarchies: the T- and L-measure beside mir_eval, and laws of metrics over levels."""

import itertools
import math
import warnings
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given

import fencepost as fp
import oracle
from fencepost import Segmentation
from fencepost.metrics.hierarchy import at_level, by_level
from fencepost.metrics.registry import parse
from fencepost.model.checks import FencepostError
from fencepost.model.pairs import Pairs
from strategies import pairs, random_pairs

hierarchy = pytest.importorskip("mir_eval").hierarchy
LEVELS = ("1", "2", "3")


def random_levels(rng, units, rate, names=LEVELS):
    """A hierarchy with one boundary per position, finer ones more often."""
    places = np.flatnonzero(rng.random(units - 1) < rate) + 1
    weights = np.arange(1, len(names) + 1)
    kinds = rng.choice(len(names), size=len(places), p=weights / weights.sum()) + 1
    return Segmentation(units, places, kinds, names)


def several(count, units=(2, 40), names=LEVELS, seed=3):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        size = int(rng.integers(units[0], units[1] + 1))
        yield tuple(random_levels(rng, size, rng.choice([0.1, 0.3, 0.7]), names) for _ in range(2))


def intervals(seg):
    """The hierarchy as mir_eval takes it, and a label of its own for each segment.

    Its layers are the levels that some boundary of this text has; without any, the whole text.
    """
    names = [name for name in seg.kind_names if name in {kind for _, kind in seg.named_cuts}]
    flat = [[0, *seg.at(name).cuts.tolist(), seg.units] for name in names] or [[0, seg.units]]
    found = [np.array(list(pairwise(ends)), dtype=float) for ends in flat]
    return found, [[f"{n}.{i}" for i in range(len(own))] for n, own in enumerate(found)]


def check_with_mir_eval(ref, hyp, transitive, window):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = hierarchy.tmeasure(
            intervals(ref)[0], intervals(hyp)[0], transitive=transitive, window=window,
            frame_size=1,
        )  # fmt: skip
    settings = {"transitive": transitive, "window": window}
    ours = [one(ref, hyp, **settings).value for one in (fp.t_precision, fp.t_recall, fp.t_f)]
    # Undefined here is 0 there: the only difference.
    assert [0.0 if math.isnan(x) else x for x in ours] == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("transitive", [False, True])
@pytest.mark.parametrize("window", [None, 2, 3, 10])
def test_the_t_measure_is_that_of_mir_eval(transitive, window):
    for ref, hyp in several(60):
        check_with_mir_eval(ref, hyp, transitive, window)


@pytest.mark.slow
@pytest.mark.parametrize("transitive", [False, True])
def test_sides_of_any_levels_have_the_t_measure_of_mir_eval(transitive):
    """Each side has levels of its own, partly unused: a flat one beside one of four levels, too."""
    rng = np.random.default_rng(31)
    for _ in range(1500):
        units = int(rng.integers(2, 30))
        sides = []
        for _ in range(2):
            own = rng.choice(6, size=int(rng.integers(1, 5)), replace=False) + 1
            places = np.flatnonzero(rng.random(units - 1) < rng.choice([0.1, 0.3, 0.7])) + 1
            kinds = rng.choice(own, size=len(places))
            sides.append(Segmentation(units, places, kinds, [str(n) for n in range(1, 7)]))
        window = None if rng.random() < 0.5 else int(rng.integers(2, 10))
        check_with_mir_eval(*sides, transitive, window)


def levels_at(units, levels, names=("1", "2", "3")):
    """A hierarchy from the level of the boundary at each position."""
    kinds = [names.index(str(level)) + 1 for level in levels.values()]
    return Segmentation(units, list(levels), kinds, names)


def test_levels_of_a_side_are_those_of_its_boundaries_in_the_text():
    gold = levels_at(12, {3: 2, 6: 1, 9: 2})
    finer = levels_at(12, {3: 2, 6: 1, 8: 3, 9: 3})
    measures = fp.t_precision, fp.t_recall, fp.t_f
    # P = 21/22 and R = 23/24, as mir_eval has it for hierarchies of two and of three layers.
    assert [f(gold, finer).value for f in measures] == pytest.approx([21 / 22, 23 / 24, 483 / 505])
    flat = levels_at(12, {6: 1})
    assert [f(gold, flat).value for f in measures] == pytest.approx([1, 3 / 4, 6 / 7])
    # Neither the name of the only level nor declared levels without boundaries matter.
    for other in (levels_at(12, {6: 3}), Segmentation.from_levels({6: 2}, 12)):
        assert [f(gold, other).value for f in measures] == pytest.approx([1, 3 / 4, 6 / 7])
    torn = fp.score({"t": gold}, {"flat": {"t": flat}, "finer": {"t": finer}}, metrics="T",
                    intervals=False, baselines=False)  # fmt: skip
    assert [(row["n"], row["undefined"]) for row in torn] == [(1, 0), (1, 0)]


@pytest.mark.slow
def test_without_a_window_the_reduced_t_is_defined_where_the_full_one_is():
    """Every text of up to 7 units and 3 levels."""
    for units in range(2, 8):
        for marks in itertools.product(range(4), repeat=units - 1):
            seg = Segmentation.from_levels({p: m for p, m in enumerate(marks, 1) if m}, units)
            reduced, full = (fp.t_precision(seg, seg, transitive=t).value for t in (False, True))
            assert math.isnan(reduced) == math.isnan(full)


def test_the_l_measure_is_that_of_mir_eval():
    for ref, hyp in several(60, seed=5):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = hierarchy.lmeasure(*intervals(ref), *intervals(hyp), frame_size=1)
        ours = [one(ref, hyp).value for one in (fp.l_precision, fp.l_recall, fp.l_f)]
        assert [0.0 if math.isnan(x) else x for x in ours] == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("window", [1, 2, 5, 11])
@pytest.mark.parametrize("transitive", [False, True])
def test_windows_are_those_of_the_formula(window, transitive):
    for pair in several(40, units=(1, 14), seed=7):
        exact = oracle.t_recall([pair], transitive, window, None)
        value = fp.t_recall(*pair, window=window, transitive=transitive).value
        assert math.isnan(value) if exact is None else value == pytest.approx(float(exact), 1e-15)


def test_a_window_that_meets_no_boundary_is_passed_over():
    sparse = Segmentation(2**38, [2**20, 2**37], [2, 1], ["1", "2"])
    score = fp.t_f(sparse, sparse, window=50)
    assert score.value == 1
    assert score.counts["ref_units"] < 400


def test_long_texts_keep_their_exact_numbers_of_pairs():
    cuts = [2**20, 2**38, 2**39]
    long = Segmentation(2**40, cuts, [2, 1, 2], ["1", "2"])
    small = Segmentation(2**20, [1, 2**18, 2**19], [2, 1, 2], ["1", "2"])
    assert fp.l_f(long, long).value == fp.l_f(small, small).value == 1
    moved = (
        Segmentation(2**40, cuts, [1, 2, 2], ["1", "2"]),
        Segmentation(2**20, [1, 2**18, 2**19], [1, 2, 2], ["1", "2"]),
    )
    assert fp.l_f(long, moved[0]).value == pytest.approx(fp.l_f(small, moved[1]).value, rel=1e-4)


@given(pairs(min_units=2))
def test_one_level_of_windowdiff_is_windowdiff(pair):
    flat, ours = fp.windowdiff(*pair), fp.level_windowdiff(*pair)
    assert (flat.value, list(flat.counts.values())) == (ours.value, list(ours.counts.values()))
    one = [Segmentation(s.units, s.cuts, np.ones(len(s.cuts), int), ["1"]) for s in pair]
    assert fp.level_windowdiff(*one).value == flat.value


@pytest.mark.parametrize("average", ["macro", "micro"])
def test_a_corpus_of_one_level_has_the_flat_windowdiff(average):
    flat = dict(enumerate(random_pairs(9, 30, units=(2, 40))))
    sides = [{str(n): pair[side] for n, pair in flat.items()} for side in (0, 1)]
    table = fp.score(*sides, metrics=["windowdiff", "level_windowdiff"], average=average,
                     intervals=False, baselines=False)  # fmt: skip
    first, second = (row["value"] for row in table)
    assert first == pytest.approx(second, rel=1e-15)


def test_windowdiff_over_levels_is_the_mean_of_its_levels():
    for ref, hyp in several(40):
        each = [fp.windowdiff(ref.at(name), hyp.at(name)).value for name in LEVELS]
        assert fp.level_windowdiff(ref, hyp).value == pytest.approx(np.mean(each), rel=1e-14)


def test_names_have_the_order_of_types_and_numbers_begin_with_the_coarsest():
    for ref, hyp in several(20, units=(5, 30)):
        named = [Segmentation(s.units, s.cuts, s.kinds, ("part", "chapter", "section"))
                 for s in (ref, hyp)]  # fmt: skip
        for metric in (fp.t_f, fp.l_f, fp.level_windowdiff):
            expected = metric(ref, hyp).value
            found = metric(*named, types="section<chapter<part").value
            assert found == expected or (math.isnan(found) and math.isnan(expected))
    with pytest.raises(FencepostError, match="--types"):
        fp.t_f(*named)


def test_a_position_has_its_coarsest_level():
    several_kinds = Segmentation(6, [2, 2, 4], [1, 3, 2], LEVELS)
    alone = Segmentation(6, [2, 4], [1, 2], LEVELS)
    hyp = Segmentation(6, [1, 3], [3, 1], LEVELS)
    for metric in (fp.t_f, fp.l_f, fp.level_windowdiff):
        assert metric(several_kinds, hyp).value == metric(alone, hyp).value


def test_levels_of_pairs_are_those_of_segmentations():
    refs, hyps = zip(*several(20), strict=True)
    batch = by_level(Pairs.from_segmentations(refs, hyps), None)
    for number, name in enumerate(batch.vocabulary):
        flat = at_level(batch, number)
        for row, ref in enumerate(refs):
            assert flat.segmentation(row, "ref") == ref.at(name)


@pytest.mark.parametrize(
    "metric", ["T", "T_full", "T:window=3", "L", "WDL", "B", "S", "Sf:costs=levels"]
)
def test_a_hierarchy_is_perfect_against_itself(metric):
    recipe = parse(metric)
    perfect = 1.0 if recipe.metric.better == "higher" else 0.0
    values = [recipe.metric(text, text, **recipe.settings).value for text, _ in several(60)]
    assert {value for value in values if not math.isnan(value)} == {perfect}
    if recipe.metric.sees != "levels" or metric == "WDL":  # T and L need something to rank
        assert not any(map(math.isnan, values))


def test_texts_that_rank_nothing_are_noted_for_what_they_are():
    flat, ranked = (Segmentation(6, cuts, [1] * len(cuts), ["1"]) for cuts in ([], [3]))
    texts = {"none": flat, "one": ranked}
    table = fp.score(texts, texts, metrics="T", baselines=False, intervals=False)
    assert table[0]["value"] == 1
    assert table.notes[0] == (
        "t_f is undefined on 1 text (no boundary ranks units by nearness), ignored for all systems"
    )


def test_a_system_without_boundaries_is_named_where_t_leaves_a_text_out():
    ref = Segmentation.from_levels({1: 1, 2: 2, 3: 1, 4: 2}, 5)
    systems = {
        "none": Segmentation(5, [], [], ["1"]),
        "coarse": Segmentation.from_levels({1: 1, 2: 1, 3: 1}, 5),
    }
    gold = {"t": Segmentation(5, [], [], ["1"]), "u": ref}
    hyps = {name: {"t": hyp, "u": ref} for name, hyp in systems.items()}
    table = fp.score(gold, hyps, metrics=["T"], intervals=False, baselines=False)
    (note,) = (note for note in table.notes if "undefined" in note)
    assert note.endswith("ignored for all systems because of none")
    # One level is a hierarchy, too.
    alone = fp.score({"u": ref}, {"u": systems["coarse"]}, metrics="T", intervals=False,
                     baselines=False)  # fmt: skip
    assert not math.isnan(alone[0]["value"])


# B and S_f, whose types are levels.


@pytest.mark.parametrize("metric", ["B", "Sf:costs=levels", "SfB:costs=levels"])
def test_any_boundary_costs_less_a_level_off_than_missing(metric):
    recipe = parse(metric)

    def value(ref, hyp):
        return recipe.metric(ref, hyp, **recipe.settings).value

    for ref, _ in several(30, units=(5, 30), seed=11):
        for at, kind in enumerate(ref.kinds.tolist()):
            gone = Segmentation(
                ref.units, np.delete(ref.cuts, at), np.delete(ref.kinds, at), LEVELS
            )
            moved = []
            for other in (kind - 1, kind + 1):
                kinds = ref.kinds.copy()
                kinds[at] = other
                if 1 <= other <= len(LEVELS):
                    moved.append(Segmentation(ref.units, ref.cuts, kinds, LEVELS))
            assert min(value(ref, one) for one in moved) > value(ref, gone)


def moved_and_missing(names=LEVELS):
    """A text, the same with one boundary a level finer, and without it."""
    kinds = [2, 1, 2, 3]
    text = Segmentation(50, [10, 20, 30, 40], kinds, names)
    moved = Segmentation(50, [10, 20, 30, 40], [2, 2, 2, 3], names)
    far = Segmentation(50, [10, 20, 30, 40], [2, 3, 2, 3], names)
    missing = Segmentation(50, [10, 30, 40], [2, 2, 3], names)
    return text, moved, far, missing


@pytest.mark.parametrize("metric", ["B", "Sf:costs=levels", "SfB:costs=levels"])
def test_a_level_costs_less_than_two_and_less_than_the_boundary(metric):
    recipe = parse(metric)
    text, *others = moved_and_missing()
    one, two, gone = (recipe.metric(text, other, **recipe.settings).value for other in others)
    assert recipe.metric(text, text, **recipe.settings).value == 1 > one > two > gone


@pytest.mark.parametrize("metric", ["B", "Sf:costs=levels", "SfB:costs=levels"])
@given(pair=pairs())
def test_one_level_is_the_flat_metric(metric, pair):
    recipe = parse(metric)
    one = [Segmentation(s.units, s.cuts, np.ones(len(s.cuts), int), ["1"]) for s in pair]
    flat = parse(metric.partition(":")[0])
    assert (
        recipe.metric(*one, **recipe.settings).value
        == flat.metric(*pair, **flat.settings).value
    )  # fmt: skip


def test_costs_of_levels_are_those_of_b_and_follow_a_declared_order():
    text, moved, far, missing = moved_and_missing()
    assert [e.cost for e in fp.flexible_similarity(text, far, costs="levels").edits if e.cost] == [
        pytest.approx(2 / 3)
    ]
    b = fp.boundary_similarity(text, far)
    assert [e.cost for e in b.edits if e.cost] == [pytest.approx(2 / 3)]
    names = ("part", "chapter", "section")
    named = moved_and_missing(names)
    order = "section<chapter<part"
    for mine, theirs in zip(named, (text, moved, far, missing), strict=True):
        costs = fp.Costs.levels(order)
        assert fp.flexible_similarity(named[0], mine, costs=costs).value == (
            fp.flexible_similarity(text, theirs, costs="levels").value
        )
    with pytest.raises(FencepostError, match="--types"):
        fp.flexible_similarity(*named[:2], costs="levels")


def test_declared_types_reach_costs_of_levels_and_no_others():
    named = moved_and_missing(("part", "chapter", "section"))
    table = fp.score({"t": named[0]}, {"t": named[1]}, types="section<chapter<part",
                     metrics=["Sf:costs=levels", "Sf", "T"], intervals=False,
                     baselines=False)  # fmt: skip
    written = [str(row["signature"]) for row in table]
    assert "costs:levels:section<chapter<part" in written[0]
    assert "chapter" not in written[1]
    assert "types:section<chapter<part" in written[2]
    assert fp.parse(written[0]) == fp.parse("Sf:costs=levels:section<chapter<part")


# Agreement.


@pytest.mark.parametrize("metric", ["T", "T_full", "L", "B", "Sf:costs=levels"])
def test_annotators_at_random_agree_by_chance(metric):
    rng = np.random.default_rng(23)
    corpus = {
        (f"t{text}", coder): random_levels(rng, 60, 0.2) for text in range(30) for coder in "abc"
    }
    rows = {text: {c: corpus[text, c] for c in "abc"} for text, _ in corpus}
    table = fp.agreement(rows, metric=metric, draws=40, intervals=False)
    (kappa,) = [row["value"] for row in table if row["coefficient"] == "kappa"]
    assert abs(kappa) < 0.05
