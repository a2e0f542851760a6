"""Weights of edits, under the name that they have in segeval: segeval.similarity.weight."""

from fencepost.compat.segeval import weight_a, weight_s, weight_s_scale, weight_t, weight_t_scale

__all__ = ["weight_a", "weight_s", "weight_s_scale", "weight_t", "weight_t_scale"]
