"""A panel's responses, and the item response model that they calibrate."""

import copy
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from skirt._multidim import MultidimIRT
from skirt._responses import check_responses, item_names, model_names
from skirt._sklearn_compat import FrozenEstimator
from skirt.audit._selector_inputs import telling_items
from skirt.metrics._full_score import ResponseTable, binarize_of
from skirt.model_selection._inputs import is_fitted


@dataclass(frozen=True)
class Responses:
    """A checked response matrix: 1, 0, NaN, and its names."""

    values: np.ndarray
    item_names: np.ndarray
    model_names: np.ndarray
    named: bool


def read_responses(X, estimator):
    """Check a response matrix, by the estimator's own threshold if it has one."""
    reader = ResponseTable()
    binarize = None if estimator is None else binarize_of(estimator)
    values = check_responses(reader, X, reset=True, binarize=binarize)
    named = hasattr(reader, "feature_names_in_")
    return Responses(values, item_names(reader), model_names(X, len(values)), named)


@dataclass(frozen=True)
class Bank:
    """A calibrated item response model, whatever its number of dimensions.

    Attributes
    ----------
    fitted : estimator
    responses : Responses
        Whose items it holds, in their order.
    discrimination : ndarray of shape (n_items, n_dimensions)
    telling : ndarray of shape (n_items,), bool
        Whether answers varied among the models that calibrated the item; all of them
        where that is not known.
    fixed : bool
        Whether it was calibrated elsewhere.
    whole : bool
        Whether all models of `responses` calibrated it.
    """

    fitted: Any
    responses: Responses
    discrimination: np.ndarray
    telling: np.ndarray
    fixed: bool
    whole: bool

    def abilities(self, values):
        """Return abilities (n, D) and covariances (n, D, D) of models new to it."""
        X = _with_names(values, getattr(self.fitted, "feature_names_in_", None))
        if hasattr(self.fitted, "ability_covariance"):
            return self.fitted.transform(X), self.fitted.ability_covariance(X)
        ability, se = self.fitted.predict(X, return_std=True)
        return ability[:, None], np.square(se)[:, None, None]

    def panel_abilities(self, rows=slice(None)):
        """The same of some rows of `responses`, as the calibration has it."""
        if self.whole and hasattr(self.fitted, "ability_covariance_"):
            return self.fitted.ability_[rows], self.fitted.ability_covariance_[rows]
        return self.abilities(self.responses.values[rows])

    def probabilities(self, ability):
        """Return the expected answers, (n, n_items)."""
        return self.fitted.inverse_transform(ability)


def calibrate(estimator, responses, rows=slice(None)):
    """Fit a clone of the estimator to some rows, or take a fixed bank as it is.

    Parameters
    ----------
    estimator : estimator or None
        None is ``MultidimIRT(2)``.
    responses : Responses
    rows : slice or mask of the models that calibrate

    Returns
    -------
    Bank
    """
    given = MultidimIRT(2) if estimator is None else estimator
    bank = clone(given)
    fixed = is_fitted(bank)
    if is_fitted(given) and not fixed:
        warnings.warn(
            f"The fitted {type(given).__name__} is calibrated anew on this X. To use "
            "its item parameters as they are, pass FrozenEstimator(bank).",
            UserWarning,
            stacklevel=4,
        )
    frozen = isinstance(bank, FrozenEstimator)
    source = copy.copy(bank.estimator) if frozen else bank
    # The responses are zeros and ones by now; a threshold would misread them.
    if getattr(source, "binarize", None) is not None:
        source.binarize = None
    # The method that is finite for every model, and the one with a covariance.
    if getattr(source, "ability_method", "map") != "map":
        source.ability_method = "map"
    names = responses.item_names if responses.named else None
    fitted = source
    if frozen:
        check_is_fitted(source)
        fitted = _matched(source, names, responses.item_names.size)
    else:
        source.fit(_with_names(responses.values[rows], names))
    discrimination = getattr(fitted, "discrimination_", None)
    if discrimination is None:
        raise TypeError(
            f"{type(fitted).__name__} has no discrimination_ after fit: pass an item "
            "response model itself, not a pipeline or a selector that holds one."
        )
    discrimination = discrimination.reshape(len(discrimination), -1)
    telling = telling_items(fitted, source)
    whole = not fixed and isinstance(rows, slice)
    return Bank(fitted, responses, discrimination, telling, fixed, whole)


def _with_names(values, names):
    return values if names is None else pd.DataFrame(values, columns=names, copy=False)


def _matched(bank, names, n_items):
    """Return the frozen bank of these items, by name where both are named."""
    theirs = getattr(bank, "feature_names_in_", None)
    if names is not None and theirs is not None:
        if list(names) == list(theirs):
            return bank
        place = {name: j for j, name in enumerate(theirs)}
        unknown = [name for name in names if name not in place]
        if unknown:
            raise ValueError(
                f"The bank has no item {unknown[0]!r} ({len(unknown)} unknown of "
                f"{n_items}). Leave such columns out, or use a bank calibrated on them."
            )
        return bank.select_items([place[name] for name in names])
    if bank.n_features_in_ != n_items:
        raise ValueError(
            f"The bank has {bank.n_features_in_} items, but X has {n_items} columns. "
            "Name the items of both, or pass FrozenEstimator(bank.select_items(...))."
        )
    return bank
