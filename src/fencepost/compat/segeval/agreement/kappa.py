"""Fleiss' kappa, under the name that they have in segeval: segeval.agreement.kappa."""

from fencepost.compat.segeval import fleiss_kappa_linear

__all__ = ["fleiss_kappa_linear"]
