"""The full-benchmark score under an item bank: its expectation, gradient and errors.

The score of a model is the weighted mean of its answers to all items. Answers that are
known enter as they are; only the rest is predicted, so that the prediction becomes the
score itself as the last item is answered.
"""

from dataclasses import dataclass

import numpy as np

from skirt._cells import model_blocks
from skirt._multidim._items import Items
from skirt._multidim._logistic import expected_logistic
from skirt._multidim._scoring import posterior_modes
from skirt._response_data import ResponseData
from skirt._sklearn_compat import FrozenEstimator
from skirt._threads import one_blas_thread


@dataclass(frozen=True)
class ScoreBank:
    """What a bank of any number of dimensions knows of its items and the abilities.

    Attributes
    ----------
    items : Items
        With two-dimensional discriminations.
    correlation : ndarray of shape (n_components, n_components)
        Of the abilities in the population.
    """

    items: Items
    correlation: np.ndarray

    @classmethod
    def of(cls, bank):
        """Read a fitted TwoPLEstimator, OnePLEstimator or MultidimIRT, or a frozen one.

        Parameters
        ----------
        bank : fitted estimator

        Returns
        -------
        ScoreBank
        """
        while isinstance(bank, FrozenEstimator):
            bank = bank.estimator
        slopes = np.asarray(bank.discrimination_, dtype=np.float64)
        if slopes.ndim == 1:
            # The items of a one-dimensional bank are taken as they are: under normal
            # errors a slope of 20, known to a half, could as well be negative.
            return cls(Items(slopes[:, None], bank.intercept_), np.eye(1))
        known = bank._item_uncertainty.covariance
        items = Items(slopes, bank.intercept_, known)
        return cls(items, bank.ability_correlation_)

    def abilities(self, responses, *, shaped):
        """Posterior modes, (n_models, n_components).

        Parameters
        ----------
        responses : ndarray of shape (n_models, n_items)
            1, 0, NaN.
        shaped : bool
            Whether these models have calibrated the items.
        """
        data = ResponseData.from_matrix(responses)
        return posterior_modes(data, self.items, self.correlation, shaped=shaped)[0]

    def curves(self, theta, covariance=None):
        """Expected P and P (1 - P) of every item, in blocks of models.

        Parameters
        ----------
        theta : ndarray of shape (n_models, n_components)
        covariance : ndarray of shape (n_models, n_components, n_components), or None
            Of the abilities; None where they are taken as they are.

        Yields
        ------
        block : slice
        probability, spread : ndarray of shape (n, n_items)
        """
        items = self.items
        for block in model_blocks(len(theta), len(items.intercept)):
            logits = theta[block] @ items.discrimination.T
            logits += items.intercept
            variance = items.logit_variance(theta[block])
            if covariance is not None:
                variance += self._ability_part(covariance[block])
            yield block, *expected_logistic(logits, variance)

    def _ability_part(self, covariance):
        """Variance of the logits that uncertain abilities give them."""
        a = self.items.discrimination
        squares = a[:, :, None] * a[:, None, :]
        if self.items.covariance is not None:
            squares = squares + self.items.covariance[:, :-1, :-1]
        return covariance.reshape(len(covariance), -1) @ squares.reshape(len(a), -1).T


@one_blas_thread
def predict_score(bank, chosen, answers, weights):
    """Predict full-benchmark scores from the answers to some items.

    Parameters
    ----------
    bank : ScoreBank
        Of all items.
    chosen : ndarray of int of shape (n_chosen,)
        Positions of the items that were asked.
    answers : ndarray of shape (n_models, n_chosen)
        1, 0, NaN (not answered after all).
    weights : ndarray of shape (n_items,) or (n_targets, n_items)
        Of the items in the score, or in each of several; sum 1.

    Returns
    -------
    score : ndarray of shape (n_models,) or (n_models, n_targets)
        The mean over the posterior.
    variance : ndarray of the same shape
        Of the observed score about it: through the abilities, and by chance of the
        answers that were not seen.
    """
    mean, covariance = posterior(bank, chosen, answers)
    known = ~np.isnan(answers)
    a = bank.items.discrimination
    right = np.where(known, answers, 0.0)
    targets = np.atleast_2d(weights)
    # One column after the other, so that a score does not depend on its neighbours.
    score = np.stack([right @ target[chosen] for target in targets], axis=1)
    variance = np.empty_like(score)
    squares = (a[:, :, None] * a[:, None, :]).reshape(len(a), -1)
    for block, p, spread in bank.curves(mean, covariance):
        # The whole variance of an answer, less what comes of the abilities below.
        own = covariance[block].reshape(len(p), -1) @ squares.T
        chance = p * (1.0 - p) - np.square(spread) * own
        for column, target in enumerate(targets):
            rest = np.tile(target, (len(p), 1))
            rest[:, chosen] = np.where(known[block], 0.0, target[chosen])
            score[block, column] += np.einsum("nj,nj->n", p, rest)
            # For a normal posterior the covariance of the score with the abilities is
            # exactly the posterior covariance times the expected gradient.
            gradient = (spread * rest) @ a
            through = np.einsum("nk,nkl,nl->n", gradient, covariance[block], gradient)
            variance[block, column] = through + np.einsum("nj,nj->n", chance, rest**2)
    if weights.ndim == 1:
        return score[:, 0], variance[:, 0]
    return score, variance


def posterior(bank, chosen, answers):
    """Normal posteriors of the abilities of models new to the bank.

    Centred at the mode: integrated ones rank no better, and take ten times as long.

    Parameters
    ----------
    bank, chosen, answers
        As of `predict_score`.

    Returns
    -------
    mean : ndarray of shape (n_models, n_components)
    covariance : ndarray of shape (n_models, n_components, n_components)
    """
    data = ResponseData.from_matrix(answers)
    return posterior_modes(data, bank.items[chosen], bank.correlation)
