"""Banks inside a selector: calibrated on its responses, or fixed and matched."""

import copy
import warnings

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted, check_memory

from skirt._sklearn_compat import FrozenEstimator


def calibrated_or_fixed(given, responses, names, *, memory=None):
    """Return a bank of the items at hand, calibrated unless it is fixed.

    Parameters
    ----------
    given : estimator
        Never fitted itself.
    responses : ndarray of shape (n_models, n_items)
        1, 0, NaN.
    names : ndarray of str of shape (n_items,), or None
    memory : str, joblib.Memory or None
        Where to keep calibrations.

    Returns
    -------
    bank : fitted estimator
    shaped : bool
        Whether these responses have calibrated it.
    """
    bank = reading_zero_one(clone(given))
    if isinstance(bank, FrozenEstimator):
        check_is_fitted(bank.estimator)
    if is_fitted(bank):
        return _restricted(bank, names, responses.shape[1]), False
    if is_fitted(given):
        warnings.warn(
            f"The fitted {type(given).__name__} is calibrated anew on this X. To "
            "use its item parameters as they are, pass FrozenEstimator(bank).",
            UserWarning,
            stacklevel=5,  # where the selector, or the bench, is fitted
        )
    calibrate = check_memory(memory).cache(_calibrate)
    return calibrate(bank, responses, names), True


def _calibrate(bank, responses, names):
    """Fit the bank; a function of plain arrays, so that it can be cached."""
    return bank.fit(_table(responses, names))


def _table(responses, names):
    if names is None:
        return responses
    return pd.DataFrame(responses, columns=names, copy=False)


def with_bank_names(responses, bank):
    """Give the columns the bank's names, which `fit` has matched with those of X."""
    return _table(responses, getattr(bank, "feature_names_in_", None))


def map_ability(bank, responses):
    """Return abilities that are finite whatever the bank's own `ability_method`."""
    bank = copy.copy(bank.estimator if isinstance(bank, FrozenEstimator) else bank)
    bank.ability_method = "map"
    return bank.predict(with_bank_names(responses, bank))


def _restricted(bank, ours, n_items):
    """Return the fixed bank for the columns of X, matched by name if named."""
    theirs = getattr(bank, "feature_names_in_", None)
    if ours is not None and theirs is not None:
        place = {name: j for j, name in enumerate(theirs)}
        unknown = [name for name in ours if name not in place]
        if unknown:
            raise ValueError(
                f"The bank has no item {unknown[0]!r} ({len(unknown)} unknown of "
                f"{len(ours)}). Leave such columns out, or use a bank calibrated "
                "on them."
            )
        same = len(ours) == len(theirs) and bool(np.all(ours == theirs))
        return bank if same else bank.select_items([place[n] for n in ours])
    if bank.n_features_in_ != n_items:
        raise ValueError(
            f"The bank has {bank.n_features_in_} items, but X has {n_items} columns. "
            "Name the items of both, or pass bank.select_items(indices)."
        )
    return bank


def is_fitted(estimator):
    try:
        check_is_fitted(estimator)
    except NotFittedError:
        return False
    return True


def reading_zero_one(bank):
    """Return the bank, without a threshold of its own that would misread 0 and 1."""
    threshold = getattr(bank, "binarize", None)
    if threshold is None or 0 <= threshold < 1:
        return bank
    frozen = isinstance(bank, FrozenEstimator)
    bank = copy.copy(bank.estimator if frozen else bank)
    bank.binarize = None
    return FrozenEstimator(bank) if frozen else bank
