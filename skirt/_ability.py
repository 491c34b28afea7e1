"""Abilities and their standard errors under a fixed bank.

Every model's estimate is found by itself, to convergence, so that one row and a batch
of rows give the same answer.
"""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from skirt._cells import score_sums
from skirt._estep import EStep
from skirt._threads import one_blas_thread

ABILITY_METHODS = ("map", "eap", "ml", "wl")

# Newton's steps square their error: after one this small there is nothing left. The
# steps for "wl" use a stand-in for the slope, and only shrink by a factor.
_LAST_STEP = {"map": 1e-7, "ml": 1e-7, "wl": 1e-11}
_ROUNDS = 200


@one_blas_thread
def estimate_abilities(data, discrimination, intercept, method, posterior=None):
    """Estimate abilities and standard errors given the items.

    Parameters
    ----------
    data : ResponseData
    discrimination, intercept : ndarray of shape (n_items,)
    method : {"map", "eap", "ml", "wl"}
        Posterior mode and mean under N(0, 1), maximum likelihood, or Warm's (1989)
        weighted likelihood.
    posterior : Posterior or None
        The E-step at these very items, where it is known already.

    Returns
    -------
    ability, standard_error : ndarray of shape (n_models,)
        "map": 1 / sqrt(1 + I); "eap": the posterior SD; "ml", "wl": 1 / sqrt(I), with
        I the test information at the estimate. Without an answer the prior's 0 and 1,
        or NaN and inf for "ml" and "wl". A model that got every answer right, or
        wrong, has no finite "ml" estimate: it is inf or -inf, with inf.
    """
    if method == "eap" or posterior is None:
        posterior = posterior or EStep(data)(discrimination, intercept)
    if method == "eap":
        return posterior.mean.copy(), posterior.sd.copy()
    ability = _Scores(data, discrimination, intercept, method).solve(posterior.mean)
    finite = np.isfinite(ability)
    sums = score_sums(
        np.where(finite, ability, 0.0), discrimination, intercept, data.mask_rows
    )
    information = np.where(finite, sums[:, 1], 0.0)
    if method == "map":
        information += 1.0
    with np.errstate(divide="ignore"):
        return ability, 1.0 / np.sqrt(information)


class _Scores:
    """The estimating equations of all models, solved where they cross zero."""

    def __init__(self, data, discrimination, intercept, method):
        self.data = data
        self.a, self.d = discrimination, intercept
        self.method = method
        self.right = data.responses @ discrimination

    def solve(self, start):
        """Return the roots, from starts near them."""
        theta = start.copy()
        active = np.arange(theta.size)
        if self.method in ("ml", "wl"):
            theta, active = self._without_maximum(theta)
        low = np.full(theta.size, -np.inf)
        high = np.full(theta.size, np.inf)
        reach = np.full(theta.size, 2.0)
        last = _LAST_STEP[self.method]
        for iteration in range(_ROUNDS):
            if not active.size:
                return theta
            score, bend = self._score(theta[active], active)
            rising = score > 0
            low[active[rising]] = theta[active[rising]]
            high[active[~rising]] = theta[active[~rising]]
            # Where no bracket holds the root yet, steps may grow from one to the next.
            step = np.clip(score / bend, -reach[active], reach[active])
            reach[active] *= np.where(np.abs(step) < reach[active], 1.0, 2.0)
            proposal = theta[active] + step
            # Newton's step, or the middle where it leaves the bracket or, after
            # many steps, dawdles inside it.
            middle = 0.5 * (low[active] + high[active])
            lost = (proposal <= low[active]) | (proposal >= high[active])
            lost |= (iteration > 30) & np.isfinite(middle)
            # At the root, rounding decides on which side of the bracket a step ends.
            lost &= np.abs(step) > last * (1 + np.abs(theta[active]))
            proposal = np.where(lost & np.isfinite(middle), middle, proposal)
            moved = np.abs(proposal - theta[active])
            theta[active] = proposal
            active = active[moved > last * (1 + np.abs(proposal))]
        if active.size:
            warnings.warn(
                f"The ability of {active.size} models (the first is row {active[0]}) "
                f"was not found to full precision in {_ROUNDS} rounds.",
                ConvergenceWarning,
                stacklevel=6,
            )
        return theta

    def _score(self, theta, rows):
        """Return the equation's value and minus its slope (or a safe stand-in)."""
        sums = score_sums(
            theta,
            self.a,
            self.d,
            lambda block: self.data.mask_rows(rows[block]),
            skewness=self.method == "wl",
        )
        score = self.right[rows] - sums[:, 0]
        information = sums[:, 1]
        if self.method == "map":
            return score - theta, information + 1.0
        information = np.maximum(information, 1e-300)
        if self.method == "wl":
            score = score + 0.5 * sums[:, 2] / information
        return score, information

    def _without_maximum(self, theta):
        """Settle models whose likelihood has no maximum; return the others' rows."""
        masks = self.data.masks
        best = (masks @ np.maximum(self.a, 0.0))[self.data.pattern]
        worst = (masks @ np.minimum(self.a, 0.0))[self.data.pattern]
        nothing = best - worst <= 0
        theta = np.where(nothing, np.nan, theta)
        if self.method == "wl":
            return theta, np.flatnonzero(~nothing)
        slack = 1e-12 * np.maximum(best - worst, 1e-300)
        top = ~nothing & (self.right >= best - slack)
        bottom = ~nothing & (self.right <= worst + slack)
        theta = np.where(top, np.inf, np.where(bottom, -np.inf, theta))
        return theta, np.flatnonzero(~(nothing | top | bottom))
