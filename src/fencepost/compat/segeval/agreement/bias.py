"""Annotator bias, under the name that they have in segeval: segeval.agreement.bias."""

from fencepost.compat.segeval import artstein_poesio_bias_linear

__all__ = ["artstein_poesio_bias_linear"]
