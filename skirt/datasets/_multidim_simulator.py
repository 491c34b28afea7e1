"""Simulated responses to benchmarks of which it is known what they measure."""

from numbers import Integral, Real

import numpy as np
import pandas as pd
from scipy.special import expit
from sklearn.utils import Bunch, check_array, check_random_state
from sklearn.utils._param_validation import Interval, validate_params

from skirt.datasets._benchmark_structure import (
    check_correlation,
    check_shape,
    check_targets,
    planted_dimensions,
    true_structure,
)
from skirt.datasets._multidim_items import draw_discriminations, draw_intercepts
from skirt.datasets._simulators import _draw_abilities


@validate_params(
    {
        "n_models": [Interval(Integral, 1, None, closed="left")],
        "n_items": [Interval(Integral, 1, None, closed="left"), "array-like", None],
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "n_benchmarks": [Interval(Integral, 1, None, closed="left"), None],
        "ability_correlation": [Interval(Real, -1, 1, closed="both"), "array-like"],
        "targets": ["array-like", None],
        "mislabelled": [Interval(Integral, 0, None, closed="left"), "array-like"],
        "split": [Interval(Integral, 0, None, closed="left"), "array-like"],
        "loadings": ["array-like", None],
        "cross_loading": [Interval(Real, 0, None, closed="left")],
        "discrimination_cv": [Interval(Real, 0, None, closed="left")],
        "mean_discrimination": [Interval(Real, 0, None, closed="neither")],
        "mean_score": [Interval(Real, 0, 1, closed="neither"), "array-like"],
        "missing_rate": [Interval(Real, 0, 1, closed="left")],
        "n_families": [Interval(Integral, 1, None, closed="left"), None],
        "family_spread": [Interval(Real, 0, 1, closed="both")],
        "random_state": ["random_state"],
        "return_probabilities": ["boolean"],
        "as_frame": ["boolean"],
    },
    prefer_skip_nested_validation=True,
)
def make_multidim_responses(
    n_models=100,
    n_items=None,
    *,
    n_components=None,
    n_benchmarks=None,
    ability_correlation=0.5,
    targets=None,
    mislabelled=0,
    split=0,
    loadings=None,
    cross_loading=0.1,
    discrimination_cv=0.5,
    mean_discrimination=1.0,
    mean_score=0.5,
    missing_rate=0.0,
    n_families=None,
    family_spread=0.5,
    random_state=None,
    return_probabilities=False,
    as_frame=False,
):
    r"""Simulate benchmarks that measure several abilities, some not as they claim.

    Model i answers item j rightly with probability
    :math:`1 / (1 + \exp(-(a_j \cdot \theta_i + d_j)))`, the compensatory
    multidimensional two-parameter model; abilities :math:`\theta` are
    :math:`N(0, \Phi)` with unit variances. Every item belongs to one half (the
    category) of one benchmark and follows one dimension, up to small cross-loadings.
    A benchmark claims to measure its *target*; it is *mislabelled* where its items
    follow the next dimension instead, and *split* where those of its second half do.

    Parameters
    ----------
    n_models : int, default=100
        Number of rows.
    n_items : int or array-like of int of shape (n_benchmarks,), default=None
        Number of columns, shared out equally among the benchmarks, or the number of
        each benchmark. None is 200, or the number of rows of `loadings`.
    n_components : int, default=None
        Number of dimensions D. None is 2, or the number of columns of `loadings`.
    n_benchmarks : int, default=None
        None is the length of `n_items` if that is a sequence, else 2 D.
    ability_correlation : float or array-like of shape (D, D), default=0.5
        :math:`\Phi`, or the one correlation of all pairs of dimensions.
    targets : array-like of int of shape (n_benchmarks,), default=None
        The dimension that each benchmark claims to measure, 0 to D - 1. None counts
        through the dimensions, 0, 1, ..., 0, 1, ...; with `loadings`, it is the
        dimension that each benchmark does measure.
    mislabelled, split : int or array-like of str, default=0
        The benchmarks of each kind: their names (`benchmark0`, ..., filled up with
        zeros to equal length), or how many are to be drawn at random. A draw leaves
        every dimension some items.
    loadings : array-like of shape (n_items, D), default=None
        The discriminations themselves. `mislabelled` and `split` must then be left
        alone, and `cross_loading`, `discrimination_cv` and `mean_discrimination` are
        not used.
    cross_loading : float, default=0.1
        Standard deviation of an item's discriminations on the other dimensions, as a
        multiple of that on its own; their mean is 0.
    discrimination_cv, mean_discrimination : float, default=0.5 and 1.0
        Coefficient of variation and mean of the lognormal distribution from which
        each item's discrimination on its own dimension is drawn.
    mean_score : float or array-like of shape (n_benchmarks,), default=0.5
        The share of right answers to be expected, over all items or in each
        benchmark, from abilities :math:`N(0, \Phi)`. Intercepts are shifted so that
        it holds exactly for the items drawn.
    missing_rate : float, default=0.0
        Probability with which a response is missing (NaN), the same for every
        response and independent of everything else.
    n_families : int or None, default=None
        Number of families of similar models, of equal size or one apart. None
        draws every model independently.
    family_spread : float, default=0.5
        Standard deviation of each ability within a family, 0 (all alike) to 1
        (families mean nothing). The variance of all models stays 1.
    random_state : int, RandomState instance or None, default=None
        Pass an int for the same responses at every call. The complete responses
        behind two calls that differ in `missing_rate` only are the same, and so are
        the abilities where only the benchmarks differ.
    return_probabilities : bool, default=False
        If True, the Bunch holds `probability` too.
    as_frame : bool, default=False
        If True, `data` (and `probability`) are DataFrames with the names of models
        and items.

    Returns
    -------
    data : :class:`~sklearn.utils.Bunch`
        data : ndarray or DataFrame of shape (n_models, n_items), float64
            Responses 1, 0 or NaN.
        item_table : DataFrame of shape (n_items, 4), indexed by item name
            `benchmark`; `category`, the half of the benchmark; `target`, the
            dimension that the benchmark claims to measure; `dominant`, the dimension
            on which the item has the largest discrimination in absolute value.
        model_table : DataFrame of shape (n_models, 1), indexed by model name
            `family`, the same as `groups`.
        truth : DataFrame of shape (n_benchmarks, 5 + D), indexed by benchmark
            `n_items`; `target`; `dominant`, the dimension with the largest mean
            square of discriminations, <NA> for a split benchmark; `mislabelled`, it
            is not the target; `split`, the dominant dimensions of the halves differ;
            `discrimination0`, ..., the means.
        ability : ndarray of shape (n_models, D)
            theta.
        discrimination : ndarray of shape (n_items, D)
            a.
        intercept : ndarray of shape (n_items,)
            d.
        ability_correlation : ndarray of shape (D, D)
            Phi.
        groups : ndarray of shape (n_models,), int64
            The family of each model. Without `n_families` every model is its own.
        benchmark_names, feature_names, model_names : list of str
            Names of the benchmarks, columns and rows.
        frame : DataFrame or None
            The same table as `data` if `as_frame`.
        probability : ndarray or DataFrame of shape (n_models, n_items)
            Only if `return_probabilities`.

    Raises
    ------
    ValueError
        If a parameter is outside its range, parameters contradict one another (more
        families than models, a name that no benchmark has, `loadings` with other
        numbers of items or dimensions), no benchmark is left for a dimension, or the
        correlation matrix is not one.

    See Also
    --------
    make_responses : One ability.

    Notes
    -----
    With b standard normal, the intercept is :math:`-s (b + shift)`, where s is the
    standard deviation of :math:`a \cdot \theta`, or 1 for an item that measures
    nothing. The dimensions are numbered as planted: an estimator orders and signs its
    own by other rules.

    Examples
    --------
    >>> from skirt.datasets import make_multidim_responses
    >>> panel = make_multidim_responses(
    ...     50, 400, n_benchmarks=4, mislabelled=["benchmark3"], split=1,
    ...     random_state=0,
    ... )
    >>> panel.data.shape, panel.ability.shape
    ((50, 400), (50, 2))
    >>> panel.truth[["n_items", "target", "dominant", "mislabelled", "split"]]
                n_items  target  dominant  mislabelled  split
    benchmark
    benchmark0      100       0         0        False  False
    benchmark1      100       1         1        False  False
    benchmark2      100       0      <NA>        False   True
    benchmark3      100       1         0         True  False
    """
    if n_families is not None and n_families > n_models:
        raise ValueError(
            f"n_families={n_families} is more than n_models={n_models}: a family "
            "needs at least one model."
        )
    if loadings is not None:
        loadings = check_array(loadings, dtype=np.float64, input_name="loadings")
    sizes, n_components = check_shape(n_items, n_components, n_benchmarks, loadings)
    phi, root = check_correlation(ability_correlation, n_components)
    if loadings is None or targets is not None:
        targets = check_targets(targets, len(sizes), n_components)
    width = len(str(len(sizes) - 1))
    names = [f"benchmark{b:0{width}d}" for b in range(len(sizes))]
    benchmark = np.repeat(np.arange(len(sizes)), sizes)
    place = np.arange(len(benchmark)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    half = (place >= (sizes[benchmark] + 1) // 2).astype(np.intp)

    rng = check_random_state(random_state)
    ability, groups = _abilities(rng, n_models, n_families, family_spread, root)
    # Drawn whether or not it is used, so that what follows does not depend on it.
    order = rng.permutation(len(sizes))
    if loadings is None:
        planted = planted_dimensions(
            targets, sizes, n_components, names, order, mislabelled, split
        )
        discrimination = draw_discriminations(
            rng,
            planted[benchmark, half],
            n_components,
            discrimination_cv,
            mean_discrimination,
            cross_loading,
        )
    else:
        _refuse_beside_loadings(mislabelled=mislabelled, split=split)
        discrimination = loadings.copy()
    truth = true_structure(discrimination, benchmark, half, names, targets)

    spread = np.sqrt(np.einsum("jd,de,je->j", discrimination, phi, discrimination))
    intercept = draw_intercepts(rng, spread, benchmark, mean_score)

    logit = ability @ discrimination.T + intercept
    probability = expit(logit, out=logit)
    data = (rng.random_sample(probability.shape) < probability).astype(float)
    if missing_rate > 0:
        data[rng.random_sample(data.shape) < missing_rate] = np.nan

    model_names = [f"model{i}" for i in range(n_models)]
    feature_names = [f"item{j}" for j in range(len(benchmark))]
    halves = [f"{name}-{letter}" for name in names for letter in "ab"]
    item_table = pd.DataFrame(
        {
            "benchmark": np.asarray(names, dtype=object)[benchmark],
            "category": np.asarray(halves, dtype=object)[2 * benchmark + half],
            "target": truth["target"].to_numpy()[benchmark],
            "dominant": np.abs(discrimination).argmax(axis=1),
        },
        index=pd.Index(feature_names, name="item"),
    )
    frame = None
    if as_frame:
        frame = data = pd.DataFrame(data, index=model_names, columns=feature_names)
        probability = pd.DataFrame(probability, frame.index, frame.columns)
    panel = Bunch(
        data=data,
        item_table=item_table,
        model_table=pd.DataFrame(
            {"family": groups}, index=pd.Index(model_names, name="model")
        ),
        truth=truth,
        ability=ability,
        discrimination=discrimination,
        intercept=intercept,
        ability_correlation=phi,
        groups=groups,
        benchmark_names=names,
        feature_names=feature_names,
        model_names=model_names,
        frame=frame,
    )
    if return_probabilities:
        panel["probability"] = probability
    return panel


def _abilities(rng, n_models, n_families, spread, root):
    draws = [
        _draw_abilities(rng, n_models, n_families, spread) for _ in range(len(root))
    ]
    return np.column_stack([column for column, _ in draws]) @ root.T, draws[0][1]


def _refuse_beside_loadings(**kinds):
    for label, value in kinds.items():
        if not isinstance(value, Integral) or value != 0:
            raise ValueError(
                f"{label}={value!r} beside loadings: these already say what each item "
                "measures. Leave it out, and pass targets to say what is claimed."
            )
