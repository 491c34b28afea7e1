"""Full-benchmark scores from anchor points and an item bank: p-IRT and gp-IRT.

The estimators of Polo et al. (2024). The anchors' weighted mean is noisy; what a bank
expects of the other items is steady, but biased where abilities do not explain all that
models share. gp-IRT weighs the one against the other.
"""

import warnings
from dataclasses import dataclass, replace

import numpy as np

from skirt.selection._score_ranking import ScoreRanking, default_banks, group_counts
from skirt.selection._score_target import ScoreBank, posterior

# Of so many parts of the models the first tells the number of abilities and the bias.
_FOLDS = 5
# Models that calibrate while others test; one alone tells nothing.
_FEWEST_MODELS = 2
# Numbers of abilities that are compared, besides 1. Polo et al. compare 2, 5, 10 and
# 15 on hundreds of models.
_MORE_DIMENSIONS = (2, 5)
# The simplest bank is taken whose bias is not farther than this from the smallest.
_NEAR_ENOUGH = 0.0025
# The variance of a random item's answer over that of an anchor, as they take it to be.
_ANCHORS_GAIN = 4.0


@dataclass(frozen=True)
class AnchorPrediction:
    """How to predict scores from answers to anchors.

    Attributes
    ----------
    ranking : ScoreRanking
        Of one bank.
    bias : float
        Mean absolute error of what the bank says of half of the items, by the others.
    variance : float
        Of a model's answers, averaged over models.
    mixed : bool
        Whether the anchors' weighted mean has a share (gp-IRT), or none (p-IRT).
    stretch : float
        By how much standard errors under the bank have to be longer.
    """

    ranking: ScoreRanking
    bias: float
    variance: float
    mixed: bool
    stretch: float = 1.0

    def anchor_weight(self, n_answers):
        """Share of the anchors' weighted mean, by the number of anchors answered."""
        squared = np.square(self.bias) * np.asarray(n_answers, dtype=np.float64)
        total = self.variance / _ANCHORS_GAIN + squared
        share = np.zeros(np.shape(n_answers))
        if self.mixed:
            np.divide(squared, total, out=share, where=total > 0)
        return share

    def predict(self, chosen, answers, weights):
        """Predict the full-benchmark scores.

        Parameters
        ----------
        chosen : ndarray of int of shape (n_chosen,)
            The anchors.
        answers : ndarray of shape (n_models, n_chosen)
            1, 0, NaN.
        weights : ndarray of shape (n_chosen,)
            Shares of the items that the anchors stand for.

        Returns
        -------
        score, standard_error : ndarray of shape (n_models,)
            Of a model without answers, what the bank expects.
        """
        score, error = self.ranking.predict(chosen, answers)
        known = ~np.isnan(answers)
        share = self.anchor_weight(known.sum(axis=1))
        seen = (known * weights).sum(axis=1)
        right = (np.where(known, answers, 0.0) * weights).sum(axis=1)
        mean = np.divide(right, seen, out=score.copy(), where=seen > 0)
        away = share * (mean - score)
        # About its posterior mean the score varies by `error`; the mixture lies beside.
        return score + away, self.stretch * np.hypot(error, away)


@dataclass(frozen=True)
class FittedPrediction:
    """What `fit_prediction` has found.

    Attributes
    ----------
    prediction : AnchorPrediction
    bank : fitted estimator
    biases : ndarray of shape (n_banks,)
        Of the banks that were compared.
    """

    prediction: AnchorPrediction
    bank: object
    biases: np.ndarray


def fit_prediction(responses, group, given, *, anchors, calibrate, mixed):
    """Choose and calibrate the bank, and find out how far off its predictions are.

    Parameters
    ----------
    responses : ndarray of shape (n_models, n_items)
        1, 0, NaN; every model has answers.
    group : ndarray of int of shape (n_models,)
        Groups of models, which are held out as a whole.
    given : estimator or None
        The bank; None chooses the number of abilities.
    anchors : callable
        Takes responses; returns the anchors and the shares that they stand for.
    calibrate : callable
        Takes a bank and responses; returns the fitted bank and whether these responses
        have calibrated it.
    mixed : bool
        As of `AnchorPrediction`.

    Returns
    -------
    FittedPrediction
    """
    n_items = responses.shape[1]
    group = np.unique(group, return_inverse=True)[1]
    counts = group_counts(group)
    fold = group % min(_FOLDS, group.max() + 1)
    banks = [given] if given is not None else _candidates(responses, group, fold)
    # Parts of a panel have much to warn of that the whole does not.
    with warnings.catch_warnings(action="ignore"):
        tried = [calibrate(bank, responses[fold > 0]) for bank in banks]
        # A bank that these models did not calibrate has seen none of them.
        fixed = not tried[0][1]
        held = np.ones(len(group), bool) if fixed else fold == 0
        biases = np.array(
            [
                half_error(ScoreBank.of(bank), responses[held], counts[held])
                for bank, _ in tried
            ]
        )
    best = int(np.argmax(biases - biases.min() < _NEAR_ENOUGH))
    bank, _ = tried[best] if fixed else calibrate(banks[best], responses)
    variance = float(np.average(np.nanvar(responses, axis=1), weights=counts))
    equal = np.full(n_items, 1.0 / n_items)
    ranking = ScoreRanking.of([bank], equal)
    prediction = AnchorPrediction(ranking, float(biases[best]), variance, mixed)
    ratio = np.full(len(group), np.nan)
    with warnings.catch_warnings(action="ignore"):
        for part in range(fold.max() + 1):
            train, test = responses[fold != part], responses[fold == part]
            own = tried[best] if fixed or part == 0 else calibrate(banks[best], train)
            by_others = replace(prediction, ranking=ScoreRanking.of([own[0]], equal))
            order, weights = anchors(train)
            ratio[fold == part] = _ratios(by_others, order, weights, test)
    known = np.isfinite(ratio)
    stretch = 1.0
    if known.any():
        squared = np.average(np.square(ratio[known]), weights=counts[known])
        stretch = max(1.0, float(np.sqrt(squared)))
    return FittedPrediction(replace(prediction, stretch=stretch), bank, biases)


def check_enough(responses, group):
    """Refuse panels on which no bank can be tested."""
    n_items = responses.shape[1]
    largest = np.unique(group, return_counts=True)[1].max(initial=0)
    if len(group) - largest < _FEWEST_MODELS:
        raise ValueError(
            f"X has answers of {len(group)} model(s) in {len(np.unique(group))} "
            f"independent group(s), {largest} of them in one: to predict with a bank, "
            f"{_FEWEST_MODELS} others must calibrate one that these can test. Add "
            'models, or use prediction="mean".'
        )
    if n_items < 2:
        raise ValueError(
            f"X has n_features = {n_items}: to predict with a bank, some items must "
            'tell of others. Add items, or use prediction="mean".'
        )


def _candidates(responses, group, fold):
    """Banks of as many abilities as every part of the panel may bear."""
    of_parts = []
    for part in range(fold.max() + 1):
        train = fold != part
        n_groups = len(np.unique(group[train]))
        of_parts.append(
            default_banks(responses[train], n_groups, dimensions=_MORE_DIMENSIONS)
        )
    return min(of_parts, key=len)


def half_error(bank, responses, counts):
    """Mean absolute error of the mean of the odd items, predicted from the even.

    Parameters
    ----------
    bank : ScoreBank
    responses : ndarray of shape (n_models, n_items)
        1, 0, NaN, of models that did not calibrate the bank.
    counts : ndarray of shape (n_models,)
        How much each model counts.

    Returns
    -------
    float
    """
    n_items = responses.shape[1]
    asked = np.arange(0, n_items, 2)
    known = ~np.isnan(responses)
    usable = known[:, asked].any(axis=1) & known[:, 1::2].any(axis=1)
    if not usable.any():
        raise ValueError(
            f"None of the {len(responses)} models held out answered items of both "
            "halves, the even and the odd columns: how far off a bank's predictions "
            'are cannot be told. Use prediction="mean", or models with fewer gaps.'
        )
    responses, known = responses[usable], known[usable]
    known[:, asked] = False
    observed = np.where(known, responses, 0.0)
    error = np.empty(len(responses))
    mean, covariance = posterior(bank, asked, responses[:, asked])
    for block, p, _ in bank.curves(mean, covariance):
        off = np.where(known[block], p, 0.0) - observed[block]
        error[block] = off.sum(axis=1) / known[block].sum(axis=1)
    return float(np.average(np.abs(error), weights=counts[usable]))


def _ratios(prediction, order, weights, responses):
    """Errors of predicted scores over their standard errors; NaN where not known.

    Of a model with gaps it is the mean over the items it answered that is predicted.
    """
    by_column = np.argsort(order)
    chosen, weights = order[by_column], weights[by_column]
    answered = ~np.isnan(responses)
    ratio = np.full(len(responses), np.nan)
    patterns, which = np.unique(answered, axis=0, return_inverse=True)
    for number, pattern in enumerate(patterns):
        rows = np.flatnonzero(which.ravel() == number)
        if not pattern[chosen].any():
            continue
        target = pattern / pattern.sum()
        ranking = replace(prediction.ranking, weights=target)
        score, error = replace(prediction, ranking=ranking).predict(
            chosen, responses[np.ix_(rows, chosen)], weights
        )
        off = np.abs(score - responses[np.ix_(rows, pattern)].mean(axis=1))
        np.divide(off, error, out=off, where=error > 0)
        ratio[rows] = np.where(error > 0, off, np.nan)
    return ratio
