"""The only place that imports scikit-learn's less stable names."""

from sklearn.base import _clone_parametrized as clone_parametrized
from sklearn.frozen import FrozenEstimator
from sklearn.utils.validation import validate_data

__all__ = ["FrozenEstimator", "clone_parametrized", "validate_data"]
