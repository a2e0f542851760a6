"""Measure segmentations: how close, how well agreed, and how much to trust the number.

>>> import fencepost as fp
>>> round(fp.windowdiff([5, 5, 1, 3], [5, 4, 1, 4]), 3)
0.333
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING

# One text, many pairs of texts, and what scoring gives back.
from fencepost.model.segmentation import Segmentation as Segmentation
from fencepost.model.pairs import Column as Column
from fencepost.model.pairs import Pairs as Pairs
from fencepost.model.edits import Edge as Edge
from fencepost.model.edits import Edit as Edit
from fencepost.metrics.score import Score as Score
from fencepost.metrics.signature import Signature as Signature
from fencepost.scoring.tables import Table as Table
from fencepost.metrics.signature import VERSION as _VERSION

# The metrics, and how to declare one.
from fencepost.metrics import *

# What can go wrong, and how many threads work.
from fencepost.model.checks import FencepostError as FencepostError
from fencepost.model.checks import MetricError as MetricError
from fencepost.model.checks import SegmentationError as SegmentationError
from fencepost._threads import set_threads as set_threads

__version__: str = _VERSION

# Rooms that a single score does not need are entered when a name of theirs is first used.
_LATER = {
    "Corpus": "fencepost.model.corpus",
    "score": "fencepost.scoring.count",
    "score_counts": "fencepost.scoring.count",
    "power": "fencepost.study.power",
    "agreement": "fencepost.coders",
    "consensus": "fencepost.coders.consensus",
    "segmenters": "fencepost.coders.segmenters",
    "operations": "fencepost.coders.confusions",
    "confusions": "fencepost.coders.confusions",
    "contrasts": "fencepost.coders.confusions",
    "resegment": "fencepost.streams.resegmentation",
    "Resegmentation": "fencepost.streams.resegmentation",
    "read_references": "fencepost.streams.inputs",
    "read_streams": "fencepost.streams.inputs",
    "score_streams": "fencepost.streams.scores",
    "probe": "fencepost.study.probing",
    "read": "fencepost.formats",
    "write": "fencepost.formats",
}
# Whole rooms that go by their own name.
_ROOMS = {"simulate": "fencepost.study.simulate", "plot": "fencepost.report.plot"}

if _TYPE_CHECKING:
    from fencepost.coders import agreement as agreement
    from fencepost.coders.consensus import consensus as consensus
    from fencepost.coders.segmenters import segmenters as segmenters
    from fencepost.model.corpus import Corpus as Corpus
    from fencepost.formats import read as read
    from fencepost.coders.confusions import confusions as confusions
    from fencepost.coders.confusions import contrasts as contrasts
    from fencepost.coders.confusions import operations as operations
    from fencepost.formats import write as write
    from fencepost.study.probing import probe as probe
    from fencepost.study.power import power as power
    from fencepost.scoring.count import score as score
    from fencepost.scoring.count import score_counts as score_counts
    from fencepost.streams.inputs import read_references as read_references
    from fencepost.streams.inputs import read_streams as read_streams
    from fencepost.streams.resegmentation import Resegmentation as Resegmentation
    from fencepost.study import simulate as simulate
    from fencepost.streams.resegmentation import resegment as resegment
    from fencepost.streams.scores import score_streams as score_streams
else:  # type checkers see the imports, and miss no misspelt name

    def __getattr__(name: str) -> object:
        """Enter the room of a name that is first used."""
        if name in _ROOMS:
            return _import_module(_ROOMS[name])
        if name not in _LATER:
            raise AttributeError(f"module 'fencepost' has no attribute {name!r}")
        found = getattr(_import_module(_LATER[name]), name)
        globals()[name] = found
        return found

    def __dir__() -> list[str]:
        """All names, used or not."""
        return sorted({*globals(), *_LATER, *_ROOMS})
