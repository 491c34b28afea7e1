"""Passes over models x items at one ability per model, in blocks of models."""

import numpy as np

# Cells of one block: its few temporaries stay in the processor's cache.
_BLOCK = 1 << 16


def model_blocks(n_models, n_items):
    """Yield slices of models whose cells fit the cache together."""
    size = max(1, _BLOCK // max(1, n_items))
    for start in range(0, n_models, size):
        yield slice(start, min(start + size, n_models))


def probabilities(theta, discrimination, intercept):
    """Return P(x = 1), shape (len(theta), n_items)."""
    out = np.multiply.outer(theta, discrimination)
    out += intercept
    # The logistic function through tanh, which neither overflows nor branches.
    out *= 0.5
    np.tanh(out, out=out)
    out *= 0.5
    out += 0.5
    return out


def score_sums(theta, discrimination, intercept, mask_rows, *, skewness=False):
    """Sums over each model's items of a P, a^2 P Q and a^3 P Q (1 - 2 P).

    They are the expected weighted score at theta, the test information, and the
    derivative of the information.

    Parameters
    ----------
    theta : ndarray of shape (n_models,)
    discrimination, intercept : ndarray of shape (n_items,)
    mask_rows : callable
        Takes a slice of models, returns their 0/1 masks (or one row for all).
    skewness : bool
        Whether to add up the third sum too.

    Returns
    -------
    ndarray of shape (n_models, 3 or 2)
    """
    a = discrimination
    out = np.empty((theta.size, 3 if skewness else 2))
    for block in model_blocks(theta.size, a.size):
        p = probabilities(theta[block], a, intercept)
        mask = mask_rows(block)
        if mask.shape[0] > 1 or not mask.all():
            mask = np.broadcast_to(mask, p.shape)
        else:
            mask = None
        variance = p * (1.0 - p)
        cells = [p, variance]
        if skewness:
            cells.append(variance * (1.0 - 2.0 * p))
        for column, cell in enumerate(cells):
            if mask is not None:
                cell *= mask
            out[block, column] = cell @ a ** (column + 1)
    return out


def item_uncertainty(data, theta, discrimination, intercept, covariance):
    """What unsure item parameters do to each model's score for theta.

    Parameters
    ----------
    data : ResponseData
    theta : ndarray of shape (n_models,)
    discrimination, intercept : ndarray of shape (n_items,)
    covariance : ndarray of shape (n_items, 3)
        Of each item's (a, d): aa, ad, dd. Items err independently of each other but
        for location and scale, which are left out on purpose.

    Returns
    -------
    variance : ndarray of shape (n_models,)
        Sum over the model's items of g' C g, g the derivative of the model's score
        a (x - P) in (a, d).
    influence : ndarray of shape (n_models,)
        Sum of P (1 - P) (C_aa theta + C_ad): how far a model of the panel has, in
        expectation, shifted its own score by shaping the items' estimates.
    """
    a = discrimination
    variance, influence = np.empty(theta.size), np.empty(theta.size)
    for block in model_blocks(theta.size, a.size):
        p = probabilities(theta[block], a, intercept)
        mask = data.mask_rows(block)
        spread = p * (1.0 - p) * mask
        influence[block] = theta[block] * (spread @ covariance[:, 0])
        influence[block] += spread @ covariance[:, 1]
        by_intercept = -a * spread
        by_slope = (data.responses[block] - p) * mask
        by_slope += by_intercept * theta[block, None]
        variance[block] = np.square(by_slope) @ covariance[:, 0]
        variance[block] += np.square(by_intercept) @ covariance[:, 2]
        by_slope *= by_intercept
        variance[block] += 2.0 * (by_slope @ covariance[:, 1])
    return variance, influence


def information_lost(data, theta, variance, discrimination, intercept):
    """Information about each item that not knowing theta takes: (n_items, 3).

    Sum over models of sigma^2 u u', u the derivative in theta of the item's score for
    (a, d): what the observed information has less than the complete data's (Louis
    1982), to first order in the models' posterior variances sigma^2.
    """
    a = discrimination
    out = np.zeros((a.size, 3))
    weights = data.weights * variance
    for block in model_blocks(theta.size, a.size):
        p = probabilities(theta[block], a, intercept)
        mask = data.mask_rows(block)
        by_intercept = -a * p * (1.0 - p) * mask
        by_slope = (data.responses[block] - p) * mask
        by_slope += by_intercept * theta[block, None]
        out[:, 0] += weights[block] @ np.square(by_slope)
        out[:, 2] += weights[block] @ np.square(by_intercept)
        by_slope *= by_intercept
        out[:, 1] += weights[block] @ by_slope
    return out
