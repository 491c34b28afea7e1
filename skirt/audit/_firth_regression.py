"""Penalised logistic regressions of many items at once.

Every step is a few matrix products over models x items.
"""

from dataclasses import dataclass

import numpy as np

_MOST_STEPS = 50
# Newton's steps square their error: after one this small there is nothing left.
_LAST_STEP = 1e-5
# Differences of the log-likelihood that are no more than rounding.
_ROUNDING = 1e-9
# No parameter moves farther than this in one step, on the logit scale.
_LONGEST_STEP = 2.0
# Keeps information invertible where all models of a group have one ability.
_RIDGE = 1e-8


class FirthRegression:
    """Logistic regressions of all items on one design, by Firth's likelihood.

    Half the log-determinant of the information is added to the log-likelihood, which
    keeps estimates finite where a group answers alike and the level of
    likelihood-ratio tests near the nominal one in small samples (Heinze & Schemper
    2002).
    """

    def __init__(self, responses, weights):
        answered = ~np.isnan(responses)
        self._right = np.where(answered, responses, 0.0)
        self._weights = answered * weights[:, None]

    def fit(self, design, free, start):
        """Maximise over the coefficients in `free`; the others stay as they start.

        Returns
        -------
        coefficients : ndarray of shape (n_items, n_coefficients)
        log_likelihood : ndarray of shape (n_items,)
            Penalised by the information about all coefficients, free or not.
        variance : ndarray of shape (n_items, n_coefficients)
            Diagonal of the inverse of that information.
        """
        n_items, n = self._right.shape[1], design.shape[1]
        products = (design[:, :, None] * design[:, None, :]).reshape(len(design), -1)
        beta = start.copy()
        value = np.empty(n_items)
        variance = np.empty((n_items, n))
        todo = np.arange(n_items)
        now = self._evaluate(design, products, todo, beta, free)
        scale = np.ones(n_items)
        for _ in range(_MOST_STEPS):
            value[todo], variance[todo] = now.value, now.variance
            left = (np.abs(now.step) * scale[:, None]).max(axis=1) > _LAST_STEP
            todo, scale, now = todo[left], scale[left], now.of(left)
            if todo.size == 0:
                break
            moved = beta[todo]
            moved[:, free] += scale[:, None] * now.step
            new = self._evaluate(design, products, todo, moved, free)
            better = new.value >= now.value - _ROUNDING
            beta[todo[better]] = moved[better]
            now = now.replaced(new, better)
            scale = np.where(better, 1.0, scale / 2)
        return beta, value, variance

    def _evaluate(self, design, products, items, beta, free):
        n_items, n = beta.shape
        right, weights = self._right[:, items], self._weights[:, items]
        eta = design @ beta.T
        small = np.exp(-np.abs(eta))
        p = np.where(eta > 0, 1.0, small) / (1.0 + small)
        weight = weights * p * (1.0 - p)
        information = (weight.T @ products).reshape(n_items, n, n)
        information += _RIDGE * np.eye(n)
        inverse = np.linalg.inv(information)
        leverage = weight * (products @ inverse.reshape(n_items, -1).T)
        score = (weights * (right - p) + leverage * (0.5 - p)).T @ design[:, free]
        narrow = information[:, free[:, None], free]
        step = np.linalg.solve(narrow, score[:, :, None])[:, :, 0]
        longest = np.abs(step).max(axis=1, keepdims=True)
        step *= np.minimum(1.0, _LONGEST_STEP / np.maximum(longest, 1e-300))
        fit = right * eta - np.maximum(eta, 0.0) - np.log1p(small)
        value = (weights * fit).sum(axis=0)
        value += 0.5 * np.linalg.slogdet(information)[1]
        return _Evaluation(value, np.diagonal(inverse, axis1=1, axis2=2), step)


@dataclass(frozen=True)
class _Evaluation:
    """Penalised log-likelihood, variances and Newton's step of each item."""

    value: np.ndarray
    variance: np.ndarray
    step: np.ndarray

    def of(self, items):
        return _Evaluation(self.value[items], self.variance[items], self.step[items])

    def replaced(self, other, where):
        return _Evaluation(
            np.where(where, other.value, self.value),
            np.where(where[:, None], other.variance, self.variance),
            np.where(where[:, None], other.step, self.step),
        )
