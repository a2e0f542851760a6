"""Data sets and their files, under the name that they have in segeval: segeval.data."""

from fencepost.compat.segeval import (
    DataIOError,
    Dataset,
    input_linear_mass_json,
    input_linear_mass_tsv,
    load_nested_folders_dict,
)

__all__ = [
    "DataIOError",
    "Dataset",
    "input_linear_mass_json",
    "input_linear_mass_tsv",
    "load_nested_folders_dict",
]
