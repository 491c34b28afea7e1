"""What is known of the items: parameters, and how surely.

Items whose prior is estimated have normal posteriors, and the models are told so: on
few models the items would else be taken at their word about dimensions that are little
but the noise they were fitted to. With 12 to 71 models, hidden responses were predicted
worse by two abilities than by one where items were taken as they are, and better where
their uncertainty was counted, on every real set tried.
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Items:
    """What is known of the items.

    Attributes
    ----------
    discrimination : ndarray of shape (n_items, n_components)
    intercept : ndarray of shape (n_items,)
    covariance : ndarray of shape (n_items, n_components + 1, n_components + 1) or None
        Of each item's (a, d); None where items are taken as they are.
    """

    discrimination: np.ndarray
    intercept: np.ndarray
    covariance: np.ndarray | None = None

    def logit_variance(self, theta):
        """Variance of the logits at known abilities, (n_abilities, n_items)."""
        if self.covariance is None:
            return np.zeros((len(theta), len(self.intercept)))
        extended = np.column_stack([theta, np.ones(len(theta))])
        products = (extended[:, :, None] * extended[:, None, :]).reshape(len(theta), -1)
        return products @ self.covariance.reshape(len(self.intercept), -1).T

    def __getitem__(self, chosen):
        covariance = None if self.covariance is None else self.covariance[chosen]
        return Items(self.discrimination[chosen], self.intercept[chosen], covariance)
