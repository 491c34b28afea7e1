"""What is evaluated, and on which models, checked and put into one form."""

import warnings

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from skirt._responses import check_responses
from skirt._sklearn_compat import FrozenEstimator
from skirt.metrics import full_benchmark_score
from skirt.metrics._agreement import finite_vector
from skirt.metrics._full_score import ResponseTable, binarize_of
from skirt.metrics._labels import check_same_models

_FEWEST_MODELS = 10


def name_estimators(estimators, needed=("fit", "predict", "get_params")):
    """Return a dict of name to estimator, whatever form they were given in.

    Parameters
    ----------
    estimators : estimator, list or dict of str to estimator
        A list may also hold pairs of a name and an estimator.
    needed : sequence of str
        The methods that each must have.

    Returns
    -------
    dict of str to estimator
    """
    if isinstance(estimators, dict):
        pairs = list(estimators.items())
    elif isinstance(estimators, (list, tuple)):
        pairs = [e if isinstance(e, tuple) else (None, e) for e in estimators]
    else:
        pairs = [(None, estimators)]
    if not pairs:
        raise ValueError("There is no estimator: pass at least one.")
    named: dict = {}
    for name, estimator in pairs:
        if isinstance(estimator, type):
            raise TypeError(
                f"{estimator.__name__} is a class: pass an estimator made from it, "
                f"such as {estimator.__name__}()."
            )
        lacking = [method for method in needed if not hasattr(estimator, method)]
        if lacking:
            raise TypeError(
                f"{estimator!r} has no {lacking[0]}: it needs "
                f"{', '.join(needed[:-1])} and {needed[-1]}."
            )
        if name is None:
            name = base = _type_name(estimator)
            number = 1
            while name in named:
                number += 1
                name = f"{base}-{number}"
        elif str(name) in named:
            raise ValueError(f"Two estimators are called {str(name)!r}: rename one.")
        named[str(name)] = estimator
    return named


def warn_of_refits(methods):
    """Warn where a fitted bank inside an estimator will be calibrated anew.

    Cloning takes away what was fitted, so that the estimator itself cannot tell.
    """
    for name, estimator in methods.items():
        params = estimator.get_params(deep=True)
        for path, value in params.items():
            owner, _, own_name = path.rpartition("__")
            frozen = isinstance(params.get(owner), FrozenEstimator)
            if own_name != "estimator" or frozen or not is_fitted(value):
                continue
            if not is_fitted(clone(value)):
                warnings.warn(
                    f"{name}: the fitted {type(value).__name__} in {path!r} is fitted "
                    "anew on the models of every split. To keep it as it is, pass "
                    "FrozenEstimator(bank), but of no bank that knows these models.",
                    UserWarning,
                    stacklevel=4,
                )


def is_fitted(value):
    """Whether a value is an estimator that is fitted."""
    if not hasattr(value, "fit"):
        return False
    try:
        check_is_fitted(value)
    except NotFittedError:
        return False
    return True


def _type_name(estimator):
    if isinstance(estimator, Pipeline):
        return "+".join(type(step).__name__ for _, step in estimator.steps)
    return type(estimator).__name__


def check_reference(estimators, X, y):
    """Check the responses and return the scores that subsets are to reproduce."""
    if y is None:
        binarize = binarize_of(*estimators)
    else:
        # Only the table is checked here: estimators may binarize as each likes.
        binarize = binarize_of(*list(estimators)[:1])
    responses = check_responses(ResponseTable(), X, reset=True, binarize=binarize)
    n_models = len(responses)
    if n_models < _FEWEST_MODELS:
        raise ValueError(
            f"There are {n_models} models and at least {_FEWEST_MODELS} are needed: "
            "with fewer, halves of the panel hold too few models to rank, and the "
            "agreement is mostly chance. Add models, or choose a size without it."
        )
    if y is None:
        return full_benchmark_score(X, binarize=binarize)
    scores = finite_vector(y, "y")
    if len(scores) != n_models:
        raise ValueError(f"y has {len(scores)} values and X {n_models} models.")
    check_same_models(X, y, "X", "y")
    return scores


def check_groups(groups, X):
    """Return the groups, None if not given, and each model's group as a number."""
    n_models = len(X)
    if groups is None:
        return None, np.arange(n_models)
    labelled, groups = groups, np.asarray(groups)
    if groups.ndim == 2 and groups.shape[1] == 1:
        groups = groups[:, 0]
    if groups.shape != (n_models,) or pd.isna(groups).any():
        raise ValueError(
            f"groups must name a group for each of the {n_models} models, none "
            f"missing; it has shape {groups.shape}."
        )
    check_same_models(X, labelled, "X", "groups")
    codes, names = pd.factorize(groups)
    if len(names) < 2:
        raise ValueError(
            f"All {n_models} models are in one group, {str(names[0])!r}, and at least "
            "two groups are needed: groups stay whole, so that one cannot be split "
            "into models to train on and models to test. Leave groups out if its "
            "models are not variants of one another."
        )
    return groups, codes
