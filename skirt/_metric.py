"""The curvature in which one step of EM is a Newton step."""

import numpy as np


class Metric:
    """The curvature that one item sees, and that of the common shift and stretch."""

    def __init__(self, likelihood, priors, current):
        self.common_slope = likelihood.common_slope
        self.n = likelihood.n_slopes
        prior = likelihood.prior_information(priors, current.parameters)
        self.block = current.information + prior
        if self.common_slope:
            # The prior of a common slope counts once, not once per item.
            self.block[:, 0] -= priors.slope.precision
            self.slope_curvature = self.block[:, 0].sum() + priors.slope.precision
        self.block[:, [0, 2]] += 1e-10 * likelihood.total_weight
        self.shift, self.stretch = likelihood.scale_directions(current.parameters)
        # A fixed prior also holds shift and stretch; an estimated one moves along.
        self.shift_curvature = likelihood.total_weight
        self.stretch_curvature = 2.0 * likelihood.total_weight
        if not priors.intercept.estimated:
            shift = self.shift[self.n :]
            self.shift_curvature += priors.intercept.precision * shift @ shift
        if not priors.slope.estimated:
            self.stretch_curvature += priors.slope.precision * self.n

    def standardised(self, gradient):
        """Largest gradient in units of its own standard deviation."""
        by_slope, by_intercept = gradient[: self.n], gradient[self.n :]
        solved = self.item_steps(gradient)
        if self.common_slope:
            squares = np.append(
                by_slope**2 / self.slope_curvature, by_intercept**2 / self.block[:, 2]
            )
        else:
            squares = by_slope * solved[: self.n] + by_intercept * solved[self.n :]
        return float(
            max(
                np.sqrt(max(squares.max(), 0.0)),
                abs(self.shift @ gradient) / np.sqrt(self.shift_curvature),
                abs(self.stretch @ gradient) / np.sqrt(self.stretch_curvature),
            )
        )

    def common_steps(self, gradient):
        """Newton step along the common shift and stretch."""
        shift = self.shift @ gradient / self.shift_curvature
        stretch = self.stretch @ gradient / self.stretch_curvature
        return shift * self.shift + stretch * self.stretch

    def common_share(self, direction):
        """Shift and stretch of ability in a direction; the items' own moves are left.

        Weighted least squares, each item by its own curvature.
        """
        n, (aa, ad, dd) = self.n, self.block.T
        by_slope, by_intercept = direction[:n], direction[n:]
        shift, stretch = self.shift[n:], self.stretch[:n]
        crossed = (shift * ad) @ stretch
        normal = [
            [(shift * dd) @ shift, crossed],
            [crossed, (stretch * aa) @ stretch],
        ]
        right = [
            shift @ (ad * by_slope + dd * by_intercept),
            stretch @ (aa * by_slope + ad * by_intercept),
        ]
        return np.linalg.lstsq(normal, right, rcond=None)[0]

    def item_steps(self, gradient):
        """Newton step of every item by itself."""
        n, block = self.n, self.block
        by_slope, by_intercept = gradient[:n], gradient[n:]
        if self.common_slope:
            ratio = block[:, 1] / block[:, 2]
            schur = self.slope_curvature - ratio @ block[:, 1]
            slope = (by_slope - ratio @ by_intercept) / max(
                schur, 1e-8 * self.slope_curvature
            )
            return np.concatenate([slope, by_intercept / block[:, 2] - ratio * slope])
        determinant = block[:, 0] * block[:, 2] - np.square(block[:, 1])
        return np.concatenate(
            [
                (block[:, 2] * by_slope - block[:, 1] * by_intercept) / determinant,
                (block[:, 0] * by_intercept - block[:, 1] * by_slope) / determinant,
            ]
        )
