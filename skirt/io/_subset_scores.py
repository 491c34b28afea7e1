"""Models scored by their answers to a subset."""

import numpy as np
import pandas as pd
from scipy.stats import norm

from skirt.metrics._predicted_score import PredictedScores, predicted_scores
from skirt.selection._score_ranking import ScoreRanking
from skirt.selection._score_target import ScoreBank

CONFIDENCE = 0.9


def check_answers(answers):
    """Return answers as numbers; anything but 1, 0 and missing is refused."""
    values = answers.apply(pd.to_numeric, errors="coerce")
    wrong = answers.notna() & ~values.isin([0, 1])
    if wrong.to_numpy().any():
        row, column = np.argwhere(wrong.to_numpy())[0]
        value = answers.iat[row, column]
        value = value.item() if isinstance(value, np.generic) else value
        raise ValueError(
            f"Model {answers.index[row]!r} has the answer {value!r} "
            f"to item {answers.columns[column]!r}: answers are 1, 0, or NaN where "
            "there is none."
        )
    return values.astype(np.float64)


def score_models(subset, answers, confidence=CONFIDENCE):
    """Score models by their answers to the subset's items.

    Parameters
    ----------
    subset : Subset
    answers : DataFrame of shape (n_models, n_chosen)
        In the order of ``subset.items``; each model has an answer.
    confidence : float, default=0.9

    Returns
    -------
    DataFrame, indexed by model
        ``n_answers``, ``subset_score`` (share of 1), ``ability``, ``ability_se`` and,
        if the subset has a panel, ``predicted_score``, ``low``, ``high``, ``place``,
        ``place_best``, ``place_worst``, ``n_places``.
    """
    panel = subset.panel
    table = pd.DataFrame(
        {
            "n_answers": answers.notna().sum(axis=1),
            "subset_score": answers.mean(axis=1),
        },
        index=answers.index.rename("model"),
    )
    if panel is None:
        bank = subset.bank()
        table["ability"], table["ability_se"] = bank.predict(answers, return_std=True)
        return table
    kind = True if panel.covariance is None else "total"
    bank = panel.bank(subset.items)
    table["ability"], table["ability_se"] = bank.predict(answers, return_std=kind)
    found = predict_full_scores(
        panel.bank(panel.items),
        answers.reindex(columns=panel.items),
        more=panel.banks,
        widen=panel.widen,
        confidence=confidence,
    )
    table["predicted_score"] = found.score
    table["low"], table["high"] = found.low, found.high
    names = np.asarray(panel.models, dtype=object)
    places = [
        _places(row, panel.score[names != name])
        for name, row in zip(
            table.index,
            table[["predicted_score", "high", "low"]].to_numpy(),
            strict=True,
        )
    ]
    columns = ["place", "place_best", "place_worst", "n_places"]
    table[columns] = np.array(places, dtype=int)
    return table


def _places(scores, others):
    """Return the places that scores have among others, and how many there are.

    A model of the panel is not compared with itself.
    """
    ahead = (others[None, :] > np.asarray(scores)[:, None] + 1e-12).sum(axis=1)
    return *(ahead + 1), len(others) + 1


def predict_full_scores(bank, responses, *, more=(), widen=1.0, confidence=CONFIDENCE):
    """Predict from what there is of the responses to all items of a bank.

    Parameters
    ----------
    bank : fitted TwoPLEstimator
    responses : array-like of shape (n_models, n_items)
    more : sequence of ScoreBank
        Banks of several abilities: what all of them say is averaged.
    widen : float
    confidence : float

    Returns
    -------
    PredictedScores
    """
    if more:
        return _averaged([ScoreBank.of(bank), *more], responses, widen, confidence)
    ability, error = bank.predict(responses, return_std=True)
    stretch = 1.0
    if bank._item_uncertainty is not None:
        stretch = bank.predict(responses, return_std="total")[1] / error
    return predicted_scores(
        np.asarray(responses, dtype=np.float64),
        bank.discrimination_,
        bank.intercept_,
        ability,
        error,
        stretch=np.maximum(stretch, 1.0),
        widen=widen,
        confidence=confidence,
    )


def _averaged(banks, responses, widen, confidence):
    """Predict under several banks; the errors count how much they differ."""
    X = np.asarray(responses, dtype=np.float64)
    n_items = X.shape[1]
    known = ~np.isnan(X)
    chosen = np.flatnonzero(known.any(axis=0))
    ranking = ScoreRanking(banks, np.full(n_items, 1.0 / n_items))
    score, error = ranking.predict(chosen, X[:, chosen])
    error = widen * error
    half = norm.ppf(0.5 + confidence / 2) * error
    # No score can be outside of what the unseen answers may still make it.
    lowest = np.where(known, X, 0.0).mean(axis=1)
    highest = np.where(known, X, 1.0).mean(axis=1)
    low, high = np.clip([score - half, score + half], lowest, highest)
    return PredictedScores(score, error, low, high)
