"""Limited-memory quasi-Newton acceleration (Nocedal 1980) of any base metric."""

import numpy as np

_MEMORY = 10


class History:
    """The last steps and the changes of the gradient along them."""

    def __init__(self):
        self.pairs = []

    def clear(self):
        self.pairs = []

    def remember(self, step, change):
        """Keep a pair if it shows positive curvature."""
        curvature = step @ change
        if curvature > 1e-10 * np.sqrt((step @ step) * (change @ change)):
            self.pairs = [*self.pairs[1 - _MEMORY :], (step, change, curvature)]

    def direction(self, gradient, metric):
        """Return the quasi-Newton step on top of the metric's own."""
        out = gradient.copy()
        shares = []
        for step, change, curvature in reversed(self.pairs):
            share = step @ out / curvature
            out -= share * change
            shares.append(share)
        out = metric.item_steps(out) + metric.common_steps(out)
        for (step, change, curvature), share in zip(
            self.pairs, reversed(shares), strict=True
        ):
            out += (share - change @ out / curvature) * step
        return out
