"""Held-out agreement of methods by their size, with progress."""

import time

import joblib
import pandas as pd
from sklearn.model_selection import GroupShuffleSplit, ShuffleSplit

from skirt._command._options import BadInput
from skirt._command._printing import say
from skirt._command._words import count
from skirt.model_selection import AgreementCurve, agreement_curve

_DEFAULT_SPLITS = 20

# Responses times splits; below it, starting processes takes longer than they save.
_WORTH_PROCESSES = 2_000_000
_MOST_PROCESSES = 4

# Seconds from which it is worth telling beforehand how long the splits will take.
_SLOW_CALIBRATION = 1.0

# Said of methods that calibrate more than one bank.
_SLOW_METHODS = {
    "fisher rank": "calibrating up to four banks",
    "auto": "comparing designs on 12 halves of each half",
}

_FEW_ITEMS = (1, 2, 3)
_SIZES = (5, 10, 20, 30, 50, 70, 100, 200, 300, 500)


def sizes_for(n_items, most=None):
    """Return the default numbers of items to test."""
    candidates = _FEW_ITEMS + _SIZES if n_items < 30 else _SIZES
    return [k for k in candidates if k <= min(0.8 * n_items, most or n_items)]


def check_sizes(sizes, n_items):
    """Refuse sizes that there are not enough items for."""
    too_large = [k for k in sizes or [] if k > n_items]
    if too_large:
        raise BadInput(f"--sizes: {too_large[0]} is more than the {n_items:,} items")


def protocol(options, panel):
    """Say how the agreement is measured."""
    whole = "" if panel.groups is None else f", the {panel.n_groups} groups kept whole"
    return f"{options.cv} random half splits of the models (seed {options.seed}){whole}"


def protocol_sentence(options, panel):
    """Say it for the report, with what agreement is."""
    return (
        f"{protocol(options, panel)}. One half chooses the items, the other half is "
        "ranked by them; agreement is Spearman's rho with the ranking by the full "
        "benchmark. Mean over the splits, and in brackets its 95 % interval from "
        "resampling the "
        + (
            "models; models taken as independent of each other: if some are variants "
            "of one, give --groups."
            if panel.groups is None
            else "groups."
        )
    )


def measure(methods, options, panel, score, sizes, seconds):
    """Measure the methods one after the other, so that progress can be told.

    The splits, and the resamplings of the intervals, are the same for all of them:
    they depend on the seed alone.

    Parameters
    ----------
    methods : dict of str to estimator
    options : namespace with cv, seed and jobs
    panel : Panel
    score : ndarray of shape (n_models,)
    sizes : iterable of int
    seconds : float
        How long the whole panel's calibration took.

    Returns
    -------
    AgreementCurve
    """
    splitter = ShuffleSplit if panel.groups is None else GroupShuffleSplit
    cv = None
    if options.cv != _DEFAULT_SPLITS:
        cv = splitter(options.cv, test_size=0.5, random_state=options.seed)
    # Names have been checked; without them every check in every fit is faster.
    responses = panel.responses.to_numpy()
    groups = panel.group_labels
    curves = []
    for number, (name, estimator) in enumerate(methods.items(), start=1):
        started = time.perf_counter()
        step = f"held-out agreement, method {number} of {len(methods)}, {name}"
        calibrates = name.startswith(("fisher", "adaptive"))
        if name in _SLOW_METHODS:
            say(f"{step}: {_SLOW_METHODS[name]}, {options.cv} times")
        elif calibrates and seconds > _SLOW_CALIBRATION:
            say(
                f"{step}: {count(options.cv, 'calibration')} of about "
                f"{seconds / 2:.1f} s each"
            )
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
        say(f"{step}: {options.cv} splits in {time.perf_counter() - started:.1f} s")
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
