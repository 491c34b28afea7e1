"""Pictures: what is drawn, against the numbers computed here; and how it is drawn."""

import sys
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest, norm
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression

from skirt import (
    FisherSubsetSelector,
    FluidBenchmark,
    MultidimIRT,
    OnePLEstimator,
    TwoPLEstimator,
)
from skirt.audit import benchmark_audit
from skirt.datasets import make_multidim_responses, make_responses
from skirt.model_selection._result import AgreementCurve

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")

from skirt.plotting import (  # noqa: E402
    AbilityForestDisplay,
    AdaptiveTraceDisplay,
    AgreementCurveDisplay,
    BenchmarkHeatmapDisplay,
    DiscriminationHistogramDisplay,
    InformationDisplay,
    ItemCurveDisplay,
    ItemScatterDisplay,
    WrightMapDisplay,
)


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def panel():
    """100 models near the ceiling x 300 items, with gaps and long names."""
    X = make_responses(
        100, 300, mean_score=0.9, missing_rate=0.05, random_state=0, as_frame=True
    ).data
    X.index = [
        f"organisation/model-{i}-instruct-2026-{'x' * (i % 20)}" for i in range(100)
    ]
    return X


@pytest.fixture(scope="module")
def bank(panel):
    return TwoPLEstimator().fit(panel)


@pytest.fixture(scope="module")
def bench(panel):
    return FluidBenchmark(n_items=25).fit(panel.iloc[:80])


@pytest.fixture(scope="module")
def trace(panel, bench):
    return bench.replay(panel.iloc[80:])


@pytest.fixture(scope="module")
def spread():
    """A multidimensional panel with its item table."""
    return make_multidim_responses(60, random_state=0, as_frame=True)


@pytest.fixture(scope="module")
def audit(spread):
    return benchmark_audit(spread.data, spread.item_table, n_bootstrap=50)


@pytest.fixture(scope="module")
def curve():
    """An agreement curve whose k* are known: 20, and none (a dip below the target)."""
    k = (5, 10, 20, 40, 45, 50, 200)
    means = {
        "fisher": [0.7, 0.85, 0.91, 0.95, 0.95, 0.96, 0.99],
        "random": [0.5, 0.91, 0.8, 0.89, 0.9, 0.91, 0.89],
    }
    table = pd.concat(
        pd.DataFrame({"method": name, "k": k, "mean": mean})
        for name, mean in means.items()
    )
    table["low"], table["high"] = table["mean"] - 0.04, table["mean"] + 0.01
    return AgreementCurve(
        methods=tuple(means),
        k=k,
        n_models=50,
        n_groups=50,
        n_items=1200,
        n_answers=60000,
        protocol="20 random half splits (seed 0); intervals of 95 % from 200 "
        "resamplings of 50 models",
        split_scores=table.iloc[:0],
        table=table.reset_index(drop=True),
    )


NAMES = (
    "item curves",
    "wright map",
    "test information",
    "item information",
    "agreement",
    "forest",
    "discrimination",
    "discrimination vectors",
    "heat map",
    "shares",
    "scatter",
    "trace",
    "bare trace",
)


@pytest.fixture
def draw(panel, bank, bench, trace, curve, audit, spread):
    """Draw the picture of this name."""
    model = str(panel.index[90])
    drawn = {
        "item curves": lambda **kw: ItemCurveDisplay.from_estimator(
            bank, panel, items=[0, "item7", -1], **kw
        ),
        "wright map": lambda **kw: WrightMapDisplay.from_estimator(bank, **kw),
        "test information": lambda **kw: InformationDisplay.from_estimator(bank, **kw),
        "item information": lambda **kw: InformationDisplay.from_estimator(
            bank, items=range(8), **kw
        ),
        "agreement": lambda **kw: AgreementCurveDisplay.from_curve(curve, **kw),
        "forest": lambda **kw: AbilityForestDisplay.from_estimator(bank, panel, **kw),
        "discrimination": lambda **kw: DiscriminationHistogramDisplay.from_estimator(
            bank, corrected=True, **kw
        ),
        "discrimination vectors": (
            lambda **kw: DiscriminationHistogramDisplay.from_estimator(
                audit.estimator_, **kw
            )
        ),
        "heat map": lambda **kw: BenchmarkHeatmapDisplay.from_audit(audit, **kw),
        "shares": lambda **kw: BenchmarkHeatmapDisplay.from_audit(
            audit, kind="information_share", **kw
        ),
        "scatter": lambda **kw: ItemScatterDisplay.from_estimator(
            audit.estimator_, spread.item_table, **kw
        ),
        "trace": lambda **kw: AdaptiveTraceDisplay.from_trace(
            trace, bench, model=model, **kw
        ),
        "bare trace": lambda **kw: AdaptiveTraceDisplay.from_trace(
            trace, model=model, **kw
        ),
    }
    return lambda name, **kw: drawn[name](**kw)


def texts_of(figure):
    """Return every text that is seen, as (text, bounding box)."""
    figure.canvas.draw()
    found = []
    axes = [*figure.axes]
    for ax in axes:
        axes.extend(child for child in ax.child_axes if child not in axes)
        found += [ax.title, ax._left_title, ax._right_title, *ax.texts]
        if ax.get_legend() is not None:
            found += ax.get_legend().get_texts()
        for axis in (ax.xaxis, ax.yaxis):
            found.append(axis.label)
            low, high = sorted(axis.get_view_interval())
            for tick in [*axis.get_major_ticks(), *axis.get_minor_ticks()]:
                if low <= tick.get_loc() <= high:
                    found += [tick.label1, tick.label2]
    return [
        (text.get_text(), text.get_window_extent())
        for text in found
        if text.get_visible() and text.get_text().strip()
    ]


def overlapping(texts):
    return [
        (one, other)
        for (one, box), (other, second) in combinations(texts, 2)
        if box.overlaps(second)
    ]


@pytest.mark.parametrize("name", NAMES)
def test_no_text_overlaps_or_is_cut(draw, name):
    display = draw(name)
    texts = texts_of(display.figure_)
    assert overlapping(texts) == []
    width, height = display.figure_.get_size_inches() * display.figure_.dpi
    for text, box in texts:
        inside = box.x0 >= 0 and box.y0 >= 0 and box.x1 <= width and box.y1 <= height
        assert inside, text


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("layout", [None, "constrained"])
def test_given_axes_are_used_and_told_about(draw, name, layout):
    figure, axes = plt.subplots(1, 2, figsize=(14, 6), layout=layout)
    display = draw(name, ax=axes[0])
    assert display.ax_ is axes[0]
    assert display.figure_ is figure
    assert plt.get_fignums() == [figure.number]
    assert not axes[1].has_data()
    labels = [display.ax_.get_xlabel(), display.ax_.get_ylabel()]
    titles = [display.ax_.get_title(loc=place) for place in ("left", "center")]
    assert any(titles)
    if isinstance(display, WrightMapDisplay):
        labels += [text.get_text() for text in display.ax_.texts]
    assert any(labels)
    if layout is not None:
        assert overlapping(texts_of(figure)) == []
        return
    # Drawn again it is a picture of its own.
    again = display.plot()
    assert again is display
    assert display.figure_ is not figure


@pytest.mark.parametrize("layout", [None, "constrained"])
def test_labels_are_thinned_to_the_axes_given(panel, bank, layout):
    _, ax = plt.subplots(figsize=(6, 4), layout=layout)
    display = AbilityForestDisplay.from_estimator(bank, panel, ax=ax)
    labels = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert 15 < len(labels) < 60
    texts = [text for text in texts_of(display.figure_) if text[0] in labels]
    assert len(texts) == len(labels)
    assert overlapping(texts) == []


def test_item_curves(panel, bank):
    display = ItemCurveDisplay.from_estimator(
        bank, panel, items=["item3", 7], n_bins=6, confidence=0.9
    )
    assert display.items == ["item3", "item7"]
    theta = bank.predict(panel)
    for line, j in zip(display.lines_, (3, 7), strict=True):
        a, d = bank.discrimination_[j], bank.intercept_[j]
        grid, drawn = line.get_data()
        assert grid[0] <= theta.min()
        assert grid[-1] >= theta.max()
        np.testing.assert_allclose(drawn, 1 / (1 + np.exp(-(a * grid + d))))
        x = panel.to_numpy()[:, j]
        seen = [i for i in np.argsort(theta) if not np.isnan(x[i])]
        own = display.bins[display.bins["item"] == f"item{j}"]
        assert own["n_models"].sum() == len(seen)
        assert own["n_models"].max() - own["n_models"].min() <= 1
        start = 0
        for row in own.itertuples():
            chosen = seen[start : start + row.n_models]
            start += row.n_models
            right = int(sum(x[i] for i in chosen))
            np.testing.assert_allclose(row.proportion, right / len(chosen))
            np.testing.assert_allclose(row.ability, np.mean(theta[chosen]))
            exact = binomtest(right, len(chosen)).proportion_ci(0.9, "wilson")
            np.testing.assert_allclose([row.low, row.high], exact, atol=1e-12)
        # What is shown is what the table says.
        marks = [
            bars.lines[0].get_xydata()
            for bars in display.ax_.containers
            if np.allclose(bars.lines[0].get_ydata(), own["proportion"])
        ]
        assert len(marks) == 1
        np.testing.assert_allclose(marks[0][:, 0], own["ability"])


def test_bins_keep_equal_models_together():
    X = make_responses(80, 6, random_state=1).data
    bank = OnePLEstimator().fit(X)
    order = np.random.default_rng(0).permutation(len(X))
    one = ItemCurveDisplay.from_estimator(bank, X, items=2).bins
    other = ItemCurveDisplay.from_estimator(bank, X[order], items=2).bins
    pd.testing.assert_frame_equal(one, other)
    # Under one discrimination models with the same number right are equal.
    ties = np.cumsum(np.unique(X.sum(axis=1), return_counts=True)[1])
    assert set(np.cumsum(one["n_models"])) <= set(ties)
    assert len(one) > 1


def test_wright_map_counts_everything():
    ability = np.array([-1.0, 0.1, 0.1, 4.6])
    difficulty = np.array([-np.inf, -9.0, -3.9, 0.0, 0.2, 4.5, 20.0, 30.0])
    display = WrightMapDisplay(ability=ability, difficulty=difficulty, n_bins=8).plot()
    assert (display.n_easier_, display.n_harder_) == (2, 2)
    np.testing.assert_allclose(display.edges_, np.linspace(-4, 4.6, 9))
    models, items = display.ax_.containers
    for bars, values, side in ((models, ability, -1), (items, difficulty, 1)):
        drawn = [bar.get_width() for bar in bars]
        counts = [0] * 8
        for value in values:
            place = 0
            while place < 7 and value >= display.edges_[place + 1]:
                place += 1
            counts[place] += 1
        np.testing.assert_allclose(drawn, side * np.array(counts) / len(values))
    told = " ".join(text.get_text() for text in display.ax_.texts)
    assert "2 hatched:\nbelow −4" in told
    assert "4 models" in told
    assert "8 items" in told


@pytest.mark.parametrize("method", ["map", "eap", "ml", "wl"])
def test_information(method):
    a, b = np.array([0.5, 1.0, 2.5]), np.array([-1.0, 0.0, 1.0])
    bank = TwoPLEstimator.from_item_parameters(
        discrimination=a, difficulty=b, ability_method=method
    )
    display = InformationDisplay.from_estimator(bank, ability_range=(-2, 2))
    theta, drawn = display.lines_[0].get_data()
    assert (theta[0], theta[-1]) == (-2, 2)
    total = np.zeros_like(theta)
    for slope, place in zip(a, b, strict=True):
        p = 1 / (1 + np.exp(-slope * (theta - place)))
        total += slope**2 * p * (1 - p)
    np.testing.assert_allclose(drawn, total)
    prior = 1 if method in ("map", "eap") else 0
    error = display.standard_error_line_.get_ydata()
    np.testing.assert_allclose(error, (total + prior) ** -0.5)
    one = InformationDisplay.from_estimator(bank, items=[2], ability_range=(-2, 2))
    np.testing.assert_allclose(one.lines_[0].get_ydata(), 6.25 * p * (1 - p))
    assert one.standard_error_ax_ is None


def test_agreement(curve):
    display = AgreementCurveDisplay.from_curve(curve)
    assert display.smallest_k == {"fisher": 20, "random": None}
    for line, method in zip(display.lines_, curve.methods, strict=True):
        own = curve.table[curve.table["method"] == method]
        np.testing.assert_array_equal(line.get_xdata(), own["k"])
        np.testing.assert_array_equal(line.get_ydata(), own["mean"])
    told = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert told == ["fisher (k* = 20)", "random (target not reached)"]
    ticks = [t.get_text() for t in display.ax_.get_xticklabels()]
    assert {"5", "200"} < set(ticks) < {str(k) for k in curve.k}
    assert "half splits" in display.ax_.get_title(loc="left")
    only = AgreementCurveDisplay.from_curve(curve, methods=["random"], target=0.85)
    assert only.smallest_k == {"random": 40}
    with pytest.raises(ValueError, match="no method 'best'"):
        AgreementCurveDisplay.from_curve(curve, methods=["best"])
    with pytest.raises(ValueError, match="target is 90"):
        AgreementCurveDisplay.from_curve(curve, target=90)


def test_agreement_that_is_nowhere_defined(curve):
    table = curve.table.assign(mean=np.nan, low=np.nan, high=np.nan)
    display = AgreementCurveDisplay(
        table=table, target=0.9, smallest_k={"fisher": None}, n_items=1200
    ).plot()
    display.figure_.canvas.draw()
    low, high = display.ax_.get_ylim()
    assert low < 0.9 < high


def test_forest(panel, bank):
    display = AbilityForestDisplay.from_estimator(bank, panel, confidence=0.8)
    theta, se = bank.predict(panel, return_std=True)
    best_first = sorted(range(100), key=lambda i: -theta[i])
    names = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert len(names) == 100
    for shown, i in zip(names, best_first, strict=True):
        assert shown[:20] == panel.index[i][:20]
        assert shown[-5:] == panel.index[i][-5:]
    top, bottom = display.ax_.get_ylim()[::-1]
    assert top < bottom  # row 0 is at the top
    (bars,) = display.ax_.containers
    point, _, (segments,) = bars.lines
    np.testing.assert_allclose(point.get_xdata(), theta[best_first])
    reach = norm.ppf(0.9) * se
    for segment, i in zip(segments.get_segments(), best_first, strict=True):
        np.testing.assert_allclose(
            segment[:, 0], [theta[i] - reach[i], theta[i] + reach[i]]
        )
    raw = [panel.iloc[i].dropna().mean() for i in best_first]
    np.testing.assert_allclose(display.score_ax_.lines[0].get_xdata(), raw)
    assert display.score_ax_.get_xlim()[1] >= 1


def test_forest_keeps_models_without_finite_ability():
    display = AbilityForestDisplay(
        ability=[0.3, np.nan, np.inf, -np.inf, 1.0],
        standard_error=[0.2, np.nan, np.inf, np.inf, 0.3],
        model_names=["middling", "silent", "all right", "all wrong", "good"],
    ).plot()
    names = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert names[:3] == ["all right", "good", "middling"]
    assert set(names[3:]) == {"silent", "all wrong"}
    assert sum(line.get_label() == "_infinite" for line in display.ax_.lines) == 2
    assert display.score_ax_ is None


def test_forest_std_is_the_estimators(panel, bank):
    display = AbilityForestDisplay.from_estimator(bank, return_std="total")
    np.testing.assert_array_equal(display.standard_error, bank.ability_se_total_)
    known = TwoPLEstimator.from_item_parameters(
        discrimination=bank.discrimination_, intercept=bank.intercept_
    )
    with pytest.raises(ValueError, match="pass their responses, X"):
        AbilityForestDisplay.from_estimator(known)
    with pytest.raises(ValueError, match="return_std is False"):
        AbilityForestDisplay.from_estimator(bank, return_std=False)


def test_discrimination(bank):
    display = DiscriminationHistogramDisplay.from_estimator(bank)
    a = bank.discrimination_
    mean = sum(a) / len(a)
    cv = (sum((x - mean) ** 2 for x in a) / len(a)) ** 0.5 / mean
    assert f"300 items: coefficient of variation {cv:.2f}" == display.ax_.get_title()
    for bar in display.bars_:
        left, right = bar.get_x(), bar.get_x() + bar.get_width()
        within = sum(left - 1e-9 <= x <= right + 1e-9 for x in a)
        assert bar.get_height() <= within
    assert sum(bar.get_height() for bar in display.bars_) == 300
    vectors = MultidimIRT.from_item_parameters(
        discrimination=[[3.0, 4.0], [0.0, 10.0]], intercept=[0, 0]
    )
    display = DiscriminationHistogramDisplay.from_estimator(vectors)
    np.testing.assert_allclose(display.discrimination, [5, 10])
    np.testing.assert_allclose(display.cv, 1 / 3)


def test_heatmap(audit):
    for kind in ("correlation", "circular_correlation", "information_share"):
        display = BenchmarkHeatmapDisplay.from_audit(audit, kind=kind)
        columns = [f"{kind}_{name}" for name in audit.dimensions.index]
        shown = np.asarray(display.image_.get_array())
        np.testing.assert_array_equal(shown, audit.benchmarks[columns].to_numpy())
        rows = [label.get_text() for label in display.ax_.get_yticklabels()]
        assert rows == list(audit.benchmarks.index)
        framed = {
            (
                round(p.get_x() + p.get_width() / 2),
                round(p.get_y() + p.get_height() / 2),
            )
            for p in display.ax_.patches
        }
        follows = audit.benchmarks["follows"]
        assert framed == {
            (list(audit.dimensions.index).index(name), row)
            for row, name in enumerate(follows)
            if name is not None
        }
        assert framed
    with pytest.raises(ValueError, match="kind is 'weight': give one of correlation"):
        BenchmarkHeatmapDisplay.from_audit(audit, kind="weight")


def test_heatmap_of_many_benchmarks_with_gaps():
    values = pd.DataFrame(
        np.random.default_rng(0).uniform(-1, 1, (60, 3)),
        index=[f"collection/subject {i}" for i in range(60)],
        columns=[f"ability{k}" for k in range(3)],
    )
    values.iloc[4, 1], values.iloc[0, 0], values.iloc[1, 0] = np.nan, -0.001, -0.5
    display = BenchmarkHeatmapDisplay(values=values).plot()
    cells = [text.get_text() for text in display.ax_.texts]
    assert len(cells) == 180
    assert (cells[0], cells[3], cells[13]) == ("0.00", "−0.50", "–")
    assert overlapping(texts_of(display.figure_)) == []


def test_scatter(spread, audit):
    bank, table = audit.estimator_, spread.item_table
    display = ItemScatterDisplay.from_estimator(
        bank, table.sample(frac=1, random_state=0), dimensions=(1, 0)
    )
    drawn = 0
    benchmarks = table["benchmark"].to_numpy()
    for points, name in zip(display.points_, dict.fromkeys(benchmarks), strict=True):
        expected = bank.discrimination_[benchmarks == name][:, [1, 0]]
        got = np.asarray(points.get_offsets())
        assert got.shape == expected.shape
        (left, right), (low, high) = display.ax_.get_xlim(), display.ax_.get_ylim()
        expected = np.clip(expected, [left, low], [right, high])
        np.testing.assert_allclose(got, expected)
        drawn += len(got)
    assert drawn == len(table)
    assert display.ax_.get_xlabel() == "Discrimination on ability1"


def test_scatter_of_many_items_is_rasterised_and_drops_none():
    rng = np.random.default_rng(0)
    a = rng.normal(size=(5000, 2))
    a[7] = 90.0, -90.0
    bank = MultidimIRT.from_item_parameters(discrimination=a, intercept=np.zeros(5000))
    display = ItemScatterDisplay.from_estimator(bank, rng.integers(0, 3, 5000))
    assert sum(len(points.get_offsets()) for points in display.points_) == 5000
    assert all(points.get_rasterized() for points in display.points_)
    (left, right), (low, high) = display.ax_.get_xlim(), display.ax_.get_ylim()
    assert right < 10
    inside = (
        (left <= a[:, 0]) & (a[:, 0] <= right) & (low <= a[:, 1]) & (a[:, 1] <= high)
    )
    assert display.n_beyond_ == (~inside).sum() > 0
    assert f"{display.n_beyond_} beyond" in display.ax_.get_title(loc="right")


def test_scatter_of_many_benchmarks_can_be_told_apart():
    labels = [f"mmlu/subject {j % 57}" for j in range(570)]
    a = np.random.default_rng(0).normal(size=(570, 2))
    display = ItemScatterDisplay(discrimination=a, labels=labels).plot()
    assert overlapping(texts_of(display.figure_)) == []
    entries = display.ax_.get_legend().legend_handles[:-1]
    assert len({(h.get_color(), h.get_marker()) for h in entries}) == 57


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dimensions": (0, 5)}, "the estimator has 2, 0 to 1"),
        ({"dimensions": (1, 1)}, "two different ones"),
        ({"by": "skill"}, "no column 'skill'"),
    ],
)
def test_scatter_refuses(spread, audit, options, message):
    with pytest.raises(ValueError, match=message):
        ItemScatterDisplay.from_estimator(
            audit.estimator_, spread.item_table, **options
        )


def test_trace(panel, bench, trace):
    model = panel.index[85]
    display = AdaptiveTraceDisplay.from_estimator(
        bench, panel.iloc[80:], model=model, confidence=0.5
    )
    own = trace[trace["model"] == model]
    np.testing.assert_array_equal(display.line_.get_xdata(), own["step"])
    np.testing.assert_array_equal(display.line_.get_ydata(), own["ability"])
    edges = display.band_.get_paths()[0].vertices
    for step, ability, se in zip(
        own["step"], own["ability"], own["standard_error"], strict=True
    ):
        at = edges[edges[:, 0] == step, 1]
        assert np.isclose(at, ability - 0.6744897501960817 * se).any()
        assert np.isclose(at, ability + 0.6744897501960817 * se).any()
    parameters = bench.estimator_.item_parameters()
    marks = {line.get_label(): line for line in display.ax_.lines}
    for response in (0, 1):
        asked = own[own["response"] == response]
        got = marks[f"item, answer {response}"]
        np.testing.assert_array_equal(got.get_xdata(), asked["step"])
        b = [parameters.loc[item, "difficulty"] for item in asked["item"]]
        np.testing.assert_allclose(got.get_ydata(), b)


def test_trace_of_a_session(bench):
    session = bench.start(model="$new_model$")
    for response in (1, None, 0, 1):
        session.record(session.next_items()[0], response)
    display = AdaptiveTraceDisplay.from_trace(
        session.history, bench, model=session.model
    )
    told = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert "item, answer not scored" in told
    assert len(display.difficulty) == 4
    assert overlapping(texts_of(display.figure_)) == []


def test_trace_refuses(panel, bench, trace):
    with pytest.raises(ValueError, match=r"holds 20 models: name one, such as model="):
        AdaptiveTraceDisplay.from_trace(trace)
    almost = str(panel.index[90])[:-1] + "?"
    with pytest.raises(ValueError, match=r"no model .* Is it 'organisation/model-"):
        AdaptiveTraceDisplay.from_trace(trace, model=almost)
    with pytest.raises(ValueError, match="no column 'ability'"):
        AdaptiveTraceDisplay.from_trace(trace.drop(columns="ability"))
    with pytest.raises(ValueError, match="no step"):
        AdaptiveTraceDisplay.from_trace(bench.start().history)
    strange = trace.assign(item="item_7")
    with pytest.raises(ValueError, match="no item 'item_7'.*'item7'"):
        AdaptiveTraceDisplay.from_trace(strange, bench, model=panel.index[90])


def test_unknown_items_are_named_with_what_is_near(bank):
    with pytest.raises(ValueError, match=r"no item 'itm12'\. Is it 'item12' or"):
        ItemCurveDisplay.from_estimator(bank, items=["item1", "itm12"])
    with pytest.raises(ValueError, match="position 300: there are 300 items"):
        InformationDisplay.from_estimator(bank, items=300)
    with pytest.raises(ValueError, match="7 items are asked for.*1 to 6"):
        ItemCurveDisplay.from_estimator(bank, items=range(7))
    with pytest.raises(ValueError, match="twice"):
        ItemCurveDisplay.from_estimator(bank, items=[3, "item3"])


@pytest.mark.parametrize(
    "make",
    [
        lambda e: ItemCurveDisplay.from_estimator(e, items=0),
        WrightMapDisplay.from_estimator,
        InformationDisplay.from_estimator,
        AbilityForestDisplay.from_estimator,
        DiscriminationHistogramDisplay.from_estimator,
        lambda e: AdaptiveTraceDisplay.from_trace(
            pd.DataFrame(
                {"step": [1], "item": ["a"], "response": [1.0], "ability": [0.0]}
            ).assign(standard_error=1.0),
            e,
        ),
    ],
)
def test_estimators_that_cannot_be_drawn(make):
    for unfitted in (TwoPLEstimator(), FisherSubsetSelector(), FluidBenchmark()):
        with pytest.raises(NotFittedError):
            make(unfitted)
    other = LogisticRegression().fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(TypeError, match="LogisticRegression holds no item parameters"):
        make(other)
    with pytest.raises(TypeError, match="estimator is drawn here"):
        make("bank")


def test_dimensions_must_fit(bank, audit):
    with pytest.raises(TypeError, match="of one ability, and MultidimIRT has several"):
        WrightMapDisplay.from_estimator(audit.estimator_)
    with pytest.raises(TypeError, match="fit a MultidimIRT; got TwoPLEstimator"):
        ItemScatterDisplay.from_estimator(bank)
    with pytest.raises(NotFittedError):
        ItemScatterDisplay.from_estimator(MultidimIRT())


def test_arrays_and_frames_give_the_same_picture(panel):
    frame = panel.iloc[:40, :60]
    for holder in (TwoPLEstimator(), FisherSubsetSelector(k=10)):
        with_names = holder.fit(frame)
        one = ItemCurveDisplay.from_estimator(with_names, frame, items="item5")
        without = holder.fit(frame.to_numpy())
        other = ItemCurveDisplay.from_estimator(without, frame.to_numpy(), items=5)
        pd.testing.assert_frame_equal(one.bins, other.bins)
        np.testing.assert_array_equal(one.curves, other.curves)


def test_names_are_shown_as_they_are():
    names = ["$x_1$ costs $5", "_hidden", "plain"]
    bank = TwoPLEstimator.from_item_parameters(
        discrimination=[1.0, 2.0, 1.5], difficulty=[0.0, 1.0, -1.0], names=names
    )
    display = InformationDisplay.from_estimator(bank, items=names)
    display.figure_.canvas.draw()
    shown = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert shown == [r"\$x_1\$ costs \$5", " _hidden", "plain"]
    forest = AbilityForestDisplay(
        ability=[0.0, 1.0, 2.0], standard_error=[1.0, 1.0, 1.0], model_names=names
    ).plot()
    assert not any(label.get_parse_math() for label in forest.ax_.get_yticklabels())


def test_without_matplotlib_the_way_out_is_told(monkeypatch, bank, curve, audit):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    for make in (
        lambda: WrightMapDisplay.from_estimator(bank),
        lambda: AgreementCurveDisplay.from_curve(curve),
        lambda: BenchmarkHeatmapDisplay.from_audit(audit),
        lambda: WrightMapDisplay(ability=[0.0], difficulty=[0.0]).plot(),
        lambda: AbilityForestDisplay.from_estimator(bank),
    ):
        with pytest.raises(ImportError, match=r"pip install 'skirt\[plot\]'"):
            make()
