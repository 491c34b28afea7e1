"""The benchmark audit: planted truths, error rates, brute force, and refusals."""

import re
from html.parser import HTMLParser

import joblib
import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from statsmodels.stats.multitest import multipletests

from skirt import MultidimIRT, TwoPLEstimator
from skirt.audit import benchmark_audit
from skirt.audit._benchmark_figures import (
    information_shares,
    mean_discrimination_influence,
    mean_scores,
    purity,
)
from skirt.audit._benchmark_tests import (
    Abilities,
    difference_test,
    holm,
    link,
    same_direction_test,
)
from skirt.audit._hidden_split import hidden_split
from skirt.audit._item_table import check_item_table
from skirt.audit._judgement import assign_targets
from skirt.audit._leave_out import fit_whole, leave_out_each
from skirt.datasets import make_multidim_responses
from skirt.model_selection._bootstrap import draw_multiplicities

NAMES = [f"q{j}" for j in range(6)]
QUICK = MultidimIRT(2, integration="variational", tol=1e-2)


def exact(theta):
    """Abilities that are known without error."""
    n, size = theta.shape
    return Abilities(theta, np.zeros((n, size, size)), np.ones(n, dtype=bool))


def two_abilities(rng, n_models, correlation=0.5):
    theta = rng.normal(size=(n_models, 2))
    theta[:, 1] = correlation * theta[:, 0] + np.sqrt(1 - correlation**2) * theta[:, 1]
    return theta


def answers(rng, theta, slopes):
    """Responses to items with these discrimination vectors."""
    d = rng.normal(size=len(slopes))
    return (rng.random((len(theta), len(d))) < expit(theta @ slopes.T + d)) * 1.0


@pytest.fixture(scope="module")
def planted():
    panel = make_multidim_responses(
        80,
        12 * 40,
        n_benchmarks=12,
        mislabelled=["benchmark04"],
        split=["benchmark09"],
        random_state=3,
        as_frame=True,
    )
    return panel, benchmark_audit(panel.data, panel.item_table, QUICK)


# -- the item table -----------------------------------------------------------------


def item_table(**columns):
    return pd.DataFrame({"benchmark": list("aabbcc"), **columns}, index=NAMES)


def check(table, named=True, **options):
    options = {"by": "benchmark", "target": "target", "subgroups": None} | options
    return check_item_table(table, NAMES, named, **options)


def test_item_table_is_matched_by_name_and_else_by_position():
    table = item_table(category=list("xyxxyy"), target=[1, 1, None, None, 0, 1])
    shuffled = table.iloc[[4, 1, 0, 5, 3, 2]]
    by_column = shuffled.rename_axis("item_id").reset_index()
    for given in (table, shuffled, by_column):
        got = check(given)
        assert got.names == ["a", "b", "c"]
        assert got.code.tolist() == [0, 0, 1, 1, 2, 2]
        assert got.target == ["1", None, None]
        assert got.disagreeing == {2}
        assert got.subgroups["category"].tolist() == list("xyxxyy")
    # Rows that are only counted, and a plain list of benchmarks, go by position.
    assert check(table.reset_index(drop=True)).code.tolist() == [0, 0, 1, 1, 2, 2]
    assert check(["b", "a", "b", "b", "a", "a"]).code.tolist() == [0, 1, 0, 0, 1, 1]
    assert check(shuffled, named=False).names == ["c", "a", "b"]
    assert check(table, by="category").subgroups.empty
    assert check(table, subgroups=[]).subgroups.empty


@pytest.mark.parametrize(
    ("table", "options", "message"),
    [
        (item_table().drop(["q1", "q4"]), {}, r"lacks 'q1', 'q4' of the 6 items"),
        (item_table().rename({"q1": "x"}), {}, r"lacks 'q1'.*no column has: 'x'"),
        (pd.concat([item_table(), item_table().iloc[:1].rename({"q0": "new"})]), {},
         r"has 'new' that the responses lack.*items.loc\[X.columns\]"),
        (pd.concat([item_table(), item_table().iloc[2:3]]), {},
         r"'q2' is in rows 2 and 6"),
        (item_table(), {"by": "set"}, r"no column 'set'; it has 'benchmark'"),
        (item_table(), {"target": "aim"}, r"no column 'aim'.*target="),
        (item_table(), {"subgroups": "kind"}, r"no column 'kind'"),
        (item_table(), {"subgroups": "benchmark"}, r"subgroups names 'benchmark'"),
        (item_table().replace("b", None), {}, r"'q2' has no 'benchmark' \(2 of 6"),
        (item_table().reset_index(drop=True).iloc[:4], {}, r"4 rows and .* 6 items"),
    ],
)  # fmt: skip
def test_item_tables_that_do_not_fit(table, options, message):
    with pytest.raises(ValueError, match=message):
        check(table, **options)


# -- the statistics -----------------------------------------------------------------


def test_correlations_are_those_of_repeated_models():
    rng = np.random.default_rng(0)
    theta, groups = two_abilities(rng, 30), np.arange(30) // 2
    score = expit(theta @ [1, 0.3]) + 0.1 * rng.normal(size=30)
    score[[4, 11]] = np.nan
    counts = draw_multiplicities(groups, 40, rng)
    links = link(score, exact(theta), counts, groups)
    assert links.n_groups == 15
    for draw, count in enumerate(counts.astype(int)):
        rows = np.repeat(np.arange(30), np.where(np.isfinite(score), count, 0))
        y, x = score[rows], theta[rows]
        expected = [np.corrcoef(y, x[:, k])[0, 1] for k in (0, 1)]
        np.testing.assert_allclose(links.correlation[draw], expected, atol=1e-10)
        z = (x - x.mean(axis=0)) / x.std(axis=0)
        slopes = np.linalg.lstsq(z, (y - y.mean()) / y.std(), rcond=None)[0]
        np.testing.assert_allclose(links.weight[draw], slopes, atol=1e-10)


def test_unequal_errors_of_abilities_do_not_bias_the_comparison():
    # Equal parts of two abilities, of which one is measured far worse.
    rng = np.random.default_rng(1)
    theta = two_abilities(rng, 20_000)
    phi, noise = np.array([[1, 0.5], [0.5, 1]]), np.diag([0.01, 1.0])
    seen = theta + rng.normal(size=theta.shape) @ np.sqrt(noise)
    gain = phi @ np.linalg.inv(phi + noise)
    left = np.broadcast_to(phi - gain @ phi, (len(theta), 2, 2))
    abilities = Abilities(seen @ gain.T, left, np.ones(len(theta), dtype=bool))
    score = theta.sum(axis=1) / np.sqrt(3)
    links = link(score, abilities, np.ones((1, len(theta))), np.arange(len(theta)))
    np.testing.assert_allclose(links.correlation[0], 1.5 / np.sqrt(3), atol=0.02)
    np.testing.assert_allclose(links.weight[0], 1 / np.sqrt(3), atol=0.03)
    plain = np.corrcoef(score, abilities.mean.T)[0, 1:]
    assert plain[0] - plain[1] > 0.03


def test_error_rates():
    """A pure and a mixed benchmark: none of the tests finds too much."""
    p = {"difference": [], "sub-group": [], "hidden": []}
    for seed in range(150):
        rng = np.random.default_rng([5, seed])
        theta, groups = two_abilities(rng, 60), np.arange(60)
        slopes = np.outer(rng.lognormal(0, 0.4, 60), [0.6, 0.6])
        X = answers(rng, theta, slopes)
        counts = draw_multiplicities(groups, 200, rng)
        whole, one, two = (
            link(X[:, part].mean(axis=1), exact(theta), counts, groups)
            for part in (slice(None), slice(0, 30), slice(30, 60))
        )
        p["difference"].append(difference_test(whole, 0, 1)[2])
        p["sub-group"].append(same_direction_test(one, two)[1])
        found = hidden_split(X, exact(theta), counts, groups, 0.05, rng)
        p["hidden"].append(found.p)
    for values in p.values():
        # Binomial(150, .05) exceeds 15 once in 200.
        assert (np.array(values) < 0.05).sum() <= 15
        assert (np.array(values) < 0.5).sum() >= 50


def test_differences_are_found():
    rng = np.random.default_rng(7)
    theta, groups = two_abilities(rng, 60), np.arange(60)
    pure = answers(rng, theta, np.repeat([[1.0, 0.0]], 40, axis=0))
    other = answers(rng, theta, np.repeat([[0.0, 1.0]], 40, axis=0))
    against = answers(rng, theta, np.repeat([[-1.0, 0.0]], 40, axis=0))
    counts = draw_multiplicities(groups, 200, rng)
    a, b, c = (
        link(X.mean(axis=1), exact(theta), counts, groups)
        for X in (pure, other, against)
    )
    assert difference_test(a, 0, 1)[2] < 1e-3
    along, p = same_direction_test(a, b)
    assert p < 1e-4
    assert along == pytest.approx(np.corrcoef(theta.T)[0, 1], abs=0.1)
    along, p = same_direction_test(a, c)
    assert p < 1e-4
    assert along < -0.9
    mixed = rng.permutation(np.hstack([pure, other]), axis=1)
    found = hidden_split(mixed, exact(theta), counts, groups, 0.05, rng)
    assert found.p < 1e-3
    assert sorted(found.dimensions) == [0, 1]


def test_holm_is_that_of_statsmodels():
    p = np.array([0.01, np.nan, 0.2, 0.011, 0.9, 0.01])
    seen = np.isfinite(p)
    expected = multipletests(p[seen], method="holm")[1]
    np.testing.assert_allclose(holm(p)[seen], expected)
    assert np.isnan(holm(p)[1])


def test_influence_is_that_of_counting_a_model_more():
    rng = np.random.default_rng(2)
    theta = two_abilities(rng, 40)
    X = answers(rng, theta, rng.lognormal(0, 0.5, (6, 2)))
    X[rng.random(X.shape) < 0.1] = np.nan
    precision = np.array([[2.0, 0.3, 0.1], [0.3, 1.5, 0.0], [0.1, 0.0, 0.5]])
    design = np.column_stack([theta, np.ones(40)])

    def fitted(weights):
        out = np.empty((6, 3))
        for j in range(6):
            use = ~np.isnan(X[:, j])
            z, y, w = design[use], X[use, j], weights[use]

            def loss(b, z=z, y=y, w=w):
                eta = z @ b
                return w @ (np.logaddexp(0, eta) - y * eta) + b @ precision @ b / 2

            def gradient(b, z=z, y=y, w=w):
                return z.T @ (w * (expit(z @ b) - y)) + precision @ b

            out[j] = minimize(loss, np.zeros(3), jac=gradient, tol=1e-12).x
        return out

    base = fitted(np.ones(40))
    code = np.array([0, 1, 0, 1, 1, 0])
    counted = np.array([True, True, True, True, False, True])
    influence = mean_discrimination_influence(
        X, theta, base[:, :2], base[:, 2], precision, code, counted
    )
    step = 1e-3
    for model in (0, 17):
        weights = np.ones(40)
        weights[model] += step
        moved = (fitted(weights) - base)[:, :2] / step
        for b in (0, 1):
            own = moved[(code == b) & counted].mean(axis=0)
            np.testing.assert_allclose(influence[model, b], own, atol=2e-4)


def test_information_and_scores_by_hand():
    X = np.array([[1, 0, np.nan, 1], [1, 1, 0, 0], [0, np.nan, 1, 1]], dtype=float)
    theta = np.array([[0.0, 1.0], [1.0, -1.0], [0.5, 0.5]])
    a = np.array([[1.0, 0.0], [1.0, 2.0], [0.5, 0.5], [2.0, -1.0]])
    d = np.array([0.0, 0.3, -0.2, 0.1])
    code = np.array([0, 0, 1, 1])
    expected = np.zeros((2, 2))
    for i in range(3):
        for j in range(4):
            if not np.isnan(X[i, j]):
                q = expit(theta[i] @ a[j] + d[j])
                expected[code[j]] += q * (1 - q) * a[j] ** 2
    expected /= expected.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(information_shares(X, theta, a, d, code), expected)
    np.testing.assert_allclose(mean_scores(X[:, [0, 3]], [0, 1]), [1, 0.5, 0.5])
    # The last model was spared the item that half of the others got right.
    np.testing.assert_allclose(mean_scores(X, [0, 1]), [0.5, 1.0, -2 / 3 + 7 / 12])


def test_purity_does_not_take_noise_for_a_second_direction():
    rng = np.random.default_rng(4)
    theta = two_abilities(rng, 200, correlation=0.0)
    line = answers(rng, theta, np.outer(rng.lognormal(0, 0.3, 300), [0.8, 0.6]))
    assert purity(line, np.arange(300), exact(theta)) > 0.98
    axes = np.eye(2)[np.arange(300) % 2]
    cross = answers(rng, theta, axes)
    assert purity(cross, np.arange(300), exact(theta)) < 0.6
    assert np.isnan(purity(line, np.arange(300), exact(0 * theta)))


def test_targets_find_their_abilities():
    r = np.array([[0.9, 0.5], [0.5, 0.9], [0.9, 0.6], [0.5, 0.9]])
    names = ["ability0", "ability1"]
    # The third is filed with the second and fourth, who outvote it.
    labels = ["math", "safe", "safe", "safe"]
    assert assign_targets(labels, r, names) == {"math": 0, "safe": 1}
    assert assign_targets(["ability1", None, None, None], r, names) == {"ability1": 1}
    several = assign_targets(["a", "b", "c", None], r, names)
    assert several == {"a": 0, "b": 1, "c": 0}
    assert assign_targets([None] * 4, r, names) == {}


# -- the audit ----------------------------------------------------------------------


def test_names_the_mislabelled_and_the_split_benchmark_and_no_other(planted):
    panel, audit = planted
    table = audit.benchmarks
    contradicts = table["contradicts_target"]
    assert contradicts[contradicts].index.tolist() == ["benchmark04"]
    assert not contradicts.isna().any()
    assert table.index[table["split"]].tolist() == ["benchmark09"]
    halves = audit.subgroups[audit.subgroups["differs"]]
    assert halves["subgroup"].tolist() == ["benchmark09-a", "benchmark09-b"]
    assert halves["dominant"].nunique() == 2
    # Without being told of the halves it finds that there are two kinds of items.
    assert table["hidden_p_adjusted"].idxmin() == "benchmark09"
    assert table["purity"].idxmin() == "benchmark09"
    assert "contradicts its target" in table.loc["benchmark04", "verdict"]
    # Each ability is one of the planted ones.
    r = np.corrcoef(audit.models[["ability0", "ability1"]].T, panel.ability.T)[:2, 2:]
    assert (r.max(axis=1) > 0.95).all()
    assert sorted(r.argmax(axis=1)) == [0, 1]
    dominant = {"ability0": r.argmax(axis=1)[0], "ability1": r.argmax(axis=1)[1]}
    pure = panel.truth["dominant"].dropna()
    assert table.loc[pure.index, "follows"].map(dominant).tolist() == pure.tolist()


def test_tables_fit_together(planted):
    panel, audit = planted
    table, items = audit.benchmarks, audit.items
    assert audit.to_frame().equals(table)
    assert audit.to_frame() is not table
    own = items.groupby("benchmark")[["discrimination_ability0"]].mean().iloc[:, 0]
    everything = table["n_varying"] == table["n_items"]
    np.testing.assert_allclose(
        table.loc[everything, "discrimination_ability0"], own[everything]
    )
    assert (table["discrimination_ability0_low"] < own).all()
    assert (table["discrimination_ability0_high"] > own).all()
    share = table.filter(like="information_share").sum(axis=1)
    np.testing.assert_allclose(share, 1.0)
    np.testing.assert_allclose(
        audit.models["mean_benchmark00"],
        panel.data.loc[:, panel.item_table["benchmark"] == "benchmark00"].mean(axis=1),
    )
    r = np.corrcoef(audit.models[["mean_benchmark00", "ability0", "ability1"]].T)
    circular = table.filter(like="circular_").loc["benchmark00"]
    np.testing.assert_allclose(circular.astype(float), r[0, 1:])
    assert items.index.tolist() == list(panel.data.columns)
    assert audit.dimensions["n_followers"].sum() == table["follows"].notna().sum()
    assert "benchmark04" in repr(audit)


def test_a_panel_of_one_ability_is_not_called_mislabelled():
    panel = make_multidim_responses(
        60, 8 * 25, n_components=1, n_benchmarks=8, random_state=0
    )
    table = panel.item_table
    # Half of the benchmarks claim what is nothing but noise.
    number = table["benchmark"].str[-1].astype(int)
    table["target"] = [f"ability{n % 2}" for n in number]
    audit = benchmark_audit(panel.data, table, QUICK)
    assert not audit.benchmarks["contradicts_target"].fillna(False).any()
    assert not audit.benchmarks["split"].any()


def test_a_benchmark_has_no_part_in_its_own_abilities():
    panel = make_multidim_responses(50, 200, n_benchmarks=4, random_state=1)
    code = np.repeat(np.arange(4), 50)
    changed = panel.data.copy()
    changed[:, code == 2] = np.random.default_rng(0).permutation(
        changed[:, code == 2], axis=0
    )
    out = []
    for X in (panel.data, changed):
        estimator = QUICK
        left, _ = leave_out_each(
            estimator, fit_whole(estimator, X), X, X, code, np.ptp(X, axis=0) > 0,
            refit=True, most_items=None, n_jobs=None, verbose=0,
        )  # fmt: skip
        out.append([one.abilities.mean for one in left])
    for b, same in ((2, True), (0, False)):
        first, second = (abilities[b] - abilities[b].mean(axis=0) for abilities in out)
        # The axes may be others, but they span the same abilities.
        left = second - first @ np.linalg.lstsq(first, second, rcond=None)[0]
        assert (np.abs(left).max() < 1e-6) == same


def test_repeats_itself_for_any_n_jobs_and_order_of_items():
    panel = make_multidim_responses(
        40, 96, n_benchmarks=4, random_state=0, as_frame=True, missing_rate=0.1
    )
    first = benchmark_audit(panel.data, panel.item_table, QUICK)
    shuffled = panel.item_table.sample(frac=1, random_state=0)
    with joblib.parallel_config("threading"):
        second = benchmark_audit(panel.data, shuffled, QUICK, n_jobs=2)
    for name in ("benchmarks", "subgroups", "items", "models", "dimensions"):
        pd.testing.assert_frame_equal(getattr(first, name), getattr(second, name))
    by_halves = benchmark_audit(
        panel.data, panel.item_table, FrozenEstimator(first.estimator_), by="category"
    )
    assert len(by_halves.benchmarks) == 8
    assert by_halves.subgroups.empty


def test_a_fixed_bank_stays_what_it_is():
    panel = make_multidim_responses(60, 160, n_benchmarks=4, random_state=2)
    bank = clone(QUICK).fit(panel.data[:30])
    before = bank.discrimination_.copy()
    audit = benchmark_audit(panel.data[30:], panel.item_table, FrozenEstimator(bank))
    columns = ["discrimination_ability0", "discrimination_ability1"]
    np.testing.assert_array_equal(audit.items[columns], before)
    np.testing.assert_allclose(
        audit.models[["ability0", "ability1"]], bank.transform(panel.data[30:])
    )
    assert "scored on" in audit.protocol


def test_says_what_goes_with_no_ability_and_what_runs_against_one():
    slopes = np.repeat([[1, 0], [0, 1], [0, 0], [-1, 0], [1, 0], [0, 1]], 30, axis=0)
    panel = make_multidim_responses(
        60, n_benchmarks=6, loadings=1.0 * slopes, random_state=0
    )
    bank = MultidimIRT.from_item_parameters(
        discrimination=panel.discrimination,
        intercept=panel.intercept,
        ability_correlation=panel.ability_correlation,
    )
    code = np.repeat(list("abcdef"), 30)
    verdict = benchmark_audit(panel.data, code, bank).benchmarks["verdict"]
    assert verdict[["a", "e"]].tolist() == ["follows ability0"] * 2
    assert verdict[["b", "f"]].tolist() == ["follows ability1"] * 2
    assert verdict["c"] == "goes with no ability"
    assert verdict["d"] == "goes with no ability, and runs against ability0"


# -- what does not fit --------------------------------------------------------------


def test_refusals():
    panel = make_multidim_responses(30, 80, n_benchmarks=4, random_state=0)
    X, table = panel.data, panel.item_table
    with pytest.raises(ValueError, match=r"benchmark 'one'.*by='category'"):
        benchmark_audit(X, table.assign(benchmark="one"))
    with pytest.raises(TypeError, match="TwoPLEstimator has no abilities in several"):
        benchmark_audit(X, table, TwoPLEstimator())
    with pytest.raises(ValueError, match="groups must name a group for each of the 30"):
        benchmark_audit(X, table, QUICK, groups=[1, 2])
    fitted = clone(QUICK).fit(X)
    with pytest.warns(UserWarning, match="fitted MultidimIRT is fitted anew"):
        benchmark_audit(X, table, fitted)
    with pytest.warns(UserWarning, match="are 5 groups, and at least 8"):
        audit = benchmark_audit(X, table, QUICK, groups=np.arange(30) % 5)
    assert audit.benchmarks["p"].isna().all()
    assert audit.benchmarks["contradicts_target"].isna().all()
    assert audit.benchmarks["correlation_ability0"].notna().all()
    assert audit.benchmarks["verdict"].str.contains("only 5 groups").all()


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_odd_benchmarks_and_models_have_defined_answers():
    panel = make_multidim_responses(40, 200, n_benchmarks=5, random_state=0)
    X, table = panel.data.copy(), panel.item_table
    number = table["benchmark"].str[-1].astype(int).to_numpy()
    X[:, number == 0] = 1.0  # everyone knows it
    X[6:, number == 1] = np.nan  # asked of six models only
    X[7] = np.nan  # answered nothing
    single = np.flatnonzero(number == 2)[1:]
    keep = np.setdiff1d(np.arange(200), single)  # one item
    audit = benchmark_audit(X[:, keep], table.iloc[keep], QUICK)
    found = audit.benchmarks
    assert "do not differ" in found.loc["benchmark0", "verdict"]
    assert "only 6 groups of models answered" in found.loc["benchmark1", "verdict"]
    assert found.loc["benchmark2", "n_items"] == 1
    assert found["p"].notna().tolist()[:2] == [False, False]
    assert audit.models.loc["model7", "n_answers"] == 0
    assert audit.models.loc["model7"].filter(like="mean_").isna().all()
    assert "<svg" in audit.to_html()


class _Tags(HTMLParser):
    """Checks that tags are closed in order and collects what they refer to."""

    def __init__(self):
        super().__init__()
        self.open, self.links, self.names = [], [], set()

    def handle_starttag(self, tag, attrs):
        self.names.add(tag)
        self.links += [v for k, v in attrs if k in ("src", "href", "srcset", "action")]
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.names.add(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_page_is_self_contained_and_escaped(tmp_path, planted):
    panel, before = planted
    evil = "<script>alert('&')</script>"
    table = panel.item_table.replace({"benchmark04": evil, "benchmark09-a": "<b>"})
    table["target"] = table["target"].map({0: "safe <i>", 1: "smart"})
    X = panel.data.rename(index={"model3": "<img src=x>"})
    audit = benchmark_audit(X, table, FrozenEstimator(before.estimator_))
    path = tmp_path / "audit.html"
    page = audit.to_html(path)
    assert path.read_text(encoding="utf-8") == page
    tags = _Tags()
    tags.feed(page)
    assert tags.open == []
    assert tags.links == []
    assert not tags.names & {"script", "img", "link", "iframe", "i", "b"}
    assert set(re.findall(r"https?://[^\"]+", page)) == {"http://www.w3.org/2000/svg"}
    assert "&lt;script&gt;" in page
    assert "contradicts its target" in page
