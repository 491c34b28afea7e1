"""Agreement of held-out predictions, with the models resampled in groups."""

import numpy as np

from skirt.metrics._ranks import rank_correlation, spearman, weighted_midranks

# Fisher's z of a perfect correlation is infinite.
_NEARLY_ONE = 1 - 1e-4


def draw_multiplicities(group_of_model, n_draws, rng):
    """Draw groups with replacement and return how often each model is drawn.

    Parameters
    ----------
    group_of_model : ndarray of shape (n_models,), int
        The groups, counted from 0.
    n_draws : int
        The number of bootstrap samples; each holds as many groups as there are.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of shape (1 + n_draws, n_models)
        The first row is the sample itself: 1 for every model.
    """
    n_groups = group_of_model.max() + 1
    drawn = rng.multinomial(n_groups, np.full(n_groups, 1 / n_groups), size=n_draws)
    as_it_is = np.ones((1, len(group_of_model)))
    return np.vstack([as_it_is, drawn[:, group_of_model]])


def split_agreements(y, tests, predictions, multiplicities):
    """Spearman's rho of every curve in every split, for every set of weights.

    Parameters
    ----------
    y : ndarray of shape (n_models,)
    tests : list of ndarray
        The test rows of each split.
    predictions : list of ndarray of shape (n_curves, n_test)
        What was predicted for them; models with NaN are left out of that curve.
    multiplicities : ndarray of shape (n_sets, n_models)

    Returns
    -------
    ndarray of shape (n_splits, n_curves, n_sets)
        NaN where the truth is constant, 0 where only the prediction is.
    """
    rho = np.empty((len(tests), len(predictions[0]), len(multiplicities)))
    for split, (test, predicted) in enumerate(zip(tests, predictions, strict=True)):
        weights = multiplicities[:, test]
        true_ranks = weighted_midranks(y[test], weights)
        for curve, values in enumerate(predicted):
            ranks, present = true_ranks, weights
            if np.isnan(values).any():
                present = weights * ~np.isnan(values)
                ranks = weighted_midranks(y[test], present)
            pred_ranks = weighted_midranks(values, present)
            rho[split, curve] = rank_correlation(ranks, pred_ranks, present)
    return rho


def mean_of_finite(values, axis=0):
    """Mean of the finite values along an axis; NaN, without a warning, if none is."""
    finite = np.isfinite(values)
    count = finite.sum(axis=axis)
    total = np.where(finite, values, 0).sum(axis=axis)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def bootstrap_interval(estimates, draws, confidence):
    """Percentile interval of correlations, recentred on the estimates.

    Models drawn twice tie with themselves, which lowers the agreements of the
    bootstrap samples (by .02 at 30 models): left so, nearly every miss of the
    interval would be on the one side. The shift is taken out on Fisher's z scale,
    where the spread does not depend on the height.

    Parameters
    ----------
    estimates : ndarray of shape (n_curves,)
    draws : ndarray of shape (n_curves, n_draws)
        NaN are left out.
    confidence : float

    Returns
    -------
    low, high : ndarray of shape (n_curves,)
        NaN where there is nothing to go by.
    """
    low = np.full(len(estimates), np.nan)
    high = low.copy()
    tail = (1 - confidence) / 2
    for curve, (estimate, values) in enumerate(zip(estimates, draws, strict=True)):
        values = values[np.isfinite(values)]
        if len(values) == 0 or np.isnan(estimate):
            continue
        z = _fisher_z(values)
        shift = z.mean() - _fisher_z(estimate)
        low[curve], high[curve] = np.tanh(np.quantile(z, [tail, 1 - tail]) - shift)
    return np.minimum(low, estimates), np.maximum(high, estimates)


def _fisher_z(rho):
    return np.arctanh(np.clip(rho, -_NEARLY_ONE, _NEARLY_ONE))


def pooled_agreements(y, tests, positions):
    """Spearman's rho of `y` with all out-of-fold positions put together.

    `positions` are, per split, of shape (n_curves, n_test): where a test model's
    prediction stands among the predictions for all models of that split, or NaN. A
    model that was tested several times counts as often, each time on its own:
    averaging its positions first would rank it by all the splits' subsets together.
    """
    true = y[np.concatenate(tests)]
    return np.array(
        [
            spearman(true[~np.isnan(values)], values[~np.isnan(values)])
            for values in np.concatenate(positions, axis=1)
        ]
    )
