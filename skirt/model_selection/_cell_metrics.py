"""How far predicted probabilities are from the responses, by benchmark."""

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from skirt.metrics._ranks import spearman
from skirt.model_selection._bootstrap import mean_of_finite

LOSSES = ("mae", "accuracy", "log_loss")
METRICS = (*LOSSES, "auc", "spearman")

# Probabilities in the log-loss are taken to be at least this far from 0 and 1: an
# item's mean is often 0 or 1 on a panel of a hundred models, which cannot tell more.
CLIP = 1e-3


def averages(sums, counts):
    """Return the macro and micro means from sums and counts by benchmark (last axis).

    The macro mean is over the benchmarks that have cells.
    """
    known = counts > 0
    by_benchmark = np.where(known, sums / np.where(known, counts, 1), np.nan)
    return mean_of_finite(by_benchmark, axis=-1), sums.sum(-1) / counts.sum(-1)


def cell_losses(x, p):
    """Return abs(x - p), whether p is on the right side of .5, and the log-loss."""
    clipped = np.clip(p, CLIP, 1 - CLIP)
    return (
        np.abs(x - p),
        (p >= 0.5) == (x == 1),
        -np.log(np.where(x == 1, clipped, 1 - clipped)),
    )


def area_under_curve(x, p):
    """Probability that a right answer was given the higher p; NaN with one kind."""
    n_right = x.sum()
    n_wrong = x.size - n_right
    if not (n_right and n_wrong):
        return np.nan
    rank_sum = rankdata(p)[x == 1].sum()
    return (rank_sum - n_right * (n_right + 1) / 2) / (n_right * n_wrong)


def rank_models(x, p, model, fold, n_folds):
    """Spearman's rho over models of the means of p and x of each fold's cells.

    Fold by fold, because pooled over all folds the observed means are those of the
    very answers that the folds have trained on in turn: a model's mean would then
    predict itself, with rho = 1 where the models do not differ at all.

    Returns
    -------
    ndarray of shape (n_folds,)
        NaN where the observed means are all equal, or there are fewer than two.
    """
    shape = (n_folds, model.max(initial=0) + 1)
    key = fold * shape[1] + model
    count = np.bincount(key, minlength=np.prod(shape)).reshape(shape)
    means = (np.bincount(key, values, count.size).reshape(shape) for values in (x, p))
    # Rounding keeps the ties that sums in another order would break.
    true, told = (np.round(sums / np.maximum(count, 1), 12) for sums in means)
    return np.array(
        [
            spearman(t[c > 0], q[c > 0])
            for c, t, q in zip(count, true, told, strict=True)
        ]
    )


def score_methods(cells, predicted, fell_back, *, benchmarks, n_models, n_folds):
    """Score every method's predictions.

    Parameters
    ----------
    cells : Cells
    predicted, fell_back : dict of str to ndarray of shape (n_cells,)
    benchmarks : sequence of str
    n_models, n_folds : int

    Returns
    -------
    table : DataFrame
        For each method one row for each benchmark, "micro" and "macro".
    sums : ndarray of shape (n_methods, 3, n_models, n_benchmarks)
        Of the losses.
    counts : ndarray of shape (n_models, n_benchmarks)
    """
    size = len(benchmarks)
    key = cells.model * size + cells.benchmark
    counts = np.bincount(key, minlength=n_models * size).reshape(n_models, size)
    parts = [np.flatnonzero(cells.benchmark == number) for number in range(size)]
    tables, sums = [], []
    for name, p in predicted.items():
        losses = [np.bincount(key, w, counts.size) for w in cell_losses(cells.x, p)]
        sums.append(np.reshape(losses, (3, n_models, size)))
        ranked = [_rank_scores(cells, p, own, n_folds) for own in [*parts, slice(None)]]
        table = _averaged(sums[-1].sum(axis=1), counts.sum(axis=0), np.array(ranked).T)
        fallbacks = np.bincount(cells.benchmark[fell_back[name]], minlength=size)
        table.insert(0, "n_fallback", [*fallbacks, *[fallbacks.sum()] * 2])
        table.insert(0, "n_cells", [*counts.sum(axis=0), *[counts.sum()] * 2])
        table.insert(0, "benchmark", [*benchmarks, "micro", "macro"])
        table.insert(0, "method", name)
        tables.append(table)
    return pd.concat(tables, ignore_index=True), np.stack(sums), counts


def _rank_scores(cells, p, own, n_folds):
    """Return AUC and Spearman's rho of some cells, and in how many parts they lack."""
    x, p = cells.x[own], p[own]
    area = area_under_curve(x, p)
    rho = rank_models(x, p, cells.model[own], cells.fold[own], n_folds)
    return area, mean_of_finite(rho), np.isnan(area), np.isnan(rho).sum()


def _averaged(sums, counts, ranked):
    """Lay out the losses (3, n_benchmarks) and rank scores with their averages."""
    macro, micro = averages(sums, counts)
    ranks, left_out = ranked[:2], ranked[2:].astype(np.int64)
    rows = np.column_stack(
        [
            np.vstack([sums / np.where(counts > 0, counts, np.nan), ranks[:, :-1]]),
            [*micro, *ranks[:, -1]],
            [*macro, *mean_of_finite(ranks[:, :-1], axis=1)],
        ]
    )
    undefined = np.isnan(ranks[:, :-1]).sum(axis=1)
    table = pd.DataFrame(dict(zip(METRICS, rows, strict=True)))
    for name, lacking, benchmarks in zip(METRICS[3:], left_out, undefined, strict=True):
        table[f"{name}_left_out"] = [*lacking, benchmarks]
    return table
