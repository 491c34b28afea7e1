"""What an item selector by dimension is given and is told, put into arrays."""

import warnings

import numpy as np
import pandas as pd

from skirt._responses import item_names


def item_labels(by, names, n_items):
    """Return the label of each column, read by name where there are names."""
    if by is None:
        return np.zeros(n_items, dtype=np.intp)
    if isinstance(by, pd.Series) and names is not None:
        keyed = by.set_axis(by.index.map(str))
        if not keyed.index.is_unique:
            twice = keyed.index[keyed.index.duplicated()][0]
            raise ValueError(f"by labels item {twice!r} twice: drop one of the rows.")
        unknown = [name for name in names if name not in keyed.index]
        if unknown:
            raise ValueError(
                f"by has no label for item {unknown[0]!r} ({len(unknown)} of {n_items} "
                "missing): its index must hold the names of the columns of X."
            )
        labels = keyed.loc[names].to_numpy()
    else:
        labels = np.asarray(by)
        if labels.shape != (n_items,):
            raise ValueError(
                f"by has the shape {labels.shape}, but X {n_items} items: pass one "
                "label for each. If a selector goes before this one, pass a Series "
                "with the items' names as index and let the selector keep them, "
                'set_output(transform="pandas").'
            )
    missing = np.flatnonzero(pd.isna(labels))
    if missing.size:
        name = missing[0] if names is None else names[missing[0]]
        raise ValueError(
            f"by has no label for item {name!r} ({missing.size} of {n_items} are "
            "missing): label every item, if only as 'other'."
        )
    return labels


def telling_items(bank, given):
    """Return which items' answers differed among the models that calibrated them."""
    for source in (bank, given):
        flags = getattr(source, "item_flags_", None)
        if flags is not None:
            known = flags.loc[item_names(bank), ["unanswered", "constant"]]
            return ~known.to_numpy().any(axis=1)
    return np.ones(bank.n_features_in_, dtype=bool)


def warn_of_agreement(telling, labels):
    if not telling.any():
        message = (
            "The models agree on every item: none shows the dimension better than "
            "another, and what is kept says nothing of it."
        )
    else:
        silent = ~pd.Series(telling).groupby(labels).any()
        if not silent.any():
            return
        message = (
            f"The models agree on every item of {silent.sum()} benchmarks (the first "
            f"is {str(silent.index[silent][0])!r}): nothing is kept of these."
        )
    warnings.warn(message, UserWarning, stacklevel=5)  # past fit and its wrapper
