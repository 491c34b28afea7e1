"""The tables of a comparison of models that are made from means over items."""

import numpy as np
import pandas as pd
from scipy.stats import norm

from skirt.audit._benchmark_tests import holm
from skirt.audit._contrasts import contrast_over_items, contrast_over_units


class ComparisonTables:
    """Means, abilities and their differences, dimension by dimension.

    Parameters
    ----------
    bank : Bank
    sample : Sample
    item_families : ndarray of shape (n_items,), int
    confidence : float
    rng : numpy RandomState
    """

    def __init__(self, bank, sample, item_families, confidence, rng):
        self._bank, self._sample = bank, sample
        self._item_families, self._confidence = item_families, confidence
        self._rng = rng
        self._values = bank.responses.values[sample.rows]
        self._ability, self._covariance = bank.panel_abilities(sample.rows)
        self._observed = ~np.isnan(self._values)
        self._sides = sample.first, ~sample.first

    def ends_and_curve(self, dimensions, share, n_quantiles):
        """Return the tables `ends` and `curve`, and the items' labels by dimension."""
        ranked = self._ranked_items(n_quantiles)
        size = max(1, round(share * ranked.size))
        ends, parts, labels = [], [], {}
        for k in dimensions:
            order = self._by_discrimination(ranked, k)
            label = np.full(self._observed.shape[1], "unranked", dtype=object)
            label[order] = "between"
            for end, items in (("most", order[-size:]), ("least", order[:size])):
                ends.append((k, end, items))
                label[items] = end
            labels[k] = label
            for number, part in enumerate(np.array_split(order, n_quantiles), start=1):
                parts.append((k, number, part))
        table = self._table_of("end", ends)
        place = table.columns.get_loc("test")
        table.insert(place, "p_adjusted", holm(table["p_value"]))
        curve = self._table_of("quantile", parts).drop(columns=["p_value", "test"])
        return table, curve, labels

    def _ranked_items(self, n_quantiles):
        """Return the common items whose discrimination is known."""
        a, b = (self._observed[side].any(axis=0) for side in self._sides)
        ranked = np.flatnonzero(a & b & self._bank.telling)
        if ranked.size < max(2, n_quantiles):
            raise ValueError(
                f"a and b have {ranked.size} items in common whose discrimination is "
                f"known, too few for n_quantiles={n_quantiles}: compare models that "
                "answered the same items, or lower n_quantiles."
            )
        return ranked

    def _by_discrimination(self, items, k):
        slope = self._bank.discrimination[items, k]
        if np.ptp(slope) <= 1e-12 * np.abs(slope).max():
            raise ValueError(
                f"All items have the discrimination {slope[0]:g} on dimension {k}: "
                "none measures it more than another. Use a model in which "
                "discriminations differ."
            )
        return items[np.argsort(slope, kind="stable")]

    def _table_of(self, kind, parts):
        """Return a table of the sets of items in (dimension, name, items)."""
        dimension, names, sets = zip(*parts, strict=True)
        if self._sample.unit == "items":
            table = pd.DataFrame([self._contrast_of_items(items) for items in sets])
        else:
            table = pd.DataFrame(self._contrasts_of_models(sets))
        table.insert(0, "dimension", dimension)
        table.insert(1, kind, names)
        slopes = self._bank.discrimination
        mean = [slopes[items, k].mean() for k, _, items in parts]
        table.insert(3, "mean_discrimination", mean)
        return table

    def _contrast_of_items(self, items):
        x, y = (
            np.nanmean(self._values[side][:, items], axis=0) for side in self._sides
        )
        families = self._item_families[items]
        found = contrast_over_items(x, y, families, self._confidence)
        return {"n_items": items.size, "observed": 1.0, **found}

    def _contrasts_of_models(self, sets):
        filled = np.where(
            self._observed, self._values, self._bank.probabilities(self._ability)
        )
        means = np.column_stack([filled[:, items].mean(axis=1) for items in sets])
        first, second = self._sample.unit_means(means)
        found = self._contrast(first, second)
        del found["se"]
        return {
            "n_items": [items.size for items in sets],
            "observed": [self._observed[:, items].mean() for items in sets],
            "mean_a": first.mean(axis=0),
            "mean_b": second.mean(axis=0),
            **found,
        }

    def _contrast(self, first, second):
        return contrast_over_units(
            first, second, self._sample.paired, self._confidence, self._rng
        )

    def abilities(self, dimensions):
        """Return the table of abilities."""
        chosen = list(dimensions)
        if self._sample.unit == "items":
            mean, se, found = self._abilities_of_items(chosen)
        else:
            mean, se, found = self._abilities_of_models(chosen)
        with np.errstate(divide="ignore", invalid="ignore"):
            z = found["difference"] / found["se"]
        return pd.DataFrame(
            {
                "dimension": chosen,
                "ability_a": mean[0],
                "se_a": se[0],
                "ability_b": mean[1],
                "se_b": se[1],
                "difference": found["difference"],
                "se": found["se"],
                "z": z,
                "low": found["low"],
                "high": found["high"],
                "p_value": found["p_value"],
                "p_adjusted": holm(found["p_value"]),
                "test": found["test"],
            }
        )

    def _abilities_of_items(self, chosen):
        """Return means, their errors and the contrast, items being the sample."""
        theta = self._ability[:, chosen]
        variance = np.diagonal(self._covariance, axis1=1, axis2=2)[:, chosen]
        mean = [theta[side].mean(axis=0) for side in self._sides]
        se = [np.sqrt(variance[side].sum(axis=0)) / side.sum() for side in self._sides]
        difference, error = mean[0] - mean[1], np.hypot(*se)
        reach = norm.isf((1 - self._confidence) / 2) * error
        contrast = {
            "difference": difference,
            "se": error,
            "low": difference - reach,
            "high": difference + reach,
            "p_value": 2 * norm.sf(np.abs(difference) / error),
            "test": "z test",
        }
        return mean, se, contrast

    def _abilities_of_models(self, chosen):
        """Return the same, models or their families being the sample."""
        units = self._sample.unit_means(self._ability[:, chosen])
        mean = [unit.mean(axis=0) for unit in units]
        se = [
            unit.std(axis=0, ddof=1) / np.sqrt(len(unit))
            if len(unit) > 1
            else np.full(len(chosen), np.nan)
            for unit in units
        ]
        return mean, se, self._contrast(*units)

    def items(self, dimensions, labels):
        """Return the observed means, discriminations and labels of each item."""
        index = pd.Index(self._bank.responses.item_names, name="item")
        table = pd.DataFrame(index=index)
        for name, side in zip(("mean_a", "mean_b"), self._sides, strict=True):
            count = self._observed[side].sum(axis=0)
            right = np.nansum(self._values[side], axis=0)
            out = np.full(count.size, np.nan)
            table[name] = np.divide(right, count, out=out, where=count > 0)
        table["difference"] = table["mean_a"] - table["mean_b"]
        for k in dimensions:
            table[f"discrimination{k}"] = self._bank.discrimination[:, k]
            table[f"end{k}"] = labels[k]
        return table
