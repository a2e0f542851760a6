"""Tables, under the name that they have in segeval: segeval.data.tsv."""

from fencepost.compat.segeval import input_linear_mass_tsv

__all__ = ["input_linear_mass_tsv"]
