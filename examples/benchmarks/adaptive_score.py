"""Adaptive tests for the full-benchmark score, on real response matrices.

Half of the models calibrate, the others are tested; agreement is Spearman's rho of the
predictions with the full-benchmark score. Run it with::

    python examples/benchmarks/adaptive_score.py --data FOLDER --page docs/x.md

FOLDER is as for `real_data_table.py`. Results are kept, one file for each set and
split, in the folder ``--cache``.
"""

import argparse
import json
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from _rank_sets import FEWEST_GROUPS, read_set
from _real_data_format import number, table
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GroupShuffleSplit

from skirt import FisherSubsetSelector, FluidBenchmark, MultidimIRT, TwoPLEstimator
from skirt.metrics import agreement_score

# Bumped whenever what is measured changes, so that old results are not mixed in.
EDITION = 1
SIZES = (5, 10, 20, 50)
ERROR_SIZE = 20
DRAWS = 2000

# Name: bank (abilities), criterion, what is predicted.
TESTS = {
    "fisher": (1, "fisher", "auto"),
    "fisher, score": (1, "fisher", "score"),
    "mei": (1, "mei", "score"),
    "score": (1, "score", "score"),
    "rank": (1, "rank", "score"),
    "random, 3": (3, "random", "score"),
    "a_optimal, 3": (3, "a_optimal", "score"),
    "rank, 3": (3, "rank", "score"),
}
FIXED = "fixed rank, 3"

TEXT = """# Adaptive tests for the full-benchmark score

`FluidBenchmark(criterion="rank")` and `"score"` beside tests of the abilities, and
beside the same items for all models. Written by
`examples/benchmarks/adaptive_score.py`; to make it again, run

    python examples/benchmarks/adaptive_score.py --data FOLDER --page PAGE

**Protocol.** Random half splits of the models of each set with at least 20 independent
ones (families whole), {splits} for each; of larger sets a seeded sample of {models}
models and {items:,} items. One half calibrates a bank of one ability and one of three,
the other is tested, by replay. Agreement is Spearman's rho with the full-benchmark
score (gaps as expected under one ability). Everything else has its defaults; nothing
was tuned to these sets. {minutes} minutes of one core.

**Methods.** "fisher", the default, ranks by ability; all others by the expected
full-benchmark score. Names with ", 3" have the bank of three abilities; there "rank"
and "score" ask the same items one by one. "{fixed}" is
`FisherSubsetSelector(criterion="rank")` under the same bank: one choice for all models.

## Mean over the sets

Agreement by number of items (of sets with more), and the mean absolute error of the
predicted score after {size} items, in points of 100.
{summary}
## Against the tests of abilities

Mean over sets and sizes of the paired difference in agreement, with 95 % intervals by
resampling the sets.
{against}
## Every set, after {size} items
{by_set}"""

PAIRS = (
    ("score", "fisher, score"),
    ("rank", "score"),
    ("mei", "fisher, score"),
    ("rank, 3", "a_optimal, 3"),
    ("rank, 3", "rank"),
    ("rank, 3", "fisher"),
    ("rank, 3", FIXED),
)


def main(argv=None):
    args = _parse(argv)
    args.cache.mkdir(parents=True, exist_ok=True)
    names = args.only or list(pd.read_csv(args.data / "datasets.csv")["name"])
    with warnings.catch_warnings():
        # Priors at their bound and the like: `real_data_table.py` tells of them.
        warnings.simplefilter("ignore")
        sets = [read_set(args.data, name, args.models, args.items) for name in names]
    sets = [data for data in sets if data.n_groups >= FEWEST_GROUPS]
    sets = [data for data in sets if data.X.shape[1] > SIZES[0]]
    results = []
    for split in range(args.splits):
        for data in sets:
            path = args.cache / f"{data.name}.{args.models}.{args.items}.{split}.json"
            kept = json.loads(path.read_text()) if path.exists() else {}
            if kept.get("edition") != EDITION:
                kept = _measure(data, split)
                path.write_text(json.dumps(kept))
                print(f"{data.name}, split {split}: {kept['cpu']:.0f} s", flush=True)
            results.append(kept)
    args.page.write_text(_page(results, args))
    print(f"written to {args.page}")


def _measure(data, split):
    started = time.process_time()
    halves = GroupShuffleSplit(split + 1, test_size=0.5, random_state=0)
    train, test = list(halves.split(data.X, groups=data.groups))[split]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        records = list(_records(data, train, test))
    return {
        "edition": EDITION,
        "records": [{"set": data.name, "split": split, **row} for row in records],
        "cpu": time.process_time() - started,
    }


def _records(data, train, test):
    X, known = data.X[test], data.y[test]
    sizes = [k for k in SIZES if k < X.shape[1]]
    several = MultidimIRT(3, rotation=None, integration="variational", tol=0.05)
    banks = {
        1: FrozenEstimator(TwoPLEstimator().fit(data.X[train])),
        3: FrozenEstimator(several.fit(data.X[train])),
    }
    found = {}
    for name, (n_abilities, criterion, ranking) in TESTS.items():
        bench = FluidBenchmark(
            banks[n_abilities],
            n_items=sizes[-1],
            criterion=criterion,
            ranking=ranking,
            random_state=0,
        ).fit(data.X[train])
        found[name] = bench.predict_path(X, sizes)
    fixed = FisherSubsetSelector(sizes[-1], criterion="rank", estimator=banks[3])
    fixed.fit(data.X[train], groups=data.groups[train])
    found[FIXED] = [fixed.truncate(k).predict(X) for k in sizes]
    for name, predictions in found.items():
        for k, predicted in zip(sizes, predictions, strict=True):
            error = None
            if name != "fisher":
                error = float(100 * np.abs(predicted - known).mean())
            rho = agreement_score(known, predicted)
            yield {"method": name, "k": k, "rho": float(rho), "error": error}


def _page(results, args):
    rows = pd.DataFrame([row for result in results for row in result["records"]])
    cells = rows.groupby(["set", "k", "method"])[["rho", "error"]].mean()
    rho = cells["rho"].unstack("method")
    methods = [*TESTS, FIXED]
    sizes = [k for k in SIZES if k in rho.index.get_level_values("k")]
    by_size = rho.groupby("k").mean()
    error = _at_size(cells["error"].unstack("method"))
    summary = [
        [name, *(number(by_size.loc[k, name], 3) for k in sizes)]
        + ["" if name == "fisher" else number(error[name].mean(), 2)]
        for name in methods
    ]
    at_size = _at_size(rho)
    by_set = [
        [f"`{name}`", *(number(at_size.loc[name, m], 3) for m in methods)]
        for name in at_size.index
    ]
    return TEXT.format(
        splits=args.splits,
        models=args.models,
        items=args.items,
        minutes=f"{sum(result['cpu'] for result in results) / 60:.0f}",
        fixed=FIXED,
        size=ERROR_SIZE,
        summary=table(["method", *(f"k = {k}" for k in sizes), "error"], summary),
        against=table(
            ["method", "against", "difference", "95 % interval", "sets ahead"],
            [[one, other, *_difference(rho[one] - rho[other])] for one, other in PAIRS],
        ),
        by_set=table(["data set", *methods], by_set),
    )


def _at_size(cells):
    """The rows of `ERROR_SIZE` items; none of shorter benchmarks."""
    return cells[cells.index.get_level_values("k") == ERROR_SIZE].droplevel("k")


def _difference(apart):
    """Mean over sets of their means over sizes, its interval, and the share above 0."""
    of_set = apart.groupby("set").mean().to_numpy()
    rng = np.random.default_rng(0)
    drawn = of_set[rng.integers(len(of_set), size=(DRAWS, len(of_set)))].mean(axis=1)
    low, high = np.quantile(drawn, [0.025, 0.975])
    return (
        number(of_set.mean(), 3),
        f"{number(low, 3)} to {number(high, 3)}",
        f"{(of_set > 0).sum()} of {len(of_set)}",
    )


def _parse(argv):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--cache", type=Path, default=Path("adaptive_score_cache"))
    parser.add_argument("--page", type=Path, required=True)
    parser.add_argument("--splits", type=int, default=2)
    parser.add_argument("--models", type=int, default=150, help="most rows of a set")
    parser.add_argument("--items", type=int, default=1000, help="most items of a set")
    parser.add_argument("--only", action="append", help="this set")
    return parser.parse_args(argv)


if __name__ == "__main__":
    main()
