"""The items of a bank as arrays, and their curves at given abilities."""

import numpy as np
from scipy.special import expit

from skirt._sklearn_compat import FrozenEstimator
from skirt.adaptive._interim_ability import InterimAbilities
from skirt.adaptive._posterior import GridPosterior

# Cells of models x items that are computed at a time.
_CELLS = 1 << 18


class LogisticItems:
    """Items of a one-dimensional bank: all that an adaptive test knows of them.

    The tests, their criteria and their posteriors ask this object for what they need
    and leave the parameters to it, so that items of several dimensions can take its
    place with posteriors and estimates of their own.

    Parameters
    ----------
    discrimination, intercept : ndarray of shape (n_items,)
    """

    def __init__(self, discrimination, intercept):
        self.discrimination = np.ascontiguousarray(discrimination, dtype=np.float64)
        self.intercept = np.ascontiguousarray(intercept, dtype=np.float64)

    def __len__(self):
        return self.discrimination.size

    @classmethod
    def of(cls, bank):
        """Take the items out of a fitted bank."""
        while isinstance(bank, FrozenEstimator):
            bank = bank.estimator
        slopes = np.asarray(bank.discrimination_, dtype=np.float64)
        if slopes.ndim == 2 and slopes.shape[1] == 1:
            slopes = slopes[:, 0]
        if slopes.ndim != 1:
            raise ValueError(
                f"The bank has {slopes.shape[1]} dimensions: adaptive tests take a "
                "bank of one dimension, such as TwoPLEstimator."
            )
        return cls(slopes, bank.intercept_)

    def information(self, theta):
        """Fisher information a^2 P (1 - P), shape (len(theta), n_items)."""
        out = np.multiply.outer(theta, self.discrimination)
        out += self.intercept
        return information_at(out, np.square(self.discrimination))

    def probability(self, theta):
        """P(x = 1), shape (len(theta), n_items)."""
        logit = np.multiply.outer(theta, self.discrimination)
        logit += self.intercept
        return expit(logit, out=logit)

    def softplus(self, theta):
        """-log P(x = 0), shape (len(theta), n_items)."""
        logit = np.multiply.outer(theta, self.discrimination)
        logit += self.intercept
        return np.logaddexp(0.0, logit, out=logit)

    def posterior(self, n_models, bounds):
        """Return the posteriors of models that have not answered yet."""
        return GridPosterior(self, n_models, bounds)

    def abilities(self, method, bounds, n_models, n_answers):
        """Return what estimates models' abilities from their answers."""
        return InterimAbilities(self, method, bounds, n_models, n_answers)

    def blocks(self, n_models):
        """Yield slices of models whose cells are few enough to be made at once."""
        size = max(1, _CELLS // max(1, len(self)))
        for start in range(0, n_models, size):
            yield slice(start, min(start + size, n_models))


def information_at(logit, squared_slope):
    """Turn logits into information, in place.

    Written with exp(-|logit|), items far away keep a tiny but exact information, by
    which they can still be compared.
    """
    decay = np.abs(logit, out=logit)
    np.negative(decay, out=decay)
    np.exp(decay, out=decay)
    root = decay + 1.0
    decay /= root
    decay /= root
    decay *= squared_slope
    return decay
