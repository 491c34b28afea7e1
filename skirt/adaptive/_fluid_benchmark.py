"""Adaptive testing as an estimator."""

import copy
import warnings
from collections.abc import Mapping
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from skirt._ability import ABILITY_METHODS
from skirt._responses import (
    BINARIZE_CONSTRAINT,
    check_responses,
    item_names,
)
from skirt.adaptive._bench_bank import calibrated_bank, items_of, ready_bank
from skirt.adaptive._design import CRITERION_NAMES, make_design
from skirt.adaptive._live import LiveMixin
from skirt.adaptive._replaying import ReplayMixin


class FluidBenchmark(LiveMixin, ReplayMixin, BaseEstimator):
    """Ask each model the items that tell most about it, one after the other.

    After every answer the model's ability is estimated anew, and the item that is
    most informative there is asked next, until a rule says that it is enough. Fitted
    on a panel of models, the estimator replays such tests over stored responses of
    others: an answer is looked at only when its item is asked. :meth:`start` and
    :meth:`run` put the test to a live model.

    Parameters
    ----------
    estimator : TwoPLEstimator, OnePLEstimator or MultidimIRT, default=None
        The bank; ``TwoPLEstimator()`` when None. It is cloned and calibrated on the
        `X` of `fit`, even if it is fitted already (with a warning then). A bank from
        ``from_item_parameters`` or a ``FrozenEstimator(bank)`` is used as it is; if
        it has item names and so has `X`, items are matched by name.
    n_items : int, default=50
        The most items to ask a model. If it exceeds the number of items there are,
        `fit` warns, and all are asked.
    se_target : float, default=None
        Stop once the standard error of the ability is no larger; of several
        abilities, that of every one of `dimensions`.
    change_target : float, default=None
        Stop once an answer moves the ability by less; of several, every one of
        `dimensions`.
    min_items : int, default=1
        The fewest items before `se_target` or `change_target` may end a test.
        `n_items` holds even if it is less.
    criterion : {"fisher", "mpwi", "mei", "kl", "mepv", "d_optimal", "a_optimal", \
"rank", "score", "random"}, default="fisher"
        What makes an item the best one. With a bank of one ability: "fisher" its
        information at the current ability, "mpwi" its information averaged over the
        posterior, "mei" its information at the ability after its answer, averaged
        over both answers, "kl" the Kullback-Leibler divergence of its answer at the
        current ability from that at others, averaged over the posterior, "mepv" the
        expected posterior variance after its answer. With a bank of several:
        "d_optimal" the determinant, "a_optimal" the trace of the posterior covariance
        of `dimensions` after its answer; with one ability both choose as "fisher".
        With either: "score" the expected variance of the full-benchmark score after
        its answer, "rank" the expected displacement in ranks by that score; see
        Notes. "random" is the baseline for any bank.
    dimensions : list of int, default=None
        The abilities to measure, counted from 0; None for all. The others are
        estimated along, but no item is asked for their sake. "rank" and "score" ask
        for the score's sake; `dimensions` are then those that stop the test.
    ranking : {"auto", "ability", "score"}, default="auto"
        What `predict` returns. "score" is the expected full-benchmark score, as
        :class:`FisherSubsetSelector` predicts it. "auto" is "score" for "rank" and
        "score", which allow no other. For other criteria it is "ability" with a bank
        of one, and with a bank of several the expected score at the abilities.
    target_weights : array-like of shape (n_items,) or Series, default=None
        Weight of each item in the full-benchmark score, from 0 on, to average over
        benchmarks or categories instead of items; a Series is taken by item name. None
        weighs all alike. Used by "rank" and "score", where `ranking` is "score", and
        by `score` for the scores that it ranks by.
    ability_method : {"map", "eap", "ml", "wl"}, default="map"
        Estimator of the ability, during the test and at its end: posterior mode and
        mean under N(0, 1), maximum likelihood, Warm's weighted likelihood. Several
        abilities take "map", under the correlations of the bank's abilities.
    start_ability : float, default=0.0
        Where the first item is to be informative; the same for all abilities.
    ability_bounds : (float, float), default=None
        Abilities outside are impossible; for a bank of one ability. None sets no
        bounds, but for "ml", whose estimates are infinite while all answers are
        alike: they stay within (-4, 4).
    strata : array-like of shape (n_items,), Series or dict by item name, default=None
        A label of each item. Every test then keeps the labels' shares of the bank,
        to within one item at any length, as far as items with answers are left.
    randomesque : int, default=1
        Ask one of so many best items, drawn at random, so that different models are
        not all asked the same ones.
    binarize : float, default=None
        None accepts only 0, 1 and missing. A number t counts values above t as 1.
        The bank sees the result; its own `binarize` has no effect.
    random_state : int, RandomState instance or None, default=None
        Seed of the "random" criterion and of `randomesque`. Drawn in `fit`: the
        fitted estimator replays the same way every time.
    memory : str or joblib.Memory, default=None
        Where to keep calibrations, so that a grid over the other parameters
        calibrates only once for each training set.

    Attributes
    ----------
    estimator_ : estimator
        The calibrated bank of all the items.
    nested_ : bool
        True: a shorter test is the beginning of a longer one.
    item_names_ : ndarray of str of shape (n_items,)
        The items' names, those of the bank where `X` has none.
    n_features_in_ : int
        The number of items seen during `fit`.
    feature_names_in_ : ndarray of str of shape (n_items,)
        The items' names. Defined only if `X` has names.

    See Also
    --------
    AdaptiveSession : A live test.
    FisherSubsetSelector : The same few items for all models.
    skirt.model_selection.agreement_curve : How good is the ranking, by length?

    Notes
    -----
    Of items with the same value the first in column order is asked. A fixed bank must
    not come from a calibration on the models that are tested (leakage).

    "d_optimal" and "a_optimal" look one item ahead from the posterior's normal
    approximation, its mode and the inverse of prior precision plus information, which
    an item with the information P (1 - P) a a' changes by rank one [5]_, [6]_. Items
    that were calibrated under estimated priors are not known exactly; they count with
    the information of their expected curve, which is flatter.

    "score" takes the item whose answer X is expected to take most off the variance of
    the score G: Cov(G, X)^2 / Var(X), by the law of total variance, from the exact
    posterior of one ability under N(0, 1) or the normal approximation of that of
    several. "rank" weighs the error by the density f of the models' scores: it takes
    the item after which f(G) sqrt(Var(G)), averaged over both answers, is least. f is
    that of a population with the bank's prior. For one model at a time the two differ
    little: the present density multiplies the loss of every item alike, and what the
    answers tell of it evens out unless the one leaves a larger variance than the other.
    Under the normal approximation neither does, so that with several abilities they
    ask the same items one by one, and differ where several answers are awaited at once.
    `se_target` and `change_target` are of abilities with any criterion.

    With ``ability_method="map"`` and ``ability_bounds=(-4, 4)`` the items and
    abilities are those of fluid benchmarking [1]_, and with "map", "eap" and "wl"
    those of the R package catR [2]_. The criteria are described in [3]_ (information
    averaged over the posterior or over both answers, expected posterior variance) and
    [4]_ (Kullback-Leibler). "mei" takes, like catR, the information of the item alone;
    it solves for two abilities for each item, and takes its time on large banks.

    References
    ----------
    .. [1] Hofmann, V. et al. (2025). "Fluid Language Model Benchmarking". Conference
       on Language Modeling.
    .. [2] Magis, D. and Raiche, G. (2012). "Random generation of response patterns
       under computerized adaptive testing with the R package catR". Journal of
       Statistical Software 48(8).
    .. [3] van der Linden, W. J. (1998). "Bayesian item selection criteria for
       adaptive testing". Psychometrika 63, 201-216.
    .. [4] Chang, H.-H. and Ying, Z. (1996). "A global information approach to
       computerized adaptive testing". Applied Psychological Measurement 20, 213-229.
    .. [5] Segall, D. O. (1996). "Multidimensional adaptive testing". Psychometrika
       61, 331-354.
    .. [6] van der Linden, W. J. (1999). "Multidimensional adaptive testing with a
       minimum error-variance criterion". Journal of Educational and Behavioral
       Statistics 24, 398-412.

    Examples
    --------
    >>> from skirt.adaptive import FluidBenchmark
    >>> from skirt.datasets import make_responses
    >>> panel = make_responses(60, 200, random_state=0)
    >>> bench = FluidBenchmark(n_items=10, random_state=0).fit(panel.data[:40])
    >>> round(bench.score(panel.data[40:]), 2)
    0.88
    >>> bench.replay(panel.data[40:]).head(2).round(2)
        model  step    item  response  ability  standard_error
    0  model0     1  item14       0.0    -0.68            0.71
    1  model0     2  item84       0.0    -0.97            0.63

    With a bank of two abilities, the second of which is of interest:

    >>> from skirt import MultidimIRT
    >>> bank = MultidimIRT.from_item_parameters(
    ...     discrimination=[[1.5, 0.0], [1.2, 0.3], [0.0, 1.5], [0.4, 1.2]],
    ...     intercept=[0.0, -0.5, 0.5, 0.0],
    ... )
    >>> bench = FluidBenchmark(
    ...     bank, n_items=2, criterion="a_optimal", dimensions=[1]
    ... ).fit([[1, 1, 0, 0], [0, 1, 1, 1]])
    >>> bench.replay([[1, 1, 0, 1]]).iloc[:, 2:6].round(2)
        item  response  ability0  ability1
    0  item2       0.0      0.00     -0.60
    1  item3       1.0      0.21     -0.19
    """

    _parameter_constraints: dict = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "n_items": [Interval(Integral, 1, None, closed="left")],
        "se_target": [Interval(Real, 0, None, closed="neither"), None],
        "change_target": [Interval(Real, 0, None, closed="neither"), None],
        "min_items": [Interval(Integral, 1, None, closed="left")],
        "criterion": [StrOptions(CRITERION_NAMES)],
        "dimensions": ["array-like", None],
        "ranking": [StrOptions({"auto", "ability", "score"})],
        "target_weights": ["array-like", None],
        "ability_method": [StrOptions(set(ABILITY_METHODS))],
        "start_ability": [Interval(Real, None, None, closed="neither")],
        "ability_bounds": ["array-like", None],
        "strata": ["array-like", Mapping, None],
        "randomesque": [Interval(Integral, 1, None, closed="left")],
        **BINARIZE_CONSTRAINT,
        "random_state": ["random_state"],
        "memory": [str, HasMethods("cache"), None],
    }

    def __init__(
        self,
        estimator=None,
        *,
        n_items=50,
        se_target=None,
        change_target=None,
        min_items=1,
        criterion="fisher",
        dimensions=None,
        ranking="auto",
        target_weights=None,
        ability_method="map",
        start_ability=0.0,
        ability_bounds=None,
        strata=None,
        randomesque=1,
        binarize=None,
        random_state=None,
        memory=None,
    ):
        self.estimator = estimator
        self.n_items = n_items
        self.se_target = se_target
        self.change_target = change_target
        self.min_items = min_items
        self.criterion = criterion
        self.dimensions = dimensions
        self.ranking = ranking
        self.target_weights = target_weights
        self.ability_method = ability_method
        self.start_ability = start_ability
        self.ability_bounds = ability_bounds
        self.strata = strata
        self.randomesque = randomesque
        self.binarize = binarize
        self.random_state = random_state
        self.memory = memory

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y=None):
        """Calibrate the bank, or take up the fixed one.

        Parameters
        ----------
        X : array-like of shape (n_models, n_items)
            The responses: 1, 0 or NaN (not administered).
        y : None
            Ignored, present for scikit-learn's conventions.

        Returns
        -------
        self : object
            The fitted estimator.

        Raises
        ------
        ValueError
            If `X` holds anything but 0, 1 and missing while ``binarize=None``, or no
            response at all; if a parameter does not fit the others or the items.

        Warns
        -----
        UserWarning
            If `n_items` exceeds the number of items, or a fitted bank is calibrated
            anew.
        """
        responses = check_responses(self, X, reset=True, binarize=self.binarize)
        if np.isnan(responses).all():
            raise ValueError(
                "X holds no response at all: every entry is missing (NaN), so that "
                "nothing can be calibrated."
            )
        n_items = responses.shape[1]
        if self.n_items > n_items:
            warnings.warn(
                f"n_items={self.n_items} is greater than the number of items, "
                f"{n_items}: a test may ask all of them.",
                UserWarning,
                stacklevel=3,  # past scikit-learn's wrapper of fit
            )
        bank = calibrated_bank(self, responses)
        named = hasattr(self, "feature_names_in_")
        names = item_names(self) if named else ready_bank(bank).item_names_
        self._take_up(bank, names)
        return self

    def truncate(self, k):
        """Return a copy of this estimator whose tests have at most `k` items.

        Parameters
        ----------
        k : int
            From 1 to `n_items`.

        Returns
        -------
        FluidBenchmark
            Fitted; equal to the one that `fit` would have given with ``n_items=k``.
        """
        check_is_fitted(self)
        shorter = copy.copy(self)
        shorter.n_items = self._checked_size(k)
        shorter._take_up(self.estimator_, self.item_names_, seed=self._design.seed)
        return shorter

    def _take_up(self, bank, names, seed=None):
        """Become fitted with this bank of items with these names."""
        if seed is None:
            rng = check_random_state(self.random_state)
            seed = int(rng.randint(np.iinfo(np.int32).max))
        self._design = make_design(self, items_of(bank), names, seed)
        self.estimator_ = bank
        self.item_names_ = names
        self.nested_ = True

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.target_tags.required = False
        return tags
