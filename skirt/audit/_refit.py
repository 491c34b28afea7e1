"""One refit of a stability analysis, compared with the fit on all data."""

import sys
import time
import warnings
from collections import Counter

import numpy as np
import pandas as pd
from sklearn.base import clone

from skirt.audit._alignment import align
from skirt.model_selection._messages import _kind
from skirt.model_selection._split import seeded, take_rows

# Parameters of estimators with a row for each item.
_BY_ITEM = {"loading_pattern", "rotation_target"}


def solution_of(fitted, X):
    """Return discriminations (n_items, D) and abilities (n_models, D) of a fit."""
    discrimination = getattr(fitted, "discrimination_", None)
    if discrimination is None:
        raise TypeError(
            f"{type(fitted).__name__} has no discrimination_ after fit: pass an item "
            "response model itself, not a pipeline or a selector that holds one."
        )
    ability = fitted.transform(X)
    unknown = np.flatnonzero(~np.isfinite(ability).all(axis=1))
    if unknown.size:
        raise ValueError(
            f"{unknown.size} models have no finite ability (the first is row "
            f"{unknown[0]}), so that they cannot be compared: use an ability_method "
            "that is finite for every model, such as 'map'."
        )
    return discrimination.reshape(len(discrimination), -1), ability


def refit(estimator, X, sample, seed, reference, names, label, verbose):
    """Refit and compare with the reference.

    Parameters
    ----------
    estimator : estimator
    X : ndarray or DataFrame of shape (n_models, n_items)
    sample : tuple (rows, columns) or None
        What to refit on, each None for all. None refits all from a random start.
    seed : int
    reference : tuple of ndarray
        Discriminations and abilities of the fit on all data.
    names : ndarray of str of shape (n_items,)
        The names that fit gave the items.
    label : str
    verbose : int

    Returns
    -------
    matched, rotated : Alignment
        `rotated` is None where the refit's dimensions are linearly dependent.
    converged : bool
    caught : list of (category, str)
        The warnings that were given, for the parent to sum up.
    """
    started = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        try:
            fitted, everyone, items = _fitted(estimator, X, sample, seed, names)
            found, theta = solution_of(fitted, everyone)
        except Exception as error:
            error.add_note(f"in dimension_stability: {label}")
            raise
    discrimination, ability = reference
    pairs = discrimination[items], found
    matched = align(*pairs, "match", ability, theta, None)
    phi = getattr(fitted, "ability_correlation_", None)
    try:
        rotated = align(*pairs, "oblique", ability, theta, phi)
    except np.linalg.LinAlgError:
        rotated = None
    if verbose:
        print(
            f"[dimension_stability] {label}: {time.perf_counter() - started:.1f} s",
            file=sys.stderr,
            flush=True,
        )
    told = [(w.category, str(w.message)) for w in caught]
    return matched, rotated, getattr(fitted, "converged_", True), told


def _fitted(estimator, X, sample, seed, names):
    """Return the refit, all models' responses to its items, and which these are."""
    estimator = clone(estimator)
    if sample is None:
        has = estimator.get_params(deep=False)
        other = {"start": "random", "random_state": seed}
        estimator.set_params(**{k: v for k, v in other.items() if k in has})
        return estimator.fit(X), X, slice(None)
    rows, columns = sample
    estimator = seeded(estimator, [seed])
    if columns is None:
        return estimator.fit(take_rows(X, rows)), X, slice(None)
    for name in _BY_ITEM & set(estimator.get_params(deep=False)):
        table = getattr(estimator, name)
        if table is not None:
            estimator.set_params(**{name: _rows_of(table, names, columns)})
    part = X.iloc[:, columns] if isinstance(X, pd.DataFrame) else X[:, columns]
    return estimator.fit(part), part, columns


def _rows_of(table, names, columns):
    """Take the drawn items' rows, as an array: without names they would be renamed."""
    if isinstance(table, pd.DataFrame):
        return table.set_axis(table.index.map(str)).loc[names[columns]].to_numpy()
    return np.asarray(table)[columns]


def repeat_warnings(caught):
    """Give each kind of warning of the refits once, and say how often it came."""
    first: dict = {}
    times: Counter = Counter()
    for told in caught:
        kinds = {(category, _kind(text)): text for category, text in told}
        times.update(kinds.keys())
        first = kinds | first
    for (category, kind), text in first.items():
        warnings.warn(
            f"In {times[category, kind]} of {len(caught)} refits: {text}",
            category,
            stacklevel=4,  # past the parameter check
        )
