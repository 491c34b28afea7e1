"""Selection for the ranking by the full score: brute force, planted truths, limits."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.integrate import quad
from scipy.stats import norm, spearmanr
from sklearn import clone
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import parametrize_with_checks

from skirt import (
    AutoSubsetSelector,
    FisherSubsetSelector,
    MultidimIRT,
    RandomSubsetSelector,
    TwoPLEstimator,
)
from skirt.model_selection import agreement_curve
from skirt.selection._design_choice import DESIGNS, Evidence
from skirt.selection._rank_greedy import DesignBank, least_displacement
from skirt.selection._score_ranking import _representatives
from skirt.selection._score_target import ScoreBank, predict_score

# On panels as small and simple as these, priors meet their bounds.
pytestmark = pytest.mark.filterwarnings("ignore:An estimated prior is at its bound")


def expit(x):
    return 1 / (1 + np.exp(-x))


def small_bank(n_items=12, n_components=2, seed=0, correlation=0.4):
    rng = np.random.default_rng(seed)
    phi = np.full((n_components, n_components), correlation)
    np.fill_diagonal(phi, 1.0)
    return MultidimIRT.from_item_parameters(
        discrimination=rng.normal(0.8, 0.7, (n_items, n_components)),
        intercept=rng.normal(0, 1.2, n_items),
        ability_correlation=phi,
    )


def two_domains(n_models, n_items, seed, dull=2 / 3):
    """Half of the items measure one ability, half another; a share are dull."""
    rng = np.random.default_rng(seed)
    theta = rng.normal(size=(n_models, 2))
    first = np.arange(n_items) < n_items // 2
    a = np.zeros((n_items, 2))
    a[first, 0] = rng.lognormal(0.7, 0.2, first.sum())
    a[~first, 1] = rng.lognormal(0.2, 0.2, (~first).sum())
    a[rng.random(n_items) < dull] *= 0.25
    logits = theta @ a.T + rng.normal(0, 1, n_items)
    return (rng.random(logits.shape) < expit(logits)) * 1.0


def one_domain(n_models, n_items, seed):
    rng = np.random.default_rng(seed)
    a, b = rng.lognormal(0, 0.4, n_items), rng.normal(size=n_items)
    p = expit(a * (rng.normal(size=(n_models, 1)) - b))
    return (rng.random(p.shape) < p) * 1.0


# -- the engine ---------------------------------------------------------------------


def what_is_unknown(bank, theta, chosen, target):
    """Scores, and variances of what is unknown of them, by inverting matrices."""
    a, d = bank.discrimination_, bank.intercept_
    rest = [j for j in range(len(d)) if j not in chosen]
    scores, variances = [], []
    for t in theta:
        p = expit(a @ t + d)
        precision = np.linalg.inv(bank.ability_correlation_)
        for j in chosen:
            precision = precision + p[j] * (1 - p[j]) * np.outer(a[j], a[j])
        gradient = sum((target[j] * p[j] * (1 - p[j]) * a[j] for j in rest), 0 * t)
        chance = sum(target[j] ** 2 * p[j] * (1 - p[j]) for j in rest)
        scores.append(target @ p)
        variances.append(gradient @ np.linalg.inv(precision) @ gradient + chance)
    return np.array(scores), np.array(variances)


def loss(bank, theta, before, item, target, counts, dense):
    """The criterion after one more item, with the density of before it."""
    scores, now = what_is_unknown(bank, theta, before, target)
    _, after = what_is_unknown(bank, theta, [*before, item], target)
    if not dense:
        return counts @ after
    mean = counts @ scores / counts.sum()
    deviation = np.sqrt(counts @ np.square(scores - mean) / counts.sum())
    width = 1.06 * deviation * counts.sum() ** -0.2
    density = [
        sum(
            count * norm.pdf(score, other, np.sqrt(width**2 + variance + blur))
            for count, other, blur in zip(counts, scores, now, strict=True)
        )
        for score, variance in zip(scores, now, strict=True)
    ]
    return (counts * density) @ np.sqrt(after)


@pytest.mark.parametrize("dense", [True, False])
@pytest.mark.parametrize("n_components", [1, 3])
def test_every_step_takes_the_best_item_by_inverted_matrices(n_components, dense):
    bank = small_bank(9, n_components)
    rng = np.random.default_rng(1)
    theta = rng.normal(size=(5, n_components))
    target = rng.dirichlet(np.ones(9))
    counts = np.array([1.0, 0.5, 0.5, 1.0, 2.0])
    design = DesignBank.at(ScoreBank.of(bank), theta, target)
    order = least_displacement([design], 9, counts=counts, dense=dense)
    assert sorted(order) == list(range(9))
    for step in range(6):
        before = list(order[:step])
        left = [j for j in range(9) if j not in before]
        losses = {j: loss(bank, theta, before, j, target, counts, dense) for j in left}
        assert order[step] == min(losses, key=losses.get)


def test_several_banks_add_their_losses():
    rng = np.random.default_rng(1)
    target, counts = np.full(10, 0.1), np.ones(4)
    banks = [small_bank(10, 1, seed=3), small_bank(10, 2, seed=4)]
    thetas = [rng.normal(size=(4, 1)), rng.normal(size=(4, 2))]
    designs = [
        DesignBank.at(ScoreBank.of(b), t, target)
        for b, t in zip(banks, thetas, strict=True)
    ]
    first = least_displacement(designs, 1, counts=counts)[0]
    losses = [
        sum(
            loss(b, t, [], j, target, counts, True)
            for b, t in zip(banks, thetas, strict=True)
        )
        for j in range(10)
    ]
    assert first == np.argmin(losses)


@pytest.mark.parametrize("dense", [True, False])
def test_several_targets_add_their_losses(dense):
    """Under two banks, by inverted matrices; variances count as shares of the first."""
    rng = np.random.default_rng(7)
    banks = [small_bank(9, 1, seed=3), small_bank(9, 2, seed=4)]
    thetas = [rng.normal(size=(5, 1)), rng.normal(size=(5, 2))]
    counts = np.array([1.0, 0.5, 0.5, 1.0, 2.0])
    targets = np.array([rng.dirichlet(np.ones(9)), np.repeat([0, 0.5, 0], (3, 2, 4))])
    designs = [
        DesignBank.at(ScoreBank.of(b), t, targets)
        for b, t in zip(banks, thetas, strict=True)
    ]
    order = least_displacement(designs, 9, counts=counts, dense=dense)
    pairs = list(zip(banks, thetas, strict=True))
    scale = [
        1.0
        if dense
        else sum(counts @ what_is_unknown(b, t, [], target)[1] for b, t in pairs)
        for target in targets
    ]
    alone = []
    for step in range(7):
        before = list(order[:step])
        losses = np.full((2, 9), np.inf)
        for j in set(range(9)) - set(before):
            losses[:, j] = [
                sum(loss(b, t, before, j, target, counts, dense) for b, t in pairs) / s
                for target, s in zip(targets, scale, strict=True)
            ]
        assert order[step] == losses.sum(axis=0).argmin()
        alone.append(losses.argmin(axis=1))
    # Neither target's own choice would have been the same.
    assert (np.array(alone) != order[:7, None]).any(axis=0).all()


def test_neither_the_order_of_models_nor_the_axes_matter():
    bank = small_bank(40, 3, correlation=0.0)
    rng = np.random.default_rng(2)
    theta, target, counts = rng.normal(size=(15, 3)), np.full(40, 1 / 40), np.ones(15)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    turned = MultidimIRT.from_item_parameters(
        discrimination=bank.discrimination_ @ turn, intercept=bank.intercept_
    )
    answers = np.array(rng.random((6, 7)) < 0.5, dtype=float)
    chosen = np.arange(7)
    rows = rng.permutation(15)
    orders, predictions = [], []
    for b, t in ((bank, theta), (turned, theta @ turn), (bank, theta[rows])):
        design = DesignBank.at(ScoreBank.of(b), t, target)
        orders.append(least_displacement([design], 12, counts=counts))
        predictions.append(predict_score(ScoreBank.of(b), chosen, answers, target))
    np.testing.assert_array_equal(orders[0], orders[1])
    np.testing.assert_array_equal(orders[0], orders[2])
    np.testing.assert_allclose(predictions[0], predictions[1], atol=1e-8)


def test_predicted_score_and_its_error_by_integration():
    """Many answers make the posterior normal: then score and error are exact."""
    rng = np.random.default_rng(0)
    a, d = rng.lognormal(0, 0.3, 60), rng.normal(0, 1, 60)
    bank = TwoPLEstimator.from_item_parameters(discrimination=a, intercept=d)
    chosen, answers = np.arange(40), (rng.random(40) < expit(0.5 * a[:40])) * 1.0
    target = rng.dirichlet(np.ones(60))
    score, variance = predict_score(ScoreBank.of(bank), chosen, answers[None], target)

    def posterior(t):
        p = expit(a[:40] * t + d[:40])
        return norm.pdf(t) * np.prod(np.where(answers == 1, p, 1 - p)) * 1e12

    def rest(t):
        return expit(a[40:] * t + d[40:]) @ target[40:]

    def chance(t):
        p = expit(a[40:] * t + d[40:])
        return (p * (1 - p)) @ target[40:] ** 2

    def mean(f):
        return quad(lambda t: f(t) * posterior(t), -5, 5)[0] / whole

    whole = quad(posterior, -5, 5)[0]
    known = answers @ target[:40]
    expected = mean(rest)
    spread = mean(lambda t: rest(t) ** 2) - expected**2 + mean(chance)
    assert score[0] == pytest.approx(known + expected, abs=2e-3)
    assert np.sqrt(variance[0]) == pytest.approx(np.sqrt(spread), rel=0.005)


def test_representatives_have_equal_shares():
    score, counts = np.array([3.0, 1.0, 2.0, 0.0]), np.array([1.0, 1.0, 2.0, 4.0])
    assert _representatives(score, counts, 8).tolist() == [3, 3, 3, 3, 1, 2, 2, 0]


# -- the selector -------------------------------------------------------------------


@pytest.fixture(scope="module")
def mixed():
    """Two domains; 60 models choose, 200 are ranked."""
    X = two_domains(250, 80, seed=3)
    return X[:50], X[50:]


@pytest.fixture(scope="module")
def ranking(mixed):
    return FisherSubsetSelector(80, criterion="rank").fit(mixed[0])


@pytest.mark.filterwarnings("ignore::UserWarning")
@parametrize_with_checks(
    [
        FisherSubsetSelector(criterion=criterion, binarize=threshold, estimator=bank)
        for criterion, bank in (
            ("rank", None),
            ("score", MultidimIRT(1, tol=0.05)),
        )
        for threshold in (0.0, 0.5, 1.5)
    ]
    + [AutoSubsetSelector(n_splits=1, binarize=t) for t in (0.0, 0.5, 1.5)]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_the_prediction_becomes_the_score_as_items_are_answered(mixed, ranking):
    test = mixed[1]
    truth = test.mean(axis=1)
    selector = ranking
    last = np.inf
    for k in (10, 40, 75, 80):
        predicted, error = selector.truncate(k).predict(test, return_std=True)
        off = np.abs(predicted - truth).mean()
        assert off < last
        # Which is what the errors say, for all models together.
        assert k == 80 or 0.6 < off / (error.mean() * np.sqrt(2 / np.pi)) < 1.6
        last = off
    np.testing.assert_allclose(predicted, truth, atol=1e-12)
    np.testing.assert_allclose(error, 0, atol=1e-7)
    assert selector.score(test) == pytest.approx(1)


def test_intervals_hold_held_out_models(mixed, ranking):
    test = mixed[1]
    predicted, error = ranking.truncate(30).predict(test, return_std=True)
    inside = np.abs(predicted - test.mean(axis=1)) < 1.645 * error
    assert 0.85 <= inside.mean() <= 0.95


def test_on_two_domains_rank_beats_one_dimension_and_chance(mixed, ranking):
    train, test = mixed
    truth = test.mean(axis=1)

    def agreement(selector):
        return spearmanr(selector.fit(train).predict(test), truth).statistic

    rank = spearmanr(ranking.truncate(10).predict(test), truth).statistic
    assert rank > agreement(FisherSubsetSelector(10)) + 0.03
    drawn = [agreement(RandomSubsetSelector(10, random_state=s)) for s in range(10)]
    assert rank > np.mean(drawn) + 0.03


def test_in_one_dimension_it_chooses_nearly_as_marginal_does():
    X = one_domain(200, 100, seed=1)
    bank = FrozenEstimator(TwoPLEstimator().fit(X))
    marginal = FisherSubsetSelector(25, estimator=bank).fit(X)
    rank = FisherSubsetSelector(25, criterion="rank", estimator=bank).fit(X)
    assert len(set(rank.order_) & set(marginal.order_)) >= 20
    new = one_domain(200, 100, seed=1)
    assert spearmanr(rank.predict(new), marginal.predict(new)).statistic > 0.97


def test_with_14_models_of_one_domain_it_is_not_behind_marginal():
    behind = []
    for seed in range(5):
        X = one_domain(314, 120, seed=seed)
        train, test = X[:14], X[14:]
        marginal = FisherSubsetSelector(10).fit(train)
        rank = FisherSubsetSelector(10, criterion="rank").fit(train)
        assert len(rank.estimators_) == 3
        for k in (5, 10):
            found = (
                s.truncate(k).score(test, test.mean(axis=1)) for s in (rank, marginal)
            )
            behind.append(np.subtract(*found))
    assert np.mean(behind) > -0.02


def test_weights_on_half_of_the_items_select_for_that_half(mixed):
    train, test = mixed
    table = pd.DataFrame(train, columns=[f"q{j}" for j in range(80)])
    half = pd.Series(np.repeat([2.0, 0.0], 40), index=table.columns)
    selector = FisherSubsetSelector(
        15, criterion="rank", target_weights=half[::-1]
    ).fit(table)
    # The other ability tells nothing of that half.
    assert (selector.order_ < 40).all()
    new = pd.DataFrame(test, columns=table.columns)
    truth = test[:, :40].mean(axis=1)
    assert spearmanr(selector.predict(new), truth).statistic > 0.9
    assert selector.score(new) == pytest.approx(selector.score(new, truth))
    with pytest.raises(ValueError, match="no weight for item 'q7'"):
        clone(selector).set_params(target_weights=half.drop("q7")).fit(table)
    surplus = pd.concat([half, pd.Series({"gone": 1.0})])
    with pytest.raises(ValueError, match="'gone', which is no item of X"):
        clone(selector).set_params(target_weights=surplus).fit(table)
    for wrong, words in (
        (-half, "-2.0 for item 'q0'"),
        (0 * half, "All target_weights are zero"),
        (np.ones(7), r"shape \(7,\); X has 80 items"),
    ):
        with pytest.raises(ValueError, match=words):
            clone(selector).set_params(target_weights=wrong).fit(table)


def two_benchmarks(n_items=60):
    """A bank of two unrelated benchmarks, one flat and one steep, and their models."""
    rng = np.random.default_rng(0)
    first = np.arange(2 * n_items) < n_items
    slopes = np.zeros((2 * n_items, 2))
    slopes[first, 0] = rng.lognormal(0, 0.5, n_items)
    slopes[~first, 1] = rng.lognormal(0.9, 0.3, n_items)
    bank = MultidimIRT.from_item_parameters(
        discrimination=slopes, intercept=rng.normal(size=2 * n_items)
    )
    p = expit(rng.normal(size=(350, 2)) @ slopes.T + bank.intercept_)
    table = pd.DataFrame((rng.random(p.shape) < p) * 1.0).add_prefix("q")
    benchmark = pd.Series(np.where(first, "flat", "steep"), table.columns)
    return bank, table[:50], table[50:], pd.get_dummies(benchmark).T


@pytest.mark.parametrize("criterion", ["rank", "score"])
def test_unrelated_benchmarks_get_the_items_each_would_choose_alone(criterion):
    bank, train, test, weights = two_benchmarks()
    selector = FisherSubsetSelector(
        30, criterion=criterion, estimator=bank, target_weights=weights
    )
    both = clone(selector).fit(train)
    truth = np.c_[test.iloc[:, :60].mean(axis=1), test.iloc[:, 60:].mean(axis=1)]
    predicted, error = both.predict(test, return_std=True)
    found = []
    for t, name in enumerate(weights.index):
        mine = both.order_[both.order_ // 60 == t]
        # Items of the other tell nothing of it, so that the choices do not interfere.
        assert 10 <= len(mine) <= 20
        alone = clone(selector).set_params(
            k=len(mine), target_weights=weights.loc[name]
        )
        np.testing.assert_array_equal(alone.fit(train).order_, mine)
        score, deviation = alone.predict(test, return_std=True)
        np.testing.assert_allclose(predicted[:, t], score, atol=1e-6)
        np.testing.assert_allclose(error[:, t], deviation, atol=1e-6)
        found.append(spearmanr(predicted[:, t], truth[:, t]).statistic)
    assert min(found) > 0.93
    assert both.score(test) == pytest.approx(np.mean(found), abs=1e-6)
    assert both.score(test, truth) == pytest.approx(np.mean(found))
    assert both.score(test, pd.DataFrame(truth, test.index, weights.index)) > 0.93
    only = both.predict_subset(test[both.get_feature_names_out()])
    np.testing.assert_array_equal(only, predicted)
    everything = clone(selector).set_params(k=120).fit(train).predict(test)
    np.testing.assert_allclose(everything, truth, atol=1e-12)


@pytest.mark.parametrize("criterion", ["rank", "score", "marginal"])
def test_one_row_of_weights_is_one_target(criterion):
    rng = np.random.default_rng(6)
    X, weights = one_domain(450, 30, seed=6), rng.dirichlet(np.ones(30))
    banks = [small_bank(30), small_bank(30, 3, seed=1)]
    if criterion == "marginal":
        banks = TwoPLEstimator.from_item_parameters(
            discrimination=rng.lognormal(size=30), intercept=rng.normal(size=30)
        )
    plain = FisherSubsetSelector(
        15,
        criterion=criterion,
        ranking="score",
        estimator=banks,
        target_weights=weights,
    )
    row = clone(plain).set_params(target_weights=weights[None]).fit(X)
    plain.fit(X)
    np.testing.assert_array_equal(row.order_, plain.order_)
    for one, other in zip(row.predict(X, True), plain.predict(X, True), strict=True):
        assert one.shape == (450, 1)
        np.testing.assert_array_equal(one[:, 0], other)
    assert row.score(X) == plain.score(X)
    assert row.score(X, X[:, 0]) == plain.score(X, X[:, 0])


def test_a_size_for_several_targets_by_grid_search():
    bank, train, _, weights = two_benchmarks()
    selector = FisherSubsetSelector(
        criterion="rank", estimator=bank, target_weights=weights
    )
    search = GridSearchCV(selector, {"k": [2, 40]}, cv=2, refit=False).fit(train)
    assert search.best_params_ == {"k": 40}
    assert search.cv_results_["mean_test_score"][1] > 0.9
    with pytest.raises(
        ValueError, match=r"2 targets.*one target at a time.*cross_validate"
    ):
        agreement_curve(selector, train, k=5, cv=2, n_bootstrap=0)


def test_targets_that_do_not_fit_are_refused():
    bank, train, test, weights = two_benchmarks()
    selector = FisherSubsetSelector(
        5, criterion="rank", estimator=bank, target_weights=weights
    )
    for params, words in (
        ({"target_weights": weights.T}, r"Pass target_weights\.T"),
        ({"target_weights": weights.to_numpy().T}, r"\(120, 2\).*transposed"),
        ({"target_weights": weights[:0]}, "no target at all"),
        ({"target_weights": np.ones((2, 7))}, r"\(2, 7\); X has 120 items"),
        ({"target_weights": [[1.0], [1.0, 2.0]]}, "unequal length"),
        ({"target_weights": weights.drop(columns="q7")}, "'flat'.*no weight.*'q7'"),
        (
            {"target_weights": weights.mul([1, 0], axis=0)},
            "'steep': All",
        ),
        ({"target_weights": -1.0 * weights}, "'flat': target_weights is -1.0 .*'q0'"),
        (
            {"criterion": "marginal", "estimator": None},
            "2 rows.*ability is one.*criterion='rank'.*ranking='score'",
        ),
    ):
        with pytest.raises(ValueError, match=words):
            clone(selector).set_params(**params).fit(train)
    with pytest.raises(ValueError, match="several targets at once.*mean of the rows"):
        AutoSubsetSelector(5, target_weights=weights).fit(train)
    selector.fit(train)
    truth = pd.DataFrame(selector.predict(test), test.index, weights.index)
    for y, words in (
        (truth["flat"], r"y has shape \(300,\).*2 targets"),
        (truth[["steep", "flat"]], "y has the columns 'steep', 'flat'"),
        (truth.replace(truth.iloc[3, 1], np.nan), "Target 'steep': y_true is nan"),
    ):
        with pytest.raises(ValueError, match=words):
            selector.score(test, y)


def test_copies_of_a_model_count_once_by_groups():
    X = one_domain(30, 40, seed=2)
    bank = small_bank(40)
    copies = np.r_[X, X[:3].repeat(15, axis=0)]
    groups = np.r_[np.arange(30), np.arange(3).repeat(15)]
    for criterion, estimator in (
        ("rank", bank),
        ("score", bank),
        (
            "marginal",
            TwoPLEstimator.from_item_parameters(
                discrimination=np.linspace(0.5, 2, 40),
                difficulty=np.linspace(-2, 2, 40),
            ),
        ),
    ):
        selector = FisherSubsetSelector(12, criterion=criterion, estimator=estimator)
        once = clone(selector).fit(X).order_
        grouped = clone(selector).fit(copies, groups=groups).order_
        np.testing.assert_array_equal(grouped, once)
    with pytest.raises(ValueError, match=r"groups has shape \(3,\)"):
        selector.fit(X, groups=[1, 2, 3])


def test_a_fixed_bank_and_a_list_of_banks_stay_as_they_are():
    X = one_domain(20, 12, seed=2)
    banks = [small_bank(), FrozenEstimator(small_bank(seed=1))]
    both = FisherSubsetSelector(5, criterion="rank", estimator=banks)
    fitted = clone(both).fit(X)
    for known, used in zip(banks, fitted.estimators_, strict=True):
        np.testing.assert_array_equal(known.discrimination_, used.discrimination_)
    one = clone(both).set_params(estimator=banks[:1]).fit(X)
    other = clone(both).set_params(estimator=banks[1]).fit(X)
    mean = (one.truncate(1).predict(X), other.truncate(1).predict(X))
    assert not np.allclose(*mean)
    chosen = fitted.order_
    apart = []
    for bank in fitted.estimators_:
        columns = np.sort(chosen)
        apart.append(
            predict_score(
                ScoreBank.of(bank), columns, X[:, columns], np.full(12, 1 / 12)
            )
        )
    scores = np.array([score for score, _ in apart])
    variances = np.mean([v for _, v in apart], axis=0) + scores.var(axis=0)
    predicted, error = fitted.predict(X, return_std=True)
    np.testing.assert_allclose(predicted, scores.mean(axis=0))
    np.testing.assert_allclose(error, np.sqrt(variances))


def test_combinations_that_make_no_sense_are_refused():
    X = one_domain(20, 12, seed=2)
    for params, words in (
        ({"criterion": "rank", "ranking": "ability"}, 'use ranking="score"'),
        ({"criterion": "rank", "stratify": "difficulty"}, "stratify is for"),
        ({"estimator": small_bank()}, "takes one one-dimensional bank"),
        ({"criterion": "rank", "estimator": []}, "empty list"),
    ):
        with pytest.raises(ValueError, match=words):
            FisherSubsetSelector(5, **params).fit(X)
    fitted = FisherSubsetSelector(5, criterion="rank", estimator=small_bank()).fit(X)
    with pytest.raises(ValueError, match="return_std is 'total'"):
        fitted.predict(X, return_std="total")
    X[3, fitted.order_] = np.nan
    with pytest.warns(UserWarning, match=r"1 of 20 models .*row 3.*prior's"):
        fitted.predict(X)


def test_the_other_criteria_can_rank_by_the_score(mixed):
    train, test = mixed
    by_score = FisherSubsetSelector(30, ranking="score").fit(train)
    by_ability = FisherSubsetSelector(30).fit(train)
    np.testing.assert_array_equal(by_score.order_, by_ability.order_)
    predicted = by_score.predict(test)
    assert np.abs(predicted - test.mean(axis=1)).mean() < 0.1
    assert spearmanr(predicted, by_ability.predict(test)).statistic > 0.95


# -- the choice of the design -------------------------------------------------------


def test_evidence_takes_a_design_that_is_clearly_better_near_a_size():
    sizes = np.array([5, 10, 20, 50, 100])
    rng = np.random.default_rng(0)
    z = rng.normal(1, 0.5, (12, 1, 5)).repeat(3, axis=1)
    z += rng.normal(0, 0.05, z.shape)
    z[:, DESIGNS.index("marginal")] += [0.3, 0.3, 0.1, -0.5, -0.5]
    z[:, DESIGNS.index("rank, then random")] -= 0.05
    evidence = Evidence(sizes, z, np.full((3, 5), 2.0))
    assert [evidence.design(k) for k in (1, 5, 10)] == ["marginal"] * 3
    # Nothing speaks for one of the others there: the default.
    assert [evidence.design(k) for k in (80, 100, 5000)] == ["rank"] * 3
    # The same differences among as much noise are no evidence.
    noisy = Evidence(sizes, z + rng.normal(0, 1, z.shape), evidence.stretch)
    assert [noisy.design(k) for k in (1, 5, 10)] == ["rank"] * 3
    assert Evidence(sizes, z[:1], evidence.stretch).design(5) == "rank"
    assert evidence.stretch_of("rank", 7) == pytest.approx(2)


def test_the_expected_gain_by_integration():
    """A gain known beforehand as N(-.003 k, .0009 k), and the splits' mean about it."""
    rng = np.random.default_rng(2)
    k = 20
    z = rng.normal(1, 0.2, (8, 3, 1)) + np.array([0.1, 0, -0.1])[:, None]
    found = Evidence(np.array([k]), z, np.ones((3, 1))).expected_gain(k)
    assert found[DESIGNS.index("rank")] == 0
    grid = np.linspace(-2, 2, 20_001)
    for design in ("marginal", "rank, then random"):
        gain = z[:, DESIGNS.index(design), 0] - z[:, DESIGNS.index("rank"), 0]
        posterior = norm.pdf(grid, -0.003 * k, np.sqrt(0.0009 * k))
        posterior *= norm.pdf(gain.mean(), grid, gain.std(ddof=1) * np.sqrt(1 / 8 + 1))
        mean = grid @ posterior / posterior.sum()
        assert found[DESIGNS.index(design)] == pytest.approx(mean, abs=1e-6)


@pytest.fixture(scope="module")
def auto():
    """Unlike domains, so that one dimension cannot be the best at many items."""
    X = two_domains(130, 40, seed=5, dull=0)
    train, test = X[:30], X[30:]
    return AutoSubsetSelector(20, n_splits=2).fit(train), train, test


def test_the_choice_inside_the_panel(auto):
    selector, train, test = auto
    assert selector.agreement_.columns.tolist() == [5, 10, 20]
    assert selector.design_ in DESIGNS
    assert selector.design_ != "marginal"
    assert selector.score(test) > FisherSubsetSelector(20).fit(train).score(test)
    rank = FisherSubsetSelector(20, criterion="rank").fit(train)
    assert selector.score(test) > rank.score(test) - 0.01
    path, errors = selector.predict_path(test, [10, 20], return_std=True)
    predicted, error = selector.predict(test, return_std=True)
    np.testing.assert_array_equal(path[1], predicted)
    np.testing.assert_array_equal(errors[1], error)
    inside = np.abs(predicted - test.mean(axis=1)) < 1.645 * error
    assert inside.mean() > 0.8
    only = selector.predict_subset(test[:, selector.get_support()])
    np.testing.assert_array_equal(only, predicted)
    with pytest.raises(ValueError, match="sizes are from 1 to 20"):
        selector.predict_path(test, [21])


def test_a_smaller_choice_is_a_prefix_only_where_designs_agree(auto):
    selector, train, test = auto
    smaller = clone(selector).set_params(k=10).fit(train)
    np.testing.assert_array_equal(
        smaller.predict(test), selector.predict_path(test, [10])[0]
    )
    if selector.nested_:
        cut = selector.truncate(10)
        np.testing.assert_array_equal(cut.order_, smaller.order_)
        np.testing.assert_array_equal(cut.predict(test), smaller.predict(test))
    else:
        with pytest.raises(ValueError, match="not nested"):
            selector.truncate(10)


def test_few_models_are_not_compared():
    selector = AutoSubsetSelector(8).fit(one_domain(9, 40, seed=0))
    assert selector.design_ == "rank"
    assert selector.agreement_.empty
    assert selector.nested_
    groups = np.arange(24) // 3
    selector.fit(one_domain(24, 40, seed=0), groups=groups)
    assert selector.agreement_.empty


def test_it_goes_through_an_agreement_curve():
    X = two_domains(30, 40, seed=5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        curve = agreement_curve(
            {"auto": AutoSubsetSelector(n_splits=1), "random": RandomSubsetSelector()},
            X,
            k=[5, 20],
            cv=2,
            n_bootstrap=0,
        )
    assert np.isfinite(curve.to_frame()["mean"]).all()
