"""What all one-dimensional estimators do once they hold item parameters."""

import warnings
from numbers import Integral, Real

import numpy as np
import pandas as pd
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from skirt._ability import ABILITY_METHODS, estimate_abilities
from skirt._cells import item_uncertainty, probabilities
from skirt._estep import EStep
from skirt._fixed_bank import FixedBank
from skirt._response_data import ResponseData
from skirt._responses import BINARIZE_CONSTRAINT, model_names
from skirt._threads import one_blas_thread

# Standard deviation, times the panel's size, of the bends of `_shape_variance`.
_BEND = 0.5
# Abilities beyond this are extrapolations whose bend nobody knows.
_FARTHEST = 3.0


class ItemBank(FixedBank):
    """Base of the estimators of one ability: everything but the calibration."""

    _parameter_constraints: dict = {
        **BINARIZE_CONSTRAINT,
        "ability_method": [StrOptions(set(ABILITY_METHODS))],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "verbose": ["verbose"],
    }

    def _record_panel(self, X, data, posterior):
        """Keep the panel's own abilities, standard errors and names."""
        self.model_names_ = model_names(X, data.n_models)
        self.ability_, self.ability_se_ = self._estimate(data, posterior)
        if self._item_uncertainty is not None:
            self.ability_se_total_, _ = self._total(
                data, self.ability_, self.ability_se_
            )

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
        total = np.square(safe) + safe**4 * variance
        total += _shape_variance(
            np.where(finite, ability, 0.0), self._item_uncertainty.panel_size
        )
        total = np.sqrt(total)
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


def _shape_variance(theta, panel_size):
    """Variance of an ability that an uncertain shape of the scale gives it.

    Each item is known from N models only, and is pulled by its prior where they do
    not reach. What that does to one item is in the items' covariance; what it does to
    all items alike bends the scale, by amounts of order 1 / N however long the test.
    Quadratic and cubic bends (the Hermite polynomials, which leave location and unit
    alone) had root mean squares of .4 to .6 / N on simulated panels of 80 x 20,000
    and 100 x 5,000.
    """
    theta = np.clip(theta, -_FARTHEST, _FARTHEST)
    quadratic, cubic = np.square(theta) - 1.0, theta**3 - 3.0 * theta
    return (_BEND / panel_size) ** 2 * (np.square(quadratic) + np.square(cubic))


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
