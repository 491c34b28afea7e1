"""Abilities and marginal likelihoods under a fixed multidimensional bank.

Every model is estimated by itself, to convergence, so that one row and a batch of rows
give the same answer.
"""

import warnings

import numpy as np
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning

from skirt._multidim._logistic import (
    expected_logistic,
    expected_softplus,
    softplus,
)
from skirt._multidim._quadrature import ProductRule
from skirt._threads import one_blas_thread

_BLOCK = 1 << 17
_ROUNDS = 200
_LAST_STEP = 1e-9
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
        """Newton's method for some models, each step halved until it gains."""
        n_models, n_components = responses.shape[0], self.a.shape[1]
        theta = np.zeros((n_models, n_components))
        right = responses @ np.column_stack([self.a, self.d])
        active = np.arange(n_models)
        value, score, precision = self._local(theta, right, mask, active)
        out = precision.copy()
        for _ in range(_ROUNDS):
            step = np.linalg.solve(precision, score[..., None])[..., 0]
            longest = np.abs(step).max(axis=1, keepdims=True)
            step *= np.minimum(1.0, _LONGEST_STEP / np.maximum(longest, 1e-300))
            before, length = value, 1.0
            here = theta[active]
            trial = here + step
            value, score, precision = self._local(trial, right, mask, active)
            # Rounding alone may make a last, tiny step look like a loss.
            lost = value < before - 1e-9 * np.abs(before)
            while lost.any() and length > 1e-6:
                length *= 0.5
                trial[lost] = here[lost] + length * step[lost]
                rows = active[lost]
                parts = self._local(trial[lost], right, mask, rows)
                value[lost], score[lost], precision[lost] = parts
                lost[lost] = parts[0] < before[lost] - 1e-9 * np.abs(before[lost])
            theta[active] = trial
            out[active] = precision
            moved = np.abs(trial - here).max(axis=1)
            going = moved > _LAST_STEP * (1 + np.abs(trial).max(axis=1))
            active, value = active[going], value[going]
            score, precision = score[going], precision[going]
            if not active.size:
                break
        return theta, np.linalg.inv(out), active

    def _local(self, theta, right, mask, rows):
        """Log posterior, its gradient and minus its second derivatives."""
        logits = theta @ self.a.T
        logits += self.d
        if self.items.covariance is None:
            p = expit(logits)
            spread, lost = p * (1.0 - p), softplus(logits, p)
        else:
            variance = self.items.logit_variance(theta)
            p, spread = expected_logistic(logits, variance)
            lost = expected_softplus(logits, variance)
        if mask is not None:
            own = mask if mask.shape[0] == 1 else mask[rows]
            for cells in (lost, p, spread):
                cells *= own
        value = np.einsum("nk,nk->n", right[rows, :-1], theta) + right[rows, -1]
        value -= lost.sum(axis=1)
        pulled = theta @ self.prior
        value -= 0.5 * np.einsum("nk,nk->n", theta, pulled)
        score = right[rows, :-1] - p @ self.a - pulled
        if self.items.covariance is not None:
            # An item that may be otherwise tells the less, the farther one is.
            extended = np.column_stack([theta, np.ones(len(theta))])
            lean = (spread @ self.lean).reshape(*theta.shape, -1)
            score -= np.einsum("nkl,nl->nk", lean, extended)
        precision = (spread @ self.squares).reshape(-1, *self.prior.shape)
        return value, score, precision + self.prior


@one_blas_thread
def integrate(data, items, correlation, *, predictive=False):
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

    Returns
    -------
    log_likelihood : ndarray of shape (n_models,)
        Marginal log-likelihood of the responses.
    mean : ndarray of shape (n_models, n_components)
        Posterior mean (EAP).
    covariance : ndarray of shape (n_models, n_components, n_components)
    """
    n_items, n_components = items.discrimination.shape
    mode, spread = posterior_modes(data, items, correlation)
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
