"""Live adaptive sessions that drive real evaluation harnesses, by the examples."""

import importlib.util
import json
import os
import runpy
import subprocess
import sys
import textwrap
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import expit

from skirt.adaptive import AdaptiveSession

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
toy = SimpleNamespace(**runpy.run_path(str(EXAMPLES / "adaptive_toy.py")))
N_ITEMS, BATCH = 24, 6

# A process of its own: the harnesses change logging, warnings and event loops. Any look
# at the network ends it.
PRELUDE = """
import os, socket, sys

def refuse(host, *args, **kwargs):
    print("looked up", host, file=sys.stderr)
    os._exit(77)

socket.getaddrinfo = refuse
examples, folder, broken, kill_at = sys.argv[1:]
sys.path.insert(0, examples)
import adaptive_toy as toy

sums = toy.make_sums()
bench = toy.make_bench(sums)
answers = toy.make_answers(sums, ability=0.5)
seen, failure, outage = set(), RuntimeError, False

def answer(question):
    if outage:
        raise ConnectionError("the endpoint is gone")
    seen.add(question)
    if len(seen) == int(kill_at):
        os._exit(9)
    if question == sums.at[broken, "question"]:
        raise failure("this one never works")
    return answers[question]

session_file, logs = folder + "/session.json", folder + "/logs"
"""


def drive(client, tmp_path, broken, kill_at):
    """Run a client in a new process that dies at its `kill_at`-th question."""
    home = {
        name: str(tmp_path / "home")
        for name in ("HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "HF_HOME")
    }
    offline = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}
    arguments = [str(EXAMPLES), str(tmp_path), broken, str(kill_at)]
    return subprocess.run(
        [sys.executable, "-c", PRELUDE + textwrap.dedent(client), *arguments],
        env=os.environ | home | offline | {"OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=240,
    )


def check_client(client, tmp_path, read_logs):
    """Kill a client in its second batch, let it go on, and compare logs and session."""
    sums = toy.make_sums()
    bench = toy.make_bench(sums, N_ITEMS)
    broken = bench.start().next_items(BATCH)[2]
    path = tmp_path / "session.json"

    killed = drive(client, tmp_path, broken, kill_at=BATCH + 3)
    assert killed.returncode == 9, killed.stderr
    assert "outage: nothing recorded" in killed.stdout
    session = AdaptiveSession.load(path, bench)
    assert len(session.history) == BATCH
    in_flight = session.waiting
    assert len(in_flight) == BATCH

    resumed = drive(client, tmp_path, broken, kill_at=0)
    assert resumed.returncode == 0, resumed.stderr
    assert "(stopped by length)" in resumed.stdout  # main() of the example
    session = AdaptiveSession.load(path, bench)
    assert session.done
    assert session.n_answers == N_ITEMS

    # What ran, by the harness's own logs, is what was asked, batch by batch.
    batches = read_logs(resumed.stdout)
    assert set(batches[1]) == set(in_flight)
    follower = bench.start()
    for batch in batches:
        asked = follower.next_items(BATCH)
        assert set(batch) == set(asked)
        follower.record(batch)
    ran = [item for batch in batches for item in batch]
    assert len(ran) == len(set(ran)) == N_ITEMS + 1
    recorded = {item: x for batch in batches for item, x in batch.items()}
    said = toy.make_answers(sums, ability=0.5)
    for item, response in recorded.items():
        right = said[sums.at[item, "question"]] == sums.at[item, "answer"]
        assert response == (None if item == broken else right)
    history = session.history.set_index("item")["response"]
    assert {i: None if np.isnan(x) else x for i, x in history.items()} == recorded

    # The ability is the posterior mode of those answers, the broken one left out.
    counted = sums.loc[[i for i, x in recorded.items() if x is not None]]
    x = np.array([recorded[item] for item in counted.index], dtype=float)
    a, b = counted["discrimination"].to_numpy(), counted["difficulty"].to_numpy()

    def minus_log_posterior(theta):
        z = a * (theta - b)
        return 0.5 * theta**2 - x @ z + np.logaddexp(0, z).sum()

    mode = minimize_scalar(minus_log_posterior, (-1, 1), tol=1e-12).x
    p = expit(a * (mode - b))
    assert session.ability == pytest.approx(mode, abs=1e-6)
    assert session.standard_error == pytest.approx(
        (1 + np.sum(a**2 * p * (1 - p))) ** -0.5, abs=1e-6
    )


def needs(package):
    found = importlib.util.find_spec(package) is not None
    return pytest.mark.skipif(not found, reason=f"needs {package} (extra: clients)")


INSPECT = """
import json
import adaptive_inspect as example
from inspect_ai.log import list_eval_logs, read_eval_log

def client(path):
    task, model = example.make_task(sums), example.make_model(answer)
    return example.run(bench, task, model, logs, path=path)

if int(kill_at):
    outage = True
    try:
        client(session_file)
    except RuntimeError as error:
        assert "All 6 samples" in str(error), error
        if not json.load(open(session_file))["answers"]:
            print("outage: nothing recorded")
    outage = False
    client(session_file)
client(session_file)
runs = [read_eval_log(info) for info in list_eval_logs(logs)]
runs = [run.samples for run in runs if run.status == "success"]
runs.sort(key=lambda samples: samples[0].started_at)
told = [
    [(s.id, (s.scores or {}).get("includes"), s.error) for s in samples]
    for samples in runs
]
print("LOGS", json.dumps([
    [(id_, score and score.value, bool(error)) for id_, score, error in batch]
    for batch in told
]))
example.main()
"""


@needs("inspect_ai")
def test_inspect_runs_what_the_session_asks(tmp_path):
    def read_logs(printed):
        (line,) = [x for x in printed.splitlines() if x.startswith("LOGS ")]
        outage, *batches = json.loads(line.removeprefix("LOGS "))
        assert all(failed and score is None for _, score, failed in outage)
        values = {"C": 1, "I": 0}
        return [
            {id_: None if failed else values[score] for id_, score, failed in batch}
            for batch in batches
        ]

    check_client(INSPECT, tmp_path, read_logs)


LM_EVAL = """
import json
import adaptive_lm_eval as example

failure = example.Refused

def client(path):
    example.write_task(sums, folder)
    runner = example.Client(example.ToyLM(answer), sums.index, folder, logs)
    return example.run(bench, runner, path=path)

if int(kill_at):
    outage = True
    try:
        client(session_file)
    except ConnectionError:
        if not json.load(open(session_file))["answers"]:
            print("outage: nothing recorded")
    outage = False
    client(session_file)
client(session_file)
example.main()
"""


@needs("lm_eval")
def test_lm_eval_runs_what_the_session_asks(tmp_path):
    sums = toy.make_sums()
    broken = toy.make_bench(sums, N_ITEMS).start().next_items(BATCH)[2]

    def read_logs(printed):
        # A run with the broken doc in it leaves no log; its halves do.
        batches, batch = [], {broken: None}
        for file in sorted(tmp_path.glob("logs/*/samples_sums_*.jsonl")):
            for sample in map(json.loads, file.read_text().splitlines()):
                assert sums.index[sample["doc_id"]] == sample["doc"]["item"]
                assert sample["doc"]["item"] not in batch
                batch[sample["doc"]["item"]] = sample["exact_match"]
            if len(batch) == BATCH:
                batches.append(batch)
                batch = {}
        return [*batches, batch]

    check_client(LM_EVAL, tmp_path, read_logs)
