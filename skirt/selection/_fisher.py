"""Choosing the items that measure the models' abilities most precisely."""

import copy
import warnings

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils import gen_batches
from sklearn.utils._param_validation import HasMethods, StrOptions
from sklearn.utils.validation import check_is_fitted, check_memory

from skirt._sklearn_compat import FrozenEstimator
from skirt._twopl import TwoPLEstimator
from skirt.metrics import full_benchmark_score
from skirt.selection._base import SubsetSelector
from skirt.selection._greedy import fewest_standard_errors, highest_first

# Ability is N(0, 1) among the calibrated models.
_PRIOR_PRECISION = 1.0

# Models whose information is computed at a time, so that the bank's result and its
# transpose never stand in memory together.
_MODELS_AT_A_TIME = 16


def _most_information(bank, ability, k, strata):
    total = _item_information(bank, ability).sum(axis=1)
    return highest_first(total, k, strata=strata)


def _fewest_standard_errors(bank, ability, k, strata):
    return fewest_standard_errors(
        _item_information(bank, ability),
        k,
        prior_precision=_PRIOR_PRECISION,
        strata=strata,
    )


# A criterion receives the bank, the abilities, the number of items and their strata
# (or None), asks the bank for what it needs, and returns column indices, best first.
_CRITERIA = {"total": _most_information, "marginal": _fewest_standard_errors}


class FisherSubsetSelector(SubsetSelector):
    """Choose the items that tell most about the abilities of the models at hand.

    The items are calibrated with an item response model (the *bank*), and items are
    chosen by their Fisher information I_j(theta_i) at the models' abilities.

    Parameters
    ----------
    k : int, default=10
        The number of items to choose. If it exceeds the number of items, all are
        kept, with a warning.
    criterion : {"marginal", "total"}, default="marginal"
        "total" takes the items whose information, summed over the models, is
        largest. "marginal" takes, one after the other, the item that most reduces the
        sum over models of the standard error
        SE(theta_i) = (1 + sum of information) ** -0.5, where 1 is the precision of
        the prior: it turns to models that are still measured badly.
    stratify : {"difficulty"}, default=None
        "difficulty" spreads the choice over the quartiles of the items' difficulty.
    estimator : TwoPLEstimator or OnePLEstimator, default=None
        The bank; ``TwoPLEstimator()`` when None. It is cloned and calibrated on the
        `X` of `fit`, even if it is fitted already (with a warning then). A bank from
        ``from_item_parameters`` or a ``FrozenEstimator(bank)`` is used as it is; if
        it has item names and so has `X`, items are matched by name.
    binarize : float, default=None
        None accepts only 0, 1 and missing. A number t counts values above t as 1.
        The bank sees the result; its own `binarize` has no effect.
    memory : str or joblib.Memory, default=None
        Where to keep calibrations, so that a grid over the other parameters
        calibrates only once for each training set.

    Attributes
    ----------
    estimator_ : estimator
        The calibrated bank of all the items.
    order_ : ndarray of int of shape (min(k, n_items),)
        The chosen items' column indices, best first. Ties go to the lowest column
        index.
    nested_ : bool
        True: the choice for a smaller `k` is a prefix of `order_`.
    n_features_in_ : int
        The number of items seen during `fit`.
    feature_names_in_ : ndarray of str of shape (n_items,)
        The items' names. Defined only if `X` has names.

    See Also
    --------
    DisagreementSelector : Needs no calibration.
    skirt.model_selection.agreement_curve : How good is the choice, by size?

    Notes
    -----
    The reduction of the summed standard errors by an item only shrinks as others are
    chosen (the criterion is submodular), so that "marginal" re-evaluates only the few
    items that can still win and yet finds the items of a full greedy search [1]_,
    [2]_. The best set of `k` items may be better by a little; finding it is not
    feasible.

    With ``stratify="difficulty"`` the items are chosen in rounds, one item of every
    quartile in each round, the best of the four first. Every prefix of `order_` is
    thus balanced to within one item, a remainder goes to the quartiles whose next item
    is best, and a quartile that has run out is passed over. Items of equal difficulty
    fall into the same quartile, so that quartiles can differ in size and one can even
    be empty where many items are answered alike.

    Items are chosen at the abilities that maximise the posterior (MAP) under the bank.
    `predict` returns the MAP ability from the chosen items alone, or what the bank's
    `ability_method` says otherwise. A model that answered none of them gets the
    prior's mean, with a warning.

    A fixed bank must not come from a calibration on the models on which the choice
    is evaluated: they would then have taken part in choosing (leakage).

    References
    ----------
    .. [1] Nemhauser, G. L., Wolsey, L. A. and Fisher, M. L. (1978). "An analysis of
       approximations for maximizing submodular set functions - I". Mathematical
       Programming 14, 265-294.
    .. [2] Minoux, M. (1978). "Accelerated greedy algorithms for maximizing submodular
       set functions". Optimization Techniques, 234-243.

    Examples
    --------
    >>> import numpy as np
    >>> from skirt import FisherSubsetSelector, TwoPLEstimator
    >>> bank = TwoPLEstimator.from_item_parameters(
    ...     discrimination=[0.5, 2.0, 1.0, 2.0], difficulty=[0.0, 0.0, 1.0, -4.0]
    ... )
    >>> X = np.array([[1, 1, 1, 1], [1, 0, np.nan, 1], [0, 1, 0, 1], [0, 0, 0, 1]])
    >>> selector = FisherSubsetSelector(k=2, estimator=bank).fit(X)
    >>> selector.order_
    array([1, 2])
    >>> selector.transform(X)
    array([[ 1.,  1.],
           [ 0., nan],
           [ 1.,  0.],
           [ 0.,  0.]])
    """

    _parameter_constraints: dict = {
        **SubsetSelector._parameter_constraints,
        "criterion": [StrOptions(set(_CRITERIA))],
        "stratify": [StrOptions({"difficulty"}), None],
        "estimator": [
            HasMethods(["fit", "predict", "item_information", "select_items"]),
            None,
        ],
        "memory": [str, HasMethods("cache"), None],
    }

    # A bank that is given may know the items already; otherwise it decides itself.
    _min_models = 1

    def __init__(
        self,
        k=10,
        *,
        criterion="marginal",
        stratify=None,
        estimator=None,
        binarize=None,
        memory=None,
    ):
        self.k = k
        self.criterion = criterion
        self.stratify = stratify
        self.estimator = estimator
        self.binarize = binarize
        self.memory = memory

    def predict(self, X, return_std=False):
        """Return the models' abilities from the chosen items alone.

        Parameters
        ----------
        X : array-like of shape (n_models, n_items)
            The responses to all the items that `fit` has seen; those that were not
            chosen are not used.
        return_std : bool or "total", default=False
            True adds the standard errors given the items, "total" those that include
            what the calibration does not know about the items.

        Returns
        -------
        ability : ndarray of shape (n_models,)
            On the bank's scale: its calibration panel is N(0, 1).
        ability_std : ndarray of shape (n_models,)
            Only if `return_std`.
        """
        return self._predict_chosen(self._chosen_of_all(X), return_std)

    def predict_subset(self, X, return_std=False):
        """Return the abilities of models that answered only the chosen items.

        Parameters
        ----------
        X : array-like of shape (n_models, n_chosen)
            The responses to the chosen items, in column order: the order of
            ``get_support(indices=True)`` and ``get_feature_names_out()``, which is
            not that of `order_`.
        return_std : bool or "total", default=False
            As in `predict`.

        Returns
        -------
        ability : ndarray of shape (n_models,)
            The same as from `predict`.
        ability_std : ndarray of shape (n_models,)
            Only if `return_std`.

        Raises
        ------
        ValueError
            If `X` has another number of columns, or names that are not those of the
            chosen items in their order.
        """
        return self._predict_chosen(self._only_chosen(X), return_std)

    def _order(self, responses, k):
        self.estimator_ = self._calibrated_bank(responses)
        # A model without answers has no ability at which to measure it.
        answered = ~np.isnan(responses).all(axis=1)
        ability = _map_ability(self.estimator_, responses[answered])
        strata = None
        if self.stratify == "difficulty":
            strata = _quartiles(self.estimator_.difficulty_)
        return _CRITERIA[self.criterion](self.estimator_, ability, k, strata)

    def _calibrated_bank(self, responses):
        given = TwoPLEstimator() if self.estimator is None else self.estimator
        bank = _reading_zero_one(clone(given))
        if isinstance(bank, FrozenEstimator):
            check_is_fitted(bank.estimator)
        if _is_fitted(bank):
            return self._restricted(bank)
        if _is_fitted(given):
            warnings.warn(
                f"The fitted {type(given).__name__} is calibrated anew on this X. To "
                "use its item parameters as they are, pass FrozenEstimator(bank).",
                UserWarning,
                stacklevel=5,
            )
        calibrate = check_memory(self.memory).cache(_calibrate)
        return calibrate(bank, responses, getattr(self, "feature_names_in_", None))

    def _restricted(self, bank):
        """Return the fixed bank for the columns of X, matched by name if named."""
        ours = getattr(self, "feature_names_in_", None)
        theirs = getattr(bank, "feature_names_in_", None)
        if ours is not None and theirs is not None:
            place = {name: j for j, name in enumerate(theirs)}
            unknown = [name for name in ours if name not in place]
            if unknown:
                raise ValueError(
                    f"The bank has no item {unknown[0]!r} ({len(unknown)} unknown of "
                    f"{len(ours)}). Leave such columns out, or use a bank calibrated "
                    "on them."
                )
            same = len(ours) == len(theirs) and (ours == theirs).all()
            return bank if same else bank.select_items([place[n] for n in ours])
        if bank.n_features_in_ != self.n_features_in_:
            raise ValueError(
                f"The bank has {bank.n_features_in_} items, but X has "
                f"{self.n_features_in_} columns. Name the items of both, or pass "
                "bank.select_items(indices)."
            )
        return bank

    def _predict_chosen(self, chosen, return_std=False):
        bank = self.estimator_.select_items(self.get_support(indices=True))
        return bank.predict(_with_bank_names(chosen, bank), return_std=return_std)

    def _full_score(self, responses):
        table = _with_bank_names(responses, self.estimator_)
        return full_benchmark_score(table, bank=self.estimator_)


def _calibrate(bank, responses, names):
    """Fit the bank; a function of plain arrays, so that it can be cached."""
    return bank.fit(_table(responses, names))


def _table(responses, names):
    if names is None:
        return responses
    return pd.DataFrame(responses, columns=names, copy=False)


def _with_bank_names(responses, bank):
    """Give the columns the bank's names, which `fit` has matched with those of X."""
    return _table(responses, getattr(bank, "feature_names_in_", None))


def _map_ability(bank, responses):
    """Return abilities that are finite whatever the bank's own `ability_method`."""
    bank = copy.copy(bank.estimator if isinstance(bank, FrozenEstimator) else bank)
    bank.ability_method = "map"
    return bank.predict(_with_bank_names(responses, bank))


def _is_fitted(estimator):
    try:
        check_is_fitted(estimator)
    except NotFittedError:
        return False
    return True


def _reading_zero_one(bank):
    """Return the bank, without a threshold of its own that would misread 0 and 1."""
    threshold = getattr(bank, "binarize", None)
    if threshold is None or 0 <= threshold < 1:
        return bank
    frozen = isinstance(bank, FrozenEstimator)
    bank = copy.copy(bank.estimator if frozen else bank)
    bank.binarize = None
    return FrozenEstimator(bank) if frozen else bank


def _item_information(bank, ability):
    """Return the information of each item (row) at each ability, in C order."""
    out = np.empty((bank.n_features_in_, len(ability)))
    for models in gen_batches(len(ability), _MODELS_AT_A_TIME):
        out[:, models] = bank.item_information(ability[models]).T
    return out


def _quartiles(difficulty):
    """Return the quartile (0 to 3) of each item; equal difficulties stay together."""
    ordered = np.sort(difficulty)  # undefined ones, of items without slope, come last
    quarters = np.arange(1, 4)
    edges = ordered[(quarters * len(ordered) + 3) // 4 - 1]
    return np.searchsorted(edges, difficulty, side="left")
