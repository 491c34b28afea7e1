"""Adaptive Gauss-Hermite quadrature over several abilities.

Each model has a product grid of its own, centred and shaped by a normal that fits its
posterior (Naylor & Smith 1982), so that a few nodes a dimension are enough on tests of
any length.
"""

from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.special import expit

from skirt._multidim._logistic import (
    expected_logistic,
    expected_softplus,
    softplus,
)

# Item x node x model cells computed at a time.
_BLOCK = 1 << 19
# No averaged probability is nearer to 0 or 1, so that logarithms are finite.
_NEVER = 1e-15


@dataclass(frozen=True)
class NodeBlock:
    """Some models' posteriors on their nodes."""

    models: slice
    nodes: np.ndarray  # (n, n_nodes, n_components)
    weights: np.ndarray  # (n, n_nodes), each row sums to 1
    log_likelihood: np.ndarray  # (n,)
    probability: np.ndarray  # (n * n_nodes, n_items), of the answer 1
    spread: np.ndarray  # the same, of P (1 - P)
    mask: np.ndarray | None  # (n, n_items), None where all is answered

    @property
    def moments(self):
        """Posterior means and covariances."""
        mean = np.einsum("nq,nqk->nk", self.weights, self.nodes)
        deviation = self.nodes - mean[:, None]
        covariance = np.einsum("nq,nqk,nql->nkl", self.weights, deviation, deviation)
        return mean, covariance


class ProductRule:
    """Nodes and weights for the standard normal in several dimensions.

    Parameters
    ----------
    n_components, n_nodes : int
        Dimensions, and nodes of each.
    """

    def __init__(self, n_components, n_nodes):
        points, weights = np.polynomial.hermite_e.hermegauss(n_nodes)
        log_weights = np.log(weights / weights.sum())
        self.points = np.array(list(product(points, repeat=n_components)))
        self.log_weights = np.array(
            [sum(chosen) for chosen in product(log_weights, repeat=n_components)]
        )
        # What turns weights of N(0, I) into those of a plain integral.
        self.log_weights += 0.5 * np.square(self.points).sum(axis=1)

    def __call__(self, data, center, covariance, items, prior, *, predictive=False):
        """Yield a `NodeBlock` for one block of models after the other.

        Parameters
        ----------
        data : ResponseData
        center : ndarray of shape (n_models, n_components)
        covariance : ndarray of shape (n_models, n_components, n_components)
            Where the nodes lie.
        items : Items
        prior : ndarray of shape (n_components, n_components)
            Covariance of the abilities in the population.
        predictive : bool
            Whether to average the probability of each answer over what an item may
            be, not its logarithm: for models that have not shaped the items.
        """
        discrimination, intercept = items.discrimination, items.intercept
        n_items, n_components = discrimination.shape
        precision = np.linalg.inv(prior)
        constant = -0.5 * np.linalg.slogdet(prior)[1]
        right = data.responses @ np.column_stack([discrimination, intercept])
        shape = np.linalg.cholesky(covariance)
        size = max(1, _BLOCK // (n_items * self.points.shape[0]))
        for start in range(0, data.n_models, size):
            block = slice(start, min(start + size, data.n_models))
            nodes = center[block, None] + self.points @ shape[block].transpose(0, 2, 1)
            flat = nodes.reshape(-1, n_components)
            logits = flat @ discrimination.T
            logits += intercept
            p, spread, lost = self._curves(flat, logits, items)
            shape_of_cells = *nodes.shape[:2], n_items
            if predictive and items.covariance is not None:
                p = np.clip(p, _NEVER, 1.0 - _NEVER)
                lost = -np.log1p(-p)
                gained = (np.log(p) + lost).reshape(shape_of_cells)
                joint = np.einsum("nqj,nj->nq", gained, data.responses[block])
            else:
                joint = (nodes @ right[block, :-1, None])[..., 0] + right[block, -1:]
            lost = lost.reshape(shape_of_cells)
            if data.complete:
                mask, lost = None, lost.sum(axis=2)
            else:
                mask = np.broadcast_to(data.mask_rows(block), lost.shape[::2])
                lost = np.einsum("nqj,nj->nq", lost, mask)
            joint -= lost
            joint -= 0.5 * np.einsum("nqk,kl,nql->nq", nodes, precision, nodes)
            joint += self.log_weights
            top = joint.max(axis=1)
            weights = np.exp(joint - top[:, None])
            total = weights.sum(axis=1)
            weights /= total[:, None]
            logdet = np.log(np.einsum("nkk->nk", shape[block])).sum(axis=1)
            log_likelihood = top + np.log(total) + logdet + constant
            yield NodeBlock(block, nodes, weights, log_likelihood, p, spread, mask)

    @staticmethod
    def _curves(theta, logits, items):
        """P, P (1 - P) and log(1 + exp(logit)), in expectation over the items."""
        if items.covariance is None:
            p = expit(logits)
            return p, p * (1.0 - p), softplus(logits, p)
        variance = items.logit_variance(theta)
        return *expected_logistic(logits, variance), expected_softplus(logits, variance)
