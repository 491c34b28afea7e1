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


class Curves:
    """The items' response curves at the nodes, kept in a table or computed on demand.

    Parameters
    ----------
    discrimination, intercept : ndarray of shape (n_items,)
    nodes : ndarray of shape (n_nodes,)
    table : ndarray of shape (n_items, n_nodes) or None
        Memory to keep the probabilities in.
    """

    def __init__(self, discrimination, intercept, nodes, table):
        self.discrimination = discrimination
        self.intercept = intercept
        self.nodes = nodes
        self._table = table

    def normaliser(self, masks):
        """Add up log(1 + exp(a theta + d)) over the items of each pattern.

        Parameters
        ----------
        masks : ndarray of shape (n_patterns, n_items)

        Returns
        -------
        ndarray of shape (n_patterns, n_nodes)
        """
        out = np.zeros((masks.shape[0], self.nodes.size))
        for block in item_blocks(self.discrimination.size, self.nodes.size):
            probability, softplus = self._compute(block)
            if self._table is not None:
                self._table[block] = probability
            out += masks[:, block] @ softplus
        return out

    def probability(self, block):
        """P(x = 1) of a slice of the items, (n_block, n_nodes); not to be written to.

        From the table, which `normaliser` fills, if there is one.
        """
        if self._table is not None:
            return self._table[block]
        return self._compute(block)[0]

    def _compute(self, block):
        logits = np.multiply.outer(self.discrimination[block], self.nodes)
        logits += self.intercept[block, None]
        return logistic(logits)


def expected_moments(curves, node_weights, masks, *, higher=False):
    """Expected answers and information of each item under the posterior weights.

    Parameters
    ----------
    curves : Curves
    node_weights : ndarray of shape (n_patterns, n_nodes)
        Posterior weight of each node, summed over the models of each pattern.
    masks : ndarray of shape (n_patterns, n_items)
    higher : bool
        Whether to compute `loss` and `skewness` too; they are empty otherwise.

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
    n_items = curves.discrimination.size
    answers = np.empty((n_items, 2))
    information = np.empty((n_items, 3))
    loss = np.empty((n_items if higher else 0, 2))
    skewness = np.empty((n_items if higher else 0, 4))
    powers = np.power.outer(curves.nodes, np.arange(4))
    shared = masks.shape[0] == 1 and bool(masks.all())
    if shared:
        powers = node_weights[0, :, None] * powers
    for block in item_blocks(n_items, curves.nodes.size):
        p = curves.probability(block)
        asymmetry = 1.0 - 2.0 * p if higher else None
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
            skewness[block] = (weighted_variance * asymmetry) @ powers
    return answers, information, loss, skewness
