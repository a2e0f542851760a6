"""The registry of metrics: one line each; the package's own list of names has them too."""

from fencepost.metrics.registry import Metric as Metric
from fencepost.metrics.settings import Choice as Choice
from fencepost.metrics.settings import Flag as Flag
from fencepost.metrics.settings import Number as Number
from fencepost.metrics.settings import Param as Param
from fencepost.metrics.settings import Presets as Presets
from fencepost.metrics.registry import Recipe as Recipe
from fencepost.metrics.settings import Whole as Whole
from fencepost.metrics.registry import metric as metric
from fencepost.metrics.registry import parse as parse
from fencepost.metrics.registry import register as _register
from fencepost.metrics.costs import Costs as Costs

from fencepost.metrics.window import pk as pk
from fencepost.metrics.window import pk_prime as pk_prime
from fencepost.metrics.window import windowdiff as windowdiff
from fencepost.metrics.window import winpr_precision as winpr_precision
from fencepost.metrics.window import winpr_recall as winpr_recall
from fencepost.metrics.window import winpr_f as winpr_f
from fencepost.metrics.window import c_seg as c_seg
from fencepost.metrics.boundary import boundary_precision as boundary_precision
from fencepost.metrics.boundary import boundary_recall as boundary_recall
from fencepost.metrics.boundary import boundary_f as boundary_f
from fencepost.metrics.boundary import boundary_agreement as boundary_agreement
from fencepost.metrics.boundary import generalized_hamming as generalized_hamming
from fencepost.metrics.boundary import covering as covering
from fencepost.metrics.boundary import sections_cut as sections_cut
from fencepost.metrics.boundary import sections_joined as sections_joined
from fencepost.metrics.edit import segmentation_similarity as segmentation_similarity
from fencepost.metrics.edit import boundary_similarity as boundary_similarity
from fencepost.metrics.edit import b_precision as b_precision
from fencepost.metrics.edit import b_recall as b_recall
from fencepost.metrics.edit import b_f as b_f
from fencepost.metrics.alignment import alignment_similarity as alignment_similarity
from fencepost.metrics.flexible import flexible_similarity as flexible_similarity
from fencepost.metrics.hierarchy import t_precision as t_precision
from fencepost.metrics.hierarchy import t_recall as t_recall
from fencepost.metrics.hierarchy import t_f as t_f
from fencepost.metrics.hierarchy import l_precision as l_precision
from fencepost.metrics.hierarchy import l_recall as l_recall
from fencepost.metrics.hierarchy import l_f as l_f
from fencepost.metrics.hierarchy import level_windowdiff as level_windowdiff
from fencepost.metrics.words import as_wer as as_wer
from fencepost.metrics.words import wer as wer
from fencepost.metrics.words import per as per
from fencepost.metrics.words import nist as nist
from fencepost.metrics.words import segmentation_error_rate as segmentation_error_rate
from fencepost.metrics.translation import bleu as bleu
from fencepost.metrics.translation import chrf as chrf
from fencepost.metrics.translation import ter as ter

METRICS = _register(one for one in list(globals().values()) if isinstance(one, Metric))
