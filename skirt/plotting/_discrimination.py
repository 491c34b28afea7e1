"""How unequal the items' discriminations are."""

import numpy as np

from skirt._bank import ItemBank
from skirt._multidim._bank import MultidimBank
from skirt.metrics import discrimination_cv
from skirt.plotting._inputs import check_count, fitted_bank, numbers
from skirt.plotting._style import COLOURS, INK, axes_for, open_frame, pyplot


class DiscriminationHistogramDisplay:
    """Histogram of the items' discriminations with their coefficient of variation.

    The more unequal they are, the fewer items carry the ranking; see
    :func:`skirt.metrics.discrimination_cv`. Made by :meth:`from_estimator`.

    Parameters
    ----------
    discrimination : array-like of shape (n_items,)
    cv : float
        The coefficient of variation.
    corrected : bool, default=False
        Whether `cv` is free of the estimates' errors and of the prior's pull.
    label : str, default="Discrimination"
        Of the horizontal axis.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    bars_ : matplotlib BarContainer

    Examples
    --------
    >>> from skirt import TwoPLEstimator
    >>> from skirt.plotting import DiscriminationHistogramDisplay
    >>> bank = TwoPLEstimator.from_item_parameters(
    ...     discrimination=[0.5, 1.0, 1.5, 1.0], difficulty=[0, 0, 0, 0]
    ... )
    >>> round(DiscriminationHistogramDisplay.from_estimator(bank).cv, 3)
    0.354
    """

    def __init__(self, *, discrimination, cv, corrected=False, label="Discrimination"):
        self.discrimination = discrimination
        self.cv = cv
        self.corrected = corrected
        self.label = label

    @classmethod
    def from_estimator(cls, estimator, *, corrected=False, ax=None, **kwargs):
        """Draw the discriminations of a fitted estimator's items.

        Parameters
        ----------
        estimator : TwoPLEstimator, OnePLEstimator or MultidimIRT
            Fitted; or a fitted estimator that holds one. With several abilities the
            lengths of the items' discrimination vectors are drawn.
        corrected : bool, default=False
            Which coefficient of variation to tell, see
            :func:`skirt.metrics.discrimination_cv`.
        ax : matplotlib Axes, default=None
            None makes a new figure.
        **kwargs
            Passed to :meth:`plot`.

        Returns
        -------
        DiscriminationHistogramDisplay

        Raises
        ------
        ValueError
            If there is no such coefficient of variation.
        NotFittedError
            If the estimator is not fitted.
        """
        pyplot(f"{cls.__name__}.from_estimator")
        bank = fitted_bank(estimator, (ItemBank, MultidimBank))
        slopes, label = bank.discrimination_, "Discrimination"
        if slopes.ndim == 2:
            slopes = np.linalg.norm(slopes, axis=1)
            label = "Length of the discrimination vector"
        display = cls(
            discrimination=slopes,
            cv=discrimination_cv(bank, corrected=corrected),
            corrected=corrected,
            label=label,
        )
        return display.plot(ax, **kwargs)

    def plot(self, ax=None, *, n_bins=None, **kwargs):
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None makes a new figure.
        n_bins : int, default=None
            None takes a number that suits the number of items.
        **kwargs
            Passed to matplotlib's ``hist``.

        Returns
        -------
        self
        """
        slopes = numbers("discrimination", self.discrimination)
        if n_bins is None:
            n_bins = int(np.clip(2 * np.cbrt(slopes.size), 5, 50))
        check_count("n_bins", n_bins)
        self.ax_ = axes_for(self, ax, (6.0, 3.8))
        self.figure_ = self.ax_.figure
        style = {"color": COLOURS[6], "edgecolor": "white", "linewidth": 0.6}
        self.bars_ = self.ax_.hist(slopes, n_bins, **{**style, **kwargs})[2]
        mean, sd = slopes.mean(), slopes.std()
        self.ax_.axvline(mean, color=INK, linewidth=1.4, label=f"mean {mean:.2f}")
        self.ax_.axvspan(
            mean - sd,
            mean + sd,
            color=INK,
            alpha=0.1,
            linewidth=0,
            zorder=0,
            label=f"mean ± SD ({sd:.2f})",
        )
        kind = "corrected coefficient" if self.corrected else "coefficient"
        self.ax_.set(
            xlabel=self.label,
            ylabel="Number of items",
            title=f"{slopes.size:,} items: {kind} of variation {self.cv:.2f}",
        )
        if slopes.min() >= 0:
            self.ax_.set_xlim(left=0)
        open_frame(self.ax_)
        self.ax_.legend(frameon=False, fontsize=8)
        return self
