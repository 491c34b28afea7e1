"""Response data: two classic tests, a panel of classifiers, and simulators."""

from skirt.datasets._lsat import load_lsat6, load_lsat7
from skirt.datasets._multidim_simulator import make_multidim_responses
from skirt.datasets._panel import load_classifier_panel
from skirt.datasets._simulators import make_responses

__all__ = [
    "load_classifier_panel",
    "load_lsat6",
    "load_lsat7",
    "make_multidim_responses",
    "make_responses",
]
