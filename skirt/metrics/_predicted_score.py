"""The full-benchmark score of models that answered only some of the items."""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from skirt._cells import probabilities
from skirt._threads import one_blas_thread

# Nodes of each posterior, in its standard deviations.
_OFFSETS = np.linspace(-6.0, 6.0, 61)
# Where the distribution of a score is looked at, to invert it.
_PLACES = 801
_REACH = 6.0


@dataclass(frozen=True)
class PredictedScores:
    """Predictions of full-benchmark scores; each an array of shape (n_models,).

    Attributes
    ----------
    score : ndarray
        Posterior mean, between 0 and 1.
    score_se : ndarray
        Posterior standard deviation: what the ability and the chance of the unseen
        answers leave unknown.
    low, high : ndarray
        Equal-tailed interval.
    """

    score: np.ndarray
    score_se: np.ndarray
    low: np.ndarray
    high: np.ndarray


@one_blas_thread
def predicted_scores(
    responses,
    discrimination,
    intercept,
    ability,
    ability_se,
    *,
    stretch=1.0,
    widen=1.0,
    confidence=0.9,
):
    """Predict full-benchmark scores under a bank of one ability.

    The score is the mean over all items of the answer where there is one and of what
    the ability's posterior expects where there is none (the p-IRT estimator of Polo
    et al. 2024, with the ability integrated out). Its interval holds the posterior's
    spread and the chance of the unseen answers, which given the ability are
    independent of each other.

    Parameters
    ----------
    responses : ndarray of shape (n_models, n_items)
        1, 0 and NaN, of all items of the benchmark.
    discrimination, intercept : ndarray of shape (n_items,)
    ability, ability_se : ndarray of shape (n_models,)
        Posterior modes under N(0, 1) from these answers, and standard errors given
        the items: where the posteriors are to be looked at.
    stretch : float or ndarray of shape (n_models,), default=1.0
        Makes the posteriors wider about their means: the ratio of the standard error
        that counts the items' own uncertainty to the one given the items.
    widen : float, default=1.0
        Makes the intervals wider about the scores, as much as such intervals were
        found too narrow for models that the bank has not seen.
    confidence : float, default=0.9

    Returns
    -------
    PredictedScores

    References
    ----------
    Polo, F. M., Weber, L., Choshen, L., Sun, Y., Xu, G. & Yurochkin, M. (2024).
    tinyBenchmarks: evaluating LLMs with fewer examples. International Conference on
    Machine Learning.
    """
    n_models, n_items = responses.shape
    stretch = np.broadcast_to(stretch, n_models)
    out = np.empty((4, n_models))
    for i in range(n_models):
        seen = ~np.isnan(responses[i])
        known = responses[i, seen].sum()
        nodes, weights = _posterior(
            responses[i, seen],
            discrimination[seen],
            intercept[seen],
            ability[i] + ability_se[i] * _OFFSETS,
        )
        middle = weights @ nodes
        wide = middle + (nodes - middle) * stretch[i]
        p = probabilities(wide, discrimination[~seen], intercept[~seen])
        means = (known + p.sum(axis=1)) / n_items
        variances = (p * (1.0 - p)).sum(axis=1) / n_items**2
        score = weights @ means
        error = np.sqrt(weights @ (variances + np.square(means - score)))
        low, high = score, score
        if error > 0:
            low, high = _quantiles(weights, means, np.sqrt(variances), confidence)
        # No score can be outside of what the unseen answers may still make it.
        bounds = known / n_items, (known + n_items - seen.sum()) / n_items
        low, high = np.clip(
            [score + widen * (end - score) for end in (low, high)], *bounds
        )
        out[:, i] = score, widen * error, low, high
    return PredictedScores(*out)


def _posterior(answers, discrimination, intercept, nodes):
    """Return the nodes and their shares of the posterior under N(0, 1)."""
    logits = np.multiply.outer(nodes, discrimination) + intercept
    log_density = logits @ answers - np.logaddexp(0.0, logits).sum(axis=1)
    log_density -= 0.5 * np.square(nodes)
    weights = np.exp(log_density - log_density.max())
    return nodes, weights / weights.sum()


def _quantiles(weights, means, errors, confidence):
    """Return the ends of the interval of a mixture of normal distributions."""
    widest = _REACH * errors.max()
    held = weights > 1e-9
    places = np.linspace(
        means[held].min() - widest, means[held].max() + widest, _PLACES
    )
    spread = np.maximum(errors, 1e-12)
    shares = ndtr((places[:, None] - means) / spread) @ weights
    tail = (1.0 - confidence) / 2.0
    return np.interp([tail, 1.0 - tail], shares, places)
