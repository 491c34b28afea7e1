"""The E-step on long tests: each model's posterior as the best-fitting normal.

With many items a posterior over several abilities is all but normal, and what the
items need of it are expectations of curves along one line, a' theta + d, which is
normal too: integrals in one dimension, however many abilities there are. The mean and
covariance are those of the Gaussian variational approximation with its expectations
taken exactly (Cho et al. 2021 bound them); their fixed point is a Newton iteration.

Items whose prior is estimated have normal posteriors as well (see `_items`).
"""

import numpy as np

from skirt._multidim._logistic import (
    blocks,
    expected_logistic,
    expected_softplus,
)

# A Newton step moves no ability farther than this.
_LONGEST_STEP = 2.0
_ROUNDS = 50


class GaussianPosterior:
    """Normal posteriors of all models; warm from one call to the next.

    Parameters
    ----------
    data : ResponseData
    mean : ndarray of shape (n_models, n_components)
        Where to start.

    Attributes
    ----------
    mean : ndarray of shape (n_models, n_components)
    covariance : ndarray of shape (n_models, n_components, n_components)
    log_likelihood : float
        Of the last items: its lower bound, which the posteriors make the largest.
    """

    integration = "variational"

    def __init__(self, data, mean):
        self.data = data
        self.mean = mean
        n_components = mean.shape[1]
        self.covariance = np.broadcast_to(
            0.01 * np.eye(n_components), (mean.shape[0], n_components, n_components)
        )

    def update(self, items, correlation, tolerance):
        """Fit the posteriors to these items; return what the items need.

        Parameters
        ----------
        items, correlation, tolerance
            As of :meth:`fit`.

        Returns
        -------
        gradient : ndarray of shape (n_items, n_components + 1)
            Of the expected log-likelihood for (a, d).
        information : ndarray of shape (n_items, n_components + 1, n_components + 1)
            Minus its second derivatives.
        """
        self.fit(items, correlation, tolerance)
        out = self.item_sums(items)
        self.log_likelihood -= self.data.weights @ self._divergence(correlation)
        return out

    def fit(self, items, correlation, tolerance):
        """Fit the posteriors to these items.

        Parameters
        ----------
        items : Items
        correlation : ndarray of shape (n_components, n_components)
            Covariance of the abilities.
        tolerance : float
            How far from the fit the last step may end, in posterior standard
            deviations: by Newton's method, about the square of its length.
        """
        prior = np.linalg.inv(correlation)
        for _ in range(_ROUNDS):
            score, precision = self._ability_sums(items)
            precision += prior
            score -= self.mean @ prior
            step = np.linalg.solve(precision, score[..., None])[..., 0]
            decrement = np.sqrt(np.einsum("nk,nk->n", score, step).max())
            longest = np.abs(step).max(axis=1, keepdims=True)
            step *= np.minimum(1.0, _LONGEST_STEP / np.maximum(longest, 1e-300))
            self.mean = self.mean + step
            self.covariance = np.linalg.inv(precision)
            if decrement**2 < tolerance:
                break

    def transform(self, shift, stretch):
        """Move to abilities theta' with theta = shift + stretch theta'."""
        back = np.linalg.inv(stretch)
        self.mean = (self.mean - shift) @ back.T
        self.covariance = back @ self.covariance @ back.T

    def _divergence(self, correlation):
        """Kullback-Leibler divergence of each posterior from the population."""
        prior = np.linalg.inv(correlation)
        out = np.einsum("nk,kl,nl->n", self.mean, prior, self.mean)
        out += np.einsum("nkl,kl->n", self.covariance, prior)
        out -= np.linalg.slogdet(self.covariance)[1]
        return 0.5 * (out + np.linalg.slogdet(correlation)[1] - self.mean.shape[1])

    def _logits(self, block, items, extended):
        """Means and variances of the logits of some items, and what made them."""
        data, a = self.data, items.discrimination[block]
        n_models = data.n_models
        squares = a[:, :, None] * a[:, None, :]
        mean = self.mean @ a.T
        mean += items.intercept[block]
        if items.covariance is not None:
            squares = squares + items.covariance[block, :-1, :-1]
        squares = squares.reshape(a.shape[0], -1)
        variance = self.covariance.reshape(n_models, -1) @ squares.T
        if items.covariance is not None:
            own = items.covariance[block].reshape(a.shape[0], -1)
            variance += extended @ own.T
        np.maximum(variance, 0.0, out=variance)
        return mean, variance, squares

    def _mask(self, block):
        """What was answered of some items; None if everything was."""
        data = self.data
        return None if data.complete else data.masks[:, block][data.pattern]

    def _cells(self, block, mean, variance):
        """Residuals x - E[P] and E[P (1 - P)] of some items, 0 where missing."""
        probability, spread = expected_logistic(mean, variance)
        residual = self.data.responses[:, block] - probability
        mask = self._mask(block)
        if mask is not None:
            residual *= mask
            spread *= mask
        return residual, spread

    def _extended(self):
        """Abilities with a 1, and the products of all pairs of these."""
        extended = np.column_stack([self.mean, np.ones(len(self.mean))])
        products = extended[:, :, None] * extended[:, None, :]
        return extended, products.reshape(len(extended), -1)

    def _ability_sums(self, items):
        n_models, n_components = self.mean.shape
        score = np.zeros((n_models, n_components))
        information = np.zeros((n_models, n_components**2))
        extended, products = self._extended()
        for block in blocks(len(items.intercept), n_models):
            mean, variance, squares = self._logits(block, items, products)
            residual, spread = self._cells(block, mean, variance)
            score += residual @ items.discrimination[block]
            information += spread @ squares
            if items.covariance is not None:
                # An item that may be otherwise tells the less, the farther one is.
                own = items.covariance[block, :-1].reshape(squares.shape[0], -1)
                pulled = (spread @ own).reshape(n_models, n_components, -1)
                score -= np.einsum("nkl,nl->nk", pulled, extended)
        return score, information.reshape(n_models, n_components, n_components)

    def item_sums(self, items):
        """Return gradient and information of the items, as :meth:`update` does."""
        n_models, n_components = self.mean.shape
        extended, products = self._extended()
        size = n_components + 1
        moments = products.reshape(n_models, size, size).copy()
        moments[:, :-1, :-1] += self.covariance
        weights = self.data.weights[:, None]
        left = weights * extended
        moments = weights * moments.reshape(n_models, -1)
        spreads = weights * self.covariance.reshape(n_models, -1)
        n_items = len(items.intercept)
        self.log_likelihood = 0.0
        gradient = np.empty((n_items, size))
        information = np.empty((n_items, size, size))
        for block in blocks(n_items, n_models):
            mean, variance, _ = self._logits(block, items, products)
            residual, spread = self._cells(block, mean, variance)
            lost = expected_softplus(mean, variance)
            mask = self._mask(block)
            if mask is not None:
                lost *= mask
            mean *= self.data.responses[:, block]
            mean -= lost
            self.log_likelihood += float((self.data.weights @ mean).sum())
            gradient[block] = residual.T @ left
            # E[theta f(z)] = E[theta] E[f] + Sigma a E[f'] for a normal theta.
            lean = (spread.T @ spreads).reshape(-1, n_components, n_components)
            gradient[block, :-1] -= np.einsum(
                "jkl,jl->jk", lean, items.discrimination[block]
            )
            information[block] = (spread.T @ moments).reshape(-1, size, size)
        return gradient, information
