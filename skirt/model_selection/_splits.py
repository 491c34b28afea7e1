"""The splits of an agreement curve and the words that describe them."""

import warnings

import numpy as np
from sklearn.model_selection import (
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    ShuffleSplit,
    check_cv,
)

_DEFAULT_SPLITS = 20


def make_splits(cv, X, y, groups, seed):
    """Return the list of (train, test) and what it is, in words.

    Raises
    ------
    ValueError
        Where a split tests a model that it trains on, or splits a group.
    """
    if cv is None:
        splitter = ShuffleSplit if groups is None else GroupShuffleSplit
        cv = splitter(_DEFAULT_SPLITS, test_size=0.5, random_state=seed)
        words = f"{_DEFAULT_SPLITS} random half splits (seed {seed})"
    elif isinstance(cv, (int, np.integer)) and not isinstance(cv, bool):
        splitter = KFold if groups is None else GroupKFold
        cv = splitter(int(cv), shuffle=True, random_state=seed)
        words = f"{cv.get_n_splits()} shuffled folds (seed {seed})"
    else:
        words = None
        given = cv
        cv = check_cv(cv)
    with warnings.catch_warnings():
        # Whether groups stay whole is checked below, whoever made the splits.
        warnings.filterwarnings("ignore", message="The groups parameter is ignored")
        splits = [
            (_as_rows(np.asarray(train)), _as_rows(np.asarray(test)))
            for train, test in cv.split(X, y, groups)
        ]
    if words is None:
        how = repr(given) if hasattr(given, "split") else "splits given"
        words = f"{len(splits)} splits ({how})"
    _check_apart(splits, np.arange(len(y)) if groups is None else groups, groups)
    return splits, words


def _as_rows(rows):
    return np.flatnonzero(rows) if rows.dtype == bool else rows


def _check_apart(splits, units, groups):
    if not splits:
        raise ValueError("cv gave no split: pass at least one (train, test) pair.")
    unit = "row" if groups is None else "group"
    for number, (train, test) in enumerate(splits):
        shared = set(units[train]) & set(units[test])
        if shared:
            which = str(min(shared, key=str))
            raise ValueError(
                f"Split {number} has {unit} {which!r} in both train and test: the "
                "agreement would be that of models that chose the subset. Use splits "
                f"that keep every {unit} on one side, such as cv=None."
            )
        if len(train) == 0 or len(test) == 0:
            raise ValueError(f"Split {number} has no models to train on or to test.")
