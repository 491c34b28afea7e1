"""Models and items on one scale."""

import numpy as np

from skirt._response_data import ResponseData
from skirt.plotting._inputs import check_count, fitted_bank, numbers
from skirt.plotting._style import COLOURS, INK, axes_for, pyplot, rug, signed

# Items further out than this from 0 or from the models go into the edges' bars.
_REACH = 4.0


class WrightMapDisplay:
    """Person-item map: models' abilities against items' difficulties, on one scale.

    An item stands where a model of that ability answers 1 half of the time. Where
    there are models but no items, the benchmark hardly tells them apart. Made by
    :meth:`from_estimator`.

    Parameters
    ----------
    ability : array-like of shape (n_models,)
    difficulty : array-like of shape (n_items,)
    n_bins : int, default=24
        Bins of the scale that is shown.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    edges_ : ndarray of shape (n_bins + 1,)
        Of the bins. What is beyond them is counted in the first and the last bin.
    n_easier_, n_harder_ : int
        How many items are beyond the edges.

    Examples
    --------
    >>> from skirt import TwoPLEstimator
    >>> from skirt.datasets import make_responses
    >>> from skirt.plotting import WrightMapDisplay
    >>> X = make_responses(60, 200, random_state=0).data
    >>> display = WrightMapDisplay.from_estimator(TwoPLEstimator().fit(X))
    >>> display.ax_.get_ylabel()
    'Ability and difficulty (SD of the panel)'
    """

    def __init__(self, *, ability, difficulty, n_bins=24):
        self.ability = ability
        self.difficulty = difficulty
        self.n_bins = n_bins

    @classmethod
    def from_estimator(cls, estimator, X=None, *, n_bins=24, ax=None, **kwargs):
        """Draw the models and items of a fitted estimator.

        Parameters
        ----------
        estimator : TwoPLEstimator or OnePLEstimator
            Fitted; or a fitted estimator that holds one.
        X : array-like or DataFrame of shape (n_models, n_items), default=None
            Responses of the models to show; None shows those of the panel.
        n_bins : int, default=24
            Bins of the scale that is shown.
        ax : matplotlib Axes, default=None
            None makes a new figure.
        **kwargs
            Passed to :meth:`plot`.

        Returns
        -------
        WrightMapDisplay

        Raises
        ------
        ValueError
            If the estimator was made from known parameters and there is no `X`.
        NotFittedError
            If the estimator is not fitted.
        """
        pyplot(f"{cls.__name__}.from_estimator")
        bank = fitted_bank(estimator)
        check_count("n_bins", n_bins, least=2)
        if X is not None:
            data = ResponseData.from_matrix(bank._checked(X))
            ability = bank._estimate(data)[0]
        elif hasattr(bank, "ability_"):
            ability = bank.ability_
        else:
            raise ValueError(
                "This bank was made from known parameters and has seen no models: "
                "pass their responses, X."
            )
        display = cls(ability=ability, difficulty=bank.difficulty_, n_bins=n_bins)
        return display.plot(ax, **kwargs)

    def plot(self, ax=None, **kwargs):
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None makes a new figure.
        **kwargs
            Passed to matplotlib's ``barh`` for both histograms.

        Returns
        -------
        self
        """
        ability = numbers("ability", self.ability)
        difficulty = numbers("difficulty", self.difficulty)
        self.ax_ = axes_for(self, ax, (6.4, 5.6))
        self.figure_ = self.ax_.figure
        self.edges_ = _edges(ability, self.n_bins)
        low, high = self.edges_[[0, -1]]
        self.n_easier_ = int((difficulty < low).sum())
        self.n_harder_ = int((difficulty > high).sum())
        style = {"edgecolor": "white", "linewidth": 0.6, **kwargs}
        models = self._bars(ability, -1, {"color": COLOURS[0], **style})
        items = self._bars(difficulty, 1, {"color": COLOURS[1], **style})
        self._finish(ability, difficulty, models, items)
        return self

    def _bars(self, values, side, style):
        inside = np.clip(values[~np.isnan(values)], *self.edges_[[0, -1]])
        share = np.histogram(inside, self.edges_)[0] / max(values.size, 1)
        middle = (self.edges_[:-1] + self.edges_[1:]) / 2
        return self.ax_.barh(middle, side * share, np.diff(self.edges_), **style)

    def _finish(self, ability, difficulty, models, items):
        from matplotlib.ticker import FuncFormatter, MaxNLocator

        ax = self.ax_
        longest = max(abs(bar.get_width()) for bar in (*models, *items))
        ax.set_xlim(-1.08 * longest, 1.08 * longest)
        ax.axvline(0, color=INK, linewidth=0.8)
        rug(ax, ability, upright=True)
        ax.set_ylim(*self.edges_[[0, -1]])
        ax.xaxis.set_major_locator(MaxNLocator(7, symmetric=True))
        ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{abs(x):.0%}"))
        ax.set(
            ylabel="Ability and difficulty (SD of the panel)",
            title="Models and items on one scale",
        )
        ax.spines[["top", "right"]].set_visible(False)
        # One axis, two kinds of things: each half has its own label.
        for place, told in (
            (0.25, f"Share of {_counted(ability, 'models')}"),
            (0.75, f"Share of {_counted(difficulty, 'items')}"),
        ):
            ax.annotate(
                told,
                (place, 0),
                xytext=(0, -26),
                xycoords="axes fraction",
                textcoords="offset points",
                ha="center",
                va="top",
            )
        low, high = self.edges_[[0, -1]]
        self._tell_beyond(items[-1], self.n_harder_, f"above {signed(high)}")
        self._tell_beyond(items[0], self.n_easier_, f"below {signed(low)}")

    def _tell_beyond(self, bar, count, where):
        """Say beside an edge's bar how many of its items are really further out."""
        if not count:
            return
        bar.set_hatch("////")
        self.ax_.annotate(
            f"{count:,} hatched:\n{where}",
            (1, bar.get_y() + bar.get_height() / 2),
            xytext=(4, 0),
            xycoords=("axes fraction", "data"),
            textcoords="offset points",
            ha="left",
            va="center",
            fontsize=8,
            color=INK,
            annotation_clip=False,
        )


def _counted(values, things):
    unknown = int(np.isnan(values).sum())
    told = f" ({unknown:,} unknown)" if unknown else ""
    return f"{values.size:,} {things}{told}"


def _edges(ability, n_bins):
    finite = ability[np.isfinite(ability)]
    low = min(-_REACH, finite.min()) if finite.size else -_REACH
    high = max(_REACH, finite.max()) if finite.size else _REACH
    return np.linspace(low, high, n_bins + 1)
