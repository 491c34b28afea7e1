"""One cycle of the calibration, and all that it changes."""

import numpy as np

from skirt._multidim._damping import ItemDamping
from skirt._multidim._gaussian import GaussianPosterior
from skirt._multidim._item_step import item_step
from skirt._multidim._items import Items
from skirt._multidim._nodes import NodePosterior
from skirt._multidim._population import population_step
from skirt._multidim._priors import ItemPriors
from skirt._multidim._start import (
    confirmatory_abilities,
    starting_abilities,
    starting_intercepts,
)

# Newton steps at the starting abilities before they are estimated too.
_FIRST_STEPS = 5
# How near the first and the last posteriors come to fitting, in standard deviations.
_FIRST_TOLERANCE = 0.3
_LAST_TOLERANCE = 1e-4
# In between, as a part of the largest move of an item.
_ROUGHNESS = 0.1
# How much less of the objective counts as a fall, for each model: so much of what the
# posteriors may still miss, and at least that.
_UNFITTED, _ROUNDING = 0.05, 2e-4
# A change of a log spread that weighs as much as one of an item by a standard error.
_SPREAD_UNIT = 0.05
# Slopes and intercepts beyond this are on their way to infinity.
_LARGEST = 60.0


class CalibrationState:
    """Everything that one cycle of the calibration changes.

    Parameters
    ----------
    data : ResponseData
    n_components : int
    slope, intercept : "auto", SD or (mean, sd), or None
        The priors.
    free : ndarray of bool, shape (n_items, n_components), or None
    correlated : bool
    random_state : RandomState or None
    """

    def __init__(
        self, data, n_components, slope, intercept, free, correlated, random_state
    ):
        self.data, self.free, self.correlated = data, free, correlated
        self.priors = ItemPriors.from_parameters(slope, intercept, n_components)
        self.correlation = np.eye(n_components)
        if free is None:
            start = starting_abilities(data, n_components, random_state)
        else:
            start = confirmatory_abilities(data, free)
        gaussian = GaussianPosterior(data, start)
        self.posterior: GaussianPosterior | NodePosterior = gaussian
        self.a = np.zeros((data.n_items, n_components))
        self.d = starting_intercepts(data)
        self.known = data.answers_per_item() > 0
        self.prior_change = np.inf
        # At the items with which the last cycle began.
        self.objective = -np.inf
        self.information = np.empty((0, 0, 0))
        self.covariance: np.ndarray | None = None
        self._tolerance = _FIRST_TOLERANCE
        self._damping = ItemDamping(data.n_items)
        self._first_steps(gaussian)

    def use_nodes(self, n_nodes):
        """Integrate by quadrature from here on."""
        self.posterior = NodePosterior(self.data, self.posterior, n_nodes)

    def _first_steps(self, gaussian):
        """Items at the starting abilities, under priors that hold them lightly."""
        light = ItemPriors.from_parameters(1.0, (0.0, 3.0), self.a.shape[1])
        for _ in range(_FIRST_STEPS):
            gradient, information = gaussian.item_sums(Items(self.a, self.d))
            step = item_step(self.a, self.d, gradient, information, light, self.free)
            self.a, self.d = step.discrimination, step.intercept

    def cycle(self, settle):
        """One cycle; returns the largest move of an item, in standard errors.

        That is a Newton step on what the posteriors tell of it, less what the
        population takes back: all gradients in one number.
        """
        a, d, priors = self.a, self.d, self.priors
        gradient, information = self.posterior.update(
            Items(a, d, self.covariance), self.correlation, self._tolerance
        )
        falls = self._evaluate()
        step = item_step(a, d, gradient, information, priors, self.free)
        full = np.column_stack([step.discrimination - a, step.intercept - d])
        part = self._damping(full, step.information, falls)
        taken = part[:, None] * full
        self.a, self.d = a + taken[:, :-1], d + taken[:, -1]
        self.information = step.information
        if priors.slope_estimated or priors.intercept_estimated:
            # Items under an estimated prior are known as well as it and the models say.
            new, share = step.covariance, part[:, None, None]
            if self.covariance is None:
                # Items taken as they are fit better: not to be compared with.
                self.covariance, self.objective = new, -np.inf
            self.covariance = share * new + (1.0 - share) * self.covariance
        population_step(self, a)
        move = np.column_stack([self.a - a, self.d - d]) / part[:, None]
        squares = np.einsum("jk,jkl,jl->j", move, self.information, move)
        criterion = float(np.sqrt(max(squares.max(), 0.0)))
        self._tolerance = min(
            self._tolerance, max(_ROUGHNESS * criterion, _LAST_TOLERANCE)
        )
        if self.covariance is not None and settle:
            self.priors = priors.reestimated(
                self.a, self.d, self.covariance, self.free, self.known
            )
        self.prior_change = self.priors.change_from(priors)
        return criterion

    def _evaluate(self):
        """Note the objective at the fitted posteriors; return whether it has fallen."""
        last = self.objective
        self.objective = self.posterior.log_likelihood - self.priors.divergence(
            self.a, self.d, self.covariance, self.free, self.known
        )
        return self.objective < last - self.noise

    @property
    def noise(self):
        """How far the objective may be off where posteriors are fitted roughly."""
        each = _UNFITTED * self._tolerance + _ROUNDING
        return each * self.data.weights.sum()

    def vector(self):
        """All parameters in one row: items, fixed loadings left out, and spreads."""
        slopes = self.a if self.free is None else self.a[self.free]
        return np.concatenate([slopes.ravel(), self.d, self.priors.log_spreads()])

    def set_vector(self, vector):
        """Take other parameters, to which the last cycle did not lead."""
        self._damping.interrupt()
        n_spreads = self.priors.log_spreads().size
        items, spreads = np.split(vector, [vector.size - n_spreads])
        slopes, self.d = np.split(items, [items.size - self.d.size])
        if self.free is None:
            self.a = slopes.reshape(self.a.shape)
        else:
            self.a = np.zeros(self.a.shape)
            self.a[self.free] = slopes
        self.priors = self.priors.with_log_spreads(spreads)

    def units(self):
        """Standard errors of the parameters, in the order of `vector`."""
        scale = 1.0 / np.sqrt(np.einsum("jkk->jk", self.information))
        slopes = scale[:, :-1] if self.free is None else scale[:, :-1][self.free]
        spreads = np.full(self.priors.log_spreads().size, _SPREAD_UNIT)
        return np.concatenate([slopes.ravel(), scale[:, -1], spreads])

    def snapshot(self):
        """What `restore` needs."""
        return self.a, self.d, self.covariance, self.correlation, self.priors

    def restore(self, snapshot):
        """Go back."""
        self._damping.interrupt()
        self.a, self.d, self.covariance, self.correlation, self.priors = snapshot

    def runaway_items(self):
        """Items without a prior whose parameters leave every plausible range."""
        runaway = np.zeros(self.d.size, dtype=bool)
        if self.priors.slope_covariance is None:
            runaway |= np.abs(self.a).max(axis=1) > _LARGEST
        if self.priors.intercept_sd is None:
            runaway |= np.abs(self.d) > _LARGEST
        return np.flatnonzero(runaway)
