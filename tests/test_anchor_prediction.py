"""Full-benchmark scores predicted from anchor points: p-IRT and gp-IRT."""

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import expit
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import parametrize_with_checks

from skirt import (
    AnchorPointSelector,
    MultidimIRT,
    RandomSubsetSelector,
    TwoPLEstimator,
)
from skirt._sklearn_compat import FrozenEstimator

# Panels as small as these do not always determine the priors of the bank.
pytestmark = pytest.mark.filterwarnings("ignore:An estimated prior is at its bound")

BANKED = ("p-irt", "gp-irt")
banked = pytest.mark.parametrize("prediction", BANKED)


@pytest.mark.filterwarnings("ignore::UserWarning")
@parametrize_with_checks(
    [
        AnchorPointSelector(prediction=prediction, binarize=threshold, random_state=0)
        for prediction, threshold in (
            ("gp-irt", 0.0),
            ("p-irt", 0.5),
            ("gp-irt", 1.5),
        )
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


# -- the formulas, written out ------------------------------------------------------

A = np.array([0.6, 1.4, 0.9, 1.5, 0.8, 1.1, 1.3])
D = np.array([0.5, -1.0, 1.2, 0.1, -0.4, 0.8, -1.3])


def known_bank(**options):
    return FrozenEstimator(
        TwoPLEstimator.from_item_parameters(discrimination=A, intercept=D, **options)
    )


def small_panel(n_models=24, seed=3):
    rng = np.random.default_rng(seed)
    p = expit(np.multiply.outer(rng.normal(size=n_models), A) + D)
    X = (rng.random(p.shape) < p).astype(float)
    X[rng.random(X.shape) < 0.1] = np.nan
    return X


def posterior_by_hand(row, asked):
    """Points and weights of the normal posterior at the mode, from some answers."""
    asked = [j for j in asked if not np.isnan(row[j])]

    def minus_log(theta):
        p = expit(A[asked] * theta + D[asked])
        x = row[asked]
        return theta**2 / 2 - (x * np.log(p) + (1 - x) * np.log(1 - p)).sum()

    mode = minimize_scalar(minus_log, bounds=(-8, 8), method="bounded").x
    p = expit(A[asked] * mode + D[asked])
    sd = (1 + (A[asked] ** 2 * p * (1 - p)).sum()) ** -0.5
    points = np.linspace(-8, 8, 2001)
    weights = np.exp(-(points**2) / 2)
    return mode + sd * points, weights / weights.sum()


def expected_by_hand(row, asked, wanted):
    points, weights = posterior_by_hand(row, asked)
    return np.array([weights @ expit(A[j] * points + D[j]) for j in wanted])


@pytest.fixture(scope="module")
def by_hand():
    """Panel, new models, and for these from three anchors all that is predicted."""
    panel, new = small_panel(), small_panel(12, seed=5)
    anchors = AnchorPointSelector(k=3, random_state=0).fit(panel)
    order, share = anchors.order_, anchors.weights_
    errors, variances = [], []
    for row in panel:
        odd = [j for j in (1, 3, 5) if not np.isnan(row[j])]
        if odd and not np.isnan(row[[0, 2, 4, 6]]).all():
            expected = expected_by_hand(row, (0, 2, 4, 6), odd)
            errors.append(abs(expected.mean() - row[odd].mean()))
        answers = row[~np.isnan(row)]
        variances.append(((answers - answers.mean()) ** 2).mean())
    bias, variance = np.mean(errors), np.mean(variances)
    p_irt, gp_irt, spread = [], [], []
    for row in new:
        seen = [j for j in order if not np.isnan(row[j])]
        rest = [j for j in range(7) if j not in seen]
        p_irt.append((row[seen].sum() + expected_by_hand(row, seen, rest).sum()) / 7)
        of = [share[list(order).index(j)] for j in seen]
        mean = np.dot(of, row[seen]) / sum(of) if seen else p_irt[-1]
        weight = bias**2 / (variance / (4 * len(seen)) + bias**2) if seen else 0.0
        gp_irt.append(weight * mean + (1 - weight) * p_irt[-1])
        # The score over the posterior: its variance between and within abilities.
        points, weights = posterior_by_hand(row, seen)
        p = expit(np.multiply.outer(points, A[rest]) + D[rest])
        total = p.sum(axis=1)
        between = weights @ (total - weights @ total) ** 2
        within = weights @ (p * (1 - p)).sum(axis=1)
        spread.append(np.sqrt(between + within) / 7)
    found = {"p-irt": np.array(p_irt), "gp-irt": np.array(gp_irt)}
    return panel, new, bias, variance, found, np.array(spread)


@banked
@pytest.mark.filterwarnings("ignore:.*answered none of the chosen")
def test_predictions_by_their_formulas(by_hand, prediction):
    panel, new, bias, variance, found, spread = by_hand
    selector = AnchorPointSelector(
        k=3, prediction=prediction, estimator=known_bank(), random_state=0
    ).fit(panel)
    score, error = selector.predict(new, return_std=True)
    assert selector.bias_ == pytest.approx(bias, abs=2e-4)
    assert selector.variance_ == pytest.approx(variance)
    mixed = bias**2 / (variance / 12 + bias**2) if prediction == "gp-irt" else 0
    assert selector.anchor_weight_ == pytest.approx(mixed, abs=1e-3)
    np.testing.assert_allclose(score, found[prediction], atol=5e-4)
    # The mixture lies beside the posterior's mean, by as much as they differ.
    exact = np.hypot(spread, found[prediction] - found["p-irt"])
    # Through the abilities answers vary together by what is linear in these alone.
    exact *= selector.stretch_
    np.testing.assert_allclose(error, exact, rtol=0.007)
    assert selector.stretch_ >= 1


def test_the_mean_is_left_as_it_was():
    X = small_panel(30)
    plain = AnchorPointSelector(k=3, random_state=0).fit(X)
    assert not hasattr(plain, "estimator_")
    held = small_panel(6, seed=8)
    chosen, weights = held[:, plain.order_], plain.weights_
    mean = [
        np.dot(w, x[~np.isnan(x)]) / w.sum()
        for x, w in ((x, weights[~np.isnan(x)]) for x in chosen)
    ]
    np.testing.assert_allclose(plain.predict(held), mean)
    for prediction in BANKED:
        other = clone(plain).set_params(prediction=prediction).fit(X)
        np.testing.assert_array_equal(other.order_, plain.order_)
        np.testing.assert_array_equal(other.weights_, plain.weights_)
    with pytest.raises(ValueError, match='"mean" has no standard errors. Use'):
        plain.predict(X, return_std=True)
    # A selector fitted anew with "mean" predicts means again.
    other.set_params(prediction="mean").fit(X)
    np.testing.assert_array_equal(other.predict(held), plain.predict(held))


# -- planted truth ------------------------------------------------------------------


@pytest.fixture(scope="module")
def one_ability(simulate):
    """Of three panels, errors and standard errors of predictions for new models."""
    found = {"random": [], "mean": [], "p-irt": [], "gp-irt": [], "z": {}}
    for seed in range(3):
        X = simulate(250, 200, seed=seed)[0]
        panel, new, score = X[:50], X[50:], X[50:].mean(axis=1)
        for draw in range(5):
            drawn = RandomSubsetSelector(40, random_state=draw).fit(panel)
            found["random"].append(np.abs(drawn.predict(new) - score))
        mean = AnchorPointSelector(40, random_state=0).fit(panel)
        found["mean"].append(np.abs(mean.predict(new) - score))
        for prediction in BANKED:
            selector = clone(mean).set_params(prediction=prediction).fit(panel)
            predicted, error = selector.predict(new, return_std=True)
            found[prediction].append(np.abs(predicted - score))
            ratio = np.abs(predicted - score) / error
            found["z"].setdefault(prediction, []).append(ratio)
    return found


@banked
def test_predictions_beat_the_means(one_ability, prediction):
    error = np.mean(one_ability[prediction])
    assert error < 0.9 * np.mean(one_ability["mean"])
    assert error < 0.9 * np.mean(one_ability["random"])


@banked
def test_intervals_hold_what_they_say(one_ability, prediction):
    ratio = np.concatenate(one_ability["z"][prediction])
    assert 0.92 < np.mean(ratio < 1.96) < 0.98
    assert 0.86 < np.mean(ratio < 1.645) < 0.94


def test_further_abilities_are_taken_where_they_predict_better():
    rng = np.random.default_rng(0)
    theta = rng.normal(size=(60, 2))
    # Even columns are mostly of the first ability, odd ones mostly of the second.
    first = rng.random(160) < np.where(np.arange(160) % 2, 0.15, 0.85)
    logits = 2 * theta[:, np.where(first, 0, 1)] + rng.normal(size=160)
    X = (rng.random(logits.shape) < expit(logits)) * 1.0
    selector = AnchorPointSelector(20, prediction="gp-irt", random_state=0)
    assert selector.fit(X).n_components_ == 2
    same = 2 * theta[:, [0]] + rng.normal(size=160)
    X = (rng.random(same.shape) < expit(same)) * 1.0
    assert selector.fit(X).n_components_ == 1


# -- what is asked, and what is not -------------------------------------------------


@banked
def test_only_the_anchors_are_looked_at(prediction):
    X = small_panel(30)
    selector = AnchorPointSelector(3, prediction=prediction, random_state=0).fit(X)
    new = small_panel(8, seed=2)
    new[:, selector.order_] = np.arange(24).reshape(8, 3) % 2
    hidden = np.where(selector.get_support(), new, np.nan)
    everything = selector.predict(new, return_std=True)
    for found in (
        selector.predict(hidden, return_std=True),
        selector.predict_subset(new[:, selector.get_support()], return_std=True),
    ):
        np.testing.assert_array_equal(found, everything)
    np.testing.assert_array_equal(selector.predict(new), everything[0])


@banked
def test_a_model_without_answers_gets_what_the_bank_expects(prediction):
    bank = known_bank()
    selector = AnchorPointSelector(
        3, prediction=prediction, estimator=bank, random_state=0
    ).fit(small_panel())
    points = np.linspace(-8, 8, 2001)
    weights = np.exp(-(points**2) / 2)
    p = expit(np.multiply.outer(points, A) + D).mean(axis=1)
    with pytest.warns(UserWarning, match="1 of 1 models answered none of the chosen"):
        score, error = selector.predict(np.full((1, 7), np.nan), return_std=True)
    assert score[0] == pytest.approx(weights @ p / weights.sum(), abs=5e-4)
    assert error[0] > 0.1


@banked
def test_all_items_give_the_observed_score(prediction):
    X = np.random.default_rng(0).integers(0, 2, (20, 9)) * 1.0
    selector = AnchorPointSelector(9, prediction=prediction, random_state=0).fit(X)
    score, error = selector.predict(X, return_std=True)
    np.testing.assert_allclose(score, X.mean(axis=1))
    np.testing.assert_allclose(error, 0, atol=1e-12)
    assert selector.score(X) == pytest.approx(1)


# -- banks and groups ---------------------------------------------------------------


class Recording(TwoPLEstimator):
    """Notes on which models it is calibrated."""

    seen: list = []

    def fit(self, X, y=None, sample_weight=None):
        Recording.seen.append({row.tobytes() for row in np.asarray(X)})
        return super().fit(X, y, sample_weight)


@pytest.fixture
def recorded():
    Recording.seen.clear()
    return Recording.seen


def test_groups_stay_whole(simulate, recorded):
    X = simulate(24, 40)[0]
    families = np.repeat(np.arange(8), 3)
    rows = [{row.tobytes() for row in X[families == f]} for f in range(8)]

    def split(parts):
        return any(0 < len(part & family) < 3 for part in parts for family in rows)

    selector = AnchorPointSelector(
        8, prediction="gp-irt", estimator=Recording(), random_state=0
    )
    selector.fit(X, groups=families)
    # Each fifth of the families left out once, and the whole panel.
    assert sorted(len(part) for part in recorded) == [18, 18, 18, 21, 21, 24]
    assert not split(recorded)
    recorded.clear()
    selector.fit(X)
    assert split(recorded)


def test_families_count_once():
    X = small_panel(20)
    times = np.arange(20) % 4 + 1
    selector = AnchorPointSelector(
        3, prediction="gp-irt", estimator=known_bank(), random_state=0
    )
    once = clone(selector).fit(X)
    many = clone(selector).fit(
        np.repeat(X, times, axis=0), groups=np.repeat(np.arange(20), times)
    )
    assert many.bias_ == pytest.approx(once.bias_)
    assert many.variance_ == pytest.approx(once.variance_)
    assert many.anchor_weight_ == pytest.approx(once.anchor_weight_)


def test_memory_calibrates_once_for_each_part(simulate, recorded, tmp_path):
    X = simulate(20, 30)[0]
    selector = AnchorPointSelector(
        5,
        prediction="p-irt",
        estimator=Recording(),
        random_state=0,
        memory=str(tmp_path),
    ).fit(X)
    assert len(recorded) == 6
    again = clone(selector).set_params(k=9, prediction="gp-irt").fit(X)
    assert len(recorded) == 6
    fresh = clone(again).set_params(memory=None).fit(X)
    np.testing.assert_array_equal(again.predict(X), fresh.predict(X))


def test_banks_of_several_abilities_and_by_name(simulate):
    X = pd.DataFrame(simulate(30, 40)[0]).add_prefix("q")
    selector = AnchorPointSelector(10, prediction="gp-irt", random_state=0)
    bank = MultidimIRT(2, rotation=None, integration="variational", tol=0.05)
    given = clone(selector).set_params(estimator=bank).fit(X)
    assert given.n_components_ == 2
    assert given.predict(X).shape == (30,)
    bank = FrozenEstimator(TwoPLEstimator().fit(X))
    fewer = X.iloc[:, ::-2]
    by_name = clone(selector).set_params(estimator=bank).fit(fewer)
    bank = FrozenEstimator(bank.estimator.select_items(list(range(39, 0, -2))))
    by_place = clone(selector).set_params(estimator=bank).fit(fewer.to_numpy())
    np.testing.assert_array_equal(
        by_name.predict(fewer), by_place.predict(fewer.to_numpy())
    )


def test_a_grid_over_predictions(simulate):
    X = simulate(40, 30)[0]
    grid = GridSearchCV(
        AnchorPointSelector(10, random_state=0),
        {"prediction": ["mean", *BANKED]},
        cv=2,
        error_score="raise",
    ).fit(X)
    assert (grid.cv_results_["mean_test_score"] > 0.5).all()


# -- refusals -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"prediction": "pirt"}, "The 'prediction' parameter"),
        ({"estimator": 3}, "The 'estimator' parameter"),
        ({"estimator": known_bank()}, "bank has 7 items, but X has 10 columns"),
    ],
)
def test_parameters_that_do_not_fit(options, told):
    selector = AnchorPointSelector(3, prediction="gp-irt", random_state=0)
    with pytest.raises(ValueError, match=told):
        selector.set_params(**options).fit(np.eye(10))


@banked
def test_panels_that_cannot_test_a_bank(prediction):
    selector = AnchorPointSelector(1, prediction=prediction, random_state=0)
    X = np.random.default_rng(0).integers(0, 2, (8, 6)) * 1.0
    for groups, told in (
        (np.zeros(8), r"8 model\(s\) in 1 independent group\(s\), 8 of them in one"),
        (np.arange(8) == 3, r"in 2 independent group\(s\), 7 of them in one"),
    ):
        with pytest.raises(ValueError, match=told + ".*prediction=.mean"):
            selector.fit(X, groups=groups)
    with pytest.raises(ValueError, match="n_features = 1"):
        selector.fit(X[:, :1])
    with pytest.raises(ValueError, match="groups has shape"):
        selector.fit(X, groups=np.arange(7))
    X[:, ::2] = np.nan
    with pytest.raises(ValueError, match="None of the 2 models held out .* halves"):
        selector.fit(X)
    frozen = FrozenEstimator(TwoPLEstimator())
    with pytest.raises(NotFittedError):
        selector.set_params(estimator=frozen).fit(X)


def test_return_std_is_true_or_false():
    selector = AnchorPointSelector(
        3, prediction="p-irt", estimator=known_bank(), random_state=0
    ).fit(small_panel())
    with pytest.raises(ValueError, match="return_std is 'total': give True or False"):
        selector.predict(small_panel(), return_std="total")
