"""The command ``skirt select``."""

import os
import sys
import time
from dataclasses import dataclass, field

import joblib
import numpy as np
import pandas as pd
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GroupShuffleSplit, ShuffleSplit

from skirt import (
    AnchorPointSelector,
    DisagreementSelector,
    FisherSubsetSelector,
    RandomSubsetSelector,
    TwoPLEstimator,
)
from skirt._command._options import METHODS, BadInput
from skirt._command._panel import Panel, load_panel
from skirt._command._report import print_json, print_text
from skirt._command._words import count
from skirt.io import write_subset
from skirt.metrics import full_benchmark_score, missingness_report
from skirt.model_selection import AgreementCurve, agreement_curve

_DEFAULT_SPLITS = 20

# Responses times splits; below it, starting processes takes longer than they save.
_WORTH_PROCESSES = 2_000_000
_MOST_PROCESSES = 4

# Seconds from which it is worth telling beforehand how long the splits will take.
_SLOW_CALIBRATION = 1.0

_FEW_ITEMS = (1, 2, 3)
_SIZES = (5, 10, 20, 30, 50, 70, 100, 200, 300, 500)


@dataclass
class Outcome:
    """All that the report tells."""

    panel: Panel
    options: object
    bank: TwoPLEstimator
    method: str
    protocol: str
    curve: AgreementCurve | None
    k: int | None
    subset: pd.DataFrame | None = None
    ties: dict | None = None
    missingness: pd.Series | None = None
    warnings: list = field(default_factory=list)


def select(options, told):
    """Do what the options ask for; return the exit code."""
    _check_output(options.output)
    panel = load_panel(options)
    n_models, n_items = panel.shape
    _check_sizes(options, panel)
    started = time.perf_counter()
    _say(f"calibrating {count(n_items, 'item')} on {count(n_models, 'model')}")
    bank = TwoPLEstimator().fit(panel.responses)
    seconds = time.perf_counter() - started
    score = full_benchmark_score(panel.responses, bank=bank)
    method = _label(options)
    outcome = Outcome(
        panel, options, bank, method, _protocol(options, panel), None, options.k
    )
    if panel.responses.isna().to_numpy().any():
        outcome.missingness = missingness_report(panel.responses, score)
    if panel.unmeasurable is None:
        outcome.curve = _curve(options, panel, score, seconds)
        if options.k is None:
            outcome.k = outcome.curve.smallest_k(options.target, method)
    if outcome.k is not None:
        outcome.subset, outcome.ties = _subset(options, panel, bank, outcome.k)
    told.finish()
    outcome.warnings = list(told)
    try:
        (print_json if options.json else print_text)(outcome)
        sys.stdout.flush()
    finally:
        # Also when the reader of the report has had enough of it.
        if options.output is not None and outcome.subset is not None:
            write_subset(outcome.subset, options.output)
    return 1 if outcome.k is None else 0


def _say(text):
    print(f"skirt: {text}", file=sys.stderr, flush=True)


def _check_output(path):
    """Refuse a path that cannot be written to, before any work is done."""
    if path is None:
        return
    directory = os.path.dirname(path) or os.curdir
    if not path:
        raise BadInput("-o: a file name is needed")
    if os.path.isdir(path):
        raise BadInput(f"-o {path}: that is a directory; name a file in it")
    if not os.path.isdir(directory):
        raise BadInput(f"-o {path}: there is no directory {directory}")


def _check_sizes(options, panel):
    n_items = panel.shape[1]
    if options.criterion is not None and options.method != "fisher":
        raise BadInput(f"--criterion is for --method fisher, not {options.method}")
    if panel.unmeasurable is not None and options.k is None:
        raise BadInput(
            f"cannot find how many items are enough: {panel.unmeasurable}. Use -k N to "
            "choose N items without it"
        )
    if options.k is not None and options.k > n_items:
        raise BadInput(f"-k {options.k}: there are only {count(n_items, 'item')}")
    too_large = [k for k in options.sizes or [] if k > n_items]
    if too_large:
        raise BadInput(f"--sizes: {too_large[0]} is more than the {n_items:,} items")


def sizes_for(n_items):
    """Return the default numbers of items to test."""
    candidates = _FEW_ITEMS + _SIZES if n_items < 30 else _SIZES
    return [k for k in candidates if k <= 0.8 * n_items]


def _label(options):
    """Return the method's name in the report, with a criterion if it was named."""
    if options.criterion in (None, "marginal"):
        return options.method
    return f"{options.method} {options.criterion}"


def _selector(name, options, *, k=10, bank=None, seed=None):
    if name == "anchor":
        return AnchorPointSelector(k, random_state=seed)
    if name == "disagreement":
        return DisagreementSelector(k, random_state=seed)
    if name == "random":
        return RandomSubsetSelector(k, random_state=seed)
    return FisherSubsetSelector(
        k,
        criterion="total" if options.criterion == "total" else "marginal",
        stratify="difficulty" if options.criterion == "stratified" else None,
        estimator=None if bank is None else FrozenEstimator(bank),
    )


def _methods(options, panel):
    """Return what to compare: the chosen method, random, and perhaps the others."""
    names = [options.method]
    if options.method != "random":
        names.append("random")
    if options.compare or panel.embedded:
        names += [name for name in METHODS if name not in names]
    return {
        _label(options) if name == options.method else name: _selector(name, options)
        for name in names
    }


def _protocol(options, panel):
    whole = "" if panel.groups is None else f", the {panel.n_groups} groups kept whole"
    return f"{options.cv} random half splits of the models (seed {options.seed}){whole}"


def _curve(options, panel, score, seconds):
    """Measure the methods one after the other, so that progress can be told.

    The splits, and the resamplings of the intervals, are the same for all of them:
    they depend on the seed alone.
    """
    sizes = set(options.sizes or sizes_for(panel.shape[1]))
    if options.k is not None:
        sizes.add(options.k)
    splitter = ShuffleSplit if panel.groups is None else GroupShuffleSplit
    cv = None
    if options.cv != _DEFAULT_SPLITS:
        cv = splitter(options.cv, test_size=0.5, random_state=options.seed)
    methods = _methods(options, panel)
    # Names have been checked; without them every check in every fit is faster.
    responses = panel.responses.to_numpy()
    groups = None if panel.groups is None else panel.groups.to_numpy()
    curves = []
    for number, (name, estimator) in enumerate(methods.items(), start=1):
        started = time.perf_counter()
        step = f"held-out agreement, method {number} of {len(methods)}, {name}"
        if name.startswith("fisher") and seconds > _SLOW_CALIBRATION:
            _say(f"{step}: {options.cv} calibrations of about {seconds / 2:.1f} s each")
        curve = agreement_curve(
            {name: estimator},
            responses,
            score,
            k=sorted(sizes),
            cv=cv,
            groups=groups,
            n_jobs=_n_jobs(options, panel),
            random_state=options.seed,
        )
        curves.append(curve)
        _say(f"{step}: {options.cv} splits in {time.perf_counter() - started:.1f} s")
    return _joined(curves)


def _joined(curves):
    first = curves[0]
    return AgreementCurve(
        methods=tuple(name for curve in curves for name in curve.methods),
        k=first.k,
        n_models=first.n_models,
        n_groups=first.n_groups,
        n_items=first.n_items,
        n_answers=first.n_answers,
        protocol=first.protocol,
        split_scores=pd.concat([c.split_scores for c in curves], ignore_index=True),
        table=pd.concat([c.table for c in curves], ignore_index=True),
    )


def _n_jobs(options, panel):
    if options.jobs is not None:
        wanted = joblib.cpu_count() if options.jobs == -1 else options.jobs
        return min(wanted, options.cv, joblib.cpu_count())
    if panel.responses.size * options.cv < _WORTH_PROCESSES:
        return 1
    return min(joblib.cpu_count(), _MOST_PROCESSES)


def _subset(options, panel, bank, k):
    """Choose k items by all models; return them, best first, and their ties."""
    selector = _selector(options.method, options, k=k, bank=bank, seed=options.seed)
    selector.fit(panel.responses)
    order = selector.order_
    chosen = bank.select_items(order)
    information = chosen.item_information(bank.ability_).mean(axis=0)
    table = pd.DataFrame(
        {
            "order": np.arange(1, k + 1),
            "discrimination": chosen.discrimination_,
            "difficulty": chosen.difficulty_,
            "information": information,
        },
        index=pd.Index(panel.responses.columns[order], name="item"),
    )
    if options.method == "anchor":
        table["weight"] = selector.weights_
    return table, _ties(selector, panel.responses)


def _ties(selector, responses):
    """Return how far the chosen items tell the models that answer them apart."""
    answered = responses.iloc[:, selector.order_].notna().any(axis=1)
    if not answered.any():
        return {"n_models": 0, "n_scores": 0, "n_at_top": 0}
    scores = selector.predict(responses.loc[answered.to_numpy()])
    # Equal responses may give scores that differ in their last digits.
    values, counts = np.unique(scores.round(6), return_counts=True)
    return {
        "n_models": len(scores),
        "n_scores": len(values),
        "n_at_top": int(counts[-1]),
    }
