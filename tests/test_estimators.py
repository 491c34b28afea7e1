"""What users rely on: refusals, names, fixed banks, scoring, pipelines."""

import pickle

import numpy as np
import pandas as pd
import pytest
from conftest import brute_force_posterior
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
from sklearn.pipeline import make_pipeline

from skirt import FisherSubsetSelector, OnePLEstimator, TwoPLEstimator


@pytest.fixture
def table(simulate):
    X, *_ = simulate(60, 12, seed=1)
    return pd.DataFrame(
        X, index=[f"m{i}" for i in range(60)], columns=[f"q{j}" for j in range(12)]
    )


@pytest.mark.parametrize("value", [0.5, 2, -1, np.inf])
@pytest.mark.parametrize("method", ["fit", "predict", "score_samples"])
def test_other_values_are_refused_by_name(table, value, method):
    model = TwoPLEstimator().fit(table)
    bad = table.copy()
    bad.loc["m7", "q3"] = value
    with pytest.raises(ValueError, match=r"'m7', item 'q3' is"):
        getattr(model, method)(bad)


@pytest.mark.parametrize("value", ["1", "error"])
def test_strings_are_refused_by_name(table, value):
    bad = table.astype(object)
    bad.loc["m7", "q3"] = value
    with pytest.raises(ValueError, match=r"'m7', item 'q3' is the string"):
        TwoPLEstimator().fit(bad)
    with pytest.raises(ValueError, match="is the string"):
        TwoPLEstimator().fit(bad.to_numpy())


def test_a_column_of_totals_is_refused(table):
    with pytest.raises(ValueError, match="item 'total'"):
        TwoPLEstimator().fit(table.assign(total=table.sum(axis=1)))


@pytest.mark.parametrize(
    "dtype", ["bool", "uint8", "int64", "boolean", "Int64", object]
)
def test_any_numeric_type_is_accepted(table, dtype):
    expected = TwoPLEstimator().fit(table).ability_
    found = TwoPLEstimator().fit(table.astype(dtype)).ability_
    assert_allclose(found, expected, atol=1e-8)


def test_nullable_missing_values_are_missing(table):
    table.iloc[3, 4] = np.nan
    expected = TwoPLEstimator().fit(table).ability_
    found = TwoPLEstimator().fit(table.astype("Int64")).ability_
    assert_allclose(found, expected, atol=1e-8)


def test_binarize_maps_above_the_threshold_to_one(table):
    expected = TwoPLEstimator().fit(table).ability_
    shares = table * 0.5 + 0.25
    found = TwoPLEstimator(binarize=0.5).fit(shares).ability_
    assert_allclose(found, expected, atol=1e-8)


def test_names(table):
    model = TwoPLEstimator().fit(table)
    assert model.item_parameters().index.tolist() == table.columns.tolist()
    assert set(model.ability_table().index) == set(table.index)
    assert model.set_output(transform="pandas").transform(table).columns == ["ability"]
    with pytest.raises(ValueError, match="feature names"):
        model.transform(table.iloc[:, ::-1])
    with pytest.raises(ValueError, match="'q1' occurs more than once"):
        TwoPLEstimator().fit(table.rename(columns={"q2": "q1"}))


def test_integer_labels_are_names_too(table):
    table.columns = range(100, 112)
    model = TwoPLEstimator().fit(table)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(table.iloc[:, ::-1])


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.empty((0, 3)), "0 sample"),
        (np.ones((1, 5)), "1 sample"),
        (np.empty((5, 0)), "0 feature"),
        (np.ones(5), "1D array"),
    ],
)
def test_shapes_without_meaning(X, message):
    with pytest.raises(ValueError, match=message):
        TwoPLEstimator().fit(X)


def test_constant_matrix_warns_and_stays_finite():
    with pytest.warns(UserWarning, match="not identified"):
        model = TwoPLEstimator().fit(np.ones((20, 6)))
    assert np.isfinite(model.ability_).all()
    with pytest.raises(ValueError, match="answered alike"):
        TwoPLEstimator(intercept_prior=None).fit(np.ones((20, 6)))


def test_model_without_answers_gets_the_prior_and_a_warning(table):
    table.iloc[5] = np.nan
    with pytest.warns(UserWarning, match="have no answer"):
        model = TwoPLEstimator().fit(table)
    assert (model.ability_[5], model.ability_se_[5]) == (0, 1)
    model.set_params(ability_method="ml")
    with pytest.warns(UserWarning, match="their ability is NaN"):
        ability = model.predict(table)
    assert np.isnan(ability[5])


@pytest.mark.parametrize("weights", [[-1] + [1] * 59, [0] * 60])
def test_weights_must_count(table, weights):
    with pytest.raises(ValueError, match="weight"):
        TwoPLEstimator().fit(table, sample_weight=weights)


@pytest.mark.parametrize("prior", [(0, 0), (0, -1), (0,), ("a", 1), (np.nan, 1)])
def test_priors_must_be_priors(table, prior):
    with pytest.raises(ValueError, match="discrimination_prior"):
        TwoPLEstimator(discrimination_prior=prior).fit(table)


def test_missing_is_not_wrong(table):
    model = TwoPLEstimator().fit(table)
    part = table.copy()
    part.iloc[:, 6:] = np.nan
    without = model.select_items(np.arange(6)).predict(table.iloc[:, :6])
    assert_allclose(model.predict(part), without, atol=1e-9)
    assert (model.predict(part.fillna(0)) <= model.predict(part)).all()


def test_one_row_and_a_batch_agree(table):
    table.iloc[::5, 2] = np.nan
    for method in ("map", "eap", "ml", "wl"):
        model = TwoPLEstimator(ability_method=method).fit(table)
        batch = model.predict(table, return_std=True)
        for i in (0, 7, 30):
            alone = model.predict(table.iloc[[i]], return_std=True)
            assert_allclose(np.ravel(alone), [batch[0][i], batch[1][i]], atol=1e-7)


def test_hand_computed_posterior_means():
    """One and four items, integrated elsewhere (failing an item lowers ability)."""

    def eap(a, b, x):
        bank = TwoPLEstimator.from_item_parameters(
            discrimination=a, difficulty=b, ability_method="eap"
        )
        return np.ravel(bank.predict([x], return_std=True))

    assert_allclose(eap([1.0], [-2.0], [0])[0], -0.7446, atol=2e-3)
    assert_allclose(eap([1.0], [2.0], [0])[0], -0.1371, atol=2e-3)
    four = eap([1, 0.8, 1.5, 1.2], [-1, 0, 0.5, 1.5], [1, 0, 1, 0])
    assert_allclose(four, [0.3331, 0.710], atol=2e-3)


def test_extreme_patterns_without_a_prior_are_infinite():
    bank = TwoPLEstimator.from_item_parameters(
        discrimination=[1, 1.5, 0.7, 1, 2],
        difficulty=[-1, 0, 1, 2, 0.3],
        ability_method="ml",
    )
    theta, se = bank.predict([[1] * 5, [0] * 5, [1, 1, 0, 0, 1]], return_std=True)
    assert_array_equal(theta[:2], [np.inf, -np.inf])
    assert_array_equal(se[:2], [np.inf, np.inf])
    assert np.isfinite([theta[2], se[2]]).all()
    finite = bank.set_params(ability_method="wl").predict([[1] * 5, [0] * 5])
    assert np.isfinite(finite).all()


def test_curve_and_information_of_one_item():
    bank = TwoPLEstimator.from_item_parameters(discrimination=[1.5], difficulty=[0.7])
    assert_allclose(
        bank.inverse_transform([-20, 0.7, 20]).ravel(), [0, 0.5, 1], atol=1e-9
    )
    grid = np.linspace(-5, 7, 601)
    information = bank.item_information(grid).ravel()
    assert_allclose(grid[information.argmax()], 0.7, atol=0.02)
    assert_allclose(information.max(), 0.5625, atol=1e-4)
    # The information is minus the expected second derivative of the log-likelihood.
    h = 1e-3

    def log_p(x, theta):
        p = bank.inverse_transform(np.array([theta])).item()
        return np.log(p if x else 1 - p)

    for theta in (-1.0, 0.5, 2.0):
        p = bank.inverse_transform(np.array([theta])).item()
        bend = [
            (log_p(x, theta + h) - 2 * log_p(x, theta) + log_p(x, theta - h)) / h**2
            for x in (0, 1)
        ]
        expected = -(1 - p) * bend[0] - p * bend[1]
        assert_allclose(bank.item_information([theta]).item(), expected, rtol=1e-4)


def test_difficulty_and_intercept_are_one_parameter(table):
    table["easy"], table["hard"] = table["q0"], table["q1"]
    table.loc[table.index[3:], "easy"] = 1
    table.loc[table.index[3:], "hard"] = 0
    model = TwoPLEstimator().fit(table)
    assert_allclose(
        model.intercept_, -model.discrimination_ * model.difficulty_, rtol=1e-10
    )
    items = model.item_parameters()["difficulty"]
    assert items["easy"] < items["hard"]


def test_fixed_bank_survives_clone_search_and_pickle(table):
    a = pd.Series(np.linspace(0.5, 2, 12), index=table.columns)
    b = pd.Series(np.linspace(-1, 1, 12), index=table.columns)
    bank = TwoPLEstimator.from_item_parameters(discrimination=a, difficulty=b)
    calibrated = TwoPLEstimator().fit(table)
    search = GridSearchCV(bank, {"ability_method": ["map", "eap"]}, cv=3).fit(table)
    for fixed, items in (
        (clone(bank), a),
        (clone(bank).fit(table), a),
        (pickle.loads(pickle.dumps(bank)), a),
        (search.best_estimator_, a),
        (
            clone(FrozenEstimator(calibrated)).fit(table, None),
            calibrated.discrimination_,
        ),
    ):
        assert_array_equal(fixed.discrimination_, items)
        assert fixed.predict(table).shape == (60,)


def test_named_bank_follows_a_selector(table):
    a = pd.Series(np.linspace(0.5, 2, 12), index=table.columns)
    b = pd.Series(np.linspace(-1, 1, 12), index=table.columns)
    bank = TwoPLEstimator.from_item_parameters(discrimination=a, difficulty=b)
    chosen = table[["q9", "q2", "q4"]]
    fitted = clone(bank).fit(chosen)
    assert_array_equal(fitted.discrimination_, a[["q9", "q2", "q4"]])
    with config_context(transform_output="pandas"):
        pipeline = make_pipeline(FisherSubsetSelector(k=4), bank).fit(table)
    assert_array_equal(pipeline[-1].discrimination_, a[pipeline[-1].feature_names_in_])
    with pytest.raises(ValueError, match="no item 'other'"):
        clone(bank).fit(table.assign(other=1))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"discrimination": [1, 2]}, "exactly one"),
        ({"discrimination": [1], "difficulty": [0], "intercept": [0]}, "exactly one"),
        ({"discrimination": [1, np.nan], "difficulty": [0, 1]}, "finite"),
        ({"discrimination": [1, 2], "difficulty": [0, 1], "names": "aa"}, "different"),
    ],
)
def test_item_parameters_are_checked(arguments, message):
    with pytest.raises(ValueError, match=message):
        TwoPLEstimator.from_item_parameters(**arguments)


def test_known_items_have_no_total_standard_error(table):
    bank = TwoPLEstimator.from_item_parameters(
        discrimination=np.ones(12), intercept=np.zeros(12)
    )
    with pytest.raises(ValueError, match="known item parameters"):
        bank.predict(table.to_numpy(), return_std="total")
    with pytest.raises(ValueError, match="return_std"):
        bank.predict(table.to_numpy(), return_std="yes")


def test_score_is_the_held_out_log_likelihood(table):
    table.iloc[0, :4] = np.nan
    model = TwoPLEstimator().fit(table[:40])
    held_out = table[40:]
    by_hand = model.score_samples(held_out).sum() / held_out.notna().to_numpy().sum()
    assert_allclose(model.score(held_out), by_hand)
    assert cross_val_score(OnePLEstimator(), table, cv=3).shape == (3,)


def test_not_fitted(table):
    for method in ("predict", "transform", "score_samples", "score"):
        with pytest.raises(NotFittedError):
            getattr(TwoPLEstimator(), method)(table)
    for method in ("item_parameters", "ability_table", "get_feature_names_out"):
        with pytest.raises(NotFittedError):
            getattr(TwoPLEstimator(), method)()


@pytest.mark.filterwarnings("ignore:An estimated prior")
def test_metadata_routing_of_weights_and_groups(table):
    weights = np.random.default_rng(0).integers(1, 3, len(table))
    groups = np.repeat(np.arange(12), 5)
    with config_context(enable_metadata_routing=True):
        model = (
            TwoPLEstimator()
            .set_fit_request(sample_weight=True)
            .set_score_request(sample_weight=True)
        )
        search = GridSearchCV(
            model, {"discrimination_prior": ["auto", (0, 0.3)]}, cv=GroupKFold(3)
        )
        search.fit(table, sample_weight=weights, groups=groups)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def test_read_only_input_is_left_alone(table):
    X = table.to_numpy(copy=True)
    X[0, 0] = np.nan
    X.setflags(write=False)
    before = X.copy()
    TwoPLEstimator().fit(X).predict(X)
    assert_array_equal(X, before)


def test_a_long_row_does_not_underflow(simulate):
    X, *_ = simulate(40, 5_000, seed=2)
    model = TwoPLEstimator().fit(X)
    assert np.isfinite(model.score_samples(X)).all()
    assert (model.ability_se_ > 0).all()
    assert np.unique(model.ability_).size == 40


@pytest.mark.parametrize("n_items", [3, 100, 3_000])
@pytest.mark.parametrize("slope", [0.05, 1.158, 20.0])
@pytest.mark.parametrize("share", [0, 1])
def test_extreme_rows_on_any_bank(n_items, slope, share):
    """A lone row whose posterior lies far off, on a short or a long test."""
    d = np.full(n_items, -0.2)
    bank = TwoPLEstimator.from_item_parameters(
        discrimination=np.full(n_items, slope), intercept=d, ability_method="eap"
    )
    X = np.full((1, n_items), float(share))
    theta, se = bank.predict(X, return_std=True)
    log_likelihood, mean, sd = brute_force_posterior(
        X, bank.discrimination_, d, n_nodes=4001
    )
    assert_allclose(theta, mean, atol=1e-5)
    assert_allclose(se, sd, rtol=1e-4)
    assert_allclose(bank.score_samples(X), log_likelihood, atol=1e-5)


def test_a_failed_fit_leaves_no_old_results(table):
    model = TwoPLEstimator().fit(table)
    with pytest.raises(ValueError, match="item 'q0' is 7"):
        model.fit(table.assign(q0=7))
    with pytest.raises(NotFittedError):
        model.predict(table)


def test_a_fixed_bank_outlives_wrong_and_partial_data(table):
    bank = TwoPLEstimator.from_item_parameters(
        discrimination=np.ones(12), intercept=np.zeros(12), names=table.columns
    )
    with pytest.raises(ValueError, match="has 3 items, but the bank has 12"):
        bank.fit(np.ones((2, 3)))
    assert bank.predict(table).shape == (60,)
    assert bank.fit(table[["q3", "q1"]]).n_features_in_ == 2
    assert bank.fit(table).item_names_.tolist() == table.columns.tolist()


def test_far_abilities_are_finite_where_they_exist():
    """A scale like chess ratings: maximum likelihood near 1,580."""
    b = np.linspace(1300, 1700, 5)
    bank = TwoPLEstimator.from_item_parameters(
        discrimination=0.005, difficulty=b, ability_method="ml"
    )
    theta = bank.predict([[1, 1, 1, 0, 0]])[0]
    p = bank.inverse_transform([theta])[0]
    assert_allclose(p.sum(), 3, atol=1e-8)  # the likelihood equation of equal slopes
    far = TwoPLEstimator.from_item_parameters(
        discrimination=np.ones(500), difficulty=np.full(500, 90.0)
    )
    assert 80 < far.predict(np.ones((1, 500)))[0] < 100


@pytest.mark.parametrize("items", [[12], [], [0.0], ["q1"], [0, 0], [True, False]])
def test_items_are_selected_by_position(table, items):
    with pytest.raises(ValueError, match=r"positions|only once"):
        TwoPLEstimator().fit(table).select_items(items)
