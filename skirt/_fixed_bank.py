"""Banks whose item parameters are known and stay what they are."""

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np
import pandas as pd
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from skirt._likelihood_score import LikelihoodScore
from skirt._response_data import ResponseData
from skirt._responses import check_responses, item_names
from skirt._sklearn_compat import clone_parametrized
from skirt._weights import check_sample_weight


@dataclass(frozen=True)
class ItemUncertainty:
    """What the panel leaves unknown of the items.

    Attributes
    ----------
    covariance : ndarray of shape (n_items, 3)
        Of each item's (a, d), given location and scale: aa, ad, dd.
    panel_size : float
        Weight of the models that calibrated them.
    """

    covariance: np.ndarray
    panel_size: float

    def __getitem__(self, items):
        return ItemUncertainty(self.covariance[items], self.panel_size)


class FixedBank(TransformerMixin, LikelihoodScore):
    """An estimator of abilities that is able to keep given items."""

    _common_slope = False

    @classmethod
    def from_item_parameters(
        cls, *, discrimination, difficulty=None, intercept=None, names=None, **params
    ):
        """Make a bank of items whose parameters are known.

        The bank is ready to use and stays what it is: `fit` only checks the responses
        and estimates their abilities, and :func:`sklearn.base.clone` keeps the items.
        With item names, `fit` on a table of some of the items takes just those, so
        that the bank can follow a selector in a pipeline.

        Parameters
        ----------
        discrimination : array-like of shape (n_items,) or float
            Discriminations a, on the logistic metric (D = 1). Finite.
        difficulty, intercept : array-like of shape (n_items,)
            Difficulties b or intercepts d = -a b; exactly one of them.
        names : array-like of str, optional
            Item names; default the index where a Series is passed.
        **params
            The estimator's own parameters, `ability_method` for one.

        Returns
        -------
        estimator

        Raises
        ------
        ValueError
            If lengths differ, values are not finite, names repeat, or not exactly one
            of `difficulty` and `intercept` is given.

        Examples
        --------
        >>> from skirt import TwoPLEstimator
        >>> bank = TwoPLEstimator.from_item_parameters(
        ...     discrimination=[1.0, 0.8, 1.5, 1.2], difficulty=[-1.0, 0.0, 0.5, 1.5]
        ... )
        >>> bank.set_params(ability_method="eap").predict([[1, 0, 1, 0]]).round(3)
        array([0.333])
        """
        if (difficulty is None) == (intercept is None):
            raise ValueError(
                "Give exactly one of difficulty (b) and intercept (d = -a b)."
            )
        location = intercept if difficulty is None else difficulty
        for values in (location, discrimination):
            if names is None and isinstance(values, pd.Series):
                names = values.index
        if isinstance(location, pd.Series) and isinstance(discrimination, pd.Series):
            if set(location.index) != set(discrimination.index):
                odd = set(location.index) ^ set(discrimination.index)
                raise ValueError(
                    f"Item {sorted(map(str, odd))[0]!r} has a discrimination but no "
                    "difficulty or intercept, or the other way round."
                )
            discrimination = discrimination.reindex(location.index)
        b = np.atleast_1d(_numbers("difficulty or intercept", location))
        a = _numbers("discrimination", discrimination)
        if a.ndim and a.shape != b.shape:
            raise ValueError(
                f"{a.size} discriminations do not fit {b.size} difficulties or "
                "intercepts: give one of each for every item."
            )
        a = np.broadcast_to(a, b.shape)
        if cls._common_slope and np.ptp(a) > 0:
            raise ValueError(
                f"{cls.__name__} has one discrimination for all items; use "
                "TwoPLEstimator for items that differ."
            )
        for label, values in (("discrimination", a), ("difficulty or intercept", b)):
            if not np.isfinite(values).all():
                j = int(np.flatnonzero(~np.isfinite(values))[0])
                raise ValueError(
                    f"The {label} of item {j if names is None else names[j]!r} is "
                    f"{values[j]}: item parameters are finite numbers."
                )
        if names is not None:
            names = np.asarray([str(name) for name in names], dtype=object)
            if names.size != b.size or len(set(names)) < names.size:
                raise ValueError(
                    f"{b.size} items need as many different names; got {names.size}, "
                    f"{len(set(names))} of them different."
                )
        bank = cls(**params)
        bank._keep_items(a.copy(), b if difficulty is None else -a * b, names, None)
        return bank

    def _keep_items(self, discrimination, intercept, names, uncertainty):
        """Become a fixed bank of these items."""
        self._fixed_items = (discrimination, intercept, names, uncertainty)
        self.discrimination_ = discrimination
        self.intercept_ = intercept
        self.difficulty_ = difficulty_of(discrimination, intercept)
        self._item_uncertainty = uncertainty
        self.n_features_in_ = discrimination.size
        if names is not None:
            self.feature_names_in_ = names
        self.item_names_ = item_names(self)

    def __sklearn_clone__(self):
        """Clone the parameters and, of a fixed bank, the items."""
        out = clone_parametrized(self)
        if hasattr(self, "_fixed_items"):
            out._keep_items(*self._fixed_items)
        return out

    def _fit_fixed(self, X, sample_weight):
        """Fit a fixed bank: only the abilities are estimated."""
        # A look first: a fit that fails must leave the bank what it was.
        probe = clone_parametrized(self)
        responses = check_responses(probe, X, reset=True, binarize=self.binarize)
        check_sample_weight(sample_weight, responses)
        chosen = self._chosen_items(getattr(probe, "feature_names_in_", None), probe)
        self._keep_items(*self._fixed_items)
        self._use_items(chosen)
        self._record_panel(X, ResponseData.from_matrix(responses), None)
        return self

    def _chosen_items(self, columns, probe):
        """Return the positions of the columns of X in the bank."""
        discrimination, _, names, _ = self._fixed_items
        if names is not None and columns is not None:
            place = {name: j for j, name in enumerate(names)}
            unknown = [name for name in columns if name not in place]
            if unknown:
                raise ValueError(
                    f"The bank has no item {unknown[0]!r} ({len(unknown)} unknown of "
                    f"{len(columns)}). Drop such columns, or calibrate them."
                )
            return np.array([place[name] for name in columns], dtype=np.intp)
        if probe.n_features_in_ != len(discrimination):
            raise ValueError(
                f"X has {probe.n_features_in_} items, but the bank has "
                f"{len(discrimination)}; name the items of both to use some of them."
            )
        return np.arange(len(discrimination))

    @abstractmethod
    def _record_panel(self, X, data, posterior):
        """Keep the panel's own abilities, standard errors and names."""

    def _use_items(self, chosen):
        discrimination, intercept, names, uncertainty = self._fixed_items
        self.discrimination_ = discrimination[chosen]
        self.intercept_ = intercept[chosen]
        self.difficulty_ = difficulty_of(self.discrimination_, self.intercept_)
        self._item_uncertainty = None if uncertainty is None else uncertainty[chosen]
        self.n_features_in_ = chosen.size
        if names is not None:
            self.feature_names_in_ = names[chosen]
        self.item_names_ = item_names(self)

    def select_items(self, items):
        """Return a fixed bank of some of the items.

        Parameters
        ----------
        items : array-like of int or bool
            Positions or mask of the items to keep, in the order wanted.

        Returns
        -------
        estimator
            A bank that scores models which answered only these items, by the same
            `ability_method`; it keeps what is known of the items' uncertainty.
        """
        check_is_fitted(self, "discrimination_")
        items = _checked_positions(items, len(self.discrimination_))
        names = getattr(self, "feature_names_in_", None)
        uncertainty = self._item_uncertainty
        out = type(self)(**self.get_params(deep=False))
        out._keep_items(
            self.discrimination_[items],
            self.intercept_[items],
            None if names is None else np.asarray(names, dtype=object)[items],
            None if uncertainty is None else uncertainty[items],
        )
        return out


def _checked_positions(items, n_items):
    """Return positions within the bank, each at most once."""
    items = np.asarray(items)
    if items.dtype == bool and items.shape == (n_items,):
        items = np.flatnonzero(items)
    fits = items.ndim == 1 and items.size > 0 and items.dtype.kind in "iu"
    if not fits or items.min() < -n_items or items.max() >= n_items:
        raise ValueError(
            f"Items are chosen by their positions, 0 to {n_items - 1}, or by a mask of "
            f"length {n_items}; got {items!r}."
        )
    items = np.where(items < 0, items + n_items, items)
    if np.unique(items).size < items.size:
        raise ValueError(f"An item can be chosen only once; got {items!r}.")
    return items


def _numbers(label, values):
    """Return a vector of finite numbers; say which value is not one."""
    try:
        values = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"The {label} must be numbers, got {values!r}.") from None
    if values.ndim > 1 or values.size == 0:
        raise ValueError(
            f"The {label} must be one number for each item, at least one item; got an "
            f"array of shape {values.shape}."
        )
    return values


def difficulty_of(discrimination, intercept):
    """Return b = -d / a; infinite, with the sign of -d, where a is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return -intercept / discrimination
