"""Against R's mirt and ltm, and where they disagree with it, exact references."""

import json

import numpy as np
import pandas as pd
import pytest
from conftest import brute_force_posterior
from numpy.testing import assert_allclose

from skirt import OnePLEstimator, TwoPLEstimator

SETS = ["lsat6", "lsat7", "sat12", "sim500x30", "sim500x30_mis25"]


def read(gold, name):
    return pd.read_csv(gold / f"{name}_data.csv").to_numpy(float)


def reference(gold, name, model):
    items = pd.read_csv(gold / f"{name}_items.csv")
    return items[items["model"] == model]


@pytest.mark.parametrize("name", SETS)
def test_maximum_likelihood_2pl(gold, name):
    items = reference(gold, name, "2pl")
    fit = json.loads((gold / f"{name}_fit.json").read_text())["2pl"]
    model = TwoPLEstimator(discrimination_prior=None, intercept_prior=None, tol=1e-6)
    model.fit(read(gold, name))
    assert_allclose(model.discrimination_, items["a_pol"], atol=2e-6)
    assert_allclose(model.intercept_, items["d_pol"], atol=2e-6)
    assert_allclose(model.log_likelihood_, fit["logLik"], atol=1e-3)
    # The whole observed information, with all covariances between items.
    assert_allclose(model.discrimination_se_, items["se_a_obs"], atol=1e-5)
    assert_allclose(model.intercept_se_, items["se_d_obs"], atol=1e-5)
    assert_allclose(model.difficulty_se_, items["se_b_obs"], atol=5e-5)


@pytest.mark.parametrize("name", SETS)
def test_default_tolerance_is_good_to_a_thousandth(gold, name):
    items = reference(gold, name, "2pl")
    model = TwoPLEstimator(discrimination_prior=None, intercept_prior=None)
    model.fit(read(gold, name))
    assert_allclose(model.discrimination_, items["a"], atol=1e-3)
    assert_allclose(model.intercept_, items["d"], atol=1e-3)


@pytest.mark.parametrize("name", SETS)
def test_rasch(gold, name):
    items = reference(gold, name, "1pl")
    model = OnePLEstimator(discrimination_prior=None, intercept_prior=None, tol=1e-6)
    model.fit(read(gold, name))
    assert_allclose(model.discrimination_, items["a_pol"], atol=1e-6)
    assert_allclose(model.intercept_, items["d_pol"], atol=1e-6)
    assert_allclose(model.discrimination_se_, items["se_a_obs"], atol=1e-5)
    assert_allclose(model.intercept_se_, items["se_d_obs"], atol=1e-5)


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize(
    ("method", "ability", "se", "tolerance", "se_tolerance"),
    [
        ("eap", "EAP", "SE_EAP", 2e-5, 2e-5),
        ("map", "MAP_own", "SE_MAP_own_obs", 1e-6, 1e-6),
        ("ml", "ML", "SE_ML", 1e-5, 2e-3),  # R differentiates SE_ML numerically
        ("wl", "WLE", None, 1e-5, None),  # R's SE_WLE is another quantity
    ],
)
def test_abilities(gold, name, method, ability, se, tolerance, se_tolerance):
    items = reference(gold, name, "2pl")
    scores = pd.read_csv(gold / f"{name}_scores.csv")
    X = read(gold, name)[scores["first_row"] - 1]
    bank = TwoPLEstimator.from_item_parameters(
        discrimination=items["a"].to_numpy(),
        intercept=items["d"].to_numpy(),
        ability_method=method,
    )
    theta, error = bank.predict(X, return_std=True)
    expected = scores[ability].to_numpy(float)
    assert_allclose(theta, expected, atol=tolerance)
    infinite = np.isinf(expected)
    assert np.isinf(error[infinite]).all()
    if se is not None:
        assert_allclose(error[~infinite], scores.loc[~infinite, se], atol=se_tolerance)


def test_posterior_means_beyond_the_references_own_grid(gold):
    """R integrates on [-6, 6]; a perfect score's posterior reaches farther."""
    items = reference(gold, "sat12", "2pl")
    a, d = items["a"].to_numpy(), items["d"].to_numpy()
    X = np.vstack([np.ones(32), np.zeros(32), read(gold, "sat12")[:5]])
    bank = TwoPLEstimator.from_item_parameters(
        discrimination=a, intercept=d, ability_method="eap"
    )
    theta, se = bank.predict(X, return_std=True)
    log_likelihood, mean, sd = brute_force_posterior(X, a, d)
    assert_allclose(theta, mean, atol=1e-8)
    assert_allclose(se, sd, atol=1e-8)
    assert_allclose(bank.score_samples(X), log_likelihood, atol=1e-7)


@pytest.mark.parametrize("name", ["lsat6", "sat12"])
def test_information(gold, name):
    items = reference(gold, name, "2pl")
    table = pd.read_csv(gold / f"{name}_info.csv")
    table = table[table["model"] == "2pl"]
    bank = TwoPLEstimator.from_item_parameters(
        discrimination=items["a"].to_numpy(), intercept=items["d"].to_numpy()
    )
    theta = table["theta"].to_numpy()
    assert_allclose(bank.test_information(theta), table["test"], atol=1e-7)
    assert_allclose(bank.item_information(theta), table.iloc[:, 3:], atol=1e-7)


@pytest.mark.parametrize("data", ["na", "complete"])
def test_fixed_priors_on_a_hard_small_sample(gold, data):
    """40 x 60 with a perfect model, an item all fail and one all pass."""
    items = pd.read_csv(gold / "bayes40x60_items.csv")
    items = items[(items["data"] == data) & (items["prior_on"] == "d")]
    X = pd.read_csv(gold / f"bayes40x60_{data}_data.csv").to_numpy(float)
    model = TwoPLEstimator(
        discrimination_prior=(0.0, 0.5), intercept_prior=(0.0, 2.0), tol=1e-6
    ).fit(X)
    # Density taken in log a: the columns for that convention.
    assert_allclose(model.discrimination_, items["a_logscale"], atol=1e-5)
    assert_allclose(model.intercept_, items["c_logscale"], atol=1e-5)
    fit = json.loads((gold / "bayes40x60_fit.json").read_text())
    expected = fit[f"{data}_prior_on_d"]["logscale_logLik"]
    assert_allclose(model.log_likelihood_, expected, atol=1e-4)
    for se in ("discrimination_se_", "intercept_se_", "difficulty_se_"):
        assert np.isfinite(getattr(model, se)).all()
