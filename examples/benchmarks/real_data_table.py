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
import time
from pathlib import Path

import numpy as np
import pandas as pd
from _real_data_curves import curves, variants_split, with_gaps, with_warnings
from _real_data_evidence import evidence
from _real_data_page import write_page

from skirt import TwoPLEstimator
from skirt.metrics import (
    agreement_score,
    discrimination_cv,
    full_benchmark_score,
)

FEWEST_MODELS = 20
CEILING = 0.95
# Bumped whenever what is measured changes, so that old results are not mixed in.
EDITION = 4


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
    bank, caught = with_warnings(lambda: TwoPLEstimator().fit(X))
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
        "with_gaps": with_gaps(X, full_score, groups, n_jobs),
        "variants_split": variants_split(X, full_score, groups, n_jobs),
    }


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


if __name__ == "__main__":
    sys.exit(main())
