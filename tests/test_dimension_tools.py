"""Alignment, stability and selection of dimensions, against planted truths."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ortho_group, spearmanr
from sklearn import clone
from sklearn.decomposition import PCA
from sklearn.model_selection import GridSearchCV, ShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from skirt import TwoPLEstimator
from skirt._multidim import MultidimIRT
from skirt._sklearn_compat import FrozenEstimator
from skirt.audit._alignment import align_dimensions
from skirt.audit._binned_choice import best_of_each_bin
from skirt.audit._dimension_selector import DimensionItemSelector
from skirt.audit._stability import dimension_stability
from skirt.datasets import make_responses
from skirt.datasets._multidim_simulator import make_multidim_responses
from skirt.selection import RandomSubsetSelector


def draw_solution(seed, n_items=30, n_models=25, n_components=2):
    rng = np.random.default_rng(seed)
    a = rng.lognormal(0, 0.5, (n_items, n_components))
    a *= rng.random(a.shape) < 0.7
    return a + 0.1 * rng.normal(size=a.shape), rng.normal(size=(n_models, n_components))


# -- alignment ----------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_matching_undoes_any_signed_permutation(data):
    n_components = data.draw(st.integers(1, 6))
    seed = data.draw(st.integers(0, 10_000))
    order = np.array(data.draw(st.permutations(range(n_components))))
    signs = np.array(data.draw(st.tuples(*[st.sampled_from([-1, 1])] * n_components)))
    a, theta = draw_solution(seed, n_components=n_components)
    aligned = align_dimensions(
        a, a[:, order] * signs, reference_ability=theta, ability=theta[:, order] * signs
    )
    np.testing.assert_array_equal(aligned.discrimination, a)
    np.testing.assert_array_equal(aligned.ability, theta)
    np.testing.assert_array_equal(order[aligned.permutation], np.arange(n_components))
    np.testing.assert_array_equal(signs[aligned.permutation], aligned.signs)
    for r in (
        aligned.congruence,
        aligned.discrimination_correlation,
        aligned.ability_correlation,
    ):
        np.testing.assert_allclose(r, 1)


@pytest.mark.parametrize("method", ["orthogonal", "oblique"])
@pytest.mark.parametrize("n_components", [2, 3, 5])
def test_procrustes_undoes_any_rotation_and_reflection(method, n_components):
    a, theta = draw_solution(n_components, n_components=n_components)
    q = ortho_group.rvs(n_components, random_state=1)
    aligned = align_dimensions(
        a, a @ q, method=method, reference_ability=theta, ability=theta @ q
    )
    np.testing.assert_allclose(aligned.discrimination, a, atol=1e-12)
    np.testing.assert_allclose(aligned.ability, theta, atol=1e-12)


def test_oblique_procrustes_undoes_a_change_of_the_factor_correlations():
    a, theta = draw_solution(4, n_components=3)
    phi = np.array([[1, 0.5, 0.2], [0.5, 1, -0.3], [0.2, -0.3, 1]])
    rng = np.random.default_rng(0)
    move = rng.normal(size=(3, 3))
    move /= np.sqrt(np.diag(move @ phi @ move.T))[:, None]
    # Abilities move @ theta have unit variances again, and other correlations.
    other = a @ np.linalg.inv(move)
    aligned = align_dimensions(
        a,
        other,
        method="oblique",
        reference_ability=theta,
        ability=theta @ move.T,
        ability_correlation=move @ phi @ move.T,
    )
    np.testing.assert_allclose(aligned.discrimination, a, atol=1e-10)
    np.testing.assert_allclose(aligned.ability, theta, atol=1e-10)
    rigid = align_dimensions(a, other, method="orthogonal")
    assert np.abs(rigid.discrimination - a).max() > 0.1


@pytest.mark.parametrize("method", ["match", "orthogonal", "oblique"])
def test_alignment_never_changes_a_probability(method):
    a, _ = draw_solution(1, n_components=3)
    b, theta = draw_solution(2, n_components=3)
    aligned = align_dimensions(
        a, b, method=method, reference_ability=theta, ability=theta
    )
    np.testing.assert_allclose(
        aligned.ability @ aligned.discrimination.T, theta @ b.T, atol=1e-10
    )
    np.testing.assert_allclose(aligned.discrimination, b @ aligned.rotation)


def test_simple_structure_is_not_matched_with_its_own_reflection():
    """Over items the two columns correlate with -1."""
    a = np.kron(np.eye(2), np.ones((10, 1)))
    aligned = align_dimensions(a, a[:, ::-1])
    assert aligned.permutation.tolist() == [1, 0]
    assert aligned.signs.tolist() == [1, 1]


def test_correlations_of_noisy_solutions_are_pearsons():
    a, theta = draw_solution(3, 200, 80)
    rng = np.random.default_rng(0)
    b, other = a + rng.normal(size=a.shape), theta + rng.normal(size=theta.shape)
    aligned = align_dimensions(a, b, reference_ability=theta, ability=other)
    for d in range(2):
        expected = np.corrcoef(a[:, d], b[:, d])[0, 1]
        assert aligned.discrimination_correlation[d] == pytest.approx(expected)
        expected = np.corrcoef(theta[:, d], other[:, d])[0, 1]
        assert aligned.ability_correlation[d] == pytest.approx(expected)


def test_one_dimension_constants_and_refusals():
    aligned = align_dimensions([1.0, 2.0, 3.0], [-1.0, -2.0, -3.0])
    assert aligned.signs.tolist() == [-1]
    assert aligned.discrimination_correlation == pytest.approx(1)
    flat = align_dimensions(np.ones((4, 1)), np.ones((4, 1)))
    assert np.isnan(flat.discrimination_correlation).all()
    assert flat.congruence == pytest.approx(1)
    a, theta = draw_solution(0)
    with pytest.raises(ValueError, match=r"shape \(29, 2\) and its reference \(30, 2"):
        align_dimensions(a, a[1:])
    with pytest.raises(ValueError, match="Only one of reference_ability and ability"):
        align_dimensions(a, a, ability=theta)
    with pytest.raises(ValueError, match="ability has 1 columns"):
        align_dimensions(a, a, ability=theta[:, :1], reference_ability=theta[:, :1])
    with pytest.raises(ValueError, match="linearly dependent"):
        align_dimensions(a, a[:, [0, 0]], method="oblique")
    with pytest.raises(ValueError, match="NaN"):
        align_dimensions(a, np.where(a > 1, np.nan, a))


# -- stability ----------------------------------------------------------------------


# Where many cells or a noise dimension make the default slow.
FAST = MultidimIRT(2, integration="variational", max_iter=40)


def panel_of(kind, seed=0, n_models=60, n_items=240):
    """Two clear dimensions, or one and then nothing but noise."""
    loadings = np.random.default_rng(seed).lognormal(0, 0.4, (n_items, 2))
    if kind == "two":
        loadings[::2, 0] *= 0.1
        loadings[1::2, 1] *= 0.1
    else:
        loadings[:, 1] = 0
    return make_multidim_responses(
        n_models, loadings=loadings, ability_correlation=0.3, random_state=seed
    )


def test_two_clear_dimensions_come_back_from_random_starts():
    panel = panel_of("two")
    stability = dimension_stability(
        MultidimIRT(2), panel.data, n_repeats=3, random_state=0
    )
    table = stability.to_frame()
    assert len(table) == 6
    assert stability.smallest > 0.999
    assert table["discrimination"].min() > 0.999
    assert table["converged"].all()
    truth = align_dimensions(
        panel.discrimination,
        stability.reference.discrimination_,
        reference_ability=panel.ability,
        ability=stability.reference_ability,
    )
    assert truth.ability_correlation.min() > 0.97
    assert "random starts" in repr(stability)


# Nothing determines a noise dimension, so that EM is slow to find it.
@pytest.mark.filterwarnings("ignore:.*calibration stopped")
@pytest.mark.parametrize("resample", ["items", "models"])
def test_signal_survives_resampling_and_noise_does_not(resample):
    groups = np.arange(60) // 2 if resample == "models" else None
    clear, noise = (
        dimension_stability(
            FAST,
            panel_of(kind, seed=1).data,
            n_repeats=3,
            resample=resample,
            groups=groups,
            random_state=0,
        )
        for kind in ("two", "noise")
    )
    assert clear.smallest > 0.85
    assert clear.summary()["ability_mean"].min() > 0.93
    for name in ("ability_mean", "ability_procrustes_mean"):
        assert noise.summary()[name].iloc[1] < 0.85
    assert noise.summary()["ability_mean"].iloc[0] > 0.95
    assert clear.abilities.shape == (3, 60, 2)
    first = clear.to_frame().query("repeat == 0")
    for d in range(2):
        r = np.corrcoef(clear.abilities[0, :, d], clear.reference_ability[:, d])[0, 1]
        assert first["ability"].iloc[d] == pytest.approx(r)


@pytest.mark.parametrize("kind", ["array", "table"])
def test_a_loading_pattern_goes_with_its_items(kind):
    panel = make_multidim_responses(60, 40, n_benchmarks=4, random_state=0)
    pattern = np.eye(2, dtype=bool)[panel.truth["target"].repeat(10)]
    if kind == "table":
        pattern = pd.DataFrame(pattern, index=panel.feature_names).iloc[::-1]
    stability = dimension_stability(
        MultidimIRT(2, loading_pattern=pattern, integration="variational"),
        panel.data,
        n_repeats=3,
        resample="items",
        random_state=0,
    )
    table = stability.to_frame()
    assert (table["column"] == table["dimension"]).all()
    assert table["discrimination"].min() > 0.9
    assert stability.smallest > 0.8


def test_stability_depends_on_the_seed_alone():
    X = make_responses(40, 80, as_frame=True, random_state=0).data
    bank = TwoPLEstimator(discrimination_prior=(0, 0.5), intercept_prior=(0, 1.5))
    one, two, other = (
        dimension_stability(
            bank, X, n_repeats=3, resample="models", random_state=r, n_jobs=n
        ).to_frame()
        for r, n in [(1, None), (1, 2), (2, None)]
    )
    pd.testing.assert_frame_equal(one, two)
    assert not one.equals(other)


seen: list = []


class Recorder(TwoPLEstimator):
    """Keeps what it was fitted on, has fixed priors, and obeys."""

    def __init__(self, told=None):
        super().__init__(discrimination_prior=(0, 0.5), intercept_prior=(0, 1.5))
        self.told = told

    def fit(self, X, y=None, sample_weight=None):
        seen.append(X)
        if self.told == "warn":
            warnings.warn(f"{len(seen)} odd things", UserWarning, stacklevel=2)
        if self.told == "fail" and len(seen) == 3:
            raise ValueError("too odd")
        return super().fit(X, y, sample_weight)


def holds_whole_families(part):
    family = pd.Series([int(name[5:]) // 3 for name in part.index]).value_counts()
    return len(part) == 15 and (family == 3).all()


@pytest.mark.parametrize(
    ("options", "is_right"),
    [
        ({"resample": "items"}, lambda part: part.shape == (30, 20)),
        ({"resample": "items", "sample_size": 0.3}, lambda p: p.shape == (30, 12)),
        ({"resample": "models"}, lambda p: len(p) == 15 == len(set(p.index))),
        ({"resample": "models", "sample_size": 0.9}, lambda p: len(p) == 27),
        (
            {"resample": "models", "groups": [f"family{i // 3}" for i in range(30)]},
            holds_whole_families,
        ),
    ],
)
def test_resamples_are_what_they_say(options, is_right):
    X = make_responses(30, 40, as_frame=True, random_state=0).data
    seen.clear()
    dimension_stability(Recorder(), X, n_repeats=4, random_state=0, **options)
    assert len(seen) == 5
    assert seen[0].equals(X)
    assert all(is_right(part) for part in seen[1:])
    assert not seen[1].equals(seen[2])
    for part in seen[1:]:
        assert part.equals(X.loc[part.index, part.columns])


def test_stability_sums_up_warnings_and_names_the_refit_that_failed():
    X = make_responses(40, 30, random_state=0).data
    seen.clear()
    with pytest.warns(UserWarning, match="odd things") as caught:
        dimension_stability(Recorder("warn"), X, n_repeats=3, resample="items")
    told = [str(w.message) for w in caught]
    assert told == ["1 odd things", "In 3 of 3 refits: 2 odd things"]
    assert caught[1].filename == __file__
    seen.clear()
    with pytest.raises(ValueError, match="too odd") as error:
        dimension_stability(Recorder("fail"), X, n_repeats=3, resample="items")
    assert error.value.__notes__ == ["in dimension_stability: refit 2 of 3"]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"resample": None}, "has neither start nor random_state"),
        ({"resample": None, "sample_size": 0.5}, "no meaning without resampling"),
        ({"resample": "items", "groups": np.arange(20)}, "groups are of models"),
        ({"resample": "models", "groups": np.zeros(20)}, "are in one group"),
        ({"resample": "items", "sample_size": 1.0}, "'sample_size' parameter"),
        ({"resample": "rows"}, "'resample' parameter"),
        ({"n_repeats": 0, "resample": "items"}, "'n_repeats' parameter"),
    ],
)
def test_stability_refuses(wrong, words):
    X = make_responses(20, 30, random_state=0).data
    with pytest.raises(ValueError, match=words):
        dimension_stability(TwoPLEstimator(), X, **wrong)


def test_stability_needs_a_model_that_is_calibrated():
    X = make_responses(20, 30, random_state=0).data
    bank = TwoPLEstimator.from_item_parameters(
        discrimination=np.ones(30), difficulty=np.zeros(30)
    )
    for fixed in (bank, FrozenEstimator(TwoPLEstimator().fit(X))):
        with pytest.raises(ValueError, match="fixed bank"):
            dimension_stability(fixed, X, resample="items")
    with pytest.raises(TypeError, match="PCA has no discrimination_"):
        dimension_stability(PCA(2), X, resample="items")
    X[0] = 1
    with pytest.raises(ValueError, match="no finite ability"):
        dimension_stability(TwoPLEstimator(ability_method="ml"), X, resample="items")


# -- selection ----------------------------------------------------------------------


@settings(max_examples=100, deadline=None)
@given(
    st.integers(1, 80),
    st.integers(1, 4),
    st.floats(0.02, 1),
    st.integers(1, 30),
    st.integers(0, 9999),
    st.booleans(),
)
def test_the_best_of_each_bin(n_items, n_groups, keep, n_bins, seed, ties):
    rng = np.random.default_rng(seed)
    score = rng.normal(size=n_items).round(1 if ties else 9)
    difficulty = rng.normal(size=n_items).round(0 if ties else 9)
    group = rng.integers(n_groups, size=n_items)
    eligible = rng.random(n_items) < 0.8
    order, bins = best_of_each_bin(
        score,
        difficulty,
        group,
        eligible,
        keep=keep,
        n_bins=n_bins,
        tie_breaker=rng.permutation(n_items),
    )
    assert len(set(order)) == len(order)
    assert (np.diff(score[order]) <= 0).all()
    assert eligible[order].all()
    assert ((bins >= 0) == eligible).all()
    chosen = np.isin(np.arange(n_items), order)
    for g in set(group[eligible]):
        own = eligible & (group == g)
        n, count = own.sum(), chosen[own].sum()
        assert count == max(1, np.floor(keep * n + 0.5))
        used = np.unique(bins[own])
        assert used.max() < min(n_bins, count)
        sizes = [(own & (bins == b)).sum() for b in used]
        if not ties:
            assert len(used) == min(n_bins, count)
            assert np.ptp(sizes) <= 1
        for b, size in zip(used, sizes, strict=True):
            here = own & (bins == b)
            assert abs(chosen[here].sum() - count * size / n) <= 1
            if chosen[here].any() and not chosen[here].all():
                assert score[here & chosen].min() >= score[here & ~chosen].max()
            later = own & (bins > b)
            if later.any():
                assert difficulty[here].max() < difficulty[later].min()


# The checks' small matrices hold models that agree on all items, and so on.
@pytest.mark.filterwarnings("ignore::UserWarning")
@parametrize_with_checks(
    [DimensionItemSelector(binarize=threshold) for threshold in (0.0, 0.5, 1.5)]
    + [DimensionItemSelector(binarize=0.5, estimator=TwoPLEstimator(), keep=1.0)]
)
def test_scikit_learn(estimator, check):
    check(estimator)


def fixed_bank(seed=0, n_items=400, names=None):
    rng = np.random.default_rng(seed)
    a = rng.lognormal(0, 0.5, (n_items, 2))
    d = rng.normal(size=n_items) * np.linalg.norm(a, axis=1)
    return MultidimIRT.from_item_parameters(discrimination=a, intercept=d, names=names)


def planted_panel(seed=0, n_models=100, n_items=600):
    """One item in ten discriminates well on dimension 0, over all difficulties."""
    rng = np.random.default_rng(seed)
    loadings = np.zeros((n_items, 2))
    loadings[: n_items // 2, 0] = loadings[n_items // 2 :, 1] = 0.6
    strong = np.zeros(n_items, dtype=bool)
    strong[rng.permutation(n_items)[: n_items // 10]] = True
    loadings[strong] = [2.5, 0.0]
    return strong, make_multidim_responses(
        n_models,
        loadings=loadings,
        ability_correlation=0.3,
        n_benchmarks=2,
        as_frame=True,
        random_state=seed,
    )


def test_the_selector_keeps_the_planted_items():
    strong, panel = planted_panel()
    # Dimensions are ordered by the variance they explain: the strong items' first.
    selector = DimensionItemSelector(n_bins=20).fit(panel.data)
    assert selector.get_support().sum() == 60
    kept = pd.Series(selector.get_support())
    # Of a bin with more strong items than its share, some have to go.
    tally = pd.DataFrame({"strong": strong, "kept": kept, "both": strong & kept})
    tally = tally.groupby(selector.bin_).sum()
    possible = tally[["strong", "kept"]].min(axis=1).sum()
    assert tally["both"].sum() >= 0.95 * possible > 40
    assert selector.score(panel.data) > 0.9
    new = planted_panel(1)[1]
    own, other = (
        spearmanr(selector.predict(panel.data), t)[0] for t in panel.ability.T
    )
    assert own > 0.9 > 0.6 > abs(other)
    assert np.isfinite(selector.predict(new.data)).all()
    everything = clone(selector).set_params(keep=1.0).fit(panel.data)
    assert everything.get_support().all()
    assert selector.score(panel.data) > everything.score(panel.data)


def test_a_fixed_bank_is_followed_item_by_item():
    names = [f"q{j}" for j in range(400)]
    bank = fixed_bank(names=names)
    X = pd.DataFrame(np.zeros((1, 400)), columns=names)
    for dimension in (0, 1):
        one_bin = DimensionItemSelector(dimension, n_bins=1, estimator=bank).fit(X)
        slope = bank.discrimination_[:, dimension]
        assert one_bin.order_.tolist() == np.argsort(-slope)[:40].tolist()
        np.testing.assert_array_equal(one_bin.discrimination_, slope)
    binned = DimensionItemSelector(1, n_bins=10, estimator=bank).fit(X)
    mdiff = -bank.intercept_ / np.linalg.norm(bank.discrimination_, axis=1)
    by_difficulty = np.argsort(mdiff).reshape(10, 40)
    best = np.take_along_axis(
        by_difficulty, np.argsort(-slope[by_difficulty], axis=1)[:, :4], axis=1
    )
    assert set(binned.order_) == set(best.ravel())
    # Some of the columns, in another order, found by their names.
    columns = np.random.default_rng(1).permutation(400)[:200]
    some = clone(binned).set_params(n_bins=1).fit(X.iloc[:, columns])
    expected = columns[np.argsort(-slope[columns])[:20]]
    assert some.get_feature_names_out().tolist() == [
        names[j] for j in columns if j in expected
    ]
    fitted = FrozenEstimator(bank.fit(X))
    frozen = DimensionItemSelector(1, n_bins=10, estimator=fitted).fit(X)
    assert frozen.order_.tolist() == binned.order_.tolist()


def test_proportion_right_as_difficulty_and_one_dimensional_banks():
    X = make_responses(50, 300, random_state=0).data
    bank = TwoPLEstimator.from_item_parameters(
        discrimination=np.random.default_rng(0).lognormal(size=300),
        difficulty=np.random.default_rng(1).normal(size=300),
    )
    selector = DimensionItemSelector(
        difficulty="proportion", n_bins=5, estimator=bank
    ).fit(X)
    bins = pd.Series(X.mean(axis=0)).groupby(selector.bin_).agg(["min", "max"])
    assert (bins["min"].to_numpy()[:-1] > bins["max"].to_numpy()[1:]).all()
    assert np.bincount(selector.bin_[selector.order_]).min() >= 4


def test_every_benchmark_gives_its_share_also_behind_a_selector():
    strong, panel = planted_panel()
    by = panel.item_table["benchmark"].where(~strong, "strong")
    bank = MultidimIRT.from_item_parameters(
        discrimination=panel.discrimination,
        intercept=panel.intercept,
        names=panel.feature_names,
    )
    plain = DimensionItemSelector(by=by, keep=0.2, estimator=bank).fit(panel.data)
    counts = by.iloc[plain.order_].value_counts()
    assert counts.to_dict() == (by.value_counts() * 0.2).round().astype(int).to_dict()
    array = clone(plain).set_params(by=by.to_numpy()).fit(panel.data)
    assert array.order_.tolist() == plain.order_.tolist()
    shuffled = clone(plain).set_params(by=by.sample(frac=1, random_state=0))
    assert shuffled.fit(panel.data).order_.tolist() == plain.order_.tolist()
    first = RandomSubsetSelector(k=300, random_state=0)
    pipe = make_pipeline(first.set_output(transform="pandas"), clone(plain))
    pipe.fit(panel.data)
    kept = by[pipe[:-1].get_feature_names_out()].value_counts()
    left = by[pipe.get_feature_names_out()].value_counts()
    assert (left - 0.2 * kept).abs().max() <= 0.5
    few = clone(plain).set_params(keep=0.001).fit(panel.data)
    assert by.iloc[few.order_].value_counts().to_dict() == dict.fromkeys(set(by), 1)


def test_items_that_tell_nothing_are_left_out():
    _, panel = planted_panel(n_models=40, n_items=200)
    X = panel.data.copy()
    X.iloc[:, :60] = 1.0
    X.iloc[:, 60] = np.nan
    bank = MultidimIRT(2, integration="variational")
    by = np.repeat(["constant", "other"], [50, 150])
    with pytest.warns(UserWarning, match="every item of 1 benchmarks .*'constant'"):
        selector = DimensionItemSelector(by=by, keep=0.5, estimator=bank).fit(X)
    assert len(selector.order_) == 70  # half of 139, rounded up
    assert selector.order_.min() > 60
    assert (selector.bin_ < 0).sum() == 61
    # What a frozen bank knows of its items it knows of some of them.
    frozen = FrozenEstimator(bank.fit(X))
    some = DimensionItemSelector(estimator=frozen, keep=1.0).fit(X.iloc[:, 40:])
    assert len(some.order_) == 139


def test_a_grid_over_keep_calibrates_once_per_split(tmp_path):
    _, panel = planted_panel(n_models=60, n_items=120)
    bank = TwoPLEstimator(discrimination_prior=(0, 0.5), intercept_prior=(0, 1.5))
    grid = GridSearchCV(
        DimensionItemSelector(estimator=bank, memory=str(tmp_path)),
        {"keep": [0.1, 0.3, 1.0]},
        cv=ShuffleSplit(2, test_size=0.5, random_state=0),
        error_score="raise",
    ).fit(panel.data.to_numpy())
    score = grid.cv_results_["mean_test_score"]
    assert score[0] < score[2]
    assert score[2] > 0.95


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"dimension": 2}, "dimension=2, but the bank has 2"),
        ({"dimension": -1}, "'dimension' parameter"),
        ({"keep": 0.0}, "'keep' parameter"),
        ({"by": np.arange(399)}, r"by has the shape \(399,\), but X 400 items"),
        ({"by": pd.Series(0, index=range(1, 401))}, "no label for item '0' "),
        ({"by": pd.Series(0, index=[7] * 400)}, "labels item '7' twice"),
        ({"by": [None] * 400}, "no label for item '0' .400 of 400"),
        ({"by": "benchmark"}, "'by' parameter"),
    ],
)
def test_the_selector_refuses(wrong, words):
    X = pd.DataFrame(np.zeros((1, 400)))
    selector = DimensionItemSelector(estimator=fixed_bank()).set_params(**wrong)
    with pytest.raises(ValueError, match=words):
        selector.fit(X)


def test_the_selector_is_not_nested():
    selector = DimensionItemSelector(estimator=fixed_bank()).fit(np.zeros((1, 400)))
    assert not selector.nested_
    with pytest.raises(ValueError, match="with a smaller keep"):
        selector.truncate(3)
