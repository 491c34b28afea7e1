"""Items in the plane of two abilities."""

import numpy as np
import pandas as pd

from skirt._item_table import in_column_order, numbered_labels, with_text_columns
from skirt._multidim._bank import MultidimBank
from skirt.plotting._inputs import check_count, fitted_bank, numbers
from skirt.plotting._style import (
    COLOURS,
    INK,
    MARKERS,
    QUIET,
    axes_for,
    legend_text,
    open_frame,
    pyplot,
    rows_height,
)

# The frame holds all but this share of the items on each side.
_OUTSIDE = 0.002
_MOST_ROWS = 36  # of the legend, before it gets another column
_LONGEST = 28  # letters of a name in the legend


class ItemScatterDisplay:
    """Items by their discriminations on two abilities, coloured by benchmark.

    Made by :meth:`from_estimator`.

    Parameters
    ----------
    discrimination : array-like of shape (n_items, 2)
    labels : array-like of str of shape (n_items,), default=None
        Each item's benchmark.
    names : (str, str), default=("ability0", "ability1")
        Of the two abilities.
    legend_title : str, default="benchmark"

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    points_ : list of matplotlib PathCollection, one for each benchmark
        Items beyond the frame are drawn on it.
    n_beyond_ : int
        How many those are.

    Examples
    --------
    >>> from skirt import MultidimIRT
    >>> from skirt.plotting import ItemScatterDisplay
    >>> bank = MultidimIRT.from_item_parameters(
    ...     discrimination=[[1.0, 0.1], [0.9, 0.0], [0.1, 1.2]], intercept=[0, 0, 0]
    ... )
    >>> benchmarks = ["maths", "maths", "safety"]
    >>> display = ItemScatterDisplay.from_estimator(bank, benchmarks)
    >>> [text.get_text() for text in display.ax_.get_legend().get_texts()]
    ['maths (2)', 'safety (1)', 'mean of the items']
    """

    def __init__(
        self,
        *,
        discrimination,
        labels=None,
        names=("ability0", "ability1"),
        legend_title="benchmark",
    ):
        self.discrimination = discrimination
        self.labels = labels
        self.names = names
        self.legend_title = legend_title

    @classmethod
    def from_estimator(
        cls,
        estimator,
        items=None,
        *,
        by="benchmark",
        dimensions=(0, 1),
        ax=None,
        **kwargs,
    ):
        """Draw the items of a fitted multidimensional estimator.

        Parameters
        ----------
        estimator : MultidimIRT
            Fitted, with at least two abilities.
        items : DataFrame, or array-like of shape (n_items,), default=None
            The item table with a column `by`: rows are matched to the bank's items by
            name, as :func:`~skirt.audit.benchmark_audit` does, by position where one
            of them has no names. Or only the label of each item.
        by : str, default="benchmark"
            The column of the item table that colours.
        dimensions : (int, int), default=(0, 1)
            The two abilities.
        ax : matplotlib Axes, default=None
            None makes a new figure.
        **kwargs
            Passed to :meth:`plot`.

        Returns
        -------
        ItemScatterDisplay

        Raises
        ------
        ValueError
            If there are no such abilities, or items and table do not match.
        NotFittedError
            If the estimator is not fitted.
        """
        pyplot(f"{cls.__name__}.from_estimator")
        bank = fitted_bank(estimator, MultidimBank)
        n_components = bank.discrimination_.shape[1]
        pair = _checked_pair(dimensions, n_components)
        labels = None if items is None else _labels(items, by, bank)
        names = bank.get_feature_names_out()
        display = cls(
            discrimination=bank.discrimination_[:, pair],
            labels=labels,
            names=(str(names[pair[0]]), str(names[pair[1]])),
            legend_title=by,
        )
        return display.plot(ax, **kwargs)

    def plot(self, ax=None, **kwargs):
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None makes a new figure.
        **kwargs
            Passed to matplotlib's ``scatter``.

        Returns
        -------
        self
        """
        a = numbers("discrimination", self.discrimination)
        labels = [""] * len(a) if self.labels is None else self.labels
        code, names = pd.factorize(np.array([str(n) for n in labels], dtype=object))
        numbers("labels", code, (len(a),))
        self.ax_ = axes_for(self, ax, _figure_size(names))
        self.figure_ = self.ax_.figure
        low, high = _limits(a)
        inside = np.clip(a, low, high)
        self.n_beyond_ = int((inside != a).any(axis=1).sum())
        crowd = float(np.clip(20 / np.sqrt(max(len(a), 1)), 0.15, 1))
        style = {
            "s": 28 * crowd,
            "alpha": max(0.4, crowd),
            "linewidths": 0,
            "rasterized": len(a) > 2000,
            "clip_on": False,
            **kwargs,
        }
        self.points_ = []
        for number, name in enumerate(names):
            own = code == number
            told = (
                f"{legend_text(name, _LONGEST)} ({own.sum():,})" if name else "_items"
            )
            self.points_.append(
                self.ax_.scatter(
                    *inside[own].T,
                    color=COLOURS[number % len(COLOURS)],
                    marker=MARKERS[number % len(MARKERS)],
                    label=told,
                    # Small groups lie over large ones, which would hide them.
                    **{"zorder": 3 - own.mean(), **style},
                )
            )
        # Means lie over all points.
        for number in range(len(names)) if self.labels is not None else ():
            self._draw_mean(a[code == number].mean(axis=0), number)
        self._finish(low, high)
        return self

    def _draw_mean(self, mean, number):
        marker = MARKERS[number % len(MARKERS)]
        self.ax_.scatter(
            *mean,
            s=260 if marker == "*" else 130,
            color=COLOURS[number % len(COLOURS)],
            marker=marker,
            edgecolors="white",
            linewidths=1.3,
            zorder=4,
            label="_mean",
        )

    def _finish(self, low, high):
        from matplotlib.lines import Line2D

        ax = self.ax_
        for line in (ax.axhline, ax.axvline):
            line(0, color=QUIET, linewidth=0.7, zorder=0)
        ax.set_xlim(low[0], high[0])
        ax.set_ylim(low[1], high[1])
        ax.set(
            xlabel=f"Discrimination on {self.names[0]}",
            ylabel=f"Discrimination on {self.names[1]}",
        )
        ax.set_title(f"{len(self.discrimination):,} items", loc="left")
        open_frame(ax)
        if self.n_beyond_:
            ax.set_title(
                f"{self.n_beyond_:,} beyond the frame are drawn on it",
                loc="right",
                fontsize=8,
                color=INK,
            )
        if self.labels is None:
            return
        swatches = [
            Line2D(
                [],
                [],
                ls="",
                marker=MARKERS[i % len(MARKERS)],
                color=COLOURS[i % len(COLOURS)],
                label=text,
            )
            for i, text in enumerate(ax.get_legend_handles_labels()[1])
        ]
        swatches.append(
            Line2D(
                [],
                [],
                ls="",
                marker="o",
                markersize=10,
                color=QUIET,
                markeredgecolor="white",
                label="mean of the items",
            )
        )
        ax.legend(
            handles=swatches,
            title=legend_text(self.legend_title),
            ncols=_n_columns(len(swatches)),
            loc="upper left",
            bbox_to_anchor=(1.02, 1),
            borderaxespad=0,
            frameon=False,
            fontsize=8,
        )


def _n_columns(n_rows):
    return -(-n_rows // _MOST_ROWS)


def _figure_size(names):
    """Return inches that hold the plane and a legend of these names beside it."""
    letters = min(max((len(name) for name in names), default=0), _LONGEST) + 8
    n_columns = _n_columns(len(names) + 1)
    height = 0.6 + rows_height(-(-(len(names) + 1) // n_columns), 9)
    return 5.0 + n_columns * (0.3 + 0.066 * letters), max(4.6, height)


def _checked_pair(dimensions, n_components):
    pair = list(dimensions)
    for k in pair:
        check_count("A dimension", k, least=0)
    if len(pair) != 2 or pair[0] == pair[1] or max(pair) >= n_components:
        raise ValueError(
            f"dimensions is {dimensions!r}: give two different ones; the estimator has "
            f"{n_components}, 0 to {n_components - 1}."
        )
    return pair


def _labels(items, by, bank):
    names = [str(name) for name in bank.item_names_]
    if isinstance(items, pd.Series):
        items = items.rename(by).to_frame()
    elif not isinstance(items, pd.DataFrame):
        items = pd.DataFrame({by: np.asarray(items, dtype=object)})
    named = hasattr(bank, "feature_names_in_")
    table = in_column_order(with_text_columns(items), names, named)
    code, labels = numbered_labels(table, by, "by", names)
    return np.asarray(labels, dtype=object)[code]


def _limits(a):
    """Return the frame: nearly all items, zero, and a little air."""
    if not len(a):
        return np.array([-1.0, -1.0]), np.array([1.0, 1.0])
    low = np.minimum(np.quantile(a, _OUTSIDE, axis=0), 0.0)
    high = np.maximum(np.quantile(a, 1 - _OUTSIDE, axis=0), 0.0)
    air = 0.04 * np.maximum(high - low, 0.1)
    return low - air, high + air
