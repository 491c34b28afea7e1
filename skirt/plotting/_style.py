"""What all pictures share: colours, axes, and labels that do not overlap."""

import numpy as np

ABILITY_LABEL = "Ability (SD of the panel)"
INK, QUIET, FAINT = "#222222", "#6b6b6b", "#d9d9d9"

# Okabe & Ito (2008), without yellow, which is hardly seen on white. Neighbours differ
# in lightness, and in marker and line style, so that grey prints can be read too.
COLOURS = (
    "#0072B2",
    "#E69F00",
    "#000000",
    "#CC79A7",
    "#009E73",
    "#D55E00",
    "#56B4E9",
    "#7F7F7F",
)
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<")
LINES = (
    "-",
    (0, (5, 1.5)),
    (0, (1, 1.2)),
    (0, (6, 1.5, 1, 1.5)),
    (0, (9, 3)),
    (0, (3, 1, 1, 1, 1, 1)),
    (0, (2, 3)),
    (0, (12, 2, 2, 2)),
)
MOST_CURVES = len(COLOURS)

# The height of a line of text over its font size, and a little air.
_LINE = 1.4
_POINTS = 72.0


def curve_style(number):
    """Return colour, line style and marker of the curve with this number."""
    return {
        "color": COLOURS[number % len(COLOURS)],
        "linestyle": LINES[number % len(LINES)],
        "marker": MARKERS[number % len(MARKERS)],
    }


def pyplot(caller):
    """Import matplotlib for `caller`, or say how to get it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            f"{caller} draws with matplotlib, which is not installed: "
            "pip install 'skirt[plot]'."
        ) from error
    return plt


def axes_for(display, ax, size):
    """Return the axes to draw on: those given, or new ones of `size` inches."""
    plt = pyplot(f"{type(display).__name__}.plot")
    if ax is not None:
        return ax
    return plt.subplots(figsize=size, layout="constrained")[1]


def open_frame(*axes):
    """Remove the frame's upper and right lines, which say nothing."""
    for ax in axes:
        ax.spines[["top", "right"]].set_visible(False)


def shortened(name, most=36):
    """Return a name that is not too long; both its ends are kept."""
    name = str(name)
    if len(name) <= most:
        return name
    tail = (most - 1) // 2
    return f"{name[: most - 1 - tail]}…{name[-tail:]}"


def legend_text(name, most=36):
    """Return a name as matplotlib shows it literally in a legend."""
    text = shortened(name, most).replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text


def rows_height(n_rows, font_size):
    """Inches that `n_rows` labels of this size need under each other."""
    return n_rows * _LINE * font_size / _POINTS


def label_rows(ax, labels, font_size, *, most=36):
    """Label rows 0, 1, ... of the vertical axis, as many as the axes have room for.

    Returns every how many rows there is a label.
    """
    lay_out(ax)
    room = ax.get_window_extent().height / ax.figure.dpi
    step = max(1, int(np.ceil(rows_height(len(labels), font_size) / room)))
    rows = np.arange(0, len(labels), step)
    ax.set_yticks(
        rows,
        [shortened(labels[row], most) for row in rows],
        fontsize=font_size,
        parse_math=False,
    )
    return step


def lay_out(ax):
    """Give the axes the size that they will be drawn in, as far as known by now."""
    figure = ax.figure.figure  # of a subfigure the one that it is part of
    engine = figure.get_layout_engine()
    if engine is not None:
        engine.execute(figure)


def width_in_points(ax):
    """Return the width of the axes, to be compared with font sizes."""
    lay_out(ax)
    return ax.get_window_extent().width / ax.figure.dpi * _POINTS


def signed(number):
    """Return a number as matplotlib writes it along an axis."""
    return f"{number:.3g}".replace("-", "−")


def apart(positions, gap):
    """Return which of the ascending positions to label, each `gap` from the one before.

    The last is always labelled.
    """
    keep = np.zeros(len(positions), dtype=bool)
    last = np.inf
    for i in range(len(positions) - 1, -1, -1):
        if last - positions[i] >= gap:
            keep[i] = True
            last = positions[i]
    return keep


def ability_grid(abilities, ability_range=None, n_points=201):
    """Return equally spaced abilities over the panel, or over a range that is given."""
    if ability_range is None:
        finite = np.asarray(abilities, dtype=np.float64)
        finite = finite[np.isfinite(finite)]
        low = min(-3.0, finite.min() - 0.3) if finite.size else -3.0
        high = max(3.0, finite.max() + 0.3) if finite.size else 3.0
    else:
        low, high = np.asarray(ability_range, dtype=np.float64)
        if not (np.isfinite([low, high]).all() and low < high):
            raise ValueError(
                f"ability_range is {ability_range!r}: give two finite numbers, the "
                "lower one first."
            )
    return np.linspace(low, high, n_points)


def rug(ax, abilities, *, upright=False):
    """Mark abilities along the upper edge, or `upright` along the left one.

    Returns the marks, None if there are none.
    """
    finite = abilities[np.isfinite(abilities)]
    if not finite.size:
        return None
    edge = np.full(finite.size, 0.012 if upright else 0.985)
    marks, transform = (finite, edge), ax.get_xaxis_transform()
    if upright:
        marks, transform = (edge, finite), ax.get_yaxis_transform()
    return ax.plot(
        *marks,
        "_" if upright else "|",
        color=INK,
        alpha=float(np.clip(40 / finite.size, 0.15, 0.8)),
        markersize=7,
        transform=transform,
        label="models",
    )[0]
