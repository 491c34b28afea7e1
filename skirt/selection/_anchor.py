"""Anchor points: one item for every cluster of items that are answered alike."""

import warnings

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from skirt.selection._base import SubsetSelector, _observed_mean

# Response vectors cluster loosely, so that further starts gain next to nothing.
_STARTS = 3


class AnchorPointSelector(SubsetSelector):
    """Choose items that stand for the clusters of items answered alike.

    Each item is the vector of the models' responses to it. The vectors are clustered
    into `k` clusters; the item nearest to a cluster's centre is its anchor and counts
    for as much of the benchmark as the cluster holds. This is the binary form of
    anchor points [1]_.

    Parameters
    ----------
    k : int, default=10
        The number of items to choose. If it exceeds the number of items, all are
        kept, with a warning.
    binarize : float, default=None
        None accepts only 0, 1 and missing. A number t counts values above t as 1.
    random_state : int, RandomState instance or None, default=None
        Determines the start of the clustering. Pass an int for the same anchors in
        every call.

    Attributes
    ----------
    order_ : ndarray of int of shape (min(k, n_items),)
        The anchors' column indices, largest weight first, ties to the lowest column
        index.
    weights_ : ndarray of shape (min(k, n_items),)
        The share of the items that each anchor of `order_` stands for; sums to 1.
    nested_ : bool
        False: the anchors for a smaller `k` are in general other items.
    n_features_in_ : int
        The number of items seen during `fit`.
    feature_names_in_ : ndarray of str of shape (n_items,)
        The items' names. Defined only if `X` has names.

    See Also
    --------
    FisherSubsetSelector : Choose by how precisely the items measure ability.
    RandomSubsetSelector : The baseline.

    Notes
    -----
    `predict` returns the mean of a model's observed responses to the anchors, weighted
    by cluster size: an estimate of its mean over all items. It is NaN, with a
    warning, for a model that answered no anchor.

    The clusters are the best of three k-means++ starts of k-means on the *distinct*
    vectors, each weighted by the number of items that share it, since typically half
    of the items of a benchmark are answered alike by every model. Where `k` exceeds
    the number of distinct vectors, the largest clusters get further anchors, which
    share the cluster's weight equally.

    The squared Euclidean distance between two complete vectors is the number of
    models that answer the two items differently. For the distance only, a missing
    response is placed halfway between the model's and the item's observed mean; no
    output contains such a value.

    References
    ----------
    .. [1] Vivek, R., Ethayarajh, K., Yang, D. and Kiela, D. (2023). "Anchor Points:
       Benchmarking Models with Much Fewer Examples".

    Examples
    --------
    >>> import numpy as np
    >>> from skirt import AnchorPointSelector
    >>> X = np.array([[1, 1, 1, 0], [1, 1, 1, 1], [0, 0, 0, 1]])
    >>> selector = AnchorPointSelector(k=2, random_state=0).fit(X)
    >>> selector.order_, selector.weights_
    (array([0, 3]), array([0.75, 0.25]))
    >>> selector.predict(X)
    array([0.75, 1.  , 0.25])
    """

    _parameter_constraints: dict = {
        **SubsetSelector._parameter_constraints,
        "random_state": ["random_state"],
    }

    _nested = False

    def __init__(self, k=10, *, binarize=None, random_state=None):
        self.k = k
        self.binarize = binarize
        self.random_state = random_state

    def _order(self, responses, k):
        vectors, vector_of_item, sizes = _distinct_rows(_placed(responses))
        labels = _cluster(vectors, sizes, k, self.random_state)
        distances = _distances_to_centres(vectors, sizes, labels)
        order, self.weights_ = _anchors(
            labels[vector_of_item], distances[vector_of_item], k
        )
        return order

    def _predict_chosen(self, chosen):
        weights = np.empty(self.n_features_in_)
        weights[self.order_] = self.weights_
        return _observed_mean(chosen, weights[self.get_support()])


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
