"""What a reader should know of single items before trusting their parameters."""

import numpy as np
import pandas as pd
from scipy.stats import false_discovery_control, norm

# Share of wrong flags tolerated among the items flagged as reversed.
_FALSE_DISCOVERY_RATE = 0.05


def item_flags(data, posterior, discrimination, probability, names):
    """Return a table of flags, one row an item.

    Parameters
    ----------
    data : ResponseData
    posterior : Posterior
    discrimination : ndarray of shape (n_items,)
    probability : ndarray of shape (n_items,)
        Share of right answers among those given; NaN without any.
    names : array-like of str

    Returns
    -------
    DataFrame of bool
        unanswered: no answer at all; constant: all answers alike; reversed: better
        models do worse (one-sided test of the covariance with ability, false discovery
        rate .05); duplicate: another varying item got exactly the same answers.
    """
    unanswered = np.isnan(probability)
    constant = (probability == 0) | (probability == 1)
    varying = ~(unanswered | constant)
    return pd.DataFrame(
        {
            "unanswered": unanswered,
            "constant": constant,
            "reversed": _reversed(data, posterior, discrimination, varying),
            "duplicate": _duplicated(data, varying),
        },
        index=pd.Index(names, name="item"),
    )


def share_right(data):
    """Weighted share of right answers of each item; NaN where nobody answered."""
    asked = data.answers_per_item()
    right = data.weights @ data.responses
    return np.divide(right, asked, out=np.full(asked.size, np.nan), where=asked > 0)


def _reversed(data, posterior, discrimination, varying):
    weights, theta = data.weights, posterior.mean
    asked = data.answers_per_item()
    safe = np.maximum(asked, 1e-12)
    p = weights @ data.responses / safe
    moments = data.sum_over_patterns(np.column_stack([theta, np.square(theta)]))
    mean, square = (data.masks.T @ moments / safe[:, None]).T
    spread = np.maximum(square - np.square(mean), 1e-12)
    covariance = (weights * theta) @ data.responses / safe - p * mean
    # An item pulls the ability estimates toward its own answers; take that out.
    pull = weights @ np.square(posterior.sd) / weights.sum()
    covariance = covariance - discrimination * pull * p * (1 - p)
    scale = np.sqrt(np.maximum(p * (1 - p), 1e-12) * spread / safe)
    out = np.zeros(p.size, dtype=bool)
    if varying.any():
        p_values = norm.cdf(covariance[varying] / scale[varying])
        adjusted = false_discovery_control(p_values)
        out[varying] = adjusted < _FALSE_DISCOVERY_RATE
    return out


def _duplicated(data, varying):
    columns = [np.packbits(data.responses > 0.5, axis=0)]
    if data.masks.shape[0] > 1:
        columns.append(np.packbits((data.masks > 0.5)[data.pattern], axis=0))
    packed = np.ascontiguousarray(np.vstack(columns).T)
    keys = packed.view(np.dtype((np.void, packed.shape[1]))).ravel()
    _, group, count = np.unique(keys, return_inverse=True, return_counts=True)
    return (count[group.ravel()] > 1) & varying
