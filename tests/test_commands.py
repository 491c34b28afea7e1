"""The commands beside `skirt select`: what they tell, write and refuse."""

import io
import json
import sys
from html.parser import HTMLParser
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import ShuffleSplit

from skirt import FisherSubsetSelector, FluidBenchmark, TwoPLEstimator
from skirt._command import main
from skirt._command._held_out import held_out_errors, predict_full_scores
from skirt._command._panel import Panel
from skirt.adaptive import load_bank
from skirt.io import read_subset
from skirt.io._subset_files import make_subset
from skirt.io._subset_panel import CalibratedPanel
from skirt.metrics._predicted_score import predicted_scores
from skirt.model_selection import agreement_curve

QUICK = ["--cv", "4", "--sizes", "5,10"]
AWKWARD = '<b>&"model'


def draw(rng, ability, slopes, difficulty):
    p = expit(slopes * (np.asarray(ability)[:, None] - difficulty))
    return (rng.random(p.shape) < p).astype(float)


@pytest.fixture(scope="module")
def responses():
    """Thirty models on 120 items of two benchmarks, one name awkward for HTML."""
    rng = np.random.default_rng(5)
    slopes, difficulty = rng.lognormal(0.2, 0.5, 120), rng.normal(size=120)
    X = draw(rng, np.linspace(-2, 2, 30), slopes, difficulty)
    X[:, 4] = 1
    return pd.DataFrame(
        X,
        index=pd.Index([*(f"m{i}" for i in range(29)), AWKWARD], name="model"),
        columns=[f"{'sums' if j < 60 else 'words'}/{j:02d}" for j in range(120)],
    )


@pytest.fixture
def table(responses, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    responses.iloc[2:].to_csv("panel.csv")
    responses.iloc[:2].to_csv("new.csv")
    return "panel.csv"


def run(capsys, *arguments):
    code = main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return code, out, err


def facts_of(capsys, *arguments):
    code, out, err = run(capsys, *arguments, "--json")
    assert code == 0, err
    return json.loads(out)


# Predicted scores


def test_predicted_scores_are_those_of_drawn_answers():
    rng = np.random.default_rng(0)
    a, d = rng.lognormal(0, 0.4, 40), rng.normal(size=40)
    x = np.full((1, 40), np.nan)
    x[0, :8] = [1, 1, 0, 1, 0, 1, 1, 1]
    bank = TwoPLEstimator.from_item_parameters(discrimination=a, intercept=d)
    ability, se = bank.predict(x, return_std=True)
    found = predicted_scores(x, a, d, ability, se, confidence=0.8)
    grid = np.linspace(-6, 6, 4001)
    p = expit(np.multiply.outer(grid, a) + d)
    density = np.prod(np.where(x[0, :8] == 1, p[:, :8], 1 - p[:, :8]), axis=1)
    density *= np.exp(-(grid**2) / 2)
    theta = rng.choice(grid, 40_000, p=density / density.sum())
    unseen = (
        rng.random((theta.size, 32)) < expit(np.multiply.outer(theta, a) + d)[:, 8:]
    )
    drawn = (6 + unseen.sum(axis=1)) / 40
    assert found.score[0] == pytest.approx(drawn.mean(), abs=0.002)
    assert found.score_se[0] == pytest.approx(drawn.std(), rel=0.02)
    # Scores come in steps of 1/40; the quantiles lie within half of one.
    low, high = np.quantile(drawn, [0.1, 0.9])
    assert found.low[0] == pytest.approx(low, abs=0.0125)
    assert found.high[0] == pytest.approx(high, abs=0.0125)
    whole = np.where(np.isnan(x), 1.0, x)
    known = predicted_scores(whole, a, d, *bank.predict(whole, return_std=True))
    assert known.low[0] == known.high[0]
    assert known.score[0] == pytest.approx(whole.mean())
    wide = predicted_scores(x, a, d, ability, se, widen=50.0)
    assert (wide.low[0], wide.high[0]) == pytest.approx((6 / 40, 38 / 40))


def test_full_scores_of_new_models_lie_in_their_intervals():
    covered, missed = [], []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        slopes, difficulty = rng.lognormal(0, 0.5, 300), rng.normal(0, 1.2, 300)
        panel = draw(rng, rng.normal(size=80), slopes, difficulty)
        new = draw(rng, rng.normal(size=300), slopes, difficulty)
        selector = FisherSubsetSelector(25).fit(panel)
        asked = np.full(new.shape, np.nan)
        asked[:, selector.order_] = new[:, selector.order_]
        found = predict_full_scores(selector.estimator_, asked)
        truth = new.mean(axis=1)
        covered.append((found.low <= truth) & (truth <= found.high))
        missed.append(np.abs(found.score - truth))
    assert 0.85 <= np.mean(covered) <= 0.95
    assert np.mean(missed) < 0.045


@pytest.mark.filterwarnings("ignore:An estimated prior")  # of five models
def test_small_panels_hold_each_model_out_in_turn(responses):
    panel = responses.iloc[::6]
    truth = panel.mean(axis=1).to_numpy()
    found = held_out_errors(
        lambda k, seed: FisherSubsetSelector(k),
        SimpleNamespace(seed=0),
        Panel("five models", panel, None),
        truth,
        20,
    )
    off, ratio = [], []
    for name in panel.index:
        bank = TwoPLEstimator().fit(panel.drop(index=name))
        selector = FisherSubsetSelector(20, estimator=FrozenEstimator(bank))
        chosen = selector.fit(panel.drop(index=name)).get_feature_names_out()
        asked = panel.loc[[name], chosen].reindex(columns=panel.columns)
        told = predict_full_scores(bank, asked)
        off.append(abs(told.score[0] - panel.loc[name].mean()))
        ratio.append(off[-1] / told.score_se[0])
    assert found["held_out_error"] == pytest.approx(np.mean(off))
    # With one model more than these five, 9 of 10 are all of them.
    assert found["widen"] == pytest.approx(max(1, max(ratio) / 1.6449), rel=1e-4)
    assert found["banks"] == []


# skirt score


def score_by_draws(bank, chosen, x):
    """Mean and variance of the full score by brute force, of a bank as in the file."""
    rng = np.random.default_rng(0)
    a, d = np.array(bank["discrimination"]), np.array(bank["intercept"])
    root = np.linalg.cholesky(bank["ability_correlation"])
    theta = rng.standard_normal((6_000, a.shape[1])) @ root.T
    logits, spread = theta @ a.T + d, 0.0
    if bank.get("covariance") is not None:
        n = a.shape[1] + 1
        lower = np.zeros((len(d), n, n))
        lower[:, *np.tril_indices(n)] = bank["covariance"]
        both = lower + np.tril(lower, -1).transpose(0, 2, 1)
        point = np.column_stack([theta, np.ones(len(theta))])
        products = (point[:, :, None] * point[:, None]).reshape(len(point), -1)
        spread = np.sqrt(products @ both.reshape(len(d), -1).T)
    nodes, shares = np.polynomial.hermite_e.hermegauss(7)
    p = sum(
        w * expit(logits + spread * z)
        for z, w in zip(nodes, shares / shares.sum(), strict=True)
    )
    weight = np.prod(np.where(x == 1, p[:, chosen], 1 - p[:, chosen]), axis=1)
    weight /= weight.sum()
    rest = np.delete(p, chosen, axis=1)
    score = (x.sum() + rest.sum(axis=1)) / len(d)
    chance = (rest * (1 - rest)).sum(axis=1) / len(d) ** 2
    mean = weight @ score
    return mean, weight @ (chance + (score - mean) ** 2)


def test_score_tells_ability_full_score_and_place(capsys, table, responses):
    assert run(capsys, "select", table, *QUICK, "-k", 40, "-o", "s.json")[0] == 0
    subset = read_subset("s.json")
    facts = facts_of(capsys, "score", "s.json", "new.csv")
    assert facts["subset"]["k"] == 40
    assert (facts["subset"]["n_items"], facts["subset"]["n_models"]) == (120, 28)
    assert facts["subset"]["widen"] >= 1
    assert 0 < facts["subset"]["held_out_error"] < 0.2
    assert facts["confidence"] == 0.9
    with open("s.json") as file:
        held = json.load(file)
    place = {name: j for j, name in enumerate(held["bank"]["items"])}
    a = np.array(held["bank"]["discrimination"])
    d = np.array(held["bank"]["intercept"])
    chosen = [place[name] for name in subset.items]
    panel = responses.iloc[2:]
    np.testing.assert_allclose(held["panel"]["score"], panel.mean(axis=1))
    bank = TwoPLEstimator().fit(panel)
    np.testing.assert_allclose(a, bank.discrimination_)
    assert [np.shape(part["discrimination"])[1] for part in held["score_banks"]] == [
        *(2, 3, 5)
    ]
    one = {"discrimination": a[:, None], "intercept": d, "ability_correlation": [[1]]}
    for row in facts["models"]:
        x = responses.loc[row["model"], subset.items].to_numpy()
        drawn = [score_by_draws(p, chosen, x) for p in (one, *held["score_banks"])]
        mean, variance = np.transpose(drawn)
        assert row["predicted_score"] == pytest.approx(mean.mean(), abs=0.01)
        error = facts["subset"]["widen"] * np.sqrt(variance.mean() + mean.var())
        for end, sign in (("low", -1), ("high", 1)):
            there = row["predicted_score"] + sign * 1.645 * error
            there = np.clip(there, x.sum() / 120, (x.sum() + 80) / 120)
            assert row[end] == pytest.approx(there, abs=0.02)
        scores = np.sort(held["panel"]["score"])[::-1]
        for column, value in (
            ("place", row["predicted_score"]),
            ("place_best", row["high"]),
            ("place_worst", row["low"]),
        ):
            assert row[column] == 1 + (scores > value).sum()
        assert row["n_places"] == 29
        assert (row["n_answers"], row["subset_score"]) == (40, x.mean())
    selector = bank.select_items(chosen)
    ability, se = selector.predict(responses.iloc[:2][subset.items], return_std="total")
    told = pd.DataFrame(facts["models"])
    np.testing.assert_allclose(told["ability"], ability, atol=1e-3)
    np.testing.assert_allclose(told["ability_se"], se, rtol=1e-3)
    code, out, _ = run(capsys, "score", "s.json", "new.csv", "-o", "-")
    assert code == 0
    written = pd.read_csv(io.StringIO(out), index_col="model")
    np.testing.assert_allclose(written["low"], told["low"])
    again = subset.score(responses.iloc[:2])
    np.testing.assert_allclose(again, written[again.columns])
    with pytest.raises(ValueError, match="'m1' has answered no item"):
        subset.score(responses.iloc[:2].mul([1, np.nan], axis=0))
    with pytest.raises(ValueError, match=f"no column '{subset.items[0]}'"):
        subset.score(responses.drop(columns=subset.items[0]))


def test_a_subset_as_csv_gives_the_ability_alone(capsys, table):
    run(capsys, "select", table, *QUICK, "-k", 6, "-o", "s.csv")
    code, out, _ = run(capsys, "score", "s.csv", "new.csv")
    assert code == 0
    assert "holds only the chosen items" in out
    facts = facts_of(capsys, "score", "s.csv", "new.csv")
    assert "predicted_score" not in facts["models"][0]
    assert facts["confidence"] is None


def test_intervals_from_few_models_are_called_unproven(capsys, table, responses):
    responses.iloc[:7].to_csv("seven.csv")
    run(capsys, "select", "seven.csv", "-k", 6, "-o", "s.json")
    responses.iloc[7:9].to_csv("new.csv")
    code, out, _ = run(capsys, "score", "s.json", "new.csv")
    assert code == 0
    told = " ".join(out.split())
    assert "Only 7 independent models calibrated these items" in told
    facts = facts_of(capsys, "score", "s.json", "new.csv")
    assert facts["subset"]["independent_models"] == 7


def test_score_tells_what_is_lacking(capsys, table, responses, monkeypatch):
    run(capsys, "select", table, *QUICK, "-k", 6, "-o", "s.json")
    items = read_subset("s.json").items
    few = responses.loc[["m0", "m7"], items[:4]].copy()
    few.loc["silent"] = np.nan
    monkeypatch.setattr(sys, "stdin", io.StringIO(few.to_csv()))
    code, out, _ = run(capsys, "score", "s.json", "-")
    assert code == 0
    told = " ".join(out.split())
    assert "Of the subset's 6 items the results lack 2, which count as not" in told
    assert "Of models that answered fewer they are farther off." in told
    assert "unproven" not in told
    assert "1 model without an answer to the subset left out: silent" in told
    assert "m7: of the panel itself" in told
    with open("s.json") as file:
        content = json.load(file)
    content["score_banks"][1]["covariance"][7][2] = None
    with open("torn.json", "w") as file:
        json.dump(content, file)
    code, _, err = run(capsys, "score", "torn.json", "new.csv")
    assert code == 2
    assert "'covariance' of the calibration does not hold 120 x 10 finite" in err
    content["bank"]["intercept"] = content["bank"]["intercept"][1:]
    with open("cut.json", "w") as file:
        json.dump(content, file)
    code, _, err = run(capsys, "score", "cut.json", "new.csv")
    assert code == 2
    assert "cut.json: 'intercept' of the calibration does not hold 120" in err
    content["prediction"]["independent_models"] = 12.5
    with open("odd.json", "w") as file:
        json.dump(content, file)
    code, _, err = run(capsys, "score", "odd.json", "new.csv")
    assert code == 2
    assert "'independent_models' is 12.5: it is a whole number" in err


# skirt fit


def test_fit_writes_items_and_models(capsys, table, responses):
    arguments = ["fit", table, "-o", "items.csv", "--abilities", "models.csv"]
    code, out, _ = run(capsys, *arguments)
    assert code == 0
    assert "Answered alike by all models, so that they rank nobody: 1 of 120" in out
    bank = TwoPLEstimator().fit(responses.iloc[2:])
    read = load_bank("items.csv")
    np.testing.assert_allclose(read.discrimination_, bank.discrimination_)
    np.testing.assert_allclose(read.difficulty_, bank.difficulty_)
    items = pd.read_csv("items.csv", index_col="item_id")
    np.testing.assert_allclose(items["a_se"], bank.discrimination_se_)
    assert items["flags"].dropna().to_dict() == {"sums/04": "constant"}
    models = pd.read_csv("models.csv", index_col="model")
    expected = bank.ability_table()
    np.testing.assert_allclose(models[expected.columns], expected)
    np.testing.assert_allclose(
        models["score"], responses.loc[models.index].mean(axis=1)
    )
    assert run(capsys, "fit", table, "-o", "items.json")[0] == 0
    again = load_bank("items.json")
    np.testing.assert_allclose(again.difficulty_, bank.difficulty_)
    facts = facts_of(capsys, "fit", table, "--model", "1pl")
    assert len({row["discrimination"] for row in facts["items"]}) == 1
    assert {row["model"] for row in facts["models"]} == set(models.index)
    assert facts["converged"] is True


def test_fit_of_two_abilities(capsys, table):
    facts = facts_of(capsys, "fit", table, "--dimensions", 2, "-o", "items.csv")
    assert np.shape(facts["ability_correlation"]) == (2, 2)
    assert {"ability0", "ability1", "score"} <= set(facts["models"][0])
    items = pd.read_csv("items.csv", index_col="item_id")
    assert len(items) == 120
    code, _, err = run(capsys, "fit", table, "--dimensions", 2, "-o", "items.json")
    assert code == 2
    assert ".csv" in err


# skirt adapt


@pytest.mark.filterwarnings("ignore:.*prior is at its bound")
@pytest.mark.parametrize("criterion", ["fisher", "score"])
def test_adapt_replays_what_agreement_curve_measures(
    capsys, table, responses, criterion
):
    arguments = ["adapt", table, *QUICK, "--se", ".5", "-o", "replay.csv"]
    facts = facts_of(capsys, *arguments, "--criterion", criterion)
    panel = responses.iloc[2:]
    curve = agreement_curve(
        {"adaptive": FluidBenchmark(criterion=criterion)},
        panel,
        k=[5, 10],
        cv=ShuffleSplit(4, test_size=0.5, random_state=0),
    )
    told = pd.DataFrame(facts["curve"])
    own = told[told["method"] == "adaptive"]
    np.testing.assert_allclose(own["mean"], curve.to_frame()["mean"], atol=0.005)
    assert set(told["method"]) == {"adaptive", "fisher", "random"}
    trace = pd.read_csv("replay.csv")
    assert set(trace["model"]) == set(panel.index)
    assert trace.groupby("model")["item"].nunique().eq(10).all()
    for model, needed in facts["items_needed"].items():
        errors = trace.loc[trace["model"] == model, "standard_error"].to_numpy()
        reached = np.flatnonzero(errors <= 0.5)
        assert needed == (reached[0] + 1 if reached.size else None)
    at_ten = next(row for row in facts["standard_error"] if row["k"] == 10)
    last = trace[trace["step"] == 10]["standard_error"]
    assert at_ten["adaptive"] == pytest.approx(last.median())
    assert at_ten["adaptive"] < at_ten["random"]


# skirt audit and skirt report


class Page(HTMLParser):
    """Checks that tags close in order, and keeps what a test asks for."""

    VOID = {"meta", "br", "path", "use"}

    def __init__(self, text):
        super().__init__()
        self.open, self.text, self.attributes, self.tags = [], [], [], []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, *pair) for pair in attrs]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, *pair) for pair in attrs]

    def handle_endtag(self, tag):
        if tag not in self.VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)

    def check_self_contained(self):
        assert not {"script", "link", "img", "iframe", "object"} & set(self.tags)
        for _, name, value in self.attributes:
            assert not name.startswith("on")
            if name in ("href", "src", "xlink:href"):
                assert value.startswith(("#", "data:image/png;base64,"))
            known = name == "xmlns" or (value or "").startswith("data:")
            assert known or "//" not in (value or "")
        ids = [value for _, name, value in self.attributes if name == "id"]
        assert len(ids) == len(set(ids))
        links = [v for _, name, v in self.attributes if name == "href"]
        assert {v[1:] for v in links if v.startswith("#")} <= set(ids)


def test_audit_takes_benchmarks_from_names_or_from_a_table(capsys, table, responses):
    facts = facts_of(capsys, "audit", table, "-o", "audit.html")
    found = {row["benchmark"]: row for row in facts["benchmarks"]}
    assert set(found) == {"sums", "words"}
    assert found["sums"]["n_items"] == 60
    assert len(facts["items"]) == 120
    with open("audit.html") as file:
        page = Page(file.read())
    page.check_self_contained()
    assert "words" in "".join(page.text)
    few = responses.iloc[:12, :16]
    few.to_csv("few.csv")
    items = pd.DataFrame(
        {
            "item_id": [*few.columns, "another"],
            "kind": ["odd" if j % 2 else "even" for j in range(17)],
        }
    )
    items.to_csv("items.csv", index=False)
    arguments = ["audit", "few.csv", "--items", "items.csv"]
    code, out, _ = run(capsys, *arguments, "--by", "kind")
    assert code == 0
    assert "BenchmarkAudit of 2 benchmarks" in out
    assert "names 1 item more: ignored" in " ".join(out.split())
    code, _, err = run(capsys, *arguments)
    assert code == 2
    assert "no column 'benchmark'; it has kind" in err


def test_report_is_a_page_that_holds_what_it_tells(capsys, table, responses):
    pytest.importorskip("matplotlib")
    arguments = ["report", table, *QUICK, "--target", ".8", "-o", "report.html"]
    facts = facts_of(capsys, *arguments)
    with open("report.html") as file:
        content = file.read()
    page = Page(content)
    page.check_self_contained()
    text = " ".join("".join(page.text).split())
    assert AWKWARD in text
    assert "28 models answered 120 items" in text
    assert "of 120 items was answered alike by all models" in text
    best = facts["models"][0]
    assert f"The ablest model is {best['model']}" in text
    for row in facts["curve"]:
        assert f"{row['mean']:.3f} [{row['low']:.3f}, {row['high']:.3f}]" in text
    assert facts["k"] == facts["smallest_k"]["fisher"] == len(facts["subset"])
    assert f"{facts['k']} well-chosen of the 120 items" in text
    for row in facts["audit"]["benchmarks"]:
        assert row["verdict"] in text
    pictures = [v for tag, name, v in page.attributes if (tag, name) == ("svg", "role")]
    labels = [
        v for tag, name, v in page.attributes if (tag, name) == ("svg", "aria-label")
    ]
    assert len(pictures) == len(labels) == page.tags.count("figcaption") == 6
    assert "Wright" in " ".join(labels)
    abilities = [row["ability"] for row in facts["models"]]
    assert all(f"{value:+.2f}" in text for value in abilities)


def test_report_of_too_few_models_and_of_gaps(capsys, responses, tmp_path):
    pytest.importorskip("matplotlib")
    path, page = tmp_path / "nine.csv", tmp_path / "page.html"
    few = responses.iloc[:27:3].rename(columns=lambda name: name.replace("/", "-"))
    few.iloc[0, :5] = np.nan
    few.to_csv(path)
    assert run(capsys, "report", path, "-o", page)[0] == 0
    text = " ".join("".join(Page(page.read_text()).text).split())
    assert "is unknown: 9 models are too few" in text
    assert "No audit: item 'sums-00' has no benchmark" in text
    assert "5 responses missing" in text


def test_report_without_matplotlib_says_what_to_install(capsys, table, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    code, out, err = run(capsys, "report", table, "-o", "report.html")
    assert (code, out) == (2, "")
    assert err == (
        "skirt: error: skirt report draws with matplotlib, which is not installed: pip "
        "install 'skirt[plot]'.\n"
    )


# Refusals


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["score", "none.json", "new.csv"], "none.json: No such file"),
        (["score", "new.csv", "new.csv"], "a subset has a column 'item'"),
        (["score", "other.csv", "new.csv"], "new.csv has no item of other.csv"),
        (["score", "-", "-"], "cannot both be the standard input"),
        (["score", "new.csv"], "RESULTS"),
        (["fit", "none.csv"], "none.csv: No such file"),
        (["fit", "panel.csv", "-o", "items.txt"], "has to end in .csv or .json"),
        (["fit", "panel.csv", "-o", "-", "--json"], "only one thing"),
        (["fit", "panel.csv", "--dimensions", "0"], "'0' is not a whole number"),
        (["fit", "panel.csv", "-o", "x.csv", "--abilities", "x.csv"], "same file"),
        (["adapt", "panel.csv", "--sizes", "999"], "999 is more than the 120 items"),
        (["adapt", "panel.csv", "--se", "0"], "'0' is not a number above 0"),
        (["adapt", "nine.csv"], "2 models are too few"),
        (["adapt", "panel.csv", "--method", "auto"], "--method auto (see skirt adapt"),
        (["audit", "nine.csv"], "all items are of one benchmark, 'sums'"),
        (["audit", "panel.csv", "--items", "other.csv"], "no row for item 'sums/00'"),
        (["audit", "panel.csv", "-o", "no/such.html"], "no directory no"),
        (["report", "panel.csv"], "-o FILE is needed"),
        (["report", "panel.csv", "-o", "."], "a directory"),
        (["report", "torn.csv", "-o", "x.html"], "torn.csv"),
    ],
)
def test_bad_input_is_one_line_and_writes_nothing(
    capsys, table, responses, tmp_path, arguments, told
):
    responses.iloc[:2, :60].to_csv("nine.csv")
    (tmp_path / "other.csv").write_text(
        "item,order,discrimination,difficulty\nq1,1,1.0,0.0\n"
    )
    (tmp_path / "torn.csv").write_text("model,a,b\nx,1\ny,1,0\n")
    before = {path.name for path in tmp_path.iterdir()}
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("skirt: error: ")
    assert err.count("\n") == 1
    assert told in err
    assert {path.name for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize("name", ["select", "score", "fit", "adapt", "audit", "report"])
def test_help_tells_a_new_user_what_to_do(capsys, name):
    with pytest.raises(SystemExit) as stopped:
        main([name, "--help"])
    assert stopped.value.code == 0
    out = capsys.readouterr().out
    assert "examples:" in out
    assert "exit status:" in out
    assert f"skirt {name} " in out


def test_answers_that_are_none_are_refused_by_model_and_item():
    rng = np.random.default_rng(0)
    X = pd.DataFrame((rng.random((12, 20)) < 0.5) * 1.0)
    X.columns = [f"q{j}" for j in range(20)]
    bank = TwoPLEstimator(discrimination_prior=(0, 0.5)).fit(X)
    selector = FisherSubsetSelector(k=5, estimator=FrozenEstimator(bank)).fit(X)
    chosen = list(selector.get_feature_names_out())
    panel = CalibratedPanel.from_bank(bank, X.mean(axis=1), independent_models=12)
    table = pd.DataFrame({"order": range(1, 6)}, index=pd.Index(chosen, name="item"))
    subset = make_subset(table, calibration=bank, panel=panel)
    answers = X[chosen].iloc[:2].set_axis(["a", "b"])
    assert subset.score(answers)["predicted_score"].between(0, 1).all()
    with pytest.raises(ValueError, match=r"confidence is 90.*such as 0\.9"):
        subset.score(answers, confidence=90)
    with pytest.raises(ValueError, match="type ndarray: give a DataFrame"):
        subset.score(answers.to_numpy())
    for value in (2, "yes"):
        odd = answers.astype(object)
        odd.iloc[1, 2] = value
        told = f"Model 'b' has the answer {value!r} to item '{chosen[2]}'"
        with pytest.raises(ValueError, match=told):
            subset.score(odd)
