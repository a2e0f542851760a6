"""The same texts in many Arrow layouts, for tests of batches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from fencepost import Segmentation

LAYOUTS = ("list", "large_list", "list_view", "sliced", "dictionary")
VALUES = {
    "masses": ("int8", "int32", "int64", "uint16"),
    "positions": ("int32", "int64", "uint8"),
    "bits": ("bool", "int8", "int64"),
    "flags": ("bool", "uint8", "int32"),
}


def values_of(seg: Segmentation, encoding: str) -> list[Any]:
    """Return what a row has for a segmentation."""
    if encoding == "spans":
        ends = np.cumsum(seg.masses).tolist()
        return [{"start": a, "end": b} for a, b in zip([0, *ends[:-1]], ends, strict=True)]
    if encoding == "bits":
        return [int(c) for c in seg.bits]
    if encoding == "flags":
        return [int(c) for c in seg.flags("last")]
    return list(seg.masses) if encoding == "masses" else seg.cuts.tolist()


def lists(rows: Sequence[Any], layout: str, value_type: Any) -> Any:
    """Return a list column of these rows (None is null) in a layout."""
    if layout == "sliced":  # rows before and behind that do not belong to it
        padding = next((row for row in rows if row), [])
        return pa.array([padding, *rows, padding], pa.list_(value_type))[1:-1]
    kinds = {"large_list": pa.large_list, "list_view": pa.list_view}
    return pa.array(rows, kinds.get(layout, pa.list_)(value_type))


def names(count: int, layout: str) -> Any:
    """Return the column of the texts' names."""
    made = pa.array([f"d{i}" for i in range(count)])
    return made.dictionary_encode() if layout == "dictionary" else made


def batch_of(
    pairs: Sequence[tuple[Segmentation, Segmentation]], encoding: str, layout: str, value: str
) -> pa.RecordBatch:
    """Return a batch with columns id, n, gold and sys; boundary types stand beside positions."""
    kind = pa.struct({"start": pa.int32(), "end": pa.int64()}) if encoding == "spans" else None
    columns = {"id": names(len(pairs), layout), "n": [ref.units for ref, _ in pairs]}
    for side, name in enumerate(("gold", "sys")):
        segs = [pair[side] for pair in pairs]
        rows = [values_of(seg, encoding) for seg in segs]
        if value == "bool" and encoding != "spans":
            rows = [list(map(bool, row)) for row in rows]
        columns[name] = lists(rows, layout, kind or pa.type_for_alias(value))
        if segs[0].kinds is not None:
            own = [[seg.kind_names[k - 1] for k in seg.kinds] for seg in segs]  # type: ignore[index]
            text = pa.dictionary(pa.int32(), pa.string()) if layout == "dictionary" else pa.string()
            columns[f"{name}_types"] = lists(own, layout, text)
    return pa.record_batch(columns)
