"""What a held-out response can be predicted from without a model of many abilities."""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit
from sklearn.base import BaseEstimator, clone

BASELINES = (
    "model mean",
    "model x category mean",
    "model x benchmark mean",
    "item mean",
    "model + item mean",
    "1-D IRT",
    "1-D IRT per category",
    "1-D IRT per benchmark",
)


@dataclass(frozen=True)
class Cells:
    """The observed responses, one by one, in the order of the rows of the matrix.

    Attributes
    ----------
    x : ndarray of shape (n_cells,)
        1 or 0.
    model, item, fold, benchmark, category : ndarray of shape (n_cells,), int
        Counted from 0.
    """

    x: np.ndarray
    model: np.ndarray
    item: np.ndarray
    fold: np.ndarray
    benchmark: np.ndarray
    category: np.ndarray

    def training(self, *labels):
        """Count and add up, for each cell, the training cells that share its labels.

        The training cells are those of the other folds.

        Returns
        -------
        count, right : ndarray of shape (n_cells,)
        """
        unit = np.zeros(self.x.size, dtype=np.intp)
        for label in labels:
            unit = unit * (label.max() + 1) + label
        n_units = unit.max() + 1
        key = self.fold * n_units + unit
        size = (self.fold.max() + 1) * n_units
        out = []
        for weights in (None, self.x):
            held_out = np.bincount(key, weights, size)
            total = held_out.reshape(-1, n_units).sum(axis=0)
            out.append(total[unit] - held_out[key])
        return tuple(out)

    def unseen(self, *labels):
        """Tell the cells whose model, in these items, or item no training cell has."""
        by_model, _ = self.training(self.model, *labels)
        by_item, _ = self.training(self.item)
        return (by_model == 0) | (by_item == 0)


def mean_baselines(cells, *, with_benchmark, with_category):
    """Predict every cell from means over its training cells.

    Yields
    ------
    str, (probabilities, fell_back)
        Both of shape (n_cells,). Where a mean is over no cell the next coarser one
        stands in, and `fell_back` is true.
    """
    by_model: list = [(cells.model,), ()]
    by_item: list = [(cells.item,), ()]
    yield "model mean", _first_known(cells, by_model)
    if with_category:
        by_model.insert(0, (cells.model, cells.category))
        yield "model x category mean", _first_known(cells, by_model)
    if with_benchmark:
        by_model.insert(0, (cells.model, cells.benchmark))
        yield "model x benchmark mean", _first_known(cells, by_model)
        by_item.insert(1, (cells.benchmark,))
    yield "item mean", _first_known(cells, by_item)
    yield "model + item mean", _additive(cells)


def _first_known(cells, levels):
    """Return the first mean that is over any training cell, the finest first."""
    predicted = np.full(cells.x.size, np.nan)
    fell_back = None
    for labels in levels:
        count, right = cells.training(*labels)
        open_cells = np.isnan(predicted) & (count > 0)
        np.divide(right, count, out=predicted, where=open_cells)
        fell_back = count == 0 if fell_back is None else fell_back
    return predicted, fell_back


def _additive(cells):
    """Add the logits of the model's and the item's mean, less that of the whole.

    Each mean counts one answer more, of the average kind, so that its logit is finite.
    """
    count, right = cells.training()
    overall = (right + 0.5) / (count + 1)
    total = -logit(overall)
    for label in (cells.model, cells.item):
        count, right = cells.training(label)
        total += logit((right + overall) / (count + 1))
    return expit(total), cells.unseen()


class OneAbilityPerPart(BaseEstimator):
    """A bank of its own for each part of the items.

    A model without an answer in a part has the average ability there, and where fewer
    than two models have answers the mean stands for all: see :func:`too_few_models`.
    """

    def __init__(self, estimator, part_of_item):
        self.estimator = estimator
        self.part_of_item = part_of_item

    def fit(self, X, y=None):
        """Calibrate each part on the models that have answers in it."""
        X = np.asarray(X)
        self.banks_, self.means_ = [], []
        for part in range(self.part_of_item.max() + 1):
            columns = self._columns(X, part)
            answered = ~np.isnan(columns).all(axis=1)
            bank = None
            if answered.sum() >= 2:
                bank = clone(self.estimator).fit(columns[answered])
            self.banks_.append(bank)
            known = columns if answered.any() else X
            self.means_.append(np.nanmean(known))
        return self

    def transform(self, X):
        """Return each model's ability in each part, (n_models, n_parts)."""
        X = np.asarray(X)
        ability = np.zeros((len(X), len(self.banks_)))
        for part, bank in enumerate(self.banks_):
            columns = self._columns(X, part)
            answered = ~np.isnan(columns).all(axis=1)
            if bank is not None and answered.any():
                ability[answered, part] = bank.transform(columns[answered])[:, 0]
        return ability

    def inverse_transform(self, X):
        """Return the probability of the answer 1, (n_models, n_items)."""
        out = np.empty((len(X), self.part_of_item.size))
        for part, (bank, mean) in enumerate(zip(self.banks_, self.means_, strict=True)):
            out[:, self.part_of_item == part] = (
                mean if bank is None else bank.inverse_transform(X[:, [part]])
            )
        return out

    def _columns(self, X, part):
        return X[:, self.part_of_item == part]


def too_few_models(cells, part):
    """Tell the cells of parts in which fewer than two models have training cells."""
    n_folds, n_parts = cells.fold.max() + 1, part.max() + 1
    shape = (n_folds, n_parts, cells.model.max() + 1)
    held_out = np.bincount(
        np.ravel_multi_index((cells.fold, part, cells.model), shape),
        minlength=np.prod(shape),
    ).reshape(shape)
    n_models = (held_out.sum(axis=0) > held_out).sum(axis=2)
    return n_models[cells.fold, part] < 2
