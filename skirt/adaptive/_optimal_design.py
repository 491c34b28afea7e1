"""Which item leaves the posterior of several abilities smallest: optimal design.

An answer to an item with the information matrix w a a' turns the posterior covariance
C into C - w C a a' C / (1 + w a' C a) (Sherman & Morrison 1950). What that takes off
the determinant (D) or the trace (A) of the abilities of interest is
w a' F a / (1 + w a' C a), where F depends on C alone: two quadratic forms for every
item and model. The other abilities are integrated out: what counts is the block of C.
"""

from functools import cache

import numpy as np
from scipy.special import ndtri
from scipy.stats import qmc

from skirt._cells import model_blocks

# Points that stand for a posterior; an even number.
_POINTS = 16


def _determinant(covariance, chosen):
    """F of the share by which the determinant shrinks (Segall 1996)."""
    across = covariance[:, :, chosen]
    return across @ np.linalg.solve(across[:, chosen], across.swapaxes(1, 2))


def _trace(covariance, chosen):
    """F of the amount by which the trace shrinks (van der Linden 1999)."""
    across = covariance[:, :, chosen]
    return across @ across.swapaxes(1, 2)


DESIGN_CRITERIA = {"d_optimal": _determinant, "a_optimal": _trace}


def design_gain(items, criterion, ability, covariance, chosen):
    """What each item is expected to gain.

    Parameters
    ----------
    items : MultidimItems
    criterion : str
        A key of `DESIGN_CRITERIA`.
    ability : ndarray of shape (n, n_abilities)
        Where the items are to be informative.
    covariance : ndarray of shape (n, n_abilities, n_abilities)
        What is not known yet.
    chosen : sequence of int
        The abilities of interest.

    Returns
    -------
    ndarray of shape (n, n_items)
    """
    chosen = list(chosen)
    told = items.information(ability)
    rest = told.squares(covariance)
    if criterion == "d_optimal" and len(chosen) == items.n_abilities:
        gain = rest.copy()  # F is C
    else:
        gain = told.squares(DESIGN_CRITERIA[criterion](covariance, chosen))
    gain *= told.weight
    rest *= told.weight
    rest += 1.0
    gain /= rest
    return gain


def joint_design_gain(items, criterion, ability, covariance, chosen, asked):
    """What each item would gain beside those of one model whose answers are awaited.

    The sum over points spread like the posterior: an answer that is still awaited
    will move the ability, and items for where it is now alone would all be alike.

    Parameters
    ----------
    items, criterion, chosen
        As in `design_gain`.
    ability : ndarray of shape (n_abilities,)
    covariance : ndarray of shape (n_abilities, n_abilities)
    asked : ndarray of int
        Items that were answered or wait for an answer.

    Returns
    -------
    ndarray of shape (1, n_items)
    """
    points = normal_points(ability, covariance)
    precision = np.linalg.inv(items.correlation)
    precision = precision + items.total_information(points, asked)
    covariance = np.linalg.inv(precision)
    total = np.zeros((1, len(items)))
    for block in model_blocks(len(points), len(items)):
        gain = design_gain(items, criterion, points[block], covariance[block], chosen)
        if criterion == "d_optimal":
            gain = _fewer_errors(gain, covariance[block], chosen)
        total += gain.sum(axis=0)
    return total


def _fewer_errors(gain, covariance, chosen):
    """Turn shares of determinants into amounts that compare between places.

    Those of their roots: with one ability, of its standard error.
    """
    power = 0.5 / len(chosen)
    volume = np.linalg.det(covariance[:, chosen][:, :, chosen]) ** power
    np.subtract(1.0, gain, out=gain)
    np.power(gain, power, out=gain)
    np.subtract(1.0, gain, out=gain)
    gain *= volume[:, None]
    return gain


def normal_points(ability, covariance):
    """Return abilities spread like one model's posterior, (n_points, n_abilities)."""
    spread = np.linalg.cholesky(covariance).T
    return ability + _normal_points(len(ability)) @ spread


@cache
def _normal_points(n_abilities):
    """Spread points like a standard normal distribution, always the same ones."""
    halton = qmc.Halton(n_abilities, scramble=False)
    halton.fast_forward(1)  # past the origin
    half = ndtri(halton.random(_POINTS // 2))
    return np.vstack([half, -half])
