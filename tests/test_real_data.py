"""The estimator's promises on real response matrices, where they are at hand."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
from conftest import SHARED, brute_force_posterior
from scipy.stats import spearmanr

from skirt import TwoPLEstimator

DATA = SHARED / "data"

# The warnings that the estimator documents and a complete enough panel may call for;
# that of a calibration which did not converge is not among them.
DOCUMENTED = (
    r"An estimated prior is at its bound \(",
    r"An estimated prior did not settle \(",
)

# Least Spearman's rho of ability and mean score. refusal_stability: four models that
# refuse different prompts, 20 rows each, so that no one dimension holds their means.
LEAST_RHO = {"refusal_stability": 0.8}

# The largest sets take more than a second each.
MOST_CELLS = 200_000


def _names():
    table = DATA / "datasets.csv"
    if not table.exists():
        return []
    sets = pd.read_csv(table)
    small = sets["respondents"] * sets["items"] <= MOST_CELLS
    return list(sets.loc[small & (sets["respondents"] >= 20), "name"])


@pytest.mark.skipif(not DATA.exists(), reason="no real response matrices at hand")
def test_data_sets_are_found():
    assert len(_names()) >= 15


@pytest.mark.parametrize("name", _names())
def test_calibration_of_a_real_panel(name):
    X = pd.read_csv(DATA / f"{name}.csv.gz", index_col=0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        bank = TwoPLEstimator().fit(X)
    for warning in caught:
        assert warning.category is UserWarning
        assert any(re.match(text, str(warning.message)) for text in DOCUMENTED)
    assert bank.converged_
    mean, sd = population_moments(X.to_numpy(float), bank)
    assert mean == pytest.approx(0, abs=0.02)
    assert sd == pytest.approx(1, abs=0.02)
    rho = spearmanr(bank.ability_, X.mean(axis=1)).statistic
    assert rho >= LEAST_RHO.get(name, 0.97)


def population_moments(X, bank):
    """Mean, and SD as sqrt(variance of posterior means + mean posterior variance)."""
    patterns, row = np.unique(X, axis=0, return_inverse=True)
    _, mean, sd = brute_force_posterior(patterns, bank.discrimination_, bank.intercept_)
    mean, sd = mean[row.ravel()], sd[row.ravel()]
    return mean.mean(), np.sqrt(mean.var() + np.square(sd).mean())
