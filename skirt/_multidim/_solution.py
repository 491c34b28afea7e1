"""A calibration on the axes that were asked for."""

from dataclasses import dataclass

import numpy as np

from skirt._multidim._rotation import rotate
from skirt._multidim._standard_errors import item_covariances, population_covariance
from skirt._threads import one_blas_thread


@dataclass(frozen=True)
class Solution:
    """Items and priors on the final axes.

    Attributes
    ----------
    rotation : ndarray of shape (n_components, n_components)
        From the principal axes.
    correlation : ndarray of shape (n_components, n_components)
        Of the abilities.
    discrimination, discrimination_se : ndarray of shape (n_items, n_components)
    intercept_se : ndarray of shape (n_items,)
    discrimination_prior : tuple (mean, covariance) or None
    intercept_prior : tuple (mean, slopes, sd) or None
    item_covariance : ndarray of shape (n_items, n_components + 1, n_components + 1)
        Of (a, d) as the calibration counted it; None where items are points.
    """

    rotation: np.ndarray
    correlation: np.ndarray
    discrimination: np.ndarray
    discrimination_se: np.ndarray
    intercept_se: np.ndarray
    discrimination_prior: tuple | None
    intercept_prior: tuple | None
    item_covariance: np.ndarray | None


@one_blas_thread
def solve_axes(data, calibration, free, rotation, target):
    """Rotate a calibration, or turn its signs, and everything with it.

    Parameters
    ----------
    data : ResponseData
    calibration : Calibration
    free : ndarray of bool, shape (n_items, n_components), or None
        The loadings of a confirmatory model, which has its axes.
    rotation : str or None
    target : ndarray of shape (n_items, n_components) or None

    Returns
    -------
    Solution
    """
    unrotated = calibration.discrimination
    n_components = unrotated.shape[1]
    if free is not None:
        turn = np.diag(np.where(unrotated.sum(axis=0) < 0, -1.0, 1.0))
        rotation_matrix = np.eye(n_components)
        correlation = turn @ calibration.correlation @ turn
    else:
        turn = rotate(unrotated, rotation, target)
        rotation_matrix = rotate(unrotated, None).T @ turn
        correlation = turn.T @ turn
        # Ones to the last digit.
        np.fill_diagonal(correlation, 1.0)
    back = np.linalg.inv(turn).T
    covariance = _sampling_covariance(data, calibration, free)
    slopes = np.einsum("lk,jlm,mk->jk", back, covariance[:, :-1, :-1], back)
    if free is not None:
        slopes = np.where(free, slopes, 0.0)
    slope_prior, intercept_prior = _priors(calibration.priors, turn, back)
    known = calibration.covariance
    if known is not None:
        move = np.eye(n_components + 1)
        move[:-1, :-1] = back.T
        known = move @ known @ move.T
    return Solution(
        rotation_matrix,
        correlation,
        unrotated @ back,
        np.sqrt(slopes),
        np.sqrt(covariance[:, -1, -1]),
        slope_prior,
        intercept_prior,
        known,
    )


def _sampling_covariance(data, calibration, free):
    """Each item's covariance, with what the panel's own location and scale add."""
    posterior, a = calibration.posterior, calibration.discrimination
    return item_covariances(
        data,
        posterior.mean,
        posterior.covariance,
        a,
        calibration.intercept,
        calibration.information,
    ) + population_covariance(
        data, posterior.covariance, calibration.correlation, a, free is not None
    )


def _priors(priors, turn, back):
    """The priors of slopes and intercepts on the new axes."""
    slope = intercept = None
    if priors.slope_covariance is not None:
        slope = back.T @ priors.slope_mean, back.T @ priors.slope_covariance @ back
    if priors.intercept_sd is not None:
        lean = turn.T @ priors.intercept_lean
        intercept = priors.intercept_mean, lean, priors.intercept_sd
    return slope, intercept
