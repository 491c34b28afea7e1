"""The splits of an agreement curve and the words that describe them."""

import warnings
from numbers import Integral

import numpy as np
from sklearn.model_selection import (
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    ShuffleSplit,
    check_cv,
)

_DEFAULT_SPLITS = 20


def make_splits(cv, X, y, groups, seed):
    """Return the list of (train, test) and what it is, in words.

    Raises
    ------
    ValueError
        Where a split tests a model that it trains on, tests one twice, names rows
        that are not there, or splits a group.
    """
    if cv is None:
        splitter = ShuffleSplit if groups is None else GroupShuffleSplit
        cv = splitter(_DEFAULT_SPLITS, test_size=0.5, random_state=seed)
    elif isinstance(cv, Integral) and not isinstance(cv, bool):
        splitter = KFold if groups is None else GroupKFold
        cv = splitter(int(cv), shuffle=True, random_state=seed)
    given, cv = cv, check_cv(cv)
    with warnings.catch_warnings():
        # Whether groups stay whole is checked below, whoever made the splits.
        warnings.filterwarnings("ignore", message="The groups parameter is ignored")
        splits = [
            (
                _as_rows(train, len(y), f"Split {number}: train"),
                _as_rows(test, len(y), f"Split {number}: test"),
            )
            for number, (train, test) in enumerate(cv.split(X, y, groups))
        ]
    _check_apart(splits, np.arange(len(y)) if groups is None else groups, groups)
    return splits, _in_words(given, splits, groups)


def _as_rows(rows, n_models, where):
    """Return row numbers, from row numbers or a mask."""
    rows = np.asarray(rows)
    if rows.dtype == bool:
        if rows.shape != (n_models,):
            raise ValueError(
                f"{where} is a mask of shape {rows.shape}: for the {n_models} models "
                f"it must be of shape ({n_models},)."
            )
        return np.flatnonzero(rows)
    if rows.size == 0:
        return np.empty(0, dtype=np.intp)
    if rows.ndim != 1 or rows.dtype.kind not in "iu":
        raise ValueError(
            f"{where} is an array of {rows.dtype} of shape {rows.shape}: pass row "
            "numbers in one dimension, or a mask."
        )
    outside = rows[(rows < 0) | (rows >= n_models)]
    if len(outside):
        raise ValueError(
            f"{where} names row {outside[0]}: the {n_models} models are rows 0 to "
            f"{n_models - 1}."
        )
    return rows


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
        tested, times = np.unique(test, return_counts=True)
        if times.max() > 1:
            raise ValueError(
                f"Split {number} tests row {tested[times.argmax()]} {times.max()} "
                "times: a model that is there twice ties with itself, which falsifies "
                "the agreement. Name every test row once."
            )


def _in_words(cv, splits, groups):
    """Describe the splits; a subclass may split otherwise, so types must be exact."""
    n = len(splits)
    kind = type(cv)
    if kind in (ShuffleSplit, GroupShuffleSplit):
        seed = _seed_in_words(cv.random_state)
        if cv.test_size == 0.5 and cv.train_size in (None, 0.5):
            return f"{n} random half splits ({seed})"
        unit = "models"
        trained, tested = (len(rows) for rows in splits[0])
        if kind is GroupShuffleSplit:
            unit = "groups"
            trained, tested = (len(set(groups[rows])) for rows in splits[0])
        sides = f"{trained} {unit} to train and {tested} to test"
        return f"{n} random splits, {sides} ({seed})"
    if kind in (KFold, GroupKFold):
        if cv.shuffle:
            return f"{n} shuffled folds ({_seed_in_words(cv.random_state)})"
        return f"{n} folds " + ("in row order" if kind is KFold else "of whole groups")
    if kind is LeaveOneOut:
        return f"{n} splits that test one model each"
    if kind is LeaveOneGroupOut:
        return f"{n} splits that test one group each"
    how = repr(cv) if hasattr(cv, "split") else "splits given"
    return f"{n} splits ({how})"


def _seed_in_words(random_state):
    if isinstance(random_state, Integral):
        return f"seed {random_state}"
    return "no seed" if random_state is None else "seed unknown"
