"""How long adaptive tests take: replays of a panel, and one step of a live session.

    python adaptive_speed.py [--page FILE]

Replays ask 100 models 50 of 5,000 items; live steps choose and record one item of a
bank of 40,000. Banks are from known parameters, or calibrated by 100 models, whose
items are not known exactly. Processor seconds of this machine, of replays the least of
three, and how often the first row goes into each.
"""

import argparse
import time
from pathlib import Path

import numpy as np
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning
from sklearn.frozen import FrozenEstimator
from sklearn.utils._testing import ignore_warnings

from skirt import MultidimIRT, TwoPLEstimator
from skirt.adaptive import FluidBenchmark

_MODELS, _ITEMS, _STEPS, _LARGE = 100, 5_000, 50, 40_000
_REPEATS, _LIVE_STEPS = 3, 20
_CRITERIA = {
    1: ("fisher", "mpwi", "kl", "mepv", "score", "rank", "random"),
    2: ("d_optimal", "a_optimal", "score", "rank"),
    4: ("d_optimal", "score"),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--page", type=Path, help="write a page of Markdown there")
    page = parser.parse_args().page
    replays = [row for d in _CRITERIA for row in replay_rows(d)]
    replays += calibrated_rows()
    lives = [row for d in (1, 2) for row in live_rows(d)]
    text = _page(replays, lives)
    print(text)
    if page is not None:
        page.write_text(text)


def replay_rows(n_abilities):
    """Seconds of a replay over items that are known, by criterion."""
    bank, answers = _known(n_abilities, _ITEMS)
    for criterion in _CRITERIA[n_abilities]:
        yield n_abilities, "known", criterion, _replay(bank, answers, criterion)


@ignore_warnings(category=(ConvergenceWarning, UserWarning))
def calibrated_rows():
    """The same over items that a panel of 100 has calibrated."""
    for n_abilities, bank in ((1, TwoPLEstimator()), (2, MultidimIRT(2))):
        answers = _answers(*_parameters(n_abilities, _ITEMS))
        bank.fit(answers)
        criterion = _CRITERIA[n_abilities][0]
        yield n_abilities, "calibrated", criterion, _replay(bank, answers, criterion)


def live_rows(n_abilities):
    """Seconds of one step of a live session, by criterion."""
    bank, answers = _known(n_abilities, _LARGE, n_models=1)
    answer = dict(zip(bank.item_names_, answers[0], strict=True))
    for criterion in (_CRITERIA[n_abilities][0], "score", "rank"):
        bench = _bench(bank, criterion, _LIVE_STEPS).fit(answers)
        bench.start("warm").next_items()
        session = bench.start("model")
        started = time.process_time()
        while not session.done:
            (item,) = session.next_items()
            session.record(item, answer[item])
        seconds = (time.process_time() - started) / _LIVE_STEPS
        yield n_abilities, criterion, seconds


def _known(n_abilities, n_items, n_models=_MODELS):
    a, d = _parameters(n_abilities, n_items)
    if n_abilities == 1:
        bank = TwoPLEstimator.from_item_parameters(discrimination=a[:, 0], intercept=d)
    else:
        bank = MultidimIRT.from_item_parameters(discrimination=a, intercept=d)
    return bank, _answers(a, d, n_models)


def _parameters(n_abilities, n_items):
    rng = np.random.default_rng(n_abilities)
    a = np.exp(rng.normal(0, 0.5, (n_items, n_abilities)))
    if n_abilities > 1:
        a[rng.random(a.shape) < 0.5] *= 0.2
    return a, rng.normal(0, 1.2, n_items)


def _answers(a, d, n_models=_MODELS):
    rng = np.random.default_rng(9)
    theta = rng.normal(size=(n_models, a.shape[1]))
    return (rng.random((n_models, len(d))) < expit(theta @ a.T + d)).astype(float)


def _bench(bank, criterion, n_items):
    frozen = FrozenEstimator(bank)
    return FluidBenchmark(frozen, n_items=n_items, criterion=criterion)


def _replay(bank, answers, criterion):
    bench = _bench(bank, criterion, _STEPS).fit(answers)
    seconds = []
    for _ in range(_REPEATS):
        started = time.process_time()
        bench.transform(answers)
        seconds.append(time.process_time() - started)
    return min(seconds)


def _page(replays, lives):
    first = replays[0][3]
    lines = [
        "# How long adaptive tests take",
        "",
        "Written by `examples/benchmarks/adaptive_speed.py --page FILE`; its docstring",
        "says what is measured. Processor seconds of one machine.",
        "",
        f"## Replays: {_MODELS} models x {_STEPS} steps over {_ITEMS:,} items",
        "",
        "| abilities | items | criterion | seconds | of the first row |",
        "|---:|---|---|---:|---:|",
    ]
    lines += [
        f"| {d} | {items} | `{criterion}` | {seconds:.2f} | {seconds / first:.1f} x |"
        for d, items, criterion, seconds in replays
    ]
    lines += [
        "",
        f"## Live: one step over {_LARGE:,} items",
        "",
        "| abilities | criterion | milliseconds |",
        "|---:|---|---:|",
    ]
    lines += [
        f"| {d} | `{criterion}` | {1000 * seconds:.1f} |"
        for d, criterion, seconds in lives
    ]
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    main()
