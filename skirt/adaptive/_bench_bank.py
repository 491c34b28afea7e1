"""The bank inside `FluidBenchmark`: calibrated, fixed, or frozen."""

import copy

from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from skirt._multidim._bank import MultidimBank
from skirt._sklearn_compat import FrozenEstimator
from skirt.adaptive._items import LogisticItems
from skirt.adaptive._multidim_items import MultidimItems
from skirt.selection._fisher import (
    FisherSubsetSelector,
    _is_fitted,
    _reading_zero_one,
    _with_bank_names,
)

with_bank_names = _with_bank_names


def calibrated_bank(bench, responses):
    """Return the bank for the checked responses, by the rules of the selectors."""
    selector = FisherSubsetSelector(estimator=bench.estimator, memory=bench.memory)
    selector.n_features_in_ = bench.n_features_in_
    if hasattr(bench, "feature_names_in_"):
        selector.feature_names_in_ = bench.feature_names_in_
    return selector._calibrated_bank(responses)


def items_of(bank):
    """Take the items out of a fitted bank, frozen or not."""
    bank = ready_bank(bank)
    if isinstance(bank, MultidimBank) and bank.discrimination_.shape[1] > 1:
        return MultidimItems.of(bank)
    return LogisticItems.of(bank)


def fixed_bank(bench):
    """Return the fixed bank of a bench that has not been fitted.

    Raises
    ------
    NotFittedError
        If its bank is one that `fit` would calibrate.
    """
    if bench.estimator is not None:
        bank = _reading_zero_one(clone(bench.estimator))
        if _is_fitted(bank) and _is_fitted(ready_bank(bank)):
            return bank
    raise NotFittedError(
        f"This {type(bench).__name__} has no items yet: call fit, or give it a fixed "
        "bank (from_item_parameters, load_bank, or FrozenEstimator(bank))."
    )


def ready_bank(bank, ability_method=None):
    """Return the estimator within a frozen one, with another `ability_method`."""
    while isinstance(bank, FrozenEstimator):
        bank = bank.estimator
    if ability_method is None:
        return bank
    bank = copy.copy(bank)
    bank.ability_method = ability_method
    return bank
