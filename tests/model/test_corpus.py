"""A corpus is columns that nobody can change; a Segmentation is a view of a row."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fencepost as fp
from fencepost import Column, Corpus, Pairs, Segmentation, SegmentationError
from fencepost.model.corpus import Key
from fencepost.model.join import join
from fencepost.model.strings import Strings

GIVEN = {"d1": {"anna": [5, 5], "ben": [4, 6]}, "d2": {"anna": [3, 3]}}


def test_texts_and_coders_in_the_order_they_are_met():
    corpus = Corpus.from_dict(GIVEN)
    assert (corpus.texts, corpus.coders, len(corpus)) == (["d1", "d2"], ["anna", "ben"], 3)
    assert corpus.items == [("d1", ""), ("d2", "")]
    assert list(corpus.entries) == [("d1", "", "anna"), ("d1", "", "ben"),
                                               ("d2", "", "anna")]  # fmt: skip


def test_a_key_is_a_text_or_a_text_and_a_coder():
    corpus = Corpus.from_dict(GIVEN)
    assert corpus["d2"] == corpus["d2", "anna"] == Segmentation.from_masses([3, 3])
    assert corpus["d1", "", "ben"] == Segmentation.from_masses([4, 6])


@pytest.mark.parametrize(
    ("key", "sentence"),
    [
        ("d9", "no text 'd9'; there are d1, d2"),
        (("d9", "anna"), "there are the texts d1, d2"),
        (
            ("d1", "carla"),
            "no segmentation of text d1 by coder carla; this text has segmentations of anna; ben",
        ),
        ("d1", r"d1 has 2 segmentations: choose one with corpus\['d1', 'anna'\]"),
    ],
)
def test_a_missing_key_says_what_there_is(key, sentence):
    with pytest.raises(KeyError, match=sentence):
        Corpus.from_dict(GIVEN)[key]


def test_arrays_cannot_be_changed():
    corpus = Corpus.from_dict(GIVEN)
    for array in (corpus.units, corpus.column.values, corpus.column.offsets, corpus.text_codes,
                  corpus.coder_codes, corpus.stream_codes):  # fmt: skip
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 10**6
    with pytest.raises(ValueError, match="read-only"):
        corpus["d1", "anna"].cuts[0] = 3


@pytest.mark.parametrize("dtype", [np.int32, np.int64, ">i8", np.uint16])
def test_the_callers_array_stays_the_callers(dtype):
    cuts, offsets, units = (np.array(a, dtype=dtype) for a in ([5, 4], [0, 1, 2], [10, 9]))
    both = Column(cuts, offsets), Column(cuts.copy(), offsets)
    pairs = Pairs(*both, units)
    metrics = [fp.METRICS[name].recipe() for name in ("covering", "boundary_similarity", "pk")]
    before = [one.count(pairs).tolist() for one in metrics]
    for array in (cuts, offsets, units):  # kernels would read out of bounds
        array[:] = np.iinfo(array.dtype).max
    assert [one.count(pairs).tolist() for one in metrics] == before
    assert pairs.ref.values.tolist() == [5, 4] and pairs.units.tolist() == [10, 9]


def locked(array):
    array.flags.writeable = False
    return array


def test_read_only_arrays_whose_memory_can_still_change_are_copied():
    cuts = np.array([5, 4])
    memory = bytearray(cuts.tobytes())
    older = cuts[:]
    given = [locked(cuts[:]), locked(np.frombuffer(memory, dtype=np.int64)), locked(cuts)]
    columns = [Column(one, np.array([0, 1, 2])) for one in given]
    older[:] = 99
    np.frombuffer(memory, dtype=np.int64)[:] = 99
    assert [column.values.tolist() for column in columns] == [[5, 4]] * 3


def test_memory_that_cannot_change_is_shared():
    cuts = np.frombuffer(np.array([5, 4]).tobytes(), dtype=np.int64)
    assert Column(cuts, np.array([0, 1, 2])).values is cuts


def test_pairs_do_not_change():
    pairs = Pairs.from_masses(([5, 5], [0, 2]), ([4, 6], [0, 2]))
    with pytest.raises(AttributeError, match="Pairs do not change"):
        pairs.units = np.array([1])


@pytest.mark.parametrize("key", [0, None, (), ("d1",), ("a", "b", "c", "d")])
def test_what_is_no_key_says_what_is(key):
    corpus = Corpus.from_dict(GIVEN)
    with pytest.raises(KeyError, match=r"found by its text.*the texts are d1, d2"):
        corpus[key]
    assert key not in corpus


def test_a_corpus_is_walked_by_its_texts():
    corpus = Corpus.from_dict(GIVEN)
    assert list(corpus) == ["d1", "d2"]
    assert "d1" in corpus and "d9" not in corpus
    assert ("d1", "anna") in corpus and ("d2", "ben") not in corpus


def test_strided_arrays_are_taken_as_they_are_meant():
    cuts = np.array([5, 0, 4, 0])[::2]
    pairs = Pairs(Column(cuts, np.array([0, 1, 2])), Column(cuts, np.array([0, 1, 2])), [10, 9])
    recipe = fp.METRICS["boundary_similarity"].recipe()
    assert recipe.value(recipe.count(pairs)).tolist() == [1, 1]


TYPED = {
    Key("d", "A", "x"): Segmentation(6, [2, 4], [1, 2], ("minor", "major")),
    Key("d", "A", "y"): Segmentation(6, [2, 2, 6], [1, 2, 1], ("minor", "major")),
    Key("e", "", "x"): Segmentation(3, [], [], ("minor", "major")),
}


@pytest.mark.parametrize("entries", [Corpus.from_dict(GIVEN).entries, TYPED])
def test_arrow_and_back(entries):
    corpus = Corpus.from_entries(entries, name="corpus")
    table = corpus.to_arrow()
    back = Corpus.from_arrow(table)
    assert dict(back.entries) == dict(corpus.entries)
    assert back.fingerprint() == corpus.fingerprint()
    assert list(back.entries) == list(corpus.entries)


def address(array):
    return array.__array_interface__["data"][0]


def test_arrow_shares_the_cuts_and_what_comes_from_arrow_is_copied():
    corpus = Corpus.from_dict({f"d{i}": [3, 4, 5] for i in range(100)})
    table = corpus.to_arrow()
    values = table.column("cuts").chunk(0).values
    assert values.buffers()[1].address == address(corpus.column.values)
    # Memory of Arrow may belong to a numpy array that somebody can still write to.
    back = Corpus.from_arrow(table).column.values
    assert address(back) != address(corpus.column.values)
    assert back.tolist() == corpus.column.values.tolist()


@pytest.mark.parametrize("kind", [pa.list_(pa.int32()), pa.list_(pa.int64()),
                                  pa.large_list(pa.int64()), pa.list_(pa.uint8())])  # fmt: skip
@pytest.mark.parametrize("start", [0, 1])
def test_arrow_lists_of_every_width_and_slices(kind, start):
    table = pa.table({
        "text": ["a", "b", "c"], "units": [9, 5, 7],
        "cuts": pa.array([[3, 4], [], [6]], kind),
    })  # fmt: skip
    corpus = Corpus.from_arrow(table.slice(start))
    expected = {"a": [3, 4], "b": [], "c": [6]}
    assert {text: corpus[text].cuts.tolist() for text in corpus.texts} == {
        text: expected[text] for text in ["a", "b", "c"][start:]
    }
    pieces = pa.concat_tables([table.slice(0, 1), table.slice(1)])
    assert dict(Corpus.from_arrow(pieces).entries) == dict(Corpus.from_arrow(table).entries)


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        ({"text": ["a"], "units": [5]}, "cuts is not there"),
        ({"text": ["a"], "units": [5], "cuts": [3]}, "cuts must hold lists, found int64"),
        ({"text": ["a"], "units": [5], "cuts": [["x"]]}, "cuts must be whole numbers"),
        ({"text": ["a"], "units": [5], "cuts": [None]}, "cuts of row 1 is null"),
        ({"text": ["a"], "units": [5], "cuts": [[5]]}, "row 1: a boundary after unit 5 is the end"),
        (
            {"text": ["a"], "units": [5], "cuts": [[3, 2]]},
            "row 1: positions of boundaries must be sorted",
        ),
        ({"text": ["a", "a"], "units": [5, 5], "cuts": [[3], [2]]}, "row 2: a is given twice"),
        ({"text": ["a"], "units": [5], "cuts": [[3]], "kinds": [[]]}, "one kind for each"),
    ],
)
def test_arrow_tables_that_are_no_corpus(columns, sentence):
    with pytest.raises(SegmentationError, match=sentence):
        Corpus.from_arrow(pa.table(columns))


def test_the_fingerprint_is_of_texts_and_cuts_alone():
    one = Corpus.from_dict({"a": {"x": [3, 4]}, "b": {"x": [5]}})
    other = Corpus.from_dict({"b": {"y": [5]}, "a": {"y": [3, 4]}})
    assert one.fingerprint() == other.fingerprint()
    changed = [{"a": [4, 3], "b": [5]}, {"a": [3, 4], "c": [5]}, {"a": [3, 4], "b": [6]},
               {"a": [3, 4]}, {"a": [3, 4], ("b", "A"): [5]}]  # fmt: skip
    found = {Corpus.from_dict(texts).fingerprint() for texts in changed}
    assert len(found) == len(changed) and one.fingerprint() not in found


@pytest.mark.slow
@given(st.lists(st.text(max_size=5)), st.lists(st.text(max_size=5), unique=True))
def test_strings_match_as_a_dict_does(ours, theirs):
    found = Strings.of(ours).match(Strings.of(theirs)).tolist()
    numbers = {one: number for number, one in enumerate(theirs)}
    assert found == [numbers.get(one, -1) for one in ours]
    codes, names = Strings.of(ours).codes()
    assert [names[code] for code in codes.tolist()] == ours
    assert list(names) == list(dict.fromkeys(ours))


def test_strings_whose_hashes_are_equal_are_still_told_apart(monkeypatch):
    def hashes(data, offsets):
        return np.zeros(len(offsets) - 1, dtype=np.uint64)

    monkeypatch.setattr("fencepost.model.strings.row_hashes", hashes)
    assert Strings.of(["a", "b", "a"]).match(Strings.of(["b", "a"])).tolist() == [1, 0, 1]
    codes, names = Strings.of(["a", "b", "a"]).codes()
    assert (codes.tolist(), list(names)) == ([0, 1, 0], ["a", "b"])


def test_a_join_is_of_rows():
    gold = Corpus.from_dict({("a", "A"): [5, 5], ("a", "B"): [4], ("b", "A"): [7]}, "gold")
    bert = Corpus.from_dict({("b", "A"): [7], ("a", "B"): [4], ("a", "A"): [5, 5]}, "bert")
    made = join(gold, {"bert": bert})
    assert made.rows["bert"].tolist() == [2, 1, 0]
    assert [made.hypothesis("bert", row) for row in range(3)] == [
        gold.segmentation(row) for row in range(3)
    ]
