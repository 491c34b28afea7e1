"""Aitken extrapolation of the estimated priors.

Their fixed-point iteration converges linearly, and slowly where items are much
shrunk. Once the item parameters follow the priors closely, successive changes shrink
by a constant ratio, and the rest of the geometric series can be added at once.
"""

from dataclasses import replace

import numpy as np

from skirt._priors import INTERCEPT_SD_BOUNDS, SLOPE_SD_BOUNDS, Priors

# Ratios outside are noise, or too near 1 to divide by what is left.
_RATIOS = (0.2, 0.98)
_LARGEST_MOVE = 0.5


class Extrapolation:
    """Watches the priors; now and then moves them to where they are heading."""

    def __init__(self):
        self._past = []

    def __call__(self, priors, settled):
        """Return the priors, extrapolated if their last changes allow it.

        Parameters
        ----------
        priors : Priors
            After one more step of their fixed-point iteration.
        settled : bool
            Whether the items follow the priors closely.
        """
        if not (priors.estimated and settled):
            self._past = []
            return priors
        self._past = [*self._past[-2:], _vector(priors)]
        if len(self._past) < 3:
            return priors
        before, last = np.diff(self._past, axis=0)
        squares = before @ before
        ratio = before @ last / squares if squares > 0 else 0.0
        aligned = before @ last > 0.9 * np.sqrt(squares * (last @ last))
        if not (aligned and _RATIOS[0] < ratio < _RATIOS[1]):
            return priors
        move = last * ratio / (1.0 - ratio)
        move *= min(1.0, _LARGEST_MOVE / max(np.abs(move).max(), 1e-300))
        self._past = []
        return _moved(priors, move)


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
