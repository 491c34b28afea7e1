"""The E-step on short tests: adaptive quadrature.

The nodes follow the normal that fits each posterior best. That normal is found from
anywhere; moments taken on the nodes themselves would collapse where a posterior lies
beyond them.
"""

import numpy as np

from skirt._multidim._quadrature import ProductRule

# The normal need not fit better than this, in standard deviations.
_IN_PLACE = 0.03


class NodePosterior:
    """Posteriors of all models on nodes that follow them.

    Parameters
    ----------
    data : ResponseData
    gaussian : GaussianPosterior
        Of the same data, to follow.
    n_nodes : int
        Nodes of each dimension.

    Attributes
    ----------
    mean : ndarray of shape (n_models, n_components)
    covariance : ndarray of shape (n_models, n_components, n_components)
    log_likelihood : float
        Of the last items.
    """

    integration = "quadrature"

    def __init__(self, data, gaussian, n_nodes):
        self.data, self._gaussian = data, gaussian
        self.mean, self.covariance = gaussian.mean, gaussian.covariance
        self._rule = ProductRule(self.mean.shape[1], n_nodes)

    def update(self, items, correlation, tolerance=_IN_PLACE):
        """Fit the posteriors to these items; return what the items need.

        As :meth:`GaussianPosterior.update`.
        """
        data, gaussian = self.data, self._gaussian
        tolerance = min(tolerance, _IN_PLACE)
        gaussian.fit(items, correlation, tolerance)
        n_items, n_components = items.discrimination.shape
        size = n_components + 1
        gradient = np.zeros((n_items, size))
        information = np.zeros((n_items, size * size))
        self.mean = np.empty_like(gaussian.mean)
        self.covariance = np.empty_like(gaussian.covariance)
        blocks = self._rule(
            data, gaussian.mean, gaussian.covariance, items, correlation
        )
        self.log_likelihood = 0.0
        for block in blocks:
            models = block.models
            self.log_likelihood += float(data.weights[models] @ block.log_likelihood)
            self.mean[models], self.covariance[models] = block.moments
            count = (block.weights * data.weights[models, None]).reshape(-1, 1)
            nodes = block.nodes.reshape(-1, n_components)
            extended = np.column_stack([nodes, np.ones(nodes.shape[0])])
            squares = extended[:, :, None] * extended[:, None, :]
            squares = squares.reshape(-1, size * size)
            curves = block.probability, block.spread
            if block.mask is not None:
                for curve in curves:
                    curve = curve.reshape(*block.nodes.shape[:2], n_items)
                    curve *= block.mask[:, None]
            gradient -= curves[0].T @ (count * extended)
            information += curves[1].T @ (count * squares)
        weighted = np.column_stack([self.mean, np.ones(data.n_models)])
        weighted *= data.weights[:, None]
        gradient += data.responses.T @ weighted
        return gradient, information.reshape(n_items, size, size)

    def transform(self, shift, stretch):
        """Move to abilities theta' with theta = shift + stretch theta'."""
        self._gaussian.transform(shift, stretch)
        back = np.linalg.inv(stretch)
        self.mean = (self.mean - shift) @ back.T
        self.covariance = back @ self.covariance @ back.T
