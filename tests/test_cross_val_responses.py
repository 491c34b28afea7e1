"""Held-out responses: no peeking, exact scores, planted truths, and refusals."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit
from scipy.stats import spearmanr
from sklearn.base import BaseEstimator
from sklearn.decomposition import PCA
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import Ridge
from sklearn.metrics import (
    accuracy_score,
    log_loss,
    mean_absolute_error,
    roc_auc_score,
)

from skirt import MultidimIRT, TwoPLEstimator
from skirt.datasets import make_responses
from skirt.model_selection._cell_folds import draw_folds
from skirt.model_selection._cross_val_responses import cross_val_responses

# Panels as small as these do not always determine the priors of the bank.
pytestmark = pytest.mark.filterwarnings("ignore:.*An estimated prior")

MEANS = [
    "model mean",
    "model x category mean",
    "model x benchmark mean",
    "item mean",
    "model + item mean",
]


class Scripted(BaseEstimator):
    """Says what its script makes of the matrix it is given."""

    def __init__(self, script, random_state=None):
        self.script = script
        self.random_state = random_state

    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return np.asarray(X)

    def inverse_transform(self, X):
        return self.script(X, self.random_state)


def constant(p):
    return Scripted(lambda X, _: np.full(X.shape, p))


def patchy_panel(seed=0, n_models=24, missing=0.2):
    """Responses to 40 items of 4 benchmarks and 2 categories, with gaps."""
    panel = make_responses(n_models, 40, random_state=seed, missing_rate=missing)
    X = pd.DataFrame(panel.data).add_prefix("q")
    X.index = [f"m{i}" for i in range(n_models)]
    X.iloc[:4, :10] = np.nan  # a benchmark that four models were not given
    benchmark = np.repeat(["w", "x", "y", "z"], 10)
    category = np.where(benchmark < "y", "u", "v")
    items = pd.DataFrame({"benchmark": benchmark, "kind": category}, index=X.columns)
    return X, items


def test_every_response_is_held_out_once_and_never_seen():
    X, items = patchy_panel()
    seen = []

    def look(X, random_state):
        seen.append(~np.isnan(X))
        # What is seen is copied, so that a leak would show as a certain answer.
        return np.where(np.isnan(X), len(seen) / 100, X)

    scores = cross_val_responses(
        {"spy": Scripted(look)}, X, items=items, cv=5, baselines=False, random_state=3
    )
    observed = X.notna().to_numpy()
    assert len(seen) == 5
    held_out = [observed & ~mask for mask in seen]
    assert (sum(held_out) == observed).all()
    assert not any((mask & ~observed).any() for mask in seen)
    told = scores.predictions["spy"]
    for number, mask in enumerate(held_out):
        assert (scores.folds[mask] == number).all()
        assert (told.to_numpy()[mask] == (number + 1) / 100).all()
    assert (told.notna() == observed).all(axis=None)
    assert (told.index == X.index).all()
    assert (told.columns == X.columns).all()


def test_folds_are_even_over_models_and_benchmarks():
    benchmark = np.repeat(np.arange(4), [33, 1, 57, 2])
    for observed in (
        np.ones((30, 93), bool),
        np.random.default_rng(1).random((30, 93)) < 0.7,
    ):
        folds = draw_folds(
            observed,
            7,
            benchmark=benchmark,
            group_of_model=np.arange(30),
            rng=np.random.default_rng(0),
        )
        in_fold = folds[None] == np.arange(7)[:, None, None]
        assert np.ptp(in_fold.sum(axis=(1, 2))) <= 1
        assert np.ptp(in_fold.sum(axis=2), axis=0).max() <= 1
        for b in range(4):
            assert np.ptp(in_fold[:, :, benchmark == b].sum(axis=2), axis=0).max() <= 1
        # Drawn for each model apart: no two have nearly the same items held out.
        same = (folds[0] == folds[1]) & observed[0] & observed[1]
        assert same.sum() < 0.35 * (observed[0] & observed[1]).sum()


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_groups_are_held_out_whole_and_no_item_unseen_needlessly(data):
    n_models = data.draw(st.integers(2, 8))
    n_items = data.draw(st.integers(1, 12))
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    observed = rng.random((n_models, n_items)) < data.draw(st.floats(0.2, 1))
    groups = rng.integers(0, data.draw(st.integers(1, n_models)), n_models)
    groups = np.unique(groups, return_inverse=True)[1]
    cv = data.draw(st.integers(2, 6))
    blocks = pd.DataFrame(observed).groupby(groups).any().to_numpy()
    options = {
        "benchmark": np.unique(rng.integers(0, 3, n_items), return_inverse=True)[1],
        "group_of_model": groups,
        "rng": rng,
    }
    if blocks.sum() < cv:
        with pytest.raises(ValueError, match=f"cv={cv} folds cannot be filled"):
            draw_folds(observed, cv, **options)
        return
    folds = draw_folds(observed, cv, **options)
    assert ((folds >= 0) == observed).all()
    assert set(folds[observed]) == set(range(cv))
    for item in range(n_items):
        used = []
        for group in set(groups[observed[:, item]]):
            inside = folds[(groups == group) & observed[:, item], item]
            assert len(set(inside)) == 1
            used.append(inside[0])
        assert len(used) < 2 or len(set(used)) > 1


def test_siblings_cannot_give_an_answer_away():
    X = np.repeat((np.random.default_rng(0).random((10, 60)) < 0.5) * 1.0, 3, axis=0)

    def ask_siblings(X, _):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            told = np.nanmean(X.reshape(10, 3, -1), axis=1)
        return np.repeat(np.where(np.isnan(told), 0.5, told), 3, axis=0)

    options = {"baselines": False, "cv": 5, "random_state": 0}
    alone = cross_val_responses(Scripted(ask_siblings), X, **options)
    assert alone.summary().loc["Scripted", "mae"] < 0.03
    family = np.repeat(np.arange(10), 3)
    together = cross_val_responses(Scripted(ask_siblings), X, groups=family, **options)
    assert (together.predictions["Scripted"] == 0.5).all()
    assert (together.n_groups, together.n_models) == (10, 30)
    assert "10 groups of models kept together" in together.protocol


def test_scores_are_those_of_scikit_learn_on_the_pooled_predictions():
    X, items = patchy_panel(missing=0.3)
    X.iloc[:, 12] = X.iloc[:, 12].where(X.iloc[:, 12].isna(), 1)  # item means of 1
    scores = cross_val_responses(
        TwoPLEstimator(), X, items=items, category="kind", cv=4, random_state=0
    )
    assert scores.methods == (
        "TwoPLEstimator",
        *MEANS,
        "1-D IRT",
        "1-D IRT per category",
    )
    assert scores.baselines == scores.methods[1:]
    table = scores.to_frame().set_index(["method", "benchmark"])
    observed = X.notna().to_numpy()
    metrics = ["mae", "accuracy", "log_loss", "auc", "spearman"]
    for method, p in scores.predictions.items():
        for benchmark in ["w", "x", "y", "z", "micro"]:
            own = observed.copy()
            if benchmark != "micro":
                own &= (items["benchmark"] == benchmark).to_numpy()
            x, q = X.to_numpy()[own], p.to_numpy()[own]
            rho = []
            for fold in range(4):
                held_out = own & (scores.folds == fold)
                true = X.where(held_out).mean(axis=1).dropna()
                said = p.where(held_out).mean(axis=1).dropna().round(10)
                rho.append(spearmanr(true, said).statistic)
            row = table.loc[method, benchmark]
            expected = [
                mean_absolute_error(x, q),
                accuracy_score(x, q >= 0.5),
                log_loss(x, np.clip(q, 0.001, 0.999)),
                roc_auc_score(x, q),
                np.mean(rho),
            ]
            np.testing.assert_allclose(row[metrics].astype(float), expected, rtol=1e-9)
            assert row["n_cells"] == own.sum()
        macro = table.loc[method].loc[["w", "x", "y", "z"], metrics].mean()
        np.testing.assert_allclose(table.loc[method].loc["macro", metrics], macro)
    pd.testing.assert_frame_equal(
        scores.summary("micro"),
        table.xs("micro", level="benchmark").sort_values("log_loss"),
    )
    with pytest.raises(ValueError, match="'macro' or 'micro'"):
        scores.summary("mean")
    assert "96 responses" not in repr(scores)
    assert f"{observed.sum()} responses held out in 4 random folds" in repr(scores)


@pytest.mark.filterwarnings("ignore:1-D IRT")
def test_means_are_those_of_the_training_cells_and_fall_back_as_told():
    X, items = patchy_panel(n_models=9, missing=0.6)
    X.iloc[:, 35] = np.nan
    X.iloc[2, 35] = 1.0  # an item with one answer
    X.iloc[5] = np.nan
    X.iloc[5, 20] = 0.0  # a model with one
    X.iloc[7] = np.nan  # and one with none
    with pytest.warns(
        UserWarning, match=r"\d of \d+ responses \(the first is to item q"
    ):
        scores = cross_val_responses(
            constant(0.4), X, items=items, category="kind", cv=3, random_state=1
        )
    values, codes = X.to_numpy(), items.to_numpy()
    fallbacks = dict.fromkeys(scores.methods, 0)
    for i, j in np.argwhere(~np.isnan(values)):
        train = np.where(scores.folds == scores.folds[i, j], np.nan, values)
        own, same = train[i], (codes == codes[j]).T  # by benchmark, by category
        by_model = [own[same[0]], own[same[1]], own, train]
        by_item = [train[:, j], train[:, same[0]], train]
        expected = {
            "model mean": by_model[2:],
            "model x category mean": by_model[1:],
            "model x benchmark mean": by_model,
            "item mean": by_item,
        }
        for method, candidates in expected.items():
            known = [c[~np.isnan(c)] for c in candidates]
            mean = next(c.mean() for c in known if c.size)
            assert scores.predictions[method].iloc[i, j] == pytest.approx(mean)
            fallbacks[method] += known[0].size == 0
        odds = [_odds_with_one_more(c, train) for c in (own, train[:, j])]
        odds = np.prod(odds) / _odds_with_one_more(np.array([]), train)
        additive = scores.predictions["model + item mean"].iloc[i, j]
        assert additive == pytest.approx(odds / (1 + odds))
        unseen = np.isnan(train[i]).all() or np.isnan(train[:, j]).all()
        for method in ("Scripted", "model + item mean", "1-D IRT"):
            fallbacks[method] += unseen
        fallbacks["1-D IRT per category"] += np.isnan(own[same[1]]).all() or unseen
    table = scores.to_frame().query("benchmark == 'micro'").set_index("method")
    assert table["n_fallback"].to_dict() == fallbacks
    assert fallbacks["model x benchmark mean"] > fallbacks["model mean"] == 1
    assert scores.predictions["1-D IRT"].iloc[7].isna().all()


def _odds_with_one_more(values, everything):
    """Return the odds of a mean that counts one more answer, of the average kind."""
    right, count = np.nansum(everything), (~np.isnan(everything)).sum()
    average = (right + 0.5) / (count + 1)
    p = (np.nansum(values) + average) / ((~np.isnan(values)).sum() + 1)
    return p / (1 - p)


def test_one_bank_for_each_category_is_fitted_on_its_own_items():
    X, items = patchy_panel(missing=0)
    X.iloc[1:, 30:] = np.nan  # the last benchmark was given to one model
    with pytest.warns(UserWarning, match="leave no other to their item"):
        scores = cross_val_responses(
            constant(0.5), X, items=items, cv=3, random_state=0
        )
    told = scores.predictions["1-D IRT per benchmark"].to_numpy()
    masked = X.mask(scores.folds == 1)
    own = (items["benchmark"] == "w").to_numpy()
    answered = masked.loc[:, own].notna().any(axis=1).to_numpy()
    assert (~answered).sum() == 4
    part = masked.loc[answered, own]
    bank = TwoPLEstimator().fit(part)
    p = bank.inverse_transform(bank.transform(part))
    held_out = (scores.folds == 1)[answered][:, own]
    np.testing.assert_allclose(told[answered][:, own][held_out], p[held_out])
    last = masked.iloc[0, 30:].mean()
    np.testing.assert_allclose(told[0, 30:][scores.folds[0, 30:] == 1], last)
    frame = scores.to_frame().set_index(["method", "benchmark"])["n_fallback"]
    assert frame["1-D IRT per benchmark", "z"] == 10
    assert frame["1-D IRT per benchmark", "micro"] == 10


def test_two_parameters_come_near_the_truth_and_beat_every_mean():
    panel = make_responses(200, 200, random_state=1, return_probabilities=True)
    truth = Scripted(lambda X, _: panel.probability)
    scores = cross_val_responses(
        {"2PL": TwoPLEstimator(), "truth": truth}, panel.data, cv=5, random_state=0
    )
    losses = scores.summary()["log_loss"]
    # Half a nat a parameter: what estimating them must cost, per training response.
    cost = (2 * 200 + 200) / 2 / (0.8 * 200 * 200)
    assert 0.7 * cost < losses["2PL"] - losses["truth"] < 1.3 * cost
    assert losses["1-D IRT"] == losses["2PL"]
    assert scores.compare()["reference"].eq("1-D IRT").all()
    for name in ("model mean", "item mean", "model + item mean"):
        table = scores.compare(name).set_index(["method", "average", "metric"])
        assert table.loc[("2PL", "micro", "log_loss"), "high"] < 0
        assert table.loc[("2PL", "macro", "mae"), "high"] < 0


def test_two_abilities_are_told_from_one():
    rng = np.random.default_rng(0)
    theta = rng.normal(size=(100, 2))
    benchmark = np.repeat([0, 1], 60)
    z = rng.lognormal(0.2, 0.3, 120) * theta[:, benchmark] + rng.normal(size=120)
    X = (rng.random(z.shape) < expit(z)).astype(float)
    items = pd.DataFrame({"benchmark": benchmark})
    scores = cross_val_responses(TwoPLEstimator(), X, items=items, cv=5, random_state=0)
    table = scores.compare("TwoPLEstimator").set_index(["method", "average", "metric"])
    assert table.loc[("1-D IRT per benchmark", "macro", "log_loss"), "high"] < 0


def test_two_dimensions_beat_every_baseline_where_there_are_two():
    rng = np.random.default_rng(0)
    loadings = rng.lognormal(0.2, 0.4, (2, 120)) * (rng.random((2, 120)) < 0.7)
    z = rng.normal(size=(150, 2)) @ loadings + rng.normal(size=120)
    X = (rng.random(z.shape) < expit(z)).astype(float)
    items = pd.DataFrame({"benchmark": np.repeat(["w", "x", "y"], 40)})
    scores = cross_val_responses(MultidimIRT(2), X, items=items, cv=5, random_state=0)
    for name in scores.baselines:
        table = scores.compare(name).set_index(["method", "average", "metric"])
        assert table.loc[("MultidimIRT", "micro", "log_loss"), "high"] < 0


def test_models_that_do_not_differ_are_not_ranked():
    X = (np.random.default_rng(5).random((60, 300)) < 0.5) * 1.0
    scores = cross_val_responses(constant(0.5), X, random_state=0, cv=5)
    rho = scores.summary("micro")["spearman"]
    assert rho.abs().max() < 0.15
    # Pooled over the folds, the mean of the very same answers would predict itself.
    pooled = scores.predictions["model mean"].mean(axis=1)
    assert spearmanr(pooled, X.mean(axis=1)).statistic > 0.99


def test_comparison_resamples_models_in_their_groups():
    X = make_responses(50, 80, random_state=0).data
    methods = {"a": constant(0.7), "b": constant(0.3)}
    options = {"baselines": False, "cv": 2, "random_state": 0}
    alone = cross_val_responses(methods, X, **options)
    rows = alone.compare("b", n_bootstrap=4000).set_index(["average", "metric"])
    assert (rows["method"] == "a").all()
    row = rows.loc["micro", "log_loss"]
    # Each answer 1 gains log(.7 / .3), each 0 loses it: a mean of models' means.
    difference = np.log(0.7 / 0.3) * (1 - 2 * X.mean(axis=1))
    assert row["difference"] == pytest.approx(difference.mean())
    se = difference.std(ddof=1) / np.sqrt(50)
    assert row["se"] == pytest.approx(se, rel=0.05)
    assert row["high"] - row["difference"] == pytest.approx(2.01 * row["se"], rel=1e-3)
    assert rows.loc["macro", "log_loss"]["se"] == pytest.approx(row["se"])
    three = cross_val_responses(
        methods, np.repeat(X, 3, axis=0), groups=np.repeat(np.arange(50), 3), **options
    )
    again = three.compare("b", n_bootstrap=4000).set_index(["average", "metric"])
    pd.testing.assert_frame_equal(rows, again)
    with pytest.raises(ValueError, match="There are no baselines: name the reference"):
        alone.compare()
    with pytest.raises(ValueError, match="no method 'c': there are a, b"):
        alone.compare("c")
    with pytest.raises(ValueError, match="confidence"):
        alone.compare("b", confidence=95)


@pytest.mark.filterwarnings("ignore:0 of 10 items vary")
def test_undefined_scores_are_left_out_of_the_macro_mean_and_counted():
    X, items = patchy_panel(missing=0)
    X.iloc[:, 10:20] = 1.0  # a benchmark that everyone solves
    X.iloc[:, 20:30] = np.nan  # and one that nobody was given
    scores = cross_val_responses(constant(0.8), X, items=items, random_state=0)
    own = scores.to_frame().query("method == 'model mean'").set_index("benchmark")
    assert own.loc["x", ["auc", "spearman"]].isna().all()
    assert (own.loc["x", "auc_left_out"], own.loc["x", "spearman_left_out"]) == (1, 10)
    assert own.loc["y", "n_cells"] == 0
    assert own.loc["y", ["mae", "log_loss"]].isna().all()
    macro = own.loc["macro"]
    assert (macro["auc_left_out"], macro["spearman_left_out"]) == (2, 2)
    assert macro["auc"] == pytest.approx(own.loc[["w", "z"], "auc"].mean())
    assert macro["log_loss"] == pytest.approx(
        own.loc[["w", "x", "z"], "log_loss"].mean()
    )
    assert np.isfinite(scores.compare().select_dtypes("number")).all(axis=None)


def test_the_result_depends_on_the_seed_alone():
    X, items = patchy_panel()
    noisy = Scripted(_noise)
    methods = [TwoPLEstimator(), ("noise", noisy)]
    options = {"items": items, "cv": 3}
    first = cross_val_responses(methods, X, random_state=7, **options)
    shuffled = items.sample(frac=1, random_state=0)
    same = [
        cross_val_responses(methods, X, items=shuffled, cv=3, random_state=7, n_jobs=2),
        cross_val_responses(
            methods,
            X.to_numpy(),
            items=items.reset_index(drop=True),
            cv=3,
            random_state=7,
        ),
    ]
    # The table of shuffled rows has the benchmarks in the same order: that of X.
    for other in same:
        pd.testing.assert_frame_equal(first.to_frame(), other.to_frame())
        for name, p in first.predictions.items():
            np.testing.assert_array_equal(p, other.predictions[name])
    assert isinstance(same[1].predictions["noise"], np.ndarray)
    other = cross_val_responses(noisy, X, random_state=8, baselines=False, **options)
    assert (other.folds != first.folds).any()
    # Every fold draws anew.
    told = first.predictions["noise"].to_numpy()
    assert len({told[first.folds == fold][0] for fold in range(3)}) == 3


def _noise(X, random_state):
    return np.full(X.shape, np.random.default_rng(random_state).random())


def test_thresholds_are_applied_once():
    X = np.random.default_rng(0).integers(0, 4, (20, 30)).astype(float)
    options = {"cv": 3, "random_state": 0, "baselines": False}
    plain = cross_val_responses(TwoPLEstimator(), (X > 1.5) * 1.0, **options)
    for estimator, binarize in (
        (TwoPLEstimator(), 1.5),
        (TwoPLEstimator(binarize=1.5), None),
        (TwoPLEstimator(binarize=1.5), 1.5),
    ):
        scores = cross_val_responses(estimator, X, binarize=binarize, **options)
        pd.testing.assert_frame_equal(plain.to_frame(), scores.to_frame())
    with pytest.raises(ValueError, match="Row 0, item .* is [23]: a response is 0, 1"):
        cross_val_responses(TwoPLEstimator(), X, **options)
    two = [TwoPLEstimator(binarize=1.5), TwoPLEstimator(binarize=0.5)]
    with pytest.raises(ValueError, match=r"binarize at \[0.5, 1.5\].* pass binarize="):
        cross_val_responses(two, X, **options)


def test_fixed_banks_stay_as_they_are():
    panel = make_responses(30, 40, random_state=0)
    bank = TwoPLEstimator.from_item_parameters(
        discrimination=panel.discrimination, intercept=panel.intercept
    )
    scores = cross_val_responses(
        {"fixed": bank, "frozen": FrozenEstimator(bank)},
        panel.data,
        cv=3,
        random_state=0,
        baselines=False,
    )
    table = scores.summary()
    pd.testing.assert_series_equal(
        table.loc["fixed"], table.loc["frozen"], check_names=False
    )


def test_warnings_and_progress_are_told(capsys):
    class Warns(type(constant(0.5))):
        def fit(self, X, y=None):
            warnings.warn(f"Only {np.isnan(X).sum()} are missing.", stacklevel=2)
            return self

    X = make_responses(20, 30, random_state=0).data
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        cross_val_responses(
            {"one": Warns(constant(0.5).script)},
            X,
            cv=4,
            baselines=False,
            random_state=0,
            verbose=1,
        )
    (warning,) = caught
    assert str(warning.message).startswith("one, in 4 of 4 splits: Only 150")
    assert warning.filename == __file__
    out, err = capsys.readouterr()
    assert out == ""
    assert [line.split(":")[0] for line in err.splitlines()] == [
        f"[cross_val_responses] one, fold {fold} of 4" for fold in (1, 2, 3, 4)
    ]


def _without(items):
    return items.drop(index="q3")


def test_item_tables_name_their_rows_by_a_column_or_by_numbers_too():
    X, items = patchy_panel()

    def table(X, items):
        scores = cross_val_responses(
            Scripted(_noise), X, items=items, cv=3, random_state=0
        )
        return scores.to_frame()

    expected = table(X, items)
    shuffled = items.sample(frac=1, random_state=0)
    by_column = shuffled.rename_axis("item_id").reset_index()
    pd.testing.assert_frame_equal(table(X, by_column), expected)
    # Columns that are numbers, in whatever order, are what the index counts.
    order = np.argsort(np.arange(40) % 7, kind="stable")
    numbered = X.set_axis(range(40), axis=1).iloc[:, order]
    pd.testing.assert_frame_equal(
        table(numbered, items.reset_index(drop=True)),
        table(X.iloc[:, order], items),
    )


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (_without, "table lacks 'q3' of the 40 items of the responses. Add"),
        (
            lambda t: pd.concat([t, t.iloc[:1].rename({"q0": "q99"})]),
            "table has 'q99' that the responses lack",
        ),
        (lambda t: t.rename({"q3": "new"}), "lacks 'q3' .*no column has: 'new'"),
        (lambda t: pd.concat([t, t.loc[["q5"]]]), "'q5' is in rows 5 and 40 of"),
        (lambda t: t.iloc[1:].reset_index(drop=True), "39 rows and .* 40 items"),
        (
            lambda t: t.rename(columns={"benchmark": "set"}),
            "no column 'benchmark'; it has 'set', 'kind'",
        ),
        (
            lambda t: t.assign(benchmark=t["benchmark"].where(t.index != "q7")),
            "'q7' has no",
        ),
        (lambda t: t.replace({"benchmark": {"x": "micro"}}), "'micro', which is what"),
    ],
)
def test_item_tables_that_do_not_fit_are_refused(change, told):
    X, items = patchy_panel()
    with pytest.raises(ValueError, match=told):
        cross_val_responses(constant(0.5), X, items=change(items))


def test_bad_input_is_refused_with_the_way_out():
    X, items = patchy_panel()
    with pytest.raises(ValueError, match="39 rows and the responses 40 items: without"):
        cross_val_responses(constant(0.5), X.to_numpy(), items=_without(items))
    with pytest.raises(TypeError, match="items is of type list: pass a DataFrame"):
        cross_val_responses(constant(0.5), X, items=["w"] * 40)
    with pytest.raises(ValueError, match="category='kind' is a column of no table"):
        cross_val_responses(constant(0.5), X, category="kind")
    with pytest.raises(TypeError, match=r"is a class: .*TwoPLEstimator\(\)"):
        cross_val_responses({"a": TwoPLEstimator}, X)
    for estimator in (Ridge(), "2PL", None):
        with pytest.raises(
            TypeError, match="no .*: it needs fit, transform, inverse_transform"
        ):
            cross_val_responses(estimator, X)
    with pytest.raises(ValueError, match="no estimator"):
        cross_val_responses([], X)
    with pytest.raises(ValueError, match="'item mean' is the name of a baseline too"):
        cross_val_responses({"item mean": constant(0.5)}, X)
    with pytest.raises(ValueError, match="Two estimators are called '1'"):
        cross_val_responses({1: constant(0.5), "1": constant(0.4)}, X)
    with pytest.raises(ValueError, match="Two estimators are called 'a'"):
        cross_val_responses([("a", constant(0.5)), ("a", constant(0.4))], X)
    with pytest.raises(
        ValueError, match="cv=10 folds cannot be filled with 4 observed"
    ):
        cross_val_responses(constant(0.5), np.eye(2))
    with pytest.raises(
        ValueError, match="cv=10 folds cannot be filled with 0 observed"
    ):
        cross_val_responses(constant(0.5), np.full((3, 4), np.nan))
    with pytest.raises(ValueError, match="'cv' parameter"):
        cross_val_responses(constant(0.5), X, cv=1)
    with pytest.raises(ValueError, match="one group, 'llama'"):
        cross_val_responses(constant(0.5), X, groups=["llama"] * 24)
    for value in (np.nan, 1.5, -0.1):
        with pytest.raises(ValueError, match=f"is {value:g} for model m0, item q"):
            cross_val_responses(constant(value), X, baselines=False)
    short = Scripted(lambda X, _: X[:, 1:])
    with pytest.raises(ValueError, match=r"shape \(24, 39\) for X of shape") as error:
        cross_val_responses(short, X, baselines=False)
    assert "in cross_val_responses: Scripted, fold 1 of 10" in error.value.__notes__
    with pytest.raises(ValueError, match="NaN") as error:
        cross_val_responses(PCA(2), X, baselines=False)
