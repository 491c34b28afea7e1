"""How well held-out responses are predicted, by models of them and by means."""

import warnings
from numbers import Integral

import numpy as np
import pandas as pd
from sklearn.utils._param_validation import Interval, validate_params
from sklearn.utils.parallel import Parallel, delayed

from skirt._responses import BINARIZE_CONSTRAINT, check_responses, item_names
from skirt._twopl import TwoPLEstimator
from skirt.metrics._full_score import ResponseTable
from skirt.model_selection._cell_baselines import (
    BASELINES,
    Cells,
    OneAbilityPerPart,
    mean_baselines,
    too_few_models,
)
from skirt.model_selection._cell_folds import (
    draw_folds,
    predict_fold,
    with_labels,
)
from skirt.model_selection._cell_inputs import (
    common_threshold,
    item_parts,
    named_predictors,
)
from skirt.model_selection._cell_metrics import score_methods
from skirt.model_selection._cell_scores import CellScores
from skirt.model_selection._inputs import check_groups, warn_of_refits
from skirt.model_selection._messages import repeat_warnings
from skirt.model_selection._split import one_seed


@validate_params(
    {
        "by": [str],
        "category": [str, None],
        "cv": [Interval(Integral, 2, None, closed="left")],
        "baselines": ["boolean"],
        **BINARIZE_CONSTRAINT,
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    },
    prefer_skip_nested_validation=False,
)
def cross_val_responses(
    estimators,
    X,
    *,
    items=None,
    by="benchmark",
    category=None,
    cv=10,
    groups=None,
    baselines=True,
    binarize=None,
    random_state=None,
    n_jobs=None,
    verbose=0,
):
    """Measure how well responses are predicted that were not seen.

    Single cells of the response matrix are held out, a random tenth of every model's
    answers at a time, each once. Every estimator is fitted on the matrix with these
    missing and predicts them: how many dimensions a panel supports, and whether a model
    of them says more than the models' means, shows here.

    Parameters
    ----------
    estimators : estimator, list or dict of str to estimator
        Anything with ``fit``, ``transform`` and ``inverse_transform``, of which
        ``inverse_transform(transform(X))`` are the probabilities of the answer 1; for
        ``transform(X)`` stands ``ability_`` where a fit has left it. They are cloned,
        never fitted themselves. Beware of a frozen bank that was calibrated on these
        responses: that is leakage.
    X : array-like or DataFrame of shape (n_models, n_items)
        Responses 0, 1 or NaN.
    items : DataFrame of n_items rows, default=None
        The item table: a row for each item, named by its index or by a column `item`
        or `item_id`. Rows may be in another order than the columns of `X`. Without
        names in either of them rows belong to columns by position. None puts all
        items into one benchmark, "all".
    by : str, default="benchmark"
        The column of `items` that names the benchmark of each, or whatever else the
        scores are to be told apart by.
    category : str, default=None
        A column of `items` for the baselines by category, usually coarser than `by`.
    cv : int, default=10
        The number of folds, at least 2.
    groups : array-like of shape (n_models,), default=None
        The family of each model (variants, seeds, trials of one). Its answers to one
        item are held out together, so that no sibling gives them away.
    baselines : bool, default=True
        Whether to add what must be beaten; see Notes.
    binarize : float or None, default=None
        None is strict, or what the estimators do; a number t counts values above t as
        1. The estimators get zeros and ones.
    random_state : int, RandomState instance or None, default=None
        Seeds the folds, and every ``random_state`` of an estimator that is None.
    n_jobs : int, default=None
        Fits at a time, through joblib. The result does not depend on it.
    verbose : int, default=0
        Above 0 every finished fit is told on the standard error stream.

    Returns
    -------
    CellScores
        With ``to_frame()``, ``summary()``, ``compare(reference)``, ``predictions``
        and ``folds``.

    Raises
    ------
    TypeError
        When an estimator is a class or lacks a method, or `items` is no DataFrame.
    ValueError
        When the item table does not fit the columns of `X` (items missing, unknown or
        there twice, no such column, a missing value), there are fewer responses than
        folds, all models are in one group, `groups` have other labels than `X`, or
        what an estimator predicts is no probability.

    Warns
    -----
    UserWarning
        When responses are held out to items, or of models, that have no other.
        Warnings of the estimators are summed up, one for each kind.

    See Also
    --------
    agreement_curve : Held-out models rather than responses.

    Notes
    -----
    A model's answers are dealt to the folds evenly to within one, in all and within
    each benchmark, and no fold gets all answers to an item, unless the item was asked
    of one model (or group) only. Such an item, like a model with a single answer, has
    no training response: its cells are held out all the same, and each method says
    of them what it says of an item or model that it knows nothing of. ``n_fallback``
    counts these cells, and for the baselines those where a mean has no training cell:

    - "model mean": of the model's training cells; without any, the mean of all.
    - "model x category mean" (with `category`): without any, the model's mean.
    - "model x benchmark mean" (with `items`): without any, the one before.
    - "item mean": without any, that of its benchmark, then of all.
    - "model + item mean": logits of the two means, each with one average answer
      added, less the logit of the mean of all.
    - "1-D IRT": ``TwoPLEstimator()``.
    - "1-D IRT per category" ("per benchmark" without `category`): one for each, on the
      models that have answers there; others get the average ability, and where fewer
      than two have any, the mean.

    Those that need several benchmarks or categories are left out where there is one.

    Probabilities are taken to be within [.001, .999] in the log-loss, for every method
    alike, and nowhere else. The area under the curve pools cells of all folds. The
    correlation of the models' predicted and observed means is taken fold by fold and
    averaged: pooled over folds, a model's mean would predict itself. (Items' means do
    not rank models; below 0 they come out because they lack the model's own answer.)

    References
    ----------
    Wold, S. (1978). Cross-validatory estimation of the number of components in factor
    and principal components models. Technometrics 20, 397-405.

    Examples
    --------
    >>> from skirt import TwoPLEstimator
    >>> from skirt.datasets import make_responses
    >>> from skirt.model_selection import cross_val_responses
    >>> panel = make_responses(40, 100, random_state=0)
    >>> scores = cross_val_responses(
    ...     {"2PL": TwoPLEstimator()}, panel.data, cv=5, random_state=0
    ... )
    >>> scores.summary()[["mae", "log_loss", "auc"]].round(3)
                         mae  log_loss    auc
    method
    2PL                0.367     0.550  0.785
    1-D IRT            0.367     0.550  0.785
    model + item mean  0.381     0.559  0.777
    model mean         0.423     0.617  0.707
    item mean          0.439     0.650  0.666
    >>> table = scores.compare("model + item mean")
    >>> table = table.query("method == '2PL' and metric == 'log_loss'")
    >>> table[["average", "difference", "low", "high"]].round(3)
      average  difference    low   high
    2   macro      -0.009 -0.015 -0.003
    5   micro      -0.009 -0.015 -0.003
    """
    methods = named_predictors(estimators, BASELINES if baselines else ())
    X = X if isinstance(X, pd.DataFrame) else np.asarray(X)
    threshold = common_threshold(binarize, methods)
    reader = ResponseTable()
    responses = check_responses(reader, X, reset=True, binarize=threshold, min_models=2)
    names = item_names(reader).tolist()
    labelled = isinstance(X, pd.DataFrame)
    labels = (X.index, pd.Index(names, dtype=object)) if labelled else None
    benchmark, benchmarks, part, parts = item_parts(
        items, by, category, names, labelled
    )
    warn_of_refits(methods)
    groups, group_of_model = check_groups(groups, X)
    seed = one_seed(random_state)
    observed = ~np.isnan(responses)
    folds = draw_folds(
        observed,
        cv,
        benchmark=benchmark,
        group_of_model=group_of_model,
        rng=np.random.default_rng(seed),
    )
    model, item = (rows.astype(np.int32) for rows in np.nonzero(observed))
    cells = Cells(
        x=responses[observed],
        model=model,
        item=item,
        fold=folds[observed],
        benchmark=benchmark[item],
        category=part[item],
    )
    unseen = cells.unseen()
    _warn_of_unseen(unseen, item, labels)
    fitted, fell_back = dict(methods), dict.fromkeys(methods, unseen)
    means: dict = {}
    if baselines:
        fitted["1-D IRT"], fell_back["1-D IRT"] = TwoPLEstimator(), unseen
        if len(parts) > 1:
            name = f"1-D IRT per {'benchmark' if category is None else 'category'}"
            fitted[name] = OneAbilityPerPart(TwoPLEstimator(), part)
            alone = too_few_models(cells, cells.category)
            fell_back[name] = cells.unseen(cells.category) | alone
        means = dict(
            mean_baselines(
                cells,
                with_benchmark=len(benchmarks) > 1,
                with_category=category is not None and len(parts) > 1,
            )
        )
        fell_back |= {name: coarser for name, (_, coarser) in means.items()}
    results = Parallel(n_jobs=n_jobs)(
        delayed(predict_fold)(
            estimator,
            X=responses,
            labels=labels,
            folds=folds,
            fold=fold,
            seed=seed,
            label=f"{name}, fold {fold + 1} of {cv}",
            verbose=verbose,
        )
        for fold in range(cv)
        for name, estimator in fitted.items()
    )
    repeat_warnings(list(fitted), [caught for _, caught in results], cv)
    predicted = {name: np.empty(cells.x.size) for name in methods}
    predicted |= {name: p for name, (p, _) in means.items()}
    for number, name in enumerate(fitted):
        p = predicted.setdefault(name, np.empty(cells.x.size))
        for fold in range(cv):
            p[cells.fold == fold] = results[fold * len(fitted) + number][0]
    table, sums, counts = score_methods(
        cells,
        predicted,
        fell_back,
        benchmarks=benchmarks,
        n_models=len(responses),
        n_folds=cv,
    )
    n_groups = int(group_of_model.max()) + 1
    whole = "" if groups is None else f"; {n_groups} groups of models kept together"
    return CellScores(
        methods=tuple(predicted),
        baselines=tuple(name for name in predicted if name not in methods),
        benchmarks=tuple(benchmarks),
        n_models=len(responses),
        n_groups=n_groups,
        n_items=responses.shape[1],
        n_cells=cells.x.size,
        protocol=f"{cells.x.size} responses held out in {cv} random folds "
        f"(seed {seed}){whole}",
        predictions={
            name: _as_matrix(p, observed, labels) for name, p in predicted.items()
        },
        folds=folds,
        table=table,
        loss_sums=sums,
        cell_counts=counts,
        group_of_model=group_of_model,
    )


def _warn_of_unseen(unseen, item, labels):
    if unseen.any():
        first = item[unseen][0] if labels is None else labels[1][item[unseen][0]]
        warnings.warn(
            f"{unseen.sum()} of {unseen.size} responses (the first is to item {first}) "
            "leave no other to their item, or of their model, when they are held out: "
            "methods can only say of them what they say of items or models they know "
            "nothing of. n_fallback counts them; groups make them more.",
            UserWarning,
            stacklevel=4,
        )


def _as_matrix(values, observed, labels):
    matrix = np.full(observed.shape, np.nan)
    matrix[observed] = values
    return with_labels(matrix, labels)
