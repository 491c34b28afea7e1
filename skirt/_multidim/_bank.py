"""What a multidimensional bank does once it holds item parameters."""

import warnings
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import expit
from sklearn.utils.validation import check_is_fitted

from skirt._cells import model_blocks
from skirt._fixed_bank import FixedBank
from skirt._multidim._items import Items
from skirt._multidim._logistic import expected_logistic
from skirt._multidim._rotation import explained, standardised_loadings
from skirt._multidim._scoring import integrate, posterior_modes
from skirt._response_data import ResponseData
from skirt._responses import item_names, model_names
from skirt._threads import one_blas_thread


@dataclass(frozen=True)
class BankKnowledge:
    """What belongs to a bank besides its items' parameters.

    Attributes
    ----------
    correlation : ndarray of shape (n_components, n_components)
        Of the abilities in the population.
    covariance : ndarray of shape (n_items, n_components + 1, n_components + 1) or None
        Of each item's (a, d); None where the items are taken as they are.
    """

    correlation: np.ndarray
    covariance: np.ndarray | None = None

    def __getitem__(self, items):
        covariance = None if self.covariance is None else self.covariance[items]
        return BankKnowledge(self.correlation, covariance)


class MultidimBank(FixedBank):
    """Base of the multidimensional estimators: everything but the calibration."""

    @classmethod
    def from_item_parameters(
        cls,
        *,
        discrimination,
        difficulty=None,
        intercept=None,
        ability_correlation=None,
        names=None,
        **params,
    ):
        """Make a bank of items whose parameters are known.

        The bank is ready to use and stays what it is: `fit` only checks the responses
        and estimates their abilities, and :func:`sklearn.base.clone` keeps the items.

        Parameters
        ----------
        discrimination : array-like of shape (n_items, n_components)
            Discriminations, logistic metric. Finite.
        difficulty, intercept : array-like of shape (n_items,)
            Multidimensional difficulties (MDIFF) or intercepts d; exactly one of them.
        ability_correlation : array-like of shape (n_components, n_components), optional
            Correlations of the abilities in the population; default the identity.
        names : array-like of str, optional
            Item names; default the index where a Series or DataFrame is passed.
        **params
            The estimator's own parameters; `n_components` follows from the items.

        Returns
        -------
        estimator

        Raises
        ------
        ValueError
            If shapes differ, values are not finite, names repeat, or the correlations
            are not a positive definite matrix with ones on its diagonal.

        Examples
        --------
        >>> from skirt import MultidimIRT
        >>> bank = MultidimIRT.from_item_parameters(
        ...     discrimination=[[1.0, 0.0], [0.0, 1.5], [1.2, 0.5]],
        ...     intercept=[0.0, 0.5, -1.0],
        ... )
        >>> bank.transform([[1, 0, 1]]).round(2)
        array([[ 0.92, -0.43]])
        """
        if (difficulty is None) == (intercept is None):
            raise ValueError(
                "Give exactly one of difficulty (MDIFF) and intercept (d)."
            )
        location = intercept if difficulty is None else difficulty
        for values in (location, discrimination):
            if names is None and isinstance(values, pd.Series | pd.DataFrame):
                names = values.index
        a = np.array(discrimination, dtype=np.float64)
        d = np.array(location, dtype=np.float64)
        if a.ndim != 2 or d.ndim != 1 or len(a) != len(d) or not a.size:
            raise ValueError(
                "discrimination has one row for each item and one column for each "
                "component, and difficulty or intercept one number for each item; got "
                f"shapes {a.shape} and {d.shape}."
            )
        known = np.isfinite(a).all(axis=1) & np.isfinite(d)
        if not known.all():
            j = int(np.flatnonzero(~known)[0])
            raise ValueError(
                f"Item {j if names is None else names[j]!r} has discriminations "
                f"{a[j]} and difficulty or intercept {d[j]}: item parameters are "
                "finite numbers."
            )
        if names is not None:
            names = np.asarray([str(name) for name in names], dtype=object)
            if names.size != len(d) or len(set(names)) < names.size:
                raise ValueError(
                    f"{len(d)} items need as many different names; got {names.size}, "
                    f"{len(set(names))} of them different."
                )
        correlation = _checked_correlation(ability_correlation, a.shape[1])
        if difficulty is not None:
            d = -d * np.sqrt(np.einsum("jk,kl,jl->j", a, correlation, a))
        bank = cls(**{**params, "n_components": a.shape[1]})
        bank._keep_items(a, d, names, BankKnowledge(correlation))
        return bank

    def _keep_items(self, discrimination, intercept, names, uncertainty):
        self._fixed_items = (discrimination, intercept, names, uncertainty)
        self._use_items(np.arange(len(intercept)))

    def _use_items(self, chosen):
        discrimination, intercept, names, knowledge = self._fixed_items
        self._item_uncertainty = knowledge[chosen]
        self.n_features_in_ = len(chosen)
        if names is not None:
            self.feature_names_in_ = names[chosen]
        self.item_names_ = item_names(self)
        self._describe(discrimination[chosen], intercept[chosen], knowledge.correlation)

    def _describe(self, discrimination, intercept, correlation):
        """Keep the items, and what follows from them."""
        self.discrimination_ = discrimination
        self.intercept_ = intercept
        self.ability_correlation_ = correlation
        # In the metric of correlated abilities the steepest slope is a' Phi a.
        square = np.einsum("jk,kl,jl->j", discrimination, correlation, discrimination)
        self.mdisc_ = np.sqrt(square)
        with np.errstate(divide="ignore", invalid="ignore"):
            self.mdiff_ = -intercept / self.mdisc_
        self.loadings_ = standardised_loadings(discrimination, correlation)
        shares = explained(self.loadings_, correlation)
        total = shares.sum()
        self.explained_share_ = shares / total if total > 0 else shares

    def _record_panel(self, X, data, posterior):
        """Keep the panel's abilities, errors and names.

        `posterior` is which models took part in the calibration, None for none.
        """
        self.model_names_ = model_names(X, data.n_models)
        ability, covariance = self._estimate(data, shaped=posterior is not None)
        if posterior is not None and not posterior.all():
            others = ResponseData.from_matrix(self._checked(X)[~posterior])
            ability[~posterior], covariance[~posterior] = self._estimate(others)
        self.ability_, self.ability_covariance_ = ability, covariance
        self.ability_se_ = np.sqrt(np.einsum("nkk->nk", covariance))

    def _estimate(self, data, shaped=False):
        """Return abilities and their covariances by the estimator's method.

        `shaped` tells whether the models' answers have shaped the items.
        """
        silent = np.flatnonzero(data.answers_per_model() == 0)
        if silent.size:
            warnings.warn(
                f"{silent.size} of {data.n_models} models have no answer (the first "
                f"is row {silent[0]}): their abilities are the prior's, 0.",
                UserWarning,
                stacklevel=4,
            )
        if self.ability_method == "eap":
            return integrate(
                data, self._items, self.ability_correlation_, shaped=shaped
            )[1:]
        return posterior_modes(
            data, self._items, self.ability_correlation_, shaped=shaped
        )

    @property
    def _items(self):
        covariance = self._item_uncertainty.covariance
        return Items(self.discrimination_, self.intercept_, covariance)

    def transform(self, X):
        """Estimate abilities of models that are new to the items.

        The panel's own are in ``ability_``: items that few models have calibrated have
        partly learned these models' answers, which drives them apart here, by nearly a
        fifth on 100 models.

        Parameters
        ----------
        X : array-like of shape (n_models, n_items)
            Responses 1, 0, NaN.

        Returns
        -------
        ndarray of shape (n_models, n_components)
        """
        return self._estimate(ResponseData.from_matrix(self._checked(X)))[0]

    def ability_covariance(self, X):
        """Posterior covariance of the abilities given the items.

        Parameters
        ----------
        X : array-like of shape (n_models, n_items)
            Responses 1, 0, NaN.

        Returns
        -------
        ndarray of shape (n_models, n_components, n_components)
            With ``ability_method="map"`` the inverse of the prior's precision plus
            the test information at the mode; with "eap" the posterior covariance.
        """
        return self._estimate(ResponseData.from_matrix(self._checked(X)))[1]

    def predict(self, X, return_std=False):
        """Expected full-benchmark score: the mean over the items of P(x = 1).

        Parameters
        ----------
        X : array-like of shape (n_models, n_items)
            Responses 1, 0, NaN.
        return_std : bool, default=False
            Whether to return standard errors too.

        Returns
        -------
        score : ndarray of shape (n_models,)
            Between 0 and 1, at the models' abilities.
        standard_error : ndarray of shape (n_models,)
            Only with `return_std`: what not knowing the abilities exactly gives the
            score, by the delta method.
        """
        ability, covariance = self._estimate(ResponseData.from_matrix(self._checked(X)))
        score, error = self._expected_score(ability, covariance)
        return (score, error) if return_std else score

    def _expected_score(self, ability, covariance):
        """Expected full-benchmark scores, and their errors by the delta method."""
        score = np.empty(len(ability))
        gradient = np.empty_like(ability)
        for block in model_blocks(len(ability), len(self.intercept_)):
            p = self.inverse_transform(ability[block])
            score[block] = p.mean(axis=1)
            p *= 1.0 - p
            gradient[block] = p @ self.discrimination_ / p.shape[1]
        variance = np.einsum("nk,nkl,nl->n", gradient, covariance, gradient)
        return score, np.sqrt(variance)

    def inverse_transform(self, X):
        """Expected probabilities of the answer 1, at the abilities given.

        Averaged over what the panel leaves unknown of the items, where the priors were
        estimated: such curves are a little flatter than those of the items as they are.

        Parameters
        ----------
        X : array-like of shape (n_models, n_components)
            Abilities.

        Returns
        -------
        ndarray of shape (n_models, n_items)
        """
        check_is_fitted(self, "discrimination_")
        theta = np.asarray(X, dtype=np.float64)
        n_components = self.discrimination_.shape[1]
        if theta.ndim == 1 and n_components == 1:
            theta = theta[:, None]
        if theta.ndim != 2 or theta.shape[1] != n_components:
            raise ValueError(
                f"Abilities have shape (n_models, {n_components}); got {theta.shape}."
            )
        if not np.isfinite(theta).all():
            raise ValueError("Abilities are finite numbers; got NaN or infinity.")
        logits = theta @ self.discrimination_.T
        logits += self.intercept_
        items = self._items
        if items.covariance is None:
            return expit(logits, out=logits)
        return expected_logistic(logits, items.logit_variance(theta))[0]

    def score_samples(self, X):
        """Marginal log-likelihood of each model's responses.

        Parameters
        ----------
        X : array-like of shape (n_models, n_items)
            Responses 1, 0, NaN.

        Returns
        -------
        ndarray of shape (n_models,)
            Log of the probability of the responses, the abilities integrated out, and
            what the panel leaves unknown of the items.
        """
        data = ResponseData.from_matrix(self._checked(X))
        return integrate(data, self._items, self.ability_correlation_)[0]

    @one_blas_thread
    def test_information(self, theta):
        """Fisher information matrix of all items together.

        Parameters
        ----------
        theta : array-like of shape (n_abilities, n_components)

        Returns
        -------
        ndarray of shape (n_abilities, n_components, n_components)
            Sum over the items of P (1 - P) a a'.
        """
        p = self.inverse_transform(theta)
        p *= 1.0 - p
        a = self.discrimination_
        squares = (a[:, :, None] * a[:, None, :]).reshape(len(a), -1)
        return (p @ squares).reshape(-1, a.shape[1], a.shape[1])

    def item_parameters(self):
        """Return the item parameters, with standard errors where known, as a table.

        Returns
        -------
        DataFrame, indexed by item name
            discrimination0, ..., intercept, mdisc, mdiff.
        """
        check_is_fitted(self, "discrimination_")
        table = pd.DataFrame(index=pd.Index(self.item_names_, name="item"))
        for k in range(self.discrimination_.shape[1]):
            table[f"discrimination{k}"] = self.discrimination_[:, k]
        for name in ("intercept", "mdisc", "mdiff"):
            table[name] = getattr(self, f"{name}_")
        if hasattr(self, "discrimination_se_"):
            for k in range(self.discrimination_.shape[1]):
                table[f"discrimination{k}_se"] = self.discrimination_se_[:, k]
            table["intercept_se"] = self.intercept_se_
        return table

    def ability_table(self):
        """Return the fitted models' abilities and standard errors as a table.

        Returns
        -------
        DataFrame, indexed by model name, best in the first ability first
        """
        check_is_fitted(self, "ability_")
        table = pd.DataFrame(index=pd.Index(self.model_names_, name="model"))
        for k in range(self.ability_.shape[1]):
            table[f"ability{k}"] = self.ability_[:, k]
        for k in range(self.ability_.shape[1]):
            table[f"se{k}"] = self.ability_se_[:, k]
        return table.sort_values("ability0", ascending=False, kind="stable")

    def get_feature_names_out(self, input_features=None):
        """Return the names of the transform's columns, ``ability0``, ...

        Parameters
        ----------
        input_features : None
            Ignored.

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self, "discrimination_")
        n_components = self.discrimination_.shape[1]
        return np.asarray([f"ability{k}" for k in range(n_components)], dtype=object)


def _checked_correlation(correlation, n_components):
    if correlation is None:
        return np.eye(n_components)
    out = np.array(correlation, dtype=np.float64)
    if (
        out.shape != (n_components, n_components)
        or not np.allclose(out, out.T)
        or not np.allclose(np.diag(out), 1.0)
        or np.linalg.eigvalsh(out)[0] <= 0
    ):
        raise ValueError(
            f"ability_correlation is a positive definite {n_components} x "
            f"{n_components} matrix with ones on its diagonal; got {correlation!r}."
        )
    return out
