"""Edits of two segmentations, under the name that they have in segeval: segeval.similarity."""

from fencepost.compat.segeval import boundary_confusion_matrix, boundary_statistics

__all__ = ["boundary_confusion_matrix", "boundary_statistics"]
