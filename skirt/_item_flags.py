"""What a reader should know of single items before trusting their parameters."""

import numpy as np
import pandas as pd
from scipy.stats import false_discovery_control
from scipy.stats import t as student_t

# Share of wrong flags tolerated among the items flagged as reversed.
_FALSE_DISCOVERY_RATE = 0.05


def item_flags(data, probability, names):
    """Return a table of flags, one row an item.

    Parameters
    ----------
    data : ResponseData
    probability : ndarray of shape (n_items,)
        Share of right answers among those given; NaN without any.
    names : array-like of str

    Returns
    -------
    DataFrame of bool
        unanswered: no answer at all; constant: all answers alike; reversed: better
        models do worse (one-sided test of the correlation with the rest of the
        answers, false discovery rate .05: on small panels many reversed items go
        unnoticed); duplicate: another varying item got exactly the same answers.
    """
    unanswered = np.isnan(probability)
    constant = (probability == 0) | (probability == 1)
    varying = ~(unanswered | constant)
    return pd.DataFrame(
        {
            "unanswered": unanswered,
            "constant": constant,
            "reversed": _reversed(data, probability, varying),
            "duplicate": _duplicated(data, varying),
        },
        index=pd.Index(names, name="item"),
    )


def share_right(data):
    """Weighted share of right answers of each item; NaN where nobody answered."""
    asked = data.answers_per_item()
    right = data.weights @ data.responses
    return np.divide(right, asked, out=np.full(asked.size, np.nan), where=asked > 0)


def _reversed(data, probability, varying):
    """Test each item's correlation with the rest of the answers, one-sided.

    The rest score of a model is its answers less the items' means, over all items it
    was asked but this one: it owes nothing to the item, however steep that is.
    """
    weights = data.weights
    p = np.where(varying, probability, 0.0)
    score = data.responses.sum(axis=1) - (data.masks @ p)[data.pattern]
    asked = np.maximum(data.answers_per_item(), 1e-12)
    moments = data.sum_over_patterns(np.column_stack([score, np.square(score)]))
    mean, square = (data.masks.T @ moments / asked[:, None]).T
    own = p * (1 - p)
    joint = (weights * score) @ data.responses / asked - p * mean
    rest_variance = square - np.square(mean) - 2 * joint + own
    out = np.zeros(p.size, dtype=bool)
    testable = varying & (asked > 2) & (rest_variance > 1e-9)
    if testable.any():
        scale = np.sqrt(own[testable] * rest_variance[testable])
        correlation = np.clip((joint - own)[testable] / scale, -1 + 1e-12, 1 - 1e-12)
        freedom = asked[testable] - 2
        ratio = correlation * np.sqrt(freedom / (1 - np.square(correlation)))
        adjusted = false_discovery_control(student_t.cdf(ratio, freedom))
        out[testable] = adjusted < _FALSE_DISCOVERY_RATE
    return out


def _duplicated(data, varying):
    columns = [np.packbits(data.responses > 0.5, axis=0)]
    if data.masks.shape[0] > 1:
        columns.append(np.packbits((data.masks > 0.5)[data.pattern], axis=0))
    packed = np.ascontiguousarray(np.vstack(columns).T)
    keys = packed.view(np.dtype((np.void, packed.shape[1]))).ravel()
    _, group, count = np.unique(keys, return_inverse=True, return_counts=True)
    return (count[group.ravel()] > 1) & varying
