"""Agreement, full-benchmark score and discrimination spread, against others' sums."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.special import expit
from scipy.stats import spearmanr
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError, UndefinedMetricWarning
from sklearn.frozen import FrozenEstimator

from skirt import OnePLEstimator, TwoPLEstimator
from skirt.metrics import (
    agreement_score,
    agreement_scorer,
    discrimination_cv,
    full_benchmark_score,
    missingness_report,
)

pairs_with_ties = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 3)),
    min_size=3,
    max_size=25,
)


@settings(deadline=None)
@given(pairs_with_ties)
def test_agreement_is_spearmans_rho_with_average_ranks(rows):
    true, pred, weight = np.array(rows).T
    assume(np.ptp(true) > 0 and np.ptp(pred) > 0)
    assert agreement_score(true, pred) == pytest.approx(
        spearmanr(true, pred).statistic, abs=1e-12
    )
    many = np.repeat(true, weight), np.repeat(pred, weight)
    assume(len(set(many[0])) > 1 and len(set(many[1])) > 1 and (weight > 0).sum() > 2)
    assert agreement_score(true, pred, sample_weight=weight) == pytest.approx(
        spearmanr(*many).statistic, abs=1e-12
    )


def test_ties_do_not_use_the_shortcut_for_distinct_ranks():
    rho = agreement_score([1, 2, 2.5, 2], [1, 3, 2.5, 4])
    assert rho == pytest.approx(0.316228, abs=5e-7)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_agreement_refuses_models_without_a_score(bad):
    y_pred = pd.Series([0.1, bad, 0.3], index=["a", "b", "c"])
    with pytest.raises(ValueError, match=r"y_pred is (nan|inf) at position 1 .*'b'"):
        agreement_score([1, 2, 3], y_pred)
    with pytest.raises(ValueError, match="y_true is (nan|inf) at position 1"):
        agreement_score(y_pred.to_numpy(), [1, 2, 3])


def test_agreement_refuses_what_cannot_be_paired():
    with pytest.raises(ValueError, match="3 models and y_pred 2"):
        agreement_score([1, 2, 3], [1, 2])
    with pytest.raises(ValueError, match="no model"):
        agreement_score([], [])
    with pytest.raises(ValueError, match="shape"):
        agreement_score([1, 2], np.ones((2, 2)))


def test_labels_that_contradict_the_order_of_the_models_are_refused():
    rng = np.random.default_rng(8)
    X = (rng.random((20, 30)) < np.linspace(0.1, 0.9, 20)[:, None]).astype(float)
    names = [f"m{i}" for i in rng.permutation(20)]
    # ability_table names models as text, and sorts them by ability.
    for table in (pd.DataFrame(X, index=names), pd.DataFrame(X)):
        full = table.mean(axis=1)
        ability = TwoPLEstimator().fit(table).ability_table()["ability"]
        with pytest.raises(
            ValueError, match=r"y_pred .*another order.*y_pred\..*reindex\(y_true"
        ):
            agreement_score(full, ability)
        ordered = ability.rename(index=str).reindex(full.index.astype(str))
        assert agreement_score(full, ordered) > 0.9
        with pytest.raises(ValueError, match="sample_weight .*another order"):
            agreement_score(full, full, sample_weight=full.sort_values())
        with pytest.raises(ValueError, match="score .*another order"):
            missingness_report(table, full.sort_values())
        with pytest.raises(ValueError, match="y .*another order"):
            agreement_scorer(FirstItem(), table, full[::-1])


def test_labels_of_other_models_are_named_and_row_numbers_are_none():
    true = pd.Series([1.0, 2, 3], index=["a", "b", "c"])
    with pytest.raises(ValueError, match=r"y_pred has a model 'z'.*1 unknown of 3"):
        agreement_score(true, true.rename({"b": "z"}))
    by_id = true.set_axis([4, 7, 9])
    with pytest.raises(ValueError, match="model '8' that y_true does not know"):
        agreement_score(by_id, true.set_axis([4, 8, 9]))
    for labels in (range(3), [5, 1, 4], ["a", "b", "c"]):
        assert agreement_score(true, true.set_axis(labels)) == 1
    assert agreement_score(by_id, true.set_axis(range(3))) == 1
    twice = true.set_axis(["a", "a", "b"])
    assert agreement_score(true, twice) == agreement_score(twice, true) == 1


def test_agreement_without_a_ranking_is_defined_and_warned_of():
    with pytest.warns(UndefinedMetricWarning, match="agreement is 0"):
        assert agreement_score([1, 2, 3], [2, 2, 2]) == 0
    for y_true, y_pred in [([2, 2, 2], [1, 2, 3]), ([1, 1, 1], [1, 1, 1]), ([1], [2])]:
        with pytest.warns(UndefinedMetricWarning, match="NaN"):
            assert np.isnan(agreement_score(y_true, y_pred))
    with pytest.warns(UndefinedMetricWarning, match="two models"):
        assert agreement_score([1, 2], [3, 1]) == -1


class FirstItem(BaseEstimator):
    """Predicts the response to the first item."""

    def __init__(self, binarize=None):
        self.binarize = binarize

    def predict(self, X):
        return np.asarray(X)[:, 0]


def test_scorer_ranks_against_y_or_the_full_score_of_the_same_rows():
    X = np.array([[1, 0, 0], [0, 1, 1], [0, 1, 0], [1, 1, 1]])
    expected = spearmanr([1, 2, 1, 3], X[:, 0]).statistic
    assert agreement_scorer(FirstItem(), X) == pytest.approx(expected)
    assert agreement_scorer(FirstItem(), X, [4, 3, 2, 1]) == pytest.approx(
        spearmanr([4, 3, 2, 1], X[:, 0]).statistic
    )
    assert agreement_scorer(FirstItem(binarize=0.5), X * 0.8) == pytest.approx(expected)


class KnownBank(BaseEstimator):
    """Gives the abilities and item parameters it is told."""

    def __init__(self, slopes, intercepts, ability, ability_se):
        self.slopes = slopes
        self.intercepts = intercepts
        self.ability = ability
        self.ability_se = ability_se
        self.discrimination_ = slopes

    def fit(self, X):
        return self

    def predict(self, X, return_std=False):
        return (self.ability, self.ability_se) if return_std else self.ability

    def inverse_transform(self, theta):
        return expit(theta * self.slopes + self.intercepts)


def test_gaps_are_filled_with_expected_responses_and_their_error():
    rng = np.random.default_rng(0)
    slopes, intercepts = rng.lognormal(0, 0.3, 40), rng.normal(size=40)
    ability, ability_se = np.array([-1.0, 0.5]), np.array([0.2, 0.1])
    X = (rng.random((2, 40)) < 0.5).astype(float)
    X[0, :25] = np.nan
    X[1, 30:] = np.nan
    bank = KnownBank(slopes, intercepts, ability, ability_se)
    score, std = full_benchmark_score(X, bank=bank, return_std=True)
    # Draw the abilities and then the missing responses.
    n_draws = 40_000
    for i in range(2):
        gaps = np.isnan(X[i])
        theta = rng.normal(ability[i], ability_se[i], n_draws)
        p = expit(theta[:, None] * slopes[gaps] + intercepts[gaps])
        drawn = (rng.random(p.shape) < p).sum(axis=1) + np.nansum(X[i])
        assert score[i] == pytest.approx(drawn.mean() / 40, abs=2e-3)
        assert std[i] == pytest.approx(drawn.std() / 40, rel=0.03)


@pytest.mark.parametrize("wrap", [lambda bank: bank, FrozenEstimator])
def test_gaps_of_a_model_that_is_all_right_are_filled_whatever_the_method(wrap):
    X = np.array([[1, 1, np.nan, 1], [1, 0, 0, np.nan], [0, 1, 0, 1]])
    slopes, difficulty = np.array([1.0, 0.8, 1.5, 1.2]), np.array([-1, 0, 0.5, 1.5])

    def bank(method):
        return wrap(
            TwoPLEstimator.from_item_parameters(
                discrimination=slopes, difficulty=difficulty, ability_method=method
            )
        )

    likelihood = bank("ml")
    score, std = full_benchmark_score(X, bank=likelihood, return_std=True)
    # The highest posterior on a fine grid.
    grid = np.linspace(-4, 4, 80_001)
    p = expit(slopes * (grid[:, None] - difficulty))
    posterior = np.log(p[:, [0, 1, 3]]).sum(axis=1) - grid**2 / 2
    assert score[0] == pytest.approx((3 + p[posterior.argmax(), 2]) / 4, abs=1e-5)
    assert np.isfinite(std).all()
    for method in ("wl", "eap"):
        np.testing.assert_array_equal(full_benchmark_score(X, bank=bank(method)), score)
    assert np.isinf(likelihood.predict(X)[0])  # the bank itself is as it was


def test_expected_scores_compare_models_that_answered_other_items():
    rng = np.random.default_rng(5)
    ability, difficulty = rng.normal(size=(60, 1)), np.sort(rng.normal(size=200))
    p = expit(1.2 * (ability - difficulty))
    X = (rng.random(p.shape) < p).astype(float)
    whole = X.mean(axis=1)
    X[::2, :80] = np.nan  # every other model was spared the easy items
    with pytest.warns(UserWarning, match="different items"):
        observed = full_benchmark_score(X, gaps="observed")
    expected, std = full_benchmark_score(X, return_std=True)
    assert spearmanr(expected, whole).statistic > 0.98
    assert spearmanr(observed, whole).statistic < 0.95
    assert not std[1::2].any()
    z = (expected - whole)[::2] / std[::2]
    assert 0.6 < np.sqrt(np.mean(z**2)) < 1.5


def test_full_score_of_a_complete_panel_is_the_mean_without_error():
    X = np.tri(5, 200, 100)
    X[0, 0] = np.nan  # half a percent
    score, std = full_benchmark_score(X, return_std=True)
    np.testing.assert_allclose(score, np.nanmean(X, axis=1))
    assert not std.any()


def test_observed_means_over_gaps_are_opt_in():
    X = np.array([[1, np.nan, 0], [1, 1, 0]])
    with pytest.warns(UserWarning, match="different items"):
        score = full_benchmark_score(X, gaps="observed")
    np.testing.assert_allclose(score, [0.5, 2 / 3])
    table = pd.DataFrame([[np.nan, np.nan], [0, 1]], index=["idle", "busy"])
    with pytest.raises(ValueError, match="'idle' answered no item"):
        full_benchmark_score(table, gaps="observed")


def test_full_score_refuses_other_values():
    with pytest.raises(ValueError, match="Row 1, item 0 is 2"):
        full_benchmark_score([[0, 1], [2, 1]])


def test_missingness_report_shows_who_has_the_gaps():
    rng = np.random.default_rng(1)
    ability = np.linspace(0.1, 0.9, 30)
    X = (rng.random((30, 400)) < ability[:, None]).astype(float)
    X[rng.random(X.shape) < 0.8 * ability[:, None]] = np.nan  # the able skip most
    report = missingness_report(X, ability)
    rate = np.isnan(X).mean(axis=1)
    assert report["rate_score_correlation"] == pytest.approx(
        pd.Series(rate).corr(pd.Series(ability))
    )
    assert report["missing_rate"] == pytest.approx(rate.mean())
    wrong = spearmanr(ability, np.nan_to_num(X).mean(axis=1)).statistic
    assert report["agreement_gaps_wrong"] == pytest.approx(wrong)
    assert report["agreement_gaps_wrong"] < 0.8 < report["agreement_gaps_left_out"]
    assert np.isnan(missingness_report(np.eye(3), [1, 2, 3])["rate_score_correlation"])


def test_discrimination_cv_recovers_a_lognormal_spread():
    slopes = np.exp(np.random.default_rng(2).normal(0.3, 0.5, 200_000))
    bank = SimpleNamespace(
        discrimination_=slopes,
        discrimination_prior_=(0.3, 0.5),
        _slope_prior_estimated=True,
    )
    assert discrimination_cv(bank) == pytest.approx(
        discrimination_cv(bank, corrected=True), rel=0.01
    )
    assert discrimination_cv(np.full(7, 1.3)) == 0
    rng = np.random.default_rng(3)
    p = expit(slopes[:60] * rng.normal(size=(800, 1)) + rng.normal(size=60))
    panel = (rng.random(p.shape) < p).astype(float)
    estimated = discrimination_cv(TwoPLEstimator().fit(panel), corrected=True)
    assert estimated == pytest.approx(np.std(slopes[:60]) / slopes[:60].mean(), abs=0.1)
    in_plane = slopes[:, None] * np.array([0.6, 0.8])
    assert discrimination_cv(in_plane) == pytest.approx(discrimination_cv(slopes))


def test_discrimination_cv_refuses_what_has_no_meaning():
    X = np.tri(12, 6, -1)[:, [0, 3, 1, 4, 2, 5]]
    X[::3] = 1 - X[::3]
    given = {"discrimination_prior": (0, 0.5), "intercept_prior": (0, 1.5)}
    for bank in (
        TwoPLEstimator(**given).fit(X),
        TwoPLEstimator.from_item_parameters(discrimination=[1, 2], difficulty=[0, 1]),
        np.array([0.5, 1.5]),
    ):
        assert discrimination_cv(bank) > 0
        with pytest.raises(ValueError, match="scale .* estimated"):
            discrimination_cv(bank, corrected=True)
    common = OnePLEstimator(**given).fit(X)
    assert discrimination_cv(common) == pytest.approx(0, abs=1e-12)
    with pytest.raises(ValueError, match="OnePLEstimator: all items share one"):
        discrimination_cv(common, corrected=True)
    for corrected in (False, True):
        with pytest.raises(NotFittedError):
            discrimination_cv(TwoPLEstimator(), corrected=corrected)
    with pytest.raises(ValueError, match="mean discrimination is -0.5"):
        discrimination_cv([-1.0, 0.0])
