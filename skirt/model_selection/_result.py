"""What an agreement curve found."""

import math
from dataclasses import dataclass
from numbers import Integral

import numpy as np
import pandas as pd


@dataclass(frozen=True, repr=False, eq=False)
class AgreementCurve:
    """Held-out agreement of item subsets with the full benchmark, by their size.

    Made by :func:`agreement_curve`.

    Attributes
    ----------
    methods : tuple of str
        The names of the estimators, in the order given.
    k : tuple of int
        The numbers of items tested, ascending.
    n_models, n_groups, n_items, n_answers : int
        Of the response matrix; models are groups of one where none were given, and
        answers are those observed.
    protocol : str
        How the models were split and resampled. It is part of every number here.
    split_scores : DataFrame
        Columns method, k, split, score: the agreement on the test models of each
        split. Splits are the same for all methods, for paired comparison.
    table : DataFrame
        What :meth:`to_frame` returns a copy of.
    """

    methods: tuple
    k: tuple
    n_models: int
    n_groups: int
    n_items: int
    n_answers: int
    protocol: str
    split_scores: pd.DataFrame
    table: pd.DataFrame

    def to_frame(self):
        """Return the curve as a tidy table, one row for each method and size.

        Returns
        -------
        DataFrame
            Columns ``method``; ``k``; ``mean`` over the splits with a defined
            agreement; ``low`` and ``high``, its interval from resampling the models;
            ``sd``, the standard deviation over splits (which share models: it is no
            error of the mean); ``pooled``, the agreement of all out-of-fold positions
            together; ``n_splits``, those with a defined agreement; ``saving``, the
            share of the items not asked, 1 - k / n_items.
        """
        return self.table.copy()

    def smallest_k(self, target=0.9, method=None):
        """Return the smallest size that reaches the target and stays there.

        Parameters
        ----------
        target : float, default=0.9
            The mean held-out agreement wanted.
        method : str, default=None
            None returns all methods.

        Returns
        -------
        Series of Int64 indexed by method, or int or None
            The smallest size tested whose mean reaches `target`, as does that of
            every larger size tested; <NA> (None for one method) if there is none.
        """
        wide = self.table.pivot(index="method", columns="k", values="mean")
        stays = (wide >= target).iloc[:, ::-1].cummin(axis=1).iloc[:, ::-1]
        found = [
            next((k for k in self.k if stays.loc[m, k]), None) for m in self.methods
        ]
        return self._by_method(found, "Int64", "smallest_k", method)

    def saving(self, target=0.9, method=None):
        """Return the share of the items that need not be asked, 1 - k* / n_items.

        Parameters
        ----------
        target : float, default=0.9
            The mean held-out agreement wanted, see :meth:`smallest_k`.
        method : str, default=None
            None returns all methods.

        Returns
        -------
        Series of float indexed by method, or float or None
            NaN (None for one method) where the target is not reached.
        """
        savings = [
            None if pd.isna(k) else 1 - int(k) / self.n_items
            for k in self.smallest_k(target)
        ]
        return self._by_method(savings, "float64", "saving", method)

    def break_even(self, target=0.9, method=None, *, k=None):
        """Return after how many new models calibrating the items has paid.

        Calibration costs the panel's observed answers, and each new model that
        answers only the subset saves n_items - k: it has paid after
        n_answers / (n_items - k) models, rounded up.

        Parameters
        ----------
        target : float, default=0.9
            The mean held-out agreement wanted, see :meth:`smallest_k`.
        method : str, default=None
            None returns all methods.
        k : int, default=None
            A size to ask about directly, whatever its agreement; `target` and
            `method` are then not looked at.

        Returns
        -------
        Series of float indexed by method; or int, inf or None
            A number with `k` or `method`. inf where the subset is the whole
            benchmark, NaN (None for one method) where the target is not reached.
        """
        if k is not None:
            whole = isinstance(k, Integral) and not isinstance(k, bool)
            if not whole or not 1 <= k <= self.n_items:
                raise ValueError(
                    f"k={k!r}: pass a whole number of items from 1 to {self.n_items}."
                )
            return self._models_to_pay(int(k))
        counts = [
            None if pd.isna(size) else self._models_to_pay(int(size))
            for size in self.smallest_k(target)
        ]
        return self._by_method(counts, "float64", "break_even", method)

    def _models_to_pay(self, k):
        if k == self.n_items:
            return math.inf
        return -(-self.n_answers // (self.n_items - k))

    def _by_method(self, values, dtype, name, method):
        if method is None:
            index = pd.Index(self.methods, name="method")
            return pd.Series(values, index=index, dtype=dtype, name=name)
        if method not in self.methods:
            raise ValueError(
                f"There is no method {method!r}: there are {', '.join(self.methods)}."
            )
        return values[self.methods.index(method)]

    def __repr__(self):
        wide = self.table.pivot(index="method", columns="k", values="mean")
        shown = wide.loc[list(self.methods)].map(lambda mean: f"{mean:.3f}")
        shown.columns = [f"k={k}" for k in self.k]
        best = self.smallest_k()
        shown["k* (.90)"] = ["-" if pd.isna(k) else str(k) for k in best]
        shown.index.name = None
        return (
            f"AgreementCurve of {self.n_models} models x {self.n_items} items\n"
            f"{self.protocol}\nmean held-out agreement (Spearman's rho)\n"
            f"{shown.to_string()}"
        )


def make_tables(methods, sizes, n_items, scores, means, intervals, pooled):
    """Lay the numbers out as the two tables of an :class:`AgreementCurve`.

    `scores` is of shape (n_splits, n_methods * n_sizes), sizes changing fastest, the
    others of shape (n_methods * n_sizes,).
    """
    n_splits = len(scores)
    names = np.repeat(np.asarray(methods, dtype=object), len(sizes))
    k = np.tile(sizes, len(methods))
    finite = np.isfinite(scores)
    count = finite.sum(axis=0)
    centred = np.where(finite, scores - means, 0)
    sd = np.sqrt((centred**2).sum(axis=0) / np.maximum(count - 1, 1))
    low, high = intervals
    table = pd.DataFrame(
        {
            "method": names,
            "k": k,
            "mean": means,
            "low": low,
            "high": high,
            "sd": np.where(count > 1, sd, np.nan),
            "pooled": pooled,
            "n_splits": count,
            "saving": 1 - k / n_items,
        }
    )
    split_scores = pd.DataFrame(
        {
            "method": np.repeat(names, n_splits),
            "k": np.repeat(k, n_splits),
            "split": np.tile(np.arange(n_splits), len(k)),
            "score": scores.T.ravel(),
        }
    )
    return table, split_scores
