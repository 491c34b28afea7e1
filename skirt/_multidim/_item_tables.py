"""Parameters of the estimator that have a row for each item."""

import numpy as np
import pandas as pd


def item_table(table, name, dtype, item_names, n_components):
    """Check a parameter with one row for each item, and return it as an array.

    Parameters
    ----------
    table : array-like or DataFrame of shape (n_items, n_components), or None
        Rows of a DataFrame are found by item name.
    name : str
        Of the parameter, for messages.
    dtype : {bool, float}
    item_names : ndarray of str of shape (n_items,)
    n_components : int

    Returns
    -------
    ndarray of shape (n_items, n_components), or None
    """
    if table is None:
        return None
    if isinstance(table, pd.DataFrame):
        table = _rows_by_name(table, name, item_names)
    table = np.asarray(table)
    shape = len(item_names), n_components
    if table.shape != shape:
        raise ValueError(
            f"{name} has one row for each item and one column for each component, "
            f"shape {shape}; got {table.shape}."
        )
    if dtype is bool:
        table = _checked_pattern(table, name, item_names)
    return table.astype(dtype)


def _rows_by_name(table, name, item_names):
    index = table.index.map(str)
    unknown = [item for item in item_names if item not in set(index)]
    if unknown or index.has_duplicates:
        odd = unknown[0] if unknown else index[index.duplicated()][0]
        told = "no row" if unknown else "several rows"
        raise ValueError(f"{name} has {told} for item {odd!r}.")
    return table.set_axis(index).loc[item_names]


def _checked_pattern(table, name, item_names):
    odd = ~np.isin(table, (0, 1))
    if odd.any():
        j, k = np.argwhere(odd)[0]
        raise ValueError(
            f"{name} is {table[j, k]!r} for item {item_names[j]!r}, component {k}: "
            "give True where the loading is estimated, or False."
        )
    table = table.astype(bool)
    empty = np.flatnonzero(table.sum(axis=0) < 2)
    if empty.size:
        raise ValueError(
            f"{name} lets {table[:, empty[0]].sum()} items load on component "
            f"{empty[0]}: that ability is not identified."
        )
    return table


def is_bifactor(free):
    """Whether one dimension is general and the others are subsets of its items."""
    return bool(free.all(axis=0).any() and not free.all())
