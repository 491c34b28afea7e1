"""What cross_val_responses is given, checked and put into one form."""

import numpy as np
import pandas as pd

from skirt.metrics._full_score import binarize_of
from skirt.model_selection._inputs import _type_name

_NEEDED = ("fit", "transform", "inverse_transform", "get_params")


def named_estimators(estimators, reserved):
    """Return a dict of name to estimator, whatever form they were given in."""
    if isinstance(estimators, dict):
        pairs = list(estimators.items())
    elif isinstance(estimators, list | tuple):
        pairs = [e if isinstance(e, tuple) else (None, e) for e in estimators]
    else:
        pairs = [(None, estimators)]
    if not pairs:
        raise ValueError("There is no estimator: pass at least one.")
    named: dict = {}
    for name, estimator in pairs:
        if isinstance(estimator, type):
            raise TypeError(
                f"{estimator.__name__} is a class: pass an estimator made from it, "
                f"such as {estimator.__name__}()."
            )
        lacking = [method for method in _NEEDED if not hasattr(estimator, method)]
        if lacking:
            raise TypeError(
                f"{estimator!r} has no {lacking[0]}: {', '.join(_NEEDED)} are needed, "
                "as inverse_transform(transform(X)) are the probabilities."
            )
        if name is None:
            name = base = _type_name(estimator)
            number = 1
            while name in named:
                number += 1
                name = f"{base}-{number}"
        elif name in named or name in reserved:
            taken = "a baseline" if name in reserved else "another estimator"
            raise ValueError(f"{name!r} is the name of {taken} too: rename one.")
        named[str(name)] = estimator
    return named


def common_threshold(binarize, methods):
    """Return where to binarize: as told, or as the estimators agree to."""
    if binarize is not None:
        return binarize
    found = {binarize_of(estimator) for estimator in methods.values()} - {None}
    if len(found) > 1:
        raise ValueError(
            f"The estimators binarize at {sorted(found)}, and all are to predict the "
            "same responses: pass binarize=."
        )
    return found.pop() if found else None


def item_parts(items, by, category, labels, n_items):
    """Return each item's benchmark and category as numbers, and what they are called.

    Without a category the benchmarks are that too.
    """
    if items is None:
        if category is not None:
            raise ValueError(
                f"category={category!r} is a column of no table: pass items."
            )
        return (np.zeros(n_items, dtype=np.int32), ["all"]) * 2
    if not isinstance(items, pd.DataFrame):
        raise TypeError(
            f"items is of type {type(items).__name__}: pass a DataFrame with one row "
            "for each item."
        )
    items = _in_column_order(items, labels, n_items)
    named = _numbered(items, by)
    for average in ("micro", "macro"):
        if average in named[1]:
            raise ValueError(
                f"A value of items[{by!r}] is {average!r}, which is what an average is "
                "called: rename it."
            )
    return *named, *(named if category is None else _numbered(items, category))


def _in_column_order(items, labels, n_items):
    """Return the table with its rows in the order of the columns of X."""
    ids = items.index.map(str)
    if not ids.is_unique:
        raise ValueError(
            f"items has {ids[ids.duplicated()][0]!r} twice in its index: drop one of "
            "them, or reset_index(drop=True) if its rows are in column order."
        )
    counts = list(ids) == [str(number) for number in range(len(ids))]
    if labels is not None:
        columns = labels[1]
        missing, unknown = columns.difference(ids, sort=False), ids.difference(columns)
        if not (len(missing) or len(unknown)):
            return items.set_axis(ids).loc[columns]
        if not counts:
            which, lacks, where = (
                (missing, "has no row for", "of X")
                if len(missing)
                else (unknown, "has a row for", "that is not in X")
            )
            raise ValueError(
                f"items {lacks} item {which[0]!r} {where} ({len(missing)} of "
                f"{n_items} are missing, {len(unknown)} rows are of unknown items): "
                "index it by the column names of X, one row each."
            )
    if len(items) != n_items:
        raise ValueError(
            f"items has {len(items)} rows and X {n_items} columns: pass one row for "
            "each item, in column order"
            + (" or indexed by the column names." if labels is not None else ".")
        )
    return items


def _numbered(items, column):
    if list(items.columns).count(column) != 1:
        names = ", ".join(map(repr, items.columns))
        raise ValueError(f"items needs one column {column!r}; it has {names}.")
    missing = items[column].isna()
    if missing.any():
        raise ValueError(
            f"items[{column!r}] is missing for item {str(items.index[missing][0])!r} "
            f"({missing.sum()} of {len(items)}): give every item a value, such as "
            "'other'."
        )
    numbers, values = pd.factorize(items[column].map(str).to_numpy(dtype=object))
    return numbers.astype(np.int32), [str(value) for value in values]
