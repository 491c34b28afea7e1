"""The bank inside `FluidBenchmark`: calibrated, fixed, or frozen."""

import copy

from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from skirt._multidim._bank import MultidimBank
from skirt._sklearn_compat import FrozenEstimator
from skirt._twopl import TwoPLEstimator
from skirt.adaptive._items import LogisticItems
from skirt.adaptive._multidim_items import MultidimItems
from skirt.selection._banks import calibrated_or_fixed, is_fitted, reading_zero_one


def calibrated_bank(bench, responses):
    """Return the bank for the checked responses, by the rules of the selectors."""
    given = TwoPLEstimator() if bench.estimator is None else bench.estimator
    names = getattr(bench, "feature_names_in_", None)
    return calibrated_or_fixed(given, responses, names, memory=bench.memory)[0]


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
        bank = reading_zero_one(clone(bench.estimator))
        if is_fitted(bank) and is_fitted(ready_bank(bank)):
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
