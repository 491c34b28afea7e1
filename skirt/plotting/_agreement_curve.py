"""Held-out agreement by the number of items."""

import textwrap

import numpy as np

from skirt.plotting._inputs import check_share
from skirt.plotting._style import (
    INK,
    MOST_CURVES,
    apart,
    axes_for,
    curve_style,
    legend_text,
    open_frame,
    pyplot,
    width_in_points,
)

_SMALL = 8  # font size
_LETTER = 6.6  # points that a digit along the axis takes


class AgreementCurveDisplay:
    """Agreement with the full benchmark by subset size, with intervals and k*.

    Made by :meth:`from_curve`.

    Parameters
    ----------
    table : DataFrame
        Columns ``method``, ``k``, ``mean``, ``low`` and ``high``, as
        ``AgreementCurve.to_frame()`` gives them.
    target : float
        The agreement wanted.
    smallest_k : dict of str to int or None
        Each method's k*, the smallest size that reaches the target and stays there.
        Its methods are drawn, in this order.
    n_items : int
        Of the whole benchmark.
    protocol : str, default=""
        How the figures were found.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    lines_ : list of matplotlib Line2D, one for each method

    See Also
    --------
    skirt.model_selection.agreement_curve : Measures what is drawn here.

    Examples
    --------
    >>> from sklearn.model_selection import ShuffleSplit
    >>> from skirt import FisherSubsetSelector, RandomSubsetSelector
    >>> from skirt.datasets import make_responses
    >>> from skirt.model_selection import agreement_curve
    >>> from skirt.plotting import AgreementCurveDisplay
    >>> X = make_responses(60, 200, random_state=0).data
    >>> methods = {
    ...     "fisher": FisherSubsetSelector(),
    ...     "random": RandomSubsetSelector(random_state=0),
    ... }
    >>> cv = ShuffleSplit(5, test_size=0.5, random_state=0)
    >>> curve = agreement_curve(methods, X, k=[5, 10, 20, 40], cv=cv)
    >>> display = AgreementCurveDisplay.from_curve(curve, target=0.85)
    >>> display.smallest_k
    {'fisher': 10, 'random': 40}
    """

    def __init__(self, *, table, target, smallest_k, n_items, protocol=""):
        self.table = table
        self.target = target
        self.smallest_k = smallest_k
        self.n_items = n_items
        self.protocol = protocol

    @classmethod
    def from_curve(cls, curve, *, target=0.9, methods=None, ax=None, **kwargs):
        """Draw what :func:`~skirt.model_selection.agreement_curve` found.

        Parameters
        ----------
        curve : AgreementCurve
        target : float, default=0.9
            The agreement wanted.
        methods : sequence of str, default=None
            None draws all.
        ax : matplotlib Axes, default=None
            None makes a new figure.
        **kwargs
            Passed to :meth:`plot`.

        Returns
        -------
        AgreementCurveDisplay

        Raises
        ------
        ValueError
            If there is no such method, or there are more than can be told apart.
        """
        pyplot(f"{cls.__name__}.from_curve")
        check_share("target", target)
        methods = list(curve.methods if methods is None else methods)
        if not 1 <= len(methods) <= MOST_CURVES:
            raise ValueError(
                f"{len(methods)} methods are asked for: one picture shows 1 to "
                f"{MOST_CURVES} that can be told apart. Choose with methods=."
            )
        found = {method: curve.smallest_k(target, method) for method in methods}
        display = cls(
            table=curve.to_frame(),
            target=target,
            smallest_k={m: None if k is None else int(k) for m, k in found.items()},
            n_items=curve.n_items,
            protocol=curve.protocol,
        )
        return display.plot(ax, **kwargs)

    def plot(self, ax=None, **kwargs):
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None makes a new figure.
        **kwargs
            Passed to matplotlib's ``plot`` for the curves.

        Returns
        -------
        self
        """
        self.ax_ = axes_for(self, ax, (6.8, 4.8))
        self.figure_ = self.ax_.figure
        self.lines_ = []
        for number, (method, best) in enumerate(self.smallest_k.items()):
            own = self.table[self.table["method"] == method].sort_values("k")
            self._draw_method(own, number, method, best, kwargs)
        self.ax_.axhline(self.target, color=INK, linewidth=0.9, linestyle=(0, (4, 3)))
        self.ax_.set(
            xlabel=f"Number of items asked (of {self.n_items:,})",
            ylabel="Agreement on held-out models\n(Spearman's rho with the full score)",
        )
        self._limit()
        letters = int(width_in_points(self.ax_) / (0.52 * _SMALL))
        told = textwrap.fill(self.protocol, max(letters, 20))
        self.ax_.set_title(told, fontsize=_SMALL, loc="left")
        open_frame(self.ax_)
        self.ax_.legend(frameon=False, fontsize=8, loc="lower right", handlelength=4)
        return self

    def _draw_method(self, own, number, method, best, kwargs):
        style = {**curve_style(number), "linewidth": 1.6, "markersize": 5, **kwargs}
        k, mean = own["k"].to_numpy(), own["mean"].to_numpy()
        told = "target not reached" if best is None else f"k* = {best:,}"
        (line,) = self.ax_.plot(
            k, mean, label=f"{legend_text(method)} ({told})", **style
        )
        self.lines_.append(line)
        colour = line.get_color()
        low, high = own["low"].to_numpy(), own["high"].to_numpy()
        self.ax_.fill_between(k, low, high, color=colour, alpha=0.13, linewidth=0)
        for edge in (low, high):
            self.ax_.plot(
                k,
                edge,
                color=colour,
                linestyle=curve_style(number)["linestyle"],
                linewidth=0.5,
                label="_edge",
            )
        if best is not None:
            height, dashes = mean[k == best][0], curve_style(number)["linestyle"]
            self.ax_.vlines(best, -1, height, color=colour, linestyle=dashes, lw=1)
            self.ax_.plot(
                best,
                height,
                marker=line.get_marker(),
                markersize=11,
                markerfacecolor="none",
                color=colour,
                label="_k*",
            )

    def _limit(self):
        shown = self.table[self.table["method"].isin(list(self.smallest_k))]
        known = shown[["mean", "low"]].to_numpy(dtype=np.float64)
        bottom = min([*known[np.isfinite(known)], self.target]) - 0.03
        ax = self.ax_
        ax.set_ylim(max(bottom, -1), 1.005)
        ax.set_xscale("log")
        sizes = np.unique(shown["k"].to_numpy())
        ax.set_xlim(sizes[0] * 0.9, sizes[-1] * 1.1)
        ax.xaxis.set_major_formatter(lambda size, _: f"{size:,.0f}")
        ax.xaxis.set_minor_formatter(lambda size, _: "")
        unit = width_in_points(ax) / np.log(sizes[-1] / sizes[0] * 1.1 / 0.9)
        gap = _LETTER * (len(f"{sizes[-1]:,}") + 1)
        ax.set_xticks(sizes[apart(np.log(sizes) * unit, gap)], minor=False)
        ax.set_xticks(sizes, minor=True)
        ax.text(
            1,
            self.target,
            f"target {self.target:g} ",
            transform=ax.get_yaxis_transform(),
            ha="right",
            va="bottom",
            fontsize=8,
            color=INK,
        )
