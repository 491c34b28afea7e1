"""The one-parameter logistic (Rasch) model."""

from skirt._twopl import TwoPLEstimator


class OnePLEstimator(TwoPLEstimator):
    """One-parameter logistic (Rasch) model: one discrimination for all items.

    The same as :class:`TwoPLEstimator` but for the common discrimination. With
    theta ~ N(0, 1) and a free common discrimination this is the Rasch model with a free
    ability variance, the square of it.

    Parameters
    ----------
    binarize : float or None, default=None
        None accepts only 0, 1 and missing; a number t counts values above t as 1.
    discrimination_prior : "auto", (mean, sd) or None, default="auto"
        Normal prior of the log of the common discrimination. "auto" is (0, 2), which
        matters only where the responses would drive it to zero or infinity.
    intercept_prior : "auto", (mean, sd) or None, default="auto"
        Normal prior of d. "auto" estimates mean and SD from the panel.
    ability_method : {"map", "eap", "ml", "wl"}, default="map"
        Estimator of ability given the items.
    max_iter : int, default=500
        Most steps of the calibration.
    tol : float, default=1e-4
        Largest gradient at the end, as a fraction of its standard error.
    verbose : int, default=0
        Whether to print a line for each step.

    Attributes
    ----------
    discrimination_, difficulty_, intercept_ : ndarray of shape (n_items,)
        a (the same for all items), b and d.
    discrimination_se_, difficulty_se_, intercept_se_ : ndarray of shape (n_items,)
        Standard errors from the observed information.
    ability_, ability_se_, ability_se_total_ : ndarray of shape (n_models,)
        Abilities, standard errors given the items, and in total.
    intercept_prior_ : tuple (mean, 0.0, sd) or None
        The prior of d that was used.
    item_flags_ : DataFrame of bool, indexed by item name
        unanswered, constant, reversed, duplicate.
    log_likelihood_ : float
        Marginal log-likelihood of the panel.
    n_iter_, converged_ : int, bool
        Steps of the calibration, and whether it reached `tol`.

    See Also
    --------
    TwoPLEstimator : With a discrimination for each item.

    References
    ----------
    Rasch, G. (1960). Probabilistic models for some intelligence and attainment tests.

    Examples
    --------
    >>> from skirt import OnePLEstimator
    >>> from skirt.datasets import load_lsat6
    >>> bunch = load_lsat6(expand=False)
    >>> model = OnePLEstimator(discrimination_prior=None, intercept_prior=None)
    >>> model = model.fit(bunch.data, sample_weight=bunch.frequency)
    >>> model.discrimination_.round(3)
    array([0.755, 0.755, 0.755, 0.755, 0.755])
    """

    _common_slope = True
