"""Adaptive tests of several abilities: brute force, one ability, properties."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit
from scipy.stats import norm
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import parametrize_with_checks

from skirt import MultidimIRT, TwoPLEstimator
from skirt.adaptive import AdaptiveSession, FluidBenchmark, save_bank
from skirt.model_selection import agreement_curve

few_examples = settings(max_examples=10, deadline=None)
OPTIMAL = ["d_optimal", "a_optimal"]


def simulate(n_models, n_items, n_abilities=2, seed=0, missing=0.0, correlation=0.4):
    """Draw a fixed bank, responses of models to it, and their abilities."""
    rng = np.random.default_rng([n_models, n_items, n_abilities, seed])
    shape = n_items, n_abilities
    a = rng.lognormal(0, 0.4, shape) * rng.choice([1, 1, 0, -0.3], shape)
    d = rng.normal(0, 1.2, n_items)
    phi = np.full((n_abilities, n_abilities), correlation)
    np.fill_diagonal(phi, 1.0)
    theta = rng.multivariate_normal(np.zeros(n_abilities), phi, n_models)
    X = (rng.random((n_models, n_items)) < expit(theta @ a.T + d)) * 1.0
    X[rng.random(X.shape) < missing] = np.nan
    bank = MultidimIRT.from_item_parameters(
        discrimination=a, intercept=d, ability_correlation=phi
    )
    return bank, X, theta


def calibrated(X):
    """Calibrate a bank on a panel; its items are not known exactly."""
    return MultidimIRT(2, integration="variational", tol=0.01).fit(X)


def fitted(bank, **params):
    params = {"random_state": 0, "criterion": "d_optimal", "n_items": 10} | params
    return FluidBenchmark(bank, **params).fit(
        np.tile([[0.0], [1.0]], bank.n_features_in_)
    )


def sequences(trace):
    """Columns of the items asked, model by model."""
    columns = trace["item"].str.removeprefix("item").astype(int)
    return [list(of_one) for _, of_one in columns.groupby(trace["model"], sort=False)]


def abilities(table):
    return table.filter(regex=r"^ability\d").to_numpy()


def errors(table):
    return table.filter(regex=r"^standard_error\d").to_numpy()


def looked_at(bench, X):
    seen = np.full(X.shape, np.nan)
    for i, items in enumerate(sequences(bench.replay(X))):
        seen[i, items] = X[i, items]
    return seen


# -- brute force ---------------------------------------------------------------------


def precision_after(bank, ability, items):
    """Prior precision plus information, item by item."""
    precision = np.linalg.inv(bank.ability_correlation_)
    for j in items:
        a = bank.discrimination_[j]
        p = expit(a @ ability + bank.intercept_[j])
        precision = precision + p * (1 - p) * np.outer(a, a)
    return precision


@pytest.mark.parametrize("criterion", OPTIMAL)
@pytest.mark.parametrize("dimensions", [None, [1], [2, 0]])
def test_every_item_is_the_best_by_brute_force(criterion, dimensions):
    bank, X, _ = simulate(3, 30, 3, missing=0.1)
    bench = fitted(bank, criterion=criterion, dimensions=dimensions, n_items=15)
    trace = bench.replay(X)
    chosen = np.ix_(*[range(3) if dimensions is None else dimensions] * 2)
    size = np.linalg.det if criterion == "d_optimal" else np.trace
    for i, items in enumerate(sequences(trace)):
        ability = np.zeros(3)
        path = abilities(trace[trace["model"] == f"model{i}"])
        for step, item in enumerate(items):
            left = {
                j: size(
                    np.linalg.inv(precision_after(bank, ability, [*items[:step], j]))[
                        chosen
                    ]
                )
                for j in range(30)
                if j not in items[:step] and not np.isnan(X[i, j])
            }
            assert left[item] <= min(left.values()) * (1 + 1e-9)
            ability = path[step]


@pytest.mark.parametrize("kind", ["known", "calibrated"])
def test_the_ability_is_the_banks_own_from_the_same_answers(kind):
    bank, X, _ = simulate(60, 40, missing=0.2)
    if kind == "calibrated":
        bank = FrozenEstimator(calibrated(X))
    bench = fitted(bank, n_items=15).fit(X)
    seen = looked_at(bench, X)
    assert (np.isfinite(seen).sum(axis=1) == 15).all()
    bank = getattr(bank, "estimator", bank)
    np.testing.assert_allclose(bench.transform(X), bank.transform(seen), atol=1e-7)
    summary = bench.replay(X, return_summary=True)[1]
    variance = np.einsum("nkk->nk", bank.ability_covariance(seen))
    np.testing.assert_allclose(errors(summary), np.sqrt(variance), atol=1e-7)
    found, expected = bench.predict(X, True), bank.predict(seen, True)
    np.testing.assert_allclose(found, expected, atol=1e-7)


@pytest.mark.parametrize("criterion", OPTIMAL)
def test_unsure_items_count_with_their_expected_curves(criterion):
    _, X, _ = simulate(25, 40, seed=1)
    bank = calibrated(X)
    frozen = FrozenEstimator(bank)
    bench = FluidBenchmark(frozen, criterion=criterion, n_items=8).fit(X)
    size = (
        np.linalg.det if criterion == "d_optimal" else lambda m: np.einsum("jkk->j", m)
    )
    prior, step = np.linalg.inv(bank.ability_correlation_), 1e-5
    trace = bench.replay(X[:3])
    for i, items in enumerate(sequences(trace)):
        ability = np.zeros(2)
        path = abilities(trace[trace["model"] == f"model{i}"])
        for place, item in enumerate(items):
            p, *moved = bank.inverse_transform(
                ability + step * np.array([[0, 0], [1, 0], [0, 1], [-1, 0], [0, -1]])
            )
            slope = (np.array(moved[:2]) - moved[2:]) / (2 * step)
            matrices = np.einsum("kj,lj,j->jkl", slope, slope, 1 / (p * (1 - p)))
            now = prior + matrices[items[:place]].sum(axis=0)
            left = size(np.linalg.inv(now + matrices))
            left[items[:place]] = np.inf
            assert left[item] <= left.min() * (1 + 1e-6)
            ability = path[place]


@pytest.mark.parametrize("criterion", OPTIMAL)
def test_a_batch_is_chosen_jointly(criterion):
    rng = np.random.default_rng(0)
    # Steep items crowd at 0; those elsewhere are a little less steep.
    a = np.zeros((60, 2))
    side = np.arange(60) % 2
    a[np.arange(60), side] = np.r_[rng.uniform(2.9, 3.1, 20), rng.uniform(2.4, 2.8, 40)]
    d = -a.sum(axis=1) * np.r_[rng.normal(0, 0.02, 20), rng.normal(0, 1.0, 40)]
    bank = MultidimIRT.from_item_parameters(discrimination=a, intercept=d)
    session = FluidBenchmark(bank, criterion=criterion, n_items=20).start()
    batch = [int(item.removeprefix("item")) for item in session.next_items(12)]
    assert sorted(side[batch]) == [0] * 6 + [1] * 6

    def expected_trace(items):
        """Sum of posterior variances, over all patterns of answers."""
        out, theta = 0.0, np.linspace(-6, 6, 601)
        prior = norm.pdf(theta) / norm.pdf(theta).sum()
        for k in (0, 1):
            own = [j for j in items if side[j] == k]
            p = expit(np.multiply.outer(theta, a[own, k]) + d[own])
            for pattern in itertools.product([0, 1], repeat=len(own)):
                joint = prior * np.where(pattern, p, 1 - p).prod(axis=1)
                mean = joint @ theta / joint.sum()
                out += joint @ (theta - mean) ** 2
        return out

    blindly = list(range(12))
    draws = [rng.choice(60, 12, replace=False) for _ in range(30)]
    assert expected_trace(batch) < 0.94 * expected_trace(blindly)
    assert expected_trace(batch) < min(map(expected_trace, draws)) * 1.02


# -- one ability ---------------------------------------------------------------------


@pytest.mark.parametrize("criterion", OPTIMAL)
@pytest.mark.parametrize("dimensions", [None, [0]])
def test_one_ability_is_fisher_information(criterion, dimensions):
    rng = np.random.default_rng(0)
    a, d = rng.lognormal(0, 0.5, 80), rng.normal(0, 1.5, 80)
    _, X, _ = simulate(6, 80, seed=3, missing=0.2)
    flat = TwoPLEstimator.from_item_parameters(discrimination=a, intercept=d)
    fisher = fitted(flat, criterion="fisher", n_items=30)
    same = fitted(flat, criterion=criterion, dimensions=dimensions, n_items=30)
    pd.testing.assert_frame_equal(same.replay(X), fisher.replay(X))
    # A second ability that no item measures stays what the prior says.
    idle = MultidimIRT.from_item_parameters(
        discrimination=np.c_[a, np.zeros(80)], intercept=d
    )
    trace = fitted(idle, criterion=criterion, dimensions=dimensions, n_items=30).replay(
        X
    )
    expected = fisher.replay(X)
    assert list(trace["item"]) == list(expected["item"])
    np.testing.assert_allclose(trace["ability0"], expected["ability"], atol=1e-6)
    np.testing.assert_allclose(trace["ability1"], 0, atol=1e-9)
    error = trace["standard_error0"]
    np.testing.assert_allclose(error, expected["standard_error"], atol=1e-6)
    np.testing.assert_allclose(trace["standard_error1"], 1, atol=1e-9)
    one = MultidimIRT.from_item_parameters(discrimination=a[:, None], intercept=d)
    trace = fitted(one, criterion=criterion, n_items=30).replay(X)
    pd.testing.assert_frame_equal(trace, expected)


# -- planted truth -------------------------------------------------------------------


def test_the_chosen_ability_is_measured_best():
    bank, X, theta = simulate(200, 400, correlation=0.2, seed=4)
    told = {
        name: fitted(bank, n_items=15, **params).replay(X, return_summary=True)[1]
        for name, params in {
            "both": {"criterion": "a_optimal"},
            "first": {"criterion": "a_optimal", "dimensions": [0]},
            "second": {"criterion": "a_optimal", "dimensions": [1]},
            "random": {"criterion": "random"},
        }.items()
    }
    mean = {name: errors(table).mean(axis=0) for name, table in told.items()}
    actual = {
        name: np.sqrt(np.mean((abilities(table) - theta) ** 2, axis=0))
        for name, table in told.items()
    }
    for spread in (mean, actual):
        assert spread["second"][1] < 0.85 * spread["both"][1]
        assert spread["both"][1] < 0.75 * spread["random"][1]
        assert spread["second"][1] < 0.5 * spread["first"][1]
        assert spread["first"][0] < 0.5 * spread["second"][0]
        assert spread["both"].sum() < spread["random"].sum()
    for name in mean:  # the errors are honest
        np.testing.assert_allclose(actual[name], mean[name], rtol=0.2)


# -- properties ----------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:.*models have no response")
@few_examples
@given(
    seed=st.integers(0, 10_000),
    criterion=st.sampled_from([*OPTIMAL, "random"]),
    n_abilities=st.integers(2, 4),
    n_items=st.integers(1, 40),
    n_strata=st.integers(0, 3),
    randomesque=st.integers(1, 4),
    missing=st.sampled_from([0.0, 0.5, 0.9]),
)
def test_properties_of_every_test(
    seed, criterion, n_abilities, n_items, n_strata, randomesque, missing
):
    bank, X, _ = simulate(5, 40, n_abilities, seed=seed, missing=missing)
    X[0, 0] = 1.0
    strata = np.arange(40) % n_strata if n_strata else None
    bench = fitted(
        bank,
        criterion=criterion,
        n_items=n_items,
        dimensions=[seed % n_abilities],
        strata=strata,
        randomesque=randomesque,
        se_target=0.6,
    )
    trace, summary = bench.replay(X, return_summary=True)
    assert not trace.duplicated(["model", "item"]).any()
    assert np.isfinite(abilities(trace)).all()
    for i, items in enumerate(sequences(trace)):
        steps = trace[trace["model"] == trace["model"].unique()[i]]
        row = int(steps["model"].iloc[0].removeprefix("model"))
        assert (steps["response"] == X[row, items]).all()
        assert len(items) <= n_items
        reached = steps[f"standard_error{seed % n_abilities}"] <= 0.6
        assert not reached.iloc[:-1].any()
        stopped = summary.loc[f"model{row}", "stopped"]
        assert (stopped == "standard_error") == reached.iloc[-1]
        if strata is not None and not missing:
            of = np.arange(n_strata)[:, None] == strata[items]
            due = np.arange(1, len(items) + 1) * (of.any(axis=1)[:, None] >= 0)
            share = np.bincount(strata) / 40
            assert np.abs(of.cumsum(axis=1) - share[:, None] * due).max() < 1
    # Answers to items that are not asked play no part.
    other = np.where(np.isnan(X), X, 1 - X)
    rows = trace["model"].str.removeprefix("model").astype(int)
    columns = trace["item"].str.removeprefix("item").astype(int)
    other[rows, columns] = X[rows, columns]
    pd.testing.assert_frame_equal(bench.replay(other), trace)


@few_examples
@given(st.integers(0, 10_000))
def test_the_ability_does_not_depend_on_the_order_of_items(seed):
    bank, X, _ = simulate(4, 15, 3, seed=seed)
    one = fitted(bank, n_items=15).transform(X)
    order = np.random.default_rng(seed).permutation(15)
    other = fitted(bank.select_items(order), n_items=15, criterion="random")
    np.testing.assert_allclose(other.transform(X[:, order]), one, atol=1e-7)


def test_a_row_alone_and_in_a_batch_goes_the_same_way():
    bank, X, _ = simulate(12, 300, seed=5)
    bench = fitted(bank, n_items=20, criterion="a_optimal")
    together = bench.replay(X)
    alone = pd.concat([bench.replay(X[[i]]) for i in range(12)], ignore_index=True)
    assert list(alone["item"]) == list(together["item"])
    np.testing.assert_allclose(abilities(alone), abilities(together), atol=1e-7)


# -- live ----------------------------------------------------------------------------


@pytest.mark.parametrize("criterion", [*OPTIMAL, "random"])
def test_a_live_test_is_the_replayed_one(criterion):
    bank, X, _ = simulate(1, 60, 3, seed=6)
    bench = FluidBenchmark(
        bank,
        n_items=30,
        criterion=criterion,
        dimensions=[0, 2],
        se_target=0.45,
        strata=np.arange(60) % 3,
        random_state=0,
    )
    answers = dict(zip(bank.item_names_, X[0].astype(int).tolist(), strict=True))
    session = bench.run(answers.get, model="m")
    trace, summary = bench.fit(X).replay(X, return_summary=True)
    history = session.history
    if criterion != "random":  # models draw numbers of their own
        assert list(history["item"]) == list(trace["item"])
        np.testing.assert_allclose(abilities(history), abilities(trace), atol=1e-9)
        np.testing.assert_allclose(errors(history), errors(trace), atol=1e-9)
        assert session.stopped == summary["stopped"].iloc[0] == "standard_error"
    assert session.ability.shape == session.standard_error.shape == (3,)
    np.testing.assert_array_equal(session.ability, abilities(history)[-1])
    assert f"{session.ability[1]:.2f} +/- " in repr(session)


@few_examples
@given(
    seed=st.integers(0, 10_000),
    criterion=st.sampled_from([*OPTIMAL, "random"]),
    dimensions=st.sampled_from([None, [1]]),
    randomesque=st.integers(1, 3),
    batch=st.integers(1, 3),
)
def test_a_loaded_session_goes_on_identically_at_every_step(
    tmp_path_factory, seed, criterion, dimensions, randomesque, batch
):
    path = tmp_path_factory.mktemp("sessions") / "session.json"
    bank, X, _ = simulate(1, 30, seed=seed)
    bench = FluidBenchmark(
        bank,
        n_items=10,
        criterion=criterion,
        dimensions=dimensions,
        randomesque=randomesque,
        strata=np.arange(30) % 2,
    )
    session = bench.start("m")
    session.record("item7", int(X[0, 7]), allow_unasked=True)
    while not session.done:
        session.save(path)
        loaded = AdaptiveSession.load(path, bench)
        items = session.next_items(batch)
        assert loaded.next_items(batch) == items
        for item in items[: 1 + seed % batch]:  # the rest of a batch waits
            answer = int(X[0, int(item.removeprefix("item"))])
            session.record(item, answer)
            loaded.record(item, answer)
        pd.testing.assert_frame_equal(loaded.history, session.history)
        np.testing.assert_array_equal(loaded.ability, session.ability)
        session = loaded if seed % 2 else session
    assert session.n_answers == 10


def test_a_session_keeps_its_rules_and_refuses_other_correlations(tmp_path):
    bank, _, _ = simulate(1, 10)
    path = tmp_path / "session.json"
    bench = FluidBenchmark(bank, criterion="d_optimal")
    bench.start("m", path=path)
    with pytest.warns(UserWarning, match="they differ in criterion, dimensions"):
        AdaptiveSession.load(
            path, clone(bench).set_params(criterion="a_optimal", dimensions=[0])
        )
    other = MultidimIRT.from_item_parameters(
        discrimination=bank.discrimination_, intercept=bank.intercept_
    )
    with pytest.raises(ValueError, match="another bank, of 10 items"):
        AdaptiveSession.load(path, FluidBenchmark(other, criterion="d_optimal"))


# -- scikit-learn --------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(
    [FluidBenchmark(MultidimIRT(2, max_iter=5), criterion="d_optimal", binarize=0.5)]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_a_bench_calibrates_its_bank_and_names_its_columns():
    _, X, _ = simulate(60, 80, seed=7)
    bank = MultidimIRT(2, integration="variational", tol=0.01)
    bench = FluidBenchmark(bank, n_items=20, criterion="a_optimal").fit(X[:40])
    np.testing.assert_array_equal(
        bench.estimator_.discrimination_, bank.fit(X[:40]).discrimination_
    )
    out = bench.set_output(transform="pandas").transform(X[40:])
    assert list(out.columns) == ["ability0", "ability1"]
    table, summary = bench.replay(X[40:], return_summary=True)
    np.testing.assert_array_equal(abilities(summary), out)
    assert list(table.columns[-2:]) == ["standard_error0", "standard_error1"]
    # The score is expected on all items, after every number of them.
    path = bench.predict_path(X[40:], [3, 20])
    np.testing.assert_array_equal(path[1], bench.predict(X[40:]))
    np.testing.assert_array_equal(path[0], bench.truncate(3).predict(X[40:]))
    truth = X[40:].mean(axis=1)
    assert np.abs(path[1] - truth).mean() < 0.06
    assert bench.score(X[40:]) > 0.75
    gaps = X[40:].copy()
    gaps[:, ::5] = np.nan
    assert bench.score(gaps) == pytest.approx(bench.score(X[40:]), abs=0.15)
    with pytest.raises(ValueError, match="return_std='total' is not there for a Multi"):
        bench.predict(X, return_std="total")


def test_clones_searches_and_curves_keep_the_bank():
    bank, X, _ = simulate(40, 60, seed=8)
    frozen = FrozenEstimator(calibrated(X))
    bench = clone(FluidBenchmark(frozen, n_items=5, criterion="d_optimal"))
    search = GridSearchCV(
        bench, {"n_items": [2, 15], "dimensions": [None, [0]]}, cv=3
    ).fit(X)
    assert search.best_params_["n_items"] == 15
    np.testing.assert_array_equal(
        search.best_estimator_.estimator_.discrimination_,
        frozen.estimator.discrimination_,
    )
    curve = agreement_curve(
        {
            name: FluidBenchmark(bank, criterion=name, n_items=30)
            for name in ("d_optimal", "random")
        },
        X,
        k=[4, 12, 30],
        cv=4,
    ).to_frame()
    assert curve["mean"].notna().all()


@pytest.mark.filterwarnings("ignore:.*models have no response")
def test_models_without_answers_have_the_prior():
    bank, X, _ = simulate(3, 20)
    X[1] = np.nan
    bench = fitted(bank)
    assert (bench.transform(X)[1] == 0).all()
    summary = bench.replay(X, return_summary=True)[1]
    assert (errors(summary)[1] == 1).all()
    np.testing.assert_allclose(
        bench.predict(X)[1], expit(bank.intercept_).mean(), atol=1e-12
    )


@pytest.mark.parametrize(
    ("params", "told"),
    [
        ({"criterion": "fisher"}, "'fisher' is for a bank of one .* 'd_optimal', 'a_"),
        ({"criterion": "mepv"}, "has 2 abilities: give one of 'd_optimal'"),
        ({"ability_method": "eap"}, "'eap' is for a bank of one .* 'map'"),
        ({"ability_bounds": (-4, 4)}, "ability_bounds=.* one ability"),
        ({"dimensions": [2]}, r"dimensions is \[2\]: .* from 0 to 1"),
        ({"dimensions": []}, "dimensions is"),
        ({"dimensions": [0, 0]}, "dimensions is"),
        ({"dimensions": [0.0]}, "dimensions is"),
        ({"dimensions": [True]}, "dimensions is"),
        ({"dimensions": 1}, "'dimensions' parameter"),
    ],
)
def test_refusals(params, told, tmp_path):
    bank, X, _ = simulate(4, 12)
    with pytest.raises(ValueError, match=told):
        fitted(bank, **params)
    with pytest.raises(ValueError, match="has 2 abilities, and these files"):
        save_bank(bank, tmp_path / "bank.csv")
