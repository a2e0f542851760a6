"""The reliability table: bins of probabilities over all texts, from the counts of their metric."""

import pytest

import fencepost as fp
from fencepost import Segmentation

REF = {"a": Segmentation.from_bits("0110"), "b": Segmentation.from_bits("10")}
HYP = {
    "a": Segmentation.from_probabilities([0.1, 0.9, 0.3, 0.5]),
    "b": Segmentation.from_probabilities([0.6, 0]),
}


def test_bins_are_counted_over_all_texts():
    table = fp.score(REF, {"m": HYP}, metrics=["AP", "ECE:bins=2"]).part("reliability")
    rows = [tuple(row.values()) for row in table.rows]
    assert [row[:6] for row in rows] == [
        ("calibration_error:bins=2", "m", "references", 0.0, 0.5, 3),
        ("calibration_error:bins=2", "m", "references", 0.5, 1.0, 3),
    ]
    assert rows[0][6:] == pytest.approx((0.4 / 3, 1 / 3))
    assert rows[1][6:] == pytest.approx((2 / 3, 2 / 3))


def test_an_empty_bin_has_no_mean():
    table = fp.score(REF, {"m": HYP}, metrics=["ECE:bins=10"]).part("reliability")
    assert len(table.rows) == 10
    empty = table.rows[7]
    assert (empty["positions"], empty["mean_probability"]) == (0, None)


def test_the_table_is_there_for_a_metric_with_bins_alone():
    assert "reliability" not in fp.score(REF, {"m": HYP}, metrics=["AP"]).parts
