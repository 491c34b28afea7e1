"""An adaptive test, step by step."""

import numpy as np
import pandas as pd

from skirt.adaptive import FluidBenchmark
from skirt.plotting._inputs import fitted_bank, near, normal_quantile
from skirt.plotting._style import (
    COLOURS,
    INK,
    QUIET,
    axes_for,
    legend_text,
    open_frame,
    pyplot,
)

_COLUMNS = ("step", "item", "response", "ability", "standard_error")
_CROWDED = 60  # steps beyond which markers shrink


class AdaptiveTraceDisplay:
    """The ability and its interval after each answer, with the items that were asked.

    Made by :meth:`from_trace` or :meth:`from_estimator`.

    Parameters
    ----------
    trace : DataFrame
        One row for each step of one model: ``step``, ``item``, ``response`` (NaN:
        could not be scored), ``ability`` and ``standard_error`` after it.
    difficulty : array-like of shape (n_steps,), default=None
        Of the items asked. None shows the answers alone, along the lower edge.
    model : str, default=None
        The model's name.
    confidence : float, default=0.95
        Of the band, normal: ability +- quantile * standard error.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    line_ : matplotlib Line2D
    band_ : matplotlib PolyCollection

    Examples
    --------
    >>> from skirt.adaptive import FluidBenchmark
    >>> from skirt.datasets import make_responses
    >>> from skirt.plotting import AdaptiveTraceDisplay
    >>> X = make_responses(60, 200, random_state=0).data
    >>> bench = FluidBenchmark(n_items=10).fit(X[:50])
    >>> trace = bench.replay(X[50:])
    >>> display = AdaptiveTraceDisplay.from_trace(trace, bench, model="model3")
    >>> len(display.difficulty)
    10
    """

    def __init__(self, *, trace, difficulty=None, model=None, confidence=0.95):
        self.trace = trace
        self.difficulty = difficulty
        self.model = model
        self.confidence = confidence

    @classmethod
    def from_trace(
        cls,
        trace,
        estimator=None,
        *,
        model=None,
        confidence=0.95,
        ax=None,
        **kwargs,
    ):
        """Draw a test that was replayed or held.

        Parameters
        ----------
        trace : DataFrame
            What :meth:`FluidBenchmark.replay` returns, or
            :attr:`AdaptiveSession.history`.
        estimator : FluidBenchmark or fitted bank, default=None
            Where the items' difficulties are looked up, by name.
        model : str, default=None
            Which model of the trace; it may be left out if there is one only.
        confidence : float, default=0.95
            Of the band.
        ax : matplotlib Axes, default=None
            None makes a new figure.
        **kwargs
            Passed to :meth:`plot`.

        Returns
        -------
        AdaptiveTraceDisplay

        Raises
        ------
        ValueError
            If the trace lacks a column, has no such model or no step, or if the
            estimator does not know an item.
        """
        pyplot(f"{cls.__name__}.from_trace")
        own, model = _one_model(trace, model)
        difficulty = None
        if estimator is not None:
            bank = fitted_bank(estimator)
            # A bench calls items by its own names where its bank has none.
            names = getattr(estimator, "item_names_", bank.item_names_)
            place = {str(name): j for j, name in enumerate(names)}
            unknown = [name for name in own["item"] if str(name) not in place]
            if unknown:
                raise ValueError(
                    f"The estimator has no item {unknown[0]!r} ({len(unknown)} unknown "
                    f"of {len(own)}).{near(unknown[0], place)}"
                )
            asked = [place[str(name)] for name in own["item"]]
            difficulty = bank.difficulty_[asked]
        display = cls(
            trace=own, difficulty=difficulty, model=model, confidence=confidence
        )
        return display.plot(ax, **kwargs)

    @classmethod
    def from_estimator(
        cls, estimator, X, *, model=None, confidence=0.95, ax=None, **kwargs
    ):
        """Replay the test of a model, and draw it.

        Parameters
        ----------
        estimator : FluidBenchmark
            Fitted.
        X : array-like or DataFrame of shape (n_models, n_items)
            Responses to all items.
        model : str, default=None
            Which model of `X`: its name, "model0", "model1", ... without names; it may
            be left out if there is one only.
        confidence : float, default=0.95
            Of the band.
        ax : matplotlib Axes, default=None
            None makes a new figure.
        **kwargs
            Passed to :meth:`plot`.

        Returns
        -------
        AdaptiveTraceDisplay
        """
        if not isinstance(estimator, FluidBenchmark):
            raise TypeError(
                f"Adaptive tests are a FluidBenchmark's; got {estimator!r}."
            )
        return cls.from_trace(
            estimator.replay(X),
            estimator,
            model=model,
            confidence=confidence,
            ax=ax,
            **kwargs,
        )

    def plot(self, ax=None, **kwargs):
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None makes a new figure.
        **kwargs
            Passed to matplotlib's ``plot`` for the ability.

        Returns
        -------
        self
        """
        self.ax_ = axes_for(self, ax, (7.0, 4.4))
        self.figure_ = self.ax_.figure
        step = self.trace["step"].to_numpy()
        ability = self.trace["ability"].to_numpy(dtype=np.float64)
        error = self.trace["standard_error"].to_numpy(np.float64, copy=True)
        # No band where the error is infinite, as by maximum likelihood at first.
        error[~np.isfinite(error)] = np.nan
        reach = normal_quantile(self.confidence) * error
        self.band_ = self.ax_.fill_between(
            step,
            ability - reach,
            ability + reach,
            color=COLOURS[6],
            alpha=0.35,
            linewidth=0,
            label=f"{100 * self.confidence:.4g} % interval",
        )
        style = {"color": COLOURS[0], "linewidth": 1.8, "label": "ability"}
        (self.line_,) = self.ax_.plot(step, ability, **{**style, **kwargs})
        self._draw_answers(step)
        whose = "" if self.model is None else f" of {legend_text(self.model)}"
        self.ax_.set(
            xlabel="Number of answers",
            ylabel="Ability (SD of the panel)"
            if self.difficulty is None
            else "Ability and difficulty (SD of the panel)",
            title=f"Adaptive test{whose}",
        )
        self.ax_.xaxis.get_major_locator().set_params(integer=True)
        open_frame(self.ax_)
        self.ax_.legend(
            frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1.01, 1)
        )
        return self

    def _draw_answers(self, step):
        response = self.trace["response"].to_numpy(dtype=np.float64)
        size = 5.5 if len(step) <= _CROWDED else 3.5
        if self.difficulty is None:
            height, where = np.full(len(step), 0.03), self.ax_.get_xaxis_transform()
            what = "answer"
        else:
            height = np.asarray(self.difficulty, dtype=np.float64)
            where, what = self.ax_.transData, "item, answer"
        for told, which, marker, face in (
            ("1", response == 1, "^", COLOURS[2]),
            ("0", response == 0, "v", "white"),
            ("not scored", np.isnan(response), "x", INK),
        ):
            if which.any():
                self.ax_.plot(
                    step[which],
                    height[which],
                    marker,
                    color=QUIET if told == "not scored" else INK,
                    markerfacecolor=face,
                    markersize=size,
                    markeredgewidth=0.8,
                    transform=where,
                    label=f"{what} {told}",
                )


def _one_model(trace, model):
    """Return the steps of one model, and its name."""
    if not isinstance(trace, pd.DataFrame):
        raise TypeError(
            "A trace is the table that FluidBenchmark.replay or "
            f"AdaptiveSession.history gives; got {type(trace).__name__}."
        )
    lacking = [name for name in _COLUMNS if name not in trace.columns]
    if lacking:
        raise ValueError(
            f"The trace has no column {lacking[0]!r}: pass the table that "
            "FluidBenchmark.replay or AdaptiveSession.history gives."
        )
    if "model" in trace.columns:
        models = list(dict.fromkeys(trace["model"].astype(str)))
        if model is None and len(models) > 1:
            raise ValueError(
                f"The trace holds {len(models)} models: name one, such as "
                f"model={models[0]!r}."
            )
        if model is None and models:
            model = models[0]
        if model is not None and str(model) not in models:
            raise ValueError(f"The trace has no model {model!r}.{near(model, models)}")
        trace = trace[trace["model"].astype(str) == str(model)]
    if not len(trace):
        raise ValueError("The trace has no step: nothing was asked yet.")
    return trace.sort_values("step", kind="stable").reset_index(drop=True), model
