"""Measure segmentations: how close, how well agreed, and how much to trust the number.

>>> import fencepost as fp
>>> round(fp.windowdiff([5, 5, 1, 3], [5, 4, 1, 4]), 3)
0.333
"""

from fencepost._threads import set_threads as set_threads
from fencepost.checks import FencepostError as FencepostError
from fencepost.checks import MetricError as MetricError
from fencepost.checks import SegmentationError as SegmentationError
from fencepost.segmentation import Segmentation as Segmentation
from fencepost.pairs import Column as Column
from fencepost.pairs import Pairs as Pairs
from fencepost.result import VERSION as __version__
from fencepost.result import Edge as Edge
from fencepost.result import Edit as Edit
from fencepost.result import Score as Score
from fencepost.result import Signature as Signature
from fencepost.result import Table as Table
from fencepost.metrics import *
from fencepost.corpus import Corpus as Corpus
from fencepost.scoring import score as score
from fencepost.formats import read as read
from fencepost.formats import write as write
