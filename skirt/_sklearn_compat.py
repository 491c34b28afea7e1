"""The only place that imports scikit-learn's less stable names.

threadpoolctl is one of scikit-learn's own requirements.
"""

from sklearn.base import _clone_parametrized as clone_parametrized
from sklearn.frozen import FrozenEstimator
from sklearn.utils.validation import _check_sample_weight as sample_weight_array
from sklearn.utils.validation import validate_data
from threadpoolctl import ThreadpoolController

__all__ = [
    "FrozenEstimator",
    "ThreadpoolController",
    "clone_parametrized",
    "sample_weight_array",
    "validate_data",
]
