"""Boundary edit distance, under segeval's name: segeval.similarity.distance.multipleboundary."""

from fencepost.compat.segeval import Addition, Substitution, Transposition, boundary_edit_distance

__all__ = ["Addition", "Substitution", "Transposition", "boundary_edit_distance"]
