"""Folds of single responses, and what an estimator predicts for those of one fold."""

import numpy as np
import pandas as pd
from sklearn.base import clone

from skirt._sklearn_compat import FrozenEstimator
from skirt.model_selection._messages import recorded
from skirt.model_selection._split import seeded


def draw_folds(observed, n_folds, *, benchmark, group_of_model, rng):
    """Deal the observed cells out to folds, the cells of a group and an item together.

    Every group's items are dealt in turn, in random order within a benchmark and with
    the benchmarks in random order: a model's answers are spread over the folds evenly
    to within one, in all and in each benchmark. (Within a group whose members were
    asked different items, to within one for each pattern of who was asked.) Chance may
    put all answers to an item into one fold; one of them then moves to another.

    Parameters
    ----------
    observed : ndarray of shape (n_models, n_items), bool
    n_folds : int
    benchmark : ndarray of shape (n_items,), int
        Counted from 0.
    group_of_model : ndarray of shape (n_models,), int
        Counted from 0.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of shape (n_models, n_items), int32
        The fold of each observed cell, -1 elsewhere.
    """
    n_groups, n_benchmarks = group_of_model.max() + 1, benchmark.max() + 1
    folds = np.full((n_groups, observed.shape[1]), -1, dtype=np.int32)
    dealt = 0
    for group in range(n_groups):
        rows = observed[group_of_model == group]
        items = np.flatnonzero(rows.any(axis=0))
        if items.size == 0:
            continue
        keys = [rng.random(items.size)]
        if len(rows) > 1:
            asked = np.unique(rows[:, items], axis=1, return_inverse=True)[1].ravel()
            keys.append(rng.random(asked.max() + 1)[asked])
        keys.append(rng.random(n_benchmarks)[benchmark[items]])
        turns = np.arange(dealt, dealt + items.size) % n_folds
        folds[group, items[np.lexsort(keys)]] = turns
        dealt += items.size
    if dealt < n_folds:
        raise ValueError(
            f"cv={n_folds} folds cannot be filled with {dealt} observed responses "
            "(those of one group to one item count as one): use fewer folds."
        )
    _spread_items(folds, n_folds, rng)
    return np.where(observed, folds[group_of_model], -1)


def _spread_items(folds, n_folds, rng):
    """Move one answer to each item of which a single fold holds all, if it has two."""
    asked = folds >= 0
    highest = folds.max(axis=0)
    lowest = np.where(asked, folds, n_folds).min(axis=0)
    items = np.flatnonzero((asked.sum(axis=0) > 1) & (lowest == highest))
    # A group with many answers, at random: it is left with some in every fold.
    wealth = np.minimum(asked.sum(axis=1), 2 * n_folds)[:, None]
    wealth = wealth + rng.random((len(folds), items.size))
    wealth[~asked[:, items]] = -1
    steps = rng.integers(1, n_folds, items.size)
    folds[wealth.argmax(axis=0), items] = (highest[items] + steps) % n_folds


def predict_fold(estimator, *, X, labels, folds, fold, seed, label, verbose):
    """Fit on all cells but those of one fold, and predict these.

    Parameters
    ----------
    estimator : estimator
        Is cloned.
    X : ndarray of shape (n_models, n_items)
        1, 0, NaN.
    labels : (index, columns) or None
        With labels the estimator is given a DataFrame.
    folds : ndarray of shape (n_models, n_items)
    fold, seed, verbose : int
    label : str
        What messages call this task.

    Returns
    -------
    probabilities : ndarray of shape (n_held_out,)
        In the order of the rows of `X`.
    caught : list of (category, str)
        The warnings that were given, for the parent to sum up.
    """
    with recorded(f"[cross_val_responses] {label}", verbose) as caught:
        try:
            values = _fit_and_predict(estimator, X, labels, folds == fold, (seed, fold))
        except Exception as error:
            error.add_note(f"in cross_val_responses: {label}")
            raise
    return values, caught


def _abilities(estimator, table):
    """What an estimator says of the models that it has just been fitted to."""
    own = not isinstance(estimator, FrozenEstimator) and hasattr(estimator, "ability_")
    if own:
        return np.asarray(estimator.ability_).reshape(len(table), -1)
    return estimator.transform(table)


def _fit_and_predict(estimator, X, labels, held_out, seeds):
    table = with_labels(np.where(held_out, np.nan, X), labels)
    estimator = clone(estimator)
    _switch_binarizing_off(estimator)
    seeded(estimator, seeds)
    estimator.fit(table, None)  # a FrozenEstimator insists on y
    predicted = np.asarray(estimator.inverse_transform(_abilities(estimator, table)))
    if predicted.shape != X.shape:
        raise ValueError(
            f"inverse_transform(transform(X)) has shape {predicted.shape} for X of "
            f"shape {X.shape}: a probability for each response is needed."
        )
    values = predicted[held_out].astype(np.float64)
    wrong = np.flatnonzero(~((values >= 0) & (values <= 1)))
    if wrong.size:
        row, column = np.argwhere(held_out)[wrong[0]]
        if labels is not None:
            row, column = labels[0][row], labels[1][column]
        raise ValueError(
            f"inverse_transform(transform(X)) is {values[wrong[0]]:g} for model {row}, "
            f"item {column} ({wrong.size} such values of {values.size}): probabilities "
            "from 0 to 1 are needed."
        )
    return values


def with_labels(matrix, labels):
    """Return a DataFrame of the matrix itself, or that if there are no labels."""
    if labels is None:
        return matrix
    index, columns = labels
    return pd.DataFrame(matrix, index=index, columns=columns, copy=False)


def _switch_binarizing_off(estimator):
    """Have the responses taken as they are: they have been binarized."""
    for name, value in estimator.get_params(deep=True).items():
        if name.split("__")[-1] == "binarize" and value is not None:
            estimator.set_params(**{name: None})
