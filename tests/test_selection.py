"""The selectors: scikit-learn's conventions, planted truths, and refusals."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr
from sklearn import clone, config_context
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    ShuffleSplit,
    cross_val_score,
)
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from skirt import OnePLEstimator, TwoPLEstimator
from skirt.selection import (
    AnchorPointSelector,
    DisagreementSelector,
    FisherSubsetSelector,
    RandomSubsetSelector,
)

# Panels as small as these do not always determine the priors of the bank.
pytestmark = pytest.mark.filterwarnings("ignore:An estimated prior is at its bound")

SELECTORS = [
    FisherSubsetSelector(),
    FisherSubsetSelector(criterion="total"),
    FisherSubsetSelector(stratify="difficulty"),
    AnchorPointSelector(random_state=0),
    DisagreementSelector(),
    RandomSubsetSelector(random_state=0),
]
NESTED = [s for s in SELECTORS if not isinstance(s, AnchorPointSelector)]

each = pytest.mark.parametrize("selector", SELECTORS, ids=str)
each_nested = pytest.mark.parametrize("selector", NESTED, ids=str)


def simulate(n_models=40, n_items=30, *, seed=0, missing=0.0, a=None, b=None):
    rng = np.random.default_rng(seed)
    a = rng.lognormal(0, 0.3, n_items) if a is None else np.asarray(a)
    b = rng.normal(size=n_items) if b is None else np.asarray(b)
    theta = rng.normal(size=(n_models, 1))
    X = (rng.random((n_models, n_items)) < 1 / (1 + np.exp(-a * (theta - b)))) * 1.0
    X[rng.random(X.shape) < missing] = np.nan
    return X


def table(X):
    return pd.DataFrame(
        X,
        index=[f"m{i}" for i in range(len(X))],
        columns=[f"q{j}" for j in range(X.shape[1])],
    )


def fixed_bank(n_items=30, seed=0, names=None):
    rng = np.random.default_rng(seed)
    return TwoPLEstimator.from_item_parameters(
        discrimination=rng.lognormal(0, 0.5, n_items),
        difficulty=rng.normal(size=n_items),
        names=names,
    )


# -- scikit-learn's conventions -----------------------------------------------------


# The checks' small matrices have fewer items than k, models that agree on all items,
# and so on: the documented warnings are not what is checked here.
@pytest.mark.filterwarnings("ignore::UserWarning")
@parametrize_with_checks(
    [
        clone(selector).set_params(binarize=threshold)
        for selector in SELECTORS
        for threshold in (0.0, 0.5, 1.5)
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@each
def test_everything_raises_not_fitted_before_fit(selector):
    X = simulate(5, 12)
    selector = clone(selector)
    for name in ("transform", "inverse_transform", "predict", "predict_subset"):
        with pytest.raises(NotFittedError):
            getattr(selector, name)(X)
    for call in (
        lambda: selector.score(X),
        lambda: selector.get_support(),
        lambda: selector.get_feature_names_out(),
        lambda: selector.truncate(3),
    ):
        with pytest.raises(NotFittedError):
            call()


@each
def test_k_at_and_beyond_the_number_of_items(selector, recwarn):
    X = simulate()
    selector = clone(selector)
    assert selector.set_params(k=30).fit(X).get_support().all()
    assert not recwarn.list
    with pytest.warns(UserWarning, match=r"k=50 .*the number of items, 30"):
        selector.set_params(k=50).fit(X)
    assert sorted(selector.order_) == list(range(30))
    for k in (0, -1, 2.0):
        with pytest.raises(ValueError, match="The 'k' parameter"):
            selector.set_params(k=k).fit(X)


@each
def test_grid_search_and_cross_validation_without_y(selector):
    X = simulate(40, 25)
    cv = ShuffleSplit(3, test_size=0.5, random_state=0)
    grid = GridSearchCV(selector, {"k": [5, 10, 20]}, cv=cv, error_score="raise")
    grid.fit(X)
    scores = grid.cv_results_["mean_test_score"]
    assert np.isfinite(scores).all()
    # Twenty of 25 items say nearly what all say.
    assert scores[2] > 0.9


@each
def test_cross_validation_by_model_family(selector):
    X, families = simulate(40, 25), np.repeat(np.arange(8), 5)
    cv = GroupKFold(3)
    plain = cross_val_score(selector, X, groups=families, cv=cv, error_score="raise")
    with config_context(enable_metadata_routing=True):
        routed = cross_val_score(
            selector, X, params={"groups": families}, cv=cv, error_score="raise"
        )
    assert np.isfinite(plain).all()
    np.testing.assert_array_equal(plain, routed)


@pytest.mark.filterwarnings("ignore:k=50 is greater")
def test_a_grid_beyond_the_number_of_items_runs():
    grid = GridSearchCV(DisagreementSelector(), {"k": [5, 10, 50]}, cv=2)
    grid.fit(simulate(40, 30))
    assert np.isfinite(grid.cv_results_["mean_test_score"]).all()


@each
def test_score_is_spearman_with_the_full_score_or_y(selector):
    X, new = simulate(60, 30), simulate(40, 30, seed=1)
    selector = clone(selector).fit(X)
    predicted = selector.predict(new)
    assert selector.score(new) == pytest.approx(
        spearmanr(predicted, new.mean(axis=1)).statistic
    )
    y = np.random.default_rng(0).normal(size=40)
    assert selector.score(new, y) == pytest.approx(spearmanr(predicted, y).statistic)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        selector.score(new, y[:-1])


# -- the response matrix ------------------------------------------------------------


@each
def test_transform_keeps_order_values_dtype_and_missing(selector):
    X = table(simulate(missing=0.2))
    selector = clone(selector).set_params(k=8).fit(X)
    columns = sorted(selector.order_)
    assert selector.get_support(indices=True).tolist() == columns
    names = X.columns[columns]
    assert selector.get_feature_names_out().tolist() == list(names)
    np.testing.assert_array_equal(selector.transform(X), X[names])
    assert selector.transform(X.astype("float32")).dtype == np.float32
    selector.set_output(transform="pandas")
    nullable = X.astype("Int8")
    pd.testing.assert_frame_equal(selector.transform(nullable), nullable[names])


@each
def test_inverse_transform_fills_with_missing(selector):
    X = simulate(missing=0.2)
    selector = clone(selector).set_params(k=8).fit(X)
    full = selector.inverse_transform(selector.transform(X))
    support = selector.get_support()
    np.testing.assert_array_equal(full[:, support], X[:, support])
    assert np.isnan(full[:, ~support]).all()
    np.testing.assert_array_equal(selector.predict(full), selector.predict(X))
    with pytest.raises(ValueError, match="X has 30 columns, but 8 are expected"):
        selector.inverse_transform(X)


@each
def test_values_other_than_0_1_and_missing_are_refused(selector):
    good = table(simulate())
    fitted = clone(selector).fit(good)
    for value, words in [
        (2.0, r"'m3', item 'q5' is 2: .*binarize=t"),
        (0.5, r"'m3', item 'q5' is 0\.5: .*binarize=t"),
        (np.inf, r"'m3', item 'q5' is infinity"),
        ("1", r"'m3', item 'q5' is the string '1'"),
    ]:
        bad = good.astype(object) if isinstance(value, str) else good.copy()
        bad.iloc[3, 5] = value
        for call in (clone(selector).fit, fitted.transform, fitted.predict):
            with pytest.raises(ValueError, match=words):
                call(bad)
    for dtype in (bool, np.uint8):
        same = clone(selector).fit(good.astype(dtype))
        np.testing.assert_array_equal(same.order_, fitted.order_)


@each
def test_binarize_is_applied_once_and_for_all(selector):
    X = simulate(missing=0.1)
    ratings = 1.0 + 3.0 * X  # 1 and 4
    strict = clone(selector).fit(X)
    rated = clone(selector).set_params(binarize=2.5).fit(ratings)
    np.testing.assert_array_equal(rated.order_, strict.order_)
    np.testing.assert_array_equal(rated.predict(ratings), strict.predict(X))
    assert rated.score(ratings) == strict.score(X)
    assert np.nanmax(rated.transform(ratings)) == 4


@each
def test_items_are_matched_by_name(selector):
    X = table(simulate())
    selector = clone(selector).fit(X)
    backwards = X.iloc[:, ::-1]
    for method in (selector.transform, selector.predict, selector.score):
        with pytest.raises(ValueError, match="feature names"):
            method(backwards)
    chosen = X[selector.get_feature_names_out()]
    with pytest.raises(ValueError, match="feature names"):
        selector.predict_subset(chosen.iloc[:, ::-1])
    numbered = X.set_axis(range(30), axis=1)
    selector = clone(selector).fit(numbered)
    with pytest.raises(ValueError, match="feature names"):
        selector.transform(numbered.iloc[:, ::-1])


@each
def test_models_that_answered_only_the_chosen_items(selector):
    X, new = simulate(missing=0.1), simulate(10, 30, seed=1)
    selector = clone(selector).set_params(k=7).fit(table(X))
    only = table(new)[selector.get_feature_names_out()]
    np.testing.assert_array_equal(
        selector.predict_subset(only), selector.predict(table(new))
    )
    ids = ", ".join(repr(f"q{j}") for j in sorted(selector.order_)[:5])
    with pytest.raises(ValueError, match=f"X has 30 columns, but 7 are.*{ids}, ..."):
        selector.predict_subset(table(new))
    with pytest.raises(ValueError, match="X has 6 columns, but 7 are expected"):
        selector.predict_subset(only.iloc[:, :6])


@pytest.mark.parametrize(
    "selector",
    [s for s in SELECTORS if not isinstance(s, FisherSubsetSelector)],
    ids=str,
)
def test_a_model_without_an_answer_to_the_chosen_items(selector):
    X = simulate()
    selector = clone(selector).set_params(k=3).fit(X)
    X[4, selector.order_] = np.nan
    with pytest.warns(UserWarning, match=r"1 of 40 models .*\(rows 4\)"):
        predicted = selector.predict(X)
    assert np.flatnonzero(np.isnan(predicted)).tolist() == [4]
    with (
        pytest.warns(UserWarning, match="answered none"),
        pytest.raises(ValueError, match="position 4"),
    ):
        selector.score(X, np.arange(40))


@each
def test_missing_data_through_a_pipeline(selector):
    X = simulate(60, 30, missing=0.15)
    final = TwoPLEstimator(discrimination_prior=(0, 0.5), intercept_prior=(0, 1.5))
    ability = make_pipeline(clone(selector), final).fit(X).predict(X)
    assert spearmanr(ability, np.nanmean(X, axis=1)).statistic > 0.7


@each
def test_nothing_to_choose_from_is_refused(selector):
    with pytest.raises(ValueError, match="no response at all"):
        clone(selector).fit(np.full((5, 12), np.nan))


@pytest.mark.parametrize("selector", [AnchorPointSelector(), DisagreementSelector()])
def test_one_model_cannot_choose(selector):
    with pytest.raises(ValueError, match="minimum of 2 is required"):
        selector.fit(np.ones((1, 12)))


# -- order, nesting, equivariance ---------------------------------------------------


@each_nested
def test_a_smaller_k_is_a_prefix(selector):
    X = simulate(missing=0.1)
    large = clone(selector).set_params(k=20).fit(X)
    small = clone(selector).set_params(k=6).fit(X)
    assert large.nested_
    np.testing.assert_array_equal(small.order_, large.order_[:6])
    cut = large.truncate(6)
    assert cut.get_params() == small.get_params()
    np.testing.assert_array_equal(cut.order_, small.order_)
    np.testing.assert_array_equal(cut.predict(X), small.predict(X))
    assert len(large.order_) == 20
    for k in (0, 21, 2.5):
        with pytest.raises(ValueError, match="k must be an integer from 1 to 20"):
            large.truncate(k)


def test_anchors_are_not_nested():
    selector = AnchorPointSelector(k=6, random_state=0).fit(simulate())
    assert not selector.nested_
    with pytest.raises(ValueError, match="AnchorPointSelector is not nested"):
        selector.truncate(3)


@pytest.mark.parametrize("criterion", ["total", "marginal"])
@pytest.mark.parametrize("stratify", [None, "difficulty"])
def test_fisher_does_not_depend_on_the_column_order(criterion, stratify):
    X, order = simulate(), np.random.default_rng(1).permutation(30)
    orders = []
    for columns in (np.arange(30), order):
        bank = TwoPLEstimator.from_item_parameters(
            discrimination=fixed_bank().discrimination_[columns],
            difficulty=fixed_bank().difficulty_[columns],
        )
        selector = FisherSubsetSelector(
            criterion=criterion, stratify=stratify, estimator=bank
        ).fit(X[:, columns])
        orders.append(columns[selector.order_])
    np.testing.assert_array_equal(*orders)


def test_the_column_order_changes_anchors_and_disagreement_only_among_ties():
    X, order = simulate(), np.random.default_rng(1).permutation(30)
    first = DisagreementSelector().fit(X)
    second = DisagreementSelector().fit(X[:, order])
    np.testing.assert_array_equal(
        first.disagreement_[first.order_], second.disagreement_[second.order_]
    )
    first = AnchorPointSelector(random_state=0).fit(X)
    second = AnchorPointSelector(random_state=0).fit(X[:, order])
    np.testing.assert_array_equal(first.weights_, second.weights_)


@each
def test_fitting_twice_and_pickling_change_nothing(selector):
    X = simulate(missing=0.1)
    selector = clone(selector).fit(X)
    again = clone(selector).fit(X)
    back = pickle.loads(pickle.dumps(selector))
    for other in (again, back):
        np.testing.assert_array_equal(other.order_, selector.order_)
        np.testing.assert_array_equal(other.predict(X), selector.predict(X))


# -- Fisher information -------------------------------------------------------------


def test_fisher_takes_the_planted_items():
    # Eight sharp items in the middle, sharp ones far away, dull ones in the middle.
    a = np.r_[np.full(8, 2.5), np.full(8, 2.5), np.full(34, 0.4)]
    b = np.r_[np.linspace(-1, 1, 8), np.full(8, 6.0), np.zeros(34)]
    shuffle = np.random.default_rng(3).permutation(50)
    X = simulate(300, 50, a=a[shuffle], b=b[shuffle])
    planted = set(np.flatnonzero(shuffle < 8))
    for criterion in ("total", "marginal"):
        selector = FisherSubsetSelector(k=8, criterion=criterion).fit(X)
        assert set(selector.order_) == planted


def test_fisher_criteria_by_their_definitions():
    X, bank = simulate(25, 30), fixed_bank()
    information = bank.item_information(bank.predict(X))
    total = FisherSubsetSelector(k=30, criterion="total", estimator=bank).fit(X)
    np.testing.assert_array_equal(total.order_, np.argsort(-information.sum(axis=0)))
    precision, chosen = np.ones(25), []
    for _ in range(12):
        errors = ((precision[:, None] + information) ** -0.5).sum(axis=0)
        errors[chosen] = np.inf
        chosen.append(int(errors.argmin()))
        precision += information[:, chosen[-1]]
    marginal = FisherSubsetSelector(k=12, estimator=bank).fit(X)
    assert marginal.order_.tolist() == chosen


def test_fisher_covers_models_that_the_total_leaves_out():
    # Most models are near 2; a fifth of them near -2, where only dull items measure.
    bank = TwoPLEstimator.from_item_parameters(
        discrimination=np.r_[np.full(15, 2.0), np.full(15, 1.2)],
        difficulty=np.r_[np.full(15, 2.0), np.full(15, -2.0)],
    )
    X = np.tile(np.r_[np.ones(23), np.zeros(7)], (20, 1))
    X[:4] = np.r_[np.zeros(15), np.ones(8), np.zeros(7)]
    total = FisherSubsetSelector(k=10, criterion="total", estimator=bank).fit(X)
    marginal = FisherSubsetSelector(k=10, estimator=bank).fit(X)
    assert (total.order_ < 15).all()
    assert (marginal.order_ >= 15).sum() >= 2


@pytest.mark.parametrize("criterion", ["total", "marginal"])
def test_stratified_choice_is_balanced_at_every_size(criterion):
    X, bank = simulate(40, 40), fixed_bank(40)
    selector = FisherSubsetSelector(
        k=40, criterion=criterion, stratify="difficulty", estimator=bank
    ).fit(X)
    quartile = np.argsort(np.argsort(bank.difficulty_)) // 10
    taken = np.cumsum(np.eye(4, dtype=int)[quartile[selector.order_]], axis=0)
    assert (np.ptp(taken, axis=1) <= 1).all()


def test_stratified_choice_where_most_items_are_equally_easy():
    bank = TwoPLEstimator.from_item_parameters(
        discrimination=np.ones(20), difficulty=np.r_[np.full(14, -5.0), np.arange(6)]
    )
    X = simulate(10, 20)
    selector = FisherSubsetSelector(k=20, stratify="difficulty", estimator=bank)
    order = selector.fit(X).order_
    # Three strata: the fourteen; the item at 0; the five beyond. The rounds then take
    # three items, and two each until the five have run out.
    assert (order[:3] < 14).sum() == 1
    assert (order[3:11] < 14).sum() == 4
    assert (order[11:] < 14).all()
    assert sorted(order) == list(range(20))


def test_equal_items_in_blocks_are_not_taken_from_the_first_block():
    subject = np.repeat(np.arange(10), 100)
    X = simulate(20, 1000, a=np.ones(1000), b=np.zeros(1000))
    chosen = FisherSubsetSelector(k=100).fit(X).order_
    assert np.bincount(subject[chosen], minlength=10).min() >= 1
    for seed in range(10):
        drawn = RandomSubsetSelector(k=100, random_state=seed).fit(X).order_
        counts = np.bincount(subject[drawn], minlength=10)
        assert counts.min() >= 2
        assert counts.max() <= 22


def test_fisher_predicts_with_standard_errors():
    X, bank = simulate(), fixed_bank()
    selector = FisherSubsetSelector(k=9, estimator=bank).fit(X)
    ability, error = selector.predict(X, return_std=True)
    columns = np.sort(selector.order_)
    # The mode of the posterior, found on a grid.
    grid = np.linspace(-4, 4, 8001)
    logits = bank.discrimination_[columns] * (grid[:, None] - bank.difficulty_[columns])
    for row in (0, 7, 23):
        answers = np.where(X[row, columns] == 1, 1, -1)
        posterior = -np.logaddexp(0, -answers * logits).sum(axis=1) - grid**2 / 2
        assert ability[row] == pytest.approx(grid[posterior.argmax()], abs=1e-3)
    information = bank.item_information(ability)[:, columns].sum(axis=1)
    np.testing.assert_allclose(error, (1 + information) ** -0.5, rtol=1e-5)
    only = selector.predict_subset(X[:, columns], return_std=True)
    np.testing.assert_array_equal(only, (ability, error))


def test_fisher_falls_back_to_the_prior_mean():
    X = simulate()
    selector = FisherSubsetSelector(k=3, estimator=fixed_bank()).fit(X)
    X[4, selector.order_] = np.nan
    with pytest.warns(UserWarning, match="prior"):
        assert selector.predict(X)[4] == pytest.approx(0, abs=1e-9)


# -- the bank inside the Fisher selector --------------------------------------------


@pytest.mark.parametrize("kind", ["from_item_parameters", "frozen"])
def test_a_fixed_bank_stays_as_it_is(kind):
    X = simulate(60)
    if kind == "frozen":
        bank = FrozenEstimator(TwoPLEstimator().fit(simulate(50, seed=9)))
    else:
        bank = fixed_bank()
    known = bank.discrimination_.copy(), bank.difficulty_.copy()
    selector = FisherSubsetSelector(k=5, estimator=bank)
    cv = ShuffleSplit(2, test_size=0.5, random_state=0)
    grid = GridSearchCV(selector, {"k": [5, 9]}, cv=cv, error_score="raise").fit(X)
    for fitted in (clone(selector).fit(X), clone(clone(selector)).fit(X), grid):
        fitted = getattr(fitted, "best_estimator_", fitted)
        np.testing.assert_array_equal(fitted.estimator_.discrimination_, known[0])
        np.testing.assert_array_equal(fitted.estimator_.difficulty_, known[1])
    np.testing.assert_array_equal(bank.discrimination_, known[0])


def test_a_fixed_bank_scores_the_models_of_this_fit():
    bank = TwoPLEstimator().fit(simulate(50, seed=9))
    X = simulate(12, seed=4)
    selector = FisherSubsetSelector(k=5, estimator=FrozenEstimator(bank)).fit(X)
    information = bank.item_information(bank.predict(X)).sum(axis=0)
    total = clone(selector).set_params(criterion="total").fit(X)
    assert set(total.order_) == set(np.argsort(-information)[:5])
    # One new model is enough for a bank that knows the items.
    assert len(clone(selector).fit(X[:1]).order_) == 5


def test_a_bare_fitted_bank_is_calibrated_anew_with_a_warning():
    X = simulate()
    bank = OnePLEstimator().fit(simulate(seed=9))
    known = bank.difficulty_.copy()
    with pytest.warns(UserWarning, match="FrozenEstimator"):
        selector = FisherSubsetSelector(k=5, estimator=bank).fit(X)
    fresh = FisherSubsetSelector(k=5, estimator=OnePLEstimator()).fit(X)
    np.testing.assert_array_equal(
        selector.estimator_.difficulty_, fresh.estimator_.difficulty_
    )
    np.testing.assert_array_equal(bank.difficulty_, known)


def test_an_unfitted_frozen_bank_is_refused():
    selector = FisherSubsetSelector(estimator=FrozenEstimator(TwoPLEstimator()))
    with pytest.raises(NotFittedError):
        selector.fit(simulate())


def test_a_bank_of_other_items_is_refused():
    X = table(simulate())
    selector = FisherSubsetSelector(estimator=fixed_bank(12))
    with pytest.raises(ValueError, match="bank has 12 items, but X has 30 columns"):
        selector.fit(X)
    named = fixed_bank(names=[f"q{j}" for j in range(1, 31)])
    with pytest.raises(ValueError, match=r"no item 'q0' \(1 unknown of 30\)"):
        FisherSubsetSelector(estimator=named).fit(X)


@pytest.mark.parametrize("freeze", [FrozenEstimator, lambda bank: bank])
def test_a_named_bank_finds_its_items(freeze):
    X = table(simulate())
    bank = freeze(fixed_bank(names=X.columns))
    columns = np.random.default_rng(2).permutation(30)[:20]
    by_name = FisherSubsetSelector(k=6, estimator=bank).fit(X.iloc[:, columns])
    by_place = FisherSubsetSelector(k=6, estimator=bank.select_items(columns))
    by_place.fit(X.to_numpy()[:, columns])
    np.testing.assert_array_equal(by_name.order_, by_place.order_)
    np.testing.assert_array_equal(
        by_name.predict(X.iloc[:, columns]), by_place.predict(X.to_numpy()[:, columns])
    )


def test_items_are_chosen_at_finite_abilities():
    X = simulate()
    X[0], X[1] = 1, 0  # no finite maximum-likelihood ability
    bank = fixed_bank()
    chosen = FisherSubsetSelector(k=9, estimator=bank).fit(X).order_
    likelihood = clone(bank).set_params(ability_method="ml")
    selector = FisherSubsetSelector(k=9, estimator=likelihood).fit(X)
    np.testing.assert_array_equal(selector.order_, chosen)
    assert not np.isfinite(selector.predict(X)[:2]).any()


def test_the_threshold_of_a_fixed_bank_does_not_act_twice():
    X = simulate(60)
    ratings = 1 + 3 * X
    bank = TwoPLEstimator(binarize=2.5).fit(ratings)
    selector = FisherSubsetSelector(
        k=5, estimator=FrozenEstimator(bank), binarize=2.5
    ).fit(ratings)
    plain = FisherSubsetSelector(
        k=5, estimator=FrozenEstimator(TwoPLEstimator().fit(X))
    ).fit(X)
    np.testing.assert_array_equal(selector.order_, plain.order_)
    np.testing.assert_allclose(selector.predict(ratings), plain.predict(X))
    assert bank.binarize == 2.5


class CountingBank(TwoPLEstimator):
    fits = 0

    def fit(self, X, y=None, sample_weight=None):
        type(self).fits += 1
        return super().fit(X, y, sample_weight)


@pytest.mark.parametrize("container", [np.asarray, table])
def test_memory_calibrates_once_for_each_split(tmp_path, container):
    X = container(simulate())
    CountingBank.fits = 0
    grid = GridSearchCV(
        FisherSubsetSelector(estimator=CountingBank(), memory=str(tmp_path)),
        {"k": [3, 6, 9], "criterion": ["total", "marginal"]},
        cv=ShuffleSplit(2, test_size=0.5, random_state=0),
        refit=False,
        error_score="raise",
    ).fit(X)
    assert CountingBank.fits == 2
    without = clone(grid).set_params(estimator__memory=None).fit(X)
    assert CountingBank.fits == 14
    np.testing.assert_array_equal(
        grid.cv_results_["mean_test_score"], without.cv_results_["mean_test_score"]
    )


# -- anchor points ------------------------------------------------------------------


def test_anchors_stand_for_planted_clusters():
    rng = np.random.default_rng(0)
    prototypes = (rng.random((4, 60)) < 0.5) * 1.0
    cluster = rng.permutation(np.repeat(np.arange(4), [40, 30, 20, 10]))
    flips = rng.random((100, 60)) < 0.05
    X = np.abs(prototypes[cluster] - flips).T
    selector = AnchorPointSelector(k=4, random_state=0).fit(X)
    assert cluster[selector.order_].tolist() == [0, 1, 2, 3]
    np.testing.assert_allclose(selector.weights_, [0.4, 0.3, 0.2, 0.1])
    for anchor, label in zip(selector.order_, range(4), strict=True):
        members = np.flatnonzero(cluster == label)
        centre = X[:, members].mean(axis=1, keepdims=True)
        distance = ((X[:, members] - centre) ** 2).sum(axis=0)
        assert anchor == members[np.round(distance, 9).argmin()]


@pytest.mark.parametrize("k", [5, 7, 12, 30])
def test_anchors_that_cover_every_distinct_item_give_the_full_mean(k):
    rng = np.random.default_rng(0)
    distinct = np.unique(rng.random((5, 8)) < 0.5, axis=0) * 1.0
    X = distinct[rng.permutation(np.resize(np.arange(5), 30))].T
    selector = AnchorPointSelector(k=k, random_state=0).fit(X)
    assert len(set(selector.order_)) == k
    assert selector.weights_.sum() == pytest.approx(1)
    np.testing.assert_allclose(selector.predict(X), X.mean(axis=1))


def test_anchor_weights_count_only_the_observed():
    X = simulate(30, 40)
    selector = AnchorPointSelector(k=5, random_state=0).fit(X)
    new = np.full((1, 40), np.nan)
    new[0, selector.order_[:2]] = 1, 0
    first, second = selector.weights_[:2]
    assert selector.predict(new)[0] == pytest.approx(first / (first + second))


# -- disagreement and chance --------------------------------------------------------


def test_disagreement_order_with_ties_constant_and_unanswered_items():
    n = np.nan
    X = np.array(
        # p:   1  3/4 1/2  -  1/4  1/2
        [[1, 1, 1, n, 1, n], [1, 1, 1, n, 0, 1], [1, 1, 0, n, 0, 0], [1, 0, 0, n, 0, n]]
    )
    selector = DisagreementSelector(k=6).fit(X)
    order = selector.order_.tolist()
    assert [set(order[:2]), set(order[2:4]), order[4:]] == [{2, 5}, {1, 4}, [0, 3]]
    np.testing.assert_allclose(
        selector.disagreement_, [0, 3 / 16, 1 / 4, n, 3 / 16, 1 / 4]
    )


def test_models_that_agree_on_everything_choose_with_a_warning():
    with pytest.warns(UserWarning, match="agree on every item"):
        selector = DisagreementSelector(k=2).fit(np.ones((5, 4)))
    assert len(selector.order_) == 2


def test_ties_of_disagreement_are_not_taken_from_the_first_topic():
    """Ten topics of a hundred equal items, filed one after the other."""
    X = np.tile(np.eye(2)[:, :1].repeat(1000, axis=1), (5, 1))
    for seed in range(10):
        selector = DisagreementSelector(k=100, random_state=seed).fit(X)
        counts = np.bincount(selector.order_ // 100, minlength=10)
        assert counts.min() >= 3
        assert counts.max() <= 20


def test_the_random_choice_depends_on_nothing_but_the_seed():
    X = simulate()
    first = RandomSubsetSelector(k=9, random_state=4).fit(table(X))
    other = RandomSubsetSelector(k=9, random_state=4).fit(table(X)[::-1][:5])
    names = first.get_feature_names_out()
    assert names.tolist() == other.get_feature_names_out().tolist()
    # Every item has the same chance: 500 draws of 9 of 30.
    draws = [
        RandomSubsetSelector(k=9, random_state=s).fit(X).order_ for s in range(500)
    ]
    counts = np.bincount(np.concatenate(draws), minlength=30)
    assert abs(counts - 150).max() < 5 * np.sqrt(150 * 0.7)
