"""Pictures as SVG inside a page."""

import io
import re
from typing import Any

_RC: Any = {
    # Real text: small, searchable, and read out by screen readers.
    "svg.fonttype": "none",
    "svg.hashsalt": "skirt",
    "figure.dpi": 100,
}


def need_matplotlib(command):
    """Refuse, before any work, where pictures cannot be drawn."""
    from skirt.plotting._style import pyplot

    pyplot(command)


def svg_of(draw, number, description):
    """Return a picture as the text of an <svg> element.

    Parameters
    ----------
    draw : callable
        Returns a display of `skirt.plotting`.
    number : int
        Different for each picture of a page: it keeps their ids apart.
    description : str
        What the picture shows, for those who do not see it.
    """
    import matplotlib.pyplot as plt

    from skirt._command._page import escape

    with plt.rc_context(_RC):
        figure = draw().figure_
        text = io.StringIO()
        figure.savefig(text, format="svg", bbox_inches="tight", metadata={"Date": None})
        plt.close(figure)
    svg = text.getvalue()
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>\s*", "", svg, flags=re.DOTALL)
    # Names of outside vocabularies have no use within HTML.
    svg = re.sub(r'\s+xmlns(:\w+)?="[^"]*"', "", svg)
    svg = svg.replace("xlink:href", "href")
    # Each picture has its own ids.
    mark = f"picture{number}-"
    svg = re.sub(r'\bid="', f'id="{mark}', svg)
    svg = re.sub(r'href="#', f'href="#{mark}', svg)
    svg = re.sub(r"url\(#", f"url(#{mark}", svg)
    label = escape(description, quote=True)
    return svg.replace("<svg", f'<svg role="img" aria-label="{label}"', 1).strip()
