"""Do the dimensions of a panel come back?"""

import warnings
from numbers import Integral, Real

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import (
    HasMethods,
    Interval,
    StrOptions,
    validate_params,
)
from sklearn.utils.parallel import Parallel, delayed

from skirt._responses import item_names
from skirt._sklearn_compat import FrozenEstimator
from skirt.audit._refit import refit, repeat_warnings, solution_of
from skirt.audit._stability_result import DimensionStability, make_table
from skirt.model_selection._inputs import check_groups
from skirt.model_selection._split import seeded

_HALF = 0.5


@validate_params(
    {
        "estimator": [HasMethods(["fit", "transform", "get_params"])],
        "n_repeats": [Interval(Integral, 1, None, closed="left")],
        "resample": [StrOptions({"items", "models"}), None],
        "sample_size": [Interval(Real, 0, 1, closed="neither"), None],
        "groups": ["array-like", None],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    },
    prefer_skip_nested_validation=False,
)
def dimension_stability(
    estimator,
    X,
    *,
    n_repeats=10,
    resample=None,
    sample_size=None,
    groups=None,
    random_state=None,
    n_jobs=None,
    verbose=0,
):
    """Refit a model of several abilities and see whether its dimensions come back.

    Every refit is compared with the fit on all data: are models ordered the same on
    each dimension, and do items discriminate the same? Its columns are matched to
    those of the reference (order and sign), and compared as they are and after a
    rotation to the reference. High after the rotation only means that the space came
    back, but not its axes.

    Parameters
    ----------
    estimator : estimator
        An item response model with ``fit``, ``transform`` (the abilities) and
        ``discrimination_``, such as ``MultidimIRT(2)``. It is cloned.
    X : array-like or DataFrame of shape (n_models, n_items)
        Responses 0, 1 or NaN (or what the estimator's ``binarize`` makes of them).
    n_repeats : int, default=10
        How many refits.
    resample : {"items", "models"}, default=None
        None refits all data from other starts: ``start="random"`` and another
        ``random_state``, where the estimator has these parameters. "items" refits on
        random halves of the items; discriminations are compared on those. "models"
        refits on random halves of the models; the abilities of all are compared.
    sample_size : float, default=None
        The share drawn, without replacement. None is half.
    groups : array-like of shape (n_models,), default=None
        With ``resample="models"``, the family of each model (variants, seeds, trials
        of one). Whole families are drawn.
    random_state : int, RandomState instance or None, default=None
        Seeds starts and samples, and every ``random_state`` of the estimator that is
        None. The result depends on nothing else.
    n_jobs : int, default=None
        Refits at a time, through joblib. The result does not depend on it.
    verbose : int, default=0
        Whether to print a line for each refit.

    Returns
    -------
    DimensionStability
        With ``to_frame()``, ``summary()`` and ``smallest``.

    Raises
    ------
    ValueError
        If parameters contradict one another, the estimator is a fixed bank, or all
        refits would be the same because it has neither ``start`` nor
        ``random_state`` and nothing is resampled. Errors of a refit say which.
    TypeError
        If the estimator has no ``discrimination_`` after `fit`.

    Warns
    -----
    UserWarning
        The warnings of the refits, summed up, one for each kind; and where a refit's
        dimensions are linearly dependent, so that they cannot be rotated.

    Notes
    -----
    What each kind shows differs. From other starts (None) the same dimensions return
    wherever the likelihood has one highest point, be they signal or noise: it tests
    the computation. "items" asks whether other items of the same benchmarks would
    show the same dimensions and "models" whether other models would. Both compare a
    part with the whole that holds it, so that even noise does not fall to 0.

    A dimension is there if its abilities *and* its discriminations come back. Either
    alone can deceive: two correlated axes can both follow one ability, and the
    discriminations on an axis of noise can be what the prior expects of the others.

    Halves stand in for a bootstrap, whose variance theirs is [2]_. A bootstrap draws
    some models several times, and on a panel of few models and many items the copies
    of one model, alike in everything that it got right by chance, make a dimension of
    their own. On 80 models x 400 items with two clear dimensions one bootstrap refit
    in six correlated .8 with the fit on all models, while refits on the same models,
    each taken once, correlated .98 to 1.00 and refits on halves .98 to .99.

    References
    ----------
    .. [1] Tucker, L. R. (1951). "A method for synthesis of factor analysis studies".
       Personnel Research Section Report 984, Department of the Army.
    .. [2] Politis, D. N. and Romano, J. P. (1994). "Large sample confidence regions
       based on subsamples under minimal assumptions". Annals of Statistics 22,
       2031-2050.

    Examples
    --------
    >>> from skirt import MultidimIRT
    >>> from skirt.audit import dimension_stability
    >>> from skirt.datasets import make_multidim_responses
    >>> X = make_multidim_responses(50, 1000, random_state=0).data
    >>> stability = dimension_stability(
    ...     MultidimIRT(2), X, n_repeats=2, resample="items", random_state=0
    ... )
    >>> bool(stability.smallest > 0.95)
    True
    """
    _check_settings(estimator, resample, sample_size, groups)
    X = X if isinstance(X, pd.DataFrame) else np.asarray(X)
    rng = check_random_state(random_state)
    seeds = rng.randint(np.iinfo(np.int32).max, size=1 + n_repeats)
    reference = seeded(clone(estimator), [int(seeds[0])]).fit(X)
    solution = solution_of(reference, X)
    draw, words = _resampling(resample, sample_size, groups, X)
    results = Parallel(n_jobs=n_jobs)(
        delayed(refit)(
            estimator,
            X,
            draw(np.random.default_rng(int(seed))) if draw else None,
            int(seed),
            solution,
            item_names(reference),
            f"refit {number + 1} of {n_repeats}",
            verbose,
        )
        for number, seed in enumerate(seeds[1:])
    )
    repeat_warnings([caught for *_, caught in results])
    unrotated = sum(rotated is None for _, rotated, _, _ in results)
    if unrotated:
        warnings.warn(
            f"In {unrotated} of {n_repeats} refits the discriminations on one "
            "dimension follow from those on others: correlations after rotation are "
            "NaN there. Fewer components may be enough.",
            UserWarning,
            stacklevel=3,
        )
    return DimensionStability(
        protocol=f"{n_repeats} refits {words}",
        table=make_table([result[:3] for result in results]),
        reference=reference,
        reference_ability=solution[1],
        abilities=np.stack([matched.ability for matched, *_ in results]),
    )


def _check_settings(estimator, resample, sample_size, groups):
    if isinstance(estimator, FrozenEstimator) or hasattr(estimator, "_fixed_items"):
        raise ValueError(
            "The estimator is a fixed bank, whose items stay what they are: every "
            "refit would be the same. Pass an estimator that calibrates its items."
        )
    if resample is None:
        if sample_size is not None:
            raise ValueError(
                f"sample_size={sample_size} has no meaning without resampling: pass "
                "resample='items' or 'models', or leave sample_size out."
            )
        if not {"start", "random_state"} & set(estimator.get_params(deep=False)):
            raise ValueError(
                f"{type(estimator).__name__} has neither start nor random_state, so "
                "that every refit would be the same: pass resample='items' or 'models'."
            )
    if groups is not None and resample != "models":
        raise ValueError(
            f"groups are of models, but resample={resample!r}: pass resample='models', "
            "or leave groups out."
        )


def _resampling(resample, sample_size, groups, X):
    """Return what draws (rows, columns), None for all, and its description."""
    n_models, n_items = X.shape
    share = _HALF if sample_size is None else sample_size
    if resample is None:
        return None, "from random starts"
    if resample == "items":
        count = max(1, round(share * n_items))

        def draw_items(rng):
            return None, np.sort(rng.choice(n_items, count, replace=False))

        return draw_items, f"on {count} of {n_items} items each"
    _, codes = check_groups(groups, X)
    n_groups = codes.max() + 1
    count = max(1, round(share * n_groups))

    def draw_models(rng):
        drawn = rng.choice(n_groups, count, replace=False)
        return np.flatnonzero(np.isin(codes, drawn)), None

    unit = "models" if groups is None else "groups of models"
    return draw_models, f"on {count} of {n_groups} {unit} each"
