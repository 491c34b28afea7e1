"""One task of an agreement curve: one estimator on one split, at every size."""

import tempfile
from numbers import Integral

import joblib
import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import check_random_state

from skirt.metrics._ranks import weighted_midranks
from skirt.model_selection._fit_params import group_params
from skirt.model_selection._messages import recorded


def evaluate_split(
    estimator, *, size_name, sizes, X, y, groups, train, test, seeds, label, verbose
):
    """Fit on the train rows and predict the test rows with every number of items.

    Returns
    -------
    predictions : ndarray of shape (n_sizes, n_test)
        What the estimator says of the test models; NaN where it has no score.
    positions : ndarray of shape (n_sizes, n_test)
        Where that stands, in 0..1, among its predictions for all models: unlike the
        predictions themselves these can be compared between splits.
    caught : list of (category, str)
        The warnings that were given, for the parent to sum up.
    """
    with recorded(f"[agreement_curve] {label}", verbose) as caught:
        predictions, positions = _evaluate(
            estimator, size_name, sizes, X, y, groups, train, test, seeds, label
        )
    return predictions, positions, caught


def _evaluate(estimator, size_name, sizes, X, y, groups, train, test, seeds, label):
    X_train, X_test = take_rows(X, train), take_rows(X, test)
    estimator = seeded(clone(estimator), seeds)
    fit_params = group_params(estimator, None if groups is None else groups[train])
    predictions = np.empty((len(sizes), len(test)))
    positions = np.empty_like(predictions)
    size = sizes[-1]
    with tempfile.TemporaryDirectory(prefix="skirt-") as directory:
        try:
            if len(sizes) > 1:
                _set_memory(estimator, directory)
            largest = clone(estimator).set_params(**{size_name: size})
            largest.fit(X_train, y[train], **fit_params)
            if hasattr(largest, "predict_path"):
                # One pass, of an adaptive test say, gives the scores at every size.
                of_test = _checked(largest.predict_path(X_test, sizes), sizes, X_test)
                of_train = largest.predict_path(X_train, sizes)
                of_train = _checked(of_train, sizes, X_train)
                pairs = zip(of_test, of_train, strict=True)
                return of_test, np.stack([_positions(*pair) for pair in pairs])
            walk = getattr(largest, "nested_", False) and hasattr(largest, "truncate")
            for index, size in reversed(list(enumerate(sizes))):
                if size == sizes[-1]:
                    fitted = largest
                elif walk:
                    fitted = largest.truncate(size)
                else:
                    fitted = clone(estimator).set_params(**{size_name: size})
                    fitted.fit(X_train, y[train], **fit_params)
                predictions[index] = _predict(fitted, X_test)
                positions[index] = _positions(
                    predictions[index], _predict(fitted, X_train)
                )
        except Exception as error:
            error.add_note(f"in agreement_curve: {label}, {size_name}={size}")
            raise
    return predictions, positions


def take_rows(X, rows):
    """Take rows of a table or an array, names kept."""
    return X.iloc[rows] if isinstance(X, pd.DataFrame) else X[rows]


def one_seed(random_state):
    """Return a number, so that every split and method can share it."""
    if isinstance(random_state, Integral):
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def seeded(estimator, seeds):
    """Give every random part that has no seed of its own one for this split.

    The seeds do not depend on the method's name or place, so that two methods with
    the same random part share its draws: comparisons stay paired.
    """
    open_names = [
        name
        for name, value in sorted(estimator.get_params(deep=True).items())
        if name.split("__")[-1] == "random_state" and value is None
    ]
    states = np.random.SeedSequence(seeds).generate_state(len(open_names))
    return estimator.set_params(
        **{name: int(state) for name, state in zip(open_names, states, strict=True)}
    )


def _set_memory(estimator, directory):
    """Let estimators that can keep their calibration do so from one size to the next.

    A pipeline's own memory is left alone: it would store each size's fitted steps,
    none of which is asked for twice.
    """
    params = estimator.get_params(deep=True)
    for name, value in params.items():
        owner, _, own_name = name.rpartition("__")
        holder = params.get(owner) if owner else estimator
        if own_name == "memory" and value is None and not isinstance(holder, Pipeline):
            estimator.set_params(**{name: joblib.Memory(directory, verbose=0)})


def _predict(fitted, X):
    predicted = np.asarray(fitted.predict(X), dtype=np.float64)
    if predicted.shape == (len(X), 1):
        predicted = predicted.ravel()
    return _checked(predicted, None, X)


def _checked(predicted, sizes, X):
    """Return scores, of shape (n_sizes, n_models) or (n_models,), that can be used."""
    name = "predict" if sizes is None else "predict_path"
    shape = (len(X),) if sizes is None else (len(sizes), len(X))
    predicted = np.asarray(predicted, dtype=np.float64)
    if sizes is None and predicted.ndim == 2 and predicted.shape[0] == len(X):
        raise ValueError(
            f"predict returned shape {predicted.shape} for {len(X)} models, scores for "
            f"{predicted.shape[1]} targets, and a curve is of one. Evaluate one target "
            "at a time, or all by cross_validate(estimator, X, "
            "cv=ShuffleSplit(20, test_size=0.5)): a selector's own score is the mean "
            "agreement over its targets."
        )
    if predicted.shape != shape:
        raise ValueError(
            f"{name} returned shape {predicted.shape} for {len(X)} models: one number "
            "for each is needed."
        )
    if np.isinf(predicted).any():
        place = np.argwhere(np.isinf(predicted))[0]
        raise ValueError(
            f"{name} returned {predicted[tuple(place)]} at position {place[-1]}: "
            "scores must be finite, or NaN for a model that has none."
        )
    return predicted


def _positions(of_test, of_train):
    everyone = np.r_[of_test, of_train]
    known = 1.0 * ~np.isnan(everyone)
    ranks = weighted_midranks(everyone, known[None, :])[0]
    positions = (ranks - 0.5) / max(known.sum(), 1)
    return np.where(known > 0, positions, np.nan)[: len(of_test)]
