"""Every way of predicting the full score from k items, for `predicted_score.py`."""

import contextlib
import io
import os
import tempfile
import warnings

import numpy as np
import pandas as pd
from sklearn.impute import SimpleImputer
from sklearn.linear_model import RidgeCV
from sklearn.pipeline import make_pipeline

from skirt import (
    AnchorPointSelector,
    AutoSubsetSelector,
    FisherSubsetSelector,
    RandomSubsetSelector,
)
from skirt._command import main
from skirt.metrics import full_benchmark_score

RANDOM_DRAWS = 20
RIDGE_DRAWS = 5
ALPHAS = np.logspace(-1, 4, 11)
NORMAL_QUANTILE = 1.6448536269514722
# Halvings inside the panel, for AutoSubsetSelector; 12 by default.
AUTO_SPLITS = 6
# The size at which the command is tried.
COMMAND_SIZE = 100


def random_items(X, groups, held, sizes, seed):
    """The mean of random items with its usual interval, and ridge regression."""
    score = full_benchmark_score(X)
    n_items = X.shape[1]
    for k in sizes:
        for draw in range(RANDOM_DRAWS):
            chooser = RandomSubsetSelector(k, random_state=1000 * seed + draw).fit(X)
            mean = chooser.predict(held)
            rest = (1 - k / n_items) / (k - 1)
            yield "random", k, mean, *_interval(mean, np.sqrt(mean * (1 - mean) * rest))
        for draw in range(RIDGE_DRAWS):
            ridge = make_pipeline(
                RandomSubsetSelector(k, random_state=1000 * seed + draw),
                SimpleImputer(keep_empty_features=True),
                RidgeCV(ALPHAS),
            ).fit(X, score)
            yield "random + ridge", k, ridge.predict(held)


def polo(X, groups, held, sizes, seed):
    """Anchor points, p-IRT and gp-IRT."""
    with tempfile.TemporaryDirectory() as folder:
        anchors = AnchorPointSelector(random_state=seed, memory=folder)
        for k in sizes:
            anchors.set_params(k=k, prediction="mean").fit(X)
            yield "anchor points", k, anchors.predict(held)
            for name in ("p-IRT", "gp-IRT"):
                anchors.set_params(prediction=name.lower()).fit(X, groups=groups)
                score, error = anchors.predict(held, return_std=True)
                yield name, k, score, *_interval(score, error)


def rank(X, groups, held, sizes, seed):
    """FisherSubsetSelector(criterion="rank"), and the mean of its items."""
    selector = FisherSubsetSelector(max(sizes), criterion="rank")
    selector.fit(X, groups=groups)
    for k in sizes:
        cut = selector.truncate(k)
        yield "mean of rank's items", k, np.nanmean(cut.transform(held), axis=1)
        score, error = cut.predict(held, return_std=True)
        yield "rank", k, score, *_interval(score, error)


def auto(X, groups, held, sizes, seed):
    """AutoSubsetSelector."""
    selector = AutoSubsetSelector(max(sizes), n_splits=AUTO_SPLITS, random_state=seed)
    selector.fit(X, groups=groups)
    scores, errors = selector.predict_path(held, sizes, return_std=True)
    for k, score, error in zip(sizes, scores, errors, strict=True):
        yield "auto", k, score, *_interval(score, error)


def command(X, groups, held, sizes, seed):
    """``skirt select`` on the panel, by default and by anchors; ``skirt score``."""
    items = [f"i{j}" for j in range(X.shape[1])]
    models = [f"m{i}" for i in range(len(X))]
    options = ["-k", COMMAND_SIZE, "--sizes", COMMAND_SIZE, "--cv", 2, "--seed", seed]
    with tempfile.TemporaryDirectory() as folder:
        panel, new, subset, scores, families = (
            os.path.join(folder, name)
            for name in ("panel.csv", "new.csv", "s.json", "scores.csv", "groups.csv")
        )
        _table(X, models, items).to_csv(panel)
        _table(held, [f"new{i}" for i in range(len(held))], items).to_csv(new)
        if len(set(groups)) < len(groups):
            table = pd.DataFrame({"model": models, "group": groups})
            table.to_csv(families, index=False)
            options += ["--groups", families]
        for method in ("fisher", "anchor"):
            _run("select", panel, *options, "--method", method, "-o", subset)
            _run("score", subset, new, "-o", scores)
            found = pd.read_csv(scores, index_col=0)
            if method == "fisher":
                yield "mean of select's items", COMMAND_SIZE, found["subset_score"]
            columns = (found[name] for name in ("predicted_score", "low", "high"))
            yield f"select, {method}", COMMAND_SIZE, *columns


# A part of the methods is measured, and kept, at a time.
PARTS = {
    "random": random_items,
    "polo": polo,
    "rank": rank,
    "auto": auto,
    "command": command,
}


def predictions(part, X, groups, held, sizes, seed):
    """Return a list of dicts: method, k, predicted, and for some methods low, high."""
    out = []
    with warnings.catch_warnings():
        # Priors at their bound and the like: `real_data_table.py` tells of them.
        warnings.simplefilter("ignore")
        for method, k, *found in PARTS[part](X, groups, held, sizes, seed):
            columns = dict(zip(("predicted", "low", "high"), found, strict=False))
            rounded = {name: np.round(v, 5).tolist() for name, v in columns.items()}
            out.append({"method": method, "k": k, **rounded})
    return out


def _interval(score, error):
    half = NORMAL_QUANTILE * error
    return np.clip(score - half, 0, 1), np.clip(score + half, 0, 1)


def _table(X, names, items):
    return pd.DataFrame(X, index=pd.Index(names, name="model"), columns=items)


def _run(*arguments):
    with open(os.devnull, "w") as sink, contextlib.redirect_stderr(sink):
        with contextlib.redirect_stdout(io.StringIO()):
            code = main([str(argument) for argument in arguments])
    if code:
        raise RuntimeError(f"skirt {arguments[0]} ended with {code}.")
