"""Two models, or two groups of models, compared."""

from numbers import Integral, Real

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import HasMethods, Interval, validate_params

from skirt.audit._compare_result import ModelComparison
from skirt.audit._compare_tables import ComparisonTables
from skirt.audit._compared_sides import Sample, compared_sides
from skirt.audit._item_differences import difference_table
from skirt.audit._item_groups import item_families
from skirt.audit._panel_bank import calibrate, read_responses
from skirt.model_selection._inputs import check_groups

# With so many models besides those compared, they alone calibrate the items.
_ENOUGH_OTHERS = 20


@validate_params(
    {
        "estimator": [HasMethods(["fit", "inverse_transform"]), None],
        "dimension": [Interval(Integral, 0, None, closed="left"), None],
        "share": [Interval(Real, 0, 0.5, closed="right")],
        "n_quantiles": [Interval(Integral, 1, None, closed="left")],
        "alpha": [Interval(Real, 0, 1, closed="neither")],
        "groups": ["array-like", None],
        "item_groups": ["array-like", None],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    },
    prefer_skip_nested_validation=True,
)
def compare_models(
    X,
    a,
    b,
    *,
    estimator=None,
    dimension=None,
    share=0.1,
    n_quantiles=10,
    alpha=0.05,
    groups=None,
    item_groups=None,
    random_state=None,
    n_jobs=None,
    verbose=0,
):
    r"""Compare two models, or two groups of models, dimension by dimension.

    Where do a base model and its variant without refusals differ: on the items that
    measure safety, or on all? Means on the items that discriminate most and least on
    each dimension, with tests; the difference along discrimination; abilities; and
    for groups the items that differ at equal ability.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_models, n_items)
        Responses 0, 1 or NaN (or what the estimator's ``binarize`` makes of them) of
        the whole panel, which calibrates the items.
    a, b : str, int, list of these, or boolean mask of the rows
        The models on either side: their names (the index of `X`), or their row
        positions where those are no names.
    estimator : estimator, default=None
        An item response model; ``MultidimIRT(2)`` when None. It is cloned and fitted.
        A ``FrozenEstimator(bank)``, or a bank from ``from_item_parameters``, keeps
        its items.
    dimension : int, default=None
        The only dimension to report; all when None.
    share : float, default=0.1
        The share of the items at either end, at most .5.
    n_quantiles : int, default=10
        Number of equal parts of the items in `curve`.
    alpha : float, default=0.05
        1 less the confidence of the intervals, and the false discovery rate among
        item differences.
    groups : array-like of shape (n_models,), default=None
        The family of each model (variants, seeds, trials of one): the unit that is
        drawn at random. If the families in a and b are the same (bases and their
        variants), the comparison is paired within families.
    item_groups : array-like of shape (n_items,), default=None
        Items of one group are dependent (one text, one problem); the clusters of
        :func:`item_redundancy` will do, missing for items in none. Used where items
        are the sample.
    random_state : int, RandomState instance or None, default=None
        Draws relabelings where there are too many to look at all.
    n_jobs : int, default=None
        Threads that work on the item differences, through joblib. The result does
        not depend on it.
    verbose : int, default=0
        Whether to print a line for each step of the item differences.

    Returns
    -------
    ModelComparison
        With DataFrames ``ends``, ``abilities``, ``curve``, ``items`` and, for groups,
        ``item_differences``.

    Raises
    ------
    ValueError
        If a model is unknown or on both sides, only some of the families are on both
        sides, a and b have fewer than two items in common, there are fewer of them
        than `n_quantiles`, or all discriminate alike on a dimension.
    TypeError
        If the estimator has no ``discrimination_`` after `fit`.

    Notes
    -----
    *Who calibrates.* An item on which the abler of two models happened to be right
    seems to discriminate more for it, so that models which took part in choosing the
    items differ too much on them: two of 30 models, whose items all but discriminated
    alike, by .22 on the "most" end and by .26 too little on the "least". Hence all
    families but those compared calibrate, if there are at least 20 models of them
    (the error was then .01); otherwise the whole panel does, and differences at the
    ends are to be read with that in mind. `protocol` says which it was. Items that
    those models answer alike have no known discrimination and are at neither end.
    "least" are the lowest discriminations, with their sign.

    *Single models.* The items they both answered are the sample, and the question is
    whether the means would differ on further items of the kind. Responses are paired:
    under the null hypothesis the sign of each difference is random, and the exact
    permutation test of that is McNemar's (binomial) test of the items on which just
    one is right; with `item_groups` the sums over groups change sign together, still
    exact. Intervals are those of Agresti & Min (2005). Cohen's d is the difference in
    units of the root mean variance of the two models' responses, with a delta-method
    interval. Several rows of one family on either side (trials of one model) are
    averaged, and tested by the analogous t test if that leaves fractions. The
    abilities' z takes both standard errors, given the items.

    *Groups.* The models (with `groups`, their families) are the sample: more items do
    not make a difference between five and five models surer. Each contributes its
    mean, gaps filled by the probabilities at its abilities. Two-sided permutation
    tests of Welch's t (Janssen 1997; of the mean difference within families where
    paired), all relabelings or 10,000, need no normal distribution; where there are
    fewer than 1,000 relabelings (six against six, nine pairs), so that the smallest
    p-value is coarse, Welch's or the paired t test stands instead. One model against
    a group is tested as one more draw from that group (Crawford & Howell 1998).
    Cohen's d has the root mean variance over models as its unit and Bonett's (2008)
    interval; intervals of differences are those of the t tests.

    *Item differences.* Each item's responses are regressed on abilities and group
    (Swaminathan & Rogers 1990) by Firth's penalised likelihood, whose likelihood-ratio
    tests stay at or below their level with five models a side and at p = 1e-4 with
    twenty (Heinze & Schemper 2002). With `groups`, rows weigh 1 over the size of
    their family, as if its models were copies. Both groups' abilities must not rest
    on the items that differ: they are purified and aligned in up to five rounds, by
    the items not set aside so far and robustly against the rest. That a difference
    common to most items is one of ability is a convention that no data can test.
    P-values are adjusted by Benjamini and Hochberg's procedure. Classes are those of
    ETS (Zieky 1993), with the adjusted p-value: "C" where \|delta\| >= 1.5 and is
    significantly above 1, "A" where \|delta\| < 1 or not significant, else "B".
    Both sides need at least two models more than there are dimensions.

    References
    ----------
    Agresti, A. & Min, Y. (2005). Simple improved confidence intervals for comparing
    matched proportions. Statistics in Medicine 24, 729-740.

    Bonett, D. G. (2008). Confidence intervals for standardized linear contrasts of
    means. Psychological Methods 13, 99-109.

    Crawford, J. R. & Howell, D. C. (1998). Comparing an individual's test score
    against norms derived from small samples. The Clinical Neuropsychologist 12,
    482-486.

    Heinze, G. & Schemper, M. (2002). A solution to the problem of separation in
    logistic regression. Statistics in Medicine 21, 2409-2419.

    Janssen, A. (1997). Studentized permutation tests for non-i.i.d. hypotheses and
    the generalized Behrens-Fisher problem. Statistics & Probability Letters 36, 9-21.

    Swaminathan, H. & Rogers, H. J. (1990). Detecting differential item functioning
    using logistic regression procedures. Journal of Educational Measurement 27,
    361-370.

    Zieky, M. (1993). Practical questions in the use of DIF statistics in test
    development. In P. W. Holland & H. Wainer (Eds.), Differential Item Functioning.

    Examples
    --------
    >>> from skirt import TwoPLEstimator
    >>> from skirt.audit import compare_models
    >>> from skirt.datasets import make_responses
    >>> X = make_responses(40, 300, random_state=0).data
    >>> found = compare_models(X, 0, 1, estimator=TwoPLEstimator())
    >>> found.ends[["end", "n_items", "mean_a", "mean_b", "difference"]].round(2)
         end  n_items  mean_a  mean_b  difference
    0   most       30     0.9    0.63        0.27
    1  least       30     0.8    0.63        0.17
    """
    responses = read_responses(X, estimator)
    sides = compared_sides(a, b, responses, X)
    _, families = check_groups(groups, X)
    sample = Sample.of(sides, families, responses.model_names)
    others = ~np.isin(families, families[sample.rows])
    alone = int(others.sum()) >= _ENOUGH_OTHERS
    bank = calibrate(estimator, responses, others if alone else slice(None))
    n_dimensions = bank.discrimination.shape[1]
    if dimension is not None and dimension >= n_dimensions:
        raise ValueError(
            f"dimension is {dimension}, but the model has {n_dimensions}, counted "
            "from 0."
        )
    dimensions = range(n_dimensions) if dimension is None else [int(dimension)]
    tables = ComparisonTables(
        bank,
        sample,
        item_families(item_groups, responses),
        1 - alpha,
        check_random_state(random_state),
    )
    ends, curve, labels = tables.ends_and_curve(dimensions, share, n_quantiles)
    differences = None
    if sample.unit != "items" and sample.fewest >= n_dimensions + 2:
        differences = difference_table(bank, sample, alpha, n_jobs, verbose)
    return ModelComparison(
        a=tuple(responses.model_names[sides[0]]),
        b=tuple(responses.model_names[sides[1]]),
        unit=sample.unit,
        ends=ends,
        abilities=tables.abilities(dimensions),
        curve=curve,
        items=tables.items(dimensions, labels),
        item_differences=differences,
        protocol=f"{_calibrated_on(bank, others if alone else None)}; "
        f"{sample.in_words()}",
    )


def _calibrated_on(bank, others):
    name = type(bank.fitted).__name__
    if bank.fixed:
        return f"{name} as given"
    if others is not None:
        return f"{name} calibrated on the {others.sum()} other models"
    n_models = len(bank.responses.values)
    return f"{name} calibrated on all {n_models} models, those compared too"
