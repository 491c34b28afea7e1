"""Agreement: Spearman's rank correlation of two rankings of the same models."""

import warnings

import numpy as np
import pandas as pd
from sklearn.exceptions import UndefinedMetricWarning

from skirt.metrics._full_score import binarize_of, full_benchmark_score
from skirt.metrics._labels import check_same_models
from skirt.metrics._ranks import spearman


def agreement_score(y_true, y_pred, *, sample_weight=None):
    """Spearman's rank correlation of two scores of the same models.

    Tied values get the average of their ranks. On its own the number says nothing
    about how a subset of items does on new models: compute it on models that did
    not choose the subset.

    Models are paired by position; labels, where both have them, must agree.

    Parameters
    ----------
    y_true : array-like of shape (n_models,)
        The reference scores, usually on the full benchmark.
    y_pred : array-like of shape (n_models,)
        The scores that are judged, usually from a subset of the items.
    sample_weight : array-like of shape (n_models,), default=None
        How often each model counts; whole numbers are the same as repeated models.

    Returns
    -------
    float
        Between -1 and 1. Constant `y_pred` gives 0, constant `y_true` (and a single
        model) NaN; both warn.

    Raises
    ------
    ValueError
        On NaN or infinity, on different lengths, without any model, and where the
        labels of two Series are in another order or of other models. Integer labels,
        such as the default 0, 1, ..., do not contradict names.

    Warns
    -----
    UndefinedMetricWarning
        When `y_pred` or `y_true` is constant, and for fewer than three models, whose
        agreement can only be -1, 0 or 1.

    See Also
    --------
    agreement_scorer : The same for an estimator, as a scorer.
    skirt.model_selection.agreement_curve : Agreement on held-out models by size.

    References
    ----------
    Spearman, C. (1904). The proof and measurement of association between two things.
    The American Journal of Psychology, 15(1), 72-101.

    Examples
    --------
    >>> from skirt.metrics import agreement_score
    >>> round(agreement_score([1, 2, 2.5, 2], [1, 3, 2.5, 4]), 6)
    0.316228
    """
    true = finite_vector(y_true, "y_true")
    pred = finite_vector(y_pred, "y_pred")
    if len(true) != len(pred):
        raise ValueError(
            f"y_true has {len(true)} models and y_pred {len(pred)}: pass one value of "
            "each for every model, in the same order."
        )
    if len(true) == 0:
        raise ValueError("There is no model to rank: pass at least two.")
    check_same_models(y_true, y_pred, "y_true", "y_pred")
    weight = None
    if sample_weight is not None:
        weight = finite_vector(sample_weight, "sample_weight")
        present = weight > 0
        if weight.shape != true.shape or not present.any() or weight.min() < 0:
            raise ValueError(
                f"sample_weight must be {len(true)} numbers, none negative and at "
                "least one positive."
            )
        check_same_models(y_true, sample_weight, "y_true", "sample_weight")
        true, pred, weight = true[present], pred[present], weight[present]
    _warn_if_undefined(true, pred)
    return spearman(true, pred, weight)


def agreement_scorer(estimator, X, y=None):
    """Agreement of an estimator's predictions with the full-benchmark score.

    A plain scorer for ``scoring=`` of scikit-learn's searches and cross-validation,
    with or without `y`. Use it where an estimator's own ``score`` is something else:
    in a pipeline that ends in an item response model that is a log-likelihood of the
    chosen items, which cannot be compared between sizes.

    Parameters
    ----------
    estimator : estimator
        Fitted, with ``predict(X)`` of shape (n_models,).
    X : array-like of shape (n_models, n_items)
        Responses 0, 1 or NaN (or what the estimator's ``binarize`` makes of them).
    y : array-like of shape (n_models,), default=None
        The reference scores; None means ``full_benchmark_score(X)`` of this `X`. If
        both have labels, these must agree.

    Returns
    -------
    float
        :func:`agreement_score` of the two.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.model_selection import KFold, cross_val_score
    >>> from skirt.metrics import agreement_scorer
    >>> X = np.tri(12, 11, -1)
    >>> cv = KFold(3, shuffle=True, random_state=0)
    >>> cross_val_score(
    ...     Ridge(), X, X.mean(axis=1), cv=cv, scoring=agreement_scorer
    ... ).round(2)
    array([0.95, 1.  , 1.  ])
    """
    if y is None:
        y = full_benchmark_score(X, binarize=binarize_of(estimator))
    elif len(y) == len(X):
        check_same_models(X, y, "X", "y")
    return agreement_score(y, estimator.predict(X))


def finite_vector(values, name):
    labels = None
    vector: np.ndarray
    if isinstance(values, (pd.Series, pd.DataFrame)):
        labels = values.index
        vector = values.to_numpy(dtype=np.float64, na_value=np.nan)
    else:
        vector = np.asarray(values, dtype=np.float64)
    if vector.ndim == 2 and vector.shape[1] == 1:
        vector = vector[:, 0]
    if vector.ndim != 1:
        raise ValueError(
            f"{name} has shape {vector.shape}: pass one number for each model."
        )
    wrong = np.flatnonzero(~np.isfinite(vector))
    if len(wrong):
        first = wrong[0]
        model = "" if labels is None else f" (model {str(labels[first])!r})"
        raise ValueError(
            f"{name} is {vector[first]} at position {first}{model}, and {len(wrong)} "
            f"of {len(vector)} values are not finite: such a model has no rank. Leave "
            "it out of both, or score it first."
        )
    return vector


def _warn_if_undefined(true, pred):
    n_models = len(true)
    if n_models == 1:
        message = "One model cannot be ranked: the agreement is NaN."
    elif (true == true[0]).all():
        message = (
            f"All {n_models} values of y_true are {true[0]:g}: there is no ranking to "
            "agree with, so the agreement is NaN."
        )
    elif (pred == pred[0]).all():
        message = (
            f"All {n_models} values of y_pred are {pred[0]:g}: it does not rank the "
            "models, so the agreement is 0."
        )
    elif n_models == 2:
        message = (
            "The agreement of two models can only be -1, 0 or 1: use larger test "
            "sets, or pool the predictions of several."
        )
    else:
        return
    warnings.warn(message, UndefinedMetricWarning, stacklevel=3)
