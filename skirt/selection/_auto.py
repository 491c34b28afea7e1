"""Choosing the items by the design that ranks held-out models of the panel best."""

from numbers import Integral

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from skirt._responses import item_names
from skirt.selection._banks import calibrated_or_fixed
from skirt.selection._calibrating import CalibratingSelector
from skirt.selection._design_choice import (
    NO_EVIDENCE,
    Designs,
    Panel,
    gather_evidence,
)
from skirt.selection._score_ranking import check_groups, check_target_weights

# With fewer independent models nothing is compared.
_FEWEST_GROUPS = 10


class AutoSubsetSelector(CalibratingSelector):
    """Choose items so that a few rank models as the whole benchmark does.

    Which way of choosing suits a benchmark is found out on the panel itself: its models
    are split in halves, each design chooses on the one half and ranks the other, and
    for each size the agreement with the full-benchmark score tells which to take.

    The designs are ``"rank"``, the criterion of that name of
    :class:`FisherSubsetSelector`, averaged over banks of 1, 2, 3 and 5 dimensions;
    ``"rank, then random"``, the same for the first 20 items and random ones after; and
    ``"marginal"``, its one-dimensional criterion. What the splits say is weighed
    against what simulated panels have shown, by which "rank" is ahead; the design of
    highest expected agreement is taken. Halves of fewer than about ten independent
    models tell next to nothing: with fewer than 20 prefer
    ``FisherSubsetSelector(criterion="rank")``.

    Parameters
    ----------
    k : int, default=10
        The number of items to choose. If it exceeds the number of items, all are
        kept, with a warning.
    n_splits : int, default=12
        How often the panel is split in halves to compare the designs; at least 2 to
        take another than "rank".
    target_weights : array-like of shape (n_items,) or Series, default=None
        Weight of each item in the full-benchmark score, from 0 on; a Series is taken
        by item name. None weighs all alike.
    binarize : float, default=None
        None accepts only 0, 1 and missing. A number t counts values above t as 1.
    random_state : int, RandomState instance or None, default=0
        Determines the splits and the random items.
    memory : str or joblib.Memory, default=None
        Where to keep calibrations.

    Attributes
    ----------
    design_ : str
        The design taken.
    agreement_ : DataFrame
        Mean held-out agreement (Spearman's rho, averaged on Fisher's z scale) inside
        the panel, one row for each design and one column for each size compared. No
        column where there are fewer than 10 independent models or 10 items: the
        design is "rank" then.
    order_ : ndarray of int of shape (min(k, n_items),)
        The chosen items' column indices, best first.
    nested_ : bool
        Is the choice for every smaller `k` a prefix of `order_`? Not where other
        sizes use other designs.
    estimator_ : TwoPLEstimator
        The one-dimensional bank.
    n_features_in_ : int
        The number of items seen during `fit`.
    feature_names_in_ : ndarray of str of shape (n_items,)
        The items' names. Defined only if `X` has names.

    See Also
    --------
    FisherSubsetSelector : One of the designs, or a bank of your own.
    skirt.model_selection.agreement_curve : How good is the choice, by size?

    Notes
    -----
    `predict` returns expected full-benchmark scores: chosen items as observed, the
    others predicted. Its standard errors are stretched so that 90 % intervals held
    90 % of the held-out models in the comparison.

    Agreements are pooled over sizes by weights that fall to .61 for half or twice
    the size. A design's gain over "rank" with `k` items is, before the splits are seen,
    normal with the mean -.003 k and the variance .0009 k, on Fisher's z scale and up to
    50 items: with 15 models the splits rarely outweigh that. Panels of more than 1,000
    items or 500 models are compared on a random part of as many; the choice itself uses
    all.

    Examples
    --------
    >>> from skirt import AutoSubsetSelector
    >>> from skirt.datasets import load_classifier_panel
    >>> panel = load_classifier_panel(as_frame=True)
    >>> X = panel.data.iloc[::3, ::20]
    >>> selector = AutoSubsetSelector(k=20, n_splits=2).fit(X)
    >>> selector.predict(X).shape, len(selector.order_)
    ((56,), 20)
    """

    _parameter_constraints: dict = {
        **CalibratingSelector._parameter_constraints,
        "n_splits": [Interval(Integral, 1, None, closed="left")],
        "target_weights": ["array-like", None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        k=10,
        *,
        n_splits=12,
        target_weights=None,
        binarize=None,
        random_state=0,
        memory=None,
    ):
        self.k = k
        self.n_splits = n_splits
        self.target_weights = target_weights
        self.binarize = binarize
        self.random_state = random_state
        self.memory = memory

    def predict(self, X, return_std=False):
        """Return the models' expected full-benchmark scores from the chosen items.

        Parameters
        ----------
        X : array-like of shape (n_models, n_items)
            The responses to all the items that `fit` has seen; those that were not
            chosen are not used.
        return_std : bool, default=False
            Whether to return standard errors too.

        Returns
        -------
        score : ndarray of shape (n_models,)
            Between 0 and 1.
        score_std : ndarray of shape (n_models,)
            Only if `return_std`: of the score that all items would show.
        """
        return self._predict_chosen(self._chosen_of_all(X), return_std)

    def predict_subset(self, X, return_std=False):
        """Return the same for models that answered only the chosen items.

        Parameters
        ----------
        X : array-like of shape (n_models, n_chosen)
            The responses to the chosen items, in column order.
        return_std : bool, default=False
            As in `predict`.

        Returns
        -------
        score : ndarray of shape (n_models,)
        score_std : ndarray of shape (n_models,)
            Only if `return_std`.
        """
        return self._predict_chosen(self._only_chosen(X), return_std)

    def predict_path(self, X, sizes, return_std=False):
        """Return the scores that smaller choices give, each by its own design.

        Parameters
        ----------
        X : array-like of shape (n_models, n_items)
        sizes : sequence of int
            From 1 to the number chosen.
        return_std : bool, default=False
            Whether to return standard errors too.

        Returns
        -------
        score : ndarray of shape (n_sizes, n_models)
        score_std : ndarray of shape (n_sizes, n_models)
            Only if `return_std`.
        """
        responses = self._all_items(X)
        most = len(self.order_)
        for k in sizes:
            if not 1 <= k <= most:
                raise ValueError(
                    f"sizes are from 1 to {most}, the items chosen; got {k!r}."
                )
        scores, errors = np.array([self._at(k, responses) for k in sizes]).swapaxes(
            0, 1
        )
        return (scores, errors) if return_std else scores

    def _order(self, responses, k, groups=None):
        target = check_target_weights(self.target_weights, item_names(self))
        group = check_groups(groups, len(responses))
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        streams = np.random.default_rng(seed).spawn(2)
        answered = ~np.isnan(responses).all(axis=1)
        panel = Panel(responses[answered], target, group[answered])
        self._designs = Designs.fit(panel, k, streams[0], self._calibrated)
        self._evidence = NO_EVIDENCE
        if panel.n_groups >= _FEWEST_GROUPS:
            score = self._full_score(panel.responses)
            self._evidence = gather_evidence(
                panel, score, self.n_splits, streams[1], self._calibrated_part
            )
        self.agreement_ = self._evidence.table()
        self.estimator_ = self._designs.bank
        self.design_ = self._evidence.design(k)
        order = self._designs.orders[self.design_]
        self._nested = all(
            np.array_equal(self._items(size), order[:size]) for size in range(1, k)
        )
        return order

    def _calibrated(self, bank, responses):
        names = getattr(self, "feature_names_in_", None)
        return calibrated_or_fixed(bank, responses, names, memory=self.memory)

    def _calibrated_part(self, bank, responses):
        return calibrated_or_fixed(bank, responses, None, memory=self.memory)

    def _items(self, k):
        return self._designs.orders[self._evidence.design(k)][:k]

    def _at(self, k, responses):
        """Scores and standard errors of a choice of `k` items."""
        design = self._evidence.design(k)
        score, error = self._designs.predict(design, k, responses)
        return score, error * self._evidence.stretch_of(design, k)

    def _predict_chosen(self, chosen, return_std=False):
        check_is_fitted(self)
        responses = np.full((len(chosen), self.n_features_in_), np.nan)
        responses[:, self.get_support()] = chosen
        score, error = self._at(len(self.order_), responses)
        return (score, error) if return_std else score

    def _full_score(self, responses):
        everything = np.arange(responses.shape[1])
        return self._designs.rankings["rank"].predict(everything, responses)[0]
