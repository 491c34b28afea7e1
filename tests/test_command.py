"""The command from its arguments to its exit code, output and files."""

import io
import json
import re
import subprocess
import sys
import warnings
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import ShuffleSplit

from skirt import (
    AutoSubsetSelector,
    DisagreementSelector,
    FisherSubsetSelector,
    MultidimIRT,
    RandomSubsetSelector,
)
from skirt._command import main
from skirt._command._select_methods import ALL, way_to
from skirt._command._verdict import (
    break_even,
    comparison_sentences,
    no_better_than_random,
)
from skirt._command._warnings import warnings_as_lines
from skirt.datasets import make_multidim_responses
from skirt.io import read_responses, read_subset
from skirt.model_selection import AgreementCurve, agreement_curve

QUICK = ["--cv", "4", "--sizes", "5,10,20"]


@pytest.fixture(scope="module")
def responses():
    """Twenty-four models of clearly different ability, with gaps, on 40 items."""
    rng = np.random.default_rng(3)
    ability = np.linspace(-2, 2, 24)[rng.permutation(24)]
    slopes, difficulty = rng.lognormal(0.2, 0.6, 40), rng.normal(size=40)
    p = 1 / (1 + np.exp(-slopes * (ability[:, None] - difficulty)))
    X = (rng.random(p.shape) < p).astype(float)
    X[rng.random(X.shape) < 0.03] = np.nan
    X[:, 7] = 1
    return pd.DataFrame(
        X,
        index=pd.Index([f"m{i}" for i in range(24)], name="model"),
        columns=[f"{j:03d}" for j in range(40)],
    )


@pytest.fixture
def table(responses, tmp_path):
    path = tmp_path / "table.csv"
    responses.to_csv(path)
    return path


def run(capsys, *arguments):
    code = main(["select", *map(str, arguments)])
    out, err = capsys.readouterr()
    return code, out, err


def run_json(capsys, *arguments):
    code, out, _ = run(capsys, *arguments, *QUICK, "--json")
    assert code == 0
    return json.loads(out)


def test_the_report_and_the_subset(capsys, table, responses, tmp_path):
    subset = tmp_path / "subset.csv"
    code, out, err = run(capsys, table, *QUICK, "--target", ".8", "-o", subset)
    assert code == 0
    assert "24 models x 40 items" in out
    assert "so that they rank nobody: 1 of 40" in out
    assert "4 random half splits of the models (seed 0)" in out
    assert str(subset) in out
    assert "Traceback" not in err
    read = read_subset(subset)
    chosen = read.table
    assert read.k == len(chosen)
    assert chosen["order"].tolist() == list(range(1, len(chosen) + 1))
    by_hand = FisherSubsetSelector(len(chosen)).fit(responses)
    assert chosen.index.tolist() == responses.columns[by_hand.order_].tolist()
    assert responses[chosen.index].shape == (24, len(chosen))
    bank = by_hand.estimator_
    np.testing.assert_allclose(
        chosen["discrimination"], bank.discrimination_[by_hand.order_]
    )
    np.testing.assert_allclose(
        chosen["information"],
        bank.item_information(bank.ability_).mean(axis=0)[by_hand.order_],
    )


@pytest.mark.filterwarnings("ignore:.*prior is at its bound")
def test_the_numbers_are_those_of_agreement_curve(capsys, table, responses):
    found = main(
        [
            "select",
            str(table),
            *["--cv", "2", "--sizes", "5,20"],
            "--compare",
            "--json",
            "--seed",
            "5",
        ]
    )
    assert found == 0
    facts = json.loads(capsys.readouterr().out)
    curve = agreement_curve(
        {
            "fisher": FisherSubsetSelector(),
            "random": RandomSubsetSelector(),
            "disagreement": DisagreementSelector(random_state=None),
            "fisher rank": FisherSubsetSelector(criterion="rank"),
            "auto": AutoSubsetSelector(random_state=None),
        },
        responses,
        k=[5, 20],
        cv=ShuffleSplit(2, test_size=0.5, random_state=5),
        random_state=5,
    )
    told = pd.DataFrame(facts["curve"]).set_index(["method", "k"])
    expected = curve.to_frame().set_index(["method", "k"])
    columns = ["mean", "low", "high", "pooled", "saving"]
    np.testing.assert_allclose(
        told.loc[expected.index, columns].astype(float),
        expected[columns],
        atol=1e-6,
    )
    assert set(told.index.get_level_values(0)) == set(facts["smallest_k"])
    assert {"anchor", "random + ridge"} <= set(facts["smallest_k"])


@pytest.mark.filterwarnings("ignore:.*prior is at its bound")
def test_items_chosen_for_the_ranking_can_be_scored(capsys, table, responses, tmp_path):
    families = [f"f{i // 2}" for i in range(24)]
    grouped = tmp_path / "grouped.csv"
    responses.assign(family=families).to_csv(grouped)
    subset = tmp_path / "subset.json"
    options = ["--groups", "family", "--criterion", "rank", "-k", 8, "-o", subset]
    facts = run_json(capsys, grouped, *options)
    assert facts["method"] == "fisher rank"
    by_hand = FisherSubsetSelector(8, criterion="rank").fit(responses, groups=families)
    read = read_subset(subset)
    assert list(read.table.index) == list(responses.columns[by_hand.order_])
    assert read.agreement == facts["agreement"]["fisher rank"]["mean"]
    assert main(["score", str(subset), str(table), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["models"]
    known = responses.mean(axis=1)
    predicted = pd.Series({row["model"]: row["predicted_score"] for row in told})
    assert predicted.corr(known, method="spearman") > 0.8


def test_json_names_everything(capsys, table, responses):
    facts = run_json(capsys, table, "-k", 6)
    assert facts["data"]["n_models"] == 24
    assert facts["data"]["n_missing"] > 0
    assert facts["data"]["missingness"]["missing_rate"] == pytest.approx(0.03, abs=0.02)
    assert facts["data"]["item_flags"]["constant"] == ["007"]
    assert facts["k"] == len(facts["subset"]) == 6
    assert {row["k"] for row in facts["curve"]} == {5, 6, 10, 20}
    assert facts["saving"] == pytest.approx(1 - 6 / 40)
    answers = 24 * 40 - facts["data"]["n_missing"]
    assert facts["break_even"] == -(-answers // 34)
    assert facts["break_even_against_random"] is None
    chosen = responses[[row["item"] for row in facts["subset"]]]
    patterns = chosen.drop_duplicates()
    assert 1 < facts["ties"]["n_scores"] <= len(patterns)
    assert facts["ties"]["n_models"] == 24
    assert facts["ties"]["n_at_top"] >= (chosen == 1).all(axis=1).sum()
    assert set(facts["agreement"]) == {"fisher", "random"}
    assert facts["target"] is None


def test_long_table_and_standard_input_give_the_same(
    capsys, table, responses, tmp_path, monkeypatch
):
    wide = run_json(capsys, table)
    long = tmp_path / "long.csv"
    melted = responses.reset_index().melt(
        "model", var_name="item", value_name="response"
    )
    melted.to_csv(long, index=False)
    assert read_responses(long).responses.equals(responses.rename_axis(None, axis=1))
    from_long = run_json(capsys, long)
    monkeypatch.setattr(sys, "stdin", io.StringIO(table.read_text()))
    from_stdin = run_json(capsys, "-")
    for facts in (from_long, from_stdin):
        assert facts["curve"] == wide["curve"]
        assert facts["subset"] == wide["subset"]


def test_groups_from_a_file_or_a_column(capsys, table, responses, tmp_path):
    families = [f"family {i % 8}" for i in range(24)]
    groups = tmp_path / "groups.csv"
    pd.DataFrame(
        {"model": [*responses.index, "elsewhere"], "group": [*families, "none"]}
    ).to_csv(groups, index=False)
    from_file = run_json(capsys, table, "--groups", groups)
    assert "the 8 groups kept whole" in from_file["protocol"]
    assert any("names 1 model more" in note for note in from_file["data"]["notes"])
    with_column = tmp_path / "with_column.csv"
    responses.assign(family=families).to_csv(with_column)
    from_column = run_json(capsys, with_column, "--groups", "family")
    assert from_column["curve"] == from_file["curve"]


@pytest.mark.parametrize(
    ("method", "column"),
    [("anchor", "weight"), ("disagreement", "order"), ("random", "order")],
)
def test_other_methods(capsys, table, tmp_path, method, column):
    subset = tmp_path / "subset.csv"
    code, out, _ = run(capsys, table, *QUICK, "-k", 5, "--method", method, "-o", subset)
    assert code == 0
    assert method in out
    assert column in read_subset(subset).table.columns


def test_too_few_models_are_not_sized_but_may_choose(capsys, responses, tmp_path):
    path = tmp_path / "nine.csv"
    responses.iloc[:9].to_csv(path)
    code, out, err = run(capsys, path)
    assert (code, out) == (2, "")
    assert "9 models are too few" in err
    code, out, _ = run(capsys, path, "-k", 4)
    assert code == 0
    assert "UNKNOWN" in out
    assert "held-out" not in out


def test_a_target_that_is_not_reached(capsys, table, tmp_path):
    subset = tmp_path / "subset.csv"
    hopeless = ["--cv", 4, "--sizes", 1, "--target", ".99"]
    assert run(capsys, table, *hopeless)[0] == 1
    assert run(capsys, table, *hopeless, "--json")[0] == 1
    code, out, _ = run(capsys, table, *hopeless, "-o", subset)
    assert code == 1
    assert "Not worth it: no tested size reaches" in out
    assert not subset.exists()


def test_nothing_is_left_out_without_being_told(capsys, responses, tmp_path):
    path = tmp_path / "gaps.csv"
    gaps = responses.copy()
    gaps["never asked"] = np.nan
    gaps.loc["silent"] = np.nan
    gaps.to_csv(path)
    _, out, _ = run(capsys, path, "-k", 5, *QUICK)
    assert "24 models x 40 items" in out
    assert "1 item without any response left out: never asked." in out
    assert "1 model without any response left out: silent." in out
    assert "missing rate correlates" in out


def test_binarize_counts_values_above(capsys, table, responses, tmp_path):
    path = tmp_path / "scores.csv"
    (responses * 0.6 + 0.2).to_csv(path)
    assert run(capsys, path)[0] == 2
    assert (
        run_json(capsys, path, "--binarize", ".5")["curve"]
        == run_json(capsys, table)["curve"]
    )


@pytest.mark.parametrize(
    ("content", "arguments", "told"),
    [
        (None, [], "No such file"),
        ("", [], "is empty"),
        ("model,a,b\nx,1,0\ny,1,maybe\n", [], "line 3"),
        ("model,a,b\nx,1,0\ny,1,2\n", [], "--binarize T"),
        ("model,a,b\nx,1,0\n", [], "one model"),
        ("model,a\nx,1\ny,0\n", [], "one item"),
        ("model,a,b\nx,,\ny,,\n", [], "every cell is missing"),
        ("model,a,b\nx,1,0\ny,1,1\n", [], "at least 10"),
        ("model,a,b\nx,1,0\ny,1,1\n", ["-k", "3"], "only 2 items"),
        ("model,a,b\nx,1,0\ny,1,1\n", ["-k", "0"], "'0' is not a whole number"),
        ("model,a,b\nx,1,0\ny,1,1\n", ["-k", "1", "--target", ".9"], "not allowed"),
        ("model,a,b\nx,1,0\ny,1,1\n", ["--target", "90"], "between 0 and 1"),
        ("model,a,b\nx,1,0\ny,1,1\n", ["--sizes", "5,x"], "'x'"),
        ("model,a,b\nx,1,0\ny,1,1\n", ["--method", "best"], "'best'"),
        ("model,a,b\nx,1,0\ny,1,1\n", ["--groups", "family"], "neither a file nor"),
        (
            "model,a,b\nx,1,0\ny,1,1\n",
            ["-k", "1", "--method", "random", "--criterion", "total"],
            "--criterion is for",
        ),
        ("model,a,b\nx,1,0\ny,1,1\n", ["--nonsense"], "--nonsense"),
        (None, ["-o", "no/such/place"], "no directory no/such"),
        (None, ["-o", "."], "a directory"),
        ("model,a,b\nx,1,0\ny,1,0\n", ["-k", "1"], "every item is answered alike"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(
    capsys, tmp_path, content, arguments, told
):
    path = tmp_path / "table.csv"
    if content is not None:
        path.write_text(content)
    code, out, err = run(capsys, path, *arguments)
    assert code == 2
    assert out == ""
    errors = [line for line in err.splitlines() if line.startswith("skirt: error: ")]
    assert len(errors) == 1
    assert told in errors[0]
    others = set(err.splitlines()) - set(errors)
    assert not others


def test_without_a_command(capsys):
    assert main([]) == 2
    assert "skirt select" in capsys.readouterr().err
    with pytest.raises(SystemExit) as stopped:
        main(["--version"])
    assert stopped.value.code == 0


def test_as_a_process(table):
    done = subprocess.run(
        [sys.executable, "-m", "skirt", "select", str(table), *QUICK],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Result" in done.stdout
    assert "skirt: held-out agreement" in done.stderr
    assert all(line.startswith("skirt: ") for line in done.stderr.splitlines())


def test_a_random_subset_needs_no_calibration_to_earn_back(capsys, table):
    options = [table, *QUICK, "--method", "random", "-k", 5, "--seed", 3]
    _, out, _ = run(capsys, *options)
    assert "drawn at random (seed 3)" in out
    assert "best first" not in out
    assert "have paid after" not in out
    facts = json.loads(run(capsys, *options, "--json")[1])
    assert facts["break_even"] is None


def outcome_of(*rows):
    """What a report of 30 models x 50 items tells of; 1,001 answers are there."""
    table = pd.DataFrame(rows, columns=["method", "k", "mean", "low", "high"])
    curve = AgreementCurve(
        methods=tuple(dict.fromkeys(table["method"])),
        k=tuple(table["k"].unique()),
        n_models=30,
        n_groups=30,
        n_items=50,
        n_answers=1001,
        protocol="",
        split_scores=pd.DataFrame(),
        table=table,
    )
    return SimpleNamespace(
        curve=curve,
        k=5,
        method="fisher",
        options=SimpleNamespace(k=None, target=0.9),
        panel=SimpleNamespace(groups=None, n_answers=1001),
    )


def test_break_even_counts_observed_answers_and_what_random_would_ask():
    chosen = [("fisher", 5, 0.92, 0.9, 0.95), ("fisher", 10, 0.95, 0.9, 0.97)]
    low, high = ("random", 5, 0.8, 0.7, 0.9), ("random", 10, 0.91, 0.9, 0.95)
    assert break_even(outcome_of(*chosen, low, high)) == (23, 201)
    never = ("random", 10, 0.89, 0.8, 0.95)
    assert break_even(outcome_of(*chosen, low, never)) == (23, None)


@pytest.mark.parametrize(
    ("own", "chance", "told"),
    [
        ((0.93, 0.92, 0.94), (0.91, 0.90, 0.915), "agrees noticeably better"),
        ((0.93, 0.90, 0.95), (0.91, 0.90, 0.915), "not worth it"),
        ((0.93, 0.92, 0.94), (0.91, 0.85, 0.95), "not worth it"),
        ((0.91, 0.90, 0.915), (0.93, 0.92, 0.94), "not worth it"),
    ],
)
def test_random_is_advised_only_where_it_is_not_noticeably_worse(own, chance, told):
    outcome = outcome_of(("fisher", 5, *own), ("random", 5, *chance))
    first = comparison_sentences(outcome)[0]
    assert told in first
    assert ("--method random" in first) == (told == "not worth it")


def test_it_warns_where_no_method_beats_random_by_more_than_its_interval():
    random = ("random", 5, 0.9, 0.88, 0.92)
    rows = {
        "by chance": [("fisher", 5, 0.93, 0.89, 0.95), random],
        "worse": [("fisher", 5, 0.85, 0.80, 0.87), random],
        "better": [("fisher", 5, 0.95, 0.93, 0.97), random],
    }
    for case, told in rows.items():
        outcome = outcome_of(*told)
        found = [s for s in comparison_sentences(outcome) if s.startswith("Warning")]
        assert len(found) == (case != "better")
        assert all("at k = 5 random items agree as well as fisher" in s for s in found)
    # Another size may be better; without a chosen one all of them count.
    never = ("fisher", 10, 0.93, 0.91, 0.95), ("random", 10, 0.92, 0.91, 0.94)
    better = ("fisher", 10, 0.97, 0.95, 0.98), ("random", 10, 0.92, 0.91, 0.94)
    curve = outcome_of(*rows["by chance"], *never).curve
    assert "at every size tested" in no_better_than_random(curve)
    assert no_better_than_random(outcome_of(*rows["by chance"], *better).curve) is None
    # A regression on random items chooses none.
    ridge = ("random + ridge", 5, 0.99, 0.98, 1.0)
    outcome = outcome_of(*rows["by chance"], ridge)
    *_, last = comparison_sentences(outcome)
    assert last.startswith("Warning")


def test_what_is_advised_is_an_option_that_exists(capsys, table):
    for name in ALL:
        way = way_to(name)
        if name == "random + ridge":
            assert way is None
            continue
        few = ["--cv", 2, "--sizes", 5, "-k", 5]
        code, out, _ = run(capsys, table, *few, *way.split(), "--json")
        assert code == 0
        assert json.loads(out)["method"] == name


def test_all_items_are_no_choice(capsys, table):
    _, out, _ = run(capsys, table, *QUICK, "-k", 40)
    assert "nothing is chosen and nothing saved" in out
    assert "Compared" not in out


def test_the_output_is_written_even_if_nobody_reads_the_report(table, tmp_path):
    subset = tmp_path / "subset.csv"
    command = [sys.executable, "-m", "skirt", "select", str(table), *QUICK, "-k", "5"]
    with subprocess.Popen(
        [*command, "-o", str(subset)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        process.stdout.close()
        assert process.wait(timeout=120) == 0
    assert len(read_subset(subset)) == 5


def test_fewer_than_four_groups_cannot_be_sized(capsys, responses, tmp_path):
    path = tmp_path / "three.csv"
    responses.assign(family=[f"f{i % 3}" for i in range(24)]).to_csv(path)
    code, out, err = run(capsys, path, "--groups", "family")
    assert (code, out) == (2, "")
    assert "only 3 different ways" in err
    code, out, _ = run(capsys, path, "--groups", "family", "-k", 4)
    assert code == 0
    assert "UNKNOWN" in out


def test_a_calibration_that_did_not_settle_is_told_with_its_figures(capsys):
    X = make_multidim_responses(30, 60, n_components=2, random_state=0).data
    moved = []
    with warnings_as_lines() as told:
        for cycles in (2, 1):
            with pytest.warns(ConvergenceWarning) as caught:
                MultidimIRT(2, max_iter=cycles).fit(X)
            text = str(caught[0].message)
            warnings.warn(text, ConvergenceWarning, stacklevel=1)
            found = re.search(r"item by (\S+) standard", text)
            moved.append((float(found[1]), cycles))
    assert not told
    told.finish()
    most, cycles = max(moved)
    assert f"last of {cycles} cycles moved an item by {most:.2g} standard" in told[0]
    assert capsys.readouterr().err.count("did not quite settle") == len(told) == 1


def test_warnings_about_priors_become_one_sentence(capsys):
    with warnings_as_lines() as told:
        for text in ("is at its bound (1)", "did not settle"):
            warnings.warn(f"An estimated prior {text}. A pair fixes it.", stacklevel=1)
        for n, text in ((3, "is at its bound (2)"), (2, "did not settle")):
            warnings.warn(
                f"fisher, in {n} of 20 splits: An estimated prior {text}. A pair",
                stacklevel=1,
            )
        told.finish()
    err = capsys.readouterr().err
    assert err.count("\n") == len(told) == 1
    assert err.startswith("skirt: warning: the panel is small or odd")
    assert "for the whole panel and in at least 3 of 20 splits" in err
    assert "pair" not in err
