"""The page of `rank_selection.py`."""

import numpy as np
import pandas as pd
from _rank_methods import COMPETITORS, MEAN_DRAWS, OURS, PREDICTED_SIZE, RIDGE_DRAWS
from _rank_text import DERIVATION, LOSES, PREDICTION, PROTOCOL, TABLES
from _real_data_format import number, table

DRAWS = 2000
# A cell counts as not behind within this.
NEAR = 0.01
PREDICTORS = ("random", "random + ridge", "anchor points", "p-IRT", *OURS)


def write_page(path, results, args):
    """Write the page from the results of all sets and splits."""
    cells = _cells(results)
    text = DERIVATION + LOSES + _protocol(results, args) + TABLES
    text += _summary(cells) + _by_size(cells) + _by_set(cells)
    text += _against_best(cells) + PREDICTION + _predicted(cells)
    path.write_text(text)


def _cells(results):
    rows = [
        {"set": result["set"], "split": result["split"], **record}
        for result in results
        for record in result["records"]
    ]
    return pd.DataFrame(rows)


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
    return wide[[*COMPETITORS, *OURS]]


def _summary(cells):
    means = _means(cells)
    best = means[list(COMPETITORS)].max(axis=1)
    each = cells.pivot(index=["set", "k", "split"], columns="method", values="rho")
    same = (each["auto"] == each["rank"]).mean()
    rows = []
    for method in means:
        low, high = _interval(means[method])
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


def _interval(values):
    """Percentiles of the mean over cells, whole sets drawn with replacement."""
    rng = np.random.default_rng(0)
    by_set = values.groupby(level="set").agg(["sum", "count"]).to_numpy()
    drawn = by_set[rng.integers(0, len(by_set), (DRAWS, len(by_set)))].sum(axis=1)
    return np.percentile(drawn[:, 0] / drawn[:, 1], [2.5, 97.5])


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
    head = ["data set", "k", *means.columns, "auto - best"]
    return "\n### Every cell\n" + table(head, rows)


def _against_best(cells):
    """Paired differences to the competitor that was best on the other splits."""
    if cells.groupby("set")["split"].nunique().min() < 2:
        return (
            "\nThe comparison with the best other method *as chosen on other splits* "
            "needs two splits of every set, and is left out here.\n"
        )
    ours = {method: [] for method in (*COMPETITORS, *OURS)}
    index = []
    for (name, k), own in cells.groupby(["set", "k"]):
        wide = own.pivot(index="split", columns="method", values="rho")
        for split in wide.index:
            others = wide.loc[wide.index != split, list(COMPETITORS)].mean()
            rival = wide.loc[split, others.idxmax()]
            index.append((name, k))
            for method, differences in ours.items():
                differences.append(wide.loc[split, method] - rival)
    index = pd.MultiIndex.from_tuples(index, names=["set", "k"])
    rows = []
    for method, differences in ours.items():
        of_cells = pd.Series(differences, index=index).groupby(["set", "k"]).mean()
        low, high = _interval(of_cells)
        rows.append(
            [
                method,
                number(of_cells.mean(), 3),
                f"{number(low, 3)} to {number(high, 3)}",
                number(of_cells.min(), 3),
            ]
        )
    head = ["method", "difference", "95 % interval", "worst cell"]
    return (
        "\n### Against the best other method as chosen on other splits\n\n"
        "Mean paired difference, over cells, to the one of the seven other methods "
        "that was best on the *other* splits of the same cell; sets resampled.\n"
        + table(head, rows)
    )


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
