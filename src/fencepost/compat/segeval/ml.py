"""Confusion matrices, under the name that they have in segeval: segeval.ml."""

from fencepost.compat.segeval import Average, ConfusionMatrix, fmeasure, precision, recall

__all__ = ["Average", "ConfusionMatrix", "fmeasure", "precision", "recall"]
