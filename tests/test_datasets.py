import importlib.util
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from scipy.stats import norm
from sklearn.base import BaseEstimator
from sklearn.datasets import (
    load_breast_cancer,
    load_diabetes,
    load_digits,
    load_wine,
)
from sklearn.model_selection import GroupShuffleSplit

import skirt.datasets
from skirt._responses import check_responses
from skirt.datasets import (
    load_classifier_panel,
    load_lsat6,
    load_lsat7,
    make_responses,
)

REPOSITORY = Path(__file__).resolve().parents[1]
GOLD = REPOSITORY.parent / "shared" / "gold"
LSAT = {"lsat6": load_lsat6, "lsat7": load_lsat7}
ITEM_TOTALS = {
    "lsat6": [924, 709, 553, 763, 870],
    "lsat7": [828, 658, 772, 606, 843],
}


@pytest.fixture(scope="module")
def panel():
    return load_classifier_panel()


@pytest.fixture(scope="module")
def script():
    path = REPOSITORY / "examples" / "benchmarks" / "make_classifier_panel.py"
    spec = importlib.util.spec_from_file_location("make_classifier_panel", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# Law School Admission Test


@pytest.mark.parametrize("name", LSAT)
def test_lsat_has_the_published_totals_in_both_forms(name):
    rows, patterns = LSAT[name](), LSAT[name](expand=False)
    assert rows.data.shape == (1000, 5)
    assert rows.data.sum(axis=0).tolist() == ITEM_TOTALS[name]
    assert len(np.unique(patterns.data, axis=0)) == 32
    repeated = np.repeat(patterns.data, patterns.frequency, axis=0)
    np.testing.assert_array_equal(repeated, rows.data)
    assert (rows.frequency == 1).all()
    np.testing.assert_array_equal(rows.target, rows.data.mean(axis=1))


@pytest.mark.parametrize("name", LSAT)
def test_lsat_has_the_same_rows_as_the_reference_copy(name):
    path = GOLD / f"{name}_data.csv"
    if not path.exists():
        pytest.skip("reference values are not beside the repository")
    reference = pd.read_csv(path).to_numpy(float)
    ours = LSAT[name]().data
    np.testing.assert_array_equal(
        ours[np.lexsort(ours.T)], reference[np.lexsort(reference.T)]
    )


def test_lsat_options():
    X, y = load_lsat6(return_X_y=True, as_frame=True)
    assert list(X.columns) == load_lsat6().feature_names
    assert y.tolist() == X.mean(axis=1).tolist()
    with pytest.raises(ValueError, match="expand=True"):
        load_lsat7(return_X_y=True, expand=False)
    with pytest.raises(ValueError, match="'expand' parameter"):
        load_lsat7(expand="no")


# Simulator


@pytest.mark.parametrize(("cv", "mean"), [(0.0, 1.0), (0.3, 1.0), (1.2, 2.5)])
def test_simulated_discriminations_have_the_wanted_distribution(cv, mean):
    a = make_responses(
        1, 60_000, discrimination_cv=cv, mean_discrimination=mean, random_state=0
    ).discrimination
    assert a.mean() == pytest.approx(mean, rel=0.02)
    assert a.std() / a.mean() == pytest.approx(cv, rel=0.05)


@pytest.mark.parametrize("mean_score", [0.03, 0.5, 0.9])
@pytest.mark.parametrize("cv", [0.2, 2.0])
def test_simulated_mean_score_is_exact_for_the_items_drawn(mean_score, cv):
    sim = make_responses(
        5, 50, mean_score=mean_score, discrimination_cv=cv, random_state=1
    )
    # Quantiles of N(0, 1) at equal probabilities stand for the population.
    theta = norm.ppf((np.arange(20_000) + 0.5) / 20_000)
    expected = np.mean(
        [
            expit(a * theta + d).mean()
            for a, d in zip(sim.discrimination, sim.intercept, strict=True)
        ]
    )
    assert expected == pytest.approx(mean_score, abs=1e-5)


def test_simulated_responses_follow_the_model():
    sim = make_responses(800, 600, random_state=2, return_probabilities=True)
    logit = sim.discrimination * (sim.ability[:, None] - sim.difficulty)
    np.testing.assert_allclose(sim.probability, 1 / (1 + np.exp(-logit)))
    np.testing.assert_allclose(sim.intercept, -sim.discrimination * sim.difficulty)
    variance = sim.probability * (1 - sim.probability)
    z = (sim.data - sim.probability).sum(axis=0) / np.sqrt(variance.sum(axis=0))
    assert abs(z.mean()) < 4 / np.sqrt(600)
    assert z.std() == pytest.approx(1, abs=4 / np.sqrt(2 * 600))


def test_missing_responses_only_hide():
    complete = make_responses(300, 300, random_state=3)
    gaps = make_responses(300, 300, missing_rate=0.25, random_state=3)
    missing = np.isnan(gaps.data)
    assert missing.mean() == pytest.approx(0.25, abs=0.006)
    np.testing.assert_array_equal(gaps.data[~missing], complete.data[~missing])
    assert set(np.unique(complete.data)) == {0, 1}
    shown = np.isnan(gaps.data).mean(axis=1)
    assert abs(np.corrcoef(shown, complete.ability)[0, 1]) < 0.25


@pytest.mark.parametrize("spread", [0.0, 0.4, 1.0])
def test_families_share_variance_as_wanted(spread):
    sim = make_responses(
        30_000, 1, n_families=3000, family_spread=spread, random_state=4
    )
    ability = pd.Series(sim.ability).groupby(sim.groups)
    assert (ability.size() == 10).all()
    within = ability.var().mean()
    assert within == pytest.approx(spread**2, rel=0.04, abs=1e-12)
    between = ability.mean().var() - within / 10
    assert between == pytest.approx(1 - spread**2, rel=0.1, abs=0.01)


def test_families_of_unequal_size_differ_by_one():
    groups = make_responses(11, 2, n_families=4, random_state=0).groups
    assert sorted(np.bincount(groups)) == [2, 3, 3, 3]
    assert len(np.unique(make_responses(11, 2, random_state=0).groups)) == 11


def test_simulator_is_reproducible_and_labels_its_frames():
    first = make_responses(7, 9, missing_rate=0.2, random_state=5)
    again = make_responses(7, 9, missing_rate=0.2, random_state=5, as_frame=True)
    np.testing.assert_array_equal(first.data, again.data.to_numpy())
    assert again.data.columns.tolist() == first.feature_names
    assert again.data.index.tolist() == first.model_names
    other = make_responses(7, 9, random_state=6)
    assert not np.array_equal(first.ability, other.ability)


@pytest.mark.parametrize(
    "wrong",
    [
        {"n_models": 0},
        {"n_items": 2.5},
        {"discrimination_cv": -0.1},
        {"mean_discrimination": 0.0},
        {"mean_score": 1.0},
        {"missing_rate": 1.0},
        {"family_spread": 1.1},
        {"n_families": 0},
    ],
)
def test_simulator_refuses_values_out_of_range(wrong):
    (name,) = wrong
    with pytest.raises(ValueError, match=f"'{name}' parameter"):
        make_responses(**wrong)


def test_simulator_refuses_more_families_than_models():
    with pytest.raises(ValueError, match="n_families=6 is more than n_models=5"):
        make_responses(5, n_families=6)


# Panel of classifiers


def test_panel_is_as_large_and_varied_as_promised(panel):
    assert panel.data.shape[0] >= 120
    assert panel.data.shape[1] >= 1500
    assert set(np.unique(panel.data)) == {0, 1}
    assert len(set(panel.groups)) >= 10
    assert panel.item_table["benchmark"].nunique() >= 4
    assert panel.target.min() < 0.3
    assert panel.target.max() > 0.8
    assert np.ptp(panel.data, axis=1).all()
    # Ceiling items are welcome, but most should tell models apart.
    assert np.ptp(panel.data, axis=0).mean() > 0.9


def test_panel_takes_little_space():
    folder = Path(skirt.datasets.__file__).parent / "data"
    assert sum(path.stat().st_size for path in folder.iterdir()) < 500_000


def test_panel_tables_are_aligned_with_the_responses(panel):
    X, y = load_classifier_panel(return_X_y=True, as_frame=True)
    assert X.columns.tolist() == panel.item_table.index.tolist()
    assert X.index.tolist() == panel.model_table.index.tolist()
    assert X.columns.is_unique
    assert X.index.is_unique
    assert not panel.item_table.duplicated(["benchmark", "source_index"]).any()
    for name, row in panel.item_table.iterrows():
        assert name == f"{row['benchmark']}/{row['source_index']:04d}"
    for name, row in panel.model_table.iterrows():
        assert name.startswith(row["family"] + "-")
        percent = round(100 * row["train_size"]), round(100 * row["label_noise"])
        assert name.endswith("-train{}-noise{}".format(*percent))
    np.testing.assert_array_equal(y, X.mean(axis=1))
    values = check_responses(BaseEstimator(), X, reset=True)
    np.testing.assert_array_equal(values, panel.data)


def test_panel_labels_are_those_of_the_source_records(panel):
    diabetes = load_diabetes().target
    labels = {
        "digits": load_digits().target,
        "breast_cancer": load_breast_cancer().target,
        "wine": load_wine().target,
        "diabetes": (diabetes > np.median(diabetes)).astype(int),
    }
    items = panel.item_table
    source = items["benchmark"].str.replace("digits_.*", "digits", regex=True)
    for name, part in items.groupby(source):
        np.testing.assert_array_equal(
            part["label"], labels[name][part["source_index"].to_numpy()]
        )
        # A classifier that always says the same is right on one label exactly.
        row = panel.model_names.index("dummy-frequent-train100-noise0")
        right = panel.data[row, (source == name).to_numpy()] == 1
        assert part["label"][right].nunique() == 1
        assert not part["label"][~right].isin(part["label"][right]).any()


def test_corrupted_digits_are_harder_the_more_they_are_corrupted(panel):
    items = panel.item_table.assign(share=panel.data.mean(axis=0))
    share = items.groupby("benchmark")["share"].mean()
    for name in ("noisy", "occluded", "rotated", "shifted"):
        assert share[f"digits_{name}"] < share["digits_clean"] - 0.05
        part = items[items["benchmark"] == f"digits_{name}"]
        assert part["severity"].corr(part["share"], method="spearman") < -0.2


def test_panel_comes_from_its_script(panel, script):
    sources = script.load_sources(0)
    items, tests = script.make_benchmarks(sources, 0)
    pd.testing.assert_frame_equal(
        items, panel.item_table.reset_index(drop=True), check_dtype=False
    )
    models = {model["model"]: model for model in script.list_models()}
    assert list(models) == panel.model_names
    for name in (
        "neighbors-k1-train40-noise10",
        "naive_bayes-bernoulli-train25-noise0",
    ):
        labels = script.answer(models[name], sources, tests, 0)
        row = panel.data[panel.model_names.index(name)]
        assert np.mean((labels == items["label"]) == row) > 0.99


def test_training_samples_have_the_wanted_size_and_noise(script):
    y = np.repeat([0, 1, 2], 200)
    train = np.arange(0, 600, 2)
    rng = np.random.default_rng(0)
    rows, labels = script.training_sample(y, train, 0.4, 0.1, rng)
    assert len(np.unique(rows)) == 120
    assert set(rows) <= set(train)
    assert (labels != y[rows]).sum() == 12


def test_panel_groups_keep_families_apart(panel):
    X, groups = load_classifier_panel(return_X_groups=True)
    train, test = next(GroupShuffleSplit(1, random_state=0).split(X, groups=groups))
    families = panel.model_table["family"]
    assert not set(families.iloc[train]) & set(families.iloc[test])
    with pytest.raises(ValueError, match="choose one"):
        load_classifier_panel(return_X_groups=True, return_X_y=True)


def test_every_load_is_a_fresh_copy():
    for load in (load_lsat6, load_lsat7, load_classifier_panel):
        first = load()
        first.data[:] = -1
        assert load().data.min() == 0
    first.item_table["benchmark"] = "spoiled"
    assert "spoiled" not in set(load_classifier_panel().item_table["benchmark"])


def test_descriptions_are_filled_in(panel):
    for text in (panel.DESCR, load_lsat6().DESCR):
        assert "{" not in text
    assert f"{len(panel.model_names)} classifiers" in panel.DESCR
    assert "924, 709, 553, 763, 870" in load_lsat6().DESCR
