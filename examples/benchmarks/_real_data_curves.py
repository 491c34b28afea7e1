"""Agreement of small subsets with the full benchmark, for `real_data_table.py`."""

import tempfile
import warnings

import joblib
import numpy as np
import pandas as pd
from _real_data_evidence import plain
from sklearn.pipeline import Pipeline

from skirt import (
    AnchorPointSelector,
    DisagreementSelector,
    FisherSubsetSelector,
    RandomSubsetSelector,
    TwoPLEstimator,
)
from skirt.model_selection import agreement_curve

TARGET = 0.90
# Sizes at most a factor 1.2 apart; the whole benchmark is always tested too.
SIZES = (*range(1, 11), 12, 14, 17, 20, 24, 28, 34, 40, 48, 56, 67, 80, 95, 112, 134)
SIZES = (*SIZES, 160, 190, 224, 270, 320, 380, 448, 540, 640)
# Anchors are clustered anew for every size, which is slow for many.
MOST_ANCHORS = 95
# Of larger panels a seeded sample of models makes the curve, and the page says so.
MOST_MODELS = 1000
# Above this missing share choice and score are told apart.
MANY_GAPS = 0.05
FEWEST_COMPLETE = 20
# The sizes of all side comparisons.
COMPARED = (10, 20, 40, 80)
# Larger sets are left out where splits through families are shown for comparison.
MOST_CELLS = 200_000


def with_warnings(work):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        out = work()
    return out, [f"{w.category.__name__}: {w.message}" for w in caught]


def curves(X, y, groups, n_jobs):
    """Smallest sizes and agreements of every method under the default protocol."""
    n_items = X.shape[1]
    # As an array: the names of thousands of columns are slow to check.
    X, y, groups = sample_models(X.to_numpy(dtype=float), y, groups)
    sizes = [k for k in SIZES if k < n_items] + [n_items]
    with tempfile.TemporaryDirectory(prefix="real-data-") as directory:
        # The three criteria share the calibration of every split.
        memory = joblib.Memory(directory, verbose=0)
        fast = {
            "fisher marginal": FisherSubsetSelector(memory=memory),
            "fisher total": FisherSubsetSelector(criterion="total", memory=memory),
            "fisher stratified": FisherSubsetSelector(
                stratify="difficulty", memory=memory
            ),
            "disagreement": DisagreementSelector(),
            "random": RandomSubsetSelector(),
        }
        curve, caught = with_warnings(
            lambda: agreement_curve(fast, X, y, k=sizes, groups=groups, n_jobs=n_jobs)
        )
        few = [k for k in sizes if k <= MOST_ANCHORS]
        anchors, more = with_warnings(
            lambda: agreement_curve(
                {"anchor": AnchorPointSelector()},
                X,
                y,
                k=few,
                groups=groups,
                n_jobs=n_jobs,
            )
        )
    found = pd.concat([curve.smallest_k(TARGET), anchors.smallest_k(TARGET)])
    table = pd.concat([curve.to_frame(), anchors.to_frame()])
    return {
        "protocol": curve.protocol,
        "models": len(X),
        "sizes": sizes,
        "most_anchors": max(few),
        "won": splits_won(curve),
        "warnings": caught + more,
        "smallest": {m: None if pd.isna(k) else int(k) for m, k in found.items()},
        "table": [
            {key: plain(value) for key, value in row.items()}
            for row in table.to_dict("records")
        ],
    }


def with_gaps(X, y, groups, n_jobs):
    """Where there are many gaps: what the choice contributes, and what the score.

    The mean of the observed answers compares models on different items, also in a
    random subset; so random items are scored by ability as well. And as `y` is filled
    in from the model there, Fisher's and random items are compared once more on the
    models that answered everything.
    """
    if not MANY_GAPS < X.isna().to_numpy().mean():
        return None
    complete = X.notna().all(axis=1).to_numpy()
    X = X.to_numpy(dtype=float)
    by_ability = Pipeline(
        [("select", RandomSubsetSelector()), ("ability", TwoPLEstimator())]
    )
    out = {
        "random ability": _means({"random": by_ability}, X, y, groups, n_jobs)["random"]
    }
    if complete.sum() >= FEWEST_COMPLETE:
        own = None if groups is None else np.asarray(groups)[complete]
        out["complete"] = _means(_two(), X[complete], y[complete], own, n_jobs)
    return out


def variants_split(X, y, groups, n_jobs):
    """Agreement if variants of one model may stand on both sides of a split.

    For sets with groups that are not too large; to show what this does, not to use.
    """
    if groups is None or X.size > MOST_CELLS:
        return None
    return _means(_two(), X.to_numpy(dtype=float), y, None, n_jobs)


def _two():
    return {
        "fisher marginal": FisherSubsetSelector(),
        "random": RandomSubsetSelector(),
    }


def _means(methods, X, y, groups, n_jobs):
    """Mean agreement by method and size, at a few sizes."""
    X, y, groups = sample_models(X, y, groups)
    curve, _ = with_warnings(
        lambda: agreement_curve(
            methods, X, y, k=COMPARED, groups=groups, n_bootstrap=0, n_jobs=n_jobs
        )
    )
    out = {}
    for method, own in curve.to_frame().groupby("method"):
        pairs = zip(own["k"], own["mean"], strict=True)
        out[method] = {str(k): plain(mean) for k, mean in pairs}
    return out


def sample_models(X, y, groups):
    """Draw at most MOST_MODELS rows."""
    if len(X) <= MOST_MODELS:
        return X, y, groups
    rows = np.random.default_rng(0).permutation(len(X))[:MOST_MODELS]
    return X[rows], y[rows], None if groups is None else np.asarray(groups)[rows]


def splits_won(curve):
    """By size, in how many splits Fisher's items beat random ones (ties: half)."""
    wide = curve.split_scores.pivot(
        index=["k", "split"], columns="method", values="score"
    )
    gain = wide["fisher marginal"] - wide["random"]
    won = ((gain > 0) + 0.5 * (gain == 0)).groupby(level="k").sum()
    return {str(k): float(n) for k, n in won.items()}  # as JSON will have the sizes
