"""A drawing of benchmarks by abilities, as SVG."""

from html import escape

import numpy as np

_ROW, _CELL, _LABEL, _TOP, _BAR = 26, 110, 260, 44, 160
_LONGEST = 34
# Colours of -1, 0 and 1, and of the abilities' shares.
_SCALE = np.array([[178, 88, 6], [250, 250, 250], [33, 80, 150]], dtype=float)
_SHARES = ["#21508f", "#e08214", "#4d9221", "#8073ac", "#c51b7d", "#666666"]


def heat_map(rows, columns, values, shares, framed, slanted):
    """Draw correlations as a heat map with bars of shares beside it.

    Parameters
    ----------
    rows, columns : list of str
    values, shares : ndarray of shape (n_rows, n_columns)
        From -1 to 1, and from 0 to 1; NaN is drawn empty.
    framed : list of int or None
        The column to frame in each row.
    slanted : ndarray of bool of shape (n_rows,)
        The rows whose names are in italics.

    Returns
    -------
    str
    """
    left = _LABEL + _CELL * len(columns) + 20
    width, height = left + _BAR + 10, _TOP + _ROW * len(rows) + 10
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width}" '
        f'height="{height}" viewBox="0 0 {width} {height}" font-size="13" '
        'font-family="system-ui, sans-serif">',
        "<title>Correlation of each benchmark with each ability</title>",
    ]
    for k, name in enumerate(columns):
        x = _LABEL + _CELL * (k + 0.5)
        parts.append(_text(x, _TOP - 16, name, 16, anchor="middle", weight="600"))
        parts.append(
            f'<rect x="{x - 20}" y="{_TOP - 10}" width="40" height="5" '
            f'fill="{_SHARES[k % len(_SHARES)]}"/>'
        )
    parts.append(_text(left, _TOP - 16, "share of information", 30, weight="600"))
    for b, name in enumerate(rows):
        y = _TOP + _ROW * b
        style = ' font-style="italic"' if slanted[b] else ""
        parts.append(
            _text(_LABEL - 10, y + 17, name, _LONGEST, anchor="end", extra=style)
        )
        for k in range(len(columns)):
            parts.append(_square(_LABEL + _CELL * k, y, values[b, k]))
        if framed[b] is not None:
            parts.append(
                f'<rect x="{_LABEL + _CELL * framed[b] + 2}" y="{y + 2}" '
                f'width="{_CELL - 4}" height="{_ROW - 4}" fill="none" stroke="#111" '
                'stroke-width="2"/>'
            )
        parts += _bar(left, y, shares[b])
    parts.append("</svg>")
    return "\n".join(parts)


def _square(x, y, value):
    if np.isnan(value):
        colour, ink, shown = "#dddddd", "#222", "–"
    else:
        place = np.clip(value, -1, 1) + 1
        below = min(int(place), 1)
        rgb = _SCALE[below] + (place - below) * (_SCALE[below + 1] - _SCALE[below])
        colour = "#" + "".join(f"{round(c):02x}" for c in rgb)
        ink = "#fff" if rgb @ [0.3, 0.59, 0.11] < 140 else "#222"
        shown = f"{value:.2f}"
    return (
        f'<rect x="{x}" y="{y}" width="{_CELL - 2}" height="{_ROW - 2}" '
        f'fill="{colour}"/><text x="{x + _CELL / 2 - 1}" y="{y + 17}" fill="{ink}" '
        f'text-anchor="middle">{shown}</text>'
    )


def _bar(x, y, share):
    out, start = [], float(x)
    for k, part in enumerate(np.nan_to_num(share)):
        length = _BAR * part
        out.append(
            f'<rect x="{start:.1f}" y="{y + 5}" width="{length:.1f}" '
            f'height="{_ROW - 12}" fill="{_SHARES[k % len(_SHARES)]}"/>'
        )
        start += length
    return out


def _text(x, y, text, longest, *, anchor="start", weight="400", extra=""):
    text = str(text)
    short = text if len(text) <= longest else text[: longest - 1] + "…"
    return (
        f'<text x="{x}" y="{y}" text-anchor="{anchor}" font-weight="{weight}"{extra}>'
        f"{escape(short)}<title>{escape(text)}</title></text>"
    )
