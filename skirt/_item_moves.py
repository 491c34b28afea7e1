"""How far, and along which curves, the items move in one step.

What all items have in common, a shift and a stretch of ability, changes no item's
curve but its scale: it is limited as a whole, however steep the items. What is left is
limited item by item, or a few far-off ones would hold up all others. Items that share
one slope (the Rasch model) are no steeper than each other: only that slope is limited.
"""

import numpy as np

# Log slopes, and logits where an item is informative, move no farther in one step.
_LONGEST_STEP = 1.5
# Nor do the origin of ability, in its unit, and the logarithm of the unit.
_LONGEST_COMMON_STEP = 0.5


class Move:
    """A direction of the item parameters, in its common and its items' own parts.

    Parameters
    ----------
    likelihood : MarginalLikelihood
    current : Evaluation
    own : ndarray
        What the items move by themselves.
    metric : Metric or None
        The common directions; None if nothing is moved along them.
    shift, stretch : float
        Of ability: its origin, and the logarithm of its unit. Used with `metric`.
    """

    def __init__(self, likelihood, current, own, metric=None, shift=0.0, stretch=0.0):
        self._likelihood = likelihood
        self._n = likelihood.n_slopes
        self._pivot = _pivot(current) if _turns(likelihood) else None
        self._common = 0.0
        if metric is not None:
            most = _LONGEST_COMMON_STEP
            shift, stretch = np.clip([shift, stretch], -most, most)
            self._common = shift * metric.shift + stretch * metric.stretch
        self._own = own * self._limits(current, own)

    @classmethod
    def along(cls, likelihood, current, metric, direction):
        """Take a direction apart, in the metric of the items."""
        if likelihood.common_slope:
            return cls(likelihood, current, direction)
        shift, stretch = metric.common_share(direction)
        own = direction - shift * metric.shift - stretch * metric.stretch
        return cls(likelihood, current, own, metric, shift, stretch)

    @property
    def direction(self):
        """The derivative of the displacement at length 0."""
        return self._own + self._common

    def displacement(self, length=1.0):
        """How the parameters move when so much of the direction is taken.

        A change of log a turns an item's curve about the ability where it is
        informative, not about zero: the intercept of a steep, distant item would
        otherwise be thrown off by the curvature of a in log a.

        Parameters
        ----------
        length : float or ndarray
            One for all, or one for each parameter.
        """
        step = length * self._own
        if self._pivot is not None:
            slopes = step[: self._n]
            step[self._n :] -= self._pivot * (np.expm1(slopes) - slopes)
        return step + length * self._common

    def _limits(self, current, own):
        """Factors that shorten the step of each item whose curve moves too far.

        What counts is log a and the logit where the item is informative: the intercept
        of a steep item far from zero may have a long way to go.
        """
        by_slope, by_intercept = own[: self._n], own[self._n :]
        if self._likelihood.common_slope:
            return _LONGEST_STEP / max(np.abs(by_slope).max(), _LONGEST_STEP)
        logit = by_intercept + _pivot(current) * by_slope
        longest = np.maximum(np.abs(by_slope), np.abs(logit))
        factor = _LONGEST_STEP / np.maximum(longest, _LONGEST_STEP)
        return np.concatenate([factor, factor])


def _turns(likelihood):
    return likelihood.log_slope and not likelihood.common_slope


def _pivot(current):
    """Slope parameter's leverage on the logit where each item is informative.

    a theta with log slopes, theta with plain ones; theta is the mean ability, weighted
    by the item's information.
    """
    information = current.information
    return information[:, 1] / np.maximum(information[:, 2], 1e-300)
