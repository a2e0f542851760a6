"""What callers may give for one side: dicts, lists, Series, mappings; tables are refused."""

import sys
from collections import ChainMap, UserDict
from types import MappingProxyType

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import fencepost as fp
from fencepost.model.given import holds_texts, is_sizes, rows

GOLD = {"d1": [5, 5], "d2": [3, 4, 5], "d3": [8]}
OURS = {"d1": [4, 6], "d2": [4, 3, 2, 3], "d3": [2, 6]}
FRAME = pd.DataFrame({"text": list(GOLD), "ref": list(GOLD.values()), "hyp": list(OURS.values())})


def listed(given):
    return [tuple(row) for row in rows(given, "texts")]


def values(refs, hyps):
    return fp.score(refs, hyps, metrics=["windowdiff", "B"], baselines=False).column("value")


# One segmentation per text, several, and speakers.


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"d": [5, 5]}, [("d", "", "1", [5, 5])]),
        ({"d": (5, 5)}, [("d", "", "1", (5, 5))]),
        ({7: [5, 5]}, [("7", "", "1", [5, 5])]),
        ({"d": {"anna": [5], 2: [2, 3]}}, [("d", "", "anna", [5]), ("d", "", "2", [2, 3])]),
        ({"d": [[5], [2, 3]]}, [("d", "", "1", [5]), ("d", "", "2", [2, 3])]),
        ({("d", "left"): [5], ("d", 2): [4]}, [("d", "left", "1", [5]), ("d", "2", "1", [4])]),
        ([5, 5], [("1", "", "1", [5, 5])]),
        ([[5, 5], [4, 6]], [("1", "", "1", [5, 5]), ("2", "", "1", [4, 6])]),
        ([{"x": [5]}, {"y": [5]}], [("1", "", "x", [5]), ("2", "", "y", [5])]),
        ((m for m in ([5], [6])), [("1", "", "1", [5]), ("2", "", "1", [6])]),
        (fp.Segmentation(4, [2]), [("1", "", "1", fp.Segmentation(4, [2]))]),
        ({"d": fp.Segmentation(4, [2])}, [("d", "", "1", fp.Segmentation(4, [2]))]),
        ({}, []),
        ([], []),
    ],
)  # fmt: skip
def test_rows_name_text_speaker_and_annotator(given, expected):
    assert listed(given) == expected


def test_columns_of_numbers_are_the_sizes_of_one_text():
    for column in (np.array([5, 5]), pd.Series([5, 5]), pl.Series([5, 5]), pa.array([5, 5])):
        assert is_sizes(column)
        ((text, _, coder, value),) = listed(column)
        assert (text, coder) == ("1", "1")
        assert fp.Corpus.from_dict({"d": column})["d", "1"].masses == (5, 5)
        assert value is column
    assert is_sizes(pd.Series([5, 5], dtype=object))
    assert is_sizes(pd.Series([5, 5], dtype="Int64"))
    assert not is_sizes(pd.Series([[5, 5]]))
    assert not is_sizes(np.array([[5, 5], [4, 6]]))


# Mappings and Series pair by their keys.


@pytest.mark.parametrize(
    "wrap",
    [pd.Series, UserDict, ChainMap, MappingProxyType],
    ids=["Series", "UserDict", "ChainMap", "proxy"],
)
def test_every_mapping_pairs_by_its_keys(wrap):
    turned = dict(reversed(OURS.items()))
    expected = values(GOLD, OURS)
    assert values(wrap(GOLD), wrap(turned)) == expected
    assert values(GOLD, wrap(turned)) == expected
    assert values(wrap(GOLD), turned) == expected
    table = fp.score(GOLD, wrap({"ours": wrap(turned), "gold": wrap(GOLD)}), metrics="B")
    assert list(dict.fromkeys(table.column("system")))[:2] == ["ours", "gold"]


def test_columns_of_a_frame_pair_by_their_index_not_by_order():
    frame = FRAME.set_index("text")
    shuffled = frame.iloc[::-1]
    assert values(frame["ref"], shuffled["hyp"]) == values(GOLD, OURS)
    assert values(FRAME["ref"], FRAME["hyp"]) == values(GOLD, OURS)
    filtered = FRAME[FRAME["text"] != "d1"]
    with pytest.raises(fp.SegmentationError, match=r"lacks 1 of the 3 texts .*\(0\)"):
        values(FRAME["ref"], filtered["hyp"])


@pytest.mark.parametrize("missing", ["error", "skip", "whole"])
def test_texts_of_a_list_do_not_meet_texts_with_an_index_from_0(missing):
    # Pairing "1" with "1" would compare the first text with the second.
    for refs, hyps in ((list(GOLD.values()), FRAME["hyp"]), (FRAME["ref"], list(OURS.values()))):
        with pytest.raises(fp.SegmentationError, match="give both sides the same ids, or neither"):
            fp.score(refs, hyps, missing=missing)
    numbers = dict(enumerate(OURS.values(), start=1))
    assert values(list(GOLD.values()), numbers) == values(GOLD, OURS)


def test_series_of_annotators_and_of_segmentations():
    two = pd.Series({"d": pd.Series({"anna": [5, 5], "ben": [4, 6]})})
    assert fp.Corpus.from_dict(two).coders == ["anna", "ben"]
    segs = pd.Series({"d": fp.Segmentation.from_masses([5, 5])})
    assert fp.Corpus.from_dict(segs)["d", "1"].masses == (5, 5)
    by_speaker = pd.Series([[5], [4]], pd.MultiIndex.from_tuples([("d", "left"), ("d", "right")]))
    assert fp.Corpus.from_dict(by_speaker).items == [("d", "left"), ("d", "right")]
    agreed = fp.agreement(pd.Series({"d": {"anna": [5, 5], "ben": [4, 6]}}))
    assert agreed.rows == fp.agreement({"d": {"anna": [5, 5], "ben": [4, 6]}}).rows


def test_a_text_given_twice_or_without_a_segmentation_is_refused():
    twice = pd.Series([[5, 5], [4, 6]], index=["d1", "d1"])
    with pytest.raises(fp.SegmentationError, match="text d1 by coder 1 is given twice"):
        fp.Corpus.from_dict(twice)
    with pytest.raises(fp.SegmentationError, match="text 1 by coder 1 is given twice"):
        fp.Corpus.from_dict({1: [5], "1": [5]})
    with pytest.raises(fp.SegmentationError, match=r"^text d2 by coder 1: .* found float nan"):
        values(pd.Series(GOLD).reindex(["d1", "d2"]), pd.Series({"d1": [4, 6], "d2": np.nan}))
    with pytest.raises(fp.SegmentationError, match=r"found \('a', 'b', 'c'\)"):
        fp.Corpus.from_dict({("a", "b", "c"): [5]})
    with pytest.raises(fp.SegmentationError, match="references has no texts"):
        values([], [])
    with pytest.raises(fp.SegmentationError, match="number 2 is not: 'x'"):
        fp.Corpus.from_dict({"d": [5, "x"]})


# Tables and Arrow columns are refused with the call that reads them.


ARROW = pa.table({"text": ["d1"], "ref": [[5, 5]]})
TABLES = {
    "pandas DataFrame": (FRAME, r"frame.set_index\('text'\)\['sizes'\]"),
    "polars DataFrame": (pl.from_pandas(FRAME), r"fp.Corpus.from_arrow\(frame\)"),
    "polars LazyFrame": (pl.from_pandas(FRAME).lazy(), r"fp.Corpus.from_arrow"),
    "pyarrow Table": (ARROW, r"fp.Corpus.from_arrow\(table\)"),
    "pyarrow RecordBatch": (ARROW.to_batches()[0], r"fp.Corpus.from_arrow\(table\)"),
    "Arrow column of list": (ARROW["ref"], r"fp.Corpus.from_arrow\(table\)"),
    "Arrow column of string": (pa.array(["a"]), r"fp.Corpus.from_arrow\(table\)"),
}


@pytest.mark.parametrize("name", TABLES)
def test_tables_are_refused_with_the_right_call(name):
    table, call = TABLES[name]
    for use in (
        lambda: fp.score(table, GOLD),
        lambda: fp.score(GOLD, table),
        lambda: fp.score(GOLD, {"ours": table}),
        lambda: fp.agreement(table),
        lambda: fp.Corpus.from_dict(table),
        lambda: fp.Corpus.from_dict({"d1": table}),
    ):
        with pytest.raises(fp.SegmentationError, match=f"found an? {name}.*; .*{call}"):
            use()
    for pair in ((table, [5, 5]), ([5, 5], table)):
        with pytest.raises(
            fp.SegmentationError, match=rf"found an? {name}.*fp\.score\(refs, hyps\)"
        ):
            fp.windowdiff(*pair)


def test_a_series_of_lists_is_not_one_text():
    with pytest.raises(fp.SegmentationError, match=r"found a Series of lists; .*fp\.score\(refs"):
        fp.windowdiff(FRAME["ref"], FRAME["hyp"])


def test_what_is_no_side_at_all_is_refused():
    for wrong in ("gold.json", b"5", 5, None):
        with pytest.raises(fp.SegmentationError, match=r"references: give a dict .*fp\.read"):
            values(wrong, GOLD)
    with pytest.raises(fp.SegmentationError, match="a corpus is a dict of texts, found list"):
        fp.Corpus.from_dict([[5, 5]])


def test_systems_are_mappings_or_lists_of_segmentations():
    for texts in (GOLD, pd.Series(GOLD), [[5, 5], [4, 6]], FRAME):
        assert holds_texts(texts)
    for one in ([5, 5], [], np.array([5, 5]), pd.Series([5, 5]), fp.Segmentation(4, [2]), "text"):
        assert not holds_texts(one)


def test_nothing_is_imported_to_recognize_a_table(monkeypatch):
    for name in ("pandas", "polars", "pyarrow"):
        monkeypatch.setitem(sys.modules, name, None)  # an import would fail
    assert values(GOLD, OURS) == values(dict(GOLD), dict(OURS))
