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
    fixed: np.ndarray | None  # parameters that are not estimated

    @property
    def covariance(self):
        """Covariance of the parameters, 0 of those that are fixed."""
        out = np.linalg.inv(self.information)
        if self.fixed is not None:
            item, parameter = np.nonzero(self.fixed)
            out[item, parameter, parameter] = 0.0
        return out


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
    gradient = gradient + priors.pull(discrimination, intercept)
    information = information + priors.precision
    size = gradient.shape[1]
    fixed = None
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
    step = np.linalg.solve(information, gradient[..., None])[..., 0]
    longest = np.abs(step).max(axis=1)
    step *= (_LONGEST_STEP / np.maximum(longest, _LONGEST_STEP))[:, None]
    return ItemStep(
        discrimination + step[:, :-1], intercept + step[:, -1], information, fixed
    )
