"""Models in order of ability, with their errors and raw scores."""

import numpy as np

from skirt._responses import model_names
from skirt.plotting._inputs import fitted_bank, normal_quantile, numbers
from skirt.plotting._style import (
    ABILITY_LABEL,
    COLOURS,
    FAINT,
    QUIET,
    label_rows,
    open_frame,
    pyplot,
    rows_height,
)

_MARGIN = 0.9  # inches for title and axis
_TALLEST = 24.0
_LONGEST = 48  # letters of a name
_NEAR_CEILING = 0.9  # raw scores beyond it are drawn with the ceiling, 1
# Up to so many models the labels are of the first size, beyond of the second.
_FEW, _LARGE, _SMALL = 40, 8.0, 6.0


class AbilityForestDisplay:
    """Forest plot: models by ability, with intervals, and their raw scores beside.

    Near the ceiling raw scores lie close together; the abilities show whether the
    models there can be told apart. Made by :meth:`from_estimator`.

    Parameters
    ----------
    ability, standard_error : array-like of shape (n_models,)
        Abilities may be infinite or NaN: such models keep their row.
    model_names : sequence of str of shape (n_models,)
    score : array-like of shape (n_models,), default=None
        Raw scores, 0 to 1, of any kind.
    score_label : str, default="Raw score"
    confidence : float, default=0.95
        Of the intervals, normal: ability +- quantile * standard error.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Of the abilities.
    score_ax_ : matplotlib Axes or None
        Of the raw scores.
    figure_ : matplotlib Figure
    order_ : ndarray of int of shape (n_models,)
        The models from the top row, the ablest, down.

    Examples
    --------
    >>> from skirt import TwoPLEstimator
    >>> from skirt.datasets import make_responses
    >>> from skirt.plotting import AbilityForestDisplay
    >>> X = make_responses(40, 300, mean_score=0.9, random_state=0, as_frame=True).data
    >>> model = TwoPLEstimator().fit(X)
    >>> display = AbilityForestDisplay.from_estimator(model, X)
    >>> bool(display.score[display.order_[0]] > 0.95)
    True
    """

    def __init__(
        self,
        *,
        ability,
        standard_error,
        model_names,
        score=None,
        score_label="Raw score",
        confidence=0.95,
    ):
        self.ability = ability
        self.standard_error = standard_error
        self.model_names = model_names
        self.score = score
        self.score_label = score_label
        self.confidence = confidence

    @classmethod
    def from_estimator(
        cls, estimator, X=None, *, return_std=True, confidence=0.95, ax=None, **kwargs
    ):
        """Draw the abilities of a fitted estimator's models.

        Parameters
        ----------
        estimator : TwoPLEstimator or OnePLEstimator
            Fitted; or a fitted estimator that holds one.
        X : array-like or DataFrame of shape (n_models, n_items), default=None
            Responses of the models to show, and of their raw scores: the share of
            their own answers that are 1. None shows the panel, without raw scores.
        return_std : True or "total", default=True
            Standard errors given the items; "total" adds what the panel leaves
            unknown of them, and takes the models of `X` for new ones.
        confidence : float, default=0.95
            Of the intervals.
        ax : matplotlib Axes, default=None
            None makes a new figure, high enough for all names up to some 200.
        **kwargs
            Passed to :meth:`plot`.

        Returns
        -------
        AbilityForestDisplay

        Raises
        ------
        ValueError
            If the estimator was made from known parameters and there is no `X`.
        NotFittedError
            If the estimator is not fitted.
        """
        pyplot(f"{cls.__name__}.from_estimator")
        bank = fitted_bank(estimator)
        if return_std is not True and return_std != "total":
            raise ValueError(f"return_std is {return_std!r}: give True or 'total'.")
        if X is None:
            ability, error, names = _of_panel(bank, return_std)
            score = None
        else:
            ability, error = bank.predict(X, return_std=return_std)
            responses = bank._checked(X)
            names = model_names(X, len(responses))
            answered = (~np.isnan(responses)).sum(axis=1)
            score = np.where(
                answered > 0,
                np.nansum(responses, axis=1) / np.maximum(answered, 1),
                np.nan,
            )
        display = cls(
            ability=ability,
            standard_error=error,
            model_names=[str(name) for name in names],
            score=score,
            confidence=confidence,
        )
        return display.plot(ax, **kwargs)

    def plot(self, ax=None, **kwargs):
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None makes a new figure. Of axes that are given a part on the right is
            taken for the raw scores, and only as many names are shown as have room.
        **kwargs
            Passed to matplotlib's ``errorbar``.

        Returns
        -------
        self
        """
        ability = numbers("ability", self.ability)
        error = numbers("standard_error", self.standard_error, ability.shape)
        reach = normal_quantile(self.confidence) * error
        self.order_ = np.argsort(-np.nan_to_num(ability, nan=-np.inf), kind="stable")
        font = _LARGE if ability.size <= _FEW else _SMALL
        self._make_axes(ax, ability.size, font)
        self.figure_ = self.ax_.figure
        axes = [self.ax_] + ([] if self.score_ax_ is None else [self.score_ax_])
        rows = np.arange(ability.size)
        names = [self.model_names[i] for i in self.order_]
        self.ax_.set_ylim(ability.size - 0.4, -0.6)
        self._draw_abilities(ability[self.order_], reach[self.order_], rows, kwargs)
        if self.score_ax_ is not None:
            self._draw_scores(rows)
        open_frame(*axes)
        step = label_rows(self.ax_, names, font, most=_LONGEST)
        for axis in axes:
            # Guides lead from a name to its marks.
            axis.hlines(
                rows[::step],
                0,
                1,
                color=FAINT,
                lw=0.5,
                zorder=0,
                transform=axis.get_yaxis_transform(),
            )
        return self

    def _make_axes(self, ax, n_models, font):
        plt = pyplot(f"{type(self).__name__}.plot")
        self.score_ax_ = None
        if ax is None:
            height = np.clip(_MARGIN + rows_height(n_models, font), 2.6, _TALLEST)
            n_columns = 1 if self.score is None else 2
            longest = max((len(name) for name in self.model_names), default=0)
            names = 0.6 * font * min(longest, _LONGEST) / 72
            _, axes = plt.subplots(
                1,
                n_columns,
                figsize=(names + (3.4 if n_columns == 1 else 5.2), float(height)),
                sharey=True,
                squeeze=False,
                layout="constrained",
                width_ratios=[3, 1.3][:n_columns],
            )
            self.ax_ = axes[0, 0]
            if n_columns == 2:
                self.score_ax_ = axes[0, 1]
        else:
            self.ax_ = ax
            if self.score is not None:
                self.score_ax_ = _beside(ax)
        if self.score_ax_ is not None:
            self.score_ax_.tick_params(axis="y", labelleft=False, left=False)

    def _draw_abilities(self, ability, reach, rows, kwargs):
        finite = np.isfinite(ability) & np.isfinite(reach)
        size = 4.5 if ability.size <= _FEW else 3
        style = {
            "fmt": "o",
            "color": COLOURS[0],
            "markersize": size,
            "elinewidth": 0.9,
            **kwargs,
        }
        self.ax_.errorbar(ability[finite], rows[finite], xerr=reach[finite], **style)
        for sign, marker, edge in ((-1, "<", 0.0), (1, ">", 1.0)):
            beyond = np.isinf(ability) & (np.sign(ability) == sign)
            if not beyond.any():
                continue  # an empty line would upset the layout
            self.ax_.plot(
                np.full(beyond.sum(), edge),
                rows[beyond],
                marker,
                color=COLOURS[5],
                clip_on=False,
                transform=self.ax_.get_yaxis_transform(),
                label="_infinite",
            )
        self.ax_.set_xlabel(ABILITY_LABEL)
        title = f"Ability with {100 * self.confidence:.4g} % intervals"
        self.ax_.set_title(title, fontsize=10)

    def _draw_scores(self, rows):
        assert self.score_ax_ is not None
        score = numbers("score", self.score, (len(rows),))[self.order_]
        self.score_ax_.plot(
            score,
            rows,
            "D",
            color=COLOURS[1],
            markeredgecolor=QUIET,
            markeredgewidth=0.4,
            markersize=4 if len(rows) <= _FEW else 3,
        )
        if np.nanmax(score, initial=0) > _NEAR_CEILING:
            self.score_ax_.set_xlim(right=1.01)
        self.score_ax_.set_xlabel("Share right")
        self.score_ax_.set_title(self.score_label, fontsize=10)


def _beside(ax):
    """Make axes on the right of axes that are given, within their place."""
    if ax.figure.figure.get_layout_engine() is not None:
        # The layout makes room for what belongs to the axes.
        return ax.inset_axes([1.03, 0, 0.4, 1], sharey=ax)
    from mpl_toolkits.axes_grid1 import make_axes_locatable

    divider = make_axes_locatable(ax)
    return divider.append_axes("right", size="40%", pad=0.12, sharey=ax)


def _of_panel(bank, return_std):
    if not hasattr(bank, "ability_"):
        raise ValueError(
            "This bank was made from known parameters and has seen no models: pass "
            "their responses, X."
        )
    if return_std is True:
        return bank.ability_, bank.ability_se_, bank.model_names_
    if not hasattr(bank, "ability_se_total_"):
        raise ValueError(
            "This bank was made from known item parameters, so nothing is known of "
            "their errors: use return_std=True."
        )
    return bank.ability_, bank.ability_se_total_, bank.model_names_
