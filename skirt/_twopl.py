"""The two-parameter logistic model."""

import math
import warnings
from numbers import Real

import numpy as np
from sklearn.base import _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import StrOptions

from skirt._bank import ItemBank
from skirt._calibration import calibrate
from skirt._fixed_bank import ItemUncertainty, difficulty_of
from skirt._item_flags import item_flags, share_right
from skirt._prior_iteration import SETTLED
from skirt._priors import (
    INTERCEPT_SD_BOUNDS,
    SLOPE_MEAN_BOUNDS,
    SLOPE_SD_BOUNDS,
)
from skirt._response_data import calibration_panel
from skirt._responses import check_responses, item_names
from skirt._standard_errors import item_covariance
from skirt._threads import one_blas_thread
from skirt._weights import check_sample_weight

# What an "auto" prior falls back on, with a warning, where a panel says nothing.
_UNIDENTIFIED_SLOPES = (0.0, 0.5)
_UNIDENTIFIED_INTERCEPTS = (0.0, 2.0)
# One common discrimination has no spread to estimate a prior from; this one is too
# weak to matter unless the data drive the discrimination to 0 or infinity.
_COMMON_SLOPE = (0.0, 2.0)


class TwoPLEstimator(ItemBank):
    """Two-parameter logistic item response model.

    The probability that model i answers item j with 1 is
    ``expit(a_j * theta_i + d_j)`` with ability theta ~ N(0, 1) in the calibration
    panel. Items are estimated by marginal maximum a posteriori with priors that are
    themselves estimated from the panel (empirical Bayes), or by plain marginal maximum
    likelihood; high ability is always the better model.

    Parameters
    ----------
    binarize : float or None, default=None
        None accepts only 0, 1 and missing; a number t counts values above t as 1.
    discrimination_prior : "auto", (mean, sd) or None, default="auto"
        Normal prior of log a. "auto" estimates its mean and SD from the panel; None
        switches it off, and discriminations may then be negative.
    intercept_prior : "auto", (mean, sd) or None, default="auto"
        Normal prior of d. "auto" estimates a mean that is linear in a, and the SD;
        None switches it off.
    ability_method : {"map", "eap", "ml", "wl"}, default="map"
        Estimator of ability given the items: posterior mode, posterior mean, maximum
        likelihood, or Warm's weighted likelihood.
    max_iter : int, default=500
        Most steps of the calibration.
    tol : float, default=1e-4
        The calibration stops when every gradient of the penalised marginal likelihood,
        each item's and those along a common shift and stretch of ability, is below
        this fraction of its standard error.
    verbose : int, default=0
        Whether to print a line for each step.

    Attributes
    ----------
    discrimination_, difficulty_, intercept_ : ndarray of shape (n_items,)
        a, b and d; ``intercept_ == -discrimination_ * difficulty_``.
    discrimination_se_, difficulty_se_, intercept_se_ : ndarray of shape (n_items,)
        Standard errors from the observed information.
    ability_, ability_se_ : ndarray of shape (n_models,)
        Abilities of the fitted models and their standard errors given the items.
    ability_se_total_ : ndarray of shape (n_models,)
        The same with what the panel leaves unknown of the items.
    discrimination_prior_ : tuple (mean, sd) or None
        The prior of log a that was used.
    intercept_prior_ : tuple (mean, slope, sd) or None
        The prior of d given a that was used: N(mean + slope * a, sd^2).
    item_flags_ : DataFrame of bool, indexed by item name
        unanswered, constant, reversed (better models do worse), duplicate.
    log_likelihood_ : float
        Marginal log-likelihood of the panel, without the priors.
    n_iter_ : int
        Steps of the calibration.
    converged_ : bool
        Whether the items reached `tol` under the final priors. Whether estimated
        priors settled is told by a warning if they did not.
    item_names_, model_names_ : ndarray of str
        Labels of columns and rows.
    n_features_in_ : int
        Number of items.
    feature_names_in_ : ndarray of str
        Item names, if X had any.

    Raises
    ------
    ValueError
        If X is not a matrix of 0, 1 and missing with at least two models; or if,
        without priors, the likelihood has no maximum: the message names the items.

    Warns
    -----
    ConvergenceWarning
        If `max_iter` steps did not reach `tol`.
    UserWarning
        If the panel does not determine the scale or a prior (fewer than three items
        that vary; an estimated prior at its bound, or not settled), or if models have
        no answers.

    See Also
    --------
    OnePLEstimator : The same with one common discrimination (Rasch).
    FisherSubsetSelector : The few items that carry the ranking.

    Notes
    -----
    The integral over ability follows each model's posterior (Naylor & Smith 1982), so
    that tests of any length are exact; the items are found by the EM gradient (Lange
    1995) with parameter expansion for location and scale (Liu, Rubin & Wu 1998) and
    quasi-Newton acceleration. Missing responses are left out of the likelihood, which
    is right if being missing does not depend on the answer that would have been given.

    References
    ----------
    Bock, R. D. & Aitkin, M. (1981). Marginal maximum likelihood estimation of item
    parameters: application of an EM algorithm. Psychometrika 46, 443-459.

    Mislevy, R. J. (1986). Bayes modal estimation in item response models.
    Psychometrika 51, 177-195.

    Warm, T. A. (1989). Weighted likelihood estimation of ability in item response
    theory. Psychometrika 54, 427-450.

    Examples
    --------
    >>> from skirt import TwoPLEstimator
    >>> from skirt.datasets import load_lsat7
    >>> bunch = load_lsat7(expand=False)
    >>> model = TwoPLEstimator(discrimination_prior=None, intercept_prior=None)
    >>> model = model.fit(bunch.data, sample_weight=bunch.frequency)
    >>> model.discrimination_.round(3)
    array([0.988, 1.081, 1.707, 0.765, 0.736])
    >>> round(model.log_likelihood_, 2)
    -2658.81
    """

    _parameter_constraints: dict = {
        **ItemBank._parameter_constraints,
        "discrimination_prior": [StrOptions({"auto"}), tuple, list, None],
        "intercept_prior": [StrOptions({"auto"}), tuple, list, None],
    }
    _common_slope = False

    def __init__(
        self,
        *,
        binarize=None,
        discrimination_prior="auto",
        intercept_prior="auto",
        ability_method="map",
        max_iter=500,
        tol=1e-4,
        verbose=0,
    ):
        self.binarize = binarize
        self.discrimination_prior = discrimination_prior
        self.intercept_prior = intercept_prior
        self.ability_method = ability_method
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, sample_weight=None):
        """Calibrate the items on a panel of models.

        Parameters
        ----------
        X : array-like of shape (n_models, n_items)
            Responses 1, 0, NaN.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_models,), optional
            How often each model counts; the same as repeating rows.

        Returns
        -------
        self
        """
        if hasattr(self, "_fixed_items"):
            return self._fit_fixed(X, sample_weight)
        responses = check_responses(
            self, X, reset=True, binarize=self.binarize, min_models=2
        )
        weights = check_sample_weight(sample_weight, responses)
        self.item_names_ = item_names(self)
        panel, data = calibration_panel(responses, weights)
        calibration = self._calibrate(data)
        self._keep_calibration(calibration)
        posterior = calibration.evaluation.posterior if data is panel else None
        self._record_panel(X, panel, posterior)
        return self

    def _calibrate(self, data):
        right = share_right(data)
        slope_prior, intercept_prior = self._resolved_priors(right)
        calibration = calibrate(
            data,
            slope_prior=slope_prior,
            intercept_prior=intercept_prior,
            common_slope=self._common_slope,
            max_iter=self.max_iter,
            tol=self.tol,
            report=self._report if self.verbose else None,
        )
        if calibration.diverged.size:
            raise ValueError(
                "Without a prior the likelihood has no maximum: the parameters of "
                f"{self._named(calibration.diverged)} grow without end, as those of "
                "items that separate the models perfectly, or duplicate each other, "
                'do. Use the priors ("auto"), or leave the items out.'
            )
        if not calibration.converged:
            warnings.warn(
                f"The calibration stopped after {calibration.n_iter} steps with a "
                f"gradient of {calibration.criterion:.1e} standard errors; tol is "
                f"{self.tol:g}. Increase max_iter or tol.",
                ConvergenceWarning,
                stacklevel=5,
            )
        self.item_flags_ = item_flags(data, right, self.item_names_)
        return calibration

    def _resolved_priors(self, right):
        """Check the priors against the panel; return what the calibration takes."""
        slope, intercept = self.discrimination_prior, self.intercept_prior
        for name, prior in (("discrimination", slope), ("intercept", intercept)):
            if isinstance(prior, tuple | list) and not _is_mean_and_sd(prior):
                raise ValueError(
                    f"{name}_prior is {prior!r}: give 'auto', None, or a pair of its "
                    "mean and its positive standard deviation."
                )
        varying = (right > 0) & (right < 1)
        if intercept is None and not varying.all():
            raise ValueError(
                f"{self._named(np.flatnonzero(~varying))} were answered alike by all "
                "models, or by none: without intercept_prior their intercepts are "
                'infinite. Use intercept_prior="auto", or leave the items out.'
            )
        n_varying, needed = int(varying.sum()), 2 if self._common_slope else 3
        if self._common_slope and slope == "auto":
            slope = _COMMON_SLOPE
        if n_varying >= needed:
            return slope, intercept
        told = (
            f"{n_varying} of {right.size} items vary over the models; the "
            f"discriminations are not identified with fewer than {needed}"
        )
        if slope is None:
            raise ValueError(f'{told}. Use discrimination_prior="auto" or a pair.')
        if "auto" in (slope, intercept):
            warnings.warn(
                f"{told}: fixed priors stand in for what the panel does not tell.",
                UserWarning,
                stacklevel=5,
            )
        if slope == "auto":
            slope = _UNIDENTIFIED_SLOPES
        if intercept == "auto":
            intercept = _UNIDENTIFIED_INTERCEPTS
        return slope, intercept

    def _keep_calibration(self, calibration):
        priors = calibration.priors
        self.discrimination_ = calibration.discrimination
        self.intercept_ = calibration.intercept
        self.difficulty_ = difficulty_of(self.discrimination_, self.intercept_)
        self.discrimination_prior_ = (
            None if priors.slope.sd is None else (priors.slope.mean, priors.slope.sd)
        )
        # Whether the panel was asked for the spread of discriminations.
        self._slope_prior_estimated = priors.slope.estimated
        intercept = priors.intercept
        self.intercept_prior_ = (
            None
            if intercept.sd is None
            else (intercept.mean, intercept.slope, intercept.sd)
        )
        if calibration.converged:
            self._warn_about(priors, calibration.prior_change)
        covariance = one_blas_thread(item_covariance)(calibration)
        self._item_uncertainty = ItemUncertainty(
            covariance.conditional, calibration.likelihood.total_weight
        )
        var_a, cov_ad, var_d = covariance.marginal.T
        b = self.difficulty_
        with np.errstate(invalid="ignore", divide="ignore"):
            self.discrimination_se_ = np.sqrt(var_a)
            self.intercept_se_ = np.sqrt(var_d)
            self.difficulty_se_ = np.sqrt(
                var_d + 2 * b * cov_ad + np.square(b) * var_a
            ) / np.abs(self.discrimination_)
        self.log_likelihood_ = calibration.evaluation.log_likelihood
        self.n_iter_ = calibration.n_iter
        self.converged_ = calibration.converged

    def _warn_about(self, priors, change):
        if change >= SETTLED:
            warnings.warn(
                "An estimated prior did not settle (its SD still moved by "
                f"{100 * change:.1g} % a step): the panel hardly determines it. A pair "
                "(mean, sd) fixes the prior.",
                UserWarning,
                stacklevel=5,
            )
        told = []
        slope, intercept = priors.slope, priors.intercept
        if slope.estimated:
            if slope.sd in SLOPE_SD_BOUNDS:
                told.append(f"the SD of log discriminations, {slope.sd:g}")
            if slope.mean in SLOPE_MEAN_BOUNDS:
                told.append(f"their mean, {slope.mean:.2f}")
        if intercept.estimated and intercept.sd in INTERCEPT_SD_BOUNDS:
            told.append(f"the SD of intercepts, {intercept.sd:g}")
        if told:
            warnings.warn(
                f"An estimated prior is at its bound ({'; '.join(told)}): the panel "
                "hardly determines it, or its items hardly differ. A pair (mean, sd) "
                "fixes the prior.",
                UserWarning,
                stacklevel=5,
            )

    def _named(self, positions):
        names = [str(self.item_names_[j]) for j in positions[:5]]
        more = f" and {positions.size - 5} more" if positions.size > 5 else ""
        return f"items {names}{more}"

    @staticmethod
    def _report(step, objective, criterion):
        print(f"step {step}: objective {objective:.4f}, gradient {criterion:.1e} SE")


def _is_mean_and_sd(prior):
    return (
        len(prior) == 2
        and all(isinstance(v, Real) and math.isfinite(v) for v in prior)
        and prior[1] > 0
    )
