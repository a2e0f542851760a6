"""Boundary edit distance, under the name that they have in segeval: segeval.similarity.distance."""
