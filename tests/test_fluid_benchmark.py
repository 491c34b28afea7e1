"""Adaptive tests replayed: R's catR, brute force, properties, scikit-learn."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import parametrize_with_checks

from skirt import FisherSubsetSelector, OnePLEstimator, TwoPLEstimator
from skirt.adaptive import FluidBenchmark
from skirt.model_selection import agreement_curve

CRITERIA = ["fisher", "mpwi", "kl", "mepv", "random"]
few_examples = settings(max_examples=15, deadline=None)
pytestmark = pytest.mark.filterwarnings("ignore:An estimated prior")


def make_bank(a, b, names=None):
    return TwoPLEstimator.from_item_parameters(
        discrimination=a, difficulty=b, names=names
    )


def simulate(n_models, n_items, seed=0, missing=0.0, spread=0.4):
    """Draw a fixed bank, and responses of models to it."""
    rng = np.random.default_rng([n_models, n_items, seed])
    a, b = rng.lognormal(0, spread, n_items), rng.normal(0, 1.2, n_items)
    theta = rng.normal(size=(n_models, 1))
    X = (rng.random((n_models, n_items)) < expit(a * (theta - b))) * 1.0
    X[rng.random(X.shape) < missing] = np.nan
    return make_bank(a, b), X, theta[:, 0]


def fitted(bank, n_models=2, **params):
    params = {"random_state": 0} | params
    X = np.tile([[0.0], [1.0]], (n_models // 2, bank.n_features_in_))
    return FluidBenchmark(bank, **params).fit(X)


def sequences(trace):
    """Items asked, model by model."""
    return [list(items) for _, items in trace.groupby("model", sort=False)["item"]]


# -- other programs ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("trace", "method", "bounds"),
    [
        ("BM", "map", (-4, 4)),
        ("BM_range6", "map", (-6, 6)),
        ("EAP", "eap", (-4, 4)),
        ("WL", "wl", (-4, 4)),
    ],
)
def test_catr(gold, trace, method, bounds):
    items = pd.read_csv(gold / "cat_bank.csv")
    X = pd.read_csv(gold / "cat_responses.csv").to_numpy(float)
    bench = FluidBenchmark(
        make_bank(items["a"], items["b"], names=range(len(items))),
        n_items=40,
        ability_method=method,
        ability_bounds=bounds,
    ).fit(X)
    found = bench.replay(X)
    known = pd.read_csv(gold / "cat_traces.csv").query("trace == @trace")
    known = known.sort_values(["person", "step"])
    assert list(found["item"].astype(int)) == list(known["item"])
    assert list(found["response"]) == list(known["response"])
    # catR's EAP is on 33 points, coarser than ours.
    near = 1e-3 if method == "eap" else 1e-6
    np.testing.assert_allclose(found["ability"], known["theta_exact"], atol=near)
    np.testing.assert_allclose(found["standard_error"], known["se"], atol=1e-3)


@pytest.mark.parametrize(("label", "method"), [("map", "map"), ("mle", "ml")])
def test_fluid_benchmarking(gold, label, method):
    items = pd.read_csv(gold / "cat_bank.csv")
    X = pd.read_csv(gold / "cat_responses.csv").to_numpy(float)
    known = pd.read_csv(gold / "cat_traces_fluid.csv").query("method == @label")
    known = known.sort_values(["person", "step"])
    found = FluidBenchmark(
        make_bank(items["a"], items["b"], names=range(len(items))),
        n_items=int(known["step"].max()),
        ability_method=method,
        ability_bounds=(-4, 4),
    ).fit(X)
    found = found.replay(X)
    assert list(found["item"].astype(int)) == list(known["item"])
    np.testing.assert_allclose(found["ability"], known["theta"], atol=1e-5)
    np.testing.assert_allclose(found["standard_error"], known["se"], rtol=1e-3)


# -- brute force ---------------------------------------------------------------------


def best_by_brute_force(criterion, a, b, ability, answers):
    """Value of every item, integrals by sums over 4,001 nodes."""
    theta = np.linspace(-9, 9, 4001)
    p = expit(a * (theta[:, None] - b))
    weight = np.exp(-0.5 * theta**2)
    for j, x in answers:
        weight = weight * (p[:, j] if x else 1 - p[:, j])
    weight = weight / weight.sum()
    here = expit(a * (ability - b))
    if criterion == "fisher":
        return a**2 * here * (1 - here)
    if criterion == "mpwi":
        return weight @ (a**2 * p * (1 - p))
    if criterion == "kl":
        divergence = here * np.log(here / p)
        divergence += (1 - here) * np.log((1 - here) / (1 - p))
        return weight @ divergence
    values = np.zeros(len(a))
    for j in range(len(a)):
        for likelihood in (p[:, j], 1 - p[:, j]):
            joint = weight * likelihood
            mean = joint @ theta / joint.sum()
            values[j] -= joint @ (theta - mean) ** 2
    return values


@pytest.mark.parametrize("criterion", CRITERIA[:-1])
@pytest.mark.parametrize("bounds", [None, (-9, 9)])
def test_every_item_is_the_best_by_brute_force(criterion, bounds):
    bank, X, _ = simulate(4, 25, seed=1, missing=0.1)
    bench = fitted(bank, criterion=criterion, n_items=12, ability_bounds=bounds)
    for i, (_, steps) in enumerate(bench.replay(X).groupby("model", sort=False)):
        ability, answers = 0.0, []
        free = ~np.isnan(X[i])
        for row in steps.itertuples():
            j = int(row.item.removeprefix("item"))
            a, b = bank.discrimination_, bank.difficulty_
            values = best_by_brute_force(criterion, a, b, ability, answers)
            values[~free] = -np.inf
            assert values[j] >= values.max() - 1e-7 * abs(values.max())
            free[j] = False
            ability = row.ability
            answers.append((j, row.response))


@few_examples
@given(st.integers(0, 10_000), st.sampled_from([1, 3]), st.booleans(), st.booleans())
def test_the_lists_give_the_items_of_a_full_search(seed, best, strata, gaps):
    rng = np.random.default_rng(seed)
    n_models, n_items = 6, 400
    a = rng.lognormal(0, 0.6, n_items) * rng.choice([1, -1], n_items, p=[0.9, 0.1])
    a[rng.random(n_items) < 0.05] = 0.0
    d = rng.normal(0, 1.5, n_items)
    a[200:300], d[200:300] = a[:100], d[:100]  # duplicates
    bank = TwoPLEstimator.from_item_parameters(discrimination=a, intercept=d)
    X = rng.integers(0, 2, (n_models, n_items)) * 1.0
    if gaps:
        X[rng.random(X.shape) < 0.5] = np.nan
    labels = rng.choice(["x", "y", "y", "z"], n_items) if strata else None
    bench = fitted(bank, n_items=8, randomesque=best, strata=labels, random_state=seed)
    together, alone = bench.replay(X), [bench.replay(X[:1])]
    if best == 1:  # rows draw numbers of their own by their place
        alone += [bench.replay(X[i : i + 1]) for i in range(1, n_models)]
    pieces = [items for one in alone for items in sequences(one)]
    assert sequences(together)[: len(pieces)] == pieces
    for i, items in enumerate(sequences(together)):
        ability, free = 0.0, ~np.isnan(X[i])
        counts = pd.Series(0, index=pd.unique(labels)) if strata else None
        path = together[together["model"] == f"model{i}"]["ability"]
        for item, after in zip(items, path, strict=True):
            j = int(item.removeprefix("item"))
            p = expit(a * ability + d)
            information = np.where(free, a**2 * p * (1 - p), -np.inf)
            if strata:
                counts[labels[j]] += 1
                information[labels != labels[j]] = -np.inf
            ranked = np.sort(information)[::-1]
            assert free[j]
            assert information[j] >= ranked[best - 1] * (1 - 1e-8)
            if best == 1:  # the first of equal ones
                assert j == np.flatnonzero(information >= ranked[0] * (1 - 1e-9))[0]
            free[j], ability = False, after


def test_eap_of_a_long_test_is_the_exact_integral():
    from conftest import brute_force_posterior

    bank, X, _ = simulate(4, 900, seed=3, spread=0.8)
    X[0] = 1.0  # a posterior with one steep flank
    bench = fitted(bank, n_items=800, ability_method="eap", criterion="random")
    trace, summary = bench.replay(X, return_summary=True)
    seen = np.full(X.shape, np.nan)
    for i, items in enumerate(sequences(trace)):
        columns = [int(item.removeprefix("item")) for item in items]
        seen[i, columns] = X[i, columns]
    a, d = bank.discrimination_, bank.intercept_
    _, mean, sd = brute_force_posterior(seen, a, d, n_nodes=2001)
    np.testing.assert_allclose(summary["ability"], mean, atol=1e-6)
    np.testing.assert_allclose(summary["standard_error"], sd, rtol=1e-5)


@pytest.mark.parametrize("method", ["map", "eap", "ml", "wl"])
def test_the_ability_is_the_banks_own_from_the_same_answers(method):
    bank, X, _ = simulate(12, 60, seed=2, missing=0.3)
    bench = fitted(bank, ability_method=method, n_items=20, criterion="mpwi")
    ability, se = bench.predict(X, return_std=True)
    seen = np.full(X.shape, np.nan)
    for i, items in enumerate(sequences(bench.replay(X))):
        columns = [int(item.removeprefix("item")) for item in items]
        seen[i, columns] = X[i, columns]
    expected, expected_se = bank.set_params(ability_method=method).predict(
        seen, return_std=True
    )
    inside = np.abs(expected) < 4  # "ml" has bounds here
    assert inside.sum() > 8
    np.testing.assert_allclose(ability[inside], expected[inside], atol=1e-6)
    np.testing.assert_allclose(se[inside], expected_se[inside], atol=1e-6)


# -- properties ----------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:.*models have no response")
@few_examples
@given(
    seed=st.integers(0, 10_000),
    criterion=st.sampled_from(CRITERIA),
    method=st.sampled_from(["map", "eap", "ml", "wl"]),
    n_items=st.integers(1, 40),
    n_strata=st.integers(0, 4),
    randomesque=st.integers(1, 4),
    missing=st.sampled_from([0.0, 0.5, 0.9]),
)
def test_properties_of_every_test(
    seed, criterion, method, n_items, n_strata, randomesque, missing
):
    bank, X, _ = simulate(5, 40, seed=seed, missing=missing)
    X[0, 0] = 1.0  # somebody answered something
    strata = np.arange(40) % n_strata if n_strata else None
    bench = fitted(
        bank,
        criterion=criterion,
        ability_method=method,
        n_items=n_items,
        strata=strata,
        randomesque=randomesque,
        se_target=0.4,
        min_items=min(3, n_items),
    )
    trace = bench.replay(X)
    assert not trace.duplicated(["model", "item"]).any()
    assert np.isfinite(trace["ability"]).all()
    rows = trace["model"].str.removeprefix("model").astype(int)
    columns = trace["item"].str.removeprefix("item").astype(int)
    # Never an unanswered one: the response is that of the matrix, and there is one.
    assert (trace["response"] == X[rows, columns]).all()
    length = trace.groupby("model").size()
    assert length.max() <= n_items
    # Answers to items that are not asked play no part.
    other = np.where(np.isnan(X), X, 1 - X)
    other[rows, columns] = X[rows, columns]
    pd.testing.assert_frame_equal(bench.replay(other), trace)


@few_examples
@given(st.integers(0, 10_000), st.sampled_from(["map", "eap", "ml", "wl"]))
def test_the_ability_does_not_depend_on_the_order_of_items(seed, method):
    bank, X, _ = simulate(4, 15, seed=seed)
    one = fitted(bank, n_items=15, ability_method=method).predict(X)
    rng = np.random.default_rng(seed)
    order = rng.permutation(15)
    other = fitted(
        bank.select_items(order), n_items=15, ability_method=method, criterion="random"
    ).predict(X[:, order])
    np.testing.assert_allclose(one, other, atol=1e-6)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_exhausting_a_bank_with_duplicates_ends_cleanly(criterion):
    bank, X, _ = simulate(300, 50, seed=4)
    bank = bank.select_items([*range(40)])
    a, b = np.r_[bank.discrimination_, bank.discrimination_[:10]], bank.difficulty_
    bench = fitted(make_bank(a, np.r_[b, b[:10]]), n_items=50, criterion=criterion)
    trace, summary = bench.replay(X, return_summary=True)
    assert (summary["n_items"] == 50).all()
    assert (trace.groupby("model")["item"].nunique() == 50).all()


@pytest.mark.parametrize("n_strata", [2, 3, 7])
def test_every_prefix_keeps_the_shares_of_the_strata(n_strata):
    rng = np.random.default_rng(n_strata)
    bank, X, _ = simulate(6, 300, seed=5)
    shares = rng.dirichlet(np.full(n_strata, 2.0))
    labels = rng.choice(n_strata, 300, p=shares)
    trace = fitted(bank, n_items=120, strata=labels).replay(X)
    share = np.bincount(labels) / 300
    for items in sequences(trace):
        of = labels[[int(item.removeprefix("item")) for item in items]]
        counts = np.cumsum(of[:, None] == np.arange(len(share)), axis=0)
        due = np.arange(1, 121)[:, None] * share
        assert np.abs(counts - due).max() < 1


def test_randomesque_spreads_the_exposure_and_can_be_repeated():
    bank, X, theta = simulate(200, 80, seed=6)
    greedy, spread = (fitted(bank, n_items=10, randomesque=r) for r in (1, 5))
    first = [sequences(bench.replay(X)) for bench in (greedy, spread, spread)]
    assert first[1] == first[2]
    assert len({items[0] for items in first[0]}) == 1
    assert len({items[0] for items in first[1]}) == 5
    of_greedy, of_spread = greedy.predict(X), spread.predict(X)
    assert np.corrcoef(of_spread, theta)[0, 1] > 0.9
    assert np.corrcoef(of_greedy, of_spread)[0, 1] > 0.9


def test_stopping_rules():
    bank, X, _ = simulate(30, 200, seed=7, missing=0.2)
    X[0], X[0, :4] = np.nan, [1, 0, 1, 1]

    def stops(**params):
        trace, summary = fitted(bank, **params).replay(X, return_summary=True)
        return trace.groupby("model", sort=False), summary

    trace, summary = stops(n_items=60, se_target=0.3)
    for name, steps in trace:
        reached = steps["standard_error"] <= 0.3
        assert not reached.iloc[:-1].any()
        stopped = summary.loc[name, "stopped"]
        assert stopped == ("standard_error" if reached.iloc[-1] else "exhausted")
    assert summary["stopped"].value_counts()["exhausted"] == 1
    assert summary.loc["model0", "n_items"] == 4
    assert (
        stops(n_items=60, se_target=0.3, min_items=45)[1]["n_items"][1:] == 45
    ).all()
    trace, summary = stops(n_items=60, change_target=0.02, min_items=5)
    for name, steps in trace:
        moved = np.abs(np.diff(np.r_[0, steps["ability"]]))
        small = np.flatnonzero((moved < 0.02) & (steps["step"] >= 5))
        if summary.loc[name, "stopped"] == "change":
            assert small[0] == len(steps) - 1
        else:
            assert not small.size
    assert (stops(n_items=3)[1]["stopped"] == "length").all()


def test_extreme_models_and_silent_ones():
    bank, X, _ = simulate(3, 30, seed=8)
    X[0], X[1], X[2] = 1, 0, np.nan
    for method in ("map", "eap", "ml", "wl"):
        bench = fitted(bank, n_items=30, ability_method=method)
        with pytest.warns(UserWarning, match="1 of 3 models have no response"):
            ability, se = bench.predict(X, return_std=True)
        assert ability[0] > 1 > -1 > ability[1]
        if method == "ml":
            assert list(ability[:2]) == [4, -4]
        prior = (0, 1) if method in ("map", "eap") else (np.nan, np.inf)
        np.testing.assert_equal((ability[2], se[2]), prior)
        assert (np.abs(bench.predict(X[:2])) < 20).all()


def test_adaptive_items_measure_better_than_random_ones():
    bank, X, theta = simulate(400, 300, seed=9)
    errors = {}
    for criterion in CRITERIA:
        bench = fitted(bank, n_items=15, criterion=criterion, ability_method="eap")
        ability, se = bench.predict(X, return_std=True)
        errors[criterion] = np.sqrt(np.mean((ability - theta) ** 2))
        # The standard errors are honest.
        assert 0.88 < errors[criterion] / np.sqrt(np.mean(se**2)) < 1.13
    for criterion in CRITERIA[:-1]:
        assert errors[criterion] < 0.75 * errors["random"]


# -- scikit-learn --------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::UserWarning")
@parametrize_with_checks(
    [FluidBenchmark(binarize=threshold) for threshold in (0.0, 0.5, 1.5)]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_everything_raises_not_fitted_before_fit():
    _, X, _ = simulate(4, 10)
    bench = FluidBenchmark()
    for call in (
        lambda: bench.transform(X),
        lambda: bench.predict(X),
        lambda: bench.predict_path(X, [1]),
        lambda: bench.replay(X),
        lambda: bench.score(X),
        lambda: bench.truncate(1),
        lambda: bench.get_feature_names_out(),
        lambda: bench.start(),
    ):
        with pytest.raises(NotFittedError):
            call()


def test_default_bank_is_calibrated_and_output_has_its_name():
    _, X, _ = simulate(40, 60, seed=10)
    bench = FluidBenchmark(n_items=20).fit(X)
    assert type(bench.estimator_) is TwoPLEstimator
    np.testing.assert_array_equal(
        bench.estimator_.discrimination_, TwoPLEstimator().fit(X).discrimination_
    )
    out = bench.set_output(transform="pandas").transform(X)
    assert out.shape == (40, 1)
    assert list(out.columns) == list(bench.get_feature_names_out()) == ["ability"]
    total = bench.predict(X, return_std="total")
    assert (total[1] > bench.predict(X, return_std=True)[1]).all()


@pytest.mark.parametrize("kind", ["fixed", "frozen", "bare"])
def test_banks_stay_what_they_are_or_it_is_told(kind):
    bank, X, _ = simulate(30, 40, seed=11)
    given_a = bank.discrimination_
    if kind != "fixed":
        bank = OnePLEstimator().fit(X[:20])
        given_a = bank.discrimination_
    if kind == "frozen":
        bank = FrozenEstimator(bank)
    bench = clone(FluidBenchmark(bank, n_items=5))
    if kind == "bare":
        bench = FluidBenchmark(bank, n_items=5)
        with pytest.warns(UserWarning, match="calibrated anew") as told:
            bench.fit(X)
        assert told[0].filename == __file__
        assert not np.array_equal(bench.estimator_.discrimination_, given_a)
        return
    search = GridSearchCV(bench, {"n_items": [2, 5]}, cv=3).fit(X)
    for found in (bench.fit(X), search.best_estimator_):
        np.testing.assert_array_equal(found.estimator_.discrimination_, given_a)


def test_grid_search_over_length_and_criterion(tmp_path):
    _, X, _ = simulate(45, 50, seed=12)
    search = GridSearchCV(
        FluidBenchmark(random_state=0, memory=str(tmp_path)),
        {"n_items": [2, 20], "criterion": ["fisher", "random"]},
        cv=3,
    ).fit(X)
    assert search.best_params_ == {"n_items": 20, "criterion": "fisher"}
    # With y the agreement is with y.
    bench = search.best_estimator_
    assert bench.score(X, -bench.predict(X)) == pytest.approx(-1)


def test_named_banks_and_strata_follow_the_columns():
    bank, X, _ = simulate(6, 12, seed=13)
    names = [f"q{j}" for j in range(12)]
    named = make_bank(bank.discrimination_, bank.difficulty_, names)
    labels = pd.Series(list("aabbccaabbcc"), index=names)
    order = [7, 2, 5, 0, 9, 4]
    table = pd.DataFrame(X, columns=names).iloc[:, order]
    given_a = {"strata": labels, "n_items": 6}
    by_name = FluidBenchmark(named, **given_a).fit(table)
    by_place = fitted(
        bank.select_items(order), strata=labels.to_numpy()[order], n_items=6
    )
    np.testing.assert_array_equal(by_name.predict(table), by_place.predict(X[:, order]))
    as_dict = FluidBenchmark(named, strata=dict(labels), n_items=6).fit(table)
    pd.testing.assert_frame_equal(as_dict.replay(table), by_name.replay(table))
    with pytest.raises(ValueError, match="feature names"):
        by_name.predict(table.iloc[:, ::-1])


@pytest.mark.parametrize("criterion", ["fisher", "random"])
def test_a_shorter_test_is_the_beginning_of_a_longer_one(criterion):
    bank, X, _ = simulate(10, 60, seed=14, missing=0.8)
    params = {"criterion": criterion, "se_target": 0.45, "randomesque": 2}
    long = fitted(bank, n_items=30, **params)
    sizes = [1, 4, 9, 30]
    path = long.predict_path(X, sizes)
    for size, row in zip(sizes, path, strict=True):
        short = fitted(bank, n_items=size, **params).predict(X)
        np.testing.assert_array_equal(row, short)
        np.testing.assert_array_equal(row, long.truncate(size).predict(X))
    assert long.n_items == 30
    for bad in (0, 31, 2.5):
        with pytest.raises(ValueError, match="from 1 to n_items=30"):
            long.predict_path(X, [bad])


def test_agreement_curve_beside_a_static_selector():
    rng = np.random.default_rng(15)
    _, X, _ = simulate(40, 120, seed=15, spread=0.8)
    X = pd.DataFrame(X, index=[f"m{i}" for i in rng.permutation(40)])
    curve = agreement_curve(
        {"adaptive": FluidBenchmark(), "static": FisherSubsetSelector()},
        X,
        k=[3, 10, 40],
        cv=4,
    )
    table = curve.to_frame()
    assert set(table.reset_index()["method"]) == {"adaptive", "static"}


@pytest.mark.parametrize(
    ("params", "told"),
    [
        ({"ability_bounds": (2, 1)}, "ability_bounds"),
        ({"ability_bounds": (1, 2)}, "start_ability is 0.0, outside"),
        ({"strata": ["a"] * 3}, "there are 8 items"),
        ({"strata": ["a"] * 7 + [None]}, "no label for item 'item7'"),
        ({"strata": {"item0": "a"}}, "no label for item 'item1'"),
        ({"criterion": "best"}, "'criterion' parameter"),
        ({"n_items": 0}, "'n_items' parameter"),
        ({"se_target": 0}, "'se_target' parameter"),
        ({"randomesque": 0}, "'randomesque' parameter"),
    ],
)
def test_refusals_of_parameters(params, told):
    bank, X, _ = simulate(4, 8)
    with pytest.raises(ValueError, match=told):
        FluidBenchmark(bank, **({"n_items": 5} | params)).fit(X)


def test_refusals_of_data():
    bank, X, _ = simulate(4, 8)
    bench = FluidBenchmark(bank, n_items=5).fit(X)
    with pytest.raises(ValueError, match=r"Row 1, item 2 is 0\.5"):
        bench.predict(np.where([[0] * 8, [0, 0, 1] + [0] * 5], 0.5, 1))
    with pytest.raises(ValueError, match="no response at all"):
        FluidBenchmark().fit(np.full((3, 4), np.nan))
    with pytest.raises(ValueError, match="return_std is 'both'"):
        bench.predict(X, return_std="both")
    with pytest.warns(UserWarning, match="n_items=50 is greater .* 8") as told:
        FluidBenchmark(bank).fit(X)
    assert told[0].filename == __file__
