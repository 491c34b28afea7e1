"""What each benchmark of a panel really measures."""

import warnings
from numbers import Integral, Real

import numpy as np
import pandas as pd
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import HasMethods, Interval, validate_params

from skirt._responses import check_responses, item_names, model_names
from skirt.audit._audit_result import BenchmarkAudit
from skirt.audit._audit_tables import (
    benchmark_table,
    dimension_table,
    item_parameters_table,
    model_table,
    subgroup_table,
)
from skirt.audit._benchmark_figures import varying_items
from skirt.audit._benchmark_tests import FEWEST_GROUPS
from skirt.audit._item_table import check_item_table
from skirt.audit._leave_out import fit_whole, is_fixed, leave_out_each
from skirt.audit._refit import repeat_warnings
from skirt.audit._study import Study
from skirt.metrics._full_score import ResponseTable, binarize_of
from skirt.metrics._labels import check_same_models
from skirt.model_selection._bootstrap import draw_multiplicities
from skirt.model_selection._inputs import is_fitted


@validate_params(
    {
        "items": ["array-like"],
        "estimator": [HasMethods(["fit", "transform"]), None],
        "by": [str],
        "target": [str],
        "n_bootstrap": [Interval(Integral, 50, None, closed="left")],
        "alpha": [Interval(Real, 0, 1, closed="neither")],
        "subgroups": [str, "array-like", None],
        "max_refit_items": [Interval(Integral, 10, None, closed="left"), None],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    },
    prefer_skip_nested_validation=True,
)
def benchmark_audit(
    X,
    items,
    estimator=None,
    *,
    by="benchmark",
    target="target",
    groups=None,
    n_bootstrap=500,
    alpha=0.05,
    subgroups=None,
    max_refit_items=2000,
    random_state=0,
    n_jobs=None,
    verbose=0,
):
    """Find out what each benchmark measures, and whether it is what it claims.

    A multidimensional item response model of all items is fitted without being told
    which benchmark they belong to. Each benchmark's mean score is then correlated with
    every ability as the *other* benchmarks' items show it, and these correlations are
    tested against each other by resampling the models.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_models, n_items)
        Responses 0, 1 or NaN (or what the estimator's ``binarize`` makes of them). 1
        is the wanted outcome in every benchmark.
    items : DataFrame, or array-like of shape (n_items,)
        The item table: a row for each item, named by its index or by a column `item`
        or `item_id`, with the columns `by` and, if there are such, `target` and
        `subgroups`. Rows may be in another order than the columns of `X`. Without
        names in either of them rows belong to columns by position. Or only the
        benchmark of each column.
    estimator : estimator, default=None
        A :class:`~skirt.MultidimIRT`; None is ``MultidimIRT(2)``. It is cloned and
        fitted, to all items and without each benchmark. A fixed bank
        (:class:`sklearn.frozen.FrozenEstimator`, or one made
        ``from_item_parameters``) keeps its item parameters, and the models are scored
        on the other items. It should know other models only: what these models'
        answers to a benchmark have put into the axes, the tests would find there.
    by : str, default="benchmark"
        The column that says what is audited: benchmarks, or their categories.
    target : str, default="target"
        The column that says what each benchmark claims to measure, if there is one.
        Its values are labels ("safety", 0, ...), the abilities' names ("ability0"), or
        missing. See Notes for how labels find their abilities.
    groups : array-like of shape (n_models,), default=None
        The family of each model (variants, seeds, trials of one). Families are
        resampled whole. None takes every model by itself.
    n_bootstrap : int, default=500
        The number of resamplings.
    alpha : float, default=0.05
        The error rate of each family of tests (the probability of any false claim in
        it), and of the intervals.
    subgroups : str or sequence of str, default=None
        Columns that divide the benchmarks further, each tested by itself. None takes
        `category` and `subcategory` where the table has them; an empty list none.
    max_refit_items : int or None, default=2000
        How many of the other items the calibration without each benchmark takes at
        most, evenly spaced within the benchmarks. None takes all.
    random_state : int, RandomState instance or None, default=0
        Seeds the resampling and the halving of the models.
    n_jobs : int, default=None
        Calibrations at a time, through joblib. The result does not depend on it.
    verbose : int, default=0
        Above 0 the steps are told, above 1 each calibration.

    Returns
    -------
    BenchmarkAudit
        With the DataFrames ``benchmarks``, ``subgroups``, ``items``, ``models`` and
        ``dimensions``, the fitted ``estimator_``, ``summary()``, ``to_frame()`` and
        ``to_html(path)``.

    Raises
    ------
    ValueError
        If the item table lacks items of `X`, has others, names one twice or has no
        benchmark for one; if there is only one benchmark (nothing is left to estimate
        the abilities from); if `groups` do not fit the models.
    TypeError
        If the estimator has no discriminations in several dimensions.

    Warns
    -----
    UserWarning
        With fewer than 8 groups of models: the figures are given, no tests. Where an
        estimator that was fitted, and is no fixed bank, is fitted anew. Warnings of
        the calibrations are summed up, one for each kind.

    See Also
    --------
    skirt.datasets.make_multidim_responses : Benchmarks of which the truth is known.

    Notes
    -----
    *Correlations.* The correlation of a benchmark's mean score with an ability that is
    estimated from the same items is partly the correlation of the score with itself.
    Such `circular_correlation_...` are given to describe the solution, never tested.
    All tests are of the correlations with abilities from a calibration that the
    benchmark had no part in, turned to the axes of the whole solution (by the linear
    map of least squares over the models); they are corrected for the error of the
    abilities, not of the score. `recovered_...` is the correlation of those abilities
    with the whole solution's; where one is below .7, what the panel shows of that
    ability stands on the benchmark itself, and it is not tested. Nor is it where the
    other items hardly tell the abilities apart: some mixture of them has a
    `reliability` below .5.

    *Following and contradicting.* The difference of a benchmark's correlations with
    two abilities, its target and the strongest other (without a target the strongest
    and the next), is divided by its bootstrap standard error and referred to Student's
    t; p-values are adjusted over the benchmarks (Holm). With two abilities correlated
    :math:`\\phi` the difference is :math:`1 - \\phi` times that of their standardised
    weights in the score. A benchmark *follows* an ability that is ahead significantly
    and has at least twice the weight of any other. It *contradicts its target* if
    another ability is ahead significantly, has at least twice the target's weight and
    is itself linked with the score, and if another benchmark does follow the target.
    The last condition is what a panel with only one ability fails: its second one is
    noise, no benchmark follows it, and none can be said to miss it. Two benchmarks
    would have to be found, wrongly, on different sides.

    *Targets.* Which ability a label stands for is not known before the fit. Labels are
    matched with abilities so that the mean correlation of the benchmarks with their
    label's ability is largest: one to one while there are no more labels than
    abilities, otherwise each by itself. Numbers are labels too.

    *Sub-groups.* Each is compared with the rest of its benchmark on abilities from the
    other benchmarks: do both contain the abilities in the same proportions (Wald's
    test of the directions, Holm over all sub-groups)? They are said to differ if,
    beside that, the latent correlation of what they measure is below .9. Benchmarks
    are also searched for two kinds of items that no column tells apart: half of the
    models sort the items, the other half compare the two kinds, so that the error
    rate holds. A benchmark is *split* if sub-groups differ, or if the two kinds follow
    different abilities.

    *Discriminations.* Means are over the items on which models differ. Their intervals
    resample the models to first order, the abilities held. `information_share_...` is
    the share of each ability in the items' Fisher information, summed over the models.
    `purity` is the share of the items' discriminating power along the benchmark's main
    direction in the space of abilities: 1 where all its items order the models alike,
    on one ability or on one mixture of several.

    The resampling takes the models for a sample of those one has in mind, which panels
    of chosen models never quite are.

    References
    ----------
    Holm, S. (1979). A simple sequentially rejective multiple test procedure.
    Scandinavian Journal of Statistics 6, 65-70.

    Reckase, M. D. (2009). Multidimensional Item Response Theory. Springer.

    Examples
    --------
    >>> from skirt import MultidimIRT
    >>> from skirt.audit import benchmark_audit
    >>> from skirt.datasets import make_multidim_responses
    >>> panel = make_multidim_responses(
    ...     80, 180, n_benchmarks=6, mislabelled=["benchmark4"], random_state=0
    ... )
    >>> model = MultidimIRT(2, integration="variational")
    >>> audit = benchmark_audit(panel.data, panel.item_table, model)
    >>> audit.benchmarks[["target", "dominant", "contradicts_target"]]
               target  dominant  contradicts_target
    benchmark
    benchmark0      0  ability1               False
    benchmark1      1  ability0               False
    benchmark2      0  ability1               False
    benchmark3      1  ability0               False
    benchmark4      0  ability0                True
    benchmark5      1  ability0               False
    """
    if estimator is None:
        # Imported here, so that the package of the audit does not need all others.
        from skirt import MultidimIRT

        estimator = MultidimIRT(2)
    elif is_fitted(estimator) and not is_fixed(estimator):
        warnings.warn(
            f"The fitted {type(estimator).__name__} is fitted anew to X. To keep it as "
            "it is, pass FrozenEstimator(estimator).",
            UserWarning,
            stacklevel=3,
        )
    tell = print if verbose else _silent
    X = X if isinstance(X, pd.DataFrame) else np.asarray(X)
    reader = ResponseTable()
    responses = check_responses(
        reader, X, reset=True, binarize=binarize_of(estimator), min_models=2
    )
    names = item_names(reader)
    table = check_item_table(
        items,
        names,
        hasattr(reader, "feature_names_in_"),
        by=by,
        target=target,
        subgroups=subgroups,
    )
    if len(table.names) < 2:
        nested = ", ".join(f"by={column!r}" for column in table.subgroups)
        raise ValueError(
            f"All {len(names)} items have the {by} {table.names[0]!r}: without its "
            "items none are left to estimate the abilities from. Add other benchmarks, "
            f"or audit its parts{', ' + nested if nested else ' by a finer column'}."
        )
    group_code = _group_codes(groups, X)
    n_groups = len(np.unique(group_code))
    if n_groups < FEWEST_GROUPS:
        warnings.warn(
            f"The models are {n_groups} groups, and at least {FEWEST_GROUPS} are "
            "needed to learn anything of errors by resampling them: the figures come "
            "without tests and intervals.",
            UserWarning,
            stacklevel=3,
        )
    seeds = check_random_state(random_state).randint(np.iinfo(np.int32).max, size=2)

    tell(f"[benchmark_audit] calibrating {len(names)} items")
    whole = fit_whole(estimator, X)
    varying = varying_items(responses)
    refit = not is_fixed(estimator)
    tell(f"[benchmark_audit] estimating abilities without each of {len(table.names)}")
    left_out, caught = leave_out_each(
        estimator,
        whole,
        X,
        responses,
        table.code,
        varying,
        refit=refit,
        most_items=max_refit_items,
        n_jobs=n_jobs,
        verbose=verbose,
    )
    repeat_warnings(caught)
    tell("[benchmark_audit] testing")
    study = Study(
        table=table,
        whole=whole,
        left_out=left_out,
        responses=responses,
        varying=varying,
        multiplicities=draw_multiplicities(
            group_code, n_bootstrap, np.random.default_rng(seeds[0])
        ),
        group_code=group_code,
        alpha=alpha,
        rng=np.random.default_rng(seeds[1]),
    )
    how = "calibrated anew on" if refit else "scored on"
    unit = "models" if groups is None else "groups of models"
    return BenchmarkAudit(
        benchmarks=benchmark_table(study),
        subgroups=subgroup_table(study),
        items=item_parameters_table(study, names),
        models=model_table(study, model_names(X, len(responses))),
        dimensions=dimension_table(study),
        estimator_=whole.bank,
        protocol=f"tests on abilities {how} the other benchmarks' items; "
        f"{n_bootstrap} resamplings of {n_groups} {unit}; error rate {alpha:g} over "
        "each family of tests (Holm)",
    )


def _group_codes(groups, X):
    n_models = len(X)
    if groups is None:
        return np.arange(n_models)
    labels = np.asarray(groups)
    if labels.shape != (n_models,) or pd.isna(labels).any():
        raise ValueError(
            f"groups must name a group for each of the {n_models} models, none "
            f"missing; it has shape {labels.shape}."
        )
    check_same_models(X, groups, "X", "groups")
    return pd.factorize(labels)[0]


def _silent(message):
    """Tell nothing."""
