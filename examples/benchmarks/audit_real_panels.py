"""Audit every real panel of several benchmarks: what do the dimensions turn out to be?

    python audit_real_panels.py --data FOLDER [--page FILE] [--pictures FOLDER]
                                [--only NAME ...]

FOLDER holds ``NAME.csv.gz`` (rows are models, the first column is their name, every
other an item with 1, 0 or empty) and ``NAME.items.csv``. The panel of classifiers that
comes with skirt is audited too. Sets are read as by `held_out_cells.py`: polarity
recoded, at most 1,500 items, rows that are variants of one model grouped. Nothing says
what these benchmarks ought to measure, so that there are no targets to contradict.
"""

import argparse
import time
import warnings
from pathlib import Path

import numpy as np
from _held_out_sets import RECIPES, read_panel

from skirt.audit import benchmark_audit

# What the audit cannot be asked of: too few groups of models to resample.
_FEWEST_GROUPS = 8


def audited(panel, n_jobs):
    """Return the audit, its warnings and its seconds."""
    started = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        audit = benchmark_audit(
            panel.X, panel.items, by=panel.recipe.by, groups=panel.groups, n_jobs=n_jobs
        )
    told = list(dict.fromkeys(str(w.message) for w in caught))
    return audit, told, time.perf_counter() - started


def section(panel, audit, told, seconds):
    """What the page says of one set."""
    table, names = audit.benchmarks, list(audit.dimensions.index)
    phi = audit.estimator_.ability_correlation_
    means = panel.X.mean(axis=1)
    ability = audit.estimator_.ability_
    with_mean = [np.corrcoef(means, column)[0, 1] for column in ability.T]
    share = audit.estimator_.explained_share_
    lines = [
        f"## {panel.name}",
        "",
        f"{panel.recipe.note} {len(panel.X)} models"
        + (f" in {panel.n_groups} groups" if panel.groups is not None else "")
        + f", {panel.X.shape[1]:,} items, {panel.X.isna().to_numpy().mean():.1%} "
        f"missing; {seconds:.0f} s.",
        "",
        f"The abilities correlate {phi[0, 1]:.2f}; they explain "
        + " and ".join(f"{s:.0%}" for s in share)
        + " of the common variance, and correlate "
        + " and ".join(f"{r:.2f}" for r in with_mean)
        + " with the models' mean scores.",
        "",
        f"| {panel.recipe.by} | items | mean score | "
        + " | ".join(f"r with {name}" for name in names)
        + " | purity | split | verdict |",
        "| --- " * (6 + len(names)) + "|",
    ]
    for label, row in table.iterrows():
        correlations = " | ".join(f"{row[f'correlation_{name}']:.2f}" for name in names)
        lines.append(
            f"| {label} | {row['n_items']} | {row['mean_score']:.2f} | {correlations} "
            f"| {row['purity']:.2f} | {'yes' if row['split'] else ''} "
            f"| {row['verdict']} |"
        )
    lines += ["", *[f"* {text}" for text in told]]
    return lines


def draw(panel, audit, folder):
    """Draw the benchmarks by abilities, and the items in the plane."""
    import matplotlib.pyplot as plt

    from skirt.plotting import BenchmarkHeatmapDisplay, ItemScatterDisplay

    stem = panel.name.replace(" ", "_").replace(",", "")
    for kind, display in (
        ("benchmarks", BenchmarkHeatmapDisplay.from_audit(audit)),
        (
            "items",
            ItemScatterDisplay.from_estimator(
                audit.estimator_, panel.items, by=panel.recipe.by
            ),
        ),
    ):
        display.figure_.savefig(folder / f"{stem}-{kind}.png", dpi=110)
        plt.close(display.figure_)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--page", type=Path, help="write the findings to this file")
    parser.add_argument("--pictures", type=Path, help="draw into this folder")
    parser.add_argument("--only", action="append", choices=list(RECIPES))
    parser.add_argument("--n-jobs", type=int, default=1)
    options = parser.parse_args()
    lines = [
        "# Audits of real panels",
        "",
        "Written by `examples/benchmarks/audit_real_panels.py --page FILE`; its",
        "docstring says how the sets are read. Correlations are those of each",
        "benchmark's score with abilities that the *other* benchmarks' items show.",
    ]
    for name in options.only or RECIPES:
        panel = read_panel(options.data, name)
        if panel.n_groups < _FEWEST_GROUPS or panel.X.shape[0] < 10:
            lines += [
                "",
                f"## {name}",
                "",
                f"Not audited: {panel.n_groups} groups of models are too few.",
            ]
            continue
        audit, told, seconds = audited(panel, options.n_jobs)
        print(f"{name}: {seconds:.0f} s", flush=True)
        lines += ["", *section(panel, audit, told, seconds)]
        if options.pictures:
            options.pictures.mkdir(parents=True, exist_ok=True)
            draw(panel, audit, options.pictures)
        if options.page:
            options.page.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
