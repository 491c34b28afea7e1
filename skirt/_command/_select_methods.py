"""The ways of choosing items that ``skirt select`` knows, by their names."""

import numpy as np
from sklearn.impute import SimpleImputer
from sklearn.linear_model import RidgeCV
from sklearn.pipeline import make_pipeline

from skirt import (
    AnchorPointSelector,
    AutoSubsetSelector,
    DisagreementSelector,
    FisherSubsetSelector,
    RandomSubsetSelector,
)
from skirt._sklearn_compat import FrozenEstimator

RIDGE = "random + ridge"
# What is shown beside the chosen method: what takes seconds, and everything.
QUICK = ("fisher", "random", "anchor", "disagreement")
ALL = ("fisher", "fisher rank", "random", RIDGE, "anchor", "disagreement", "auto")

# Penalties from none to speak of to nothing but the mean.
_PENALTIES = np.logspace(-1, 4, 11)


def label(method, criterion):
    """Return a method's name in the report, with a criterion if it is not the usual."""
    return method if criterion in (None, "marginal") else f"{method} {criterion}"


def way_to(name):
    """Return the options that choose like this; None if the command cannot."""
    if name == RIDGE:
        return None
    method, _, criterion = name.partition(" ")
    return f"--criterion {criterion}" if criterion else f"--method {method}"


def make_selector(name, *, k=10, bank=None, seed=None):
    """Return the estimator of that name, not fitted.

    Parameters
    ----------
    name : str
        One of `ALL`, or ``fisher`` with another criterion.
    k : int
    bank : TwoPLEstimator, optional
        The calibrated bank of one ability, where it need not be calibrated again.
    seed : int, optional
    """
    method, _, criterion = name.partition(" ")
    if name == RIDGE:
        # Items without an answer in one half are there in the other.
        return make_pipeline(
            RandomSubsetSelector(k, random_state=seed),
            SimpleImputer(keep_empty_features=True),
            RidgeCV(_PENALTIES),
        )
    if method == "anchor":
        return AnchorPointSelector(k, random_state=seed)
    if method == "disagreement":
        return DisagreementSelector(k, random_state=seed)
    if method == "random":
        return RandomSubsetSelector(k, random_state=seed)
    if method == "auto":
        return AutoSubsetSelector(k, random_state=seed)
    if criterion == "rank":
        return FisherSubsetSelector(k, criterion="rank")
    return FisherSubsetSelector(
        k,
        criterion="total" if criterion == "total" else "marginal",
        stratify="difficulty" if criterion == "stratified" else None,
        estimator=None if bank is None else FrozenEstimator(bank),
    )


def methods(chosen, *, compare, embedded):
    """Return what to measure by name: the chosen method, random, perhaps the others."""
    names = [chosen, "random", *(ALL if compare else QUICK if embedded else ())]
    return {name: make_selector(name) for name in dict.fromkeys(names)}
