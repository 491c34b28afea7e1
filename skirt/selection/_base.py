"""What every selector of items shares."""

import copy
import warnings
from abc import abstractmethod
from numbers import Integral

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, _fit_context
from sklearn.feature_selection import SelectorMixin
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from skirt._responses import BINARIZE_CONSTRAINT, check_responses, item_names
from skirt._sklearn_compat import validate_data
from skirt.metrics import agreement_score, full_benchmark_score
from skirt.metrics._labels import check_same_models


class SubsetSelector(SelectorMixin, BaseEstimator):
    """Base class of the selectors: subclasses say in which order items are best.

    A subclass implements ``_order(responses, k)``, which returns the column indices
    of the `k` chosen items, best first, and may override ``_predict_chosen`` and
    ``_full_score``.
    """

    _parameter_constraints: dict = {
        "k": [Interval(Integral, 1, None, closed="left")],
        **BINARIZE_CONSTRAINT,
    }

    # Is the choice of every smaller k a prefix of `order_`?
    _nested = True

    # The fewest models among which the choice has a meaning.
    _min_models = 2

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
            If `X` holds anything but 0, 1 and missing while ``binarize=None``, or no
            response at all.

        Warns
        -----
        UserWarning
            If `k` exceeds the number of items; all are kept then.
        """
        return self._choose(X)

    def _choose(self, X, **counted):
        """Fit; what a subclass's `fit` takes besides `X` goes on to `_order`."""
        responses = check_responses(
            self,
            X,
            reset=True,
            binarize=self.binarize,
            min_models=self._min_models,
        )
        if np.isnan(responses).all():
            raise ValueError(
                "X holds no response at all: every entry is missing (NaN), so that "
                "no item can be told from another."
            )
        n_items = responses.shape[1]
        if isinstance(self.k, bool):
            raise ValueError(f"k is {self.k}: give the number of items to choose.")
        if self.k > n_items:
            warnings.warn(
                f"k={self.k} is greater than the number of items, {n_items}: all "
                "items are kept.",
                UserWarning,
                stacklevel=4,  # past scikit-learn's wrapper of fit
            )
        self.order_ = self._order(responses, min(self.k, n_items), **counted)
        self.nested_ = self._nested
        return self

    def transform(self, X):
        """Keep the chosen items, in the column order of `X`.

        Parameters
        ----------
        X : array-like of shape (n_models, n_items)
            The responses to all the items that `fit` has seen.

        Returns
        -------
        ndarray or DataFrame of shape (n_models, n_chosen)
            The chosen columns as they stand in `X`: missing stays missing, the dtype
            is kept and nothing is binarised. A DataFrame after
            ``set_output(transform="pandas")``.
        """
        check_is_fitted(self)
        check_responses(self, X, reset=False, binarize=self.binarize)
        return super().transform(_with_text_names(X))

    def inverse_transform(self, X):
        """Put the chosen items back at their places; all others are missing.

        Parameters
        ----------
        X : array-like of shape (n_models, n_chosen)
            Any numbers for the chosen items, in column order.

        Returns
        -------
        ndarray of shape (n_models, n_items)
            `X` at the chosen columns and NaN, not 0, elsewhere: an item that was not
            administered was not failed.
        """
        check_is_fitted(self)
        chosen = validate_data(
            self._for_chosen_items(X),
            _with_text_names(X),
            reset=False,
            dtype=(np.float64, np.float32),
            ensure_all_finite="allow-nan",
        )
        full = np.full((len(chosen), self.n_features_in_), np.nan, dtype=chosen.dtype)
        full[:, self.get_support()] = chosen
        return full

    def predict(self, X):
        """Return the models' scores from the chosen items alone.

        Parameters
        ----------
        X : array-like of shape (n_models, n_items)
            The responses to all the items that `fit` has seen; those that were not
            chosen are not used.

        Returns
        -------
        ndarray of shape (n_models,)
            The scores; NaN, with a warning, for a model that answered no chosen item.
        """
        return self._predict_chosen(self._chosen_of_all(X))

    def predict_subset(self, X):
        """Return the scores of models that answered only the chosen items.

        Parameters
        ----------
        X : array-like of shape (n_models, n_chosen)
            The responses to the chosen items, in column order: the order of
            ``get_support(indices=True)`` and ``get_feature_names_out()``, which is
            not that of `order_`.

        Returns
        -------
        ndarray of shape (n_models,)
            The same scores as those of `predict`.

        Raises
        ------
        ValueError
            If `X` has another number of columns, or names that are not those of the
            chosen items in their order.
        """
        return self._predict_chosen(self._only_chosen(X))

    def score(self, X, y=None):
        """Return the agreement of the chosen items' ranking with a reference.

        Parameters
        ----------
        X : array-like of shape (n_models, n_items)
            The responses to all items. The result says something about other models
            only if these models did not choose the items.
        y : array-like of the shape of what `predict` returns, default=None
            The reference scores; the full-benchmark scores of `X` when None.

        Returns
        -------
        float
            Spearman's rank correlation between `predict` and the reference, as
            :func:`skirt.metrics.agreement_score` computes it; the mean over the
            targets where `predict` returns scores for several.

        Raises
        ------
        ValueError
            If a model has no score because it answered none of the chosen items.
        """
        responses = self._all_items(X)
        predicted = self._predict_chosen(responses[:, self.get_support()])
        if y is None:
            y = self._full_score(responses)
        else:
            check_consistent_length(X, y)
            check_same_models(X, y, "X", "y")
        return self._agreement(y, predicted)

    def truncate(self, k):
        """Return a copy of this selector that keeps only its first `k` items.

        Parameters
        ----------
        k : int
            The wanted number of items, from 1 to the number chosen.

        Returns
        -------
        selector : object of the same class
            Fitted; equal to the one that `fit` would have given with this `k`.

        Raises
        ------
        ValueError
            If the selector is not nested, so that fewer items are not a prefix of
            `order_`, or if `k` is out of range.
        """
        check_is_fitted(self)
        if not self.nested_:
            raise ValueError(
                f"{type(self).__name__} is not nested: its best {k} items need not be "
                f"among its best {len(self.order_)}. Fit it with k={k}."
            )
        if not isinstance(k, Integral) or not 1 <= int(k) <= len(self.order_):
            raise ValueError(
                f"k must be an integer from 1 to {len(self.order_)}, the number of "
                f"items chosen; got {k!r}."
            )
        shorter = copy.copy(self)
        shorter.k = k
        shorter.order_ = self.order_[:k].copy()
        return shorter

    @abstractmethod
    def _order(self, responses, k):
        """Return the column indices of the chosen items, best first."""

    def _predict_chosen(self, chosen):
        """Return the scores given the checked responses to the chosen items."""
        return _observed_mean(chosen)

    def _full_score(self, responses):
        """Return the full-benchmark scores, given the checked responses."""
        return full_benchmark_score(responses)

    def _agreement(self, y, predicted):
        """Return the agreement of predictions with reference scores."""
        return agreement_score(y, predicted)

    def _get_support_mask(self):
        check_is_fitted(self)
        mask = np.zeros(self.n_features_in_, dtype=bool)
        mask[self.order_] = True
        return mask

    def _all_items(self, X):
        check_is_fitted(self)
        return check_responses(self, X, reset=False, binarize=self.binarize)

    def _chosen_of_all(self, X):
        return self._all_items(X)[:, self.get_support()]

    def _only_chosen(self, X):
        check_is_fitted(self)
        return check_responses(
            self._for_chosen_items(X), X, reset=False, binarize=self.binarize
        )

    def _for_chosen_items(self, X):
        """Return a copy whose input is the chosen items; refuse another width."""
        support = self.get_support()
        names = item_names(self)[support]
        shape = np.shape(X)
        if len(shape) == 2 and shape[1] != len(names):
            first = ", ".join(repr(str(name)) for name in names[:5])
            more = ", ..." if len(names) > 5 else ""
            hint = (
                " For responses to all the items use predict or transform."
                if shape[1] == self.n_features_in_
                else ""
            )
            raise ValueError(
                f"X has {shape[1]} columns, but {len(names)} are expected, one for "
                f"each chosen item in column order: {first}{more}.{hint}"
            )
        narrow = copy.copy(self)
        narrow.n_features_in_ = len(names)
        if hasattr(self, "feature_names_in_"):
            narrow.feature_names_in_ = self.feature_names_in_[support]
        return narrow

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.target_tags.required = False
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _observed_mean(responses, weights=None):
    """Return the (weighted) mean of each row's observed responses."""
    observed = ~np.isnan(responses)
    right = np.where(observed, responses, 0.0)
    if weights is None:
        total = observed.sum(axis=1)
    else:
        # Rows are summed one by one (no matrix product), so that equal rows get
        # equal scores to the last bit and tie.
        right = right * weights
        total = (observed * weights).sum(axis=1)
    blank = ~observed.any(axis=1)
    if blank.any():
        rows = ", ".join(str(i) for i in np.flatnonzero(blank)[:5])
        more = ", ..." if blank.sum() > 5 else ""
        warnings.warn(
            f"{blank.sum()} of {len(blank)} models answered none of the chosen items "
            f"(rows {rows}{more}): their score is NaN. Choose more items, or leave "
            "these models out.",
            UserWarning,
            stacklevel=4,
        )
    mean = np.full(len(responses), np.nan)
    np.divide(right.sum(axis=1), total, out=mean, where=~blank)
    return mean


def _with_text_names(X):
    """Return a table with its item names as text, as `fit` has stored them."""
    if isinstance(X, pd.DataFrame):
        return X.set_axis([str(name) for name in X.columns], axis=1)
    return X
