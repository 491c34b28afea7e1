"""Choosing the items that leave the ranking by the full score least uncertain.

After the items S model i's abilities have the posterior covariance
Sigma_i(S) = (Phi^-1 + sum over S of I_j(theta_i))^-1, and what is still unknown of its
full-benchmark score has the variance V_i(S) = c_i' Sigma_i(S) c_i, where c_i is the
gradient of the expected score on the items not in S. A ranking loses most where models
are dense: with their density f the expected displacement in ranks is, up to a factor,
the sum over models of f(g_i) sqrt(V_i(S)). With several scores to rank by, each a
weighting of the items, the displacements are summed: all are in ranks.
"""

from dataclasses import dataclass

import numpy as np

from skirt._threads import one_blas_thread

# Gains are computed in blocks whose temporaries stay in the processor's cache.
_BLOCK_CELLS = 1 << 15
# Losses this close to the best are ties, and go to the first column.
_SLACK = 1e-12


@dataclass(frozen=True)
class DesignBank:
    """What the search knows under one bank, of one or several scores.

    Attributes
    ----------
    slopes : ndarray of shape (n_items, n_components)
    correlation : ndarray of shape (n_components, n_components)
        Of the abilities in the population, the posterior covariance before any answer.
    information : ndarray of shape (n_items, n_models)
        The information of an item about a model is this times the product of its
        slopes with themselves.
    spread : ndarray of shape (n_items, n_models)
        The gradient of an item's expected answer is this times its slopes.
    chance : ndarray of shape (n_items, n_models)
        The variance of the answer itself.
    weights : ndarray of shape (n_targets, n_items)
        Of the items in each score.
    score : ndarray of shape (n_targets, n_models)
        Expected full-benchmark scores.
    """

    slopes: np.ndarray
    correlation: np.ndarray
    information: np.ndarray
    spread: np.ndarray
    chance: np.ndarray
    weights: np.ndarray
    score: np.ndarray

    @classmethod
    @one_blas_thread
    def at(cls, bank, theta, weights):
        """Evaluate a bank at the models' abilities.

        Parameters
        ----------
        bank : ScoreBank
        theta : ndarray of shape (n_models, n_components)
        weights : ndarray of shape (n_items,) or (n_targets, n_items)
            Of the items in the score, or in each of several; sum 1.
        """
        weights = np.atleast_2d(weights)
        information = np.empty((weights.shape[1], len(theta)))
        steepness, chance = np.empty_like(information), np.empty_like(information)
        score = np.empty((len(weights), len(theta)))
        for models, p, spread in bank.curves(theta):
            score[:, models] = (p @ weights.T).T
            variance = p * (1.0 - p)
            # An item that is not known for sure answers by a flatter curve.
            told = np.divide(
                spread**2, variance, out=np.zeros_like(p), where=variance > 0
            )
            information[:, models] = told.T
            steepness[:, models] = spread.T
            chance[:, models] = variance.T
        slopes = bank.items.discrimination
        return cls(
            slopes, bank.correlation, information, steepness, chance, weights, score
        )


@one_blas_thread
def least_displacement(banks, k, *, counts, dense=True):
    """Choose greedily the items that leave least of the models' scores unknown.

    Every step takes the item after which the sum over banks and models (and scores, if
    there are several) of ``f_i * sqrt(V_i)`` is least, ties to the lowest column index.
    The density f is that of the models' scores, which the errors that are left smooth;
    it is renewed at every step. The sum is not submodular, so that all items are
    evaluated at every step, by rank-one updates.

    Parameters
    ----------
    banks : list of DesignBank
        Of the same items, models and scores.
    k : int
        How many items to choose, at most ``n_items``.
    counts : ndarray of shape (n_models,)
        How much each model counts.
    dense : bool, default=True
        False minimises the sum of the variances V_i instead; of several scores each
        has them divided by what they are before any answer, summed over the models.

    Returns
    -------
    ndarray of int of shape (k,)
        Column indices in the order they were chosen.
    """
    states = [_State(bank, counts, dense) for bank in banks]
    importance = np.ones(len(banks[0].weights))
    if not dense:
        importance = _equal_shares(states, counts)
    left = np.ones(len(banks[0].slopes), dtype=bool)
    order = np.empty(k, dtype=np.intp)
    for step in range(k):
        loss = np.sum([state.losses(importance) for state in states], axis=0)
        loss = np.where(left, loss, np.inf)
        best = loss.min()
        item = int(np.argmax(loss <= best + _SLACK * abs(best)))
        order[step], left[item] = item, False
        for state in states:
            state.take(item)
    return order


def _equal_shares(states, counts):
    """Factors by which the scores' variances count alike; 1 where there is one.

    What is unknown before any answer is the variance that scores have among models of
    the population, where these models are, so that all losses are shares of it.
    """
    unknown = np.sum(
        [[variance @ counts for _, variance in state.unknown()] for state in states],
        axis=0,
    )
    # A score of which nothing is unknown cannot lose anything.
    unknown = np.where(unknown > 0, unknown, np.inf)
    finite = unknown[np.isfinite(unknown)]
    return finite.mean() / unknown if finite.size else np.zeros(len(unknown))


class _State:
    """What is left unknown under one bank after the items taken so far.

    How the abilities are known does not depend on the score, and is kept once.
    """

    def __init__(self, bank, counts, dense):
        self.bank, self.counts, self.dense = bank, counts, dense
        n_components = len(bank.correlation)
        self.covariance = np.tile(bank.correlation, (len(counts), 1, 1))
        self.gradient = [
            (bank.spread * weights[:, None]).T @ bank.slopes for weights in bank.weights
        ]
        self.noise = [
            (bank.chance * weights[:, None] ** 2).sum(axis=0)
            for weights in bank.weights
        ]
        self._upper = np.triu_indices(n_components)
        first, second = self._upper
        twice = np.where(first == second, 1.0, 2.0)
        self._squares = bank.slopes[:, first] * bank.slopes[:, second] * twice
        self._width = [score_bandwidth(score, counts) for score in bank.score]

    def unknown(self):
        """Sigma c, and what is unknown of each model, for one score after the other."""
        for gradient, noise in zip(self.gradient, self.noise, strict=True):
            moved = np.einsum("nkl,nl->nk", self.covariance, gradient)
            through = np.einsum("nk,nk->n", gradient, moved)
            yield moved, np.maximum(through + noise, 0.0)

    def losses(self, importance):
        """The criterion after each item, (n_items,), summed over the scores."""
        bank = self.bank
        targets = [
            (weights, moved, variance, factor * self._stake(target, variance))
            for target, (weights, factor, (moved, variance)) in enumerate(
                zip(bank.weights, importance, self.unknown(), strict=True)
            )
        ]
        packed = self.covariance[:, self._upper[0], self._upper[1]]
        n_items, n_models = bank.information.shape
        out = np.zeros(n_items)
        rows = max(1, _BLOCK_CELLS // n_models)
        for start in range(0, n_items, rows):
            block = slice(start, start + rows)
            spread = self._squares[block] @ packed.T
            told = bank.information[block] * spread
            told += 1.0
            np.divide(bank.information[block], told, out=told)
            for weights, moved, variance, stake in targets:
                share = weights[block, None]
                left = _variance_after(
                    variance,
                    bank.slopes[block] @ moved.T,
                    spread,
                    told,
                    bank.spread[block] * share,
                    bank.chance[block] * share**2,
                )
                if self.dense:
                    np.sqrt(left, out=left)
                out[block] += left @ stake
        return out

    def _stake(self, target, variance):
        """How much what is left unknown of each model's score counts."""
        if not self.dense:
            return self.counts
        return self.counts * smoothed_density(
            self.bank.score[target], variance, self.counts, self._width[target]
        )

    def take(self, item):
        """Condition on the answer to an item."""
        bank = self.bank
        slope, told = bank.slopes[item], bank.information[item]
        moved = self.covariance @ slope
        told = told / (1.0 + told * (moved @ slope))
        self.covariance -= told[:, None, None] * moved[:, :, None] * moved[:, None, :]
        for target, weight in enumerate(bank.weights[:, item]):
            own = bank.spread[item] * weight
            self.gradient[target] -= own[:, None] * slope
            self.noise[target] -= bank.chance[item] * weight**2


def _variance_after(variance, shared, spread, told, own, noise):
    """Variances of the scores after each item is answered, (n, n_models).

    The item's own part leaves the gradient c, which becomes c - e a, and its answer
    leaves Sigma - h Sigma a a' Sigma / (1 + h a' Sigma a), by Sherman and Morrison.
    `shared` is a' Sigma c, `spread` a' Sigma a, `told` h / (1 + h a' Sigma a), `own` e;
    `shared`, `own` and `noise` are overwritten.
    """
    rest = own * spread
    np.subtract(shared, rest, out=rest)
    shared += rest
    shared *= own
    np.square(rest, out=rest)
    rest *= told
    noise += shared
    noise += rest
    np.subtract(variance, noise, out=noise)
    return np.maximum(noise, 0.0, out=noise)


def smoothed_density(score, variance, counts, width):
    """Density of the models at each one's score, blurred by what is unknown of it.

    Parameters
    ----------
    score, variance, counts : ndarray of shape (n_models,)
    width : float
        Bandwidth of the density apart from the variances.

    Returns
    -------
    ndarray of shape (n_models,)
        At score g_i the weighted sum over models of the normal density of mean g_i'
        and variance width^2 + V_i + V_i'.
    """
    square = width**2 + variance[:, None] + variance
    apart = np.square(score[:, None] - score)
    # Scores that do not differ at all have no order to lose.
    square = np.maximum(square, np.finfo(float).tiny)
    return (np.exp(-0.5 * apart / square) / np.sqrt(2.0 * np.pi * square)) @ counts


def score_bandwidth(score, counts):
    """Silverman's rule of thumb; a model that counts twice is two models."""
    total = counts.sum()
    mean = counts @ score / total
    deviation = np.sqrt(counts @ np.square(score - mean) / total)
    return float(1.06 * deviation * max(total, 1.0) ** -0.2)
