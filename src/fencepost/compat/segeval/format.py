"""Ways to write a segmentation, under the name that they have in segeval: segeval.format."""

from fencepost.compat.segeval import (
    BoundaryFormat,
    boundary_string_from_masses,
    convert_masses_to_positions,
    convert_nltk_to_masses,
    convert_positions_to_masses,
)

__all__ = [
    "BoundaryFormat",
    "boundary_string_from_masses",
    "convert_masses_to_positions",
    "convert_nltk_to_masses",
    "convert_positions_to_masses",
]
