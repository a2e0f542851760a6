"""Agreement of coders, under the name that they have in segeval: segeval.agreement."""

from fencepost.compat.segeval import actual_agreement_linear

__all__ = ["actual_agreement_linear"]
