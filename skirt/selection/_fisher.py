"""Choosing the items that tell most about the models' abilities or scores."""

import numpy as np
from sklearn.utils._param_validation import HasMethods, StrOptions

from skirt._responses import item_names
from skirt.metrics import full_benchmark_score
from skirt.selection._ability_criteria import BY_ABILITY, difficulty_quartiles
from skirt.selection._banks import calibrated_or_fixed, map_ability, with_bank_names
from skirt.selection._calibrating import CalibratingSelector
from skirt.selection._fisher_options import (
    BY_SCORE,
    check_options,
    given_banks,
    ranks_by_score,
)
from skirt.selection._score_ranking import (
    ScoreRanking,
    check_groups,
    group_counts,
)
from skirt.selection._targets import Targets


class FisherSubsetSelector(CalibratingSelector):
    """Choose the items that tell most about the models' abilities or scores.

    The items are calibrated with an item response model (the *bank*), and items are
    chosen by their Fisher information I_j(theta_i) at the models' abilities.

    Parameters
    ----------
    k : int, default=10
        The number of items to choose. If it exceeds the number of items, all are
        kept, with a warning.
    criterion : {"marginal", "total", "rank", "score"}, default="marginal"
        "total" takes the items whose information, summed over the models, is
        largest. "marginal" takes, one after the other, the item that most reduces the
        sum over models of the standard error
        SE(theta_i) = (1 + sum of information) ** -0.5, where 1 is the precision of
        the prior: it turns to models that are still measured badly. "rank" takes, one
        after the other, the item that leaves the ranking by the full-benchmark score
        least uncertain, "score" the scores themselves: see Notes.
    stratify : {"difficulty"}, default=None
        "difficulty" spreads the choice over the quartiles of the items' difficulty;
        for "marginal" and "total".
    estimator : estimator, list of estimator or None, default=None
        The bank: ``TwoPLEstimator()`` when None, or another of one ability. "rank" and
        "score" take a :class:`MultidimIRT` too, or a list of banks, of which criterion
        and prediction are averaged; None is then banks of 1, 2, 3 and 5 dimensions, as
        far as there are four independent models for each dimension. A bank is cloned
        and calibrated on the `X` of `fit`, even if it is fitted already (with a warning
        then). A bank from ``from_item_parameters`` or a ``FrozenEstimator(bank)`` is
        used as it is; if it has item names and so has `X`, items are matched by name.
    ranking : {"auto", "ability", "score"}, default="auto"
        What `predict` returns: abilities, or expected full-benchmark scores. "auto" is
        "score" for "rank" and "score", which allow no other, and "ability" else.
    target_weights : array-like of shape (n_items,) or (n_targets, n_items), Series \
            or DataFrame, default=None
        Weight of each item in the full-benchmark score, from 0 on, to average over
        benchmarks or categories instead of items; a Series is taken by item name. None
        weighs all alike. Rows of weights are as many scores, such as one for each
        benchmark, all of which the items are to rank by; a DataFrame has targets in
        its rows and items, taken by name, in its columns.
    binarize : float, default=None
        None accepts only 0, 1 and missing. A number t counts values above t as 1.
        The bank sees the result; its own `binarize` has no effect.
    memory : str or joblib.Memory, default=None
        Where to keep calibrations, so that a grid over the other parameters
        calibrates only once for each training set.

    Attributes
    ----------
    estimator_ : estimator
        The calibrated bank of all the items; the first of several.
    estimators_ : list of estimator
        All of them.
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
    AutoSubsetSelector : Finds out on the panel which criterion suits it.
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

    After the items S, what is unknown of the full-benchmark score of model i has the
    variance V_i(S) = c_i' Sigma_i(S) c_i + B_i(S), where Sigma_i(S) is the posterior
    covariance of its abilities, c_i the gradient of the expected score on the items not
    in S, and B_i(S) the variance of the answers to those by chance. "score" takes the
    item that most reduces the sum of V_i (a Bayesian c-optimal design), "rank" the one
    that most reduces the sum of f_i sqrt(V_i), with f_i the density of the models'
    scores at that of model i: the expected displacement in ranks. These sums are not
    submodular; all items are evaluated at every step. Banks are averaged. Of more than
    400 models as many, at equal shares by score, stand for all.

    With several targets "rank" minimises the sum of the displacements in all their
    rankings, "score" the sum of the variances, each as a share of what it is before any
    answer; `predict` then has a column for each target, and `score` is the mean of
    their agreements.

    Items are chosen at the abilities that maximise the posterior (MAP) under the bank.
    `predict` returns the MAP ability from the chosen items alone, or what the bank's
    `ability_method` says otherwise. A model that answered none of them gets the
    prior's mean, with a warning. A predicted score counts the chosen items as observed
    and the others as expected, and becomes the observed score at ``k = n_items``.
    Its standard error rests on the bank alone, and on items that look best under that
    bank it is too small: calibrated on some dozens of models, 90 % intervals held about
    80 % of new models on real panels. :class:`AutoSubsetSelector` corrects for that.

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

    With a bank of two dimensions, for the ranking by the full-benchmark score:

    >>> from skirt import MultidimIRT
    >>> from skirt.datasets import load_classifier_panel
    >>> panel = load_classifier_panel(as_frame=True)
    >>> X = panel.data.iloc[::3, ::20]
    >>> selector = FisherSubsetSelector(
    ...     k=20, criterion="rank", estimator=MultidimIRT(2)
    ... ).fit(X)
    >>> score, error = selector.predict(X, return_std=True)
    >>> bool((abs(score - X.mean(axis=1)) < 4 * error).all())
    True

    For the ranking on each of several benchmarks, named by the item table:

    >>> import pandas as pd
    >>> weights = pd.get_dummies(panel.item_table["benchmark"]).T
    >>> selector.set_params(target_weights=weights[X.columns]).fit(X).predict(X).shape
    (56, 8)
    """

    _parameter_constraints: dict = {
        **CalibratingSelector._parameter_constraints,
        "criterion": [StrOptions({*BY_ABILITY, *BY_SCORE})],
        "stratify": [StrOptions({"difficulty"}), None],
        "estimator": [HasMethods(["fit", "predict", "select_items"]), list, None],
        "ranking": [StrOptions({"auto", "ability", "score"})],
        "target_weights": ["array-like", None],
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
        ranking="auto",
        target_weights=None,
        binarize=None,
        memory=None,
    ):
        self.k = k
        self.criterion = criterion
        self.stratify = stratify
        self.estimator = estimator
        self.ranking = ranking
        self.target_weights = target_weights
        self.binarize = binarize
        self.memory = memory

    def predict(self, X, return_std=False):
        """Return the models' abilities or scores from the chosen items alone.

        Parameters
        ----------
        X : array-like of shape (n_models, n_items)
            The responses to all the items that `fit` has seen; those that were not
            chosen are not used.
        return_std : bool or "total", default=False
            True adds the standard errors: of abilities given the items, of scores as
            predictions of the score that all items would show. "total", for abilities
            alone, includes what the calibration does not know about the items.

        Returns
        -------
        prediction : ndarray of shape (n_models,) or (n_models, n_targets)
            Abilities on the bank's scale (its calibration panel is N(0, 1)), or
            expected full-benchmark scores between 0 and 1, see `ranking`; one column
            for each row of `target_weights`, if these have rows.
        prediction_std : ndarray of the same shape
            Only if `return_std`.
        """
        return self._predict_chosen(self._chosen_of_all(X), return_std)

    def predict_subset(self, X, return_std=False):
        """Return the same for models that answered only the chosen items.

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
        prediction : ndarray of shape (n_models,) or (n_models, n_targets)
            The same as from `predict`.
        prediction_std : ndarray of the same shape
            Only if `return_std`.

        Raises
        ------
        ValueError
            If `X` has another number of columns, or names that are not those of the
            chosen items in their order.
        """
        return self._predict_chosen(self._only_chosen(X), return_std)

    def _order(self, responses, k, groups=None):
        group = check_groups(groups, len(responses))
        self._targets = Targets.of(self.target_weights, item_names(self))
        check_options(self, self._targets)
        # A model without answers has no ability at which to measure it.
        used = ~np.isnan(responses).all(axis=1)
        counts = None if groups is None else group_counts(group[used])
        given = given_banks(self, responses, len(set(group[used])))
        names = getattr(self, "feature_names_in_", None)
        ready = []
        for bank in given:
            ready.append(
                calibrated_or_fixed(bank, responses, names, memory=self.memory)
            )
        self.estimators_ = [bank for bank, _ in ready]
        self.estimator_ = self.estimators_[0]
        if ranks_by_score(self) or self.target_weights is not None:
            self._ranking = ScoreRanking.of(self.estimators_, self._targets.weights)
        if self.criterion in BY_SCORE:
            return self._ranking.order(
                responses[used],
                k,
                shaped=[shaped for _, shaped in ready],
                counts=np.ones(used.sum()) if counts is None else counts,
                dense=self.criterion == "rank",
            )
        ability = map_ability(self.estimator_, responses[used])
        strata = None
        if self.stratify == "difficulty":
            strata = difficulty_quartiles(self.estimator_)
        criterion = BY_ABILITY[self.criterion]
        return criterion(self.estimator_, ability, k, strata, counts)

    def _predict_chosen(self, chosen, return_std=False):
        support = self.get_support(indices=True)
        if ranks_by_score(self):
            if not isinstance(return_std, bool | np.bool_):
                raise ValueError(
                    f"return_std is {return_std!r}: give True or False for scores."
                )
            score, error = self._ranking.predict(support, chosen)
            return (score, error) if return_std else score
        bank = self.estimator_.select_items(support)
        return bank.predict(with_bank_names(chosen, bank), return_std=return_std)

    def _full_score(self, responses):
        if ranks_by_score(self) or self.target_weights is not None:
            everything = np.arange(responses.shape[1])
            return self._ranking.predict(everything, responses)[0]
        table = with_bank_names(responses, self.estimator_)
        return full_benchmark_score(table, bank=self.estimator_)

    def _agreement(self, y, predicted):
        return self._targets.agreement(y, predicted)
