"""The warnings of an agreement curve, one of each kind."""

import re
import warnings
from collections import Counter

import numpy as np

# Below this many test models the agreement within one split is mostly noise.
_SMALL_TEST = 5

# From here up through agreement_curve and its parameter check to the caller.
_CALLER = 4


def repeat_warnings(names, results, n_splits):
    """Give each kind of warning of each method once, and say how often it came."""
    first: dict = {}
    times: Counter = Counter()
    for index, (_, _, caught) in enumerate(results):
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
