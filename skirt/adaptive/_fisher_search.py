"""The most informative item without looking at all of them.

Abilities fall into narrow cells. An item's information has one peak, so that its
largest value within a cell is known; the items with the largest ones are listed once
for each cell that is visited. The best item of a model is looked for in the list of
its cell, and the search is over where it beats the largest value of every item that
is not listed: the answer is that of a full search.
"""

import numpy as np

from skirt.adaptive._exposure import is_settled, pick
from skirt.adaptive._items import information_at

_WIDTH = 0.05
# With fewer models the lists do not pay.
_FEWEST_MODELS = 4


class FisherSearch:
    """Lists of the most informative items by ability and stratum.

    Parameters
    ----------
    items : LogisticItems
    n_answers : int
        Length of a test: so many listed items may have been asked already.
    strata : Strata or None
    """

    def __init__(self, items, n_answers, strata):
        self._items = items
        self._squared = np.square(items.discrimination)
        self._strata = strata
        self._depth = int(min(len(items), 2 * n_answers + 96))
        self._place = {}  # (cell, stratum) -> row of the tables
        self._lists = np.empty((0, self._depth), dtype=np.intp)
        self._outside = np.empty(0)

    def pays(self, n_models, randomesque):
        """Whether to use the lists for so many models."""
        short = max(self._depth, 2 * randomesque) < len(self._items)
        return short and n_models >= _FEWEST_MODELS and randomesque < self._depth

    def __call__(self, theta, open_items, strata, randomesque, draws):
        """Pick an item for each model.

        Parameters
        ----------
        theta : ndarray of shape (n_models,)
        open_items : ndarray of bool of shape (n_models, n_items)
        strata : ndarray of int of shape (n_models,) or None
            The stratum to pick from.
        randomesque, draws
            As in `pick`.

        Returns
        -------
        picked : ndarray of int of shape (n_models,)
        settled : ndarray of bool of shape (n_models,)
            False where only a full search can tell.
        """
        cells = np.floor(theta / _WIDTH).astype(np.int64)
        n_strata = 1 if strata is None else len(self._strata)
        keys = cells * n_strata + (0 if strata is None else strata)
        keys, inverse = np.unique(keys, return_inverse=True)
        of_keys = [self._list(*divmod(int(key), n_strata)) for key in keys]
        places = np.asarray(of_keys)[inverse]
        listed = self._lists[places]
        known = listed >= 0
        listed = np.where(known, listed, 0)
        logit = self._items.discrimination[listed] * theta[:, None]
        logit += self._items.intercept[listed]
        values = information_at(logit, self._squared[listed])
        eligible = np.take_along_axis(open_items, listed, axis=1) & known
        enough = eligible.sum(axis=1) >= randomesque
        np.copyto(values, -np.inf, where=~eligible)
        last = randomesque - 1
        worst = -np.partition(-values, last, axis=1)[:, last]
        settled = enough & is_settled(worst, self._outside[places])
        column = pick(values, eligible, randomesque, draws)
        return listed[np.arange(len(theta)), column], settled

    def _list(self, cell, stratum):
        key = cell, stratum
        if key not in self._place:
            self._place[key] = len(self._place)
            listed, outside = self._most_informative(cell, stratum)
            self._lists = np.vstack([self._lists, listed])
            self._outside = np.append(self._outside, outside)
        return self._place[key]

    def _most_informative(self, cell, stratum):
        """List items by their largest information within a cell, padded with -1."""
        a, d = self._items.discrimination, self._items.intercept
        members = None if self._strata is None else self._strata.members(stratum)
        if members is not None:
            a, d = a[members], d[members]
        low, high = a * (cell * _WIDTH) + d, a * ((cell + 1) * _WIDTH) + d
        nearest = np.where(low * high <= 0, 0.0, np.minimum(np.abs(low), np.abs(high)))
        bound = information_at(nearest, np.square(a))
        listed, outside = np.arange(a.size), -np.inf
        if a.size > self._depth:
            order = np.argpartition(-bound, self._depth)
            listed, outside = order[: self._depth], bound[order[self._depth]]
        # In column order, so that of equal items the first is found.
        listed = np.sort(listed)
        if members is not None:
            listed = members[listed]
        padding = np.full(self._depth - listed.size, -1, dtype=np.intp)
        return np.r_[listed, padding], outside * (1 + 1e-9)
