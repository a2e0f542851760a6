"""matplotlib functions draw on the Axes they are given, and touch nothing else."""

import subprocess
import sys

import pytest

import fencepost as fp
from fencepost import plot

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


def test_matrix_and_confusion(ax, tmp_path):
    corpus = fp.Corpus.from_dict({"t": {"x": [5, 5], "y": [5, 5], "z": [4, 6]}})
    plot.matrix(ax, fp.agreement(corpus, resamples=0).part("matrix"))
    assert [t.get_text() for t in ax.get_xticklabels()] == ["x", "y", "z"]
    assert sorted(t.get_text() for t in ax.texts) == ["0.5"] * 4 + ["1"] * 2
    rows = ({"stream": "all", "first": "a", "second": "b", "count": 3},)
    other = figure.Figure().subplots()
    plot.confusion(other, fp.Table(("stream", "first", "second", "count"), rows))
    assert [t.get_text() for t in other.texts] == ["3"]
    drawn(other, tmp_path)


def test_bars_have_the_counted_heights(ax):
    plot.sizes(ax, [[5, 5, 1], [1, 2]])
    assert [p.get_height() for p in ax.patches] == [2, 1, 0, 0, 2]
    other = figure.Figure().subplots()
    plot.offsets(other, [[5, 5]], [[4, 6]], most=2)
    assert [p.get_height() for p in other.patches] == [0, 1, 0, 0, 0]


def test_curves_and_cards(ax, tmp_path):
    plot.curves(ax, [1, 2], {"pk": [0.1, 0.2], "B": ([0.5, 0.4], [0.4, 0.3], [0.6, 0.5])})
    assert len(ax.lines) == 2 and len(ax.collections) == 1
    rows = ({"metric": "pk", "value": 0.5, "low": 0.4, "high": 0.6}, {"metric": "B", "value": 0.2})
    other = figure.Figure().subplots()
    plot.card(other, fp.Table(("metric", "value"), rows))
    assert len(other.lines) == 3
    drawn(ax, tmp_path)
    drawn(other, tmp_path)


def test_no_global_state_is_touched():
    code = (
        "import matplotlib; from matplotlib.figure import Figure; from fencepost import plot; "
        "before = dict(matplotlib.rcParams); plot.strips(Figure().subplots(), [5, 5], [4, 6]); "
        "from matplotlib import pyplot; "
        "assert dict(matplotlib.rcParams) == before and pyplot.get_fignums() == []"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
