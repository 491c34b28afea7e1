"""Abilities estimated without the items of one benchmark."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.utils.parallel import Parallel, delayed

from skirt._sklearn_compat import FrozenEstimator
from skirt.audit._alignment import column_correlations
from skirt.audit._benchmark_tests import Abilities

# Where other items are fewer, they cannot carry the dimensions by themselves.
_FEWEST_OTHERS = 3
# A test of so many items leaves each model's posterior all but normal.
_LONG = 500
# Condition number beyond which a map of abilities loses a dimension.
_FLAT = 1e6


@dataclass(frozen=True)
class LeftOut:
    """What the items of the other benchmarks say of the models.

    Attributes
    ----------
    abilities : Abilities or None
        On the axes of the whole solution; None where it cannot be had.
    recovered : ndarray of shape (n_dimensions,)
        The correlation of each ability with that of the whole solution.
    reliability : float
        Share of the truth in the variance of the worst-known mixture of abilities.
    reason : str
        Why there are no abilities.
    """

    abilities: Abilities | None
    recovered: np.ndarray
    reliability: float = np.nan
    reason: str = ""


@dataclass(frozen=True)
class Whole:
    """The solution of all items.

    Attributes
    ----------
    bank : estimator
        Fitted.
    discrimination : ndarray of shape (n_items, n_dimensions)
    ability : ndarray of shape (n_models, n_dimensions)
    error : ndarray of shape (n_models, n_dimensions, n_dimensions)
    """

    bank: Any
    discrimination: np.ndarray
    ability: np.ndarray
    error: np.ndarray


def is_fixed(estimator):
    """Whether an estimator's item parameters stay when it is fitted."""
    return isinstance(estimator, FrozenEstimator) or hasattr(estimator, "_fixed_items")


def fit_whole(estimator, X):
    """Fit a clone to all items; a frozen bank stays what it is.

    Returns
    -------
    Whole
    """
    if isinstance(estimator, FrozenEstimator):
        bank = estimator.estimator
    else:
        bank = clone(estimator).fit(X)
    discrimination = np.asarray(getattr(bank, "discrimination_", 0.0))
    if discrimination.ndim != 2 or not hasattr(bank, "ability_covariance"):
        raise TypeError(
            f"{type(bank).__name__} has no abilities in several dimensions to compare: "
            "pass a MultidimIRT as estimator."
        )
    if isinstance(estimator, FrozenEstimator):
        ability, error = bank.transform(X), bank.ability_covariance(X)
    else:
        ability, error = bank.ability_, bank.ability_covariance_
    return Whole(bank, discrimination, np.asarray(ability), np.asarray(error))


def take_items(X, items):
    """Take columns of a table or an array, names kept."""
    return X.iloc[:, items] if isinstance(X, pd.DataFrame) else X[:, items]


def spread_out(items, most):
    """Take at most so many items, evenly spaced."""
    if most is None or len(items) <= most:
        return items
    return items[np.arange(most) * len(items) // most]


def leave_out_each(
    estimator, whole, X, responses, code, varying, *, refit, most_items, n_jobs, verbose
):
    """Estimate the abilities without each benchmark in turn.

    Parameters
    ----------
    estimator : estimator
        Not fitted.
    whole : Whole
        The solution of all items.
    X : ndarray or DataFrame of shape (n_models, n_items)
        As the estimator takes it.
    responses : ndarray of shape (n_models, n_items)
        1, 0, NaN.
    code : ndarray of shape (n_items,), int
        The benchmark of each item.
    varying : ndarray of shape (n_items,), bool
    refit : bool
        Whether the other items are calibrated anew.
    most_items : int or None
        Of the varying other items, how many at most each calibration takes.
    n_jobs, verbose : int

    Returns
    -------
    left_out : list of LeftOut
    caught : list of list of (category, str)
        The warnings that were given, for the parent to sum up.
    """
    # Sorted by benchmark, so that evenly spaced items are a fair share of each.
    order = np.argsort(code, kind="stable")
    order = order[varying[order]]
    others = [order[code[order] != b] for b in range(code.max() + 1)]
    task = _refit if refit else _rescore
    if refit:
        others = [spread_out(items, most_items) for items in others]
    size = whole.discrimination.shape[1]
    results = Parallel(n_jobs=n_jobs, verbose=max(0, verbose - 1))(
        delayed(_guarded)(task, estimator, whole, X, responses, items, size)
        for items in others
    )
    return tuple(map(list, zip(*results, strict=True)))


def _guarded(task, estimator, whole, X, responses, items, size):
    """Run one task and bring its warnings home from the worker."""
    if len(items) < _FEWEST_OTHERS * size:
        reason = f"only {len(items)} other items vary over the models"
        return LeftOut(None, np.full(size, np.nan), reason=reason), []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        left_out = task(estimator, whole, X, responses, items)
    return left_out, [(w.category, str(w.message)) for w in caught]


def _refit(estimator, whole, X, responses, items):
    rest = take_items(X, items)
    fitted = _for_items(clone(estimator), items).fit(rest)
    mean = np.asarray(fitted.ability_, dtype=np.float64)
    error = np.asarray(fitted.ability_covariance_, dtype=np.float64)
    known = ~np.isnan(responses[:, items]).all(axis=1)
    turn = _turn(mean[known], whole.ability[known])
    if turn is None:
        reason = "the other items alone do not show as many dimensions"
        return LeftOut(None, np.full(mean.shape[1], np.nan), reason=reason)
    return _left_out(
        whole, mean @ turn, np.einsum("lk,nlm,mo->nko", turn, error, turn), known
    )


def _for_items(estimator, items):
    """Set an estimator up for some of the items, of whose solution the axes are turned.

    Axes that will be turned need not be rotated first. Long tests are integrated by
    normal posteriors, if the choice was left open, and calibrated to a hundredth of a
    standard error: the abilities are the same to three digits, in a tenth of the time.
    """
    params = estimator.get_params(deep=False)
    pattern = params.get("loading_pattern")
    new: dict[str, Any]
    if pattern is None:
        new = {"rotation": None, "rotation_target": None}
    elif isinstance(pattern, pd.DataFrame):
        new = {}
    else:
        new = {"loading_pattern": np.asarray(pattern)[items]}
    if len(items) >= _LONG:
        new["tol"] = max(params.get("tol", 0.0), 1e-2)
        if params.get("integration") == "auto":
            new["integration"] = "variational"
    return estimator.set_params(**{k: v for k, v in new.items() if k in params})


def _turn(ability, reference):
    """Return the linear map of abilities that comes nearest to the reference.

    Abilities, not discriminations, are brought together: there are few models with
    many answers each, so that abilities are the better known of the two.
    """
    ability = ability - ability.mean(axis=0)
    reference = reference - reference.mean(axis=0)
    turn, _, rank, _ = np.linalg.lstsq(ability, reference, rcond=1e-8)
    if rank < len(turn) or np.linalg.cond(turn) > _FLAT:
        return None
    return turn


def _rescore(estimator, whole, X, responses, items):
    """Score the models on the other items, whose parameters stay."""
    known = ~np.isnan(responses[:, items]).all(axis=1)
    if isinstance(X, pd.DataFrame):
        rest = X.iloc[:, items].reindex(columns=X.columns)
    else:
        rest = np.full(X.shape, np.nan)
        rest[:, items] = X[:, items]
    mean, error = whole.bank.transform(rest), whole.bank.ability_covariance(rest)
    return _left_out(whole, mean, error, known)


def _left_out(whole, mean, error, known):
    recovered = column_correlations(whole.ability[known], mean[known])
    spread = np.atleast_2d(np.cov(mean[known].T, bias=True))
    latent = spread + error[known].mean(axis=0)
    # The models' estimates vary by what is known of them, their errors by the rest.
    known_share = np.linalg.eigvals(np.linalg.pinv(latent, hermitian=True) @ spread)
    return LeftOut(Abilities(mean, error, known), recovered, known_share.real.min())
