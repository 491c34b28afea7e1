"""The multidimensional two-parameter logistic model."""

from skirt._multidim._estimator import MultidimIRT

__all__ = ["MultidimIRT"]
