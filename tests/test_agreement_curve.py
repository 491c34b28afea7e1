"""Subset sizing: planted answers, brute force, and no peeking at test models."""

import pickle
import warnings

import joblib
import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy.special import expit
from scipy.stats import spearmanr
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectKBest
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.linear_model import Ridge, RidgeCV
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    LeaveOneOut,
    PredefinedSplit,
    ShuffleSplit,
)
from sklearn.pipeline import Pipeline, make_pipeline

from skirt import TwoPLEstimator
from skirt.metrics import agreement_scorer
from skirt.model_selection import agreement_curve, smallest_subset
from skirt.model_selection._bootstrap import draw_multiplicities, split_agreements
from skirt.selection import (
    DisagreementSelector,
    FisherSubsetSelector,
    RandomSubsetSelector,
)


def panel(n_models=30, n_items=80, missing=0.0, seed=0):
    rng = np.random.default_rng(seed)
    able = np.linspace(0.15, 0.85, n_models)[rng.permutation(n_models)]
    X = (rng.random((n_models, n_items)) < able[:, None]).astype(float)
    X[rng.random(X.shape) < missing] = np.nan
    return X


def two_parameter_panel(n_models, n_items):
    rng = np.random.default_rng(6)
    slopes, difficulty = rng.lognormal(0, 0.7, n_items), rng.normal(size=n_items)
    bank = TwoPLEstimator.from_item_parameters(
        discrimination=slopes, difficulty=difficulty
    )
    p = expit(slopes * (rng.normal(size=(n_models, 1)) - difficulty))
    return (rng.random(p.shape) < p).astype(float), bank


class Scripted(BaseEstimator):
    """Ranks perfectly at the listed sizes and by one item at the others."""

    def __init__(self, k=10, good=()):
        self.k = k
        self.good = good

    def fit(self, X, y):
        return self

    def predict(self, X):
        return X.mean(axis=1) if self.k in self.good else X[:, 0]


def test_smallest_k_must_hold_at_every_larger_size():
    X = panel()
    curve = agreement_curve(
        {
            "lucky": Scripted(good=(5, 20, 40)),
            "never": Scripted(),
            "always": Scripted(good=(5, 10, 20, 40)),
        },
        X,
        k=[40, 5, 10, 20],
    )
    assert curve.k == (5, 10, 20, 40)
    k_star = curve.smallest_k(0.95)
    assert k_star[["lucky", "always"]].to_dict() == {"lucky": 20, "always": 5}
    assert pd.isna(k_star["never"])
    assert curve.smallest_k(0.95, method="never") is None
    assert curve.saving(0.95, method="lucky") == 1 - 20 / 80
    # 30 x 80 answers against the 60 that each new model saves
    assert curve.break_even(0.95, method="lucky") == 40
    assert curve.break_even(0.95)["always"] == 32
    assert np.isnan(curve.break_even(0.95)["never"])
    assert curve.break_even(k=80) == np.inf
    assert curve.break_even(k=np.int64(20)) == 40
    for k in (2.5, 20.0, 0, 81, True, "20"):
        with pytest.raises(ValueError, match="from 1 to 80"):
            curve.break_even(k=k)
    assert "20 random half splits" in curve.protocol
    assert "lucky" in repr(curve)
    pickle.loads(pickle.dumps(curve))


def test_bootstrap_is_that_of_repeated_rows():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 8, 14).astype(float)
    tests = [np.arange(0, 9), np.arange(4, 14)]
    predictions = [rng.integers(0, 5, (2, len(test))).astype(float) for test in tests]
    predictions[1][1, 3] = np.nan
    families = np.arange(14) // 2
    counts = draw_multiplicities(families, 30, np.random.default_rng(0))
    assert (counts[:, ::2] == counts[:, 1::2]).all()
    assert (counts.sum(axis=1) == 14).all()
    rho = split_agreements(y, tests, predictions, counts)
    for split, test in enumerate(tests):
        for curve, predicted in enumerate(predictions[split]):
            known = ~np.isnan(predicted)
            for draw, count in enumerate(counts[:, test[known]].astype(int)):
                true = np.repeat(y[test[known]], count)
                pred = np.repeat(predicted[known], count)
                if len(set(true)) < 2:
                    assert np.isnan(rho[split, curve, draw])
                elif len(set(pred)) < 2:
                    assert rho[split, curve, draw] == 0
                else:
                    expected = spearmanr(true, pred).statistic
                    assert rho[split, curve, draw] == pytest.approx(expected)


@pytest.mark.slow
def test_intervals_hold_the_mean_over_panels_and_miss_on_both_sides():
    curves = []
    for seed in range(100):
        rng = np.random.default_rng(seed)
        able = rng.uniform(0.15, 0.85, size=(30, 1))
        X = (rng.random((30, 80)) < able).astype(float)
        curves.append(agreement_curve(DisagreementSelector(), X, k=20).to_frame())
    found = pd.concat(curves)
    truth = found["mean"].mean()
    held = (found["low"] <= truth) & (truth <= found["high"])
    assert 0.87 <= held.mean() <= 1
    above, below = (found["low"] > truth).sum(), (found["high"] < truth).sum()
    assert abs(above - below) <= 6


class ItemsLikeTheScore(BaseEstimator):
    """Chooses the items that follow y most closely; scores by their mean."""

    def __init__(self, k=10):
        self.k = k

    def fit(self, X, y):
        centred = X - X.mean(axis=0)
        self.order_ = np.argsort(-(centred.T @ (y - y.mean())))[: self.k]
        return self

    def predict(self, X):
        return X[:, self.order_].mean(axis=1)


def test_choosing_on_noise_does_not_look_good_on_new_models():
    X = (np.random.default_rng(4).random((40, 1000)) < 0.5).astype(float)
    y = X.mean(axis=1)
    chooser = ItemsLikeTheScore(k=20).fit(X, y)
    on_choosers = spearmanr(y, chooser.predict(X)).statistic
    curve = agreement_curve(ItemsLikeTheScore(), X, k=20)
    assert on_choosers > 0.8
    row = curve.to_frame().iloc[0]
    assert row["mean"] < 0.45
    assert row["pooled"] < 0.6
    assert row["low"] < row["mean"] < row["high"]


def test_tidy_tables_say_what_the_splits_say():
    X = panel()
    curve = agreement_curve(ItemsLikeTheScore(), X, k=[5, 20], cv=4)
    table = curve.to_frame()
    assert list(table.columns) == [
        *("method", "k", "mean", "low", "high", "sd", "pooled", "n_splits", "saving")
    ]
    by_k = curve.split_scores.groupby("k")["score"]
    np.testing.assert_allclose(table["mean"], by_k.mean())
    np.testing.assert_allclose(table["sd"], by_k.std())
    assert list(table["n_splits"]) == [4, 4]
    # The first score again, by hand.
    train, test = next(KFold(4, shuffle=True, random_state=0).split(X))
    y = X.mean(axis=1)
    predicted = ItemsLikeTheScore(k=5).fit(X[train], y[train]).predict(X[test])
    assert curve.split_scores["score"][0] == pytest.approx(
        spearmanr(y[test], predicted).statistic
    )


def test_methods_are_paired_and_neither_order_nor_jobs_matter():
    X = panel(missing=0.05)
    y = np.nanmean(X, axis=1)
    methods = {
        "random": RandomSubsetSelector(),
        "disagreement": DisagreementSelector(),
        "ridge": make_pipeline(
            RandomSubsetSelector(), SimpleImputer(keep_empty_features=True), RidgeCV()
        ),
    }
    one = agreement_curve(methods, X, y, k=[10, 40], n_bootstrap=20)
    reverse = dict(reversed(methods.items()))
    two = agreement_curve(reverse, X, y, k=[10, 40], n_bootstrap=20, n_jobs=2)
    key = ["method", "k"]
    pd.testing.assert_frame_equal(
        one.to_frame().sort_values(key, ignore_index=True),
        two.to_frame().sort_values(key, ignore_index=True),
    )
    # The random baseline is another subset in every split.
    assert one.split_scores.query("method == 'random'")["score"].nunique() > 10


class Counted(BaseEstimator):
    """Counts fits and calibrations; `nested` says whether it can be truncated."""

    fits: list = []
    calibrations: list = []

    def __init__(self, k=10, nested=True, memory=None):
        self.k = k
        self.nested = nested
        self.memory = memory

    def fit(self, X, y=None):
        self.fits.append(self.k)
        calibrate = joblib.Memory(None) if self.memory is None else self.memory
        self.order_ = calibrate.cache(_calibrate)(X)[: self.k]
        self.nested_ = self.nested
        return self

    def truncate(self, k):
        copy = Counted(k, self.nested)
        copy.order_ = self.order_[:k]
        return copy

    def predict(self, X):
        return X[:, self.order_].mean(axis=1)

    def transform(self, X):
        return X[:, self.order_]


def _calibrate(X):
    Counted.calibrations.append(len(X))
    return np.argsort(-X.var(axis=0), kind="stable")


@pytest.mark.parametrize("nested", [True, False])
def test_nested_selectors_are_fitted_once_and_calibrations_kept(nested):
    X = panel()
    Counted.fits.clear()
    Counted.calibrations.clear()
    curve = agreement_curve(Counted(nested=nested), X, k=[5, 10, 30], cv=3)
    assert len(Counted.fits) == (3 if nested else 9)
    assert max(Counted.fits) == 30
    assert len(Counted.calibrations) == 3
    in_pipeline = make_pipeline(Counted(nested=nested), Ridge())
    agreement_curve(in_pipeline, X, k=[5, 10, 30], cv=3)
    assert len(Counted.calibrations) == 6
    refitted = [
        agreement_curve(Counted(nested=nested), X, k=k, cv=3).to_frame()
        for k in (5, 10, 30)
    ]
    pd.testing.assert_frame_equal(
        curve.to_frame(), pd.concat(refitted, ignore_index=True)
    )


def test_families_stay_whole_in_splits_and_intervals():
    X = pd.DataFrame(panel(24)).add_prefix("item")
    family = np.arange(24) // 2
    y = X.mean(axis=1)
    alone = agreement_curve(DisagreementSelector(), X, y, k=5)
    curve = agreement_curve(DisagreementSelector(), X, y, k=5, groups=family)
    assert (curve.n_groups, alone.n_groups) == (12, 24)
    assert "24 models in 12 groups kept whole" in curve.protocol
    for cv in (None, 4, GroupShuffleSplit(3, test_size=0.3, random_state=1)):
        # Twins that split up would let the one vote for the other.
        for train, test in _splits_of(cv, X, y, family):
            assert not set(family[train]) & set(family[test])
    with pytest.raises(ValueError, match="group '.*' in both train and test"):
        agreement_curve(DisagreementSelector(), X, y, k=5, groups=family, cv=KFold(5))


def _splits_of(cv, X, y, groups):
    splits = []

    class Spy(DisagreementSelector):
        def fit(self, X, y=None):
            splits.append([X.index.to_numpy(), None])
            return super().fit(X)

        def predict(self, X):
            if splits[-1][1] is None:
                splits[-1][1] = X.index.to_numpy()
            return super().predict(X)

    agreement_curve(Spy(), X, y, k=5, groups=groups, cv=cv)
    return splits


@pytest.mark.parametrize("routed", [False, True])
def test_groups_go_to_the_selectors_that_take_them(routed):
    X = pd.DataFrame(panel(24)).add_prefix("item")
    family = np.arange(24) // 2
    given = []

    class Spy(DisagreementSelector):
        __metadata_request__fit = {"groups": False}

        def fit(self, X, y=None, groups=None):
            own = groups is not None and (groups == family[X.index]).all()
            given.append(bool(own) if own else groups)
            return super().fit(X)

    with sklearn.config_context(enable_metadata_routing=routed):
        spy = Spy()
        if routed:
            agreement_curve(spy, X, k=5, groups=family, cv=2)
            assert given == [None] * 2  # not requested
            spy = Spy().set_fit_request(groups=True)
        ridge = make_pipeline(
            make_pipeline(DisagreementSelector(30), spy), SimpleImputer(), Ridge()
        )
        ridge.set_params(pipeline__disagreementselector="passthrough")
        given.clear()
        for method in (spy, ridge):
            agreement_curve(method, X, k=5, groups=family, cv=2)
            assert given == [True] * 2
            given.clear()
        agreement_curve(spy, X, k=5, cv=2)
        assert given == [None] * 2


def test_families_count_once_in_the_choice_for_the_ranking():
    X, _ = two_parameter_panel(60, 40)
    family = np.r_[np.zeros(20, dtype=int), np.arange(1, 41)]
    halves = [(np.r_[:20, 20:40], np.arange(40, 60))]
    selector = FisherSubsetSelector(criterion="rank", estimator=TwoPLEstimator())
    chosen = []
    for groups in (None, family):
        curve = agreement_curve(selector, X, k=8, cv=halves, groups=groups)
        train, test = halves[0]
        own = None if groups is None else groups[train]
        fitted = FisherSubsetSelector(
            8, criterion="rank", estimator=TwoPLEstimator()
        ).fit(X[train], groups=own)
        expected = spearmanr(X.mean(axis=1)[test], fitted.predict(X[test]))[0]
        assert curve.table["mean"].item() == pytest.approx(expected)
        chosen.append(set(fitted.order_))
    assert chosen[0] != chosen[1]


def test_single_model_folds_are_pooled():
    X = panel(40, 200)
    with (
        pytest.warns(UserWarning, match="smallest test set has 1 models"),
        pytest.warns(UserWarning, match="undefined in 40 of 40 splits"),
        pytest.warns(UserWarning, match="predicts the same for all"),
    ):
        curve = agreement_curve(DisagreementSelector(), X, k=60, cv=LeaveOneOut())
    row = curve.to_frame().iloc[0]
    assert np.isnan(row["mean"])
    assert row["pooled"] > 0.8
    assert curve.smallest_k(0.5, method="DisagreementSelector") is None


def test_models_without_an_answer_are_left_out_and_told():
    X = panel(missing=0.6)
    y = np.nanmean(X, axis=1)
    with (
        pytest.warns(UserWarning, match=r"has no score for \d+ \(k=2\) of the 300"),
        pytest.warns(UserWarning, match=r"splits: .*answered none") as caught,
    ):
        curve = agreement_curve(RandomSubsetSelector(), X, y, k=[2, 40])
    assert sum("answered none" in str(w.message) for w in caught) == 1
    assert curve.to_frame()["mean"].notna().all()


def test_constant_predictions_count_as_zero():
    with pytest.warns(UserWarning, match=r"agreement of 0, in 20 \(k=3\) of 20"):
        curve = agreement_curve(Constant(), panel(), k=3)
    assert curve.to_frame()["mean"][0] == 0


class Constant(Scripted):
    def predict(self, X):
        return np.ones(len(X))


def test_pipeline_with_imputer_and_ridge_beats_one_of_noise():
    X = panel(60, 300, missing=0.2)
    y = np.nanmean(X, axis=1)
    ridge = make_pipeline(RandomSubsetSelector(), SimpleImputer(), RidgeCV())
    curve = agreement_curve([ridge, ("random", RandomSubsetSelector())], X, y, k=100)
    assert curve.methods == ("RandomSubsetSelector+SimpleImputer+RidgeCV", "random")
    assert (curve.to_frame()["mean"] > 0.85).all()


def test_bad_input_is_refused_with_the_way_out():
    X = panel(12, 30)
    selector = DisagreementSelector()
    with pytest.raises(ValueError, match="9 models and at least 10"):
        agreement_curve(selector, X[:9])
    with pytest.warns(UserWarning, match=r"k=\[50, 100\] left out.*30 items"):
        agreement_curve(selector, X)
    with pytest.raises(ValueError, match="Every k is larger"):
        agreement_curve(selector, X, k=31)
    for k in (0, 2.5, [5, -1], True):
        with pytest.raises(ValueError, match="whole number"):
            agreement_curve(selector, X, k=k)
    with pytest.raises(ValueError, match="y has 3 values and X 12"):
        agreement_curve(selector, X, [1, 2, 3], k=5)
    with pytest.raises(ValueError, match="y is nan at position 0"):
        agreement_curve(selector, X, np.full(12, np.nan), k=5)
    with pytest.raises(ValueError, match="row '0' in both"):
        agreement_curve(selector, X, k=5, cv=[(np.arange(12), np.arange(5))])
    two = Pipeline([("one", SelectKBest()), ("two", SelectKBest()), ("r", Ridge())])
    with pytest.raises(ValueError, match="found one__k, two__k"):
        agreement_curve(two, X, k=5)
    with pytest.raises(ValueError, match="'Ridge' needs exactly one parameter"):
        agreement_curve(Ridge(), X, k=5)
    with pytest.raises(TypeError, match="needs fit, predict"):
        agreement_curve(SelectKBest(), X, k=5)
    for classes in (Scripted, {"a": Scripted}, [Scripted]):
        with pytest.raises(TypeError, match=r"class: .*Scripted\(\)"):
            agreement_curve(classes, X, k=5)


def test_scores_and_families_of_other_rows_are_refused():
    X = pd.DataFrame(panel(12, 30), index=[f"m{i}" for i in range(12)])
    y, family = X.mean(axis=1), pd.Series(np.arange(12) // 2, index=X.index)
    curve = agreement_curve(DisagreementSelector(), X, y, k=5, groups=family, cv=2)
    for plain in (family.to_frame(), family.to_numpy()[:, None]):
        same = agreement_curve(
            DisagreementSelector(), X, y.to_numpy(), k=5, groups=plain, cv=2
        )
        pd.testing.assert_frame_equal(curve.to_frame(), same.to_frame())
    agreement_curve(DisagreementSelector(), X, y.reset_index(drop=True), k=5, cv=2)
    with pytest.raises(ValueError, match=r"y has .* another order.*reindex\(X.index"):
        agreement_curve(DisagreementSelector(), X, y[::-1], k=5)
    with pytest.raises(ValueError, match="y has a model 'new' that X does not know"):
        agreement_curve(DisagreementSelector(), X, y.rename({"m3": "new"}), k=5)
    with pytest.raises(ValueError, match="groups has .* another order"):
        agreement_curve(DisagreementSelector(), X, y, k=5, groups=family[::-1])
    with pytest.raises(ValueError, match=r"shape \(12, 2\)"):
        agreement_curve(DisagreementSelector(), X, y, k=5, groups=np.ones((12, 2)))
    with pytest.raises(ValueError, match="one group, 'llama', .* two groups"):
        agreement_curve(DisagreementSelector(), X, y, k=5, groups=["llama"] * 12)


@pytest.mark.parametrize(
    ("train", "test", "told"),
    [
        (np.arange(6), [7, 12], "test names row 12: the 12 models are rows 0 to 11"),
        (np.arange(6), [7, -1], "test names row -1"),
        ([0, 1, 99], [7, 8], "train names row 99"),
        (np.arange(12) < 6, np.arange(11) > 6, r"test is a mask of shape \(11,\)"),
        (np.arange(6), [7, 8, 8, 9], "tests row 8 2 times"),
        (np.arange(6), [7.0, 8.0], "test is an array of float64"),
        (np.arange(6), [], "no models to train on or to test"),
    ],
)
def test_splits_that_do_not_fit_the_models_are_refused(train, test, told):
    with pytest.raises(ValueError, match=f"Split 0.*{told}"):
        agreement_curve(DisagreementSelector(), panel(12, 30), k=5, cv=[(train, test)])


@pytest.mark.parametrize(
    ("cv", "words"),
    [
        (ShuffleSplit(5, test_size=0.5, random_state=0), "random half splits (seed 0)"),
        (
            GroupShuffleSplit(5, test_size=0.5, random_state=7),
            "random half splits (seed 7)",
        ),
        (
            ShuffleSplit(5, test_size=0.5, train_size=0.25),
            "random splits, 6 models to train and 12 to test (no seed)",
        ),
        (
            GroupShuffleSplit(5, test_size=0.25, random_state=0),
            "random splits, 18 groups to train and 6 to test (seed 0)",
        ),
        (KFold(5, shuffle=True, random_state=3), "shuffled folds (seed 3)"),
        (KFold(5), "folds in row order"),
        (GroupKFold(5), "folds of whole groups"),
        (PredefinedSplit(np.arange(24) % 5), "splits (PredefinedSplit("),
    ],
)
def test_the_protocol_says_in_words_how_models_were_split(cv, words):
    grouped = np.arange(24) if isinstance(cv, (GroupShuffleSplit, GroupKFold)) else None
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The smallest test set")
        curve = agreement_curve(
            DisagreementSelector(),
            panel(24),
            k=20,
            cv=cv,
            groups=grouped,
            n_bootstrap=0,
        )
    assert curve.protocol.startswith(f"5 {words}")


def _results(sizes, means, other=None):
    """Return what a search gives, with two splits around each mean."""
    params = [{"select__k": size} for size in sizes]
    results = {"param_select__k": np.ma.masked_array(sizes, dtype=object)}
    if other is not None:
        params = [p | {"a": value} for p, value in zip(params, other, strict=True)]
        results["param_a"] = np.ma.masked_array(other, dtype=object)
    results["params"] = params
    results["split0_test_score"] = np.asarray(means) - 0.01
    results["split1_test_score"] = np.asarray(means) + 0.01
    results["mean_test_score"] = np.asarray(means)
    return results


def test_smallest_subset_takes_the_smallest_that_stays_good():
    choose = pickle.loads(pickle.dumps(smallest_subset(0.9)))
    assert choose(_results([40, 5, 10, 20], [0.97, 0.92, 0.85, 0.93])) == 3
    # Only candidates that differ in size alone must hold; ties go to the better.
    sizes, other = [5, 10, 5, 10, 10], ["x", "x", "y", "y", "z"]
    assert choose(_results(sizes, [0.92, 0.95, 0.91, 0.5, 0.99], other)) == 0
    assert choose(_results(sizes, [0.1, 0.95, 0.91, 0.5, 0.99], other)) == 4
    with pytest.warns(UserWarning, match="k=10 with 0.800"):
        assert choose(_results([5, 10, 20], [0.7, 0.8, 0.8])) == 1


def test_smallest_subset_never_prefers_nan():
    nan = np.nan
    choose = smallest_subset(0.9)
    with pytest.warns(UserWarning, match="the best is taken"):
        assert choose(_results([5, 10, 20], [nan, 0.3, nan])) == 1
    results = _results([5, 10], [0.95, 0.95])
    results["split0_test_score"] = np.array([nan, 0.95])
    assert choose(results) == 0
    with pytest.raises(ValueError, match="Every test score is NaN"):
        choose(_results([5, 10], [nan, nan]))


def test_smallest_subset_asks_which_parameter_is_the_size():
    results = _results([5, 10], [0.95, 0.96])
    results["param_test__n_items"] = results["param_select__k"]
    with pytest.raises(ValueError, match="Found select__k, test__n_items"):
        smallest_subset()(results)
    for param in ("select__k", "param_select__k"):
        assert smallest_subset(param=param)(results) == 0
    with pytest.raises(ValueError, match="was not searched over"):
        smallest_subset(param="k")(results)
    with pytest.raises(ValueError, match="no metric 'rho'; computed were: score"):
        smallest_subset(metric="rho")(_results([5], [1.0]))


def test_grid_search_refits_the_smallest_subset():
    X = panel(40, 100)
    search = GridSearchCV(
        DisagreementSelector(),
        {"k": [2, 10, 30, 90]},
        scoring=agreement_scorer,
        cv=ShuffleSplit(10, test_size=0.5, random_state=0),
        refit=smallest_subset(0.9),
    ).fit(X)
    means = search.cv_results_["mean_test_score"]
    enough = [k for k, mean in zip([2, 10, 30, 90], means, strict=True) if mean >= 0.9]
    assert 2 not in enough
    assert search.best_params_["k"] == min(enough)
    assert search.best_estimator_.get_support().sum() == min(enough)


def test_grid_search_over_a_pipeline_of_selection_and_calibration():
    X, _ = two_parameter_panel(60, 80)
    # Priors that are given, because three items do not determine any.
    bank = TwoPLEstimator(discrimination_prior=(0, 0.5), intercept_prior=(0, 1.5))
    pipeline = Pipeline([("select", FisherSubsetSelector()), ("ability", bank)])
    search = GridSearchCV(
        pipeline,
        {"select__k": [3, 20, 60]},
        scoring=agreement_scorer,
        cv=ShuffleSplit(3, test_size=0.5, random_state=0),
        refit=smallest_subset(0.85),
    ).fit(X, X.mean(axis=1))
    means = search.cv_results_["mean_test_score"]
    assert means[0] < means[1] < means[2]
    assert search.best_params_ == {"select__k": 20}


def test_fisher_curve_is_that_of_refitting_and_a_fixed_bank_stays():
    X, bank = two_parameter_panel(40, 120)
    X = pd.DataFrame(X).add_prefix("item")
    methods = {
        "fisher": FisherSubsetSelector(),
        "fixed": FisherSubsetSelector(estimator=bank),
        "frozen": FisherSubsetSelector(estimator=FrozenEstimator(bank)),
        "pipeline": make_pipeline(FisherSubsetSelector(), SimpleImputer(), RidgeCV()),
    }
    curve = agreement_curve(methods, X, k=[5, 20], cv=3, n_bootstrap=0)
    means = curve.to_frame().pivot(index="k", columns="method", values="mean")
    np.testing.assert_array_equal(means["fixed"], means["frozen"])
    assert (means.loc[20] > 0.8).all()
    alone = agreement_curve(methods["fisher"], X, k=5, cv=3, n_bootstrap=0)
    assert alone.to_frame()["mean"][0] == means["fisher"][5]
    # The same subset chosen from the true parameters in every split, by hand.
    train, test = next(KFold(3, shuffle=True, random_state=0).split(X))
    fitted = methods["fixed"].fit(X.iloc[train])
    true, predicted = (
        X.iloc[test].mean(axis=1),
        fitted.truncate(5).predict(X.iloc[test]),
    )
    scores = curve.split_scores.query("method == 'fixed' and k == 5 and split == 0")
    assert scores["score"].item() == pytest.approx(spearmanr(true, predicted).statistic)


def test_a_fitted_bank_is_refitted_with_a_warning():
    X, _ = two_parameter_panel(40, 120)
    bank = TwoPLEstimator().fit(X)
    with pytest.warns(UserWarning, match="fitted TwoPLEstimator in 'estimator' is"):
        curve = agreement_curve(FisherSubsetSelector(estimator=bank), X, k=5, cv=2)
    again = agreement_curve(FisherSubsetSelector(), X, k=5, cv=2)
    pd.testing.assert_frame_equal(
        curve.to_frame().drop(columns="method"), again.to_frame().drop(columns="method")
    )


def test_progress_is_told_on_standard_error(capsys):
    agreement_curve({"best": DisagreementSelector()}, panel(), k=5, cv=3, verbose=1)
    out, err = capsys.readouterr()
    assert out == ""
    assert [line.split(":")[0] for line in err.splitlines()] == [
        f"[agreement_curve] best, split {n} of 3" for n in (1, 2, 3)
    ]


def test_break_even_counts_only_the_answers_that_are_there():
    X = np.random.default_rng(0).integers(0, 2, (12, 40)).astype(float)
    X[:, ::2] = np.where(np.arange(12)[:, None] < 6, np.nan, X[:, ::2])
    curve = agreement_curve(
        RandomSubsetSelector(), X, X[:, 1::2].mean(axis=1), k=[20], n_bootstrap=0
    )
    assert curve.n_answers == 12 * 40 - 6 * 20
    assert curve.break_even(k=20) == 18
