"""The E-step: each model's posterior over ability, on nodes that follow it.

Short tests have wide posteriors: all models share one equally spaced grid whose step
is the narrowest posterior's standard deviation, which makes sums over it integrals to
nine digits. On long tests that step would make the grid needlessly fine for the
items, whose curves are smooth: there every model gets nodes of its own, centred and
scaled by its posterior (Naylor & Smith 1982), and the items' sums are interpolated
from a table (see `_grid`). The weights of the nodes go back to the table through the
same interpolation, so that the gradient is that of the very objective computed.
"""

from dataclasses import dataclass

import numpy as np

from skirt._curves import Curves, item_blocks
from skirt._grid import ORDER, Grid, quadrature_step, table_step

_LOG_ROOT_TWO_PI = 0.5 * np.log(2 * np.pi)
# Own nodes of a model, in units of its spread: +-9 posterior standard deviations.
_OFFSETS = 0.5 * np.arange(-18, 19)
# The outermost node may hold this share of a posterior.
_EDGE = 1e-9
# Nodes are moved at most so often; three times is much.
_ROUNDS = 30
# Curves at more item x node cells than this are computed twice instead of kept.
_LARGEST_TABLE = 4_000_000


@dataclass
class Posterior:
    """What the E-step knows of the models, and what the M-step needs of it."""

    log_likelihood: np.ndarray  # (n_models,) marginal log-likelihood
    mean: np.ndarray  # (n_models,) posterior mean (EAP)
    sd: np.ndarray  # (n_models,) posterior standard deviation
    nodes: np.ndarray  # (n_nodes,)
    node_weights: np.ndarray  # (n_patterns, n_nodes)
    curves: Curves  # of the items at the nodes; invalid after the next E-step
    model_weights: np.ndarray | None  # (n_models, n_nodes) where all share the nodes


class EStep:
    """Posteriors under changing item parameters; remembers where they were.

    Parameters
    ----------
    data : ResponseData
    """

    def __init__(self, data):
        self.data = data
        # Chosen at the first call, for whose items it is too coarse.
        self._grid = Grid.covering(-6.0, 6.0, 1e3)
        self._own_nodes = False
        self._narrowest = 1.0
        self._center = np.empty(0)
        self._spread = np.empty(0)
        self._table = np.empty((data.n_items, 0))

    def __call__(self, discrimination, intercept):
        """Return the `Posterior` at these item parameters."""
        data = self.data
        slope_sums, constants = _weighted_sums(data, discrimination, intercept)
        if self._grid.step > 1.2 * self._step_needed(discrimination) or self._too_wide:
            self._choose(discrimination, intercept)
        while True:
            nodes = self._grid.nodes
            curves = Curves(discrimination, intercept, nodes, self._table_for(nodes))
            normaliser = curves.normaliser(data.masks)
            solve = self._on_own_nodes if self._own_nodes else self._on_shared_nodes
            posterior = solve(slope_sums, constants, normaliser, curves)
            if posterior is None:  # the grid was extended
                continue
            narrowest = posterior.sd.min()
            if self._own_nodes or narrowest > self._grid.step / 1.1:
                return posterior
            self._choose(discrimination, intercept, narrowest)

    def _table_for(self, nodes):
        """Memory for the curves at the nodes, or None where it would be excessive."""
        shape = self.data.n_items, nodes.size
        if shape[0] * shape[1] > max(_LARGEST_TABLE, self.data.responses.size):
            return None
        if self._table.shape != shape:
            self._table = np.empty(shape)
        return self._table

    def _choose(self, discrimination, intercept, sd=None):
        """Pick shared or own nodes by the cheaper arithmetic, and the grid."""
        if sd is None:
            sd = _narrowest_sd(discrimination, intercept)
        n_models, n_items = self.data.responses.shape
        self._narrowest = sd
        shared = quadrature_step(discrimination, sd)
        table = table_step(discrimination)
        low, high = min(self._grid.low, -6.0), max(self._grid.high, 6.0)
        cost_shared = (n_items + 2 * n_models) * (high - low) / shared
        low_own, high_own = self._own_range
        cost_own = n_items * (high_own - low_own) / table
        cost_own += n_models * _OFFSETS.size * ORDER
        self._own_nodes = bool(cost_own < cost_shared)
        if self._own_nodes:
            margin = ORDER * table
            self._grid = Grid.covering(low_own - margin, high_own + margin, table)
        else:
            self._grid = Grid.covering(low, high, shared)

    @property
    def _own_range(self):
        """Abilities that the models' own nodes cover, with room to move."""
        if not self._center.size:
            return -6.0, 6.0
        reach = 1.5 * _OFFSETS[-1] * self._spread
        return float((self._center - reach).min()), float((self._center + reach).max())

    @property
    def _too_wide(self):
        """Whether the table covers far more than the models' own nodes."""
        if not (self._own_nodes and self._center.size):
            return False
        low, high = self._own_range
        return self._grid.high - self._grid.low > 1.3 * (high - low) + 1.0

    def _step_needed(self, discrimination):
        """Return the step that these items need, steeper than the last perhaps."""
        if self._own_nodes:
            return table_step(discrimination)
        return quadrature_step(discrimination, self._narrowest)

    def _on_shared_nodes(self, slope_sums, constants, normaliser, curves):
        data = self.data
        found = self._integrate(slope_sums, normaliser, slice(None))
        if found is None:
            return None
        log_likelihood, mean, sd, joint = found
        return Posterior(
            log_likelihood + constants,
            mean,
            sd,
            curves.nodes,
            data.sum_over_patterns(joint),
            curves,
            joint,
        )

    def _integrate(self, slope_sums, normaliser, rows):
        """Sum the posteriors of some models over the nodes of the grid.

        Returns log-likelihood, mean, SD and the nodes' weights; None if a posterior
        reaches beyond the grid, which is extended then.
        """
        nodes = self._grid.nodes
        prior = np.log(self._grid.step) - _LOG_ROOT_TWO_PI - 0.5 * np.square(nodes)
        joint = np.multiply.outer(slope_sums[rows], nodes)
        base = prior - normaliser
        joint += base if base.shape[0] == 1 else base[self.data.pattern[rows]]
        log_likelihood = _normalise(joint)
        outside = joint[:, [0, -1]].max(axis=0) > _EDGE
        if outside.any():
            self._extend(*outside)
            return None
        mean, square = (joint @ np.column_stack([nodes, np.square(nodes)])).T
        sd = np.sqrt(np.maximum(square - np.square(mean), 1e-300))
        return log_likelihood, mean, sd, joint

    def _on_own_nodes(self, slope_sums, constants, normaliser, curves):
        data, grid = self.data, self._grid
        if not self._center.size:
            self._start_centers(slope_sums, normaliser)
        steepest = np.abs(curves.discrimination).max()
        for _ in range(_ROUNDS):
            theta = self._center[:, None] + self._spread[:, None] * _OFFSETS
            outside = np.array([theta.min() < grid.low, theta.max() > grid.high])
            if outside.any():
                self._extend(outside[0], outside[1], theta.min(), theta.max())
                return None
            start, weights = grid.interpolation(theta)
            places = start[..., None] + np.arange(ORDER)
            places += (data.pattern * normaliser.shape[1])[:, None, None]
            joint = slope_sums[:, None] * theta - 0.5 * np.square(theta)
            joint -= np.einsum("nkm,nkm->nk", normaliser.take(places), weights)
            width = _OFFSETS[1] - _OFFSETS[0]
            scale = np.log(width * self._spread) - _LOG_ROOT_TWO_PI
            log_likelihood = _normalise(joint) + scale
            mean = np.einsum("nk,nk->n", joint, theta)
            deviation = theta - mean[:, None]
            sd = np.sqrt(np.einsum("nk,nk->n", joint, np.square(deviation)))
            # Nodes of its own would be too far apart for a model whose posterior is
            # wide, and yet has the edge of a steep item in it: all items failed, say.
            wide = width * self._spread * steepest > 1.2
            edge = joint[:, [0, -1]].max(axis=1)
            if not self._recenter(mean, sd, edge, ~wide):
                break
        joint *= data.weights[:, None]
        joint[wide] = 0.0
        weights *= joint[..., None]
        node_weights = np.bincount(places.ravel(), weights.ravel(), normaliser.size)
        node_weights = node_weights.reshape(normaliser.shape)
        if wide.any():
            found = self._integrate(slope_sums, normaliser, wide)
            if found is None:
                return None
            log_likelihood[wide], mean[wide], sd[wide], on_grid = found
            on_grid *= data.weights[wide, None]
            np.add.at(node_weights, data.pattern[wide], on_grid)
            self._center[wide], self._spread[wide] = mean[wide], sd[wide]
        return Posterior(
            log_likelihood + constants,
            mean,
            sd,
            grid.nodes,
            node_weights,
            curves,
            None,
        )

    def _start_centers(self, slope_sums, normaliser):
        """Centre on the best node, and take the curvature there for the spread."""
        nodes = self._grid.nodes
        joint = np.multiply.outer(slope_sums, nodes) - 0.5 * np.square(nodes)
        joint -= normaliser[self.data.pattern]
        best = np.clip(joint.argmax(axis=1), 1, nodes.size - 2)
        row = np.arange(best.size)
        bend = joint[row, best - 1] - 2 * joint[row, best] + joint[row, best + 1]
        precision = np.maximum(-bend / self._grid.step**2, 1.0)
        self._center = nodes[best]
        self._spread = 1.0 / np.sqrt(precision)

    def _recenter(self, mean, sd, edge, movable):
        """Move nodes that miss their posterior; True where the sums must be redone.

        `edge` is the share of the posterior on the outermost nodes.
        """
        astray = np.abs(mean - self._center) > 0.7 * self._spread
        ratio = sd / self._spread
        astray |= (ratio > 1.3) | (ratio < 0.5)
        astray &= movable
        # A cut-off tail on nodes that are in place is a skewed posterior: a model
        # that answered everything right, say. Its nodes go as wide as they may.
        skewed = (edge > _EDGE) & movable & ~astray & (ratio > 0.63)
        # Of a posterior beyond the nodes they show neither mean nor spread: follow it.
        missed = edge > 0.01
        self._center = np.where(astray, mean, self._center)
        self._spread = np.where(
            astray, np.where(missed, 2 * self._spread, sd), self._spread
        )
        self._spread = np.where(skewed, 1.25 * self._spread, self._spread)
        return bool((astray | skewed).any())

    def _extend(self, below, above, low=None, high=None):
        """Let the grid reach farther: by half, or well beyond the given abilities."""
        nodes, step = self._grid.nodes, self._grid.step
        margin = 1.0 + ORDER * step
        farther = 0.5 * (nodes[-1] - nodes[0])
        lowest = nodes[0] - farther if low is None else low - margin
        highest = nodes[-1] + farther if high is None else high + margin
        self._grid = Grid.covering(
            min(lowest, nodes[0]) if below else nodes[0],
            max(highest, nodes[-1]) if above else nodes[-1],
            step,
        )


def _weighted_sums(data, discrimination, intercept):
    """Sum over the answers 1 of a, and of d: all that the likelihood sees of them."""
    sums = data.responses @ np.column_stack([discrimination, intercept])
    return sums[:, 0], sums[:, 1]


def _normalise(log_weights):
    """Exponentiate rows in place so that they sum to 1; return the log of the sums."""
    top = log_weights.max(axis=1)
    log_weights -= top[:, None]
    np.exp(log_weights, out=log_weights)
    total = log_weights.sum(axis=1)
    log_weights /= total[:, None]
    return top + np.log(total)


def _narrowest_sd(discrimination, intercept):
    """Return the posterior SD where the test is most informative, roughly."""
    nodes = np.linspace(-4, 4, 33)
    curves = Curves(discrimination, intercept, nodes, None)
    information = np.zeros(nodes.size)
    for block in item_blocks(discrimination.size, nodes.size):
        p = curves.probability(block)
        information += np.square(discrimination[block]) @ (p * (1 - p))
    return 1.0 / np.sqrt(1.0 + information.max())
