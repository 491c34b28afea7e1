"""Simulated benchmarks: what is planted is what the responses and tables show."""

import time

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from skirt.datasets._multidim_simulator import make_multidim_responses

BENCHMIRT = {"n_models": 100, "n_items": 34_000, "n_benchmarks": 16}


def test_benchmirt_shape_in_a_moment():
    started = time.perf_counter()
    sim = make_multidim_responses(**BENCHMIRT, mislabelled=1, split=1, random_state=0)
    assert time.perf_counter() - started < 10  # about half a second at rest
    assert sim.data.shape == (100, 34_000)
    assert set(np.unique(sim.data)) == {0, 1}
    assert sim.truth["mislabelled"].sum() == sim.truth["split"].sum() == 1
    plain = ~(sim.truth["mislabelled"] | sim.truth["split"])
    assert (sim.truth["target"] == sim.truth["dominant"])[plain].all()
    # Squared correlations of a benchmark's mean with the abilities, from the data.
    score = pd.DataFrame(sim.data.T).groupby(sim.item_table["benchmark"].to_numpy())
    beta = np.linalg.lstsq(
        np.c_[sim.ability, np.ones(100)], score.mean().to_numpy().T, rcond=None
    )[0][:2]
    share = beta[1] / beta.sum(axis=0)
    follows = sim.truth["dominant"].astype("float64").fillna(0.5).to_numpy()
    assert np.abs(share - follows).max() < 0.15


@pytest.mark.parametrize("as_frame", [False, True])
def test_responses_follow_the_stated_model(as_frame):
    sim = make_multidim_responses(
        600,
        500,
        n_components=3,
        cross_loading=0.4,
        return_probabilities=True,
        as_frame=as_frame,
        random_state=2,
    )
    p, x = np.asarray(sim.probability), np.asarray(sim.data)
    logit = sum(np.outer(sim.ability[:, d], sim.discrimination[:, d]) for d in range(3))
    np.testing.assert_allclose(p, expit(logit + sim.intercept))
    for axis in (0, 1):
        z = (x - p).sum(axis=axis) / np.sqrt((p * (1 - p)).sum(axis=axis))
        assert abs(z.mean()) < 4 / np.sqrt(len(z))
        assert z.std() == pytest.approx(1, abs=4 / np.sqrt(2 * len(z)))
    if as_frame:
        assert sim.data.columns.tolist() == sim.item_table.index.tolist()
        assert sim.data.index.tolist() == sim.model_table.index.tolist()


def test_abilities_correlate_as_asked_also_within_families():
    phi = np.array([[1, 0.6, -0.2], [0.6, 1, 0.3], [-0.2, 0.3, 1]])
    sim = make_multidim_responses(
        40_000,
        6,
        n_components=3,
        ability_correlation=phi,
        n_families=8000,
        family_spread=0.6,
        random_state=3,
    )
    np.testing.assert_allclose(np.cov(sim.ability.T), phi, atol=0.03)
    ability = pd.DataFrame(sim.ability).groupby(sim.groups)
    within = (ability.obj - ability.transform("mean")).cov() * 5 / 4
    np.testing.assert_allclose(within, 0.36 * phi, atol=0.01)
    assert (ability.size() == 5).all()
    same = make_multidim_responses(5, 9, n_components=3, ability_correlation=0.2)
    assert same.ability_correlation[0].tolist() == [1, 0.2, 0.2]


@pytest.mark.parametrize("score", [0.2, [0.5, 0.9, 0.05]])
def test_the_mean_score_is_exact_for_the_items_drawn(score):
    sim = make_multidim_responses(
        1, [30, 20, 10], mean_score=score, ability_correlation=0.7, random_state=1
    )
    # Brute force: a fine product grid of both abilities.
    grid = np.linspace(-6, 6, 121)
    z = np.stack(np.meshgrid(grid, grid), axis=-1).reshape(-1, 2)
    weight = np.exp(-(z**2).sum(axis=1) / 2)
    theta = z @ np.linalg.cholesky([[1, 0.7], [0.7, 1]]).T
    p = weight @ expit(theta @ sim.discrimination.T + sim.intercept) / weight.sum()
    if np.ndim(score):
        p = pd.Series(p).groupby(sim.item_table["benchmark"].to_numpy()).mean()
    else:
        p = p.mean()
    np.testing.assert_allclose(p, score, atol=1e-6)


def test_discriminations_have_the_wanted_distribution():
    sim = make_multidim_responses(
        1,
        60_000,
        discrimination_cv=0.8,
        mean_discrimination=1.5,
        cross_loading=0.2,
        random_state=0,
    )
    # The dominant dimension is the larger of two, so that strong items are its own.
    own = np.where(np.arange(60_000) // 15_000 % 2 == 0, 0, 1)
    slope = np.take_along_axis(sim.discrimination, own[:, None], axis=1)[:, 0]
    other = np.take_along_axis(sim.discrimination, 1 - own[:, None], axis=1)[:, 0]
    assert slope.min() > 0
    assert slope.mean() == pytest.approx(1.5, rel=0.02)
    assert slope.std() / slope.mean() == pytest.approx(0.8, rel=0.05)
    assert (other / slope).std() == pytest.approx(0.2, rel=0.03)
    assert abs((other / slope).mean()) < 0.01
    assert (sim.item_table["dominant"] == own).mean() > 0.999


def test_planted_benchmarks_by_name():
    sim = make_multidim_responses(
        3,
        [40, 41, 30, 20],
        targets=[0, 0, 1, 1],
        mislabelled=["benchmark1"],
        split=["benchmark2"],
        cross_loading=0.0,
        random_state=0,
    )
    truth = sim.truth
    assert truth.index.tolist() == sim.benchmark_names
    assert truth["n_items"].tolist() == [40, 41, 30, 20]
    assert truth["target"].tolist() == [0, 0, 1, 1]
    assert truth["mislabelled"].tolist() == [False, True, False, False]
    assert truth["split"].tolist() == [False, False, True, False]
    assert truth["dominant"].isna().tolist() == [False, False, True, False]
    items = sim.item_table
    assert (items["target"] == items["benchmark"].map(truth["target"])).all()
    halves = items.groupby("category")["dominant"].agg(["min", "max", "size"])
    assert halves["min"].tolist() == [0, 0, 1, 1, 1, 0, 1, 1]
    assert (halves["min"] == halves["max"]).all()
    assert halves["size"].tolist() == [20, 20, 21, 20, 15, 15, 10, 10]
    assert (np.count_nonzero(sim.discrimination, axis=1) == 1).all()


def test_drawn_benchmarks_leave_every_dimension_some_items():
    drawn = set()
    for seed in range(20):
        sim = make_multidim_responses(
            2, 60, n_benchmarks=6, n_components=3, mislabelled=2, split=1,
            random_state=seed,
        )  # fmt: skip
        truth = sim.truth
        assert truth["mislabelled"].sum() == 2
        assert truth["split"].sum() == 1
        assert set(sim.item_table["dominant"]) == {0, 1, 2}
        drawn |= set(truth.index[truth["mislabelled"]])
        every = make_multidim_responses(2, 9, mislabelled=4, random_state=seed)
        assert every.truth["mislabelled"].all()
    assert len(drawn) == 6


def test_abilities_do_not_depend_on_the_benchmarks_nor_answers_on_the_gaps():
    plain = make_multidim_responses(50, 300, random_state=5)
    odd = make_multidim_responses(50, 300, mislabelled=1, split=1, random_state=5)
    np.testing.assert_array_equal(plain.ability, odd.ability)
    gaps = make_multidim_responses(50, 300, missing_rate=0.2, random_state=5)
    missing = np.isnan(gaps.data)
    assert missing.mean() == pytest.approx(0.2, abs=0.02)
    np.testing.assert_array_equal(gaps.data[~missing], plain.data[~missing])
    other = make_multidim_responses(50, 300, random_state=6)
    assert not np.array_equal(other.ability, plain.ability)


def test_loadings_that_are_given_are_used_and_described():
    loadings = np.zeros((12, 2))
    loadings[:6, 0], loadings[6:9, 1], loadings[9:, 0] = 1.0, -2.0, 0.5
    sim = make_multidim_responses(
        4, loadings=loadings, n_benchmarks=2, targets=[1, 1], random_state=0
    )
    np.testing.assert_array_equal(sim.discrimination, loadings)
    assert sim.truth["mislabelled"].tolist() == [True, False]
    assert sim.truth["split"].tolist() == [False, True]
    np.testing.assert_allclose(sim.truth["discrimination1"], [0, -1])
    unnamed = make_multidim_responses(4, loadings=loadings, n_benchmarks=2)
    assert unnamed.truth["target"].tolist() == [0, 1]
    assert not unnamed.truth["mislabelled"].any()
    # Items that measure nothing still differ in difficulty.
    noise = make_multidim_responses(4, loadings=np.zeros((9, 1)), mean_score=0.7)
    assert len(np.unique(noise.intercept)) == 9
    assert expit(noise.intercept).mean() == pytest.approx(0.7)


def test_one_dimension_is_the_ordinary_model():
    sim = make_multidim_responses(200, 50, n_components=1, random_state=0)
    assert sim.ability.shape == (200, 1)
    assert sim.discrimination.shape == (50, 1)
    assert sim.discrimination.min() > 0
    assert sim.ability_correlation.tolist() == [[1]]
    assert set(sim.truth["dominant"]) == {0}
    with pytest.raises(ValueError, match="no other"):
        make_multidim_responses(9, n_components=1, mislabelled=1)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"n_models": 0}, "'n_models' parameter"),
        ({"mean_score": 1.0}, "'mean_score' parameter"),
        ({"mean_score": [0.5, 0.2]}, "one for each of the 4 benchmarks"),
        ({"n_items": 3}, "n_benchmarks=4 is more than the 3 items"),
        ({"n_items": [3, 0]}, "n_items holds 0: each must be at least 1"),
        ({"n_items": [3, 2.5]}, "n_items must be whole numbers"),
        ({"n_items": [3, 4], "n_benchmarks": 3}, "n_items has 2 numbers"),
        ({"targets": [0, 1, 2, 0]}, "targets holds 2: each must be from 0 to 1"),
        ({"targets": [0, 1]}, "targets names 2 dimensions for 4 benchmarks"),
        ({"targets": [1, 1, 1, 1]}, "No benchmark follows dimension 0"),
        ({"mislabelled": ["mmlu"]}, "names 'mmlu', but the benchmarks are"),
        ({"mislabelled": ["benchmark1", "benchmark3"]}, "follows dimension 1"),
        ({"mislabelled": ["benchmark1"], "split": ["benchmark1"]}, "choose one"),
        ({"n_benchmarks": 2, "mislabelled": 1}, "=1, but only 0 benchmarks are left"),
        ({"mislabelled": 5}, "mislabelled=5, but only 4 benchmarks are left"),
        ({"split": 5}, "split=5, but only 4 benchmarks are left"),
        (
            {"n_items": [1, 9], "split": ["benchmark0"]},
            "one item, which cannot be",
        ),
        ({"ability_correlation": 1.0}, "not positive definite"),
        ({"ability_correlation": -0.6, "n_components": 3}, "not positive definite"),
        ({"ability_correlation": np.eye(3)}, r"shape \(3, 3\), but there are 2"),
        ({"ability_correlation": [[1, 0.2], [0.3, 1]]}, "must be symmetric"),
        ({"n_families": 101}, "n_families=101 is more than n_models=100"),
        ({"loadings": np.ones((9, 2)), "mislabelled": 1}, "beside loadings"),
        ({"loadings": np.ones((9, 2)), "n_items": 8}, "9 rows, but n_items makes 8"),
        ({"loadings": np.ones((9, 2)), "n_components": 3}, "2 columns"),
        ({"loadings": [[np.nan, 1]] * 9}, "NaN"),
    ],
)
def test_contradictions_are_refused(wrong, words):
    with pytest.raises(ValueError, match=words):
        make_multidim_responses(**wrong)
