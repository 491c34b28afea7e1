"""Comparing models: planted differences, brute force, and levels without any."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from scipy.special import expit
from scipy.stats import binomtest, chi2, permutation_test, ttest_ind, ttest_rel
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator

from skirt import MultidimIRT, OnePLEstimator, TwoPLEstimator
from skirt.audit import compare_models
from skirt.audit._benchmark_tests import holm
from skirt.audit._contrasts import contrast_over_units
from skirt.audit._item_groups import item_families
from skirt.audit._panel_bank import read_responses
from skirt.audit._permutation_tests import sign_flip_p


def panel(n_models, n_items, seed=0, spread=0.4, gap=0.0):
    """One-dimensional responses; `gap` is added to the first half of the models."""
    rng = np.random.default_rng(seed)
    theta = rng.normal(size=n_models)
    theta[: n_models // 2] += gap
    a = rng.lognormal(0, spread, n_items)
    d = -a * rng.normal(0, 1.2, n_items)
    return rng, theta, a, d


def answers(rng, eta):
    return (rng.random(eta.shape) < expit(eta)).astype(float)


def two_dimensional(n_models=60, n_items=400, seed=3):
    rng = np.random.default_rng(seed)
    slopes = np.where(np.arange(n_items)[:, None] % 2, [1.5, 0.1], [0.1, 1.5])
    slopes = slopes * rng.lognormal(0, 0.3, (n_items, 1))
    d = rng.normal(0, 1, n_items)
    return rng, rng.normal(size=(n_models, 2)), slopes, d


def test_variant_that_lost_one_ability():
    rng, theta, slopes, d = two_dimensional()
    theta[0], theta[1] = [1.2, 0.5], [-1.2, 0.5]
    X = pd.DataFrame(answers(rng, theta @ slopes.T + d)).rename(index="m{}".format)
    X.iloc[0, :7] = np.nan
    X.iloc[1, 5:11] = np.nan
    bank = MultidimIRT.from_item_parameters(discrimination=slopes, intercept=d)
    found = compare_models(X, "m0", "m1", estimator=bank, share=0.2, n_quantiles=4)
    assert found.unit == "items"
    assert found.a == ("m0",)
    assert found.item_differences is None
    common = X.iloc[:2].notna().all().to_numpy()
    for k in (0, 1):
        order = np.flatnonzero(common)
        order = order[np.argsort(slopes[order, k])]
        size = round(0.2 * order.size)
        for end, items in (("most", order[-size:]), ("least", order[:size])):
            row = found.ends.query("dimension == @k and end == @end").iloc[0]
            x, y = X.to_numpy()[:2, items]
            b, c = int((x > y).sum()), int((x < y).sum())
            assert row["n_items"] == size
            assert row["mean_discrimination"] == pytest.approx(slopes[items, k].mean())
            assert row["difference"] == pytest.approx(x.mean() - y.mean())
            assert row["p_value"] == pytest.approx(binomtest(b, b + c, 0.5).pvalue)
            # Agresti & Min (2005), as they write it
            n = size + 2
            middle = (b - c) / n
            half = 1.959964 * np.sqrt((b + c + 1) - (b - c) ** 2 / n) / n
            assert row["low"] == pytest.approx(middle - half)
            assert row["high"] == pytest.approx(middle + half)
            unit = np.sqrt((x.var() + y.var()) / 2)
            assert row["cohen_d"] == pytest.approx((x.mean() - y.mean()) / unit)
            assert (found.items[f"end{k}"].to_numpy()[items] == end).all()
    p = found.ends.set_index(["dimension", "end"])["p_adjusted"]
    assert p[0, "most"] < 1e-4
    assert p[1, "least"] < 1e-4  # the same items, seen from the other dimension
    assert p[0, "least"] > 0.05
    assert p[1, "most"] > 0.05
    curve = found.curve.query("dimension == 0")
    assert curve["n_items"].sum() == common.sum()
    assert curve["difference"].iloc[-1] > 0.4 > 0.2 > curve["difference"].iloc[0]
    assert (found.abilities["z"].abs() > 4).tolist() == [True, False]
    only = compare_models(X, "m0", "m1", estimator=bank, dimension=1, share=0.2)
    assert only.ends["dimension"].unique().tolist() == [1]
    assert only.protocol == "MultidimIRT as given; items are the sample"
    assert "most" in repr(only)
    calibrated = compare_models(X, "m0", "m1")
    assert "MultidimIRT calibrated on the 58 other models" in calibrated.protocol
    found = calibrated.ends.set_index(["dimension", "end"])["difference"]
    lost = 0 if found[0, "most"] > found[1, "most"] else 1
    assert found[lost, "most"] > 0.5
    assert found[1 - lost, "most"] < found[lost, "most"] - 0.3


def test_items_are_chosen_by_the_other_models():
    rng, theta, a, d = panel(30, 120)
    X = answers(rng, np.outer(theta, a) + d)
    ends = compare_models(X, 3, 7, estimator=TwoPLEstimator()).items["end0"]
    Y = X.copy()
    Y[3], Y[7] = 1 - X[3], 0
    again = compare_models(Y, 3, 7, estimator=TwoPLEstimator())
    pd.testing.assert_series_equal(again.items["end0"], ends)
    assert "28 other models" in again.protocol
    few = compare_models(X[:15], 3, 7, estimator=TwoPLEstimator())
    assert "all 15 models, those compared too" in few.protocol


def test_delta_method_interval_of_d():
    rng = np.random.default_rng(0)
    p = expit(rng.normal(size=4000))
    x, y = rng.random((2, 4000)) < p
    X = np.vstack([x, y]).astype(float)
    slopes = rng.uniform(1, 2, 4000)
    bank = TwoPLEstimator.from_item_parameters(
        discrimination=slopes, intercept=np.zeros(4000)
    )
    row = compare_models(X, 0, 1, estimator=bank, share=0.5, n_quantiles=1).curve
    drawn = X[:, rng.integers(0, 4000, (2000, 4000))]
    means = drawn.mean(axis=2)
    unit = np.sqrt((means * (1 - means)).mean(axis=0))
    low, high = np.quantile((means[0] - means[1]) / unit, [0.025, 0.975])
    assert row["d_low"].iloc[0] == pytest.approx(low, abs=0.004)
    assert row["d_high"].iloc[0] == pytest.approx(high, abs=0.004)


@pytest.mark.parametrize("seed", range(8))
def test_sign_test_of_groups_of_items_is_exact(seed):
    sums = np.random.default_rng(seed).integers(-4, 5, size=9)
    totals = [abs(np.dot(signs, sums)) for signs in product((1, -1), repeat=9)]
    expected = np.mean(np.array(totals) >= abs(sums.sum()))
    assert sign_flip_p(sums) == pytest.approx(expected, abs=1e-12)


def test_item_groups_count_once():
    rng, theta, a, d = panel(40, 100)
    X = answers(rng, np.outer(theta, a) + d)
    bank = TwoPLEstimator.from_item_parameters(discrimination=a, intercept=d)
    once = compare_models(X, 0, 1, estimator=bank, share=0.5, n_quantiles=1)
    twice = compare_models(
        np.hstack([X, X]),
        0,
        1,
        estimator=TwoPLEstimator.from_item_parameters(
            discrimination=np.tile(a, 2), intercept=np.tile(d, 2)
        ),
        share=0.5,
        n_quantiles=1,
        item_groups=np.tile(np.arange(100), 2),
    )
    missing = pd.array([*range(100), *[None] * 100], dtype="Int64")
    assert item_families(missing, read_responses(np.hstack([X, X]), bank)).tolist() == [
        *range(200)
    ]
    for column in ("difference", "cohen_d", "p_value", "d_low"):
        np.testing.assert_allclose(twice.ends[column], once.ends[column], atol=1e-9)


def bank_and_groups(n_models=14, n_items=80, missing=0.0):
    rng, theta, a, d = panel(n_models, n_items, seed=5, gap=0.8)
    X = answers(rng, np.outer(theta, a) + d)
    X[rng.random(X.shape) < missing] = np.nan
    bank = TwoPLEstimator.from_item_parameters(discrimination=a, intercept=d)
    return X, bank, a


def test_groups_of_models_are_tested_over_models():
    X, bank, a = bank_and_groups(missing=0.1)
    found = compare_models(X, range_list(0, 7), range_list(7, 14), estimator=bank)
    ability = bank.predict(X)
    filled = np.where(np.isnan(X), bank.inverse_transform(ability), X)
    items = np.argsort(a)[-8:]
    x, y = filled[:7, items].mean(axis=1), filled[7:, items].mean(axis=1)
    row = found.ends.iloc[0]
    assert (row["end"], row["test"]) == ("most", "permutation test")
    assert row["mean_a"] == pytest.approx(x.mean())
    assert row["observed"] == pytest.approx((~np.isnan(X[:, items])).mean())
    welch = ttest_ind(x, y, equal_var=False)
    low, high = welch.confidence_interval()
    assert (row["low"], row["high"]) == pytest.approx((low, high))
    exact = permutation_test(
        (x, y),
        lambda x, y, axis: abs(ttest_ind(x, y, axis=axis, equal_var=False).statistic),
        alternative="greater",
        vectorized=True,
        n_resamples=np.inf,
    )
    assert row["p_value"] == pytest.approx(exact.pvalue, abs=1e-12)
    five = compare_models(X, range_list(0, 5), range_list(7, 12), estimator=bank)
    welch = ttest_ind(ability[:5], ability[7:12], equal_var=False)
    assert five.abilities["p_value"][0] == pytest.approx(welch.pvalue)
    assert five.abilities["z"][0] == pytest.approx(welch.statistic)
    one = compare_models(X, 0, range_list(7, 14), estimator=bank)
    # Crawford & Howell (1998)
    t = (ability[0] - ability[7:].mean()) / (ability[7:].std(ddof=1) * (8 / 7) ** 0.5)
    assert one.abilities["z"][0] == pytest.approx(t)


def range_list(start, stop):
    return list(range(start, stop))


def test_families_are_units_and_pair_where_both_sides_have_them():
    X, bank, _ = bank_and_groups()
    ability = bank.predict(X)
    families = np.repeat(range_list(0, 7), 2)
    found = compare_models(
        X, range_list(0, 6), range_list(6, 14), estimator=bank, groups=families
    )
    pairs = ability.reshape(7, 2).mean(axis=1)
    welch = ttest_ind(pairs[:3], pairs[3:], equal_var=False)
    assert found.unit == "models"
    assert found.abilities["p_value"][0] == pytest.approx(welch.pvalue)
    paired = compare_models(
        X, range_list(0, 7), range_list(7, 14), estimator=bank, groups=np.arange(14) % 7
    )
    assert paired.unit == "pairs"
    expected = ttest_rel(ability[:7], ability[7:])
    assert paired.abilities["p_value"][0] == pytest.approx(expected.pvalue)
    trials = compare_models(
        X, range_list(0, 2), range_list(2, 4), estimator=bank, groups=families
    )
    assert trials.unit == "items"
    assert trials.ends["test"].unique().tolist() == ["paired t test over items"]
    with pytest.raises(ValueError, match="on one side only"):
        compare_models(X, [0, 2], [1, 4], estimator=bank, groups=families)


def test_levels_of_tests_over_models():
    rng = np.random.RandomState(0)
    for n, m, paired in ((4, 12, False), (8, 8, False), (7, 7, True), (1, 15, False)):
        x = rng.exponential(size=(n, 400))
        y = rng.exponential(size=(m, 400))
        p = contrast_over_units(x, y, paired, 0.95, rng)["p_value"]
        assert np.mean(p <= 0.05) < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 400) + 0.01


def test_constant_groups_have_answers():
    rng = np.random.RandomState(0)
    ones, zeros = np.ones((4, 1)), np.zeros((4, 1))
    apart = contrast_over_units(ones, zeros, False, 0.95, rng)
    assert apart["p_value"][0] == pytest.approx(2 / 70)
    alike = contrast_over_units(ones, ones, False, 0.95, rng)
    assert alike["p_value"][0] == 1
    assert holm([0.01, 0.04, 0.03]).tolist() == pytest.approx([0.03, 0.06, 0.06])


def planted(n_side, n_items, share, size, seed, gap=0.5):
    rng, theta, a, d = panel(2 * n_side, n_items, seed=seed, gap=gap)
    differs = rng.random(n_items) < share
    side = np.where(np.arange(2 * n_side) < n_side, size / 2, -size / 2)
    X = answers(rng, np.outer(theta, a) + d + np.outer(side, differs))
    found = compare_models(
        X,
        range_list(0, n_side),
        range_list(n_side, 2 * n_side),
        estimator=TwoPLEstimator(discrimination_prior=(0, 0.5)),
        random_state=0,
    )
    return found.item_differences, differs


@pytest.mark.parametrize("n_side", [6, 30])
@pytest.mark.parametrize("seed", range(3))
def test_no_item_differs_where_none_was_planted(n_side, seed):
    table, _ = planted(n_side, 400, 0, 0, seed, gap=0.8)
    assert table["flagged"].sum() == 0
    assert table["slope_flagged"].sum() == 0
    assert (table["p_value"] < 0.05).mean() < 0.08


def test_planted_item_differences_are_found():
    flags, false, power = 0, 0, []
    for seed in range(3):
        table, differs = planted(40, 400, 0.15, 2.0, seed)
        flagged = table["flagged"].to_numpy()
        flags, false = flags + flagged.sum(), false + (flagged & ~differs).sum()
        power.append(flagged[differs].mean())
        # All favour the same side: without purification the other items, whose
        # shift is none, would be shifted by -.2 to -.3.
        assert table["shift"][~differs].median() == pytest.approx(0, abs=0.08)
        assert table["shift"][differs].median() == pytest.approx(2, abs=0.3)
        assert table["delta"][flagged & differs].min() > 1.5
        assert not table["anchor"][flagged].any()
        assert set(table["ets_class"][~flagged]) <= {"A", ""}
    assert false <= 0.1 * flags
    assert np.mean(power) > 0.6


def penalised(beta, design, x):
    """Minus Firth's log-likelihood, written down from its definition."""
    eta = design @ beta
    p = expit(eta)
    information = design.T @ ((p * (1 - p))[:, None] * design)
    likelihood = x @ eta - np.logaddexp(0, eta).sum()
    return -likelihood - 0.5 * np.linalg.slogdet(information)[1]


def test_item_test_is_the_penalised_likelihood_ratio():
    X, bank, a = bank_and_groups(n_models=24, n_items=60)
    X[:12, 0], X[12:, 0] = 1, np.arange(12) % 2  # one side answers alike
    found = compare_models(X, range_list(0, 12), range_list(12, 24), estimator=bank)
    table = found.item_differences
    side = np.where(np.arange(24) < 12, 0.5, -0.5)
    aside = table["tested"] & ~table["anchor"]
    theta = bank.predict(np.where(aside, np.nan, X))
    for j in (0, 5):
        row = table.iloc[j]

        def fit(offset, used, free, x=X[:, j]):
            """Maximise over the first coefficients, the penalty being that of all."""
            ability = theta + side * offset
            design = np.column_stack([np.ones(24), ability, side, side * ability])

            def loss(part):
                beta = np.r_[part, np.zeros(used - free)]
                return penalised(beta, design[:, :used], x)

            return minimize(loss, np.zeros(free), tol=1e-10)

        # The offset that aligns the groups is found from the reported shifts.
        offset = _offset(fit, row["shift"])
        ratio = 2 * (fit(offset, 3, 2).fun - fit(offset, 3, 3).fun)
        assert row["p_value"] == pytest.approx(chi2.sf(ratio, 1), abs=2e-4)
        ratio = 2 * (fit(offset, 4, 3).fun - fit(offset, 4, 4).fun)
        assert row["p_slope"] == pytest.approx(chi2.sf(ratio, 1), abs=2e-4)


def _offset(fit, shift):
    low, high = -2.0, 2.0  # the shift falls as the first group gets abler
    for _ in range(20):
        middle = (low + high) / 2
        low, high = (middle, high) if fit(middle, 3, 3).x[2] > shift else (low, middle)
    return middle


def test_copies_of_a_model_do_not_make_differences_surer():
    X, bank, _ = bank_and_groups(n_models=24, n_items=60)
    once = compare_models(
        X, range_list(0, 12), range_list(12, 24), estimator=bank, random_state=0
    )
    thrice = compare_models(
        np.repeat(X, 3, axis=0),
        range_list(0, 36),
        range_list(36, 72),
        estimator=bank,
        groups=np.repeat(np.arange(24), 3),
        random_state=0,
        n_jobs=2,
    )
    for column in ("shift", "shift_se", "p_value", "p_slope"):
        np.testing.assert_allclose(
            thrice.item_differences[column], once.item_differences[column], atol=1e-5
        )
    np.testing.assert_allclose(thrice.ends["p_value"], once.ends["p_value"], atol=1e-9)


def test_fixed_banks_stay_and_fitted_ones_are_refitted_with_a_warning():
    X, bank, a = bank_and_groups(n_models=30)
    named = pd.DataFrame(X).add_prefix("q")
    other = TwoPLEstimator().fit(named.iloc[::2])
    frozen = compare_models(named, 0, 1, estimator=FrozenEstimator(other))
    np.testing.assert_array_equal(
        frozen.items["discrimination0"], other.discrimination_
    )
    assert frozen.protocol.startswith("TwoPLEstimator as given")
    some = named.columns[60:5:-1]
    part = compare_models(named[some], 0, 1, estimator=FrozenEstimator(other))
    expected = pd.Series(other.discrimination_, named.columns)[some]
    assert part.items["discrimination0"].tolist() == expected.tolist()
    with pytest.raises(ValueError, match="has no item 'x0'"):
        compare_models(
            named.rename(columns={"q0": "x0"}), 0, 1, estimator=FrozenEstimator(other)
        )
    with pytest.raises(NotFittedError, match="TwoPLEstimator"):
        compare_models(X, 0, 1, estimator=FrozenEstimator(TwoPLEstimator()))
    with pytest.raises(ValueError, match="80 items, but X has 79"):
        compare_models(X[:, 1:], 0, 1, estimator=FrozenEstimator(other))
    with pytest.warns(UserWarning, match="calibrated anew"):
        refitted = compare_models(named, 0, 1, estimator=other)
    assert not np.allclose(refitted.items["discrimination0"], other.discrimination_)
    reverse = compare_models(1 + X, 0, 1, estimator=TwoPLEstimator(binarize=1.5))
    plain = compare_models(X, 0, 1, estimator=TwoPLEstimator())
    pd.testing.assert_frame_equal(reverse.ends, plain.ends)
    by_mask = np.arange(30) == 0
    masked = compare_models(named, by_mask, "1", estimator=TwoPLEstimator())
    assert masked.a == ("0",)


def test_bad_input_is_named():
    X, bank, _ = bank_and_groups()
    silent = X.copy()
    silent[3] = np.nan
    named = pd.DataFrame(X, index=list("abcdefghijklmn"))
    for arguments, message in (
        ((X, 0, 0), "is in a and in b"),
        ((X, 0, 14), "b has row 14"),
        ((X, 0, "zebra"), "no model 'zebra'"),
        ((X, [], 1), "a holds no model"),
        ((X, [2, 2], 1), "'model2' twice"),
        ((silent, 0, 3), "'model3' answered no item"),
        ((X, np.zeros(14, dtype=bool), 1), "takes no row"),
        ((named.rename(index={"b": "a"}), "a", "c"), "2 models called 'a'"),
    ):
        with pytest.raises(ValueError, match=message):
            compare_models(*arguments, estimator=bank)
    with pytest.raises(ValueError, match="dimension is 1"):
        compare_models(X, 0, 1, estimator=bank, dimension=1)
    with pytest.raises(ValueError, match="too few for n_quantiles=81"):
        compare_models(X, 0, 1, estimator=bank, n_quantiles=81)
    with pytest.raises(ValueError, match="none measures it more"):
        compare_models(X, 0, 1, estimator=OnePLEstimator())
    with pytest.raises(ValueError, match="one for each"):
        compare_models(X, 0, 1, estimator=bank, item_groups=[1, 2])
