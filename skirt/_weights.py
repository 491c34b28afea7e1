"""How often each model counts."""

import numpy as np

from skirt._sklearn_compat import sample_weight_array


def check_sample_weight(sample_weight, X):
    """Return weights of shape (n_models,), non-negative and not all zero."""
    weights = sample_weight_array(sample_weight, X, dtype=np.float64)
    if (weights < 0).any():
        row = int(np.flatnonzero(weights < 0)[0])
        raise ValueError(
            f"sample_weight[{row}] is {weights[row]:g}: a weight says how often a "
            "model counts, so it cannot be negative."
        )
    if not weights.any():
        raise ValueError("All sample weights are zero: no model is left to fit.")
    return weights
