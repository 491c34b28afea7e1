"""Logistic curves at normally distributed logits, and blocks to compute them in."""

import numpy as np
from scipy.special import expit

# Cells of one block: its few temporaries stay in the processor's cache.
_BLOCK = 1 << 15
# Fewer rows would not be worth the call.
_FEWEST = 16
# Up to this variance of a logit an expansion is right to 1e-4, and faster.
_SMALL = 0.25
# Nodes for wider ones, by the largest variance they are good for.
_RULES = (
    (2.0, np.polynomial.hermite_e.hermegauss(5)),
    (np.inf, np.polynomial.hermite_e.hermegauss(11)),
)


def blocks(n_long, n_across):
    """Yield slices of `n_long` things whose cells with `n_across` fit the cache."""
    size = max(_FEWEST, _BLOCK // max(1, n_across))
    for start in range(0, n_long, size):
        yield slice(start, min(start + size, n_long))


def softplus(logits, probability):
    """Return log(1 + exp(logits)), given the logistic function of them."""
    out = np.maximum(probability, 1.0 - probability)
    np.log(out, out=out)
    return np.maximum(logits, 0.0) - out


def expected_logistic(mean, variance, *, bend=False):
    """Expectations of P, P (1 - P) and P (1 - P)(1 - 2P) over logits N(mean, variance).

    Parameters
    ----------
    mean, variance : ndarray of shape (n, m)
    bend : bool
        Whether to return the last of them, the second derivative of the logistic.

    Returns
    -------
    probability, spread : ndarray of shape (n, m)
    bent : ndarray of shape (n, m)
        Only with `bend`.
    """
    out = _expanded(mean, np.minimum(variance, _SMALL), bend)
    for cells, points, weights in _wide_nodes(mean, variance):
        p = expit(points)
        s = p * (1.0 - p)
        out[0].ravel()[cells] = weights @ p
        out[1].ravel()[cells] = weights @ s
        if bend:
            out[2].ravel()[cells] = weights @ (s * (1.0 - 2.0 * p))
    return out


def expected_softplus(mean, variance):
    """Expectation of log(1 + exp(logit)) over logits N(mean, variance).

    Parameters
    ----------
    mean, variance : ndarray of shape (n, m)

    Returns
    -------
    ndarray of shape (n, m)
    """
    p = expit(mean)
    spread = p * (1.0 - p)
    half = 0.5 * np.minimum(variance, _SMALL)
    # The second derivative is P (1 - P) = s, the fourth s (1 - 6s).
    out = softplus(mean, p) + half * spread * (1.0 + 0.5 * half * (1.0 - 6.0 * spread))
    for cells, points, weights in _wide_nodes(mean, variance):
        out.ravel()[cells] = weights @ softplus(points, expit(points))
    return out


def _wide_nodes(mean, variance):
    """Yield places, logits at the nodes and weights, where expansions will not do."""
    wide = np.flatnonzero(variance > _SMALL)
    if not wide.size:
        return
    widest = variance.ravel()[wide]
    low = 0.0
    for high, (points, weights) in _RULES:
        some = (widest > low) & (widest <= high)
        low = high
        if some.any():
            cells = wide[some]
            spread = np.multiply.outer(points, np.sqrt(widest[some]))
            yield cells, mean.ravel()[cells] + spread, weights / weights.sum()


def _expanded(mean, variance, bend):
    """The same to fourth order in the logit's deviation from its mean.

    With s = P (1 - P) the even derivatives are P'' = s (1 - 2P), s'' = s (1 - 6s),
    and P'' = P (1 - 12s), s'' = s (1 - 30s + 120s^2) and P'' (1 - 60s + 360s^2) of
    these.
    """
    probability = expit(mean)
    spread = 1.0 - probability
    bent = spread - probability
    spread *= probability
    half = 0.5 * variance
    bent *= spread
    factor = spread * -12.0
    factor += 1.0
    factor *= half
    if bend:
        higher = spread * 360.0
        higher -= 60.0
        higher *= spread
        higher += 1.0
        higher *= half
        higher *= half
        higher *= 0.5
        higher += factor
        higher += 1.0
        higher *= bent
    factor *= 0.5
    factor += 1.0
    factor *= half
    factor *= bent
    probability += factor
    np.multiply(spread, 120.0, out=factor)
    factor -= 30.0
    factor *= spread
    factor += 1.0
    factor *= 0.5
    factor *= half
    factor += 1.0
    np.multiply(spread, 6.0, out=bent)
    factor -= bent
    factor *= half
    factor += 1.0
    spread *= factor
    return (probability, spread, higher) if bend else (probability, spread)
