"""Boundary similarity, under the name that they have in segeval: segeval.similarity.boundary."""

from fencepost.compat.segeval import boundary_similarity

__all__ = ["boundary_similarity"]
