"""How much items, or a whole test, tell about models of each ability."""

import numpy as np

from skirt.plotting._inputs import fitted_bank, item_positions
from skirt.plotting._style import (
    ABILITY_LABEL,
    COLOURS,
    LINES,
    ability_grid,
    axes_for,
    curve_style,
    legend_text,
    open_frame,
    pyplot,
    rug,
)


class InformationDisplay:
    """Fisher information over ability, of a test with its standard error or of items.

    Made by :meth:`from_estimator`.

    Parameters
    ----------
    ability : ndarray of shape (n_points,)
    information : ndarray of shape (n_points,) or (n_points, n_items)
        Of the whole test, or of each item.
    standard_error : ndarray of shape (n_points,), default=None
        Of the ability from the whole test.
    items : sequence of str, default=None
        The items' names; None says that `information` is the test's.
    model_ability : ndarray of shape (n_models,), default=None
        Abilities to mark on the axis.

    Attributes
    ----------
    ax_ : matplotlib Axes
    standard_error_ax_ : matplotlib Axes or None
        The second axis of the same picture.
    figure_ : matplotlib Figure
    lines_ : list of matplotlib Line2D
        Of information.
    standard_error_line_ : matplotlib Line2D or None

    Examples
    --------
    >>> from skirt import TwoPLEstimator
    >>> from skirt.plotting import InformationDisplay
    >>> bank = TwoPLEstimator.from_item_parameters(
    ...     discrimination=[1.0, 2.0], difficulty=[-1.0, 1.0], names=["easy", "hard"]
    ... )
    >>> display = InformationDisplay.from_estimator(bank)
    >>> round(float(display.ability[display.information.argmax()]), 1)
    1.0
    """

    def __init__(
        self,
        *,
        ability,
        information,
        standard_error=None,
        items=None,
        model_ability=None,
    ):
        self.ability = ability
        self.information = information
        self.standard_error = standard_error
        self.items = items
        self.model_ability = model_ability

    @classmethod
    def from_estimator(
        cls, estimator, *, items=None, ability_range=None, ax=None, **kwargs
    ):
        """Draw the information of a fitted estimator's items.

        Parameters
        ----------
        estimator : TwoPLEstimator or OnePLEstimator
            Fitted; or a fitted estimator that holds one.
        items : str, int, or sequence of them, default=None
            Names, or positions among the bank's items; eight at most. None draws the
            information of all items together, and the standard error that it leaves:
            1 / sqrt(information), for "map" and "eap" with the prior's information,
            1, added.
        ability_range : (float, float), default=None
            None covers the models and at least -3 to 3.
        ax : matplotlib Axes, default=None
            None makes a new figure.
        **kwargs
            Passed to :meth:`plot`.

        Returns
        -------
        InformationDisplay

        Raises
        ------
        ValueError
            If there is no such item, or too many are asked for.
        NotFittedError
            If the estimator is not fitted.
        """
        pyplot(f"{cls.__name__}.from_estimator")
        bank = fitted_bank(estimator)
        models = getattr(bank, "ability_", None)
        grid = ability_grid([] if models is None else models, ability_range)
        if items is not None:
            positions = item_positions(items, bank.item_names_)
            names = [str(bank.item_names_[j]) for j in positions]
            information = bank.item_information(grid)[:, positions]
            display = cls(
                ability=grid, information=information, items=names, model_ability=models
            )
            return display.plot(ax, **kwargs)
        information = bank.test_information(grid)
        prior = 1.0 if bank.ability_method in ("map", "eap") else 0.0
        with np.errstate(divide="ignore"):
            error = 1.0 / np.sqrt(information + prior)
        display = cls(
            ability=grid,
            information=information,
            standard_error=error,
            model_ability=models,
        )
        return display.plot(ax, **kwargs)

    def plot(self, ax=None, **kwargs):
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None makes a new figure.
        **kwargs
            Passed to matplotlib's ``plot`` for the curves of information.

        Returns
        -------
        self
        """
        self.ax_ = axes_for(self, ax, (6.4 if self.items is None else 7.4, 4.2))
        self.figure_ = self.ax_.figure
        names = ["Information"] if self.items is None else self.items
        columns = np.asarray(self.information).reshape(len(self.ability), -1)
        self.lines_ = []
        for number, name in enumerate(names):
            style = {**curve_style(number), "marker": "", "linewidth": 1.8}
            self.lines_ += self.ax_.plot(
                self.ability,
                columns[:, number],
                label=legend_text(name),
                **{**style, **kwargs},
            )
        one = "Test information" if self.items is None else "Item information"
        self.ax_.set(
            xlabel=ABILITY_LABEL,
            ylabel=f"{one} (1 / SE²)" if self.items is None else one,
            xlim=(self.ability[0], self.ability[-1]),
        )
        # Between the title and the axes there is the legend of a test.
        self.ax_.set_title(one, pad=24 if self.items is None else None)
        # The models' marks have the upper edge to themselves.
        self.ax_.set_ylim(0, 1.08 * max(float(columns.max()), 1e-12))
        open_frame(self.ax_)
        handles = list(self.lines_)
        self.standard_error_ax_ = self.standard_error_line_ = None
        if self.standard_error is not None:
            self._draw_error()
            handles.append(self.standard_error_line_)
        if self.model_ability is not None:
            marks = rug(self.ax_, np.asarray(self.model_ability))
            handles += [] if marks is None else [marks]
        beside = {"loc": "upper left", "bbox_to_anchor": (1.01, 1)}
        above = {"loc": "lower center", "bbox_to_anchor": (0.5, 1), "ncols": 3}
        self.ax_.legend(
            handles=handles,
            frameon=False,
            fontsize=8,
            handlelength=3.5,
            borderaxespad=0.3,
            **(above if self.items is None else beside),
        )
        return self

    def _draw_error(self):
        self.standard_error_ax_ = twin = self.ax_.twinx()
        (self.standard_error_line_,) = twin.plot(
            self.ability,
            self.standard_error,
            color=COLOURS[5],
            linestyle=LINES[1],
            linewidth=1.8,
            label="Standard error",
        )
        finite = self.standard_error[np.isfinite(self.standard_error)]
        twin.set_ylim(0, 1.08 * finite.max() if finite.size else 1)
        twin.set_ylabel("Standard error of ability")
        twin.spines["top"].set_visible(False)
