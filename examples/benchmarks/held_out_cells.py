"""Hold out cells of real response matrices: does MultidimIRT say more than the means?

Every set of several benchmarks in a folder, and the panel of classifiers that comes
with skirt: a fifth of each model's answers is held out at a time and predicted by
`MultidimIRT` with 1 to 4 components and by the baselines of `cross_val_responses`.
Where there are enough models, `GridSearchCV` chooses the number of components on
held-out models too.

Run it with::

    python examples/benchmarks/held_out_cells.py --data FOLDER --page FILE

FOLDER holds ``NAME.csv.gz`` (rows are models, the first column is their name, every
other an item with 1, 0 or empty) and ``NAME.items.csv``. Results are kept one file a
set in the folder ``--cache``, so that a run that was stopped resumes.
"""

import argparse
import json
import os
import sys
import time
from pathlib import Path

from _held_out_measures import measure
from _held_out_page import write_page
from _held_out_sets import RECIPES, read_panel

# Bumped whenever what is measured changes, so that old results are not mixed in.
EDITION = 1


def main(argv=None):
    args = _parse(argv)
    args.cache.mkdir(parents=True, exist_ok=True)
    results, failed = [], []
    for name in args.only or RECIPES:
        path = args.cache / f"{name}.json"
        result = json.loads(path.read_text()) if path.exists() else {}
        if result.get("edition") != EDITION:
            started = time.perf_counter()
            try:
                result = measure(read_panel(args.data, name), args.n_jobs)
            except Exception as error:
                # One bad file must not cost the results of the others.
                print(f"{name}: FAILED, {error!r}", file=sys.stderr, flush=True)
                failed.append(name)
                continue
            result["edition"] = EDITION
            path.write_text(json.dumps(result, indent=1))
            print(f"{name}: {time.perf_counter() - started:.0f} s", flush=True)
        results.append(result)
        _report(result)
    if args.page:
        write_page(args.page, results, failed)
        print(f"{len(results)} sets, written to {args.page}")
    return 1 if failed else 0


def _report(result):
    for average in ("macro", "micro"):
        baseline = result["baselines"][average]
        loss = result["summary"][average][baseline]["log_loss"]
        print(f"  {average}: {baseline} {loss:.4f}", end="")
        for method, (value, low, high) in result["differences"][average].items():
            print(f"; {method} {value:+.4f} [{low:+.4f}, {high:+.4f}]", end="")
        print()
    grid = result["grid"]
    print(f"  picked without each fold: {', '.join(result['picks'])}")
    if grid is not None:
        scores = ", ".join(f"{score:.4f}" for score in grid["scores"])
        print(f"  on held-out models: {grid['picked']} components ({scores})")
    grid_warnings = [] if grid is None else grid["warnings"]
    for warning in [*result["warnings"], *grid_warnings]:
        print(f"  {warning}")
    sys.stdout.flush()


def _parse(argv):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="folder (default: $SKIRT_DATA)")
    parser.add_argument("--cache", type=Path, default=Path("held_out_cache"))
    parser.add_argument("--page", type=Path, help="write the figures to this file")
    parser.add_argument("--only", action="append", choices=list(RECIPES))
    parser.add_argument("--n-jobs", type=int, default=1)
    args = parser.parse_args(argv)
    if args.data is None and os.environ.get("SKIRT_DATA"):
        args.data = Path(os.environ["SKIRT_DATA"])
    if args.data is None:
        parser.error("no data: pass --data FOLDER or set SKIRT_DATA")
    if not args.data.is_dir():
        parser.error(f"{args.data} is no folder")
    return args


if __name__ == "__main__":
    sys.exit(main())
