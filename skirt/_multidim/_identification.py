"""What a panel is able to tell, and what must stand in for the rest."""

import math
import warnings
from numbers import Real

import numpy as np

# What an "auto" prior falls back on, with a warning, where a panel says nothing.
_UNIDENTIFIED = 1.0, (0.0, 2.0)


def check_size(data, n_components):
    """Refuse more components than items, or than models less one."""
    if n_components > data.n_items:
        raise ValueError(
            f"n_components={n_components} needs at least as many items; X has "
            f"n_features = {data.n_items}. Give fewer components or more items."
        )
    if n_components >= data.n_models:
        raise ValueError(
            f"n_components={n_components} needs more models than that; "
            f"{data.n_models} have answers and a positive weight. Give fewer "
            "components or more models."
        )


def resolved_priors(slope, intercept, right, n_components, item_names):
    """Check the priors against the panel; return what the calibration takes.

    Parameters
    ----------
    slope, intercept
        The estimator's `discrimination_prior` and `intercept_prior`.
    right : ndarray of shape (n_items,)
        Shares of answers 1.
    n_components : int
    item_names : ndarray of str of shape (n_items,)

    Returns
    -------
    slope, intercept
    """
    slope = "auto" if slope == "normal" else slope
    if isinstance(intercept, tuple | list) and not _is_mean_and_sd(intercept):
        raise ValueError(
            f"intercept_prior is {intercept!r}: give 'auto', None, or a pair of "
            "its mean and its positive standard deviation."
        )
    varying = (right > 0) & (right < 1)
    if intercept is None and not varying.all():
        raise ValueError(
            f"{named_items(item_names, np.flatnonzero(~varying))} were answered alike "
            "by all models, or by none: without intercept_prior their intercepts are "
            'infinite. Use intercept_prior="auto", or leave the items out.'
        )
    count, needed = int(varying.sum()), 2 * n_components + 1
    if count >= needed:
        return slope, intercept
    told = (
        f"{count} of {right.size} items vary over the models; {n_components} "
        f"components are not identified with fewer than {needed}"
    )
    if slope is None:
        raise ValueError(f'{told}. Use discrimination_prior="auto" or an SD.')
    if "auto" in (slope, intercept):
        warnings.warn(
            f"{told}: fixed priors stand in for what the panel does not tell.",
            UserWarning,
            stacklevel=5,
        )
    return (
        _UNIDENTIFIED[0] if slope == "auto" else slope,
        _UNIDENTIFIED[1] if intercept == "auto" else intercept,
    )


def named_items(item_names, positions):
    """Name some items in a message, and count the others."""
    names = [str(item_names[j]) for j in positions[:5]]
    more = f" and {positions.size - 5} more" if positions.size > 5 else ""
    return f"items {names}{more}"


def _is_mean_and_sd(prior):
    return (
        len(prior) == 2
        and all(isinstance(value, Real) and math.isfinite(value) for value in prior)
        and prior[1] > 0
    )
