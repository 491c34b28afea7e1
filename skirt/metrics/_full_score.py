"""The full-benchmark score of each model, with and without gaps."""

import copy
import warnings

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import StrOptions, validate_params
from sklearn.utils.validation import check_is_fitted

from skirt._responses import BINARIZE_CONSTRAINT, check_responses, model_names
from skirt._sklearn_compat import FrozenEstimator
from skirt.metrics._labels import check_same_models
from skirt.metrics._ranks import spearman

# Where every model answered at least this share, the mean is taken as it is.
_NEARLY_ALL = 0.99


class ResponseTable(BaseEstimator):
    """Holds the item names that the value check reads; there is no estimator."""


@validate_params(
    {
        "gaps": [StrOptions({"expected", "observed"})],
        "return_std": ["boolean"],
        **BINARIZE_CONSTRAINT,
    },
    prefer_skip_nested_validation=True,
)
def full_benchmark_score(
    X, *, bank=None, gaps="expected", return_std=False, binarize=None
):
    """Score of each model on the whole benchmark.

    Where every model answered at least 99 % of the items it is the mean of what
    was observed. Elsewhere such means compare models on different items; the score
    then is the mean over all items of the observed response where there is one and
    of its expected value P_j(theta_i) under an item response model where there is
    none. That is right only if gaps do not depend on the answers that they hide:
    look at :func:`missingness_report`.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_models, n_items)
        Responses 0, 1 or NaN (not administered).
    bank : fitted estimator, default=None
        A one-dimensional item response model of these items. None calibrates
        ``TwoPLEstimator()`` on `X`, if there are gaps to fill. Gaps are filled at the
        MAP abilities whatever its `ability_method`: those are finite for every model.
    gaps : {"expected", "observed"}, default="expected"
        "observed" takes the plain mean of each model's observed responses, gaps or
        not, with a warning where that matters.
    return_std : bool, default=False
        Also return the standard errors.
    binarize : float or None, default=None
        None is strict, or what `bank` does; a number t counts values above t as 1.

    Returns
    -------
    score : ndarray of shape (n_models,)
        Between 0 and 1.
    score_std : ndarray of shape (n_models,)
        Only with ``return_std=True``: what the gaps leave unknown, given the items'
        parameters; with J items and SE_i the standard error of the ability,
        sqrt(sum P(1 - P) + (sum a P(1 - P))^2 SE_i^2) / J, both sums over the
        missing responses. 0 where the score is a plain mean.

    Raises
    ------
    ValueError
        On values other than 0, 1 and NaN, on a bank of several dimensions, and with
        ``gaps="observed"`` for a model that answered nothing.

    Examples
    --------
    >>> from skirt.metrics import full_benchmark_score
    >>> full_benchmark_score([[1, 1, 0, 1], [0, 1, 0, 0]])
    array([0.75, 0.25])
    """
    if binarize is None and bank is not None:
        binarize = binarize_of(bank)
    table = ResponseTable()
    responses = check_responses(table, X, reset=True, binarize=binarize)
    missing = np.isnan(responses)
    complete = bool(missing.mean(axis=1).max() <= 1 - _NEARLY_ALL)
    if complete or gaps == "observed":
        score = _observed_mean(X, responses, missing, warn=not complete)
        return (score, np.zeros(len(score))) if return_std else score
    # Names go along, so that the bank can check that these are its items.
    names = getattr(table, "feature_names_in_", None)
    named = responses if names is None else pd.DataFrame(responses, columns=names)
    if bank is None:
        # Imported here because the estimators in turn import this module.
        from skirt._twopl import TwoPLEstimator

        bank = TwoPLEstimator().fit(named)
    check_is_fitted(bank)
    slopes = np.asarray(bank.discrimination_)
    if slopes.ndim != 1:
        raise ValueError(
            f"The bank has {slopes.shape[1]} dimensions: gaps are filled from a "
            "one-dimensional bank. Pass a TwoPLEstimator, or None."
        )
    binarizes = getattr(bank, "binarize", None) is not None
    bank = _by_map(bank)
    ability, ability_se = bank.predict(X if binarizes else named, return_std=True)
    expected = bank.inverse_transform(ability.reshape(-1, 1))
    score = np.where(missing, expected, responses).mean(axis=1)
    if not return_std:
        return score
    variance = np.where(missing, expected * (1 - expected), 0)
    gradient = variance @ slopes
    total = variance.sum(axis=1) + (gradient * ability_se) ** 2
    return score, np.sqrt(total) / responses.shape[1]


@validate_params(
    {**BINARIZE_CONSTRAINT},
    prefer_skip_nested_validation=True,
)
def missingness_report(X, score, *, binarize=None):
    """How the gaps in a response matrix relate to a score of the models.

    A score that fills gaps is right only if being missing does not depend on the
    answer that is not seen. That cannot be tested, but its signs can be shown.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_models, n_items)
        Responses 0, 1 or NaN.
    score : array-like of shape (n_models,)
        The models' scores, as :func:`full_benchmark_score` gives them.
    binarize : float or None, default=None
        None is strict; a number t counts values above t as 1.

    Returns
    -------
    Series
        ``missing_rate``, the share of missing responses;
        ``rate_score_correlation``, the correlation (Pearson) over models of their
        missing rate with `score`, NaN where either is constant;
        ``agreement_gaps_wrong``, Spearman's rho of `score` with the mean that counts
        every gap as a 0, and ``agreement_gaps_left_out``, with the observed mean, NaN
        where a model answered nothing.

    Examples
    --------
    >>> import numpy as np
    >>> from skirt.metrics import missingness_report
    >>> X = [[1, 1, 1, 1], [1, 1, 0, 1], [1, 0, 0, 1], [0, np.nan, 0, np.nan]]
    >>> missingness_report(X, [1, 0.75, 0.5, 0.2]).round(2)
    missing_rate               0.12
    rate_score_correlation    -0.80
    agreement_gaps_wrong       1.00
    agreement_gaps_left_out    1.00
    dtype: float64
    """
    responses = check_responses(ResponseTable(), X, reset=True, binarize=binarize)
    labelled, score = score, np.asarray(score, dtype=np.float64)
    if score.shape != (len(responses),) or not np.isfinite(score).all():
        raise ValueError(
            f"score must hold one finite number for each of the {len(responses)} "
            f"models; it has shape {score.shape}. See full_benchmark_score."
        )
    check_same_models(X, labelled, "X", "score")
    missing = np.isnan(responses)
    rate = missing.mean(axis=1)
    varies = np.ptp(rate) > 0 and np.ptp(score) > 0
    observed = np.nansum(responses, axis=1)
    answered = (~missing).sum(axis=1)
    left_out = np.nan
    if answered.min() > 0:
        left_out = spearman(score, observed / answered)
    return pd.Series(
        {
            "missing_rate": missing.mean(),
            "rate_score_correlation": (
                np.corrcoef(rate, score)[0, 1] if varies else np.nan
            ),
            "agreement_gaps_wrong": spearman(score, observed),
            "agreement_gaps_left_out": left_out,
        }
    )


def binarize_of(*estimators):
    """Return the one threshold that the estimators binarize responses at, or None.

    An estimator's threshold is its least nested parameter called ``binarize``: what
    stands further inside receives zeros and ones.
    """
    thresholds = set()
    for estimator in estimators:
        params = estimator.get_params() if hasattr(estimator, "get_params") else {}
        names = [name for name in params if name.split("__")[-1] == "binarize"]
        depth = min((name.count("__") for name in names), default=0)
        thresholds |= {params[n] for n in names if n.count("__") == depth}
    thresholds.discard(None)
    if len(thresholds) > 1:
        raise ValueError(
            f"The estimators binarize at different thresholds, {sorted(thresholds)}: "
            "the full-benchmark score is then not defined. Pass y, or use one."
        )
    return thresholds.pop() if thresholds else None


def _by_map(bank):
    """Return a bank whose abilities are finite even for an all-right model."""
    while isinstance(bank, FrozenEstimator):
        bank = bank.estimator
    bank = copy.copy(bank)
    bank.ability_method = "map"
    return bank


def _observed_mean(X, responses, missing, *, warn):
    answered = (~missing).sum(axis=1)
    if answered.min() == 0:
        nobody = model_names(X, answered.size)[int(np.argmin(answered))]
        raise ValueError(
            f"Model {nobody!r} answered no item, so it has no observed mean: drop it, "
            "or pass gaps='expected'."
        )
    if warn:
        warnings.warn(
            f"{missing.mean():.1%} of the responses are missing: plain observed means "
            "compare models on different items. Pass gaps='expected' to put them on "
            "the same ones.",
            UserWarning,
            stacklevel=4,
        )
    return np.nansum(responses, axis=1) / answered
