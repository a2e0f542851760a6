"""Measure segmentations: how close, how well agreed, and how much to trust the number.

Start here:

    score(refs, hyps)        score systems against references, text by text, with intervals
    read(file)               read segmentations from a file of (nearly) any format
    agreement(corpus)        measure how well annotators agree
    resegment(refs, words)   give a stream of words the segments of its references
    probe(metric)            show how a metric behaves before you trust it
    look(file)               show what a file holds and how it is read, without scoring it
    Corpus                   texts with their segmentations by one or more annotators

Two segmentations of one text are compared by a metric; a list is the sizes of its segments:

>>> import fencepost as fp
>>> round(fp.windowdiff([5, 5, 1, 3], [5, 4, 1, 4]), 3)
0.333

The metrics by family; help(fp.windowdiff) lists the settings of one, fp.metric declares a new one:

    windows      pk, pk_prime, windowdiff, winpr_precision, winpr_recall, winpr_f, c_seg
    boundaries   boundary_precision, boundary_recall, boundary_f, boundary_agreement,
                 generalized_hamming, covering, sections_cut, sections_joined
    edits        segmentation_similarity (S), boundary_similarity (B), b_precision, b_recall, b_f
    alignment    alignment_similarity (A)
    types        flexible_similarity (S_f)
    levels       t_f, l_f (and precision, recall), level_windowdiff
    probability  average_precision (AP), pr_auc, brier, calibration_error,
                 expected_pk, expected_windowdiff, expected_b
    words        as_wer, wer, per, nist, segmentation_error_rate; bleu, chrf, ter (by sacrebleu)

The command line does the same: fencepost --help.
"""

from fencepost import _command

if _command.is_command():  # before all else is imported, which takes a moment
    _command.stop_at_once()

import typing as _typing
from importlib import import_module as _import_module

from fencepost._version import VERSION as _VERSION
from fencepost.model.segmentation import Segmentation
from fencepost.model.pairs import Column, Pairs
from fencepost.model.edits import Edge, Edit
from fencepost.metrics.score import Score
from fencepost.metrics.signature import Signature
from fencepost.metrics import (
    METRICS, Choice, Costs, Flag, Metric, Number, Param, Presets, Recipe, Whole, metric, parse,
    pk, pk_prime, windowdiff, winpr_precision, winpr_recall, winpr_f, c_seg,
    boundary_precision, boundary_recall, boundary_f, boundary_agreement, generalized_hamming,
    covering, sections_cut, sections_joined,
    segmentation_similarity, boundary_similarity, b_precision, b_recall, b_f,
    alignment_similarity, flexible_similarity,
    t_precision, t_recall, t_f, l_precision, l_recall, l_f, level_windowdiff,
    average_precision, pr_auc, brier, calibration_error,
    expected_pk, expected_windowdiff, expected_b,
    as_wer, wer, per, nist, segmentation_error_rate, bleu, chrf, ter,
)  # fmt: skip
from fencepost.model.checks import FencepostError, MetricError, SegmentationError
from fencepost._threads import set_threads

__version__: str = _VERSION

# In reading order.
__all__ = [
    "score", "read", "agreement", "resegment", "probe", "Corpus",
    # The metrics.
    "pk", "pk_prime", "windowdiff", "winpr_precision", "winpr_recall", "winpr_f", "c_seg",
    "boundary_precision", "boundary_recall", "boundary_f", "boundary_agreement",
    "generalized_hamming", "covering", "sections_cut", "sections_joined",
    "segmentation_similarity", "boundary_similarity", "b_precision", "b_recall", "b_f",
    "alignment_similarity", "flexible_similarity",
    "t_precision", "t_recall", "t_f", "l_precision", "l_recall", "l_f", "level_windowdiff",
    "average_precision", "pr_auc", "brier", "calibration_error",
    "expected_pk", "expected_windowdiff", "expected_b",
    # Of words in segments, against references.
    "as_wer", "wer", "per", "nist", "segmentation_error_rate", "bleu", "chrf", "ter",
    # What goes in and what comes out.
    "Segmentation", "Score", "Signature", "Table", "Edit", "Edge", "Resegmentation",
    "look", "write", "score_counts", "tune", "CorpusBuilder", "Source",
    # More about annotators, and about streams of words.
    "consensus", "segmenters", "operations", "confusions", "contrasts",
    "read_references", "read_streams", "score_streams",
    # Many texts at once: Arrow batches, frames, files, training loops.
    "Plan", "score_batches", "score_frame", "score_files", "Hypotheses", "Accumulator",
    # Studies and pictures.
    "power", "simulate", "plot",
    # A metric of your own.
    "metric", "Metric", "METRICS", "Recipe", "parse", "Param", "Choice", "Flag", "Number", "Whole",
    "Presets", "Costs", "Pairs", "Column",
    # What can go wrong, and how many threads work.
    "FencepostError", "SegmentationError", "MetricError", "set_threads",
]  # fmt: skip

# Rooms that a single score does not need are entered when one of their names is first used.
_LATER = {
    "Corpus": "fencepost.model.corpus",
    "CorpusBuilder": "fencepost.model.corpus",
    "Source": "fencepost.model.source",
    "score": "fencepost.scoring.count",
    "score_counts": "fencepost.scoring.count",
    "tune": "fencepost.scoring.tuning",
    "Table": "fencepost.scoring.tables",
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
    "score_streams": "fencepost.streams.scoring",
    "Plan": "fencepost.batch.plan",
    "score_batches": "fencepost.batch.arrow",
    "score_frame": "fencepost.batch.frames",
    "score_files": "fencepost.batch.runs",
    "Hypotheses": "fencepost.batch.joins",
    "Accumulator": "fencepost.batch.accumulator",
    "probe": "fencepost.study.probing",
    "look": "fencepost.report.look",
    "read": "fencepost.formats",
    "write": "fencepost.formats",
}
# Whole rooms that go by their own name.
_ROOMS = {"simulate": "fencepost.study.simulate", "plot": "fencepost.report.plot"}

if _typing.TYPE_CHECKING:
    from fencepost.batch.accumulator import Accumulator
    from fencepost.batch.arrow import score_batches
    from fencepost.batch.frames import score_frame
    from fencepost.batch.joins import Hypotheses
    from fencepost.batch.plan import Plan
    from fencepost.batch.runs import score_files
    from fencepost.coders import agreement
    from fencepost.coders.confusions import confusions, contrasts, operations
    from fencepost.coders.consensus import consensus
    from fencepost.coders.segmenters import segmenters
    from fencepost.formats import read, write
    from fencepost.model.corpus import Corpus, CorpusBuilder
    from fencepost.model.source import Source
    from fencepost.report import plot
    from fencepost.report.look import look
    from fencepost.scoring.count import score, score_counts
    from fencepost.scoring.tuning import tune
    from fencepost.scoring.tables import Table
    from fencepost.streams.inputs import read_references, read_streams
    from fencepost.streams.resegmentation import Resegmentation, resegment
    from fencepost.streams.scoring import score_streams
    from fencepost.study import simulate
    from fencepost.study.power import power
    from fencepost.study.probing import probe
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
