"""The population's part of the M-step: location, scale and correlation of ability.

In an exploratory model abilities are N(0, I), which only fixes the scale: the shift and
stretch that make the estimated population N(0, I) are taken up by the items. In a
confirmatory one each ability keeps its axis, and the correlations are estimated.
"""

import numpy as np
from scipy.optimize import minimize


def population_step(state, before):
    """Re-standardise the abilities of a calibration's state in place.

    Parameters
    ----------
    state : calibration state
    before : ndarray of shape (n_items, n_components)
        The discriminations whose axes an exploratory model keeps.
    """
    posterior, weights = state.posterior, state.data.weights
    total = weights.sum()
    share = weights / total
    mean = share @ posterior.mean
    centred = posterior.mean - mean
    second = (centred * share[:, None]).T @ centred
    second += np.einsum("n,nkl->kl", share, posterior.covariance)
    shift = mean if state.priors.movable else np.zeros_like(mean)
    if not state.priors.movable:
        second = second + np.outer(mean, mean)
    n_components = mean.size
    stretch = np.eye(n_components)
    if state.free is None:
        if state.priors.rescalable:
            values, vectors = np.linalg.eigh(second)
            stretch = (vectors * np.sqrt(values)) @ vectors.T
    else:
        old = state.correlation
        if state.priors.rescalable:
            scale = np.sqrt(np.diag(second))
            stretch = np.diag(scale)
            second = second / np.outer(scale, scale)
        if state.correlated:
            state.correlation = _correlation(second, old, state.priors.rescalable)
    if state.free is None:
        # Turning is free: stay as near to the last axes as possible.
        left, _, right = np.linalg.svd((state.a @ stretch).T @ before)
        stretch = stretch @ left @ right
    state.d = state.d + state.a @ shift
    state.a = state.a @ stretch
    if state.covariance is not None:
        # Of (a, d) after a -> stretch' a and d -> d + a' shift.
        move = np.eye(n_components + 1)
        move[:-1, :-1] = stretch.T
        move[-1, :-1] = shift
        state.covariance = move @ state.covariance @ move.T
    posterior.transform(shift, stretch)


def _correlation(second, start, rescaled):
    """The correlation matrix under which the abilities are likeliest.

    Of abilities that were rescaled to variance 1 that is their own.
    """
    n_components = second.shape[0]
    if rescaled or n_components == 1:
        return second
    lower = np.tril_indices(n_components, -1)

    def matrix(values):
        root = np.eye(n_components)
        root[lower] = values
        root /= np.linalg.norm(root, axis=1, keepdims=True)
        return root @ root.T

    def minus_twice_log_likelihood(values):
        r = matrix(values)
        return np.linalg.slogdet(r)[1] + np.trace(np.linalg.solve(r, second))

    root = np.linalg.cholesky(start)
    first = (root / np.diag(root)[:, None])[lower]
    found = minimize(minus_twice_log_likelihood, first, method="BFGS")
    return matrix(found.x)
