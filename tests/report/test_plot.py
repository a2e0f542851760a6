"""matplotlib functions draw on the Axes they are given, and touch nothing else."""

import math
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest

import fencepost as fp
from fencepost.report import plot
from fencepost.report.cards import shown_figure
from fencepost.study.probing.card import curve_table

figure = pytest.importorskip("matplotlib.figure", reason="matplotlib is not installed")


@pytest.fixture
def ax():
    return figure.Figure().subplots()


def drawn(ax, tmp_path):
    """Render it: what cannot be drawn fails here."""
    path = tmp_path / "plot.svg"
    ax.figure.savefig(path)
    return path.read_text(encoding="utf-8")


def test_strips_draw_every_edit(ax, tmp_path):
    assert plot.strips(ax, [5, 5, 4], [4, 6, 2, 2]) is ax
    score = fp.boundary_similarity([5, 5, 4], [4, 6, 2, 2])
    assert len(ax.collections) == 2
    assert len(ax.texts) == sum(e.side is None for e in score.edits) + 1  # arrows and a distance
    assert len(ax.lines) == sum(e.side is not None for e in score.edits)
    assert [t.get_text() for t in ax.get_yticklabels()] == ["reference", "hypothesis"]
    drawn(ax, tmp_path)


def test_strips_of_several_systems_and_another_metric(ax):
    plot.strips(ax, [5, 5], {"a": [5, 5], "b": [10]}, names=("gold", ""))
    assert [t.get_text() for t in ax.get_yticklabels()] == ["gold", "a", "b"]
    other = figure.Figure().subplots()
    plot.strips(other, [5, 5], [2, 8], score=fp.boundary_similarity([5, 5], [2, 8], n_t=5))
    assert any(text.get_text().strip() == "3" for text in other.texts)


def test_the_heat_map_holds_shares_of_coders(ax, tmp_path):
    corpus = fp.Corpus.from_dict({"t": {"x": [5, 5], "y": [5, 5], "z": [4, 6], "w": [10]}})
    plot.heat_map(ax, corpus, "t")
    shares = ax.images[0].get_array().tolist()[0]
    assert shares == [0, 0, 0, 0.25, 0.5, 0, 0, 0, 0]
    drawn(ax, tmp_path)
    with pytest.raises(KeyError, match="no text 'u'"):
        plot.heat_map(ax, corpus, "u")


def test_one_score_has_the_edits_of_one_hypothesis(ax):
    ref, hyps = [5, 5], {"x": [4, 6], "y": [10]}
    scores = {name: fp.segmentation_similarity(ref, hyp) for name, hyp in hyps.items()}
    with pytest.raises(plot.PlotError, match="one score has the edits of one hypothesis"):
        plot.strips(ax, ref, hyps, score=scores["x"])
    with pytest.raises(plot.PlotError, match="no score for y"):
        plot.strips(ax, ref, hyps, score={"x": scores["x"]})
    with pytest.raises(plot.PlotError, match="for y is of another hypothesis"):
        plot.strips(ax, ref, hyps, score={"x": scores["x"], "y": scores["x"]})
    with pytest.raises(plot.PlotError, match="for y is of another reference"):
        plot.strips(ax, ref, {"y": [10]}, score={"y": fp.boundary_similarity([3, 7], [10])})
    with pytest.raises(plot.PlotError, match="windowdiff keeps no edits"):
        plot.strips(ax, ref, [4, 6], score=fp.windowdiff(ref, [4, 6]))
    fresh = figure.Figure().subplots()
    plot.strips(fresh, ref, hyps, score=scores)
    (near,) = [t for t in fresh.texts if t.get_text().strip() == "1"]
    assert near.get_position()[1] == 0.5  # beside x, which is a near miss
    (missing,) = fresh.lines
    assert (missing.get_ydata()[0], missing.get_marker()) == (1.5, "D")  # above y, which has none


def test_strips_show_kinds_and_what_became_of_them(ax):
    ref = fp.Segmentation(12, [3, 6, 9], kinds=[1, 2, 1], kind_names=("comma", "period"))
    hyp = fp.Segmentation(12, [3, 7], kinds=[2, 1], kind_names=("comma", "period"))
    score = fp.flexible_similarity(ref, hyp)
    plot.strips(ax, ref, hyp, score=score)
    written = [t.get_text() for t in ax.texts if t.get_text().strip().isalpha()]
    assert written == ["comma", "period", "comma", "period", "comma"]
    squares = [line.get_xdata()[0] for line in ax.lines if line.get_marker() == "s"]
    assert squares == [
        (e.start + e.end) / 2 for e in score.edits if e.side is None and e.ref_kind != e.hyp_kind
    ]
    assert squares


def test_strips_draw_the_alignment_of_a(ax):
    score = fp.alignment_similarity([5, 5, 4], [4, 10])
    plot.strips(ax, [5, 5, 4], [4, 10], score=score)
    assert len(ax.patches) == len(score.edits) > 2


def overlapping(labels, fig):
    """Whether two labels beside each other cover the same spot."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas = FigureCanvasAgg(fig)
    canvas.draw()
    if labels[0].get_rotation():  # turned ones are apart by the height of a line
        starts = [label.get_window_extent(canvas.renderer).x1 for label in labels]
        return any(b - a < labels[0].get_fontsize() for a, b in pairwise(starts))
    boxes = [label.get_window_extent(canvas.renderer) for label in labels]
    return any(a.x1 > b.x0 for a, b in pairwise(boxes))


@pytest.mark.slow
def test_matrix_names_do_not_overlap(ax, tmp_path):
    names = ["Anna Lindqvist", "Bob", "Chiara", "Dmitri", "Eun-ji", "Farouk", "Greta"]
    corpus = fp.Corpus.from_dict({"t": {name: [5 + i, 9 - i] for i, name in enumerate(names)}})
    plot.matrix(ax, fp.agreement(corpus, intervals=False).part("matrix"))
    labels = ax.get_xticklabels()
    assert [t.get_text() for t in labels] == names
    assert not overlapping(labels, ax.figure)
    other = figure.Figure().subplots()
    plot.sizes(other, [[101, 5, 33, 250, 12]])
    assert not overlapping(other.get_xticklabels(), other.figure)


def test_matrix_and_confusion(ax, tmp_path):
    corpus = fp.Corpus.from_dict({"t": {"x": [5, 5], "y": [5, 5], "z": [4, 6]}})
    plot.matrix(ax, fp.agreement(corpus, intervals=False).part("matrix"))
    assert [t.get_text() for t in ax.get_xticklabels()] == ["x", "y", "z"]
    assert sorted(t.get_text() for t in ax.texts) == ["0.50"] * 4 + ["1.00"] * 2
    kinds = {
        "x": fp.Segmentation(9, [3, 6], kinds=[1, 2], kind_names=("a", "b")),
        "y": fp.Segmentation(9, [3, 6], kinds=[1, 1], kind_names=("a", "b")),
    }
    table = fp.confusions(fp.Corpus.from_dict({"t": kinds}))
    other = figure.Figure().subplots()
    plot.confusion(other, table)
    counts = [f"{row['count']:.3g}" for row in table if row["stream"] == "all"]
    assert sorted(t.get_text() for t in other.texts) == sorted(counts)
    drawn(other, tmp_path)


def test_bars_have_the_counted_heights(ax):
    plot.sizes(ax, [[5, 5, 1], [1, 2]])
    assert [p.get_height() for p in ax.patches] == [2, 1, 0, 0, 2]
    other = figure.Figure().subplots()
    plot.offsets(other, [[5, 5]], [[4, 6]], most=2)
    assert [p.get_height() for p in other.patches] == [0, 1, 0, 0, 0]


@pytest.fixture(scope="module")
def simulated():
    """References, and hypotheses with more and more errors."""
    gold = fp.simulate.references(12, sizes="uniform:5-15", segments=8, seed=1)
    shares = [0.1, 0.3, 0.5]
    return gold, {p: fp.simulate.errors(gold, "FNP1", p=p, seed=1) for p in shares}


def test_curves_of_simulated_draws_are_means_with_their_intervals(ax, simulated, tmp_path):
    _, pairs = simulated
    recipes = {name: fp.parse(name) for name in ("pk", "windowdiff")}
    draws = {n: [r.value(r.count(own)) for own in pairs.values()] for n, r in recipes.items()}
    assert plot.curves(ax, list(pairs), draws) is ax
    assert [line.get_label() for line in ax.lines] == ["pk", "windowdiff"]
    assert ax.lines[0].get_xdata().tolist() == [0.1, 0.3, 0.5]
    assert ax.lines[0].get_ydata() == pytest.approx([np.mean(own) for own in draws["pk"]])
    band = ax.collections[0].get_paths()[0].vertices
    own = draws["pk"][0]
    half = 1.96 * np.std(own, ddof=1) / math.sqrt(len(own))
    ends = sorted(y for x, y in band.tolist() if x == 0.1)
    assert (ends[0], ends[-1]) == pytest.approx((np.mean(own) - half, np.mean(own) + half))
    drawn(ax, tmp_path)
    with pytest.raises(plot.PlotError, match="pk: there are 2 positions on x, but 3 values"):
        plot.curves(ax, [1, 2], draws)


def test_curves_of_a_score_table_have_its_intervals(ax, simulated):
    gold, pairs = simulated
    made = {p: gold.with_cuts(own.hyp) for p, own in pairs.items()}
    table = fp.score(gold, {str(p): c for p, c in made.items()}, metrics=["pk", "B"],
                     baselines=False, resamples=100)  # fmt: skip
    plot.curves(ax, table)
    assert [line.get_label() for line in ax.lines] == ["pk", "boundary_similarity"]
    assert list(ax.lines[0].get_xdata()) == [0.1, 0.3, 0.5]
    rows = table.where(metric="pk").rows
    assert list(ax.lines[0].get_ydata()) == [row["value"] for row in rows]
    heights = {y for _, y in ax.collections[0].get_paths()[0].vertices.tolist()}
    assert {row["low"] for row in rows} | {row["high"] for row in rows} <= heights


@pytest.mark.slow
def test_curves_of_power_and_of_a_card(ax):
    def differences(texts, seed):
        return np.random.default_rng(seed).normal(0.1, 0.1, texts)

    table = fp.power(simulate=differences, texts=(5, 10), times=20)
    plot.curves(ax, table)
    assert list(ax.lines[0].get_ydata()) == table.column("power")
    assert len(ax.collections) == 1
    points = curve_table(list(fp.probe("pk", ["B"], properties=["texts"])))
    other = figure.Figure().subplots()
    plot.curves(other, points.where(curve="density"))
    assert [line.get_label() for line in other.lines] == ["pk", "boundary_similarity"]
    assert len(other.collections) == 2
    with pytest.raises(plot.PlotError, match="several values at one x"):
        plot.curves(other, points)
    with pytest.raises(plot.PlotError, match="no column"):
        plot.curves(other, fp.probe("pk", properties=["texts"]).table())


def test_curves_of_plain_values_and_of_names(ax):
    plot.curves(ax, [1, 2], {"pk": [0.1, 0.2], "B": ([0.5, 0.4], [0.4, 0.3], [0.6, 0.5])})
    assert len(ax.lines) == 2 and len(ax.collections) == 1
    gold = {"d1": [5, 5], "d2": [4, 6]}
    table = fp.score(gold, {"ours": {"d1": [4, 6], "d2": [4, 6]}, "theirs": gold}, metrics=["pk"],
                     baselines=False)  # fmt: skip
    other = figure.Figure().subplots()
    plot.curves(other, table)
    assert [t.get_text() for t in other.get_xticklabels()] == ["ours", "theirs"]


@pytest.mark.slow
def test_a_card_is_drawn_by_its_verdicts(ax, tmp_path):
    card = fp.probe("windowdiff")
    assert plot.card(ax, card) is ax
    assert [t.get_text() for t in ax.get_yticklabels()] == [
        f"{a.asked.name} ({a.asked.threshold.said})" for a in card
    ]
    signs = {"yes": "o", "no": "D", "undefined": "_"}
    assert [line.get_marker() for line in ax.lines] == [signs[a.verdict] for a in card]
    assert [t.get_text() for t in ax.texts] == [f"{a.verdict} {shown_figure(a)}" for a in card]
    drawn(ax, tmp_path)


@pytest.mark.slow
def test_several_cards_and_their_table_are_drawn_alike(ax):
    cards = fp.probe("pk", ["A"], properties=["symmetric", "triangle inequality"])
    plot.card(ax, cards)
    other = figure.Figure().subplots()
    plot.card(other, cards.table())
    written = [[t.get_text() for t in one.texts] for one in (ax, other)]
    assert written[0] == written[1]
    assert "no 0.000149" in written[0]
    assert [t.get_text() for t in ax.get_xticklabels()] == ["pk", "alignment_similarity"]
    with pytest.raises(plot.PlotError, match="no report card"):
        plot.card(ax, fp.agreement(fp.Corpus.from_dict({"t": {"x": [5, 5], "y": [4, 6]}}),
                                   intervals=False))  # fmt: skip


@pytest.mark.slow
def test_no_global_state_is_touched():
    code = (
        "import matplotlib; from matplotlib.figure import Figure; from fencepost import plot; "
        "before = dict(matplotlib.rcParams); plot.strips(Figure().subplots(), [5, 5], [4, 6]); "
        "from matplotlib import pyplot; "
        "assert dict(matplotlib.rcParams) == before and pyplot.get_fignums() == []"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_baselines_have_no_place_on_a_scale(ax):
    gold = {f"d{i}": [5, 5, 5, 5] for i in range(6)}
    systems = {
        "0.1": {f"d{i}": [5, 5, 4, 6] for i in range(6)},
        "0.5": {f"d{i}": [9, 7, 4] for i in range(6)},
    }
    plot.curves(ax, fp.score(gold, systems, metrics=["pk"], intervals=False))
    (line,) = ax.lines
    assert list(line.get_xdata()) == [0.1, 0.5]
    named = figure.Figure().subplots()
    table = fp.score(gold, {"ours": systems["0.1"]}, metrics=["pk"], intervals=False)
    plot.curves(named, table)
    assert [t.get_text() for t in named.get_xticklabels()] == table.column("system")


def test_a_cut_after_the_last_unit_is_inside(ax):
    one = fp.Segmentation(9, [3, 9], [1, 2], ("a", "b"))
    other = fp.Segmentation(9, [3], [1], ("a", "b"))
    plot.strips(ax, one, other, score=fp.flexible_similarity(one, other))
    low, high = ax.get_xlim()
    assert low < 0 and high > 9
    assert not any(line.get_clip_on() for line in ax.lines)
