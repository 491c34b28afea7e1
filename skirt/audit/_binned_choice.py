"""The best items at every difficulty: arrays in, column indices out."""

import numpy as np


def best_of_each_bin(score, difficulty, group, eligible, *, keep, n_bins, tie_breaker):
    """Return the items of highest score in bins of difficulty within groups.

    Parameters
    ----------
    score, difficulty : ndarray of shape (n_items,)
    group : ndarray of int of shape (n_items,)
        Groups are binned apart.
    eligible : ndarray of bool of shape (n_items,)
    keep : float
        Share of the eligible items of each group to choose; at least one.
    n_bins : int
        The most bins of a group.
    tie_breaker : ndarray of shape (n_items,)
        Distinct numbers; the lower goes first among items of equal score.

    Returns
    -------
    order : ndarray of int
        The chosen items, highest score first.
    bins : ndarray of int of shape (n_items,)
        The bin of each item within its group, from the lowest difficulty; -1 for
        those not eligible.
    """
    bins = np.full(len(score), -1)
    chosen = np.zeros(len(score), dtype=bool)
    for g in np.unique(group[eligible]):
        items = np.flatnonzero(eligible & (group == g))
        count = max(1, int(keep * len(items) + 0.5))
        own = equal_bins(difficulty[items], min(n_bins, count))
        bins[items] = own
        sizes = np.bincount(own)
        # Rounding running totals gives every bin its share and all of them `count`.
        totals = count * np.r_[0, np.cumsum(sizes)]
        wanted = np.diff((2 * totals + len(items)) // (2 * len(items)))
        by_score = np.lexsort((tie_breaker[items], -score[items], own))
        starts = np.cumsum(sizes) - sizes
        place = np.arange(len(items)) - starts[own[by_score]]
        chosen[items[by_score[place < wanted[own[by_score]]]]] = True
    order = np.flatnonzero(chosen)
    return order[np.lexsort((tie_breaker[order], -score[order]))], bins


def equal_bins(values, n_bins):
    """Return the bin of each value, equal numbers in each; ties stay together."""
    ordered = np.sort(values)  # undefined ones, NaN, come last
    parts = np.arange(1, n_bins)
    edges = ordered[-(-parts * len(ordered) // n_bins) - 1]
    return np.searchsorted(edges, values, side="left")
