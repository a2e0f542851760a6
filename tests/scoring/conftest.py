"""Files that tests of this folder share."""

import json

import numpy as np
import pytest

from scored import (
    GOLD,
    GROUPS,
    SYSTEMS,
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("statistics")
    for name, own in {"gold": GOLD, **SYSTEMS}.items():
        (path / f"{name}.json").write_text(json.dumps(own))
    lines = "".join(f"{t},{g}\n" for t, g in GROUPS.items())
    (path / "groups.csv").write_text("text,group\n" + lines)
    records = []
    for text, own in GOLD.items():
        bits = [int(i + 1 in np.cumsum(own)[:-1]) for i in range(sum(own) - 1)]
        records.append({"id": text, "ref": "".join(map(str, bits)), "source": GROUPS[text]})
    (path / "gold.jsonl").write_text("\n".join(map(json.dumps, records)))
    return path
