"""Which abilities each benchmark goes with."""

import textwrap

import numpy as np
import pandas as pd

from skirt.plotting._inputs import near
from skirt.plotting._style import (
    FAINT,
    INK,
    axes_for,
    label_rows,
    pyplot,
    rows_height,
    shortened,
)

_KINDS = {
    "correlation": ("Correlation, estimated without the benchmark", "PuOr_r", -1),
    "circular_correlation": (
        "Correlation, the benchmark's own items included",
        "PuOr_r",
        -1,
    ),
    "information_share": ("Share of the items' information", "Blues", 0),
}
_FONT, _SMALL = 9.0, 7.0
_MARGIN = 1.2
_TALLEST = 24.0


class BenchmarkHeatmapDisplay:
    """Heat map of benchmarks by abilities, from an audit.

    Made by :meth:`from_audit`.

    Parameters
    ----------
    values : DataFrame of shape (n_benchmarks, n_abilities)
        NaN is drawn as an empty square with a dash.
    framed : sequence of str or None, default=None
        The ability that each benchmark follows, if any; its square is framed.
    kind : {"correlation", "circular_correlation", "information_share"}, \
default="correlation"
        What the values are.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    image_ : matplotlib AxesImage
    colorbar_ : matplotlib Colorbar

    See Also
    --------
    skirt.audit.benchmark_audit : Finds what is drawn here.

    Examples
    --------
    >>> import pandas as pd
    >>> from skirt.plotting import BenchmarkHeatmapDisplay
    >>> values = pd.DataFrame(
    ...     {"ability0": [0.8, 0.2], "ability1": [0.1, 0.7]}, index=["maths", "safety"]
    ... )
    >>> display = BenchmarkHeatmapDisplay(values=values).plot()
    >>> [text.get_text() for text in display.ax_.texts]
    ['0.80', '0.10', '0.20', '0.70']
    """

    def __init__(self, *, values, framed=None, kind="correlation"):
        self.values = values
        self.framed = framed
        self.kind = kind

    @classmethod
    def from_audit(cls, audit, *, kind="correlation", ax=None, **kwargs):
        """Draw what :func:`~skirt.audit.benchmark_audit` found.

        Parameters
        ----------
        audit : BenchmarkAudit
        kind : {"correlation", "circular_correlation", "information_share"}, \
default="correlation"
            Correlations of each benchmark's score with the abilities estimated
            without it; with those from all items, its own included, which is
            descriptive only; or how its items' information is shared out.
        ax : matplotlib Axes, default=None
            None makes a new figure.
        **kwargs
            Passed to :meth:`plot`.

        Returns
        -------
        BenchmarkHeatmapDisplay
            Framed is the ability that the benchmark follows.

        Raises
        ------
        ValueError
            If there is no such kind.
        """
        pyplot(f"{cls.__name__}.from_audit")
        _check_kind(kind)
        names = list(audit.dimensions.index)
        values = audit.benchmarks[[f"{kind}_{name}" for name in names]]
        display = cls(
            values=values.set_axis(names, axis=1),
            framed=[None if pd.isna(f) else f for f in audit.benchmarks["follows"]],
            kind=kind,
        )
        return display.plot(ax, **kwargs)

    def plot(self, ax=None, **kwargs):
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None makes a new figure, high enough for all names up to some 140.
        **kwargs
            Passed to matplotlib's ``imshow``.

        Returns
        -------
        self
        """
        _check_kind(self.kind)
        label, colours, lowest = _KINDS[self.kind]
        shown = self.values.to_numpy(dtype=np.float64)
        n_rows, n_columns = shown.shape
        font = _FONT if n_rows <= 40 else _SMALL
        height = np.clip(_MARGIN + 1.2 * rows_height(n_rows, font), 2.4, _TALLEST)
        self.ax_ = axes_for(self, ax, (3.6 + 0.85 * n_columns, float(height)))
        self.figure_ = self.ax_.figure
        style = {"cmap": colours, "vmin": lowest, "vmax": 1, "aspect": "auto"}
        self.image_ = self.ax_.imshow(shown, **{**style, **kwargs})
        self.ax_.set_facecolor(FAINT)
        self.ax_.set_xticks(
            np.arange(n_columns),
            [shortened(name, 14) for name in self.values.columns],
            parse_math=False,
            fontsize=_FONT,
            rotation=0 if n_columns <= 6 else 90,
        )
        self.ax_.tick_params(length=0)
        self.ax_.xaxis.tick_top()
        self.ax_.set_title("Benchmarks and abilities", fontsize=10)
        self.ax_.spines[:].set_visible(False)
        self._frame()
        self.colorbar_ = self.figure_.colorbar(
            self.image_,
            ax=self.ax_,
            shrink=min(1.0, 4.0 / self.figure_.get_figheight()),
            anchor=(0, 1),
        )
        self.colorbar_.set_label(textwrap.fill(label, 30), fontsize=8)
        self.colorbar_.ax.tick_params(labelsize=8)
        self.colorbar_.outline.set_visible(False)
        if label_rows(self.ax_, list(self.values.index), font) == 1:
            self._write(shown, font)
        return self

    def _write(self, shown, font):
        colour = self.image_.to_rgba(shown)[..., :3]
        light = colour @ [0.3, 0.59, 0.11] > 0.5
        for (row, column), value in np.ndenumerate(shown):
            known = np.isfinite(value)
            self.ax_.text(
                column,
                row,
                f"{value:z.2f}".replace("-", "−") if known else "–",
                ha="center",
                va="center",
                fontsize=font,
                color=INK if light[row, column] or not known else "white",
            )

    def _frame(self):
        from matplotlib.patches import Rectangle
        from matplotlib.patheffects import withStroke

        halo = [withStroke(linewidth=4, foreground="white")]
        names = list(self.values.columns)
        for row, name in enumerate(self.framed or ()):
            if name is None:
                continue
            if name not in names:
                raise ValueError(f"There is no ability {name!r}.{near(name, names)}")
            self.ax_.add_patch(
                Rectangle(
                    (names.index(name) - 0.46, row - 0.42),
                    0.92,
                    0.84,
                    fill=False,
                    edgecolor=INK,
                    linewidth=1.6,
                    path_effects=halo,
                )
            )
            told = "framed: the ability that the benchmark follows"
            self.ax_.set_xlabel(told, fontsize=8)


def _check_kind(kind):
    if kind not in _KINDS:
        raise ValueError(f"kind is {kind!r}: give one of {', '.join(_KINDS)}.")
