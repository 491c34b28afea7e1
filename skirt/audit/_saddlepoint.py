"""Tails of sums of products of Bernoulli variables, by a saddlepoint approximation."""

import numpy as np

_NEWTON_STEPS = 60
# Exponents stay far from overflow; tilted by this much only one outcome is left.
_STEEPEST = 200.0


def product_tail(p, q, total):
    """Return where sums of products of two centred Bernoulli variables stand.

    Parameters
    ----------
    p, q : ndarray of shape (n, m)
        Probabilities of the two variables of each product; 0 drops the product.
    total : ndarray of shape (m,)
        The observed sums over the n products.

    Returns
    -------
    ndarray of shape (m,)
        Barndorff-Nielsen's modified root of the saddlepoint approximation: nearly
        N(0, 1) where the variables are independent.
    """
    tilt = total / np.maximum((p * (1 - p) * q * (1 - q)).sum(axis=0), 1e-300)
    tilt = np.clip(tilt, -1, 1)
    low = np.where(total > 0, 0.0, -_STEEPEST)
    high = np.where(total > 0, _STEEPEST, 0.0)
    todo = np.arange(total.size)
    out = np.empty((2, total.size))
    for _ in range(_NEWTON_STEPS):
        value, slope, curvature = _cumulants(p[:, todo], q[:, todo], tilt[todo])
        out[:, todo] = value, curvature
        t, short = tilt[todo], slope < total[todo]
        low[todo] = np.where(short, t, low[todo])
        high[todo] = np.where(short, high[todo], t)
        moved = t + (total[todo] - slope) / np.maximum(curvature, 1e-300)
        outside = (moved <= low[todo]) | (moved >= high[todo])
        moved = np.where(outside, (low[todo] + high[todo]) / 2, moved)
        left = np.abs(moved - t) > 1e-4 * np.maximum(1, np.abs(t))
        todo = todo[left]
        if todo.size == 0:
            break
        tilt[todo] = moved[left]
    value, curvature = out
    root = np.sqrt(np.maximum(2 * (tilt * total - value), 0)) * np.sign(tilt)
    unit = tilt * np.sqrt(curvature)
    # Near the mean both vanish, and the root itself is accurate enough.
    safe = (np.abs(root) > 1e-3) & (unit * root > 0)
    change = np.zeros_like(root)
    change[safe] = np.log(unit[safe] / root[safe]) / root[safe]
    return root + change


def _cumulants(p, q, tilt):
    """Cumulant generating function of the sum and its first two derivatives."""
    both = p * q
    ours, theirs = np.exp(-tilt * p), np.exp(-tilt * q)
    neither = (1 - p) * (1 - q)
    second = (1 - p) * q * ours
    first = p * (1 - q) * theirs
    common = both * ours * theirs * np.exp(tilt)
    total = neither + second + first + common
    # Values of the product of centred variables, less p q, which all four share.
    mean = (common * (1 - p - q) - second * p - first * q) / total
    square = common * np.square(1 - p - q) + second * p * p + first * q * q
    curvature = square / total - np.square(mean)
    shared = both.sum(axis=0)
    value = np.log(total).sum(axis=0) + tilt * shared
    return value, mean.sum(axis=0) + shared, curvature.sum(axis=0)
