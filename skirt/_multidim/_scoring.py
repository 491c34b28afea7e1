"""Abilities and marginal likelihoods under a fixed multidimensional bank.

Every model is estimated by itself, to convergence, so that one row and a batch of rows
give the same answer.
"""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from skirt._multidim._log_posterior import log_posterior
from skirt._multidim._quadrature import ProductRule
from skirt._threads import one_blas_thread

_BLOCK = 1 << 17
_ROUNDS = 200
_LAST_STEP = 3e-9
_HALVINGS = 20
# A step may end where the posterior falls at this share of its first rise.
_STEEPEST = 0.9
_LONGEST_STEP = 3.0
# Nodes a dimension by the number of dimensions. On more items than this, five miss a
# log-likelihood by less than .001, and three, where five are too many cells (of one
# model), by less than .01.
_NODES = {1: 21, 2: 11, 3: 7, 4: 5}
_LONG = 100
_SHORT = 1e5
# Cells of a model beyond which even three nodes a dimension are too many.
_LARGEST = 4e6


@one_blas_thread
def posterior_modes(data, items, correlation, *, shaped=False):
    """Return the posterior modes and covariances given the items.

    Parameters
    ----------
    data : ResponseData
    items : Items
    correlation : ndarray of shape (n_components, n_components)
    shaped : bool
        Whether these models' answers have shaped the items.

    Returns
    -------
    ability : ndarray of shape (n_models, n_components)
    covariance : ndarray of shape (n_models, n_components, n_components)
        Inverse of the prior's precision plus the information at the mode.
    """
    n_items, n_components = items.discrimination.shape
    prior = np.linalg.inv(correlation)
    ability = np.zeros((data.n_models, n_components))
    covariance = np.empty((data.n_models, n_components, n_components))
    astray = []
    size = max(1, _BLOCK // n_items)
    for start in range(0, data.n_models, size):
        block = slice(start, start + size)
        mask = None if data.complete else data.mask_rows(block)
        posterior = log_posterior(
            items, data.responses[block], mask, prior, shaped=shaped
        )
        found = climb(posterior, ability[block])
        ability[block], covariance[block], failed = found
        astray.extend(start + failed)
    if astray:
        warnings.warn(
            f"The ability of {len(astray)} models (the first is row {astray[0]}) was "
            f"not found to full precision in {_ROUNDS} rounds.",
            ConvergenceWarning,
            stacklevel=4,
        )
    return ability, covariance


def climb(posterior, start):
    """Fisher's scoring for some models, each step short of overshooting.

    The log posterior is all but concave: a step along which it still rises at the end,
    or falls less steeply than it rose at the start, does not lead away.

    Parameters
    ----------
    posterior : KnownItems or alike
        With a method `local`.
    start : ndarray of shape (n_models, n_components)

    Returns
    -------
    mode : ndarray of shape (n_models, n_components)
    covariance : ndarray of shape (n_models, n_components, n_components)
    astray : ndarray of int
        The models whose mode was not found to full precision.
    """
    theta, active = start.copy(), np.arange(len(start))
    score, precision = posterior.local(theta, active)
    out = precision.copy()
    for _ in range(_ROUNDS):
        step = np.linalg.solve(precision, score[..., None])[..., 0]
        longest = np.abs(step).max(axis=1, keepdims=True)
        step *= np.minimum(1.0, _LONGEST_STEP / np.maximum(longest, 1e-300))
        here, slope = theta[active], np.einsum("nk,nk->n", score, step)
        trial = here + step
        score, precision = posterior.local(trial, active)
        for _ in range(_HALVINGS):
            far = np.einsum("nk,nk->n", score, step) < -_STEEPEST * slope
            # Rounding alone decides on steps that move nothing.
            far &= np.abs(trial - here).max(axis=1) > _LAST_STEP
            if not far.any():
                break
            trial[far] = 0.5 * (here[far] + trial[far])
            parts = posterior.local(trial[far], active[far])
            score[far], precision[far] = parts
        theta[active], out[active] = trial, precision
        moved = np.abs(trial - here).max(axis=1)
        going = moved > _LAST_STEP * (1 + np.abs(trial).max(axis=1))
        active, score, precision = active[going], score[going], precision[going]
        if not active.size:
            break
    return theta, np.linalg.inv(out), active


@one_blas_thread
def integrate(data, items, correlation, *, shaped=False, modes=None):
    """Integrate each model's posterior.

    By adaptive quadrature; with many abilities and thousands of items, where posteriors
    are normal, by Laplace's method.

    Parameters
    ----------
    data, items, correlation, shaped
        As of `posterior_modes`.
    modes : tuple of ndarray, or None
        What `posterior_modes` returns, if it is known.

    Returns
    -------
    log_likelihood : ndarray of shape (n_models,)
        Marginal log-likelihood of the responses.
    mean : ndarray of shape (n_models, n_components)
        Posterior mean (EAP).
    covariance : ndarray of shape (n_models, n_components, n_components)
    """
    n_items, n_components = items.discrimination.shape
    mode, spread = modes or posterior_modes(data, items, correlation, shaped=shaped)
    n_nodes = _NODES.get(n_components, 3)
    if n_items > _LONG:
        n_nodes = min(n_nodes, 5)
    if n_items * n_nodes**n_components > _SHORT:
        n_nodes = 3
    laplace = n_items * n_nodes**n_components > _LARGEST
    rule = ProductRule(n_components, 1 if laplace else n_nodes)
    log_likelihood = np.empty(data.n_models)
    mean, covariance = mode.copy(), spread.copy()
    blocks = rule(data, mode, spread, items, correlation, predictive=not shaped)
    for block in blocks:
        log_likelihood[block.models] = block.log_likelihood
        if not laplace:
            mean[block.models], covariance[block.models] = block.moments
    return log_likelihood, mean, covariance
