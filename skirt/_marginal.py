"""The penalised marginal likelihood of the items, its gradient and curvature.

Item parameters are held as one vector: slopes first, then intercepts. The slope
parameter is log a under a lognormal prior and a itself without a prior; one common
slope (the Rasch model) is a single number.
"""

from dataclasses import dataclass

import numpy as np

from skirt._curves import expected_moments
from skirt._estep import EStep, Posterior
from skirt._priors import Priors


@dataclass
class Evaluation:
    """Everything known at one vector of item parameters."""

    parameters: np.ndarray
    posterior: Posterior
    log_likelihood: float
    gradient: np.ndarray  # of the log-likelihood, in the parameters
    information: np.ndarray  # (n_items, 3): aa, ad, dd; of the complete data
    moments: np.ndarray  # (n_items, 3): see `skirt._curves.expected_moments`
    loss: np.ndarray  # (n_items, 2): the same; empty unless asked for
    skewness: np.ndarray  # (n_items, 4): the same


class MarginalLikelihood:
    """Marginal likelihood of response data under the 2PL or the Rasch model.

    Parameters
    ----------
    data : ResponseData
    log_slope : bool
        Whether the slope parameter is log a.
    common_slope : bool
        Whether all items share one slope.
    higher : bool
        Whether evaluations carry what the items' posterior moments need.
    """

    def __init__(self, data, *, log_slope, common_slope, higher):
        self.data = data
        self.log_slope = log_slope
        self.common_slope = common_slope
        self.higher = higher
        self.n_slopes = 1 if common_slope else data.n_items
        self.n_evaluations = 0
        self._estep = EStep(data)
        self.answers_right = data.weights @ data.responses
        self.total_weight = float(data.weights.sum())

    def split(self, parameters):
        """Return slopes a and intercepts d, each (n_items,)."""
        slopes = parameters[: self.n_slopes]
        if self.log_slope:
            slopes = np.exp(slopes)
        if self.common_slope:
            slopes = np.full(self.data.n_items, slopes[0])
        return slopes, parameters[self.n_slopes :]

    def join(self, discrimination, intercept):
        """Return the parameter vector of these slopes and intercepts."""
        slopes = discrimination[: self.n_slopes]
        return np.concatenate([np.log(slopes) if self.log_slope else slopes, intercept])

    def evaluate(self, parameters):
        """Return the `Evaluation` at a parameter vector."""
        self.n_evaluations += 1
        data = self.data
        discrimination, intercept = self.split(parameters)
        posterior = self._estep(discrimination, intercept)
        answers, moments, loss, skewness = expected_moments(
            posterior.curves, posterior.node_weights, data.masks, higher=self.higher
        )
        right = (data.weights * posterior.mean) @ data.responses
        by_slope = right - answers[:, 1]
        by_intercept = self.answers_right - answers[:, 0]
        information = moments[:, [2, 1, 0]]
        if self.log_slope:
            by_slope = by_slope * discrimination
            information[:, 0] *= np.square(discrimination)
            information[:, 1] *= discrimination
        if self.common_slope:
            by_slope = by_slope.sum(keepdims=True)
        return Evaluation(
            parameters=parameters,
            posterior=posterior,
            log_likelihood=float(data.weights @ posterior.log_likelihood),
            gradient=np.concatenate([by_slope, by_intercept]),
            information=information,
            moments=moments,
            loss=loss,
            skewness=skewness,
        )

    def located(self, priors, parameters):
        """Return the priors with their estimated locations at these parameters."""
        discrimination, intercept = self.split(parameters)
        return Priors(
            priors.slope.located_slopes(parameters[: self.n_slopes]),
            priors.intercept.located_intercepts(
                intercept, None if self.common_slope else discrimination
            ),
        )

    def deviations(self, priors, parameters):
        """Return slopes and intercepts less their prior means."""
        discrimination, intercept = self.split(parameters)
        return (
            priors.slope.deviations(parameters[: self.n_slopes]),
            priors.intercept.deviations(intercept, discrimination),
        )

    def log_prior(self, priors, parameters):
        """Log prior density of the item parameters."""
        slopes, intercepts = self.deviations(priors, parameters)
        return priors.slope.log_density(slopes) + priors.intercept.log_density(
            intercepts
        )

    def prior_gradient(self, priors, parameters):
        """Gradient of `log_prior`, the estimated locations being at their best."""
        slopes, intercepts = self.deviations(priors, parameters)
        pull = priors.intercept.precision * intercepts
        by_slope = -priors.slope.precision * slopes
        if priors.intercept.slope != 0.0:
            by_slope = by_slope + pull * self._prior_mean_slope(priors, parameters)
        return np.concatenate([by_slope, -pull])

    def prior_information(self, priors, parameters):
        """Negative second derivative of `log_prior`, (n_items or 1, 3): aa, ad, dd.

        Of the squares only: the second derivative of a in log a is left out, so that
        the matrix is positive definite everywhere.
        """
        lean = self._prior_mean_slope(priors, parameters)
        precision = priors.intercept.precision
        out = np.empty((self.data.n_items, 3))
        out[:, 0] = priors.slope.precision + precision * np.square(lean)
        out[:, 1] = -precision * lean
        out[:, 2] = precision
        return out

    def _prior_mean_slope(self, priors, parameters):
        """Derivative of the intercepts' prior mean in the slope parameter."""
        if not self.log_slope:
            return priors.intercept.slope
        return priors.intercept.slope * self.split(parameters)[0]

    def scale_directions(self, parameters):
        """Directions in which a shift and a stretch of theta move the parameters."""
        discrimination, _ = self.split(parameters)
        shift = np.concatenate([np.zeros(self.n_slopes), discrimination])
        stretch = np.zeros_like(shift)
        stretch[: self.n_slopes] = (
            1.0 if self.log_slope else parameters[: self.n_slopes]
        )
        return shift, stretch
