"""Yen's Q3, the correlation of two items' residuals, and what chance makes of it."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_matrix
from scipy.special import entr
from scipy.stats import norm
from sklearn.utils import gen_batches

from skirt.audit._saddlepoint import product_tail

# Pairs whose tails are computed at a time; small enough for the cache.
_PAIRS_AT_A_TIME = 512


@dataclass(frozen=True)
class Residuals:
    """Residuals of units (models or families) x items; 0 where missing.

    Attributes
    ----------
    values, expected : ndarray of shape (n_units, n_items)
        x - P, less its mean over the units, and P.
    answered : ndarray of bool or None
        None where nothing is missing.
    varies : ndarray of shape (n_items,), bool
    entropy : ndarray of shape (n_items,)
        Of the item's answers under the model, in nats.
    mean_q3 : float
    """

    values: np.ndarray
    expected: np.ndarray
    answered: np.ndarray | None
    varies: np.ndarray
    entropy: np.ndarray
    mean_q3: float

    @classmethod
    def of(cls, responses, expected, families):
        """Take the residuals, family by family where there are `families`.

        Parameters
        ----------
        responses, expected : ndarray of shape (n_models, n_items)
            1, 0, NaN, and their probabilities.
        families : ndarray of shape (n_models,), int, or None
        """
        answered = ~np.isnan(responses)
        right = np.where(answered, responses, 0.0)
        expected = np.where(answered, np.clip(expected, 1e-12, 1 - 1e-12), 0.0)
        counts = answered.sum(axis=0)
        total = right.sum(axis=0)
        varies = (total > 0) & (total < counts)
        if families is not None:
            share = coo_matrix(
                (np.ones(len(families)), (families, np.arange(len(families))))
            ).tocsr()
            given = share @ answered.astype(float)
            answered = given > 0
            right = share @ right / np.maximum(given, 1.0)
            expected = share @ expected / np.maximum(given, 1.0)
        values = right - expected
        mean = values.sum(axis=0) / np.maximum(answered.sum(axis=0), 1)
        values = np.where(answered, values - mean, 0.0)
        return cls(
            values,
            expected,
            None if answered.all() else answered,
            varies,
            (entr(expected) + entr(1 - expected)).sum(axis=0),
            _mean_correlation(values[:, varies], answered[:, varies]),
        )

    def testable(self, alpha):
        """Return the items of which an identical one could be told from chance.

        exp(-entropy) is about the probability that an independent item is identical.
        The answers themselves must not decide: among the items with the most unlikely
        ones many are alike, because all contradict the model.
        """
        least = np.log(max(self.varies.sum(), 1) / (2 * alpha))
        return self.varies & (self.entropy > least)

    def test_pairs(self, first, second):
        """Return q3 and two-sided p-values of pairs of columns.

        Parameters
        ----------
        first, second : ndarray of shape (n_pairs,), int

        Returns
        -------
        q3, p : ndarray of shape (n_pairs,)
        """
        q3, p = np.empty((2, first.size))
        for batch in pair_batches(first.size):
            q3[batch], p[batch] = self._test_batch(first[batch], second[batch])
        return q3, p

    def _test_batch(self, first, second):
        e, f = self.values[:, first], self.values[:, second]
        p, q = self.expected[:, first], self.expected[:, second]
        if self.answered is None:
            both = np.ones_like(e)
        else:
            both = self.answered[:, first] & self.answered[:, second]
        count = np.maximum(both.sum(axis=0), 1)
        e, f = (both * (x - (both * x).sum(axis=0) / count) for x in (e, f))
        scale = np.sqrt(np.square(e).sum(axis=0) * np.square(f).sum(axis=0))
        product = (e * f).sum(axis=0)
        q3 = np.divide(product, scale, out=np.zeros_like(scale), where=scale > 1e-12)
        root = product_tail(both * p, both * q, product - self.mean_q3 * scale)
        return q3, 2 * norm.sf(np.abs(root))


def pair_batches(n_pairs):
    """Return slices of so few pairs that their arrays over the units stay small."""
    return gen_batches(n_pairs, _PAIRS_AT_A_TIME)


def least_detectable_q3(n_pairs, n_units, alpha):
    """About the smallest q3 that is significant among so many pairs; at most 1."""
    if n_pairs < 1:
        return 1.0
    return float(min(1.0, norm.isf(alpha / (2 * n_pairs)) / np.sqrt(n_units)))


def _mean_correlation(values, answered):
    """Mean correlation over all pairs of columns, without a look at any pair."""
    n_items = values.shape[1]
    if n_items < 2:
        return np.nan
    scaled = values / np.sqrt(np.square(values).sum(axis=0) / answered.sum(axis=0))
    products = np.square(scaled.sum(axis=1)) - np.square(scaled).sum(axis=1)
    count = answered.sum(axis=1).astype(float)
    return float(products.sum() / (count * (count - 1)).sum())
