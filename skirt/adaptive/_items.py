"""The items of a bank as arrays, and their curves at given abilities."""

import numpy as np
from scipy.special import expit


class LogisticItems:
    """Items of a one-dimensional bank: all that an adaptive test knows of them.

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
        """Take the items out of a fitted bank of one ability."""
        return cls(np.ravel(bank.discrimination_), bank.intercept_)

    @property
    def n_abilities(self):
        """One."""
        return 1

    @property
    def parameters(self):
        """Arrays that tell one bank from another."""
        return [self.discrimination, self.intercept]

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

    def variance(self, theta):
        """P (1 - P), shape (len(theta), n_items)."""
        out = np.multiply.outer(theta, self.discrimination)
        out += self.intercept
        return information_at(out, 1.0)

    def softplus(self, theta):
        """-log P(x = 0), shape (len(theta), n_items)."""
        logit = np.multiply.outer(theta, self.discrimination)
        logit += self.intercept
        return np.logaddexp(0.0, logit, out=logit)


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
