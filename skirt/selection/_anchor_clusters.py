"""Clusters of items answered alike, and the item that stands for each."""

import warnings

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

# Response vectors cluster loosely, so that further starts gain next to nothing.
_STARTS = 3


def anchor_points(responses, k, random_state):
    """Choose one item for each of `k` clusters.

    Parameters
    ----------
    responses : ndarray of shape (n_models, n_items)
        1, 0, NaN.
    k : int
        At most n_items.
    random_state : int, RandomState instance or None

    Returns
    -------
    anchors : ndarray of int of shape (k,)
        Column indices, largest weight first.
    weights : ndarray of shape (k,)
        The share of the items that each stands for; sum 1.
    """
    vectors, vector_of_item, sizes = _distinct_rows(_placed(responses))
    labels = _cluster(vectors, sizes, k, random_state)
    distances = _distances_to_centres(vectors, sizes, labels)
    return _anchors(labels[vector_of_item], distances[vector_of_item], k)


def _placed(responses):
    """Return the items' vectors (n_items, n_models), missing responses placed."""
    items = np.array(responses.T, order="C")  # always a copy: it is written to
    missing = np.isnan(items)
    if not missing.any():
        return items
    items[missing] = 0.0
    answered = ~missing
    overall = items.sum() / answered.sum()
    item_means = _mean_or(items.sum(axis=1), answered.sum(axis=1), overall)
    model_means = _mean_or(items.sum(axis=0), answered.sum(axis=0), overall)
    item, model = np.nonzero(missing)
    items[item, model] = (item_means[item] + model_means[model]) / 2
    return items


def _mean_or(total, count, default):
    out = np.full(len(total), default)
    np.divide(total, count, out=out, where=count > 0)
    return out


def _distinct_rows(items):
    """Return distinct rows, the row of each item and the number of items of each.

    Rows are compared byte by byte, which sorts tens of thousands of long rows in a
    fraction of the time that a comparison number by number takes.
    """
    keys = items.view(np.dtype((np.void, items.dtype.itemsize * items.shape[1])))
    _, first, inverse, counts = np.unique(
        keys.ravel(), return_index=True, return_inverse=True, return_counts=True
    )
    return items[first], inverse.ravel(), counts


def _cluster(vectors, sizes, k, random_state):
    """Return the cluster of each distinct vector, at most `k` clusters."""
    if k >= len(vectors):
        return np.arange(len(vectors))
    means = KMeans(n_clusters=k, n_init=_STARTS, random_state=random_state)
    with warnings.catch_warnings():
        # A cluster may end empty; `_anchors` then gives its anchor to another.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return means.fit(vectors, sample_weight=sizes).labels_


def _distances_to_centres(vectors, sizes, labels):
    n_clusters = labels.max() + 1
    centres = np.zeros((n_clusters, vectors.shape[1]))
    np.add.at(centres, labels, vectors * sizes[:, None])
    members = np.bincount(labels, weights=sizes, minlength=n_clusters)
    centres /= np.maximum(members, 1)[:, None]
    squared = ((vectors - centres[labels]) ** 2).sum(axis=1)
    return np.round(squared, 9)  # equal distances are ties in spite of rounding


def _anchors(labels, distances, k):
    """Return the anchors' column indices and weights.

    Every cluster gives its item nearest to the centre. Anchors still wanted then go,
    one at a time, to the cluster with most items per anchor, which gives its next
    nearest item; that is the order of ``size / number of nearer items``.
    """
    n_items = len(labels)
    sizes = np.bincount(labels)
    nearest_first = np.lexsort((np.arange(n_items), distances, labels))
    cluster = labels[nearest_first]
    starts = np.cumsum(sizes) - sizes
    nearer = np.arange(n_items) - starts[cluster]
    priority = np.full(n_items, np.inf)
    np.divide(sizes[cluster], nearer, out=priority, where=nearer > 0)
    wanted = np.lexsort((nearest_first, -sizes[cluster], -priority))[:k]
    anchors, cluster = nearest_first[wanted], cluster[wanted]
    weights = sizes[cluster] / np.bincount(cluster)[cluster] / n_items
    best_first = np.lexsort((anchors, -weights))
    return anchors[best_first], weights[best_first]
