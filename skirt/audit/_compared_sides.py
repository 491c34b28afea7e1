"""Which models are compared, and what of them is a random sample."""

from dataclasses import dataclass
from numbers import Integral

import numpy as np
import pandas as pd

from skirt.metrics._labels import check_same_models


def compared_sides(a, b, responses, X):
    """Return the rows of a and of b, which have none in common and some answers."""
    sides = _rows(a, "a", responses, X), _rows(b, "b", responses, X)
    both = np.intersect1d(*sides)
    if both.size:
        raise ValueError(
            f"Model {responses.model_names[both[0]]!r} is in a and in b: a model "
            "cannot be compared with itself."
        )
    rows = np.concatenate(sides)
    silent = rows[np.isnan(responses.values[rows]).all(axis=1)]
    if silent.size:
        raise ValueError(
            f"Model {responses.model_names[silent[0]]!r} answered no item: there is "
            "nothing to compare. Leave it out."
        )
    return sides


def _rows(wanted, side, responses, X):
    """Return the row positions of the models named."""
    labelled = isinstance(X, pd.DataFrame)
    integer = labelled and pd.api.types.is_integer_dtype(X.index.dtype)
    n_models = len(responses.model_names)
    if np.asarray(wanted).dtype == bool:
        return _rows_of_mask(wanted, side, n_models, X)
    several = isinstance(wanted, list | tuple | set | np.ndarray | pd.Index | pd.Series)
    wanted = list(wanted) if several else [wanted]
    if not wanted:
        raise ValueError(f"{side} holds no model: name at least one.")
    rows = []
    for name in wanted:
        if isinstance(name, Integral) and not isinstance(name, bool) and not integer:
            row = int(name)
            if not -n_models <= row < n_models:
                raise ValueError(
                    f"{side} has row {row}, but X has {n_models} rows, counted from 0."
                )
            rows.append(row % n_models)
            continue
        found = np.flatnonzero(responses.model_names == str(name))
        if found.size != 1:
            if found.size:
                told = f"{found.size} models called {name!r}: pass a mask of the rows"
            else:
                hint = "see its index" if labelled else "an array has row positions"
                told = f"no model {name!r}: {hint}"
            raise ValueError(f"{side}: X has {told}.")
        rows.append(int(found[0]))
    if len(set(rows)) < len(rows):
        twice = next(row for row in rows if rows.count(row) > 1)
        raise ValueError(f"{side} names model {responses.model_names[twice]!r} twice.")
    return np.array(rows)


def _rows_of_mask(mask, side, n_models, X):
    if np.shape(mask) != (n_models,):
        raise ValueError(
            f"{side} is a mask of shape {np.shape(mask)}, but X has {n_models} rows."
        )
    check_same_models(X, mask, "X", side)
    if not np.any(mask):
        raise ValueError(f"{side} is a mask that takes no row.")
    return np.flatnonzero(mask)


@dataclass(frozen=True)
class Sample:
    """The rows that are compared, and what is drawn at random.

    Attributes
    ----------
    rows : ndarray of shape (n_rows,)
        Positions in the panel, those of a first.
    first : ndarray of shape (n_rows,), bool
        Whether the row is one of a.
    units : tuple of list of ndarray
        The families of a and of b, as positions in `rows`; in the same order on both
        sides where they are paired.
    unit : {"items", "models", "pairs"}
    """

    rows: np.ndarray
    first: np.ndarray
    units: tuple
    unit: str

    @classmethod
    def of(cls, sides, families, names):
        """Sort the rows of both sides into families.

        Parameters
        ----------
        sides : tuple of ndarray
            Row positions of a and of b.
        families : ndarray of shape (n_models,)
        names : ndarray of shape (n_models,)
        """
        rows = np.concatenate(sides)
        first = np.arange(rows.size) < sides[0].size
        family = families[rows]
        ours, theirs = np.unique(family[first]), np.unique(family[~first])
        units = tuple(
            [np.flatnonzero(side & (family == one)) for one in own]
            for side, own in ((first, ours), (~first, theirs))
        )
        if ours.size == theirs.size == 1:
            return cls(rows, first, units, "items")
        shared = np.intersect1d(ours, theirs)
        if shared.size == 0:
            return cls(rows, first, units, "models")
        if shared.size == ours.size == theirs.size:
            return cls(rows, first, units, "pairs")
        odd = np.setxor1d(ours, theirs)[0]
        raise ValueError(
            f"{shared.size} families are in a and in b, but that of model "
            f"{names[rows[family == odd][0]]!r} on one side only: compare "
            "families that are on both sides (paired), or such as are on one."
        )

    @property
    def paired(self):
        return self.unit == "pairs"

    @property
    def fewest(self):
        return min(len(units) for units in self.units)

    def weights(self):
        """Return the weight of each row, 1 in all for each family and side."""
        weight = np.empty(self.rows.size)
        for side in self.units:
            for unit in side:
                weight[unit] = 1 / len(unit)
        return weight

    def unit_means(self, values):
        """Return means over the rows of each family, for both sides.

        Parameters
        ----------
        values : ndarray of shape (n_rows, n_columns)

        Returns
        -------
        first, second : ndarray of shape (n_families, n_columns)
        """
        first, second = (
            np.array([values[unit].mean(axis=0) for unit in side])
            for side in self.units
        )
        return first, second

    def in_words(self):
        """Say what the sample is."""
        n_a, n_b = (len(units) for units in self.units)
        if self.unit == "items":
            return "items are the sample"
        if self.paired:
            return f"{n_a} families, each on both sides, are the sample"
        return f"{n_a} and {n_b} models or families are the sample"
