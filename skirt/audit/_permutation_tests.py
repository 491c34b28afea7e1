"""Tests by relabeling: the signs of differences, or who is in which group."""

from itertools import combinations, product
from math import comb

import numpy as np
from scipy.stats import binom

# Up to so many relabelings all are looked at; otherwise this many at random.
_ALL_OF = 10_000
# Equal statistics of two relabelings differ by no more than this, relatively.
ROUNDING = 1e-9


def sign_flip_p(sums):
    """Two-sided p-value of a total whose terms could as well have the other sign.

    Parameters
    ----------
    sums : ndarray
        Whole numbers.

    Returns
    -------
    float
        Exact. Where all terms are 0, 1 and -1 this is McNemar's exact test.
    """
    whole = np.rint(sums).astype(int)
    terms, total = np.abs(whole[whole != 0]), abs(int(whole.sum()))
    if terms.size == 0 or total == 0:
        return 1.0
    if terms.max() == 1:
        return float(
            min(1.0, 2 * binom.cdf((terms.size - total) // 2, terms.size, 0.5))
        )
    # The distribution of the total from its characteristic function.
    reach = int(terms.sum())
    angle = 2 * np.pi * np.arange(2 * reach + 1) / (2 * reach + 1)
    sizes, counts = np.unique(terms, return_counts=True)
    transform = np.ones(angle.size)
    for size, count in zip(sizes, counts, strict=True):
        transform *= np.cos(angle * size) ** count
    probability = np.fft.ifft(transform).real
    # Totals 0, 1, ..., reach, then the negative ones, which are as likely.
    return float(np.clip(2 * probability[total : reach + 1].sum(), 0, 1))


def n_relabelings(n, m, paired):
    """Return the number of relabelings of n and m units, or of n pairs."""
    return 2**n if paired else comb(n + m, n)


def permutation_p(first, second, paired, rng):
    """Two-sided p-values over relabelings of the units, the one seen among them.

    Parameters
    ----------
    first, second : ndarray of shape (n_units, n_columns)
    paired : bool
    rng : numpy RandomState
        Draws relabelings where there are too many to look at all.

    Returns
    -------
    ndarray of shape (n_columns,)
    """
    if paired:
        gap = first - second
        signs = _signs(len(gap), rng)
        seen, drawn = np.abs(gap.sum(axis=0)), np.abs(signs @ gap)
    else:
        values = np.vstack([first, second])
        n, m = len(first), len(second)
        chosen = _choices(n, m, rng)
        own = np.zeros((1, n + m))
        own[0, :n] = 1
        seen, drawn = (_separation(values, w, n, m) for w in (own, chosen))
        seen = seen[0]
    as_far = drawn >= seen * (1 - ROUNDING) - 1e-300
    return as_far.mean(axis=0)


def _separation(values, chosen, n, m):
    """|difference| of means in standard errors (Janssen 1997), or as it is for 1."""
    values = values - values.mean(axis=0)
    x = chosen @ values / n
    y = (values.sum(axis=0) - n * x) / m
    gap = np.abs(x - y)
    if min(n, m) == 1:
        return gap
    squares = np.square(values)
    square_x = chosen @ squares
    var_x = (square_x - n * np.square(x)) / (n - 1)
    var_y = (squares.sum(axis=0) - square_x - m * np.square(y)) / (m - 1)
    error = np.sqrt(np.maximum(var_x, 0) / n + np.maximum(var_y, 0) / m)
    tiny = ROUNDING * np.sqrt(squares.mean(axis=0)) + 1e-300
    return np.where(gap <= tiny, 0, gap / np.maximum(error, tiny * 1e-3))


def _signs(n, rng):
    if n_relabelings(n, n, True) <= _ALL_OF:
        return np.array(list(product((1.0, -1.0), repeat=n)))
    signs = rng.choice((-1.0, 1.0), size=(_ALL_OF, n))
    signs[0] = 1.0
    return signs


def _choices(n, m, rng):
    """Indicators of the first group, (n_relabelings, n + m); the true one is there."""
    if n_relabelings(n, m, False) <= _ALL_OF:
        chosen = np.array(list(combinations(range(n + m), n)), dtype=np.intp)
    else:
        order = np.argsort(rng.random_sample((_ALL_OF, n + m)), axis=1)
        chosen = order[:, :n]
        chosen[0] = np.arange(n)
    out = np.zeros((len(chosen), n + m))
    np.put_along_axis(out, chosen, 1.0, axis=1)
    return out
