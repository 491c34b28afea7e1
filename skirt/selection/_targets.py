"""The scores to rank by: one weighting of the items, or several at once."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from skirt.metrics import agreement_score
from skirt.selection._score_ranking import check_target_weights


@dataclass(frozen=True)
class Targets:
    """Weights of the items in the scores.

    Attributes
    ----------
    weights : ndarray of shape (n_items,) or (n_targets, n_items)
        Of one score, or of each of several; sum 1.
    names : tuple of str
        Of several; their numbers where they have none. Empty with one score.
    named : bool
        Whether the names were given.
    """

    weights: np.ndarray
    names: tuple = ()
    named: bool = False

    @property
    def several(self):
        """Whether predictions have a column for each target."""
        return self.weights.ndim == 2

    @classmethod
    def of(cls, weights, items):
        """Check weights and match them with the items.

        Parameters
        ----------
        weights : None, array-like or Series of shape (n_items,), or array-like or \
                DataFrame of shape (n_targets, n_items)
            None is equal weights. The labels of a Series and the columns of a DataFrame
            are item names, by which weights are taken.
        items : ndarray of str of shape (n_items,)
        """
        named = isinstance(weights, pd.DataFrame)
        if named:
            _check_direction(weights.columns.map(str), weights.index.map(str), items)
            names = tuple(map(str, weights.index))
            rows = [weights.iloc[target] for target in range(len(weights))]
        elif _n_dimensions(weights) >= 2:
            rows = list(np.asarray(weights))
            names = tuple(map(str, range(len(rows))))
            _check_shape(np.shape(weights), len(items))
        else:
            return cls(check_target_weights(weights, items))
        if not rows:
            raise ValueError(
                f"target_weights has shape {np.shape(weights)}, no target at all: give "
                "a row of weights for each."
            )
        checked = []
        for name, row in zip(names, rows, strict=True):
            try:
                checked.append(check_target_weights(row, items))
            except ValueError as error:
                raise ValueError(f"Target {name!r}: {error}") from None
        return cls(np.stack(checked), names, named)

    def agreement(self, y, predicted):
        """Return the agreement of predictions with reference scores.

        Parameters
        ----------
        y : array-like of the shape of `predicted`
            The columns of a DataFrame must be the targets' names, if these have any.
        predicted : ndarray of shape (n_models,) or (n_models, n_targets)

        Returns
        -------
        float
            The mean over the targets.
        """
        if not self.several:
            return agreement_score(y, predicted)
        if isinstance(y, pd.DataFrame) and self.named:
            columns = tuple(map(str, y.columns))
            if columns != self.names:
                raise ValueError(
                    f"y has the columns {_listed(columns)} and the targets are "
                    f"{_listed(self.names)}: pass the same in the same order."
                )
        values = np.asarray(y)
        if values.ndim == 1:
            values = values[:, None]
        if values.shape != predicted.shape:
            raise ValueError(
                f"y has shape {np.shape(y)} and the predictions {predicted.shape}: "
                f"one column for each of the {len(self.names)} targets is needed."
            )
        found = []
        for name, true, pred in zip(self.names, values.T, predicted.T, strict=True):
            try:
                found.append(agreement_score(true, pred))
            except ValueError as error:
                raise ValueError(f"Target {name!r}: {error}") from None
        return float(np.mean(found))


def _n_dimensions(weights):
    try:
        return np.ndim(weights)
    except ValueError:
        raise ValueError(
            "target_weights has rows of unequal length: every target needs one weight "
            "for each item (0 for an item that is not in the score)."
        ) from None


def _check_shape(shape, n_items):
    if len(shape) == 2 and shape[1] == n_items:
        return
    hint = " Pass it transposed." if len(shape) == 2 and shape[0] == n_items else ""
    raise ValueError(
        f"target_weights has shape {shape}; X has {n_items} items, so that the shape "
        f"({n_items},) is needed, or (n_targets, {n_items}) for several targets.{hint}"
    )


def _check_direction(columns, index, items):
    if not columns.isin(items).any() and index.isin(items).any():
        raise ValueError(
            "target_weights has the items in its rows: its columns must be items and "
            "its rows targets. Pass target_weights.T."
        )


def _listed(names, most=5):
    told = ", ".join(map(repr, names[:most]))
    return f"{told}, ... ({len(names)})" if len(names) > most else told
