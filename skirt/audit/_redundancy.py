"""Items that say the same: local dependence, near-duplicates, effective number."""

import warnings
from numbers import Integral, Real

from sklearn.utils._param_validation import HasMethods, Interval, validate_params

from skirt.audit._dependence_tables import (
    cluster_numbers,
    cluster_table,
    dependent_item_table,
    effective_number,
    pair_table,
)
from skirt.audit._dependent_pairs import find_dependent_pairs
from skirt.audit._item_groups import item_families
from skirt.audit._panel_bank import calibrate, read_responses
from skirt.audit._q3 import Residuals, least_detectable_q3
from skirt.audit._redundancy_result import ItemRedundancy
from skirt.model_selection._inputs import check_groups


@validate_params(
    {
        "estimator": [HasMethods(["fit", "transform", "inverse_transform"]), None],
        "groups": ["array-like", None],
        "item_groups": ["array-like", None],
        "alpha": [Interval(Real, 0, 1, closed="neither")],
        "min_q3": [Interval(Real, 0, 1, closed="both")],
        "near_duplicate": [Interval(Real, 0, 1, closed="both")],
        "max_pairs": [Interval(Integral, 1, None, closed="left")],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    },
    prefer_skip_nested_validation=True,
)
def item_redundancy(
    X,
    *,
    estimator=None,
    groups=None,
    item_groups=None,
    alpha=0.05,
    min_q3=0.2,
    near_duplicate=0.95,
    max_pairs=1_000_000,
    n_jobs=None,
    verbose=0,
):
    r"""Find items that depend on one another beyond the models' abilities.

    Items with common text, the same answer or the same trap are right and wrong in
    the same models more often than ability explains. They overstate the precision of
    scores and abilities, and of two near-duplicates one can go.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_models, n_items)
        Responses 0, 1 or NaN (or what the estimator's ``binarize`` makes of them).
    estimator : estimator, default=None
        An item response model; ``MultidimIRT(2)`` when None. It is cloned and fitted
        to `X`. A ``FrozenEstimator(bank)``, or a bank from ``from_item_parameters``,
        keeps its items.
    groups : array-like of shape (n_models,), default=None
        The family of each model (variants, seeds, trials of one). Models of a family
        fail alike on single items, which makes all items look dependent; with
        `groups` each family counts as one model, the mean of its own.
    item_groups : array-like of shape (n_items,), default=None
        Items of one group may depend for a reason known beforehand (one problem with
        different tests, one text); missing for items in none. Their pairs are tested
        apart from all others: having few to be adjusted for, they are found where
        the models are too few to find a pair among millions.
    alpha : float, default=0.05
        False discovery rate among the pairs reported.
    min_q3 : float, default=0.2
        The least \|q3 - mean_q3\| reported: with many models even traces of
        dependence are significant. .2 is usual (Chen & Thissen 1997, Christensen et
        al. 2017).
    near_duplicate : float, default=0.95
        The share of equal answers from which a dependent pair is a near-duplicate.
    max_pairs : int, default=1_000_000
        The most pairs kept, those least due to chance, with a warning.
    n_jobs : int, default=None
        Threads that work on blocks of pairs, through joblib. The result does not
        depend on it.
    verbose : int, default=0
        Whether to print a line for each block.

    Returns
    -------
    ItemRedundancy
        With DataFrames ``pairs``, ``clusters`` and ``items`` and the number
        ``effective_n_items_``.

    Raises
    ------
    ValueError
        If `X` holds anything but 0, 1 and missing, or does not fit the bank.

    Warns
    -----
    UserWarning
        If more than `max_pairs` pairs are dependent, and whatever the estimator warns
        of.

    Notes
    -----
    Yen's (1984) q3 is the correlation, over the models that answered both items, of
    the residuals x - P(ability). Blocks of pairs are matrix products, so that 34,000
    items need no matrix of 34,000 x 34,000.

    *What is large?* Among 100 models q3 has a standard deviation of .1, and among
    5e8 pairs some exceed .6 by chance. Fisher's z, or a normal law with the right
    variance, are far off in the tail where answers are rare: on 100 simulated models
    and 1,400 independent items they reported 2,000 and 350 dependent pairs. Here the
    tail of each pair comes from its own probabilities: given the abilities the sum of
    products of residuals is a sum of independent variables of four values each, whose
    cumulants are known, and the saddlepoint approximation (Lugannani & Rice 1980, in
    the form of Barndorff-Nielsen 1986) is accurate however rare the answers are. The
    mean of q3 over all pairs is taken off first. P-values are two-sided and adjusted
    by Benjamini and Hochberg's procedure for all pairs of testable items: those whose
    answers the abilities leave uncertain enough that an identical item could be told
    from chance. Very easy and very hard items are not; about them the panel is silent.

    *Effective number.* n items with the residual correlations q tell as much as
    :math:`n^2 / \sum_{jk} q_{jk}` independent ones (Kish's (1965) design effect):
    1 for n copies, n without dependence. It is applied to each cluster, over the
    pairs found, and added up; items that do not vary tell these models apart by
    nothing and do not count. Dependence too weak to be found is not in it, nor a
    dimension that all items share and the model lacks: it is an upper bound.

    References
    ----------
    Yen, W. M. (1984). Effects of local item dependence on the fit and equating
    performance of the three-parameter logistic model. Applied Psychological
    Measurement 8, 125-145.

    Yen, W. M. (1993). Scaling performance assessments: strategies for managing local
    item dependence. Journal of Educational Measurement 30, 187-213.

    Chen, W.-H. & Thissen, D. (1997). Local dependence indexes for item pairs using
    item response theory. Journal of Educational and Behavioral Statistics 22, 265-289.

    Christensen, K. B., Makransky, G. & Horton, M. (2017). Critical values for Yen's
    Q3. Applied Psychological Measurement 41, 178-194.

    Barndorff-Nielsen, O. E. (1986). Inference on full or partial parameters based on
    the standardized signed log likelihood ratio. Biometrika 73, 307-322.

    Kish, L. (1965). Survey Sampling. Wiley.

    Examples
    --------
    >>> import numpy as np
    >>> from skirt import TwoPLEstimator
    >>> from skirt.audit import item_redundancy
    >>> from skirt.datasets import make_responses
    >>> X = make_responses(80, 60, random_state=0).data
    >>> X = np.hstack([X, X[:, :2]])  # two items come twice
    >>> found = item_redundancy(X, estimator=TwoPLEstimator())
    >>> found.pairs[["item_1", "item_2", "kind"]]
      item_1  item_2       kind
    0  item0  item60  identical
    1  item1  item61  identical
    >>> round(found.effective_n_items_, 1)
    60.0
    """
    responses = read_responses(X, estimator)
    bank = calibrate(estimator, responses)
    families = None if groups is None else check_groups(groups, X)[1]
    expected = bank.probabilities(bank.panel_abilities()[0])
    residuals = Residuals.of(responses.values, expected, families)
    testable = residuals.testable(alpha)
    related = item_families(item_groups, responses)
    found = find_dependent_pairs(
        residuals,
        testable,
        related,
        alpha=alpha,
        min_q3=min_q3,
        max_pairs=max_pairs,
        n_jobs=n_jobs,
        verbose=verbose,
    )
    if found.n_dependent > max_pairs:
        warnings.warn(
            f"{found.n_dependent} pairs are dependent and the {max_pairs} least due "
            "to chance are kept: raise max_pairs or min_q3, or give the model more "
            "dimensions.",
            UserWarning,
            stacklevel=3,
        )
    names = responses.item_names
    cluster = cluster_numbers(found, names.size)
    clusters = cluster_table(found, cluster, names)
    items = dependent_item_table(found, cluster, names)
    items["varies"] = residuals.varies
    items["testable"] = testable
    n_testable, n_units = int(testable.sum()), len(residuals.values)
    n_pairs = n_testable * (n_testable - 1) // 2 - found.n_related
    of_whom = "models" if families is None else "families of models"
    apart = f" and, apart, {found.n_related} related ones" if found.n_related else ""
    return ItemRedundancy(
        pairs=pair_table(found, responses, expected, related, near_duplicate),
        clusters=clusters,
        items=items,
        effective_n_items_=effective_number(items, clusters),
        n_items=len(items),
        n_varying=int(residuals.varies.sum()),
        n_testable=n_testable,
        mean_q3=residuals.mean_q3,
        detectable_q3=least_detectable_q3(n_pairs, n_units, alpha),
        protocol=(
            f"{type(bank.fitted).__name__}, {n_units} {of_whom}, false discovery rate "
            f"{alpha:g} among {n_pairs} pairs{apart}, |q3 - mean| at least {min_q3:g}"
        ),
    )
