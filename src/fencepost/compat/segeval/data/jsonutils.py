"""JSON files, under the name that they have in segeval: segeval.data.jsonutils."""

from fencepost.compat.segeval import Field, input_linear_mass_json, output_linear_mass_json

__all__ = ["Field", "input_linear_mass_json", "output_linear_mass_json"]
