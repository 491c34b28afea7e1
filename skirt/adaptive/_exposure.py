"""Picking an item by its value: the best, or one of the best at random."""

import numpy as np

# Values closer than this, relatively, tie: arithmetic in another order, of one row
# or of many, then still gives the same item.
_TIE = 1e-9


def pick(values, eligible, randomesque, draws):
    """Return one eligible column of each row.

    Parameters
    ----------
    values : ndarray of shape (n_models, n_columns)
        Overwritten where not eligible.
    eligible : ndarray of bool of the same shape
        At least one in each row.
    randomesque : int
        Pick among so many of the best, each with the same probability (Kingsbury &
        Zara 1989). 1 picks the best; of equal ones the first.
    draws : ndarray of shape (n_models,) or None
        Uniform random numbers that say which.

    Returns
    -------
    ndarray of int of shape (n_models,)
    """
    np.copyto(values, -np.inf, where=~eligible)
    if randomesque == 1:
        best = values.max(axis=1, keepdims=True)
        return np.argmax(values >= best - _TIE * np.abs(best), axis=1)
    size = min(randomesque, values.shape[1])
    scale = np.abs(values.max(axis=1, keepdims=True))
    values /= np.where(scale > 0, scale, 1.0) * _TIE
    np.round(values, out=values)
    worst = -np.partition(-values, size - 1, axis=1)[:, size - 1 : size]
    better, equal = values > worst, (values == worst) & eligible
    wanted = size - better.sum(axis=1, keepdims=True)
    best = better | (equal & (np.cumsum(equal, axis=1) <= wanted))
    number = best.sum(axis=1)
    place = np.minimum((draws * number).astype(np.intp), number - 1)
    return np.argmax(np.cumsum(best, axis=1) == place[:, None] + 1, axis=1)


def is_settled(worst, outside):
    """Whether no item of a value up to `outside` could be among the best.

    `worst` is the lowest value among them.
    """
    return worst > outside * (1.0 + 2.0 * _TIE)
