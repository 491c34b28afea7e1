"""Which item tells most about a model's full-benchmark score, or about its rank.

The score G is the weighted mean of a model's answers to all items: those that were
given, as they are, and those that were not. An answer X, 0 or 1, takes on average
Cov(G, X)^2 / Var(X) off the variance of G, whatever the distributions: the mean of G
given X is linear in a variable of two values. That is the criterion "score".

"rank" minimises the expected displacement in ranks f(G) sqrt(Var(G)) after the answer,
f the density of the models' scores. What an answer says of the density is averaged
over the two answers too, and E f is the same before and after; the density matters
where the one answer leaves another variance than the other. Under a normal posterior
both leave the same, and the two criteria ask the same item. They differ where several
answers are awaited, because then the loss is that at the places where the model may be.
"""

from functools import cached_property

import numpy as np
from scipy.special import ndtri
from scipy.stats import qmc

from skirt._multidim._items import Items
from skirt.selection._rank_greedy import score_bandwidth
from skirt.selection._score_target import ScoreBank, predict_score

SCORE_CRITERIA = ("rank", "score")

# Abilities that stand for the population, and places of the table of the density.
_POPULATION = 255
_PLACES = 513
# Scores that differ by rounding alone are ties.
_DECIMALS = 12


class ScoreTarget:
    """The full-benchmark score of a bank's items.

    Parameters
    ----------
    bank : ScoreBank
    weights : ndarray of shape (n_items,)
        Of the items in the score; sum 1.
    """

    def __init__(self, bank, weights):
        self.bank = bank
        self.weights = weights

    @classmethod
    def of(cls, items, weights):
        """Take up the items of a `TestDesign`."""
        if items.n_abilities > 1:
            return cls(ScoreBank(items.known, items.correlation), weights)
        known = Items(items.discrimination[:, None], items.intercept)
        return cls(ScoreBank(known, np.eye(1)), weights)

    def curves(self, theta, covariance=None):
        """P and P (1 - P) of every item, (n, n_items), expected where not known."""
        blocks = [(p, spread) for _, p, spread in self.bank.curves(theta, covariance)]
        return tuple(np.concatenate(parts) for parts in zip(*blocks, strict=True))

    def predict(self, seen):
        """Predict scores from what has been answered.

        Parameters
        ----------
        seen : ndarray of shape (n_models, n_items)
            1, 0, NaN where there is no answer.

        Returns
        -------
        score, standard_error : ndarray of shape (n_models,)
            Of the score that all items would show.
        """
        everything = np.arange(seen.shape[1])
        score, variance = predict_score(self.bank, everything, seen, self.weights)
        return np.round(score, _DECIMALS), np.sqrt(np.maximum(variance, 0.0))

    def unanswered(self, items):
        """The weights without those of some items, for each model.

        Parameters
        ----------
        items : ndarray of int of shape (n, n_answers)
            -1 is none.

        Returns
        -------
        ndarray of shape (n, n_items)
        """
        out = np.tile(self.weights, (len(items), 1))
        rows, places = np.nonzero(items >= 0)
        out[rows, items[rows, places]] = 0.0
        return out

    def earned(self, items, values):
        """The answers' part of the score, (n,)."""
        taken = np.where(items >= 0, self.weights[items], 0.0)
        return np.einsum("nk,nk->n", taken, values)

    def density(self, score):
        """Density of the population's scores there, of the same shape."""
        return np.interp(score, *self._density)

    @cached_property
    def _density(self):
        # That of the population that the bank is of, its abilities N(0, Phi), so that
        # a bank from known parameters has one, and a saved session the same.
        correlation = self.bank.correlation
        points = qmc.Halton(len(correlation), scramble=False)
        points.fast_forward(1)  # past the origin
        normal = ndtri(points.random(_POPULATION))
        theta = normal @ np.linalg.cholesky(correlation).T
        known = self.curves(theta)[0] @ self.weights
        width = score_bandwidth(known, np.ones(_POPULATION))
        places = np.linspace(0.0, 1.0, _PLACES)
        if width == 0.0:  # no item tells models apart
            return places, np.ones(_PLACES)
        apart = (places[:, None] - known) / width
        found = np.exp(-0.5 * np.square(apart)).mean(axis=1)
        return places, found / (width * np.sqrt(2.0 * np.pi))


def gain_on_nodes(target, criterion, posterior, models, items, values):
    """What each item is expected to gain, exactly, for models of one ability.

    Parameters
    ----------
    target : ScoreTarget
    criterion : {"rank", "score"}
    posterior : GridPosterior
    models : ndarray of int
    items, values : ndarray of shape (n, n_answers)
        What these models have answered; items -1 and values 0 beyond the last.

    Returns
    -------
    ndarray of shape (n, n_items)
    """
    mass, p, spread = posterior.on_nodes(models, "probability", "variance")
    weights = target.weights
    given = np.where(items >= 0, weights[items], 0.0)
    # Of the part of the score that has no answer, at each node: mean and variance.
    rest = p @ weights - np.einsum("gnk,nk->ng", p[:, items], given)
    noise = spread @ np.square(weights)
    noise = noise - np.einsum("gnk,nk->ng", spread[:, items], np.square(given))
    apart = rest - np.einsum("ng,ng->n", mass, rest)[:, None]

    right = mass @ p
    wrong = 1.0 - right
    shared = (mass * apart) @ p
    shared += weights * (mass @ spread)  # the answer is itself a part of the score
    certain = (right <= 0.0) | (wrong <= 0.0)
    right[certain] = wrong[certain] = 0.5  # their `shared` is 0
    if criterion == "score":
        return np.square(shared) / (right * wrong)

    square = mass * (np.square(apart) + np.maximum(noise, 0.0))
    both = square.sum(axis=1, keepdims=True)
    one = square @ p
    one += 2.0 * weights * ((mass * apart) @ spread)
    one += np.square(weights) * (mass @ (spread * (1.0 - 2.0 * p)))
    dense = mass * target.density(rest + target.earned(items, values)[:, None])
    total = dense.sum(axis=1, keepdims=True)
    dense = dense @ p
    if_right = one / right - np.square(shared / right)
    if_wrong = (both - one) / wrong - np.square(shared / wrong)
    loss = dense * _deviation(if_right) + (total - dense) * _deviation(if_wrong)
    gain = total * np.sqrt(both) - loss
    gain[certain] = 0.0
    return gain


def gain_under_normal(target, ability, covariance, items):
    """What each item is expected to gain under normal posteriors of the abilities.

    By Stein's lemma the abilities' covariance with an answer is Sigma a E[P (1 - P)];
    the score is taken to be linear where the abilities may be.

    Parameters
    ----------
    target : ScoreTarget
    ability : ndarray of shape (n, n_abilities)
    covariance : ndarray of shape (n, n_abilities, n_abilities)
    items : ndarray of int of shape (n, n_answers)
        What has been answered; -1 beyond the last.

    Returns
    -------
    ndarray of shape (n, n_items)
        What an answer takes off the variance of the score.
    """
    right, spread = target.curves(ability, covariance)
    slopes, rest = target.bank.items.discrimination, target.unanswered(items)
    gradient = (spread * rest) @ slopes
    shared = np.einsum("nkl,nl->nk", covariance, gradient) @ slopes.T
    shared += rest  # the answer is itself a part of the score
    shared *= spread
    right *= 1.0 - right
    return np.divide(
        np.square(shared), right, out=np.zeros_like(shared), where=right > 0
    )


def joint_score_gain(target, criterion, points, answered, values, waiting):
    """What each item of one model would gain beside those whose answers are awaited.

    The same loss as that of a panel in `skirt.selection`, of models that stand where
    this one may be: with the covariance Sigma of the abilities that all answers will
    leave there, the answer to an item takes
    (P (1 - P) (a' Sigma c + w))^2 / (P (1 - P) + (P (1 - P))^2 a' Sigma a)
    off the variance of the score, whose gradient is c.

    Parameters
    ----------
    target : ScoreTarget
    criterion : {"rank", "score"}
    points : ndarray of shape (n_points, n_abilities)
        Abilities spread like the posterior.
    answered : ndarray of int of shape (n_answers,)
    values : ndarray of shape (n_answers,)
    waiting : list of int

    Returns
    -------
    ndarray of shape (1, n_items)
    """
    right, spread = target.curves(points)
    variance = right * (1.0 - right)
    told = np.divide(
        np.square(spread), variance, out=np.zeros_like(spread), where=variance > 0
    )
    slopes = target.bank.items.discrimination
    asked = np.r_[answered, waiting].astype(np.intp)
    products = (slopes[:, :, None] * slopes[:, None, :]).reshape(len(slopes), -1)
    shape = len(points), *target.bank.correlation.shape
    information = (told[:, asked] @ products[asked]).reshape(shape)
    covariance = np.linalg.inv(np.linalg.inv(target.bank.correlation) + information)

    rest = target.unanswered(asked[None])
    gradient = (spread * rest) @ slopes
    moved = np.einsum("qkl,ql->qk", covariance, gradient)
    before = np.einsum("qk,qk->q", gradient, moved)
    before = (before + np.square(rest[0]) @ variance.T)[:, None]
    shared = spread * (moved @ slopes.T + rest)
    across = covariance.reshape(len(points), -1) @ products.T
    across = variance + np.square(spread) * across
    gain = np.divide(
        np.square(shared), across, out=np.zeros_like(shared), where=across > 0
    )
    if criterion == "rank":
        # The answers that are known enter as they are.
        score = right @ target.unanswered(answered[None])[0]
        score += target.weights[answered] @ values
        gain = np.sqrt(before) - _deviation(before - gain)
        gain *= target.density(score)[:, None]
    return gain.sum(axis=0, keepdims=True)


def _deviation(variance):
    return np.sqrt(np.maximum(variance, 0.0))
