"""Logistic curves at normally distributed logits, and blocks to compute them in."""

import numpy as np
from scipy.special import expit

# Cells of one block: its few temporaries stay in the processor's cache.
_BLOCK = 1 << 16
# Up to this variance of a logit an expansion is right to 1e-4, and faster.
_SMALL = 0.25
# Nodes for wider ones, by the largest variance they are good for.
_RULES = (
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
    wide = np.flatnonzero(variance > _SMALL)
    if not wide.size:
        return _expanded(mean, variance)
    probability, spread = _expanded(mean, np.minimum(variance, _SMALL))
    widest = variance.ravel()[wide]
    low = 0.0
    for high, rule in _RULES:
        some = (widest > low) & (widest <= high)
        cells = wide[some]
        integrals = _integrated(mean.ravel()[cells], widest[some], *rule)
        probability.ravel()[cells], spread.ravel()[cells] = integrals
        low = high
    return probability, spread


def _integrated(mean, variance, points, weights):
    """The same by Gauss-Hermite quadrature."""
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
    """The same to fourth order in the logit's deviation from its mean.

    With s = P (1 - P) the even derivatives are P'' = s (1 - 2P), s'' = s (1 - 6s),
    P = P (1 - 12s) and s = s (1 - 30s + 120s^2).
    """
    probability = expit(mean)
    spread = 1.0 - probability
    bend = spread - probability
    spread *= probability
    half = 0.5 * variance
    bend *= spread
    factor = spread * -12.0
    factor += 1.0
    factor *= half
    factor *= 0.5
    factor += 1.0
    factor *= half
    factor *= bend
    probability += factor
    np.multiply(spread, 120.0, out=factor)
    factor -= 30.0
    factor *= spread
    factor += 1.0
    factor *= 0.5
    factor *= half
    factor += 1.0
    np.multiply(spread, 6.0, out=bend)
    factor -= bend
    factor *= half
    factor += 1.0
    spread *= factor
    return probability, spread
