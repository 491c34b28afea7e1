"""The page of `predicted_score.py`."""

import numpy as np
import pandas as pd
from _predicted_text import AFTER, BEFORE, METHODS
from _real_data_format import number, table

from skirt.metrics import agreement_score

FEWEST_GROUPS = 10
SIZE = 100


def write_page(path, results, args):
    """Write the tables of what was measured, and what they say."""
    found = _records(results)
    sets = _sets(results)
    enough = sets.index[sets["train groups"] >= FEWEST_GROUPS]
    at_size = found[found["k"] == SIZE]
    least, most = sets["splits"].min(), sets["splits"].max()
    told = BEFORE.format(
        splits=f"{least}" if least == most else f"{least} to {most}",
        models=args.models,
        items=args.items,
        fewest=FEWEST_GROUPS,
        minutes=f"{sets['cpu'].sum() / 60:.0f}",
    )
    full = found[found["set"].isin(enough)]
    parts = [
        told,
        _set_table(sets),
        "## Mean absolute error, points of 100\n",
        "Of the full score predicted from 100 items, of models held out. The least "
        "error of each set\nis in bold type.",
        _error_table(_by_set(at_size, "error"), enough),
        "## Intervals of 90 %\n",
        "Share of the held-out models whose full score lies inside, and in brackets "
        "the mean width\nin points.",
        _interval_table(at_size, enough),
        f"## By number of items, mean over the {len(enough)} sets of enough models\n",
        "Error in points:",
        _size_table(full, "error"),
        "Agreement, Spearman's rho of predicted with full scores:",
        _size_table(full, "rho"),
        AFTER.lstrip("\n"),
    ]
    path.write_text("\n".join(parts))


def _records(results):
    """One row for each method, size, set, split: error, coverage, width, bias."""
    rows = []
    for result in results:
        truth = np.array(result["score"])
        if not len(truth):
            continue
        for found in result["predictions"]:
            predicted = np.array(found["predicted"])
            row = {
                "set": result["set"],
                "split": result["split"],
                "method": found["method"],
                "k": found["k"],
                "error": 100 * np.abs(predicted - truth).mean(),
                "rho": agreement_score(truth, predicted),
            }
            if "low" in found:
                low, high = np.array(found["low"]), np.array(found["high"])
                # Scores in the files have five digits.
                inside = (low <= truth + 1e-5) & (truth <= high + 1e-5)
                row["inside"] = inside.mean()
                row["width"] = 100 * (high - low).mean()
            rows.append(row)
    return pd.DataFrame(rows)


def _sets(results):
    rows = {}
    for result in results:
        row = rows.setdefault(
            result["set"],
            {
                "models": result["shape"][0],
                "used": result["used"],
                "shape": result["shape"],
                "groups": result["groups"],
                "train groups": result["trained"][1],
                "missing": result["missing"],
                "splits": set(),
                "tested": 0,
                "cpu": 0.0,
            },
        )
        row["splits"].add(result["split"])
        row["cpu"] += result["cpu"]
        if result["part"] == "random":
            row["tested"] += len(result["score"])
    table = pd.DataFrame(rows).T
    table["splits"] = table["splits"].map(len)
    return table


def _set_table(sets):
    head = ["data set", "models", "groups", "items", "missing", "tested", "splits"]
    rows = [
        [
            f"`{name}`",
            _of(row["used"][0], row["shape"][0]),
            row["groups"],
            _of(row["used"][1], row["shape"][1]),
            f"{100 * row['missing']:.1f} %",
            f"{row['tested']:,}",
            row["splits"],
        ]
        for name, row in sets.iterrows()
    ]
    return table(head, rows)


def _of(used, there):
    return f"{used:,}" if used == there else f"{used:,} of {there:,}"


def _by_set(found, column):
    wide = found.pivot_table(index="set", columns="method", values=column)
    return wide[[name for name in METHODS if name in wide]]


def _with_means(wide, enough):
    """Name each row, sets of few models last, then the means."""
    few = wide.index.difference(enough)
    for name in enough:
        yield f"`{name}`", wide.loc[name]
    yield f"mean of these {len(enough)}", wide.loc[enough].mean()
    for name in few:
        yield f"`{name}` (few models)", wide.loc[name]
    yield f"mean of all {len(wide)}", wide.mean()


def _error_table(error, enough):
    rows = []
    for name, values in _with_means(error, enough):
        least = values.round(2).min()
        rows.append(
            [
                name,
                *(
                    f"**{x:.2f}**" if round(x, 2) == least else f"{x:.2f}"
                    for x in values
                ),
            ]
        )
    return table(["data set", *error.columns], rows)


def _interval_table(found, enough):
    inside, width = _by_set(found, "inside"), _by_set(found, "width")
    rows = [
        [name, *(f"{number(x)} ({y:.0f})" for x, y in zip(shares, widths, strict=True))]
        for (name, shares), (_, widths) in zip(
            _with_means(inside, enough), _with_means(width, enough), strict=True
        )
    ]
    return table(["data set", *inside.columns], rows)


def _size_table(found, column):
    each = found.groupby(["method", "k", "set"])[column].mean()
    means = each.groupby(["method", "k"]).mean().unstack()
    digits = 3 if column == "rho" else 2
    rows = [
        [name, *(number(x, digits) if np.isfinite(x) else "" for x in means.loc[name])]
        for name in METHODS
        if name in means.index
    ]
    return table(["method", *means.columns], rows)
