"""A guarded M-step: each item's Newton step, shortened until the item itself gains.

With the posteriors held, EM's Q function is a sum over items, so that a step which
improves every item improves the marginal likelihood. It is the way on where one length
for all items, however short, fails the line search: in the first steps on items whose
curves are steep.
"""

import numpy as np

from skirt._curves import item_blocks, logistic

_TRIES = 10


def guarded_step(likelihood, priors, current, move):
    """Return a displacement of the parameters that lowers no item's share of Q.

    Parameters
    ----------
    likelihood : MarginalLikelihood
    priors : Priors
    current : Evaluation
    move : Move
        Newton steps of the items, each by itself.
    """
    n = likelihood.n_slopes
    items = np.arange(likelihood.data.n_items)
    before = item_objectives(likelihood, priors, current, current.parameters, items)
    factor = np.ones(likelihood.data.n_items)
    displacement = move.displacement()
    for _ in range(_TRIES):
        after = item_objectives(
            likelihood, priors, current, current.parameters + displacement, items
        )
        worse = after < before[items]
        if likelihood.common_slope:
            # One slope for all: the items gain or lose together.
            worse = np.full(items.size, after.sum() < before.sum())
        items = items[worse] if not likelihood.common_slope else items
        if not worse.any():
            break
        factor[items] *= 0.3
        by_slope = factor if not likelihood.common_slope else factor[:1]
        displacement = move.displacement(np.concatenate([by_slope, factor]))
    else:
        # What still loses stays where it is.
        displacement[n + items] = 0.0
        displacement[items if not likelihood.common_slope else slice(1)] = 0.0
    return displacement


def item_objectives(likelihood, priors, current, parameters, items):
    """Each item's share of Q and log prior at new parameters, old posteriors."""
    posterior, data = current.posterior, likelihood.data
    discrimination, intercept = likelihood.split(parameters)
    right = likelihood.answers_right[items]
    right_ability = ((data.weights * posterior.mean) @ data.responses)[items]
    a, d = discrimination[items], intercept[items]
    out = a * right_ability + d * right
    masks = data.masks[:, items]
    for block in item_blocks(items.size, posterior.nodes.size):
        logits = np.multiply.outer(a[block], posterior.nodes)
        logits += d[block, None]
        _, softplus = logistic(logits)
        weights = masks[:, block].T @ posterior.node_weights
        out[block] -= np.einsum("jq,jq->j", softplus, weights)
    slopes, intercepts = likelihood.deviations(priors, parameters)
    out -= 0.5 * priors.intercept.precision * np.square(intercepts[items])
    if not likelihood.common_slope:
        out -= 0.5 * priors.slope.precision * np.square(slopes[items])
    return out
