"""Posterior moments of each item's own parameters, to second order.

The mode of a skewed posterior is not its mean: with few models the mode of log a lies
above its mean, and a prior SD estimated from modes comes out too small. Third
derivatives of the log posterior give the difference (Tierney & Kadane 1986).
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class ItemPosterior:
    """Moments of (slope parameter, intercept) of each item.

    Attributes
    ----------
    shift : ndarray of shape (n_items, 2)
        Posterior mean less mode.
    covariance : ndarray of shape (n_items, 3)
        Variance of the slope parameter, covariance, variance of the intercept.
    """

    shift: np.ndarray
    covariance: np.ndarray


def item_posterior(likelihood, priors, evaluation):
    """Return the `ItemPosterior` at the present parameters and abilities."""
    data, posterior = likelihood.data, evaluation.posterior
    a, _ = likelihood.split(evaluation.parameters)
    moments, squares, cubes = evaluation.moments, evaluation.loss, evaluation.skewness
    # Not knowing theta costs sigma^2 u u' per model, u the derivative of the item's
    # score in theta; here in expectation over the answers.
    squared = data.sum_over_patterns(np.square(posterior.sd)[:, None])[:, 0]
    variance = squared @ data.masks / np.maximum(data.answers_per_item(), 1e-12)
    loss = np.column_stack(
        [moments[:, 0] + np.square(a) * squares[:, 1], np.square(a) * squares[:, 0]]
    )
    loss *= variance[:, None]
    chain = a if likelihood.log_slope else np.ones_like(a)
    loss[:, 0] *= np.square(chain)
    # However short the test, an item keeps a tenth of its information. Rows and
    # columns shrink together, which leaves the matrix positive definite.
    information = np.maximum(evaluation.information[:, ::2], 1e-300)
    kept = 1.0 - np.minimum(loss / information, 0.9)
    hessian = evaluation.information.copy()
    hessian[:, ::2] *= kept
    hessian[:, 1] *= np.sqrt(kept[:, 0] * kept[:, 1])
    hessian += likelihood.prior_information(priors, evaluation.parameters)
    determinant = hessian[:, 0] * hessian[:, 2] - np.square(hessian[:, 1])
    covariance = (
        np.column_stack([hessian[:, 2], -hessian[:, 1], hessian[:, 0]])
        / determinant[:, None]
    )
    third = -np.column_stack(
        [
            chain**3 * cubes[:, 3],
            chain**2 * cubes[:, 2],
            chain * cubes[:, 1],
            cubes[:, 0],
        ]
    )
    if likelihood.log_slope:
        # The second derivatives in a also bend log a.
        third[:, 0] -= 3 * evaluation.information[:, 0]
        third[:, 1] -= evaluation.information[:, 1]
    return ItemPosterior(_mean_shift(covariance, third), covariance)


def _mean_shift(covariance, third):
    """Half of V times the contraction of the third derivatives with V."""
    v_aa, v_ad, v_dd = covariance.T
    t_aaa, t_aad, t_add, t_ddd = third.T
    along_slope = t_aaa * v_aa + 2 * t_aad * v_ad + t_add * v_dd
    along_intercept = t_aad * v_aa + 2 * t_add * v_ad + t_ddd * v_dd
    shift = 0.5 * np.column_stack(
        [
            v_aa * along_slope + v_ad * along_intercept,
            v_ad * along_slope + v_dd * along_intercept,
        ]
    )
    # A correction of more than a standard deviation is no correction.
    sd = np.sqrt(np.column_stack([v_aa, v_dd]))
    return np.clip(shift, -sd, sd)
