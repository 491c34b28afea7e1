"""One Newton step of every item, given the models' posteriors."""

from dataclasses import dataclass

import numpy as np

# Slopes, and the logit at the mean ability, move no farther in one step.
_LONGEST_STEP = 1.5


@dataclass(frozen=True)
class ItemStep:
    """Where a Newton step leads, and the curvature it saw."""

    discrimination: np.ndarray  # (n_items, n_components), after the step
    intercept: np.ndarray  # (n_items,)
    information: np.ndarray  # penalised, (n_items, n_components + 1, same)


def item_step(discrimination, intercept, gradient, information, priors, free):
    """Return the `ItemStep` of the penalised expected log-likelihood.

    Parameters
    ----------
    discrimination, intercept : ndarray
    gradient, information : ndarray
        Of the expected log-likelihood, from the posteriors.
    priors : ItemPriors
    free : ndarray of bool, shape (n_items, n_components), or None
        The loadings that are estimated; the others stay 0.
    """
    pull = priors.pull(discrimination, intercept)
    gradient = gradient + pull
    information = information + priors.precision
    size = gradient.shape[1]
    if free is not None:
        fixed = np.column_stack([~free, np.zeros(len(free), dtype=bool)])
        gradient[fixed] = 0.0
        information[fixed] = 0.0
        information.transpose(0, 2, 1)[fixed] = 0.0
        item, component = np.nonzero(fixed)
        information[item, component, component] = 1.0
    # An item that nobody answered, without a prior, stays where it is.
    trace = np.einsum("jkk->j", information)
    information[:, np.arange(size), np.arange(size)] += 1e-10 * trace[:, None] + 1e-300
    gradient -= np.einsum(
        "jlm,jm->jl",
        information,
        _scale_of_pull(discrimination, pull, information, priors, free),
    )
    step = np.linalg.solve(information, gradient[..., None])[..., 0]
    longest = np.abs(step).max(axis=1)
    step *= (_LONGEST_STEP / np.maximum(longest, _LONGEST_STEP))[:, None]
    return ItemStep(discrimination + step[:, :-1], intercept + step[:, -1], information)


def _scale_of_pull(discrimination, pull, information, priors, free):
    """The part of the priors' pull that only moves or stretches all abilities.

    The population sets location and scale, not the priors: what their Newton step
    has of a -> a E and d -> d + a s, in the metric of the information, is taken out.
    Returns that part of the step, (n_items, n_components + 1).
    """
    n_items, n_components = discrimination.shape
    size = n_components + 1
    released = np.zeros((n_components, size), dtype=bool)
    released[:, :-1] = priors.rescalable
    released[:, -1] = priors.movable
    if free is not None:
        # A confirmatory dimension keeps its axis: no turning.
        released[:, :-1] &= np.eye(n_components, dtype=bool)
        pull = pull * np.column_stack([free, np.ones(n_items, dtype=bool)])
    component, parameter = np.nonzero(released)
    if not component.size or not pull.any():
        return np.zeros((n_items, size))
    a = discrimination
    products = (a[:, :, None] * a[:, None, :]).reshape(n_items, -1)
    metric = products.T @ information.reshape(n_items, -1)
    metric = metric.reshape(n_components, n_components, size, size)
    metric = metric[component[:, None], component, parameter[:, None], parameter]
    moment = (a.T @ pull)[component, parameter]
    found = np.linalg.lstsq(metric, moment, rcond=1e-10)[0]
    spread = np.zeros((n_components, size))
    spread[component, parameter] = found
    return a @ spread
