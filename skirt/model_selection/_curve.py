"""Agreement with the full benchmark on held-out models, by subset size."""

import warnings
from numbers import Integral, Real

import numpy as np
import pandas as pd
from sklearn.utils._param_validation import Interval, validate_params
from sklearn.utils.parallel import Parallel, delayed

from skirt.model_selection._bootstrap import (
    bootstrap_interval,
    draw_multiplicities,
    mean_of_finite,
    pooled_agreements,
    split_agreements,
)
from skirt.model_selection._inputs import (
    check_groups,
    check_reference,
    name_estimators,
    warn_of_refits,
)
from skirt.model_selection._messages import repeat_warnings, warn_of_splits
from skirt.model_selection._result import AgreementCurve, make_tables
from skirt.model_selection._sizes import check_sizes, size_parameter
from skirt.model_selection._split import evaluate_split, one_seed
from skirt.model_selection._splits import make_splits


@validate_params(
    {
        "n_jobs": [Integral, None],
        "n_bootstrap": [Interval(Integral, 0, None, closed="left")],
        "confidence": [Interval(Real, 0, 1, closed="neither")],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    },
    prefer_skip_nested_validation=False,
)
def agreement_curve(
    estimators,
    X,
    y=None,
    *,
    k=(5, 10, 20, 50, 100),
    cv=None,
    groups=None,
    n_jobs=None,
    n_bootstrap=200,
    confidence=0.95,
    random_state=0,
    verbose=0,
):
    """Measure how well subsets of growing size rank models that did not choose them.

    In every split of the models each estimator is fitted on the one part and ranks
    the other; its agreement there with the full-benchmark score is Spearman's rho.
    All estimators see the same splits, so that they can be compared in pairs.

    Parameters
    ----------
    estimators : estimator, dict of str to estimator, or list
        What chooses the items and scores the models: anything with ``fit(X, y)``,
        ``predict(X)`` and one parameter for the number of items, ``k`` or
        ``n_items``, its own or that of one step of a pipeline. In a list the
        elements are estimators or (name, estimator) pairs. They are cloned, never
        fitted themselves. Beware of a frozen bank that was calibrated on these
        models: that is leakage.
    X : array-like or DataFrame of shape (n_models, n_items)
        Responses 0, 1 or NaN (or what the estimators' ``binarize`` makes of them).
    y : array-like of shape (n_models,), default=None
        The scores that the subsets are to reproduce. None computes
        ``full_benchmark_score(X)``, once, on all models. Labels, if both have them,
        must be those of `X` in the same order.
    k : int or sequence of int, default=(5, 10, 20, 50, 100)
        The numbers of items to test. Numbers above n_items are left out with a
        warning.
    cv : int, splitter or iterable of (train, test), default=None
        None is 20 random half splits of the models; a number is that many shuffled
        folds.
    groups : array-like of shape (n_models,), default=None
        The family of each model (variants, seeds, trials of one). Families stay
        whole, in the splits and in the resampling. Estimators whose `fit` has a
        parameter ``groups``, such as :class:`~skirt.FisherSubsetSelector` and
        :class:`~skirt.AutoSubsetSelector`, get those of the train models, as steps of
        a pipeline too; with scikit-learn's metadata routing enabled, those that
        request them.
    n_jobs : int, default=None
        Tasks at a time, one for each estimator and split, through joblib:
        ``joblib.parallel_config(backend="dask")`` spreads them over a cluster. The
        result does not depend on it.
    n_bootstrap : int, default=200
        Resamplings for the intervals; 0 leaves them NaN.
    confidence : float, default=0.95
        The level of the intervals.
    random_state : int, RandomState instance or None, default=0
        Seeds the splits, the resampling, and every ``random_state`` of an estimator,
        nested too, that is None: that one differs from split to split, so that a
        random baseline is averaged over as many draws as there are splits. A seed
        that was set by the user stays, and then every split shares its draw.
    verbose : int, default=0
        Above 0 every finished task is told on the standard error stream.

    Returns
    -------
    AgreementCurve
        With ``smallest_k(target)``, ``saving(target)``, ``break_even(target)``,
        ``to_frame()``, ``split_scores`` and ``protocol``.

    Raises
    ------
    ValueError
        With fewer than 10 models, when an estimator has no or several size
        parameters, when no k fits, when `y` or `groups` have other labels than `X`,
        when there is only one group, when splits share models, split groups, repeat
        a test model or name rows that are not there, and when an estimator predicts
        infinity.
    TypeError
        When an estimator is a class or cannot be fitted and predict.

    Warns
    -----
    UserWarning
        Where sizes are left out, a fitted bank is refitted, test sets have fewer
        than 5 models, predictions are constant (agreement 0) or NaN (model left out
        of that split for that method and size), or an agreement is undefined (split
        left out of the mean). Warnings of the estimators are summed up, one for each
        kind.

    See Also
    --------
    smallest_subset : The same rule for the size as ``refit`` of a grid search.
    skirt.metrics.full_benchmark_score : The score that is to be reproduced.

    Notes
    -----
    An estimator is fitted once per split, at the largest size, if it is a selector
    whose smaller subsets are prefixes of the larger (``nested_``), and once per size
    otherwise; a ``memory`` parameter that is None then holds a temporary cache, so
    that even so the items are calibrated once per split.

    Intervals come from resampling the models (whole groups), the fitted subsets
    kept: in each resampling the agreement of every split is computed with the
    models' multiplicities and averaged over splits. The percentiles are recentred on
    the estimate on Fisher's z scale, because models drawn twice tie and lower the
    agreement. Standard errors over splits would be too small: splits share models.

    The pooled value suits small test sets: every test model gets the position of its
    prediction among the predictions for all models of that split, and the positions
    of all splits together are compared with `y`.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.feature_selection import SelectKBest, f_regression
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.pipeline import make_pipeline
    >>> from skirt.model_selection import agreement_curve
    >>> rng = np.random.default_rng(0)
    >>> X = (rng.random((40, 60)) < np.linspace(0.2, 0.8, 40)[:, None]).astype(int)
    >>> curve = agreement_curve(
    ...     {"ridge": make_pipeline(SelectKBest(f_regression), Ridge())},
    ...     X,
    ...     k=[5, 20, 40],
    ... )
    >>> curve
    AgreementCurve of 40 models x 60 items
    20 random half splits (seed 0); intervals of 95 % from 200 resamplings of 40 models
    mean held-out agreement (Spearman's rho)
             k=5   k=20   k=40 k* (.90)
    ridge  0.788  0.918  0.963       20
    >>> curve.saving(0.9)
    method
    ridge    0.666667
    Name: saving, dtype: float64
    """
    methods = name_estimators(estimators)
    size_names = [size_parameter(est, name) for name, est in methods.items()]
    X = X if isinstance(X, pd.DataFrame) else np.asarray(X)
    y = check_reference(methods.values(), X, y)
    n_models, n_items = X.shape
    sizes, too_large = check_sizes(k, n_items)
    if too_large:
        warnings.warn(
            f"k={too_large} left out: there are only {n_items} items.",
            UserWarning,
            stacklevel=3,
        )
    warn_of_refits(methods)
    groups, group_of_model = check_groups(groups, X)
    seed = one_seed(random_state)
    splits, words = make_splits(cv, X, y, groups, seed)
    tests = [test for _, test in splits]
    names = list(methods)
    results = Parallel(n_jobs=n_jobs)(
        delayed(evaluate_split)(
            estimator,
            size_name=size_name,
            sizes=sizes,
            X=X,
            y=y,
            groups=groups,
            train=train,
            test=test,
            seeds=(seed, split),
            label=f"{name}, split {split + 1} of {len(splits)}",
            verbose=verbose,
        )
        for split, (train, test) in enumerate(splits)
        for (name, estimator), size_name in zip(
            methods.items(), size_names, strict=True
        )
    )
    repeat_warnings(names, [caught for *_, caught in results], len(splits))
    predictions = _by_split([result[0] for result in results], len(names))
    positions = _by_split([result[1] for result in results], len(names))
    draws = draw_multiplicities(
        group_of_model, n_bootstrap, np.random.default_rng(seed)
    )
    agreements = split_agreements(y, tests, predictions, draws)
    means = mean_of_finite(agreements)
    warn_of_splits(names, sizes, tests, predictions, agreements[:, :, 0])
    table, split_scores = make_tables(
        names,
        sizes,
        n_items,
        scores=agreements[:, :, 0],
        means=means[:, 0],
        intervals=bootstrap_interval(means[:, 0], means[:, 1:], confidence),
        pooled=pooled_agreements(y, tests, positions),
    )
    n_groups = int(group_of_model.max()) + 1
    whole = "" if groups is None else f" in {n_groups} groups kept whole"
    return AgreementCurve(
        methods=tuple(names),
        k=tuple(sizes),
        n_models=n_models,
        n_groups=n_groups,
        n_items=n_items,
        n_answers=int(np.count_nonzero(np.asarray(pd.notna(X)))),
        protocol=f"{words}; intervals of {100 * confidence:g} % from {n_bootstrap} "
        f"resamplings of {n_models} models{whole}",
        split_scores=split_scores,
        table=table,
    )


def _by_split(arrays, n_methods):
    """Stack the methods' (n_sizes, n_test) arrays of each split."""
    return [
        np.vstack(arrays[start : start + n_methods])
        for start in range(0, len(arrays), n_methods)
    ]
