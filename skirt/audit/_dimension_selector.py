"""Choosing the items that show one dimension of a benchmark best."""

from numbers import Integral, Real

import numpy as np
import pandas as pd
from sklearn.base import _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions

from skirt._multidim import MultidimIRT
from skirt._responses import BINARIZE_CONSTRAINT, check_responses
from skirt.audit._binned_choice import best_of_each_bin
from skirt.audit._selector_inputs import (
    item_labels,
    telling_items,
    warn_of_agreement,
)
from skirt.selection._banks import calibrated_or_fixed, with_bank_names
from skirt.selection._base import SubsetSelector


class DimensionItemSelector(SubsetSelector):
    """Keep the most discriminating items of one dimension at every difficulty.

    The items are calibrated with a multidimensional model (the *bank*), sorted into
    bins of equal difficulty, of the whole table or of every benchmark apart, and a
    share of each bin is kept: those that discriminate most on the dimension. That
    purifies a benchmark without making it easier or harder.

    Parameters
    ----------
    dimension : int, default=0
        The bank's dimension to keep, from 0.
    keep : float, default=0.1
        The share of items to keep, in each bin and so of all; at least one of each
        benchmark.
    n_bins : int, default=100
        The most bins of difficulty, in each benchmark. There are fewer where a bin
        would hold so few items that less than one of them would be kept.
    by : array-like of shape (n_items,), default=None
        The benchmark of each item, or any other label: the same share of each is
        kept. A Series is read by item name, so that it may name more items than `X`
        has and serve behind another selector. None treats all items as one.
    estimator : MultidimIRT or another item response model, default=None
        The bank; ``MultidimIRT(2)`` when None. It is cloned and calibrated on the `X`
        of `fit`, even if it is fitted already (with a warning then). A bank from
        ``from_item_parameters`` or a ``FrozenEstimator(bank)`` is used as it is; if
        it has item names and so has `X`, items are matched by name.
    difficulty : {"mdiff", "proportion"}, default="mdiff"
        What the bins are of: ``MDIFF = -d / |a|``, the distance at which an item is
        passed by half of the models, or the proportion of right answers in `X`.
    binarize : float, default=None
        None accepts only 0, 1 and missing. A number t counts values above t as 1.
        The bank sees the result; its own `binarize` has no effect.
    random_state : int, RandomState instance or None, default=0
        Breaks ties: the order among items of equal discrimination is drawn once.
    memory : str or joblib.Memory, default=None
        Where to keep calibrations, so that a grid over the other parameters
        calibrates only once for each training set.

    Attributes
    ----------
    estimator_ : estimator
        The calibrated bank of all the items.
    discrimination_ : ndarray of shape (n_items,)
        The items' discriminations on the dimension.
    bin_ : ndarray of int of shape (n_items,)
        The bin of each item, counted within its benchmark from the easiest; -1 for
        items that were left out because they tell no models apart.
    order_ : ndarray of int of shape (n_chosen,)
        The chosen items' column indices, most discriminating first.
    nested_ : bool
        False: what a smaller `keep` chooses is in general no prefix of `order_`.
    n_features_in_ : int
        The number of items seen during `fit`.
    feature_names_in_ : ndarray of str of shape (n_items,)
        The items' names. Defined only if `X` has names.

    See Also
    --------
    FisherSubsetSelector : Choose by how precisely the items measure ability.
    benchmark_audit : What does each benchmark measure?

    Notes
    -----
    Discriminations are taken with their signs. A benchmark that does not measure the
    dimension still gives its share, of items that hardly discriminate on it: look at
    `discrimination_`.

    Items that the calibration saw answered alike by every model, or not at all, are
    known to it only by its prior. They are left out, and the share is of the others.

    Bins hold equal numbers of items as nearly as ties of difficulty allow, which stay
    together; the numbers kept of successive bins add up to the share, rounded.

    `predict` returns the mean of a model's observed responses to the chosen items.

    References
    ----------
    .. [1] Reckase, M. D. (2009). "Multidimensional Item Response Theory". Springer.

    Examples
    --------
    >>> from skirt.audit import DimensionItemSelector
    >>> from skirt.datasets import make_multidim_responses
    >>> panel = make_multidim_responses(60, 400, as_frame=True, random_state=0)
    >>> selector = DimensionItemSelector(by=panel.item_table["benchmark"])
    >>> selector.fit_transform(panel.data).shape
    (60, 40)
    """

    _parameter_constraints: dict = {
        "dimension": [Interval(Integral, 0, None, closed="left")],
        "keep": [Interval(Real, 0, 1, closed="right")],
        "n_bins": [Interval(Integral, 1, None, closed="left")],
        "by": ["array-like", None],
        "estimator": [HasMethods(["fit", "transform"]), None],
        "difficulty": [StrOptions({"mdiff", "proportion"})],
        **BINARIZE_CONSTRAINT,
        "random_state": ["random_state"],
        "memory": [str, HasMethods("cache"), None],
    }

    def __init__(
        self,
        dimension=0,
        *,
        keep=0.1,
        n_bins=100,
        by=None,
        estimator=None,
        difficulty="mdiff",
        binarize=None,
        random_state=0,
        memory=None,
    ):
        self.dimension = dimension
        self.keep = keep
        self.n_bins = n_bins
        self.by = by
        self.estimator = estimator
        self.difficulty = difficulty
        self.binarize = binarize
        self.random_state = random_state
        self.memory = memory

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y=None):
        """Choose the items.

        Parameters
        ----------
        X : array-like of shape (n_models, n_items)
            The responses: 1, 0 or NaN (not administered).
        y : None
            Ignored, present for scikit-learn's conventions.

        Returns
        -------
        self : object
            The fitted selector.

        Raises
        ------
        ValueError
            If `X` holds anything but 0, 1 and missing while ``binarize=None``, the
            bank has no such dimension or lacks items, or `by` does not label every
            item.

        Warns
        -----
        UserWarning
            If the models agree on every item, of all or of a benchmark.
        """
        responses = check_responses(self, X, reset=True, binarize=self.binarize)
        self.order_ = self._order(responses)
        self.nested_ = self._nested
        return self

    _nested = False

    def score(self, X, y=None):
        """Return the agreement of the chosen items' ranking with a reference.

        Parameters
        ----------
        X : array-like of shape (n_models, n_items)
            The responses to all items.
        y : array-like of shape (n_models,), default=None
            The reference scores; when None, the models' abilities on the dimension
            from all items.

        Returns
        -------
        float
            Spearman's rank correlation between `predict` and the reference.
        """
        return super().score(X, y)

    def truncate(self, k):
        """Refuse: a share of every bin has no shorter version.

        Raises
        ------
        ValueError
            Always. Fit with a smaller `keep`.
        """
        raise ValueError(
            f"{type(self).__name__} keeps a share of every bin of difficulty, so that "
            f"its first {k} items are not what it would choose: fit it with a smaller "
            "keep."
        )

    def _order(self, responses, k=None):
        given = MultidimIRT(2) if self.estimator is None else self.estimator
        names = getattr(self, "feature_names_in_", None)
        labels = item_labels(self.by, names, responses.shape[1])
        bank, _ = calibrated_or_fixed(given, responses, names, memory=self.memory)
        self.estimator_ = bank
        slopes = bank.discrimination_.reshape(responses.shape[1], -1)
        if self.dimension >= slopes.shape[1]:
            raise ValueError(
                f"dimension={self.dimension}, but the bank has {slopes.shape[1]} "
                f"dimensions, counted from 0: ask for less, or use more components."
            )
        self.discrimination_ = slopes[:, self.dimension].copy()
        difficulty = _difficulty(self.difficulty, bank, slopes, responses)
        telling = telling_items(bank, given)
        warn_of_agreement(telling, labels)
        order, self.bin_ = best_of_each_bin(
            self.discrimination_,
            difficulty,
            pd.factorize(labels)[0],
            telling if telling.any() else ~telling,
            keep=self.keep,
            n_bins=self.n_bins,
            tie_breaker=check_random_state(self.random_state).permutation(len(slopes)),
        )
        return order

    def _full_score(self, responses):
        bank = self.estimator_
        ability = bank.transform(with_bank_names(responses, bank))
        return ability[:, self.dimension]


def _difficulty(kind, bank, slopes, responses):
    if kind == "mdiff":
        if hasattr(bank, "mdiff_"):
            return bank.mdiff_
        with np.errstate(divide="ignore", invalid="ignore"):
            return -bank.intercept_ / np.linalg.norm(slopes, axis=1)
    right, wrong = (responses == 1).sum(axis=0), (responses == 0).sum(axis=0)
    share_wrong = np.full(len(slopes), np.nan)
    np.divide(wrong, right + wrong, out=share_wrong, where=right + wrong > 0)
    return share_wrong
