"""Compare rank-optimal selection with all other selectors and write its page.

Every set of FOLDER with at least 20 independent models is split in random halves,
variants of a model together. Each method chooses on the one half and ranks the other;
all see the same splits. Where the names tell who made the models there are splits by
maker too: none has models on both sides. Run it with::

    python examples/benchmarks/rank_selection.py --data FOLDER --splits 3

FOLDER is as for `real_data_table.py`. Results are kept, one file for each set and
split, in the folder ``--cache``: a run that was stopped resumes, and more splits add to
those that are there. ``--minutes`` stops after so much processor time.
``--maker-splits`` is the number of splits by maker, ``--panels`` that of simulated
panels.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np
import pandas as pd
from _rank_methods import evaluate
from _rank_page import write_page
from _rank_sets import FEWEST_GROUPS, read_set
from _rank_simulated import evaluate_simulated
from _rank_time import measure_selection
from sklearn.model_selection import GroupShuffleSplit

# Bumped whenever what is measured changes, so that old results are not mixed in.
EDITION = 3


def main(argv=None):
    args = _parse(argv)
    args.cache.mkdir(parents=True, exist_ok=True)
    names = args.only or list(pd.read_csv(args.data / "datasets.csv")["name"])
    sets = [read_set(args.data, name, args.models, args.items) for name in names]
    sets = [data for data in sets if data.n_groups >= FEWEST_GROUPS]
    sets = [data for data in sets if data.X.shape[1] > 5]
    # Split by split, so that a run that is stopped has the same number of each set.
    plan = [(data, split, False) for split in range(args.splits) for data in sets]
    plan += [
        (data, split, True)
        for split in range(args.maker_splits)
        for data in sets
        if data.makers is not None
    ]
    results = []
    for data, split, by_maker in plan:
        name = f"maker{split}" if by_maker else f"{split}"
        path = args.cache / f"{data.name}.{args.models}.{args.items}.{name}.json"
        result = _kept(path)
        if result is None:
            if time.process_time() > 60 * args.minutes:
                continue
            result = {"by_maker": by_maker, **_measure(data, split, by_maker)}
            path.write_text(json.dumps(result))
            print(f"{data.name}, split {name}: {result['cpu']:.0f} s", flush=True)
        results.append(result)
    write_page(args.output, results, _simulated(args), _timed(args), args)
    print(f"written to {args.output}")


def _simulated(args):
    """Results of the simulated panels, kept one file each."""
    results = []
    for seed in range(args.panels):
        path = args.cache / f"simulated.{seed}.json"
        result = _kept(path)
        if result is None:
            if time.process_time() > 60 * args.minutes:
                break
            result = {"edition": EDITION, **evaluate_simulated(seed)}
            path.write_text(json.dumps(result))
        results.append(result)
    return results


def _timed(args):
    """What the choice costs, kept in a file."""
    path = args.cache / "time.json"
    result = _kept(path)
    if result is None:
        result = {"edition": EDITION, "rows": measure_selection()}
        path.write_text(json.dumps(result))
    return result["rows"]


def _measure(data, split, by_maker):
    started = time.process_time()
    if by_maker:
        train, test = _halves_by_maker(data.makers, split)
    else:
        halves = GroupShuffleSplit(split + 1, test_size=0.5, random_state=0)
        train, test = list(halves.split(data.X, groups=data.groups))[split]
    records = evaluate(data, train, test, split)
    return {
        "edition": EDITION,
        "set": data.name,
        "split": split,
        "shape": data.shape,
        "used": data.X.shape,
        "groups": data.n_groups,
        "missing": float(np.isnan(data.X).mean()),
        "records": records,
        "cpu": time.process_time() - started,
    }


def _halves_by_maker(makers, seed):
    """Draw makers until they have half of the models; those models choose."""
    drawn = np.random.default_rng(seed).permutation(np.unique(makers))
    sizes = np.array([(makers == maker).sum() for maker in drawn])
    before = np.cumsum(sizes) - sizes
    inside = np.isin(makers, drawn[before < len(makers) / 2])
    return np.flatnonzero(inside), np.flatnonzero(~inside)


def _kept(path):
    if not path.exists():
        return None
    result = json.loads(path.read_text())
    return result if result["edition"] == EDITION else None


def _parse(argv):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--cache", type=Path, default=Path("rank_selection_cache"))
    parser.add_argument("--splits", type=int, default=20)
    parser.add_argument("--maker-splits", type=int, default=4)
    parser.add_argument("--panels", type=int, default=80)
    parser.add_argument("--models", type=int, default=300, help="most rows of a set")
    parser.add_argument("--items", type=int, default=2000, help="most items of a set")
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--only", action="append", help="this set")
    parser.add_argument(
        "--output",
        type=Path,
        default=Path(__file__).resolve().parents[2] / "docs" / "rank_selection.md",
    )
    return parser.parse_args(argv)


if __name__ == "__main__":
    main()
