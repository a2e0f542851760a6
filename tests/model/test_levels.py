"""Levels are boundary types in an order; each level is a flat segmentation of its own."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fencepost import Corpus, Segmentation
from fencepost.model.checks import SegmentationError


@st.composite
def hierarchies(draw, levels=4):
    """A text whose boundaries have levels from 1 up."""
    units = draw(st.integers(1, 20))
    cuts = sorted(draw(st.sets(st.integers(1, units)))) if units > 1 else []
    kinds = draw(st.lists(st.integers(1, levels), min_size=len(cuts), max_size=len(cuts)))
    return Segmentation(units, cuts, kinds, [str(n) for n in range(1, levels + 1)])


@given(hierarchies())
def test_a_level_has_its_own_boundaries_and_all_coarser_ones(seg):
    for level in range(1, 5):
        wanted = [cut for cut, kind in seg.named_cuts if int(kind) <= level and cut < seg.units]
        assert seg.at(level) == seg.at(str(level)) == Segmentation(seg.units, wanted)


@given(hierarchies())
def test_every_level_refines_the_coarser_one_and_the_finest_has_all(seg):
    for level in range(1, 4):
        assert set(seg.at(level).places) <= set(seg.at(level + 1).places)
    assert seg.at(4).places.tolist() == seg.places.tolist()


@given(st.lists(hierarchies(), min_size=1, max_size=5))
def test_a_corpus_gives_the_levels_of_its_texts(segs):
    corpus = Corpus.from_dict({f"d{n}": {"a": seg} for n, seg in enumerate(segs)})
    for level in range(1, 5):
        flat = corpus.at(level)
        assert flat.kind_names is None
        assert [flat.segmentation(row) for row in range(len(flat))] == [s.at(level) for s in segs]
        assert flat.source.choices == {"levels": str(level)}


def test_names_need_a_declared_order_from_the_finest_to_the_coarsest():
    seg = Segmentation.from_marks(["section", "", "chapter", ""])
    assert seg.at("chapter", "section<chapter").masses == (3, 1)
    assert seg.at("section", ["section", "chapter"]).masses == (1, 2, 1)
    # A level that is declared and that this text does not have is a level of the others.
    assert seg.at("part", "section<chapter<part").masses == (4,)
    with pytest.raises(SegmentationError, match=r"'section' is no level.*FINEST<"):
        seg.at("chapter")
    with pytest.raises(SegmentationError, match=r"'section' is not in types verse<chapter"):
        seg.at("chapter", "verse<chapter")


def test_several_types_at_one_position_count_as_the_coarsest():
    seg = Segmentation(5, [2, 2, 4], [1, 3, 2])
    assert seg.at(1).masses == (2, 3)
    assert seg.at(3).masses == (2, 2, 1)


@pytest.mark.parametrize("level", [0, 3, "deep", True, None])
def test_an_unknown_level_is_refused_with_the_levels_there_are(level):
    seg = Segmentation(5, [2, 4], [1, 2])
    for one in (seg, Corpus.from_dict({"d1": seg}, "gold")):
        with pytest.raises(SegmentationError) as caught:
            one.at(level)
        said = f"no level {level!r}; the levels are 1, 2, from the coarsest to the finest"
        assert str(caught.value) == (said if one is seg else f"gold: {said}")


def test_levels_by_position_are_the_types_of_their_boundaries():
    seg = Segmentation.from_levels({4: 1, 2: 3}, 6)
    assert seg == Segmentation(6, [2, 4], [2, 1], ["1", "3"])
    assert Segmentation.from_levels({}, 6) == Segmentation(6, [], [], [])
    for wrong, said in (({2: 0}, "after unit 2 it is 0"), ({2: 1.5}, "whole numbers"),
                        ({2: "1"}, "whole numbers"), ([1, 2], "dict of positions, found list"),
                        ({6: 1, 7: 2}, "no boundary can lie after unit 7")):  # fmt: skip
        with pytest.raises(SegmentationError, match=said):
            Segmentation.from_levels(wrong, 6)


def test_boundaries_without_types_have_no_levels():
    flat = Segmentation(5, [2])
    with pytest.raises(SegmentationError, match="boundaries without types have no levels"):
        flat.at(1)
    mixed = Corpus.from_dict({"d1": {"a": Segmentation(5, [2], [1]), "b": flat}})
    with pytest.raises(SegmentationError, match="text d1 by coder b has no boundary types"):
        mixed.at(1)


@pytest.mark.parametrize("name", ["0", "01", "-1", "1.5", "²"])
def test_other_numbers_are_no_levels(name):
    with pytest.raises(SegmentationError, match="is no level"):
        Segmentation(5, [2], [1], [name]).at(name)
