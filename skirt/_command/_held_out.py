"""How far off predicted full scores are, on models that chose no item."""

import warnings

import numpy as np
from scipy.stats import norm
from sklearn.model_selection import GroupKFold, LeaveOneGroupOut

from skirt import FisherSubsetSelector, TwoPLEstimator
from skirt._command._printing import say
from skirt._sklearn_compat import FrozenEstimator
from skirt.io._subset_scores import CONFIDENCE, predict_full_scores
from skirt.model_selection._fit_params import group_params
from skirt.selection._score_ranking import default_banks
from skirt.selection._score_target import ScoreBank

# With half of the models to calibrate on errors are clearly larger than with all.
_FOLDS = 4
# Cycles of the calibrations of several abilities by some of the models.
_CYCLES = 12


def held_out_errors(make_selector, options, panel, score, k):
    """Measure predictions from k items, chosen and calibrated by some of the models.

    By three quarters of them, each quarter in turn held out; on panels too small for
    that by all but one model or group.

    A few abilities do not explain all that models share, so that intervals from them
    alone are too narrow on most real benchmarks. How much too narrow is seen on models
    held out: the quantile of their errors, each in its own standard error.

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
        ``banks``, of several abilities, calibrated by all models, and
        ``independent_models``. Where a model held out has answered the items,
        ``widen``, at least 1, and ``held_out_error``, the mean absolute error.
    """
    X = panel.responses.to_numpy()
    groups = panel.group_labels
    splits = _splits(panel, options.seed)
    say(
        "predicting full scores of held-out models under one and several abilities: "
        f"{len(splits)} splits, and the whole panel"
    )
    facts = {
        "banks": _several_abilities(X, groups),
        "independent_models": len(X) if groups is None else len(np.unique(groups)),
    }
    errors, ratios = [], []
    for chosen, held in splits:
        own = None if groups is None else groups[chosen]
        selector = make_selector(k, options.seed)
        answers, bank, more = _asked(selector, X[chosen], X[held], own)
        answered = ~np.isnan(answers).all(axis=1)
        if not answered.any():
            continue
        found = predict_full_scores(bank, answers[answered], more=more)
        error = np.abs(found.score - score[held][answered])
        known = found.score_se > 0
        errors.append(error)
        ratios.append(error[known] / found.score_se[known])
    if not errors:
        return facts
    ratio = np.concatenate(ratios)
    widen = 1.0
    if ratio.size:
        # The quantile that holds for one model more, as conformal prediction has it.
        share = min(CONFIDENCE * (1 + 1 / ratio.size), 1.0)
        usual = norm.ppf(0.5 + CONFIDENCE / 2)
        widen = max(1.0, float(np.quantile(ratio, share) / usual))
    error = float(np.concatenate(errors).mean())
    return facts | {"widen": widen, "held_out_error": error}


def _splits(panel, seed):
    """Return pairs of rows, those that choose and those held out."""
    X, groups = panel.responses, panel.group_labels
    if groups is None:
        groups = np.arange(len(X))
    if panel.unmeasurable is None:
        folds = GroupKFold(_FOLDS, shuffle=True, random_state=seed)
        return list(folds.split(X, groups=groups))
    # One model alone calibrates nothing.
    each = LeaveOneGroupOut().split(X, groups=groups)
    return [(train, test) for train, test in each if len(train) > 1]


def _asked(selector, train, held, groups):
    """Return answers to the items that others chose, and the banks of those."""
    with warnings.catch_warnings():
        # Told already, of the whole panel and of the splits.
        warnings.filterwarnings("ignore", "An estimated prior")
        bank = TwoPLEstimator().fit(train)
        if isinstance(selector, FisherSubsetSelector) and selector.criterion != "rank":
            selector.set_params(estimator=FrozenEstimator(bank))
        selector.fit(train, **group_params(selector, groups))
    chosen = np.sort(selector.order_)
    answers = np.full(held.shape, np.nan)
    answers[:, chosen] = held[:, chosen]
    return answers, bank, _several_abilities(train, groups, max_iter=_CYCLES)


def _several_abilities(responses, groups, **options):
    """Return banks of as many abilities as the models may bear; without the first."""
    n_groups = len(responses) if groups is None else len(np.unique(groups))
    with warnings.catch_warnings():
        if "max_iter" in options:
            # Of calibrations that are stopped early on purpose.
            warnings.simplefilter("ignore")
        return [
            ScoreBank.of(bank.fit(responses))
            for bank in default_banks(responses, n_groups, **options)[1:]
        ]
