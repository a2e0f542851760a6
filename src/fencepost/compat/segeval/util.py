"""Exceptions, under the name that they have in segeval: segeval.util."""

from fencepost.compat.segeval import SegmentationMetricError

__all__ = ["SegmentationMetricError"]
