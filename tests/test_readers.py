"""Reading logs: against the raw files, by the same rules, and broken ones."""

import gzip
import io
import json
import os
import re
import zipfile

import numpy as np
import pandas as pd
import pytest
from conftest import SHARED
from hypothesis import given, settings
from hypothesis import strategies as st

from skirt._command import main
from skirt.io import (
    Results,
    _json_source,
    read_helm,
    read_inspect,
    read_lm_eval,
    read_py_irt,
    read_responses,
    read_results,
)
from skirt.io._sources import open_source


@pytest.fixture(scope="session")
def samples():
    """Folder of real logs; skips where it is absent."""
    folder = SHARED / "data" / "logs"
    if not folder.is_dir():
        pytest.skip("the folder of logs is not here")
    return folder


def dump_lines(path, objects):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(one) + "\n" for one in objects))
    return path


def cells(results):
    """Return the graded responses as a dict by (model, item)."""
    return {
        (model, item): value
        for model, row in results.responses.to_dict("index").items()
        for item, value in row.items()
        if not np.isnan(value)
    }


# lm-evaluation-harness

DATE = "2025-03-04T05-06-07.123456"


def sample(doc_id, **others):
    found = {
        "doc_id": doc_id,
        "doc": {"question": f"q{doc_id}", "subject": "easy"},
        "resps": [["x"]],
        "filtered_resps": ["x"],
        "doc_hash": f"hash {doc_id}",
    }
    return {**found, **others}


def run_folder(root, folder, task, found, date=DATE, **summary):
    dump_lines(root / folder / f"samples_{task}_{date}.jsonl", found)
    path = root / folder / f"results_{date}.json"
    if summary:
        path.write_text(json.dumps({"results": {}, "configs": {}, **summary}))
    return root


@pytest.mark.parametrize("task", ["winogrande", "truthfulqa", "gsm8k", "mmlu"])
def test_lm_eval_samples_of_others(samples, task):
    path = samples / f"lm_eval_samples_metabench_{task}.jsonl"
    raw = [json.loads(line) for line in path.read_text().splitlines()]
    metric = "exact_match" if task == "gsm8k" else "acc"
    for found in (read_lm_eval(path), read_results(path)):
        ids = [f"metabench_{task}/{row['doc_id']}" for row in raw]
        assert found.responses.columns.tolist() == ids
        assert found.responses.iloc[0].tolist() == [row[metric] for row in raw]
        hashes = [row["doc_hash"] for row in raw]
        assert found.item_table["content"].tolist() == hashes
        assert set(found.item_table["benchmark"]) == {f"metabench_{task}"}
        assert any("named by the folder" in note for note in found.notes)


def test_lm_eval_models_tasks_metrics_and_filters(tmp_path):
    for model, right in (("org/a", 1), ("org/b", 0)):
        args = {"pretrained": model}
        about = {"model_name": model, "config": {"model": "hf", "model_args": args}}
        folder = model.replace("/", "__")
        choice = [
            sample(j, acc=right, acc_norm=float(j == 1), metrics=["acc", "acc_norm"])
            for j in range(2)
        ]
        run_folder(tmp_path, folder, "choice", choice, **about)
        opened = [
            sample(j, filter=name, metrics=["exact_match"], exact_match=value)
            for name, value in (("strict", right), ("flexible", 1))
            for j in range(2)
        ]
        about["configs"] = {"open|ended": {}}
        run_folder(
            tmp_path, folder, "open_ended", opened, "2025-03-05T05-06-07", **about
        )
    metric = {"choice": "acc"}
    with pytest.raises(ValueError, match=r"choice has several .* 'acc', 'acc_norm'"):
        read_results(tmp_path)
    with pytest.raises(ValueError, match=r"no metric 'f1'; it has 'acc', 'acc_norm'"):
        read_results(tmp_path, metric="f1")
    with pytest.raises(ValueError, match=r"several .* filter: 'strict', 'flexible'"):
        read_results(tmp_path, metric=metric)
    with pytest.raises(ValueError, match=r"choice has no filter 'strict'; .*'none'"):
        read_results(tmp_path, metric=metric, filter="strict")
    found = read_results(tmp_path, metric=metric, filter=["strict", "none"])
    ids = ["choice/0", "choice/1", "open|ended/0", "open|ended/1"]
    expected = pd.DataFrame(
        [[1, 1, 1, 1], [0, 0, 0, 0]], index=["org/a", "org/b"], columns=ids, dtype=float
    )
    pd.testing.assert_frame_equal(
        found.responses, expected, check_names=False, check_index_type=False
    )
    assert found.model_table["backend"].tolist() == ["hf", "hf"]
    assert set(found.item_table["subject"]) == {"easy"}
    notes = " ".join(found.notes)
    assert "Metric acc counts, not acc_norm (choice)" in notes
    assert "4 records of filter flexible left out" in notes
    assert "choice/0 = open|ended/0" in notes
    other = read_results(
        tmp_path, metric=["acc_norm", "exact_match"], filter=["flexible", "none"]
    )
    assert other.responses.to_numpy().tolist() == [[0, 1, 1, 1]] * 2


def test_lm_eval_models_without_a_name(tmp_path):
    for model in "ab":
        about = {"model_name": "h4sh", "model_source": f"toy-{model}"}
        about["config"] = {"model": f"toy-{model}", "model_args": {}}
        run_folder(tmp_path, model, "t", [sample(0, acc=1)], **about)
    found = read_lm_eval(tmp_path)
    assert found.responses.index.tolist() == ["toy-a", "toy-b"]
    about["config"] = {"model": "api", "model_args": "pretrained=org/c,dtype=half"}
    del about["model_name"]
    run_folder(tmp_path, "b", "t", [sample(0, acc=1)], **about)
    assert read_lm_eval(tmp_path).responses.index.tolist() == ["toy-a", "org/c"]
    about["config"]["model_args"] = {"seed": 3}
    run_folder(tmp_path, "b", "t", [sample(0, acc=1)], **about)
    assert read_lm_eval(tmp_path).responses.index[1] == "toy-b (seed=3)"
    named = read_lm_eval(tmp_path, model_name=lambda run: run["folder"])
    assert named.responses.index.tolist() == ["a", "b"]


def test_lm_eval_runs_that_repeat_or_differ(tmp_path):
    run_folder(tmp_path, "m", "t", [sample(0, acc=0), sample(1, acc=1)])
    run_folder(tmp_path, "m", "t", [sample(0, acc=1)], date="2025-03-05T05-06-07")
    with pytest.raises(ValueError, match=r"line 1 and again in .*05T05.*model_name="):
        read_lm_eval(tmp_path)
    assert read_lm_eval(tmp_path, duplicates="first").responses.iloc[0, 0] == 0
    run_folder(tmp_path, "n", "t", [sample(0, acc=1, doc_hash="other")])
    with pytest.raises(ValueError, match=r"'t/0' has other content .*m.samples_t"):
        read_lm_eval(tmp_path, duplicates="first")
    found = read_lm_eval(tmp_path, duplicates="first", check_content=False)
    assert any("taken for the same: 1 item (t/0)" in note for note in found.notes)


def test_lm_eval_ids_that_the_harness_gave_to_the_wrong_documents(tmp_path):
    wrong = run_folder(tmp_path / "1", "m", "t", [sample(j, acc=1) for j in (11, 3, 7)])
    with pytest.raises(ValueError, match=r"do not ascend \(11, 3, 7.*--samples"):
        read_lm_eval(wrong)
    assert read_lm_eval(wrong, check_content=False).responses.shape == (1, 3)
    several = [sample(j, acc=1) for j in (0, 2, 1, 3)]
    processes = run_folder(tmp_path / "2", "m", "t", several)
    assert read_lm_eval(processes).responses.shape == (1, 4)


def test_lm_eval_samples_that_are_not_graded_and_metrics_that_are_no_scores(tmp_path):
    rows = [sample(0, acc=1), sample(1, acc=None), sample(2, acc=float("nan"))]
    found = read_lm_eval(run_folder(tmp_path / "1", "m", "t", rows))
    np.testing.assert_array_equal(found.responses, [[1, np.nan, np.nan]])
    assert "1 sample without a score (acc): missing." in found.notes
    assert "1 sample with the score NaN (acc): missing." in found.notes
    rows = [sample(0, word_perplexity=[-3.5, 2])]
    with pytest.raises(ValueError, match="line 1: word_perplexity is .*expected a num"):
        read_lm_eval(run_folder(tmp_path / "2", "m", "t", rows))
    rows = [sample(0, toxicity=1.0)]
    lower = {"higher_is_better": {"t": {"toxicity": False}}}
    with pytest.raises(ValueError, match="toxicity of t is better when lower"):
        read_lm_eval(run_folder(tmp_path / "3", "m", "t", rows, **lower))
    rows = [sample(0, f1=0.3), sample(1, f1=0.8)]
    half = run_folder(tmp_path / "4", "m", "t", rows)
    with pytest.raises(ValueError, match=r"line 1, .*'t/0': 0.3 is neither 0 nor 1"):
        read_lm_eval(half)
    assert read_lm_eval(half, binarize=0.5).responses.to_numpy().tolist() == [[0, 1]]


# HELM


def stat(name, value, **others):
    count = 0 if value is None else 1
    return {"name": {"name": name, **others}, "count": count, "sum": value or 0}


def entry(instance, *stats, trial=0, **others):
    return {
        "instance_id": instance,
        "train_trial_index": trial,
        "stats": list(stats),
        **others,
    }


def helm_run(root, folder, entries, **files):
    run = root / folder
    run.mkdir(parents=True)
    (run / "per_instance_stats.json").write_text(json.dumps(entries, indent=1))
    for name, content in files.items():
        (run / f"{name}.json").write_text(json.dumps(content))
    return root


def test_helm_samples_of_others(samples):
    path = samples / "helm_airbench_per_instance_stats.json"
    raw = {
        row["instance_id"]: s["mean"]
        for row in json.loads(path.read_text())
        for s in row["stats"]
        if s["name"]["name"] == "air_score"
    }
    assert 0 < sum(raw.values()) < len(raw) == 10
    found = read_results(path, metric="air_score")
    assert found.responses.index.tolist() == ["openai/gpt-4o-2024-05-13"]
    ids = [f"air_bench_2024/{name}" for name in raw]
    assert found.responses.columns.tolist() == ids
    assert found.responses.iloc[0].tolist() == list(raw.values())
    assert set(found.item_table["split"]) == {"test"}
    assert found.item_table["content"].nunique() == 10
    with pytest.raises(ValueError, match="several choices of metric: 'air_score'"):
        read_helm(path)
    with pytest.raises(ValueError, match="no metric 'exact_match'; it has 'air_score'"):
        read_helm(path, metric="exact_match")


def test_helm_runs_of_several_models_and_subjects(tmp_path):
    for model in ("x", "y"):
        for subject in ("law", "art"):
            entries = [
                entry(
                    "id1", stat("exact_match", float(model == "x")), stat("tokens", 9)
                ),
                entry("id2", stat("exact_match", 0.0), stat("tokens", 7)),
                entry("id1", stat("exact_match", 1.0), perturbation={"name": "typos"}),
                entry("id3", stat("exact_match", None), stat("tokens", 7)),
                entry("id3", stat("exact_match", 1, perturbation={"name": "worst"})),
            ]
            helm_run(tmp_path, f"mmlu:subject={subject},model=org_{model}", entries)
    found = read_results(tmp_path)
    assert found.responses.index.tolist() == ["org_x", "org_y"]
    ids = [f"mmlu:subject={s}/id{j}" for s in ("art", "law") for j in (1, 2, 3)]
    assert found.responses.columns.tolist() == ids
    np.testing.assert_array_equal(
        found.responses, [[1, 0, np.nan] * 2, [0, 0, np.nan] * 2]
    )
    assert found.item_table["subject"].tolist() == ["art"] * 3 + ["law"] * 3
    assert "Metric exact_match counts." in found.notes
    assert "4 records of perturbed instances left out." in found.notes
    assert "4 instances without exact_match: missing." in found.notes


def test_helm_trials_contents_and_names(tmp_path):
    entries = [entry("id1", stat("em", float(t > 0)), trial=t) for t in range(3)]
    spec = {"name": "s:model=m,k=5", "adapter_spec": {"model": "org/m"}}
    asked = [{"id": "id1", "split": "test", "input": {"text": "?"}}]
    files = {"run_spec": spec, "instances": asked}
    helm_run(tmp_path, "first", entries, **files)
    with pytest.raises(ValueError, match="first.*2 such repetitions"):
        read_helm(tmp_path)
    found = read_helm(tmp_path, duplicates="majority").responses
    assert found.loc["org/m", "s:k=5/id1"] == 1
    files["instances"] = [{"id": "id1", "split": "test", "input": {"text": "!"}}]
    helm_run(tmp_path, "second", entries, **files)
    with pytest.raises(ValueError, match="'s:k=5/id1' has other content here than in"):
        read_helm(tmp_path, duplicates="majority")
    torn = helm_run(tmp_path / "t", "s:model=m", [*entries, {"instance_id": 7}])
    with pytest.raises(ValueError, match=r"line [0-9]+: no entry of HELM's"):
        read_helm(torn, metric="em")
    nameless = helm_run(tmp_path / "n", "run", entries)
    with pytest.raises(ValueError, match="its model is not known.*pass model_name"):
        read_helm(nameless, duplicates="first")
    named = read_helm(nameless, duplicates="first", model_name="m")
    assert named.responses.to_numpy().tolist() == [[0]]


# py-irt


def test_py_irt_samples_of_others(samples):
    for name in ("py_irt_minitest.jsonlines", "py_irt_gso_responses.jsonl"):
        path = samples / name
        raw = [json.loads(line) for line in path.read_text().splitlines()]
        expected = {
            (row["subject_id"], item): value
            for row in raw
            for item, value in row["responses"].items()
        }
        assert cells(read_results(path)) == expected


def test_trials_need_a_rule(samples):
    path = samples / "successes_trials_terminalbench.jsonl"
    with pytest.raises(ValueError, match="line 1, .*5 trials.*duplicates="):
        read_results(path)
    found = cells(read_py_irt(path, duplicates="majority"))
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    for row in rows:
        for item, answer in row["responses"].items():
            share = answer["successes"] / answer["trials"]
            if share != 0.5:
                assert found[row["subject_id"], item] == (share > 0.5)
    mean = read_py_irt(path, duplicates="mean", binarize=0.79).responses
    assert (
        mean.loc["factory_droid_gpt-5_2_at_openai", "adaptive-rejection-sampler"] == 1
    )


def test_long_samples_of_others(samples):
    path = samples / "long_swebench_bash_only.jsonl"
    raw = [json.loads(line) for line in path.read_text().splitlines()]
    expected = {
        (row["model"], f"swebench-bash-only/{row['example_id']}"): row["pass1"]
        for row in raw
    }
    assert cells(read_results(path)) == expected
    path = samples / "long_terminal_bench_1.jsonl"
    raw = [json.loads(line) for line in path.read_text().splitlines()]
    expected = {
        (row["model"], f"terminal-bench-1.0/{row['example_id']}"): row["pass1"] > 0.5
        for row in raw
    }
    assert cells(read_results(path, binarize=0.5)) == expected
    path = samples / "long_refusalbench_adjudicated.csv"
    raw = pd.read_csv(path)
    found = read_responses(
        path,
        columns={"item": "prompt_id", "response": "modal_compliance"},
        values={
            name: float("refusal" in name) if name != "non_responsive" else None
            for name in raw["modal_compliance"].unique()
        },
        duplicates="mean",
        binarize=0.5,
    )
    graded = raw[raw["modal_compliance"] != "non_responsive"]
    refused = graded["modal_compliance"].str.contains("refusal")
    means = refused.groupby([graded["model"], graded["prompt_id"]]).mean() > 0.5
    assert cells(found) == {key: float(value) for key, value in means.items()}
    assert set(found.item_table) >= {"subdomain", "tier"}


# Inspect


def inspect_log(path, rows, model="org/m", task="sums", status="success", **about):
    """Write a log as Inspect does, with (id, epoch, scores, error) of each sample."""
    log = pytest.importorskip("inspect_ai.log")
    samples = [
        log.EvalSample(
            id=name,
            epoch=epoch,
            input=about.get("asks", "What is {}?").format(name),
            target="1",
            scores=scores,
            uuid=f"{about.get('run', path)} {name} {epoch}",
            error=log.EvalError(message=error, traceback="", traceback_ansi="")
            if error
            else None,
        )
        for name, epoch, scores, error in rows
    ]
    spec = log.EvalSpec(
        created="2025-03-04T05:06:07+00:00",
        task=task,
        dataset=log.EvalDataset(),
        model=model,
        config=log.EvalConfig(),
    )
    whole = log.EvalLog(version=2, status=status, eval=spec, samples=samples)
    path.parent.mkdir(parents=True, exist_ok=True)
    log.write_eval_log(whole, str(path))
    return path


def score(value):
    return {"value": value}


@pytest.mark.parametrize("name", ["security_guide", "popularity_cancelled"])
def test_inspect_json_samples_of_others(samples, name):
    pytest.importorskip("inspect_ai")
    path = samples / f"inspect_{name}.json"
    raw = json.loads(path.read_text())
    expected = {
        (raw["eval"]["model"], f"{raw['eval']['task']}/{row['id']}"): float(
            next(iter(row["scores"].values()))["value"] == "C"
        )
        for row in raw["samples"]
    }
    found = read_results(path)
    assert cells(found) == expected
    told = any("'cancelled': 3 samples" in note for note in found.notes)
    assert told == (name == "popularity_cancelled")


def test_inspect_eval_samples_of_others(samples):
    pytest.importorskip("inspect_ai")
    path = samples / "inspect_mmlu_choices.eval"
    with zipfile.ZipFile(path) as archive:
        header = json.loads(archive.read("header.json"))
        (row,) = json.loads(archive.read("summaries.json"))
    found = read_results(path)
    name = header["eval"]["task"].replace("/", ".") + f"/{row['id']}"
    assert cells(found) == {(header["eval"]["model"], name): 0}
    assert row["scores"]["choice"]["value"] == "I"
    assert found.item_table["subject"].tolist() == [row["metadata"]["subject"]]
    both = [samples / f"inspect_popularity_v2.{form}" for form in ("json", "eval")]
    with pytest.raises(ValueError, match="1 such repetition"):
        read_inspect(both)
    assert read_inspect(both, duplicates="first").responses.shape == (1, 1)
    with pytest.raises(ValueError, match=r"no_samples\.json holds no response"):
        read_results(samples / "inspect_no_samples.json")


@pytest.mark.parametrize("form", ["eval", "json"])
def test_inspect_scores_errors_and_epochs(tmp_path, form):
    rows = [
        ("a", 1, {"match": score("C")}, None),
        ("a", 2, {"match": score("I")}, None),
        ("a", 3, {"match": score("C")}, None),
        ("b", 1, None, "out of memory"),
        ("b", 2, {"match": score("I")}, None),
        ("c", 1, None, None),
        ("d", 1, {"match": score(float("nan"))}, None),
        ("e", 1, {"match": score(True)}, None),
        ("f", 1, {"match": score("no")}, None),
    ]
    path = inspect_log(tmp_path / f"log.{form}", rows)
    with pytest.raises(ValueError, match="sample 1 and again in sample [27] "):
        read_inspect(path)
    found = read_inspect(path, duplicates="majority")
    expected = [[1, 0, np.nan, np.nan, 1, 0]]
    np.testing.assert_array_equal(found.responses, expected)
    assert found.responses.columns.tolist() == [f"sums/{name}" for name in "abcdef"]
    assert "1 sample that ended in an error: missing." in found.notes
    assert "1 sample without a score: missing." in found.notes
    assert "1 sample with the score NaN: missing." in found.notes
    first = read_inspect(path, duplicates="first").responses
    assert first["sums/a"].tolist() == [1]
    with pytest.raises(ValueError, match=r"'sums/a' is 0.6667"):
        read_inspect(path, duplicates="mean")


def test_inspect_partial_credit_and_no_answer(tmp_path):
    rows = [(j, 1, {"m": score(value)}, None) for j, value in enumerate("CIPN")]
    path = inspect_log(tmp_path / "log.eval", rows)
    with pytest.raises(
        ValueError, match=r"sample 3, epoch 1: the score is N.*no_answer"
    ):
        read_inspect(path)
    with pytest.raises(ValueError, match=r"'sums/2': 0.5 is neither 0 nor 1"):
        read_inspect(path, no_answer="wrong")
    wrong = read_inspect(path, no_answer="wrong", binarize=0.4).responses
    np.testing.assert_array_equal(wrong, [[1, 0, 1, 0]])
    missing = read_inspect(path, no_answer="missing", binarize=0.5)
    np.testing.assert_array_equal(missing.responses, [[1, 0, 0, np.nan]])
    assert "1 sample without an answer (N): missing." in missing.notes
    words = inspect_log(tmp_path / "w.eval", [("a", 1, {"m": score("fine")}, None)])
    with pytest.raises(ValueError, match=r"w\.eval, sample 'a', .* m is 'fine'"):
        read_inspect(words)


def test_inspect_scorers_models_and_tasks(tmp_path):
    for model in "xy":
        scores = {"m": score("C"), "parts": score({"form": 1, "sense": model == "x"})}
        inspect_log(tmp_path / f"{model}.eval", [(1, 1, scores, None)], model)
        inspect_log(tmp_path / f"{model}2.json", [(1, 1, scores, None)], model, "org/t")
    with pytest.raises(ValueError, match=r"'m', 'parts/form', 'parts/sense'"):
        read_results(tmp_path)
    found = read_results(tmp_path, scorer="parts/sense")
    assert found.responses.index.tolist() == ["x", "y"]
    assert sorted(found.responses) == ["org.t/1", "sums/1"]
    assert (found.responses.loc["x"] == 1).all()
    assert (found.responses.loc["y"] == 0).all()
    assert any("have the same content" in note for note in found.notes)


def test_inspect_retries_and_other_versions(tmp_path):
    rows = [("a", 1, {"m": score("C")}, None), ("b", 1, None, "timeout")]
    again = [("a", 1, {"m": score("C")}, None)]
    inspect_log(tmp_path / "1.eval", rows, run="r")
    inspect_log(tmp_path / "2.eval", again, run="r")
    found = read_inspect(tmp_path)
    np.testing.assert_array_equal(found.responses, [[1, np.nan]])
    assert "1 sample in more than one log: each counts once." in found.notes
    inspect_log(tmp_path / "3.eval", again, "other", asks="And what is {}?")
    with pytest.raises(ValueError, match=r"3\.eval, .*'sums/a' has other content"):
        read_inspect(tmp_path)
    assert read_inspect(tmp_path, check_content=False).responses.shape == (2, 2)


@pytest.mark.filterwarnings("ignore")  # of the library at work
def test_inspect_runs_exactly_the_subset_and_is_read_back(tmp_path):
    inspect_ai = pytest.importorskip("inspect_ai")
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from inspect_ai.scorer import includes

    from skirt.io import Subset

    def answer(input, tools, tool_choice, config):
        output = ModelOutput.from_content("model", "right")
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    ids = ["plain", "with [brackets]*", "12", "other", "plain too"]
    task = inspect_ai.Task(
        dataset=[Sample(input="Say it", target="right", id=name) for name in ids],
        scorer=includes(),
        name="words",
    )
    chosen = ["words/12", "words/with [brackets]*", "words/plain"]
    subset = Subset(pd.DataFrame(index=pd.Index(chosen, name="item")))
    inspect_ai.eval(
        task,
        model=get_model("mockllm/model", custom_outputs=answer),
        sample_id=subset.to_inspect(),
        log_dir=str(tmp_path),
        display="none",
    )
    found = read_inspect(tmp_path).responses
    assert sorted(found.columns) == sorted(chosen)
    assert found[subset.items].to_numpy().tolist() == [[1, 1, 1]]


def test_inspect_without_its_library(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "inspect_ai", None)
    path = tmp_path / "log.json"
    path.write_text('{"version": 2, "status": "success", "eval": {"task": "t"}}')
    with pytest.raises(ImportError, match=r"pip install 'skirt\[inspect\]'"):
        read_results(path)


# Any of them

PY_IRT = '{"subject_id": "m", "responses": {"a": 1, "b": 0}}\n'


def test_any_form_is_known_by_content(tmp_path):
    lm_eval = run_folder(tmp_path / "lm", "m", "t", [sample(0, acc=1)])
    helm = helm_run(tmp_path / "helm", "s:model=m", [entry("i", stat("em", 1))])
    for path, form in (
        (lm_eval, "lm-evaluation-harness samples"),
        (next(lm_eval.rglob("samples*")), "lm-evaluation-harness samples"),
        (helm, "HELM run"),
        (next(helm.rglob("per_*")), "HELM run"),
    ):
        assert read_results(path).format == form
    packed = tmp_path / "unknown.bin"
    packed.write_bytes(gzip.compress(PY_IRT.encode()))
    assert read_results(packed).format == "py-irt lines"
    assert read_results(io.BytesIO(b"model,a\nm,1\n")).format == "wide table"
    with pytest.raises(ValueError, match=r"metric is no option of py-irt results"):
        read_results(packed, metric="acc")
    with pytest.raises(ValueError, match="several forms: helm .*, lm_eval "):
        read_results(tmp_path)
    with pytest.raises(ValueError, match="Several paths have to be .*lm_eval.*helm"):
        read_results([lm_eval, helm])
    again = run_folder(tmp_path / "lm2", "n", "t", [sample(0, acc=1)])
    assert read_results([lm_eval, again]).responses.shape == (2, 1)
    with pytest.raises(ValueError, match="format is one of"):
        read_results(packed, format="csv")


def test_results_tell_what_they_hold():
    found = read_results(io.StringIO(PY_IRT + PY_IRT.replace('"m"', '"n"')))
    assert isinstance(found, Results)
    assert "2 models x 2 items" in repr(found)
    assert "2 ones, 2 zeros, 0 missing" in repr(found)
    assert found.item_table.index.tolist() == found.responses.columns.tolist()
    assert found.model_table.index.tolist() == found.responses.index.tolist()
    assert found.groups is None
    lines = ["model,item,response\n"]
    lines += [f"m{m},q{j},{m}\n" for m in range(2) for j in range(20)]
    (note,) = read_results(io.StringIO("".join(lines))).notes
    assert note.startswith("1 model without a single 1")


def test_the_command_reads_logs(tmp_path, capsys):
    rng = np.random.default_rng(2)
    ability = np.linspace(-2, 2, 12)
    for m, theta in enumerate(ability):
        p = 1 / (1 + np.exp(np.linspace(-2, 2, 30) - theta))
        answers = (rng.random(30) < p).astype(float)
        found = [
            sample(j, doc={}, acc=x, acc_norm=1 - x, filter="none")
            for j, x in enumerate(answers)
        ]
        run_folder(tmp_path, f"m{m}", "t", found)
    arguments = ["select", str(tmp_path), "-k", "3", "--cv", "4", "--sizes", "5"]
    output = tmp_path / "subset.json"
    assert main([*arguments, "-o", str(output)]) == 2
    assert "--metric acc" in capsys.readouterr().err
    assert main([*arguments, "--metric", "acc", "-o", str(output)]) == 0
    assert "12 models x 30 items" in capsys.readouterr().out
    chosen = json.loads(output.read_text())
    assert chosen["k"] == len(chosen["items"]) == 3
    assert main([*arguments, "--groups", "family"]) == 2
    assert "neither a file nor" in capsys.readouterr().err


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(-9, 9) | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.text(max_size=3), inner, max_size=2)
    ),
    max_leaves=4,
)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.dictionaries(st.text(max_size=3), JSON_VALUES, max_size=4), max_size=4),
    st.sampled_from([None, 2]),
    st.integers(1, 9),
)
def test_an_array_in_pieces_holds_the_same_objects(objects, indent, chunk):
    text = json.dumps(objects, indent=indent)
    before, _json_source._CHUNK = _json_source._CHUNK, chunk
    try:
        with open_source(io.BytesIO(("\n " + text + "\n").encode())) as opened:
            found = list(_json_source.read_objects(opened))
    finally:
        _json_source._CHUNK = before
    assert [one for _, one in found] == objects
    lines = ("\n" + text).split("\n")
    begin = [n for n, line in enumerate(lines, 1) if line.startswith("  {")]
    assert [line for line, _ in found] == (begin if indent else [2] * len(objects))


# Broken files: content, then what the one line says of it.

WIDE = b"model,a,b\nx,1,0\ny,0,1\n"
ROW = b'{"model": "x", "item": "a", "response": 1}\n'
SAMPLE = json.dumps(sample(0, acc=1)).encode() + b"\n"
ARRAY = json.dumps([json.loads(ROW)], indent=1).encode()
BROKEN = {
    "empty": (b"", "is empty"),
    "blank": (b"\n\n", "is empty"),
    "byte order mark only": (b"\xef\xbb\xbf", "is empty"),
    "header only": (b"model,a,b\n", "no rows"),
    "gzip cut off": (gzip.compress(WIDE)[:-9], "cannot be unpacked"),
    "gzip damaged": (gzip.compress(WIDE * 50)[:30] + b"\0" * 60, "cannot be unpacked"),
    "gzip of nothing": (gzip.compress(b""), "is empty"),
    "UTF-16": (WIDE.decode().encode("utf-16"), "UTF-16"),
    "Latin-1": ("model,a,é\nx,1,0\n".encode("latin-1"), "not a text in UTF-8"),
    "zip": (b"PK\x03\x04" + b"\0" * 40, "a zip archive"),
    "bzip2": (b"BZh91AY&SY" + b"\0" * 40, "bzip2"),
    "xz": (b"\xfd7zXZ\0" + b"\0" * 40, "packed with xz"),
    "zstd": (b"\x28\xb5\x2f\xfd" + b"\0" * 40, "zstd"),
    "SQLite": (b"SQLite format 3\0" + b"\0" * 90, "SQLite"),
    "Parquet cut off": (b"PAR1" + b"\0" * 40, "Parquet"),
    "NUL bytes": (b"model,a,b\nx,1,\x00\n", "line 2"),
    "header twice": (b"model,a,a\nx,1,0\n", "'a' is both column 2 and column 3"),
    "header again": (WIDE + WIDE, "line 4 is the header again"),
    "row cut off": (WIDE + b"z,1", "line 4: 2 fields, fewer"),
    "row too long": (b"model,a,b\nx,1,0,1\n", "line 2: 4 fields, more"),
    "quotation torn": (b'model,a\nx,1\ny,"1\nz,0\n', "line 3"),
    "mixed types": (b"model,a,b\nx,1,yes\n", "line 2, model 'x', item 'b': 'yes'"),
    "infinite": (b"model,a,b\nx,1,-inf\n", "'-inf' is not a response"),
    "percent": (b"model,a,b\nx,1,97%\n", "'97%'"),
    "decimal comma": (b'model,a,b\nx,1,"0,5"\n', "'0,5'"),
    "subtotal": (b"model,a,b,total\nx,1,0,1\ny,1,1,2\n", "line 3, .*'total': 2 is nei"),
    "model twice": (WIDE + b"x,1,1\n", "'x' is in line 2 and again in line 4"),
    "response twice": (ROW * 2, "line 1 and again in line 2"),
    "JSON cut off": (ROW + ROW[:20], "line 2: no whole JSON object"),
    "JSON key twice": (b'{"model": "x", "a": 1, "a": 0}\n', "line 1: the key 'a' occ"),
    "JSON of values": (b"[1, 2]\n", "line 1: 1 is no JSON object"),
    "JSON lines of values": (ROW + b"3\n", "line 2: 3 is no JSON object"),
    "JSON of another tool": (
        b'{"name": "x", "runs": [\n{}]}\n',
        "one JSON object, of no",
    ),
    "JSON lines of another tool": (
        b'{"name": "x"}\n' * 2,
        "line 1: a JSON object with",
    ),
    "JSON array cut off": (ARRAY[:-20], "line [0-9]+: no whole JSON object"),
    "JSON array without end": (ARRAY[:-1], "does not end"),
    "JSON array wrong inside": (
        ARRAY.replace(b": 1", b": one") + b" " * 99,
        "line 2: no whole JSON object .Expecting value",
    ),
    "JSON array and more": (ARRAY + b"[]", "after the end of the JSON array"),
    "JSON in JSON": (b'{"model": "x", "a": {"b": 1}}\n', "item 'a'"),
    "lm-eval cut off": (SAMPLE + SAMPLE[:50], "line 2: no whole JSON object"),
    "lm-eval mixed with others": (SAMPLE + ROW, "line 2: no sample of the lm-eval"),
    "lm-eval summary": (b'{\n "results": {},\n "configs": {}\n}', "samples_"),
    "HELM without names": (
        b'[{"instance_id": "i", "stats": []}]',
        "its model is not known",
    ),
    "py-irt of words": (PY_IRT.replace("1", '"x"').encode(), "'x' is not a response"),
    "web page": (
        b"<!DOCTYPE html>\n<html><body>Not found</body></html>\n",
        "a web page",
    ),
    "pointer of Git LFS": (
        b"version https://git-lfs\noid sha256:1\nsize 9\n",
        "Git LFS",
    ),
}


@pytest.mark.parametrize(("content", "told"), BROKEN.values(), ids=BROKEN)
def test_a_broken_file_gives_one_line(tmp_path, capsys, content, told):
    if content.startswith(b"PAR1"):
        pytest.importorskip("pyarrow")
    path, output = tmp_path / "results.data", tmp_path / "subset.csv"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=told) as caught:
        read_results(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert main(["select", str(path), "-o", str(output)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("skirt: error: ")
    assert err.count("\n") == 1
    assert re.search(told, err)
    assert os.listdir(tmp_path) == ["results.data"]


ODD = {
    "byte order mark": b"\xef\xbb\xbf" + WIDE,
    "CRLF": WIDE.replace(b"\n", b"\r\n"),
    "no last line break": WIDE.rstrip(),
    "blank lines": WIDE.replace(b"x,", b"\n\nx,"),
    "spaces": WIDE.replace(b",", b" , "),
    "decimals": WIDE.replace(b"0", b"0.000").replace(b"1", b"1.0"),
    "gzip twice in one file": gzip.compress(WIDE[:15]) + gzip.compress(WIDE[15:]),
    "JSON with a byte order mark": b"\xef\xbb\xbf"
    + b'{"model": "x", "a": 1, "b": 0}\r\n{"model": "y", "a": 0, "b": 1}',
}


@pytest.mark.parametrize("content", ODD.values(), ids=ODD)
def test_an_odd_file_reads_as_a_plain_one(tmp_path, content):
    path = tmp_path / "results.data"
    path.write_bytes(content)
    expected = {("x", "a"): 1, ("x", "b"): 0, ("y", "a"): 0, ("y", "b"): 1}
    assert cells(read_results(path)) == expected


@pytest.mark.parametrize("gap", ["NaN", "nan", "NA", "n/a", "None", "NULL", "<NA>", ""])
def test_spellings_of_a_gap(gap):
    found = read_results(io.StringIO(f"model,a,b\nx,{gap},1\ny,0,1\n")).responses
    assert np.isnan(found.loc["x", "a"])
    as_json = io.StringIO(
        f'{{"model": "x", "a": "{gap}", "b": NaN, "c": null, "d": 1}}'
    )
    assert read_results(as_json).responses.isna().to_numpy().tolist() == [[1, 1, 1, 0]]


def test_places_that_hold_no_results(tmp_path, capsys):
    (tmp_path / "notes.txt").write_text("nothing")
    with pytest.raises(ValueError, match="holds no logs that skirt knows"):
        read_results(tmp_path)
    for reader in (read_lm_eval, read_inspect, read_helm):
        with pytest.raises(ValueError, match="this folder holds no "):
            reader(tmp_path)
    for path in (tmp_path, tmp_path / "missing.csv"):
        assert main(["select", str(path)]) == 2
        assert capsys.readouterr().err.count("\n") == 1
    run_folder(tmp_path, "m", "t", [])
    with pytest.raises(ValueError, match=r"samples_t_.*\.jsonl is empty"):
        read_results(tmp_path)


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything"
)
def test_a_file_that_may_not_be_read(tmp_path, capsys):
    path = tmp_path / "results.csv"
    path.write_bytes(WIDE)
    path.chmod(0)
    with pytest.raises(PermissionError):
        read_results(path)
    assert main(["select", str(path)]) == 2
    assert "results.csv: Permission denied" in capsys.readouterr().err


def test_broken_logs_of_inspect(tmp_path):
    rows = [("a", 1, {"m": score("C")}, None)] * 1
    whole = inspect_log(tmp_path / "log.eval", rows).read_bytes()
    as_json = inspect_log(tmp_path / "log.json", rows).read_bytes()
    for name, content in (
        ("cut.eval", whole[: len(whole) // 2]),
        ("cut.json", as_json[: len(as_json) // 2]),
        ("none.eval", b""),
        ("text.eval", b"not a zip archive"),
        ("old.json", as_json.replace(b'"eval": {', b'"eval": {"x": {', 1)),
    ):
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(ValueError, match=re.escape(str(path))) as caught:
            read_inspect(path)
        assert "\n" not in str(caught.value)
