"""Priors of the item parameters, fixed or estimated from the panel.

log a ~ N(m_a, s_a^2) and d | a ~ N(m_d + g a, s_d^2). Where a prior is estimated
("auto"), m_a and g are profiled out: they follow the item parameters at every step, so
that a change of the scale's unit or origin moves prior and parameters together and
cannot be penalised. m_d and the SDs are estimated by EM from the items' posterior
moments: s^2 = mean[(posterior mean - m)^2 + posterior variance], solved for s as in
MacKay (1992), because the plain iteration is slow where items are much shrunk. (Were
m_d profiled out too, slopes of little spread could be bent to any intercepts by a steep
regression on them: the modes would fit their own prior.)
"""

from dataclasses import dataclass, replace

import numpy as np

# Bounds of the estimated scales and of the mean log discrimination. Reaching one is
# reported: the panel then does not determine that part of the prior.
SLOPE_SD_BOUNDS = (0.1, 1.25)
INTERCEPT_SD_BOUNDS = (0.1, 5.0)
SLOPE_MEAN_BOUNDS = (np.log(0.02), np.log(20.0))
# Of the prior mean at the average discrimination.
INTERCEPT_MEAN_BOUNDS = (-5.0, 5.0)

# Robust deviations count up to this many of their standard deviations.
_FAR = 3.0
# Relative spread of the discriminations at which the regression of the intercepts on
# them is shrunk by half.
_LEAST_SPREAD = 0.3


@dataclass(frozen=True)
class NormalPrior:
    """A normal prior of one kind of item parameter; `sd` None is no prior.

    Attributes
    ----------
    sd : float or None
    mean : float
    slope : float
        The g of the intercepts' prior mean; 0 elsewhere.
    estimated : bool
        Whether location and SD follow the panel.
    """

    sd: float | None
    mean: float = 0.0
    slope: float = 0.0
    estimated: bool = False

    @classmethod
    def from_parameter(cls, value, start):
        """Build it from the estimators' parameter: "auto", (mean, sd) or None."""
        if value is None:
            return cls(None)
        if isinstance(value, str):
            return cls(start[1], start[0], estimated=True)
        return cls(float(value[1]), float(value[0]))

    @property
    def precision(self):
        """1 / sd^2; 0 without a prior."""
        return 0.0 if self.sd is None else self.sd**-2

    def deviations(self, values, discrimination=None):
        """Return the values less their prior means."""
        out = values - self.mean
        return out if self.slope == 0.0 else out - self.slope * discrimination

    def log_density(self, deviations):
        """Sum of the log prior densities; 0 without a prior."""
        if self.sd is None:
            return 0.0
        constant = np.log(self.sd) + 0.5 * np.log(2 * np.pi)
        squares = 0.5 * self.precision * deviations @ deviations
        return float(-squares - deviations.size * constant)

    def located_slopes(self, values):
        """Return a slope prior whose mean is that of these log slopes."""
        if not self.estimated:
            return self
        return replace(self, mean=float(np.clip(values.mean(), *SLOPE_MEAN_BOUNDS)))

    def located_intercepts(self, values, discrimination):
        """Return an intercept prior that a shift of theta cannot be pulled by.

        With slopes: g at its best for the present m_d, so that the deviations are
        orthogonal to the direction of a shift. With one common slope (None) the
        intercepts' mean does that.
        """
        if not self.estimated:
            return self
        if discrimination is None:
            mean = float(np.clip(values.mean(), *INTERCEPT_MEAN_BOUNDS))
            return replace(self, mean=mean)
        squares = max(discrimination @ discrimination, 1e-12 * values.size)
        return replace(
            self, slope=float(discrimination @ (values - self.mean) / squares)
        )

    def scaled(self, deviations, variances, bounds, *, robust=False):
        """Return the prior with the next SD of the fixed point, within bounds.

        Parameters
        ----------
        deviations, variances : ndarray
            Posterior means of the items' deviations from the prior mean, and their
            posterior variances.
        bounds : pair of float
        robust : bool
            Whether a deviation counts no more than the item's own information makes
            plausible: the log slope of an item that runs against the rest has its
            mode far down where its likelihood is flat, and would stretch the prior of
            all other items without end. (A separating item's does so far up.)
        """
        if self.sd is None or not self.estimated:
            return self
        # Each item determines its own value to the degree that its posterior is
        # narrower than the prior; these degrees of freedom share the squares.
        determined = np.clip(1.0 - variances * self.precision, 0.0, 1.0)
        squares = np.square(deviations)
        if robust:
            squares = np.minimum(squares, _FAR**2 * determined * self.sd**2)
        proposal = squares.sum() / max(determined.sum(), 1e-3 * deviations.size)
        proposal = np.clip(proposal, 0.25 * self.sd**2, 4.0 * self.sd**2)
        return replace(self, sd=float(np.clip(np.sqrt(proposal), *bounds)))


def reestimated(priors, item_posterior, slopes, intercepts, discrimination, answered):
    """Return the priors after one EM step of what is estimated but not profiled.

    Parameters
    ----------
    priors : Priors
    item_posterior : ItemPosterior
    slopes, intercepts : ndarray
        The slope parameters (log a) and intercepts at the mode.
    discrimination : ndarray of shape (n_items,) or None
        a; None where the items share one slope.
    answered : ndarray of bool of shape (n_items,)
        Items that anybody answered; the others know nothing of the priors.
    """
    slope, intercept = priors.slope, priors.intercept
    shift = item_posterior.shift[answered]
    variance = item_posterior.covariance[answered]
    intercepts = intercepts[answered]
    if discrimination is not None:
        slopes, discrimination = slopes[answered], discrimination[answered]
    if slope.estimated:
        means = slopes + shift[:, 0]
        slope = slope.scaled(
            means - means.mean(), variance[:, 0], SLOPE_SD_BOUNDS, robust=True
        )
    if intercept.estimated:
        means = intercepts + shift[:, 1]
        deviation_variance = variance[:, 2]
        if discrimination is not None:
            # d | a: moments of a from those of log a, to first order.
            spread_a = np.square(discrimination) * variance[:, 0]
            joint = discrimination * variance[:, 1]
            centred = discrimination - discrimination.mean()
            spread = centred @ centred + spread_a.sum()
            spread += np.square(_LEAST_SPREAD * discrimination).sum()
            g = (centred @ means + joint.sum()) / spread
            level = float(np.clip(means.mean(), *INTERCEPT_MEAN_BOUNDS))
            mean = level - float(g) * float(discrimination.mean())
            intercept = replace(intercept, mean=mean)
            intercept = intercept.located_intercepts(intercepts, discrimination)
            g = intercept.slope
            means = means - g * discrimination * (1.0 + shift[:, 0])
            deviation_variance = deviation_variance - 2.0 * g * joint + g * g * spread_a
        intercept = intercept.scaled(
            means - intercept.mean, deviation_variance, INTERCEPT_SD_BOUNDS
        )
    return Priors(slope, intercept)


@dataclass(frozen=True)
class Priors:
    """The priors of slopes and intercepts."""

    slope: NormalPrior
    intercept: NormalPrior

    @property
    def estimated(self):
        """Whether anything about them follows the panel."""
        return self.slope.estimated or self.intercept.estimated
