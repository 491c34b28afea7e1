"""Equally spaced ability nodes, and interpolation between them.

The logistic curve of an item with discrimination a is analytic in a strip of half
width pi / a around the real line, so a table of it on nodes a quarter of 1 / a apart
determines it everywhere, and sums of analytic functions over the nodes are
integrals, both to about nine digits. A table serves any number of models and items:
only the posterior of each model needs nodes of its own.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import comb

# Points of the interpolating polynomial; see `interpolation_error`.
ORDER = 12


@dataclass(frozen=True)
class Grid:
    """Nodes ``step * k`` for k from `first` to `last`; 0 is always a node."""

    step: float
    first: int
    last: int

    @classmethod
    def covering(cls, low, high, step):
        """Return the smallest grid from `low` or below to `high` or above."""
        return cls(step, int(np.floor(low / step)), int(np.ceil(high / step)))

    @cached_property
    def nodes(self):
        """The abilities, ndarray of shape (n_nodes,)."""
        return self.step * np.arange(self.first, self.last + 1)

    @property
    def low(self):
        """Lowest ability at which the grid can be interpolated."""
        return self.step * (self.first + ORDER // 2)

    @property
    def high(self):
        """Highest ability at which the grid can be interpolated."""
        return self.step * (self.last - ORDER // 2)

    def interpolation(self, theta):
        """Return first node and weights of the local polynomial at each ability.

        Parameters
        ----------
        theta : ndarray of any shape, within [low, high]

        Returns
        -------
        start : ndarray of theta's shape, the index of the first node used
        weights : ndarray of shape (*theta.shape, ORDER), summing to 1
        """
        position = theta / self.step - self.first
        start = np.floor(position).astype(np.intp) - (ORDER // 2 - 1)
        start = np.clip(start, 0, self.last - self.first + 1 - ORDER)
        offset = (position - start)[..., None] - np.arange(ORDER)
        # On a node the barycentric formula is 0/0; a tiny offset gives its limit.
        offset[offset == 0.0] = 1e-200
        weights = _BARYCENTRIC / offset
        weights /= weights.sum(axis=-1, keepdims=True)
        return start, weights


_BARYCENTRIC = np.array(
    [(-1.0) ** m * comb(ORDER - 1, m, exact=True) for m in range(ORDER)]
)


def interpolation_error(discrimination, step):
    """Bound on the relative error of interpolating an item's curve.

    The curve's nearest singularity lies pi / a off the real line; the error of the
    polynomial is the ratio of the node polynomial at the point and at the singularity.
    """
    half = np.arange(ORDER // 2) + 0.5
    distance = np.pi / (np.maximum(np.abs(discrimination), 1e-6) * step)
    return np.exp(
        2 * np.log(half).sum()
        - np.log(np.square(distance)[..., None] + np.square(half)).sum(axis=-1)
    )


def table_step(discrimination, tolerance=1e-8):
    """Return the widest step whose table is good to `tolerance` in the mean item.

    One steep item in thousands neither moves an ability by its interpolation error
    nor forces the whole table to its own fineness.
    """
    step = 0.25
    while step > 0.004:
        error = interpolation_error(discrimination, step)
        if error.mean() < tolerance and error.max() < 3e3 * tolerance:
            break
        step /= 1.25
    return step


def quadrature_step(discrimination, narrowest):
    """Return the widest step at which sums over the nodes are integrals.

    The error is exp(-2 pi^2 (sd / step)^2) for a posterior of that standard deviation,
    and exp(-2 pi^2 / (a step)) for the curve of the steepest item.
    """
    steepest = float(np.max(np.abs(discrimination)))
    return min(0.25, 0.95 * narrowest, 1.0 / max(steepest, 1e-6))
