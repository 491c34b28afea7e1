"""What all one-dimensional estimators do once they hold item parameters."""

import warnings
from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from skirt._ability import ABILITY_METHODS, estimate_abilities
from skirt._cells import item_uncertainty, probabilities
from skirt._estep import EStep
from skirt._response_data import ResponseData
from skirt._responses import (
    BINARIZE_CONSTRAINT,
    check_responses,
    item_names,
    model_names,
)
from skirt._sklearn_compat import clone_parametrized
from skirt._threads import one_blas_thread
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


class ItemBank(TransformerMixin, BaseEstimator):
    """Base of the estimators of one ability: everything but the calibration."""

    _parameter_constraints: dict = {
        **BINARIZE_CONSTRAINT,
        "ability_method": [StrOptions(set(ABILITY_METHODS))],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "verbose": ["verbose"],
    }

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
            discrimination = discrimination.reindex(location.index)
        b = np.asarray(location, dtype=np.float64).ravel()
        a = np.broadcast_to(np.asarray(discrimination, dtype=np.float64), b.shape)
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
        discrimination, _, names, _ = self._fixed_items
        if names is not None and isinstance(X, pd.DataFrame):
            place = {name: j for j, name in enumerate(names)}
            unknown = [str(c) for c in X.columns if str(c) not in place]
            if unknown:
                raise ValueError(
                    f"The bank has no item {unknown[0]!r} ({len(unknown)} unknown of "
                    f"{X.shape[1]}). Drop such columns, or calibrate them."
                )
            chosen = np.array([place[str(c)] for c in X.columns], dtype=np.intp)
            self._use_items(chosen)
        responses = check_responses(self, X, reset=True, binarize=self.binarize)
        if responses.shape[1] != self.discrimination_.size:
            raise ValueError(
                f"X has {responses.shape[1]} items, but the bank has "
                f"{discrimination.size}; name the items of both to use some of them."
            )
        check_sample_weight(sample_weight, responses)
        self._record_panel(X, ResponseData.from_matrix(responses), None)
        return self

    def _use_items(self, chosen):
        discrimination, intercept, names, uncertainty = self._fixed_items
        self.discrimination_ = discrimination[chosen]
        self.intercept_ = intercept[chosen]
        self.difficulty_ = difficulty_of(self.discrimination_, self.intercept_)
        self._item_uncertainty = None if uncertainty is None else uncertainty[chosen]
        self.item_names_ = names[chosen]

    def _record_panel(self, X, data, posterior):
        """Keep the panel's own abilities, standard errors and names."""
        self.model_names_ = model_names(X, data.n_models)
        self.ability_, self.ability_se_ = self._estimate(data, posterior)
        if self._item_uncertainty is not None:
            self.ability_se_total_, _ = self._total(
                data, self.ability_, self.ability_se_
            )

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
        items = np.asarray(items)
        if items.dtype == bool:
            items = np.flatnonzero(items)
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

    def _checked(self, X):
        check_is_fitted(self, "discrimination_")
        return check_responses(self, X, reset=False, binarize=self.binarize)

    @one_blas_thread
    def _estimate(self, data, posterior=None):
        ability, se = estimate_abilities(
            data,
            self.discrimination_,
            self.intercept_,
            self.ability_method,
            posterior,
        )
        silent = np.flatnonzero(data.answers_per_model() == 0)
        if silent.size:
            told = "NaN" if self.ability_method in ("ml", "wl") else "the prior's, 0"
            warnings.warn(
                f"{silent.size} of {data.n_models} models have no answer (the first "
                f"is row {silent[0]}): their ability is {told}.",
                UserWarning,
                stacklevel=4,
            )
        return ability, se

    @one_blas_thread
    def _total(self, data, ability, se):
        """Return total standard errors, and by how much a panel's model is stretched.

        The panel's models have shaped the items they are measured with, each a
        little toward its own answers; that stretches their abilities by some 5 / N.
        """
        finite = np.isfinite(ability) & np.isfinite(se)
        variance, influence = item_uncertainty(
            data,
            np.where(finite, ability, 0.0),
            self.discrimination_,
            self.intercept_,
            self._item_uncertainty.covariance,
        )
        safe = np.where(finite, se, 0.0)
        total = np.sqrt(np.square(safe) + safe**4 * variance)
        return np.where(finite, total, se), np.square(safe) * influence

    def predict(self, X, return_std=False):
        """Estimate the abilities of models from their responses.

        Parameters
        ----------
        X : array-like of shape (n_models, n_items)
            Responses 1, 0, NaN. The models need not be those of the panel.
        return_std : bool or "total", default=False
            Whether to return standard errors: given the items (True), or including
            what the panel leaves unknown of the items ("total"), though not the
            panel's own sampling of location and scale. With "total" the models are
            taken to be new ones, and their abilities are placed among those of the
            panel, `ability_`: see Notes.

        Returns
        -------
        ability : ndarray of shape (n_models,)
            On the calibration panel's scale, where abilities are N(0, 1).
        standard_error : ndarray of shape (n_models,)
            Only with `return_std`.

        Raises
        ------
        ValueError
            With ``return_std="total"`` if the bank was made from known parameters,
            of whose uncertainty nothing is known.

        Notes
        -----
        The panel's models have shaped the items that measure them, each a little
        toward its own answers, which spreads their abilities: by about 5 % on a panel
        of 100, 10 % on one of 30, whatever the length of the test. A new model has
        not; given the items its ability is that much nearer to zero than the ability
        of an equal member of the panel. ``return_std="total"`` undoes this to first
        order, and counts the sampling error of doing so.
        """
        if not (isinstance(return_std, bool | np.bool_) or return_std == "total"):
            raise ValueError(
                f"return_std is {return_std!r}: give True, False or 'total'."
            )
        data = ResponseData.from_matrix(self._checked(X))
        ability, se = self._estimate(data)
        if return_std == "total":
            if self._item_uncertainty is None:
                raise ValueError(
                    "This bank was made from known item parameters, so nothing is "
                    "known of their errors: use return_std=True."
                )
            total, stretch = self._total(data, ability, se)
            # The stretch is a ratio of the panel's moments, of relative variance 2 / N.
            doubt = np.square(stretch) * 2.0 / self._item_uncertainty.panel_size
            return ability + stretch, np.sqrt(np.square(total) + doubt)
        return (ability, se) if return_std else ability

    def transform(self, X):
        """Estimate abilities, as a column.

        Parameters
        ----------
        X : array-like of shape (n_models, n_items)
            Responses 1, 0, NaN.

        Returns
        -------
        ndarray of shape (n_models, 1)
        """
        return self.predict(X)[:, None]

    def inverse_transform(self, X):
        """Expected probabilities of the answer 1.

        Parameters
        ----------
        X : array-like of shape (n_models, 1) or (n_models,)
            Abilities.

        Returns
        -------
        ndarray of shape (n_models, n_items)
        """
        check_is_fitted(self, "discrimination_")
        theta = _abilities(X)
        return probabilities(theta, self.discrimination_, self.intercept_)

    @one_blas_thread
    def score_samples(self, X):
        """Marginal log-likelihood of each model's responses.

        Parameters
        ----------
        X : array-like of shape (n_models, n_items)
            Responses 1, 0, NaN.

        Returns
        -------
        ndarray of shape (n_models,)
            Log of the probability of the responses, theta ~ N(0, 1) integrated out.
        """
        data = ResponseData.from_matrix(self._checked(X))
        return EStep(data)(self.discrimination_, self.intercept_).log_likelihood

    def score(self, X, y=None, sample_weight=None):
        """Mean marginal log-likelihood per observed response.

        Parameters
        ----------
        X : array-like of shape (n_models, n_items)
            Responses 1, 0, NaN.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_models,), optional
            How often each model counts.

        Returns
        -------
        float
            Weighted sum of `score_samples` over weighted number of responses.
        """
        log_likelihood = self.score_samples(X)
        X = check_responses(self, X, reset=False, binarize=self.binarize)
        weights = check_sample_weight(sample_weight, X)
        observed = X.shape[1] - np.isnan(X).sum(axis=1)
        if weights @ observed <= 0:
            raise ValueError("X holds no observed response, so it has no score.")
        return float(weights @ log_likelihood / (weights @ observed))

    def item_information(self, theta):
        """Fisher information of each item.

        Parameters
        ----------
        theta : array-like of shape (n_abilities,) or (n_abilities, 1)

        Returns
        -------
        ndarray of shape (n_abilities, n_items)
            a^2 P (1 - P).
        """
        p = self.inverse_transform(theta)
        p *= 1.0 - p
        p *= np.square(self.discrimination_)
        return p

    def test_information(self, theta):
        """Fisher information of all items together.

        Parameters
        ----------
        theta : array-like of shape (n_abilities,) or (n_abilities, 1)

        Returns
        -------
        ndarray of shape (n_abilities,)
        """
        return self.item_information(theta).sum(axis=1)

    def item_parameters(self):
        """Return the item parameters, with standard errors where known, as a table.

        Returns
        -------
        DataFrame of shape (n_items, 3 or 6), indexed by item name
        """
        check_is_fitted(self, "discrimination_")
        table = pd.DataFrame(index=pd.Index(self.item_names_, name="item"))
        for name in ("discrimination", "difficulty", "intercept"):
            table[name] = getattr(self, f"{name}_")
            if hasattr(self, f"{name}_se_"):
                table[f"{name}_se"] = getattr(self, f"{name}_se_")
        return table

    def ability_table(self):
        """Return the fitted models' abilities and standard errors as a table.

        Returns
        -------
        DataFrame, indexed by model name, best model first
        """
        check_is_fitted(self, "ability_")
        table = pd.DataFrame(
            {"ability": self.ability_, "se": self.ability_se_},
            index=pd.Index(self.model_names_, name="model"),
        )
        if hasattr(self, "ability_se_total_"):
            table["se_total"] = self.ability_se_total_
        return table.sort_values("ability", ascending=False, kind="stable")

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
        check_is_fitted(self, "discrimination_")
        return np.asarray(["ability"], dtype=object)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def difficulty_of(discrimination, intercept):
    """Return b = -d / a; infinite, with the sign of -d, where a is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return -intercept / discrimination


def _abilities(theta):
    theta = np.asarray(theta, dtype=np.float64)
    if theta.ndim == 2 and theta.shape[1] == 1:
        theta = theta[:, 0]
    if theta.ndim != 1 or not np.isfinite(theta).all():
        raise ValueError(
            "Abilities are finite numbers of shape (n,) or (n, 1); got an array of "
            f"shape {theta.shape}."
        )
    return theta
