"""Logistic curves at normally distributed logits, and blocks to compute them in."""

import numpy as np
from scipy.special import expit

# Cells of one block: its few temporaries stay in the processor's cache.
_BLOCK = 1 << 17
# Up to this variance of a logit a second-order expansion is right to 1e-5.
_SMALL = 0.02
# Nodes of the normal integral by the largest variance of a logit it must serve.
_RULES = (
    (0.25, np.polynomial.hermite_e.hermegauss(3)),
    (2.0, np.polynomial.hermite_e.hermegauss(5)),
    (np.inf, np.polynomial.hermite_e.hermegauss(11)),
)


def blocks(n_long, n_across):
    """Yield slices of `n_long` things whose cells with `n_across` fit the cache."""
    size = max(1, _BLOCK // max(1, n_across))
    for start in range(0, n_long, size):
        yield slice(start, min(start + size, n_long))


def softplus(logits, probability):
    """Return log(1 + exp(logits)), given the logistic function of them."""
    out = np.maximum(probability, 1.0 - probability)
    np.log(out, out=out)
    return np.maximum(logits, 0.0) - out


def expected_logistic(mean, variance):
    """Expectations of P and P (1 - P) over logits N(mean, variance), by quadrature.

    Parameters
    ----------
    mean, variance : ndarray of shape (n, m)

    Returns
    -------
    probability, spread : ndarray of shape (n, m)
    """
    largest = variance.max(initial=0.0)
    if largest <= _SMALL:
        return _expanded(mean, variance)
    points, weights = next(rule for bound, rule in _RULES if largest <= bound)
    root = np.sqrt(variance)
    probability, spread = np.zeros_like(mean), np.zeros_like(mean)
    for point, weight in zip(points, weights / weights.sum(), strict=True):
        p = expit(mean + point * root)
        probability += weight * p
        p *= 1.0 - p
        p *= weight
        spread += p
    return probability, spread


def _expanded(mean, variance):
    """The same to second order: P and P (1 - P) and half their second derivatives."""
    probability = expit(mean)
    spread = probability * (1.0 - probability)
    half = 0.5 * variance
    half *= spread
    bend = spread.copy()
    bend *= -6.0
    bend += 1.0
    bend *= half
    spread += bend
    half *= 1.0 - 2.0 * probability
    probability += half
    return probability, spread
