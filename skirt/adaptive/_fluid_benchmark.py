"""Adaptive testing as an estimator."""

import copy
import warnings
from collections.abc import Mapping
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin, _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from skirt._ability import ABILITY_METHODS
from skirt._responses import (
    BINARIZE_CONSTRAINT,
    check_responses,
    item_names,
    model_names,
)
from skirt.adaptive._bench_bank import calibrated_bank, ready_bank, with_bank_names
from skirt.adaptive._content_balance import make_strata
from skirt.adaptive._criteria import CRITERIA
from skirt.adaptive._items import LogisticItems
from skirt.adaptive._live import LiveMixin
from skirt.adaptive._replay import replay_tests
from skirt.adaptive._replay_tables import replay_summary, replay_trace
from skirt.adaptive._stopping import StoppingRules
from skirt.adaptive._tests_in_step import TestDesign
from skirt.metrics import agreement_score, full_benchmark_score
from skirt.metrics._labels import check_same_models


class FluidBenchmark(LiveMixin, TransformerMixin, BaseEstimator):
    """Ask each model the items that tell most about it, one after the other.

    After every answer the model's ability is estimated anew, and the item that is
    most informative there is asked next, until a rule says that it is enough. Fitted
    on a panel of models, the estimator replays such tests over stored responses of
    others: an answer is looked at only when its item is asked. :meth:`start` and
    :meth:`run` put the test to a live model.

    Parameters
    ----------
    estimator : TwoPLEstimator or OnePLEstimator, default=None
        The bank; ``TwoPLEstimator()`` when None. It is cloned and calibrated on the
        `X` of `fit`, even if it is fitted already (with a warning then). A bank from
        ``from_item_parameters`` or a ``FrozenEstimator(bank)`` is used as it is; if
        it has item names and so has `X`, items are matched by name.
    n_items : int, default=50
        The most items to ask a model. If it exceeds the number of items there are,
        `fit` warns, and all are asked.
    se_target : float, default=None
        Stop once the standard error of the ability is no larger.
    change_target : float, default=None
        Stop once an answer moves the ability by less.
    min_items : int, default=1
        The fewest items before `se_target` or `change_target` may end a test.
        `n_items` holds even if it is less.
    criterion : {"fisher", "mpwi", "kl", "mepv", "random"}, default="fisher"
        What makes an item the best one: "fisher" its information at the current
        ability, "mpwi" its information averaged over the posterior, "kl" the
        Kullback-Leibler divergence of its answer at the current ability from that at
        others, averaged over the posterior, "mepv" the expected posterior variance
        after its answer; "random" is the baseline.
    ability_method : {"map", "eap", "ml", "wl"}, default="map"
        Estimator of the ability, during the test and at its end: posterior mode and
        mean under N(0, 1), maximum likelihood, Warm's weighted likelihood.
    start_ability : float, default=0.0
        Where the first item is to be informative.
    ability_bounds : (float, float), default=None
        Abilities outside are impossible. None sets no bounds, but for "ml", whose
        estimates are infinite while all answers are alike: they stay within (-4, 4).
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

    With ``ability_method="map"`` and ``ability_bounds=(-4, 4)`` the items and
    abilities are those of fluid benchmarking [1]_, and with "map", "eap" and "wl"
    those of the R package catR [2]_. The criteria are described in [3]_ (information
    averaged over the posterior, expected posterior variance) and [4]_
    (Kullback-Leibler).

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
    """

    _parameter_constraints: dict = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "n_items": [Interval(Integral, 1, None, closed="left")],
        "se_target": [Interval(Real, 0, None, closed="neither"), None],
        "change_target": [Interval(Real, 0, None, closed="neither"), None],
        "min_items": [Interval(Integral, 1, None, closed="left")],
        "criterion": [StrOptions(set(CRITERIA))],
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

    def transform(self, X):
        """Replay the tests and return the abilities, as a column.

        Parameters
        ----------
        X : array-like of shape (n_models, n_items)
            The responses to all the items that `fit` has seen.

        Returns
        -------
        ndarray of shape (n_models, 1)
        """
        return self.predict(X)[:, None]

    def predict(self, X, return_std=False):
        """Replay the tests and return the abilities at their ends.

        Parameters
        ----------
        X : array-like of shape (n_models, n_items)
            The responses to all the items that `fit` has seen. Items without a
            response (NaN) are never asked.
        return_std : bool or "total", default=False
            True adds the standard errors given the items; with "total" both figures
            are those that the bank's own ``predict(X, return_std="total")`` gives
            for the responses that were looked at.

        Returns
        -------
        ability : ndarray of shape (n_models,)
            On the bank's scale: its calibration panel is N(0, 1). A model without
            any response gets the prior's mean ("ml" and "wl": NaN), with a warning.
        ability_std : ndarray of shape (n_models,)
            Only if `return_std`.
        """
        if not (isinstance(return_std, bool | np.bool_) or return_std == "total"):
            raise ValueError(
                f"return_std is {return_std!r}: give True, False or 'total'."
            )
        responses = self._checked(X)
        replay = self._replay(responses)
        if return_std == "total":
            return self._total(responses, replay)
        ability, error = self._at_end(replay, self.n_items)
        return (ability, error) if return_std else ability

    def predict_path(self, X, sizes):
        """Return the abilities after each of several numbers of items.

        Parameters
        ----------
        X : array-like of shape (n_models, n_items)
            The responses to all the items that `fit` has seen.
        sizes : array-like of int
            Numbers of items, none above `n_items`. A test that ended earlier keeps
            the ability of its end.

        Returns
        -------
        ndarray of shape (n_sizes, n_models)
            Row by row what `predict` gives with that `n_items`, from one replay.
        """
        sizes = [self._checked_size(size) for size in np.atleast_1d(sizes)]
        replay = self._replay(self._checked(X))
        return np.stack([self._at_end(replay, size)[0] for size in sizes])

    def replay(self, X, *, return_summary=False):
        """Replay the tests and return every step of them.

        Parameters
        ----------
        X : array-like of shape (n_models, n_items)
            The responses to all the items that `fit` has seen.
        return_summary : bool, default=False
            Whether to return one line for each model too.

        Returns
        -------
        trace : DataFrame
            One row for each step of each model: model, step (from 1), item,
            response, and ability and standard_error after the answer.
        summary : DataFrame, indexed by model
            Only with `return_summary`: n_items, ability, standard_error, and
            ``stopped``, the reason of the end: "standard_error", "change", "length"
            or "exhausted" (no item with a response was left).
        """
        responses = self._checked(X)
        replay = self._replay(responses)
        models = model_names(X, len(responses))
        trace = replay_trace(replay, models, self.item_names_)
        if not return_summary:
            return trace
        return trace, replay_summary(replay, models, self._at_end(replay, self.n_items))

    def score(self, X, y=None):
        """Return the agreement of the tests' ranking with a reference.

        Parameters
        ----------
        X : array-like of shape (n_models, n_items)
            The responses to all items. The result says something about other models
            only if the bank was not calibrated on these.
        y : array-like of shape (n_models,), default=None
            The reference scores; the full-benchmark scores of `X` when None.

        Returns
        -------
        float
            Spearman's rank correlation between `predict` and the reference, as
            :func:`skirt.metrics.agreement_score` computes it.
        """
        responses = self._checked(X)
        ability, _ = self._at_end(self._replay(responses), self.n_items)
        if y is None:
            table = with_bank_names(responses, self.estimator_)
            y = full_benchmark_score(table, bank=self.estimator_)
        else:
            check_consistent_length(X, y)
            check_same_models(X, y, "X", "y")
        return agreement_score(y, ability)

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
        shorter._take_up(self.estimator_, self.item_names_, seed=self._seed)
        return shorter

    def get_feature_names_out(self, input_features=None):
        """Return the name of the transform's column, ``ability``.

        Parameters
        ----------
        input_features : None
            Ignored.

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self)
        return np.asarray(["ability"], dtype=object)

    def _take_up(self, bank, names, seed=None):
        """Become fitted with this bank of items with these names."""
        items = LogisticItems.of(bank)
        strata = make_strata(self.strata, names)
        bounds = self._checked_bounds()
        if seed is None:
            rng = check_random_state(self.random_state)
            seed = int(rng.randint(np.iinfo(np.int32).max))
        self._seed = seed
        rules = StoppingRules(
            int(self.n_items), self.se_target, self.change_target, int(self.min_items)
        )
        self._design = TestDesign(
            items=items,
            criterion=self.criterion,
            ability_method=self.ability_method,
            start_ability=float(self.start_ability),
            bounds=bounds,
            strata=strata,
            randomesque=int(self.randomesque),
            rules=rules,
            seed=seed,
        )
        self.estimator_ = bank
        self.item_names_ = names
        self.nested_ = True

    def _checked_bounds(self):
        bounds = self.ability_bounds
        if bounds is not None:
            bounds = np.asarray(bounds, dtype=np.float64)
            ordered = bounds.shape == (2,) and np.isfinite(bounds).all()
            if not ordered or bounds[0] >= bounds[1]:
                raise ValueError(
                    f"ability_bounds is {self.ability_bounds!r}: give a pair of "
                    "finite numbers, the lower one first, or None."
                )
            bounds = float(bounds[0]), float(bounds[1])
            if not bounds[0] <= self.start_ability <= bounds[1]:
                raise ValueError(
                    f"start_ability is {self.start_ability}, outside ability_bounds "
                    f"{bounds}."
                )
        return bounds

    def _checked_size(self, size):
        whole = isinstance(size, Integral | np.integer) and not isinstance(size, bool)
        if not whole or not 1 <= size <= self.n_items:
            raise ValueError(
                f"A test's length is an integer from 1 to n_items={self.n_items}; got "
                f"{size!r}."
            )
        return int(size)

    def _checked(self, X):
        check_is_fitted(self)
        return check_responses(self, X, reset=False, binarize=self.binarize)

    def _replay(self, responses):
        replay = replay_tests(self._design, responses)
        silent = np.flatnonzero(replay.n_items == 0)
        if silent.size:
            told = "NaN" if self.ability_method in ("ml", "wl") else "the prior's, 0"
            warnings.warn(
                f"{silent.size} of {len(responses)} models have no response (the first "
                f"is row {silent[0]}): their ability is {told}.",
                UserWarning,
                stacklevel=3,
            )
        return replay

    def _at_end(self, replay, n_items):
        """Return abilities and errors, also of models that were asked nothing."""
        ability, error = replay.after(n_items)
        silent = replay.n_items == 0
        if silent.any():
            prior = self.ability_method in ("map", "eap")
            ability[silent] = 0.0 if prior else np.nan
            error[silent] = 1.0 if prior else np.inf
        return ability, error

    def _total(self, responses, replay):
        seen = np.full(responses.shape, np.nan)
        rows, steps = np.nonzero(replay.items >= 0)
        columns = replay.items[rows, steps]
        seen[rows, columns] = responses[rows, columns]
        bank = ready_bank(self.estimator_, self.ability_method)
        with warnings.catch_warnings():
            # Models without a response have been told of.
            warnings.filterwarnings("ignore", message=".* have no answer")
            return bank.predict(with_bank_names(seen, bank), return_std="total")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.target_tags.required = False
        return tags
