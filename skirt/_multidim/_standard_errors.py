"""Standard errors of the items, each given its axes.

The observed information of an item is the complete data's less what not knowing theta
takes (Louis 1982), to first order in the models' posterior covariances.
"""

import numpy as np
from scipy.special import expit

from skirt._multidim._logistic import blocks


def item_covariances(data, mean, covariance, discrimination, intercept, precision):
    """Return each item's covariance of (a, d), (n_items, n_components + 1, same).

    Parameters
    ----------
    data : ResponseData
    mean, covariance : ndarray
        The models' posterior moments.
    discrimination, intercept : ndarray
    precision : ndarray of shape (n_items, n_components + 1, n_components + 1)
        The complete data's information and that of the priors.
    """
    n_models, n_components = mean.shape
    size = n_components + 1
    extended = np.column_stack([mean, np.ones(n_models)])
    flat = covariance.reshape(n_models, -1)
    third = (covariance[:, :, :, None] * extended[:, None, None, :]).reshape(
        n_models, -1
    )
    outer = (extended[:, :, None] * extended[:, None, :]).reshape(n_models, -1)
    weights = data.weights[:, None]
    lost = np.zeros((intercept.size, size, size))
    for block in blocks(intercept.size, n_models):
        a = discrimination[block]
        p = expit(mean @ a.T + intercept[block])
        residual = data.responses[:, block] - p
        spread = p * (1.0 - p)
        if not data.complete:
            mask = data.masks[:, block][data.pattern]
            residual *= mask
            spread *= mask
        squares = (a[:, :, None] * a[:, None, :]).reshape(a.shape[0], -1)
        n = a.shape[0]
        # The derivative of (x - P)(theta, 1) in theta is (x - P) I - P Q (theta, 1) a'.
        own = (np.square(residual) * weights).T @ flat
        lost[block, :-1, :-1] += own.reshape(n, n_components, n_components)
        cross = ((residual * spread * weights).T @ third).reshape(
            n, n_components, n_components, size
        )
        cross = np.einsum("jklm,jl->jkm", cross, a)
        lost[block, :-1, :] -= cross
        lost[block, :, :-1] -= cross.transpose(0, 2, 1)
        along = np.square(spread) * (flat @ squares.T) * weights
        lost[block] += (along.T @ outer).reshape(n, size, size)
    # No item loses more than nine tenths of what it has: to first order it might.
    root = np.linalg.cholesky(precision)
    half = np.linalg.solve(root, lost)
    share = np.linalg.solve(root, half.transpose(0, 2, 1))
    values, vectors = np.linalg.eigh(0.5 * (share + share.transpose(0, 2, 1)))
    kept = 1.0 - np.clip(values, 0.0, 0.9)
    back = np.linalg.solve(root.transpose(0, 2, 1), vectors)
    return (back / kept[:, None, :]) @ back.transpose(0, 2, 1)


def population_covariance(data, covariance, correlation, discrimination, axes_fixed):
    """What the panel's sampling of location and scale adds to each item's covariance.

    A panel of N models has a mean and a covariance of its own, which all items follow
    together: information N (Phi^-1 - Phi^-1 S Phi^-1) about a shift, S the models'
    mean posterior covariance, and about a stretch that of a sample covariance.

    Parameters
    ----------
    data : ResponseData
    covariance : ndarray of shape (n_models, n_components, n_components)
        The models' posteriors.
    correlation : ndarray of shape (n_components, n_components)
    discrimination : ndarray of shape (n_items, n_components)
    axes_fixed : bool
        Whether only the scale of each axis is free, as in a confirmatory model.

    Returns
    -------
    ndarray of shape (n_items, n_components + 1, n_components + 1)
    """
    a, total = discrimination, data.weights.sum()
    n_items, n_components = a.shape
    mean = np.einsum("n,nkl->kl", data.weights / total, covariance)
    precision = np.linalg.inv(correlation)
    shift = np.linalg.inv(total * (precision - precision @ mean @ precision))
    known = np.maximum(1.0 - np.diag(mean), 0.05)
    # Of a stretch's elements: half those of a sample covariance, 2 / N and 1 / N.
    stretch = 1.0 / (4.0 * total * np.outer(known, known))
    stretch[np.diag_indices(n_components)] *= 2.0
    if axes_fixed:
        stretch = np.diag(np.diag(stretch))
    out = np.zeros((n_items, n_components + 1, n_components + 1))
    axis = np.arange(n_components)
    out[:, axis, axis] = np.square(a) @ stretch
    out[:, -1, -1] = np.einsum("jk,kl,jl->j", a, shift, a)
    return out
