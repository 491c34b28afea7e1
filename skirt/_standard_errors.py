"""Covariance of the item parameters from the observed information.

The observed information is the complete data's less what not knowing theta takes
(Louis 1982). Where a matrix of all items with all items is affordable it is computed
whole and exactly. On long tests items are correlated only through what they share, the
location and the scale of theta: there each item keeps its own 2 x 2 block, and the
variance of a shift and a stretch of theta is added.
"""

from dataclasses import dataclass

import numpy as np

from skirt._cells import information_lost

# Multiplications worth spending on the exact matrix.
_AFFORDABLE = 3e8
# Smallest eigenvalue, relative to the diagonal, of a matrix that is left as it is.
_LEAST_DETERMINED = 1e-5


@dataclass(frozen=True)
class ItemCovariance:
    """Covariance of the items' (a, d), each of shape (n_items, 3): aa, ad, dd.

    Attributes
    ----------
    marginal : ndarray
        With the panel's sampling of location and scale: the items' standard errors.
    conditional : ndarray
        Of each item given all others, hence without it: what the total standard
        error of an ability adds.
    """

    marginal: np.ndarray
    conditional: np.ndarray


def item_covariance(calibration):
    """Return the `ItemCovariance` at a calibration's optimum."""
    likelihood = calibration.likelihood
    posterior = calibration.evaluation.posterior
    n_models, n_items = likelihood.data.responses.shape
    effort = n_models * posterior.nodes.size * n_items**2
    if posterior.model_weights is not None and effort <= _AFFORDABLE:
        hessian = _determined(observed_information(calibration), calibration.priors)
        conditional = _inverse_blocks(_blocks_of(hessian, likelihood.n_slopes))
        marginal = _blocks_of(np.linalg.inv(hessian), likelihood.n_slopes)
    else:
        conditional = _inverse_blocks(_observed_blocks(calibration))
        if likelihood.common_slope:
            conditional[:, 0] = 0.0
        marginal = conditional + _location_and_scale(calibration)
    if likelihood.common_slope:
        # A common slope is nothing but the scale of theta.
        conditional[:, :2] = 0.0
    if likelihood.log_slope:
        a = calibration.discrimination
        chain = np.column_stack([np.square(a), a, np.ones_like(a)])
        marginal, conditional = marginal * chain, conditional * chain
    return ItemCovariance(marginal, conditional)


def _determined(hessian, priors):
    """Return the information, raised where neither data nor priors determine anything.

    An estimated prior follows the items, so that on panels which say next to nothing
    some direction is free. It gets a standard error that is large, not undefined.
    """
    if not priors.estimated:
        return hessian
    scale = np.sqrt(np.maximum(np.abs(np.diag(hessian)), 1e-300))
    values, vectors = np.linalg.eigh(hessian / scale / scale[:, None])
    if values[0] > _LEAST_DETERMINED:
        return hessian
    raised = (vectors * np.maximum(values, _LEAST_DETERMINED)) @ vectors.T
    return raised * scale * scale[:, None]


def observed_information(calibration):
    """Return the negative Hessian of the objective, slopes first, then intercepts."""
    likelihood, evaluation = calibration.likelihood, calibration.evaluation
    n_items, n_slopes = likelihood.data.n_items, likelihood.n_slopes
    lost = _expected_score_covariance(calibration)
    chain = np.ones(2 * n_items)
    if likelihood.log_slope:
        chain[:n_items] = calibration.discrimination
    hessian = -lost * chain * chain[:, None]
    slope, intercept = np.arange(n_items), np.arange(n_items, 2 * n_items)
    hessian[slope, slope] += evaluation.information[:, 0]
    hessian[slope, intercept] += evaluation.information[:, 1]
    hessian[intercept, slope] += evaluation.information[:, 1]
    hessian[intercept, intercept] += evaluation.information[:, 2]
    if likelihood.common_slope:
        joined = np.empty((n_items + 1, n_items + 1))
        joined[1:, 1:] = hessian[n_items:, n_items:]
        joined[0, 1:] = joined[1:, 0] = hessian[:n_items, n_items:].sum(axis=0)
        joined[0, 0] = hessian[:n_items, :n_items].sum()
        hessian = joined
    return hessian + _prior_hessian(calibration, n_slopes)


def _expected_score_covariance(calibration):
    """Sum over models of the posterior covariance of the items' scores for (a, d)."""
    likelihood = calibration.likelihood
    posterior, data = calibration.evaluation.posterior, likelihood.data
    n_items = data.n_items
    weights = posterior.model_weights * data.weights[:, None]
    probability = posterior.curves.probability(slice(None))
    first = np.empty((data.n_models, 2 * n_items))
    products = _score_products if data.complete else _masked_score_products
    second = products(data, posterior.nodes, probability, weights)
    out = np.block([[second[2], second[1]], [second[1], second[0]]])
    mask = data.mask_rows(slice(None))
    for power, columns in ((1, slice(n_items)), (0, slice(n_items, None))):
        held = posterior.model_weights * posterior.nodes**power
        total = held.sum(axis=1, keepdims=True)
        first[:, columns] = (total * data.responses - held @ probability.T) * mask
    first *= np.sqrt(data.weights)[:, None]
    return out - first.T @ first


def _score_products(data, nodes, probability, weights):
    """Sum weight * theta^k (x - P)(x - P)' over models and nodes, for k = 0, 1, 2.

    Multiplied out, so that models and nodes never meet the items together.
    """
    right = data.responses.T @ weights
    out = []
    for power in range(3):
        factor = nodes**power
        own = data.responses.T @ ((weights @ factor)[:, None] * data.responses)
        mixed = (right * factor) @ probability.T
        curves = (probability * (weights.sum(axis=0) * factor)) @ probability.T
        out.append(own - mixed - mixed.T + curves)
    return out


def _masked_score_products(data, nodes, probability, weights):
    """The same where models answered different items: node by node."""
    mask = data.mask_rows(slice(None))
    out = [np.zeros((data.n_items, data.n_items)) for _ in range(3)]
    # Nodes that hold nothing of any posterior add nothing.
    held = np.flatnonzero(weights.max(axis=0) > 1e-14)
    for q in held:
        score = (data.responses - probability[:, q]) * mask
        score *= np.sqrt(weights[:, q, None])
        product = score.T @ score
        for power in range(3):
            out[power] += nodes[q] ** power * product
    return out


def _prior_hessian(calibration, n_slopes):
    """Negative second derivative of the log prior, estimated locations following."""
    likelihood, priors = calibration.likelihood, calibration.priors
    parameters = calibration.evaluation.parameters
    information = likelihood.prior_information(priors, parameters)
    size = n_slopes + likelihood.data.n_items
    out = np.zeros((size, size))
    np.fill_diagonal(out, np.concatenate([np.zeros(n_slopes), information[:, 2]]))
    if n_slopes == 1:
        out[0, 0] = priors.slope.precision
    else:
        out[np.arange(n_slopes), np.arange(n_slopes)] = information[:, 0]
        lean = np.arange(n_slopes), np.arange(n_slopes, size)
        out[lean] = out[lean[::-1]] = information[:, 1]
    out[:n_slopes, :n_slopes] -= np.diag(_log_slope_bend(calibration))
    if priors.slope.estimated:
        out[:n_slopes, :n_slopes] -= priors.slope.precision / n_slopes
    if priors.intercept.estimated:
        # What the profiled location takes up along its own direction.
        direction = np.zeros(size)
        direction[n_slopes:] = 1.0
        if not likelihood.common_slope:
            direction[n_slopes:] = calibration.discrimination
            # The change of the prior mean's lean, and of what is left to explain.
            chain = calibration.discrimination if likelihood.log_slope else 1.0
            _, deviations = likelihood.deviations(priors, parameters)
            lean = information[:, 1] / information[:, 2] * calibration.discrimination
            direction[:n_slopes] = lean + chain * deviations
        length = direction[n_slopes:] @ direction[n_slopes:]
        direction *= np.sqrt(priors.intercept.precision / length)
        out -= np.outer(direction, direction)
    return out


def _log_slope_bend(calibration):
    """What the second derivative of a in log a takes from the information.

    At the optimum it is the prior's pull on log a: whatever moves a is balanced by it.
    """
    slope = calibration.priors.slope
    if slope.sd is None:
        return np.zeros(calibration.likelihood.n_slopes)
    slopes = calibration.evaluation.parameters[: calibration.likelihood.n_slopes]
    return slope.precision * slope.deviations(slopes)


def _observed_blocks(calibration):
    """Each item's 2 x 2 block of the observed information, to first order."""
    likelihood, evaluation = calibration.likelihood, calibration.evaluation
    posterior = evaluation.posterior
    a = calibration.discrimination
    lost = information_lost(
        likelihood.data,
        posterior.mean,
        np.square(posterior.sd),
        a,
        calibration.intercept,
    )
    if likelihood.log_slope:
        lost *= np.column_stack([np.square(a), a, np.ones_like(a)])
    blocks = evaluation.information - lost
    blocks += likelihood.prior_information(calibration.priors, evaluation.parameters)
    if likelihood.common_slope:
        blocks[:, 1] = 0.0
    else:
        blocks[:, 0] -= _log_slope_bend(calibration)
    return blocks


def _location_and_scale(calibration):
    """Covariance that an uncertain shift and stretch of theta give each item.

    The information about them is that of a sample of N(mu, tau^2), less what not
    knowing theta takes; a fixed prior of the items adds its own.
    """
    likelihood, priors = calibration.likelihood, calibration.priors
    posterior, weights = calibration.evaluation.posterior, likelihood.data.weights
    mean, variance = posterior.mean, np.square(posterior.sd)
    shift, stretch = likelihood.scale_directions(calibration.evaluation.parameters)
    by_slope = stretch[: likelihood.n_slopes]
    by_intercept = shift[likelihood.n_slopes :]
    information = np.empty((2, 2))
    information[0, 0] = weights @ (1.0 - variance)
    information[0, 1] = weights @ (2 * mean - 2 * mean * variance)
    information[1, 0] = information[0, 1]
    information[1, 1] = weights @ (
        2 * (np.square(mean) + variance)
        - 4 * np.square(mean) * variance
        - 2 * np.square(variance)
    )
    if not priors.intercept.estimated:
        information[0, 0] += priors.intercept.precision * by_intercept @ by_intercept
    if not priors.slope.estimated:
        information[1, 1] += priors.slope.precision * by_slope.size
    covariance = np.linalg.inv(information)
    return np.column_stack(
        np.broadcast_arrays(
            covariance[1, 1] * np.square(by_slope),
            covariance[0, 1] * by_slope * by_intercept,
            covariance[0, 0] * np.square(by_intercept),
        )
    )


def _blocks_of(matrix, n_slopes):
    """Each item's 2 x 2 block of a matrix over slopes and intercepts: aa, ad, dd."""
    n_items = matrix.shape[0] - n_slopes
    slope = np.minimum(np.arange(n_items), n_slopes - 1)
    intercept = np.arange(n_slopes, n_slopes + n_items)
    return np.column_stack(
        [
            matrix[slope, slope],
            matrix[slope, intercept],
            matrix[intercept, intercept],
        ]
    )


def _inverse_blocks(blocks):
    determinant = blocks[:, 0] * blocks[:, 2] - np.square(blocks[:, 1])
    swapped = np.column_stack([blocks[:, 2], -blocks[:, 1], blocks[:, 0]])
    return swapped / determinant[:, None]
