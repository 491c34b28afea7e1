"""What belonging to a group adds to each item at equal ability.

For each item a logistic regression of its responses on ability and group.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit
from scipy.stats import chi2
from sklearn.utils import gen_batches
from sklearn.utils.parallel import Parallel, delayed

from skirt.audit._firth_regression import FirthRegression

# Few enough that the arrays over models x items stay in the cache.
_ITEMS_AT_A_TIME = 512


@dataclass(frozen=True)
class GroupEffects:
    """What the group adds to each item at equal ability; NaN where not tested.

    Attributes
    ----------
    shift, shift_se : ndarray of shape (n_items,)
        Difference of log-odds, first group less second, and its standard error.
    difference : ndarray of shape (n_items,)
        The same as a difference of probabilities, mean over the models.
    p_shift : ndarray of shape (n_items,)
        Likelihood-ratio test of the shift, 1 degree of freedom.
    p_slope : ndarray of shape (n_items,)
        Of a difference in discrimination on any dimension, beside a shift.
    """

    shift: np.ndarray
    shift_se: np.ndarray
    difference: np.ndarray
    p_shift: np.ndarray
    p_slope: np.ndarray


class GroupRegressions:
    """The regressions of all testable items, in blocks.

    Parameters
    ----------
    responses : ndarray of shape (n_models, n_items)
        1, 0, NaN.
    first : ndarray of shape (n_models,), bool
        Whether the model is in the first group; otherwise it is in the second.
    weights : ndarray of shape (n_models,)
        How much each model counts.
    testable : ndarray of shape (n_items,), bool
        The items to look at.
    n_jobs : int or None
        Threads.
    """

    def __init__(self, responses, first, weights, testable, n_jobs):
        items = np.flatnonzero(testable)
        batches = gen_batches(items.size, _ITEMS_AT_A_TIME)
        self._blocks = [items[batch] for batch in batches]
        self._regressions = [
            FirthRegression(responses[:, block], weights) for block in self._blocks
        ]
        self._group = np.where(first, 0.5, -0.5)[:, None]
        self._weights = weights
        self._n_items, self._n_jobs = responses.shape[1], n_jobs

    def shifts(self, ability, start):
        """Return coefficients, shifts and their standard errors at these abilities.

        Parameters
        ----------
        ability : ndarray of shape (n_models, n_dimensions)
        start : ndarray of shape (n_items, n_dimensions + 2) or None
            Coefficients to start from; None is 0.
        """
        design = np.hstack([np.ones_like(self._group), ability, self._group])
        n = design.shape[1]
        start = np.zeros((self._n_items, n)) if start is None else start
        found = self._each(
            lambda regression, beta: regression.fit(design, np.arange(n), beta), start
        )
        out = np.full((self._n_items, n + 2), np.nan)
        for block, (beta, _, variance) in zip(self._blocks, found, strict=True):
            out[block] = np.column_stack([beta, beta[:, -1], np.sqrt(variance[:, -1])])
        return out[:, :n], out[:, n], out[:, n + 1]

    def effects(self, ability, start):
        """Return the `GroupEffects` at these abilities; `start` as in `shifts`."""
        group = self._group
        design = np.hstack([np.ones_like(group), ability, group, group * ability])
        found = self._each(
            lambda regression, beta: _tests(regression, design, beta, self._weights),
            start,
        )
        out = np.full((5, self._n_items), np.nan)
        for block, values in zip(self._blocks, found, strict=True):
            out[:, block] = values
        return GroupEffects(*out)

    def _each(self, function, start):
        return Parallel(n_jobs=self._n_jobs, prefer="threads")(
            delayed(function)(regression, start[block])
            for regression, block in zip(self._regressions, self._blocks, strict=True)
        )


def _tests(regression, design, start, weights):
    """Return shift, its error, the difference it makes, and both p-values."""
    every = np.arange(design.shape[1])
    n = start.shape[1]
    shift, uniform, n_slopes = n - 1, design[:, :n], every.size - n
    beta, with_shift, variance = regression.fit(uniform, every[:n], start)
    without_start = beta.copy()
    without_start[:, shift] = 0.0
    _, without, _ = regression.fit(uniform, every[:shift], without_start)
    wide = np.hstack([beta, np.zeros((len(beta), n_slopes))])
    _, with_slope, _ = regression.fit(design, every, wide)
    _, without_slope, _ = regression.fit(design, every[:n], wide)
    return (
        beta[:, shift],
        np.sqrt(variance[:, shift]),
        _mean_difference(design[:, :shift], beta, weights),
        chi2.sf(np.maximum(2 * (with_shift - without), 0), 1),
        chi2.sf(np.maximum(2 * (with_slope - without_slope), 0), n_slopes),
    )


def _mean_difference(design, coefficients, weights):
    """Mean difference of probabilities over the models, were each in either group."""
    middle = design @ coefficients[:, :-1].T
    half = coefficients[:, -1] / 2
    return weights @ (expit(middle + half) - expit(middle - half)) / weights.sum()
