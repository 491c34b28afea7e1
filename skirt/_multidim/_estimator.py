"""The multidimensional two-parameter logistic model."""

import warnings
from numbers import Integral, Real

import numpy as np
import pandas as pd
from sklearn.base import _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from skirt._item_flags import item_flags, share_right
from skirt._multidim._bank import BankKnowledge, MultidimBank
from skirt._multidim._calibration import calibrate
from skirt._multidim._identification import check_size, named_items, resolved_priors
from skirt._multidim._item_tables import is_bifactor, item_table
from skirt._multidim._items import Items
from skirt._multidim._rotation import ROTATIONS
from skirt._multidim._scoring import integrate
from skirt._multidim._solution import solve_axes
from skirt._response_data import calibration_panel
from skirt._responses import BINARIZE_CONSTRAINT, check_responses, item_names
from skirt._twopl import TwoPLEstimator
from skirt._weights import check_sample_weight


class MultidimIRT(MultidimBank):
    """Multidimensional two-parameter logistic item response model.

    The probability that model i answers item j with 1 is
    ``expit(a_j' theta_i + d_j)``: high ability on one dimension makes up for low
    ability on another (the compensatory model). Which items belong together it finds
    out (exploratory), or is told by `loading_pattern` (confirmatory). Items are
    estimated by marginal maximum a posteriori under priors that are themselves
    estimated from the panel, or by plain marginal maximum likelihood.

    Parameters
    ----------
    n_components : int, default=2
        Number of abilities. 1 is :class:`TwoPLEstimator`, unless
        ``discrimination_prior="normal"``.
    rotation : str or None, default="oblimin"
        "oblimin" (= "quartimin"), "geomin" and "promax" let the abilities correlate;
        "varimax", "quartimax" and None (principal axes) do not; "target" comes as near
        to `rotation_target` as correlated abilities can. No rotation changes a
        probability.
    rotation_target : array-like of shape (n_items, n_components), optional
        Standardised loadings to rotate toward; NaN where they are free. A DataFrame
        is taken by item name.
    loading_pattern : array-like of bool, shape (n_items, n_components), optional
        The loadings to estimate; the others are 0. A DataFrame is taken by item name.
        Nothing is rotated then. A pattern with one dimension of all items and others
        of some (bifactor) has uncorrelated abilities, any other correlated ones, which
        are estimated.
    discrimination_prior : "auto", "normal", float or None, default="auto"
        "auto" is a normal prior of the discriminations whose mean and covariance are
        estimated from the panel, which lets an item load on a dimension with either
        sign or not at all, and turns with the axes; for one component the log-normal
        one of `TwoPLEstimator`. "normal" is the same normal prior for any number of
        components, to compare numbers of components; a float is the SD of a fixed
        N(0, sd^2); None switches it off.
    intercept_prior : "auto", (mean, sd) or None, default="auto"
        Normal prior of d: mean linear in the discriminations and SD estimated, or
        fixed, or none.
    ability_method : {"map", "eap"}, default="map"
        Posterior mode or posterior mean.
    integration : {"auto", "quadrature", "variational"}, default="auto"
        How the calibration integrates over abilities: adaptive Gauss-Hermite
        quadrature, or the normal distribution that fits each model's posterior best,
        which is right where items are many. "auto" takes quadrature where it is
        affordable; `integration_` tells.
    start : {"spectral", "random"}, default="spectral"
        Start from the leading dimensions of the responses, or from as much noise:
        only to see whether the same maximum is found.
    binarize : float or None, default=None
        None accepts only 0, 1 and missing; a number t counts values above t as 1.
    random_state : int, RandomState or None, default=None
        For ``start="random"``. Nothing else is random.
    max_iter : int, default=300
        Most cycles of the calibration.
    tol : float, default=1e-3
        The calibration stops when a cycle moves no item by more than this many of its
        standard errors.
    verbose : int, default=0
        Whether to print a line for each cycle.

    Attributes
    ----------
    discrimination_ : ndarray of shape (n_items, n_components)
        a, on the rotated axes. Components are ordered by the variance they explain,
        and signed so that the discriminations of each sum to a positive number: high
        ability is the better model.
    intercept_ : ndarray of shape (n_items,)
        d.
    discrimination_se_, intercept_se_ : ndarray
        Standard errors given the axes: the panel's sampling of location and scale is
        counted, that of the rotation is not.
    mdisc_, mdiff_ : ndarray of shape (n_items,)
        Multidimensional discrimination sqrt(a' Phi a), the slope in the direction in
        which the item is steepest, and difficulty -d / mdisc.
    loadings_ : ndarray of shape (n_items, n_components)
        Standardised loadings a / sqrt(1.702^2 + a' Phi a), as R's mirt prints them.
    ability_correlation_ : ndarray of shape (n_components, n_components)
        Phi.
    explained_share_ : ndarray of shape (n_components,)
        Each component's share of the common variance of the standardised responses.
    rotation_matrix_ : ndarray of shape (n_components, n_components)
        T; abilities are T' times those on the principal axes.
    ability_, ability_se_ : ndarray of shape (n_models, n_components)
        Abilities of the fitted models and their standard errors. Where priors are
        estimated, what the panel leaves unknown of the items is counted, and what the
        items have learned of these very models: `transform` takes models for new ones
        and puts those of a small panel farther out.
    ability_covariance_ : ndarray of shape (n_models, n_components, n_components)
        Of the fitted models' posteriors.
    integration_ : str
        "quadrature" or "variational"; for one component "exact".
    discrimination_prior_ : tuple (mean, covariance) or None
        The normal prior of the discriminations on the rotated axes.
    intercept_prior_ : tuple (mean, slopes, sd) or None
        The prior of d given a: N(mean + slopes' a, sd^2).
    item_flags_ : DataFrame of bool, indexed by item name
        unanswered, constant, reversed, duplicate.
    log_likelihood_ : float
        Marginal log-likelihood of the panel at the item estimates, without the priors.
    n_iter_, converged_ : int, bool
        Cycles of the calibration, and whether it reached `tol`.
    item_names_, model_names_ : ndarray of str
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Item names, if X had any.

    Raises
    ------
    ValueError
        If X is not a matrix of 0, 1 and missing; if it has fewer items than
        components, or no more models than components; if without priors the
        likelihood has no maximum.

    Warns
    -----
    ConvergenceWarning
        If `max_iter` cycles, or the rotation, did not converge.
    UserWarning
        If fewer than 2 n_components + 1 items vary: fixed priors stand in then.

    See Also
    --------
    TwoPLEstimator : One ability.
    skirt.audit.benchmark_audit : What each benchmark measures.

    Notes
    -----
    The population sets the scale: abilities of the panel are N(0, Phi), and a prior
    may not move or stretch them. Calibration starts from the leading singular vectors
    of the responses and has nothing random in it, so that the same data in any order
    of rows and columns give the same axes.

    References
    ----------
    Bock, R. D., Gibbons, R. & Muraki, E. (1988). Full-information item factor
    analysis. Applied Psychological Measurement 12, 261-280.

    Cho, A. E., Wang, C., Zhang, X. & Xu, G. (2021). Gaussian variational estimation
    for multidimensional item response theory. British Journal of Mathematical and
    Statistical Psychology 74, 52-85.

    Bernaards, C. A. & Jennrich, R. I. (2005). Gradient projection algorithms and
    software for arbitrary rotation criteria in factor analysis. Educational and
    Psychological Measurement 65, 676-696.

    Examples
    --------
    >>> from skirt import MultidimIRT
    >>> from skirt.datasets import load_classifier_panel
    >>> panel = load_classifier_panel(as_frame=True)
    >>> model = MultidimIRT(2).fit(panel.data.iloc[:, ::20])
    >>> model.discrimination_.shape, model.integration_
    ((85, 2), 'variational')
    """

    _parameter_constraints: dict = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "rotation": [StrOptions(set(ROTATIONS)), None],
        "rotation_target": ["array-like", None],
        "loading_pattern": ["array-like", None],
        "discrimination_prior": [
            StrOptions({"auto", "normal"}),
            Interval(Real, 0, None, closed="neither"),
            None,
        ],
        "intercept_prior": [StrOptions({"auto"}), tuple, list, None],
        "ability_method": [StrOptions({"map", "eap"})],
        "integration": [StrOptions({"auto", "quadrature", "variational"})],
        "start": [StrOptions({"spectral", "random"})],
        **BINARIZE_CONSTRAINT,
        "random_state": ["random_state"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_components=2,
        *,
        rotation="oblimin",
        rotation_target=None,
        loading_pattern=None,
        discrimination_prior="auto",
        intercept_prior="auto",
        ability_method="map",
        integration="auto",
        start="spectral",
        binarize=None,
        random_state=None,
        max_iter=300,
        tol=1e-3,
        verbose=0,
    ):
        self.n_components = n_components
        self.rotation = rotation
        self.rotation_target = rotation_target
        self.loading_pattern = loading_pattern
        self.discrimination_prior = discrimination_prior
        self.intercept_prior = intercept_prior
        self.ability_method = ability_method
        self.integration = integration
        self.start = start
        self.binarize = binarize
        self.random_state = random_state
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
        check_size(data, self.n_components)
        if self.n_components == 1 and self.discrimination_prior in ("auto", None):
            self._fit_one_dimension(responses, weights)
        else:
            self._fit_dimensions(data)
        self._record_panel(X, panel, weights > 0)
        if self.integration_ != "exact":
            items = Items(self.discrimination_, self.intercept_)
            log_likelihood, *_ = integrate(panel, items, self.ability_correlation_)
            self.log_likelihood_ = float(weights @ log_likelihood)
        return self

    def _fit_one_dimension(self, responses, weights):
        """Delegate to `TwoPLEstimator`."""
        model = TwoPLEstimator(
            discrimination_prior=self.discrimination_prior,
            intercept_prior=self.intercept_prior,
            ability_method=self.ability_method,
            max_iter=self.max_iter,
            tol=min(self.tol, 1e-4),
            verbose=self.verbose,
        ).fit(responses, sample_weight=weights)
        self._describe(model.discrimination_[:, None], model.intercept_, np.eye(1))
        self.discrimination_se_ = model.discrimination_se_[:, None]
        self.intercept_se_ = model.intercept_se_
        self.item_flags_ = model.item_flags_.set_axis(
            pd.Index(self.item_names_, name="item")
        )
        for name in (
            "discrimination_prior_",
            "intercept_prior_",
            "log_likelihood_",
            "n_iter_",
            "converged_",
        ):
            setattr(self, name, getattr(model, name))
        self._item_uncertainty = BankKnowledge(np.eye(1))
        self.rotation_matrix_ = np.eye(1)
        self.integration_ = "exact"

    def _fit_dimensions(self, data):
        right = share_right(data)
        free = self._item_table("loading_pattern", bool)
        slope, intercept = resolved_priors(
            self.discrimination_prior,
            self.intercept_prior,
            right,
            self.n_components,
            self.item_names_,
        )
        random_state = check_random_state(self.random_state)
        calibration = calibrate(
            data,
            self.n_components,
            slope_prior=slope,
            intercept_prior=intercept,
            free=free,
            correlated=free is None or not is_bifactor(free),
            integration=self.integration,
            random_state=random_state if self.start == "random" else None,
            max_iter=self.max_iter,
            tol=self.tol,
            report=self._report if self.verbose else None,
        )
        if calibration.diverged.size:
            raise ValueError(
                "Without a prior the likelihood has no maximum: the parameters of "
                f"{named_items(self.item_names_, calibration.diverged)} grow without "
                "end, as those of "
                "items that separate the models perfectly, or duplicate each other, "
                'do. Use the priors ("auto"), or leave the items out.'
            )
        if not calibration.converged:
            warnings.warn(
                f"The calibration stopped after {calibration.n_iter} cycles that still "
                f"moved an item by {calibration.criterion:.1e} standard errors; tol is "
                f"{self.tol:g}. Increase max_iter or tol.",
                ConvergenceWarning,
                stacklevel=4,
            )
        self.n_iter_, self.converged_ = calibration.n_iter, calibration.converged
        self.integration_ = calibration.posterior.integration
        self.item_flags_ = item_flags(data, right, self.item_names_)
        self._keep_calibration(data, calibration, free)

    def _keep_calibration(self, data, calibration, free):
        """Choose the axes, and keep everything on them."""
        target = self._item_table("rotation_target", float)
        if free is None and self.rotation == "target" and target is None:
            raise ValueError('rotation="target" needs a rotation_target.')
        solution = solve_axes(data, calibration, free, self.rotation, target)
        self.rotation_matrix_ = solution.rotation
        self._describe(
            solution.discrimination, calibration.intercept, solution.correlation
        )
        self.discrimination_se_ = solution.discrimination_se
        self.intercept_se_ = solution.intercept_se
        self.discrimination_prior_ = solution.discrimination_prior
        self.intercept_prior_ = solution.intercept_prior
        self._item_uncertainty = BankKnowledge(
            self.ability_correlation_, solution.item_covariance
        )

    def _item_table(self, name, dtype):
        return item_table(
            getattr(self, name), name, dtype, self.item_names_, self.n_components
        )

    @staticmethod
    def _report(cycle, criterion):
        print(f"cycle {cycle}: largest move of an item {criterion:.1e} SE", flush=True)
