"""The multidimensional model against R's mirt, brute force and planted truth."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from conftest import SHARED
from numpy.testing import assert_allclose
from scipy.optimize import linear_sum_assignment
from scipy.special import expit
from scipy.stats import multivariate_normal, norm
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.utils.estimator_checks import parametrize_with_checks

from skirt import MultidimIRT, TwoPLEstimator
from skirt._multidim._gaussian import GaussianPosterior
from skirt._multidim._items import Items
from skirt._multidim._priors import ItemPriors
from skirt._response_data import ResponseData
from skirt.datasets import load_lsat7

NO_PRIORS = {"discrimination_prior": None, "intercept_prior": None}
ROTATIONS = [None, "varimax", "quartimax", "promax", "oblimin", "geomin"]


def planted(n_models, n_items, n_components=2, correlation=0.4, seed=0):
    """Near-simple structure: (X, abilities, discrimination, intercept)."""
    rng = np.random.default_rng([seed, n_models, n_items])
    phi = np.full((n_components, n_components), correlation)
    np.fill_diagonal(phi, 1.0)
    theta = rng.multivariate_normal(np.zeros(n_components), phi, n_models)
    a = np.abs(rng.normal(0, 0.15, (n_items, n_components)))
    own = np.arange(n_items) % n_components
    a[np.arange(n_items), own] = rng.lognormal(0.1, 0.3, n_items)
    d = rng.normal(0, 1.2, n_items)
    p = expit(theta @ a.T + d)
    return (rng.random(p.shape) < p).astype(float), theta, a, d


@pytest.fixture(scope="module")
def panel():
    return planted(120, 60)


@pytest.fixture(scope="module")
def fitted(panel):
    return MultidimIRT().fit(panel[0])


# Reference values


def read_gold(gold, name, n_components):
    items = pd.read_csv(gold / f"{name}_efa_loadings.csv")
    items = items[items.estimation == "EM"]
    columns = [f"F{k + 1}" for k in range(n_components)]
    X = pd.read_csv(gold / f"{name}_data.csv")
    figures = json.loads((gold / f"{name}_fit.json").read_text())

    def table(rotation):
        return items[items.rotation == rotation].set_index("item").loc[X.columns]

    return X, figures, table, columns


def check_exploratory(gold, name, n_components, rotations, tolerance):
    X, figures, table, columns = read_gold(gold, name, n_components)
    slopes = table("unrotated_slopes")
    common = slopes[columns].to_numpy() @ slopes[columns].to_numpy().T
    for rotation in rotations:
        model = MultidimIRT(n_components, rotation=rotation, **NO_PRIORS).fit(X)
        assert model.converged_
        assert model.integration_ == "quadrature"
        assert abs(model.log_likelihood_ - figures["efa_em"]["logLik"]) < tolerance[0]
        own = model.discrimination_ @ model.ability_correlation_
        assert np.abs(own @ model.discrimination_.T - common).max() < tolerance[1]
        assert np.abs(model.intercept_ - slopes["d"]).max() < 0.01
        reference = table(rotation)[columns].to_numpy()
        agreement = model.loadings_.T @ reference
        _, order = linear_sum_assignment(-np.abs(agreement))
        signs = np.sign(agreement[np.arange(n_components), order])
        matched = reference[:, order] * signs
        assert np.abs(model.loadings_ - matched).max() < 0.005
        phi = np.array(figures["factor_cor"][f"EM_{rotation}"])
        phi = phi[np.ix_(order, order)] * np.outer(signs, signs)
        assert np.abs(model.ability_correlation_ - phi).max() < 0.005


def test_two_dimensions_as_in_mirt(gold):
    rotations = ["oblimin", "varimax", "promax"]
    check_exploratory(gold, "mirt2d_1000x40", 2, rotations, (0.01, 0.005))


@pytest.mark.slow
def test_three_dimensions_as_in_mirt(gold):
    check_exploratory(gold, "mirt3d_2000x30", 3, ["oblimin"], (0.1, 0.03))


@pytest.mark.parametrize("structure", ["simple", "true_structure"])
def test_confirmatory_models_as_in_mirt(gold, structure):
    name = "mirt2d_1000x40"
    X, figures, *_ = read_gold(gold, name, 2)
    items = pd.read_csv(gold / f"{name}_cfa_items.csv")
    items = items[items.model == structure].set_index("item").loc[X.columns]
    slopes = items[["a1", "a2"]]
    model = MultidimIRT(loading_pattern=slopes != 0, **NO_PRIORS).fit(X)
    expected = figures[f"cfa_{structure}"]
    assert abs(model.log_likelihood_ - expected["logLik"]) < 0.01
    assert np.abs(model.discrimination_ - slopes).max().max() < 0.005
    assert np.abs(model.intercept_ - items["d"]).max() < 0.005
    assert np.abs(model.ability_correlation_ - expected["factor_cov"]).max() < 0.002
    # To first order, and with what items share added on top: a few per cent.
    assert_allclose(model.intercept_se_, items["se_d"], rtol=0.07)
    free = slopes.to_numpy() != 0
    reference = items[["se_a1", "se_a2"]].to_numpy()[free]
    assert_allclose(model.discrimination_se_[free], reference, rtol=0.07)
    scores = pd.read_csv(gold / f"{name}_cfa_scores_first300.csv")
    bank = MultidimIRT.from_item_parameters(
        discrimination=slopes,
        intercept=items["d"],
        ability_correlation=expected["factor_cov"],
    )
    for method in ("map", "eap"):
        bank.set_params(ability_method=method)
        label = f"{structure}_{method.upper()}"
        columns = [f"{label}_F1", f"{label}_F2"]
        assert np.abs(bank.transform(X[:300]) - scores[columns]).max().max() < 1e-3
        se = np.sqrt(np.einsum("nkk->nk", bank.ability_covariance(X[:300])))
        columns = [f"{label}_SE_F1", f"{label}_SE_F2"]
        assert np.abs(se - scores[columns]).max().max() < 1e-3


# Brute force


def brute_force(X, a, d, phi, n_nodes=161, reach=8.0):
    """Log-likelihood, mean and covariance of each row on one fine product grid."""
    nodes = np.linspace(-reach, reach, n_nodes)
    theta = np.stack(np.meshgrid(nodes, nodes), axis=-1).reshape(-1, 2)
    log_prior = -0.5 * np.einsum("qk,kl,ql->q", theta, np.linalg.inv(phi), theta)
    log_prior -= np.log(2 * np.pi) + 0.5 * np.linalg.slogdet(phi)[1]
    out = []
    for x in X:
        seen = ~np.isnan(x)
        z = theta @ a[seen].T + d[seen]
        joint = log_prior + z @ x[seen] - np.logaddexp(0, z).sum(axis=1)
        top = joint.max()
        weight = np.exp(joint - top)
        total = weight.sum()
        mean = weight @ theta / total
        centred = theta - mean
        covariance = (centred * weight[:, None]).T @ centred / total
        area = (nodes[1] - nodes[0]) ** 2
        out.append((top + np.log(total * area), mean, covariance))
    return [np.array(part) for part in zip(*out, strict=True)]


def test_likelihood_and_posteriors_are_integrals(panel):
    X, _, a, d = panel
    X, a, d = X[:30, :20].copy(), a[:20], d[:20]
    X[::3, ::4] = np.nan
    X[0], X[1] = 1.0, 0.0  # the most skewed posteriors there are
    phi = np.array([[1.0, 0.3], [0.3, 1.0]])
    bank = MultidimIRT.from_item_parameters(
        discrimination=a, intercept=d, ability_correlation=phi, ability_method="eap"
    )
    log_likelihood, mean, covariance = brute_force(X, a, d, phi)
    assert_allclose(bank.score_samples(X), log_likelihood, atol=1e-4)
    assert_allclose(bank.transform(X), mean, atol=1e-3)
    assert_allclose(bank.ability_covariance(X), covariance, atol=2e-3)
    expected = log_likelihood.sum() / (~np.isnan(X)).sum()
    assert_allclose(bank.score(X), expected, atol=1e-6)


def test_uncertain_items_are_averaged_over(panel):
    """On few models: the posterior of a new model, by brute force over its items."""
    model = MultidimIRT(2, integration="variational").fit(panel[0][:30])
    known, new = model._items, panel[0][100:103]
    axis = np.linspace(-5, 5, 141)
    theta = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    points, weights = np.polynomial.hermite_e.hermegauss(61)
    extended = np.column_stack([theta, np.ones(len(theta))])
    spread = np.sqrt(np.einsum("qk,jkl,ql->qj", extended, known.covariance, extended))
    logits = theta @ known.discrimination.T + known.intercept
    p = sum(
        w * expit(logits + x * spread)
        for x, w in zip(points, weights / weights.sum(), strict=True)
    )
    prior = np.linalg.inv(model.ability_correlation_)
    log_prior = -0.5 * np.einsum("qk,kl,ql->q", theta, prior, theta)
    log_prior += 0.5 * np.linalg.slogdet(prior)[1] - np.log(2 * np.pi)
    joint = new @ np.log(p).T + (1 - new) @ np.log1p(-p).T + log_prior
    cell = (axis[1] - axis[0]) ** 2
    total = np.log(np.exp(joint).sum(axis=1) * cell)
    assert_allclose(model.score_samples(new), total, atol=2e-3)
    # The grid's best point is at most half a step from the mode in each direction.
    assert_allclose(model.transform(new), theta[joint.argmax(axis=1)], atol=0.04)


def test_new_models_come_out_on_the_scale_of_the_panel():
    """Regression on the truth: slope 1 for the panel's models, and for new ones."""
    X, theta, _, _ = planted(400, 500, seed=3)
    model = MultidimIRT(2).fit(X[:100])
    design = np.column_stack([theta, np.ones(400)])
    own = np.linalg.lstsq(design[:100], model.ability_, rcond=None)[0]
    new = np.linalg.lstsq(design[100:], model.transform(X[100:]), rcond=None)[0]
    # Taken for the panel's own, new models would come out at .89.
    assert_allclose(
        np.linalg.det(new[:2] @ np.linalg.inv(own[:2])) ** 0.5, 1, atol=0.04
    )


def test_score_of_the_benchmark_and_its_error(panel):
    X, theta, a, d = panel
    bank = MultidimIRT.from_item_parameters(discrimination=a, intercept=d)
    score, se = bank.predict(X[:5], return_std=True)
    ability, covariance = bank.transform(X[:5]), bank.ability_covariance(X[:5])
    assert_allclose(score, expit(ability @ a.T + d).mean(axis=1))
    draws = np.random.default_rng(0)
    for i in range(5):
        sample = draws.multivariate_normal(ability[i], covariance[i], 4000)
        spread = expit(sample @ a.T + d).mean(axis=1).std()
        assert_allclose(se[i], spread, rtol=0.15)


# Properties


def test_rotations_change_no_probability(panel, fitted):
    X = panel[0]
    probability = fitted.inverse_transform(fitted.ability_)
    for rotation in ROTATIONS:
        model = MultidimIRT(rotation=rotation).fit(X)
        assert_allclose(model.inverse_transform(model.ability_), probability, atol=1e-8)
        assert_allclose(model.score(X), fitted.score(X), atol=1e-8)
        assert_allclose(np.diag(model.ability_correlation_), 1.0)
        assert_allclose(model.mdisc_, fitted.mdisc_, atol=1e-8)
        assert_allclose(model.explained_share_.sum(), 1.0)
        assert (np.diff(model.explained_share_) <= 1e-12).all()
        assert (model.discrimination_.sum(axis=0) > 0).all()


def test_target_rotation_comes_back(panel, fitted):
    X = panel[0]
    wanted = fitted.loadings_[:, ::-1].copy()
    wanted[::2, 0] = np.nan  # what is free is not looked at
    target = pd.DataFrame(wanted, index=[f"item{j}" for j in range(60)])
    model = MultidimIRT(rotation="target", rotation_target=target.iloc[::-1]).fit(X)
    assert_allclose(model.loadings_, fitted.loadings_[:, ::-1], atol=1e-4)


def test_axes_do_not_depend_on_order_or_seed(panel, fitted):
    X = panel[0]
    rng = np.random.default_rng(0)
    rows, columns = rng.permutation(120), rng.permutation(60)
    other = MultidimIRT(random_state=7).fit(X[np.ix_(rows, columns)])
    assert_allclose(other.discrimination_, fitted.discrimination_[columns], atol=1e-6)
    assert_allclose(other.ability_, fitted.ability_[rows], atol=1e-6)


def test_random_starts_find_the_same(panel, fitted):
    other = MultidimIRT(start="random", random_state=3, tol=1e-4).fit(panel[0])
    assert_allclose(other.discrimination_, fitted.discrimination_, atol=0.01)


def test_weights_are_repeats(panel):
    X = panel[0][:60]
    weights = np.arange(60) % 3
    repeated = MultidimIRT(tol=1e-5).fit(np.repeat(X, weights, axis=0))
    weighted = MultidimIRT(tol=1e-5).fit(X, sample_weight=weights)
    assert_allclose(weighted.discrimination_, repeated.discrimination_, atol=1e-6)
    assert_allclose(weighted.log_likelihood_, repeated.log_likelihood_, rtol=1e-7)


def test_quadrature_and_normal_posteriors_agree(panel):
    models = [
        MultidimIRT(rotation=None, integration=kind).fit(panel[0])
        for kind in ("quadrature", "variational")
    ]
    assert [model.integration_ for model in models] == ["quadrature", "variational"]
    away = np.abs(models[0].discrimination_ - models[1].discrimination_)
    assert (away < 0.3 * models[0].discrimination_se_).all()


def test_population_has_unit_variance():
    X, *_ = planted(300, 40, seed=2)
    model = MultidimIRT(ability_method="eap", rotation="varimax").fit(X)
    second = model.ability_.T @ model.ability_ / 300
    second += model.ability_covariance(X).mean(axis=0)
    # The panel is plugged in without the items' uncertainty, which stretches it.
    assert_allclose(second, np.eye(2), atol=0.06)
    model.set_params(**NO_PRIORS).fit(X)
    second = model.ability_.T @ model.ability_ / 300
    second += model.ability_covariance(X).mean(axis=0)
    assert_allclose(second, np.eye(2), atol=2e-3)


def test_planted_dimensions_are_found():
    X, theta, *_ = planted(100, 2000, seed=1)
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    model = MultidimIRT().fit(X)
    assert model.integration_ == "variational"
    found = np.abs(np.corrcoef(theta.T, model.ability_.T)[:2, 2:])
    assert (found.max(axis=1) > 0.985).all()
    assert set(found.argmax(axis=1)) == {0, 1}


@pytest.mark.parametrize("n_components", [4, 6])
def test_many_dimensions(n_components):
    X, theta, *_ = planted(200, 30 * n_components, n_components, 0.2, seed=3)
    model = MultidimIRT(n_components).fit(X)
    found = np.abs(np.corrcoef(theta.T, model.ability_.T)[:n_components, n_components:])
    assert (found.max(axis=1) > 0.85).all()
    assert len(set(found.argmax(axis=1))) == n_components


def test_bifactor_model_is_recovered():
    rng = np.random.default_rng(5)
    theta = rng.normal(size=(1500, 3))
    pattern = np.zeros((30, 3), dtype=bool)
    pattern[:, 0] = pattern[:15, 1] = pattern[15:, 2] = True
    a = np.where(pattern, rng.uniform(0.8, 2.0, (30, 3)), 0.0)
    d = rng.normal(0, 1, 30)
    X = (rng.random((1500, 30)) < expit(theta @ a.T + d)).astype(float)
    model = MultidimIRT(3, loading_pattern=pattern, **NO_PRIORS).fit(X)
    assert_allclose(model.ability_correlation_, np.eye(3))
    assert (model.discrimination_[~pattern] == 0).all()
    z = (model.discrimination_ - a)[pattern] / model.discrimination_se_[pattern]
    assert 0.7 < np.sqrt(np.mean(z**2)) < 1.35


def test_noise_is_no_second_dimension():
    X, *_ = planted(60, 800, 1, seed=4)
    model = MultidimIRT(rotation=None).fit(X)
    assert model.explained_share_[1] < 0.05


# The estimator


@parametrize_with_checks([MultidimIRT(binarize=t) for t in (0.0, 0.5, 1.5)])
@pytest.mark.filterwarnings("ignore:.*not identified")
@pytest.mark.filterwarnings("ignore:An estimated prior")
@pytest.mark.filterwarnings("ignore:Skipping check")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_scikit_learn(estimator, check):
    check(estimator)


def test_one_component_is_the_two_parameter_model():
    X = load_lsat7().data
    one, two = MultidimIRT(1).fit(X), TwoPLEstimator().fit(X)
    assert_allclose(one.discrimination_[:, 0], two.discrimination_)
    assert_allclose(one.ability_[:, 0], two.ability_, atol=1e-6)
    assert_allclose(one.score_samples(X), two.score_samples(X), atol=1e-6)
    assert one.get_feature_names_out().tolist() == ["ability0"]


def test_score_chooses_the_number_of_components(panel):
    search = GridSearchCV(
        MultidimIRT(discrimination_prior="normal"),
        {"n_components": [1, 2]},
        cv=KFold(3),
    ).fit(panel[0])
    assert search.best_params_ == {"n_components": 2}


def test_banks_stay_what_they_are(panel, fitted):
    X = pd.DataFrame(panel[0], columns=[f"q{j}" for j in range(60)])
    bank = MultidimIRT.from_item_parameters(
        discrimination=pd.DataFrame(panel[2], index=X.columns),
        difficulty=pd.Series(-panel[3] / np.linalg.norm(panel[2], axis=1), X.columns),
    )
    assert_allclose(bank.intercept_, panel[3])
    copy = clone(bank).fit(X.iloc[:, :30])
    assert_allclose(copy.discrimination_, panel[2][:30])
    part = X.copy()
    part.iloc[:, 30:] = np.nan
    assert_allclose(copy.ability_, bank.transform(part), atol=1e-7)
    some = fitted.select_items([5, 2])
    assert_allclose(some.discrimination_, fitted.discrimination_[[5, 2]])
    some = bank.select_items([5, 2])
    assert_allclose(some.discrimination_, panel[2][[5, 2]])
    frozen = clone(FrozenEstimator(fitted)).fit(panel[0], None)
    assert_allclose(frozen.transform(panel[0]), fitted.transform(panel[0]))


def test_the_objective_is_the_evidence_that_it_bounds():
    # By sampling: the expected log-likelihood of normal abilities, less how far they
    # and the items' posteriors are from their priors.
    rng = np.random.default_rng(0)
    n, n_items, d = 4, 6, 2
    a, intercept = rng.normal(1, 1, (n_items, d)), rng.normal(0, 2, n_items)
    data = ResponseData.from_matrix((rng.random((n, n_items)) < 0.5).astype(float))
    posterior = GaussianPosterior(data, np.zeros((n, d)))
    posterior.update(Items(a, intercept), np.eye(d), 1e-8)
    root = np.linalg.cholesky(posterior.covariance)
    draws = rng.standard_normal((200_000, n, d))
    theta = posterior.mean + np.einsum("nkl,snl->snk", root, draws)
    logits = theta @ a.T + intercept
    value = (data.responses * logits - np.logaddexp(0, logits)).sum(axis=(1, 2))
    value -= 0.5 * np.square(theta).sum(axis=(1, 2))
    value += 0.5 * np.square(draws).sum(axis=(1, 2))
    value += np.log(np.einsum("nkk->nk", root)).sum()
    error = value.std() / np.sqrt(len(value))
    assert posterior.log_likelihood == pytest.approx(value.mean(), abs=5 * error)

    priors = replace(
        ItemPriors.from_parameters("auto", "auto", d),
        slope_mean=np.array([0.5, -0.2]),
        slope_covariance=np.array([[1.0, 0.3], [0.3, 0.5]]),
        intercept_mean=0.4,
        intercept_lean=np.array([0.3, -1.0]),
        intercept_sd=1.7,
    )
    factor = 0.4 * rng.normal(size=(n_items, d + 1, d + 1))
    covariance = factor @ factor.transpose(0, 2, 1) + 0.1 * np.eye(d + 1)
    mean = np.column_stack([a, intercept])
    inside = outside = 0.0
    for j in range(n_items):
        known = multivariate_normal(mean[j], covariance[j])
        draws = known.rvs(100_000, random_state=j)
        inside += known.logpdf(draws).mean()
        slopes = multivariate_normal(priors.slope_mean, priors.slope_covariance)
        outside += slopes.logpdf(draws[:, :d]).mean()
        centre = priors.intercept_mean + draws[:, :d] @ priors.intercept_lean
        outside += norm(centre, priors.intercept_sd).logpdf(draws[:, d]).mean()
    penalty = 0.5 * priors.intercept_lean @ priors.intercept_lean
    constant = 0.5 * (d + 1) * n_items  # left out
    found = priors.divergence(a, intercept, covariance, None, np.ones(n_items, bool))
    assert found - constant - penalty == pytest.approx(inside - outside, abs=0.15)


def test_models_that_miss_whole_benchmarks():
    # Items that nearly nobody or everybody solved went back and forth for ever.
    path = SHARED / "data" / "open_llm_leaderboard_tiny.csv.gz"
    if not path.exists():
        pytest.skip("no real response matrices at hand")
    X = pd.read_csv(path, index_col=0).iloc[::25]
    assert X.isna().to_numpy().mean() > 0.3
    bank = MultidimIRT(2, max_iter=150).fit(X)
    assert bank.converged_


def test_bad_input_is_refused_with_the_way_out(panel):
    X = panel[0]
    with pytest.raises(ValueError, match="n_features = 1"):
        MultidimIRT().fit(X[:, :1])
    with pytest.raises(ValueError, match="more models"):
        MultidimIRT(3).fit(X[:3])
    with pytest.raises(ValueError, match="item3.* were answered alike"):
        MultidimIRT(**NO_PRIORS).fit(np.where(np.arange(60) == 3, 1.0, X))
    with pytest.raises(ValueError, match="not identified with fewer than 5"):
        MultidimIRT(**NO_PRIORS).fit(X[:, :4])
    with pytest.warns(UserWarning, match="fixed priors stand in"):
        MultidimIRT().fit(X[:, :4])
    with pytest.raises(ValueError, match=r"shape \(60, 2\); got \(59, 2\)"):
        MultidimIRT(loading_pattern=np.ones((59, 2))).fit(X)
    with pytest.raises(ValueError, match="0 items load on component 1"):
        MultidimIRT(loading_pattern=np.tile([True, False], (60, 1))).fit(X)
    table = pd.DataFrame(np.ones((59, 2)), index=[f"item{j}" for j in range(1, 60)])
    with pytest.raises(ValueError, match="no row for item 'item0'"):
        MultidimIRT(loading_pattern=table).fit(X)
    with pytest.raises(ValueError, match="needs a rotation_target"):
        MultidimIRT(rotation="target").fit(X)
    with pytest.raises(ValueError, match="ability_correlation is a positive"):
        MultidimIRT.from_item_parameters(
            discrimination=np.ones((3, 2)),
            intercept=np.zeros(3),
            ability_correlation=np.ones((2, 2)),
        )
    with pytest.raises(ValueError, match="Item 1 has"):
        MultidimIRT.from_item_parameters(
            discrimination=np.ones((3, 2)), intercept=[0, np.nan, 0]
        )


def test_silent_models_and_unasked_items_have_defined_answers(panel):
    X = panel[0].copy()
    X[4] = np.nan
    X[:, 7] = np.nan
    with pytest.warns(UserWarning, match="have no answer"):
        model = MultidimIRT().fit(X)
    assert_allclose(model.ability_[4], 0.0)
    assert_allclose(model.ability_se_[4], 1.0)
    assert model.item_flags_["unanswered"].sum() == 1
    assert np.isfinite(model.discrimination_).all()


def test_progress_is_shown_on_request(panel, capsys):
    MultidimIRT(verbose=1).fit(panel[0])
    assert "cycle 1: largest move" in capsys.readouterr().out
