"""Abilities and marginal likelihoods under a fixed multidimensional bank.

Every model is estimated by itself, to convergence, so that one row and a batch of rows
give the same answer.
"""

import warnings

import numpy as np
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning

from skirt._multidim._logistic import expected_logistic
from skirt._multidim._quadrature import ProductRule
from skirt._threads import one_blas_thread

_BLOCK = 1 << 17
_ROUNDS = 200
_LAST_STEP = 3e-9
_HALVINGS = 20
# A step may end where the posterior falls at this share of its first rise.
_STEEPEST = 0.9
_LONGEST_STEP = 3.0
# Nodes a dimension by the number of dimensions, and cells (of one model) up to which
# so many are worth their while; beyond, posteriors are normal enough for three.
_NODES = {1: 21, 2: 11, 3: 7, 4: 5}
_SHORT = 1e5
# Cells of a model beyond which even three nodes a dimension are too many.
_LARGEST = 4e6


@one_blas_thread
def posterior_modes(data, items, correlation):
    """Return the posterior modes and covariances given the items.

    Parameters
    ----------
    data : ResponseData
    items : Items
        Their uncertainty, if it is known, makes models that they say less about.
    correlation : ndarray of shape (n_components, n_components)

    Returns
    -------
    ability : ndarray of shape (n_models, n_components)
    covariance : ndarray of shape (n_models, n_components, n_components)
        Inverse of the prior's precision plus the information at the mode.
    """
    n_items, n_components = items.discrimination.shape
    bank = _Bank(items, np.linalg.inv(correlation))
    ability = np.zeros((data.n_models, n_components))
    covariance = np.empty((data.n_models, n_components, n_components))
    astray = []
    size = max(1, _BLOCK // n_items)
    for start in range(0, data.n_models, size):
        block = slice(start, start + size)
        mask = None if data.complete else data.mask_rows(block)
        found = bank.climb(data.responses[block], mask)
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


class _Bank:
    def __init__(self, items, prior):
        self.items, self.prior = items, prior
        self.a, self.d = items.discrimination, items.intercept
        self.squares = self.a[:, :, None] * self.a[:, None, :]
        if items.covariance is not None:
            self.squares = self.squares + items.covariance[:, :-1, :-1]
            self.lean = items.covariance[:, :-1].reshape(self.d.size, -1)
        self.squares = self.squares.reshape(self.d.size, -1)

    def climb(self, responses, mask):
        """Newton's method for some models, each step short of overshooting.

        The log posterior is concave: a step along which it still rises at the end, or
        falls less steeply than it rose at the start, does not lead away.
        """
        n_models, n_components = responses.shape[0], self.a.shape[1]
        theta = np.zeros((n_models, n_components))
        right = responses @ self.a
        active = np.arange(n_models)
        score, precision = self._local(theta, right, mask, active)
        out = precision.copy()
        for _ in range(_ROUNDS):
            step = np.linalg.solve(precision, score[..., None])[..., 0]
            longest = np.abs(step).max(axis=1, keepdims=True)
            step *= np.minimum(1.0, _LONGEST_STEP / np.maximum(longest, 1e-300))
            here, slope = theta[active], np.einsum("nk,nk->n", score, step)
            trial = here + step
            score, precision = self._local(trial, right, mask, active)
            for _ in range(_HALVINGS):
                far = np.einsum("nk,nk->n", score, step) < -_STEEPEST * slope
                # Rounding alone decides on steps that move nothing.
                far &= np.abs(trial - here).max(axis=1) > _LAST_STEP
                if not far.any():
                    break
                trial[far] = 0.5 * (here[far] + trial[far])
                parts = self._local(trial[far], right, mask, active[far])
                score[far], precision[far] = parts
            theta[active], out[active] = trial, precision
            moved = np.abs(trial - here).max(axis=1)
            going = moved > _LAST_STEP * (1 + np.abs(trial).max(axis=1))
            active, score, precision = active[going], score[going], precision[going]
            if not active.size:
                break
        return theta, np.linalg.inv(out), active

    def _local(self, theta, right, mask, rows):
        """Gradient of the log posterior, and minus its second derivatives."""
        logits = theta @ self.a.T
        logits += self.d
        if self.items.covariance is None:
            p = expit(logits)
            spread = p * (1.0 - p)
        else:
            p, spread = expected_logistic(logits, self.items.logit_variance(theta))
        if mask is not None:
            own = mask if mask.shape[0] == 1 else mask[rows]
            p *= own
            spread *= own
        score = right[rows] - p @ self.a - theta @ self.prior
        if self.items.covariance is not None:
            # An item that may be otherwise tells the less, the farther one is.
            extended = np.column_stack([theta, np.ones(len(theta))])
            lean = (spread @ self.lean).reshape(*theta.shape, -1)
            score -= np.einsum("nkl,nl->nk", lean, extended)
        precision = (spread @ self.squares).reshape(-1, *self.prior.shape)
        return score, precision + self.prior


@one_blas_thread
def integrate(data, items, correlation, *, predictive=False, modes=None):
    """Integrate each model's posterior.

    By adaptive quadrature; with many abilities and thousands of items, where posteriors
    are normal, by Laplace's method.

    Parameters
    ----------
    data, items, correlation
        As of `posterior_modes`.
    predictive : bool
        Average the probability of each answer over what an item may be: right for
        models that have not shaped the items.
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
    mode, spread = modes or posterior_modes(data, items, correlation)
    n_nodes = _NODES.get(n_components, 3)
    if n_items * n_nodes**n_components > _SHORT:
        n_nodes = 3
    laplace = n_items * n_nodes**n_components > _LARGEST
    rule = ProductRule(n_components, 1 if laplace else n_nodes)
    log_likelihood = np.empty(data.n_models)
    mean, covariance = mode.copy(), spread.copy()
    blocks = rule(data, mode, spread, items, correlation, predictive=predictive)
    for block in blocks:
        log_likelihood[block.models] = block.log_likelihood
        if not laplace:
            mean[block.models], covariance[block.models] = block.moments
    return log_likelihood, mean, covariance
