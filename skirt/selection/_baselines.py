"""Selectors that need no calibration: disagreement and chance."""

import warnings

import numpy as np
from sklearn.utils import check_random_state

from skirt.selection._base import SubsetSelector
from skirt.selection._greedy import highest_first


class DisagreementSelector(SubsetSelector):
    """Choose the items on which the models disagree most.

    An item that a share p of its observed responses gets right has the disagreement
    p (1 - p), the variance of a response. It is largest where half of the models are
    right and zero where all agree. This is the binary case of the diversity scores of
    DISCO [1]_.

    Parameters
    ----------
    k : int, default=10
        The number of items to choose. If it exceeds the number of items, all are
        kept, with a warning.
    binarize : float, default=None
        None accepts only 0, 1 and missing. A number t counts values above t as 1.
    random_state : int, RandomState instance or None, default=0
        Breaks ties: the order among items of equal disagreement is drawn once.

    Attributes
    ----------
    disagreement_ : ndarray of shape (n_items,)
        p (1 - p) of each item; NaN for an item without a response.
    order_ : ndarray of int of shape (min(k, n_items),)
        The chosen items' column indices, best first; items without a response come
        last.
    nested_ : bool
        True: the choice for a smaller `k` is a prefix of `order_`.
    n_features_in_ : int
        The number of items seen during `fit`.
    feature_names_in_ : ndarray of str of shape (n_items,)
        The items' names. Defined only if `X` has names.

    See Also
    --------
    FisherSubsetSelector : Choose by how precisely the items measure ability.
    RandomSubsetSelector : The baseline.

    Notes
    -----
    `predict` returns the mean of a model's observed responses to the chosen items,
    and NaN with a warning for a model that answered none of them. The score is the
    item's own: of two items answered alike by every model both are chosen.

    M models give p (1 - p) hardly more than M / 2 values, so that many items tie. The
    ties are broken at random, not by column: a table filed by topic would otherwise
    give a subset of its first topics.

    References
    ----------
    .. [1] Rubinstein, A., Raible, B., Gubri, M. and Oh, S. J. (2025). "DISCO:
       Diversifying Sample Condensation for Efficient Model Evaluation".

    Examples
    --------
    >>> import numpy as np
    >>> from skirt import DisagreementSelector
    >>> X = np.array([[1, 1, 0, 1], [1, 0, 0, 1], [1, 1, 0, 0], [1, 0, 0, np.nan]])
    >>> selector = DisagreementSelector(k=2).fit(X)
    >>> selector.get_support(indices=True)
    array([1, 3])
    >>> selector.predict(X)
    array([1. , 0.5, 0.5, 0. ])
    """

    _parameter_constraints: dict = {
        **SubsetSelector._parameter_constraints,
        "random_state": ["random_state"],
    }

    def __init__(self, k=10, *, binarize=None, random_state=0):
        self.k = k
        self.binarize = binarize
        self.random_state = random_state

    def _order(self, responses, k):
        right = (responses == 1).sum(axis=0)
        wrong = (responses == 0).sum(axis=0)
        answered = right + wrong
        # From the counts, so that shares p and 1 - p tie exactly.
        spread = np.full(len(right), np.nan)
        np.divide(right * wrong, answered**2, out=spread, where=answered > 0)
        if not np.nanmax(spread) > 0:
            warnings.warn(
                "The models agree on every item: none is better than another, and the "
                "items are drawn at random.",
                UserWarning,
                stacklevel=4,
            )
        self.disagreement_ = spread
        shuffled = check_random_state(self.random_state).permutation(len(spread))
        score = np.where(answered > 0, spread, -1.0)
        return shuffled[highest_first(score[shuffled], k)]


class RandomSubsetSelector(SubsetSelector):
    """Choose items at random: the baseline that any other choice has to beat.

    Parameters
    ----------
    k : int, default=10
        The number of items to choose. If it exceeds the number of items, all are
        kept, with a warning.
    binarize : float, default=None
        None accepts only 0, 1 and missing. A number t counts values above t as 1.
    random_state : int, RandomState instance or None, default=None
        Determines the draw. The same integer gives the same items of a benchmark
        whatever the models, their order or their number, and a smaller `k` a prefix
        of a larger one.

    Attributes
    ----------
    order_ : ndarray of int of shape (min(k, n_items),)
        The chosen items' column indices in the order they were drawn.
    nested_ : bool
        True: the choice for a smaller `k` is a prefix of `order_`.
    n_features_in_ : int
        The number of items seen during `fit`.
    feature_names_in_ : ndarray of str of shape (n_items,)
        The items' names. Defined only if `X` has names.

    See Also
    --------
    DisagreementSelector : Choose the items on which the models disagree most.

    Notes
    -----
    Every subset of `k` items is equally likely, wherever they stand in the table:
    taking the first `k` columns instead would take the first topics of a benchmark
    that is filed by topic. One draw is noisy; average agreement over several.

    `predict` returns the mean of a model's observed responses to the chosen items,
    and NaN with a warning for a model that answered none of them.

    Examples
    --------
    >>> import numpy as np
    >>> from skirt import RandomSubsetSelector
    >>> X = np.eye(4, 6)
    >>> five = RandomSubsetSelector(k=5, random_state=0).fit(X)
    >>> three = RandomSubsetSelector(k=3, random_state=0).fit(X[:2])
    >>> bool((three.order_ == five.order_[:3]).all())
    True
    """

    _parameter_constraints: dict = {
        **SubsetSelector._parameter_constraints,
        "random_state": ["random_state"],
    }

    _min_models = 1

    def __init__(self, k=10, *, binarize=None, random_state=None):
        self.k = k
        self.binarize = binarize
        self.random_state = random_state

    def _order(self, responses, k):
        rng = check_random_state(self.random_state)
        return rng.permutation(responses.shape[1])[:k]
