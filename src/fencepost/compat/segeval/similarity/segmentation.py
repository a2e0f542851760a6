"""Segmentation similarity, under its name in segeval: segeval.similarity.segmentation."""

from fencepost.compat.segeval import segmentation_similarity

__all__ = ["segmentation_similarity"]
