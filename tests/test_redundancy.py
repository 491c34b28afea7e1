"""Dependent items: planted copies, brute-force Q3, and silence where there is none."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from conftest import SHARED
from scipy.special import expit
from scipy.stats import norm
from sklearn.frozen import FrozenEstimator

from skirt import TwoPLEstimator
from skirt.audit import _dependent_pairs, _q3, item_redundancy
from skirt.audit._saddlepoint import product_tail


def panel(n_models, n_items, seed=0, spread=1.2):
    """Independent responses and the bank that made them."""
    rng = np.random.default_rng(seed)
    a, d = rng.lognormal(0, 0.4, n_items), rng.normal(0, spread, n_items)
    p = expit(np.outer(rng.normal(size=n_models), a) + d)
    X = (rng.random(p.shape) < p).astype(float)
    return X, TwoPLEstimator.from_item_parameters(discrimination=a, intercept=d)


def copied(bank, columns):
    """Return the bank of these columns of the items, which may come twice."""
    return TwoPLEstimator.from_item_parameters(
        discrimination=bank.discrimination_[columns], intercept=bank.intercept_[columns]
    )


@pytest.mark.parametrize("missing", [0.0, 0.25])
def test_q3_is_the_correlation_of_residuals(missing):
    X, bank = panel(60, 30)
    columns = np.r_[:30, 4, 7, 11]
    X, bank = X[:, columns], copied(bank, columns)
    rng = np.random.default_rng(1)
    X[rng.random(X.shape) < missing] = np.nan
    residual = X - bank.inverse_transform(bank.predict(X))
    q3 = pd.DataFrame(residual).corr().to_numpy()  # pairwise complete
    answered = ~np.isnan(X)
    search = item_redundancy(X, estimator=bank)
    every = item_redundancy(
        X, estimator=bank, item_groups=np.zeros(33), alpha=0.999, min_q3=0
    )
    assert len(every.pairs) > 400
    for found in (search, every):
        for pair in found.pairs.itertuples():
            j, k = int(pair.item_1[4:]), int(pair.item_2[4:])
            assert pair.q3 == pytest.approx(q3[j, k], abs=1e-9)
            both = answered[:, j] & answered[:, k]
            assert pair.n_models == both.sum()
            equal = X[both, j] == X[both, k]
            assert pair.agreement == pytest.approx(equal.mean())
    copies = [("item4", "item30"), ("item7", "item31"), ("item11", "item32")]
    found = sorted(zip(search.pairs["item_1"], search.pairs["item_2"], strict=True))
    assert set(copies) <= set(found)
    assert len(found) <= 4
    above = q3[np.triu_indices(33, 1)]
    assert search.mean_q3 == pytest.approx(above.mean(), abs=1e-9 + 0.01 * missing)


def exact_tail(p, q, total):
    """Two-sided by doubling: enumerate all outcomes of all products."""
    sums, chances = np.zeros(1), np.ones(1)
    for a, b in zip(p, q, strict=True):
        values = [(x - a) * (y - b) for x, y in product((0, 1), (0, 1))]
        weights = [
            (a if x else 1 - a) * (b if y else 1 - b)
            for x, y in product((0, 1), (0, 1))
        ]
        sums = np.add.outer(sums, values).ravel()
        chances = np.multiply.outer(chances, weights).ravel()
    order = np.argsort(sums)
    upper = np.cumsum(chances[order][::-1])[::-1]
    return upper[np.searchsorted(sums[order], total - 1e-12)]


def test_tails_of_products_are_those_of_enumeration():
    rng = np.random.default_rng(0)
    for _ in range(6):
        p, q = expit(rng.normal(-0.5, 1, size=(2, 8)))
        sd = np.sqrt((p * (1 - p) * q * (1 - q)).sum())
        for far in (1.0, 2.0, 3.0):
            exact = exact_tail(p, q, far * sd)
            tail = norm.sf(product_tail(p[:, None], q[:, None], np.array([far * sd])))
            assert np.log(tail[0] / exact) == pytest.approx(0, abs=0.5)
    # Two rare answers that coincide: 10 standard errors, and yet 1 in 190.
    p = np.full(8, 0.0323)
    total = (1 - p[0]) ** 2 + 7 * p[0] ** 2
    z = total / np.sqrt(8 * (p[0] * (1 - p[0])) ** 2)
    assert 9 < z < 11
    exact = exact_tail(p, p, total)
    tail = norm.sf(product_tail(p[:, None], p[:, None], np.array([total])))[0]
    assert 0.2 * exact < tail < 5 * exact
    assert norm.sf(z) < 1e-10 * exact


@pytest.mark.parametrize(("n_models", "spread"), [(25, 1.2), (100, 3.0)])
def test_independent_items_are_not_reported(n_models, spread):
    for seed in range(3):
        X, _ = panel(n_models, 400, seed, spread)
        found = item_redundancy(X, estimator=TwoPLEstimator(), min_q3=0)
        assert len(found.pairs) == 0
        assert found.effective_n_items_ == found.n_varying
        assert found.mean_q3 == pytest.approx(-1 / found.n_varying, abs=2e-3)
        assert found.n_varying == (X.std(axis=0) > 0).sum()


@pytest.mark.parametrize("times", [2, 3])
def test_copies_count_once(times):
    X, _ = panel(120, 150)
    found = item_redundancy(np.tile(X, times), estimator=TwoPLEstimator())
    assert found.n_varying == 150 * times
    assert found.effective_n_items_ == pytest.approx(150, rel=0.03)
    assert (found.clusters["n_items"] == times).mean() > 0.97
    assert found.clusters["effective_n_items"].median() == pytest.approx(1)
    kinds = found.pairs["kind"].value_counts()
    assert kinds["identical"] > 0.97 * 150 * times * (times - 1) / 2
    labels = found.items["cluster"].to_numpy(float, na_value=np.nan)
    assert (labels[:150] == labels[150:300]).mean() > 0.97


def test_testlet_is_found_and_told_from_near_duplicates():
    X, bank = panel(300, 100, seed=2)
    rng = np.random.default_rng(5)
    theta = bank.predict(X)
    common = rng.normal(size=300)  # what the items of one text share
    eta = np.multiply.outer(theta, np.full(6, 1.0)) + 2.5 * common[:, None]
    text = (rng.random((300, 6)) < expit(eta)).astype(float)
    flipped = np.where(rng.random(300) < 0.03, 1 - X[:, 10], X[:, 10])
    table = pd.DataFrame(np.column_stack([X, text, flipped])).add_prefix("q")
    table["q107"] = 1.0
    found = item_redundancy(table, estimator=TwoPLEstimator())
    assert found.clusters["n_items"].iloc[0] == 6
    assert set(found.items.query("cluster == 0").index) == {
        f"q{j}" for j in range(100, 106)
    }
    assert found.clusters["density"].iloc[0] == 1
    q = found.clusters["mean_q3"].iloc[0]
    assert found.clusters["effective_n_items"].iloc[0] == pytest.approx(6 / (1 + 5 * q))
    near = found.pairs.query("kind == 'near-duplicate'").iloc[0]
    assert (near["item_1"], near["item_2"]) == ("q10", "q106")
    assert near["agreement"] > 0.95 > near["expected_agreement"]
    assert not found.items.loc["q107", "varies"]
    assert (found.n_items, found.n_varying) == (108, 107)
    assert "1 near-duplicate" in repr(found)


def test_known_relations_are_found_where_a_search_is_not_able_to():
    X, _ = panel(20, 300, seed=4, spread=0.8)
    rng = np.random.default_rng(0)
    other = np.where(rng.random((20, 40)) < 0.07, 1 - X[:, :40], X[:, :40])
    table = pd.DataFrame(np.hstack([X, other])).add_prefix("q")
    same = pd.Series([*range(40), *[None] * 260, *range(40)], index=table.columns)
    blind = item_redundancy(table, estimator=TwoPLEstimator())
    told = item_redundancy(
        table, estimator=TwoPLEstimator(), item_groups=same.sample(frac=1)
    )
    assert len(blind.pairs) < 15
    assert "apart, 40 related ones" in told.protocol
    assert told.pairs["related"].sum() > 25
    pairs = told.pairs.query("related")
    assert (same[pairs["item_1"]].array == same[pairs["item_2"]].array).all()
    assert told.effective_n_items_ < blind.effective_n_items_


def test_families_count_as_one_model():
    X, bank = panel(40, 60, seed=1)
    X = np.hstack([X, X[:, :5]])
    bank = copied(bank, np.r_[:60, :5])
    once = item_redundancy(X, estimator=bank)
    copies = np.repeat(X, 4, axis=0)
    families = np.repeat(np.arange(40), 4)
    grouped = item_redundancy(copies, estimator=bank, groups=families)
    pd.testing.assert_frame_equal(
        grouped.pairs.drop(columns="n_models"), once.pairs.drop(columns="n_models")
    )
    assert grouped.effective_n_items_ == once.effective_n_items_
    assert "40 families" in grouped.protocol
    alone = item_redundancy(copies, estimator=bank)
    assert len(alone.pairs) > len(once.pairs) + 20  # what counting copies does


def test_blocks_and_threads_change_nothing(monkeypatch):
    X, _ = panel(80, 200, seed=6)
    X = np.hstack([X, X[:, ::4]])
    rng = np.random.default_rng(0)
    X[rng.random(X.shape) < 0.05] = np.nan
    bank = FrozenEstimator(TwoPLEstimator().fit(X))
    whole = item_redundancy(X, estimator=bank)
    assert len(whole.pairs) >= 45
    monkeypatch.setattr(_dependent_pairs, "_BLOCK", 37)
    monkeypatch.setattr(_q3, "_PAIRS_AT_A_TIME", 3)
    parts = item_redundancy(X, estimator=bank, n_jobs=2)
    pd.testing.assert_frame_equal(parts.pairs, whole.pairs)
    pd.testing.assert_frame_equal(parts.clusters, whole.clusters)
    with pytest.warns(UserWarning, match="10 least due to chance are kept"):
        few = item_redundancy(X, estimator=bank, max_pairs=10)
    assert len(few.pairs) == 10
    assert few.pairs["p_value"].max() <= np.sort(whole.pairs["p_value"])[9]


def test_the_panel_says_how_little_it_knows():
    X, _ = panel(8, 60, seed=3)
    prior = TwoPLEstimator(discrimination_prior=(0, 0.5), intercept_prior=(0, 2))
    found = item_redundancy(np.tile(X, 2), estimator=prior)
    assert (found.n_testable, found.detectable_q3) == (0, 1)
    assert len(found.pairs) == 0
    assert found.clusters.empty
    assert found.items["cluster"].isna().all()
    with pytest.raises(ValueError, match="no row for item 'item10'"):
        item_redundancy(
            pd.DataFrame(X).add_prefix("item"),
            estimator=prior,
            item_groups=pd.Series(0, index=[f"item{j}" for j in range(60) if j != 10]),
        )
    with pytest.raises(ValueError, match="is 2"):
        item_redundancy(np.where(X == 1, 2, X), estimator=prior)


@pytest.mark.skipif(not (SHARED / "data").exists(), reason="no real response matrices")
def test_same_problems_with_other_tests_are_dependent():
    X = pd.read_csv(SHARED / "data" / "multibench_small_models.csv.gz", index_col=0)
    X = X.loc[:, X.columns.str.startswith("human_eval")].dropna(how="all")
    benchmark = X.columns.str.split("::").str[0]
    problem = pd.Series(X.columns.str.split("::").str[1], index=X.columns)
    found = item_redundancy(X, estimator=TwoPLEstimator(), item_groups=problem)
    assert set(benchmark) == {"human_eval", "human_eval_plus"}
    assert found.pairs["related"].sum() > 100
    assert found.pairs.query("related")["q3"].median() > 0.5
    assert (~found.pairs["related"]).sum() < 20
