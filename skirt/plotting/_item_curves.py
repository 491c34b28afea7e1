"""Item characteristic curves over what the models answered."""

import numpy as np
import pandas as pd
from statsmodels.stats.proportion import proportion_confint

from skirt._ability import estimate_abilities
from skirt._response_data import ResponseData
from skirt.plotting._inputs import (
    check_count,
    check_share,
    fitted_bank,
    item_positions,
)
from skirt.plotting._style import (
    ABILITY_LABEL,
    ability_grid,
    axes_for,
    curve_style,
    legend_text,
    open_frame,
    pyplot,
)

_MOST_ITEMS = 6  # curves with bins that can be told apart
_DODGE = 2.5  # points between the bins of one item and those of the next


class ItemCurveDisplay:
    """Item characteristic curves, with the observed proportions in bins of ability.

    Made by :meth:`from_estimator`.

    Parameters
    ----------
    ability : ndarray of shape (n_points,)
        Where the curves are drawn.
    curves : ndarray of shape (n_points, n_items)
        Probabilities of the answer 1.
    items : sequence of str
        The items' names.
    bins : DataFrame, default=None
        One row for each bin of each item: ``item``; ``ability``, the mean of its
        models; ``n_models``; ``proportion``, the share of them that answered 1;
        ``low`` and ``high``, its binomial interval.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    lines_ : list of matplotlib Line2D, one for each item

    See Also
    --------
    InformationDisplay : Where the items tell most.

    Examples
    --------
    >>> from skirt import TwoPLEstimator
    >>> from skirt.datasets import make_responses
    >>> from skirt.plotting import ItemCurveDisplay
    >>> X = make_responses(100, 50, random_state=0).data
    >>> model = TwoPLEstimator().fit(X)
    >>> display = ItemCurveDisplay.from_estimator(model, X, items=[0, 7])
    >>> display.bins.groupby("item")["n_models"].sum().to_dict()
    {'item0': 100, 'item7': 100}
    """

    def __init__(self, *, ability, curves, items, bins=None):
        self.ability = ability
        self.curves = curves
        self.items = items
        self.bins = bins

    @classmethod
    def from_estimator(
        cls,
        estimator,
        X=None,
        *,
        items,
        n_bins=10,
        confidence=0.95,
        ability_range=None,
        ax=None,
        **kwargs,
    ):
        """Draw the curves of some items of a fitted estimator.

        Parameters
        ----------
        estimator : TwoPLEstimator or OnePLEstimator
            Fitted; or a fitted estimator that holds one.
        X : array-like or DataFrame of shape (n_models, n_items), default=None
            Responses, to show beside the curves. Models are put into bins by their
            MAP ability, which is finite for all, from all their responses, the item's
            own included: with few items that makes the bins agree with the curve.
        items : str, int, or sequence of them
            Names, or positions among the bank's items; six at most.
        n_bins : int, default=10
            Into how many bins of equally many models to put those that answered an
            item. Models with the same ability stay together.
        confidence : float, default=0.95
            Of the bins' intervals (Wilson 1927).
        ability_range : (float, float), default=None
            None covers the models and at least -3 to 3.
        ax : matplotlib Axes, default=None
            None makes a new figure.
        **kwargs
            Passed to :meth:`plot`.

        Returns
        -------
        ItemCurveDisplay

        Raises
        ------
        ValueError
            If there is no such item, or too many are asked for.
        NotFittedError
            If the estimator is not fitted.
        """
        pyplot(f"{cls.__name__}.from_estimator")
        bank = fitted_bank(estimator)
        check_count("n_bins", n_bins)
        check_share("confidence", confidence)
        positions = item_positions(items, bank.item_names_, most=_MOST_ITEMS)
        names = [str(bank.item_names_[j]) for j in positions]
        abilities, bins = getattr(bank, "ability_", np.empty(0)), None
        if X is not None:
            responses = bank._checked(X)
            abilities = estimate_abilities(
                ResponseData.from_matrix(responses),
                bank.discrimination_,
                bank.intercept_,
                "map",
            )[0]
            tables = [
                _bins(abilities, responses[:, j], name, n_bins, confidence)
                for j, name in zip(positions, names, strict=True)
            ]
            bins = pd.concat(tables, ignore_index=True)
        grid = ability_grid(abilities, ability_range)
        curves = bank.inverse_transform(grid)[:, positions]
        return cls(ability=grid, curves=curves, items=names, bins=bins).plot(
            ax, **kwargs
        )

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
        self.ax_ = axes_for(self, ax, (6.4, 4.4))
        self.figure_ = self.ax_.figure
        self.lines_ = []
        for number, name in enumerate(self.items):
            style = curve_style(number)
            marker = style.pop("marker")
            (line,) = self.ax_.plot(
                self.ability,
                self.curves[:, number],
                label=legend_text(name),
                **{"linewidth": 1.8, **style, **kwargs},
            )
            self.lines_.append(line)
            if self.bins is not None:
                own = self.bins[self.bins["item"] == name]
                self._draw_bins(own, number, marker, line.get_color())
        self.ax_.set(
            xlabel=ABILITY_LABEL,
            ylabel="Probability of the answer 1",
            ylim=(-0.02, 1.02),
            xlim=(self.ability[0], self.ability[-1]),
            title="Item characteristic curves",
        )
        open_frame(self.ax_)
        self._draw_legend()
        return self

    def _draw_bins(self, bins, number, marker, colour):
        from matplotlib.transforms import ScaledTranslation

        # Bins of several items lie at the same abilities: they are shown side by side.
        shift = _DODGE * (number - (len(self.items) - 1) / 2) / 72
        aside = ScaledTranslation(shift, 0, self.figure_.dpi_scale_trans)
        y = bins["proportion"].to_numpy()
        low, high = bins["low"].to_numpy(), bins["high"].to_numpy()
        self.ax_.errorbar(
            bins["ability"].to_numpy(),
            y,
            yerr=np.clip([y - low, high - y], 0, None),
            fmt=marker,
            color=colour,
            markerfacecolor="white",
            markersize=5,
            elinewidth=0.8,
            alpha=0.8,
            transform=self.ax_.transData + aside,
            label="_bins",
        )

    def _draw_legend(self):
        from matplotlib.lines import Line2D

        handles = []
        for number, line in enumerate(self.lines_):
            style = curve_style(number)
            marker = style["marker"] if self.bins is not None else ""
            handles.append(
                Line2D(
                    [],
                    [],
                    color=line.get_color(),
                    linestyle=style["linestyle"],
                    marker=marker,
                    markerfacecolor="white",
                    markersize=5,
                    label=line.get_label(),
                )
            )
        self.ax_.legend(handles=handles, frameon=False, fontsize=8, handlelength=5)


def _bins(abilities, responses, name, n_bins, confidence):
    """Return observed proportions of one item in bins of equally many models."""
    seen = ~np.isnan(responses)
    theta, x = abilities[seen], responses[seen]
    if not theta.size:
        return _bin_table(name, *np.empty((5, 0)))
    # Models that are equal but for rounding must not come to lie around an edge.
    coarse = np.round(theta, 9)
    edges = np.unique(np.quantile(coarse, np.arange(1, n_bins) / n_bins))
    place = np.searchsorted(edges, coarse, side="left")
    count = np.bincount(place, minlength=edges.size + 1)
    filled = count > 0
    ones = np.bincount(place, weights=x, minlength=count.size)[filled]
    total = np.bincount(place, weights=theta, minlength=count.size)[filled]
    count = count[filled]
    low, high = proportion_confint(ones, count, alpha=1 - confidence, method="wilson")
    return _bin_table(name, total / count, count, ones / count, low, high)


def _bin_table(name, ability, count, proportion, low, high):
    return pd.DataFrame(
        {
            "item": [name] * len(ability),
            "ability": ability,
            "n_models": np.asarray(count, dtype=np.intp),
            "proportion": proportion,
            "low": low,
            "high": high,
        }
    )
