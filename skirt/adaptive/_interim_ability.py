"""Abilities after some answers, each model having answered items of its own."""

import numpy as np
from scipy.special import expit

from skirt._ability import _Scores

# Where the maximum of the likelihood is kept unless bounds are given.
_ML_BOUNDS = (-4.0, 4.0)


def interim_abilities(method, slopes, intercepts, answers, start, bounds, posterior):
    """Estimate abilities and their standard errors from the answers so far.

    Parameters
    ----------
    method : {"map", "eap", "ml", "wl"}
    slopes, intercepts, answers : ndarray of shape (n_models, n_answers)
        Of the items that each model answered. A slope of 0 fills up short rows.
    start : ndarray of shape (n_models,)
        Finite abilities to start the search from: those before the last answer.
    bounds : (low, high) or None
    posterior : callable or None
        Returns the posterior means and standard deviations of these models; needed
        for "eap".

    Returns
    -------
    ability, standard_error : ndarray of shape (n_models,)
        Finite abilities: "ml" stays within (-4, 4) where there are no bounds. The
        errors are 1 / sqrt(1 + I), the posterior standard deviation for "eap", and
        1 / sqrt(I) for "ml" and "wl", with I the information at the estimate.
    """
    if method == "eap":
        return posterior()
    equations = _GatheredScores(slopes, intercepts, answers, method)
    ability = equations.solve(start)
    if bounds is None and method == "ml":
        bounds = _ML_BOUNDS
    if bounds is not None:
        np.clip(ability, *bounds, out=ability)
    # Weighted likelihood has no estimate where no item discriminates.
    ability = np.where(np.isnan(ability), start, ability)
    information = equations.information(ability)
    if method == "map":
        information += 1.0
    with np.errstate(divide="ignore"):
        return ability, 1.0 / np.sqrt(information)


class _GatheredScores(_Scores):
    """The estimating equations of models that answered items of their own."""

    def __init__(self, slopes, intercepts, answers, method):
        self.a, self.d = slopes, intercepts
        self.method = method
        self.right = np.einsum("nk,nk->n", slopes, answers)

    def information(self, theta):
        p = expit(self.a * theta[:, None] + self.d)
        return np.einsum("nk,nk->n", np.square(self.a), p * (1.0 - p))

    def _score(self, theta, rows):
        whole = rows.size == self.right.size
        a = self.a if whole else self.a[rows]
        d = self.d if whole else self.d[rows]
        p = expit(a * theta[:, None] + d)
        score = self.right[rows] - np.einsum("nk,nk->n", a, p)
        p *= 1.0 - p
        squared = np.square(a)
        information = np.einsum("nk,nk->n", squared, p)
        if self.method == "map":
            return score - theta, information + 1.0
        information = np.maximum(information, 1e-300)
        if self.method == "wl":
            # 1 - 2 P, from the logit: P (1 - P) is in p by now.
            skewness = squared * a * p * -np.tanh(0.5 * (a * theta[:, None] + d))
            score = score + 0.5 * skewness.sum(axis=1) / information
        return score, information

    def _without_maximum(self, theta):
        best = np.maximum(self.a, 0.0).sum(axis=1)
        worst = np.minimum(self.a, 0.0).sum(axis=1)
        nothing = best - worst <= 0
        theta = np.where(nothing, np.nan, theta)
        if self.method == "wl":
            return theta, np.flatnonzero(~nothing)
        slack = 1e-12 * np.maximum(best - worst, 1e-300)
        top = ~nothing & (self.right >= best - slack)
        bottom = ~nothing & (self.right <= worst + slack)
        theta = np.where(top, np.inf, np.where(bottom, -np.inf, theta))
        return theta, np.flatnonzero(~(nothing | top | bottom))
