"""Fleiss' pi, under the name that they have in segeval: segeval.agreement.pi."""

from fencepost.compat.segeval import fleiss_pi_linear

__all__ = ["fleiss_pi_linear"]
