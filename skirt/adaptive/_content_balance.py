"""Content balancing: the strata's shares of the bank, kept in every test."""

from collections.abc import Mapping

import numpy as np
import pandas as pd


class Strata:
    """Which stratum is next, so that no prefix of a test strays from the shares.

    The rule is that of Tijdeman (1980, "The chairman assignment problem", Discrete
    Mathematics 32): of the strata that may be asked already without running ahead,
    the one that falls behind first. After every item each stratum's count then
    differs from its share of the test by less than 1.

    Parameters
    ----------
    codes : ndarray of int of shape (n_items,)
    labels : ndarray
        The strata's names.
    """

    def __init__(self, codes, labels):
        self.codes = codes
        self.labels = labels
        sizes = np.bincount(codes, minlength=len(labels))
        self._share = sizes / sizes.sum()
        self._members = [np.flatnonzero(codes == s) for s in range(len(labels))]

    def __len__(self):
        return len(self.labels)

    def members(self, stratum):
        """Positions of the stratum's items."""
        return self._members[stratum]

    def open_counts(self, open_items):
        """How many open items each model has in each stratum."""
        return np.stack(
            [open_items[:, members].sum(axis=1) for members in self._members], axis=1
        )

    def next(self, counts, available):
        """Return the stratum to ask next.

        Parameters
        ----------
        counts : ndarray of int of shape (n_models, n_strata)
            Items asked so far.
        available : ndarray of bool of the same shape
            Whether a stratum has items left; at least one has.
        """
        due = self._share * (counts.sum(axis=1, keepdims=True) + 1) - counts
        margin = 1.0 / max(2 * len(self) - 2, 1)
        deadline = np.full(due.shape, np.inf)
        np.divide(1.0 - margin - due, self._share, out=deadline, where=self._share > 0)
        early = due < margin - 1e-9
        # Where only strata that would run ahead have items left, the most due goes.
        rank = np.where(early, 1e9 - due, deadline)
        rank[~available] = np.inf
        return np.argmin(np.round(rank, 9), axis=1)


def make_strata(strata, names):
    """Check the strata of the items and return `Strata`, or None for None.

    Parameters
    ----------
    strata : array-like of shape (n_items,), Series or dict by item name, or None
    names : ndarray of str
        The items' names, in order.
    """
    if strata is None:
        return None
    if isinstance(strata, Mapping):
        strata = pd.Series(strata)
    if isinstance(strata, pd.Series):
        named = strata.set_axis(strata.index.map(str))
        # A default index says nothing of names: such a Series is taken by position.
        if set(named.index) >= set(names):
            if not named.index.is_unique:
                twice = named.index[named.index.duplicated()][0]
                raise ValueError(f"strata has item {twice!r} more than once.")
            strata = named.reindex(names)
        elif not isinstance(strata.index, pd.RangeIndex):
            missing = next(name for name in names if name not in named.index)
            raise ValueError(
                f"strata has no label for item {missing!r}: give one for every item, "
                "in a Series indexed by item name or in column order."
            )
    values = np.asarray(strata, dtype=object)
    if values.shape != (len(names),):
        raise ValueError(
            f"strata has shape {values.shape}, but there are {len(names)} items: give "
            "one label for each."
        )
    codes, labels = pd.factorize(values, use_na_sentinel=True)
    if (codes < 0).any():
        j = int(np.flatnonzero(codes < 0)[0])
        raise ValueError(
            f"strata has no label for item {names[j]!r}: give one for every item."
        )
    return Strata(codes.astype(np.intp), labels)
