"""How far off predicted full scores are, on models that chose no item."""

import warnings

import numpy as np
from scipy.stats import norm
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GroupShuffleSplit, ShuffleSplit

from skirt import FisherSubsetSelector, TwoPLEstimator
from skirt._command._printing import say
from skirt.metrics._predicted_score import predicted_scores

_HALVINGS = 2
_CONFIDENCE = 0.9


def held_out_errors(make_selector, options, panel, score, k):
    """Measure predictions from k items, chosen and calibrated by half of the models.

    One ability does not explain all that models share, so that intervals from it alone
    are too narrow on most real benchmarks. How much too narrow is seen on models held
    out: the quantile of their errors, each in its own standard error.

    Parameters
    ----------
    make_selector : callable
        Takes k and a seed.
    options : namespace with seed
    panel : Panel
    score : ndarray of shape (n_models,)
        The full-benchmark scores to predict.
    k : int

    Returns
    -------
    dict
        ``widen``, at least 1, and ``held_out_error``, the mean absolute error; empty
        where no model held out has answered the items.
    """
    say(f"predicting full scores of held-out models, {2 * _HALVINGS} calibrations")
    X = panel.responses.to_numpy()
    groups = None if panel.groups is None else panel.groups.to_numpy()
    splitter = ShuffleSplit if groups is None else GroupShuffleSplit
    halves = splitter(_HALVINGS, test_size=0.5, random_state=options.seed)
    errors, ratios = [], []
    for train, test in halves.split(X, groups=groups):
        for chosen, held in ((train, test), (test, train)):
            answers, bank = _asked(make_selector(k, options.seed), X[chosen], X[held])
            answered = ~np.isnan(answers).all(axis=1)
            if not answered.any():
                continue
            found = predict_full_scores(bank, answers[answered])
            error = np.abs(found.score - score[held][answered])
            known = found.score_se > 0
            errors.append(error)
            ratios.append(error[known] / found.score_se[known])
    if not errors:
        return {}
    ratio = np.concatenate(ratios)
    widen = 1.0
    if ratio.size:
        # The quantile that holds for one model more, as conformal prediction has it.
        share = min(_CONFIDENCE * (1 + 1 / ratio.size), 1.0)
        usual = norm.ppf(0.5 + _CONFIDENCE / 2)
        widen = max(1.0, float(np.quantile(ratio, share) / usual))
    return {"widen": widen, "held_out_error": float(np.concatenate(errors).mean())}


def _asked(selector, train, held):
    """Return answers to the items that others chose, and the bank of those."""
    with warnings.catch_warnings():
        # Told already, of the whole panel and of the splits.
        warnings.filterwarnings("ignore", "An estimated prior")
        bank = TwoPLEstimator().fit(train)
    if isinstance(selector, FisherSubsetSelector):
        selector.set_params(estimator=FrozenEstimator(bank))
    chosen = np.sort(selector.fit(train).order_)
    answers = np.full(held.shape, np.nan)
    answers[:, chosen] = held[:, chosen]
    return answers, bank


def predict_full_scores(bank, responses, *, widen=1.0, confidence=_CONFIDENCE):
    """Predict from what there is of the responses to all items of a bank."""
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
