"""Every formula as it is printed, slow and plain on purpose; the oracle of a metric has its name.

An oracle takes a list of (reference, hypothesis) and gives the exact value over all of them
together, or None where it is undefined.
"""

from oracle.alignment import alignment_similarity as alignment_similarity
from oracle.boundary import boundary_agreement as boundary_agreement
from oracle.boundary import boundary_f as boundary_f
from oracle.boundary import boundary_precision as boundary_precision
from oracle.boundary import boundary_recall as boundary_recall
from oracle.boundary import covering as covering
from oracle.boundary import generalized_hamming as generalized_hamming
from oracle.boundary import sections_cut as sections_cut
from oracle.boundary import sections_joined as sections_joined
from oracle.edit import b_f as b_f
from oracle.edit import b_precision as b_precision
from oracle.edit import b_recall as b_recall
from oracle.edit import boundary_similarity as boundary_similarity
from oracle.edit import segmentation_similarity as segmentation_similarity
from oracle.flexible import flexible_similarity as flexible_similarity
from oracle.hierarchy import l_f as l_f
from oracle.hierarchy import l_precision as l_precision
from oracle.hierarchy import l_recall as l_recall
from oracle.hierarchy import level_windowdiff as level_windowdiff
from oracle.hierarchy import t_f as t_f
from oracle.hierarchy import t_precision as t_precision
from oracle.hierarchy import t_recall as t_recall
from oracle.probabilities import average_precision as average_precision
from oracle.probabilities import brier as brier
from oracle.probabilities import calibration_error as calibration_error
from oracle.probabilities import expected_b as expected_b
from oracle.probabilities import expected_pk as expected_pk
from oracle.probabilities import expected_windowdiff as expected_windowdiff
from oracle.probabilities import pr_auc as pr_auc
from oracle.window import c_seg as c_seg
from oracle.window import pk as pk
from oracle.window import pk_prime as pk_prime
from oracle.window import windowdiff as windowdiff
from oracle.window import winpr_f as winpr_f
from oracle.window import winpr_precision as winpr_precision
from oracle.window import winpr_recall as winpr_recall
