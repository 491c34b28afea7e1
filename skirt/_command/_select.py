"""The command ``skirt select``."""

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
from skirt.io import write_subset
from skirt.metrics import full_benchmark_score, missingness_report
from skirt.model_selection import AgreementCurve, agreement_curve

FEWEST_MODELS = 10

_DEFAULT_SPLITS = 20

# Responses times splits; below it, starting processes takes longer than they save.
_WORTH_PROCESSES = 2_000_000
_MOST_PROCESSES = 4

# A line for every split only where a split takes about as long as reading it.
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
    missingness: pd.Series | None = None
    warnings: list = field(default_factory=list)


def select(options, told):
    """Do what the options ask for; return the exit code."""
    panel = load_panel(options)
    n_models, n_items = panel.shape
    _check_sizes(options, panel)
    started = time.perf_counter()
    _say(f"calibrating {n_items:,} items on {n_models:,} models")
    bank = TwoPLEstimator().fit(panel.responses)
    seconds = time.perf_counter() - started
    score = full_benchmark_score(panel.responses, bank=bank)
    method = _label(options)
    outcome = Outcome(
        panel, options, bank, method, _protocol(options, panel), None, options.k
    )
    if panel.responses.isna().to_numpy().any():
        outcome.missingness = missingness_report(panel.responses, score)
    if n_models >= FEWEST_MODELS:
        outcome.curve = _curve(options, panel, score, seconds)
        if options.k is None:
            outcome.k = outcome.curve.smallest_k(options.target, method)
    if outcome.k is not None:
        outcome.subset = _subset(options, panel, bank, outcome.k)
        if options.output is not None:
            write_subset(outcome.subset, options.output)
    outcome.warnings = told
    (print_json if options.json else print_text)(outcome)
    return 1 if options.output is not None and outcome.k is None else 0


def _say(text):
    print(f"skirt: {text}", file=sys.stderr, flush=True)


def _check_sizes(options, panel):
    n_models, n_items = panel.shape
    if options.criterion is not None and options.method != "fisher":
        raise BadInput(f"--criterion is for --method fisher, not {options.method}")
    if n_models < FEWEST_MODELS and options.k is None:
        raise BadInput(
            f"{n_models} models are too few to find how many items are enough: halves "
            f"of the panel would hold too few models to rank (at least {FEWEST_MODELS} "
            "are needed). Use -k N to choose N items without it"
        )
    if options.k is not None and options.k > n_items:
        raise BadInput(f"-k {options.k}: there are only {n_items:,} items")
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
        curve = agreement_curve(
            {name: estimator},
            responses,
            score,
            k=sorted(sizes),
            cv=cv,
            groups=groups,
            n_jobs=_n_jobs(options, panel),
            random_state=options.seed,
            verbose=int(name.startswith("fisher") and seconds > _SLOW_CALIBRATION),
        )
        curves.append(curve)
        _say(
            f"held-out agreement, method {number} of {len(methods)}, {name}: "
            f"{options.cv} splits in {time.perf_counter() - started:.1f} s"
        )
    return _joined(curves)


def _joined(curves):
    first = curves[0]
    return AgreementCurve(
        methods=tuple(name for curve in curves for name in curve.methods),
        k=first.k,
        n_models=first.n_models,
        n_groups=first.n_groups,
        n_items=first.n_items,
        protocol=first.protocol,
        split_scores=pd.concat([c.split_scores for c in curves], ignore_index=True),
        table=pd.concat([c.table for c in curves], ignore_index=True),
    )


def _n_jobs(options, panel):
    if options.jobs is not None:
        return options.jobs
    if panel.responses.size * options.cv < _WORTH_PROCESSES:
        return 1
    return min(joblib.cpu_count(), _MOST_PROCESSES)


def _subset(options, panel, bank, k):
    """Choose k items by all models; return them as a table, best first."""
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
    return table
