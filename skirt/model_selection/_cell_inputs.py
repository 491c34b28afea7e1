"""What cross_val_responses is given, checked and put into one form."""

import numpy as np
import pandas as pd

from skirt._item_table import in_column_order, numbered_labels, with_text_columns
from skirt.metrics._full_score import binarize_of
from skirt.model_selection._inputs import name_estimators

_NEEDED = ("fit", "transform", "inverse_transform", "get_params")


def named_predictors(estimators, reserved):
    """Return a dict of name to estimator, of which none may be reserved."""
    named = name_estimators(estimators, _NEEDED)
    for name in named:
        if name in reserved:
            raise ValueError(f"{name!r} is the name of a baseline too: rename one.")
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


def item_parts(items, by, category, item_names, named):
    """Return each item's benchmark and category as numbers, and what they are called.

    Without a category the benchmarks are that too.

    Parameters
    ----------
    items : DataFrame or None
    by : str
    category : str or None
    item_names : list of str
        The columns' names.
    named : bool
        Whether the responses came with these names.

    Returns
    -------
    benchmark : ndarray of shape (n_items,), int32
    benchmarks : list of str
    category : ndarray of shape (n_items,), int32
    categories : list of str
    """
    if items is None:
        if category is not None:
            raise ValueError(
                f"category={category!r} is a column of no table: pass items."
            )
        return (np.zeros(len(item_names), dtype=np.int32), ["all"]) * 2
    if not isinstance(items, pd.DataFrame):
        raise TypeError(
            f"items is of type {type(items).__name__}: pass a DataFrame with one row "
            "for each item."
        )
    table = in_column_order(with_text_columns(items), item_names, named)
    benchmark, benchmarks = numbered_labels(table, by, "by", item_names)
    for average in ("micro", "macro"):
        if average in benchmarks:
            raise ValueError(
                f"A value of items[{by!r}] is {average!r}, which is what an average is "
                "called: rename it."
            )
    part, parts = benchmark, benchmarks
    if category is not None:
        part, parts = numbered_labels(table, category, "category", item_names)
    return benchmark.astype(np.int32), benchmarks, part.astype(np.int32), parts
