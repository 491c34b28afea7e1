"""The items of a bank of several abilities, and what an answer tells about these."""

import numpy as np

from skirt._multidim._log_posterior import _uncertain_curves
from skirt.adaptive._items import information_at


class MultidimItems:
    """Items of a multidimensional bank: all that an adaptive test knows of them.

    Parameters
    ----------
    known : skirt._multidim._items.Items
        Parameters, and how surely they are known.
    correlation : ndarray of shape (n_abilities, n_abilities)
        Of the abilities in the population: the prior's covariance.
    """

    def __init__(self, known, correlation):
        self.known = known
        self.correlation = np.asarray(correlation, dtype=np.float64)
        self._slopes = np.ascontiguousarray(known.discrimination.T)
        self._products = _pair_products(self._slopes)
        if known.covariance is not None:
            # Of each item's covariance the rows of its slopes.
            lean = known.covariance[:, :-1].transpose(2, 0, 1)
            self._lean = lean.reshape(self.n_abilities + 1, -1)

    @classmethod
    def of(cls, bank):
        """Take the items out of a fitted `MultidimBank`."""
        return cls(bank._items, bank.ability_correlation_)

    def __len__(self):
        return len(self.known.intercept)

    @property
    def n_abilities(self):
        """Number of abilities."""
        return self.known.discrimination.shape[1]

    @property
    def parameters(self):
        """Arrays that tell one bank from another."""
        known = self.known
        arrays = [known.discrimination, known.intercept, self.correlation]
        return arrays if known.covariance is None else [*arrays, known.covariance]

    def information(self, theta):
        """Information matrices of all items.

        Parameters
        ----------
        theta : ndarray of shape (n, n_abilities)

        Returns
        -------
        KnownInformation or UncertainInformation
        """
        logits = theta @ self._slopes
        logits += self.known.intercept
        if self.known.covariance is None:
            return KnownInformation(information_at(logits, 1.0), self._products)
        variance = self.known.logit_variance(theta)
        _, weight, along, across = _uncertain_curves(logits, variance)
        extended = np.column_stack([theta, np.ones(len(theta))])
        slopes = (extended @ self._lean).reshape(*weight.shape, self.n_abilities)
        slopes *= across[:, :, None]
        slopes += along[:, :, None] * self.known.discrimination
        return UncertainInformation(weight, slopes)

    def total_information(self, theta, items):
        """Information of some items together, (n, n_abilities, n_abilities).

        Parameters
        ----------
        theta : ndarray of shape (n, n_abilities)
        items : ndarray of int of shape (n_chosen,)
        """
        chosen = MultidimItems(self.known[items], self.correlation)
        found = chosen.information(theta)
        slopes = getattr(found, "slopes", chosen.known.discrimination)
        return np.swapaxes(slopes * found.weight[:, :, None], 1, 2) @ slopes


class KnownInformation:
    """Matrices w a a', with w = P (1 - P).

    Parameters
    ----------
    weight : ndarray of shape (n, n_items)
    products : ndarray of shape (n_pairs, n_items)
    """

    def __init__(self, weight, products):
        self.weight = weight
        self._products = products

    def squares(self, forms):
        """Return a' F a of every item and each symmetric matrix F.

        Parameters
        ----------
        forms : ndarray of shape (n, n_abilities, n_abilities)

        Returns
        -------
        ndarray of shape (n, n_items)
        """
        one, other = np.triu_indices(forms.shape[1])
        return forms[:, one, other] @ self._products


class UncertainInformation:
    """The same of items that are not known exactly.

    An answer then tells what the expected curve P says: w = P (1 - P), and in place of
    a the slopes of log(P / (1 - P)), which differ from place to place.

    Parameters
    ----------
    weight : ndarray of shape (n, n_items)
    slopes : ndarray of shape (n, n_items, n_abilities)
    """

    def __init__(self, weight, slopes):
        self.weight = weight
        self.slopes = slopes

    def squares(self, forms):
        """As of `KnownInformation`."""
        return np.einsum("njk,njk->nj", self.slopes @ forms, self.slopes)


def _pair_products(slopes):
    """Products of the slopes of every pair of abilities, each pair once."""
    one, other = np.triu_indices(len(slopes))
    products = slopes[one] * slopes[other]
    products[one != other] *= 2.0  # forms are symmetric
    return products
