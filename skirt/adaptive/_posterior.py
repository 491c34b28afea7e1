"""The models' posteriors over ability, on nodes that all of them share."""

import numpy as np

from skirt._grid import Grid, quadrature_step

_REACH = 7.0
# The outermost node may hold this share of a posterior.
_EDGE = 1e-9
# Posteriors narrower than this are integrated less exactly.
_NARROWEST = 1e-3
# An item steeper than this may be integrated less exactly.
_STEEPEST = 20.0
# Nodes that hold less of every posterior at hand are left out of sums over items.
_NEGLIGIBLE = 1e-12


class GridPosterior:
    """Posteriors under N(0, 1), updated answer by answer.

    The nodes grow denser as posteriors get narrow, and reach farther where one gets
    near the end, unless bounds end the range.

    Parameters
    ----------
    items : LogisticItems
    n_models : int
    bounds : (low, high) or None
        Abilities outside are impossible.
    """

    def __init__(self, items, n_models, bounds):
        self.items = items
        self._bounds = bounds
        self._reach = _REACH
        self._set_nodes(1.0)
        self._log = np.tile(self._prior, (n_models, 1))
        self._history = []  # (models, items, answers), in order

    def record(self, models, chosen, answers):
        """Take up one answer of each of the models."""
        self._history.append((models, chosen, answers))
        self._add(models, chosen, answers)
        while self._nodes_do_not_fit(models):
            self._log = np.tile(self._prior, (len(self._log), 1))
            for event in self._history:
                self._add(*event)

    def weights(self, models):
        """Posterior weights of the nodes, (n_models, n_nodes), summing to 1."""
        weights = self._log[models]
        weights -= weights.max(axis=1, keepdims=True)
        np.exp(weights, out=weights)
        weights /= weights.sum(axis=1, keepdims=True)
        return weights

    def moments(self, models):
        """Posterior means and standard deviations."""
        return self._moments(self.weights(models))

    def quantiles(self, model, probabilities):
        """Quantiles of one model's posterior."""
        weights = self.weights([model])[0]
        middle = np.cumsum(weights) - 0.5 * weights
        return np.interp(probabilities, middle, self.nodes)

    def expect(self, models, curve, powers=(0,)):
        """Posterior expectations of theta^power times a curve of each item.

        Parameters
        ----------
        models : array of int
        curve : {"information", "probability", "softplus", "variance"}
            A method of the items.
        powers : sequence of int

        Returns
        -------
        list of ndarray of shape (n_models, n_items), one for each power
        """
        weights, used = self._used(models)
        nodes, table = self.nodes[used], self._table(curve, used)
        return [(weights * nodes**power) @ table for power in powers]

    def on_nodes(self, models, *curves):
        """Posterior weights of the nodes that matter, and curves of each item there.

        Parameters
        ----------
        models : array of int
        *curves : str
            As in `expect`.

        Returns
        -------
        weights : ndarray of shape (n_models, n_nodes)
        tables : ndarray of shape (n_nodes, n_items), one for each curve
        """
        weights, used = self._used(models)
        return weights, *(self._table(curve, used) for curve in curves)

    def _used(self, models):
        """Return weights of the nodes that hold something of a posterior, and which."""
        weights = self.weights(models)
        heavy = np.flatnonzero(weights.max(axis=0) > _NEGLIGIBLE)
        used = slice(heavy[0], heavy[-1] + 1)
        return weights[:, used], used

    def _set_nodes(self, narrowest):
        steepest = np.clip(np.abs(self.items.discrimination), 0.0, _STEEPEST)
        self._narrowest = max(narrowest, _NARROWEST)
        step = quadrature_step(steepest, self._narrowest)
        if self._bounds is None:
            self.nodes = Grid.covering(-self._reach, self._reach, step).nodes
        else:
            low, high = self._bounds
            count = int(np.ceil((high - low) / step)) + 1
            self.nodes = np.linspace(low, high, max(count, 3))
        self._step = self.nodes[1] - self.nodes[0]
        self._prior = -0.5 * np.square(self.nodes)
        if self._bounds is not None:
            self._prior[[0, -1]] += np.log(0.5)  # the trapezoid rule
        self._tables = {}

    def _nodes_do_not_fit(self, models):
        """Replace the nodes if these models' posteriors need others."""
        weights = self.weights(models)
        narrowest = self._moments(weights)[1].min()
        edge = self._bounds is None and weights[:, [0, -1]].max() > _EDGE
        fine = narrowest > 1.1 * self._step or self._step <= _NARROWEST
        if fine and not edge:
            return False
        if edge:
            self._reach *= 1.5
        # Finer than needed now, so that not every answer asks for other nodes.
        self._set_nodes(self._narrowest if fine else 0.6 * narrowest)
        return True

    def _moments(self, weights):
        mean = weights @ self.nodes
        deviation = self.nodes - mean[:, None]
        variance = np.einsum("ng,ng->n", weights, np.square(deviation))
        return mean, np.sqrt(variance)

    def _add(self, models, chosen, answers):
        slopes = self.items.discrimination[chosen][:, None]
        logit = slopes * self.nodes + self.items.intercept[chosen][:, None]
        self._log[models] += answers[:, None] * logit - np.logaddexp(0.0, logit)

    def _table(self, curve, used):
        """Return the items' curve at the nodes of a slice, each computed once."""
        if curve not in self._tables:
            shape = self.nodes.size, len(self.items)
            self._tables[curve] = np.empty(shape), np.zeros(shape[0], dtype=bool)
        table, known = self._tables[curve]
        new = used.start + np.flatnonzero(~known[used])
        if new.size:
            table[new] = getattr(self.items, curve)(self.nodes[new])
            known[new] = True
        return table[used]
