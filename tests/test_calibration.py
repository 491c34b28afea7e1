"""The calibration against brute force, planted truth and what must not matter."""

import warnings

import numpy as np
import pytest
from conftest import brute_force_posterior
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import approx_fprime
from scipy.special import expit, logsumexp
from sklearn.exceptions import ConvergenceWarning

from skirt import OnePLEstimator, TwoPLEstimator
from skirt._item_moves import Move
from skirt._marginal import MarginalLikelihood
from skirt._metric import Metric
from skirt._priors import NormalPrior, Priors
from skirt._response_data import ResponseData

NODES = np.linspace(-8, 8, 321)


def objective(parameters, X, slope_prior, intercept_prior):
    """Penalised marginal log-likelihood in (log a, d), by a plain fixed grid."""
    log_a, d = np.split(parameters, 2)
    z = np.multiply.outer(NODES, np.exp(log_a)) + d
    joint = X @ z.T - np.logaddexp(0, z).sum(axis=1) - NODES**2 / 2
    value = logsumexp(joint, axis=1).sum()
    for prior, v in ((slope_prior, log_a), (intercept_prior, d)):
        value -= 0.5 * np.sum((v - prior[0]) ** 2) / prior[1] ** 2
    return value


def test_optimum_and_item_standard_errors_with_fixed_priors(simulate):
    X, *_ = simulate(60, 6, seed=3)
    X[:, 5] = 1  # a constant item stays finite under a prior
    priors = (0.1, 0.4), (0.2, 1.5)
    model = TwoPLEstimator(
        discrimination_prior=priors[0], intercept_prior=priors[1], tol=1e-7
    ).fit(X)
    best = np.concatenate([np.log(model.discrimination_), model.intercept_])

    def gradient(v):
        return approx_fprime(v, objective, 1e-5, X, *priors)

    assert np.abs(gradient(best)).max() < 1e-3
    step = 1e-3
    hessian = np.array(
        [
            (gradient(best + step * e) - gradient(best - step * e)) / (2 * step)
            for e in np.eye(best.size)
        ]
    )
    se = np.sqrt(np.diag(np.linalg.inv(-hessian)))
    assert_allclose(model.intercept_se_, se[6:], rtol=2e-3)
    assert_allclose(model.discrimination_se_, model.discrimination_ * se[:6], rtol=2e-3)
    constant = (X == X[0]).all(axis=0)
    assert model.item_flags_["constant"].tolist() == constant.tolist()


def test_long_test_standard_errors_agree_with_the_whole_matrix(simulate, monkeypatch):
    """The two ways to item standard errors, where both are affordable."""
    X, *_ = simulate(200, 80, seed=1)
    whole = TwoPLEstimator().fit(X)
    monkeypatch.setattr("skirt._standard_errors._AFFORDABLE", 0)
    blocks = TwoPLEstimator().fit(X)
    for name in ("discrimination_se_", "intercept_se_"):
        assert_allclose(getattr(blocks, name), getattr(whole, name), rtol=0.04)
    assert_allclose(blocks.ability_se_total_, whole.ability_se_total_, rtol=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize(("n_models", "n_items"), [(100, 5_000), (80, 20_000)])
def test_long_tests_are_not_snapped_to_a_grid(simulate, n_models, n_items):
    X, truth, *_ = simulate(n_models, n_items)
    model = TwoPLEstimator(ability_method="eap").fit(X)
    assert model.converged_
    assert np.unique(model.ability_).size == n_models
    log_likelihood, mean, sd = brute_force_posterior(
        X, model.discrimination_, model.intercept_
    )
    assert_allclose(model.ability_, mean, atol=1e-6)
    assert_allclose(model.ability_se_, sd, rtol=1e-4)
    assert_allclose(model.log_likelihood_, log_likelihood.sum(), atol=1e-3)
    assert abs(mean.mean()) < 1e-3
    assert abs(np.sqrt(mean.var() + np.mean(sd**2)) - 1) < 1e-3
    assert np.corrcoef(model.ability_, truth)[0, 1] > 0.998


@pytest.mark.parametrize("factor", [1 / 3, 3])
def test_population_sets_the_scale_whatever_the_slopes(simulate, factor):
    X, *_ = simulate(60, 300, seed=2, mean_log=np.log(factor))
    model = TwoPLEstimator().fit(X)
    _, mean, sd = brute_force_posterior(X, model.discrimination_, model.intercept_)
    assert abs(mean.mean()) < 1e-3
    assert abs(np.sqrt(mean.var() + np.mean(sd**2)) - 1) < 2e-3


def test_population_without_priors(simulate):
    X, *_ = simulate(500, 12, seed=5)
    model = TwoPLEstimator(discrimination_prior=None, intercept_prior=None).fit(X)
    _, mean, sd = brute_force_posterior(X, model.discrimination_, model.intercept_)
    assert abs(mean.mean()) < 1e-3
    assert abs(np.sqrt(mean.var() + np.mean(sd**2)) - 1) < 1e-3


@pytest.mark.parametrize("spread", [0.2, 0.5, 0.9])
def test_planted_spread_of_discriminations_comes_back(simulate, spread):
    found = [
        TwoPLEstimator()
        .fit(simulate(100, 1_000, seed=seed, spread=spread)[0])
        .discrimination_prior_[1]
        for seed in range(4)
    ]
    assert_allclose(np.mean(found), spread, rtol=0.15)


def test_intervals_cover_new_models_and_the_panel(simulate):
    """Total standard errors, after linking the truth to the panel."""
    hits = []
    for seed in range(6):
        X, truth, *_ = simulate(300, 2_000, seed=seed)
        panel = slice(0, 60)
        model = TwoPLEstimator().fit(X[panel])
        link = np.polyfit(truth[panel], model.ability_, 1)
        new, se = model.predict(X[60:], return_std="total")
        hits.append(
            [
                np.mean(np.abs(estimate - np.polyval(link, true)) < 1.96 * error)
                for estimate, error, true in (
                    (model.ability_, model.ability_se_total_, truth[panel]),
                    (new, se, truth[60:]),
                )
            ]
        )
    panel_rate, new_rate = np.mean(hits, axis=0)
    assert 0.91 < panel_rate < 0.98
    assert 0.91 < new_rate < 0.98


@given(st.floats(-0.5, 0.5), st.floats(-0.5, 0.5), st.integers(0, 99))
@settings(max_examples=25, deadline=None)
def test_shift_and_stretch_are_taken_whole(shift, stretch, seed):
    # theta = (theta' - shift) exp(stretch) changes no probability, and slopes of 40
    # and more must not make it look like a long step.
    rng = np.random.default_rng(seed)
    a, d = np.exp(rng.normal(2.5, 1.2, 30)), rng.normal(0, 5, 30)
    data = ResponseData.from_matrix((rng.random((12, 30)) < 0.5).astype(float))
    likelihood = MarginalLikelihood(
        data, log_slope=True, common_slope=False, higher=False
    )
    current = likelihood.evaluate(likelihood.join(a, d))
    priors = Priors(NormalPrior(0.5, 2.5), NormalPrior(1.5))
    metric = Metric(likelihood, priors, current)
    direction = shift * metric.shift + stretch * metric.stretch
    move = Move.along(likelihood, current, metric, direction)
    assert_allclose(move.direction, direction, atol=1e-9)
    new_a, new_d = likelihood.split(current.parameters + move.displacement())
    abilities = np.linspace(-2, 2, 5)[:, None]
    old = a * (np.exp(stretch) * abilities + shift) + d
    assert_allclose(new_a * abilities + new_d, old, atol=1e-8 * np.abs(old).max())


def test_weights_are_repetitions(simulate):
    X, *_ = simulate(40, 12, seed=4)
    X[::7, 3] = np.nan
    weights = np.random.default_rng(0).integers(0, 4, 40)
    for estimator in (TwoPLEstimator(), OnePLEstimator()):
        weighted = estimator.fit(X, sample_weight=weights)
        repeated = type(estimator)().fit(np.repeat(X, weights, axis=0))
        for name in ("discrimination_", "intercept_", "discrimination_se_"):
            assert_allclose(getattr(weighted, name), getattr(repeated, name), atol=1e-7)
        assert_allclose(weighted.log_likelihood_, repeated.log_likelihood_, rtol=1e-9)
        assert weighted.ability_.shape == (40,)  # rows of weight 0 are scored too


def test_order_of_rows_and_columns_does_not_matter(simulate):
    X, *_ = simulate(70, 50, seed=6)
    X[np.random.default_rng(1).random(X.shape) < 0.2] = np.nan
    rng = np.random.default_rng(2)
    rows, columns = rng.permutation(70), rng.permutation(50)
    model = TwoPLEstimator().fit(X)
    other = TwoPLEstimator().fit(X[rows][:, columns])
    assert_allclose(other.discrimination_, model.discrimination_[columns], atol=1e-5)
    assert_allclose(other.ability_, model.ability_[rows], atol=1e-5)


def test_high_ability_is_the_better_model(simulate):
    X, *_ = simulate(50, 40)
    X[0], X[-1] = 1, 0
    model = TwoPLEstimator().fit(X)
    assert model.ability_.argmax() == 0
    assert model.ability_.argmin() == 49
    assert np.corrcoef(model.ability_, X.mean(axis=1))[0, 1] > 0.9


def test_sparse_panel_knows_that_it_knows_little(simulate):
    X, truth, *_ = simulate(60, 400, seed=1)
    full = TwoPLEstimator().fit(X)
    X[np.random.default_rng(0).random(X.shape) < 0.9] = np.nan
    model = TwoPLEstimator().fit(X)
    assert np.corrcoef(model.ability_, truth)[0, 1] > 0.8
    ratio = np.median(model.intercept_se_) / np.median(full.intercept_se_)
    assert 2 < ratio < 4


def test_stopped_early_is_said(simulate):
    X, *_ = simulate(100, 30)
    with pytest.warns(ConvergenceWarning, match="gradient"):
        model = TwoPLEstimator(max_iter=1).fit(X)
    assert model.n_iter_ == 1
    assert not model.converged_


@pytest.mark.parametrize("n_items", [1, 2])
def test_too_few_items_are_said_to_be_not_identified(simulate, n_items):
    X, *_ = simulate(200, n_items)
    with pytest.warns(UserWarning, match="not identified"):
        model = TwoPLEstimator().fit(X)
    assert np.isfinite(model.ability_).all()
    with pytest.raises(ValueError, match="not identified"):
        TwoPLEstimator(discrimination_prior=None).fit(X)


def test_no_maximum_is_an_error_that_names_the_items(simulate):
    X, truth, *_ = simulate(80, 10)
    twins = np.column_stack([X, X[:, 0]])
    bare = TwoPLEstimator(discrimination_prior=None, intercept_prior=None)
    with pytest.raises(ValueError, match=r"no maximum.*'item0', 'item10'"):
        bare.fit(twins)
    X[:, 4] = 1
    with pytest.raises(ValueError, match=r"'item4'.*answered alike"):
        bare.fit(X)


@pytest.mark.filterwarnings("ignore:An estimated prior")
@pytest.mark.filterwarnings("ignore:.*not identified")
@settings(max_examples=40, deadline=None)
@given(
    st.integers(2, 12),
    st.integers(1, 12),
    st.floats(0, 0.8),
    st.floats(0, 1),
    st.integers(0, 10**6),
)
def test_any_small_panel_gets_finite_answers(n_models, n_items, gaps, share, seed):
    rng = np.random.default_rng(seed)
    X = (rng.random((n_models, n_items)) < share).astype(float)
    X[rng.random(X.shape) < gaps] = np.nan
    assume((~np.isnan(X)).any(axis=1).sum() >= 2)
    for estimator in (TwoPLEstimator(), OnePLEstimator()):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".*have no answer")
            model = estimator.fit(X)
        assert model.converged_
        for name in ("discrimination_", "intercept_", "ability_", "ability_se_"):
            assert np.isfinite(getattr(model, name)).all()
        assert (model.ability_se_ > 0).all()
        assert (model.ability_se_total_ >= model.ability_se_).all()
        assert (model.intercept_se_ > 0).all()
        assert (model.discrimination_ > 0).all()


def test_reversed_and_duplicate_items_are_flagged(simulate):
    X, *_ = simulate(200, 60, seed=8)
    X[:, 7] = 1 - X[:, 7]
    X[:, 20] = X[:, 21]
    X[:, 30] = np.nan
    flags = TwoPLEstimator().fit(X).item_flags_
    assert flags["reversed"].to_numpy().nonzero()[0].tolist() == [7]
    assert flags["duplicate"].to_numpy().nonzero()[0].tolist() == [20, 21]
    assert flags["unanswered"].to_numpy().nonzero()[0].tolist() == [30]


@pytest.mark.filterwarnings("ignore:An estimated prior")
@pytest.mark.filterwarnings("ignore:.*not identified")
def test_steep_items_are_not_called_reversed():
    rng = np.random.default_rng(0)
    wrong = 0
    for n_items, slope in [(3, 4), (5, 6), (10, 8)] * 5:
        theta, b = rng.normal(size=100), rng.normal(size=n_items)
        p = expit(slope * (theta[:, None] - b))
        X = (rng.random(p.shape) < p).astype(float)
        wrong += TwoPLEstimator().fit(X).item_flags_["reversed"].sum()
    assert wrong == 0


@pytest.mark.filterwarnings("ignore:An estimated prior")
def test_clean_panels_are_not_flagged():
    rng = np.random.default_rng(0)
    wrong = 0
    for _ in range(20):
        theta, b = rng.normal(size=10), rng.normal(size=240)
        X = (rng.random((10, 240)) < expit(theta[:, None] - b)).astype(float)
        wrong += TwoPLEstimator().fit(X).item_flags_["reversed"].sum()
    assert wrong <= 0.01 * 20 * 240


def test_progress_is_printed_on_request(simulate, capsys):
    TwoPLEstimator(verbose=1).fit(simulate(20, 10)[0])
    assert "step 0" in capsys.readouterr().out


def test_rows_and_items_without_answers_change_nothing(simulate):
    X, *_ = simulate(40, 25, seed=9)
    model = TwoPLEstimator().fit(X)
    padded = np.full((80, 75), np.nan)
    padded[:40, :25] = X
    with pytest.warns(UserWarning, match="have no answer"):
        other = TwoPLEstimator().fit(padded)
    for name in ("discrimination_", "intercept_", "discrimination_se_"):
        assert_allclose(getattr(other, name)[:25], getattr(model, name), rtol=2e-3)
    assert_allclose(other.ability_[:40], model.ability_, atol=1e-3)
    assert_allclose(other.ability_se_total_[:40], model.ability_se_total_, rtol=1e-3)
