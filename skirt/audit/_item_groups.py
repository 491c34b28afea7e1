"""Groups of items that are known to depend on one another."""

import numpy as np
import pandas as pd


def item_families(item_groups, responses):
    """Return a number for the group of each item; one of its own where missing.

    Parameters
    ----------
    item_groups : array-like of shape (n_items,) or None
        A Series is read by item name, if the responses have names.
    responses : Responses

    Returns
    -------
    ndarray of shape (n_items,), int
    """
    n_items = len(responses.item_names)
    if item_groups is None:
        return np.arange(n_items)
    if isinstance(item_groups, pd.Series) and responses.named:
        keyed = item_groups.set_axis(item_groups.index.map(str))
        missing = set(responses.item_names) - set(keyed.index)
        if missing or not keyed.index.is_unique:
            told = f"no row for item {min(missing)!r}" if missing else "repeated items"
            raise ValueError(f"item_groups has {told}: give one row for each item.")
        item_groups = keyed.loc[list(responses.item_names)]
    codes, names = pd.factorize(np.asarray(item_groups, dtype=object))
    if codes.shape != (n_items,):
        raise ValueError(
            f"item_groups has {codes.size} values, but X {n_items} items: pass one "
            "for each."
        )
    single = codes < 0
    codes[single] = len(names) + np.arange(single.sum())
    return codes
