"""The rules of the response matrix: 1, 0 or missing, and nothing else."""

import numbers

import numpy as np
import pandas as pd
from sklearn.utils._param_validation import Interval

from skirt._sklearn_compat import validate_data

BINARIZE_CONSTRAINT = {
    "binarize": [None, Interval(numbers.Real, None, None, closed="neither")]
}

# Values are looked at in blocks of rows, so that checking a large matrix never
# needs a temporary of its size.
_BLOCK_CELLS = 1 << 20


def model_names(X, n_models):
    """Return the row labels of a table as strings; model0, model1, ... without."""
    if isinstance(X, pd.DataFrame):
        return np.asarray([str(name) for name in X.index], dtype=object)
    return np.asarray([f"model{i}" for i in range(n_models)], dtype=object)


def item_names(estimator):
    """Return the names of the fitted items; item0, item1, ... where X had none."""
    names = getattr(estimator, "feature_names_in_", None)
    if names is not None:
        return np.asarray(names, dtype=object)
    return np.asarray([f"item{j}" for j in range(estimator.n_features_in_)], object)


def forget_fit(estimator):
    """Delete what an earlier fit has left, so that a failing one leaves nothing."""
    for name in list(vars(estimator)):
        if name.endswith("_") and not name.startswith("__"):
            delattr(estimator, name)


def check_responses(estimator, X, *, reset, binarize=None, min_models=1):
    """Validate a response matrix and return it as floats 0, 1 and NaN.

    Parameters
    ----------
    estimator : estimator
        Receives ``n_features_in_`` and ``feature_names_in_`` when `reset`.
    X : array-like or DataFrame of shape (n_models, n_items)
        The responses. Never written to.
    reset : bool
        True in `fit`; False where `X` must have the fitted items.
    binarize : float or None
        None is strict; a number t maps x > t to 1 and x <= t to 0.
    min_models : int
        The fewest rows that make sense to the caller.

    Returns
    -------
    ndarray of shape (n_models, n_items), float64
        The input's own memory where that already was float64 and valid.

    Raises
    ------
    ValueError
        On duplicate item names, strings, infinities and, with ``binarize=None``,
        any value but 0, 1 and missing; the message names value, model and item.
    """
    if reset:
        forget_fit(estimator)
    items = None
    models = None
    if isinstance(X, pd.DataFrame):
        X, items = _table_to_floats(X)
        models = X.index
    else:
        array = X if hasattr(X, "dtype") else np.asarray(X)
        if getattr(array, "dtype", None) is not None and array.dtype.kind in "USO":
            _refuse_strings(array)
            if array.dtype.kind == "O":
                array = _missing_to_nan(array)
        X = array
    # Infinity is looked for here, because validate_data cannot say where it is.
    if isinstance(X, pd.DataFrame):
        raw = X.to_numpy()
    else:
        raw = X
    if isinstance(raw, np.ndarray) and raw.ndim == 2 and raw.dtype.kind == "f":
        bad = _first_cell(raw, np.isinf)
        if bad is not None:
            i, j = bad
            raise ValueError(
                f"{_where(i, j, models, items)} is infinity: a response is 0, 1 or "
                "NaN (not administered). Correct the value, or make it NaN."
            )
    out = validate_data(
        estimator,
        X,
        reset=reset,
        dtype=np.float64,
        ensure_all_finite="allow-nan",
        ensure_min_samples=min_models,
    )
    if binarize is None:
        bad = _first_cell(out, _not_a_response)
        if bad is not None:
            i, j = bad
            raise ValueError(
                f"{_where(i, j, models, items)} is {out[i, j]:g}: a response is 0, 1 "
                "or NaN (not administered). Remove or recode the item, or pass "
                "binarize=t to count values above t as 1."
            )
        return out
    return _binarized(out, binarize)


def _binarized(X, threshold):
    out = np.empty(X.shape)
    np.greater(X, threshold, out=out, casting="unsafe")
    missing = np.isnan(X)
    if missing.any():
        out[missing] = np.nan
    return out


def _table_to_floats(X):
    """Return the table with string item names and plain numeric values."""
    names = [str(name) for name in X.columns]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(
            f"Item name {twice!r} occurs more than once: rename or drop one of the "
            "columns, since items are matched by name."
        )
    if not names:
        # Without columns there are no dtypes to look at; scikit-learn says the rest.
        return np.empty(X.shape), names
    plain = all(isinstance(t, np.dtype) and t.kind in "biuf" for t in X.dtypes)
    if not plain:
        for position, (name, dtype) in enumerate(zip(names, X.dtypes, strict=True)):
            column = X.iloc[:, position]
            if isinstance(dtype, np.dtype) and dtype.kind in "biuf":
                continue
            if pd.api.types.is_numeric_dtype(dtype) or dtype == "boolean":
                continue
            strange = column[[_is_strange(v) for v in column]]
            if len(strange):
                value = strange.iloc[0]
                kind = "the string " if isinstance(value, str) else ""
                raise ValueError(
                    f"Model {str(strange.index[0])!r}, item {name!r} is {kind}"
                    f"{value!r}: a response is 0, 1 or NaN (not administered). Convert "
                    "the column to numbers, or drop it if it is not an item."
                )
        X = pd.DataFrame(
            _missing_to_nan(X.to_numpy(dtype=object, na_value=np.nan)), index=X.index
        )
    return X.set_axis(pd.Index(names, dtype=object), axis=1), names


def _missing_to_nan(array):
    """Turn None and pandas' NA in an object array into NaN, and floats out of it."""
    array = np.asarray(array)
    missing = pd.isna(array)
    if missing.any():
        array = array.copy()
        array[missing] = np.nan
    if all(isinstance(v, (numbers.Real, np.bool_)) for v in array.flat):
        return array.astype(np.float64)
    return array  # validate_data raises scikit-learn's own TypeError


def _refuse_strings(array):
    if array.ndim != 2:
        return
    for (i, j), value in np.ndenumerate(array):
        if isinstance(value, str | bytes):
            raise ValueError(
                f"{_where(i, j, None, None)} is the string {str(value)!r}: a response "
                "is 0, 1 or NaN (not administered). Convert the strings to numbers."
            )


def _is_strange(value):
    """Whether a table's value is neither a real number nor missing."""
    if isinstance(value, numbers.Real | np.bool_):
        return False
    return not (pd.api.types.is_scalar(value) and pd.isna(value))


def _not_a_response(block):
    return ~((block == 0) | (block == 1) | np.isnan(block))


def _first_cell(X, wrong):
    """Return (row, column) of the first cell for which `wrong` is true, or None."""
    rows = max(1, _BLOCK_CELLS // max(1, X.shape[1]))
    for start in range(0, X.shape[0], rows):
        mask = wrong(X[start : start + rows])
        if mask.any():
            i, j = np.argwhere(mask)[0]
            return start + int(i), int(j)
    return None


def _where(i, j, models, items):
    model = f"Model {str(models[i])!r}" if models is not None else f"Row {i}"
    item = f"item {items[j]!r}" if items is not None else f"item {j}"
    return f"{model}, {item}"
