"""Weighted ranks and rank correlations, for many sets of weights at once."""

import numpy as np

# A variance of ranks below this share of the squared total weight is rounding.
_ROUNDING = 1e-20


def weighted_midranks(values, weights):
    """Return the average ranks that repeating each value would give.

    Parameters
    ----------
    values : ndarray of shape (n,)
        Finite numbers.
    weights : ndarray of shape (n_sets, n)
        How often each value is there, one row for each set of weights; 0 is absent.

    Returns
    -------
    ndarray of shape (n_sets, n)
        Average ranks, counted from 1; meaningless where the weight is 0.
    """
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    new = np.r_[True, ordered[1:] != ordered[:-1]]
    totals = np.add.reduceat(weights[:, order], np.flatnonzero(new), axis=1)
    middle = np.cumsum(totals, axis=1) - totals / 2 + 0.5
    ranks = np.empty(weights.shape)
    ranks[:, order] = middle[:, np.cumsum(new) - 1]
    return ranks


def rank_correlation(true_ranks, pred_ranks, weights):
    """Return the weighted correlation of ranks, one value per set of weights.

    All three are of shape (n_sets, n). Constant true ranks (and fewer than two
    values) give NaN, constant predicted ranks 0.
    """
    total = weights.sum(axis=1, keepdims=True)
    some = np.where(total > 0, total, 1)
    true = true_ranks - (weights * true_ranks).sum(axis=1, keepdims=True) / some
    pred = pred_ranks - (weights * pred_ranks).sum(axis=1, keepdims=True) / some
    weighted = weights * true / some
    var_true = (weighted * true).sum(axis=1)
    var_pred = (weights * pred * pred / some).sum(axis=1)
    covariance = (weighted * pred).sum(axis=1)
    least = _ROUNDING * some[:, 0] ** 2
    constant = (var_true <= least) | (var_pred <= least)
    scale = np.sqrt(np.where(constant, 1, var_true * var_pred))
    rho = np.where(constant, 0.0, np.clip(covariance / scale, -1, 1))
    return np.where(var_true <= least, np.nan, rho)


def spearman(y_true, y_pred, weights=None):
    """Return Spearman's rho of two finite vectors, without checks or warnings."""
    y_true, y_pred = np.asarray(y_true), np.asarray(y_pred)
    if len(y_true) == 0:
        return np.nan
    weights = np.ones((1, len(y_true))) if weights is None else weights[None, :]
    return float(
        rank_correlation(
            weighted_midranks(y_true, weights),
            weighted_midranks(y_pred, weights),
            weights,
        )[0]
    )
