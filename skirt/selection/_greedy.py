"""Choosing items one after the other: arrays in, column indices out."""

import numpy as np

# Stale bounds this close below the best gain are looked at again, so that rounding
# never hides an item that a plain greedy search would have taken.
_SLACK = 1e-12

# The first re-evaluation of a step; each further one is twice as large.
_FIRST_BATCH = 64

# Gains are computed in blocks whose temporaries stay in the processor's cache.
_BLOCK_CELLS = 1 << 16


def highest_first(scores, k, *, strata=None):
    """Return the `k` items of highest score, ties to the lowest column index.

    Parameters
    ----------
    scores : ndarray of shape (n_items,)
        The value of each item, whatever else is chosen.
    k : int
        How many items to return, at most ``n_items``.
    strata : ndarray of int of shape (n_items,), default=None
        With strata, the best item of every stratum comes first (in order of score),
        then the second best of every stratum, and so on.

    Returns
    -------
    ndarray of int of shape (k,)
        Column indices, best first.
    """
    by_score = np.argsort(-scores, kind="stable")
    if strata is None:
        return by_score[:k]
    turn = np.empty(len(scores), dtype=np.intp)
    for stratum in np.unique(strata):
        members = by_score[strata[by_score] == stratum]
        turn[members] = np.arange(len(members))
    return by_score[np.argsort(turn[by_score], kind="stable")][:k]


def fewest_standard_errors(
    information, k, *, prior_precision=1.0, strata=None, counts=None
):
    """Choose greedily the items that most reduce the summed standard errors.

    Every step takes the item that most reduces the sum over models of
    ``(prior_precision + information so far) ** -0.5``, ties to the lowest column
    index. That reduction only shrinks as items are added (the sum is submodular), so
    an item's last computed reduction bounds its present one from above: only items
    whose bound reaches the best fresh value need another look (Minoux, 1978). The
    result is the one of a search that evaluates every item at every step.

    Parameters
    ----------
    information : ndarray of shape (n_items, n_models)
        Non-negative information of each item at each model's ability, C order.
    k : int
        How many items to choose, at most ``n_items``.
    prior_precision : float, default=1.0
        Information about each ability before any answer.
    strata : ndarray of int of shape (n_items,), default=None
        With strata, the search goes in rounds: each round takes one item of every
        stratum that has any left, the best of those strata first.
    counts : ndarray of shape (n_models,), default=None
        How much each model counts; None is once.

    Returns
    -------
    ndarray of int of shape (k,)
        Column indices in the order they were chosen.
    """
    n_items, n_models = information.shape
    precision = np.full(n_models, float(prior_precision))
    bounds = _reductions(information, precision, counts)
    left = np.ones(n_items, dtype=bool)
    eligible = left.copy()
    order = np.empty(k, dtype=np.intp)
    for step in range(k):
        item = _best_item(information, precision, counts, bounds, eligible)
        order[step] = item
        precision += information[item]
        left[item] = False
        if strata is None:
            eligible[item] = False
        else:
            eligible[strata == strata[item]] = False
            if not eligible.any():
                eligible = left.copy()
    return order


def _best_item(information, precision, counts, bounds, eligible):
    """Return the eligible item of largest reduction; refresh `bounds` on the way."""
    stale = np.where(eligible, bounds, -np.inf)
    best = 0.0
    batch = _FIRST_BATCH
    while True:
        queue = np.flatnonzero(stale >= best * (1 - _SLACK))
        if not queue.size:
            break
        if queue.size > batch:
            queue = queue[np.argpartition(-stale[queue], batch)[:batch]]
        bounds[queue] = _reductions(information, precision, counts, queue)
        stale[queue] = -np.inf
        best = max(best, bounds[queue].max())
        batch *= 2
    return int(np.argmax(np.where(eligible, bounds, -np.inf)))


def _reductions(information, precision, counts, items=None):
    """Return how much each item would reduce the summed standard errors."""
    n_items, n_models = information.shape
    count = n_items if items is None else len(items)
    root = np.sqrt(precision)
    out = np.empty(count)
    rows = max(1, _BLOCK_CELLS // n_models)
    for start in range(0, count, rows):
        block = slice(start, start + rows)
        gain = information[block if items is None else items[block]]
        # p^-1/2 - (p + I)^-1/2 without the cancellation; each item is summed along
        # contiguous memory, so that equal items get equal gains in any batch.
        new_root = np.sqrt(precision + gain)
        gain = gain / (root * new_root * (root + new_root))
        if counts is not None:
            gain *= counts
        out[block] = gain.sum(axis=1)
    return out
