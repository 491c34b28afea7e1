"""The pass over items x nodes: response curves and the sums the E-step needs."""

import numpy as np

# Elements of one block of items x nodes: small enough for the processor's cache,
# so that the dozen elementwise operations on it do not each travel to memory.
_BLOCK = 1 << 15


def item_blocks(n_items, n_nodes):
    """Yield slices of items whose tables fit the cache together."""
    size = max(1, _BLOCK // max(1, n_nodes))
    for start in range(0, n_items, size):
        yield slice(start, min(start + size, n_items))


def logistic(logits):
    """Return P and log(1 + exp(logit)), overwriting `logits` with scratch values."""
    positive = logits >= 0
    softplus = np.maximum(logits, 0.0)
    decay = np.abs(logits, out=logits)
    np.exp(np.negative(decay, out=decay), out=decay)
    ratio = np.reciprocal(1.0 + decay)
    softplus -= np.log(ratio)
    probability = np.where(positive, ratio, np.multiply(ratio, decay, out=decay))
    return probability, softplus


def response_tables(discrimination, intercept, nodes, masks, out):
    """Fill in the response probabilities and add up the normalisers.

    Parameters
    ----------
    discrimination, intercept : ndarray of shape (n_items,)
    nodes : ndarray of shape (n_nodes,)
    masks : ndarray of shape (n_patterns, n_items)
    out : ndarray of shape (n_items, n_nodes)
        Receives P(x = 1) of each item at each node.

    Returns
    -------
    ndarray of shape (n_patterns, n_nodes)
        Sum over a pattern's items of log(1 + exp(a theta + d)).
    """
    normaliser = np.zeros((masks.shape[0], nodes.size))
    for block in item_blocks(*out.shape):
        logits = np.multiply.outer(discrimination[block], nodes)
        logits += intercept[block, None]
        out[block], softplus = logistic(logits)
        normaliser += masks[:, block] @ softplus
    return normaliser


def expected_moments(probability, nodes, node_weights, masks, *, higher=False):
    """Expected answers and information of each item under the posterior weights.

    Parameters
    ----------
    probability : ndarray of shape (n_items, n_nodes)
    nodes : ndarray of shape (n_nodes,)
    node_weights : ndarray of shape (n_patterns, n_nodes)
        Posterior weight of each node, summed over the models of each pattern.
    masks : ndarray of shape (n_patterns, n_items)
    higher : bool
        Whether to return `loss` and `skewness` too.

    Returns
    -------
    answers : ndarray of shape (n_items, 2)
        Sum of weight * P and of weight * P * theta.
    information : ndarray of shape (n_items, 3)
        Sum of weight * P (1 - P) times 1, theta and theta squared.
    loss : ndarray of shape (n_items, 2)
        Sum of weight * (P (1 - P))^2 times 1 and theta squared: what not knowing
        theta takes from that information, per unit of posterior variance.
    skewness : ndarray of shape (n_items, 4)
        Sum of weight * P (1 - P) (1 - 2 P) times theta to the power 0, 1, 2 and 3.
    """
    n_items = probability.shape[0]
    answers = np.empty((n_items, 2))
    information = np.empty((n_items, 3))
    loss = np.empty((n_items, 2))
    skewness = np.empty((n_items, 4))
    powers = np.power.outer(nodes, np.arange(4))
    shared = masks.shape[0] == 1 and bool(masks.all())
    if shared:
        powers = node_weights[0, :, None] * powers
    for block in item_blocks(*probability.shape):
        p = probability[block]
        weights = None if shared else masks[:, block].T @ node_weights
        variance = p * (1.0 - p)
        if weights is not None:
            p = p * weights
            weighted_variance = variance * weights
        else:
            weighted_variance = variance
        answers[block] = p @ powers[:, :2]
        information[block] = weighted_variance @ powers[:, :3]
        if higher:
            loss[block] = (weighted_variance * variance) @ powers[:, :3:2]
            asymmetry = 1.0 - 2.0 * probability[block]
            skewness[block] = (weighted_variance * asymmetry) @ powers
    if higher:
        return answers, information, loss, skewness
    return answers, information
