"""Differences of means with tests, intervals and Cohen's d, over items or models."""

import numpy as np
from scipy.stats import norm
from scipy.stats import t as student_t

from skirt.audit._permutation_tests import (
    ROUNDING,
    n_relabelings,
    permutation_p,
    sign_flip_p,
)

# With fewer distinct ones even the rarest is not rare: Student's t speaks then.
_ENOUGH_RELABELINGS = 1_000


def contrast_over_items(x, y, families, confidence):
    """Compare two models on the same items, the items being the sample.

    Parameters
    ----------
    x, y : ndarray of shape (n_items,)
        Responses, or means of repeated ones.
    families : ndarray of shape (n_items,), int
        Items of one family are dependent.
    confidence : float

    Returns
    -------
    dict
    """
    n, gap = x.size, x - y
    _, family = np.unique(families, return_inverse=True)
    sums, counts = np.bincount(family, gap), np.bincount(family)
    # Agresti & Min (2005): half an item more in each cell of the 2 x 2 table.
    centre = sums.sum() / (n + 2)
    spread = np.square(sums - counts * centre).sum() + 1 + 2 * centre**2
    reach = norm.isf((1 - confidence) / 2)
    half = reach * np.sqrt(spread) / (n + 2)
    mean_x, mean_y, difference = x.mean(), y.mean(), gap.mean()
    pooled = (x.var() + y.var()) / 2
    whole = np.array_equal(gap, np.rint(gap))
    if whole:
        p = sign_flip_p(sums)
    else:
        p = _t_tail(sums.sum(), np.sqrt(np.square(sums).sum()), counts.size - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        d = difference / np.sqrt(pooled)
        # How each item moves d: through the difference and through both variances.
        slope = np.square(x - mean_x) + np.square(y - mean_y) - 2 * pooled
        moves = (gap - difference) / np.sqrt(pooled) - d / (4 * pooled) * slope
        d_half = reach * np.sqrt(np.square(np.bincount(family, moves)).sum()) / n
    return {
        "mean_a": mean_x,
        "mean_b": mean_y,
        "difference": difference,
        "low": max(centre - half, -1.0),
        "high": min(centre + half, 1.0),
        "cohen_d": d,
        "d_low": d - d_half,
        "d_high": d + d_half,
        "p_value": p,
        "test": "exact sign test" if whole else "paired t test over items",
    }


def contrast_over_units(first, second, paired, confidence, rng):
    """Compare two groups of models, models or families being the sample.

    Parameters
    ----------
    first, second : ndarray of shape (n_units, n_columns)
        What is compared, one column for each set of items; the rows of both belong
        together if `paired`.
    paired : bool
    confidence : float
    rng : numpy RandomState

    Returns
    -------
    dict of ndarray of shape (n_columns,)
    """
    difference = first.mean(axis=0) - second.mean(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        kind, error, freedom, pooled, doubt = _spread(first, second, paired)
        d = difference / np.sqrt(pooled)
        # Bonett (2008): the error of the difference and that of its unit.
        d_variance = np.square(error) / pooled + np.square(d / pooled) * doubt / 8
        d_half = norm.isf((1 - confidence) / 2) * np.sqrt(d_variance)
    freedom = np.where(np.isfinite(freedom), freedom, 1.0)
    half = student_t.isf((1 - confidence) / 2, freedom) * error
    enough = n_relabelings(len(first), len(second), paired) >= _ENOUGH_RELABELINGS
    # Without any spread t is infinite; the relabelings still know chance.
    flat = error <= ROUNDING * np.maximum(np.abs(difference), ROUNDING)
    permute = enough | flat
    return {
        "difference": difference,
        "se": error,
        "low": difference - half,
        "high": difference + half,
        "cohen_d": d,
        "d_low": d - d_half,
        "d_high": d + d_half,
        "p_value": np.where(
            permute,
            permutation_p(first, second, paired, rng),
            _t_tail(difference, error, freedom),
        ),
        "test": np.where(permute, "permutation test", f"t test, {kind}"),
    }


def _spread(first, second, paired):
    """Return what a contrast of two groups is measured against.

    Returns
    -------
    kind : str
        The name of the t test.
    error, freedom : ndarray of shape (n_columns,)
        Standard error of the difference and its degrees of freedom.
    pooled : ndarray of shape (n_columns,)
        The variance whose root is the unit of Cohen's d.
    doubt : ndarray of shape (n_columns,)
        Twice the sampling variance of `pooled`.
    """
    n, m = len(first), len(second)
    var_x, var_y = _variance(first), _variance(second)
    pooled = (var_x + var_y) / 2
    if paired:
        own = _variance(first - second)
        error = np.sqrt(own / n)
        freedom = np.full(error.shape, n - 1.0)
        shared = np.square((var_x + var_y - own) / 2)
        doubt = (np.square(var_x) + np.square(var_y) + 2 * shared) / (n - 1)
        return "paired", error, freedom, pooled, doubt
    if min(n, m) == 1:
        # One model against a group whose spread stands for both.
        pooled = var_x if m == 1 else var_y
        error = np.sqrt(pooled * (1 / n + 1 / m))
        freedom = np.full(error.shape, max(n, m) - 1.0)
        return "one against many", error, freedom, pooled, 4 * pooled**2 / freedom
    parts = var_x / n, var_y / m
    error = np.sqrt(parts[0] + parts[1])
    freedom = np.square(parts[0] + parts[1]) / (
        np.square(parts[0]) / (n - 1) + np.square(parts[1]) / (m - 1)
    )
    doubt = np.square(var_x) / (n - 1) + np.square(var_y) / (m - 1)
    return "Welch", error, freedom, pooled, doubt


def _variance(values):
    if len(values) == 1:
        return np.full(values.shape[1], np.nan)
    return values.var(axis=0, ddof=1)


def _t_tail(difference, error, freedom):
    with np.errstate(divide="ignore", invalid="ignore"):
        p = 2 * student_t.sf(np.abs(difference / error), freedom)
    return np.where(difference == 0, 1.0, p)
