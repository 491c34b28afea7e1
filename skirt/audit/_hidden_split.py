"""Whether a benchmark's items fall into two kinds that nobody has labelled.

The items are sorted into two kinds by one half of the models and compared on the other
half, and the other way round: answers of different models are independent given their
abilities, so that where all items measure the same, the sorting is chance and the
comparison keeps its level.
"""

from dataclasses import dataclass

import numpy as np
from scipy.stats import t as student_t

from skirt.audit._benchmark_figures import log_odds, mean_scores
from skirt.audit._benchmark_tests import (
    FEWEST_GROUPS,
    complement,
    direction_freedom,
    link,
    t_test,
    tangent,
)

# Sorting fewer items than this leaves kinds of a handful.
_FEWEST_ITEMS = 10


@dataclass(frozen=True)
class HiddenSplit:
    """What the comparison of two kinds of items found.

    Attributes
    ----------
    p : float
        One-sided p-value of the kinds measuring different mixtures; NaN untested.
    latent_correlation : float
        Of what the two kinds measure; sorting by noisy answers brings it nearer to 1.
    dimensions : tuple of int or None
        The abilities the two kinds follow, if these differ significantly.
    """

    p: float = np.nan
    latent_correlation: float = np.nan
    dimensions: tuple | None = None


def hidden_split(responses, abilities, multiplicities, groups, alpha, rng):
    """Look for two kinds of items in one benchmark.

    Parameters
    ----------
    responses : ndarray of shape (n_models, n_items)
        To the items of the benchmark, those that vary.
    abilities : Abilities
        Estimated without them.
    multiplicities : ndarray of shape (n_sets, n_models)
    groups : ndarray of shape (n_models,), int
        Groups stay on one side of the halving.
    alpha : float
        Level at which the kinds must follow different abilities.
    rng : numpy.random.Generator

    Returns
    -------
    HiddenSplit
    """
    size = abilities.mean.shape[1]
    if responses.shape[1] < _FEWEST_ITEMS or size < 2:
        return HiddenSplit()
    answered = abilities.known & ~np.isnan(responses).all(axis=1)
    present = rng.permutation(np.unique(groups[answered]))
    if len(present) < 2 * FEWEST_GROUPS:
        return HiddenSplit()
    side = np.isin(groups, present[: len(present) // 2])
    differences, kinds = [], []
    for train in (side, ~side):
        sorted_items = _sort_items(responses, abilities, answered & train, groups)
        if sorted_items is None:
            return HiddenSplit()
        upper, direction, axis = sorted_items
        test = multiplicities * ~train
        pair = [
            link(_log_odds(responses, chosen), abilities, test, groups)
            for chosen in (upper, ~upper)
        ]
        u, v = (links.direction for links in pair)
        differences.append(tangent(u, v, direction) @ axis)
        kinds.append(pair)
    fewest = min(
        (links for pair in kinds for links in pair), key=lambda links: links.n_groups
    )
    p = _joint_test(differences, fewest)
    along = np.mean([(u.direction[0] * v.direction[0]).sum() for u, v in kinds])
    return HiddenSplit(p, along, _dimensions(kinds, fewest, alpha))


def _log_odds(responses, chosen):
    return log_odds(mean_scores(responses, chosen), chosen.sum())


def _joint_test(differences, links):
    """One-sided p-value of the mean of both halves' differences.

    An item that by chance leans one way in both halves adds to both differences, so
    that they are far from independent: as if perfectly dependent, the standard error
    of their mean is the mean of their standard errors.
    """
    tests = [t_test(values, links) for values in differences]
    se = np.mean([standard_error for _, standard_error, _ in tests])
    return student_t.sf(
        np.mean([d for d, _, _ in tests]) / se, direction_freedom(links)
    )


def _sort_items(responses, abilities, train, groups):
    """Sort items by what they have beside the benchmark's direction.

    Returns
    -------
    upper : ndarray of shape (n_items,), bool
    direction : ndarray of shape (n_dimensions,)
        The benchmark's own, a unit vector.
    axis : ndarray of shape (n_dimensions - 1,)
        Along which the items were sorted, in the basis `complement(direction)`.
    """
    everything = np.ones(responses.shape[1], dtype=bool)
    score = mean_scores(responses, everything)
    whole = link(score, abilities, 1.0 * train[None, :], groups)
    direction = whole.direction[0]
    if not np.isfinite(direction).all():
        return None
    theta = abilities.mean[train] - abilities.mean[train].mean(axis=0)
    spread = theta.T @ theta / len(theta) + abilities.error[train].mean(axis=0)
    values, vectors = np.linalg.eigh(spread)
    if values[0] < 1e-8:
        return None
    white = theta @ (vectors / np.sqrt(values)) @ vectors.T
    own, beside = white @ direction, white @ complement(direction)
    beside = beside - np.outer(own, own @ beside / (own @ own))
    x = responses[train]
    seen = ~np.isnan(x)
    x = np.where(seen, x, 0.0)
    x = (x - x.sum(axis=0) / np.maximum(seen.sum(axis=0), 1)) * seen
    lean = x.T @ beside
    _, _, rows = np.linalg.svd(lean, full_matrices=False)
    axis = rows[0]
    upper = lean @ axis > 0
    return (upper, direction, axis) if 0 < upper.sum() < len(upper) else None


def _dimensions(kinds, links, alpha):
    """Return the abilities that the kinds follow if they are different ones."""
    (u, v), (w, x) = kinds
    if (u.weight[0] - v.weight[0]) @ (w.weight[0] - x.weight[0]) < 0:
        # Which kind is called the upper is chance in each half of the models.
        kinds = [(u, v), (x, w)]
    upper = np.mean([pair[0].correlation for pair in kinds], axis=0)
    lower = np.mean([pair[1].correlation for pair in kinds], axis=0)
    first, second = int(upper[0].argmax()), int(lower[0].argmax())
    if first == second:
        return None
    for r, own, other in ((upper, first, second), (lower, second, first)):
        _, _, p = t_test(r[:, own] - r[:, other], links, one_sided=True)
        if not p < alpha:
            return None
    return first, second
