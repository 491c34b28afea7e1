"""Adaptive tests beside fixed subsets, for `adaptive_saving.py`."""

import tempfile
import time

import joblib
import numpy as np
import pandas as pd
from _real_data_curves import SIZES, TARGET, sample_models, with_warnings
from _real_data_evidence import plain
from sklearn.model_selection import GroupShuffleSplit, ShuffleSplit

from skirt import (
    AnchorPointSelector,
    DisagreementSelector,
    FisherSubsetSelector,
    RandomSubsetSelector,
)
from skirt.adaptive import FluidBenchmark
from skirt.datasets import make_responses
from skirt.model_selection import agreement_curve

# Adaptive tests are replayed, and anchors clustered, up to so many items.
MOST_ADAPTIVE = 160
MOST_ANCHORS = 80
ANCHOR_SIZES = (2, 5, 10, 20, 40, 80)
COMPARED = (5, 10, 20, 40)
CVS = (0.3, 0.46, 0.6, 0.75, 0.92, 1.05, 1.2)
PANEL = {"n_models": 100, "n_items": 1000}
# A panel's k* is found for both.
TARGETS = (TARGET, 0.95)


def methods(memory):
    """Methods by the largest size that is tried, those of one group together."""
    return {
        MOST_ADAPTIVE: {
            "adaptive": FluidBenchmark(memory=memory),
            "random ability": FluidBenchmark(criterion="random", memory=memory),
        },
        None: {
            "fisher marginal": FisherSubsetSelector(memory=memory),
            "fisher total": FisherSubsetSelector(criterion="total", memory=memory),
            "disagreement": DisagreementSelector(),
            "random": RandomSubsetSelector(),
        },
        MOST_ANCHORS: {"anchor": AnchorPointSelector()},
    }


def real_curves(X, y, groups, splits):
    """Curves of every method on one data set, and what they give at the target."""
    # As an array: the names of thousands of columns are slow to check.
    X, y, groups = sample_models(X.to_numpy(dtype=float), y, groups)
    kind = ShuffleSplit if groups is None else GroupShuffleSplit
    cv = kind(splits, test_size=0.5, random_state=0)
    started = time.process_time()
    table, protocol, caught = curves(X, y, groups, cv, n_bootstrap=200)
    return {
        "models": len(X),
        "groups": None if groups is None else len(set(groups)),
        "items": X.shape[1],
        "splits": splits,
        "seconds": time.process_time() - started,
        "protocol": protocol,
        "warnings": caught,
        "smallest": {
            method: {
                bound: smallest(own["k"], own[bound], TARGET)
                for bound in ("mean", "low", "high")
            }
            for method, own in table.groupby("method")
        },
        "table": _at_sizes(table),
    }


def curves(X, y, groups, cv, n_bootstrap):
    """One table of all methods: method, k, mean, low, high."""
    tables, caught = [], []
    n_items = X.shape[1]
    with tempfile.TemporaryDirectory(prefix="adaptive-saving-") as directory:
        # All that calibrate share the calibration of every split.
        memory = joblib.Memory(directory, verbose=0)
        for most, group in methods(memory).items():
            sizes = ANCHOR_SIZES if "anchor" in group else SIZES
            sizes = [k for k in sizes if k < n_items and k <= (most or k)]
            if most is None or n_items <= most:
                sizes.append(n_items)
            curve, more = with_warnings(
                lambda group=group, sizes=sizes: agreement_curve(
                    group, X, y, k=sizes, cv=cv, groups=groups, n_bootstrap=n_bootstrap
                )
            )
            tables.append(curve.to_frame())
            caught += more
    return pd.concat(tables, ignore_index=True), curve.protocol, caught


def smallest(sizes, values, target):
    """Smallest size from which on all values reach the target, or None."""
    reached = np.asarray(values) >= target
    stays = np.flatnonzero(np.logical_and.accumulate(reached[::-1])[::-1])
    return int(np.asarray(sizes)[stays[0]]) if stays.size else None


def simulated_curves(cv, panels, splits):
    """Mean agreement by method and size over simulated panels of one CV."""
    tables = []
    for seed in range(panels):
        panel = make_responses(**PANEL, discrimination_cv=cv, random_state=seed)
        y = panel.data.mean(axis=1)
        halves = ShuffleSplit(splits, test_size=0.5, random_state=seed)
        table, _, _ = curves(panel.data, y, None, halves, n_bootstrap=0)
        tables.append(table.assign(panel=seed))
    table = pd.concat(tables, ignore_index=True)
    mean = table.groupby(["method", "k"], as_index=False)["mean"].mean()
    return {
        "cv": cv,
        "panels": panels,
        "splits": splits,
        "smallest": {
            method: {
                str(target): {
                    "mean": smallest(own["k"], own["mean"], target),
                    "panels": [
                        smallest(one["k"], one["mean"], target)
                        for _, one in table[table["method"] == method].groupby("panel")
                    ],
                }
                for target in TARGETS
            }
            for method, own in mean.groupby("method")
        },
        "table": _at_sizes(mean),
    }


def _at_sizes(table):
    table = table[table["k"].isin(COMPARED)]
    columns = [c for c in ("method", "k", "mean", "low", "high") if c in table]
    return [
        {key: plain(value) for key, value in row.items()}
        for row in table[columns].to_dict("records")
    ]
