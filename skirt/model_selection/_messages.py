"""The warnings of an evaluation, one of each kind, and its progress."""

import re
import sys
import time
import warnings
from collections import Counter
from contextlib import contextmanager

import numpy as np

# Below this many test models the agreement within one split is mostly noise.
_SMALL_TEST = 5

# From here up through the evaluation and its parameter check to the caller.
_CALLER = 4


@contextmanager
def recorded(label, verbose):
    """Keep the warnings of a task for the parent, and tell when it is done.

    Yields
    ------
    list of (category, str)
        The warnings, there at the end.
    """
    started = time.perf_counter()
    told: list = []
    with warnings.catch_warnings(record=True) as caught:
        yield told
    told += [(w.category, str(w.message)) for w in caught]
    if verbose:
        print(
            f"{label}: {time.perf_counter() - started:.1f} s",
            file=sys.stderr,
            flush=True,
        )


def repeat_warnings(names, tasks, n_splits):
    """Give each kind of warning of each method once, and say how often it came.

    Parameters
    ----------
    names : list of str
        The methods.
    tasks : list of list of (category, str)
        The warnings of each task: all methods on the first split, and so on.
    n_splits : int
    """
    first: dict = {}
    times: Counter = Counter()
    for index, caught in enumerate(tasks):
        name = names[index % len(names)]
        kinds = {(name, category, _kind(text)): text for category, text in caught}
        times.update(kinds.keys())
        first = kinds | first
    for key, text in first.items():
        name, category, _ = key
        warnings.warn(
            f"{name}, in {times[key]} of {n_splits} splits: {text}",
            category,
            stacklevel=_CALLER,
        )


def _kind(text):
    """Return what two warnings that differ in their figures alone have in common."""
    return re.sub(r"[\d.,\s]+", "", text)[:40]


def warn_of_splits(names, sizes, tests, predictions, scores):
    """Warn of test sets that are too small, and of scores that say little."""
    smallest = min(len(test) for test in tests)
    if smallest < _SMALL_TEST:
        _warn(
            f"The smallest test set has {smallest} models: agreements within it are "
            "mostly noise. Read the pooled value, or use fewer and larger test sets."
        )
    undefined = int(np.isnan(scores).any(axis=1).sum())
    if undefined:
        _warn(
            f"The agreement is undefined in {undefined} of {len(tests)} splits, which "
            "are left out of the means: all test models have the same true score, or "
            "fewer than two have a prediction."
        )
    missing = np.sum([np.isnan(values).sum(axis=1) for values in predictions], axis=0)
    n_tested = sum(len(test) for test in tests)
    flat = np.sum(
        [[_is_constant(row) for row in values] for values in predictions], axis=0
    )
    for index, name in enumerate(names):
        own = slice(index * len(sizes), (index + 1) * len(sizes))
        if missing[own].any():
            _warn(
                f"{name} has no score for {_by_size(missing[own], sizes)} of the "
                f"{n_tested} test models, all splits together; these are left out "
                "there. Larger subsets leave fewer models without an answer."
            )
        if flat[own].any():
            _warn(
                f"{name} predicts the same for all test models, which counts as an "
                f"agreement of 0, in {_by_size(flat[own], sizes)} of {len(tests)} "
                "splits."
            )


def _warn(message):
    warnings.warn(message, UserWarning, stacklevel=_CALLER + 1)


def _is_constant(values):
    known = values[~np.isnan(values)]
    return len(known) > 0 and np.ptp(known) == 0


def _by_size(counts, sizes):
    pairs = zip(counts, sizes, strict=True)
    return ", ".join(f"{count} (k={size})" for count, size in pairs if count)
