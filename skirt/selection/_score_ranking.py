"""Choosing and predicting for the full-benchmark score, averaged over several banks."""

import warnings
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from skirt._multidim import MultidimIRT
from skirt._twopl import TwoPLEstimator
from skirt.selection._rank_greedy import DesignBank, least_displacement
from skirt.selection._score_target import ScoreBank, predict_score

# Numbers of dimensions that are averaged over, besides 1, unless a bank is given.
_MORE_DIMENSIONS = (2, 3, 5)
# Independent models that must be there for each dimension.
_MODELS_FOR_EACH = 4
# Models at which the criterion is evaluated; of more, as many stand for all.
_MOST_MODELS = 400
# An item that moves by this share of its standard error is settled enough here.
_TOL = 0.05
_MAX_ITER = 100
_DECIMALS = 12


def default_banks(
    responses, n_groups, *, dimensions=_MORE_DIMENSIONS, max_iter=_MAX_ITER
):
    """Return unfitted banks of as many dimensions as the panel may bear.

    In those of several dimensions items count as uncertain, so that a dimension which
    few models show weighs little.

    Parameters
    ----------
    responses : ndarray of shape (n_models, n_items)
    n_groups : int
        Independent models.
    dimensions : sequence of int
        The numbers of dimensions besides 1.
    max_iter : int
        Most cycles of each calibration in several dimensions.

    Returns
    -------
    list of estimator
        The first is a TwoPLEstimator.
    """
    varying = ((responses == 1).any(axis=0) & (responses == 0).any(axis=0)).sum()
    largest = min(n_groups // _MODELS_FOR_EACH, (varying - 1) // 2)
    several = [
        MultidimIRT(
            n_components,
            rotation=None,
            integration="variational",
            tol=_TOL,
            max_iter=max_iter,
        )
        for n_components in dimensions
        if n_components <= largest
    ]
    return [TwoPLEstimator(), *several]


@dataclass(frozen=True)
class ScoreRanking:
    """Banks of the same items and the weights of the items in the score.

    Attributes
    ----------
    banks : list of ScoreBank
        What they say is averaged.
    weights : ndarray of shape (n_items,) or (n_targets, n_items)
        Sum 1, of each of several scores.
    """

    banks: list
    weights: np.ndarray

    @classmethod
    def of(cls, estimators, weights):
        """Read fitted banks."""
        return cls([ScoreBank.of(bank) for bank in estimators], weights)

    def order(self, responses, k, *, shaped, counts, dense):
        """Choose `k` items, best first.

        Parameters
        ----------
        responses : ndarray of shape (n_models, n_items)
            1, 0, NaN; every model has answers.
        k : int
        shaped : list of bool
            Whether these models have calibrated each bank.
        counts : ndarray of shape (n_models,)
            How much each model counts.
        dense : bool
            Whether a score's error matters by the density of the scores.

        Returns
        -------
        ndarray of int of shape (k,)
        """
        abilities = [
            bank.abilities(responses, shaped=own)
            for bank, own in zip(self.banks, shaped, strict=True)
        ]
        if len(responses) > _MOST_MODELS:
            # Of several scores models have their mean rank.
            place = rankdata(self.expected_scores(abilities), axis=1).mean(axis=0)
            rows = _representatives(place, counts, _MOST_MODELS)
            abilities = [theta[rows] for theta in abilities]
            counts = np.full(len(rows), counts.sum() / len(rows))
        designs = [
            DesignBank.at(bank, theta, self.weights)
            for bank, theta in zip(self.banks, abilities, strict=True)
        ]
        return least_displacement(designs, k, counts=counts, dense=dense)

    def expected_scores(self, abilities):
        """Mean over the banks of the scores at abilities, (n_targets, n_models)."""
        weights = np.atleast_2d(self.weights)
        total = np.zeros((len(weights), len(abilities[0])))
        for bank, theta in zip(self.banks, abilities, strict=True):
            for block, p, _ in bank.curves(theta):
                total[:, block] += (p @ weights.T).T
        return total / len(self.banks)

    def predict(self, chosen, answers):
        """Predict the full-benchmark scores.

        Parameters
        ----------
        chosen : ndarray of int of shape (n_chosen,)
        answers : ndarray of shape (n_models, n_chosen)
            1, 0, NaN.

        Returns
        -------
        score, standard_error : ndarray of shape (n_models,) or (n_models, n_targets)
            Of the score as it would be observed; the error counts how much the banks
            differ.
        """
        silent = np.flatnonzero(np.isnan(answers).all(axis=1))
        if silent.size:
            warnings.warn(
                f"{silent.size} of {len(answers)} models answered none of the chosen "
                f"items (the first is row {silent[0]}): their score is the prior's "
                "mean.",
                UserWarning,
                stacklevel=5,
            )
        told = [
            predict_score(bank, chosen, answers, self.weights) for bank in self.banks
        ]
        scores = np.array([score for score, _ in told])
        variance = np.mean([own for _, own in told], axis=0) + scores.var(axis=0)
        # Scores that differ by rounding alone are ties.
        return np.round(scores.mean(axis=0), _DECIMALS), np.sqrt(variance)


def _representatives(score, counts, n):
    """Return `n` rows that stand for equal shares of the models, by score."""
    by_score = np.argsort(score, kind="stable")
    share = np.cumsum(counts[by_score])
    middles = (np.arange(n) + 0.5) / n * share[-1]
    return by_score[np.minimum(np.searchsorted(share, middles), len(score) - 1)]


def check_target_weights(weights, names):
    """Return the items' weights in the score, of sum 1.

    Parameters
    ----------
    weights : array-like of shape (n_items,), Series or None
        A Series is taken by item name; None is equal weights.
    names : ndarray of str of shape (n_items,)

    Returns
    -------
    ndarray of shape (n_items,)
    """
    n_items = len(names)
    if weights is None:
        return np.full(n_items, 1.0 / n_items)
    if isinstance(weights, pd.Series):
        weights = weights.set_axis(weights.index.map(str))
        lacking = [name for name in names if name not in weights.index]
        if lacking or weights.index.has_duplicates:
            odd = (
                lacking[0] if lacking else weights.index[weights.index.duplicated()][0]
            )
            told = "no weight" if lacking else "several weights"
            raise ValueError(f"target_weights has {told} for item {odd!r}.")
        if len(weights) > n_items:
            surplus = weights.index[~weights.index.isin(names)]
            raise ValueError(
                f"target_weights has a weight for {surplus[0]!r}, which is no item of "
                f"X ({len(surplus)} such): pass target_weights[X.columns]."
            )
        weights = weights.loc[list(names)]
    try:
        weights = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError("target_weights must be numbers, one for each item.") from None
    if weights.ndim == 2:
        raise ValueError(
            f"target_weights has shape {weights.shape}: several targets at once are "
            'for FisherSubsetSelector(criterion="rank" or "score"). Give one weight '
            "for each item here; the mean of the rows, each divided by its sum, is the "
            "average over the targets."
        )
    if weights.shape != (n_items,):
        raise ValueError(
            f"target_weights has shape {weights.shape}; X has {n_items} items, each of "
            "which needs one weight (0 for an item that is not in the score)."
        )
    wrong = ~(np.isfinite(weights) & (weights >= 0))
    if wrong.any():
        j = int(np.flatnonzero(wrong)[0])
        raise ValueError(
            f"target_weights is {weights[j]} for item {names[j]!r}: a weight is a "
            "finite number from 0 on."
        )
    if not weights.any():
        raise ValueError("All target_weights are zero: there is no score to rank by.")
    return weights / weights.sum()


def check_groups(groups, n_models):
    """Return the number of each row's group; every row is one without groups."""
    if groups is None:
        return np.arange(n_models)
    groups = np.asarray(groups)
    if groups.shape != (n_models,):
        raise ValueError(
            f"groups has shape {groups.shape}: one label for each of the {n_models} "
            "models is needed."
        )
    if pd.isna(groups).any():
        row = int(np.flatnonzero(pd.isna(groups))[0])
        raise ValueError(f"groups[{row}] is missing: every model needs a group.")
    return pd.factorize(groups)[0]


def group_counts(group):
    """How much each model counts if every group counts once.

    Parameters
    ----------
    group : ndarray of int of shape (n_models,)

    Returns
    -------
    ndarray of shape (n_models,)
    """
    return 1.0 / np.bincount(group)[group]
