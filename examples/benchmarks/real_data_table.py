"""Run skirt on a folder of real response matrices and write docs/real_data.md.

For every data set with at least 20 models: the calibration and what it warned of, the
population checked by an integration of its own, the ranking beside the plain mean
score, the smallest subset that ranks held-out models by each method, and how far
models at the ceiling can be told apart.

Run it with::

    python examples/benchmarks/real_data_table.py --data FOLDER

FOLDER holds one ``NAME.csv.gz`` per data set: rows are models, the first column is
their name, every other column an item with 1, 0 or empty. Where there are, it also
reads ``datasets.csv`` (a column ``name`` that lists the data sets) and
``NAME.items.csv`` (columns ``benchmark``, ``category``: the parts of a benchmark).
Results are kept one file a data set in the folder ``--cache``, so that a run that was
stopped resumes.
"""

import argparse
import json
import os
import re
import sys
import tempfile
import time
import warnings
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
from _real_data_evidence import evidence, plain
from _real_data_page import write_page
from sklearn.pipeline import Pipeline

from skirt import (
    AnchorPointSelector,
    DisagreementSelector,
    FisherSubsetSelector,
    RandomSubsetSelector,
    TwoPLEstimator,
)
from skirt.metrics import (
    agreement_score,
    discrimination_cv,
    full_benchmark_score,
)
from skirt.model_selection import agreement_curve

FEWEST_MODELS = 20
TARGET = 0.90
# Sizes at most a factor 1.2 apart; the whole benchmark is always tested too.
SIZES = (*range(1, 11), 12, 14, 17, 20, 24, 28, 34, 40, 48, 56, 67, 80, 95, 112, 134)
SIZES = (*SIZES, 160, 190, 224, 270, 320, 380, 448, 540, 640)
# Anchors are clustered anew for every size, which is slow for many.
MOST_ANCHORS = 95
# Of larger panels a seeded sample of models makes the curve, and the page says so.
MOST_MODELS = 1000
CEILING = 0.95
# Above this missing share random items are also scored by ability, at these sizes.
MANY_GAPS = 0.05
COMPARED = (10, 20, 40, 80)
# Bumped whenever what is measured changes, so that old results are not mixed in.
EDITION = 3


def main(argv=None):
    args = _parse(argv)
    args.cache.mkdir(parents=True, exist_ok=True)
    results, failed = [], []
    for name in _names(args.data, args.only):
        path = args.cache / f"{name}.json"
        result = _kept(path)
        if result is None:
            started = time.perf_counter()
            print(f"{name}: measuring", flush=True)
            try:
                result = measure(args.data, name, args.n_jobs)
            except Exception as error:
                # One bad file must not cost the results of the others.
                print(f"{name}: FAILED, {error!r}", file=sys.stderr, flush=True)
                failed.append(name)
                continue
            path.write_text(json.dumps(result, indent=1))
            print(f"{name}: {time.perf_counter() - started:.0f} s", flush=True)
        if result:
            results.append(result)
    if not args.only:
        write_page(args.output, results, failed)
        print(f"{len(results)} data sets, written to {args.output}")
    return 1 if failed else 0


def _parse(argv):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="folder (default: $SKIRT_DATA)")
    parser.add_argument("--cache", type=Path, default=Path("real_data_cache"))
    parser.add_argument(
        "--output",
        type=Path,
        default=Path(__file__).resolve().parents[2] / "docs" / "real_data.md",
    )
    parser.add_argument("--only", action="append", help="this set; no page is written")
    parser.add_argument("--n-jobs", type=int, default=1)
    args = parser.parse_args(argv)
    if args.data is None and os.environ.get("SKIRT_DATA"):
        args.data = Path(os.environ["SKIRT_DATA"])
    if args.data is None:
        parser.error("no data: pass --data FOLDER or set SKIRT_DATA")
    if not args.data.is_dir():
        parser.error(f"{args.data} is no folder")
    return args


def _names(folder, only):
    table = folder / "datasets.csv"
    if table.exists():
        names = list(pd.read_csv(table)["name"])
    else:
        files = (path.name.removesuffix(".csv.gz") for path in folder.glob("*.csv.gz"))
        names = sorted(name for name in files if "." not in name)
    unknown = set(only or ()) - set(names)
    if unknown or not names:
        raise SystemExit(f"{folder} has no data set {sorted(unknown) or ''}")
    return [name for name in names if not only or name in only]


def _kept(path):
    if not path.exists():
        return None
    result = json.loads(path.read_text())
    return result if not result or result["edition"] == EDITION else None


def measure(folder, name, n_jobs):
    """Measure one data set; empty if it has too few models."""
    X = pd.read_csv(folder / f"{name}.csv.gz", index_col=0)
    if len(X) < FEWEST_MODELS:
        return {}
    bank, caught = _with_warnings(lambda: TwoPLEstimator().fit(X))
    mean_score = X.mean(axis=1).to_numpy()
    full_score = full_benchmark_score(X, bank=bank)
    groups = groups_of(X.index.astype(str))
    population = population_moments(
        X.to_numpy(dtype=float), bank.discrimination_, bank.intercept_
    )
    print(f"{name}: calibrated {X.shape} in {bank.n_iter_} steps", flush=True)
    return {
        "edition": EDITION,
        "name": name,
        "models": len(X),
        "groups": None if groups is None else len(set(groups)),
        "items": X.shape[1],
        "missing": float(X.isna().to_numpy().mean()),
        "cv": discrimination_cv(bank),
        "cv_corrected": discrimination_cv(bank, corrected=True),
        "converged": bool(bank.converged_),
        "steps": int(bank.n_iter_),
        "warnings": caught,
        "flags": {key: int(n) for key, n in bank.item_flags_.sum().items()},
        "rho": agreement_score(mean_score, bank.ability_),
        "population": population,
        "evidence": evidence(folder, name, X, bank, full_score, groups),
        "ceiling": ceiling(mean_score, bank.ability_, bank.ability_se_total_),
        "curve": curves(X, full_score, groups, n_jobs),
        "random_ability": random_by_ability(X, full_score, groups, n_jobs),
    }


def _with_warnings(work):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        out = work()
    return out, [f"{w.category.__name__}: {w.message}" for w in caught]


def groups_of(names):
    """Return each row's model where names tell of variants of one, else None.

    Variants are called ``model|variant``, or ``model_N`` and ``model_best`` for
    checkpoints where all rows are named so.
    """
    if any("|" in name for name in names):
        return [name.split("|")[0] for name in names]
    parts = [re.fullmatch(r"(.+)_(\d+|best)", name) for name in names]
    if all(parts):
        models = [part[1] for part in parts]
        if len(set(models)) < len(models):
            return models
    return None


def population_moments(X, discrimination, intercept):
    """Mean and SD of the population by plain integration, row by row.

    The SD is sqrt(variance of the posterior means + mean posterior variance).
    """
    moments = np.array([_posterior(x, discrimination, intercept) for x in X])
    mean, variance = moments.T
    return [float(mean.mean()), float(np.sqrt(mean.var() + variance.mean()))]


def _posterior(x, discrimination, intercept, points=101):
    """Posterior mean and variance of one model's ability, prior N(0, 1)."""
    seen = ~np.isnan(x)
    x, a, d = x[seen], discrimination[seen], intercept[seen]
    low, high = -30.0, 30.0
    for _ in range(12):
        theta = np.linspace(low, high, points)
        log_density = theta * (x @ a) + x @ d - theta**2 / 2
        log_density -= np.logaddexp(0, np.outer(theta, a) + d).sum(axis=1)
        log_density -= log_density.max()
        # The density is log-concave: what matters is one interval. Close in on it.
        near = np.flatnonzero(log_density > -40)
        if len(near) > points / 2:
            break
        low = theta[max(near[0] - 1, 0)]
        high = theta[min(near[-1] + 1, points - 1)]
    density = np.exp(log_density)
    density /= density.sum()
    mean = density @ theta
    return mean, density @ (theta - mean) ** 2


def ceiling(score, ability, se):
    """How far the models above the ceiling can be told from one another."""
    top = np.flatnonzero(score > CEILING)
    top = top[np.argsort(ability[top], kind="stable")]
    ability, se = ability[top], se[top]
    apart = np.abs(ability[:, None] - ability) > 1.96 * np.hypot(se[:, None], se)
    return {
        "models": len(top),
        "range": [float(ability.min()), float(ability.max())] if len(top) else None,
        "pairs": len(top) * (len(top) - 1) // 2,
        "apart": int(np.triu(apart, 1).sum()),
        "neighbours_apart": int(np.diagonal(apart, 1).sum()) if len(top) else 0,
    }


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
        curve, caught = _with_warnings(
            lambda: agreement_curve(fast, X, y, k=sizes, groups=groups, n_jobs=n_jobs)
        )
        few = [k for k in sizes if k <= MOST_ANCHORS]
        anchors, more = _with_warnings(
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


def random_by_ability(X, y, groups, n_jobs):
    """Agreement of random items scored by ability, where there are many gaps.

    The mean of what was observed then compares models on different items, also in a
    random subset: this tells apart what the choice and what the score contribute.
    """
    if not MANY_GAPS < X.isna().to_numpy().mean():
        return None
    X, y, groups = sample_models(X.to_numpy(dtype=float), y, groups)
    by_ability = Pipeline(
        [("select", RandomSubsetSelector()), ("ability", TwoPLEstimator())]
    )
    curve, _ = _with_warnings(
        lambda: agreement_curve(
            {"random": by_ability},
            X,
            y,
            k=COMPARED,
            groups=groups,
            n_bootstrap=0,
            n_jobs=n_jobs,
        )
    )
    table = curve.to_frame()
    return {
        str(k): plain(mean) for k, mean in zip(table["k"], table["mean"], strict=True)
    }


def sample_models(X, y, groups):
    """Draw at most MOST_MODELS rows."""
    if len(X) <= MOST_MODELS:
        return X, y, groups
    rows = np.random.default_rng(0).permutation(len(X))[:MOST_MODELS]
    return X[rows], y[rows], None if groups is None else np.asarray(groups)[rows]


def splits_won(curve):
    """In how many splits Fisher's items beat random ones, ties as half, by size."""
    wide = curve.split_scores.pivot(
        index=["k", "split"], columns="method", values="score"
    )
    gain = wide["fisher marginal"] - wide["random"]
    won = ((gain > 0) + 0.5 * (gain == 0)).groupby(level="k").sum()
    return {int(k): float(n) for k, n in won.items()}


if __name__ == "__main__":
    sys.exit(main())
