"""From `skirt select` through the harnesses' own commands and back to `skirt score`."""

import importlib.util
import json
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from skirt import FisherSubsetSelector, TwoPLEstimator
from skirt._command import main
from skirt.datasets import make_responses
from skirt.io import read_results, read_subset

DOCS, K = 40, 30  # of each of two tasks; of both together

# The harness's own command in a process of its own. Any look at the network ends it.
OFFLINE = """
import os, runpy, socket, sys

def refuse(host, *args, **kwargs):
    print("looked up", host, file=sys.stderr)
    os._exit(77)

socket.getaddrinfo = refuse
sys.argv = sys.argv[1:]
sys.path.insert(0, "")
runpy.run_module(sys.argv[0], run_name="__main__")
"""


def needs(package):
    found = importlib.util.find_spec(package) is not None
    return pytest.mark.skipif(not found, reason=f"needs {package} (extra: clients)")


def run(folder, module, *arguments):
    home = {
        name: str(folder / "home")
        for name in ("HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "HF_HOME")
    }
    offline = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", OFFLINE, module, *arguments],
        env=os.environ | home | offline | {"OPENBLAS_NUM_THREADS": "1"},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture
def panel(tmp_path, monkeypatch):
    """Forty models' answers to two tasks; of them 30 items chosen by the command."""
    monkeypatch.chdir(tmp_path)
    names = [f"{task}/{doc}" for task in ("sums", "words") for doc in range(DOCS)]
    # Each task has an ability of its own, so that one for both is not enough.
    X = np.hstack([make_responses(40, DOCS, random_state=s).data for s in (3, 4)])
    models = pd.Index([f"m{i}" for i in range(40)], name="model")
    panel = pd.DataFrame(X, index=models, columns=names)
    panel.to_csv("panel.csv")
    choose = ["select", "panel.csv", "--criterion", "rank", "-k", str(K)]
    assert main([*choose, "--sizes", str(K), "--cv", "2", "-o", "subset.json"]) == 0
    return panel


def check_scores(capsys, panel, subset, logs, answers):
    """Compare what is read back and scored with the answers in the harness's logs."""
    assert len(answers) == K
    found = read_results(logs)
    assert set(found.responses.columns) == set(subset.items)
    assert found.responses.iloc[0].to_dict() == answers
    capsys.readouterr()
    assert main(["score", "subset.json", str(logs), "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["models"]
    assert row["n_answers"] == K
    assert row["subset_score"] == pytest.approx(np.mean(list(answers.values())))

    # The panel calibrated anew; nothing of it from the file but the widening.
    selector = FisherSubsetSelector(K, criterion="rank").fit(panel)
    asked = pd.DataFrame([answers])[selector.get_feature_names_out()]
    few = TwoPLEstimator().fit(panel).select_items(selector.get_support(indices=True))
    ability, se = few.predict(asked, return_std="total")
    assert row["ability"] == pytest.approx(ability[0], abs=1e-4)
    assert row["ability_se"] == pytest.approx(se[0], rel=1e-3)
    score, error = (x[0] for x in selector.predict_subset(asked, return_std=True))
    right, wrong = asked.to_numpy().sum(), K - asked.to_numpy().sum()
    bounds = right / panel.shape[1], 1 - wrong / panel.shape[1]
    half = norm.ppf(0.95) * error * subset.panel.widen
    full = panel.mean(axis=1)
    for column, place, value in [
        ("predicted_score", "place", score),
        ("low", "place_worst", np.clip(score - half, *bounds)),
        ("high", "place_best", np.clip(score + half, *bounds)),
    ]:
        assert row[column] == pytest.approx(value, abs=1e-3)
        assert row[place] == 1 + (full > row[column]).sum()
    assert row["n_places"] == len(panel) + 1


@needs("lm_eval")
def test_lm_eval_runs_the_chosen_items_and_is_scored(tmp_path, capsys, panel):
    # The harness's dummy model says "lol" to everything.
    for task in ("sums", "words"):
        with open(f"{task}.jsonl", "w") as file:
            for doc in range(DOCS):
                right = "lol" if doc % 3 else "4"
                doc = {"question": f"{task} {doc}?", "answer": right}
                file.write(json.dumps(doc) + "\n")
        config = {
            "task": task,
            "dataset_path": "json",
            "dataset_kwargs": {
                "data_files": {"test": str(tmp_path / f"{task}.jsonl")},
                "cache_dir": str(tmp_path / "cache"),
            },
            "test_split": "test",
            "output_type": "generate_until",
            "doc_to_text": "{{question}}",
            "doc_to_target": "{{answer}}",
            "metric_list": [{"metric": "exact_match"}],
        }
        (tmp_path / f"{task}.yaml").write_text(json.dumps(config))  # JSON is YAML, too
    subset = read_subset("subset.json")
    samples = subset.to_lm_eval()
    assert set(samples) == {"sums", "words"}
    run(
        tmp_path,
        *("lm_eval", "run", "--model", "dummy", "--tasks", "sums,words"),
        *("--include_path", str(tmp_path), "--samples", json.dumps(samples)),
        *("--log_samples", "--output_path", "logs"),
    )
    answers = {}
    for path in tmp_path.glob("logs/**/samples_*.jsonl"):
        for sample in map(json.loads, path.read_text().splitlines()):
            task, number = sample["doc"]["question"].rstrip("?").split()
            assert sample["filtered_resps"] == ["lol"]
            right = float(sample["doc"]["answer"] == "lol")
            assert sample["exact_match"] == right
            assert f"{task}/{number}" not in answers
            answers[f"{task}/{number}"] = right
    check_scores(capsys, panel, subset, tmp_path / "logs", answers)


INSPECT = """
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import includes
from inspect_ai.solver import generate

def respond(messages, tools, tool_choice, config):
    number = int(messages[-1].text.rstrip("?").split()[-1])
    said = "the answer is 4" if number % 4 else "no idea"
    output = ModelOutput.from_content("toy", said)
    # Left to itself the mock counts tokens with a tokenizer that it downloads.
    output.usage = ModelUsage()
    return output

def make(name, model="mockllm/toy"):
    samples = [
        Sample(id=i, input=f"{name} {i}?", target="4") for i in range(DOCS)
    ]
    return Task(
        dataset=MemoryDataset(samples),
        solver=generate(),
        scorer=includes(),
        model=get_model(model, custom_outputs=respond, memoize=False),
    )

@task
def sums():
    return make("sums")

@task
def words():
    return make("words")
"""


@needs("inspect_ai")
@pytest.mark.filterwarnings("ignore")  # of the library, which reads its logs
def test_inspect_runs_the_chosen_items_and_is_scored(tmp_path, capsys, panel):
    from inspect_ai.log import read_eval_log

    (tmp_path / "tasks.py").write_text(f"DOCS = {DOCS}\n{INSPECT}")
    subset = read_subset("subset.json")
    run(
        tmp_path,
        *("inspect_ai", "eval", "tasks.py", "--display", "none", "--log-dir", "logs"),
        *("--sample-id", ",".join(subset.to_inspect())),
    )
    answers = {}
    for path in tmp_path.glob("logs/*.eval"):
        for sample in read_eval_log(path).samples:
            task, number = sample.input.rstrip("?").split()
            assert sample.id == int(number)
            right = int(number) % 4 > 0
            assert sample.scores["includes"].value == ("C" if right else "I")
            assert f"{task}/{number}" not in answers
            answers[f"{task}/{number}"] = float(right)
    check_scores(capsys, panel, subset, tmp_path / "logs", answers)
