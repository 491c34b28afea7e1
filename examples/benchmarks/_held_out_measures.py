"""What `held_out_cells.py` measures of one response matrix."""

import re
from collections import Counter

import numpy as np
import pandas as pd
from _real_data_curves import with_warnings
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold

from skirt import MultidimIRT
from skirt.model_selection import cross_val_responses

N_COMPONENTS = (1, 2, 3, 4)
# The same normal prior in one dimension as in more, beside the log-normal one.
ONE_NORMAL = "MultidimIRT(1), normal"
N_FOLDS = 5
FEWEST_GROUPS = 20
CLIP = 1e-3
METRICS = ("log_loss", "mae", "auc")
AVERAGES = ("macro", "micro")


def label(n_components):
    return f"MultidimIRT({n_components})"


def measure(panel, n_jobs):
    """Hold out cells of one set, and models where there are enough."""
    # Quadrature, which "auto" takes where a model has some dozens of answers, gives the
    # same log-loss to three digits and takes minutes with four components.
    default = MultidimIRT(integration="variational")
    estimators = {
        label(n): clone(default).set_params(n_components=n) for n in N_COMPONENTS
    }
    estimators[ONE_NORMAL] = clone(default).set_params(
        n_components=1, discrimination_prior="normal"
    )
    scores, caught = with_warnings(
        lambda: cross_val_responses(
            estimators,
            panel.X,
            items=panel.items,
            by=panel.recipe.by,
            category=panel.recipe.category,
            cv=N_FOLDS,
            groups=panel.groups,
            random_state=0,
            n_jobs=n_jobs,
        )
    )
    summaries = {average: scores.summary(average) for average in AVERAGES}
    baselines = {
        average: next(m for m in table.index if m in scores.baselines)
        for average, table in summaries.items()
    }
    picks = picked_without(scores, panel)
    chosen = Counter(picks).most_common(1)[0][0]
    return {
        "name": panel.name,
        "taken": panel.taken,
        "note": panel.recipe.note,
        "shape": list(panel.X.shape),
        "groups": panel.n_groups,
        "missing": float(panel.X.isna().to_numpy().mean()),
        "parts": len(scores.benchmarks),
        "cells": scores.n_cells,
        "summary": {
            average: table[list(METRICS)].to_dict("index")
            for average, table in summaries.items()
        },
        "baselines": baselines,
        "differences": {
            average: differences(scores, average, baselines[average])
            for average in AVERAGES
        },
        "picks": picks,
        "chosen": chosen,
        "by part": by_part(scores, chosen, baselines["macro"]),
        "evidence": {
            method: evidence(scores, panel, method)
            for method in {chosen, baselines["macro"], baselines["micro"]}
        },
        "warnings": caught,
        "grid": held_out_models(panel, default, n_jobs),
    }


def differences(scores, average, baseline):
    """Log-loss of every MultidimIRT less that of the best baseline, with interval."""
    table = scores.compare(baseline)
    table = table[(table["average"] == average) & (table["metric"] == "log_loss")]
    table = table.set_index("method")
    ours = [method for method in table.index if method not in scores.baselines]
    return {m: table.loc[m, ["difference", "low", "high"]].tolist() for m in ours}


def losses(x, p):
    p = np.clip(p, CLIP, 1 - CLIP)
    return -np.where(x == 1, np.log(p), np.log1p(-p))


def picked_without(scores, panel):
    """For each fold, the number of components that is best on all the others.

    By the macro average of the log-loss: a choice that has not seen the cells it is
    to be judged by.
    """
    x = panel.X.to_numpy(dtype=float)
    part = pd.factorize(panel.items[panel.recipe.by])[0]
    loss = {
        label(n): losses(x, scores.predictions[label(n)].to_numpy())
        for n in N_COMPONENTS
    }
    picks = []
    for fold in range(N_FOLDS):
        cells = (scores.folds >= 0) & (scores.folds != fold)
        column = np.nonzero(cells)[1]
        picks.append(
            min(loss, key=lambda m: _macro(loss[m][cells], part[column]))  # noqa: B023
        )
    return picks


def _macro(values, part):
    count = np.bincount(part)
    return (np.bincount(part, values)[count > 0] / count[count > 0]).mean()


def by_part(scores, method, baseline):
    """Log-loss of a method and the baseline in each part."""
    table = scores.to_frame().pivot(
        index="benchmark", columns="method", values="log_loss"
    )
    return table.loc[list(scores.benchmarks), [method, baseline]].T.to_dict()


def evidence(scores, panel, method):
    """What helps to see why a method loses.

    Returns
    -------
    dict
        `slope`: by how much the logits are to be multiplied to fit the cells best,
        below 1 where predictions are too sure of themselves; `calibrated`: the
        log-loss after that, over all cells.
    """
    x = panel.X.to_numpy(dtype=float)
    seen = ~np.isnan(x)
    p = np.clip(scores.predictions[method].to_numpy()[seen], CLIP, 1 - CLIP)
    x, z = x[seen], np.log(p) - np.log1p(-p)
    slope = 1.0
    for _ in range(50):
        q = 1 / (1 + np.exp(-slope * z))
        step = np.sum((x - q) * z) / np.sum(q * (1 - q) * z**2)
        slope += step
        if abs(step) < 1e-9:
            break
    return {
        "slope": float(slope),
        "calibrated": float(losses(x, 1 / (1 + np.exp(-slope * z))).mean()),
    }


def held_out_models(panel, estimator, n_jobs):
    """What `GridSearchCV` picks on held-out models: their marginal log-likelihood."""
    if panel.n_groups < FEWEST_GROUPS:
        return None
    split = KFold if panel.groups is None else GroupKFold
    search = GridSearchCV(
        estimator,
        {"n_components": list(N_COMPONENTS)},
        cv=split(N_FOLDS, shuffle=True, random_state=0),
        n_jobs=n_jobs,
        error_score="raise",
    )
    _, caught = with_warnings(lambda: search.fit(panel.X, groups=panel.groups))
    return {
        "picked": search.best_params_["n_components"],
        "scores": search.cv_results_["mean_test_score"].tolist(),
        "warnings": counted(caught),
    }


def counted(messages):
    """Warnings that differ in their numbers only, as one with the times it came."""
    kinds: dict = {}
    for message in messages:
        kinds.setdefault(re.sub(r"\d[\d.e+-]*", "#", message), []).append(message)
    return [f"{len(same)} x {same[0]}" for same in kinds.values()]
