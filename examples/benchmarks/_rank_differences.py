"""Differences between methods, cell by cell, and what chance leaves of them."""

from itertools import combinations

import numpy as np
import pandas as pd

DRAWS = 2000
# Variances between cells that are tried, in units of the noise.
BETWEEN = np.square(np.linspace(0.0, 3.0, 301))


def interval(values):
    """Percentiles of the mean over cells, whole sets drawn with replacement."""
    rng = np.random.default_rng(0)
    by_set = values.groupby(level="set").agg(["sum", "count"]).to_numpy()
    drawn = by_set[rng.integers(0, len(by_set), (DRAWS, len(by_set)))].sum(axis=1)
    return np.percentile(drawn[:, 0] / drawn[:, 1], [2.5, 97.5])


def against_best(cells, methods, competitors):
    """Paired differences to the competitor that was best on the other splits.

    Returns
    -------
    DataFrame
        One row for each set, size and split, one column for each method.
    """
    rows, index = [], []
    for (name, k), own in cells.groupby(["set", "k"]):
        wide = own.pivot(index="split", columns="method", values="rho")
        for split in wide.index:
            others = wide.loc[wide.index != split, list(competitors)].mean()
            rows.append(wide.loc[split, methods] - wide.loc[split, others.idxmax()])
            index.append((name, k, split))
    index = pd.MultiIndex.from_tuples(index, names=["set", "k", "split"])
    return pd.DataFrame(np.array(rows), index=index, columns=methods)


def shrunken(differences, groups):
    """Cell means, drawn towards their mean as far as the draw of splits may move them.

    The variance of the differences between splits is one number for each size, over the
    number of independent models: smoothed within sets it is next to nothing where a
    method is itself the rival, and such cells would decide alone. Differences are
    measured in the noise of their size, as all shrink with k, and the variance between
    cells is the most likely one for normal cells (empirical Bayes, Efron & Morris
    1975). That splits share models is not counted: it would draw further, so far that
    the -.58 of one method came to nothing, which half of the splits confirm.

    Parameters
    ----------
    differences : Series
        Indexed by set, k and split.
    groups : dict
        Independent models of each set.

    Returns
    -------
    Series
        Indexed by set and k.
    """
    by_cell = differences.groupby(level=["set", "k"])
    means = by_cell.mean()
    models = means.index.get_level_values("set").map(groups).to_numpy(dtype=float)
    of_size = (by_cell.var() * models).groupby(level="k").transform("mean")
    unit = np.sqrt(of_size / models.mean())
    noise = models.mean() / models / by_cell.count()
    scaled = means / unit

    def likelihood(between):
        variance = noise + between
        middle = np.average(scaled, weights=1.0 / variance)
        distance = np.square(scaled - middle) / variance
        return -0.5 * (np.log(variance) + distance).sum(), middle

    between = max(BETWEEN, key=lambda variance: likelihood(variance)[0])
    middle = likelihood(between)[1]
    return unit * (middle + between / (between + noise) * (scaled - middle))


def worst_again(differences):
    """The cell that is worst on half of the splits, on the others; all halves averaged.

    Parameters
    ----------
    differences : Series
        Indexed by set, k and split.

    Returns
    -------
    float
    """
    wide = differences.unstack("split").to_numpy()
    n_splits = wide.shape[1]
    halves = list(combinations(range(n_splits), n_splits // 2))
    inside = np.zeros((len(halves), n_splits))
    inside[np.arange(len(halves))[:, None], halves] = 1.0
    worst = (inside @ wide.T).argmin(axis=1)
    found = ((1.0 - inside) * wide[worst]).sum(axis=1) / (1.0 - inside).sum(axis=1)
    return float(np.mean(found))


def items_needed(agreement, target):
    """Size at which the agreement reaches the target for good, interpolated in log k.

    Parameters
    ----------
    agreement : Series
        Indexed by size, ascending.
    target : float

    Returns
    -------
    float
        NaN where the largest size does not reach it; the smallest size where all do.
    """
    below = np.flatnonzero(agreement.to_numpy() < target)
    if not below.size:
        return float(agreement.index[0])
    last = below[-1]
    if last == len(agreement) - 1:
        return np.nan
    low, high = agreement.iloc[last], agreement.iloc[last + 1]
    steps = np.log(agreement.index[[last, last + 1]].to_numpy(dtype=float))
    share = (target - low) / (high - low)
    return float(np.exp(steps[0] + share * (steps[1] - steps[0])))
