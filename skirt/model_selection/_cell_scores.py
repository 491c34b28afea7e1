"""How well held-out responses were predicted."""

from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np
import pandas as pd
from scipy.stats import t as student_t
from sklearn.utils._param_validation import Interval, validate_params

from skirt.model_selection._bootstrap import draw_multiplicities
from skirt.model_selection._cell_metrics import LOSSES, METRICS, averages


@dataclass(frozen=True, repr=False, eq=False)
class CellScores:
    """How well each method predicts held-out responses, by benchmark.

    Made by :func:`cross_val_responses`.

    Attributes
    ----------
    methods : tuple of str
        The names of the estimators, in the order given, and of the baselines.
    baselines : tuple of str
        Those of the methods that are baselines.
    benchmarks : tuple of str
        The values of the item table's column, in order of appearance.
    n_models, n_groups, n_items, n_cells : int
        Of the response matrix; models are groups of one where none were given, and
        cells are the observed responses.
    protocol : str
        How the responses were held out. It is part of every number here.
    predictions : dict of str to ndarray or DataFrame of shape (n_models, n_items)
        Each method's probability of the answer 1, predicted without that answer; NaN
        where no response was observed.
    folds : ndarray of shape (n_models, n_items), int
        The fold in which each response was held out; -1 where there is none.
    table : DataFrame
        What :meth:`to_frame` returns a copy of.
    loss_sums : ndarray of shape (n_methods, 3, n_models, n_benchmarks)
        Sums of abs(x - p), of hits and of the log-loss over a model's cells.
    cell_counts : ndarray of shape (n_models, n_benchmarks)
    group_of_model : ndarray of shape (n_models,), int
    """

    methods: tuple
    baselines: tuple
    benchmarks: tuple
    n_models: int
    n_groups: int
    n_items: int
    n_cells: int
    protocol: str
    predictions: dict
    folds: np.ndarray
    table: pd.DataFrame
    loss_sums: np.ndarray
    cell_counts: np.ndarray
    group_of_model: np.ndarray

    def to_frame(self):
        """Return the scores as a tidy table, one row for each method and benchmark.

        Returns
        -------
        DataFrame
            Columns ``method``; ``benchmark``, or "micro" (all cells together) or
            "macro" (the plain mean over benchmarks); ``n_cells``, the responses
            predicted; ``n_fallback``, those of them for which the method had to make
            do with something coarser (see :func:`cross_val_responses`); ``mae``, the
            mean of abs(x - p); ``accuracy`` of p >= .5; ``log_loss`` in nats, p within
            [.001, .999]; ``auc``; ``spearman``, over models, of the predicted and the
            observed mean of a fold's held-out cells, averaged over folds;
            ``auc_left_out`` and ``spearman_left_out``, the parts in which that figure
            is undefined: benchmarks in the macro rows, else folds for Spearman's rho,
            and 0 or 1 for the AUC.
        """
        return self.table.copy()

    def summary(self, average="macro"):
        """Return the average figures of each method, the lowest log-loss first.

        Parameters
        ----------
        average : {"macro", "micro"}, default="macro"
            The mean over benchmarks, or all cells together.

        Returns
        -------
        DataFrame indexed by method
            Columns as in :meth:`to_frame`.
        """
        if average not in ("macro", "micro"):
            raise ValueError(f"average is {average!r}: give 'macro' or 'micro'.")
        rows = self.table[self.table["benchmark"] == average].drop(columns="benchmark")
        return rows.set_index("method").sort_values("log_loss", kind="stable")

    @validate_params(
        {
            "confidence": [Interval(Real, 0, 1, closed="neither")],
            "n_bootstrap": [Interval(Integral, 2, None, closed="left")],
        },
        prefer_skip_nested_validation=True,
    )
    def compare(
        self, reference=None, *, confidence=0.95, n_bootstrap=1000, random_state=0
    ):
        """Compare every method with one, on the same responses.

        Parameters
        ----------
        reference : str, default=None
            The name of a method; None is the baseline of the lowest macro log-loss.
        confidence : float, default=0.95
            The level of the intervals.
        n_bootstrap : int, default=1000
            Resamplings of the models, in whole groups where there are groups.
        random_state : int, default=0
            Seeds the resampling.

        Returns
        -------
        DataFrame
            A row for each other method, ``average`` ("macro", "micro") and ``metric``
            ("mae", "accuracy", "log_loss"), with ``reference``, ``difference`` (the
            method's figure less the reference's: below 0 is better, but for the
            accuracy), ``se``, its bootstrap standard error, and ``low`` and ``high``,
            Student's interval with as many degrees of freedom as there are groups,
            less one.

        Notes
        -----
        The items, and what was fitted, are kept: the interval is for other models
        like these on the same benchmarks. Choosing the best of several baselines by
        these very responses favours the reference a little.
        """
        reference = self._reference(reference)
        answered = self.cell_counts.sum(axis=1) > 0
        groups = np.unique(self.group_of_model[answered], return_inverse=True)[1]
        n_groups = int(groups.max()) + 1
        draws = draw_multiplicities(
            groups, n_bootstrap, np.random.default_rng(random_state)
        )
        sums = draws @ self.loss_sums[:, :, answered]
        values = np.stack(averages(sums, draws @ self.cell_counts[answered]), axis=1)
        values = values - values[self.methods.index(reference)]
        estimate, drawn = values[..., 0], values[..., 1:]
        se = drawn.std(axis=-1, ddof=1) * np.sqrt(n_groups / max(n_groups - 1, 1))
        if n_groups < 2:
            se = np.full_like(se, np.nan)
        reach = student_t.ppf((1 + confidence) / 2, max(n_groups - 1, 1)) * se
        index = pd.MultiIndex.from_product(
            [self.methods, ["macro", "micro"], LOSSES],
            names=["method", "average", "metric"],
        )
        table = pd.DataFrame(
            {
                "reference": reference,
                "difference": estimate.ravel(),
                "se": se.ravel(),
                "low": (estimate - reach).ravel(),
                "high": (estimate + reach).ravel(),
            },
            index=index,
        ).reset_index()
        return table[table["method"] != reference].reset_index(drop=True)

    def _reference(self, reference):
        if reference is None:
            if not self.baselines:
                raise ValueError(
                    "There are no baselines: name the reference, one of "
                    f"{', '.join(self.methods)}."
                )
            order = self.summary().index
            return next(name for name in order if name in self.baselines)
        if reference not in self.methods:
            raise ValueError(
                f"There is no method {reference!r}: there are "
                f"{', '.join(self.methods)}."
            )
        return reference

    def __repr__(self):
        shown = self.summary().drop(columns="n_cells")
        shown = shown.loc[:, ["n_fallback", *METRICS]].round(3)
        shown.index.name = None
        return (
            f"CellScores of {self.n_models} models x {self.n_items} items\n"
            f"{self.protocol}\nmacro averages, benchmarks: {len(self.benchmarks)}\n"
            f"{shown.to_string()}"
        )
