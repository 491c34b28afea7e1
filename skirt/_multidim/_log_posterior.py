"""Gradient and curvature of a model's log posterior over several abilities.

Items that are known exactly answer by their curves. Items that a panel leaves uncertain
answer a *new* model by the average of the curves they may have. Of a model of the panel
they have partly learned the answers; the calibration's own posterior, which leans to
the middle, makes up for that.
"""

import numpy as np
from scipy.special import expit

from skirt._multidim._logistic import expected_logistic


class KnownItems:
    """The log posterior under items that are what they are.

    Parameters
    ----------
    items : Items
    responses : ndarray of shape (n_models, n_items)
        1, 0, and 0 where missing.
    mask : ndarray of shape (1 or n_models, n_items), or None
        What was answered; None for everything.
    prior : ndarray of shape (n_components, n_components)
        Precision of the abilities in the population.
    """

    def __init__(self, items, responses, mask, prior):
        self.items, self.mask, self.prior = items, mask, prior
        a = items.discrimination
        self._right = responses @ a
        self._squares = (a[:, :, None] * a[:, None, :]).reshape(len(a), -1)

    def local(self, theta, rows):
        """Gradient and expected information of some models at some abilities.

        Parameters
        ----------
        theta : ndarray of shape (n, n_components)
        rows : ndarray of shape (n,), int

        Returns
        -------
        gradient : ndarray of shape (n, n_components)
        precision : ndarray of shape (n, n_components, n_components)
        """
        a = self.items.discrimination
        p = expit(theta @ a.T + self.items.intercept)
        spread = p * (1.0 - p)
        if self.mask is not None:
            mask = self.mask if len(self.mask) == 1 else self.mask[rows]
            p *= mask
            spread *= mask
        gradient = self._right[rows] - p @ a - theta @ self.prior
        precision = (spread @ self._squares).reshape(-1, *self.prior.shape)
        return gradient, precision + self.prior


class UncertainItems:
    """The same under items of which a mean and a covariance are known.

    Parameters are those of `KnownItems`.
    """

    def __init__(self, items, responses, mask, prior):
        self.items, self.mask, self.prior = items, mask, prior
        self._responses = responses
        n_items, n_components = items.discrimination.shape
        # Of each item's covariance the rows of its slopes, (n_components + 1) x rest.
        self._lean = items.covariance[:, :-1].transpose(2, 0, 1)
        self._lean = self._lean.reshape(n_components + 1, -1)

    def local(self, theta, rows):
        """As of `KnownItems`."""
        items = self.items
        logits = theta @ items.discrimination.T
        logits += items.intercept
        variance = items.logit_variance(theta)
        p, both, spread, bent = _uncertain_curves(logits, variance)
        extended = np.column_stack([theta, np.ones(len(theta))])
        slope = (extended @ self._lean).reshape(len(theta), *items.discrimination.shape)
        slope *= bent[:, :, None]
        slope += spread[:, :, None] * items.discrimination
        residual = self._responses[rows] - p
        if self.mask is not None:
            mask = self.mask if len(self.mask) == 1 else self.mask[rows]
            residual *= mask
            both *= mask
        return _sums(residual, both, slope, theta, self.prior)


class ShapedItems(KnownItems):
    """The same for models whose answers have shaped the items, as in calibration.

    The expectation, over normal items, of the log-likelihood. Parameters are those of
    `KnownItems`.
    """

    def __init__(self, items, responses, mask, prior):
        super().__init__(items, responses, mask, prior)
        own = items.covariance[:, :-1]
        self._squares = self._squares + own[:, :, :-1].reshape(len(own), -1)
        self._lean = own.reshape(len(own), -1)

    def local(self, theta, rows):
        """As of `KnownItems`."""
        a = self.items.discrimination
        logits = theta @ a.T + self.items.intercept
        p, spread = expected_logistic(logits, self.items.logit_variance(theta))
        if self.mask is not None:
            mask = self.mask if len(self.mask) == 1 else self.mask[rows]
            p *= mask
            spread *= mask
        gradient = self._right[rows] - p @ a - theta @ self.prior
        # An item that may be otherwise tells the less, the farther one is.
        extended = np.column_stack([theta, np.ones(len(theta))])
        lean = (spread @ self._lean).reshape(*theta.shape, -1)
        gradient -= np.einsum("nkl,nl->nk", lean, extended)
        precision = (spread @ self._squares).reshape(-1, *self.prior.shape)
        return gradient, precision + self.prior


class GatheredItems:
    """The log posteriors of models that each answered a few items of their own.

    Parameters
    ----------
    items : Items
    asked : ndarray of shape (n_models, n_answers), int
        Each model's items; below 0 for none, to fill up a row.
    responses : ndarray of shape (n_models, n_answers)
        1 or 0.
    prior : ndarray of shape (n_components, n_components)
    """

    def __init__(self, items, asked, responses, prior):
        self.prior = prior
        self._given = asked >= 0
        self._items, self._responses = items[asked], responses

    def local(self, theta, rows):
        """As of `KnownItems`."""
        own, given = self._items, self._given[rows]
        slope = own.discrimination[rows]
        logits = np.matmul(slope, theta[:, :, None])[:, :, 0]
        logits += own.intercept[rows]
        if own.covariance is None:
            p = expit(logits)
            both = p * (1.0 - p)
        else:
            extended = np.column_stack([theta, np.ones(len(theta))])
            lean = np.einsum("nkij,nj->nki", own.covariance[rows], extended)
            variance = np.einsum("nki,ni->nk", lean, extended)
            p, both, spread, bent = _uncertain_curves(logits, variance)
            slope = spread[:, :, None] * slope + bent[:, :, None] * lean[:, :, :-1]
        residual = (self._responses[rows] - p) * given
        return _sums(residual, both * given, slope, theta, self.prior)


def _uncertain_curves(logits, variance):
    """P, P (1 - P), and the slopes of log(P / (1 - P)).

    P is an average over normal logits; the slopes are those along the logit's mean, and
    twice that along its variance.
    """
    p, spread, bent = expected_logistic(logits, variance, bend=True)
    both = p * (1.0 - p)
    # Far out, where nothing is left of either, the ratios have these limits.
    left = both > 0
    spread = np.divide(spread, both, out=np.ones_like(p), where=left)
    bent = np.divide(bent, both, out=1.0 - 2.0 * p, where=left)
    return p, both, spread, bent


def _sums(residual, both, slope, theta, prior):
    """Gradient and expected information, with the prior's part."""
    gradient = np.matmul(residual[:, None, :], slope)[:, 0] - theta @ prior
    precision = np.matmul((slope * both[:, :, None]).transpose(0, 2, 1), slope)
    return gradient, precision + prior


def log_posterior(items, responses, mask, prior, *, shaped):
    """Return the one that fits; `shaped` by these models, or new to them."""
    if items.covariance is None:
        return KnownItems(items, responses, mask, prior)
    kind = ShapedItems if shaped else UncertainItems
    return kind(items, responses, mask, prior)
