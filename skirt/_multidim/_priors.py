"""Priors of the items of a multidimensional model.

Slopes are normal, a ~ N(m, S), so that a rotation of the abilities takes the prior
along and items may load on a dimension with either sign or not at all; intercepts given
the slopes are normal around m_d + g' a, so that a shift of the abilities does the same.
"""

from dataclasses import dataclass, replace

import numpy as np

# Standard deviations of estimated priors stay between these.
SLOPE_SD_BOUNDS = (0.05, 3.0)
INTERCEPT_SD_BOUNDS = (0.1, 5.0)


@dataclass(frozen=True)
class ItemPriors:
    """The normal priors of slopes and intercepts; a missing one is not there.

    Attributes
    ----------
    slope_mean : ndarray of shape (n_components,)
    slope_covariance : ndarray of shape (n_components, n_components) or None
    slope_estimated : bool
    intercept_mean : float
    intercept_lean : ndarray of shape (n_components,)
    intercept_sd : float or None
    intercept_estimated : bool
    """

    slope_mean: np.ndarray
    slope_covariance: np.ndarray | None
    slope_estimated: bool
    intercept_mean: float
    intercept_lean: np.ndarray
    intercept_sd: float | None
    intercept_estimated: bool

    @classmethod
    def from_parameters(cls, slope, intercept, n_components):
        """Make priors from "auto", an SD (or mean and SD of intercepts), or None."""
        zeros = np.zeros(n_components)
        if slope is None:
            covariance = None
        else:
            covariance = np.eye(n_components) * (1.0 if slope == "auto" else slope**2)
        if intercept is None:
            mean, sd = 0.0, None
        else:
            mean, sd = (0.0, 1.5) if intercept == "auto" else intercept
        return cls(
            zeros,
            covariance,
            slope == "auto",
            mean,
            zeros,
            sd,
            intercept == "auto",
        )

    @property
    def rescalable(self):
        """Whether abilities may be stretched without a change of the priors' pull."""
        if self.slope_covariance is None:
            return True
        # At its upper bound an estimated prior holds like a fixed one.
        widest = np.linalg.eigvalsh(self.slope_covariance)[-1]
        return self.slope_estimated and widest < 0.999 * SLOPE_SD_BOUNDS[1] ** 2

    @property
    def movable(self):
        """Whether abilities may be shifted without a change of the priors' pull."""
        return self.intercept_sd is None or self.intercept_estimated

    def pull(self, discrimination, intercept):
        """Gradient of the log prior, (n_items, n_components + 1)."""
        n_items, n_components = discrimination.shape
        out = np.zeros((n_items, n_components + 1))
        if self.slope_covariance is not None:
            deviation = discrimination - self.slope_mean
            out[:, :-1] -= np.linalg.solve(self.slope_covariance, deviation.T).T
        if self.intercept_sd is not None:
            left = self._left_over(discrimination, intercept) / self.intercept_sd**2
            out[:, :-1] += np.multiply.outer(left, self.intercept_lean)
            out[:, -1] -= left
        return out

    @property
    def precision(self):
        """Minus the second derivative, (n_components + 1, n_components + 1)."""
        n_components = self.slope_mean.size
        out = np.zeros((n_components + 1, n_components + 1))
        if self.slope_covariance is not None:
            out[:-1, :-1] = np.linalg.inv(self.slope_covariance)
        if self.intercept_sd is not None:
            direction = np.append(-self.intercept_lean, 1.0)
            out += np.outer(direction, direction) / self.intercept_sd**2
        return out

    def divergence(self, discrimination, intercept, covariance, free, known):
        """How far the items are from their priors.

        The Kullback-Leibler divergence of what is known of them, or minus the log
        density, less a constant, where they are taken as they are.

        Parameters
        ----------
        discrimination, intercept : ndarray
        covariance : ndarray of shape (n_items, n_components + 1, same), or None
        free, known
            As of :meth:`reestimated`.
        """
        a, d = discrimination[known], intercept[known]
        deviation = a - self.slope_mean
        if free is not None:
            deviation = deviation * free[known]
        out = 0.0
        if self.slope_covariance is not None:
            inverse = np.linalg.inv(self.slope_covariance)
            out += np.einsum("jk,kl,jl->", deviation, inverse, deviation)
            logdet = np.linalg.slogdet(self.slope_covariance)[1] * len(a)
            if free is not None:
                logdet = free[known].sum(axis=0) @ np.log(
                    np.diag(self.slope_covariance)
                )
            out += logdet
        if self.intercept_sd is not None:
            squares = np.square(self._left_over(a, d)).sum() / self.intercept_sd**2
            out += squares + 2.0 * np.log(self.intercept_sd) * len(d)
        if self.intercept_estimated:
            out += self.intercept_lean @ self.intercept_lean  # see `_regression`
        if covariance is not None:
            v = covariance[known]
            out += np.einsum("kl,jkl->", self.precision, v)
            if free is not None:
                v = v.copy()
                item, component = np.nonzero(~free[known])
                v[item, component, component] = 1.0
            out -= np.linalg.slogdet(v)[1].sum()
        return 0.5 * float(out)

    def _left_over(self, discrimination, intercept):
        mean = self.intercept_mean + discrimination @ self.intercept_lean
        return intercept - mean

    def reestimated(self, discrimination, intercept, covariance, free, known):
        """One step of EM for what is estimated.

        Parameters
        ----------
        discrimination, intercept : ndarray
        covariance : ndarray of shape (n_items, n_components + 1, n_components + 1)
            Posterior covariance of each item's own parameters.
        free : ndarray of bool, shape (n_items, n_components), or None
            The loadings that are estimated, in a confirmatory model.
        known : ndarray of bool, shape (n_items,)
            The items with answers.
        """
        out = self
        a, d, v = discrimination[known], intercept[known], covariance[known]
        if self.slope_estimated:
            out = replace(out, **_slope_moments(a, v[:, :-1, :-1], free, known))
        if self.intercept_estimated:
            beta, variance = _regression(a, d, v, self.intercept_sd)
            sd = float(np.clip(np.sqrt(variance), *INTERCEPT_SD_BOUNDS))
            out = replace(
                out,
                intercept_mean=float(beta[-1]),
                intercept_lean=beta[:-1],
                intercept_sd=sd,
            )
        return out

    def log_spreads(self):
        """What is estimated of the spreads, free to take any values."""
        out = []
        if self.slope_covariance is not None and self.slope_estimated:
            logarithm = _spectral(np.log, self.slope_covariance)
            out.append(logarithm[np.triu_indices_from(logarithm)])
        if self.intercept_sd is not None and self.intercept_estimated:
            out.append([2.0 * np.log(self.intercept_sd)])
        return np.concatenate(out) if out else np.empty(0)

    def with_log_spreads(self, values):
        """The same priors with other spreads, within their bounds."""
        out = self
        if self.slope_covariance is not None and self.slope_estimated:
            matrix = np.zeros_like(self.slope_covariance)
            upper = np.triu_indices_from(matrix)
            matrix[upper] = values[: upper[0].size]
            matrix += np.triu(matrix, 1).T
            low, high = 2.0 * np.log(SLOPE_SD_BOUNDS)
            bounded = _spectral(lambda v: np.exp(np.clip(v, low, high)), matrix)
            out = replace(out, slope_covariance=bounded)
        if self.intercept_sd is not None and self.intercept_estimated:
            sd = np.clip(np.exp(0.5 * values[-1]), *INTERCEPT_SD_BOUNDS)
            out = replace(out, intercept_sd=float(sd))
        return out

    def change_from(self, other):
        """Relative change of the spreads, as one number."""
        change = 0.0
        if self.slope_covariance is not None and self.slope_estimated:
            old = np.sqrt(np.linalg.eigvalsh(other.slope_covariance))
            new = np.sqrt(np.linalg.eigvalsh(self.slope_covariance))
            change = float(np.abs(np.log(new / old)).max())
        if self.intercept_estimated:
            ratio = self.intercept_sd / other.intercept_sd
            change = max(change, abs(float(np.log(ratio))))
        return change


def _spectral(function, matrix):
    """Apply a function to the eigenvalues of a symmetric matrix."""
    values, vectors = np.linalg.eigh(matrix)
    return (vectors * function(values)) @ vectors.T


def _regression(a, d, v, sd):
    """Regression of intercepts on slopes, in expectation over what they may be.

    `sd` is that of the intercepts so far. The coefficients have a N(0, 1) prior:
    slopes of an ability that is not there could stand for the intercepts just as well,
    and what cannot be told apart would drift, slowly.
    """
    n_items, n_components = a.shape
    design = np.column_stack([a, np.ones(n_items)])
    gram = design.T @ design
    gram[:-1, :-1] += v[:, :-1, :-1].sum(axis=0)
    moment = design.T @ d
    moment[:-1] += v[:, :-1, -1].sum(axis=0)
    gram[np.diag_indices(n_components)] += sd**2
    gram[-1, -1] += 1e-8 * n_items
    beta = np.linalg.solve(gram, moment)
    direction = np.append(-beta[:-1], 1.0)
    spread = np.einsum("k,jkl,l->j", direction, v, direction)
    return beta, np.mean(np.square(d - design @ beta) + spread)


def _slope_moments(a, v, free, known):
    if free is None:
        mean = a.mean(axis=0)
        deviation = a - mean
        covariance = deviation.T @ deviation / a.shape[0] + v.mean(axis=0)
        bounds = np.square(SLOPE_SD_BOUNDS)
        bounded = _spectral(lambda values: np.clip(values, *bounds), covariance)
        return {"slope_mean": mean, "slope_covariance": bounded}
    # Each dimension by itself: what is fixed at 0 tells nothing.
    free = free[known]
    count = np.maximum(free.sum(axis=0), 1)
    mean = (a * free).sum(axis=0) / count
    square = (np.square(a - mean) + np.einsum("jkk->jk", v)) * free
    variance = np.clip(square.sum(axis=0) / count, *np.square(SLOPE_SD_BOUNDS))
    return {"slope_mean": mean, "slope_covariance": np.diag(variance)}
