"""Measure what adaptive tests save on real and simulated panels; write a page of it.

For every data set with at least 20 models: how many items rank held-out models as the
whole benchmark does, adaptively and by each fixed subset, the items calibrated on the
training models alone. Then the same on simulated panels whose items differ more and
more in discrimination.

Run it with::

    python examples/benchmarks/adaptive_saving.py --data FOLDER

FOLDER is as for ``real_data_table.py``. Results are kept one file a data set in the
folder ``--cache``, so that a run that was stopped resumes.
"""

import argparse
import json
import os
import sys
from pathlib import Path

import pandas as pd
from _adaptive_saving_curves import CVS, real_curves, simulated_curves
from _adaptive_saving_page import write_page
from _real_data_curves import with_warnings
from real_data_table import FEWEST_MODELS, groups_of

from skirt import TwoPLEstimator
from skirt.metrics import discrimination_cv, full_benchmark_score

# Bumped whenever what is measured changes, so that old results are not mixed in.
EDITION = 2


def main(argv=None):
    args = _parse(argv)
    args.cache.mkdir(parents=True, exist_ok=True)
    real = []
    for name in pd.read_csv(args.data / "datasets.csv")["name"]:
        settings = {"edition": EDITION, "asked_splits": args.splits}
        result = _kept(
            args.cache / f"{name}.json",
            settings,
            lambda name=name: measure(args.data, name, args.splits),
        )
        if result["models"] >= FEWEST_MODELS:
            real.append(result)
    settings = {
        "edition": EDITION,
        "panels": args.panels,
        "splits": args.panel_splits,
    }
    simulated = [
        _kept(
            args.cache / f"cv_{cv}.json",
            settings,
            lambda cv=cv: simulated_curves(cv, args.panels, args.panel_splits),
        )
        for cv in CVS
    ]
    write_page(args.output, real, simulated)
    print(f"{len(real)} data sets, written to {args.output}")


def measure(folder, name, splits):
    """Measure one data set; only its size if it has too few models."""
    X = pd.read_csv(folder / f"{name}.csv.gz", index_col=0)
    if len(X) < FEWEST_MODELS:
        return {"name": name, "models": len(X)}
    # The whole panel fills the gaps of the score, and tells the CV; no more.
    bank, _ = with_warnings(lambda: TwoPLEstimator().fit(X))
    y = full_benchmark_score(X, bank=bank)
    return {
        "name": name,
        "missing": float(X.isna().to_numpy().mean()),
        "cv": discrimination_cv(bank, corrected=True),
        **real_curves(X, y, groups_of(X.index.astype(str)), splits),
    }


def _kept(path, settings, measured):
    """Return the result in the file, or measure it and keep it there."""
    if path.exists():
        result = json.loads(path.read_text())
        if all(result.get(key) == value for key, value in settings.items()):
            return result
    print(f"{path.stem}: measuring", flush=True)
    result = measured() | settings
    path.write_text(json.dumps(result, indent=1))
    return result


def _parse(argv):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="folder (default: $SKIRT_DATA)")
    parser.add_argument(
        "--splits", type=int, default=50, help="half splits of each set"
    )
    parser.add_argument("--panels", type=int, default=3, help="simulated, of each CV")
    parser.add_argument("--panel-splits", type=int, default=4)
    parser.add_argument("--cache", type=Path, default=Path("adaptive_saving_cache"))
    parser.add_argument(
        "--output",
        type=Path,
        default=Path(__file__).resolve().parents[2] / "docs" / "adaptive_saving.md",
    )
    args = parser.parse_args(argv)
    if args.data is None and os.environ.get("SKIRT_DATA"):
        args.data = Path(os.environ["SKIRT_DATA"])
    if args.data is None or not (args.data / "datasets.csv").is_file():
        parser.error("no data: pass --data FOLDER, with a datasets.csv in it")
    return args


if __name__ == "__main__":
    sys.exit(main())
