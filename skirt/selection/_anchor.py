"""Anchor points: one item for every cluster of items that are answered alike."""

import numpy as np
from sklearn.utils._param_validation import HasMethods, StrOptions

from skirt.selection._anchor_clusters import anchor_points
from skirt.selection._anchor_prediction import check_enough, fit_prediction
from skirt.selection._banks import calibrated_or_fixed
from skirt.selection._base import _observed_mean
from skirt.selection._calibrating import CalibratingSelector
from skirt.selection._score_ranking import check_groups


class AnchorPointSelector(CalibratingSelector):
    r"""Choose items that stand for the clusters of items answered alike.

    Each item is the vector of the models' responses to it. The vectors are clustered
    into `k` clusters; the item nearest to a cluster's centre is its anchor and counts
    for as much of the benchmark as the cluster holds. This is the binary form of
    anchor points [1]_. Scores are predicted by the anchors' weighted mean or, with an
    item response model, by the p-IRT and gp-IRT of tinyBenchmarks [2]_.

    Parameters
    ----------
    k : int, default=10
        The number of items to choose. If it exceeds the number of items, all are
        kept, with a warning.
    prediction : {"mean", "p-irt", "gp-irt"}, default="mean"
        How `predict` gets from the anchors to the full-benchmark score. "mean" weighs
        the answers by cluster size and calibrates nothing. "p-irt" counts answers as
        observed and the other items as an item response model (the *bank*) expects
        them. "gp-irt" averages both, with a weight that the training models tell. The
        anchors are the same.
    estimator : estimator, default=None
        The bank of "p-irt" and "gp-irt"; "mean" has none. None compares banks of 1, 2
        and 5 dimensions, as far as there are four independent models for each, see
        Notes. A :class:`TwoPLEstimator`, :class:`OnePLEstimator` or
        :class:`MultidimIRT` is cloned and calibrated on the `X` of `fit`, even if it is
        fitted already (with a warning then). A bank from ``from_item_parameters`` or a
        ``FrozenEstimator(bank)`` is used as it is; if it has item names and so has `X`,
        items are matched by name.
    binarize : float, default=None
        None accepts only 0, 1 and missing. A number t counts values above t as 1.
    random_state : int, RandomState instance or None, default=None
        Determines the start of the clustering. Pass an int for the same anchors in
        every call.
    memory : str or joblib.Memory, default=None
        Where to keep calibrations, so that a grid over `k` and `prediction` calibrates
        only once for each training set.

    Attributes
    ----------
    order_ : ndarray of int of shape (min(k, n_items),)
        The anchors' column indices, largest weight first, ties to the lowest column
        index.
    weights_ : ndarray of shape (min(k, n_items),)
        The share of the items that each anchor of `order_` stands for; sums to 1.
    estimator_ : estimator
        The calibrated bank of all the items. This and what follows only for "p-irt"
        and "gp-irt".
    n_components_ : int
        Its number of dimensions.
    bias_ : float
        Mean absolute error, between 0 and 1, of what the bank says of half of the items
        by the other half, for models that did not calibrate it.
    variance_ : float
        The variance of a model's answers, averaged over models; at most 1/4.
    anchor_weight_ : float
        The weight of the anchors' mean in the prediction for a model that answered all
        anchors; 0 for "p-irt".
    stretch_ : float
        The factor, at least 1, by which standard errors were found too short.
    nested_ : bool
        False: the anchors for a smaller `k` are in general other items.
    n_features_in_ : int
        The number of items seen during `fit`.
    feature_names_in_ : ndarray of str of shape (n_items,)
        The items' names. Defined only if `X` has names.

    See Also
    --------
    FisherSubsetSelector : Choose by how precisely the items measure ability.
    AutoSubsetSelector : Predicts scores too, from items chosen for the ranking.
    RandomSubsetSelector : The baseline.

    Notes
    -----
    All rows choose the anchors, whatever their `groups` in `fit`, which matter where
    models test a bank that others have calibrated. For that a bank needs 2 items, 2
    models besides the largest group, and a model held out with answers in even and odd
    columns; `fit` raises a ValueError else.

    With "mean" `predict` returns the mean of a model's observed responses to the
    anchors, weighted by cluster size: an estimate of its mean over all items. It is
    NaN, with a warning, for a model that answered no anchor.

    The clusters are the best of three k-means++ starts of k-means on the *distinct*
    vectors, each weighted by the number of items that share it, since typically half
    of the items of a benchmark are answered alike by every model. Where `k` exceeds
    the number of distinct vectors, the largest clusters get further anchors, which
    share the cluster's weight equally.

    The squared Euclidean distance between two complete vectors is the number of
    models that answer the two items differently. For the distance only, a missing
    response is placed halfway between the model's and the item's observed mean; no
    output contains such a value.

    *p-IRT* is the sum of the observed answers and of the expected ones, over the number
    of items: of the answers to all items that were not asked, and to anchors without an
    answer. *gp-IRT* is w times the anchors' weighted mean and 1 - w times p-IRT, with

    .. math:: w = \frac{b^2}{v / 4n + b^2}

    where n is the number of anchors that the model answered, b is `bias_` and v
    `variance_`; v / 4n is what [2]_ take for the variance of the anchors' mean. As
    there, every fifth model of the panel validates banks that the others have
    calibrated: from its answers to the items in even columns the mean of those in odd
    columns is predicted, b is the mean absolute error, and the number of dimensions is
    the smallest whose b is within .0025 of the least. The chosen bank is then
    calibrated by all. Of a fixed bank b is the error on all models: if these have
    calibrated it, b is too small. Unlike there, answers are expected over the (normal)
    posterior of the abilities under their prior, not at their maximum likelihood, which
    is infinite where all answers are alike; and there are standard errors.

    *Standard errors* are of the score as all items would show it. Under the bank the
    score varies about p-IRT with the variance V, through the abilities and by chance of
    the answers that were not seen, and about any mixture at a distance m from p-IRT by
    the root of V + m^2. Banks do not explain all that models share, and their items are
    known only in part. So each fifth of the models is predicted from anchors and with a
    bank that the others have given, and all standard errors are multiplied by the root
    mean square of the errors in units of their standard errors, if that is more than 1
    (`stretch_`). With fewer than about 20 independent models that is itself uncertain,
    and intervals of normal quantiles hold less often than they say.

    References
    ----------
    .. [1] Vivek, R., Ethayarajh, K., Yang, D. and Kiela, D. (2023). "Anchor Points:
       Benchmarking Models with Much Fewer Examples".
    .. [2] Polo, F. M., Weber, L., Choshen, L., Sun, Y., Xu, G. and Yurochkin, M.
       (2024). "tinyBenchmarks: evaluating LLMs with fewer examples". International
       Conference on Machine Learning.

    Examples
    --------
    >>> import numpy as np
    >>> from skirt import AnchorPointSelector
    >>> X = np.array([[1, 1, 1, 0], [1, 1, 1, 1], [0, 0, 0, 1]])
    >>> selector = AnchorPointSelector(k=2, random_state=0).fit(X)
    >>> selector.order_, selector.weights_
    (array([0, 3]), array([0.75, 0.25]))
    >>> selector.predict(X)
    array([0.75, 1.  , 0.25])

    Full-benchmark scores with standard errors, for models that were not in the panel:

    >>> from skirt.datasets import make_responses
    >>> X = make_responses(80, 300, random_state=0).data
    >>> panel, new = X[:60], X[60:]
    >>> selector = AnchorPointSelector(k=30, prediction="gp-irt", random_state=0)
    >>> score, error = selector.fit(panel).predict(new, return_std=True)
    >>> bool((abs(score - new.mean(axis=1)) < 3 * error).all())
    True
    """

    _parameter_constraints: dict = {
        **CalibratingSelector._parameter_constraints,
        "prediction": [StrOptions({"mean", "p-irt", "gp-irt"})],
        "estimator": [HasMethods(["fit", "predict", "select_items"]), None],
        "random_state": ["random_state"],
    }

    _nested = False

    def __init__(
        self,
        k=10,
        *,
        prediction="mean",
        estimator=None,
        binarize=None,
        random_state=None,
        memory=None,
    ):
        self.k = k
        self.prediction = prediction
        self.estimator = estimator
        self.binarize = binarize
        self.random_state = random_state
        self.memory = memory

    def predict(self, X, return_std=False):
        """Return the models' full-benchmark scores from the anchors alone.

        Parameters
        ----------
        X : array-like of shape (n_models, n_items)
            The responses to all the items that `fit` has seen; those that were not
            chosen are not used.
        return_std : bool, default=False
            Whether to return standard errors too, for "p-irt" and "gp-irt".

        Returns
        -------
        score : ndarray of shape (n_models,)
            Between 0 and 1. For a model that answered no anchor it is NaN with "mean"
            and else what the bank expects of any model, with a warning.
        score_std : ndarray of shape (n_models,)
            Only if `return_std`: of the score that all items would show.
        """
        return self._predict_chosen(self._chosen_of_all(X), return_std)

    def predict_subset(self, X, return_std=False):
        """Return the same for models that answered only the anchors.

        Parameters
        ----------
        X : array-like of shape (n_models, n_chosen)
            The responses to the anchors, in column order: the order of
            ``get_support(indices=True)`` and ``get_feature_names_out()``, which is
            not that of `order_`.
        return_std : bool, default=False
            As in `predict`.

        Returns
        -------
        score : ndarray of shape (n_models,)
            The same as from `predict`.
        score_std : ndarray of shape (n_models,)
            Only if `return_std`.

        Raises
        ------
        ValueError
            If `X` has another number of columns, or names that are not those of the
            anchors in their order.
        """
        return self._predict_chosen(self._only_chosen(X), return_std)

    def _order(self, responses, k, groups=None):
        group = check_groups(groups, len(responses))
        order, self.weights_ = anchor_points(responses, k, self.random_state)
        self._prediction = None
        if self.prediction != "mean":
            used = ~np.isnan(responses).all(axis=1)
            self._fit_prediction(responses[used], group[used], k)
        return order

    def _fit_prediction(self, responses, group, k):
        check_enough(responses, group)
        names = getattr(self, "feature_names_in_", None)
        found = fit_prediction(
            responses,
            group,
            self.estimator,
            anchors=lambda part: anchor_points(part, k, self.random_state),
            calibrate=lambda bank, part: calibrated_or_fixed(
                bank, part, names, memory=self.memory
            ),
            mixed=self.prediction == "gp-irt",
        )
        self._prediction = found.prediction
        self.estimator_ = found.bank
        self.n_components_ = len(found.prediction.ranking.banks[0].correlation)
        self.bias_, self.variance_ = found.prediction.bias, found.prediction.variance
        self.anchor_weight_ = float(found.prediction.anchor_weight(k))
        self.stretch_ = found.prediction.stretch

    def _predict_chosen(self, chosen, return_std=False):
        weights = np.empty(self.n_features_in_)
        weights[self.order_] = self.weights_
        support = self.get_support(indices=True)
        if not isinstance(return_std, bool | np.bool_):
            raise ValueError(
                f"return_std is {return_std!r}: give True or False for scores."
            )
        if self._prediction is None:
            if return_std:
                raise ValueError(
                    'return_std=True needs a bank: prediction="mean" has no standard '
                    'errors. Use prediction="p-irt" or "gp-irt".'
                )
            return _observed_mean(chosen, weights[support])
        score, error = self._prediction.predict(support, chosen, weights[support])
        return (score, error) if return_std else score

    def _full_score(self, responses):
        if self._prediction is None:
            return super()._full_score(responses)
        everything = np.arange(responses.shape[1])
        return self._prediction.ranking.predict(everything, responses)[0]
