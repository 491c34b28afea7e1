"""Adaptive tests for the full-benchmark score: brute force, other ways to the same."""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from scipy.stats import spearmanr
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import parametrize_with_checks

from skirt import FisherSubsetSelector, MultidimIRT, TwoPLEstimator
from skirt.adaptive import AdaptiveSession, FluidBenchmark
from skirt.model_selection import agreement_curve

CRITERIA = ["rank", "score"]
pytestmark = pytest.mark.filterwarnings("ignore:An estimated prior")


def draw(n_models, n_items, n_abilities=1, seed=0, missing=0.0):
    """Draw a fixed bank, weights of its items, and responses of models to them."""
    rng = np.random.default_rng([n_models, n_items, n_abilities, seed])
    a = rng.lognormal(0, 0.5, (n_items, n_abilities))
    if n_abilities > 1:
        a *= rng.choice([1, 1, 0.1, -0.3], a.shape)
    d = rng.normal(0, 1.3, n_items)
    phi = np.full((n_abilities, n_abilities), 0.3)
    np.fill_diagonal(phi, 1.0)
    theta = rng.multivariate_normal(np.zeros(n_abilities), phi, n_models)
    X = (rng.random((n_models, n_items)) < expit(theta @ a.T + d)) * 1.0
    X[rng.random(X.shape) < missing] = np.nan
    if n_abilities == 1:
        bank = TwoPLEstimator.from_item_parameters(discrimination=a[:, 0], intercept=d)
    else:
        bank = MultidimIRT.from_item_parameters(
            discrimination=a, intercept=d, ability_correlation=phi
        )
    return bank, rng.choice([0.0, 1.0, 3.0], n_items), X


def fitted(bank, **params):
    params = {"random_state": 0, "n_items": 8} | params
    return FluidBenchmark(bank, **params).fit(
        np.tile([[0.0], [1.0]], bank.n_features_in_)
    )


def columns(items):
    return [int(item.removeprefix("item")) for item in items]


def sequences(trace):
    return [columns(of_one) for _, of_one in trace.groupby("model", sort=False)["item"]]


def looked_at(bench, X):
    seen = np.full(X.shape, np.nan)
    for i, items in enumerate(sequences(bench.replay(X))):
        seen[i, items] = X[i, items]
    return seen


def check_every_item(bench, X, value, slack):
    """Assert that no open item has a larger value than the one asked."""
    trace = bench.replay(X)
    for i, (_, steps) in enumerate(trace.groupby("model", sort=False)):
        answers, before = {}, None
        for row in steps.itertuples():
            j = int(row.item.removeprefix("item"))
            free = [
                m for m in range(X.shape[1]) if m not in answers and X[i, m] == X[i, m]
            ]
            values = {m: value(m, answers, before) for m in free}
            assert values[j] >= max(values.values()) - slack * abs(values[j])
            answers[j] = row.response
            before = row


# -- brute force ---------------------------------------------------------------------


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("weighted", [False, True])
def test_one_ability_by_enumeration_of_the_answers(criterion, weighted):
    bank, weights, X = draw(3, 24, seed=2, missing=0.1)
    bench = fitted(
        bank, criterion=criterion, target_weights=weights if weighted else None
    )
    w = weights / weights.sum() if weighted else np.full(24, 1 / 24)
    theta = np.linspace(-8, 8, 3001)
    p = expit(np.multiply.outer(theta, bank.discrimination_) + bank.intercept_)
    density = bench._design.target.density

    def value(j, answers, _):
        """Minus the loss that is left, from Bayes' theorem for either answer."""
        loss = 0.0
        for answer in (0, 1):
            known = answers | {j: answer}
            mass = np.exp(-0.5 * theta**2)
            for m, x in known.items():
                mass = mass * (p[:, m] if x else 1 - p[:, m])
            rest = [m for m in range(24) if m not in known]
            score = sum(w[m] * x for m, x in known.items()) + p[:, rest] @ w[rest]
            chance = (p * (1 - p))[:, rest] @ w[rest] ** 2
            mean = mass @ score / mass.sum()
            variance = mass @ ((score - mean) ** 2 + chance) / mass.sum()
            if criterion == "score":
                loss += mass.sum() * variance
                continue
            # The density at the node is the one before the answer: X is not known.
            before = [m for m in range(24) if m not in answers]
            score = sum(w[m] * x for m, x in answers.items()) + p[:, before] @ w[before]
            loss += mass @ density(score) * np.sqrt(variance)
        prior = np.exp(-0.5 * theta**2)
        for m, x in answers.items():
            prior = prior * (p[:, m] if x else 1 - p[:, m])
        return -loss / prior.sum()

    check_every_item(bench, X, value, 1e-9)


def test_several_abilities_by_integration():
    bank, weights, X = draw(3, 20, 2, seed=1, missing=0.1)
    bench = fitted(bank, criterion="score", target_weights=weights)
    w = weights / weights.sum()
    z, mass = np.polynomial.hermite_e.hermegauss(41)
    mass = np.multiply.outer(mass, mass).ravel() / mass.sum() ** 2
    z = np.array(list(itertools.product(z, z)))
    a, d, phi = bank.discrimination_, bank.intercept_, bank.ability_correlation_
    chosen = []

    def value(j, answers, before):
        mode = np.zeros(2) if before is None else np.array(before[5:7])
        precision = np.linalg.inv(phi)
        for m in answers:
            q = expit(a[m] @ mode + d[m])
            precision = precision + q * (1 - q) * np.outer(a[m], a[m])
        covariance = np.linalg.inv(precision)
        p = expit((mode + z @ np.linalg.cholesky(covariance).T) @ a.T + d)
        mean = mass @ p
        spread = mass @ (p * (1 - p))
        rest = np.array([w[m] * (m not in answers) for m in range(20)])
        # Stein: Cov(theta, P) is the covariance times the expected gradient.
        gradient = a.T @ (spread * rest)
        shared = spread[j] * (a[j] @ covariance @ gradient + rest[j])
        # What that linear score misses of the exact covariance is little.
        exact = mass @ ((p @ rest) * (p[:, j] - mean[j])) + rest[j] * spread[j]
        chosen.append((shared, exact))
        return shared**2 / (mean[j] * (1 - mean[j]))

    # Expected curves come from few nodes.
    check_every_item(bench, X, value, 0.015)
    shared, exact = np.array(chosen).T
    assert np.abs(shared - exact).max() < 0.06 * np.abs(exact).max()
    # Under a normal posterior either answer leaves the same variance.
    twin = fitted(bank, criterion="rank", target_weights=weights)
    assert twin.replay(X).equals(bench.replay(X))


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("n_abilities", [1, 2])
def test_a_batch_is_chosen_jointly(criterion, n_abilities):
    bank, weights, X = draw(2, 18, n_abilities, seed=3)
    bench = fitted(bank, criterion=criterion, target_weights=weights)
    w = weights / weights.sum()
    a = bank.discrimination_.reshape(18, -1)
    d = bank.intercept_
    session = bench.start()
    session.next_items(2)
    asked = columns(session.waiting)
    for j in asked:
        session.record(f"item{j}", int(X[0, j]))
    session.next_items(4)
    waiting = columns(session.waiting)
    measured = session._test.measured
    if n_abilities == 1:
        where = measured._posterior.quantiles(0, (np.arange(15) + 0.5) / 15)[:, None]
        phi = np.eye(1)
    else:
        from skirt.adaptive._optimal_design import normal_points

        where = normal_points(measured.ability[0], measured.covariance[0])
        phi = bank.ability_correlation_

    def left(items):
        """The loss at the places where the model may be, once all have answered."""
        total = 0.0
        for theta in where:
            p = expit(a @ theta + d)
            precision = np.linalg.inv(phi)
            for m in items:
                precision = precision + p[m] * (1 - p[m]) * np.outer(a[m], a[m])
            rest = [m for m in range(18) if m not in items]
            gradient = (w * p * (1 - p))[rest] @ a[rest]
            variance = gradient @ np.linalg.solve(precision, gradient)
            variance += (w**2 * p * (1 - p))[rest].sum()
            if criterion == "score":
                total += variance
                continue
            open_items = [m for m in range(18) if m not in asked]
            score = w[asked] @ X[0, asked] + w[open_items] @ p[open_items]
            total += bench._design.target.density(score) * np.sqrt(variance)
        return total

    for place in range(1, 4):
        losses = {
            j: left([*asked, *waiting[:place], j])
            for j in range(18)
            if j not in asked + waiting[:place]
        }
        assert losses[waiting[place]] <= min(losses.values()) * (1 + 1e-9)


def test_the_density_is_that_of_the_populations_scores():
    for n_abilities in (1, 3):
        bank, weights, _ = draw(2, 40, n_abilities)
        bench = fitted(bank, criterion="rank", target_weights=weights)
        target = bench._design.target
        rng = np.random.default_rng(0)
        phi = getattr(bank, "ability_correlation_", np.eye(1))
        theta = rng.multivariate_normal(np.zeros(n_abilities), phi, 20_000)
        a = bank.discrimination_.reshape(40, -1)
        score = expit(theta @ a.T + bank.intercept_) @ (weights / weights.sum())
        at = np.linspace(0.15, 0.85, 15)
        counted = [np.mean(np.abs(score - x) < 0.03) / 0.06 for x in at]
        np.testing.assert_allclose(target.density(at), counted, atol=0.3)


@pytest.mark.parametrize("method", ["map", "eap", "ml", "wl"])
def test_maximum_expected_information_by_two_estimates_an_item(method):
    bank, _, X = draw(3, 16, seed=5, missing=0.1)
    bounds = (-4, 4)
    bench = fitted(
        bank, criterion="mei", ability_method=method, ability_bounds=bounds, n_items=6
    )
    a, d = bank.discrimination_, bank.intercept_
    own = clone(bank).set_params(ability_method=method)
    theta = np.linspace(*bounds, 4001)
    p = expit(np.multiply.outer(theta, a) + d)

    def ability_after(known):
        if method == "eap":
            mass = np.exp(-0.5 * theta**2)
            for m, x in known.items():
                mass = mass * (p[:, m] if x else 1 - p[:, m])
            return mass @ theta / mass.sum()
        seen = np.full((1, 16), np.nan)
        seen[0, list(known)] = list(known.values())
        return np.clip(own.predict(seen)[0], *bounds)

    def value(j, answers, before):
        now = expit(a[j] * (0.0 if before is None else before.ability) + d[j])
        out = 0.0
        for answer, chance in ((1, now), (0, 1 - now)):
            q = expit(a[j] * ability_after(answers | {j: answer}) + d[j])
            out += chance * a[j] ** 2 * q * (1 - q)
        return out

    check_every_item(bench, X, value, 1e-6)


# -- the score that is predicted -----------------------------------------------------


@pytest.mark.parametrize("n_abilities", [1, 2])
def test_the_prediction_is_that_of_a_selector_from_the_same_answers(n_abilities):
    bank, weights, X = draw(60, 40, n_abilities, missing=0.1)
    kind = {1: TwoPLEstimator(), 2: MultidimIRT(2, tol=0.05)}[n_abilities]
    frozen = FrozenEstimator(kind.fit(X))
    bench = FluidBenchmark(
        frozen, criterion="rank", n_items=12, target_weights=weights
    ).fit(X)
    everything = FisherSubsetSelector(
        40, criterion="score", estimator=frozen, target_weights=weights
    ).fit(X)
    expected = everything.predict(looked_at(bench, X), return_std=True)
    np.testing.assert_allclose(bench.predict(X, True), expected, atol=1e-12)
    assert bench.score(X) == pytest.approx(
        spearmanr(everything.predict(X), expected[0])[0]
    )
    path = bench.predict_path(X, [3, 12])
    shorter = clone(bench).set_params(n_items=3).fit(X)
    np.testing.assert_array_equal(path, [shorter.predict(X), expected[0].round(12)])
    np.testing.assert_array_equal(bench.truncate(3).predict(X), path[0])
    # Another criterion, made to predict the same.
    other = FluidBenchmark(
        frozen, criterion="random", ranking="score", n_items=40, random_state=0
    ).fit(X)
    full = X[~np.isnan(X).any(axis=1)]
    if len(full):
        found, error = other.predict(full, return_std=True)
        np.testing.assert_allclose(found, full.mean(axis=1), atol=1e-12)
        np.testing.assert_allclose(error, 0.0, atol=1e-9)
    assert bench.transform(X).shape == (60, n_abilities)


def test_it_predicts_scores_better_where_domains_mix():
    rng = np.random.default_rng(1)
    # A large domain, and a small one that differs: abilities apart, one score.
    a = np.zeros((150, 2))
    a[:140, 0], a[140:, 1] = rng.lognormal(0, 0.4, 140), rng.lognormal(0.9, 0.2, 10)
    d = rng.normal(0, 1, 150)
    bank = MultidimIRT.from_item_parameters(discrimination=a, intercept=d)
    X = (rng.random((300, 150)) < expit(rng.normal(size=(300, 2)) @ a.T + d)) * 1.0
    off = {}
    for criterion in ("score", "a_optimal", "random"):
        bench = fitted(bank, criterion=criterion, ranking="score", n_items=15)
        off[criterion] = np.abs(bench.predict(X) - X.mean(axis=1)).mean()
    assert off["score"] < 0.95 * off["a_optimal"]
    assert off["score"] < 0.8 * off["random"]


# -- live, saved, and in scikit-learn ------------------------------------------------


@pytest.mark.parametrize("criterion", [*CRITERIA, "mei"])
@pytest.mark.parametrize("n_abilities", [1, 2])
def test_live_replayed_and_loaded_tests_are_the_same(tmp_path, criterion, n_abilities):
    if criterion == "mei" and n_abilities > 1:
        pytest.skip("of one ability")
    bank, weights, X = draw(3, 30, n_abilities, seed=7)
    bench = fitted(
        bank,
        criterion=criterion,
        target_weights=weights,
        strata=np.arange(30) % 3,
        n_items=9,
    )
    replayed = sequences(bench.replay(X))
    for i, asked in enumerate(replayed):
        path = tmp_path / f"{i}.json"
        session = bench.start(model=f"m{i}", path=path)
        for item in asked:
            assert session.next_items() == [f"item{item}"]
            session.record(f"item{item}", int(X[i, item]))
            again = AdaptiveSession.load(path, bench)
            assert again.expected_score == session.expected_score
            assert again.expected_score_error == session.expected_score_error
            session = again
        assert session.done
        found = session.expected_score, session.expected_score_error
        prediction = FluidBenchmark.predict
        if criterion == "mei":
            told = bench.truncate(9)
            told.ranking = "score"
            expected = prediction(told, X[i : i + 1], True)
        else:
            expected = prediction(bench, X[i : i + 1], True)
        np.testing.assert_allclose(found, np.ravel(expected), atol=1e-9)
    other = fitted(bank, criterion=criterion, n_items=9, strata=np.arange(30) % 3)
    with pytest.raises(ValueError, match="other target_weights"):
        AdaptiveSession.load(path, other)


def test_randomesque_asks_among_the_best():
    bank, _, X = draw(40, 30, seed=8)
    for criterion in CRITERIA:
        bench = fitted(bank, criterion=criterion, randomesque=3, n_items=1)
        first = {items[0] for items in sequences(bench.replay(X))}
        ranked = bench.start()
        values = ranked._test.measured.values(np.array([0]), [])[0]
        assert first == set(np.argsort(-values)[:3])


@parametrize_with_checks(
    [
        FluidBenchmark(bank, criterion=criterion, n_items=5, binarize=0.5)
        for criterion, bank in (
            ("rank", None),
            ("score", MultidimIRT(2, max_iter=20, tol=0.5)),
            ("mei", None),
        )
    ]
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_searches_and_curves_take_it():
    bank, weights, X = draw(40, 40, 2, seed=9)
    names = [f"item{j}" for j in range(40)]
    bench = FluidBenchmark(
        bank, criterion="rank", n_items=20, target_weights=pd.Series(weights, names)
    )
    search = GridSearchCV(bench, {"criterion": ["random", "rank"]}, cv=2)
    assert search.fit(X).best_params_ == {"criterion": "rank"}
    curve = agreement_curve({"rank": bench}, X, k=[5, 20], cv=2)
    means = curve.table["mean"].to_numpy()
    assert 0.4 < means[0] < means[1]


@pytest.mark.parametrize(
    ("params", "told"),
    [
        ({"criterion": "rank", "ranking": "ability"}, "for the score"),
        ({"target_weights": [1.0, -1.0]}, "target_weights is -1.0 for item 'item1'"),
        ({"target_weights": [1.0]}, r"shape \(1,\)"),
        ({"ranking": "best"}, "ranking"),
    ],
)
def test_refusals(params, told):
    bank = TwoPLEstimator.from_item_parameters(
        discrimination=[1.0, 2.0], intercept=[0.0, 1.0]
    )
    with pytest.raises(ValueError, match=told):
        fitted(bank, n_items=1, **({"criterion": "score"} | params))
    bench = fitted(bank, n_items=1, criterion="score")
    with pytest.raises(ValueError, match="'total'"):
        bench.predict([[0, 1]], return_std="total")
    several = draw(2, 4, 2)[0]
    for wrong in ({"criterion": "mei"}, {"ranking": "ability"}):
        with pytest.raises(ValueError, match="bank of one ability"):
            fitted(several, n_items=1, **({"criterion": "a_optimal"} | wrong))
