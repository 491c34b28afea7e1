"""The tables of dependent pairs, of the clusters they form, and of their items."""

import numpy as np
import pandas as pd
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from skirt.audit._q3 import pair_batches


def pair_table(found, responses, expected, item_families, near_duplicate):
    """Return the table `pairs` of :class:`ItemRedundancy`.

    Parameters
    ----------
    found : DependentPairs
    responses : Responses
    expected : ndarray of shape (n_models, n_items)
        The probabilities of the answer 1.
    item_families : ndarray of shape (n_items,), int
    near_duplicate : float
        The share of equal answers from which a pair is a near-duplicate.
    """
    n_pairs = found.first.size
    n_models, agreement, chance = np.empty((3, n_pairs))
    for batch in pair_batches(n_pairs):
        first, second = found.first[batch], found.second[batch]
        x, y = responses.values[:, first], responses.values[:, second]
        both = ~(np.isnan(x) | np.isnan(y))
        p, q = expected[:, first], expected[:, second]
        n_models[batch] = both.sum(axis=0)
        agreement[batch] = (x == y).sum(axis=0)
        chance[batch] = (both * (p * q + (1 - p) * (1 - q))).sum(axis=0)
    agreement, chance = agreement / n_models, chance / n_models
    kind = np.select(
        [found.q3 < 0, agreement == 1, agreement >= near_duplicate],
        ["opposed", "identical", "near-duplicate"],
        "dependent",
    )
    return pd.DataFrame(
        {
            "item_1": responses.item_names[found.first],
            "item_2": responses.item_names[found.second],
            "q3": found.q3,
            "n_models": n_models.astype(int),
            "agreement": agreement,
            "expected_agreement": chance,
            "p_value": found.p_value,
            "p_adjusted": found.p_adjusted,
            "kind": kind,
            "related": item_families[found.first] == item_families[found.second],
        }
    )


def cluster_numbers(found, n_items):
    """Return the cluster of each item, counted from the largest; -1 for none.

    Items are in one cluster if pairs with positive q3 join them. Of equally large
    clusters the one whose first item comes first goes before.
    """
    joined = found.q3 > 0
    ends = found.first[joined], found.second[joined]
    graph = coo_matrix((np.ones(joined.sum()), ends), shape=(n_items, n_items))
    _, component = connected_components(graph, directed=False)
    _, start, size = np.unique(component, return_index=True, return_counts=True)
    several = np.flatnonzero(size > 1)
    several = several[np.lexsort((start[several], -size[several]))]
    number = np.full(size.size, -1)
    number[several] = np.arange(several.size)
    return number[component]


def dependent_item_table(found, cluster, names):
    """Return the table of items: cluster, number of partners, largest q3."""
    ends, q3 = _by_item(found.first, found.second, found.q3)
    largest = np.full(names.size, -np.inf)
    np.maximum.at(largest, ends, q3)
    return pd.DataFrame(
        {
            "cluster": pd.arrays.IntegerArray(cluster, cluster < 0),
            "n_partners": np.bincount(ends, minlength=names.size),
            "largest_q3": np.where(np.isinf(largest), np.nan, largest),
        },
        index=pd.Index(names, name="item"),
    )


def cluster_table(found, cluster, names):
    """Return the table `clusters` of :class:`ItemRedundancy`."""
    joined = found.q3 > 0
    first, second, q3 = (x[joined] for x in (found.first, found.second, found.q3))
    n_clusters = cluster.max() + 1
    n = np.bincount(cluster[cluster >= 0], minlength=n_clusters)
    n_pairs = np.bincount(cluster[first], minlength=n_clusters)
    total = np.bincount(cluster[first], np.minimum(q3, 1), minlength=n_clusters)
    ends, weights = _by_item(first, second, q3)
    strength = np.bincount(ends, weights, minlength=names.size)
    leaders = np.lexsort((np.arange(names.size), -strength, cluster))
    leaders = leaders[np.searchsorted(cluster[leaders], np.arange(n_clusters))]
    return pd.DataFrame(
        {
            "n_items": n,
            "n_pairs": n_pairs,
            "density": n_pairs / (n * (n - 1) / 2),
            "mean_q3": total / np.maximum(n_pairs, 1),
            "effective_n_items": n**2 / (n + 2 * total),
            "representative": names[leaders],
        },
        index=pd.RangeIndex(n_clusters, name="cluster"),
    )


def _by_item(first, second, q3):
    """Return each pair twice, once for each of its items."""
    return np.concatenate([first, second]), np.tile(q3, 2)


def effective_number(items, clusters):
    """Return the number of independent items that tell as much."""
    alone = items["varies"] & items["cluster"].isna()
    return float(alone.sum() + clusters["effective_n_items"].sum())
