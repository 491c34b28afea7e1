"""Live adaptive tests: the replay's items, restarts, kills, batches, banks on file."""

import asyncio
import itertools
import json
import os
import subprocess
import sys
import textwrap

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator

from skirt import TwoPLEstimator
from skirt.adaptive import AdaptiveSession, FluidBenchmark, load_bank, save_bank

few_examples = settings(max_examples=12, deadline=None)
pytestmark = pytest.mark.filterwarnings("ignore:An estimated prior")


def make_bank(n_items=40, seed=0, prefix="q"):
    rng = np.random.default_rng([n_items, seed])
    return TwoPLEstimator.from_item_parameters(
        discrimination=rng.lognormal(0, 0.4, n_items),
        difficulty=rng.normal(0, 1.2, n_items),
        names=[f"{prefix}{j}" for j in range(n_items)],
    )


def answers_of(bank, theta, seed=0):
    """Draw a model's answer to every item."""
    rng = np.random.default_rng(seed)
    p = expit(bank.discrimination_ * theta + bank.intercept_)
    x = (rng.random(p.size) < p).astype(int)
    return dict(zip(bank.item_names_, x.tolist(), strict=True))


# -- the same test, live -------------------------------------------------------------


@pytest.mark.parametrize("criterion", ["fisher", "mpwi", "kl", "mepv"])
@pytest.mark.parametrize("method", ["map", "eap", "ml", "wl"])
def test_a_live_test_is_the_replayed_one(criterion, method):
    bank = make_bank(60)
    answers = answers_of(bank, 0.5)
    bench = FluidBenchmark(
        bank,
        n_items=20,
        criterion=criterion,
        ability_method=method,
        se_target=0.35,
        strata=np.arange(60) % 3,
    )
    session = bench.run(answers.get, model="m")
    X = pd.DataFrame([answers, {i: 1 - x for i, x in answers.items()}])
    trace, summary = bench.fit(X).replay(X, return_summary=True)
    trace = trace[trace["model"] == "0"]
    history = session.history
    assert history["asked"].all()
    assert list(history["item"]) == list(trace["item"])
    assert list(history["response"]) == list(trace["response"])
    for column in ("ability", "standard_error"):
        np.testing.assert_allclose(history[column], trace[column], atol=1e-9)
    assert session.stopped == summary["stopped"].iloc[0]
    assert session.ability == history["ability"].iloc[-1]


def test_a_bench_starts_once_it_has_items():
    X = np.random.default_rng(0).integers(0, 2, (20, 30))
    with pytest.raises(NotFittedError, match="call fit, or give it a fixed bank"):
        FluidBenchmark().start()
    calibrated = TwoPLEstimator().fit(X)
    with pytest.raises(NotFittedError):  # it would be calibrated anew
        FluidBenchmark(calibrated).start()
    starts = [
        FluidBenchmark(FrozenEstimator(calibrated)).start(),
        FluidBenchmark(n_items=9).fit(X).start(),
    ]
    assert starts[0].next_items() == starts[1].next_items()
    with pytest.raises(ValueError, match="'n_items' parameter"):
        FluidBenchmark(make_bank(), n_items=0).start()


# -- saving and loading --------------------------------------------------------------


@few_examples
@given(
    seed=st.integers(0, 10_000),
    criterion=st.sampled_from(["fisher", "mpwi", "mepv", "random"]),
    method=st.sampled_from(["map", "eap", "wl"]),
    randomesque=st.integers(1, 3),
    batch=st.integers(1, 3),
)
def test_a_loaded_session_goes_on_identically_at_every_step(
    tmp_path_factory, seed, criterion, method, randomesque, batch
):
    path = tmp_path_factory.mktemp("sessions") / "session.json"
    bank = make_bank(30)
    answers = answers_of(bank, -0.3, seed)
    unscored = set(np.random.default_rng(seed).choice(bank.item_names_, 5).tolist())
    bench = FluidBenchmark(
        bank,
        n_items=12,
        criterion=criterion,
        ability_method=method,
        randomesque=randomesque,
        strata=np.arange(30) % 2,
    )
    session = bench.start("m")
    session.record("q7", answers["q7"], allow_unasked=True)
    while not session.done:
        session.save(path)
        loaded = AdaptiveSession.load(path, bench)
        items = session.next_items(batch)
        assert loaded.next_items(batch) == items
        # A part of a batch may be recorded; the rest waits.
        for item in items[: 1 + seed % batch]:
            answer = None if item in unscored else answers[item]
            session.record(item, answer)
            loaded.record(item, answer)
        assert loaded.waiting == session.waiting
        pd.testing.assert_frame_equal(loaded.history, session.history)
        assert loaded.stopped == session.stopped
        session = loaded if seed % 2 else session
    counted = session.history["response"].notna()
    assert counted.sum() == session.n_answers == 12
    assert not session.history["item"].duplicated().any()
    assert not session.history["asked"].iloc[0]
    assert session.next_items() == []


def test_files_are_plain_json_and_survive_a_failing_write(tmp_path, monkeypatch):
    path = tmp_path / "session.json"
    bench = FluidBenchmark(make_bank(), n_items=5)
    session = bench.start("m", path=path)
    (item,) = session.next_items()
    assert json.loads(path.read_text())["waiting"] == [item]
    session.record(item, 1)
    before = path.read_text()
    assert json.loads(before)["answers"] == [
        {"item": item, "response": 1, "asked": True}
    ]

    def fail(*args):
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        session.next_items()
    monkeypatch.undo()
    assert path.read_text() == before
    assert os.listdir(tmp_path) == ["session.json"]
    with pytest.raises(FileExistsError, match=r"AdaptiveSession\.load"):
        bench.start("m", path=path)
    again = AdaptiveSession.load(path, bench)
    assert again.path == str(path)
    with pytest.raises(ValueError, match="no file yet"):
        bench.start().save()


def test_a_session_keeps_its_bank_and_its_settings(tmp_path):
    path = tmp_path / "session.json"
    bench = FluidBenchmark(make_bank(), n_items=5, strata=np.arange(40) % 2)
    bench.start("m").save(path)
    other = FluidBenchmark(make_bank(seed=1), n_items=5, strata=np.arange(40) % 2)
    with pytest.raises(ValueError, match="another bank, of 40 items"):
        AdaptiveSession.load(path, other)
    renamed = FluidBenchmark(make_bank(prefix="p"), strata=np.arange(40) % 2)
    with pytest.raises(ValueError, match="another bank"):
        AdaptiveSession.load(path, renamed)
    with pytest.raises(ValueError, match="other strata"):
        AdaptiveSession.load(path, FluidBenchmark(make_bank(), n_items=5))
    longer = FluidBenchmark(
        make_bank(), n_items=9, criterion="kl", strata=np.arange(40) % 2
    )
    with pytest.warns(UserWarning, match="they differ in criterion, n_items"):
        session = AdaptiveSession.load(path, longer)
    session = longer.fit(np.eye(40)).start()  # the bench itself is what it was
    assert session._design.rules.n_items == 9
    for content, told in [
        ("{", "is not JSON"),
        ("{}", "no saved adaptive session"),
        ('{"format": "skirt adaptive session", "version": 9}', "version 9"),
        ('{"format": "skirt adaptive session", "version": 1}', "lacks answers"),
    ]:
        path.write_text(content)
        with pytest.raises(ValueError, match=told):
            AdaptiveSession.load(path, bench)


KILLS = """
import os, signal, sys, time
import numpy as np
from skirt.adaptive import AdaptiveSession, FluidBenchmark, load_bank

bank, path, log, n_kills, seed = sys.argv[1:]
bench = FluidBenchmark(load_bank(bank), n_items=200)
rng = np.random.default_rng(int(seed))
file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

def note(*words):
    os.write(file, (" ".join(map(str, words)) + "\\n").encode())

def drive():
    session = (
        AdaptiveSession.load(path, bench)
        if os.path.exists(path)
        else bench.start("m", path=path)
    )
    note("begun")
    while not session.done:
        for item in session.next_items():
            note("asked", item)
            session.record(item, int(item[1:]) % 2)
            note("recorded", item)

killed = 0
while killed < int(n_kills):
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        note = (lambda note: lambda *w: (note(*w), os.write(writer, b"x")))(note)
        drive()
        os._exit(0)
    os.close(writer)
    # Some events on, and some moment within the next: kill it. Counted in events,
    # not in seconds, so that no machine is fast enough to end the session first.
    for _ in range(rng.integers(1, 2 * 200 // int(n_kills))):
        os.read(reader, 1)
    time.sleep(rng.exponential(0.001))
    os.kill(child, signal.SIGKILL)
    os.close(reader)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status)
    killed += 1
    note("killed")
drive()
print(killed)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_killed_processes_lose_nothing_and_ask_nothing_twice(tmp_path):
    n_kills = 50
    bank = make_bank(300)
    save_bank(bank, tmp_path / "bank.csv")
    path, log = tmp_path / "session.json", tmp_path / "log"
    found = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(KILLS)]
        + [str(x) for x in (tmp_path / "bank.csv", path, log, n_kills, 0)],
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert int(found.stdout) == n_kills
    bench = FluidBenchmark(load_bank(tmp_path / "bank.csv"), n_items=200)
    session = AdaptiveSession.load(path, bench)
    history = session.history
    assert sorted(os.listdir(tmp_path)) == ["bank.csv", "log", "session.json"]
    assert session.done
    assert session.n_answers == len(history) == history["item"].nunique() == 200
    recorded: set = set()
    for line in log.read_text().splitlines():
        kind, *item = line.split()
        if kind == "asked":
            assert item[0] not in recorded
        elif kind == "recorded":
            recorded.add(item[0])
    assert recorded <= set(history["item"])
    # At most the answer in flight when a process died is not in the log.
    assert len(recorded) >= 200 - n_kills
    # It went as it would have gone without the kills.
    whole = bench.start("m")
    while not whole.done:
        for item in whole.next_items():
            whole.record(item, int(item[1:]) % 2)
    pd.testing.assert_frame_equal(whole.history, history)


# -- recording -----------------------------------------------------------------------


def test_recording_again_changes_nothing_and_the_wrong_is_refused():
    session = FluidBenchmark(make_bank(), n_items=10).start()
    a, b, c = session.next_items(3)
    session.record(a, 1)
    session.record({b: np.bool_(False), c: None})
    before = session.history
    for again in ({a: 1.0}, {a: True, b: 0}, {c: None}):
        session.record(again)
    (d,) = session.next_items()
    assert d not in (a, b, c)
    for call, told in [
        (lambda: session.record("nope", 1), "no item 'nope'"),
        (lambda: session.record("q0" if d != "q0" else "q1", 1), "was not asked"),
        (lambda: session.record(a, 0), "has the response 1 already; 0 is another"),
        (lambda: session.record(a, None), "has the response 1 already"),
        (lambda: session.record(c, 1), "has the response None already"),
        (lambda: session.record(d, 0.5), r"is 0\.5: give 0, 1, or None"),
        (lambda: session.record(d, np.nan), "is nan: give 0, 1, or None"),
        (lambda: session.record(d, "1"), "is '1': give 0, 1, or None"),
        (lambda: session.record({d: 1, "nope": 1}), "no item 'nope'"),
        (lambda: session.next_items(0), "n is 0"),
    ]:
        with pytest.raises(ValueError, match=told):
            call()
    with pytest.raises(TypeError, match="no response to"):
        session.record(d)
    # Nothing was taken up: not even the right one of a dict with a wrong one.
    pd.testing.assert_frame_equal(session.history, before)
    assert session.waiting == [d]
    assert session.n_answers == 2


def test_unscored_items_neither_count_nor_come_back():
    session = FluidBenchmark(make_bank(6), n_items=4).start()
    seen = []
    while not session.done:
        (item,) = session.next_items()
        seen.append(item)
        session.record(item, None if len(seen) < 4 else 1)
    assert len(seen) == len(set(seen)) == 6
    assert (session.n_answers, session.stopped) == (3, "exhausted")
    assert session.history["response"].isna().sum() == 3
    assert session.history["ability"].iloc[2] == 0


def test_answers_known_before_count_beyond_the_length_of_the_test():
    bank = make_bank(50)
    answers = answers_of(bank, 1.0)
    session = FluidBenchmark(bank, n_items=3, ability_method="eap").start()
    session.record(answers, allow_unasked=True)
    assert (session.n_answers, session.stopped) == (50, "length")
    bank.set_params(ability_method="eap")
    ability, se = bank.predict(pd.DataFrame([answers]), return_std=True)
    assert session.ability == pytest.approx(ability[0], abs=1e-7)
    assert session.standard_error == pytest.approx(se[0], abs=1e-7)


# -- batches -------------------------------------------------------------------------


def expected_posterior_variance(a, b, items):
    """Average over all patterns of answers, by brute force, from N(0, 1)."""
    theta = np.linspace(-7, 7, 1401)
    prior = np.exp(-0.5 * theta**2)
    prior /= prior.sum()
    p = expit(a[items] * (theta[:, None] - b[items]))
    out = 0.0
    for pattern in itertools.product([0, 1], repeat=len(items)):
        joint = prior * np.where(pattern, p, 1 - p).prod(axis=1)
        mean = joint @ theta / joint.sum()
        out += joint @ (theta - mean) ** 2
    return out


@pytest.mark.parametrize("seed", range(3))
def test_a_batch_is_chosen_jointly(seed):
    rng = np.random.default_rng(seed)
    # Steep items crowd at 0; those elsewhere are a little less steep.
    a = np.r_[rng.uniform(2.9, 3.1, 20), rng.uniform(2.4, 2.8, 40)]
    b = np.r_[rng.normal(0, 0.02, 20), rng.normal(0, 1.0, 40)]
    bank = TwoPLEstimator.from_item_parameters(discrimination=a, difficulty=b)
    session = FluidBenchmark(bank, n_items=20).start()
    batch = [int(item.removeprefix("item")) for item in session.next_items(6)]
    information = bank.item_information([0.0])[0]
    top = np.argsort(-information)[:6]
    assert batch[0] == top[0]
    jointly, blindly = (
        expected_posterior_variance(a, b, items) for items in (batch, top)
    )
    assert jointly < 0.92 * blindly
    # No worse than the best of many random batches.
    draws = [rng.choice(60, 6, replace=False) for _ in range(100)]
    assert jointly < min(expected_posterior_variance(a, b, d) for d in draws) * 1.02


def test_a_batch_never_exceeds_what_is_left():
    session = FluidBenchmark(make_bank(), n_items=7).start()
    first = session.next_items(5)
    assert session.next_items(2) == first[:2]  # what waits comes first
    more = session.next_items(50)
    assert more[:5] == first
    assert len(set(more)) == 7
    session.record(dict.fromkeys(more[1:], 1))
    assert not session.done
    assert session.next_items(4) == more[:1]
    session.record(more[0], 0)
    assert session.done
    small = FluidBenchmark(make_bank(3), n_items=9).start()
    assert len(small.next_items(9)) == 3
    assert not small.done
    small.record(dict.fromkeys(small.waiting, 1))
    assert small.stopped == "exhausted"


# -- running -------------------------------------------------------------------------


def test_run_takes_functions_of_all_kinds(capsys):
    bank = make_bank()
    answers = answers_of(bank, 0.2)
    bench = FluidBenchmark(bank, n_items=8)

    async def one(item):
        await asyncio.sleep(0)
        return answers[item]

    async def many(items):
        return [await one(item) for item in items]

    def by_name(items):
        return {item: answers[item] for item in items}

    plain = bench.run(answers.get, progress=True).history
    assert capsys.readouterr().err.count("of at most 8 items: ability") == 8
    pd.testing.assert_frame_equal(bench.run(one).history, plain)
    told: list = []
    batches = [
        bench.run(by_name, batch_size=3, progress=told.append).history,
        bench.run(many, batch_size=3).history,
        asyncio.run(bench.run_async(many, batch_size=3)).history,
        asyncio.run(bench.run_async(by_name, batch_size=3)).history,
    ]
    assert len(told) == 3
    for batch in batches[1:]:
        pd.testing.assert_frame_equal(batch, batches[0])

    async def nested():
        bench.run(one)

    with pytest.raises(RuntimeError, match="await bench.run_async"):
        asyncio.run(nested())


def test_run_goes_on_after_a_failure(tmp_path):
    path = tmp_path / "run.json"
    bank = make_bank()
    answers = answers_of(bank, 0.2)
    bench = FluidBenchmark(bank, n_items=8)
    asked: list = []

    def failing(item):
        asked.append(item)
        if len(asked) == 4:
            raise ConnectionError("the endpoint is gone")
        return answers[item]

    with pytest.raises(ConnectionError):
        bench.run(failing, model="m", path=path)
    with pytest.raises(ValueError, match="is one of 'm', not of 'n'"):
        bench.run(failing, model="n", path=path)
    session = bench.run(failing, model="m", path=path)
    assert asked[3] == asked[4]  # the one in flight is asked again, no other
    assert len(set(asked)) == 8
    pd.testing.assert_frame_equal(session.history, bench.run(answers.get).history)
    again = bench.run(failing, model="m", path=path)  # nothing is left to do
    assert len(asked) == 9
    assert again.done


def test_run_refuses_answers_that_do_not_fit(tmp_path):
    bench = FluidBenchmark(make_bank(), n_items=6)
    path = tmp_path / "run.json"
    with pytest.raises(ValueError, match="2 responses to 3 items"):
        bench.run(lambda items: [0, 1], batch_size=3)
    with pytest.raises(ValueError, match="response to 'zz', which was not among"):
        bench.run(lambda items: {"zz": 1}, batch_size=3)
    with pytest.raises(ValueError, match="no response to .* of 3 lacking"):
        bench.run(lambda items: {items[1]: 1}, batch_size=3, path=path)
    assert AdaptiveSession.load(path, bench).n_answers == 1
    with pytest.raises(ValueError, match="is 2: give 0, 1, or None"):
        bench.run(lambda item: 2)


# -- banks on file -------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["csv", "json"])
def test_a_bank_goes_to_a_file_and_back(tmp_path, ending):
    X = np.random.default_rng(0).integers(0, 2, (40, 30))
    table = pd.DataFrame(X, columns=[f'odd, "name" {j}' for j in range(30)])
    bench = FluidBenchmark(n_items=5).fit(table)
    path = tmp_path / f"bank.{ending}"
    save_bank(bench, path)
    bank = load_bank(path)
    np.testing.assert_array_equal(
        bank.discrimination_, bench.estimator_.discrimination_
    )
    np.testing.assert_allclose(bank.intercept_, bench.estimator_.intercept_, 1e-14)
    # It is the same bank: sessions go from one to the other.
    session = bench.start("m", path=tmp_path / "session.json")
    session.next_items(2)
    other = AdaptiveSession.load(session.path, FluidBenchmark(bank, n_items=5))
    assert other.waiting == session.waiting
    assert len(bank.predict(table)) == 40


def test_banks_of_other_programs(tmp_path):
    expected = {"q1": (1.5, 0.25), "q2": (0.5, -1.0)}
    files = {
        # fluid-benchmarking: a data frame with the items as its index
        "fluid.csv": ",a,b\nq1,1.5,0.25\nq2,0.5,-1.0\n",
        "named.csv": "b,note,item_id,a\n0.25,x,q1,1.5\n-1,y,q2,.5\n",
        # py-irt: parameters by number, and the items of the numbers
        "pyirt.json": json.dumps(
            {
                "ability": [0.1],
                "diff": [0.25, -1.0],
                "disc": [1.5, 0.5],
                "irt_model": "2pl",
                "item_ids": {"1": "q2", "0": "q1"},
                "subject_ids": {"0": "m"},
            }
        ),
        "rows.json": json.dumps(
            [
                {"item_id": "q1", "a": 1.5, "b": 0.25},
                {"item_id": "q2", "a": 0.5, "b": -1},
            ]
        ),
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
        bank = load_bank(tmp_path / name)
        found = zip(bank.discrimination_, bank.difficulty_, strict=True)
        assert dict(zip(bank.item_names_, found, strict=True)) == expected
    for name, text, told in [
        ("x.csv", "item_id,a\nq,1\n", "none for 'b'"),
        ("x.csv", "item_id,a,b\nq,1,x\n", "b of item 'q' .* is 'x'"),
        ("x.csv", "item_id,a,b\nq,inf,1\n", "a of item 'q'"),
        ("x.csv", "item_id,a,b\nq,1,1\nq,1,2\n", "item 'q' more than once"),
        ("x.csv", "item_id,a,b\nq,1\n", "Row 2 .* has 2 cells"),
        ("x.csv", "", "holds no items"),
        ("x.json", '{"diff": [1], "disc": [1], "irt_model": "3pl"}', "a model '3pl'"),
        ("x.json", '{"diff": [1], "disc": [1, 2]}', "2 disc and 1 diff"),
        ("x.json", '{"a": 1}', "holds no bank"),
        ("x.txt", "", "banks are .csv or .json"),
    ]:
        (tmp_path / name).write_text(text)
        with pytest.raises(ValueError, match=told):
            load_bank(tmp_path / name)
    flat = TwoPLEstimator.from_item_parameters(discrimination=[0.0], intercept=[1.0])
    with pytest.raises(ValueError, match="no difficulty"):
        save_bank(flat, tmp_path / "flat.csv")
