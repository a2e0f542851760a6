"""What notebooks show."""

import pickle

import pytest

import fencepost as fp
from reader import Reader, static
from support import PAIR_METRICS, ok, put


def test_a_segmentation_is_a_strip():
    seg = fp.Segmentation(14, [5, 10], [1, 2], ("<i>", "b"))
    reader = static(seg._repr_html_())
    assert [tag for tag, _ in reader.tags].count("rect") == 3
    assert "14 units, 3 segments" in reader.texts and "<i>" in reader.texts


def test_a_score_draws_its_edits():
    text = "".join(static(fp.boundary_similarity([5, 5, 4], [4, 6, 2, 2])._repr_html_()).texts)
    assert "near miss: 5 → 4, cost 0.5" in text and "extra after 12, cost 1" in text
    assert "boundary_similarity|n_t:2" in text and "0.5000" in text
    plain = static(fp.boundary_f([5, 5], [4, 6])._repr_html_())  # no edits: both sides as they are
    assert dict(plain.tags)["svg"] and not any("edit" in str(a) for _, a in plain.tags)
    ribbons = "".join(static(fp.alignment_similarity([5, 5], [4, 6])._repr_html_()).texts)
    assert "match" in ribbons or "shift" in ribbons


@pytest.mark.parametrize("metric", ["pk", "pk_prime", "windowdiff", "c_seg", "winpr_f"])
@pytest.mark.parametrize("k", [1, 2, 4, "auto"])
def test_a_score_of_windows_shades_those_that_differ(metric, k):
    ref, hyp = fp.Segmentation(14, [3, 4, 9]), fp.Segmentation(14, [4, 8, 9, 12])
    score = getattr(fp, metric)(ref, hyp, k=k)
    width = k if k != "auto" else 2  # half of 14 / 4 units, rounded half up
    differ = []
    for i in range(14 - width):
        held = [sum(i < cut <= i + width for cut in seg.cuts.tolist()) for seg in (ref, hyp)]
        if metric in ("windowdiff", "winpr_f"):
            differ += [i] * (held[0] != held[1])
        else:
            differ += [i] * ((held[0] > 0) != (held[1] > 0))
    html = score._repr_html_()
    places = f"{width} position{'s' * (width > 1)}"
    assert f"{len(differ)} of the {14 - width} windows of {places} differ" in html
    covered = {p for i in differ for p in range(i + 1, i + width + 1)}
    assert html.count('height="26"') == len(covered)
    if metric == "windowdiff":
        assert len(differ) == score.counts["differing"]
    if metric == "pk":
        assert len(differ) == score.counts["disagreeing"]


def test_a_score_keeps_its_texts_when_it_is_pickled():
    score = pickle.loads(pickle.dumps(fp.windowdiff([5, 5], [4, 6])))
    assert score._repr_html_() == fp.windowdiff([5, 5], [4, 6])._repr_html_()


def test_a_table_is_a_table():
    rows = tuple({"system": "<b>", "value": 0.5, "low": None} for _ in range(60))
    reader = static(fp.Table(("system", "value", "low"), rows)._repr_html_())
    assert [tag for tag, _ in reader.tags].count("tr") == 51
    text = "".join(reader.texts)
    assert "<b>" in text and "low" not in text and "the first 50 of 60 rows" in text


def test_a_resegmentation_shows_its_words():
    found = fp.resegment(["a <b> c", "d e"], "a x c d e f")
    text = "".join(static(found._repr_html_()).texts)
    assert "AS-WER" in text and "segment 1" in text and "<" in text


@pytest.mark.slow
@pytest.mark.parametrize("units", [1, 100_000])
def test_drawings_of_any_length_stay_small(units):
    seg = fp.Segmentation(units, range(1, units, 7) if units > 1 else [])
    other = fp.Segmentation(units, range(3, units, 5) if units > 3 else [])
    assert len(seg._repr_html_()) < 60_000
    assert len(fp.boundary_similarity(seg, other)._repr_html_()) < 200_000
    assert len(fp.windowdiff(seg, other)._repr_html_()) < 100_000


# Texts without any boundary, on either side.

BARE = {"d1": [8], "d2": [5]}
CUT = {"d1": [4, 4], "d2": [5]}
SIDES = [(BARE, BARE), (BARE, CUT), (CUT, BARE)]


@pytest.mark.parametrize(("ref", "hyp"), SIDES)
@pytest.mark.parametrize("name", PAIR_METRICS)
def test_a_score_without_boundaries_is_shown(name, ref, hyp):
    score = fp.METRICS[name](ref["d1"], hyp["d1"])
    assert "8" in "".join(static(score._repr_html_()).texts)


def test_a_segmentation_without_boundaries_is_shown():
    assert "8" in "".join(static(fp.Segmentation.from_masses([8])._repr_html_()).texts)
    typed = fp.Segmentation.from_marks(["", ""], [","])
    assert static(typed._repr_html_()).texts


@pytest.mark.parametrize(("ref", "hyp"), SIDES)
def test_a_page_of_texts_without_boundaries_is_made(tmp_path, ref, hyp):
    put(tmp_path, "gold.json", ref)
    put(tmp_path, "ours.json", hyp)
    names = [name for name in PAIR_METRICS if fp.METRICS[name].edits or name in ("pk", "covering")]
    ok("score", "gold.json", "-i", "ours.json", "-m", *names, "--html", "s.html", cwd=tmp_path,
       notes=True)  # fmt: skip
    both = {text: {"anna": ref[text], "ben": hyp[text]} for text in ref}
    put(tmp_path, "both.json", both)
    ok("agree", "both.json", "--draws", "10", "--html", "a.html", "--html-per-coder", "pages",
       cwd=tmp_path, notes=True)  # fmt: skip
    for page in ("s.html", "a.html", "pages/anna.html", "pages/ben.html"):
        reader = Reader((tmp_path / page).read_text(encoding="utf-8"))
        assert reader.wrong == [] and reader.open == []
        assert "d1" in "".join(reader.texts)
    table = fp.score(ref, {"ours": hyp}, metrics=names)
    assert "ours" in table._repr_html_()
