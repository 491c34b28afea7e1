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


@pytest.mark.parametrize("seed", [1, 2])
def test_halves_of_a_panel_of_steep_items_are_calibrated(seed):
    # Ten models and slopes up to 30: a shift of ability moves such intercepts by many
    # logits, which must not count as a long way.
    path = DATA / "refusalbench_bio.csv.gz"
    if not path.exists():
        pytest.skip("no real response matrices at hand")
    X = pd.read_csv(path, index_col=0)
    half = X.iloc[np.random.default_rng(seed).permutation(len(X))[:10]]
    with pytest.warns(UserWarning, match=DOCUMENTED[0]):
        bank = TwoPLEstimator().fit(half)
    assert bank.converged_
    assert bank.discrimination_.max() > 10
    assert spearmanr(bank.ability_, half.mean(axis=1)).statistic > 0.97
