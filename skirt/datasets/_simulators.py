"""Simulated responses with known parameters."""

from numbers import Integral, Real

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.special import expit
from sklearn.utils import Bunch, check_random_state
from sklearn.utils._param_validation import Interval, validate_params

# Equal steps of a normal density are exact to 1e-6 for discriminations up to 10.
_NODES = np.linspace(-6, 6, 97)
_WEIGHTS = np.exp(-(_NODES**2) / 2)
_WEIGHTS /= _WEIGHTS.sum()


@validate_params(
    {
        "n_models": [Interval(Integral, 1, None, closed="left")],
        "n_items": [Interval(Integral, 1, None, closed="left")],
        "discrimination_cv": [Interval(Real, 0, None, closed="left")],
        "mean_discrimination": [Interval(Real, 0, None, closed="neither")],
        "mean_score": [Interval(Real, 0, 1, closed="neither")],
        "missing_rate": [Interval(Real, 0, 1, closed="left")],
        "n_families": [Interval(Integral, 1, None, closed="left"), None],
        "family_spread": [Interval(Real, 0, 1, closed="both")],
        "random_state": ["random_state"],
        "return_probabilities": ["boolean"],
        "as_frame": ["boolean"],
    },
    prefer_skip_nested_validation=True,
)
def make_responses(
    n_models=100,
    n_items=200,
    *,
    discrimination_cv=0.5,
    mean_discrimination=1.0,
    mean_score=0.5,
    missing_rate=0.0,
    n_families=None,
    family_spread=0.5,
    random_state=None,
    return_probabilities=False,
    as_frame=False,
):
    r"""Simulate responses under the two-parameter logistic model.

    Model i answers item j rightly with probability
    :math:`1 / (1 + \exp(-a_j (\theta_i - b_j)))`, the logistic metric without the
    factor 1.7. Abilities :math:`\theta` are N(0, 1), discriminations a lognormal,
    difficulties b normal with standard deviation 1, independent of a.

    Parameters
    ----------
    n_models : int, default=100
        Number of rows.
    n_items : int, default=200
        Number of columns.
    discrimination_cv : float, default=0.5
        Coefficient of variation (standard deviation / mean) of the lognormal
        distribution of discriminations; that of the items drawn varies about it.
        0 makes all items equal.
    mean_discrimination : float, default=1.0
        Mean of that distribution. Its logarithm has the standard deviation
        :math:`s = \sqrt{\log(1 + cv^2)}` and the mean
        :math:`\log(mean) - s^2 / 2`.
    mean_score : float, default=0.5
        The share of right answers to be expected from the items drawn of a model
        with ability from N(0, 1). The difficulties are shifted together so that it
        holds exactly.
    missing_rate : float, default=0.0
        Probability with which a response is missing (NaN), the same for every
        response and independent of everything else. At high rates whole rows or
        columns can be missing.
    n_families : int or None, default=None
        Number of families of similar models, of equal size or one apart. None
        draws every model independently.
    family_spread : float, default=0.5
        Standard deviation of the abilities within a family, 0 (all alike) to 1
        (families mean nothing). Family means have the variance
        :math:`1 - spread^2`, so that the variance of all is 1. Not used without
        `n_families`.
    random_state : int, RandomState instance or None, default=None
        Pass an int for the same responses at every call. The complete responses
        behind two calls that differ in `missing_rate` only are the same.
    return_probabilities : bool, default=False
        If True, the Bunch holds `probability` too.
    as_frame : bool, default=False
        If True, `data` (and `probability`) are DataFrames with the names of models
        and items.

    Returns
    -------
    data : :class:`~sklearn.utils.Bunch`
        data : ndarray or DataFrame of shape (n_models, n_items), float64
            Responses 1, 0 or NaN.
        ability : ndarray of shape (n_models,)
            theta.
        discrimination, difficulty, intercept : ndarray of shape (n_items,)
            a, b and -a b.
        groups : ndarray of shape (n_models,), int64
            The family of each model, for example for
            :class:`~sklearn.model_selection.GroupShuffleSplit`. Without
            `n_families` every model is its own family.
        feature_names, model_names : list of str
            Names of the columns and rows.
        frame : DataFrame or None
            The same table as `data` if `as_frame`.
        probability : ndarray or DataFrame of shape (n_models, n_items)
            Only if `return_probabilities`.

    Raises
    ------
    ValueError
        If a parameter is outside its range or there are more families than models.

    Examples
    --------
    >>> from skirt.datasets import make_responses
    >>> panel = make_responses(40, 500, mean_score=0.7, random_state=0)
    >>> panel.data.shape
    (40, 500)
    >>> panel.discrimination.shape, panel.ability.shape
    ((500,), (40,))
    >>> make_responses(6, 5, n_families=2, random_state=0).groups
    array([0, 0, 0, 1, 1, 1])
    """
    if n_families is not None and n_families > n_models:
        raise ValueError(
            f"n_families={n_families} is more than n_models={n_models}: a family "
            "needs at least one model."
        )
    rng = check_random_state(random_state)
    ability, groups = _draw_abilities(rng, n_models, n_families, family_spread)
    s = np.sqrt(np.log1p(discrimination_cv**2))
    log_a = np.log(mean_discrimination) - s**2 / 2 + s * rng.standard_normal(n_items)
    discrimination = np.exp(log_a)
    difficulty = rng.standard_normal(n_items)
    difficulty += _difficulty_shift(discrimination, difficulty, mean_score)

    probability = expit(discrimination * (ability[:, np.newaxis] - difficulty))
    data = (rng.random_sample(probability.shape) < probability).astype(float)
    if missing_rate > 0:
        data[rng.random_sample(data.shape) < missing_rate] = np.nan

    model_names = [f"model{i}" for i in range(n_models)]
    feature_names = [f"item{j}" for j in range(n_items)]
    frame = None
    if as_frame:
        frame = data = pd.DataFrame(data, index=model_names, columns=feature_names)
        probability = pd.DataFrame(probability, frame.index, frame.columns)
    panel = Bunch(
        data=data,
        ability=ability,
        discrimination=discrimination,
        difficulty=difficulty,
        intercept=-discrimination * difficulty,
        groups=groups,
        feature_names=feature_names,
        model_names=model_names,
        frame=frame,
    )
    if return_probabilities:
        panel["probability"] = probability
    return panel


def _draw_abilities(rng, n_models, n_families, spread):
    if n_families is None:
        return rng.standard_normal(n_models), np.arange(n_models)
    groups = np.arange(n_models) * n_families // n_models
    means = np.sqrt(1 - spread**2) * rng.standard_normal(n_families)
    return means[groups] + spread * rng.standard_normal(n_models), groups


def _difficulty_shift(discrimination, difficulty, mean_score):
    """Return the shift of all difficulties that gives the expected mean score."""

    def excess(shift):
        location = difficulty + shift
        expected = (
            weight * expit(discrimination * (node - location)).mean()
            for node, weight in zip(_NODES, _WEIGHTS, strict=True)
        )
        return sum(expected) - mean_score

    reach = 1.0
    # Nearly flat items have to be moved very far, so there is no bound to start from.
    while excess(-reach) < 0 or excess(reach) > 0:
        reach *= 2
    return brentq(excess, -reach, reach, xtol=1e-10)
