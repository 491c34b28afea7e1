"""Measure predictions of the full score from 100 items, and write their page.

Every set of FOLDER with at least 500 items is split in random halves of its models,
families whole. Each method chooses items on the one half and predicts, from their
answers to these items alone, the full-benchmark scores of the other. Run it with::

    python examples/benchmarks/predicted_score.py --data FOLDER --page PAGE

FOLDER is as for `real_data_table.py`. Results are kept, one file for each set, split
and part of the methods, in the folder ``--cache``: a run that was stopped resumes, and
more splits add to those that are there. ``--minutes`` stops after so much processor
time.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np
import pandas as pd
from _predicted_methods import PARTS, predictions
from _predicted_page import write_page
from _rank_sets import read_set
from sklearn.model_selection import GroupShuffleSplit

FEWEST_ITEMS = 500
SIZES = (50, 100, 200)
# Models with more gaps have no full score to compare with; they still calibrate.
MOST_MISSING = 0.01
# Bumped whenever what is measured changes, so that old results are not mixed in.
EDITIONS = {"random": 1, "polo": 2, "rank": 2, "auto": 2, "command": 3}


def main(argv=None):
    args = _parse(argv)
    args.cache.mkdir(parents=True, exist_ok=True)
    table = pd.read_csv(args.data / "datasets.csv")
    names = args.only or list(table["name"][table["items"] >= FEWEST_ITEMS])
    sets = [read_set(args.data, name, args.models, args.items) for name in names]
    results = []
    # Split by split, so that a run that is stopped has the same number of each set.
    for split in range(args.splits):
        for data in sets:
            for part in args.part or PARTS:
                result = _result(data, split, part, args)
                if result is not None:
                    results.append(result)
    if args.page:
        write_page(args.page, results, args)
        print(f"written to {args.page}")


def _result(data, split, part, args):
    path = args.cache / f"{data.name}.{args.models}.{args.items}.{split}.{part}.json"
    if path.exists():
        result = json.loads(path.read_text())
        if result["edition"] == EDITIONS[part]:
            return result
    if time.process_time() > 60 * args.minutes:
        return None
    started = time.process_time()
    groups = data.groups if data.n_groups > 1 else np.arange(len(data.X)).astype(str)
    halves = GroupShuffleSplit(split + 1, test_size=0.5, random_state=0)
    train, test = list(halves.split(data.X, groups=groups))[split]
    test = test[np.isnan(data.X[test]).mean(axis=1) <= MOST_MISSING]
    found = predictions(part, data.X[train], groups[train], data.X[test], SIZES, split)
    result = {
        "edition": EDITIONS[part],
        "set": data.name,
        "split": split,
        "part": part,
        "shape": data.shape,
        "groups": len(set(groups)),
        "trained": [len(train), len(set(groups[train]))],
        "used": data.X.shape,
        "missing": float(np.isnan(data.X).mean()),
        "models": test.tolist(),
        "score": data.y[test].round(5).tolist(),
        "predictions": found,
        "cpu": time.process_time() - started,
    }
    path.write_text(json.dumps(result))
    print(f"{data.name}, split {split}, {part}: {result['cpu']:.1f} s", flush=True)
    return result


def _parse(argv):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--cache", type=Path, default=Path("predicted_score_cache"))
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--models", type=int, default=300, help="most rows of a set")
    parser.add_argument("--items", type=int, default=4000, help="most items of a set")
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--only", action="append", help="this set")
    parser.add_argument("--part", action="append", choices=PARTS, help="this part")
    parser.add_argument("--page", type=Path, help="write the page there")
    return parser.parse_args(argv)


if __name__ == "__main__":
    main()
