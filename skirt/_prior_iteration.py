"""The pace of the fixed-point iteration that estimates the priors.

It converges linearly, and slowly where items are much shrunk: once the item parameters
follow the priors closely, successive changes shrink by a constant ratio, and the rest
of the geometric series is added at once (Aitken). On panels that hardly determine the
priors it overshoots instead: each reversal halves the step.
"""

from dataclasses import replace

import numpy as np

from skirt._priors import INTERCEPT_SD_BOUNDS, SLOPE_SD_BOUNDS, Priors

# Ratios outside are noise, or so near 1 that the series has no end.
_RATIOS = (0.2, 0.99)
_LARGEST_MOVE = 0.5
# Steps after which every further one is shorter, by this factor.
_PATIENCE = 100
_SLOWDOWN = 0.8
# A relative change of the prior SDs smaller than this in one step is no change: it is
# far below what the items can tell of them.
SETTLED = 1e-3


class PriorIteration:
    """Watches the proposed priors; damps or extrapolates the way to them.

    Attributes
    ----------
    change : float
        Relative change of the prior SDs that was last proposed.
    """

    def __init__(self):
        self._changes = []
        self._damping = 1.0
        self._steps = 0
        self._waiting = False
        self.change = np.inf

    def __call__(self, old, proposed, settled):
        """Return the next priors.

        Parameters
        ----------
        old, proposed : Priors
            Before and after one step of the fixed-point iteration.
        settled : bool
            Whether the items follow the priors closely.
        """
        if not proposed.estimated:
            self.change = 0.0
            return proposed
        if self._waiting and not settled:
            return old  # what is proposed still shows where the priors were
        self._waiting = False
        self._steps += 1
        change = _vector(proposed) - _vector(old)
        self.change = float(np.abs(change[:2]).max())
        if self._steps > _PATIENCE:
            rest = _SLOWDOWN ** (self._steps - _PATIENCE)
            return _moved(old, rest * self._damping * change)
        if self._changes and change @ self._changes[-1] < 0:
            self._damping *= 0.5
        else:
            self._damping = min(1.0, 1.2 * self._damping)
        if self._damping < 1.0:
            self._changes = [change]
            return _moved(old, self._damping * change)
        self._changes = [*self._changes[-1:], change] if settled else [change]
        if len(self._changes) < 2:
            return proposed
        before, last = self._changes
        squares = before @ before
        ratio = before @ last / squares if squares > 0 else 0.0
        aligned = before @ last > 0.9 * np.sqrt(squares * (last @ last))
        if not (aligned and _RATIOS[0] < ratio < _RATIOS[1]):
            return proposed
        move = last * ratio / (1.0 - ratio)
        move *= min(1.0, _LARGEST_MOVE / max(np.abs(move).max(), 1e-300))
        self._changes = []
        self._waiting = True
        return _moved(proposed, move)

    @property
    def at_rest(self):
        """Whether the priors no longer move, settled or not."""
        return self.change < SETTLED or self._steps > _PATIENCE + 30


def _vector(priors):
    slope, intercept = priors.slope, priors.intercept
    return np.array(
        [
            np.log(slope.sd) if slope.estimated else 0.0,
            np.log(intercept.sd) if intercept.estimated else 0.0,
            intercept.mean / intercept.sd if intercept.estimated else 0.0,
        ]
    )


def _moved(priors, move):
    slope, intercept = priors.slope, priors.intercept
    if slope.estimated:
        sd = np.clip(slope.sd * np.exp(move[0]), *SLOPE_SD_BOUNDS)
        slope = replace(slope, sd=float(sd))
    if intercept.estimated:
        sd = np.clip(intercept.sd * np.exp(move[1]), *INTERCEPT_SD_BOUNDS)
        mean = intercept.mean + move[2] * intercept.sd
        intercept = replace(intercept, mean=float(mean), sd=float(sd))
    return Priors(slope, intercept)
