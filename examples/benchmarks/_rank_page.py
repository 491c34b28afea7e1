"""The page of `rank_selection.py`."""

import numpy as np
import pandas as pd
from _rank_differences import (
    against_best,
    interval,
    items_needed,
    shrunken,
    worst_again,
)
from _rank_methods import COMPETITORS, MEAN_DRAWS, OURS, PREDICTED_SIZE, RIDGE_DRAWS
from _rank_simulated import SIMULATED_METHODS
from _rank_text import (
    COST,
    DERIVATION,
    GAINS,
    LOSES,
    MAKERS,
    NEEDED,
    PREDICTION,
    PROTOCOL,
    RIVAL,
    SIMULATED,
    TABLES,
)
from _real_data_format import number, table

METHODS = [*COMPETITORS, *OURS]
# The agreement that "items needed" asks for.
TARGET = 0.9
# Where no such method reaches it by so many items, ours should need half of the best.
SIMPLE = ("random", "random + ridge", "total", "marginal", "stratified")
LATE, HALF, NEARLY = 50, 0.5, 1.1
# Panels of at most so many independent models are few, to choose and to rank.
FEW = 45
# No agreement counts as more than this on Fisher's z scale.
HIGHEST = 0.999
# A cell counts as not behind within this.
NEAR = 0.01
PREDICTORS = ("random", "random + ridge", "anchor points", "p-IRT", *OURS)


def write_page(path, results, panels, times, args):
    """Write the page from the results of all sets, splits, simulated panels, times."""
    random = [result for result in results if not result["by_maker"]]
    cells = _cells(random)
    groups = {result["set"]: result["groups"] for result in random}
    text = DERIVATION + _simulated(panels) + LOSES + _protocol(random, args) + TABLES
    text += _summary(cells) + _by_size(cells) + _against_rival(cells, groups)
    text += _needed(cells) + _by_maker(results) + _by_set(cells)
    text += PREDICTION + _predicted(cells) + _cost(times)
    path.write_text(text)


def _cells(results):
    rows = [
        {"set": result["set"], "split": result["split"], **record}
        for result in results
        for record in result["records"]
    ]
    return pd.DataFrame(rows)


def _simulated(panels):
    """Agreement on simulated panels, by the number of models and of items."""
    if not panels:
        return ""
    rows = [
        {"seed": panel["seed"], "models": panel["models"], **record}
        for panel in panels
        for record in panel["records"]
    ]
    wide = pd.DataFrame(rows).pivot(
        index=["models", "k", "seed"], columns="method", values="rho"
    )
    wide = wide[list(SIMULATED_METHODS)]
    by_cell = wide.groupby(level=["models", "k"])
    behind = wide.sub(wide["marginal"], axis=0).groupby(level=["models", "k"])
    low = behind["rank"].quantile(0.1)
    shown = [
        [*cell, *(number(v, 3) for v in own), number(low.loc[cell], 3)]
        for cell, own in by_cell.mean().iterrows()
    ]
    head = ["models", "k", *SIMULATED_METHODS, "rank, 10 %"]
    z = np.arctanh(wide.clip(-HIGHEST, HIGHEST))
    gain = (z["marginal"] - z["rank"]).groupby(level="k").agg(["mean", "std"])
    gains = [
        [k, number(row["mean"], 3), number(row["std"], 3)] for k, row in gain.iterrows()
    ]
    text = SIMULATED.format(panels=len(panels)) + table(head, shown)
    return text + GAINS + table(["k", "mean", "standard deviation"], gains)


def _cost(times):
    """Seconds and memory of the choice of items."""
    if not times:
        return ""
    head = ["items", "marginal", "rank", "rank / marginal", "memory of rank", "auto"]
    rows = [
        [
            f"{row['items']:,}",
            f"{row['marginal']:.2f} s",
            f"{row['rank']:.1f} s",
            f"{row['rank'] / row['marginal']:.0f}",
            f"{row['memory']:.1f}",
            f"{row['auto']:.0f} s",
        ]
        for row in times
    ]
    return COST + table(head, rows)


def _protocol(results, args):
    sets = {result["set"]: result for result in results}
    splits = pd.Series([result["set"] for result in results]).value_counts()
    least, most = splits.min(), splits.max()
    told = f"{least}" if least == most else f"{least} to {most}"
    minutes = sum(result["cpu"] for result in results) / 60
    text = PROTOCOL.format(
        splits=told,
        minutes=f"{minutes:.0f}",
        models=args.models,
        items=args.items,
        draws=MEAN_DRAWS,
        ridges=RIDGE_DRAWS,
    )
    head = ["data set", "models", "groups", "items", "missing", "splits"]
    rows = []
    for name, result in sets.items():
        used, shape = result["used"], result["shape"]
        rows.append(
            [
                f"`{name}`",
                _of(used[0], shape[0]),
                result["groups"],
                _of(used[1], shape[1]),
                f"{100 * result['missing']:.1f} %",
                splits[name],
            ]
        )
    return text + table(head, rows)


def _of(used, whole):
    return f"{used:,}" if used == whole else f"{used:,} of {whole:,}"


def _means(cells):
    """Mean agreement, one row for each set and size, one column for each method."""
    wide = cells.pivot_table(index=["set", "k"], columns="method", values="rho")
    return wide[METHODS]


def _summary(cells):
    means = _means(cells)
    best = means[list(COMPETITORS)].max(axis=1)
    each = cells.pivot(index=["set", "k", "split"], columns="method", values="rho")
    same = (each["auto"] == each["rank"]).mean()
    rows = []
    for method in means:
        low, high = interval(means[method])
        behind = means[method] - best
        rows.append(
            [
                method,
                f"{number(means[method].mean(), 3)} ({number(low, 3)} to "
                f"{number(high, 3)})",
                number((behind >= -NEAR).mean()),
                number(behind.mean(), 3),
                number(behind.min(), 3),
            ]
        )
    head = ["method", "mean agreement", "not behind", "mean behind", "worst cell"]
    return (
        f"\n### All {len(means)} cells (sets times sizes)\n\n"
        "Intervals of 95 % by resampling the sets. The other columns compare with the "
        "best of the seven other methods in each cell *as it turned out*, which no "
        "method can be expected to reach: the share of cells not more than "
        f"{number(NEAR)} behind it, the mean and the worst difference. In "
        f"{same:.0%} of cells and splits `auto` took the design `rank`, or one that "
        "ranks the same.\n" + table(head, rows)
    )


def _by_size(cells):
    means = _means(cells).groupby(level="k").mean()
    rows = [[k, *(number(v, 3) for v in row)] for k, row in means.iterrows()]
    return "\n### By size, mean over the sets\n" + table(["k", *means.columns], rows)


def _by_set(cells):
    means = _means(cells)
    rows = []
    for (name, k), row in means.iterrows():
        best = row[list(COMPETITORS)].max()
        shown = [
            f"**{number(value, 3)}**" if value == row.max() else number(value, 3)
            for value in row
        ]
        worse = number(row["auto"] - best, 3)
        rows.append([f"`{name}`", k, *shown, worse])
    head = ["data set", "k", *METHODS, "auto - best"]
    return "\n### Every cell\n" + table(head, rows)


def _against_rival(cells, groups):
    """Paired differences to the competitor that was best on the other splits."""
    if cells.groupby("set")["split"].nunique().min() < 2:
        return (
            "\nThe comparison with the best other method *as chosen on other splits* "
            "needs two splits of every set, and is left out here.\n"
        )
    differences = against_best(cells, METHODS, COMPETITORS)
    few = differences.index.get_level_values("set").map(groups) <= FEW
    rows = []
    for method in METHODS:
        own = differences[method].groupby(level=["set", "k"]).mean()
        low, high = interval(own)
        true = shrunken(differences[method], groups)
        rows.append(
            [
                method,
                number(own.mean(), 3),
                f"{number(low, 3)} to {number(high, 3)}",
                number(own.min(), 3),
                number(true.min(), 3),
                "`{}`, {}".format(*true.idxmin()),
                number(worst_again(differences[method]), 3),
                *(number(differences[method][some].mean(), 3) for some in (few, ~few)),
            ]
        )
    head = [
        "method",
        "difference",
        "95 % interval",
        "worst cell",
        "shrunken",
        "that is",
        "worst again",
        f"{FEW} models or fewer",
        "more",
    ]
    return RIVAL + table(head, rows)


def _needed(cells):
    """The sizes at which each method reaches the target for good."""
    means = _means(cells)
    needed = means.groupby(level="set").agg(
        lambda own: items_needed(own.droplevel("set"), TARGET)
    )
    rows, late, early = [], [], []
    for name, row in needed.iterrows():
        best = row[list(COMPETITORS)].min()
        hard = not (row[list(SIMPLE)] <= LATE).any()
        allowed = HALF if hard else NEARLY
        # Where nobody gets there, there is nothing to compare.
        if np.isfinite(row[[*COMPETITORS, "auto"]]).any():
            (late if hard else early).append(row["auto"] <= allowed * best)
        least = means.loc[name].index[0]
        shown = [_size(value, least) for value in row]
        ratio = number(row["auto"] / best) if np.isfinite(row["auto"]) else "-"
        rows.append([f"`{name}`", *shown, ratio])
    head = ["data set", *needed.columns, "auto / best"]
    told = NEEDED.format(
        hard=f"{sum(late)} of {len(late)}", easy=f"{sum(early)} of {len(early)}"
    )
    return told + table(head, rows)


def _size(value, least):
    if not np.isfinite(value):
        return "-"
    return f"≤ {least}" if value <= least else f"{value:.0f}"


def _by_maker(results):
    """Agreement on models of makers none of whose models chose."""
    chosen = [result for result in results if result["by_maker"]]
    if not chosen:
        return ""
    cells = _cells(chosen)
    means = _means(cells)
    splits = cells.groupby("set")["split"].nunique()
    rows = []
    for name, own in means.groupby(level="set"):
        shown = [number(value, 3) for value in own.mean()]
        rows.append([f"`{name}`", splits[name], *shown])
    rows.append(["mean", "", *(number(value, 3) for value in means.mean())])
    return MAKERS + table(["data set", "splits", *METHODS], rows)


def _predicted(cells):
    own = cells[cells["k"] == PREDICTED_SIZE]
    errors = own.pivot_table(index="set", columns="method", values="mae")
    if errors.empty:
        return ""
    errors = errors[list(PREDICTORS)]
    coverage = own.pivot_table(index="set", columns="method", values="coverage")
    coverage = coverage[["p-IRT", *OURS]]
    rows = [
        [
            f"`{name}`",
            *(number(100 * value, 2) for value in row),
            *(number(value) for value in coverage.loc[name]),
        ]
        for name, row in errors.iterrows()
    ]
    rows.append(
        [
            "mean",
            *(number(100 * value, 2) for value in errors.mean()),
            *(number(value) for value in coverage.mean()),
        ]
    )
    head = ["data set", *errors.columns]
    return table([*head, *(f"{method}, 90 %" for method in coverage)], rows)
